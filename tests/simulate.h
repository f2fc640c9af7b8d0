/* simulate.h - dense hll sketches of any number of items, drawn from the distribution of their registers, and the
 * errors of many of them. The cost does not depend on the number of items, and what comes out went through the decoder.
 *
 * After Poisson(x) items a register, value k has occurred with probability 1 - exp(-x 2^-k), independently of others;
 * the last two values are alike. The largest is drawn by inversion: it is at most u with probability exp(-x 2^-u).
 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "t_hll.h"

/* Sums of relative errors over trials. */
typedef struct sim_errors {
    double sum, square;
    long n;
} sim_errors;

static inline void sim_note(sim_errors *t, double estimate, double truth) {
    double error = estimate / truth - 1;
    t->sum += error;
    t->square += error * error;
    t->n++;
}
static inline double sim_bias(const sim_errors *t) {
    return t->sum / (double)t->n;
}
static inline double sim_rmse(const sim_errors *t) {
    return sqrt(t->square / (double)t->n);
}

typedef struct sim {
    double at_most[66], occurred[66]; /* by value */
    unsigned p, d, guess;
} sim;

static inline double sim_uniform(uint64_t *state) {
    *state += 1;
    return ((double)(t_mix(*state * UINT64_C(0x9E3779B97F4A7C15)) >> 11) + 0.5) * 0x1p-53;
}

static inline void sim_init(sim *s, double n, unsigned p, unsigned d) {
    double x = ldexp(n, -(int)p);
    s->p = p, s->d = d, s->guess = 0;
    for (unsigned u = 0; u <= 65 - p; u++) {
        s->at_most[u] = u <= 64 - p ? exp(-ldexp(x, -(int)u)) : 1;
        s->occurred[u] = -expm1(-ldexp(x, -(int)(u <= 64 - p ? u : 64 - p)));
        if (s->at_most[u] < 1e-18) s->guess = u; /* never so small: a uniform number is at least 2^-54 */
    }
}

static inline uint8_t sim_register(const sim *s, uint64_t *state) {
    double v = sim_uniform(state);
    unsigned u = s->guess, r;
    while (v > s->at_most[u]) u++;
    r = u << s->d;
    for (unsigned below = 1; s->d && below <= 2 && u > below; below++)
        if (sim_uniform(state) < s->occurred[u - below]) r |= 4u >> below;
    return (uint8_t)r;
}

/* The envelope to draw into: form view of a dense sketch. */
static inline t_bytes sim_frame(unsigned p, unsigned d) {
    bpk_hll *h = hll_new(p, d);
    t_add(bpk_hll_base(h), 1, 0, UINT64_C(1) << p);
    t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
    assert_int_equal(b.n, 64 + ((size_t)1 << p) + 8);
    hll_free(h);
    return b;
}

/* A sketch of n items, read from a frame of its shape. */
static inline bpk_sketch *sim_draw(t_bytes *frame, uint64_t seed, double n, unsigned p, unsigned d) {
    sim how;
    bpk_sketch *s = NULL;
    uint64_t state = t_hash(seed, 77);
    sim_init(&how, n, p, d);
    for (size_t i = 0; i < (size_t)1 << p; i++) frame->p[64 + i] = sim_register(&how, &state);
    t_reseal(frame->p, frame->n);
    assert_int_equal(bpk_decode(&s, frame->p, frame->n, NULL, NULL, NULL), BPK_OK);
    return s;
}

#endif
