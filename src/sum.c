/* sum.c - layer 1: sums of weights without rounding. */
#include "sum.h"

#include <math.h>

/* Adds to word `at`, and carries. */
static void add_word(uint64_t *sum, size_t at, uint64_t v) {
    while (v) {
        assert(at < BPKI_SUM_WORDS);
        sum[at] += v;
        v = sum[at++] < v;
    }
}

void bpki_sum_add(uint64_t *sum, double weight) {
    uint64_t bits;
    if (weight == 0) return;
    assert(weight >= 0x1p-204 && weight <= 0x1p256);
    memcpy(&bits, &weight, sizeof bits);
    uint64_t fraction = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    size_t place = (size_t)(bits >> 52) - 1075 + BPKI_SUM_UNIT, at = place / 64;
    unsigned shift = place % 64;
    uint64_t high = shift ? fraction >> (64 - shift) : 0;
    add_word(sum, at, fraction << shift);
    if (high) add_word(sum, at + 1, high);
}

void bpki_sum_join(uint64_t *sum, const uint64_t *other) {
    for (size_t i = 0; i < BPKI_SUM_WORDS; i++) add_word(sum, i, other[i]);
}

int bpki_sum_compare(const uint64_t *a, const uint64_t *b) {
    for (size_t i = BPKI_SUM_WORDS; i-- > 0;)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* The three highest words that count have 129 bits or more. */
double bpki_sum_value(const uint64_t *sum) {
    size_t top = BPKI_SUM_WORDS - 1;
    while (top > 2 && !sum[top]) top--;
    double v = 0;
    for (size_t i = 0; i < 3; i++) v = v * 0x1p64 + (double)sum[top - i];
    return ldexp(v, 64 * ((int)top - 2) - BPKI_SUM_UNIT);
}
