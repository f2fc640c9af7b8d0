/* instant.c - when a record came: numbers, times of access logs, ISO 8601; formats are in instant_format.c. */
#include "instant.h"

#include "civil.h"

#include <string.h>

static const uint64_t SECONDS_MAX = UINT64_C(1) << 53; /* a double holds it, and no sum of spans overflows */
enum { MICROS = 1000000 };                             /* of a second */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t digits(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && is_digit(p[i])) i++;
    return i;
}

/* Digits from..to-1, which are there. */
static int64_t number(const char *p, size_t from, size_t to) {
    int64_t v = 0;
    for (size_t i = from; i < to; i++) v = v * 10 + (p[i] - '0');
    return v;
}

uint32_t instant_millionths(const char *p, size_t n) {
    uint32_t v = 0;
    for (size_t i = 0; i < 6; i++) v = v * 10 + (i < n ? (uint32_t)(p[i] - '0') : 0);
    return v;
}

/* Of so many of `each` a second, less than one second, and millionths of one of them. */
static uint32_t micros_of(uint64_t rest, uint64_t each, uint32_t millionths) {
    if (each > MICROS) return (uint32_t)(rest / (each / MICROS));
    return (uint32_t)(rest * (MICROS / each) + millionths / each);
}

/* So many of `each` a second, with or without a fraction. */
static bool read_number(const char *p, size_t n, uint64_t each, time_point *out) {
    size_t whole = digits(p, n);
    bool point = whole < n && p[whole] == '.';
    size_t behind = point ? digits(p + whole + 1, n - whole - 1) : 0;
    if (!whole || whole + (point ? 1 + behind : 0) != n || (point && !behind)) return false;
    uint64_t v = 0;
    for (size_t i = 0; i < whole; i++) {
        uint64_t digit = (uint64_t)(p[i] - '0');
        if (v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    if (v / each > SECONDS_MAX) return false;
    *out = (time_point){(int64_t)(v / each), micros_of(v % each, each, instant_millionths(p + whole + 1, behind))};
    return true;
}

/* Digits stand where the form has 0, letters where it has A or a, all else is the same. */
static bool has_form(const char *p, const char *form, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool letter = form[i] == 'A' || form[i] == 'a';
        if (form[i] == '0' ? !is_digit(p[i]) : !letter && p[i] != form[i]) return false;
    }
    return true;
}

/* From 1, 0 for no month. */
static int64_t month_of(const char *p) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (size_t i = 0; i + 3 < sizeof names; i += 3)
        if (memcmp(names + i, p, 3) == 0) return (int64_t)i / 3 + 1;
    return 0;
}

static bool read_log_time(const char *p, size_t n, int64_t *out) {
    static const char form[] = "00/Aaa/0000:00:00:00 A0000";
    if (n != sizeof form - 1 || !has_form(p, form, n) || (p[21] != '+' && p[21] != '-')) return false;
    const civil c = {.year = number(p, 7, 11),
                     .month = month_of(p + 3),
                     .day = number(p, 0, 2),
                     .hour = number(p, 12, 14),
                     .minute = number(p, 15, 17),
                     .second = number(p, 18, 20)};
    int64_t offset = number(p, 22, 24) * 3600 + number(p, 24, 26) * 60;
    if (!civil_seconds(out, &c)) return false;
    *out -= p[21] == '-' ? -offset : offset;
    return true;
}

/* ---- ISO 8601, in the forms of RFC 3339 and without a zone, seconds, or a time of day ---- */

/* Z, +hh, +hhmm or +hh:mm up to the end. */
static bool read_iso_zone(const char *p, size_t n, int64_t *offset) {
    *offset = 0;
    if (n == 1) return *p == 'Z' || *p == 'z';
    if (n < 3 || (*p != '+' && *p != '-')) return false;
    bool is = n == 3   ? has_form(p + 1, "00", 2)
              : n == 5 ? has_form(p + 1, "0000", 4)
                       : n == 6 && has_form(p + 1, "00:00", 5);
    if (!is) return false;
    int64_t hours = number(p, 1, 3), minutes = n > 3 ? number(p, n - 2, n) : 0;
    if (hours > 23 || minutes > 59) return false;
    *offset = (*p == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

/* hh:mm[:ss[.fraction]]; moves behind it. */
static bool read_iso_time(const char **at, const char *end, civil *c, uint32_t *micros) {
    const char *p = *at;
    if (end - p < 5 || !has_form(p, "00:00", 5)) return false;
    c->hour = number(p, 0, 2);
    c->minute = number(p, 3, 5);
    p += 5;
    if (end - p >= 3 && has_form(p, ":00", 3)) {
        c->second = number(p, 1, 3);
        p += 3;
        size_t behind = p < end && (*p == '.' || *p == ',') ? digits(p + 1, (size_t)(end - p - 1)) : 0;
        *micros = instant_millionths(p + 1, behind);
        p += behind ? behind + 1 : 0;
    }
    *at = p;
    return true;
}

static bool read_iso(const instant_form *f, const char *p, size_t n, time_point *out) {
    static const char date[] = "0000-00-00";
    const char *end = p + n;
    if (n < sizeof date - 1 || !has_form(p, date, sizeof date - 1)) return false;
    civil c = {.year = number(p, 0, 4), .month = number(p, 5, 7), .day = number(p, 8, 10)};
    p += sizeof date - 1;
    int64_t reading, offset;
    bool timed = p < end;
    if (timed && *p != 'T' && *p != 't' && *p != ' ') return false;
    p += timed;
    if (timed && !read_iso_time(&p, end, &c, &out->micros)) return false;
    if (!civil_seconds(&reading, &c)) return false;
    if (p == end) {
        out->seconds = zone_instant(&f->zone, reading);
        return true;
    }
    if (!read_iso_zone(p, (size_t)(end - p), &offset)) return false;
    out->seconds = reading - offset;
    return true;
}

/* ---- all of them ---- */

static bool read_units(const instant_form *f, const char *p, size_t n, time_point *out) {
    static const uint64_t each[] = {[INSTANT_AUTO] = 1,
                                    [INSTANT_SECONDS] = 1,
                                    [INSTANT_MILLISECONDS] = 1000,
                                    [INSTANT_MICROSECONDS] = 1000000,
                                    [INSTANT_NANOSECONDS] = 1000000000};
    return f->kind <= INSTANT_NANOSECONDS && read_number(p, n, each[f->kind], out);
}

bool instant_parse(const instant_form *f, const void *text, size_t n, uint64_t *time) {
    time_point at = {-1, 0};
    if (!read_units(f, text, n, &at)) {
        bool is = f->kind == INSTANT_AUTO     ? read_log_time(text, n, &at.seconds)
                  : f->kind == INSTANT_ISO    ? read_iso(f, text, n, &at)
                  : f->kind == INSTANT_FORMAT ? instant_by_format(f, text, n, &at)
                                              : false;
        if (!is || at.seconds < 0) return false;
    }
    uint64_t seconds = (uint64_t)at.seconds;
    if (seconds > (f->latest ? f->latest : f->micros ? INSTANT_9999 : SECONDS_MAX)) return false;
    *time = f->micros ? seconds * MICROS + at.micros : seconds;
    return true;
}

bool instant_read(instant_reader *r, const void *text, size_t n, uint64_t *time) {
    if (n && n == r->n && memcmp(r->last, text, n) == 0) {
        *time = r->time;
        return true;
    }
    if (!instant_parse(r->form, text, n, time)) return false;
    r->n = 0;
    if (n > sizeof r->last) return true;
    memcpy(r->last, text, n);
    r->n = n;
    r->time = *time;
    return true;
}
