/* stat_limit.c - how likely a new key is limited, against keys that never came; what is limited too early under load,
 * at every depth.
 *
 * Thresholds are z = 6: a false alarm of 2e-9 an assertion.
 */
#include "t_load.h"

static double phantoms_limited(const bpk_limit *l, uint64_t now, uint64_t seed, uint64_t n) {
    double limited = 0;
    for (uint64_t i = 0; i < n; i++) limited += !t_peek(l, t_hash(1000 + seed, i), 1, now).allowed;
    return limited;
}

static void a_new_key_is_limited_as_often_as_fresh_says(void **state) {
    (void)state;
    enum { PHANTOMS = 20000, STATES = 60 };
    double least = 1, most = 0;
    for (uint64_t i = 0; i < STATES; i++) {
        uint32_t depth = 1 + (uint32_t)(i % 4);
        bpk_limit_config cfg = {.limit = 5, .period = 7000 + 13 * i, .burst = 3 + (uint32_t)(i % 5), .depth = depth};
        cfg.width = 40 + 60 * (uint32_t)(i % 3);
        bpk_limit *l = t_limit_new(cfg);
        uint64_t keys = cfg.width * (1 + i % 6) / 2, now = 100000;
        for (uint64_t k = 0; k < 12 * keys; k++)
            bpk_limit_take(l, t_hash(i, k % keys), 1, now += k % keys == 0 ? 150 : 0, NULL);
        now += 300 * (i % 5);
        double p = bpk_limit_fresh(l, now), expected = p * PHANTOMS, limited = phantoms_limited(l, now, i, PHANTOMS);
        assert_true(fabs(limited - expected) <= 6 * sqrt(expected * (1 - p)) + 6);
        least = p < least ? p : least;
        most = p > most ? p : most;
        t_limit_free(l);
    }
    print_message("new keys limited: from %.2g to %.2g of them\n", least, most);
    assert_true(least < 0.02 && most > 0.9);
}

static void with_windows_a_new_key_is_limited_no_more_often_than_fresh_says(void **state) {
    (void)state;
    enum { PHANTOMS = 20000, STATES = 30 };
    double said = 0, met = 0;
    for (uint64_t i = 0; i < STATES; i++) {
        bpk_limit *l = t_limit_new((bpk_limit_config){
            .limit = 5, .period = 1000, .width = 100, .depth = 1 + (uint32_t)(i % 3), .method = BPK_LIMIT_WINDOWS});
        for (uint64_t k = 0; k < 600; k++) bpk_limit_take(l, t_hash(i, k % (20 + 4 * i)), 1, 500 + k, NULL);
        uint64_t now = 1100 + 20 * i;
        double p = bpk_limit_fresh(l, now), limited = phantoms_limited(l, now, i, PHANTOMS);
        assert_true(limited <= p * PHANTOMS + 6 * sqrt(p * PHANTOMS * (1 - p)) + 6);
        said += p * PHANTOMS, met += limited;
        t_limit_free(l);
    }
    print_message("with windows, new keys limited: %.4f said, %.4f met\n", said / STATES / PHANTOMS,
                  met / STATES / PHANTOMS);
    assert_true(met > 0.5 * said && met > 0.01 * STATES * PHANTOMS);
}

/* The mean of fresh while periods pass, and what passes in one beside what the cells of a row work off. Every event is
 * of a key of its own, or of so many keys that each use up their limit. */
static double fresh_at_load(uint32_t burst, double offered, bool heavy, uint64_t seed, double *load) {
    enum { WIDTH = 1000, LIMIT = 20, PERIOD = 100000, PERIODS = 8 };
    bpk_limit *l =
        t_limit_new((bpk_limit_config){.limit = LIMIT, .period = PERIOD, .burst = burst, .width = WIDTH, .depth = 4});
    uint64_t a_period = (uint64_t)(offered * WIDTH * LIMIT), keys = (uint64_t)(offered * WIDTH), looks = 0;
    double fresh = 0, passed = 0;
    for (uint64_t i = 0; i < PERIODS * a_period; i++) {
        uint64_t now = PERIOD + i * PERIOD / a_period, hash = t_hash(seed, heavy ? t_hash(seed, i) % keys : i);
        bool counts = i >= PERIODS / 2 * a_period;
        bpk_limit_reply r;
        for (int times = 0; times < (heavy ? 2 : 1); times++) {
            bpk_limit_take(l, hash, 1, now, &r);
            passed += r.allowed && counts;
        }
        if (!counts || i % 97) continue;
        fresh += bpk_limit_fresh(l, now);
        looks++;
    }
    *load = passed / (PERIODS / 2) / WIDTH / LIMIT;
    t_limit_free(l);
    return fresh / (double)looks;
}

static void no_more_new_keys_are_limited_than_the_plan_says_for_the_load(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t burst;
        bool heavy;
    } mixes[] = {{"an event a key, bursts of 1", 1, false},
                 {"an event a key, bursts of 2", 2, false},
                 {"keys that use their limit up, bursts of 1", 1, true},
                 {"keys that use their limit up, bursts of 20", 20, true}};
    double nearest[BPKI_COUNT(mixes)] = {0}, load;
    for (size_t m = 0; m < BPKI_COUNT(mixes); m++) {
        for (uint64_t i = 0; i < 8; i++) {
            double fresh = fresh_at_load(mixes[m].burst, 0.2 + 0.1 * (double)i, mixes[m].heavy, i, &load);
            double met = fresh / pow(load, 4);
            if (met > 1) fail_msg("%s, load %.3f: %.4g of new keys limited", mixes[m].what, load, fresh);
            nearest[m] = met > nearest[m] ? met : nearest[m];
        }
        print_message("%s: of load^4, at most %.3f is met\n", mixes[m].what, nearest[m]);
    }
    assert_true(nearest[0] > 0.5);
}

/* Of what exact limiters pass in the second half of four minutes, the share that is limited. `load` is what they pass
 * in a period, beside what the cells of a row could: width x limit. */
static void four_rows_are_near_the_best_at_64_kib_and_more_are_worse_where_memory_is_short(void **state) {
    (void)state;
    enum { DEPTHS = 6, SECONDS = 240, LOADS = 4 };
    static const struct {
        size_t per_second;
        uint32_t bytes;
    } loads[LOADS] = {{2500, 16 << 10}, {5000, 16 << 10}, {10000, 16 << 10}, {10000, 64 << 10}};
    double share[LOADS][DEPTHS], best = 1;
    for (size_t i = 0; i < LOADS; i++) {
        bpk_limit *l[DEPTHS];
        t_gcra *exact = t_load_exact();
        double passed = 0, limited[DEPTHS] = {0};
        t_load load = t_load_of((double)loads[i].per_second, i);
        for (uint32_t d = 0; d < DEPTHS; d++) l[d] = t_load_limiter(loads[i].bytes, d + 1, BPK_LIMIT_ARRIVAL);
        for (size_t n = 0; n < SECONDS * loads[i].per_second; n++) {
            t_request q = t_load_next(&load);
            bool counts = t_gcra_pass(&exact[q.key], q.now) && n >= SECONDS / 2 * loads[i].per_second;
            passed += counts;
            for (size_t d = 0; d < DEPTHS; d++) limited[d] += !t_load_pass(l[d], &q) && counts;
        }
        double cells = loads[i].bytes / 16.0, a_period = passed * 2 / SECONDS * T_LOAD_PERIOD / 1000;
        print_message("%zu a second, %u KiB, load %.2f of 4 rows; limited at 1 to 6 rows:", loads[i].per_second,
                      loads[i].bytes >> 10, a_period / cells / T_LOAD_LIMIT);
        for (size_t d = 0; d < DEPTHS; d++) {
            share[i][d] = limited[d] / passed;
            print_message(" %.3f %%", 100 * share[i][d]);
            t_limit_free(l[d]);
        }
        print_message("\n");
        free(exact);
    }
    for (size_t d = 0; d < DEPTHS; d++) best = fmin(best, share[3][d]);
    assert_true(share[3][3] < 0.005 && share[3][3] < 2 * best + 0.0005);
    assert_true(share[2][2] < share[2][5] / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_key_is_limited_as_often_as_fresh_says),
        cmocka_unit_test(with_windows_a_new_key_is_limited_no_more_often_than_fresh_says),
        cmocka_unit_test(no_more_new_keys_are_limited_than_the_plan_says_for_the_load),
        cmocka_unit_test(four_rows_are_near_the_best_at_64_kib_and_more_are_worse_where_memory_is_short),
    };
    return cmocka_run_group_tests_name("stat_limit", tests, NULL, NULL);
}
