/* sample_merge.c - inside the sample room: copies and unions.
 *
 * A union lists the sources of all parts and keeps the k smallest tags of each stratum; which strata there are is
 * decided group by group, as when records come. Nothing of that depends on the order of the parts. Parts without
 * records add nothing and leave no source behind; where only one has any, the union is that one as it stands.
 */
#include <stdlib.h>

#include "sample_state.h"

static bpk_sample_config config_of(const bpk_sample *s) {
    return (bpk_sample_config){s->base.domain, s->k, s->groups, s->weighted, 0, 0};
}

static int by_name(const void *a, const void *b) {
    const sample_source *x = a, *y = b;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

/* Room for n sources in place of the one that is there. */
static bpk_status set_sources(bpk_sample *s, size_t n) {
    void *p = s->source;
    if (n > UINT32_MAX) return BPK_E_LIMIT;
    if (n > s->sources_room) {
        BPK_TRY(bpki_sample_resize(s, &p, s->sources_room * sizeof *s->source, n * sizeof *s->source));
        s->sources_room = (uint32_t)n;
    }
    s->source = p;
    s->sources = (uint32_t)n;
    return BPK_OK;
}

/* ---- copying ---- */

static bpk_status copy_entry(bpk_sample *s, sample_entry *to, const sample_entry *from) {
    void *p;
    *to = *from;
    to->bytes = NULL;
    BPK_TRY(bpki_sample_alloc(s, from->len, &p));
    to->bytes = p;
    if (from->len) memcpy(to->bytes, from->bytes, from->len);
    return BPK_OK;
}

/* Into an empty stratum of the same name. */
static bpk_status copy_stratum(bpk_sample *s, sample_stratum *to, const sample_stratum *from) {
    BPK_TRY(bpki_sample_reserve(s, to, from->kept));
    for (; to->kept < from->kept; to->kept++) BPK_TRY(copy_entry(s, &to->entry[to->kept], &from->entry[to->kept]));
    to->drawn = from->drawn;
    to->skip = from->skip;
    to->left = from->left;
    to->n = from->n;
    if (s->weighted) memcpy(to->sum, from->sum, BPKI_SUM_WORDS * sizeof *to->sum);
    return BPK_OK;
}

static bpk_status copy_contents(bpk_sample *to, const bpk_sample *from) {
    BPK_TRY(set_sources(to, from->sources));
    memcpy(to->source, from->source, from->sources * sizeof *from->source);
    to->n = from->n;
    BPK_TRY(copy_stratum(to, &to->rest, &from->rest));
    BPK_TRY(bpki_sample_room(to, from->named));
    for (uint32_t i = 0; i < from->named; i++) {
        sample_key key = bpki_sample_key_of(&from->strata[i]);
        sample_stratum *made;
        BPK_TRY(bpki_sample_group(to, &key, from->strata[i].kept, &made));
        BPK_TRY(copy_stratum(to, made, &from->strata[i]));
    }
    return BPK_OK;
}

bpk_status bpki_sample_copy(bpk_sketch **out, const bpk_sketch *base, const bpk_env *env) {
    const bpk_sample *s = (const bpk_sample *)base;
    const bpk_sample_config cfg = config_of(s);
    bpk_sample *made;
    BPK_TRY(bpki_sample_make(&made, &cfg, env));
    bpk_status st = copy_contents(made, s);
    if (st == BPK_OK) *out = &made->base;
    else bpki_sample_release(&made->base);
    return st;
}

/* ---- uniting ---- */

static bpk_status check_shape(const bpk_sample *a, const bpk_sample *b, bpk_err *err) {
    if (a->k != b->k) return bpki_mismatch(err, "k", a->k, b->k);
    if (a->groups != b->groups) return bpki_mismatch(err, "groups", a->groups, b->groups);
    if (a->weighted != b->weighted)
        return bpki_mismatch_text(err, "weighted", a->weighted ? "yes" : "no", b->weighted ? "yes" : "no");
    return BPK_OK;
}

static const bpk_sample *sample_at(const bpk_sketch *const *src, size_t i) {
    return (const bpk_sample *)src[i];
}

/* The only part with records, or among parts without any the one with the smallest source; n where two have records. */
static size_t only_one(const bpk_sketch *const *src, size_t n) {
    size_t one = 0, filled = 0;
    for (size_t i = 0; i < n; i++) {
        const bpk_sample *s = sample_at(src, i), *best = sample_at(src, one);
        bool better = s->n ? !best->n : !best->n && by_name(s->source, best->source) < 0;
        if (better) one = i;
        filled += s->n > 0;
    }
    return filled > 1 ? n : one;
}

static bpk_status unite_sources(bpk_sample *made, const bpk_sketch *const *src, size_t n, bpk_err *err) {
    size_t all = 0, at = 0;
    for (size_t i = 0; i < n; i++) all += sample_at(src, i)->n ? sample_at(src, i)->sources : 0;
    BPK_TRY(set_sources(made, all));
    for (size_t i = 0; i < n; i++) {
        const bpk_sample *s = sample_at(src, i);
        if (!s->n) continue;
        memcpy(made->source + at, s->source, s->sources * sizeof *s->source);
        at += s->sources;
        made->n += s->n; /* 2^61 each: checked before it can overflow */
        if (made->n > SAMPLE_N_MAX) return bpki_fail(err, BPK_E_FULL, "n");
    }
    qsort(made->source, all, sizeof *made->source, by_name);
    for (size_t i = 1; i < all; i++)
        if (by_name(&made->source[i - 1], &made->source[i]) == 0)
            return bpki_mismatch(err, "stream", made->source[i].stream, made->source[i].stream);
    return BPK_OK;
}

static bpk_status add_stratum(bpk_sample *made, const bpk_sample *s, const sample_stratum *from) {
    sample_key key = bpki_sample_key_of(from);
    sample_stratum *to = from == &s->rest ? &made->rest : bpki_sample_find(made, &key);
    if (!to) BPK_TRY(bpki_sample_group(made, &key, from->kept, &to));
    uint64_t kept = (uint64_t)to->kept + from->kept;
    BPK_TRY(bpki_sample_reserve(made, to, kept < made->k ? (uint32_t)kept : made->k));
    for (uint32_t i = 0; i < from->kept; i++) {
        sample_entry e = from->entry[i], copy;
        const sample_source *there = bsearch(&s->source[e.source], made->source, made->sources, sizeof *there, by_name);
        e.source = (uint32_t)(there - made->source);
        if (sample_full(made, to) && !bpki_sample_below(&e, &to->entry[0])) continue;
        BPK_TRY(copy_entry(made, &copy, &e));
        bpki_sample_put(made, to, &copy);
    }
    to->n += from->n;
    if (made->weighted) bpki_sum_join(to->sum, from->sum);
    return BPK_OK;
}

static bpk_status unite(bpk_sample *made, const bpk_sketch *const *src, size_t n, bpk_err *err) {
    BPK_TRY(unite_sources(made, src, n, err));
    for (size_t i = 0; i < n; i++) {
        const bpk_sample *s = sample_at(src, i);
        if (s->rest.n) BPK_TRY(add_stratum(made, s, &s->rest));
        for (uint32_t j = 0; j < s->named; j++) BPK_TRY(add_stratum(made, s, &s->strata[j]));
    }
    return BPK_OK;
}

bpk_status bpki_sample_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                  bpk_err *err) {
    const bpk_sample_config cfg = config_of(sample_at(src, 0));
    bpk_sample *made;
    for (size_t i = 1; i < n; i++) BPK_TRY(check_shape(sample_at(src, 0), sample_at(src, i), err));
    size_t one = only_one(src, n);
    bpk_status st = one < n ? bpki_sample_copy(out, src[one], env) : bpki_sample_make(&made, &cfg, env);
    if (st == BPK_OK && one == n) {
        st = unite(made, src, n, err);
        if (st == BPK_OK) *out = &made->base;
        else bpki_sample_release(&made->base);
    }
    if (st == BPK_E_NOMEM || st == BPK_E_LIMIT) return bpki_fail(err, st, NULL);
    return st;
}

bpk_status bpki_sample_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    const bpk_sketch *const both[] = {dst, src};
    bpk_sketch *sum;
    BPK_TRY(check_shape(sample_at(both, 0), sample_at(both, 1), err));
    if (only_one(both, 2) == 0) return BPK_OK;
    BPK_TRY(bpki_sample_merge_many(&sum, both, 2, &dst->env, err));
    bpk_sample *a = (bpk_sample *)dst, *b = (bpk_sample *)sum, keep = *a;
    *a = *b;
    a->base = keep.base;
    keep.base = b->base;
    *b = keep;
    bpki_sample_release(sum);
    return BPK_OK;
}
