/* test_sample.c - promises of sample.h: making, adding, jumping, rows, weights, strata, shares, limits. */
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

static double some_weight(uint64_t i) {
    return i % 7 == 3 ? 0 : ldexp(1 + (double)(t_hash(2, i) % 100), (int)(i % 5) - 2);
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
            t_feed_batches(s, 0, 3000, groups, some_weight, batches[i]);
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

/* ---- rows ---- */

static bool stop_at_two(void *ctx, const bpk_sample_row *row) {
    (void)row;
    return ++*(int *)ctx < 2;
}
static void shuffled_rows_are_the_same_rows_in_an_order_that_repeats(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(100, 5, 0);
    t_feed_records(s, 0, 5000);
    t_kept input = *t_kept_of(s, BPK_SAMPLE_INPUT), shuffled = *t_kept_of(s, BPK_SAMPLE_SHUFFLED);
    const t_kept *again = t_kept_of(s, BPK_SAMPLE_SHUFFLED);
    uint64_t sum[2] = {0, 0};
    size_t descents = 0;
    assert_memory_equal(shuffled.number, again->number, 100 * sizeof(uint64_t));
    for (size_t i = 0; i < 100; i++) {
        sum[0] += t_mix(input.number[i]);
        sum[1] += t_mix(shuffled.number[i]);
        descents += i && shuffled.number[i] < shuffled.number[i - 1];
    }
    assert_true(sum[0] == sum[1]);
    assert_in_range(descents, 32, 67); /* 49.5 on average, 2.9 its standard deviation */
    int seen = 0;
    assert_int_equal(bpk_sample_rows(s, BPK_SAMPLE_INPUT, stop_at_two, &seen), BPK_OK);
    assert_int_equal(seen, 2);
    assert_int_equal(bpk_sample_rows(s, (bpk_sample_order)2, stop_at_two, &seen), BPK_E_ARG);
    t_sample_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configuration_out_of_range_is_refused),
        cmocka_unit_test(text_parameters_make_what_they_say),
        cmocka_unit_test(up_to_k_records_all_are_kept_in_their_order_and_from_then_on_k),
        cmocka_unit_test(the_sample_does_not_depend_on_batches_or_on_records_that_were_only_counted),
        cmocka_unit_test(what_is_ahead_is_surely_not_kept_and_the_next_one_is),
        cmocka_unit_test(records_without_bytes_are_kept_as_empty_ones_with_their_hash),
        cmocka_unit_test(shuffled_rows_are_the_same_rows_in_an_order_that_repeats),
    };
    return cmocka_run_group_tests_name("test_sample", tests, NULL, NULL);
}
