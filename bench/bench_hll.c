/* bench_hll.c - what an item, a merge and a question cost an hll sketch, beside the bare hash and the plain loop. */
#define _POSIX_C_SOURCE 200809L
#define XXH_INLINE_ALL
#include "bench.h"
#include "kern.h"

#include <ballpark/hll.h>
#include <string.h>
#include <xxhash.h>

enum {
    PRECISION = 14,
    REGISTERS = 1 << PRECISION,
    KEY = 16,
    ITEMS = 1 << 20, /* of one run */
    MERGES = 200,
    COUNTS = 50
};

typedef struct subject {
    bpk_hasher hasher;
    bpk_hll *dense, *other, *young; /* young: dense, but so few items that nearly every add changes it */
    uint8_t (*key)[KEY];
    const void **item;
    size_t *len;
    uint64_t *hash;
    uint8_t *a, *b;   /* registers for the plain loop */
    uint8_t *encoded; /* form small of `dense` */
    size_t encoded_n;
    uint64_t fresh; /* state of the generator of new items */
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_hll: %s\n", bpk_status_text(st));
    exit(1);
}
static void *memory(size_t n) {
    void *p = calloc(n, 1);
    if (!p) must(BPK_E_NOMEM);
    return p;
}

static bpk_hll *new_hll(unsigned window_bits) {
    bpk_hll *h = NULL;
    const bpk_hll_config config = {.precision = PRECISION, .window_bits = (uint8_t)window_bits};
    must(bpk_hll_new(&h, &config, NULL));
    return h;
}

/* Adds n distinct hashes: the outputs of a generator are as good as hashes. */
static void fill(bpk_hll *h, uint64_t seed, uint64_t n) {
    uint64_t hash[1024];
    while (n > 0) {
        bpk_items it = {.hash = hash};
        while (it.n < BPKI_COUNT(hash) && n > 0) {
            hash[it.n++] = bpki_next(&seed);
            n--;
        }
        must(bpk_add(bpk_hll_base(h), &it, NULL, NULL));
    }
}

/* ---- adding ---- */

static uint64_t bare_hash(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < ITEMS; i++) sum += XXH3_64bits_withSeed(s->item[i], s->len[i], 0);
    return sum;
}
static uint64_t add_batch(void *ctx) {
    subject *s = ctx;
    enum { BATCH = 4096 };
    for (size_t at = 0; at < ITEMS; at += BATCH) {
        bpk_hash_many(&s->hasher, s->item + at, s->len + at, s->hash, BATCH);
        const bpk_items it = {.n = BATCH, .hash = s->hash};
        must(bpk_add(bpk_hll_base(s->dense), &it, NULL, NULL));
    }
    return s->hash[0];
}
static uint64_t add_single(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < ITEMS; i++) {
        uint64_t hash = bpk_hash(&s->hasher, s->item[i], s->len[i]);
        const bpk_items it = {.n = 1, .hash = &hash};
        must(bpk_add(bpk_hll_base(s->dense), &it, NULL, NULL));
    }
    return s->hash[0];
}

/* ---- merging ---- */

/* The loop as it would be written down, register by register, without vectors. */
#if defined(__clang__)
#define PLAIN __attribute__((noinline))
#define PLAIN_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define PLAIN __attribute__((noinline, optimize("no-tree-vectorize")))
#define PLAIN_LOOP
#endif
PLAIN static void union_plain(uint8_t *a, const uint8_t *b, size_t n, unsigned d) {
    PLAIN_LOOP
    for (size_t i = 0; i < n; i++) a[i] = bpki_register_union(a[i], b[i], d);
}
static uint64_t merge_plain_ull(void *ctx) {
    subject *s = ctx;
    for (int i = 0; i < MERGES; i++) union_plain(s->a, s->b, REGISTERS, 2);
    return s->a[0];
}
static uint64_t merge_plain_hll(void *ctx) {
    subject *s = ctx;
    for (int i = 0; i < MERGES; i++) union_plain(s->a, s->b, REGISTERS, 0);
    return s->a[0];
}
static uint64_t merge_sketches(void *ctx) {
    subject *s = ctx;
    for (int i = 0; i < MERGES; i++) must(bpk_merge(bpk_hll_base(s->dense), bpk_hll_base(s->other), NULL));
    return bpk_memory(bpk_hll_base(s->dense));
}

/* ---- questions and bytes ---- */

static uint64_t count_fresh(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < COUNTS; i++) sum += (uint64_t)bpk_hll_count(s->dense, 0).estimate;
    return sum;
}
static uint64_t count_after_add(void *ctx) {
    subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < COUNTS; i++) {
        fill(s->young, bpki_next(&s->fresh), 1);
        sum += (uint64_t)bpk_hll_count(s->young, 0).estimate;
    }
    return sum;
}
static bpk_status count_bytes(void *ctx, const void *bytes, size_t n) {
    *(uint64_t *)ctx += n + *(const uint8_t *)bytes;
    return BPK_OK;
}
static uint64_t encode(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < COUNTS; i++) must(bpk_encode(bpk_hll_base(s->dense), BPK_FORM_SMALL, count_bytes, &sum));
    return sum;
}
static uint64_t decode(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < COUNTS; i++) {
        bpk_sketch *back = NULL;
        must(bpk_decode(&back, s->encoded, s->encoded_n, NULL, NULL, NULL));
        sum += bpk_memory(back);
        bpk_free(back);
    }
    return sum;
}

/* ---- the table ---- */

static void bench_window_bits(unsigned d, subject *s) {
    s->dense = new_hll(d);
    s->other = new_hll(d);
    s->young = new_hll(d);
    fill(s->young, 4, REGISTERS / 3);
    fill(s->dense, 1, (uint64_t)1000 * REGISTERS);
    fill(s->other, 2, (uint64_t)1000 * REGISTERS);
    bench_case c[] = {{.name = "bare XXH3", .run = bare_hash, .units = ITEMS},
                      {.name = "add batch", .run = add_batch, .units = ITEMS},
                      {.name = "add single", .run = add_single, .units = ITEMS},
                      {.name = "merge plain", .run = d ? merge_plain_ull : merge_plain_hll, .units = MERGES},
                      {.name = "merge", .run = merge_sketches, .units = MERGES},
                      {.name = "count fresh", .run = count_fresh, .units = COUNTS},
                      {.name = "count after add", .run = count_after_add, .units = COUNTS},
                      {.name = "encode", .run = encode, .units = COUNTS},
                      {.name = "decode", .run = decode, .units = COUNTS}};
    uint64_t used = bench_run(c, BPKI_COUNT(c), s);
    char name[64];
    for (size_t i = 0; i < BPKI_COUNT(c); i++) {
        snprintf(name, sizeof name, "d=%u %s%s", d, c[i].name, used == 1 ? "." : "");
        bench_row("hll", name, bench_median(&c[i]), i < 3 ? "ns/item" : "ns");
    }
    snprintf(name, sizeof name, "d=%u add batch / bare XXH3", d);
    bench_bar("hll", name, bench_median(&c[1]) / bench_median(&c[0]), "ratio", 2.2);
    snprintf(name, sizeof name, "d=%u merge / merge plain", d);
    bench_bar("hll", name, bench_median(&c[4]) / bench_median(&c[3]), "ratio", 0.1);
    bpk_free(bpk_hll_base(s->dense));
    bpk_free(bpk_hll_base(s->other));
    bpk_free(bpk_hll_base(s->young));
}

static void serialized_sizes(void) {
    static const struct {
        uint64_t items;
        double bar; /* 0: none */
    } row[] = {{0, 0}, {10, 100}, {100, 0}, {1000, 2600}, {10000, 0}, {1000000, 0}};
    for (size_t i = 0; i < BPKI_COUNT(row); i++) {
        bpk_hll *h = new_hll(BPK_HLL_WINDOW_BITS);
        char name[64];
        fill(h, 3, row[i].items);
        double size = (double)bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL);
        snprintf(name, sizeof name, "serialized, %llu items", (unsigned long long)row[i].items);
        if (row[i].bar > 0) bench_bar("hll", name, size, "bytes", row[i].bar);
        else bench_row("hll", name, size, "bytes");
        snprintf(name, sizeof name, "memory, %llu items", (unsigned long long)row[i].items);
        bench_row("hll", name, (double)bpk_memory(bpk_hll_base(h)), "bytes");
        bpk_free(bpk_hll_base(h));
    }
}

typedef struct buffer {
    uint8_t *p;
    size_t n;
} buffer;
static bpk_status append(void *ctx, const void *bytes, size_t n) {
    buffer *b = ctx;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return BPK_OK;
}

static void prepare(subject *s) {
    uint64_t seed = 5;
    must(bpk_hasher_init(&s->hasher, NULL, NULL, NULL));
    s->key = memory(ITEMS * sizeof *s->key);
    s->item = memory(ITEMS * sizeof *s->item);
    s->len = memory(ITEMS * sizeof *s->len);
    s->hash = memory(4096 * sizeof *s->hash);
    s->a = memory(REGISTERS);
    s->b = memory(REGISTERS);
    for (size_t i = 0; i < ITEMS; i++) {
        bpki_store64(s->key[i], bpki_next(&seed));
        bpki_store64(s->key[i] + 8, bpki_next(&seed));
        s->item[i] = s->key[i];
        s->len[i] = KEY;
    }
    /* Registers as they are at 1,000 items a register: ranks around ten. */
    for (size_t i = 0; i < REGISTERS; i++) {
        s->a[i] = (uint8_t)(36 + bpki_next(&seed) % 16);
        s->b[i] = (uint8_t)(36 + bpki_next(&seed) % 16);
    }
    bpk_hll *h = new_hll(BPK_HLL_WINDOW_BITS);
    fill(h, 1, (uint64_t)1000 * REGISTERS);
    buffer to = {.p = memory(bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL))};
    must(bpk_encode(bpk_hll_base(h), BPK_FORM_SMALL, append, &to));
    s->encoded = to.p;
    s->encoded_n = to.n;
    bpk_free(bpk_hll_base(h));
}

int main(void) {
    subject s = {0};
    prepare(&s);
    bench_window_bits(2, &s);
    bench_window_bits(0, &s);
    serialized_sizes();
    return 0;
}
