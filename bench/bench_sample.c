/* bench_sample.c - what a record costs a sample of 1,000, beside the reservoir of the textbooks (Algorithm R), which
 * draws a number for each record.
 *
 * Both are given the same records of 64 bytes, 512 at a time as the doors read them, and copy what they keep.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "core.h"

#include <ballpark/sample.h>
#include <string.h>

enum { K = 1000, RECORD = 64, BATCH = 512, ITEMS = 1 << 23, GROUPS = 16, MERGES = 100 };

typedef struct subject {
    uint64_t hash[BATCH], group[BATCH];
    const void *item[BATCH];
    size_t len[BATCH];
    double weight[BATCH];
    uint8_t bytes[BATCH][RECORD];
    uint8_t (*kept)[RECORD]; /* the textbook's */
    bpk_sample *part[2];
    uint64_t run; /* a stream each */
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_sample: %s\n", bpk_status_text(st));
    exit(1);
}

static bpk_sample *new_sample(subject *s, bool weighted, uint32_t groups) {
    bpk_sample *made = NULL;
    const bpk_sample_config cfg = {.k = K, .groups = groups, .weighted = weighted, .seed = 1, .stream = s->run++};
    must(bpk_sample_new(&made, &cfg, NULL));
    return made;
}

/* All records in calls of `batch`; something that depends on all. */
static uint64_t feed(subject *s, bpk_sample *to, const bpk_items *what, size_t batch) {
    bpk_items it = *what;
    it.n = batch;
    for (size_t at = 0; at < ITEMS; at += batch) must(bpk_add(bpk_sample_base(to), &it, NULL, NULL));
    uint64_t kept = bpk_sample_kept(to) + bpk_sample_ahead(to);
    (void)s;
    bpk_free(bpk_sample_base(to));
    return kept;
}

static bpk_items plain_of(const subject *s) {
    return (bpk_items){.hash = s->hash, .item = s->item, .len = s->len};
}
static uint64_t add_batches(void *ctx) {
    subject *s = ctx;
    const bpk_items it = plain_of(s);
    return feed(s, new_sample(s, false, 0), &it, BATCH);
}
static uint64_t add_one_by_one(void *ctx) {
    subject *s = ctx;
    const bpk_items it = plain_of(s);
    return feed(s, new_sample(s, false, 0), &it, 1);
}
static uint64_t add_weighted(void *ctx) {
    subject *s = ctx;
    bpk_items it = plain_of(s);
    it.real_weight = s->weight;
    return feed(s, new_sample(s, true, 0), &it, BATCH);
}
static uint64_t add_strata(void *ctx) {
    subject *s = ctx;
    bpk_items it = plain_of(s);
    it.group = s->group;
    return feed(s, new_sample(s, false, GROUPS), &it, BATCH);
}

/* Record i takes the place of one of the kept with chance k / i. */
static uint64_t textbook(void *ctx) {
    subject *s = ctx;
    uint64_t state = s->run++, n = 0;
    for (size_t at = 0; at < ITEMS; at += BATCH)
        for (size_t i = 0; i < BATCH; i++) {
            uint64_t place = n++ < K ? n - 1 : bpki_mulhi(bpki_next(&state), n);
            if (place < K) memcpy(s->kept[place], s->item[i], s->len[i]);
        }
    return s->kept[0][0] + n;
}

static uint64_t skip(void *ctx) {
    subject *s = ctx;
    bpk_skips k;
    uint64_t n = 0, chosen = 0;
    must(bpk_skips_new(&k, 1, s->run++, 0.01));
    for (; n < ITEMS; n += bpk_skips_next(&k) + 1) chosen++;
    return chosen;
}
static uint64_t choose_keys(void *ctx) {
    const subject *s = ctx;
    uint64_t chosen = 0;
    for (size_t at = 0; at < ITEMS; at += BATCH)
        for (size_t i = 0; i < BATCH; i++) chosen += bpk_sample_key(s->hash[i] + at, 0.01);
    return chosen;
}
static uint64_t merge(void *ctx) {
    const subject *s = ctx;
    uint64_t kept = 0;
    for (int i = 0; i < MERGES; i++) {
        const bpk_sketch *const both[] = {bpk_sample_base(s->part[0]), bpk_sample_base(s->part[1])};
        bpk_sketch *sum = NULL;
        must(bpk_merge_many(&sum, both, 2, NULL, NULL));
        kept += bpk_sample_kept(bpk_as_sample(sum));
        bpk_free(sum);
    }
    return kept;
}

static void fill(subject *s) {
    uint64_t state = 7;
    for (size_t i = 0; i < BATCH; i++) {
        s->hash[i] = bpki_next(&state);
        s->group[i] = bpki_next(&(uint64_t){s->hash[i] % GROUPS});
        s->weight[i] = 1 + (double)(s->hash[i] >> 54);
        s->item[i] = s->bytes[i];
        s->len[i] = RECORD;
        memset(s->bytes[i], (int)i, RECORD);
    }
    for (int i = 0; i < 2; i++) {
        const bpk_items it = {.n = BATCH, .hash = s->hash, .item = s->item, .len = s->len};
        s->part[i] = new_sample(s, false, 0);
        for (int j = 0; j < 100; j++) must(bpk_add(bpk_sample_base(s->part[i]), &it, NULL, NULL));
    }
}

int main(void) {
    enum { BATCHES, SINGLES, TEXTBOOK, WEIGHTED, STRATA, SKIPS, KEYS, MERGE, CASES };
    subject *s = calloc(1, sizeof *s);
    if (s) s->kept = calloc(K, RECORD);
    if (!s || !s->kept) must(BPK_E_NOMEM);
    fill(s);
    bench_case c[CASES] = {[BATCHES] = {"batches of 512", add_batches, ITEMS, {0}},
                           [SINGLES] = {"one record a call", add_one_by_one, ITEMS, {0}},
                           [TEXTBOOK] = {"Algorithm R", textbook, ITEMS, {0}},
                           [WEIGHTED] = {"weighted, batches of 512", add_weighted, ITEMS, {0}},
                           [STRATA] = {"16 strata, batches of 512", add_strata, ITEMS, {0}},
                           [SKIPS] = {"skips of 1 %", skip, ITEMS, {0}},
                           [KEYS] = {"1 % of the keys", choose_keys, ITEMS, {0}},
                           [MERGE] = {"merge of two", merge, MERGES, {0}}};
    uint64_t used = bench_run(c, CASES, s);
    for (int i = 0; i < CASES; i++)
        bench_row("sample k=1000", c[i].name, bench_median(&c[i]), i == MERGE ? "ns/merge" : "ns/item");
    bench_bar("sample k=1000", "batches / Algorithm R", bench_median(&c[BATCHES]) / bench_median(&c[TEXTBOOK]), "ratio",
              1.0 / 3);
    bench_row("sample k=1000", "one record a call / Algorithm R",
              bench_median(&c[SINGLES]) / bench_median(&c[TEXTBOOK]), "ratio");
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    for (int i = 0; i < 2; i++) bpk_free(bpk_sample_base(s->part[i]));
    free(s->kept), free(s);
    return 0;
}
