/* test_theta.c - promises of theta.h: exact while small, one state for one set, operations against exact sets, what
 * does not fit is named. */
#include "t_theta_bytes.h"

static void up_to_k_items_are_counted_exactly(void **state) {
    (void)state;
    for (uint32_t k = 16; k <= 4096; k *= 4) {
        bpk_theta *t = theta_new(k);
        uint32_t matches;
        for (uint64_t n = 0; n <= k; n += k / 16) {
            t_add(bpk_theta_base(t), 1, n < k / 16 ? 0 : n - k / 16, n);
            bpk_estimate e = bpk_theta_count(t, 0, &matches);
            assert_true(e.estimate == (double)n && e.lower == e.upper && e.flags == BPK_EXACT && matches == n);
        }
        t_add(bpk_theta_base(t), 1, k, k + 1u);
        bpk_estimate e = bpk_theta_count(t, 0, &matches);
        assert_true(!(e.flags & BPK_EXACT) && matches == k && e.lower < e.upper && e.lower >= k);
        drop(t);
    }
}

/* Whatever order, batches, repeats and tree of merges. */
static void the_state_is_a_function_of_the_set(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 63, 64, 65, 96, 97, 128, 1000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t n = sizes[i];
        bpk_theta *all = theta_of(64, 0, n), *back = theta_new(64);
        bpk_theta *a = theta_of(64, 0, n / 3), *b = theta_of(64, n / 4, n / 2), *c = theta_of(64, n / 2, n);
        for (uint64_t j = n; j-- > 0;) t_add(bpk_theta_base(back), 1, j, j + 1);
        t_add(bpk_theta_base(back), 1, n / 2, n);
        t_assert_same_bytes(bpk_theta_base(all), bpk_theta_base(back));
        t_add(bpk_theta_base(b), 1, n / 3, n / 2);
        assert_int_equal(bpk_merge(bpk_theta_base(c), bpk_theta_base(a), NULL), BPK_OK);
        assert_int_equal(bpk_merge(bpk_theta_base(c), bpk_theta_base(b), NULL), BPK_OK);
        t_assert_same_bytes(bpk_theta_base(all), bpk_theta_base(c));
        bpk_theta *joined = op_of(BPK_THETA_UNION, a, all);
        t_assert_same_bytes(bpk_theta_base(all), bpk_theta_base(joined));
        drop(all), drop(back), drop(a), drop(b), drop(c), drop(joined);
    }
}

static double count_of(const bpk_theta *t) {
    return bpk_theta_count(t, 0, NULL).estimate;
}

static void operations_on_small_sets_are_exact(void **state) {
    (void)state;
    static const uint64_t range[][4] = {{0, 0, 0, 0},    {0, 0, 0, 50},   {0, 50, 0, 0},   {0, 50, 0, 50},
                                        {0, 50, 50, 90}, {0, 60, 20, 40}, {20, 40, 0, 60}, {0, 60, 30, 100}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        const uint64_t *r = range[i];
        bpk_theta *a = theta_of(128, r[0], r[1]), *b = theta_of(128, r[2], r[3]);
        double from = (double)(r[0] > r[2] ? r[0] : r[2]), to = (double)(r[1] < r[3] ? r[1] : r[3]);
        double both = to > from ? to - from : 0, n_a = (double)(r[1] - r[0]), n_b = (double)(r[3] - r[2]);
        bpk_theta *u = op_of(BPK_THETA_UNION, a, b), *x = op_of(BPK_THETA_INTERSECT, a, b);
        bpk_theta *d = op_of(BPK_THETA_DIFF, a, b);
        const bpk_theta *const pair[] = {a, b};
        bpk_estimate j, c;
        assert_true(count_of(u) == n_a + n_b - both && count_of(x) == both && count_of(d) == n_a - both);
        assert_int_equal(bpk_theta_jaccard(pair, 2, 0, &j, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_theta_containment(pair, 2, 0, &c, NULL, NULL), BPK_OK);
        assert_true(j.estimate == (n_a + n_b > 0 ? both / (n_a + n_b - both) : 0.5));
        assert_true(c.estimate == (n_a > 0 ? both / n_a : 0.5));
        assert_int_equal((j.flags & BPK_NO_POINT) != 0, n_a + n_b == 0);
        drop(a), drop(b), drop(u), drop(x), drop(d);
    }
}

static void many_inputs_are_joined_in_one_call(void **state) {
    (void)state;
    bpk_theta *in[5], *out = NULL;
    for (size_t i = 0; i < 5; i++) in[i] = theta_of(1024, 10 * i, 500 - 20 * i); /* 40 to 420 is in all */
    const bpk_theta *const *all = (const bpk_theta *const *)in;
    assert_int_equal(bpk_theta_op(&out, BPK_THETA_INTERSECT, all, 5, NULL, NULL), BPK_OK);
    assert_true(count_of(out) == 380);
    drop(out);
    assert_int_equal(bpk_theta_op(&out, BPK_THETA_UNION, all, 5, NULL, NULL), BPK_OK);
    assert_true(count_of(out) == 500);
    drop(out);
    assert_int_equal(bpk_theta_op(&out, BPK_THETA_DIFF, all, 5, NULL, NULL), BPK_OK);
    assert_true(count_of(out) == 10 + 20);
    drop(out);
    assert_int_equal(bpk_theta_op(&out, BPK_THETA_DIFF, all, 1, NULL, NULL), BPK_OK);
    t_assert_same_bytes(bpk_theta_base(out), bpk_theta_base(in[0]));
    drop(out);
    for (size_t i = 0; i < 5; i++) drop(in[i]);
}

/* A union of exact sets stays exact beyond k; an exact input bounds what an estimated one leaves open. */
static void counts_of_operations_heed_what_is_known_exactly(void **state) {
    (void)state;
    bpk_theta *a = theta_of(64, 0, 60), *b = theta_of(64, 40, 100), *large = theta_of(64, 0, 100000);
    const bpk_theta *const small[] = {a, b}, *const mixed[] = {large, a}, *const turned[] = {a, large};
    bpk_estimate e;
    uint64_t matches;
    assert_int_equal(bpk_theta_op_count(BPK_THETA_UNION, small, 2, 0, &e, &matches, NULL), BPK_OK);
    assert_true(e.estimate == 100 && e.flags == BPK_EXACT && matches == 100);
    assert_int_equal(bpk_theta_op_count(BPK_THETA_INTERSECT, mixed, 2, 0, &e, &matches, NULL), BPK_OK);
    assert_true(e.upper == 60 && e.lower <= e.estimate && e.estimate <= 60 && !(e.flags & BPK_EXACT));
    assert_int_equal(bpk_theta_op_count(BPK_THETA_DIFF, turned, 2, 0, &e, &matches, NULL), BPK_OK);
    assert_true(e.upper == 60 && e.estimate <= 60);
    assert_int_equal(bpk_theta_op_count(BPK_THETA_UNION, turned, 2, 0, &e, NULL, NULL), BPK_OK);
    assert_true(e.lower >= 60 && e.lower < 100000 && e.upper > 100000);
    assert_int_equal(bpk_theta_op_count(BPK_THETA_UNION, small, 0, 0, &e, NULL, NULL), BPK_E_ARG);
    assert_int_equal(bpk_theta_op_count((bpk_theta_set)3, small, 2, 0, &e, NULL, NULL), BPK_E_ARG);
    drop(a), drop(b), drop(large);
}

static void few_matches_have_no_point_and_none_has_an_upper_limit_all_the_same(void **state) {
    (void)state;
    bpk_theta *a = theta_of(64, 0, 100000), *b = theta_of(64, 100000, 200000), *x = op_of(BPK_THETA_INTERSECT, a, b);
    uint32_t matches;
    bpk_estimate e = bpk_theta_count(x, 0.95, &matches), c;
    assert_true(matches == 0 && e.estimate == 0 && e.lower == 0 && e.upper > 1000);
    assert_true(e.flags == (BPK_NO_POINT | BPK_ONE_SIDED));
    assert_int_equal(bpk_theta_jaccard((const bpk_theta *const[]){a, b}, 2, 0, &c, NULL, NULL), BPK_OK);
    assert_true(c.estimate == 0 && c.lower == 0 && c.upper > 0 && c.flags & BPK_NO_POINT);
    drop(a), drop(b), drop(x);
}

static void what_does_not_fit_is_named(void **state) {
    (void)state;
    const bpk_domain seeded = {.hash = BPK_HASH_XXH3, .seed = 7};
    bpk_theta *a = theta_of(64, 0, 10), *k = theta_of(65, 0, 10), *s = NULL, *out = NULL;
    bpk_estimate e;
    bpk_err err;
    assert_int_equal(bpk_theta_new(&s, &(bpk_theta_config){seeded, 64}, NULL), BPK_OK);
    for (int op = BPK_THETA_UNION; op <= BPK_THETA_DIFF; op++) {
        assert_int_equal(bpk_theta_op(&out, (bpk_theta_set)op, (const bpk_theta *const[]){a, k}, 2, NULL, &err),
                         BPK_E_MISMATCH);
        assert_string_equal(err.field, "k");
        assert_int_equal(bpk_theta_op(&out, (bpk_theta_set)op, (const bpk_theta *const[]){a, s}, 2, NULL, &err),
                         BPK_E_MISMATCH);
        assert_string_equal(err.field, "seed");
        assert_int_equal(bpk_theta_op(&out, (bpk_theta_set)op, NULL, 0, NULL, &err), BPK_E_ARG);
        assert_null(out);
    }
    assert_int_equal(bpk_merge(bpk_theta_base(a), bpk_theta_base(k), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "k");
    assert_int_equal(bpk_theta_jaccard((const bpk_theta *const[]){a, k}, 2, 0, &e, NULL, &err), BPK_E_MISMATCH);
    assert_int_equal(bpk_theta_containment((const bpk_theta *const[]){a, s}, 2, 0, &e, NULL, &err), BPK_E_MISMATCH);
    for (uint64_t bad = 0; bad < 16; bad++)
        assert_int_equal(bpk_theta_new(&out, &(bpk_theta_config){.k = (uint32_t)bad}, NULL), BPK_E_ARG);
    assert_int_equal(bpk_theta_new(&out, &(bpk_theta_config){.k = BPK_THETA_K_MAX + 1}, NULL), BPK_E_ARG);
    drop(a), drop(k), drop(s);
}

static void every_allocation_of_an_operation_may_fail(void **state) {
    (void)state;
    bpk_theta *a = theta_of(64, 0, 5000), *b = theta_of(64, 2000, 9000);
    for (int op = BPK_THETA_UNION; op <= BPK_THETA_DIFF; op++)
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_theta *out = NULL;
            bpk_err err;
            t_env_init(&env, nth);
            const bpk_theta *const in[] = {a, b};
            bpk_status st = bpk_theta_op(&out, (bpk_theta_set)op, in, 2, &env.env, &err);
            if (st == BPK_OK) drop(out);
            else assert_null(out);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_true(st == BPK_E_NOMEM && err.code == st);
        }
    drop(a), drop(b);
}

static void an_entry_takes_5_3_bytes_at_most_at_the_default_k(void **state) {
    (void)state;
    for (uint64_t n = 4097; n < 3000000; n *= 3) {
        bpk_theta *t = theta_of(4096, 0, n);
        assert_true((double)bpk_encoded_size(bpk_theta_base(t), BPK_FORM_SMALL) < 5.3 * 4096);
        drop(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(up_to_k_items_are_counted_exactly),
        cmocka_unit_test(the_state_is_a_function_of_the_set),
        cmocka_unit_test(operations_on_small_sets_are_exact),
        cmocka_unit_test(many_inputs_are_joined_in_one_call),
        cmocka_unit_test(counts_of_operations_heed_what_is_known_exactly),
        cmocka_unit_test(few_matches_have_no_point_and_none_has_an_upper_limit_all_the_same),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(every_allocation_of_an_operation_may_fail),
        cmocka_unit_test(an_entry_takes_5_3_bytes_at_most_at_the_default_k),
    };
    return cmocka_run_group_tests_name("theta", tests, NULL, NULL);
}
