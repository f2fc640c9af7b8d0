/* test_wire.c - the envelope and its metadata as docs/format.md describes them, and the cursors under them. */
#include "damage.h"
#include "wire.h"

static bpk_sketch *small_one(void) {
    bpk_sketch *s = NULL;
    const bpk_param p[] = {{"precision", "12"}, {"window_bits", "0"}};
    const bpk_domain d = {BPK_HASH_XXH3, 0, BPK_F64, UINT64_C(0x1122334455667788)};
    assert_int_equal(bpk_new(&s, "hll", &d, p, 2, NULL, NULL), BPK_OK);
    t_add(s, 1, 0, 3);
    return s;
}

/* ---- the envelope ---- */

static void the_header_is_byte_for_byte_the_documented_one(void **state) {
    (void)state;
    bpk_sketch *s = small_one();
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    static const uint8_t head[32 + 3] = {0x89, 'B', 'P', 'K', '\r', '\n', 0x1a, '\n', 1,    32,   1,    0,
                                         1,    0,   2,   4,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
                                         12,   0,   0,   0,   0,    0,    0,    0,    12,   0,    0};
    assert_int_equal(b.n, 64 + 12 + 8);
    assert_memory_equal(b.p, head, sizeof head);
    for (size_t i = sizeof head; i < 64; i++) assert_int_equal(b.p[i], 0);
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    assert_true(t_load64(b.p + 76) == bpk_hash(&h, b.p, 76));
    free(b.p);
    b = t_encode(s, BPK_FORM_SMALL);
    assert_int_equal(b.p[OFF_FORM], 0);
    assert_int_equal(b.p[OFF_PARAMS_N], 1);
    assert_int_equal(b.p[OFF_KIND], BPK_KIND_HLL);
    free(b.p);
    bpk_free(s);
}

/* Sets a byte of an encoded sketch, makes the checksum right and asks the decoder. */
static bpk_err answer(size_t at, uint8_t value) {
    bpk_sketch *s = small_one(), *out = NULL;
    bpk_err err = {.code = BPK_OK};
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    b.p[at] = value;
    t_reseal(b.p, b.n);
    bpk_status st = bpk_decode(&out, b.p, b.n, NULL, NULL, &err);
    assert_int_equal(st, err.code);
    bpk_free(out);
    free(b.p);
    bpk_free(s);
    return err;
}

static void what_a_newer_version_could_mean_is_refused_by_name_and_place(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        bpk_status code;
        const char *field;
    } skew[] = {
        {OFF_VERSION, 2, BPK_E_VERSION, "version"}, {OFF_VERSION, 0, BPK_E_VERSION, "version"},
        {OFF_KIND, 3, BPK_E_KIND, "kind"},          {OFF_KIND, 255, BPK_E_KIND, "kind"},
        {OFF_FORM, 2, BPK_E_VERSION, "form"},       {OFF_FLAGS, 2, BPK_E_VERSION, "flags"},
        {OFF_FLAGS, 0x80, BPK_E_VERSION, "flags"},  {OFF_HASH, 9, BPK_E_VERSION, "hash"},
        {OFF_HASH, 0, BPK_E_VERSION, "hash"},       {OFF_TYPE, 3, BPK_E_VERSION, "type"},
        {32, 27, BPK_E_CORRUPT, "precision"},       {33, 1, BPK_E_CORRUPT, "window_bits"},
    };
    for (size_t i = 0; i < sizeof skew / sizeof skew[0]; i++) {
        bpk_err err = answer(skew[i].at, skew[i].value);
        assert_int_equal(err.code, skew[i].code);
        assert_string_equal(err.field, skew[i].field);
        assert_int_equal(err.offset, skew[i].at);
    }
}

static void kinds_of_other_numbers_are_not_known(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 256; kind++) {
        static const bpk_kind known[] = {BPK_KIND_BLOOM, BPK_KIND_CBLOOM, BPK_KIND_CMS,    BPK_KIND_TOPK,
                                         BPK_KIND_HLL,   BPK_KIND_THETA,  BPK_KIND_SAMPLE, BPK_KIND_CUCKOO,
                                         BPK_KIND_GROW,  BPK_KIND_LIMIT,  BPK_KIND_WINDOW};
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) is_known |= kind == (unsigned)known[i];
        if (is_known) continue;
        assert_int_equal(answer(OFF_KIND, (uint8_t)kind).code, BPK_E_KIND);
    }
}

static void envelopes_stand_one_behind_the_other(void **state) {
    (void)state;
    bpk_sketch *s = small_one(), *out = NULL;
    t_bytes all = {NULL, 0};
    size_t sizes[20];
    for (size_t i = 0; i < 20; i++) {
        t_add(s, 2, 100 * i, 100 * i + 60);
        if (i == 10) assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "ten", 3), BPK_OK);
        sizes[i] = bpk_encoded_size(s, (bpk_form)(i % 2));
        assert_int_equal(bpk_encode(s, (bpk_form)(i % 2), t_sink, &all), BPK_OK);
    }
    size_t at = 0, used = 0;
    for (size_t i = 0; i < 20; i++, at += used) {
        assert_int_equal(bpk_decode(&out, all.p + at, all.n - at, &used, NULL, NULL), BPK_OK);
        assert_int_equal(used, sizes[i]);
        t_bytes again = t_encode(out, (bpk_form)(i % 2));
        assert_memory_equal(again.p, all.p + at, used);
        free(again.p);
        bpk_free(out);
    }
    assert_int_equal(at, all.n);
    bpk_err err;
    used = 77;
    out = NULL;
    assert_int_equal(bpk_decode(&out, all.p, all.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_int_equal(err.offset, sizes[0]);
    assert_int_equal(bpk_decode(&out, all.p, 10, &used, NULL, &err), BPK_E_TRUNCATED);
    assert_int_equal(used, 77); /* outputs are written on success only */
    assert_null(out);
    free(all.p);
    bpk_free(s);
}

static void nothing_at_all_is_truncated_and_text_is_no_sketch(void **state) {
    (void)state;
    bpk_sketch *out = NULL;
    bpk_err err;
    bpk_view v;
    assert_int_equal(bpk_decode(&out, NULL, 0, NULL, NULL, &err), BPK_E_TRUNCATED);
    assert_int_equal(bpk_decode(&out, "", 0, NULL, NULL, NULL), BPK_E_TRUNCATED);
    assert_int_equal(bpk_decode(&out, "some text of more than thirty-two bytes", 39, NULL, NULL, &err), BPK_E_MAGIC);
    assert_int_equal(bpk_decode(&out, "short", 5, NULL, NULL, &err), BPK_E_MAGIC);
    assert_null(bpk_view_open(&v, "short", 5, &err));
    assert_int_equal(err.code, BPK_E_MAGIC);
    assert_null(out);
}

static void sniffing_tells_sketches_near_sketches_and_others(void **state) {
    (void)state;
    static const uint8_t mended[] = {0x89, 'B', 'P', 'K', '\n', 0x1a, '\n', 1, 32};
    static const uint8_t spoilt[] = {0x89, 'B', 'P', 'K', '\r', '\r', '\n', 0x1a, '\r', '\n'};
    static const uint8_t other[] = {0x89, 'B', 'P', 'X', '\r', '\r', '\r', '\n'}; /* five bytes are the same */
    static const int by_length[9] = {0, 0, 0, 0, 1, 1, 1, 1, 2};
    bpk_sketch *s = small_one();
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    assert_int_equal(bpk_sniff(b.p, b.n), 2);
    for (size_t n = 0; n <= 8; n++) assert_int_equal(bpk_sniff(b.p, n), by_length[n]);
    for (size_t i = 0; i < 8; i++) {
        b.p[i] ^= 0x20;
        assert_int_equal(bpk_sniff(b.p, b.n), 1);
        for (size_t k = i + 1; k < 8; k++) {
            b.p[k] ^= 0x20;
            assert_int_equal(bpk_sniff(b.p, b.n), 1);
            b.p[k] ^= 0x20;
        }
        b.p[i] ^= 0x20;
    }
    assert_int_equal(bpk_sniff(mended, sizeof mended), 1); /* a transfer changed line ends, one way and the other */
    assert_int_equal(bpk_sniff(spoilt, sizeof spoilt), 1);
    assert_int_equal(bpk_sniff(other, sizeof other), 0);
    assert_int_equal(bpk_sniff("hello world", 11), 0);
    free(b.p);
    bpk_free(s);
}

/* ---- metadata ---- */

static void entries_are_set_replaced_removed_and_kept_in_order(void **state) {
    (void)state;
    bpk_sketch *s = small_one();
    size_t n = 9, bare = bpk_encoded_size(s, BPK_FORM_SMALL);
    assert_null(bpk_meta_get(s, BPK_META_LABEL, &n));
    for (unsigned tag = 2000; tag > 1990; tag--) assert_int_equal(bpk_meta_set(s, (uint16_t)tag, &tag, 2), BPK_OK);
    assert_int_equal(bpk_meta_set(s, 0, "zero", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(s, UINT16_MAX, "last", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(s, 1995, "replaced", 8), BPK_OK);
    assert_memory_equal(bpk_meta_get(s, 1995, &n), "replaced", 8);
    assert_int_equal(n, 8);
    assert_memory_equal(bpk_meta_get(s, 0, &n), "zero", 4);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    bpk_sketch *back = NULL, *other = small_one();
    assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    t_assert_same_bytes(s, back);
    free(b.p);
    assert_int_equal(bpk_meta_set(other, UINT16_MAX, "last", 4), BPK_OK); /* in another order: the same bytes */
    assert_int_equal(bpk_meta_set(other, 1995, "replaced", 8), BPK_OK);
    for (unsigned tag = 1991; tag <= 2000; tag++)
        if (tag != 1995) assert_int_equal(bpk_meta_set(other, (uint16_t)tag, &tag, 2), BPK_OK);
    assert_int_equal(bpk_meta_set(other, 0, "zero", 4), BPK_OK);
    t_assert_same_bytes(s, other);
    assert_int_equal(bpk_meta_set(s, 1234, NULL, 0), BPK_OK); /* not there: nothing to remove */
    t_assert_same_bytes(s, other);
    for (unsigned tag = 1991; tag <= 2000; tag++) assert_int_equal(bpk_meta_set(s, (uint16_t)tag, NULL, 0), BPK_OK);
    assert_int_equal(bpk_meta_set(s, 0, NULL, 0), BPK_OK);
    assert_int_equal(bpk_meta_set(s, UINT16_MAX, NULL, 0), BPK_OK);
    assert_int_equal(bpk_encoded_size(s, BPK_FORM_SMALL), bare);
    bpk_free(s), bpk_free(back), bpk_free(other);
}

static void there_are_64_kib_of_it_at_most(void **state) {
    (void)state;
    bpk_sketch *s = small_one(), *back = NULL;
    char *big = calloc(70000, 1);
    size_t n = 0;
    assert_int_equal(bpk_meta_set(s, 5, big, 65536), BPK_E_ARG);
    assert_int_equal(bpk_meta_set(s, 5, big, 65529), BPK_E_ARG);
    assert_null(bpk_meta_get(s, 5, &n));
    assert_int_equal(bpk_meta_set(s, 5, big, 65528), BPK_OK); /* with two lengths and a tag: 65,536 */
    assert_int_equal(bpk_meta_set(s, 6, big, 1), BPK_E_ARG);
    assert_non_null(bpk_meta_get(s, 5, &n));
    assert_int_equal(n, 65528);
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    t_assert_same_bytes(s, back);
    free(b.p);
    free(big);
    bpk_free(s);
    bpk_free(back);
}

static void merging_keeps_what_both_have_equally(void **state) {
    (void)state;
    bpk_sketch *a = small_one(), *b = small_one(), *c = small_one();
    size_t n = 0;
    assert_int_equal(bpk_meta_set(a, 1, "same", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(a, 2, "mine", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(a, 3, "longer", 6), BPK_OK);
    assert_int_equal(bpk_meta_set(a, 7, "only", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(b, 1, "same", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(b, 2, "hers", 4), BPK_OK);
    assert_int_equal(bpk_meta_set(b, 3, "long", 4), BPK_OK);
    assert_int_equal(bpk_merge(a, b, NULL), BPK_OK);
    assert_memory_equal(bpk_meta_get(a, 1, &n), "same", 4);
    for (uint16_t tag = 2; tag < 8; tag++) assert_null(bpk_meta_get(a, tag, &n));
    assert_memory_equal(bpk_meta_get(b, 2, &n), "hers", 4);
    assert_int_equal(bpk_merge(a, c, NULL), BPK_OK);
    assert_null(bpk_meta_get(a, 1, &n));
    bpk_free(a), bpk_free(b), bpk_free(c);
}

/* Blocks that no writer makes: lengths that lie, tags that do not ascend, empty entries, an empty block. */
static void metadata_that_lies_is_refused(void **state) {
    (void)state;
    bpk_sketch *s = small_one();
    size_t body_end = bpk_encoded_size(s, BPK_FORM_SMALL) - DAMAGE_CHECKSUM;
    assert_int_equal(bpk_meta_set(s, 3, "abc", 3), BPK_OK);
    assert_int_equal(bpk_meta_set(s, 9, "defg", 4), BPK_OK);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    assert_int_equal(b.n, body_end + 4 + 7 + 8 + DAMAGE_CHECKSUM);
    static const uint32_t lies[] = {0, 1, 14, 16, 23, 24, 65532, 65533, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
    t_bytes d = t_dup(&b);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        for (int k = 0; k < 4; k++) d.p[body_end + (size_t)k] = (uint8_t)(lies[i] >> (8 * k));
        t_reseal(d.p, d.n);
        t_assert_refused(d.p, d.n);
    }
    free(d.p);
    static const struct {
        size_t at;
        uint8_t value;
    } wrong[] = {{4, 9},   {4, 10}, {6, 0},  {6, 2},  {6, 4},  {6, 255},
                 {7, 255}, {11, 3}, {11, 2}, {13, 3}, {13, 5}, {14, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bpk_sketch *out = NULL;
        bpk_err err;
        d = t_dup(&b);
        d.p[body_end + wrong[i].at] = wrong[i].value;
        t_reseal(d.p, d.n);
        assert_int_equal(bpk_decode(&out, d.p, d.n, NULL, NULL, &err), BPK_E_CORRUPT);
        assert_string_equal(err.field, "metadata");
        assert_in_range(err.offset, body_end, d.n - DAMAGE_CHECKSUM);
        free(d.p);
    }
    d = (t_bytes){calloc(body_end + 12, 1), body_end + 12}; /* the flag and an empty block */
    memcpy(d.p, b.p, body_end);
    t_reseal(d.p, d.n);
    t_assert_refused(d.p, d.n);
    free(d.p);
    free(b.p);
    bpk_free(s);
}

/* ---- cursors ---- */

static void the_reading_cursor_sticks_to_its_first_failure(void **state) {
    (void)state;
    static const uint8_t bytes[] = {1, 2, 0, 3, 0, 0, 0, 4, 0,    0,    0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 7, 9};
    bpki_in r = bpki_in_open(bytes, sizeof bytes, bytes);
    assert_int_equal(bpki_in_u8(&r, "a"), 1);
    assert_int_equal(bpki_in_u16(&r, "b"), 2);
    assert_int_equal(bpki_in_u32(&r, "c"), 3);
    assert_true(bpki_in_u64(&r, "d") == 4);
    bpki_in_zeros(&r, 1, "e");
    assert_true(bpki_in_f64(&r, "f") == 1.5);
    assert_true(bpki_in_ok(&r) && bpki_in_left(&r) == 3);
    bpk_err err;
    assert_int_equal(bpki_in_end(&r, "end", &err), BPK_E_CORRUPT); /* bytes are left over */
    assert_int_equal(err.offset, 24);
    bpki_in_zeros(&r, 2, "zeros");
    assert_int_equal(r.fault.code, BPK_E_CORRUPT);
    assert_int_equal(r.fault.offset, 25);
    bpki_in_fail(&r, BPK_E_KIND, "later");
    assert_int_equal(bpki_in_u8(&r, "after"), 0);
    assert_null(bpki_in_bytes(&r, 0, "after"));
    assert_int_equal(bpki_in_end(&r, "end", &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "zeros");
    bpki_in tight = bpki_in_open(bytes, 3, bytes);
    assert_int_equal(bpki_in_u32(&tight, "wide"), 0);
    assert_int_equal(tight.fault.offset, 0);
    assert_string_equal(tight.fault.field, "wide");
    bpki_in huge = bpki_in_open(bytes, 3, bytes);
    assert_null(bpki_in_bytes(&huge, SIZE_MAX, "huge"));
}

static void view_bodies_start_at_a_multiple_of_64(void **state) {
    (void)state;
    for (size_t n = 0; n <= 512; n += 8) {
        size_t padded = bpki_params_padded(n, BPK_FORM_VIEW);
        assert_int_equal((BPKI_HEADER + padded) % 64, 0);
        assert_in_range(padded, n, n + 56);
        assert_int_equal(bpki_params_padded(n, BPK_FORM_SMALL), n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_is_byte_for_byte_the_documented_one),
        cmocka_unit_test(what_a_newer_version_could_mean_is_refused_by_name_and_place),
        cmocka_unit_test(kinds_of_other_numbers_are_not_known),
        cmocka_unit_test(envelopes_stand_one_behind_the_other),
        cmocka_unit_test(nothing_at_all_is_truncated_and_text_is_no_sketch),
        cmocka_unit_test(sniffing_tells_sketches_near_sketches_and_others),
        cmocka_unit_test(entries_are_set_replaced_removed_and_kept_in_order),
        cmocka_unit_test(there_are_64_kib_of_it_at_most),
        cmocka_unit_test(merging_keeps_what_both_have_equally),
        cmocka_unit_test(metadata_that_lies_is_refused),
        cmocka_unit_test(the_reading_cursor_sticks_to_its_first_failure),
        cmocka_unit_test(view_bodies_start_at_a_multiple_of_64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
