/* hash.c - layer 1: XXH3-64 with a public seed, SipHash-1-3 with a secret key, and the domain that says which.
 *
 * The fingerprint of a key is SipHash-2-4 of a fixed text under that key: it tells keys apart and gives none away. It
 * is never 0, so that 0 can mean "not known yet" (Aumasson, Bernstein 2012 for both; docs/adr/0003 for the choice).
 */
#include "kern.h"
#include "room.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- SipHash-c-d ---- */

typedef struct sip {
    uint64_t v0, v1, v2, v3;
} sip;

static inline uint64_t rotl(uint64_t x, unsigned b) {
    return x << b | x >> (64 - b);
}

static inline void sip_round(sip *s) {
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static inline void sip_word(sip *s, uint64_t word, unsigned rounds) {
    s->v3 ^= word;
    for (unsigned i = 0; i < rounds; i++) sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t siphash(const uint64_t key[2], const void *item, size_t len, unsigned c, unsigned d) {
    sip s = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
             key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    const uint8_t *p = item;
    uint64_t last = (uint64_t)len << 56;
    for (size_t i = 0; i < len / 8; i++, p += 8) sip_word(&s, bpki_load64(p), c);
    for (size_t i = 0; i < len % 8; i++) last |= (uint64_t)p[i] << (8 * i);
    sip_word(&s, last, c);
    s.v2 ^= 0xff;
    for (unsigned i = 0; i < d; i++) sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

static uint64_t fingerprint(const uint64_t key[2]) {
    static const char text[] = "ballpark key fingerprint";
    uint64_t f = siphash(key, text, sizeof text - 1, 2, 4);
    return f ? f : 1;
}

/* ---- domains ---- */

bpk_domain bpki_domain_or_default(const bpk_domain *d) {
    if (d && d->hash) return *d;
    return (bpk_domain){.hash = BPK_HASH_XXH3, .type = d ? d->type : BPK_BYTES};
}

bool bpki_domain_valid(const bpk_domain *d, const char **field) {
    *field = "hash";
    if (d->hash != BPK_HASH_XXH3 && d->hash != BPK_HASH_SIPHASH) return false;
    *field = "secret";
    if (d->secret != (d->hash == BPK_HASH_SIPHASH)) return false;
    *field = "type";
    return d->type <= BPK_F64;
}

const char *bpki_hash_name(uint8_t id) {
    return id == BPK_HASH_SIPHASH ? "siphash-1-3" : "xxh3-64";
}

const char *bpki_type_name(uint8_t type) {
    static const char *const names[] = {"bytes", "integer", "double"};
    return names[type];
}

bpk_status bpki_domain_match(const bpk_domain *a, const bpk_domain *b, bpk_err *err) {
    char mine[17], other[17];
    if (a->hash != b->hash) return bpki_mismatch_text(err, "hash", bpki_hash_name(a->hash), bpki_hash_name(b->hash));
    if (a->type != b->type) return bpki_mismatch_text(err, "type", bpki_type_name(a->type), bpki_type_name(b->type));
    if (a->seed == b->seed) return BPK_OK;
    if (!a->secret) return bpki_mismatch(err, "seed", a->seed, b->seed);
    bpki_hexadecimal(mine, a->seed);
    bpki_hexadecimal(other, b->seed);
    return bpki_mismatch_text(err, "key fingerprint", mine, other);
}

/* ---- hashers ---- */

bpk_status bpk_hasher_init(bpk_hasher *h, const bpk_domain *want, const uint8_t key[16], bpk_err *err) {
    bpk_hasher made = {.domain = want ? *want : (bpk_domain){.hash = BPK_HASH_XXH3}};
    const char *field;
    if (!bpki_domain_valid(&made.domain, &field)) return bpki_fail(err, BPK_E_ARG, field);
    if (made.domain.secret) {
        if (!key) return bpki_fail_value(err, BPK_E_KEY, "key", "is needed");
        made.key[0] = bpki_load64(key);
        made.key[1] = bpki_load64(key + 8);
        uint64_t mine = fingerprint(made.key);
        if (made.domain.seed && made.domain.seed != mine)
            return bpki_fail_value(err, BPK_E_KEY, "key", "is another one");
        made.domain.seed = mine;
    }
    *h = made;
    return BPK_OK;
}

uint64_t bpk_hash(const bpk_hasher *h, const void *item, size_t len) {
    if (h->domain.secret) return siphash(h->key, item, len, 1, 3);
    return XXH3_64bits_withSeed(item, len, h->domain.seed);
}

uint64_t bpk_hash_i64(const bpk_hasher *h, int64_t v) {
    uint8_t bytes[8];
    bpki_store64(bytes, (uint64_t)v);
    return bpk_hash(h, bytes, sizeof bytes);
}

uint64_t bpk_hash_f64(const bpk_hasher *h, double v) {
    uint64_t bits;
    if (v != v) return bpk_hash_i64(h, INT64_C(0x7FF8000000000000));
    v += 0.0; /* -0 + 0 is 0 */
    memcpy(&bits, &v, sizeof bits);
    return bpk_hash_i64(h, (int64_t)bits);
}

void bpk_hash_many(const bpk_hasher *h, const void *const *item, const size_t *len, uint64_t *hash, size_t n) {
    if (!h->domain.secret) {
        bpki_kern()->xxh3_many(h->domain.seed, item, len, hash, n);
        return;
    }
    for (size_t i = 0; i < n; i++) hash[i] = siphash(h->key, item[i], len[i], 1, 3);
}
