/* help.h - what the command says of itself, for --help, the manual and the completions alike. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cmd.h"

#include <stdio.h>

/* The i-th verb; NULL behind the last. */
const verb *verb_at(size_t i);

/* Whether the operands behind operand_at, or all of them, are names of files. */
bool verb_takes_files(const verb *v);

/* A code and when it is returned; NULL behind the last. */
const char *exit_code_at(size_t i, const char **meaning);

/* What they all have in common, in lines that end with a newline. */
extern const char text_examples[], text_inputs[], text_numbers[];

/* What --format log makes of a line, with the names of the fields. */
enum { LOG_TEXT_MAX = 320 };
void text_log(char text[LOG_TEXT_MAX]);

void help(FILE *to);
void help_verb(const verb *v);

#endif
