/* fit.h - what does not fit, and how the command says so: "FILE: does not fit: FIELD is A there and B here". */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "options.h"

/* A merge of these sketches was refused with `all`: finds the first that does not fit the first one and names both
 * files. Returns the exit code. */
int say_mismatch(const found_sketch *at, size_t n, const bpk_err *all);

/* Refuses parameters in the options that are not those of an existing sketch. 0 or an exit code, with the message
 * printed. */
int params_fit(const options *o, const bpk_sketch *s, const char *file);

/* The same for options that say what to count in a record, of which a sketch has none. */
int no_record_options(const options *o, const char *file);

/* The same for hash, seed, key and type. */
int domain_fits(const options *o, const bpk_domain *d, const char *file);

#endif
