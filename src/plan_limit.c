/* plan_limit.c - layer 3: how wide does a rate limiter have to be?
 *
 * A cell works off `limit` events in a period, and what passes in one falls into one cell of each row: at a steady load
 * no more than load = events / (width x limit) of the cells of a row have any work, and of keys that did nothing at
 * most load^depth are limited. Conservative cells and bursts make it far less, see docs/rooms/limit.md.
 */
#include <ballpark/limit.h>
#include <math.h>

#include "plan_state.h"

enum { DEPTH = 4 }; /* as limit.c has it unless it is told otherwise */

static const uint64_t PERIOD_MAX = UINT64_C(1) << 53; /* a field holds it */

typedef struct limit_plan {
    uint64_t limit, period, keys; /* keys: events that pass in a period, divided by the limit */
    double fresh;                 /* the share of new keys that may be limited */
    uint32_t width;               /* the least that keeps it */
} limit_plan;

static double fresh_at(double load) {
    return fmin(1, pow(load, DEPTH));
}

static limit_plan read_plan(bpki_params *ps) {
    static const char *const needed[] = {"limit", "period", "keys"};
    limit_plan p = {.fresh = bpki_param_share(ps, "fresh", 0.01)};
    p.limit = bpki_param_count(ps, "limit", 1);
    p.period = bpki_param_count(ps, "period", 1);
    p.keys = bpki_param_count(ps, "keys", 1);
    for (size_t i = 0; i < BPKI_COUNT(needed); i++) bpki_param_missing(ps, needed[i]);
    if (p.limit < 1 || p.limit > BPK_LIMIT_BURST_MAX) bpki_param_fail(ps, "limit"); /* which is the burst, too */
    if (p.period < 1 || p.period > PERIOD_MAX) bpki_param_fail(ps, "period");
    if (!(p.fresh > 0 && p.fresh <= 1)) bpki_param_fail(ps, "fresh");
    double width = ceil((double)p.keys / pow(p.fresh, 1.0 / DEPTH));
    if (!(width >= 1 && width <= UINT32_MAX)) bpki_param_fail(ps, "keys");
    p.width = width >= 1 && width <= UINT32_MAX ? (uint32_t)width : 1;
    return p;
}

static void walk_load(const limit_plan *p, bpki_walk *w) {
    double load = (double)p->keys / p->width;
    bpki_walk_text(w, "bound",
                   "never too late; at a steady load fresh_limited_at_most of the keys that did nothing are limited");
    bpki_walk_number(w, "fresh", p->fresh, BPK_UNIT_SHARE);
    bpki_walk_number(w, "fresh_limited_at_most", fresh_at(load), BPK_UNIT_SHARE);
    bpki_walk_number(w, "keys", (double)p->keys, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "events", (double)p->keys * (double)p->limit, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "load", load, BPK_UNIT_NONE);
    bpki_walk_number(w, "twice.load", 2 * load, BPK_UNIT_NONE);
    bpki_walk_number(w, "twice.fresh_limited_at_most", fresh_at(2 * load), BPK_UNIT_SHARE);
    bpki_walk_text(w, "twice.what", "more new keys are limited too early; none passes too late");
}

bpk_status bpki_plan_limit(plan *p, bpk_err *err) {
    limit_plan sized = read_plan(&p->in);
    BPK_TRY(bpki_plan_begin(p, err));
    bpki_plan_settle(&p->made, "limit", sized.limit);
    bpki_plan_settle(&p->made, "period", sized.period);
    bpki_plan_settle(&p->made, "width", sized.width);
    plan_cost b = bpki_plan_cost("limit", p, UINT64_MAX);
    bpki_plan_parameters(p, "limit");
    bpki_plan_bytes(p, b);
    walk_load(&sized, p->w);
    bpki_plan_map(p, 0, b);
    return BPK_OK;
}
