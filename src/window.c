/* window.c - the ring itself: panes that are made, filled and dropped as time goes on.
 *
 * A pane is any sketch that merges, and everything is known of it through its own verbs. What the window adds is which
 * pane an item belongs to, and when one is over. A pane that is over is emptied and serves again for the next that
 * opens, wherever that lies, so that there are never more sketches than held something at one time. Where twins must
 * differ (samples), it is freed, and each pane is the twin with its own number: the same after reload, and never the
 * one of another time.
 */
#include "window_state.h"

#include <ballpark/bloom.h>

static bpk_window *as_window(bpk_sketch *s) {
    return (bpk_window *)s;
}
static const bpk_window *as_window_const(const bpk_sketch *s) {
    return (const bpk_window *)s;
}
const bpk_window *bpk_as_window(const bpk_sketch *s) {
    return s->ops == &bpki_window_ops ? as_window_const(s) : NULL;
}

/* ---- making and freeing ---- */

const char *bpki_window_fault(uint64_t span, uint64_t panes) {
    if (panes < 1 || panes > BPK_WINDOW_PANES_MAX) return "panes";
    return span < panes ? "span" : NULL;
}

/* False ends the walk: it has a half-life. */
static bool no_half_life(void *ctx, const bpk_field *f) {
    bool *decays = ctx;
    *decays |= strcmp(f->name, "half_life") == 0 && !f->text && f->num.estimate > 0;
    return !*decays;
}

bool bpki_window_takes(const bpk_sketch *s, const char **field) {
    bpk_bloom_config plan;
    bpk_bloom_shape shape;
    bool decays = false;
    *field = "of";
    if (!s->ops->panes) return false;
    *field = "half_life";
    bpk_info(s, no_half_life, &decays);
    if (decays || !bpk_as_bloom(s)) return !decays;
    bpk_bloom_made_for(bpk_as_bloom(s), &plan, &shape);
    *field = "generations";
    return plan.generations == 0;
}

bpk_status bpki_window_make(bpk_window **out, const bpk_domain *d, uint64_t span, uint32_t panes, const bpk_env *env) {
    void *object, *places = NULL;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_window), &object));
    bpk_window *w = object;
    bpk_status st = bpki_sketch_init(&w->base, &bpki_window_ops, d, env);
    if (st == BPK_OK) st = bpki_alloc(env, (panes + 1) * sizeof(window_pane), &places);
    if (st != BPK_OK) {
        bpki_release(env, w, sizeof *w);
        return st;
    }
    w->span = span;
    w->panes = panes;
    w->length = window_length(span, panes);
    w->pane = places;
    *out = w;
    return BPK_OK;
}

void bpki_window_release(bpk_sketch *s) {
    bpk_window *w = as_window(s);
    bpk_env env = s->env;
    for (uint32_t i = 0; i < window_places(w); i++) bpk_free(w->pane[i].s);
    bpk_free(w->model);
    bpki_release(&env, w->pane, window_places(w) * sizeof(window_pane));
    bpki_release(&env, w, sizeof *w);
}

/* Hands a window out, or frees what there is of it. */
static bpk_status finish(bpk_sketch **out, bpk_window *w, bpk_status st) {
    if (st == BPK_OK) *out = &w->base;
    else bpki_window_release(&w->base);
    return st;
}

size_t bpki_window_memory(const bpk_sketch *s) {
    const bpk_window *w = as_window_const(s);
    return sizeof *w + window_places(w) * sizeof(window_pane) + w->held;
}

const bpk_sketch *bpki_window_any(const bpk_window *w) {
    const bpk_sketch *s = w->model;
    for (uint32_t i = 0; !s && i < window_places(w); i++) s = w->pane[i].s;
    return s;
}

bpk_status bpki_window_emptied(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    BPK_TRY(s->ops->copy(out, s, env ? env : &s->env)); /* without metadata */
    bpk_reset(*out);
    return BPK_OK;
}

/* ---- the limit, which holds for the object, its places and all sketches together ---- */

bpk_env bpki_window_rest(const bpk_window *w) {
    bpk_env env = w->base.env;
    size_t held = bpki_window_memory(&w->base);
    env.max_bytes = env.max_bytes > held ? env.max_bytes - held : 0;
    return env;
}

bpk_status bpki_window_admit(bpk_window *w, bpk_sketch *s) {
    size_t n = bpk_memory(s);
    if (n > bpki_window_rest(w).max_bytes) {
        bpk_free(s);
        return BPK_E_LIMIT;
    }
    s->env.max_bytes = w->base.env.max_bytes;
    w->held += n;
    return BPK_OK;
}

bpk_status bpki_window_put(bpk_window *w, uint64_t number, bpk_sketch *s) {
    window_pane *p = &w->pane[number % window_places(w)];
    assert(!p->s);
    BPK_TRY(bpki_window_admit(w, s));
    *p = (window_pane){.s = s, .number = number, .used = true};
    return BPK_OK;
}

bpk_status bpki_window_model(bpk_window *w, bpk_sketch *s) {
    assert(!w->model);
    BPK_TRY(bpki_window_admit(w, s));
    w->model = s;
    return BPK_OK;
}

/* ---- new ones ---- */

/* Around a sketch that is empty, which is taken over or freed. */
static bpk_status make_around(bpk_sketch **out, bpk_sketch *model, uint64_t span, uint32_t panes, const bpk_env *env) {
    bpk_window *w;
    bpk_status st = bpki_window_make(&w, &model->domain, span, panes, env);
    if (st != BPK_OK) {
        bpk_free(model);
        return st;
    }
    return finish(out, w, bpki_window_model(w, model));
}

bpk_status bpk_window_new(bpk_window **out, const bpk_sketch *prototype, uint64_t span, uint32_t panes,
                          const bpk_env *env) {
    const char *field;
    bpk_sketch *model, *made;
    if (bpki_window_fault(span, panes)) return BPK_E_ARG;
    if (!bpki_window_takes(prototype, &field)) return BPK_E_UNSUPPORTED;
    BPK_TRY(bpki_window_emptied(&model, prototype, bpki_env(env)));
    BPK_TRY(make_around(&made, model, span, panes, env));
    *out = as_window(made);
    return BPK_OK;
}

/* What the window reads of its parameters; those of the panes are left. */
typedef struct own_params {
    const bpki_ops *of;
    uint64_t span;
    uint32_t panes;
    bpk_param rest[BPKI_PARAMS_MAX];
    bpki_params others;
} own_params;

static const bpki_ops *kind_from(bpki_params *ps) {
    enum { KINDS = 32 };
    const bpki_ops *row[KINDS];
    const char *word[KINDS];
    unsigned n = 0;
    for (size_t i = 0; bpki_registry(i) && n + 1 < KINDS; i++) {
        if (!bpki_registry(i)->panes) continue;
        row[n] = bpki_registry(i);
        word[n] = row[n]->name;
        n++;
    }
    word[n] = NULL;
    bpki_param_missing(ps, "of");
    return row[bpki_param_word(ps, "of", word, 0)];
}

static bpk_status read_own(own_params *own, bpki_params *ps, bpk_err *err) {
    own->of = kind_from(ps);
    own->span = bpki_param_count(ps, "span", 1);
    bpki_param_missing(ps, "span");
    bool few = own->span > 0 && own->span < BPK_WINDOW_PANES;
    uint64_t panes = bpki_param_count(ps, "panes", few ? own->span : (uint64_t)BPK_WINDOW_PANES);
    const char *fault = bpki_window_fault(own->span, panes);
    if (fault) bpki_param_fail(ps, fault);
    own->panes = (uint32_t)panes;
    return bpki_params_rest(ps, own->rest, &own->others, err);
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    own_params own;
    bpk_sketch *model;
    const char *field;
    BPK_TRY(read_own(&own, ps, err));
    BPK_TRY(own.of->create(&model, d, &own.others, env, err));
    if (!bpki_window_takes(model, &field)) {
        bpk_free(model);
        return bpki_fail_value(err, BPK_E_ARG, field, bpki_param_text(ps, field, ""));
    }
    return make_around(out, model, own.span, own.panes, env);
}

static uint64_t times(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* When every pane is there and has all the items: which share of them each one has is not known. */
bpk_status bpki_window_cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    own_params own;
    bpki_cost one;
    BPK_TRY(read_own(&own, ps, err));
    BPK_TRY(own.of->cost(&one, &own.others, items, err));
    const uint64_t places = own.panes + UINT64_C(1);
    const size_t frame = BPKI_HEADER + bpki_params_padded(own.of->params_n, BPK_FORM_VIEW) + BPKI_CHECKSUM;
    *out = (bpki_cost){.memory = sizeof(bpk_window) + times(places, sizeof(window_pane) + one.memory),
                       .body = bpki_window_view_bytes(frame + one.body, (uint32_t)places),
                       .keys = times(places, one.keys),
                       .key_bytes = times(places, one.key_bytes),
                       .key_memory = one.key_memory,
                       .key_body = one.key_body};
    return BPK_OK;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_window *from = as_window_const(s);
    bpk_sketch *model;
    BPK_TRY(bpk_twin(&model, bpki_window_any(from), env));
    return make_around(out, model, from->span, from->panes, env);
}

static bpk_status copy_sketches(bpk_window *w, const bpk_window *from) {
    bool any = false;
    for (uint32_t i = 0; i < window_places(from); i++) {
        const window_pane *p = &from->pane[i];
        bpk_sketch *s;
        bpk_env rest = bpki_window_rest(w);
        if (!p->used) continue;
        BPK_TRY(bpk_copy(&s, p->s, &rest));
        BPK_TRY(bpki_window_put(w, p->number, s));
        any = true;
    }
    bpk_sketch *model;
    bpk_env rest = bpki_window_rest(w);
    if (any && !bpki_window_any(from)->ops->twin_at) return BPK_OK;
    if (from->model) BPK_TRY(bpk_copy(&model, from->model, &rest));
    else BPK_TRY(bpk_twin(&model, bpki_window_any(from), &rest));
    return bpki_window_model(w, model);
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_window *from = as_window_const(s);
    bpk_window *w;
    BPK_TRY(bpki_window_make(&w, &s->domain, from->span, from->panes, env));
    w->now = from->now;
    w->late = from->late;
    w->timed = from->timed;
    return finish(out, w, copy_sketches(w, from));
}

/* ---- time ---- */

static void discard(bpk_window *w, window_pane *p) {
    w->held -= bpk_memory(p->s);
    bpk_free(p->s);
    p->s = NULL;
}

/* Its sketch stays, empty, for another pane; or goes where each pane has one of its own. */
static void drop(bpk_window *w, window_pane *p) {
    if (!p->used) return;
    p->used = false;
    if (p->s->ops->twin_at) {
        discard(w, p);
        return;
    }
    w->held -= bpk_memory(p->s);
    bpk_reset(p->s);
    w->held += bpk_memory(p->s);
}

/* Panes from the oldest one of before up to the oldest one of now are over. */
static void tick(bpk_window *w, uint64_t now) {
    if (w->timed && now <= w->now) return;
    uint64_t from = window_oldest(w), behind = window_newest(w) + 1;
    bool timed = w->timed;
    w->now = now;
    w->timed = true;
    if (timed && window_oldest(w) < behind) behind = window_oldest(w);
    for (uint64_t n = from; timed && n < behind; n++) drop(w, &w->pane[n % window_places(w)]);
}

static void advance(bpk_sketch *s, uint64_t now) {
    tick(as_window(s), now);
}

static void reset(bpk_sketch *s) {
    bpk_window *w = as_window(s);
    for (uint32_t i = 0; i < window_places(w); i++) drop(w, &w->pane[i]);
    w->now = w->late = 0;
    w->timed = false;
}

/* ---- adding ---- */

/* A sketch that is there and empty, to be taken from where it is. */
static bpk_sketch *spare(bpk_window *w) {
    bpk_sketch *s = NULL;
    if (bpki_window_any(w)->ops->twin_at) return NULL;
    for (uint32_t i = 0; !s && i < window_places(w); i++) {
        window_pane *p = &w->pane[i];
        if (!p->s || p->used) continue;
        s = p->s;
        p->s = NULL;
    }
    if (s || !w->model) return s;
    s = w->model;
    w->model = NULL;
    return s;
}

/* Of one family, and at a time of its own: 1 to 2^62 - 1, which the panes of one window never go through. */
static uint64_t twin_number(uint64_t number) {
    return 1 + number % ((UINT64_C(1) << 62) - 1);
}

/* In *out only once it is admitted: what does not fit is freed. */
static bpk_status make_pane(bpk_window *w, uint64_t number, bpk_sketch **out) {
    const bpk_sketch *like = bpki_window_any(w);
    bpk_env rest = bpki_window_rest(w);
    bpk_sketch *made;
    if (like->ops->twin_at) BPK_TRY(like->ops->twin_at(&made, like, twin_number(number), &rest));
    else BPK_TRY(bpk_twin(&made, like, &rest));
    BPK_TRY(bpki_window_admit(w, made));
    *out = made;
    return BPK_OK;
}

/* The pane of a number that is held, with a sketch in it. */
static bpk_status open_pane(bpk_window *w, uint64_t number, window_pane **out) {
    window_pane *p = &w->pane[number % window_places(w)];
    assert(!p->used || p->number == number);
    if (p->s && p->number != number && p->s->ops->twin_at) discard(w, p);
    p->number = number;
    if (!p->s) p->s = spare(w);
    if (!p->s) BPK_TRY(make_pane(w, number, &p->s));
    *out = p;
    return BPK_OK;
}

#define SHIFTED(member, at) ((member) ? (member) + (at) : NULL)

/* n items of a batch from place `at` on. */
static bpk_items slice(const bpk_items *it, size_t at, size_t n) {
    return (bpk_items){.n = n,
                       .hash = it->hash + at,
                       .item = SHIFTED(it->item, at),
                       .len = SHIFTED(it->len, at),
                       .weight = SHIFTED(it->weight, at),
                       .now = it->now,
                       .real_weight = SHIFTED(it->real_weight, at),
                       .group = SHIFTED(it->group, at),
                       .group_name = SHIFTED(it->group_name, at),
                       .group_len = SHIFTED(it->group_len, at)};
}

/* A pane holds something from the first item on that changes its sketch: one without weight may not. */
static bpk_status add_to(window_pane *p, const bpk_items *it, uint8_t *changed, size_t *done) {
    while (!p->used && *done < it->n) {
        uint8_t news = 0;
        size_t in;
        bpk_items one = slice(it, *done, 1);
        BPK_TRY(bpk_add(p->s, &one, &news, &in));
        if (changed) changed[*done] = news;
        p->used = news;
        ++*done;
    }
    if (*done == it->n) return BPK_OK;
    size_t before = *done, in;
    bpk_items rest = slice(it, before, it->n - before);
    bpk_status st = bpk_add(p->s, &rest, SHIFTED(changed, before), &in);
    *done = before + in;
    return st;
}

/* While it takes items, what a pane keeps may become as large as the others leave: kinds that grow see to it, but for
 * the object itself. */
static bpk_status add_within_limit(bpk_window *w, window_pane *p, const bpk_items *it, uint8_t *changed, size_t *done) {
    size_t before = bpk_memory(p->s);
    p->s->env.max_bytes = bpki_window_rest(w).max_bytes + before;
    bpk_status st = add_to(p, it, changed, done);
    p->s->env.max_bytes = w->base.env.max_bytes;
    w->held += bpk_memory(p->s) - before;
    return st;
}

static void note_late(bpk_window *w, size_t n, uint8_t *changed, size_t *done) {
    if (changed) memset(changed, 0, n);
    w->late = UINT64_MAX - w->late < n ? UINT64_MAX : w->late + n;
    *done = n;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_window *w = as_window(s);
    window_pane *p;
    *done = 0;
    tick(w, it->now);
    uint64_t number = it->now / w->length;
    if (it->n == 0) return BPK_OK;
    if (number < window_oldest(w)) {
        note_late(w, it->n, changed, done);
        return BPK_OK;
    }
    BPK_TRY(open_pane(w, number, &p));
    return add_within_limit(w, p, it, changed, done);
}

static bool splittable(const bpk_sketch *s) {
    (void)s; /* a part may not know that an item is late */
    return false;
}

/* ---- what it is ---- */

bpk_kind bpk_window_of(const bpk_window *w) {
    return bpki_window_any(w)->ops->kind;
}
uint64_t bpk_window_span(const bpk_window *w) {
    return w->span;
}
uint32_t bpk_window_panes(const bpk_window *w) {
    return w->panes;
}
uint64_t bpk_window_pane(const bpk_window *w) {
    return w->length;
}
uint64_t bpk_window_late(const bpk_window *w) {
    return w->late;
}

const bpki_ops bpki_window_ops = {
    .kind = BPK_KIND_WINDOW,
    .name = "window",
    .question = "what was it lately?",
    .params_n = BPKI_WINDOW_PARAMS,
    .create = create,
    .cost = bpki_window_cost,
    .add = add,
    .advance = advance,
    .merge = bpki_window_merge,
    .merge_many = bpki_window_merge_many,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_window_release,
    .memory = bpki_window_memory,
    .body_size = bpki_window_body_size,
    .encode_params = bpki_window_encode_params,
    .encode_body = bpki_window_encode_body,
    .decode = bpki_window_decode, /* no view: there is no room in it for the panes */
    .info = bpki_window_info,
    .health = bpki_window_health,
    .splittable = splittable,
    .has = bpki_window_has,
    .count = bpki_window_count,
    .rows = bpki_window_rows,
};
