/* stat_cuckoo.c - the cuckoo filter's promises that hold on average: the rate of false answers, plans that fit, what a
 * removal of strangers costs.
 *
 * `FULL=1 stat_cuckoo` takes as many tables as docs/rooms/cuckoo.md has figures of.
 *
 * Thresholds are z = 6. Given a table, strangers are independent of each other; tables of different streams are
 * independent.
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

/* How many items fit into a table, up to `most`. */
static uint64_t fill_up_to(bpk_cuckoo *c, uint64_t stream, uint64_t most) {
    uint64_t n = 0;
    bpk_reset(bpk_cuckoo_base(c));
    while (n < most && t_cuckoo_add(c, t_hash(stream, n)) == BPK_OK) n++;
    return n;
}

/* More than once in a million tables, beyond what chance explains. */
static bool too_often(uint64_t events, uint64_t tables) {
    double expected = (double)tables / 1e6;
    return (double)events > expected + 6 * sqrt(expected) + 2;
}

static uint64_t tables_too_small(uint64_t items, uint64_t tables) {
    bpk_cuckoo *c = t_cuckoo(items, 16);
    bpk_cuckoo_shape s;
    uint64_t short_of = 0;
    assert_int_equal(bpk_cuckoo_size(&s, &(bpk_cuckoo_config){.items = items, .fingerprint_bits = 16}), BPK_OK);
    for (uint64_t t = 0; t < tables; t++) short_of += fill_up_to(c, (items << 32) + t, items) < items;
    print_message("plan of %.0f: %.0f buckets, %.0f %% load, %.0f of %.0f tables too small\n", (double)items,
                  (double)s.buckets, 25 * (double)items / (double)s.buckets, (double)short_of, (double)tables);
    t_cuckoo_free(c);
    return short_of;
}

/* A plan does not fit once in a million tables or less. */
static void planned_items_fit_into_small_tables(void **state) {
    (void)state;
    static const struct {
        uint64_t items, full; /* tables of a long run */
    } rows[] = {{1, 100000},   {2, 100000},    {4, 100000},   {8, 100000},    {9, 6000000},
                {16, 4000000}, {24, 4000000},  {40, 3000000}, {100, 2000000}, {200, 500000},
                {500, 200000}, {1000, 100000}, {2700, 30000}};
    uint64_t all = 0, of = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t few = rows[i].items < 100 ? 20000 : 1000000 / rows[i].items, tables = t_is_full() ? rows[i].full : few;
        uint64_t short_of = tables_too_small(rows[i].items, tables);
        assert_false(too_often(short_of, tables));
        all += short_of, of += tables;
    }
    assert_false(too_often(all, of));
}

/* Base is even and so m is odd: no item has one bucket alone, of which five would be too many. */
static void tables_of_eight_buckets_take_ten_items_at_least(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo_buckets(8, 0, 16);
    uint64_t least = 32, tables = t_is_full() ? 1500000 : 50000;
    for (uint64_t t = 0; t < tables; t++) {
        uint64_t n = fill_up_to(c, (UINT64_C(8) << 48) + t, 32);
        least = n < least ? n : least;
    }
    print_message("of %.0f tables of 8 buckets the first to be full was so at %.0f items\n", (double)tables,
                  (double)least);
    assert_true(least >= 10);
    t_cuckoo_free(c);
}

static void planned_items_fit_into_large_tables_at_95_percent_load(void **state) {
    (void)state;
    for (uint64_t stream = 0; stream < (t_is_full() ? 7 : 6); stream++) {
        uint64_t items = stream == 6 ? 9500000 : stream % 2 ? 500000 : 20000; /* the last: of 10 million places */
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

/* How many of the adds are refused, half percent by half percent from 95 %, over six tables. */
static void refusals_are_rarer_by_far_with_each_half_percent_less(void **state) {
    (void)state;
    enum { BANDS = 4, TABLES = 6 };
    const uint64_t buckets = t_is_full() ? 1000000 : 25000, band = buckets / 50;
    uint64_t refused[BANDS] = {0};
    for (uint64_t t = 0; t < TABLES; t++) {
        bpk_cuckoo *c = t_cuckoo_buckets(buckets, 0, 16);
        for (uint64_t i = 0; i < 190 * band; i++) assert_int_equal(t_cuckoo_add(c, t_hash(70 + t, i)), BPK_OK);
        for (uint64_t i = 0; i < BANDS * band; i++)
            refused[i / band] += t_cuckoo_add(c, t_hash(70 + t, 190 * band + i)) != BPK_OK;
        t_cuckoo_free(c);
    }
    for (int i = 0; i < BANDS; i++)
        print_message("%.0f places, from %.1f %% load: %.0f of %.0f adds refused\n", 4 * (double)buckets, 95 + i / 2.0,
                      (double)refused[i], (double)(TABLES * band));
    assert_true(refused[0] == 0 && refused[1] == 0 && refused[2] <= 10 && refused[3] <= band / 50);
}

/* Load at which a table of 20,000 buckets is first refused a copy, `copies` of each item one after the other; the mean
 * of five tables. */
static double load_with(uint64_t copies) {
    enum { TABLES = 5, BUCKETS = 20000 };
    bpk_cuckoo *c = t_cuckoo_buckets(BUCKETS, 0, 16);
    uint64_t n = 0;
    for (uint64_t t = 0; t < TABLES; t++) {
        bpk_reset(bpk_cuckoo_base(c));
        for (uint64_t i = 0; t_cuckoo_add(c, t_hash(50 + 8 * copies + t, i / copies)) == BPK_OK; i++) n++;
    }
    t_cuckoo_free(c);
    return (double)n / (4 * (double)BUCKETS * TABLES);
}

/* The more copies of each, the fewer places: a plan counts different items. The limits are a good sixth under what
 * comes out, where single tables differ by 2 %; from five copies on chance has more to say. */
static void copies_of_items_fill_less_than_items(void **state) {
    (void)state;
    static const struct {
        uint64_t copies;
        double least;
    } rows[] = {{1, 0.95}, {2, 0.75}, {3, 0.58}, {4, 0.4}, {5, 0.02}, {8, 0.002}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double load = load_with(rows[i].copies);
        print_message("%.0f of each: %.1f %% load\n", (double)rows[i].copies, 100 * load);
        assert_true(load > rows[i].least);
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
        cmocka_unit_test(tables_of_eight_buckets_take_ten_items_at_least),
        cmocka_unit_test(refusals_are_rarer_by_far_with_each_half_percent_less),
        cmocka_unit_test(copies_of_items_fill_less_than_items),
        cmocka_unit_test(removing_strangers_costs_as_many_items_as_the_rate_says),
    };
    return cmocka_run_group_tests_name("stat_cuckoo", tests, NULL, NULL);
}
