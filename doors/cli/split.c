/* split.c - the portable loops, eight bytes at a time, and the choice between the tables. */
#include "split.h"

#include <ballpark.h>
#include <string.h>

#define SPLIT_TARGET

/* Byte i of the text is byte i from below, on any processor; a single move on a little-endian one. */
static inline uint64_t load8(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Bit i is set where byte i of x is zero; exact, because no carry leaves a byte. The product gathers the eight top
 * bits. */
static inline uint64_t zero_bytes(uint64_t x) {
    const uint64_t low7 = UINT64_C(0x7F7F7F7F7F7F7F7F);
    uint64_t top = ~(((x & low7) + low7) | x | low7);
    return ((top >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

static const uint64_t every_byte = UINT64_C(0x0101010101010101);

static inline uint64_t mask_eq(const uint8_t *p, uint8_t byte) {
    uint64_t m = 0;
    for (int i = 0; i < 8; i++) m |= zero_bytes(load8(p + 8 * i) ^ every_byte * byte) << (8 * i);
    return m;
}

static inline uint64_t mask_blank(const uint8_t *p) {
    return mask_eq(p, ' ') | mask_eq(p, '\t');
}

static inline size_t put_ends(const void **end, const uint8_t *p, uint64_t m) {
    size_t n = 0;
    for (; m; m &= m - 1) end[n++] = p + __builtin_ctzll(m);
    return n;
}

#include "split_loops.h"

const split_kernels split_portable = {"portable", cut, pass, pick_blank, pick_byte};

const split_kernels *split_kernels_now(void) {
#if defined(__x86_64__)
    bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    if (able && strcmp(bpk_kernels(), "avx2") == 0) return &split_avx2;
#endif
    return &split_portable;
}
