/* bloom_state.h - inside the bloom room: the state that bloom.c and bloom_ring.c work on and bloom_wire.c reads and
 * writes.
 *
 * A rotating filter is a ring of G + 1 generations, each a blocked filter of its own. The lines of a block stand side
 * by side, behind them the state of the ring, all as on the wire:
 *
 *     [block 0: line of generation 0 .. G][block 1: ...] ... [now][adds, since of generation 0] .. [of generation G]
 *
 * It lies there, and not in the object, so that a view can read it in place.
 */
#ifndef BPKI_BLOOM_STATE_H
#define BPKI_BLOOM_STATE_H

#include "bloom_plan.h"
#include "room.h"

/* Where a rotating filter is; generations 0: it is none. */
typedef struct bpki_turn {
    uint8_t generations; /* G, in the window; one more is there */
    uint8_t current;     /* the one that is written */
    uint8_t seen;
    bool lost;   /* something has been forgotten already */
    bool united; /* the generations are of several filters, and nothing was added since */
} bpki_turn;

/* What it was asked for. */
typedef struct bpki_ring {
    uint64_t window; /* items */
    uint64_t span;   /* in the unit of time, or 0 */
    double rate;     /* of the whole */
} bpki_ring;

/* Notes for the policy on full, which rotating filters do not have. With bpk_bloom.exact set, `set` is the number of
 * set bits and is kept up to date item by item; otherwise `budget` more adds certainly stay below `over_at`. */
typedef struct bpki_notes {
    uint64_t over_at, set, budget;
} bpki_notes;

/* Small on purpose: there may be a million of them. */
struct bpk_bloom {
    bpk_sketch base;
    bpki_filter plan; /* of the filter; rotating: of one generation, its rate being that at which it is closed */
    const uint8_t *bits;
    uint64_t bytes;
    uint8_t *own; /* the same bytes, or NULL in a view */
    void *block;  /* what was allocated, to hold them at a multiple of 64 */
    bool reduced, exact;
    bpki_turn turn;
    union {
        bpki_notes notes;
        bpki_ring ring;
    };
};
_Static_assert(sizeof(struct bpk_bloom) <= sizeof(bpk_view), "a filter fits into a view");

extern const bpki_ops bpki_bloom_ops;
extern const char *const bpki_bloom_layouts[], *const bpki_bloom_seen[];

static inline bool bpki_is_ring(const bpk_bloom *b) {
    return b->turn.generations > 0;
}
static inline unsigned bpki_ring_lines(const bpk_bloom *b) { /* of a block */
    return b->turn.generations + 1u;
}

/* The number of bytes in which the bits of such a filter lie; its body is longer by the state of a ring. */
uint64_t bpki_bloom_bit_bytes(const bpk_bloom *b);
uint64_t bpki_bloom_bytes(const bpk_bloom *b);

/* An empty one with the plan, turn and ring of `like`. BPK_E_ARG for a domain that cannot be; BPK_E_LIMIT,
 * BPK_E_NOMEM. */
bpk_status bpki_bloom_make(bpk_bloom **out, const bpk_domain *d, const bpk_bloom *like, const bpk_env *env);
void bpki_bloom_release(bpk_sketch *s);

/* ---- bloom_ring.c: of rotating filters alone ---- */

uint64_t bpki_ring_now(const bpk_bloom *b);
uint64_t bpki_ring_adds(const bpk_bloom *b, unsigned generation);
uint64_t bpki_ring_since(const bpk_bloom *b, unsigned generation);
unsigned bpki_ring_oldest(const bpk_bloom *b);
bool bpki_ring_is_empty(const bpk_bloom *b);
/* Bits that are set in a generation. */
uint64_t bpki_ring_set(const bpk_bloom *b, unsigned generation);

void bpki_ring_add(bpk_bloom *b, const bpk_items *it, uint8_t *changed);
void bpki_ring_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out);
bpk_status bpki_ring_merge(bpk_bloom *a, const bpk_bloom *b, bpk_err *err);
double bpki_ring_rate(const bpk_bloom *b);
bpk_estimate bpki_ring_items(const bpk_bloom *b, double confidence);
void bpki_ring_info(const bpk_bloom *b, bpki_walk *w);
bpk_state bpki_ring_health(const bpk_bloom *b, bpki_health *h);

/* ---- bloom_wire.c ---- */

enum { BPKI_BLOOM_PARAMS = 40 };
void bpki_bloom_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_bloom_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
uint64_t bpki_bloom_body_size(const bpk_sketch *s, bpk_form f);
bpk_status bpki_bloom_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_bloom_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
