/* topk_rows.c - inside the topk room: lists, certificates, the ceiling.
 *
 * The k rows are the ways with the highest scores, among equals those with a name: that order carries the promise that
 * each has its key (topk_names.c). They are shown by estimate. A row is certainly among the m largest when its lower
 * limit reaches the ceiling, so that no item without a row beats it, and fewer than m other rows have an upper limit
 * above it.
 */
#include <stdlib.h>

#include "topk_state.h"

typedef struct row {
    uint64_t score, estimate, lower, upper;
    const topk_name *name;
    uint32_t way;
    bool certain;
} row;

typedef struct table {
    row *row;
    size_t n, bytes;
    topk_names names;
} table;

uint64_t bpki_topk_ceiling(const bpk_topk *t) {
    uint64_t ceiling = TOPK_UNKNOWN;
    for (uint32_t r = 0; r < TOPK_ROWS; r++) {
        uint64_t most = bpki_cells_largest(&t->light, r);
        ceiling = most < ceiling ? most : ceiling;
    }
    return ceiling == TOPK_SCORE_MAX ? TOPK_UNKNOWN : ceiling;
}

static row row_of(const bpk_topk *t, const uint8_t *bucket, unsigned j, uint32_t way) {
    uint64_t light = topk_asks_light(t, bucket) ? bpki_topk_light(t, topk_fp(bucket, j)) : 0;
    uint64_t base = topk_base(bucket, j), since = topk_since(bucket, j);
    row r = {.score = topk_score(bucket, j), .lower = topk_least(t, bucket, j), .way = way};
    r.estimate = since + (light < base ? light : base);
    r.upper = since + light;
    if (r.score == TOPK_SCORE_MAX || light == TOPK_SCORE_MAX) r.upper = TOPK_UNKNOWN;
    return r;
}

/* Highest score first, among equals the named, then by place. */
static int by_rank(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    if (!x->name != !y->name) return x->name ? -1 : 1;
    return (x->way > y->way) - (x->way < y->way);
}

/* Highest estimate first, among equals by key, the unnamed last. */
static int by_estimate(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->estimate != y->estimate) return x->estimate < y->estimate ? 1 : -1;
    if (!x->name != !y->name) return x->name ? -1 : 1;
    if (!x->name) return by_rank(a, b);
    size_t m = topk_kept(x->name->len), n = topk_kept(y->name->len), common = m < n ? m : n;
    int order = common ? memcmp(x->name->bytes, y->name->bytes, common) : 0;
    if (order == 0) order = (m > n) - (m < n);
    return order ? order : by_rank(a, b); /* two longer than what is kept */
}

static void close_table(table *all, const bpk_topk *t) {
    bpki_release(&t->base.env, all->row, all->bytes);
    bpki_topk_return_names(&all->names, t);
}

/* Every way of the table, unsorted. One that time has brought to 0 is no row: the ceiling is above what may be left. */
static bpk_status open_table(table *all, const bpk_topk *t) {
    void *p;
    all->n = 0;
    all->bytes = topk_buckets(&t->shape) * TOPK_WAYS * sizeof(row);
    BPK_TRY(bpki_topk_borrow_names(&all->names, t));
    bpk_status st = bpki_alloc(&t->base.env, all->bytes, &p);
    if (st != BPK_OK) {
        bpki_topk_return_names(&all->names, t);
        return st;
    }
    all->row = p;
    uint32_t next = 0;
    for (size_t at = 0; at < topk_buckets(&t->shape); at++) {
        const uint8_t *bucket = topk_bucket_at(t, at);
        for (unsigned j = 0; j < TOPK_WAYS && topk_fp(bucket, j); j++) {
            row *r = &all->row[all->n];
            *r = row_of(t, bucket, j, (uint32_t)(at * TOPK_WAYS + j));
            if (next < all->names.n && all->names.name[next].way == r->way) r->name = &all->names.name[next++];
            all->n += r->score != 0;
        }
    }
    return BPK_OK;
}

/* ---- certificates ---- */

static int by_upper_down(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* How many of n descending numbers are above v. */
static size_t above(const uint64_t *upper, size_t n, uint64_t v) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (upper[mid] > v) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* Marks which of the first m rows are certainly among the m largest. */
static bpk_status certify(const table *all, size_t m, uint64_t ceiling, const bpk_topk *t) {
    void *p;
    size_t bytes = all->n * sizeof(uint64_t);
    BPK_TRY(bpki_alloc(&t->base.env, bytes, &p));
    uint64_t *upper = p;
    for (size_t i = 0; i < all->n; i++) upper[i] = all->row[i].upper;
    if (all->n) qsort(upper, all->n, sizeof *upper, by_upper_down);
    for (size_t i = 0; i < m; i++) {
        row *r = &all->row[i];
        size_t rivals = above(upper, all->n, r->lower) - (r->upper > r->lower);
        r->certain = r->lower >= ceiling && rivals < m;
    }
    bpki_release(&t->base.env, p, bytes);
    return BPK_OK;
}

/* ---- lists ---- */

static bpk_row shown(const bpk_topk *t, const row *r) {
    bpk_row out = {.count = bpki_decay_certain(&t->time, r->estimate, r->lower, r->upper, r->upper == TOPK_UNKNOWN)};
    out.certain = r->certain;
    if (t->reduced) out.count.flags |= BPK_REDUCED;
    if (!r->name) return out;
    out.key = r->name->bytes ? r->name->bytes : (const uint8_t *)"";
    out.len = topk_kept(r->name->len);
    return out;
}

bpk_status bpk_topk_list(const bpk_topk *t, bpk_row *rows, size_t cap, size_t *n, uint64_t *ceiling) {
    table all;
    uint64_t most = bpki_topk_ceiling(t);
    BPK_TRY(open_table(&all, t));
    size_t m = cap < t->shape.k ? cap : t->shape.k;
    m = m < all.n ? m : all.n;
    if (all.n) qsort(all.row, all.n, sizeof(row), by_rank);
    bpk_status st = certify(&all, m, most, t);
    if (st == BPK_OK) {
        if (m) qsort(all.row, m, sizeof(row), by_estimate);
        for (size_t i = 0; i < m; i++) rows[i] = shown(t, &all.row[i]);
        *n = m;
        if (ceiling) *ceiling = most == TOPK_UNKNOWN ? most : bpki_decay_whole(&t->time, most);
    }
    close_table(&all, t);
    return st;
}

bpk_status bpki_topk_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err) {
    const bpk_topk *t = (const bpk_topk *)s;
    size_t most = topk_rows_most(&t->shape);
    size_t cap = limit < most ? limit : most, bytes = cap * sizeof(bpk_row), n = 0;
    void *p;
    bpk_status st = bpki_alloc(&s->env, bytes, &p);
    if (st != BPK_OK) return bpki_fail(err, st, "rows");
    const bpk_row *rows = p;
    st = bpk_topk_list(t, p, cap, &n, NULL);
    for (size_t i = 0; i < n && fn(ctx, &rows[i]);) i++;
    bpki_release(&s->env, p, bytes);
    return st == BPK_OK ? st : bpki_fail(err, st, "rows");
}

/* Whether so many units may weigh more than a threshold; whether they do for sure. */
static bool may_exceed(const bpk_topk *t, uint64_t upper, uint64_t threshold) {
    if (!topk_decays(t) || upper == TOPK_UNKNOWN) return upper > threshold;
    return bpki_decay_up(&t->time, upper) > bpki_down(threshold);
}
static bool exceeds(const bpk_topk *t, uint64_t lower, uint64_t threshold) {
    return topk_decays(t) ? bpki_decay_down(&t->time, lower) > bpki_up(threshold) : lower > threshold;
}

bpk_status bpk_topk_above(const bpk_topk *t, uint64_t threshold, bpk_row_fn fn, void *ctx, bool *complete) {
    table all;
    BPK_TRY(open_table(&all, t));
    if (all.n) qsort(all.row, all.n, sizeof(row), by_estimate);
    bool more = true;
    for (size_t i = 0; i < all.n && more; i++) {
        if (!may_exceed(t, all.row[i].upper, threshold)) continue;
        all.row[i].certain = exceeds(t, all.row[i].lower, threshold);
        bpk_row r = shown(t, &all.row[i]);
        more = fn(ctx, &r);
    }
    *complete = !may_exceed(t, bpki_topk_ceiling(t), threshold);
    close_table(&all, t);
    return BPK_OK;
}
