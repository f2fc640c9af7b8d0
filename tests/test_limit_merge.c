/* test_limit_merge.c - limiters that come together: the later time, the larger cell, the refunds of both; sums; what
 * does not fit is named. */
#include "t_limit.h"

/* Some of a stream, with refunds, from a time on. */
static bpk_limit *filled(uint64_t seed, bpk_limit_config cfg, uint64_t from, size_t n) {
    bpk_limit *l = t_limit_new(cfg);
    t_rng r = {seed};
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = t_hash(1, t_below(&r, 30)), now = from + t_below(&r, 40);
        bpk_limit_take(l, hash, 1 + t_below(&r, 3), now, NULL);
        if (cfg.method == BPK_LIMIT_ARRIVAL && t_below(&r, 3) == 0) t_refund(l, hash, 1 + t_below(&r, 2), now);
    }
    return l;
}
static void merge(bpk_limit *dst, const bpk_limit *src) {
    assert_int_equal(bpk_merge(bpk_limit_base(dst), t_limit_base(src), NULL), BPK_OK);
}
static void assert_same(const bpk_limit *a, const bpk_limit *b) {
    t_assert_same_bytes(t_limit_base(a), t_limit_base(b));
}

static const bpk_limit_config shapes[] = {
    {.limit = 10, .period = 60, .burst = 10, .width = 40, .depth = 3},
    {.limit = 7, .period = 1000003, .burst = 3000, .width = 15, .depth = 2},
    {.limit = 1 << 20, .period = 1, .burst = 1 << 20, .width = 40, .depth = 2}, /* silent for longer than cells last */
    {.limit = 10, .period = 60, .width = 20, .depth = 3, .method = BPK_LIMIT_WINDOWS},
};

static void merging_is_idempotent_and_independent_of_order_and_grouping(void **state) {
    (void)state;
    uint64_t refunds = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const bpk_limit_config cfg = shapes[seed % 4];
        t_rng r = {seed};
        bpk_limit *part[3], *left, *right;
        for (uint64_t i = 0; i < 3; i++) part[i] = filled(3 * seed + i, cfg, 1000 + t_below(&r, 150), 200);
        left = t_limit_copy(part[0]);
        merge(left, part[1]);
        right = t_limit_copy(part[1]);
        merge(right, part[0]);
        assert_same(left, right);
        refunds += cfg.method == BPK_LIMIT_ARRIVAL && t_info(t_limit_base(left), "refunds") > 0;
        merge(left, part[2]); /* (a b) c */
        t_limit_free(right);
        right = t_limit_copy(part[1]);
        merge(right, part[2]);
        bpk_limit *last = t_limit_copy(part[0]);
        merge(last, right); /* a (b c) */
        assert_same(left, last);
        merge(last, part[1]);
        merge(last, left);
        assert_same(left, last);
        bpk_limit *twin = t_limit_copy(last);
        merge(last, twin);
        assert_same(left, last);
        for (size_t i = 0; i < 3; i++) t_limit_free(part[i]);
        t_limit_free(left), t_limit_free(right), t_limit_free(last), t_limit_free(twin);
    }
    assert_true(refunds > 20);
}

/* What the merged one passes, each node would have passed: never later than any of them. */
static void a_merged_limiter_allows_nothing_that_one_of_its_parts_would_refuse(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const bpk_limit_config cfg = shapes[seed % 4];
        bpk_limit *a = filled(2 * seed, cfg, 1000, 300), *b = filled(2 * seed + 1, cfg, 1000 + seed % 50, 300);
        bpk_limit *both = t_limit_copy(a);
        merge(both, b);
        uint64_t now = bpk_limit_now(both);
        assert_true(now == (bpk_limit_now(a) > bpk_limit_now(b) ? bpk_limit_now(a) : bpk_limit_now(b)));
        for (uint64_t k = 0; k < 60; k++) {
            uint64_t left = t_peek(both, t_hash(1, k), 0, now).remaining;
            assert_true(left <= t_peek(a, t_hash(1, k), 0, now).remaining);
            assert_true(left <= t_peek(b, t_hash(1, k), 0, now).remaining);
        }
        t_limit_free(a), t_limit_free(b), t_limit_free(both);
    }
}

static void a_merge_keeps_the_refunds_that_both_have(void **state) {
    (void)state;
    const bpk_limit_config cfg = {.limit = 10, .period = 60, .burst = 20};
    bpk_limit *a = t_limit_new(cfg), *b = t_limit_new(cfg);
    for (uint64_t k = 1; k < 4; k++)
        bpk_limit_take(a, t_hash(2, k), 10, 100, NULL), bpk_limit_take(b, t_hash(2, k), 8, 103, NULL);
    t_refund(a, t_hash(2, 1), 4, 100), t_refund(b, t_hash(2, 1), 4, 103);
    t_refund(a, t_hash(2, 2), 4, 100);
    merge(a, b); /* half an event is over since a */
    assert_int_equal(t_peek(a, t_hash(2, 1), 0, 103).remaining, 14);
    assert_int_equal(t_peek(a, t_hash(2, 2), 0, 103).remaining, 10);
    assert_true(t_info(t_limit_base(a), "refunds") == 1);
    t_limit_free(a), t_limit_free(b);
}

/* ---- sums ---- */

static void a_sum_adds_what_remains_to_be_worked_off_and_stops_at_the_burst(void **state) {
    (void)state;
    const bpk_limit_config cfg = {.limit = 10, .period = 60, .burst = 20};
    bpk_limit *a = t_limit_new(cfg), *b = t_limit_new(cfg), *other;
    bpk_limit_take(a, t_hash(2, 1), 7, 100, NULL),
        bpk_limit_take(b, t_hash(2, 1), 5, 112, NULL); /* 2 of the 7 are over by then */
    bpk_limit_take(a, t_hash(2, 2), 20, 100, NULL), bpk_limit_take(b, t_hash(2, 2), 15, 112, NULL);
    bpk_limit_take(a, t_hash(2, 3), 9, 100, NULL), bpk_limit_take(b, t_hash(2, 3), 9, 112, NULL);
    t_refund(a, t_hash(2, 3), 5, 100), t_refund(b, t_hash(2, 3), 5, 112);
    other = t_limit_copy(b);
    assert_int_equal(bpk_limit_sum(other, a, NULL), BPK_OK);
    assert_int_equal(bpk_limit_sum(a, b, NULL), BPK_OK);
    assert_same(a, other);
    assert_int_equal(bpk_limit_now(a), 112);
    assert_int_equal(t_peek(a, t_hash(2, 1), 0, 112).remaining, 10);
    assert_int_equal(t_peek(a, t_hash(2, 2), 0, 112).remaining, 0);
    assert_int_equal(t_peek(a, t_hash(2, 3), 0, 112).remaining, 20 - (4 - 2) - 4);
    t_limit_free(a), t_limit_free(b), t_limit_free(other);
}

static void a_sum_of_windows_adds_counts_of_the_same_window(void **state) {
    (void)state;
    bpk_limit_config cfg = {.limit = 100, .period = 60, .method = BPK_LIMIT_WINDOWS};
    bpk_limit *a = t_limit_new(cfg), *b = t_limit_new(cfg);
    bpk_limit_take(a, 1, 30, 30, NULL), bpk_limit_take(a, 1, 10, 70, NULL);
    bpk_limit_take(b, 1, 20, 40, NULL), bpk_limit_take(b, 1, 15, 130, NULL); /* the first 20 are gone */
    assert_int_equal(bpk_limit_sum(a, b, NULL), BPK_OK);
    assert_int_equal(t_peek(a, 1, 0, 150).remaining, 100 - 15 - 10 / 2);
    t_limit_free(a), t_limit_free(b);
    a = t_limit_new(cfg), b = t_limit_new(cfg);
    for (int i = 0; i < 40; i++) {
        bpk_limit *twin = t_limit_copy(a);
        bpk_limit_take(a, 1, 100, 5, NULL);
        assert_int_equal(bpk_limit_sum(a, i ? twin : b, NULL), BPK_OK); /* beyond 2^32 - 1 it stays there */
        t_limit_free(twin);
    }
    assert_int_equal(t_peek(a, 1, 1, 5).remaining, 0);
    t_limit_free(a), t_limit_free(b);
}

/* Two nodes at nine tenths of the limit each: none of them refuses, nothing piles up, and the sum knows of no more than
 * an event or two of the eighteen tenths that passed. */
static void a_sum_is_no_bound_on_a_common_limit(void **state) {
    (void)state;
    const bpk_limit_config cfg = {.limit = 9, .period = 90, .burst = 9};
    bpk_limit *a = t_limit_new(cfg), *b = t_limit_new(cfg), *common = t_limit_new(cfg);
    uint64_t passed = 0, common_passed = 0, now = 0;
    for (; now < 9000; now += 11) {
        passed += t_take(a, 1, 1, now).allowed + t_take(b, 1, 1, now + 5).allowed;
        common_passed += t_take(common, 1, 1, now).allowed + t_take(common, 1, 1, now + 5).allowed;
    }
    assert_int_equal(passed, 2 * ((9000 + 10) / 11));
    assert_true(common_passed < passed * 6 / 10);
    assert_int_equal(bpk_limit_sum(a, b, NULL), BPK_OK);
    assert_in_range(t_peek(a, 1, 0, now).remaining, 7, 9);
    assert_int_equal(t_peek(common, 1, 0, now).remaining, 0);
    t_limit_free(a), t_limit_free(b), t_limit_free(common);
}

/* ---- what does not fit ---- */

static void another_rate_shape_or_method_is_refused_and_named(void **state) {
    (void)state;
    const bpk_limit_config cfg = {.limit = 10, .period = 60, .burst = 10, .width = 20, .depth = 3};
    static const struct {
        const char *field;
        bpk_limit_config cfg;
    } others[] = {{"limit", {.limit = 11, .period = 60, .burst = 10, .width = 20, .depth = 3}},
                  {"period", {.limit = 10, .period = 61, .burst = 10, .width = 20, .depth = 3}},
                  {"burst", {.limit = 10, .period = 60, .burst = 12, .width = 20, .depth = 3}},
                  {"width", {.limit = 10, .period = 60, .burst = 10, .width = 21, .depth = 3}},
                  {"depth", {.limit = 10, .period = 60, .burst = 10, .width = 20, .depth = 4}},
                  {"method", {.limit = 10, .period = 60, .width = 20, .depth = 3, .method = BPK_LIMIT_WINDOWS}},
                  {"seed", {{BPK_HASH_XXH3, 0, 0, 7}, 10, 60, 10, 20, 3, 0}}};
    bpk_limit *l = filled(1, cfg, 100, 50), *copy = t_limit_copy(l);
    for (size_t i = 0; i < BPKI_COUNT(others); i++) {
        bpk_limit *other = t_limit_new(others[i].cfg);
        bpk_err err;
        bpk_limit_take(other, 1, 1, 5000, NULL);
        assert_int_equal(bpk_merge(bpk_limit_base(l), t_limit_base(other), &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, others[i].field);
        assert_int_equal(bpk_limit_sum(l, other, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, others[i].field);
        assert_true(*err.mine && *err.other);
        t_limit_free(other);
    }
    assert_same(l, copy);
    t_limit_free(l), t_limit_free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_is_idempotent_and_independent_of_order_and_grouping),
        cmocka_unit_test(a_merged_limiter_allows_nothing_that_one_of_its_parts_would_refuse),
        cmocka_unit_test(a_merge_keeps_the_refunds_that_both_have),
        cmocka_unit_test(a_sum_adds_what_remains_to_be_worked_off_and_stops_at_the_burst),
        cmocka_unit_test(a_sum_of_windows_adds_counts_of_the_same_window),
        cmocka_unit_test(a_sum_is_no_bound_on_a_common_limit),
        cmocka_unit_test(another_rate_shape_or_method_is_refused_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
