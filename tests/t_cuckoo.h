/* t_cuckoo.h - what the tests of the cuckoo room share: tables in one line, one item, a stream's items. */
#ifndef T_CUCKOO_H
#define T_CUCKOO_H

#include "damage.h"

static inline bpk_cuckoo *t_cuckoo_of(bpk_cuckoo_config cfg) {
    bpk_cuckoo *c = NULL;
    assert_int_equal(bpk_cuckoo_new(&c, &cfg, NULL), BPK_OK);
    return c;
}
static inline bpk_cuckoo *t_cuckoo(uint64_t items, uint8_t bits) {
    return t_cuckoo_of((bpk_cuckoo_config){.items = items, .fingerprint_bits = bits});
}
/* Of so many buckets, planned for one item. */
static inline bpk_cuckoo *t_cuckoo_buckets(uint64_t base, uint8_t level, uint8_t bits) {
    return t_cuckoo_of((bpk_cuckoo_config){.items = 1, .base = base, .fingerprint_bits = bits, .level = level});
}
static inline void t_cuckoo_free(bpk_cuckoo *c) {
    bpk_free(bpk_cuckoo_base(c));
}

static inline bool t_cuckoo_has(const bpk_cuckoo *c, uint64_t hash) {
    uint8_t out;
    bpk_cuckoo_has(c, &hash, 1, &out);
    return out;
}
static inline bpk_status t_cuckoo_add(bpk_cuckoo *c, uint64_t hash) {
    return bpk_cuckoo_add(c, &hash, 1, NULL, NULL);
}
static inline bool t_cuckoo_remove(bpk_cuckoo *c, uint64_t hash) {
    uint8_t removed = 2;
    assert_int_equal(bpk_remove(bpk_cuckoo_base(c), &hash, 1, &removed, NULL), BPK_OK);
    assert_true(removed <= 1);
    return removed;
}

/* Adds items of a stream until one is refused, which is the next; returns how many are in. */
static inline uint64_t t_cuckoo_fill(bpk_cuckoo *c, uint64_t stream) {
    uint64_t n = 0;
    while (t_cuckoo_add(c, t_hash(stream, n)) == BPK_OK) n++;
    return n;
}
/* How many of items from..to-1 of a stream are reported as seen. */
static inline uint64_t t_cuckoo_seen(const bpk_cuckoo *c, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t hash[1024], hits = 0;
    uint8_t out[1024];
    while (from < to) {
        size_t some = 0;
        while (some < 1024 && from < to) hash[some++] = t_hash(stream, from++);
        bpk_cuckoo_has(c, hash, some, out);
        for (size_t j = 0; j < some; j++) hits += out[j];
    }
    return hits;
}

#endif
