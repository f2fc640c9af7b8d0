/* live.h - answers while records still come: every so many seconds, on time although nothing is read.
 *
 * On a terminal the answer is redrawn in place; anywhere else, and with --json, each is a line of JSON. A signal ends
 * the reading, not the run: the last answer comes, and what is to be saved is.
 */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "recent.h"

typedef struct live {
    const options *o;
    int (*print)(void *ctx); /* an answer as the options say; 0 or an exit code */
    void *ctx;
    double next; /* of the clock; when the next tick is due */
    bool last;   /* no tick comes any more */
} live;

/* Where --live was not given nothing of this does anything. */
void live_begin(live *l, const options *o, int (*print)(void *ctx), void *ctx);
bool live_on(const live *l);

/* To be called often: gives an answer where one is due. 0 or its exit code. */
int live_tick(live *l);

/* The code of a run of records: 0 where a signal ended it, so that the last answer comes. */
int live_read(const live *l, int code);

/* The last answer is to be printed: takes away what is on the terminal. */
void live_end(live *l);

/* The exit code of the run, which a signal may have ended. */
int live_exit(const live *l, int code);

/* On a terminal the line above an answer: what was read, and which time it covers (NULL: all). */
void live_head(const live *l, const input_report *r, const coverage *c);

/* The member "final" of an answer. */
void live_json(const live *l, json_t *object);

#endif
