/* window_merge.c - windows that become one, pane by pane.
 *
 * All panes of one number are united in one call of their kind, so that the result depends on the order of the windows
 * only where theirs does. What the latest time has dropped is left out. Parameters are compared before: kinds that
 * would fold one part to the other's size must not do so in a window, whose panes are all alike.
 */
#include "window_state.h"

/* ---- parameters of the panes ---- */

/* Fields of bpk_info that do not change with the contents. */
static const char *const parameters[] = {
    "precision", "window_bits", "layout",   "lines",      "hashes",  "blocks",        "bits",
    "counters",  "k",           "entries",  "candidates", "width",   "depth",         "cell_bytes",
    "update",    "groups",      "weighted", "rate_asked", "on_full", "planned_items",
};
static const char *const streams[] = {"sample_seed", "stream"}; /* each part has its own */

static bool is_among(const char *const *names, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_shape(const char *name) {
    return is_among(parameters, BPKI_COUNT(parameters), name);
}

bool bpki_window_parameter(const char *name) {
    return is_shape(name) || is_among(streams, BPKI_COUNT(streams), name);
}

/* ---- shapes ---- */

static bpk_status into_shape(void *ctx, const void *bytes, size_t n) {
    window_shape *out = ctx;
    assert(n >= out->n); /* the first write has header and parameters */
    (void)n;
    memcpy(out->bytes, bytes, out->n);
    return BPK_E_SINK;
}

void bpki_window_shape(window_shape *out, const bpk_sketch *empty) {
    *out = (window_shape){.n = BPKI_HEADER + empty->ops->params_n};
    assert(out->n <= sizeof out->bytes);
    (void)bpk_encode(empty, BPK_FORM_SMALL, into_shape, out); /* ends there */
}

bool bpki_window_same_shape(const window_shape *a, const window_shape *b) {
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static bpk_status shape_of(window_shape *out, const bpk_window *w, const bpk_env *env) {
    bpk_sketch *empty;
    BPK_TRY(bpk_twin(&empty, bpki_window_any(w), env));
    bpki_window_shape(out, empty);
    bpk_free(empty);
    return BPK_OK;
}

/* ---- do they fit? ---- */

typedef struct field_list {
    bpk_field field[BPKI_COUNT(parameters)];
    char text[BPKI_COUNT(parameters)][21];
    size_t n;
} field_list;

static bool list_field(void *ctx, const bpk_field *f) {
    field_list *l = ctx;
    if (!is_shape(f->name)) return true;
    l->field[l->n] = *f;
    if (f->text) {
        size_t n = strlen(f->text) < 20 ? strlen(f->text) : 20;
        memcpy(l->text[l->n], f->text, n);
        l->field[l->n].text = l->text[l->n];
    }
    return ++l->n < BPKI_COUNT(parameters);
}

static void list_fields(field_list *out, const bpk_sketch *s) {
    *out = (field_list){.n = 0};
    bpki_walk walk = {list_field, out, false};
    s->ops->info(s, &walk);
}

static bool same_field(const bpk_field *x, const bpk_field *y) {
    if (strcmp(x->name, y->name) != 0) return false;
    if (x->text && y->text) return strcmp(x->text, y->text) == 0;
    return !x->text && !y->text && x->num.estimate == y->num.estimate;
}

static bpk_status name_field(const bpk_field *x, const bpk_field *y, bpk_err *err) {
    double a = x->num.estimate, b = y->num.estimate;
    if (strcmp(x->name, y->name) != 0) return bpki_mismatch_text(err, "parameters", x->name, y->name);
    if (x->text && y->text) return bpki_mismatch_text(err, x->name, x->text, y->text);
    if (x->unit == BPK_UNIT_SHARE) return bpki_mismatch_rate(err, x->name, a, b);
    return bpki_mismatch(err, x->name, (uint64_t)a, (uint64_t)b);
}

/* Names the first parameter that differs; some have no field. */
static bpk_status name_difference(const bpk_sketch *a, const bpk_sketch *b, bpk_err *err) {
    field_list mine, other;
    list_fields(&mine, a);
    list_fields(&other, b);
    for (size_t i = 0; i < mine.n && i < other.n; i++)
        if (!same_field(&mine.field[i], &other.field[i])) return name_field(&mine.field[i], &other.field[i], err);
    return bpki_fail(err, BPK_E_MISMATCH, "parameters");
}

static bpk_status check_panes(const bpk_window *a, const bpk_window *b, const bpk_env *env, bpk_err *err) {
    const bpk_sketch *mine = bpki_window_any(a), *other = bpki_window_any(b);
    window_shape x, y;
    if (mine->ops != other->ops) return bpki_mismatch_text(err, "of", mine->ops->name, other->ops->name);
    BPK_TRY(shape_of(&x, a, env));
    BPK_TRY(shape_of(&y, b, env));
    return bpki_window_same_shape(&x, &y) ? BPK_OK : name_difference(mine, other, err);
}

static bpk_status check_fit(const bpk_window *a, const bpk_window *b, const bpk_env *env, bpk_err *err) {
    if (a->span != b->span) return bpki_mismatch(err, "span", a->span, b->span);
    if (a->panes != b->panes) return bpki_mismatch(err, "panes", a->panes, b->panes);
    return check_panes(a, b, env, err);
}

/* ---- uniting ---- */

typedef struct uniting {
    const bpk_sketch *const *src;
    size_t n;
    const bpk_sketch **part; /* room for n */
    bpk_window *out;
} uniting;

static const bpk_window *window_of(const bpk_sketch *const *src, size_t i) {
    return (const bpk_window *)src[i];
}

static bpk_status unite_parts(const uniting *u, size_t parts, bpk_sketch **out, bpk_err *err) {
    bpk_env rest = bpki_window_rest(u->out);
    return parts == 1 ? bpk_copy(out, u->part[0], &rest) : bpk_merge_many(out, u->part, parts, &rest, err);
}

static bpk_status unite_pane(const uniting *u, uint64_t number, bpk_err *err) {
    bpk_sketch *made;
    size_t parts = 0;
    for (size_t i = 0; i < u->n; i++) {
        const bpk_sketch *s = window_at(window_of(u->src, i), number);
        if (s) u->part[parts++] = s;
    }
    if (parts == 0) return BPK_OK;
    BPK_TRY(unite_parts(u, parts, &made, err));
    return bpki_window_put(u->out, number, made);
}

/* Of samples the one with the smallest seed and stream, as their own merge has it. */
static bpk_status unite_models(const uniting *u, bpk_err *err) {
    const bpk_sketch *any = bpki_window_any(window_of(u->src, 0));
    bpk_env rest = bpki_window_rest(u->out);
    bpk_sketch *made;
    if (!any->ops->twin_at && bpki_window_any(u->out)) return BPK_OK;
    for (size_t i = 0; i < u->n && any->ops->twin_at; i++) u->part[i] = window_of(u->src, i)->model;
    if (any->ops->twin_at) BPK_TRY(unite_parts(u, u->n, &made, err));
    else BPK_TRY(bpk_twin(&made, any, &rest));
    return bpki_window_model(u->out, made);
}

static void unite_times(bpk_window *out, const bpk_window *w) {
    out->timed = out->timed || w->timed;
    if (w->now > out->now) out->now = w->now;
    out->late = UINT64_MAX - out->late < w->late ? UINT64_MAX : out->late + w->late;
}

static bpk_status unite(const uniting *u, bpk_err *err) {
    for (size_t i = 0; i < u->n; i++) unite_times(u->out, window_of(u->src, i));
    uint64_t oldest = window_oldest(u->out), held = window_newest(u->out) - oldest;
    for (uint64_t i = 0; i <= held; i++) BPK_TRY(unite_pane(u, oldest + i, err));
    return unite_models(u, err);
}

bpk_status bpki_window_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                  bpk_err *err) {
    const bpk_window *first = window_of(src, 0);
    uniting u = {src, n, NULL, NULL};
    void *parts;
    size_t bytes;
    for (size_t i = 1; i < n; i++) BPK_TRY(check_fit(first, window_of(src, i), env, err));
    if (!bpki_mul(n, sizeof *u.part, &bytes)) return bpki_fail(err, BPK_E_LIMIT, NULL);
    BPK_TRY(bpki_alloc(env, bytes, &parts));
    u.part = parts;
    bpk_status st = bpki_window_make(&u.out, &first->base.domain, first->span, first->panes, env);
    if (st == BPK_OK) {
        st = unite(&u, err);
        if (st == BPK_OK) *out = &u.out->base;
        else bpki_window_release(&u.out->base);
    }
    bpki_release(env, parts, bytes);
    return st;
}

bpk_status bpki_window_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    const bpk_sketch *const both[] = {dst, src};
    bpk_sketch *sum;
    BPK_TRY(bpki_window_merge_many(&sum, both, 2, &dst->env, err));
    bpk_window *a = (bpk_window *)dst, *b = (bpk_window *)sum, keep = *a;
    *a = *b;
    a->base = keep.base;
    keep.base = b->base;
    *b = keep;
    bpki_window_release(sum);
    return BPK_OK;
}
