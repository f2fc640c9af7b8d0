/* topk_merge.c - inside the topk room: one sketch that answers for many.
 *
 * Every source is folded to the smallest table and the fewest light cells; both index by upper bits, so that a fold
 * joins neighbours. Ways of one fingerprint add up (what was seen, and bases); light cells add up. Nine ways a bucket
 * stay, those with the highest scores; what the others had seen goes to the light part. Lower and upper limits of an
 * item become at least as wide as the sums over the sources, and stay sound. The bytes do not depend on the order of
 * one call's sources. Sketches with a half-life that are behind are brought to the latest time first, as copies.
 */
#include <stdlib.h>

#include "topk_state.h"

typedef struct source {
    const bpk_topk *t;
    bpk_sketch *aged; /* t, where it is a copy */
    topk_names names;
} source;

/* A way of some sources. */
typedef struct part {
    uint32_t fp;
    uint64_t since, base;
} part;

typedef struct merging {
    source *src;
    size_t n, bytes; /* of src */
    part *parts;
    size_t parts_bytes;
    bpk_topk *out;
    uint64_t now; /* the latest of all */
} merging;

/* ---- the light part ---- */

/* The largest of a source's cells that one of `width` covers. */
static uint64_t covered(const bpki_cells *c, uint32_t row, size_t i, uint64_t width) {
    size_t group = (size_t)(c->width / width);
    uint64_t most = 0;
    for (size_t g = 0; g < group; g++) {
        uint64_t v = bpki_cells_get(c, row, i * group + g);
        most = v > most ? v : most;
    }
    return most;
}

/* Fills one level; false where a sum does not fit. */
static bool sum_level(const merging *m) {
    const bpki_cells *to = &m->out->light;
    for (uint32_t r = 0; r < TOPK_ROWS; r++) {
        for (size_t i = 0; i < to->width; i++) {
            uint64_t sum = 0;
            for (size_t s = 0; s < m->n; s++)
                sum = bpki_add_sticky(sum, covered(&m->src[s].t->light, r, i, to->width), TOPK_SCORE_MAX);
            if (sum > to->cap) return false;
            bpki_cells_set(to, r, i, sum);
        }
    }
    return true;
}

/* The lowest level at which no source has too few cells and every sum fits: no matter of order. */
static void sum_lights(merging *m) {
    bpk_topk *out = m->out;
    unsigned level = 0;
    for (size_t s = 0; s < m->n; s++)
        while (UINT64_C(1) << out->shape.l >> level > m->src[s].t->light.width) level++;
    bpki_topk_light_start(&out->light, out->light.bytes, out->shape.l, level);
    while (!sum_level(m)) bpki_topk_light_start(&out->light, out->light.bytes, out->shape.l, ++level);
}

/* ---- buckets ---- */

static int by_fp(const void *a, const void *b) {
    const part *x = a, *y = b;
    return (x->fp > y->fp) - (x->fp < y->fp);
}

static uint64_t score_of(const part *p) {
    return bpki_add_sticky(topk_float_value(topk_float_up(p->base)), p->since, TOPK_SCORE_MAX);
}

static int by_score(const void *a, const void *b) {
    uint64_t x = score_of(a), y = score_of(b);
    return x != y ? (x < y) - (x > y) : by_fp(a, b);
}

/* How many buckets of a source fold into one. */
static size_t group_of(const merging *m, const source *s) {
    return (size_t)1 << (s->t->shape.b - m->out->shape.b);
}

static size_t collect(const merging *m, size_t at) {
    size_t n = 0;
    for (size_t s = 0; s < m->n; s++) {
        size_t group = group_of(m, &m->src[s]);
        for (size_t g = at * group; g < (at + 1) * group; g++) {
            const uint8_t *bucket = topk_bucket_at(m->src[s].t, g);
            for (unsigned j = 0; j < TOPK_WAYS && topk_fp(bucket, j); j++)
                m->parts[n++] = (part){topk_fp(bucket, j), topk_since(bucket, j), topk_base(bucket, j)};
        }
    }
    return n;
}

/* Joins equal fingerprints; highest score first. */
static size_t join(part *parts, size_t n) {
    size_t kept = 0;
    if (n) qsort(parts, n, sizeof *parts, by_fp);
    for (size_t i = 0; i < n; i++) {
        if (kept && parts[kept - 1].fp == parts[i].fp) {
            parts[kept - 1].since = bpki_add_sticky(parts[kept - 1].since, parts[i].since, TOPK_SCORE_MAX);
            parts[kept - 1].base = bpki_add_sticky(parts[kept - 1].base, parts[i].base, TOPK_SCORE_MAX);
        } else {
            parts[kept++] = parts[i];
        }
    }
    if (kept) qsort(parts, kept, sizeof *parts, by_score);
    return kept;
}

static bool name_less(const topk_name *a, const topk_name *b) {
    if (a->len != b->len) return a->len < b->len;
    return a->len && memcmp(a->bytes, b->bytes, topk_kept(a->len)) < 0;
}

/* The name that a source has for a fingerprint in one of the buckets that fold into `at`, if it is less than *best. */
static void look_up(const merging *m, const source *s, size_t at, uint32_t fp, const topk_name **best) {
    size_t group = group_of(m, s);
    for (size_t g = at * group; g < (at + 1) * group; g++) {
        unsigned j = topk_find(topk_bucket_at(s->t, g), fp);
        if (j == TOPK_WAYS) continue;
        const topk_name *name = bpki_topk_find_name(s->names.name, s->names.n, (uint32_t)(g * TOPK_WAYS + j));
        if (name && (!*best || name_less(name, *best))) *best = name;
    }
}

static void adopt_name(merging *m, size_t at, unsigned j) {
    const uint8_t *bucket = topk_bucket_at(m->out, at);
    const topk_name *best = NULL;
    if (topk_score(bucket, j) <= m->out->threshold) return;
    for (size_t s = 0; s < m->n; s++) look_up(m, &m->src[s], at, topk_fp(bucket, j), &best);
    if (!best) return;
    const void *key = best->bytes ? best->bytes : (const uint8_t *)"";
    bpki_topk_capture(m->out, (uint32_t)(at * TOPK_WAYS + j), key, best->len);
}

/* What a way that is dropped had seen: at its end it may be any amount. */
static uint64_t given_up(const part *p) {
    return score_of(p) == TOPK_SCORE_MAX ? TOPK_SCORE_MAX : p->since;
}

static void merge_bucket(merging *m, size_t at) {
    size_t n = join(m->parts, collect(m, at));
    for (unsigned j = 0; j < TOPK_WAYS && j < n; j++) {
        const part *p = &m->parts[j];
        topk_place(topk_bucket_at(m->out, at), j, p->fp, topk_float_up(p->base), p->since);
        adopt_name(m, at, j);
    }
    for (size_t i = TOPK_WAYS; i < n; i++) bpki_topk_light_add(m->out, m->parts[i].fp, given_up(&m->parts[i]));
}

/* ---- the whole ---- */

#define LOWER(a, b) ((a) < (b) ? (a) : (b))

static topk_shape smaller(topk_shape a, const topk_shape *b) {
    a.k = LOWER(a.k, b->k);
    a.candidates = LOWER(a.candidates, b->candidates);
    a.name_bytes_max = LOWER(a.name_bytes_max, b->name_bytes_max);
    a.b = LOWER(a.b, b->b);
    a.l = LOWER(a.l, b->l);
    return a;
}

static uint64_t latest(const bpk_sketch *const *all, size_t n) {
    uint64_t now = 0;
    for (size_t i = 0; i < n; i++) {
        const bpk_topk *t = (const bpk_topk *)all[i];
        now = t->time.now > now ? t->time.now : now;
    }
    return now;
}

/* One source as it is at `now`. */
static bpk_status open_source(source *s, const bpk_topk *t, uint64_t now, const bpk_env *env) {
    if (topk_decays(t) && t->time.now / t->shape.half_life < now / t->shape.half_life) {
        BPK_TRY(bpki_topk_copy(&s->aged, &t->base, env));
        bpki_topk_advance((bpk_topk *)s->aged, now);
        t = (const bpk_topk *)s->aged;
    }
    s->t = t;
    return bpki_topk_borrow_names(&s->names, t);
}

/* Takes the sources that hold something, and memory. */
static bpk_status open_merge(merging *m, const bpk_sketch *const *all, size_t n, topk_shape *shape,
                             const bpk_env *env) {
    void *p;
    m->bytes = n * sizeof(source);
    m->now = latest(all, n);
    BPK_TRY(bpki_alloc(env, m->bytes, &p));
    m->src = p;
    for (size_t i = 0; i < n; i++) {
        const bpk_topk *t = (const bpk_topk *)all[i];
        if (t->total == 0) continue;
        *shape = m->n ? smaller(*shape, &t->shape) : t->shape;
        BPK_TRY(open_source(&m->src[m->n++], t, m->now, env));
    }
    size_t parts = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!bpki_add(parts, (size_t)TOPK_WAYS << (m->src[i].t->shape.b - shape->b), &parts)) return BPK_E_LIMIT;
    if (!bpki_mul(parts, sizeof(part), &m->parts_bytes)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, m->parts_bytes, &p));
    m->parts = p;
    return BPK_OK;
}

static void close_merge(merging *m, const bpk_env *env) {
    for (size_t i = 0; i < m->n; i++) {
        source *s = &m->src[i];
        if (s->t) bpki_topk_return_names(&s->names, s->t);
        if (s->aged) bpki_topk_release(s->aged);
    }
    bpki_release(env, m->parts, m->parts_bytes);
    bpki_release(env, m->src, m->bytes);
}

static void fill(merging *m) {
    bpk_topk *out = m->out;
    for (size_t i = 0; i < m->n; i++) {
        out->total = bpki_add_sticky(out->total, m->src[i].t->total, UINT64_MAX);
        out->draws += m->src[i].t->draws;
        out->names_short |= m->src[i].t->names_short;
        const topk_shape *theirs = &m->src[i].t->shape;
        out->reduced |= m->src[i].t->reduced || theirs->b != out->shape.b || theirs->l != out->shape.l;
    }
    sum_lights(m);
    for (size_t at = 0; at < topk_buckets(&out->shape); at++) merge_bucket(m, at);
}

static bpk_status same_half_lives(const bpk_sketch *const *src, size_t n, bpk_err *err) {
    uint64_t first = ((const bpk_topk *)src[0])->shape.half_life;
    for (size_t i = 1; i < n; i++) {
        uint64_t other = ((const bpk_topk *)src[i])->shape.half_life;
        if (other != first) return bpki_mismatch(err, "half_life", first, other);
    }
    return BPK_OK;
}

/* Nothing was added to any of them: an empty one of the smallest shape. */
static bpk_status merge_empty(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env) {
    topk_shape shape = ((const bpk_topk *)src[0])->shape;
    bpk_topk *made;
    for (size_t i = 1; i < n; i++) shape = smaller(shape, &((const bpk_topk *)src[i])->shape);
    BPK_TRY(bpki_topk_make(&made, &src[0]->domain, &shape, env));
    *out = &made->base;
    return BPK_OK;
}

bpk_status bpki_topk_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                bpk_err *err) {
    merging m = {0};
    topk_shape shape = {0};
    BPK_TRY(same_half_lives(src, n, err)); /* otherwise every two shapes fit */
    bpk_status st = open_merge(&m, src, n, &shape, env);
    if (st == BPK_OK && m.n == 0) st = merge_empty(out, src, n, env);
    if (st == BPK_OK && m.n == 1) st = bpki_topk_copy(out, &m.src[0].t->base, env);
    if (st == BPK_OK && m.n > 1) {
        st = bpki_topk_make(&m.out, &src[0]->domain, &shape, env);
        if (st == BPK_OK) {
            bpki_topk_advance(m.out, m.now); /* while it is empty */
            fill(&m);
            *out = &m.out->base;
        }
    }
    if (st == BPK_OK) bpki_topk_advance((bpk_topk *)*out, m.now);
    close_merge(&m, env);
    return st;
}

bpk_status bpki_topk_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    const bpk_sketch *both[2] = {dst, src};
    bpk_sketch *made;
    BPK_TRY(bpki_topk_merge_many(&made, both, 2, &dst->env, err));
    bpk_topk keep = *(bpk_topk *)dst;
    made->meta = keep.base.meta;
    *(bpk_topk *)dst = *(bpk_topk *)made;
    keep.base.meta = NULL;
    *(bpk_topk *)made = keep;
    bpki_topk_release(made);
    return BPK_OK;
}
