/* claims_membership.c - what is claimed of membership filters, rebuilt: MEM-1 to MEM-9 and MEM-12 for the blocked and
 * classic layouts; of these MEM-4 and MEM-6 for cuckoo, counting, rotating and growing filters, too, MEM-10 for the
 * counting and MEM-11 for the rotating one.
 *
 * Statistical rows use fixed seeds and the limits that the claim itself states. With fresh ones a right filter would
 * fail MEM-5 with probability 2e-6 a set (its own rate is 1.004 %), MEM-6 with 1e-8 (cuckoo: 2e-9), MEM-8 with 3e-7,
 * MEM-7 and the full rows with less than 1e-15.
 */
#include "claims.h"
#include "t_bloom.h"
#include "t_cbloom.h"
#include "t_cuckoo.h"
#include "t_grow.h"
#include "t_plan.h"
#include "t_ring.h"

#define N 1000000

static const char *const layout_name[] = {"blocked", "classic"};

static void mem_1_a_million_at_1_percent_takes_9585059_bits_and_7_hashes(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    claim_exactly((claim){"MEM-1", "classic, 1,000,000 items at 1 %", 0, "bits"}, 9585059, bloom_number(b, "bits"));
    claim_exactly((claim){"MEM-1", "their hashes", 0, ""}, 7, bloom_number(b, "hashes"));
    claim_exactly((claim){"MEM-1", "their bytes", 0, "bytes"}, 1198136, bloom_number(b, "body_bytes"));
    bloom_free(b);
}

static void mem_2_ten_millions_take_95850584_bits(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(10 * N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    claim_exactly((claim){"MEM-2", "classic, 10,000,000 items at 1 %", 0, "bits"}, 95850584, bloom_number(b, "bits"));
    claim_exactly((claim){"MEM-2", "their hashes", 0, ""}, 7, bloom_number(b, "hashes"));
    claim_near((claim){"MEM-2", "their size", 3, "MiB"}, 11.43, 0.005, bloom_number(b, "body_bytes") / (1 << 20));
    bloom_free(b);
}

static void mem_3_a_tenth_of_the_rate_takes_one_and_a_half_times_the_bits(void **state) {
    (void)state;
    static const double wanted[][3] = {{10.10, 15.72, 1.557}, {9.585, 14.378, 1.5}};
    for (uint8_t layout = 0; layout < 2; layout++) {
        double one = bloom_bits_per_item(N, 0.01, layout), tenth = bloom_bits_per_item(N, 0.001, layout);
        claim_near(claim_of("MEM-3", layout_name[layout], "an item at 1 %", 3, "bits"), wanted[layout][0], 0.005, one);
        claim_near(claim_of("MEM-3", layout_name[layout], "an item at 0.1 %", 3, "bits"), wanted[layout][1], 0.01,
                   tenth);
        claim_near(claim_of("MEM-3", layout_name[layout], "a tenth of the rate takes", 3, "x"), wanted[layout][2],
                   0.001, tenth / one);
    }
}

static void mem_4_of_a_million_that_were_added_none_is_missed(void **state) {
    (void)state;
    static const double rates[] = {0.01, 1e-5};
    static const char *const text[] = {"of 1,000,000 items at 1 % missed", "of 1,000,000 items at 0.001 % missed"};
    for (uint8_t layout = 0; layout < 2; layout++)
        for (int r = 0; r < 2; r++) {
            bpk_bloom *b = bloom_new(N, rates[r], layout, BPK_FULL_DEGRADE);
            bloom_add(b, 1, 0, N);
            claim_exactly(claim_of("MEM-4", layout_name[layout], text[r], 0, ""), 0, N - (double)bloom_seen(b, 1, N));
            bloom_free(b);
        }
}

static void mem_4_nor_of_a_hundred_million_and_the_rate_is_kept(void **state) {
    (void)state;
    claim_needs_full();
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(100 * N, 0.01, layout, BPK_FULL_DEGRADE);
        bloom_add(b, 1, 0, 100 * N);
        claim_exactly(claim_of("MEM-4 (full)", layout_name[layout], "of 100,000,000 items at 1 % missed", 0, ""), 0,
                      100.0 * N - (double)bloom_seen(b, 1, 100 * N));
        claim_near(claim_of("MEM-6 (full)", layout_name[layout], "of 100,000,000 strangers seen", 4, "%"), 1, 0.02,
                   (double)bloom_seen(b, 2, 100 * N) / N);
        bloom_free(b);
    }
}

static void mem_5_five_million_strangers_meet_1_percent_in_the_classic_layout(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    bloom_add(b, 1, 0, N);
    for (uint64_t set = 2; set < 7; set++)
        claim_near((claim){"MEM-5", "classic: of 1,000,000 strangers seen", 4, "%"}, 1, 500 * sqrt(0.01 * 0.99 / N),
                   100.0 * (double)bloom_seen(b, set, N) / N);
    bloom_free(b);
}

static void mem_6_the_blocked_layout_is_within_2_percent_of_the_rate_asked_for(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE);
    bloom_add(b, 1, 0, N);
    claim_near((claim){"MEM-6", "blocked: of 10,000,000 strangers seen", 4, "%"}, 1, 0.02,
               10.0 * (double)bloom_seen(b, 2, 10 * N) / N);
    claim_near((claim){"MEM-6", "blocked: spent for it, an item", 2, "bits"}, 10.10, 0.005,
               bloom_bits_per_item(N, 0.01, BPK_BLOOM_BLOCKED));
    bloom_free(b);
}

static void mem_4_and_6_cuckoo_filters_miss_nothing_and_are_under_the_rate_asked_for(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double rate, bits; /* in percent; spent an item */
        uint64_t strangers;
        const char *text;
    } rows[] = {{"cuckoo, 16 bits", 0.0125, 16.84, 50, "of 50,000,000 strangers seen at 95 % load"},
                {"cuckoo, 12 bits", 0.2, 12.63, 10, "of 10,000,000 strangers seen at 95 % load"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bpk_cuckoo_config cfg = {.items = N, .fingerprint_bits = bpk_cuckoo_bits_for(N, rows[i].rate / 100)};
        bpk_cuckoo_shape shape;
        bpk_cuckoo *c = t_cuckoo_of(cfg);
        t_add(bpk_cuckoo_base(c), 1, 0, N);
        assert_int_equal(bpk_cuckoo_size(&shape, &cfg), BPK_OK);
        claim_exactly(claim_of("MEM-4", rows[i].name, "of 1,000,000 items missed", 0, ""), 0,
                      N - (double)t_cuckoo_seen(c, 1, 0, N));
        claim_most(claim_of("MEM-6", rows[i].name, rows[i].text, 4, "%"), rows[i].rate,
                   100 * (double)t_cuckoo_seen(c, 2, 0, rows[i].strangers * N) / ((double)rows[i].strangers * N));
        claim_near(claim_of("MEM-6", rows[i].name, "spent for it, an item", 2, "bits"), rows[i].bits, 0.005,
                   (double)shape.bits / N);
        t_cuckoo_free(c);
    }
}

static void mem_7_the_items_follow_from_the_fill_and_duplicates_change_nothing(void **state) {
    (void)state;
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        bloom_add(b, 1, 0, N);
        bpk_estimate once = bpk_bloom_items(b, 0);
        claim_near(claim_of("MEM-7", layout_name[layout], "1,000,000 items, told from the bits", 0, ""), N, 0.005 * N,
                   once.estimate);
        bloom_add(b, 1, 0, N);
        bpk_estimate twice = bpk_bloom_items(b, 0);
        claim_exactly(claim_of("MEM-7", layout_name[layout], "added again, they change it by", 0, ""), 0,
                      fabs(once.estimate - twice.estimate) + fabs(once.lower - twice.lower) +
                          fabs(once.upper - twice.upper));
        bloom_free(b);
    }
}

static void mem_8_twice_the_plan_gives_15_7_percent_classic_and_16_7_blocked(void **state) {
    (void)state;
    static const double truth[] = {16.7, 15.7};
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        bloom_add(b, 1, 0, 2 * N);
        claim_near(claim_of("MEM-8", layout_name[layout], "twice the plan, strangers seen", 2, "%"), truth[layout],
                   0.25, 100.0 * (double)bloom_seen(b, 2, N) / N);
        claim_near(claim_of("MEM-8", layout_name[layout], "twice the plan, rate from the bits", 2, "%"), truth[layout],
                   0.15, 100 * bpk_bloom_rate(b));
        if (layout == BPK_BLOOM_CLASSIC) {
            double k = bloom_number(b, "hashes"), fill = -expm1(-2 * k * N / bloom_number(b, "bits"));
            claim_near((claim){"MEM-8", "classic: twice the plan, (1 - e^(-2kn/m))^k", 2, "%"}, truth[layout], 0.05,
                       100 * pow(fill, k));
        }
        bloom_free(b);
    }
}

static void mem_8_the_planner_says_so_before(void **state) {
    (void)state;
    static const char *const field[] = {"blocked.rate_at_twice", "classic.rate_at_twice"};
    static const double truth[] = {16.7, 15.7};
    t_plan p = T_PLAN("membership", "items", "1M", "rate", "1%");
    for (uint8_t layout = 0; layout < 2; layout++)
        claim_near(claim_of("MEM-8", layout_name[layout], "twice the plan, what the planner says", 2, "%"),
                   truth[layout], 0.15, 100 * t_plan_number(&p, field[layout]));
}

static void mem_9_half_the_rate_costs_1_44_bits_an_item(void **state) {
    (void)state;
    static const double bits[] = {1.51, 1.4427}, within[] = {0.005, 0.001};
    for (uint8_t layout = 0; layout < 2; layout++) {
        double whole = bloom_bits_per_item(10 * N, 0.01, layout), half = bloom_bits_per_item(10 * N, 0.005, layout);
        claim_near(claim_of("MEM-9", layout_name[layout], "half of 1 % costs, an item", 4, "bits"), bits[layout],
                   within[layout], half - whole);
        claim_near(claim_of("MEM-9", layout_name[layout], "half of 1 % costs", 2, "%"), 15, 0.2,
                   100 * (half / whole - 1));
    }
}

static void mem_4_6_the_rotating_filter_misses_none_of_its_window_and_keeps_the_rate(void **state) {
    (void)state;
    const bpk_bloom_config cfg = {.items = N, .rate = 0.01, .generations = 4};
    bpk_bloom *b = ring_new(N, 0.01, 4, 0, BPK_SEEN_LAST);
    bloom_add(b, 1, 0, 3 * N); /* all generations are full */
    uint64_t hash[1000], missed = 0;
    uint8_t there[1000];
    for (uint64_t i = 2 * N; i < 3 * N; i += 1000) {
        for (size_t j = 0; j < 1000; j++) hash[j] = t_hash(1, i + j);
        bpk_bloom_has(b, hash, 1000, there);
        for (size_t j = 0; j < 1000; j++) missed += !there[j];
    }
    claim_exactly((claim){"MEM-4", "rotating, G = 4: of the last 1,000,000 items at 1 % missed", 0, ""}, 0,
                  (double)missed);
    claim_most((claim){"MEM-6", "rotating, G = 4, at its fullest: of 10,000,000 strangers seen", 4, "%"}, 1,
               10.0 * (double)bloom_seen(b, 2, 10 * N) / N);
    claim_most((claim){"MEM-6", "rotating, G = 4: spent for it, an item of the window", 2, "bits"}, 17.5,
               (double)bpk_bloom_bits(&cfg) / N);
    bloom_free(b);
}

/* All items differ, so that each add moves the window by one; the rate is so low that a stranger found is a fault. */
static void mem_11_the_window(const char *g, uint8_t generations) {
    enum { W = 4000, STEPS = 2 * N };
    bpk_bloom *b = ring_new(W, 1e-9, generations, 0, BPK_SEEN_LAST);
    uint64_t gone = W + W / (uint64_t)generations, missed = 0, survived = 0;
    for (uint64_t i = 0; i < STEPS; i++) {
        ring_add(b, t_hash(1, i), 0);
        if (i >= W) missed += !ring_has(b, t_hash(1, i - W + 1));
        if (i >= W) missed += !ring_has(b, t_hash(1, i - t_hash(2, i) % W));
        if (i >= gone) survived += ring_has(b, t_hash(1, i - gone));
    }
    claim_exactly(claim_of("MEM-11", g, "window 4,000, 2,000,000 adds, of the last 4,000 missed", 0, ""), 0,
                  (double)missed);
    claim_exactly(claim_of("MEM-11", g, "and found W (1 + 1/G) adds later", 0, ""), 0, (double)survived);
    bloom_free(b);
}

static void mem_11_the_rate(const char *g, uint8_t generations) {
    bpk_bloom *b = ring_new(N / 20, 0.01, generations, 0, BPK_SEEN_LAST);
    double worst = 0;
    for (uint64_t times = 3; times <= 60; times += 19) { /* the adds in windows; all generations are full */
        bloom_add(b, 1, times == 3 ? 0 : (times - 19) * N / 20, times * N / 20);
        worst = fmax(worst, 100.0 * (double)bloom_seen(b, 2, N) / N);
    }
    claim_most(claim_of("MEM-11", g, "window 50,000 at 1 %, strangers seen after 3 to 60 windows, at most", 3, "%"), 1,
               worst);
    claim_exactly(claim_of("MEM-11", g, "and the window that is certain", 0, ""), N / 20, (double)bpk_bloom_window(b));
    bloom_free(b);
}

static void mem_11_rotation_keeps_the_window_and_the_rate(void **state) {
    (void)state;
    static const uint8_t generations[] = {1, 4, 8};
    static const char *const name[] = {"G = 1", "G = 4", "G = 8"};
    for (size_t i = 0; i < 3; i++) {
        mem_11_the_window(name[i], generations[i]);
        mem_11_the_rate(name[i], generations[i]);
    }
}

static void mem_12_health_warns_at_100_percent_and_is_over_at_150(void **state) {
    (void)state;
    static const uint64_t percent[] = {50, 99, 100, 149, 151};
    static const char *const state_name[] = {"ok", "warn", "over"};
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        char told[CLAIM_TEXT] = "";
        uint64_t at = 0;
        for (size_t i = 0; i < sizeof percent / sizeof *percent; i++) {
            bloom_add(b, 1, at, percent[i] * N / 100);
            at = percent[i] * N / 100;
            snprintf(told + strlen(told), sizeof told - strlen(told), i ? ", %s" : "%s",
                     state_name[bpk_health(bpk_bloom_base(b), NULL, NULL)]);
        }
        claim_says(claim_of("MEM-12", layout_name[layout], "health at 50, 99, 100, 149, 151 % of the plan", 0, ""),
                   "ok, ok, warn, warn, over", told);
        bloom_free(b);
    }
}

static void mem_4_6_the_counting_filter_misses_none_and_keeps_the_rate_also_after_removals(void **state) {
    (void)state;
    const bpk_cbloom_config cfg = {.items = N, .rate = 0.01};
    bpk_cbloom *c = cbloom_new(N, 0.01, BPK_FULL_DEGRADE);
    t_add(bpk_cbloom_base(c), 1, 0, N + N / 2);
    claim_exactly((claim){"MEM-4", "counting: of 500,000 removals of members refused", 0, ""}, 0,
                  (double)cbloom_remove_many(c, 1, 0, N / 2));
    claim_exactly((claim){"MEM-4", "counting: of 1,000,000 items left at 1 % missed", 0, ""}, 0,
                  N - (double)cbloom_seen(c, 1, N / 2, N + N / 2));
    claim_most((claim){"MEM-6", "counting: of 10,000,000 strangers seen", 4, "%"}, 1.02,
               10.0 * (double)cbloom_seen(c, 2, 0, 10 * N) / N);
    claim_near((claim){"MEM-6", "counting: spent for it, an item", 2, "bits"}, 38.34, 0.005,
               (double)bpk_cbloom_bits(&cfg) / N);
    cbloom_free(c);
}

static void mem_10_four_times_the_bits_removal_and_what_is_refused(void **state) {
    (void)state;
    const bpk_cbloom_config cfg = {.items = N, .rate = 0.01};
    bpk_cbloom *c = cbloom_new(N, 0.01, BPK_FULL_DEGRADE), *empty = cbloom_copy(c), *before;
    claim_exactly((claim){"MEM-10", "1,000,000 items at 1 %, four times the bits of MEM-1", 0, "bits"}, 4.0 * 9585059,
                  (double)bpk_cbloom_bits(&cfg));
    t_add(bpk_cbloom_base(c), 1, 0, N);
    before = cbloom_copy(c);
    uint64_t seen = cbloom_seen(c, 2, 0, 100000), refused = 0;
    for (uint64_t i = 0; i < 100000; i++)
        if (!cbloom_has(c, t_hash(2, i))) refused += !cbloom_remove(c, t_hash(2, i));
    claim_exactly((claim){"MEM-10", "100,000 strangers: certainly absent and not refused", 0, ""}, 0,
                  100000.0 - (double)seen - (double)refused);
    claim_exactly((claim){"MEM-10", "their removal changes", 0, "bytes"}, 0,
                  claim_unlike(bpk_cbloom_base(c), bpk_cbloom_base(before)));
    cbloom_remove_many(c, 1, 0, N);
    claim_exactly((claim){"MEM-10", "all 1,000,000 removed: unlike an empty filter", 0, "bytes"}, 0,
                  claim_unlike(bpk_cbloom_base(c), bpk_cbloom_base(empty)));
    for (int times = 0; times < 15; times++) assert_int_equal(cbloom_add(c, t_hash(1, 0)), BPK_OK);
    for (int times = 0; times < 15; times++) assert_true(cbloom_remove(c, t_hash(1, 0)));
    claim_exactly((claim){"MEM-10", "added and removed 15 times: counters that stay at 15", 0, ""}, 7,
                  (double)bpk_cbloom_stuck(c));
    cbloom_free(c), cbloom_free(empty), cbloom_free(before);
}

/* Up to 1000 x its first plan; one stranger in a hundred would be the limit. */
static void mem_4_6_a_growing_filter_misses_none_and_keeps_the_rate_at_any_size(void **state) {
    (void)state;
    static const uint64_t times[] = {1, 2, 10, 64, 1000};
    bpk_grow *g = grow_new(N / 1000, 0.01, BPK_FULL_GROW);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char text[CLAIM_TEXT];
        uint64_t now = times[i] * N / 1000;
        grow_add(g, 1, i ? times[i - 1] * N / 1000 : 0, now);
        snprintf(text, sizeof text, "at %d x its first plan, of 1,000,000 strangers seen", (int)times[i]);
        claim_most(claim_of("MEM-6", "growing", text, 4, "%"), 1, 100.0 * (double)grow_seen(g, 2 + i, 0, N) / N);
    }
    claim_exactly((claim){"MEM-4", "growing: of 1,000,000 items at 1000 x its first plan missed", 0, ""}, 0,
                  N - (double)grow_seen(g, 1, 0, N));
    grow_free(g);
    const bpk_grow_config c = grow_config(N / 64, 0.01, BPK_FULL_GROW);
    bpk_grow_shape all;
    assert_int_equal(bpk_grow_size(&all, &c, N), BPK_OK);
    claim_most((claim){"MEM-6", "growing to 64 x: spent an item when the last layer is full", 2, "bits"}, 17.1,
               (double)all.bits / (double)all.capacity);
}

static void mem_4_6_a_growing_cuckoo_misses_none_after_removals_and_keeps_the_rate(void **state) {
    (void)state;
    const bpk_grow_config c = {.layers = BPK_KIND_CUCKOO,
                               .items = N / 64,
                               .rate = 0.001,
                               .fingerprint_bits = BPK_CUCKOO_BITS,
                               .on_full = BPK_FULL_GROW};
    bpk_grow *g = grow_in(&c, NULL);
    uint64_t hash, missed = 0;
    uint8_t gone;
    grow_add(g, 1, 0, N);
    for (uint64_t i = 0; i < N; i += 2) {
        hash = t_hash(1, i);
        assert_int_equal(bpk_remove(bpk_grow_base(g), &hash, 1, &gone, NULL), BPK_OK);
        missed += !gone;
    }
    for (uint64_t i = 1; i < N; i += 2) missed += !grow_seen(g, 1, i, i + 1);
    claim_exactly((claim){"MEM-4", "growing cuckoo: of 1,000,000 items, half of them removed again, missed", 0, ""}, 0,
                  (double)missed);
    grow_add(g, 3, 0, N / 2);
    claim_most((claim){"MEM-6", "growing cuckoo, 64 x: of 10,000,000 strangers seen", 4, "%"}, 0.1,
               10.0 * (double)grow_seen(g, 2, 0, 10 * N) / N);
    grow_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_1_a_million_at_1_percent_takes_9585059_bits_and_7_hashes),
        cmocka_unit_test(mem_2_ten_millions_take_95850584_bits),
        cmocka_unit_test(mem_3_a_tenth_of_the_rate_takes_one_and_a_half_times_the_bits),
        cmocka_unit_test(mem_4_of_a_million_that_were_added_none_is_missed),
        cmocka_unit_test(mem_4_nor_of_a_hundred_million_and_the_rate_is_kept),
        cmocka_unit_test(mem_5_five_million_strangers_meet_1_percent_in_the_classic_layout),
        cmocka_unit_test(mem_6_the_blocked_layout_is_within_2_percent_of_the_rate_asked_for),
        cmocka_unit_test(mem_4_and_6_cuckoo_filters_miss_nothing_and_are_under_the_rate_asked_for),
        cmocka_unit_test(mem_7_the_items_follow_from_the_fill_and_duplicates_change_nothing),
        cmocka_unit_test(mem_8_twice_the_plan_gives_15_7_percent_classic_and_16_7_blocked),
        cmocka_unit_test(mem_8_the_planner_says_so_before),
        cmocka_unit_test(mem_9_half_the_rate_costs_1_44_bits_an_item),
        cmocka_unit_test(mem_4_6_the_counting_filter_misses_none_and_keeps_the_rate_also_after_removals),
        cmocka_unit_test(mem_10_four_times_the_bits_removal_and_what_is_refused),
        cmocka_unit_test(mem_4_6_the_rotating_filter_misses_none_of_its_window_and_keeps_the_rate),
        cmocka_unit_test(mem_11_rotation_keeps_the_window_and_the_rate),
        cmocka_unit_test(mem_4_6_a_growing_filter_misses_none_and_keeps_the_rate_at_any_size),
        cmocka_unit_test(mem_4_6_a_growing_cuckoo_misses_none_after_removals_and_keeps_the_rate),
        cmocka_unit_test(mem_12_health_warns_at_100_percent_and_is_over_at_150),
    };
    return cmocka_run_group_tests_name("claims_membership", tests, NULL, NULL);
}
