/* claims_membership.c - what is claimed of membership filters, rebuilt: MEM-1 to MEM-9 and MEM-12 for the blocked and
 * classic layouts.
 *
 * Statistical rows use fixed seeds and the limits that the claim itself states. With fresh ones a right filter would
 * fail MEM-5 with probability 2e-6 a set (its own rate is 1.004 %), MEM-6 with 1e-8, MEM-8 with 3e-7, MEM-7 with less
 * than 1e-15.
 */
#include "t_bloom.h"

#include <math.h>

#define N 1000000

/* How many of n items of a stream the filter has seen. */
static uint64_t seen(const bpk_bloom *b, uint64_t stream, uint64_t n) {
    uint64_t hash[1024], hits = 0;
    uint8_t out[1024];
    for (uint64_t i = 0; i < n;) {
        size_t some = 0;
        while (some < 1024 && i < n) hash[some++] = t_hash(stream, i++);
        bpk_bloom_has(b, hash, some, out);
        for (size_t j = 0; j < some; j++) hits += out[j];
    }
    return hits;
}

static void mem_1_a_million_at_1_percent_takes_9585059_bits_and_7_hashes(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    assert_true(bloom_number(b, "bits") == 9585059);
    assert_true(bloom_number(b, "hashes") == 7);
    assert_true(bloom_number(b, "body_bytes") == 1198136);
    bloom_free(b);
}

static void mem_2_ten_millions_take_95850584_bits(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(10 * N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    assert_true(bloom_number(b, "bits") == 95850584);
    assert_true(bloom_number(b, "hashes") == 7);
    assert_true(fabs(bloom_number(b, "body_bytes") / (1 << 20) - 11.43) < 0.005);
    bloom_free(b);
}

static void mem_3_a_tenth_of_the_rate_takes_one_and_a_half_times_the_bits(void **state) {
    (void)state;
    double one = bloom_bits_per_item(N, 0.01, BPK_BLOOM_CLASSIC),
           tenth = bloom_bits_per_item(N, 0.001, BPK_BLOOM_CLASSIC);
    assert_true(fabs(one - 9.585) < 0.001 && fabs(tenth - 14.378) < 0.001 && fabs(tenth / one - 1.5) < 0.001);
    one = bloom_bits_per_item(N, 0.01, BPK_BLOOM_BLOCKED), tenth = bloom_bits_per_item(N, 0.001, BPK_BLOOM_BLOCKED);
    print_message("blocked: %.3f and %.3f bits an item, %.3f x\n", one, tenth, tenth / one);
    assert_true(fabs(one - 10.10) < 0.005 && fabs(tenth - 15.72) < 0.01 && fabs(tenth / one - 1.557) < 0.001);
}

static void mem_4_of_a_million_that_were_added_none_is_missed(void **state) {
    (void)state;
    static const double rates[] = {0.01, 1e-5};
    for (uint8_t layout = 0; layout < 2; layout++)
        for (int r = 0; r < 2; r++) {
            bpk_bloom *b = bloom_new(N, rates[r], layout, BPK_FULL_DEGRADE);
            bloom_add(b, 1, 0, N);
            assert_int_equal(seen(b, 1, N), N);
            bloom_free(b);
        }
}

static void mem_5_five_million_strangers_meet_1_percent_in_the_classic_layout(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_CLASSIC, BPK_FULL_DEGRADE);
    bloom_add(b, 1, 0, N);
    for (uint64_t set = 2; set < 7; set++) {
        double rate = (double)seen(b, set, N) / N;
        print_message("strangers %.0f: %.4f %%\n", (double)set - 1, 100 * rate);
        assert_true(fabs(rate - 0.01) <= 5 * sqrt(0.01 * 0.99 / N));
    }
    bloom_free(b);
}

static void mem_6_the_blocked_layout_is_within_2_percent_of_the_rate_asked_for(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(N, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE);
    bloom_add(b, 1, 0, N);
    double rate = (double)seen(b, 2, 10 * N) / (10 * N);
    print_message("blocked: %.4f %% of strangers, %.2f bits an item\n", 100 * rate,
                  bloom_bits_per_item(N, 0.01, BPK_BLOOM_BLOCKED));
    assert_true(fabs(rate - 0.01) <= 0.02 * 0.01);
    bloom_free(b);
}

static void mem_7_the_items_follow_from_the_fill_and_duplicates_change_nothing(void **state) {
    (void)state;
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        bloom_add(b, 1, 0, N);
        bpk_estimate once = bpk_bloom_items(b, 0);
        print_message("%.0f (%.0f to %.0f)\n", once.estimate, once.lower, once.upper);
        assert_true(fabs(once.estimate / N - 1) < 0.005);
        bloom_add(b, 1, 0, N);
        bpk_estimate twice = bpk_bloom_items(b, 0);
        assert_true(once.estimate == twice.estimate && once.lower == twice.lower && once.upper == twice.upper);
        bloom_free(b);
    }
}

static void mem_8_twice_the_plan_gives_15_7_percent_classic_and_16_7_blocked(void **state) {
    (void)state;
    static const double truth[] = {0.167, 0.157};
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        bloom_add(b, 1, 0, 2 * N);
        double rate = (double)seen(b, 2, N) / N;
        print_message("%.2f %%, from the bits %.2f %%\n", 100 * rate, 100 * bpk_bloom_rate(b));
        assert_true(fabs(rate - truth[layout]) < 0.0025 && fabs(bpk_bloom_rate(b) - truth[layout]) < 0.0015);
        bloom_free(b);
    }
}

static void mem_9_half_the_rate_costs_1_44_bits_an_item(void **state) {
    (void)state;
    double whole = bloom_bits_per_item(10 * N, 0.01, BPK_BLOOM_CLASSIC),
           half = bloom_bits_per_item(10 * N, 0.005, BPK_BLOOM_CLASSIC);
    assert_true(fabs(half - whole - 1.4427) < 0.001);
    assert_true(fabs(half / whole - 1.15) < 0.002);
    whole = bloom_bits_per_item(10 * N, 0.01, BPK_BLOOM_BLOCKED);
    half = bloom_bits_per_item(10 * N, 0.005, BPK_BLOOM_BLOCKED);
    print_message("blocked: %.3f bits, %.3f x\n", half - whole, half / whole);
    assert_true(fabs(half - whole - 1.51) < 0.005 && fabs(half / whole - 1.15) < 0.002);
}

static void mem_12_health_warns_at_100_percent_and_is_over_at_150(void **state) {
    (void)state;
    static const struct {
        uint64_t percent;
        bpk_state state;
    } steps[] = {{50, BPK_HEALTH_OK},
                 {99, BPK_HEALTH_OK},
                 {100, BPK_HEALTH_WARN},
                 {149, BPK_HEALTH_WARN},
                 {151, BPK_HEALTH_OVER}};
    for (uint8_t layout = 0; layout < 2; layout++) {
        bpk_bloom *b = bloom_new(N, 0.01, layout, BPK_FULL_DEGRADE);
        uint64_t at = 0;
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            bloom_add(b, 1, at, steps[i].percent * N / 100);
            at = steps[i].percent * N / 100;
            assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), steps[i].state);
        }
        bloom_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_1_a_million_at_1_percent_takes_9585059_bits_and_7_hashes),
        cmocka_unit_test(mem_2_ten_millions_take_95850584_bits),
        cmocka_unit_test(mem_3_a_tenth_of_the_rate_takes_one_and_a_half_times_the_bits),
        cmocka_unit_test(mem_4_of_a_million_that_were_added_none_is_missed),
        cmocka_unit_test(mem_5_five_million_strangers_meet_1_percent_in_the_classic_layout),
        cmocka_unit_test(mem_6_the_blocked_layout_is_within_2_percent_of_the_rate_asked_for),
        cmocka_unit_test(mem_7_the_items_follow_from_the_fill_and_duplicates_change_nothing),
        cmocka_unit_test(mem_8_twice_the_plan_gives_15_7_percent_classic_and_16_7_blocked),
        cmocka_unit_test(mem_9_half_the_rate_costs_1_44_bits_an_item),
        cmocka_unit_test(mem_12_health_warns_at_100_percent_and_is_over_at_150),
    };
    return cmocka_run_group_tests_name("claims_membership", tests, NULL, NULL);
}
