/* bloom_ring.c - rotating filters: when a generation is closed, what is still remembered, and answers over all of them.
 *
 *     generation   2        3        4        0        1
 *                [oldest] [      ] [      ] [      ] [current]     one more than the window needs
 *                  '-- emptied, and current next
 *
 * A generation is closed by the next add when it has its share of the items, when its rate comes to its plan's, or when
 * its time is over. Its rate is looked at after every 16th of its items: the stages depend on the number of adds alone,
 * so that the bytes do not depend on batches. docs/adr/0013-generations.md says why all that is so.
 */
#include "bloom_state.h"

#include <math.h>

enum { STAGES = 16, NOW = 0, ADDS = 8, SINCE = 16, EACH = 16 };

/* ---- the state behind the lines ---- */

static size_t state_at(const bpk_bloom *b, unsigned generation, size_t field) {
    return (size_t)bpki_bloom_bit_bytes(b) + (size_t)generation * EACH + field;
}
static void store(bpk_bloom *b, unsigned generation, size_t field, uint64_t v) {
    bpki_store64(b->own + state_at(b, generation, field), v);
}
uint64_t bpki_ring_now(const bpk_bloom *b) {
    return bpki_load64(b->bits + state_at(b, 0, NOW));
}
uint64_t bpki_ring_adds(const bpk_bloom *b, unsigned generation) {
    return bpki_load64(b->bits + state_at(b, generation, ADDS));
}
uint64_t bpki_ring_since(const bpk_bloom *b, unsigned generation) {
    return bpki_load64(b->bits + state_at(b, generation, SINCE));
}
unsigned bpki_ring_oldest(const bpk_bloom *b) {
    return (b->turn.current + 1u) % bpki_ring_lines(b);
}
bool bpki_ring_is_empty(const bpk_bloom *b) {
    uint64_t adds = 0;
    for (unsigned g = 0; g < bpki_ring_lines(b); g++) adds |= bpki_ring_adds(b, g);
    return adds == 0;
}

/* ---- one generation ---- */

static size_t line_of(const bpk_bloom *b, uint64_t block, unsigned generation) {
    return ((size_t)block * bpki_ring_lines(b) + generation) * BPKI_LINE;
}

uint64_t bpki_ring_set(const bpk_bloom *b, unsigned generation) {
    uint64_t set = 0;
    for (uint64_t u = 0; u < b->plan.units; u++)
        set += bpki_kern()->popcount(b->bits + line_of(b, u, generation), BPKI_LINE);
    return set;
}

static double rate_of(const bpk_bloom *b, unsigned generation) {
    size_t apart = bpki_ring_lines(b) * (size_t)BPKI_LINE;
    double rate = 1, share = bpki_kern()->line_shares(b->bits + line_of(b, 0, generation), b->plan.units, apart);
    for (unsigned j = 0; j < b->plan.k; j++) rate *= share / (double)b->plan.units;
    return rate;
}

static void empty(bpk_bloom *b, unsigned generation) {
    if (bpki_ring_adds(b, generation) == 0) return;
    for (uint64_t u = 0; u < b->plan.units; u++) memset(b->own + line_of(b, u, generation), 0, BPKI_LINE);
    store(b, generation, ADDS, 0);
    b->turn.lost = true;
}

/* ---- rotation ---- */

static void rotate(bpk_bloom *b, uint64_t since) {
    unsigned next = bpki_ring_oldest(b);
    empty(b, next);
    store(b, next, SINCE, since);
    b->turn.current = (uint8_t)next;
}

/* With nothing in it the ring is as the clock has it, one generation a slot, so that filters of one clock rotate alike,
 * whenever they began and in however many steps a quiet time was crossed. */
static void start_anew(bpk_bloom *b, uint64_t slot_number, uint64_t slot) {
    unsigned n = bpki_ring_lines(b);
    b->turn.united = false;
    b->turn.current = (uint8_t)(slot_number % n);
    for (unsigned i = 0; i < n; i++) {
        unsigned generation = (b->turn.current + n - i) % n;
        empty(b, generation);
        store(b, generation, SINCE, slot_number >= i ? (slot_number - i) * slot : 0);
    }
}

/* The one before was opened and closed in the same slot. That the current one was opened within it does not tell: where
 * the time is coarse, a slot has one value. */
static bool opened_early(const bpk_bloom *b, uint64_t before) {
    unsigned n = bpki_ring_lines(b), last = (b->turn.current + n - 1) % n;
    return bpki_ring_adds(b, last) > 0 && bpki_ring_since(b, last) >= before;
}

/* One that was opened before its time and has got nothing since is that of the new time; closing it as well would give
 * away a generation. */
static void next_slot(bpk_bloom *b, uint64_t before, uint64_t begins) {
    unsigned current = b->turn.current;
    if (bpki_ring_adds(b, current) == 0 && opened_early(b, before)) store(b, current, SINCE, begins);
    else rotate(b, begins);
}

static void tick(bpk_bloom *b, uint64_t now) {
    uint64_t before = bpki_ring_now(b);
    if (b->ring.span == 0 || now <= before) return;
    uint64_t slot = bpki_bloom_slot(b->ring.span, b->turn.generations), from = before / slot, to = now / slot;
    bool later = from<to, gone = to - from> b->turn.generations;
    for (; from < to && !gone; from++) next_slot(b, from * slot, (from + 1) * slot);
    if (gone || (later && bpki_ring_is_empty(b))) start_anew(b, to, slot);
    store(b, 0, NOW, now);
}

bpk_status bpk_bloom_advance(bpk_bloom *b, uint64_t now) {
    if (!bpki_is_ring(b) || b->ring.span == 0) return BPK_E_UNSUPPORTED;
    tick(b, now);
    return BPK_OK;
}

/* The number of adds at which the current generation, which has `adds` of them, is looked at next. */
static uint64_t next_look(const bpk_bloom *b, uint64_t adds) {
    uint64_t stage = (b->plan.items + STAGES - 1) / STAGES, next = (adds / stage + 1) * stage;
    return next < b->plan.items ? next : b->plan.items;
}

/* One that has its items is left for the next add: where that comes in another slot, the time closes it, and a slot's
 * items that fill a generation exactly cost no other one. */
static void look(bpk_bloom *b) {
    unsigned current = b->turn.current;
    if (bpki_ring_adds(b, current) == b->plan.items) return;
    if (rate_of(b, current) >= b->plan.rate) rotate(b, bpki_ring_now(b));
}

static bpki_ring_shape shape_of(const bpk_bloom *b) {
    return (bpki_ring_shape){.blocks = b->plan.units,
                             .lines = bpki_ring_lines(b),
                             .k = b->plan.k,
                             .current = b->turn.current,
                             .once = b->turn.seen == BPK_SEEN_FIRST};
}

/* What crowds in the parts crowds more in the union, which is not to wait for the next stage. */
static void look_at_union(bpk_bloom *b) {
    b->turn.united = false;
    look(b);
}

/* As many at once as certainly do not pass the next look. */
void bpki_ring_add(bpk_bloom *b, const bpk_items *it, uint8_t *changed) {
    if (it->n) tick(b, it->now);
    if (it->n && b->turn.united) look_at_union(b);
    for (size_t i = 0; i < it->n;) {
        if (bpki_ring_adds(b, b->turn.current) == b->plan.items) rotate(b, bpki_ring_now(b));
        uint64_t adds = bpki_ring_adds(b, b->turn.current), stop = next_look(b, adds);
        size_t some = it->n - i < stop - adds ? it->n - i : (size_t)(stop - adds);
        bpki_ring_shape shape = shape_of(b);
        adds += bpki_kern()->ring_add(b->own, &shape, it->hash + i, some, changed ? changed + i : NULL);
        store(b, b->turn.current, ADDS, adds);
        if (adds == stop) look(b);
        i += some;
    }
}

void bpki_ring_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out) {
    bpki_ring_shape shape = shape_of(b);
    bpki_kern()->ring_has(b->bits, &shape, hash, n, out);
}

/* ---- merging ---- */

static bpk_status check_plans(const bpk_bloom *a, const bpk_bloom *b, bpk_err *err) {
    const bpki_ring *r = &a->ring, *s = &b->ring;
    const bpki_turn *t = &a->turn, *u = &b->turn;
    if (a->plan.k != b->plan.k) return bpki_mismatch(err, "lines", a->plan.k, b->plan.k);
    if (a->plan.units != b->plan.units) return bpki_mismatch(err, "blocks", a->plan.units, b->plan.units);
    if (r->window != s->window) return bpki_mismatch(err, "items", r->window, s->window);
    if (r->span != s->span) return bpki_mismatch(err, "span", r->span, s->span);
    if (t->seen != u->seen) return bpki_mismatch_text(err, "seen", bpki_bloom_seen[t->seen], bpki_bloom_seen[u->seen]);
    return BPK_OK;
}

static bpk_status check_turns(const bpk_bloom *a, const bpk_bloom *b, bpk_err *err) {
    const bpki_turn *t = &a->turn, *u = &b->turn;
    if (t->current != u->current) return bpki_mismatch(err, "current", t->current, u->current);
    for (unsigned g = 0; g < bpki_ring_lines(a); g++)
        if (bpki_ring_since(a, g) != bpki_ring_since(b, g))
            return bpki_mismatch(err, "since", bpki_ring_since(a, g), bpki_ring_since(b, g));
    for (unsigned g = 0; g < bpki_ring_lines(a); g++)
        if (bpki_ring_adds(a, g) + bpki_ring_adds(b, g) > a->plan.items)
            return bpki_mismatch(err, "adds", bpki_ring_adds(a, g), bpki_ring_adds(b, g));
    return BPK_OK;
}

static void unite(bpk_bloom *a, const bpk_bloom *b) {
    bpki_kern()->or_bytes(a->own, b->bits, (size_t)bpki_bloom_bit_bytes(a));
    for (unsigned g = 0; g < bpki_ring_lines(a); g++) store(a, g, ADDS, bpki_ring_adds(a, g) + bpki_ring_adds(b, g));
    if (bpki_ring_now(b) > bpki_ring_now(a)) store(a, 0, NOW, bpki_ring_now(b));
    a->turn.united = true;
}

static void become(bpk_bloom *a, const bpk_bloom *b) {
    memcpy(a->own, b->bits, (size_t)a->bytes);
    a->turn.current = b->turn.current;
    a->turn.united = b->turn.united;
}

/* Generation by generation. A union that would have more in one than its plan would break the rate, and is refused.
 * One that is full or comes to its rate is closed by the next add, and a ring with nothing in it changes neither
 * generations nor time: so the order of many does not matter. */
bpk_status bpki_ring_merge(bpk_bloom *a, const bpk_bloom *b, bpk_err *err) {
    bool none = bpki_ring_is_empty(a), nothing = bpki_ring_is_empty(b);
    BPK_TRY(check_plans(a, b, err));
    if (!none && !nothing) {
        BPK_TRY(check_turns(a, b, err));
        unite(a, b);
    } else if (none && (!nothing || bpki_ring_now(b) > bpki_ring_now(a))) {
        become(a, b);
    }
    if (b->ring.rate < a->ring.rate) {
        a->ring.rate = b->ring.rate;
        a->plan.rate = b->plan.rate;
    }
    a->turn.lost = a->turn.lost || b->turn.lost;
    return BPK_OK;
}

/* ---- answers ---- */

double bpki_ring_rate(const bpk_bloom *b) {
    double rate = 0;
    for (unsigned g = 0; g < bpki_ring_lines(b); g++) rate += (1 - rate) * rate_of(b, g);
    return rate;
}

/* An item may be in several generations: those of their union are counted. */
bpk_estimate bpki_ring_items(const bpk_bloom *b, double confidence) {
    uint64_t set = 0;
    for (uint64_t u = 0; u < b->plan.units; u++) {
        uint8_t any[BPKI_LINE] = {0};
        for (unsigned g = 0; g < bpki_ring_lines(b); g++)
            bpki_kern()->or_bytes(any, b->bits + line_of(b, u, g), BPKI_LINE);
        set += bpki_kern()->popcount(any, BPKI_LINE);
    }
    return bpki_filter_items_of(&b->plan, set, confidence);
}

/* Until something was forgotten, all was remembered. */
uint64_t bpk_bloom_window(const bpk_bloom *b) {
    uint64_t adds = 0;
    if (!bpki_is_ring(b)) return 0;
    if (!b->turn.lost) return b->ring.window;
    for (unsigned g = 0; g < bpki_ring_lines(b); g++) adds += bpki_ring_adds(b, g);
    return adds < b->ring.window ? adds : b->ring.window;
}

uint64_t bpk_bloom_span(const bpk_bloom *b) {
    if (!bpki_is_ring(b)) return 0;
    if (b->ring.span == 0 || !b->turn.lost) return b->ring.span;
    uint64_t there = bpki_ring_now(b) - bpki_ring_since(b, bpki_ring_oldest(b));
    return there < b->ring.span ? there : b->ring.span;
}

/* The share of what was asked for that is remembered. */
static double remembered(const bpk_bloom *b) {
    if (b->ring.span) return (double)bpk_bloom_span(b) / (double)b->ring.span;
    return (double)bpk_bloom_window(b) / (double)b->ring.window;
}

static double fill_of(const bpk_bloom *b) {
    uint64_t bytes = bpki_bloom_bit_bytes(b);
    return (double)bpki_kern()->popcount(b->bits, (size_t)bytes) / ((double)bytes * 8);
}

void bpki_ring_info(const bpk_bloom *b, bpki_walk *w) {
    const bpki_ring *r = &b->ring;
    bpki_walk_text(w, "layout", "rotating");
    bpki_walk_number(w, "generations", b->turn.generations, BPK_UNIT_NONE);
    bpki_walk_text(w, "seen", bpki_bloom_seen[b->turn.seen]);
    bpki_walk_number(w, "lines", b->plan.k, BPK_UNIT_NONE);
    bpki_walk_number(w, "blocks", (double)b->plan.units, BPK_UNIT_NONE);
    bpki_walk_number(w, "body_bytes", (double)b->bytes, BPK_UNIT_BYTES);
    bpki_walk_number(w, "planned_items", (double)r->window, BPK_UNIT_ITEMS);
    if (r->span == 0) bpki_walk_number(w, "window_effective", (double)bpk_bloom_window(b), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "span", (double)r->span, BPK_UNIT_NONE);
    if (r->span) bpki_walk_number(w, "span_effective", (double)bpk_bloom_span(b), BPK_UNIT_NONE);
    if (r->span) bpki_walk_number(w, "now", (double)bpki_ring_now(b), BPK_UNIT_NONE);
    bpki_walk_number(w, "rate_asked", r->rate, BPK_UNIT_SHARE);
    bpki_walk_number(w, "rate_now", bpki_ring_rate(b), BPK_UNIT_SHARE);
    bpki_walk_estimate(w, "items", bpki_ring_items(b, BPK_CONFIDENCE), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "fill", fill_of(b), BPK_UNIT_SHARE);
}

/* It never holds too many: it forgets too early, where generations were closed before their time. */
bpk_state bpki_ring_health(const bpk_bloom *b, bpki_health *h) {
    double whole = remembered(b);
    h->rate_now = h->error_now = bpki_ring_rate(b);
    h->rate_asked = b->ring.rate;
    h->planned = (double)b->ring.window;
    h->items = bpki_ring_items(b, BPK_CONFIDENCE);
    h->fill = fill_of(b);
    double chance = bpki_bloom_any_of(b->plan.rate, bpki_ring_lines(b));
    bool more = h->rate_now > (chance > 1.02 * b->ring.rate ? chance : 1.02 * b->ring.rate);
    h->reason = whole <= 2.0 / 3 ? "it remembers two thirds of the window that was asked for, or less"
                : whole < 1      ? "it remembers less than the window that was asked for"
                : more           ? "more false answers than asked for"
                                 : "within its plan";
    if (whole <= 2.0 / 3) return BPK_HEALTH_OVER;
    return whole < 1 || more ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
}
