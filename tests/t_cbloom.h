/* t_cbloom.h - what the tests of the counting filter share: filters in one line, one item at a time. */
#ifndef T_CBLOOM_H
#define T_CBLOOM_H

#include "t.h"

static inline bpk_cbloom *cbloom_new(uint64_t items, double rate, uint8_t on_full) {
    bpk_cbloom *c = NULL;
    const bpk_cbloom_config cfg = {.items = items, .rate = rate, .on_full = on_full};
    assert_int_equal(bpk_cbloom_new(&c, &cfg, NULL), BPK_OK);
    return c;
}
static inline void cbloom_free(bpk_cbloom *c) {
    bpk_free(bpk_cbloom_base(c));
}
static inline bpk_cbloom *cbloom_copy(const bpk_cbloom *c) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)c, NULL), BPK_OK);
    return (bpk_cbloom *)s;
}
static inline bpk_status cbloom_add(bpk_cbloom *c, uint64_t hash) {
    return bpk_add(bpk_cbloom_base(c), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL);
}
static inline bool cbloom_remove(bpk_cbloom *c, uint64_t hash) {
    uint8_t removed = 2;
    assert_int_equal(bpk_remove(bpk_cbloom_base(c), &hash, 1, &removed, NULL), BPK_OK);
    assert_true(removed <= 1);
    return removed;
}
static inline bool cbloom_has(const bpk_cbloom *c, uint64_t hash) {
    uint8_t out = 2;
    bpk_cbloom_has(c, &hash, 1, &out);
    return out;
}
/* Removes items from..to-1 of a stream; returns how many were refused. */
static inline uint64_t cbloom_remove_many(bpk_cbloom *c, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t hash[1024], refused = 0;
    uint8_t removed[1024];
    while (from < to) {
        size_t n = 0;
        while (n < 1024 && from < to) hash[n++] = t_hash(stream, from++);
        assert_int_equal(bpk_remove(bpk_cbloom_base(c), hash, n, removed, NULL), BPK_OK);
        for (size_t i = 0; i < n; i++) refused += !removed[i];
    }
    return refused;
}
/* How many of items from..to-1 of a stream are in, or seem to be. */
static inline uint64_t cbloom_seen(const bpk_cbloom *c, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t hash[1024], hits = 0;
    uint8_t out[1024];
    while (from < to) {
        size_t n = 0;
        while (n < 1024 && from < to) hash[n++] = t_hash(stream, from++);
        bpk_cbloom_has(c, hash, n, out);
        for (size_t i = 0; i < n; i++) hits += out[i];
    }
    return hits;
}

#endif
