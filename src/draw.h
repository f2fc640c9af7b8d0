/* draw.h - layer 1: random draws that are the same on every platform, for whoever keeps a seed and counts his draws.
 *
 * A draw is a function of (seed, stream, number): SipHash-2-4 under the key (seed, stream). Nothing is remembered, so
 * that a state which names how many draws it has made can go on anywhere. The two highest bits of the number say what
 * the draw is for, so that one (seed, stream) serves several purposes without one draw serving two.
 */
#ifndef BPKI_DRAW_H
#define BPKI_DRAW_H

#include "core.h"

#define BPKI_DRAW_TAGS UINT64_C(0)               /* tags and skips of a reservoir */
#define BPKI_DRAW_SKIPS (UINT64_C(1) << 62)      /* skips between records that are chosen one by one */
#define BPKI_DRAW_SHUFFLE (UINT64_C(1) << 63)    /* an order of what was kept */
#define BPKI_DRAW_TWIN (UINT64_C(3) << 62)       /* the stream of a twin, by its number */
#define BPKI_DRAWS_MAX ((UINT64_C(1) << 62) - 1) /* of one purpose */

uint64_t bpki_draw(uint64_t seed, uint64_t stream, uint64_t number);

/* A double inside (0, 1), never 0 or 1: an odd multiple of 2^-53, from the upper 52 bits. */
static inline double bpki_unit(uint64_t draw) {
    return (double)((draw >> 12) * 2 + 1) * 0x1p-53;
}

/* Made of + - * / alone, each rounded once, so that every processor and every C library gives the same double; within 2
 * units in the last place of the truth. ln takes what is above 0 and finite, log1p what is above -1 and finite,
 * expm1 what is 0 or below. */
double bpki_ln(double x);
double bpki_log1p(double x);
double bpki_expm1(double x);

/* a x b, rounded: the empty statement may have changed the result, so that no compiler joins it to what follows. It
 * stays in its register where there is a name for that: through memory a chain of products takes twice as long. */
static inline double bpki_product(double a, double b) {
    double p = a * b;
#if defined(__SSE2_MATH__)
    __asm__("" : "+x"(p));
#elif defined(__aarch64__)
    __asm__("" : "+w"(p));
#else
    __asm__("" : "+m"(p));
#endif
    return p;
}

/* Of the exponential distribution with mean 1: above 0, at most 36.8. */
static inline double bpki_exponential(uint64_t draw) {
    return -bpki_ln(bpki_unit(draw));
}

#endif
