/* sample_rows.c - inside the sample room: the kept records, and what they say about all of them.
 *
 * A kept record of weight w stands for w / p, p = 1 - e^(-w T) being its chance to have a tag below the threshold T,
 * the largest kept tag; weights are counted in 1 / T. The share of a stratum is the sum of what the matching ones stand
 * for over the sum of all: for equal weights the plain share of the kept. Its variance gives the size of the simple
 * sample that would be as good, and Wilson's interval for that size is moved to where the records that are kept leave a
 * choice: what was kept is known.
 */
#include <math.h>
#include <stdlib.h>

#include "interval.h"
#include "sample_state.h"

/* ---- walks ---- */

static bpk_sample_row row_of(const bpk_sample *s, size_t stratum, const sample_entry *e) {
    const sample_source *from = &s->source[e->source];
    return (bpk_sample_row){e->bytes ? e->bytes : (const uint8_t *)"",
                            e->len,
                            stratum,
                            e->hash,
                            e->weight,
                            from->seed,
                            from->stream,
                            e->at};
}

typedef struct placed {
    const sample_entry *e;
    size_t stratum;
    uint64_t first, second; /* what they are sorted by, and then by `at` */
} placed;

static int by_place(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    return (x->e->at > y->e->at) - (x->e->at < y->e->at);
}

static bpk_status sorted_rows(const bpk_sample *s, bpk_sample_order order, placed **out, size_t *n) {
    void *p;
    size_t at = 0, strata = bpki_sample_strata_n(s);
    *n = (size_t)bpk_sample_kept(s);
    BPK_TRY(bpki_alloc(&s->base.env, *n * sizeof **out, &p));
    *out = p;
    bpki_sample_sort(s);
    for (size_t i = 0; i < strata; i++) {
        const sample_stratum *t = bpki_sample_stratum_at(s, i);
        for (uint32_t j = 0; j < t->kept; j++) {
            const sample_entry *e = &t->entry[j];
            const sample_source *from = &s->source[e->source];
            placed *to = &(*out)[at++];
            *to = (placed){e, i, e->source, 0};
            if (order == BPK_SAMPLE_INPUT) continue;
            to->first = bpki_draw(from->seed, from->stream, BPKI_DRAW_SHUFFLE | e->at);
            to->second = e->source;
        }
    }
    if (*n) qsort(*out, *n, sizeof **out, by_place);
    return BPK_OK;
}

bpk_status bpk_sample_rows(const bpk_sample *s, bpk_sample_order order, bpk_sample_fn fn, void *ctx) {
    placed *rows;
    size_t n;
    if (order != BPK_SAMPLE_INPUT && order != BPK_SAMPLE_SHUFFLED) return BPK_E_ARG;
    BPK_TRY(sorted_rows(s, order, &rows, &n));
    bool more = true;
    for (size_t i = 0; i < n && more; i++) {
        bpk_sample_row r = row_of(s, rows[i].stratum, rows[i].e);
        more = fn(ctx, &r);
    }
    bpki_release(&s->base.env, rows, n * sizeof *rows);
    return BPK_OK;
}

void bpk_sample_strata(const bpk_sample *s, bool (*fn)(void *ctx, const bpk_sample_stratum *t), void *ctx) {
    size_t n = bpki_sample_strata_n(s);
    bool more = true;
    bpki_sample_sort(s);
    for (size_t i = 0; i < n && more; i++) {
        const sample_stratum *t = bpki_sample_stratum_at(s, i);
        bpk_sample_stratum shown = {
            t->name, t->len, t->hash, t->n, t->kept, sample_weight_of(s, t), s->groups && t == &s->rest};
        more = fn(ctx, &shown);
    }
}

/* ---- what a stratum says ---- */

/* Whether nothing with weight was left out. */
static bool is_whole(const bpk_sample *s, const sample_stratum *t) {
    if (t->kept == t->n || t->kept < s->k) return true;
    if (!s->weighted) return false;
    uint64_t kept[BPKI_SUM_WORDS] = {0};
    for (uint32_t i = 0; i < t->kept; i++) bpki_sum_add(kept, t->entry[i].weight);
    return bpki_sum_compare(kept, t->sum) == 0;
}

/* What a record stands for, and its chance to be kept. */
typedef struct worth {
    double stands, chance;
} worth;

static worth worth_of(const bpk_sample *s, const sample_stratum *t, const sample_entry *e, bool whole) {
    if (whole) return (worth){e->weight, 1};
    if (!s->weighted) return (worth){(double)t->n / (double)t->kept, (double)t->kept / (double)t->n};
    double weight = e->weight * t->entry[0].tag, chance = -bpki_expm1(-weight);
    return (worth){weight / chance, chance};
}

/* Of one stratum: its size (weight), sums over the kept and over those that match of what they stand for, of the
 * variance that brings, and of what they are. */
typedef struct part {
    double size, stands[2], variance[2], is[2]; /* [1]: that match */
    bool whole;
} part;

typedef struct question {
    bpk_sample_fn match; /* or the hash, where it is NULL */
    void *ctx;
    uint64_t hash;
} question;

static bool matches(const question *q, const bpk_sample *s, size_t stratum, const sample_entry *e) {
    if (!q->match) return e->hash == q->hash;
    bpk_sample_row r = row_of(s, stratum, e);
    return q->match(q->ctx, &r);
}

/* Adds an entry to all of the kept, or to those that match. */
static void add_entry(part *p, int hit, const worth *v, double weight) {
    p->stands[hit] += v->stands;
    p->variance[hit] += (1 - v->chance) * v->stands * v->stands;
    p->is[hit] += weight;
}

/* Without a question, of all that is kept. */
static part part_of(const bpk_sample *s, size_t stratum, const question *q) {
    const sample_stratum *t = bpki_sample_stratum_at(s, stratum);
    part p = {.size = sample_weight_of(s, t), .whole = is_whole(s, t)};
    for (uint32_t i = 0; i < t->kept; i++) {
        const sample_entry *e = bpki_sample_entry_at(t, i);
        const worth v = worth_of(s, t, e, p.whole);
        add_entry(&p, 0, &v, e->weight);
        if (q && matches(q, s, stratum, e)) add_entry(&p, 1, &v, e->weight);
    }
    return p;
}

static double share_of(const part *p) {
    return p->stands[0] > 0 ? p->stands[1] / p->stands[0] : 0;
}

/* The size of the simple sample, with every record put back, that would be as good. Weight W is missed altogether with
 * probability e^(-W T): where nothing matches, or all, nothing else is known of what may have been missed. */
static double effective(const bpk_sample *s, const part *p, double share) {
    static const double plenty = 1e18;
    double all = p->stands[0] * p->stands[0], hit = p->variance[1], rest = p->variance[0] - hit, n;
    if (p->whole) return plenty;
    if (share > 0 && share < 1)
        n = share * (1 - share) * all / ((1 - share) * (1 - share) * hit + share * share * (rest > 0 ? rest : 0));
    else n = s->weighted ? p->stands[0] : all / p->variance[0];
    return n < plenty ? n : plenty; /* false where the variance is 0 */
}

/* ---- all strata together ---- */

/* Sums over all strata of their sizes and of what is sure to match, or sure not to; over those that are not whole of
 * their sizes, of what matches there, and of its variance. That is taken at shares drawn towards the middle, so that a
 * stratum of which 0 of 2 match is not sure. */
typedef struct overall {
    double size, low, high;
    double settled; /* what matches in strata that are whole */
    double open, hit, even, variance;
    double effective; /* of one that is not whole */
    size_t n_open;
    bool known; /* there is something to go by */
} overall;

static void add_part(overall *w, const bpk_sample *s, const part *p) {
    w->size += p->size;
    w->known |= p->size > 0 && s->k;
    if (!w->known || p->size == 0) return;
    w->low += p->is[1];
    w->high += p->whole ? p->is[1] : p->size - (p->is[0] - p->is[1]);
    if (p->whole) w->settled += p->is[1];
    if (p->whole) return;
    double share = share_of(p), n = effective(s, p, share), even = (share * n + 1) / (n + 2);
    w->open += p->size;
    w->hit += p->size * share;
    w->even += p->size * even;
    w->variance += p->size * p->size * even * (1 - even) / n;
    w->effective = n;
    w->n_open++;
}

static overall overall_of(const bpk_sample *s, const question *q) {
    overall w = {.size = 0};
    size_t strata = bpki_sample_strata_n(s);
    bpki_sample_sort(s);
    for (size_t i = 0; i < strata; i++) {
        part p = part_of(s, i, q);
        add_part(&w, s, &p);
    }
    return w;
}

/* The simple sample that would be as good for all strata that are not whole. */
static double effective_of_all(const overall *w) {
    if (w->n_open == 1) return w->effective;
    return w->even * (w->open - w->even) / w->variance;
}

static double within(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

/* The size of all that matches. */
static bpk_estimate answer(const overall *w, double confidence) {
    bpk_estimate e = {.confidence = bpki_confidence(confidence)};
    if (!w->known && w->size > 0) return (bpk_estimate){w->size / 2, 0, w->size, e.confidence, BPK_NO_POINT};
    if (!w->n_open) return (bpk_estimate){w->low, w->low, w->low, e.confidence, BPK_EXACT};
    double share = w->hit / w->open;
    bpki_wilson(share, effective_of_all(w), bpki_z(e.confidence), &e.lower, &e.upper);
    e.estimate = within(w->settled + w->hit, w->low, w->high);
    e.lower = within(w->settled + w->open * e.lower, w->low, e.estimate);
    e.upper = within(w->settled + w->open * e.upper, e.estimate, w->high);
    if (share <= 0 || share >= 1) e.flags |= BPK_ONE_SIDED;
    return e;
}

bpk_estimate bpk_sample_share(const bpk_sample *s, bpk_sample_fn match, void *ctx, double confidence) {
    const question q = {.match = match, .ctx = ctx};
    overall w = overall_of(s, &q);
    bpk_estimate e = answer(&w, confidence);
    if (!(w.size > 0)) return (bpk_estimate){0.5, 0, 1, e.confidence, BPK_NO_POINT}; /* a share of nothing */
    return (bpk_estimate){e.estimate / w.size, e.lower / w.size, e.upper / w.size, e.confidence, e.flags};
}

/* No share has a larger variance than size^2 / 4 n, n being what effective() gives for a share of 0. Of equal weights
 * it is that of a share of one half. By weights, counted in 1 / T, a record that stands for s brings (1 - p) s^2, and
 * that is at most s, since (1 - p) s = x / (e^x - 1) <= 1 for x = w T: so a share q of all S has at most ((1 - q)^2 q
 * S + q^2 (1 - q) S) / S^2 = q (1 - q) / S <= 1 / 4 S. */
double bpk_sample_error(const bpk_sample *s, double confidence) {
    double size = 0, variance = 0;
    size_t strata = bpki_sample_strata_n(s);
    bpki_sample_sort(s);
    for (size_t i = 0; i < strata; i++) {
        part p = part_of(s, i, NULL);
        size += p.size;
        if (s->k && p.size > 0 && !p.whole) variance += p.size * p.size / 4 / effective(s, &p, 0);
    }
    if (!(size > 0)) return 0;
    if (!s->k) return 1;
    if (!(variance > 0)) return 0;
    return bpki_share_error(size * size / (4 * variance), bpki_z(bpki_confidence(confidence)));
}

/* x = 1 / sqrt(k) solves x^2 / 2 + z x / 2 = error. */
uint32_t bpk_sample_k_for(double error, double confidence) {
    if (!(error > 0 && error <= 1)) return 0;
    double z = bpki_z(bpki_confidence(confidence)), x = sqrt(z * z / 4 + 2 * error) - z / 2, k = ceil(1 / (x * x));
    if (k >= 2 && bpki_share_error(k - 1, z) <= error) k--; /* rounded up for nothing */
    return k > BPK_SAMPLE_K_MAX ? 0 : k < 1 ? 1 : (uint32_t)k;
}

/* ---- generic questions ---- */

static bpk_estimate counted_as(const overall *w, double confidence) {
    bpk_estimate e = answer(w, confidence);
    if (e.estimate == 0 && !(e.flags & BPK_EXACT)) e.flags |= BPK_BELOW_NOISE;
    return e;
}

/* By hash, stratum, and then as they stand there. */
static int by_hash(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->stratum != y->stratum) return x->stratum < y->stratum ? -1 : 1;
    return bpki_sample_below(x->e, y->e) ? -1 : bpki_sample_below(y->e, x->e);
}

/* The first of n rows by hash that is not below this one. */
static size_t first_of(const placed *rows, size_t n, uint64_t hash) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].first < hash) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Many hashes: what the strata hold is summed up once, what matches is found by its hash. */
static void count_each(const bpk_sample *s, const placed *rows, size_t rows_n, const part *parts, const uint64_t *hash,
                       size_t n, double confidence, bpk_estimate *out) {
    size_t strata = bpki_sample_strata_n(s);
    for (size_t i = 0; i < n; i++) {
        overall w = {.size = 0};
        size_t at = first_of(rows, rows_n, hash[i]);
        for (size_t j = 0; j < strata; j++) {
            part p = parts[j];
            for (; at < rows_n && rows[at].first == hash[i] && rows[at].stratum == j; at++) {
                const worth v = worth_of(s, bpki_sample_stratum_at(s, j), rows[at].e, p.whole);
                add_entry(&p, 1, &v, rows[at].e->weight);
            }
            add_part(&w, s, &p);
        }
        out[i] = counted_as(&w, confidence);
    }
}

static bpk_status parts_of(const bpk_sample *s, part **out) {
    void *p = NULL;
    size_t strata = bpki_sample_strata_n(s);
    BPK_TRY(bpki_alloc(&s->base.env, strata * sizeof(part), &p));
    *out = p;
    bpki_sample_sort(s);
    for (size_t i = 0; i < strata; i++) (*out)[i] = part_of(s, i, NULL);
    return BPK_OK;
}

static bpk_status count_many(const bpk_sample *s, const uint64_t *hash, size_t n, double confidence,
                             bpk_estimate *out) {
    placed *rows;
    part *parts = NULL;
    size_t rows_n;
    BPK_TRY(sorted_rows(s, BPK_SAMPLE_INPUT, &rows, &rows_n));
    bpk_status st = parts_of(s, &parts);
    if (st == BPK_OK) {
        for (size_t i = 0; i < rows_n; i++) rows[i].first = rows[i].e->hash;
        if (rows_n) qsort(rows, rows_n, sizeof *rows, by_hash);
        count_each(s, rows, rows_n, parts, hash, n, confidence, out);
        bpki_release(&s->base.env, parts, bpki_sample_strata_n(s) * sizeof *parts);
    }
    bpki_release(&s->base.env, rows, rows_n * sizeof *rows);
    return st;
}

bpk_status bpki_sample_count(const bpk_sketch *base, const uint64_t *hash, size_t n, double confidence,
                             bpk_estimate *out, bpk_err *err) {
    enum { FEW = 4 }; /* sorting costs more than looking at each */
    const bpk_sample *s = (const bpk_sample *)base;
    if (!hash && !s->weighted) *out = bpki_certain_count(s->n);
    if (!hash && s->weighted) {
        double all = overall_of(s, NULL).size;
        *out = (bpk_estimate){all, all, all, 1, BPK_EXACT};
    }
    for (size_t i = 0; hash && n <= FEW && i < n; i++) {
        const question q = {.hash = hash[i]};
        overall w = overall_of(s, &q);
        out[i] = counted_as(&w, confidence);
    }
    if (!hash || n <= FEW) return BPK_OK;
    bpk_status st = count_many(s, hash, n, confidence, out);
    return st == BPK_OK ? st : bpki_fail(err, st, "count");
}

/* What stands for all in proportion may be under the record's own weight, where one is most of all. Sums of so many
 * doubles are off by `slack` at most. */
static bpk_row counted(const bpk_sample *s, const placed *at, const part *p) {
    const sample_entry *e = at->e;
    const sample_stratum *t = bpki_sample_stratum_at(s, at->stratum);
    bpk_row r = {.key = e->bytes ? e->bytes : (const uint8_t *)"", .len = e->len, .certain = true};
    double stands = worth_of(s, t, e, p->whole).stands * (p->size / p->stands[0]), slack = p->size * t->kept * 0x1p-52;
    double upper = s->weighted ? p->size - (p->is[0] - e->weight) + slack : bpki_up(t->n - (t->kept - 1));
    r.count = (bpk_estimate){stands, fmin(e->weight, stands), fmax(upper, stands), 1, 0};
    if (p->whole) r.count = (bpk_estimate){e->weight, e->weight, e->weight, 1, BPK_EXACT};
    return r;
}

bpk_status bpki_sample_rows(const bpk_sketch *base, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err) {
    const bpk_sample *s = (const bpk_sample *)base;
    size_t n, strata = bpki_sample_strata_n(s);
    placed *rows;
    part *parts = NULL;
    bpk_status st = sorted_rows(s, BPK_SAMPLE_INPUT, &rows, &n);
    if (st != BPK_OK) return bpki_fail(err, st, "rows");
    st = parts_of(s, &parts);
    for (size_t i = 0; i < n && i < limit && st == BPK_OK; i++) {
        bpk_row r = counted(s, &rows[i], &parts[rows[i].stratum]);
        if (!fn(ctx, &r)) break;
    }
    if (st == BPK_OK) bpki_release(&s->base.env, parts, strata * sizeof *parts);
    bpki_release(&s->base.env, rows, n * sizeof *rows);
    return st == BPK_OK ? st : bpki_fail(err, st, "rows");
}
