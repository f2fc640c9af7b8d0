/* test_limit_wire.c - the limit room's bytes: against a second writer made from docs/format.md, read under every memory
 * limit, looked at in place; what no writer makes is refused. */
#include "t_limit.h"

enum { AT_METHOD = 32, AT_CODING = 34, AT_REFUNDS = 60, AT_BODY = 72, AT_CELLS = 128 };

/* ---- a second writer ---- */

/* Form small of what form view holds. */
static t_bytes small_of(const t_bytes *view) {
    t_bytes body = {NULL, 0};
    uint8_t params[40];
    size_t refunds = (size_t)bpki_load32(view->p + AT_REFUNDS) * 16, cells = view->n - AT_CELLS - 8 - refunds;
    for (size_t i = 0; i < cells;) {
        size_t run = 0;
        while (i + 4 * run < cells && bpki_load32(view->p + AT_CELLS + i + 4 * run) == 0) run++;
        t_put_varint(&body, bpki_load32(view->p + AT_CELLS + i));
        if (run) t_put_varint(&body, run - 1);
        i += run ? 4 * run : 4;
    }
    bool packed = body.n < cells;
    memcpy(params, view->p + AT_METHOD, sizeof params);
    params[AT_CODING - AT_METHOD] = packed;
    if (packed) t_sink(&body, view->p + AT_CELLS + cells, refunds);
    t_bytes small = t_envelope(BPK_KIND_LIMIT, BPK_FORM_SMALL, params, sizeof params,
                               packed ? body.p : view->p + AT_CELLS, packed ? body.n : cells + refunds);
    free(body.p);
    return small;
}

static bpk_limit *some_limiter(uint64_t seed) {
    t_rng r = {seed};
    bpk_limit_config cfg = {.limit = 1 + t_log_uniform(&r, 20),
                            .period = t_log_uniform(&r, 30),
                            .width = 1 + (uint32_t)t_below(&r, 60),
                            .depth = 1 + (uint32_t)t_below(&r, 5),
                            .method = t_below(&r, 3) == 0};
    if (cfg.method == BPK_LIMIT_ARRIVAL) cfg.burst = (uint32_t)t_log_uniform(&r, 25);
    bpk_limit *l = t_limit_new(cfg);
    uint64_t now = t_below(&r, 2) * 1000000, n = t_log_uniform(&r, 8), step = cfg.period / 4 + 1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t hash = t_hash(1, t_below(&r, 50)), most = cfg.method ? cfg.limit : cfg.burst;
        bpk_limit_take(l, hash, 1 + t_below(&r, most), now += t_below(&r, step), NULL);
        if (!cfg.method && t_below(&r, 4) == 0) t_refund(l, hash, 1 + t_below(&r, most), now);
    }
    return l;
}

static void the_bytes_are_the_documented_ones_and_decode_to_the_same_state(void **state) {
    (void)state;
    size_t coding[2] = {0, 0}, with_refunds = 0;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        bpk_limit *l = some_limiter(seed);
        t_bytes view = t_encode(t_limit_base(l), BPK_FORM_VIEW), small = t_encode(t_limit_base(l), BPK_FORM_SMALL);
        t_bytes expected = small_of(&view);
        assert_int_equal(small.n, expected.n);
        assert_memory_equal(small.p, expected.p, small.n);
        coding[small.p[AT_CODING]]++;
        with_refunds += bpki_load32(small.p + AT_REFUNDS) > 0;
        l = (bpk_limit *)t_reload(bpk_limit_base(l));
        t_assert_encodes_to(t_limit_base(l), BPK_FORM_VIEW, view.p, view.n);
        free(view.p), free(small.p), free(expected.p);
        t_limit_free(l);
    }
    assert_true(coding[0] > 50 && coding[1] > 50 && with_refunds > 100);
}

static void a_view_answers_as_the_limiter_also_at_later_times(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        bpk_limit *l = some_limiter(seed);
        t_bytes b = t_encode(t_limit_base(l), BPK_FORM_VIEW);
        bpk_view v;
        const bpk_limit *seen = bpk_as_limit(bpk_view_open(&v, b.p, b.n, NULL));
        assert_non_null(seen);
        uint64_t period = bpk_limit_made_for(l).period;
        for (uint64_t i = 0; i < 60; i++) {
            uint64_t now = bpk_limit_now(l) + t_hash(seed, i) % period * (i % 3), cost = i % 7;
            bpk_limit_reply x = t_peek(l, t_hash(1, i), cost, now), y = t_peek(seen, t_hash(1, i), cost, now);
            assert_true(x.allowed == y.allowed && x.remaining == y.remaining && x.never == y.never);
            assert_true(x.retry_after == y.retry_after && x.reset_after == y.reset_after);
            assert_true(bpk_limit_fresh(l, now) == bpk_limit_fresh(seen, now));
        }
        free(b.p);
        t_limit_free(l);
    }
}

static void a_few_bytes_for_many_cells_are_read_under_the_memory_limit(void **state) {
    (void)state;
    for (uint8_t method = 0; method < 2; method++) {
        bpk_limit *l =
            t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .width = 300000, .depth = 4, .method = method});
        t_bytes b = t_encode(t_limit_base(l), BPK_FORM_SMALL);
        assert_int_equal(b.n, 80 + 1 + 3 + method); /* a run of 1.2 or 2.4 million zeros */
        t_limit_refused_then_granted(&b, 1 << 20, 16 << 20);
        free(b.p);
        t_limit_free(l);
    }
}

static void bytes_are_read_without_a_leak_whichever_allocation_fails(void **state) {
    (void)state;
    bpk_limit *l = t_limit_new((bpk_limit_config){.limit = 10, .period = 60, .width = 50});
    for (uint64_t i = 0; i < 3; i++) bpk_limit_take(l, t_hash(1, i), 3, 1000, NULL);
    for (uint64_t i = 0; i < 3; i++) t_refund(l, t_hash(1, i), 1, 1000);
    assert_true(t_info(t_limit_base(l), "refunds") == 3);
    t_bytes b = t_encode(t_limit_base(l), BPK_FORM_SMALL);
    t_decode_without_memory(&b);
    free(b.p);
    t_limit_free(l);
}

/* Time goes on in files: cells that are over by then are 0, whenever they were swept. */
static void equal_states_have_equal_bytes_however_they_came_about(void **state) {
    (void)state;
    bpk_limit_config cfg = {.limit = 10, .period = 60, .width = 50};
    bpk_limit *a = t_limit_new(cfg), *b = t_limit_new(cfg);
    for (uint64_t i = 0; i < 30; i++) bpk_limit_take(a, t_hash(1, i), 3, 1000 + i, NULL);
    t_refund(a, t_hash(1, 29), 1, 1029);
    bpk_limit_take(a, 5, 2, 5000, NULL), bpk_limit_take(b, 5, 2, 5000, NULL);
    t_assert_same_bytes(t_limit_base(a), t_limit_base(b));
    t_limit_free(a), t_limit_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_the_documented_ones_and_decode_to_the_same_state),
        cmocka_unit_test(a_view_answers_as_the_limiter_also_at_later_times),
        cmocka_unit_test(a_few_bytes_for_many_cells_are_read_under_the_memory_limit),
        cmocka_unit_test(bytes_are_read_without_a_leak_whichever_allocation_fails),
        cmocka_unit_test(equal_states_have_equal_bytes_however_they_came_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
