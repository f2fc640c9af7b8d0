/* lock.h - one run at a time for a file that is read, changed and replaced. */
#ifndef CLI_LOCK_H
#define CLI_LOCK_H

#include "options.h"

/* Takes the lock of `path` and keeps it until the process ends. Another run that has it is waited for as long as --wait
 * says, which is said unless quiet; without it, or when the time is over, the run ends. The lock is the file
 * `.NAME.lock` beside it, which stays: the file itself changes its inode when it is replaced. Temporary files of it
 * whose process is no more are removed. 0 or an exit code, with
 * the message printed. */
int lock_file(const options *o, const char *path);

/* What --state and the options that belong to it ask of each other: 0 or EXIT_USAGE, with the message printed. */
int check_state(const options *o);

#endif
