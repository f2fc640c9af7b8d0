/* limit_wire.c - inside the limit room: state to bytes and back. docs/format.md, section limit, is normative.
 *
 *   parameters, 40 bytes   u8 method, u8 depth, u8 coding, 0, u32 width, u64 limit, u64 period, u32 burst (0 with
 *                          windows), u32 refunds, u64 now
 *   coding 0               cells as u32: units from now on, 0 where that is over; or the counts of the present and then
 *                          of the previous window
 *   coding 1               form small alone, and always where it is smaller: packed as cells_pack.h says
 *   refunds                behind the cells, ascending: u64 hash, u32 own, u32 until; units from now on
 *
 * Memory counts from another origin than now, and what is over may stand there or not: bytes have neither.
 */
#include "cells_pack.h"
#include "limit_state.h"

enum { AT_CODING = BPKI_HEADER + 2, SOME = 256 /* cells at a time */ };

static_assert(sizeof(bpk_limit) <= sizeof(bpk_view), "a view holds the object");

/* ---- encoding ---- */

typedef void (*cells_fn)(void *ctx, const bpki_cells *some);

/* All cells in the order of the body, some at a time. */
static void each_some(const bpk_limit *l, cells_fn fn, void *ctx) {
    uint8_t bytes[SOME * LIMIT_CELL];
    uint64_t all = limit_cell_bytes(l) / LIMIT_CELL;
    for (uint64_t i = 0; i < all; i += SOME) {
        size_t n = all - i < SOME ? (size_t)(all - i) : SOME;
        limit_method_of(l)->read(l, i, n, bytes);
        fn(ctx, &(bpki_cells){bytes, n, 1, LIMIT_CELL, UINT32_MAX});
    }
}

static void pack_some(void *ctx, const bpki_cells *some) {
    bpki_pack_cells(ctx, some);
}
static void write_some(void *ctx, const bpki_cells *some) {
    bpki_out_bytes(ctx, some->bytes, (size_t)some->width * LIMIT_CELL);
}

static uint64_t pack(const bpk_limit *l, bpki_out *o) {
    bpki_pack k;
    bpki_pack_start(&k, o);
    each_some(l, pack_some, &k);
    return bpki_pack_end(&k);
}

static uint64_t refund_bytes(const bpk_limit *l) {
    return (uint64_t)bpki_limit_refunds_left(l, NULL) * LIMIT_REFUND;
}

uint64_t bpki_limit_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_limit *l = (const bpk_limit *)s;
    uint64_t raw = limit_cell_bytes(l), packed = f == BPK_FORM_SMALL ? pack(l, NULL) : UINT64_MAX;
    return (packed < raw ? packed : raw) + refund_bytes(l);
}

/* What the announced length says: working it out again would take another pass over the cells. */
static uint8_t coding_of(const bpk_limit *l, const bpki_out *o) {
    return bpki_out_body_n(o) < limit_cell_bytes(l) + refund_bytes(l) ? BPKI_CODING_VARINT : BPKI_CODING_RAW;
}

void bpki_limit_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_limit *l = (const bpk_limit *)s;
    (void)f;
    bpki_out_u8(o, l->method);
    bpki_out_u8(o, (uint8_t)l->cells.depth);
    bpki_out_u8(o, coding_of(l, o));
    bpki_out_zeros(o, 1);
    bpki_out_u32(o, (uint32_t)l->cells.width);
    bpki_out_u64(o, l->limit);
    bpki_out_u64(o, l->rate.period);
    bpki_out_u32(o, l->burst);
    bpki_out_u32(o, bpki_limit_refunds_left(l, NULL));
    bpki_out_u64(o, l->now);
}

void bpki_limit_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_limit *l = (const bpk_limit *)s;
    (void)f;
    if (coding_of(l, o) == BPKI_CODING_VARINT) pack(l, o);
    else each_some(l, write_some, o);
    bpki_limit_refunds_left(l, o);
}

/* ---- decoding ---- */

typedef struct params {
    bpk_limit_config cfg;
    uint64_t now;
    uint32_t refunds;
    uint8_t coding;
    size_t cells, packed; /* bytes of the cells in memory and in the body */
} params;

static void read_shape(params *p, bpki_in *r) {
    p->cfg.method = bpki_in_u8(r, "method");
    if (p->cfg.method > BPK_LIMIT_WINDOWS) bpki_in_fail(r, BPK_E_VERSION, "method");
    p->cfg.depth = bpki_in_u8(r, "depth");
    if (p->cfg.depth < 1 || p->cfg.depth > BPK_LIMIT_DEPTH_MAX) bpki_in_fail(r, BPK_E_CORRUPT, "depth");
}

static void read_rate(params *p, bpki_in *r) {
    bpk_limit_config *cfg = &p->cfg;
    bool windows = cfg->method == BPK_LIMIT_WINDOWS;
    cfg->width = bpki_in_u32(r, "width");
    if (cfg->width < 1) bpki_in_fail(r, BPK_E_CORRUPT, "width");
    cfg->limit = bpki_in_u64(r, "limit");
    if (cfg->limit < 1 || cfg->limit > bpki_limit_events_max(cfg->method)) bpki_in_fail(r, BPK_E_CORRUPT, "limit");
    cfg->period = bpki_in_u64(r, "period");
    if (cfg->period < 1) bpki_in_fail(r, BPK_E_CORRUPT, "period");
    cfg->burst = bpki_in_u32(r, "burst");
    if (windows ? cfg->burst > 0 : cfg->burst < 1 || cfg->burst > BPK_LIMIT_BURST_MAX)
        bpki_in_fail(r, BPK_E_CORRUPT, "burst");
    p->refunds = bpki_in_u32(r, "refunds");
    if (p->refunds > (windows ? 0 : BPK_LIMIT_REFUNDS_MAX)) bpki_in_fail(r, BPK_E_CORRUPT, "refunds");
}

static void read_coding(params *p, bpki_in *r, const bpki_envelope *e) {
    p->coding = bpki_in_u8(r, "coding");
    if (p->coding > BPKI_CODING_VARINT) bpki_in_fail(r, BPK_E_VERSION, "coding");
    if (p->coding && e->form == BPK_FORM_VIEW) bpki_in_fail(r, BPK_E_CORRUPT, "coding");
}

/* Raw bodies have the bytes of the cells and the refunds, packed ones fewer. */
static bpk_status check_size(params *p, const bpki_envelope *e, bpk_err *err) {
    unsigned halves = p->cfg.method == BPK_LIMIT_WINDOWS ? 2 : 1;
    uint64_t refunds = (uint64_t)p->refunds * LIMIT_REFUND;
    bool fits = bpki_cells_size(p->cfg.width, p->cfg.depth * halves, LIMIT_CELL, &p->cells) && e->body_n >= refunds;
    if (fits && p->coding == BPKI_CODING_VARINT && e->body_n - refunds >= p->cells)
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    if (!fits || (p->coding == BPKI_CODING_RAW && e->body_n - refunds != p->cells))
        return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(e->body - e->start));
    p->packed = (size_t)(e->body_n - refunds);
    return BPK_OK;
}

static bpk_status read_params(params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, LIMIT_PARAMS, e->start);
    p->cfg = (bpk_limit_config){.domain = e->domain};
    read_shape(p, &r);
    read_coding(p, &r, e);
    bpki_in_zeros(&r, 1, "reserved");
    read_rate(p, &r);
    p->now = bpki_in_u64(&r, "now");
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    return check_size(p, e, err);
}

/* An object whose cells and refunds are in the body; only read. */
static bpk_status place(bpk_limit *l, const params *p, const bpki_envelope *e) {
    const uint8_t *body = e->body, *behind = e->body + p->packed;
    memset(l, 0, sizeof *l);
    BPK_TRY(bpki_sketch_init(&l->base, &bpki_limit_ops, &e->domain, NULL));
    bpki_limit_configure(l, &p->cfg);
    l->cells = (bpki_cells){NULL, p->cfg.width, p->cfg.depth, LIMIT_CELL, UINT32_MAX};
    memcpy(&l->cells.bytes, &body, sizeof body);
    memcpy(&l->refunds.bytes, &behind, sizeof behind);
    l->refunds.n = p->refunds;
    bpki_limit_start(l, p->now);
    return BPK_OK;
}

/* All cells in one row, in the order of the body. */
static bpki_cells row_of(const bpk_limit *l) {
    return (bpki_cells){l->cells.bytes, limit_cell_bytes(l) / LIMIT_CELL, 1, LIMIT_CELL, limit_method_of(l)->most(l)};
}

/* The first window has none before it; nothing is further ahead than a burst. */
static bpk_status cells_valid(const bpk_limit *l, const bpki_envelope *e, bpk_err *err) {
    bpki_cells all = row_of(l), previous = l->cells;
    bool wrong = !bpki_cells_valid(&all);
    if (l->method == BPK_LIMIT_WINDOWS && l->now < l->rate.period) {
        previous.bytes += limit_half_bytes(l);
        wrong = bpki_cells_zeros(&previous, 0) < previous.width * previous.depth;
    }
    return wrong ? bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(e->body - e->start)) : BPK_OK;
}

/* Hashes ascend; own is before until, and until not after the least cell of the hash. */
static bpk_status refunds_valid(const bpk_limit *l, const params *p, const bpki_envelope *e, bpk_err *err) {
    uint64_t last = 0;
    limit_present present = bpki_limit_present(l, l->now);
    for (size_t i = 0; i < l->refunds.n; i++) {
        const uint8_t *at = l->refunds.bytes + i * LIMIT_REFUND;
        uint64_t hash = bpki_load64(at);
        uint32_t own = bpki_load32(at + 8), until = bpki_load32(at + 12);
        bool fits = own < until && until <= bpki_limit_least(l, hash, present);
        if (!fits || (i > 0 && hash <= last))
            return bpki_fail_at(err, BPK_E_CORRUPT, "refunds",
                                (size_t)(e->body - e->start) + p->packed + i * LIMIT_REFUND);
        last = hash;
    }
    return BPK_OK;
}

static bpk_status contents_valid(const bpk_limit *l, const params *p, const bpki_envelope *e, bpk_err *err) {
    BPK_TRY(cells_valid(l, e, err));
    return refunds_valid(l, p, e, err);
}

/* The cells are those that the writer would have written, in the coding that it would have chosen. */
static bpk_status check_cells(const params *p, const bpki_envelope *e, bpk_err *err) {
    bpk_limit there;
    BPK_TRY(place(&there, p, e));
    bpki_cells row = row_of(&there);
    if (p->coding == BPKI_CODING_VARINT) return bpki_packed_check(e->body, p->packed, &row, e->start, err);
    if (e->form == BPK_FORM_SMALL && pack(&there, NULL) < p->cells)
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    return BPK_OK;
}

static bpk_status read_refunds(bpk_limit *l, const params *p, const bpki_envelope *e) {
    void *bytes;
    size_t n = p->refunds * (size_t)LIMIT_REFUND;
    BPK_TRY(bpki_alloc(&l->base.env, n, &bytes));
    if (n) memcpy(bytes, e->body + p->packed, n);
    l->refunds = (limit_refunds){bytes, p->refunds, p->refunds, l->swept};
    return BPK_OK;
}

bpk_status bpki_limit_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    params p;
    bpk_limit *l;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(check_cells(&p, e, err));
    BPK_TRY(bpk_limit_new(&l, &p.cfg, env));
    bpki_limit_start(l, p.now);
    bpki_cells row = row_of(l);
    if (p.coding == BPKI_CODING_VARINT) bpki_packed_read(&row, e->body, p.packed);
    else memcpy(l->cells.bytes, e->body, p.cells);
    bpk_status st = read_refunds(l, &p, e);
    if (st == BPK_OK) st = contents_valid(l, &p, e, err);
    if (st == BPK_OK) *out = &l->base;
    else bpki_limit_release(&l->base);
    return st;
}

bpk_status bpki_limit_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    params p;
    BPK_TRY(read_params(&p, e, err));
    memset(v, 0, sizeof *v);
    bpk_limit *l = (bpk_limit *)(void *)v->opaque;
    BPK_TRY(place(l, &p, e));
    return contents_valid(l, &p, e, err);
}
