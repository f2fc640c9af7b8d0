/* cuckoo_plan.c - inside the cuckoo room: how many buckets a plan takes, and the rate of false answers.
 *
 * Of places of which each item may take eight, 98 % can be filled; the walk of cuckoo_walk.c reaches 96.5 %. Small
 * tables vary: 0.19 standard deviations of sqrt(places), and below 100 places chance may send nine items to the same
 * two buckets. The margins are such that a plan of different items does not fit about once in a million tables
 * (docs/rooms/cuckoo.md has the measurement). Sizes are even, so that no fingerprint has one bucket alone.
 */
#include <math.h>

#include "cuckoo_state.h"

static double slots_for(double items) {
    if (items <= 2 * CUCKOO_SLOTS) return 2 * CUCKOO_SLOTS; /* two buckets take any eight */
    return fmax(items / 0.95, items / 0.98 + 1.1 * sqrt(items) + 17);
}

static uint64_t even(uint64_t n) {
    return n + n % 2;
}

static uint64_t base_for(uint64_t items, unsigned level) {
    uint64_t buckets = (uint64_t)ceil(slots_for((double)items) / CUCKOO_SLOTS), step = UINT64_C(1) << level;
    return even((buckets + step - 1) / step);
}

const char *bpki_cuckoo_fault(const bpk_cuckoo_config *cfg) {
    if (cfg->fingerprint_bits != BPK_CUCKOO_BITS && cfg->fingerprint_bits != BPK_CUCKOO_BITS_FEW)
        return "fingerprint_bits";
    if (cfg->level > BPK_CUCKOO_LEVEL_MAX) return "level";
    uint64_t most = CUCKOO_BUCKETS_MAX >> cfg->level;
    if (cfg->items < 1 || cfg->items > CUCKOO_SLOTS * CUCKOO_BUCKETS_MAX) return "items";
    if (cfg->base > most) return "base";
    if (cfg->base) return cfg->items > CUCKOO_SLOTS * (cfg->base << cfg->level) ? "items" : NULL;
    return base_for(cfg->items, cfg->level) > most ? "items" : NULL;
}

cuckoo_plan bpki_cuckoo_plan(const bpk_cuckoo_config *cfg) {
    uint64_t base = cfg->base ? cfg->base : base_for(cfg->items, cfg->level);
    return (cuckoo_plan){cfg->items, base, base << cfg->level, cfg->fingerprint_bits, cfg->level};
}

/* A stranger is a fingerprint and a bucket, all equally probable. It is found where one that is in has this fingerprint
 * and this bucket or the other: two chances of buckets x (2^width - 1). */
double bpki_cuckoo_rate_at(const cuckoo_plan *p, double items) {
    return 2 * items / ((double)p->buckets * (double)cuckoo_low(p->width));
}

double bpk_cuckoo_rate_at(const bpk_cuckoo_config *cfg, double items) {
    if (bpki_cuckoo_fault(cfg) || !(items > 0)) return 0;
    cuckoo_plan p = bpki_cuckoo_plan(cfg);
    return bpki_cuckoo_rate_at(&p, fmin(items, CUCKOO_SLOTS * (double)p.buckets));
}

uint8_t bpk_cuckoo_bits_for(uint64_t items, double rate) {
    static const uint8_t bits[] = {BPK_CUCKOO_BITS_FEW, BPK_CUCKOO_BITS};
    for (size_t i = 0; i < BPKI_COUNT(bits); i++) {
        bpk_cuckoo_config cfg = {.items = items, .fingerprint_bits = bits[i]};
        if (!bpki_cuckoo_fault(&cfg) && bpk_cuckoo_rate_at(&cfg, (double)items) <= rate) return bits[i];
    }
    return 0;
}

bpk_status bpk_cuckoo_size(bpk_cuckoo_shape *out, const bpk_cuckoo_config *cfg) {
    if (bpki_cuckoo_fault(cfg)) return BPK_E_ARG;
    cuckoo_plan p = bpki_cuckoo_plan(cfg);
    *out = (bpk_cuckoo_shape){p.base, p.buckets, 8 * (p.buckets * cuckoo_bucket_bytes(p.width))};
    return BPK_OK;
}
