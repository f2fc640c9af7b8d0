/* cms.c - layer 2: how often did this item come? Count-min over cells.c.
 *
 *     row 0   | . . 7 . . . |      the item's cell in each row by the upper bits of a position: the hash, then
 * next(hash), ...
 *     row 1   | . . . . 9 . |      plain: every cell grows by the weight
 *     row 2   | 7 . . . . . |      conservative: each cell is raised to (least + weight) where it is below
 *             estimate = 7
 *
 * Depth buys only the tail of the error, so that sized by bytes it takes 3 rows (docs/rooms/cms.md). Bytes are the
 * business of cms_wire.c.
 */
#include "cms_state.h"

#include <math.h>
#include <stdlib.h>

enum {
    PHANTOMS = 4096,
    DEPTH_BY_BYTES = 3,
    DEFAULT_CELL_BYTES = 4,
    DECAYED_CELL_BYTES = 8, /* 4 hold 524,287 of an item that keeps coming, within a half-life */
};

static const double two_64 = 18446744073709551616.0;

static bpk_cms *as_cms(bpk_sketch *s) {
    return (bpk_cms *)s;
}
static const bpk_cms *as_cms_const(const bpk_sketch *s) {
    return (const bpk_cms *)s;
}

/* ---- shape ---- */

/* Rounds up, but not over a rounding error: 2 / 0.001 is 2,000. */
static double up(double x) {
    return ceil(x * (1 - 1e-12));
}

bpk_status bpk_cms_size(bpk_cms_config *cfg, double epsilon, double delta, bool base2) {
    if (!(epsilon > 0 && epsilon < 1 && delta > 0 && delta < 1)) return BPK_E_ARG;
    double width = up((base2 ? 2 : exp(1)) / epsilon), depth = up(base2 ? log2(1 / delta) : log(1 / delta));
    if (width > UINT32_MAX || depth > BPK_CMS_DEPTH_MAX) return BPK_E_ARG;
    cfg->width = (uint32_t)width;
    cfg->depth = depth < 1 ? 1 : (uint32_t)depth;
    return BPK_OK;
}

bpk_status bpk_cms_new(bpk_cms **out, const bpk_cms_config *cfg, const bpk_env *env) {
    size_t bytes;
    void *object, *cells;
    env = bpki_env(env);
    if (!cms_shape_valid(cfg->width, cfg->depth, cfg->cell_bytes) || cfg->conservative > 1) return BPK_E_ARG;
    if (!cms_cell_decays(cfg->cell_bytes, cfg->half_life)) return BPK_E_ARG;
    if (!bpki_cells_size(cfg->width, cfg->depth, cfg->cell_bytes, &bytes)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(env, sizeof(bpk_cms), &object));
    bpk_cms *c = object;
    bpk_status st = bpki_sketch_init(&c->base, &bpki_cms_ops, &cfg->domain, env);
    if (st == BPK_OK) st = bpki_alloc(env, bytes, &cells);
    if (st != BPK_OK) {
        bpki_release(env, c, sizeof *c);
        return st;
    }
    c->cells = cms_cells(cells, cfg->width, cfg->depth, cfg->cell_bytes);
    c->cell_size = bytes;
    c->conservative = cfg->conservative;
    c->half_life = cfg->half_life;
    c->time = bpki_moment_of(cfg->half_life, 0);
    *out = c;
    return BPK_OK;
}

/* ---- from text ---- */

static void size_by_bytes(bpk_cms_config *cfg, bpki_params *ps) {
    uint64_t bytes = bpki_param_bytes(ps, "bytes", 0), width = bytes / DEPTH_BY_BYTES / cfg->cell_bytes;
    if (width < 1 || width > UINT32_MAX) bpki_param_fail(ps, "bytes");
    cfg->width = (uint32_t)width;
    cfg->depth = DEPTH_BY_BYTES;
}

static void size_by_error(bpk_cms_config *cfg, bpki_params *ps) {
    static const char *const bases[] = {"e", "2", NULL};
    double epsilon = bpki_param_share(ps, "epsilon", 0.001), delta = bpki_param_share(ps, "delta", 0.01);
    unsigned base2 = bpki_param_word(ps, "sizing", bases, 0);
    if (bpk_cms_size(cfg, epsilon, 0.5, base2) != BPK_OK) bpki_param_fail(ps, "epsilon");
    else if (bpk_cms_size(cfg, epsilon, delta, base2) != BPK_OK) bpki_param_fail(ps, "delta");
}

static void size_by_hand(bpk_cms_config *cfg, bpki_params *ps) {
    uint64_t width = bpki_param_count(ps, "width", 0), depth = bpki_param_count(ps, "depth", DEPTH_BY_BYTES);
    bpki_param_missing(ps, "width");
    if (width < 1 || width > UINT32_MAX) bpki_param_fail(ps, "width");
    if (depth < 1 || depth > BPK_CMS_DEPTH_MAX) bpki_param_fail(ps, "depth");
    cfg->width = (uint32_t)width;
    cfg->depth = (uint32_t)depth;
}

static bpk_status config_from(bpk_cms_config *out, bpki_params *ps, bpk_err *err) {
    static const char *const rules[] = {"plain", "conservative", NULL};
    bpk_cms_config cfg = {.conservative = 1};
    cfg.half_life = bpki_param_count(ps, "half_life", 0);
    uint64_t cell = bpki_param_count(ps, "cell_bytes", cfg.half_life ? DECAYED_CELL_BYTES : DEFAULT_CELL_BYTES);
    cfg.conservative = (uint8_t)bpki_param_word(ps, "update", rules, 1);
    if (!cms_shape_valid(1, 1, cell) || !cms_cell_decays(cell, cfg.half_life)) bpki_param_fail(ps, "cell_bytes");
    cfg.cell_bytes = cms_shape_valid(1, 1, cell) ? (uint8_t)cell : DEFAULT_CELL_BYTES;
    if (bpki_param_given(ps, "bytes")) size_by_bytes(&cfg, ps);
    else if (bpki_param_given(ps, "width") || bpki_param_given(ps, "depth")) size_by_hand(&cfg, ps);
    else size_by_error(&cfg, ps);
    BPK_TRY(bpki_params_end(ps, err));
    *out = cfg;
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_cms_config cfg;
    (void)items; /* all cells are there from the start */
    BPK_TRY(config_from(&cfg, ps, err));
    uint64_t cells = (uint64_t)cfg.width * cfg.depth * cfg.cell_bytes;
    *out = (bpki_cost){.memory = sizeof(bpk_cms) + cells, .body = cells};
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_cms_config cfg;
    bpk_cms *c;
    BPK_TRY(config_from(&cfg, ps, err));
    if (d) cfg.domain = *d;
    BPK_TRY(bpk_cms_new(&c, &cfg, env));
    *out = &c->base;
    return BPK_OK;
}

/* ---- life cycle ---- */

void bpki_cms_release(bpk_sketch *s) {
    bpk_cms *c = as_cms(s);
    bpk_env env = s->env;
    bpki_release(&env, c->cells.bytes, c->cell_size);
    bpki_release(&env, c, sizeof *c);
}

static void reset(bpk_sketch *s) {
    bpk_cms *c = as_cms(s);
    memset(c->cells.bytes, 0, c->cell_size);
    c->total = 0;
    c->rounding = 0;
    c->time = bpki_moment_of(c->half_life, 0);
}

static bpk_status make_twin(bpk_cms **out, const bpk_cms *c, const bpk_env *env) {
    bpk_cms_config cfg = {c->base.domain,      (uint32_t)c->cells.width, c->cells.depth,
                          c->cells.cell_bytes, c->conservative,          c->half_life};
    return bpk_cms_new(out, &cfg, env);
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_cms *made;
    BPK_TRY(make_twin(&made, as_cms_const(s), env));
    *out = &made->base;
    return BPK_OK;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_cms *c = as_cms_const(s);
    bpk_cms *made;
    BPK_TRY(make_twin(&made, c, env));
    memcpy(made->cells.bytes, c->cells.bytes, cms_bytes(c));
    made->total = c->total;
    made->time = c->time;
    made->rounding = c->rounding;
    *out = &made->base;
    return BPK_OK;
}

/* The latest first: each other part is then aged to it by itself, which makes the order of many irrelevant. */
static uint64_t grain(const bpk_sketch *s) {
    return UINT64_MAX - as_cms_const(s)->time.now;
}

static void advance(bpk_sketch *s, uint64_t now) {
    bpki_cms_advance(as_cms(s), now);
}

/* What is halved and rounded in parts is not what is halved and rounded at once. */
static bool splittable(const bpk_sketch *s) {
    const bpk_cms *c = as_cms_const(s);
    return !c->conservative && !cms_decays(c);
}

static size_t memory(const bpk_sketch *s) {
    return sizeof(bpk_cms) + as_cms_const(s)->cell_size;
}

/* ---- adding ---- */

static void add_undecayed(bpk_cms *c, const bpk_items *it) {
    if (c->conservative) bpki_cells_raise(&c->cells, it->hash, it->weight, it->n);
    else bpki_cells_add(&c->cells, it->hash, it->weight, it->n);
    if (!it->weight) c->total = bpki_add_sticky(c->total, it->n, UINT64_MAX);
    for (size_t i = 0; it->weight && i < it->n; i++) c->total = bpki_add_sticky(c->total, it->weight[i], UINT64_MAX);
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_cms *c = as_cms(s);
    if (cms_decays(c)) bpki_cms_add_decayed(c, it);
    else add_undecayed(c, it);
    for (size_t i = 0; changed && i < it->n; i++) changed[i] = !it->weight || it->weight[i];
    *done = it->n;
    return BPK_OK;
}

/* What a call has overwritten, cell by cell, to put it back. */
typedef struct undo_log {
    uint8_t **at;
    uint64_t *was;
    size_t n;
} undo_log;

static void undo(const bpk_cms *c, const undo_log *log) {
    for (size_t i = log->n; i-- > 0;) bpki_cell_store(log->at[i], c->cells.cell_bytes, log->was[i]);
}

/* The cell after adding a signed number; false where it would fall below 0. One at its end stays. */
static bool cell_plus(uint64_t *v, int64_t by, uint64_t cap) {
    if (*v == cap) return true;
    uint64_t down = by < 0 ? 0 - (uint64_t)by : 0;
    if (down > *v) return false;
    *v = by < 0 ? *v - down : bpki_add_sticky(*v, (uint64_t)by, cap);
    return true;
}

static bool adjust_one(bpk_cms *c, uint64_t hash, int64_t by, undo_log *log) {
    const bpki_cells *cells = &c->cells;
    uint64_t at = hash;
    uint64_t floor = c->conservative ? bpki_add_sticky(bpki_cells_min(cells, hash), (uint64_t)by, cells->cap) : 0;
    for (uint32_t r = 0; r < cells->depth; r++, at = bpki_cells_next(at)) {
        uint8_t *cell = bpki_cell_at(cells, r, bpki_cells_index(cells, at));
        uint64_t v = bpki_cell_load(cell, cells->cell_bytes), was = v;
        if (!c->conservative && !cell_plus(&v, by, cells->cap)) return false;
        if (v < floor) v = floor;
        log->at[log->n] = cell;
        log->was[log->n++] = was;
        bpki_cell_store(cell, cells->cell_bytes, v);
    }
    return true;
}

/* The total never falls below 0: what is taken away was added. */
static uint64_t total_plus(uint64_t total, int64_t by) {
    if (total == UINT64_MAX || by >= 0) return bpki_add_sticky(total, by > 0 ? (uint64_t)by : 0, UINT64_MAX);
    uint64_t down = 0 - (uint64_t)by;
    return down > total ? 0 : total - down;
}

static bpk_status adjust_all(bpk_cms *c, const uint64_t *hash, const int64_t *by, size_t n, undo_log *log,
                             bpk_err *err) {
    for (size_t i = 0; i < n; i++) {
        if (adjust_one(c, hash[i], by[i], log)) continue;
        undo(c, log);
        return bpki_fail_value(err, BPK_E_ARG, "weight", "would leave a count below 0");
    }
    return BPK_OK;
}

bpk_status bpk_cms_adjust(bpk_cms *c, const uint64_t *hash, const int64_t *by, uint64_t *after, size_t n,
                          bpk_err *err) {
    size_t cells, bytes;
    void *memory_at, *memory_was;
    if (cms_decays(c)) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "adjust", "its counts decay");
    for (size_t i = 0; i < n; i++)
        if (by[i] < 0 && c->conservative)
            return bpki_fail_value(err, BPK_E_UNSUPPORTED, "negative weight", "conservative");
    if (!bpki_mul(n, c->cells.depth, &cells) || !bpki_mul(cells, sizeof(uint64_t), &bytes))
        return bpki_fail(err, BPK_E_LIMIT, "items");
    bpk_status st = bpki_alloc(&c->base.env, bytes, &memory_was);
    if (st != BPK_OK) return bpki_fail(err, st, "items");
    size_t pointers = cells * sizeof(uint8_t *);
    st = bpki_alloc(&c->base.env, pointers, &memory_at);
    if (st != BPK_OK) {
        bpki_release(&c->base.env, memory_was, bytes);
        return bpki_fail(err, st, "items");
    }
    undo_log log = {memory_at, memory_was, 0};
    st = adjust_all(c, hash, by, n, &log, err);
    bpki_release(&c->base.env, memory_at, pointers);
    bpki_release(&c->base.env, memory_was, bytes);
    for (size_t i = 0; i < n && st == BPK_OK; i++) {
        c->total = total_plus(c->total, by[i]);
        if (after) after[i] = bpki_cells_min(&c->cells, hash[i]);
    }
    return st;
}

/* ---- algebra ---- */

static bpk_status shapes_match(const bpk_cms *a, const bpk_cms *b, bpk_err *err) {
    static const char *const rule[] = {"plain", "conservative"};
    if (a->half_life != b->half_life) return bpki_mismatch(err, "half_life", a->half_life, b->half_life);
    if (a->cells.width != b->cells.width) return bpki_mismatch(err, "width", a->cells.width, b->cells.width);
    if (a->cells.depth != b->cells.depth) return bpki_mismatch(err, "depth", a->cells.depth, b->cells.depth);
    if (a->cells.cell_bytes != b->cells.cell_bytes)
        return bpki_mismatch(err, "cell_bytes", a->cells.cell_bytes, b->cells.cell_bytes);
    if (a->conservative != b->conservative)
        return bpki_mismatch_text(err, "update", rule[a->conservative], rule[b->conservative]);
    return BPK_OK;
}

static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_cms *a = as_cms(dst);
    const bpk_cms *b = as_cms_const(src);
    BPK_TRY(shapes_match(a, b, err));
    return bpki_cms_merge_aged(a, b);
}

/* a + factor x b of one cell; false where it would fall below 0. Whatever rests on a cell at its end is at its end. */
static bool combined(uint64_t *v, uint64_t b, int64_t factor, uint64_t cap) {
    uint64_t times = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor, product;
    if (factor == 0 || b == 0) return true;
    if (*v == cap || b == cap) {
        *v = cap;
        return true;
    }
    if (__builtin_mul_overflow(b, times, &product)) product = UINT64_MAX;
    if (factor < 0 && product > *v) return false;
    *v = factor < 0 ? *v - product : bpki_add_sticky(*v, product, cap);
    return true;
}

bpk_status bpk_cms_combine(bpk_cms *dst, const bpk_cms *src, int64_t factor, bpk_err *err) {
    if (dst->conservative || src->conservative)
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "combine", "conservative update cannot be undone");
    if (cms_decays(dst) || cms_decays(src))
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "combine", "counts that decay are rounded");
    BPK_TRY(bpki_domain_match(&dst->base.domain, &src->base.domain, err));
    BPK_TRY(shapes_match(dst, src, err));
    size_t size = dst->cells.cell_bytes, n = cms_bytes(dst) / size;
    uint64_t total = dst->total;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = bpki_cell_load(dst->cells.bytes + i * size, dst->cells.cell_bytes);
        if (!combined(&v, bpki_cell_load(src->cells.bytes + i * size, src->cells.cell_bytes), factor, dst->cells.cap))
            return bpki_fail_value(err, BPK_E_ARG, "factor", "would leave a count below 0");
    }
    if (!combined(&total, src->total, factor, UINT64_MAX)) total = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = dst->cells.bytes + i * size;
        uint64_t v = bpki_cell_load(at, dst->cells.cell_bytes);
        combined(&v, bpki_cell_load(src->cells.bytes + i * size, src->cells.cell_bytes), factor, dst->cells.cap);
        bpki_cell_store(at, dst->cells.cell_bytes, v);
    }
    dst->total = total;
    return BPK_OK;
}

/* One row's product; *saturated where it rests on a cell at its end. */
static double row_product(const bpk_cms *a, const bpk_cms *b, uint32_t row, bool *saturated) {
    double sum = 0;
    for (size_t i = 0; i < a->cells.width; i++) {
        uint64_t x = bpki_cells_get(&a->cells, row, i), y = bpki_cells_get(&b->cells, row, i);
        *saturated |= (x == a->cells.cap && y) || (y == b->cells.cap && x);
        sum += (double)x * (double)y;
    }
    return sum;
}

/* A conservative cell holds less than the sum of its items, so that its products bound nothing. */
bpk_status bpk_cms_inner(const bpk_cms *a, const bpk_cms *b, bpk_estimate *out, bpk_err *err) {
    if (a->conservative || b->conservative)
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "inner product", "conservative");
    if (cms_decays(a) || cms_decays(b))
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "inner product", "counts that decay are rounded");
    BPK_TRY(bpki_domain_match(&a->base.domain, &b->base.domain, err));
    BPK_TRY(shapes_match(a, b, err));
    double least = INFINITY;
    bool saturated = false;
    for (uint32_t r = 0; r < a->cells.depth; r++) least = fmin(least, row_product(a, b, r, &saturated));
    double slack = exp(1) / (double)a->cells.width * (double)a->total * (double)b->total;
    uint32_t flags = BPK_ONE_SIDED | (saturated ? BPK_SATURATED : 0);
    *out = (bpk_estimate){least, fmax(0, least - slack), saturated ? fmax(two_64 * two_64, least) : least,
                          1 - exp(-(double)a->cells.depth), flags};
    return BPK_OK;
}

/* ---- questions ---- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A cell as a count. */
static double point_of(const bpk_cms *c, uint64_t cell) {
    return cms_decays(c) ? bpki_decay_up(&c->time, cell) : (double)cell;
}

/* What its items weigh at least, before the noise of others; what came to its end and decayed is not known. */
static double least_of(const bpk_cms *c, uint64_t cell) {
    if (!cms_decays(c)) return bpki_down(cell);
    if (cell == c->cells.cap || c->rounding == UINT32_MAX) return 0;
    return bpki_decay_down(&c->time, bpki_decay_least(cell > c->rounding ? cell - c->rounding : 0));
}

/* And at most: halving has cut something off each part. */
static double most_of(const bpk_cms *const *part, size_t n, uint64_t cell) {
    if (cms_decays(part[0])) return bpki_decay_up(&part[0]->time, cell);
    for (size_t i = 0; i < n; i++) cell = bpki_add_sticky(cell, part[i]->rounding, UINT64_MAX);
    return bpki_up(cell);
}

/* The sum of the smallest cells of a hash, one of each part; *at_end where one of them is at its end. */
static uint64_t cells_of(const bpk_cms *const *part, size_t n, uint64_t hash, bool *at_end) {
    uint64_t sum = 0;
    *at_end = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t cell = bpki_cells_min(&part[i]->cells, hash);
        *at_end |= cell == part[i]->cells.cap;
        sum = bpki_add_sticky(sum, cell, UINT64_MAX);
    }
    return sum;
}

void bpk_cms_sum_noise(const bpk_cms *const *part, size_t n, bpk_noise *out) {
    assert(n == 1 || !cms_decays(part[0]));
    uint64_t told[PHANTOMS], state = UINT64_C(0x70686E746D730000), total = 0;
    bool at_end;
    for (size_t i = 0; i < PHANTOMS; i++) told[i] = cells_of(part, n, bpki_next(&state), &at_end);
    for (size_t i = 0; i < n; i++) total = bpki_add_sticky(total, bpk_cms_total(part[i]), UINT64_MAX);
    qsort(told, PHANTOMS, sizeof told[0], by_value);
    const size_t middle = PHANTOMS / 2, high = PHANTOMS - PHANTOMS / 100 - 1;
    *out = (bpk_noise){total, point_of(part[0], told[middle]), point_of(part[0], told[high])};
}

void bpk_cms_noise(const bpk_cms *c, bpk_noise *out) {
    bpk_cms_sum_noise(&c, 1, out);
}

/* The noise that is exceeded with probability 1 - confidence at most. Rows of one shape put the same items into one
 * cell, so that the bound of a merge holds for the sum, which has no more noise. */
static double noise_at(const bpk_cms *c, const bpk_noise *noise, double confidence) {
    if (confidence <= 0.99) return noise->p99;
    return (double)noise->total / (double)c->cells.width * pow(1 - confidence, -1.0 / c->cells.depth);
}

bpk_estimate bpk_cms_sum_count(const bpk_cms *const *part, size_t n, uint64_t hash, const bpk_noise *noise,
                               double confidence) {
    bool at_end;
    confidence = bpki_confidence(confidence);
    uint64_t cell = cells_of(part, n, hash, &at_end);
    double value = point_of(part[0], cell), upper = most_of(part, n, cell);
    double lower = fmax(0, least_of(part[0], cell) - noise_at(part[0], noise, confidence));
    bpk_estimate e = {value, cms_decays(part[0]) ? lower : floor(lower), upper, confidence, BPK_ONE_SIDED};
    if (upper == 0) e.flags |= BPK_EXACT;
    if (cell && value <= noise->p99) {
        e.estimate = fmax(e.lower, value - noise->median);
        e.flags |= BPK_BELOW_NOISE;
    }
    if (at_end) {
        e.upper = two_64;
        e.flags |= BPK_SATURATED;
    }
    return e;
}

bpk_estimate bpk_cms_count(const bpk_cms *c, uint64_t hash, const bpk_noise *noise, double confidence) {
    return bpk_cms_sum_count(&c, 1, hash, noise, confidence);
}

/* What decays is rounded up each time, as a cell is; what is halved, down. */
static bpk_estimate total_of(const bpk_cms *c) {
    if (!cms_decays(c)) {
        uint64_t most = bpki_add_sticky(c->total, c->rounding, UINT64_MAX);
        return bpki_certain(c->total, c->total, most, most == UINT64_MAX);
    }
    bool known = c->rounding < UINT32_MAX && c->total < UINT64_MAX && c->total > c->rounding;
    uint64_t least = known ? bpki_decay_least(c->total - c->rounding) : 0;
    return bpki_decay_certain(&c->time, c->total, least, c->total, c->total == UINT64_MAX);
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    const bpk_cms *c = as_cms_const(s);
    bpk_noise noise;
    (void)err;
    if (!hash) {
        *out = total_of(c);
        return BPK_OK;
    }
    bpk_cms_noise(c, &noise);
    for (size_t i = 0; i < n; i++) out[i] = bpk_cms_count(c, hash[i], &noise, confidence);
    return BPK_OK;
}

uint32_t bpk_cms_width(const bpk_cms *c) {
    return (uint32_t)c->cells.width;
}

uint32_t bpk_cms_depth(const bpk_cms *c) {
    return c->cells.depth;
}

uint64_t bpk_cms_total(const bpk_cms *c) {
    return c->total == UINT64_MAX ? c->total : bpki_decay_whole(&c->time, c->total);
}

const bpk_cms *bpk_as_cms(const bpk_sketch *s) {
    return s->ops == &bpki_cms_ops ? as_cms_const(s) : NULL;
}

static bpki_census census_of(const bpk_cms *c) {
    bpki_census all = {0, 0, 0};
    for (uint32_t r = 0; r < c->cells.depth; r++) {
        bpki_census row = bpki_cells_census(&c->cells, r);
        all.used += row.used;
        all.full += row.full;
    }
    return all;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_cms *c = as_cms_const(s);
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    double epsilon = exp(1) / (double)c->cells.width;
    bpki_walk_number(w, "width", (double)c->cells.width, BPK_UNIT_NONE);
    bpki_walk_number(w, "depth", c->cells.depth, BPK_UNIT_NONE);
    bpki_walk_number(w, "cell_bytes", c->cells.cell_bytes, BPK_UNIT_BYTES);
    bpki_walk_text(w, "update", c->conservative ? "conservative" : "plain");
    bpki_walk_number(w, "epsilon", epsilon, BPK_UNIT_SHARE);
    bpki_walk_number(w, "delta", exp(-(double)c->cells.depth), BPK_UNIT_SHARE);
    bpki_walk_number(w, "half_life", (double)c->half_life, BPK_UNIT_NONE);
    if (cms_decays(c)) bpki_walk_number(w, "now", (double)c->time.now, BPK_UNIT_NONE);
    bpki_walk_number(w, "total", total_of(c).estimate, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "epsilon_total", epsilon * total_of(c).estimate, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "noise_median", noise.median, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "noise_floor", noise.p99, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "saturated", (double)census_of(c).full, BPK_UNIT_NONE);
}

/* Full is a matter of cells at their end: one that many answers rest on is over. */
static bpk_state health(const bpk_sketch *s, bpki_health *h) {
    const bpk_cms *c = as_cms_const(s);
    uint64_t all = c->cells.width * c->cells.depth;
    bpki_census n = census_of(c);
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    h->fill = (double)n.used / (double)all;
    h->total = total_of(c).estimate;
    h->noise_floor = noise.p99;
    h->saturated = (double)n.full;
    h->error_now = c->total ? noise.p99 / h->total : 0;
    h->reason = n.full ? "some counters are at their end" : "every counter has room";
    if (n.full == 0) return BPK_HEALTH_OK;
    return n.full > all / 100 ? BPK_HEALTH_OVER : BPK_HEALTH_WARN;
}

const bpki_ops bpki_cms_ops = {
    .kind = BPK_KIND_CMS,
    .name = "cms",
    .question = "how often?",
    .params_n = CMS_PARAMS,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_cms_release,
    .memory = memory,
    .body_size = bpki_cms_body_size,
    .encode_params = bpki_cms_encode_params,
    .encode_body = bpki_cms_encode_body,
    .decode = bpki_cms_decode,
    .info = info,
    .health = health,
    .view = bpki_cms_view,
    .grain = grain,
    .advance = advance,
    .splittable = splittable,
    .count = count,
};
