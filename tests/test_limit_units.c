/* test_limit_units.c - ticks and units: exact where they are whole, rounded as promised elsewhere, no overflow. */
#include "t.h"

#include "limit_units.h"

static limit_rate some_rate(uint64_t i) {
    uint64_t period = t_hash(1, i) >> t_hash(2, i) % 64, units = t_hash(3, i) >> t_hash(4, i) % 64;
    return (limit_rate){period ? period : 1, units ? units : 1};
}

/* floor and rest put back together are ticks x units, modulo 2^64 and beyond it. */
static void an_instant_is_the_whole_quotient_and_its_rest(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50000; i++) {
        limit_rate rate = some_rate(i);
        uint64_t ticks = t_hash(5, i) >> t_hash(6, i) % 64;
        limit_instant at = bpki_limit_instant(rate, ticks);
        assert_true(at.rest < rate.period);
        assert_true(at.floor * rate.period + at.rest == ticks * rate.units);
        if (bpki_mulhi(ticks, rate.units) == 0) assert_true(at.floor == ticks * rate.units / rate.period);
    }
    limit_instant end = bpki_limit_instant((limit_rate){UINT64_MAX, UINT64_MAX}, UINT64_MAX);
    assert_true(end.floor == UINT64_MAX && end.rest == 0);
    end = bpki_limit_instant((limit_rate){1, UINT64_MAX}, UINT64_MAX);
    assert_true(end.floor == 1 && end.rest == 0); /* (2^64 - 1)^2 modulo 2^64 */
}

static void units_of_a_span_stop_at_the_end(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50000; i++) {
        limit_rate rate = some_rate(i);
        uint64_t ticks = t_hash(5, i) >> t_hash(6, i) % 64, units = bpki_limit_units_in(rate, ticks);
        limit_instant at = bpki_limit_instant(rate, ticks);
        if (bpki_mulhi(ticks, rate.units) < rate.period) assert_true(units == at.floor);
        else assert_true(units == UINT64_MAX);
    }
}

static void the_wait_for_units_is_the_least_one(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50000; i++) {
        limit_rate rate = some_rate(i);
        uint64_t now = t_hash(5, i) >> (1 + t_hash(6, i) % 62), units = t_hash(7, i) >> (33 + t_hash(8, i) % 30);
        limit_instant at = bpki_limit_instant(rate, now);
        uint64_t wait = bpki_limit_ticks_until(rate, at, units);
        if (units == 0) assert_int_equal(wait, 0);
        if (wait == UINT64_MAX || wait > UINT64_MAX - now || bpki_mulhi(now + wait, rate.units) >= rate.period)
            continue;
        assert_true(bpki_limit_instant(rate, now + wait).floor - at.floor >= units);
        if (wait) assert_true(bpki_limit_instant(rate, now + wait - 1).floor - at.floor < units);
    }
    limit_instant start = {0, 0};
    assert_true(bpki_limit_ticks_until((limit_rate){UINT64_MAX, 1}, start, 2) == UINT64_MAX);
    assert_true(bpki_limit_ticks_until((limit_rate){UINT64_MAX, 1}, start, 1) == UINT64_MAX);
    assert_true(bpki_limit_ticks_until((limit_rate){UINT64_MAX - 1, 1}, start, 1) == UINT64_MAX - 1);
}

static void a_scaled_number_is_rounded_down_and_stops_at_the_end(void **state) {
    (void)state;
    uint64_t rest;
    assert_true(bpki_limit_scale(7, 10, 3, &rest) == 23 && rest == 1);
    assert_true(bpki_limit_scale(UINT64_MAX, UINT64_MAX, UINT64_MAX, NULL) == UINT64_MAX);
    assert_true(bpki_limit_scale(UINT64_MAX, 3, 2, NULL) == UINT64_MAX);
    assert_true(bpki_limit_scale(UINT64_C(1) << 63, 2, 4, &rest) == UINT64_C(1) << 62 && rest == 0);
    assert_true(bpki_limit_scale(0, 5, 1, &rest) == 0 && rest == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instant_is_the_whole_quotient_and_its_rest),
        cmocka_unit_test(units_of_a_span_stop_at_the_end),
        cmocka_unit_test(the_wait_for_units_is_the_least_one),
        cmocka_unit_test(a_scaled_number_is_rounded_down_and_stops_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
