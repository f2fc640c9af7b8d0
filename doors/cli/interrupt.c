/* interrupt.c - a flag that signals set.
 *
 * The same stop often arrives twice at once: a shell or a supervisor signals the process and then its group. So only a
 * signal that comes a second after the first is somebody's impatience, and kills.
 */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static_assert(ATOMIC_INT_LOCK_FREE == 2, "a handler may write what is free of locks");

static atomic_int noted;      /* read by every thread; without a lock, so that a handler may write it */
static struct timespec first; /* written once, by the handler that sets `noted` */

/* clock_gettime(), signal() and raise() are async-signal-safe. */
static void note(int which) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!noted) {
        first = now;
        noted = which;
    } else if (now.tv_sec > first.tv_sec + 1 || (now.tv_sec == first.tv_sec + 1 && now.tv_nsec >= first.tv_nsec)) {
        signal(which, SIG_DFL);
        raise(which);
    }
}

static void watch(int which) {
    struct sigaction old, act = {.sa_handler = note};
    sigemptyset(&act.sa_mask);
    sigaddset(&act.sa_mask, SIGINT);
    sigaddset(&act.sa_mask, SIGTERM);
    sigaddset(&act.sa_mask, SIGHUP);
    if (sigaction(which, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(which, &act, NULL);
}

void interrupt_watch(void) {
    watch(SIGINT);
    watch(SIGTERM);
    watch(SIGHUP);
}

bool interrupted(void) {
    return noted != 0;
}

int interrupt_code(int code) {
    return noted ? 128 + noted : code;
}

void interrupt_die(void) {
    if (!noted) return;
    signal(noted, SIG_DFL);
    raise(noted);
}
