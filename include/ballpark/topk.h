/* topk.h - which items come most often, and how often at least and at most?
 *
 *   Answers   k rows (key, estimate, lower, upper, certain), a ceiling for every item that has no row, bounds of any
 *             item.
 *   Bounds    lower <= true weight <= upper for every item, always: no probability but that of two items sharing 32 +
 *             log2(buckets) bits of their hash. `certain` says that a row belongs to the k largest for sure.
 *   Memory    128 bytes for 9 entries, 64 more for the light part, and the names of `candidates` items: with the
 *             planned 10 entries a row 12, 24, 384 KiB for k = 10, 100, 1000, and the names.
 *   Weights   any, one step each. Scores hold 62 bits and stick there; such a row has no upper limit and says
 *             SATURATED.
 *   Merge     of any number and any shapes; bounds add up and stay sound. bpk_merge_many() does not depend on the
 *             order; a chain of merges drops earlier and may be wider.
 *   Half-life counts halve every so many ticks of bpk_items.now; the limits hold for the exact decayed weight of every
 *             item as of the latest tick, and are 0.025 % apart at least. Late items weigh what is left of them.
 *             Sketches of different times merge to the latest. Numbers of type uint64_t below are rounded up then.
 *   Remove    no.
 *   Replay    the same stream gives the same bytes: the generator is a counter inside the sketch.
 *   Source    randomized admission: Ben Basat et al. 2017; light part: Estan, Varghese 2002; docs/rooms/topk.md.
 *
 * Parameters of bpk_new: k (1 to 2^20; 10), candidates (names kept; max(2k, 200)), entries (max(10k, 576)), half_life
 * (ticks; none).
 */
#ifndef BALLPARK_TOPK_H
#define BALLPARK_TOPK_H

#include <ballpark/sketch.h>

enum { BPK_TOPK_KEY_MAX = 65535 }; /* bytes of a key that are kept; its true length is too */

typedef struct bpk_topk bpk_topk;

/* Where 0: candidates max(2k, 200), never under 2k; entries max(10k, 576), rounded up to 9 x a power of two;
 * domain.hash 0 is the default domain. `half_life` 0: nothing decays. */
typedef struct bpk_topk_config {
    bpk_domain domain;
    uint32_t k, candidates, entries;
    uint64_t half_life;
} bpk_topk_config;

/* Sets `entries` so that an item with this share of the total, or more, has one at the end with probability 99 % or
 * more, whenever it comes; never under the planned number. BPK_E_ARG: share not inside (0, 1), or too small. */
BPK_API bpk_status bpk_topk_size(bpk_topk_config *cfg, double share);
/* For planning: that share for the entries of a configuration, and the share of the total by which the limits of an
 * item are apart at most with probability `confidence` (Markov's inequality in each row of the light part, counters of
 * 8 bytes). 0 where it is out of range. */
BPK_API double bpk_topk_found_share(const bpk_topk_config *cfg);
BPK_API double bpk_topk_width_share(const bpk_topk_config *cfg, double confidence);

/* BPK_E_ARG: a member out of range. BPK_E_LIMIT: larger than the environment allows. */
BPK_API bpk_status bpk_topk_new(bpk_topk **out, const bpk_topk_config *cfg, const bpk_env *env);

/* Adds a batch, as bpk_add, and tells what fell out of the k rows at which item. Both need it->item and it->len, and as
 * hash of a key the one of the sketch's domain, or the bytes will not decode; items without bytes are counted and stay
 * unnamed. The key is valid during the call, and NULL where the row has none. O(k) where a row changes. */
typedef void (*bpk_topk_left)(void *ctx, size_t index, const void *key, size_t len);
BPK_API bpk_status bpk_topk_add(bpk_topk *t, const bpk_items *it, bpk_topk_left left, void *ctx);

/* The first min(cap, k) rows by count (equal ones by key), *n of them. `certain`: surely among as many largest. The
 * keys stay valid until the sketch changes; a key of NULL has no name (after a merge, or where memory for names ran
 * out). No item without a row in the table weighs more than *ceiling (may be NULL; UINT64_MAX: unknown).
 * BPK_E_NOMEM. */
BPK_API bpk_status bpk_topk_list(const bpk_topk *t, bpk_row *rows, size_t cap, size_t *n, uint64_t *ceiling);

/* Every item of the table that may weigh more than `threshold`, by count; `certain` where it does for sure. *complete:
 * no item that is not in the answer can weigh more. BPK_E_NOMEM. */
BPK_API bpk_status bpk_topk_above(const bpk_topk *t, uint64_t threshold, bpk_row_fn fn, void *ctx, bool *complete);

/* Bounds of one item, listed or not: SATURATED and no upper limit where a counter is at its end,
 * BELOW_NOISE where it may never have come. Cannot fail. */
BPK_API bpk_estimate bpk_topk_count(const bpk_topk *t, uint64_t hash);

BPK_API uint32_t bpk_topk_k(const bpk_topk *t);
BPK_API uint64_t bpk_topk_total(const bpk_topk *t); /* all weight added; stays at 2^64-1 */

BPK_API const bpk_topk *bpk_as_topk(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_topk_base(bpk_topk *t) {
    return (bpk_sketch *)t;
}

#endif
