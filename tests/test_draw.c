/* test_draw.c - draws and their functions: near libm, and the same bits everywhere. */
#include <math.h>

#include "t.h"

#include "draw.h"

/* Units in the last place between two doubles of one sign. */
static double ulps(double a, double b) {
    if (a == b) return 0;
    double unit = fabs(nextafter(b, INFINITY) - b);
    return fabs(a - b) / unit;
}

static void functions_are_within_two_units_in_the_last_place_of_libm(void **state) {
    (void)state;
    double worst[3] = {0};
    uint64_t seed = 1;
    for (int i = 0; i < 2000000; i++) {
        double u = bpki_unit(bpki_next(&seed)), scale = ldexp(1, -(int)(bpki_next(&seed) % 120));
        double wide = ldexp(1 + u, (int)(bpki_next(&seed) % 2098) - 1074), near = 1 + (u - 0.5) * scale;
        double x = (u * 1.9999 - 0.9999) * (i % 2 ? scale : 1), y = -u * (i % 2 ? 50 : scale);
        worst[0] = fmax(worst[0], fmax(ulps(bpki_ln(u), log(u)), ulps(bpki_ln(wide), log(wide))));
        worst[0] = fmax(worst[0], ulps(bpki_ln(near), log(near)));
        worst[1] = fmax(worst[1], ulps(bpki_log1p(x), log1p(x)));
        worst[2] = fmax(worst[2], ulps(bpki_expm1(y), expm1(y)));
    }
    print_message("largest distance from libm: ln %.2f, log1p %.2f, expm1 %.2f units\n", worst[0], worst[1], worst[2]);
    for (int i = 0; i < 3; i++) assert_true(worst[i] <= 2);
}

static void values_at_the_ends_are_exact(void **state) {
    (void)state;
    assert_true(bpki_ln(1) == 0 && bpki_log1p(0) == 0 && bpki_expm1(0) == 0);
    assert_true(bpki_expm1(-INFINITY) == -1 && bpki_expm1(-1e300) == -1 && bpki_expm1(-40) == -1);
    assert_true(bpki_unit(0) == 0x1p-53 && bpki_unit(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(bpki_exponential(UINT64_MAX) > 0x1p-54 && bpki_exponential(0) < 36.8);
}

/* Of the bits of what the functions return: no compiler, processor or C library may change them. */
static uint64_t digest_of(int count) {
    uint64_t seed = 7, digest = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits[4];
        double d[4] = {bpki_exponential(bpki_draw(1, 2, (uint64_t)i)), bpki_unit(bpki_next(&seed))};
        d[2] = bpki_log1p(bpki_product(d[1], bpki_expm1(-d[0])));
        d[3] = bpki_expm1(bpki_product(-1e-6, d[0]));
        memcpy(bits, d, sizeof bits);
        for (int j = 0; j < 4; j++) digest = t_mix(digest ^ bits[j]) + (uint64_t)j;
    }
    return digest;
}
static void every_platform_draws_the_same_bits(void **state) {
    (void)state;
    uint64_t digest = digest_of(100000);
    print_message("digest %08x %08x\n", (unsigned)(digest >> 32), (unsigned)digest);
    assert_true(digest == UINT64_C(0xe27b432ba226a570));
}
static void a_draw_is_siphash_2_4_under_seed_and_stream(void **state) {
    (void)state;
    const uint64_t low = UINT64_C(0x0706050403020100), high = UINT64_C(0x0f0e0d0c0b0a0908);
    assert_true(bpki_draw(low, high, low) == UINT64_C(0x93f5f5799a932462)); /* the vector of 8 bytes of its paper */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_two_units_in_the_last_place_of_libm),
        cmocka_unit_test(values_at_the_ends_are_exact),
        cmocka_unit_test(every_platform_draws_the_same_bits),
        cmocka_unit_test(a_draw_is_siphash_2_4_under_seed_and_stream),
    };
    return cmocka_run_group_tests_name("test_draw", tests, NULL, NULL);
}
