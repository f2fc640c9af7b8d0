/* stat_plan.c - 400 random plans, 50 a question: the object that a plan asks for is made, filled as planned and held
 * against the plan's bytes and bound.
 *
 * Bytes are exact or within 1 %. Bounds are means over 20 independent sketches or more that may exceed the plan's by
 * five standard errors, taken from the sketches themselves: with 19 degrees of freedom Student's t does so with
 * probability 4e-5 a plan, 6e-3 in all, if seeds were drawn afresh; the root mean square of 20 errors with 2e-6. Plans
 * err to the safe side, so that the true probabilities are far smaller. Seeds are fixed.
 */
#include "t_plan.h"
#include "t_theta.h"

enum { PLANS = 50, STRANGERS = 2000 };

static double between(t_rng *r, double low, double high) { /* evenly on the logarithmic scale */
    return low * pow(high / low, t_uniform(r));
}

/* ---- a mean over sketches, with its own standard error ---- */

typedef struct mean {
    double sum, square, n;
} mean;

static void note(mean *m, double x) {
    m->sum += x;
    m->square += x * x;
    m->n++;
}
/* Whether the mean is at most `bound`, with at least the spread that the bound itself gives so many trials. */
static bool at_most(const mean *m, double bound, double trials) {
    double x = m->sum / m->n, own = (m->square / m->n - x * x) / m->n, least = bound * (1 - bound) / trials;
    return x <= bound + 5 * sqrt(fmax(own, least));
}

static void bytes_are_those_of_the_plan(const t_plan *p, const bpk_sketch *s) {
    double memory = t_plan_number(p, "memory_bytes"), file = t_plan_number(p, "file_bytes_at_most");
    assert_true(fabs((double)bpk_memory(s) / memory - 1) <= 0.01);
    assert_true(fabs((double)bpk_encoded_size(s, BPK_FORM_VIEW) / file - 1) <= 0.01);
    assert_true((double)bpk_encoded_size(s, BPK_FORM_SMALL) <= file);
}

/* ---- membership ---- */

static double hits(const bpk_sketch *s, uint64_t stream) {
    uint64_t hash[STRANGERS];
    uint8_t out[STRANGERS];
    double n = 0;
    for (size_t i = 0; i < STRANGERS; i++) hash[i] = t_hash(stream, i);
    assert_int_equal(bpk_has(s, hash, STRANGERS, out, NULL), BPK_OK);
    for (size_t i = 0; i < STRANGERS; i++) n += out[i];
    return n / STRANGERS;
}

static void a_plan_of_membership_holds(void **state) {
    (void)state;
    t_rng r = {1};
    for (int i = 0; i < PLANS; i++) {
        char items[32], rate[32];
        snprintf(items, sizeof items, "%.0f", between(&r, 1, 1e5));
        snprintf(rate, sizeof rate, "%.3g", between(&r, 1e-4, 0.5));
        t_plan p = T_PLAN("membership", "items", items, "rate", rate);
        double n = strtod(items, NULL), sketches = fmin(200, fmax(20, ceil(2e5 / n)));
        mean told = {0};
        for (uint64_t seed = 1; seed <= (uint64_t)sketches; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            t_add(s, 1000 * (uint64_t)i + seed, 0, (uint64_t)n);
            if (seed == 1) bytes_are_those_of_the_plan(&p, s);
            note(&told, hits(s, t_mix(1000 * (uint64_t)i + seed)));
            bpk_free(s);
        }
        if (!at_most(&told, t_plan_number(&p, "rate"), sketches * STRANGERS))
            fail_msg("%s items at %s: %g", items, rate, told.sum / told.n);
    }
}

/* What a plan of this extra parameter makes holds so many items, of which `bytes` are told. */
static void special_plans_hold(const char *name, const char *value, uint64_t stream, double rarest) {
    t_rng r = {stream};
    for (int i = 0; i < PLANS; i++) {
        char items[32], rate[32];
        snprintf(items, sizeof items, "%.0f", between(&r, 20, 3e4));
        snprintf(rate, sizeof rate, "%.3g", between(&r, rarest, 0.3));
        t_plan p = T_PLAN("membership", "items", items, "rate", rate, name, value);
        double n = strtod(items, NULL), sketches = fmin(100, fmax(20, ceil(1e5 / n)));
        mean told = {0};
        for (uint64_t seed = 1; seed <= (uint64_t)sketches; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            if (seed == 1) bytes_are_those_of_the_plan(&p, s);
            t_add(s, stream * 100000 + 1000 * (uint64_t)i + seed, 0, (uint64_t)n);
            note(&told, hits(s, t_mix(stream * 100000 + 1000 * (uint64_t)i + seed)));
            bpk_free(s);
        }
        if (!at_most(&told, t_plan_number(&p, "rate"), sketches * STRANGERS))
            fail_msg("%s %s, %s items at %s: %g", name, value, items, rate, told.sum / told.n);
    }
}

static void plans_of_windows_and_of_removal_hold(void **state) {
    (void)state;
    special_plans_hold("generations", "4", 11, 1e-4);
    special_plans_hold("delete", "1", 12, 1e-5);
}

/* Of a layer's frame an upper limit is planned. */
static void chain_takes_at_most(const bpk_sketch *s, size_t layers, double memory, double file) {
    double here = (double)bpk_memory(s), there = (double)bpk_encoded_size(s, BPK_FORM_VIEW);
    assert_true(here <= memory && here >= memory - 256 * (double)layers);
    assert_true(there <= file && there >= file - 256 * (double)layers);
}

/* At X times the plan it has the layers, the bytes and the rate that were told. */
static void plans_of_growth_hold(void **state) {
    (void)state;
    t_rng r = {13};
    for (int i = 0; i < PLANS; i++) {
        char items[32], rate[32], growth[32];
        snprintf(items, sizeof items, "%.0f", between(&r, 1, 1000));
        snprintf(rate, sizeof rate, "%.3g", between(&r, 1e-2, 0.3));
        snprintf(growth, sizeof growth, "%.0f", between(&r, 1, 100));
        t_plan p = i % 2 ? T_PLAN("membership", "items", items, "rate", rate, "growth", growth, "delete", "1")
                         : T_PLAN("membership", "items", items, "rate", rate, "growth", growth);
        double n = t_plan_number(&p, "growth.items"), told_layers = t_plan_number(&p, "growth.layers");
        mean told = {0};
        for (uint64_t seed = 1; seed <= 20; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            size_t layers = 0;
            chain_takes_at_most(s, 1, t_plan_number(&p, "memory_bytes"), t_plan_number(&p, "file_bytes_at_most"));
            t_add(s, 1300000 + 1000 * (uint64_t)i + seed, 0, (uint64_t)n);
            while (bpk_grow_layer(bpk_as_grow(s), layers)) layers++;
            assert_true((double)layers <= told_layers && (double)layers >= told_layers - 1); /* some were not stored */
            if ((double)layers == told_layers)
                chain_takes_at_most(s, layers, t_plan_number(&p, "growth.memory_bytes"),
                                    t_plan_number(&p, "growth.file_bytes_at_most"));
            note(&told, hits(s, t_mix(1300000 + 1000 * (uint64_t)i + seed)));
            bpk_free(s);
        }
        if (!at_most(&told, t_plan_number(&p, "rate"), 20.0 * STRANGERS))
            fail_msg("%s items at %s, %s times: %g", items, rate, growth, told.sum / told.n);
    }
}

/* ---- count ---- */

/* The share of strangers that are told more than epsilon x total. */
static double beyond(const bpk_sketch *s, double limit, uint64_t stream) {
    const bpk_cms *c = bpk_as_cms(s);
    bpk_noise noise = {0};
    double n = 0;
    for (size_t i = 0; i < STRANGERS; i++) n += bpk_cms_count(c, t_hash(stream, i), &noise, 0).upper > limit;
    return n / STRANGERS;
}

static void a_plan_of_counting_holds(void **state) {
    (void)state;
    t_rng r = {2};
    for (int i = 0; i < PLANS; i++) {
        char epsilon[32], delta[32], total[32];
        snprintf(epsilon, sizeof epsilon, "%.3g", between(&r, 1e-3, 0.3));
        snprintf(delta, sizeof delta, "%.3g", between(&r, 1e-3, 0.6));
        snprintf(total, sizeof total, "%.0f", between(&r, 10, 3e4));
        t_plan p = T_PLAN("count", "epsilon", epsilon, "delta", delta, "total", total);
        uint64_t n = (uint64_t)strtod(total, NULL);
        mean told = {0};
        for (uint64_t seed = 1; seed <= 20; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            t_add(s, 5000 + 100 * (uint64_t)i + seed, 0, n);
            if (seed == 1) bytes_are_those_of_the_plan(&p, s);
            note(&told, beyond(s, t_plan_number(&p, "error_items"), t_mix(100 * (uint64_t)i + seed)));
            bpk_free(s);
        }
        if (!at_most(&told, t_plan_number(&p, "delta"), 20 * STRANGERS))
            fail_msg("%s, %s, %s: %g", epsilon, delta, total, told.sum / told.n);
    }
}

/* ---- distinct ---- */

static void a_plan_of_distinct_counting_holds(void **state) {
    (void)state;
    t_rng r = {3};
    for (int i = 0; i < PLANS; i++) {
        enum { SKETCHES = 20 };
        char error[32], items[32];
        snprintf(error, sizeof error, "%.3g", between(&r, 0.004, 0.3));
        snprintf(items, sizeof items, "%.0f", between(&r, 1, 1e5));
        t_plan p = T_PLAN("distinct", "error", error, "items", items);
        double n = strtod(items, NULL), se = t_plan_number(&p, "standard_error"), square = 0;
        assert_true(se <= t_plan_number(&p, "error"));
        for (uint64_t seed = 1; seed <= SKETCHES; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            bpk_estimate e;
            t_add(s, 9000 + 100 * (uint64_t)i + seed, 0, (uint64_t)n);
            if (seed == 1) bytes_are_those_of_the_plan(&p, s);
            assert_int_equal(bpk_count(s, NULL, 0, 0, &e, NULL), BPK_OK);
            square += (e.estimate / n - 1) * (e.estimate / n - 1);
            bpk_free(s);
        }
        /* The root mean square of so many has itself a standard error of 1 / sqrt(2 SKETCHES), 16 %. */
        if (sqrt(square / SKETCHES) > se * (1 + 5 / sqrt(2.0 * SKETCHES)))
            fail_msg("%s, %s: %g", error, items, sqrt(square / SKETCHES));
    }
}

/* ---- overlap ---- */

/* Two sketches of the plan, filled with the smallest hashes of sets of the planned sizes. */
static double overlap_error(const t_plan *p, uint64_t seed) {
    double smaller = t_plan_number(p, "smaller"), larger = t_plan_number(p, "larger");
    double both = t_plan_number(p, "overlap_items"), whole = floor(both + 0.5);
    uint32_t k = (uint32_t)t_plan_number(p, "parameters.k");
    t_pair pair = t_pair_draw(k, larger - whole, whole, smaller - whole, seed);
    bpk_estimate e = t_pair_count(&pair, BPK_THETA_INTERSECT, 0, NULL);
    t_pair_drop(&pair);
    return (e.estimate - whole) / both;
}

static void a_plan_of_an_overlap_holds(void **state) {
    (void)state;
    t_rng r = {5};
    for (uint64_t i = 0; i < PLANS; i++) {
        enum { SKETCHES = 20 };
        char error[32], smaller[32], larger[32], overlap[32];
        double n = floor(between(&r, 100, 1e8)), square = 0;
        snprintf(error, sizeof error, "%.3g", between(&r, 0.05, 0.5));
        snprintf(smaller, sizeof smaller, "%.0f", n);
        snprintf(larger, sizeof larger, "%.0f", floor(n * between(&r, 1, 5)));
        snprintf(overlap, sizeof overlap, "%.3g", between(&r, 0.03, 1));
        t_plan p = T_PLAN("overlap", "error", error, "smaller", smaller, "larger", larger, "overlap", overlap);
        double se = t_plan_number(&p, "standard_error"), k = t_plan_number(&p, "parameters.k");
        assert_true(se <= t_plan_number(&p, "error") * 1.0001);
        bpk_sketch *full = t_plan_make(&p, 0); /* more than 3 k items change no size */
        t_add(full, i, 0, (uint64_t)fmin(3 * k, t_plan_number(&p, "larger")));
        bytes_are_those_of_the_plan(&p, full);
        bpk_free(full);
        for (uint64_t seed = 0; seed < SKETCHES; seed++) square += pow(overlap_error(&p, i * SKETCHES + seed), 2);
        /* Where a few items are shared in all, rounding them to whole ones is part of the error. */
        double rounding = 0.5 / t_plan_number(&p, "overlap_items");
        if (sqrt(square / SKETCHES) > (se + rounding) * (1 + 5 / sqrt(2.0 * SKETCHES)))
            fail_msg("%s of %s and %s, %s: %g", overlap, smaller, larger, error, sqrt(square / SKETCHES));
    }
}

/* ---- sample ---- */

/* Records of the planned size, their last byte by turns 0 and 1: the share that is 1 is one half, known worst. */
static bool is_odd(void *ctx, const bpk_sample_row *row) {
    (void)ctx;
    return ((const uint8_t *)row->item)[row->len - 1];
}
static void add_records(bpk_sketch *s, uint64_t n, size_t bytes, uint64_t groups) {
    uint8_t *record = calloc(bytes, 1);
    const void *item = record;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t group = i / 2 % (groups + 1);
        const bpk_items one = {.n = 1, .hash = &i, .item = &item, .len = &bytes, .group = &group};
        record[bytes - 1] = (uint8_t)(i & 1);
        assert_int_equal(bpk_add(s, &one, NULL, NULL), BPK_OK);
    }
    free(record);
}

static void a_plan_of_a_sample_holds(void **state) {
    (void)state;
    t_rng r = {6};
    mean outside = {0, 0, 0};
    for (int i = 0; i < PLANS; i++) {
        enum { SKETCHES = 20 };
        char k[32], groups[32], bytes[32];
        snprintf(k, sizeof k, "%.0f", between(&r, 10, 2000));
        snprintf(groups, sizeof groups, "%.0f", between(&r, 1, 10));
        snprintf(bytes, sizeof bytes, "%.0f", between(&r, 1, 500));
        t_plan p = T_PLAN("sample", "k", k, "record_bytes", bytes), strata = T_PLAN("sample", "k", k, "groups", groups);
        uint64_t n = 4 * strtoull(k, NULL, 10), g = strtoull(groups, NULL, 10);
        bpk_sketch *s = t_plan_make(&strata, 0);
        add_records(s, n * (g + 1), 100, g);
        bytes_are_those_of_the_plan(&strata, s);
        bpk_free(s);
        for (uint64_t seed = 0; seed < SKETCHES; seed++) {
            bpk_sample *one = NULL;
            const bpk_sample_config cfg = {.k = (uint32_t)(n / 4), .seed = seed, .stream = (uint64_t)i};
            bpk_estimate e;
            assert_int_equal(bpk_sample_new(&one, &cfg, NULL), BPK_OK);
            add_records(bpk_sample_base(one), n, strtoull(bytes, NULL, 10), 0);
            if (seed == 0) bytes_are_those_of_the_plan(&p, bpk_sample_base(one));
            e = bpk_sample_share(one, is_odd, NULL, 0);
            note(&outside, fabs(e.estimate - 0.5) > t_plan_number(&p, "share_error_95"));
            bpk_free(bpk_sample_base(one));
        }
    }
    assert_true(at_most(&outside, 0.05, outside.n));
}

/* ---- top ---- */

enum { TOTAL = 40000, HEAVY = 5 };

/* HEAVY items with the planned share each, the rest comes once. They come first, last, or among the others. */
static void heavy_stream(uint64_t hash[TOTAL], uint64_t stream, size_t each, int where) {
    t_rng r = {stream};
    size_t from = where == 1 ? TOTAL - HEAVY * each : 0;
    for (size_t i = 0; i < TOTAL; i++) hash[i] = t_hash(stream, HEAVY + i);
    for (size_t i = 0; i < HEAVY * each; i++) hash[from + i] = t_hash(stream, i % HEAVY);
    for (size_t i = TOTAL; where == 2 && i-- > 1;) {
        size_t j = (size_t)t_below(&r, i + 1);
        uint64_t keep = hash[i];
        hash[i] = hash[j];
        hash[j] = keep;
    }
}

/* Notes how many heavy items have no entry, and how many strangers have limits that are further apart than planned. */
static void check_top(const t_plan *p, const bpk_topk *t, uint64_t stream, mean *missed, mean *wide) {
    double width = t_plan_number(p, "width_share_95") * TOTAL, n = 0;
    for (uint64_t i = 0; i < HEAVY; i++) note(missed, bpk_topk_count(t, t_hash(stream, i)).lower == 0);
    for (uint64_t i = 0; i < STRANGERS; i++) {
        bpk_estimate e = bpk_topk_count(t, t_hash(stream, HEAVY + i));
        n += e.upper - e.lower > width;
    }
    note(wide, n / STRANGERS);
}

/* As many keys as it keeps by name, each of the length that plans assume. */
static void names_fill_it_as_planned(const t_plan *p) {
    bpk_sketch *s = t_plan_make(p, 0);
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, bpk_domain_of(s), NULL, NULL), BPK_OK);
    double most = fmax(200, 2 * t_plan_number(p, "parameters.k"));
    for (uint64_t i = 0; i < (uint64_t)most; i++) {
        uint64_t key[2] = {i, i}, hash = bpk_hash(&h, key, sizeof key);
        const void *item = key;
        size_t len = sizeof key;
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .item = &item, .len = &len}, NULL, NULL),
                         BPK_OK);
    }
    bytes_are_those_of_the_plan(p, s);
    bpk_free(s);
}

static void a_plan_of_the_top_holds(void **state) {
    (void)state;
    t_rng r = {4};
    mean missed = {0};
    uint64_t *hash = malloc(TOTAL * sizeof *hash);
    for (int i = 0; i < PLANS; i++) {
        char k[32], share[32];
        snprintf(k, sizeof k, "%.0f", between(&r, 1, 200));
        snprintf(share, sizeof share, "%.3g", between(&r, 1e-3, 0.1));
        t_plan p = i % 5 ? T_PLAN("top", "k", k, "share", share) : T_PLAN("top", "k", k);
        double found = t_plan_number(&p, "found_share");
        mean wide = {0};
        assert_true(i % 5 == 0 || found <= t_plan_number(&p, "share"));
        names_fill_it_as_planned(&p);
        for (uint64_t seed = 1; seed <= 6; seed++) {
            bpk_sketch *s = t_plan_make(&p, 0);
            uint64_t stream = 20000 + 100 * (uint64_t)i + seed;
            heavy_stream(hash, stream, (size_t)ceil(found * TOTAL), (int)(seed % 3));
            assert_int_equal(bpk_add(s, &(bpk_items){.n = TOTAL, .hash = hash}, NULL, NULL), BPK_OK);
            check_top(&p, bpk_as_topk(s), stream, &missed, &wide);
            bpk_free(s);
        }
        if (!at_most(&wide, 0.05, 6 * STRANGERS)) fail_msg("k %s, share %s: %g", k, share, wide.sum / wide.n);
    }
    print_message("%.0f of %.0f heavy items have no entry\n", missed.sum, missed.n);
    assert_true(at_most(&missed, 0.01, missed.n));
    free(hash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_of_membership_holds),
        cmocka_unit_test(a_plan_of_counting_holds),
        cmocka_unit_test(plans_of_windows_and_of_removal_hold),
        cmocka_unit_test(plans_of_growth_hold),
        cmocka_unit_test(a_plan_of_distinct_counting_holds),
        cmocka_unit_test(a_plan_of_an_overlap_holds),
        cmocka_unit_test(a_plan_of_a_sample_holds),
        cmocka_unit_test(a_plan_of_the_top_holds),
    };
    return cmocka_run_group_tests_name("stat_plan", tests, NULL, NULL);
}
