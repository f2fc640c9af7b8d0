/* t_bloom.h - what the tests of the bloom room share: filters in one line, their size, and the fields of bpk_info(). */
#ifndef T_BLOOM_H
#define T_BLOOM_H

#include "t.h"

static inline bpk_bloom *bloom_new(uint64_t items, double rate, uint8_t layout, uint8_t on_full) {
    bpk_bloom *b = NULL;
    bpk_bloom_config c = {.items = items, .rate = rate, .layout = layout, .on_full = on_full};
    assert_int_equal(bpk_bloom_new(&b, &c, NULL), BPK_OK);
    return b;
}
static inline void bloom_free(bpk_bloom *b) {
    bpk_free(bpk_bloom_base(b));
}
static inline void bloom_add(bpk_bloom *b, uint64_t stream, uint64_t from, uint64_t to) {
    t_add(bpk_bloom_base(b), stream, from, to);
}
/* How many of n items of a stream the filter has seen. */
static inline uint64_t bloom_seen(const bpk_bloom *b, uint64_t stream, uint64_t n) {
    uint64_t hash[1024], hits = 0;
    uint8_t out[1024];
    for (uint64_t i = 0; i < n;) {
        size_t some = 0;
        while (some < 1024 && i < n) hash[some++] = t_hash(stream, i++);
        bpk_bloom_has(b, hash, some, out);
        for (size_t j = 0; j < some; j++) hits += out[j];
    }
    return hits;
}
static inline double bloom_bits_per_item(uint64_t items, double rate, uint8_t layout) {
    bpk_bloom_config c = {.items = items, .rate = rate, .layout = layout};
    return (double)bpk_bloom_bits(&c) / (double)items;
}

typedef struct bloom_field {
    const char *name;
    char text[24];
    double number;
    bool found;
} bloom_field;

static inline bool bloom_look(void *ctx, const bpk_field *f) {
    bloom_field *w = ctx;
    if (strcmp(f->name, w->name) != 0) return true;
    w->found = true;
    w->number = f->num.estimate;
    if (f->text) snprintf(w->text, sizeof w->text, "%s", f->text);
    return false;
}
/* The field of that name, which must be there. */
static inline bloom_field bloom_info(const bpk_bloom *b, const char *name) {
    bloom_field w = {.name = name};
    bpk_info((const bpk_sketch *)b, bloom_look, &w);
    assert_true(w.found);
    return w;
}
static inline double bloom_number(const bpk_bloom *b, const char *name) {
    return bloom_info(b, name).number;
}

#endif
