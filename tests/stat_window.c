/* stat_window.c - intervals over many panes cover what they say: counts of a cms window, of strangers, of rare and of
 * common items; different items of an hll window.
 */
#include "t_window.h"

enum { RUNS = 400, LEVELS = 3, TARGETS = 3 };
static const double levels[LEVELS] = {0.8, 0.95, 0.999};

/* Six standard errors over what may be missed, and six for few runs. */
static double allowed(double share) {
    return share * RUNS + 6 * sqrt(share * (1 - share) * RUNS) + 6;
}

/* Item k of a run comes `times` times, each at another time; 12,000 others around it. */
static void look_cms(uint64_t run, const uint64_t times[TARGETS], double missed[TARGETS][LEVELS]) {
    static const char *const rules[] = {"of=cms span=60 width=64 depth=3 update=plain",
                                        "of=cms span=60 width=64 depth=3"};
    bpk_sketch *s = w_make(rules[run % 2]);
    uint64_t hash[TARGETS];
    for (uint64_t i = 0; i < 12000; i++) {
        const uint64_t other = t_hash(2 * run + 7, t_hash(run, i) % 3000);
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &other, .now = i / 200}, NULL, NULL), BPK_OK);
    }
    for (uint64_t k = 0; k < TARGETS; k++) {
        hash[k] = t_hash(1000000 + run, k);
        for (uint64_t i = 0; i < times[k]; i++)
            assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash[k], .now = i % 61}, NULL, NULL), BPK_OK);
    }
    for (size_t l = 0; l < LEVELS; l++) {
        bpk_estimate e[TARGETS];
        assert_int_equal(bpk_count(s, hash, TARGETS, levels[l], e, NULL), BPK_OK);
        for (size_t k = 0; k < TARGETS; k++) {
            assert_true(e[k].upper >= (double)times[k] && e[k].confidence == levels[l]);
            missed[k][l] += e[k].lower > (double)times[k];
        }
    }
    bpk_free(s);
}

/* One pane in 61 may well give a stranger more than its noise: limits that were added up pane by pane would miss. */
static void lower_limits_over_all_panes_hold_with_the_confidence_that_was_asked_for(void **state) {
    (void)state;
    static const uint64_t times[TARGETS] = {0, 60, 2000};
    double missed[TARGETS][LEVELS] = {{0}};
    for (uint64_t run = 0; run < RUNS; run++) look_cms(run, times, missed);
    for (size_t k = 0; k < TARGETS; k++)
        for (size_t l = 0; l < LEVELS; l++) {
            print_message("%llu times at %g: missed %.0f of %d\n", (unsigned long long)times[k], levels[l],
                          missed[k][l], RUNS);
            assert_true(missed[k][l] <= allowed(1 - levels[l]));
        }
}

static void the_number_of_different_items_lies_in_its_interval(void **state) {
    (void)state;
    double missed[LEVELS] = {0};
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sketch *s = w_make("of=hll span=20 panes=20 precision=8");
        for (uint64_t i = 0; i < 9000; i++) {
            const uint64_t hash = t_hash(run, i / 2 + i % 2 * 700); /* some in two panes */
            assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .now = i / 200}, NULL, NULL), BPK_OK);
        }
        double truth = 2800; /* of 24 to 44, the times that are held: i from 4,800 on: 2,400..4,499 and 3,100..5,199 */
        for (size_t l = 0; l < LEVELS; l++) {
            bpk_estimate e;
            assert_int_equal(bpk_count(s, NULL, 0, levels[l], &e, NULL), BPK_OK);
            missed[l] += e.lower > truth || e.upper < truth;
        }
        bpk_free(s);
    }
    for (size_t l = 0; l < LEVELS; l++) {
        print_message("different at %g: missed %.0f of %d\n", levels[l], missed[l], RUNS);
        assert_true(missed[l] <= allowed(1 - levels[l]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_limits_over_all_panes_hold_with_the_confidence_that_was_asked_for),
        cmocka_unit_test(the_number_of_different_items_lies_in_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
