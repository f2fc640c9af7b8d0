/* bloom_plan.c - from a configuration to the filter that meets it, and what it will cost and say. */
#include "bloom_plan.h"

_Static_assert((int)BPK_BLOOM_BLOCKED == BPKI_FILTER_BLOCKED && (int)BPK_BLOOM_CLASSIC == BPKI_FILTER_CLASSIC, "alike");

const char *bpki_bloom_fault(const bpk_bloom_config *cfg) {
    if (cfg->layout > BPK_BLOOM_CLASSIC) return "layout";
    if (cfg->generations != 0) return "generations";
    return bpki_filter_fault(cfg->items, cfg->rate, cfg->on_full);
}

bpki_filter bpki_bloom_size(const bpk_bloom_config *cfg) {
    bpki_filter p = {.layout = cfg->layout, .on_full = cfg->on_full, .items = cfg->items, .rate = cfg->rate};
    bpki_filter_size(&p);
    return p;
}

uint64_t bpk_bloom_bits(const bpk_bloom_config *cfg) {
    if (bpki_bloom_fault(cfg)) return 0;
    bpki_filter p = bpki_bloom_size(cfg);
    return (bpki_filter_bits(&p) + 63) / 64 * 64;
}

bpk_status bpk_bloom_size(bpk_bloom_shape *out, const bpk_bloom_config *cfg) {
    if (bpki_bloom_fault(cfg)) return BPK_E_ARG;
    bpki_filter p = bpki_bloom_size(cfg);
    *out = (bpk_bloom_shape){bpki_filter_bits(&p), bpki_filter_bits_per_item(&p)};
    return BPK_OK;
}

double bpk_bloom_rate_at(const bpk_bloom_config *cfg, double items) {
    if (bpki_bloom_fault(cfg) || !(items > 0)) return 0;
    bpki_filter p = bpki_bloom_size(cfg);
    return bpki_filter_rate_at(&p, items);
}
