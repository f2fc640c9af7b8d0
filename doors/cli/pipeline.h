/* pipeline.h - slots that one thread fills in order, several work on, and the caller drains in order. */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pipeline_steps {
    void *ctx;
    bool (*fill)(void *ctx, void *slot);                  /* false: there is nothing more, and the slot is not used */
    bool (*work)(void *ctx, unsigned worker, void *slot); /* false: nothing behind this slot is needed */
    int (*drain)(void *ctx, void *slot);                  /* anything but 0 ends the run */
    void (*wake)(void *ctx);                              /* the run ends: makes a fill() that waits return */
    int (*idle)(
        void *ctx); /* while there is nothing to drain, each idle_ms; ends the run as drain() does. May be NULL. */
    unsigned idle_ms;
} pipeline_steps;

/* Runs until fill() has ended and everything is drained, or until the first code of drain(), which it returns; all
 * threads are joined then. -1: the threads could not be started, and nothing has been done. Memory is bounded by the
 * slots. */
int pipeline_run(const pipeline_steps *steps, void *const *slot, size_t n_slots, unsigned workers);

#endif
