/* test_limit_windows.c - the two-window form: the estimate is the formula in whole numbers, a silence of two windows
 * empties both, a window keeps its width when it becomes the previous one, and every reply says that it estimates. */
#include "t_limit.h"

enum { WIDTH = 24, DEPTH = 3 };

static bpk_limit *new_windows(uint64_t limit, uint64_t period, uint32_t width, uint32_t depth) {
    return t_limit_new((bpk_limit_config){
        .limit = limit, .period = period, .width = width, .depth = depth, .method = BPK_LIMIT_WINDOWS});
}

/* ---- a model: conservative counters of two windows ---- */

typedef struct model {
    uint64_t limit, period, now, count[2][DEPTH][WIDTH]; /* 0 is the present window */
} model;

static uint64_t *cell_of(model *m, unsigned window, uint64_t hash, uint32_t row) {
    for (uint32_t r = 0; r < row; r++) hash = bpki_cells_next(hash);
    return &m->count[window][row][bpki_mulhi(hash, WIDTH)];
}
static uint64_t least(model *m, unsigned window, uint64_t hash) {
    uint64_t min = UINT64_MAX;
    for (uint32_t r = 0; r < DEPTH; r++) min = *cell_of(m, window, hash, r) < min ? *cell_of(m, window, hash, r) : min;
    return min;
}
static void advance(model *m, uint64_t now) {
    if (now <= m->now) return;
    for (uint64_t w = m->now / m->period, last = now / m->period, turns = 0; w < last && turns < 2; w++, turns++) {
        memcpy(m->count[1], m->count[0], sizeof m->count[0]);
        memset(m->count[0], 0, sizeof m->count[0]);
    }
    m->now = now;
}
static uint64_t estimate(model *m, uint64_t hash) {
    uint64_t elapsed = m->now % m->period;
    return least(m, 0, hash) + least(m, 1, hash) * (m->period - elapsed) / m->period;
}
static bool take(model *m, uint64_t hash, uint64_t cost) {
    uint64_t to = least(m, 0, hash) + cost;
    if (cost == 0 || estimate(m, hash) + cost > m->limit) return false;
    for (uint32_t r = 0; r < DEPTH; r++) {
        uint64_t *c = cell_of(m, 0, hash, r);
        *c = *c > to ? *c : to;
    }
    return true;
}
static void check(const model *m, const bpk_limit *l) {
    t_bytes b = t_encode(t_limit_base(l), BPK_FORM_VIEW);
    const uint8_t *at = b.p + 128;
    for (unsigned w = 0; w < 2; w++)
        for (uint32_t r = 0; r < DEPTH; r++)
            for (size_t i = 0; i < WIDTH; i++, at += 4) assert_true(bpki_load32(at) == m->count[w][r][i]);
    assert_int_equal(b.n, 136 + 2 * 4 * DEPTH * WIDTH);
    free(b.p);
}

static void estimates_and_counters_are_those_of_the_model(void **state) {
    (void)state;
    static const uint64_t shapes[][3] = {
        {10, 60, 20},    {100, 60000, 9000},          {3, 1, 2}, {1, 7, 5}, {5000, 1000, 90},
        {1 << 20, 3, 1}, {UINT32_MAX, 1000003, 90000}};
    for (size_t i = 0; i < BPKI_COUNT(shapes); i++) {
        static model m;
        t_rng r = {i};
        bpk_limit *l = new_windows(shapes[i][0], shapes[i][1], WIDTH, DEPTH);
        memset(&m, 0, sizeof m);
        m.limit = shapes[i][0], m.period = shapes[i][1];
        uint64_t now = i % 2 ? 1700000000 : 0, allowed = 0, denied = 0;
        for (size_t step = 0; step < 30000; step++) {
            uint64_t hash = t_hash(1, t_below(&r, 60)), cost = t_below(&r, t_below(&r, m.limit) + 2);
            now += t_below(&r, 4) ? 0 : t_below(&r, t_below(&r, 60) ? shapes[i][2] : 4 * m.period);
            if (cost && cost <= m.limit) advance(&m, now);
            if (cost > m.limit) cost = m.limit, advance(&m, now);
            bool passes = take(&m, hash, cost);
            bpk_limit_reply reply = t_take(l, hash, cost, now);
            assert_int_equal(reply.allowed, passes || cost == 0);
            assert_true(reply.is_estimate && reply.limit == m.limit);
            if (cost) allowed += passes, denied += !passes;
            if (cost) assert_true(reply.remaining == (estimate(&m, hash) < m.limit ? m.limit - estimate(&m, hash) : 0));
            if (step % 8 == 0) t_check_reply(l, hash, 1 + t_below(&r, m.limit + 1), now + t_below(&r, m.period), true);
            if (step % 50 == 0) l = (bpk_limit *)t_reload(bpk_limit_base(l));
            if (step % 16 == 0) check(&m, l);
        }
        assert_true(allowed > 1000 && denied > 1000);
        t_limit_free(l);
    }
}

/* ---- what is often wrong ---- */

static void a_silence_of_two_windows_or_more_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t silence = 1; silence < 7; silence++) { /* windows without an event */
        bpk_limit *l = new_windows(10, 60, 100, 3);
        uint64_t now = (2 + silence) * 60;
        assert_true(t_take(l, 1, 10, 119).allowed);
        assert_int_equal(t_peek(l, 1, 0, 120).remaining, 0);
        assert_int_equal(t_peek(l, 1, 0, 150).remaining, 5);
        assert_int_equal(t_peek(l, 1, 0, now).remaining, 10);
        assert_int_equal(t_take(l, 1, 10, now).remaining, 0);
        assert_int_equal(t_peek(l, 1, 0, now + 60).remaining, 0);
        assert_int_equal(t_peek(l, 1, 0, now + 120).remaining, 10);
        t_limit_free(l);
    }
}

static void the_share_of_the_previous_window_is_rounded_down_in_whole_numbers(void **state) {
    (void)state;
    for (uint64_t count = 1; count <= 12; count++)
        for (uint64_t elapsed = 0; elapsed < 60; elapsed++) {
            bpk_limit *l = new_windows(12, 60, 100, 3);
            assert_true(t_take(l, 1, count, 30).allowed);
            assert_int_equal(t_peek(l, 1, 0, 60 + elapsed).remaining, 12 - count * (60 - elapsed) / 60);
            t_limit_free(l);
        }
    bpk_limit *l = new_windows(UINT32_MAX, UINT64_MAX, 5, 1); /* a product of 96 bits */
    assert_true(t_take(l, 1, UINT32_MAX, 5).allowed);
    assert_int_equal(t_peek(l, 1, 0, UINT64_MAX - 1).remaining, 0);
    assert_int_equal(t_peek(l, 1, 0, UINT64_MAX).remaining, 0); /* the next window begins */
    t_limit_free(l);
}

/* The noise that strangers meet is the same before and after the turn. */
static void a_window_that_has_turned_keeps_its_width(void **state) {
    (void)state;
    bpk_limit *l = new_windows(UINT32_MAX, 60, 50, 3);
    uint64_t before[200];
    for (uint64_t i = 0; i < 2000; i++) bpk_limit_take(l, t_hash(1, i), 1 + i % 7, 59, NULL);
    for (uint64_t i = 0; i < 200; i++) before[i] = t_peek(l, t_hash(2, i), 0, 59).remaining;
    for (uint64_t i = 0; i < 200; i++) assert_true(t_peek(l, t_hash(2, i), 0, 60).remaining == before[i]);
    bpk_limit_take(l, 7, 1, 60, NULL);
    t_bytes b = t_encode(t_limit_base(l), BPK_FORM_VIEW);
    assert_int_equal(b.n, 136 + 2 * 50 * 3 * 4);
    free(b.p);
    t_limit_free(l);
}

static void what_was_refused_is_not_counted(void **state) {
    (void)state;
    bpk_limit *l = new_windows(10, 60, 100, 3);
    assert_true(t_take(l, 1, 8, 0).allowed);
    for (int i = 0; i < 50; i++) assert_false(t_take(l, 1, 3, 1).allowed);
    assert_true(t_take(l, 1, 2, 2).allowed);
    assert_int_equal(t_peek(l, 1, 1, 2).retry_after, 59); /* 10 x 59 / 60 is 9 */
    bpk_limit_reply r = t_take(l, 1, 11, 2);
    assert_true(r.never && !r.allowed && r.retry_after == UINT64_MAX);
    t_limit_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_and_counters_are_those_of_the_model),
        cmocka_unit_test(a_silence_of_two_windows_or_more_leaves_nothing),
        cmocka_unit_test(the_share_of_the_previous_window_is_rounded_down_in_whole_numbers),
        cmocka_unit_test(a_window_that_has_turned_keeps_its_width),
        cmocka_unit_test(what_was_refused_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
