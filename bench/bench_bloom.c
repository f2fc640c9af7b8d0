/* bench_bloom.c - what an item costs a blocked filter, beside the bare read of as many random lines and beside
 * libbloom.
 *
 * Filters and the array for the bare read lie in huge pages. Items are 64-bit numbers: "hashes" rows take them as
 * hashes, "keys" rows hash them as 8-byte keys first, which is what libbloom does with them.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "kern.h"

#include <ballpark/bloom.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<bloom.h>)
#include <bloom.h>
#define HAS_LIBBLOOM 1
#else
#define HAS_LIBBLOOM 0
#endif

enum { PART = 1 << 19, CHUNK = 256 }; /* items of one run, and of one batch */
static const double RATE = 0.01;

typedef struct subject {
    uint64_t planned, added; /* items of the plan; and those that `growing` has */
    uint64_t blocks;
    bpk_bloom *full, *growing; /* with all planned items; being filled */
    bpk_hasher hasher;
    uint64_t *mixed; /* to look up: every other one was added */
    uint64_t *fresh; /* to add */
    uint8_t *lines;  /* as large as the filter */
    uint8_t *out;
#if HAS_LIBBLOOM
    struct bloom their_full, their_growing;
    uint64_t their_added;
#endif
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_bloom: %s\n", bpk_status_text(st));
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

/* ---- items: the i-th item of the stream that fills the filters, and of strangers ---- */

static uint64_t item_at(uint64_t i) {
    uint64_t state = i * UINT64_C(0x9E3779B97F4A7C15);
    return bpki_next(&state);
}
static uint64_t stranger_at(uint64_t i) {
    return item_at(i + (UINT64_C(1) << 40));
}

/* ---- our cases ---- */

static void hash_keys(const subject *s, const uint64_t *key, uint64_t *hash) {
    const void *item[CHUNK];
    size_t len[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        item[i] = key + i;
        len[i] = sizeof key[i];
    }
    bpk_hash_many(&s->hasher, item, len, hash, CHUNK);
}

static uint64_t lookup_hashes(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i += CHUNK) bpk_bloom_has(s->full, s->mixed + i, CHUNK, s->out + i);
    return s->out[0];
}
static uint64_t lookup_keys(void *ctx) {
    subject *s = ctx;
    uint64_t hash[CHUNK];
    for (size_t i = 0; i < PART; i += CHUNK) {
        hash_keys(s, s->mixed + i, hash);
        bpk_bloom_has(s->full, hash, CHUNK, s->out + i);
    }
    return s->out[0];
}
static uint64_t lookup_single(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i++) bpk_bloom_has(s->full, s->mixed + i, 1, s->out + i);
    return s->out[0];
}

/* Fresh items for a filter that is emptied when its plan is reached. */
static void next_part(subject *s) {
    if (s->added + PART > s->planned) {
        bpk_reset(bpk_bloom_base(s->growing));
        s->added = 0;
    }
    for (size_t i = 0; i < PART; i++) s->fresh[i] = item_at(s->added + i);
    s->added += PART;
}
static uint64_t insert(subject *s, size_t chunk, bool keys) {
    uint64_t hash[CHUNK];
    for (size_t i = 0; i < PART; i += chunk) {
        bpk_items it = {.n = chunk, .hash = keys ? hash : s->fresh + i};
        if (keys) hash_keys(s, s->fresh + i, hash);
        must(bpk_add(bpk_bloom_base(s->growing), &it, s->out + i, NULL));
    }
    return s->out[0];
}
static uint64_t insert_hashes(void *ctx) {
    return insert(ctx, CHUNK, false);
}
static uint64_t insert_keys(void *ctx) {
    return insert(ctx, CHUNK, true);
}
static uint64_t insert_single(void *ctx) {
    return insert(ctx, 1, false);
}

/* ---- what it is compared with ---- */

/* One read of a random line an item, with the same prefetch: no filter that touches memory can be faster. */
static uint64_t read_lines(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < PART; i++) {
        size_t ahead = i + BPKI_AHEAD < PART ? i + BPKI_AHEAD : i;
        __builtin_prefetch(s->lines + bpki_mulhi(s->mixed[ahead], s->blocks) * BPKI_LINE);
        sum += bpki_load64(s->lines + bpki_mulhi(s->mixed[i], s->blocks) * BPKI_LINE);
    }
    return sum;
}

#if HAS_LIBBLOOM
static void their_new(struct bloom *b, uint64_t planned) {
    if (bloom_init(b, (int)planned, RATE) == 0) return;
    fprintf(stderr, "bench_bloom: libbloom refuses\n");
    exit(1);
}
static uint64_t their_lookup(void *ctx) {
    subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < PART; i++) sum += (uint64_t)bloom_check(&s->their_full, s->mixed + i, 8);
    return sum;
}
static uint64_t their_insert(void *ctx) {
    subject *s = ctx;
    uint64_t sum = 0;
    for (size_t i = 0; i < PART; i++) sum += (uint64_t)bloom_add(&s->their_growing, s->fresh + i, 8);
    return sum;
}
static void their_next_part(subject *s) {
    if (s->their_added + PART > s->planned) {
        bloom_free(&s->their_growing);
        their_new(&s->their_growing, s->planned);
        s->their_added = 0;
    }
    for (size_t i = 0; i < PART; i++) s->fresh[i] = item_at(s->their_added + i);
    s->their_added += PART;
}
#endif

/* ---- rounds ---- */

static void fill(subject *s) {
    uint64_t hash[CHUNK];
    for (uint64_t i = 0; i < s->planned; i += CHUNK) {
        bpk_items it = {.n = 0, .hash = hash};
        while (it.n < CHUNK && i + it.n < s->planned) {
            hash[it.n] = item_at(i + it.n);
#if HAS_LIBBLOOM
            bloom_add(&s->their_full, hash + it.n, 8);
#endif
            it.n++;
        }
        must(bpk_add(bpk_bloom_base(s->full), &it, NULL, NULL));
    }
}

static void set_up(subject *s, uint64_t planned) {
    const bpk_bloom_config cfg = {.items = planned, .rate = RATE};
    memset(s, 0, sizeof *s);
    s->planned = planned;
    s->blocks = bpk_bloom_bits(&cfg) / (8 * BPKI_LINE);
    must(bpk_bloom_new(&s->full, &cfg, &huge));
    must(bpk_bloom_new(&s->growing, &cfg, &huge));
    must(bpk_hasher_init(&s->hasher, NULL, NULL, NULL));
    s->mixed = memory(PART * sizeof *s->mixed);
    s->fresh = memory(PART * sizeof *s->fresh);
    s->out = memory(PART);
    s->lines = memory(s->blocks * BPKI_LINE);
    for (size_t i = 0; i < PART; i++) s->mixed[i] = i % 2 ? item_at(stranger_at(i) % planned) : stranger_at(i);
#if HAS_LIBBLOOM
    their_new(&s->their_full, planned);
    their_new(&s->their_growing, planned);
#endif
    fill(s);
}

static void tear_down(subject *s) {
    bpk_free(bpk_bloom_base(s->full));
    bpk_free(bpk_bloom_base(s->growing));
    free(s->mixed);
    free(s->fresh);
    free(s->out);
    free(s->lines);
#if HAS_LIBBLOOM
    bloom_free(&s->their_full);
    bloom_free(&s->their_growing);
#endif
}

enum {
    READ,
    LOOKUP,
    LOOKUP_KEYS,
    LOOKUP_SINGLE,
    INSERT,
    INSERT_KEYS,
    INSERT_SINGLE,
    THEIR_LOOKUP,
    THEIR_INSERT,
    CASES
};

static const struct {
    const char *name;
    uint64_t (*run)(void *ctx);
    void (*prepare)(subject *s); /* not timed */
} cases[CASES] = {
    [READ] = {"bare prefetched line read", read_lines, NULL},
    [LOOKUP] = {"lookup, batch of hashes", lookup_hashes, NULL},
    [LOOKUP_KEYS] = {"lookup, batch of keys", lookup_keys, NULL},
    [LOOKUP_SINGLE] = {"lookup, hashes one by one", lookup_single, NULL},
    [INSERT] = {"insert, batch of hashes", insert_hashes, next_part},
    [INSERT_KEYS] = {"insert, batch of keys", insert_keys, next_part},
    [INSERT_SINGLE] = {"insert, hashes one by one", insert_single, next_part},
#if HAS_LIBBLOOM
    [THEIR_LOOKUP] = {"libbloom lookup, keys", their_lookup, NULL},
    [THEIR_INSERT] = {"libbloom insert, keys", their_insert, their_next_part},
#endif
};

/* All cases in turn, so that a slow moment of the machine meets each of them; ns[] becomes the medians. */
static uint64_t measure(subject *s, double ns[CASES]) {
    static double times[CASES][BENCH_ROUNDS];
    uint64_t used = 0;
    for (int round = -1; round < BENCH_ROUNDS; round++) /* the first one warms up */
        for (int c = 0; c < CASES && cases[c].run; c++) {
            if (cases[c].prepare) cases[c].prepare(s);
            double start = bench_now();
            used += cases[c].run(s);
            if (round >= 0) times[c][round] = (bench_now() - start) / PART;
        }
    for (int c = 0; c < CASES; c++) {
        qsort(times[c], BENCH_ROUNDS, sizeof times[c][0], bench_order);
        ns[c] = times[c][BENCH_ROUNDS / 2];
    }
    return used;
}

/* A filter that a second-level cache holds has no bars: there libbloom's early exit after two reads costs it little. */
static void ratio(const subject *s, const char *bench, const char *name, double figure, double bar) {
    if (s->planned >= 10000000) bench_bar(bench, name, figure, "ratio", bar);
    else bench_row(bench, name, figure, "ratio");
}

static void report_ratios(const subject *s, const char *bench, const double ns[CASES]) {
    ratio(s, bench, "lookup / line read", ns[LOOKUP] / ns[READ], 3.5);
    ratio(s, bench, "insert / line read", ns[INSERT] / ns[READ], 3.5);
#if HAS_LIBBLOOM
    ratio(s, bench, "lookup / libbloom, keys", ns[LOOKUP_KEYS] / ns[THEIR_LOOKUP], 0.2);
    ratio(s, bench, "insert / libbloom, keys", ns[INSERT_KEYS] / ns[THEIR_INSERT], 0.2);
#else
    printf("# %s: libbloom-dev is not installed, the comparison with it is skipped\n", bench);
#endif
    bench_bar(bench, "bits", (double)s->blocks * 8 * BPKI_LINE / (double)s->planned, "bits/item", 10.2);
}

static uint64_t report(uint64_t planned, const char *bench) {
    subject s;
    double ns[CASES];
    set_up(&s, planned);
    uint64_t used = measure(&s, ns);
    for (int c = 0; c < CASES && cases[c].run; c++) bench_row(bench, cases[c].name, ns[c], "ns/item");
    report_ratios(&s, bench, ns);
    tear_down(&s);
    return used;
}

int main(void) {
    uint64_t used = report(1000000, "bloom 1M 1%") + report(10000000, "bloom 10M 1%");
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    return 0;
}
