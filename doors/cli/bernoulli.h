/* bernoulli.h - a share of all records, printed while they are read: each with a probability, or all those of a share
 * of the keys. */
#ifndef CLI_BERNOULLI_H
#define CLI_BERNOULLI_H

#include "options.h"

/* sample -p. Returns an exit code. */
int bernoulli_run(const options *o);

#endif
