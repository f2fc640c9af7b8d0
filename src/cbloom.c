/* cbloom.c - layer 2: a Bloom filter from which items can be removed. Counters of four bits, two a byte.
 *
 *     positions of an item, as the classic filter has them:   p_0 = mulhi(hash, m), p_1 = mulhi(next(hash), m), ...
 *     counter i is the low (i even) or high half of byte i / 2
 *     add: +1 on each      remove: -1 on each, if none is 0      15 stays for ever
 *
 * An item whose positions fall together touches that counter once: all counters are read, then all are written, so that
 * writing one twice writes the same number. Adding and removing touch the same counters by the same amount, hence what
 * was removed has never been there, unless a counter was at its end.
 *
 * In memory as in form view. Form small writes a counter c as c zeros and a one, its best prefix code at and below the
 * plan, where halves of the counters are 0, a third are 1 and so on (docs/adr/0012-counting-filter.md).
 */
#include <ballpark/cbloom.h>

#include "bits.h"
#include "filter.h"
#include "room.h"

enum {
    PARAMS_N = 32,
    END = 15,     /* of a counter */
    IN_WORD = 16, /* counters of a word */
    RAW = 0,      /* codings */
    UNARY = 1,
};

struct bpk_cbloom {
    bpk_sketch base;
    bpki_filter plan; /* of the classic filter: units are counters */
    const uint8_t *cells;
    uint64_t bytes;
    uint8_t *own;         /* the same cells, or NULL in a view */
    uint64_t used, stuck; /* counters that are not 0, that are at their end */
    uint64_t refused;
    uint64_t most; /* counters in use from which a new item is refused, by the plan */
};
_Static_assert(sizeof(struct bpk_cbloom) <= sizeof(bpk_view), "a filter fits into a view");

extern const bpki_ops bpki_cbloom_ops;

static bpk_cbloom *as_cbloom(bpk_sketch *s) {
    return (bpk_cbloom *)s;
}
static const bpk_cbloom *as_cbloom_const(const bpk_sketch *s) {
    return (const bpk_cbloom *)s;
}
const bpk_cbloom *bpk_as_cbloom(const bpk_sketch *s) {
    return s->ops == &bpki_cbloom_ops ? as_cbloom_const(s) : NULL;
}

/* Bytes of all counters: whole 64-bit words. */
static uint64_t bytes_of(const bpki_filter *p) {
    return (p->units + IN_WORD - 1) / IN_WORD * 8;
}

/* ---- counters ---- */

static unsigned cell_get(const uint8_t *cells, uint64_t i) {
    return (unsigned)cells[i / 2] >> (i % 2 * 4) & END;
}

/* Returns the value before. */
static unsigned cell_put(uint8_t *cells, uint64_t i, unsigned v) {
    unsigned shift = (unsigned)(i % 2) * 4, was = cells[i / 2];
    cells[i / 2] = (uint8_t)((was & ~((unsigned)END << shift)) | v << shift);
    return was >> shift & END;
}

/* What all counters hold. */
typedef struct census {
    uint64_t used, stuck, sum;
} census;

/* Sixteen counters a step: bit 0 of each half byte says what is asked. */
static census count_cells(const uint8_t *cells, uint64_t bytes) {
    const uint64_t ones = UINT64_C(0x1111111111111111), low = UINT64_C(0x0F0F0F0F0F0F0F0F);
    census all = {0, 0, 0};
    for (uint64_t at = 0; at < bytes; at += 8) {
        uint64_t w = bpki_load64(cells + at), pairs = (w & low) + (w >> 4 & low);
        all.used += (uint64_t)__builtin_popcountll((w | w >> 1 | w >> 2 | w >> 3) & ones);
        all.stuck += (uint64_t)__builtin_popcountll(w & w >> 1 & w >> 2 & w >> 3 & ones);
        all.sum += (pairs * UINT64_C(0x0101010101010101)) >> 56;
    }
    return all;
}

static void look(bpk_cbloom *c) {
    census all = count_cells(c->cells, c->bytes);
    c->used = all.used;
    c->stuck = all.stuck;
}

/* ---- making and freeing ---- */

static bpki_filter plan_of(uint64_t items, double rate, uint8_t on_full) {
    bpki_filter p = {.layout = BPKI_FILTER_CLASSIC, .on_full = on_full, .items = items, .rate = rate};
    bpki_filter_size(&p);
    return p;
}

static uint64_t most_of(const bpki_filter *p) {
    return p->on_full == BPK_FULL_ERROR ? bpki_filter_over_at(p) : UINT64_MAX;
}

static bpk_status make(bpk_cbloom **out, const bpk_domain *d, const bpki_filter *plan, const bpk_env *env) {
    void *object, *cells;
    uint64_t bytes = bytes_of(plan);
    env = bpki_env(env);
    if (bytes > SIZE_MAX) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, sizeof(bpk_cbloom), &object));
    bpk_cbloom *c = object;
    bpk_status st = bpki_sketch_init(&c->base, &bpki_cbloom_ops, d, env);
    if (st == BPK_OK) st = bpki_alloc(env, (size_t)bytes, &cells);
    if (st != BPK_OK) {
        bpki_release(env, c, sizeof *c);
        return st;
    }
    c->plan = *plan;
    c->most = most_of(plan);
    c->cells = c->own = cells;
    c->bytes = bytes;
    *out = c;
    return BPK_OK;
}

bpk_status bpk_cbloom_new(bpk_cbloom **out, const bpk_cbloom_config *cfg, const bpk_env *env) {
    if (bpki_filter_fault(cfg->items, cfg->rate, cfg->on_full)) return BPK_E_ARG;
    bpki_filter plan = plan_of(cfg->items, cfg->rate, cfg->on_full);
    return make(out, &cfg->domain, &plan, env);
}

uint64_t bpk_cbloom_bits(const bpk_cbloom_config *cfg) {
    if (bpki_filter_fault(cfg->items, cfg->rate, cfg->on_full)) return 0;
    return 4 * plan_of(cfg->items, cfg->rate, cfg->on_full).units;
}

static bpk_status plan_from(bpki_filter *out, bpki_params *ps, bpk_err *err) {
    uint64_t items = bpki_param_count(ps, "items", 1);
    bpki_param_missing(ps, "items");
    double rate = bpki_param_share(ps, "rate", 0.01);
    uint8_t on_full = (uint8_t)bpki_param_word(ps, "on_full", bpki_filter_policies, BPK_FULL_ERROR);
    const char *fault = bpki_filter_fault(items, rate, on_full);
    if (fault) bpki_param_fail(ps, fault);
    BPK_TRY(bpki_params_end(ps, err));
    *out = plan_of(items, rate, on_full);
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpki_filter plan;
    (void)items; /* all counters are there from the start */
    BPK_TRY(plan_from(&plan, ps, err));
    *out = (bpki_cost){.memory = sizeof(bpk_cbloom) + bytes_of(&plan), .body = bytes_of(&plan)};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_cbloom *c;
    bpki_filter plan;
    BPK_TRY(plan_from(&plan, ps, err));
    BPK_TRY(make(&c, d, &plan, env));
    *out = &c->base;
    return BPK_OK;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_cbloom *c;
    BPK_TRY(make(&c, &s->domain, &as_cbloom_const(s)->plan, env));
    *out = &c->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_cbloom *from = as_cbloom_const(s);
    BPK_TRY(twin(out, s, env));
    bpk_cbloom *c = as_cbloom(*out);
    memcpy(c->own, from->cells, (size_t)c->bytes);
    c->used = from->used;
    c->stuck = from->stuck;
    c->refused = from->refused;
    return BPK_OK;
}

static void reset(bpk_sketch *s) {
    bpk_cbloom *c = as_cbloom(s);
    memset(c->own, 0, (size_t)c->bytes);
    c->used = c->stuck = c->refused = 0;
}

static void release(bpk_sketch *s) {
    bpk_cbloom *c = as_cbloom(s);
    bpk_env env = s->env;
    bpki_release(&env, c->own, (size_t)c->bytes);
    bpki_release(&env, c, sizeof *c);
}

static size_t memory(const bpk_sketch *s) {
    const bpk_cbloom *c = as_cbloom_const(s);
    return sizeof *c + (c->own ? (size_t)c->bytes : 0);
}

/* ---- one item ---- */

/* The counters of an item: where they are and what they hold. */
typedef struct touched {
    uint64_t at[BPKI_FILTER_HASHES_MAX];
    uint8_t value[BPKI_FILTER_HASHES_MAX];
    unsigned least;
} touched;

static void touch(touched *t, const bpk_cbloom *c, uint64_t hash) {
    bpki_filter_probes(hash, c->plan.k, c->plan.units, t->at);
    t->least = END;
    for (unsigned j = 0; j < c->plan.k; j++) {
        t->value[j] = (uint8_t)cell_get(c->cells, t->at[j]);
        if (t->value[j] < t->least) t->least = t->value[j];
    }
}

/* Whether a counter has changed. */
static bool raise(bpk_cbloom *c, const touched *t) {
    bool changed = false;
    for (unsigned j = 0; j < c->plan.k; j++) {
        if (t->value[j] == END) continue;
        unsigned to = t->value[j] + 1u, was = cell_put(c->own, t->at[j], to);
        c->used += was == 0;
        c->stuck += was != to && to == END;
        changed = true;
    }
    return changed;
}

static void lower(bpk_cbloom *c, const touched *t) {
    for (unsigned j = 0; j < c->plan.k; j++) {
        if (t->value[j] == END) continue;
        unsigned to = t->value[j] - 1u, was = cell_put(c->own, t->at[j], to);
        c->used -= was != to && to == 0;
    }
}

/* ---- batches ---- */

static void fetch(const bpk_cbloom *c, uint64_t hash) {
    for (unsigned j = 0; j < c->plan.k; j++, hash = bpki_filter_next(hash))
        __builtin_prefetch(c->cells + bpki_mulhi(hash, c->plan.units) / 2, 1);
}

/* Before the first item of a batch, and before each one. */
static void fetch_first(const bpk_cbloom *c, const uint64_t *hash, size_t n, size_t ahead) {
    for (size_t i = 0; i < n && i < ahead; i++) fetch(c, hash[i]);
}
static void fetch_next(const bpk_cbloom *c, const uint64_t *hash, size_t n, size_t i, size_t ahead) {
    if (ahead && n - i > ahead) fetch(c, hash[i + ahead]);
}

/* Most strangers are known by their first counter or two. */
static bool item_has(const bpk_cbloom *c, uint64_t hash) {
    for (unsigned j = 0; j < c->plan.k; j++, hash = bpki_filter_next(hash))
        if (cell_get(c->cells, bpki_mulhi(hash, c->plan.units)) == 0) return false;
    return true;
}

void bpk_cbloom_has(const bpk_cbloom *c, const uint64_t *hash, size_t n, uint8_t *out) {
    size_t ahead = bpki_filter_ahead(c->bytes);
    fetch_first(c, hash, n, ahead);
    for (size_t i = 0; i < n; i++) {
        fetch_next(c, hash, n, i, ahead);
        out[i] = item_has(c, hash[i]);
    }
}

static bpk_status has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    (void)err;
    bpk_cbloom_has(as_cbloom_const(s), hash, n, out);
    return BPK_OK;
}

/* An item that is in already, or seems to be, takes no further counter into use and is never refused. */
static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_cbloom *c = as_cbloom(s);
    size_t ahead = bpki_filter_ahead(c->bytes);
    touched t;
    fetch_first(c, it->hash, it->n, ahead);
    for (size_t i = 0; i < it->n; i++) {
        fetch_next(c, it->hash, it->n, i, ahead);
        touch(&t, c, it->hash[i]);
        *done = i;
        if (t.least == 0 && c->used >= c->most) return BPK_E_FULL;
        bool raised = raise(c, &t);
        if (changed) changed[i] = raised;
    }
    *done = it->n;
    return BPK_OK;
}

static bpk_status remove_items(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err) {
    bpk_cbloom *c = as_cbloom(s);
    size_t ahead = bpki_filter_ahead(c->bytes);
    touched t;
    (void)err;
    fetch_first(c, hash, n, ahead);
    for (size_t i = 0; i < n; i++) {
        fetch_next(c, hash, n, i, ahead);
        touch(&t, c, hash[i]);
        if (t.least == 0) c->refused++;
        else lower(c, &t);
        if (removed) removed[i] = t.least > 0;
    }
    return BPK_OK;
}

/* ---- merging ---- */

/* Sums of counters that stay at their end, two halves at a time. */
static uint8_t cells_sum(uint8_t a, uint8_t b) {
    unsigned low = (a & END) + (b & END), high = (a >> 4) + (b >> 4);
    return (uint8_t)((low < END ? low : END) | (high < END ? high : END) << 4);
}

static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_cbloom *a = as_cbloom(dst);
    const bpk_cbloom *b = as_cbloom_const(src);
    if (a->plan.k != b->plan.k) return bpki_mismatch(err, "hashes", a->plan.k, b->plan.k);
    if (a->plan.units != b->plan.units) return bpki_mismatch(err, "counters", a->plan.units, b->plan.units);
    for (uint64_t i = 0; i < a->bytes; i++) a->own[i] = cells_sum(a->own[i], b->cells[i]);
    bpki_filter_unite(&a->plan, &b->plan);
    a->most = most_of(&a->plan);
    a->refused += b->refused;
    look(a);
    return BPK_OK;
}

/* ---- answers ---- */

bpk_estimate bpk_cbloom_count(const bpk_cbloom *c, uint64_t hash) {
    touched t;
    touch(&t, c, hash);
    return bpki_certain(t.least, 0, t.least, t.least == END);
}

double bpk_cbloom_rate(const bpk_cbloom *c) {
    double rate = 1;
    for (unsigned j = 0; j < c->plan.k; j++) rate *= (double)c->used / (double)c->plan.units;
    return rate;
}

bpk_estimate bpk_cbloom_items(const bpk_cbloom *c, double confidence) {
    return bpki_filter_items_of(&c->plan, c->used, confidence);
}

uint64_t bpk_cbloom_stuck(const bpk_cbloom *c) {
    return c->stuck;
}

uint64_t bpk_cbloom_refused(const bpk_cbloom *c) {
    return c->refused;
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    const bpk_cbloom *c = as_cbloom_const(s);
    (void)err;
    if (!hash) *out = bpk_cbloom_items(c, confidence);
    for (size_t i = 0; hash && i < n; i++) out[i] = bpk_cbloom_count(c, hash[i]);
    return BPK_OK;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_cbloom *c = as_cbloom_const(s);
    const bpki_filter *p = &c->plan;
    bpki_walk_number(w, "hashes", p->k, BPK_UNIT_NONE);
    bpki_walk_number(w, "counters", (double)p->units, BPK_UNIT_NONE);
    bpki_walk_number(w, "counter_bits", 4, BPK_UNIT_NONE);
    bpki_walk_number(w, "body_bytes", (double)c->bytes, BPK_UNIT_BYTES);
    bpki_walk_number(w, "planned_items", (double)p->items, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "rate_asked", p->rate, BPK_UNIT_SHARE);
    bpki_walk_number(w, "rate_now", bpk_cbloom_rate(c), BPK_UNIT_SHARE);
    bpki_walk_estimate(w, "items", bpk_cbloom_items(c, BPK_CONFIDENCE), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "fill", (double)c->used / (double)p->units, BPK_UNIT_SHARE);
    bpki_walk_number(w, "saturated", (double)c->stuck, BPK_UNIT_NONE);
    bpki_walk_number(w, "removals_refused", (double)c->refused, BPK_UNIT_ITEMS);
    bpki_walk_text(w, "on_full", bpki_filter_policies[p->on_full]);
}

/* A stuck counter is no danger to a "no", but nothing takes it out of use any more. */
static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_cbloom *c = as_cbloom_const(s);
    h->rate_now = h->error_now = bpk_cbloom_rate(c);
    h->rate_asked = c->plan.rate;
    h->planned = (double)c->plan.items;
    h->items = bpk_cbloom_items(c, BPK_CONFIDENCE);
    h->fill = (double)c->used / (double)c->plan.units;
    h->saturated = (double)c->stuck;
    bpk_state state = bpki_filter_state(&c->plan, c->used, h->rate_now, &h->reason);
    if (c->used == c->plan.units) h->reason = "every counter is in use: it says yes to everything";
    if (state != BPK_HEALTH_OK || c->stuck == 0) return state;
    h->reason = "some counters are at their end and stay there";
    return BPK_HEALTH_WARN;
}

/* ---- bytes ---- */

/* Form small's: a one for every counter, and a zero for all that they hold. */
static uint64_t unary_bytes(const bpk_cbloom *c) {
    return (c->plan.units + count_cells(c->cells, c->bytes).sum + 7) / 8;
}

static uint64_t body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_cbloom *c = as_cbloom_const(s);
    uint64_t unary = f == BPK_FORM_SMALL ? unary_bytes(c) : c->bytes;
    return unary < c->bytes ? unary : c->bytes;
}

static void encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cbloom *c = as_cbloom_const(s);
    bpki_out_u8(o, c->plan.k);
    bpki_out_u8(o, c->plan.on_full);
    bpki_out_u8(o, bpki_out_body_n(o) < c->bytes ? UNARY : RAW);
    bpki_out_zeros(o, 5);
    bpki_out_u64(o, c->plan.units);
    bpki_out_u64(o, c->plan.items);
    bpki_out_f64(o, c->plan.rate);
    (void)f;
}

static void encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cbloom *c = as_cbloom_const(s);
    bpki_bit_out w = {.o = o};
    (void)f;
    if (bpki_out_body_n(o) == c->bytes) {
        bpki_out_bytes(o, c->cells, (size_t)c->bytes);
        return;
    }
    for (uint64_t i = 0; i < c->plan.units; i++) bpki_put_unary(&w, cell_get(c->cells, i));
    bpki_put_end(&w);
}

/* The parameters; *coding becomes theirs. */
static bpk_status read_plan(bpki_filter *p, uint8_t *coding, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, PARAMS_N, e->start);
    *p = (bpki_filter){.layout = BPKI_FILTER_CLASSIC, .k = bpki_in_u8(&r, "hashes")};
    if (p->k < 1 || p->k > BPKI_FILTER_HASHES_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "hashes");
    p->on_full = bpki_in_u8(&r, "on_full");
    if (p->on_full > BPK_FULL_DEGRADE) bpki_in_fail(&r, BPK_E_CORRUPT, "on_full");
    *coding = bpki_in_u8(&r, "coding");
    if (*coding > UNARY) bpki_in_fail(&r, BPK_E_VERSION, "coding");
    if (*coding == UNARY && e->form == BPK_FORM_VIEW) bpki_in_fail(&r, BPK_E_CORRUPT, "coding");
    bpki_in_zeros(&r, 5, "reserved");
    p->units = bpki_in_u64(&r, "counters");
    if (p->units < 1 || p->units > UINT64_C(1) << 54) bpki_in_fail(&r, BPK_E_CORRUPT, "counters");
    p->items = bpki_in_u64(&r, "items");
    p->rate = bpki_in_f64(&r, "rate");
    const char *fault = bpki_filter_fault(p->items, p->rate, p->on_full);
    if (fault) bpki_in_fail(&r, BPK_E_CORRUPT, fault);
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    uint64_t bytes = bytes_of(p);
    bool fits = *coding == RAW ? e->body_n == bytes : e->body_n < bytes && e->body_n >= (p->units + 7) / 8;
    return fits ? BPK_OK : bpki_fail_at(err, BPK_E_CORRUPT, "body", (size_t)(e->body - e->start));
}

/* Counters behind the last one would be invisible to answers. */
static bpk_status check_spare(const bpki_filter *p, const bpki_envelope *e, bpk_err *err) {
    uint64_t spare_from = p->units % IN_WORD * 4;
    const uint8_t *last = e->body + (e->body_n - 8);
    if (spare_from == 0 || bpki_load64(last) >> spare_from == 0) return BPK_OK;
    return bpki_fail_at(err, BPK_E_CORRUPT, "spare counters", (size_t)(last - e->start));
}

static bpk_status read_unary(bpk_cbloom *c, const bpki_envelope *e, bpk_err *err) {
    bpki_bit_in r = {.p = e->body, .end = e->body_n * 8, .ok = true};
    for (uint64_t i = 0; i < c->plan.units && r.ok; i++) cell_put(c->own, i, (unsigned)bpki_get_unary(&r, END));
    if (!bpki_bits_end(&r)) return bpki_fail_at(err, BPK_E_CORRUPT, "counters", (size_t)(e->body - e->start));
    return BPK_OK;
}

static bpk_status read_cells(bpk_cbloom *c, uint8_t coding, const bpki_envelope *e, bpk_err *err) {
    if (coding == UNARY) BPK_TRY(read_unary(c, e, err));
    else memcpy(c->own, e->body, (size_t)c->bytes);
    if (body_size(&c->base, (bpk_form)e->form) != e->body_n) /* raw where unary is shorter */
        return bpki_fail_at(err, BPK_E_CORRUPT, "coding", (size_t)(e->params - e->start) + 2);
    look(c);
    return BPK_OK;
}

static bpk_status decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    bpki_filter plan;
    bpk_cbloom *c;
    uint8_t coding;
    BPK_TRY(read_plan(&plan, &coding, e, err));
    if (coding == RAW) BPK_TRY(check_spare(&plan, e, err));
    bpk_status st = make(&c, &e->domain, &plan, env);
    if (st != BPK_OK) return bpki_fail(err, st, "body");
    st = read_cells(c, coding, e, err);
    if (st == BPK_OK) *out = &c->base;
    else release(&c->base);
    return st;
}

static bpk_status view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    bpk_cbloom *c = (bpk_cbloom *)(void *)v;
    bpki_filter plan;
    uint8_t coding;
    BPK_TRY(read_plan(&plan, &coding, e, err));
    BPK_TRY(check_spare(&plan, e, err));
    memset(c, 0, sizeof *c);
    BPK_TRY(bpki_sketch_init(&c->base, &bpki_cbloom_ops, &e->domain, NULL));
    c->plan = plan;
    c->cells = e->body;
    c->bytes = e->body_n;
    look(c);
    return BPK_OK;
}

const bpki_ops bpki_cbloom_ops = {
    .kind = BPK_KIND_CBLOOM,
    .name = "cbloom",
    .question = "seen before, and still in?",
    .params_n = PARAMS_N,
    .panes = true,
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
    .has = has,
    .remove = remove_items,
    .count = count,
};
