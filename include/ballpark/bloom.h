/* bloom.h - has this item been seen before? A filter of bits that never forgets and is sometimes wrong about strangers.
 *
 *   Answers   "no" is certain; "yes" is false with a probability that the filter can tell from its bits at any time.
 *   Error     the rate asked for, up to the planned number of items; 2.8 x at 125 %, 6 x at 150 %, 17 x at 200 % (1 %,
 *             blocked).
 *   Memory    blocked: 10.10 bits an item at 1 %, 15.72 at 0.1 %, 20.2 at 1e-4, 31.5 at 1e-6; classic: n ln(1/p) / ln^2
 *             2 bits.
 *   Merge     exact: equals having added both streams. Also between sizes of which one divides the other; the smaller
 *             wins.
 *   Remove    no; with `generations` it forgets by itself, see below.
 *   Full      from 150 % of the plan, judged by the bits, `on_full` decides: refuse with BPK_E_FULL, or go on (health
 *             says over).
 *   Source    Putze, Sanders, Singler 2007 (blocked), Bloom 1970 (classic); docs/rooms/bloom.md derives the sizes.
 *
 * With `generations` G the filter rotates: it remembers the last `items` items, or those of the last `span` of time, at
 * the rate asked for however many come. It has G + 1 generations, of which one is written; the first add behind items /
 * G that have changed it, or behind span / G of time, both rounded up, empties the oldest, which is the next. So what
 * is older than (G + 1) ceil(items / G) items, or (G + 1) ceil(span / G) of time, is gone: (1 + 1/G) times the window
 * where G divides it, and never more than twice. 17.4 bits an item of the window at 1 % with G = 4.
 *
 * Time is `now` of bpk_items, in any unit, and only goes forward. One `now` from far in the future empties the filter,
 * and then nothing ages until the clock gets there: bpk_health does not see it, the field `now` does. bpk_reset, and
 * adding what should be remembered again, is the way back; who does not trust a source looks at its times before.
 *
 * Parameters of bpk_new: items (1 or more), rate (a share), layout (blocked or classic), on_full (error or degrade),
 * generations (0 to 16), span (0: by number alone), seen (last or first).
 */
#ifndef BALLPARK_BLOOM_H
#define BALLPARK_BLOOM_H

#include <ballpark/sketch.h>

/* blocked touches one 64-byte line an item (two below a rate of 5e-4); classic is the textbook's, smaller and
 * slower. */
enum { BPK_BLOOM_BLOCKED = 0, BPK_BLOOM_CLASSIC = 1 };

typedef struct bpk_bloom bpk_bloom;

/* Of a rotating filter: is an item that is added again as if it had come now (last), or stays the time at which it came
 * first until it is forgotten (first)? `changed` of bpk_add says whether it was new to the window, either way. */
enum { BPK_SEEN_LAST = 0, BPK_SEEN_FIRST = 1 };
enum { BPK_BLOOM_GENERATIONS_MAX = 16 };

/* domain.hash 0 is the default domain. */
typedef struct bpk_bloom_config {
    bpk_domain domain;
    uint64_t items; /* planned, 1 to 2^48 */
    double rate;    /* of false positives at that number, 1e-15 to 0.5, and not under items / 2^61: a 64-bit hash gives
                     * no more */
    uint8_t layout, generations, on_full;
    uint8_t seen;  /* these two need generations, and generations need layout blocked, on_full error, items >= */
    uint64_t span; /* generations, and a span of 0 or at least that */
} bpk_bloom_config;

/* BPK_E_ARG: domain, items, rate, layout, generations, on_full, seen or span out of range. BPK_E_LIMIT, BPK_E_NOMEM. */
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
/* What a filter was made for, or has become by merging and folding, and the shape that it has: its bits need not be
 * those that bpk_bloom_size would choose for that configuration. Rotating, the shape is that of one generation. */
BPK_API void bpk_bloom_made_for(const bpk_bloom *b, bpk_bloom_config *cfg, bpk_bloom_shape *shape);
/* Bits that are set, in all generations. O(bits). */
BPK_API uint64_t bpk_bloom_set_bits(const bpk_bloom *b);
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

/* What a rotating filter certainly remembers: so many of the last items (adds that were new to their generation), or
 * the last so much time. As asked for, or less: a generation that came to its rate before it had its items, or to more
 * than its items before its time, was closed early. With a span, time takes items out of the window, too: after a quiet
 * time it is 0, and the span is whole. 0 where it does not apply. */
BPK_API uint64_t bpk_bloom_window(const bpk_bloom *b);
BPK_API uint64_t bpk_bloom_span(const bpk_bloom *b);

/* Moves the time of a rotating filter on, as an add does: what is too old is forgotten. Time that is not later changes
 * nothing, here and in bpk_add: late items belong to the current generation. One that is wrong and far ahead forgets
 * all and stops the time, see above. BPK_E_UNSUPPORTED without a span. */
BPK_API bpk_status bpk_bloom_advance(bpk_bloom *b, uint64_t now);

/* Shrinks to 1/divisor by uniting neighbours, exactly as if the filter had been made with that many blocks. The plan
 * shrinks with it. O(bits). BPK_E_ARG when the size is no multiple of the divisor; BPK_E_NOMEM, BPK_E_LIMIT.
 * BPK_E_UNSUPPORTED for a rotating filter. */
BPK_API bpk_status bpk_bloom_fold(bpk_bloom *b, uint64_t divisor);

BPK_API const bpk_bloom *bpk_as_bloom(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_bloom_base(bpk_bloom *b) {
    return (bpk_sketch *)b;
}

#endif
