/* test_topk_laws.c - the laws of the top-k sketch: merges of any number and shape, in any order; what never falls;
 * reloads. */
#include "t_streams.h"

#include "topk_state.h"

typedef struct shape {
    uint32_t k, candidates, entries;
} shape;

static bpk_topk *new_topk(shape s) {
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = s.k, .candidates = s.candidates, .entries = s.entries};
    assert_int_equal(bpk_topk_new(&t, &cfg, NULL), BPK_OK);
    return t;
}
static void drop(bpk_topk *t) {
    bpk_free(bpk_topk_base(t));
}
static bpk_topk *copy_of(const bpk_topk *t) {
    bpk_sketch *s;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)t, NULL), BPK_OK);
    return (bpk_topk *)s;
}
static void assert_same(bpk_topk *a, bpk_topk *b) {
    t_assert_same_bytes(bpk_topk_base(a), bpk_topk_base(b));
}
static bpk_topk *merged(bpk_topk *const *part, size_t n) {
    bpk_sketch *out = NULL;
    assert_int_equal(bpk_merge_many(&out, (const bpk_sketch *const *)part, n, NULL, NULL), BPK_OK);
    return (bpk_topk *)out;
}
static void merge_into(bpk_topk *a, bpk_topk *b) {
    assert_int_equal(bpk_merge(bpk_topk_base(a), bpk_topk_base(b), NULL), BPK_OK);
}

/* ---- many parts, many ways ---- */

enum { PARTS = 50, UNIVERSE = 30000, ITEMS = 200000 };

static const shape plan = {50, 0, 0};
static const shape mixed[] = {{50, 0, 0},    {100, 0, 0},   {50, 0, 1152}, {60, 500, 144},
                              {50, 0, 4608}, {200, 0, 288}, {50, 0, 72}};

/* A stream dealt to n parts: in runs, so that each part sees another time; weights of `bits`, 0 for ones. */
static void deal(bpk_topk **part, size_t n, const shape *shapes, size_t kinds, t_world *w, t_stream kind,
                 unsigned bits) {
    uint32_t *id = t_stream_make(kind, UNIVERSE, ITEMS, 31);
    uint64_t *weight = malloc(ITEMS * sizeof *weight);
    t_rng r = {bits};
    for (size_t i = 0; i < ITEMS; i++) weight[i] = bits ? t_log_uniform(&r, bits) : 1;
    for (size_t i = 0; i < n; i++) {
        size_t from = ITEMS / n * i;
        part[i] = new_topk(shapes[i % kinds]);
        t_feed(bpk_topk_base(part[i]), w, id + from, weight + from, ITEMS / n);
    }
    free(weight);
    free(id);
}
static uint64_t all_of(bpk_topk *const *part, size_t n, bool draws) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = draws ? sum + part[i]->draws : bpki_add_sticky(sum, part[i]->total, UINT64_MAX);
    return sum;
}

/* One after the other, forwards or backwards, with a reload in the middle. */
static bpk_topk *chain(bpk_topk *const *part, size_t n, bool backwards) {
    bpk_topk *sum = copy_of(part[backwards ? n - 1 : 0]);
    for (size_t i = 1; i < n; i++) {
        merge_into(sum, part[backwards ? n - 1 - i : i]);
        if (i == n / 2) sum = (bpk_topk *)t_reload(bpk_topk_base(sum));
    }
    return sum;
}
static bpk_topk *tree(bpk_topk *const *part, size_t n) {
    if (n == 1) return copy_of(part[0]);
    bpk_topk *left = tree(part, n / 2), *right = tree(part + n / 2, n - n / 2);
    merge_into(left, right);
    drop(right);
    return left;
}

/* Shuffled, and with empty ones among them: the same bytes. */
static void assert_any_order(bpk_topk *const *part, size_t n, bpk_topk *expected) {
    bpk_topk *mix[PARTS + 2];
    t_rng r = {n};
    memcpy(mix, part, n * sizeof *mix);
    mix[n] = new_topk((shape){1, 0, 18});
    mix[n + 1] = new_topk((shape){500, 0, 0});
    bpk_topk *empty[2] = {mix[n], mix[n + 1]};
    for (size_t i = n + 2; i-- > 1;) {
        size_t j = (size_t)t_below(&r, i + 1);
        bpk_topk *keep = mix[i];
        mix[i] = mix[j];
        mix[j] = keep;
    }
    bpk_topk *sum = merged(mix, n + 2);
    assert_same(sum, expected);
    drop(sum), drop(empty[0]), drop(empty[1]);
}

static void go_on(bpk_topk *t, t_world *w) {
    uint32_t *id = t_stream_make(T_ZIPF_10, UNIVERSE, 30000, 99);
    t_feed(bpk_topk_base(t), w, id, NULL, 30000);
    t_check_topk(t, w);
    t = (bpk_topk *)t_reload(bpk_topk_base(t));
    t_check_topk(t, w);
    drop(t);
    free(id);
}

static void check_merges(size_t n, const shape *shapes, size_t kinds, t_stream kind, unsigned bits) {
    bpk_topk *part[PARTS];
    t_world w = t_world_new(UNIVERSE);
    deal(part, n, shapes, kinds, &w, kind, bits);
    bpk_topk *sums[] = {merged(part, n), chain(part, n, false), chain(part, n, true), tree(part, n)};
    for (size_t i = 0; i < BPKI_COUNT(sums); i++) {
        t_found f = t_check_topk(sums[i], &w);
        assert_true(sums[i]->total == all_of(part, n, false) && sums[i]->draws == all_of(part, n, true));
        assert_true(f.rows == 50);
    }
    assert_any_order(part, n, sums[0]);
    for (size_t i = 1; i < BPKI_COUNT(sums); i++) drop(sums[i]);
    for (size_t i = 0; i < n; i++) drop(part[i]);
    go_on(sums[0], &w);
    t_world_free(&w);
}

/* What a fleet does in a life: items go to any of four sketches of different shapes, which are saved and loaded, poured
 * into each other and started anew, a million times; at twenty moments the union of all is held against every key. */
static void no_bound_is_broken_in_a_million_steps_of_adds_reloads_and_merges(void **state) {
    (void)state;
    enum { STEPS = 1000000, FLEET = 4 };
    static const t_stream kinds[] = {T_ZIPF_10, T_DRIFT};
    for (size_t kind = 0; kind < BPKI_COUNT(kinds); kind++) {
        bpk_topk *fleet[FLEET];
        t_world w = t_world_new(UNIVERSE);
        t_rng r = {kind + 1};
        uint32_t *id = t_stream_make(kinds[kind], UNIVERSE, STEPS, 7);
        for (size_t i = 0; i < FLEET; i++) fleet[i] = new_topk(mixed[i]);
        for (size_t step = 0; step < STEPS; step++) {
            size_t i = (size_t)t_below(&r, FLEET), j = (i + 1 + (size_t)t_below(&r, FLEET - 1)) % FLEET;
            uint64_t weight = t_below(&r, 8) ? 1 : t_log_uniform(&r, 20), event = t_below(&r, 20000);
            t_feed(bpk_topk_base(fleet[i]), &w, id + step, &weight, 1);
            if (event < 4) fleet[i] = (bpk_topk *)t_reload(bpk_topk_base(fleet[i]));
            if (event == 4) {
                merge_into(fleet[i], fleet[j]);
                drop(fleet[j]);
                fleet[j] = new_topk(mixed[t_below(&r, BPKI_COUNT(mixed))]);
            }
            if ((step + 1) % (STEPS / 20)) continue;
            bpk_topk *sum = merged(fleet, FLEET);
            t_check_topk(sum, &w);
            drop(sum);
        }
        for (size_t i = 0; i < FLEET; i++) drop(fleet[i]);
        free(id);
        t_world_free(&w);
    }
}

static void no_bound_is_broken_by_merging_2_or_50_parts_in_one_call_a_chain_or_a_tree(void **state) {
    (void)state;
    check_merges(2, &plan, 1, T_ZIPF_10, 0);
    check_merges(50, &plan, 1, T_ZIPF_08, 0);
    check_merges(50, &plan, 1, T_DRIFT, 0);
    check_merges(50, &plan, 1, T_FLOOD, 0);
}

static void nor_by_merging_different_shapes(void **state) {
    (void)state;
    for (size_t i = 1; i < BPKI_COUNT(mixed); i++) {
        const shape two[2] = {mixed[0], mixed[i]};
        check_merges(2, two, 2, T_ZIPF_10, 0);
    }
    check_merges(50, mixed, BPKI_COUNT(mixed), T_LATE, 0);
    check_merges(50, mixed, BPKI_COUNT(mixed), T_ZIPF_12, 0);
}

static void nor_by_weights_of_every_size_up_to_2_to_the_62(void **state) {
    (void)state;
    check_merges(50, mixed, BPKI_COUNT(mixed), T_ZIPF_10, 40);
    check_merges(50, mixed, BPKI_COUNT(mixed), T_ZIPF_10, 63);
    check_merges(2, &plan, 1, T_DRIFT, 63);
}

/* More ways at their end than a bucket has: one that is dropped must not lose its weight. Few buckets of many are used,
 * so that the light part is nearly empty and hides nothing. */
static void ways_at_their_end_that_a_merge_drops_stay_unknown(void **state) {
    (void)state;
    enum { EACH = 500, N = 4 };
    t_world w = t_world_new(N * EACH);
    bpk_topk *part[N];
    uint64_t most = UINT64_MAX, half = UINT64_C(1) << 61;
    for (uint32_t id = 0; id < w.n; id++) w.hash[id] &= UINT64_MAX >> 5;
    for (uint32_t i = 0; i < N; i++) {
        part[i] = new_topk((shape){5, 0, 9 << 10});
        for (uint32_t id = i * EACH; id < (i + 1) * EACH; id++) /* the first fill the table, the others start on them */
            t_feed(bpk_topk_base(part[i]), &w, &id, id % EACH < 300 ? &half : &most, 1);
    }
    bpk_topk *sum = merged(part, N), *other = copy_of(part[0]);
    for (uint32_t i = 1; i < N; i++) merge_into(other, part[i]);
    t_check_topk(sum, &w);
    t_check_topk(other, &w);
    for (uint32_t i = 0; i < N; i++) drop(part[i]);
    drop(sum), drop(other);
    t_world_free(&w);
}

/* ---- laws of one merge ---- */

static void a_merge_of_two_is_commutative_to_the_byte_and_equals_the_call_for_many(void **state) {
    (void)state;
    for (size_t i = 0; i < BPKI_COUNT(mixed); i++) {
        t_world w = t_world_new(UNIVERSE);
        bpk_topk *part[2];
        const shape two[2] = {mixed[i], mixed[(i + 2) % BPKI_COUNT(mixed)]};
        deal(part, 2, two, 2, &w, T_ZIPF_10, 0);
        bpk_topk *ab = copy_of(part[0]), *ba = copy_of(part[1]), *both = merged(part, 2);
        merge_into(ab, part[1]);
        merge_into(ba, part[0]);
        assert_same(ab, ba);
        assert_same(ab, both);
        drop(ab), drop(ba), drop(both), drop(part[0]), drop(part[1]);
        t_world_free(&w);
    }
}

static void an_empty_sketch_of_any_shape_is_the_identity(void **state) {
    (void)state;
    t_world w = t_world_new(UNIVERSE);
    bpk_topk *part[2], *none[2];
    deal(part, 2, &plan, 1, &w, T_ZIPF_10, 0);
    for (size_t i = 0; i < BPKI_COUNT(mixed); i++) {
        bpk_topk *empty = new_topk(mixed[i]), *a = copy_of(part[0]), *b = copy_of(empty);
        merge_into(a, empty);
        merge_into(b, part[0]);
        assert_same(a, part[0]);
        assert_same(b, part[0]);
        none[0] = empty, none[1] = new_topk(mixed[i ? i - 1 : 3]);
        bpk_topk *nothing = merged(none, 2);
        t_found f = t_check_topk(nothing, &(t_world){.n = 0});
        assert_true(f.rows == 0 && f.ceiling == 0 && nothing->total == 0);
        drop(nothing), drop(a), drop(b), drop(none[0]), drop(none[1]);
    }
    bpk_topk *alone = merged(part, 1);
    assert_same(alone, part[0]);
    drop(alone), drop(part[0]), drop(part[1]);
    t_world_free(&w);
}

static void bytes_and_views_merge_as_their_sketches_do(void **state) {
    (void)state;
    t_world w = t_world_new(UNIVERSE);
    bpk_topk *part[3], *all;
    bpk_view view[3];
    const bpk_sketch *seen[3];
    t_bytes bytes[3];
    bpk_sketch *acc = NULL, *many = NULL;
    deal(part, 3, mixed, 3, &w, T_DRIFT, 0);
    for (size_t i = 0; i < 3; i++) {
        bytes[i] = t_encode(bpk_topk_base(part[i]), BPK_FORM_VIEW);
        seen[i] = bpk_view_open(&view[i], bytes[i].p, bytes[i].n, NULL);
        assert_non_null(seen[i]);
        assert_int_equal(bpk_merge_bytes(&acc, bytes[i].p, bytes[i].n, NULL, NULL), BPK_OK);
    }
    all = chain(part, 3, false);
    t_assert_same_bytes(acc, bpk_topk_base(all));
    assert_int_equal(bpk_merge_many(&many, seen, 3, NULL, NULL), BPK_OK);
    drop(all);
    all = merged(part, 3);
    t_assert_same_bytes(many, bpk_topk_base(all));
    for (size_t i = 0; i < 3; i++) drop(part[i]), free(bytes[i].p);
    bpk_free(acc), bpk_free(many), drop(all);
    t_world_free(&w);
}

static void other_domains_are_refused_and_nothing_changes(void **state) {
    (void)state;
    const bpk_topk_config cfg = {.k = 5, .domain = {.hash = BPK_HASH_XXH3, .seed = 9}};
    bpk_topk *a = new_topk((shape){5, 0, 0}), *b = NULL, *was;
    bpk_err err;
    t_add(bpk_topk_base(a), 1, 0, 100);
    was = copy_of(a);
    assert_int_equal(bpk_topk_new(&b, &cfg, NULL), BPK_OK);
    assert_int_equal(bpk_merge(bpk_topk_base(a), bpk_topk_base(b), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "seed");
    assert_same(a, was);
    drop(a), drop(b), drop(was);
}

/* 30th on each of 20 shards, first over all of them: its name must come through, and so must that of every row. */
static void what_is_30th_on_every_shard_is_named_after_the_merge(void **state) {
    (void)state;
    enum { SHARDS = 20, K = 10 };
    t_world w = t_world_new(UNIVERSE);
    bpk_topk *part[SHARDS];
    for (uint32_t s = 0; s < SHARDS; s++) {
        uint32_t *id = t_stream_make(T_ZIPF_08, UNIVERSE - 100, 20000, s);
        part[s] = new_topk((shape){K, 0, 0});
        for (size_t i = 0; i < 20000; i++) id[i] = 100 + (id[i] + s * 1000) % (UNIVERSE - 100);
        t_feed(bpk_topk_base(part[s]), &w, id, NULL, 20000);
        for (uint32_t shared = 0; shared < 20; shared++) {
            uint64_t weight = 50 + 5 * shared;
            t_feed(bpk_topk_base(part[s]), &w, &shared, &weight, 1);
        }
        free(id);
    }
    bpk_topk *sum = merged(part, SHARDS), *other = chain(part, SHARDS, false);
    t_found f = t_check_topk(sum, &w), g = t_check_topk(other, &w);
    print_message("one call: %zu of 10, %zu certain; chain: %zu, %zu\n", f.hits, f.certain, g.hits, g.certain);
    assert_true(f.unnamed == 0 && f.hits == K && g.unnamed == 0);
    drop(sum), drop(other);
    for (uint32_t s = 0; s < SHARDS; s++) drop(part[s]);
    t_world_free(&w);
}

static void every_allocation_of_a_merge_may_fail_and_both_stay(void **state) {
    (void)state;
    t_world w = t_world_new(UNIVERSE);
    bpk_topk *part[2];
    deal(part, 2, mixed, 2, &w, T_ZIPF_10, 0);
    size_t failed = 0, lost = 0;
    for (long nth = 1;; nth += nth < 12 ? 1 : 7) {
        t_env env;
        bpk_sketch *a = NULL, *many = NULL;
        t_env_init(&env, 0);
        assert_int_equal(bpk_copy(&a, bpk_topk_base(part[0]), &env.env), BPK_OK);
        env.fail_at = env.calls + nth;
        bpk_status st = bpk_merge(a, bpk_topk_base(part[1]), NULL);
        bool reached = env.calls >= env.fail_at;
        if (st != BPK_OK) {
            assert_int_equal(st, BPK_E_NOMEM);
            t_assert_same_bytes(a, bpk_topk_base(part[0]));
        } else if (reached) {
            assert_true(((bpk_topk *)a)->names_short);
            t_check_topk((bpk_topk *)a, &w);
        }
        failed += st != BPK_OK, lost += st == BPK_OK && reached;
        env.fail_at = env.calls + nth;
        st = bpk_merge_many(&many, (const bpk_sketch *const *)part, 2, &env.env, NULL);
        assert_true(st == BPK_OK || st == BPK_E_NOMEM);
        bpk_free(many);
        bpk_free(a);
        assert_int_equal(env.held, 0);
        if (!reached) break;
    }
    assert_true(failed >= 4 && lost > 5);
    drop(part[0]), drop(part[1]);
    t_world_free(&w);
}

/* ---- what never falls ---- */

/* The smallest score of each bucket, 0 where it is not full. */
static void minima(const bpk_topk *t, uint64_t *out) {
    for (size_t at = 0; at < topk_buckets(&t->shape); at++) {
        const uint8_t *bucket = topk_bucket_at(t, at);
        out[at] = topk_full(bucket) ? UINT64_MAX : 0;
        for (unsigned j = 0; j < TOPK_WAYS; j++)
            out[at] = topk_score(bucket, j) < out[at] ? topk_score(bucket, j) : out[at];
        if (topk_full(bucket)) assert_true(topk_score(bucket, topk_memo(bucket) >> 12) == out[at]);
    }
}

static void scores_minima_the_threshold_and_light_counts_never_fall(void **state) {
    (void)state;
    enum { N = 4000 };
    static uint64_t light[N], now[64], before[64], score[64 * TOPK_WAYS], weight[50];
    t_world w = t_world_new(N);
    bpk_topk *t = new_topk((shape){20, 0, 0});
    uint32_t *id = t_stream_make(T_ZIPF_08, N, 100000, 8);
    uint64_t threshold = 0;
    for (size_t i = 0; i < 100000; i += 50) {
        for (size_t j = 0; j < 50; j++) weight[j] = 1 + i / 1000;
        t_feed(bpk_topk_base(t), &w, id + i, weight, 50);
        minima(t, now);
        for (size_t b = 0; b < 64; b++) {
            assert_true(now[b] >= before[b]);
            before[b] = now[b];
            for (unsigned j = 0; j < TOPK_WAYS; j++) {
                uint64_t *had = &score[b * TOPK_WAYS + j], has = topk_score(topk_bucket_at(t, b), j);
                assert_true(has >= *had);
                *had = has;
            }
        }
        assert_true(t->threshold >= threshold);
        threshold = t->threshold;
        if (i % 1000) continue;
        for (uint32_t x = 0; x < N; x++) {
            uint64_t l = bpki_topk_light(t, topk_fingerprint(w.hash[x]));
            assert_true(l >= light[x]);
            light[x] = l;
        }
    }
    assert_int_equal(t->light.cell_bytes, 2); /* it was widened on the way */
    drop(t);
    free(id);
    t_world_free(&w);
}

static void folding_never_lowers_a_light_count(void **state) {
    (void)state;
    t_world w = t_world_new(UNIVERSE);
    for (size_t i = 0; i < BPKI_COUNT(mixed); i++) {
        bpk_topk *part[2];
        const shape two[2] = {mixed[i], mixed[6]};
        deal(part, 2, two, 2, &w, T_ZIPF_08, 0);
        bpk_topk *sum = merged(part, 2);
        for (uint32_t x = 0; x < w.n; x++) {
            uint32_t fp = topk_fingerprint(w.hash[x]);
            assert_true(bpki_topk_light(sum, fp) >= bpki_topk_light(part[0], fp) + bpki_topk_light(part[1], fp));
        }
        drop(sum), drop(part[0]), drop(part[1]);
    }
    t_world_free(&w);
}

/* ---- the small steps ---- */

static void the_float_of_a_base_is_rounded_up_and_exact_below_2048(void **state) {
    (void)state;
    for (uint64_t v = 0; v <= 2048; v++) assert_true(topk_float_value(topk_float_up(v)) == v);
    for (unsigned i = 11; i < 62; i++)
        for (int64_t d = -2; d <= 2; d++) {
            uint64_t v = (UINT64_C(1) << i) + (uint64_t)d, up = topk_float_value(topk_float_up(v));
            assert_true(up >= v && up - v <= v >> 10);
        }
    assert_int_equal(topk_float_up(TOPK_SCORE_MAX), TOPK_BASE_MAX);
    assert_true(topk_float_value(TOPK_BASE_MAX) == TOPK_SCORE_MAX);
    t_rng r = {1};
    for (int i = 0; i < 200000; i++) {
        uint64_t v = t_next(&r) >> (2 + t_below(&r, 62)), up = topk_float_value(topk_float_up(v));
        assert_true(up >= v && up - v <= v >> 10);
        assert_int_equal(topk_float_up(up), topk_float_up(v));
        if (topk_float_up(v)) assert_true(topk_float_value((uint16_t)(topk_float_up(v) - 1)) < v || v == 0);
    }
}

static void a_reload_anywhere_changes_nothing_later(void **state) {
    (void)state;
    t_world w = t_world_new(UNIVERSE);
    uint32_t *id = t_stream_make(T_DRIFT, UNIVERSE, 150000, 4);
    uint64_t *weight = malloc(150000 * sizeof *weight);
    t_rng r = {4};
    for (size_t i = 0; i < 150000; i++) weight[i] = t_log_uniform(&r, 6);
    bpk_topk *a = new_topk(plan), *b = new_topk(plan);
    for (size_t i = 0; i < 150000; i += 5000) {
        t_feed(bpk_topk_base(a), &w, id + i, weight + i, 5000);
        t_feed(bpk_topk_base(b), &w, id + i, weight + i, 5000);
        b = (bpk_topk *)t_reload(bpk_topk_base(b));
        assert_same(a, b);
    }
    bpk_topk *c = copy_of(a);
    bpk_reset(bpk_topk_base(c));
    bpk_sketch *twin;
    assert_int_equal(bpk_twin(&twin, bpk_topk_base(a), NULL), BPK_OK);
    t_assert_same_bytes(bpk_topk_base(c), twin);
    bpk_free(twin);
    drop(a), drop(b), drop(c);
    free(weight);
    free(id);
    t_world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_is_broken_in_a_million_steps_of_adds_reloads_and_merges),
        cmocka_unit_test(no_bound_is_broken_by_merging_2_or_50_parts_in_one_call_a_chain_or_a_tree),
        cmocka_unit_test(nor_by_merging_different_shapes),
        cmocka_unit_test(nor_by_weights_of_every_size_up_to_2_to_the_62),
        cmocka_unit_test(ways_at_their_end_that_a_merge_drops_stay_unknown),
        cmocka_unit_test(a_merge_of_two_is_commutative_to_the_byte_and_equals_the_call_for_many),
        cmocka_unit_test(an_empty_sketch_of_any_shape_is_the_identity),
        cmocka_unit_test(bytes_and_views_merge_as_their_sketches_do),
        cmocka_unit_test(other_domains_are_refused_and_nothing_changes),
        cmocka_unit_test(what_is_30th_on_every_shard_is_named_after_the_merge),
        cmocka_unit_test(every_allocation_of_a_merge_may_fail_and_both_stay),
        cmocka_unit_test(scores_minima_the_threshold_and_light_counts_never_fall),
        cmocka_unit_test(folding_never_lowers_a_light_count),
        cmocka_unit_test(the_float_of_a_base_is_rounded_up_and_exact_below_2048),
        cmocka_unit_test(a_reload_anywhere_changes_nothing_later),
    };
    return cmocka_run_group_tests_name("test_topk_laws", tests, NULL, NULL);
}
