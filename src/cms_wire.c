/* cms_wire.c - inside the cms room: state to bytes and back. docs/format.md, section cms, is normative.
 *
 *   parameters, 40 bytes   u32 width, u32 depth, u8 cell bytes, u8 update, u8 coding, 5 zeros, u64 total, u64 half-life
 *                          (0), u64 epoch (0)
 *   coding 0               the cells as they are in memory, row by row
 *   coding 1               form small alone, and always where it is smaller: each cell as a varint (LEB128); of zeros
 *                          as many as follow each other, over the ends of rows, as a 0 and a varint of their number - 1
 *
 * Most counters are far below their end, and in a sketch of few items most are zero. Without the runs an empty sketch
 * of 2,719 x 5 cells would take 13.6 KB instead of 3 bytes; with them one takes as much at half its cells in use, an
 * eighth more at three quarters, which is the most (docs/adr/0007-packed-small-forms.md).
 */
#include "cms_state.h"

enum {
    CODING_RAW = 0,
    CODING_VARINT = 1,
    AT_CODING = BPKI_HEADER + 10,
    AT_TOTAL = BPKI_HEADER + 16,
    VARINT_MAX = 10, /* bytes of 64 bits */
    CHUNK = 1024,
};

static_assert(sizeof(bpk_cms) <= sizeof(bpk_view), "a view holds the object");

/* ---- varints ---- */

static unsigned varint_size(uint64_t v) {
    return (bpki_bit_length(v | 1) + 6) / 7;
}

/* Bytes on their way to the writer, in chunks. */
typedef struct packer {
    bpki_out *o;
    size_t n;
    uint8_t chunk[CHUNK + VARINT_MAX];
} packer;

static void put_varint(packer *k, uint64_t v) {
    for (; v > 127; v >>= 7) k->chunk[k->n++] = (uint8_t)(v | 128);
    k->chunk[k->n++] = (uint8_t)v;
    if (k->n < CHUNK) return;
    bpki_out_bytes(k->o, k->chunk, k->n);
    k->n = 0;
}

typedef struct unpacker {
    const uint8_t *at, *end;
    bool after_run;
} unpacker;

/* False where it is cut off, longer than it need be, or above 64 bits. */
static bool get_varint(unpacker *u, uint64_t *out) {
    uint64_t v = 0;
    uint8_t byte = 128;
    unsigned shift = 0;
    for (; byte & 128; shift += 7) {
        if (u->at == u->end) return false;
        byte = *u->at++;
        if (shift == 63 && byte > 1) return false;
        v |= (uint64_t)(byte & 127) << shift;
    }
    *out = v;
    return byte != 0 || shift == 7;
}

/* ---- packed cells ---- */

static uint64_t run_size(uint64_t zeros) {
    return 1 + varint_size(zeros - 1);
}

static uint64_t cell_number(const bpki_cells *c) {
    return c->width * c->depth;
}

static uint64_t cell(const bpki_cells *c, uint64_t i) {
    return bpki_cell_load(c->bytes + (size_t)i * c->cell_bytes, c->cell_bytes);
}

static uint64_t packed_size(const bpki_cells *c) {
    uint64_t size = 0, zeros, n = cell_number(c);
    for (uint64_t i = 0; i < n; i += zeros ? zeros : 1) {
        uint64_t v = cell(c, i);
        zeros = v ? 0 : bpki_cells_zeros(c, i);
        size += v ? varint_size(v) : run_size(zeros);
    }
    return size;
}

static void put_run(packer *k, uint64_t zeros) {
    put_varint(k, 0);
    put_varint(k, zeros - 1);
}

static void write_packed(const bpki_cells *c, bpki_out *o) {
    packer k = {.o = o};
    uint64_t zeros, n = cell_number(c);
    for (uint64_t i = 0; i < n; i += zeros ? zeros : 1) {
        uint64_t v = cell(c, i);
        zeros = v ? 0 : bpki_cells_zeros(c, i);
        if (v) put_varint(&k, v);
        else put_run(&k, zeros);
    }
    bpki_out_bytes(o, k.chunk, k.n);
}

/* The next cell, or with *v = 0 the next *n cells: at most `left`, at most `cap` each, no run behind a run. */
static bool get_cells(unpacker *u, uint64_t cap, uint64_t left, uint64_t *v, uint64_t *n) {
    *n = 1;
    if (!get_varint(u, v) || *v > cap) return false;
    if (*v) {
        u->after_run = false;
        return true;
    }
    if (u->after_run || !get_varint(u, n) || *n >= left) return false;
    ++*n;
    u->after_run = true;
    return true;
}

/* Whether the body is the packed form of so many cells: asked before there is memory for them, since a run lets few
 * bytes stand for many. */
static bpk_status check_packed(const bpki_envelope *e, const bpki_cells *shape, bpk_err *err) {
    unpacker u = {e->body, e->body + e->body_n, false};
    uint64_t v, n;
    for (uint64_t left = cell_number(shape); left; left -= n) {
        const uint8_t *from = u.at;
        if (!get_cells(&u, shape->cap, left, &v, &n))
            return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(from - e->start));
    }
    if (u.at != u.end) return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(u.at - e->start));
    return BPK_OK;
}

/* Fills cells that are zero from a body that was checked. */
static void read_packed(const bpki_cells *c, const bpki_envelope *e) {
    unpacker u = {e->body, e->body + e->body_n, false};
    uint64_t v, n, all = cell_number(c);
    for (uint64_t i = 0; i < all && get_cells(&u, c->cap, all - i, &v, &n); i += n)
        if (v) bpki_cell_store(c->bytes + (size_t)i * c->cell_bytes, c->cell_bytes, v);
}

/* ---- encoding ---- */

uint64_t bpki_cms_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_cms *c = (const bpk_cms *)s;
    uint64_t packed = f == BPK_FORM_SMALL ? packed_size(&c->cells) : UINT64_MAX;
    return packed < cms_bytes(c) ? packed : cms_bytes(c);
}

/* What the announced length says: working it out again would take another pass over the cells. */
static uint8_t coding_of(const bpk_cms *c, const bpki_out *o) {
    return bpki_out_body_n(o) < cms_bytes(c) ? CODING_VARINT : CODING_RAW;
}

void bpki_cms_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cms *c = (const bpk_cms *)s;
    (void)f;
    bpki_out_u32(o, (uint32_t)c->cells.width);
    bpki_out_u32(o, c->cells.depth);
    bpki_out_u8(o, c->cells.cell_bytes);
    bpki_out_u8(o, c->conservative);
    bpki_out_u8(o, coding_of(c, o));
    bpki_out_zeros(o, 5);
    bpki_out_u64(o, c->total);
    bpki_out_zeros(o, 16); /* half-life and epoch of a sketch that decays */
}

void bpki_cms_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cms *c = (const bpk_cms *)s;
    (void)f;
    if (coding_of(c, o) == CODING_VARINT) write_packed(&c->cells, o);
    else bpki_out_bytes(o, c->cells.bytes, cms_bytes(c));
}

/* ---- decoding ---- */

typedef struct params {
    bpk_cms_config cfg;
    uint64_t total;
    uint8_t coding;
    size_t size; /* bytes of the cells */
} params;

static uint8_t read_coding(bpki_in *r, const bpki_envelope *e) {
    uint8_t coding = bpki_in_u8(r, "coding");
    if (coding > CODING_VARINT) bpki_in_fail(r, BPK_E_VERSION, "coding");
    if (coding && e->form == BPK_FORM_VIEW) bpki_in_fail(r, BPK_E_CORRUPT, "coding");
    return coding;
}

/* Raw bodies have the bytes of the cells, packed ones fewer. */
static bpk_status check_size(params *p, const bpki_envelope *e, bpk_err *err) {
    bool fits = bpki_cells_size(p->cfg.width, p->cfg.depth, p->cfg.cell_bytes, &p->size);
    if (fits && p->coding == CODING_VARINT && e->body_n >= p->size)
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    if (!fits || (p->coding == CODING_RAW && e->body_n != p->size))
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
    bpki_in_zeros(&r, 5, "reserved");
    p->total = bpki_in_u64(&r, "total");
    if (bpki_in_u64(&r, "half_life")) bpki_in_fail(&r, BPK_E_VERSION, "half_life");
    bpki_in_zeros(&r, 8, "epoch");
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    return check_size(p, e, err);
}

static bpki_cells cells_of(const params *p, const uint8_t *body) {
    uint8_t *bytes;
    memcpy(&bytes, &body, sizeof bytes); /* only read */
    return cms_cells(bytes, p->cfg.width, p->cfg.depth, p->cfg.cell_bytes);
}

/* What can be known without the items. Plain: each row adds up to the total. Conservative: to no more. A cell at its
 * end hides what it lost; so does a total. */
static bpk_status cells_valid(const bpki_cells *c, const params *p, bpk_err *err) {
    for (uint32_t r = 0; r < c->depth; r++) {
        bpki_census row = bpki_cells_census(c, r);
        bool wrong = p->cfg.conservative ? row.sum > p->total : !row.full && row.sum != p->total;
        if (wrong && p->total != UINT64_MAX) return bpki_fail_at(err, BPK_E_CORRUPT, "total", AT_TOTAL);
    }
    return BPK_OK;
}

/* The body is the one that the writer would have chosen. */
static bpk_status check_body(const params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_cells shape = cells_of(p, e->body);
    if (p->coding == CODING_VARINT) return check_packed(e, &shape, err);
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
    if (p.coding == CODING_VARINT) read_packed(&c->cells, e);
    else memcpy(c->cells.bytes, e->body, p.size);
    c->total = p.total;
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
    c->total = p.total;
    return cells_valid(&c->cells, &p, err);
}
