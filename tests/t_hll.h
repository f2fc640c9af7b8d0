/* t_hll.h - what the tests of the hll room share: sketches in one line, and hashes of every kind of set. */
#ifndef T_HLL_H
#define T_HLL_H

#include "damage.h"

static inline bpk_hll *hll_new(unsigned p, unsigned d) {
    bpk_hll *h = NULL;
    bpk_hll_config c = {.precision = (uint8_t)p, .window_bits = (uint8_t)d};
    assert_int_equal(bpk_hll_new(&h, &c, NULL), BPK_OK);
    return h;
}
static inline void hll_free(bpk_hll *h) {
    bpk_free(bpk_hll_base(h));
}
static inline void hll_add(bpk_hll *h, const uint64_t *hash, size_t n) {
    assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = n, .hash = hash}, NULL, NULL), BPK_OK);
}
static inline double hll_point(const bpk_hll *h) {
    return bpk_hll_count(h, 0).estimate;
}

/* Hash i of a stream in one of several styles: as they come; with all bits above bit 25 or bit 9 zero, which saturates
 * registers; with long runs of zeros; from few different ones; the extremes. */
enum { HLL_STYLES = 6 };
static inline uint64_t hll_hash(uint64_t style, uint64_t stream, uint64_t i) {
    uint64_t x = t_hash(stream, i), y = t_mix(x);
    switch (style) {
    case 1: return y % 4 ? x : x & ((1 << 26) - 1);
    case 2: return y % 4 ? x : x & 1023;
    case 3: return x >> y % 64;
    case 4: return t_hash(stream, x % 30);
    case 5: return y % 16 == 0 ? 0 : y % 16 == 1 ? UINT64_MAX : x;
    default: return x;
    }
}

/* The estimator of the articles: raw harmonic mean, linear counting below 2.5 m; from registers with window bits 0. */
static inline double hll_articles_estimate(const uint8_t *reg, size_t m) {
    double inverse[66], sum = 0, zeros = 0;
    for (int k = 0; k < 66; k++) inverse[k] = ldexp(1, -k);
    for (size_t i = 0; i < m; i++) {
        sum += inverse[reg[i]];
        zeros += reg[i] == 0;
    }
    double raw = 0.7213 / (1 + 1.079 / (double)m) * (double)m * (double)m / sum;
    return raw <= 2.5 * (double)m && zeros > 0 ? (double)m * log((double)m / zeros) : raw;
}

#endif
