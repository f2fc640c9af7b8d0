/* plan.c - layer 3: what will it cost, what does it promise, and what happens at twice the plan?
 *
 * A question is one function: it reads what can be tolerated, settles the parameters of a kind as text, walks over what
 * they mean, and leaves the bytes to the kind's own `cost`, so that a plan and the object that is made by it agree. The
 * sizing formulas belong to the rooms.
 */
#include <ballpark/bloom.h>
#include <ballpark/cbloom.h>
#include <ballpark/cms.h>
#include <ballpark/cuckoo.h>
#include <ballpark/exact.h>
#include <ballpark/grow.h>
#include <ballpark/hll.h>
#include <ballpark/plan.h>
#include <ballpark/sample.h>
#include <ballpark/tally.h>
#include <ballpark/theta.h>
#include <ballpark/topk.h>
#include <math.h>

#include "interval.h"
#include "plan_state.h"

enum {
    KEY_BYTES = 16,        /* of a key, where keys are kept; docs/cli.md says so */
    RECORD_BYTES = 100,    /* of a record, unless the plan says otherwise */
    SMALL_EXACT = 1 << 20, /* bytes in all up to which exactness is cheap anywhere */
    REDIS_PRECISION = 14,  /* the only one there is; 6 bits a register behind 16 bytes */
    REDIS_HEADER = 16,
};

/* ---- what is settled ---- */

static void settle_text(settled *s, const char *name, const char *value) {
    assert(s->n < PLAN_PARAMS_MAX);
    s->p[s->n++] = (bpk_param){name, value};
}

void bpki_plan_settle(settled *s, const char *name, uint64_t value) {
    bpki_decimal(s->text[s->n], value);
    settle_text(s, name, s->text[s->n]);
}

/* What was given, or what stands for it. */
static void settle_given(plan *p, const char *name, const char *otherwise) {
    settle_text(&p->made, name, bpki_param_text(&p->in, name, otherwise));
}

/* Every parameter of a plan is a number, a share or a word. */
void bpki_plan_parameters(plan *p, const char *kind) {
    static const char *const names[][2] = {
        {"items", "parameters.items"},         {"rate", "parameters.rate"},
        {"on_full", "parameters.on_full"},     {"generations", "parameters.generations"},
        {"span", "parameters.span"},           {"epsilon", "parameters.epsilon"},
        {"delta", "parameters.delta"},         {"cell_bytes", "parameters.cell_bytes"},
        {"precision", "parameters.precision"}, {"k", "parameters.k"},
        {"groups", "parameters.groups"},       {"weighted", "parameters.weighted"},
        {"entries", "parameters.entries"},     {"half_life", "parameters.half_life"},
        {"limit", "parameters.limit"},         {"period", "parameters.period"},
        {"width", "parameters.width"}};
    bpki_walk_text(p->w, "kind", kind);
    for (size_t i = 0; i < p->made.n; i++) {
        const bpk_param *made = &p->made.p[i];
        uint64_t count;
        double share;
        size_t at = 0;
        while (strcmp(names[at][0], made->name) != 0) at++;
        if (bpk_parse_count(made->value, &count) == BPK_OK)
            bpki_walk_number(p->w, names[at][1], (double)count, BPK_UNIT_NONE);
        else if (bpk_parse_share(made->value, &share) == BPK_OK)
            bpki_walk_number(p->w, names[at][1], share, BPK_UNIT_SHARE);
        else bpki_walk_text(p->w, names[at][1], made->value);
    }
}

/* ---- bytes ---- */

/* Of the kind with the settled parameters and so many items; in a file as form view, which form small never exceeds. */
plan_cost bpki_plan_cost(const char *kind, const plan *p, uint64_t items) {
    bpki_params ps = {.p = p->made.p, .n = p->made.n, .kind = kind};
    const bpki_ops *ops = bpki_registry_for(kind, &ps);
    bpki_cost c = {0};
    bpk_status st = ops->cost(&c, &ps, items, NULL);
    assert(st == BPK_OK); /* the room has sized it */
    (void)st;
    double keys = (double)(c.keys < c.key_bytes / p->key_bytes ? c.keys : c.key_bytes / p->key_bytes);
    size_t frame = BPKI_HEADER + bpki_params_padded(ops->params_n, BPK_FORM_VIEW) + BPKI_CHECKSUM;
    return (plan_cost){(double)c.memory + keys * (double)(c.key_memory + p->key_bytes),
                       (double)(frame + c.body) + keys * (double)(c.key_body + p->key_bytes)};
}

void bpki_plan_bytes(plan *p, plan_cost b) {
    double all = (double)p->sketches;
    bpki_walk_number(p->w, "memory_bytes", b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "file_bytes_at_most", b.file, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "sketches", all, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "all_memory_bytes", all * b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "all_file_bytes_at_most", all * b.file, BPK_UNIT_BYTES);
}

/* ---- the exact structure beside it ---- */

typedef uint64_t (*exact_bytes)(uint64_t items);

static uint64_t set_bytes(uint64_t items) {
    return bpk_exact_bytes(items);
}

static uint64_t map_bytes(uint64_t keys) {
    return bpk_tally_bytes(keys, KEY_BYTES);
}

/* The most items whose exact structure takes no more than `most` bytes. */
static uint64_t better_up_to(exact_bytes of, double most) {
    uint64_t low = 0, high = UINT64_C(1) << 58;
    if ((double)of(0) > most) return 0;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if ((double)of(middle) <= most) low = middle;
        else high = middle;
    }
    return low;
}

static const char *advice_of(uint64_t items, uint64_t better, double all) {
    if (!items && better)
        return "exact while there are no more items than exact.no_larger_up_to, or when it is billed or audited";
    if (items && items <= better) return "exact: it takes no more memory";
    if (items && all <= SMALL_EXACT) return "exact, unless sketches are to be saved or merged: it takes 1 MiB at most";
    return "the sketch; exact only where the answer is billed or audited";
}

/* `items` 0: not known. Of a map they are the most keys that there can be; that many it may not hold. */
static void walk_exact(plan *p, exact_bytes of, uint64_t items, plan_cost b) {
    uint64_t better = better_up_to(of, b.memory), takes = items ? of(items) : 0;
    double exact = (double)takes, all = exact * (double)p->sketches;
    bool map = of == map_bytes, holds = items && takes < UINT64_MAX;
    bpki_walk_text(p->w, "exact.structure", map ? "map of keys" : "set of 64-bit hashes");
    if (map) bpki_walk_number(p->w, "exact.key_bytes", KEY_BYTES, BPK_UNIT_BYTES);
    if (holds) bpki_walk_number(p->w, map ? "exact.memory_bytes_at_most" : "exact.memory_bytes", exact, BPK_UNIT_BYTES);
    if (holds && !map) bpki_walk_number(p->w, "exact.all_memory_bytes", all, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "exact.no_larger_up_to", (double)better, BPK_UNIT_ITEMS);
    if (items) bpki_walk_number(p->w, "exact.better", items <= better || all <= SMALL_EXACT, BPK_UNIT_FLAG);
    bpki_walk_text(p->w, "advice", advice_of(items, better, all));
}

void bpki_plan_map(plan *p, uint64_t keys, plan_cost b) {
    walk_exact(p, map_bytes, keys, b);
}

/* ---- the questions ---- */

bpk_status bpki_plan_begin(plan *p, bpk_err *err) {
    p->sketches = bpki_param_count(&p->in, "sketches", 1);
    if (p->sketches < 1 || p->sketches > UINT64_C(1) << 48) bpki_param_fail(&p->in, "sketches");
    BPK_TRY(bpki_params_end(&p->in, err));
    bpki_walk_text(p->w, "question", p->question);
    return BPK_OK;
}

static void walk_layout(plan *p, const bpk_bloom_config *cfg, const char *const names[7]) {
    plan laid = *p;
    bpk_bloom_shape shape;
    bpk_status st = bpk_bloom_size(&shape, cfg);
    assert(st == BPK_OK);
    (void)st;
    settle_text(&laid.made, "layout", cfg->layout == BPK_BLOOM_CLASSIC ? "classic" : "blocked");
    plan_cost b = bpki_plan_cost("bloom", &laid, UINT64_MAX);
    double items = (double)cfg->items;
    bpki_walk_number(p->w, names[0], (double)shape.bits, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[1], shape.hashes, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[2], (double)shape.bits / items, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[3], b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, names[4], b.file, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, names[5], bpk_bloom_rate_at(cfg, items), BPK_UNIT_SHARE);
    bpki_walk_number(p->w, names[6], bpk_bloom_rate_at(cfg, 2 * items), BPK_UNIT_SHARE);
}

/* ---- membership ---- */

static const uint64_t ITEMS_MAX = UINT64_C(1) << 48; /* of a filter's plan */

/* What is asked of a filter besides items and rate; 0 where it is not asked. */
typedef struct memory {
    bpk_bloom_config cfg;
    uint64_t growth;
    bool removes, grows, forgets;
} memory;

static memory memory_of(plan *p) {
    bpk_bloom_config cfg = {.items = bpki_param_count(&p->in, "items", 1)};
    bpki_param_missing(&p->in, "items");
    cfg.rate = bpki_param_share(&p->in, "rate", 0.01);
    uint64_t generations = bpki_param_count(&p->in, "generations", 0);
    cfg.span = bpki_param_count(&p->in, "span", 0);
    cfg.generations = generations <= BPK_BLOOM_GENERATIONS_MAX ? (uint8_t)generations : 0;
    memory m = {.cfg = cfg, .growth = bpki_param_count(&p->in, "growth", 1)};
    uint64_t removes = bpki_param_count(&p->in, "delete", 0);
    m.removes = removes == 1;
    m.grows = bpki_param_given(&p->in, "growth");
    m.forgets = cfg.generations > 0;
    if (m.forgets != (generations > 0)) bpki_param_fail(&p->in, "generations");
    if (cfg.span && (!m.forgets || cfg.span < generations)) bpki_param_fail(&p->in, "span");
    if (removes > 1 || (m.removes && m.forgets)) bpki_param_fail(&p->in, "delete");
    if (m.growth < 1 || (m.grows && m.forgets)) bpki_param_fail(&p->in, "growth");
    if (cfg.items < (m.forgets ? generations : 1) || cfg.items > ITEMS_MAX) bpki_param_fail(&p->in, "items");
    return m;
}

static void walk_promise(plan *p, const char *kind, plan_cost b, const char *bound, double rate) {
    bpki_plan_parameters(p, kind);
    bpki_plan_bytes(p, b);
    bpki_walk_text(p->w, "bound", bound);
    bpki_walk_number(p->w, "rate", rate, BPK_UNIT_SHARE);
}

static bpk_status remember(plan *p, const memory *m, bpk_err *err) {
    static const char *const blocked[] = {"blocked.bits",
                                          "blocked.hashes",
                                          "blocked.bits_per_item",
                                          "blocked.memory_bytes",
                                          "blocked.file_bytes_at_most",
                                          "blocked.rate_at_plan",
                                          "blocked.rate_at_twice"};
    static const char *const classic[] = {"classic.bits",
                                          "classic.hashes",
                                          "classic.bits_per_item",
                                          "classic.memory_bytes",
                                          "classic.file_bytes_at_most",
                                          "classic.rate_at_plan",
                                          "classic.rate_at_twice"};
    bpk_bloom_config cfg = m->cfg;
    bpk_bloom_shape shape;
    double twice = 2 * (double)cfg.items;
    if (bpk_bloom_size(&shape, &cfg) != BPK_OK) bpki_param_fail(&p->in, "rate");
    BPK_TRY(bpki_plan_begin(p, err));
    settle_given(p, "items", NULL);
    settle_given(p, "rate", "0.01");
    plan_cost b = bpki_plan_cost("bloom", p, UINT64_MAX);
    walk_promise(p, "bloom", b, "no is certain; yes is false with this rate at most, up to the planned items",
                 cfg.rate);
    walk_layout(p, &cfg, blocked);
    cfg.layout = BPK_BLOOM_CLASSIC;
    walk_layout(p, &cfg, classic);
    bpki_walk_number(p->w, "twice.items", twice, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.rate", bpk_bloom_rate_at(&m->cfg, twice), BPK_UNIT_SHARE);
    bpki_walk_text(p->w, "twice.what", "refused from 150 % of the plan on; with on_full degrade this rate");
    walk_exact(p, set_bytes, cfg.items, b);
    return BPK_OK;
}

/* Bits of a window item, for each number of generations that it can have. */
static void walk_generations(plan *p, bpk_bloom_config cfg) {
    static const struct {
        uint8_t generations;
        const char *name;
    } all[] = {
        {1, "window.bits_per_item_1"}, {2, "window.bits_per_item_2"},   {4, "window.bits_per_item_4"},
        {8, "window.bits_per_item_8"}, {16, "window.bits_per_item_16"},
    };
    for (size_t i = 0; i < BPKI_COUNT(all); i++) {
        cfg.generations = all[i].generations;
        bpk_bloom_shape shape;
        if (bpk_bloom_size(&shape, &cfg) != BPK_OK) continue;
        bpki_walk_number(p->w, all[i].name, (double)shape.bits / (double)cfg.items, BPK_UNIT_NONE);
    }
}

static bpk_status forget(plan *p, const memory *m, bpk_err *err) {
    const bpk_bloom_config *cfg = &m->cfg;
    bpk_bloom_shape shape;
    double g = cfg->generations, items = (double)cfg->items, most = (g + 1) * ceil(items / g);
    if (bpk_bloom_size(&shape, cfg) != BPK_OK) bpki_param_fail(&p->in, "rate");
    BPK_TRY(bpki_plan_begin(p, err));
    if (cfg->span) bpki_plan_settle(&p->made, "span", cfg->span);
    settle_given(p, "items", NULL);
    settle_given(p, "rate", "0.01");
    settle_given(p, "generations", NULL);
    plan_cost b = bpki_plan_cost("bloom", p, UINT64_MAX);
    walk_promise(p, "bloom", b,
                 "no is certain for what came in the window; yes is false with this rate at most, however much comes",
                 cfg->rate);
    if (!cfg->span) bpki_walk_number(p->w, "window.items", items, BPK_UNIT_ITEMS);
    if (!cfg->span) bpki_walk_number(p->w, "window.gone_after_items", most, BPK_UNIT_ITEMS);
    if (cfg->span) bpki_walk_number(p->w, "window.seconds", (double)cfg->span, BPK_UNIT_NONE);
    if (cfg->span)
        bpki_walk_number(p->w, "window.gone_after_seconds", (g + 1) * ceil((double)cfg->span / g), BPK_UNIT_NONE);
    bpki_walk_number(p->w, "window.bits", (double)shape.bits, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "window.bits_per_item", (double)shape.bits / items, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "window.rate_when_fullest", bpk_bloom_rate_at(cfg, most), BPK_UNIT_SHARE);
    walk_generations(p, *cfg);
    bpki_walk_number(p->w, "twice.items", 2 * items, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.rate", cfg->rate, BPK_UNIT_SHARE);
    bpki_walk_text(p->w, "twice.what",
                   cfg->span ? "the rate stays; half of the time is remembered, and that is said"
                             : "the rate stays, and so do the last items");
    walk_exact(p, set_bytes, cfg->items, b);
    return BPK_OK;
}

/* The chain as it is made, and with so many items. */
static bpk_grow_shape chain_with(const bpk_grow_config *chain, double items) {
    bpk_grow_shape all = {0};
    if (items <= (double)ITEMS_MAX * 2) bpk_grow_size(&all, chain, (uint64_t)items);
    return all;
}

static void walk_growth(plan *p, const memory *m, const char *kind, const bpk_grow_config *chain) {
    double items = (double)m->cfg.items, all = items * (double)m->growth;
    bpk_grow_shape then = chain_with(chain, all);
    plan_cost b = bpki_plan_cost(kind, p, (uint64_t)all);
    bpki_walk_number(p->w, "growth.times", (double)m->growth, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "growth.items", all, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "growth.layers", then.layers, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "growth.lookups", then.layers, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "growth.capacity", (double)then.capacity, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "growth.bits_per_item", (double)then.bits / all, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "growth.full_bits_per_item", (double)then.bits / (double)then.capacity, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "growth.memory_bytes", b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "growth.file_bytes_at_most", b.file, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "growth.rate", then.rate, BPK_UNIT_SHARE);
}

/* What one filter for all from the start would take. */
static void walk_at_once(plan *p, const memory *m) {
    bpk_bloom_config once = {.items = m->cfg.items * m->growth, .rate = m->cfg.rate};
    bpk_cuckoo_config table = {.items = once.items, .fingerprint_bits = BPK_CUCKOO_BITS};
    bpk_cuckoo_shape shape;
    uint64_t bits = m->removes ? 0 : bpk_bloom_bits(&once);
    if (m->removes && bpk_cuckoo_size(&shape, &table) == BPK_OK) bits = shape.bits;
    if (bits) bpki_walk_number(p->w, "growth.at_once_bits_per_item", (double)bits / (double)once.items, BPK_UNIT_NONE);
}

static bpk_status outgrow(plan *p, const memory *m, bpk_err *err) {
    const bpk_grow_config chain = {.items = m->cfg.items,
                                   .rate = m->cfg.rate,
                                   .layers = m->removes ? BPK_KIND_CUCKOO : BPK_KIND_BLOOM,
                                   .fingerprint_bits = m->removes ? BPK_CUCKOO_BITS : 0,
                                   .on_full = BPK_FULL_GROW};
    const char *kind = m->removes ? "cuckoo" : "bloom";
    double items = (double)m->cfg.items;
    if (!chain_with(&chain, items).layers) bpki_param_fail(&p->in, "rate");
    else if (!chain_with(&chain, items * (double)m->growth).layers) bpki_param_fail(&p->in, "growth");
    BPK_TRY(bpki_plan_begin(p, err));
    settle_given(p, "items", NULL);
    settle_given(p, "rate", "0.01");
    settle_text(&p->made, "on_full", "grow");
    plan_cost b = bpki_plan_cost(kind, p, UINT64_MAX);
    walk_promise(p, kind, b,
                 m->removes ? "no is certain while only what was added is removed; yes is false with this rate at most"
                            : "no is certain; yes is false with this rate at most, however far it grows",
                 m->cfg.rate);
    walk_growth(p, m, kind, &chain);
    walk_at_once(p, m);
    bpk_grow_shape twice = chain_with(&chain, 2 * items);
    bpki_walk_number(p->w, "twice.items", 2 * items, BPK_UNIT_ITEMS);
    if (twice.layers) {
        bpki_walk_number(p->w, "twice.rate", twice.rate, BPK_UNIT_SHARE);
        bpki_walk_number(p->w, "twice.memory_bytes", bpki_plan_cost(kind, p, 2 * m->cfg.items).memory, BPK_UNIT_BYTES);
    }
    bpki_walk_text(p->w, "twice.what",
                   twice.layers ? "a second layer, twice as large as the first; the rate stays under the one asked for"
                                : "refused: another layer would not keep the rate");
    walk_exact(p, set_bytes, m->cfg.items, b);
    return BPK_OK;
}

static void walk_cuckoo(plan *p, const bpk_cuckoo_config *cfg) {
    bpk_cuckoo_shape shape;
    bpk_status st = bpk_cuckoo_size(&shape, cfg);
    assert(st == BPK_OK);
    (void)st;
    double items = (double)cfg->items;
    plan_cost b = bpki_plan_cost("cuckoo", p, UINT64_MAX);
    bpki_walk_number(p->w, "cuckoo.fingerprint_bits", cfg->fingerprint_bits, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "cuckoo.bits_per_item", (double)shape.bits / items, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "cuckoo.memory_bytes", b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "cuckoo.file_bytes_at_most", b.file, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "cuckoo.rate_at_plan", bpk_cuckoo_rate_at(cfg, items), BPK_UNIT_SHARE);
}

static void walk_cbloom(plan *p, const memory *m) {
    bpk_cbloom_config cfg = {.items = m->cfg.items, .rate = m->cfg.rate};
    bpk_bloom_config bits = m->cfg; /* a counter for each of its bits */
    bits.layout = BPK_BLOOM_CLASSIC;
    double items = (double)cfg.items;
    plan_cost b = bpki_plan_cost("cbloom", p, UINT64_MAX);
    bpki_walk_number(p->w, "cbloom.bits_per_item", (double)bpk_cbloom_bits(&cfg) / items, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "cbloom.memory_bytes", b.memory, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "cbloom.file_bytes_at_most", b.file, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "cbloom.rate_at_plan", bpk_bloom_rate_at(&bits, items), BPK_UNIT_SHARE);
}

/* Cuckoo where it has the rate, since it is smaller at any. */
static bpk_status forget_some(plan *p, const memory *m, bpk_err *err) {
    const bpk_cuckoo_config cuckoo = {.items = m->cfg.items,
                                      .fingerprint_bits = bpk_cuckoo_bits_for(m->cfg.items, m->cfg.rate)};
    const bpk_cbloom_config cbloom = {.items = m->cfg.items, .rate = m->cfg.rate};
    bool can = cuckoo.fingerprint_bits > 0;
    const char *kind = can ? "cuckoo" : "cbloom";
    if (!bpk_cbloom_bits(&cbloom)) bpki_param_fail(&p->in, "rate");
    BPK_TRY(bpki_plan_begin(p, err));
    settle_given(p, "items", NULL);
    settle_given(p, "rate", "0.01");
    plan_cost b = bpki_plan_cost(kind, p, UINT64_MAX);
    walk_promise(p, kind, b, "no is certain while only what was added is removed; yes is false with this rate at most",
                 m->cfg.rate);
    if (can) walk_cuckoo(p, &cuckoo);
    walk_cbloom(p, m);
    bpki_walk_text(
        p->w, "which",
        can ? "cuckoo: it is smaller and faster; cbloom where filters are to be merged, or an item comes more "
              "than eight times"
            : "cbloom: fingerprints of 16 bits do not give this rate");
    bpki_walk_number(p->w, "twice.items", 2 * (double)m->cfg.items, BPK_UNIT_ITEMS);
    bpki_walk_text(p->w, "twice.what",
                   can ? "refused when no place is found, soon above the plan" : "refused from 150 % of the plan on");
    walk_exact(p, set_bytes, m->cfg.items, b);
    return BPK_OK;
}

static bpk_status membership(plan *p, bpk_err *err) {
    memory m = memory_of(p);
    if (p->in.fault.code != BPK_OK) return bpki_params_end(&p->in, err);
    if (m.forgets) return forget(p, &m, err);
    if (m.grows) return outgrow(p, &m, err);
    return m.removes ? forget_some(p, &m, err) : remember(p, &m, err);
}

/* ---- the other questions ---- */

/* The fewest bytes in which a counter holds the total, so that none can come to its end. With a half-life `total` is
 * what comes in one: 8,192 units each at most, and as much again is left of all before. */
static const double DECAYED_UNITS = 16384;

static unsigned cell_bytes_for(uint64_t total, bool decays) {
    if (decays) return (double)total * DECAYED_UNITS < UINT32_MAX ? 4 : 8;
    return total < UINT8_MAX ? 1 : total < UINT16_MAX ? 2 : total < UINT32_MAX ? 4 : 8;
}

static void walk_sizing(plan *p, const bpk_cms_config *cfg, const char *const names[4]) {
    double cells = (double)cfg->width * cfg->depth;
    bpki_walk_number(p->w, names[0], cfg->width, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[1], cfg->depth, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[2], cells, BPK_UNIT_NONE);
    bpki_walk_number(p->w, names[3], cells * cfg->cell_bytes, BPK_UNIT_BYTES);
}

static void walk_total(plan *p, double epsilon, uint64_t total, const bpk_cms_config *cfg) {
    double twice = 2 * (double)total, end = ldexp(1, (int)(8 * cfg->cell_bytes)) - 1;
    double most = cfg->half_life ? 2 : 1; /* times what comes in a half-life */
    bpki_walk_number(p->w, "total", (double)total, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "error_items", epsilon * most * (double)total, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.total", twice, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.error_items", epsilon * most * twice, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.may_saturate", twice * (cfg->half_life ? DECAYED_UNITS : 1) >= end, BPK_UNIT_FLAG);
}

/* Up to 2^53, as whole numbers of fields. */
static uint64_t half_life_of(plan *p) {
    uint64_t half_life = bpki_param_count(&p->in, "half_life", 0);
    if (half_life > UINT64_C(1) << 53) bpki_param_fail(&p->in, "half_life");
    return half_life;
}

static bpk_status count(plan *p, bpk_err *err) {
    static const char *const plain[] = {"width", "depth", "cells", "bytes"};
    static const char *const by_e[] = {"base_e.width", "base_e.depth", "base_e.cells", "base_e.bytes"};
    static const char *const by_2[] = {"base_2.width", "base_2.depth", "base_2.cells", "base_2.bytes"};
    double epsilon = bpki_param_share(&p->in, "epsilon", 0.001), delta = bpki_param_share(&p->in, "delta", 0.01);
    uint64_t total = bpki_param_count(&p->in, "total", 0);
    bool known = bpki_param_given(&p->in, "total");
    if (known && (total < 1 || total > UINT64_C(1) << 62)) bpki_param_fail(&p->in, "total");
    uint64_t half_life = half_life_of(p);
    unsigned cell = known ? cell_bytes_for(total, half_life) : half_life ? 8 : 4;
    bpk_cms_config e = {.cell_bytes = (uint8_t)cell, .half_life = half_life}, two = e;
    if (bpk_cms_size(&e, epsilon, 0.5, false) != BPK_OK) bpki_param_fail(&p->in, "epsilon");
    else if (bpk_cms_size(&e, epsilon, delta, false) != BPK_OK) bpki_param_fail(&p->in, "delta");
    BPK_TRY(bpki_plan_begin(p, err));
    settle_given(p, "epsilon", "0.001");
    settle_given(p, "delta", "0.01");
    if (half_life) bpki_plan_settle(&p->made, "half_life", half_life);
    if (e.cell_bytes != (half_life ? 8 : 4)) bpki_plan_settle(&p->made, "cell_bytes", e.cell_bytes);
    plan_cost b = bpki_plan_cost("cms", p, UINT64_MAX);
    bpki_plan_parameters(p, "cms");
    walk_sizing(p, &e, plain);
    bpki_plan_bytes(p, b);
    bpki_walk_text(p->w, "bound",
                   "never under the truth; over it by more than epsilon x total with probability delta at most");
    bpki_walk_number(p->w, "epsilon", epsilon, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "delta", delta, BPK_UNIT_SHARE);
    walk_sizing(p, &e, by_e);
    if (bpk_cms_size(&two, epsilon, delta, true) == BPK_OK) walk_sizing(p, &two, by_2);
    if (known) walk_total(p, epsilon, total, &e);
    bpki_walk_text(p->w, "twice.what", "the share epsilon stays, so that the error grows with the total");
    walk_exact(p, map_bytes, total, b);
    return BPK_OK;
}

/* HyperLogLog with six bits a register: Redis's at its one precision, and any at the one that this error needs. */
static void walk_redis(plan *p, double error) {
    const double six_bits = 6.0 / 8;
    double redis = bpk_hll_standard_error(REDIS_PRECISION, 0);
    unsigned needs = bpk_hll_precision_for(error, 0);
    bpki_walk_number(p->w, "redis.precision", REDIS_PRECISION, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "redis.bytes", ldexp(six_bits, REDIS_PRECISION) + REDIS_HEADER, BPK_UNIT_BYTES);
    bpki_walk_number(p->w, "redis.standard_error", redis, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "redis.meets", redis <= error, BPK_UNIT_FLAG);
    if (!needs) return;
    bpki_walk_number(p->w, "six_bit.precision", needs, BPK_UNIT_NONE);
    bpki_walk_number(p->w, "six_bit.bytes", ldexp(six_bits, (int)needs), BPK_UNIT_BYTES);
}

static bpk_status distinct(plan *p, bpk_err *err) {
    double error = bpki_param_share(&p->in, "error", 0.01);
    uint64_t items = bpki_param_count(&p->in, "items", 0);
    bool known = bpki_param_given(&p->in, "items");
    unsigned precision = bpk_hll_precision_for(error, BPK_HLL_WINDOW_BITS);
    if (!precision) bpki_param_fail(&p->in, "error");
    if (known && (items < 1 || items > UINT64_C(1) << 48)) bpki_param_fail(&p->in, "items");
    BPK_TRY(bpki_plan_begin(p, err));
    bpki_plan_settle(&p->made, "precision", precision);
    uint64_t full = UINT64_MAX, twice = known ? 2 * items : full;
    plan_cost b = bpki_plan_cost("hll", p, known ? items : full);
    double se = bpk_hll_standard_error((uint8_t)precision, BPK_HLL_WINDOW_BITS);
    bpki_plan_parameters(p, "hll");
    bpki_walk_number(p->w, "registers", ldexp(1, (int)precision), BPK_UNIT_NONE);
    bpki_plan_bytes(p, b);
    bpki_walk_number(p->w, "memory_bytes_at_most", bpki_plan_cost("hll", p, full).memory, BPK_UNIT_BYTES);
    bpki_walk_text(p->w, "bound", "relative standard error; 95 of 100 answers are within 1.96 of them");
    bpki_walk_number(p->w, "error", error, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "standard_error", se, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "interval_95", bpki_z(0.95) * se, BPK_UNIT_SHARE);
    walk_redis(p, error);
    if (known) bpki_walk_number(p->w, "items", (double)items, BPK_UNIT_ITEMS);
    if (known) bpki_walk_number(p->w, "twice.items", (double)twice, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "twice.standard_error", se, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "twice.memory_bytes", bpki_plan_cost("hll", p, twice).memory, BPK_UNIT_BYTES);
    bpki_walk_text(p->w, "twice.what", "the error stays, up to 2^53 items; beyond, equal hashes begin to show");
    walk_exact(p, set_bytes, items, b);
    return BPK_OK;
}

static bpk_status top(plan *p, bpk_err *err) {
    uint64_t k = bpki_param_count(&p->in, "k", 10);
    double share = bpki_param_share(&p->in, "share", 0);
    uint64_t half_life = half_life_of(p);
    bpk_topk_config cfg = {.k = k <= UINT32_MAX ? (uint32_t)k : 0};
    if (bpk_topk_found_share(&cfg) <= 0) bpki_param_fail(&p->in, "k");
    else if (bpki_param_given(&p->in, "share") && bpk_topk_size(&cfg, share) != BPK_OK)
        bpki_param_fail(&p->in, "share");
    BPK_TRY(bpki_plan_begin(p, err));
    bpki_plan_settle(&p->made, "k", k);
    if (cfg.entries) bpki_plan_settle(&p->made, "entries", cfg.entries);
    if (half_life) bpki_plan_settle(&p->made, "half_life", half_life);
    plan_cost b = bpki_plan_cost("topk", p, UINT64_MAX);
    double found = bpk_topk_found_share(&cfg);
    bpki_plan_parameters(p, "topk");
    bpki_plan_bytes(p, b);
    bpki_walk_number(p->w, "key_bytes", KEY_BYTES, BPK_UNIT_BYTES);
    bpki_walk_text(p->w, "bound",
                   "both limits of a row are certain; an item with found_share of the total has an entry, and so "
                   "certain limits, with "
                   "probability 99 %");
    if (share > 0) bpki_walk_number(p->w, "share", share, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "found_share", found, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "width_share_95", bpk_topk_width_share(&cfg, 0.95), BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "twice.found_share", found, BPK_UNIT_SHARE);
    bpki_walk_text(p->w, "twice.what", "shares stay, so that limits and ceiling grow with the total");
    walk_exact(p, map_bytes, 0, b);
    return BPK_OK;
}

static void walk_overlap(plan *p, double smaller, double larger, double share, uint32_t k) {
    double both = share * smaller, error = bpk_theta_overlap_error(smaller, larger, share, k);
    bpki_walk_number(p->w, "overlap_items", both, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "matches", fmin(1, k / larger) * both, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "standard_error", error, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "interval_95", bpki_z(0.95) * error, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "union_standard_error", larger > k ? 1 / sqrt(k) : 0, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "twice.standard_error", bpk_theta_overlap_error(2 * smaller, 2 * larger, share, k),
                     BPK_UNIT_SHARE);
    bpki_walk_text(p->w, "twice.what",
                   "matches stay where the overlap grows with the sets; where it does not, the error "
                   "grows with the root of their size");
}

static bpk_status overlap(plan *p, bpk_err *err) {
    uint64_t smaller = bpki_param_count(&p->in, "smaller", 0), larger = bpki_param_count(&p->in, "larger", smaller);
    double share = bpki_param_share(&p->in, "overlap", 0), error = bpki_param_share(&p->in, "error", 0.1);
    bpki_param_missing(&p->in, "smaller");
    if (smaller < 1 || smaller > UINT64_C(1) << 48) bpki_param_fail(&p->in, "smaller");
    if (larger < smaller || larger > UINT64_C(1) << 48) bpki_param_fail(&p->in, "larger");
    bpki_param_missing(&p->in, "overlap");
    if (share <= 0 || share > 1) bpki_param_fail(&p->in, "overlap");
    uint32_t k = bpk_theta_k_for((double)smaller, (double)larger, share, error);
    if (!k) bpki_param_fail(&p->in, "error");
    BPK_TRY(bpki_plan_begin(p, err));
    bpki_plan_settle(&p->made, "k", k);
    plan_cost b = bpki_plan_cost("theta", p, larger);
    bpki_plan_parameters(p, "theta");
    bpki_plan_bytes(p, b);
    bpki_walk_text(p->w, "bound", "relative standard error of the overlap; 95 of 100 answers are within 1.96 of them");
    bpki_walk_number(p->w, "error", error, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "smaller", (double)smaller, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "larger", (double)larger, BPK_UNIT_ITEMS);
    bpki_walk_number(p->w, "overlap", share, BPK_UNIT_SHARE);
    walk_overlap(p, (double)smaller, (double)larger, share, k);
    walk_exact(p, set_bytes, larger, b);
    return BPK_OK;
}

/* k as it was given, or the least for the error. */
static uint64_t records_for(plan *p) {
    uint64_t k = bpki_param_count(&p->in, "k", BPK_SAMPLE_K);
    double error = bpki_param_share(&p->in, "error", 1);
    if (!bpki_param_given(&p->in, "error")) return k;
    k = bpk_sample_k_for(error, 0.95);
    if (!k || bpki_param_given(&p->in, "k")) bpki_param_fail(&p->in, "error");
    return k;
}

/* A property that a share of x has is missed by k records with probability (1 - x)^k. */
static bpk_status sample(plan *p, bpk_err *err) {
    static const char *const no_yes[] = {"no", "yes", NULL};
    uint64_t k = records_for(p), groups = bpki_param_count(&p->in, "groups", 0);
    bool strata = bpki_param_given(&p->in, "groups"), weighted = bpki_param_word(&p->in, "weighted", no_yes, 0);
    p->key_bytes = bpki_param_bytes(&p->in, "record_bytes", RECORD_BYTES);
    if (k < 1 || k > BPK_SAMPLE_K_MAX) bpki_param_fail(&p->in, "k");
    if (strata && (groups < 1 || groups > BPK_SAMPLE_GROUPS_MAX)) bpki_param_fail(&p->in, "groups");
    if (p->key_bytes < 1 || p->key_bytes > UINT32_MAX) bpki_param_fail(&p->in, "record_bytes");
    BPK_TRY(bpki_plan_begin(p, err));
    bpki_plan_settle(&p->made, "k", k);
    if (strata) bpki_plan_settle(&p->made, "groups", groups);
    if (weighted) settle_text(&p->made, "weighted", "yes");
    plan_cost b = bpki_plan_cost("sample", p, UINT64_MAX);
    double error = bpki_share_error((double)k, bpki_z(0.95));
    bpki_plan_parameters(p, "sample");
    bpki_plan_bytes(p, b);
    bpki_walk_number(p->w, "record_bytes", (double)p->key_bytes, BPK_UNIT_BYTES);
    bpki_walk_text(p->w, "bound",
                   strata ? "of each group: 95 of 100 shares are off by share_error_95 at most"
                          : "95 of 100 shares are off by share_error_95 at most");
    bpki_walk_number(p->w, "share_error_95", error, BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "seen_share_95", 1 - pow(0.05, 1 / (double)k), BPK_UNIT_SHARE);
    bpki_walk_number(p->w, "twice.share_error_95", error, BPK_UNIT_SHARE);
    bpki_walk_text(p->w, "twice.what", "the same from twice as many records: the error depends on k alone");
    return BPK_OK;
}

static const struct {
    const char *name, *params;
    bpk_status (*answer)(plan *p, bpk_err *err);
} questions[] = {
    {"membership", "items rate growth delete generations span sketches", membership},
    {"count", "epsilon delta total half_life sketches", count},
    {"distinct", "error items sketches", distinct},
    {"top", "k share half_life sketches", top},
    {"overlap", "smaller overlap larger error sketches", overlap},
    {"sample", "k error groups weighted record_bytes sketches", sample},
    {"limit", "limit period keys fresh sketches", bpki_plan_limit},
};

const char *bpk_question_at(size_t i, const char **params) {
    if (i >= BPKI_COUNT(questions)) return NULL;
    if (params) *params = questions[i].params;
    return questions[i].name;
}

bpk_status bpk_plan(const char *question, const bpk_param *p, size_t n, bpk_field_fn fn, void *ctx, bpk_err *err) {
    bpki_walk w = {fn, ctx, false};
    plan made = {.in = {.p = p, .n = n}, .w = &w, .key_bytes = KEY_BYTES};
    if (n > BPKI_PARAMS_MAX) return bpki_fail(err, BPK_E_ARG, "parameters");
    for (size_t i = 0; i < BPKI_COUNT(questions); i++) {
        if (strcmp(questions[i].name, question) != 0) continue;
        made.question = questions[i].name;
        return questions[i].answer(&made, err);
    }
    return bpki_fail_value(err, BPK_E_ARG, "question", question);
}
