/* counts.h - how often does each item come? In a map while there are few different ones, then in a sketch. */
#ifndef CLI_COUNTS_H
#define CLI_COUNTS_H

#include "live.h"
#include "moments.h"

typedef struct counts {
    bpk_tally *exact;   /* NULL: there never was one, or it has spilled */
    bpk_sketch *sketch; /* empty as long as there is a map */
    moments when;
    input_report report;
    live *live; /* NULL: nobody is waiting for answers */
} counts;

/* Adds the items of every text input, in input order whatever the number of threads, so that it has no say. `sketch`
 * is set and empty; the map holds `limit` keys, none with 0 or where counts decay. `file`, if any, is what it is like.
 * Returns 0 or an exit code, with the message printed. */
int counts_run(counts *c, input *in, const bpk_hasher *h, uint64_t limit, const options *o, const char *file);

/* What the map holds goes into the sketch. 0 or an exit code, with the message printed. */
int counts_spill(counts *c);
void counts_free(counts *c);

#endif
