/* bench_cuckoo.c - what an item costs a cuckoo filter at 95 % load, beside the blocked filter of bloom in the same run;
 * and what a small filter costs.
 *
 * Both lie in huge pages. Items are 64-bit numbers taken as hashes.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "core.h"

#include <ballpark/bloom.h>
#include <ballpark/cuckoo.h>
#include <sys/mman.h>

enum { PART = 1 << 19, CHUNK = 256, SMALL = 1000, SMALL_ITEMS = 100, PROBES = 1 << 24, REFUSALS = 500 };

typedef struct subject {
    uint64_t planned;
    bpk_bloom *bloom;
    bpk_cuckoo *wide, *narrow, *growing; /* 16 and 12 bits, with all planned items; being filled and emptied */
    uint64_t *mixed;                     /* to look up: every other one was added */
    uint64_t *item;                      /* all that were added */
    uint8_t *out;
    bpk_cuckoo *full, *copies;  /* filled until nothing goes in; with eight copies of one item */
    uint64_t refused[REFUSALS]; /* by the full one */
    bpk_sketch *small[SMALL];
    uint8_t *file; /* the full table's bytes */
    size_t file_n;
    size_t used; /* bytes of `out` that hold encoded filters */
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_cuckoo: %s\n", bpk_status_text(st));
    exit(1);
}

/* ---- memory in huge pages ---- */

static void *huge_alloc(void *ctx, size_t n) {
    void *p = NULL;
    (void)ctx;
    if (posix_memalign(&p, 1 << 21, n) != 0) return NULL;
    if (n >= 1 << 21) madvise(p, n, MADV_HUGEPAGE);
    return p;
}
static void huge_release(void *ctx, void *p, size_t n) {
    (void)ctx;
    (void)n;
    free(p);
}
static void *huge_resize(void *ctx, void *p, size_t old_n, size_t n) {
    void *q = huge_alloc(ctx, n);
    if (!q) return NULL;
    memcpy(q, p, old_n < n ? old_n : n);
    huge_release(ctx, p, old_n);
    return q;
}
static const bpk_env huge = {huge_alloc, huge_resize, huge_release, NULL, UINT64_C(1) << 32};

static void *memory(size_t n) {
    void *p = huge_alloc(NULL, n);
    if (!p) must(BPK_E_NOMEM);
    return memset(p, 0, n);
}

/* ---- items: the i-th one of the stream that fills the filters, and of strangers ---- */

static uint64_t item_at(uint64_t i) {
    uint64_t state = i * UINT64_C(0x9E3779B97F4A7C15);
    return bpki_next(&state);
}
static uint64_t stranger_at(uint64_t i) {
    return item_at(i + (UINT64_C(1) << 40));
}

/* ---- cases ---- */

static uint64_t lookup_bloom(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) bpk_bloom_has(s->bloom, s->mixed + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t lookup(subject *s, const bpk_cuckoo *c, size_t chunk) {
    for (size_t i = 0; i < PART; i += chunk) bpk_cuckoo_has(c, s->mixed + i, chunk, s->out + i);
    return s->out[0];
}
static uint64_t lookup_wide(void *ctx) {
    return lookup(ctx, ((subject *)ctx)->wide, CHUNK);
}
static uint64_t lookup_narrow(void *ctx) {
    return lookup(ctx, ((subject *)ctx)->narrow, CHUNK);
}
static uint64_t lookup_single(void *ctx) {
    return lookup(ctx, ((subject *)ctx)->wide, 1);
}

/* All planned items, up to 95 % load. */
static uint64_t fill(void *ctx) {
    subject *s = ctx;
    bpk_reset(bpk_cuckoo_base(s->growing));
    must(bpk_cuckoo_add(s->growing, s->item, (size_t)s->planned, NULL, NULL));
    return bpk_cuckoo_items(s->growing);
}
/* A part is taken out of the full table and comes in again. */
static uint64_t replace(void *ctx) {
    subject *s = ctx;
    must(bpk_remove(bpk_cuckoo_base(s->growing), s->item, PART, s->out, NULL));
    must(bpk_cuckoo_add(s->growing, s->item, PART, NULL, NULL));
    return s->out[0];
}

/* ---- adds that are refused: in a table that was filled beyond its plan, and for the ninth copy ---- */

static uint64_t refuse(void *ctx) {
    subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < REFUSALS; i++) sum += bpk_cuckoo_add(s->full, &s->refused[i], 1, NULL, NULL) != BPK_OK;
    return sum;
}
static uint64_t refuse_copy(void *ctx) {
    subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < REFUSALS; i++) sum += bpk_cuckoo_add(s->copies, s->item, 1, NULL, NULL) != BPK_OK;
    return sum;
}

/* ---- the whole table as a file ---- */

static bpk_status append_file(void *ctx, const void *bytes, size_t n) {
    subject *s = ctx;
    memcpy(s->file + s->file_n, bytes, n);
    s->file_n += n;
    return BPK_OK;
}
static uint64_t write_file(subject *s, bpk_form form) {
    s->file_n = 0;
    must(bpk_encode(bpk_cuckoo_base(s->wide), form, append_file, s));
    return s->file_n;
}
static uint64_t write_small(void *ctx) {
    return write_file(ctx, BPK_FORM_SMALL);
}
static uint64_t write_view(void *ctx) {
    return write_file(ctx, BPK_FORM_VIEW);
}
static uint64_t read_file(void *ctx) {
    const subject *s = ctx;
    bpk_sketch *back = NULL;
    must(bpk_decode(&back, s->file, s->file_n, NULL, &huge, NULL));
    uint64_t bytes = bpk_memory(back);
    bpk_free(back);
    return bytes;
}

/* ---- small filters, as one a user ---- */

static bpk_status append(void *ctx, const void *bytes, size_t n) {
    subject *s = ctx;
    memcpy(s->out + s->used, bytes, n);
    s->used += n;
    return BPK_OK;
}
static uint64_t small_make(void *ctx) {
    subject *s = ctx;
    const bpk_cuckoo_config cfg = {.items = SMALL_ITEMS, .fingerprint_bits = BPK_CUCKOO_BITS};
    for (size_t i = 0; i < SMALL; i++) {
        bpk_cuckoo *c = NULL;
        bpk_free(s->small[i]);
        must(bpk_cuckoo_new(&c, &cfg, NULL));
        must(bpk_cuckoo_add(c, s->item + i * SMALL_ITEMS, SMALL_ITEMS, NULL, NULL));
        s->small[i] = bpk_cuckoo_base(c);
    }
    return bpk_memory(s->small[0]);
}
static uint64_t small_encode(void *ctx) {
    subject *s = ctx;
    s->used = 0;
    for (size_t i = 0; i < SMALL; i++) must(bpk_encode(s->small[i], BPK_FORM_SMALL, append, s));
    return s->used;
}
static uint64_t small_decode(void *ctx) {
    const subject *s = ctx;
    const uint8_t *at = s->out;
    uint64_t sum = 0;
    for (size_t i = 0, used = 0; i < SMALL; i++, at += used) {
        bpk_sketch *back = NULL;
        must(bpk_decode(&back, at, (size_t)(s->out + s->used - at), &used, NULL, NULL));
        sum += bpk_memory(back);
        bpk_free(back);
    }
    return sum;
}

/* ---- rounds ---- */

static bpk_cuckoo *table(const subject *s, uint8_t bits) {
    bpk_cuckoo *c = NULL;
    must(bpk_cuckoo_new(&c, &(bpk_cuckoo_config){.items = s->planned, .fingerprint_bits = bits}, &huge));
    return c;
}

static void set_up_refusals(subject *s) {
    s->full = table(s, BPK_CUCKOO_BITS);
    must(bpk_cuckoo_add(s->full, s->item, (size_t)s->planned, NULL, NULL));
    for (uint64_t i = 0, n = 0; n < REFUSALS; i++) {
        uint64_t hash = stranger_at(i);
        if (bpk_cuckoo_add(s->full, &hash, 1, NULL, NULL) == BPK_E_FULL) s->refused[n++] = hash;
    }
    must(bpk_cuckoo_new(&s->copies, &(bpk_cuckoo_config){.items = SMALL_ITEMS, .fingerprint_bits = 16}, NULL));
    while (bpk_cuckoo_add(s->copies, s->item, 1, NULL, NULL) == BPK_OK) continue;
}

static void set_up(subject *s, uint64_t planned) {
    memset(s, 0, sizeof *s);
    s->planned = planned;
    s->mixed = memory(PART * sizeof *s->mixed);
    s->item = memory((size_t)planned * sizeof *s->item);
    s->out = memory(PART);
    for (uint64_t i = 0; i < planned; i++) s->item[i] = item_at(i);
    for (size_t i = 0; i < PART; i++) s->mixed[i] = i % 2 ? s->item[stranger_at(i) % planned] : stranger_at(i);
    const bpk_items all = {.n = (size_t)planned, .hash = s->item};
    must(bpk_bloom_new(&s->bloom, &(bpk_bloom_config){.items = planned, .rate = 0.01}, &huge));
    must(bpk_add(bpk_bloom_base(s->bloom), &all, NULL, NULL));
    s->wide = table(s, BPK_CUCKOO_BITS);
    s->narrow = table(s, BPK_CUCKOO_BITS_FEW);
    s->growing = table(s, BPK_CUCKOO_BITS);
    must(bpk_cuckoo_add(s->wide, s->item, all.n, NULL, NULL));
    must(bpk_cuckoo_add(s->narrow, s->item, all.n, NULL, NULL));
    set_up_refusals(s);
    s->file = memory(bpk_encoded_size(bpk_cuckoo_base(s->wide), BPK_FORM_VIEW));
}

static void tear_down(subject *s) {
    bpk_free(bpk_bloom_base(s->bloom));
    bpk_free(bpk_cuckoo_base(s->wide));
    bpk_free(bpk_cuckoo_base(s->narrow));
    bpk_free(bpk_cuckoo_base(s->growing));
    bpk_free(bpk_cuckoo_base(s->full));
    bpk_free(bpk_cuckoo_base(s->copies));
    for (size_t i = 0; i < SMALL; i++) bpk_free(s->small[i]);
    free(s->mixed);
    free(s->item);
    free(s->out);
    free(s->file);
}

/* Strangers that are found. */
static double false_rate(const subject *s, const bpk_cuckoo *c) {
    uint64_t hash[CHUNK], hits = 0;
    for (uint64_t i = 0; i < PROBES; i += CHUNK) {
        for (uint64_t j = 0; j < CHUNK; j++) hash[j] = stranger_at(PART + i + j);
        bpk_cuckoo_has(c, hash, CHUNK, s->out);
        for (size_t j = 0; j < CHUNK; j++) hits += s->out[j];
    }
    return (double)hits / PROBES;
}

static double bits_an_item(const subject *s, uint8_t bits) {
    bpk_cuckoo_shape shape;
    must(bpk_cuckoo_size(&shape, &(bpk_cuckoo_config){.items = s->planned, .fingerprint_bits = bits}));
    return (double)shape.bits / (double)s->planned;
}

enum { BLOOM, WIDE, NARROW, SINGLE, FILL, REPLACE, MAKE, ENCODE, DECODE, CASES };

static uint64_t report_refusals(subject *s, const char *bench) {
    bench_case c[] = {{"refused add, full table", refuse, REFUSALS, {0}},
                      {"ninth copy, refused", refuse_copy, REFUSALS, {0}}};
    uint64_t used = bench_run(c, 2, s);
    for (size_t i = 0; i < 2; i++) bench_row(bench, c[i].name, bench_median(&c[i]), "ns/add");
    return used;
}

static uint64_t report_files(subject *s, const char *bench) {
    bench_case small[] = {{"file, form small, write", write_small, 1e6, {0}}, {"the same, read", read_file, 1e6, {0}}};
    bench_case view[] = {{"file, form view, write", write_view, 1e6, {0}}, {"the same, read", read_file, 1e6, {0}}};
    uint64_t used = bench_run(small, 2, s) + bench_run(view, 2, s);
    for (size_t i = 0; i < 2; i++) bench_row(bench, small[i].name, bench_median(&small[i]), "ms");
    for (size_t i = 0; i < 2; i++) bench_row(bench, view[i].name, bench_median(&view[i]), "ms");
    return used;
}

static uint64_t report(uint64_t planned, const char *bench) {
    static subject s;
    set_up(&s, planned);
    bench_case c[CASES] = {
        [BLOOM] = {.name = "blocked bloom at 1 %, lookup, batch", .run = lookup_bloom, .units = PART},
        [WIDE] = {.name = "16 bits, lookup, batch", .run = lookup_wide, .units = PART},
        [NARROW] = {.name = "12 bits, lookup, batch", .run = lookup_narrow, .units = PART},
        [SINGLE] = {.name = "16 bits, lookup, one by one", .run = lookup_single, .units = PART},
        [FILL] = {.name = "16 bits, insert, empty to its plan", .run = fill, .units = (double)planned},
        [REPLACE] = {.name = "16 bits, remove and insert again, full", .run = replace, .units = PART},
        [MAKE] = {.name = "filter of 100 items, new and add", .run = small_make, .units = SMALL},
        [ENCODE] = {.name = "filter of 100 items, encode small", .run = small_encode, .units = SMALL},
        [DECODE] = {.name = "filter of 100 items, decode small", .run = small_decode, .units = SMALL},
    };
    uint64_t used = bench_run(c, CASES, &s);
    for (size_t i = 0; i < CASES; i++)
        bench_row(bench, c[i].name, bench_median(&c[i]), i < MAKE ? "ns/item" : "ns/filter");
    double ratio = bench_median(&c[WIDE]) / bench_median(&c[BLOOM]);
    if (planned >= 10000000) bench_bar(bench, "lookup / blocked bloom", ratio, "ratio", 2.5);
    else bench_row(bench, "lookup / blocked bloom", ratio, "ratio");
    bench_bar(bench, "rate of false answers, 16 bits", 100 * false_rate(&s, s.wide), "%", 0.0125);
    bench_row(bench, "rate of false answers, 12 bits", 100 * false_rate(&s, s.narrow), "%");
    bench_bar(bench, "bits, 16 bits", bits_an_item(&s, BPK_CUCKOO_BITS), "bits/item", 17);
    bench_row(bench, "bits, 12 bits", bits_an_item(&s, BPK_CUCKOO_BITS_FEW), "bits/item");
    bench_row(bench, "file of the full table",
              8 * (double)bpk_encoded_size(bpk_cuckoo_base(s.wide), BPK_FORM_SMALL) / (double)planned, "bits/item");
    bench_row(bench, "filter of 100 items, memory", (double)bpk_memory(s.small[0]), "bytes");
    bench_row(bench, "filter of 100 items, file", (double)s.used / SMALL, "bytes");
    used += report_refusals(&s, bench) + report_files(&s, bench);
    tear_down(&s);
    return used;
}

int main(void) {
    uint64_t used = report(1000000, "cuckoo 1M") + report(10000000, "cuckoo 10M");
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    return 0;
}
