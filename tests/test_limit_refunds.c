/* test_limit_refunds.c - what is given back: never more than is there, never at the cost of another key's limit, a
 * bounded number of keys, all or nothing. */
#include "t_limit.h"

static void a_refund_gives_back_what_was_taken_and_no_more(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .burst = 20});
    bpk_limit_reply r;
    assert_int_equal(bpk_limit_refund(l, 1, 5, 100, &r, NULL), BPK_OK); /* nothing was taken */
    assert_true(r.allowed && r.remaining == 20 && r.limit == 20 && r.reset_after == 0 && !r.is_estimate);
    assert_true(t_take(l, 1, 18, 100).allowed && !t_take(l, 1, 3, 100).allowed);
    assert_int_equal(bpk_limit_refund(l, 1, 1, 100, &r, NULL), BPK_OK);
    assert_true(r.remaining == 3 && r.reset_after == 17 * 6);
    assert_int_equal(bpk_limit_refund(l, 1, 0, 200, &r, NULL), BPK_OK); /* asks */
    assert_true(bpk_limit_now(l) == 100 && t_peek(l, 1, 0, 100).remaining == 3);
    assert_int_equal(bpk_limit_refund(l, 1, 2, 112, &r, NULL), BPK_OK); /* two are over by time */
    assert_int_equal(r.remaining, 7);
    assert_int_equal(bpk_limit_refund(l, 1, UINT64_MAX, 112, &r, NULL), BPK_OK);
    assert_true(r.remaining == 20 && r.reset_after == 0);
    assert_true(t_take(l, 1, 20, 112).allowed && !t_take(l, 1, 1, 112).allowed);
    t_refund(l, 1, 20, 50); /* time stands still */
    assert_true(bpk_limit_now(l) == 112 && t_peek(l, 1, 20, 112).allowed);
    assert_int_equal(t_peek(l, 2, 0, 112).remaining, 20);
    t_limit_free(l);
}

/* Half a unit of an event, or an event and a half: what is given back is what was asked for, not all that is there. */
static void a_refund_below_what_is_there_is_exact(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 1, .period = 10, .burst = 4});
    assert_true(t_take(l, 1, 2, 0).allowed);
    t_refund(l, 1, 1, 5); /* 15 ticks are ahead of it, and 5 remain */
    assert_int_equal(t_peek(l, 1, 0, 5).reset_after, 5);
    assert_int_equal(t_peek(l, 1, 0, 5).remaining, 3);
    t_limit_free(l);
}

/* All keys share the one cell of each row; whoever gets back must not let others pass too late. */
static void keys_that_share_all_cells_keep_their_own_limits(void **state) {
    (void)state;
    enum { KEYS = 3 };
    static const bpk_limit_config shapes[] = {
        {.limit = 10, .period = 60, .burst = 5, .width = 1, .depth = 2},
        {.limit = 7, .period = 1000003, .burst = 3000, .width = 1, .depth = 1},
        {.limit = 3, .period = 5, .burst = 30, .width = 2, .depth = 3},
    };
    for (size_t i = 0; i < 3 * BPKI_COUNT(shapes); i++) {
        const bpk_limit_config *cfg = &shapes[i % 3];
        t_gcra exact[KEYS];
        t_rng r = {i};
        bpk_limit *l = t_limit_new(*cfg);
        uint64_t now = 0, after_refund = 0;
        for (size_t k = 0; k < KEYS; k++) exact[k] = (t_gcra){cfg->limit, cfg->period, cfg->burst, 0};
        for (size_t step = 0; step < 40000; step++) {
            uint64_t k = t_below(&r, KEYS), cost = 1 + t_below(&r, cfg->burst / 2 + 1);
            now += t_below(&r, 3) ? 0 : t_below(&r, cfg->period / cfg->limit * cfg->burst / 2 + 1);
            if (t_below(&r, 3) == 0) {
                t_refund(l, t_hash(1, k), cost, now);
                t_gcra_refund(&exact[k], cost, now);
            } else if (t_take(l, t_hash(1, k), cost, now).allowed) {
                if (!t_gcra_allows(&exact[k], cost, now)) fail_msg("shape %zu, step %zu: too late", i, step);
                t_gcra_take(&exact[k], cost, now);
                after_refund += t_info(t_limit_base(l), "refunds") > 0;
            }
        }
        assert_true(after_refund > 1000);
        t_limit_free(l);
    }
}

static void as_many_keys_as_promised_have_refunds_and_one_more_is_refused_and_changes_nothing(void **state) {
    (void)state;
    enum { MOST = BPK_LIMIT_REFUNDS_MAX };
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 100, .period = 60, .width = 1 << 16});
    bpk_err err;
    for (uint64_t k = 0; k <= MOST; k++) assert_true(t_take(l, t_hash(1, k), 50, 1000).allowed);
    for (uint64_t k = 0; k < MOST; k++) t_refund(l, t_hash(1, k), 1 + k % 50, 1000);
    assert_true(t_info(t_limit_base(l), "refunds") == MOST);
    bpk_limit *copy = t_limit_copy(l);
    for (uint64_t later = 1000; later <= 1001; later++) {
        assert_int_equal(bpk_limit_refund(l, t_hash(1, MOST), 1, later, NULL, &err), BPK_E_FULL);
        assert_string_equal(err.field, "refunds");
        t_assert_same_bytes(t_limit_base(l), t_limit_base(copy));
    }
    assert_int_equal(t_peek(l, t_hash(1, MOST), 0, 1000).remaining, 50); /* too early, and not too late */
    t_refund(l, t_hash(1, 7), 1, 1000);                                  /* who has one may have more */
    assert_int_equal(t_peek(l, t_hash(1, 7), 0, 1000).remaining, 59);
    t_refund(l, t_hash(1, MOST + 1), 5, 1000); /* nothing to give back, and no entry */
    assert_true(t_take(l, t_hash(1, 3), 50, 1000).allowed);
    t_refund(l, t_hash(1, MOST), 1, 1000); /* of those of key 3 nothing is left */
    assert_int_equal(t_peek(l, t_hash(1, MOST), 0, 1000).remaining, 51);
    l = (bpk_limit *)t_reload(bpk_limit_base(l));
    assert_true(t_info(t_limit_base(l), "refunds") == MOST);
    assert_int_equal(bpk_limit_refund(l, t_hash(1, 3), 1, 1000, NULL, NULL), BPK_E_FULL);
    for (uint64_t k = 2 * MOST; k < 3 * MOST; k++) {
        assert_true(t_take(l, t_hash(1, k), 1, 1031).allowed); /* all that were there are used up by time */
        t_refund(l, t_hash(1, k), 1, 1031);
    }
    assert_true(t_info(t_limit_base(l), "refunds") == MOST);
    t_limit_free(l), t_limit_free(copy);
}

/* The cells of the key are empty by then, and others may have filled them: too early, not too late. */
static void a_refund_lasts_until_the_cells_of_its_key_would_have_been_empty(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 1, .period = 10, .burst = 9, .width = 1, .depth = 1});
    assert_true(t_take(l, 1, 5, 0).allowed);
    t_refund(l, 1, 4, 0);
    assert_true(t_take(l, 2, 4, 0).allowed); /* the cell is at 90 */
    assert_int_equal(t_peek(l, 1, 0, 0).remaining, 8);
    assert_int_equal(t_peek(l, 1, 0, 49).remaining, 9);
    assert_int_equal(t_peek(l, 1, 0, 50).remaining, 5);
    assert_true(t_take(l, 3, 1, 50).allowed && t_info(t_limit_base(l), "refunds") == 0);
    t_limit_free(l);
}

static void windows_refuse_refunds_and_say_why(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .method = BPK_LIMIT_WINDOWS});
    bpk_err err;
    char text[200];
    assert_true(t_take(l, 1, 5, 0).allowed);
    assert_int_equal(bpk_limit_refund(l, 1, 1, 0, NULL, &err), BPK_E_UNSUPPORTED);
    bpk_explain(&err, text, sizeof text);
    assert_non_null(strstr(text, "refund, counts may be those of other keys"));
    assert_int_equal(t_peek(l, 1, 0, 0).remaining, 5);
    t_limit_free(l);
}

static void every_allocation_of_a_refund_may_fail_and_changes_nothing(void **state) {
    (void)state;
    for (long nth = 1;; nth++) {
        t_env env;
        t_env_init(&env, 0);
        bpk_limit *l = NULL;
        bpk_limit_config cfg = {.limit = 10, .period = 60, .width = 1000, .depth = 2};
        assert_int_equal(bpk_limit_new(&l, &cfg, &env.env), BPK_OK);
        env.calls = 0, env.fail_at = nth;
        bpk_status st = BPK_OK;
        for (uint64_t k = 0; k < 100 && st == BPK_OK; k++) {
            bpk_limit_take(l, t_hash(1, k), 5, 10, NULL);
            bpk_limit *copy = t_limit_copy(l);
            st = bpk_limit_refund(l, t_hash(1, k), 1, 11, NULL, NULL);
            if (st != BPK_OK) t_assert_same_bytes(t_limit_base(l), t_limit_base(copy));
            t_limit_free(copy);
        }
        assert_int_equal(env.held, bpk_memory(bpk_limit_base(l)));
        t_limit_free(l);
        assert_int_equal(env.held, 0);
        if (st == BPK_OK) {
            assert_in_range(nth, 4, 6); /* 16, 32, 64, 128 */
            return;
        }
        assert_int_equal(st, BPK_E_NOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refund_gives_back_what_was_taken_and_no_more),
        cmocka_unit_test(a_refund_below_what_is_there_is_exact),
        cmocka_unit_test(keys_that_share_all_cells_keep_their_own_limits),
        cmocka_unit_test(as_many_keys_as_promised_have_refunds_and_one_more_is_refused_and_changes_nothing),
        cmocka_unit_test(a_refund_lasts_until_the_cells_of_its_key_would_have_been_empty),
        cmocka_unit_test(windows_refuse_refunds_and_say_why),
        cmocka_unit_test(every_allocation_of_a_refund_may_fail_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
