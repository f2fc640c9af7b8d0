/* domain.h - which hash items get: from the options, or from the sketches that are among the inputs. */
#ifndef CLI_DOMAIN_H
#define CLI_DOMAIN_H

#include "options.h"

/* Makes the hasher. `found` (NULL: none) is a sketch that rules it, from `file`; an option that contradicts it is
 * refused, naming field, mine and other. Returns 0 or an exit code, with the message printed. */
int hasher_make(bpk_hasher *out, const options *o, const bpk_sketch *found, const char *file);

/* The same for items that are compared in this process only: unless the options name a seed or a key, a seed that
 * nobody knows, so that records which are taken for each other cannot be made. */
int hasher_private(bpk_hasher *out, const options *o);

/* Seed and stream of --seed and --stream; without --seed both from the system, 128 bits that nobody knows, so that
 * samples of different runs merge. 0 or an exit code, with the message printed. */
int draw_source(const options *o, uint64_t *seed, uint64_t *stream);

#endif
