/* admission.c - a small cache that asks a count-min sketch who may come in, beside a plain LRU of the same size.
 *
 * On a miss LRU throws out what was used longest ago. The other lets the newcomer in only if it came more often
 * lately than the one that would have to go: one pass over things that nobody asks for again does not empty it.
 * "Lately" is the last ten times as many requests as it has places: then all counts are halved (Einziger, Friedman,
 * Manes 2017).
 */
#include <ballpark.h>
#include <stdio.h>

enum { PLACES = 500, KEYS_LG = 16, REQUESTS = 400000, SAMPLE = 10 * PLACES, SCAN_FROM = 200000, SCAN = 40000 };

typedef struct cache {
    uint64_t key[PLACES], used[PLACES], clock;
    size_t n;
    unsigned hits;
} cache;

typedef struct frequency {
    bpk_cms *counts;
    bpk_hasher hasher;
} frequency;

/* The place of a key, or n. */
static size_t find(const cache *c, uint64_t key) {
    size_t i = 0;
    while (i < c->n && c->key[i] != key) i++;
    return i;
}

static size_t oldest(const cache *c) {
    size_t at = 0;
    for (size_t i = 1; i < c->n; i++)
        if (c->used[i] < c->used[at]) at = i;
    return at;
}

static double lately(const frequency *f, uint64_t key) {
    const bpk_noise none = {0, 0, 0}; /* both are compared, so that the noise has no say */
    return bpk_cms_count(f->counts, bpk_hash_i64(&f->hasher, (int64_t)key), &none, 0).upper;
}

static bpk_status note(frequency *f, uint64_t key) {
    uint64_t hash = bpk_hash_i64(&f->hasher, (int64_t)key);
    const bpk_items one = {.n = 1, .hash = &hash};
    bpk_status st = bpk_add(bpk_cms_base(f->counts), &one, NULL, NULL);
    if (st == BPK_OK && bpk_cms_total(f->counts) >= SAMPLE) st = bpk_cms_halve(f->counts, NULL);
    return st;
}

/* `f` NULL: everybody may come in. */
static void request(cache *c, const frequency *f, uint64_t key) {
    size_t at = find(c, key);
    c->clock++;
    if (at < c->n) {
        c->hits++;
    } else if (c->n < PLACES) {
        c->n++;
    } else {
        at = oldest(c);
        if (f && lately(f, key) <= lately(f, c->key[at])) return;
    }
    c->key[at] = key;
    c->used[at] = c->clock;
}

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Key k comes about as often as 1 / k; and once somebody reads everything, one thing after the other. */
static uint64_t key_of(int i, uint64_t *state) {
    if (i >= SCAN_FROM && i < SCAN_FROM + SCAN) return (uint64_t)1 << KEYS_LG | (uint64_t)i;
    uint64_t below = (uint64_t)1 << (next(state) >> 32) % (KEYS_LG + 1);
    return next(state) % below;
}

int main(void) {
    static cache lru, admitted;
    const bpk_cms_config config = {.width = 4 * PLACES, .depth = 4, .cell_bytes = 2, .conservative = 1};
    frequency f = {NULL, {{0, 0, 0, 0}, {0, 0}}};
    uint64_t state = 88172645463325252u;
    if (bpk_hasher_init(&f.hasher, NULL, NULL, NULL) || bpk_cms_new(&f.counts, &config, NULL)) return 1;
    for (int i = 0; i < REQUESTS; i++) {
        uint64_t key = key_of(i, &state);
        if (note(&f, key)) return 1;
        request(&lru, NULL, key);
        request(&admitted, &f, key);
    }
    printf("LRU:             %.1f %% hits\n", 100.0 * lru.hits / REQUESTS);
    printf("with admission:  %.1f %% hits\n", 100.0 * admitted.hits / REQUESTS);
    bpk_free(bpk_cms_base(f.counts));
    return 0;
}
