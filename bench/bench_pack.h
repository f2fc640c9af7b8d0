/* bench_pack.h - rows of what a sketch takes in form small, its body beside the raw one and zstd's. */
#ifndef BENCH_PACK_H
#define BENCH_PACK_H

#include "bench_zstd.h"

#include <ballpark/sketch.h>
#include <string.h>

typedef struct bench_pack {
    const bpk_sketch *s;
    uint8_t *bytes; /* of both forms, one after the other */
    size_t n;
} bench_pack;

static inline bpk_status bench_pack_put(void *ctx, const void *bytes, size_t n) {
    bench_pack *p = ctx;
    memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
    return BPK_OK;
}

enum { BENCH_PACKS = 20 };
static inline uint64_t bench_pack_write(void *ctx) {
    bench_pack *p = ctx;
    for (int i = 0; i < BENCH_PACKS; i++) {
        p->n = 0;
        if (bpk_encode(p->s, BPK_FORM_SMALL, bench_pack_put, p) != BPK_OK) exit(1);
    }
    return p->n;
}
static inline uint64_t bench_pack_read(void *ctx) {
    const bench_pack *p = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < BENCH_PACKS; i++) {
        bpk_sketch *back = NULL;
        if (bpk_decode(&back, p->bytes, p->n, NULL, NULL, NULL) != BPK_OK) exit(1);
        sum += bpk_memory(back);
        bpk_free(back);
    }
    return sum;
}

/* The body of form view, which is raw and ends before the checksum. */
static inline const uint8_t *bench_pack_raw(bench_pack *p, size_t raw) {
    p->n = 0;
    if (bpk_encode(p->s, BPK_FORM_VIEW, bench_pack_put, p) != BPK_OK) exit(1);
    return p->bytes + p->n - 8 - raw;
}

/* `head`: bytes of form small around the body; `raw`: bytes of the raw body. */
static inline void bench_packing(const char *bench, const char *what, const bpk_sketch *s, size_t head, size_t raw) {
    bench_case c[] = {{.name = "writing", .run = bench_pack_write, .units = BENCH_PACKS},
                      {.name = "reading", .run = bench_pack_read, .units = BENCH_PACKS}};
    bench_pack p = {s, malloc(bpk_encoded_size(s, BPK_FORM_SMALL) + bpk_encoded_size(s, BPK_FORM_VIEW)), 0};
    char name[96];
    if (!p.bytes) exit(1);
    uint64_t used = bench_run(c, 2, &p);
    snprintf(name, sizeof name, "%s, body%s", what, used == 1 ? "." : "");
    bench_row(bench, name, (double)(bpk_encoded_size(s, BPK_FORM_SMALL) - head), "bytes");
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s, %s", what, c[i].name);
        bench_row(bench, name, bench_median(&c[i]) / 1e3, "us");
    }
    const uint8_t *body = bench_pack_raw(&p, raw);
    bench_zstd(bench, what, body, raw, 3);
    bench_zstd(bench, what, body, raw, 19);
    free(p.bytes);
}

#endif
