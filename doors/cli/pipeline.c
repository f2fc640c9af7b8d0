/* pipeline.c - a ring of slots under one lock. Slot number k, counted for ever, lives in slot k mod n.
 *
 *   drained <= claimed <= filled <= drained + n       `last` is the number behind the last slot that will be drained
 */
#define _POSIX_C_SOURCE 200809L
#include "pipeline.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef struct ring {
    const pipeline_steps *steps;
    void *const *slot;
    size_t n;
    bool *done; /* worked on, a flag a slot */
    size_t filled, claimed, drained, last;
    bool stop;
    unsigned next_worker;
    pthread_mutex_t lock;
    pthread_cond_t room, ready, worked; /* for the filler, for the workers, for the drainer */
} ring;

static void *filler(void *arg) {
    ring *r = arg;
    for (size_t k = 0;; k++) {
        pthread_mutex_lock(&r->lock);
        while (!r->stop && k < r->last && k - r->drained == r->n) pthread_cond_wait(&r->room, &r->lock);
        bool go = !r->stop && k < r->last;
        pthread_mutex_unlock(&r->lock);
        bool more = go && r->steps->fill(r->steps->ctx, r->slot[k % r->n]);
        pthread_mutex_lock(&r->lock);
        if (more) r->filled = k + 1;
        else if (k < r->last) r->last = k;
        pthread_cond_signal(&r->ready);
        if (!more) {
            pthread_cond_broadcast(&r->ready);
            pthread_cond_signal(&r->worked);
        }
        pthread_mutex_unlock(&r->lock);
        if (!more) return NULL;
    }
}

/* The next slot to work on; false when there will be none. Called with the lock held. */
static bool claim(ring *r, size_t *k) {
    while (!r->stop && r->claimed < r->last && r->claimed == r->filled) pthread_cond_wait(&r->ready, &r->lock);
    if (r->stop || r->claimed >= r->last) return false;
    *k = r->claimed++;
    return true;
}

static void *worker(void *arg) {
    ring *r = arg;
    size_t k;
    pthread_mutex_lock(&r->lock);
    unsigned me = r->next_worker++;
    while (claim(r, &k)) {
        pthread_mutex_unlock(&r->lock);
        bool more = r->steps->work(r->steps->ctx, me, r->slot[k % r->n]);
        pthread_mutex_lock(&r->lock);
        if (!more && k + 1 < r->last) r->last = k + 1;
        r->done[k % r->n] = true;
        if (k == r->drained || !more) pthread_cond_signal(&r->worked);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Waits for a slot to be worked on, or for as long as nobody may be idle. Called with the lock held. */
static int wait_worked(ring *r) {
    enum { MS_NS = 1000000, SECOND_NS = 1000000000 };
    struct timespec until;
    if (!r->steps->idle) {
        pthread_cond_wait(&r->worked, &r->lock);
        return 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)r->steps->idle_ms * MS_NS;
    until.tv_sec += until.tv_nsec / SECOND_NS;
    until.tv_nsec %= SECOND_NS;
    if (pthread_cond_timedwait(&r->worked, &r->lock, &until) == 0) return 0;
    pthread_mutex_unlock(&r->lock);
    int code = r->steps->idle(r->steps->ctx);
    pthread_mutex_lock(&r->lock);
    return code;
}

static int drain_all(ring *r) {
    int code = 0;
    pthread_mutex_lock(&r->lock);
    while (code == 0) {
        size_t k = r->drained;
        while (code == 0 && k < r->last && !r->done[k % r->n]) code = wait_worked(r);
        if (code || k >= r->last) break;
        pthread_mutex_unlock(&r->lock);
        code = r->steps->drain(r->steps->ctx, r->slot[k % r->n]);
        pthread_mutex_lock(&r->lock);
        r->done[k % r->n] = false;
        r->drained = k + 1;
        pthread_cond_signal(&r->room);
    }
    r->stop = true;
    pthread_cond_broadcast(&r->ready);
    pthread_cond_broadcast(&r->room);
    pthread_mutex_unlock(&r->lock);
    return code;
}

/* Starts the filler and the workers; returns how many threads there are, of which the first is the filler. Fewer
 * workers than wanted are enough, none is not. */
static size_t start(ring *r, pthread_t *thread, unsigned workers) {
    size_t n = 0;
    while (n < workers && pthread_create(&thread[1 + n], NULL, worker, r) == 0) n++;
    if (n == 0) return 0;
    if (pthread_create(&thread[0], NULL, filler, r) == 0) return 1 + n;
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->ready);
    pthread_mutex_unlock(&r->lock);
    for (size_t i = 1; i <= n; i++) pthread_join(thread[i], NULL);
    return 0;
}

static int run(ring *r, pthread_t *thread, unsigned workers) {
    size_t n = start(r, thread, workers);
    if (n == 0) return -1;
    int code = drain_all(r);
    r->steps->wake(r->steps->ctx);
    for (size_t i = 0; i < n; i++) pthread_join(thread[i], NULL);
    return code;
}

/* Waits by the clock that nobody sets. */
static void init_timed(pthread_cond_t *c) {
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

int pipeline_run(const pipeline_steps *steps, void *const *slot, size_t n_slots, unsigned workers) {
    ring r = {.steps = steps, .slot = slot, .n = n_slots, .last = SIZE_MAX};
    r.done = calloc(n_slots, sizeof *r.done);
    pthread_t *thread = calloc(workers + 1, sizeof *thread);
    int code = -1;
    if (r.done && thread) {
        pthread_mutex_init(&r.lock, NULL);
        pthread_cond_init(&r.room, NULL);
        pthread_cond_init(&r.ready, NULL);
        init_timed(&r.worked);
        code = run(&r, thread, workers);
        pthread_cond_destroy(&r.worked);
        pthread_cond_destroy(&r.ready);
        pthread_cond_destroy(&r.room);
        pthread_mutex_destroy(&r.lock);
    }
    free(thread);
    free(r.done);
    return code;
}
