/* kern_portable.c - the kernels in plain C: what every other version must equal, and what big-endian machines run.
 *
 * The loops are written as selects without branches, which compilers turn into whatever vectors the target's baseline
 * has.
 */
#include "kern.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void hll_max(uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) a[i] = b[i] > a[i] ? b[i] : a[i];
}

/* bpki_register_union for d = 2 without its branches. The smaller value's own bit and window, 1ww, move down by the
 * distance of the two values; from 3 on nothing is left of them. */
static void ull_merge(uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned hi = a[i] > b[i] ? a[i] : b[i], lo = a[i] > b[i] ? b[i] : a[i];
        unsigned apart = (hi >> 2) - (lo >> 2), shift = apart > 3 ? 3 : apart;
        unsigned seen = ((4u | (lo & 3)) >> shift) & (lo ? 3u : 0u);
        a[i] = (uint8_t)(hi | seen);
    }
}

static void or_bytes(uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) a[i] |= b[i];
}

/* Bits of a word in three folds and a multiplication (Warren, Hacker's Delight, 5-1). */
static uint64_t bits_of(uint64_t x) {
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (x * UINT64_C(0x0101010101010101)) >> 56;
}

static uint64_t popcount(const uint8_t *a, size_t n) {
    uint64_t sum = 0;
    size_t i = 0;
    for (; n - i >= 8; i += 8) sum += bits_of(bpki_load64(a + i));
    for (; i < n; i++) sum += bits_of(a[i]);
    return sum;
}

/* ---- blocked filters ---- */

static double line_shares(const uint8_t *lines, uint64_t n, size_t apart) {
    double sum = 0;
    for (; n > 0; n--, lines += apart) {
        uint64_t product = 1; /* up to 64^8 */
        for (unsigned i = 0; i < 8; i++) product *= bits_of(bpki_load64(lines + 8 * i));
        sum += (double)product * 0x1p-48;
    }
    return sum;
}

/* 1 when the hash's bit is set in each of the eight lanes. */
static unsigned line_has(const uint8_t *line, uint64_t hash) {
    uint64_t g = hash * BPKI_BLOOM_LANES, all = 1;
    for (unsigned i = 0; i < 8; i++) all &= bpki_load64(line + 8 * i) >> (g >> (16 + 6 * i) & 63);
    return (unsigned)(all & 1);
}

/* Bit b of a little-endian lane is bit b % 8 of its byte b / 8, so that eight byte accesses do it on any machine. */
static unsigned line_add(uint8_t *line, uint64_t hash) {
    uint64_t g = hash * BPKI_BLOOM_LANES;
    unsigned missing = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned bit = (unsigned)(g >> (16 + 6 * i)) & 63;
        uint8_t *at = line + 8 * i + bit / 8;
        unsigned mask = 1u << bit % 8;
        missing |= ~(unsigned)*at & mask;
        *at = (uint8_t)(*at | mask);
    }
    return missing != 0;
}

/* ---- rotating filters ---- */

/* Whether any generation has the item: with two lines an item both in the same one. */
static unsigned ring_finds(const uint8_t *lines, bpki_ring_shape s, uint64_t hash) {
    const uint8_t *one = lines + bpki_ring_group(hash, s), *two = one;
    uint64_t other = s.k == 2 ? bpki_bloom_second(hash) : hash;
    unsigned any = 0;
    if (s.k == 2) two = lines + bpki_ring_group(other, s);
    for (unsigned g = 0; g < s.lines; g++, one += BPKI_LINE, two += BPKI_LINE) {
        unsigned has = line_has(one, hash);
        any |= s.k == 2 ? has & line_has(two, other) : has;
    }
    return any;
}

#define KERN_TARGET
#include "kern_lines.h"

/* ---- hashing ---- */

static void xxh3_many(uint64_t seed, const void *const *item, const size_t *len, uint64_t *hash, size_t n) {
    for (size_t i = 0; i < n; i++) hash[i] = XXH3_64bits_withSeed(item[i], len[i], seed);
}

const bpki_kernels bpki_kernels_portable = {
    .name = "portable",
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
