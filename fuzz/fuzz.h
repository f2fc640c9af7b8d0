/* fuzz.h - what the fuzzers share: promises that end the process, memory that is counted, bytes that are compared. */
#ifndef FUZZ_H
#define FUZZ_H

#include <ballpark.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process, which every engine takes for a finding. */
#define REQUIRE(promise)                                                                                               \
    do {                                                                                                               \
        if (!(promise)) {                                                                                              \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #promise);                                      \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- memory ---- */

typedef struct fuzz_memory {
    bpk_env env;
    size_t held;
} fuzz_memory;

static inline void *fuzz_alloc(void *ctx, size_t n) {
    fuzz_memory *m = ctx;
    REQUIRE(n > 0 && n <= m->env.max_bytes);
    m->held += n;
    return malloc(n);
}
static inline void fuzz_release(void *ctx, void *p, size_t n) {
    fuzz_memory *m = ctx;
    REQUIRE(n <= m->held);
    m->held -= n;
    free(p);
}
static inline void *fuzz_resize(void *ctx, void *p, size_t old_n, size_t n) {
    fuzz_memory *m = ctx;
    REQUIRE(n > 0 && n <= m->env.max_bytes && old_n <= m->held);
    m->held += n - old_n;
    return realloc(p, n);
}
static inline void fuzz_memory_init(fuzz_memory *m, uint64_t max_bytes) {
    m->env = (bpk_env){fuzz_alloc, fuzz_resize, fuzz_release, m, max_bytes};
    m->held = 0;
}

/* ---- bytes ---- */

typedef struct fuzz_bytes {
    uint8_t *p;
    size_t n, cap;
} fuzz_bytes;

static inline bpk_status fuzz_sink(void *ctx, const void *bytes, size_t n) {
    fuzz_bytes *b = ctx;
    REQUIRE(n <= b->cap - b->n); /* no more than bpk_encoded_size() has said */
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return BPK_OK;
}
/* In an allocation of the exact size. */
static inline fuzz_bytes fuzz_encode(const bpk_sketch *s, bpk_form f) {
    fuzz_bytes b = {NULL, 0, bpk_encoded_size(s, f)};
    b.p = malloc(b.cap);
    REQUIRE(b.p);
    REQUIRE(bpk_encode(s, f, fuzz_sink, &b) == BPK_OK);
    REQUIRE(b.n == b.cap);
    return b;
}
static inline void fuzz_require_encodes_to(const bpk_sketch *s, bpk_form f, const uint8_t *p, size_t n) {
    fuzz_bytes b = fuzz_encode(s, f);
    REQUIRE(b.n == n && memcmp(b.p, p, n) == 0);
    free(b.p);
}
static inline void fuzz_require_same(const bpk_sketch *a, const bpk_sketch *b) {
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        fuzz_bytes x = fuzz_encode(a, (bpk_form)f);
        fuzz_require_encodes_to(b, (bpk_form)f, x.p, x.n);
        free(x.p);
    }
}

/* ---- answers ---- */

static inline void fuzz_require_number(const bpk_estimate *e) {
    REQUIRE(isfinite(e->estimate) && isfinite(e->lower) && isfinite(e->upper));
    REQUIRE(e->lower <= e->estimate && e->estimate <= e->upper);
}
static inline void fuzz_require_estimate(const bpk_estimate *e) {
    fuzz_require_number(e);
    REQUIRE(e->lower >= 0);
}
static inline bool fuzz_field(void *ctx, const bpk_field *f) {
    size_t *fields = ctx;
    REQUIRE(f->name && f->name[0]);
    if (!f->text) fuzz_require_number(&f->num);
    if (!f->text && f->unit != BPK_UNIT_NONE) fuzz_require_estimate(&f->num);
    ++*fields;
    return true;
}
/* An error that says what it is, in a sentence that ends. */
static inline void fuzz_require_error(bpk_status st, const bpk_err *err) {
    char text[200];
    REQUIRE(st != BPK_OK && err->code == st);
    REQUIRE(memchr(err->mine, 0, sizeof err->mine) && memchr(err->other, 0, sizeof err->other));
    size_t n = bpk_explain(err, text, sizeof text);
    REQUIRE(n > 0 && strlen(text) == (n < sizeof text ? n : sizeof text - 1));
}

static inline uint64_t fuzz_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

#endif
