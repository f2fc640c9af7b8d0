/* sets.h - what must hold of theta sketches, whatever they hold: shares with themselves, operations with themselves and
 * with another. What would take more memory than the limit is left out.
 */
#ifndef FUZZ_SETS_H
#define FUZZ_SETS_H

#include "envelope.h"
#include "fuzz.h"

/* Of two sketches, or of one where b is NULL; NULL over the limit. */
static inline bpk_theta *sets_op(bpk_theta_set op, const bpk_theta *a, const bpk_theta *b, const bpk_env *env) {
    bpk_theta *out = NULL;
    bpk_err err = {.code = BPK_OK};
    const bpk_theta *const in[] = {a, b};
    bpk_status st = bpk_theta_op(&out, op, in, b ? 2 : 1, env, &err);
    if (st != BPK_OK) REQUIRE(st == BPK_E_LIMIT && err.code == st && !out);
    return out;
}
static inline void sets_free(bpk_theta *t) {
    bpk_free(bpk_theta_base(t));
}
/* Frees both. */
static inline void sets_require_same(bpk_theta *a, bpk_theta *b) {
    if (a && b) fuzz_require_same(bpk_theta_base(a), bpk_theta_base(b));
    sets_free(a), sets_free(b);
}

/* The theta that the bytes have, and the number of values; the count is sound. */
static inline uint64_t sets_theta(bpk_theta *t, uint32_t *n) {
    fuzz_bytes b = fuzz_encode(bpk_theta_base(t), BPK_FORM_SMALL);
    uint64_t theta = envelope_load64(b.p + AT_VALUES + 8);
    bpk_estimate count = bpk_theta_count(t, 0, n);
    fuzz_require_estimate(&count);
    REQUIRE(*n <= bpk_theta_k(t) && count.lower >= *n);
    free(b.p);
    return theta;
}

/* What all have in common, as a share of all and of the first: all of it for a sketch and itself. */
static inline void sets_check_shares(const bpk_theta *t) {
    const bpk_theta *const same[] = {t, t};
    bpk_estimate e[2];
    uint32_t n;
    bpk_theta_count(t, 0, &n);
    if (bpk_theta_jaccard(same, 2, 0, &e[0], NULL, NULL) != BPK_OK) return;
    if (bpk_theta_containment(same, 2, 0, &e[1], NULL, NULL) != BPK_OK) return;
    for (int i = 0; i < 2; i++) {
        fuzz_require_estimate(&e[i]);
        REQUIRE(e[i].upper <= 1 && e[i].estimate == (n > 0 ? 1 : 0.5));
    }
}

/* Union and intersection with itself are itself; nothing is left of a difference, below the same theta. */
static inline void sets_check_self(const bpk_theta *t, const bpk_env *env) {
    bpk_theta *plain = sets_op(BPK_THETA_UNION, t, NULL, env), *none = sets_op(BPK_THETA_DIFF, t, t, env);
    uint32_t n, left;
    if (plain && none) REQUIRE(sets_theta(plain, &n) == sets_theta(none, &left) && left == 0);
    sets_require_same(sets_op(BPK_THETA_UNION, t, t, env), sets_op(BPK_THETA_INTERSECT, t, t, env));
    sets_require_same(sets_op(BPK_THETA_UNION, t, t, env), plain);
    sets_free(none);
}

/* What is in a alone and what is in both are apart, and all of a, below one theta. */
static inline void sets_check_parts(const bpk_theta *a, const bpk_theta *b, const bpk_env *env) {
    bpk_theta *alone = sets_op(BPK_THETA_DIFF, a, b, env), *both = sets_op(BPK_THETA_INTERSECT, a, b, env);
    bpk_theta *sum = alone && both ? sets_op(BPK_THETA_UNION, alone, both, env) : NULL;
    uint32_t n[3];
    if (sum) {
        REQUIRE(sets_theta(alone, &n[0]) == sets_theta(both, &n[1]));
        REQUIRE(sets_theta(sum, &n[2]) == sets_theta(both, &n[1]) && n[2] == n[0] + n[1]);
        sets_require_same(sets_op(BPK_THETA_INTERSECT, sum, a, env), sets_op(BPK_THETA_UNION, sum, NULL, env));
    }
    sets_free(alone), sets_free(both), sets_free(sum);
}

/* Two sets of one k: the same union and intersection in both orders, and their parts. */
static inline void sets_check_pair(const bpk_theta *a, const bpk_theta *b, const bpk_env *env) {
    for (int op = BPK_THETA_UNION; op <= BPK_THETA_INTERSECT; op++)
        sets_require_same(sets_op((bpk_theta_set)op, a, b, env), sets_op((bpk_theta_set)op, b, a, env));
    sets_check_parts(a, b, env);
    sets_check_parts(b, a, env);
}

#endif
