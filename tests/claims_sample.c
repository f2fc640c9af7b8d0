/* claims_sample.c - what is claimed of samples, rebuilt: SAMP-1 to SAMP-6.
 *
 * Seeds are fixed; statistical rows allow six standard errors, or what the claim itself states.
 */
#include "claims.h"
#include "t_sample.h"

static void samp_1_three_of_ten_100000_times_each_item_and_each_subset_alike(void **state) {
    (void)state;
    enum { RUNS = 100000, N = 10, K = 3, SUBSETS = 120 };
    static double item[N], subset[1 << N];
    double worst = 0, chi = 0, least = RUNS, most = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *s = t_sample_new(K, 1, run);
        t_feed_numbers(s, 0, N);
        const t_kept *kept = t_kept_of(s, BPK_SAMPLE_INPUT);
        size_t bits = 0;
        for (size_t i = 0; i < K; i++) item[kept->number[i]]++, bits |= (size_t)1 << kept->number[i];
        subset[bits]++;
        t_sample_free(s);
    }
    for (int i = 0; i < N; i++) {
        worst = fmax(worst, fabs(item[i] - 30000) / sqrt(RUNS * 0.3 * 0.7));
        least = fmin(least, item[i]);
        most = fmax(most, item[i]);
    }
    for (int i = 0; i < 1 << N; i++)
        if (__builtin_popcount((unsigned)i) == K) chi += pow(subset[i] - RUNS / 120.0, 2) / (RUNS / 120.0);
    claim_near((claim){"SAMP-1", "3 of 10, the item that came least often", 0, "of 100,000"}, 30000, 725, least);
    claim_near((claim){"SAMP-1", "the item that came most often", 0, "of 100,000"}, 30000, 725, most);
    claim_most((claim){"SAMP-1", "the worst of the ten is off by", 2, "standard deviations"}, 5, worst);
    claim_most((claim){"SAMP-1", "chi-square over all 120 subsets, above its mean by", 2, "standard deviations"}, 5,
               t_sigmas_of(chi, SUBSETS - 1));
}

static void samp_2_a_merge_of_10000000_and_100000_records_gives_the_shorter_1_of_101(void **state) {
    (void)state;
    enum { RUNS = 1000, K = 1000 };
    const uint64_t n = 10000000, m = 100000;
    double sum = 0, squares = 0, p = 1.0 / 101, mean = K * p;
    double variance = K * p * (1 - p) * (1 - (K - 1) / (double)(n + m - 1));
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *a = t_sample_new(K, 2, 2 * run), *b = t_sample_new(K, 2, 2 * run + 1);
        double from = 0;
        t_feed_numbers(a, 0, n);
        t_feed_numbers(b, 0, m);
        assert_int_equal(bpk_merge(&a->base, &b->base, NULL), BPK_OK);
        const t_kept *kept = t_kept_of(a, BPK_SAMPLE_INPUT);
        for (size_t i = 0; i < K; i++) from += kept->row[i].stream == 2 * run + 1;
        sum += from;
        squares += (from - mean) * (from - mean);
        t_sample_free(a), t_sample_free(b);
    }
    claim_near((claim){"SAMP-2", "10,000,000 and 100,000: of the shorter, 1,000 merges of 1,000", 3, "%"}, 100 * p,
               100 * 6 * sqrt(variance / RUNS) / K, 100 * sum / RUNS / K);
    claim_between((claim){"SAMP-2", "chi-square of its number, above its mean by", 2, "standard deviations"}, -5, 5,
                  t_sigmas_of(squares / variance, RUNS));
}

static void samp_3_fewer_records_than_k_no_place_and_no_record(void **state) {
    (void)state;
    bpk_sample *few = t_sample_new(1000, 3, 0), *none = t_sample_new(0, 3, 0), *empty = t_sample_new(1000, 3, 1);
    double moved = 0;
    t_feed_numbers(few, 0, 700);
    t_feed_numbers(none, 0, 700);
    const t_kept *kept = t_kept_of(few, BPK_SAMPLE_INPUT);
    for (size_t i = 0; i < kept->n; i++) moved += kept->number[i] != i;
    claim_exactly((claim){"SAMP-3", "1,000 of 700: kept", 0, "records"}, 700, (double)kept->n);
    claim_exactly((claim){"SAMP-3", "1,000 of 700: not in their place", 0, "records"}, 0, moved);
    claim_exactly((claim){"SAMP-3", "0 of 700: kept", 0, "records"}, 0, (double)bpk_sample_kept(none));
    claim_exactly((claim){"SAMP-3", "0 of 700: counted", 0, "records"}, 700, (double)bpk_sample_seen(none));
    claim_exactly((claim){"SAMP-3", "1,000 of nothing: kept", 0, "records"}, 0, (double)bpk_sample_kept(empty));
    t_sample_free(few), t_sample_free(none), t_sample_free(empty);
}

static void samp_4_strata_have_a_full_reservoir_and_their_count_each_also_one_of_a_thousandth(void **state) {
    (void)state;
    enum { N = 1000000, K = 100, GROUPS = 5 };
    static const uint64_t of[GROUPS] = {600000, 300000, 90000, 9000, 1000};
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = K, .groups = 16, .seed = 4}), *plain;
    plain = t_sample_new(GROUPS * K, 4, 0);
    uint64_t given[GROUPS] = {0}, state_of = 9;
    double wrong = 0, short_of = 0, rare = 0, rare_plain = 0;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t g = 0, at = bpki_next(&state_of) % (N - i), left = of[0] - given[0];
        while (at >= left) g++, left += of[g] - given[g];
        given[g]++;
        const bpk_items one = {.n = 1, .hash = &g, .group = &g};
        assert_int_equal(bpk_add(&s->base, &one, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_add(&plain->base, &one, NULL, NULL), BPK_OK);
    }
    const t_strata *all = t_strata_of(s);
    for (size_t i = 0; i < all->n; i++) {
        wrong += all->at[i].n != of[all->at[i].hash];
        short_of += all->at[i].kept != K;
        if (all->at[i].hash == GROUPS - 1) rare = (double)all->at[i].kept;
    }
    for (uint32_t i = 0; i < plain->rest.kept; i++) rare_plain += plain->rest.entry[i].hash == GROUPS - 1;
    claim_exactly((claim){"SAMP-4", "strata", 0, ""}, GROUPS, (double)all->n);
    claim_exactly((claim){"SAMP-4", "strata whose count is wrong", 0, ""}, 0, wrong);
    claim_exactly((claim){"SAMP-4", "strata without 100 records", 0, ""}, 0, short_of);
    claim_exactly((claim){"SAMP-4", "kept of the group with 0.1 % of the records", 0, "records"}, K, rare);
    claim_most((claim){"SAMP-4", "the same of a plain sample of 500", 0, "records"}, 5, rare_plain);
    t_sample_free(s), t_sample_free(plain);
}

/* ---- A has 500 keys in 900,000 records and 100,000 with one each; B has 20,000 keys in 50 each ---- */

enum { HEAVY = 500, ONCE = 100000, EACH = 1000000, KEYS_B = 20000 };

static uint64_t key_of_a(uint64_t i) {
    return i < ONCE ? HEAVY + i : (i - ONCE) % HEAVY;
}
static uint64_t key_of_b(uint64_t i) {
    return i % KEYS_B;
}
static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}
static double different(const t_kept *kept, uint64_t (*key_of)(uint64_t)) {
    uint64_t key[1000];
    double n = 0;
    for (size_t i = 0; i < kept->n; i++) key[i] = key_of(kept->number[i]);
    qsort(key, kept->n, sizeof *key, by_number);
    for (size_t i = 0; i < kept->n; i++) n += i == 0 || key[i] != key[i - 1];
    return n;
}
static double distinct_of(const char *kind, uint64_t run, uint64_t keys) {
    bpk_sketch *s = NULL;
    bpk_estimate e;
    assert_int_equal(bpk_new(&s, kind, NULL, NULL, 0, NULL, NULL), BPK_OK);
    t_add(s, run, 0, keys);
    assert_int_equal(bpk_count(s, NULL, 0, 0, &e, NULL), BPK_OK);
    bpk_free(s);
    return e.estimate;
}
static bool is_heavy(void *ctx, const bpk_sample_row *row) {
    (void)ctx;
    return key_of_a(t_load64(row->item)) < HEAVY;
}
static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void samp_5_a_sample_ranks_distinct_counts_the_wrong_way_round_and_its_shares_are_right(void **state) {
    (void)state;
    enum { RUNS = 100 };
    static const char *const kinds[] = {"hll", "theta"};
    double wrong = 0, wrong_of[2] = {0, 0}, covered = 0, share[RUNS];
    for (uint64_t run = 0; run < RUNS; run++) {
        bpk_sample *a = t_sample_new(1000, 5, 2 * run), *b = t_sample_new(1000, 5, 2 * run + 1);
        bpk_estimate e;
        t_feed_numbers(a, 0, EACH);
        t_feed_numbers(b, 0, EACH);
        double in_a = different(t_kept_of(a, BPK_SAMPLE_INPUT), key_of_a);
        wrong += in_a < different(t_kept_of(b, BPK_SAMPLE_INPUT), key_of_b);
        for (int i = 0; i < 2; i++)
            wrong_of[i] += distinct_of(kinds[i], 2 * run, HEAVY + ONCE) < distinct_of(kinds[i], 2 * run + 1, KEYS_B);
        e = bpk_sample_share(a, is_heavy, NULL, 0);
        covered += e.lower <= 0.9 && 0.9 <= e.upper;
        share[run] = e.estimate;
        t_sample_free(a), t_sample_free(b);
    }
    qsort(share, RUNS, sizeof *share, by_value);
    claim_exactly(
        (claim){"SAMP-5", "100,500 and 20,000 different keys: ranked wrongly by samples of 1,000", 0, "of 100"}, RUNS,
        wrong);
    claim_exactly((claim){"SAMP-5", "ranked wrongly by hll", 0, "of 100"}, 0, wrong_of[0]);
    claim_exactly((claim){"SAMP-5", "ranked wrongly by theta", 0, "of 100"}, 0, wrong_of[1]);
    claim_near((claim){"SAMP-5", "the share of the 500 heavy keys, median of the samples", 1, "%"}, 90, 0.5,
               50 * (share[RUNS / 2 - 1] + share[RUNS / 2]));
    claim_least((claim){"SAMP-5", "its intervals of 95 % that contain 90 %", 0, "of 100"}, 88, covered);
}

static void samp_6_one_seed_gives_one_sample_and_a_secret_one_is_a_key(void **state) {
    (void)state;
    bpk_sample *a = t_sample_new(1000, 6, 0), *same = t_sample_new(1000, 6, 0), *other = t_sample_new(1000, 7, 0);
    bpk_sample *stream = t_sample_new(1000, 6, 1);
    bpk_sample *const all[] = {a, same, other, stream};
    uint64_t kept[4][1000];
    double common[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        t_feed_numbers(all[i], 0, EACH);
        memcpy(kept[i], t_kept_of(all[i], BPK_SAMPLE_INPUT)->number, sizeof kept[i]);
        for (size_t j = 0; j < 1000; j++)
            common[i] += bsearch(&kept[i][j], kept[0], 1000, sizeof(uint64_t), by_number) != NULL;
    }
    claim_exactly((claim){"SAMP-6", "two samples of one seed differ in", 0, "bytes"}, 0,
                  claim_unlike(&a->base, &same->base));
    claim_most((claim){"SAMP-6", "1,000 of 1,000,000 with another seed: the same records", 0, ""}, 8, common[2]);
    claim_most((claim){"SAMP-6", "with another stream: the same records", 0, ""}, 8, common[3]);
    const uint64_t drawn = bpki_draw(UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908),
                                     UINT64_C(0x0706050403020100)); /* key and message of the paper's vectors */
    claim_exactly((claim){"SAMP-6", "a draw, from SipHash-2-4 under the key (seed, stream)", 0, "bits"}, 0,
                  __builtin_popcountll(drawn ^ UINT64_C(0x93f5f5799a932462)));
    for (size_t i = 0; i < 4; i++) t_sample_free(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samp_1_three_of_ten_100000_times_each_item_and_each_subset_alike),
        cmocka_unit_test(samp_2_a_merge_of_10000000_and_100000_records_gives_the_shorter_1_of_101),
        cmocka_unit_test(samp_3_fewer_records_than_k_no_place_and_no_record),
        cmocka_unit_test(samp_4_strata_have_a_full_reservoir_and_their_count_each_also_one_of_a_thousandth),
        cmocka_unit_test(samp_5_a_sample_ranks_distinct_counts_the_wrong_way_round_and_its_shares_are_right),
        cmocka_unit_test(samp_6_one_seed_gives_one_sample_and_a_secret_one_is_a_key),
    };
    return cmocka_run_group_tests_name("claims_sample", tests, NULL, NULL);
}
