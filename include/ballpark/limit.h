/* limit.h - may this key go on? A rate limiter for any number of keys in fixed memory: `limit` events a key in `period`
 * ticks of the caller's time, with bursts of `burst` events.
 *
 *   Answers   allowed or not, how much is left, when to come again.
 *   Error     arrival: may limit too early, where other keys fill all cells of a key, and never too late: whatever
 *             passes, an exact limiter (GCRA) of that key alone would pass too. bpk_limit_fresh says how likely a new
 *             key is limited now. windows: an estimate, wrong to either side, which each reply says.
 *   Memory    arrival: width x depth x 4 bytes, and 16 for each refund that is not yet used up; windows: width x depth
 *             x 8 bytes.
 *   Merge     yes, cell by cell the larger: replicas of one stream, or each node's own limit. bpk_limit_sum adds.
 *   Remove    bpk_limit_refund gives back what was taken, arrival only.
 *   Time      is told, in ticks of any unit, and never read. One that is before the sketch's own stands still there.
 *   Source    GCRA: ITU-T I.371; the sketch of arrival times and its proof: docs/rooms/limit.md.
 *
 * Parameters of bpk_new: limit and period (both needed), burst (the limit; arrival only), method (arrival or windows),
 * bytes (64 KiB; 4 rows), or width and depth (4).
 */
#ifndef BALLPARK_LIMIT_H
#define BALLPARK_LIMIT_H

#include <ballpark/sketch.h>

enum {
    BPK_LIMIT_DEPTH_MAX = 32,
    BPK_LIMIT_BURST_MAX = 1 << 30,
    BPK_LIMIT_REFUNDS_MAX = 4096, /* keys with a refund that is not yet used up */
};
#define BPK_LIMIT_EVENTS_MAX (UINT64_C(1) << 48) /* of `limit`; with windows 2^32 - 1 */

/* arrival: one theoretical arrival time a cell. windows: counts of the present and of the previous window, which begin
 * at multiples of the period; the estimate is current + floor(previous x the share of it that is still in). */
enum { BPK_LIMIT_ARRIVAL = 0, BPK_LIMIT_WINDOWS = 1 };

typedef struct bpk_limit bpk_limit;

/* domain.hash 0 is the default domain. */
typedef struct bpk_limit_config {
    bpk_domain domain;
    uint64_t limit, period; /* 1 or more */
    uint32_t burst;         /* 0: the limit; 0 with windows */
    uint32_t width, depth;  /* 1 or more cells a row; 1 to 32 rows */
    uint8_t method;
} bpk_limit_config;

typedef struct bpk_limit_reply {
    bool allowed;
    bool never;           /* it costs more than the burst (windows: the limit), and never will be */
    bool is_estimate;     /* windows: it may be wrong to either side */
    uint64_t limit;       /* the burst; with windows the limit */
    uint64_t remaining;   /* what may still be taken now */
    uint64_t retry_after; /* ticks after which it is allowed, if this key takes nothing before and no other one gets in
                             its way; 0 where allowed, UINT64_MAX where never */
    uint64_t reset_after; /* ticks after which all of it is there again, likewise */
} bpk_limit_reply;

/* BPK_E_ARG: a member out of range. BPK_E_LIMIT: larger than the environment allows. */
BPK_API bpk_status bpk_limit_new(bpk_limit **out, const bpk_limit_config *cfg, const bpk_env *env);

/* Takes `cost` events of a key at a time, if they are there. What is refused takes nothing; a cost of 0 is a peek.
 * Cannot fail. `reply` may be NULL. */
BPK_API void bpk_limit_take(bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now, bpk_limit_reply *reply);
/* The same for a batch, one after the other; weights are costs, one reply each. bpk_add does it, too, and tells only
 * what was taken, as `changed`. */
BPK_API void bpk_limit_take_many(bpk_limit *l, const bpk_items *it, bpk_limit_reply *reply);
/* What bpk_limit_take would answer; changes nothing. A cost of 0 asks what is left, and is always allowed. */
BPK_API void bpk_limit_peek(const bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now, bpk_limit_reply *reply);

/* Gives `cost` events back to a key, no more than it has taken and not yet got back by time; *reply (may be NULL) is
 * then its state. All or nothing: BPK_E_FULL when BPK_LIMIT_REFUNDS_MAX keys have one already, BPK_E_NOMEM,
 * BPK_E_UNSUPPORTED with windows, whose counts may be those of other keys. */
BPK_API bpk_status bpk_limit_refund(bpk_limit *l, uint64_t hash, uint64_t cost, uint64_t now, bpk_limit_reply *reply,
                                    bpk_err *err);

/* The probability that a key that never came, at a cost of 1, would be limited at this time: the product over the rows
 * of the share of cells that would limit it. With windows it is at most that. O(size). */
BPK_API double bpk_limit_fresh(const bpk_limit *l, uint64_t now);

/* What remains to be worked off adds up, cell by cell, up to the burst: an approximation of one limit over several
 * nodes, no bound, as docs/rooms/limit.md shows. Otherwise as bpk_merge. */
BPK_API bpk_status bpk_limit_sum(bpk_limit *dst, const bpk_limit *src, bpk_err *err);

/* How it was made. */
BPK_API bpk_limit_config bpk_limit_made_for(const bpk_limit *l);
BPK_API uint64_t bpk_limit_now(const bpk_limit *l); /* the latest time that it was told */

BPK_API const bpk_limit *bpk_as_limit(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_limit_base(bpk_limit *l) {
    return (bpk_sketch *)l;
}

#endif
