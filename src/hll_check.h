/* hll_check.h - inside the hll room: do its contents look as hashes of different items leave them? */
#ifndef BPKI_HLL_CHECK_H
#define BPKI_HLL_CHECK_H

#include "hll_state.h"

/* Pearson's chi-square of registers (or tokens), counted by value and place, against the model of the estimator.
 * *freedom 0: too few to judge. O(2^p). */
void bpki_hll_fit(const bpk_hll *h, double *chi_square, double *freedom);

/* A dense sketch of a hash that is ours came from more than T(p) tokens. Whether it cannot hold that many, as when all
 * items were chosen for few registers; false alarms with probability 1e-6 at most. */
bool bpki_hll_hollow(const bpk_hll *h);

#endif
