/* test_bloom_ring_merge.c - which rotating filters unite, in what order, and what becomes of generations that a union
 * fills.
 */
#include "t_ring.h"

#include "bloom_state.h"

static void assert_refused(bpk_bloom *a, bpk_bloom *b, const char *field) {
    bpk_bloom *a0 = ring_copy(a), *b0 = ring_copy(b);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, field);
    t_assert_same_bytes(bpk_bloom_base(a), bpk_bloom_base(a0));
    t_assert_same_bytes(bpk_bloom_base(b), bpk_bloom_base(b0));
    bloom_free(a0), bloom_free(b0);
}

static void rings_merge_in_the_same_state_of_rotation_and_not_over_their_plan(void **state) {
    (void)state;
    bpk_bloom *a = ring_new(400, 0.01, 4, 400, 0), *b = ring_copy(a), *c;
    for (uint64_t i = 0; i < 200; i++) ring_add(a, t_hash(1, i), 5000 + 2 * i);
    for (uint64_t i = 0; i < 190; i++) ring_add(b, t_hash(2, i), 5003 + 2 * i);
    c = ring_copy(b);
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
    for (uint64_t i = 0; i < 190; i++) assert_true(ring_has(a, t_hash(1, i)) && ring_has(a, t_hash(2, i)));
    assert_int_equal(bpki_ring_now(a), 5398);
    assert_true(bpk_bloom_rate(a) <= 0.01);
    assert_refused(a, b, "adds"); /* 100 and 50 in one generation */
    assert_int_equal(bpk_bloom_advance(c, 5400), BPK_OK);
    assert_refused(a, c, "current");
    bpk_bloom *late = ring_new(400, 0.01, 4, 400, 0), *jumped = ring_new(400, 0.01, 4, 400, 0);
    ring_add(late, 1, 5800), ring_add(jumped, 1, 6300);
    assert_refused(late, jumped, "since");
    bpk_bloom *more = ring_new(400, 0.01, 5, 400, 0), *span = ring_new(400, 0.01, 4, 401, 0),
              *first = ring_new(400, 0.01, 4, 400, 1), *items = ring_new(399, 0.01, 4, 400, 0),
              *lines = ring_new(400, 1e-5, 4, 400, 0), *blocks = ring_new(9000, 0.01, 4, 400, 0),
              *plain = bloom_new(400, 0.01, 0, 0);
    assert_refused(late, more, "generations");
    assert_refused(late, plain, "generations");
    assert_refused(plain, late, "generations");
    assert_refused(late, span, "span");
    assert_refused(late, first, "seen");
    assert_refused(late, items, "items");
    assert_refused(late, lines, "lines");
    assert_refused(late, blocks, "blocks");
    bloom_free(a), bloom_free(b), bloom_free(c), bloom_free(late), bloom_free(jumped), bloom_free(more);
    bloom_free(span), bloom_free(first), bloom_free(items), bloom_free(lines), bloom_free(blocks), bloom_free(plain);
}

/* Items of both parts have set their bits once and are counted twice. */
static void a_union_of_parts_with_the_same_items_is_read_back(void **state) {
    (void)state;
    for (uint64_t span = 0; span <= 400; span += 400) {
        bpk_bloom *sum = ring_new(4000, 0.01, 4, span, 0), *part;
        for (uint64_t i = 0; i < 50; i++) ring_add(sum, t_hash(1, i % 3), 1000);
        part = ring_copy(sum);
        for (unsigned times = 2; times <= 300; times++) {
            bpk_sketch *back = NULL;
            assert_int_equal(bpk_merge(bpk_bloom_base(sum), bpk_bloom_base(part), NULL), BPK_OK);
            t_bytes bytes = t_encode(bpk_bloom_base(sum), BPK_FORM_SMALL);
            assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(back, bpk_bloom_base(sum));
            assert_int_equal(bpki_ring_adds((bpk_bloom *)back, sum->turn.current), 3 * times);
            free(bytes.p), bpk_free(back);
        }
        assert_true(bpki_ring_set(sum, sum->turn.current) < bpki_ring_adds(sum, sum->turn.current));
        bloom_free(sum), bloom_free(part);
    }
}

/* Parts of the window's first generation make a whole one, which is closed. */
static void a_union_that_fills_a_generation_is_closed_by_the_next_add_and_keeps_the_stricter_rate(void **state) {
    (void)state;
    bpk_bloom *a = ring_new(400, 0.01, 4, 0, 0), *b = NULL, *c;
    const bpk_bloom_config lower = {.items = 400, .rate = 0.0099, .generations = 4};
    assert_int_equal(bpk_bloom_new(&b, &lower, NULL), BPK_OK);
    assert_true(bloom_number(a, "blocks") == bloom_number(b, "blocks"));
    for (uint64_t i = 0; i < 50; i++) ring_add(a, t_hash(1, i), 0), ring_add(b, t_hash(2, i), 0);
    c = ring_copy(b);
    assert_int_equal(bpk_merge(bpk_bloom_base(c), bpk_bloom_base(a), NULL), BPK_OK);
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
    t_assert_same_bytes(bpk_bloom_base(a), bpk_bloom_base(c));
    assert_true(bloom_number(a, "rate_asked") == 0.0099);
    t_bytes bytes = t_encode(bpk_bloom_base(a), BPK_FORM_SMALL);
    bpk_sketch *back = NULL;
    assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpki_ring_adds(a, 0), 100);
    assert_int_equal(a->turn.current, 0);
    ring_add(a, t_hash(3, 0), 0), ring_add((bpk_bloom *)back, t_hash(3, 0), 0);
    assert_true(a->turn.current == 1 && bpki_ring_adds(a, 0) == 100 && bpki_ring_adds(a, 1) == 1);
    t_assert_same_bytes(back, bpk_bloom_base(a));
    free(bytes.p), bpk_free(back), bloom_free(a), bloom_free(b), bloom_free(c);
}

/* All orders of two that fill a generation and two with nothing in them, one of which has a later time. */
static void many_rings_merge_in_any_order_and_empty_ones_change_nothing(void **state) {
    (void)state;
    for (uint64_t span = 0; span <= 400; span += 400) {
        bpk_bloom *part[4];
        for (unsigned i = 0; i < 4; i++) part[i] = ring_new(400, 0.01, 4, span, 0);
        for (uint64_t i = 0; i < 50; i++)
            ring_add(part[0], t_hash(1, i) >> 2, 1000), ring_add(part[1], t_hash(2, i) >> 2, 1010);
        if (span) ring_add(part[2], 1, 3), bpk_bloom_advance(part[2], 5000);
        bpk_sketch *want = NULL;
        const bpk_sketch *const two[] = {bpk_bloom_base(part[0]), bpk_bloom_base(part[1])};
        assert_int_equal(bpk_merge_many(&want, two, 2, NULL, NULL), BPK_OK);
        ((bpk_bloom *)want)->turn.lost = span > 0; /* which is told of all */
        for (unsigned order = 0; order < 256; order++) {
            unsigned at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
            if ((1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) != 15) continue;
            const bpk_sketch *src[4];
            bpk_sketch *sum = NULL;
            for (unsigned i = 0; i < 4; i++) src[i] = bpk_bloom_base(part[at[i]]);
            assert_int_equal(bpk_merge_many(&sum, src, 4, NULL, NULL), BPK_OK);
            t_assert_same_bytes(sum, want);
            bpk_free(sum);
        }
        assert_int_equal(bpk_merge(bpk_bloom_base(part[3]), bpk_bloom_base(part[2]), NULL), BPK_OK);
        assert_int_equal(bpki_ring_now(part[3]), span ? 5000 : 0);
        t_assert_same_bytes(bpk_bloom_base(part[2]), bpk_bloom_base(part[3]));
        bpk_free(want);
        for (unsigned i = 0; i < 4; i++) bloom_free(part[i]);
    }
}

/* Two parts, each under its rate, of items that crowd in a quarter of the blocks. The generation is closed before it
 * takes an item, also in bytes that were read back; what the union has crowded is told. */
static void a_union_that_comes_to_its_rate_is_closed_by_the_next_add_and_health_says_so(void **state) {
    (void)state;
    enum { PART = 1570 };
    bpk_bloom *a = ring_new(20000, 0.01, 4, 0, 0), *b = ring_copy(a);
    for (uint64_t i = 0; i < PART; i++) ring_add(a, t_hash(2, i) >> 2, 0), ring_add(b, t_hash(3, i) >> 2, 0);
    assert_true(bpk_bloom_rate(a) < a->plan.rate && bpk_bloom_rate(b) < b->plan.rate);
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
    double rate = bpk_bloom_rate(a);
    uint64_t adds = bpki_ring_adds(a, 0);
    print_message("a union of crowded parts: %.1f times the rate of its generation\n", rate / a->plan.rate);
    assert_true(a->turn.current == 0 && adds > PART && rate > 0.02);
    assert_int_equal(bpk_health(bpk_bloom_base(a), NULL, NULL), BPK_HEALTH_WARN);
    t_bytes bytes = t_encode(bpk_bloom_base(a), BPK_FORM_SMALL);
    bpk_sketch *back = NULL;
    assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
    ring_add(a, t_hash(4, 0) >> 2, 0), ring_add((bpk_bloom *)back, t_hash(4, 0) >> 2, 0);
    t_assert_same_bytes(bpk_bloom_base(a), back);
    assert_true(a->turn.current == 1 && bpki_ring_adds(a, 0) == adds && bpki_ring_adds(a, 1) == 1);
    assert_true(bpk_bloom_rate(a) < 1.001 * rate);
    free(bytes.p), bpk_free(back), bloom_free(a), bloom_free(b);
}

/* Looked at once: it goes on as any other. */
static void a_union_below_its_rate_stays_open(void **state) {
    (void)state;
    bpk_bloom *a = ring_new(20000, 1e-9, 4, 400, 0), *b = ring_copy(a), *both = ring_copy(a);
    for (uint64_t i = 0; i < 2000; i++) {
        ring_add(a, t_hash(2, i), 1000), ring_add(b, t_hash(3, i), 1000);
        ring_add(both, t_hash(2, i), 1000), ring_add(both, t_hash(3, i), 1000);
    }
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
    ring_add(a, t_hash(4, 0), 1000), ring_add(both, t_hash(4, 0), 1000);
    t_assert_same_bytes(bpk_bloom_base(a), bpk_bloom_base(both));
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_E_MISMATCH);
    assert_int_equal(bpk_bloom_advance(a, 9000), BPK_OK);
    assert_int_equal(bpk_bloom_advance(both, 9000), BPK_OK);
    t_assert_same_bytes(bpk_bloom_base(a), bpk_bloom_base(both));
    bloom_free(a), bloom_free(b), bloom_free(both);
}

/* The union comes to the closing rate before all parts are in. */
static void parts_that_crowd_merge_in_any_order(void **state) {
    (void)state;
    bpk_bloom *part[3];
    bpk_sketch *sum[2] = {NULL, NULL};
    for (uint64_t p = 0; p < 3; p++) {
        part[p] = ring_new(20000, 0.01, 4, 0, 0);
        for (uint64_t i = 0; i < (p < 2 ? 900 : 100); i++) ring_add(part[p], t_hash(p, i) >> 2, 0);
        assert_int_equal(part[p]->turn.current, 0);
    }
    const bpk_sketch *const early[] = {bpk_bloom_base(part[0]), bpk_bloom_base(part[1]), bpk_bloom_base(part[2])};
    const bpk_sketch *const late[] = {bpk_bloom_base(part[0]), bpk_bloom_base(part[2]), bpk_bloom_base(part[1])};
    assert_int_equal(bpk_merge_many(&sum[0], early, 3, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_merge_many(&sum[1], late, 3, NULL, NULL), BPK_OK);
    t_assert_same_bytes(sum[0], sum[1]);
    for (uint64_t i = 0; i < 5000; i++) ring_add((bpk_bloom *)sum[0], t_hash(9, i), 0);
    assert_true(bpki_ring_adds((bpk_bloom *)sum[0], 0) < 5000); /* it was closed by its rate */
    for (unsigned p = 0; p < 3; p++) bloom_free(part[p]);
    bpk_free(sum[0]), bpk_free(sum[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_merge_in_the_same_state_of_rotation_and_not_over_their_plan),
        cmocka_unit_test(a_union_of_parts_with_the_same_items_is_read_back),
        cmocka_unit_test(a_union_that_fills_a_generation_is_closed_by_the_next_add_and_keeps_the_stricter_rate),
        cmocka_unit_test(many_rings_merge_in_any_order_and_empty_ones_change_nothing),
        cmocka_unit_test(a_union_that_comes_to_its_rate_is_closed_by_the_next_add_and_health_says_so),
        cmocka_unit_test(a_union_below_its_rate_stays_open),
        cmocka_unit_test(parts_that_crowd_merge_in_any_order),
    };
    return cmocka_run_group_tests_name("bloom_ring_merge", tests, NULL, NULL);
}
