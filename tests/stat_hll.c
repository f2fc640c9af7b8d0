/* stat_hll.c - the figures that hll.h and ml.c promise: error, bias and coverage.
 *
 * Seeds are fixed. Were they drawn afresh, a right implementation would fail an assertion with probability 2e-9 (z = 6,
 * two-sided) where the normal law holds, and with the probability that stands beside it where it does not. There are
 * about 120 and they depend on each other; together they fail with 2e-4 at most, nearly all of it by coverage at three
 * standard deviations. Trials are independent: each sketch has a stream of its own.
 */
#include "t_hll.h"
#include "simulate.h"

enum { TRIALS = 1000 };

/* Errors over trials, and in how many of them an interval of each level contained the truth. */
typedef struct tally {
    sim_errors error;
    long within[3];
} tally;

static const double levels[3] = {0.6827, 0.9545, 0.9973};

static void note(tally *t, const bpk_hll *h, double truth) {
    sim_note(&t->error, hll_point(h), truth);
    for (int i = 0; i < 3; i++) {
        bpk_estimate e = bpk_hll_count(h, levels[i]);
        t->within[i] += e.lower <= truth && truth <= e.upper;
    }
}

/* The fewest of n trials that an interval of this level contains the truth in, six standard deviations down. */
static double fewest(double level, long n) {
    return (double)n * level - 6 * sqrt((double)n * level * (1 - level));
}

/* ---- what is promised ---- */

/* By the chi-square law of 1,000 errors whose spread is theory's: 2e-8 above, 2e-11 below; 2e-6 above where the spread
 * is the 1.7 % larger one of the Poisson model. */
static void check_spread(const sim_errors *t, double theory) {
    assert_true(sim_rmse(t) <= 1.126 * theory);
    assert_true(sim_rmse(t) >= 0.855 * theory);
    assert_true(fabs(sim_bias(t)) <= 6 * theory / sqrt((double)t->n));
}
/* By the binomial law of 1,000 intervals that cover no more than their level: 3e-9, 3e-8 and 6e-6. */
static void check_coverage(const tally *t) {
    for (int i = 0; i < 3; i++) assert_true((double)t->within[i] >= fewest(levels[i], t->error.n));
}

/* The items of real adds, n = 20 m at p = 10. Window bits 0 are folded from 2: a fold is exact (test_hll_laws). */
static void added_items_are_counted_with_the_error_of_theory(void **state) {
    (void)state;
    tally t0 = {{0}, {0}}, t2 = {{0}, {0}};
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        bpk_hll *h = hll_new(10, 2);
        t_add(bpk_hll_base(h), 5000 + seed, 0, 20480);
        note(&t2, h, 20480);
        assert_int_equal(bpk_hll_fold(h, 10, 0), BPK_OK);
        note(&t0, h, 20480);
        hll_free(h);
    }
    check_spread(&t2.error, bpk_hll_standard_error(10, 2));
    check_spread(&t0.error, bpk_hll_standard_error(10, 0));
    check_coverage(&t2);
    check_coverage(&t0);
}

/* The Poisson model, under which registers are drawn, has a spread 1 / sqrt(n) of its own: at n = 50 m, 1.7 % more. */
static void error_and_bias_are_those_of_theory_at_every_precision(void **state) {
    (void)state;
    static const unsigned precisions[] = {10, 12, 14, 16};
    for (size_t i = 0; i < 4; i++) {
        unsigned p = precisions[i];
        for (unsigned d = 0; d <= 2; d += 2) {
            t_bytes b = sim_frame(p, d);
            tally t = {{0}, {0}};
            double n = floor(ldexp(50, (int)p));
            for (long seed = 0; seed < TRIALS; seed++) {
                bpk_sketch *s = sim_draw(&b, 100 * p + 10000 * (uint64_t)seed + d, n, p, d);
                note(&t, bpk_as_hll(s), n);
                bpk_free(s);
            }
            double theory = bpk_hll_standard_error((uint8_t)p, (uint8_t)d);
            print_message("p %2u d %u: error %.3f %%, %.3f x theory, bias %+.4f %%\n", p, d, 100 * sim_rmse(&t.error),
                          sim_rmse(&t.error) / theory, 100 * sim_bias(&t.error));
            check_spread(&t.error, theory);
            check_coverage(&t);
            free(b.p);
        }
    }
}

/* As tokens, shortly after, where the limits are counts that are certain, and up to many times the registers. */
static void intervals_keep_their_confidence_in_both_forms(void **state) {
    (void)state;
    static const uint64_t steps[] = {5, 40, 192, 193, 250, 500, 1000, 3000, 12000};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    for (unsigned d = 0; d <= 2; d += 2) {
        tally t[STEPS] = {{{0}, {0}}};
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            bpk_hll *h = hll_new(10, d);
            for (uint64_t i = 0, at = 0; i < STEPS; at = steps[i++]) {
                t_add(bpk_hll_base(h), 200000 + 7 * seed + d, at, steps[i]);
                note(&t[i], h, (double)steps[i]);
            }
            hll_free(h);
        }
        for (int i = 0; i < STEPS; i++) check_coverage(&t[i]);
        for (int i = 0; i < 3; i++) assert_true(sim_rmse(&t[i].error) < 1e-3); /* tokens: practically exact */
    }
}

/* Large sets of tokens: hashes are lost when two share a token, and the interval says so. */
static void a_large_set_of_tokens_keeps_its_interval(void **state) {
    (void)state;
    tally t = {{0}, {0}};
    for (uint64_t seed = 0; seed < 40; seed++) {
        bpk_hll *h = hll_new(24, 2);
        t_add(bpk_hll_base(h), 300000 + seed, 0, 100000);
        note(&t, h, 100000);
        hll_free(h);
    }
    assert_true(sim_rmse(&t.error) < 1e-4);
    assert_true(t.within[1] >= 30 && t.within[2] >= 36); /* of 40: fewer have probability 1.2e-6 and 9e-8 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_items_are_counted_with_the_error_of_theory),
        cmocka_unit_test(error_and_bias_are_those_of_theory_at_every_precision),
        cmocka_unit_test(intervals_keep_their_confidence_in_both_forms),
        cmocka_unit_test(a_large_set_of_tokens_keeps_its_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
