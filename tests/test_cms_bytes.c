/* test_cms_bytes.c - count-min sketches as bytes: what decodes goes on as before, what cannot be is refused by name. */
#include "t_streams.h"

#include "cells.h"

enum {
    AT_WIDTH = 32,
    AT_DEPTH = 36,
    AT_CELL = 40,
    AT_UPDATE = 41,
    AT_CODING = 42,
    AT_RESERVED = 43,
    AT_ROUNDING = 44,
    AT_TOTAL = 48,
    AT_HALF_LIFE = 56,
    AT_NOW = 64,
    AT_BODY = 72,
    AT_CELLS = 128
};

static bpk_sketch *new_cms(uint32_t width, uint32_t depth, uint8_t cell_bytes, uint8_t conservative) {
    bpk_cms *c = NULL;
    bpk_cms_config cfg = {.width = width, .depth = depth, .cell_bytes = cell_bytes, .conservative = conservative};
    assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
    return bpk_cms_base(c);
}
static void add_one(bpk_sketch *s, uint64_t hash, uint64_t weight) {
    bpk_items it = {.n = 1, .hash = &hash, .weight = &weight};
    assert_int_equal(bpk_add(s, &it, NULL, NULL), BPK_OK);
}

/* All cell sizes, both rules; some with cells at their end. */
static bpk_sketch *sample(size_t i) {
    bpk_sketch *s = new_cms(40 + (uint32_t)i, 1 + (uint32_t)i % 4, (uint8_t)(1 << i % 4), i / 4 % 2);
    for (uint64_t j = 0; j < 300; j++) add_one(s, t_hash(i, j), 1 + j % 5);
    if (i >= 8) add_one(s, 1, UINT64_MAX);
    return s;
}
enum { SAMPLES = 16 };

static void a_decoded_sketch_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_sketch *a = sample(i), *b = NULL;
            t_bytes bytes = t_encode(a, (bpk_form)form);
            assert_int_equal(bpk_decode(&b, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(a, b);
            t_add(a, 9, 0, 500);
            t_add(b, 9, 0, 500);
            assert_int_equal(bpk_merge(b, a, NULL), BPK_OK);
            assert_int_equal(bpk_merge(a, b, NULL), BPK_OK);
            assert_true(bpk_cms_total(bpk_as_cms(a)) >= bpk_cms_total(bpk_as_cms(b)));
            bpk_free(a), bpk_free(b);
            free(bytes.p);
        }
}

static void the_layout_is_the_documented_one(void **state) {
    (void)state;
    bpk_sketch *s = new_cms(300, 2, 2, 1);
    add_one(s, 77, 515);
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    static const uint8_t params[40] = {300 % 256, 1, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 2};
    assert_int_equal(b.p[OFF_KIND], BPK_KIND_CMS);
    assert_int_equal(b.p[OFF_PARAMS_N], 12);
    assert_memory_equal(b.p + AT_WIDTH, params, sizeof params);
    assert_int_equal(b.n, AT_CELLS + 1200 + 8);
    const uint64_t position[2] = {77, 77 * UINT64_C(0xF1357AEA2E62A9C5)};
    for (size_t r = 0; r < 2; r++) {
        const uint8_t *cell = b.p + AT_CELLS + 600 * r + 2 * bpki_mulhi(position[r], 300);
        assert_true(cell[0] == 3 && cell[1] == 2);
    }
    free(b.p);
    bpk_free(s);
}

static void assert_same_answer(const bpk_estimate *a, const bpk_estimate *b) {
    assert_true(a->estimate == b->estimate && a->lower == b->lower && a->upper == b->upper);
    assert_true(a->confidence == b->confidence && a->flags == b->flags);
}

static void a_view_answers_as_its_sketch_at_any_address(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        bpk_sketch *s = sample(i), *sum = NULL, *copied = NULL;
        t_bytes bytes = t_encode(s, BPK_FORM_VIEW);
        uint8_t *odd = malloc(bytes.n + 1);
        memcpy(odd + 1, bytes.p, bytes.n);
        bpk_view v;
        const bpk_sketch *seen = bpk_view_open(&v, odd + 1, bytes.n, NULL);
        assert_non_null(seen);
        bpk_estimate x[64], y[64];
        uint64_t hash[64];
        for (size_t j = 0; j < 64; j++) hash[j] = t_hash(i, 5 * j);
        assert_int_equal(bpk_count(s, hash, 64, 0.9, x, NULL), BPK_OK);
        assert_int_equal(bpk_count(seen, hash, 64, 0.9, y, NULL), BPK_OK);
        for (size_t j = 0; j < 64; j++) assert_same_answer(&x[j], &y[j]);
        if (bpk_cms_inner(bpk_as_cms(s), bpk_as_cms(s), x, NULL) == BPK_OK) {
            assert_int_equal(bpk_cms_inner(bpk_as_cms(seen), bpk_as_cms(s), y, NULL), BPK_OK);
            assert_same_answer(x, y);
        }
        assert_true(t_info(s, "noise_floor") == t_info(seen, "noise_floor"));
        assert_int_equal(bpk_health(s, NULL, NULL), bpk_health(seen, NULL, NULL));
        t_assert_same_bytes(s, seen);
        assert_int_equal(bpk_copy(&copied, seen, NULL), BPK_OK);
        assert_int_equal(bpk_twin(&sum, seen, NULL), BPK_OK);
        assert_int_equal(bpk_merge(sum, seen, NULL), BPK_OK);
        t_assert_same_bytes(copied, s);
        t_assert_same_bytes(sum, s);
        bpk_free(s), bpk_free(sum), bpk_free(copied);
        free(odd), free(bytes.p);
    }
}

static void assert_damage(const t_bytes *good, size_t at, uint64_t value, size_t n, bpk_status st, const char *field) {
    t_bytes bad = t_dup(good);
    bpk_err err;
    bpk_sketch *out = NULL;
    for (size_t i = 0; i < n; i++) bad.p[at + i] = (uint8_t)(value >> (8 * i));
    t_reseal(bad.p, bad.n);
    assert_int_equal(bpk_decode(&out, bad.p, bad.n, NULL, NULL, &err), st);
    assert_string_equal(err.field, field);
    t_assert_refused(bad.p, bad.n);
    free(bad.p);
}

static void parameters_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < 8; i += 4) { /* plain, conservative */
        bpk_sketch *s = sample(i + 2);
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        assert_damage(&b, AT_WIDTH, 0, 4, BPK_E_CORRUPT, "width");
        assert_damage(&b, AT_WIDTH, 41, 4, BPK_E_CORRUPT, "cells");
        assert_damage(&b, AT_WIDTH, UINT32_MAX, 4, BPK_E_CORRUPT, "cells");
        assert_damage(&b, AT_DEPTH, 0, 4, BPK_E_CORRUPT, "depth");
        assert_damage(&b, AT_DEPTH, 33, 4, BPK_E_CORRUPT, "depth");
        assert_damage(&b, AT_DEPTH, 2, 4, BPK_E_CORRUPT, "cells");
        for (uint64_t size = 0; size < 256; size++)
            if (size != 4 && (size == 0 || size > 8 || (size & (size - 1))))
                assert_damage(&b, AT_CELL, size, 1, BPK_E_CORRUPT, "cell_bytes");
        assert_damage(&b, AT_UPDATE, 2, 1, BPK_E_VERSION, "update");
        assert_damage(&b, AT_CODING, 2, 1, BPK_E_VERSION, "coding");
        assert_damage(&b, AT_RESERVED, 1, 1, BPK_E_CORRUPT, "reserved");
        if (i == 0) assert_damage(&b, AT_ROUNDING, 1, 4, BPK_E_CORRUPT, "rounding"); /* only the other is halved */
        assert_damage(&b, AT_NOW + 7, 1, 1, BPK_E_CORRUPT, "now");
        assert_damage(&b, AT_TOTAL, 0, 8, BPK_E_CORRUPT, "total");
        free(b.p);
        bpk_free(s);
    }
}

static void a_plain_row_adds_up_to_the_total_and_a_conservative_one_to_no_more(void **state) {
    (void)state;
    bpk_sketch *plain = new_cms(10, 2, 4, 0), *tight = new_cms(10, 2, 4, 1);
    for (uint64_t i = 0; i < 30; i++) add_one(plain, t_hash(1, i), 2), add_one(tight, t_hash(1, i), 2);
    t_bytes p = t_encode(plain, BPK_FORM_VIEW), t = t_encode(tight, BPK_FORM_VIEW);
    assert_damage(&p, AT_TOTAL, 59, 8, BPK_E_CORRUPT, "total");
    assert_damage(&p, AT_TOTAL, 61, 8, BPK_E_CORRUPT, "total");
    assert_damage(&t, AT_TOTAL, 9, 8, BPK_E_CORRUPT, "total");
    for (size_t i = 0; i < 20; i++) {
        uint64_t cell = bpki_load32(p.p + AT_CELLS + 4 * i);
        assert_damage(&p, AT_CELLS + 4 * i, cell + 1, 4, BPK_E_CORRUPT, "total");
        assert_damage(&t, AT_CELLS + 4 * i, 61, 4, BPK_E_CORRUPT, "total");
    }
    free(p.p), free(t.p);
    bpk_free(plain), bpk_free(tight);
}

static void a_cell_at_its_end_is_read_back_after_all_else_was_halved(void **state) {
    (void)state;
    const uint64_t hash[2] = {t_hash(1, 1), t_hash(1, 2)}, weight[2] = {UINT64_C(1) << 33, 7};
    for (unsigned i = 0; i < 5; i++) { /* by half-lives: plain, conservative; by hand: 1, 2 and 4 bytes a cell */
        const bpk_cms_config cfg = {.width = 10,
                                    .depth = 2,
                                    .cell_bytes = (uint8_t)(i < 2 ? 4 : 1u << (i - 2)),
                                    .conservative = i != 0,
                                    .half_life = i < 2 ? 10 : 0};
        bpk_cms *c = NULL;
        bpk_sketch *copied = NULL;
        assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
        bpk_sketch *s = bpk_cms_base(c);
        const bpk_items it = {.n = 2, .hash = hash, .weight = weight};
        assert_int_equal(bpk_add(s, &it, NULL, NULL), BPK_OK);
        for (uint64_t round = 1; round <= 40; round++) {
            if (i < 2) bpk_advance(s, 10 * round);
            else assert_int_equal(bpk_cms_halve((bpk_cms *)s, NULL), BPK_OK);
            assert_int_equal(bpk_copy(&copied, s, NULL), BPK_OK);
            s = t_reload(s);
            t_assert_same_bytes(s, copied);
            bpk_free(copied);
        }
        assert_true(bpk_cms_total((bpk_cms *)s) < 10);
        bpk_free(s);
    }
}

static void halved_rows_without_such_a_cell_add_up_to_no_more_than_the_total(void **state) {
    (void)state;
    bpk_sketch *s = new_cms(10, 2, 4, 1);
    add_one(s, t_hash(1, 1), 10);
    assert_int_equal(bpk_cms_halve((bpk_cms *)s, NULL), BPK_OK);
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    assert_damage(&b, AT_TOTAL, 4, 8, BPK_E_CORRUPT, "total");
    memset(b.p + AT_ROUNDING, 0xFF, 4);
    assert_damage(&b, AT_TOTAL, 4, 8, BPK_E_CORRUPT, "total");
    free(b.p);
    bpk_free(s);
}

static void every_bit_flip_and_every_truncation_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i += 3) {
        bpk_sketch *s = sample(i);
        t_bytes b = t_encode(s, i % 2 ? BPK_FORM_VIEW : BPK_FORM_SMALL);
        t_assert_damage_refused(b);
        free(b.p);
        bpk_free(s);
    }
}

static void resealed_damage_is_refused_or_is_another_sketch_in_its_one_form(void **state) {
    (void)state;
    size_t accepted = 0;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_sketch *s = sample(i);
            t_bytes b = t_encode(s, (bpk_form)form);
            t_rng r = {i};
            for (size_t at = 8; at < AT_BODY; at++)
                for (unsigned v = 0; v < 256; v += i ? 17 : 1) {
                    t_bytes bad = t_dup(&b);
                    bad.p[at] = (uint8_t)v;
                    t_reseal(bad.p, bad.n);
                    accepted += t_refused_or_canonical(bad.p, bad.n);
                    free(bad.p);
                }
            for (int turn = 0; turn < 300; turn++) {
                t_bytes bad = t_dup(&b);
                for (uint64_t n = t_below(&r, 4) + 1; n-- > 0;) bad.p[t_below(&r, bad.n)] = (uint8_t)t_next(&r);
                t_reseal(bad.p, bad.n);
                accepted += t_refused_or_canonical(bad.p, bad.n);
                free(bad.p);
            }
            free(b.p);
            bpk_free(s);
        }
    assert_true(accepted > 100);
}

static void every_allocation_may_fail_and_a_limit_is_kept(void **state) {
    (void)state;
    bpk_sketch *s = sample(3), *out = NULL;
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    for (long nth = 1;; nth++) {
        t_env env;
        t_env_init(&env, nth);
        bpk_status st = bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL);
        if (st == BPK_OK) bpk_free(out);
        assert_int_equal(env.held, 0);
        if (st == BPK_OK) break;
        assert_int_equal(st, BPK_E_NOMEM);
        assert_true(nth < 5);
    }
    out = NULL;
    t_env env;
    t_env_init(&env, 0);
    env.env.max_bytes = 1000; /* the cells take 1,376 */
    bpk_err err;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, &err), BPK_E_LIMIT);
    assert_int_equal(env.held, 0);
    free(b.p);
    bpk_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoded_sketch_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(the_layout_is_the_documented_one),
        cmocka_unit_test(a_view_answers_as_its_sketch_at_any_address),
        cmocka_unit_test(parameters_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(a_plain_row_adds_up_to_the_total_and_a_conservative_one_to_no_more),
        cmocka_unit_test(a_cell_at_its_end_is_read_back_after_all_else_was_halved),
        cmocka_unit_test(halved_rows_without_such_a_cell_add_up_to_no_more_than_the_total),
        cmocka_unit_test(every_bit_flip_and_every_truncation_is_refused),
        cmocka_unit_test(resealed_damage_is_refused_or_is_another_sketch_in_its_one_form),
        cmocka_unit_test(every_allocation_may_fail_and_a_limit_is_kept),
    };
    return cmocka_run_group_tests_name("test_cms_bytes", tests, NULL, NULL);
}
