/* test_decay.c - 2^fraction in integers, units and their limits: what two rooms count on. */
#include "t_streams.h"

#include "decay.h"

static const uint64_t one = UINT64_C(1) << 62;

static void each_root_squared_is_the_one_before_it(void **state) {
    (void)state;
    uint64_t before = 2 * one;
    for (unsigned i = 1; i <= 32; i++) {
        uint64_t root = bpki_moment_of(UINT64_C(1) << i, 1).power; /* 2^(2^-i) */
        assert_true(root > one && root < before);
        uint64_t low = 4 * bpki_mulhi(root, root), high = 4 * bpki_mulhi(root + 4, root + 4) + 4;
        if (i == 1) assert_true(bpki_mulhi(root, root) < one / 2 && bpki_mulhi(root + 4, root + 4) + 1 >= one / 2);
        else assert_true(low <= before && before <= high + 4);
        before = root;
    }
}

/* Of every size of half-life, and of fractions at both ends. */
static void for_moments(void (*fn)(uint64_t half_life, uint64_t now)) {
    t_rng r = {5};
    for (int i = 0; i < 200000; i++) {
        uint64_t half_life = t_log_uniform(&r, 64), now = t_log_uniform(&r, 64);
        fn(half_life, now);
        fn(half_life, now / half_life * half_life);
        fn(half_life, half_life - 1);
        fn(half_life, half_life < UINT64_MAX ? half_life + 1 : 0);
    }
    fn(UINT64_MAX, UINT64_MAX);
    fn(UINT64_MAX, UINT64_MAX - 1);
    fn(1, UINT64_MAX);
}

static long double exact_power(uint64_t half_life, uint64_t now) {
    return exp2l((long double)(now % half_life) / (long double)half_life);
}

static void check_unit(uint64_t half_life, uint64_t now) {
    bpki_moment m = bpki_moment_of(half_life, now);
    bpki_arrival a = bpki_arrival_of(half_life, &m, now);
    long double truth = 4096 * exact_power(half_life, now), last = 1e-15L;
    assert_true(a.late == 0 && a.unit >= 4096 && a.unit <= 8192);
    assert_true((long double)a.unit >= truth * (1 - last));
    assert_true((long double)a.unit <= truth + 1 + truth * 1e-9L);
    if (now % half_life == 0) assert_int_equal(a.unit, 4096);
}
static void a_unit_is_the_exact_weight_rounded_up(void **state) {
    (void)state;
    for_moments(check_unit);
}

static void check_answer(uint64_t half_life, uint64_t now) {
    bpki_moment m = bpki_moment_of(half_life, now);
    t_rng r = {now};
    uint64_t units = t_log_uniform(&r, 63);
    long double truth = (long double)units / (4096 * exact_power(half_life, now)), last = 1e-15L;
    double up = bpki_decay_up(&m, units), down = bpki_decay_down(&m, units);
    assert_true((long double)up >= truth * (1 - last) && (long double)down <= truth * (1 + last));
    assert_true((long double)up <= truth * (1 + 1e-9L) && (long double)down >= truth * (1 - 1e-9L));
    assert_true((double)bpki_decay_whole(&m, units) >= up && (double)bpki_decay_whole(&m, units) < up + 1);
    assert_true(bpki_decay_up(&m, 0) == 0 && bpki_decay_down(&m, 0) == 0);
}
static void answers_are_between_neighbours_of_the_exact_one(void **state) {
    (void)state;
    for_moments(check_answer);
}

static void what_came_at_any_time_is_counted_for_at_least_what_it_weighs(void **state) {
    (void)state;
    t_rng r = {9};
    for (int i = 0; i < 300000; i++) {
        uint64_t half_life = t_log_uniform(&r, 50), latest = t_log_uniform(&r, 58), weight = t_log_uniform(&r, 64);
        uint64_t now = latest - t_below(&r, (half_life < latest ? half_life : latest) + 1) * (i % 3 ? 1 : 0);
        if (i % 7 == 0) now = t_below(&r, latest + 1);
        bpki_moment m = bpki_moment_of(half_life, latest);
        bpki_arrival a = bpki_arrival_of(half_life, &m, now);
        bool rest;
        uint64_t units = bpki_decay_units(&a, weight, &rest), late = latest / half_life - now / half_life;
        long double exact =
            ldexpl((long double)weight * exact_power(half_life, now), 12 - (int)(late < 20000 ? late : 20000));
        assert_int_equal(a.late, late);
        if (units == UINT64_MAX) {
            assert_true(exact > 1.8e19L);
            continue;
        }
        assert_true((long double)units + rest >= exact * (1 - 1e-15L));
        assert_true((long double)bpki_decay_least(units) <= exact * (1 + 1e-15L));
        assert_true((long double)units <= exact * (1 + 1.0L / 4096 + 1e-9L));
    }
}

static void halving_is_defined_for_any_number_of_times(void **state) {
    (void)state;
    const uint64_t often[] = {0, 1, 31, 63, 64, 65, 127, 128, 1000000000, UINT64_MAX};
    for (size_t i = 0; i < BPKI_COUNT(often); i++) {
        uint64_t v = UINT64_MAX, s = often[i];
        uint64_t down = bpki_halve(v, s), up = bpki_halve_up(v, s);
        for (uint64_t j = 0; j < s && j < 70; j++) v /= 2;
        assert_int_equal(down, v);
        assert_int_equal(up, s == 0 ? v : s < 64 ? v + 1 : 1);
        assert_int_equal(bpki_halve_up(0, s), 0);
        assert_int_equal(bpki_halve_up(UINT64_C(1) << 63, s), s < 64 ? UINT64_C(1) << (63 - s) : 1);
        bool rest;
        const bpki_arrival a = {8192, s};
        uint64_t units = bpki_decay_units(&a, UINT64_MAX, &rest);
        assert_int_equal(units, s < 14 ? UINT64_MAX : s < 77 ? UINT64_MAX >> (s - 13) : 0);
        assert_true(rest == (s >= 14));
    }
}

static void without_a_half_life_units_are_weights(void **state) {
    (void)state;
    bpki_moment m = bpki_moment_of(0, 77);
    bpki_arrival a = bpki_arrival_of(0, &m, 99);
    bool rest = true;
    assert_true(m.now == 0 && m.power == 0);
    assert_true(bpki_decay_units(&a, UINT64_MAX, &rest) == UINT64_MAX && !rest);
    assert_true(bpki_decay_up(&m, 7) == 7 && bpki_decay_down(&m, 7) == 7 && bpki_decay_whole(&m, 7) == 7);
    bpk_estimate e = bpki_decay_certain(&m, 3, 3, 3, false);
    assert_true(e.flags == BPK_EXACT && e.estimate == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_root_squared_is_the_one_before_it),
        cmocka_unit_test(a_unit_is_the_exact_weight_rounded_up),
        cmocka_unit_test(answers_are_between_neighbours_of_the_exact_one),
        cmocka_unit_test(what_came_at_any_time_is_counted_for_at_least_what_it_weighs),
        cmocka_unit_test(halving_is_defined_for_any_number_of_times),
        cmocka_unit_test(without_a_half_life_units_are_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
