/* window_state.h - layer 3, inside the house part window: the ring, and the steps that its files share.
 *
 *     time     0      length     2 length   ...
 *     pane     0         1          2       ...   q = now / length
 *     held               [ 1 ]  [ 2 ]  [ 3 ]  ... [ q ]         from (now - span) / length on, panes + 1 at most
 *
 * Pane number n has the place n mod (panes + 1), which is free when its time comes. What there is of sketches is always
 * at least one, so that twins can be made: it is a pane, one that is empty again, or the model.
 */
#ifndef BPKI_WINDOW_STATE_H
#define BPKI_WINDOW_STATE_H

#include <ballpark/window.h>

#include "room.h"

enum { BPKI_WINDOW_PARAMS = 32, BPKI_WINDOW_PLACES = BPK_WINDOW_PANES_MAX + 1 };

/* s may be NULL, or an empty sketch that was made for an earlier pane. */
typedef struct window_pane {
    bpk_sketch *s;
    uint64_t number;
    bool used;
} window_pane;

struct bpk_window {
    bpk_sketch base;
    uint64_t span, length, now, late;
    uint32_t panes;
    bool timed;        /* there has been a time */
    bpk_sketch *model; /* an empty one; NULL once a pane has taken it, unless twins differ */
    window_pane *pane; /* panes + 1 of them */
    size_t held;       /* bytes of all sketches */
};

extern const bpki_ops bpki_window_ops;

/* ---- time ---- */

static inline uint64_t window_newest(const bpk_window *w) {
    return w->now / w->length;
}
static inline uint64_t window_oldest(const bpk_window *w) {
    return w->now > w->span ? (w->now - w->span) / w->length : 0;
}
static inline uint32_t window_places(const bpk_window *w) {
    return w->panes + 1;
}
/* The sketch of a pane that holds something, or NULL. */
static inline bpk_sketch *window_at(const bpk_window *w, uint64_t number) {
    const window_pane *p = &w->pane[number % window_places(w)];
    return p->used && p->number == number ? p->s : NULL;
}
static inline uint64_t window_length(uint64_t span, uint32_t panes) {
    return span / panes + (span % panes != 0);
}

/* ---- window.c ---- */

const char *bpki_window_fault(uint64_t span, uint64_t panes);
/* Whether a sketch can be a pane; `field` becomes what is in the way. */
bool bpki_window_takes(const bpk_sketch *s, const char **field);
/* An empty ring without any sketch. */
bpk_status bpki_window_make(bpk_window **out, const bpk_domain *d, uint64_t span, uint32_t panes, const bpk_env *env);
void bpki_window_release(bpk_sketch *s);
size_t bpki_window_memory(const bpk_sketch *s);
/* Any sketch of the window, for its parameters: the model where there is one. */
const bpk_sketch *bpki_window_any(const bpk_window *w);
/* A copy without contents, in the same stream. */
bpk_status bpki_window_emptied(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);
/* An environment whose limit is what the window leaves; a sketch that was made in it is then admitted where it fits,
 * and gets the window's own in any case. */
bpk_env bpki_window_rest(const bpk_window *w);
bpk_status bpki_window_admit(bpk_window *w, bpk_sketch *s);
/* Admits a sketch as what pane `number` holds, or as the model; frees it where it does not fit. */
bpk_status bpki_window_put(bpk_window *w, uint64_t number, bpk_sketch *s);
bpk_status bpki_window_model(bpk_window *w, bpk_sketch *s);
bpk_status bpki_window_cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err);

/* ---- window_merge.c ---- */

/* What an empty sketch is by its parameters: the beginning of its bytes. */
typedef struct window_shape {
    size_t n;
    uint8_t bytes[BPKI_HEADER + 128];
} window_shape;
void bpki_window_shape(window_shape *out, const bpk_sketch *empty);
bool bpki_window_same_shape(const window_shape *a, const window_shape *b);
/* Whether a field of bpk_info is a parameter of the panes. */
bool bpki_window_parameter(const char *name);
bpk_status bpki_window_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err);
bpk_status bpki_window_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                  bpk_err *err);

/* ---- window_ask.c ---- */

bpk_status bpki_window_unite(const bpk_window *w, uint64_t first, uint64_t last, bpk_sketch **out, bpk_err *err);
bpk_status bpki_window_has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err);
bpk_status bpki_window_count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                             bpk_err *err);
bpk_status bpki_window_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err);
void bpki_window_info(const bpk_sketch *s, bpki_walk *w);
bpk_state bpki_window_health(const bpk_sketch *s, bpki_health *h);

/* ---- window_wire.c ---- */

uint64_t bpki_window_view_bytes(uint64_t envelope, uint32_t panes); /* of the body, with so many panes of one size */
uint64_t bpki_window_body_size(const bpk_sketch *s, bpk_form f);
void bpki_window_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_window_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_window_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);

#endif
