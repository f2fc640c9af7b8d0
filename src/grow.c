/* grow.c - the chain itself: layers that are made, asked and united.
 *
 * Everything that is known of a layer is known through its own verbs. What the chain adds is the plan of each layer
 * (grow_plan.c), the counter of its inserts, and the policy on full (grow_add.c).
 */
#include <math.h>

#include "grow_state.h"

static bpk_grow *as_grow(bpk_sketch *s) {
    return (bpk_grow *)s;
}
static const bpk_grow *as_grow_const(const bpk_sketch *s) {
    return (const bpk_grow *)s;
}
const bpk_grow *bpk_as_grow(const bpk_sketch *s) {
    return s->ops == &bpki_grow_ops ? as_grow_const(s) : NULL;
}

/* ---- making and freeing ---- */

bpk_status bpki_grow_make(bpk_grow **out, const bpk_domain *d, const grow_plan *p, unsigned room, const bpk_env *env) {
    void *object, *layers = NULL;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_grow), &object));
    bpk_grow *g = object;
    bpk_status st = bpki_sketch_init(&g->base, &bpki_grow_ops, d, env);
    if (st == BPK_OK) st = bpki_alloc(env, room * sizeof(grow_layer), &layers);
    if (st != BPK_OK) {
        bpki_release(env, g, sizeof *g);
        return st;
    }
    g->plan = *p;
    g->layer = layers;
    g->room = room;
    *out = g;
    return BPK_OK;
}

void bpki_grow_release(bpk_sketch *s) {
    bpk_grow *g = as_grow(s);
    bpk_env env = s->env;
    for (unsigned i = 0; i < g->n; i++) bpk_free(g->layer[i].s);
    bpki_release(&env, g->layer, g->room * sizeof(grow_layer));
    bpki_release(&env, g, sizeof *g);
}

/* Hands a chain out, or frees what there is of it. */
static bpk_status finish(bpk_sketch **out, bpk_grow *g, bpk_status st) {
    if (st == BPK_OK) *out = &g->base;
    else bpki_grow_release(&g->base);
    return st;
}

size_t bpki_grow_memory(const bpk_sketch *s) {
    const bpk_grow *g = as_grow_const(s);
    size_t sum = sizeof *g + g->room * sizeof(grow_layer);
    for (unsigned i = 0; i < g->n; i++) sum += bpk_memory(g->layer[i].s);
    return sum;
}

/* Room for one layer more. */
static bpk_status reserve(bpk_grow *g) {
    void *more;
    if (g->n < g->room) return BPK_OK;
    BPK_TRY(bpki_alloc(&g->base.env, (g->n + 1) * sizeof(grow_layer), &more));
    if (g->n) memcpy(more, g->layer, g->n * sizeof(grow_layer));
    bpki_release(&g->base.env, g->layer, g->room * sizeof(grow_layer));
    g->layer = more;
    g->room = g->n + 1;
    return BPK_OK;
}

uint64_t bpki_grow_base(const bpk_grow *g) {
    return g->n && grow_removes(&g->plan) ? bpk_cuckoo_made_for(grow_table(g, 0)).base : 0;
}

static bpk_status make_layer(bpk_sketch **out, const bpk_grow *g, const bpk_env *env) {
    bpk_bloom_config bloom;
    bpk_cuckoo_config cuckoo;
    bpk_bloom *filter;
    bpk_cuckoo *table;
    if (grow_removes(&g->plan)) {
        if (!bpki_grow_cuckoo(&cuckoo, &g->plan, bpki_grow_base(g), g->n)) return BPK_E_FULL;
        cuckoo.domain = g->base.domain;
        BPK_TRY(bpk_cuckoo_new(&table, &cuckoo, env));
        *out = bpk_cuckoo_base(table);
        return BPK_OK;
    }
    if (!bpki_grow_bloom(&bloom, &g->plan, g->n)) return BPK_E_FULL;
    bloom.domain = g->base.domain;
    BPK_TRY(bpk_bloom_new(&filter, &bloom, env));
    *out = bpk_bloom_base(filter);
    return BPK_OK;
}

/* ---- the limit, which holds for the object, the table and all layers together ---- */

bpk_env bpki_grow_rest(const bpk_grow *g) {
    bpk_env env = g->base.env;
    size_t held = bpki_grow_memory(&g->base) + (g->n == g->room ? sizeof(grow_layer) : 0);
    env.max_bytes = env.max_bytes > held ? env.max_bytes - held : 0;
    return env;
}

bpk_status bpki_grow_admit(const bpk_grow *g, bpk_sketch *layer) {
    bool fits = bpk_memory(layer) <= layer->env.max_bytes;
    layer->env.max_bytes = g->base.env.max_bytes;
    return fits ? BPK_OK : BPK_E_LIMIT;
}

static bpk_status open_layer(bpk_grow *g) {
    bpk_sketch *made;
    bpk_env rest = bpki_grow_rest(g);
    BPK_TRY(make_layer(&made, g, &rest));
    bpk_status st = bpki_grow_admit(g, made);
    if (st == BPK_OK) st = reserve(g);
    if (st == BPK_OK) g->layer[g->n++] = (grow_layer){.s = made};
    else bpk_free(made);
    return st;
}

bpk_status bpki_grow_open(bpk_grow *g, bpk_err *err) {
    if (g->plan.on_full == BPK_FULL_ERROR && g->n) return bpki_fail(err, BPK_E_FULL, "plan");
    if (!bpki_grow_layer_bits(&g->plan, bpki_grow_base(g), g->n)) return bpki_fail(err, BPK_E_FULL, "layers");
    bpk_status st = open_layer(g);
    return st == BPK_OK ? BPK_OK : bpki_fail(err, st, "layers");
}

static bpk_status make_first(bpk_sketch **out, const bpk_domain *d, const grow_plan *p, const bpk_env *env) {
    bpk_grow *g;
    BPK_TRY(bpki_grow_make(&g, d, p, 1, env));
    return finish(out, g, bpki_grow_open(g, NULL));
}

bpk_status bpk_grow_new(bpk_grow **out, const bpk_grow_config *cfg, const bpk_env *env) {
    bpk_sketch *s;
    if (bpki_grow_fault(cfg)) return BPK_E_ARG;
    grow_plan plan = bpki_grow_plan(cfg);
    BPK_TRY(make_first(&s, &cfg->domain, &plan, env));
    *out = as_grow(s);
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_grow_config cfg;
    BPK_TRY(bpki_grow_config_from(&cfg, ps, err));
    grow_plan plan = bpki_grow_plan(&cfg);
    return make_first(out, d, &plan, env);
}

/* With a twin of the first layer, whose size may be another writer's. */
static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_grow *from = as_grow_const(s);
    bpk_grow *g;
    BPK_TRY(bpki_grow_make(&g, &s->domain, &from->plan, 1, env));
    bpk_env rest = bpki_grow_rest(g);
    bpk_status st = bpk_twin(&g->layer[0].s, from->layer[0].s, &rest);
    if (st == BPK_OK) st = bpki_grow_admit(g, g->layer[g->n++].s);
    return finish(out, g, st);
}

/* Copies of all layers behind those that are there, which are none. */
static bpk_status copy_layers(bpk_grow *g, const bpk_grow *from) {
    while (g->n < from->n) {
        grow_layer *layer = &g->layer[g->n];
        bpk_env rest = bpki_grow_rest(g);
        layer->inserts = from->layer[g->n].inserts;
        BPK_TRY(bpk_copy(&layer->s, from->layer[g->n].s, &rest));
        g->n++;
        BPK_TRY(bpki_grow_admit(g, layer->s));
    }
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_grow *from = as_grow_const(s);
    bpk_grow *g;
    BPK_TRY(bpki_grow_make(&g, &s->domain, &from->plan, from->n, env));
    return finish(out, g, copy_layers(g, from));
}

static void reset(bpk_sketch *s) {
    bpk_grow *g = as_grow(s);
    while (g->n > 1) bpk_free(g->layer[--g->n].s);
    bpk_reset(g->layer[0].s);
    g->layer[0].inserts = 0;
}

/* ---- merging ---- */

static uint64_t plus(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t bpk_grow_inserts(const bpk_grow *g) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < g->n; i++)
        sum = plus(sum, grow_removes(&g->plan) ? bpk_cuckoo_items(grow_table(g, i)) : g->layer[i].inserts);
    return sum;
}

uint64_t bpk_grow_suspects(const bpk_grow *g) {
    return grow_removes(&g->plan) ? bpk_cuckoo_suspects(grow_table(g, 0)) : 0; /* all are counted there */
}

static bpk_status check_fit(const grow_plan *a, const grow_plan *b, bpk_err *err) {
    if (a->layers != b->layers)
        return bpki_mismatch_text(err, "layers", grow_removes(a) ? "cuckoo" : "bloom",
                                  grow_removes(b) ? "cuckoo" : "bloom");
    if (grow_removes(a)) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "merge", "grow"); /* as one table does not */
    if (a->shape != b->shape)
        return bpki_mismatch_text(err, "layout", bpki_grow_layouts[a->shape], bpki_grow_layouts[b->shape]);
    if (a->items != b->items) return bpki_mismatch(err, "items", a->items, b->items);
    if (a->on_full != b->on_full)
        return bpki_mismatch_text(err, "on_full", bpki_grow_policies[a->on_full], bpki_grow_policies[b->on_full]);
    return a->rate == b->rate ? BPK_OK : bpki_mismatch_rate(err, "rate", a->rate, b->rate);
}

/* The layers of another chain in the place of one's own, which is empty. */
static bpk_status take_over(bpk_grow *g, const bpk_grow *from) {
    bpk_sketch *made;
    BPK_TRY(copy(&made, &from->base, &g->base.env));
    bpk_grow *other = as_grow(made), mine = *g;
    g->layer = other->layer, g->n = other->n, g->room = other->room;
    other->layer = mine.layer, other->n = mine.n, other->room = mine.room;
    bpki_grow_release(made);
    return BPK_OK;
}

static uint64_t bits_of(const grow_layer *layer) {
    bpk_bloom_config plan;
    bpk_bloom_shape shape;
    bpk_bloom_made_for(bpk_as_bloom(layer->s), &plan, &shape);
    return shape.bits;
}

/* The union of two first layers has at most as many items as both counters say, so that it keeps its rate while their
 * sum is within the plan, whatever the policy. Layers of different sizes do not unite: the room would fold one. */
static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_grow *a = as_grow(dst);
    const bpk_grow *b = as_grow_const(src);
    BPK_TRY(check_fit(&a->plan, &b->plan, err));
    uint64_t mine = bpk_grow_inserts(a), theirs = bpk_grow_inserts(b), sum = plus(mine, theirs);
    if (theirs == 0) return BPK_OK;
    if (mine == 0) return take_over(a, b);
    if (a->n > 1 || b->n > 1 || sum > a->plan.items) return bpki_mismatch(err, "inserts", mine, theirs);
    uint64_t here = bits_of(&a->layer[0]), there = bits_of(&b->layer[0]);
    if (here != there) return bpki_mismatch(err, "bits of a layer", here, there); /* sized by another writer */
    BPK_TRY(bpk_merge(a->layer[0].s, b->layer[0].s, err));
    a->layer[0].inserts = sum;
    return BPK_OK;
}

/* Which of two items is taken for known depends on which came first. */
static bool splittable(const bpk_sketch *s) {
    (void)s;
    return false;
}

/* ---- answers ---- */

static double layer_rate(const bpk_grow *g, unsigned i) {
    const bpk_sketch *layer = g->layer[i].s;
    return grow_removes(&g->plan) ? bpk_cuckoo_rate(bpk_as_cuckoo(layer)) : bpk_bloom_rate(bpk_as_bloom(layer));
}

/* No more than the sum of the layers' rates, and less only where two layers take one stranger for known. Their false
 * positives are not independent: what one takes for known does not come into the next, so that they overlap less than
 * by chance. */
double bpk_grow_rate(const bpk_grow *g) {
    double sum = 0;
    for (unsigned i = 0; i < g->n; i++) sum += layer_rate(g, i);
    return fmin(sum, 1);
}

static const double LEAST = 0x1p-53; /* of a share that is divided by: a layer of foreign bytes may say yes to all */

/* Of the items that came while a layer was the newest, the older ones took their rate for known; how many, is a
 * negative binomial number. Layers are independent, so that the squares of the distances to the limits add up. */
static bpk_estimate items_from_bits(const bpk_grow *g, double confidence) {
    bpk_estimate sum = bpk_bloom_items(bpk_as_bloom(g->layer[0].s), confidence);
    double passes = 1, down = sum.estimate - sum.lower, up = sum.upper - sum.estimate, z = bpki_z(sum.confidence);
    if (g->n == 1) return sum;
    down *= down, up *= up;
    for (unsigned i = 1; i < g->n; i++) {
        bpk_estimate e = bpk_bloom_items(bpk_as_bloom(g->layer[i].s), confidence);
        passes = fmax(passes * (1 - layer_rate(g, i - 1)), LEAST);
        double below = (e.estimate - e.lower) / passes, above = (e.upper - e.estimate) / passes;
        double dropped = z * z * e.estimate * (1 - passes) / passes / passes;
        sum.estimate += e.estimate / passes;
        sum.flags |= e.flags & ~(uint32_t)BPK_EXACT;
        down += below * below + dropped, up += above * above + dropped;
    }
    sum.estimate = fmin(sum.estimate, 0x1p64);
    sum.lower = fmax(0, sum.estimate - sqrt(down));
    sum.upper = sum.flags & BPK_SATURATED ? 0x1p64 : fmin(sum.estimate + sqrt(up), 0x1p64);
    return sum;
}

bpk_estimate bpk_grow_items(const bpk_grow *g, double confidence) {
    if (grow_removes(&g->plan)) return bpki_certain_count(bpk_grow_inserts(g));
    return items_from_bits(g, confidence);
}

uint64_t bpk_grow_capacity(const bpk_grow *g) {
    return bpki_grow_capacity(&g->plan, g->n);
}

const bpk_sketch *bpk_grow_layer(const bpk_grow *g, size_t i) {
    return i < g->n ? g->layer[i].s : NULL;
}

static bpk_status has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    (void)err;
    bpk_grow_has(as_grow_const(s), hash, n, out);
    return BPK_OK;
}

static uint64_t copies_of(const bpk_grow *g, uint64_t hash) {
    uint64_t copies = 0;
    for (unsigned i = 0; i < g->n; i++) copies += bpk_cuckoo_copies(grow_table(g, i), hash);
    return copies;
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    const bpk_grow *g = as_grow_const(s);
    if (hash && !grow_removes(&g->plan)) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "count of an item", "grow");
    double rate = hash ? bpk_grow_rate(g) : 0, likely = bpki_confidence(confidence);
    if (!hash) *out = bpk_grow_items(g, confidence);
    for (size_t i = 0; hash && i < n; i++) out[i] = bpki_copies(copies_of(g, hash[i]), rate, likely);
    return BPK_OK;
}

/* ---- what it is ---- */

/* Bits of a layer, and how many of them are set. */
typedef struct used {
    double bits, set;
} used;

static used used_of(const bpk_grow *g) {
    used all = {0, 0};
    for (unsigned i = 0; i < g->n; i++) {
        bpki_health h = bpki_health_unknown;
        const bpk_sketch *layer = g->layer[i].s;
        double bits = 8 * (double)layer->ops->body_size(layer, BPK_FORM_VIEW);
        layer->ops->health(layer, &h);
        all.bits += bits;
        all.set += bits * h.fill;
    }
    return all;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_grow *g = as_grow_const(s);
    const grow_plan *p = &g->plan;
    bpk_estimate items = bpk_grow_items(g, BPK_CONFIDENCE);
    used all = used_of(g);
    bpki_walk_text(w, "layers_of", g->layer[0].s->ops->name);
    if (grow_removes(p)) bpki_walk_number(w, "fingerprint_bits", p->shape, BPK_UNIT_NONE);
    else bpki_walk_text(w, "layout", bpki_grow_layouts[p->shape]);
    bpki_walk_number(w, "layers", g->n, BPK_UNIT_NONE);
    bpki_walk_number(w, "body_bytes", all.bits / 8, BPK_UNIT_BYTES);
    bpki_walk_number(w, "first_items", (double)p->items, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "planned_items", (double)bpk_grow_capacity(g), BPK_UNIT_ITEMS);
    if (!grow_removes(p)) bpki_walk_number(w, "inserts", (double)bpk_grow_inserts(g), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "rate_asked", p->rate, BPK_UNIT_SHARE);
    bpki_walk_number(w, "rate_now", bpk_grow_rate(g), BPK_UNIT_SHARE);
    bpki_walk_estimate(w, "items", items, BPK_UNIT_ITEMS);
    if (items.estimate > 0) bpki_walk_number(w, "bits_per_item", all.bits / items.estimate, BPK_UNIT_NONE);
    bpki_walk_number(w, "fill", all.set / all.bits, BPK_UNIT_SHARE);
    if (grow_removes(p)) bpki_walk_number(w, "suspects", (double)bpk_grow_suspects(g), BPK_UNIT_ITEMS);
    bpki_walk_text(w, "on_full", bpki_grow_policies[p->on_full]);
}

/* The end of a chain that cannot grow: of its one layer's plan, or of the last layer that there can be. */
static bool at_end(const bpk_grow *g) {
    if (bpk_grow_inserts(g) < bpk_grow_capacity(g)) return false;
    return g->plan.on_full != BPK_FULL_GROW || !bpki_grow_layer_bits(&g->plan, bpki_grow_base(g), g->n);
}

/* One bloom layer alone has the whole rate, which chance may exceed: there its own health must agree. */
static bool rate_is_beyond(const bpk_grow *g, double rate) {
    bpki_health h = bpki_health_unknown;
    const bpk_sketch *layer = g->layer[0].s;
    if (!(rate > g->plan.rate)) return false;
    return g->plan.on_full == BPK_FULL_GROW || (rate > 1.02 * g->plan.rate && layer->ops->health(layer, &h));
}

static bool is_over(const bpk_grow *g) {
    return g->plan.on_full != BPK_FULL_GROW && bpk_grow_inserts(g) >= g->plan.items + (g->plan.items + 1) / 2;
}

static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_grow *g = as_grow_const(s);
    used all = used_of(g);
    bool end = at_end(g), over = is_over(g), suspects = bpk_grow_suspects(g) > 0;
    h->rate_now = h->error_now = bpk_grow_rate(g);
    h->rate_asked = g->plan.rate;
    h->planned = (double)bpk_grow_capacity(g);
    h->items = bpk_grow_items(g, BPK_CONFIDENCE);
    h->fill = all.set / all.bits;
    bool beyond = rate_is_beyond(g, h->rate_now);
    h->reason = over       ? "half as much again as planned, or more"
                : suspects ? "items were removed that had not been added: others may be missing"
                : end      ? "as many items as planned, or more"
                : beyond   ? "more false answers than asked for"
                           : "within its plan";
    return over ? BPK_HEALTH_OVER : suspects || end || beyond ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
}

const bpki_ops bpki_grow_ops = {
    .kind = BPK_KIND_GROW,
    .name = "grow",
    .question = "seen before, however many there will be?",
    .params_n = BPKI_GROW_PARAMS_N,
    .create = create,
    .cost = bpki_grow_cost,
    .add = bpki_grow_add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_grow_release,
    .memory = bpki_grow_memory,
    .body_size = bpki_grow_body_size,
    .encode_params = bpki_grow_encode_params,
    .encode_body = bpki_grow_encode_body,
    .decode = bpki_grow_decode, /* no view: there is no room in it for the layers */
    .info = info,
    .health = health,
    .splittable = splittable,
    .has = has,
    .remove = bpki_grow_remove,
    .count = count,
};
