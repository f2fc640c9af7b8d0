/* split_avx2.c - the loops of split.h with 32-byte compares, for processors that have AVX2, BMI1 and POPCNT. */
#include "split.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define SPLIT_TARGET __attribute__((target("avx2,bmi,popcnt")))

SPLIT_TARGET static inline __m256i load32(const uint8_t *p) {
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

SPLIT_TARGET static inline uint64_t join(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

SPLIT_TARGET static inline uint64_t mask_eq(const uint8_t *p, uint8_t byte) {
    __m256i want = _mm256_set1_epi8((char)byte);
    return join(_mm256_cmpeq_epi8(load32(p), want), _mm256_cmpeq_epi8(load32(p + 32), want));
}

SPLIT_TARGET static inline __m256i is_blank(__m256i v) {
    return _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(' ')), _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\t')));
}

SPLIT_TARGET static inline uint64_t mask_blank(const uint8_t *p) {
    return join(is_blank(load32(p)), is_blank(load32(p + 32)));
}

/* Stores `n` ends, whether the mask has as many or not: what is too much is overwritten by the next call. TZCNT of an
 * empty mask is 64, which stays inside the text's slack. */
SPLIT_TARGET static inline uint64_t put_some(const void **end, const uint8_t *p, uint64_t m, int n) {
    for (int i = 0; i < n; i++, m = _blsr_u64(m)) end[i] = p + _tzcnt_u64(m);
    return m;
}

/* In steps of 2, 8 and 16, so that the number of ends decides a branch only where line lengths differ much. */
SPLIT_TARGET static inline size_t put_ends(const void **end, const uint8_t *p, uint64_t m) {
    size_t n = (size_t)_mm_popcnt_u64(m);
    m = put_some(end, p, m, 2);
    if (n > 2) m = put_some(end + 2, p, m, 6);
    for (size_t k = 8; k < n; k += 8) m = put_some(end + k, p, m, 8);
    return n;
}

#include "split_loops.h"

const split_kernels split_avx2 = {"avx2", cut, pass, pick_blank, pick_byte};

#else

typedef int split_avx2_is_for_x86_64_only; /* a source file may not be empty */

#endif
