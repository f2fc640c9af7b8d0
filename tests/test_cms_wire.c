/* test_cms_wire.c - cells as varints and runs: the bytes are those of docs/format.md, written here a second time; what
 * decodes is what was encoded; every rule of a reader refuses what breaks it.
 */
#include "t_streams.h"

#include "cells.h"

enum { AT_PARAMS = 32, AT_CODING = 42, AT_TOTAL = 48, AT_BODY = 72, AT_CELLS = 128 };

/* ---- envelopes by hand ---- */

typedef struct shape {
    uint32_t width, depth;
    uint8_t cell_bytes;
} shape;

static size_t cells_in(const shape *s) {
    return (size_t)s->width * s->depth;
}

/* Conservative, with a total that no sum reaches, so that any cells may stand there. */
static t_bytes envelope(const shape *s, unsigned coding, int form, const uint8_t *body, size_t n) {
    uint8_t params[40] = {0};
    t_store64(params, (uint64_t)s->depth << 32 | s->width);
    params[8] = s->cell_bytes;
    params[9] = 1;
    params[AT_CODING - AT_PARAMS] = (uint8_t)coding;
    t_store64(params + AT_TOTAL - AT_PARAMS, UINT64_MAX);
    return t_envelope(BPK_KIND_CMS, form, params, sizeof params, body, n);
}

/* ---- the packed form, from docs/format.md ---- */

static t_bytes packed(const uint64_t *cell, size_t n) {
    t_bytes b = {NULL, 0};
    for (size_t i = 0; i < n;) {
        size_t run = 0;
        while (i + run < n && cell[i + run] == 0) run++;
        t_put_varint(&b, cell[i]);
        if (run) t_put_varint(&b, run - 1);
        i += run ? run : 1;
    }
    return b;
}
static t_bytes raw(const shape *s, const uint64_t *cell) {
    t_bytes b = {malloc(cells_in(s) * s->cell_bytes), cells_in(s) * s->cell_bytes};
    for (size_t i = 0; i < cells_in(s); i++)
        for (unsigned k = 0; k < s->cell_bytes; k++) b.p[i * s->cell_bytes + k] = (uint8_t)(cell[i] >> 8 * k);
    return b;
}

enum { STYLES = 7 };
static uint64_t some_cell(unsigned style, uint64_t seed, size_t i, uint64_t end) {
    uint64_t x = t_hash(seed, i), y = x >> 8;
    switch (style) {
    case 0: return 0;
    case 1: return end;
    case 2: return x % 50 ? 0 : y % 9;
    case 3: return x & 1 ? 0 : y % 200 & end;
    case 4: return y % 300 & end;
    case 5: return x % 3 ? 0 : (y | 1) & end;
    default: return (y >> x % 56) & end; /* of every length */
    }
}

static void the_body_is_the_documented_one_and_decodes_to_the_same_cells(void **state) {
    (void)state;
    size_t seen[2] = {0, 0};
    for (uint64_t i = 0; i < 4 * STYLES * 20; i++) {
        const shape s = {1 + (uint32_t)(t_hash(1, i) % 70), 1 + (uint32_t)(t_hash(2, i) % 5), (uint8_t)(1 << i % 4)};
        uint64_t cell[70 * 5];
        for (size_t j = 0; j < cells_in(&s); j++)
            cell[j] = some_cell((unsigned)(i / 4 % STYLES), i, j, bpki_cell_max(s.cell_bytes));
        t_bytes p = packed(cell, cells_in(&s)), r = raw(&s, cell);
        bool worth_it = p.n < r.n;
        t_bytes want = envelope(&s, worth_it, BPK_FORM_SMALL, worth_it ? p.p : r.p, worth_it ? p.n : r.n);
        t_bytes view = envelope(&s, 0, BPK_FORM_VIEW, r.p, r.n);
        bpk_sketch *a = NULL, *back = NULL;
        bpk_view v;
        assert_int_equal(bpk_decode(&a, view.p, view.n, NULL, NULL, NULL), BPK_OK);
        t_bytes small = t_encode(a, BPK_FORM_SMALL);
        assert_int_equal(small.n, want.n);
        assert_memory_equal(small.p, want.p, small.n);
        assert_int_equal(bpk_decode(&back, small.p, small.n, NULL, NULL, NULL), BPK_OK);
        t_assert_same_bytes(back, a);
        t_assert_same_bytes(bpk_view_open(&v, view.p, view.n, NULL), a);
        seen[worth_it]++;
        bpk_free(a), bpk_free(back);
        free(p.p), free(r.p), free(want.p), free(view.p), free(small.p);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
}

static void a_tie_is_raw(void **state) {
    (void)state;
    const shape s = {4, 1, 1};
    const uint8_t same[4] = {1, 2, 0, 5}, fewer[4] = {1, 0, 0, 0};
    t_bytes b = envelope(&s, 0, BPK_FORM_SMALL, same, 4); /* packed: 01 02 00 00 05 */
    assert_true(t_refused_or_canonical(b.p, b.n));
    free(b.p);
    b = envelope(&(shape){3, 1, 1}, 0, BPK_FORM_SMALL, (const uint8_t[3]){1, 0, 0}, 3); /* packed: 01 00 01 */
    assert_true(t_refused_or_canonical(b.p, b.n));
    free(b.p);
    b = envelope(&s, 0, BPK_FORM_SMALL, fewer, 4); /* packed: 01 00 02 */
    t_assert_refused(b.p, b.n);
    free(b.p);
}

static void a_run_goes_on_over_the_ends_of_rows(void **state) {
    (void)state;
    const shape s = {1000, 5, 4};
    bpk_cms *c = NULL;
    const bpk_cms_config cfg = {.width = s.width, .depth = s.depth, .cell_bytes = s.cell_bytes};
    assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
    t_bytes b = t_encode(bpk_cms_base(c), BPK_FORM_SMALL);
    const uint8_t body[3] = {0, 0x87, 0x27}; /* 4,999 = 0x27 * 128 + 7 */
    assert_int_equal(b.n, AT_BODY + 3 + DAMAGE_CHECKSUM);
    assert_memory_equal(b.p + AT_BODY, body, 3);
    free(b.p);
    bpk_free(bpk_cms_base(c));
}

static void bytes_merge_and_go_on_as_the_sketch_that_was_packed(void **state) {
    (void)state;
    for (int conservative = 0; conservative <= 1; conservative++) {
        bpk_cms *c = NULL;
        bpk_sketch *sum = NULL, *twice = NULL;
        const bpk_cms_config cfg = {.width = 200, .depth = 3, .cell_bytes = 4, .conservative = (uint8_t)conservative};
        assert_int_equal(bpk_cms_new(&c, &cfg, NULL), BPK_OK);
        t_add(bpk_cms_base(c), 1, 0, 90);
        t_bytes b = t_encode(bpk_cms_base(c), BPK_FORM_SMALL);
        assert_int_equal(b.p[AT_CODING], 1);
        for (int i = 0; i < 2; i++) assert_int_equal(bpk_merge_bytes(&sum, b.p, b.n, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_copy(&twice, bpk_cms_base(c), NULL), BPK_OK);
        assert_int_equal(bpk_merge(twice, bpk_cms_base(c), NULL), BPK_OK);
        t_assert_same_bytes(sum, twice);
        t_add(sum, 2, 0, 5000), t_add(twice, 2, 0, 5000);
        t_assert_same_bytes(sum, twice);
        free(b.p);
        bpk_free(bpk_cms_base(c)), bpk_free(sum), bpk_free(twice);
    }
}

/* ---- the reader's rules ---- */

static void assert_refused_at(const shape *s, unsigned coding, int form, const uint8_t *body, size_t n, bpk_status st,
                              const char *field, size_t offset) {
    t_bytes b = envelope(s, coding, form, body, n);
    bpk_err err;
    bpk_sketch *out = NULL;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), st);
    assert_string_equal(err.field, field);
    assert_int_equal(err.offset, offset);
    t_assert_refused(b.p, b.n);
    free(b.p);
}
/* 10 cells of a size; the body is wrong from its byte `at` on. */
static void refuse(uint8_t cell_bytes, const char *body, size_t n, size_t at) {
    const shape s = {5, 2, cell_bytes};
    assert_refused_at(&s, 1, BPK_FORM_SMALL, (const uint8_t *)body, n, BPK_E_CORRUPT, "cells", AT_BODY + at);
}
static void accept(uint8_t cell_bytes, const char *body, size_t n) {
    const shape s = {5, 2, cell_bytes};
    t_bytes b = envelope(&s, 1, BPK_FORM_SMALL, (const uint8_t *)body, n);
    assert_true(t_refused_or_canonical(b.p, b.n));
    free(b.p);
}

static void codings_that_are_not_the_smallest_or_not_of_the_form_are_refused(void **state) {
    (void)state;
    const shape s = {5, 2, 1};
    const uint8_t cells[10] = {1, 0, 0, 0, 2, 3, 4, 5, 6, 7}, full[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const bpk_status bad = BPK_E_CORRUPT;
    assert_refused_at(&s, 0, BPK_FORM_SMALL, cells, 10, bad, "coding", AT_CODING);
    assert_refused_at(&s, 1, BPK_FORM_SMALL, full, 10, bad, "coding", AT_CODING); /* raw is as small */
    assert_refused_at(&s, 1, BPK_FORM_SMALL, full, 11, bad, "coding", AT_CODING);
    assert_refused_at(&s, 1, BPK_FORM_VIEW, full, 10, bad, "coding", AT_CODING);
    assert_refused_at(&s, 1, BPK_FORM_VIEW, (const uint8_t *)"\0\x9", 2, bad, "coding", AT_CODING);
    for (unsigned coding = 2; coding < 256; coding += 127) {
        assert_refused_at(&s, coding, BPK_FORM_SMALL, full, 10, BPK_E_VERSION, "coding", AT_CODING);
        assert_refused_at(&s, coding, BPK_FORM_VIEW, full, 10, BPK_E_VERSION, "coding", AT_CODING);
    }
}

static void varints_have_no_byte_too_many(void **state) {
    (void)state;
    accept(4, "\1\0\x8", 3);
    refuse(4, "\x81\0\0\x8", 4, 0);
    refuse(4, "\x81\x80\0\0\x8", 5, 0);
    refuse(4, "\1\0\x88\0", 4, 1); /* of a run */
    refuse(4, "\x80\0\x9", 3, 0);  /* the zero before one */
    refuse(8, "\x81\x80\x80\x80\x80\x80\x80\x80\x80\0\0\x8", 12, 0);
}

static void cells_are_at_most_their_end(void **state) {
    (void)state;
    accept(1, "\xff\1\0\x8", 4);
    refuse(1, "\x80\2\0\x8", 4, 0);
    accept(2, "\0\x8\xff\xff\3", 5);
    refuse(2, "\0\x8\x80\x80\4", 5, 2);
    accept(4, "\xff\xff\xff\xff\xf\0\x8", 7);
    refuse(4, "\x80\x80\x80\x80\x10\0\x8", 7, 0);
    accept(8, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0\x8", 12);
    refuse(8, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\2\0\x8", 12, 0);
    refuse(8, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\0\0\x8", 13, 0);
}

static void a_run_is_as_long_as_it_can_be_and_no_longer_than_the_cells(void **state) {
    (void)state;
    accept(4, "\0\x9", 2);
    refuse(4, "\0\0\0\x8", 4, 2); /* split */
    refuse(4, "\0\4\0\4", 4, 2);  /* split at the end of a row */
    refuse(4, "\0\xa", 2, 0);
    refuse(4, "\1\0\x9", 3, 1);
    refuse(4, "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11, 0); /* 2^64 zeros */
    refuse(8, "\1\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12, 1);
}

static void a_body_ends_with_its_last_cell(void **state) {
    (void)state;
    refuse(4, "", 0, 0);
    refuse(4, "\0", 1, 0);
    refuse(4, "\0\x8", 2, 2);     /* one is missing */
    refuse(4, "\0\x8\x80", 3, 2); /* the last is cut */
    refuse(4, "\0\x9\0", 3, 2);
    refuse(4, "\0\x9\5", 3, 2);
    refuse(4, "\0\x8\5\0\0", 5, 3);
}

/* ---- few bytes for many cells ---- */

static void the_memory_limit_comes_before_the_cells_of_a_run(void **state) {
    (void)state;
    const shape large = {UINT32_C(1) << 22, 4, 8}, huge = {UINT32_MAX, 32, 8};
    t_bytes body = {NULL, 0};
    bpk_err err;
    bpk_sketch *s = NULL;
    t_put_varint(&body, 0), t_put_varint(&body, cells_in(&large) - 1);
    t_bytes b = envelope(&large, 1, BPK_FORM_SMALL, body.p, body.n);
    assert_int_equal(b.n, 85);
    t_limit_refused_then_granted(&b, (UINT64_C(1) << 27) - 1, UINT64_C(1) << 27);
    free(b.p), free(body.p);

    body = (t_bytes){NULL, 0};
    t_put_varint(&body, 0), t_put_varint(&body, cells_in(&huge) - 1);
    b = envelope(&huge, 1, BPK_FORM_SMALL, body.p, body.n);
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, &err), BPK_E_LIMIT); /* 2^40 bytes */
    free(b.p), free(body.p);
}

static void every_allocation_may_fail_and_encoding_makes_none(void **state) {
    (void)state;
    const shape s = {5, 2, 4};
    t_bytes b = envelope(&s, 1, BPK_FORM_SMALL, (const uint8_t *)"\1\0\x8", 3);
    t_decode_without_memory(&b);
    free(b.p);
}

/* ---- damage ---- */

static void every_cut_and_every_flipped_bit_of_a_body_is_refused_or_canonical(void **state) {
    (void)state;
    size_t accepted = 0;
    for (unsigned style = 0; style < STYLES; style++)
        for (unsigned size = 1; size <= 8; size *= 2) {
            const shape s = {30, 2, (uint8_t)size};
            uint64_t cell[60];
            for (size_t i = 0; i < 60; i++) cell[i] = some_cell(style, 7, i, bpki_cell_max(size));
            t_bytes p = packed(cell, 60);
            for (size_t n = 0; n < p.n; n++) {
                t_bytes b = envelope(&s, 1, BPK_FORM_SMALL, p.p, n);
                t_assert_refused(b.p, b.n);
                free(b.p);
            }
            t_bytes b = envelope(&s, 1, BPK_FORM_SMALL, p.p, p.n);
            for (size_t bit = 8 * AT_PARAMS; bit < 8 * (b.n - DAMAGE_CHECKSUM); bit++) {
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
                t_reseal(b.p, b.n);
                accepted += t_refused_or_canonical(b.p, b.n);
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            free(b.p), free(p.p);
        }
    assert_true(accepted > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_body_is_the_documented_one_and_decodes_to_the_same_cells),
        cmocka_unit_test(a_tie_is_raw),
        cmocka_unit_test(a_run_goes_on_over_the_ends_of_rows),
        cmocka_unit_test(bytes_merge_and_go_on_as_the_sketch_that_was_packed),
        cmocka_unit_test(codings_that_are_not_the_smallest_or_not_of_the_form_are_refused),
        cmocka_unit_test(varints_have_no_byte_too_many),
        cmocka_unit_test(cells_are_at_most_their_end),
        cmocka_unit_test(a_run_is_as_long_as_it_can_be_and_no_longer_than_the_cells),
        cmocka_unit_test(a_body_ends_with_its_last_cell),
        cmocka_unit_test(the_memory_limit_comes_before_the_cells_of_a_run),
        cmocka_unit_test(every_allocation_may_fail_and_encoding_makes_none),
        cmocka_unit_test(every_cut_and_every_flipped_bit_of_a_body_is_refused_or_canonical),
    };
    return cmocka_run_group_tests_name("test_cms_wire", tests, NULL, NULL);
}
