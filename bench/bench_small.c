/* bench_small.c - a million small filters, one a user: bytes of each, and what it costs to make, save, load and change
 * one.
 *
 * Each kind takes its turn with FILTERS filters of ITEMS items, all of them held at once, as a service would; saved,
 * they lie one behind the other. Memory is the default allocator's. Items are 64-bit numbers, mixed. One round: a
 * million filters are their own repetition. The growing one opens its second layer when one item is added.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "core.h"

#include <ballpark.h>

enum { FILTERS = 1000000, ITEMS = 100, SPARE = 100 };

typedef struct small {
    const char *kind, *name;
    bpk_param param[3];
    size_t n;
    bool removes;
} small;

static const small kinds[] = {
    {"bloom", "bloom 1 %", {{"items", "100"}, {"rate", "1%"}}, 2, false},
    {"bloom", "bloom 1 %, classic", {{"items", "100"}, {"rate", "1%"}, {"layout", "classic"}}, 3, false},
    {"bloom", "bloom 1 %, 4 generations", {{"items", "100"}, {"rate", "1%"}, {"generations", "4"}}, 3, false},
    {"bloom", "bloom 1 %, growing", {{"items", "100"}, {"rate", "1%"}, {"on_full", "grow"}}, 3, false},
    {"cbloom", "cbloom 1 %", {{"items", "110"}, {"rate", "1%"}}, 2, true},
    {"cuckoo", "cuckoo 12 bits", {{"items", "110"}, {"fingerprint_bits", "12"}}, 2, true},
    {"cuckoo", "cuckoo 16 bits", {{"items", "110"}, {"fingerprint_bits", "16"}}, 2, true},
};

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_small: %s\n", bpk_status_text(st));
    exit(1);
}

static void *room(size_t n) {
    void *p = malloc(n);
    if (!p) must(BPK_E_NOMEM);
    return p;
}

static uint64_t item_of(size_t filter, size_t i) {
    return bpki_mix(filter * UINT64_C(1000) + i + 1);
}

typedef struct saved {
    uint8_t *bytes;
    size_t n, cap;
} saved;

static bpk_status keep(void *ctx, const void *bytes, size_t n) {
    saved *s = ctx;
    if (s->n + n > s->cap) {
        s->cap = 2 * (s->n + n);
        s->bytes = realloc(s->bytes, s->cap);
        if (!s->bytes) must(BPK_E_NOMEM);
    }
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return BPK_OK;
}

static void row(const small *k, const char *what, double figure, const char *unit) {
    char name[96];
    snprintf(name, sizeof name, "1 M filters of 100: %s, %s", k->name, what);
    bench_row("small", name, figure, unit);
}

static void make_all(const small *k, bpk_sketch **s) {
    for (size_t f = 0; f < FILTERS; f++) {
        uint64_t hash[ITEMS];
        for (size_t i = 0; i < ITEMS; i++) hash[i] = item_of(f, i);
        must(bpk_new(&s[f], k->kind, NULL, k->param, k->n, NULL, NULL));
        must(bpk_add(s[f], &(bpk_items){.n = ITEMS, .hash = hash}, NULL, NULL));
    }
}

static void load_all(const saved *file, bpk_sketch **s) {
    size_t at = 0, used;
    for (size_t f = 0; f < FILTERS; f++, at += used)
        must(bpk_decode(&s[f], file->bytes + at, file->n - at, &used, NULL, NULL));
}

/* A user comes: load, ask, add, save. */
static void visit_all(const saved *file, saved *again) {
    size_t at = 0, used;
    for (size_t f = 0; f < FILTERS; f++, at += used) {
        bpk_sketch *s;
        uint64_t hash = item_of(f, ITEMS + f % SPARE);
        uint8_t yes;
        must(bpk_decode(&s, file->bytes + at, file->n - at, &used, NULL, NULL));
        must(bpk_has(s, &hash, 1, &yes, NULL));
        must(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
        again->n = 0;
        must(bpk_encode(s, BPK_FORM_SMALL, keep, again));
        bpk_free(s);
    }
}

static double lap(double *start) {
    double now = bench_now(), took = (now - *start) / FILTERS;
    *start = now;
    return took;
}

static void measure(const small *k, bpk_sketch **s) {
    saved file = {0}, again = {0};
    double bytes = 0, start = bench_now();
    make_all(k, s);
    row(k, "make and add 100", lap(&start), "ns/filter");
    for (size_t f = 0; f < FILTERS; f++) bytes += (double)bpk_memory(s[f]);
    row(k, "memory", bytes / FILTERS, "bytes");
    start = bench_now();
    for (size_t f = 0; f < FILTERS; f++) must(bpk_encode(s[f], BPK_FORM_SMALL, keep, &file));
    row(k, "save", lap(&start), "ns/filter");
    row(k, "saved", (double)file.n / FILTERS, "bytes");
    for (size_t f = 0; f < FILTERS; f++) bpk_free(s[f]);
    start = bench_now();
    load_all(&file, s);
    row(k, "load", lap(&start), "ns/filter");
    for (size_t f = 0; f < FILTERS; f++) {
        uint64_t hash = item_of(f, ITEMS);
        must(bpk_add(s[f], &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
    }
    row(k, "add one", lap(&start), "ns/filter");
    for (size_t f = 0; k->removes && f < FILTERS; f++) {
        uint64_t hash = item_of(f, ITEMS);
        must(bpk_remove(s[f], &hash, 1, NULL, NULL));
    }
    if (k->removes) row(k, "remove one", lap(&start), "ns/filter");
    for (size_t f = 0; f < FILTERS; f++) bpk_free(s[f]);
    start = bench_now();
    visit_all(&file, &again);
    row(k, "load, ask, add, save", lap(&start), "ns/filter");
    free(file.bytes);
    free(again.bytes);
}

int main(void) {
    bpk_sketch **s = room(FILTERS * sizeof(bpk_sketch *));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) measure(&kinds[i], s);
    free(s);
    return 0;
}
