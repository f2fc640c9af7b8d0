/* every.h - distinct by pane of time and by group: a row for each, at the end or as soon as its time is over. */
#ifndef CLI_EVERY_H
#define CLI_EVERY_H

#include "options.h"

/* Whether the options ask for it. */
bool every_asked(const options *o);

/* distinct --every and distinct -g. Returns an exit code. */
int every_run(const options *o);

#endif
