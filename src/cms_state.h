/* cms_state.h - inside the cms room: the state that cms.c works on and cms_wire.c turns into bytes. */
#ifndef BPKI_CMS_STATE_H
#define BPKI_CMS_STATE_H

#include <ballpark/cms.h>

#include "cells.h"
#include "room.h"

struct bpk_cms {
    bpk_sketch base;
    bpki_cells cells;
    size_t cell_size; /* bytes taken for the cells; 0 in a view */
    uint64_t total;   /* stays at its end */
    bool conservative;
};

static inline bool cms_shape_valid(uint64_t width, uint64_t depth, uint64_t cell_bytes) {
    bool cell = cell_bytes == 1 || cell_bytes == 2 || cell_bytes == 4 || cell_bytes == 8;
    return width >= 1 && width <= UINT32_MAX && depth >= 1 && depth <= BPK_CMS_DEPTH_MAX && cell;
}

static inline bpki_cells cms_cells(uint8_t *bytes, uint64_t width, uint32_t depth, uint8_t cell_bytes) {
    return (bpki_cells){bytes, width, depth, cell_bytes, bpki_cell_max(cell_bytes)};
}

/* Bytes of all cells. */
static inline size_t cms_bytes(const bpk_cms *c) {
    return (size_t)c->cells.width * c->cells.depth * c->cells.cell_bytes;
}

void bpki_cms_release(bpk_sketch *s);
extern const bpki_ops bpki_cms_ops;

/* cms_wire.c */
enum { CMS_PARAMS = 40 };
uint64_t bpki_cms_body_size(const bpk_sketch *s, bpk_form f);
void bpki_cms_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_cms_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_cms_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_cms_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
