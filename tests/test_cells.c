/* test_cells.c - rows of saturating counters of every size, against a plain array. */
#include "t.h"

#include "cells.h"

enum { WIDTH_MAX = 300, DEPTH_MAX = 5, BYTES_MAX = WIDTH_MAX * DEPTH_MAX * 8 + 1 };

static const uint8_t sizes[] = {1, 2, 4, 8};
enum { SIZES = 4 };

/* Cells and what they should hold. The bytes start at an odd address. */
typedef struct pair {
    bpki_cells c;
    uint8_t bytes[BYTES_MAX];
    uint64_t model[DEPTH_MAX][WIDTH_MAX];
} pair;

static void start(pair *p, uint64_t width, uint32_t depth, uint8_t size) {
    memset(p, 0, sizeof *p);
    p->c = (bpki_cells){p->bytes + 1, width, depth, size, bpki_cell_max(size)};
}

static uint64_t sticky(uint64_t a, uint64_t b, uint64_t cap) {
    return a > UINT64_MAX - b || a + b > cap ? cap : a + b;
}

/* Row r of a hash, as docs/format.md writes it: mulhi(h_r, width), h_0 = hash, h_(r+1) = (h_r | 1) x
 * 0xF1357AEA2E62A9C5. */
static size_t place(const pair *p, uint64_t hash, uint32_t row) {
    while (row-- > 0) hash = (hash | 1) * UINT64_C(0xF1357AEA2E62A9C5);
    return (size_t)bpki_mulhi(hash, p->c.width);
}
static uint64_t model_min(const pair *p, uint64_t hash) {
    uint64_t min = UINT64_MAX;
    for (uint32_t r = 0; r < p->c.depth; r++) {
        uint64_t v = p->model[r][place(p, hash, r)];
        min = v < min ? v : min;
    }
    return min;
}
static void model_add(pair *p, uint64_t hash, uint64_t by) {
    for (uint32_t r = 0; r < p->c.depth; r++) {
        uint64_t *v = &p->model[r][place(p, hash, r)];
        *v = sticky(*v, by, p->c.cap);
    }
}
static void model_raise(pair *p, uint64_t hash, uint64_t by) {
    uint64_t to = sticky(model_min(p, hash), by, p->c.cap);
    for (uint32_t r = 0; r < p->c.depth; r++) {
        uint64_t *v = &p->model[r][place(p, hash, r)];
        *v = *v < to ? to : *v;
    }
}
static void assert_equal(const pair *p) {
    for (uint32_t r = 0; r < p->c.depth; r++)
        for (size_t i = 0; i < p->c.width; i++) assert_true(bpki_cells_get(&p->c, r, i) == p->model[r][i]);
    assert_int_equal(p->bytes[0], 0);
}

/* Weights of every magnitude, some of 0, some beyond any cell. */
static uint64_t weight_of(uint64_t i) {
    uint64_t x = t_hash(9, i);
    return x % 5 == 0 ? 0 : x >> (x % 64);
}

static void check_updates(uint64_t width, uint32_t depth, uint8_t size, bool raise, bool weighted) {
    static pair p;
    uint64_t hash[100], weight[100];
    start(&p, width, depth, size);
    for (uint64_t at = 0; at < 6000; at += 100) {
        size_t n = (size_t)(t_hash(4, at) % 101);
        for (size_t i = 0; i < n; i++) hash[i] = t_hash(5, t_hash(6, at + i) % 400), weight[i] = weight_of(at + i);
        if (raise) bpki_cells_raise(&p.c, hash, weighted ? weight : NULL, n);
        else bpki_cells_add(&p.c, hash, weighted ? weight : NULL, n);
        for (size_t i = 0; i < n; i++) (raise ? model_raise : model_add)(&p, hash[i], weighted ? weight[i] : 1);
    }
    assert_equal(&p);
    assert_true(bpki_cells_valid(&p.c));
    for (uint64_t i = 0; i < 500; i++) assert_true(bpki_cells_min(&p.c, t_hash(5, i)) == model_min(&p, t_hash(5, i)));
}

static void adding_and_raising_do_what_a_plain_array_does_in_every_size(void **state) {
    (void)state;
    static const struct {
        uint64_t width;
        uint32_t depth;
    } shapes[] = {{1, 1}, {2, 3}, {7, 2}, {64, 4}, {300, 5}};
    for (size_t s = 0; s < SIZES; s++)
        for (size_t i = 0; i < BPKI_COUNT(shapes); i++)
            for (int how = 0; how < 4; how++)
                check_updates(shapes[i].width, shapes[i].depth, sizes[s], how & 1, how & 2);
}

static void a_cell_at_its_end_stays_there(void **state) {
    (void)state;
    static pair p;
    for (size_t s = 0; s < SIZES; s++) {
        start(&p, 10, 2, sizes[s]);
        uint64_t hash = 12345, cap = p.c.cap, most = UINT64_MAX, below = cap - 1;
        bpki_cells_add(&p.c, &hash, &below, 1);
        assert_true(bpki_cells_min(&p.c, hash) == cap - 1);
        bpki_cells_add(&p.c, &hash, NULL, 1);
        assert_true(bpki_cells_min(&p.c, hash) == cap);
        bpki_cells_add(&p.c, &hash, NULL, 1);
        bpki_cells_raise(&p.c, &hash, &most, 1);
        assert_true(bpki_cells_min(&p.c, hash) == cap);
        bpki_cells_sum(&p.c, &p.c);
        assert_true(bpki_cells_min(&p.c, hash) == cap && bpki_cells_valid(&p.c));
    }
    assert_true(bpki_add_sticky(UINT64_MAX, 1, UINT64_MAX) == UINT64_MAX);
    assert_true(bpki_add_sticky(3, 4, 7) == 7 && bpki_add_sticky(3, 3, 7) == 6 && bpki_add_sticky(7, 0, 7) == 7);
}

static void a_sum_adds_cell_by_cell(void **state) {
    (void)state;
    static pair a, b;
    for (size_t s = 0; s < SIZES; s++) {
        start(&a, 50, 3, sizes[s]);
        start(&b, 50, 3, sizes[s]);
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t hash = t_hash(1, i), by = weight_of(i);
            bpki_cells_add(i % 2 ? &a.c : &b.c, &hash, &by, 1);
            model_add(i % 2 ? &a : &b, hash, by);
        }
        bpki_cells_sum(&a.c, &b.c);
        for (uint32_t r = 0; r < 3; r++)
            for (size_t i = 0; i < 50; i++) a.model[r][i] = sticky(a.model[r][i], b.model[r][i], a.c.cap);
        assert_equal(&a);
        assert_equal(&b);
    }
}

static void the_largest_of_a_row_and_validity_look_at_every_cell(void **state) {
    (void)state;
    static pair p;
    for (size_t s = 0; s < SIZES; s++)
        for (size_t i = 0; i < 40; i++) {
            start(&p, 40, 2, sizes[s]);
            p.c.cap = 100;
            bpki_cells_set(&p.c, 0, i, 100);
            assert_true(bpki_cells_largest(&p.c, 0) == 100 && bpki_cells_largest(&p.c, 1) == 0);
            assert_true(bpki_cells_valid(&p.c));
            bpki_cells_set(&p.c, 1, i, 101);
            assert_true(bpki_cells_largest(&p.c, 1) == 101);
            assert_false(bpki_cells_valid(&p.c));
        }
}

static void widening_joins_neighbours_through_their_maximum_in_the_same_bytes(void **state) {
    (void)state;
    static pair p;
    start(&p, 256, 2, 1);
    for (uint32_t r = 0; r < 2; r++)
        for (size_t i = 0; i < 256; i++) bpki_cells_set(&p.c, r, i, p.model[r][i] = t_hash(r, i) % 256);
    for (unsigned size = 2; size <= 8; size *= 2) {
        bpki_cells_widen(&p.c, bpki_cell_max(size) / 2);
        assert_true(p.c.cell_bytes == size && p.c.width == 256 / size && p.c.cap == bpki_cell_max(size) / 2);
        for (uint32_t r = 0; r < 2; r++)
            for (size_t i = 0; i < p.c.width; i++) {
                uint64_t x = p.model[r][2 * i], y = p.model[r][2 * i + 1];
                p.model[r][i] = x > y ? x : y;
            }
        assert_equal(&p);
    }
}

static void a_position_halves_with_the_width(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        bpki_cells wide = {.width = 4096}, half = {.width = 2048};
        uint64_t at = t_hash(3, i);
        assert_int_equal(bpki_cells_index(&wide, at) / 2, bpki_cells_index(&half, at));
    }
}

static void cells_are_little_endian_bytes_at_any_address(void **state) {
    (void)state;
    uint8_t bytes[16];
    for (size_t s = 0; s < SIZES; s++)
        for (size_t at = 0; at < 8; at++) {
            uint64_t v = UINT64_C(0x8877665544332211) & bpki_cell_max(sizes[s]);
            memset(bytes, 0xee, sizeof bytes);
            bpki_cell_store(bytes + at, sizes[s], v);
            assert_true(bpki_cell_load(bytes + at, sizes[s]) == v);
            for (size_t i = 0; i < sizes[s]; i++) assert_int_equal(bytes[at + i], 0x11 * (i + 1));
            assert_int_equal(bytes[at + sizes[s]], 0xee);
        }
}

static void sizes_that_do_not_fit_are_told(void **state) {
    (void)state;
    size_t n = 0;
    assert_true(bpki_cells_size(2719, 5, 4, &n));
    assert_int_equal(n, 54380);
    assert_false(bpki_cells_size(UINT64_C(1) << 62, 1, 8, &n));
    assert_false(bpki_cells_size(UINT64_C(1) << 61, 32, 1, &n));
    assert_true(bpki_cell_max(1) == UINT8_MAX && bpki_cell_max(2) == UINT16_MAX && bpki_cell_max(4) == UINT32_MAX &&
                bpki_cell_max(8) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_and_raising_do_what_a_plain_array_does_in_every_size),
        cmocka_unit_test(a_cell_at_its_end_stays_there),
        cmocka_unit_test(a_sum_adds_cell_by_cell),
        cmocka_unit_test(the_largest_of_a_row_and_validity_look_at_every_cell),
        cmocka_unit_test(widening_joins_neighbours_through_their_maximum_in_the_same_bytes),
        cmocka_unit_test(a_position_halves_with_the_width),
        cmocka_unit_test(cells_are_little_endian_bytes_at_any_address),
        cmocka_unit_test(sizes_that_do_not_fit_are_told),
    };
    return cmocka_run_group_tests_name("test_cells", tests, NULL, NULL);
}
