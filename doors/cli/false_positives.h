/* false_positives.h - how many records a filter's false positives may have cost.
 *
 * A new item is taken for a repeat with the rate r of that moment. Of the new ones 1 - r are let through, so that each
 * one that was let through stands for r / (1 - r) that were not: the sum of that over the items let through is an
 * unbiased estimate of the number lost. r is sampled each time the items have grown by 1/16 of themselves or by 1/64 of
 * the plan, whichever is more, and taken as the mean of two samples in between: it is convex in the number of items,
 * thus the mean is not too small. A sample reads all bits: a large filter with little in it is not to be read often.
 */
#ifndef CLI_FALSE_POSITIVES_H
#define CLI_FALSE_POSITIVES_H

#include <ballpark.h>

typedef struct loss {
    double rate;                     /* at the last sample */
    double expected;                 /* lost while the rate was under a half */
    double blind_expected;           /* and from there on, when hardly anything is let through to judge by */
    uint64_t blind;                  /* records refused in that time: each may have been new */
    uint64_t admitted;               /* items let through in all */
    uint64_t refused;                /* records taken for repeats: no more than these can be lost */
    uint64_t waiting, refused_since; /* of both since the last sample */
    uint64_t step;                   /* items let through between two samples, at most; 0: as many as there are */
    uint64_t least;                  /* and at least: a share of the plan */
    double most;                     /* of a filter that forgets: its rate is never above this; 0: not known */
    uint64_t let;                    /* items let through since the start */
} loss;

/* `items` are in it already. */
void loss_start(loss *l, const bpk_sketch *filter, uint64_t items);
/* The filter forgets, so that its rate rises and falls, up to `most`: it is sampled every 1/16 of its plan of items
 * at most, and the upper limit is of the rate `most` all the time. */
void loss_turns(loss *l, uint64_t planned, double most);
void loss_note(loss *l, const bpk_sketch *filter, uint64_t admitted, uint64_t refused);
void loss_end(loss *l, const bpk_sketch *filter);

/* How many were lost, and how many at most with probability `confidence`. */
double loss_expected(const loss *l);
uint64_t loss_most(const loss *l, double confidence);

/* A sum of independent rare events with this expectation is, with probability `confidence`, at most so much: none while
 * the expectation is under 1 - confidence (Markov), else by Bernstein's inequality under expected + t + 1 with
 * t = L/3 + sqrt(L^2/9 + 2 L expected) and L = -ln(1 - confidence). Never more than `most`. */
uint64_t likely_most(double expected, double confidence, uint64_t most);

/* How many of `refused` records are probably false repeats when the rate was the same all the time. */
double false_repeats(double rate, uint64_t admitted, uint64_t refused);

/* The rate of false positives of a sketch now; 0 for a kind that has none. */
double rate_now(const bpk_sketch *s);

#endif
