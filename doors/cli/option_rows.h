/* option_rows.h - the rows of the option table, for the reader. */
#ifndef CLI_OPTION_ROWS_H
#define CLI_OPTION_ROWS_H

#include "options.h"

typedef struct row row;
typedef bool (*setter)(options *o, const row *r, const char *value); /* false: out of range */
struct row {
    const char *name;
    char letter; /* 0: none */
    const char *arg;
    unsigned verbs;
    setter set;
    size_t where;      /* of the member that a general setter writes */
    const char *param; /* of bpk_new */
    const char *range, *help;
};

enum { OPTION_ROWS_MAX = 160 };
extern const row option_rows[];
extern const size_t option_rows_n;

/* The row of a letter: the one that the verb takes, else the first. */
const row *option_of_letter(int letter, unsigned bit);

/* Whether its argument may be left out. */
bool option_optional(const row *r);

/* Settles the parameters that --window stands for. */
void option_window(options *o);

/* Likewise those of a --rate N/D. */
void option_rate(options *o);

/* Reads a confidence in percent, with or without the sign. */
bool option_percent(const char *text, double *share);

#endif
