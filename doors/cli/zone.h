/* zone.h - what clocks show: UTC, a fixed offset, or a time zone of the IANA database with its summer times.
 *
 * Instants are seconds since 1970 in UTC; a reading is what a clock of the zone shows then, as if it were in UTC.
 */
#ifndef CLI_ZONE_H
#define CLI_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* All zeros is UTC. */
typedef struct zone {
    bool named;     /* in the database; otherwise the offset is fixed */
    int32_t offset; /* seconds east of Greenwich */
} zone;

/* What zone_open() takes, for messages. */
extern const char zone_names[];

/* UTC, +hh:mm or -hh:mm, or a name such as Europe/Berlin; false for anything else. The C library has one named zone a
 * process: before threads begin, and the last one holds. */
bool zone_open(zone *out, const char *name);

/* Seconds that clocks are ahead of UTC at an instant. */
int64_t zone_offset(const zone *z, int64_t instant);

/* The instant of a reading. One that comes twice is the first; one that is skipped is as if the clock had not been put
 * forward: 02:30 is an hour after 01:30. */
int64_t zone_instant(const zone *z, int64_t reading);

/* The first instant at which clocks show the reading or, where they skip it, more. */
int64_t zone_first(const zone *z, int64_t reading);

/* The first instant behind `from` with the offset of `to`, where the offsets of both differ. */
int64_t zone_change(const zone *z, int64_t from, int64_t to);

/* The reading at an instant, with its offset, as strftime takes it. Years to 9999. */
struct tm zone_fields(const zone *z, int64_t instant);

/* "2026-03-29T03:00:00+02:00", ISO 8601. */
enum { ZONE_TEXT_MAX = 40 };
void zone_text(char text[ZONE_TEXT_MAX], const zone *z, int64_t instant);

#endif
