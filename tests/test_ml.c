/* test_ml.c - the estimator against its likelihood, written down anew from the model and maximised by bisection. */
#include "ml.h"

#include <math.h>

#include "t.h"

/* What is known of value k of a register: it occurred, it did not, or nothing. */
typedef struct evidence {
    double yes[66], no[66]; /* registers, by value */
    double present;
    unsigned p;
} evidence;

static double rate_of(unsigned k, unsigned p) {
    return ldexp(1, -(int)(k <= 64 - p ? k : 64 - p));
}

static void learn(evidence *e, const uint32_t histogram[256], unsigned p, unsigned d) {
    memset(e, 0, sizeof *e);
    e->p = p;
    for (unsigned r = 0; r < 256; r++) {
        if (!histogram[r]) continue;
        unsigned u = r >> d;
        double c = histogram[r];
        for (unsigned k = u + 1; k <= 65 - p; k++) e->no[k] += c;
        if (u) e->yes[u] += c;
        if (d && u >= 2) *(r & 2 ? &e->yes[u - 1] : &e->no[u - 1]) += c;
        if (d && u >= 3) *(r & 1 ? &e->yes[u - 2] : &e->no[u - 2]) += c;
    }
    for (unsigned k = 1; k <= 65 - p; k++) e->present += e->yes[k];
}

/* x times the derivative of the log-likelihood by x = n / 2^p. */
static double slope(const evidence *e, double x) {
    double sum = 0;
    for (unsigned k = 1; k <= 65 - e->p; k++) {
        double y = x * rate_of(k, e->p);
        sum -= e->no[k] * y;
        if (e->yes[k] > 0 && y < 700) sum += e->yes[k] * y / expm1(y);
    }
    return sum;
}

static double root(const evidence *e) {
    double low = ldexp(1, -40), high = ldexp(1, 66 - (int)e->p);
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);
        if (slope(e, middle) > 0) low = middle;
        else high = middle;
    }
    return sqrt(low * high);
}

static double first_order_bias(unsigned d) {
    return d ? 0.48147376527779101 : 1.0101590809603285;
}

/* A random histogram: registers after n items, or any valid bytes. */
static void random_histogram(uint32_t histogram[256], uint64_t seed, unsigned p, unsigned d, bool any) {
    memset(histogram, 0, 256 * sizeof *histogram);
    unsigned top = 65 - p, level = (unsigned)(t_hash(seed, 0) % top);
    for (uint64_t i = 1; i <= UINT64_C(1) << p; i++) {
        uint64_t x = t_hash(seed, i);
        unsigned u = any ? (unsigned)(x % (top + 1)) : level + (unsigned)__builtin_clzll(x | 1),
                 window = (unsigned)(x & 3);
        if (u > top) u = top;
        if (u == 2) window &= 2;
        if (u < 2 || !d) window = 0;
        histogram[u << d | window]++;
    }
}

static void the_estimate_is_where_the_likelihood_is_largest(void **state) {
    (void)state;
    long inner = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        unsigned p = 4 + (unsigned)(seed % 7), d = seed & 64 ? 2 : 0;
        uint32_t histogram[256];
        evidence known;
        random_histogram(histogram, seed, p, d, seed % 2);
        learn(&known, histogram, p, d);
        bpk_estimate e = bpki_ml_registers(histogram, p, d, 0.95);
        double m = ldexp(1, (int)p), raw = m * root(&known), want = raw / (1 + first_order_bias(d) / m);
        assert_true(e.lower >= 0 && e.lower <= e.estimate && e.estimate <= e.upper &&
                    e.upper <= 18446744073709551616.0);
        if (want <= known.present || want >= 1.8e19) continue; /* moved to the certain count, or to the end */
        assert_true(fabs(e.estimate / want - 1) < 1e-8);
        inner++;
    }
    assert_true(inner > 2500);
}

/* Observed information of x, from the second derivative of the log-likelihood. */
static double observed(const evidence *e, double x) {
    double sum = 0;
    for (unsigned k = 1; k <= 65 - e->p; k++) {
        double w = rate_of(k, e->p), y = x * w;
        if (e->yes[k] > 0 && y < 300) sum += e->yes[k] * w * w * exp(y) / (expm1(y) * expm1(y));
    }
    return sum;
}

/* Limits lie z deviations away on the logarithmic scale; the Poisson model's own variance is subtracted. */
static void the_interval_comes_from_the_observed_information(void **state) {
    (void)state;
    long checked = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        unsigned p = 6 + (unsigned)(seed % 7), d = seed & 64 ? 2 : 0;
        uint32_t histogram[256];
        evidence known;
        random_histogram(histogram, seed, p, d, false);
        learn(&known, histogram, p, d);
        double m = ldexp(1, (int)p), x = root(&known), raw = m * x, n = raw / (1 + first_order_bias(d) / m);
        if (raw - known.present < 10 || n > 1e18) continue;
        double spread = sqrt(fmax(0, m * m / observed(&known, x) - raw)) / raw, z = 1.959963984540054;
        bpk_estimate e = bpki_ml_registers(histogram, p, d, 0.95);
        double low = fmax(known.present, n * exp(-z * spread)), high = n * exp(z * spread);
        assert_true(fabs(e.lower - low) <= 1 + 1e-6 * low && fabs(e.upper - high) <= 1 + 1e-6 * high);
        checked++;
    }
    assert_true(checked > 1000);
}

static void the_certain_count_is_a_limit(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        unsigned p = 4 + (unsigned)(seed % 7), d = seed & 64 ? 2 : 0;
        uint32_t histogram[256];
        evidence known;
        random_histogram(histogram, seed, p, d, seed % 2);
        learn(&known, histogram, p, d);
        bpk_estimate e = bpki_ml_registers(histogram, p, d, 0.9);
        assert_true(e.lower >= known.present && e.estimate >= known.present);
    }
}

static void the_two_ends_are_said(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 26; p++) {
        for (unsigned d = 0; d <= 2; d += 2) {
            uint32_t histogram[256] = {0};
            histogram[0] = UINT32_C(1) << p;
            bpk_estimate e = bpki_ml_registers(histogram, p, d, 0.95);
            assert_true(e.estimate == 0 && e.upper == 0 && e.flags == BPK_EXACT);
            histogram[0] = 0;
            histogram[((65 - p) << d) | (d ? 3 : 0)] = UINT32_C(1) << p;
            e = bpki_ml_registers(histogram, p, d, 0.95);
            assert_true(e.estimate == 18446744073709551616.0 && e.lower == 9223372036854775808.0);
            assert_true(e.flags & BPK_SATURATED);
        }
    }
}

static void one_register_is_about_one_item(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 26; p++) {
        for (unsigned d = 0; d <= 2; d += 2) {
            for (unsigned u = 1; u <= 65 - p; u++) {
                uint32_t histogram[256] = {0};
                histogram[0] = (UINT32_C(1) << p) - 1;
                histogram[u << d] = 1;
                bpk_estimate e = bpki_ml_registers(histogram, p, d, 0.95);
                assert_true(e.estimate >= 1 && e.estimate < 1.1 && e.lower <= 1 && e.upper >= 1 && e.upper < 4);
            }
        }
    }
}

/* Expected tokens of n items: 2^26 prefixes, each with value k with probability 2^-k. */
static double expected_tokens(double n) {
    double sum = 0;
    for (unsigned k = 1; k <= 39; k++) sum += -expm1(-n * ldexp(1, -26 - (int)(k <= 38 ? k : 38)));
    return ldexp(sum, 26);
}

/* Up to 3 * 2^22, the most that p = 26 holds; the statistical error is 5e-5 there. While the upper limit says that
 * nothing was lost, so does the estimate: it is then a part of an item too low. */
static void tokens_invert_the_expected_number(void **state) {
    (void)state;
    for (double c = 1; c <= 12582912; c = floor(c * 1.07 + 1)) {
        bpk_estimate e = bpki_ml_tokens((uint32_t)c, 0.99);
        double wrong = fabs(expected_tokens(e.estimate) / c - 1);
        bool limited = e.estimate == e.upper && e.upper == c;
        assert_true(limited ? wrong * c < 0.02 : wrong < 2e-6 && (c > 600000 || wrong < 1e-11));
        assert_true(e.lower >= c && e.lower <= e.estimate && e.estimate <= e.upper);
    }
    assert_true(bpki_ml_tokens(0, 0.95).flags == BPK_EXACT);
    bpk_estimate one = bpki_ml_tokens(1, 0.95);
    assert_true(one.estimate == 1 && one.lower == 1 && one.upper == 1);
}

static void wider_confidence_is_a_wider_interval(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        unsigned p = 4 + (unsigned)(seed % 7), d = seed & 64 ? 2 : 0;
        uint32_t histogram[256];
        random_histogram(histogram, seed, p, d, seed % 2);
        bpk_estimate last = bpki_ml_registers(histogram, p, d, 0.5);
        for (double c = 0.55; c < 1; c += 0.05) {
            bpk_estimate e = bpki_ml_registers(histogram, p, d, c), t = bpki_ml_tokens((uint32_t)(seed * 20000 + 1), c);
            assert_true(e.estimate == last.estimate && e.lower <= last.lower && e.upper >= last.upper &&
                        e.confidence == c);
            assert_true(t.lower <= t.estimate && t.estimate <= t.upper);
            last = e;
        }
    }
}

static void standard_errors_are_those_of_the_papers(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 26; p++) {
        assert_true(fabs(bpki_ml_standard_error(p, 0) * sqrt(ldexp(1, (int)p)) - 1.0367) < 1e-4);
        assert_true(fabs(bpki_ml_standard_error(p, 2) * sqrt(ldexp(1, (int)p)) - 0.76086) < 1e-5);
    }
    assert_true(fabs(bpki_ml_standard_error(14, 2) - 0.00594) < 1e-5);
    assert_true(fabs(bpki_ml_standard_error(14, 0) - 0.0081) < 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_where_the_likelihood_is_largest),
        cmocka_unit_test(the_interval_comes_from_the_observed_information),
        cmocka_unit_test(the_certain_count_is_a_limit),
        cmocka_unit_test(the_two_ends_are_said),
        cmocka_unit_test(one_register_is_about_one_item),
        cmocka_unit_test(tokens_invert_the_expected_number),
        cmocka_unit_test(wider_confidence_is_a_wider_interval),
        cmocka_unit_test(standard_errors_are_those_of_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
