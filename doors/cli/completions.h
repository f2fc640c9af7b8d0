/* completions.h - scripts that let a shell complete verbs, options, their words and the names of files. */
#ifndef CLI_COMPLETIONS_H
#define CLI_COMPLETIONS_H

#include <stddef.h>
#include <stdio.h>

/* The i-th shell that there is a script for, and what it needs to be (may be NULL); NULL behind the last. */
const char *shell_at(size_t i, const char **about);

/* Writes the script of a shell of shell_at(). */
void completions_put(FILE *to, const char *shell);

#endif
