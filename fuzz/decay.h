/* decay.h - time that passes over any sketch, and halving by hand. */
#ifndef FUZZ_DECAY_H
#define FUZZ_DECAY_H

#include "fuzz.h"

typedef struct decay_found {
    double half_life, now;
    bool knows_time;
} decay_found;

static inline bool decay_see(void *ctx, const bpk_field *f) {
    decay_found *found = ctx;
    if (strcmp(f->name, "half_life") == 0) found->half_life = f->num.estimate;
    if (strcmp(f->name, "now") == 0) found->now = f->num.estimate, found->knows_time = true;
    return true;
}
static inline decay_found decay_of(const bpk_sketch *s) {
    decay_found found = {0, 0, false};
    bpk_info(s, decay_see, &found);
    return found;
}
static inline bool decay_has(const bpk_sketch *s) {
    return decay_of(s).half_life > 0;
}

/* Time goes forward in ever larger steps, with items between them, some of them late; twice the same is once. What
 * knows no time stays as it is; nothing is taken from what decays. The sketch that is left; NULL: there was no
 * memory. */
static inline bpk_sketch *decay_pass(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    bool has_its_own = bpk_as_bloom(s) || bpk_as_grow(s) || bpk_as_limit(s) || bpk_as_window(s);
    if (has_its_own || bpk_copy(&copy, s, env) != BPK_OK) return NULL;
    bool decays = decay_has(s);
    double last = decay_of(s).now;
    const int64_t one = 1;
    if (decays && bpk_as_cms(s))
        REQUIRE(bpk_cms_adjust((bpk_cms *)(void *)copy, it->hash, &one, NULL, 1, NULL) == BPK_E_UNSUPPORTED);
    for (uint64_t now = 1; now > 0; now = now > UINT64_MAX >> 9 ? 0 : now << 9 | now) {
        bpk_advance(copy, now);
        if (!decays) {
            fuzz_require_same(copy, s);
            continue;
        }
        fuzz_bytes before = fuzz_encode(copy, BPK_FORM_SMALL);
        bpk_advance(copy, now / 2);
        bpk_advance(copy, now);
        fuzz_require_encodes_to(copy, BPK_FORM_SMALL, before.p, before.n);
        free(before.p);
        REQUIRE(decay_of(copy).now >= last);
        last = decay_of(copy).now;
        bpk_items some = *it;
        some.now = now - now / 3;
        some.n = now % it->n;
        REQUIRE(bpk_add(copy, &some, NULL, NULL) == BPK_OK);
        REQUIRE(decay_of(copy).now == last);
    }
    return copy;
}

/* Halved; NULL where that is refused, which changes nothing. */
static inline bpk_sketch *decay_halve(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    bpk_err err;
    if (!bpk_as_cms(s) || bpk_copy(&copy, s, env) != BPK_OK) return NULL;
    bpk_status st = bpk_cms_halve((bpk_cms *)(void *)copy, &err);
    REQUIRE(st == BPK_OK || st == BPK_E_UNSUPPORTED);
    REQUIRE((st == BPK_OK) == (!decay_has(s) && !bpk_splittable(s)));
    if (st == BPK_OK) {
        uint64_t was = bpk_cms_total(bpk_as_cms(s)), is = bpk_cms_total(bpk_as_cms(copy));
        REQUIRE(is == (was == UINT64_MAX ? was : was / 2));
        return copy;
    }
    fuzz_require_same(copy, s);
    bpk_free(copy);
    return NULL;
}

#endif
