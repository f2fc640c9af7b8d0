/* t_theta_bytes.h - what the tests of the theta room share: sketches in one line, their bytes written a second time. */
#ifndef T_THETA_BYTES_H
#define T_THETA_BYTES_H

#include "damage.h"

#define T_THETA_ONE (UINT64_C(1) << 52)
enum { AT_K = 32, AT_RESERVED = 36, AT_THETA = 40, AT_COUNT = 48, AT_STREAM = 52, AT_VALUES = 64 };

static inline bpk_theta *theta_new(uint32_t k) {
    bpk_theta *t = NULL;
    assert_int_equal(bpk_theta_new(&t, &(bpk_theta_config){.k = k}, NULL), BPK_OK);
    return t;
}
static inline bpk_theta *theta_of(uint32_t k, uint64_t from, uint64_t to) {
    bpk_theta *t = theta_new(k);
    t_add(bpk_theta_base(t), 1, from, to);
    return t;
}
static inline void drop(bpk_theta *t) {
    bpk_free(bpk_theta_base(t));
}
static inline bpk_theta *op_of(bpk_theta_set op, const bpk_theta *a, const bpk_theta *b) {
    bpk_theta *out = NULL;
    assert_int_equal(bpk_theta_op(&out, op, (const bpk_theta *const[]){a, b}, 2, NULL, NULL), BPK_OK);
    return out;
}

/* ---- bytes, from docs/format.md: a bit at a time ---- */

typedef struct theta_bits {
    t_bytes b;
    size_t at; /* bits */
} theta_bits;
static inline void theta_put(theta_bits *w, uint64_t v, uint64_t n) {
    for (uint64_t i = 0; i < n; i++, w->at++) {
        if (w->at % 8 == 0) t_sink(&w->b, "", 1);
        w->b.p[w->at / 8] |= (uint8_t)((i < 64 ? v >> i & 1 : 0) << w->at % 8);
    }
}
/* floor(log2(floor(theta / count))) */
static inline unsigned theta_rice(uint64_t theta, uint64_t count) {
    unsigned b = 0;
    for (uint64_t mean = theta / count; mean > 1; mean /= 2) b++;
    return b;
}
static inline void theta_put_gap(theta_bits *w, uint64_t gap, unsigned b) {
    theta_put(w, 0, gap >> b);
    theta_put(w, 1, 1);
    theta_put(w, gap & ((UINT64_C(1) << b) - 1), b);
}

/* With a body by hand. */
static inline t_bytes theta_envelope(int form, uint32_t k, uint64_t theta, const void *body, size_t n) {
    uint8_t params[16] = {0};
    t_store64(params, k);
    t_store64(params + 8, theta);
    return t_envelope(BPK_KIND_THETA, form, params, sizeof params, body, n);
}
/* Of n ascending values below theta. */
static inline t_bytes theta_written(int form, uint32_t k, uint64_t theta, const uint64_t *value, uint32_t n) {
    theta_bits w = {{NULL, 0}, 0};
    if (form == BPK_FORM_VIEW)
        for (uint32_t i = 0; i < n; i++) theta_put(&w, value[i], 64);
    else theta_put(&w, n, 32);
    if (form == BPK_FORM_SMALL)
        for (uint32_t i = 0; i < n; i++) theta_put_gap(&w, value[i] - (i ? value[i - 1] + 1 : 0), theta_rice(theta, n));
    t_bytes b = theta_envelope(form, k, theta, w.b.p, w.b.n);
    free(w.b.p);
    return b;
}
static inline bpk_theta *theta_read(const t_bytes *b) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_decode(&s, b->p, b->n, NULL, NULL, NULL), BPK_OK);
    return (bpk_theta *)(void *)s;
}
static inline void t_assert_written(const bpk_theta *t, int form, uint64_t theta, const uint64_t *value, uint32_t n) {
    t_bytes want = theta_written(form, bpk_theta_k(t), theta, value, n);
    t_assert_encodes_to((const bpk_sketch *)t, (bpk_form)form, want.p, want.n);
    free(want.p);
}

/* ---- hashes that are hard on tables, sorts and selections, below which lie 12 bits that no value has ---- */

enum { THETA_STYLES = 9 };
static inline uint64_t theta_hash(unsigned style, uint64_t stream, uint64_t i) {
    uint64_t x = t_hash(stream, i), low = x & 4095;
    switch (style) {
    case 1: return (UINT64_C(0x5a5a5a5a) << 20 | (x >> 20 & 0xfffff)) << 12 | low; /* all above bit 32 alike */
    case 2: return i << 12 | low;                                                  /* consecutive from 0 */
    case 3: return UINT64_MAX - (i << 12 | low);                                   /* and from 2^52 - 1 down */
    case 4: return ((UINT64_C(1) << i % 52) + i / 52 % 5 - 2) << 12 | low;         /* about powers of two */
    case 5: return i % 7 ? x : i % 14 ? low : UINT64_MAX - low;                    /* 0 and 2^52 - 1 among others */
    case 6: return (i << 30 | UINT64_C(0x12345)) << 12 | low;                      /* far apart by the same step */
    case 7: return x >> (x & 31);                                                  /* more of the small ones */
    case 8: return t_hash(stream, i % 50) >> 12 << 12 | low;                       /* few different ones */
    default: return x;
    }
}

#endif
