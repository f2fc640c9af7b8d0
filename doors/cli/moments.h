/* moments.h - adding records to sketches that forget by number or time, or whose counts decay: when each comes, and how
 * much of the window is left.
 *
 * Windows of time and half-lives are in seconds. Records say when they come (--time), or come now.
 */
#ifndef CLI_MOMENTS_H
#define CLI_MOMENTS_H

#include "options.h"

#include <jansson.h>

typedef struct moments {
    const options *o;
    const bpk_bloom *ring; /* NULL: it is no filter that rotates */
    uint64_t pane;         /* of a window of panes: seconds of one; otherwise 1 */
    bool by_time, begun;
    uint64_t asked,
        least;    /* window or half-life: as asked for, and the shortest that it was; items, or seconds by_time */
    uint64_t now; /* of the sketch */
    uint64_t late, leaps; /* records older than the window; times that it went forward by two windows and more */
    uint64_t late_before; /* of a window of panes, when the run began */
} moments;

/* For items that go to `s`, which outlives it. Refuses --time where there is neither; says when the clock is
 * behind the sketch's time, which then stands still. `file` holds the sketch, or NULL: it is new. 0 or an exit code. */
int moments_start(moments *m, const options *o, const bpk_sketch *s, const char *file);

/* Adds the records of a batch from `from` on, as bpk_add does; *done counts from there. */
bpk_status moments_add(moments *m, bpk_sketch *s, const batch *b, size_t from, uint8_t *changed, size_t *done);

/* The end of the run of records of a batch that begins at `from`, which come at one time: *now becomes it. */
size_t moments_run(moments *m, const batch *b, size_t from, uint64_t *now);

/* Brings a sketch to which records come now to now, but for a filter, and counts what was late. For answers, and at the
 * end. */
void moments_catch_up(moments *m, bpk_sketch *s);

/* The clock, for what is brought to now by other means. */
uint64_t clock_seconds(void);

/* What was not as asked for: a shorter window, late records, leaps. */
void moments_note(const moments *m);
void moments_json(const moments *m, json_t *object);

#endif
