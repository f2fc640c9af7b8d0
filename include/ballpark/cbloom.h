/* cbloom.h - has this item been seen before, and not been taken away again? A classic Bloom filter with a counter of
 * four bits for every bit.
 *
 *   Answers   "no" is certain; "yes" is false with a probability that the filter can tell from its counters at any
 *             time. How often an item is in: never more than its least counter, unless that is at its end, 15.
 *   Error     the rate asked for, up to the planned number of items; as the classic filter of the same plan.
 *   Memory    four times the bits of the classic filter: 38.3 bits an item at 1 %, 57.5 at 0.1 %; 16.6 and 24.4 in a
 *             file.
 *   Merge     exact: equals having added both streams, as counters add up and stay at 15. Shapes must be equal.
 *   Remove    yes. What is certainly absent is refused and changes nothing. "No" stays certain as long as nothing is
 *             removed that is not in: a stranger that the filter takes for a member takes others' counters with it.
 *   Full      from 150 % of the plan, judged by the counters in use, `on_full` decides: refuse with BPK_E_FULL, or go
 *             on.
 *   Source    Fan, Cao, Almeida, Broder 2000; docs/rooms/cbloom.md.
 *
 * A counter that has reached 15 stays: it no longer knows how many there are. By chance alone none does; an item that
 * is added fifteen times brings its own there. They are counted.
 *
 * Parameters of bpk_new: items (1 or more), rate (a share), on_full (error or degrade).
 */
#ifndef BALLPARK_CBLOOM_H
#define BALLPARK_CBLOOM_H

#include <ballpark/sketch.h>

typedef struct bpk_cbloom bpk_cbloom;

/* domain.hash 0 is the default domain. Items and rate as in bloom.h. */
typedef struct bpk_cbloom_config {
    bpk_domain domain;
    uint64_t items;
    double rate;
    uint8_t on_full;
} bpk_cbloom_config;

/* BPK_E_ARG: domain, items, rate or on_full out of range. BPK_E_LIMIT, BPK_E_NOMEM. */
BPK_API bpk_status bpk_cbloom_new(bpk_cbloom **out, const bpk_cbloom_config *cfg, const bpk_env *env);

/* The bits of all counters of such a filter, four for each; 0 where the configuration is out of range. */
BPK_API uint64_t bpk_cbloom_bits(const bpk_cbloom_config *cfg);

/* out[i] becomes 1 when hash i may be in, 0 when it certainly is not. As many cache lines as there are hashes. Cannot
 * fail. */
BPK_API void bpk_cbloom_has(const bpk_cbloom *c, const uint64_t *hash, size_t n, uint8_t *out);

/* How often an item is in: 0 to its least counter for sure, and that is the estimate. EXACT where it is 0, SATURATED
 * and without an upper limit where it is 15. */
BPK_API bpk_estimate bpk_cbloom_count(const bpk_cbloom *c, uint64_t hash);

/* The probability that an item which is not in is reported as such, now, from the counters. O(1). */
BPK_API double bpk_cbloom_rate(const bpk_cbloom *c);
/* How many different items are in, from the counters in use; as bpk_bloom_items. O(1). */
BPK_API bpk_estimate bpk_cbloom_items(const bpk_cbloom *c, double confidence);

BPK_API uint64_t bpk_cbloom_stuck(const bpk_cbloom *c);   /* counters at their end */
BPK_API uint64_t bpk_cbloom_refused(const bpk_cbloom *c); /* removals that this handle has refused; not in its bytes */

BPK_API const bpk_cbloom *bpk_as_cbloom(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_cbloom_base(bpk_cbloom *c) {
    return (bpk_sketch *)c;
}

#endif
