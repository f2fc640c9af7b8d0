/* sum.h - layer 1: sums of weights without rounding, so that the order of adding and the tree of merges have no say.
 *
 * A sum is one long number of BPKI_SUM_WORDS x 64 bits, the lowest word first, in units of 2^-256. It holds 2^63
 * numbers, each 0 or from 2^-204, whose last bit is the unit, to 2^256.
 */
#ifndef BPKI_SUM_H
#define BPKI_SUM_H

#include "core.h"

enum { BPKI_SUM_WORDS = 9, BPKI_SUM_UNIT = 256 };

void bpki_sum_add(uint64_t *sum, double weight);
void bpki_sum_join(uint64_t *sum, const uint64_t *other);
int bpki_sum_compare(const uint64_t *a, const uint64_t *b); /* below 0, 0 or above 0, as memcmp has it */
double bpki_sum_value(const uint64_t *sum);                 /* within a unit in the last place */

#endif
