/* filters.h - what must hold of filters, whatever they hold: what is removed from a counting one, and a rotating one
 * whose time moves on. Both return what is left, or NULL for other kinds and over the limit.
 */
#ifndef FUZZ_FILTERS_H
#define FUZZ_FILTERS_H

#include "fuzz.h"

enum { FILTERS_MOST = 128 };

static inline bool filters_rotates(const bpk_sketch *s) {
    return bpk_as_bloom(s) && !bpk_splittable(s);
}

/* Removing what was added gives the filter from before, unless a counter was at its end; what is refused changes
 * nothing, and limits are those of the counters. */
static inline bpk_sketch *filters_remove(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *base = NULL;
    uint8_t removed[FILTERS_MOST], there[FILTERS_MOST];
    bpk_estimate e[FILTERS_MOST];
    size_t done = 0;
    REQUIRE(it->n <= FILTERS_MOST);
    if (!bpk_as_cbloom(s) || bpk_copy(&base, s, env) != BPK_OK) return NULL;
    const bpk_cbloom *c = bpk_as_cbloom(base);
    (void)bpk_add(base, it, NULL, &done);
    bool lossless = bpk_cbloom_stuck(c) == bpk_cbloom_stuck(bpk_as_cbloom(s));
    REQUIRE(bpk_remove(base, it->hash, done, removed, NULL) == BPK_OK);
    for (size_t i = 0; i < done; i++) REQUIRE(removed[i] == 1);
    if (lossless) fuzz_require_same(base, s);
    bpk_cbloom_has(c, it->hash, it->n, there);
    REQUIRE(bpk_count(base, it->hash, it->n, 0, e, NULL) == BPK_OK);
    for (size_t i = 0; i < it->n; i++) REQUIRE(there[i] == (e[i].upper > 0));
    for (int round = 0; round < 20; round++) REQUIRE(bpk_remove(base, it->hash, it->n, NULL, NULL) == BPK_OK);
    return base;
}

/* A union with copies of one, as often as it is taken, is a filter that can be read. */
static inline void filters_unite(const bpk_sketch *one, const bpk_env *env) {
    bpk_sketch *sum = NULL;
    if (bpk_copy(&sum, one, env) != BPK_OK) return;
    for (int times = 0; times < 20 && bpk_merge(sum, one, NULL) == BPK_OK; times++) {
        bpk_sketch *back = NULL;
        fuzz_bytes bytes = fuzz_encode(sum, BPK_FORM_SMALL);
        bpk_status st = bpk_decode(&back, bytes.p, bytes.n, NULL, env, NULL);
        REQUIRE(st == BPK_OK || st == BPK_E_LIMIT || st == BPK_E_NOMEM);
        if (st == BPK_OK) fuzz_require_same(back, sum);
        bpk_free(back), free(bytes.p);
    }
    bpk_free(sum);
}

/* So with the filter itself, and with one like it that holds an item. */
static inline void filters_copies(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *fresh = NULL;
    if (!filters_rotates(s)) return;
    filters_unite(s, env);
    if (bpk_twin(&fresh, s, env) != BPK_OK) return;
    REQUIRE(bpk_add(fresh, &(bpk_items){.n = 1, .hash = it->hash}, NULL, NULL) == BPK_OK);
    filters_unite(fresh, env);
    bpk_free(fresh);
}

/* Time that is not later changes nothing; without a span there is none. */
static inline bpk_sketch *filters_advance(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    if (!bpk_as_bloom(s) || bpk_copy(&copy, s, env) != BPK_OK) return NULL;
    bpk_bloom *b = (bpk_bloom *)(void *)copy;
    for (uint64_t now = 1; now > 0; now <<= 7) {
        bpk_items some = {.n = 1 + (size_t)(now % it->n), .hash = it->hash, .now = now + 5};
        bpk_status st = bpk_bloom_advance(b, now);
        if (st != BPK_OK) {
            REQUIRE(st == BPK_E_UNSUPPORTED && bpk_bloom_span(b) == 0);
            fuzz_require_same(copy, s);
            break;
        }
        REQUIRE(bpk_add(copy, &some, NULL, NULL) == BPK_OK);
        fuzz_bytes before = fuzz_encode(copy, BPK_FORM_SMALL);
        REQUIRE(bpk_bloom_advance(b, now) == BPK_OK);
        fuzz_require_encodes_to(copy, BPK_FORM_SMALL, before.p, before.n);
        free(before.p);
    }
    return copy;
}

#endif
