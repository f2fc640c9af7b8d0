/* test_cbloom.c - the laws of the counting filter: what is in is found, what was removed has never been there, what is
 * absent is refused, counters at their end stay, unions to the byte, damage refused. */
#include "damage.h"
#include "t_cbloom.h"

#include "filter.h"

static void assert_same(bpk_cbloom *a, bpk_cbloom *b) {
    t_assert_same_bytes(bpk_cbloom_base(a), bpk_cbloom_base(b));
}
static bpk_cbloom *reloaded(bpk_cbloom *c, bpk_form f) {
    bpk_sketch *s = NULL;
    t_bytes b = t_encode(bpk_cbloom_base(c), f);
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    free(b.p);
    return (bpk_cbloom *)s;
}

static const double rates[] = {0.5, 0.01, 1e-6};

/* ---- adding and removing ---- */

/* Against an exact multiset: items come up to some 25 times, so that counters reach their end; every so often the
 * filter is written and read. */
static void a_million_random_adds_and_removes_never_lose_an_item(void **state) {
    (void)state;
    enum { UNIVERSE = 3000 };
    static uint8_t in[UNIVERSE];
    bpk_cbloom *c = cbloom_new(1500, 0.01, BPK_FULL_ERROR);
    uint64_t copies = 0;
    memset(in, 0, sizeof in);
    for (uint64_t step = 0; step < 1000000; step++) {
        uint64_t x = t_hash(1, step), i = x % (x >> 40 & 1 ? UNIVERSE : 50), hash = t_hash(2, i);
        bool more = copies < 1200 || (x >> 50 & 3) == 0;
        if (more && in[i] < 25 && copies < 1600) {
            assert_int_equal(cbloom_add(c, hash), BPK_OK);
            in[i]++, copies++;
        } else if (in[i]) {
            assert_true(cbloom_remove(c, hash));
            in[i]--, copies--;
        }
        bpk_estimate e = bpk_cbloom_count(c, hash);
        assert_true(e.lower <= in[i] && in[i] <= e.upper && (in[i] == 0 || e.estimate > 0));
        if (step % 20000 == 0) {
            bpk_cbloom *back = reloaded(c, step % 40000 ? BPK_FORM_SMALL : BPK_FORM_VIEW);
            cbloom_free(c);
            c = back;
            for (uint64_t j = 0; j < UNIVERSE; j++)
                if (in[j]) assert_true(cbloom_has(c, t_hash(2, j)));
        }
    }
    assert_true(bpk_cbloom_stuck(c) > 0);
    cbloom_free(c);
}

static void what_was_removed_has_never_been_there(void **state) {
    (void)state;
    for (size_t r = 0; r < BPKI_COUNT(rates); r++)
        for (uint64_t n = 1; n <= 3000; n = n * 3 + 1) {
            bpk_cbloom *c = cbloom_new(n, rates[r], BPK_FULL_DEGRADE), *kept = cbloom_copy(c);
            t_add(bpk_cbloom_base(c), 1, 0, n);
            t_add(bpk_cbloom_base(c), 1, 0, n / 2); /* some are in twice */
            t_add(bpk_cbloom_base(kept), 1, 0, n / 3);
            bool lossless = bpk_cbloom_stuck(c) == 0;
            assert_int_equal(cbloom_remove_many(c, 1, 0, n / 2), 0);
            assert_int_equal(cbloom_remove_many(c, 1, n / 3, n), 0);
            assert_int_equal(cbloom_seen(c, 1, 0, n / 3), n / 3);
            if (lossless) assert_same(c, kept);
            assert_true(lossless || n < 5);
            cbloom_free(c);
            cbloom_free(kept);
        }
}

static void what_is_certainly_absent_is_refused_counted_and_changes_nothing(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(1000, 0.01, BPK_FULL_ERROR), *before;
    assert_int_equal(cbloom_remove_many(c, 9, 0, 100), 100);
    assert_int_equal(bpk_cbloom_refused(c), 100);
    t_add(bpk_cbloom_base(c), 1, 0, 800);
    before = cbloom_copy(c);
    assert_int_equal(bpk_cbloom_refused(before), 100);
    uint64_t hash[500], absent = 0;
    for (uint64_t i = 0; absent < 500; i++)
        if (!cbloom_has(c, t_hash(2, i))) hash[absent++] = t_hash(2, i);
    assert_int_equal(bpk_remove(bpk_cbloom_base(c), hash, 500, NULL, NULL), BPK_OK);
    assert_same(c, before);
    assert_int_equal(bpk_cbloom_refused(c), 600);
    bpk_reset(bpk_cbloom_base(c));
    assert_int_equal(bpk_cbloom_refused(c), 0);
    cbloom_free(c);
    cbloom_free(before);
}

/* 20 positions among 58 counters fall together more often than not. */
static void an_item_whose_positions_fall_together_counts_once(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(2, 1e-6, BPK_FULL_DEGRADE), *empty = cbloom_copy(c);
    bpki_filter p = {.layout = BPKI_FILTER_CLASSIC, .items = 2, .rate = 1e-6};
    uint64_t together = 0, at[BPKI_FILTER_HASHES_MAX];
    bpki_filter_size(&p);
    for (uint64_t i = 0; i < 200; i++) {
        bpki_filter_probes(t_hash(3, i), p.k, p.units, at);
        for (unsigned j = 1; j < p.k; j++) together += at[j] == at[0];
        for (int times = 1; times <= 3; times++) {
            assert_int_equal(cbloom_add(c, t_hash(3, i)), BPK_OK);
            assert_true(bpk_cbloom_count(c, t_hash(3, i)).upper == times);
        }
        for (int times = 2; times >= 0; times--) {
            assert_true(cbloom_remove(c, t_hash(3, i)));
            assert_true(bpk_cbloom_count(c, t_hash(3, i)).upper == times);
        }
        assert_same(c, empty);
    }
    assert_true(together > 20);
    cbloom_free(c);
    cbloom_free(empty);
}

static void a_batch_is_the_same_as_one_by_one_also_with_duplicates_inside(void **state) {
    (void)state;
    enum { N = 3000 };
    static uint64_t hash[N];
    static uint8_t changed[N], removed[N];
    for (uint64_t planned = 1000; planned <= 200000; planned *= 200) { /* the large one fetches ahead */
        bpk_cbloom *batch = cbloom_new(planned, 0.01, BPK_FULL_DEGRADE), *single = cbloom_copy(batch);
        for (size_t i = 0; i < N; i++) hash[i] = t_hash(5, t_hash(6, i) % 1500);
        assert_int_equal(bpk_add(bpk_cbloom_base(batch), &(bpk_items){.n = N, .hash = hash}, changed, NULL), BPK_OK);
        for (size_t i = 0; i < N; i++) {
            uint8_t one = 2;
            assert_int_equal(bpk_add(bpk_cbloom_base(single), &(bpk_items){.n = 1, .hash = hash + i}, &one, NULL),
                             BPK_OK);
            assert_int_equal(changed[i], one);
        }
        assert_same(batch, single);
        for (size_t i = 0; i < N; i++) hash[i] = t_hash(5, t_hash(7, i) % 3000);
        assert_int_equal(bpk_remove(bpk_cbloom_base(batch), hash, N, removed, NULL), BPK_OK);
        for (size_t i = 0; i < N; i++) assert_int_equal(cbloom_remove(single, hash[i]), removed[i]);
        assert_same(batch, single);
        cbloom_free(batch);
        cbloom_free(single);
    }
}

/* ---- counters at their end ---- */

static void a_counter_at_15_stays_and_is_counted(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(100, 0.01, BPK_FULL_ERROR);
    uint8_t changed = 2;
    uint64_t hash = t_hash(1, 1);
    for (int times = 1; times <= 14; times++) assert_int_equal(cbloom_add(c, hash), BPK_OK);
    assert_int_equal(bpk_cbloom_stuck(c), 0);
    assert_true(bpk_cbloom_count(c, hash).upper == 14);
    assert_int_equal(bpk_health(bpk_cbloom_base(c), NULL, NULL), BPK_HEALTH_OK);
    for (int times = 15; times <= 30; times++) {
        assert_int_equal(bpk_add(bpk_cbloom_base(c), &(bpk_items){.n = 1, .hash = &hash}, &changed, NULL), BPK_OK);
        assert_int_equal(changed, times == 15);
    }
    assert_int_equal(bpk_cbloom_stuck(c), 7);
    bpk_estimate e = bpk_cbloom_count(c, hash);
    assert_true(e.lower == 0 && e.estimate == 15 && e.upper == 0x1p64 && e.flags == BPK_SATURATED);
    assert_int_equal(bpk_health(bpk_cbloom_base(c), NULL, NULL), BPK_HEALTH_WARN);
    bpk_cbloom *back = reloaded(c, BPK_FORM_SMALL);
    assert_int_equal(bpk_cbloom_stuck(back), 7);
    for (int times = 0; times < 40; times++) assert_true(cbloom_remove(c, hash));
    assert_true(cbloom_has(c, hash)); /* for ever */
    assert_same(c, back);
    bpk_estimate none = bpk_cbloom_count(c, t_hash(1, 2));
    assert_true(none.upper == 0 && none.flags == BPK_EXACT);
    cbloom_free(c);
    cbloom_free(back);
}

/* ---- beside the classic filter ---- */

static void counters_in_use_are_the_bits_of_the_classic_filter(void **state) {
    (void)state;
    for (size_t r = 0; r < BPKI_COUNT(rates); r++)
        for (uint64_t n = 1; n <= 5000; n = n * 4 + 3) {
            const bpk_bloom_config cfg = {.items = n, .rate = rates[r], .layout = BPK_BLOOM_CLASSIC, .on_full = 1};
            const bpk_cbloom_config same = {.items = n, .rate = rates[r]};
            bpk_bloom *bits = NULL;
            bpk_cbloom *c = cbloom_new(n, rates[r], BPK_FULL_DEGRADE);
            bpk_bloom_shape shape;
            assert_int_equal(bpk_bloom_new(&bits, &cfg, NULL), BPK_OK);
            assert_int_equal(bpk_bloom_size(&shape, &cfg), BPK_OK);
            assert_int_equal(bpk_cbloom_bits(&same), 4 * shape.bits);
            for (uint64_t load = 0; load < 3; load++) {
                bpk_estimate x = bpk_bloom_items(bits, 0.9), y = bpk_cbloom_items(c, 0.9);
                assert_true(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper);
                assert_true(bpk_bloom_rate(bits) == bpk_cbloom_rate(c));
                assert_int_equal(bpk_health(bpk_bloom_base(bits), NULL, NULL),
                                 bpk_health(bpk_cbloom_base(c), NULL, NULL));
                for (uint64_t i = 0; i < 3000; i++) {
                    uint64_t hash = t_hash(1, i);
                    uint8_t in;
                    bpk_bloom_has(bits, &hash, 1, &in);
                    assert_int_equal(cbloom_has(c, hash), in);
                }
                t_add(bpk_bloom_base(bits), 1, load * n, load * n + n);
                t_add(bpk_cbloom_base(c), 1, load * n, load * n + n);
            }
            bpk_free(bpk_bloom_base(bits));
            cbloom_free(c);
        }
}

static void an_add_is_refused_exactly_when_the_counters_say_150_percent_and_removing_makes_room(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        uint64_t planned = round < 20 ? round + 1 : round * 20, refused = 0;
        bpki_filter p = {.layout = BPKI_FILTER_CLASSIC, .items = planned, .rate = 0.01};
        bpki_filter_size(&p);
        bpk_cbloom *c = cbloom_new(planned, 0.01, BPK_FULL_ERROR);
        for (uint64_t i = 0; i < 4 * planned; i++) {
            uint64_t hash = t_hash(900 + round, i);
            bool there = cbloom_has(c, hash);
            double rate = bpk_cbloom_rate(c), over = pow((double)bpki_filter_over_at(&p) / (double)p.units, p.k);
            bpk_status st = cbloom_add(c, hash);
            assert_int_equal(st, !there && rate >= over * (1 - 1e-12) ? BPK_E_FULL : BPK_OK);
            if (st == BPK_OK) continue;
            assert_false(cbloom_has(c, hash));
            refused++;
        }
        assert_true(refused > 0 || planned <= 20);
        assert_int_equal(cbloom_remove_many(c, 900 + round, 0, planned), 0);
        assert_int_equal(cbloom_add(c, t_hash(1, 1)), BPK_OK);
        cbloom_free(c);
    }
}

/* ---- merging ---- */

static void merged(bpk_cbloom *a, bpk_cbloom *b) {
    assert_int_equal(bpk_merge(bpk_cbloom_base(a), bpk_cbloom_base(b), NULL), BPK_OK);
}

/* Where one of both refuses, and wherever the union has been since. */
static void a_union_refuses_as_the_stricter_plan_does(void **state) {
    (void)state;
    for (unsigned strict_first = 0; strict_first < 2; strict_first++) {
        bpk_cbloom *strict = cbloom_new(1000, 0.01, BPK_FULL_ERROR), *mild = cbloom_new(1000, 0.01, BPK_FULL_DEGRADE);
        bpk_cbloom *sum = cbloom_copy(strict_first ? strict : mild), *copy;
        t_add(bpk_cbloom_base(mild), 1, 0, 1600);
        assert_int_equal(cbloom_add(mild, t_hash(2, 1)), BPK_OK);
        merged(sum, mild);
        merged(sum, strict);
        copy = cbloom_copy(sum);
        assert_int_equal(cbloom_add(sum, t_hash(3, 1)), BPK_E_FULL);
        assert_int_equal(cbloom_add(copy, t_hash(3, 1)), BPK_E_FULL);
        assert_int_equal(cbloom_add(sum, t_hash(2, 1)), BPK_OK); /* it is in */
        bpk_reset(bpk_cbloom_base(sum));
        assert_int_equal(cbloom_add(sum, t_hash(3, 1)), BPK_OK);
        cbloom_free(strict), cbloom_free(mild), cbloom_free(sum), cbloom_free(copy);
    }
}

/* Up to 20 copies of an item, so that some sums pass the end. */
static void a_union_equals_having_added_both_in_any_order_also_at_the_end_of_counters(void **state) {
    (void)state;
    for (size_t r = 0; r < BPKI_COUNT(rates); r++) {
        bpk_cbloom *all = cbloom_new(500, rates[r], BPK_FULL_DEGRADE), *part[3], *left, *right;
        for (int i = 0; i < 3; i++) part[i] = cbloom_copy(all);
        for (uint64_t i = 0; i < 1500; i++) {
            uint64_t hash = t_hash(4, i % 2 ? i % 300 : i % 30);
            assert_int_equal(cbloom_add(all, hash), BPK_OK);
            assert_int_equal(cbloom_add(part[t_hash(5, i) % 3], hash), BPK_OK);
        }
        assert_true(bpk_cbloom_stuck(all) > 0);
        left = cbloom_copy(part[0]), right = cbloom_copy(part[2]);
        merged(left, part[1]), merged(left, part[2]);
        merged(right, part[1]), merged(right, part[0]);
        assert_same(left, all);
        assert_same(right, all);
        assert_int_equal(bpk_cbloom_stuck(left), bpk_cbloom_stuck(all));
        assert_true(bpk_cbloom_rate(left) == bpk_cbloom_rate(all));
        merged(left, left); /* a sketch and itself are one */
        assert_same(left, all);
        for (int i = 0; i < 3; i++) cbloom_free(part[i]);
        cbloom_free(all), cbloom_free(left), cbloom_free(right);
    }
}

static void limits_hold_after_a_merge_and_removal_works_across_parts(void **state) {
    (void)state;
    bpk_cbloom *a = cbloom_new(1000, 0.01, BPK_FULL_ERROR), *b = cbloom_copy(a);
    t_add(bpk_cbloom_base(a), 1, 0, 500);
    for (int times = 0; times < 9; times++) t_add(bpk_cbloom_base(b), 1, 400, 600);
    merged(a, b);
    for (uint64_t i = 0; i < 600; i++) {
        bpk_estimate e = bpk_cbloom_count(a, t_hash(1, i));
        double truth = (i < 500) + (i >= 400 ? 9 : 0);
        assert_true(e.lower <= truth && truth <= e.upper);
    }
    assert_int_equal(cbloom_remove_many(a, 1, 0, 450), 0);
    assert_int_equal(cbloom_seen(a, 1, 400, 600), 200);
    cbloom_free(a);
    cbloom_free(b);
}

static void assert_refused(bpk_cbloom *a, bpk_cbloom *b, const char *field) {
    bpk_cbloom *a0 = cbloom_copy(a), *b0 = cbloom_copy(b);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_cbloom_base(a), bpk_cbloom_base(b), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, field);
    assert_same(a, a0), assert_same(b, b0);
    cbloom_free(a0), cbloom_free(b0);
}

static void a_filter_that_does_not_fit_is_named_and_changes_nothing(void **state) {
    (void)state;
    const bpk_cbloom_config other = {.domain = {.hash = BPK_HASH_XXH3, .seed = 7}, .items = 1000, .rate = 0.01};
    bpk_cbloom *one = cbloom_new(1000, 0.01, 0), *size = cbloom_new(1001, 0.01, 0), *hashes = cbloom_new(1000, 1e-4, 0);
    bpk_cbloom *seeded = NULL, *copy;
    assert_int_equal(bpk_cbloom_new(&seeded, &other, NULL), BPK_OK);
    t_add(bpk_cbloom_base(one), 1, 0, 900);
    assert_refused(one, size, "counters");
    assert_refused(one, hashes, "hashes");
    assert_refused(one, seeded, "seed");
    bpk_bloom *bits = NULL;
    bpk_err err;
    assert_int_equal(bpk_bloom_new(&bits, &(bpk_bloom_config){.items = 1000, .rate = 0.01, .layout = 1}, NULL), BPK_OK);
    assert_int_equal(bpk_merge(bpk_cbloom_base(one), bpk_bloom_base(bits), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "kind");
    /* Of both plans the stricter one, whatever the order. */
    copy = cbloom_copy(one);
    bpk_cbloom *lax = cbloom_new(1000, 0.01, BPK_FULL_DEGRADE);
    merged(copy, lax), merged(lax, one);
    assert_same(copy, lax);
    bpk_free(bpk_bloom_base(bits));
    cbloom_free(one), cbloom_free(size), cbloom_free(hashes), cbloom_free(seeded), cbloom_free(copy), cbloom_free(lax);
}

/* ---- bytes ---- */

static void form_small_is_less_than_half_of_form_view_at_the_plan_and_raw_beyond(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(10000, 0.01, BPK_FULL_DEGRADE);
    size_t view = bpk_encoded_size(bpk_cbloom_base(c), BPK_FORM_VIEW), small;
    assert_true(bpk_encoded_size(bpk_cbloom_base(c), BPK_FORM_SMALL) < view * 26 / 100);
    for (uint64_t load = 1; load <= 6; load++) {
        t_add(bpk_cbloom_base(c), 1, (load - 1) * 10000, load * 10000);
        small = bpk_encoded_size(bpk_cbloom_base(c), BPK_FORM_SMALL);
        print_message("%.0f x the plan: form small is %.1f %% of form view\n", (double)load,
                      100 * (double)small / (double)view);
        assert_true(load == 1 ? small < view * 44 / 100 : load < 5 ? small < view : small == view);
        bpk_cbloom *back = reloaded(c, BPK_FORM_SMALL);
        assert_same(c, back);
        cbloom_free(back);
    }
    cbloom_free(c);
}

static void put_f64(uint8_t *p, double v) {
    uint64_t u;
    memcpy(&u, &v, 8);
    t_store64(p, u);
}

/* Parameters begin at byte 32: k, on_full, coding, 5 zeros, counters, items, rate. */
static void assert_damage(const t_bytes *good, size_t at, const void *bytes, size_t n, bpk_status st,
                          const char *field) {
    t_bytes bad = t_dup(good);
    bpk_sketch *s = NULL;
    bpk_err err;
    bpk_view v;
    memcpy(bad.p + at, bytes, n);
    t_reseal(bad.p, bad.n);
    assert_int_equal(bpk_decode(&s, bad.p, bad.n, NULL, NULL, &err), st);
    assert_string_equal(err.field, field);
    assert_null(s);
    assert_null(bpk_view_open(&v, bad.p, bad.n, &err));
    free(bad.p);
}

static void parameters_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(1001, 0.01, 0);
    t_add(bpk_cbloom_base(c), 1, 0, 900);
    uint8_t word[8], zeros[8] = {0};
    const uint8_t none = 0, one = 1, two = 2, many = 65, high = 0xF0;
    for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
        t_bytes b = t_encode(bpk_cbloom_base(c), (bpk_form)form);
        assert_damage(&b, 32, &none, 1, BPK_E_CORRUPT, "hashes");
        assert_damage(&b, 32, &many, 1, BPK_E_CORRUPT, "hashes");
        assert_damage(&b, 33, &two, 1, BPK_E_CORRUPT, "on_full");
        assert_damage(&b, 34, &two, 1, BPK_E_VERSION, "coding");
        if (form == BPK_FORM_VIEW) assert_damage(&b, 34, &one, 1, BPK_E_CORRUPT, "coding");
        else assert_damage(&b, 34, &none, 1, BPK_E_CORRUPT, "body");
        for (size_t i = 35; i < 40; i++) assert_damage(&b, i, &one, 1, BPK_E_CORRUPT, "reserved");
        assert_damage(&b, 40, zeros, 8, BPK_E_CORRUPT, "counters");
        for (int shift = 20; shift < 64; shift++) {
            t_store64(word, UINT64_C(1) << shift);
            assert_damage(&b, 40, word, 8, BPK_E_CORRUPT, shift <= 54 ? "body" : "counters");
        }
        assert_damage(&b, 48, zeros, 8, BPK_E_CORRUPT, "items");
        t_store64(word, UINT64_MAX);
        assert_damage(&b, 48, word, 8, BPK_E_CORRUPT, "items");
        const double wrong[] = {0, -0.01, 0.6, NAN, INFINITY, 1e-16};
        for (size_t i = 0; i < BPKI_COUNT(wrong); i++) {
            put_f64(word, wrong[i]);
            assert_damage(&b, 56, word, 8, BPK_E_CORRUPT, "rate");
        }
        if (form == BPK_FORM_VIEW) assert_damage(&b, b.n - 9, &high, 1, BPK_E_CORRUPT, "spare counters");
        else assert_damage(&b, b.n - 9, &none, 1, BPK_E_CORRUPT, "counters");
        free(b.p);
    }
    cbloom_free(c);
}

static void another_spelling_of_the_same_counters_is_refused(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(100, 0.01, 0);
    bpk_sketch *s = NULL;
    bpk_err err;
    t_add(bpk_cbloom_base(c), 1, 0, 100);
    t_bytes raw = t_encode_raw(bpk_cbloom_base(c)); /* where unary is shorter */
    assert_int_equal(bpk_decode(&s, raw.p, raw.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "coding");
    t_bytes small = t_encode(bpk_cbloom_base(c), BPK_FORM_SMALL);
    for (size_t at = 64; at < small.n - 8; at++) { /* sixteen zeros are no counter, and less than a byte may follow */
        t_bytes bad = t_dup(&small);
        bad.p[at] = 0;
        if (at + 1 < small.n - 8) bad.p[at + 1] = 0;
        t_reseal(bad.p, bad.n);
        assert_int_equal(bpk_decode(&s, bad.p, bad.n, NULL, NULL, &err), BPK_E_CORRUPT);
        free(bad.p);
    }
    free(raw.p), free(small.p), cbloom_free(c);
}

static void damaged_bytes_are_refused_or_are_a_filter(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 9; n += 4)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_cbloom *c = cbloom_new(n, 0.01, 0);
            t_add(bpk_cbloom_base(c), 1, 0, n);
            t_bytes b = t_encode(bpk_cbloom_base(c), (bpk_form)form);
            t_assert_damage_refused(b);
            for (size_t bit = 8 * 32; bit < 8 * (b.n - 8); bit++) {
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
                t_reseal(b.p, b.n);
                t_refused_or_canonical(b.p, b.n);
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            t_reseal(b.p, b.n);
            t_decode_without_memory(&b);
            free(b.p);
            cbloom_free(c);
        }
}

static void a_view_answers_as_the_filter_at_any_address(void **state) {
    (void)state;
    bpk_cbloom *c = cbloom_new(500, 0.01, BPK_FULL_ERROR);
    bpk_view v;
    t_add(bpk_cbloom_base(c), 1, 0, 400);
    t_bytes b = t_encode(bpk_cbloom_base(c), BPK_FORM_VIEW);
    uint8_t *odd = malloc(b.n + 1);
    memcpy(odd + 1, b.p, b.n);
    const bpk_cbloom *seen = bpk_as_cbloom(bpk_view_open(&v, odd + 1, b.n, NULL));
    assert_non_null(seen);
    for (uint64_t i = 0; i < 3000; i++) {
        bpk_estimate x = bpk_cbloom_count(c, t_hash(1, i)), y = bpk_cbloom_count(seen, t_hash(1, i));
        assert_true(x.estimate == y.estimate && x.flags == y.flags);
        assert_int_equal(cbloom_has(c, t_hash(1, i)), cbloom_has(seen, t_hash(1, i)));
    }
    assert_true(bpk_cbloom_rate(c) == bpk_cbloom_rate(seen));
    assert_int_equal(bpk_cbloom_stuck(c), bpk_cbloom_stuck(seen));
    assert_null(bpk_as_bloom((const bpk_sketch *)seen));
    free(odd), free(b.p), cbloom_free(c);
}

/* ---- making ---- */

static void configurations_out_of_range_are_refused_by_name(void **state) {
    (void)state;
    const bpk_cbloom_config bad[] = {{.items = 0, .rate = 0.01},
                                     {.items = (UINT64_C(1) << 48) + 1, .rate = 0.01},
                                     {.items = 10, .rate = 0},
                                     {.items = 10, .rate = 0.51},
                                     {.items = 10, .rate = NAN},
                                     {.items = 2400, .rate = 1e-15},
                                     {.items = 10, .rate = 0.01, .on_full = 2},
                                     {.domain = {.hash = 99}, .items = 10, .rate = 0.01}};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_cbloom *c = NULL;
        assert_int_equal(bpk_cbloom_new(&c, &bad[i], NULL), BPK_E_ARG);
        assert_null(c);
        if (!bad[i].domain.hash) assert_int_equal(bpk_cbloom_bits(&bad[i]), 0);
    }
    static const char *const text[][3] = {{"items", "0", "items"},
                                          {"rate", "2", "rate"},
                                          {"rate", "x", "rate"},
                                          {"on_full", "x", "on_full"},
                                          {"layout", "classic", "layout"}};
    bpk_sketch *s = NULL;
    bpk_err err;
    for (size_t i = 0; i < BPKI_COUNT(text); i++) {
        const bpk_param p[] = {{text[i][0], text[i][1]}, {"items", "1000"}};
        assert_int_equal(bpk_new(&s, "cbloom", NULL, p, i ? 2 : 1, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, text[i][2]);
    }
    assert_int_equal(bpk_new(&s, "cbloom", NULL, NULL, 0, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "items");
}

static void a_filter_over_the_limit_is_refused_before_any_memory_is_asked_for(void **state) {
    (void)state;
    t_env t;
    bpk_cbloom *c = NULL;
    t_env_init(&t, 0);
    t.env.max_bytes = 1 << 20;
    for (uint64_t items = 1000000; items <= UINT64_C(1) << 48; items <<= 7) {
        assert_int_equal(bpk_cbloom_new(&c, &(bpk_cbloom_config){.items = items, .rate = 0.01}, &t.env), BPK_E_LIMIT);
        assert_int_equal(t.held, 0);
    }
    /* A small body may stand for one four times as large. */
    bpk_cbloom *empty = cbloom_new(300000, 0.01, 0);
    bpk_sketch *s = NULL;
    t_bytes b = t_encode(bpk_cbloom_base(empty), BPK_FORM_SMALL);
    assert_true(b.n < 1 << 20);
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &t.env, NULL), BPK_E_LIMIT);
    assert_true(t.held == 0 && !s);
    free(b.p), cbloom_free(empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_random_adds_and_removes_never_lose_an_item),
        cmocka_unit_test(what_was_removed_has_never_been_there),
        cmocka_unit_test(what_is_certainly_absent_is_refused_counted_and_changes_nothing),
        cmocka_unit_test(an_item_whose_positions_fall_together_counts_once),
        cmocka_unit_test(a_batch_is_the_same_as_one_by_one_also_with_duplicates_inside),
        cmocka_unit_test(a_counter_at_15_stays_and_is_counted),
        cmocka_unit_test(counters_in_use_are_the_bits_of_the_classic_filter),
        cmocka_unit_test(an_add_is_refused_exactly_when_the_counters_say_150_percent_and_removing_makes_room),
        cmocka_unit_test(a_union_refuses_as_the_stricter_plan_does),
        cmocka_unit_test(a_union_equals_having_added_both_in_any_order_also_at_the_end_of_counters),
        cmocka_unit_test(limits_hold_after_a_merge_and_removal_works_across_parts),
        cmocka_unit_test(a_filter_that_does_not_fit_is_named_and_changes_nothing),
        cmocka_unit_test(form_small_is_less_than_half_of_form_view_at_the_plan_and_raw_beyond),
        cmocka_unit_test(parameters_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(another_spelling_of_the_same_counters_is_refused),
        cmocka_unit_test(damaged_bytes_are_refused_or_are_a_filter),
        cmocka_unit_test(a_view_answers_as_the_filter_at_any_address),
        cmocka_unit_test(configurations_out_of_range_are_refused_by_name),
        cmocka_unit_test(a_filter_over_the_limit_is_refused_before_any_memory_is_asked_for),
    };
    return cmocka_run_group_tests_name("cbloom", tests, NULL, NULL);
}
