/* test_window_merge.c - windows that become one: what fits, time that is aligned, any order, streams of samples. */
#include "t_window.h"

/* ---- what fits ---- */

static void assert_refused(const char *mine, const char *other, const char *field, const char *a, const char *b) {
    bpk_sketch *x = w_make(mine), *y = w_make(other), *before = NULL, *sum = NULL;
    bpk_err err = {.code = BPK_OK};
    w_add_full(x, 5, 1), w_add_full(y, 6, 2);
    before = w_copy(x);
    bpk_status st = bpk_merge(x, y, &err);
    if (st != BPK_E_MISMATCH || strcmp(err.field, field) != 0 || strcmp(err.mine, a) != 0 || strcmp(err.other, b) != 0)
        fail_msg("%s | %s: %d %s %s %s", mine, other, st, err.field ? err.field : "", err.mine, err.other);
    t_assert_same_bytes(x, before);
    assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *[]){x, y}, 2, NULL, &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, field);
    assert_null(sum);
    bpk_free(x), bpk_free(y), bpk_free(before);
}
static void what_does_not_fit_is_refused_and_named(void **state) {
    (void)state;
    assert_refused("of=hll span=60", "of=hll span=61", "span", "60", "61");
    assert_refused("of=hll span=60 panes=6", "of=hll span=60 panes=7", "panes", "6", "7");
    assert_refused("of=hll span=60", "of=theta span=60", "of", "hll", "theta");
    assert_refused("of=hll span=60 precision=8", "of=hll span=60 precision=9", "precision", "8", "9");
    assert_refused("of=hll span=60", "of=hll span=60 window_bits=0", "window_bits", "2", "0");
    assert_refused("of=theta span=60 k=16", "of=theta span=60 k=17", "k", "16", "17");
    assert_refused("of=cms span=60 width=20", "of=cms span=60 width=21", "width", "20", "21");
    assert_refused("of=cms span=60 width=20", "of=cms span=60 width=20 update=plain", "update", "conservative",
                   "plain");
    assert_refused("of=topk span=60 k=3", "of=topk span=60 k=3 entries=2000", "entries", "576", "2304");
    assert_refused("of=topk span=60 k=3", "of=topk span=60 k=3 candidates=300", "candidates", "200", "300");
    assert_refused("of=bloom span=60 items=90", "of=bloom span=60 items=90 rate=2%", "rate_asked", "1 in 100",
                   "1 in 50");
    assert_refused("of=bloom span=60 items=90", "of=bloom span=60 items=90 rate=0.009999", "rate_asked", "1 in 100.00",
                   "1 in 100.01");
    assert_refused("of=bloom span=60 items=90", "of=bloom span=60 items=91", "planned_items", "90", "91");
    assert_refused("of=bloom span=60 items=90", "of=bloom span=60 items=90 on_full=degrade", "on_full", "error",
                   "degrade");
    assert_refused("of=bloom span=60 items=90", "of=bloom span=60 items=90 layout=classic", "layout", "blocked",
                   "classic");
    assert_refused("of=cbloom span=60 items=90", "of=cbloom span=60 items=90 on_full=degrade", "on_full", "error",
                   "degrade");
    assert_refused("of=sample span=60 k=3", "of=sample span=60 k=4 stream=1", "k", "3", "4");
    assert_refused("of=sample span=60", "of=sample span=60 weighted=yes stream=1", "weighted", "0", "1");
    assert_refused("of=sample span=60", "of=sample span=60 groups=2 stream=1", "groups", "0", "2");
}

/* ---- the whole of both ---- */

static void a_merge_is_the_window_of_both_streams(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bool unlike = strstr(w_kinds[i], "sample") || strstr(w_kinds[i], "topk");
        bpk_sketch *a = w_kind(i, 60, 6, 1), *b = w_kind(i, 60, 6, 1), *all = w_kind(i, 60, 6, 1);
        if (unlike || strstr(w_kinds[i], "depth=3")) { /* draws, evictions, conservative counters: the order decides */
            bpk_free(a), bpk_free(b), bpk_free(all);
            continue;
        }
        for (uint64_t now = 0; now < 200; now++) {
            w_add_full(now % 3 ? a : b, now, now);
            w_add_full(all, now, now);
        }
        bpk_advance(a, 230);
        bpk_advance(all, 230);
        assert_int_equal(bpk_merge(a, b, NULL), BPK_OK);
        t_assert_same_bytes(a, all);
        bpk_free(a), bpk_free(b), bpk_free(all);
    }
}

static void time_becomes_the_latest_and_what_that_drops_is_dropped(void **state) {
    (void)state;
    bpk_sketch *early = w_make("of=theta span=40 panes=4"), *late = w_make("of=theta span=40 panes=4"), *both = NULL;
    uint64_t from, to;
    w_add(early, 50, 1), w_add(early, 60, 2), w_add(early, 79, 3);
    w_add(late, 100, 4), w_add(late, 75, 5), w_add(late, 3, 6);
    for (int turn = 0; turn < 2; turn++) {
        both = w_copy(turn ? late : early);
        assert_int_equal(bpk_merge(both, turn ? early : late, NULL), BPK_OK);
        assert_true(bpk_window_covers(w_of(both), &from, &to) && from == 60 && to == 100);
        assert_true(w_number(both) == 4 && w_late(both) == 1); /* what has aged was not late */
        bpk_free(both);
    }
    bpk_sketch *far = w_make("of=theta span=40 panes=4");
    w_add(far, 5000, 7);
    assert_int_equal(bpk_merge(early, far, NULL), BPK_OK);
    t_assert_same_bytes(early, far);
    bpk_free(early), bpk_free(late), bpk_free(far);
}

static void a_window_without_a_time_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *s = w_kind(i, 60, 6, 1), *none = w_kind(i, 60, 6, 2), *before = NULL, *mine = NULL;
        for (uint64_t now = 0; now < 90; now++) w_add_full(s, now, now);
        before = w_copy(s), mine = w_copy(none);
        assert_int_equal(bpk_merge(s, none, NULL), BPK_OK);
        t_assert_same_bytes(s, before);
        assert_int_equal(bpk_merge(none, s, NULL), BPK_OK);
        t_assert_same_bytes(none, before); /* of samples the smallest stream, in either order */
        assert_int_equal(bpk_merge(mine, mine, NULL), BPK_OK);
        bpk_free(s), bpk_free(none), bpk_free(before), bpk_free(mine);
    }
}

/* Three windows with times of their own: one call gives the same bytes in each order; a chain too, but for topk. */
static void any_order_gives_the_same_bytes(void **state) {
    (void)state;
    static const unsigned order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *part[3], *first = NULL;
        for (unsigned p = 0; p < 3; p++) {
            part[p] = w_kind(i, 30, 5, p + 1);
            for (uint64_t k = 0; k < 300; k++) w_add_full(part[p], 20 * p + k / 6 + k % 7, 100 * p + k);
            for (uint64_t k = 0; k < p; k++) w_add_full(part[p], 0, k);
        }
        for (size_t o = 0; o < 6; o++) {
            const bpk_sketch *in[3] = {part[order[o][0]], part[order[o][1]], part[order[o][2]]};
            bpk_sketch *sum = NULL, *chain = w_copy(in[0]);
            assert_int_equal(bpk_merge_many(&sum, in, 3, NULL, NULL), BPK_OK);
            if (!first) first = w_copy(sum);
            t_assert_same_bytes(sum, first);
            assert_int_equal(w_late(sum), w_late(part[0]) + w_late(part[1]) + w_late(part[2]));
            for (size_t k = 1; k < 3; k++) assert_int_equal(bpk_merge(chain, in[k], NULL), BPK_OK);
            if (!strstr(w_kinds[i], "topk")) t_assert_same_bytes(chain, first);
            bpk_free(sum), bpk_free(chain);
        }
        bpk_sketch *back = w_reload(first, BPK_FORM_SMALL);
        t_assert_same_bytes(back, first);
        for (unsigned p = 0; p < 3; p++) bpk_free(part[p]);
        bpk_free(first), bpk_free(back);
    }
}

/* The counter as a writer may have left it, near its end. */
static bpk_sketch *with_late(uint64_t late) {
    bpk_sketch *s = w_make("of=hll span=60"), *made = NULL;
    w_add(s, 1000, 1);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    t_store64(b.p + DAMAGE_HEADER + 24, late);
    t_reseal(b.p, b.n);
    assert_int_equal(bpk_decode(&made, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    free(b.p);
    bpk_free(s);
    return made;
}
static void the_counter_of_late_items_stays_at_its_end(void **state) {
    (void)state;
    bpk_sketch *a = with_late(UINT64_MAX - 2), *b = with_late(3), *c = with_late(2);
    assert_true(w_late(a) == UINT64_MAX - 2);
    assert_int_equal(bpk_merge(c, a, NULL), BPK_OK);
    assert_true(w_late(c) == UINT64_MAX);
    w_add_many(a, 3, 0, 5);
    assert_true(w_late(a) == UINT64_MAX);
    assert_int_equal(bpk_merge(b, a, NULL), BPK_OK);
    assert_true(w_late(b) == UINT64_MAX);
    bpk_free(a), bpk_free(b), bpk_free(c);
}

/* ---- samples ---- */

typedef struct streams {
    uint64_t stream[64];
    size_t n;
} streams;
static bool note_stream(void *ctx, const bpk_sample_row *r) {
    streams *all = ctx;
    for (size_t i = 0; i < all->n; i++)
        if (all->stream[i] == r->stream) return true;
    all->stream[all->n++] = r->stream;
    return true;
}
static size_t streams_of(const bpk_sketch *s) {
    streams all = {.n = 0};
    bpk_sketch *merged = NULL;
    assert_int_equal(bpk_window_merged(w_of((bpk_sketch *)(uintptr_t)s), 0, UINT64_MAX, &merged, NULL, NULL, NULL),
                     BPK_OK);
    assert_int_equal(bpk_sample_rows(bpk_as_sample(merged), BPK_SAMPLE_INPUT, note_stream, &all), BPK_OK);
    bpk_free(merged);
    return all.n;
}

static void panes_of_a_sample_have_streams_of_their_own_also_after_reload(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=sample span=20 panes=20 k=70"), *other = NULL;
    for (uint64_t now = 0; now < 400; now++) {
        w_add_many(s, now, 3 * now, 3 * now + 3);
        assert_int_equal(streams_of(s), now < 20 ? now + 1 : 21);
        if (now % 7 == 3) {
            bpk_sketch *back = w_reload(s, (bpk_form)(now & 1));
            t_assert_same_bytes(back, s);
            bpk_free(s);
            s = back;
        }
        if (now == 200) other = w_copy(s); /* goes on without being saved */
        if (now > 200) w_add_many(other, now, 3 * now, 3 * now + 3);
    }
    t_assert_same_bytes(s, other);
    bpk_free(s), bpk_free(other);
}

static void windows_of_one_stream_are_not_independent_and_do_not_merge(void **state) {
    (void)state;
    bpk_sketch *a = w_make("of=sample span=20 panes=4"), *b = w_make("of=sample span=20 panes=4"), *twin = NULL;
    bpk_err err;
    w_add(a, 3, 1), w_add(b, 9, 2);
    assert_int_equal(bpk_merge(a, b, NULL), BPK_OK); /* no pane has records of both */
    w_add(b, 3, 2);
    bpk_sketch *before = w_copy(a);
    assert_int_equal(bpk_merge(a, b, &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "stream");
    t_assert_same_bytes(a, before);
    assert_int_equal(bpk_twin(&twin, a, NULL), BPK_OK);
    w_add(twin, 3, 5);
    assert_int_equal(bpk_merge(a, twin, NULL), BPK_OK);
    assert_true(w_number(a) == 3);
    bpk_free(a), bpk_free(b), bpk_free(twin), bpk_free(before);
}

/* A pane that has taken in another window's stream is over: the next one at its place has its own again. */
static void a_pane_s_stream_follows_from_its_time_alone(void **state) {
    (void)state;
    bpk_sketch *a = w_make("of=sample span=6 panes=3 k=4 stream=1"),
               *b = w_make("of=sample span=6 panes=3 k=4 stream=2");
    bpk_sketch *alone = w_make("of=sample span=6 panes=3 k=4 stream=1");
    for (uint64_t now = 0; now < 8; now++) w_add(a, now, now), w_add(b, now, now);
    assert_int_equal(bpk_merge(a, b, NULL), BPK_OK);
    for (uint64_t now = 20; now < 40; now++) w_add(a, now, now), w_add(alone, now, now);
    t_assert_same_bytes(a, alone);
    bpk_free(a), bpk_free(b), bpk_free(alone);
}

/* ---- failing half-way ---- */

static void a_merge_that_finds_no_memory_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        for (long nth = 1;; nth++) {
            t_env env;
            t_env_init(&env, 0);
            bpk_sketch *a = NULL, *source = w_kind(i, 12, 3, 1), *b = w_kind(i, 12, 3, 2);
            for (uint64_t now = 0; now < 14; now++) w_add_full(source, now, now), w_add_full(b, now + 3, 50 + now);
            assert_int_equal(bpk_copy(&a, source, &env.env), BPK_OK);
            env.calls = 0;
            env.fail_at = nth;
            bpk_status st = bpk_merge(a, b, NULL);
            env.fail_at = 0;
            if (st != BPK_OK) t_assert_same_bytes(a, source);
            assert_int_equal(env.held, bpk_memory(a));
            bpk_free(a), bpk_free(b), bpk_free(source);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_int_equal(st, BPK_E_NOMEM);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_named),
        cmocka_unit_test(a_merge_is_the_window_of_both_streams),
        cmocka_unit_test(time_becomes_the_latest_and_what_that_drops_is_dropped),
        cmocka_unit_test(a_window_without_a_time_changes_nothing),
        cmocka_unit_test(any_order_gives_the_same_bytes),
        cmocka_unit_test(the_counter_of_late_items_stays_at_its_end),
        cmocka_unit_test(panes_of_a_sample_have_streams_of_their_own_also_after_reload),
        cmocka_unit_test(windows_of_one_stream_are_not_independent_and_do_not_merge),
        cmocka_unit_test(a_pane_s_stream_follows_from_its_time_alone),
        cmocka_unit_test(a_merge_that_finds_no_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
