/* bench_window.c - what a window of 60 panes costs beside one sketch: an item, a question over all panes, memory.
 *
 * Items come in batches whose time moves on, so that panes open and close as in use; 61 of them hold something when
 * questions are asked. With few items a pane most of its time is that of a young sketch: what a plain one costs that is
 * started anew as often stands beside it.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <ballpark.h>
#include <math.h>

enum { PANES = 60, PART = 1 << 18, CHUNK = 256, FEW = 1 << 14, ASKED = 100, KEYS = 200000 };

typedef struct subject {
    bpk_sketch *window, *plain, *pane; /* pane: like those of the window */
    bpk_window *w;
    uint64_t *hash;
    const void **item;
    size_t *len;
    uint32_t *key;
    uint64_t tick, sent; /* items a tick, which is a pane */
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_window: %s\n", bpk_status_text(st));
    exit(1);
}

static uint64_t mix(uint64_t i) {
    i = (i ^ (i >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94D049BB133111EB);
    return i ^ (i >> 31);
}

/* Rank r with a chance of about 1 / r: the ranks' logarithms are even. */
static uint32_t rank_at(uint64_t i) {
    return (uint32_t)exp((double)(mix(i) >> 11) * 0x1p-53 * log(KEYS));
}

static bpk_items batch_at(const subject *s, size_t i, uint64_t now) {
    return (bpk_items){.n = CHUNK, .hash = s->hash + i, .item = s->item + i, .len = s->len + i, .now = now};
}

static uint64_t add_window(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK, s->sent += CHUNK) {
        bpk_items it = batch_at(s, i, s->sent / s->tick);
        must(bpk_add(s->window, &it, NULL, NULL));
    }
    return s->sent;
}
static uint64_t add_plain(void *ctx) {
    const subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) {
        bpk_items it = batch_at(s, i, 0);
        must(bpk_add(s->plain, &it, NULL, NULL));
    }
    return 1;
}
static uint64_t add_anew(void *ctx) {
    const subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) {
        bpk_items it = batch_at(s, i, 0);
        if (i % s->tick == 0) bpk_reset(s->plain);
        must(bpk_add(s->plain, &it, NULL, NULL));
    }
    return 1;
}

static bool see(void *ctx, const bpk_row *r) {
    *(uint64_t *)ctx += (uint64_t)r->count.estimate;
    return true;
}
/* The rows, or counts of some items, or the whole: what the kind is for. */
static uint64_t ask_window(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 1;
    bpk_estimate e[ASKED];
    if (bpk_rows(s->window, 10, see, &sum, NULL) == BPK_OK) return sum;
    if (bpk_count(s->window, s->hash, ASKED, 0, e, NULL) != BPK_OK) must(bpk_count(s->window, NULL, 0, 0, e, NULL));
    return (uint64_t)e[0].estimate;
}
/* 60 times one pane into a sketch of two, which is what a question is to cost at most. */
static uint64_t merge_sixty(void *ctx) {
    const subject *s = ctx;
    uint64_t n = 0;
    for (int i = 0; i < PANES; i++) {
        bpk_sketch *sum = NULL;
        must(bpk_copy(&sum, s->pane, NULL));
        must(bpk_merge(sum, s->plain, NULL));
        n += bpk_memory(sum);
        bpk_free(sum);
    }
    return n;
}

static void make_items(subject *s) {
    bpk_hasher h;
    must(bpk_hasher_init(&h, NULL, NULL, NULL));
    s->hash = malloc(PART * sizeof *s->hash), s->item = malloc(PART * sizeof *s->item);
    s->len = malloc(PART * sizeof *s->len), s->key = malloc(PART * sizeof *s->key);
    if (!s->hash || !s->item || !s->len || !s->key) must(BPK_E_NOMEM);
    for (size_t i = 0; i < PART; i++) {
        s->key[i] = rank_at(i);
        s->item[i] = &s->key[i];
        s->len[i] = sizeof s->key[i];
        s->hash[i] = bpk_hash(&h, s->item[i], s->len[i]);
    }
}

static void start(subject *s, const char *kind, const bpk_param *p, uint64_t tick) {
    *s = (subject){.tick = tick};
    make_items(s);
    must(bpk_new(&s->plain, kind, NULL, p, 1, NULL, NULL));
    must(bpk_window_new(&s->w, s->plain, PANES, PANES, NULL));
    s->window = bpk_window_base(s->w);
}
static void stop(subject *s) {
    bpk_free(s->window), bpk_free(s->plain), bpk_free(s->pane);
    free(s->hash), free(s->item), free(s->len), free(s->key);
}

/* The bar is for what the window adds; of topk, which it was asked for, for all of it. */
static uint64_t report_adds(subject *s, const char *bench, bool barred) {
    bench_case a[] = {{"add, batch", add_window, PART, {0}},
                      {"add, batch, plain sketch", add_plain, PART, {0}},
                      {"add, batch, plain sketch anew for each pane", add_anew, PART, {0}}};
    uint64_t used = bench_run(a, 3, s);
    for (size_t i = 0; i < 3; i++) bench_row(bench, a[i].name, bench_median(&a[i]), "ns/item");
    double plain = bench_median(&a[0]) / bench_median(&a[1]), anew = bench_median(&a[0]) / bench_median(&a[2]);
    if (barred) bench_bar(bench, "add / plain sketch", plain, "ratio", 1.3);
    else bench_row(bench, "add / plain sketch", plain, "ratio");
    bench_bar(bench, "add / plain sketch anew for each pane", anew, "ratio", 1.3);
    return used;
}

static uint64_t report_questions(subject *s, const char *bench, bool barred) {
    while (s->sent < (PANES + 5) * s->tick) (void)add_window(s);
    uint64_t now = (s->sent - 1) / s->tick;
    must(bpk_window_merged(s->w, now - 1, now - 1, &s->pane, NULL, NULL, NULL));
    bench_case q[] = {{"question", ask_window, 1e6, {0}}, {"60 merges of two", merge_sixty, 1e6, {0}}};
    uint64_t used = bench_run(q, 2, s);
    bench_row(bench, q[0].name, bench_median(&q[0]), "ms");
    bench_row(bench, q[1].name, bench_median(&q[1]), "ms");
    double ratio = bench_median(&q[0]) / bench_median(&q[1]);
    if (barred) bench_bar(bench, "question / 60 merges", ratio, "ratio", 1);
    else bench_row(bench, "question / 60 merges", ratio, "ratio");
    bench_row(bench, "memory, all panes", (double)bpk_memory(s->window) / 1024, "KiB");
    bench_row(bench, "memory, a pane", (double)bpk_memory(s->pane) / 1024, "KiB");
    return used;
}

static uint64_t report(const char *bench, const char *few, const char *kind, const bpk_param *p) {
    subject s;
    bool barred = kind[0] == 't';
    start(&s, kind, p, PART);
    bench_row(bench, "memory, empty", (double)bpk_memory(s.window) / 1024, "KiB");
    uint64_t used = report_adds(&s, bench, barred) + report_questions(&s, bench, barred);
    stop(&s);
    start(&s, kind, p, FEW);
    used += report_adds(&s, few, false);
    stop(&s);
    return used;
}

int main(void) {
    const bpk_param k = {"k", "100"}, precision = {"precision", "14"}, epsilon = {"epsilon", "0.001"};
    uint64_t used = report("window, 60 x topk k = 100", "window, 60 x topk, 16 K items a pane", "topk", &k);
    used += report("window, 60 x hll p = 14", "window, 60 x hll, 16 K items a pane", "hll", &precision);
    used += report("window, 60 x cms", "window, 60 x cms, 16 K items a pane", "cms", &epsilon);
    if (used == 0) printf("# nothing was measured\n");
    return 0;
}
