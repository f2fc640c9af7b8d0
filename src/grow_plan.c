/* grow_plan.c - the arithmetic of chains: what each layer is planned for, from the plan of the whole.
 *
 * Bloom layers: with q_i = p (1 - r) r^i the rates of any number of layers add up to less than p. A layer counts the
 * adds that changed it; the different items behind them are a few more, those that it took for known. It is therefore
 * made for the rate q_i (1 - q_i), which docs/rooms/grow.md shows to cover them, and classic layers, which may be 5 %
 * over their plan, for 1 / 1.05 of it. Rates come from basic arithmetic alone, so that every platform finds the same.
 *
 * Cuckoo layers: all have the same rate when they are full, so that p says how many there can be.
 */
#include "grow_state.h"

static const double RATE_MIN = 1e-14, RATE_MAX = 0.5;
static const double TIGHTEN = 0.8, FIRST_SHARE = 0.2; /* r, 1 - r: 17.0 bits an item at 64 x, where 0.5 takes 19.4 */
static const double EXCESS[] = {1, 1.05}; /* of its own plan that a layer of the layout may have: see bloom_plan.c */
static const uint64_t ITEMS_MAX = UINT64_C(1) << 48;

const char *const bpki_grow_layouts[] = {"blocked", "classic", NULL};
const char *const bpki_grow_policies[] = {"error", "degrade", "grow", NULL};
static const char *const kinds[] = {"bloom", "cuckoo", NULL};
static const uint8_t kind_number[] = {BPK_KIND_BLOOM, BPK_KIND_CUCKOO};

/* ---- one layer ---- */

static bool exists(const grow_plan *p, unsigned i) {
    if (i >= BPK_GROW_LAYERS_MAX || p->items > ITEMS_MAX >> i) return false;
    return i == 0 || p->on_full == BPK_FULL_GROW;
}

bool bpki_grow_bloom(bpk_bloom_config *out, const grow_plan *p, unsigned i) {
    double q = p->rate * FIRST_SHARE;
    if (!exists(p, i)) return false;
    for (unsigned k = 0; k < i; k++) q *= TIGHTEN;
    *out = (bpk_bloom_config){.items = p->items << i,
                              .rate = p->on_full == BPK_FULL_GROW ? q * (1 - q) / EXCESS[p->shape] : p->rate,
                              .layout = p->shape,
                              .on_full = BPK_FULL_DEGRADE};
    return true;
}

/* Items and buckets double together, so that i + 1 full layers have i + 1 times the rate of the first. */
bool bpki_grow_cuckoo(bpk_cuckoo_config *out, const grow_plan *p, uint64_t base, unsigned i) {
    if (!exists(p, i) || i > BPK_CUCKOO_LEVEL_MAX) return false;
    bpk_cuckoo_config first = {.items = p->items, .base = base, .fingerprint_bits = p->shape};
    bpk_cuckoo_shape shape;
    if (bpk_cuckoo_size(&shape, &first) != BPK_OK) return false;
    if ((i + 1) * bpk_cuckoo_rate_at(&first, (double)first.items) > p->rate) return false;
    *out = first;
    out->items <<= i;
    out->base = shape.base;
    out->level = (uint8_t)i;
    return bpk_cuckoo_size(&shape, out) == BPK_OK;
}

uint64_t bpki_grow_layer_bits(const grow_plan *p, uint64_t base, unsigned i) {
    bpk_bloom_config bloom;
    bpk_cuckoo_config cuckoo;
    bpk_cuckoo_shape shape;
    if (!grow_removes(p)) return bpki_grow_bloom(&bloom, p, i) ? bpk_bloom_bits(&bloom) : 0;
    if (!bpki_grow_cuckoo(&cuckoo, p, base, i)) return 0;
    return bpk_cuckoo_size(&shape, &cuckoo) == BPK_OK ? shape.bits : 0;
}

/* A cuckoo table that is alone takes what finds a place. */
uint64_t bpki_grow_most(const grow_plan *p, unsigned i) {
    if (p->on_full == BPK_FULL_GROW) return p->items << i;
    if (p->on_full == BPK_FULL_DEGRADE || grow_removes(p)) return UINT64_MAX;
    return p->items + (p->items + 1) / 2; /* 150 %, rounded up */
}

/* ---- the whole ---- */

const char *bpki_grow_shape_fault(const bpk_grow_config *cfg) {
    bool bloom = cfg->layers == BPK_KIND_BLOOM;
    bool bits = cfg->fingerprint_bits == BPK_CUCKOO_BITS || cfg->fingerprint_bits == BPK_CUCKOO_BITS_FEW;
    if (cfg->layout > (bloom ? BPK_BLOOM_CLASSIC : 0)) return "layout";
    if (bloom ? cfg->fingerprint_bits != 0 : !bits) return "fingerprint_bits";
    return cfg->on_full > BPK_FULL_GROW || (!bloom && cfg->on_full == BPK_FULL_DEGRADE) ? "on_full" : NULL;
}

const char *bpki_grow_range_fault(const bpk_grow_config *cfg) {
    if (cfg->layers != BPK_KIND_BLOOM && cfg->layers != BPK_KIND_CUCKOO) return "layers";
    if (cfg->items < 1 || cfg->items > ITEMS_MAX) return "items";
    if (!(cfg->rate >= RATE_MIN && cfg->rate <= RATE_MAX)) return "rate";
    return bpki_grow_shape_fault(cfg);
}

const char *bpki_grow_fault(const bpk_grow_config *cfg) {
    const char *fault = bpki_grow_range_fault(cfg);
    grow_plan p = bpki_grow_plan(cfg);
    if (fault) return fault;
    if (bpki_grow_layer_bits(&p, 0, 0)) return NULL;
    return grow_removes(&p) && cfg->items > UINT64_C(1) << 33 ? "items" : "rate"; /* of 2^34 places */
}

grow_plan bpki_grow_plan(const bpk_grow_config *cfg) {
    uint8_t shape = cfg->layers == BPK_KIND_CUCKOO ? cfg->fingerprint_bits : cfg->layout;
    return (grow_plan){cfg->layers, shape, cfg->on_full, cfg->items, cfg->rate};
}

uint64_t bpki_grow_capacity(const grow_plan *p, unsigned n) {
    return p->items * ((UINT64_C(1) << n) - 1); /* the last layer has 2^48 items at most */
}

/* What n layers may be wrong about together. */
static double rate_of(const grow_plan *p, unsigned n) {
    double q = p->rate * FIRST_SHARE, sum = 0;
    bpk_cuckoo_config first;
    if (grow_removes(p))
        return bpki_grow_cuckoo(&first, p, 0, 0) ? n * bpk_cuckoo_rate_at(&first, (double)p->items) : 1;
    if (p->on_full != BPK_FULL_GROW) return p->rate;
    for (; n; n--, q *= TIGHTEN) sum += q;
    return sum;
}

/* A single layer with more items than it was planned for. */
static bpk_status beyond_plan(bpk_grow_shape *out, const grow_plan *p, uint64_t items) {
    bpk_bloom_config alone;
    if (items <= p->items) return BPK_OK;
    if (grow_removes(p) || items > bpki_grow_most(p, 0)) return BPK_E_FULL;
    if (bpki_grow_bloom(&alone, p, 0)) out->rate = bpk_bloom_rate_at(&alone, (double)items);
    return BPK_OK;
}

bpk_status bpk_grow_size(bpk_grow_shape *out, const bpk_grow_config *cfg, uint64_t items) {
    if (bpki_grow_fault(cfg)) return BPK_E_ARG;
    grow_plan p = bpki_grow_plan(cfg);
    bpk_grow_shape all = {0};
    do {
        uint64_t bits = bpki_grow_layer_bits(&p, 0, all.layers);
        if (!bits) return BPK_E_FULL;
        all.bits += bits;
        all.capacity = bpki_grow_capacity(&p, ++all.layers);
    } while (all.capacity < items && p.on_full == BPK_FULL_GROW);
    all.rate = rate_of(&p, all.layers);
    if (p.on_full != BPK_FULL_GROW) BPK_TRY(beyond_plan(&all, &p, items));
    *out = all;
    return BPK_OK;
}

/* ---- text parameters ---- */

/* A kind that can be a layer has named itself where a chain was asked for in its name. */
static unsigned kind_from(bpki_params *ps) {
    for (unsigned i = 0; ps->kind && kinds[i]; i++)
        if (strcmp(kinds[i], ps->kind) == 0) return i;
    return bpki_param_word(ps, "layers", kinds, 0);
}

bpk_status bpki_grow_config_from(bpk_grow_config *out, bpki_params *ps, bpk_err *err) {
    bpk_grow_config cfg = {.layers = kind_number[kind_from(ps)], .items = bpki_param_count(ps, "items", 1)};
    bpki_param_missing(ps, "items");
    cfg.rate = bpki_param_share(ps, "rate", 0.01);
    if (cfg.layers == BPK_KIND_CUCKOO) {
        uint64_t bits = bpki_param_count(ps, "fingerprint_bits", BPK_CUCKOO_BITS);
        cfg.fingerprint_bits = bits <= BPK_CUCKOO_BITS ? (uint8_t)bits : 0;
    } else cfg.layout = (uint8_t)bpki_param_word(ps, "layout", bpki_grow_layouts, BPK_BLOOM_BLOCKED);
    cfg.on_full = (uint8_t)bpki_param_word(ps, "on_full", bpki_grow_policies, BPK_FULL_GROW);
    if (bpki_grow_fault(&cfg)) bpki_param_fail(ps, bpki_grow_fault(&cfg));
    BPK_TRY(bpki_params_end(ps, err));
    *out = cfg;
    return BPK_OK;
}

/* ---- bytes ---- */

/* With so many items; UINT64_MAX: as it is made. Of what a layer takes in memory beside its bits an upper limit is
 * known: it fits into a view. */
bpk_status bpki_grow_cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_grow_config cfg;
    bpk_grow_shape all;
    BPK_TRY(bpki_grow_config_from(&cfg, ps, err));
    bpk_status st = bpk_grow_size(&all, &cfg, items == UINT64_MAX ? cfg.items : items);
    if (st != BPK_OK) return bpki_fail(err, st, "items");
    const grow_plan p = bpki_grow_plan(&cfg);
    const bpki_ops *ops = bpki_registry_named(kinds[grow_removes(&p)]);
    const size_t frame = BPKI_HEADER + bpki_params_padded(ops->params_n, BPK_FORM_VIEW) + BPKI_CHECKSUM;
    uint64_t envelope[BPK_GROW_LAYERS_MAX];
    bpki_cost sum = {.memory = sizeof(bpk_grow) + all.layers * sizeof(grow_layer)};
    for (unsigned i = 0; i < all.layers; i++) {
        uint64_t body = bpki_grow_layer_bits(&p, 0, i) / 8;
        sum.memory += sizeof(bpk_view) + BPKI_VIEW_ALIGN + body;
        envelope[i] = frame + body;
    }
    sum.body = bpki_grow_view_bytes(envelope, all.layers);
    *out = sum;
    return BPK_OK;
}
