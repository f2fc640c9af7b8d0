/* test_base.c - promises of base.h, and the numbers of layer 0. */
#include <math.h>

#include "core.h"
#include "t.h"

static const bpk_status all[] = {BPK_OK,          BPK_E_ARG,      BPK_E_NOMEM,       BPK_E_LIMIT,
                                 BPK_E_FULL,      BPK_E_MISMATCH, BPK_E_UNSUPPORTED, BPK_E_KEY,
                                 BPK_E_TRUNCATED, BPK_E_MAGIC,    BPK_E_VERSION,     BPK_E_KIND,
                                 BPK_E_CORRUPT,   BPK_E_CHECKSUM, BPK_E_SINK,        BPK_E_UNDURABLE};

static void the_version_is_the_headers(void **state) {
    (void)state;
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", BPK_VERSION_MAJOR, BPK_VERSION_MINOR, BPK_VERSION_PATCH);
    assert_string_equal(bpk_version(), text);
    assert_string_equal(BPK_VERSION, text);
}

static void every_status_has_a_text_of_its_own(void **state) {
    (void)state;
    for (size_t i = 0; i < BPKI_COUNT(all); i++)
        for (size_t k = 0; k < i; k++) assert_string_not_equal(bpk_status_text(all[i]), bpk_status_text(all[k]));
    assert_non_null(bpk_status_text((bpk_status)999));
    assert_string_equal(bpk_status_text(BPK_E_MISMATCH), "does not fit");
}

static void status_numbers_are_stable(void **state) {
    (void)state;
    static const int numbers[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 24, 25, 30, 31};
    for (size_t i = 0; i < BPKI_COUNT(all); i++) assert_int_equal(all[i], numbers[i]);
}

static void an_error_is_explained_in_one_sentence(void **state) {
    (void)state;
    char text[200];
    bpk_err err;
    assert_int_equal(bpki_mismatch(&err, "precision", 14, 12), BPK_E_MISMATCH);
    size_t n = bpk_explain(&err, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, "does not fit: precision is 14 here and 12 there");
    assert_int_equal(bpki_fail_at(&err, BPK_E_CHECKSUM, "checksum", 77), BPK_E_CHECKSUM);
    bpk_explain(&err, text, sizeof text);
    assert_string_equal(text, "damaged: checksum, at byte 77");
    assert_int_equal(bpki_fail_value(&err, BPK_E_KEY, "key", "is needed"), BPK_E_KEY);
    bpk_explain(&err, text, sizeof text);
    assert_string_equal(text, "wrong key: key is needed");
    assert_int_equal(bpki_fail(&err, BPK_E_NOMEM, NULL), BPK_E_NOMEM);
    bpk_explain(&err, text, sizeof text);
    assert_string_equal(text, "no memory");
    assert_int_equal(bpki_fail(NULL, BPK_E_ARG, "x"), BPK_E_ARG); /* err may be NULL */
    assert_int_equal(bpki_mismatch(NULL, "x", 1, 2), BPK_E_MISMATCH);
}

static void an_explanation_is_cut_to_the_room_that_there_is(void **state) {
    (void)state;
    char whole[200], text[200];
    bpk_err err;
    bpki_mismatch_text(&err, "kind", "a text that is longer than the thirty-nine bytes of it", "hll");
    assert_int_equal(strlen(err.mine), 39);
    size_t n = bpk_explain(&err, whole, sizeof whole);
    for (size_t cap = 0; cap < n + 3; cap++) {
        memset(text, '#', sizeof text);
        assert_int_equal(bpk_explain(&err, text, cap), n);
        size_t kept = cap == 0 ? 0 : cap - 1 < n ? cap - 1 : n;
        assert_memory_equal(text, whole, kept);
        if (cap) assert_int_equal(text[kept], 0);
        assert_int_equal(text[cap], '#');
    }
    assert_int_equal(bpk_explain(&err, NULL, 0), n);
}

static void the_default_environment_is_malloc_and_256_mib(void **state) {
    (void)state;
    bpk_env env = bpk_env_default();
    assert_true(env.max_bytes == UINT64_C(256) << 20);
    uint8_t *p = env.alloc(env.ctx, 100);
    assert_non_null(p);
    p = env.resize(env.ctx, p, 100, 200);
    assert_non_null(p);
    p[199] = 1;
    env.release(env.ctx, p, 200);
}

static void the_limit_is_checked_before_anything_is_asked_for(void **state) {
    (void)state;
    t_env env;
    void *p = NULL;
    t_env_init(&env, 0);
    env.env.max_bytes = 1000;
    assert_int_equal(bpki_alloc(&env.env, 1001, &p), BPK_E_LIMIT);
    assert_int_equal(bpki_alloc(&env.env, SIZE_MAX, &p), BPK_E_LIMIT);
    assert_int_equal(env.calls, 0);
    assert_null(p);
    assert_int_equal(bpki_alloc(&env.env, 1000, &p), BPK_OK);
    for (size_t i = 0; i < 1000; i++) assert_int_equal(((uint8_t *)p)[i], 0);
    bpki_release(&env.env, p, 1000);
    bpki_release(&env.env, NULL, 5);
    assert_int_equal(bpki_alloc(&env.env, 0, &p), BPK_OK);
    assert_null(p);
    env.fail_at = env.calls + 1;
    assert_int_equal(bpki_alloc(&env.env, 8, &p), BPK_E_NOMEM);
    assert_int_equal(env.held, 0);
}

static void sizes_are_checked_for_overflow(void **state) {
    (void)state;
    size_t n = 0;
    assert_true(bpki_mul(1u << 16, 1u << 15, &n) && n == (size_t)1 << 31);
    assert_false(bpki_mul(SIZE_MAX / 2 + 1, 2, &n));
    assert_true(bpki_add(SIZE_MAX - 1, 1, &n) && n == SIZE_MAX);
    assert_false(bpki_add(SIZE_MAX, 1, &n));
}

static void bytes_are_little_endian_at_any_address(void **state) {
    (void)state;
    uint8_t b[16] = {0};
    bpki_store64(b + 1, UINT64_C(0x0102030405060708));
    static const uint8_t want[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    assert_memory_equal(b + 1, want, 8);
    assert_true(bpki_load64(b + 1) == UINT64_C(0x0102030405060708));
    assert_int_equal(bpki_load32(b + 1), 0x05060708);
    assert_int_equal(bpki_load16(b + 2), 0x0607);
    bpki_store32(b + 3, 0xfffefdfc);
    assert_int_equal(bpki_load32(b + 3), 0xfffefdfc);
    bpki_store16(b + 5, 0x8001);
    assert_int_equal(bpki_load16(b + 5), 0x8001);
}

static void numbers_become_digits(void **state) {
    (void)state;
    char text[21];
    bpki_decimal(text, 0);
    assert_string_equal(text, "0");
    bpki_decimal(text, UINT64_MAX);
    assert_string_equal(text, "18446744073709551615");
    bpki_hexadecimal(text, UINT64_C(0xfedcba9876543210));
    assert_string_equal(text, "fedcba9876543210");
    bpki_hexadecimal(text, 1);
    assert_string_equal(text, "0000000000000001");
}

/* Against long multiplication in base 2^16. */
static void mulhi_is_the_upper_half_of_the_product(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t a = t_hash(1, i) >> t_hash(2, i) % 64, b = t_hash(3, i) >> t_hash(4, i) % 64, carry = 0,
                 column[8] = {0};
        for (unsigned x = 0; x < 4; x++)
            for (unsigned y = 0; y < 4; y++) {
                uint64_t part = (a >> 16 * x & 0xffff) * (b >> 16 * y & 0xffff);
                column[x + y] += part & 0xffff;
                column[x + y + 1] += part >> 16;
            }
        for (unsigned k = 0; k < 8; k++) {
            column[k] += carry;
            carry = column[k] >> 16;
            column[k] &= 0xffff;
        }
        assert_true(bpki_mulhi(a, b) == (column[4] | column[5] << 16 | column[6] << 32 | column[7] << 48));
    }
    assert_true(bpki_mulhi(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_int_equal(bpki_bit_length(0), 0);
    for (unsigned k = 0; k < 64; k++) assert_int_equal(bpki_bit_length((UINT64_C(1) << k) + (k ? 1 : 0)), k + 1);
}

/* Back by long multiplication; the way with one bit a step is what compilers without 128 bits take. */
static void division_by_64_of_128_bits_is_exact_in_both_ways(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t divisor = (t_hash(1, i) >> t_hash(2, i) % 64) | 1, high = t_hash(3, i) % divisor, low = t_hash(4, i);
        uint64_t rest[2], quotient = bpki_divide(high, low, divisor, &rest[0]);
        assert_true(bpki_divide_by_bits(high, low, divisor, &rest[1]) == quotient && rest[0] == rest[1]);
        assert_true(rest[0] < divisor && quotient * divisor + rest[0] == low);
        assert_true(bpki_mulhi(quotient, divisor) + (quotient * divisor > low) == high);
    }
    uint64_t rest;
    assert_true(bpki_divide(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, &rest) == UINT64_MAX && rest == UINT64_MAX - 1);
    assert_true(bpki_divide_by_bits(UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, &rest) == UINT64_MAX);
    assert_true(rest == UINT64_MAX - 1 && bpki_divide_by_bits(0, 7, 8, &rest) == 0 && rest == 7);
}

static void counts_become_limits_that_are_never_on_the_wrong_side(void **state) {
    (void)state;
    const uint64_t edge = UINT64_C(1) << 53;
    assert_true(bpki_down(0) == 0 && bpki_up(0) == 0);
    assert_true(bpki_down(edge + 1) == 0x1p53 && bpki_up(edge + 1) == 0x1p53 + 2);
    assert_true(bpki_down(edge + 3) == 0x1p53 + 2 && bpki_up(edge + 3) == 0x1p53 + 4);
    assert_true(bpki_down(UINT64_MAX) == 0x1.fffffffffffffp63 && bpki_up(UINT64_MAX) == 0x1p64);
    assert_true(bpki_down(INT64_MAX) == 0x1.fffffffffffffp62 && bpki_up(INT64_MAX) == 0x1p63);
    uint64_t rng = 1;
    for (int i = 0; i < 100000; i++) {
        uint64_t v = bpki_next(&rng) >> i % 64;
        double down = bpki_down(v), up = bpki_up(v);
        assert_true(down < 0x1p64 && (uint64_t)down <= v && (up >= 0x1p64 || (uint64_t)up >= v));
        assert_true(v <= edge ? down == up : (double)v == down || (double)v == up);
    }
}

/* SplitMix64 from state 0; the first numbers of its published sequence. */
static void the_generator_is_splitmix64(void **state) {
    (void)state;
    uint64_t s = 0;
    assert_true(bpki_next(&s) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(bpki_next(&s) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(bpki_next(&s) == UINT64_C(0x06c45d188009454f));
    assert_true(bpki_next(&s) == UINT64_C(0xf88bb8a8724c81ec));
}

static void quantiles_are_those_of_the_normal_distribution(void **state) {
    (void)state;
    static const double known[][2] = {{0.5, 0.674489750196082},    {0.6826894921370859, 1},
                                      {0.9, 1.6448536269514722},   {0.95, 1.959963984540054},
                                      {0.99, 2.5758293035489004},  {0.9973002039367398, 3},
                                      {0.999, 3.2905267314919255}, {0.999999, 4.891638475698590}};
    for (size_t i = 0; i < BPKI_COUNT(known); i++) assert_true(fabs(bpki_z(known[i][0]) - known[i][1]) < 1e-9);
    for (double c = 0.5; c <= 0.999999; c += 0.000499) assert_true(fabs(erf(bpki_z(c) / sqrt(2)) - c) < 1e-12);
}

static void confidences_move_into_their_range(void **state) {
    (void)state;
    static const double moved[][2] = {{0, 0.95},  {-0.0, 0.95},         {-1, 0.5},    {0.4999, 0.5}, {0.5, 0.5},
                                      {0.8, 0.8}, {0.999999, 0.999999}, {1, 0.999999}};
    for (size_t i = 0; i < BPKI_COUNT(moved); i++) assert_true(bpki_confidence(moved[i][0]) == moved[i][1]);
    assert_true(bpki_confidence(NAN) == 0.95 && bpki_confidence(INFINITY) == 0.999999 &&
                bpki_confidence(-INFINITY) == 0.5);
}

static void kernels_are_chosen_by_name(void **state) {
    (void)state;
    char before[32];
    snprintf(before, sizeof before, "%s", bpk_kernels());
    assert_int_equal(bpk_kernels_use("sse9"), BPK_E_UNSUPPORTED);
    assert_string_equal(bpk_kernels(), before);
    assert_int_equal(bpk_kernels_use("portable"), BPK_OK);
    assert_string_equal(bpk_kernels(), "portable");
    assert_int_equal(bpk_kernels_use(NULL), BPK_OK);
    assert_true(strlen(bpk_kernels()) > 0);
    assert_int_equal(bpk_kernels_use(before), BPK_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_the_headers),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(status_numbers_are_stable),
        cmocka_unit_test(an_error_is_explained_in_one_sentence),
        cmocka_unit_test(an_explanation_is_cut_to_the_room_that_there_is),
        cmocka_unit_test(the_default_environment_is_malloc_and_256_mib),
        cmocka_unit_test(the_limit_is_checked_before_anything_is_asked_for),
        cmocka_unit_test(sizes_are_checked_for_overflow),
        cmocka_unit_test(bytes_are_little_endian_at_any_address),
        cmocka_unit_test(numbers_become_digits),
        cmocka_unit_test(mulhi_is_the_upper_half_of_the_product),
        cmocka_unit_test(division_by_64_of_128_bits_is_exact_in_both_ways),
        cmocka_unit_test(counts_become_limits_that_are_never_on_the_wrong_side),
        cmocka_unit_test(the_generator_is_splitmix64),
        cmocka_unit_test(quantiles_are_those_of_the_normal_distribution),
        cmocka_unit_test(confidences_move_into_their_range),
        cmocka_unit_test(kernels_are_chosen_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
