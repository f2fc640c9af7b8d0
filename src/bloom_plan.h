/* bloom_plan.h - layer 2, inside the room: how large a filter must be and what a number of set bits says. No bits are
 * touched here.
 *
 * A filter is lanes x cells: an item throws `balls` balls into each lane, each ball sets one of the lane's cells.
 * Blocked, a lane has 64 cells in each block and the eight balls of a line share their block; classic there is one lane
 * of all bits. docs/rooms/bloom.md derives the formulas. Blocked sizes come from the four basic operations alone, so
 * that every platform finds the same.
 */
#ifndef BPKI_BLOOM_PLAN_H
#define BPKI_BLOOM_PLAN_H

#include <ballpark/bloom.h>

#include "core.h"

enum { BPKI_BLOOM_HASHES_MAX = 64 };

/* Shape and plan. k is the number of lines an item touches (blocked) or of bits (classic); units are blocks or bits. */
typedef struct bpki_bloom_plan {
    uint8_t layout, k, on_full;
    uint64_t units, items;
    double rate;
} bpki_bloom_plan;

/* The field of a configuration that is out of range, or NULL. */
const char *bpki_bloom_fault(const bpk_bloom_config *cfg);
/* The smallest plan that meets a valid configuration. */
bpki_bloom_plan bpki_bloom_size(const bpk_bloom_config *cfg);

/* Lines per item that a blocked filter of this rate uses: 2 below 5e-4, where the second line saves memory. */
uint8_t bpki_bloom_lines(double rate);

uint64_t bpki_bloom_bits(const bpki_bloom_plan *p);          /* all bits */
unsigned bpki_bloom_bits_per_item(const bpki_bloom_plan *p); /* that an item may set */

/* Set bits that `items` different items leave: expectation and standard deviation. */
double bpki_bloom_expected(const bpki_bloom_plan *p, double items);
double bpki_bloom_deviation(const bpki_bloom_plan *p, double items);

/* The expected false-positive rate at a number of items. */
double bpki_bloom_rate_at(const bpki_bloom_plan *p, double items);
/* The rate that a filter with the planned items exceeds with probability 0.1 % by chance, and at least 1.02 x the
 * plan's. */
double bpki_bloom_rate_limit(const bpki_bloom_plan *p);

/* Different items from the number of set bits. */
bpk_estimate bpki_bloom_items_of(const bpki_bloom_plan *p, uint64_t set, double confidence);

/* Set bits from which the filter is over its plan: the estimate is 150 % of it; and from which it warns: the planned
 * number of items leaves fewer with a chance of 0.13 % only. */
uint64_t bpki_bloom_over_at(const bpki_bloom_plan *p);
uint64_t bpki_bloom_warn_at(const bpki_bloom_plan *p);

#endif
