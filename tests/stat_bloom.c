/* stat_bloom.c - the filters' promises that hold on average: the rate asked for, also when tiny; intervals that cover;
 * health.
 *
 * Thresholds are z = 6: were the seeds drawn afresh, a right implementation would fail an assertion with probability
 * 2e-9 where the normal law holds; where it does not, or the spread is the sample's, the true figure stands beside.
 * Strangers of one filter are independent given its bits, and filters of different streams are independent: both are
 * used below, nothing else is.
 */
#include "t_bloom.h"

#include "bloom_plan.h"

#include <math.h>

enum { BATCH = 1024 };

static void refill(bpk_bloom *b, uint64_t stream, uint64_t items) {
    bpk_reset(bpk_bloom_base(b));
    t_add(bpk_bloom_base(b), stream, 0, items);
}

/* Hits among n strangers. They are a SplitMix64 sequence, cheaper than t_hash and unrelated to it. */
static uint64_t strangers_seen(const bpk_bloom *b, uint64_t seed, uint64_t n) {
    uint64_t hash[BATCH], hits = 0, state = t_mix(~seed);
    uint8_t out[BATCH];
    for (uint64_t i = 0; i < n; i += BATCH) {
        for (size_t j = 0; j < BATCH; j++) hash[j] = t_mix(state += UINT64_C(0x9E3779B97F4A7C15));
        bpk_bloom_has(b, hash, BATCH, out);
        for (size_t j = 0; j < BATCH; j++) hits += out[j];
    }
    return hits;
}

/* Sums over filters. */
typedef struct sample {
    double n, sum, squares;
} sample;
static void take(sample *s, double x) {
    s->n++, s->sum += x, s->squares += x * x;
}
static double mean_of(const sample *s) {
    return s->sum / s->n;
}
static double error_of_mean(const sample *s) {
    double v = s->squares / s->n - mean_of(s) * mean_of(s);
    return sqrt((v > 0 ? v : 0) / s->n);
}

/* `filters` filters of one plan. Hits must be those that the bits announce (a Poisson number given the bits; the slack
 * leaves it under 2e-9 from no hits expected on), and what the bits announce must be, on average, at most the rate
 * asked for times `excess`: by Student's law 3e-9 for 300 filters, 3e-7 for 40. */
static void check_rate(uint64_t items, double rate, uint8_t layout, uint64_t filters, uint64_t probes, double excess) {
    bpk_bloom *b = bloom_new(items, rate, layout, BPK_FULL_DEGRADE);
    sample now = {0, 0, 0};
    uint64_t each = (probes / filters + BATCH - 1) / BATCH * BATCH, hits = 0;
    for (uint64_t f = 0; f < filters; f++) {
        refill(b, 1000 * items + f, items);
        take(&now, bpk_bloom_rate(b));
        hits += strangers_seen(b, 77 * items + f, each);
    }
    double expected = now.sum * (double)each, slack = 6 * sqrt(expected) + 18;
    print_message("%s n=%-5.0f p=%-6g rate from the bits %.3f x p, hits %.0f of %.1f expected\n",
                  layout ? "classic" : "blocked", (double)items, rate, mean_of(&now) / rate, (double)hits, expected);
    assert_true(fabs((double)hits - expected) < slack);
    assert_true(mean_of(&now) <= excess * rate + 6 * error_of_mean(&now));
    bloom_free(b);
}

static void small_filters_keep_the_rate_that_was_asked_for(void **state) {
    (void)state;
    static const uint64_t items[] = {1, 2, 10, 100, 1000};
    static const double rates[] = {1e-2, 1e-4, 1e-6};
    static const uint64_t probes[] = {2000000, 8000000, 24000000};
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 5; i++) {
            check_rate(items[i], rates[r], BPK_BLOOM_BLOCKED, 300, probes[r], 1.0);
            check_rate(items[i], rates[r], BPK_BLOOM_CLASSIC, 300, probes[r], 1.05);
        }
}

static void large_filters_keep_it_too(void **state) {
    (void)state;
    check_rate(1000000, 0.01, BPK_BLOOM_BLOCKED, 40, 4000000, 1.0);
    check_rate(300000, 1e-4, BPK_BLOOM_BLOCKED, 40, 20000000, 1.0);
    check_rate(300000, 0.01, BPK_BLOOM_CLASSIC, 40, 2000000, 1.05);
}

/* The expected set bits and their spread, against filters; the interval's share of misses and the bias of the
 * estimate. */
static void check_items(uint64_t planned, double rate, uint8_t layout, double load, uint64_t filters) {
    bpk_bloom *b = bloom_new(planned, rate, layout, BPK_FULL_DEGRADE);
    sample estimate = {0, 0, 0};
    double items = round((double)planned * load), missed = 0, f = (double)filters, width = 0;
    for (uint64_t i = 0; i < filters; i++) {
        refill(b, 5000 + 31 * i, (uint64_t)items);
        bpk_estimate e = bpk_bloom_items(b, 0.95);
        assert_true(e.lower <= e.estimate && e.estimate <= e.upper);
        take(&estimate, e.estimate);
        missed += items < e.lower || items > e.upper;
        width += (e.upper - e.lower) / 2 / items;
    }
    double bias = mean_of(&estimate) / items - 1, error = error_of_mean(&estimate) / items;
    print_message("%s n=%-6.0f load %-4g bias %+.5f (error %.5f), half width %.4f, missed %.2f %%\n",
                  layout ? "classic" : "blocked", items, load, bias, error, width / f, 100 * missed / f);
    /* Binomial, which is steeper than normal: 3e-8 for 1,000 filters and 1e-8 for 2,000 that miss 5 % on average. */
    assert_true(missed / f <= 0.05 + 6 * sqrt(0.05 * 0.95 / f));
    /* The logarithm is convex, which costs half a squared relative error; and few items are known to be at least bits /
     * k. */
    assert_true(fabs(bias) <= 6 * error + error * error * f + (items <= 20 ? 0.05 : 1e-12));
    bloom_free(b);
}

static void the_interval_of_the_items_covers(void **state) {
    (void)state;
    static const double loads[] = {0.1, 0.5, 1, 1.5, 3};
    for (size_t i = 0; i < 5; i++) {
        check_items(10, 0.01, BPK_BLOOM_BLOCKED, loads[i], 2000);
        check_items(500, 0.01, BPK_BLOOM_BLOCKED, loads[i], 2000);
        check_items(5000, 0.01, BPK_BLOOM_BLOCKED, loads[i], 1000);
        check_items(1000, 1e-6, BPK_BLOOM_BLOCKED, loads[i], 1000);
        check_items(10, 0.01, BPK_BLOOM_CLASSIC, loads[i], 2000);
        check_items(2000, 0.01, BPK_BLOOM_CLASSIC, loads[i], 1000);
    }
}

static void the_items_are_never_fewer_than_their_bits_need(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 20; n++)
        for (uint8_t layout = 0; layout < 2; layout++) {
            bpk_bloom_config cfg = {.items = 10, .rate = 1e-4, .layout = layout};
            bpki_filter p = bpki_bloom_size(&cfg);
            bpk_bloom *b = bloom_new(10, 1e-4, layout, BPK_FULL_DEGRADE);
            refill(b, n, n);
            double fewest =
                ceil(round(bloom_number(b, "fill") * (double)bpki_filter_bits(&p)) / bpki_filter_bits_per_item(&p));
            bpk_estimate e = bpk_bloom_items(b, 0.999999);
            assert_true(e.lower >= fewest && e.estimate >= fewest);
            bloom_free(b);
        }
}

/* Filters out of `filters` that are in a state. */
static double share_in(uint64_t planned, double rate, uint8_t layout, uint64_t items, uint64_t filters,
                       bpk_state at_least) {
    bpk_bloom *b = bloom_new(planned, rate, layout, BPK_FULL_DEGRADE);
    double in = 0;
    for (uint64_t i = 0; i < filters; i++) {
        refill(b, 9000 + 17 * i, items);
        in += bpk_health(bpk_bloom_base(b), NULL, NULL) >= at_least;
    }
    bloom_free(b);
    return in / (double)filters;
}

/* At its plan the bits of a filter stay under the threshold with a chance of 0.13 %; well below it, 3 standard
 * deviations of the bits and 3 of the rate have to come together. */
static void a_filter_warns_at_its_plan_and_not_well_below(void **state) {
    (void)state;
    static const struct {
        uint64_t items;
        double rate;
    } plans[] = {{1, 0.01}, {10, 0.01}, {100, 0.01}, {1000, 1e-4}, {20000, 0.01}};
    for (size_t i = 0; i < 5; i++)
        for (uint8_t layout = 0; layout < 2; layout++) {
            uint64_t n = plans[i].items, filters = n > 10000 ? 200 : 2000;
            double f = (double)filters, warn = share_in(n, plans[i].rate, layout, n, filters, BPK_HEALTH_WARN);
            print_message("%s n=%-6.0f warn at 100 %% of the plan: %.2f %%\n", layout ? "classic" : "blocked",
                          (double)n, 100 * warn);
            assert_true(1 - warn <= 0.002 + 6 * sqrt(0.002 / f) + 6 / f);
            if (n < 1000) continue; /* below, an item more or less is less than the spread */
            assert_true(share_in(n, plans[i].rate, layout, n - n / 10, filters, BPK_HEALTH_WARN) <= 6 / f);
            assert_true(share_in(n, plans[i].rate, layout, n + n * 2 / 5, 100, BPK_HEALTH_OVER) == 0);
            assert_true(share_in(n, plans[i].rate, layout, n + n * 3 / 5, 100, BPK_HEALTH_OVER) == 1);
        }
}

/* ---- why positions are a multiplicative sequence: docs/adr/0005-no-double-hashing.md ---- */

enum { TINY_BITS = 1 << 16, DOUBLE_FILTERS = 200, DOUBLE_PROBES = 100000 };

/* A textbook filter with position i = (h1 + i h2) mod m, the common shortcut (Kirsch, Mitzenmacher 2006). */
static bool by_double_hashing(uint8_t *bit, uint64_t m, unsigned k, uint64_t h, bool set) {
    uint64_t at = h % m, step = t_mix(h) % m;
    for (unsigned i = 0; i < k; i++, at = (at + step) % m) {
        if (!set && !bit[at]) return false;
        bit[at] |= set;
    }
    return true;
}

static double double_hashing_rate(uint64_t items, uint64_t m, unsigned k) {
    static uint8_t bit[TINY_BITS];
    double hits = 0;
    for (uint64_t f = 0; f < DOUBLE_FILTERS; f++) {
        memset(bit, 0, sizeof bit);
        for (uint64_t i = 0; i < items; i++) by_double_hashing(bit, m, k, t_hash(f, i), true);
        for (uint64_t i = 0; i < DOUBLE_PROBES; i++)
            hits += by_double_hashing(bit, m, k, t_hash(f + 1000000, i), false);
    }
    return hits / DOUBLE_FILTERS / DOUBLE_PROBES;
}

static void double_hashing_would_break_the_promise_of_small_filters(void **state) {
    (void)state;
    static const struct {
        uint64_t items;
        double rate, at_least; /* times the rate asked for; about half of what is measured */
    } rows[] = {{20, 1e-3, 2}, {20, 1e-6, 1000}, {100, 1e-6, 180}, {1000, 1e-6, 20}};
    for (size_t i = 0; i < BPKI_COUNT(rows); i++) {
        bpk_bloom_config cfg = {.items = rows[i].items, .rate = rows[i].rate, .layout = BPK_BLOOM_CLASSIC};
        bpki_filter p = bpki_bloom_size(&cfg);
        double times = double_hashing_rate(p.items, p.units, p.k) / p.rate;
        print_message("double hashing n=%.0f p=%g: %.1f x p\n", (double)p.items, p.rate, times);
        assert_true(times > rows[i].at_least);
    }
}

static void items_that_crowd_into_few_blocks_raise_the_rate_and_make_it_warn(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(1000, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE);
    refill(b, 1, 450);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t hash = t_hash(2, i) >> 6; /* the first block or two of 20 */
        bpk_items it = {.n = 1, .hash = &hash};
        assert_int_equal(bpk_add(bpk_bloom_base(b), &it, NULL, NULL), BPK_OK);
    }
    assert_true(bpk_bloom_items(b, 0).upper < 1000);
    assert_true(bpk_bloom_rate(b) > 0.02);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_WARN);
    bloom_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_filters_keep_the_rate_that_was_asked_for),
        cmocka_unit_test(large_filters_keep_it_too),
        cmocka_unit_test(double_hashing_would_break_the_promise_of_small_filters),
        cmocka_unit_test(the_interval_of_the_items_covers),
        cmocka_unit_test(the_items_are_never_fewer_than_their_bits_need),
        cmocka_unit_test(items_that_crowd_into_few_blocks_raise_the_rate_and_make_it_warn),
        cmocka_unit_test(a_filter_warns_at_its_plan_and_not_well_below),
    };
    return cmocka_run_group_tests_name("stat_bloom", tests, NULL, NULL);
}
