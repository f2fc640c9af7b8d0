/* test_sample_pick.c - choosing keys and records without keeping them. */
#include "t_sample.h"

static void a_share_of_keys_is_as_large_as_asked_and_nested(void **state) {
    (void)state;
    enum { N = 1000000 };
    static const double share[] = {0.001, 0.01, 0.1, 0.5, 0.9};
    size_t chosen[5] = {0};
    for (uint64_t i = 0; i < N; i++) {
        uint64_t h = t_hash(1, i);
        for (size_t j = 0; j < 5; j++) chosen[j] += bpk_sample_key(h, share[j]);
        for (size_t j = 0; j < 4; j++) assert_true(!bpk_sample_key(h, share[j]) || bpk_sample_key(h, share[j + 1]));
        assert_false(bpk_sample_key(h, 0));
        assert_false(bpk_sample_key(h, -1));
        assert_false(bpk_sample_key(h, NAN));
        assert_true(bpk_sample_key(h, 1) && bpk_sample_key(h, 2));
    }
    for (size_t j = 0; j < 5; j++) {
        double sd = sqrt(N * share[j] * (1 - share[j]));
        assert_true(fabs((double)chosen[j] - N * share[j]) < 6 * sd);
    }
    assert_true(bpk_sample_key(12345, 0.3) == bpk_sample_key(12345, 0.3));
}

/* The keys chosen today are those that were chosen with any version before: the vectors of docs/format.md. A share has
 * 53 bits: the largest one that leaves a key out, and the next. */
static void the_same_keys_are_chosen_for_ever(void **state) {
    (void)state;
    static const uint64_t vector[][2] = {{0, UINT64_C(0x124575bbdb8f1d01)},
                                         {1, UINT64_C(0x341ceeb57e8de6ef)},
                                         {UINT64_C(0xe6c632b61e964e1f), UINT64_C(0x273fe2c6eb922f7b)},
                                         {UINT64_MAX, UINT64_C(0xb0545eaef5bfbaa9)}};
    for (size_t i = 0; i < BPKI_COUNT(vector); i++) {
        uint64_t step = UINT64_C(1) << 11, out = vector[i][1] / step * step;
        assert_false(bpk_sample_key(vector[i][0], (double)out * 0x1p-64));
        assert_true(bpk_sample_key(vector[i][0], (double)(out + step) * 0x1p-64));
    }
    assert_true(bpk_sample_key(UINT64_C(0x73616d706c65206b), 1e-300) == false);
    assert_true(bpk_sample_key(UINT64_C(0x73616d706c65206b), 0x1p-64));
}

static void the_same_skips_are_drawn_for_ever(void **state) {
    (void)state;
    static const uint64_t skips[] = {15, 111, 46, 183, 17, 115};
    bpk_skips k;
    assert_int_equal(bpk_skips_new(&k, 1, 2, 0.01), BPK_OK);
    for (size_t i = 0; i < BPKI_COUNT(skips); i++) assert_int_equal(bpk_skips_next(&k), skips[i]);
}

static void hashes_of_chosen_keys_are_as_even_as_all_for_an_hll_and_a_bloom(void **state) {
    (void)state;
    static const double share[] = {0.5, 0.1, 0.01};
    for (size_t j = 0; j < 3; j++) {
        bpk_sketch *hll = NULL, *bloom = NULL;
        const bpk_param items = {"items", "100k"};
        double n = 0, seen = 0;
        bpk_estimate e;
        assert_int_equal(bpk_new(&hll, "hll", NULL, NULL, 0, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_new(&bloom, "bloom", NULL, &items, 1, NULL, NULL), BPK_OK);
        for (uint64_t i = 0; n < 100000; i++) {
            uint64_t h = t_hash(5, i);
            if (!bpk_sample_key(h, share[j])) continue;
            n++;
            assert_int_equal(bpk_add(hll, &(bpk_items){.n = 1, .hash = &h}, NULL, NULL), BPK_OK);
            assert_int_equal(bpk_add(bloom, &(bpk_items){.n = 1, .hash = &h}, NULL, NULL), BPK_OK);
        }
        assert_int_equal(bpk_count(hll, NULL, 0, 0.9999, &e, NULL), BPK_OK);
        assert_true(e.lower <= n && n <= e.upper);
        assert_int_equal(bpk_health(hll, NULL, NULL), BPK_HEALTH_OK); /* its chi-square finds nothing */
        for (uint64_t i = 0; i < 100000; i++) {
            uint8_t yes;
            uint64_t h = t_hash(6, i);
            assert_int_equal(bpk_has(bloom, &h, 1, &yes, NULL), BPK_OK);
            seen += yes;
        }
        assert_true(seen < 1200); /* 1,000 expected at most, 32 its standard deviation */
        bpk_free(hll), bpk_free(bloom);
    }
}

static void skips_repeat_and_their_ends_are_never_and_always(void **state) {
    (void)state;
    bpk_skips a, b;
    static const double wrong[] = {-0.1, 1.1, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) assert_int_equal(bpk_skips_new(&a, 0, 0, wrong[i]), BPK_E_ARG);
    assert_int_equal(bpk_skips_new(&a, 0, 0, 0), BPK_OK);
    assert_true(bpk_skips_next(&a) == UINT64_MAX);
    assert_int_equal(bpk_skips_new(&a, 0, 0, 1), BPK_OK);
    for (int i = 0; i < 100; i++) assert_int_equal(bpk_skips_next(&a), 0);
    assert_int_equal(bpk_skips_new(&a, 5, 1, 0.01), BPK_OK);
    assert_int_equal(bpk_skips_new(&b, 5, 1, 0.01), BPK_OK);
    double n = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t skip = bpk_skips_next(&a);
        assert_true(skip == bpk_skips_next(&b));
        n += (double)skip + 1;
    }
    assert_true(fabs(n / 100000 - 100) < 6 * 100 / sqrt(100000)); /* geometric: mean and deviation are 1/p */
    assert_int_equal(bpk_skips_new(&a, 0, 0, 1e-300), BPK_OK);
    assert_true(bpk_skips_next(&a) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_keys_is_as_large_as_asked_and_nested),
        cmocka_unit_test(the_same_keys_are_chosen_for_ever),
        cmocka_unit_test(the_same_skips_are_drawn_for_ever),
        cmocka_unit_test(hashes_of_chosen_keys_are_as_even_as_all_for_an_hll_and_a_bloom),
        cmocka_unit_test(skips_repeat_and_their_ends_are_never_and_always),
    };
    return cmocka_run_group_tests_name("test_sample_pick", tests, NULL, NULL);
}
