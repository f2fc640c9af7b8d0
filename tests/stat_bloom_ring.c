/* stat_bloom_ring.c - what rotating filters promise on average: the rate asked for at the fullest moment and at any
 * other, whatever the number of adds; an interval of the items that covers; no generation closed early by chance.
 *
 * Seeds are fixed; thresholds are six standard deviations: with fresh seeds a right filter would fail an assertion with
 * a probability of 2e-9 where the normal law holds.
 */
#include "t_ring.h"

#include "bloom_state.h"

#include <math.h>

enum { BATCH = 1024 };

static void fill(bpk_bloom *b, uint64_t stream, uint64_t from, uint64_t n) {
    t_add(bpk_bloom_base(b), stream, from, from + n);
}

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

/* The fullest moment: all generations are full, and the next add rotates. Hits are those that the bits
 * announce, and what the bits announce is at most the rate asked for, on average over filters. */
static void check_fullest(uint64_t window, double rate, uint8_t generations, uint64_t filters, uint64_t probes) {
    bpk_bloom *b = ring_new(window, rate, generations, 0, BPK_SEEN_LAST);
    uint64_t each = (window + generations - 1) / generations, hits = 0, n = (probes / filters / BATCH + 1) * BATCH;
    double sum = 0, squares = 0, f = (double)filters;
    for (uint64_t i = 0; i < filters; i++) {
        bpk_reset(bpk_bloom_base(b));
        fill(b, 100 * window + i, 0, each * (generations + UINT64_C(3)));
        double now = bpk_bloom_rate(b);
        sum += now, squares += now * now;
        hits += strangers_seen(b, 7 * window + i, n);
    }
    double mean = sum / f, error = sqrt(fmax(0, squares / f - mean * mean) / f), expected = sum * (double)n;
    print_message("W = %-6.0f p = %-5g G = %u: rate at the fullest %.3f p, hits %.0f of %.1f expected\n",
                  (double)window, rate, generations, mean / rate, (double)hits, expected);
    assert_true(fabs((double)hits - expected) <= 6 * sqrt(expected) + 18);
    assert_true(mean <= rate + 6 * error);
    bloom_free(b);
}

static void the_rate_is_kept_at_the_fullest_moment(void **state) {
    (void)state;
    static const uint8_t generations[] = {1, 4, 8};
    for (size_t g = 0; g < 3; g++) {
        check_fullest(16, 0.01, generations[g], 300, 1000000);
        check_fullest(100, 0.01, generations[g], 300, 1000000);
        check_fullest(1000, 0.01, generations[g], 200, 1000000);
        check_fullest(1000, 1e-4, generations[g], 200, 4000000);
        check_fullest(100000, 0.01, generations[g], 6, 1000000);
    }
}

static void the_rate_is_kept_at_any_moment_whatever_the_number_of_adds(void **state) {
    (void)state;
    static const uint8_t generations[] = {1, 4, 8};
    for (size_t g = 0; g < 3; g++) {
        enum { W = 20000, MOMENTS = 200, PROBES = 20 * BATCH };
        bpk_bloom *b = ring_new(W, 0.01, generations[g], 0, BPK_SEEN_LAST);
        uint64_t hits = 0, at = 0, probes = 0;
        for (uint64_t i = 0; i < MOMENTS; i++) {
            uint64_t more = t_hash(8, i) % W;
            fill(b, 1, at, more);
            at += more;
            if (at < 2 * W) continue; /* not yet full: it would only help */
            hits += strangers_seen(b, i, PROBES);
            probes += PROBES;
        }
        double expected = 0.01 * (double)probes;
        print_message("G = %u after %.0f adds: %.4f %% of strangers seen\n", generations[g], (double)at,
                      100 * (double)hits / (double)probes);
        assert_true((double)hits <= expected + 6 * sqrt(expected));
        assert_int_equal(bpk_bloom_window(b), W);
        bloom_free(b);
    }
}

/* A closed generation has its items, or was closed by its rate. */
static void chance_closes_no_generation_before_it_has_its_items(void **state) {
    (void)state;
    static const struct {
        uint64_t window;
        double rate;
        uint8_t generations;
    } rows[] = {{100, 0.01, 4}, {100, 1e-6, 1}, {1000, 0.1, 8}, {1000, 0.01, 4}, {10000, 0.01, 4}, {10000, 1e-4, 8}};
    uint64_t all = 0, early = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bpk_bloom *b = ring_new(rows[r].window, rows[r].rate, rows[r].generations, 0, BPK_SEEN_LAST);
        for (uint64_t i = 0; i < 300000; i++) {
            unsigned before = b->turn.current;
            ring_add(b, t_hash(20 + r, i), 0);
            if (b->turn.current == before) continue;
            all++, early += bpki_ring_adds(b, before) < b->plan.items;
        }
        bloom_free(b);
    }
    print_message("%.0f generations closed, %.0f of them by chance\n", (double)all, (double)early);
    assert_true(all > 10000 && early <= 3); /* 6 deviations, and a skew that is not in them */
}

static void the_interval_of_the_items_covers(void **state) {
    (void)state;
    static const uint64_t windows[] = {100, 2000};
    enum { FILTERS = 600 };
    for (size_t w = 0; w < 2; w++)
        for (uint64_t load = 1; load <= 3; load++) {
            bpk_bloom *b = ring_new(windows[w], 0.01, 4, 0, BPK_SEEN_LAST);
            uint64_t n = windows[w] * load / 3 + windows[w] / 8 * (load == 3); /* up to the window and more */
            double missed = 0, sum = 0;
            for (uint64_t i = 0; i < FILTERS; i++) {
                bpk_reset(bpk_bloom_base(b));
                fill(b, 3000 + i, 0, n);
                fill(b, 3000 + i, n - n / 8, n / 8); /* some come again, into another generation or not */
                bpk_estimate e = bpk_bloom_items(b, 0.95);
                sum += e.estimate;
                missed += (double)n < e.lower || (double)n > e.upper;
            }
            print_message("W = %.0f, %.0f items: mean %.1f, missed %.2f %%\n", (double)windows[w], (double)n,
                          sum / FILTERS, 100 * missed / FILTERS);
            assert_true(missed / FILTERS <= 0.05 + 6 * sqrt(0.05 * 0.95 / FILTERS));
            bloom_free(b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_is_kept_at_the_fullest_moment),
        cmocka_unit_test(the_rate_is_kept_at_any_moment_whatever_the_number_of_adds),
        cmocka_unit_test(chance_closes_no_generation_before_it_has_its_items),
        cmocka_unit_test(the_interval_of_the_items_covers),
    };
    return cmocka_run_group_tests_name("stat_bloom_ring", tests, NULL, NULL);
}
