/* test_cli_time.c - when records came: texts of times against gmtime's, formats, zones, and times that stay with their
 * records.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

#include <inttypes.h>
#include <time.h>

static bool reads(const char *text, uint64_t *seconds) {
    *seconds = 4711;
    return instant_parse(&(instant_form){.kind = INSTANT_AUTO}, text, strlen(text), seconds);
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
    assert_false(instant_parse(&(instant_form){.kind = INSTANT_AUTO}, "1\0", 2, &v));
}

static void times_of_logs_are_those_of_the_calendar(void **state) {
    (void)state;
    uint64_t v;
    for (uint64_t i = 0; i < 20000; i++) {
        char text[40], zoned[48];
        time_t t = (time_t)(86400 + t_hash(7, i) % (UINT64_C(8000) * 366 * 86400)); /* to the year 9999 and some */
        struct tm tm;
        long minutes = (long)(t_hash(8, i) % 48) * 30 - 720; /* ahead of UTC */
        if (t > 253402300000) continue;
        time_t local = t + 60 * minutes;
        gmtime_r(&local, &tm);
        strftime(text, sizeof text, "%d/%b/%Y:%H:%M:%S", &tm);
        snprintf(zoned, sizeof zoned, "%s %c%02ld%02ld", text, minutes < 0 ? '-' : '+', labs(minutes) / 60,
                 labs(minutes) % 60);
        if (!reads(zoned, &v) || v != (uint64_t)t) fail_msg("%s is not %" PRIu64 " but %jd", zoned, v, (intmax_t)t);
    }
    assert_true(reads("29/Feb/2000:23:59:60 +0000", &v)); /* a leap second is the next one */
    assert_int_equal(v, 951868800);
}

/* The second of a text, or -1 where it is no time. */
static int64_t read_as(const char *format, const char *zone_name, const char *text) {
    instant_form f = {.kind = INSTANT_AUTO};
    uint64_t v;
    if (zone_name && !zone_open(&f.zone, zone_name)) fail_msg("no zone %s", zone_name);
    const char *why = instant_form_read(&f, format);
    if (why) fail_msg("%s: %s", format, why);
    return instant_parse(&f, text, strlen(text), &v) ? (int64_t)v : -1;
}

typedef struct written {
    const char *format, *zone, *text;
    int64_t seconds;
} written;

static void check_written(const written *w, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int64_t got = read_as(w[i].format, w[i].zone, w[i].text);
        if (got != w[i].seconds)
            fail_msg("%s as %s in %s is %jd, not %jd", w[i].text, w[i].format, w[i].zone ? w[i].zone : "UTC",
                     (intmax_t)got, (intmax_t)w[i].seconds);
    }
}

static void numbers_are_in_the_unit_that_is_named(void **state) {
    (void)state;
    static const written w[] = {{"s", NULL, "971186136", 971186136},
                                {"s", NULL, "971186136.9", 971186136},
                                {"ms", NULL, "971186136999", 971186136},
                                {"ms", NULL, "999.5", 0},
                                {"us", NULL, "971186136999999", 971186136},
                                {"ns", NULL, "971186136999999999", 971186136},
                                {"ns", NULL, "18446744073709551615", 18446744073},
                                {"ns", NULL, "18446744073709551616", -1},
                                {"s", NULL, "10/Oct/2000:13:55:36 -0700", -1},
                                {"ms", NULL, "-1", -1},
                                {"ms", NULL, "", -1}};
    check_written(w, sizeof w / sizeof *w);
}

static void fractions_count_to_the_microsecond_where_that_is_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *format, *text;
        uint64_t micros;
    } w[] = {{"auto", "971186136", 971186136000000},
             {"auto", "971186136.1234567", 971186136123456},
             {"auto", "10/Oct/2000:13:55:36 -0700", 971211336000000},
             {"s", "0.000001", 1},
             {"s", "0.0000009", 0},
             {"ms", "971186136999", 971186136999000},
             {"ms", "1.2345", 1234},
             {"us", "971186136999999.9", 971186136999999},
             {"ns", "971186136999999999", 971186136999999},
             {"ns", "1999.9", 1},
             {"iso", "2000-10-10T20:55:36.5Z", 971211336500000},
             {"iso", "2000-10-10 20:55:36,123456789", 971211336123456},
             {"iso", "2000-10-10", 971136000000000},
             {"%F %T.%f %z", "2000-10-10 13:55:36.000250 -0700", 971211336000250},
             {"s", "253402300799.999999", 253402300799999999}};
    uint64_t v;
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
        instant_form f = {.kind = INSTANT_AUTO};
        assert_null(instant_form_read(&f, w[i].format));
        f.micros = true;
        assert_true(instant_parse(&f, w[i].text, strlen(w[i].text), &v));
        if (v != w[i].micros) fail_msg("%s as %s is %" PRIu64, w[i].text, w[i].format, v);
    }
    assert_false(instant_parse(&(instant_form){.micros = true}, "253402300800", 12, &v));
}

static void iso_8601_is_read_with_its_zone_or_in_that_of_the_clock(void **state) {
    (void)state;
    static const written w[] = {{"iso", NULL, "2000-10-10T13:55:36-07:00", 971211336},
                                {"iso", NULL, "2000-10-10T13:55:36-0700", 971211336},
                                {"iso", NULL, "2000-10-10T13:55:36-07", 971211336},
                                {"iso", NULL, "2000-10-10T20:55:36Z", 971211336},
                                {"iso", NULL, "2000-10-10t20:55:36.123456789z", 971211336},
                                {"iso", NULL, "2000-10-10 20:55:36,5+00:00", 971211336},
                                {"iso", NULL, "2000-10-10T20:55:36", 971211336},
                                {"iso", NULL, "2000-10-10T20:55", 971211300},
                                {"iso", NULL, "2000-10-10", 971136000},
                                {"iso", "+05:30", "2000-10-10", 971116200},
                                {"iso", "Europe/Berlin", "2000-10-10T22:55:36", 971211336},
                                {"iso", "Europe/Berlin", "2000-10-10T20:55:36Z", 971211336},
                                {"iso", NULL, "1998-12-31T23:59:60Z", 915148800},
                                {"iso", NULL, "1970-01-01T00:00:00+00:01", -1},
                                {"iso", NULL, "9999-12-31T23:59:59Z", 253402300799},
                                {"iso", NULL, "2001-02-29T00:00:00Z", -1},
                                {"iso", NULL, "2001-02-28T24:00:00Z", -1},
                                {"iso", NULL, "2001-02-28T23:59:61Z", -1},
                                {"iso", NULL, "2001-02-28T23:59:59.Z", -1},
                                {"iso", NULL, "2001-02-28T23:59:59+24:00", -1},
                                {"iso", NULL, "2001-02-28T23:59:59+1:00", -1},
                                {"iso", NULL, "2001-02-28T23", -1},
                                {"iso", NULL, "2001-02-28T", -1},
                                {"iso", NULL, "2001-2-28", -1},
                                {"iso", NULL, "2001-02-28T23:59:59ZZ", -1},
                                {"iso", NULL, "971211336", -1}};
    check_written(w, sizeof w / sizeof *w);
}

static void formats_are_those_of_strptime_and_a_fraction(void **state) {
    (void)state;
    static const written w[] = {{"%Y-%m-%dT%H:%M:%S%z", NULL, "2000-10-10T13:55:36-0700", 971211336},
                                {"%Y-%m-%dT%H:%M:%S%z", NULL, "2000-10-10T20:55:36Z", 971211336},
                                {"%F %T,%f", "Europe/Berlin", "2000-10-10 22:55:36,123", 971211336},
                                {"%F %T.%f%z", NULL, "2000-10-10 22:55:36.123456+02:00", 971211336},
                                {"%d/%b/%Y:%T %z", NULL, "10/Oct/2000:13:55:36 -0700", 971211336},
                                {"%m/%d/%y %I:%M:%S %p", NULL, "10/10/00 08:55:36 PM", 971211336},
                                {"%m/%d/%y %I:%M:%S.%f %p", NULL, "10/10/00 08:55:36.25 PM", 971211336},
                                {"%a %b %e %T %Y", NULL, "Tue Oct 10 20:55:36 2000", 971211336},
                                {"%Y %j", NULL, "2000 284", 971136000},
                                {"%Y %j", NULL, "2001 366", -1},
                                {"%Y", NULL, "2000", 946684800},
                                {"%Y-%m", NULL, "2000-10", 970358400},
                                {"%F%%", NULL, "2000-10-10%", 971136000},
                                {"%F", NULL, "2000-10-10 ", -1},
                                {"%F", NULL, "2000-10", -1},
                                {"%F", NULL, "2001-02-29", -1},
                                {"%F", NULL, "1969-12-31", -1},
                                {"%F %T", NULL, "2000-10-10 20:55:61", -1},
                                {"%F %T.%f", NULL, "2000-10-10 20:55:36.", -1},
                                {"%F %T%z", NULL, "2000-10-10 20:55:36", -1}};
    check_written(w, sizeof w / sizeof *w);
    char longest[200];
    memset(longest, ' ', sizeof longest);
    memcpy(longest, "2000-10-10", 10);
    longest[199] = 0;
    assert_int_equal(read_as("%F ", NULL, longest), -1);
}

static void formats_that_would_lose_a_part_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"%H:%M", "no year"},  {"%b %d %T", "no year"},    {"%F %T %Z", "%Z"},
                                         {"%s", "%s"},          {"%Y-%U", "conversion"},    {"%Y%", "percent"},
                                         {"%EY", "conversion"}, {"%f%F", "fraction"},       {"%F %f.%f", "fraction"},
                                         {"", "year"},          {"%Y %T %-d", "conversion"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        instant_form f = {.kind = INSTANT_ISO};
        const char *why = instant_form_read(&f, bad[i][0]);
        if (!why || !strstr(why, bad[i][1])) fail_msg("%s: %s", bad[i][0], why ? why : "is taken");
        assert_int_equal(f.kind, INSTANT_ISO);
    }
    char longest[INSTANT_FORMAT_MAX + 1];
    memset(longest, 'x', sizeof longest);
    memcpy(longest, "%Y", 2);
    longest[INSTANT_FORMAT_MAX] = 0;
    instant_form f = {.kind = INSTANT_AUTO};
    assert_non_null(strstr(instant_form_read(&f, longest), "longer"));
    longest[INSTANT_FORMAT_MAX - 1] = 0;
    assert_null(instant_form_read(&f, longest));
}

static void a_format_begins_behind_the_colon_of_a_word_or_of_a_percent_sign(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"1:iso", "iso"},
                                           {"1:%H:%M %Y", "%H:%M %Y"},
                                           {"1:[%d/%b/%Y:%T", "[%d/%b/%Y:%T"},
                                           {"log:time:%F %T", "%F %T"},
                                           {"a:s:auto", "auto"},
                                           {"a:s:b", NULL},
                                           {"time", NULL},
                                           {"1:", NULL},
                                           {"1:seconds", NULL},
                                           {":s", "s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *format = instant_format_in(cases[i][0]);
        if (!format != !cases[i][1] || (format && strcmp(format, cases[i][1]) != 0))
            fail_msg("%s: %s", cases[i][0], format ? format : "no format");
    }
}

static void what_comes_later_than_the_latest_is_no_time(void **state) {
    (void)state;
    instant_form f = {.kind = INSTANT_AUTO, .latest = INSTANT_9999};
    uint64_t v;
    assert_true(instant_parse(&f, "253402300799.5", 14, &v));
    assert_false(instant_parse(&f, "253402300800", 12, &v));
    assert_false(instant_parse(&f, "31/Dec/9999:23:59:59 -0001", 26, &v));
}

static void a_reader_gives_what_it_would_give_each_time(void **state) {
    (void)state;
    static const char *const texts[] = {"2000-10-10",
                                        "2000-10-10",
                                        "2000-10-1",
                                        "2000-10-11",
                                        "",
                                        "2000-10-11",
                                        "2000-10-11T00:00:00.000000000000000000000000000000000000000000000000"};
    const instant_form f = {.kind = INSTANT_ISO};
    instant_reader r = {.form = &f};
    for (uint64_t i = 0; i < 500; i++) {
        const char *text = texts[t_hash(11, i) % (sizeof texts / sizeof *texts)];
        uint64_t got = 0, wanted = 0;
        bool is = instant_read(&r, text, strlen(text), &got);
        assert_int_equal(is, instant_parse(&f, text, strlen(text), &wanted));
        assert_int_equal(got, wanted);
    }
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
        cmocka_unit_test(numbers_are_in_the_unit_that_is_named),
        cmocka_unit_test(fractions_count_to_the_microsecond_where_that_is_asked_for),
        cmocka_unit_test(iso_8601_is_read_with_its_zone_or_in_that_of_the_clock),
        cmocka_unit_test(formats_are_those_of_strptime_and_a_fraction),
        cmocka_unit_test(formats_that_would_lose_a_part_are_refused),
        cmocka_unit_test(a_format_begins_behind_the_colon_of_a_word_or_of_a_percent_sign),
        cmocka_unit_test(what_comes_later_than_the_latest_is_no_time),
        cmocka_unit_test(a_reader_gives_what_it_would_give_each_time),
        cmocka_unit_test(times_come_from_any_field_and_stay_with_their_records),
        cmocka_unit_test(strict_ends_at_a_record_without_a_time),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
