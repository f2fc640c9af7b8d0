/* bench_grow.c - what growth costs: a chain at 64 x its first plan beside a plain filter that was planned for as many
 * items; and small chains, one for each of many users.
 *
 * Both lie in huge pages and take the same hashes in the same batches.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <ballpark/grow.h>
#include <string.h>
#include <sys/mman.h>

enum { PART = 1 << 19, CHUNK = 256, TIMES = 64, SMALL = 100, SMALL_CHAINS = 2000 };
static const double RATE = 0.01;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_grow: %s\n", bpk_status_text(st));
    exit(1);
}

/* ---- memory in huge pages ---- */

static void *huge_alloc(void *ctx, size_t n) {
    void *p = NULL;
    (void)ctx;
    if (posix_memalign(&p, n >= 1 << 21 ? 1 << 21 : 64, n) != 0) return NULL;
    if (n >= 1 << 21) madvise(p, n, MADV_HUGEPAGE);
    return p;
}
static void huge_release(void *ctx, void *p, size_t n) {
    (void)ctx, (void)n;
    free(p);
}
static void *huge_resize(void *ctx, void *p, size_t old_n, size_t n) {
    void *q = huge_alloc(ctx, n);
    if (!q) return NULL;
    memcpy(q, p, old_n < n ? old_n : n);
    free(p);
    return q;
}
static const bpk_env huge = {huge_alloc, huge_resize, huge_release, NULL, UINT64_C(1) << 32};

/* ---- items: i < 2^40 are those that come in, the others strangers ---- */

static uint64_t item_at(uint64_t i) {
    uint64_t x = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

typedef struct subject {
    uint64_t items;
    bpk_grow_config grow;
    bpk_bloom_config bloom;
    bpk_grow *chain;
    bpk_bloom *plain;
    uint64_t stranger[PART], member[PART];
    uint8_t out[PART];
} subject;

static void fill(bpk_sketch *s, uint64_t items) {
    uint64_t hash[CHUNK];
    for (uint64_t at = 0; at < items; at += CHUNK) {
        size_t n = items - at < CHUNK ? (size_t)(items - at) : CHUNK;
        for (size_t i = 0; i < n; i++) hash[i] = item_at(at + i);
        must(bpk_add(s, &(bpk_items){.n = n, .hash = hash}, NULL, NULL));
    }
}

static void set_up(subject *s, uint64_t first) {
    s->items = first * TIMES;
    s->grow = (bpk_grow_config){.layers = BPK_KIND_BLOOM, .items = first, .rate = RATE, .on_full = BPK_FULL_GROW};
    s->bloom = (bpk_bloom_config){.items = s->items, .rate = RATE, .on_full = BPK_FULL_DEGRADE};
    must(bpk_grow_new(&s->chain, &s->grow, &huge));
    must(bpk_bloom_new(&s->plain, &s->bloom, &huge));
    fill(bpk_grow_base(s->chain), s->items);
    fill(bpk_bloom_base(s->plain), s->items);
    for (uint64_t i = 0; i < PART; i++) {
        s->stranger[i] = item_at((UINT64_C(1) << 40) + i);
        s->member[i] = item_at(item_at(i) % s->items);
    }
}

static void tear_down(subject *s) {
    bpk_free(bpk_grow_base(s->chain));
    bpk_free(bpk_bloom_base(s->plain));
}

/* ---- cases ---- */

static uint64_t plain_has(subject *s, const uint64_t *hash) {
    for (size_t i = 0; i < PART; i += CHUNK) bpk_bloom_has(s->plain, hash + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t chain_has(subject *s, const uint64_t *hash) {
    for (size_t i = 0; i < PART; i += CHUNK) bpk_grow_has(s->chain, hash + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t plain_miss(void *ctx) {
    return plain_has(ctx, ((subject *)ctx)->stranger);
}
static uint64_t chain_miss(void *ctx) {
    return chain_has(ctx, ((subject *)ctx)->stranger);
}
static uint64_t plain_hit(void *ctx) {
    return plain_has(ctx, ((subject *)ctx)->member);
}
static uint64_t chain_hit(void *ctx) {
    return chain_has(ctx, ((subject *)ctx)->member);
}
static uint64_t plain_build(void *ctx) {
    subject *s = ctx;
    bpk_reset(bpk_bloom_base(s->plain));
    fill(bpk_bloom_base(s->plain), s->items);
    return s->items;
}
static uint64_t chain_build(void *ctx) {
    subject *s = ctx;
    bpk_reset(bpk_grow_base(s->chain));
    fill(bpk_grow_base(s->chain), s->items);
    return s->items;
}

/* ---- figures that are not times ---- */

static double measured_rate(const subject *s) {
    uint64_t hash[CHUNK], hits = 0, n = 4000000;
    uint8_t out[CHUNK];
    for (uint64_t at = 0; at < n; at += CHUNK) {
        for (uint64_t i = 0; i < CHUNK; i++) hash[i] = item_at((UINT64_C(1) << 41) + at + i);
        bpk_grow_has(s->chain, hash, CHUNK, out);
        for (size_t i = 0; i < CHUNK; i++) hits += out[i];
    }
    return 100 * (double)hits / (double)n;
}

static double bits_when_full(const subject *s) {
    bpk_grow_shape all;
    must(bpk_grow_size(&all, &s->grow, s->items));
    return (double)all.bits / (double)all.capacity;
}

static uint64_t report(uint64_t first, const char *bench) {
    static subject s;
    set_up(&s, first);
    double items = (double)s.items;
    bench_case cases[] = {{"plain, miss", plain_miss, PART, {0}},    {"chain, miss", chain_miss, PART, {0}},
                          {"plain, hit", plain_hit, PART, {0}},      {"chain, hit", chain_hit, PART, {0}},
                          {"plain, build", plain_build, items, {0}}, {"chain, build", chain_build, items, {0}}};
    uint64_t used = bench_run(cases, 6, &s);
    for (size_t i = 0; i < 6; i++) bench_row(bench, cases[i].name, bench_median(&cases[i]), "ns/item");
    bench_bar(bench, "miss, chain / plain", bench_median(&cases[1]) / bench_median(&cases[0]), "ratio", 8);
    bench_row(bench, "hit, chain / plain", bench_median(&cases[3]) / bench_median(&cases[2]), "ratio");
    bench_row(bench, "build, chain / plain", bench_median(&cases[5]) / bench_median(&cases[4]), "ratio");
    bench_bar(bench, "bits when the last layer is full", bits_when_full(&s), "bits/item", 17.1);
    bench_bar(bench, "strangers seen", measured_rate(&s), "%", 1);
    tear_down(&s);
    return used;
}

/* ---- small chains ---- */

typedef struct buffer {
    uint8_t at[4096];
    size_t n;
} buffer;

static bpk_status keep(void *ctx, const void *bytes, size_t n) {
    buffer *b = ctx;
    if (n > sizeof b->at - b->n) return BPK_E_SINK;
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return BPK_OK;
}

static buffer saved;

static uint64_t load(void *ctx) {
    (void)ctx;
    for (int i = 0; i < SMALL_CHAINS; i++) {
        bpk_sketch *s = NULL;
        must(bpk_decode(&s, saved.at, saved.n, NULL, NULL, NULL));
        bpk_free(s);
    }
    return saved.n;
}
static uint64_t load_add_save(void *ctx) {
    static buffer again;
    uint64_t sum = 0;
    (void)ctx;
    for (uint64_t i = 0; i < SMALL_CHAINS; i++) {
        const uint64_t hash = item_at(i);
        bpk_sketch *s = NULL;
        must(bpk_decode(&s, saved.at, saved.n, NULL, NULL, NULL));
        must(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
        again.n = 0;
        must(bpk_encode(s, BPK_FORM_SMALL, keep, &again));
        sum += again.n;
        bpk_free(s);
    }
    return sum;
}

static uint64_t report_small(void) {
    const char *bench = "grow, 100 items 1%";
    const bpk_grow_config c = {.layers = BPK_KIND_BLOOM, .items = SMALL, .rate = RATE, .on_full = BPK_FULL_GROW};
    bpk_grow *g = NULL;
    must(bpk_grow_new(&g, &c, NULL));
    fill(bpk_grow_base(g), SMALL / 2);
    must(bpk_encode(bpk_grow_base(g), BPK_FORM_SMALL, keep, &saved));
    bench_row(bench, "bytes in memory", (double)bpk_memory(bpk_grow_base(g)), "bytes");
    bench_row(bench, "bytes in a file", (double)saved.n, "bytes");
    bpk_free(bpk_grow_base(g));
    bench_case cases[] = {{"load", load, SMALL_CHAINS, {0}}, {"load, add one, save", load_add_save, SMALL_CHAINS, {0}}};
    uint64_t used = bench_run(cases, 2, NULL);
    for (size_t i = 0; i < 2; i++) bench_row(bench, cases[i].name, bench_median(&cases[i]), "ns");
    return used;
}

int main(void) {
    uint64_t used = report(15625, "grow to 1M 1%") + report(156250, "grow to 10M 1%") + report_small();
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    return 0;
}
