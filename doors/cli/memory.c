/* memory.c - malloc below a threshold; above it large pages, which the system may silently refuse. */
#define _GNU_SOURCE
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20, LARGE_BLOCK = 4 << 20 };

static void *take(void *ctx, size_t n) {
    (void)ctx;
    if (n < LARGE_BLOCK) return malloc(n);
    void *p = NULL;
    if (n > SIZE_MAX - LARGE_PAGE || posix_memalign(&p, LARGE_PAGE, n)) return NULL;
    madvise(p, n, MADV_HUGEPAGE);
    return p;
}

static void give_back(void *ctx, void *p, size_t n) {
    (void)ctx;
    (void)n;
    free(p);
}

static void *take_more(void *ctx, void *p, size_t old_n, size_t n) {
    if (n < LARGE_BLOCK) return realloc(p, n);
    void *to = take(ctx, n);
    if (!to) return NULL;
    memcpy(to, p, old_n < n ? old_n : n);
    free(p);
    return to;
}

bpk_env memory_env(uint64_t max_bytes) {
    return (bpk_env){take, take_more, give_back, NULL, max_bytes};
}
