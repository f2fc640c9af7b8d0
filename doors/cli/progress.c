/* progress.c - bytes, share, speed and records so far, rewritten in place. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

void progress_begin(progress *p, bool wanted, uint64_t total) {
    *p = (progress){.on = wanted && isatty(STDERR_FILENO), .total = total};
    if (!p->on) return;
    p->start = now();
    p->next = p->start + second;
}

void progress_update(progress *p, uint64_t bytes, uint64_t taken, uint64_t records) {
    if (!p->on) return;
    uint64_t t = now();
    if (t < p->next) return;
    p->next = t + second / 5;
    p->shown = true;
    double seconds = (double)(t - p->start) / 1e9;
    fprintf(stderr, "\r\033[K%.2f GB", (double)bytes / 1e9);
    if (p->total) fprintf(stderr, ", %.0f %%", taken < p->total ? 100.0 * (double)taken / (double)p->total : 100.0);
    fprintf(stderr, ", %.2f GB/s, %" PRIu64 " records", (double)bytes / 1e9 / seconds, records);
    fflush(stderr);
}

void progress_clear(progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
