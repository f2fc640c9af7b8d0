/* limits.h - what must hold of rate limiters, whatever they hold: a peek tells what a take does, replies keep their
 * word, refunds give back, merges and sums do not depend on their order. */
#ifndef FUZZ_LIMITS_H
#define FUZZ_LIMITS_H

#include "fuzz.h"

static inline bpk_limit *limits_copy(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    return bpk_copy(&copy, s, env) == BPK_OK ? (bpk_limit *)(void *)copy : NULL;
}

static inline bool limits_refunds(void *ctx, const bpk_field *f) {
    if (!f->text && strcmp(f->name, "refunds") == 0) *(double *)ctx = f->num.estimate;
    return true;
}

/* What is said of now, and of the time to come again: with a refund beside them, cells may have filled by then. */
static inline void limits_reply(const bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now, bool beside) {
    bpk_limit_reply r, state, then;
    bpk_limit_peek(l, hash, 0, now, &state);
    bpk_limit_peek(l, hash, cost, now, &r);
    REQUIRE(state.allowed && state.remaining <= state.limit && state.retry_after == 0 && r.limit == state.limit);
    REQUIRE(r.allowed == (cost <= state.remaining) && r.never == (cost > r.limit) && r.remaining <= state.remaining);
    REQUIRE(!r.never || r.retry_after == UINT64_MAX);
    REQUIRE(r.allowed == (r.retry_after == 0) || r.never);
    now = now > bpk_limit_now(l) ? now : bpk_limit_now(l);
    if (r.allowed || beside || r.retry_after >= UINT64_MAX - now) return; /* never, or beyond the end of time */
    bpk_limit_peek(l, hash, cost, now + r.retry_after, &then);
    REQUIRE(then.allowed);
    bpk_limit_peek(l, hash, cost, now + r.retry_after - 1, &then);
    REQUIRE(!then.allowed);
}

static inline void limits_take(bpk_limit *l, const bpk_items *it, uint64_t step) {
    uint64_t now = bpk_limit_now(l);
    for (size_t i = 0; i < it->n; i++) {
        bpk_limit_reply would, is;
        uint64_t cost = it->weight[i];
        limits_reply(l, it->hash[i], cost, now, true);
        bpk_limit_peek(l, it->hash[i], cost, now, &would);
        bpk_limit_take(l, it->hash[i], cost, now, &is);
        REQUIRE(would.allowed == is.allowed && would.remaining == is.remaining);
        REQUIRE(would.retry_after == is.retry_after && would.reset_after == is.reset_after);
        bpk_status st = i % 3 ? BPK_OK : bpk_limit_refund(l, it->hash[i], 1 + cost / 2, now, &would, NULL);
        REQUIRE(st == BPK_OK || st == BPK_E_FULL || st == BPK_E_NOMEM || st == BPK_E_UNSUPPORTED);
        if (st == BPK_OK && i % 3 == 0) REQUIRE(would.remaining >= is.remaining);
        now += i % 9 ? 0 : step;
    }
    REQUIRE(bpk_limit_fresh(l, now) >= 0 && bpk_limit_fresh(l, now) <= 1);
}

/* With itself it stays; with another one the order has no say, nor has it in a sum. */
static inline void limits_join(const bpk_sketch *s, const bpk_limit *other, const bpk_env *env) {
    const bpk_limit *l = bpk_as_limit(s);
    for (int sum = 0; sum < 2; sum++) {
        bpk_limit *a = limits_copy(s, env), *b = limits_copy((const bpk_sketch *)(const void *)other, env);
        if (a && b && sum) {
            REQUIRE(bpk_limit_sum(a, other, NULL) == BPK_OK && bpk_limit_sum(b, l, NULL) == BPK_OK);
            fuzz_require_same(bpk_limit_base(a), bpk_limit_base(b));
        } else if (a && b) {
            REQUIRE(bpk_merge(bpk_limit_base(a), s, NULL) == BPK_OK);
            REQUIRE(bpk_merge(bpk_limit_base(a), bpk_limit_base(b), NULL) == BPK_OK);
            REQUIRE(bpk_merge(bpk_limit_base(b), s, NULL) == BPK_OK);
            fuzz_require_same(bpk_limit_base(a), bpk_limit_base(b));
        }
        bpk_free(bpk_limit_base(a)), bpk_free(bpk_limit_base(b));
    }
}

/* Returns what is left after all that, or NULL for other kinds and over the limit. */
static inline bpk_sketch *limits_check(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    if (!bpk_as_limit(s)) return NULL;
    bpk_limit *l = limits_copy(s, env);
    if (!l) return NULL;
    uint64_t now = bpk_limit_now(l), period = bpk_limit_made_for(l).period;
    double refunds = 0;
    bpk_info(s, limits_refunds, &refunds);
    for (size_t i = 0; i < it->n; i++)
        limits_reply(l, it->hash[i], it->weight[i], now + (i % 2 ? period / 7 : 0), refunds > 0);
    limits_take(l, it, period / 11 + 1);
    limits_join(s, l, env);
    return bpk_limit_base(l);
}

#endif
