/* exact.h - the exact answer while the input is small: a set of the items' 64-bit hashes that spills into a sketch.
 *
 *   Answers   the number of different items, and whether an item was added. Exact but for two items with one hash,
 *             which happens with probability n^2 / 2^65: 3e-10 for 100,000 items. bpk_exact_doubt() tells it.
 *   Memory    10.7 to 21.3 bytes an item.
 *   Bytes     none: files hold sketches only. bpk_exact_spill() turns it into one.
 */
#ifndef BALLPARK_EXACT_H
#define BALLPARK_EXACT_H

#include <ballpark/sketch.h>

typedef struct bpk_exact bpk_exact;

/* BPK_E_ARG: no such domain; BPK_E_NOMEM. `domain` NULL is the default; `max_items` is the most that it holds, 0 for as
 * many as the environment's limit allows. */
BPK_API bpk_status bpk_exact_new(bpk_exact **out, const bpk_domain *domain, uint64_t max_items, const bpk_env *env);
BPK_API void bpk_exact_free(bpk_exact *x);

/* As bpk_add; weights have no say. BPK_E_FULL at the item that would be one more than max_items, BPK_E_LIMIT when
 * memory ends first. */
BPK_API bpk_status bpk_exact_add(bpk_exact *x, const bpk_items *it, uint8_t *changed, size_t *done);
/* Unites; on failure dst holds a part of src besides its own, which is harmless before a spill of both. */
BPK_API bpk_status bpk_exact_merge(bpk_exact *dst, const bpk_exact *src, bpk_err *err);

/* The bytes that a set of so many items takes; UINT64_MAX beyond 2^58 items. */
BPK_API uint64_t bpk_exact_bytes(uint64_t items);

BPK_API uint64_t bpk_exact_items(const bpk_exact *x);
BPK_API size_t bpk_exact_memory(const bpk_exact *x);
BPK_API void bpk_exact_has(const bpk_exact *x, const uint64_t *hash, size_t n, uint8_t *out);
/* The expected number of items that share the hash of another one. */
BPK_API double bpk_exact_doubt(const bpk_exact *x);

/* Adds everything to a sketch of the same domain, in no order that means anything: where a kind's state depends on the
 * order, or keeps the items' bytes, the items themselves are to be added instead. On failure a part of it is in. */
BPK_API bpk_status bpk_exact_spill(const bpk_exact *x, bpk_sketch *into, bpk_err *err);

#endif
