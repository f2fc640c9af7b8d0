/* health.c - layer 3: is a sketch still inside its bounds? One list of fields and one state for every kind.
 *
 * The room says what it knows and judges its own plan. What is the same for all is judged here: a tolerated error, and
 * contents that do not fit the model.
 */
#include <math.h>

#include "room.h"

static const double SUSPICIOUS = 7; /* standard deviations: 3e-12 by chance */

const bpki_health bpki_health_unknown = {.planned = NAN,
                                         .fill = NAN,
                                         .rate_now = NAN,
                                         .rate_asked = NAN,
                                         .total = NAN,
                                         .noise_floor = NAN,
                                         .saturated = NAN,
                                         .reason = ""};

/* ---- what is tolerated ---- */

bpk_status bpk_tolerate(bpk_sketch *s, double share) {
    uint64_t bits;
    uint8_t bytes[sizeof bits];
    if (share == 0) return bpk_meta_set(s, BPK_META_TOLERATED, NULL, 0);
    memcpy(&bits, &share, sizeof bits);
    bpki_store64(bytes, bits);
    return bpk_meta_set(s, BPK_META_TOLERATED, bytes, sizeof bytes);
}

bool bpk_tolerated(const bpk_sketch *s, double *share) {
    size_t n;
    const void *value = bpk_meta_get(s, BPK_META_TOLERATED, &n);
    if (!value) return false;
    uint64_t bits = bpki_load64(value);
    memcpy(share, &bits, sizeof bits);
    return true;
}

/* ---- the list ---- */

static void number(bpki_walk *w, const char *name, double value, bpk_unit unit) {
    if (!isnan(value)) bpki_walk_number(w, name, value, unit);
}

static void estimate(bpki_walk *w, const char *name, bpk_estimate e, bpk_unit unit) {
    if (e.confidence > 0) bpki_walk_estimate(w, name, e, unit);
}

static bpk_estimate load_of(const bpki_health *h) {
    bpk_estimate load = h->items;
    if (isnan(h->planned)) return (bpk_estimate){.confidence = 0};
    load.estimate /= h->planned;
    load.lower /= h->planned;
    if (load.upper < 0x1p64) load.upper /= h->planned; /* that stands for no limit */
    return load;
}

/* Chi-square as standard deviations of a normal distribution (Wilson, Hilferty 1931). */
static double sigmas_of(const bpki_health *h) {
    if (h->freedom <= 0) return 0;
    double spread = 2 / (9 * h->freedom);
    return (cbrt(h->chi_square / h->freedom) - (1 - spread)) / sqrt(spread);
}

static void walk_list(bpki_walk *w, const bpki_health *h) {
    number(w, "planned_items", h->planned, BPK_UNIT_ITEMS);
    estimate(w, "items", h->items, BPK_UNIT_ITEMS);
    estimate(w, "load", load_of(h), BPK_UNIT_SHARE);
    number(w, "fill", h->fill, BPK_UNIT_SHARE);
    number(w, "rate_now", h->rate_now, BPK_UNIT_SHARE);
    number(w, "rate_asked", h->rate_asked, BPK_UNIT_SHARE);
    number(w, "total", h->total, BPK_UNIT_ITEMS);
    number(w, "noise_floor", h->noise_floor, BPK_UNIT_ITEMS);
    estimate(w, "ceiling", h->ceiling, BPK_UNIT_ITEMS);
    number(w, "saturated", h->saturated, BPK_UNIT_NONE);
    if (h->freedom > 0) {
        number(w, "chi_square", h->chi_square, BPK_UNIT_NONE);
        number(w, "chi_square_freedom", h->freedom, BPK_UNIT_NONE);
        number(w, "chi_square_sigmas", sigmas_of(h), BPK_UNIT_NONE);
    }
    number(w, "error_now", h->error_now, BPK_UNIT_SHARE);
}

/* ---- the state ---- */

/* Raises the state; the reason is that of the worst, the first among equals. */
static void worsen(bpk_state *state, bpki_health *h, bpk_state to, const char *reason) {
    if (to <= *state) return;
    *state = to;
    h->reason = reason;
}

bpk_state bpki_health_of(const bpk_sketch *s, bpki_health *h) {
    *h = bpki_health_unknown;
    bpk_state state = s->ops->health(s, h);
    if (fabs(sigmas_of(h)) > SUSPICIOUS)
        worsen(&state, h, BPK_HEALTH_OVER, "not what hashes of different items leave: a weak hash or chosen items");
    return state;
}

bpk_state bpk_health(const bpk_sketch *s, bpk_field_fn fn, void *ctx) {
    static const char *const names[] = {"ok", "warn", "over"};
    bpki_walk w = {fn, ctx, false};
    bpki_health h;
    double tolerated = 0;
    bool limited = bpk_tolerated(s, &tolerated);
    bpk_state state = bpki_health_of(s, &h);
    if (limited && h.yields) {
        state = BPK_HEALTH_OK;
        h.reason = "no more error than tolerated";
    }
    walk_list(&w, &h);
    if (limited) number(&w, "tolerated", tolerated, BPK_UNIT_SHARE);
    if (limited && h.error_now >= 1.5 * tolerated)
        worsen(&state, &h, BPK_HEALTH_OVER, "half as much error again as tolerated, or more");
    if (limited && h.error_now > tolerated) worsen(&state, &h, BPK_HEALTH_WARN, "more error than tolerated");
    bpki_walk_text(&w, "reason", h.reason);
    bpki_walk_text(&w, "state", names[state]);
    return state;
}
