/* t_decay.h - what keys weigh when they decay, exactly: one long double a key, beside a sketch with a half-life. */
#ifndef T_DECAY_H
#define T_DECAY_H

#include "t_streams.h"

typedef struct t_decayed {
    t_world world; /* keys and hashes; its truth is not used */
    uint64_t half_life, now;
    long double *weight, total; /* as of `now` */
} t_decayed;

static inline t_decayed t_decayed_new(uint32_t keys, uint64_t half_life) {
    return (t_decayed){t_world_new(keys), half_life, 0, calloc(keys, sizeof(long double)), 0};
}
static inline void t_decayed_free(t_decayed *d) {
    t_world_free(&d->world);
    free(d->weight);
}
static inline long double t_faded(uint64_t half_life, uint64_t age) {
    return exp2l(-(long double)age / (long double)half_life);
}
static inline void t_decayed_advance(t_decayed *d, uint64_t now) {
    if (now <= d->now) return;
    long double left = t_faded(d->half_life, now - d->now);
    for (uint32_t i = 0; i < d->world.n; i++) d->weight[i] *= left;
    d->total *= left;
    d->now = now;
}
/* One batch into sketch and truth; `s` NULL: into the truth alone. */
static inline void t_decayed_add(t_decayed *d, bpk_sketch *s, const uint32_t *id, const uint64_t *weight, size_t n,
                                 uint64_t now) {
    t_batch b;
    t_batch_fill(&b, &d->world, id, weight, n, false);
    b.it.now = now;
    if (s) assert_int_equal(bpk_add(s, &b.it, NULL, NULL), BPK_OK);
    t_decayed_advance(d, now);
    long double left = t_faded(d->half_life, d->now - now);
    for (size_t i = 0; i < n; i++) {
        d->weight[id[i]] += left * (long double)weight[i];
        d->total += left * (long double)weight[i];
    }
}

/* Skewed batches; ticks pass in every size up to a few half-lives, one in 200 times up to 90 of them; one batch in 30
 * is late, by up to 40 half-lives. */
typedef struct t_decaying {
    t_rng r;
    t_zipf z;
    unsigned weight_bits;
    uint64_t now, step; /* usual ticks from batch to batch */
} t_decaying;
static inline uint64_t t_decaying_next(t_decaying *s, t_decayed *d, uint32_t *id, uint64_t *weight, size_t n) {
    uint64_t chance = t_below(&s->r, 600), pass = t_below(&s->r, 2 * s->step + 1);
    if (chance < 3) pass = (1 + t_below(&s->r, 90)) * d->half_life + pass;
    s->now += pass;
    for (size_t i = 0; i < n; i++) {
        id[i] = t_zipf_next(&s->z, &s->r);
        weight[i] = s->weight_bits ? t_log_uniform(&s->r, s->weight_bits) : 1;
    }
    uint64_t often = t_below(&s->r, 40), parts = 1 + t_below(&s->r, 100);
    uint64_t late = chance >= 580 ? often * d->half_life / parts : 0;
    return s->now - (late < s->now ? late : s->now);
}

/* Up to the last places of the long double's own. */
static inline void t_between(const bpk_estimate *e, long double truth, const char *what, uint32_t i) {
    const long double last = 1e-12L;
    t_assert_sound(e);
    if ((long double)e->lower > truth * (1 + last) || (long double)e->upper < truth * (1 - last))
        fail_msg("%s %u: truth %.15Lg, answer %.15g in [%.15g, %.15g]", what, i, truth, e->estimate, e->lower,
                 e->upper);
}

#endif
