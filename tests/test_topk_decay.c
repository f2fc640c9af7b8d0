/* test_topk_decay.c - top-k with a half-life: limits against exact decayed weights, time that only goes forward,
 * idling, merges of different times, names. */
#include "t_decay.h"

#include "topk_state.h"

enum { KEYS = 3000, STEPS = 1000000 };

static bpk_topk *new_topk(uint32_t k, uint32_t entries, uint64_t half_life) {
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = k, .entries = entries, .half_life = half_life};
    assert_int_equal(bpk_topk_new(&t, &cfg, NULL), BPK_OK);
    return t;
}
static void drop(bpk_topk *t) {
    bpk_free(bpk_topk_base(t));
}

static int descending(const void *a, const void *b) {
    long double x = *(const long double *)a, y = *(const long double *)b;
    return (x < y) - (x > y);
}

typedef struct judged {
    size_t rows, right, certain; /* right: among as many largest */
} judged;

/* The row's key is there, its limits hold, and a certain one is right. */
static void check_row(const bpk_row *row, const t_decayed *d, const long double *ranked, judged *j) {
    assert_non_null(row->key);
    uint32_t id = t_key_id(row->key);
    bool right = d->weight[id] >= ranked[j->rows - 1] * (1 - 1e-12L);
    t_between(&row->count, d->weight[id], "row of", id);
    if (row->certain) assert_true(right);
    j->right += right;
    j->certain += row->certain;
}

/* Every limit of every key; the rows, the ceiling, the total. */
static judged check(const bpk_topk *t, const t_decayed *d) {
    bpk_row rows[200];
    size_t n = 0;
    uint64_t ceiling;
    bpk_estimate all;
    long double *ranked = malloc(d->world.n * sizeof *ranked);
    memcpy(ranked, d->weight, d->world.n * sizeof *ranked);
    qsort(ranked, d->world.n, sizeof *ranked, descending);
    for (uint32_t i = 0; i < d->world.n; i++) {
        bpk_estimate e = bpk_topk_count(t, d->world.hash[i]);
        t_between(&e, d->weight[i], "key", i);
    }
    assert_int_equal(bpk_topk_list(t, rows, 200, &n, &ceiling), BPK_OK);
    judged j = {n, 0, 0};
    for (size_t i = 0; i < n; i++) {
        check_row(&rows[i], d, ranked, &j);
        assert_true(i == 0 || rows[i].count.estimate <= rows[i - 1].count.estimate);
    }
    for (uint32_t i = 0; i < d->world.n; i++)
        if (bpk_topk_count(t, d->world.hash[i]).lower == 0) assert_true(d->weight[i] <= (long double)ceiling);
    assert_int_equal(bpk_count((const bpk_sketch *)t, NULL, 0, 0, &all, NULL), BPK_OK);
    t_between(&all, d->total, "total", 0);
    assert_true((long double)bpk_topk_total(t) >= d->total && (double)bpk_topk_total(t) < all.upper + 1);
    free(ranked);
    return j;
}

static void limits_hold_over_a_million_steps_with_pauses_and_late_items(void **state) {
    (void)state;
    static const struct {
        uint64_t half_life, step;
        unsigned bits;
        uint32_t entries;
    } runs[] = {{1, 0, 0, 144},
                {7, 1, 10, 0},
                {1000, 3, 0, 72},
                {50000, 1000, 20, 288},
                {1000000, 7, 0, 0},
                {UINT64_C(1) << 40, UINT64_C(1) << 36, 30, 144},
                {UINT64_C(1) << 56, UINT64_C(1) << 42, 4, 72}};
    for (size_t run = 0; run < BPKI_COUNT(runs); run++) {
        bpk_topk *t = new_topk(20, runs[run].entries, runs[run].half_life);
        t_decayed d = t_decayed_new(KEYS, runs[run].half_life);
        t_decaying s = {{run}, t_zipf_of(KEYS, 1.0), runs[run].bits, 1000000, runs[run].step};
        uint32_t id[T_BATCH];
        uint64_t weight[T_BATCH];
        judged all = {0, 0, 0};
        size_t checks = 0;
        for (size_t done = 0, batch = 0; done < STEPS; batch++) {
            size_t n = 1 + t_below(&s.r, T_BATCH);
            uint64_t now = t_decaying_next(&s, &d, id, weight, n);
            t_decayed_add(&d, bpk_topk_base(t), id, weight, n, now);
            done += n;
            if (batch % 97) continue;
            judged j = check(t, &d);
            all = (judged){all.rows + j.rows, all.right + j.right, all.certain + j.certain};
            checks++;
        }
        print_message("half-life %.0f, %u entries: %zu checks of all keys; of %zu rows %.3f right, %.2f certain\n",
                      (double)runs[run].half_life, runs[run].entries, checks, all.rows,
                      (double)all.right / (double)all.rows, (double)all.certain / (double)all.rows);
        assert_true(t->time.now == d.now && checks > 50);
        assert_true((double)all.right > (runs[run].entries ? 0.8 : 0.95) * (double)all.rows);
        drop(t);
        t_decayed_free(&d);
    }
}

static void add_at(bpk_topk *t, t_decayed *d, uint32_t id, uint64_t weight, uint64_t now) {
    t_decayed_add(d, bpk_topk_base(t), &id, &weight, 1, now);
}

static void a_weight_halves_every_half_life(void **state) {
    (void)state;
    bpk_topk *t = new_topk(3, 0, 100);
    t_decayed d = t_decayed_new(4, 100);
    add_at(t, &d, 0, 1000, 5000);
    for (int i = 0; i <= 8; i++) {
        bpk_advance(bpk_topk_base(t), 5000 + 100 * (uint64_t)i);
        bpk_estimate e = bpk_topk_count(t, d.world.hash[0]);
        assert_true(fabs(e.estimate - ldexp(1000, -i)) <= 0.01 && e.upper - e.lower < 0.5);
    }
    drop(t);
    t_decayed_free(&d);
}

static void time_never_goes_back_and_a_late_item_weighs_what_is_left_of_it(void **state) {
    (void)state;
    bpk_topk *t = new_topk(3, 18, 10);
    t_decayed d = t_decayed_new(60, 10);
    add_at(t, &d, 0, 8, 1000);
    add_at(t, &d, 1, 8, 990); /* one half-life old */
    add_at(t, &d, 2, 1, 10);  /* under a unit by far */
    assert_int_equal(t->time.now, 1000);
    bpk_advance(bpk_topk_base(t), 999);
    assert_int_equal(t->time.now, 1000);
    bpk_estimate half = bpk_topk_count(t, d.world.hash[1]), old = bpk_topk_count(t, d.world.hash[2]);
    assert_true(fabs(half.estimate - 4) < 0.01);
    assert_true(old.lower == 0 && old.upper > 0 && old.upper < 0.001);
    for (uint32_t i = 3; i < 60; i++) add_at(t, &d, i, i, 500 + 9 * i);
    check(t, &d);
    drop(t);
    t_decayed_free(&d);
}

static void advancing_is_an_empty_batch_and_nothing_to_other_kinds(void **state) {
    (void)state;
    bpk_topk *a = new_topk(3, 18, 10), *b = new_topk(3, 18, 10);
    t_decayed d = t_decayed_new(60, 10);
    for (uint32_t i = 0; i < 60; i++) add_at(a, &d, i, i, i), add_at(b, &d, i, i, i);
    bpk_advance(bpk_topk_base(a), 333);
    assert_int_equal(bpk_add(bpk_topk_base(b), &(bpk_items){.now = 333}, NULL, NULL), BPK_OK);
    t_assert_same_bytes(bpk_topk_base(a), bpk_topk_base(b));
    assert_int_equal(bpk_add(bpk_topk_base(b), &(bpk_items){.now = 0}, NULL, NULL), BPK_OK);
    t_assert_same_bytes(bpk_topk_base(a), bpk_topk_base(b));
    const char *kind;
    for (size_t i = 0; (kind = bpk_kind_at(i, NULL)); i++) {
        static const bpk_param items[] = {{"items", "10"}};
        bpk_sketch *s = NULL, *copy = NULL;
        if (strcmp(kind, "limit") == 0 || strcmp(kind, "window") == 0) continue; /* they always know time */
        if (bpk_new(&s, kind, NULL, NULL, 0, NULL, NULL) != BPK_OK)
            assert_int_equal(bpk_new(&s, kind, NULL, items, 1, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_copy(&copy, s, NULL), BPK_OK);
        bpk_advance(s, UINT64_MAX);
        t_assert_same_bytes(s, copy);
        bpk_free(s), bpk_free(copy);
    }
    drop(a), drop(b);
    t_decayed_free(&d);
}

/* An hour at once, or minute by minute: within two units of a light cell, and both hold. */
static void ageing_in_steps_is_ageing_at_once_but_for_two_units(void **state) {
    (void)state;
    bpk_topk *once = new_topk(10, 72, 50), *steps = new_topk(10, 72, 50);
    t_decayed d = t_decayed_new(KEYS, 50);
    t_decaying s = {{4}, t_zipf_of(KEYS, 1.0), 8, 500, 1};
    uint32_t id[T_BATCH];
    uint64_t weight[T_BATCH];
    for (int i = 0; i < 200; i++) {
        uint64_t now = t_decaying_next(&s, &d, id, weight, T_BATCH);
        t_decayed_add(&d, bpk_topk_base(once), id, weight, T_BATCH, now);
        t_decayed_add(&d, bpk_topk_base(steps), id, weight, T_BATCH, now);
    }
    t_decayed_free(&d);
    uint64_t from = once->time.now;
    for (uint64_t i = 1; i <= 7; i++) bpk_advance(bpk_topk_base(steps), from + 50 * i);
    bpk_advance(bpk_topk_base(once), from + 350);
    assert_int_equal(once->light.cell_bytes, steps->light.cell_bytes);
    for (uint32_t r = 0; r < TOPK_ROWS; r++)
        for (size_t i = 0; i < once->light.width; i++) {
            uint64_t a = bpki_cells_get(&once->light, r, i), b = bpki_cells_get(&steps->light, r, i);
            assert_true(b >= a && b - a <= 2);
        }
    for (size_t at = 0; at < topk_buckets(&once->shape); at++)
        for (unsigned j = 0; j < TOPK_WAYS; j++)
            assert_int_equal(topk_score(topk_bucket_at(once, at), j), topk_score(topk_bucket_at(steps, at), j));
    drop(once), drop(steps);
}

static void idling_for_any_time_leaves_nothing_and_faults_nowhere(void **state) {
    (void)state;
    static const uint64_t half_lives[] = {1, 40, 63, 64, 65, 100, 1000000000};
    for (size_t i = 0; i < BPKI_COUNT(half_lives); i++) {
        bpk_topk *t = new_topk(5, 18, 100);
        t_decayed d = t_decayed_new(200, 100);
        for (uint32_t j = 0; j < 1000; j++) add_at(t, &d, j % 200, 1 + j % 7, 1 + j / 10);
        bpk_advance(bpk_topk_base(t), 100 + 100 * half_lives[i]);
        t_decayed_advance(&d, 100 + 100 * half_lives[i]);
        check(t, &d);
        bpk_row rows[5];
        size_t n = 9;
        uint64_t ceiling;
        assert_int_equal(bpk_topk_list(t, rows, 5, &n, &ceiling), BPK_OK);
        if (half_lives[i] >= 40) assert_true(n == 0 && ceiling == 1 && bpk_topk_total(t) == 1);
        t = (bpk_topk *)t_reload(bpk_topk_base(t));
        add_at(t, &d, 3, 1, 200 + 100 * half_lives[i]); /* and it goes on */
        check(t, &d);
        assert_int_equal(bpk_topk_list(t, rows, 5, &n, &ceiling), BPK_OK);
        if (half_lives[i] >= 40) assert_true(n == 1 && t_key_id(rows[0].key) == 3);
        bpk_advance(bpk_topk_base(t), UINT64_MAX);
        assert_int_equal(t->time.now, UINT64_MAX);
        t_decayed_advance(&d, UINT64_MAX);
        check(t, &d);
        drop(t);
        t_decayed_free(&d);
    }
}

enum { PARTS = 4 };

/* Parts of different shapes that stop at different times. */
static void deal(bpk_topk *part[PARTS], t_decayed *d) {
    static const uint32_t entries[PARTS] = {72, 144, 72, 288};
    t_decaying s = {{11}, t_zipf_of(KEYS, 1.0), 6, 100000, 3};
    for (size_t i = 0; i < PARTS; i++) part[i] = new_topk(10 + (uint32_t)i, entries[i], d->half_life);
    uint32_t id[T_BATCH];
    uint64_t weight[T_BATCH];
    for (size_t b = 0; b < 1200; b++) {
        uint64_t now = t_decaying_next(&s, d, id, weight, T_BATCH);
        size_t of = b % PARTS;
        if (of == 1 && b > 600) of = 0; /* it has seen nothing for long */
        t_decayed_add(d, bpk_topk_base(part[of]), id, weight, T_BATCH, now);
    }
}

static void parts_of_different_times_merge_to_the_latest_in_any_order(void **state) {
    (void)state;
    static const size_t order[][PARTS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}};
    bpk_topk *part[PARTS];
    t_decayed d = t_decayed_new(KEYS, 300);
    bpk_sketch *sum[3];
    deal(part, &d);
    for (size_t o = 0; o < 3; o++) {
        const bpk_sketch *in[PARTS];
        for (size_t i = 0; i < PARTS; i++) in[i] = bpk_topk_base(part[order[o][i]]);
        assert_int_equal(bpk_merge_many(&sum[o], in, PARTS, NULL, NULL), BPK_OK);
        check(bpk_as_topk(sum[o]), &d);
        t_assert_same_bytes(sum[0], sum[o]);
    }
    bpk_sketch *chain = NULL;
    assert_int_equal(bpk_copy(&chain, bpk_topk_base(part[1]), NULL), BPK_OK);
    for (size_t i = 0; i < PARTS; i++)
        if (i != 1) assert_int_equal(bpk_merge(chain, bpk_topk_base(part[i]), NULL), BPK_OK);
    check(bpk_as_topk(chain), &d);
    bpk_free(chain);
    bpk_sketch *ab = NULL, *ba = NULL;
    assert_int_equal(bpk_copy(&ab, bpk_topk_base(part[1]), NULL), BPK_OK);
    assert_int_equal(bpk_copy(&ba, bpk_topk_base(part[0]), NULL), BPK_OK);
    assert_int_equal(bpk_merge(ab, bpk_topk_base(part[0]), NULL), BPK_OK);
    assert_int_equal(bpk_merge(ba, bpk_topk_base(part[1]), NULL), BPK_OK);
    t_assert_same_bytes(ab, ba);
    bpk_free(ab), bpk_free(ba);
    for (size_t i = 0; i < PARTS; i++) bpk_free(i < 3 ? sum[i] : NULL), drop(part[i]);
    t_decayed_free(&d);
}

static void other_half_lives_are_refused_by_name_and_an_empty_one_only_brings_its_time(void **state) {
    (void)state;
    bpk_topk *a = new_topk(3, 18, 10), *b = new_topk(3, 18, 11), *c = new_topk(3, 18, 0), *empty = new_topk(3, 18, 10);
    t_decayed d = t_decayed_new(60, 10);
    for (uint32_t i = 0; i < 60; i++) add_at(a, &d, i, i, i);
    bpk_sketch *const others[] = {bpk_topk_base(b), bpk_topk_base(c)};
    t_bytes was = t_encode(bpk_topk_base(a), BPK_FORM_SMALL);
    for (size_t i = 0; i < 2; i++) {
        bpk_err err;
        assert_int_equal(bpk_merge(bpk_topk_base(a), others[i], &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "half_life");
        assert_string_equal(err.mine, "10");
        assert_string_equal(err.other, i ? "0" : "11");
        t_assert_encodes_to(bpk_topk_base(a), BPK_FORM_SMALL, was.p, was.n);
    }
    assert_int_equal(bpk_merge(bpk_topk_base(a), bpk_topk_base(empty), NULL), BPK_OK);
    t_assert_encodes_to(bpk_topk_base(a), BPK_FORM_SMALL, was.p, was.n);
    bpk_advance(bpk_topk_base(empty), 500);
    assert_int_equal(bpk_merge(bpk_topk_base(a), bpk_topk_base(empty), NULL), BPK_OK);
    t_decayed_advance(&d, 500);
    assert_int_equal(a->time.now, 500);
    check(a, &d);
    free(was.p);
    drop(a), drop(b), drop(c), drop(empty);
    t_decayed_free(&d);
}

static void a_reload_anywhere_changes_nothing_later(void **state) {
    (void)state;
    bpk_topk *kept = new_topk(10, 72, 40), *reloaded = new_topk(10, 72, 40);
    t_decayed d = t_decayed_new(KEYS, 40);
    t_decaying s = {{2}, t_zipf_of(KEYS, 1.0), 5, 3000, 1};
    uint32_t id[T_BATCH];
    uint64_t weight[T_BATCH];
    for (int i = 0; i < 600; i++) {
        uint64_t now = t_decaying_next(&s, &d, id, weight, T_BATCH);
        t_decayed_add(&d, bpk_topk_base(kept), id, weight, T_BATCH, now);
        t_decayed_add(&d, bpk_topk_base(reloaded), id, weight, T_BATCH, now);
        if (i % 20 == 0) reloaded = (bpk_topk *)t_reload(bpk_topk_base(reloaded));
    }
    t_assert_same_bytes(bpk_topk_base(kept), bpk_topk_base(reloaded));
    bpk_reset(bpk_topk_base(kept));
    drop(reloaded);
    reloaded = new_topk(10, 72, 40);
    t_assert_same_bytes(bpk_topk_base(kept), bpk_topk_base(reloaded));
    drop(kept), drop(reloaded);
    t_decayed_free(&d);
}

static void a_score_at_its_end_stays_there_without_a_lower_limit(void **state) {
    (void)state;
    bpk_topk *t = new_topk(2, 18, 10);
    t_decayed d = t_decayed_new(3, 10);
    add_at(t, &d, 0, UINT64_MAX, 1);
    add_at(t, &d, 1, 5, 1);
    bpk_estimate full = bpk_topk_count(t, d.world.hash[0]);
    assert_true(full.flags & BPK_SATURATED && full.upper == 0x1p64 && full.lower > 1e14);
    bpk_advance(bpk_topk_base(t), 1000);
    t_decayed_advance(&d, 1000);
    full = bpk_topk_count(t, d.world.hash[0]);
    assert_true(full.flags & BPK_SATURATED && full.upper == 0x1p64 && full.lower == 0);
    bpk_estimate other = bpk_topk_count(t, d.world.hash[1]);
    t_between(&other, d.weight[1], "key", 1);
    bpk_estimate all;
    assert_int_equal(bpk_count(bpk_topk_base(t), NULL, 0, 0, &all, NULL), BPK_OK);
    assert_true(all.flags & BPK_SATURATED);
    t = (bpk_topk *)t_reload(bpk_topk_base(t));
    drop(t);
    t_decayed_free(&d);
}

static void leave(void *ctx, size_t index, const void *key, size_t len) {
    (void)index, (void)key, (void)len;
    ++*(size_t *)ctx;
}

static void telling_what_leaves_the_rows_changes_no_byte(void **state) {
    (void)state;
    bpk_topk *plain = new_topk(5, 18, 6), *told = new_topk(5, 18, 6);
    t_world w = t_world_new(300);
    t_rng r = {8};
    size_t left = 0;
    for (int i = 0; i < 300; i++) {
        uint32_t id[20];
        t_batch b;
        for (int j = 0; j < 20; j++) id[j] = (uint32_t)t_below(&r, 300);
        t_batch_fill(&b, &w, id, NULL, 20, false);
        b.it.now = 100 + (uint64_t)i - (i % 11 == 0 ? 30 : 0);
        assert_int_equal(bpk_add(bpk_topk_base(plain), &b.it, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_topk_add(told, &b.it, leave, &left), BPK_OK);
    }
    t_assert_same_bytes(bpk_topk_base(plain), bpk_topk_base(told));
    assert_true(left > 50);
    drop(plain), drop(told);
    t_world_free(&w);
}

static bool count_row(void *ctx, const bpk_row *row) {
    (void)row;
    ++*(size_t *)ctx;
    return true;
}

static void what_may_exceed_a_threshold_is_listed(void **state) {
    (void)state;
    bpk_topk *t = new_topk(5, 18, 100);
    t_decayed d = t_decayed_new(8, 100);
    for (uint32_t i = 0; i < 8; i++) add_at(t, &d, i, 10 * i, 150);
    for (uint64_t threshold = 0; threshold < 80; threshold++) {
        size_t rows = 0, truth = 0;
        bool complete = false;
        assert_int_equal(bpk_topk_above(t, threshold, count_row, &rows, &complete), BPK_OK);
        for (uint32_t i = 0; i < 8; i++) truth += d.weight[i] > (long double)threshold;
        assert_true(rows >= truth && rows <= truth + 1 && complete);
    }
    drop(t);
    t_decayed_free(&d);
}

static void text_parameters_take_a_half_life(void **state) {
    (void)state;
    bpk_topk *t = new_topk(10, 0, 600);
    bpk_sketch *s = NULL;
    bpk_err err;
    const bpk_param good[] = {{"half_life", "600"}}, bad[] = {{"half_life", "10 min"}};
    assert_int_equal(bpk_new(&s, "topk", NULL, good, 1, NULL, NULL), BPK_OK);
    t_assert_same_bytes(s, bpk_topk_base(t));
    bpk_free(s);
    assert_int_equal(bpk_new(&s, "topk", NULL, bad, 1, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "half_life");
    drop(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_halves_every_half_life),
        cmocka_unit_test(time_never_goes_back_and_a_late_item_weighs_what_is_left_of_it),
        cmocka_unit_test(advancing_is_an_empty_batch_and_nothing_to_other_kinds),
        cmocka_unit_test(ageing_in_steps_is_ageing_at_once_but_for_two_units),
        cmocka_unit_test(idling_for_any_time_leaves_nothing_and_faults_nowhere),
        cmocka_unit_test(parts_of_different_times_merge_to_the_latest_in_any_order),
        cmocka_unit_test(other_half_lives_are_refused_by_name_and_an_empty_one_only_brings_its_time),
        cmocka_unit_test(a_reload_anywhere_changes_nothing_later),
        cmocka_unit_test(a_score_at_its_end_stays_there_without_a_lower_limit),
        cmocka_unit_test(telling_what_leaves_the_rows_changes_no_byte),
        cmocka_unit_test(what_may_exceed_a_threshold_is_listed),
        cmocka_unit_test(text_parameters_take_a_half_life),
        cmocka_unit_test(limits_hold_over_a_million_steps_with_pauses_and_late_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
