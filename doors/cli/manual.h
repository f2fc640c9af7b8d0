/* manual.h - manual pages in man(7), made of the verbs and the option table. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "cmd.h"

#include <stdio.h>

/* The page of a verb, ballpark-VERB(1), and that of the command, ballpark(1); `date` is YYYY-MM-DD. */
void manual_put_verb(FILE *to, const verb *v, const char *date);
void manual_put(FILE *to, const char *date);

#endif
