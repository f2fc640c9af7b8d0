/* stat_cuckoo.c - the cuckoo filter's promises that hold on average: the rate of false answers, plans that fit, what a
 * removal of strangers costs.
 *
 * Thresholds are z = 6, or what a Poisson number exceeds with the probability that stands beside. Given a table,
 * strangers are independent of each other; tables of different streams are independent.
 */
#include <math.h>

#include "t_cuckoo.h"

static void false_answers_are_as_many_as_the_rate_says(void **state) {
    (void)state;
    static const struct {
        uint64_t items, share, probes; /* share of the plan that is in, in percent */
        uint8_t bits;
    } rows[] = {
        {300000, 100, 10000000, 16}, {300000, 50, 10000000, 16}, {300000, 100, 2000000, 12}, {40, 100, 2000000, 12}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bpk_cuckoo *c = t_cuckoo(rows[i].items, rows[i].bits);
        t_add(bpk_cuckoo_base(c), 1, 0, rows[i].items * rows[i].share / 100);
        double expected = bpk_cuckoo_rate(c) * (double)rows[i].probes;
        double hits = (double)t_cuckoo_seen(c, 2, 0, rows[i].probes);
        print_message("%.0f items of %u bits at %.0f %%: %.0f false answers, %.1f expected\n", (double)rows[i].items,
                      rows[i].bits, (double)rows[i].share, hits, expected);
        assert_true(fabs(hits - expected) < 6 * sqrt(expected));
        t_cuckoo_free(c);
    }
}

/* Copies of one item make no more strangers look known: the rate that is told is then an upper limit. */
static void with_copies_the_rate_is_an_upper_limit(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(200000, 12); /* fours leave more places empty than single items do */
    for (int i = 0; i < 4; i++) t_add(bpk_cuckoo_base(c), 1, 0, 25000);
    double told = bpk_cuckoo_rate(c) * 2000000, hits = (double)t_cuckoo_seen(c, 2, 0, 2000000);
    assert_true(fabs(hits - told / 4) < 6 * sqrt(told / 4));
    t_cuckoo_free(c);
}

/* A plan does not fit once in a million tables or less (docs/rooms/cuckoo.md); more than 2 of 20,000 then come with a
 * probability of 1e-6, and of 200,000 that all are more than 4 with one of 3e-6. */
static void planned_items_fit_into_small_tables(void **state) {
    (void)state;
    static const uint64_t plans[] = {1, 2, 4, 8, 9, 12, 20, 40, 70, 150, 400};
    uint64_t all = 0;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        bpk_cuckoo *c = t_cuckoo(plans[i], 16);
        uint64_t short_of = 0, tables = plans[i] < 100 ? 20000 : 2000000 / plans[i];
        for (uint64_t t = 0; t < tables; t++) {
            bpk_reset(bpk_cuckoo_base(c));
            for (uint64_t j = 0; j < plans[i]; j++)
                if (t_cuckoo_add(c, t_hash(1000 * plans[i] + t, j)) != BPK_OK) {
                    short_of++;
                    break;
                }
        }
        assert_true(short_of <= 2);
        all += short_of;
        t_cuckoo_free(c);
    }
    assert_true(all <= 4);
}

static void planned_items_fit_into_large_tables_at_95_percent_load(void **state) {
    (void)state;
    for (uint64_t stream = 0; stream < 6; stream++) {
        uint64_t items = stream % 2 ? 500000 : 20000;
        const bpk_cuckoo_config cfg = {
            .items = items, .fingerprint_bits = stream < 3 ? 16 : 12, .level = (uint8_t)(stream % 3 * 4)};
        bpk_cuckoo *c = t_cuckoo_of(cfg);
        uint64_t n = t_cuckoo_fill(c, stream);
        bpk_cuckoo_shape s;
        assert_int_equal(bpk_cuckoo_size(&s, &cfg), BPK_OK);
        print_message("planned %.0f, refused after %.0f, %.2f %% load\n", (double)items, (double)n,
                      100 * (double)n / (4 * (double)s.buckets));
        assert_true(n >= items);
        t_cuckoo_free(c);
    }
}

/* Load at which a table of 20,000 buckets is first refused a copy, `copies` of each item one after the other. */
static double load_with(uint64_t copies, uint64_t stream) {
    bpk_cuckoo *c = t_cuckoo_buckets(20000, 0, 16);
    for (uint64_t i = 0;; i++)
        if (t_cuckoo_add(c, t_hash(stream, i / copies)) != BPK_OK) break;
    double load = (double)bpk_cuckoo_items(c) / 80000;
    t_cuckoo_free(c);
    return load;
}

/* The more copies of each, the fewer places: a plan counts different items. The limits are a good sixth under what 5
 * tables of each gave (docs/rooms/cuckoo.md), where they differed by 2 %. */
static void copies_of_items_fill_less_than_items(void **state) {
    (void)state;
    static const double least[] = {0.95, 0.8, 0.6, 0.4};
    for (uint64_t copies = 1; copies <= 4; copies++) {
        double load = load_with(copies, 50 + copies);
        print_message("%.0f of each: %.1f %% load\n", (double)copies, 100 * load);
        assert_true(load > least[copies - 1]);
    }
}

/* Each of them takes away another item's copy with the probability of a false answer, and no more. */
static void removing_strangers_costs_as_many_items_as_the_rate_says(void **state) {
    (void)state;
    static const struct {
        uint8_t bits;
        uint64_t strangers;
    } rows[] = {{16, 2000000}, {12, 200000}};
    for (size_t i = 0; i < 2; i++) {
        const uint64_t items = 200000;
        bpk_cuckoo *c = t_cuckoo(items, rows[i].bits);
        uint64_t taken = 0;
        t_add(bpk_cuckoo_base(c), 1, 0, items);
        double expected = bpk_cuckoo_rate(c) * (double)rows[i].strangers;
        for (uint64_t j = 0; j < rows[i].strangers; j++) taken += t_cuckoo_remove(c, t_hash(2, j));
        uint64_t missed = items - t_cuckoo_seen(c, 1, 0, items);
        print_message("%u bits: %.0f strangers removed, %.0f taken (%.1f expected), %.0f items missed\n", rows[i].bits,
                      (double)rows[i].strangers, (double)taken, expected, (double)missed);
        assert_true(fabs((double)taken - expected) < 6 * sqrt(expected));
        assert_true(missed <= taken && (double)missed > 0.98 * (double)taken - 6);
        assert_int_equal(bpk_cuckoo_suspects(c), rows[i].strangers - taken);
        assert_int_equal(bpk_cuckoo_items(c), items - taken);
        assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_WARN);
        t_cuckoo_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_answers_are_as_many_as_the_rate_says),
        cmocka_unit_test(with_copies_the_rate_is_an_upper_limit),
        cmocka_unit_test(planned_items_fit_into_small_tables),
        cmocka_unit_test(planned_items_fit_into_large_tables_at_95_percent_load),
        cmocka_unit_test(copies_of_items_fill_less_than_items),
        cmocka_unit_test(removing_strangers_costs_as_many_items_as_the_rate_says),
    };
    return cmocka_run_group_tests_name("stat_cuckoo", tests, NULL, NULL);
}
