/* kern.h - layer 1: the inner loops that have more than one version, chosen once for the processor.
 *
 * kern.c chooses; kern_portable.c is the truth; kern_avx2.c must give the same bytes; kern_lines.h is what both have.
 * Registers and filter lines are bytes in their wire order, at any address.
 */
#ifndef BPKI_KERN_H
#define BPKI_KERN_H

#include "core.h"

/* Blocks of `lines` lines, one a generation, of which `current` is written; k lines an item. What is in any generation
 * is not written again where `once` is set. */
typedef struct bpki_ring_shape {
    uint64_t blocks;
    unsigned lines, k, current;
    bool once;
} bpki_ring_shape;

typedef struct bpki_kernels {
    const char *name;
    /* a[i] = union of HyperLogLog registers (d = 0): the larger one */
    void (*hll_max)(uint8_t *a, const uint8_t *b, size_t n);
    /* a[i] = union of UltraLogLog registers (d = 2) */
    void (*ull_merge)(uint8_t *a, const uint8_t *b, size_t n);
    /* a[i] |= b[i] */
    void (*or_bytes)(uint8_t *a, const uint8_t *b, size_t n);
    /* number of bits that are set */
    uint64_t (*popcount)(const uint8_t *a, size_t n);
    /* Blocked filters, K lines an item. has: out[i] = all bits set. add: sets them; changed (may be NULL) [i] = one was
     * not. */
    void (*bloom1_has)(const uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *out);
    void (*bloom2_has)(const uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *out);
    void (*bloom1_add)(uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *changed);
    void (*bloom2_add)(uint8_t *lines, uint64_t blocks, const uint64_t *hash, size_t n, uint8_t *changed);
    /* Sum over n lines, `apart` bytes from one to the next, of the share of a line's masks that are all set: the
     * product of its lanes' shares of set bits. */
    double (*line_shares)(const uint8_t *lines, uint64_t n, size_t apart);
    /* Rotating filters: as above, over all lines of a block, which stand side by side. ring_has: in any generation.
     * ring_add: changed[i] = in none before; returns how many adds have set a bit. */
    void (*ring_has)(const uint8_t *lines, const bpki_ring_shape *s, const uint64_t *hash, size_t n, uint8_t *out);
    uint64_t (*ring_add)(uint8_t *lines, const bpki_ring_shape *s, const uint64_t *hash, size_t n, uint8_t *changed);
    /* XXH3-64 of each item */
    void (*xxh3_many)(uint64_t seed, const void *const *item, const size_t *len, uint64_t *hash, size_t n);
} bpki_kernels;

/* The table in use. */
const bpki_kernels *bpki_kern(void);

extern const bpki_kernels bpki_kernels_portable;
#if defined(__x86_64__)
extern const bpki_kernels bpki_kernels_avx2;
#endif

/* A blocked filter's constants, part of the format (docs/format.md): lane i of a line takes bit (h * LANES >> (16 + 6
 * i)) & 63; the second line of an item is that of the hash (h | 1) * SECOND. */
#define BPKI_BLOOM_LANES UINT64_C(0x9E3779B97F4A7C15)
#define BPKI_BLOOM_SECOND UINT64_C(0xF1357AEA2E62A9C5)
enum {
    BPKI_LINE = 64,
    BPKI_AHEAD = 32,    /* items between prefetch and use: bench/bench_bloom.c */
    BPKI_RING_AHEAD = 8 /* the same where each has many lines */
};

/* The hash of an item's second line; where the line of a hash begins, and in a ring the lines of its block. */
static inline uint64_t bpki_bloom_second(uint64_t hash) {
    return (hash | 1) * BPKI_BLOOM_SECOND;
}
static inline size_t bpki_bloom_line(uint64_t hash, uint64_t blocks) {
    return (size_t)bpki_mulhi(hash, blocks) * BPKI_LINE;
}
static inline size_t bpki_ring_group(uint64_t hash, bpki_ring_shape s) {
    return bpki_bloom_line(hash, s.blocks) * s.lines;
}

/* The union of two registers with d window bits (Ertl 2023, section 3.2): the larger value keeps its window, and the
 * smaller one with its window shows through below it. */
static inline uint8_t bpki_register_union(uint8_t a, uint8_t b, unsigned d) {
    uint8_t hi = a > b ? a : b, lo = a > b ? b : a;
    unsigned shift = (unsigned)(hi >> d) - (unsigned)(lo >> d);
    unsigned seen = 1u << d; /* the smaller value itself */
    if (lo == 0 || shift > d) return hi;
    return (uint8_t)(hi | (((seen | (lo & (seen - 1))) >> shift) & (seen - 1)));
}

#endif
