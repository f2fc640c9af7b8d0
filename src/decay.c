/* decay.c - layer 1: weights that halve every half-life: 2^fraction and its rounding, behind decay.h. */
#include "decay.h"

enum { BITS = 32, /* of the fraction: what is cut off changes 2^fraction by 2^-32 of it at most */ PLACES = 62 };

#define ONE (UINT64_C(1) << PLACES)

/* 2^(1/2), 2^(1/4), .. 2^(2^-32) with 63 binary places, rounded down; tests/test_decay.c squares them. */
static const uint64_t root[BITS] = {
    UINT64_C(0xB504F333F9DE6484), UINT64_C(0x9837F0518DB8A96F), UINT64_C(0x8B95C1E3EA8BD6E6),
    UINT64_C(0x85AAC367CC487B14), UINT64_C(0x82CD8698AC2BA1D7), UINT64_C(0x8164D1F3BC030773),
    UINT64_C(0x80B1ED4FD999AB6C), UINT64_C(0x8058D7D2D5E5F6B0), UINT64_C(0x802C6436D0E04F50),
    UINT64_C(0x8016302F17467628), UINT64_C(0x800B179C82028FD0), UINT64_C(0x80058BAF7FEE3B5D),
    UINT64_C(0x8002C5D00FDCFCB6), UINT64_C(0x800162E61BED4A48), UINT64_C(0x8000B17292F702A3),
    UINT64_C(0x800058B92ABBAE02), UINT64_C(0x80002C5C8DADE4D7), UINT64_C(0x8000162E44EAF636),
    UINT64_C(0x80000B1721FA7C18), UINT64_C(0x8000058B90DE7E4C), UINT64_C(0x800002C5C8678F36),
    UINT64_C(0x80000162E431DB9F), UINT64_C(0x800000B1721872D0), UINT64_C(0x80000058B90C1AA8),
    UINT64_C(0x8000002C5C8605A4), UINT64_C(0x800000162E4300E6), UINT64_C(0x8000000B17217FF8),
    UINT64_C(0x800000058B90BFDD), UINT64_C(0x80000002C5C85FE6), UINT64_C(0x8000000162E42FF1),
    UINT64_C(0x80000000B17217F8), UINT64_C(0x8000000058B90BFC)};

/* 2^(rest / half_life) from below, one factor for each bit of the fraction, which long division gives one by one. */
static uint64_t power(uint64_t rest, uint64_t half_life) {
    uint64_t p = ONE;
    for (int i = 0; i < BITS && rest; i++) {
        bool bit = rest >= half_life - rest;
        rest = bit ? rest - (half_life - rest) : 2 * rest;
        if (bit) p = bpki_mulhi(p, root[i]) << 1;
    }
    return p;
}

bpki_moment bpki_moment_of(uint64_t half_life, uint64_t now) {
    if (half_life == 0) return (bpki_moment){0, 0};
    uint64_t rest = now % half_life, p = power(rest, half_life);
    return (bpki_moment){now, p + (rest && p == ONE)}; /* a last place too much for what is above 1 by less than one */
}

/* 2^fraction from above: the bits that were cut off, and three last places for each factor. */
static uint64_t above(const bpki_moment *m) {
    uint64_t up = m->power + (m->power >> BITS) + UINT64_C(4) * BITS;
    return m->power == ONE ? ONE : up < 2 * ONE ? up : 2 * ONE;
}

bpki_arrival bpki_arrival_of(uint64_t half_life, const bpki_moment *latest, uint64_t now) {
    const unsigned cut = PLACES - 12;
    if (half_life == 0) return (bpki_arrival){1, 0};
    bpki_moment at = now < latest->now ? bpki_moment_of(half_life, now) : *latest;
    uint64_t high = above(&at);
    return (bpki_arrival){(high >> cut) + (high << (64 - cut) != 0), latest->now / half_life - at.now / half_life};
}

/* high:low / 2^shift, rounded down. */
static uint64_t halve_wide(uint64_t high, uint64_t low, uint64_t shift, bool *rest) {
    *rest = false;
    if (shift == 0) return high ? UINT64_MAX : low;
    if (shift >= 64) {
        uint64_t v = bpki_halve(high, shift - 64);
        *rest = low || bpki_halve_up(high, shift - 64) != v;
        return v;
    }
    if (high >> shift) return UINT64_MAX;
    *rest = low << (64 - shift) != 0;
    return high << (64 - shift) | low >> shift;
}

uint64_t bpki_decay_units_of_any(const bpki_arrival *a, uint64_t weight, bool *rest) {
    return halve_wide(bpki_mulhi(weight, a->unit), weight * a->unit, a->late, rest);
}

/* ---- answers ---- */

static const double units_of_one = 0x1p-50; /* 4,096 units, of 2^62 */

double bpki_decay_up(const bpki_moment *m, uint64_t units) {
    if (m->power == 0) return bpki_up(units);
    return units ? bpki_neighbour(bpki_up(units) / (bpki_down(m->power) * units_of_one), 1) : 0;
}

double bpki_decay_down(const bpki_moment *m, uint64_t units) {
    if (m->power == 0) return bpki_down(units);
    return units ? bpki_neighbour(bpki_down(units) / (bpki_up(above(m)) * units_of_one), -1) : 0;
}

uint64_t bpki_decay_whole(const bpki_moment *m, uint64_t units) {
    if (m->power == 0) return units;
    double up = bpki_decay_up(m, units); /* under 2^53 */
    return (uint64_t)up + ((double)(uint64_t)up < up);
}

bpk_estimate bpki_decay_certain(const bpki_moment *m, uint64_t estimate, uint64_t lower, uint64_t upper, bool at_end) {
    if (m->power == 0) return bpki_certain(estimate, lower, upper, at_end);
    double point = bpki_decay_up(m, estimate), down = bpki_decay_down(m, lower);
    double up = at_end ? 0x1p64 : bpki_decay_up(m, upper);
    return (bpk_estimate){point, down, up, 1, at_end ? BPK_SATURATED : up == 0 ? BPK_EXACT : 0};
}
