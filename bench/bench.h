/* bench.h - what benches share: a clock, interleaved rounds, medians, rows of a table. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_ROUNDS = 7, BENCH_CASES = 16 };

static inline double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A thing to measure. `run` does the work once and returns something that depends on it. */
typedef struct bench_case {
    const char *name;
    uint64_t (*run)(void *ctx);
    double units; /* items, registers: what one run is divided by */
    double ns[BENCH_ROUNDS];
} bench_case;

static inline int bench_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs all cases in turn, round by round, so that a slow moment of the machine meets each of them; then sorts the
 * times. The result is to be used by the caller, for the compiler's sake. */
static inline uint64_t bench_run(bench_case *c, size_t n, void *ctx) {
    uint64_t used = 0;
    for (size_t i = 0; i < n; i++) used += c[i].run(ctx);
    for (size_t round = 0; round < BENCH_ROUNDS; round++)
        for (size_t i = 0; i < n; i++) {
            double start = bench_now();
            used += c[i].run(ctx);
            c[i].ns[round] = (bench_now() - start) / c[i].units;
        }
    for (size_t i = 0; i < n; i++) qsort(c[i].ns, BENCH_ROUNDS, sizeof c[i].ns[0], bench_order);
    return used;
}
static inline double bench_median(const bench_case *c) {
    return c->ns[BENCH_ROUNDS / 2];
}

static inline void bench_row(const char *bench, const char *name, double figure, const char *unit) {
    printf("%s\t%s\t%.4g\t%s\t\t\n", bench, name, figure, unit);
}
/* A figure that is to be at most `bar`. */
static inline void bench_bar(const char *bench, const char *name, double figure, const char *unit, double bar) {
    printf("%s\t%s\t%.4g\t%s\t%.4g\t%s\n", bench, name, figure, unit, bar, figure <= bar ? "yes" : "NO");
}

#endif
