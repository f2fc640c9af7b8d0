/* limiter.h - records at a rate limiter: when each comes, what it takes, and what is to be told at the end.
 *
 * Records say when they come (--time), or come when they are read; that is cut to the ticks in which the rate counts.
 * How many of them are a second is metadata of the sketch: its own numbers do not say it.
 */
#ifndef CLI_LIMITER_H
#define CLI_LIMITER_H

#include "options.h"

#include <jansson.h>

/* Metadata: ticks a second, 8 little-endian bytes. */
enum { META_TICKS = BPK_META_USER };

typedef struct limiter {
    const options *o;
    bpk_limit *l;             /* NULL: it is none */
    uint64_t ticks;           /* a second */
    uint64_t now;             /* of the latest record */
    uint64_t never;           /* records that cost more than can ever be allowed */
    uint64_t late, late_most; /* records that came before one in front of them; by how much at most */
    uint64_t unwatched;       /* records since `fresh` was last asked for */
    double fresh;             /* the largest probability seen that a new key is limited */
} limiter;

/* Times of records to the microsecond. */
void limiter_times(input_options *in);

/* For records that come to `s`, which outlives it; of another kind it has no part in them. `file` holds the sketch, or
 * NULL: it is new, and learns what its ticks are. Refuses ticks that are not known or not those of --rate, and files
 * whose records do not say when they came; says when the clock is behind the sketch's time, which then stands still. 0
 * or an exit code. */
int limiter_start(limiter *m, const options *o, bpk_sketch *s, const char *file);

/* Decides about each record of a batch, in order; `allowed` may be NULL. */
void limiter_take(limiter *m, const batch *b, uint8_t *allowed);

/* The same with a reply each. */
void limiter_reply(limiter *m, const batch *b, uint8_t *allowed, bpk_limit_reply *reply);

/* The same for what nobody takes: the sketch stays as it is. */
void limiter_peek(limiter *m, const batch *b, uint8_t *allowed, bpk_limit_reply *reply);

/* At the end, what was not as one would wish: keys limited for want of memory, late records, too dear ones. */
void limiter_note(limiter *m);
void limiter_json(limiter *m, json_t *object);

/* Ticks in seconds, to the microsecond. */
double limiter_seconds(const limiter *m, uint64_t ticks);

#endif
