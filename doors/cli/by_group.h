/* by_group.h - how many different items in each group? Of all groups, or of the largest in a table of bounded size. */
#ifndef CLI_BY_GROUP_H
#define CLI_BY_GROUP_H

#include "options.h"

/* What distinct does with --group. Returns an exit code, with what there is to say printed. */
int distinct_by_group(const options *o);

#endif
