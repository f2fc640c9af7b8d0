/* t_sample.h - what the tests of samples share: samples by their numbers, streams of numbered records. */
#ifndef T_SAMPLE_H
#define T_SAMPLE_H

#include <math.h>

#include "damage.h"

#include "sample_state.h"

static inline bpk_sample *t_sample_of(bpk_sample_config cfg) {
    bpk_sample *s = NULL;
    assert_int_equal(bpk_sample_new(&s, &cfg, NULL), BPK_OK);
    return s;
}
static inline bpk_sample *t_sample_new(uint32_t k, uint64_t seed, uint64_t stream) {
    return t_sample_of((bpk_sample_config){.k = k, .seed = seed, .stream = stream});
}
static inline void t_sample_free(bpk_sample *s) {
    bpk_free(bpk_sample_base(s));
}

/* Record i of a stream: its number as 8 bytes, the hash of it, its group i mod `groups` under the name "g<number>", its
 * weight. */
enum { T_RECORDS = 512 };
typedef struct t_records {
    bpk_items it;
    uint64_t hash[T_RECORDS], group[T_RECORDS];
    const void *item[T_RECORDS], *name[T_RECORDS];
    size_t len[T_RECORDS], name_len[T_RECORDS];
    double weight[T_RECORDS];
    uint8_t bytes[T_RECORDS][8];
    char text[T_RECORDS][16];
} t_records;

/* Some are 0, the others from 1/4 to 400. */
static inline double t_some_weight(uint64_t i) {
    return i % 7 == 3 ? 0 : ldexp(1 + (double)(t_hash(2, i) % 100), (int)(i % 5) - 2);
}

static inline void t_records_fill(t_records *r, uint64_t from, size_t n, uint64_t groups, double (*weight)(uint64_t)) {
    r->it = (bpk_items){.n = n, .hash = r->hash, .item = r->item, .len = r->len};
    for (size_t i = 0; i < n; i++) {
        t_store64(r->bytes[i], from + i);
        r->item[i] = r->bytes[i];
        r->len[i] = 8;
        r->hash[i] = t_hash(7, from + i);
        r->weight[i] = weight ? weight(from + i) : 1;
        if (!groups) continue;
        r->group[i] = t_hash(8, (from + i) % groups);
        r->name_len[i] = (size_t)snprintf(r->text[i], sizeof r->text[i], "g%u", (unsigned)((from + i) % groups));
        r->name[i] = r->text[i];
    }
    if (weight) r->it.real_weight = r->weight;
    if (!groups) return;
    r->it.group = r->group;
    r->it.group_name = r->name;
    r->it.group_len = r->name_len;
}

/* Adds records from..to-1 in batches of `batch`. */
static inline void t_feed_batches(bpk_sample *s, uint64_t from, uint64_t to, uint64_t groups,
                                  double (*weight)(uint64_t), size_t batch) {
    static t_records r;
    for (; from < to; from += r.it.n) {
        t_records_fill(&r, from, to - from < batch ? (size_t)(to - from) : batch, groups, weight);
        assert_int_equal(bpk_add(bpk_sample_base(s), &r.it, NULL, NULL), BPK_OK);
    }
}
static inline void t_feed_records(bpk_sample *s, uint64_t from, uint64_t to) {
    t_feed_batches(s, from, to, 0, NULL, T_RECORDS);
}

/* Records lo..hi-1, whose bytes are their numbers, as are their hashes; those that are surely not kept are only
 * counted. */
static inline void t_feed_numbers(bpk_sample *s, uint64_t lo, uint64_t hi) {
    for (; lo < hi; lo++) {
        uint64_t ahead = bpk_sample_ahead(s), pass = ahead < hi - lo ? ahead : hi - lo;
        if (pass) assert_int_equal(bpk_sample_pass(s, pass), BPK_OK);
        lo += pass;
        if (lo == hi) return;
        uint8_t bytes[8];
        t_store64(bytes, lo);
        const void *item = bytes;
        const size_t len = 8;
        const bpk_items one = {.n = 1, .hash = &lo, .item = &item, .len = &len};
        assert_int_equal(bpk_add(bpk_sample_base(s), &one, NULL, NULL), BPK_OK);
    }
}

/* How many standard deviations a chi-square is above its mean, on the scale of Wilson and Hilferty. */
static inline double t_sigmas_of(double chi_square, double freedom) {
    double spread = 2 / (9 * freedom);
    return (cbrt(chi_square / freedom) - (1 - spread)) / sqrt(spread);
}

/* The numbers of the kept records, in an order. */
typedef struct t_kept {
    size_t n;
    uint64_t number[8192];
    bpk_sample_row row[8192];
} t_kept;
static inline bool t_keep_row(void *ctx, const bpk_sample_row *row) {
    t_kept *k = ctx;
    assert_true(k->n < 8192 && row->len == 8);
    k->number[k->n] = t_load64(row->item);
    k->row[k->n++] = *row;
    return true;
}
static inline const t_kept *t_kept_of(const bpk_sample *s, bpk_sample_order order) {
    static t_kept k;
    k.n = 0;
    assert_int_equal(bpk_sample_rows(s, order, t_keep_row, &k), BPK_OK);
    assert_int_equal(k.n, bpk_sample_kept(s));
    return &k;
}

typedef struct t_strata {
    size_t n;
    bpk_sample_stratum at[4096];
} t_strata;
static inline bool t_keep_stratum(void *ctx, const bpk_sample_stratum *t) {
    t_strata *all = ctx;
    assert_true(all->n < 4096);
    all->at[all->n++] = *t;
    return true;
}
static inline const t_strata *t_strata_of(const bpk_sample *s) {
    static t_strata all;
    all.n = 0;
    bpk_sample_strata(s, t_keep_stratum, &all);
    return &all;
}

#endif
