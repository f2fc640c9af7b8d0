/* zone.c - offsets come from the C library, which reads the database; what it leaves open is settled here: readings
 * that come twice or not at all.
 *
 * The library takes a name that it does not know for UTC, so that names are looked up before it gets them.
 */
#define _GNU_SOURCE
#include "zone.h"

#include "civil.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char zone_names[] = "UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin";

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool read_fixed(zone *out, const char *p) {
    if (strcmp(p, "UTC") == 0) return true;
    if ((*p != '+' && *p != '-') || strlen(p) != 6 || p[3] != ':') return false;
    if (!is_digit(p[1]) || !is_digit(p[2]) || !is_digit(p[4]) || !is_digit(p[5])) return false;
    int hour = (p[1] - '0') * 10 + p[2] - '0', minute = (p[4] - '0') * 10 + p[5] - '0';
    int32_t seconds = hour * 3600 + minute * 60;
    if (hour > 23 || minute > 59) return false;
    out->offset = *p == '-' ? -seconds : seconds;
    return true;
}

/* A name and no path that leaves the database; what counts leap seconds is none of the clocks people read. */
static bool is_name(const char *name) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
    return *name && *name != '/' && name[strspn(name, letters)] == 0 && strncmp(name, "right/", 6) != 0;
}

static bool in_database(const char *name) {
    char path[512], magic[4];
    const char *folder = getenv("TZDIR");
    int n = snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : "/usr/share/zoneinfo", name);
    int fd = n > 0 && (size_t)n < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return false;
    bool is = read(fd, magic, sizeof magic) == (ssize_t)sizeof magic && memcmp(magic, "TZif", sizeof magic) == 0;
    close(fd);
    return is;
}

bool zone_open(zone *out, const char *name) {
    zone z = {.named = false};
    char file[256];
    if (!read_fixed(&z, name)) {
        if (!is_name(name) || strlen(name) > sizeof file - 2 || !in_database(name)) return false;
        snprintf(file, sizeof file, ":%s", name);
        if (setenv("TZ", file, 1) != 0) return false;
        tzset();
        z.named = true;
    }
    *out = z;
    return true;
}

int64_t zone_offset(const zone *z, int64_t instant) {
    struct tm tm;
    time_t t = (time_t)instant;
    if (!z->named) return z->offset;
    return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

int64_t zone_change(const zone *z, int64_t from, int64_t to) {
    int64_t after = zone_offset(z, to);
    while (to - from > 1) {
        int64_t middle = from + (to - from) / 2;
        if (zone_offset(z, middle) == after) to = middle;
        else from = middle;
    }
    return to;
}

/* The instants that a reading would have with the offsets of the day before and of the day after. */
typedef struct candidates {
    int64_t before, after;
    bool is_before, is_after; /* clocks show the reading then */
} candidates;

static candidates candidates_of(const zone *z, int64_t reading) {
    candidates c = {.before = reading - zone_offset(z, reading - DAY_SECONDS),
                    .after = reading - zone_offset(z, reading + DAY_SECONDS)};
    c.is_before = zone_offset(z, c.before) == reading - c.before;
    c.is_after = zone_offset(z, c.after) == reading - c.after;
    return c;
}

int64_t zone_instant(const zone *z, int64_t reading) {
    if (!z->named) return reading - z->offset;
    candidates c = candidates_of(z, reading);
    if (c.is_before && c.is_after) return c.before < c.after ? c.before : c.after;
    return c.is_after ? c.after : c.before;
}

int64_t zone_first(const zone *z, int64_t reading) {
    candidates c = candidates_of(z, reading);
    if (c.is_before || c.is_after || c.before <= c.after) return zone_instant(z, reading);
    return zone_change(z, c.after, c.before);
}

struct tm zone_fields(const zone *z, int64_t instant) {
    struct tm tm;
    int64_t offset = zone_offset(z, instant);
    time_t shown = (time_t)(instant + offset);
    memset(&tm, 0, sizeof tm);
    gmtime_r(&shown, &tm);
    tm.tm_gmtoff = offset;
    return tm;
}

void zone_text(char text[ZONE_TEXT_MAX], const zone *z, int64_t instant) {
    struct tm tm = zone_fields(z, instant);
    long offset = labs(tm.tm_gmtoff);
    size_t n = strftime(text, ZONE_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
    int more = snprintf(text + n, ZONE_TEXT_MAX - n, "%c%02ld:%02ld", tm.tm_gmtoff < 0 ? '-' : '+', offset / 3600,
                        offset / 60 % 60);
    /* Local mean times of before 1972 have seconds. */
    if (offset % 60) snprintf(text + n + more, ZONE_TEXT_MAX - n - (size_t)more, ":%02ld", offset % 60);
}
