/* progress.h - one line on a terminal's standard error about how far the reading is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool on, shown;
    uint64_t total;       /* bytes before decompression; 0 where unknown */
    uint64_t start, next; /* nanoseconds of a clock */
} progress;

/* Shows nothing unless `wanted` and standard error is a terminal. */
void progress_begin(progress *p, bool wanted, uint64_t total);
/* To be called often; prints from the first second on, at most 5 times a second. */
void progress_update(progress *p, uint64_t bytes, uint64_t taken, uint64_t records);
/* Clears the line; before anything else is printed, and at the end. */
void progress_clear(progress *p);

#endif
