/* test_window.c - promises of window.h: which items are in, what time does, what is asked of the panes. */
#include "room.h"
#include "t_window.h"

/* ---- time ---- */

/* One item a tick. What is held begins with a pane, not before the span and less than a pane before it. */
static void edges_of(uint64_t span, unsigned panes) {
    char text[80];
    snprintf(text, sizeof text, "of=theta k=4096 span=%llu panes=%u", (unsigned long long)span, panes);
    bpk_sketch *s = w_make(text);
    const uint64_t length = (span + panes - 1) / panes;
    assert_int_equal(bpk_window_pane(w_of(s)), length);
    for (uint64_t now = 0; now < 5 * span + 3; now++) {
        uint64_t from = 99, to = 99;
        assert_int_equal(w_add(s, now, now), 1);
        assert_true(bpk_window_covers(w_of(s), &from, &to));
        assert_int_equal(to, now);
        assert_int_equal(from % length, 0);
        assert_true(from <= (now > span ? now - span : 0));
        assert_true(now < span + length || from > now - span - length);
        assert_true(w_number(s) == (double)(now - from + 1));
        assert_int_equal(w_whole(s).flags, BPK_EXACT);
    }
    bpk_free(s);
}
static void all_of_the_last_span_is_in_and_nothing_older_than_one_pane_more(void **state) {
    (void)state;
    for (uint64_t span = 1; span <= 24; span++)
        for (unsigned panes = 1; panes <= span; panes++) edges_of(span, panes);
    edges_of(1025, 1024);
    edges_of(300, 60);
}

static void the_first_batch_sets_the_time(void **state) {
    (void)state;
    static const uint64_t starts[] = {0, 1, 999, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < 6; i++) {
        uint64_t from = 5, to = 6;
        bpk_sketch *s = w_make("of=theta span=60");
        assert_false(bpk_window_covers(w_of(s), &from, &to));
        assert_true(from == 5 && to == 6 && w_number(s) == 0);
        w_add(s, starts[i], 1);
        assert_true(bpk_window_covers(w_of(s), &from, &to));
        assert_true(to == starts[i] && from == (starts[i] > 60 ? starts[i] - 60 : 0));
        assert_true(w_number(s) == 1);
        bpk_free(s);
    }
}

static void time_that_stands_still_adds_to_one_pane(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=cms span=100 panes=10 width=500");
    for (int i = 0; i < 1000; i++) w_add(s, 77, 1);
    assert_true(w_number(s) == 1000 && w_item(s, 1).upper == 1000 && w_late(s) == 0);
    bpk_free(s);
}

/* The pane of an item is that of its own time, and goes with it. */
static void a_late_item_goes_into_the_pane_of_its_time(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=theta span=40 panes=4"), *part = NULL;
    uint64_t from, to;
    w_add(s, 100, 0);
    assert_int_equal(w_add(s, 75, 1), 1);
    assert_true(bpk_window_covers(w_of(s), &from, &to) && to == 100);
    assert_int_equal(bpk_window_merged(w_of(s), 70, 79, &part, &from, &to, NULL), BPK_OK);
    assert_true(from == 70 && to == 79 && w_number(part) == 1 && w_number(s) == 2);
    bpk_advance(s, 119);
    assert_true(w_number(s) == 2);
    bpk_advance(s, 120);
    assert_true(w_number(s) == 1 && w_late(s) == 0);
    bpk_free(part);
    bpk_free(s);
}

static void what_is_too_late_is_not_added_but_counted(void **state) {
    (void)state;
    uint64_t hash[3] = {t_hash(1, 5), t_hash(1, 6), t_hash(1, 7)};
    uint8_t changed[3] = {9, 9, 9};
    size_t done = 0;
    bpk_sketch *s = w_make("of=hll span=40 panes=4"), *before = NULL;
    w_add(s, 100, 0);
    before = w_copy(s);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 3, .hash = hash, .now = 59}, changed, &done), BPK_OK);
    assert_true(done == 3 && !changed[0] && !changed[1] && !changed[2] && w_late(s) == 3);
    assert_true(w_number(s) == 1);
    assert_int_equal(w_add(s, 60, 5), 1); /* one tick later it is in */
    assert_int_equal(w_add(s, 0, 5), 0);
    assert_int_equal(w_late(s), 4);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 0, .now = 1}, NULL, NULL), BPK_OK);
    assert_int_equal(w_late(s), 4);
    bpk_reset(s);
    assert_int_equal(w_late(s), 0);
    bpk_free(s), bpk_free(before);
}

static void an_empty_batch_moves_time_and_an_earlier_one_changes_nothing(void **state) {
    (void)state;
    bpk_sketch *a = w_make("of=theta span=10 panes=5"), *b = NULL;
    w_add_many(a, 3, 0, 4);
    b = w_copy(a);
    assert_int_equal(bpk_add(a, &(bpk_items){.n = 0, .now = 9}, NULL, NULL), BPK_OK);
    bpk_advance(b, 9);
    t_assert_same_bytes(a, b);
    assert_true(w_number(a) == 4);
    bpk_advance(b, 8);
    assert_int_equal(bpk_add(b, &(bpk_items){.n = 0, .now = 0}, NULL, NULL), BPK_OK);
    t_assert_same_bytes(a, b);
    bpk_advance(a, 13);
    assert_true(w_number(a) == 4);
    bpk_advance(a, 14);
    assert_true(w_number(a) == 0);
    bpk_free(a), bpk_free(b);
}

/* In one step or in many, a quiet time leaves the same: what an empty window is at that time. */
static void a_jump_over_the_window_empties_all_panes(void **state) {
    (void)state;
    static const uint64_t to[] = {14, 15, 26, 1000, UINT64_MAX};
    for (size_t i = 0; i < W_KINDS; i++)
        for (size_t k = 0; k < 5; k++) {
            bpk_sketch *s = w_kind(i, 12, 4, 1), *steps = w_kind(i, 12, 4, 1), *fresh = w_kind(i, 12, 4, 1);
            for (uint64_t now = 0; now < 2; now++) w_add_full(s, now, now), w_add_full(steps, now, now);
            for (uint64_t now = 2; now <= to[k] && now < 60; now++) bpk_advance(steps, now);
            bpk_advance(s, to[k]);
            bpk_advance(steps, to[k]);
            t_assert_same_bytes(s, steps);
            bpk_advance(fresh, to[k]);
            if (to[k] > 14) t_assert_same_bytes(s, fresh);
            w_add_full(s, to[k], 9), w_add_full(fresh, to[k], 9);
            if (to[k] > 14) t_assert_same_bytes(s, fresh);
            bpk_free(s), bpk_free(steps), bpk_free(fresh);
        }
}

static void time_goes_to_its_end(void **state) {
    (void)state;
    static const char *const spans[] = {"1 panes=1", "18446744073709551615 panes=1", "18446744073709551615 panes=1024",
                                        "18446744073709551614 panes=3", "1024 panes=1024"};
    for (size_t i = 0; i < 5; i++) {
        char text[80];
        snprintf(text, sizeof text, "of=theta span=%s", spans[i]);
        bpk_sketch *s = w_make(text), *back = NULL, *part = NULL;
        uint64_t from, to;
        w_add(s, 0, 0);
        w_add(s, UINT64_MAX - 1, 1);
        w_add(s, UINT64_MAX, 2);
        assert_true(bpk_window_covers(w_of(s), &from, &to) && to == UINT64_MAX);
        assert_true(w_number(s) == (from == 0 ? 3 : 2));
        assert_int_equal(bpk_window_merged(w_of(s), 0, UINT64_MAX, &part, &from, &to, NULL), BPK_OK);
        assert_true(to == UINT64_MAX && w_number(part) == w_number(s));
        back = w_reload(s, BPK_FORM_VIEW);
        t_assert_same_bytes(s, back);
        w_add(back, 0, 3);
        assert_int_equal(w_late(back), from > 0);
        bpk_free(s), bpk_free(back), bpk_free(part);
    }
}

static void time_moves_even_where_items_find_no_room(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=bloom span=4 panes=4 items=8");
    uint64_t hash[400], from, to;
    size_t done = 999;
    for (size_t i = 0; i < 400; i++) hash[i] = t_hash(2, i);
    w_add(s, 10, 0);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 400, .hash = hash, .now = 15}, NULL, &done), BPK_E_FULL);
    assert_in_range(done, 8, 100);
    assert_true(bpk_window_covers(w_of(s), &from, &to) && from == 11 && to == 15);
    assert_false(w_has(s, 0));
    bpk_sketch *other = w_make("of=bloom span=4 panes=4 items=8"); /* item `done` has changed nothing */
    assert_int_equal(bpk_add(other, &(bpk_items){.n = done, .hash = hash, .now = 15}, NULL, NULL), BPK_OK);
    t_assert_same_bytes(s, other);
    bpk_free(s), bpk_free(other);
}

/* ---- memory ---- */

static void panes_are_made_when_they_are_used_and_serve_again(void **state) {
    (void)state;
    bpk_sketch *plain = NULL, *s = w_make("of=topk span=60 panes=60 k=10");
    assert_int_equal(bpk_new(&plain, "topk", NULL, (bpk_param[]){{"k", "10"}}, 1, NULL, NULL), BPK_OK);
    const size_t one = bpk_memory(plain), frame = 2000;
    assert_true(bpk_memory(s) < one + frame);
    w_add(s, 0, 0);
    assert_true(bpk_memory(s) < one + 1000 + frame);
    for (uint64_t now = 70; now < 70000; now += 70) w_add(s, now, now); /* one at a time, all round the ring */
    assert_true(bpk_memory(s) < one + 1000 + frame);
    for (uint64_t now = 70000; now < 71000; now++) w_add(s, now, now);
    assert_true(bpk_memory(s) > 61 * one && bpk_memory(s) < 61 * (one + 1000) + frame);
    bpk_free(plain), bpk_free(s);
}

static void the_limit_is_that_of_all_panes_together(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        t_env env;
        char text[160];
        bpk_sketch *s = NULL;
        bpk_status st = BPK_OK;
        t_env_init(&env, 0);
        env.env.max_bytes = 12000;
        snprintf(text, sizeof text, "%s span=90 panes=30", w_kinds[i]);
        assert_int_equal(w_try(&s, text, &env.env, NULL), BPK_OK);
        for (uint64_t now = 0; now < 90 && st == BPK_OK; now++)
            for (uint64_t k = 0; k < 30 && st == BPK_OK; k++) {
                const uint64_t hash = t_hash(now, k), group = k % 2;
                const void *item = text;
                const size_t len = 100;
                const bpk_items one = {.n = 1, .hash = &hash, .item = &item, .len = &len, .group = &group, .now = now};
                st = bpk_add(s, &one, NULL, NULL);
                assert_true(env.held <= 12000 + 31 * 200 && env.held == bpk_memory(s)); /* the objects themselves */
            }
        assert_true(st == BPK_E_LIMIT || st == BPK_E_FULL || st == BPK_OK);
        if (strstr(text, "topk") || strstr(text, "sample")) assert_int_equal(st, BPK_E_LIMIT);
        bpk_free(s);
        assert_int_equal(env.held, 0);
        env.env.max_bytes = 400;
        assert_int_equal(w_try(&s, text, &env.env, NULL), BPK_E_LIMIT);
        assert_int_equal(env.held, 0);
    }
}

/* A pane whose blocks fit one by one and not together is where it is tight. */
static void every_limit_lets_in_what_fits_and_refuses_the_rest(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++)
        for (uint64_t limit = 400; limit < 6000; limit += 8) {
            t_env env;
            char text[160];
            bpk_sketch *s = NULL, *copy;
            t_env_init(&env, 0);
            env.env.max_bytes = limit;
            snprintf(text, sizeof text, "%s span=9 panes=3", w_kinds[i]);
            if (w_try(&s, text, &env.env, NULL) != BPK_OK) continue;
            for (uint64_t now = 0; now < 20; now++) {
                const uint64_t hash = t_hash(2, now), group = now % 2;
                const bpk_items one = {.n = 1, .hash = &hash, .group = &group, .now = now};
                const bpk_status st = bpk_add(s, &one, NULL, NULL);
                assert_true((st == BPK_OK || st == BPK_E_LIMIT) && env.held == bpk_memory(s));
            }
            if (bpk_copy(&copy, s, NULL) == BPK_OK) bpk_free(copy);
            bpk_free(s);
            assert_int_equal(env.held, 0);
        }
}

/* What bpk_new would make, when all panes are there and full; exact where a sketch has all of it from the start. */
static void a_cost_is_what_a_window_takes_with_all_its_panes(void **state) {
    (void)state;
    static const char *const fixed[] = {"of=cms width=40 depth=3 update=plain", "of=bloom items=90",
                                        "of=bloom items=90 layout=classic", "of=hll precision=4", "of=theta k=16"};
    for (size_t i = 0; i < 5; i++) {
        char text[100], words[100];
        bpk_param p[8];
        size_t n = 0;
        snprintf(text, sizeof text, "%s span=8 panes=4", fixed[i]);
        bpk_sketch *s = w_make(text);
        for (uint64_t now = 0; now < 90; now++)
            for (uint64_t k = 0; k < 40; k++) w_add(s, now, 40 * now + k);
        snprintf(words, sizeof words, "%s", text);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "), n++) {
            char *value = strchr(word, '=');
            *value++ = 0;
            p[n] = (bpk_param){word, value};
        }
        bpki_cost c;
        bpki_params ps = {.p = p, .n = n};
        const bpki_ops *ops = bpki_registry_named("window");
        assert_int_equal(ops->cost(&c, &ps, UINT64_MAX, NULL), BPK_OK);
        if (i < 1) assert_int_equal(c.memory, bpk_memory(s));
        assert_true(c.memory >= bpk_memory(s) && c.memory < 2 * bpk_memory(s) + 500);
        assert_true(c.body >= ops->body_size(s, BPK_FORM_VIEW) && c.body >= ops->body_size(s, BPK_FORM_SMALL));
        bpk_free(s);
    }
    bpki_cost c;
    bpk_err err;
    const bpk_param wrong[] = {{"of", "cms"}, {"span", "0"}};
    bpki_params ps = {.p = wrong, .n = 2};
    assert_int_equal(bpki_registry_named("window")->cost(&c, &ps, 1, &err), BPK_E_ARG);
    assert_string_equal(err.field, "span");
}

static void an_item_without_weight_leaves_its_pane_empty(void **state) {
    (void)state;
    static const char *const texts[] = {"of=cms span=9 panes=3 width=20", "of=topk span=9 panes=3 k=2"};
    for (size_t i = 0; i < 2; i++) {
        bpk_sketch *s = w_make(texts[i]), *other = w_make(texts[i]);
        uint64_t hash[3] = {1, 2, 3}, weight[3] = {0, 0, 5};
        uint8_t changed[3];
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 2, .hash = hash, .weight = weight, .now = 4}, changed, NULL),
                         BPK_OK);
        assert_true(!changed[0] && !changed[1]);
        bpk_advance(other, 4);
        t_assert_same_bytes(s, other);
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 3, .hash = hash, .weight = weight, .now = 4}, changed, NULL),
                         BPK_OK);
        assert_true(!changed[0] && !changed[1] && changed[2] && w_number(s) == 5);
        bpk_free(s), bpk_free(other);
    }
}

/* ---- answers ---- */

static void a_merge_of_panes_says_what_it_covers(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=theta span=100 panes=10"), *part = NULL;
    for (uint64_t now = 1000; now <= 1203; now++) w_add(s, now, now);
    static const struct {
        uint64_t from, to, covered_from, covered_to;
    } rows[] = {{1203, 1203, 1200, 1203},    {1200, 1203, 1200, 1203}, {1199, 1203, 1190, 1203},
                {0, UINT64_MAX, 1100, 1203}, {1111, 1111, 1110, 1119}, {1109, 1110, 1100, 1119},
                {0, 1100, 1100, 1109},       {1203, 5000, 1200, 1203}, {0, 1109, 1100, 1109},
                {1120, 1129, 1120, 1129}};
    for (size_t i = 0; i < 10; i++) {
        uint64_t from = 1, to = 1;
        assert_int_equal(bpk_window_merged(w_of(s), rows[i].from, rows[i].to, &part, &from, &to, NULL), BPK_OK);
        assert_true(from == rows[i].covered_from && to == rows[i].covered_to);
        assert_true(w_number(part) == (double)(to - from + 1));
        assert_int_equal(bpk_kind_of(part), BPK_KIND_THETA);
        bpk_free(part);
    }
    assert_int_equal(bpk_window_merged(w_of(s), 1150, 1150, &part, NULL, NULL, NULL), BPK_OK);
    bpk_free(part);
    bpk_free(s);
}

static void what_is_not_held_is_refused_not_answered_with_nothing(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=theta span=100 panes=10"), *part = NULL;
    uint64_t from = 7, to = 7;
    bpk_err err;
    assert_int_equal(bpk_window_merged(w_of(s), 0, UINT64_MAX, &part, &from, &to, &err), BPK_E_ARG);
    assert_string_equal(err.field, "from");
    w_add(s, 1203, 1);
    static const struct {
        uint64_t from, to;
        const char *field;
    } rows[] = {{1204, 1300, "from"}, {0, 1099, "to"}, {1150, 1149, "from"}, {UINT64_MAX, UINT64_MAX, "from"}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(bpk_window_merged(w_of(s), rows[i].from, rows[i].to, &part, &from, &to, &err), BPK_E_ARG);
        assert_string_equal(err.field, rows[i].field);
    }
    assert_true(!part && from == 7 && to == 7);
    bpk_free(s);
}

/* Zipf-like: item i comes 1 + 3000 / (1 + i) times, spread over all panes. */
static void fill_counts(bpk_sketch *s, uint64_t items) {
    for (uint64_t i = 0; i < items; i++)
        for (uint64_t k = 0; k < 1 + 3000 / (1 + i); k++) w_add(s, t_hash(i, k) % 61, i);
}

enum { COUNTED = 2000 };
static void counts_of(const bpk_sketch *s, bpk_estimate out[COUNTED]) {
    uint64_t hash[COUNTED];
    for (uint64_t i = 0; i < COUNTED; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_count(s, hash, COUNTED, 0, out, NULL), BPK_OK);
    for (size_t i = 0; i < COUNTED; i++) t_assert_sound(&out[i]);
}

static void added_minima_of_panes_are_never_under_the_truth_and_tighter_than_the_minimum_of_sums(void **state) {
    (void)state;
    static const char *const rules[] = {"plain", "conservative"};
    static bpk_estimate added[COUNTED], merged[COUNTED];
    for (size_t r = 0; r < 2; r++) {
        char text[80];
        snprintf(text, sizeof text, "of=cms span=60 width=100 depth=3 update=%s", rules[r]);
        bpk_sketch *s = w_make(text), *all = NULL;
        double over = 0, over_merged = 0, truth = 0;
        fill_counts(s, COUNTED);
        assert_int_equal(bpk_window_merged(w_of(s), 0, 60, &all, NULL, NULL, NULL), BPK_OK);
        counts_of(s, added);
        counts_of(all, merged);
        for (uint64_t i = 0; i < COUNTED; i++) {
            double is = (double)(1 + 3000 / (1 + i));
            assert_true(added[i].upper >= is && added[i].upper <= merged[i].upper);
            over += added[i].upper - is, over_merged += merged[i].upper - is, truth += is;
        }
        assert_true(w_number(s) == truth && w_whole(s).flags == BPK_EXACT);
        assert_true(over < 0.95 * over_merged);
        bpk_free(s), bpk_free(all);
    }
}

static void added_limits_of_panes_hold_and_are_no_wider_than_those_of_their_merge(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=topk span=60 k=5 entries=18"), *all = NULL;
    double sum = 0, merged = 0;
    fill_counts(s, COUNTED);
    assert_int_equal(bpk_window_merged(w_of(s), 0, 60, &all, NULL, NULL, NULL), BPK_OK);
    for (uint64_t i = 0; i < COUNTED + 100; i++) {
        bpk_estimate one = w_item(s, i), other = w_item(all, i);
        double is = i < COUNTED ? (double)(1 + 3000 / (1 + i)) : 0;
        assert_true(one.lower <= is && is <= one.upper && other.lower <= is && is <= other.upper);
        assert_int_equal((one.flags & BPK_BELOW_NOISE) != 0, one.lower == 0 && one.upper > 0);
        sum += one.upper - one.lower, merged += other.upper - other.lower;
    }
    assert_true(sum < merged);
    bpk_free(s), bpk_free(all);
}

typedef struct seen {
    size_t n;
    double first;
} seen;
static bool see(void *ctx, const bpk_row *r) {
    seen *all = ctx;
    if (all->n++ == 0) all->first = r->count.estimate;
    return r->key != NULL;
}

static void rows_are_those_of_all_panes_that_are_held(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=topk span=10 panes=5 k=3"), *sample = w_make("of=sample span=10 panes=5 k=100");
    seen top = {0, 0}, kept = {0, 0};
    for (uint64_t now = 0; now <= 40; now++)
        for (uint64_t k = 0; k < 10; k++) w_add(s, now, k < 5 ? 1 : 100 + now), w_add(sample, now, 10 * now + k);
    assert_int_equal(bpk_rows(s, 3, see, &top, NULL), BPK_OK);
    assert_true(top.n == 3 && top.first == 55); /* of 30 to 40 */
    assert_int_equal(bpk_rows(sample, SIZE_MAX, see, &kept, NULL), BPK_OK);
    assert_true(kept.n == 100 && w_number(sample) == 110);
    bpk_free(s), bpk_free(sample);
}

static void a_filter_says_yes_where_any_pane_does(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=bloom span=20 panes=10 items=3000 rate=1e-9");
    uint64_t hash[3000];
    uint8_t out[3000];
    for (uint64_t i = 0; i < 3000; i++) hash[i] = t_hash(1, i), w_add(s, i / 50, i);
    assert_int_equal(bpk_has(s, hash, 3000, out, NULL), BPK_OK);
    for (uint64_t i = 0; i < 3000; i++) assert_int_equal(out[i], i / 50 >= 38); /* 59 - 20, from the pane's beginning */
    bpk_free(s);
}

static bool no_row(void *ctx, const bpk_row *r) {
    (void)ctx, (void)r;
    return false;
}

static void a_window_names_itself_where_its_panes_cannot_answer(void **state) {
    (void)state;
    const uint64_t hash = 1;
    uint8_t out;
    bpk_estimate e;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *s = w_kind(i, 60, 6, 1);
        for (int filled = 0; filled < 2; filled++) {
            bpk_err err = {.code = BPK_OK};
            bool filter = strstr(w_kinds[i], "bloom"),
                 lists = strstr(w_kinds[i], "topk") || strstr(w_kinds[i], "sample");
            bool counts = lists || strstr(w_kinds[i], "cms") || strstr(w_kinds[i], "cbloom");
            assert_int_equal(bpk_has(s, &hash, 1, &out, &err), filter ? BPK_OK : BPK_E_UNSUPPORTED);
            if (!filter) assert_string_equal(err.other, "window");
            assert_int_equal(bpk_rows(s, 1, no_row, NULL, &err), lists ? BPK_OK : BPK_E_UNSUPPORTED);
            if (!lists) assert_string_equal(err.other, "window");
            assert_int_equal(bpk_count(s, &hash, 1, 0, &e, &err), counts ? BPK_OK : BPK_E_UNSUPPORTED);
            if (!counts) assert_string_equal(err.other, "window");
            assert_int_equal(bpk_remove(s, &hash, 1, NULL, &err), BPK_E_UNSUPPORTED);
            assert_string_equal(err.other, "window");
            w_add_full(s, 5, 1);
        }
        bpk_free(s);
    }
}

/* ---- making ---- */

static void assert_named(const char *text, const char *field, const char *other) {
    bpk_sketch *s = NULL;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = w_try(&s, text, NULL, &err);
    if (st != BPK_E_ARG || strcmp(err.field, field) != 0 || strcmp(err.other, other) != 0 || s)
        fail_msg("%s: %d %s %s", text, st, err.field ? err.field : "", err.other);
}
static void what_is_out_of_range_is_named(void **state) {
    (void)state;
    assert_named("span=60", "of", "is missing");
    assert_named("of=hll", "span", "is missing");
    assert_named("of=hll span=0", "span", "0");
    assert_named("of=hll span=59 panes=60", "span", "59");
    assert_named("of=hll span=5000 panes=1025", "panes", "1025");
    assert_named("of=hll span=5000 panes=0", "panes", "0");
    assert_named("of=hll span=-1", "span", "-1");
    assert_named("of=hll of=cms span=60", "of", "is not a parameter of it");
    assert_named("of=hll span=60 span=60", "span", "is not a parameter of it");
    assert_named("of=hll span=60 precision=3", "precision", "3");
    assert_named("of=hll span=60 width=9", "width", "is not a parameter of it");
    assert_named("of=bloom span=60", "items", "is missing");
    bpk_sketch *s = w_make("of=hll span=3"); /* as many panes as ticks */
    assert_int_equal(bpk_window_panes(w_of(s)), 3);
    bpk_free(s);
    s = w_make("of=hll span=3600");
    assert_int_equal(bpk_window_of(w_of(s)), BPK_KIND_HLL);
    assert_true(bpk_window_panes(w_of(s)) == 60 && bpk_window_span(w_of(s)) == 3600 && bpk_window_pane(w_of(s)) == 60);
    bpk_free(s);
}

static void what_does_not_merge_grows_or_forgets_cannot_be_a_pane(void **state) {
    (void)state;
    assert_named("of=cuckoo span=60 items=9", "of", "cuckoo");
    assert_named("of=grow span=60 items=9", "of", "grow");
    assert_named("of=window span=60", "of", "window");
    assert_named("of=limit span=60", "of", "limit");
    assert_named("of=bloom span=60 items=90 generations=2", "generations", "2");
    assert_named("of=topk span=60 half_life=9", "half_life", "9");
    assert_named("of=cms span=60 half_life=9", "half_life", "9");
    assert_named("of=bloom span=60 items=90 on_full=grow", "on_full", "grow");
    static const struct {
        const char *kind;
        bpk_param p[2];
        size_t n;
    } rows[] = {{"cuckoo", {{"items", "9"}}, 1},
                {"grow", {{"items", "9"}}, 1},
                {"bloom", {{"items", "9"}, {"generations", "1"}}, 2},
                {"window", {{"of", "hll"}, {"span", "60"}}, 2}};
    for (size_t i = 0; i < 4; i++) {
        bpk_sketch *s = NULL;
        bpk_window *w = NULL;
        assert_int_equal(bpk_new(&s, rows[i].kind, NULL, rows[i].p, rows[i].n, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_window_new(&w, s, 60, 6, NULL), BPK_E_UNSUPPORTED);
        assert_null(w);
        bpk_free(s);
    }
}

static void a_prototype_gives_all_but_its_contents(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *by_text = w_kind(i, 12, 4, 3), *prototype = NULL;
        bpk_window *w = NULL;
        w_add_full(by_text, 2, 1);
        assert_int_equal(bpk_window_merged(w_of(by_text), 0, 12, &prototype, NULL, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_meta_set(prototype, BPK_META_LABEL, "x", 1), BPK_OK);
        assert_int_equal(bpk_window_new(&w, prototype, 12, 0, NULL), BPK_E_ARG);
        assert_int_equal(bpk_window_new(&w, prototype, 3, 4, NULL), BPK_E_ARG);
        assert_int_equal(bpk_window_new(&w, prototype, 12, 1025, NULL), BPK_E_ARG);
        assert_null(w);
        assert_int_equal(bpk_window_new(&w, prototype, 12, 4, NULL), BPK_OK);
        bpk_reset(by_text);
        if (!strstr(w_kinds[i], "sample")) t_assert_same_bytes(bpk_window_base(w), by_text); /* a pane's own stream */
        bpk_free(bpk_window_base(w)), bpk_free(prototype), bpk_free(by_text);
    }
}

/* ---- health and info ---- */

typedef struct field {
    const char *name;
    double value;
} field;
static bool find_field(void *ctx, const bpk_field *f) {
    field *want = ctx;
    if (strcmp(f->name, want->name) == 0) want->value = f->text ? -1 : f->num.estimate;
    return true;
}
static double field_of(const bpk_sketch *s, const char *name, bool health) {
    field want = {name, NAN};
    if (health) bpk_health(s, find_field, &want);
    else bpk_info(s, find_field, &want);
    return want.value;
}

static void the_worst_pane_speaks_for_all(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=bloom span=60 items=100 rate=1e-3 on_full=degrade");
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
    w_add_many(s, 3, 0, 50);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
    w_add_many(s, 2, 0, 300);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OVER);
    assert_true(field_of(s, "items", true) > 200);
    w_add_many(s, 64, 0, 20); /* that pane is gone */
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
    bpk_free(s);
}

static void a_false_yes_of_any_pane_is_one_of_the_window(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=bloom span=60 items=100 rate=1e-2");
    for (uint64_t now = 0; now < 61; now++) w_add_many(s, now, 100 * now, 100 * now + 70);
    size_t wrong = 0;
    for (uint64_t i = 0; i < 20000; i++) wrong += w_has(s, 1000000 + i);
    double told = field_of(s, "rate_now", true), seen_rate = (double)wrong / 20000;
    assert_true(told > 0.05 && fabs(told - seen_rate) < 6 * sqrt(told / 20000));
    assert_true(field_of(s, "error_now", true) == told && field_of(s, "rate_asked", true) == 0.01);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_WARN);
    bpk_free(s);
}

static void info_has_the_window_s_own_fields_and_the_parameters_of_its_panes(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=cms span=600 panes=10 width=77");
    assert_true(isnan(field_of(s, "now", false)) && isnan(field_of(s, "covers_from", false)));
    assert_true(field_of(s, "panes_used", false) == 0);
    w_add(s, 1000, 1);
    w_add(s, 1100, 1);
    w_add(s, 10, 1);
    static const field want[] = {{"of", -1},        {"span", 600}, {"panes", 10},        {"pane_length", 60},
                                 {"panes_used", 2}, {"late", 1},   {"covers_from", 480}, {"now", 1100},
                                 {"width", 77},     {"depth", 3},  {"cell_bytes", 4},    {"update", -1}};
    for (size_t i = 0; i < 12; i++) assert_true(field_of(s, want[i].name, false) == want[i].value);
    assert_true(isnan(field_of(s, "total", false)) && isnan(field_of(s, "noise_floor", false)));
    bpk_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_the_last_span_is_in_and_nothing_older_than_one_pane_more),
        cmocka_unit_test(the_first_batch_sets_the_time),
        cmocka_unit_test(time_that_stands_still_adds_to_one_pane),
        cmocka_unit_test(a_late_item_goes_into_the_pane_of_its_time),
        cmocka_unit_test(what_is_too_late_is_not_added_but_counted),
        cmocka_unit_test(an_empty_batch_moves_time_and_an_earlier_one_changes_nothing),
        cmocka_unit_test(a_jump_over_the_window_empties_all_panes),
        cmocka_unit_test(time_goes_to_its_end),
        cmocka_unit_test(time_moves_even_where_items_find_no_room),
        cmocka_unit_test(panes_are_made_when_they_are_used_and_serve_again),
        cmocka_unit_test(the_limit_is_that_of_all_panes_together),
        cmocka_unit_test(every_limit_lets_in_what_fits_and_refuses_the_rest),
        cmocka_unit_test(a_cost_is_what_a_window_takes_with_all_its_panes),
        cmocka_unit_test(an_item_without_weight_leaves_its_pane_empty),
        cmocka_unit_test(a_merge_of_panes_says_what_it_covers),
        cmocka_unit_test(what_is_not_held_is_refused_not_answered_with_nothing),
        cmocka_unit_test(added_minima_of_panes_are_never_under_the_truth_and_tighter_than_the_minimum_of_sums),
        cmocka_unit_test(added_limits_of_panes_hold_and_are_no_wider_than_those_of_their_merge),
        cmocka_unit_test(rows_are_those_of_all_panes_that_are_held),
        cmocka_unit_test(a_filter_says_yes_where_any_pane_does),
        cmocka_unit_test(a_window_names_itself_where_its_panes_cannot_answer),
        cmocka_unit_test(what_is_out_of_range_is_named),
        cmocka_unit_test(what_does_not_merge_grows_or_forgets_cannot_be_a_pane),
        cmocka_unit_test(a_prototype_gives_all_but_its_contents),
        cmocka_unit_test(the_worst_pane_speaks_for_all),
        cmocka_unit_test(a_false_yes_of_any_pane_is_one_of_the_window),
        cmocka_unit_test(info_has_the_window_s_own_fields_and_the_parameters_of_its_panes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
