/* gather.h - many inputs become one: sketches that were named or found are united, items go into one set or sketch. */
#ifndef CLI_GATHER_H
#define CLI_GATHER_H

#include "live.h"
#include "moments.h"

/* Sketches of files that hold nothing else. */
typedef struct parts {
    found_sketch *at;
    size_t n;
    input **opened;
    size_t n_opened;
} parts;

/* Refuses sketches among the inputs of a verb that reads records: 0 or an exit code, with the message printed. */
int no_sketches(const input *in, const char *reader);

/* Adds the sketches of *file, which must outlive the parts; text is refused, with what is `wanted` instead where that
 * is not NULL. Returns 0 or an exit code, with the message printed. */
int parts_add(parts *p, const options *o, const char *const *file, const char *wanted);
void parts_free(parts *p);

/* Whether it adds up weights: such a sketch has a total, and does not know how many items are different. */
bool adds_weights(const bpk_sketch *s);

/* The union of n >= 1 sketches as a new one; when two do not fit, names both files. */
int unite(bpk_sketch **out, const found_sketch *at, size_t n, const bpk_env *env);

/* A new sketch with the parameters of the options, and those of `defaults` that the options leave open. */
int sketch_new(bpk_sketch **out, const char *kind, const bpk_domain *d, const options *o, const bpk_param *defaults,
               size_t n, const bpk_env *env);

/* The same without a word, for what has another way. */
bpk_status sketch_try(bpk_sketch **out, const char *kind, const bpk_domain *d, const options *o,
                      const bpk_param *defaults, size_t n, const bpk_env *env, bpk_err *err);

/* Items of every text input in one exact set, or in one sketch once there are more than `limit` different ones. Exactly
 * one of `exact` and `sketch` is set; which one, and what it holds, does not depend on the number of threads. */
typedef struct tally {
    bpk_exact *exact;
    bpk_sketch *sketch;
    moments when; /* started for `like` where that knows time, and zeros otherwise */
    input_report report;
    live *live; /* NULL: nobody is waiting for answers; the two above are set, and lent, while one is given */
} tally;

/* `like` is an empty sketch with the parameters to use; one whose stream may not be cut into parts takes the items
 * themselves, in input order. Returns 0 or an exit code, with the message printed. */
int tally_run(tally *t, input *in, const bpk_hasher *h, const bpk_sketch *like, uint64_t limit, const options *o);
void tally_free(tally *t);

#endif
