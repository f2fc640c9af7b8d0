/* cms_wire.c - inside the cms room: state to bytes and back. docs/format.md, section cms, is normative.
 *
 *   parameters, 40 bytes   u32 width, u32 depth, u8 cell bytes, u8 update, u8 coding, a zero, u32 rounding, u64 total,
 *                          u64 half-life, u64 now (0 without half-life)
 *   coding 0               the cells as they are in memory, row by row
 *   coding 1               form small alone, and always where it is smaller: packed as cells_pack.h says
 */
#include "cells_pack.h"
#include "cms_state.h"

enum {
    AT_CODING = BPKI_HEADER + 10,
    AT_TOTAL = BPKI_HEADER + 16,
    AT_ROUNDING = 12, /* of the parameters */
};

static_assert(sizeof(bpk_cms) <= sizeof(bpk_view), "a view holds the object");

static uint64_t packed_size(const bpki_cells *c) {
    bpki_pack k;
    bpki_pack_start(&k, NULL);
    bpki_pack_cells(&k, c);
    return bpki_pack_end(&k);
}

static void write_packed(const bpki_cells *c, bpki_out *o) {
    bpki_pack k;
    bpki_pack_start(&k, o);
    bpki_pack_cells(&k, c);
    bpki_pack_end(&k);
}

/* ---- encoding ---- */

uint64_t bpki_cms_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_cms *c = (const bpk_cms *)s;
    uint64_t packed = f == BPK_FORM_SMALL ? packed_size(&c->cells) : UINT64_MAX;
    return packed < cms_bytes(c) ? packed : cms_bytes(c);
}

/* What the announced length says: working it out again would take another pass over the cells. */
static uint8_t coding_of(const bpk_cms *c, const bpki_out *o) {
    return bpki_out_body_n(o) < cms_bytes(c) ? BPKI_CODING_VARINT : BPKI_CODING_RAW;
}

void bpki_cms_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cms *c = (const bpk_cms *)s;
    (void)f;
    bpki_out_u32(o, (uint32_t)c->cells.width);
    bpki_out_u32(o, c->cells.depth);
    bpki_out_u8(o, c->cells.cell_bytes);
    bpki_out_u8(o, c->conservative);
    bpki_out_u8(o, coding_of(c, o));
    bpki_out_u8(o, 0);
    bpki_out_u32(o, c->rounding);
    bpki_out_u64(o, c->total);
    bpki_out_u64(o, c->half_life);
    bpki_out_u64(o, c->time.now);
}

void bpki_cms_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cms *c = (const bpk_cms *)s;
    (void)f;
    if (coding_of(c, o) == BPKI_CODING_VARINT) write_packed(&c->cells, o);
    else bpki_out_bytes(o, c->cells.bytes, cms_bytes(c));
}

/* ---- decoding ---- */

typedef struct params {
    bpk_cms_config cfg;
    uint64_t total, now;
    uint32_t rounding;
    uint8_t coding;
    size_t size; /* bytes of the cells */
} params;

static uint8_t read_coding(bpki_in *r, const bpki_envelope *e) {
    uint8_t coding = bpki_in_u8(r, "coding");
    if (coding > BPKI_CODING_VARINT) bpki_in_fail(r, BPK_E_VERSION, "coding");
    if (coding && e->form == BPK_FORM_VIEW) bpki_in_fail(r, BPK_E_CORRUPT, "coding");
    return coding;
}

/* Raw bodies have the bytes of the cells, packed ones fewer. */
static bpk_status check_size(params *p, const bpki_envelope *e, bpk_err *err) {
    bool fits = bpki_cells_size(p->cfg.width, p->cfg.depth, p->cfg.cell_bytes, &p->size);
    if (fits && p->coding == BPKI_CODING_VARINT && e->body_n >= p->size)
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    if (!fits || (p->coding == BPKI_CODING_RAW && e->body_n != p->size))
        return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(e->body - e->start));
    return BPK_OK;
}

static bpk_status read_params(params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, CMS_PARAMS, e->start);
    p->cfg = (bpk_cms_config){.domain = e->domain};
    p->cfg.width = bpki_in_u32(&r, "width");
    if (p->cfg.width < 1) bpki_in_fail(&r, BPK_E_CORRUPT, "width");
    p->cfg.depth = bpki_in_u32(&r, "depth");
    if (p->cfg.depth < 1 || p->cfg.depth > BPK_CMS_DEPTH_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "depth");
    p->cfg.cell_bytes = bpki_in_u8(&r, "cell_bytes");
    if (!cms_shape_valid(1, 1, p->cfg.cell_bytes)) bpki_in_fail(&r, BPK_E_CORRUPT, "cell_bytes");
    p->cfg.conservative = bpki_in_u8(&r, "update");
    if (p->cfg.conservative > 1) bpki_in_fail(&r, BPK_E_VERSION, "update");
    p->coding = read_coding(&r, e);
    bpki_in_zeros(&r, 1, "reserved");
    p->rounding = bpki_in_u32(&r, "rounding");
    p->total = bpki_in_u64(&r, "total");
    p->cfg.half_life = bpki_in_u64(&r, "half_life");
    if (!cms_cell_decays(p->cfg.cell_bytes, p->cfg.half_life)) bpki_in_fail(&r, BPK_E_CORRUPT, "half_life");
    p->now = bpki_in_u64(&r, "now");
    if (p->now && !p->cfg.half_life) bpki_in_fail(&r, BPK_E_CORRUPT, "now");
    bool rounds = p->cfg.half_life ? p->total > 0 : p->cfg.conservative; /* by decay, or halved by hand */
    if (p->rounding && !rounds) {
        r.field_at = e->params + AT_ROUNDING;
        bpki_in_fail(&r, BPK_E_CORRUPT, "rounding");
    }
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    return check_size(p, e, err);
}

static bpki_cells cells_of(const params *p, const uint8_t *body) {
    uint8_t *bytes;
    memcpy(&bytes, &body, sizeof bytes); /* only read */
    return cms_cells(bytes, p->cfg.width, p->cfg.depth, p->cfg.cell_bytes);
}

/* By how much cells may be above what was added to them: each in use by what was rounded. */
static uint64_t rounded_up(const params *p, uint64_t used) {
    if (!p->cfg.half_life) return 0;
    return p->rounding == UINT32_MAX ? UINT64_MAX : used * p->rounding; /* 32 bits by 32 bits */
}

/* What can be known without the items. Plain: each row adds up to the total. Conservative: to no more. A cell at its
 * end hides what it lost, and stays there where all else is halved; a total at its end hides it, too. */
static bpk_status cells_valid(const bpki_cells *c, const params *p, bpk_err *err) {
    for (uint32_t r = 0; r < c->depth; r++) {
        bpki_census row = bpki_cells_census(c, r);
        bool hidden = row.full && (!p->cfg.conservative || p->rounding);
        bool above = row.sum > bpki_add_sticky(p->total, rounded_up(p, row.used), UINT64_MAX);
        bool below = !p->cfg.conservative && row.sum < p->total;
        if (!hidden && (above || below) && p->total != UINT64_MAX)
            return bpki_fail_at(err, BPK_E_CORRUPT, "total", AT_TOTAL);
    }
    return BPK_OK;
}

static void set_state(bpk_cms *c, const params *p) {
    c->total = p->total;
    c->rounding = p->rounding;
    c->half_life = p->cfg.half_life;
    c->time = bpki_moment_of(p->cfg.half_life, p->now);
}

/* The body is the one that the writer would have chosen. */
static bpk_status check_body(const params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_cells shape = cells_of(p, e->body);
    if (p->coding == BPKI_CODING_VARINT) return bpki_packed_check(e->body, (size_t)e->body_n, &shape, e->start, err);
    if (e->form == BPK_FORM_SMALL && packed_size(&shape) < p->size)
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    return BPK_OK;
}

bpk_status bpki_cms_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    params p;
    bpk_cms *c;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(check_body(&p, e, err));
    BPK_TRY(bpk_cms_new(&c, &p.cfg, env));
    if (p.coding == BPKI_CODING_VARINT) bpki_packed_read(&c->cells, e->body, (size_t)e->body_n);
    else memcpy(c->cells.bytes, e->body, p.size);
    set_state(c, &p);
    bpk_status st = cells_valid(&c->cells, &p, err);
    if (st == BPK_OK) *out = &c->base;
    else bpki_cms_release(&c->base);
    return st;
}

bpk_status bpki_cms_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    params p;
    BPK_TRY(read_params(&p, e, err));
    memset(v, 0, sizeof *v);
    bpk_cms *c = (bpk_cms *)(void *)v->opaque;
    BPK_TRY(bpki_sketch_init(&c->base, &bpki_cms_ops, &e->domain, NULL));
    c->cells = cells_of(&p, e->body); /* read only from here on */
    c->conservative = p.cfg.conservative;
    set_state(c, &p);
    return cells_valid(&c->cells, &p, err);
}
