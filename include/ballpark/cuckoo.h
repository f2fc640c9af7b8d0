/* cuckoo.h - has this item been seen before, and may it be forgotten again? A table of fingerprints, several copies of
 * an item included.
 *
 *   Answers   "no" is certain; "yes" is false with a probability that follows from the number of items at any time; how
 *             many copies of an item are in, at most; how many items in all, exactly.
 *   Error     2 x items / (buckets x (2^bits - 1)) at most: 0.0116 % (16 bits) and 0.186 % (12 bits) at 95 % load.
 *   Memory    16.84 bits an item at 95 % load with 16 bits, 12.63 with 12. Small plans take more: 17.3 and 13.0 for
 *             1,000 items, 21.8 and 16.3 for 100.
 *   Merge     no: where two tables put what both have is not known any more. Remove what is to go, add what is to come.
 *   Remove    yes, what was added. What was not is nearly always noticed (removed[i] is 0, and it counts as suspect);
 *             with the probability of a false "yes" it takes away a copy of another item, which is then missed.
 *   Full      beyond the plan, from about 96.5 % load on, an add finds no place: BPK_E_FULL, and nothing has changed.
 *             The ninth copy of an item finds none either. A plan is of different items: with 2 copies of each 88 % can
 *             be filled, with 4 half, with 5 to 8 next to nothing (docs/rooms/cuckoo.md).
 *   Source    Fan, Andersen, Kaminsky, Mitzenmacher 2014; docs/rooms/cuckoo.md measures what is said here.
 *
 * Parameters of bpk_new: items (1 or more), rate (a share; chooses the bits), fingerprint_bits (12 or 16; 16),
 * on_full (error, or grow for a chain, grow.h; error).
 */
#ifndef BALLPARK_CUCKOO_H
#define BALLPARK_CUCKOO_H

#include <ballpark/sketch.h>

enum { BPK_CUCKOO_BITS = 16, BPK_CUCKOO_BITS_FEW = 12, BPK_CUCKOO_COPIES = 8, BPK_CUCKOO_LEVEL_MAX = 31 };

typedef struct bpk_cuckoo bpk_cuckoo;

/* base << level buckets of four fingerprints, 2^32 at most. Tables of one base and different levels nest: two items
 * that the larger one cannot tell apart cannot be told apart by the smaller one either. domain.hash 0 is the default
 * domain. */
typedef struct bpk_cuckoo_config {
    bpk_domain domain;
    uint64_t items;           /* planned, 1 to 4 a bucket */
    uint64_t base;            /* 0: the least for the items */
    uint8_t fingerprint_bits; /* 12 or 16 */
    uint8_t level;            /* 0 to 31 */
} bpk_cuckoo_config;

/* BPK_E_ARG: domain, items, base, fingerprint_bits or level out of range. BPK_E_LIMIT, BPK_E_NOMEM. */
BPK_API bpk_status bpk_cuckoo_new(bpk_cuckoo **out, const bpk_cuckoo_config *cfg, const bpk_env *env);

/* What a configuration takes, without making it. BPK_E_ARG: as bpk_cuckoo_new. */
typedef struct bpk_cuckoo_shape {
    uint64_t base, buckets, bits;
} bpk_cuckoo_shape;
BPK_API bpk_status bpk_cuckoo_size(bpk_cuckoo_shape *out, const bpk_cuckoo_config *cfg);
/* The rate of such a table with so many items in it; 0 where the configuration is out of range. */
BPK_API double bpk_cuckoo_rate_at(const bpk_cuckoo_config *cfg, double items);
/* The fingerprint bits with which a table of its own for so many items has at most this rate; 0: none has. */
BPK_API uint8_t bpk_cuckoo_bits_for(uint64_t items, double rate);

/* Adds a copy of each of n items; bpk_add does the same. BPK_E_FULL names "copies" where the buckets of an item hold
 * nothing but it, and "slots" where no place was found: the items before *done (may be NULL) are in, and item *done has
 * changed nothing. */
BPK_API bpk_status bpk_cuckoo_add(bpk_cuckoo *c, const uint64_t *hash, size_t n, size_t *done, bpk_err *err);
/* Adds those that are not in: stored[i] (may be NULL) becomes 1, or 0 where the table says that it has item i. To
 * remove an item that was not stored takes the copy of another one away. */
BPK_API bpk_status bpk_cuckoo_add_new(bpk_cuckoo *c, const uint64_t *hash, size_t n, uint8_t *stored, size_t *done,
                                      bpk_err *err);

/* out[i] becomes 1 when hash i may have been added and not removed, 0 when it certainly was not. Two cache lines each.
 * Cannot fail. */
BPK_API void bpk_cuckoo_has(const bpk_cuckoo *c, const uint64_t *hash, size_t n, uint8_t *out);
/* Copies of an item, 0 to 8: its own and, with the probability of a false "yes", some of another one. */
BPK_API unsigned bpk_cuckoo_copies(const bpk_cuckoo *c, uint64_t hash);
/* Copies of all items, exactly. */
BPK_API uint64_t bpk_cuckoo_items(const bpk_cuckoo *c);
/* The probability that an item which was never added is reported as seen, now: exact while every item is in once, an
 * upper limit where some are in more often. */
BPK_API double bpk_cuckoo_rate(const bpk_cuckoo *c);
/* How many items were to be removed that were certainly not in; stays at 2^64 - 1. It travels with the bytes. */
BPK_API uint64_t bpk_cuckoo_suspects(const bpk_cuckoo *c);

/* The configuration that would make such a table, with its base. */
BPK_API bpk_cuckoo_config bpk_cuckoo_made_for(const bpk_cuckoo *c);

BPK_API const bpk_cuckoo *bpk_as_cuckoo(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_cuckoo_base(bpk_cuckoo *c) {
    return (bpk_sketch *)c;
}

#endif
