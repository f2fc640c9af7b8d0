/* moments.h - adding records to sketches that forget by number or time, or whose counts decay: when each comes, and how
 * much of the window is left.
 *
 * A window of time and a half-life are in seconds. Records say when they come (--time), or come now.
 */
#ifndef CLI_MOMENTS_H
#define CLI_MOMENTS_H

#include "options.h"

#include <jansson.h>

typedef struct moments {
    const options *o;
    const bpk_bloom *ring; /* NULL: it does not forget all at once */
    bool by_time, begun;
    uint64_t asked,
        least;    /* window or half-life: as asked for, and the shortest that it was; items, or seconds by_time */
    uint64_t now; /* of the sketch */
    uint64_t late, leaps; /* records older than the window; times that it went forward by two windows and more */
} moments;

/* For items that go to `s`, which outlives it. Refuses --time where there is neither; says when the clock is
 * behind the sketch's time, which then stands still. `file` holds the sketch, or NULL: it is new. 0 or an exit code. */
int moments_start(moments *m, const options *o, const bpk_sketch *s, const char *file);

/* Adds the records of a batch from `from` on, as bpk_add does; *done counts from there. */
bpk_status moments_add(moments *m, bpk_sketch *s, const batch *b, size_t from, uint8_t *changed, size_t *done);

/* Where counts decay and records come now: brings the sketch to now. */
void moments_end(const moments *m, bpk_sketch *s);

/* What was not as asked for: a shorter window, late records, leaps. */
void moments_note(const moments *m);
void moments_json(const moments *m, json_t *object);

#endif
