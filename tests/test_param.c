/* test_param.c - promises of param.h, and how rooms read their text parameters. */
#include <math.h>

#include "room.h"
#include "t.h"

typedef struct whole {
    const char *text;
    uint64_t value;
} whole;

static void counts_are_read_as_people_write_them(void **state) {
    (void)state;
    static const whole good[] = {
        {"0", 0},
        {"1000", 1000},
        {"1e6", 1000000},
        {"1E6", 1000000},
        {"1e+6", 1000000},
        {"10k", 10000},
        {"10K", 10000},
        {"5M", 5000000},
        {"2G", UINT64_C(2000000000)},
        {"3T", UINT64_C(3000000000000)},
        {"1.5k", 1500},
        {".5k", 500},
        {"5.k", 5000},
        {"1.0", 1},
        {"100e-2", 1},
        {"1.25e2", 125},
        {"0.000001M", 1},
        {"007", 7},
        {"0e99999", 0},
        {"0.000", 0},
        {"1.50000000000000000000000k", 1500},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551614", UINT64_MAX - 1},
        {"12345678901234567891", UINT64_C(12345678901234567891)},
        {"9999999999999999999", UINT64_C(9999999999999999999)},
        {"18446744073709551.615k", UINT64_MAX},
        {"18446744073709551615.000", UINT64_MAX},
        {"1000000000000000000000e-3", UINT64_C(1000000000000000000)},
    };
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        uint64_t v = 77;
        if (bpk_parse_count(good[i].text, &v) != BPK_OK || v != good[i].value)
            fail_msg("%s gives %llu", good[i].text, (unsigned long long)v);
    }
}

static void anything_else_is_no_count(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        " 1",
        "1 ",
        "-1",
        "+1",
        "1.5",
        "1e-1",
        "k",
        "e5",
        "1e",
        "1e+",
        "1kk",
        "1Ki",
        "1x",
        "1k5",
        "0x10",
        "1,000",
        ".",
        "..5",
        "1.2.3",
        "inf",
        "nan",
        "1e20",
        "18446744073709551616",
        "18446744073709551620",
        "99999999999999999999",
        "20000000T",
        "1e99999",
        "1e-99999",
        "10000000000000000000.5",
        "1.50000000000000000000001k",
        "1.0001k",
        "1%",
        "\t1",
        "1\n",
    };
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        uint64_t v = 77;
        if (bpk_parse_count(bad[i], &v) != BPK_E_ARG || v != 77)
            fail_msg("'%s' gives %llu", bad[i], (unsigned long long)v);
        v = 77;
        if (bpk_parse_bytes(bad[i], &v) == BPK_OK) fail_msg("'%s' gives %llu bytes", bad[i], (unsigned long long)v);
        assert_int_equal(v, 77);
    }
}

static void bytes_count_in_powers_of_1024(void **state) {
    (void)state;
    static const whole good[] = {
        {"65536", 65536},
        {"64k", 65536},
        {"256M", 268435456},
        {"1G", 1073741824},
        {"2T", UINT64_C(2199023255552)},
        {"1.5k", 1536},
        {"0.5k", 512},
        {"0.0009765625k", 1},
        {"1e3", 1000},
        {"16777215T", UINT64_C(16777215) << 40},
        {"2.75M", 2883584},
    };
    static const char *const bad[] = {"0.3k", "1.0001k", "16777216T", "1B", "1kB", "1KiB", "0.00048828125k"};
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        uint64_t v = 77;
        if (bpk_parse_bytes(good[i].text, &v) != BPK_OK || v != good[i].value)
            fail_msg("%s gives %llu", good[i].text, (unsigned long long)v);
    }
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        uint64_t v = 77;
        if (bpk_parse_bytes(bad[i], &v) != BPK_E_ARG) fail_msg("'%s' gives %llu", bad[i], (unsigned long long)v);
    }
}

/* Numbers of every size, plain and with a fraction of thousands. */
static void numbers_of_every_size_come_back(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t want = t_hash(1, i) >> t_hash(2, i) % 64, v = 0;
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)want);
        assert_int_equal(bpk_parse_count(text, &v), BPK_OK);
        assert_true(v == want);
        assert_int_equal(bpk_parse_bytes(text, &v), BPK_OK);
        assert_true(v == want);
        snprintf(text, sizeof text, "%llu.%03uk", (unsigned long long)(want / 1000), (unsigned)(want % 1000));
        assert_int_equal(bpk_parse_count(text, &v), BPK_OK);
        assert_true(v == want);
    }
}

static void shares_are_read_to_the_last_digit(void **state) {
    (void)state;
    static const char *const good[] = {"0.01",
                                       "1e-2",
                                       "1",
                                       "0",
                                       "0.3",
                                       "0.1",
                                       "1e-5",
                                       "1e-15",
                                       "123.456",
                                       "1e22",
                                       "5e-1",
                                       "2.5E+3",
                                       "9007199254740993"};
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        double v = -1;
        assert_int_equal(bpk_parse_share(good[i], &v), BPK_OK);
        if (v != strtod(good[i], NULL)) fail_msg("%s gives %.17g", good[i], v);
    }
    static const struct {
        const char *text;
        double value;
    } percent[] = {{"1%", 0.01}, {"0.1%", 0.001}, {"100%", 1}, {"12.5%", 0.125}, {"1e-3%", 1e-5}, {"0%", 0}};
    for (size_t i = 0; i < BPKI_COUNT(percent); i++) {
        double v = -1;
        assert_int_equal(bpk_parse_share(percent[i].text, &v), BPK_OK);
        assert_true(v == percent[i].value);
    }
    for (uint64_t i = 0; i < 5000; i++) { /* up to 15 digits and small powers: correctly rounded */
        char text[48];
        double v = -1;
        snprintf(text, sizeof text, "%llue-%u", (unsigned long long)(t_hash(3, i) % UINT64_C(1000000000000000)),
                 (unsigned)(t_hash(4, i) % 22));
        assert_int_equal(bpk_parse_share(text, &v), BPK_OK);
        if (v != strtod(text, NULL)) fail_msg("%s gives %.17g", text, v);
    }
}

static void shares_far_from_1_are_right_or_refused(void **state) {
    (void)state;
    static const char *const far[] = {"1e300",
                                      "1e-300",
                                      "1e-310",
                                      "1234567890123456789e-318",
                                      "17e307",
                                      "1e-307",
                                      "123456789e-200",
                                      "1e308",
                                      "1e309",
                                      "1e-400",
                                      "1e99999",
                                      "1e-99999",
                                      "123456789012345678901234567890e-20"};
    for (size_t i = 0; i < BPKI_COUNT(far); i++) {
        double v = 77, want = strtod(far[i], NULL);
        if (bpk_parse_share(far[i], &v) != BPK_OK) {
            assert_true(v == 77);
            assert_true(want < 1e-300 || want > 1e300);
        } else if (!(fabs(v - want) <= 1e-14 * want)) {
            fail_msg("%s gives %.17g", far[i], v);
        }
    }
}

static void anything_else_is_no_share(void **state) {
    (void)state;
    static const char *const bad[] = {"",    "-0.1", "+0.1",   "%",   "1%%", "1 %", "1k",   "nan",
                                      "inf", "1e",   "0x1p-2", "1,5", " 1",  "1 ",  "1e5x", "."};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        double v = 77;
        if (bpk_parse_share(bad[i], &v) != BPK_E_ARG || v != 77) fail_msg("'%s' gives %g", bad[i], v);
    }
}

static void integers_are_digits_with_a_sign_in_range(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"+0", 0},
                {"42", 42},
                {"-42", -42},
                {"+7", 7},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"-9223372036854775807", -INT64_MAX},
                {"0000000000000000000000000000001", 1}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "--1",
                                      "+-1",
                                      "1.0",
                                      "1e3",
                                      " 1",
                                      "1 ",
                                      "0x1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "18446744073709551616",
                                      "18446744073709551617",
                                      "99999999999999999999999",
                                      "1k",
                                      "1_000"};
    int64_t v;
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        v = 77;
        assert_true(bpk_parse_i64(good[i].text, strlen(good[i].text), &v));
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        v = 77;
        assert_false(bpk_parse_i64(bad[i], strlen(bad[i]), &v));
        assert_int_equal(v, 77);
    }
    assert_false(bpk_parse_i64("1\0", 2, &v)); /* a NUL is not a digit */
    assert_true(bpk_parse_i64("123", 2, &v) && v == 12);
}

static void keys_are_32_hexadecimal_digits(void **state) {
    (void)state;
    static const uint8_t want[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    static const char *const good[] = {"00112233445566778899aabbccddeeff", "00112233445566778899AABBCCDDEEFF\n",
                                       " \t00112233445566778899AaBbCcDdEeFf\r\n "};
    static const char *const bad[] = {"",
                                      " ",
                                      "00112233445566778899aabbccddeef",
                                      "00112233445566778899aabbccddeeff0",
                                      "00112233445566778899aabbccddeefg",
                                      "0011223344556677 8899aabbccddeeff",
                                      "0x112233445566778899aabbccddeeff"};
    uint8_t key[16];
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        memset(key, 0, 16);
        assert_int_equal(bpk_parse_key(good[i], strlen(good[i]), key), BPK_OK);
        assert_memory_equal(key, want, 16);
    }
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        memset(key, 7, 16);
        assert_int_equal(bpk_parse_key(bad[i], strlen(bad[i]), key), BPK_E_ARG);
        for (size_t k = 0; k < 16; k++) assert_int_equal(key[k], 7);
    }
}

/* ---- what rooms do with parameters ---- */

static void parameters_are_read_by_name_and_the_first_fault_stays(void **state) {
    (void)state;
    static const char *const words[] = {"red", "green", NULL};
    static const bpk_param p[] = {{"items", "1k"}, {"rate", "1%"}, {"colour", "green"}};
    bpki_params ps = {.p = p, .n = 3};
    bpk_err err;
    assert_int_equal(bpki_param_count(&ps, "items", 5), 1000);
    assert_int_equal(bpki_param_count(&ps, "size", 5), 5);
    assert_int_equal(bpki_params_end(&ps, &err), BPK_E_ARG); /* nobody has asked for rate */
    assert_string_equal(err.field, "rate");
    assert_true(bpki_param_share(&ps, "rate", 0.5) == 0.01);
    assert_int_equal(bpki_param_word(&ps, "colour", words, 0), 1);
    assert_int_equal(bpki_param_word(&ps, "shade", words, 1), 1);
    assert_true(bpki_param_given(&ps, "rate") && !bpki_param_given(&ps, "size"));
    bpki_param_missing(&ps, "rate");
    assert_int_equal(bpki_params_end(&ps, &err), BPK_OK);
    bpki_param_missing(&ps, "size");
    bpki_param_fail(&ps, "rate");
    assert_int_equal(bpki_params_end(&ps, &err), BPK_E_ARG);
    assert_string_equal(err.field, "size");
    static const bpk_param q[] = {{"colour", "blue"}, {"items", "some"}};
    bpki_params qs = {.p = q, .n = 2};
    assert_int_equal(bpki_param_word(&qs, "colour", words, 0), 0);
    assert_int_equal(bpki_param_count(&qs, "items", 9), 9);
    assert_int_equal(bpki_params_end(&qs, &err), BPK_E_ARG);
    assert_string_equal(err.field, "colour");
    assert_string_equal(err.other, "blue");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_read_as_people_write_them),
        cmocka_unit_test(anything_else_is_no_count),
        cmocka_unit_test(bytes_count_in_powers_of_1024),
        cmocka_unit_test(numbers_of_every_size_come_back),
        cmocka_unit_test(shares_are_read_to_the_last_digit),
        cmocka_unit_test(shares_far_from_1_are_right_or_refused),
        cmocka_unit_test(anything_else_is_no_share),
        cmocka_unit_test(integers_are_digits_with_a_sign_in_range),
        cmocka_unit_test(keys_are_32_hexadecimal_digits),
        cmocka_unit_test(parameters_are_read_by_name_and_the_first_fault_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
