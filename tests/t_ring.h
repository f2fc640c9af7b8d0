/* t_ring.h - what the tests of rotating filters share: filters in one line, and one at a time with a time. */
#ifndef T_RING_H
#define T_RING_H

#include "t_bloom.h"

static inline bpk_bloom *ring_new(uint64_t window, double rate, uint8_t generations, uint64_t span, uint8_t seen) {
    bpk_bloom *b = NULL;
    const bpk_bloom_config cfg = {
        .items = window, .rate = rate, .generations = generations, .seen = seen, .span = span};
    assert_int_equal(bpk_bloom_new(&b, &cfg, NULL), BPK_OK);
    return b;
}
static inline bpk_bloom *ring_copy(const bpk_bloom *b) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)b, NULL), BPK_OK);
    return (bpk_bloom *)s;
}
/* Whether the item was new to the window. */
static inline bool ring_add(bpk_bloom *b, uint64_t hash, uint64_t now) {
    uint8_t changed = 2;
    assert_int_equal(bpk_add(bpk_bloom_base(b), &(bpk_items){.n = 1, .hash = &hash, .now = now}, &changed, NULL),
                     BPK_OK);
    assert_true(changed <= 1);
    return changed;
}
static inline bool ring_has(const bpk_bloom *b, uint64_t hash) {
    uint8_t out = 2;
    bpk_bloom_has(b, &hash, 1, &out);
    return out;
}

#endif
