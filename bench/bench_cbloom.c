/* bench_cbloom.c - what an item costs the counting filter, beside the classic filter of the same plan. */
#define _GNU_SOURCE
#include "bench.h"

#include <ballpark.h>
#include <string.h>

enum { PART = 1 << 17, CHUNK = 256 };

typedef struct subject {
    uint64_t planned;
    bpk_sketch *counting, *classic; /* with all planned items */
    bpk_cbloom *counters, *strict;  /* strict: refuses when it is full */
    bpk_bloom *bits;
    uint64_t *hash; /* every other one was added */
    uint8_t *out;
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_cbloom: %s\n", bpk_status_text(st));
    exit(1);
}

static uint64_t item_at(uint64_t i) {
    i = (i ^ (i >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94D049BB133111EB);
    return i ^ (i >> 31);
}

static uint64_t lookup(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) bpk_cbloom_has(s->counters, s->hash + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t lookup_classic(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) bpk_bloom_has(s->bits, s->hash + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t insert(bpk_sketch *into, subject *s) {
    for (size_t i = 0; i < PART; i += CHUNK)
        must(bpk_add(into, &(bpk_items){.n = CHUNK, .hash = s->hash + i}, s->out + i, NULL));
    return s->out[0];
}
static uint64_t insert_counting(void *ctx) {
    return insert(((subject *)ctx)->counting, ctx);
}
static uint64_t insert_classic(void *ctx) {
    return insert(((subject *)ctx)->classic, ctx);
}
static uint64_t insert_strict(void *ctx) {
    subject *s = ctx;
    bpk_reset(bpk_cbloom_base(s->strict));
    for (size_t i = 0; i < PART; i++)
        must(bpk_add(bpk_cbloom_base(s->strict), &(bpk_items){.n = 1, .hash = s->hash + i}, NULL, NULL));
    return s->hash[0];
}
/* What insert_counting has put in, so that counters do not reach their end. */
static uint64_t remove_counting(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) must(bpk_remove(s->counting, s->hash + i, CHUNK, s->out + i, NULL));
    return s->out[0];
}

static bpk_status count_bytes(void *ctx, const void *bytes, size_t n) {
    (void)bytes;
    *(uint64_t *)ctx += n;
    return BPK_OK;
}
static uint64_t save(void *ctx) {
    uint64_t bytes = 0;
    must(bpk_encode(((subject *)ctx)->counting, BPK_FORM_SMALL, count_bytes, &bytes));
    return bytes;
}

static uint64_t report(uint64_t planned, const char *bench) {
    subject s = {.planned = planned};
    const bpk_cbloom_config cfg = {.items = planned, .rate = 0.01, .on_full = BPK_FULL_DEGRADE};
    const bpk_bloom_config same = {
        .items = planned, .rate = 0.01, .layout = BPK_BLOOM_CLASSIC, .on_full = BPK_FULL_DEGRADE};
    const bpk_cbloom_config strict = {.items = planned, .rate = 0.01, .on_full = BPK_FULL_ERROR};
    must(bpk_cbloom_new(&s.counters, &cfg, NULL));
    must(bpk_cbloom_new(&s.strict, &strict, NULL));
    must(bpk_bloom_new(&s.bits, &same, NULL));
    s.counting = bpk_cbloom_base(s.counters), s.classic = bpk_bloom_base(s.bits);
    s.hash = malloc(PART * sizeof *s.hash), s.out = malloc(PART);
    if (!s.hash || !s.out) must(BPK_E_NOMEM);
    for (uint64_t i = 0; i < planned; i++) {
        uint64_t hash = item_at(i);
        must(bpk_add(s.counting, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
        must(bpk_add(s.classic, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
    }
    for (size_t i = 0; i < PART; i++) s.hash[i] = item_at(i % 2 ? i : planned + i);
    bench_case c[] = {{"lookup, batch", lookup, PART, {0}},
                      {"lookup, batch, classic bits", lookup_classic, PART, {0}},
                      {"insert, batch", insert_counting, PART, {0}},
                      {"remove, batch", remove_counting, PART, {0}},
                      {"insert, batch, classic bits", insert_classic, PART, {0}},
                      {"insert, one by one, refusing when full", insert_strict, PART, {0}},
                      {"save, form small, per planned item", save, (double)planned, {0}}};
    const size_t n = sizeof c / sizeof *c;
    uint64_t used = bench_run(c, n, &s);
    for (size_t i = 0; i < n; i++) bench_row(bench, c[i].name, bench_median(&c[i]), "ns/item");
    bench_row(bench, "lookup / classic", bench_median(&c[0]) / bench_median(&c[1]), "ratio");
    double bits = 8 / (double)planned;
    bench_bar(bench, "memory", (double)bpk_encoded_size(s.counting, BPK_FORM_VIEW) * bits, "bits/item", 38.4);
    bench_row(bench, "file, form small", (double)bpk_encoded_size(s.counting, BPK_FORM_SMALL) * bits, "bits/item");
    bpk_free(s.counting), bpk_free(s.classic), bpk_free(bpk_cbloom_base(s.strict));
    free(s.hash), free(s.out);
    return used;
}

int main(void) {
    uint64_t used = report(1000000, "cbloom 1M 1%");
    if (used == 0) printf("# nothing was measured\n");
    return 0;
}
