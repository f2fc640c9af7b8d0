/* hash.c - layer 1: XXH3-64 with a public seed, SipHash-1-3 with a secret key, and the domain that says which.
 *
 * The fingerprint of a key is SipHash-2-4 of a fixed text under that key: it tells keys apart and gives none away. It
 * is never 0, so that 0 can mean "not known yet" (Aumasson, Bernstein 2012 for both; docs/adr/0003 for the choice).
 */
#include "kern.h"
#include "room.h"
#include "sip.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t fingerprint(const uint64_t key[2]) {
    static const char text[] = "ballpark key fingerprint";
    uint64_t f = bpki_siphash(key, text, sizeof text - 1, 2, 4);
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
    if (h->domain.secret) return bpki_siphash(h->key, item, len, 1, 3);
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
    for (size_t i = 0; i < n; i++) hash[i] = bpki_siphash(h->key, item[i], len[i], 1, 3);
}
