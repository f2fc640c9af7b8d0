/* sip.h - layer 1: SipHash-c-d (Aumasson, Bernstein 2012), for hashes under a key, fingerprints and draws. */
#ifndef BPKI_SIP_H
#define BPKI_SIP_H

#include "core.h"

typedef struct bpki_sip {
    uint64_t v0, v1, v2, v3;
} bpki_sip;

static inline uint64_t bpki_rotl(uint64_t x, unsigned b) {
    return x << b | x >> (64 - b);
}

static inline void bpki_sip_round(bpki_sip *s) {
    s->v0 += s->v1;
    s->v1 = bpki_rotl(s->v1, 13) ^ s->v0;
    s->v0 = bpki_rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = bpki_rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = bpki_rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = bpki_rotl(s->v1, 17) ^ s->v2;
    s->v2 = bpki_rotl(s->v2, 32);
}

static inline void bpki_sip_word(bpki_sip *s, uint64_t word, unsigned rounds) {
    s->v3 ^= word;
    for (unsigned i = 0; i < rounds; i++) bpki_sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t bpki_siphash(const uint64_t key[2], const void *item, size_t len, unsigned c, unsigned d) {
    bpki_sip s = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                  key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    const uint8_t *p = item;
    uint64_t last = (uint64_t)len << 56;
    for (size_t i = 0; i < len / 8; i++, p += 8) bpki_sip_word(&s, bpki_load64(p), c);
    for (size_t i = 0; i < len % 8; i++) last |= (uint64_t)p[i] << (8 * i);
    bpki_sip_word(&s, last, c);
    s.v2 ^= 0xff;
    for (unsigned i = 0; i < d; i++) bpki_sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#endif
