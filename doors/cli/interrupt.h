/* interrupt.h - Ctrl-C and its like end a run as an error would: what was begun is undone, then the process dies of the
 * signal. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted, where they are not ignored; one that comes a second or more after
 * the first kills at once. */
void interrupt_watch(void);

/* Whether one came; asked between chunks and while waiting for input. */
bool interrupted(void);

/* 128 + its number, or `code` where none came. */
int interrupt_code(int code);

/* Dies of the signal that was noted; returns where there was none. */
void interrupt_die(void);

#endif
