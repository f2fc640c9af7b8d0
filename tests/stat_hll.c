/* stat_hll.c - the figures that hll.h and ml.c promise: error, bias and coverage.
 *
 * Seeds are fixed. Were they drawn afresh, each assertion would let a right implementation fail with probability 2e-9
 * (z = 6, two-sided) at most; there are about 120. Trials are independent: each sketch has a stream of its own.
 */
#include "t_hll.h"
#include "simulate.h"

enum { TRIALS = 1000 };

/* Sums over trials of the relative error. */
typedef struct tally {
    double sum, square;
    long n, within[3];
} tally;

static const double levels[3] = {0.6827, 0.9545, 0.9973};

static void note(tally *t, const bpk_hll *h, double truth) {
    double error = hll_point(h) / truth - 1;
    t->sum += error;
    t->square += error * error;
    t->n++;
    for (int i = 0; i < 3; i++) {
        bpk_estimate e = bpk_hll_count(h, levels[i]);
        t->within[i] += e.lower <= truth && truth <= e.upper;
    }
}
static double bias(const tally *t) {
    return t->sum / (double)t->n;
}
static double rmse(const tally *t) {
    return sqrt(t->square / (double)t->n);
}

/* The fewest of n trials that an interval of this level contains the truth in, six standard deviations down. */
static double fewest(double level, long n) {
    return (double)n * level - 6 * sqrt((double)n * level * (1 - level));
}

/* ---- what is promised ---- */

static void check_spread(const tally *t, double theory, double least) {
    assert_true(rmse(t) <= 1.126 * theory);
    assert_true(rmse(t) >= least * theory);
    assert_true(fabs(bias(t)) <= 6 * theory / sqrt((double)t->n));
}
static void check_coverage(const tally *t) {
    for (int i = 0; i < 3; i++) assert_true((double)t->within[i] >= fewest(levels[i], t->n));
}

/* The items of real adds, n = 20 m at p = 10. Window bits 0 are folded from 2: a fold is exact (test_hll_laws). */
static void added_items_are_counted_with_the_error_of_theory(void **state) {
    (void)state;
    tally t0 = {0}, t2 = {0};
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        bpk_hll *h = hll_new(10, 2);
        t_add(bpk_hll_base(h), 5000 + seed, 0, 20480);
        note(&t2, h, 20480);
        assert_int_equal(bpk_hll_fold(h, 10, 0), BPK_OK);
        note(&t0, h, 20480);
        hll_free(h);
    }
    check_spread(&t2, bpk_hll_standard_error(10, 2), 0.855);
    check_spread(&t0, bpk_hll_standard_error(10, 0), 0.855);
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
            tally t = {0};
            double n = floor(ldexp(50, (int)p));
            for (long seed = 0; seed < TRIALS; seed++) {
                bpk_sketch *s = sim_draw(&b, 100 * p + 10000 * (uint64_t)seed + d, n, p, d);
                note(&t, bpk_as_hll(s), n);
                bpk_free(s);
            }
            double theory = bpk_hll_standard_error((uint8_t)p, (uint8_t)d);
            print_message("p %2u d %u: error %.3f %%, %.3f x theory, bias %+.4f %%\n", p, d, 100 * rmse(&t),
                          rmse(&t) / theory, 100 * bias(&t));
            check_spread(&t, theory, 0.855);
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
        tally t[STEPS] = {0};
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            bpk_hll *h = hll_new(10, d);
            for (uint64_t i = 0, at = 0; i < STEPS; at = steps[i++]) {
                t_add(bpk_hll_base(h), 200000 + 7 * seed + d, at, steps[i]);
                note(&t[i], h, (double)steps[i]);
            }
            hll_free(h);
        }
        for (int i = 0; i < STEPS; i++) check_coverage(&t[i]);
        for (int i = 0; i < 3; i++) assert_true(rmse(&t[i]) < 1e-3); /* tokens: practically exact */
    }
}

/* Large sets of tokens: hashes are lost when two share a token, and the interval says so. */
static void a_large_set_of_tokens_keeps_its_interval(void **state) {
    (void)state;
    tally t = {0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        bpk_hll *h = hll_new(24, 2);
        t_add(bpk_hll_base(h), 300000 + seed, 0, 100000);
        note(&t, h, 100000);
        hll_free(h);
    }
    assert_true(rmse(&t) < 1e-4);
    assert_true(t.within[1] >= 30 && t.within[2] >= 36); /* of 40: fewer has probability under 2e-6 and 4e-7 */
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
