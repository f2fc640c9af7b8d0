/* claims_cardinality.c - the claims about counting distinct items, a test each, named by row: CARD-1 to CARD-10.
 *
 * The limits of statistical assertions are the claims' own. Beside each stands the probability that a right
 * implementation fails it, were the seeds drawn afresh.
 */
#include "claims.h"
#include "simulate.h"
#include "t_plan.h"
#include "t_theta.h"

static const char *const bits_name[] = {"d = 0", "d = 2"}; /* by window bits / 2 */

static void card_1_standard_errors_over_1000_seeds(void **state) {
    (void)state;
    static const struct {
        unsigned p;
        double percent, registers;
    } claimed[] = {{10, 3.25, 1024}, {12, 1.63, 4096}, {14, 0.81, 16384}, {16, 0.41, 65536}};
    for (size_t i = 0; i < 4; i++) {
        unsigned p = claimed[i].p;
        t_bytes b = sim_frame(p, 0);
        sim_errors t = {0};
        double n = ldexp(30, (int)p);
        for (uint64_t seed = 0; seed < 1000; seed++) {
            bpk_sketch *s = sim_draw(&b, 1000000 * p + seed, n, p, 0);
            sim_note(&t, hll_point(bpk_as_hll(s)), n);
            bpk_free(s);
        }
        char text[CLAIM_TEXT];
        snprintf(text, sizeof text, "p = %u: registers", p);
        claim_exactly((claim){"CARD-1", text, 0, ""}, claimed[i].registers, (double)b.n - 64 - 8);
        snprintf(text, sizeof text, "p = %u: standard error over 1,000 seeds (%.2f %%)", p, claimed[i].percent);
        /* The limits of the claim: by the chi-square law, with the 1.5 % that the Poisson model adds, 8e-7. */
        claim_between((claim){"CARD-1", text, 3, "%"}, 0.855 * claimed[i].percent, 1.126 * claimed[i].percent,
                      100 * sim_rmse(&t));
        free(b.p);
    }
}

static void card_2_six_bit_registers_take_768_and_12288_bytes(void **state) {
    (void)state;
    static const unsigned precision[] = {10, 14};
    static const double packed[] = {768, 12288};
    for (size_t i = 0; i < 2; i++) {
        unsigned p = precision[i];
        bpk_hll *h = hll_new(p, 0);
        t_add(bpk_hll_base(h), 1, 0, 10000);
        hll_add(h, &(uint64_t){0}, 1); /* the largest value that there is, in register 0 */
        t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
        size_t registers = b.n - 64 - 8; /* ours are whole bytes */
        char text[CLAIM_TEXT];
        double largest = 0;
        for (size_t r = 0; r < registers; r++) largest = fmax(largest, b.p[64 + r]);
        snprintf(text, sizeof text, "p = %u: the largest value of a register, which six bits hold", p);
        claim_exactly((claim){"CARD-2", text, 0, ""}, 65 - p, largest);
        snprintf(text, sizeof text, "p = %u: six bits a register (ours: %zu bytes)", p, registers);
        claim_exactly((claim){"CARD-2", text, 0, "bytes"}, packed[i], (double)registers * 6 / 8);
        free(b.p);
        hll_free(h);
    }
}

static void card_2_the_planner_says_it(void **state) {
    (void)state;
    t_plan p = T_PLAN("distinct", "error", "3.3%");
    claim_exactly((claim){"CARD-2", "what the planner says of six bits at 3.3 %", 0, "bytes"}, 768,
                  t_plan_number(&p, "six_bit.bytes"));
    p = T_PLAN("distinct", "error", "0.82%");
    claim_exactly((claim){"CARD-2", "what the planner says of six bits at 0.82 %", 0, "bytes"}, 12288,
                  t_plan_number(&p, "six_bit.bytes"));
}

static void card_3_a_million_ids_twice(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        bpk_hll *h = hll_new(14, d);
        char text[24];
        uint8_t changed = 0;
        uint64_t changes[2] = {0, 0};
        bpk_hasher x;
        assert_int_equal(bpk_hasher_init(&x, NULL, NULL, NULL), BPK_OK);
        for (unsigned pass = 0; pass < 2; pass++) {
            for (unsigned i = 0; i < 1000000; i++) {
                uint64_t hash = bpk_hash(&x, text, (size_t)snprintf(text, sizeof text, "user-%u", i));
                assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 1, .hash = &hash}, &changed, NULL), BPK_OK);
                changes[pass] += changed;
            }
        }
        assert_true(changes[0] > 16384);
        /* Five standard errors, as the claim says: 6e-7. */
        claim_near(claim_of("CARD-3", bits_name[d / 2], "a million ids, each twice", 0, ""), 1e6,
                   5e6 * bpk_hll_standard_error(14, (uint8_t)d), hll_point(h));
        claim_exactly(claim_of("CARD-3", bits_name[d / 2], "registers that the second pass changes", 0, ""), 0,
                      (double)changes[1]);
        hll_free(h);
    }
}

static bpk_sketch *filled(unsigned p, uint64_t from, uint64_t to) {
    bpk_sketch *s = bpk_hll_base(hll_new(p, 2));
    t_add(s, 4, from, to);
    return s;
}
static bpk_sketch *united(const bpk_sketch *a, const bpk_sketch *b) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_merge_many(&s, (const bpk_sketch *[]){a, b}, 2, NULL, NULL), BPK_OK);
    return s;
}

static void card_4_a_merge_is_the_sketch_of_the_union(void **state) {
    (void)state;
    bpk_sketch *a = filled(14, 0, 60000), *b = filled(14, 40000, 90000), *c = filled(14, 90000, 91000);
    bpk_sketch *all = filled(14, 0, 91000), *ab = united(a, b), *ba = united(b, a), *bc = united(b, c);
    bpk_sketch *left = united(ab, c), *right = united(a, bc), *twice = united(left, left);
    claim_exactly((claim){"CARD-4", "the merge and the sketch of the union differ in", 0, "bytes"}, 0,
                  claim_unlike(left, all));
    claim_exactly((claim){"CARD-4", "a + b and b + a differ in", 0, "bytes"}, 0, claim_unlike(ab, ba));
    claim_exactly((claim){"CARD-4", "(a + b) + c and a + (b + c) differ in", 0, "bytes"}, 0, claim_unlike(left, right));
    claim_exactly((claim){"CARD-4", "merged with itself it changes in", 0, "bytes"}, 0, claim_unlike(twice, left));
    bpk_sketch *each[] = {a, b, c, all, ab, ba, bc, left, right, twice};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) bpk_free(each[i]);
}

static void card_5_small_sets_are_practically_exact_and_small(void **state) {
    (void)state;
    double worst = 0, largest = 0;
    for (uint64_t stream = 0; stream < 50; stream++) {
        bpk_hll *h = hll_new(14, 2);
        for (uint64_t n = 1; n <= 1000; n++) {
            t_add(bpk_hll_base(h), 500 + stream, n - 1, n);
            worst = fmax(worst, fabs(hll_point(h) / (double)n - 1));
            if (n <= 10) largest = fmax(largest, (double)bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL));
        }
        hll_free(h);
    }
    claim_most((claim){"CARD-5", "worst error of 50 sets at 1 to 1,000 items", 6, "%"}, 0.1, 100 * worst);
    claim_most((claim){"CARD-5", "the largest of 50 sets of 10 items", 0, "bytes"}, 100, largest);
}

/* ---- CARD-6 ---- */

enum { POINTS = 60, SEEDS = 600 };

/* The 60 numbers from 1 to 200,000, evenly on the logarithmic scale where they are different. */
static void points(uint64_t at[POINTS]) {
    for (int i = 0; i < POINTS; i++) {
        at[i] = (uint64_t)llround(exp(log(200000) * i / (POINTS - 1)));
        if (i && at[i] <= at[i - 1]) at[i] = at[i - 1] + 1;
    }
}

/* One seed's way through all points: d = 2 by adding, d = 0 likewise. */
static void walk(uint64_t seed, const uint64_t at[POINTS], unsigned d, sim_errors *t) {
    bpk_hll *h = hll_new(14, d);
    for (int i = 0; i < POINTS; i++) {
        t_add(bpk_hll_base(h), 7000 + seed, i ? at[i - 1] : 0, at[i]);
        sim_note(&t[i], hll_point(h), (double)at[i]);
    }
    hll_free(h);
}

static void card_6_there_is_no_bump(void **state) {
    (void)state;
    uint64_t at[POINTS];
    points(at);
    for (unsigned d = 0; d <= 2; d += 2) {
        sim_errors t[POINTS] = {{0}};
        double theory = bpk_hll_standard_error(14, (uint8_t)d), worst_bias = 0, worst_rmse = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) walk(seed, at, d, t);
        for (int i = 0; i < POINTS; i++) {
            worst_bias = fmax(worst_bias, fabs(sim_bias(&t[i])) / theory);
            worst_rmse = fmax(worst_rmse, sim_rmse(&t[i]) / theory);
        }
        /* 1e-9 and 5e-6 a point were the error theory's, and less here, where it is smaller. */
        claim_most(claim_of("CARD-6", bits_name[d / 2], "largest bias at 60 numbers of items", 3, "standard errors"),
                   0.25, worst_bias);
        claim_most(claim_of("CARD-6", bits_name[d / 2], "largest RMSE at 60 numbers of items", 3, "standard errors"),
                   1.13, worst_rmse);
    }
}

/* For comparison, the same registers at 40,000 items: the articles' estimator and ours. */
static void card_6_the_articles_estimator_has_one(void **state) {
    (void)state;
    sim_errors theirs = {0}, ours = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        bpk_hll *h = hll_new(14, 0);
        t_add(bpk_hll_base(h), 7000 + seed, 0, 40000);
        t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
        sim_note(&theirs, hll_articles_estimate(b.p + 64, 16384), 40000);
        sim_note(&ours, hll_point(h), 40000);
        free(b.p);
        hll_free(h);
    }
    /* 2.49 %, give or take 8 deviations: 0.036 % each, from the spread of the squares. */
    claim_between((claim){"CARD-6", "40,000 items: RMSE of the articles' estimator", 2, "%"}, 2.2, 2.8,
                  100 * sim_rmse(&theirs));
    /* 0.63 % is possible; by the chi-square law of 600 errors, 4e-9. */
    claim_most((claim){"CARD-6", "40,000 items: RMSE of ours from the same registers", 2, "%"}, 0.63 * 1.17,
               100 * sim_rmse(&ours));
}

static void card_7_there_is_no_end_at_2_to_the_32(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        t_bytes b = sim_frame(14, d);
        double worst = 0, saturated = 0;
        for (double n = 1e6; n <= 1.001e18; n *= 10) {
            for (uint64_t seed = 0; seed < 30; seed++) {
                bpk_sketch *s = sim_draw(&b, 900000 + seed + (uint64_t)log2(n) * 1000, n, 14, d);
                bpk_estimate e = bpk_hll_count(bpk_as_hll(s), 0);
                /* Five deviations of 780 draws: a right one fails with probability 5e-4; the seeds are fixed. */
                worst = fmax(worst, fabs(e.estimate / n - 1) / bpk_hll_standard_error(14, (uint8_t)d));
                saturated += (e.flags & BPK_SATURATED) != 0;
                bpk_free(s);
            }
        }
        claim_most(claim_of("CARD-7", bits_name[d / 2], "worst of 390 from 1e6 to 1e18 items", 2, "standard errors"), 5,
                   worst);
        claim_exactly(claim_of("CARD-7", bits_name[d / 2], "of these saturated", 0, ""), 0, saturated);
        free(b.p);
    }
}

/* ---- CARD-8 ---- */

typedef struct overlap {
    double trials, square, zero_inside; /* square: of the error, in multiples of the truth */
} overlap;

/* |A| + |B| - |A or B| of two sets of `each` with `shared` in common, from hll with p = 14. Half the width of the
 * interval is the root of the sum of the squares of the three halves. */
static void subtract(uint64_t seed, uint64_t each, uint64_t shared, overlap *t) {
    bpk_sketch *a = filled(14, 0, 0), *b = filled(14, 0, 0);
    t_add(a, 20000 + seed, 0, each);
    t_add(b, 20000 + seed, each - shared, 2 * each - shared);
    bpk_sketch *parts[] = {a, b, united(a, b)};
    double estimate = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        bpk_estimate e = bpk_hll_count(bpk_as_hll(parts[i]), 0);
        estimate += i < 2 ? e.estimate : -e.estimate;
        square += (e.upper - e.lower) * (e.upper - e.lower) / 4;
        bpk_free(parts[i]);
    }
    double error = estimate / (double)shared - 1;
    t->trials++;
    t->square += error * error;
    t->zero_inside += fabs(estimate) <= sqrt(square);
}

/* By 300 seeds the RMSE is 0.83 and 4.3 times the truth, and 1.3 % of the intervals leave 0 out at most. With fresh
 * seeds 8 trials are under their RMSE limit with probability 5e-4, and have three such intervals with 1e-4; of 300
 * trials more than 15 have one with 1e-5. */
static void subtraction_is_noise(const char *id, uint64_t seeds, double zeros) {
    static const uint64_t sizes[][2] = {{10000000, 100000}, {5000000, 10000}};
    for (int i = 0; i < 2; i++) {
        overlap t = {0};
        char text[CLAIM_TEXT];
        for (uint64_t seed = 0; seed < seeds; seed++) subtract(seed, sizes[i][0], sizes[i][1], &t);
        const char *pair = i ? "2 sets of 5,000,000, 10,000 shared" : "2 sets of 10,000,000, 100,000 shared";
        snprintf(text, sizeof text, "%s, by subtraction: RMSE in multiples of the truth", pair);
        claim_least((claim){id, text, 2, "x"}, i ? 1 : 0.25, sqrt(t.square / t.trials));
        snprintf(text, sizeof text, "%s: intervals with 0 inside", pair);
        claim_least((claim){id, text, 1, "%"}, zeros, 100 * t.zero_inside / t.trials);
    }
}

static void card_8_an_intersection_by_subtraction_is_noise(void **state) {
    (void)state;
    subtraction_is_noise("CARD-8", 8, 75);
}

static void card_8_and_so_it_is_with_300_seeds(void **state) {
    (void)state;
    claim_needs_full();
    subtraction_is_noise("CARD-8 (full)", 300, 95);
}

/* A set of `n` real items each, with `both` in common. */
static t_pair real_pair(uint64_t n, uint64_t both) {
    t_pair p = {{t_theta_new(BPK_THETA_K), t_theta_new(BPK_THETA_K)}};
    t_add(bpk_theta_base(p.t[0]), 8, 0, n);
    t_add(bpk_theta_base(p.t[1]), 8, n - both, 2 * n - both);
    return p;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The claim's limit of 92 % is one of 300 intervals; those of 95 % stay below it with 1e-2, these reach 95 to 96 %. */
static void card_8_theta_gives_an_interval_that_is_of_use(void **state) {
    (void)state;
    enum { SEEDS_8 = 300 };
    static const struct {
        double n, both, widest; /* half of the interval, in percent of the truth: 1.96 / sqrt(matches), and a tenth */
        const char *text;
    } sets[] = {{1e7, 1e5, 48, "theta, 2 sets of 10,000,000, 100,000 shared"},
                {5e6, 1e4, 108, "theta, 2 sets of 5,000,000, 10,000 shared"}};
    for (size_t i = 0; i < 2; i++) {
        double within = 0, zero = 0, half[SEEDS_8];
        for (uint64_t seed = 0; seed < SEEDS_8; seed++) {
            t_pair p = t_pair_draw(BPK_THETA_K, sets[i].n - sets[i].both, sets[i].both, sets[i].n - sets[i].both, seed);
            bpk_estimate e = t_pair_count(&p, BPK_THETA_INTERSECT, 0.95, NULL);
            within += t_inside(&e, sets[i].both);
            zero += e.lower <= 0;
            half[seed] = 50 * (e.upper - e.lower) / sets[i].both;
            t_pair_drop(&p);
        }
        qsort(half, SEEDS_8, sizeof half[0], by_size);
        t_pair p = real_pair((uint64_t)sets[i].n, (uint64_t)sets[i].both);
        bpk_estimate e = t_pair_count(&p, BPK_THETA_INTERSECT, 0.95, NULL);
        claim_least(claim_of("CARD-8", sets[i].text, "intervals that contain the truth", 1, "%"), 92,
                    100 * within / SEEDS_8);
        claim_exactly(claim_of("CARD-8", sets[i].text, "intervals with 0 inside", 0, ""), 0, zero);
        claim_most(claim_of("CARD-8", sets[i].text, "half of the median interval, of the truth", 1, "%"),
                   sets[i].widest, half[SEEDS_8 / 2]);
        claim_most(claim_of("CARD-8", sets[i].text, "real items, estimate off by, in halves of its interval", 2, ""), 1,
                   fabs(e.estimate - sets[i].both) / ((e.upper - e.lower) / 2));
        claim_most(claim_of("CARD-8", sets[i].text, "a file", 0, "bytes"), 5.3 * BPK_THETA_K,
                   (double)bpk_encoded_size(bpk_theta_base(p.t[0]), BPK_FORM_SMALL));
        t_pair_drop(&p);
    }
}

static void card_9_a_merge_goes_to_the_lower_precision_exactly(void **state) {
    (void)state;
    for (uint64_t n = 10; n <= 100000; n *= 100) {
        bpk_sketch *high = filled(14, 0, n), *low = filled(11, n / 2, 2 * n), *both = united(high, low),
                   *direct = filled(11, 0, 2 * n);
        bpk_sketch *turned = united(low, high);
        char text[CLAIM_TEXT];
        snprintf(text, sizeof text, "p = 14 and 11 merged, and p = 11 of all %.0f items, differ in", 2 * (double)n);
        assert_int_equal(bpk_hll_precision(bpk_as_hll(both)), 11);
        claim_exactly((claim){"CARD-9", text, 0, "bytes"}, 0,
                      claim_unlike(both, direct) + claim_unlike(turned, direct));
        assert_true(bpk_hll_count(bpk_as_hll(both), 0).flags & BPK_REDUCED);
        bpk_free(high), bpk_free(low), bpk_free(both), bpk_free(direct), bpk_free(turned);
    }
}

static bpk_sketch *of_domain(const char *kind, bpk_domain d) {
    bpk_sketch *s = NULL;
    const bpk_param items = {"items", "100"};
    bool bloom = strcmp(kind, "bloom") == 0;
    assert_int_equal(bpk_new(&s, kind, &d, &items, bloom ? 1 : 0, NULL, NULL), BPK_OK);
    t_add(s, 6, 0, 20);
    return s;
}
static void refuse(bpk_sketch *a, bpk_sketch *b, const char *field, const char *sentence) {
    bpk_err err;
    char text[200];
    char what[CLAIM_TEXT];
    snprintf(what, sizeof what, "merging with another %s", field);
    t_bytes before = t_encode(a, BPK_FORM_SMALL);
    assert_int_equal(bpk_merge(a, b, &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, field);
    bpk_explain(&err, text, sizeof text);
    assert_string_equal(text, sentence);
    claim_says((claim){"CARD-10", what, 0, ""}, strchr(sentence, ':') + 2, text);
    t_bytes after = t_encode(a, BPK_FORM_SMALL);
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.p, after.p, after.n);
    free(before.p);
    free(after.p);
    bpk_free(b);
}

static void card_10_other_hash_seed_or_kind_is_refused_by_name(void **state) {
    (void)state;
    bpk_sketch *a = of_domain("hll", (bpk_domain){BPK_HASH_XXH3, 0, BPK_BYTES, 0});
    bpk_sketch *k = of_domain("hll", (bpk_domain){BPK_HASH_SIPHASH, 1, BPK_BYTES, 17});
    refuse(a, of_domain("hll", (bpk_domain){BPK_HASH_SIPHASH, 1, BPK_BYTES, 255}), "hash",
           "does not fit: hash is xxh3-64 here and siphash-1-3 there");
    refuse(a, of_domain("hll", (bpk_domain){BPK_HASH_XXH3, 0, BPK_BYTES, 42}), "seed",
           "does not fit: seed is 0 here and 42 there");
    refuse(a, of_domain("hll", (bpk_domain){BPK_HASH_XXH3, 0, BPK_I64, 0}), "type",
           "does not fit: type is bytes here and integer there");
    refuse(k, of_domain("hll", (bpk_domain){BPK_HASH_SIPHASH, 1, BPK_BYTES, 255}), "key fingerprint",
           "does not fit: key fingerprint is 0000000000000011 here and 00000000000000ff there");
    refuse(a, of_domain("bloom", (bpk_domain){BPK_HASH_XXH3, 0, BPK_BYTES, 0}), "kind",
           "does not fit: kind is hll here and bloom there");
    bpk_free(a);
    bpk_free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(card_1_standard_errors_over_1000_seeds),
        cmocka_unit_test(card_2_six_bit_registers_take_768_and_12288_bytes),
        cmocka_unit_test(card_2_the_planner_says_it),
        cmocka_unit_test(card_3_a_million_ids_twice),
        cmocka_unit_test(card_4_a_merge_is_the_sketch_of_the_union),
        cmocka_unit_test(card_5_small_sets_are_practically_exact_and_small),
        cmocka_unit_test(card_6_there_is_no_bump),
        cmocka_unit_test(card_6_the_articles_estimator_has_one),
        cmocka_unit_test(card_7_there_is_no_end_at_2_to_the_32),
        cmocka_unit_test(card_8_an_intersection_by_subtraction_is_noise),
        cmocka_unit_test(card_8_and_so_it_is_with_300_seeds),
        cmocka_unit_test(card_8_theta_gives_an_interval_that_is_of_use),
        cmocka_unit_test(card_9_a_merge_goes_to_the_lower_precision_exactly),
        cmocka_unit_test(card_10_other_hash_seed_or_kind_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
