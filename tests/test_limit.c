/* test_limit.c - the promises of the rate limiter: never too late, exact to two units alone, replies that keep their
 * word, every cell that of a model, time that only goes on. */
#include "t_limit.h"

/* ---- making ---- */

static void text_parameters_make_the_same_limiter_and_name_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        bpk_param p[6];
        size_t n;
        bpk_limit_config cfg;
    } good[] = {
        {{{"limit", "100"}, {"period", "60"}},
         2,
         {.limit = 100, .period = 60, .burst = 100, .width = 4096, .depth = 4}},
        {{{"limit", "1M"}, {"period", "1000"}, {"burst", "5"}, {"bytes", "1200"}, {"depth", "3"}},
         5,
         {.limit = 1000000, .period = 1000, .burst = 5, .width = 100, .depth = 3}},
        {{{"limit", "7"}, {"period", "1"}, {"width", "9"}, {"method", "arrival"}},
         4,
         {.limit = 7, .period = 1, .burst = 7, .width = 9, .depth = 4}},
        {{{"limit", "281474976710656"}, {"period", "18446744073709551615"}, {"burst", "1073741824"}, {"width", "1"}},
         4,
         {.limit = BPK_LIMIT_EVENTS_MAX, .period = UINT64_MAX, .burst = BPK_LIMIT_BURST_MAX, .width = 1, .depth = 4}},
        {{{"limit", "4294967295"}, {"period", "60"}, {"method", "windows"}},
         3,
         {.limit = UINT32_MAX, .period = 60, .width = 2048, .depth = 4, .method = BPK_LIMIT_WINDOWS}},
    };
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        bpk_sketch *s = NULL;
        bpk_limit *same = t_limit_new(good[i].cfg);
        bpk_limit_config cfg = bpk_limit_made_for(same);
        assert_int_equal(bpk_new(&s, "limit", NULL, good[i].p, good[i].n, NULL, NULL), BPK_OK);
        t_assert_same_bytes(s, bpk_limit_base(same));
        assert_ptr_equal(bpk_as_limit(s), s);
        assert_true(cfg.limit == good[i].cfg.limit && cfg.period == good[i].cfg.period);
        assert_true(cfg.burst == good[i].cfg.burst && cfg.method == good[i].cfg.method);
        assert_true(cfg.width == good[i].cfg.width && cfg.depth == good[i].cfg.depth);
        bpk_free(s);
        t_limit_free(same);
    }
    static const struct {
        bpk_param p[4];
        size_t n;
        const char *field;
    } bad[] = {{{{"period", "60"}}, 1, "limit"},
               {{{"limit", "60"}}, 1, "period"},
               {{{"limit", "0"}, {"period", "60"}}, 2, "limit"},
               {{{"limit", "281474976710657"}, {"period", "60"}}, 2, "limit"},
               {{{"limit", "-1"}, {"period", "60"}}, 2, "limit"},
               {{{"limit", "1"}, {"period", "0"}}, 2, "period"},
               {{{"limit", "1"}, {"period", "18446744073709551616"}}, 2, "period"},
               {{{"limit", "1"}, {"period", "1"}, {"burst", "0"}}, 3, "burst"},
               {{{"limit", "1"}, {"period", "1"}, {"burst", "1073741825"}}, 3, "burst"},
               {{{"limit", "1073741825"}, {"period", "1"}}, 2, "burst"}, /* which is the limit */
               {{{"limit", "1"}, {"period", "1"}, {"burst", "9"}, {"method", "windows"}}, 4, "burst"},
               {{{"limit", "4294967296"}, {"period", "1"}, {"method", "windows"}}, 3, "limit"},
               {{{"limit", "1"}, {"period", "1"}, {"method", "fixed"}}, 3, "method"},
               {{{"limit", "1"}, {"period", "1"}, {"width", "0"}}, 3, "width"},
               {{{"limit", "1"}, {"period", "1"}, {"width", "4294967296"}}, 3, "width"},
               {{{"limit", "1"}, {"period", "1"}, {"depth", "0"}}, 3, "depth"},
               {{{"limit", "1"}, {"period", "1"}, {"depth", "33"}}, 3, "depth"},
               {{{"limit", "1"}, {"period", "1"}, {"bytes", "15"}}, 3, "bytes"},
               {{{"limit", "1"}, {"period", "1"}, {"bytes", "1k"}, {"width", "9"}}, 4, "bytes"},
               {{{"limit", "1"}, {"period", "1"}, {"colour", "red"}}, 3, "colour"}};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_sketch *s = NULL;
        bpk_err err;
        assert_int_equal(bpk_new(&s, "limit", NULL, bad[i].p, bad[i].n, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i].field);
        assert_null(s);
    }
}

static void members_out_of_range_and_sizes_over_the_limit_are_refused(void **state) {
    (void)state;
    static const bpk_limit_config bad[] = {
        {.limit = 0, .period = 1, .width = 1, .depth = 1},
        {.limit = 1, .period = 0, .width = 1, .depth = 1},
        {.limit = 1, .period = 1, .width = 0, .depth = 1},
        {.limit = 1, .period = 1, .width = 1, .depth = 0},
        {.limit = 1, .period = 1, .width = 1, .depth = 33},
        {.limit = 1, .period = 1, .width = 1, .depth = 1, .method = 2},
        {.limit = 1, .period = 1, .width = 1, .depth = 1, .burst = BPK_LIMIT_BURST_MAX + 1},
        {.limit = BPK_LIMIT_EVENTS_MAX + 1, .period = 1, .width = 1, .depth = 1, .burst = 1},
        {.limit = BPK_LIMIT_BURST_MAX + 1, .period = 1, .width = 1, .depth = 1},
        {.limit = 1, .period = 1, .width = 1, .depth = 1, .burst = 1, .method = BPK_LIMIT_WINDOWS},
        {.limit = UINT32_MAX + UINT64_C(1), .period = 1, .width = 1, .depth = 1, .method = BPK_LIMIT_WINDOWS}};
    bpk_limit *l = NULL;
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) assert_int_equal(bpk_limit_new(&l, &bad[i], NULL), BPK_E_ARG);
    for (uint8_t method = 0; method < 2; method++) {
        bpk_limit_config large = {.limit = 1, .period = 1, .width = UINT32_MAX, .depth = 32, .method = method};
        assert_int_equal(bpk_limit_new(&l, &large, NULL), BPK_E_LIMIT);
    }
    assert_null(l);
}

/* ---- never too late ---- */

/* Rates from far below one event a tick to many a tick; times so that exact numbers fit into 64 bits. */
static const struct {
    uint64_t limit, period;
    uint32_t burst;
    uint64_t step; /* ticks between events, at most */
} rates[] = {
    {100, 60, 100, 3},
    {100, 60000, 100, 900},
    {1, 1, 1, 3},
    {7, 3, 20, 2},
    {3, 7, 5, 9},
    {1000000, 1000, 1000000, 2},
    {1000, 1, 4000, 2},
    {1, 86400000, 2, 50000000},
    {999, 1000, 1 << 21, 700},
    {1, 3600, 1 << 30, 900},
    {65536, 1, 1 << 30, 9000},
    {13, 1000003, 1, 200000},
    {1 << 20, 1, 1 << 20, 3},
    {5, 1 << 20, 3000, 1 << 22},
    {100, 60000000000, 100, 900000000},
    {3, 1000000007, 5, 700000000},
    {7, 1000003, 3000, 500000},
};

static uint64_t some_cost(t_rng *r, uint32_t burst) {
    uint64_t what = t_below(r, 10);
    if (what < 6) return 1 + t_below(r, burst / 16 + 1);
    if (what < 8) return t_below(r, (uint64_t)burst + 3);
    return what < 9 ? burst : 0;
}

static void what_passes_would_pass_an_exact_limiter_of_its_key_too(void **state) {
    (void)state;
    enum { KEYS = 40, STEPS = 30000 };
    for (size_t i = 0; i < BPKI_COUNT(rates); i++) {
        t_gcra exact[KEYS];
        t_rng r = {i};
        uint64_t now = i % 2 ? 0 : 1700000000, allowed = 0, denied = 0, refunds = 0;
        bpk_limit *l = t_limit_new((bpk_limit_config){
            .limit = rates[i].limit, .period = rates[i].period, .burst = rates[i].burst, .width = 12, .depth = 2});
        for (size_t k = 0; k < KEYS; k++)
            exact[k] = (t_gcra){rates[i].limit, rates[i].period, rates[i].burst, now * rates[i].limit};
        for (size_t step = 0; step < STEPS; step++) {
            uint64_t key = t_below(&r, t_below(&r, KEYS) + 1), cost = some_cost(&r, rates[i].burst);
            now += t_below(&r, 4) ? 0 : t_below(&r, rates[i].step);
            if (t_below(&r, 5) == 0 && cost) {
                t_refund(l, t_hash(i, key), cost, now);
                t_gcra_refund(&exact[key], cost, now);
                refunds++;
            } else if (t_take(l, t_hash(i, key), cost, now).allowed && cost) {
                if (!t_gcra_allows(&exact[key], cost, now)) fail_msg("rate %zu, step %zu: too late", i, step);
                t_gcra_take(&exact[key], cost, now);
                allowed++;
            } else denied++;
        }
        assert_true(allowed > 100 && denied > 100 && refunds > 100);
        t_limit_free(l);
    }
}

static void a_key_alone_is_limited_exactly_or_where_ticks_are_no_whole_units_to_two_units(void **state) {
    (void)state;
    size_t exactly = 0;
    for (size_t i = 0; i < BPKI_COUNT(rates); i++) {
        bool whole;
        uint64_t scale = t_scale_of(rates[i].limit, rates[i].period, rates[i].burst, &whole), now = 1000;
        exactly += whole;
        t_gcra exact = {rates[i].limit, rates[i].period, rates[i].burst, 0};
        t_rng r = {i};
        bpk_limit *l = t_limit_new(
            (bpk_limit_config){.limit = rates[i].limit, .period = rates[i].period, .burst = rates[i].burst});
        for (size_t step = 0; step < 5000; step++) {
            uint64_t cost = some_cost(&r, rates[i].burst);
            now += t_below(&r, 3) ? 0 : t_below(&r, rates[i].step);
            bool allowed = t_take(l, 5, cost, now).allowed;
            if (cost == 0 || cost > rates[i].burst) continue;
            uint64_t latest = now * exact.limit + (exact.burst - cost) * exact.period;
            uint64_t units = whole ? 0 : (2 * exact.period + scale - 1) / scale; /* an event is scale of them */
            if (!allowed) assert_true(exact.until + units > latest);
            if (allowed) assert_true(t_gcra_allows(&exact, cost, now));
            if (allowed) t_gcra_take(&exact, cost, now);
        }
        t_limit_free(l);
    }
    assert_in_range(exactly, 3, BPKI_COUNT(rates) - 3);
}

/* ---- a model of every cell ---- */

static void run_model(size_t rate, uint64_t seed) {
    enum { KEYS = 30, STEPS = 20000 };
    t_rng r = {seed};
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = rates[rate].limit,
                                                  .period = rates[rate].period,
                                                  .burst = rates[rate].burst,
                                                  .width = T_LIMIT_WIDTH,
                                                  .depth = T_LIMIT_DEPTH});
    t_limit_model m = t_model_of(l);
    bool whole;
    t_scale_of(rates[rate].limit, rates[rate].period, rates[rate].burst, &whole);
    uint64_t now = t_below(&r, 2) * 1000;
    for (size_t step = 0; step < STEPS; step++) {
        uint64_t hash = t_hash(rate, t_below(&r, KEYS)), cost = some_cost(&r, rates[rate].burst);
        now += t_below(&r, 4) ? 0 : t_below(&r, t_below(&r, 50) ? rates[rate].step : 500 * rates[rate].step);
        uint64_t told = t_below(&r, 9) ? now : now - t_below(&r, now + 1); /* backwards: time stands still */
        uint64_t what = t_below(&r, 16);
        if (now > UINT64_MAX / m.units / 2) break;
        if (what < 11) {
            if (cost) t_model_advance(&m, told);
            bool allowed = t_model_take(&m, hash, cost);
            assert_int_equal(t_take(l, hash, cost, told).allowed, allowed || cost == 0);
        } else if (what < 14) {
            if (cost) t_model_advance(&m, told);
            if (cost) t_model_give_back(&m, hash, cost);
            t_refund(l, hash, cost, told);
        } else if (what == 14) {
            l = (bpk_limit *)t_reload(bpk_limit_base(l));
        } else if (!t_model_refund(&m, hash)) t_check_reply(l, hash, cost, told, whole);
        if (step % 16 == 0) t_model_check(&m, l);
    }
    t_model_check(&m, l);
    t_limit_free(l);
}

static void every_cell_and_refund_is_the_models_through_sweeps_and_silences(void **state) {
    (void)state;
    for (size_t i = 0; i < BPKI_COUNT(rates); i++) run_model(i, 100 + i);
}

/* ---- batches ---- */

static void a_batch_is_its_items_one_by_one_and_changed_says_what_was_taken(void **state) {
    (void)state;
    enum { MOST = 300 };
    uint64_t hash[MOST], weight[MOST];
    uint8_t changed[MOST];
    bpk_limit_reply reply[MOST];
    for (uint64_t round = 0; round < 400; round++) {
        t_rng r = {round};
        bpk_limit_config cfg = {.limit = 5, .period = 100, .burst = 9, .width = 40, .depth = 1 + (uint32_t)round % 6};
        cfg.method = round % 3 == 2 ? BPK_LIMIT_WINDOWS : BPK_LIMIT_ARRIVAL;
        if (cfg.method == BPK_LIMIT_WINDOWS) cfg.burst = 0;
        bpk_limit *many = t_limit_new(cfg), *each = t_limit_new(cfg), *replied = t_limit_new(cfg);
        for (uint64_t now = 0, turn = 0; turn < 8; now += t_below(&r, 90), turn++) {
            size_t n = 1 + (size_t)t_below(&r, MOST - 1), done = 0;
            bool ones = t_below(&r, 2), refund = cfg.method == BPK_LIMIT_ARRIVAL && turn % 3 == 1;
            for (size_t i = 0; i < n; i++) hash[i] = t_hash(1, t_below(&r, 60)), weight[i] = t_below(&r, 12);
            bpk_items it = {.n = n, .hash = hash, .weight = ones ? NULL : weight, .now = now};
            assert_int_equal(bpk_add(bpk_limit_base(many), &it, turn % 4 ? changed : NULL, &done), BPK_OK);
            bpk_limit_take_many(replied, &it, reply);
            assert_int_equal(done, n);
            for (size_t i = 0; i < n; i++) {
                uint64_t cost = ones ? 1 : weight[i];
                bool allowed = t_take(each, hash[i], cost, now).allowed;
                if (turn % 4) assert_int_equal(changed[i], allowed && cost);
                assert_int_equal(reply[i].allowed, allowed);
            }
            if (refund && n) t_refund(many, hash[0], 2, now), t_refund(each, hash[0], 2, now);
            if (refund && n) t_refund(replied, hash[0], 2, now);
            t_assert_same_bytes(t_limit_base(many), t_limit_base(each));
            t_assert_same_bytes(t_limit_base(many), t_limit_base(replied));
        }
        t_limit_free(many), t_limit_free(each), t_limit_free(replied);
    }
}

/* ---- costs and times at their ends ---- */

static void a_cost_above_the_burst_is_never_allowed_and_a_cost_of_0_takes_nothing(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .burst = 20});
    static const uint64_t huge[] = {21, 1000, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, UINT64_MAX};
    for (size_t i = 0; i < BPKI_COUNT(huge); i++) {
        bpk_limit_reply r = t_take(l, 1, huge[i], 5);
        assert_true(!r.allowed && r.never && r.retry_after == UINT64_MAX && r.remaining == 20 && r.limit == 20);
    }
    bpk_limit *copy = t_limit_copy(l);
    bpk_limit_reply r = t_take(l, 1, 0, 1000000); /* not even time goes on */
    assert_true(r.allowed && !r.never && r.remaining == 20 && r.reset_after == 0);
    t_assert_same_bytes(t_limit_base(l), t_limit_base(copy));
    r = t_take(l, 1, 20, 5);
    assert_true(r.allowed && r.remaining == 0 && r.reset_after == 120 && r.retry_after == 0);
    r = t_take(l, 1, 1, 5);
    assert_true(!r.allowed && !r.never && r.retry_after == 6 && r.remaining == 0 && r.reset_after == 120);
    bpk_limit_take(l, 2, 20, 5, NULL);
    assert_int_equal(t_peek(l, 2, 0, 5).remaining, 0);
    t_limit_free(l), t_limit_free(copy);
}

static void time_that_goes_backwards_stands_still_and_a_jump_of_any_length_empties(void **state) {
    (void)state;
    for (uint8_t method = 0; method < 2; method++) {
        bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .method = method});
        assert_true(t_take(l, 1, 10, 1000).allowed);
        assert_false(t_take(l, 1, 1, 0).allowed);
        assert_true(bpk_limit_now(l) == 1000);
        static const uint64_t times[] = {2000, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
        for (size_t i = 0; i < BPKI_COUNT(times); i++) {
            assert_int_equal(t_peek(l, 1, 0, times[i]).remaining, 10);
            bpk_limit_reply r = t_take(l, 1, 10, times[i]);
            assert_true(r.allowed && r.remaining == 0 && bpk_limit_now(l) == times[i]);
            assert_false(t_take(l, 1, 1, times[i]).allowed);
            l = (bpk_limit *)t_reload(bpk_limit_base(l));
        }
        assert_false(t_take(l, 1, 1, 5).allowed); /* at the end of time it stays */
        bpk_reset(bpk_limit_base(l));
        assert_true(bpk_limit_now(l) == 0 && t_take(l, 1, 10, 0).allowed);
        t_limit_free(l);
    }
}

/* Empty for half a year of nanoseconds, in which the units have gone around 2^32 many times. */
static void a_cell_that_is_long_over_never_looks_like_one_to_come(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 1, .period = 1000, .burst = 1 << 22});
    uint64_t now = 0, week = UINT64_C(1) << 30; /* units of 1000 / 256 ticks */
    assert_true(t_take(l, 1, 1 << 22, 0).allowed);
    for (int i = 0; i < 200; i++) {
        now += week;
        t_take(l, 2, 1, now); /* another key keeps time going */
        if (now > (UINT64_C(1000) << 22)) assert_int_equal(t_peek(l, 1, 0, now).remaining, 1 << 22);
    }
    t_limit_free(l);
}

static void rates_at_their_ends_are_exact(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = BPK_LIMIT_EVENTS_MAX, .period = 1, .burst = 1 << 30});
    assert_true(t_take(l, 1, 1 << 30, UINT64_MAX - 1).allowed && !t_take(l, 1, 1, UINT64_MAX - 1).allowed);
    assert_int_equal(t_peek(l, 1, 1 << 30, UINT64_MAX - 1).retry_after, 1);
    assert_true(t_take(l, 1, 1 << 30, UINT64_MAX).allowed);
    t_limit_free(l);
    l = t_limit_new((bpk_limit_config){.limit = 1, .period = UINT64_MAX, .burst = 3});
    assert_true(t_take(l, 1, 3, 7).allowed);
    bpk_limit_reply r = t_peek(l, 1, 1, 7);
    assert_true(!r.allowed && r.retry_after > UINT64_MAX - 2 * (UINT64_MAX / 256) && r.reset_after == UINT64_MAX);
    t_limit_free(l);
}

/* ---- how well it is ---- */

static void take_by_many(bpk_limit *l, uint64_t from, uint64_t to, uint64_t now) {
    for (; from < to; from++) bpk_limit_take(l, t_hash(9, from), 10, now, NULL);
}

static void health_warns_where_one_new_key_in_a_hundred_would_be_limited_and_is_over_at_one_in_ten(void **state) {
    (void)state;
    for (uint8_t method = 0; method < 2; method++) {
        bpk_limit *l =
            t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .width = 100, .depth = 2, .method = method});
        bpk_sketch *s = bpk_limit_base(l);
        bpk_state seen = BPK_HEALTH_OK;
        for (uint64_t k = 0; k < 120; k++) {
            double fresh = bpk_limit_fresh(l, 5);
            bpk_state wanted = fresh < 0.01 ? BPK_HEALTH_OK : fresh < 0.1 ? BPK_HEALTH_WARN : BPK_HEALTH_OVER;
            assert_int_equal(bpk_health(s, NULL, NULL), wanted);
            assert_true(t_info(s, "fresh_limited") == fresh && t_info(s, "now") == (k ? 5 : 0));
            seen = wanted > seen ? wanted : seen;
            take_by_many(l, k, k + 1, 5);
        }
        assert_int_equal(seen, BPK_HEALTH_OVER);
        double fresh = bpk_limit_fresh(l, 5);
        assert_int_equal(bpk_tolerate(s, fresh), BPK_OK); /* in place of the usual limits */
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
        assert_int_equal(bpk_tolerate(s, fresh / 1.2), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_WARN);
        assert_int_equal(bpk_tolerate(s, fresh / 2), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OVER);
        assert_true(bpk_limit_fresh(l, 1000) == 0); /* later all is over */
        t_limit_free(l);
    }
}

static void info_tells_every_parameter_the_time_and_what_is_in_use(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .burst = 20, .width = 100, .depth = 3});
    const bpk_sketch *s = t_limit_base(l);
    assert_true(t_info(s, "fill") == 0 && t_info(s, "refunds") == 0);
    bpk_limit_take(l, 1, 2, 77, NULL);
    t_refund(l, 1, 1, 77);
    assert_true(t_info(s, "limit") == 10 && t_info(s, "period") == 60 && t_info(s, "burst") == 20);
    assert_true(t_info(s, "width") == 100 && t_info(s, "depth") == 3 && t_info(s, "now") == 77);
    assert_true(t_info(s, "fill") == 0.01 && t_info(s, "refunds") == 1 && t_info(s, "fresh_limited") == 0);
    t_limit_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_parameters_make_the_same_limiter_and_name_what_is_wrong),
        cmocka_unit_test(members_out_of_range_and_sizes_over_the_limit_are_refused),
        cmocka_unit_test(what_passes_would_pass_an_exact_limiter_of_its_key_too),
        cmocka_unit_test(a_key_alone_is_limited_exactly_or_where_ticks_are_no_whole_units_to_two_units),
        cmocka_unit_test(every_cell_and_refund_is_the_models_through_sweeps_and_silences),
        cmocka_unit_test(a_batch_is_its_items_one_by_one_and_changed_says_what_was_taken),
        cmocka_unit_test(a_cost_above_the_burst_is_never_allowed_and_a_cost_of_0_takes_nothing),
        cmocka_unit_test(time_that_goes_backwards_stands_still_and_a_jump_of_any_length_empties),
        cmocka_unit_test(a_cell_that_is_long_over_never_looks_like_one_to_come),
        cmocka_unit_test(rates_at_their_ends_are_exact),
        cmocka_unit_test(health_warns_where_one_new_key_in_a_hundred_would_be_limited_and_is_over_at_one_in_ten),
        cmocka_unit_test(info_tells_every_parameter_the_time_and_what_is_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
