/* bench_cms.c - what an item costs a count-min sketch, beside the textbook's way: a hash and a division for each row.
 *
 * Keys have 16 bytes. Width and depth are known when the program runs, not when it is compiled, on both sides.
 */
#define _POSIX_C_SOURCE 200809L
#define XXH_INLINE_ALL
#include "bench.h"
#include "core.h"

#include <ballpark/cms.h>
#include <string.h>
#include <xxhash.h>

enum { WIDTH = 2719, DEPTH = 5, KEY = 16, ITEMS = 1 << 20, BATCH = 256, QUESTIONS = 200 };

typedef struct subject {
    bpk_cms *plain, *tight, *large, *other, *wide, *decayed, *aged;
    uint64_t *hash;
    uint8_t (*key)[KEY];
    uint32_t *cells; /* the textbook's */
    uint16_t *at;    /* DEPTH cells an item, for the bare access */
    uint64_t width, depth, now, later;
    bpk_hasher hasher;
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_cms: %s\n", bpk_status_text(st));
    exit(1);
}
static void *memory(size_t n) {
    void *p = calloc(n, 1);
    if (!p) must(BPK_E_NOMEM);
    return p;
}
static bpk_cms *new_cms(uint32_t width, uint32_t depth, uint8_t conservative) {
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {.width = width, .depth = depth, .cell_bytes = 4, .conservative = conservative};
    must(bpk_cms_new(&c, &cfg, NULL));
    return c;
}
enum { HALF_LIFE = 100 }; /* ticks; one a batch */
static bpk_cms *new_of_8_bytes(uint64_t half_life) {
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {
        .width = WIDTH, .depth = DEPTH, .cell_bytes = 8, .conservative = 1, .half_life = half_life};
    must(bpk_cms_new(&c, &cfg, NULL));
    return c;
}

/* ---- ours ---- */

static uint64_t add_hashes(const subject *s, bpk_cms *c) {
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->hash + i};
        must(bpk_add(bpk_cms_base(c), &it, NULL, NULL));
    }
    return bpk_cms_total(c);
}
static uint64_t add_plain(void *ctx) {
    const subject *s = ctx;
    return add_hashes(s, s->plain);
}
static uint64_t add_conservative(void *ctx) {
    const subject *s = ctx;
    return add_hashes(s, s->tight);
}
static uint64_t add_wide(void *ctx) {
    const subject *s = ctx;
    return add_hashes(s, s->wide);
}
static uint64_t add_decayed(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->hash + i, .now = ++s->now};
        must(bpk_add(bpk_cms_base(s->decayed), &it, NULL, NULL));
    }
    return bpk_cms_total(s->decayed);
}
static uint64_t age(void *ctx) {
    subject *s = ctx;
    for (int i = 0; i < QUESTIONS; i++) bpk_advance(bpk_cms_base(s->aged), s->later += HALF_LIFE);
    return bpk_cms_total(s->aged);
}
static uint64_t add_large(void *ctx) {
    const subject *s = ctx;
    return add_hashes(s, s->large);
}
static uint64_t add_keys(void *ctx) {
    const subject *s = ctx;
    for (size_t i = 0; i < ITEMS; i += BATCH) {
        uint64_t hash[BATCH];
        const void *item[BATCH];
        size_t len[BATCH];
        for (size_t j = 0; j < BATCH; j++) item[j] = s->key[i + j], len[j] = KEY;
        bpk_hash_many(&s->hasher, item, len, hash, BATCH);
        bpk_items it = {.n = BATCH, .hash = hash};
        must(bpk_add(bpk_cms_base(s->plain), &it, NULL, NULL));
    }
    return bpk_cms_total(s->plain);
}

/* ---- the textbook: row r counts at XXH3(key, seed r) mod width ---- */

static uint64_t add_textbook(void *ctx) {
    const subject *s = ctx;
    const uint64_t width = s->width, depth = s->depth;
    for (size_t i = 0; i < ITEMS; i++)
        for (uint64_t r = 0; r < depth; r++) s->cells[r * width + XXH3_64bits_withSeed(s->key[i], KEY, r) % width]++;
    return s->cells[0];
}

/* Nothing but the five cells, whose places are known: no sketch of this shape can be faster. */
static uint64_t touch_cells(void *ctx) {
    const subject *s = ctx;
    const uint64_t width = s->width, depth = s->depth;
    for (size_t i = 0; i < ITEMS; i++)
        for (uint64_t r = 0; r < depth; r++) s->cells[r * width + s->at[i * depth + r]]++;
    return s->cells[0];
}

/* ---- questions and merges ---- */

static uint64_t ask_noise(void *ctx) {
    const subject *s = ctx;
    double sum = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        bpk_noise noise;
        bpk_cms_noise(s->tight, &noise);
        sum += noise.p99;
    }
    return (uint64_t)sum;
}
static uint64_t ask_counts(void *ctx) {
    const subject *s = ctx;
    double sum = 0;
    bpk_noise noise;
    bpk_cms_noise(s->tight, &noise);
    for (size_t i = 0; i < ITEMS; i++) sum += bpk_cms_count(s->tight, s->hash[i], &noise, 0.95).estimate;
    return (uint64_t)sum;
}
static uint64_t merge(void *ctx) {
    const subject *s = ctx;
    for (int i = 0; i < QUESTIONS; i++) must(bpk_merge(bpk_cms_base(s->other), bpk_cms_base(s->plain), NULL));
    return bpk_cms_total(s->other);
}

int main(void) {
    enum { PLAIN, TIGHT, LARGE, KEYS, TEXTBOOK, TOUCH, NOISE, COUNTS, MERGE, WIDE, DECAYED, AGE, CASES };
    subject s = {.plain = new_cms(WIDTH, DEPTH, 0),
                 .tight = new_cms(WIDTH, DEPTH, 1),
                 .other = new_cms(WIDTH, DEPTH, 0),
                 .wide = new_of_8_bytes(0),
                 .decayed = new_of_8_bytes(HALF_LIFE),
                 .aged = new_of_8_bytes(HALF_LIFE),
                 .large = new_cms((32 << 20) / DEPTH / 4, DEPTH, 0),
                 .hash = memory(ITEMS * sizeof(uint64_t)),
                 .key = memory((size_t)ITEMS * KEY),
                 .cells = memory(WIDTH * DEPTH * sizeof(uint32_t))};
    s.at = memory((size_t)ITEMS * DEPTH * sizeof *s.at);
    s.width = bpk_cms_width(s.plain), s.depth = bpk_cms_depth(s.plain);
    uint64_t state = 1;
    must(bpk_hasher_init(&s.hasher, NULL, NULL, NULL));
    for (size_t i = 0; i < ITEMS; i++) {
        bpki_store64(s.key[i], bpki_next(&state) % (1 + bpki_next(&state) % 1000000)); /* skewed */
        s.hash[i] = bpk_hash(&s.hasher, s.key[i], KEY);
        for (size_t r = 0; r < DEPTH; r++)
            s.at[i * DEPTH + r] = (uint16_t)(bpki_next(&(uint64_t){s.hash[i] + r}) % WIDTH);
    }
    bench_case c[CASES] = {[PLAIN] = {"plain, batch of hashes", add_plain, ITEMS, {0}},
                           [TIGHT] = {"conservative, batch of hashes", add_conservative, ITEMS, {0}},
                           [LARGE] = {"plain, 32 MiB", add_large, ITEMS, {0}},
                           [KEYS] = {"plain, batch of 16-byte keys", add_keys, ITEMS, {0}},
                           [TEXTBOOK] = {"five XXH3 and five modulos", add_textbook, ITEMS, {0}},
                           [TOUCH] = {"five cells at known places", touch_cells, ITEMS, {0}},
                           [NOISE] = {"phantoms", ask_noise, QUESTIONS, {0}},
                           [COUNTS] = {"count", ask_counts, ITEMS, {0}},
                           [MERGE] = {"merge", merge, QUESTIONS * (double)WIDTH * DEPTH, {0}},
                           [WIDE] = {"conservative, cells of 8 bytes", add_wide, ITEMS, {0}},
                           [DECAYED] = {"the same with a half-life", add_decayed, ITEMS, {0}},
                           [AGE] = {"ageing, cells of 8 bytes", age, QUESTIONS * (double)WIDTH * DEPTH, {0}}};
    must(bpk_add(bpk_cms_base(s.aged), &(bpk_items){.n = ITEMS, .hash = s.hash}, NULL, NULL));
    uint64_t used = bench_run(c, CASES, &s);
    for (int i = 0; i < CASES; i++)
        bench_row("cms 5 x 2719", c[i].name, bench_median(&c[i]),
                  i == NOISE               ? "ns/call"
                  : i == MERGE || i == AGE ? "ns/cell"
                                           : "ns/item");
    bench_bar("cms 5 x 2719", "plain / textbook", bench_median(&c[PLAIN]) / bench_median(&c[TEXTBOOK]), "ratio",
              1.0 / 3);
    bench_row("cms 5 x 2719", "conservative / textbook", bench_median(&c[TIGHT]) / bench_median(&c[TEXTBOOK]), "ratio");
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    bpk_free(bpk_cms_base(s.plain)), bpk_free(bpk_cms_base(s.tight)), bpk_free(bpk_cms_base(s.large));
    bpk_free(bpk_cms_base(s.wide)), bpk_free(bpk_cms_base(s.decayed));
    bpk_free(bpk_cms_base(s.aged));
    bpk_free(bpk_cms_base(s.other));
    free(s.hash), free(s.key), free(s.cells), free(s.at);
    return 0;
}
