/* test_topk.c - the promises of the top-k sketch about one stream: bounds, names, certificates, what leaves the
 * rows. */
#include "t_streams.h"

#include "topk_state.h"

static bpk_topk *new_topk(uint32_t k, uint32_t candidates, uint32_t entries) {
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = k, .candidates = candidates, .entries = entries};
    assert_int_equal(bpk_topk_new(&t, &cfg, NULL), BPK_OK);
    return t;
}
static void drop(bpk_topk *t) {
    bpk_free(bpk_topk_base(t));
}
static bpk_topk *copy_of(const bpk_topk *t) {
    bpk_env env = bpk_env_default();
    bpk_sketch *s;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)t, &env), BPK_OK);
    return (bpk_topk *)s;
}
static void add_key(bpk_topk *t, const void *key, size_t len, uint64_t weight) {
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    uint64_t hash = bpk_hash(&h, key, len);
    bpk_items it = {.n = 1, .hash = &hash, .item = &key, .len = &len, .weight = &weight};
    assert_int_equal(bpk_add(bpk_topk_base(t), &it, NULL, NULL), BPK_OK);
}

/* ---- making ---- */

static void text_parameters_make_the_same_sketch_and_name_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        bpk_param p[3];
        size_t n;
        bpk_topk_config cfg;
    } good[] = {{{{NULL, NULL}}, 0, {.k = 10}},
                {{{"k", "1k"}}, 1, {.k = 1000}},
                {{{"k", "5"}, {"candidates", "7"}, {"entries", "100"}}, 3, {.k = 5, .candidates = 10, .entries = 144}}};
    for (size_t i = 0; i < BPKI_COUNT(good); i++) {
        bpk_sketch *s = NULL;
        bpk_topk *same = NULL;
        assert_int_equal(bpk_new(&s, "topk", NULL, good[i].p, good[i].n, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_topk_new(&same, &good[i].cfg, NULL), BPK_OK);
        t_assert_same_bytes(s, bpk_topk_base(same));
        assert_true(bpk_as_topk(s) && bpk_topk_k(bpk_as_topk(s)) == good[i].cfg.k);
        bpk_free(s);
        drop(same);
    }
    static const bpk_param bad[] = {{"k", "0"},        {"k", "1048577"},         {"candidates", "67108865"},
                                    {"k", "x"},        {"entries", "150994945"}, {"depth", "3"},
                                    {"entries", "-1"}, {"candidates", "1.5"}};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_sketch *s = NULL;
        bpk_err err;
        assert_int_equal(bpk_new(&s, "topk", NULL, &bad[i], 1, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i].name);
    }
}

static void members_out_of_range_and_sizes_over_the_limit_are_refused(void **state) {
    (void)state;
    static const bpk_topk_config bad[] = {
        {.k = 0}, {.k = (1 << 20) + 1}, {.k = 1, .candidates = (1 << 26) + 1}, {.k = 1, .entries = UINT32_MAX}};
    bpk_topk *t = NULL;
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) assert_int_equal(bpk_topk_new(&t, &bad[i], NULL), BPK_E_ARG);
    const bpk_topk_config large = {.k = 1, .entries = 9u << 24};
    assert_int_equal(bpk_topk_new(&t, &large, NULL), BPK_E_LIMIT);
    assert_null(t);
}

static void the_planned_sizes_are_12_24_and_384_kib(void **state) {
    (void)state;
    static const struct {
        uint32_t k;
        size_t kib;
    } rows[] = {{1, 12}, {10, 12}, {57, 12}, {58, 24}, {115, 24}, {1000, 384}};
    for (size_t i = 0; i < BPKI_COUNT(rows); i++) {
        t_env env;
        bpk_topk *t = NULL;
        const bpk_topk_config cfg = {.k = rows[i].k};
        t_env_init(&env, 0);
        assert_int_equal(bpk_topk_new(&t, &cfg, &env.env), BPK_OK);
        assert_true(bpk_memory(bpk_topk_base(t)) == env.held);
        assert_true(env.held >= rows[i].kib * 1024 && env.held < rows[i].kib * 1024 + 600);
        assert_int_equal(bpk_encoded_size(bpk_topk_base(t), BPK_FORM_SMALL), 32 + 64 + rows[i].kib * 1024 + 8);
        assert_int_equal((uintptr_t)t->bucket % 64, 0);
        drop(t);
        assert_int_equal(env.held, 0);
    }
}

/* ---- bounds ---- */

enum { UNIVERSE = 60000, ITEMS = 120000 };

/* A stream with reloads on the way; every key is checked at eight moments. */
static void run_stream(t_stream kind, uint32_t k, uint32_t entries, unsigned bits, uint64_t seed) {
    t_world w = t_world_new(UNIVERSE);
    uint32_t *id = t_stream_make(kind, UNIVERSE, ITEMS, seed);
    uint64_t *weight = malloc(ITEMS * sizeof *weight);
    t_rng r = {seed};
    for (size_t i = 0; i < ITEMS; i++) weight[i] = bits ? t_log_uniform(&r, bits) : 1;
    bpk_topk *t = new_topk(k, 0, entries);
    for (size_t part = 0; part < 8; part++) {
        size_t at = part * (ITEMS / 8);
        t_feed(bpk_topk_base(t), &w, id + at, bits ? weight + at : NULL, ITEMS / 8);
        t_found f = t_check_topk(t, &w);
        if (t->threshold || t->names_n < t->shape.candidates) assert_int_equal(f.unnamed, 0);
        if (part % 3 == 1) t = (bpk_topk *)t_reload(bpk_topk_base(t));
    }
    uint64_t total = 0;
    for (size_t i = 0; i < ITEMS; i++) total = bpki_add_sticky(total, weight[i], UINT64_MAX);
    assert_true(bpk_topk_total(t) == total);
    drop(t);
    free(weight);
    free(id);
    t_world_free(&w);
}

static void no_bound_of_any_key_is_ever_broken_whatever_the_order(void **state) {
    (void)state;
    for (int kind = 0; kind < T_STREAMS; kind++) {
        run_stream((t_stream)kind, 10, 0, 0, 1);
        run_stream((t_stream)kind, 100, 0, 0, 2);
    }
    run_stream(T_ZIPF_10, 1, 18, 0, 3); /* far too small: wide, but sound */
    run_stream(T_ZIPF_08, 10, 36, 0, 4);
}

static void no_bound_is_broken_by_weights_of_every_size_up_to_2_to_the_62(void **state) {
    (void)state;
    run_stream(T_ZIPF_10, 20, 0, 40, 5);
    run_stream(T_DRIFT, 20, 72, 40, 6);
    run_stream(T_ZIPF_10, 20, 0, 63, 7);
    run_stream(T_FLOOD, 5, 36, 63, 8);
}

static void while_no_bucket_is_full_everything_is_exact(void **state) {
    (void)state;
    t_world w = t_world_new(300);
    bpk_topk *t = new_topk(100, 0, 9 << 10);
    t_rng r = {1};
    for (int i = 0; i < 20000; i++) {
        uint32_t id = (uint32_t)t_below(&r, t_below(&r, 300) + 1);
        t_feed(bpk_topk_base(t), &w, &id, NULL, 1);
    }
    t_found f = t_check_topk(t, &w);
    assert_true(f.rows == 100 && f.hits == 100 && f.certain == 100 && f.unnamed == 0 && f.ceiling == 0);
    assert_true(f.width == 0 && f.error == 0);
    for (uint32_t i = 0; i < 300; i++) assert_int_equal(bpk_topk_count(t, w.hash[i]).flags, BPK_EXACT);
    drop(t);
    t_world_free(&w);
}

static void the_same_calls_give_the_same_bytes_however_they_are_batched(void **state) {
    (void)state;
    t_world w = t_world_new(20000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 60000, 9);
    bpk_topk *whole = new_topk(50, 0, 0), *split = new_topk(50, 0, 0);
    t_batch b;
    t_rng r = {3};
    t_feed(bpk_topk_base(whole), &w, id, NULL, 60000);
    for (size_t at = 0; at < 60000;) {
        size_t n = (size_t)t_below(&r, T_BATCH) + 1;
        n = n < 60000 - at ? n : 60000 - at;
        t_batch_fill(&b, &w, id + at, NULL, n, false);
        uint8_t changed[T_BATCH];
        size_t done = 0;
        assert_int_equal(bpk_add(bpk_topk_base(split), &b.it, changed, &done), BPK_OK);
        assert_true(done == n && changed[0] == 1);
        at += n;
    }
    t_assert_same_bytes(bpk_topk_base(whole), bpk_topk_base(split));
    t_bytes before = t_encode(bpk_topk_base(whole), BPK_FORM_SMALL), after;
    t_check_topk(whole, &w); /* questions change nothing */
    after = t_encode(bpk_topk_base(whole), BPK_FORM_SMALL);
    assert_memory_equal(before.p, after.p, before.n);
    free(before.p), free(after.p);
    drop(whole), drop(split);
    free(id);
    t_world_free(&w);
}

static void a_weight_of_0_changes_nothing(void **state) {
    (void)state;
    bpk_topk *t = new_topk(5, 0, 18), *was;
    for (int i = 0; i < 100; i++) add_key(t, &i, sizeof i, 3);
    was = copy_of(t);
    for (int i = 0; i < 200; i++) add_key(t, &i, sizeof i, 0);
    t_assert_same_bytes(bpk_topk_base(t), bpk_topk_base(was));
    uint64_t hash[2] = {1, 2}, weight[2] = {0, 9};
    uint8_t changed[2];
    bpk_items it = {.n = 2, .hash = hash, .weight = weight};
    assert_int_equal(bpk_add(bpk_topk_base(t), &it, changed, NULL), BPK_OK);
    assert_true(changed[0] == 0 && changed[1] == 1);
    drop(t), drop(was);
}

static void a_score_at_its_end_keeps_its_lower_limit_and_has_no_upper_one(void **state) {
    (void)state;
    bpk_topk *t = new_topk(3, 0, 0);
    bpk_hasher h;
    uint64_t ceiling;
    bpk_row rows[3];
    size_t n;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    add_key(t, "much", 4, UINT64_MAX);
    add_key(t, "some", 4, UINT64_C(1) << 61);
    add_key(t, "little", 6, 1);
    assert_true(bpk_topk_total(t) == UINT64_MAX);
    assert_int_equal(bpk_topk_list(t, rows, 3, &n, &ceiling), BPK_OK);
    assert_true(n == 3 && memcmp(rows[0].key, "much", 4) == 0);
    assert_true((rows[0].count.flags & BPK_SATURATED) && rows[0].count.lower == 0x1p62 && rows[0].count.upper > 1e19);
    assert_true(rows[1].count.flags == BPK_EXACT && rows[1].count.upper == 0x1p61);
    add_key(t, "some", 4, UINT64_C(1) << 61);
    bpk_estimate e = bpk_topk_count(t, bpk_hash(&h, "some", 4));
    assert_true((e.flags & BPK_SATURATED) && e.lower == 0x1p62);
    t = (bpk_topk *)t_reload(bpk_topk_base(t));
    add_key(t, "much", 4, 1);
    assert_true(bpk_topk_count(t, bpk_hash(&h, "much", 4)).flags & BPK_SATURATED);
    drop(t);
}

static void a_bucket_whose_scores_are_at_their_end_takes_nobody_and_the_light_part_says_unknown(void **state) {
    (void)state;
    t_world w = t_world_new(200);
    bpk_topk *t = new_topk(5, 0, 18);
    uint64_t most = UINT64_MAX;
    for (uint32_t i = 0; i < 100; i++) t_feed(bpk_topk_base(t), &w, &i, &most, 1);
    for (uint32_t i = 100; i < 200; i++) t_feed(bpk_topk_base(t), &w, &i, NULL, 1);
    t_found f = t_check_topk(t, &w);
    assert_true(f.ceiling == UINT64_MAX && f.certain == 0);
    assert_int_equal(bpk_health(bpk_topk_base(t), NULL, NULL), BPK_HEALTH_OVER);
    drop(t);
    t_world_free(&w);
}

/* ---- names ---- */

typedef struct place {
    uint64_t score;
    bool named;
} place;
static int by_rank(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return y->named - x->named;
}
/* The first candidates / 2 ways by (score, named first) have their names, and those are the right ones. */
static void assert_named(const bpk_topk *t) {
    size_t n = 0, most = topk_buckets(&t->shape) * TOPK_WAYS;
    place *all = malloc(most * sizeof *all);
    for (size_t at = 0; at < most; at++) {
        const uint8_t *bucket = topk_bucket_at(t, at / TOPK_WAYS);
        unsigned j = (unsigned)(at % TOPK_WAYS);
        if (!topk_fp(bucket, j)) continue;
        bool named = bpki_topk_name_of(t, (uint32_t)at) != NULL;
        assert_int_equal(named, topk_named(bucket, j));
        all[n++] = (place){topk_score(bucket, j), named};
    }
    qsort(all, n, sizeof *all, by_rank);
    for (size_t i = 0; i < n && i < t->shape.candidates / 2; i++) assert_true(all[i].named);
    free(all);
}
static void check_names(t_stream kind, uint32_t k, uint32_t candidates, size_t repeats) {
    enum { N = 40000 };
    t_world w = t_world_new(N);
    uint32_t *id = t_stream_make(kind, N, N, 21);
    for (size_t i = 0; repeats && i < N; i++) id[i] = (uint32_t)(i / repeats);
    bpk_topk *t = new_topk(k, candidates, 0);
    uint64_t threshold = 0;
    for (size_t moment = 0; moment < 40; moment++) {
        t_feed(bpk_topk_base(t), &w, id + moment * (N / 40), NULL, N / 40);
        assert_named(t);
        assert_true(t->threshold >= threshold && !t->names_short);
        assert_true(t->names_n <= t->shape.candidates);
        threshold = t->threshold;
        if (moment % 10 == 5) t = (bpk_topk *)t_reload(bpk_topk_base(t));
    }
    drop(t);
    free(id);
    t_world_free(&w);
}

static void the_first_half_of_the_candidates_is_named_at_every_moment(void **state) {
    (void)state;
    for (int kind = 0; kind < T_STREAMS; kind++) {
        check_names((t_stream)kind, 10, 0, 0);
        check_names((t_stream)kind, 100, 0, 0);
        check_names((t_stream)kind, 10, 1000, 0);
    }
    check_names(T_ZIPF_10, 1, 2, 0);
    check_names(T_ZIPF_10, 50, 0, 1); /* ties: every key once, or eight times */
    check_names(T_ZIPF_10, 50, 0, 8);
}

static void keys_of_every_length_come_back_and_of_the_longest_a_prefix(void **state) {
    (void)state;
    static const size_t len[] = {0, 1, 255, 256, 65534, 65535, 65536, 70000};
    static uint8_t key[70000];
    bpk_topk *t = new_topk(8, 0, 0);
    bpk_row rows[8];
    size_t n;
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(t_hash(1, i) & 0xff);
    for (size_t i = 0; i < BPKI_COUNT(len); i++) add_key(t, key, len[i], 100 - i);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(bpk_topk_list(t, rows, 8, &n, NULL), BPK_OK);
        assert_int_equal(n, 8);
        for (size_t i = 0; i < n; i++) {
            size_t kept = len[i] < BPK_TOPK_KEY_MAX ? len[i] : BPK_TOPK_KEY_MAX;
            assert_true(rows[i].count.estimate == (double)(100 - i) && rows[i].key && rows[i].len == kept);
            assert_memory_equal(rows[i].key, key, kept);
        }
        t = (bpk_topk *)t_reload(bpk_topk_base(t));
    }
    assert_int_equal(t->names.name[0].bytes == NULL ? 0 : 1, topk_kept(t->names.name[0].len) > 0);
    drop(t);
}

static void items_without_bytes_are_counted_and_stay_unnamed(void **state) {
    (void)state;
    bpk_topk *t = new_topk(3, 0, 0);
    bpk_row rows[3];
    size_t n;
    t_add(bpk_topk_base(t), 1, 0, 2);
    add_key(t, "x", 1, 1);
    assert_int_equal(bpk_topk_list(t, rows, 3, &n, NULL), BPK_OK);
    assert_true(n == 3 && memcmp(rows[0].key, "x", 1) == 0 && !rows[1].key && !rows[2].key);
    assert_true(t_info(bpk_topk_base(t), "names_short") == 1 && t_info(bpk_topk_base(t), "named") == 1);
    assert_int_equal(bpk_health(bpk_topk_base(t), NULL, NULL), BPK_HEALTH_WARN);
    drop(t);
}

static void keys_never_take_more_than_their_budget_and_short_of_it_says_so(void **state) {
    (void)state;
    static uint8_t key[65535];
    bpk_topk *t = new_topk(100, 1000, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(key, &i, sizeof i);
        add_key(t, key, sizeof key, 1 + i % 7);
        assert_true(t->name_bytes <= TOPK_NAME_BYTES);
    }
    assert_true(t->names_short && t->name_bytes > TOPK_NAME_BYTES / 3);
    t = (bpk_topk *)t_reload(bpk_topk_base(t));
    assert_true(t->names_short);
    drop(t);
}

/* ---- lists ---- */

static void equal_counts_are_listed_by_key_and_a_shorter_list_is_the_head_of_a_longer_one(void **state) {
    (void)state;
    static const char *const keys[] = {"b", "a", "", "ab", "\xff", "aa"}, *const sorted[] = {"", "a", "aa", "ab", "b"};
    bpk_topk *t = new_topk(5, 0, 0);
    bpk_row rows[5];
    size_t n;
    add_key(t, keys[4], 1, 1);
    for (size_t i = 0; i < 6; i++) add_key(t, keys[i], strlen(keys[i]), i == 4 ? 0 : 2);
    for (size_t cap = 0; cap <= 5; cap++) {
        assert_int_equal(bpk_topk_list(t, rows, cap, &n, NULL), BPK_OK);
        assert_int_equal(n, cap);
        if (cap < 5) continue; /* which of equal ones a shorter list takes is not promised */
        for (size_t i = 0; i < 5; i++)
            assert_true(rows[i].len == strlen(sorted[i]) && !memcmp(rows[i].key, sorted[i], rows[i].len));
    }
    drop(t);
}

typedef struct seen {
    size_t n, stop;
    double last;
    const t_world *w;
    bool *in;
    uint64_t threshold;
} seen;
static bool see_row(void *ctx, const bpk_row *row) {
    seen *s = ctx;
    assert_true(row->count.estimate <= s->last);
    assert_true(row->count.upper > (double)s->threshold);
    assert_int_equal(row->certain, row->count.lower > (double)s->threshold);
    s->last = row->count.estimate;
    if (row->key && s->in) {
        s->in[t_key_id(row->key)] = true;
        if (row->certain) assert_true(s->w->truth[t_key_id(row->key)] > s->threshold);
    }
    return ++s->n != s->stop;
}

static void every_item_above_a_threshold_is_in_the_answer_when_it_says_complete(void **state) {
    (void)state;
    enum { N = 3000 };
    t_world w = t_world_new(N);
    uint32_t *id = t_stream_make(T_ZIPF_10, N, 100000, 5);
    bool in[N], complete = false;
    bpk_topk *t = new_topk(300, 20000, 2304); /* names for everything in the table */
    size_t both[2] = {0, 0};
    t_feed(bpk_topk_base(t), &w, id, NULL, 100000);
    for (uint64_t threshold = 0; threshold < 20000; threshold = threshold * 5 / 4 + 1) {
        seen s = {.last = INFINITY, .w = &w, .in = in, .threshold = threshold};
        memset(in, 0, sizeof in);
        assert_int_equal(bpk_topk_above(t, threshold, see_row, &s, &complete), BPK_OK);
        both[complete]++;
        for (uint32_t i = 0; complete && i < N; i++) assert_true(in[i] || w.truth[i] <= threshold);
    }
    assert_true(both[0] > 3 && both[1] > 3);
    seen s = {.last = INFINITY, .stop = 4};
    assert_int_equal(bpk_topk_above(t, 0, see_row, &s, &complete), BPK_OK);
    assert_int_equal(s.n, 4);
    drop(t);
    free(id);
    t_world_free(&w);
}

typedef struct compared {
    bpk_row rows[20];
    size_t n, cap;
} compared;
static bool compare_row(void *ctx, const bpk_row *row) {
    compared *c = ctx;
    const bpk_row *same = &c->rows[c->n++];
    assert_true(row->len == same->len && memcmp(row->key, same->key, row->len) == 0 && row->certain == same->certain);
    assert_true(row->count.estimate == same->count.estimate && row->count.upper == same->count.upper);
    return true;
}

static void the_generic_rows_are_the_list_and_the_generic_count_is_the_total(void **state) {
    (void)state;
    t_world w = t_world_new(3000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 30000, 5);
    bpk_topk *t = new_topk(20, 0, 0);
    bpk_estimate e;
    uint8_t yes;
    t_feed(bpk_topk_base(t), &w, id, NULL, 30000);
    for (size_t limit = 0; limit < 30; limit++) {
        compared c = {.cap = limit < 20 ? limit : 20};
        size_t n;
        assert_int_equal(bpk_topk_list(t, c.rows, c.cap, &n, NULL), BPK_OK);
        assert_int_equal(bpk_rows(bpk_topk_base(t), limit, compare_row, &c, NULL), BPK_OK);
        assert_true(n == c.cap && c.n == n);
    }
    assert_int_equal(bpk_count(bpk_topk_base(t), NULL, 0, 0, &e, NULL), BPK_OK);
    assert_true(e.estimate == 30000 && e.flags == BPK_EXACT);
    assert_int_equal(bpk_count(bpk_topk_base(t), w.hash, 1, 0, &e, NULL), BPK_OK);
    assert_true(e.lower <= (double)w.truth[0] && e.upper >= (double)w.truth[0] && e.confidence == 1);
    assert_int_equal(bpk_has(bpk_topk_base(t), w.hash, 1, &yes, NULL), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_remove(bpk_topk_base(t), w.hash, 1, NULL, NULL), BPK_E_UNSUPPORTED);
    drop(t);
    free(id);
    t_world_free(&w);
}

/* ---- what leaves the rows ---- */

enum { LEFT_KEYS = 400, LEFT_K = 12, LEFT_MOST = 64 };

typedef struct events {
    size_t n;
    struct {
        size_t index;
        uint32_t id;
    } at[LEFT_MOST * 2];
} events;
static void note_left(void *ctx, size_t index, const void *key, size_t len) {
    events *e = ctx;
    assert_non_null(key); /* candidates / 2 exceeds the table: every way has its name */
    assert_int_equal(len, T_KEY);
    e->at[e->n].index = index;
    e->at[e->n++].id = t_key_id(key);
}

/* The score of an item, or 0 where it has no way. */
static uint64_t score_of(const bpk_topk *t, const t_world *w, uint32_t id) {
    const uint8_t *bucket = topk_bucket_at(t, topk_bucket_of(t, w->hash[id]));
    unsigned j = topk_find(bucket, topk_fingerprint(w->hash[id]));
    return j < TOPK_WAYS ? topk_score(bucket, j) : 0;
}
static bool remove_id(uint32_t *rows, size_t *n, uint32_t id) {
    for (size_t i = 0; i < *n; i++)
        if (rows[i] == id) return rows[i] = rows[--*n], true;
    return false;
}
static uint64_t least_score(const bpk_topk *t, const t_world *w, const uint32_t *rows, size_t n) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) least = score_of(t, w, rows[i]) < least ? score_of(t, w, rows[i]) : least;
    return least;
}

/* The rows as they must be: `id` was just added, `told` fell out. */
static void follow(const bpk_topk *t, const t_world *w, uint32_t *rows, size_t *n, uint32_t id, const events *told) {
    bool evicted = false;
    for (size_t i = 0; i < *n && !evicted; i++)
        if (score_of(t, w, rows[i]) == 0) {
            assert_true(told->n == 1 && told->at[0].id == rows[i]);
            evicted = remove_id(rows, n, rows[i]);
        }
    uint64_t score = score_of(t, w, id);
    bool listed = remove_id(rows, n, id);
    bool enters = score && (listed || *n < LEFT_K || score > least_score(t, w, rows, *n));
    if (evicted) assert_true(enters);
    if (enters && *n == LEFT_K) {
        uint64_t least = least_score(t, w, rows, *n);
        assert_int_equal(told->n, 1);
        assert_true(score_of(t, w, told->at[0].id) == least);
        assert_true(remove_id(rows, n, told->at[0].id));
    } else if (!evicted) {
        assert_int_equal(told->n, 0);
    }
    if (enters) rows[(*n)++] = id;
}

static void what_falls_out_of_the_rows_is_told_at_its_item_as_a_model_says(void **state) {
    (void)state;
    t_world w = t_world_new(LEFT_KEYS);
    for (uint64_t seed = 0; seed < 30; seed++) {
        bpk_topk *one = new_topk(LEFT_K, 0, seed % 2 ? 18 : 72), *many = copy_of(one);
        uint32_t rows[LEFT_K + 1], id[LEFT_MOST];
        uint64_t weight[LEFT_MOST];
        size_t n = 0, told = 0;
        t_rng r = {seed};
        t_batch b;
        for (int turn = 0; turn < 150; turn++) {
            events expected = {0}, got = {0};
            size_t some = (size_t)t_below(&r, LEFT_MOST) + 1;
            for (size_t i = 0; i < some; i++) {
                events single = {0};
                id[i] = (uint32_t)t_below(&r, t_below(&r, LEFT_KEYS) + 1);
                weight[i] = t_below(&r, 4);
                t_batch_fill(&b, &w, id + i, weight + i, 1, false);
                assert_int_equal(bpk_topk_add(one, &b.it, note_left, &single), BPK_OK);
                if (weight[i]) follow(one, &w, rows, &n, id[i], &single);
                for (size_t e = 0; e < single.n; e++)
                    expected.at[expected.n] = single.at[e], expected.at[expected.n++].index = i;
            }
            t_batch_fill(&b, &w, id, weight, some, false);
            assert_int_equal(bpk_topk_add(many, &b.it, note_left, &got), BPK_OK);
            assert_true(got.n == expected.n);
            for (size_t e = 0; e < got.n; e++)
                assert_true(got.at[e].index == expected.at[e].index && got.at[e].id == expected.at[e].id);
            told += got.n;
        }
        t_assert_same_bytes(bpk_topk_base(one), bpk_topk_base(many));
        assert_true(told > 20);
        drop(one), drop(many);
    }
    t_world_free(&w);
}

static void count_nameless(void *ctx, size_t index, const void *key, size_t len) {
    size_t *told = ctx;
    (void)index, (void)len;
    told[key == NULL]++;
}
/* Of equal scores the store may have cut the name of one that is in the rows: then, and only then, its key is NULL. */
static void only_a_row_that_ties_with_the_last_name_may_leave_without_its_key(void **state) {
    (void)state;
    t_world w = t_world_new(3000);
    bpk_topk *t = new_topk(10, 0, 0);
    size_t told[2] = {0, 0};
    t_batch b;
    for (uint32_t i = 0; i < 3000; i++) {
        uint64_t had = t->threshold;
        size_t before = told[1];
        uint64_t lowest = UINT64_MAX;
        for (uint32_t r = 0; t->listed_fresh && r < t->listed_n; r++) {
            uint64_t score = topk_score(topk_bucket_at(t, t->listed[r] / TOPK_WAYS), t->listed[r] % TOPK_WAYS);
            lowest = score < lowest ? score : lowest;
        }
        t_batch_fill(&b, &w, &i, NULL, 1, false);
        assert_int_equal(bpk_topk_add(t, &b.it, count_nameless, told), BPK_OK);
        if (told[1] > before) assert_true(lowest <= had);
    }
    drop(t);
    t_world_free(&w);
}

static void telling_changes_no_byte_and_may_be_mixed_with_plain_adding_merging_and_emptying(void **state) {
    (void)state;
    t_world w = t_world_new(LEFT_KEYS);
    bpk_topk *with = new_topk(LEFT_K, 0, 72), *without = new_topk(LEFT_K, 0, 72), *other = new_topk(LEFT_K, 0, 72);
    t_rng r = {1};
    t_batch b;
    for (int i = 0; i < 500; i++) {
        uint32_t id = (uint32_t)t_below(&r, LEFT_KEYS);
        t_feed(bpk_topk_base(other), &w, &id, NULL, 1);
    }
    for (int turn = 0; turn < 3000; turn++) {
        uint32_t id = (uint32_t)t_below(&r, t_below(&r, LEFT_KEYS) + 1);
        events got = {0};
        t_batch_fill(&b, &w, &id, NULL, 1, false);
        assert_int_equal(bpk_topk_add(with, &b.it, t_below(&r, 3) ? note_left : NULL, &got), BPK_OK);
        assert_int_equal(bpk_add(bpk_topk_base(without), &b.it, NULL, NULL), BPK_OK);
        if (turn % 500 == 250) {
            assert_int_equal(bpk_merge(bpk_topk_base(with), bpk_topk_base(other), NULL), BPK_OK);
            assert_int_equal(bpk_merge(bpk_topk_base(without), bpk_topk_base(other), NULL), BPK_OK);
        }
        if (turn == 1700) bpk_reset(bpk_topk_base(with)), bpk_reset(bpk_topk_base(without));
        if (turn % 100 == 0) t_assert_same_bytes(bpk_topk_base(with), bpk_topk_base(without));
    }
    drop(with), drop(without), drop(other);
    t_world_free(&w);
}

/* ---- memory ---- */

static void ignore_left(void *ctx, size_t index, const void *key, size_t len) {
    (void)ctx, (void)index, (void)key, (void)len;
}
static bool ignore_row(void *ctx, const bpk_row *row) {
    (void)ctx, (void)row;
    return true;
}

static bpk_status use_all(bpk_topk *t, bpk_topk **copied, bpk_sketch **twin, const t_world *w, const bpk_env *env) {
    bpk_row rows[4];
    bool complete;
    size_t n;
    seen s = {.last = INFINITY};
    t_batch b;
    uint32_t id[40];
    for (uint32_t i = 0; i < 40; i++) id[i] = i;
    t_batch_fill(&b, w, id, NULL, 40, false);
    BPK_TRY(bpk_topk_add(t, &b.it, ignore_left, NULL));
    BPK_TRY(bpk_topk_list(t, rows, 4, &n, NULL));
    BPK_TRY(bpk_topk_above(t, 0, see_row, &s, &complete));
    BPK_TRY(bpk_rows(bpk_topk_base(t), 4, ignore_row, NULL, NULL));
    BPK_TRY(bpk_copy((bpk_sketch **)copied, bpk_topk_base(t), env));
    BPK_TRY(bpk_twin(twin, bpk_topk_base(t), env));
    return bpk_merge(bpk_topk_base(*copied), bpk_topk_base(t), NULL);
}

static void every_allocation_may_fail_and_names_that_were_lost_are_told(void **state) {
    (void)state;
    const bpk_topk_config cfg = {.k = 4, .entries = 18};
    t_world w = t_world_new(40);
    size_t failed = 0, lost = 0;
    for (int sticky = 0; sticky < 2; sticky++)
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_topk *t = NULL, *copied = NULL;
            bpk_sketch *twin = NULL;
            t_env_init(&env, nth);
            env.fail_sticky = sticky;
            bpk_status st = bpk_topk_new(&t, &cfg, &env.env);
            if (st == BPK_OK) st = use_all(t, &copied, &twin, &w, &env.env);
            if (st != BPK_OK) assert_int_equal(st, BPK_E_NOMEM);
            if (st == BPK_OK && env.calls >= nth) assert_true(t->names_short || copied->names_short);
            failed += st != BPK_OK, lost += st == BPK_OK && env.calls >= nth;
            if (t && env.calls >= nth) { /* still sound and whole */
                env.fail_at = 0;
                t_batch b;
                uint32_t id = 3;
                t_batch_fill(&b, &w, &id, NULL, 1, false);
                assert_int_equal(bpk_topk_add(t, &b.it, ignore_left, NULL), BPK_OK);
                t = (bpk_topk *)t_reload(bpk_topk_base(t));
            }
            bool done = env.calls < nth;
            if (t) drop(t);
            if (copied) drop(copied);
            bpk_free(twin);
            assert_int_equal(env.held, 0);
            if (done) break;
        }
    assert_true(failed > 20 && lost > 20);
    t_world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_parameters_make_the_same_sketch_and_name_what_is_wrong),
        cmocka_unit_test(members_out_of_range_and_sizes_over_the_limit_are_refused),
        cmocka_unit_test(the_planned_sizes_are_12_24_and_384_kib),
        cmocka_unit_test(no_bound_of_any_key_is_ever_broken_whatever_the_order),
        cmocka_unit_test(no_bound_is_broken_by_weights_of_every_size_up_to_2_to_the_62),
        cmocka_unit_test(while_no_bucket_is_full_everything_is_exact),
        cmocka_unit_test(the_same_calls_give_the_same_bytes_however_they_are_batched),
        cmocka_unit_test(a_weight_of_0_changes_nothing),
        cmocka_unit_test(a_score_at_its_end_keeps_its_lower_limit_and_has_no_upper_one),
        cmocka_unit_test(a_bucket_whose_scores_are_at_their_end_takes_nobody_and_the_light_part_says_unknown),
        cmocka_unit_test(the_first_half_of_the_candidates_is_named_at_every_moment),
        cmocka_unit_test(keys_of_every_length_come_back_and_of_the_longest_a_prefix),
        cmocka_unit_test(items_without_bytes_are_counted_and_stay_unnamed),
        cmocka_unit_test(keys_never_take_more_than_their_budget_and_short_of_it_says_so),
        cmocka_unit_test(equal_counts_are_listed_by_key_and_a_shorter_list_is_the_head_of_a_longer_one),
        cmocka_unit_test(every_item_above_a_threshold_is_in_the_answer_when_it_says_complete),
        cmocka_unit_test(the_generic_rows_are_the_list_and_the_generic_count_is_the_total),
        cmocka_unit_test(what_falls_out_of_the_rows_is_told_at_its_item_as_a_model_says),
        cmocka_unit_test(only_a_row_that_ties_with_the_last_name_may_leave_without_its_key),
        cmocka_unit_test(telling_changes_no_byte_and_may_be_mixed_with_plain_adding_merging_and_emptying),
        cmocka_unit_test(every_allocation_may_fail_and_names_that_were_lost_are_told),
    };
    return cmocka_run_group_tests_name("test_topk", tests, NULL, NULL);
}
