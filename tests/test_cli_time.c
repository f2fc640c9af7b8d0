/* test_cli_time.c - when records came: texts of times against gmtime's, and times that stay with their records.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

#include <inttypes.h>
#include <time.h>

#include "../doors/cli/instant.h"

static bool reads(const char *text, uint64_t *seconds) {
    *seconds = 4711;
    return instant_parse(text, strlen(text), seconds);
}

static void seconds_have_an_optional_fraction_which_is_cut_off(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t seconds;
    } good[] = {{"0", 0},
                {"0.999", 0},
                {"1", 1},
                {"007", 7},
                {"1.9", 1},
                {"1796093870.123456", 1796093870},
                {"1.000000", 1},
                {"00000000000000000000000000000005", 5},
                {"9007199254740992", UINT64_C(1) << 53}};
    uint64_t v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(reads(good[i].text, &v));
        assert_int_equal(v, good[i].seconds);
    }
}

static void what_is_no_time_is_none(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      ".",
                                      ".5",
                                      "5.",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1e9",
                                      "1,5",
                                      "0x10",
                                      "1.5.2",
                                      "9007199254740993",
                                      "99999999999999999999999999",
                                      "now",
                                      "2026-12-01T00:00:00Z",
                                      "10/Oct/2000:13:55:36",
                                      "10/Oct/2000:13:55:36 -070",
                                      "10/Oct/2000:13:55:36 -07000",
                                      "10/Oct/2000:13:55:36 00700",
                                      "10/Oct/2000 13:55:36 -0700",
                                      "10/oct/2000:13:55:36 -0700",
                                      "10/Okt/2000:13:55:36 -0700",
                                      "00/Oct/2000:13:55:36 -0700",
                                      "31/Sep/2000:13:55:36 -0700",
                                      "29/Feb/1900:13:55:36 -0700",
                                      "29/Feb/2001:13:55:36 -0700",
                                      "10/Oct/2000:24:00:00 -0700",
                                      "10/Oct/2000:13:60:36 -0700",
                                      "10/Oct/2000:13:55:61 -0700",
                                      "10/Oct/0000:13:55:36 -0700",
                                      "31/Dec/1969:23:59:59 +0000",
                                      "01/Jan/1970:00:59:59 +0100"};
    uint64_t v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (reads(bad[i], &v)) fail_msg("%s is taken for %" PRIu64, bad[i], v);
    assert_false(instant_parse("1\0", 2, &v));
}

static void times_of_logs_are_those_of_the_calendar(void **state) {
    (void)state;
    uint64_t v;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[40], zoned[48];
        time_t t = (time_t)(86400 + t_hash(7, i) % (UINT64_C(8000) * 366 * 86400)); /* to the year 9999 and some */
        struct tm tm;
        long zone = (long)(t_hash(8, i) % 48) * 30 - 720; /* minutes */
        if (t > 253402300000) continue;
        time_t local = t + 60 * zone;
        gmtime_r(&local, &tm);
        strftime(text, sizeof text, "%d/%b/%Y:%H:%M:%S", &tm);
        snprintf(zoned, sizeof zoned, "%s %c%02ld%02ld", text, zone < 0 ? '-' : '+', labs(zone) / 60, labs(zone) % 60);
        if (!reads(zoned, &v) || v != (uint64_t)t) fail_msg("%s is not %" PRIu64 " but %jd", zoned, v, (intmax_t)t);
    }
    assert_true(reads("29/Feb/2000:23:59:60 +0000", &v)); /* a leap second is the next one */
    assert_int_equal(v, 951868800);
}

typedef struct timed {
    uint64_t time[64], records;
    char item[64];
} timed;

static int take_times(void *ctx, const batch *b) {
    timed *t = ctx;
    assert_non_null(b->time);
    for (size_t i = 0; i < b->n; i++) {
        t->time[t->records] = b->time[i];
        t->item[t->records++] = *(const char *)b->item[i];
    }
    return 0;
}

static int run_timed(timed *t, input_options o, const char *text, input_report *report) {
    const char *path = put_text("timed", text);
    input *in;
    bpk_hasher h;
    *t = (timed){.records = 0};
    said[0] = '\0';
    o.files = &path;
    o.n_files = 1;
    assert_int_equal(input_open(&in, &o, NULL), 0);
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    const consumer c = {.ctx = t, .drain = take_times};
    int code = input_run(in, &h, &c, report);
    input_close(in);
    return code;
}

static void times_come_from_any_field_and_stay_with_their_records(void **state) {
    (void)state;
    static const char *const cases[][3] = {{"1", "2", "5 a\n6.5 b\nx c\n8 d\n"},
                                           {"2", "1", "a 5\nb 6.5\nc x\nd 8\n"},
                                           {"-1", "1", "a z 5\nb 6.5\nc\nd y y 8\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            input_options o = plain_options();
            input_report report;
            timed t;
            o.threads = threads;
            assert_true(field_list_parse(&o.time, cases[i][0]) && field_list_parse(&o.fields, cases[i][1]));
            assert_int_equal(run_timed(&t, o, cases[i][2], &report), 0);
            assert_int_equal(report.records, 4);
            assert_int_equal(report.bad_records, 1);
            assert_int_equal(t.records, 3);
            assert_memory_equal(t.item, "abd", 3);
            assert_true(t.time[0] == 5 && t.time[1] == 6 && t.time[2] == 8);
            assert_non_null(strstr(said, "1 of 4 records have no time (seconds since 1970"));
        }
}

static void strict_ends_at_a_record_without_a_time(void **state) {
    (void)state;
    input_options o = plain_options();
    input_report report;
    timed t;
    o.strict = true;
    assert_true(field_list_parse(&o.time, "1"));
    assert_int_equal(run_timed(&t, o, "1 a\nx b\n3 c\n", &report), EXIT_BAD);
    assert_int_equal(t.records, 1);
    assert_non_null(strstr(said, "record 2: no time"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_have_an_optional_fraction_which_is_cut_off),
        cmocka_unit_test(what_is_no_time_is_none),
        cmocka_unit_test(times_of_logs_are_those_of_the_calendar),
        cmocka_unit_test(times_come_from_any_field_and_stay_with_their_records),
        cmocka_unit_test(strict_ends_at_a_record_without_a_time),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
