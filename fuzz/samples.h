/* samples.h - what must hold of samples, whatever they hold. */
#ifndef FUZZ_SAMPLES_H
#define FUZZ_SAMPLES_H

#include "fuzz.h"

/* Rows of a sample are its strata together; they pass in either order; a share is one. */
typedef struct sampled {
    uint64_t n, kept, rows;
    size_t strata;
} sampled;

static inline bool samples_see_stratum(void *ctx, const bpk_sample_stratum *t) {
    sampled *all = ctx;
    REQUIRE(t->kept <= t->n && t->weight >= 0 && isfinite(t->weight) && (t->name || t->len == 0));
    all->n += t->n;
    all->kept += t->kept;
    all->strata++;
    return true;
}
static inline bool samples_see_record(void *ctx, const bpk_sample_row *r) {
    sampled *all = ctx;
    REQUIRE(r->weight > 0 && r->item && r->stratum < all->strata);
    all->rows++;
    return r->hash & 1;
}

static inline void samples_check(const bpk_sketch *base) {
    const bpk_sample *s = bpk_as_sample(base);
    sampled all = {0};
    bpk_estimate e;
    if (!s) return;
    bpk_sample_strata(s, samples_see_stratum, &all);
    REQUIRE(all.n == bpk_sample_seen(s) && all.kept == bpk_sample_kept(s));
    e = bpk_sample_share(s, samples_see_record, &all, 0);
    REQUIRE(all.rows == all.kept);
    fuzz_require_estimate(&e);
    REQUIRE(e.upper <= 1);
    for (int order = 0; order < 2; order++)
        (void)bpk_sample_rows(s, (bpk_sample_order)order, samples_see_record, &all); /* may lack the memory to sort */
}

#endif
