/* cms_state.h - inside the cms room: the state that cms.c works on and cms_wire.c turns into bytes. */
#ifndef BPKI_CMS_STATE_H
#define BPKI_CMS_STATE_H

#include <ballpark/cms.h>

#include "cells.h"
#include "decay.h"
#include "room.h"

struct bpk_cms {
    bpk_sketch base;
    bpki_cells cells;
    size_t cell_size;   /* bytes taken for the cells; 0 in a view */
    uint64_t total;     /* stays at its end; with a half-life in units, as the cells */
    uint64_t half_life; /* 0: counts do not decay */
    bpki_moment time;
    uint32_t
        rounding; /* by how much, at most, what was rounded has moved a cell: up by decay, down by halving; stays at
                          its end */
    bool conservative;
};

static inline bool cms_shape_valid(uint64_t width, uint64_t depth, uint64_t cell_bytes) {
    bool cell = cell_bytes == 1 || cell_bytes == 2 || cell_bytes == 4 || cell_bytes == 8;
    return width >= 1 && width <= UINT32_MAX && depth >= 1 && depth <= BPK_CMS_DEPTH_MAX && cell;
}

/* An item weighs up to 8,192 units: a byte does not hold one, two hold seven of the same, and what is at its end stays
 * there for ever. */
static inline bool cms_cell_decays(uint64_t cell_bytes, uint64_t half_life) {
    return half_life == 0 || cell_bytes >= 4;
}

static inline bpki_cells cms_cells(uint8_t *bytes, uint64_t width, uint32_t depth, uint8_t cell_bytes) {
    return (bpki_cells){bytes, width, depth, cell_bytes, bpki_cell_max(cell_bytes)};
}

/* Bytes of all cells. */
static inline size_t cms_bytes(const bpk_cms *c) {
    return (size_t)c->cells.width * c->cells.depth * c->cells.cell_bytes;
}

static inline bool cms_decays(const bpk_cms *c) {
    return c->half_life != 0;
}

void bpki_cms_release(bpk_sketch *s);
extern const bpki_ops bpki_cms_ops;

/* cms_decay.c */
void bpki_cms_age(bpk_cms *c, uint64_t shift);
void bpki_cms_advance(bpk_cms *c, uint64_t now); /* never back */
void bpki_cms_add_decayed(bpk_cms *c, const bpk_items *it);
bpk_status bpki_cms_merge_aged(bpk_cms *a, const bpk_cms *b); /* of one shape and half-life */

/* cms_wire.c */
enum { CMS_PARAMS = 40 };
uint64_t bpki_cms_body_size(const bpk_sketch *s, bpk_form f);
void bpki_cms_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_cms_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_cms_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_cms_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
