/* decay.h - layer 1: weights that halve every half-life, as whole units; for count-min and top-k.
 *
 * Time is in ticks of the caller. Epoch e begins at tick e x half-life, and the units of a sketch are those of its own
 * epoch: an item weighs 4,096 of them when the epoch begins and 8,192 at its end, 4,096 x 2^fraction in between. So
 * nothing is done while time passes within a half-life; at the end of one every counter is halved. An answer is divided
 * by what an item weighs at the sketch's time.
 *
 * All of it is integer arithmetic, the same on every platform, and rounded up: what is counted is never less than the
 * truth, and more than it by a share of 2^-12 at most, which bpki_decay_least() takes off again.
 */
#ifndef BPKI_DECAY_H
#define BPKI_DECAY_H

#include "core.h"

/* A tick as a sketch with a half-life sees it. Without one (0) there is no time: both members are 0. */
typedef struct bpki_moment {
    uint64_t now;
    uint64_t power; /* 2^fraction with 62 binary places, from below; exact where the fraction is 0 */
} bpki_moment;
bpki_moment bpki_moment_of(uint64_t half_life, uint64_t now);

/* v / 2^shift, rounded down or up, whatever the shift. */
static inline uint64_t bpki_halve(uint64_t v, uint64_t shift) {
    return shift < 64 ? v >> shift : 0;
}
static inline uint64_t bpki_halve_up(uint64_t v, uint64_t shift) {
    uint64_t floor = bpki_halve(v, shift);
    return floor + (shift < 64 ? floor << shift != v : v != 0);
}

/* What items that come at `now` weigh in a sketch whose time is `latest`, which is not before it. */
typedef struct bpki_arrival {
    uint64_t unit; /* of weight 1, 4,096 to 8,192, */
    uint64_t late; /* to be halved so often; without a half-life unit 1, 0 */
} bpki_arrival;
bpki_arrival bpki_arrival_of(uint64_t half_life, const bpki_moment *latest, uint64_t now);
/* Rounded down, with *rest where something was cut off. Stays at 2^64-1. */
uint64_t bpki_decay_units_of_any(const bpki_arrival *a, uint64_t weight, bool *rest);
static inline uint64_t bpki_decay_units(const bpki_arrival *a, uint64_t weight, bool *rest) {
    if (a->late || weight > UINT32_MAX) return bpki_decay_units_of_any(a, weight, rest);
    *rest = false;
    return weight * a->unit;
}

/* What so many units stand for at least, in exact units. */
static inline uint64_t bpki_decay_least(uint64_t units) {
    uint64_t over = (units >> 12) + (units >> 29) + 2; /* 1 - 1 / (1 + x) <= x = 2^-12 + 10^-9 */
    return units > over ? units - over : 0;
}

/* Units as weight, rounded to neighbouring doubles. Without a half-life they are the weight. */
double bpki_decay_up(const bpki_moment *m, uint64_t units);
double bpki_decay_down(const bpki_moment *m, uint64_t units);
uint64_t bpki_decay_whole(const bpki_moment *m, uint64_t units); /* up to the next whole number */

/* Limits in units as an answer; as bpki_certain(). */
bpk_estimate bpki_decay_certain(const bpki_moment *m, uint64_t estimate, uint64_t lower, uint64_t upper, bool at_end);

#endif
