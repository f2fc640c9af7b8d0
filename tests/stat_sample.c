/* stat_sample.c - the laws that a sample obeys: every subset alike, weights, merges, skips, tags, and the intervals.
 *
 * Seeds are fixed, so that every run gives the same figures. A figure may be six standard errors off, a chi-square six
 * standard deviations above its mean on the scale of Wilson and Hilferty: with other seeds 1e-9 a figure by chance. The
 * coverage of an interval of 95 % is to be 92 % or more: over 2,000 runs that is six standard errors below it.
 */
#include <math.h>

#include "t_sample.h"

/* ---- figures ---- */

static void assert_law(const char *what, const double *seen, const double *law, size_t n, double runs) {
    double chi = 0, cells = 0;
    for (size_t i = 0; i < n; i++) {
        if (law[i] <= 0) assert_true(seen[i] == 0);
        if (law[i] <= 0) continue;
        chi += (seen[i] - runs * law[i]) * (seen[i] - runs * law[i]) / (runs * law[i]);
        cells++;
    }
    double sigmas = t_sigmas_of(chi, cells - 1);
    print_message("%s: chi-square %.1f with %.0f degrees, %.2f sigmas\n", what, chi, cells - 1, sigmas);
    assert_true(sigmas < 6);
}
static void assert_mean(const char *what, double sum, double runs, double mean, double deviation) {
    double off = (sum / runs - mean) / (deviation / sqrt(runs));
    print_message("%s: %.6g, expected %.6g, %.2f standard errors\n", what, sum / runs, mean, off);
    assert_true(fabs(off) < 6);
}

/* The kept numbers as a set of bits; numbers below 64. */
static bool set_bit(void *ctx, const bpk_sample_row *row) {
    *(uint64_t *)ctx |= UINT64_C(1) << t_load64(row->item);
    return true;
}
static uint64_t kept_bits(const bpk_sample *s) {
    uint64_t bits = 0;
    assert_int_equal(bpk_sample_rows(s, BPK_SAMPLE_INPUT, set_bit, &bits), BPK_OK);
    return bits;
}

/* ---- every subset alike ---- */

/* `parts` samples of a stream of n that is cut into as many pieces, or one. */
static bpk_sample *of_parts(uint32_t k, uint64_t n, uint64_t parts, uint64_t run) {
    bpk_sample *sum = NULL;
    for (uint64_t i = 0; i < parts; i++) {
        bpk_sample *s = t_sample_new(k, 11, parts * run + i);
        t_feed_numbers(s, n * i / parts, n * (i + 1) / parts);
        if (sum) assert_int_equal(bpk_merge(&sum->base, &s->base, NULL), BPK_OK);
        if (sum) t_sample_free(s);
        else sum = s;
    }
    return sum;
}

static void each_of_the_120_subsets_of_3_of_10_is_as_likely_as_any_also_after_merges(void **state) {
    (void)state;
    enum { RUNS = 1000000 };
    for (uint64_t parts = 1; parts <= 4; parts += 3) {
        static double seen[1024], law[1024];
        memset(seen, 0, sizeof seen);
        for (uint64_t run = 0; run < RUNS / parts; run++) {
            bpk_sample *s = of_parts(3, 10, parts, run);
            seen[kept_bits(s)]++;
            t_sample_free(s);
        }
        for (uint64_t set = 0; set < 1024; set++) law[set] = __builtin_popcountll(set) == 3 ? 1.0 / 120 : 0;
        assert_law(parts == 1 ? "3 of 10" : "3 of 10 in four parts", seen, law, 1024, (double)(RUNS / parts));
    }
}

/* A merged sample that goes on is a sample of all. */
static void a_merged_sample_that_goes_on_is_one_of_everything(void **state) {
    (void)state;
    enum { RUNS = 300000 };
    static double seen[256], law[256];
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *a = t_sample_new(2, 12, 2 * run), *b = t_sample_new(2, 12, 2 * run + 1);
        t_feed_numbers(a, 0, 2);
        t_feed_numbers(b, 2, 5);
        assert_int_equal(bpk_merge(&a->base, &b->base, NULL), BPK_OK);
        t_feed_numbers(a, 5, 8);
        seen[kept_bits(a)]++;
        t_sample_free(a), t_sample_free(b);
    }
    for (uint64_t set = 0; set < 256; set++) law[set] = __builtin_popcountll(set) == 2 ? 1.0 / 28 : 0;
    assert_law("2 of 8, merged half-way", seen, law, 256, RUNS);
}

/* Pooled groups, those that fell out among them: every record of the pool as likely as any. */
static void every_record_of_the_pool_is_as_likely_as_any(void **state) {
    (void)state;
    enum { RUNS = 200000, N = 40, GROUPS = 8, CAP = 2, K = 3 };
    static double seen[N];
    double pool = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *s = t_sample_of((bpk_sample_config){.k = K, .groups = CAP, .seed = 3, .stream = run});
        t_feed_batches(s, 0, N, GROUPS, NULL, N);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < kept->n; i++) seen[kept->number[i]] += kept->row[i].stratum == CAP;
        pool = (double)s->rest.n;
        t_sample_free(s);
    }
    double chance = K / pool, deviation = sqrt(RUNS * chance * (1 - chance)), worst = 0, pooled = 0;
    for (int i = 0; i < N; i++) pooled += seen[i] > 0;
    for (int i = 0; i < N; i++)
        if (seen[i] > 0) worst = fmax(worst, fabs(seen[i] - RUNS * chance) / deviation);
    print_message("%.0f pooled records, the worst %.2f standard errors off\n", pool, worst);
    assert_true(pooled == pool && worst < 6);
}

/* ---- weights ---- */

enum { WEIGHTS = 7 };
static const double weights[WEIGHTS] = {0.1, 1, 2, 0, 3, 5, 20};

/* The chance of each set of k: drawn one after the other, proportional to what is left. */
static void successive(double *law, uint64_t set, double chance, double left, int k) {
    if (k == 0) {
        law[set] += chance;
        return;
    }
    for (int i = 0; i < WEIGHTS; i++)
        if (!(set >> i & 1) && weights[i] > 0)
            successive(law, set | UINT64_C(1) << i, chance * weights[i] / left, left - weights[i], k - 1);
}

static void feed_weights(bpk_sample *s, uint64_t lo, uint64_t hi) {
    for (; lo < hi; lo++) {
        uint8_t bytes[8];
        t_store64(bytes, lo);
        const void *item = bytes;
        const size_t len = 8;
        const bpk_items one = {.n = 1, .hash = &lo, .item = &item, .len = &len, .real_weight = &weights[lo]};
        assert_int_equal(bpk_add(&s->base, &one, NULL, NULL), BPK_OK);
    }
}

static void weighted_samples_are_drawn_with_chances_proportional_to_the_weights_left(void **state) {
    (void)state;
    enum { RUNS = 300000 };
    double total = 0;
    for (int i = 0; i < WEIGHTS; i++) total += weights[i];
    for (int k = 1; k <= 3; k++)
        for (int two = 0; two < 2; two++) {
            double law[128] = {0}, seen[128] = {0};
            char name[40];
            successive(law, 0, 1, total, k);
            for (uint64_t run = 0; run < RUNS; run++) {
                bpk_sample_config cfg = {.k = (uint32_t)k, .weighted = true, .seed = 5, .stream = 2 * run};
                bpk_sample *a = t_sample_of(cfg), *b;
                feed_weights(a, 0, two ? 4 : WEIGHTS);
                if (two) {
                    cfg.stream++;
                    b = t_sample_of(cfg);
                    feed_weights(b, 4, WEIGHTS);
                    assert_int_equal(bpk_merge(&a->base, &b->base, NULL), BPK_OK);
                    t_sample_free(b);
                }
                seen[kept_bits(a)]++;
                t_sample_free(a);
            }
            snprintf(name, sizeof name, "%d of 6 by weight%s", k, two ? ", merged" : "");
            assert_law(name, seen, law, 128, RUNS);
        }
}

/* ---- tags and skips ---- */

static void the_largest_kept_tag_is_the_kth_smallest_of_n_exponential_ones(void **state) {
    (void)state;
    enum { RUNS = 20000, K = 10 };
    for (uint64_t n = 20; n <= 200000; n *= 100) {
        double sum = 0, mean = 0, variance = 0;
        for (uint64_t run = 0; run < RUNS; run++) {
            bpk_sample *s = t_sample_new(K, n, run);
            t_feed_numbers(s, 0, n);
            sum += s->rest.entry[0].tag;
            t_sample_free(s);
        }
        for (uint64_t i = 0; i < K; i++) mean += 1.0 / (double)(n - i), variance += pow(1.0 / (double)(n - i), 2);
        char name[40];
        snprintf(name, sizeof name, "10th tag of %.0f", (double)n);
        assert_mean(name, sum, RUNS, mean, sqrt(variance));
    }
}

/* Record i is kept, for a while at least, with chance k / i, whatever was before: the sum of independent coins. */
static void records_are_taken_as_often_as_the_exact_model_says(void **state) {
    (void)state;
    enum { RUNS = 4000, K = 20, N = 1000000 };
    double sum = 0, squares = 0, mean = K, variance = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *s = t_sample_new(K, 6, run);
        double taken = 0;
        for (uint64_t at = 0; at < N; taken++, at++) {
            uint64_t ahead = bpk_sample_ahead(s), pass = ahead < N - at ? ahead : N - at;
            if (pass) assert_int_equal(bpk_sample_pass(s, pass), BPK_OK);
            at += pass;
            if (at == N) break;
            t_feed_numbers(s, at, at + 1);
        }
        sum += taken;
        squares += taken * taken;
        t_sample_free(s);
    }
    for (int i = K + 1; i <= N; i++) mean += (double)K / i, variance += (double)K / i * (1 - (double)K / i);
    assert_mean("records taken of 1,000,000", sum, RUNS, mean, sqrt(variance));
    double found = squares / RUNS - sum / RUNS * (sum / RUNS);
    assert_mean("their variance", found * RUNS, RUNS, variance, variance * sqrt(2));
}

static void kept_records_lie_evenly_over_a_long_stream(void **state) {
    (void)state;
    enum { RUNS = 100, K = 1000, CELLS = 50 };
    const uint64_t n = 10000000;
    double seen[CELLS] = {0}, law[CELLS];
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *s = t_sample_new(K, 9, run);
        t_feed_numbers(s, 0, n);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < K; i++) seen[kept->number[i] * CELLS / n]++;
        t_sample_free(s);
    }
    for (int i = 0; i < CELLS; i++) law[i] = 1.0 / CELLS;
    assert_law("places of 1,000 of 10,000,000", seen, law, CELLS, (double)RUNS * K);
}

static void skips_are_geometric(void **state) {
    (void)state;
    enum { RUNS = 1000000, CELLS = 40 };
    static const double shares[] = {0.5, 0.1, 0.003};
    for (size_t j = 0; j < BPKI_COUNT(shares); j++) {
        double p = shares[j], seen[CELLS] = {0}, law[CELLS], width = ceil(3 / p / CELLS), left = 1;
        bpk_skips k;
        assert_int_equal(bpk_skips_new(&k, 1, j, p), BPK_OK);
        for (int i = 0; i < RUNS; i++) {
            double cell = floor((double)bpk_skips_next(&k) / width);
            seen[cell < CELLS - 1 ? (size_t)cell : CELLS - 1]++;
        }
        for (int i = 0; i < CELLS; i++) {
            double next = i < CELLS - 1 ? pow(1 - p, width * (i + 1)) : 0;
            law[i] = left - next;
            left = next;
        }
        assert_law("skips", seen, law, CELLS, RUNS);
    }
}

/* ---- merges ---- */

static double choose(double n, double k) {
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}
static void a_merge_takes_from_each_side_as_the_hypergeometric_law_says(void **state) {
    (void)state;
    enum { RUNS = 200000, A = 30, B = 10, K = 4 };
    double seen[K + 1] = {0}, law[K + 1], sum = 0, squares = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *a = t_sample_new(K, 1, 2 * run), *b = t_sample_new(K, 1, 2 * run + 1);
        t_feed_numbers(a, 0, A);
        t_feed_numbers(b, A, A + B);
        assert_int_equal(bpk_merge(&a->base, &b->base, NULL), BPK_OK);
        int from = __builtin_popcountll(kept_bits(a) & ((UINT64_C(1) << A) - 1));
        seen[from]++;
        sum += from;
        squares += from * from;
        t_sample_free(a), t_sample_free(b);
    }
    for (int i = 0; i <= K; i++) law[i] = choose(A, i) * choose(B, K - i) / choose(A + B, K);
    assert_law("from 30 beside 10", seen, law, K + 1, RUNS);
    assert_mean("mean from 30 beside 10", sum, RUNS, 3, sqrt(0.6923));
    assert_mean("variance", squares - sum * sum / RUNS, RUNS, 9.0 / 13, 9.0 / 13 * sqrt(2));
}

/* ---- intervals ---- */

enum { COVER_RUNS = 2000, WORLD = 20000, PROPERTIES = 5 };

/* The properties of record i are the bits of its hash, so that one sample answers for all of them. */
static uint64_t has[WORLD], group[WORLD];
static double heavy[WORLD];

typedef struct world {
    const double *weight; /* NULL: 1 each */
    const uint64_t *group;
    uint64_t n;
    int properties;
} world;

/* Of the hashes that have one of the bits, or are this one. */
typedef struct property {
    uint64_t bits, hash;
} property;
static bool has_property(const property *p, uint64_t hash) {
    return p->bits ? hash & p->bits : hash == p->hash;
}
static bool is_hit(void *ctx, const bpk_sample_row *row) {
    return has_property(ctx, row->hash);
}
static double truth_of(const world *w, const property *p) {
    double sum = 0, all = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        all += w->weight ? w->weight[i] : 1;
        sum += has_property(p, has[i]) ? w->weight ? w->weight[i] : 1 : 0;
    }
    return sum / all;
}

static bpk_sample *sample_world(const world *w, uint32_t k, uint32_t groups, uint64_t run) {
    bpk_sample *s = t_sample_of(
        (bpk_sample_config){.k = k, .groups = groups, .weighted = w->weight != NULL, .seed = 8, .stream = run});
    const bpk_items all = {.n = w->n, .hash = has, .group = w->group, .real_weight = w->weight};
    assert_int_equal(bpk_add(&s->base, &all, NULL, NULL), BPK_OK);
    return s;
}

typedef struct cover {
    property p;
    double truth, inside, sum, width, squares, within, allowed;
} cover;

static void note(cover *c, const bpk_estimate *e, double most, double one_error) {
    double off = fabs(e->estimate - c->truth);
    t_assert_sound(e);
    c->inside += e->lower <= c->truth * (1 + 1e-12) && c->truth * (1 - 1e-12) <= e->upper;
    c->sum += e->estimate;
    c->width += e->upper - e->lower;
    c->squares += off * off;
    c->within += off <= most;
    c->allowed += one_error * one_error;
}

/* The count of a hash is the share of it, of all there is. */
static void assert_counts(const bpk_sample *s, const property *p, const bpk_estimate *share) {
    bpk_estimate c, all;
    assert_int_equal(bpk_count(&s->base, &p->hash, 1, 0.95, &c, NULL), BPK_OK);
    assert_int_equal(bpk_count(&s->base, NULL, 0, 0, &all, NULL), BPK_OK);
    assert_true(fabs(c.estimate - share->estimate * all.estimate) <= 1e-12 * all.estimate);
    assert_true(fabs(c.lower - share->lower * all.estimate) <= 1e-12 * all.estimate);
    assert_true(fabs(c.upper - share->upper * all.estimate) <= 1e-12 * all.estimate);
}

/* How often the interval of the share holds the truth: of each property, and of one hash. The mean is near the truth,
 * and no share is off by more than bpk_sample_error() says. */
static void assert_covers(const char *what, const world *w, uint32_t k, uint32_t groups) {
    cover c[PROPERTIES + 1] = {{.truth = 0}};
    int all = w->properties + 1;
    for (int j = 0; j < all; j++) {
        c[j].p = j < w->properties ? (property){UINT64_C(1) << j, 0} : (property){0, has[w->n / 3]};
        c[j].truth = truth_of(w, &c[j].p);
    }
    for (uint64_t run = 0; run < COVER_RUNS; run++) {
        bpk_sample *s = sample_world(w, k, groups, run);
        double most = bpk_sample_error(s, 0.95), one_error = bpk_sample_error(s, 0.6827);
        for (int j = 0; j < all; j++) {
            bpk_estimate e = bpk_sample_share(s, is_hit, &c[j].p, 0.95);
            note(&c[j], &e, most, one_error);
            if (!c[j].p.bits) assert_counts(s, &c[j].p, &e);
        }
        t_sample_free(s);
    }
    for (int j = 0; j < all; j++) {
        double mean = c[j].sum / COVER_RUNS, truth = c[j].truth;
        print_message(
            "%-30s property %d: truth %.4f, mean %.4f, covered %.1f %%, width %.4f; off by %.4f, at most %.4f\n", what,
            j, truth, mean, 100 * c[j].inside / COVER_RUNS, c[j].width / COVER_RUNS, sqrt(c[j].squares / COVER_RUNS),
            sqrt(c[j].allowed / COVER_RUNS));
        assert_true(c[j].inside >= 0.92 * COVER_RUNS && c[j].within >= 0.92 * COVER_RUNS);
        assert_true(c[j].squares <= 1.1 * c[j].allowed); /* 0.03 is the deviation of a variance */
        assert_true(fabs(mean - truth) < 0.05 * truth + 0.002);
    }
}

static void the_interval_of_a_share_covers_at_least_92_of_100_times(void **state) {
    (void)state;
    static const double shares[PROPERTIES] = {0.003, 0.02, 0.1, 0.5, 0.9};
    static const uint64_t sizes[] = {150, 1000, WORLD};
    for (size_t i = 0; i < BPKI_COUNT(sizes); i++) {
        const world w = {NULL, NULL, sizes[i], PROPERTIES};
        char name[60];
        for (uint64_t r = 0; r < w.n; r++) has[r] = 0;
        for (uint64_t r = 0; r < w.n; r++)
            for (int j = 0; j < PROPERTIES; j++) has[r] |= (uint64_t)((double)r < shares[j] * (double)w.n) << j;
        snprintf(name, sizeof name, "100 of %.0f,", (double)w.n);
        assert_covers(name, &w, 100, 0);
    }
}

static void the_interval_of_a_share_of_weight_covers_too(void **state) {
    (void)state;
    static const double tails[] = {0.3, 1, 2};
    for (size_t i = 0; i < BPKI_COUNT(tails); i++) {
        const world w = {heavy, NULL, 2000, 4};
        char name[60];
        for (uint64_t r = 0; r < w.n; r++) {
            double u = ((double)(t_hash(4, r) >> 11) + 0.5) * 0x1p-53;
            heavy[r] = pow(u, -tails[i]); /* Pareto: with 2 a few are nearly all of the weight */
            has[r] = (uint64_t)(t_hash(5, r) % 10 == 0) | (uint64_t)(t_hash(5, r) % 2 == 0) << 1 |
                     (uint64_t)(heavy[r] > pow(0.1, -tails[i])) << 2 | (uint64_t)(heavy[r] < pow(0.5, -tails[i])) << 3;
        }
        snprintf(name, sizeof name, "100 by weight, tail %.1f,", tails[i]);
        assert_covers(name, &w, 100, 0);
    }
}

static void the_interval_over_strata_covers_too(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        const world w = {weighted ? heavy : NULL, group, 3000, 3};
        for (uint64_t r = 0; r < w.n; r++) {
            uint64_t x = t_hash(6, r) % 100;
            group[r] = x < 60 ? 1 : x < 90 ? 2 : x < 98 ? 3 : 4;
            heavy[r] = 1 + (double)(t_hash(7, r) % 20);
            has[r] = (uint64_t)(t_hash(5, r) % 10 == 0) | (uint64_t)(group[r] >= 3) << 1 |
                     (uint64_t)(t_hash(5, r) % 10 < 2 * group[r]) << 2;
        }
        assert_covers(weighted ? "30 a group by weight," : "30 a group,", &w, 30, 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_the_120_subsets_of_3_of_10_is_as_likely_as_any_also_after_merges),
        cmocka_unit_test(a_merged_sample_that_goes_on_is_one_of_everything),
        cmocka_unit_test(every_record_of_the_pool_is_as_likely_as_any),
        cmocka_unit_test(weighted_samples_are_drawn_with_chances_proportional_to_the_weights_left),
        cmocka_unit_test(the_largest_kept_tag_is_the_kth_smallest_of_n_exponential_ones),
        cmocka_unit_test(records_are_taken_as_often_as_the_exact_model_says),
        cmocka_unit_test(kept_records_lie_evenly_over_a_long_stream),
        cmocka_unit_test(skips_are_geometric),
        cmocka_unit_test(a_merge_takes_from_each_side_as_the_hypergeometric_law_says),
        cmocka_unit_test(the_interval_of_a_share_covers_at_least_92_of_100_times),
        cmocka_unit_test(the_interval_of_a_share_of_weight_covers_too),
        cmocka_unit_test(the_interval_over_strata_covers_too),
    };
    return cmocka_run_group_tests_name("stat_sample", tests, NULL, NULL);
}
