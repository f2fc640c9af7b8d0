/* damage.h - bytes changed on purpose: files, checksums made right again, and what a decoder owes to damaged bytes. */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <math.h>

#include "t.h"

enum {
    DAMAGE_HEADER = 32,
    DAMAGE_CHECKSUM = 8,
    OFF_VERSION = 8,
    OFF_KIND = 9,
    OFF_FORM = 10,
    OFF_FLAGS = 11,
    OFF_HASH = 12,
    OFF_SECRET = 13,
    OFF_TYPE = 14,
    OFF_PARAMS_N = 15,
    OFF_SEED = 16,
    OFF_BODY_N = 24
};

static inline uint64_t t_load64(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}
static inline void t_store64(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

/* Makes the checksum right for whatever is before it: the last eight bytes are XXH3-64, seed 0, of the others. */
static inline void t_reseal(uint8_t *p, size_t n) {
    bpk_hasher h;
    if (n < DAMAGE_CHECKSUM) return;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    t_store64(p + n - DAMAGE_CHECKSUM, bpk_hash(&h, p, n - DAMAGE_CHECKSUM));
}

/* An envelope by hand: XXH3 with seed 0, bytes, no metadata. Parameters are padded as the form has them. */
static inline t_bytes t_envelope(bpk_kind kind, int form, const uint8_t *params, size_t params_n, const uint8_t *body,
                                 size_t body_n) {
    size_t at = DAMAGE_HEADER + params_n;
    if (form == BPK_FORM_VIEW) at = (at + 63) / 64 * 64;
    t_bytes b = {calloc(at + body_n + DAMAGE_CHECKSUM, 1), at + body_n + DAMAGE_CHECKSUM};
    static const uint8_t magic[9] = {0x89, 'B', 'P', 'K', '\r', '\n', 0x1A, '\n', 1};
    memcpy(b.p, magic, sizeof magic);
    b.p[OFF_KIND] = (uint8_t)kind;
    b.p[OFF_FORM] = (uint8_t)form;
    b.p[OFF_HASH] = BPK_HASH_XXH3;
    b.p[OFF_PARAMS_N] = (uint8_t)((at - DAMAGE_HEADER) / 8);
    t_store64(b.p + OFF_BODY_N, body_n);
    memcpy(b.p + DAMAGE_HEADER, params, params_n);
    if (body_n) memcpy(b.p + at, body, body_n);
    t_reseal(b.p, b.n);
    return b;
}

/* A file as a whole; p is NULL where there is none. The buffer has n bytes, so that a sanitizer sees a read too far. */
static inline t_bytes t_read_file(const char *path) {
    t_bytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    if (!f) return b;
    fseek(f, 0, SEEK_END);
    b.n = (size_t)ftell(f);
    rewind(f);
    b.p = malloc(b.n ? b.n : 1);
    if (fread(b.p, 1, b.n, f) != b.n) abort();
    fclose(f);
    return b;
}

static inline t_bytes t_dup(const t_bytes *from) {
    t_bytes b = {malloc(from->n ? from->n : 1), from->n};
    memcpy(b.p, from->p, from->n);
    return b;
}

/* Form small with the body of form view, which takes no packing: what a writer makes only where packing gains
 * nothing. */
static inline t_bytes t_encode_raw(const bpk_sketch *s) {
    t_bytes small = t_encode(s, BPK_FORM_SMALL), b = t_encode(s, BPK_FORM_VIEW);
    size_t head = DAMAGE_HEADER + (size_t)8 * small.p[OFF_PARAMS_N],
           skip = DAMAGE_HEADER + (size_t)8 * b.p[OFF_PARAMS_N] - head;
    memmove(b.p + head, b.p + head + skip, b.n - head - skip);
    b.n -= skip;
    b.p[OFF_FORM] = BPK_FORM_SMALL;
    b.p[OFF_PARAMS_N] = small.p[OFF_PARAMS_N];
    t_reseal(b.p, b.n);
    free(small.p);
    return b;
}

/* Neither decoded nor viewed, and nothing is kept or left in `out`. */
static inline void t_assert_refused(const uint8_t *p, size_t n) {
    t_env env;
    bpk_sketch *out = NULL;
    bpk_view v;
    bpk_err err = {.code = BPK_OK};
    t_env_init(&env, 0);
    bpk_status st = bpk_decode(&out, p, n, NULL, &env.env, &err);
    assert_int_not_equal(st, BPK_OK);
    assert_int_equal(err.code, st);
    assert_true(err.offset <= n);
    assert_null(out);
    assert_int_equal(env.held, 0);
    assert_null(bpk_view_open(&v, p, n, &err));
    assert_int_not_equal(err.code, BPK_OK);
}

/* Every bit flipped alone, and every cut. */
static inline void t_assert_damage_refused(t_bytes b) {
    for (size_t bit = 0; bit < 8 * b.n; bit++) {
        b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        t_assert_refused(b.p, b.n);
        b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t n = 0; n < b.n; n++) t_assert_refused(b.p, n);
}

/* Whether an answer is one: finite, ordered, not negative. */
static inline void t_assert_sound(const bpk_estimate *e) {
    assert_true(isfinite(e->estimate) && isfinite(e->lower) && isfinite(e->upper));
    assert_true(e->lower >= 0 && e->lower <= e->estimate && e->estimate <= e->upper);
    assert_true(e->confidence > 0 && e->confidence <= 1);
}

static inline void t_assert_encodes_to(const bpk_sketch *s, bpk_form f, const uint8_t *p, size_t n) {
    t_bytes b = t_encode(s, f);
    assert_int_equal(b.n, n);
    assert_memory_equal(b.p, p, n);
    free(b.p);
}

/* Bytes whose checksum is right: refused for a reason, or a sketch whose encoding in that form is these bytes, also
 * when looked at in place. Returns whether it was accepted. */
static inline bool t_refused_or_canonical(const uint8_t *p, size_t n) {
    t_env env;
    bpk_sketch *s = NULL;
    bpk_view v;
    bpk_err err = {.code = BPK_OK};
    bpk_estimate e;
    t_env_init(&env, 0);
    env.env.max_bytes = 1 << 20;
    bpk_status st = bpk_decode(&s, p, n, NULL, &env.env, &err);
    const bpk_sketch *seen = bpk_view_open(&v, p, n, NULL);
    if (st != BPK_OK) {
        assert_int_equal(err.code, st);
        assert_int_equal(env.held, 0);
        assert_true(!seen || st == BPK_E_LIMIT);
        return false;
    }
    t_assert_encodes_to(s, (bpk_form)p[OFF_FORM], p, n);
    bool viewed = p[OFF_KIND] != BPK_KIND_SAMPLE && p[OFF_KIND] != BPK_KIND_GROW && p[OFF_KIND] != BPK_KIND_WINDOW;
    assert_int_equal(seen != NULL, p[OFF_FORM] == BPK_FORM_VIEW && viewed);
    if (seen) t_assert_encodes_to(seen, BPK_FORM_VIEW, p, n);
    st = bpk_count(s, NULL, 0, 0, &e, NULL);
    assert_int_equal(st, p[OFF_KIND] == BPK_KIND_LIMIT ? BPK_E_UNSUPPORTED : BPK_OK);
    if (st == BPK_OK) t_assert_sound(&e);
    static unsigned accepted;
    if (accepted++ % 16 == 0) bpk_health(s, NULL, NULL); /* of a cms it takes longer than all the rest */
    bpk_free(s);
    assert_int_equal(env.held, 0);
    return true;
}

/* LEB128, as packed counters are written. */
static inline void t_put_varint(t_bytes *b, uint64_t v) {
    uint8_t byte[10];
    size_t n = 0;
    for (; v >= 128; v /= 128) byte[n++] = (uint8_t)(128 + v % 128);
    byte[n++] = (uint8_t)v;
    t_sink(b, byte, n);
}

/* Few bytes for much memory: refused under one limit before any of it is asked for, and under another one a sketch
 * whose encoding is these bytes. */
static inline void t_limit_refused_then_granted(const t_bytes *b, uint64_t too_little, uint64_t enough) {
    t_env env;
    bpk_err err;
    bpk_sketch *s = NULL;
    t_env_init(&env, 0);
    env.env.max_bytes = too_little;
    assert_int_equal(bpk_decode(&s, b->p, b->n, NULL, &env.env, &err), BPK_E_LIMIT);
    assert_int_equal(err.code, BPK_E_LIMIT);
    assert_true(env.calls <= 1); /* the object, never what it holds */
    assert_int_equal(env.held, 0);
    assert_null(s);
    env.env.max_bytes = enough;
    assert_int_equal(bpk_decode(&s, b->p, b->n, NULL, &env.env, &err), BPK_OK);
    t_assert_encodes_to(s, (bpk_form)b->p[OFF_FORM], b->p, b->n);
    bpk_free(s);
    assert_int_equal(env.held, 0);
}

/* Decodes with each allocation failing in turn: nothing is left, and encoding what came out takes no memory. */
static inline void t_decode_without_memory(const t_bytes *b) {
    for (long nth = 1;; nth++) {
        t_env env;
        bpk_sketch *out = NULL;
        t_env_init(&env, nth);
        bpk_status st = bpk_decode(&out, b->p, b->n, NULL, &env.env, NULL);
        if (st == BPK_OK) {
            long calls = env.calls;
            free(t_encode(out, BPK_FORM_SMALL).p);
            assert_int_equal(env.calls, calls);
            bpk_free(out);
        }
        assert_int_equal(env.held, 0);
        if (st == BPK_OK) return;
        assert_int_equal(st, BPK_E_NOMEM);
        assert_null(out);
        assert_true(nth < 4);
    }
}

#endif
