/* theta.c - layer 2: how many different items, and how many in both? Making, adding, merging, counting.
 *
 *     0 ........ theta .................................. 2^52
 *     | x x xx x | never kept                               |     x: values of the sample, in an open-addressing table
 *
 * Of n different items a share theta / 2^52 is sampled, whoever samples: two sketches hold the same values below the
 * smaller theta, so that what both hold is a sample of the intersection, and what one holds alone one of the
 * difference. theta_set.c has the operations, theta_sort.c the order, theta_wire.c the bytes, docs/rooms/theta.md the
 * limits.
 */
#include <math.h>

#include "theta_state.h"

static bpk_theta *as_theta(bpk_sketch *s) {
    return (bpk_theta *)s;
}
static const bpk_theta *as_theta_const(const bpk_sketch *s) {
    return (const bpk_theta *)s;
}
const bpk_theta *bpk_as_theta(const bpk_sketch *s) {
    return s->ops == &bpki_theta_ops ? as_theta_const(s) : NULL;
}
uint32_t bpk_theta_k(const bpk_theta *t) {
    return t->k;
}

/* ---- making and freeing ---- */

static size_t table_size(unsigned lg) {
    return sizeof(uint64_t) << lg;
}

static void free_values(bpk_theta *t) {
    if (t->slot) bpki_release(&t->base.env, t->slot, table_size(t->lg));
    if (t->owned) bpki_release(&t->base.env, (void *)(uintptr_t)t->sorted, t->owned);
    t->slot = NULL;
    t->sorted = NULL;
    t->owned = 0;
    t->n = 0;
}

bpk_status bpki_theta_make(bpk_theta **out, const bpk_domain *d, uint32_t k, const bpk_env *env) {
    void *object;
    BPK_TRY(bpki_alloc(bpki_env(env), sizeof(bpk_theta), &object));
    bpk_theta *t = object;
    bpk_status st = bpki_sketch_init(&t->base, &bpki_theta_ops, d, env);
    if (st != BPK_OK) {
        bpki_release(bpki_env(env), t, sizeof *t);
        return st;
    }
    t->k = k;
    t->theta = THETA_ONE;
    t->salt = bpki_salt(t);
    *out = t;
    return BPK_OK;
}

/* Memory that is at least half full and begins with the values is kept as it is. */
static bool worth_keeping(const theta_list *l) {
    return l->own == (const void *)l->at && l->bytes <= 16 * (size_t)l->n;
}

static bpk_status move_list(theta_list *to, theta_list *from, const bpk_env *env) {
    if (worth_keeping(from)) {
        *to = *from;
        return BPK_OK;
    }
    BPK_TRY(bpki_theta_list_new(to, from->n, env));
    if (to->n) memcpy(to->own, from->at, to->bytes);
    bpki_theta_drop(from, env);
    return BPK_OK;
}

bpk_status bpki_theta_from(bpk_theta **out, const bpk_domain *d, uint32_t k, uint64_t theta, theta_list *values,
                           const bpk_env *env) {
    bpk_theta *made;
    theta_list kept;
    env = bpki_env(env);
    bpk_status st = bpki_theta_make(&made, d, k, env);
    if (st == BPK_OK && (st = move_list(&kept, values, env)) != BPK_OK) bpki_release(env, made, sizeof *made);
    if (st != BPK_OK) {
        bpki_theta_drop(values, env);
        return st;
    }
    made->theta = theta;
    made->n = kept.n;
    made->sorted = kept.own;
    made->owned = kept.bytes;
    *out = made;
    return BPK_OK;
}

bpk_status bpk_theta_new(bpk_theta **out, const bpk_theta_config *cfg, const bpk_env *env) {
    if (cfg->k < BPK_THETA_K_MIN || cfg->k > BPK_THETA_K_MAX) return BPK_E_ARG;
    return bpki_theta_make(out, &cfg->domain, cfg->k, env);
}

static bpk_status config_from(bpk_theta_config *out, bpki_params *ps, bpk_err *err) {
    uint64_t k = bpki_param_count(ps, "k", BPK_THETA_K);
    if (k < BPK_THETA_K_MIN || k > BPK_THETA_K_MAX) bpki_param_fail(ps, "k");
    BPK_TRY(bpki_params_end(ps, err));
    *out = (bpk_theta_config){.k = (uint32_t)k};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_theta_config cfg;
    bpk_theta *t;
    BPK_TRY(config_from(&cfg, ps, err));
    BPK_TRY(bpki_theta_make(&t, d, cfg.k, env));
    *out = &t->base;
    return BPK_OK;
}

static void release(bpk_sketch *s) {
    bpk_env env = s->env;
    free_values(as_theta(s));
    bpki_release(&env, s, sizeof(bpk_theta));
}

static void reset(bpk_sketch *s) {
    free_values(as_theta(s));
    as_theta(s)->theta = THETA_ONE;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_theta *made;
    BPK_TRY(bpki_theta_make(&made, &s->domain, as_theta_const(s)->k, env));
    *out = &made->base;
    return BPK_OK;
}

static size_t memory(const bpk_sketch *s) {
    const bpk_theta *t = as_theta_const(s);
    return sizeof *t + (t->slot ? table_size(t->lg) : t->owned);
}

/* ---- the table ---- */

enum { LG_FIRST = 3 };

/* Three quarters of the slots; the largest table has 2k slots or more, so that it holds k values and some beyond. */
static uint32_t room_of(unsigned lg) {
    return UINT32_C(3) << (lg - 2);
}
static unsigned lg_for(uint32_t values) {
    unsigned lg = LG_FIRST;
    while (room_of(lg) < values) lg++;
    return lg;
}
static unsigned lg_most(uint32_t k) {
    unsigned lg = LG_FIRST;
    while (UINT64_C(1) << lg < UINT64_C(2) * k) lg++;
    return lg;
}

static uint64_t *slot_in(uint64_t *table, unsigned lg, uint64_t salt, uint64_t value) {
    uint64_t mask = (UINT64_C(1) << lg) - 1, i = value * salt >> (64 - lg);
    while (table[i] && table[i] != value + 1) i = (i + 1) & mask;
    return &table[i];
}

/* Moves the values below theta to a table of 2^lg slots, in the order of their slots: they are where the upper bits of
 * value * salt say, so that they stay spread as they were. */
static bpk_status rebuild(bpk_theta *t, unsigned lg, uint64_t theta) {
    void *p;
    size_t places = t->slot ? (size_t)1 << t->lg : t->n;
    uint32_t kept = 0;
    BPK_TRY(bpki_alloc(&t->base.env, table_size(lg), &p));
    for (size_t i = 0; i < places; i++) {
        uint64_t value = t->slot ? t->slot[i] - 1 : theta_at(t->sorted, i);
        if (value >= theta) continue;
        *slot_in(p, lg, t->salt, value) = value + 1;
        kept++;
    }
    free_values(t);
    t->slot = p;
    t->lg = (uint8_t)lg;
    t->n = kept;
    t->theta = theta;
    return BPK_OK;
}

/* ---- cutting ---- */

enum { RADIX_BITS = 8, RADIX = 1 << RADIX_BITS, FEW = 128 };

/* How many values begin with `found` above bit `above`, by the `width` bits that follow. */
static void count_digits(uint32_t count[RADIX], const bpk_theta *t, uint64_t found, unsigned above, unsigned width) {
    memset(count, 0, RADIX * sizeof *count);
    for (size_t i = 0; i < (size_t)1 << t->lg; i++) {
        uint64_t value = t->slot[i] - 1; /* a free slot is above all */
        if (value >> above == found >> above) count[value >> (above - width) & ((1u << width) - 1)]++;
    }
}

/* The value of a rank among the few that begin with `found` above bit `above`. */
static uint64_t value_of_few(const bpk_theta *t, uint32_t rank, uint64_t found, unsigned above) {
    uint64_t few[FEW];
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)1 << t->lg; i++) {
        uint64_t value = t->slot[i] - 1;
        if (value >> above != found >> above) continue;
        uint32_t j = n++;
        for (; j && few[j - 1] > value; j--) few[j] = few[j - 1];
        few[j] = value;
    }
    return few[rank];
}

/* The value of a rank (0 is the smallest), digit by digit from the first that theta leaves open, until few are left: of
 * hashes they are after one digit. */
static uint64_t value_of_rank(const bpk_theta *t, uint32_t rank) {
    uint64_t found = 0;
    unsigned above = bpki_bit_length(t->theta - 1);
    for (;;) {
        unsigned width = above < RADIX_BITS ? above : RADIX_BITS;
        uint32_t count[RADIX], digit = 0;
        count_digits(count, t, found, above, width);
        while (rank >= count[digit]) rank -= count[digit++];
        above -= width;
        found |= (uint64_t)digit << above;
        if (count[digit] <= FEW) return value_of_few(t, rank, found, above);
    }
}

uint64_t bpki_theta_cut(const bpk_theta *t, uint32_t *n) {
    *n = t->n < t->k ? t->n : t->k;
    return t->n > t->k ? value_of_rank(t, t->k) : t->theta;
}

/* ---- adding ---- */

/* A table with room for one more: twice the slots, or the k smallest alone. */
static bpk_status make_room(bpk_theta *t) {
    uint32_t n;
    if (!t->slot) return rebuild(t, lg_for(t->n + 1), t->theta);
    if (t->lg < lg_most(t->k)) return rebuild(t, t->lg + 1u, t->theta);
    return rebuild(t, t->lg, bpki_theta_cut(t, &n));
}

/* Adds a value below theta. */
static bpk_status add_value(bpk_theta *t, uint64_t value, bool *changed) {
    *changed = false;
    if (!t->slot) BPK_TRY(make_room(t));
    uint64_t *slot = slot_in(t->slot, t->lg, t->salt, value);
    if (*slot) return BPK_OK;
    if (t->n >= room_of(t->lg)) {
        BPK_TRY(make_room(t));
        if (value >= t->theta) return BPK_OK;
        slot = slot_in(t->slot, t->lg, t->salt, value);
    }
    *slot = value + 1;
    t->n++;
    *changed = true;
    return BPK_OK;
}

enum { STRIDE = 16 };

/* Which of n <= STRIDE hashes have values below theta, a bit each: no branch, since nobody can foretell one. */
static inline unsigned below(const uint64_t *hash, size_t n, uint64_t theta) {
    uint64_t most = (theta << THETA_ABOVE) - 1; /* theta 2^52: all */
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) found |= (unsigned)(hash[i] <= most) << i;
    return found;
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_theta *t = as_theta(s);
    if (changed && it->n) memset(changed, 0, it->n);
    for (size_t from = 0; from < it->n; from += STRIDE) {
        size_t n = it->n - from;
        unsigned found = n < STRIDE ? below(it->hash + from, n, t->theta) : below(it->hash + from, STRIDE, t->theta);
        for (; found; found &= found - 1) {
            size_t i = from + (unsigned)__builtin_ctz(found);
            uint64_t value = it->hash[i] >> THETA_ABOVE;
            bool is_new = false;
            *done = i;
            if (value >= t->theta || (it->weight && !it->weight[i])) continue; /* theta may have fallen meanwhile */
            BPK_TRY(add_value(t, value, &is_new));
            if (changed) changed[i] = is_new;
        }
    }
    *done = it->n;
    return BPK_OK;
}

/* ---- copying ---- */

bpk_status bpki_theta_fit(const bpk_theta *a, const bpk_theta *b, bpk_err *err) {
    BPK_TRY(bpki_domain_match(&a->base.domain, &b->base.domain, err));
    return a->k == b->k ? BPK_OK : bpki_mismatch(err, "k", a->k, b->k);
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_theta *t = as_theta_const(s);
    bpk_theta *made;
    size_t bytes = t->slot ? table_size(t->lg) : 8 * (size_t)t->n;
    void *p;
    BPK_TRY(bpki_theta_make(&made, &s->domain, t->k, env));
    bpk_status st = bpki_alloc(&made->base.env, bytes, &p);
    if (st != BPK_OK) {
        release(&made->base);
        return st;
    }
    if (bytes) memcpy(p, t->slot ? (const void *)t->slot : t->sorted, bytes);
    if (t->slot) made->slot = p, made->salt = t->salt; /* a view has no salt */
    else made->sorted = p, made->owned = bytes;
    made->theta = t->theta;
    made->lg = t->lg;
    made->n = t->n;
    *out = &made->base;
    return BPK_OK;
}

/* ---- questions ---- */

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_theta_config cfg;
    BPK_TRY(config_from(&cfg, ps, err));
    uint64_t kept = items < cfg.k ? items : cfg.k;
    unsigned most = lg_most(cfg.k), lg = items < room_of(most) ? lg_for((uint32_t)items) : most;
    *out = (bpki_cost){.memory = sizeof(bpk_theta) + (items ? table_size(lg) : 0), .body = 8 * kept};
    return BPK_OK;
}

/* The limits of a Poisson mean after m were seen, each passed with probability (1 - confidence) / 2 (Wilson, Hilferty
 * 1931); a share of all that is known takes its share of the spread away. */
static double limit(double m, double z, double known) {
    double c = z < 0 ? m : m + 1;
    if (c == 0) return 0;
    double root = 1 - 1 / (9 * c) + z / (3 * sqrt(c));
    return m + (c * root * root * root - m) * sqrt(1 - known);
}

double bpki_theta_by_chance(uint32_t k, size_t sets, uint64_t theta) {
    return (double)(sets < 2 ? 1 : sets - 1) * (double)k * (double)k / (double)theta;
}

bpk_estimate bpki_theta_estimate(uint64_t matches, uint32_t k, size_t sets, uint64_t theta, double confidence) {
    double m = (double)matches, share = ldexp((double)theta, -THETA_BITS);
    double c = bpki_confidence(confidence), z = bpki_z(c), chance = bpki_theta_by_chance(k, sets, theta);
    if (theta == THETA_ONE) return (bpk_estimate){m, m, m, c, BPK_EXACT};
    bpk_estimate e = {m / share, (limit(m, -z, share) - chance) / share, (limit(m, z, share) + chance) / share, c, 0};
    e.lower = fmax(e.lower, m);
    if (m < BPK_THETA_POINT_FROM) e.flags |= BPK_NO_POINT;
    if (m == 0) e.flags |= BPK_ONE_SIDED;
    if (chance > k / 2.0) {
        e.flags |= BPK_SATURATED;
        e.upper = 0x1p64;
    }
    return e;
}

bpk_estimate bpk_theta_count(const bpk_theta *t, double confidence, uint32_t *matches) {
    uint32_t n;
    uint64_t theta = bpki_theta_cut(t, &n);
    if (matches) *matches = n;
    return bpki_theta_estimate(n, t->k, 1, theta, confidence);
}

uint32_t bpk_theta_k_for(double smaller, double larger, double overlap, double error) {
    if (!(smaller >= 1 && larger >= smaller && overlap > 0 && overlap <= 1 && error > 0 && error <= 1)) return 0;
    double p = overlap * smaller / larger, k = 1 / (p * error * error + 1 / larger);
    if (k < larger) k = fmax(k, fmin(BPK_THETA_POINT_FROM / p, larger));
    k = ceil(fmin(k, larger));
    return k > BPK_THETA_K_MAX ? 0 : k < BPK_THETA_K_MIN ? BPK_THETA_K_MIN : (uint32_t)k;
}

double bpk_theta_overlap_error(double smaller, double larger, double overlap, uint32_t k) {
    double sampled = fmin(1, k / larger);
    return sqrt((1 - sampled) / (sampled * overlap * smaller));
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    (void)n;
    if (hash) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "count of an item", "theta");
    *out = bpk_theta_count(as_theta_const(s), confidence, NULL);
    return BPK_OK;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_theta *t = as_theta_const(s);
    uint32_t n;
    uint64_t theta = bpki_theta_cut(t, &n);
    bpki_walk_number(w, "k", t->k, BPK_UNIT_NONE);
    bpki_walk_number(w, "theta", ldexp((double)theta, -THETA_BITS), BPK_UNIT_SHARE);
    bpki_walk_number(w, "matches", n, BPK_UNIT_NONE);
    bpki_walk_estimate(w, "items", bpki_theta_estimate(n, t->k, 1, theta, 0), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "standard_error", theta < THETA_ONE ? 1 / sqrt(t->k) : 0, BPK_UNIT_SHARE);
}

static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_theta *t = as_theta_const(s);
    uint32_t n;
    uint64_t theta = bpki_theta_cut(t, &n);
    h->items = bpki_theta_estimate(n, t->k, 1, theta, 0);
    h->fill = (double)n / t->k;
    h->error_now = theta == THETA_ONE ? 0 : n ? fmin(1, 1 / sqrt(n)) : 1;
    h->reason = theta == THETA_ONE ? "exact so far" : "within its range";
    return BPK_HEALTH_OK;
}

const bpki_ops bpki_theta_ops = {
    .kind = BPK_KIND_THETA,
    .name = "theta",
    .question = "how many in both, or in one alone?",
    .params_n = 16,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = bpki_theta_merge,
    .merge_many = bpki_theta_merge_many,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = release,
    .memory = memory,
    .body_size = bpki_theta_body_size,
    .encode_params = bpki_theta_encode_params,
    .encode_body = bpki_theta_encode_body,
    .decode = bpki_theta_decode,
    .info = info,
    .health = health,
    .view = bpki_theta_view,
    .count = count,
};
