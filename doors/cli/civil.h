/* civil.h - from a date and a time of day to seconds since 1970, by the Gregorian calendar. */
#ifndef CLI_CIVIL_H
#define CLI_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

enum { DAY_SECONDS = 86400 };

typedef struct civil {
    int64_t year, month, day; /* from 1 */
    int64_t hour, minute, second;
} civil;

/* Seconds since 1970 of what a clock and a calendar in UTC show; a second of 60 is a leap second, which is the next one
 * here. False where the calendar has no such day or the day no such time. Years are 1 to 9999. */
bool civil_seconds(int64_t *out, const civil *c);

/* The largest multiple of n at or below v, n > 0; also below 0. */
static inline int64_t floor_to(int64_t v, int64_t n) {
    int64_t rest = v % n;
    return v - (rest < 0 ? rest + n : rest);
}

#endif
