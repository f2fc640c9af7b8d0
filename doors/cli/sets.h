/* sets.h - inputs that are kept apart: each is a set of items, sampled like all the others. */
#ifndef CLI_SETS_H
#define CLI_SETS_H

#include "options.h"

typedef struct one_set {
    const char *name; /* of its file, or "standard input" */
    input *in;
    const bpk_sketch *sketch;
    bpk_sketch *own; /* NULL: the sketch is the input's */
} one_set;

typedef struct sets {
    size_t n;
    one_set *at;
    const bpk_theta **theta; /* of each */
    bpk_sketch *like;        /* an empty one, with the domain and the parameters of all */
    input_report report;     /* of all texts */
} sets;

/* Reads every input: the sketches of a file are united, and a text is sampled as the sketches among the inputs are, or
 * as the options say. What does not fit, is of a kind that does not sample, or cannot be read whole is refused. Returns
 * 0 or an exit code, with the message printed. */
int sets_load(sets *s, const options *o);
void sets_free(sets *s);

#endif
