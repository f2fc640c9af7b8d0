/* bloom.c - the filter itself: bits that hashes set and find.
 *
 * Blocked, k lines an item (1 or 2), chosen so that a touch is one cache line:
 *
 *     hash ---mulhi---> block          lane 0    lane 1          lane 7
 *     hash * LANES ---> 8 x 6 bits   [64 bits][64 bits] ... [64 bits]   one bit set in each lane
 *     (hash | 1) * SECOND ---------> the same once more for the second line
 *
 * Classic, k bits anywhere: position i is mulhi(h_i, bits), with h_0 = hash and h_(i+1) = (h_i | 1) * SECOND. The
 * multiplicative sequence has no short cycles and no common step, so that tiny filters keep their promise, where double
 * hashing does not (docs/adr/0005-no-double-hashing.md).
 *
 * In memory as on the wire: bit i is bit i % 8 of byte i / 8. A view is therefore a pointer into foreign bytes.
 *
 * There is no counter of adds. What a filter does when it is full depends on its bits alone, so that replicas that got
 * the same items in different batches and orders of merging decide alike; docs/rooms/bloom.md says how that costs
 * nothing.
 */
#include "bloom_state.h"

enum { LINE_BITS = 8 * BPKI_LINE };

const char *const bpki_bloom_layouts[] = {"blocked", "classic", NULL};
const char *const bpki_bloom_seen[] = {"last", "first", NULL};

static bpk_bloom *as_bloom(bpk_sketch *s) {
    return (bpk_bloom *)s;
}
static const bpk_bloom *as_bloom_const(const bpk_sketch *s) {
    return (const bpk_bloom *)s;
}
const bpk_bloom *bpk_as_bloom(const bpk_sketch *s) {
    return s->ops == &bpki_bloom_ops ? as_bloom_const(s) : NULL;
}

static bool is_blocked(const bpk_bloom *b) {
    return b->plan.layout == BPK_BLOOM_BLOCKED;
}

/* Whole 64-bit words. */
uint64_t bpki_bloom_bit_bytes(const bpk_bloom *b) {
    return (bpki_filter_bits(&b->plan) + 63) / 64 * 8 * bpki_ring_lines(b);
}

uint64_t bpki_bloom_bytes(const bpk_bloom *b) {
    return bpki_bloom_bit_bytes(b) + bpki_bloom_state_bytes(b->turn.generations);
}

/* ---- making and freeing ---- */

/* Forgets what was known of the number of set bits; the next add looks. */
static void forget(bpk_bloom *b) {
    b->exact = false;
    if (!bpki_is_ring(b)) b->notes = (bpki_notes){.over_at = bpki_filter_over_at(&b->plan)};
}

/* Zeroed bits at a multiple of a line; *block is what is to be released. */
static bpk_status new_bits(const bpk_env *env, uint64_t bytes, void **block, uint8_t **bits) {
    if (bytes > SIZE_MAX - BPKI_LINE) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, (size_t)bytes + BPKI_LINE - 1, block));
    *bits = (uint8_t *)*block + (0 - (uintptr_t)*block) % BPKI_LINE;
    return BPK_OK;
}

static void release_bits(bpk_bloom *b) {
    if (b->block) bpki_release(&b->base.env, b->block, (size_t)b->bytes + BPKI_LINE - 1);
}

static void adopt_bits(bpk_bloom *b, void *block, uint8_t *bits) {
    b->block = block;
    b->bits = b->own = bits;
    b->bytes = bpki_bloom_bytes(b);
    forget(b);
}

void bpki_bloom_release(bpk_sketch *s) {
    bpk_bloom *b = as_bloom(s);
    bpk_env env = s->env;
    release_bits(b);
    bpki_release(&env, b, sizeof *b);
}

bpk_status bpki_bloom_make(bpk_bloom **out, const bpk_domain *d, const bpk_bloom *like, const bpk_env *env) {
    void *p, *block;
    uint8_t *bits;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_bloom), &p));
    bpk_bloom *b = p;
    bpk_status st = bpki_sketch_init(&b->base, &bpki_bloom_ops, d, env);
    if (st == BPK_OK) st = new_bits(env, bpki_bloom_bytes(like), &block, &bits);
    if (st != BPK_OK) {
        bpki_release(env, b, sizeof *b);
        return st;
    }
    b->plan = like->plan;
    b->turn = like->turn;
    b->ring = like->ring;
    adopt_bits(b, block, bits);
    *out = b;
    return BPK_OK;
}

/* What a configuration asks for, without bits. */
static bpk_bloom like_of(const bpk_bloom_config *cfg) {
    bpk_bloom b = {.plan = bpki_bloom_size(cfg)};
    if (cfg->generations == 0) return b;
    b.turn = (bpki_turn){.generations = cfg->generations, .seen = cfg->seen};
    b.ring = (bpki_ring){cfg->items, cfg->span, cfg->rate};
    b.plan.rate = bpki_bloom_close_at(&b.plan);
    return b;
}

bpk_status bpk_bloom_new(bpk_bloom **out, const bpk_bloom_config *cfg, const bpk_env *env) {
    if (bpki_bloom_fault(cfg)) return BPK_E_ARG;
    bpk_bloom like = like_of(cfg);
    return bpki_bloom_make(out, &cfg->domain, &like, env);
}

static bpk_status config_from(bpk_bloom_config *out, bpki_params *ps, bpk_err *err) {
    bpk_bloom_config cfg = {.items = bpki_param_count(ps, "items", 1)};
    bpki_param_missing(ps, "items");
    cfg.rate = bpki_param_share(ps, "rate", 0.01);
    cfg.layout = (uint8_t)bpki_param_word(ps, "layout", bpki_bloom_layouts, BPK_BLOOM_BLOCKED);
    cfg.on_full = (uint8_t)bpki_param_word(ps, "on_full", bpki_filter_policies, BPK_FULL_ERROR);
    uint64_t generations = bpki_param_count(ps, "generations", 0);
    cfg.generations = generations <= BPK_BLOOM_GENERATIONS_MAX ? (uint8_t)generations : UINT8_MAX;
    cfg.span = bpki_param_count(ps, "span", 0);
    cfg.seen = (uint8_t)bpki_param_word(ps, "seen", bpki_bloom_seen, BPK_SEEN_LAST);
    if (bpki_bloom_fault(&cfg)) bpki_param_fail(ps, bpki_bloom_fault(&cfg));
    BPK_TRY(bpki_params_end(ps, err));
    *out = cfg;
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_bloom_config cfg;
    (void)items; /* all bits are there from the start */
    BPK_TRY(config_from(&cfg, ps, err));
    bpk_bloom like = like_of(&cfg);
    uint64_t bytes = bpki_bloom_bytes(&like);
    *out = (bpki_cost){.memory = sizeof(bpk_bloom) + bytes + BPKI_LINE - 1, .body = bytes};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_bloom *b;
    bpk_bloom_config cfg;
    BPK_TRY(config_from(&cfg, ps, err));
    cfg.domain = *d;
    BPK_TRY(bpk_bloom_new(&b, &cfg, env));
    *out = &b->base;
    return BPK_OK;
}

static void start_ring(bpk_bloom *b) {
    b->turn.current = 0;
    b->turn.lost = b->turn.united = false;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_bloom *b;
    BPK_TRY(bpki_bloom_make(&b, &s->domain, as_bloom_const(s), env));
    start_ring(b);
    *out = &b->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_bloom *from = as_bloom_const(s);
    BPK_TRY(twin(out, s, env));
    bpk_bloom *b = as_bloom(*out);
    memcpy(b->own, from->bits, (size_t)b->bytes);
    b->reduced = from->reduced;
    b->turn = from->turn;
    return BPK_OK;
}

static void reset(bpk_sketch *s) {
    bpk_bloom *b = as_bloom(s);
    memset(b->own, 0, (size_t)b->bytes);
    b->reduced = false;
    start_ring(b);
    forget(b);
}

static size_t memory(const bpk_sketch *s) {
    const bpk_bloom *b = as_bloom_const(s);
    return sizeof *b + (b->block ? (size_t)b->bytes + BPKI_LINE - 1 : 0);
}

/* ---- bits of one item ---- */

/* Writes the positions of an item's bits; returns their number. */
static unsigned positions(const bpki_filter *p, uint64_t hash, uint64_t at[BPKI_FILTER_HASHES_MAX]) {
    unsigned n = 0;
    for (unsigned j = 0; j < p->k; j++, hash = bpki_filter_next(hash)) {
        uint64_t unit = bpki_mulhi(hash, p->units), g = hash * BPKI_BLOOM_LANES;
        if (p->layout == BPK_BLOOM_CLASSIC) at[n++] = unit;
        else
            for (unsigned i = 0; i < 8; i++) at[n++] = unit * LINE_BITS + 64 * i + (g >> (16 + 6 * i) & 63);
    }
    return n;
}

static bool item_has(const bpk_bloom *b, uint64_t hash) {
    uint64_t at[BPKI_FILTER_HASHES_MAX];
    unsigned n = positions(&b->plan, hash, at), all = 1;
    for (unsigned i = 0; i < n; i++) all &= (unsigned)b->bits[at[i] / 8] >> at[i] % 8;
    return all & 1;
}

/* Returns the number of bits that were not set before. */
static unsigned item_add(bpk_bloom *b, uint64_t hash) {
    uint64_t at[BPKI_FILTER_HASHES_MAX];
    unsigned n = positions(&b->plan, hash, at), news = 0;
    for (unsigned i = 0; i < n; i++) {
        uint8_t *byte = b->own + at[i] / 8;
        news += ~(unsigned)*byte >> at[i] % 8 & 1;
        *byte = (uint8_t)(*byte | 1u << at[i] % 8);
    }
    return news;
}

/* ---- batches ---- */

static void classic_fetch(const bpk_bloom *b, uint64_t hash) {
    uint64_t at[BPKI_FILTER_HASHES_MAX];
    unsigned n = positions(&b->plan, hash, at);
    for (unsigned i = 0; i < n; i++) __builtin_prefetch(b->bits + at[i] / 8, 1);
}

/* As item_has, but most strangers are known by their first bit or two. */
static bool classic_item_has(const bpk_bloom *b, uint64_t hash) {
    for (unsigned j = 0; j < b->plan.k; j++, hash = bpki_filter_next(hash)) {
        uint64_t at = bpki_mulhi(hash, b->plan.units);
        if (!(b->bits[at / 8] >> at % 8 & 1)) return false;
    }
    return true;
}

static void classic_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out) {
    size_t ahead = bpki_filter_ahead(b->bytes);
    for (size_t i = 0; i < n && i < ahead; i++) classic_fetch(b, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (ahead && n - i > ahead) classic_fetch(b, hash[i + ahead]);
        out[i] = classic_item_has(b, hash[i]);
    }
}

static void classic_add(bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *changed) {
    size_t ahead = bpki_filter_ahead(b->bytes);
    for (size_t i = 0; i < n && i < ahead; i++) classic_fetch(b, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (ahead && n - i > ahead) classic_fetch(b, hash[i + ahead]);
        bool news = item_add(b, hash[i]) > 0;
        if (changed) changed[i] = news;
    }
}

void bpk_bloom_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out) {
    const bpki_kernels *kern = bpki_kern();
    if (bpki_is_ring(b)) bpki_ring_has(b, hash, n, out);
    else if (!is_blocked(b)) classic_has(b, hash, n, out);
    else (b->plan.k == 1 ? kern->bloom1_has : kern->bloom2_has)(b->bits, b->plan.units, hash, n, out);
}

static bpk_status has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    (void)err;
    bpk_bloom_has(as_bloom_const(s), hash, n, out);
    return BPK_OK;
}

/* Adds without asking whether there is room. */
static void put(bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *changed) {
    const bpki_kernels *kern = bpki_kern();
    if (!is_blocked(b)) classic_add(b, hash, n, changed);
    else (b->plan.k == 1 ? kern->bloom1_add : kern->bloom2_add)(b->own, b->plan.units, hash, n, changed);
}

/* ---- the policy on full ---- */

static uint64_t count_set(const bpk_bloom *b) {
    return bpki_kern()->popcount(b->bits, (size_t)b->bytes);
}

/* Counts the set bits and from them the adds that are certainly allowed. When these are too few to pay for the count
 * (128 bytes of it an add), the number is kept up to date item by item from here on. */
static void look(bpk_bloom *b) {
    unsigned most = bpki_filter_bits_per_item(&b->plan);
    b->notes.set = count_set(b);
    b->notes.budget = b->notes.set < b->notes.over_at ? (b->notes.over_at - b->notes.set + most - 1) / most : 0;
    b->exact = b->notes.budget <= b->bytes / 128;
}

/* An item that is there already, or seems to be, changes nothing and is never refused. */
static bpk_status add_exactly(bpk_bloom *b, uint64_t hash, uint8_t *changed) {
    bool news = !item_has(b, hash);
    if (news && b->notes.set >= b->notes.over_at) return BPK_E_FULL;
    if (news) b->notes.set += item_add(b, hash);
    if (changed) *changed = news;
    return BPK_OK;
}

static bpk_status add_with_limit(bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done) {
    size_t i = 0;
    while (i < n) {
        uint8_t *into = changed ? changed + i : NULL;
        *done = i;
        if (!b->exact && b->notes.budget == 0) look(b);
        if (b->exact) {
            BPK_TRY(add_exactly(b, hash[i++], into));
            continue;
        }
        size_t some = n - i < b->notes.budget ? n - i : (size_t)b->notes.budget;
        put(b, hash + i, some, into);
        b->notes.budget -= some;
        i += some;
    }
    *done = n;
    return BPK_OK;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_bloom *b = as_bloom(s);
    if (b->plan.on_full == BPK_FULL_ERROR && !bpki_is_ring(b)) return add_with_limit(b, it->hash, it->n, changed, done);
    if (bpki_is_ring(b)) bpki_ring_add(b, it, changed);
    else put(b, it->hash, it->n, changed);
    *done = it->n;
    return BPK_OK;
}

/* ---- folding and merging ---- */

/* Since floor(floor(x c) / c) = floor(x), unit u of a filter that is c times as large belongs to unit u / c of the
 * smaller one. `into` has `units` units, `from` c times as many. */
static void unite_blocks(uint8_t *into, uint64_t units, const uint8_t *from, uint64_t c) {
    const bpki_kernels *kern = bpki_kern();
    for (uint64_t u = 0; u < units; u++, into += BPKI_LINE)
        for (uint64_t i = 0; i < c; i++, from += BPKI_LINE) kern->or_bytes(into, from, BPKI_LINE);
}

static void unite_bits(uint8_t *into, const uint8_t *from, uint64_t from_bytes, uint64_t c) {
    for (uint64_t at = 0; at < from_bytes; at += 8)
        for (uint64_t word = bpki_load64(from + at); word; word &= word - 1) {
            uint64_t bit = (8 * at + (unsigned)__builtin_ctzll(word)) / c;
            into[bit / 8] = (uint8_t)(into[bit / 8] | 1u << bit % 8);
        }
}

static void unite(uint8_t *into, const bpki_filter *plan, const bpk_bloom *from) {
    uint64_t c = from->plan.units / plan->units;
    if (c == 1) bpki_kern()->or_bytes(into, from->bits, (size_t)from->bytes);
    else if (plan->layout == BPK_BLOOM_BLOCKED) unite_blocks(into, plan->units, from->bits, c);
    else unite_bits(into, from->bits, from->bytes, c);
}

bpk_status bpk_bloom_fold(bpk_bloom *b, uint64_t divisor) {
    bpk_bloom small = *b;
    void *block;
    uint8_t *bits;
    if (bpki_is_ring(b)) return BPK_E_UNSUPPORTED;
    if (divisor == 0 || b->plan.units % divisor != 0) return BPK_E_ARG;
    if (divisor == 1) return BPK_OK;
    small.plan.units /= divisor;
    small.plan.items = bpki_filter_folded(b->plan.items, divisor);
    BPK_TRY(new_bits(&b->base.env, bpki_bloom_bytes(&small), &block, &bits));
    unite(bits, &small.plan, b);
    release_bits(b);
    b->plan = small.plan;
    b->reduced = true;
    adopt_bits(b, block, bits);
    return BPK_OK;
}

static bpk_status check_fit(const bpki_filter *a, const bpki_filter *b, bpk_err *err) {
    bool blocked = a->layout == BPK_BLOOM_BLOCKED;
    if (a->layout != b->layout)
        return bpki_mismatch_text(err, "layout", bpki_bloom_layouts[a->layout], bpki_bloom_layouts[b->layout]);
    if (a->k != b->k) return bpki_mismatch(err, blocked ? "lines" : "hashes", a->k, b->k);
    if (a->units % b->units == 0 || b->units % a->units == 0) return BPK_OK;
    return bpki_mismatch(err, blocked ? "blocks" : "bits", a->units, b->units);
}

/* Only the fold can fail, and it comes before anything has changed. */
static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_bloom *a = as_bloom(dst);
    const bpk_bloom *b = as_bloom_const(src);
    if (a->turn.generations != b->turn.generations)
        return bpki_mismatch(err, "generations", a->turn.generations, b->turn.generations);
    if (bpki_is_ring(a)) return bpki_ring_merge(a, b, err);
    BPK_TRY(check_fit(&a->plan, &b->plan, err));
    bool reduced = a->reduced || b->reduced || a->plan.units != b->plan.units;
    if (a->plan.units > b->plan.units) BPK_TRY(bpk_bloom_fold(a, a->plan.units / b->plan.units));
    unite(a->own, &a->plan, b);
    bpki_filter_unite(&a->plan, &b->plan);
    a->reduced = reduced;
    forget(a);
    return BPK_OK;
}

/* The parts of a stream do not rotate when the whole does. */
static void advance(bpk_sketch *s, uint64_t now) {
    (void)bpk_bloom_advance(as_bloom(s), now); /* only a ring with a span knows time */
}

static bool splittable(const bpk_sketch *s) {
    return !bpki_is_ring(as_bloom_const(s));
}

static uint64_t grain(const bpk_sketch *s) {
    return as_bloom_const(s)->plan.units;
}

/* ---- what it was made for ---- */

void bpk_bloom_made_for(const bpk_bloom *b, bpk_bloom_config *cfg, bpk_bloom_shape *shape) {
    const bpki_filter *p = &b->plan;
    *cfg = (bpk_bloom_config){
        .domain = b->base.domain, .items = p->items, .rate = p->rate, .layout = p->layout, .on_full = p->on_full};
    *shape = (bpk_bloom_shape){bpki_filter_bits(p), bpki_filter_bits_per_item(p)};
    if (!bpki_is_ring(b)) return;
    cfg->items = b->ring.window, cfg->rate = b->ring.rate, cfg->span = b->ring.span;
    cfg->generations = b->turn.generations, cfg->seen = b->turn.seen;
}

uint64_t bpk_bloom_set_bits(const bpk_bloom *b) {
    return bpki_kern()->popcount(b->bits, (size_t)bpki_bloom_bit_bytes(b));
}

/* ---- answers from the bits ---- */

/* A stranger meets a random line with a random mask, so that its chance is the mean of the lines' shares. */
static double rate_with(const bpk_bloom *b, uint64_t set) {
    double share = (double)set, rate = 1;
    if (is_blocked(b)) share = bpki_kern()->line_shares(b->bits, b->plan.units, BPKI_LINE);
    for (unsigned i = 0; i < b->plan.k; i++) rate *= share / (double)b->plan.units;
    return rate;
}

double bpk_bloom_rate(const bpk_bloom *b) {
    if (bpki_is_ring(b)) return bpki_ring_rate(b);
    return rate_with(b, is_blocked(b) ? 0 : count_set(b));
}

static bpk_estimate items_with(const bpk_bloom *b, uint64_t set, double confidence) {
    bpk_estimate e = bpki_filter_items_of(&b->plan, set, confidence);
    if (b->reduced) e.flags |= BPK_REDUCED;
    return e;
}

bpk_estimate bpk_bloom_items(const bpk_bloom *b, double confidence) {
    if (bpki_is_ring(b)) return bpki_ring_items(b, confidence);
    return items_with(b, count_set(b), confidence);
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    (void)n;
    if (hash) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "count of an item", "bloom");
    *out = bpk_bloom_items(as_bloom_const(s), confidence);
    return BPK_OK;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_bloom *b = as_bloom_const(s);
    const bpki_filter *p = &b->plan;
    if (bpki_is_ring(b)) {
        bpki_ring_info(b, w);
        return;
    }
    uint64_t set = count_set(b);
    bpki_walk_text(w, "layout", bpki_bloom_layouts[p->layout]);
    bpki_walk_number(w, is_blocked(b) ? "lines" : "hashes", p->k, BPK_UNIT_NONE);
    bpki_walk_number(w, is_blocked(b) ? "blocks" : "bits", (double)p->units, BPK_UNIT_NONE);
    bpki_walk_number(w, "body_bytes", (double)b->bytes, BPK_UNIT_BYTES);
    bpki_walk_number(w, "planned_items", (double)p->items, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "rate_asked", p->rate, BPK_UNIT_SHARE);
    bpki_walk_number(w, "rate_now", rate_with(b, set), BPK_UNIT_SHARE);
    bpki_walk_estimate(w, "items", items_with(b, set, BPK_CONFIDENCE), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "fill", (double)set / (double)bpki_filter_bits(p), BPK_UNIT_SHARE);
    bpki_walk_text(w, "on_full", bpki_filter_policies[p->on_full]);
    bpki_walk_number(w, "reduced", b->reduced, BPK_UNIT_FLAG);
}

static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_bloom *b = as_bloom_const(s);
    if (bpki_is_ring(b)) return bpki_ring_health(b, h);
    uint64_t set = count_set(b);
    h->rate_now = h->error_now = rate_with(b, set);
    h->rate_asked = b->plan.rate;
    h->planned = (double)b->plan.items;
    h->items = items_with(b, set, BPK_CONFIDENCE);
    h->fill = (double)set / (double)bpki_filter_bits(&b->plan);
    return bpki_filter_state(&b->plan, set, h->rate_now, &h->reason);
}

const bpki_ops bpki_bloom_ops = {
    .kind = BPK_KIND_BLOOM,
    .name = "bloom",
    .question = "seen before?",
    .params_n = BPKI_BLOOM_PARAMS,
    .grows = true,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_bloom_release,
    .memory = memory,
    .body_size = bpki_bloom_body_size,
    .encode_params = bpki_bloom_encode_params,
    .encode_body = bpki_bloom_encode_body,
    .decode = bpki_bloom_decode,
    .view = bpki_bloom_view,
    .info = info,
    .health = health,
    .grain = grain,
    .advance = advance,
    .splittable = splittable,
    .has = has,
    .count = count,
};
