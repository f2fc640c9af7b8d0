/* lock.h - one run at a time for a file that is read, changed and replaced. */
#ifndef CLI_LOCK_H
#define CLI_LOCK_H

#include <stdbool.h>

/* Waits for the lock of `path` and keeps it until the process ends; says so when it has to wait and is not quiet. The
 * lock is the file `.NAME.lock` beside it, which stays: the file itself changes its inode when it is replaced. 0 or an
 * exit code. */
int lock_file(const char *path, bool quiet);

#endif
