/* cuckoo.c - the table itself: fingerprints that are put in, found, moved and taken out.
 *
 * Each item has two buckets of four places (cuckoo_state.h says which); where both are full, others have to move
 * (cuckoo_walk.c).
 *
 * Copies of an item, and of others with its fingerprint and its buckets, cannot be told apart: any of them may be taken
 * out for any other.
 */
#include "cuckoo_state.h"

enum { AHEAD = 32 }; /* items between prefetch and use, as the blocked filter has: bench/bench_cuckoo.c */

static bpk_cuckoo *as_cuckoo(bpk_sketch *s) {
    return (bpk_cuckoo *)s;
}
static const bpk_cuckoo *as_cuckoo_const(const bpk_sketch *s) {
    return (const bpk_cuckoo *)s;
}
const bpk_cuckoo *bpk_as_cuckoo(const bpk_sketch *s) {
    return s->ops == &bpki_cuckoo_ops ? as_cuckoo_const(s) : NULL;
}

/* ---- making and freeing ---- */

bpk_status bpki_cuckoo_make(bpk_cuckoo **out, const bpk_domain *d, const cuckoo_plan *plan, const bpk_env *env) {
    void *object, *table = NULL;
    env = bpki_env(env);
    if (plan->buckets > SIZE_MAX / sizeof(uint64_t)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, sizeof(bpk_cuckoo), &object));
    bpk_cuckoo *c = object;
    bpk_status st = bpki_sketch_init(&c->base, &bpki_cuckoo_ops, d, env);
    if (st == BPK_OK) st = bpki_alloc(env, cuckoo_bytes(plan), &table);
    if (st != BPK_OK) {
        bpki_release(env, c, sizeof *c);
        return st;
    }
    c->plan = *plan;
    c->table = c->own = table;
    *out = c;
    return BPK_OK;
}

bpk_status bpk_cuckoo_new(bpk_cuckoo **out, const bpk_cuckoo_config *cfg, const bpk_env *env) {
    if (bpki_cuckoo_fault(cfg)) return BPK_E_ARG;
    cuckoo_plan plan = bpki_cuckoo_plan(cfg);
    return bpki_cuckoo_make(out, &cfg->domain, &plan, env);
}

/* The bits that were given, or the fewest for the rate, which is refused where none suffice. */
static uint8_t bits_from(bpki_params *ps, uint64_t items) {
    uint64_t bits = bpki_param_count(ps, "fingerprint_bits", BPK_CUCKOO_BITS);
    if (bits != BPK_CUCKOO_BITS && bits != BPK_CUCKOO_BITS_FEW) bpki_param_fail(ps, "fingerprint_bits");
    double rate = bpki_param_share(ps, "rate", 1);
    if (!bpki_param_given(ps, "rate")) return (uint8_t)bits;
    uint8_t enough = bpk_cuckoo_bits_for(items, rate);
    bool given = bpki_param_given(ps, "fingerprint_bits");
    if (rate > 0.5 || !enough || (given && enough > bits)) bpki_param_fail(ps, "rate");
    return given ? (uint8_t)bits : enough;
}

/* What on_full may say of a table alone; with grow it is a chain's layer. */
static const char *const policies[] = {"error", NULL};

static bpk_status plan_from(cuckoo_plan *out, bpki_params *ps, bpk_err *err) {
    bpk_cuckoo_config cfg = {.items = bpki_param_count(ps, "items", 1), .fingerprint_bits = BPK_CUCKOO_BITS};
    bpki_param_missing(ps, "items");
    if (bpki_cuckoo_fault(&cfg)) bpki_param_fail(ps, "items");
    cfg.fingerprint_bits = bits_from(ps, cfg.items);
    (void)bpki_param_word(ps, "on_full", policies, 0);
    BPK_TRY(bpki_params_end(ps, err));
    *out = bpki_cuckoo_plan(&cfg);
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    cuckoo_plan plan;
    (void)items; /* all places are there from the start */
    BPK_TRY(plan_from(&plan, ps, err));
    uint64_t bytes = plan.buckets * cuckoo_bucket_bytes(plan.width);
    *out = (bpki_cost){.memory = sizeof(bpk_cuckoo) + bytes, .body = bytes};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_cuckoo *c;
    cuckoo_plan plan;
    BPK_TRY(plan_from(&plan, ps, err));
    BPK_TRY(bpki_cuckoo_make(&c, d, &plan, env));
    *out = &c->base;
    return BPK_OK;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_cuckoo *c;
    BPK_TRY(bpki_cuckoo_make(&c, &s->domain, &as_cuckoo_const(s)->plan, env));
    *out = &c->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_cuckoo *from = as_cuckoo_const(s);
    BPK_TRY(twin(out, s, env));
    bpk_cuckoo *c = as_cuckoo(*out);
    memcpy(c->own, from->table, cuckoo_bytes(&c->plan));
    c->n = from->n;
    c->suspects = from->suspects;
    return BPK_OK;
}

static void reset(bpk_sketch *s) {
    bpk_cuckoo *c = as_cuckoo(s);
    memset(c->own, 0, cuckoo_bytes(&c->plan));
    c->n = c->suspects = 0;
}

static void release(bpk_sketch *s) {
    bpk_cuckoo *c = as_cuckoo(s);
    bpk_env env = s->env;
    bpki_release(&env, c->own, cuckoo_bytes(&c->plan));
    bpki_release(&env, c, sizeof *c);
}

static size_t memory(const bpk_sketch *s) {
    const bpk_cuckoo *c = as_cuckoo_const(s);
    return sizeof *c + (c->own ? cuckoo_bytes(&c->plan) : 0);
}

/* ---- where an item belongs ---- */

typedef struct place {
    uint64_t at[2]; /* buckets, which may be one */
    uint64_t fp;
} place;

static inline place place_of(const cuckoo_plan *p, uint64_t hash, unsigned width) {
    place at = {{bpki_mulhi(hash, p->buckets), 0}, 1 + ((hash & UINT32_MAX) * cuckoo_low(width) >> 32)};
    at.at[1] = cuckoo_other(p, at.fp, at.at[0]);
    return at;
}

/* The places of a batch, some items ahead of their use, with their memory on its way. */
typedef struct window {
    const bpk_cuckoo *c;
    const uint64_t *hash;
    size_t n;
    place ring[AHEAD];
} window;

static inline place fetched(const bpk_cuckoo *c, uint64_t hash, unsigned width) {
    place at = place_of(&c->plan, hash, width);
    __builtin_prefetch(cuckoo_at(c->table, at.at[0], width));
    __builtin_prefetch(cuckoo_at(c->table, at.at[1], width));
    return at;
}

static inline void window_open(window *w, const bpk_cuckoo *c, const uint64_t *hash, size_t n, unsigned width) {
    w->c = c;
    w->hash = hash;
    w->n = n;
    for (size_t i = 0; i < n && i < AHEAD; i++) w->ring[i] = fetched(c, hash[i], width);
}

/* Item i; to be called for each in turn. */
static inline place window_next(window *w, size_t i, unsigned width) {
    place at = w->ring[i % AHEAD];
    if (w->n - i > AHEAD) w->ring[i % AHEAD] = fetched(w->c, w->hash[i + AHEAD], width);
    return at;
}

/* ---- one bucket ---- */

/* Not 0 where one of the four numbers is fp: subtracting 1 from each borrows from the first that is 0 once fp is taken
 * off all. */
static inline uint64_t bucket_has(uint64_t bucket, uint64_t fp, unsigned width) {
    const uint64_t ones = width == 16 ? UINT64_C(0x0001000100010001) : UINT64_C(0x001001001001);
    uint64_t x = bucket ^ fp * ones;
    return (x - ones) & ~x & ones << (width - 1);
}

static unsigned bucket_copies(uint64_t bucket, uint64_t fp, unsigned width) {
    unsigned n = 0;
    for (unsigned i = 0; i < CUCKOO_SLOTS; i++) n += cuckoo_slot(bucket, i, width) == fp;
    return n;
}

/* ---- asking ---- */

static inline bool place_has(const bpk_cuckoo *c, const place *p, unsigned width) {
    uint64_t first = cuckoo_load(c->table, p->at[0], width), second = cuckoo_load(c->table, p->at[1], width);
    return (bucket_has(first, p->fp, width) | bucket_has(second, p->fp, width)) != 0;
}

static inline void has_all(const bpk_cuckoo *c, const uint64_t *hash, size_t n, uint8_t *out, unsigned width) {
    window w;
    window_open(&w, c, hash, n, width);
    for (size_t i = 0; i < n; i++) {
        place at = window_next(&w, i, width);
        out[i] = place_has(c, &at, width);
    }
}

void bpk_cuckoo_has(const bpk_cuckoo *c, const uint64_t *hash, size_t n, uint8_t *out) {
    if (c->plan.width == BPK_CUCKOO_BITS) has_all(c, hash, n, out, BPK_CUCKOO_BITS);
    else has_all(c, hash, n, out, BPK_CUCKOO_BITS_FEW);
}

static bpk_status has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    (void)err;
    bpk_cuckoo_has(as_cuckoo_const(s), hash, n, out);
    return BPK_OK;
}

static unsigned place_copies(const bpk_cuckoo *c, const place *p) {
    unsigned width = c->plan.width, n = bucket_copies(cuckoo_load(c->table, p->at[0], width), p->fp, width);
    if (p->at[0] == p->at[1]) return n;
    return n + bucket_copies(cuckoo_load(c->table, p->at[1], width), p->fp, width);
}

unsigned bpk_cuckoo_copies(const bpk_cuckoo *c, uint64_t hash) {
    place at = place_of(&c->plan, hash, c->plan.width);
    return place_copies(c, &at);
}

uint64_t bpk_cuckoo_items(const bpk_cuckoo *c) {
    return c->n;
}

double bpk_cuckoo_rate(const bpk_cuckoo *c) {
    return bpki_cuckoo_rate_at(&c->plan, (double)c->n);
}
bpk_cuckoo_config bpk_cuckoo_made_for(const bpk_cuckoo *c) {
    const cuckoo_plan *p = &c->plan;
    return (bpk_cuckoo_config){
        .domain = c->base.domain, .items = p->items, .base = p->base, .fingerprint_bits = p->width, .level = p->level};
}

uint64_t bpk_cuckoo_suspects(const bpk_cuckoo *c) {
    return c->suspects;
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    const bpk_cuckoo *c = as_cuckoo_const(s);
    double rate = bpk_cuckoo_rate(c), likely = bpki_confidence(confidence);
    (void)err;
    if (!hash) *out = bpki_certain_count(c->n);
    for (size_t i = 0; hash && i < n; i++) out[i] = bpki_copies(bpk_cuckoo_copies(c, hash[i]), rate, likely);
    return BPK_OK;
}

/* ---- adding and removing ---- */

/* False, with nothing changed, where there is no room. */
static bool place_add(bpk_cuckoo *c, const place *p) {
    unsigned width = c->plan.width;
    if (!cuckoo_bucket_full(cuckoo_load(c->table, p->at[0], width), width)) bpki_cuckoo_put(c, p->at[0], p->fp);
    else if (!cuckoo_bucket_full(cuckoo_load(c->table, p->at[1], width), width)) bpki_cuckoo_put(c, p->at[1], p->fp);
    else if (!bpki_cuckoo_make_room(c, p->at, p->fp)) return false;
    c->n++;
    return true;
}

static bpk_status no_room(const bpk_cuckoo *c, const place *p, bpk_err *err) {
    unsigned most = p->at[0] == p->at[1] ? CUCKOO_SLOTS : 2 * CUCKOO_SLOTS;
    return bpki_fail(err, BPK_E_FULL, place_copies(c, p) == most ? "copies" : "slots");
}

bpk_status bpk_cuckoo_add(bpk_cuckoo *c, const uint64_t *hash, size_t n, size_t *done, bpk_err *err) {
    window w;
    window_open(&w, c, hash, n, c->plan.width);
    for (size_t i = 0; i < n; i++) {
        place at = window_next(&w, i, c->plan.width);
        if (done) *done = i;
        if (!place_add(c, &at)) return no_room(c, &at, err);
    }
    if (done) *done = n;
    return BPK_OK;
}

bpk_status bpk_cuckoo_add_new(bpk_cuckoo *c, const uint64_t *hash, size_t n, uint8_t *stored, size_t *done,
                              bpk_err *err) {
    window w;
    window_open(&w, c, hash, n, c->plan.width);
    for (size_t i = 0; i < n; i++) {
        place at = window_next(&w, i, c->plan.width);
        bool is_new = !place_has(c, &at, c->plan.width);
        if (done) *done = i;
        if (is_new && !place_add(c, &at)) return no_room(c, &at, err);
        if (stored) stored[i] = is_new;
    }
    if (done) *done = n;
    return BPK_OK;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_status st = bpk_cuckoo_add(as_cuckoo(s), it->hash, it->n, done, NULL);
    if (changed && *done) memset(changed, 1, *done);
    return st;
}

static bpk_status remove_items(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err) {
    bpk_cuckoo *c = as_cuckoo(s);
    window w;
    (void)err;
    window_open(&w, c, hash, n, c->plan.width);
    for (size_t i = 0; i < n; i++) {
        place at = window_next(&w, i, c->plan.width);
        bool there = bpki_cuckoo_take(c, at.at[0], at.fp) || bpki_cuckoo_take(c, at.at[1], at.fp);
        c->n -= there;
        c->suspects += !there && c->suspects < UINT64_MAX;
        if (removed) removed[i] = there;
    }
    return BPK_OK;
}

/* Which of two equal fingerprints is whose is not known, so that what both tables have can neither be kept once nor
 * twice. */
static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    (void)dst, (void)src;
    return bpki_fail_value(err, BPK_E_UNSUPPORTED, "merge", "cuckoo");
}

static bool splittable(const bpk_sketch *s) {
    (void)s;
    return false;
}

/* ---- what it is ---- */

static double load_of(const bpk_cuckoo *c) {
    return (double)c->n / (CUCKOO_SLOTS * (double)c->plan.buckets);
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_cuckoo *c = as_cuckoo_const(s);
    const cuckoo_plan *p = &c->plan;
    bpki_walk_number(w, "fingerprint_bits", p->width, BPK_UNIT_NONE);
    bpki_walk_number(w, "buckets", (double)p->buckets, BPK_UNIT_NONE);
    bpki_walk_number(w, "base", (double)p->base, BPK_UNIT_NONE);
    bpki_walk_number(w, "level", p->level, BPK_UNIT_NONE);
    bpki_walk_number(w, "body_bytes", (double)cuckoo_bytes(p), BPK_UNIT_BYTES);
    bpki_walk_number(w, "planned_items", (double)p->items, BPK_UNIT_ITEMS);
    bpki_walk_text(w, "on_full", policies[0]);
    bpki_walk_number(w, "rate_asked", bpki_cuckoo_rate_at(p, (double)p->items), BPK_UNIT_SHARE);
    bpki_walk_number(w, "rate_now", bpk_cuckoo_rate(c), BPK_UNIT_SHARE);
    bpki_walk_estimate(w, "items", bpki_certain_count(c->n), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "fill", load_of(c), BPK_UNIT_SHARE);
    bpki_walk_number(w, "suspects", (double)c->suspects, BPK_UNIT_ITEMS);
}

static bpk_state state_of(const bpk_cuckoo *c, bool *full, bool *planned) {
    *full = c->n == CUCKOO_SLOTS * c->plan.buckets;
    *planned = c->n >= c->plan.items;
    if (c->n >= c->plan.items + c->plan.items / 2 && c->n > c->plan.items) return BPK_HEALTH_OVER;
    return *planned || c->suspects ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
}

static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_cuckoo *c = as_cuckoo_const(s);
    bool full, planned;
    bpk_state state = state_of(c, &full, &planned);
    h->rate_now = h->error_now = bpk_cuckoo_rate(c);
    h->rate_asked = bpki_cuckoo_rate_at(&c->plan, (double)c->plan.items);
    h->planned = (double)c->plan.items;
    h->items = bpki_certain_count(c->n);
    h->fill = load_of(c);
    h->reason = state == BPK_HEALTH_OVER ? "half as much again as planned, or more"
                : full                   ? "every place is taken"
                : c->suspects            ? "items were removed that had not been added: others may be missing"
                : planned                ? "as many items as planned, or more"
                                         : "within its plan";
    return state;
}

const bpki_ops bpki_cuckoo_ops = {
    .kind = BPK_KIND_CUCKOO,
    .name = "cuckoo",
    .question = "seen before, and not removed?",
    .params_n = 32,
    .grows = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = release,
    .memory = memory,
    .body_size = bpki_cuckoo_body_size,
    .encode_params = bpki_cuckoo_encode_params,
    .encode_body = bpki_cuckoo_encode_body,
    .decode = bpki_cuckoo_decode,
    .view = bpki_cuckoo_view,
    .info = info,
    .health = health,
    .splittable = splittable,
    .has = has,
    .remove = remove_items,
    .count = count,
};
