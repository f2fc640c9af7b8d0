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
#include "bloom_plan.h"

#include "kern.h"
#include "room.h"

enum {
    PARAMS_N = 40,
    LINE_BITS = 8 * BPKI_LINE,
    CLASSIC_AHEAD = 8,      /* items between prefetch and use: each has k lines on their way */
    CLASSIC_NEAR = 1 << 18, /* bytes of a classic filter up to which it does not prefetch */
};

struct bpk_bloom {
    bpk_sketch base;
    bpki_filter plan;
    const uint8_t *bits;
    uint64_t bytes;
    uint8_t *own; /* the same bits, or NULL in a view */
    void *block;  /* what was allocated, to hold them at a multiple of 64 */
    bool reduced;
    /* Notes for the policy on full. With `exact` set, `set` is the number of set bits and is kept up to date item by
     * item; otherwise `budget` more adds certainly stay below `over_at`. */
    bool exact;
    uint64_t over_at, set, budget;
};
_Static_assert(sizeof(struct bpk_bloom) <= sizeof(bpk_view), "a filter fits into a view");

extern const bpki_ops bpki_bloom_ops;

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

/* Bytes of the body: whole 64-bit words. */
static uint64_t bytes_of(const bpki_filter *p) {
    return (bpki_filter_bits(p) + 63) / 64 * 8;
}

/* ---- making and freeing ---- */

/* Forgets what was known of the number of set bits; the next add looks. */
static void forget(bpk_bloom *b) {
    b->over_at = bpki_filter_over_at(&b->plan);
    b->exact = false;
    b->set = b->budget = 0;
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
    b->bytes = bytes_of(&b->plan);
    forget(b);
}

static void release(bpk_sketch *s) {
    bpk_bloom *b = as_bloom(s);
    bpk_env env = s->env;
    release_bits(b);
    bpki_release(&env, b, sizeof *b);
}

static bpk_status make(bpk_bloom **out, const bpk_domain *d, const bpki_filter *plan, const bpk_env *env) {
    void *p, *block;
    uint8_t *bits;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_bloom), &p));
    bpk_bloom *b = p;
    bpk_status st = bpki_sketch_init(&b->base, &bpki_bloom_ops, d, env);
    if (st == BPK_OK) st = new_bits(env, bytes_of(plan), &block, &bits);
    if (st != BPK_OK) {
        bpki_release(env, b, sizeof *b);
        return st;
    }
    b->plan = *plan;
    adopt_bits(b, block, bits);
    *out = b;
    return BPK_OK;
}

bpk_status bpk_bloom_new(bpk_bloom **out, const bpk_bloom_config *cfg, const bpk_env *env) {
    if (bpki_bloom_fault(cfg)) return BPK_E_ARG;
    bpki_filter plan = bpki_bloom_size(cfg);
    return make(out, &cfg->domain, &plan, env);
}

static const char *const layouts[] = {"blocked", "classic", NULL};

static bpk_status plan_from(bpki_filter *out, bpki_params *ps, bpk_err *err) {
    bpk_bloom_config cfg = {.items = bpki_param_count(ps, "items", 1)};
    bpki_param_missing(ps, "items");
    cfg.rate = bpki_param_share(ps, "rate", 0.01);
    cfg.layout = (uint8_t)bpki_param_word(ps, "layout", layouts, BPK_BLOOM_BLOCKED);
    cfg.on_full = (uint8_t)bpki_param_word(ps, "on_full", bpki_filter_policies, BPK_FULL_ERROR);
    if (bpki_bloom_fault(&cfg)) bpki_param_fail(ps, bpki_bloom_fault(&cfg));
    BPK_TRY(bpki_params_end(ps, err));
    *out = bpki_bloom_size(&cfg);
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpki_filter plan;
    (void)items; /* all bits are there from the start */
    BPK_TRY(plan_from(&plan, ps, err));
    *out = (bpki_cost){.memory = sizeof(bpk_bloom) + bytes_of(&plan) + BPKI_LINE - 1, .body = bytes_of(&plan)};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_bloom *b;
    bpki_filter plan;
    BPK_TRY(plan_from(&plan, ps, err));
    BPK_TRY(make(&b, d, &plan, env));
    *out = &b->base;
    return BPK_OK;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_bloom *b;
    BPK_TRY(make(&b, &s->domain, &as_bloom_const(s)->plan, env));
    *out = &b->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_bloom *from = as_bloom_const(s);
    BPK_TRY(twin(out, s, env));
    bpk_bloom *b = as_bloom(*out);
    memcpy(b->own, from->bits, (size_t)b->bytes);
    b->reduced = from->reduced;
    return BPK_OK;
}

static void reset(bpk_sketch *s) {
    bpk_bloom *b = as_bloom(s);
    memset(b->own, 0, (size_t)b->bytes);
    b->reduced = false;
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

/* Items ahead that are worth fetching: none where the second-level cache holds the filter anyway. */
static size_t classic_ahead(const bpk_bloom *b) {
    return b->bytes > CLASSIC_NEAR ? CLASSIC_AHEAD : 0;
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
    size_t ahead = classic_ahead(b);
    for (size_t i = 0; i < n && i < ahead; i++) classic_fetch(b, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (ahead && n - i > ahead) classic_fetch(b, hash[i + ahead]);
        out[i] = classic_item_has(b, hash[i]);
    }
}

static void classic_add(bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *changed) {
    size_t ahead = classic_ahead(b);
    for (size_t i = 0; i < n && i < ahead; i++) classic_fetch(b, hash[i]);
    for (size_t i = 0; i < n; i++) {
        if (ahead && n - i > ahead) classic_fetch(b, hash[i + ahead]);
        bool news = item_add(b, hash[i]) > 0;
        if (changed) changed[i] = news;
    }
}

void bpk_bloom_has(const bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *out) {
    const bpki_kernels *kern = bpki_kern();
    if (!is_blocked(b)) classic_has(b, hash, n, out);
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
    b->set = count_set(b);
    b->budget = b->set < b->over_at ? (b->over_at - b->set + most - 1) / most : 0;
    b->exact = b->budget <= b->bytes / 128;
}

/* An item that is there already, or seems to be, changes nothing and is never refused. */
static bpk_status add_exactly(bpk_bloom *b, uint64_t hash, uint8_t *changed) {
    bool news = !item_has(b, hash);
    if (news && b->set >= b->over_at) return BPK_E_FULL;
    if (news) b->set += item_add(b, hash);
    if (changed) *changed = news;
    return BPK_OK;
}

static bpk_status add_with_limit(bpk_bloom *b, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done) {
    size_t i = 0;
    while (i < n) {
        uint8_t *into = changed ? changed + i : NULL;
        *done = i;
        if (!b->exact && b->budget == 0) look(b);
        if (b->exact) {
            BPK_TRY(add_exactly(b, hash[i++], into));
            continue;
        }
        size_t some = n - i < b->budget ? n - i : (size_t)b->budget;
        put(b, hash + i, some, into);
        b->budget -= some;
        i += some;
    }
    *done = n;
    return BPK_OK;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_bloom *b = as_bloom(s);
    if (b->plan.on_full == BPK_FULL_ERROR) return add_with_limit(b, it->hash, it->n, changed, done);
    put(b, it->hash, it->n, changed);
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
    bpki_filter plan = b->plan;
    void *block;
    uint8_t *bits;
    if (divisor == 0 || plan.units % divisor != 0) return BPK_E_ARG;
    if (divisor == 1) return BPK_OK;
    plan.units /= divisor;
    plan.items = bpki_filter_folded(plan.items, divisor);
    BPK_TRY(new_bits(&b->base.env, bytes_of(&plan), &block, &bits));
    unite(bits, &plan, b);
    release_bits(b);
    b->plan = plan;
    b->reduced = true;
    adopt_bits(b, block, bits);
    return BPK_OK;
}

static bpk_status check_fit(const bpki_filter *a, const bpki_filter *b, bpk_err *err) {
    bool blocked = a->layout == BPK_BLOOM_BLOCKED;
    if (a->layout != b->layout) return bpki_mismatch_text(err, "layout", layouts[a->layout], layouts[b->layout]);
    if (a->k != b->k) return bpki_mismatch(err, blocked ? "lines" : "hashes", a->k, b->k);
    if (a->units % b->units == 0 || b->units % a->units == 0) return BPK_OK;
    return bpki_mismatch(err, blocked ? "blocks" : "bits", a->units, b->units);
}

/* Only the fold can fail, and it comes before anything has changed. */
static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_bloom *a = as_bloom(dst);
    const bpk_bloom *b = as_bloom_const(src);
    BPK_TRY(check_fit(&a->plan, &b->plan, err));
    bool reduced = a->reduced || b->reduced || a->plan.units != b->plan.units;
    if (a->plan.units > b->plan.units) BPK_TRY(bpk_bloom_fold(a, a->plan.units / b->plan.units));
    unite(a->own, &a->plan, b);
    bpki_filter_unite(&a->plan, &b->plan);
    a->reduced = reduced;
    forget(a);
    return BPK_OK;
}

static uint64_t grain(const bpk_sketch *s) {
    return as_bloom_const(s)->plan.units;
}

/* ---- answers from the bits ---- */

/* A stranger meets a random line with a random mask: the share of a line's masks that are all set is the product of its
 * lanes' shares of set bits. */
static double line_share(const uint8_t *line) {
    uint64_t product = 1; /* up to 64^8 */
    for (unsigned i = 0; i < 8; i++) product *= (unsigned)__builtin_popcountll(bpki_load64(line + 8 * i));
    return (double)product * 0x1p-48;
}

static double rate_with(const bpk_bloom *b, uint64_t set) {
    double share = 0, rate = 1;
    if (is_blocked(b))
        for (uint64_t at = 0; at < b->bytes; at += BPKI_LINE) share += line_share(b->bits + at);
    else share = (double)set;
    for (unsigned i = 0; i < b->plan.k; i++) rate *= share / (double)b->plan.units;
    return rate;
}

double bpk_bloom_rate(const bpk_bloom *b) {
    return rate_with(b, is_blocked(b) ? 0 : count_set(b));
}

static bpk_estimate items_with(const bpk_bloom *b, uint64_t set, double confidence) {
    bpk_estimate e = bpki_filter_items_of(&b->plan, set, confidence);
    if (b->reduced) e.flags |= BPK_REDUCED;
    return e;
}

bpk_estimate bpk_bloom_items(const bpk_bloom *b, double confidence) {
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
    uint64_t set = count_set(b);
    bpki_walk_text(w, "layout", layouts[p->layout]);
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
    uint64_t set = count_set(b);
    h->rate_now = h->error_now = rate_with(b, set);
    h->rate_asked = b->plan.rate;
    h->planned = (double)b->plan.items;
    h->items = items_with(b, set, BPK_CONFIDENCE);
    h->fill = (double)set / (double)bpki_filter_bits(&b->plan);
    return bpki_filter_state(&b->plan, set, h->rate_now, &h->reason);
}

/* ---- bytes ---- */

static uint64_t body_size(const bpk_sketch *s, bpk_form f) {
    (void)f;
    return as_bloom_const(s)->bytes;
}

static void encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpki_filter *p = &as_bloom_const(s)->plan;
    (void)f;
    bpki_out_u8(o, p->layout);
    bpki_out_u8(o, p->k);
    bpki_out_u8(o, p->on_full);
    bpki_out_zeros(o, 5); /* generations and four reserved bytes */
    bpki_out_u64(o, p->units);
    bpki_out_u64(o, p->items);
    bpki_out_f64(o, p->rate);
    bpki_out_zeros(o, 8);
}

static void encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_bloom *b = as_bloom_const(s);
    (void)f;
    bpki_out_bytes(o, b->bits, (size_t)b->bytes);
}

/* What can be checked when all fields are there: ranges, and that k is the one that the plan implies. */
static void check_plan(bpki_in *r, const bpki_filter *p) {
    bool blocked = p->layout == BPK_BLOOM_BLOCKED;
    bpk_bloom_config cfg = {.items = p->items, .rate = p->rate, .layout = p->layout, .on_full = p->on_full};
    const char *fault = bpki_bloom_fault(&cfg);
    if (fault) bpki_in_fail(r, BPK_E_CORRUPT, fault);
    if (blocked ? p->k != bpki_filter_lines(p->rate) : p->k < 1 || p->k > BPKI_FILTER_HASHES_MAX)
        bpki_in_fail(r, BPK_E_CORRUPT, blocked ? "lines" : "hashes");
}

static bpk_status read_plan(bpki_filter *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, PARAMS_N, e->start);
    *p = (bpki_filter){.layout = bpki_in_u8(&r, "layout")};
    if (p->layout > BPK_BLOOM_CLASSIC) bpki_in_fail(&r, BPK_E_CORRUPT, "layout");
    p->k = bpki_in_u8(&r, "hashes");
    p->on_full = bpki_in_u8(&r, "on_full");
    if (bpki_in_u8(&r, "generations") != 0) bpki_in_fail(&r, BPK_E_VERSION, "generations");
    bpki_in_zeros(&r, 4, "reserved");
    const char *units = p->layout == BPK_BLOOM_BLOCKED ? "blocks" : "bits";
    p->units = bpki_in_u64(&r, units);
    if (p->units < 1 || p->units > UINT64_C(1) << 54) bpki_in_fail(&r, BPK_E_CORRUPT, units);
    p->items = bpki_in_u64(&r, "items");
    p->rate = bpki_in_f64(&r, "rate");
    if (bpki_in_ok(&r)) check_plan(&r, p);
    bpki_in_zeros(&r, 8, "reserved");
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    if (e->body_n != bytes_of(p)) return bpki_fail_at(err, BPK_E_CORRUPT, "body", (size_t)(e->body - e->start));
    return BPK_OK;
}

/* Bits behind the last one would be invisible to answers but not to merges. */
static bpk_status check_body(const bpki_filter *p, const bpki_envelope *e, bpk_err *err) {
    uint64_t spare_from = bpki_filter_bits(p) % 64;
    const uint8_t *last = e->body + (e->body_n - 8);
    if (spare_from == 0 || bpki_load64(last) >> spare_from == 0) return BPK_OK;
    return bpki_fail_at(err, BPK_E_CORRUPT, "spare bits", (size_t)(last - e->start));
}

static bpk_status decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    bpki_filter plan;
    bpk_bloom *b;
    BPK_TRY(read_plan(&plan, e, err));
    BPK_TRY(check_body(&plan, e, err));
    bpk_status st = make(&b, &e->domain, &plan, env);
    if (st != BPK_OK) return bpki_fail(err, st, "body");
    memcpy(b->own, e->body, (size_t)b->bytes);
    *out = &b->base;
    return BPK_OK;
}

static bpk_status view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    bpk_bloom *b = (bpk_bloom *)(void *)v;
    bpki_filter plan;
    BPK_TRY(read_plan(&plan, e, err));
    BPK_TRY(check_body(&plan, e, err));
    memset(b, 0, sizeof *b);
    BPK_TRY(bpki_sketch_init(&b->base, &bpki_bloom_ops, &e->domain, NULL));
    b->plan = plan;
    b->bits = e->body;
    b->bytes = e->body_n;
    return BPK_OK;
}

const bpki_ops bpki_bloom_ops = {
    .kind = BPK_KIND_BLOOM,
    .name = "bloom",
    .question = "seen before?",
    .params_n = PARAMS_N,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = release,
    .memory = memory,
    .body_size = body_size,
    .encode_params = encode_params,
    .encode_body = encode_body,
    .decode = decode,
    .view = view,
    .info = info,
    .health = health,
    .grain = grain,
    .has = has,
    .count = count,
};
