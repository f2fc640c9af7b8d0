/* t_theta.h - theta sketches of sets of any size, drawn from the distribution of their smallest hashes: the cost does
 * not depend on the number of items.
 *
 * Of n uniform numbers the smallest is above x with probability (1 - x)^n; those above it are uniform again, and one
 * fewer. A sketch needs the k + 1 smallest hashes of its items alone.
 */
#ifndef T_THETA_H
#define T_THETA_H

#include <math.h>

#include "t_streams.h"

/* The smallest hashes of n items, ascending, `most` at most; returns how many there are. */
static inline size_t t_smallest(uint64_t *hash, size_t most, double n, t_rng *r) {
    double at = 0;
    size_t i = 0;
    for (; i < most && n > 0; i++, n -= 1) {
        at += (1 - at) * -expm1(log(1 - t_uniform(r)) / n);
        hash[i] = (uint64_t)ldexp(at, 64);
    }
    return i;
}

static inline bpk_theta *t_theta_new(uint32_t k) {
    bpk_theta *t = NULL;
    assert_int_equal(bpk_theta_new(&t, &(bpk_theta_config){.k = k}, NULL), BPK_OK);
    return t;
}

/* Two sketches of a sets' worth: items of the first alone, of both, of the second alone. */
typedef struct t_pair {
    bpk_theta *t[2];
} t_pair;
static inline t_pair t_pair_draw(uint32_t k, double first, double both, double second, uint64_t seed) {
    t_pair p = {{t_theta_new(k), t_theta_new(k)}};
    const double n[3] = {first, both, second};
    uint64_t *hash = malloc((k + (size_t)1) * sizeof *hash);
    t_rng r = {seed};
    for (int part = 0; part < 3; part++) {
        const bpk_items it = {.n = t_smallest(hash, k + (size_t)1, n[part], &r), .hash = hash};
        for (int i = 0; i < 2; i++)
            if (part == 1 || part == 2 * i) assert_int_equal(bpk_add(bpk_theta_base(p.t[i]), &it, NULL, NULL), BPK_OK);
    }
    free(hash);
    return p;
}
static inline void t_pair_drop(t_pair *p) {
    for (int i = 0; i < 2; i++) bpk_free(bpk_theta_base(p->t[i]));
}
/* The number of items of an operation, with the sampled ones that it is known from. */
static inline bpk_estimate t_pair_count(const t_pair *p, bpk_theta_set op, double confidence, uint32_t *matches) {
    bpk_theta *out = NULL;
    assert_int_equal(bpk_theta_op(&out, op, (const bpk_theta *const *)p->t, 2, NULL, NULL), BPK_OK);
    bpk_estimate e = bpk_theta_count(out, confidence, matches);
    bpk_free(bpk_theta_base(out));
    return e;
}
static inline bool t_inside(const bpk_estimate *e, double truth) {
    return e->lower <= truth && truth <= e->upper;
}

#endif
