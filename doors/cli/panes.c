/* panes.c - the pane of an instant, from the offset of the zone there. */
#include "panes.h"

#include <ballpark.h>

#include "civil.h"

#include <string.h>

enum { HOUR_SECONDS = 3600, WEEK_DAYS = 7, FIRST_MONDAY = 4 /* days from 1970-01-01, a Thursday */ };

bool span_parse(const char *text, uint64_t *seconds) {
    static const char units[] = "smhdw";
    static const uint64_t each[] = {1, 60, HOUR_SECONDS, DAY_SECONDS, UINT64_C(7) * DAY_SECONDS};
    size_t n = strlen(text);
    const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
    char number[32];
    if (!unit || n > sizeof number) return false;
    if (!strchr("0123456789", text[n - 2])) return false; /* 100ms is not a hundred million seconds */
    memcpy(number, text, n - 1);
    number[n - 1] = 0;
    if (bpk_parse_count(number, seconds) != BPK_OK) return false;
    if (*seconds > (UINT64_C(1) << 53) / each[unit - units]) return false;
    *seconds *= each[unit - units];
    return true;
}

static pane by_seconds(int64_t length, int64_t instant) {
    int64_t begin = floor_to(instant, length);
    return (pane){begin, begin + length};
}

/* Lengths that divide a day are at the same places of each day, whatever the offset is. */
static pane by_minutes(int64_t length, const zone *z, int64_t instant) {
    int64_t offset = zone_offset(z, instant);
    int64_t begin = floor_to(instant + offset, length) - offset, end = begin + length;
    if (zone_offset(z, begin) != offset) begin = zone_change(z, begin, instant);
    if (zone_offset(z, end - 1) != offset) end = zone_change(z, instant, end - 1);
    return (pane){begin, end};
}

/* From the last boundary that has come: a clock that is put back over one does not begin the old pane anew. A day that
 * a zone leaves out has no length. */
static pane by_clock(int64_t length, int64_t origin, const zone *z, int64_t instant) {
    int64_t reading = origin + floor_to(instant + zone_offset(z, instant) - origin, length), end;
    while (zone_first(z, reading) > instant) reading -= length;
    while ((end = zone_first(z, reading + length)) <= instant) reading += length;
    return (pane){zone_first(z, reading), end};
}

pane pane_of(uint64_t length, const zone *z, int64_t instant) {
    int64_t n = (int64_t)length, days = n / DAY_SECONDS;
    bool whole = n % DAY_SECONDS == 0;
    if (whole) return by_clock(n, days % WEEK_DAYS ? 0 : FIRST_MONDAY * DAY_SECONDS, z, instant);
    if (DAY_SECONDS % n) return by_seconds(n, instant);
    return n > HOUR_SECONDS ? by_clock(n, 0, z, instant) : by_minutes(n, z, instant);
}
