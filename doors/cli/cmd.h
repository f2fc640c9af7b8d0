/* cmd.h - what a verb is, and what verbs say alike. Each cmd_*.c exports one row; help.c lists them. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "exits.h"
#include "options.h"

struct verb {
    const char *name;
    unsigned bit;         /* for the column `verbs` of the option table */
    const char *operands; /* "[FILE]...": names of files, but for a first one that is a word of operand_at */
    const char *about;    /* one line */
    const char *examples; /* lines that end with a newline */
    const char *notes;    /* behind the options, or NULL */
    size_t operands_min;  /* how many must be there; no more may be unless `operands` has "..." */
    /* The i-th word that the first operand may be, and what it stands for (may be NULL); NULL behind the last. */
    const char *(*operand_at)(size_t i, const char **about);
    size_t inputs_from; /* the operands from here on are inputs of records */
    bool reads_records; /* from standard input when no file is given */
    int (*run)(const options *o);
};

extern const verb verb_distinct, verb_top, verb_count, verb_set, verb_dedup, verb_has, verb_limit, verb_sample,
    verb_build, verb_merge, verb_info, verb_plan, verb_selftest, verb_completions;

/* `code`, once all that was printed is out: it may go to a full disk. */
int flushed(int code);

/* The exit code that a status of the library stands for. */
int exit_of(bpk_status st);

/* Prints what the library says about a failure and returns its exit code. */
int say_err(const char *subject, const bpk_err *err);
int say_status(const char *subject, bpk_status st);

/* A parameter that a kind refuses: names the option it came from and the range. */
int say_param(const options *o, const char *kind, const bpk_err *err);

/* ", --on-full ... goes on" for a kind that can, when a sketch of it is full. */
const char *full_advice(const bpk_sketch *s);
/* Refuses --on-full where a kind does not take it, or this word of it: 0 or an exit code, with the message printed. */
int check_policy(const options *o, const char *kind);

/* Unless --quiet: a sketch whose health is not ok is said. */
void say_health(const options *o, const char *what, const bpk_sketch *s);

/* The exit code of a run that has finished: 3 when some of the input was bad. */
int exit_after(const input_report *r);

#endif
