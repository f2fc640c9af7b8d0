/* bench_bloom_ring.c - what an item costs a rotating filter of four generations in its steady state, beside the plain
 * filter of as many items; the bits of it, and its rate.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <ballpark.h>

enum { PART = 1 << 18, CHUNK = 256, G = 4, LOOKS = 16 }; /* looks at a generation's rate, of bloom_ring.c */
static const double RATE = 0.01;

typedef struct subject {
    bpk_bloom *ring, *plain;
    uint64_t *mixed; /* to look up: every other one is in */
    uint64_t *fresh; /* to add */
    uint64_t added;
    uint8_t *out;
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_bloom_ring: %s\n", bpk_status_text(st));
    exit(1);
}

static uint64_t item_at(uint64_t i) {
    i = (i ^ (i >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94D049BB133111EB);
    return i ^ (i >> 31);
}
static uint64_t stranger_at(uint64_t i) {
    return item_at(i + (UINT64_C(1) << 40));
}

static uint64_t lookup(const bpk_bloom *b, const subject *s) {
    for (size_t i = 0; i < PART; i += CHUNK) bpk_bloom_has(b, s->mixed + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t lookup_ring(void *ctx) {
    return lookup(((subject *)ctx)->ring, ctx);
}
static uint64_t lookup_plain(void *ctx) {
    return lookup(((subject *)ctx)->plain, ctx);
}
static uint64_t insert(bpk_bloom *into, const subject *s) {
    for (size_t i = 0; i < PART; i += CHUNK)
        must(bpk_add(bpk_bloom_base(into), &(bpk_items){.n = CHUNK, .hash = s->fresh + i}, s->out + i, NULL));
    return s->out[0];
}
/* New items at every run; making them is not what a ring costs, and is in both. */
static void next_part(subject *s) {
    for (size_t i = 0; i < PART; i++) s->fresh[i] = item_at(s->added + i);
    s->added += PART;
}
static uint64_t insert_ring(void *ctx) {
    next_part(ctx);
    return insert(((subject *)ctx)->ring, ctx);
}
static uint64_t insert_plain(void *ctx) {
    next_part(ctx);
    bpk_reset(bpk_bloom_base(((subject *)ctx)->plain));
    return insert(((subject *)ctx)->plain, ctx);
}

static uint64_t rate_now(void *ctx) {
    return bpk_bloom_rate(((subject *)ctx)->ring) > 0;
}

static double rate_of(const subject *s) {
    uint64_t hits = 0, hash[CHUNK], n = 4000000;
    for (uint64_t i = 0; i < n; i += CHUNK) {
        for (size_t j = 0; j < CHUNK; j++) hash[j] = stranger_at(i + j);
        bpk_bloom_has(s->ring, hash, CHUNK, s->out);
        for (size_t j = 0; j < CHUNK; j++) hits += s->out[j];
    }
    return (double)hits / (double)n;
}

static uint64_t report(uint64_t window, const char *bench) {
    subject s = {.added = 0};
    const bpk_bloom_config cfg = {.items = window, .rate = RATE, .generations = G};
    const bpk_bloom_config plain = {.items = window, .rate = RATE, .on_full = BPK_FULL_DEGRADE};
    must(bpk_bloom_new(&s.ring, &cfg, NULL));
    must(bpk_bloom_new(&s.plain, &plain, NULL));
    s.mixed = malloc(PART * sizeof *s.mixed), s.fresh = malloc(PART * sizeof *s.fresh), s.out = malloc(PART);
    if (!s.mixed || !s.fresh || !s.out) must(BPK_E_NOMEM);
    while (s.added < 3 * window) next_part(&s), insert(s.ring, &s);
    for (uint64_t i = 0; i < window; i++) {
        uint64_t hash = item_at(s.added - window + i);
        must(bpk_add(bpk_bloom_base(s.plain), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
    }
    for (size_t i = 0; i < PART; i++)
        s.mixed[i] = i % 2 ? item_at(s.added - 1 - stranger_at(i) % window) : stranger_at(i);
    bench_case c[] = {{"lookup, batch", lookup_ring, PART, {0}},
                      {"lookup, batch, plain filter", lookup_plain, PART, {0}}};
    bench_case a[] = {{"add, batch", insert_ring, PART, {0}}, {"add, batch, plain filter", insert_plain, PART, {0}}};
    uint64_t used = bench_run(c, 2, &s);
    bench_row(bench, c[0].name, bench_median(&c[0]), "ns/item");
    bench_row(bench, c[1].name, bench_median(&c[1]), "ns/item");
    bench_bar(bench, "lookup / plain filter", bench_median(&c[0]) / bench_median(&c[1]), "ratio", 3.5);
    bench_case look = {"rate of all generations", rate_now, (double)(G + 1) * (double)window / G / LOOKS, {0}};
    used += bench_run(a, 2, &s) + bench_run(&look, 1, &s);
    bench_row(bench, a[0].name, bench_median(&a[0]), "ns/item");
    bench_row(bench, a[1].name, bench_median(&a[1]), "ns/item");
    bench_row(bench, "add, its share of 16 looks at the rate", bench_median(&look), "ns/item");
    bench_bar(bench, "bits of a window item", (double)bpk_bloom_bits(&cfg) / (double)window, "bits/item", 17.5);
    bench_bar(bench, "strangers seen", 100 * rate_of(&s), "%", 1);
    bpk_free(bpk_bloom_base(s.ring)), bpk_free(bpk_bloom_base(s.plain));
    free(s.mixed), free(s.fresh), free(s.out);
    return used;
}

int main(void) {
    uint64_t used = report(1000000, "bloom rotating, G = 4, 1M 1%");
    if (used == 0) printf("# nothing was measured\n");
    return 0;
}
