/* sample.c - layer 2: show me some of the records at random. Making, adding, what it is.
 *
 * A stratum that is full keeps a record when its tag is below T, the largest tag that is kept. The weight that passes
 * until one is is exponential with rate T, so one draw skips all of it, and the record that is hit gets a tag from
 * below T: -ln(1 - u (1 - e^(-w T))) / w (A-ExpJ, Efraimidis and Spirakis 2006). With all weights 1 that is Algorithm L
 * (Li 1994) with its threshold left standing as a tag. Tags make a merge the k smallest of all.
 *
 * sample_strata.c finds groups, sample_merge.c unites, sample_rows.c answers, sample_wire.c has the bytes,
 * sample_pick.c chooses without keeping. docs/rooms/sample.md has the proofs.
 */
#include <math.h>

#include "sample_state.h"

static bpk_sample *as_sample(bpk_sketch *s) {
    return (bpk_sample *)s;
}
static const bpk_sample *as_sample_const(const bpk_sketch *s) {
    return (const bpk_sample *)s;
}

/* ---- memory: all of it together stays below the environment's limit ---- */

bpk_status bpki_sample_alloc(bpk_sample *s, size_t n, void **out) {
    if (n > s->base.env.max_bytes - s->held) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(&s->base.env, n, out));
    s->held += n;
    return BPK_OK;
}

/* *p keeps its first old_n bytes; what is behind them is not set. */
bpk_status bpki_sample_resize(bpk_sample *s, void **p, size_t old_n, size_t n) {
    const bpk_env *env = &s->base.env;
    if (!*p) return bpki_sample_alloc(s, n, p);
    if (n - old_n > env->max_bytes - s->held) return BPK_E_LIMIT;
    void *moved = env->resize(env->ctx, *p, old_n, n);
    if (!moved) return BPK_E_NOMEM;
    *p = moved;
    s->held += n - old_n;
    return BPK_OK;
}

void bpki_sample_drop(bpk_sample *s, void *p, size_t n) {
    if (!p) return;
    bpki_release(&s->base.env, p, n);
    s->held -= n;
}

/* ---- making ---- */

bpk_status bpki_sample_make(bpk_sample **out, const bpk_sample_config *cfg, const bpk_env *env) {
    void *object, *p = NULL;
    env = bpki_env(env);
    BPK_TRY(bpki_alloc(env, sizeof(bpk_sample), &object));
    bpk_sample *s = object;
    bpk_status st = bpki_sketch_init(&s->base, &bpki_sample_ops, &cfg->domain, env);
    if (st != BPK_OK) {
        bpki_release(env, s, sizeof *s);
        return st;
    }
    s->k = cfg->k;
    s->groups = cfg->groups;
    s->weighted = cfg->weighted;
    s->salt = bpki_salt(s);
    st = bpki_sample_alloc(s, sizeof(sample_source), &p);
    if (st == BPK_OK) {
        s->source = p;
        s->sources = s->sources_room = 1;
        s->source[0] = (sample_source){cfg->seed, cfg->stream, 0, 0};
        if (s->weighted) st = bpki_sample_alloc(s, BPKI_SUM_WORDS * sizeof *s->rest.sum, &p);
    }
    if (st == BPK_OK && s->weighted) s->rest.sum = p;
    if (st == BPK_OK) *out = s;
    else bpki_sample_release(&s->base);
    return st;
}

bpk_status bpk_sample_new(bpk_sample **out, const bpk_sample_config *cfg, const bpk_env *env) {
    if (cfg->k > BPK_SAMPLE_K_MAX || cfg->groups > BPK_SAMPLE_GROUPS_MAX) return BPK_E_ARG;
    return bpki_sample_make(out, cfg, env);
}

static bpk_status config_from(bpk_sample_config *cfg, bpki_params *ps, bpk_err *err) {
    static const char *const words[] = {"no", "yes", NULL};
    uint64_t k = bpki_param_count(ps, "k", BPK_SAMPLE_K), groups = bpki_param_count(ps, "groups", 0);
    if (k > BPK_SAMPLE_K_MAX) bpki_param_fail(ps, "k");
    if (groups > BPK_SAMPLE_GROUPS_MAX) bpki_param_fail(ps, "groups");
    cfg->weighted = bpki_param_word(ps, "weighted", words, 0) != 0;
    cfg->seed = bpki_param_count(ps, "seed", 0);
    cfg->stream = bpki_param_count(ps, "stream", 0);
    cfg->k = (uint32_t)k;
    cfg->groups = (uint32_t)groups;
    return bpki_params_end(ps, err);
}

static bpk_status create(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err) {
    bpk_sample_config cfg = {.domain = *d};
    bpk_sample *s;
    BPK_TRY(config_from(&cfg, ps, err));
    BPK_TRY(bpki_sample_make(&s, &cfg, env));
    *out = &s->base;
    return BPK_OK;
}

/* Of records alone: names of groups come on top. */
static bpk_status cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err) {
    bpk_sample_config cfg = {.k = 0};
    BPK_TRY(config_from(&cfg, ps, err));
    uint64_t strata = cfg.groups + UINT64_C(1), most = cfg.k * strata;
    uint64_t sums = cfg.weighted ? BPKI_SUM_WORDS * sizeof(uint64_t) * strata : 0;
    *out = (bpki_cost){.memory = sizeof(bpk_sample) + sizeof(sample_source) + sums + bpki_sample_room_bytes(cfg.groups),
                       .body = SAMPLE_COUNTS + SAMPLE_SOURCE + SAMPLE_STRATUM * strata + sums,
                       .keys = items < most ? items : most,
                       .key_bytes = UINT64_MAX,
                       .key_memory = sizeof(sample_entry),
                       .key_body = sample_entry_size(cfg.weighted)};
    return BPK_OK;
}

void bpki_sample_empty(bpk_sample *s, sample_stratum *t) {
    for (uint32_t i = 0; i < t->kept; i++) bpki_sample_drop(s, t->entry[i].bytes, t->entry[i].len);
    bpki_sample_drop(s, t->entry, t->room * sizeof *t->entry);
    if (t->sum) memset(t->sum, 0, BPKI_SUM_WORDS * sizeof *t->sum);
    t->entry = NULL;
    t->kept = t->room = 0;
    t->drawn = false;
    t->skip = t->n = 0;
    t->left = 0;
}

void bpki_sample_release(bpk_sketch *base) {
    bpk_sample *s = as_sample(base);
    bpk_env env = base->env;
    bpki_sample_drop_groups(s);
    bpki_sample_empty(s, &s->rest);
    bpki_sample_drop(s, s->rest.sum, BPKI_SUM_WORDS * sizeof *s->rest.sum);
    bpki_sample_drop(s, s->source, s->sources_room * sizeof *s->source);
    assert(s->held == 0);
    bpki_release(&env, s, sizeof *s);
}

static void reset(bpk_sketch *base) {
    bpk_sample *s = as_sample(base);
    bpki_sample_drop_groups(s);
    bpki_sample_empty(s, &s->rest);
    s->sources = 1;
    s->source[0].draws = s->source[0].n = s->n = 0;
}

static bpk_status twin_at(bpk_sketch **out, const bpk_sketch *base, uint64_t number, const bpk_env *env) {
    const bpk_sample *s = as_sample_const(base);
    const sample_source *parent = &s->source[0];
    bpk_sample_config cfg = {base->domain, s->k, s->groups, s->weighted, parent->seed, 0};
    bpk_sample *made;
    cfg.stream = bpki_draw(parent->seed, parent->stream, BPKI_DRAW_TWIN | number);
    BPK_TRY(bpki_sample_make(&made, &cfg, env));
    *out = &made->base;
    return BPK_OK;
}

static bpk_status twin(bpk_sketch **out, const bpk_sketch *base, const bpk_env *env) {
    return twin_at(out, base, 0, env);
}

static bool splittable(const bpk_sketch *s) {
    (void)s; /* a twin draws otherwise */
    return false;
}

static size_t memory(const bpk_sketch *s) {
    return sizeof(bpk_sample) + as_sample_const(s)->held;
}

/* ---- the heap of a stratum ---- */

bool bpki_sample_below(const sample_entry *a, const sample_entry *b) {
    if (a->tag != b->tag) return a->tag < b->tag;
    if (a->source != b->source) return a->source < b->source;
    return a->at < b->at;
}

bpk_status bpki_sample_reserve(bpk_sample *s, sample_stratum *t, uint32_t kept) {
    enum { FIRST = 4 };
    if (kept > s->k) kept = s->k;
    if (kept <= t->room) return BPK_OK;
    uint32_t want = t->room ? 2 * t->room : FIRST;
    if (want < kept) want = kept;
    if (want > s->k) want = s->k;
    void *p = t->entry;
    BPK_TRY(bpki_sample_resize(s, &p, t->room * sizeof *t->entry, want * sizeof *t->entry));
    t->entry = p;
    t->room = want;
    return BPK_OK;
}

/* Four children a place, which lie side by side: half as many steps, each of which misses the cache once. */
enum { CHILDREN = 4 };

static void rise(sample_entry *heap, uint32_t at, const sample_entry *e) {
    for (uint32_t parent; at && bpki_sample_below(&heap[parent = (at - 1) / CHILDREN], e); at = parent)
        heap[at] = heap[parent];
    heap[at] = *e;
}

/* From the top, which is free. */
static void sink(sample_entry *heap, uint32_t n, const sample_entry *e) {
    uint32_t at = 0;
    for (uint32_t first; (first = CHILDREN * at + 1) < n;) {
        uint32_t child = first, end = n - first < CHILDREN ? n : first + CHILDREN;
        for (uint32_t i = first + 1; i < end; i++)
            if (bpki_sample_below(&heap[child], &heap[i])) child = i;
        if (!bpki_sample_below(e, &heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = *e;
}

void bpki_sample_put(bpk_sample *s, sample_stratum *t, const sample_entry *e) {
    bool full = sample_full(s, t), enters = !full || (s->k && bpki_sample_below(e, &t->entry[0]));
    const sample_entry *out = enters ? full ? &t->entry[0] : NULL : e;
    if (out) bpki_sample_drop(s, out->bytes, out->len);
    if (enters && full) sink(t->entry, t->kept, e);
    if (enters && !full) rise(t->entry, t->kept++, e);
}

/* ---- adding ---- */

static uint64_t draw(bpk_sample *s) {
    return bpki_draw(s->source[0].seed, s->source[0].stream, BPKI_DRAW_TAGS | s->source[0].draws++);
}

/* The weight that passes before a full stratum keeps a record. */
static double skip_of(uint64_t draw, const sample_stratum *t) {
    return bpki_exponential(draw) / t->entry[0].tag;
}
static uint64_t records_of(double weight) {
    return weight < 0x1p62 ? (uint64_t)weight : SAMPLE_SKIP_MAX;
}

/* A record comes to a full stratum. */
static void draw_skip(bpk_sample *s, sample_stratum *t) {
    if (t->drawn) return;
    double skip = skip_of(draw(s), t);
    if (s->weighted) t->left = skip;
    else t->skip = records_of(skip);
    t->drawn = true;
}

/* Whether the next record of this stratum is kept; if not, it has passed. */
static bool wanted(bpk_sample *s, sample_stratum *t, double weight) {
    if (s->k == 0 || weight == 0) return false;
    if (!sample_full(s, t)) return true;
    draw_skip(s, t);
    bool hit = s->weighted ? t->left < weight : t->skip == 0;
    if (!hit && s->weighted) t->left -= weight;
    if (!hit && !s->weighted) t->skip--;
    return hit;
}

/* Of a record that is kept: below T where T is all there is place for. */
static double tag_of(uint64_t draw, double weight, const sample_stratum *t, bool full) {
    if (!full) return bpki_exponential(draw) / weight;
    double most = t->entry[0].tag, below = bpki_expm1(-(weight * most));
    double tag = -bpki_log1p(bpki_product(bpki_unit(draw), below)) / weight;
    return tag < most ? tag : bpki_neighbour(most, -1);
}

typedef struct arrival {
    sample_key key; /* of its group, where there are any */
    const void *item;
    size_t len;
    uint64_t hash;
    double weight;
} arrival;

static void place(bpk_sample *s, sample_stratum *t, const arrival *a, void *bytes) {
    sample_entry e = {.weight = a->weight, .hash = a->hash, .at = s->source[0].n, .len = (uint32_t)a->len};
    e.bytes = bytes;
    e.tag = tag_of(draw(s), a->weight, t, sample_full(s, t));
    bpki_sample_put(s, t, &e);
    t->drawn = false;
    t->skip = 0;
    t->left = 0;
}

static bpk_status copy_bytes(bpk_sample *s, const arrival *a, void **out) {
    *out = NULL;
    if (a->len == 0) return BPK_OK;
    if (a->len > UINT32_MAX) return BPK_E_LIMIT;
    BPK_TRY(bpki_sample_alloc(s, a->len, out));
    memcpy(*out, a->item, a->len);
    return BPK_OK;
}

/* All memory is there before anything changes but the skip, which is taken back when there is none. */
static bpk_status add_one(bpk_sample *s, const arrival *a) {
    sample_stratum *t = s->groups ? bpki_sample_find(s, &a->key) : &s->rest;
    sample_stratum before = t ? *t : (sample_stratum){.n = 0};
    uint64_t draws = s->source[0].draws;
    bool keep = t ? wanted(s, t, a->weight) : s->k && a->weight > 0;
    void *bytes = NULL;
    bpk_status st = keep ? copy_bytes(s, a, &bytes) : BPK_OK;
    if (st == BPK_OK && !t) st = bpki_sample_group(s, &a->key, keep, &t);
    else if (st == BPK_OK && keep) st = bpki_sample_reserve(s, t, t->kept + 1);
    if (st != BPK_OK) {
        bpki_sample_drop(s, bytes, a->len);
        if (t) *t = before;
        s->source[0].draws = draws;
        return st;
    }
    if (keep) place(s, t, a, bytes);
    if (s->weighted) bpki_sum_add(t->sum, a->weight);
    t->n++;
    s->source[0].n++;
    s->n++;
    return BPK_OK;
}

static double weight_at(const bpk_items *it, size_t i) {
    if (it->real_weight) return it->real_weight[i];
    return it->weight ? (double)it->weight[i] : 1;
}

static bpk_status add_at(bpk_sample *s, const bpk_items *it, size_t i) {
    arrival a = {.hash = it->hash[i], .weight = s->weighted ? weight_at(it, i) : 1};
    if (!sample_weight_valid(a.weight) || (s->groups && !it->group)) return BPK_E_ARG;
    if (s->n == SAMPLE_N_MAX) return BPK_E_FULL;
    if (it->item) a.item = it->item[i], a.len = it->len[i];
    if (s->groups) a.key.hash = it->group[i];
    if (s->groups && it->group_name) {
        if (it->group_len[i] > UINT32_MAX) return BPK_E_LIMIT;
        a.key.name = it->group_name[i];
        a.key.len = (uint32_t)it->group_len[i];
    }
    return add_one(s, &a);
}

static void count_passed(bpk_sample *s, sample_stratum *t, uint64_t n) {
    if (s->k) t->skip -= n;
    t->n += n;
    s->source[0].n += n;
    s->n += n;
}

/* Without weights and strata nothing is looked at that is not kept. A skip of nothing is left to the record that it
 * hits, which may find no memory and then has drawn nothing. */
static size_t pass_many(bpk_sample *s, size_t n) {
    sample_stratum *t = &s->rest;
    uint64_t pass = SAMPLE_N_MAX - s->n;
    bool drawn = t->drawn;
    if (!sample_full(s, t)) return 0;
    if (s->k && pass) draw_skip(s, t);
    if (s->k && t->skip < pass) pass = t->skip;
    if (n < pass) pass = n;
    if (pass) count_passed(s, t, pass);
    else if (t->drawn && !drawn) t->drawn = false, s->source[0].draws--;
    return (size_t)pass;
}

static bpk_status add(bpk_sketch *base, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_sample *s = as_sample(base);
    bpk_status st = BPK_OK;
    bool plain = !s->weighted && !s->groups;
    size_t i = 0;
    while (i < it->n) {
        if (plain) i += pass_many(s, it->n - i);
        if (i == it->n || (st = add_at(s, it, i)) != BPK_OK) break;
        i++;
    }
    if (changed) memset(changed, 1, i);
    *done = i;
    return st;
}

uint64_t bpk_sample_ahead(const bpk_sample *s) {
    const sample_stratum *t = &s->rest;
    const sample_source *from = &s->source[0];
    uint64_t room = SAMPLE_N_MAX - s->n, pass = t->skip;
    if (s->weighted || s->groups || !sample_full(s, t)) return 0;
    if (s->k == 0) return room;
    if (!t->drawn) pass = records_of(skip_of(bpki_draw(from->seed, from->stream, BPKI_DRAW_TAGS | from->draws), t));
    return pass < room ? pass : room;
}

bpk_status bpk_sample_pass(bpk_sample *s, uint64_t n) {
    if (n > bpk_sample_ahead(s)) return BPK_E_ARG;
    if (n && s->k) draw_skip(s, &s->rest);
    count_passed(s, &s->rest, n);
    return BPK_OK;
}

/* ---- what it is ---- */

uint32_t bpk_sample_k(const bpk_sample *s) {
    return s->k;
}
uint64_t bpk_sample_seen(const bpk_sample *s) {
    return s->n;
}
uint64_t bpk_sample_kept(const bpk_sample *s) {
    uint64_t kept = s->rest.kept;
    for (uint32_t i = 0; i < s->named; i++) kept += s->strata[i].kept;
    return kept;
}
const bpk_sample *bpk_as_sample(const bpk_sketch *s) {
    return s->ops == &bpki_sample_ops ? as_sample_const(s) : NULL;
}

static void info(const bpk_sketch *base, bpki_walk *w) {
    const bpk_sample *s = as_sample_const(base);
    char text[21];
    bpki_walk_number(w, "k", s->k, BPK_UNIT_NONE);
    bpki_walk_number(w, "weighted", s->weighted, BPK_UNIT_FLAG);
    bpki_walk_number(w, "n", (double)s->n, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "kept", (double)bpk_sample_kept(s), BPK_UNIT_ITEMS);
    bpki_walk_number(w, "groups", s->groups, BPK_UNIT_NONE);
    bpki_walk_number(w, "strata", (double)bpki_sample_strata_n(s), BPK_UNIT_NONE);
    if (s->groups) bpki_walk_number(w, "pooled", (double)s->rest.n, BPK_UNIT_ITEMS);
    bpki_walk_number(w, "sources", s->sources, BPK_UNIT_NONE);
    bpki_decimal(text, s->source[0].seed);
    bpki_walk_text(w, "sample_seed", text);
    bpki_decimal(text, s->source[0].stream);
    bpki_walk_text(w, "stream", text);
}

static bpk_state health(const bpk_sketch *base, bpki_health *h) {
    const bpk_sample *s = as_sample_const(base);
    double places = (double)s->k * (double)bpki_sample_strata_n(s);
    bool pooled = s->groups && s->rest.n;
    h->fill = places > 0 ? (double)bpk_sample_kept(s) / places : NAN;
    h->total = 0;
    for (size_t i = 0; i < s->named; i++) h->total += sample_weight_of(s, &s->strata[i]);
    h->total += sample_weight_of(s, &s->rest);
    h->error_now = bpk_sample_error(s, 0.6827); /* one standard error */
    h->reason = pooled ? "more groups than strata: the last one is pooled" : "within its range";
    return pooled ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
}

const bpki_ops bpki_sample_ops = {
    .kind = BPK_KIND_SAMPLE,
    .name = "sample",
    .question = "what do some of them look like?",
    .params_n = SAMPLE_PARAMS,
    .panes = true,
    .create = create,
    .cost = cost,
    .add = add,
    .merge = bpki_sample_merge,
    .merge_many = bpki_sample_merge_many,
    .copy = bpki_sample_copy,
    .twin = twin,
    .twin_at = twin_at,
    .reset = reset,
    .release = bpki_sample_release,
    .memory = memory,
    .body_size = bpki_sample_body_size,
    .encode_params = bpki_sample_encode_params,
    .encode_body = bpki_sample_encode_body,
    .decode = bpki_sample_decode,
    .info = info,
    .health = health,
    .count = bpki_sample_count,
    .rows = bpki_sample_rows,
    .splittable = splittable,
};
