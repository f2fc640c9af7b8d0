/* t_limit.h - rate limiters to test, beside two models: the sketch in numbers that never wrap, and the exact limiter of
 * each key (GCRA) in whole numbers. */
#ifndef T_LIMIT_H
#define T_LIMIT_H

#include "t_streams.h"

#include "cells.h"

static inline bpk_limit *t_limit_new(bpk_limit_config cfg) {
    bpk_limit *l = NULL;
    if (!cfg.width) cfg.width = 1000;
    if (!cfg.depth) cfg.depth = 4;
    assert_int_equal(bpk_limit_new(&l, &cfg, NULL), BPK_OK);
    return l;
}
static inline void t_limit_free(bpk_limit *l) {
    bpk_free(bpk_limit_base(l));
}
static inline const bpk_sketch *t_limit_base(const bpk_limit *l) {
    return (const bpk_sketch *)l;
}
static inline bpk_limit *t_limit_copy(const bpk_limit *l) {
    bpk_sketch *s = NULL;
    const bpk_env env = bpk_env_default();
    assert_int_equal(bpk_copy(&s, t_limit_base(l), &env), BPK_OK);
    return (bpk_limit *)s;
}
static inline bpk_limit_reply t_peek(const bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now) {
    bpk_limit_reply r;
    memset(&r, 0xee, sizeof r);
    bpk_limit_peek(l, hash, cost, now, &r);
    return r;
}
/* Takes; the reply is that of a peek before, and the sketch has changed when something was taken only. */
static inline bpk_limit_reply t_take(bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now) {
    bpk_limit_reply would = t_peek(l, hash, cost, now), r;
    bpk_limit_take(l, hash, cost, now, &r);
    assert_true(r.allowed == would.allowed && r.never == would.never && r.limit == would.limit);
    assert_true(r.remaining == would.remaining && r.is_estimate == would.is_estimate);
    assert_true(r.retry_after == would.retry_after && r.reset_after == would.reset_after);
    return r;
}
static inline void t_refund(bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now) {
    assert_int_equal(bpk_limit_refund(l, hash, cost, now, NULL, NULL), BPK_OK);
}

/* What a reply says of later times is so, to the tick, where nothing else comes. */
static inline void t_check_reply(const bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now, bool exact) {
    bpk_limit_reply r = t_peek(l, hash, cost, now), state = t_peek(l, hash, 0, now);
    now = now > bpk_limit_now(l) ? now : bpk_limit_now(l);
    assert_true(state.allowed && state.remaining <= state.limit && state.retry_after == 0);
    assert_true(state.remaining == 0 || t_peek(l, hash, state.remaining, now).allowed);
    assert_false(t_peek(l, hash, state.remaining + 1, now).allowed);
    assert_int_equal(r.allowed, cost <= state.remaining);
    assert_int_equal(r.never, cost > r.limit);
    uint64_t left = state.remaining - (r.allowed ? cost : 0); /* between two units one more is lost */
    assert_true(r.remaining == left || (r.remaining + 1 == left && r.allowed && !exact));
    if (r.never) assert_true(r.retry_after == UINT64_MAX);
    else assert_int_equal(r.allowed, r.retry_after == 0);
    if (!r.allowed && r.retry_after <= UINT64_MAX - now) {
        assert_true(t_peek(l, hash, cost, now + r.retry_after).allowed);
        assert_false(t_peek(l, hash, cost, now + r.retry_after - 1).allowed);
    }
    if (state.reset_after <= UINT64_MAX - now) {
        assert_true(t_peek(l, hash, 0, now + state.reset_after).remaining == state.limit);
        if (state.reset_after) assert_true(t_peek(l, hash, 0, now + state.reset_after - 1).remaining < state.limit);
    }
}

/* ---- the exact limiter: times in 1 / limit of a tick, in which an event is a period ---- */

typedef struct t_gcra {
    uint64_t limit, period, burst, until; /* until: its theoretical arrival time */
} t_gcra;
static inline bool t_gcra_allows(const t_gcra *g, uint64_t cost, uint64_t now) {
    return cost <= g->burst && g->until <= now * g->limit + (g->burst - cost) * g->period;
}
static inline void t_gcra_take(t_gcra *g, uint64_t cost, uint64_t now) {
    g->until = (g->until > now * g->limit ? g->until : now * g->limit) + cost * g->period;
}
static inline void t_gcra_refund(t_gcra *g, uint64_t cost, uint64_t now) {
    uint64_t ahead = g->until > now * g->limit ? g->until - now * g->limit : 0;
    bool all = ahead / g->period < cost;
    g->until = now * g->limit + (all ? 0 : ahead - cost * g->period);
}

/* ---- the sketch, cell by cell, in units that never wrap: now x units stays below 2^64 ---- */

enum { T_LIMIT_WIDTH = 16, T_LIMIT_DEPTH = 3, T_LIMIT_REFUNDS = 64 };

typedef struct t_refund_entry {
    uint64_t hash, own, until;
} t_refund_entry;
typedef struct t_limit_model {
    uint64_t period, units, scale, burst, now, cell[T_LIMIT_DEPTH][T_LIMIT_WIDTH];
    t_refund_entry refund[T_LIMIT_REFUNDS];
    size_t refunds;
} t_limit_model;

/* Units of an event, as docs/format.md has them; *whole: ticks are whole units. */
static inline uint64_t t_scale_of(uint64_t limit, uint64_t period, uint64_t burst, bool *whole) {
    uint64_t common = limit, rest = period, scale = 256;
    while (rest) {
        uint64_t next = common % rest;
        common = rest;
        rest = next;
    }
    *whole = period / common <= (UINT64_C(1) << 30) / burst && period / common <= UINT64_MAX / limit;
    while (scale * burst > UINT64_C(1) << 30) scale /= 2;
    return *whole ? period / common : scale;
}
static inline t_limit_model t_model_of(const bpk_limit *l) {
    bool whole;
    bpk_limit_config cfg = bpk_limit_made_for(l);
    t_limit_model m = {.period = cfg.period, .burst = cfg.burst};
    assert_true(cfg.width == T_LIMIT_WIDTH && cfg.depth == T_LIMIT_DEPTH);
    m.scale = t_scale_of(cfg.limit, cfg.period, cfg.burst, &whole);
    m.units = cfg.limit * m.scale;
    return m;
}
static inline uint64_t t_model_floor(const t_limit_model *m) {
    assert_true(m->now <= UINT64_MAX / m->units);
    return m->now * m->units / m->period;
}
static inline uint64_t t_model_ceil(const t_limit_model *m) {
    return t_model_floor(m) + (m->now * m->units % m->period != 0);
}
static inline uint64_t *t_model_cell(t_limit_model *m, uint64_t hash, uint32_t row) {
    for (uint32_t r = 0; r < row; r++) hash = bpki_cells_next(hash);
    return &m->cell[row][bpki_mulhi(hash, T_LIMIT_WIDTH)];
}
static inline uint64_t t_model_least(t_limit_model *m, uint64_t hash) {
    uint64_t least = UINT64_MAX;
    for (uint32_t r = 0; r < T_LIMIT_DEPTH; r++)
        least = *t_model_cell(m, hash, r) < least ? *t_model_cell(m, hash, r) : least;
    return least;
}
/* Time goes on; what is over counts no more. */
static inline void t_model_advance(t_limit_model *m, uint64_t now) {
    size_t kept = 0;
    if (now > m->now) m->now = now;
    for (size_t i = 0; i < m->refunds; i++)
        if (m->refund[i].until > t_model_floor(m)) m->refund[kept++] = m->refund[i];
    m->refunds = kept;
}
static inline t_refund_entry *t_model_refund(t_limit_model *m, uint64_t hash) {
    for (size_t i = 0; i < m->refunds; i++)
        if (m->refund[i].hash == hash) return &m->refund[i];
    return NULL;
}
static inline uint64_t t_model_time(t_limit_model *m, uint64_t hash) {
    t_refund_entry *e = t_model_refund(m, hash);
    uint64_t until = e ? e->own : t_model_least(m, hash);
    return until > t_model_floor(m) ? until : t_model_floor(m);
}
static inline void t_model_becomes(t_limit_model *m, uint64_t hash, uint64_t time) {
    t_refund_entry *e = t_model_refund(m, hash);
    uint64_t least = t_model_least(m, hash);
    if (!e && time < least) {
        assert_true(m->refunds < T_LIMIT_REFUNDS);
        e = &m->refund[m->refunds++];
    }
    if (time < least) *e = (t_refund_entry){hash, time, least};
    else if (e) *e = m->refund[--m->refunds];
}
static inline bool t_model_take(t_limit_model *m, uint64_t hash, uint64_t cost) {
    uint64_t time = t_model_time(m, hash), to = (time > t_model_ceil(m) ? time : t_model_ceil(m)) + cost * m->scale;
    if (cost == 0 || cost > m->burst || time > t_model_floor(m) + (m->burst - cost) * m->scale) return false;
    bool beside = to < t_model_least(m, hash);
    t_model_becomes(m, hash, to);
    for (uint32_t r = 0; r < T_LIMIT_DEPTH && !beside; r++) {
        uint64_t *cell = t_model_cell(m, hash, r);
        *cell = *cell > to ? *cell : to;
    }
    return true;
}
static inline void t_model_give_back(t_limit_model *m, uint64_t hash, uint64_t cost) {
    uint64_t time = t_model_time(m, hash), now = t_model_floor(m), ahead = time - now;
    uint64_t back = ahead / m->scale < cost ? ahead : cost * m->scale;
    if (back) t_model_becomes(m, hash, time - back);
}

static inline int t_by_hash(const void *a, const void *b) {
    const t_refund_entry *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}
/* The sketch in form view says what the model holds: cells and refunds, from now on. */
static inline void t_model_check(t_limit_model *m, const bpk_limit *l) {
    t_bytes b = t_encode(t_limit_base(l), BPK_FORM_VIEW);
    const uint8_t *at = b.p + 128;
    uint64_t now = t_model_floor(m);
    assert_true(bpk_limit_now(l) == m->now && t_load64(b.p + 64) == m->now);
    for (uint32_t r = 0; r < T_LIMIT_DEPTH; r++)
        for (size_t i = 0; i < T_LIMIT_WIDTH; i++, at += 4)
            assert_true(bpki_load32(at) == (m->cell[r][i] > now ? m->cell[r][i] - now : 0));
    qsort(m->refund, m->refunds, sizeof m->refund[0], t_by_hash);
    assert_int_equal(bpki_load32(b.p + 60), m->refunds);
    assert_int_equal(b.n, 128 + 4 * T_LIMIT_DEPTH * T_LIMIT_WIDTH + 16 * m->refunds + 8);
    for (size_t i = 0; i < m->refunds; i++, at += 16) {
        const t_refund_entry *e = &m->refund[i];
        assert_true(t_load64(at) == e->hash && bpki_load32(at + 8) == (e->own > now ? e->own - now : 0));
        assert_true(bpki_load32(at + 12) == e->until - now);
    }
    free(b.p);
}

#endif
