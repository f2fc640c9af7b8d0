/* panes.h - time cut into panes: of some seconds, of hours and days by the clock of a zone, of weeks from Monday on.
 *
 * A length says by itself how it is cut:
 *
 *   up to an hour, if it divides a day     each as long as it says, from midnight of the zone; where clocks are put
 *                                          forward or back within one, it ends there
 *   above an hour, if it divides a day     from and to the same times of the clock, so that one may be an hour longer
 *   a multiple of a day                    calendar days, counted from 1970-01-01; multiples of seven from a Monday
 *   any other                              counted from 1970-01-01 00:00 in UTC
 *
 * Every instant is in one pane, and the next one begins where it ends.
 */
#ifndef CLI_PANES_H
#define CLI_PANES_H

#include "zone.h"

typedef struct pane {
    int64_t begin, end; /* instants; the end is not in it */
} pane;

/* So many of a unit in seconds, "90s", "15m", "1h", "7d", "2w"; false for anything else, "1ks" and "1ms" too, and above
 * 2^53. */
bool span_parse(const char *text, uint64_t *seconds);

/* The longest pane: a hundred years and a bit. */
#define PANE_LONGEST (UINT64_C(5300) * 604800)

/* The pane of an instant. `length` is 1 to PANE_LONGEST seconds. */
pane pane_of(uint64_t length, const zone *z, int64_t instant);

#endif
