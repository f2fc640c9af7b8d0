/* every.h - distinct by pane of time, and by group in each: rows at the end, or as soon as a pane is over. */
#ifndef CLI_EVERY_H
#define CLI_EVERY_H

#include "options.h"

/* Whether the options ask for it, or have some that only make sense with it. */
bool every_asked(const options *o);

/* distinct --every. Returns an exit code. */
int every_run(const options *o);

#endif
