/* t_grow.h - what the tests of chains share: chains in one line, their layers, and the fields of bpk_info(). */
#ifndef T_GROW_H
#define T_GROW_H

#include "t.h"

static inline bpk_grow_config grow_config(uint64_t items, double rate, uint8_t on_full) {
    return (bpk_grow_config){.layers = BPK_KIND_BLOOM, .items = items, .rate = rate, .on_full = on_full};
}
static inline bpk_grow *grow_in(const bpk_grow_config *c, const bpk_env *env) {
    bpk_grow *g = NULL;
    assert_int_equal(bpk_grow_new(&g, c, env), BPK_OK);
    return g;
}
static inline bpk_grow *grow_new(uint64_t items, double rate, uint8_t on_full) {
    const bpk_grow_config c = grow_config(items, rate, on_full);
    return grow_in(&c, NULL);
}
static inline void grow_free(bpk_grow *g) {
    bpk_free(bpk_grow_base(g));
}
static inline void grow_add(bpk_grow *g, uint64_t stream, uint64_t from, uint64_t to) {
    t_add(bpk_grow_base(g), stream, from, to);
}
static inline size_t grow_layers(const bpk_grow *g) {
    size_t n = 0;
    while (bpk_grow_layer(g, n)) n++;
    return n;
}
/* How many of the items from..to-1 of a stream are seen. */
static inline uint64_t grow_seen(const bpk_grow *g, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t hash[1024], hits = 0;
    uint8_t out[1024];
    while (from < to) {
        size_t some = 0;
        while (some < 1024 && from < to) hash[some++] = t_hash(stream, from++);
        bpk_grow_has(g, hash, some, out);
        for (size_t j = 0; j < some; j++) hits += out[j];
    }
    return hits;
}

typedef struct grow_field {
    const char *name;
    char text[48];
    bpk_estimate num;
    bool found;
} grow_field;

static inline bool grow_look(void *ctx, const bpk_field *f) {
    grow_field *w = ctx;
    if (strcmp(f->name, w->name) != 0) return true;
    w->found = true;
    w->num = f->num;
    if (f->text) snprintf(w->text, sizeof w->text, "%s", f->text);
    return false;
}
static inline grow_field grow_info(const bpk_sketch *s, const char *name) {
    grow_field w = {.name = name};
    bpk_info(s, grow_look, &w);
    assert_true(w.found);
    return w;
}
static inline double grow_number(const bpk_sketch *s, const char *name) {
    return grow_info(s, name).num.estimate;
}

#endif
