/* test_exact.c - promises of exact.h, against an array of flags as the oracle. */
#include "t.h"

enum { MODEL_MAX = 300000 };

/* The model: hash i of the stream below is in or not; 0 and ~0 are two of them. */
static uint64_t model_hash(uint64_t i) {
    if (i == 0) return 0;
    return i == 1 ? UINT64_MAX : t_hash(1, i);
}

static bpk_exact *fresh(uint64_t max_items, const bpk_env *env) {
    bpk_exact *x = NULL;
    assert_int_equal(bpk_exact_new(&x, NULL, max_items, env), BPK_OK);
    return x;
}
static bpk_status add_range(bpk_exact *x, uint64_t from, uint64_t to) {
    bpk_status st = BPK_OK;
    for (; from < to && st == BPK_OK; from++) {
        const uint64_t hash = model_hash(from);
        st = bpk_exact_add(x, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL);
    }
    return st;
}
static bool has(const bpk_exact *x, uint64_t hash) {
    uint8_t out = 2;
    bpk_exact_has(x, &hash, 1, &out);
    assert_true(out < 2);
    return out;
}

static void a_million_steps_agree_with_the_model(void **state) {
    (void)state;
    enum { BATCH = 1000 };
    uint8_t *in = calloc(MODEL_MAX, 1), changed[BATCH], out[BATCH];
    uint64_t hash[BATCH], number[BATCH], items = 0;
    bpk_exact *x = fresh(0, NULL);
    for (uint64_t step = 0; step < 1000; step++) {
        size_t n = (size_t)(t_hash(2, step) % BATCH) + 1;
        uint64_t range = 2 + step * (MODEL_MAX - 2) / 1000, left = n;
        for (size_t i = 0; i < n; i++) {
            number[i] = t_hash(3 + step, i) % range;
            hash[i] = model_hash(number[i]);
        }
        bpk_exact_has(x, hash, n, out);
        for (size_t i = 0; i < n; i++) assert_int_equal(out[i], in[number[i]]);
        size_t done = 0;
        assert_int_equal(bpk_exact_add(x, &(bpk_items){.n = n, .hash = hash}, changed, &done), BPK_OK);
        assert_int_equal(done, left);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(changed[i], !in[number[i]]);
            items += !in[number[i]];
            in[number[i]] = 1;
        }
        assert_int_equal(bpk_exact_items(x), items);
    }
    for (uint64_t i = 0; i < MODEL_MAX; i++) assert_int_equal(has(x, model_hash(i)), in[i]);
    bpk_exact_free(x);
    free(in);
}

static void zero_and_all_ones_are_hashes_like_others(void **state) {
    (void)state;
    const uint64_t hash[] = {0, UINT64_MAX, 0, UINT64_MAX};
    uint8_t changed[4];
    bpk_exact *x = fresh(0, NULL);
    assert_false(has(x, 0) || has(x, UINT64_MAX));
    assert_int_equal(bpk_exact_add(x, &(bpk_items){.n = 4, .hash = hash}, changed, NULL), BPK_OK);
    assert_memory_equal(changed, ((uint8_t[]){1, 1, 0, 0}), 4);
    assert_true(has(x, 0) && has(x, UINT64_MAX));
    assert_int_equal(bpk_exact_items(x), 2);
    bpk_exact_free(x);
}

static void weights_do_not_count(void **state) {
    (void)state;
    const uint64_t hash = 5, weight = 1000;
    bpk_exact *x = fresh(0, NULL);
    assert_int_equal(bpk_exact_add(x, &(bpk_items){.n = 1, .hash = &hash, .weight = &weight}, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_exact_items(x), 1);
    bpk_exact_free(x);
}

static void one_item_more_than_allowed_is_full(void **state) {
    (void)state;
    for (uint64_t max = 1; max < 200; max++)
        for (uint64_t first = 0; first < 3; first++) { /* the hash 0 comes first, or not at all, or last */
            bpk_exact *x = fresh(max, NULL);
            assert_int_equal(add_range(x, first, first + max), BPK_OK);
            assert_int_equal(add_range(x, first, first + max), BPK_OK);
            const uint64_t more[2] = {model_hash(first), first == 2 ? 0 : t_hash(9, max)};
            size_t done = 9;
            uint8_t changed[2] = {7, 7};
            assert_int_equal(bpk_exact_add(x, &(bpk_items){.n = 2, .hash = more}, changed, &done), BPK_E_FULL);
            assert_int_equal(done, 1);
            assert_memory_equal(changed, ((uint8_t[]){0, 7}), 2);
            assert_int_equal(bpk_exact_items(x), max);
            assert_false(has(x, more[1]));
            bpk_exact_free(x);
        }
}

static void memory_is_what_the_header_says_and_never_over_the_limit(void **state) {
    (void)state;
    for (uint64_t limit = 1000; limit < 1000000; limit = limit * 5 / 4) {
        t_env env;
        t_env_init(&env, 0);
        env.env.max_bytes = limit;
        bpk_exact *x = fresh(0, &env.env);
        size_t empty = bpk_exact_memory(x);
        uint64_t n = 0;
        bpk_status st = BPK_OK;
        for (; st == BPK_OK; n++) {
            st = add_range(x, n, n + 1);
            assert_true(bpk_exact_memory(x) <= limit);
            assert_int_equal(bpk_exact_memory(x), env.held);
            if (n > 100) assert_true((double)(bpk_exact_memory(x) - empty) <= 21.4 * (double)n);
        }
        assert_int_equal(st, BPK_E_LIMIT);
        assert_true(2 * (env.held - empty) + env.held >
                    limit); /* the next table would not have fitted beside this one */
        assert_int_equal(bpk_exact_items(x), n - 1);
        assert_int_equal(add_range(x, 0, n - 1), BPK_OK);
        assert_false(has(x, model_hash(n - 1)));
        bpk_exact_free(x);
        assert_int_equal(env.held, 0);
    }
}

static void every_allocation_may_fail_and_changes_nothing(void **state) {
    (void)state;
    for (long nth = 1;; nth++) {
        t_env env;
        t_env_init(&env, nth);
        bpk_exact *x = NULL;
        bpk_status st = bpk_exact_new(&x, NULL, 0, &env.env);
        if (st == BPK_OK) {
            st = add_range(x, 0, 2000);
            uint64_t n = bpk_exact_items(x);
            for (uint64_t i = 0; i < 2000; i++) assert_int_equal(has(x, model_hash(i)), i < n);
            if (st != BPK_OK) assert_int_equal(add_range(x, n, 2000), BPK_OK); /* memory is back, and it goes on */
            assert_int_equal(bpk_exact_items(x), 2000);
        }
        bool through = env.calls < nth;
        assert_int_equal(st, through ? BPK_OK : BPK_E_NOMEM);
        bpk_exact_free(x);
        assert_int_equal(env.held, 0);
        if (through) return;
    }
}

static void merge_is_the_union(void **state) {
    (void)state;
    const uint64_t shape[][3] = {{0, 0, 0},        {0, 0, 100}, {50, 100, 5000},
                                 {5000, 200, 300}, {1, 1, 2},   {30000, 10000, 90000}};
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        bpk_exact *a = fresh(0, NULL), *b = fresh(0, NULL);
        assert_int_equal(add_range(a, 0, shape[i][0]), BPK_OK);
        assert_int_equal(add_range(b, shape[i][1], shape[i][2]), BPK_OK);
        assert_int_equal(bpk_exact_merge(a, b, NULL), BPK_OK);
        for (uint64_t k = 0; k < 90010; k++)
            assert_int_equal(has(a, model_hash(k)), k < shape[i][0] || (k >= shape[i][1] && k < shape[i][2]));
        uint64_t n = bpk_exact_items(a);
        assert_int_equal(bpk_exact_merge(a, b, NULL), BPK_OK);
        assert_int_equal(bpk_exact_merge(a, a, NULL), BPK_OK);
        assert_int_equal(bpk_exact_items(a), n);
        assert_int_equal(bpk_exact_items(b), shape[i][2] - shape[i][1]);
        bpk_exact_free(a);
        bpk_exact_free(b);
    }
}

static void a_failed_merge_holds_only_items_of_both(void **state) {
    (void)state;
    bpk_err err;
    bpk_exact *a = fresh(1000, NULL), *b = fresh(0, NULL);
    assert_int_equal(add_range(a, 0, 600), BPK_OK);
    assert_int_equal(add_range(b, 500, 1200), BPK_OK);
    assert_int_equal(bpk_exact_merge(a, b, &err), BPK_E_FULL);
    assert_int_equal(err.code, BPK_E_FULL);
    assert_int_equal(bpk_exact_items(a), 1000);
    uint64_t found = 0;
    for (uint64_t i = 0; i < 1200; i++) found += has(a, model_hash(i));
    assert_int_equal(found, 1000);
    for (uint64_t i = 0; i < 600; i++) assert_true(has(a, model_hash(i)));
    bpk_exact_free(a);
    bpk_exact_free(b);
}

static void other_domains_are_refused_by_name(void **state) {
    (void)state;
    const bpk_domain seven = {.hash = BPK_HASH_XXH3, .seed = 7}, integer = {.hash = BPK_HASH_XXH3, .type = BPK_I64},
                     keyed = {.hash = BPK_HASH_SIPHASH, .secret = 1, .seed = 9};
    const struct {
        const bpk_domain *d;
        const char *field;
    } other[] = {{&seven, "seed"}, {&integer, "type"}, {&keyed, "hash"}};
    bpk_exact *a = fresh(0, NULL);
    assert_int_equal(add_range(a, 0, 10), BPK_OK);
    for (size_t i = 0; i < 3; i++) {
        bpk_exact *b = NULL;
        bpk_sketch *s = NULL;
        bpk_err err;
        assert_int_equal(bpk_exact_new(&b, other[i].d, 0, NULL), BPK_OK);
        assert_int_equal(bpk_exact_merge(b, a, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, other[i].field);
        assert_true(err.mine[0] && err.other[0]);
        assert_int_equal(bpk_exact_items(b), 0);
        assert_int_equal(bpk_new(&s, "hll", other[i].d, NULL, 0, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_exact_spill(a, s, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, other[i].field);
        bpk_free(s);
        bpk_exact_free(b);
    }
    bpk_exact *none = NULL;
    assert_int_equal(bpk_exact_new(&none, &(bpk_domain){.hash = 99}, 0, NULL), BPK_E_ARG);
    assert_null(none);
    bpk_exact_free(NULL);
    bpk_exact_free(a);
}

static void a_spill_equals_adding_directly(void **state) {
    (void)state;
    const struct {
        const char *kind;
        bpk_param p;
    } kind[] = {{"hll", {"precision", "8"}},
                {"hll", {"precision", "14"}},
                {"bloom", {"items", "50000"}},
                {"theta", {"k", "100"}}};
    const uint64_t size[] = {0, 1, 7, 1000, 49000};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (size_t i = 0; i < 5; i++) {
            bpk_exact *x = fresh(0, NULL);
            bpk_sketch *a = NULL, *b = NULL;
            bpk_param rate = {"rate", "1%"}, p[2] = {kind[k].p, rate};
            size_t n = k == 2 ? 2 : 1;
            assert_int_equal(bpk_new(&a, kind[k].kind, NULL, p, n, NULL, NULL), BPK_OK);
            assert_int_equal(bpk_new(&b, kind[k].kind, NULL, p, n, NULL, NULL), BPK_OK);
            assert_int_equal(add_range(x, 0, size[i]), BPK_OK);
            assert_int_equal(bpk_exact_spill(x, a, NULL), BPK_OK);
            for (uint64_t j = 0; j < size[i]; j++)
                assert_int_equal(bpk_add(b, &(bpk_items){.n = 1, .hash = (uint64_t[]){model_hash(j)}}, NULL, NULL),
                                 BPK_OK);
            t_assert_same_bytes(a, b);
            assert_int_equal(bpk_exact_items(x), size[i]);
            bpk_free(a);
            bpk_free(b);
            bpk_exact_free(x);
        }
}

static void a_spill_that_fails_says_so(void **state) {
    (void)state;
    bpk_exact *x = fresh(0, NULL);
    bpk_sketch *s = NULL;
    bpk_err err;
    t_env env;
    t_env_init(&env, 0);
    assert_int_equal(bpk_new(&s, "hll", NULL, NULL, 0, &env.env, NULL), BPK_OK);
    assert_int_equal(add_range(x, 0, 100000), BPK_OK);
    env.fail_at = env.calls + 3;
    env.fail_sticky = true;
    assert_int_equal(bpk_exact_spill(x, s, &err), BPK_E_NOMEM);
    assert_int_equal(err.code, BPK_E_NOMEM);
    bpk_free(s);
    bpk_exact_free(x);
    assert_int_equal(env.held, 0);
}

static void doubt_is_the_birthday_bound(void **state) {
    (void)state;
    bpk_exact *x = fresh(0, NULL);
    assert_true(bpk_exact_doubt(x) == 0);
    assert_int_equal(add_range(x, 0, 100000), BPK_OK);
    assert_true(bpk_exact_doubt(x) > 2.7e-10 && bpk_exact_doubt(x) < 2.72e-10); /* 1e10 / 2^65 */
    bpk_exact_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_steps_agree_with_the_model),
        cmocka_unit_test(zero_and_all_ones_are_hashes_like_others),
        cmocka_unit_test(weights_do_not_count),
        cmocka_unit_test(one_item_more_than_allowed_is_full),
        cmocka_unit_test(memory_is_what_the_header_says_and_never_over_the_limit),
        cmocka_unit_test(every_allocation_may_fail_and_changes_nothing),
        cmocka_unit_test(merge_is_the_union),
        cmocka_unit_test(a_failed_merge_holds_only_items_of_both),
        cmocka_unit_test(other_domains_are_refused_by_name),
        cmocka_unit_test(a_spill_equals_adding_directly),
        cmocka_unit_test(a_spill_that_fails_says_so),
        cmocka_unit_test(doubt_is_the_birthday_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
