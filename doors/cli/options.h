/* options.h - one table of options for every verb: the reader, help, manual and completions are made of it. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "input.h"

typedef struct verb verb;

/* Bits of verbs, for the table. */
enum {
    V_DISTINCT = 1,
    V_TOP = 2,
    V_COUNT = 4,
    V_DEDUP = 8,
    V_HAS = 16,
    V_BUILD = 32,
    V_MERGE = 64,
    V_INFO = 128,
    V_SELFTEST = 256,
    V_PLAN = 512,
    V_COMPLETIONS = 1024, /* prints what it is made of */
    V_SET = 2048,
    V_SAMPLE = 4096,
    V_LIMIT = 8192,
    V_RECORDS = V_DISTINCT | V_TOP | V_COUNT | V_DEDUP | V_HAS | V_BUILD | V_SET | V_SAMPLE | V_LIMIT, /* read them */
    V_WEIGHTS = V_TOP | V_COUNT | V_BUILD | V_SAMPLE | V_LIMIT,             /* have a use for them */
    V_SKETCHES = V_DISTINCT | V_TOP | V_BUILD | V_MERGE | V_SET | V_SAMPLE, /* write a sketch */
    V_ALL = V_SET | V_SAMPLE | V_LIMIT | V_PLAN | (V_PLAN - 1)              /* work on data or sketches */
};

enum { PARAMS_MAX = 24, ROWS_MAX = 1 << 20 };

/* The words that an option takes, by their number in its range, from 1; 0 is not given. */
enum { FORMAT_LINES = 1, FORMAT_WS, FORMAT_LOG };
enum { AS_INT = 1, AS_BYTES };
enum { FORM_SMALL = 1, FORM_VIEW };

typedef struct options {
    const verb *verb;
    const char *const *operands;
    size_t n_operands;
    input_options in; /* its files: the operands that are inputs of records */
    bpk_env env;      /* the limit of --mem */

    bpk_param param[PARAMS_MAX]; /* of the sketch, as text */
    size_t given_by[PARAMS_MAX]; /* the row of the option table that gave it */
    size_t n_params;
    uint64_t mem, exact_limit, threads, hash_seed;
    uint64_t rows, min_count, top, groups;   /* 0: not given */
    double min_share, tolerated, fail_above; /* 0: not given */
    const char **key;                        /* of --key */
    size_t n_keys;
    bool seed_given;       /* --hash-seed */
    bool exact_given;      /* --exact-limit */
    uint64_t seed, stream; /* of draws */
    bool draws_seeded, stream_given;
    field_list key_field; /* of --key-field */
    const char *window;   /* of --window, or NULL; */
    size_t window_row;
    uint64_t window_items, window_span; /* one of them: a number of items, or seconds */
    char window_text[21];
    const char *rate; /* N/D of --rate, or NULL */
    size_t rate_row;
    uint64_t ticks; /* a second, in which that rate counts */
    char limit_text[21], period_text[21];
    const char *time_format, *tz; /* of --time FIELD:FORMAT, and of --tz; NULL: not given */
    uint64_t every, lateness;     /* seconds; every 0: not given */
    bool lateness_given;
    const char *half_life; /* of --half-life, or NULL */
    char half_life_text[21];
    double live;        /* seconds from answer to answer; 0: one at the end */
    bool on_screen;     /* they are redrawn on a terminal */
    double wait;        /* seconds for another run to end: 0 none, INFINITY until it has */
    double probability; /* of a record or a key */
    bool probability_given, by_key;
    const char *key_file, *save, *output, *state, *label;
    unsigned format, crlf, as, form; /* numbers of words; `crlf` is those of crlf_policy */
    double confidence;               /* a share */
    bool ci_given;                   /* a confidence was named */
    bool blanks, no_progress, base64, ci, json, csv, quiet, verbose, invert, only_count, repeats, append, check,
        fail_over, guaranteed, shuffle, remove, dry_run, help;
} options;

/* Reads what follows the verb. Returns 0 or EXIT_USAGE, with the message printed. Prints nothing when --help was asked
 * for: o->help is set then. */
int options_read(options *o, const verb *v, int argc, char **argv);
void options_free(options *o);

/* Prints the options that a verb takes. */
void options_help(const verb *v);

/* An option as those see it who describe it. */
typedef struct option_about {
    const char *name;
    char letter;     /* 0: none */
    const char *arg; /* NULL: it takes none; otherwise "N", or "[=N]" where it may be left out */
    unsigned verbs;
    const char *range, *help; /* range NULL: nothing to say */
    bool file, words;         /* the argument is the name of a file; a word of the range */
    bool optional, repeatable;
} option_about;

/* The i-th option in the order of the help; false behind the last. */
bool option_at(size_t i, option_about *out);

/* The next word of a range such as "lines, ws or log", from *range on, which moves behind it; returns its length, 0 at
 * the end. */
size_t option_word(const char **range, const char **word);

/* The name of the option of a verb that sets a parameter of a sketch, without dashes, and its range; NULL where none
 * does. Where several do, that of the kind (NULL: of any). */
const char *option_of_param(unsigned bit, const char *kind, const char *param, const char **range);

/* An option that was given, sets a parameter which `kind` has too, and is of another kind; NULL: there is none. */
const char *option_of_other_kind(const options *o, const char *kind);

/* The option that gave a parameter, with its argument and range; false: none did. */
typedef struct option_given {
    const char *name, *text, *range;
} option_given;
bool option_giving(option_given *out, const options *o, const char *param);

/* The first option that only says how a sketch is saved, or NULL. */
const char *option_of_saving(const options *o);

/* The value given for a parameter of a sketch, or NULL. */
const char *param_value(const options *o, const char *param);

#endif
