/* cuckoo_state.h - inside the cuckoo room: the table, and the small steps that its files share.
 *
 * A bucket is a number of 4 x `width` bits, 8 or 6 bytes: four fingerprints in ascending order, the lowest in the low
 * bits, with a 0 for each that is not there. A free place shows in the low bits alone, and a bucket has one form for
 * what is in it.
 *
 *     fingerprint v of hash h     1 + floor((h mod 2^32) (2^width - 1) / 2^32)
 *     its bucket                  i = mulhi(h, base 2^level) = a 2^level + s, with a below base
 *     the other one               ((m - a) mod base) 2^level + (s xor t), with x = mix(v), m = mulhi(x, base), made odd
 *                                 where base is even, t = the upper `level` bits of the lower half of x
 *
 * The other one of the other one is the first. Where base is even, a and m - a are never the same; where it is odd, one
 * in base is its own other one. A level less drops the last bit of s and of t: whatever is equal on one level is equal
 * on all below it.
 */
#ifndef BPKI_CUCKOO_STATE_H
#define BPKI_CUCKOO_STATE_H

#include <ballpark/cuckoo.h>

#include "room.h"

enum { CUCKOO_SLOTS = 4 };
#define CUCKOO_BUCKETS_MAX (UINT64_C(1) << 32) /* the lower half of a hash is the fingerprint's */

typedef struct cuckoo_plan {
    uint64_t items, base, buckets; /* buckets = base << level */
    uint8_t width, level;
} cuckoo_plan;

struct bpk_cuckoo {
    bpk_sketch base;
    cuckoo_plan plan;
    const uint8_t *table;
    uint8_t *own; /* the same bytes, or NULL in a view */
    uint64_t n;   /* fingerprints in the table */
    uint64_t suspects;
};

/* ---- buckets ---- */

static inline uint64_t cuckoo_low(unsigned width) {
    return (UINT64_C(1) << width) - 1;
}
static inline size_t cuckoo_bucket_bytes(unsigned width) {
    return width / 2;
}
static inline size_t cuckoo_bytes(const cuckoo_plan *p) {
    return (size_t)p->buckets * cuckoo_bucket_bytes(p->width);
}

static inline const uint8_t *cuckoo_at(const uint8_t *table, uint64_t i, unsigned width) {
    return table + (size_t)i * cuckoo_bucket_bytes(width);
}
static inline uint64_t cuckoo_load(const uint8_t *table, uint64_t i, unsigned width) {
    const uint8_t *at = cuckoo_at(table, i, width);
    return width == 16 ? bpki_load64(at) : bpki_load32(at) | (uint64_t)bpki_load16(at + 4) << 32;
}
static inline void cuckoo_store(uint8_t *table, uint64_t i, unsigned width, uint64_t bucket) {
    uint8_t *at = table + (size_t)i * cuckoo_bucket_bytes(width);
    if (width == 16) {
        bpki_store64(at, bucket);
        return;
    }
    bpki_store32(at, (uint32_t)bucket);
    bpki_store16(at + 4, (uint16_t)(bucket >> 32));
}

static inline uint64_t cuckoo_slot(uint64_t bucket, unsigned slot, unsigned width) {
    return bucket >> slot * width & cuckoo_low(width);
}
static inline bool cuckoo_bucket_full(uint64_t bucket, unsigned width) {
    return (bucket & cuckoo_low(width)) != 0;
}

/* The other bucket of a fingerprint. */
static inline uint64_t cuckoo_other(const cuckoo_plan *p, uint64_t fp, uint64_t bucket) {
    uint64_t x = bpki_mix(fp), a = bucket >> p->level, sum = bpki_mulhi(x, p->base) | (~p->base & 1);
    uint64_t b = sum < a ? sum + p->base - a : sum - a;
    if (p->level == 0) return b; /* most tables, and shifts would drop all 64 bits */
    uint64_t flip = x << 32 >> (64 - p->level);
    return b << p->level | ((bucket ^ flip) & ((UINT64_C(1) << p->level) - 1));
}

/* cuckoo_plan.c */
/* The field of a configuration that is out of range, or NULL. */
const char *bpki_cuckoo_fault(const bpk_cuckoo_config *cfg);
cuckoo_plan bpki_cuckoo_plan(const bpk_cuckoo_config *cfg);
double bpki_cuckoo_rate_at(const cuckoo_plan *p, double items);

/* cuckoo.c */
extern const bpki_ops bpki_cuckoo_ops;
bpk_status bpki_cuckoo_make(bpk_cuckoo **out, const bpk_domain *d, const cuckoo_plan *plan, const bpk_env *env);

/* cuckoo_walk.c */
void bpki_cuckoo_put(bpk_cuckoo *c, uint64_t at, uint64_t fp);  /* into a bucket that is not full */
bool bpki_cuckoo_take(bpk_cuckoo *c, uint64_t at, uint64_t fp); /* a copy out of a bucket; false: there is none */
/* Puts fp into one of its two buckets, which are both full, by moving others; false, with nothing changed, where there
 * is no room. */
bool bpki_cuckoo_make_room(bpk_cuckoo *c, const uint64_t at[2], uint64_t fp);

/* cuckoo_wire.c */
uint64_t bpki_cuckoo_body_size(const bpk_sketch *s, bpk_form f);
void bpki_cuckoo_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_cuckoo_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_cuckoo_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_cuckoo_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
