/* interrupt.c - a flag that signals set. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t noted;

static void note(int which) {
    noted = which;
}

static void watch(int which) {
    struct sigaction old, act = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&act.sa_mask);
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
