/* limit_state.h - inside the limit room: the state that both methods work on, and what each of them does with it.
 *
 * A unit is a part of the time between two events: `scale` of them are one event, and no burst has more than 2^30. A
 * cell of method arrival is the serial number, modulo 2^32, of the unit at which its key would be done: origin + cell.
 * Those that are not after the present are empty, however old; a sweep moves them to the present before one could be
 * 2^31 old and look like one to come.
 */
#ifndef BPKI_LIMIT_STATE_H
#define BPKI_LIMIT_STATE_H

#include <ballpark/limit.h>

#include "cells.h"
#include "limit_units.h"
#include "room.h"

enum {
    LIMIT_CELL = 4,        /* bytes */
    LIMIT_REFUND = 16,     /* bytes: u64 hash, u32 own, u32 until; serial numbers like cells */
    LIMIT_SCALE_MAX = 256, /* units an event where ticks are no whole units; enough that one is nothing beside it */
};

/* In ascending order of hashes, as bytes so that a view reads them in place. */
typedef struct limit_refunds {
    uint8_t *bytes;
    uint32_t n, room; /* room 0 in a view */
    uint64_t swept;   /* the unit of their last sweep */
} limit_refunds;

struct bpk_limit {
    bpk_sketch base;
    uint64_t limit;
    limit_rate rate;
    uint32_t burst, scale;   /* 0 with windows */
    uint8_t method, current; /* current: which half of the cells has the present window */
    bpki_cells cells;        /* of one half with windows */
    size_t cell_size;        /* bytes taken for the cells; 0 in a view */
    uint64_t now;            /* ticks */
    /* arrival */
    uint32_t origin;
    uint64_t swept; /* the unit of the last sweep */
    limit_refunds refunds;
};

extern const bpki_ops bpki_limit_ops;
void bpki_limit_release(bpk_sketch *s);
static inline uint64_t bpki_limit_events_max(uint8_t method) {
    return method == BPK_LIMIT_WINDOWS ? UINT32_MAX : BPK_LIMIT_EVENTS_MAX;
}
/* Sets what does not depend on the cells, by a configuration that is in range. */
void bpki_limit_configure(bpk_limit *l, const bpk_limit_config *cfg);
/* Sets the time of cells that are as bytes hold them. */
void bpki_limit_start(bpk_limit *l, uint64_t now);

static inline unsigned limit_halves(const bpk_limit *l) {
    return l->method == BPK_LIMIT_WINDOWS ? 2 : 1;
}
static inline size_t limit_half_bytes(const bpk_limit *l) {
    return (size_t)l->cells.width * l->cells.depth * LIMIT_CELL;
}
static inline size_t limit_cell_bytes(const bpk_limit *l) {
    return limit_half_bytes(l) * limit_halves(l);
}

/* What two cells become that stand for the same keys, none above `most`. */
typedef uint32_t (*limit_join)(uint32_t a, uint32_t b, uint32_t most);

/* ---- limit.c: what is the same for both ---- */

/* One method. `now` is at or after the sketch's own time but in `advance`, which lets time stand still. */
typedef struct limit_method {
    const char *name;
    void (*advance)(bpk_limit *l, uint64_t now);
    /* cost 1 or more, within what the method can ever allow */
    bool (*take)(bpk_limit *l, uint64_t hash, uint32_t cost);
    /* `changed` (may be NULL) as bpk_add; weights of 0 take nothing */
    void (*add)(bpk_limit *l, const bpk_items *it, uint8_t *changed);
    /* What take would answer: allowed, remaining, retry_after, reset_after. A cost of 0 is allowed. */
    void (*ask)(const bpk_limit *l, uint64_t hash, uint32_t cost, uint64_t now, bpk_limit_reply *reply);
    double (*fresh)(const bpk_limit *l, uint64_t now);
    void (*join)(bpk_limit *dst, const bpk_limit *src, limit_join join); /* dst is at the later time already */
    /* The i-th cell and n - 1 more, as bytes hold them. */
    void (*read)(const bpk_limit *l, uint64_t i, size_t n, uint8_t *out);
    uint32_t (*most)(const bpk_limit *l); /* the largest value that those can have now */
} limit_method;
extern const limit_method bpki_limit_arrival, bpki_limit_windows;

static inline const limit_method *limit_method_of(const bpk_limit *l) {
    return l->method == BPK_LIMIT_WINDOWS ? &bpki_limit_windows : &bpki_limit_arrival;
}

/* ---- limit_arrival.c ---- */

/* Where the present is, for questions at or after the sketch's own time. */
typedef struct limit_present {
    limit_instant at;
    uint32_t cell; /* the value of a cell that stands for it */
    uint32_t up;   /* 1 where the time is between two units, else 0 */
    bool gone;     /* every cell is empty, and `cell` means nothing */
} limit_present;
limit_present bpki_limit_present(const bpk_limit *l, uint64_t now);

/* Units from the present to a serial number; 0 or less: it is over. */
static inline int32_t limit_ahead(uint32_t serial, limit_present p) {
    return (int32_t)(serial - p.cell);
}
/* Of the least cell of a hash; 0 where one is empty. */
uint32_t bpki_limit_least(const bpk_limit *l, uint64_t hash, limit_present p);

/* ---- limit_refunds.c: what keys have got back, beside cells that only rise ---- */

/* Whether there is an entry, used up or not. */
bool bpki_limit_has_refund(const bpk_limit *l, uint64_t hash);
/* The units that a key has ahead of it: those of its refund, or of its least cell. */
uint32_t bpki_limit_backlog(const bpk_limit *l, uint64_t hash, limit_present p);
/* A key whose backlog becomes `units`, at most those of its least cell. */
void bpki_limit_refund_becomes(bpk_limit *l, uint64_t hash, uint32_t units, limit_present p);
/* Memory for one more refund. BPK_E_FULL, BPK_E_NOMEM. */
bpk_status bpki_limit_refunds_reserve(bpk_limit *l, uint64_t hash, limit_present p);
/* Drops those that are used up by time, and keeps the others from growing too old. */
void bpki_limit_refunds_sweep(bpk_limit *l, limit_present p);
void bpki_limit_refunds_join(bpk_limit *dst, const bpk_limit *src, limit_present at_dst, limit_present at_src,
                             limit_join own, limit_join until);
/* Those that are not used up, as bytes hold them: out NULL only counts. */
uint32_t bpki_limit_refunds_left(const bpk_limit *l, bpki_out *out);

/* ---- limit_wire.c ---- */
enum { LIMIT_PARAMS = 40 };
uint64_t bpki_limit_body_size(const bpk_sketch *s, bpk_form f);
void bpki_limit_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_limit_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_limit_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_limit_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
