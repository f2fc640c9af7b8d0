/* instant.c - when a record came: two ways to write it. */
#include "instant.h"

#include <string.h>

const char instant_forms[] = "seconds since 1970, or 10/Oct/2000:13:55:36 -0700";

static const uint64_t SECONDS_MAX = UINT64_C(1) << 53; /* a double holds it, and no sum of spans overflows */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t digits(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && is_digit(p[i])) i++;
    return i;
}

static bool read_seconds(const char *p, size_t n, uint64_t *out) {
    size_t whole = digits(p, n);
    bool point = whole < n && p[whole] == '.';
    size_t behind = point ? digits(p + whole + 1, n - whole - 1) : 0;
    if (!whole || whole + (point ? 1 + behind : 0) != n || (point && !behind)) return false;
    *out = 0;
    for (size_t i = 0; i < whole && *out <= SECONDS_MAX; i++) *out = *out * 10 + (uint64_t)(p[i] - '0');
    return *out <= SECONDS_MAX;
}

/* Digits from..to-1, which are there. */
static int64_t number(const char *p, size_t from, size_t to) {
    int64_t v = 0;
    for (size_t i = from; i < to; i++) v = v * 10 + (p[i] - '0');
    return v;
}

/* From 1, 0 for no month. */
static int64_t month_of(const char *p) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (size_t i = 0; i + 3 < sizeof names; i += 3)
        if (memcmp(names + i, p, 3) == 0) return (int64_t)i / 3 + 1;
    return 0;
}

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int64_t days_in(int64_t year, int64_t month) {
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Since 1970 up to the first of January. */
static int64_t days_before(int64_t year) {
    int64_t y = year - 1;
    return 365 * (year - 1970) + (y / 4 - y / 100 + y / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
}

/* A second of 60 is a leap second, which is the next one here. */
static bool read_log_time(const char *p, size_t n, uint64_t *out) {
    static const char form[] = "00/Aaa/0000:00:00:00 +0000";
    if (n != sizeof form - 1) return false;
    for (size_t i = 0; i < n; i++) {
        if (form[i] == '0' && !is_digit(p[i])) return false;
        if (strchr("/: ", form[i]) && p[i] != form[i]) return false;
    }
    int64_t day = number(p, 0, 2), month = month_of(p + 3), year = number(p, 7, 11);
    int64_t hour = number(p, 12, 14), minute = number(p, 15, 17), second = number(p, 18, 20);
    int64_t zone = number(p, 22, 24) * 3600 + number(p, 24, 26) * 60;
    if ((p[21] != '+' && p[21] != '-') || !month || year < 1) return false;
    if (day < 1 || day > days_in(year, month) || hour > 23 || minute > 59 || second > 60) return false;
    int64_t days = days_before(year) + day - 1;
    for (int64_t m = 1; m < month; m++) days += days_in(year, m);
    int64_t at = days * 86400 + hour * 3600 + minute * 60 + second - (p[21] == '-' ? -zone : zone);
    *out = (uint64_t)at;
    return at >= 0;
}

bool instant_parse(const void *text, size_t n, uint64_t *seconds) {
    return read_seconds(text, n, seconds) || read_log_time(text, n, seconds);
}
