/* hll.c - layer 2: how many different items? Registers and tokens: adding, folding, merging.
 *
 * hll_state.h draws the state, ml.c estimates, hll_wire.c writes and reads. What makes adding fast once most items
 * change nothing: hashes above UINT64_MAX >> skip have a value that every register has behind it, one comparison and no
 * memory access, which makes it 2 to 3 times as fast at 1,000 items a register; while many items change something
 * (`young`), a form without branches, since mispredictions cost more than the work.
 */
#include <math.h>

#include "hll_check.h"
#include "hll_state.h"
#include "kern.h"
#include "ml.h"

static bpk_hll *as_hll(bpk_sketch *s) {
    return (bpk_hll *)s;
}
static const bpk_hll *as_hll_const(const bpk_sketch *s) {
    return (const bpk_hll *)s;
}

/* ---- registers ---- */

static inline uint64_t mask_of(unsigned p) {
    return ((uint64_t)1 << p) - 1;
}

static inline unsigned value_of(uint64_t hash, uint64_t mask) {
    return (unsigned)__builtin_clzll(hash | mask) + 1;
}

/* The register after value k came. In d = 2, t = old - 4 k is 4 (u - k) + window: from 12 on k lies below the window,
 * the usual case; 0xacf has the t of 0..11 in which k is known already. */
static inline uint8_t register_with(uint8_t old, unsigned k, unsigned d) {
    if (d == 0) return k > old ? (uint8_t)k : old;
    int t = (int)old - 4 * (int)k;
    if (t >= 12) return old;
    if (t < 0) return bpki_register_union(old, (uint8_t)(4 * k), 2);
    if (0xacf >> t & 1) return old;
    return (uint8_t)(old | (t < 8 ? 2 : 1));
}

/* The same for d = 2 without branches: 2 bits a case, by the distance of the values (in fours, at most 12) and the
 * window of the smaller one, say what to OR into the larger register. */
static inline uint8_t register_with_young(uint8_t old, unsigned k) {
    unsigned four = 4 * k, hi = old > four ? old : four, lo = old > four ? four : old;
    unsigned apart = (hi & ~3u) - (lo & ~3u);
    apart = apart < 12 ? apart : 12;
    return (uint8_t)(hi | (0x55fae4u >> 2 * (apart | (lo & 3)) & 3 & (lo ? 3 : 0)));
}

/* Adds one hash to registers; the arguments are separate so that a loop keeps them in processor registers: a store
 * through a byte pointer may alias every field. */
static inline bool update(uint8_t *reg, uint64_t mask, hll_histogram *hist, unsigned d, uint64_t hash) {
    uint8_t *at = &reg[hash & mask], old = *at, val = register_with(old, value_of(hash, mask), d);
    if (val == old) return false;
    *at = val;
    if (hist) {
        hist->count[old]--;
        hist->count[val]++;
    }
    return true;
}

static inline bool update_young(uint8_t *reg, uint64_t mask, uint64_t hash) {
    uint8_t *at = &reg[hash & mask], old = *at, val = register_with_young(old, value_of(hash, mask));
    *at = val;
    return val != old;
}

static hll_histogram *live_histogram(const bpk_hll *h) {
    return h->histogram && h->histogram->live ? h->histogram : NULL;
}

/* Works out skip and young from the smallest register. */
static void tighten(bpk_hll *h) {
    unsigned least = 255;
    for (size_t i = 0; i < hll_registers(h->p); i++) least = h->cell.reg[i] < least ? h->cell.reg[i] : least;
    unsigned u = least >> h->d, behind = h->d ? 3 : 0;
    h->skip = (uint8_t)(u > behind ? u - behind : 0);
    h->young = h->d && u < 3;
    h->count = 0;
}

/* A doubling of the items changes 0.6 to 0.8 of the registers: half of them is when skip is worth another look. */
static inline void note_changes(bpk_hll *h, uint32_t changes) {
    h->count += changes;
    if (h->count > hll_registers(h->p) / 2) tighten(h);
}

static void state_is_foreign(bpk_hll *h) {
    if (h->histogram) h->histogram->live = false;
    h->count = (uint32_t)hll_registers(h->p); /* skip stays right, and is renewed at the next change */
}

/* ---- tokens ---- */

static inline uint32_t token_of(uint64_t hash) {
    uint64_t mask = mask_of(HLL_TOKEN_BITS);
    return (uint32_t)((hash & mask) << 6) | value_of(hash, mask);
}

/* A hash with this token, which changes every sketch as the original did. */
static inline uint64_t hash_of(uint32_t token) {
    unsigned k = token & 63;
    return token >> 6 | (k < HLL_TOKEN_K_MAX ? UINT64_C(1) << (64 - k) : 0);
}

/* The slot of a token, or the free one where it belongs. */
static uint32_t *slot_in(uint32_t *table, unsigned lg, uint32_t salt, uint32_t token) {
    uint32_t mask = (UINT32_C(1) << lg) - 1, i = token * salt >> (32 - lg);
    while (table[i] && table[i] != token) i = (i + 1) & mask;
    return &table[i];
}

static uint32_t *slot_of(const bpk_hll *h, uint32_t token) {
    return slot_in(h->cell.slot, h->lg, h->salt, token);
}

/* Slots are visited in an order that has nothing to do with another table's: copying one linear-probing table into
 * another in slot order piles everything up at one end and is quadratic (measured: 10,000 ns a token instead of 27). */
uint32_t bpki_hll_next_token(const bpk_hll *h, uint32_t *at) {
    if (h->form == HLL_SORTED) return *at < h->count ? bpki_load32(h->cell.sorted + (size_t)4 * (*at)++) : 0;
    uint32_t slots = UINT32_C(1) << h->lg, token = 0;
    while (!token && *at < slots) token = h->cell.slot[((*at)++ * UINT32_C(0x9E3779B1)) & (slots - 1)];
    return token;
}

void bpki_hll_put_token(bpk_hll *h, uint32_t token) {
    *slot_of(h, token) = token;
    h->count++;
}

/* ---- making ---- */

static size_t table_size(unsigned lg) {
    return sizeof(uint32_t) << lg;
}

/* Registers and, behind them, the histogram. */
static size_t dense_size(unsigned p) {
    return hll_registers(p) + (p >= HLL_HISTOGRAM_FROM ? sizeof(hll_histogram) : 0);
}

/* The smallest table that holds so many tokens at a load of 3/4. */
static unsigned table_lg(unsigned p, uint32_t tokens) {
    unsigned lg = p < 5 ? 2 : 3;
    while (UINT64_C(4) * tokens > UINT64_C(3) << lg) lg++;
    return lg;
}

static void set_table(bpk_hll *h, void *cells, unsigned lg) {
    h->cell.slot = cells;
    h->cell_bytes = (uint32_t)table_size(lg);
    h->form = HLL_TABLE;
    h->lg = (uint8_t)lg;
}

static void set_registers(bpk_hll *h, void *cells) {
    h->cell.reg = cells;
    h->cell_bytes = (uint32_t)dense_size(h->p);
    h->histogram = h->p >= HLL_HISTOGRAM_FROM ? (hll_histogram *)(void *)(h->cell.reg + hll_registers(h->p)) : NULL;
    h->form = HLL_REGISTERS;
    h->skip = h->lg = 0;
    h->young = h->d != 0;
    h->count = 0;
}

static bpk_status make(bpk_hll **out, const bpk_domain *d, unsigned p, unsigned window, const bpk_env *env) {
    void *object;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_hll), &object));
    bpk_hll *h = object;
    bpk_status st = bpki_sketch_init(&h->base, &bpki_hll_ops, d, env);
    if (st != BPK_OK) {
        bpki_release(env, h, sizeof *h);
        return st;
    }
    h->p = (uint8_t)p;
    h->d = (uint8_t)window;
    h->salt = (uint32_t)(bpki_salt(h) >> 32) | 1;
    *out = h;
    return BPK_OK;
}

bpk_status bpki_hll_make_sparse(bpk_hll **out, const bpk_domain *d, unsigned p, unsigned window, uint32_t tokens,
                                const bpk_env *env) {
    bpk_hll *h;
    void *cells;
    BPK_TRY(make(&h, d, p, window, env));
    unsigned lg = table_lg(p, tokens);
    bpk_status st = bpki_alloc(&h->base.env, table_size(lg), &cells);
    if (st != BPK_OK) {
        bpki_release(&h->base.env, h, sizeof *h);
        return st;
    }
    set_table(h, cells, lg);
    *out = h;
    return BPK_OK;
}

bpk_status bpki_hll_make_dense(bpk_hll **out, const bpk_domain *d, unsigned p, unsigned window, const bpk_env *env) {
    bpk_hll *h;
    void *cells;
    BPK_TRY(make(&h, d, p, window, env));
    bpk_status st = bpki_alloc(&h->base.env, dense_size(p), &cells);
    if (st != BPK_OK) {
        bpki_release(&h->base.env, h, sizeof *h);
        return st;
    }
    set_registers(h, cells);
    *out = h;
    return BPK_OK;
}

static bool shape_valid(unsigned p, unsigned d) {
    return p >= BPK_HLL_PRECISION_MIN && p <= BPK_HLL_PRECISION_MAX && (d == 0 || d == 2);
}

bpk_status bpk_hll_new(bpk_hll **out, const bpk_hll_config *cfg, const bpk_env *env) {
    if (!shape_valid(cfg->precision, cfg->window_bits)) return BPK_E_ARG;
    return bpki_hll_make_sparse(out, &cfg->domain, cfg->precision, cfg->window_bits, 0, env);
}

uint8_t bpk_hll_precision_for(double error, uint8_t window_bits) {
    if (!(error > 0 && error < 1)) return 0;
    for (unsigned p = BPK_HLL_PRECISION_MIN; p <= BPK_HLL_PRECISION_MAX; p++)
        if (bpki_ml_standard_error(p, window_bits) <= error) return (uint8_t)p;
    return 0;
}

static bpk_status config_from(bpk_hll_config *out, bpki_params *ps, bpk_err *err) {
    uint64_t window = bpki_param_count(ps, "window_bits", BPK_HLL_WINDOW_BITS);
    uint64_t p = bpki_param_count(ps, "precision", BPK_HLL_PRECISION);
    double error = bpki_param_share(ps, "error", 0);
    if (window != 0 && window != 2) bpki_param_fail(ps, "window_bits");
    if (p < BPK_HLL_PRECISION_MIN || p > BPK_HLL_PRECISION_MAX) bpki_param_fail(ps, "precision");
    if (bpki_param_given(ps, "error")) {
        uint8_t fit = bpk_hll_precision_for(error, (uint8_t)window);
        if (!fit || bpki_param_given(ps, "precision")) bpki_param_fail(ps, "error");
        p = fit;
    }
    BPK_TRY(bpki_params_end(ps, err));
    *out = (bpk_hll_config){.precision = (uint8_t)p, .window_bits = (uint8_t)window};
    return BPK_OK;
}

static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_hll_config cfg;
    BPK_TRY(config_from(&cfg, ps, err));
    assert(cfg.precision >= BPK_HLL_PRECISION_MIN);
    *out = (bpki_cost){.memory = sizeof(bpk_hll) + dense_size(cfg.precision), .body = hll_registers(cfg.precision)};
    if (items > hll_tokens_max(cfg.precision)) return BPK_OK;
    out->memory = sizeof(bpk_hll) + table_size(table_lg(cfg.precision, (uint32_t)items));
    out->body = sizeof(uint32_t) * items;
    return BPK_OK;
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_hll_config cfg;
    bpk_hll *h;
    BPK_TRY(config_from(&cfg, ps, err));
    BPK_TRY(bpki_hll_make_sparse(&h, d, cfg.precision, cfg.window_bits, 0, env));
    *out = &h->base;
    return BPK_OK;
}

static void release_cells(bpk_hll *h) {
    bpki_release(&h->base.env, h->cell.reg, h->cell_bytes);
}

void bpki_hll_release(bpk_sketch *s) {
    bpk_hll *h = as_hll(s);
    bpk_env env = s->env;
    release_cells(h);
    bpki_release(&env, h, sizeof *h);
}

/* Keeps the memory: a table of 2^(p-2) slots is as large as the registers. */
static void reset(bpk_sketch *s) {
    bpk_hll *h = as_hll(s);
    memset(h->cell.reg, 0, h->cell_bytes);
    if (h->form == HLL_REGISTERS) h->lg = (uint8_t)(h->p - 2);
    h->form = HLL_TABLE;
    h->histogram = NULL;
    h->count = 0;
    h->reduced = false;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_hll *h = as_hll_const(s);
    bpk_hll *made;
    BPK_TRY(bpki_hll_make_sparse(&made, &s->domain, h->p, h->d, 0, env));
    *out = &made->base;
    return BPK_OK;
}

/* Turns tokens to registers. On failure nothing has changed. */
static bpk_status make_dense(bpk_hll *h) {
    void *cells;
    if (h->form == HLL_REGISTERS) return BPK_OK;
    BPK_TRY(bpki_alloc(&h->base.env, dense_size(h->p), &cells));
    uint32_t at = 0, token;
    while ((token = bpki_hll_next_token(h, &at))) update(cells, mask_of(h->p), NULL, h->d, hash_of(token));
    release_cells(h);
    set_registers(h, cells);
    return BPK_OK;
}

/* Moves the tokens into a table of 2^lg slots. */
static bpk_status rehash(bpk_hll *h, unsigned lg) {
    void *cells;
    BPK_TRY(bpki_alloc(&h->base.env, table_size(lg), &cells));
    uint32_t at = 0, token, *table = cells;
    while ((token = bpki_hll_next_token(h, &at))) *slot_in(table, lg, h->salt, token) = token;
    release_cells(h);
    set_table(h, table, lg);
    return BPK_OK;
}

/* Makes room for `tokens` in all: a larger table, or registers. */
static bpk_status reserve(bpk_hll *h, uint32_t tokens) {
    if (tokens > hll_tokens_max(h->p)) return make_dense(h);
    unsigned lg = table_lg(h->p, tokens);
    return lg > h->lg ? rehash(h, lg) : BPK_OK;
}

/* ---- adding ---- */

static bpk_status add_token(bpk_hll *h, uint32_t token, bool *changed) {
    uint32_t *slot = slot_of(h, token);
    *changed = !*slot;
    if (*slot) return BPK_OK;
    if (UINT64_C(4) * (h->count + 1) > UINT64_C(3) << h->lg) {
        BPK_TRY(reserve(h, h->count + 1));
        if (h->form == HLL_REGISTERS) { /* the set has grown, even where no register does */
            update(h->cell.reg, mask_of(h->p), NULL, h->d, hash_of(token));
            return BPK_OK;
        }
        slot = slot_of(h, token);
    }
    *slot = token;
    h->count++;
    return BPK_OK;
}

/* Adds hashes until the table turns to registers; *done of them went in. */
static bpk_status add_sparse(bpk_hll *h, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done) {
    for (*done = 0; *done < n && h->form == HLL_TABLE; ++*done) {
        bool new;
        BPK_TRY(add_token(h, token_of(hash[*done]), &new));
        if (changed) changed[*done] = new;
    }
    return BPK_OK;
}

enum {
    BATCH = 256,
    PREFETCH_FROM = 22 /* precision; below, out-of-order execution does better (docs/rooms/hll.md) */
};

/* The hashes of a batch that can change something: no branch, no memory access beside the hashes. */
static size_t survivors(uint64_t *live, const uint64_t *hash, size_t n, unsigned skip) {
    uint64_t limit = UINT64_MAX >> skip;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        live[m] = hash[i];
        m += hash[i] <= limit;
    }
    return m;
}

static uint32_t apply(const bpk_hll *h, const uint64_t *hash, size_t n) {
    uint8_t *reg = h->cell.reg;
    uint64_t mask = mask_of(h->p);
    hll_histogram *hist = live_histogram(h);
    uint32_t changes = 0;
    if (h->p >= PREFETCH_FROM)
        for (size_t i = 0; i < n; i++) __builtin_prefetch(&reg[hash[i] & mask], 1);
    if (h->d == 0)
        for (size_t i = 0; i < n; i++) changes += update(reg, mask, hist, 0, hash[i]);
    else if (h->young && !hist)
        for (size_t i = 0; i < n; i++) changes += update_young(reg, mask, hash[i]);
    else
        for (size_t i = 0; i < n; i++) changes += update(reg, mask, hist, 2, hash[i]);
    return changes;
}

static void add_dense(bpk_hll *h, const uint64_t *hash, size_t n) {
    uint64_t live[BATCH];
    for (size_t take; n; n -= take, hash += take) {
        take = n < BATCH ? n : BATCH;
        const uint64_t *use = hash;
        size_t m = take;
        if (h->skip) {
            m = survivors(live, hash, take, h->skip);
            use = live;
        }
        note_changes(h, apply(h, use, m));
    }
}

static void add_dense_telling(bpk_hll *h, const uint64_t *hash, size_t n, uint8_t *changed) {
    for (size_t i = 0; i < n; i++) {
        changed[i] =
            hash[i] <= UINT64_MAX >> h->skip && update(h->cell.reg, mask_of(h->p), live_histogram(h), h->d, hash[i]);
        note_changes(h, changed[i]);
    }
}

static bpk_status add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_hll *h = as_hll(s);
    *done = 0;
    if (h->form == HLL_TABLE) BPK_TRY(add_sparse(h, it->hash, it->n, changed, done));
    size_t at = *done;
    if (changed) add_dense_telling(h, it->hash + at, it->n - at, changed + at);
    else add_dense(h, it->hash + at, it->n - at);
    *done = it->n;
    return BPK_OK;
}

/* ---- folding and merging ---- */

/* What register number i of precision p becomes at precision q < p. Only saturated ones change: the index bits given up
 * go on with the run of zeros, and of the old largest value it is then known that it did not occur, so no 1 is shifted
 * in. */
static uint8_t fold_register(uint8_t r, size_t i, unsigned p, unsigned q, unsigned d) {
    unsigned u = (unsigned)r >> d;
    if (u != 65 - p) return r;
    unsigned grow = p - q - bpki_bit_length(i >> q);
    return (uint8_t)((u + grow) << d | (r & ((1u << d) - 1)) >> grow);
}

static void unite(uint8_t *to, const uint8_t *from, size_t n, unsigned d) {
    if (d) bpki_kern()->ull_merge(to, from, n);
    else bpki_kern()->hll_max(to, from, n);
}

/* Unites registers of shape (p, d) into those of (q, e), q <= p and e <= d, block by block: a block has one i >> q. */
static void fold_into(uint8_t *to, unsigned q, unsigned e, const uint8_t *from, unsigned p, unsigned d) {
    uint8_t block[1024];
    size_t step = hll_registers(q) < sizeof block ? hll_registers(q) : sizeof block;
    for (size_t at = 0; at < hll_registers(p); at += step) {
        uint8_t most = 0;
        for (size_t i = 0; i < step; i++) {
            block[i] = (uint8_t)(from[at + i] >> (d - e));
            most = block[i] > most ? block[i] : most;
        }
        if (p > q && most >> e == (int)(65 - p))
            for (size_t i = 0; i < step; i++) block[i] = fold_register(block[i], at + i, p, q, e);
        unite(to + (at & (hll_registers(q) - 1)), block, step, e);
    }
}

/* Unites registers of any shape that is not below h's. */
static void unite_registers(bpk_hll *h, const bpk_hll *src) {
    if (h->p == src->p && h->d == src->d) unite(h->cell.reg, src->cell.reg, hll_registers(h->p), h->d);
    else fold_into(h->cell.reg, h->p, h->d, src->cell.reg, src->p, src->d);
    state_is_foreign(h);
}

/* How many of the tokens of src are not in the table of h. */
static uint32_t count_new(const bpk_hll *h, const bpk_hll *src) {
    uint32_t at = 0, token, n = 0;
    while ((token = bpki_hll_next_token(src, &at))) n += !*slot_of(h, token);
    return n;
}

static void add_tokens(bpk_hll *h, const bpk_hll *src) {
    uint32_t at = 0, token;
    while ((token = bpki_hll_next_token(src, &at))) {
        if (h->form == HLL_REGISTERS)
            note_changes(h, update(h->cell.reg, mask_of(h->p), live_histogram(h), h->d, hash_of(token)));
        else if (!*slot_of(h, token)) bpki_hll_put_token(h, token);
    }
}

/* Unites src, whose shape is not below h's. All memory is taken before the first change. */
static bpk_status absorb(bpk_hll *h, const bpk_hll *src) {
    if (src->form == HLL_REGISTERS) {
        BPK_TRY(make_dense(h));
        unite_registers(h, src);
        return BPK_OK;
    }
    if (h->form == HLL_TABLE) BPK_TRY(reserve(h, h->count + count_new(h, src)));
    add_tokens(h, src);
    return BPK_OK;
}

/* A new sketch with the contents of src at a shape that is not above it. */
static bpk_status reshaped(bpk_hll **out, const bpk_hll *src, unsigned p, unsigned d, const bpk_env *env) {
    bpk_hll *made;
    BPK_TRY(bpki_hll_make_sparse(&made, &src->base.domain, p, d, 0, env));
    bpk_status st = absorb(made, src);
    if (st == BPK_OK) {
        made->reduced = src->reduced;
        *out = made;
    } else {
        bpki_hll_release(&made->base);
    }
    return st;
}

static bpk_status copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    const bpk_hll *h = as_hll_const(s);
    bpk_hll *made;
    BPK_TRY(reshaped(&made, h, h->p, h->d, env));
    *out = &made->base;
    return BPK_OK;
}

/* Moves the state of `made`, which is freed, into h. */
static void take_state(bpk_hll *h, bpk_hll *made) {
    release_cells(h);
    made->base.meta = h->base.meta;
    bpk_hll keep = *made;
    bpki_release(&h->base.env, made, sizeof *made);
    *h = keep;
}

static bpk_status merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_hll *a = as_hll(dst), *made;
    const bpk_hll *b = as_hll_const(src);
    (void)err; /* every two shapes fit */
    unsigned p = a->p < b->p ? a->p : b->p, d = a->d < b->d ? a->d : b->d;
    bool reduced = a->reduced || b->reduced || a->p != b->p || a->d != b->d;
    if (p == a->p && d == a->d) {
        BPK_TRY(absorb(a, b));
    } else {
        BPK_TRY(reshaped(&made, a, p, d, &dst->env));
        bpk_status st = absorb(made, b);
        if (st != BPK_OK) {
            bpki_hll_release(&made->base);
            return st;
        }
        take_state(a, made);
    }
    a->reduced = reduced;
    return BPK_OK;
}

bpk_status bpk_hll_fold(bpk_hll *h, uint8_t precision, uint8_t window_bits) {
    if (!shape_valid(precision, window_bits)) return BPK_E_ARG;
    unsigned p = h->p < precision ? h->p : precision, d = h->d < window_bits ? h->d : window_bits;
    if (p == h->p && d == h->d) return BPK_OK;
    bpk_hll *made;
    BPK_TRY(reshaped(&made, h, p, d, &h->base.env));
    take_state(h, made);
    h->reduced = true;
    return BPK_OK;
}

/* ---- questions ---- */

/* Four tables, so that equal neighbours do not wait for each other's store. */
static void count_registers(const uint8_t *reg, size_t n, uint32_t out[256]) {
    uint32_t part[4][256];
    memset(part, 0, sizeof part);
    for (size_t i = 0; i < n; i += 4)
        for (size_t j = 0; j < 4; j++) part[j][reg[i + j]]++;
    for (size_t i = 0; i < 256; i++) out[i] = part[0][i] + part[1][i] + part[2][i] + part[3][i];
}

bpk_estimate bpk_hll_count(const bpk_hll *h, double confidence) {
    confidence = bpki_confidence(confidence);
    bpk_estimate e;
    hll_histogram fresh, *hist = h->histogram ? h->histogram : &fresh;
    if (h->form != HLL_REGISTERS) {
        e = bpki_ml_tokens(h->count, confidence);
    } else {
        if (hist == &fresh || !hist->live) count_registers(h->cell.reg, hll_registers(h->p), hist->count);
        hist->live = true;
        e = bpki_ml_registers(hist->count, h->p, h->d, confidence);
    }
    if (h->reduced) e.flags |= BPK_REDUCED;
    return e;
}

uint8_t bpk_hll_precision(const bpk_hll *h) {
    return h->p;
}

uint8_t bpk_hll_window_bits(const bpk_hll *h) {
    return h->d;
}

double bpk_hll_standard_error(uint8_t precision, uint8_t window_bits) {
    return bpki_ml_standard_error(precision, window_bits);
}

const bpk_hll *bpk_as_hll(const bpk_sketch *s) {
    return s->ops == &bpki_hll_ops ? as_hll_const(s) : NULL;
}

static bpk_status count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err) {
    (void)n;
    if (hash) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "count of an item", "hll");
    *out = bpk_hll_count(as_hll_const(s), confidence);
    return BPK_OK;
}

static size_t memory(const bpk_sketch *s) {
    return sizeof(bpk_hll) + as_hll_const(s)->cell_bytes;
}

static void info(const bpk_sketch *s, bpki_walk *w) {
    const bpk_hll *h = as_hll_const(s);
    bool dense = h->form == HLL_REGISTERS;
    bpki_walk_number(w, "precision", h->p, BPK_UNIT_NONE);
    bpki_walk_number(w, "window_bits", h->d, BPK_UNIT_NONE);
    bpki_walk_text(w, "contents", dense ? "registers" : "tokens");
    bpki_walk_estimate(w, "items", bpk_hll_count(h, 0), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "standard_error", bpki_ml_standard_error(h->p, h->d), BPK_UNIT_SHARE);
    bpki_walk_number(w, "tokens_up_to", hll_tokens_max(h->p), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "reduced", h->reduced, BPK_UNIT_FLAG);
}

/* Registers that are not empty and registers at their end. */
static void use_of(const bpk_hll *h, uint32_t *used, uint32_t *stuck) {
    *used = *stuck = 0;
    for (size_t i = 0; i < hll_registers(h->p); i++) {
        *used += h->cell.reg[i] != 0;
        *stuck += (unsigned)h->cell.reg[i] >> h->d == 65u - h->p;
    }
}

static bpk_state health(const bpk_sketch *s, bpki_health *out) {
    const bpk_hll *h = as_hll_const(s);
    bool dense = h->form == HLL_REGISTERS;
    uint32_t used = h->count, stuck = 0;
    if (dense) use_of(h, &used, &stuck);
    out->items = bpk_hll_count(h, 0);
    out->fill = used / (double)(dense ? hll_registers(h->p) : hll_tokens_max(h->p));
    out->saturated = stuck;
    out->error_now = dense ? bpki_ml_standard_error(h->p, h->d) : 0;
    bpki_hll_fit(h, &out->chi_square, &out->freedom);
    bool full = out->items.flags & BPK_SATURATED, hollow = bpki_hll_hollow(h);
    out->reason = full     ? "every register is at its end"
                  : hollow ? "fewer items than registers come from: chosen items"
                           : "within its range";
    return full || hollow ? BPK_HEALTH_OVER : BPK_HEALTH_OK;
}

const bpki_ops bpki_hll_ops = {
    .kind = BPK_KIND_HLL,
    .name = "hll",
    .question = "how many different?",
    .params_n = 8,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = merge,
    .copy = copy,
    .twin = twin,
    .reset = reset,
    .release = bpki_hll_release,
    .memory = memory,
    .body_size = bpki_hll_body_size,
    .encode_params = bpki_hll_encode_params,
    .encode_body = bpki_hll_encode_body,
    .decode = bpki_hll_decode,
    .info = info,
    .health = health,
    .view = bpki_hll_view,
    .count = count,
};
