/* limit_units.c - inside the limit room: ticks of the caller to units of work and back, exactly. */
#include "limit_units.h"

uint64_t bpki_limit_scale(uint64_t a, uint64_t b, uint64_t divisor, uint64_t *rest) {
    uint64_t high = bpki_mulhi(a, b), unused;
    if (high >= divisor) return UINT64_MAX;
    return bpki_divide(high, a * b, divisor, rest ? rest : &unused);
}

/* Whole periods are whole units; what is left is less than a period, hence less than rate.units. */
limit_instant bpki_limit_instant(limit_rate rate, uint64_t ticks) {
    limit_instant at;
    at.floor = ticks / rate.period * rate.units;
    at.floor += bpki_limit_scale(ticks % rate.period, rate.units, rate.period, &at.rest);
    return at;
}

uint64_t bpki_limit_units_in(limit_rate rate, uint64_t ticks) {
    return bpki_limit_scale(ticks, rate.units, rate.period, NULL);
}

/* ceil((units x period - from.rest) / rate.units): the rest is less than a period, so that nothing falls below 0. */
uint64_t bpki_limit_ticks_until(limit_rate rate, limit_instant from, uint64_t units) {
    uint64_t high = bpki_mulhi(units, rate.period), low = units * rate.period, rest;
    if (units == 0) return 0;
    high -= low < from.rest;
    low -= from.rest;
    if (high >= rate.units) return UINT64_MAX;
    uint64_t ticks = bpki_divide(high, low, rate.units, &rest);
    return ticks + (rest > 0 && ticks < UINT64_MAX);
}
