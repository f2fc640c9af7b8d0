/* lock.c - an advisory lock on a file beside the one that is replaced. */
#define _GNU_SOURCE
#include "lock.h"

#include "answer.h"
#include "exits.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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

static const int PAUSE_MS = 20; /* between looks; a wait with an end has no system call of its own */

/* 0: it is ours, EWOULDBLOCK: another run has it. */
static int try_lock(int fd) {
    while (flock(fd, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* A signal ends the wait. */
static int wait_for(int fd, const options *o, const char *path) {
    int why = try_lock(fd);
    double until = now_seconds() + o->wait;
    if (why == EWOULDBLOCK && o->wait == 0)
        return say(EXIT_USAGE, path, "another run uses it; --wait waits until it ends");
    if (why == EWOULDBLOCK && !o->quiet) say(0, path, "waiting for another run that uses it");
    for (; why == EWOULDBLOCK; why = try_lock(fd)) {
        if (interrupted()) return interrupt_code(0);
        if (now_seconds() >= until) return say(EXIT_USAGE, path, "another run still uses it after %.6g s", o->wait);
        poll(NULL, 0, PAUSE_MS);
    }
    return why ? say(EXIT_USAGE, path, "cannot be locked: %s", strerror(why)) : 0;
}

int lock_file(const options *o, const char *path) {
    char lock[PATH_MAX];
    if (!name_lock(lock, path)) return say(EXIT_USAGE, path, "%s", strerror(ENAMETOOLONG));
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return say(EXIT_USAGE, lock, "%s", strerror(errno));
    return wait_for(fd, o, path); /* the descriptor, and with it the lock, lives as long as the process */
}
