/* sample_state.h - inside the sample room: the state, and the steps that its files share.
 *
 * Every record has a tag, exponentially distributed with its weight as rate (uniform: 1); a stratum keeps the k records
 * with the smallest (tag, source, at). A source is one (seed, stream) with the number of records and draws behind it;
 * records that came in go by source 0. A stratum whose k places are taken knows how much may pass before the next
 * record gets in, or has yet to draw it ("not drawn"): the distribution has no memory, so that both are the same.
 */
#ifndef BPKI_SAMPLE_STATE_H
#define BPKI_SAMPLE_STATE_H

#include <ballpark/sample.h>

#include "draw.h"
#include "room.h"
#include "sum.h"

/* Bytes of each part of an envelope, as sample_wire.c lays them out; an entry of a weighted sample has a weight too. */
enum {
    SAMPLE_PARAMS = 16,
    SAMPLE_COUNTS = 8,
    SAMPLE_SOURCE = 32,
    SAMPLE_STRATUM = 40,
    SAMPLE_ENTRY = 32,
    SAMPLE_WEIGHT = 8
};

#define SAMPLE_N_MAX (UINT64_C(1) << 61)    /* records; at most two draws each */
#define SAMPLE_SKIP_MAX (UINT64_C(1) << 62) /* stands for all that can come */

typedef struct sample_source {
    uint64_t seed, stream, draws, n;
} sample_source;

typedef struct sample_entry {
    double tag, weight;
    uint64_t hash, at;
    uint8_t *bytes; /* NULL for none */
    uint32_t len, source;
} sample_entry;

typedef struct sample_stratum {
    sample_entry *entry; /* a heap, the largest tag first; descending order is one too */
    uint32_t kept, room;
    bool drawn;
    uint64_t skip; /* unweighted: records that pass before the next is kept; 0 where not drawn */
    double left;   /* weighted: weight that passes; likewise */
    uint64_t n;
    uint64_t hash; /* of the group; 0 in `rest` */
    uint64_t *sum; /* weighted: of all weights; behind it, or alone, the name: one block */
    uint8_t *name;
    uint32_t len;
} sample_stratum;

struct bpk_sample {
    bpk_sketch base;
    uint32_t k, groups;
    bool weighted;
    sample_source *source; /* sorted by (seed, stream) */
    uint32_t sources, sources_room;
    uint64_t n;          /* of all sources */
    size_t held;         /* bytes of memory but for the object itself */
    sample_stratum rest; /* all that have no stratum of their own: everything, or what is pooled */
    sample_stratum
        *strata; /* the groups, in no order; room of them, a power of two or 0; one block with the next two */
    uint32_t named, room;
    uint32_t *order; /* their places: a heap, the largest (hash, name) first; descending order is one too */
    uint32_t *slot;  /* 2 x room: place + 1 by hash, 0 for none; linear probing */
    uint64_t salt;
};

typedef struct sample_key {
    uint64_t hash;
    const uint8_t *name;
    uint32_t len;
} sample_key;

/* False for what is no number. */
static inline bool sample_weight_valid(double w) {
    return w == 0 || (w >= BPK_SAMPLE_WEIGHT_MIN && w <= BPK_SAMPLE_WEIGHT_MAX);
}
static inline size_t sample_entry_size(bool weighted) {
    return SAMPLE_ENTRY + (weighted ? SAMPLE_WEIGHT : 0);
}
static inline bool sample_full(const bpk_sample *s, const sample_stratum *t) {
    return t->kept == s->k;
}
static inline double sample_weight_of(const bpk_sample *s, const sample_stratum *t) {
    return s->weighted ? bpki_sum_value(t->sum) : (double)t->n;
}

/* sample.c: making; memory, counted in `held`; the heap of a stratum. */
extern const bpki_ops bpki_sample_ops;
bpk_status bpki_sample_make(bpk_sample **out, const bpk_sample_config *cfg, const bpk_env *env);
void bpki_sample_release(bpk_sketch *base);
bpk_status bpki_sample_alloc(bpk_sample *s, size_t n, void **out);
bpk_status bpki_sample_resize(bpk_sample *s, void **p, size_t old_n, size_t n);
void bpki_sample_drop(bpk_sample *s, void *p, size_t n);
bool bpki_sample_below(const sample_entry *a, const sample_entry *b);
bpk_status bpki_sample_reserve(bpk_sample *s, sample_stratum *t, uint32_t kept); /* room for so many entries */
/* Puts an entry into its heap, for which there is room; where k are there the largest leaves. Takes its bytes over. */
void bpki_sample_put(bpk_sample *s, sample_stratum *t, const sample_entry *e);

/* sample_strata.c */
int bpki_sample_compare(const sample_key *a, const sample_key *b);
sample_key bpki_sample_key_of(const sample_stratum *t);
/* The stratum of a group, `rest` where it has none and can have none, NULL where it is to be made. */
sample_stratum *bpki_sample_find(bpk_sample *s, const sample_key *key);
/* Makes it, with room for `room` entries; beyond the cap the largest falls into `rest`. */
bpk_status bpki_sample_group(bpk_sample *s, const sample_key *key, uint32_t room, sample_stratum **out);
bpk_status bpki_sample_room(bpk_sample *s, uint32_t groups); /* places for so many */
size_t bpki_sample_room_bytes(uint32_t groups);              /* what they take, made at once */
/* Sorts strata and entries, so that walks go in canonical order; the state stays what it is. */
void bpki_sample_sort(const bpk_sample *s);
/* The i-th stratum in canonical order, once sorted; the i-th entry of one, likewise. */
const sample_stratum *bpki_sample_stratum_at(const bpk_sample *s, size_t i);
const sample_entry *bpki_sample_entry_at(const sample_stratum *t, uint32_t i);
size_t bpki_sample_strata_n(const bpk_sample *s);
void bpki_sample_empty(bpk_sample *s, sample_stratum *t); /* no records; keeps its memory for nothing */
void bpki_sample_drop_groups(bpk_sample *s);

/* sample_merge.c */
bpk_status bpki_sample_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err);
bpk_status bpki_sample_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                  bpk_err *err);
bpk_status bpki_sample_copy(bpk_sketch **out, const bpk_sketch *base, const bpk_env *env);

/* sample_rows.c: answers */
bpk_status bpki_sample_count(const bpk_sketch *base, const uint64_t *hash, size_t n, double confidence,
                             bpk_estimate *out, bpk_err *err);
bpk_status bpki_sample_rows(const bpk_sketch *base, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err);

/* sample_wire.c */
uint64_t bpki_sample_body_size(const bpk_sketch *base, bpk_form f);
void bpki_sample_encode_params(const bpk_sketch *base, bpk_form f, bpki_out *o);
void bpki_sample_encode_body(const bpk_sketch *base, bpk_form f, bpki_out *o);
bpk_status bpki_sample_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);

#endif
