/* test_cms_decay.c - count-min with a half-life: never under the exact decayed weight, lower limits, idling, merges of
 * different times, what is refused; and halving by hand. */
#include "t_decay.h"

#include "cms_state.h"

enum { KEYS = 2000, STEPS = 1000000 };

static bpk_cms *new_cms(uint32_t width, uint32_t depth, uint8_t cell_bytes, bool conservative, uint64_t half_life) {
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {
        .width = width, .depth = depth, .cell_bytes = cell_bytes, .conservative = conservative, .half_life = half_life};
    assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
    return c;
}
static void drop(bpk_cms *c) {
    bpk_free(bpk_cms_base(c));
}

/* Every key against the truth: upper limits always, lower ones but for what the confidence leaves. */
static void check(const bpk_cms *c, const t_decayed *d) {
    bpk_noise noise;
    bpk_estimate all;
    size_t below = 0;
    const long double last = 1e-12L;
    bpk_cms_noise(c, &noise);
    for (uint32_t i = 0; i < d->world.n; i++) {
        bpk_estimate e = bpk_cms_count(c, d->world.hash[i], &noise, 0.95);
        t_assert_sound(&e);
        if ((long double)e.upper < d->weight[i] * (1 - last))
            fail_msg("key %u: truth %.15Lg above %.15g", i, d->weight[i], e.upper);
        if (!(e.flags & BPK_BELOW_NOISE)) assert_true((long double)e.estimate >= d->weight[i] * (1 - last));
        below += (long double)e.lower > d->weight[i] * (1 + last);
    }
    assert_true(below <= d->world.n / 20);
    assert_int_equal(bpk_count((const bpk_sketch *)c, NULL, 0, 0, &all, NULL), BPK_OK);
    t_between(&all, d->total, "total", 0);
    assert_true((long double)noise.total >= d->total && noise.median <= noise.p99);
}

static void never_under_the_truth_over_a_million_steps_with_pauses_and_late_items(void **state) {
    (void)state;
    static const struct {
        uint64_t half_life, step;
        unsigned bits;
        uint32_t width;
        uint8_t cell;
    } runs[] = {{1, 0, 0, 500, 8},        {7, 1, 10, 3000, 8},      {1000, 3, 0, 300, 4},
                {50000, 1000, 20, 60, 8}, {1000000, 7, 0, 6000, 8}, {UINT64_C(1) << 56, UINT64_C(1) << 42, 4, 1000, 8}};
    for (size_t run = 0; run < BPKI_COUNT(runs); run++)
        for (int conservative = 0; conservative < 2; conservative++) {
            bpk_cms *c = new_cms(runs[run].width, 4, runs[run].cell, conservative, runs[run].half_life);
            t_decayed d = t_decayed_new(KEYS, runs[run].half_life);
            t_decaying s = {{run}, t_zipf_of(KEYS, 1.0), runs[run].bits, 1000000, runs[run].step};
            uint32_t id[T_BATCH];
            uint64_t weight[T_BATCH];
            for (size_t done = 0, batch = 0; done < STEPS; batch++) {
                size_t n = 1 + t_below(&s.r, T_BATCH);
                uint64_t now = t_decaying_next(&s, &d, id, weight, n);
                t_decayed_add(&d, bpk_cms_base(c), id, weight, n, now);
                done += n;
                if (batch % 97 == 0) check(c, &d);
                if (batch % 1000 == 0) c = (bpk_cms *)t_reload(bpk_cms_base(c));
            }
            assert_true(c->time.now == d.now);
            drop(c);
            t_decayed_free(&d);
        }
}

static void add_at(bpk_cms *c, t_decayed *d, uint32_t id, uint64_t weight, uint64_t now) {
    t_decayed_add(d, bpk_cms_base(c), &id, &weight, 1, now);
}

static bpk_estimate ask(const bpk_cms *c, const t_decayed *d, uint32_t id) {
    bpk_noise none = {0};
    return bpk_cms_count(c, d->world.hash[id], &none, 0.95);
}

static void a_count_halves_every_half_life_and_its_limits_stay_close(void **state) {
    (void)state;
    for (int conservative = 0; conservative < 2; conservative++) {
        bpk_cms *c = new_cms(2000, 3, 8, conservative, 100);
        t_decayed d = t_decayed_new(4, 100);
        add_at(c, &d, 0, 1000, 5000);
        for (int i = 0; i <= 8; i++) {
            bpk_advance(bpk_cms_base(c), 5000 + 100 * (uint64_t)i);
            t_decayed_advance(&d, 5000 + 100 * (uint64_t)i);
            bpk_estimate e = ask(c, &d, 0);
            t_between(&e, d.weight[0], "key", 0);
            assert_true(e.upper - e.lower < 0.3);
        }
        drop(c);
        t_decayed_free(&d);
    }
}

/* A backfill of what is long past counts as next to nothing, and the lower limits know that it is not that. */
static void late_items_are_rounded_up_and_lower_limits_know_it(void **state) {
    (void)state;
    bpk_cms *c = new_cms(2000, 3, 8, 1, 10);
    t_decayed d = t_decayed_new(4, 10);
    add_at(c, &d, 0, 100, 100000);
    for (int i = 0; i < 100000; i++) add_at(c, &d, 1, 1, 10);
    bpk_estimate old = ask(c, &d, 1), fresh = ask(c, &d, 0);
    assert_true(old.lower == 0 && old.upper > 20 && old.upper < 25); /* 100,000 / 4,096 */
    t_between(&old, d.weight[1], "key", 1);
    t_between(&fresh, d.weight[0], "key", 0);
    assert_int_equal(c->time.now, 100000);
    bpk_advance(bpk_cms_base(c), 100100);
    t_decayed_advance(&d, 100100);
    assert_true(ask(c, &d, 1).upper < 0.03 && c->rounding < 110);
    drop(c);
    t_decayed_free(&d);
}

static void idling_for_any_time_leaves_a_unit_and_faults_nowhere(void **state) {
    (void)state;
    static const uint64_t half_lives[] = {1, 40, 63, 64, 65, 100, 1000000000};
    for (size_t i = 0; i < BPKI_COUNT(half_lives); i++)
        for (int conservative = 0; conservative < 2; conservative++) {
            bpk_cms *c = new_cms(50, 3, 4, conservative, 100);
            t_decayed d = t_decayed_new(200, 100);
            for (uint32_t j = 0; j < 1000; j++) add_at(c, &d, j % 200, 1 + j % 7, 1 + j / 10);
            bpk_advance(bpk_cms_base(c), 100 + 100 * half_lives[i]);
            t_decayed_advance(&d, 100 + 100 * half_lives[i]);
            check(c, &d);
            if (half_lives[i] >= 40) assert_true(bpk_cms_total(c) == 1 && ask(c, &d, 3).upper < 0.0003);
            c = (bpk_cms *)t_reload(bpk_cms_base(c));
            add_at(c, &d, 3, 1, 200 + 100 * half_lives[i]);
            check(c, &d);
            bpk_advance(bpk_cms_base(c), UINT64_MAX);
            t_decayed_advance(&d, UINT64_MAX);
            check(c, &d);
            assert_true(c->time.now == UINT64_MAX);
            drop(c);
            t_decayed_free(&d);
        }
}

enum { PARTS = 3 };

static void parts_of_different_times_merge_to_the_latest_in_any_order(void **state) {
    (void)state;
    for (int conservative = 0; conservative < 2; conservative++) {
        bpk_cms *part[PARTS];
        t_decayed d = t_decayed_new(KEYS, 300);
        t_decaying s = {{11}, t_zipf_of(KEYS, 1.0), 6, 100000, 3};
        uint32_t id[T_BATCH];
        uint64_t weight[T_BATCH];
        for (size_t i = 0; i < PARTS; i++) part[i] = new_cms(400, 3, 8, conservative, 300);
        for (size_t b = 0; b < 1200; b++) {
            uint64_t now = t_decaying_next(&s, &d, id, weight, T_BATCH);
            t_decayed_add(&d, bpk_cms_base(part[b > 600 && b % PARTS == 1 ? 0 : b % PARTS]), id, weight, T_BATCH, now);
        }
        bpk_sketch *all[2] = {NULL, NULL};
        const bpk_sketch *const in[] = {bpk_cms_base(part[0]), bpk_cms_base(part[1]), bpk_cms_base(part[2])};
        const bpk_sketch *const turned[] = {in[1], in[2], in[0]};
        assert_int_equal(bpk_merge_many(&all[0], in, PARTS, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_merge_many(&all[1], turned, PARTS, NULL, NULL), BPK_OK);
        check(bpk_as_cms(all[0]), &d);
        check(bpk_as_cms(all[1]), &d);
        t_assert_same_bytes(all[0], all[1]);
        bpk_free(all[0]), bpk_free(all[1]);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(bpk_copy(&all[i], in[i], NULL), BPK_OK);
            assert_int_equal(bpk_merge(all[i], in[1 - i], NULL), BPK_OK);
        }
        t_assert_same_bytes(all[0], all[1]);
        bpk_free(all[0]), bpk_free(all[1]);
        for (size_t i = 0; i < PARTS; i++) drop(part[i]);
        t_decayed_free(&d);
    }
}

static void other_half_lives_are_refused_by_name(void **state) {
    (void)state;
    bpk_cms *a = new_cms(10, 3, 8, 1, 10), *b = new_cms(10, 3, 8, 1, 0);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_cms_base(a), bpk_cms_base(b), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "half_life");
    assert_true(strcmp(err.mine, "10") == 0 && strcmp(err.other, "0") == 0);
    drop(a), drop(b);
}

static void what_decays_cannot_be_taken_away_or_multiplied_and_says_why(void **state) {
    (void)state;
    bpk_cms *a = new_cms(10, 3, 8, 0, 10), *b = new_cms(10, 3, 8, 0, 10);
    uint64_t hash = 7;
    int64_t by = 1;
    bpk_err err;
    bpk_estimate e;
    assert_int_equal(bpk_cms_adjust(a, &hash, &by, NULL, 1, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "its counts decay");
    assert_int_equal(bpk_cms_combine(a, b, -1, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "counts that decay are rounded");
    assert_int_equal(bpk_cms_inner(a, b, &e, &err), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_cms_halve(a, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "it decays by itself");
    assert_false(bpk_splittable(bpk_cms_base(a)));
    drop(a), drop(b);
}

static void cells_have_8_bytes_or_4_and_what_comes_to_their_end_stays_there(void **state) {
    (void)state;
    bpk_sketch *s = NULL;
    bpk_err err;
    for (int cell = 1; cell <= 2; cell++) {
        const bpk_param p[] = {{"half_life", "60"}, {"width", "10"}, {"cell_bytes", cell == 1 ? "1" : "2"}};
        assert_int_equal(bpk_new(&s, "cms", NULL, p, 3, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, "cell_bytes");
        bpk_cms *c = NULL;
        const bpk_cms_config cfg = {.width = 10, .depth = 2, .cell_bytes = (uint8_t)cell, .half_life = 60};
        assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_E_ARG);
    }
    const bpk_param p[] = {{"half_life", "60"}, {"width", "10"}};
    bpk_cms *c = new_cms(10, 3, 8, 1, 60);
    assert_int_equal(bpk_new(&s, "cms", NULL, p, 2, NULL, NULL), BPK_OK);
    t_assert_same_bytes(s, bpk_cms_base(c));
    bpk_free(s);
    drop(c);
    c = new_cms(50, 3, 4, 1, 10);
    t_decayed d = t_decayed_new(2, 10);
    add_at(c, &d, 0, 524287, 19); /* the last tick of an epoch */
    assert_false(ask(c, &d, 0).flags & BPK_SATURATED);
    add_at(c, &d, 0, 524287, 19);
    assert_true(ask(c, &d, 0).flags & BPK_SATURATED);
    bpk_advance(bpk_cms_base(c), 1000);
    bpk_estimate e = ask(c, &d, 0);
    assert_true(e.flags & BPK_SATURATED && e.upper == 0x1p64 && e.lower == 0);
    drop(c);
    t_decayed_free(&d);
}

/* Its row then adds up to more than the total. */
static void a_cell_at_its_end_is_read_again_while_the_total_is_halved(void **state) {
    (void)state;
    for (uint8_t conservative = 0; conservative <= 1; conservative++) {
        bpk_cms *c = new_cms(50, 3, 4, conservative, 10);
        const bpk_items it = {.n = 1, .hash = &(uint64_t){1}, .weight = &(uint64_t){2000000}};
        assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
        for (uint64_t now = 0; now < 1000; now += 7) {
            bpk_advance(bpk_cms_base(c), now);
            c = (bpk_cms *)t_reload(bpk_cms_base(c));
        }
        drop(c);
    }
    bpk_cms *c = new_cms(50, 3, 1, 1, 0);
    const bpk_items it = {.n = 1, .hash = &(uint64_t){1}, .weight = &(uint64_t){300}};
    assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(bpk_cms_halve(c, NULL), BPK_OK);
        c = (bpk_cms *)t_reload(bpk_cms_base(c));
    }
    drop(c);
}

static void halving_by_hand_keeps_upper_limits_and_the_order_of_counts(void **state) {
    (void)state;
    for (uint8_t cell = 1; cell <= 8; cell *= 2) {
        bpk_cms *c = new_cms(3000, 3, cell, 1, 0);
        t_world w = t_world_new(100);
        double truth[100] = {0};
        for (int round = 0; round < 5; round++) {
            for (uint32_t i = 0; i < 100; i++) {
                bpk_items it = {.n = 1, .hash = &w.hash[i], .weight = &(uint64_t){i}};
                assert_int_equal(bpk_add(bpk_cms_base(c), &it, NULL, NULL), BPK_OK);
                truth[i] += i;
            }
            uint64_t total = bpk_cms_total(c);
            assert_int_equal(bpk_cms_halve(c, NULL), BPK_OK);
            assert_int_equal(bpk_cms_total(c), total / 2);
            c = (bpk_cms *)t_reload(bpk_cms_base(c));
            bpk_noise noise;
            bpk_cms_noise(c, &noise);
            for (uint32_t i = 0; i < 100; i++) {
                truth[i] /= 2;
                bpk_estimate e = bpk_cms_count(c, w.hash[i], &noise, 0.95);
                t_assert_sound(&e);
                assert_true(e.upper >= truth[i] && e.estimate > truth[i] - 1 && e.lower <= truth[i] &&
                            !(e.flags & BPK_EXACT));
            }
        }
        drop(c);
        t_world_free(&w);
    }
}

static void halved_ones_merge_and_say_so_plain_ones_are_not_halved(void **state) {
    (void)state;
    bpk_cms *plain = new_cms(20, 3, 4, 0, 0), *a = new_cms(20, 3, 1, 1, 0), *b = new_cms(20, 3, 1, 1, 0);
    bpk_err err;
    assert_int_equal(bpk_cms_halve(plain, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "plain rows would not add up any more");
    uint64_t hash = t_hash(1, 1), many = 300;
    bpk_items it = {.n = 1, .hash = &hash, .weight = &many};
    assert_int_equal(bpk_add(bpk_cms_base(a), &it, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_cms_halve(a, NULL), BPK_OK);
    bpk_estimate e, all;
    assert_int_equal(bpk_count(bpk_cms_base(a), &hash, 1, 0, &e, NULL), BPK_OK);
    assert_true(e.flags & BPK_SATURATED && e.upper == 0x1p64); /* its cell stays at its end */
    assert_int_equal(bpk_cms_halve(b, NULL), BPK_OK);
    assert_int_equal(bpk_merge(bpk_cms_base(a), bpk_cms_base(b), NULL), BPK_OK);
    assert_int_equal(a->rounding, 2);
    assert_int_equal(bpk_count(bpk_cms_base(a), NULL, 0, 0, &all, NULL), BPK_OK);
    assert_true(all.lower == 150 && all.upper == 152 && !(all.flags & BPK_EXACT));
    bpk_reset(bpk_cms_base(a));
    bpk_reset(bpk_cms_base(b));
    assert_int_equal(a->rounding, 0);
    t_assert_same_bytes(bpk_cms_base(a), bpk_cms_base(b));
    drop(plain), drop(a), drop(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_halves_every_half_life_and_its_limits_stay_close),
        cmocka_unit_test(late_items_are_rounded_up_and_lower_limits_know_it),
        cmocka_unit_test(idling_for_any_time_leaves_a_unit_and_faults_nowhere),
        cmocka_unit_test(parts_of_different_times_merge_to_the_latest_in_any_order),
        cmocka_unit_test(other_half_lives_are_refused_by_name),
        cmocka_unit_test(what_decays_cannot_be_taken_away_or_multiplied_and_says_why),
        cmocka_unit_test(cells_have_8_bytes_or_4_and_what_comes_to_their_end_stays_there),
        cmocka_unit_test(a_cell_at_its_end_is_read_again_while_the_total_is_halved),
        cmocka_unit_test(halving_by_hand_keeps_upper_limits_and_the_order_of_counts),
        cmocka_unit_test(halved_ones_merge_and_say_so_plain_ones_are_not_halved),
        cmocka_unit_test(never_under_the_truth_over_a_million_steps_with_pauses_and_late_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
