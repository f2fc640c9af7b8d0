/* t_streams.h - streams of skewed items with fixed seeds, their keys and hashes, and the exact truth beside a
 * sketch. */
#ifndef T_STREAMS_H
#define T_STREAMS_H

#include <ballpark/cms.h>
#include <ballpark/tally.h>
#include <ballpark/topk.h>
#include <math.h>

#include "damage.h"

/* ---- numbers ---- */

typedef struct t_rng {
    uint64_t state;
} t_rng;
static inline uint64_t t_next(t_rng *r) {
    return t_mix(r->state += UINT64_C(0x9E3779B97F4A7C15));
}
static inline uint64_t t_below(t_rng *r, uint64_t n) {
    return t_next(r) % n;
}
static inline double t_uniform(t_rng *r) {
    return ((double)(t_next(r) >> 11) + 0.5) / 9007199254740992.0;
}
/* Log-uniform from 1 to below 2^bits: every size of weight is as frequent as the others. */
static inline uint64_t t_log_uniform(t_rng *r, unsigned bits) {
    unsigned n = (unsigned)t_below(r, bits);
    return (UINT64_C(1) << n) | (t_next(r) & ((UINT64_C(1) << n) - 1));
}

/* Zipf by rejection from the inverse of the integral (Hoermann, Derflinger 1996): ranks 0 to n-1, weight
 * (rank+1)^-z. */
typedef struct t_zipf {
    double z, n, low, high;
} t_zipf;
static inline double t_zipf_integral(double x, double z) {
    return z == 1 ? log(x) : (pow(x, 1 - z) - 1) / (1 - z);
}
static inline double t_zipf_inverse(double y, double z) {
    return z == 1 ? exp(y) : pow(1 + y * (1 - z), 1 / (1 - z));
}
static inline t_zipf t_zipf_of(uint32_t n, double z) {
    return (t_zipf){z, n, t_zipf_integral(1.5, z) - 1, t_zipf_integral(n + 0.5, z)};
}
static inline uint32_t t_zipf_next(const t_zipf *d, t_rng *r) {
    for (;;) {
        double u = d->low + t_uniform(r) * (d->high - d->low), k = floor(t_zipf_inverse(u, d->z) + 0.5);
        k = k < 1 ? 1 : k > d->n ? d->n : k;
        if (u >= t_zipf_integral(k + 0.5, d->z) - pow(k, -d->z)) return (uint32_t)k - 1;
    }
}

/* ---- streams of ids: the first three as they come; the others reorder or rename Zipf 1.0 ---- */

typedef enum t_stream {
    T_ZIPF_08,
    T_ZIPF_10,
    T_ZIPF_12,
    T_DRIFT, /* half-way every heavy item is replaced by another */
    T_LATE,  /* all heavy traffic comes last */
    T_FLOOD, /* all light traffic comes last */
    T_STREAMS
} t_stream;

enum { T_HEAVY = 2000 }; /* ids below count as heavy where a stream is reordered */

static const char *const t_stream_name[T_STREAMS] = {"zipf 0.8", "zipf 1.0", "zipf 1.2", "drift", "late", "flood"};

static inline void t_partition(uint32_t *id, size_t n, bool heavy_last) {
    uint32_t *sorted = malloc(n * sizeof *id);
    size_t at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++)
            if ((id[i] < T_HEAVY) == ((pass == 1) == heavy_last)) sorted[at++] = id[i];
    memcpy(id, sorted, n * sizeof *id);
    free(sorted);
}
/* n ids below `universe`; to be freed. */
static inline uint32_t *t_stream_make(t_stream kind, uint32_t universe, size_t n, uint64_t seed) {
    static const double exponent[T_STREAMS] = {0.8, 1.0, 1.2, 1.0, 1.0, 1.0};
    t_zipf d = t_zipf_of(universe, exponent[kind]);
    t_rng r = {t_mix(seed + 77)};
    uint32_t *id = malloc(n * sizeof *id);
    for (size_t i = 0; i < n; i++) {
        id[i] = t_zipf_next(&d, &r);
        if (kind == T_DRIFT && i >= n / 2) id[i] = (id[i] + universe / 2) % universe;
    }
    if (kind == T_LATE || kind == T_FLOOD) t_partition(id, n, kind == T_LATE);
    return id;
}

/* What worker s sees, beside T_WORKER_SHARED times id 0: T_WORKER_ITEMS ids of its own. Over all workers id 0 is third,
 * behind one item each of workers 0 and 1, and in nobody's first ten. */
enum { T_WORKERS = 8, T_WORKER_KEYS = 2000, T_WORKER_ITEMS = 60000, T_WORKER_SHARED = 550 };
static inline uint32_t *t_worker_stream(uint32_t s) {
    uint32_t *id = t_stream_make(T_ZIPF_10, T_WORKER_KEYS, T_WORKER_ITEMS, s);
    for (size_t i = 0; i < T_WORKER_ITEMS; i++)
        id[i] = 1 + s * T_WORKER_KEYS + (s < 2 || id[i] ? id[i] : 1 + (uint32_t)i % 60);
    return id;
}

/* ---- a world of keys with the truth: what was added to whatever is watched ---- */

typedef struct t_world {
    uint32_t n;
    uint64_t *hash, *truth;
    uint8_t (*key)[8]; /* 5 bytes each */
} t_world;
enum { T_KEY = 5 };

static inline t_world t_world_new(uint32_t n) {
    t_world w = {n, malloc(n * sizeof(uint64_t)), calloc(n, sizeof(uint64_t)), malloc((size_t)n * 8)};
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    for (uint32_t i = 0; i < n; i++) {
        memset(w.key[i], 0, 8);
        w.key[i][0] = 'k';
        for (int b = 0; b < 4; b++) w.key[i][1 + b] = (uint8_t)(i >> (8 * b));
        w.hash[i] = bpk_hash(&h, w.key[i], T_KEY);
    }
    return w;
}
static inline void t_world_free(t_world *w) {
    free(w->hash);
    free(w->truth);
    free(w->key);
}
static inline void t_world_forget(t_world *w) {
    memset(w->truth, 0, w->n * sizeof *w->truth);
}
static inline uint32_t t_key_id(const void *key) {
    const uint8_t *k = key;
    return k[1] | (uint32_t)k[2] << 8 | (uint32_t)k[3] << 16 | (uint32_t)k[4] << 24;
}

enum { T_BATCH = 256 };
typedef struct t_batch {
    bpk_items it;
    uint64_t hash[T_BATCH], weight[T_BATCH];
    const void *item[T_BATCH];
    size_t len[T_BATCH];
} t_batch;
/* Up to T_BATCH ids as a batch; `weight` NULL is 1 each. The truth grows when `count`. */
static inline void t_batch_fill(t_batch *b, const t_world *w, const uint32_t *id, const uint64_t *weight, size_t n,
                                bool count) {
    b->it = (bpk_items){.n = n, .hash = b->hash, .item = b->item, .len = b->len, .weight = weight ? b->weight : NULL};
    for (size_t i = 0; i < n; i++) {
        uint64_t by = weight ? weight[i] : 1, *truth = &w->truth[id[i]];
        b->hash[i] = w->hash[id[i]];
        b->item[i] = w->key[id[i]];
        b->len[i] = T_KEY;
        b->weight[i] = by;
        if (count) *truth = by > UINT64_MAX - *truth ? UINT64_MAX : *truth + by;
    }
}
static inline void t_feed(bpk_sketch *s, const t_world *w, const uint32_t *id, const uint64_t *weight, size_t n) {
    t_batch b;
    for (size_t at = 0; at < n; at += T_BATCH) {
        size_t some = n - at < T_BATCH ? n - at : T_BATCH;
        t_batch_fill(&b, w, id + at, weight ? weight + at : NULL, some, true);
        assert_int_equal(bpk_add(s, &b.it, NULL, NULL), BPK_OK);
    }
}

static inline int t_down(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}
/* The truth, descending; to be freed. */
static inline uint64_t *t_ranked(const t_world *w) {
    uint64_t *v = malloc(w->n * sizeof *v);
    if (w->n) memcpy(v, w->truth, w->n * sizeof *v);
    qsort(v, w->n, sizeof *v, t_down);
    return v;
}

static inline bpk_sketch *t_reload(bpk_sketch *s) {
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    bpk_sketch *again = NULL;
    assert_int_equal(bpk_decode(&again, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    free(b.p);
    bpk_free(s);
    return again;
}

/* The last value of a field in the walk of info. */
typedef struct t_wanted {
    const char *name;
    double number;
} t_wanted;
static inline bool t_look(void *ctx, const bpk_field *f) {
    t_wanted *w = ctx;
    if (strcmp(f->name, w->name) == 0) w->number = f->num.estimate;
    return true;
}
static inline double t_info(const bpk_sketch *s, const char *name) {
    t_wanted w = {name, NAN};
    bpk_info(s, t_look, &w);
    assert_true(w.number == w.number); /* it was found */
    return w.number;
}

/* ---- top-k against the truth ---- */

typedef struct t_found {
    size_t rows, hits, certain, unnamed; /* hits: rows that belong to the true k largest, ties allowed */
    uint64_t ceiling;
    double width, error; /* means over the rows that hit: (upper - lower) / truth, |estimate - truth| / truth */
} t_found;

/* An item without a row in the table has a lower limit of 0; with one, it has only where a counter is at its end. */
static inline void t_check_item(const bpk_topk *t, const t_world *w, uint32_t i, uint64_t ceiling) {
    bpk_estimate e = bpk_topk_count(t, w->hash[i]);
    double truth = (double)w->truth[i];
    if (e.lower > truth || e.upper < truth || e.estimate < e.lower || e.estimate > e.upper)
        fail_msg("item %u: truth %.0f, answer %.0f in [%.0f, %.0f]", i, truth, e.estimate, e.lower, e.upper);
    if ((e.flags & BPK_EXACT) && (e.lower != truth || e.upper != truth)) fail_msg("item %u is not exact", i);
    if (e.lower == 0 && !(e.flags & BPK_SATURATED) && w->truth[i] > ceiling)
        fail_msg("item %u: truth %.0f above the ceiling %.0f", i, truth, (double)ceiling);
}

static inline void t_check_row(const bpk_row *row, const t_world *w, const uint64_t *ranked, size_t rows, t_found *f) {
    if (!row->key) {
        f->unnamed++;
        return;
    }
    assert_int_equal(row->len, T_KEY);
    uint64_t truth = w->truth[t_key_id(row->key)];
    assert_true(row->count.lower <= (double)truth && (double)truth <= row->count.upper);
    if (row->certain) assert_true(truth >= ranked[rows - 1]);
    if (truth == 0 || truth < ranked[rows - 1]) return;
    f->hits++;
    f->width += (row->count.upper - row->count.lower) / (double)truth;
    f->error += fabs(row->count.estimate - (double)truth) / (double)truth;
}

/* Every bound of every key of the universe, and the list; fails the test where one is broken. */
static inline t_found t_check_topk(const bpk_topk *t, const t_world *w) {
    size_t cap = bpk_topk_k(t);
    bpk_row *rows = malloc(cap * sizeof *rows);
    uint64_t *ranked = t_ranked(w);
    t_found f = {0};
    assert_int_equal(bpk_topk_list(t, rows, cap, &f.rows, &f.ceiling), BPK_OK);
    for (uint32_t i = 0; i < w->n; i++) t_check_item(t, w, i, f.ceiling);
    for (size_t i = 0; i < f.rows; i++) {
        t_check_row(&rows[i], w, ranked, f.rows, &f);
        f.certain += rows[i].certain;
        assert_true(i == 0 || rows[i - 1].count.estimate >= rows[i].count.estimate);
    }
    if (f.hits) f.width /= (double)f.hits, f.error /= (double)f.hits;
    free(ranked);
    free(rows);
    return f;
}

#endif
