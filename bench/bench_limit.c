/* bench_limit.c - what a decision of the rate limiter costs, beside a conservative count-min update of the same bytes.
 *
 * Hashes are there already. Keys are skewed, so that some pass and some do not; time goes on by a batch.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "core.h"

#include <ballpark/cms.h>
#include <ballpark/limit.h>
#include <string.h>

enum { ITEMS = 1 << 20, BATCH = 256, KEYS = 300000, BYTES = 64 << 10, QUESTIONS = 200 };

typedef struct subject {
    bpk_limit *arrival, *refunded, *windows, *large, *other;
    bpk_cms *three, *four;
    uint64_t *hash, now;
    bpk_limit_reply reply[BATCH];
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_limit: %s\n", bpk_status_text(st));
    exit(1);
}

/* 100 events a minute in milliseconds. */
static bpk_limit *new_limit(uint8_t method, uint32_t bytes) {
    bpk_limit *l = NULL;
    bpk_limit_config cfg = {.limit = 100, .period = 60000, .depth = 4, .method = method};
    cfg.width = bytes / 4 / 4 / (method == BPK_LIMIT_WINDOWS ? 2 : 1);
    must(bpk_limit_new(&l, &cfg, NULL));
    return l;
}
static bpk_cms *new_cms(uint32_t depth) {
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {.width = BYTES / 4 / depth, .depth = depth, .cell_bytes = 4, .conservative = 1};
    must(bpk_cms_new(&c, &cfg, NULL));
    return c;
}

static uint64_t add_all(subject *s, bpk_sketch *to, bool tell) {
    uint8_t changed[BATCH];
    uint64_t passed = 1;
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->hash + i, .now = s->now += 25}; /* 10,000 a second */
        must(bpk_add(to, &it, tell ? changed : NULL, NULL));
        if (tell) passed += changed[i % BATCH];
    }
    return passed;
}
static uint64_t add_cms_3(void *ctx) {
    subject *s = ctx;
    return add_all(s, bpk_cms_base(s->three), false);
}
static uint64_t add_cms_4(void *ctx) {
    subject *s = ctx;
    return add_all(s, bpk_cms_base(s->four), false);
}
static uint64_t add_arrival(void *ctx) {
    subject *s = ctx;
    return add_all(s, bpk_limit_base(s->arrival), true);
}
static uint64_t add_large(void *ctx) {
    subject *s = ctx;
    return add_all(s, bpk_limit_base(s->large), true);
}
static uint64_t add_windows(void *ctx) {
    subject *s = ctx;
    return add_all(s, bpk_limit_base(s->windows), true);
}

/* A key of the batch gets an event back, so that there always are refunds. */
static uint64_t add_refunded(void *ctx) {
    subject *s = ctx;
    uint8_t changed[BATCH];
    uint64_t passed = 1;
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->hash + i, .now = s->now += 25};
        must(bpk_add(bpk_limit_base(s->refunded), &it, changed, NULL));
        must(bpk_limit_refund(s->refunded, s->hash[i], 1, s->now, NULL, NULL));
        passed += changed[0];
    }
    return passed;
}

/* One by one, with what remains and when to come again. */
static uint64_t take_all(subject *s, bpk_limit *l) {
    uint64_t left = 1;
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->hash + i, .now = s->now += 25};
        bpk_limit_take_many(l, &it, s->reply);
        left += s->reply[0].remaining;
    }
    return left;
}
static uint64_t take_arrival(void *ctx) {
    subject *s = ctx;
    return take_all(s, s->arrival);
}
static uint64_t take_windows(void *ctx) {
    subject *s = ctx;
    return take_all(s, s->windows);
}

static uint64_t merge(void *ctx) {
    subject *s = ctx;
    for (int i = 0; i < QUESTIONS; i++) must(bpk_merge(bpk_limit_base(s->other), bpk_limit_base(s->arrival), NULL));
    return bpk_limit_now(s->other) + 1;
}
static uint64_t ask_fresh(void *ctx) {
    subject *s = ctx;
    double sum = 1;
    for (int i = 0; i < QUESTIONS; i++) sum += bpk_limit_fresh(s->arrival, s->now);
    return (uint64_t)sum;
}

static void fill(subject *s) {
    uint64_t state = 1;
    s->hash = calloc(ITEMS, sizeof *s->hash);
    if (!s->hash) must(BPK_E_NOMEM);
    for (size_t i = 0; i < ITEMS; i++) s->hash[i] = bpki_mix(bpki_next(&state) % (1 + bpki_next(&state) % KEYS) + 1);
    s->arrival = new_limit(BPK_LIMIT_ARRIVAL, BYTES);
    s->refunded = new_limit(BPK_LIMIT_ARRIVAL, BYTES);
    s->windows = new_limit(BPK_LIMIT_WINDOWS, BYTES);
    s->large = new_limit(BPK_LIMIT_ARRIVAL, 32 << 20);
    s->other = new_limit(BPK_LIMIT_ARRIVAL, BYTES);
    s->three = new_cms(3), s->four = new_cms(4);
}

int main(void) {
    enum { THREE, FOUR, ARRIVAL, LARGE, REFUNDED, TAKE, WINDOWS, TAKE_WINDOWS, MERGE, FRESH, CASES };
    static const char name[] = "limit 64 KiB";
    subject s = {.now = 1000000};
    fill(&s);
    bench_case c[CASES] = {[THREE] = {"cms, conservative, 3 rows", add_cms_3, ITEMS, {0}},
                           [FOUR] = {"cms, conservative, 4 rows", add_cms_4, ITEMS, {0}},
                           [ARRIVAL] = {"decision, batch", add_arrival, ITEMS, {0}},
                           [LARGE] = {"decision, batch, 32 MiB", add_large, ITEMS, {0}},
                           [REFUNDED] = {"decision, batch, with refunds", add_refunded, ITEMS, {0}},
                           [TAKE] = {"decision with its reply", take_arrival, ITEMS, {0}},
                           [WINDOWS] = {"windows: decision, batch", add_windows, ITEMS, {0}},
                           [TAKE_WINDOWS] = {"windows: decision with its reply", take_windows, ITEMS, {0}},
                           [MERGE] = {"merge", merge, QUESTIONS * (double)BYTES / 4, {0}},
                           [FRESH] = {"fresh", ask_fresh, QUESTIONS * (double)BYTES / 4, {0}}};
    uint64_t used = bench_run(c, CASES, &s);
    for (int i = 0; i < CASES; i++) bench_row(name, c[i].name, bench_median(&c[i]), i < MERGE ? "ns/item" : "ns/cell");
    bench_row(name, "decision / cms, 4 rows", bench_median(&c[ARRIVAL]) / bench_median(&c[FOUR]), "ratio");
    bench_bar(name, "decision / cms, 3 rows", bench_median(&c[ARRIVAL]) / bench_median(&c[THREE]), "ratio", 2);
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    bpk_free(bpk_limit_base(s.arrival)), bpk_free(bpk_limit_base(s.refunded)), bpk_free(bpk_limit_base(s.windows));
    bpk_free(bpk_limit_base(s.large)), bpk_free(bpk_limit_base(s.other));
    bpk_free(bpk_cms_base(s.three)), bpk_free(bpk_cms_base(s.four));
    free(s.hash);
    return 0;
}
