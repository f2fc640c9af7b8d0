/* theta_set.c - inside the theta room: union, intersection, difference, and shares of them.
 *
 * All inputs are looked at below the smallest theta, where each holds every value that it was given, and in ascending
 * order, so that an operation joins one list after the other (theta_join.c).
 */
#include <math.h>

#include "interval.h"
#include "theta_state.h"

/* ---- many ---- */

static uint64_t smallest_theta(const bpk_theta *const *in, size_t n) {
    uint64_t least = THETA_ONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t unused;
        uint64_t theta = bpki_theta_cut(in[i], &unused);
        if (theta < least) least = theta;
    }
    return least;
}

static bpk_status check_all(const bpk_theta *const *in, size_t n, bpk_err *err) {
    if (n < 1) return bpki_fail(err, BPK_E_ARG, "sketches");
    for (size_t i = 1; i < n; i++) BPK_TRY(bpki_theta_fit(in[0], in[i], err));
    return BPK_OK;
}

/* The smallest values of two lists, `most` at most, in a new one; both are gone. */
static bpk_status unite_two(theta_list *out, uint64_t most, theta_list *a, theta_list *b, const bpk_env *env) {
    uint64_t all = (uint64_t)a->n + b->n;
    bpk_status st = bpki_theta_list_new(out, (size_t)(all < most ? all : most), env);
    if (st == BPK_OK) out->n = bpki_theta_join(out->own, out->n, BPK_THETA_UNION, a, b);
    bpki_theta_drop(a, env);
    bpki_theta_drop(b, env);
    return st;
}

/* The smallest values of n sets, `most` at most: of one half of them and of the other, so that a value is looked at log
 * n times. */
static bpk_status unite(theta_list *out, uint64_t most, const bpk_theta *const *in, size_t n, uint64_t theta,
                        const bpk_env *env) {
    theta_list a, b;
    if (n == 1) return bpki_theta_list(out, in[0], theta, env);
    BPK_TRY(unite(&a, most, in, n / 2, theta, env));
    bpk_status st = unite(&b, most, in + n / 2, n - n / 2, theta, env);
    if (st == BPK_OK) return unite_two(out, most, &a, &b, env);
    bpki_theta_drop(&a, env);
    return st;
}

/* Those of the first that are in every other, or in no other. */
static bpk_status choose(theta_list *out, bpk_theta_set op, const bpk_theta *const *in, size_t n, uint64_t theta,
                         const bpk_env *env) {
    theta_list first, kept = {NULL, 0, NULL, 0}, list;
    BPK_TRY(bpki_theta_list(&first, in[0], theta, env));
    bpk_status st = n > 1 ? bpki_theta_list_new(&kept, first.n, env) : BPK_OK;
    for (size_t i = 1; st == BPK_OK && i < n; i++) {
        if ((st = bpki_theta_list(&list, in[i], theta, env)) != BPK_OK) break;
        kept.n = bpki_theta_join(kept.own, kept.n, op, i == 1 ? &first : &kept, &list);
        bpki_theta_drop(&list, env);
    }
    if (n > 1 || st != BPK_OK) bpki_theta_drop(&first, env);
    if (st != BPK_OK) bpki_theta_drop(&kept, env);
    else *out = n > 1 ? kept : first;
    return st;
}

/* The k smallest of a list; theta becomes the next one, where there is one. */
static void cut_list(theta_list *l, uint64_t k, uint64_t *theta) {
    if (l->n <= k) return;
    *theta = theta_at(l->at, (size_t)k);
    l->n = (uint32_t)k;
}

bpk_status bpk_theta_op(bpk_theta **out, bpk_theta_set op, const bpk_theta *const *in, size_t n, const bpk_env *env,
                        bpk_err *err) {
    theta_list values;
    env = bpki_env(env);
    if (op > BPK_THETA_DIFF) return bpki_fail(err, BPK_E_ARG, "operation");
    BPK_TRY(check_all(in, n, err));
    uint64_t theta = smallest_theta(in, n);
    bpk_status st = op == BPK_THETA_UNION ? unite(&values, in[0]->k + UINT64_C(1), in, n, theta, env)
                                          : choose(&values, op, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    cut_list(&values, in[0]->k, &theta);
    st = bpki_theta_from(out, &in[0]->base.domain, in[0]->k, theta, &values, env);
    return st == BPK_OK ? st : bpki_fail(err, st, "sketches");
}

/* ---- merging ---- */

/* Into a new one, so that a failure changes nothing. */
bpk_status bpki_theta_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_theta *sum, *into = (bpk_theta *)dst;
    const bpk_theta *const in[] = {into, (const bpk_theta *)src};
    BPK_TRY(bpk_theta_op(&sum, BPK_THETA_UNION, in, 2, &dst->env, err));
    bpk_theta taken = *sum;
    *sum = *into;
    *into = taken;
    into->base = sum->base;
    bpki_theta_ops.release(&sum->base);
    return BPK_OK;
}

/* Pointers to the typed handles: those to the base are of another type. */
bpk_status bpki_theta_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                 bpk_err *err) {
    bpk_theta *sum;
    void *p;
    size_t bytes;
    if (!bpki_mul(n, sizeof(const bpk_theta *), &bytes)) return bpki_fail(err, BPK_E_LIMIT, "sketches");
    bpk_status st = bpki_alloc(env, bytes, &p);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    const bpk_theta **in = p;
    for (size_t i = 0; i < n; i++) in[i] = (const bpk_theta *)src[i];
    st = bpk_theta_op(&sum, BPK_THETA_UNION, in, n, env, err);
    bpki_release(env, p, bytes);
    if (st == BPK_OK) *out = &sum->base;
    return st;
}

/* ---- counting without making ---- */

/* Limits that inputs known exactly set: a union has all of each, an intersection has no more than any, a difference no
 * more than the first. */
static void heed(bpk_estimate *e, bpk_theta_set op, const bpk_theta *const *in, size_t n) {
    for (size_t i = 0; i < (op == BPK_THETA_DIFF ? 1 : n); i++) {
        if (in[i]->n > in[i]->k || in[i]->theta < THETA_ONE) continue;
        double known = in[i]->n;
        if (op == BPK_THETA_UNION) e->lower = fmax(e->lower, known);
        else e->upper = fmin(e->upper, known);
    }
    e->lower = fmin(e->lower, e->upper);
    e->estimate = fmax(e->lower, fmin(e->estimate, e->upper));
}

bpk_status bpk_theta_op_count(bpk_theta_set op, const bpk_theta *const *in, size_t n, double confidence,
                              bpk_estimate *out, uint64_t *matches, bpk_err *err) {
    theta_list values;
    if (op > BPK_THETA_DIFF) return bpki_fail(err, BPK_E_ARG, "operation");
    BPK_TRY(check_all(in, n, err));
    const bpk_env *env = &in[0]->base.env;
    uint64_t theta = smallest_theta(in, n);
    bpk_status st =
        op == BPK_THETA_UNION ? unite(&values, UINT32_MAX, in, n, theta, env) : choose(&values, op, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    *out = bpki_theta_estimate(values.n, in[0]->k, n, theta, confidence);
    if (!(out->flags & (BPK_EXACT | BPK_SATURATED))) heed(out, op, in, n);
    if (matches) *matches = values.n;
    bpki_theta_drop(&values, env);
    return BPK_OK;
}

/* ---- shares ---- */

/* Of `all` values below theta, those that are in every input. */
static bpk_status share_of(bpk_estimate *out, uint64_t *matches, const theta_list *all, const bpk_theta *const *in,
                           size_t n, uint64_t theta, double confidence, bpk_err *err) {
    theta_list common;
    const bpk_env *env = &in[0]->base.env;
    bpk_status st = choose(&common, BPK_THETA_INTERSECT, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    *out = bpki_share(common.n, all->n, ldexp((double)theta, -THETA_BITS), confidence);
    if (theta < THETA_ONE && all->n) {
        double chance = bpki_theta_by_chance(in[0]->k, n, theta) / all->n;
        out->lower = fmax(0, out->lower - chance);
        out->upper = fmin(1, out->upper + chance);
        if (common.n < BPK_THETA_POINT_FROM) out->flags |= BPK_NO_POINT;
    }
    if (matches) *matches = common.n;
    bpki_theta_drop(&common, env);
    return BPK_OK;
}

bpk_status bpk_theta_jaccard(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                             uint64_t *matches, bpk_err *err) {
    theta_list all;
    BPK_TRY(check_all(in, n, err));
    const bpk_env *env = &in[0]->base.env;
    uint64_t theta = smallest_theta(in, n);
    bpk_status st = unite(&all, UINT32_MAX, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    st = share_of(out, matches, &all, in, n, theta, confidence, err);
    bpki_theta_drop(&all, env);
    return st;
}

bpk_status bpk_theta_containment(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                                 uint64_t *matches, bpk_err *err) {
    theta_list first;
    BPK_TRY(check_all(in, n, err));
    const bpk_env *env = &in[0]->base.env;
    uint64_t theta = smallest_theta(in, n);
    bpk_status st = bpki_theta_list(&first, in[0], theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    st = share_of(out, matches, &first, in, n, theta, confidence, err);
    bpki_theta_drop(&first, env);
    return st;
}
