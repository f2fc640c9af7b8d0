/* window_wire.c - windows as bytes: the prototype, and of each pane that holds something its number and its envelope.
 *
 * All envelopes are read by the ordinary decoder. A pane must then be what the prototype says, and hold something; so
 * that one state has one byte string, and nothing comes in through a window that could not come in alone.
 */
#include "window_state.h"

enum { OFF_KIND = 9, OFF_FORM = 10, OFF_FLAGS = 11, COUNT_BYTES = 8, RECORD_BYTES = 16 };

/* ---- lengths ---- */

/* Where the envelope of a record lies that begins at `at` of the body: in form view at a multiple of 64 of the outer
 * one, whose body begins at such. */
static uint64_t envelope_at(uint64_t at, bpk_form f) {
    at += RECORD_BYTES;
    return f == BPK_FORM_VIEW ? (at + BPKI_VIEW_ALIGN - 1) / BPKI_VIEW_ALIGN * BPKI_VIEW_ALIGN : at;
}

/* The prototype is one more of that size. */
uint64_t bpki_window_view_bytes(uint64_t envelope, uint32_t panes) {
    uint64_t at = COUNT_BYTES;
    for (uint32_t i = 0; i <= panes; i++) at = envelope_at(at, BPK_FORM_VIEW) + envelope;
    return at;
}

/* An empty sketch of the window: one that is there, or one that is made and has to be freed. */
static const bpk_sketch *prototype_of(const bpk_window *w, bpk_sketch **made) {
    *made = NULL;
    if (w->model) return w->model;
    for (uint32_t i = 0; i < window_places(w); i++)
        if (w->pane[i].s && !w->pane[i].used) return w->pane[i].s;
    return bpk_twin(made, bpki_window_any(w), &w->base.env) == BPK_OK ? *made : NULL;
}

static bool add_size(uint64_t *at, const bpk_sketch *s, bpk_form f) {
    size_t n = s ? bpk_encoded_size(s, f) : 0;
    *at = envelope_at(*at, f) + n;
    return n > 0;
}

uint64_t bpki_window_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_window *w = (const bpk_window *)s;
    bpk_sketch *made;
    uint64_t at = COUNT_BYTES, oldest = window_oldest(w), newest = window_newest(w);
    bool all = add_size(&at, prototype_of(w, &made), f);
    bpk_free(made);
    for (uint64_t i = 0; all && i <= newest - oldest; i++)
        if (window_at(w, oldest + i)) all = add_size(&at, window_at(w, oldest + i), f);
    return all ? at : BPKI_NO_MEMORY;
}

/* ---- writing ---- */

void bpki_window_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_window *w = (const bpk_window *)s;
    (void)f;
    bpki_out_u8(o, (uint8_t)bpki_window_any(w)->ops->kind);
    bpki_out_u8(o, w->timed);
    bpki_out_zeros(o, 2);
    bpki_out_u32(o, w->panes);
    bpki_out_u64(o, w->span);
    bpki_out_u64(o, w->now);
    bpki_out_u64(o, w->late);
}

static bpk_status into_outer(void *ctx, const void *bytes, size_t n) {
    bpki_out_bytes(ctx, bytes, n);
    return BPK_OK;
}

static void write_record(bpki_out *o, uint64_t *at, uint64_t number, const bpk_sketch *s, bpk_form f) {
    size_t n = bpk_encoded_size(s, f);
    bpki_out_u64(o, number);
    bpki_out_u64(o, n);
    bpki_out_zeros(o, (size_t)(envelope_at(*at, f) - *at - RECORD_BYTES));
    bpk_status st = n ? bpk_encode(s, f, into_outer, o) : BPK_E_NOMEM;
    if (st != BPK_OK) bpki_out_fail(o, st);
    *at = envelope_at(*at, f) + n;
}

void bpki_window_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_window *w = (const bpk_window *)s;
    uint64_t at = COUNT_BYTES, oldest = window_oldest(w), held = window_newest(w) - oldest;
    uint32_t used = 0;
    bpk_sketch *made;
    const bpk_sketch *prototype = prototype_of(w, &made);
    for (uint64_t i = 0; i <= held; i++) used += window_at(w, oldest + i) != NULL;
    bpki_out_u32(o, used);
    bpki_out_zeros(o, 4);
    if (prototype) write_record(o, &at, 0, prototype, f);
    else bpki_out_fail(o, BPK_E_NOMEM);
    for (uint64_t i = 0; i <= held; i++)
        if (window_at(w, oldest + i)) write_record(o, &at, oldest + i, window_at(w, oldest + i), f);
    bpk_free(made);
}

/* ---- reading ---- */

/* What the parameters say. */
typedef struct plan {
    uint64_t span, now, late;
    uint32_t panes;
    uint8_t of, timed;
} plan;

static bool can_be_pane(uint8_t kind) {
    for (size_t i = 0; bpki_registry(i); i++)
        if (bpki_registry(i)->panes && bpki_registry(i)->kind == kind) return true;
    return false;
}

static bpk_status read_plan(plan *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, BPKI_WINDOW_PARAMS, e->start);
    p->of = bpki_in_u8(&r, "of");
    if (!can_be_pane(p->of)) bpki_in_fail(&r, BPK_E_VERSION, "of");
    p->timed = bpki_in_u8(&r, "timed");
    if (p->timed > 1) bpki_in_fail(&r, BPK_E_CORRUPT, "timed");
    bpki_in_zeros(&r, 2, "reserved");
    p->panes = bpki_in_u32(&r, "panes");
    if (bpki_window_fault(UINT64_MAX, p->panes)) bpki_in_fail(&r, BPK_E_CORRUPT, "panes");
    p->span = bpki_in_u64(&r, "span");
    if (bpki_in_ok(&r) && bpki_window_fault(p->span, p->panes)) bpki_in_fail(&r, BPK_E_CORRUPT, "span");
    p->now = bpki_in_u64(&r, "now");
    if (!p->timed && p->now) bpki_in_fail(&r, BPK_E_CORRUPT, "now");
    p->late = bpki_in_u64(&r, "late");
    if (!p->timed && p->late) bpki_in_fail(&r, BPK_E_CORRUPT, "late");
    return bpki_in_end(&r, "parameters", err);
}

/* A record, as far as the window can see it before it is decoded. */
typedef struct record {
    uint64_t number;
    const uint8_t *number_at, *inner;
    size_t n;
} record;

static void check_header(bpki_in *r, const record *it, uint8_t of, uint8_t form) {
    static const struct {
        unsigned at;
        const char *field;
    } checks[] = {{OFF_KIND, "pane's kind"}, {OFF_FORM, "pane's form"}, {OFF_FLAGS, "pane's flags"}};
    const uint8_t want[] = {of, form, 0};
    if (!bpki_in_ok(r) || it->n < BPKI_HEADER) return; /* the decoder says what is cut off */
    for (unsigned i = 0; i < BPKI_COUNT(checks); i++)
        if (bpki_in_ok(r) && it->inner[checks[i].at] != want[i]) {
            r->field_at = it->inner + checks[i].at;
            bpki_in_fail(r, BPK_E_CORRUPT, checks[i].field);
        }
}

/* Numbers are those of the window from its `least`-th to its `most`-th pane, counted from the oldest. */
typedef struct numbers {
    uint64_t oldest, least, most;
} numbers;

static void read_record(record *it, bpki_in *r, const bpki_envelope *e, uint8_t of, const numbers *n) {
    uint64_t at = (uint64_t)(r->at - e->body);
    it->number = bpki_in_u64(r, "pane");
    const uint64_t place = it->number - n->oldest; /* huge for what is older */
    if (place < n->least || place > n->most) bpki_in_fail(r, BPK_E_CORRUPT, "pane");
    it->number_at = r->field_at;
    uint64_t length = bpki_in_u64(r, "pane's length");
    if (length > e->body_n) bpki_in_fail(r, BPK_E_CORRUPT, "pane's length");
    bpki_in_zeros(r, (size_t)(envelope_at(at, (bpk_form)e->form) - at - RECORD_BYTES), "padding");
    it->inner = bpki_in_bytes(r, (size_t)length, "pane");
    it->n = (size_t)length;
    check_header(r, it, of, e->form);
}

/* Decodes a sketch and shifts what that says to where it lies. */
static bpk_status decode_inner(bpk_sketch **out, const record *it, const bpki_envelope *e, const bpk_env *env,
                               bpk_err *err) {
    bpk_sketch *s;
    const char *field;
    size_t at = (size_t)(it->inner - e->start);
    bpk_status st = bpk_decode(&s, it->inner, it->n, NULL, env, err);
    if (st == BPK_E_LIMIT || st == BPK_E_NOMEM) return bpki_fail(err, st, "panes");
    if (st != BPK_OK && err) err->offset += at;
    if (st != BPK_OK) return st;
    if (bpki_domain_match(&s->domain, &e->domain, NULL) != BPK_OK)
        st = bpki_fail_at(err, BPK_E_CORRUPT, "pane's domain", at);
    else if (!bpki_window_takes(s, &field)) st = bpki_fail_at(err, BPK_E_CORRUPT, field, at);
    if (st == BPK_OK) *out = s;
    else bpk_free(s);
    return st;
}

typedef struct comparison {
    const uint8_t *at;
    size_t left;
} comparison;

static bpk_status compare(void *ctx, const void *bytes, size_t n) {
    comparison *c = ctx;
    if (n > c->left || memcmp(c->at, bytes, n) != 0) return BPK_E_SINK;
    c->at += n;
    c->left -= n;
    return BPK_OK;
}

static bool encodes_to(const bpk_sketch *s, const record *it, bpk_form f) {
    comparison c = {it->inner, it->n};
    return bpk_encode(s, f, compare, &c) == BPK_OK && c.left == 0;
}

/* What is left when its contents are taken out: its parameters, and whether it had none. */
static bpk_status look(const bpk_sketch *s, const record *it, const bpki_envelope *e, window_shape *shape, bool *empty,
                       bpk_err *err) {
    bpk_sketch *bare;
    bpk_status st = bpki_window_emptied(&bare, s, &s->env);
    if (st != BPK_OK) return bpki_fail(err, st, "panes");
    bpki_window_shape(shape, bare);
    *empty = encodes_to(bare, it, (bpk_form)e->form);
    bpk_free(bare);
    return BPK_OK;
}

typedef struct reading {
    const bpki_envelope *e;
    const bpk_env *env;
    plan plan;
    bpki_in r;
    uint32_t n;
    bpk_window *w;
    bpk_sketch *prototype; /* until the window has taken it */
    window_shape shape;
} reading;

static bpk_status read_prototype(reading *x, bpk_err *err) {
    record it;
    bool empty;
    read_record(&it, &x->r, x->e, x->plan.of, &(numbers){0, 0, 0});
    if (!bpki_in_ok(&x->r)) return bpki_in_end(&x->r, "panes", err);
    BPK_TRY(decode_inner(&x->prototype, &it, x->e, x->env, err));
    BPK_TRY(look(x->prototype, &it, x->e, &x->shape, &empty, err));
    return empty ? BPK_OK : bpki_fail_at(err, BPK_E_CORRUPT, "prototype", (size_t)(it.inner - x->e->start));
}

static bpk_status check_pane(reading *x, const bpk_sketch *s, const record *it, bpk_err *err) {
    window_shape shape;
    bool empty;
    size_t at = (size_t)(it->inner - x->e->start);
    BPK_TRY(look(s, it, x->e, &shape, &empty, err));
    if (!bpki_window_same_shape(&shape, &x->shape)) return bpki_fail_at(err, BPK_E_CORRUPT, "pane's parameters", at);
    return empty ? bpki_fail_at(err, BPK_E_CORRUPT, "empty pane", at) : BPK_OK;
}

static bpk_status read_pane(reading *x, numbers *n, bpk_err *err) {
    record it;
    bpk_sketch *s;
    bpk_env rest = bpki_window_rest(x->w);
    read_record(&it, &x->r, x->e, x->plan.of, n);
    if (!bpki_in_ok(&x->r)) return bpki_in_end(&x->r, "panes", err);
    BPK_TRY(decode_inner(&s, &it, x->e, &rest, err));
    s->env.max_bytes = x->env->max_bytes; /* for the look */
    bpk_status st = check_pane(x, s, &it, err);
    if (st != BPK_OK) {
        bpk_free(s);
        return st;
    }
    n->least = it.number - n->oldest + 1;
    st = bpki_window_put(x->w, it.number, s);
    return st == BPK_OK ? st : bpki_fail(err, st, "panes");
}

/* Samples that share a stream do not merge, so that no question could be answered. */
static bpk_status check_streams(const reading *x, bpk_err *err) {
    bpk_sketch *all;
    bpk_status st = bpki_window_unite(x->w, window_oldest(x->w), window_newest(x->w), &all, NULL);
    if (st == BPK_OK) bpk_free(all);
    if (st == BPK_OK) return st;
    bool memory = st == BPK_E_NOMEM || st == BPK_E_LIMIT;
    return bpki_fail_at(err, memory ? st : BPK_E_CORRUPT, memory ? "panes" : "pane's stream",
                        (size_t)(x->e->body - x->e->start));
}

/* The prototype is kept where no pane can stand for it. */
static bpk_status keep_prototype(reading *x, bpk_err *err) {
    bool differ = x->prototype->ops->twin_at != NULL;
    if (x->n && !differ) return BPK_OK;
    bpk_sketch *model = x->prototype;
    x->prototype = NULL;
    bpk_status st = bpki_window_model(x->w, model);
    if (st != BPK_OK) return bpki_fail(err, st, "panes");
    return differ ? check_streams(x, err) : BPK_OK;
}

static bpk_status read_panes(reading *x, bpk_err *err) {
    const uint64_t oldest = window_oldest(x->w);
    numbers n = {oldest, 0, window_newest(x->w) - oldest};
    BPK_TRY(read_prototype(x, err));
    for (uint32_t i = 0; i < x->n; i++) BPK_TRY(read_pane(x, &n, err));
    BPK_TRY(bpki_in_end(&x->r, "panes", err));
    return keep_prototype(x, err);
}

/* A window whose bytes alone are over the limit is refused before anything is asked for. */
static bpk_status make_empty(reading *x, bpk_err *err) {
    const plan *p = &x->plan;
    BPK_TRY(read_plan(&x->plan, x->e, err));
    x->n = bpki_in_u32(&x->r, "panes");
    if (x->n > p->panes + 1 || (x->n && !p->timed)) bpki_in_fail(&x->r, BPK_E_CORRUPT, "panes");
    bpki_in_zeros(&x->r, 4, "reserved");
    if (!bpki_in_ok(&x->r)) return bpki_in_end(&x->r, "panes", err);
    bpk_status st = x->e->body_n <= x->env->max_bytes ? BPK_OK : BPK_E_LIMIT;
    if (st == BPK_OK) st = bpki_window_make(&x->w, &x->e->domain, p->span, p->panes, x->env);
    if (st != BPK_OK) return bpki_fail(err, st, "panes");
    x->w->now = p->now;
    x->w->late = p->late;
    x->w->timed = p->timed;
    return BPK_OK;
}

bpk_status bpki_window_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    reading x = {.e = e, .env = bpki_env(env), .r = bpki_in_open(e->body, (size_t)e->body_n, e->start)};
    BPK_TRY(make_empty(&x, err));
    bpk_status st = read_panes(&x, err);
    bpk_free(x.prototype);
    if (st == BPK_OK) *out = &x.w->base;
    else bpki_window_release(&x.w->base);
    return st;
}
