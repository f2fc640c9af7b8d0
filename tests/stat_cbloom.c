/* stat_cbloom.c - what the counting filter promises on average: the rate of its counters, also after removals; counters
 * that reach their end by chance; and what removing strangers costs others.
 *
 * Seeds are fixed; thresholds are six standard deviations, so that with fresh ones a right filter would fail an
 * assertion with probability 2e-9. Sizes, items and intervals are those of the classic filter, which stat_bloom checks.
 */
#include "t_cbloom.h"

#include <math.h>

/* Strangers meet what the counters announce; the number of hits is binomial given the counters. */
static void check_rate(const bpk_cbloom *c, uint64_t stream, uint64_t probes) {
    double rate = bpk_cbloom_rate(c), expected = rate * (double)probes;
    double hits = (double)cbloom_seen(c, stream, 0, probes);
    print_message("rate from the counters %.5f %%, hits %.0f of %.0f expected\n", 100 * rate, hits, expected);
    assert_true(fabs(hits - expected) <= 6 * sqrt(expected) + 18);
}

static void the_rate_is_that_of_the_counters_also_after_removals(void **state) {
    (void)state;
    static const struct {
        uint64_t items;
        double rate;
    } plans[] = {{10, 0.01}, {1000, 0.01}, {1000, 1e-4}, {100000, 0.01}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        uint64_t n = plans[i].items;
        bpk_cbloom *c = cbloom_new(n, plans[i].rate, BPK_FULL_DEGRADE);
        t_add(bpk_cbloom_base(c), 1, 0, n);
        check_rate(c, 2, 2000000);
        for (uint64_t round = 0; round < 5; round++) { /* all but a tenth go, others come */
            assert_int_equal(cbloom_remove_many(c, 1, round * n, round * n + n), 0);
            t_add(bpk_cbloom_base(c), 1, round * n + n, round * n + 2 * n);
        }
        check_rate(c, 3, 2000000);
        assert_true(bpk_cbloom_rate(c) < plans[i].rate * 1.5 + 0.02 * (n < 100));
        cbloom_free(c);
    }
}

/* At the plan a counter has Poisson(0.73) items: 15 or more with a chance of 3e-15 each. */
static void no_counter_reaches_its_end_by_chance(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(1000000, 0.01, BPK_FULL_DEGRADE);
    t_add(bpk_cbloom_base(c), 1, 0, 1500000);
    assert_int_equal(bpk_cbloom_stuck(c), 0);
    cbloom_free(c);
}

/* Strangers that the filter takes for members are removed: each lowers seven counters that others need. The expected
 * number of strangers so removed falls with the fill; the damage is told, not tested for its exact size. */
static void removing_strangers_costs_members_and_how_many(void **state) {
    (void)state;
    enum { N = 200000 };
    bpk_cbloom *c = cbloom_new(N, 0.01, BPK_FULL_DEGRADE);
    t_add(bpk_cbloom_base(c), 1, 0, N);
    uint64_t taken = N - cbloom_remove_many(c, 2, 0, N), lost = N - cbloom_seen(c, 1, 0, N);
    print_message("%d strangers removed: %.0f were taken for members, %.0f members are lost\n", N, (double)taken,
                  (double)lost);
    assert_true(taken > N / 111 && taken < N / 95); /* the rate, falling a little on the way */
    assert_true(lost > taken && lost < 20 * taken);
    assert_int_equal(bpk_cbloom_refused(c), N - taken);
    cbloom_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_that_of_the_counters_also_after_removals),
        cmocka_unit_test(no_counter_reaches_its_end_by_chance),
        cmocka_unit_test(removing_strangers_costs_members_and_how_many),
    };
    return cmocka_run_group_tests_name("stat_cbloom", tests, NULL, NULL);
}
