/* stat_cms.c - what the count-min sketch promises on average: epsilon and delta, the interval's coverage, the phantoms.
 *
 * Thresholds are z = 6: a false alarm of 2e-9 an assertion. Items of one sketch share its collisions, so that every
 * sketch gives one observation, and each has hashes of its own.
 */
#include "t_streams.h"

#include "core.h"

static bpk_cms *new_cms(uint32_t width, uint32_t depth, uint8_t conservative) {
    bpk_cms *c = NULL;
    bpk_cms_config cfg = {.width = width, .depth = depth, .cell_bytes = 4, .conservative = conservative};
    assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
    return c;
}
static void drop(bpk_cms *c) {
    bpk_free(bpk_cms_base(c));
}
static void add_one(bpk_cms *c, uint64_t hash, uint64_t weight) {
    bpk_items it = {.n = 1, .hash = &hash, .weight = &weight};
    assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
}
static uint64_t least(const bpk_cms *c, uint64_t hash) {
    const bpk_noise none = {0};
    return (uint64_t)bpk_cms_count(c, hash, &none, 0.95).upper;
}
static double z6(double p, double n) {
    return 6 * sqrt(p * (1 - p) * n);
}

/* ---- epsilon and delta ---- */

/* Equal items, just heavy enough that one of them in the cell breaks the bound: as bad as it gets. */
static void the_error_exceeds_epsilon_times_the_total_with_probability_delta_at_most(void **state) {
    (void)state;
    enum { SEEDS = 20000 };
    bpk_cms_config cfg = {.width = 0};
    assert_int_equal(bpk_cms_size(&cfg, 0.1, exp(-5), false), BPK_OK);
    assert_true(cfg.width == 28 && cfg.depth == 5);
    for (uint8_t conservative = 0; conservative < 2; conservative++) {
        bpk_cms *c = new_cms(cfg.width, cfg.depth, conservative);
        double bad = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            bpk_reset(bpk_cms_base(c));
            for (uint64_t i = 0; i < 9; i++) add_one(c, t_hash(seed, i), 100);
            bad += (double)least(c, t_hash(seed, 1000)) > 0.1 * 900;
        }
        print_message("%s: %.0f of %d beyond epsilon x total\n", conservative ? "conservative" : "plain", bad, SEEDS);
        assert_true(bad <= 208); /* delta x 20,000 = 134.8, and 6 standard deviations */
        drop(c);
    }
}

/* A stranger meets one of h items in all d rows as if the rows were independent: (1 - (1 - 1/w)^h)^d. */
static void the_rows_are_independent_of_each_other(void **state) {
    (void)state;
    static const struct {
        uint32_t width, depth;
        uint64_t items, seeds;
    } rows[] = {{2, 5, 1, 200000},  {3, 8, 2, 100000},   {28, 1, 9, 50000},    {28, 3, 9, 50000},
                {28, 5, 9, 200000}, {28, 10, 9, 300000}, {28, 10, 28, 100000}, {97, 3, 33, 20000},
                {64, 4, 64, 20000}, {1000, 2, 300, 4000}};
    for (size_t k = 0; k < BPKI_COUNT(rows); k++) {
        bpk_cms *c = new_cms(rows[k].width, rows[k].depth, 0);
        double hits = 0, n = (double)rows[k].seeds, w = rows[k].width;
        double p = pow(1 - pow(1 - 1 / w, (double)rows[k].items), rows[k].depth);
        for (uint64_t seed = 1000; seed < 1000 + rows[k].seeds; seed++) {
            bpk_reset(bpk_cms_base(c));
            t_add(bpk_cms_base(c), seed, 0, rows[k].items);
            hits += least(c, t_hash(seed, 5000)) > 0;
        }
        print_message("width %4.0f depth %2u: %7.0f, expected %9.1f\n", w, rows[k].depth, hits, p * n);
        assert_true(fabs(hits - p * n) <= z6(p, n) + 6);
        drop(c);
    }
}

/* ---- coverage ---- */

typedef struct setting {
    double z;            /* of the stream; 0: all alike */
    uint32_t keys, rank; /* rank of the item that is asked for; UINT32_MAX: one by chance, by its share of the keys */
    uint8_t conservative;
    bool late; /* the item comes last */
} setting;

enum { LEVELS = 3 };
static const double levels[LEVELS] = {0.95, 0.99, 0.999};

/* One sketch: which of its intervals miss the truth. */
static void look(bpk_cms *c, const setting *s, uint64_t seed, double missed[LEVELS]) {
    enum { N = 3000 };
    t_zipf d = t_zipf_of(s->keys, s->z);
    t_rng r = {t_mix(seed)};
    uint64_t hash[N], truth = 0, target = s->rank == UINT32_MAX ? t_below(&r, s->keys) : s->rank;
    size_t n = 0;
    bpk_noise noise;
    bpk_reset(bpk_cms_base(c));
    for (size_t i = 0; i < N; i++) {
        uint64_t id = s->z > 0 ? t_zipf_next(&d, &r) : t_below(&r, s->keys);
        truth += id == target;
        if (id != target || !s->late) hash[n++] = t_hash(seed, id);
    }
    while (n < N) hash[n++] = t_hash(seed, target);
    bpk_items it = {.n = n, .hash = hash};
    assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
    bpk_cms_noise(c, &noise);
    for (size_t k = 0; k < LEVELS; k++) {
        bpk_estimate e = bpk_cms_count(c, t_hash(seed, target), &noise, levels[k]);
        assert_true(e.upper >= (double)truth);
        missed[k] += e.lower > (double)truth;
    }
}

static void the_interval_covers_with_the_confidence_that_was_asked_for(void **state) {
    (void)state;
    static const setting settings[] = {
        {1.0, 5000, 0, 0, false},  {1.0, 5000, UINT32_MAX, 0, false}, {0, 2000, UINT32_MAX, 0, false},
        {1.0, 5000, 20, 1, false}, {1.0, 5000, UINT32_MAX, 1, false}, {0, 2000, UINT32_MAX, 1, false},
        {1.0, 5000, 3, 1, true},   {1.2, 5000, 100, 1, true},         {0.8, 300, UINT32_MAX, 0, false},
    };
    enum { SKETCHES = 700 };
    for (size_t i = 0; i < BPKI_COUNT(settings); i++) {
        double missed[LEVELS] = {0};
        bpk_cms *c = new_cms(64 + 32 * (uint32_t)(i % 3), 3 + (uint32_t)(i % 2), settings[i].conservative);
        for (uint64_t seed = 0; seed < SKETCHES; seed++) look(c, &settings[i], 1000 * i + seed, missed);
        for (size_t k = 0; k < LEVELS; k++) {
            double allowed = 1 - levels[k];
            print_message("setting %zu at %g: missed %.0f of %d\n", i, levels[k], missed[k], SKETCHES);
            assert_true(missed[k] <= allowed * SKETCHES + z6(allowed, SKETCHES) + 6);
        }
        drop(c);
    }
}

/* ---- phantoms ---- */

static void a_stranger_is_above_the_99th_percentile_in_1_of_100_sketches_and_above_the_median_in_half(void **state) {
    (void)state;
    enum { SKETCHES = 3000 };
    double above_p99 = 0, above_median = 0, below_median = 0;
    bpk_cms *c = new_cms(200, 3, 0);
    for (uint64_t seed = 0; seed < SKETCHES; seed++) {
        bpk_noise noise;
        bpk_reset(bpk_cms_base(c));
        t_add(bpk_cms_base(c), seed, 0, 4000);
        bpk_cms_noise(c, &noise);
        double told = (double)least(c, t_hash(seed, 100000));
        above_p99 += told > noise.p99, above_median += told > noise.median, below_median += told < noise.median;
    }
    print_message("above p99 %.4f, above the median %.3f, below it %.3f\n", above_p99 / SKETCHES,
                  above_median / SKETCHES, below_median / SKETCHES);
    assert_true(above_p99 <= 0.01 * SKETCHES + z6(0.01, SKETCHES));
    assert_true(above_median <= 0.5 * SKETCHES + z6(0.5, SKETCHES));
    assert_true(below_median <= 0.5 * SKETCHES + z6(0.5, SKETCHES));
    drop(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_exceeds_epsilon_times_the_total_with_probability_delta_at_most),
        cmocka_unit_test(the_rows_are_independent_of_each_other),
        cmocka_unit_test(the_interval_covers_with_the_confidence_that_was_asked_for),
        cmocka_unit_test(a_stranger_is_above_the_99th_percentile_in_1_of_100_sketches_and_above_the_median_in_half),
    };
    return cmocka_run_group_tests_name("stat_cms", tests, NULL, NULL);
}
