/* test_bloom_plan.c - making filters: sizes of the published tables, never larger than needed, honest when tiny. */
#include "t_bloom.h"

#include "bloom_plan.h"

#include <math.h>

static void sizes_are_those_of_the_published_table(void **state) {
    (void)state;
    static const struct {
        double rate, blocked, classic;
    } rows[] = {{0.1, 5.88, 4.79},    {0.05, 7.05, 6.24},   {0.02, 8.72, 8.14},   {0.01, 10.10, 9.585},
                {1e-3, 15.72, 14.38}, {2e-4, 18.79, 17.73}, {1e-4, 20.20, 19.17}, {1e-5, 25.38, 23.96},
                {1e-6, 31.45, 28.76}, {1e-8, 47.21, 38.34}};
    for (size_t i = 0; i < BPKI_COUNT(rows); i++) {
        assert_true(fabs(bloom_bits_per_item(10000000, rows[i].rate, BPK_BLOOM_BLOCKED) - rows[i].blocked) < 0.01);
        assert_true(fabs(bloom_bits_per_item(10000000, rows[i].rate, BPK_BLOOM_CLASSIC) - rows[i].classic) < 0.01);
    }
}

static void a_blocked_size_is_the_smallest_that_meets_the_rate(void **state) {
    (void)state;
    static const double rates[] = {0.5, 0.03, 0.01, 5e-4, 4.99e-4, 1e-6, 1e-12};
    static const uint64_t items[] = {1, 2, 9, 53, 100, 1000, 12345, 10000000, UINT64_C(1) << 40};
    for (size_t i = 0; i < BPKI_COUNT(rates); i++)
        for (size_t j = 0; j < BPKI_COUNT(items); j++) {
            bpk_bloom_config cfg = {.items = items[j], .rate = rates[i]};
            if (bpki_bloom_fault(&cfg)) continue;
            bpki_filter p = bpki_bloom_size(&cfg);
            assert_true(bpki_filter_rate_at(&p, (double)p.items) <= p.rate);
            if (--p.units) assert_true(bpki_filter_rate_at(&p, (double)p.items) > p.rate);
        }
}

/* E[(X/m)^k] exactly, from the distribution of the number of set bits, ball by ball. */
static double classic_rate_exactly(const bpki_filter *p) {
    static double share[4096];
    uint64_t balls = p->items * p->k, m = p->units;
    double rate = 0;
    memset(share, 0, sizeof share);
    share[0] = 1;
    for (uint64_t ball = 0; ball < balls; ball++) {
        for (uint64_t x = ball + 1; x > 0; x--)
            share[x] = (share[x] * (double)x + share[x - 1] * (double)(m - x + 1)) / (double)m;
        share[0] = 0;
    }
    for (uint64_t x = 1; x <= balls && x <= m; x++) rate += share[x] * pow((double)x / (double)m, p->k);
    return rate;
}

static void a_tiny_classic_plan_is_honest_to_5_percent(void **state) {
    (void)state;
    static const double rates[] = {0.5, 0.36, 0.3, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12};
    for (size_t i = 0; i < BPKI_COUNT(rates); i++)
        for (uint64_t n = 1; n <= 30; n++) {
            bpk_bloom_config cfg = {.items = n, .rate = rates[i], .layout = BPK_BLOOM_CLASSIC};
            bpki_filter p = bpki_bloom_size(&cfg);
            double textbook = ceil(-(double)n * log(rates[i]) / (log(2) * log(2)));
            assert_true((double)p.units >= textbook);
            assert_true(classic_rate_exactly(&p) <= 1.051 * rates[i]);
        }
}

static void configurations_out_of_range_are_refused(void **state) {
    (void)state;
    const bpk_bloom_config good = {.items = 1000, .rate = 0.01};
    bpk_bloom_config bad[20];
    for (size_t i = 0; i < 20; i++) bad[i] = good;
    bad[0].items = 0;
    bad[1].items = (UINT64_C(1) << 48) + 1;
    bad[2].rate = 0;
    bad[3].rate = 0.51;
    bad[4].rate = NAN;
    bad[5].rate = 1e-16;
    bad[6].rate = 1e-15, bad[6].items = 2400; /* under 8 n / 2^64 */
    bad[7].layout = 2;
    bad[8].generations = BPK_BLOOM_GENERATIONS_MAX + 1;
    bad[9].on_full = 2;
    bad[10].rate = -0.01;
    bad[11].rate = INFINITY;
    bad[12].seen = BPK_SEEN_FIRST; /* without generations there is no time */
    bad[13].span = 100;
    for (size_t i = 14; i < 20; i++) bad[i].generations = 4;
    bad[14].items = 3;
    bad[15].layout = BPK_BLOOM_CLASSIC;
    bad[16].on_full = BPK_FULL_DEGRADE;
    bad[17].seen = 2;
    bad[18].span = 3;
    bad[19].rate = 1e-15, bad[19].items = 5; /* a fifth of it is out of range */
    for (size_t i = 0; i < 20; i++) {
        bpk_bloom *b = NULL;
        assert_int_equal(bpk_bloom_new(&b, &bad[i], NULL), BPK_E_ARG);
        assert_null(b);
        assert_int_equal(bpk_bloom_bits(&bad[i]), 0);
    }
}

static void a_filter_over_the_limit_is_refused_before_any_memory_is_asked_for(void **state) {
    (void)state;
    t_env t;
    bpk_bloom *b = NULL;
    t_env_init(&t, 0);
    t.env.max_bytes = 1 << 20;
    bpk_bloom_config cfg = {.items = 1000000, .rate = 0.01};
    assert_int_equal(bpk_bloom_new(&b, &cfg, &t.env), BPK_E_LIMIT);
    cfg.items = UINT64_C(1) << 48;
    assert_int_equal(bpk_bloom_new(&b, &cfg, &t.env), BPK_E_LIMIT);
    assert_int_equal(t.held, 0);
}

static void text_parameters_make_the_same_filter_and_name_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *field;
    } bad[] = {{"items", "0", "items"},
               {"rate", "2", "rate"},
               {"rate", "0", "rate"},
               {"layout", "round", "layout"},
               {"on_full", "x", "on_full"},
               {"colour", "red", "colour"},
               {"rate", "x", "rate"},
               {"generations", "17", "generations"},
               {"generations", "x", "generations"},
               {"generations", "1e9", "generations"},
               {"span", "60", "span"},
               {"seen", "first", "seen"},
               {"seen", "never", "seen"}};
    const bpk_param good[] = {{"items", "1k"}, {"rate", "0.1%"}, {"layout", "classic"}, {"on_full", "degrade"}};
    bpk_sketch *s = NULL;
    bpk_err err;
    assert_int_equal(bpk_new(&s, "bloom", NULL, good, 4, NULL, &err), BPK_OK);
    bpk_bloom *same = NULL;
    bpk_bloom_config cfg = {.items = 1000, .rate = 0.001, .layout = BPK_BLOOM_CLASSIC, .on_full = BPK_FULL_DEGRADE};
    assert_int_equal(bpk_bloom_new(&same, &cfg, NULL), BPK_OK);
    t_assert_same_bytes(s, bpk_bloom_base(same));
    bpk_free(s);
    bpk_free(bpk_bloom_base(same));
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_param p[2] = {{"items", "1000"}, {bad[i].name, bad[i].value}};
        bool own = strcmp(bad[i].name, "items") == 0;
        assert_int_equal(bpk_new(&s, "bloom", NULL, own ? p + 1 : p, own ? 1 : 2, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i].field);
    }
    assert_int_equal(bpk_new(&s, "bloom", NULL, NULL, 0, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "items");
}

static uint64_t bits_by_hand(const bpk_bloom *b, size_t bytes) {
    t_bytes all = t_encode((const bpk_sketch *)b, BPK_FORM_VIEW);
    uint64_t set = 0;
    for (size_t i = 0; i < bytes; i++) set += (unsigned)__builtin_popcount(all.p[128 + i]);
    free(all.p);
    return set;
}

static void a_filter_tells_what_it_was_made_for_and_what_became_of_it(void **state) {
    (void)state;
    bpk_bloom_config asked = {.items = 100, .rate = 1e-4, .layout = BPK_BLOOM_CLASSIC, .on_full = BPK_FULL_DEGRADE}, is;
    bpk_bloom_shape shape, planned;
    bpk_bloom *b = NULL;
    assert_int_equal(bpk_bloom_new(&b, &asked, NULL), BPK_OK);
    assert_int_equal(bpk_bloom_size(&planned, &asked), BPK_OK);
    bloom_add(b, 1, 0, 70);
    bpk_bloom_made_for(b, &is, &shape);
    assert_true(is.items == 100 && is.rate == 1e-4 && is.layout == BPK_BLOOM_CLASSIC && is.generations == 0);
    assert_true(is.on_full == BPK_FULL_DEGRADE && is.domain.hash == BPK_HASH_XXH3 && is.span == 0);
    assert_true(shape.bits == planned.bits && shape.hashes == planned.hashes);
    assert_int_equal(bpk_bloom_set_bits(b), bits_by_hand(b, (shape.bits + 63) / 64 * 8));
    bloom_free(b);
    asked = (bpk_bloom_config){.items = 3000, .rate = 0.01};
    assert_int_equal(bpk_bloom_new(&b, &asked, NULL), BPK_OK);
    bpk_bloom_made_for(b, &is, &planned);
    uint64_t divisor = 2;
    while (planned.bits / 512 % divisor) divisor++;
    assert_int_equal(bpk_bloom_fold(b, divisor), BPK_OK);
    bpk_bloom_made_for(b, &is, &shape);
    assert_true(is.items == 3000 / divisor && shape.bits == planned.bits / divisor && shape.hashes == 8);
    assert_int_equal(bpk_bloom_set_bits(b), 0);
    bloom_free(b);
    asked = (bpk_bloom_config){.items = 400, .rate = 0.01, .generations = 2, .span = 60, .seen = BPK_SEEN_FIRST};
    assert_int_equal(bpk_bloom_new(&b, &asked, NULL), BPK_OK);
    bloom_add(b, 1, 0, 100);
    bpk_bloom_made_for(b, &is, &shape);
    assert_true(is.items == 400 && is.rate == 0.01 && is.generations == 2 && is.span == 60);
    assert_true(is.seen == BPK_SEEN_FIRST);
    assert_int_equal(bpk_bloom_set_bits(b), bits_by_hand(b, 3 * shape.bits / 8));
    bloom_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_published_table),
        cmocka_unit_test(a_blocked_size_is_the_smallest_that_meets_the_rate),
        cmocka_unit_test(a_tiny_classic_plan_is_honest_to_5_percent),
        cmocka_unit_test(configurations_out_of_range_are_refused),
        cmocka_unit_test(a_filter_over_the_limit_is_refused_before_any_memory_is_asked_for),
        cmocka_unit_test(text_parameters_make_the_same_filter_and_name_what_is_wrong),
        cmocka_unit_test(a_filter_tells_what_it_was_made_for_and_what_became_of_it),
    };
    return cmocka_run_group_tests_name("bloom_plan", tests, NULL, NULL);
}
