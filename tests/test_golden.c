/* test_golden.c - the golden files: what was written once is read for ever, written alike, and refused when damaged.
 *
 * errors.txt has a line for each damaged file: name, status, field and offset that the decoder answers, between tabs.
 */
#include "golden.h"

/* Damage is done at every place, or under an emulator at every 7th: all bits of a byte still have their turn. */
#ifndef T_STRIDE
#define T_STRIDE 1
#endif

typedef void (*golden_use)(const golden *g, int form, const t_bytes *b);

/* Calls `use` with every golden file; a missing one fails the test. */
static void each_golden(golden_use use) {
    for (size_t i = 0; i < GOLDENS; i++) {
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            char path[128];
            golden_path(path, goldens[i].name, form);
            t_bytes b = t_read_file(path);
            if (!b.p) fail_msg("%s is missing", path);
            use(&goldens[i], form, &b);
            free(b.p);
        }
    }
}

static void same_bytes(const golden *g, int form, const t_bytes *b) {
    bpk_sketch *s = golden_make(g);
    t_bytes now = t_encode(s, (bpk_form)form);
    if (now.n != b->n || memcmp(now.p, b->p, b->n) != 0)
        fail_msg("%s, form %d, is written differently now", g->name, form);
    free(now.p);
    bpk_free(s);
}
static void the_same_input_gives_the_bytes_of_the_file(void **state) {
    (void)state;
    each_golden(same_bytes);
}

static void goes_on(const golden *g, int form, const t_bytes *b) {
    (void)form;
    bpk_hasher h;
    bpk_sketch *made = golden_make(g), *read = NULL;
    assert_int_equal(bpk_decode(&read, b->p, b->n, NULL, NULL, NULL), BPK_OK);
    t_assert_same_bytes(made, read);
    golden_hasher(&h, g);
    assert_memory_equal(&h.domain, bpk_domain_of(read),
                        sizeof h.domain.hash); /* the key fits: init would have refused */
    assert_int_equal(h.domain.seed, bpk_domain_of(read)->seed);
    uint64_t more = g->items / 4 + 1;
    golden_add(made, &h, g->items, g->items + more);
    golden_add(read, &h, g->items, g->items + more);
    t_assert_same_bytes(made, read);
    bpk_free(made);
    bpk_free(read);
}
static void a_file_answers_and_goes_on_as_what_was_saved(void **state) {
    (void)state;
    each_golden(goes_on);
}

static void counts(const golden *g, int form, const t_bytes *b) {
    bpk_estimate e, seen;
    bpk_sketch *s = NULL;
    bpk_view v;
    assert_int_equal(bpk_decode(&s, b->p, b->n, NULL, NULL, NULL), BPK_OK);
    bpk_status st = bpk_count(s, NULL, 0, 0.999999, &e, NULL);
    assert_int_equal(st, bpk_as_limit(s) ? BPK_E_UNSUPPORTED : BPK_OK);
    if (st == BPK_OK) assert_true(e.lower <= golden_whole(g) && golden_whole(g) <= e.upper);
    if (form == BPK_FORM_VIEW && !bpk_as_sample(s) && !bpk_as_grow(s) && !bpk_as_window(s)) {
        const bpk_sketch *view = bpk_view_open(&v, b->p, b->n, NULL);
        assert_non_null(view);
        assert_int_equal(bpk_count(view, NULL, 0, 0.999999, &seen, NULL), st);
        if (st == BPK_OK) assert_memory_equal(&seen, &e, sizeof e.estimate);
        t_assert_same_bytes(view, s);
    }
    bpk_free(s);
}
static void the_items_of_a_file_lie_in_its_interval(void **state) {
    (void)state;
    each_golden(counts);
}

/* ---- damage ---- */

static void flip(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    t_bytes d = t_dup(b);
    for (size_t bit = 0; bit < 8 * d.n; bit += T_STRIDE) {
        d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        t_assert_refused(d.p, d.n);
        d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(d.p);
}
static void every_flipped_bit_is_refused(void **state) {
    (void)state;
    each_golden(flip);
}

/* Each in a buffer of its own size, so that a sanitizer sees a read behind it. */
static void cut(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    for (size_t n = 0; n < b->n; n += T_STRIDE) {
        t_bytes d = t_dup(&(t_bytes){b->p, n});
        bpk_err err = {.code = BPK_OK};
        bpk_sketch *s = NULL;
        t_assert_refused(d.p, n);
        assert_int_equal(bpk_decode(&s, d.p, n, NULL, NULL, &err), BPK_E_TRUNCATED);
        assert_int_equal(err.offset, n);
        free(d.p);
    }
}
static void every_truncation_is_refused_as_one(void **state) {
    (void)state;
    each_golden(cut);
}

static void lengthen(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    for (size_t more = 1; more <= 64; more++) {
        t_bytes d = {calloc(b->n + more, 1), b->n + more};
        memcpy(d.p, b->p, b->n);
        t_assert_refused(d.p, d.n);
        t_reseal(d.p, d.n); /* a checksum that covers the extra bytes makes no sketch of them either */
        t_assert_refused(d.p, d.n);
        free(d.p);
    }
}
static void bytes_behind_are_refused(void **state) {
    (void)state;
    each_golden(lengthen);
}

static void reseal_heads(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    t_bytes d = t_dup(b);
    size_t head = DAMAGE_HEADER + 8 * (size_t)b->p[OFF_PARAMS_N];
    for (size_t at = 0; at < head; at++) {
        for (unsigned value = 0; value < 256; value += value < 40 ? 1 : T_STRIDE) { /* most that are valid are small */
            d.p[at] = (uint8_t)value;
            t_reseal(d.p, d.n);
            bool accepted = t_refused_or_canonical(d.p, d.n);
            if (value == b->p[at]) assert_true(accepted);
        }
        d.p[at] = b->p[at];
    }
    free(d.p);
}
static void resealed_headers_and_parameters_are_refused_or_canonical(void **state) {
    (void)state;
    each_golden(reseal_heads);
}

static void reseal_bits(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    t_bytes d = t_dup(b);
    for (size_t bit = 8 * DAMAGE_HEADER; bit < 8 * (d.n - DAMAGE_CHECKSUM); bit += T_STRIDE) {
        d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        t_reseal(d.p, d.n);
        t_refused_or_canonical(d.p, d.n);
        d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(d.p);
}
static void every_resealed_bit_is_refused_or_canonical(void **state) {
    (void)state;
    each_golden(reseal_bits);
}

/* Two to eight bytes at a time, and lengths cut to anything. */
static void reseal_random(const golden *g, int form, const t_bytes *b) {
    uint64_t stream = (uint64_t)(g - goldens) * 2 + (uint64_t)form;
    for (uint64_t round = 0; round < 2000 / T_STRIDE; round++) {
        t_bytes d = t_dup(b);
        size_t changes = 2 + t_hash(stream, round) % 7;
        for (size_t i = 0; i < changes; i++) {
            uint64_t x = t_hash(stream + 1000 * (i + 1), round);
            d.p[8 + (x >> 8) % (d.n - 8)] = (uint8_t)x;
        }
        if (round % 4 == 0) d.n -= t_hash(stream, round + 10000) % (d.n - 8);
        t_reseal(d.p, d.n);
        t_refused_or_canonical(d.p, d.n);
        free(d.p);
    }
}
static void random_resealed_damage_is_refused_or_canonical(void **state) {
    (void)state;
    each_golden(reseal_random);
}

static void reseal_lengths(const golden *g, int form, const t_bytes *b) {
    (void)g, (void)form;
    static const uint64_t odd[] = {0,
                                   1,
                                   7,
                                   255,
                                   256,
                                   65535,
                                   65536,
                                   UINT64_C(1) << 31,
                                   UINT32_MAX,
                                   UINT64_C(1) << 32,
                                   UINT64_C(1) << 63,
                                   (UINT64_C(1) << 63) - 1,
                                   UINT64_MAX - 39,
                                   UINT64_MAX - 1,
                                   UINT64_MAX};
    t_bytes d = t_dup(b);
    uint64_t body = t_load64(b->p + OFF_BODY_N);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        for (int relative = -1; relative <= 1; relative++) {
            t_store64(d.p + OFF_BODY_N, relative ? body + (uint64_t)relative * odd[i] : odd[i]);
            t_reseal(d.p, d.n);
            if (t_load64(d.p + OFF_BODY_N) == body) continue;
            assert_false(t_refused_or_canonical(d.p, d.n));
        }
    }
    free(d.p);
}
static void lies_about_the_body_are_refused(void **state) {
    (void)state;
    each_golden(reseal_lengths);
}

/* ---- tokens of hll that no writer makes ---- */

typedef struct bits {
    uint8_t *p;
    size_t n; /* bits */
} bits;
static void put(bits *b, uint64_t v, unsigned n) {
    for (unsigned i = 0; i < n; i++, b->n++) b->p[b->n / 8] |= (uint8_t)((v >> i & 1) << b->n % 8);
}

/* A packed sketch of two tokens, written as docs/format.md says: for count 2 a gap has 25 low bits. */
static bpk_status decode_pair(uint32_t prefix, unsigned k, uint32_t gap, unsigned k2) {
    const golden *g = golden_find("hll_empty");
    bpk_sketch *s = golden_make(g), *out = NULL;
    t_bytes empty = t_encode(s, BPK_FORM_SMALL);
    uint8_t stream[64] = {0};
    bits b = {stream, 0};
    put(&b, UINT64_C(1) << (prefix >> 25), (prefix >> 25) + 1), put(&b, prefix & 0x1ffffff, 25),
        put(&b, UINT64_C(1) << (k - 1), k);
    put(&b, UINT64_C(1) << (gap >> 25), (gap >> 25) + 1), put(&b, gap & 0x1ffffff, 25),
        put(&b, UINT64_C(1) << (k2 - 1), k2);
    size_t bytes = (b.n + 7) / 8;
    t_bytes d = {calloc(44 + bytes + 8, 1), 44 + bytes + 8};
    memcpy(d.p, empty.p, 44);
    d.p[OFF_BODY_N] = (uint8_t)(4 + bytes);
    d.p[40] = 2;
    memcpy(d.p + 44, stream, bytes);
    t_reseal(d.p, d.n);
    t_refused_or_canonical(d.p, d.n);
    bpk_status st = bpk_decode(&out, d.p, d.n, NULL, NULL, NULL);
    free(d.p);
    free(empty.p);
    bpk_free(out);
    bpk_free(s);
    return st;
}

static void packed_tokens_ascend_and_stay_in_range(void **state) {
    (void)state;
    assert_int_equal(decode_pair(5, 3, 0, 4), BPK_OK);
    assert_int_equal(decode_pair(5, 39, 1, 1), BPK_OK);
    assert_int_equal(decode_pair(0, 1, (1u << 26) - 1, 39), BPK_OK);
    assert_int_equal(decode_pair(5, 3, 0, 3), BPK_E_CORRUPT); /* twice the same */
    assert_int_equal(decode_pair(5, 3, 0, 2), BPK_E_CORRUPT);
    assert_int_equal(decode_pair(5, 40, 1, 1), BPK_E_CORRUPT);
    assert_int_equal(decode_pair(5, 3, 1, 40), BPK_E_CORRUPT);
    assert_int_equal(decode_pair(1, 3, (1u << 26) - 1, 1), BPK_E_CORRUPT);
    assert_int_equal(decode_pair(1u << 26, 3, 0, 4), BPK_E_CORRUPT);
}

static void raw_tokens_ascend_and_stay_in_range(void **state) {
    (void)state;
    bpk_sketch *s = golden_make(golden_find("hll_10"));
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    for (size_t i = 0; i < 9; i++) {
        t_bytes d = t_dup(&b);
        memcpy(d.p + 64 + 4 * i, b.p + 68 + 4 * i, 4); /* twice the same */
        t_reseal(d.p, d.n);
        t_assert_refused(d.p, d.n);
        memcpy(d.p + 68 + 4 * i, b.p + 64 + 4 * i, 4); /* in the wrong order */
        t_reseal(d.p, d.n);
        t_assert_refused(d.p, d.n);
        memcpy(d.p, b.p, b.n);
        for (unsigned k = 0; k < 64; k++) {
            d.p[64 + 4 * i] = (uint8_t)((d.p[64 + 4 * i] & 0xc0) | k);
            t_reseal(d.p, d.n);
            if (t_refused_or_canonical(d.p, d.n) != (k >= 1 && k <= 39)) fail_msg("token %zu with k = %u", i, k);
        }
        free(d.p);
    }
    free(b.p);
    bpk_free(s);
}

/* ---- the damaged files ---- */

static void every_golden_error_is_named_as_in_the_manifest(void **state) {
    (void)state;
    FILE *f = fopen(GOLDEN_DIR "errors.txt", "r");
    assert_non_null(f);
    char line[256], name[64], field[64], path[128];
    size_t lines = 0, offset;
    int status;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%63[^\t]\t%d\t%63[^\t]\t%zu", name, &status, field, &offset), 4);
        snprintf(path, sizeof path, GOLDEN_DIR "bad/%s.bpk", name);
        t_bytes b = t_read_file(path);
        if (!b.p) fail_msg("%s is missing", path);
        bpk_sketch *s = NULL;
        bpk_err err = {.code = BPK_OK};
        bpk_status st = bpk_decode(&s, b.p, b.n, NULL, NULL, &err);
        if ((int)st != status || !err.field || strcmp(err.field, field) != 0 || err.offset != offset)
            fail_msg("%s: status %d, field %s at %zu", name, st, err.field ? err.field : "none", err.offset);
        free(b.p);
        lines++;
    }
    fclose(f);
    assert_int_equal(lines, GOLDEN_ERRORS);
}

static void every_golden_error_is_still_what_its_recipe_makes(void **state) {
    (void)state;
    for (size_t i = 0; i < GOLDEN_ERRORS; i++) {
        char path[128];
        snprintf(path, sizeof path, GOLDEN_DIR "bad/%s.bpk", golden_errors[i].name);
        t_bytes made = golden_error_make(&golden_errors[i]), b = t_read_file(path);
        if (!b.p) fail_msg("%s is missing", path);
        assert_int_equal(made.n, b.n);
        if (b.n) assert_memory_equal(made.p, b.p, b.n);
        free(made.p);
        free(b.p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_input_gives_the_bytes_of_the_file),
        cmocka_unit_test(a_file_answers_and_goes_on_as_what_was_saved),
        cmocka_unit_test(the_items_of_a_file_lie_in_its_interval),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(every_truncation_is_refused_as_one),
        cmocka_unit_test(bytes_behind_are_refused),
        cmocka_unit_test(resealed_headers_and_parameters_are_refused_or_canonical),
        cmocka_unit_test(every_resealed_bit_is_refused_or_canonical),
        cmocka_unit_test(random_resealed_damage_is_refused_or_canonical),
        cmocka_unit_test(lies_about_the_body_are_refused),
        cmocka_unit_test(packed_tokens_ascend_and_stay_in_range),
        cmocka_unit_test(raw_tokens_ascend_and_stay_in_range),
        cmocka_unit_test(every_golden_error_is_named_as_in_the_manifest),
        cmocka_unit_test(every_golden_error_is_still_what_its_recipe_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
