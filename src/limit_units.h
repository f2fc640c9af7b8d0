/* limit_units.h - inside the limit room: ticks of the caller to units of work and back, exactly.
 *
 * A period of P ticks is U units, so that a tick may be many units (a million events a second with a clock in
 * milliseconds) or a small part of one (an event a day in nanoseconds). Times in units are kept modulo 2^64: only their
 * differences mean something.
 */
#ifndef BPKI_LIMIT_UNITS_H
#define BPKI_LIMIT_UNITS_H

#include "core.h"

typedef struct limit_rate {
    uint64_t period, units; /* 1 or more */
} limit_rate;

/* A time: floor(ticks x units / period) modulo 2^64, and the rest of the division. */
typedef struct limit_instant {
    uint64_t floor, rest;
} limit_instant;
limit_instant bpki_limit_instant(limit_rate rate, uint64_t ticks);

/* floor(ticks x units / period), at most 2^64 - 1. */
uint64_t bpki_limit_units_in(limit_rate rate, uint64_t ticks);

/* The least number of ticks after `from` at which `units` more are over; 2^64 - 1 where it is none. */
uint64_t bpki_limit_ticks_until(limit_rate rate, limit_instant from, uint64_t units);

/* floor(a x b / divisor), at most 2^64 - 1; *rest (of a quotient below that) may be NULL. */
uint64_t bpki_limit_scale(uint64_t a, uint64_t b, uint64_t divisor, uint64_t *rest);

#endif
