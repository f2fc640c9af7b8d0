/* tally.h - the exact answer while the keys are few: a map from key to count that spills into a sketch.
 *
 *   Answers   every key with its weight, exactly: keys are compared byte by byte.
 *   Memory    about 45 bytes a key and the key.
 *   Time      one step an item, also where keys were chosen to have the same hash or place.
 *   Bytes     none: files hold sketches only. bpk_tally_spill() turns it into one.
 */
#ifndef BALLPARK_TALLY_H
#define BALLPARK_TALLY_H

#include <ballpark/sketch.h>

typedef struct bpk_tally bpk_tally;

/* `domain` NULL is the default; `max_keys` is the most that it holds, 0 for as many as the environment's limit
 * allows. */
BPK_API bpk_status bpk_tally_new(bpk_tally **out, const bpk_domain *domain, uint64_t max_keys, const bpk_env *env);
BPK_API void bpk_tally_free(bpk_tally *t); /* NULL is fine */

/* As bpk_add; needs it->item and it->len. BPK_E_FULL at the key that would be one more than max_keys, BPK_E_LIMIT when
 * memory ends first. Counts stay at 2^64-1. A weight of 0 changes nothing and makes no key. */
BPK_API bpk_status bpk_tally_add(bpk_tally *t, const bpk_items *it, size_t *done);

BPK_API uint64_t bpk_tally_keys(const bpk_tally *t);
BPK_API uint64_t bpk_tally_total(const bpk_tally *t); /* all weight; stays at 2^64-1 */
BPK_API size_t bpk_tally_memory(const bpk_tally *t);

/* The bytes that a map of so many keys of so many bytes each takes; UINT64_MAX beyond what it can hold. */
BPK_API uint64_t bpk_tally_bytes(uint64_t keys, uint32_t key_bytes);

/* The count of one key with its hash; 0 where it never came. */
BPK_API bpk_estimate bpk_tally_count(const bpk_tally *t, uint64_t hash, const void *key, size_t len);

/* The first `limit` rows by count, equal ones by key. BPK_E_NOMEM. */
BPK_API bpk_status bpk_tally_rows(const bpk_tally *t, size_t limit, bpk_row_fn fn, void *ctx);

/* Adds every key with its count to a sketch of the same domain, in the order in which the keys came first. */
BPK_API bpk_status bpk_tally_spill(const bpk_tally *t, bpk_sketch *into, bpk_err *err);

#endif
