/* bench_topk.c - what an item costs a top-k sketch, beside Space-Saving with an indexed heap of the same bytes; recall,
 * width and the trap with 20 million items.
 *
 * Space-Saving keeps per counter 8 bytes of hash, 8 of count, 4 of heap position and 4 of heap, and 8 of open
 * addressing at half load: 32 bytes, so that 24 KiB hold 768. It keeps no keys; the sketch does. Hashes are given to
 * both.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "topk_state.h"

#include <math.h>

enum { UNIVERSE = 4000000, ITEMS = 20000000, PART = 1 << 20, BATCH = 256, HEAVY = 2000 };

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_topk: %s\n", bpk_status_text(st));
    exit(1);
}
static void *memory(size_t n) {
    void *p = calloc(n, 1);
    if (!p) must(BPK_E_NOMEM);
    return p;
}

/* ---- Space-Saving: a min-heap over counters, a table from hash to counter ---- */

typedef struct saving {
    uint32_t n, room, mask;
    uint64_t *hash, *count;
    uint32_t *at, *heap; /* position of a counter in the heap, and back */
    uint32_t *slot;      /* 1 + counter, 0 free */
} saving;

static saving saving_new(uint32_t room) {
    uint32_t slots = 1;
    while (slots < 2 * room) slots *= 2;
    return (saving){0,
                    room,
                    slots - 1,
                    memory(8 * (size_t)room),
                    memory(8 * (size_t)room),
                    memory(4 * (size_t)room),
                    memory(4 * (size_t)room),
                    memory(4 * (size_t)slots)};
}
static void saving_free(saving *s) {
    free(s->hash), free(s->count), free(s->at), free(s->heap), free(s->slot);
}
static uint32_t *slot_of(const saving *s, uint64_t hash) {
    uint32_t i = (uint32_t)hash & s->mask;
    while (s->slot[i] && s->hash[s->slot[i] - 1] != hash) i = (i + 1) & s->mask;
    return &s->slot[i];
}
/* Linear probing: what follows a hole moves up. */
static void unlink_slot(const saving *s, uint64_t hash) {
    uint32_t hole = (uint32_t)(slot_of(s, hash) - s->slot), i = hole;
    s->slot[hole] = 0;
    while (s->slot[i = (i + 1) & s->mask]) {
        uint32_t home = (uint32_t)s->hash[s->slot[i] - 1] & s->mask;
        if (((i - home) & s->mask) < ((i - hole) & s->mask)) continue;
        s->slot[hole] = s->slot[i];
        s->slot[hole = i] = 0;
    }
}
static void put(const saving *s, uint32_t position, uint32_t counter) {
    s->heap[position] = counter;
    s->at[counter] = position;
}
static void sink(const saving *s, uint32_t position) {
    uint32_t counter = s->heap[position];
    for (uint32_t child; (child = 2 * position + 1) < s->n; position = child) {
        if (child + 1 < s->n && s->count[s->heap[child + 1]] < s->count[s->heap[child]]) child++;
        if (s->count[s->heap[child]] >= s->count[counter]) break;
        put(s, position, s->heap[child]);
    }
    put(s, position, counter);
}
static void rise(const saving *s, uint32_t position) {
    uint32_t counter = s->heap[position];
    for (; position && s->count[s->heap[(position - 1) / 2]] > s->count[counter]; position = (position - 1) / 2)
        put(s, position, s->heap[(position - 1) / 2]);
    put(s, position, counter);
}
static void saving_add(saving *s, uint64_t hash) {
    uint32_t *slot = slot_of(s, hash), counter;
    if (*slot) {
        counter = *slot - 1;
        s->count[counter]++;
        sink(s, s->at[counter]);
        return;
    }
    if (s->n < s->room) {
        counter = s->n++;
        s->hash[counter] = hash;
        s->count[counter] = 1;
        *slot = counter + 1;
        put(s, counter, counter);
        rise(s, counter);
        return;
    }
    counter = s->heap[0];
    unlink_slot(s, s->hash[counter]);
    s->hash[counter] = hash;
    s->count[counter]++;
    *slot_of(s, hash) = counter + 1;
    sink(s, 0);
}

/* ---- streams ---- */

typedef struct zipf {
    double z, n, low, high;
} zipf;
static double integral(double x, double z) {
    return z == 1 ? log(x) : (pow(x, 1 - z) - 1) / (1 - z);
}
static double inverse(double y, double z) {
    return z == 1 ? exp(y) : pow(1 + y * (1 - z), 1 / (1 - z));
}
/* By rejection from the inverse of the integral (Hoermann, Derflinger 1996). */
static uint32_t zipf_next(const zipf *d, uint64_t *state) {
    for (;;) {
        double uniform = ((double)(bpki_next(state) >> 11) + 0.5) / 9007199254740992.0;
        double u = d->low + uniform * (d->high - d->low), k = floor(inverse(u, d->z) + 0.5);
        k = k < 1 ? 1 : k > d->n ? d->n : k;
        if (u >= integral(k + 0.5, d->z) - pow(k, -d->z)) return (uint32_t)k - 1;
    }
}
static zipf zipf_of(uint32_t n, double z) {
    return (zipf){z, n, integral(1.5, z) - 1, integral(n + 0.5, z)};
}

enum { DRIFT = 3, LATE, FLOOD, STREAMS };
static const struct {
    const char *name;
    double z, gate; /* of rows that may be missed */
} streams[STREAMS] = {{"zipf 0.8", 0.8, 0.01}, {"zipf 1.0", 1, 0.01}, {"zipf 1.2", 1.2, 0.01},
                      {"drift", 1, 0.03},      {"late", 1, 0.03},     {"flood", 1, 0.03}};

/* drift: the heavy items are replaced half-way; late, flood: heavy or light ones last. */
static void make_stream(uint32_t *id, int kind) {
    zipf d = zipf_of(UNIVERSE, streams[kind].z);
    uint64_t state = 1;
    for (size_t i = 0; i < ITEMS; i++) {
        id[i] = zipf_next(&d, &state);
        if (kind == DRIFT && i >= ITEMS / 2) id[i] = (id[i] + UNIVERSE / 2) % UNIVERSE;
    }
    if (kind < LATE) return;
    uint32_t *sorted = memory(ITEMS * sizeof *sorted);
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < ITEMS; i++)
            if ((id[i] < HEAVY) == ((pass == 1) == (kind == LATE))) sorted[n++] = id[i];
    memcpy(id, sorted, ITEMS * sizeof *id);
    free(sorted);
}

/* ---- the work ---- */

typedef struct subject {
    uint32_t *id;
    uint64_t *hash, *truth, *ranked; /* of the universe */
    uint64_t *next;                  /* hashes of one part of the stream */
    const void **item;
    size_t *len;
    bpk_topk *topk, *decayed, *aged;
    saving saving;
} subject;

static void feed(bpk_topk *t, const subject *s, const uint32_t *id, size_t n) {
    uint64_t hash[BATCH];
    const void *item[BATCH];
    size_t len[BATCH];
    for (size_t at = 0; at < n; at += BATCH) {
        bpk_items it = {.n = n - at < BATCH ? n - at : BATCH, .hash = hash, .item = item, .len = len};
        for (size_t i = 0; i < it.n; i++) hash[i] = s->hash[id[at + i]], item[i] = &id[at + i], len[i] = sizeof *id;
        must(bpk_add(bpk_topk_base(t), &it, NULL, NULL));
    }
}

static uint64_t add_topk(void *ctx) {
    const subject *s = ctx;
    for (size_t i = 0; i < PART; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->next + i, .item = s->item + i, .len = s->len + i};
        must(bpk_add(bpk_topk_base(s->topk), &it, NULL, NULL));
    }
    return bpk_topk_total(s->topk);
}
static uint64_t add_saving(void *ctx) {
    subject *s = ctx;
    for (size_t i = 0; i < PART; i++) saving_add(&s->saving, s->next[i]);
    return s->saving.count[0];
}

/* The first k rows against the truth: how many are right, the mean width of their bounds; broken bounds over all
 * items. */
typedef struct found {
    double width;
    size_t hits, certain, broken, unnamed;
} found;

static int descending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}
static found judge(const bpk_topk *t, const subject *s, uint32_t universe) {
    size_t k = bpk_topk_k(t), n = 0;
    bpk_row *rows = memory(k * sizeof *rows);
    uint64_t ceiling;
    found f = {0};
    must(bpk_topk_list(t, rows, k, &n, &ceiling));
    memcpy(s->ranked, s->truth, universe * sizeof *s->truth);
    qsort(s->ranked, universe, sizeof *s->ranked, descending);
    for (uint32_t i = 0; i < universe; i++) {
        bpk_estimate e = bpk_topk_count(t, s->hash[i]);
        f.broken +=
            e.lower > (double)s->truth[i] || e.upper < (double)s->truth[i] || (e.lower == 0 && s->truth[i] > ceiling);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t id;
        f.certain += rows[i].certain;
        f.unnamed += !rows[i].key;
        if (!rows[i].key) continue;
        memcpy(&id, rows[i].key, sizeof id);
        f.broken += rows[i].certain && s->truth[id] < s->ranked[k - 1];
        if (s->truth[id] < s->ranked[k - 1]) continue;
        f.hits++;
        f.width += (rows[i].count.upper - rows[i].count.lower) / (double)s->truth[id] / (double)k;
    }
    free(rows);
    return f;
}

static bpk_topk *new_decayed(uint32_t k, uint32_t entries, uint64_t half_life) {
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = k, .entries = entries, .half_life = half_life};
    must(bpk_topk_new(&t, &cfg, NULL));
    return t;
}

static bpk_topk *new_topk(uint32_t k, uint32_t entries) {
    return new_decayed(k, entries, 0);
}

/* ---- half-lives: every batch has a tick of its own, a million items are one ---- */

enum { TICKS = 4096, AGEINGS = 1000 };

static uint64_t add_decayed(void *ctx) {
    const subject *s = ctx;
    uint64_t now = s->decayed->time.now;
    for (size_t i = 0; i < PART; i += BATCH) {
        bpk_items it = {.n = BATCH, .hash = s->next + i, .item = s->item + i, .len = s->len + i, .now = ++now};
        must(bpk_add(bpk_topk_base(s->decayed), &it, NULL, NULL));
    }
    return bpk_topk_total(s->decayed);
}
/* Each item in a batch of its own, as where records have times. */
static uint64_t add_one_by_one(void *ctx) {
    const subject *s = ctx;
    uint64_t now = s->decayed->time.now;
    for (size_t i = 0; i < PART; i++) {
        bpk_items it = {.n = 1, .hash = s->next + i, .item = s->item + i, .len = s->len + i, .now = now + i / BATCH};
        must(bpk_add(bpk_topk_base(s->decayed), &it, NULL, NULL));
    }
    return bpk_topk_total(s->decayed);
}
static uint64_t age(void *ctx) {
    const subject *s = ctx;
    for (int i = 0; i < AGEINGS; i++) bpk_advance(bpk_topk_base(s->aged), s->aged->time.now + TICKS);
    return bpk_topk_total(s->aged);
}

/* ---- reports ---- */

static uint64_t time_half_lives(subject *s) {
    s->decayed = new_decayed(100, 0, TICKS);
    s->aged = new_decayed(100, 0, TICKS);
    feed(s->decayed, s, s->id, 4 * PART);
    feed(s->aged, s, s->id, PART);
    bench_case c[] = {{"half-life, batches", add_decayed, PART, {0}},
                      {"half-life, one by one", add_one_by_one, PART, {0}},
                      {"no half-life, batches", add_topk, PART, {0}},
                      {"ageing", age, AGEINGS, {0}}};
    uint64_t used = bench_run(c, 4, s);
    for (int i = 0; i < 4; i++)
        bench_row("topk k=100 half-life", c[i].name, bench_median(&c[i]), i == 3 ? "ns/half-life" : "ns/item");
    bench_bar("topk k=100 half-life", "half-life / none", bench_median(&c[0]) / bench_median(&c[2]), "ratio", 1.5);
    bpk_free(bpk_topk_base(s->decayed));
    bpk_free(bpk_topk_base(s->aged));
    return used;
}

static uint64_t time_updates(subject *s, uint32_t k) {
    char bench[40];
    size_t bytes = k == 10 ? 12288 : k == 100 ? 24576 : 393216;
    s->topk = new_topk(k, 0);
    s->saving = saving_new((uint32_t)(bytes / 32));
    feed(s->topk, s, s->id, 4 * PART); /* both are warm, as they are for nearly all of a long stream */
    for (size_t i = 0; i < 4 * PART; i++) saving_add(&s->saving, s->hash[s->id[i]]);
    for (size_t i = 0; i < PART; i++) {
        s->next[i] = s->hash[s->id[4 * PART + i]];
        s->item[i] = &s->id[4 * PART + i];
        s->len[i] = sizeof *s->id;
    }
    bench_case c[] = {{"topk, batch of hashes", add_topk, PART, {0}},
                      {"space-saving, same bytes", add_saving, PART, {0}}};
    uint64_t used = bench_run(c, 2, s);
    snprintf(bench, sizeof bench, "topk k=%u zipf 1.0", k);
    for (int i = 0; i < 2; i++) bench_row(bench, c[i].name, bench_median(&c[i]), "ns/item");
    if (k == 100) used += time_half_lives(s);
    bench_bar(bench, "topk / space-saving", bench_median(&c[0]) / bench_median(&c[1]), "ratio", 0.6);
    bpk_free(bpk_topk_base(s->topk));
    saving_free(&s->saving);
    return used;
}

static void report_recall(subject *s, int kind, uint32_t k, uint32_t entries) {
    char bench[60];
    bpk_topk *t = new_topk(k, entries);
    memset(s->truth, 0, UNIVERSE * sizeof *s->truth);
    for (size_t i = 0; i < ITEMS; i++) s->truth[s->id[i]]++;
    feed(t, s, s->id, ITEMS);
    found f = judge(t, s, UNIVERSE);
    snprintf(bench, sizeof bench, "topk k=%u %s%s", k, streams[kind].name, entries ? " 96 KiB" : "");
    bench_bar(bench, "missed of the true rows", (double)(k - f.hits) / k, "share", streams[kind].gate);
    bench_bar(bench, "broken bounds", (double)f.broken, "items", 0);
    bench_row(bench, "certain", (double)f.certain, "rows");
    if (kind == 1 && k == 100)
        bench_bar(bench, "mean width of the bounds", f.width, "of the count", entries ? 0.05 : 0.15);
    else bench_row(bench, "mean width of the bounds", f.width, "of the count");
    bpk_free(bpk_topk_base(t));
}

/* 50 shards; half of the traffic of each is its own, half is shared and nearly flat. */
static void report_trap(subject *s) {
    enum { SHARDS = 50, OWN = 20000, SHARED = 4000, EACH = 400000 };
    zipf own = zipf_of(OWN, 1.0), shared = zipf_of(SHARED, 0.5);
    bpk_sketch *shard[SHARDS], *all = NULL;
    uint64_t state = 7;
    memset(s->truth, 0, UNIVERSE * sizeof *s->truth);
    for (uint32_t i = 0; i < SHARDS; i++) {
        shard[i] = bpk_topk_base(new_topk(100, 0));
        uint32_t *id = s->id + (size_t)i * EACH;
        for (size_t j = 0; j < EACH; j++) {
            id[j] = bpki_next(&state) >> 63 ? zipf_next(&shared, &state) : SHARED + i * OWN + zipf_next(&own, &state);
            s->truth[id[j]]++;
        }
        feed((bpk_topk *)shard[i], s, id, EACH);
    }
    double start = bench_now();
    must(bpk_merge_many(&all, (const bpk_sketch *const *)shard, SHARDS, NULL, NULL));
    bench_row("topk trap, 50 shards", "merge", (bench_now() - start) / 1e6, "ms");
    found f = judge(bpk_as_topk(all), s, SHARED + SHARDS * OWN);
    bench_bar("topk trap, 50 shards", "missed of the true 100", 100 - (double)f.hits, "rows", 2);
    bench_bar("topk trap, 50 shards", "not certain", 100 - (double)f.certain, "rows", 25);
    bench_bar("topk trap, 50 shards", "broken bounds", (double)f.broken, "items", 0);
    bench_bar("topk trap, 50 shards", "without a name", (double)f.unnamed, "rows", 0);
    for (uint32_t i = 0; i < SHARDS; i++) bpk_free(shard[i]);
    bpk_free(all);
}

int main(void) {
    static const uint32_t ks[] = {10, 100, 1000};
    subject s = {.id = memory(ITEMS * sizeof *s.id),
                 .hash = memory(UNIVERSE * sizeof *s.hash),
                 .truth = memory(UNIVERSE * sizeof *s.truth),
                 .ranked = memory(UNIVERSE * sizeof *s.ranked),
                 .next = memory(PART * sizeof *s.next),
                 .item = memory(PART * sizeof *s.item),
                 .len = memory(PART * sizeof *s.len)};
    bpk_hasher hasher;
    uint64_t used = 0;
    must(bpk_hasher_init(&hasher, NULL, NULL, NULL));
    for (uint32_t i = 0; i < UNIVERSE; i++) s.hash[i] = bpk_hash(&hasher, &i, sizeof i);
    for (int kind = 0; kind < STREAMS; kind++) {
        make_stream(s.id, kind);
        for (size_t i = 0; i < BPKI_COUNT(ks); i++) {
            if (kind == 1) used += time_updates(&s, ks[i]);
            report_recall(&s, kind, ks[i], 0);
        }
        if (kind == 1) report_recall(&s, kind, 100, 4608);
    }
    report_trap(&s);
    if (used == 0) printf("# nothing was measured\n"); /* the results are used */
    free(s.id), free(s.hash), free(s.truth), free(s.ranked), free(s.next), free((void *)s.item), free(s.len);
    return 0;
}
