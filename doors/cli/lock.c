/* lock.c - an advisory lock on a file beside the one that is replaced; who has it removes what killed runs left there.
 */
#define _GNU_SOURCE
#include "lock.h"

#include "answer.h"
#include "exits.h"
#include "interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A path as the directory, up to and with the last slash, and the name. */
static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ".NAME.lock" in the directory of the path. */
static bool name_lock(char lock[PATH_MAX], const char *path) {
    const char *name = name_in(path);
    int n = snprintf(lock, PATH_MAX, "%.*s.%s.lock", (int)(name - path), path, name);
    return n > 0 && n < PATH_MAX;
}

/* ---- what killed runs left ---- */

/* Whether `rest` is PROCESS.N, as the library names what it writes, of a process that is no more. */
static bool is_left(const char *rest) {
    static const char digits[] = "0123456789";
    size_t n = strspn(rest, digits), more = rest[n] == '.' ? strspn(rest + n + 1, digits) : 0;
    if (!n || n > 18 || !more || rest[n + 1 + more]) return false;
    long long process = strtoll(rest, NULL, 10);
    return process > 0 && process <= INT_MAX && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Those that write under the lock are over; those that write without it are looked for. */
static void remove_left(const char *path) {
    char folder[PATH_MAX], temp[NAME_MAX + 16];
    const char *name = name_in(path);
    size_t n = (size_t)snprintf(temp, sizeof temp, ".%s.tmp.", name);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    DIR *all = n < sizeof temp ? opendir(folder[0] ? folder : ".") : NULL;
    if (!all) return;
    for (const struct dirent *e; (e = readdir(all));)
        if (strncmp(e->d_name, temp, n) == 0 && is_left(e->d_name + n)) (void)unlinkat(dirfd(all), e->d_name, 0);
    closedir(all);
}

/* ---- the lock ---- */

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
    char lock[PATH_MAX], followed[PATH_MAX];
    const char *file = realpath(path, followed) ? followed : path; /* what is replaced; several links have one lock */
    if (!name_lock(lock, file)) return say(EXIT_USAGE, path, "%s", strerror(ENAMETOOLONG));
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return say(EXIT_USAGE, lock, "%s", strerror(errno));
    int code = wait_for(fd, o, path); /* the descriptor, and with it the lock, lives as long as the process */
    if (!code) remove_left(file);
    return code;
}

int check_state(const options *o) {
    if (o->state && strcmp(o->state, "-") == 0)
        return say(EXIT_USAGE, NULL, "--state needs a file: it is read and replaced");
    if (o->wait > 0 && !o->state) return say(EXIT_USAGE, NULL, "--wait needs --state");
    if (o->tolerated > 0 && !o->state) return say(EXIT_USAGE, NULL, "--tolerate needs --state");
    return 0;
}
