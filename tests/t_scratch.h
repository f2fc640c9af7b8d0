/* t_scratch.h - a new directory under TMPDIR, or /tmp where that is not set, and its end. POSIX. */
#ifndef T_SCRATCH_H
#define T_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { T_SCRATCH = 256 }; /* bytes that its path takes at most */

/* 0, or -1 when it cannot be made. */
static inline int t_scratch_make(char path[T_SCRATCH]) {
    const char *parent = getenv("TMPDIR");
    int n = snprintf(path, T_SCRATCH, "%s/ballpark.XXXXXX", parent && *parent ? parent : "/tmp");
    return n > 0 && n < T_SCRATCH && mkdtemp(path) ? 0 : -1;
}

/* Removes it with all that is in it. */
static inline int t_scratch_remove(const char *path) {
    char command[T_SCRATCH + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    return system(command);
}

#endif
