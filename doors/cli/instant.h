/* instant.h - when a record came, as records say it. */
#ifndef CLI_INSTANT_H
#define CLI_INSTANT_H

#include "zone.h"

/* How times are written: --time FIELD:FORMAT. INSTANT_AUTO is seconds, or as access logs write it. */
typedef enum instant_kind {
    INSTANT_AUTO,
    INSTANT_SECONDS,
    INSTANT_MILLISECONDS,
    INSTANT_MICROSECONDS,
    INSTANT_NANOSECONDS,
    INSTANT_ISO,
    INSTANT_FORMAT /* as strptime reads it */
} instant_kind;

enum { INSTANT_FORMAT_MAX = 128, INSTANT_TEXT_MAX = 128 };

/* All zeros is INSTANT_AUTO, in seconds. */
typedef struct instant_form {
    instant_kind kind;
    zone zone;       /* of times that do not say theirs */
    uint64_t latest; /* what comes after this second is no time; 0: 2^53, or INSTANT_9999 with micros */
    bool micros;     /* times are counted in microseconds instead of seconds */
    /* Of INSTANT_FORMAT: as it was given, which outlives this; what strptime gets; what stands before a fraction %f, if
     * there is one; the format says a zone. */
    const char *given;
    char format[INSTANT_FORMAT_MAX], before_fraction[INSTANT_FORMAT_MAX];
    bool has_zone;
} instant_form;

/* The last second of the year 9999. */
#define INSTANT_9999 UINT64_C(253402300799)

/* Where the format begins in FIELD[:FORMAT], behind its colon, or NULL: behind the first colon that a word of a kind
 * follows up to the end, or a percent sign before the next colon. Names of fields may have colons, too. */
const char *instant_format_in(const char *text);

/* Reads a format into kind, format and their like; zone and `latest` stay. NULL, or why it cannot be. */
const char *instant_form_read(instant_form *out, const char *format);

/* What instant_parse() reads, for messages. */
const char *instant_about(const instant_form *f);

/* Whole seconds, or microseconds, since 1970 in UTC; what is finer is cut off. False for anything else, and for what is
 * before 1970 or behind `latest`. */
bool instant_parse(const instant_form *f, const void *text, size_t n, uint64_t *time);

/* A time as it was read, which may be before 1970. */
typedef struct time_point {
    int64_t seconds;
    uint32_t micros; /* from there on */
} time_point;

/* Of instant_format.c: of a text that strptime reads to its end. */
bool instant_by_format(const instant_form *f, const char *text, size_t n, time_point *out);

/* Of instant.c: the digits of a fraction in millionths, rounded down. */
uint32_t instant_millionths(const char *p, size_t n);

/* Reads times one after the other: many records come in one second. */
typedef struct instant_reader {
    const instant_form *form;
    char last[48];
    size_t n; /* of `last`; 0: none */
    uint64_t time;
} instant_reader;
bool instant_read(instant_reader *r, const void *text, size_t n, uint64_t *time);

#endif
