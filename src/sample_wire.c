/* sample_wire.c - inside the sample room: state to bytes and back. docs/format.md, section sample, is normative.
 *
 *   parameters, 16 bytes   u32 k, u32 groups, u8 weighted, seven zeros
 *   body                   u32 sources, u32 strata
 *     a source, 32 bytes   u64 seed, u64 stream, u64 draws, u64 n; ascending by (seed, stream)
 *     a stratum, 40 bytes  u8 flags (1 pooled, 2 drawn), u8 lowest word, u8 words, u8 0, u32 kept, u64 n, u64 hash,
 *                          u64 skip or f64 left, u32 length of the name, u32 0; by (hash, name), the pooled one last
 *                          words of the sum of weights; name; entries
 *     an entry             f64 tag, u64 at, u64 hash, weighted: f64 weight, u32 source, u32 length; bytes; ascending by
 *                          (tag, source, at)
 *
 * The same in both forms.
 */
#include <math.h>
#include <stdlib.h>

#include "sample_state.h"

enum { POOLED = 1, DRAWN = 2 }; /* flags of a stratum */

/* The largest over the smallest weight, and what 2^61 records of the largest weight leave but with chance 2^-80. */
static const double TAG_MAX = 0x1p206, TAG_MIN = 0x1p-400;

/* Words of a sum but for the zeros around them. */
static void words_of(const uint64_t *sum, size_t *first, size_t *n) {
    *first = 0;
    *n = sum ? BPKI_SUM_WORDS : 0;
    while (*n && !sum[*first + *n - 1]) --*n;
    while (*n && !sum[*first]) ++*first, --*n;
    if (!*n) *first = 0;
}

/* ---- writing ---- */

static uint64_t stratum_size(const bpk_sample *s, const sample_stratum *t) {
    size_t first, words;
    words_of(t->sum, &first, &words);
    uint64_t n = SAMPLE_STRATUM + 8 * words + t->len + t->kept * (uint64_t)sample_entry_size(s->weighted);
    for (uint32_t i = 0; i < t->kept; i++) n += t->entry[i].len;
    return n;
}

uint64_t bpki_sample_body_size(const bpk_sketch *base, bpk_form f) {
    const bpk_sample *s = (const bpk_sample *)base;
    (void)f;
    uint64_t n = SAMPLE_COUNTS + s->sources * (uint64_t)SAMPLE_SOURCE;
    for (size_t i = 0; i < bpki_sample_strata_n(s); i++) n += stratum_size(s, bpki_sample_stratum_at(s, i));
    return n;
}

void bpki_sample_encode_params(const bpk_sketch *base, bpk_form f, bpki_out *o) {
    const bpk_sample *s = (const bpk_sample *)base;
    (void)f;
    bpki_out_u32(o, s->k);
    bpki_out_u32(o, s->groups);
    bpki_out_u8(o, s->weighted);
    bpki_out_zeros(o, 7);
}

static void encode_entry(const bpk_sample *s, const sample_entry *e, bpki_out *o) {
    bpki_out_f64(o, e->tag);
    bpki_out_u64(o, e->at);
    bpki_out_u64(o, e->hash);
    if (s->weighted) bpki_out_f64(o, e->weight);
    bpki_out_u32(o, e->source);
    bpki_out_u32(o, e->len);
    bpki_out_bytes(o, e->bytes, e->len);
}

static void encode_stratum(const bpk_sample *s, const sample_stratum *t, bpki_out *o) {
    size_t first, words;
    bool pooled = s->groups && t == &s->rest;
    words_of(t->sum, &first, &words);
    bpki_out_u8(o, (uint8_t)((pooled ? POOLED : 0) | (t->drawn ? DRAWN : 0)));
    bpki_out_u8(o, (uint8_t)first);
    bpki_out_u8(o, (uint8_t)words);
    bpki_out_u8(o, 0);
    bpki_out_u32(o, t->kept);
    bpki_out_u64(o, t->n);
    bpki_out_u64(o, t->hash);
    if (s->weighted) bpki_out_f64(o, t->left);
    else bpki_out_u64(o, t->skip);
    bpki_out_u32(o, t->len);
    bpki_out_u32(o, 0);
    for (size_t i = 0; i < words; i++) bpki_out_u64(o, t->sum[first + i]);
    bpki_out_bytes(o, t->name, t->len);
    for (uint32_t i = 0; i < t->kept; i++) encode_entry(s, bpki_sample_entry_at(t, i), o);
}

void bpki_sample_encode_body(const bpk_sketch *base, bpk_form f, bpki_out *o) {
    const bpk_sample *s = (const bpk_sample *)base;
    size_t strata = bpki_sample_strata_n(s);
    (void)f;
    bpki_sample_sort(s);
    bpki_out_u32(o, s->sources);
    bpki_out_u32(o, (uint32_t)strata);
    for (uint32_t i = 0; i < s->sources; i++) {
        bpki_out_u64(o, s->source[i].seed);
        bpki_out_u64(o, s->source[i].stream);
        bpki_out_u64(o, s->source[i].draws);
        bpki_out_u64(o, s->source[i].n);
    }
    for (size_t i = 0; i < strata; i++) encode_stratum(s, bpki_sample_stratum_at(s, i), o);
}

/* ---- reading ---- */

static bpk_status read_params(bpk_sample_config *cfg, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, SAMPLE_PARAMS, e->start);
    cfg->domain = e->domain;
    cfg->k = bpki_in_u32(&r, "k");
    if (cfg->k > BPK_SAMPLE_K_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "k");
    cfg->groups = bpki_in_u32(&r, "groups");
    if (cfg->groups > BPK_SAMPLE_GROUPS_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "groups");
    uint8_t weighted = bpki_in_u8(&r, "weighted");
    if (weighted > 1) bpki_in_fail(&r, BPK_E_CORRUPT, "weighted");
    cfg->weighted = weighted;
    bpki_in_zeros(&r, 7, "reserved");
    return bpki_in_end(&r, "parameters", err);
}

/* What memory refuses while reading; what the bytes have wrong is in the cursor. */
static bool took(bpki_in *r, bpk_status st) {
    if (st == BPK_OK || !bpki_in_ok(r)) return st == BPK_OK;
    bpki_note(&r->fault, st, NULL, (size_t)(r->field_at - r->base));
    return false;
}

static bool ascends(const sample_source *a, const sample_source *b) {
    return a->seed != b->seed ? a->seed < b->seed : a->stream < b->stream;
}

/* A record costs at most two draws: a skip and a tag. */
static void read_sources(bpk_sample *s, uint32_t n, bpki_in *r) {
    void *p = s->source;
    if (!bpki_in_ok(r)) return;
    if (n > 1 && !took(r, bpki_sample_resize(s, &p, sizeof *s->source, n * sizeof *s->source))) return;
    s->source = p;
    s->sources = s->sources_room = n;
    for (uint32_t i = 0; i < n && bpki_in_ok(r); i++) {
        sample_source *a = &s->source[i];
        a->seed = bpki_in_u64(r, "seed");
        a->stream = bpki_in_u64(r, "stream");
        if (i && !ascends(a - 1, a)) bpki_in_fail(r, BPK_E_CORRUPT, "stream");
        a->draws = bpki_in_u64(r, "draws");
        a->n = bpki_in_u64(r, "n");
        if ((n > 1 && a->n == 0) || a->n > SAMPLE_N_MAX - s->n) bpki_in_fail(r, BPK_E_CORRUPT, "n");
        if (!bpki_in_ok(r)) return;
        s->n += a->n;
        r->field_at -= sizeof a->n;
        if (a->draws > 2 * a->n) bpki_in_fail(r, BPK_E_CORRUPT, "draws");
    }
}

static void read_sum(const bpk_sample *s, sample_stratum *t, size_t first, size_t words, bpki_in *r) {
    bool fits = s->weighted ? first + words <= BPKI_SUM_WORDS && (words || !first) : !first && !words;
    if (!fits) bpki_in_fail(r, BPK_E_CORRUPT, "weight");
    for (size_t i = 0; i < words && bpki_in_ok(r); i++) {
        t->sum[first + i] = bpki_in_u64(r, "weight");
        if ((i == 0 || i == words - 1) && !t->sum[first + i]) bpki_in_fail(r, BPK_E_CORRUPT, "weight");
    }
}

static void read_entry(bpk_sample *s, sample_entry *e, bpki_in *r) {
    e->tag = bpki_in_f64(r, "tag");
    if (!(e->tag >= TAG_MIN && e->tag <= TAG_MAX)) bpki_in_fail(r, BPK_E_CORRUPT, "tag");
    e->at = bpki_in_u64(r, "at");
    e->hash = bpki_in_u64(r, "hash");
    e->weight = s->weighted ? bpki_in_f64(r, "weight") : 1;
    if (!sample_weight_valid(e->weight) || e->weight == 0) bpki_in_fail(r, BPK_E_CORRUPT, "weight");
    e->source = bpki_in_u32(r, "source");
    if (e->source >= s->sources) bpki_in_fail(r, BPK_E_CORRUPT, "source");
    if (bpki_in_ok(r) && e->at >= s->source[e->source].n) bpki_in_fail(r, BPK_E_CORRUPT, "at");
    uint32_t len = bpki_in_u32(r, "length");
    const uint8_t *bytes = bpki_in_bytes(r, len, "record");
    void *p;
    if (!bytes || !took(r, bpki_sample_alloc(s, len, &p))) return;
    e->bytes = p;
    e->len = len;
    if (len) memcpy(p, bytes, len);
}

/* Ascending in the bytes, descending in memory, where the places are zero so far. */
static void read_entries(bpk_sample *s, sample_stratum *t, uint32_t kept, bpki_in *r) {
    if (!bpki_in_ok(r) || !took(r, bpki_sample_reserve(s, t, kept))) return;
    t->kept = kept;
    for (uint32_t i = kept; i-- > 0 && bpki_in_ok(r);) {
        read_entry(s, &t->entry[i], r);
        if (i + 1 < kept && !bpki_sample_below(&t->entry[i + 1], &t->entry[i])) bpki_in_fail(r, BPK_E_CORRUPT, "tag");
    }
}

/* n times the largest weight, 2^200: n << 456 units. */
static void largest_sum(uint64_t *sum, uint64_t n) {
    enum { SHIFT = 200 + BPKI_SUM_UNIT, WORD = SHIFT / 64, BIT = SHIFT % 64 };
    static_assert(WORD + 1 < BPKI_SUM_WORDS && BIT > 0, "the product takes two words");
    sum[WORD] = n << BIT;
    sum[WORD + 1] = n >> (64 - BIT);
}

/* What is kept is as much as there is place for; the sum of weights holds what is kept, and no more than is allowed. */
static bool kept_valid(const bpk_sample *s, const sample_stratum *t) {
    uint64_t kept[BPKI_SUM_WORDS] = {0}, most[BPKI_SUM_WORDS] = {0};
    if (!s->weighted) return t->kept == (t->n < s->k ? t->n : s->k);
    for (uint32_t i = 0; i < t->kept; i++) bpki_sum_add(kept, t->entry[i].weight);
    int more = bpki_sum_compare(t->sum, kept);
    if (more < 0 || (more > 0 && (t->kept < s->k || t->kept == t->n))) return false;
    largest_sum(most, t->n);
    return bpki_sum_compare(t->sum, most) <= 0;
}

/* A skip is drawn when a record comes to a full stratum. */
static bool skip_valid(const bpk_sample *s, const sample_stratum *t, uint64_t bits) {
    if (!t->drawn) return bits == 0;
    if (!s->k || t->kept < s->k || t->n == t->kept || !s->source[0].draws) return false;
    if (!s->weighted) return t->skip <= SAMPLE_SKIP_MAX;
    return isfinite(t->left) && !signbit(t->left);
}

/* The stratum that is read next: `rest`, or a group, whose names ascend. */
static sample_stratum *next_stratum(bpk_sample *s, bool pooled, const sample_key *key, uint32_t kept, bpki_in *r) {
    sample_stratum *made = NULL;
    if (!bpki_in_ok(r)) return NULL;
    if (pooled || !s->groups) {
        bool last = s->groups ? s->named == s->groups && s->rest.n == 0 : !pooled;
        if (key->hash || key->len || !last) bpki_in_fail(r, BPK_E_CORRUPT, "group");
        return bpki_in_ok(r) ? &s->rest : NULL;
    }
    bool ascend = true;
    if (s->named) {
        sample_key largest = bpki_sample_key_of(&s->strata[s->order[0]]);
        ascend = bpki_sample_compare(&largest, key) < 0;
    }
    if (s->named == s->groups || s->rest.n || !ascend) bpki_in_fail(r, BPK_E_CORRUPT, "group");
    if (!bpki_in_ok(r) || !took(r, bpki_sample_group(s, key, kept, &made))) return NULL;
    return made;
}

/* What is wrong with several fields together is wrong at the start of the stratum. */
static uint64_t read_stratum(bpk_sample *s, bpki_in *r) {
    const uint8_t *start = r->at;
    uint8_t flags = bpki_in_u8(r, "flags");
    if (flags > (POOLED | DRAWN)) bpki_in_fail(r, BPK_E_CORRUPT, "flags");
    size_t first = bpki_in_u8(r, "weight"), words = bpki_in_u8(r, "weight");
    bpki_in_zeros(r, 1, "reserved");
    uint32_t kept = bpki_in_u32(r, "kept");
    if (kept > s->k || kept > bpki_in_left(r) / sample_entry_size(s->weighted)) bpki_in_fail(r, BPK_E_CORRUPT, "kept");
    uint64_t n = bpki_in_u64(r, "n");
    if (kept > n || n > s->n || (s->groups && n == 0)) bpki_in_fail(r, BPK_E_CORRUPT, "n");
    sample_key key = {.hash = bpki_in_u64(r, "group")};
    uint64_t left = bpki_in_u64(r, "left");
    key.len = bpki_in_u32(r, "group");
    bpki_in_zeros(r, 4, "reserved");
    bpki_in ahead = *r;
    bpki_in_bytes(&ahead, 8 * words, "weight"); /* the name stands behind them */
    key.name = bpki_in_bytes(&ahead, key.len, "group");
    if (!bpki_in_ok(&ahead)) *r = ahead;
    r->field_at = bpki_in_ok(r) ? start : r->field_at;
    sample_stratum *t = next_stratum(s, flags & POOLED, &key, kept, r);
    if (!t) return 0;
    read_sum(s, t, first, words, r);
    bpki_in_bytes(r, key.len, "group");
    t->n = n;
    t->drawn = flags & DRAWN;
    if (s->weighted) memcpy(&t->left, &left, sizeof left);
    else t->skip = left;
    read_entries(s, t, kept, r);
    r->field_at = bpki_in_ok(r) ? start : r->field_at;
    if (bpki_in_ok(r) && !kept_valid(s, t)) bpki_in_fail(r, BPK_E_CORRUPT, "kept");
    if (bpki_in_ok(r) && !skip_valid(s, t, left)) bpki_in_fail(r, BPK_E_CORRUPT, "left");
    return n;
}

typedef struct origin {
    uint64_t at;
    uint32_t source;
} origin;

static int by_origin(const void *a, const void *b) {
    const origin *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* One record is kept once. */
static void check_origins(const bpk_sample *s, bpki_in *r) {
    size_t n = (size_t)bpk_sample_kept(s), at = 0;
    void *p;
    if (!bpki_in_ok(r) || !took(r, bpki_alloc(&s->base.env, n * sizeof(origin), &p))) return;
    origin *all = p;
    for (size_t i = 0; i < bpki_sample_strata_n(s); i++) {
        const sample_stratum *t = bpki_sample_stratum_at(s, i);
        for (uint32_t j = 0; j < t->kept; j++) all[at++] = (origin){t->entry[j].at, t->entry[j].source};
    }
    if (n) qsort(all, n, sizeof *all, by_origin);
    for (size_t i = 1; i < n; i++)
        if (by_origin(&all[i - 1], &all[i]) == 0) bpki_in_fail(r, BPK_E_CORRUPT, "at");
    bpki_release(&s->base.env, all, n * sizeof *all);
}

static bpk_status read_body(bpk_sample *s, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    uint64_t left = 0;
    uint32_t sources = bpki_in_u32(&r, "sources");
    if (sources == 0 || sources > bpki_in_left(&r) / SAMPLE_SOURCE) bpki_in_fail(&r, BPK_E_CORRUPT, "sources");
    uint32_t strata = bpki_in_u32(&r, "strata");
    if (strata > (s->groups ? s->groups + UINT64_C(1) : 1) || (!s->groups && !strata))
        bpki_in_fail(&r, BPK_E_CORRUPT, "strata");
    if (strata > bpki_in_left(&r) / SAMPLE_STRATUM) bpki_in_fail(&r, BPK_E_CORRUPT, "strata");
    read_sources(s, sources, &r);
    if (s->groups && bpki_in_ok(&r)) took(&r, bpki_sample_room(s, strata < s->groups ? strata : s->groups));
    left = s->n;
    for (uint32_t i = 0; i < strata && bpki_in_ok(&r); i++) {
        uint64_t n = read_stratum(s, &r);
        if (n > left) bpki_in_fail(&r, BPK_E_CORRUPT, "n");
        left -= n <= left ? n : 0;
    }
    if (left) bpki_in_fail(&r, BPK_E_CORRUPT, "n");
    check_origins(s, &r);
    return bpki_in_end(&r, "strata", err);
}

bpk_status bpki_sample_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    bpk_sample_config cfg = {.k = 0};
    bpk_sample *s;
    BPK_TRY(read_params(&cfg, e, err));
    BPK_TRY(bpki_sample_make(&s, &cfg, env));
    bpk_status st = read_body(s, e, err);
    if (st == BPK_OK) *out = &s->base;
    else bpki_sample_release(&s->base);
    return st;
}
