/* bloom_plan.c - from a configuration to the filter that meets it, and what it will cost and say.
 *
 * A rotating filter has G + 1 generations, each for 1/G of the window. Its rate is 1 - (1 - p)^(G + 1) where each has
 * p, so that p follows from the rate asked for. A generation that came to p by chance before it has its items would be
 * closed before its time: it is a little larger than it must be on average.
 */
#include "bloom_plan.h"

_Static_assert((int)BPK_BLOOM_BLOCKED == BPKI_FILTER_BLOCKED && (int)BPK_BLOOM_CLASSIC == BPKI_FILTER_CLASSIC, "alike");

static const double SURELY = 6; /* standard deviations: 1e-9 */

/* ---- generations ---- */

/* 1 - (1 - rate)^n by the four operations alone, without the loss of digits of a small rate. */
double bpki_bloom_any_of(double rate, unsigned n) {
    double sum = 0;
    while (n--) sum += rate - sum * rate;
    return sum;
}

/* The largest p with any_of(p, G + 1) <= rate. It lies between rate / (G + 1) and rate. */
double bpki_bloom_generation_rate(const bpk_bloom_config *cfg) {
    unsigned n = cfg->generations + 1u;
    double low = cfg->rate / n, high = cfg->rate;
    if (n == 1) return cfg->rate;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (bpki_bloom_any_of(middle, n) <= cfg->rate) low = middle;
        else high = middle;
    }
    return low;
}

uint64_t bpki_bloom_generation_items(const bpk_bloom_config *cfg) {
    uint64_t n = cfg->generations ? cfg->generations : 1;
    return (cfg->items + n - 1) / n;
}

double bpki_bloom_close_at(const bpki_filter *generation) {
    double chance = bpki_filter_rate_at_most(generation, SURELY);
    return chance > generation->rate ? chance : generation->rate;
}

uint64_t bpki_bloom_slot(uint64_t span, uint8_t generations) {
    return span / generations + (span % generations != 0);
}

uint64_t bpki_bloom_state_bytes(uint8_t generations) {
    return generations ? 8 + 16 * (generations + UINT64_C(1)) : 0;
}

static const char *ring_fault(const bpk_bloom_config *cfg) {
    if (cfg->layout != BPK_BLOOM_BLOCKED) return "layout";
    if (cfg->on_full != BPK_FULL_ERROR) return "on_full";
    if (cfg->seen > BPK_SEEN_FIRST) return "seen";
    if (cfg->items < cfg->generations) return "items";
    if (cfg->span && cfg->span < cfg->generations) return "span";
    return bpki_filter_fault(bpki_bloom_generation_items(cfg), bpki_bloom_generation_rate(cfg), 0);
}

/* ---- configurations ---- */

const char *bpki_bloom_fault(const bpk_bloom_config *cfg) {
    if (cfg->layout > BPK_BLOOM_CLASSIC) return "layout";
    if (cfg->generations > BPK_BLOOM_GENERATIONS_MAX) return "generations";
    const char *fault = bpki_filter_fault(cfg->items, cfg->rate, cfg->on_full);
    if (fault) return fault;
    if (cfg->generations) return ring_fault(cfg);
    if (cfg->seen != BPK_SEEN_LAST) return "seen"; /* these two mean nothing without */
    return cfg->span ? "span" : NULL;
}

bpki_filter bpki_bloom_size(const bpk_bloom_config *cfg) {
    bpki_filter p = {.layout = cfg->layout, .on_full = cfg->on_full};
    p.items = bpki_bloom_generation_items(cfg);
    p.rate = bpki_bloom_generation_rate(cfg);
    if (cfg->generations) bpki_filter_size_surely(&p, SURELY);
    else bpki_filter_size(&p);
    return p;
}

uint64_t bpk_bloom_bits(const bpk_bloom_config *cfg) {
    if (bpki_bloom_fault(cfg)) return 0;
    bpki_filter p = bpki_bloom_size(cfg);
    uint64_t bits = (bpki_filter_bits(&p) + 63) / 64 * 64;
    return bits * (cfg->generations + UINT64_C(1)) + 8 * bpki_bloom_state_bytes(cfg->generations);
}

bpk_status bpk_bloom_size(bpk_bloom_shape *out, const bpk_bloom_config *cfg) {
    if (bpki_bloom_fault(cfg)) return BPK_E_ARG;
    bpki_filter p = bpki_bloom_size(cfg);
    uint64_t bits = bpki_filter_bits(&p) * (cfg->generations + UINT64_C(1));
    *out = (bpk_bloom_shape){bits, bpki_filter_bits_per_item(&p)};
    return BPK_OK;
}

/* The newest generations are full, one is partly. */
static double ring_rate_at(const bpki_filter *p, unsigned generations, double items) {
    double rate = 0, each = (double)p->items;
    for (unsigned g = 0; g <= generations && items > 0; g++, items -= each)
        rate += (1 - rate) * bpki_filter_rate_at(p, items < each ? items : each);
    return rate;
}

double bpk_bloom_rate_at(const bpk_bloom_config *cfg, double items) {
    if (bpki_bloom_fault(cfg) || !(items > 0)) return 0;
    bpki_filter p = bpki_bloom_size(cfg);
    return cfg->generations ? ring_rate_at(&p, cfg->generations, items) : bpki_filter_rate_at(&p, items);
}
