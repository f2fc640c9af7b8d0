/* kern_avx2.c - the kernels for x86-64 with AVX2; empty elsewhere.
 *
 * The functions carry their target themselves, so that the file compiles with the same flags as all others; kern.c
 * calls them only on a processor that has AVX2 and POPCNT. A blocked filter's line is two vectors of four lanes.
 */
#include "kern.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define KERN_TARGET __attribute__((target("avx2,popcnt")))

KERN_TARGET static __m256i load(const uint8_t *p) {
    return _mm256_loadu_si256((const __m256i_u *)(const void *)p);
}
KERN_TARGET static void store(uint8_t *p, __m256i v) {
    _mm256_storeu_si256((__m256i_u *)(void *)p, v);
}

/* ---- bytes; what does not fill a vector goes to the portable loop ---- */

KERN_TARGET static void hll_max(uint8_t *a, const uint8_t *b, size_t n) {
    size_t i = 0;
    for (; n - i >= 32; i += 32) store(a + i, _mm256_max_epu8(load(a + i), load(b + i)));
    bpki_kernels_portable.hll_max(a + i, b + i, n - i);
}

/* One shuffle looks up (4 | window) >> distance at index 4 * distance + window. Indices from 12 up, "too far apart",
 * are moved to 12 to 15, where the table is zero. */
KERN_TARGET static __m256i ull_union(__m256i a, __m256i b) {
    const __m256i table =
        _mm256_setr_epi8(0, 1, 2, 3, 2, 2, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0, /* again for the upper half */
                         0, 1, 2, 3, 2, 2, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m256i window = _mm256_set1_epi8(3), far = _mm256_set1_epi8(12);
    __m256i hi = _mm256_max_epu8(a, b), lo = _mm256_min_epu8(a, b);
    __m256i apart = _mm256_sub_epi8(_mm256_andnot_si256(window, hi), _mm256_andnot_si256(window, lo));
    __m256i index = _mm256_or_si256(_mm256_min_epu8(apart, far), _mm256_and_si256(lo, window));
    __m256i seen = _mm256_shuffle_epi8(table, index);
    __m256i empty = _mm256_cmpeq_epi8(lo, _mm256_setzero_si256());
    return _mm256_or_si256(hi, _mm256_andnot_si256(empty, seen));
}

KERN_TARGET static void ull_merge(uint8_t *a, const uint8_t *b, size_t n) {
    size_t i = 0;
    for (; n - i >= 32; i += 32) store(a + i, ull_union(load(a + i), load(b + i)));
    bpki_kernels_portable.ull_merge(a + i, b + i, n - i);
}

KERN_TARGET static void or_bytes(uint8_t *a, const uint8_t *b, size_t n) {
    size_t i = 0;
    for (; n - i >= 32; i += 32) store(a + i, _mm256_or_si256(load(a + i), load(b + i)));
    bpki_kernels_portable.or_bytes(a + i, b + i, n - i);
}

/* Four sums, because one would make each POPCNT wait for the one before it. */
KERN_TARGET static uint64_t popcount(const uint8_t *a, size_t n) {
    uint64_t sum[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; n - i >= 32; i += 32)
        for (size_t j = 0; j < 4; j++) sum[j] += (uint64_t)__builtin_popcountll(bpki_load64(a + i + 8 * j));
    return sum[0] + sum[1] + sum[2] + sum[3] + bpki_kernels_portable.popcount(a + i, n - i);
}

/* ---- blocked filters ---- */

KERN_TARGET static double line_shares(const uint8_t *lines, uint64_t n, size_t apart) {
    double sum = 0;
    for (; n > 0; n--, lines += apart) {
        uint64_t product = 1;
        for (unsigned i = 0; i < 8; i++) product *= (uint64_t)__builtin_popcountll(bpki_load64(lines + 8 * i));
        sum += (double)product * 0x1p-48;
    }
    return sum;
}

typedef struct line_mask {
    __m256i low, high; /* lanes 0 to 3 and 4 to 7 */
} line_mask;

KERN_TARGET static line_mask mask_of(uint64_t hash) {
    const __m256i low = _mm256_setr_epi64x(16, 22, 28, 34), high = _mm256_setr_epi64x(40, 46, 52, 58);
    const __m256i one = _mm256_set1_epi64x(1), six_bits = _mm256_set1_epi64x(63);
    __m256i g = _mm256_set1_epi64x((long long)(hash * BPKI_BLOOM_LANES));
    return (line_mask){_mm256_sllv_epi64(one, _mm256_and_si256(_mm256_srlv_epi64(g, low), six_bits)),
                       _mm256_sllv_epi64(one, _mm256_and_si256(_mm256_srlv_epi64(g, high), six_bits))};
}

KERN_TARGET static unsigned mask_in(const uint8_t *line, line_mask m) {
    return (unsigned)(_mm256_testc_si256(load(line), m.low) & _mm256_testc_si256(load(line + 32), m.high));
}

KERN_TARGET static unsigned line_has(const uint8_t *line, uint64_t hash) {
    return mask_in(line, mask_of(hash));
}

KERN_TARGET static unsigned line_add(uint8_t *line, uint64_t hash) {
    line_mask m = mask_of(hash);
    __m256i low = load(line), high = load(line + 32);
    unsigned had = (unsigned)(_mm256_testc_si256(low, m.low) & _mm256_testc_si256(high, m.high));
    store(line, _mm256_or_si256(low, m.low));
    store(line + 32, _mm256_or_si256(high, m.high));
    return had ^ 1;
}

/* ---- rotating filters ---- */

/* The bits of a mask that a line lacks. */
KERN_TARGET static __m256i lacks(const uint8_t *line, line_mask m) {
    return _mm256_or_si256(_mm256_andnot_si256(load(line), m.low), _mm256_andnot_si256(load(line + 32), m.high));
}
KERN_TARGET static unsigned is_zero(__m256i v) {
    return (unsigned)_mm256_testz_si256(v, v);
}

/* Whether any generation has the item: with two lines an item both in the same one. One test a generation, which is
 * dearer than a load. */
KERN_TARGET static unsigned ring_finds(const uint8_t *lines, bpki_ring_shape s, uint64_t hash) {
    const uint8_t *one = lines + bpki_ring_group(hash, s), *end = one + s.lines * (size_t)BPKI_LINE;
    line_mask m = mask_of(hash);
    unsigned any = 0;
    if (s.k == 1) {
        for (; one < end; one += BPKI_LINE) any |= is_zero(lacks(one, m));
        return any;
    }
    const uint8_t *two = lines + bpki_ring_group(bpki_bloom_second(hash), s);
    line_mask n = mask_of(bpki_bloom_second(hash));
    for (; one < end; one += BPKI_LINE, two += BPKI_LINE) any |= is_zero(_mm256_or_si256(lacks(one, m), lacks(two, n)));
    return any;
}

#include "kern_lines.h"

/* ---- hashing ---- */

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define XXH_VECTOR 2 /* XXH_AVX2 of the header below */
#define XXH_INLINE_ALL
#include <xxhash.h>

static void xxh3_many(uint64_t seed, const void *const *item, const size_t *len, uint64_t *hash, size_t n) {
    for (size_t i = 0; i < n; i++) hash[i] = XXH3_64bits_withSeed(item[i], len[i], seed);
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const bpki_kernels bpki_kernels_avx2 = {
    .name = "avx2",
    .hll_max = hll_max,
    .ull_merge = ull_merge,
    .or_bytes = or_bytes,
    .popcount = popcount,
    .bloom1_has = bloom1_has,
    .bloom2_has = bloom2_has,
    .bloom1_add = bloom1_add,
    .bloom2_add = bloom2_add,
    .line_shares = line_shares,
    .ring_has = ring_has,
    .ring_add = ring_add,
    .xxh3_many = xxh3_many,
};
#else
typedef int bpki_no_avx2_here; /* ISO C wants a declaration in every file */
#endif
