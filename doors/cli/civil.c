/* civil.c - the Gregorian calendar, forwards. */
#include "civil.h"

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

static bool within(int64_t v, int64_t from, int64_t to) {
    return v >= from && v <= to;
}

bool civil_seconds(int64_t *out, const civil *c) {
    if (!within(c->year, 1, 9999) || !within(c->month, 1, 12)) return false;
    if (!within(c->day, 1, days_in(c->year, c->month))) return false;
    if (!within(c->hour, 0, 23) || !within(c->minute, 0, 59) || !within(c->second, 0, 60)) return false;
    int64_t days = days_before(c->year) + c->day - 1;
    for (int64_t m = 1; m < c->month; m++) days += days_in(c->year, m);
    *out = days * DAY_SECONDS + c->hour * 3600 + c->minute * 60 + c->second;
    return true;
}
