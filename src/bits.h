/* bits.h - layer 1: streams of bits that fill each byte from its bit 0, as docs/format.md has them. */
#ifndef BPKI_BITS_H
#define BPKI_BITS_H

#include "wire.h"

/* ---- writing ---- */

typedef struct bpki_bit_out {
    bpki_out *o;
    uint64_t word;
    unsigned n; /* bits in word, under 8 between calls */
} bpki_bit_out;

/* Appends the low n <= 56 bits of v, which has no others. */
static inline void bpki_put_bits(bpki_bit_out *w, uint64_t v, unsigned n) {
    w->word |= v << w->n;
    for (w->n += n; w->n >= 8; w->n -= 8, w->word >>= 8) bpki_out_u8(w->o, (uint8_t)w->word);
}

/* n zeros and a one. */
static inline void bpki_put_unary(bpki_bit_out *w, uint64_t n) {
    for (; n >= 32; n -= 32) bpki_put_bits(w, 0, 32);
    bpki_put_bits(w, UINT64_C(1) << n, (unsigned)n + 1);
}

/* The Rice code of a gap: gap >> b zeros, a one, b low bits. For `count` gaps that share a range of `range` >= count, b
 * is floor(log2(floor(range / count))), and random gaps take 1.6 bits more than that. Without a gap b is 0. */
static inline unsigned bpki_rice_bits(uint64_t range, uint64_t count) {
    uint64_t mean = count ? range / count : 1;
    return mean > 1 ? bpki_bit_length(mean) - 1 : 0;
}
static inline uint64_t bpki_rice_size(uint64_t gap, unsigned b) {
    return (gap >> b) + 1 + b;
}
static inline void bpki_put_rice(bpki_bit_out *w, uint64_t gap, unsigned b) {
    bpki_put_unary(w, gap >> b);
    bpki_put_bits(w, gap & ((UINT64_C(1) << b) - 1), b);
}

/* Fills the last byte with zeros. */
static inline void bpki_put_end(bpki_bit_out *w) {
    if (w->n) bpki_put_bits(w, 0, 8 - w->n);
}

/* ---- reading ---- */

typedef struct bpki_bit_in {
    const uint8_t *p;
    uint64_t at, end; /* in bits */
    bool ok;
} bpki_bit_in;

/* 57 bits or more from `at` on, zeros behind the end. */
static inline uint64_t bpki_peek_bits(const bpki_bit_in *r) {
    size_t i = (size_t)(r->at / 8), n = (size_t)(r->end / 8);
    uint64_t word = 0;
    if (i + sizeof word <= n) return bpki_load64(r->p + i) >> r->at % 8;
    for (size_t j = 0; i + j < n; j++) word |= (uint64_t)r->p[i + j] << 8 * j;
    return word >> r->at % 8;
}

/* The next n <= 56 bits; not ok behind the end. */
static inline uint64_t bpki_get_bits(bpki_bit_in *r, unsigned n) {
    uint64_t v = bpki_peek_bits(r) & ((UINT64_C(1) << n) - 1);
    if (n > r->end - r->at) r->ok = false;
    else r->at += n;
    return r->ok ? v : 0;
}

/* The zeros before the next one, which is taken too; not ok where there is none, or more than `most`. */
static inline uint64_t bpki_get_unary(bpki_bit_in *r, uint64_t most) {
    for (uint64_t n = 0; n <= most && r->at < r->end;) {
        uint64_t word = bpki_peek_bits(r);
        unsigned zeros = word ? (unsigned)__builtin_ctzll(word) : 56;
        if (zeros < 56 && zeros < r->end - r->at) {
            r->at += zeros + 1;
            n += zeros;
            if (n <= most) return n;
            break;
        }
        zeros = 56 < r->end - r->at ? 56 : (unsigned)(r->end - r->at);
        r->at += zeros;
        n += zeros;
    }
    r->ok = false;
    return 0;
}

/* A gap that is below range + 2^b where the reader stays ok. */
static inline uint64_t bpki_get_rice(bpki_bit_in *r, unsigned b, uint64_t range) {
    uint64_t high = bpki_get_unary(r, range >> b) << b;
    return high | bpki_get_bits(r, b);
}

/* Whether less than a byte of zeros is left. */
static inline bool bpki_bits_end(const bpki_bit_in *r) {
    return r->ok && r->end - r->at < 8 && bpki_peek_bits(r) == 0;
}

#endif
