/* t_window.h - what the tests of windows share: making them from text, items at a time, answers. */
#ifndef T_WINDOW_H
#define T_WINDOW_H

#include "damage.h"

/* From "of=hll span=60 precision=8". */
static inline bpk_status w_try(bpk_sketch **out, const char *text, const bpk_env *env, bpk_err *err) {
    static char copy[200]; /* err names an unknown parameter by the caller's own text */
    bpk_param p[16];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = 0;
        p[n++] = (bpk_param){word, value};
    }
    return bpk_new(out, "window", NULL, p, n, env, err);
}
static inline bpk_sketch *w_make(const char *text) {
    bpk_sketch *s = NULL;
    bpk_err err;
    if (w_try(&s, text, NULL, &err) != BPK_OK) fail_msg("%s: %s %s", text, err.field, err.other);
    return s;
}
static inline bpk_window *w_of(bpk_sketch *s) {
    return (bpk_window *)(void *)s;
}

/* Item i of stream 1, at a time; returns `changed`. */
static inline uint8_t w_add(bpk_sketch *s, uint64_t now, uint64_t i) {
    const uint64_t hash = t_hash(1, i);
    const void *item = &hash;
    const size_t len = sizeof hash;
    uint8_t changed = 7;
    size_t done = 9;
    const bpk_items one = {.n = 1, .hash = &hash, .item = &item, .len = &len, .now = now};
    assert_int_equal(bpk_add(s, &one, &changed, &done), BPK_OK);
    assert_int_equal(done, 1);
    return changed;
}
static inline void w_add_many(bpk_sketch *s, uint64_t now, uint64_t from, uint64_t to) {
    while (from < to) w_add(s, now, from++);
}

/* The whole; of an item. */
static inline bpk_estimate w_whole(const bpk_sketch *s) {
    bpk_estimate e;
    assert_int_equal(bpk_count(s, NULL, 0, 0, &e, NULL), BPK_OK);
    t_assert_sound(&e);
    return e;
}
static inline double w_number(const bpk_sketch *s) {
    return w_whole(s).estimate;
}
static inline bpk_estimate w_item(const bpk_sketch *s, uint64_t i) {
    bpk_estimate e;
    const uint64_t hash = t_hash(1, i);
    assert_int_equal(bpk_count(s, &hash, 1, 0, &e, NULL), BPK_OK);
    t_assert_sound(&e);
    return e;
}
static inline bool w_has(const bpk_sketch *s, uint64_t i) {
    const uint64_t hash = t_hash(1, i);
    uint8_t out = 7;
    assert_int_equal(bpk_has(s, &hash, 1, &out, NULL), BPK_OK);
    return out;
}
static inline uint64_t w_late(const bpk_sketch *s) {
    return bpk_window_late(bpk_as_window(s));
}
static inline bpk_sketch *w_copy(const bpk_sketch *s) {
    bpk_sketch *copy = NULL;
    assert_int_equal(bpk_copy(&copy, s, NULL), BPK_OK);
    return copy;
}
static inline bpk_sketch *w_reload(const bpk_sketch *s, bpk_form f) {
    bpk_sketch *back = NULL;
    t_bytes b = t_encode(s, f);
    bpk_err err;
    if (bpk_decode(&back, b.p, b.n, NULL, NULL, &err) != BPK_OK)
        fail_msg("%s, byte %zu of %zu", err.field, err.offset, b.n);
    free(b.p);
    return back;
}

/* A window of each kind, as text. */
static const char *const w_kinds[] = {
    "of=hll precision=6",
    "of=hll precision=4 window_bits=0",
    "of=theta k=32",
    "of=cms width=40 depth=3",
    "of=cms width=40 update=plain",
    "of=topk k=2 entries=18 candidates=8",
    "of=sample k=3",
    "of=sample k=2 weighted=yes groups=2",
    "of=bloom items=40",
    "of=bloom items=40 layout=classic",
    "of=cbloom items=40",
};
enum { W_KINDS = sizeof w_kinds / sizeof w_kinds[0] };

/* With a span and a number of panes, and for samples a stream. */
static inline bpk_sketch *w_kind(size_t i, unsigned span, unsigned panes, unsigned stream) {
    char text[160], more[32] = "";
    if (strstr(w_kinds[i], "sample")) snprintf(more, sizeof more, " stream=%u", stream);
    snprintf(text, sizeof text, "%s span=%u panes=%u%s", w_kinds[i], span, panes, more);
    return w_make(text);
}

/* The number i, hashed as the domain has it, with everything a batch may have: topk keeps it, samples group by it. */
static inline void w_add_full(bpk_sketch *s, uint64_t now, uint64_t i) {
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    const void *item = &i;
    const size_t len = sizeof i;
    const uint64_t hash = bpk_hash(&h, item, len), weight = 1 + i % 5, group = i % 3;
    const bpk_items one = {
        .n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight, .group = &group, .now = now};
    const bpk_status st = bpk_add(s, &one, NULL, NULL);
    assert_true(st == BPK_OK || st == BPK_E_FULL);
}

#endif
