/* instant_format.c - --time FIELD:FORMAT: which formats there are, and times that strptime reads.
 *
 * strptime takes what it does not know for nothing and ignores the names of zones; a format is looked through first, so
 * that no part of a time is lost in silence.
 */
#define _GNU_SOURCE
#include "instant.h"

#include "civil.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *about;
    instant_kind kind;
} words[] = {
    {"auto", "seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more", INSTANT_AUTO},
    {"s", "seconds since 1970", INSTANT_SECONDS},
    {"ms", "milliseconds since 1970", INSTANT_MILLISECONDS},
    {"us", "microseconds since 1970", INSTANT_MICROSECONDS},
    {"ns", "nanoseconds since 1970", INSTANT_NANOSECONDS},
    {"iso", "ISO 8601, such as 2000-10-10T13:55:36.5-07:00", INSTANT_ISO},
};
enum { WORDS = sizeof words / sizeof *words };

const char *instant_about(const instant_form *f) {
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].kind == f->kind) return words[i].about;
    return f->given;
}

static bool is_word(const char *text) {
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(words[i].word, text) == 0) return true;
    return false;
}

const char *instant_format_in(const char *text) {
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':'))
        if (is_word(colon + 1) || colon[1 + strcspn(colon + 1, ":%")] == '%') return colon + 1;
    return NULL;
}

/* ---- formats of strptime ---- */

/* What a format may have: parts of one moment. Not weeks, since strptime makes no date of them; not %s, which is the
 * word s; not %Z, since names of zones mean several. */
static const char conversions[] = "YyCmdejBbhHkIlMSpTDFRcxXrAanthz%";

static char *fraction_in(char *format) {
    for (char *at = strchr(format, '%'); at; at = strchr(at + 2, '%'))
        if (at[1] == 'f') return at;
    return NULL;
}

/* A fraction %f is no conversion of strptime: it is cut out of format and text. NULL, or why it cannot be. */
static const char *cut_out_fraction(instant_form *f) {
    char *at = fraction_in(f->format);
    if (!at) return NULL;
    if (at == f->format || fraction_in(at + 2)) return "%f is one fraction, behind the seconds";
    memcpy(f->before_fraction, f->format, (size_t)(at - f->format));
    memmove(at, at + 2, strlen(at + 2) + 1);
    return NULL;
}

static const char *look_through(instant_form *f) {
    bool year = false;
    for (const char *at = strchr(f->format, '%'); at; at = strchr(at + 2, '%')) {
        if (!at[1]) return "a percent sign stands at the end";
        if (at[1] == 'Z') return "%Z: names of zones mean several; %z reads offsets, and --tz names a zone";
        if (at[1] == 's') return "%s: seconds since 1970 are the format s";
        if (at[1] != 'f' && !strchr(conversions, at[1])) return "it has a conversion that is not read here";
        year |= strchr("YyFDcx", at[1]) != NULL;
        f->has_zone |= at[1] == 'z';
    }
    return year ? NULL : "it has no year";
}

const char *instant_form_read(instant_form *out, const char *format) {
    instant_form f = {.kind = INSTANT_FORMAT, .given = format, .zone = out->zone, .latest = out->latest};
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(words[i].word, format) == 0) f.kind = words[i].kind;
    if (f.kind == INSTANT_FORMAT) {
        if (strlen(format) >= sizeof f.format) return "it is longer than 127 bytes";
        snprintf(f.format, sizeof f.format, "%s", format);
        const char *why = look_through(&f);
        if (!why) why = cut_out_fraction(&f);
        if (why) return why;
    }
    *out = f;
    return NULL;
}

/* The fraction's digits go, wherever they stand. */
static bool cut_fraction(const instant_form *f, char *text, uint32_t *micros) {
    struct tm tm = {.tm_mday = 1};
    char *at = strptime(text, f->before_fraction, &tm);
    size_t n = at ? strspn(at, "0123456789") : 0;
    if (n == 0) return false;
    *micros = instant_millionths(at, n);
    memmove(at, at + n, strlen(at + n) + 1);
    return true;
}

bool instant_by_format(const instant_form *f, const char *text, size_t n, time_point *out) {
    char copy[INSTANT_TEXT_MAX];
    if (n == 0 || n >= sizeof copy || memchr(text, 0, n)) return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    if (f->before_fraction[0] && !cut_fraction(f, copy, &out->micros)) return false;
    struct tm tm = {.tm_mday = 1};
    const char *end = strptime(copy, f->format, &tm);
    if (!end || *end) return false;
    const civil c = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec};
    int64_t reading;
    if (!civil_seconds(&reading, &c)) return false;
    out->seconds = f->has_zone ? reading - tm.tm_gmtoff : zone_instant(&f->zone, reading);
    return true;
}
