/* lock.c - an advisory lock on a file beside the one that is replaced. */
#define _GNU_SOURCE
#include "lock.h"

#include "exits.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ".NAME.lock" in the directory of the path. */
static bool name_lock(char lock[PATH_MAX], const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int n = snprintf(lock, PATH_MAX, "%.*s.%s.lock", (int)(name - path), path, name);
    return n > 0 && n < PATH_MAX;
}

/* A signal ends the wait. */
static int wait_for(int fd, const char *path, bool quiet) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK) return say(EXIT_USAGE, path, "cannot be locked: %s", strerror(errno));
    if (!quiet) say(0, path, "waiting for another run that uses it");
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR) return say(EXIT_USAGE, path, "cannot be locked: %s", strerror(errno));
        if (interrupted()) return interrupt_code(0);
    }
    return 0;
}

int lock_file(const char *path, bool quiet) {
    char lock[PATH_MAX];
    if (!name_lock(lock, path)) return say(EXIT_USAGE, path, "%s", strerror(ENAMETOOLONG));
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return say(EXIT_USAGE, lock, "%s", strerror(errno));
    return wait_for(fd, path, quiet); /* the descriptor, and with it the lock, lives as long as the process */
}
