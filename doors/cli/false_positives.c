/* false_positives.c - how many records a filter's false positives may have cost; false_positives.h derives the sum. */
#include "false_positives.h"

#include "answer.h"

#include <math.h>

/* Samples each time by 1/STEP, and not before LEAST items or 1/PARTS of the plan: wider steps only below a quarter of
 * it, where a rate that rises as x^e is under 4^-e of what it will be. */
enum { STEP = 16, LEAST = 4096, PARTS = 64 };

/* A walk over all fields would count the items too, from all bits once more. */
double rate_now(const bpk_sketch *s) {
    const bpk_grow *chain = bpk_as_grow(s);
    const bpk_bloom *filter = bpk_as_bloom(s);
    double rate;
    if (chain) return bpk_grow_rate(chain);
    if (filter) return bpk_bloom_rate(filter);
    return sketch_number(s, "rate_now", &rate) ? rate : 0;
}

/* How many stand behind each one that was let through. */
static double odds(double rate) {
    return rate < 1 ? rate / (1 - rate) : 0;
}

/* From a rate of a half on, the few that are let through say little of those behind them: every refused one may be. */
static void sample(loss *l, const bpk_sketch *filter) {
    double now = rate_now(filter), rate = (l->rate + now) / 2, behind = (double)l->waiting * odds(rate);
    if (now < 0.5) {
        l->expected += behind;
    } else {
        l->blind += l->refused_since;
        l->blind_expected += fmin(rate < 1 ? behind : INFINITY, (double)l->refused_since);
    }
    l->rate = now;
    l->waiting = l->refused_since = 0;
}

void loss_start(loss *l, const bpk_sketch *filter, uint64_t items) {
    double planned = 0;
    sketch_number(filter, "planned_items", &planned);
    *l = (loss){.rate = rate_now(filter), .admitted = items, .least = (uint64_t)(planned / PARTS)};
}

void loss_note(loss *l, const bpk_sketch *filter, uint64_t admitted, uint64_t refused) {
    l->admitted += admitted;
    l->waiting += admitted;
    l->refused += refused;
    l->refused_since += refused;
    l->let += admitted;
    uint64_t step = l->admitted / STEP > l->least ? l->admitted / STEP : l->least;
    if (l->step && l->step < step) step = l->step;
    bool many = l->rate >= 0.5 && l->refused_since >= LEAST;
    if (many || (l->waiting >= LEAST && l->waiting >= step)) sample(l, filter);
}

void loss_turns(loss *l, uint64_t planned, double most) {
    l->step = planned / STEP + 1;
    l->most = most;
}

void loss_end(loss *l, const bpk_sketch *filter) {
    sample(l, filter);
}

double loss_expected(const loss *l) {
    return fmin(l->expected + l->blind_expected, (double)l->refused);
}

uint64_t loss_most(const loss *l, double confidence) {
    double expected = fmax(l->expected, (double)l->let * odds(l->most));
    uint64_t most = l->blind + likely_most(expected, confidence, l->refused);
    return most < l->refused ? most : l->refused;
}

uint64_t likely_most(double expected, double confidence, uint64_t most) {
    if (expected < 1 - confidence) return 0;
    double l = -log(1 - confidence), n = ceil(expected + l / 3 + sqrt(l * l / 9 + 2 * l * expected)) - 1;
    return n < (double)most ? (uint64_t)n : most;
}

double false_repeats(double rate, uint64_t admitted, uint64_t refused) {
    double expected = rate < 1 ? (double)admitted * odds(rate) : (double)refused;
    return fmin(expected, (double)refused);
}
