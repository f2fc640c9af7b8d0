/* t.h - what several tests share: an environment that counts and fails, growing buffers, items without end. */
#ifndef T_H
#define T_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <ballpark.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory that is counted, and that fails on demand ---- */

typedef struct t_env {
    bpk_env env;      /* to pass on; env.ctx points back */
    long calls;       /* allocations so far */
    long fail_at;     /* the one that fails, from 1; 0 for none */
    bool fail_sticky; /* and all after it */
    size_t held;      /* bytes that are not yet released */
} t_env;

static inline bool t_env_fails(t_env *t) {
    t->calls++;
    return t->fail_at && (t->fail_sticky ? t->calls >= t->fail_at : t->calls == t->fail_at);
}
static inline void *t_env_alloc(void *ctx, size_t n) {
    t_env *t = ctx;
    if (t_env_fails(t)) return NULL;
    t->held += n;
    return malloc(n);
}
static inline void t_env_release(void *ctx, void *p, size_t n) {
    t_env *t = ctx;
    assert_true(t->held >= n);
    t->held -= n;
    free(p);
}
static inline void *t_env_resize(void *ctx, void *p, size_t old_n, size_t n) {
    t_env *t = ctx;
    if (t_env_fails(t)) return NULL;
    t->held += n - old_n;
    return realloc(p, n);
}
/* To be initialised in place: the environment points at the variable. */
static inline void t_env_init(t_env *t, long fail_at) {
    memset(t, 0, sizeof *t);
    t->env = (bpk_env){t_env_alloc, t_env_resize, t_env_release, t, UINT64_C(1) << 32};
    t->fail_at = fail_at;
}

/* ---- bytes ---- */

typedef struct t_bytes {
    uint8_t *p;
    size_t n;
} t_bytes;

static inline bpk_status t_sink(void *ctx, const void *bytes, size_t n) {
    t_bytes *b = ctx;
    b->p = realloc(b->p, b->n + n + 1);
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return BPK_OK;
}
static inline t_bytes t_encode(const bpk_sketch *s, bpk_form f) {
    t_bytes b = {NULL, 0};
    assert_int_equal(bpk_encode(s, f, t_sink, &b), BPK_OK);
    assert_int_equal(b.n, bpk_encoded_size(s, f));
    return b;
}
static inline void t_assert_same_bytes(const bpk_sketch *a, const bpk_sketch *b) {
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        t_bytes x = t_encode(a, (bpk_form)f), y = t_encode(b, (bpk_form)f);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.p, y.p, x.n);
        free(x.p);
        free(y.p);
    }
}

/* ---- long runs: FULL=1 before the command ---- */

static inline bool t_is_full(void) {
    const char *full = getenv("FULL");
    return full && *full;
}

/* ---- items: the i-th hash of a stream; streams do not overlap but by chance ---- */

static inline uint64_t t_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}
static inline uint64_t t_hash(uint64_t stream, uint64_t i) {
    return t_mix(t_mix(stream * UINT64_C(0x9E3779B97F4A7C15) + 1) + i * UINT64_C(0x9E3779B97F4A7C15));
}
/* Adds items from..to-1 of a stream; fails the test when an add fails. */
static inline void t_add(bpk_sketch *s, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t hash[1024];
    while (from < to) {
        bpk_items it = {.n = 0, .hash = hash};
        while (it.n < 1024 && from < to) hash[it.n++] = t_hash(stream, from++);
        assert_int_equal(bpk_add(s, &it, NULL, NULL), BPK_OK);
    }
}

#endif
