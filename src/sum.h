/* sum.h - layer 1: sums of weights without rounding, so that the order of adding and the tree of merges have no say.
 *
 * A sum is one long number of BPKI_SUM_WORDS x 64 bits, the lowest word first, in units of 2^-256. It holds 2^63
 * weights of the allowed range.
 */
#ifndef BPKI_SUM_H
#define BPKI_SUM_H

#include "core.h"

enum { BPKI_SUM_WORDS = 9, BPKI_SUM_UNIT = 256 };

#define BPKI_WEIGHT_MIN 0x1p-200
#define BPKI_WEIGHT_MAX 0x1p+200

/* 0, or inside the range; false for what is no number. */
static inline bool bpki_weight_valid(double w) {
    return w == 0 || (w >= BPKI_WEIGHT_MIN && w <= BPKI_WEIGHT_MAX);
}

void bpki_sum_add(uint64_t *sum, double weight);
void bpki_sum_join(uint64_t *sum, const uint64_t *other);
int bpki_sum_compare(const uint64_t *a, const uint64_t *b); /* below 0, 0 or above 0, as memcmp has it */
double bpki_sum_value(const uint64_t *sum);                 /* within a unit in the last place */

#endif
