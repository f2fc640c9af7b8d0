/* bench_zstd.h - what zstd makes of raw bytes, beside our own packing; without libzstd-dev no rows. */
#ifndef BENCH_ZSTD_H
#define BENCH_ZSTD_H

#include "bench.h"

#if __has_include(<zstd.h>)
#include <zstd.h>

/* Rows of size and times at a level. Contexts are reused, which is the fastest way that zstd has. */
static inline void bench_zstd(const char *bench, const char *what, const void *raw, size_t n, int level) {
    enum { ROUNDS = 15 };
    double pack[ROUNDS], unpack[ROUNDS];
    size_t cap = ZSTD_compressBound(n), size = 0;
    ZSTD_CCtx *cctx = ZSTD_createCCtx();
    ZSTD_DCtx *dctx = ZSTD_createDCtx();
    void *packed = malloc(cap), *back = malloc(n);
    if (!cctx || !dctx || !packed || !back) exit(1);
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();
        size = ZSTD_compressCCtx(cctx, packed, cap, raw, n, level);
        pack[i] = bench_now() - start;
        start = bench_now();
        if (ZSTD_isError(size) || ZSTD_decompressDCtx(dctx, back, n, packed, size) != n) exit(1);
        unpack[i] = bench_now() - start;
    }
    qsort(pack, ROUNDS, sizeof *pack, bench_order);
    qsort(unpack, ROUNDS, sizeof *unpack, bench_order);
    char name[96];
    snprintf(name, sizeof name, "%s, zstd -%d", what, level);
    bench_row(bench, name, (double)size, "bytes");
    snprintf(name, sizeof name, "%s, zstd -%d, writing", what, level);
    bench_row(bench, name, pack[ROUNDS / 2] / 1e3, "us");
    snprintf(name, sizeof name, "%s, zstd -%d, reading", what, level);
    bench_row(bench, name, unpack[ROUNDS / 2] / 1e3, "us");
    ZSTD_freeCCtx(cctx), ZSTD_freeDCtx(dctx);
    free(packed), free(back);
}
#else
static inline void bench_zstd(const char *bench, const char *what, const void *raw, size_t n, int level) {
    (void)raw, (void)n;
    printf("# %s: %s: libzstd-dev is not installed, zstd -%d is skipped\n", bench, what, level);
}
#endif

#endif
