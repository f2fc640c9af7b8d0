/* every_rows.h - a row for each pane and group: plain, CSV or JSON; and a file for each pane, named by its time. */
#ifndef CLI_EVERY_ROWS_H
#define CLI_EVERY_ROWS_H

#include "answer.h"
#include "buckets.h"

/* All zeros before every_rows_open(). */
typedef struct every_rows {
    const options *o;
    output out;
    json_t *rows;
    int64_t end;      /* of the last pane; */
    bool any;         /* there was one */
    uint64_t skipped; /* runs of empty panes that were too long */
    void *names;      /* of files, a tree */
} every_rows;

int every_rows_open(every_rows *r, const options *o);

/* Rows of buckets in order, none before those that came already, and of the empty panes between; files for --save, of
 * sketches like `like`. */
int every_rows_put(every_rows *r, bucket *list, size_t n, const bpk_sketch *like);
int every_rows_flush(every_rows *r);

/* Ends the output; without `keep` a file stays as it was. */
int every_rows_close(every_rows *r, bool keep, const input_report *report, uint64_t late, double seconds);
void every_rows_free(every_rows *r);

/* Whether the name of --save has a time in it that tells panes apart: 0 or EXIT_USAGE, with the message printed. */
int every_name_check(const options *o);

#endif
