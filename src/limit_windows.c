/* limit_windows.c - inside the limit room: counts of the present and the previous window, an estimate of how many came
 * in the last period.
 *
 *     previous [ . 8 . . ]  current [ . 3 . . ]       windows begin at multiples of the period
 *     estimate = current + floor(previous x (1 - elapsed / period))
 *
 * Both are whole tables of conservative counters, so that a window that becomes the previous one keeps epsilon and
 * delta; what was refused is not counted, so that no count is above the limit. After a silence of two windows both are
 * empty. It is an estimate even where counts are exact: what came in the previous window need not have come evenly.
 */
#include "limit_state.h"

/* The two tables as seen at a time; NULL: empty. */
typedef struct view {
    const uint8_t *current, *previous;
    uint64_t left; /* ticks of the present window that are to come, 1 to the period */
} view;

static view view_at(const bpk_limit *l, uint64_t now) {
    uint64_t period = l->rate.period, turns = now / period - l->now / period;
    const uint8_t *newer = l->cells.bytes + l->current * limit_half_bytes(l);
    const uint8_t *older = l->cells.bytes + !l->current * limit_half_bytes(l);
    assert(now >= l->now);
    return (view){turns == 0 ? newer : NULL, turns == 0 ? older : turns == 1 ? newer : NULL, period - now % period};
}

static void clear(bpk_limit *l, unsigned half) {
    memset(l->cells.bytes + half * limit_half_bytes(l), 0, limit_half_bytes(l));
}

static void advance(bpk_limit *l, uint64_t now) {
    if (now <= l->now) return;
    uint64_t turns = now / l->rate.period - l->now / l->rate.period;
    if (turns == 1) l->current = !l->current;
    if (turns >= 1) clear(l, l->current);
    if (turns >= 2) clear(l, !l->current);
    l->now = now;
}

/* ---- one key ---- */

static bpki_cells table(const bpk_limit *l, const uint8_t *bytes) {
    bpki_cells c = l->cells;
    memcpy(&c.bytes, &bytes, sizeof bytes); /* only read */
    return c;
}

static uint32_t least(const bpk_limit *l, const uint8_t *bytes, uint64_t hash) {
    if (!bytes) return 0;
    bpki_cells c = table(l, bytes);
    return (uint32_t)bpki_cells_min(&c, hash);
}

/* What of a count is still in when so many ticks of the period are left. */
static uint64_t still_in(uint32_t count, uint64_t left, uint64_t period) {
    return bpki_limit_scale(count, left, period, NULL);
}

/* The most ticks that may be left when no more than `most` of a count are in: below (most + 1) x period / count. */
static uint64_t left_for(uint32_t count, uint64_t most, uint64_t period) {
    uint64_t rest, left;
    if (count <= most) return period;
    left = bpki_limit_scale(period, most + 1, count, &rest);
    return left - (rest == 0);
}

/* Ticks until the estimate of a key that takes nothing is `most` or less: in this window, in the next one, or when that
 * is over. */
static uint64_t ticks_until(uint32_t current, uint32_t previous, uint64_t most, uint64_t left, uint64_t period) {
    if (current <= most) {
        uint64_t then = left_for(previous, most - current, period);
        if (then >= left) return 0;
        if (then > 0) return left - then;
    }
    uint64_t wait = period - left_for(current, most, period);
    return wait > UINT64_MAX - left ? UINT64_MAX : left + wait;
}

static void ask(const bpk_limit *l, uint64_t hash, uint32_t cost, uint64_t now, bpk_limit_reply *reply) {
    view v = view_at(l, now);
    uint64_t period = l->rate.period;
    uint32_t current = least(l, v.current, hash), previous = least(l, v.previous, hash);
    uint64_t estimate = current + still_in(previous, v.left, period);
    reply->allowed = cost == 0 || (estimate <= l->limit && cost <= l->limit - estimate);
    reply->retry_after = reply->allowed ? 0 : ticks_until(current, previous, l->limit - cost, v.left, period);
    if (reply->allowed) {
        estimate += cost;
        current += cost;
    }
    reply->remaining = estimate < l->limit ? l->limit - estimate : 0;
    reply->reset_after = ticks_until(current, previous, 0, v.left, period);
}

/* Where each row counts at least as much as it did for every key in it, so does the least of them. */
static bool take(bpk_limit *l, uint64_t hash, uint32_t cost) {
    bpk_limit_reply reply;
    ask(l, hash, cost, l->now, &reply);
    if (!reply.allowed) return false;
    bpki_cells c = table(l, view_at(l, l->now).current);
    bpki_cells_raise(&c, &hash, &(uint64_t){cost}, 1);
    return true;
}

static void add(bpk_limit *l, const bpk_items *it, uint8_t *changed) {
    for (size_t i = 0; i < it->n; i++) {
        uint64_t cost = it->weight ? it->weight[i] : 1;
        bool passed = cost > 0 && cost <= l->limit && take(l, it->hash[i], (uint32_t)cost);
        if (changed) changed[i] = passed;
    }
}

/* ---- the whole ---- */

static uint32_t cell_of(const uint8_t *bytes, size_t i) {
    return bytes ? bpki_load32(bytes + i * LIMIT_CELL) : 0;
}

/* The least of sums is no less than the sum of the least, so that this is what a new key meets at most. */
static double fresh(const bpk_limit *l, uint64_t now) {
    view v = view_at(l, now);
    double chance = 1;
    for (uint32_t r = 0; r < l->cells.depth && chance > 0; r++) {
        size_t above = 0, width = (size_t)l->cells.width;
        for (size_t i = r * width; i < (r + 1) * width; i++)
            above += cell_of(v.current, i) + still_in(cell_of(v.previous, i), v.left, l->rate.period) >= l->limit;
        chance *= (double)above / (double)width;
    }
    return chance;
}

static void join_half(bpk_limit *dst, uint8_t *to, const uint8_t *from, limit_join how) {
    for (size_t i = 0; from && i < limit_half_bytes(dst); i += LIMIT_CELL)
        bpki_store32(to + i, how(bpki_load32(to + i), bpki_load32(from + i), UINT32_MAX));
}

static void join(bpk_limit *dst, const bpk_limit *src, limit_join how) {
    view v = view_at(src, dst->now);
    join_half(dst, dst->cells.bytes + dst->current * limit_half_bytes(dst), v.current, how);
    join_half(dst, dst->cells.bytes + !dst->current * limit_half_bytes(dst), v.previous, how);
}

/* The present window comes first. */
static void read_cells(const bpk_limit *l, uint64_t i, size_t n, uint8_t *out) {
    view v = view_at(l, l->now);
    uint64_t half = l->cells.width * l->cells.depth;
    for (size_t k = 0; k < n; k++, i++)
        bpki_store32(out + k * LIMIT_CELL, cell_of(i < half ? v.current : v.previous, (size_t)(i % half)));
}

static uint32_t most(const bpk_limit *l) {
    (void)l;
    return UINT32_MAX;
}

const limit_method bpki_limit_windows = {"windows", advance, take, add, ask, fresh, join, read_cells, most};
