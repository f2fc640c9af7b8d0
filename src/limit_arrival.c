/* limit_arrival.c - inside the limit room: theoretical arrival times (GCRA) in a sketch, too early now and then, never
 * too late.
 *
 *     row 0   | . . 7 . . . |     a cell: the unit at which the work that fell into it is done; not after now: empty
 *     row 1   | . . . . 9 . |     a key's time is the least of its cells: others can only have made it later
 *     row 2   | 7 . . . . . |     take c: every cell below it rises to max(now, least) + c events, if the key may
 *
 * Why never too late. Let u be the present in units, a real number, R the units of an event, and x the exact arrival
 * time of a key, had it nothing but what passed here: taking c needs x <= u + (b - c) R, and then x becomes
 * max(u, x) + c R. The sketch has a whole number s and promises x <= max(u, s). It passes when s <= floor(u) +
 * (b - c) R; then x <= max(u, s) <= u + (b - c) R, so that the exact one passes, too. It stores max(ceil(u), s) + c R,
 * which is not below the new x. Time alone and other keys, which only raise s, leave the promise true. Rounding down to
 * ask and up to store costs less than a unit.
 *
 * So no cell is further ahead than ceil(u) + b R, at most 2^30 + 1.
 */
#include "limit_state.h"

enum {
    BATCH = 32,
    FETCH_FROM = 256 << 10, /* bytes: smaller ones are in the nearer caches, as in cells.c */
    AHEAD_MAX = BPK_LIMIT_BURST_MAX + 1,
    SWEEP = 1 << 29, /* units: with AHEAD_MAX well below 2^31 */
};

#define INLINE inline __attribute__((always_inline))

/* ---- time ---- */

limit_present bpki_limit_present(const bpk_limit *l, uint64_t now) {
    assert(now >= l->now);
    limit_present p = {.at = bpki_limit_instant(l->rate, now)};
    p.cell = (uint32_t)p.at.floor - l->origin;
    p.up = p.at.rest > 0;
    p.gone = bpki_limit_units_in(l->rate, now - l->now) > AHEAD_MAX;
    return p;
}

static size_t cells_in(const bpk_limit *l) {
    return (size_t)l->cells.width * l->cells.depth;
}

static void sweep(bpk_limit *l, limit_present p) {
    for (size_t i = 0; i < cells_in(l); i++) {
        uint8_t *at = l->cells.bytes + i * LIMIT_CELL;
        uint32_t serial = bpki_load32(at);
        bpki_store32(at, limit_ahead(serial, p) > 0 ? serial : p.cell);
    }
    bpki_limit_refunds_sweep(l, p);
    l->swept = p.at.floor;
}

static void forget_all(bpk_limit *l, limit_present p) {
    memset(l->cells.bytes, 0, l->cell_size);
    l->origin = (uint32_t)p.at.floor;
    l->swept = p.at.floor;
    l->refunds.n = 0;
}

/* No refund lasts longer than a burst: swept that often, those that are used up do not pile up. */
static void advance(bpk_limit *l, uint64_t now) {
    if (now <= l->now) return;
    limit_present p = bpki_limit_present(l, now);
    uint32_t burst = l->burst * l->scale < SWEEP ? l->burst * l->scale : SWEEP;
    if (p.gone) forget_all(l, p);
    else if (p.at.floor - l->swept >= SWEEP) sweep(l, p);
    else if (l->refunds.n && p.at.floor - l->refunds.swept >= burst) bpki_limit_refunds_sweep(l, p);
    l->now = now;
}

/* ---- one key ---- */

uint32_t bpki_limit_least(const bpk_limit *l, uint64_t hash, limit_present p) {
    int32_t least = INT32_MAX;
    uint64_t at = hash;
    if (p.gone) return 0;
    for (uint32_t r = 0; r < l->cells.depth; r++, at = bpki_cells_next(at)) {
        int32_t ahead = limit_ahead((uint32_t)bpki_cells_get(&l->cells, r, bpki_cells_index(&l->cells, at)), p);
        least = ahead < least ? ahead : least;
    }
    return least > 0 ? (uint32_t)least : 0;
}

static void raise(bpk_limit *l, uint64_t hash, uint32_t units, limit_present p) {
    uint64_t at = hash;
    for (uint32_t r = 0; r < l->cells.depth; r++, at = bpki_cells_next(at)) {
        uint8_t *cell = bpki_cell_at(&l->cells, r, bpki_cells_index(&l->cells, at));
        bool below = limit_ahead(bpki_load32(cell), p) < (int32_t)units;
        bpki_store32(cell, below ? p.cell + units : bpki_load32(cell));
    }
}

/* What a key may have ahead of it, and still take this. */
static uint32_t most_before(const bpk_limit *l, uint32_t cost) {
    return (l->burst - cost) * l->scale;
}

/* What it has ahead of it once it has taken that. */
static uint32_t after(const bpk_limit *l, uint32_t backlog, uint32_t cost, limit_present p) {
    return (backlog > p.up ? backlog : p.up) + cost * l->scale;
}

static bool take_at(bpk_limit *l, uint64_t hash, uint32_t cost, limit_present p) {
    uint32_t backlog = bpki_limit_backlog(l, hash, p);
    if (backlog > most_before(l, cost)) return false;
    uint32_t to = after(l, backlog, cost, p);
    bool above = to >= bpki_limit_least(l, hash, p);
    if (l->refunds.n) bpki_limit_refund_becomes(l, hash, to, p);
    if (above) raise(l, hash, to, p);
    return true;
}

static bool take(bpk_limit *l, uint64_t hash, uint32_t cost) {
    return take_at(l, hash, cost, bpki_limit_present(l, l->now));
}

static void ask(const bpk_limit *l, uint64_t hash, uint32_t cost, uint64_t now, bpk_limit_reply *reply) {
    limit_present p = bpki_limit_present(l, now);
    uint32_t backlog = bpki_limit_backlog(l, hash, p), all = l->burst * l->scale, fits = most_before(l, cost);
    reply->allowed = cost == 0 || backlog <= fits;
    reply->retry_after = reply->allowed ? 0 : bpki_limit_ticks_until(l->rate, p.at, backlog - fits);
    if (cost && reply->allowed) backlog = after(l, backlog, cost, p);
    reply->remaining = backlog < all ? (all - backlog) / l->scale : 0;
    reply->reset_after = bpki_limit_ticks_until(l->rate, p.at, backlog);
}

/* ---- batches ---- */

/* On the stack and by value, as in cells.c: the compiler cannot know that a store into a cell does not change it. */
typedef struct gate {
    uint8_t *bytes;
    uint64_t width;
    uint32_t depth, present, up, burst, scale;
} gate;

/* Without a branch on what the cells hold: what is refused raises nothing above the least number there is. Positions
 * stay odd after the first step. */
static INLINE bool pass(gate g, uint64_t hash, uint32_t cost) {
    uint8_t *cell[BPK_LIMIT_DEPTH_MAX], *row = g.bytes;
    int32_t ahead[BPK_LIMIT_DEPTH_MAX], least;
    cell[0] = row + bpki_mulhi(hash, g.width) * LIMIT_CELL;
    ahead[0] = least = (int32_t)(bpki_load32(cell[0]) - g.present);
    hash |= 1;
#pragma GCC unroll 8
    for (uint32_t r = 1; r < g.depth; r++) {
        row += g.width * LIMIT_CELL;
        hash *= BPKI_CELLS_STEP;
        cell[r] = row + bpki_mulhi(hash, g.width) * LIMIT_CELL;
        ahead[r] = (int32_t)(bpki_load32(cell[r]) - g.present);
        least = ahead[r] < least ? ahead[r] : least;
    }
    int32_t fits = (int32_t)((g.burst - cost) * g.scale), from = least > (int32_t)g.up ? least : (int32_t)g.up;
    bool allowed = least <= fits;
    int32_t to = allowed ? (int32_t)((uint32_t)from + cost * g.scale) : INT32_MIN;
#pragma GCC unroll 8
    for (uint32_t r = 0; r < g.depth; r++) bpki_store32(cell[r], g.present + (uint32_t)(ahead[r] < to ? to : ahead[r]));
    return allowed;
}

/* Items of a batch, by value for the same reason. */
typedef struct queue {
    const uint64_t *hash, *weight;
    uint8_t *changed;
    size_t n;
} queue;

static INLINE void pass_each(gate g, queue q) {
    for (size_t i = 0; i < q.n; i++) {
        uint64_t cost = q.weight ? q.weight[i] : 1;
        bool passed = cost > 0 && cost <= g.burst && pass(g, q.hash[i], (uint32_t)cost);
        if (q.changed) q.changed[i] = passed;
    }
}

/* What is usual is a loop of its own: a cost of 1, the depth that sizing gives by default, and who passed is told. */
static void pass_many(gate g, queue q) {
    gate four = g;
    four.depth = 4;
    if (g.depth != 4) pass_each(g, q);
    else if (q.weight || !q.changed) pass_each(four, q);
    else
        for (size_t i = 0; i < q.n; i++) q.changed[i] = pass(four, q.hash[i], 1);
}

/* One by one while there are refunds, which belong to few keys and last no longer than a burst. */
static size_t add_beside_refunds(bpk_limit *l, gate g, const bpk_items *it, uint8_t *changed, limit_present p) {
    size_t i = 0;
    for (; l->refunds.n && i < it->n; i++) {
        uint64_t cost = it->weight ? it->weight[i] : 1;
        bool passed = false, fits = cost > 0 && cost <= g.burst;
        if (fits && bpki_limit_has_refund(l, it->hash[i])) passed = take_at(l, it->hash[i], (uint32_t)cost, p);
        else if (fits) passed = pass(g, it->hash[i], (uint32_t)cost);
        if (changed) changed[i] = passed;
    }
    return i;
}

static void add(bpk_limit *l, const bpk_items *it, uint8_t *changed) {
    limit_present p = bpki_limit_present(l, l->now);
    gate g = {l->cells.bytes, l->cells.width, l->cells.depth, p.cell, p.up, l->burst, l->scale};
    for (size_t end, i = add_beside_refunds(l, g, it, changed, p); i < it->n; i = end) {
        end = it->n - i < BATCH ? it->n : i + BATCH;
        if (l->cell_size > FETCH_FROM) bpki_cells_fetch(&l->cells, it->hash + i, end - i);
        pass_many(g, (queue){it->hash + i, it->weight ? it->weight + i : NULL, changed ? changed + i : NULL, end - i});
    }
}

/* ---- the whole ---- */

static double fresh(const bpk_limit *l, uint64_t now) {
    limit_present p = bpki_limit_present(l, now);
    int32_t fits = (int32_t)most_before(l, 1);
    double chance = !p.gone;
    for (uint32_t r = 0; r < l->cells.depth && chance > 0; r++) {
        size_t above = 0, width = (size_t)l->cells.width;
        const uint8_t *row = bpki_cell_at(&l->cells, r, 0);
        for (size_t i = 0; i < width; i++) above += limit_ahead(bpki_load32(row + i * LIMIT_CELL), p) > fits;
        chance *= (double)above / (double)width;
    }
    return chance;
}

static uint32_t most(const bpk_limit *l) {
    return l->burst * l->scale + (bpki_limit_instant(l->rate, l->now).rest > 0);
}

static void join(bpk_limit *dst, const bpk_limit *src, limit_join how) {
    limit_present at = bpki_limit_present(dst, dst->now), theirs = bpki_limit_present(src, dst->now);
    for (size_t i = 0; i < cells_in(dst) && !theirs.gone; i++) {
        uint8_t *cell = dst->cells.bytes + i * LIMIT_CELL;
        int32_t a = limit_ahead(bpki_load32(cell), at);
        int32_t b = limit_ahead(bpki_load32(src->cells.bytes + i * LIMIT_CELL), theirs);
        if (b > 0) bpki_store32(cell, at.cell + how(a > 0 ? (uint32_t)a : 0, (uint32_t)b, most(dst)));
    }
}

static void read_cells(const bpk_limit *l, uint64_t i, size_t n, uint8_t *out) {
    limit_present p = bpki_limit_present(l, l->now);
    const uint8_t *from = l->cells.bytes + (size_t)i * LIMIT_CELL;
    for (size_t k = 0; k < n; k++) {
        int32_t ahead = limit_ahead(bpki_load32(from + k * LIMIT_CELL), p);
        bpki_store32(out + k * LIMIT_CELL, ahead > 0 ? (uint32_t)ahead : 0);
    }
}

const limit_method bpki_limit_arrival = {"arrival", advance, take, add, ask, fresh, join, read_cells, most};
