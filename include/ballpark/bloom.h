/* bloom.h - has this item been seen before? A filter of bits that never forgets and is sometimes wrong about strangers.
 *
 *   Answers   "no" is certain; "yes" is false with a probability that the filter can tell from its bits at any time.
 *   Error     the rate asked for, up to the planned number of items; 2.8 x at 125 %, 6 x at 150 %, 17 x at 200 % (1 %,
 *             blocked).
 *   Memory    blocked: 10.10 bits an item at 1 %, 15.72 at 0.1 %, 20.2 at 1e-4, 31.5 at 1e-6; classic: n ln(1/p) / ln^2
 *             2 bits.
 *   Merge     exact: equals having added both streams. Also between sizes of which one divides the other; the smaller
 *             wins.
 *   Remove    no.
 *   Full      from 150 % of the plan, judged by the bits, `on_full` decides: refuse with BPK_E_FULL, or go on (health
 *             says over).
 *   Source    Putze, Sanders, Singler 2007 (blocked), Bloom 1970 (classic); docs/rooms/bloom.md derives the sizes.
 *
 * Parameters of bpk_new: items (1 or more), rate (a share), layout (blocked or classic), on_full (error or degrade).
 */
#ifndef BALLPARK_BLOOM_H
#define BALLPARK_BLOOM_H

#include <ballpark/sketch.h>

/* blocked touches one 64-byte line an item (two below a rate of 5e-4); classic is the textbook's, smaller and
 * slower. */
enum { BPK_BLOOM_BLOCKED = 0, BPK_BLOOM_CLASSIC = 1 };

typedef struct bpk_bloom bpk_bloom;

/* domain.hash 0 is the default domain. `generations` must be 0. */
typedef struct bpk_bloom_config {
    bpk_domain domain;
    uint64_t items; /* planned, 1 to 2^48 */
    double rate;    /* of false positives at that number, 1e-15 to 0.5, and not under items / 2^61: a 64-bit hash gives
                     * no more */
    uint8_t layout, generations, on_full;
} bpk_bloom_config;

/* BPK_E_ARG: domain, items, rate, layout, generations or on_full out of range. BPK_E_LIMIT, BPK_E_NOMEM. */
BPK_API bpk_status bpk_bloom_new(bpk_bloom **out, const bpk_bloom_config *cfg, const bpk_env *env);

/* The bits that a configuration takes, without making it; 0 where it is out of range. Exact: the body has this many. */
BPK_API uint64_t bpk_bloom_bits(const bpk_bloom_config *cfg);

/* For planning. `bits` before they are rounded up to whole words; an item sets one by each of its hashes, which are
 * eight a line when blocked. BPK_E_ARG: as bpk_bloom_new. */
typedef struct bpk_bloom_shape {
    uint64_t bits;
    unsigned hashes;
} bpk_bloom_shape;
BPK_API bpk_status bpk_bloom_size(bpk_bloom_shape *out, const bpk_bloom_config *cfg);
/* The expected rate of such a filter with so many items in it; 0 where it is empty or the configuration is
 * out of range. */
BPK_API double bpk_bloom_rate_at(const bpk_bloom_config *cfg, double items);

/* out[i] becomes 1 when hash i may have been added, 0 when it certainly was not. One or two cache lines each, in the
 * classic layout as many as it has hashes. Cannot fail. */
BPK_API void bpk_bloom_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out);

/* The probability that an item which was never added is reported as seen, now, from the bits. O(bits). */
BPK_API double bpk_bloom_rate(const bpk_bloom *b);

/* How many different items were added, from the bits, with an interval at `confidence` (0.5 to 0.999999; 0 is 0.95;
 * others are moved into the range). O(bits). SATURATED when every bit is set. */
BPK_API bpk_estimate bpk_bloom_items(const bpk_bloom *b, double confidence);

/* Shrinks to 1/divisor by uniting neighbours, exactly as if the filter had been made with that many blocks. The plan
 * shrinks with it. O(bits). BPK_E_ARG when the size is no multiple of the divisor; BPK_E_NOMEM, BPK_E_LIMIT. */
BPK_API bpk_status bpk_bloom_fold(bpk_bloom *b, uint64_t divisor);

BPK_API const bpk_bloom *bpk_as_bloom(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_bloom_base(bpk_bloom *b) {
    return (bpk_sketch *)b;
}

#endif
