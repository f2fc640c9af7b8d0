/* t_load.h - a busy stream for rate limiters: skewed keys at random times, and the exact limiters of every key. */
#ifndef T_LOAD_H
#define T_LOAD_H

#include "t_limit.h"

enum { T_LOAD_KEYS = 300000, T_LOAD_LIMIT = 100, T_LOAD_PERIOD = 60000 /* milliseconds */ };

/* Requests by Zipf 1.0 over all keys, at the times of a Poisson process, from the 1,000th second on. */
typedef struct t_load {
    t_zipf keys;
    t_rng r;
    double now, gap; /* milliseconds; the mean between two requests */
} t_load;
typedef struct t_request {
    uint32_t key;
    uint64_t hash, now;
} t_request;

static inline t_load t_load_of(double per_second, uint64_t seed) {
    return (t_load){t_zipf_of(T_LOAD_KEYS, 1), {t_mix(seed)}, 1e6, 1000 / per_second};
}
static inline t_request t_load_next(t_load *load) {
    load->now -= log(t_uniform(&load->r)) * load->gap;
    uint32_t key = t_zipf_next(&load->keys, &load->r);
    return (t_request){key, t_hash(77, key), (uint64_t)load->now};
}

static inline bpk_limit *t_load_limiter(uint32_t bytes, uint32_t depth, uint8_t method) {
    uint32_t halves = method == BPK_LIMIT_WINDOWS ? 2 : 1;
    return t_limit_new((bpk_limit_config){.limit = T_LOAD_LIMIT,
                                          .period = T_LOAD_PERIOD,
                                          .width = bytes / 4 / depth / halves,
                                          .depth = depth,
                                          .method = method});
}
static inline bool t_load_pass(bpk_limit *l, const t_request *q) {
    uint8_t passed;
    bpk_items it = {.n = 1, .hash = &q->hash, .now = q->now};
    assert_int_equal(bpk_add(bpk_limit_base(l), &it, &passed, NULL), BPK_OK);
    return passed;
}

/* One exact limiter a key; to be freed. */
static inline t_gcra *t_load_exact(void) {
    t_gcra *g = malloc(T_LOAD_KEYS * sizeof *g);
    for (size_t i = 0; i < T_LOAD_KEYS; i++) g[i] = (t_gcra){T_LOAD_LIMIT, T_LOAD_PERIOD, T_LOAD_LIMIT, 0};
    return g;
}
static inline bool t_gcra_pass(t_gcra *g, uint64_t now) {
    if (!t_gcra_allows(g, 1, now)) return false;
    t_gcra_take(g, 1, now);
    return true;
}

/* One exact pair of windows a key. */
typedef struct t_pair {
    uint64_t window, current, previous;
} t_pair;
static inline bool t_pair_pass(t_pair *p, uint64_t now) {
    uint64_t window = now / T_LOAD_PERIOD, left = T_LOAD_PERIOD - now % T_LOAD_PERIOD;
    if (window != p->window) *p = (t_pair){window, 0, window == p->window + 1 ? p->current : 0};
    if (p->current + p->previous * left / T_LOAD_PERIOD >= T_LOAD_LIMIT) return false;
    p->current++;
    return true;
}

#endif
