/* t_inner.h - sketches that hold others as whole envelopes, written and found by a second hand: records of a number, a
 * length and an envelope. */
#ifndef T_INNER_H
#define T_INNER_H

#include "damage.h"

static inline void t_put64(t_bytes *b, uint64_t v) {
    uint8_t bytes[8];
    t_store64(bytes, v);
    t_sink(b, bytes, 8);
}

/* A record behind a body; `longer` is added to its length, `pad` stands before an envelope in form view. */
static inline void t_put_inner(t_bytes *body, int form, uint64_t number, const t_bytes *inner, uint64_t longer,
                               uint8_t pad) {
    t_put64(body, number);
    t_put64(body, inner->n + longer);
    while (form == BPK_FORM_VIEW && body->n % 64) t_sink(body, &pad, 1);
    t_sink(body, inner->p, inner->n);
}

/* Where the envelope of the i-th record begins; eight bytes stand before the first record. */
static inline size_t t_inner_at(const t_bytes *b, unsigned i) {
    size_t at = DAMAGE_HEADER + 8 * (size_t)b->p[OFF_PARAMS_N] + 8;
    for (;; i--) {
        size_t length = t_load64(b->p + at + 8);
        at += 16;
        if (b->p[OFF_FORM] == BPK_FORM_VIEW) at = (at + 63) / 64 * 64;
        if (i == 0) return at;
        at += length;
    }
}

/* ---- what does not belong there takes the place of what does ---- */

static inline void t_replace(t_bytes *inner, t_bytes with) {
    free(inner->p);
    *inner = with;
}
static inline void t_replace_by_hll(t_bytes *inner, int form) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, "hll", NULL, NULL, 0, NULL, NULL), BPK_OK);
    t_replace(inner, t_encode(s, (bpk_form)form));
    bpk_free(s);
}
static inline void t_replace_labelled(t_bytes *inner, int form) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_decode(&s, inner->p, inner->n, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "x", 1), BPK_OK);
    t_replace(inner, t_encode(s, (bpk_form)form));
    bpk_free(s);
}

#endif
