/* filter.h - layer 1: how large a Bloom filter must be, where an item's bits are, and what a number of set bits says.
 * The plain, the counting and the rotating filter stand on it. No bits are touched here.
 *
 * A filter is lanes x cells: an item throws `balls` balls into each lane, each ball sets one of the lane's cells.
 * Blocked, a lane has 64 cells in each block and the eight balls of a line share their block; classic there is one lane
 * of all bits. docs/rooms/bloom.md derives the formulas. Blocked sizes come from the four basic operations alone, so
 * that every platform finds the same.
 */
#ifndef BPKI_FILTER_H
#define BPKI_FILTER_H

#include <ballpark/health.h>

#include "kern.h"

enum { BPKI_FILTER_BLOCKED = 0, BPKI_FILTER_CLASSIC = 1 };
enum { BPKI_FILTER_HASHES_MAX = 64 };

extern const char *const bpki_filter_policies[]; /* what on_full may say; ends with NULL */

/* Shape and plan. k is the number of lines an item touches (blocked) or of bits (classic); units are blocks or bits. */
typedef struct bpki_filter {
    uint8_t layout, k, on_full;
    uint64_t units, items;
    double rate;
} bpki_filter;

/* The field of a plan that is out of range, or NULL. */
const char *bpki_filter_fault(uint64_t items, double rate, uint8_t on_full);
/* Fills in k and units: the smallest that meet layout, items and rate, which are valid. */
void bpki_filter_size(bpki_filter *p);
/* Blocked alone: the smallest of which the rate stays at or under the plan's, but for chances beyond z standard
 * deviations, or on average by a fifth where that is dearer. */
void bpki_filter_size_surely(bpki_filter *p, double z);
/* Blocked alone: the rate that a filter with the planned items exceeds by such chances only. */
double bpki_filter_rate_at_most(const bpki_filter *p, double z);

/* Lines per item that a blocked filter of this rate uses: 2 below 5e-4, where the second line saves memory. */
uint8_t bpki_filter_lines(double rate);

uint64_t bpki_filter_bits(const bpki_filter *p);          /* all bits */
unsigned bpki_filter_bits_per_item(const bpki_filter *p); /* that an item may set */

/* Set bits that `items` different items leave: expectation and standard deviation. */
double bpki_filter_expected(const bpki_filter *p, double items);
double bpki_filter_deviation(const bpki_filter *p, double items);

/* The expected false-positive rate at a number of items. */
double bpki_filter_rate_at(const bpki_filter *p, double items);
/* The rate that a filter with the planned items exceeds with probability 0.1 % by chance, and at least 1.02 x the
 * plan's. */
double bpki_filter_rate_limit(const bpki_filter *p);

/* Different items from the number of set bits. */
bpk_estimate bpki_filter_items_of(const bpki_filter *p, uint64_t set, double confidence);

/* Set bits from which the filter is over its plan: the estimate is 150 % of it; and from which it warns: the planned
 * number of items leaves fewer with a chance of 0.13 % only. */
uint64_t bpki_filter_over_at(const bpki_filter *p);
uint64_t bpki_filter_warn_at(const bpki_filter *p);
/* The state of a filter with so many set bits and this rate, and a constant text that says why. */
bpk_state bpki_filter_state(const bpki_filter *p, uint64_t set, double rate, const char **reason);

/* The items of a plan that is folded to 1 / divisor; and the plan of a union, the stricter one in every respect,
 * whatever the order. b has a whole multiple of a's units. */
uint64_t bpki_filter_folded(uint64_t items, uint64_t divisor);
void bpki_filter_unite(bpki_filter *a, const bpki_filter *b);

/* The hash of an item's next line or bit. */
static inline uint64_t bpki_filter_next(uint64_t hash) {
    return bpki_bloom_second(hash);
}

/* Writes the k positions of an item in the classic layout. */
static inline void bpki_filter_probes(uint64_t hash, unsigned k, uint64_t units, uint64_t *at) {
    for (unsigned j = 0; j < k; j++, hash = bpki_filter_next(hash)) at[j] = bpki_mulhi(hash, units);
}

/* In the classic layout, how many items of a batch are fetched ahead of their use, where each has k lines on their way:
 * none where the second-level cache holds all the bytes anyway. */
static inline size_t bpki_filter_ahead(uint64_t bytes) {
    return bytes > UINT64_C(1) << 18 ? 8 : 0;
}

#endif
