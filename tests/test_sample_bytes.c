/* test_sample_bytes.c - samples as bytes: what decodes goes on alike, damage of every kind, bytes that lie about
 * memory.
 *
 * test_golden.c damages samples of one source; here they are merged from several.
 */
#include <math.h>

#include "t_sample.h"

enum {
    AT_K = 32,
    AT_GROUPS = 36,
    AT_SOURCES = 48,
    AT_STRATA = 52,
    AT_SOURCE = 56,
    OFF_DRAWS = 16,
    OFF_N = 24,
    SOURCE_BYTES = 32,
    STRATUM_BYTES = 40,
    OFF_AT = 8,
    OFF_SOURCE = 24
};

static double weight_of(uint64_t i) {
    return i % 5 == 0 ? 0 : 1 + (double)(i % 9) / 8;
}

/* Of three sources, the first of which went on after the merge: plain, weighted, stratified, both. */
static bpk_sample *merged(int kind) {
    bpk_sample *part[3];
    for (uint64_t i = 0; i < 3; i++) {
        part[i] = t_sample_of(
            (bpk_sample_config){.k = 3, .groups = kind & 2 ? 4 : 0, .weighted = kind & 1, .seed = i % 2, .stream = i});
        t_feed_batches(part[i], 100 * i, 100 * i + 60, kind & 2 ? 9 : 0, weight_of, 50);
        if (i) assert_int_equal(bpk_merge(&part[0]->base, &part[i]->base, NULL), BPK_OK);
        if (i) t_sample_free(part[i]);
    }
    t_feed_batches(part[0], 300, 340, kind & 2 ? 9 : 0, weight_of, 50);
    return part[0];
}

static void a_decoded_sample_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int form = 0; form < 2; form++) {
            bpk_sample *s = merged(kind);
            bpk_sketch *back = NULL;
            t_bytes b = t_encode(&s->base, (bpk_form)form);
            assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(&s->base, back);
            for (uint64_t i = 0; i < 50; i++) {
                t_feed_batches(s, 400 + 20 * i, 420 + 20 * i, kind & 2 ? 13 : 0, weight_of, 7);
                t_feed_batches((bpk_sample *)back, 400 + 20 * i, 420 + 20 * i, kind & 2 ? 13 : 0, weight_of, 20);
                t_assert_same_bytes(&s->base, back);
            }
            free(b.p);
            bpk_free(back);
            t_sample_free(s);
        }
}

static void both_forms_have_the_same_body(void **state) {
    (void)state;
    bpk_sample *s = merged(3);
    t_bytes small = t_encode(&s->base, BPK_FORM_SMALL), view = t_encode(&s->base, BPK_FORM_VIEW);
    assert_int_equal(view.n, small.n + 16);
    assert_memory_equal(small.p + 48, view.p + 64, small.n - 48 - DAMAGE_CHECKSUM);
    free(small.p), free(view.p), t_sample_free(s);
}

static void every_flip_and_every_cut_is_refused_and_resealed_ones_are_refused_or_canonical(void **state) {
    (void)state;
    size_t accepted = 0;
    for (int kind = 0; kind < 4; kind++) {
        bpk_sample *s = merged(kind);
        t_bytes b = t_encode(&s->base, BPK_FORM_SMALL);
        t_assert_damage_refused(b);
        for (size_t bit = 8 * DAMAGE_HEADER; bit < 8 * (b.n - DAMAGE_CHECKSUM); bit++) {
            t_bytes d = t_dup(&b);
            d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            t_reseal(d.p, d.n);
            accepted += t_refused_or_canonical(d.p, d.n);
            free(d.p);
        }
        free(b.p), t_sample_free(s);
    }
    assert_true(accepted > 1000); /* bits of hashes, records and seeds say nothing that others do */
}

/* Counts, lengths and sizes, each with every odd value, all fields of the heads. */
static void numbers_at_their_ends_are_refused_or_canonical(void **state) {
    (void)state;
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   255,
                                   65536,
                                   1 << 20,
                                   1 << 24,
                                   UINT32_MAX,
                                   UINT64_C(1) << 32,
                                   UINT64_C(1) << 61,
                                   UINT64_C(1) << 62,
                                   UINT64_C(1) << 63,
                                   UINT64_MAX};
    for (int kind = 0; kind < 4; kind++) {
        bpk_sample *s = merged(kind);
        t_bytes b = t_encode(&s->base, BPK_FORM_SMALL);
        for (size_t at = AT_K; at + 8 <= b.n - DAMAGE_CHECKSUM; at++)
            for (size_t i = 0; i < BPKI_COUNT(odd); i++)
                for (size_t bytes = 4; bytes <= 8; bytes += 4) {
                    t_bytes d = t_dup(&b);
                    uint8_t v[8];
                    t_store64(v, odd[i]);
                    memcpy(d.p + at, v, bytes);
                    t_reseal(d.p, d.n);
                    t_refused_or_canonical(d.p, d.n);
                    free(d.p);
                }
        free(b.p), t_sample_free(s);
    }
}

static bpk_err refusal_of(const t_bytes *b) {
    bpk_sketch *s = NULL;
    bpk_err err = {.code = BPK_OK};
    t_reseal(b->p, b->n);
    assert_int_not_equal(bpk_decode(&s, b->p, b->n, NULL, NULL, &err), BPK_OK);
    assert_null(s);
    return err;
}

static void one_record_cannot_be_kept_twice_nor_sources_be_out_of_order(void **state) {
    (void)state;
    bpk_sample *s = merged(0);
    t_bytes b = t_encode(&s->base, BPK_FORM_SMALL), d = t_dup(&b);
    size_t entry = AT_SOURCE + 3 * SOURCE_BYTES + STRATUM_BYTES, next = entry + 40; /* records of 8 bytes */
    memcpy(d.p + next + OFF_AT, b.p + entry + OFF_AT, 8);
    memcpy(d.p + next + OFF_SOURCE, b.p + entry + OFF_SOURCE, 4);
    assert_string_equal(refusal_of(&d).field, "at");
    memcpy(d.p, b.p, b.n);
    memcpy(d.p + AT_SOURCE, b.p + AT_SOURCE + SOURCE_BYTES, 16); /* the second's name twice */
    assert_string_equal(refusal_of(&d).field, "stream");
    memcpy(d.p, b.p, b.n);
    memset(d.p + AT_SOURCE + SOURCE_BYTES + OFF_DRAWS, 0, 16); /* a source without records beside others */
    assert_string_equal(refusal_of(&d).field, "n");
    memcpy(d.p, b.p, b.n);
    t_store64(d.p + AT_SOURCE + OFF_DRAWS, 2 * t_load64(b.p + AT_SOURCE + OFF_N) + 1);
    assert_string_equal(refusal_of(&d).field, "draws");
    free(b.p), free(d.p), t_sample_free(s);
}

/* Memory follows the bytes that are there, not the numbers in them. */
static void lies_about_sizes_take_no_memory(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        bpk_sample *s = merged(kind);
        t_bytes b = t_encode(&s->base, BPK_FORM_SMALL);
        for (size_t at = AT_K; at + 4 <= b.n - DAMAGE_CHECKSUM; at++) {
            t_env env;
            bpk_sketch *out = NULL;
            t_bytes d = t_dup(&b);
            t_env_init(&env, 0);
            env.env.max_bytes = 8192;
            memset(d.p + at, 0xff, 4);
            d.p[at + 3] = 0;
            t_reseal(d.p, d.n);
            assert_int_not_equal(bpk_decode(&out, d.p, d.n, NULL, &env.env, NULL), BPK_E_LIMIT);
            bpk_free(out);
            assert_int_equal(env.held, 0);
            free(d.p);
        }
        free(b.p), t_sample_free(s);
    }
}

static void every_allocation_of_the_decoder_may_fail(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        bpk_sample *s = merged(kind);
        t_bytes b = t_encode(&s->base, BPK_FORM_SMALL);
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_sketch *out = NULL;
            bpk_err err = {.code = BPK_OK};
            t_env_init(&env, nth);
            bpk_status st = bpk_decode(&out, b.p, b.n, NULL, &env.env, &err);
            if (st == BPK_OK) {
                long calls = env.calls;
                t_assert_same_bytes(out, &s->base);
                assert_int_equal(env.calls, calls); /* encoding takes none */
                bpk_free(out);
            }
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_true(st == BPK_E_NOMEM && err.code == BPK_E_NOMEM && !out);
        }
        free(b.p), t_sample_free(s);
    }
}

static void a_sample_without_a_view_is_merged_from_form_view_too(void **state) {
    (void)state;
    bpk_sample *a = t_sample_new(5, 1, 1), *b = t_sample_new(5, 1, 2);
    bpk_view v;
    bpk_err err;
    t_feed_records(a, 0, 100);
    t_feed_records(b, 0, 100);
    t_bytes bytes = t_encode(&b->base, BPK_FORM_VIEW);
    assert_null(bpk_view_open(&v, bytes.p, bytes.n, &err));
    assert_int_equal(err.code, BPK_E_UNSUPPORTED);
    bpk_sketch *acc = &a->base;
    assert_int_equal(bpk_merge_bytes(&acc, bytes.p, bytes.n, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_sample_seen(a), 200);
    free(bytes.p), t_sample_free(a), t_sample_free(b);
}

/* Two records of 2^200 and 2^-200, said to be one: no double tells the sum from 2^200. */
static void a_sum_above_the_largest_weight_of_each_record_is_refused_to_the_last_unit(void **state) {
    (void)state;
    enum { AT_SOURCE_N = 80, AT_STRATUM_N = 96 };
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = 0, .weighted = true});
    const double weight[] = {BPK_SAMPLE_WEIGHT_MAX, BPK_SAMPLE_WEIGHT_MIN};
    const uint64_t hash[2] = {1, 2};
    const bpk_items it = {.n = 2, .hash = hash, .real_weight = weight};
    assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
    t_bytes b = t_encode(bpk_sample_base(s), BPK_FORM_SMALL);
    bpk_sketch *out = NULL;
    assert_true(t_load64(b.p + AT_SOURCE_N) == 2 && t_load64(b.p + AT_STRATUM_N) == 2);
    t_store64(b.p + AT_SOURCE_N, 1);
    t_store64(b.p + AT_STRATUM_N, 1);
    t_reseal(b.p, b.n);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, NULL), BPK_E_CORRUPT);
    free(b.p);
    bpk_free(bpk_sample_base(s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoded_sample_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(both_forms_have_the_same_body),
        cmocka_unit_test(every_flip_and_every_cut_is_refused_and_resealed_ones_are_refused_or_canonical),
        cmocka_unit_test(numbers_at_their_ends_are_refused_or_canonical),
        cmocka_unit_test(one_record_cannot_be_kept_twice_nor_sources_be_out_of_order),
        cmocka_unit_test(lies_about_sizes_take_no_memory),
        cmocka_unit_test(every_allocation_of_the_decoder_may_fail),
        cmocka_unit_test(a_sample_without_a_view_is_merged_from_form_view_too),
        cmocka_unit_test(a_sum_above_the_largest_weight_of_each_record_is_refused_to_the_last_unit),
    };
    return cmocka_run_group_tests_name("test_sample_bytes", tests, NULL, NULL);
}
