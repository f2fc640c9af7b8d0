/* test_sample.c - promises of sample.h: making, adding, skips, weights, strata, limits. */
#include <math.h>

#include "t_sample.h"

/* ---- making ---- */

static void a_configuration_out_of_range_is_refused(void **state) {
    (void)state;
    bpk_sample *s = NULL;
    assert_int_equal(bpk_sample_new(&s, &(bpk_sample_config){.k = (1 << 24) + 1}, NULL), BPK_E_ARG);
    assert_int_equal(bpk_sample_new(&s, &(bpk_sample_config){.k = 1, .groups = (1 << 20) + 1}, NULL), BPK_E_ARG);
    assert_int_equal(bpk_sample_new(&s, &(bpk_sample_config){.domain = {9, 0, 0, 0}, .k = 1}, NULL), BPK_E_ARG);
    assert_null(s);
    t_sample_free(t_sample_of((bpk_sample_config){.k = 1 << 24, .groups = 1 << 20, .weighted = true}));
}

static void text_parameters_make_what_they_say(void **state) {
    (void)state;
    static const bpk_param p[] = {
        {"k", "7"}, {"groups", "3"}, {"weighted", "yes"}, {"seed", "18446744073709551615"}, {"stream", "12"}};
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, "sample", NULL, p, 5, NULL, NULL), BPK_OK);
    const bpk_sample *made = bpk_as_sample(s);
    assert_true(made->k == 7 && made->groups == 3 && made->weighted);
    assert_true(made->source[0].seed == UINT64_MAX && made->source[0].stream == 12);
    bpk_free(s);
    assert_int_equal(bpk_new(&s, "sample", NULL, NULL, 0, NULL, NULL), BPK_OK);
    made = bpk_as_sample(s);
    assert_true(made->k == 1000 && made->groups == 0 && !made->weighted && made->source[0].seed == 0);
    bpk_free(s);
    static const bpk_param wrong[][1] = {{{"k", "16777217"}}, {{"groups", "1048577"}}, {{"weighted", "maybe"}},
                                         {{"seed", "-1"}},    {{"stream", "x"}},       {{"k", ""}}};
    for (size_t i = 0; i < BPKI_COUNT(wrong); i++) {
        bpk_err err;
        s = NULL;
        assert_int_equal(bpk_new(&s, "sample", NULL, wrong[i], 1, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, wrong[i][0].name);
        assert_null(s);
    }
}

/* ---- adding ---- */

static void up_to_k_records_all_are_kept_in_their_order_and_from_then_on_k(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 40; k += 3)
        for (uint64_t n = 0; n < 100; n += 7) {
            bpk_sample *s = t_sample_new(k, 1, n);
            t_feed_records(s, 0, n);
            const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
            assert_int_equal(kept->n, n < k ? n : k);
            assert_int_equal(bpk_sample_seen(s), n);
            for (size_t i = 0; i < kept->n; i++) {
                assert_true(i == 0 || kept->number[i] > kept->number[i - 1]);
                assert_true(kept->number[i] < n && kept->row[i].at == kept->number[i]);
                assert_true(kept->row[i].hash == t_hash(7, kept->number[i]) && kept->row[i].weight == 1);
                assert_true(kept->row[i].seed == 1 && kept->row[i].stream == n && kept->row[i].stratum == 0);
                if (n <= k) assert_int_equal(kept->number[i], i);
            }
            t_sample_free(s);
        }
}

/* Byte for byte, whatever the batches; also where nothing but numbers is passed while nothing can be kept. */
static void the_sample_does_not_depend_on_batches_or_on_records_that_were_only_counted(void **state) {
    (void)state;
    static const size_t batches[] = {1, 2, 3, 64, 511, T_RECORDS};
    for (int kind = 0; kind < 3; kind++) {
        const bpk_sample_config cfg = {.k = 5, .groups = kind == 2 ? 4 : 0, .weighted = kind == 1, .seed = 3};
        uint64_t groups = kind == 2 ? 11 : 0;
        bpk_sample *first = NULL;
        for (size_t i = 0; i < BPKI_COUNT(batches); i++) {
            bpk_sample *s = t_sample_of(cfg);
            t_feed_batches(s, 0, 3000, groups, t_some_weight, batches[i]);
            if (first) t_assert_same_bytes(bpk_sample_base(first), bpk_sample_base(s));
            if (!first) first = s;
            else t_sample_free(s);
        }
        if (kind == 0) {
            bpk_sample *s = t_sample_of(cfg);
            for (uint64_t i = 0, turn = 0; i < 3000; turn++) {
                uint64_t ahead = bpk_sample_ahead(s), rest = 3000 - i, n = ahead < rest ? ahead : rest;
                if (turn % 3 == 1) n /= 2;
                assert_int_equal(bpk_sample_pass(s, n), BPK_OK);
                i += n;
                if (i < 3000 && (n == 0 || turn % 2)) t_feed_records(s, i, i + 1), i++;
            }
            t_assert_same_bytes(bpk_sample_base(first), bpk_sample_base(s));
            assert_int_equal(bpk_sample_pass(s, bpk_sample_ahead(s) + 1), BPK_E_ARG);
            t_assert_same_bytes(bpk_sample_base(first), bpk_sample_base(s));
            t_sample_free(s);
        }
        t_sample_free(first);
    }
}

static void what_is_ahead_is_surely_not_kept_and_the_next_one_is(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(3, 1, 1);
    assert_int_equal(bpk_sample_ahead(s), 0);
    t_feed_records(s, 0, 3);
    uint64_t at = 3;
    for (int hit = 0; hit < 30; hit++) {
        uint64_t ahead = bpk_sample_ahead(s);
        assert_int_equal(bpk_sample_pass(s, ahead), BPK_OK);
        at += ahead;
        assert_int_equal(bpk_sample_ahead(s), 0);
        t_feed_records(s, at, at + 1);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        assert_int_equal(kept->number[2], at++);
    }
    t_sample_free(s);
    s = t_sample_new(0, 0, 0); /* keeps nothing, ever */
    assert_true(bpk_sample_ahead(s) >= UINT64_C(1) << 61);
    assert_int_equal(bpk_sample_pass(s, UINT64_C(1) << 61), BPK_OK);
    assert_int_equal(bpk_sample_ahead(s), 0);
    assert_int_equal(bpk_add(bpk_sample_base(s), &(bpk_items){.n = 1, .hash = &at}, NULL, NULL), BPK_E_FULL);
    assert_int_equal(bpk_sample_seen(s), UINT64_C(1) << 61);
    t_sample_free(s);
    s = t_sample_of((bpk_sample_config){.k = 0, .weighted = true});
    assert_int_equal(bpk_sample_ahead(s), 0);
    t_sample_free(s);
}

static void records_without_bytes_are_kept_as_empty_ones_with_their_hash(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(2, 0, 0);
    uint64_t hash[2] = {11, 22};
    bpk_estimate e;
    assert_int_equal(bpk_add(bpk_sample_base(s), &(bpk_items){.n = 2, .hash = hash}, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_count(bpk_sample_base(s), hash, 1, 0, &e, NULL), BPK_OK);
    assert_true(e.estimate == 1 && e.flags == BPK_EXACT);
    t_sample_free(s);
}

/* ---- weights ---- */

static void weights_that_are_not_allowed_are_refused_at_their_item_which_changes_nothing(void **state) {
    (void)state;
    static const double wrong[] = {-1, -0x1p-200, NAN, INFINITY, -INFINITY, 0x1p201, 0x1p-201, 5e-324, 1.7e308};
    static const double right[] = {0, -0.0, 0x1p-200, 0x1p200, 1e-50};
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = 3, .weighted = true}), *same;
    for (size_t i = 0; i < BPKI_COUNT(wrong); i++) {
        const uint64_t hash[3] = {1, 2, 3};
        const double weight[3] = {1, wrong[i], 1};
        size_t done = 9;
        uint8_t changed[3] = {9, 9, 9};
        bpk_items it = {.n = 3, .hash = hash, .real_weight = weight};
        same = t_sample_of((bpk_sample_config){.k = 3, .weighted = true});
        bpk_reset(bpk_sample_base(s));
        assert_int_equal(bpk_add(bpk_sample_base(s), &it, changed, &done), BPK_E_ARG);
        assert_int_equal(done, 1);
        assert_true(changed[0] == 1 && changed[1] == 9);
        it.n = 1;
        assert_int_equal(bpk_add(bpk_sample_base(same), &it, NULL, NULL), BPK_OK);
        t_assert_same_bytes(bpk_sample_base(s), bpk_sample_base(same));
        t_sample_free(same);
    }
    for (size_t i = 0; i < BPKI_COUNT(right); i++) {
        const bpk_items it = {.n = 1, .hash = (const uint64_t[]){7}, .real_weight = &right[i]};
        assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
    }
    t_sample_free(s);
}

static double every_third(uint64_t i) {
    return i % 3 == 0 ? 1 + (double)(i % 10) : 0;
}
static void a_weight_of_zero_is_counted_and_never_kept(void **state) {
    (void)state;
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = 50, .weighted = true, .seed = 6});
    double all = 0;
    for (uint64_t n = 100; n <= 2000; n += 100) {
        t_feed_batches(s, n - 100, n, 0, every_third, 33);
        for (uint64_t i = n - 100; i < n; i++) all += every_third(i);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < kept->n; i++)
            assert_true(kept->number[i] % 3 == 0 && kept->row[i].weight == every_third(kept->number[i]));
        assert_int_equal(kept->n, n < 150 ? 34 : 50);
        assert_true(t_strata_of(s)->at[0].n == n && t_strata_of(s)->at[0].weight == all);
    }
    t_sample_free(s);
}

static void whole_weights_and_real_ones_of_the_same_size_give_the_same_sample(void **state) {
    (void)state;
    bpk_sample *a = t_sample_of((bpk_sample_config){.k = 5, .weighted = true}), *b;
    b = t_sample_of((bpk_sample_config){.k = 5, .weighted = true});
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t hash = i, whole = t_hash(1, i) >> (i % 64);
        double real = (double)whole;
        const bpk_items x = {.n = 1, .hash = &hash, .weight = &whole},
                        y = {.n = 1, .hash = &hash, .real_weight = &real};
        assert_int_equal(bpk_add(bpk_sample_base(a), &x, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_add(bpk_sample_base(b), &y, NULL, NULL), BPK_OK);
    }
    t_assert_same_bytes(bpk_sample_base(a), bpk_sample_base(b));
    t_sample_free(a), t_sample_free(b);
}

static void a_sum_of_weights_is_exact_in_any_order(void **state) {
    (void)state;
    uint64_t up[BPKI_SUM_WORDS] = {0}, down[BPKI_SUM_WORDS] = {0}, half[BPKI_SUM_WORDS] = {0},
             odd[BPKI_SUM_WORDS] = {0};
    double w[401];
    w[0] = BPK_SAMPLE_WEIGHT_MAX;
    for (int i = 1; i < 400; i++) w[i] = ldexp(1 + (double)t_hash(1, (uint64_t)i) * 0x1p-64, i - 200);
    w[400] = BPK_SAMPLE_WEIGHT_MIN;
    for (int i = 0; i <= 400; i++) {
        bpki_sum_add(up, w[i]);
        bpki_sum_add(down, w[400 - i]);
        bpki_sum_add(i % 2 ? odd : half, w[i]);
    }
    bpki_sum_join(half, odd);
    assert_int_equal(bpki_sum_compare(up, down), 0);
    assert_int_equal(bpki_sum_compare(up, half), 0);
    bpki_sum_add(down, BPK_SAMPLE_WEIGHT_MIN);
    assert_true(bpki_sum_compare(up, down) < 0 && bpki_sum_compare(down, up) > 0);
    uint64_t one[BPKI_SUM_WORDS] = {0};
    assert_true(bpki_sum_value(one) == 0);
    for (int i = 0; i < 10; i++) bpki_sum_add(one, 0.1);
    assert_true(fabs(bpki_sum_value(one) - 10 * 0.1) < 0x1p-52);
    for (int i = -200; i <= 200; i++) {
        uint64_t power[BPKI_SUM_WORDS] = {0};
        bpki_sum_add(power, ldexp(1, i));
        assert_true(bpki_sum_value(power) == ldexp(1, i));
    }
}

/* ---- strata ---- */

static bpk_sample *of_groups(uint32_t k, uint32_t cap, bool weighted) {
    return t_sample_of((bpk_sample_config){.k = k, .groups = cap, .weighted = weighted, .seed = 4});
}

static void each_group_has_its_reservoir_and_its_count(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        bpk_sample *s = of_groups(5, 20, weighted);
        t_feed_batches(s, 0, 1000, 13, weighted ? every_third : NULL, 100);
        const t_strata *all = t_strata_of(s);
        assert_int_equal(all->n, 13);
        for (size_t i = 0; i < all->n; i++) {
            uint64_t g = 0;
            for (size_t j = 1; j < all->at[i].len; j++) g = 10 * g + ((const uint8_t *)all->at[i].name)[j] - '0';
            assert_true(all->at[i].hash == t_hash(8, g) && (i == 0 || all->at[i].hash > all->at[i - 1].hash));
            assert_int_equal(all->at[i].n, 1000 / 13 + (g < 1000 % 13));
            assert_int_equal(all->at[i].kept, 5);
            assert_false(all->at[i].pooled);
        }
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < kept->n; i++)
            assert_true(all->at[kept->row[i].stratum].hash == t_hash(8, kept->number[i] % 13));
        t_sample_free(s);
    }
}

/* The cap: which groups have a stratum depends on their hashes alone; everything else is pooled and counted. */
static void beyond_the_cap_the_smallest_hashes_keep_theirs_and_the_others_are_pooled(void **state) {
    (void)state;
    enum { GROUPS = 300, CAP = 17, N = 20000 };
    for (uint32_t k = 0; k < 9; k += 4) {
        bpk_sample *s = of_groups(k, CAP, k == 4);
        t_feed_batches(s, 0, N, GROUPS, NULL, 77);
        const t_strata *all = t_strata_of(s);
        assert_int_equal(all->n, CAP + 1);
        assert_true(all->at[CAP].pooled && all->at[CAP].len == 0);
        uint64_t named = 0;
        for (size_t i = 0; i < CAP; i++) {
            size_t smaller = 0;
            for (uint64_t g = 0; g < GROUPS; g++) smaller += t_hash(8, g) < all->at[i].hash;
            assert_int_equal(smaller, i);
            assert_true(all->at[i].kept == k && all->at[i].n >= N / GROUPS && all->at[i].n <= N / GROUPS + 1);
            named += all->at[i].n;
        }
        assert_true(all->at[CAP].n == N - named && all->at[CAP].weight == (double)(N - named));
        assert_int_equal(all->at[CAP].kept, k);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < kept->n; i++) {
            bool pooled = kept->row[i].stratum == CAP;
            assert_true(pooled == (t_hash(8, kept->number[i] % GROUPS) > all->at[CAP - 1].hash));
        }
        bpk_state health = bpk_health(bpk_sample_base(s), NULL, NULL);
        assert_int_equal(health, BPK_HEALTH_WARN);
        t_sample_free(s);
    }
}

static void groups_of_one_hash_are_told_apart_by_their_names_and_may_have_none(void **state) {
    (void)state;
    static const uint64_t hash[5] = {1, 2, 3, 4, 5}, group[5] = {9, 9, 9, 9, 9};
    static const void *const name[5] = {"a", "b", "a", "", "ab"};
    static const size_t len[5] = {1, 1, 1, 0, 2};
    bpk_sample *s = of_groups(2, 10, false);
    bpk_items it = {.n = 5, .hash = hash, .group = group, .group_name = name, .group_len = len};
    assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
    const t_strata *all = t_strata_of(s);
    static const uint64_t n[4] = {1, 2, 1, 1};
    assert_int_equal(all->n, 4); /* "", "a", "ab", "b" */
    for (size_t i = 0; i < 4; i++) assert_true(all->at[i].n == n[i]);
    bpk_reset(bpk_sample_base(s));
    it.group_name = NULL;
    assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
    assert_true(t_strata_of(s)->n == 1 && t_strata_of(s)->at[0].n == 5);
    size_t done = 9;
    it.group = NULL; /* a batch without groups */
    assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, &done), BPK_E_ARG);
    assert_true(done == 0 && bpk_sample_seen(s) == 5);
    it.n = 0;
    assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
    t_sample_free(s);
}

/* ---- memory ---- */

static void memory_grows_with_what_is_kept_and_not_with_k(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(1 << 24, 0, 0);
    assert_true(bpk_memory(bpk_sample_base(s)) < 1024);
    t_feed_records(s, 0, 1000);
    assert_true(bpk_memory(bpk_sample_base(s)) < 1024 + 1024 * (sizeof(sample_entry) + 8));
    t_sample_free(s);
}

/* The limit holds for all that is kept together, and the record that would pass it has changed nothing. */
static void what_would_pass_the_limit_is_refused_and_changes_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        bpk_env env = bpk_env_default();
        env.max_bytes = 20000;
        bpk_sample *s = NULL, *copy;
        const bpk_sample_config cfg = {.k = 64, .groups = kind == 2 ? 5 : 0, .weighted = kind == 1};
        assert_int_equal(bpk_sample_new(&s, &cfg, &env), BPK_OK);
        static uint8_t bytes[2000];
        size_t refused = 0;
        for (uint64_t i = 0; i < 3000; i++) {
            const void *item = bytes;
            uint64_t hash = t_hash(1, i), group = t_hash(2, i % 20);
            double weight = 1 + (double)(i % 3);
            size_t len = t_hash(3, i) % sizeof bytes, done;
            const bpk_items it = {
                .n = 1, .hash = &hash, .item = &item, .len = &len, .real_weight = &weight, .group = &group};
            assert_int_equal(bpk_copy((bpk_sketch **)&copy, bpk_sample_base(s), &env), BPK_OK);
            bpk_status st = bpk_add(bpk_sample_base(s), &it, NULL, &done);
            assert_true(bpk_memory(bpk_sample_base(s)) <= env.max_bytes + sizeof(bpk_sample));
            if (st != BPK_OK) {
                refused++;
                assert_int_equal(st, BPK_E_LIMIT);
                t_assert_same_bytes(bpk_sample_base(s), bpk_sample_base(copy));
            }
            t_sample_free(copy);
        }
        assert_true(refused > 0 && refused < 3000);
        t_sample_free(s);
    }
}

static void an_add_that_finds_no_memory_changes_nothing_and_can_be_repeated(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        const bpk_sample_config cfg = {.k = 4, .groups = kind == 2 ? 3 : 0, .weighted = kind == 1};
        bpk_sample *expected = t_sample_of(cfg), *s = NULL;
        t_env env;
        t_env_init(&env, 0);
        assert_int_equal(bpk_sample_new(&s, &cfg, &env.env), BPK_OK);
        static t_records r;
        for (uint64_t i = 0; i < 400; i++) {
            t_records_fill(&r, i, 1, kind == 2 ? 9 : 0, t_some_weight);
            assert_int_equal(bpk_add(bpk_sample_base(expected), &r.it, NULL, NULL), BPK_OK);
            t_bytes before = t_encode(bpk_sample_base(s), BPK_FORM_SMALL);
            for (long nth = 1;; nth++) {
                env.calls = 0;
                env.fail_at = nth;
                bpk_status st = bpk_add(bpk_sample_base(s), &r.it, NULL, NULL);
                if (st == BPK_OK) break;
                assert_int_equal(st, BPK_E_NOMEM);
                t_bytes after = t_encode(bpk_sample_base(s), BPK_FORM_SMALL);
                assert_true(after.n == before.n && memcmp(after.p, before.p, before.n) == 0);
                free(after.p);
            }
            free(before.p);
        }
        t_assert_same_bytes(bpk_sample_base(expected), bpk_sample_base(s));
        t_sample_free(expected), t_sample_free(s);
        assert_int_equal(env.held, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configuration_out_of_range_is_refused),
        cmocka_unit_test(text_parameters_make_what_they_say),
        cmocka_unit_test(up_to_k_records_all_are_kept_in_their_order_and_from_then_on_k),
        cmocka_unit_test(the_sample_does_not_depend_on_batches_or_on_records_that_were_only_counted),
        cmocka_unit_test(what_is_ahead_is_surely_not_kept_and_the_next_one_is),
        cmocka_unit_test(records_without_bytes_are_kept_as_empty_ones_with_their_hash),
        cmocka_unit_test(weights_that_are_not_allowed_are_refused_at_their_item_which_changes_nothing),
        cmocka_unit_test(a_weight_of_zero_is_counted_and_never_kept),
        cmocka_unit_test(whole_weights_and_real_ones_of_the_same_size_give_the_same_sample),
        cmocka_unit_test(a_sum_of_weights_is_exact_in_any_order),
        cmocka_unit_test(each_group_has_its_reservoir_and_its_count),
        cmocka_unit_test(beyond_the_cap_the_smallest_hashes_keep_theirs_and_the_others_are_pooled),
        cmocka_unit_test(groups_of_one_hash_are_told_apart_by_their_names_and_may_have_none),
        cmocka_unit_test(memory_grows_with_what_is_kept_and_not_with_k),
        cmocka_unit_test(what_would_pass_the_limit_is_refused_and_changes_nothing),
        cmocka_unit_test(an_add_that_finds_no_memory_changes_nothing_and_can_be_repeated),
    };
    return cmocka_run_group_tests_name("test_sample", tests, NULL, NULL);
}
