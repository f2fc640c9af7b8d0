/* window_ask.c - answers over all panes of a window, and what it is.
 *
 * Most questions go to a merge of the panes. Where the panes' own answers add up, that is tighter and takes no memory:
 * the least counter of each pane has the noise of one pane, while the least of added counters has that of one row over
 * all of them; and certain limits of parts add up to certain limits. Nothing is subtracted anywhere: what is old leaves
 * with its pane, because counters that are raised conservatively do not say what an item has put into them.
 */
#include "window_state.h"

#include <ballpark/cms.h>
#include <ballpark/topk.h>
#include <math.h>

enum { BLOCK = 1024 };

/* ---- panes ---- */

/* Those that hold something, from one number to another, in the order of time. */
static size_t list_panes(const bpk_window *w, uint64_t first, uint64_t last,
                         const bpk_sketch *out[BPKI_WINDOW_PLACES]) {
    size_t n = 0;
    for (uint64_t i = 0; i <= last - first; i++) {
        const bpk_sketch *s = window_at(w, first + i);
        if (s) out[n++] = s;
    }
    return n;
}

static size_t list_all(const bpk_window *w, const bpk_sketch *out[BPKI_WINDOW_PLACES]) {
    return list_panes(w, window_oldest(w), window_newest(w), out);
}

bool bpk_window_covers(const bpk_window *w, uint64_t *from, uint64_t *to) {
    if (!w->timed) return false;
    *from = window_oldest(w) * w->length;
    *to = w->now;
    return true;
}

/* ---- merging panes ---- */

bpk_status bpki_window_unite(const bpk_window *w, uint64_t first, uint64_t last, bpk_sketch **out, bpk_err *err) {
    const bpk_sketch *pane[BPKI_WINDOW_PLACES];
    size_t n = list_panes(w, first, last, pane);
    if (n) return bpk_merge_many(out, pane, n, &w->base.env, err);
    bpk_status st = bpk_twin(out, bpki_window_any(w), &w->base.env);
    return st == BPK_OK ? st : bpki_fail(err, st, NULL);
}

static bpk_status unite_all(const bpk_window *w, bpk_sketch **out, bpk_err *err) {
    return bpki_window_unite(w, window_oldest(w), window_newest(w), out, err);
}

static bpk_status check_asked(const bpk_window *w, uint64_t from, uint64_t to, bpk_err *err) {
    if (!w->timed) return bpki_fail_value(err, BPK_E_ARG, "from", "of a window that has no time yet");
    if (from > to) return bpki_fail_value(err, BPK_E_ARG, "from", "is behind to");
    if (from > w->now) return bpki_fail_value(err, BPK_E_ARG, "from", "is behind the window");
    if (to / w->length < window_oldest(w)) return bpki_fail_value(err, BPK_E_ARG, "to", "is before the window");
    return BPK_OK;
}

bpk_status bpk_window_merged(const bpk_window *w, uint64_t from, uint64_t to, bpk_sketch **out, uint64_t *covered_from,
                             uint64_t *covered_to, bpk_err *err) {
    BPK_TRY(check_asked(w, from, to, err));
    uint64_t first = from / w->length, last = to / w->length, oldest = window_oldest(w), newest = window_newest(w);
    if (first < oldest) first = oldest;
    if (last > newest) last = newest;
    BPK_TRY(bpki_window_unite(w, first, last, out, err));
    if (covered_from) *covered_from = first * w->length;
    if (covered_to) *covered_to = last == newest ? w->now : last * w->length + (w->length - 1);
    return BPK_OK;
}

/* ---- questions ---- */

/* A kind names itself where it cannot answer, whatever its panes are. */
static bpk_status named(bpk_status st, bpk_err *err) {
    if (st == BPK_E_UNSUPPORTED && err) bpki_fail_value(err, st, err->field, "window");
    return st;
}

static void either(uint8_t *out, const uint8_t *more, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] |= more[i];
}

bpk_status bpki_window_has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    const bpk_window *w = (const bpk_window *)s;
    const bpk_sketch *pane[BPKI_WINDOW_PLACES];
    uint8_t has[BLOCK];
    if (!bpki_window_any(w)->ops->has) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "has", "window");
    size_t panes = list_all(w, pane);
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < BLOCK ? n - at : BLOCK;
        memset(out + at, 0, some);
        for (size_t i = 0; i < panes; i++) {
            BPK_TRY(bpk_has(pane[i], hash + at, some, has, err));
            either(out + at, has, some);
        }
    }
    return BPK_OK;
}

/* Of the whole. */
static bpk_estimate total_cms(const bpk_cms *const *part, size_t parts) {
    uint64_t sum = 0, more;
    for (size_t i = 0; i < parts; i++) {
        more = bpk_cms_total(part[i]);
        sum = UINT64_MAX - sum < more ? UINT64_MAX : sum + more;
    }
    return bpki_certain_count(sum);
}

/* With no pane the answer is that of an empty sketch, which any one of them is then. */
static void count_cms(const bpk_window *w, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out) {
    const bpk_sketch *pane[BPKI_WINDOW_PLACES];
    const bpk_cms *part[BPKI_WINDOW_PLACES];
    bpk_noise noise;
    size_t parts = list_all(w, pane);
    if (parts == 0) pane[parts++] = bpki_window_any(w);
    for (size_t i = 0; i < parts; i++) part[i] = bpk_as_cms(pane[i]);
    if (!hash) *out = total_cms(part, parts);
    if (!hash || n == 0) return;
    bpk_cms_sum_noise(part, parts, &noise);
    for (size_t i = 0; i < n; i++) out[i] = bpk_cms_sum_count(part, parts, hash[i], &noise, confidence);
}

/* The sum of two doubles may be rounded to the wrong side of the truth. */
static double sum_down(double a, double b) {
    return a + b < 0x1p53 ? a + b : fmin(bpki_neighbour(a + b, -1), 0x1p64);
}
static double sum_up(double a, double b) {
    return a + b < 0x1p53 ? a + b : fmin(bpki_neighbour(a + b, 1), 0x1p64);
}

static bpk_estimate count_topk(const bpk_sketch *const *pane, size_t panes, uint64_t hash) {
    bpk_estimate sum = {0, 0, 0, 1, 0};
    for (size_t i = 0; i < panes; i++) {
        bpk_estimate e = bpk_topk_count(bpk_as_topk(pane[i]), hash);
        sum.lower = sum_down(sum.lower, e.lower);
        sum.upper = sum_up(sum.upper, e.upper);
        sum.estimate += e.estimate;
        sum.flags |= e.flags & (BPK_SATURATED | BPK_REDUCED);
    }
    sum.estimate = fmax(sum.lower, fmin(sum.estimate, sum.upper));
    if (sum.flags & BPK_SATURATED) return sum;
    if (sum.lower == sum.upper) sum.flags |= BPK_EXACT;
    else if (sum.lower == 0) sum.flags |= BPK_BELOW_NOISE;
    return sum;
}

static bpk_status count_merged(const bpk_window *w, const uint64_t *hash, size_t n, double confidence,
                               bpk_estimate *out, bpk_err *err) {
    bpk_sketch *all;
    BPK_TRY(unite_all(w, &all, err));
    bpk_status st = bpk_count(all, hash, n, confidence, out, err);
    bpk_free(all);
    return named(st, err);
}

bpk_status bpki_window_count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                             bpk_err *err) {
    const bpk_window *w = (const bpk_window *)s;
    const bpk_sketch *any = bpki_window_any(w), *pane[BPKI_WINDOW_PLACES];
    if (bpk_as_cms(any)) {
        count_cms(w, hash, n, confidence, out);
        return BPK_OK;
    }
    if (!hash || !bpk_as_topk(any)) return count_merged(w, hash, n, confidence, out, err);
    size_t panes = list_all(w, pane);
    for (size_t i = 0; i < n; i++) out[i] = count_topk(pane, panes, hash[i]);
    return BPK_OK;
}

bpk_status bpki_window_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err) {
    const bpk_window *w = (const bpk_window *)s;
    bpk_sketch *all;
    if (!bpki_window_any(w)->ops->rows) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "rows", "window");
    BPK_TRY(unite_all(w, &all, err));
    bpk_status st = bpk_rows(all, limit, fn, ctx, err);
    bpk_free(all);
    return st;
}

/* ---- what it is ---- */

static bool pass_parameter(void *ctx, const bpk_field *f) {
    bpki_walk *w = ctx;
    if (!bpki_window_parameter(f->name)) return true;
    if (f->text) bpki_walk_text(w, f->name, f->text);
    else bpki_walk_estimate(w, f->name, f->num, (bpk_unit)f->unit);
    return !w->over;
}

void bpki_window_info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_window *win = (const bpk_window *)s;
    const bpk_sketch *any = bpki_window_any(win), *pane[BPKI_WINDOW_PLACES];
    uint64_t from, to;
    bpki_walk_text(w, "of", any->ops->name);
    bpki_walk_number(w, "span", (double)win->span, BPK_UNIT_NONE);
    bpki_walk_number(w, "panes", win->panes, BPK_UNIT_NONE);
    bpki_walk_number(w, "pane_length", (double)win->length, BPK_UNIT_NONE);
    bpki_walk_number(w, "panes_used", (double)list_all(win, pane), BPK_UNIT_NONE);
    if (bpk_window_covers(win, &from, &to)) {
        bpki_walk_number(w, "covers_from", (double)from, BPK_UNIT_NONE);
        bpki_walk_number(w, "now", (double)to, BPK_UNIT_NONE);
    }
    bpki_walk_number(w, "late", (double)win->late, BPK_UNIT_ITEMS);
    bpki_walk inner = {pass_parameter, w, false};
    any->ops->info(any, &inner);
}

/* Worse by its state, then by its error. */
static bool is_worse(bpk_state state, const bpki_health *h, bpk_state than, const bpki_health *other) {
    return state != than ? state > than : h->error_now > other->error_now;
}

/* The worst pane speaks for all: each has a plan and limits of its own, and a merge, which may lack memory, has
 * neither. But a false "yes" of any filter is one of the window. */
bpk_state bpki_window_health(const bpk_sketch *s, bpki_health *h) {
    const bpk_window *w = (const bpk_window *)s;
    const bpk_sketch *pane[BPKI_WINDOW_PLACES];
    bpki_health one;
    double right = 1;
    size_t panes = list_all(w, pane);
    if (panes == 0) pane[panes++] = bpki_window_any(w);
    bpk_state worst = bpki_health_of(pane[0], h);
    for (size_t i = 0; i < panes; i++) {
        bpk_state state = bpki_health_of(pane[i], &one);
        right *= 1 - one.rate_now;
        if (!is_worse(state, &one, worst, h)) continue;
        worst = state;
        *h = one;
    }
    if (isnan(right) || panes == 1) return worst;
    h->rate_now = h->error_now = 1 - right;
    if (worst != BPK_HEALTH_OK || !(h->rate_now > h->rate_asked)) return worst;
    h->reason = "more false answers of all panes together than one was asked for";
    return BPK_HEALTH_WARN;
}
