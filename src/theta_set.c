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

/* The smallest values of all, `most` at most, one list after the other. */
static bpk_status unite(theta_list *out, uint64_t most, const bpk_theta *const *in, size_t n, uint64_t theta,
                        const bpk_env *env) {
    theta_list sum = {NULL, 0, NULL, 0}, next = {NULL, 0, NULL, 0}, list;
    bpk_status st = bpki_theta_list(&sum, in[0], theta, env);
    for (size_t i = 1; st == BPK_OK && i < n; i++) {
        if ((st = bpki_theta_list(&list, in[i], theta, env)) != BPK_OK) break;
        uint64_t all = (uint64_t)sum.n + list.n;
        st = bpki_theta_list_new(&next, (size_t)(all < most ? all : most), env);
        if (st == BPK_OK) {
            next.n = bpki_theta_join(next.own, next.n, BPK_THETA_UNION, &sum, &list);
            bpki_theta_drop(&sum, env);
            sum = next;
        }
        bpki_theta_drop(&list, env);
    }
    if (st == BPK_OK) *out = sum;
    else bpki_theta_drop(&sum, env);
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

bpk_status bpki_theta_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                 bpk_err *err) {
    bpk_theta *sum;
    BPK_TRY(bpk_theta_op(&sum, BPK_THETA_UNION, (const bpk_theta *const *)src, n, env, err));
    *out = &sum->base;
    return BPK_OK;
}

/* ---- shares ---- */

/* How many of `all` values below theta are in every input. */
static bpk_status share_of(bpk_estimate *out, const theta_list *all, const bpk_theta *const *in, size_t n,
                           uint64_t theta, double confidence, bpk_err *err) {
    theta_list common;
    const bpk_env *env = &in[0]->base.env;
    bpk_status st = choose(&common, BPK_THETA_INTERSECT, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    *out = bpki_share(common.n, all->n, ldexp((double)theta, -THETA_BITS), confidence);
    if (theta < THETA_ONE && all->n) {
        double chance = bpki_theta_by_chance(in[0]->k, theta) / all->n;
        out->lower = fmax(0, out->lower - chance);
        out->upper = fmin(1, out->upper + chance);
        if (common.n < BPK_THETA_POINT_FROM) out->flags |= BPK_NO_POINT;
    }
    bpki_theta_drop(&common, env);
    return BPK_OK;
}

/* Of two sketches every value counts, which are 2k at most; of more no more than that. */
bpk_status bpk_theta_jaccard(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out, bpk_err *err) {
    theta_list all;
    BPK_TRY(check_all(in, n, err));
    const bpk_env *env = &in[0]->base.env;
    uint64_t theta = smallest_theta(in, n), most = UINT64_C(2) * in[0]->k;
    bpk_status st = unite(&all, most + 1, in, n, theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    cut_list(&all, most, &theta);
    st = share_of(out, &all, in, n, theta, confidence, err);
    bpki_theta_drop(&all, env);
    return st;
}

bpk_status bpk_theta_containment(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                                 bpk_err *err) {
    theta_list first;
    BPK_TRY(check_all(in, n, err));
    const bpk_env *env = &in[0]->base.env;
    uint64_t theta = smallest_theta(in, n);
    bpk_status st = bpki_theta_list(&first, in[0], theta, env);
    if (st != BPK_OK) return bpki_fail(err, st, "sketches");
    st = share_of(out, &first, in, n, theta, confidence, err);
    bpki_theta_drop(&first, env);
    return st;
}
