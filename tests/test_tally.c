/* test_tally.c - the exact map from key to count, against a plain array; limits, memory, spilling. */
#include "t_streams.h"

static bpk_tally *new_tally(uint64_t max_keys, const bpk_env *env) {
    bpk_tally *t = NULL;
    assert_int_equal(bpk_tally_new(&t, NULL, max_keys, env), BPK_OK);
    return t;
}
static bpk_status add_key(bpk_tally *t, uint64_t hash, const void *key, size_t len, uint64_t weight) {
    bpk_items it = {.n = 1, .hash = &hash, .item = &key, .len = &len, .weight = &weight};
    return bpk_tally_add(t, &it, NULL);
}
static void feed(bpk_tally *t, const t_world *w, const uint32_t *id, const uint64_t *weight, size_t n) {
    t_batch b;
    for (size_t at = 0; at < n; at += T_BATCH) {
        size_t done = 0;
        t_batch_fill(&b, w, id + at, weight ? weight + at : NULL, n - at < T_BATCH ? n - at : T_BATCH, true);
        assert_int_equal(bpk_tally_add(t, &b.it, &done), BPK_OK);
        assert_int_equal(done, b.it.n);
    }
}

typedef struct listed {
    size_t n, stop;
    uint64_t sum;
    double last;
    const void *key;
    size_t len;
    const t_world *w;
} listed;
static bool check_row(void *ctx, const bpk_row *row) {
    listed *l = ctx;
    assert_true(row->certain && row->count.flags == BPK_EXACT && row->count.confidence == 1);
    assert_true(row->count.lower == row->count.upper && row->count.estimate == row->count.upper);
    assert_true(row->count.estimate <= l->last);
    if (row->count.estimate == l->last && row->len == l->len) assert_true(memcmp(l->key, row->key, row->len) < 0);
    if (l->w) assert_true(row->count.estimate == (double)l->w->truth[t_key_id(row->key)]);
    l->last = row->count.estimate;
    l->key = row->key;
    l->len = row->len;
    l->sum += (uint64_t)row->count.estimate;
    return ++l->n != l->stop;
}

static void every_count_is_the_truth(void **state) {
    (void)state;
    t_world w = t_world_new(50000);
    bpk_tally *t = new_tally(0, NULL);
    uint64_t keys = 0, total = 0;
    for (int kind = 0; kind < 3; kind++) {
        uint32_t *id = t_stream_make((t_stream)kind, w.n, 100000, 1);
        uint64_t *weight = malloc(100000 * sizeof *weight);
        t_rng r = {1};
        for (size_t i = 0; i < 100000; i++) weight[i] = t_below(&r, 5);
        feed(t, &w, id, kind ? weight : NULL, 100000);
        free(weight);
        free(id);
    }
    for (uint32_t i = 0; i < w.n; i++) {
        bpk_estimate e = bpk_tally_count(t, w.hash[i], w.key[i], T_KEY);
        assert_true(e.estimate == (double)w.truth[i] && e.lower == e.upper && e.flags == BPK_EXACT);
        keys += w.truth[i] > 0;
        total += w.truth[i];
    }
    listed l = {.last = INFINITY, .w = &w}, few = {.last = INFINITY, .stop = 3}, none = {.last = INFINITY};
    assert_int_equal(bpk_tally_rows(t, SIZE_MAX, check_row, &l), BPK_OK);
    assert_true(l.n == keys && l.sum == total && bpk_tally_keys(t) == keys && bpk_tally_total(t) == total);
    assert_int_equal(bpk_tally_rows(t, 10, check_row, &few), BPK_OK);
    assert_int_equal(bpk_tally_rows(t, 0, check_row, &none), BPK_OK);
    assert_true(few.n == 3 && none.n == 0);
    bpk_tally_free(t);
    t_world_free(&w);
}

static void keys_of_one_hash_are_told_apart_by_their_bytes(void **state) {
    (void)state;
    bpk_tally *t = new_tally(0, NULL);
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    for (size_t len = 0; len <= 26; len++)
        for (size_t times = 0; times <= len; times++) assert_int_equal(add_key(t, 7, text, len, 1), BPK_OK);
    assert_int_equal(add_key(t, 7, text + 1, 3, 100), BPK_OK);
    for (size_t len = 0; len <= 26; len++) assert_true(bpk_tally_count(t, 7, text, len).estimate == (double)len + 1);
    assert_true(bpk_tally_count(t, 7, text + 1, 3).estimate == 100 && bpk_tally_count(t, 7, "x", 1).estimate == 0);
    assert_true(bpk_tally_count(t, 8, text, 3).estimate == 0);
    assert_int_equal(bpk_tally_keys(t), 28);
    bpk_tally_free(t);
}

/* Compared with all before it, each key would make this take a minute. */
static void a_flood_of_keys_of_one_hash_takes_no_longer_than_others(void **state) {
    (void)state;
    enum { FLOOD = 150000 };
    bpk_tally *t = new_tally(0, NULL);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < FLOOD; i++) assert_int_equal(add_key(t, 7, &i, sizeof i, 1 + i % 3), BPK_OK);
    assert_int_equal(add_key(t, 7, "", 0, 5), BPK_OK);
    assert_int_equal(bpk_tally_keys(t), FLOOD + 1);
    for (uint32_t i = 0; i < FLOOD; i++)
        assert_true(bpk_tally_count(t, 7, &i, sizeof i).estimate == (double)(2 * (1 + i % 3)));
    assert_true(bpk_tally_count(t, 7, "", 0).estimate == 5 && bpk_tally_count(t, 8, "", 0).estimate == 0);
    bpk_tally_free(t);
}

static void keys_of_any_bytes_and_length_are_kept_whole(void **state) {
    (void)state;
    static uint8_t key[200000];
    bpk_tally *t = new_tally(0, NULL);
    static const size_t len[] = {0, 1, 65535, 65536, 200000};
    for (size_t i = 0; i < sizeof key; i++) key[i] = (uint8_t)(t_hash(1, i) & 0xff);
    for (size_t i = 0; i < 5; i++) assert_int_equal(add_key(t, i, key, len[i], i + 1), BPK_OK);
    for (size_t i = 0; i < 5; i++) assert_true(bpk_tally_count(t, i, key, len[i]).estimate == (double)i + 1);
    listed l = {.last = INFINITY, .stop = 1};
    assert_int_equal(bpk_tally_rows(t, 1, check_row, &l), BPK_OK);
    assert_true(l.len == 200000 && memcmp(l.key, key, 200000) == 0);
    bpk_tally_free(t);
}

static void a_weight_of_0_makes_no_key_and_counts_stay_at_their_end(void **state) {
    (void)state;
    bpk_tally *t = new_tally(0, NULL);
    assert_int_equal(add_key(t, 1, "a", 1, 0), BPK_OK);
    assert_true(bpk_tally_keys(t) == 0 && bpk_tally_total(t) == 0);
    assert_int_equal(add_key(t, 1, "a", 1, UINT64_C(1) << 53), BPK_OK);
    assert_int_equal(bpk_tally_count(t, 1, "a", 1).flags, BPK_EXACT);
    assert_int_equal(add_key(t, 1, "a", 1, 1), BPK_OK); /* what no double holds is not told as exact */
    bpk_estimate e = bpk_tally_count(t, 1, "a", 1);
    assert_true(e.lower == 0x1p53 && e.upper == 0x1p53 + 2 && e.flags == 0);
    assert_int_equal(add_key(t, 1, "a", 1, UINT64_MAX - 1), BPK_OK);
    assert_int_equal(add_key(t, 1, "a", 1, 5), BPK_OK);
    assert_int_equal(bpk_tally_count(t, 1, "a", 1).flags, BPK_SATURATED);
    assert_true(bpk_tally_total(t) == UINT64_MAX);
    bpk_tally_free(t);
    bpk_tally_free(NULL);
}

static void the_key_beyond_the_last_is_refused_and_those_before_it_are_in(void **state) {
    (void)state;
    t_world w = t_world_new(200);
    bpk_tally *t = new_tally(100, NULL);
    uint32_t id[200];
    t_batch b;
    size_t done = 0;
    for (uint32_t i = 0; i < 200; i++) id[i] = i;
    t_batch_fill(&b, &w, id, NULL, 200, false);
    assert_int_equal(bpk_tally_add(t, &b.it, &done), BPK_E_FULL);
    assert_true(done == 100 && bpk_tally_keys(t) == 100 && bpk_tally_total(t) == 100);
    assert_true(bpk_tally_count(t, w.hash[100], w.key[100], T_KEY).estimate == 0);
    t_batch_fill(&b, &w, id, NULL, 100, false); /* known ones still count */
    assert_int_equal(bpk_tally_add(t, &b.it, &done), BPK_OK);
    assert_true(bpk_tally_count(t, w.hash[99], w.key[99], T_KEY).estimate == 2);
    bpk_tally_free(t);
    t_world_free(&w);
}

static void memory_is_told_and_stays_within_the_limit(void **state) {
    (void)state;
    t_world w = t_world_new(20000);
    t_env env;
    t_env_init(&env, 0);
    env.env.max_bytes = 200000;
    bpk_tally *t = new_tally(0, &env.env);
    t_batch b;
    bpk_status st = BPK_OK;
    uint64_t keys = 0;
    for (uint32_t i = 0; i < w.n && st == BPK_OK; i++) {
        t_batch_fill(&b, &w, &i, NULL, 1, false);
        st = bpk_tally_add(t, &b.it, NULL);
        assert_true(bpk_tally_memory(t) == env.held && env.held <= 200000);
        keys += st == BPK_OK;
    }
    assert_int_equal(st, BPK_E_LIMIT);
    assert_true(bpk_tally_keys(t) == keys && keys > 2500);
    bpk_tally_free(t);
    assert_int_equal(env.held, 0);
    t = new_tally(0, NULL);
    for (uint32_t i = 0; i < w.n; i++) feed(t, &w, &i, NULL, 1);
    print_message("%.1f bytes a key of 5 bytes\n", (double)bpk_tally_memory(t) / w.n);
    bpk_tally_free(t);
    t_world_free(&w);
}

static void a_spill_is_the_sketch_of_the_keys_in_the_order_in_which_they_came_first(void **state) {
    (void)state;
    static const char *const kinds[] = {"cms", "topk", "hll", "theta"};
    t_world w = t_world_new(2000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 20000, 1);
    bpk_tally *t = new_tally(0, NULL);
    feed(t, &w, id, NULL, 20000);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bpk_sketch *into = NULL, *same = NULL;
        assert_int_equal(bpk_new(&into, kinds[k], NULL, NULL, 0, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_new(&same, kinds[k], NULL, NULL, 0, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_tally_spill(t, into, NULL), BPK_OK);
        bool *before = calloc(w.n, sizeof *before);
        t_batch b;
        for (size_t i = 0; i < 20000; i++) {
            if (before[id[i]]) continue;
            before[id[i]] = true;
            t_batch_fill(&b, &w, id + i, &w.truth[id[i]], 1, false);
            assert_int_equal(bpk_add(same, &b.it, NULL, NULL), BPK_OK);
        }
        t_assert_same_bytes(into, same);
        if (bpk_as_topk(into)) t_check_topk(bpk_as_topk(into), &w);
        free(before);
        bpk_free(into), bpk_free(same);
    }
    bpk_sketch *other = NULL;
    bpk_domain integers = {.hash = BPK_HASH_XXH3, .type = BPK_I64};
    bpk_err err;
    assert_int_equal(bpk_new(&other, "cms", &integers, NULL, 0, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_tally_spill(t, other, &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "type");
    assert_true(bpk_cms_total(bpk_as_cms(other)) == 0);
    bpk_free(other);
    bpk_tally_free(t);
    free(id);
    t_world_free(&w);
}

static void a_domain_that_cannot_be_is_refused(void **state) {
    (void)state;
    bpk_tally *t = NULL;
    bpk_domain wrong = {.hash = 99};
    assert_int_equal(bpk_tally_new(&t, &wrong, 0, NULL), BPK_E_ARG);
    assert_null(t);
}

static void every_allocation_may_fail_and_the_map_stays_as_it_was(void **state) {
    (void)state;
    t_world w = t_world_new(3000);
    for (long nth = 1;; nth++) {
        t_env env;
        bpk_tally *t = NULL;
        t_batch b;
        uint32_t i = 0;
        t_env_init(&env, nth);
        bpk_status st = bpk_tally_new(&t, NULL, 0, &env.env);
        for (; i < w.n && st == BPK_OK; i++) {
            t_batch_fill(&b, &w, &i, NULL, 1, false);
            st = bpk_tally_add(t, &b.it, NULL);
        }
        if (st != BPK_OK && t) {
            assert_true(bpk_tally_keys(t) == i - 1 && bpk_tally_total(t) == i - 1);
            assert_int_equal(bpk_tally_add(t, &b.it, NULL), BPK_OK); /* the failure was once */
            for (uint32_t j = 0; j < i; j++) assert_true(bpk_tally_count(t, w.hash[j], w.key[j], T_KEY).estimate == 1);
        }
        listed l = {.last = INFINITY};
        if (st == BPK_OK) st = bpk_tally_rows(t, 1, check_row, &l);
        bool done = env.calls < nth;
        if (!done) assert_int_equal(st, BPK_E_NOMEM);
        bpk_tally_free(t);
        assert_int_equal(env.held, 0);
        if (done) break;
    }
    t_world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_is_the_truth),
        cmocka_unit_test(keys_of_one_hash_are_told_apart_by_their_bytes),
        cmocka_unit_test(a_flood_of_keys_of_one_hash_takes_no_longer_than_others),
        cmocka_unit_test(keys_of_any_bytes_and_length_are_kept_whole),
        cmocka_unit_test(a_weight_of_0_makes_no_key_and_counts_stay_at_their_end),
        cmocka_unit_test(the_key_beyond_the_last_is_refused_and_those_before_it_are_in),
        cmocka_unit_test(memory_is_told_and_stays_within_the_limit),
        cmocka_unit_test(a_spill_is_the_sketch_of_the_keys_in_the_order_in_which_they_came_first),
        cmocka_unit_test(a_domain_that_cannot_be_is_refused),
        cmocka_unit_test(every_allocation_may_fail_and_the_map_stays_as_it_was),
    };
    return cmocka_run_group_tests_name("test_tally", tests, NULL, NULL);
}
