/* test_groups.c - promises of groups.h, against exact sets of pairs. */
#include "t_streams.h"

#include <ballpark/groups.h>
#include <ballpark/hll.h>

typedef struct pairs {
    size_t n;
    uint64_t item[4096], group[4096];
    char name[4096][24];
    const void *at[4096];
    size_t len[4096];
} pairs;

static void put_pair(pairs *p, uint64_t group, uint64_t item) {
    size_t i = p->n++;
    p->item[i] = t_hash(1, item);
    p->group[i] = t_hash(2, group);
    p->len[i] = (size_t)snprintf(p->name[i], sizeof p->name[i], "g%llu", (unsigned long long)group);
    p->at[i] = p->name[i];
}
static bpk_status add_pairs(bpk_groups *g, pairs *p) {
    bpk_items it = {.n = p->n, .hash = p->item, .group = p->group, .group_name = p->at, .group_len = p->len};
    size_t done = 0;
    bpk_status st = bpk_groups_add(g, &it, &done);
    if (st == BPK_OK) assert_int_equal(done, p->n);
    p->n = 0;
    return st;
}
static bpk_sketch *new_hll(const char *precision) {
    bpk_sketch *s = NULL;
    bpk_param p[] = {{"precision", precision}};
    assert_int_equal(bpk_new(&s, "hll", NULL, p, 1, NULL, NULL), BPK_OK);
    return s;
}
static bpk_groups *new_groups(uint64_t max, bpk_groups_full full) {
    bpk_groups *g = NULL;
    bpk_sketch *like = new_hll("12");
    assert_int_equal(bpk_groups_new(&g, like, max, full, NULL, NULL), BPK_OK);
    bpk_free(like);
    return g;
}

typedef struct listing {
    size_t n;
    uint64_t group[64];
    bpk_estimate count[64];
    bool certain[64];
} listing;
static bool take_row(void *ctx, const bpk_row *row) {
    listing *l = ctx;
    char text[24] = "";
    memcpy(text, row->key, row->len);
    l->group[l->n] = strtoull(text + 1, NULL, 10);
    l->count[l->n] = row->count;
    l->certain[l->n++] = row->certain;
    return l->n < 64;
}
static listing list(const bpk_groups *g, size_t limit, double *ceiling) {
    listing l = {.n = 0};
    assert_int_equal(bpk_groups_rows(g, limit, 0.999999, take_row, &l, ceiling, NULL), BPK_OK);
    return l;
}

static void few_groups_are_all_kept_and_in_order(void **state) {
    (void)state;
    bpk_groups *g = new_groups(10, BPK_GROUPS_REFUSE);
    pairs *p = calloc(1, sizeof *p);
    for (uint64_t round = 0; round < 3; round++) /* the same again changes nothing */
        for (uint64_t group = 0; group < 10; group++)
            for (uint64_t i = 0; i <= 10 * (group % 5); i++) put_pair(p, group, i);
    assert_int_equal(add_pairs(g, p), BPK_OK);
    double ceiling = -1;
    listing l = list(g, 64, &ceiling);
    assert_int_equal(l.n, 10);
    assert_true(ceiling == 0 && bpk_groups_complete(g));
    static const uint64_t order[] = {4, 9, 3, 8, 2, 7, 1, 6, 0, 5};
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(l.group[i], order[i]);
        assert_int_equal((int)(l.count[i].estimate + 0.5), 10 * (int)(order[i] % 5) + 1);
        assert_true(l.certain[i]);
    }
    l = list(g, 3, &ceiling);
    assert_int_equal(l.n, 3);
    assert_true(ceiling >= 31 && ceiling < 33);
    assert_true(l.certain[0] && l.certain[1]);
    put_pair(p, 9, 1000);
    put_pair(p, 10, 1);
    put_pair(p, 9, 1001);
    bpk_items it = {.n = 3, .hash = p->item, .group = p->group, .group_name = p->at, .group_len = p->len};
    size_t done = 9;
    assert_int_equal(bpk_groups_add(g, &it, &done), BPK_E_FULL);
    assert_int_equal(done, 1);
    assert_int_equal(bpk_groups_kept(g), 10);
    bpk_groups_free(g);
    free(p);
}

/* Groups with Zipf sizes beside a flood of groups that come once: every row and the ceiling hold the truth. */
static void limits_hold_whatever_is_left_out(void **state) {
    (void)state;
    enum { GROUPS = 3000, PAIRS = 400000, ITEMS = 20000 };
    for (uint64_t seed = 0; seed < 3; seed++) {
        bpk_groups *g = new_groups(100, BPK_GROUPS_LARGEST);
        pairs *p = calloc(1, sizeof *p);
        uint8_t *seen = calloc(GROUPS, ITEMS / 8);
        uint32_t *truth = calloc(GROUPS, sizeof *truth);
        t_rng r = {seed};
        t_zipf zipf = t_zipf_of(GROUPS, 1);
        for (uint64_t i = 0; i < PAIRS; i++) {
            uint32_t group = t_zipf_next(&zipf, &r), item = (uint32_t)t_below(&r, ITEMS);
            uint8_t *byte = &seen[(size_t)group * (ITEMS / 8) + item / 8], bit = (uint8_t)(1 << item % 8);
            truth[group] += !(*byte & bit);
            *byte |= bit;
            put_pair(p, group, item);
            if (i % 4 == 0) put_pair(p, GROUPS + i, item); /* once each */
            if (p->n > 4000) assert_int_equal(add_pairs(g, p), BPK_OK);
        }
        assert_int_equal(add_pairs(g, p), BPK_OK);
        assert_false(bpk_groups_complete(g));
        assert_int_equal(bpk_groups_kept(g), 100);
        double ceiling;
        listing l = list(g, 10, &ceiling);
        size_t in_top = 0;
        bool shown[GROUPS] = {false};
        for (size_t i = 0; i < l.n; i++) {
            assert_true(l.group[i] < GROUPS);
            shown[l.group[i]] = true;
            in_top += l.group[i] < 10;
            assert_in_range(truth[l.group[i]], (uint64_t)l.count[i].lower, (uint64_t)ceil(l.count[i].upper));
            if (l.certain[i]) assert_true(l.group[i] < 10);
        }
        assert_true(in_top >= 9);
        for (size_t i = 0; i < GROUPS; i++)
            if (!shown[i]) assert_true(truth[i] <= ceiling);
        assert_true(ceiling < 20000);
        bpk_groups_free(g);
        free(seen);
        free(truth);
        free(p);
    }
}

static void what_is_wrong_is_refused(void **state) {
    (void)state;
    bpk_groups *g = NULL;
    bpk_err err;
    bpk_sketch *hll = new_hll("4");
    assert_int_equal(bpk_groups_new(&g, hll, 0, BPK_GROUPS_REFUSE, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "max_groups");
    assert_int_equal(bpk_groups_new(&g, hll, BPK_GROUPS_MAX + 1, BPK_GROUPS_REFUSE, NULL, NULL), BPK_E_ARG);
    assert_int_equal(bpk_groups_new(&g, hll, 1, (bpk_groups_full)7, NULL, &err), BPK_E_ARG);
    assert_null(g);
    assert_int_equal(bpk_groups_new(&g, hll, 1, BPK_GROUPS_LARGEST, NULL, NULL), BPK_OK);
    uint64_t hash = 1;
    assert_int_equal(bpk_groups_add(g, &(bpk_items){.n = 1, .hash = &hash}, NULL), BPK_E_ARG);
    assert_int_equal(bpk_groups_add(g, &(bpk_items){.n = 0}, NULL), BPK_OK);
    double ceiling = -1;
    assert_int_equal(list(g, 10, &ceiling).n, 0);
    assert_true(ceiling == 0);
    bpk_groups_free(g);
    bpk_groups_free(NULL);
    bpk_free(hll);
}

/* A table of one: whoever has most is in it most of the time, and nobody is lost to the limits. */
static void one_place_is_enough_for_the_limits(void **state) {
    (void)state;
    bpk_groups *g = new_groups(1, BPK_GROUPS_LARGEST);
    pairs *p = calloc(1, sizeof *p);
    for (uint64_t i = 0; i < 4000; i++) put_pair(p, i % 4 ? 1 : 2 + i % 3, i);
    assert_int_equal(add_pairs(g, p), BPK_OK);
    double ceiling;
    listing l = list(g, 1, &ceiling);
    assert_int_equal(l.n, 1);
    assert_true(l.group[0] == 1 ? l.count[0].upper >= 3000 && ceiling >= 334 : ceiling >= 3000);
    bpk_groups_free(g);
    free(p);
}

/* One item of a group at a time. */
static bpk_status add_at(bpk_groups *g, pairs *p, uint64_t group, uint64_t item, uint64_t now) {
    put_pair(p, group, item);
    bpk_items it = {.n = 1, .hash = p->item, .group = p->group, .group_name = p->at, .group_len = p->len, .now = now};
    p->n = 0;
    return bpk_groups_add(g, &it, NULL);
}

/* Whether it is the first of its group or not, has a place or not. */
static void what_is_too_late_for_a_window_is_in_no_group(void **state) {
    (void)state;
    bpk_groups *g = NULL;
    bpk_sketch *like = NULL;
    const bpk_param window[] = {{"of", "hll"}, {"span", "60"}, {"panes", "6"}};
    pairs *p = calloc(1, sizeof *p);
    double ceiling;
    assert_int_equal(bpk_new(&like, "window", NULL, window, 3, NULL, NULL), BPK_OK);
    for (unsigned full = 0; full <= BPK_GROUPS_LARGEST; full++) {
        assert_int_equal(bpk_groups_new(&g, like, 2, (bpk_groups_full)full, NULL, NULL), BPK_OK);
        for (uint64_t i = 0; i < 100; i++) assert_int_equal(add_at(g, p, 1, i, 1000), BPK_OK);
        for (uint64_t i = 0; i < 50; i++) assert_int_equal(add_at(g, p, 2, i, 900), BPK_OK);
        assert_int_equal(bpk_groups_kept(g), 1);
        for (uint64_t i = 0; i < 10; i++) assert_int_equal(add_at(g, p, 3, i, 950), BPK_OK);
        for (uint64_t i = 0; i < 2000; i++) assert_int_equal(add_at(g, p, 4 + i % 9, i, i % 930), BPK_OK);
        listing l = list(g, 10, &ceiling);
        assert_true(l.n == 2 && bpk_groups_complete(g) && ceiling == 0);
        assert_true(l.group[0] == 1 && l.count[0].upper >= 100 && l.group[1] == 3 && l.count[1].upper >= 10);
        assert_true(l.count[0].lower <= 100 && l.count[1].lower <= 10);
        bpk_groups_free(g);
    }
    bpk_free(like);
    free(p);
}

/* The object, its tables, names, shared sketches and the one that all are made like. */
static void the_limit_is_that_of_all_together(void **state) {
    (void)state;
    bpk_sketch *like[2] = {new_hll("6"), NULL};
    const bpk_param width[] = {{"width", "200"}};
    pairs *p = calloc(1, sizeof *p);
    assert_int_equal(bpk_new(&like[1], "cms", NULL, width, 1, NULL, NULL), BPK_OK);
    for (uint64_t limit = 500; limit < 12000; limit += 100) {
        bpk_groups *g = NULL;
        t_env e;
        t_env_init(&e, 0);
        e.env.max_bytes = limit;
        bpk_status st = bpk_groups_new(&g, like[limit / 100 % 2], 10, BPK_GROUPS_LARGEST, &e.env, NULL);
        for (uint64_t i = 0; i < 2000 && st == BPK_OK; i++) {
            st = add_at(g, p, i % 30, i, 0);
            assert_int_equal(e.held, bpk_groups_memory(g));
            if (st == BPK_OK) assert_true(e.held <= limit);
        }
        assert_true(st == BPK_OK || st == BPK_E_LIMIT);
        bpk_groups_free(g);
        assert_int_equal(e.held, 0);
    }
    bpk_free(like[0]), bpk_free(like[1]);
    free(p);
}

static void a_table_without_memory_says_so(void **state) {
    (void)state;
    bpk_sketch *like = new_hll("4");
    pairs *p = calloc(1, sizeof *p);
    bpk_groups *g = NULL;
    t_env e;
    for (long nth = 1; !g; nth++) {
        bpk_err err = {.code = BPK_OK};
        t_env_init(&e, nth);
        bpk_status st = bpk_groups_new(&g, like, 3, BPK_GROUPS_LARGEST, &e.env, &err);
        assert_true(st == BPK_OK || (st == BPK_E_NOMEM && err.code == st));
    }
    e.fail_at = 0;
    for (uint64_t i = 0; i < 400; i++) put_pair(p, i % 80, i);
    assert_int_equal(add_pairs(g, p), BPK_OK);
    for (bpk_status st = BPK_E_NOMEM; st != BPK_OK;) {
        bpk_err err = {.code = BPK_OK};
        listing l = {.n = 0};
        e.fail_at++, e.calls = 0;
        st = bpk_groups_rows(g, 10, 0, take_row, &l, NULL, &err);
        assert_true(st == BPK_OK || (st == BPK_E_NOMEM && err.code == st && l.n == 0));
    }
    bpk_groups_free(g);
    bpk_free(like);
    assert_int_equal(e.held, 0);
    free(p);
}

static bpk_status use(const bpk_env *env) {
    bpk_groups *g = NULL;
    bpk_sketch *like = new_hll("4");
    pairs *p = calloc(1, sizeof *p);
    bpk_status st = bpk_groups_new(&g, like, 60, BPK_GROUPS_LARGEST, env, NULL);
    for (uint64_t i = 0; i < 400; i++) put_pair(p, i % 80, i);
    if (st == BPK_OK) st = add_pairs(g, p);
    listing l = {.n = 0};
    if (st == BPK_OK) st = bpk_groups_rows(g, 10, 0, take_row, &l, NULL, NULL);
    if (st == BPK_OK) st = bpk_groups_advance(g, 7);
    bpk_groups_free(g);
    bpk_free(like);
    free(p);
    return st;
}
static void every_allocation_may_fail(void **state) {
    (void)state;
    t_env e;
    t_env_init(&e, 0);
    assert_int_equal(use(&e.env), BPK_OK);
    assert_int_equal(e.held, 0);
    long calls = e.calls;
    for (long at = 1; at <= calls; at++) {
        t_env_init(&e, at);
        assert_int_equal(use(&e.env), BPK_E_NOMEM);
        assert_int_equal(e.held, 0);
    }
    t_env_init(&e, 0);
    e.env.max_bytes = 8000;
    assert_int_equal(use(&e.env), BPK_E_LIMIT);
    assert_int_equal(e.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_groups_are_all_kept_and_in_order),
        cmocka_unit_test(limits_hold_whatever_is_left_out),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(one_place_is_enough_for_the_limits),
        cmocka_unit_test(what_is_too_late_for_a_window_is_in_no_group),
        cmocka_unit_test(the_limit_is_that_of_all_together),
        cmocka_unit_test(a_table_without_memory_says_so),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
