/* stat_grow.c - the promises of chains that hold on average: the rate asked for at any size, layer by layer, and
 * intervals that cover.
 *
 * Thresholds are z = 6: were the seeds drawn afresh, a right implementation would fail an assertion with probability
 * 2e-9 where the normal law holds; where it does not, the true figure stands beside.
 */
#include <math.h>

#include "t_grow.h"

/* ---- the rate of the whole ---- */

/* Hits lie between what independent layers would give and the sum of their rates, both from the bits. Strangers are
 * independent given the bits, so that hits are Poisson; the slack leaves it under 2e-9 from none expected on. */
static void check_strangers(const bpk_grow *g, uint64_t times, double asked, uint64_t probes) {
    double passes = 1, most = bpk_grow_rate(g) * (double)probes;
    for (size_t i = 0; bpk_grow_layer(g, i); i++) passes *= 1 - bpk_bloom_rate(bpk_as_bloom(bpk_grow_layer(g, i)));
    double least = (1 - passes) * (double)probes, hits = (double)grow_seen(g, 1000 + times, 0, probes);
    print_message("p=%-6g %4.0f x: %zu layers, rate now %.4f p, hits %.0f, between %.0f and %.0f expected\n", asked,
                  (double)times, grow_layers(g), bpk_grow_rate(g) / asked, hits, least, most);
    assert_true(bpk_grow_rate(g) <= asked);
    assert_true(hits <= asked * (double)probes);
    assert_true(hits <= most + 6 * sqrt(most) + 18);
    assert_true(hits >= least - 6 * sqrt(least) - 18);
}

static void the_rate_is_kept_from_1_x_to_1000_x_the_first_plan(void **state) {
    (void)state;
    static const uint64_t times[] = {1, 2, 10, 64, 127, 1000, 1023};
    static const struct {
        uint64_t items;
        double rate;
        uint64_t probes;
    } plans[] = {{1000, 0.01, 1000000}, {10, 0.01, 1000000}, {200, 1e-4, 4000000}, {100, 0.5, 200000}};
    for (size_t p = 0; p < 4; p++)
        for (uint8_t layout = 0; layout < 2; layout++) {
            bpk_grow_config c = grow_config(plans[p].items, plans[p].rate, BPK_FULL_GROW);
            uint64_t added = 0;
            c.layout = layout;
            bpk_grow *g = grow_in(&c, NULL);
            for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
                grow_add(g, 1, added, times[i] * plans[p].items);
                added = times[i] * plans[p].items;
                check_strangers(g, times[i], plans[p].rate, plans[p].probes);
                assert_int_equal(grow_seen(g, 1, 0, added), added);
            }
            grow_free(g);
        }
}

/* ---- the rate of each layer, when its counter closes it ---- */

typedef struct sample {
    double n, sum, squares;
} sample;
static void take(sample *s, double x) {
    s->n++, s->sum += x, s->squares += x * x;
}
static double mean_of(const sample *s) {
    return s->sum / s->n;
}
static double error_of(const sample *s) {
    double v = s->squares / s->n - mean_of(s) * mean_of(s);
    return sqrt((v > 0 ? v : 0) / s->n);
}

enum { CHAINS = 300, CLOSED = 5 };

/* A layer that was made for q_i itself would be over it here: its items are those that it did not take for known. By
 * Student's law 3e-9 for 300 chains. */
static void a_closed_layer_has_at_most_the_rate_that_the_sum_allows(void **state) {
    (void)state;
    static const double rates[] = {0.5, 0.1, 0.01};
    for (size_t r = 0; r < 3; r++)
        for (uint8_t layout = 0; layout < 2; layout++) {
            sample layer[CLOSED] = {{0, 0, 0}};
            bpk_grow_config c = grow_config(30, rates[r], BPK_FULL_GROW);
            c.layout = layout;
            bpk_grow *g = grow_in(&c, NULL);
            for (uint64_t k = 0; k < CHAINS; k++) {
                bpk_reset(bpk_grow_base(g));
                for (uint64_t i = 0; !bpk_grow_layer(g, CLOSED); i += 50) grow_add(g, 50 + k, i, i + 50);
                for (size_t i = 0; i < CLOSED; i++) take(&layer[i], bpk_bloom_rate(bpk_as_bloom(bpk_grow_layer(g, i))));
            }
            double q = rates[r] * 0.2;
            for (size_t i = 0; i < CLOSED; i++, q *= 0.8) {
                print_message("p=%-5g %s layer %zu: %.4f q (error %.4f)\n", rates[r], layout ? "classic" : "blocked", i,
                              mean_of(&layer[i]) / q, error_of(&layer[i]) / q);
                assert_true(mean_of(&layer[i]) <= q + 6 * error_of(&layer[i]));
            }
            grow_free(g);
        }
}

/* ---- the number of items ---- */

static void check_items(uint64_t planned, double rate, uint64_t items, uint64_t chains) {
    bpk_grow *g = grow_new(planned, rate, BPK_FULL_GROW);
    sample estimate = {0, 0, 0};
    double missed = 0, width = 0, n = (double)items, f = (double)chains;
    for (uint64_t i = 0; i < chains; i++) {
        bpk_reset(bpk_grow_base(g));
        grow_add(g, 7000 + i, 0, items);
        bpk_estimate e = bpk_grow_items(g, 0.95);
        assert_true(e.lower <= e.estimate && e.estimate <= e.upper);
        take(&estimate, e.estimate);
        missed += n < e.lower || n > e.upper;
        width += (e.upper - e.lower) / 2 / n;
    }
    double bias = mean_of(&estimate) / n - 1, error = error_of(&estimate) / n;
    print_message("plan %-5.0f p=%-4g n=%-6.0f bias %+.5f (error %.5f), half width %.4f, missed %.2f %%\n",
                  (double)planned, rate, n, bias, error, width / f, 100 * missed / f);
    assert_true(missed / f <= 0.05 + 6 * sqrt(0.05 * 0.95 / f)); /* binomial: 3e-8 for 1,000 chains */
    assert_true(fabs(bias) <= 6 * error + error * error * f + 1e-12);
    grow_free(g);
}

static void the_interval_of_the_items_covers_however_many_layers_there_are(void **state) {
    (void)state;
    check_items(50, 0.01, 40, 1000);
    check_items(50, 0.01, 300, 1000);
    check_items(50, 0.01, 3000, 1000);
    check_items(500, 0.2, 3000, 1000); /* where false positives are many */
    check_items(50, 0.5, 3000, 1000);
    check_items(500, 1e-5, 3000, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_kept_from_1_x_to_1000_x_the_first_plan),
        cmocka_unit_test(a_closed_layer_has_at_most_the_rate_that_the_sum_allows),
        cmocka_unit_test(the_interval_of_the_items_covers_however_many_layers_there_are),
    };
    return cmocka_run_group_tests_name("stat_grow", tests, NULL, NULL);
}
