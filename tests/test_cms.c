/* test_cms.c - the promises of the count-min sketch: never an undercount, linear where plain, all or nothing. */
#include "t_streams.h"

#include "cells.h"

static bpk_cms *new_cms(uint32_t width, uint32_t depth, uint8_t cell_bytes, bool conservative) {
    bpk_cms *c = NULL;
    bpk_cms_config cfg = {.width = width, .depth = depth, .cell_bytes = cell_bytes, .conservative = conservative};
    assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
    return c;
}
static void drop(bpk_cms *c) {
    bpk_free(bpk_cms_base(c));
}
static bpk_cms *copy_of(const bpk_cms *c) {
    bpk_env env = bpk_env_default();
    bpk_sketch *s;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)c, &env), BPK_OK);
    return (bpk_cms *)s;
}
static void add_one(bpk_cms *c, uint64_t hash, uint64_t weight) {
    bpk_items it = {.n = 1, .hash = &hash, .weight = &weight};
    assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
}
static bpk_estimate ask(const bpk_cms *c, uint64_t hash) {
    bpk_estimate e;
    assert_int_equal(bpk_count((const bpk_sketch *)c, &hash, 1, 0, &e, NULL), BPK_OK);
    t_assert_sound(&e);
    return e;
}
static void assert_same(const bpk_cms *a, const bpk_cms *b) {
    t_assert_same_bytes((const bpk_sketch *)a, (const bpk_sketch *)b);
}

/* ---- making ---- */

static void text_parameters_make_the_same_sketch_and_name_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        bpk_param p[5];
        size_t n;
        uint32_t width, depth;
        uint8_t cell, conservative;
    } good[] = {
        {{{NULL, NULL}}, 0, 2719, 5, 4, 1},
        {{{"epsilon", "0.1%"}, {"delta", "1%"}, {"update", "plain"}}, 3, 2719, 5, 4, 0},
        {{{"epsilon", "0.001"}, {"delta", "0.002"}, {"sizing", "2"}}, 3, 2000, 9, 4, 1},
        {{{"width", "1k"}, {"depth", "4"}, {"cell_bytes", "8"}}, 3, 1000, 4, 8, 1},
        {{{"width", "7"}}, 1, 7, 3, 4, 1},
        {{{"bytes", "1200"}, {"cell_bytes", "2"}}, 2, 200, 3, 2, 1},
    };
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        bpk_sketch *s = NULL;
        assert_int_equal(bpk_new(&s, "cms", NULL, good[i].p, good[i].n, NULL, NULL), BPK_OK);
        bpk_cms *same = new_cms(good[i].width, good[i].depth, good[i].cell, good[i].conservative);
        t_assert_same_bytes(s, bpk_cms_base(same));
        assert_ptr_equal(bpk_as_cms(s), s);
        bpk_free(s);
        drop(same);
    }
    static const struct {
        bpk_param p[2];
        size_t n;
        const char *field;
    } bad[] = {{{{"epsilon", "0"}}, 1, "epsilon"},
               {{{"epsilon", "1e-12"}}, 1, "epsilon"},
               {{{"delta", "1"}}, 1, "delta"},
               {{{"delta", "1e-20"}}, 1, "delta"},
               {{{"width", "0"}}, 1, "width"},
               {{{"depth", "3"}}, 1, "width"},
               {{{"width", "4294967296"}}, 1, "width"},
               {{{"width", "9"}, {"depth", "33"}}, 2, "depth"},
               {{{"cell_bytes", "3"}}, 1, "cell_bytes"},
               {{{"update", "quick"}}, 1, "update"},
               {{{"bytes", "2"}}, 1, "bytes"},
               {{{"sizing", "10"}}, 1, "sizing"},
               {{{"bytes", "1k"}, {"width", "9"}}, 2, "width"},
               {{{"colour", "red"}}, 1, "colour"}};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_sketch *s = NULL;
        bpk_err err;
        assert_int_equal(bpk_new(&s, "cms", NULL, bad[i].p, bad[i].n, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i].field);
    }
}

static void members_out_of_range_and_sizes_over_the_limit_are_refused(void **state) {
    (void)state;
    static const bpk_cms_config bad[] = {
        {.width = 0, .depth = 1, .cell_bytes = 4},  {.width = 1, .cell_bytes = 4},
        {.width = 1, .depth = 33, .cell_bytes = 4}, {.width = 1, .depth = 1},
        {.width = 1, .depth = 1, .cell_bytes = 3},  {.width = 1, .depth = 1, .cell_bytes = 4, .conservative = 2}};
    bpk_cms *c = NULL;
    bpk_cms_config large = {.width = UINT32_MAX, .depth = 32, .cell_bytes = 8}, cfg = {.width = 0};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) assert_int_equal(bpk_cms_new(&c, &bad[i], NULL), BPK_E_ARG);
    assert_int_equal(bpk_cms_new(&c, &large, NULL), BPK_E_LIMIT);
    assert_null(c);
    static const double wrong[][2] = {{0, 0.1}, {1, 0.1}, {0.1, 0}, {0.1, 1}, {NAN, 0.1}, {0.1, NAN}, {1e-12, 0.1}};
    for (size_t i = 0; i < BPKI_COUNT(wrong); i++)
        assert_int_equal(bpk_cms_size(&cfg, wrong[i][0], wrong[i][1], false), BPK_E_ARG);
    assert_int_equal(cfg.width, 0);
    assert_int_equal(bpk_cms_size(&cfg, 0.9, 0.9, false), BPK_OK);
    assert_true(cfg.width == 4 && cfg.depth == 1);
}

/* ---- a model of every cell, and of the truth ---- */

enum { KEYS = 1500, WIDTH = 97, DEPTH = 4, MOST = 64, STEPS = 130000 };

typedef struct model {
    uint64_t cell[DEPTH][WIDTH], total, truth[KEYS], cap;
    bool conservative;
} model;

static uint64_t plus(uint64_t a, uint64_t b, uint64_t cap) {
    return b > cap || a > cap - b ? cap : a + b;
}
static uint64_t position(uint64_t hash, uint32_t row) {
    while (row-- > 0) hash = bpki_cells_next(hash);
    return hash;
}
static uint64_t *cell_of(model *m, uint64_t hash, uint32_t r) {
    return &m->cell[r][bpki_mulhi(position(hash, r), WIDTH)];
}
static uint64_t least(model *m, uint64_t hash) {
    uint64_t min = UINT64_MAX;
    for (uint32_t r = 0; r < DEPTH; r++) min = *cell_of(m, hash, r) < min ? *cell_of(m, hash, r) : min;
    return min;
}
static uint64_t key_hash(uint64_t id) {
    return t_hash(40, id);
}
static void model_add(model *m, uint64_t id, uint64_t by) {
    uint64_t to = plus(least(m, key_hash(id)), by, m->cap);
    for (uint32_t r = 0; r < DEPTH; r++) {
        uint64_t *v = cell_of(m, key_hash(id), r);
        *v = m->conservative ? (*v < to ? to : *v) : plus(*v, by, m->cap);
    }
    m->total = plus(m->total, by, UINT64_MAX);
    m->truth[id] = plus(m->truth[id], by, UINT64_MAX);
}
/* Takes away; false where a cell that is not at its end would fall below 0. */
static bool model_take(model *m, uint64_t id, uint64_t by) {
    for (uint32_t r = 0; r < DEPTH; r++) {
        uint64_t *v = cell_of(m, key_hash(id), r);
        if (*v == m->cap) continue;
        if (*v < by) return false;
        *v -= by;
    }
    if (m->total != UINT64_MAX) m->total = m->total < by ? 0 : m->total - by;
    if (m->truth[id] != UINT64_MAX) m->truth[id] -= by;
    return true;
}
static void assert_equal(const bpk_cms *c, const model *m) {
    t_bytes b = t_encode((const bpk_sketch *)c, BPK_FORM_VIEW);
    const uint8_t *at = b.p + 128;
    unsigned size = (unsigned)t_info((const bpk_sketch *)c, "cell_bytes");
    assert_int_equal(b.n, 136 + DEPTH * WIDTH * size);
    for (uint32_t r = 0; r < DEPTH; r++)
        for (size_t i = 0; i < WIDTH; i++, at += size) assert_true(bpki_cell_load(at, size) == m->cell[r][i]);
    assert_true(bpk_cms_total(c) == m->total);
    free(b.p);
}
static void assert_no_undercount(const bpk_cms *c, const model *m) {
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    for (uint64_t i = 0; i < KEYS; i++) {
        bpk_estimate e = bpk_cms_count(c, key_hash(i), &noise, 0);
        if (e.upper < (double)m->truth[i])
            fail_msg("item %.0f: %.0f under %.0f", (double)i, e.upper, (double)m->truth[i]);
        assert_true(e.lower <= e.estimate && e.estimate <= e.upper);
    }
}

/* One random batch into both; returns its items. */
static size_t add_batch(bpk_cms *c, model *m, t_rng *r, unsigned bits) {
    uint64_t hash[MOST], weight[MOST];
    uint8_t changed[MOST];
    size_t n = (size_t)t_below(r, MOST) + 1, done = 0;
    bool ones = t_below(r, 4) == 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = t_below(r, t_below(r, KEYS) + 1);
        hash[i] = key_hash(id);
        weight[i] = ones ? 1 : t_below(r, 9) == 0 ? 0 : t_log_uniform(r, bits);
        model_add(m, id, weight[i]);
    }
    bpk_items it = {.n = n, .hash = hash, .weight = ones ? NULL : weight};
    assert_int_equal(bpk_add(bpk_cms_base(c), &it, changed, &done), BPK_OK);
    assert_int_equal(done, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(changed[i], weight[i] != 0);
    return n;
}

/* What surely leaves a count below 0: more than a cell that is not at its end. */
static bool spoil(model *m, t_rng *r, uint64_t *id, int64_t *by) {
    *id = t_below(r, KEYS);
    uint64_t min = least(m, key_hash(*id));
    if (min >= m->cap || min >= INT64_MAX) return false;
    *by = t_below(r, 2) ? INT64_MIN : -(int64_t)(min + 1);
    return true;
}

static size_t adjust_batch(bpk_cms *c, model *m, t_rng *r, unsigned bits) {
    static model before;
    uint64_t hash[MOST], after[MOST], id[MOST];
    int64_t by[MOST];
    size_t n = (size_t)t_below(r, MOST) + 1, spoiled = !m->conservative && t_below(r, 3) == 0 ? t_below(r, n) : MOST;
    bool fine = true;
    before = *m;
    memset(after, 0xee, sizeof after);
    for (size_t i = 0; i < n; i++) {
        id[i] = t_below(r, KEYS);
        by[i] = (int64_t)(t_log_uniform(r, bits) & INT64_MAX);
        uint64_t had = m->truth[id[i]] < INT64_MAX ? m->truth[id[i]] : INT64_MAX;
        if (!m->conservative && had && t_below(r, 2)) by[i] = -(int64_t)(t_below(r, had) + 1);
        if (i == spoiled && !spoil(m, r, &id[i], &by[i])) by[i] = 0;
        hash[i] = key_hash(id[i]);
        if (by[i] >= 0) model_add(m, id[i], (uint64_t)by[i]);
        else fine = fine && model_take(m, id[i], 0 - (uint64_t)by[i]);
    }
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_cms_adjust(c, hash, by, after, n, &err);
    assert_int_equal(st, fine ? BPK_OK : BPK_E_ARG);
    if (!fine) {
        *m = before;
        assert_string_equal(err.field, "weight");
        assert_true(after[0] == UINT64_C(0xeeeeeeeeeeeeeeee));
        return 0;
    }
    for (size_t i = 0; i < n; i++) assert_true(after[i] == least(m, hash[i]));
    return n;
}

/* Another sketch with its own items comes in, by merge or by combine. */
static size_t unite(bpk_cms *c, model *m, t_rng *r, unsigned bits) {
    static model other;
    memset(&other, 0, sizeof other);
    other.cap = m->cap;
    other.conservative = m->conservative;
    bpk_sketch *side;
    assert_int_equal(bpk_twin(&side, bpk_cms_base(c), NULL), BPK_OK);
    size_t n = add_batch((bpk_cms *)side, &other, r, bits);
    uint64_t factor = m->conservative ? 1 : t_below(r, 3);
    if (factor == 1) assert_int_equal(bpk_merge(bpk_cms_base(c), side, NULL), BPK_OK);
    else assert_int_equal(bpk_cms_combine(c, (const bpk_cms *)side, (int64_t)factor, NULL), BPK_OK);
    for (uint64_t f = 0; f < factor; f++) {
        for (uint32_t row = 0; row < DEPTH; row++)
            for (size_t i = 0; i < WIDTH; i++) m->cell[row][i] = plus(m->cell[row][i], other.cell[row][i], m->cap);
        for (size_t i = 0; i < KEYS; i++) m->truth[i] = plus(m->truth[i], other.truth[i], UINT64_MAX);
        m->total = plus(m->total, other.total, UINT64_MAX);
    }
    bpk_free(side);
    return n;
}

static void run_model(uint8_t cell_bytes, bool conservative, unsigned bits, uint64_t seed) {
    static model m;
    memset(&m, 0, sizeof m);
    m.cap = bpki_cell_max(cell_bytes);
    m.conservative = conservative;
    bpk_cms *c = new_cms(WIDTH, DEPTH, cell_bytes, conservative);
    t_rng r = {seed};
    for (size_t steps = 0, turn = 0; steps < STEPS; turn++) {
        uint64_t what = t_below(&r, 20);
        steps += what < 13 ? add_batch(c, &m, &r, bits) : what < 16 ? adjust_batch(c, &m, &r, bits) : 1;
        if (what == 16) steps += unite(c, &m, &r, bits);
        if (what == 17) c = (bpk_cms *)t_reload(bpk_cms_base(c));
        if (what == 18) {
            bpk_cms *again = copy_of(c);
            drop(c);
            c = again;
        }
        if (turn % 16 == 0) assert_equal(c, &m);
        if (turn % 100 == 0) assert_no_undercount(c, &m);
    }
    assert_equal(c, &m);
    assert_no_undercount(c, &m);
    drop(c);
}

static void no_count_is_ever_under_the_truth_and_every_cell_is_the_models(void **state) {
    (void)state;
    static const struct {
        uint8_t cell;
        unsigned bits;
    } runs[] = {{1, 1}, {1, 5}, {2, 7}, {4, 12}, {4, 24}, {8, 30}, {8, 62}};
    for (uint64_t i = 0; i < BPKI_COUNT(runs); i++)
        for (int conservative = 0; conservative < 2; conservative++)
            run_model(runs[i].cell, conservative, runs[i].bits, 100 * i + (uint64_t)conservative);
}

/* ---- answers ---- */

static void conservative_counts_are_never_above_plain_ones(void **state) {
    (void)state;
    t_world w = t_world_new(20000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 200000, 1);
    bpk_cms *plain = new_cms(1000, 4, 4, false), *tight = new_cms(1000, 4, 4, true);
    t_feed(bpk_cms_base(plain), &w, id, NULL, 200000);
    t_world_forget(&w);
    t_feed(bpk_cms_base(tight), &w, id, NULL, 200000);
    bpk_noise none = {0};
    for (uint32_t i = 0; i < w.n; i++) {
        double a = bpk_cms_count(plain, w.hash[i], &none, 0).upper, b = bpk_cms_count(tight, w.hash[i], &none, 0).upper;
        assert_true((double)w.truth[i] <= b && b <= a);
    }
    drop(plain);
    drop(tight);
    free(id);
    t_world_free(&w);
}

static void an_item_whose_cell_is_0_is_exactly_0_and_an_empty_sketch_has_no_noise(void **state) {
    (void)state;
    bpk_cms *c = new_cms(1000, 3, 4, true);
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    assert_true(noise.total == 0 && noise.median == 0 && noise.p99 == 0);
    bpk_estimate e = ask(c, 1);
    assert_true(e.upper == 0 && (e.flags & BPK_EXACT) && !(e.flags & BPK_BELOW_NOISE));
    add_one(c, 1, 5);
    assert_true(ask(c, 1).estimate == 5 && ask(c, 1).upper == 5);
    assert_true(bpk_count(bpk_cms_base(c), NULL, 0, 0, &e, NULL) == BPK_OK && e.estimate == 5 && e.flags == BPK_EXACT);
    bpk_reset(bpk_cms_base(c));
    assert_true(ask(c, 1).upper == 0 && bpk_cms_total(c) == 0);
    drop(c);
}

static void at_or_under_the_99th_percentile_of_the_phantoms_an_answer_says_below_noise(void **state) {
    (void)state;
    bpk_cms *c = new_cms(50, 3, 4, false);
    t_add(bpk_cms_base(c), 1, 0, 20000);
    add_one(c, t_hash(2, 0), 5000);
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    assert_true(noise.total == 25000 && noise.median > 300 && noise.p99 >= noise.median);
    for (uint64_t i = 0; i < 2000; i++) {
        bpk_estimate e = bpk_cms_count(c, t_hash(1, i), &noise, 0.95);
        assert_int_equal((e.flags & BPK_BELOW_NOISE) != 0, e.upper <= noise.p99);
        if (e.flags & BPK_BELOW_NOISE) assert_true(e.estimate == fmax(0, e.upper - noise.median) && e.lower == 0);
        if (!(e.flags & BPK_BELOW_NOISE)) assert_true(e.estimate == e.upper && e.lower == e.upper - noise.p99);
        bpk_estimate sure = bpk_cms_count(c, t_hash(1, i), &noise, 0.9999);
        assert_true(sure.upper == e.upper && sure.confidence == 0.9999);
        assert_true(sure.lower == fmax(0, floor(e.upper - 500 * pow(1 - 0.9999, -1.0 / 3))));
    }
    assert_false(bpk_cms_count(c, t_hash(2, 0), &noise, 0.95).flags & BPK_BELOW_NOISE);
    drop(c);
}

/* Of three parts of a stream. */
static void parts_add_up_and_are_no_looser_than_their_merge(void **state) {
    (void)state;
    for (int conservative = 0; conservative < 2; conservative++) {
        bpk_cms *c[3], *all = new_cms(50, 3, 4, conservative);
        const bpk_cms *part[3];
        bpk_noise one, sum, merged;
        for (size_t i = 0; i < 3; i++) {
            part[i] = c[i] = new_cms(50, 3, 4, conservative);
            t_add(bpk_cms_base(c[i]), 1, 1000 * i, 1000 * i + 1500);
            assert_int_equal(bpk_merge(bpk_cms_base(all), bpk_cms_base(c[i]), NULL), BPK_OK);
        }
        bpk_cms_noise(c[0], &one);
        bpk_cms_sum_noise(part, 1, &sum);
        assert_true(sum.total == one.total && sum.median == one.median && sum.p99 == one.p99);
        bpk_cms_sum_noise(part, 3, &sum);
        bpk_cms_noise(all, &merged);
        assert_true(sum.total == 4500 && sum.median <= merged.median && sum.p99 <= merged.p99);
        for (uint64_t i = 0; i < 4000; i++) {
            double least = 0;
            for (size_t k = 0; k < 3; k++) least += bpk_cms_count(c[k], t_hash(1, i), &one, 0.95).upper;
            bpk_estimate e = bpk_cms_sum_count(part, 3, t_hash(1, i), &sum, 0.95);
            t_assert_sound(&e);
            assert_true(e.upper == least && e.upper <= bpk_cms_count(all, t_hash(1, i), &merged, 0.95).upper);
            assert_true(e.lower == fmax(0, least - sum.p99) && e.upper >= (i < 3500) + (i % 1000 < 500 && i >= 1000));
        }
        for (size_t i = 0; i < 3; i++) drop(c[i]);
        drop(all);
    }
}

static void a_sum_on_a_cell_at_its_end_has_no_upper_limit(void **state) {
    (void)state;
    bpk_cms *full = new_cms(50, 3, 1, false), *other = new_cms(50, 3, 1, false);
    const bpk_cms *const part[] = {full, other};
    bpk_noise none = {0};
    add_one(full, 1, 1000), add_one(other, 1, 20), add_one(other, 2, 20);
    bpk_estimate e = bpk_cms_sum_count(part, 2, 1, &none, 0.95);
    assert_true(e.estimate == 275 && e.upper == 0x1p64 && (e.flags & BPK_SATURATED));
    assert_false(bpk_cms_sum_count(part, 2, 2, &none, 0.95).flags & BPK_SATURATED);
    drop(full), drop(other);
}

static void a_cell_at_its_end_has_no_upper_limit_and_says_so(void **state) {
    (void)state;
    for (uint8_t size = 1; size <= 8; size *= 2)
        for (int conservative = 0; conservative < 2; conservative++) {
            bpk_cms *c = new_cms(100, 2, size, conservative);
            assert_int_equal(bpk_health(bpk_cms_base(c), NULL, NULL), BPK_HEALTH_OK);
            add_one(c, 7, UINT64_MAX);
            bpk_estimate e = ask(c, 7);
            assert_true((e.flags & BPK_SATURATED) && e.upper >= 1.8e19 && e.lower <= e.estimate);
            assert_true(bpk_cms_total(c) == UINT64_MAX && t_info(bpk_cms_base(c), "saturated") == 2);
            assert_true(bpk_count(bpk_cms_base(c), NULL, 0, 0, &e, NULL) == BPK_OK && (e.flags & BPK_SATURATED));
            assert_int_not_equal(bpk_health(bpk_cms_base(c), NULL, NULL), BPK_HEALTH_OK);
            int64_t less = -1;
            uint64_t hash = 7;
            if (!conservative) assert_int_equal(bpk_cms_adjust(c, &hash, &less, NULL, 1, NULL), BPK_OK);
            assert_true(ask(c, 7).flags & BPK_SATURATED);
            drop(c);
        }
}

/* ---- algebra ---- */

static void a_merge_of_plain_sketches_is_the_sketch_of_both_streams_to_the_byte(void **state) {
    (void)state;
    for (uint8_t size = 1; size <= 8; size *= 2) {
        bpk_cms *all = new_cms(300, 4, size, false), *a = copy_of(all), *b = copy_of(all), *c = copy_of(all);
        t_rng r = {size};
        for (int i = 0; i < 30000; i++) {
            uint64_t hash = t_hash(1, t_below(&r, 3000)), weight = t_log_uniform(&r, 10);
            add_one(all, hash, weight);
            add_one(i % 3 == 0 ? a : i % 3 == 1 ? b : c, hash, weight);
        }
        const bpk_sketch *parts[] = {bpk_cms_base(c), bpk_cms_base(a), bpk_cms_base(b)};
        bpk_sketch *many = NULL;
        assert_int_equal(bpk_merge_many(&many, parts, 3, NULL, NULL), BPK_OK);
        t_assert_same_bytes(many, bpk_cms_base(all));
        assert_int_equal(bpk_merge(bpk_cms_base(a), bpk_cms_base(b), NULL), BPK_OK);
        assert_int_equal(bpk_merge(bpk_cms_base(c), bpk_cms_base(a), NULL), BPK_OK);
        assert_same(c, all);
        bpk_free(many);
        drop(all), drop(a), drop(b), drop(c);
    }
}

static void adding_a_part_and_taking_it_away_gives_the_same_bytes(void **state) {
    (void)state;
    bpk_cms *a = new_cms(200, 4, 4, false), *b = copy_of(a), *was;
    t_add(bpk_cms_base(a), 1, 0, 5000);
    t_add(bpk_cms_base(b), 2, 0, 3000);
    was = copy_of(a);
    for (int64_t factor = 1; factor <= 1000; factor *= 10) {
        assert_int_equal(bpk_cms_combine(a, b, factor, NULL), BPK_OK);
        assert_true(bpk_cms_total(a) == 5000 + 3000 * (uint64_t)factor);
        assert_int_equal(bpk_cms_combine(a, b, -factor, NULL), BPK_OK);
        assert_same(a, was);
    }
    assert_int_equal(bpk_cms_combine(a, a, -1, NULL), BPK_OK);
    assert_true(bpk_cms_total(a) == 0 && ask(a, t_hash(1, 0)).upper == 0);
    drop(a), drop(b), drop(was);
}

static void what_cannot_be_combined_is_refused_and_changes_nothing(void **state) {
    (void)state;
    bpk_cms *a = new_cms(200, 4, 4, false), *b = copy_of(a), *tight = new_cms(200, 4, 4, true), *was;
    bpk_err err;
    t_add(bpk_cms_base(a), 1, 0, 1000);
    t_add(bpk_cms_base(b), 2, 0, 900);
    was = copy_of(a);
    assert_int_equal(bpk_cms_combine(a, b, -1, &err), BPK_E_ARG);
    assert_string_equal(err.field, "factor");
    assert_int_equal(bpk_cms_combine(a, b, INT64_MIN, &err), BPK_E_ARG);
    assert_same(a, was);
    assert_int_equal(bpk_cms_combine(a, tight, 1, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.field, "combine");
    assert_string_equal(err.other, "conservative update cannot be undone");
    assert_int_equal(bpk_cms_combine(tight, tight, -1, &err), BPK_E_UNSUPPORTED);
    uint64_t hash = 1;
    int64_t by = -1;
    assert_int_equal(bpk_cms_adjust(tight, &hash, &by, NULL, 1, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.field, "negative weight");
    assert_same(a, was);
    drop(a), drop(b), drop(tight), drop(was);
}

static void assert_mismatch(const bpk_cms_config *mine, const bpk_cms_config *other, const char *field, const char *x,
                            const char *y) {
    bpk_cms *a, *b, *was;
    bpk_err err;
    bpk_estimate e;
    assert_int_equal(bpk_cms_new(&a, mine, NULL), BPK_OK);
    assert_int_equal(bpk_cms_new(&b, other, NULL), BPK_OK);
    t_add(bpk_cms_base(a), 1, 0, 100);
    was = copy_of(a);
    for (int verb = 0; verb < 3; verb++) {
        if (verb && (mine->conservative || other->conservative)) continue;
        bpk_status st = verb == 0   ? bpk_merge(bpk_cms_base(a), bpk_cms_base(b), &err)
                        : verb == 1 ? bpk_cms_combine(a, b, 1, &err)
                                    : bpk_cms_inner(a, b, &e, &err);
        assert_int_equal(st, BPK_E_MISMATCH);
        assert_string_equal(err.field, field);
        assert_string_equal(err.mine, x);
        assert_string_equal(err.other, y);
    }
    assert_same(a, was);
    drop(a), drop(b), drop(was);
}

static void sketches_that_do_not_fit_are_named(void **state) {
    (void)state;
    const bpk_cms_config mine = {.width = 100, .depth = 3, .cell_bytes = 4};
    bpk_cms_config other = mine;
    other.width = 101;
    assert_mismatch(&mine, &other, "width", "100", "101");
    other = mine, other.depth = 4;
    assert_mismatch(&mine, &other, "depth", "3", "4");
    other = mine, other.cell_bytes = 8;
    assert_mismatch(&mine, &other, "cell_bytes", "4", "8");
    other = mine, other.conservative = 1;
    assert_mismatch(&mine, &other, "update", "plain", "conservative");
    other = mine, other.domain = (bpk_domain){.hash = BPK_HASH_XXH3, .seed = 7};
    assert_mismatch(&mine, &other, "seed", "0", "7");
    other.domain = (bpk_domain){.hash = BPK_HASH_XXH3, .type = BPK_I64};
    assert_mismatch(&mine, &other, "type", "bytes", "integer");
}

static void a_merge_of_conservative_sketches_is_never_under_the_truth(void **state) {
    (void)state;
    t_world w = t_world_new(5000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 100000, 3);
    bpk_sketch *part[10], *all = NULL;
    for (size_t i = 0; i < 10; i++) {
        part[i] = bpk_cms_base(new_cms(400, 4, 4, true));
        t_feed(part[i], &w, id + 10000 * i, NULL, 10000);
    }
    assert_int_equal(bpk_merge_many(&all, (const bpk_sketch *const *)part, 10, NULL, NULL), BPK_OK);
    for (uint32_t i = 0; i < w.n; i++) assert_true(ask(bpk_as_cms(all), w.hash[i]).upper >= (double)w.truth[i]);
    assert_true(bpk_cms_total(bpk_as_cms(all)) == 100000);
    for (size_t i = 0; i < 10; i++) bpk_free(part[i]);
    bpk_free(all);
    free(id);
    t_world_free(&w);
}

static void an_inner_product_is_never_under_the_truth_and_its_interval_holds_it(void **state) {
    (void)state;
    enum { N = 3000 };
    static uint64_t count[2][N];
    for (uint64_t seed = 0; seed < 20; seed++) {
        bpk_cms *s[2] = {new_cms(500, 5, 8, false), new_cms(500, 5, 8, false)};
        t_rng r = {seed};
        double truth = 0;
        memset(count, 0, sizeof count);
        for (size_t i = 0; i < 20000; i++) {
            uint64_t id = t_below(&r, t_below(&r, N) + 1);
            count[i % 2][id]++;
            add_one(s[i % 2], t_hash(seed, id), 1);
        }
        for (size_t i = 0; i < N; i++) truth += (double)count[0][i] * (double)count[1][i];
        bpk_estimate e;
        assert_int_equal(bpk_cms_inner(s[0], s[1], &e, NULL), BPK_OK);
        assert_true(e.upper >= truth && e.estimate == e.upper && e.lower <= truth && (e.flags & BPK_ONE_SIDED));
        assert_true(e.lower == fmax(0, e.upper - exp(1) / 500 * 1e4 * 1e4) && fabs(e.confidence - 0.993262) < 1e-6);
        add_one(s[0], 1, UINT64_MAX);
        add_one(s[1], 1, 1);
        assert_int_equal(bpk_cms_inner(s[0], s[1], &e, NULL), BPK_OK);
        assert_true((e.flags & BPK_SATURATED) && e.upper > 1e38);
        drop(s[0]), drop(s[1]);
    }
}

/* Two items share the only cell of a row: 3 of one raise it to 3, then 1 of the other to 4 under plain, and to 4 under
 * conservative update only where it is the least. With a second row in which they differ, conservative leaves 3: the
 * product with a sketch of one of each is 3, the truth is 4. */
static void an_inner_product_beyond_every_counter_keeps_its_limits_in_order(void **state) {
    (void)state;
    bpk_sketch *s = NULL;
    bpk_estimate e;
    const bpk_param p[] = {{"width", "4"}, {"cell_bytes", "8"}, {"update", "plain"}};
    uint64_t hash[64], weight[64];
    for (size_t i = 0; i < 64; i++) hash[i] = t_hash(1, i), weight[i] = UINT64_MAX;
    assert_int_equal(bpk_new(&s, "cms", NULL, p, 3, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 64, .hash = hash, .weight = weight}, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_cms_inner(bpk_as_cms(s), bpk_as_cms(s), &e, NULL), BPK_OK);
    t_assert_sound(&e);
    assert_true(e.flags & BPK_SATURATED);
    bpk_free(s);
}

static void an_inner_product_of_conservative_sketches_would_be_under_the_truth_and_is_refused(void **state) {
    (void)state;
    bpk_cms *tight[2] = {new_cms(2, 2, 4, true), new_cms(2, 2, 4, true)}, *plain[2];
    for (int i = 0; i < 2; i++) plain[i] = new_cms(2, 2, 4, false);
    uint64_t x = t_hash(1, 0), y;
    size_t cell[2];
    for (uint64_t i = 1;; i++) { /* the same cell in row 0, another one in row 1 */
        bpki_cells c = {.width = 2};
        y = t_hash(1, i);
        for (uint32_t r = 0; r < 2; r++)
            cell[r] = bpki_cells_index(&c, position(x, r)) ^ bpki_cells_index(&c, position(y, r));
        if (cell[0] == 0 && cell[1] == 1) break;
    }
    for (int i = 0; i < 2; i++) {
        add_one(tight[i], x, i ? 1 : 3), add_one(tight[i], y, 1);
        add_one(plain[i], x, i ? 1 : 3), add_one(plain[i], y, 1);
    }
    bpk_estimate e;
    bpk_err err;
    assert_int_equal(bpk_cms_inner(plain[0], plain[1], &e, &err), BPK_OK);
    assert_true(e.upper == 4);
    t_bytes a = t_encode(bpk_cms_base(tight[0]), BPK_FORM_VIEW), b = t_encode(bpk_cms_base(tight[1]), BPK_FORM_VIEW);
    uint64_t row = 0; /* what the first row would say */
    for (size_t i = 128; i < 136; i += 4) row += (uint64_t)bpki_load32(a.p + i) * bpki_load32(b.p + i);
    assert_int_equal(row, 3);
    assert_int_equal(bpk_cms_inner(tight[0], tight[1], &e, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.field, "inner product");
    free(a.p), free(b.p);
    for (int i = 0; i < 2; i++) drop(tight[i]), drop(plain[i]);
}

static void every_allocation_may_fail_and_leaves_nothing_behind(void **state) {
    (void)state;
    const bpk_cms_config cfg = {.width = 20, .depth = 3, .cell_bytes = 4};
    uint64_t hash[2] = {1, 2}, after[2];
    int64_t by[2] = {3, 4};
    bool done = false;
    for (long nth = 1; !done; nth++) {
        t_env env;
        t_env_init(&env, nth);
        bpk_cms *c = NULL;
        bpk_sketch *copied = NULL, *twin = NULL;
        bpk_status st = bpk_cms_new(&c, &cfg, &env.env);
        if (st == BPK_OK) {
            bpk_cms *was = copy_of(c);
            st = bpk_cms_adjust(c, hash, by, after, 2, NULL);
            if (st != BPK_OK) assert_same(c, was);
            drop(was);
        }
        if (st == BPK_OK) st = bpk_copy(&copied, bpk_cms_base(c), &env.env);
        if (st == BPK_OK) st = bpk_twin(&twin, bpk_cms_base(c), &env.env);
        done = st == BPK_OK;
        if (!done) assert_int_equal(st, BPK_E_NOMEM);
        bpk_free(copied);
        bpk_free(twin);
        if (c) drop(c);
        assert_int_equal(env.held, 0);
    }
}

static void memory_is_told_and_nothing_more_is_taken(void **state) {
    (void)state;
    t_env env;
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {.width = 1000, .depth = 3, .cell_bytes = 8};
    t_env_init(&env, 0);
    assert_int_equal(bpk_cms_new(&c, &cfg, &env.env), BPK_OK);
    assert_true(bpk_memory(bpk_cms_base(c)) == env.held && env.held >= 24000 && env.held < 24400);
    assert_true(bpk_cms_width(c) == 1000 && bpk_cms_depth(c) == 3);
    t_add(bpk_cms_base(c), 1, 0, 5000);
    assert_true(bpk_memory(bpk_cms_base(c)) == env.held);
    drop(c);
    env.env.max_bytes = 23999;
    assert_int_equal(bpk_cms_new(&c, &cfg, &env.env), BPK_E_LIMIT);
    assert_int_equal(env.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_parameters_make_the_same_sketch_and_name_what_is_wrong),
        cmocka_unit_test(members_out_of_range_and_sizes_over_the_limit_are_refused),
        cmocka_unit_test(no_count_is_ever_under_the_truth_and_every_cell_is_the_models),
        cmocka_unit_test(conservative_counts_are_never_above_plain_ones),
        cmocka_unit_test(an_item_whose_cell_is_0_is_exactly_0_and_an_empty_sketch_has_no_noise),
        cmocka_unit_test(at_or_under_the_99th_percentile_of_the_phantoms_an_answer_says_below_noise),
        cmocka_unit_test(parts_add_up_and_are_no_looser_than_their_merge),
        cmocka_unit_test(a_sum_on_a_cell_at_its_end_has_no_upper_limit),
        cmocka_unit_test(a_cell_at_its_end_has_no_upper_limit_and_says_so),
        cmocka_unit_test(a_merge_of_plain_sketches_is_the_sketch_of_both_streams_to_the_byte),
        cmocka_unit_test(adding_a_part_and_taking_it_away_gives_the_same_bytes),
        cmocka_unit_test(what_cannot_be_combined_is_refused_and_changes_nothing),
        cmocka_unit_test(sketches_that_do_not_fit_are_named),
        cmocka_unit_test(a_merge_of_conservative_sketches_is_never_under_the_truth),
        cmocka_unit_test(an_inner_product_is_never_under_the_truth_and_its_interval_holds_it),
        cmocka_unit_test(an_inner_product_beyond_every_counter_keeps_its_limits_in_order),
        cmocka_unit_test(an_inner_product_of_conservative_sketches_would_be_under_the_truth_and_is_refused),
        cmocka_unit_test(every_allocation_may_fail_and_leaves_nothing_behind),
        cmocka_unit_test(memory_is_told_and_nothing_more_is_taken),
    };
    return cmocka_run_group_tests_name("test_cms", tests, NULL, NULL);
}
