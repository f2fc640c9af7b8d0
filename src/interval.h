/* interval.h - layer 1: limits of a share that is known from a sample. */
#ifndef BPKI_INTERVAL_H
#define BPKI_INTERVAL_H

#include "core.h"

/* The score interval (Wilson 1927) of a share that n independent trials showed, z standard deviations to each side. */
void bpki_wilson(double share, double n, double z, double *lower, double *upper);

/* How far a share of n independent trials is off at most, z standard deviations: half the width of the normal interval
 * at one half and half a step of 1 / n, at most 1. Summed out for n to 500 and 400 shares, 95 % covers 95 % or more
 * from n = 5 on (tests/test_interval.c). */
double bpki_share_error(double n, double z);

/* `in` of `all` sampled things have a property: the share of all things that have it, by the score interval. `sampled`
 * is the share of all things that the sample holds, 0 to 1: so much of the variance is gone, and with 1 the answer is
 * exact. ONE_SIDED where none or all have it; NO_POINT, from 0 to 1, where `all` is 0. */
bpk_estimate bpki_share(uint64_t in, uint64_t all, double sampled, double confidence);

#endif
