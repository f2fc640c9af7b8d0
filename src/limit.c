/* limit.c - layer 2: may this key go on? What both methods of the rate limiter have in common: making, taking, merging.
 *
 * Theoretical arrival times are the business of limit_arrival.c, refunds of limit_refunds.c, counts of two windows of
 * limit_windows.c, ticks and units of limit_units.c, bytes of limit_wire.c.
 */
#include "limit_state.h"

static const uint64_t DEFAULT_BYTES = 64 << 10;

enum { DEFAULT_DEPTH = 4 /* docs/rooms/limit.md: the best at 64 KiB */ };

static const char *const methods[] = {"arrival", "windows", NULL};

static bpk_limit *as_limit(bpk_sketch *s) {
    return (bpk_limit *)s;
}
static const bpk_limit *as_limit_const(const bpk_sketch *s) {
    return (const bpk_limit *)s;
}

/* ---- making ---- */

/* The configuration as it is used, or BPK_E_ARG naming what is out of range. */
static bpk_status settle(bpk_limit_config *cfg, const char **field) {
    bool windows = cfg->method == BPK_LIMIT_WINDOWS;
    uint64_t burst = cfg->burst || windows ? cfg->burst : cfg->limit;
    *field = "method";
    if (cfg->method > BPK_LIMIT_WINDOWS) return BPK_E_ARG;
    *field = "limit";
    if (cfg->limit < 1 || cfg->limit > bpki_limit_events_max(cfg->method)) return BPK_E_ARG;
    *field = "period";
    if (cfg->period < 1) return BPK_E_ARG;
    *field = "burst";
    if (burst > (windows ? 0 : BPK_LIMIT_BURST_MAX)) return BPK_E_ARG;
    *field = "width";
    if (cfg->width < 1) return BPK_E_ARG;
    *field = "depth";
    if (cfg->depth < 1 || cfg->depth > BPK_LIMIT_DEPTH_MAX) return BPK_E_ARG;
    cfg->burst = (uint32_t)burst;
    return BPK_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The units of an event: so many that a tick is a whole number of them, too, where a burst of that fits into a cell.
 * Then nothing is ever rounded. Else a power of two, and what is between two units costs up to one. */
static uint32_t scale_for(const bpk_limit_config *cfg) {
    uint64_t whole = cfg->period / common_divisor(cfg->limit, cfg->period), burst = cfg->burst;
    uint32_t scale = LIMIT_SCALE_MAX;
    if (whole <= BPK_LIMIT_BURST_MAX / burst && whole <= UINT64_MAX / cfg->limit) return (uint32_t)whole;
    while (scale > BPK_LIMIT_BURST_MAX / burst) scale /= 2;
    return scale;
}

static bpk_status make(bpk_limit **out, const bpk_limit_config *cfg, const bpk_env *env) {
    size_t bytes;
    void *object, *cells;
    unsigned halves = cfg->method == BPK_LIMIT_WINDOWS ? 2 : 1;
    if (!bpki_cells_size(cfg->width, cfg->depth * halves, LIMIT_CELL, &bytes)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, sizeof(bpk_limit), &object));
    bpk_limit *l = object;
    bpk_status st = bpki_sketch_init(&l->base, &bpki_limit_ops, &cfg->domain, env);
    if (st == BPK_OK) st = bpki_alloc(env, bytes, &cells);
    if (st != BPK_OK) {
        bpki_release(env, l, sizeof *l);
        return st;
    }
    l->cells = (bpki_cells){cells, cfg->width, cfg->depth, LIMIT_CELL, UINT32_MAX};
    l->cell_size = bytes;
    bpki_limit_configure(l, cfg);
    *out = l;
    return BPK_OK;
}

void bpki_limit_configure(bpk_limit *l, const bpk_limit_config *cfg) {
    l->method = cfg->method;
    l->limit = cfg->limit;
    l->burst = cfg->burst;
    l->scale = cfg->burst ? scale_for(cfg) : 0;
    l->rate = (limit_rate){cfg->period, cfg->burst ? cfg->limit * l->scale : 1};
}

void bpki_limit_start(bpk_limit *l, uint64_t now) {
    l->now = now;
    l->swept = l->refunds.swept = bpki_limit_instant(l->rate, now).floor;
    l->origin = (uint32_t)l->swept;
}

bpk_status bpk_limit_new(bpk_limit **out, const bpk_limit_config *cfg, const bpk_env *env) {
    const char *field;
    bpk_limit_config settled = *cfg;
    BPK_TRY(settle(&settled, &field));
    return make(out, &settled, bpki_env(env));
}

/* ---- from text ---- */

static void read_size(bpk_limit_config *cfg, bpki_params *ps) {
    bool by_hand = bpki_param_given(ps, "width");
    unsigned halves = cfg->method == BPK_LIMIT_WINDOWS ? 2 : 1;
    uint64_t depth = bpki_param_count(ps, "depth", DEFAULT_DEPTH);
    if (depth < 1 || depth > BPK_LIMIT_DEPTH_MAX) bpki_param_fail(ps, "depth");
    cfg->depth = depth >= 1 && depth <= BPK_LIMIT_DEPTH_MAX ? (uint32_t)depth : DEFAULT_DEPTH;
    uint64_t bytes = by_hand ? 0 : bpki_param_bytes(ps, "bytes", DEFAULT_BYTES);
    uint64_t width = by_hand ? bpki_param_count(ps, "width", 0) : bytes / LIMIT_CELL / halves / cfg->depth;
    if (width < 1 || width > UINT32_MAX) bpki_param_fail(ps, by_hand ? "width" : "bytes");
    cfg->width = width >= 1 && width <= UINT32_MAX ? (uint32_t)width : 1;
}

static bpk_status config_from(bpk_limit_config *out, bpki_params *ps, bpk_err *err) {
    const char *field;
    bpk_limit_config cfg = {.method = (uint8_t)bpki_param_word(ps, "method", methods, BPK_LIMIT_ARRIVAL)};
    cfg.limit = bpki_param_count(ps, "limit", 0);
    cfg.period = bpki_param_count(ps, "period", 0);
    bpki_param_missing(ps, "limit");
    bpki_param_missing(ps, "period");
    uint64_t burst = bpki_param_count(ps, "burst", 0);
    if (bpki_param_given(ps, "burst") && (burst < 1 || burst > BPK_LIMIT_BURST_MAX)) bpki_param_fail(ps, "burst");
    cfg.burst = burst <= BPK_LIMIT_BURST_MAX ? (uint32_t)burst : 0;
    read_size(&cfg, ps);
    if (settle(&cfg, &field) != BPK_OK) bpki_param_fail(ps, field);
    BPK_TRY(bpki_params_end(ps, err));
    *out = cfg;
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_limit_config cfg;
    (void)items; /* all cells are there from the start */
    BPK_TRY(config_from(&cfg, ps, err));
    uint64_t cells = (uint64_t)cfg.width * cfg.depth * LIMIT_CELL * (cfg.method == BPK_LIMIT_WINDOWS ? 2 : 1);
    *out = (bpki_cost){.memory = sizeof(bpk_limit) + cells, .body = cells};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_limit_config cfg;
    bpk_limit *l;
    BPK_TRY(config_from(&cfg, ps, err));
    if (d) cfg.domain = *d;
    BPK_TRY(make(&l, &cfg, env));
    *out = &l->base;
    return BPK_OK;
}

/* ---- life cycle ---- */

static size_t refund_bytes(const bpk_limit *l) {
    return (size_t)l->refunds.room * LIMIT_REFUND;
}

void bpki_limit_release(bpk_sketch *s) {
    bpk_limit *l = as_limit(s);
    bpk_env env = s->env;
    bpki_release(&env, l->refunds.bytes, refund_bytes(l));
    bpki_release(&env, l->cells.bytes, l->cell_size);
    bpki_release(&env, l, sizeof *l);
}

static void reset(bpk_sketch *s) {
    bpk_limit *l = as_limit(s);
    memset(l->cells.bytes, 0, l->cell_size);
    l->now = l->swept = l->refunds.swept = 0;
    l->origin = l->refunds.n = 0;
    l->current = 0;
}

bpk_limit_config bpk_limit_made_for(const bpk_limit *l) {
    return (bpk_limit_config){.domain = l->base.domain,
                              .limit = l->limit,
                              .period = l->rate.period,
                              .burst = l->burst,
                              .width = (uint32_t)l->cells.width,
                              .depth = l->cells.depth,
                              .method = l->method};
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_limit_config cfg = bpk_limit_made_for(as_limit_const(s));
    bpk_limit *made;
    BPK_TRY(make(&made, &cfg, env));
    *out = &made->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_limit *l = as_limit_const(s);
    bpk_sketch *base;
    void *refunds;
    size_t n = l->refunds.n * (size_t)LIMIT_REFUND;
    BPK_TRY(twin(&base, s, env));
    bpk_status st = bpki_alloc(env, n, &refunds);
    if (st != BPK_OK) {
        bpki_limit_release(base);
        return st;
    }
    bpk_limit *made = as_limit(base);
    memcpy(made->cells.bytes, l->cells.bytes, limit_cell_bytes(l));
    if (n) memcpy(refunds, l->refunds.bytes, n);
    made->refunds = (limit_refunds){refunds, l->refunds.n, l->refunds.n, l->refunds.swept};
    made->current = l->current;
    made->now = l->now;
    made->origin = l->origin;
    made->swept = l->swept;
    *out = base;
    return BPK_OK;
}

/* What passes depends on what came before. */
static bool splittable(const bpk_sketch *s) {
    (void)s;
    return false;
}

static size_t memory(const bpk_sketch *s) {
    return sizeof(bpk_limit) + as_limit_const(s)->cell_size + refund_bytes(as_limit_const(s));
}

/* ---- taking ---- */

static uint64_t later(const bpk_limit *l, uint64_t now) {
    return now > l->now ? now : l->now;
}

/* The most that can ever be allowed at once. */
static uint64_t cost_max(const bpk_limit *l) {
    return l->method == BPK_LIMIT_WINDOWS ? l->limit : l->burst;
}

void bpk_limit_peek(const bpk_limit *l, uint64_t hash, uint64_t cost_of, uint64_t now, bpk_limit_reply *reply) {
    bool never = cost_of > cost_max(l);
    *reply = (bpk_limit_reply){.limit = cost_max(l), .is_estimate = l->method == BPK_LIMIT_WINDOWS, .never = never};
    limit_method_of(l)->ask(l, hash, never ? 0 : (uint32_t)cost_of, later(l, now), reply);
    if (!never) return;
    reply->allowed = false;
    reply->retry_after = UINT64_MAX;
}

void bpk_limit_take(bpk_limit *l, uint64_t hash, uint64_t cost_of, uint64_t now, bpk_limit_reply *reply) {
    const limit_method *m = limit_method_of(l);
    if (reply) bpk_limit_peek(l, hash, cost_of, now, reply);
    if (cost_of == 0) return;
    m->advance(l, now);
    if (cost_of <= cost_max(l)) m->take(l, hash, (uint32_t)cost_of);
}

void bpk_limit_take_many(bpk_limit *l, const bpk_items *it, bpk_limit_reply *reply) {
    for (size_t i = 0; i < it->n; i++)
        bpk_limit_take(l, it->hash[i], it->weight ? it->weight[i] : 1, it->now, reply + i);
}

static bool takes_something(const bpk_items *it) {
    if (!it->weight) return it->n > 0;
    for (size_t i = 0; i < it->n; i++)
        if (it->weight[i]) return true;
    return false;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_limit *l = as_limit(s);
    if (takes_something(it)) limit_method_of(l)->advance(l, it->now);
    limit_method_of(l)->add(l, it, changed);
    *done = it->n;
    return BPK_OK;
}

static void advance(bpk_sketch *s, uint64_t now) {
    limit_method_of(as_limit(s))->advance(as_limit(s), now);
}

bpk_status bpk_limit_refund(bpk_limit *l, uint64_t hash, uint64_t cost_of, uint64_t now, bpk_limit_reply *reply,
                            bpk_err *err) {
    if (l->method == BPK_LIMIT_WINDOWS)
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "refund", "counts may be those of other keys");
    limit_present p = bpki_limit_present(l, later(l, now));
    uint32_t backlog = bpki_limit_backlog(l, hash, p);
    uint32_t back = cost_of <= backlog / l->scale ? (uint32_t)cost_of * l->scale : backlog;
    bpk_status st = back && cost_of ? bpki_limit_refunds_reserve(l, hash, p) : BPK_OK;
    if (st != BPK_OK) return bpki_fail(err, st, "refunds");
    if (cost_of) bpki_limit_arrival.advance(l, now);
    if (back && cost_of) bpki_limit_refund_becomes(l, hash, backlog - back, bpki_limit_present(l, l->now));
    if (reply) bpk_limit_peek(l, hash, 0, now, reply);
    return BPK_OK;
}

double bpk_limit_fresh(const bpk_limit *l, uint64_t now) {
    return limit_method_of(l)->fresh(l, later(l, now));
}

/* ---- algebra ---- */

static uint32_t larger(uint32_t a, uint32_t b, uint32_t most) {
    (void)most;
    return a > b ? a : b;
}
static uint32_t smaller(uint32_t a, uint32_t b, uint32_t most) {
    (void)most;
    return a < b ? a : b;
}
static uint32_t sum(uint32_t a, uint32_t b, uint32_t most) {
    return b < most - a ? a + b : most;
}

static bpk_status shapes_match(const bpk_limit *a, const bpk_limit *b, bpk_err *err) {
    if (a->method != b->method) return bpki_mismatch_text(err, "method", methods[a->method], methods[b->method]);
    if (a->limit != b->limit) return bpki_mismatch(err, "limit", a->limit, b->limit);
    if (a->rate.period != b->rate.period) return bpki_mismatch(err, "period", a->rate.period, b->rate.period);
    if (a->burst != b->burst) return bpki_mismatch(err, "burst", a->burst, b->burst);
    if (a->cells.width != b->cells.width) return bpki_mismatch(err, "width", a->cells.width, b->cells.width);
    if (a->cells.depth != b->cells.depth) return bpki_mismatch(err, "depth", a->cells.depth, b->cells.depth);
    return BPK_OK;
}

/* At the later of both times. */
static bpk_status join(bpk_limit *dst, const bpk_limit *src, limit_join how, limit_join until, bpk_err *err) {
    const limit_method *m = limit_method_of(dst);
    BPK_TRY(shapes_match(dst, src, err));
    m->advance(dst, src->now);
    m->join(dst, src, how);
    if (dst->refunds.n)
        bpki_limit_refunds_join(dst, src, bpki_limit_present(dst, dst->now), bpki_limit_present(src, dst->now), how,
                                until);
    return BPK_OK;
}

static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    return join(as_limit(dst), as_limit_const(src), larger, smaller, err);
}

bpk_status bpk_limit_sum(bpk_limit *dst, const bpk_limit *src, bpk_err *err) {
    BPK_TRY(bpki_domain_match(&dst->base.domain, &src->base.domain, err));
    return join(dst, src, sum, sum, err);
}

/* ---- questions ---- */

uint64_t bpk_limit_now(const bpk_limit *l) {
    return l->now;
}

const bpk_limit *bpk_as_limit(const bpk_sketch *s) {
    return s->ops == &bpki_limit_ops ? as_limit_const(s) : NULL;
}

static double live_share(const bpk_limit *l) {
    enum { SOME = 256 };
    uint8_t bytes[SOME * LIMIT_CELL];
    uint64_t all = limit_cell_bytes(l) / LIMIT_CELL, live = 0;
    for (uint64_t i = 0; i < all; i += SOME) {
        size_t n = all - i < SOME ? (size_t)(all - i) : SOME;
        limit_method_of(l)->read(l, i, n, bytes);
        for (size_t k = 0; k < n; k++) live += bpki_load32(bytes + k * LIMIT_CELL) > 0;
    }
    return (double)live / (double)all;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_limit *l = as_limit_const(s);
    bool windows = l->method == BPK_LIMIT_WINDOWS;
    bpki_walk_text(w, "method", methods[l->method]);
    bpki_walk_number(w, "limit", (double)l->limit, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "period", (double)l->rate.period, BPK_UNIT_NONE);
    if (!windows) bpki_walk_number(w, "burst", l->burst, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "width", (double)l->cells.width, BPK_UNIT_NONE);
    bpki_walk_number(w, "depth", l->cells.depth, BPK_UNIT_NONE);
    bpki_walk_number(w, "now", (double)l->now, BPK_UNIT_NONE);
    bpki_walk_number(w, "fill", live_share(l), BPK_UNIT_SHARE);
    if (!windows) bpki_walk_number(w, "refunds", bpki_limit_refunds_left(l, NULL), BPK_UNIT_NONE);
    bpki_walk_number(w, "fresh_limited", bpk_limit_fresh(l, l->now), BPK_UNIT_SHARE);
}

/* What an operator wants to know before its users do: how many of those who did nothing would be limited. */
static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_limit *l = as_limit_const(s);
    h->fill = live_share(l);
    h->error_now = bpk_limit_fresh(l, l->now);
    h->yields = true;
    h->reason = h->error_now >= 0.1    ? "one in ten new keys would be limited, or more"
                : h->error_now >= 0.01 ? "one in a hundred new keys would be limited, or more"
                                       : "new keys pass";
    if (h->error_now < 0.01) return BPK_HEALTH_OK;
    return h->error_now < 0.1 ? BPK_HEALTH_WARN : BPK_HEALTH_OVER;
}

const bpki_ops bpki_limit_ops = {
    .kind = BPK_KIND_LIMIT,
    .name = "limit",
    .question = "may this key go on?",
    .params_n = LIMIT_PARAMS,
    .create = create,
    .cost = cost,
    .add = add,
    .advance = advance,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_limit_release,
    .memory = memory,
    .body_size = bpki_limit_body_size,
    .encode_params = bpki_limit_encode_params,
    .encode_body = bpki_limit_encode_body,
    .decode = bpki_limit_decode,
    .info = info,
    .health = health,
    .view = bpki_limit_view,
    .splittable = splittable,
};
