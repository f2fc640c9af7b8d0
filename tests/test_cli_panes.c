/* test_cli_panes.c - zones and panes: readings that come twice or not at all, and panes that leave no instant out.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

#include <inttypes.h>
#include <time.h>

#include "../doors/cli/panes.h"

static const char *const zones[] = {"UTC",
                                    "+05:30",
                                    "-11:45",
                                    "Europe/Berlin",
                                    "America/New_York",
                                    "Asia/Kathmandu",
                                    "Australia/Lord_Howe", /* summer time of half an hour */
                                    "America/St_Johns",    /* put back at 00:01, into the day before */
                                    "America/Sao_Paulo",   /* put forward at midnight */
                                    "Pacific/Apia",        /* a day left out */
                                    "Africa/Monrovia"};    /* seconds in the offset until 1972 */
enum { ZONES = sizeof zones / sizeof *zones };

static zone zone_named(const char *name) {
    zone z;
    if (!zone_open(&z, name)) fail_msg("no zone %s", name);
    return z;
}

static int64_t at(const char *text) {
    instant_form f = {.kind = INSTANT_ISO};
    uint64_t v;
    if (!instant_parse(&f, text, strlen(text), &v)) fail_msg("no time %s", text);
    return (int64_t)v;
}

static void assert_shown(const zone *z, int64_t instant, const char *wanted) {
    char text[ZONE_TEXT_MAX];
    zone_text(text, z, instant);
    assert_string_equal(text, wanted);
}

static void unknown_zones_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",       "utc",   "Berlin", "Europe/Berlin/", "/usr/share/zoneinfo/UTC",
                                      "+1:00",  "+01",   "+24:00", "+01:60",         "../zoneinfo/Europe/Berlin",
                                      "Europe", "UTC+1", " UTC",   "right/UTC",      "tzdata.zi",
                                      "+01:0x", "01:00", "CET-",   "zone.tab",       "Europe/../Europe/Berlin"};
    zone z;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (zone_open(&z, bad[i])) fail_msg("%s is taken", bad[i]);
}

static void readings_that_come_twice_are_the_first_and_skipped_ones_go_on(void **state) {
    (void)state;
    zone z = zone_named("Europe/Berlin");
    assert_shown(&z, zone_instant(&z, at("2026-10-25T02:30:00Z")), "2026-10-25T02:30:00+02:00");
    assert_shown(&z, zone_instant(&z, at("2026-10-25T03:00:00Z")), "2026-10-25T03:00:00+01:00");
    assert_shown(&z, zone_instant(&z, at("2026-03-29T01:59:59Z")), "2026-03-29T01:59:59+01:00");
    assert_shown(&z, zone_instant(&z, at("2026-03-29T02:30:00Z")), "2026-03-29T03:30:00+02:00");
    assert_shown(&z, zone_first(&z, at("2026-03-29T02:30:00Z")), "2026-03-29T03:00:00+02:00");
    assert_shown(&z, zone_instant(&z, at("2026-03-29T03:00:00Z")), "2026-03-29T03:00:00+02:00");
    z = zone_named("Africa/Monrovia");
    assert_shown(&z, 0, "1969-12-31T23:15:30-00:44:30");
}

static void instants_and_readings_are_each_others_inverse(void **state) {
    (void)state;
    for (size_t i = 0; i < ZONES; i++) {
        zone z = zone_named(zones[i]);
        for (uint64_t n = 0; n < 3000; n++) {
            int64_t t = (int64_t)(t_hash(21, n) % UINT64_C(2500000000)), reading = t + zone_offset(&z, t);
            int64_t back = zone_instant(&z, reading);
            if (back != t && (back > t || back + zone_offset(&z, back) != reading))
                fail_msg("%s: %jd becomes %jd", zones[i], (intmax_t)t, (intmax_t)back);
        }
    }
}

/* Walks through panes from `from` on, comparing where they begin. */
static void assert_panes(const char *zone_name, const char *length, const char *from, const char *const *wanted) {
    zone z = zone_named(zone_name);
    uint64_t seconds;
    assert_true(span_parse(length, &seconds));
    for (pane p = pane_of(seconds, &z, at(from)); *wanted; p = pane_of(seconds, &z, p.end))
        assert_shown(&z, p.begin, *wanted++);
}

static void hours_are_hours_when_clocks_are_put_forward_or_back(void **state) {
    (void)state;
    static const char *const forward[] = {"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00",
                                          "2026-03-29T04:00:00+02:00", NULL};
    static const char *const back[] = {"2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00",
                                       "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00", NULL};
    static const char *const half[] = {"2026-04-05T01:00:00+11:00", "2026-04-05T01:30:00+10:30",
                                       "2026-04-05T02:00:00+10:30", NULL};
    static const char *const india[] = {"2026-03-29T05:00:00+05:30", "2026-03-29T06:00:00+05:30", NULL};
    assert_panes("Europe/Berlin", "1h", "2026-03-29T00:30:00Z", forward);
    assert_panes("Europe/Berlin", "1h", "2026-10-24T23:59:59Z", back);
    assert_panes("Australia/Lord_Howe", "1h", "2026-04-04T14:00:00Z", half);
    assert_panes("+05:30", "1h", "2026-03-29T00:00:00Z", india);
}

static void longer_panes_go_by_the_clock(void **state) {
    (void)state;
    static const char *const six[] = {"2026-10-25T00:00:00+02:00", "2026-10-25T06:00:00+01:00",
                                      "2026-10-25T12:00:00+01:00", NULL};
    static const char *const days[] = {"2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00",
                                       "2026-03-30T00:00:00+02:00", NULL};
    static const char *const weeks[] = {"2026-03-23T00:00:00+01:00", "2026-03-30T00:00:00+02:00", NULL};
    static const char *const no_midnight[] = {"2018-11-03T00:00:00-03:00", "2018-11-04T01:00:00-02:00",
                                              "2018-11-05T00:00:00-02:00", NULL};
    static const char *const no_day[] = {"2011-12-29T00:00:00-10:00", "2011-12-31T00:00:00+14:00", NULL};
    static const char *const into_yesterday[] = {"2010-11-06T00:00:00-02:30", "2010-11-07T00:00:00-02:30",
                                                 "2010-11-08T00:00:00-03:30", NULL};
    assert_panes("Europe/Berlin", "6h", "2026-10-25T01:30:00Z", six);
    assert_panes("Europe/Berlin", "1d", "2026-03-28T12:00:00Z", days);
    assert_panes("Europe/Berlin", "24h", "2026-03-28T12:00:00Z", days);
    assert_panes("Europe/Berlin", "1w", "2026-03-29T12:00:00Z", weeks);
    assert_panes("Europe/Berlin", "7d", "2026-03-29T12:00:00Z", weeks);
    assert_panes("America/Sao_Paulo", "1d", "2018-11-03T12:00:00Z", no_midnight);
    assert_panes("Pacific/Apia", "1d", "2011-12-30T09:59:59Z", no_day);
    assert_panes("America/St_Johns", "1d", "2010-11-06T12:00:00Z", into_yesterday);
}

static void other_lengths_are_counted_from_1970(void **state) {
    (void)state;
    static const char *const seven[] = {"1970-01-01T01:00:00+01:00", "1970-01-01T08:00:00+01:00", NULL};
    static const char *const before[] = {"1969-12-31T19:00:00-05:00", "1969-12-31T20:00:00-05:00", NULL};
    static const char *const week[] = {"1969-12-29T00:00:00+00:00", "1970-01-05T00:00:00+00:00", NULL};
    assert_panes("+01:00", "7h", "1970-01-01T00:00:00Z", seven);
    assert_panes("-05:00", "1h", "1970-01-01T00:00:00Z", before);
    assert_panes("UTC", "1w", "1970-01-01T00:00:00Z", week);
}

static void every_instant_is_in_one_pane(void **state) {
    (void)state;
    static const uint64_t lengths[] = {1,     7,     60,    900,   1800,  2400,   3600,   5400,    7200,
                                       10800, 21600, 25200, 43200, 86400, 172800, 604800, 1209600, PANE_LONGEST};
    for (size_t i = 0; i < ZONES; i++) {
        zone z = zone_named(zones[i]);
        for (uint64_t n = 0; n < 2000; n++) {
            uint64_t length = lengths[n % (sizeof lengths / sizeof *lengths)];
            int64_t t = (int64_t)(t_hash(22, n) % (n % 5 ? UINT64_C(2500000000) : INSTANT_9999));
            pane p = pane_of(length, &z, t), first = pane_of(length, &z, p.begin),
                 last = pane_of(length, &z, p.end - 1);
            bool is = p.begin <= t && t < p.end && first.begin == p.begin && first.end == p.end &&
                      last.begin == p.begin && last.end == p.end && pane_of(length, &z, p.end).begin == p.end;
            if (!is) fail_msg("%s, %" PRIu64 " s: %jd", zones[i], length, (intmax_t)t);
        }
    }
}

/* The panes of one year, second by second where clocks change. */
static void panes_join_where_clocks_change(void **state) {
    (void)state;
    static const uint64_t lengths[] = {600, 3600, 7200, 86400};
    for (size_t i = 0; i < ZONES; i++) {
        zone z = zone_named(zones[i]);
        for (int64_t t = at("2010-01-01"); t < at("2012-01-01"); t += 86400) {
            if (zone_offset(&z, t) == zone_offset(&z, t + 86400)) continue;
            int64_t change = zone_change(&z, t, t + 86400);
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
                for (int64_t s = change - 4000; s < change + 4000; s += 7) {
                    pane p = pane_of(lengths[k], &z, s);
                    bool is = p.begin <= s && s < p.end && pane_of(lengths[k], &z, p.end).begin == p.end;
                    if (!is) fail_msg("%s, %" PRIu64 " s: %jd", zones[i], lengths[k], (intmax_t)s);
                }
        }
    }
}

static void spans_are_whole_numbers_of_a_unit(void **state) {
    (void)state;
    static const char *const bad[] = {"",    "h",     "1",     "1.5h", "-1h", "1x",   "1 h",
                                      "1hh", "1e30h", "1e16m", "h1",   "1ks", "100ms"};
    uint64_t v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (span_parse(bad[i], &v)) fail_msg("%s is taken", bad[i]);
    assert_true(span_parse("0s", &v) && v == 0);
    assert_true(span_parse("90s", &v) && v == 90);
    assert_true(span_parse("1e3m", &v) && v == 60000);
    assert_true(span_parse("2w", &v) && v == 1209600);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_zones_are_refused),
        cmocka_unit_test(readings_that_come_twice_are_the_first_and_skipped_ones_go_on),
        cmocka_unit_test(instants_and_readings_are_each_others_inverse),
        cmocka_unit_test(hours_are_hours_when_clocks_are_put_forward_or_back),
        cmocka_unit_test(longer_panes_go_by_the_clock),
        cmocka_unit_test(other_lengths_are_counted_from_1970),
        cmocka_unit_test(every_instant_is_in_one_pane),
        cmocka_unit_test(panes_join_where_clocks_change),
        cmocka_unit_test(spans_are_whole_numbers_of_a_unit),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
