/* test_interval.c - promises of interval.h, summed out from the binomial law: nothing is drawn. */
#include <math.h>

#include "interval.h"
#include "t.h"

/* The probability that a share x of n trials is further than `error` from the one it is drawn with. */
static double beyond(unsigned n, double x, double error) {
    double out = 0;
    for (unsigned k = 0; k <= n; k++) {
        double ln = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(x) + (n - k) * log(1 - x);
        if (fabs((double)k / n - x) > error + 1e-12) out += exp(ln);
    }
    return out;
}

static void shares_are_off_by_their_error_at_most_whatever_they_are(void **state) {
    (void)state;
    static const unsigned ns[] = {5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 20, 25, 30, 40, 50, 70, 100, 200, 500};
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++)
        for (unsigned j = 1; j < 400; j++)
            assert_true(beyond(ns[i], j / 400.0, bpki_share_error(ns[i], bpki_z(0.95))) <= 0.05);
    for (unsigned n = 1; n < 5; n++) assert_true(bpki_share_error(n, bpki_z(0.95)) > 0.5); /* nearly nothing is known */
    assert_true(bpki_share_error(1, bpki_z(0.95)) == 1);
}

static void a_share_of_nothing_is_anything_and_one_of_all_is_exact(void **state) {
    (void)state;
    bpk_estimate e = bpki_share(0, 0, 0.5, 0.95);
    assert_true(e.lower == 0 && e.upper == 1 && e.flags == BPK_NO_POINT);
    e = bpki_share(3, 4, 1, 0.95);
    assert_true(e.lower == 0.75 && e.upper == 0.75 && e.flags == BPK_EXACT);
    e = bpki_share(0, 50, 0.1, 0.95);
    assert_true(e.lower == 0 && e.upper > 0 && e.upper < 0.1 && e.flags == BPK_ONE_SIDED);
    e = bpki_share(50, 50, 0.1, 0.95);
    assert_true(e.upper == 1 && e.lower < 1 && e.lower > 0.9 && e.flags == BPK_ONE_SIDED);
}

/* The wider the less is sampled, and symmetric. */
static void intervals_narrow_with_what_is_sampled(void **state) {
    (void)state;
    double width = 2;
    for (int i = 0; i < 10; i++) {
        bpk_estimate e = bpki_share(30, 100, i / 10.0, 0.95), f = bpki_share(70, 100, i / 10.0, 0.95);
        assert_true(e.upper - e.lower < width && e.lower < 0.3 && 0.3 < e.upper);
        assert_true(fabs(e.lower + f.upper - 1) < 1e-12 && fabs(e.upper + f.lower - 1) < 1e-12);
        width = e.upper - e.lower;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_off_by_their_error_at_most_whatever_they_are),
        cmocka_unit_test(a_share_of_nothing_is_anything_and_one_of_all_is_exact),
        cmocka_unit_test(intervals_narrow_with_what_is_sampled),
    };
    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
