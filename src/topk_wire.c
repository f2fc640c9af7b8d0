/* topk_wire.c - inside the topk room: state to bytes and back. docs/format.md, section topk, is normative.
 *
 *   parameters, 64 bytes   u32 k, u32 candidates, u64 name bytes at most, u64 half-life, u64 total, u64 draws,
 *                          u64 now (0 without half-life), u64 threshold, u32 names, u8 b, u8 l, u8 level, u8 names
 *                          short
 *   body                   2^b buckets of 128 bytes; light row 0 and row 1, 2^l bytes each; names in ascending order of
 *                          ways: u32 way, u32 true length, at most 65,535 bytes
 *
 * The same in both forms. What is derived (memo) is zero here and rebuilt. A checksum belongs around it: most changes
 * of a single score obey every rule.
 */
#include "topk_state.h"

enum { PARAMS = 64 };

static size_t fixed_size(const topk_shape *s) {
    return topk_buckets(s) * TOPK_BUCKET + ((size_t)TOPK_ROWS << s->l);
}

/* ---- writing ---- */

uint64_t bpki_topk_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_topk *t = (const bpk_topk *)s;
    (void)f;
    if (t->view) return fixed_size(&t->shape) + t->wire_names_n;
    return fixed_size(&t->shape) + 8 * (uint64_t)t->names_n + t->name_bytes;
}

static unsigned level_of(const bpk_topk *t) {
    return bpki_bit_length(t->light.cell_bytes) - 1;
}

void bpki_topk_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_topk *t = (const bpk_topk *)s;
    (void)f;
    bpki_out_u32(o, t->shape.k);
    bpki_out_u32(o, t->shape.candidates);
    bpki_out_u64(o, t->shape.name_bytes_max);
    bpki_out_u64(o, t->shape.half_life);
    bpki_out_u64(o, t->total);
    bpki_out_u64(o, t->draws);
    bpki_out_u64(o, t->time.now);
    bpki_out_u64(o, t->threshold);
    bpki_out_u32(o, t->names_n);
    bpki_out_u8(o, t->shape.b);
    bpki_out_u8(o, t->shape.l);
    bpki_out_u8(o, (uint8_t)level_of(t));
    bpki_out_u8(o, t->names_short);
}

void bpki_topk_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_topk *t = (const bpk_topk *)s;
    (void)f;
    for (size_t at = 0; at < topk_buckets(&t->shape); at++) {
        uint8_t bucket[TOPK_BUCKET];
        memcpy(bucket, topk_bucket_at(t, at), sizeof bucket);
        bpki_store16(bucket + 54, 0);
        bpki_out_bytes(o, bucket, sizeof bucket);
    }
    bpki_out_bytes(o, t->light.bytes, (size_t)TOPK_ROWS << t->shape.l);
    if (t->view) bpki_out_bytes(o, t->wire_names, t->wire_names_n);
    topk_walk w = {0, 0};
    for (const topk_name *name; !t->view && (name = bpki_topk_next_name(t, &w));) {
        bpki_out_u32(o, name->way);
        bpki_out_u32(o, name->len);
        bpki_out_bytes(o, name->bytes, topk_kept(name->len));
    }
}

/* ---- reading ---- */

typedef struct params {
    topk_shape shape;
    uint64_t total, draws, threshold, now;
    uint32_t names_n;
    uint8_t level;
    bool names_short;
} params;

static void read_shape(params *p, bpki_in *r) {
    p->names_n = bpki_in_u32(r, "names");
    if (p->names_n > p->shape.candidates) bpki_in_fail(r, BPK_E_CORRUPT, "names");
    p->shape.b = bpki_in_u8(r, "buckets");
    if (p->shape.b < 1 || p->shape.b > TOPK_BUCKETS_LG_MAX) bpki_in_fail(r, BPK_E_CORRUPT, "buckets");
    p->shape.l = bpki_in_u8(r, "light");
    if (p->shape.l < TOPK_LIGHT_LG_MIN || p->shape.l > TOPK_LIGHT_LG_MAX) bpki_in_fail(r, BPK_E_CORRUPT, "light");
    p->level = bpki_in_u8(r, "level");
    if (p->level > 3) bpki_in_fail(r, BPK_E_CORRUPT, "level");
    uint8_t names_short = bpki_in_u8(r, "names_short");
    if (names_short > 1) bpki_in_fail(r, BPK_E_CORRUPT, "names_short");
    p->names_short = names_short;
}

static bpk_status read_params(params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, PARAMS, e->start);
    *p = (params){0};
    p->shape.k = bpki_in_u32(&r, "k");
    if (p->shape.k < 1 || p->shape.k > TOPK_K_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "k");
    p->shape.candidates = bpki_in_u32(&r, "candidates");
    if (p->shape.candidates / 2 < p->shape.k || p->shape.candidates > TOPK_CANDIDATES_MAX)
        bpki_in_fail(&r, BPK_E_CORRUPT, "candidates");
    p->shape.name_bytes_max = bpki_in_u64(&r, "name bytes");
    p->shape.half_life = bpki_in_u64(&r, "half_life");
    p->total = bpki_in_u64(&r, "total");
    p->draws = bpki_in_u64(&r, "draws");
    p->now = bpki_in_u64(&r, "now");
    if (p->now && !p->shape.half_life) bpki_in_fail(&r, BPK_E_CORRUPT, "now");
    p->threshold = bpki_in_u64(&r, "threshold");
    read_shape(p, &r);
    return bpki_in_end(&r, "parameters", err);
}

/* Occupied ways first, with different fingerprints and a score, unless it may have decayed; empty ways blank; bases are
 * floats not above the scores. */
static bool bucket_valid(const uint8_t *bucket, bool decays) {
    bool empty = false;
    for (unsigned j = 0; j < TOPK_WAYS; j++) {
        uint32_t fp = topk_fp(bucket, j);
        uint16_t base = bpki_load16(bucket + 36 + (size_t)2 * j);
        uint64_t score = topk_score(bucket, j);
        empty |= fp == 0;
        if (empty ? fp || base || score : !score && !decays) return false;
        if (score > TOPK_SCORE_MAX || base > TOPK_BASE_MAX || topk_float_value(base) > score) return false;
        if (fp && topk_find(bucket, fp) != j) return false;
    }
    return topk_memo(bucket) == 0;
}

/* What is kept was added, and a table that never was full has lost nothing but by decay, which may also leave a total
 * without any way. */
static bool sums_valid(const params *p, const uint8_t *body, const bpki_cells *light) {
    bool any_full = false, any = false;
    uint64_t kept = 0;
    for (size_t at = 0; at < topk_buckets(&p->shape); at++) {
        const uint8_t *bucket = body + at * TOPK_BUCKET;
        any |= topk_fp(bucket, 0) != 0;
        any_full |= topk_full(bucket);
        for (unsigned j = 0; j < TOPK_WAYS; j++) kept = bpki_add_sticky(kept, topk_since(bucket, j), UINT64_MAX);
    }
    bool lost = bpki_cells_largest(light, 0) || bpki_cells_largest(light, 1);
    if (kept > p->total || !bpki_cells_valid(light)) return false;
    if (p->shape.half_life && p->total) return true;
    if (!any_full && (lost || p->draws || p->level)) return false;
    return p->total ? any : !any && !p->threshold && !p->names_n && !p->names_short;
}

/* Whether a whole key belongs to its way; only where the hash needs no secret and is one of the bytes. */
static bool key_fits(const params *p, const bpk_domain *d, const uint8_t *body, uint32_t way, const uint8_t *key,
                     uint32_t len) {
    if (d->secret || d->type != BPK_BYTES || len > BPK_TOPK_KEY_MAX) return true;
    bpk_hasher h = {.domain = *d};
    uint64_t hash = bpk_hash(&h, key, len);
    bool bucket = (hash >> 32 >> (32 - p->shape.b)) == way / TOPK_WAYS;
    return bucket && topk_fingerprint(hash) == topk_fp(body + way / TOPK_WAYS * (size_t)TOPK_BUCKET, way % TOPK_WAYS);
}

/* Ascending ways that are occupied, keys that belong there; and enough of them at the threshold. */
static void check_names(const params *p, const bpk_domain *d, const uint8_t *body, bpki_in *r) {
    uint64_t bytes = 0, reach = 0;
    int64_t last = -1;
    for (uint32_t i = 0; i < p->names_n && bpki_in_ok(r); i++) {
        uint32_t way = bpki_in_u32(r, "names"), len = bpki_in_u32(r, "names");
        const uint8_t *key = bpki_in_bytes(r, topk_kept(len), "names");
        bool inside = way < topk_buckets(&p->shape) * TOPK_WAYS && (int64_t)way > last;
        const uint8_t *bucket = body + (inside ? way / TOPK_WAYS : 0) * (size_t)TOPK_BUCKET;
        if (!inside || !topk_fp(bucket, way % TOPK_WAYS)) bpki_in_fail(r, BPK_E_CORRUPT, "names");
        if (bpki_in_ok(r) && !key_fits(p, d, body, way, key, len)) bpki_in_fail(r, BPK_E_CORRUPT, "names");
        if (bpki_in_ok(r)) reach += topk_score(bucket, way % TOPK_WAYS) >= p->threshold;
        bytes += topk_kept(len);
        last = way;
    }
    if (bytes > p->shape.name_bytes_max) bpki_in_fail(r, BPK_E_CORRUPT, "names");
    if (p->threshold && reach < p->shape.candidates / 2 && !p->names_short) bpki_in_fail(r, BPK_E_CORRUPT, "threshold");
}

/* The checked body: buckets, light part and names in place. */
static bpk_status check_body(const params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    const uint8_t *body = bpki_in_bytes(&r, topk_buckets(&p->shape) * TOPK_BUCKET, "buckets");
    for (size_t at = 0; body && at < topk_buckets(&p->shape); at++) {
        r.field_at = body + at * TOPK_BUCKET;
        if (!bucket_valid(r.field_at, p->shape.half_life)) bpki_in_fail(&r, BPK_E_CORRUPT, "buckets");
    }
    const uint8_t *rows = bpki_in_bytes(&r, (size_t)TOPK_ROWS << p->shape.l, "light");
    if (body && rows) {
        bpki_cells light;
        uint8_t *bytes;
        memcpy(&bytes, &rows, sizeof bytes); /* only read */
        bpki_topk_light_start(&light, bytes, p->shape.l, p->level);
        if (!sums_valid(p, body, &light)) bpki_in_fail(&r, BPK_E_CORRUPT, "total");
        if (bpki_in_ok(&r)) check_names(p, &e->domain, body, &r);
    }
    return bpki_in_end(&r, "names", err);
}

static void set_state(bpk_topk *t, const params *p) {
    t->shape = p->shape;
    t->total = p->total;
    t->draws = p->draws;
    t->threshold = p->threshold;
    t->time = bpki_moment_of(p->shape.half_life, p->now);
    t->names_short = p->names_short;
}

/* Names are taken over before anything counts on them: a way may only be marked when its name is there. */
static bpk_status copy_names(bpk_topk *t, const uint8_t *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t way = bpki_load32(at), len = bpki_load32(at + 4);
        BPK_TRY(bpki_topk_append_name(t, way, len, at + 8));
        at += 8 + topk_kept(len);
    }
    return BPK_OK;
}

/* An object from checked parts. */
static bpk_status build(bpk_topk **out, const params *p, const bpk_domain *d, const uint8_t *body, const bpk_env *env) {
    bpk_topk *t;
    size_t table = topk_buckets(&p->shape) * TOPK_BUCKET;
    BPK_TRY(bpki_topk_make(&t, d, &p->shape, env));
    set_state(t, p);
    memcpy(t->bucket, body, fixed_size(&p->shape));
    bpki_topk_light_start(&t->light, t->bucket + table, p->shape.l, p->level);
    for (size_t at = 0; at < topk_buckets(&p->shape); at++) {
        bpki_store16(topk_bucket_at(t, at) + 54, 0);
        topk_find_smallest(topk_bucket_at(t, at));
    }
    bpk_status st = copy_names(t, body + fixed_size(&p->shape), p->names_n);
    if (st == BPK_OK) *out = t;
    else bpki_topk_release(&t->base);
    return st;
}

bpk_status bpki_topk_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    params p;
    bpk_topk *t;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(check_body(&p, e, err));
    BPK_TRY(build(&t, &p, &e->domain, e->body, env));
    *out = &t->base;
    return BPK_OK;
}

bpk_status bpki_topk_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    params p;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(check_body(&p, e, err));
    memset(v, 0, sizeof *v);
    bpk_topk *t = (bpk_topk *)(void *)v->opaque;
    BPK_TRY(bpki_sketch_init(&t->base, &bpki_topk_ops, &e->domain, NULL));
    set_state(t, &p);
    memcpy(&t->bucket, &e->body, sizeof t->bucket); /* read only from here on */
    bpki_topk_light_start(&t->light, t->bucket + topk_buckets(&p.shape) * TOPK_BUCKET, p.shape.l, p.level);
    t->names_n = p.names_n;
    t->wire_names = e->body + fixed_size(&p.shape);
    t->wire_names_n = (size_t)e->body_n - fixed_size(&p.shape);
    t->view = true;
    return BPK_OK;
}

/* ---- copying, along the same path ---- */

bpk_status bpki_topk_copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_topk *t = (const bpk_topk *)s;
    params p = {t->shape, t->total, t->draws, t->threshold, t->time.now, 0, (uint8_t)level_of(t), t->names_short};
    topk_names names;
    bpk_topk *made;
    BPK_TRY(bpki_topk_borrow_names(&names, t));
    bpk_status st = build(&made, &p, &s->domain, t->bucket, env);
    for (uint32_t i = 0; i < names.n && st == BPK_OK; i++) {
        st = bpki_topk_append_name(made, names.name[i].way, names.name[i].len, names.name[i].bytes);
        if (st != BPK_OK) bpki_topk_release(&made->base);
    }
    bpki_topk_return_names(&names, t);
    if (st != BPK_OK) return st;
    made->reduced = t->reduced;
    *out = &made->base;
    return BPK_OK;
}
