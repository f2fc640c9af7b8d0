/* topk.c - layer 2: which items come most often? Making, adding, one item's bounds.
 *
 * topk_state.h draws the state. A hit adds its weight to the score. A miss in a full bucket looks at the smallest score
 * m and takes its way with probability w / (b + w), b being m rounded up to a float: the newcomer starts with base b
 * and score b + w (randomized admission, Ben Basat et al. 2017). Otherwise its weight goes to the light part; so does,
 * of the evicted, what it had since its own admission. A bucket with an empty way has lost nothing: its rows are exact.
 *
 * topk_names.c keeps keys, topk_rows.c answers with lists, topk_merge.c and topk_wire.c say what their names say.
 * docs/rooms/topk.md has the proofs.
 */
#include <math.h>
#include <stdlib.h>

#include "topk_state.h"

enum { BATCH = 32, LINE = 64, LEVEL_MAX = 3 };

static const double FOUND_LN = 4.605170185988091; /* ln 100 */

static_assert(sizeof(bpk_topk) <= sizeof(bpk_view), "a view holds the object");

static bpk_topk *as_topk(bpk_sketch *s) {
    return (bpk_topk *)s;
}
static const bpk_topk *as_topk_const(const bpk_sketch *s) {
    return (const bpk_topk *)s;
}

/* ---- the light part ---- */

uint64_t bpki_topk_light_cap(unsigned level) {
    return level == LEVEL_MAX ? TOPK_SCORE_MAX : bpki_cell_max(1u << level);
}

void bpki_topk_light_start(bpki_cells *light, uint8_t *bytes, unsigned l, unsigned level) {
    light->bytes = bytes;
    light->width = UINT64_C(1) << l >> level;
    light->depth = TOPK_ROWS;
    light->cell_bytes = (uint8_t)(1u << level);
    light->cap = bpki_topk_light_cap(level);
}

/* Upper halves and lower halves of the mixed fingerprint: by their upper bits, so that halving the width joins
 * neighbours. By the fingerprint alone, so that light parts of different tables add up. */
static inline void light_places(const bpki_cells *c, uint32_t fp, uint8_t *place[TOPK_ROWS]) {
    uint64_t x = bpki_mix(fp);
    place[0] = bpki_cell_at(c, 0, bpki_cells_index(c, x));
    place[1] = bpki_cell_at(c, 1, bpki_cells_index(c, x << 32));
}

uint64_t bpki_topk_light(const bpk_topk *t, uint32_t fp) {
    uint8_t *place[TOPK_ROWS];
    light_places(&t->light, fp, place);
    uint64_t a = bpki_cell_load(place[0], t->light.cell_bytes), b = bpki_cell_load(place[1], t->light.cell_bytes);
    return a < b ? a : b;
}

/* Conservative update. Widening may raise the item's cells, so the sum is taken again. */
void bpki_topk_light_add(bpk_topk *t, uint32_t fp, uint64_t weight) {
    bpki_cells *c = &t->light;
    for (;;) {
        uint8_t *place[TOPK_ROWS];
        light_places(c, fp, place);
        uint64_t a = bpki_cell_load(place[0], c->cell_bytes), b = bpki_cell_load(place[1], c->cell_bytes);
        uint64_t sum = bpki_add_sticky(a < b ? a : b, weight, TOPK_SCORE_MAX);
        if (sum <= c->cap) {
            bpki_cell_store(place[0], c->cell_bytes, a < sum ? sum : a);
            bpki_cell_store(place[1], c->cell_bytes, b < sum ? sum : b);
            return;
        }
        bpki_cells_widen(c, c->cell_bytes == 4 ? TOPK_SCORE_MAX : bpki_cell_max(2u * c->cell_bytes));
    }
}

/* ---- making ---- */

bool bpki_topk_shape_valid(const topk_shape *s) {
    return s->k >= 1 && s->k <= TOPK_K_MAX && s->candidates >= 2 * s->k && s->candidates <= TOPK_CANDIDATES_MAX &&
           s->b >= 1 && s->b <= TOPK_BUCKETS_LG_MAX && s->l >= TOPK_LIGHT_LG_MIN && s->l <= TOPK_LIGHT_LG_MAX;
}

/* Bytes of table and light part. */
static size_t cells_of(const topk_shape *s) {
    return topk_buckets(s) * TOPK_BUCKET + ((size_t)TOPK_ROWS << s->l);
}

bpk_status bpki_topk_make(bpk_topk **out, const bpk_domain *d, const topk_shape *s, const bpk_env *env) {
    void *object, *memory;
    size_t n = cells_of(s) + LINE;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_topk), &object));
    bpk_topk *t = object;
    bpk_status st = bpki_sketch_init(&t->base, &bpki_topk_ops, d, env);
    if (st == BPK_OK) st = bpki_alloc(env, n, &memory);
    if (st != BPK_OK) {
        bpki_release(env, t, sizeof *t);
        return st;
    }
    t->shape = *s;
    t->time = bpki_moment_of(s->half_life, 0);
    t->memory = memory;
    t->memory_n = n;
    t->bucket = (uint8_t *)memory + (LINE - (uintptr_t)memory % LINE) % LINE;
    bpki_topk_light_start(&t->light, t->bucket + topk_buckets(s) * TOPK_BUCKET, s->l, 0);
    *out = t;
    return BPK_OK;
}

/* 576 entries at least, and ten a row: with fewer, items that become heavy late are lost (docs/rooms/topk.md). With 8
 * a row 3.5 % of 1,000 late rows are missed, with 10, which rounds to 18, 1.4 %. The light part takes half the bytes of
 * the table: certain bounds, for 10 ns an item and a third of the memory. */
static bool shape_of(topk_shape *s, uint64_t k, uint64_t candidates, uint64_t entries) {
    uint64_t want = entries ? entries : 10 * k > 576 ? 10 * k : 576;
    uint64_t names = candidates ? candidates : 2 * k > 200 ? 2 * k : 200;
    if (k < 1 || k > TOPK_K_MAX || names > TOPK_CANDIDATES_MAX || want > (UINT64_C(9) << TOPK_BUCKETS_LG_MAX))
        return false;
    *s = (topk_shape){(uint32_t)k, (uint32_t)(names > 2 * k ? names : 2 * k), TOPK_NAME_BYTES, 0, 1, 0};
    while (UINT64_C(9) << s->b < want) s->b++;
    unsigned l = s->b + 5u > TOPK_LIGHT_LG_MIN ? s->b + 5u : TOPK_LIGHT_LG_MIN;
    s->l = (uint8_t)(l < TOPK_LIGHT_LG_MAX ? l : TOPK_LIGHT_LG_MAX);
    return bpki_topk_shape_valid(s);
}

bpk_status bpk_topk_new(bpk_topk **out, const bpk_topk_config *cfg, const bpk_env *env) {
    topk_shape s;
    if (!shape_of(&s, cfg->k, cfg->candidates, cfg->entries)) return BPK_E_ARG;
    s.half_life = cfg->half_life;
    return bpki_topk_make(out, &cfg->domain, &s, env);
}

static double found_share(const topk_shape *s) {
    return FOUND_LN / (double)(topk_buckets(s) * TOPK_WAYS);
}

bpk_status bpk_topk_size(bpk_topk_config *cfg, double share) {
    topk_shape s;
    if (!(share > 0 && share < 1) || !shape_of(&s, cfg->k, cfg->candidates, 0)) return BPK_E_ARG;
    while (found_share(&s) > share)
        if (++s.b > TOPK_BUCKETS_LG_MAX) return BPK_E_ARG;
    cfg->entries = (uint32_t)(topk_buckets(&s) * TOPK_WAYS);
    return BPK_OK;
}

double bpk_topk_found_share(const bpk_topk_config *cfg) {
    topk_shape s;
    return shape_of(&s, cfg->k, cfg->candidates, cfg->entries) ? found_share(&s) : 0;
}

double bpk_topk_width_share(const bpk_topk_config *cfg, double confidence) {
    topk_shape s;
    if (!shape_of(&s, cfg->k, cfg->candidates, cfg->entries)) return 0;
    double cells = ldexp(1, s.l - 3), share = pow(1 - bpki_confidence(confidence), -1.0 / TOPK_ROWS) / cells;
    return share < 1 ? share : 1;
}

static bpk_status shape_from(topk_shape *out, bpki_params *ps, bpk_err *err) {
    topk_shape s = {0};
    uint64_t k = bpki_param_count(ps, "k", 10), candidates = bpki_param_count(ps, "candidates", 0);
    uint64_t entries = bpki_param_count(ps, "entries", 0);
    if (!shape_of(&s, k, 0, 0)) bpki_param_fail(ps, "k");
    if (!shape_of(&s, k, candidates, 0)) bpki_param_fail(ps, "candidates");
    if (!shape_of(&s, k, candidates, entries)) bpki_param_fail(ps, "entries");
    s.half_life = bpki_param_count(ps, "half_life", 0);
    BPK_TRY(bpki_params_end(ps, err));
    *out = s;
    return BPK_OK;
}

/* A name takes a record in memory, 8 bytes in a file, and its key in both. */
static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    topk_shape s;
    BPK_TRY(shape_from(&s, ps, err));
    uint64_t table = cells_of(&s);
    *out = (bpki_cost){.memory = sizeof(bpk_topk) + table + LINE,
                       .body = table,
                       .keys = items < s.candidates ? items : s.candidates,
                       .key_bytes = s.name_bytes_max,
                       .key_memory = sizeof(topk_name),
                       .key_body = 8};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    topk_shape s;
    bpk_topk *t;
    BPK_TRY(shape_from(&s, ps, err));
    BPK_TRY(bpki_topk_make(&t, d, &s, env));
    *out = &t->base;
    return BPK_OK;
}

void bpki_topk_release(bpk_sketch *s) {
    bpk_topk *t = as_topk(s);
    bpk_env env = s->env;
    bpki_topk_drop_names(t);
    bpki_release(&env, t->listed, topk_rows_most(&t->shape) * sizeof *t->listed);
    bpki_release(&env, t->memory, t->memory_n);
    bpki_release(&env, t, sizeof *t);
}

static void reset(bpk_sketch *s) {
    bpk_topk *t = as_topk(s);
    bpki_topk_drop_names(t);
    memset(t->memory, 0, t->memory_n);
    bpki_topk_light_start(&t->light, t->light.bytes, t->shape.l, 0);
    t->total = t->draws = t->threshold = 0;
    t->time = bpki_moment_of(t->shape.half_life, 0);
    t->names_short = t->listed_fresh = t->reduced = false;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_topk *made;
    BPK_TRY(bpki_topk_make(&made, &s->domain, &as_topk_const(s)->shape, env));
    *out = &made->base;
    return BPK_OK;
}

static void advance(bpk_sketch *s, uint64_t now) {
    bpki_topk_advance(as_topk(s), now);
}

static bool splittable(const bpk_sketch *s) {
    (void)s; /* what is evicted depends on the order */
    return false;
}

static size_t memory(const bpk_sketch *s) {
    const bpk_topk *t = as_topk_const(s);
    size_t listed = t->listed ? topk_rows_most(&t->shape) * sizeof *t->listed : 0;
    if (t->view) return sizeof *t;
    return sizeof *t + t->memory_n + t->names.room * sizeof *t->names.name + (size_t)t->name_bytes + listed;
}

/* ---- the k rows, kept up to date while somebody wants to know what leaves them ---- */

typedef struct leaving {
    bpk_topk_left fn;
    void *ctx;
    size_t index;
    uint32_t least; /* position in listed of the lowest score */
} leaving;

static uint64_t score_of(const bpk_topk *t, uint32_t way) {
    return topk_score(topk_bucket_at(t, way / TOPK_WAYS), way % TOPK_WAYS);
}

static void find_least(const bpk_topk *t, leaving *l) {
    l->least = 0;
    for (uint32_t i = 1; i < t->listed_n; i++)
        if (score_of(t, t->listed[i]) < score_of(t, t->listed[l->least])) l->least = i;
}

static void tell(const bpk_topk *t, const leaving *l, uint32_t way) {
    const topk_name *name = bpki_topk_name_of(t, way);
    l->fn(l->ctx, l->index, name ? (name->bytes ? name->bytes : (const uint8_t *)"") : NULL, name ? name->len : 0);
}

static bool is_listed(const bpk_topk *t, uint32_t way) {
    for (uint32_t i = 0; i < t->listed_n; i++)
        if (t->listed[i] == way) return true;
    return false;
}

/* After the score of a way has risen: does it enter the rows, and who leaves? */
static void note_risen(bpk_topk *t, leaving *l, uint32_t way) {
    if (t->listed_n == t->shape.k && score_of(t, way) < score_of(t, t->listed[l->least])) return;
    if (!is_listed(t, way)) {
        if (t->listed_n < t->shape.k) {
            t->listed[t->listed_n++] = way;
        } else if (score_of(t, way) > score_of(t, t->listed[l->least])) {
            tell(t, l, t->listed[l->least]);
            t->listed[l->least] = way;
        }
    }
    find_least(t, l);
}

typedef struct scored {
    uint64_t score;
    uint32_t way;
    bool named;
} scored;

/* The order of the rows, as in topk_rows.c. */
static int by_rank(const void *a, const void *b) {
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    if (x->named != y->named) return x->named ? -1 : 1;
    return (x->way > y->way) - (x->way < y->way);
}

/* Fills the rows from the whole table. */
static bpk_status refresh_listed(bpk_topk *t) {
    void *p;
    if (t->listed_fresh) return BPK_OK;
    if (!t->listed) {
        BPK_TRY(bpki_alloc(&t->base.env, topk_rows_most(&t->shape) * sizeof *t->listed, &p));
        t->listed = p;
    }
    size_t bytes = topk_buckets(&t->shape) * TOPK_WAYS * sizeof(scored), n = 0;
    BPK_TRY(bpki_alloc(&t->base.env, bytes, &p));
    scored *all = p;
    for (size_t at = 0; at < topk_buckets(&t->shape); at++) {
        const uint8_t *bucket = topk_bucket_at(t, at);
        for (unsigned j = 0; j < TOPK_WAYS && topk_fp(bucket, j); j++)
            all[n++] = (scored){topk_score(bucket, j), (uint32_t)(at * TOPK_WAYS + j), topk_named(bucket, j)};
    }
    if (n) qsort(all, n, sizeof *all, by_rank);
    t->listed_n = n < t->shape.k ? (uint32_t)n : t->shape.k;
    for (uint32_t i = 0; i < t->listed_n; i++) t->listed[i] = all[i].way;
    bpki_release(&t->base.env, all, bytes);
    t->listed_fresh = true;
    return BPK_OK;
}

/* ---- adding ---- */

/* The way that now holds fp, or TOPK_WAYS when it was refused. A bucket whose scores are all at their end takes
 * nobody. */
static unsigned admit(bpk_topk *t, size_t at, uint32_t fp, uint64_t weight, const leaving *l) {
    uint8_t *bucket = topk_bucket_at(t, at);
    if (!topk_full(bucket)) {
        unsigned free_way = topk_find(bucket, 0);
        topk_place(bucket, free_way, fp, 0, weight);
        return free_way;
    }
    unsigned j = topk_memo(bucket) >> 12;
    uint16_t base = topk_float_up(topk_score(bucket, j));
    uint64_t coin = bpki_mix(++t->draws * UINT64_C(0x9E3779B97F4A7C15));
    if (topk_score(bucket, j) == TOPK_SCORE_MAX || bpki_mulhi(coin, topk_float_value(base) + weight) >= weight) {
        bpki_topk_light_add(t, fp, weight);
        return TOPK_WAYS;
    }
    bpki_topk_light_add(t, topk_fp(bucket, j), topk_since(bucket, j));
    uint32_t way = (uint32_t)(at * TOPK_WAYS + j);
    if (l && is_listed(t, way)) tell(t, l, way);
    if (topk_named(bucket, j)) bpki_topk_forget(t, way);
    topk_place(bucket, j, fp, base, weight);
    return j;
}

static void add_one(bpk_topk *t, uint64_t hash, uint64_t weight, const void *key, size_t len, leaving *l) {
    size_t at = topk_bucket_of(t, hash);
    uint32_t fp = topk_fingerprint(hash);
    uint8_t *bucket = topk_bucket_at(t, at);
    if (weight == 0) return;
    t->total = bpki_add_sticky(t->total, weight, UINT64_MAX);
    weight = weight < TOPK_SCORE_MAX ? weight : TOPK_SCORE_MAX;
    unsigned j = topk_find(bucket, fp);
    if (j < TOPK_WAYS) {
        bpki_store64(bucket + 56 + (size_t)8 * j, bpki_add_sticky(topk_score(bucket, j), weight, TOPK_SCORE_MAX));
        if (j == topk_memo(bucket) >> 12) topk_find_smallest(bucket);
    } else if ((j = admit(t, at, fp, weight, l)) == TOPK_WAYS) {
        return;
    }
    uint32_t way = (uint32_t)(at * TOPK_WAYS + j);
    if (topk_score(bucket, j) > t->threshold && !topk_named(bucket, j)) bpki_topk_capture(t, way, key, len);
    if (l) note_risen(t, l, way);
}

static void fetch(const bpk_topk *t, const uint64_t *hash, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const uint8_t *bucket = topk_bucket_at(t, topk_bucket_of(t, hash[i]));
        __builtin_prefetch(bucket, 1);
        __builtin_prefetch(bucket + LINE, 1);
    }
}

/* NULL where the batch has no bytes; the empty item has some, wherever it points. */
static const void *key_at(const bpk_items *it, size_t i) {
    if (!it->item) return NULL;
    return it->item[i] || it->len[i] ? it->item[i] : "";
}

/* An item of a sketch with a half-life. */
static void add_decayed(bpk_topk *t, const bpk_items *it, size_t i, const bpki_arrival *when, leaving *l) {
    bool rest;
    uint64_t units = bpki_decay_units(when, it->weight ? it->weight[i] : 1, &rest);
    add_one(t, it->hash[i], units, key_at(it, i), it->item ? it->len[i] : 0, l);
    if (rest) bpki_topk_add_rest(t, it->hash[i]);
}

static void add_all(bpk_topk *t, const bpk_items *it, const bpki_arrival *when, leaving *l) {
    for (size_t done = 0; done < it->n;) {
        size_t end = it->n - done < BATCH ? it->n : done + BATCH;
        fetch(t, it->hash + done, end - done);
        for (; done < end; done++) {
            if (l) l->index = done;
            if (topk_decays(t)) add_decayed(t, it, done, when, l);
            else
                add_one(t, it->hash[done], it->weight ? it->weight[done] : 1, key_at(it, done),
                        it->item ? it->len[done] : 0, l);
        }
    }
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_topk *t = as_topk(s);
    bpki_topk_advance(t, it->now);
    bpki_arrival when = bpki_arrival_of(t->shape.half_life, &t->time, it->now);
    t->listed_fresh = false;
    add_all(t, it, &when, NULL);
    for (size_t i = 0; changed && i < it->n; i++) changed[i] = !it->weight || it->weight[i];
    *done = it->n;
    return BPK_OK;
}

bpk_status bpk_topk_add(bpk_topk *t, const bpk_items *it, bpk_topk_left left, void *ctx) {
    leaving l = {left, ctx, 0, 0};
    size_t done;
    if (!left) return add(&t->base, it, NULL, &done);
    bpki_topk_advance(t, it->now);
    bpki_arrival when = bpki_arrival_of(t->shape.half_life, &t->time, it->now);
    BPK_TRY(refresh_listed(t));
    find_least(t, &l);
    add_all(t, it, &when, &l);
    return BPK_OK;
}

/* ---- one item ---- */

/* A full counter takes the upper limit away; what may be 0 is not told from an item that never came. */
static bpk_estimate bounded(const bpk_topk *t, uint64_t estimate, uint64_t lower, uint64_t upper, bool stuck) {
    bpk_estimate e = bpki_decay_certain(&t->time, estimate, lower, upper, stuck);
    if (lower == 0 && !e.flags) e.flags = BPK_BELOW_NOISE;
    return e;
}

static bpk_estimate estimate_of(const bpk_topk *t, uint64_t hash) {
    const uint8_t *bucket = topk_bucket_at(t, topk_bucket_of(t, hash));
    uint32_t fp = topk_fingerprint(hash);
    unsigned j = topk_find(bucket, fp);
    uint64_t light = topk_asks_light(t, bucket) ? bpki_topk_light(t, fp) : 0;
    if (j == TOPK_WAYS) return bounded(t, 0, 0, light, light == TOPK_SCORE_MAX);
    uint64_t since = topk_since(bucket, j), base = topk_base(bucket, j);
    bool stuck = topk_score(bucket, j) == TOPK_SCORE_MAX || light == TOPK_SCORE_MAX;
    return bounded(t, since + (light < base ? light : base), topk_least(t, bucket, j), since + light, stuck);
}

bpk_estimate bpk_topk_count(const bpk_topk *t, uint64_t hash) {
    bpk_estimate e = estimate_of(t, hash);
    if (t->reduced) e.flags |= BPK_REDUCED;
    return e;
}

uint32_t bpk_topk_k(const bpk_topk *t) {
    return t->shape.k;
}

uint64_t bpk_topk_total(const bpk_topk *t) {
    return t->total == UINT64_MAX ? t->total : bpki_decay_whole(&t->time, t->total);
}

const bpk_topk *bpk_as_topk(const bpk_sketch *s) {
    return s->ops == &bpki_topk_ops ? as_topk_const(s) : NULL;
}

/* What decays is rounded up each time; what is in the table came for certain. */
static bpk_estimate total_of(const bpk_topk *t) {
    uint64_t least = 0;
    if (!topk_decays(t)) return bpki_certain_count(t->total);
    for (size_t at = 0; at < topk_buckets(&t->shape); at++)
        for (unsigned j = 0; j < TOPK_WAYS; j++)
            least = bpki_add_sticky(least, topk_least(t, topk_bucket_at(t, at), j), UINT64_MAX);
    return bpki_decay_certain(&t->time, t->total, least, t->total, t->total == UINT64_MAX);
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    const bpk_topk *t = as_topk_const(s);
    (void)confidence, (void)err; /* the bounds are certain */
    if (!hash) *out = total_of(t);
    for (size_t i = 0; hash && i < n; i++) out[i] = bpk_topk_count(t, hash[i]);
    return BPK_OK;
}

/* ---- what it is ---- */

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_topk *t = as_topk_const(s);
    uint64_t ceiling = bpki_topk_ceiling(t);
    bpki_walk_number(w, "k", t->shape.k, BPK_UNIT_NONE);
    bpki_walk_number(w, "entries", (double)(topk_buckets(&t->shape) * TOPK_WAYS), BPK_UNIT_NONE);
    bpki_walk_number(w, "candidates", t->shape.candidates, BPK_UNIT_NONE);
    bpki_walk_number(w, "named", t->names_n, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "names_short", t->names_short, BPK_UNIT_FLAG);
    bpki_walk_number(w, "half_life", (double)t->shape.half_life, BPK_UNIT_NONE);
    if (topk_decays(t)) bpki_walk_number(w, "now", (double)t->time.now, BPK_UNIT_NONE);
    bpki_walk_number(w, "total", total_of(t).estimate, BPK_UNIT_ITEMS);
    bpki_walk_estimate(w, "ceiling", bounded(t, ceiling, ceiling, ceiling, ceiling == TOPK_UNKNOWN), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "light_cell_bytes", t->light.cell_bytes, BPK_UNIT_BYTES);
}

/* Entries that are in use; entries and light cells at their end. */
static void use_of(const bpk_topk *t, uint64_t *used, uint64_t *stuck) {
    *used = *stuck = 0;
    for (uint32_t r = 0; r < TOPK_ROWS && t->light.cap == TOPK_SCORE_MAX; r++)
        *stuck += bpki_cells_census(&t->light, r).full;
    for (size_t i = 0; i < topk_buckets(&t->shape); i++)
        for (unsigned j = 0; j < TOPK_WAYS; j++) {
            *used += topk_score(topk_bucket_at(t, i), j) != 0;
            *stuck += topk_score(topk_bucket_at(t, i), j) == TOPK_SCORE_MAX;
        }
}

static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_topk *t = as_topk_const(s);
    uint64_t ceiling = bpki_topk_ceiling(t), used, stuck;
    bool unknown = ceiling == TOPK_UNKNOWN;
    use_of(t, &used, &stuck);
    h->fill = (double)used / (double)(topk_buckets(&t->shape) * TOPK_WAYS);
    h->total = total_of(t).estimate;
    h->ceiling = bounded(t, ceiling, ceiling, ceiling, unknown);
    h->saturated = (double)stuck;
    h->error_now = unknown ? 1 : t->total ? fmin((double)ceiling / (double)t->total, 1) : 0;
    h->reason = unknown          ? "a counter of all that is not listed is at its end"
                : stuck          ? "some counters are at their end"
                : t->names_short ? "keys were left out"
                                 : "within its range";
    if (unknown) return BPK_HEALTH_OVER;
    return stuck || t->names_short ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
}

const bpki_ops bpki_topk_ops = {
    .kind = BPK_KIND_TOPK,
    .name = "topk",
    .question = "which are the most frequent?",
    .params_n = 64,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = bpki_topk_merge,
    .merge_many = bpki_topk_merge_many,
    .copy = bpki_topk_copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_topk_release,
    .memory = memory,
    .body_size = bpki_topk_body_size,
    .encode_params = bpki_topk_encode_params,
    .encode_body = bpki_topk_encode_body,
    .decode = bpki_topk_decode,
    .info = info,
    .health = health,
    .view = bpki_topk_view,
    .count = count,
    .advance = advance,
    .splittable = splittable,
    .rows = bpki_topk_rows,
};
