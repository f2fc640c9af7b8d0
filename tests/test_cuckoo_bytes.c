/* test_cuckoo_bytes.c - the cuckoo room's bytes: against a second writer made from docs/format.md, damaged in every
 * way, decoded without memory. */
#include "t_cuckoo.h"

enum { BODY = 64, AT_CODING = 34, AT_SUSPECTS = 56 };

/* ---- a second writer ---- */

/* Fingerprints of each bucket, in the order in which they come. */
typedef struct contents {
    uint16_t fp[64][4];
    unsigned n[64];
    unsigned buckets;
} contents;

/* As the table of format view has it. */
static contents contents_of(const t_bytes *view, unsigned bits) {
    contents c = {.buckets = (unsigned)((view->n - BODY - DAMAGE_CHECKSUM) / (bits / 2))};
    for (unsigned i = 0; i < c.buckets; i++)
        for (unsigned k = 0; k < 4; k++) {
            size_t bit = 8 * BODY + (size_t)i * 4 * bits + k * bits;
            unsigned fp = 0;
            for (unsigned j = 0; j < bits; j++) fp |= ((unsigned)view->p[(bit + j) / 8] >> (bit + j) % 8 & 1u) << j;
            if (fp) c.fp[i][c.n[i]++] = (uint16_t)fp;
            else assert_int_equal(c.n[i], 0); /* free places are the first */
        }
    return c;
}

typedef struct bit_row {
    uint8_t p[1024];
    size_t n;
} bit_row;
static void put_bit(bit_row *b, unsigned bit) {
    b->p[b->n / 8] |= (uint8_t)(bit << b->n % 8);
    b->n++;
}

/* The list of form small, with gaps given as they are. */
static t_bytes list_of(const t_bytes *small, const uint64_t *number, size_t n, uint64_t count, unsigned b) {
    bit_row w = {.n = 64};
    t_store64(w.p, count);
    for (size_t i = 0; i < n; i++) {
        uint64_t gap = number[i] - (i ? number[i - 1] : 0);
        for (uint64_t z = gap >> b; z; z--) put_bit(&w, 0);
        put_bit(&w, 1);
        for (unsigned j = 0; j < b; j++) put_bit(&w, gap >> j & 1);
    }
    return t_envelope(BPK_KIND_CUCKOO, BPK_FORM_SMALL, small->p + DAMAGE_HEADER, 32, w.p, (w.n + 7) / 8);
}

static size_t numbers_of(uint64_t *number, const contents *c, unsigned bits) {
    size_t n = 0;
    for (unsigned i = 0; i < c->buckets; i++)
        for (unsigned k = 0; k < c->n[i]; k++) number[n++] = (uint64_t)i * ((1u << bits) - 1) + c->fp[i][k] - 1u;
    return n;
}

static unsigned rice(uint64_t all, uint64_t count) {
    unsigned b = 0;
    while (all / count >> (b + 1)) b++;
    return b;
}

static void form_small_is_what_the_format_says(void **state) {
    (void)state;
    for (unsigned bits = 12; bits <= 16; bits += 4)
        for (uint64_t n = 1; n <= 180; n += n < 20 ? 1 : 8) {
            bpk_cuckoo *c = t_cuckoo(170, (uint8_t)bits);
            t_add(bpk_cuckoo_base(c), 7, 0, n);
            for (uint64_t i = 0; i < n; i += 5) assert_true(t_cuckoo_remove(c, t_hash(7, i)));
            if (n > 30) assert_int_equal(t_cuckoo_add(c, t_hash(7, 1)), BPK_OK); /* twice: a gap of 0 */
            t_bytes small = t_encode(bpk_cuckoo_base(c), BPK_FORM_SMALL);
            t_bytes view = t_encode(bpk_cuckoo_base(c), BPK_FORM_VIEW);
            contents in = contents_of(&view, bits);
            uint64_t number[256];
            size_t count = numbers_of(number, &in, bits);
            assert_int_equal(count, bpk_cuckoo_items(c));
            unsigned b = count ? rice(in.buckets * ((UINT64_C(1) << bits) - 1), count) : 0;
            t_bytes again = list_of(&small, number, count, count, b);
            assert_int_equal(small.p[AT_CODING], 1);
            assert_int_equal(again.n, small.n);
            assert_memory_equal(again.p, small.p, small.n);
            free(again.p), free(small.p), free(view.p);
            t_cuckoo_free(c);
        }
}

static void a_list_takes_15_7_bits_an_item_at_95_percent_load_and_less_than_18_at_half(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(100000, 16);
    t_add(bpk_cuckoo_base(c), 1, 0, 50000);
    double half = 8 * (double)bpk_encoded_size(bpk_cuckoo_base(c), BPK_FORM_SMALL) / 50000;
    t_add(bpk_cuckoo_base(c), 1, 50000, 100000);
    double full = 8 * (double)bpk_encoded_size(bpk_cuckoo_base(c), BPK_FORM_SMALL) / 100000;
    print_message("%.2f bits at half, %.2f when full\n", half, full);
    assert_true(full < 15.7 && half < 17);
    t_cuckoo_free(c);
}

/* ---- lists that no writer makes ---- */

static bpk_status decoded(const t_bytes *b, const char **field) {
    bpk_sketch *s = NULL;
    bpk_err err = {.field = NULL};
    t_refused_or_canonical(b->p, b->n);
    bpk_status st = bpk_decode(&s, b->p, b->n, NULL, NULL, &err);
    bpk_free(s);
    *field = err.field;
    return st;
}

static void lists_ascend_stay_in_range_and_fill_no_bucket_over(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(60, 12); /* 22 buckets */
    t_add(bpk_cuckoo_base(c), 1, 0, 10);
    t_bytes small = t_encode(bpk_cuckoo_base(c), BPK_FORM_SMALL);
    const uint64_t all = 22 * UINT64_C(4095);
    const struct {
        uint64_t number[6], n, count;
        bpk_status st;
    } rows[] = {
        {{0}, 1, 1, BPK_OK},
        {{all - 1}, 1, 1, BPK_OK},
        {{7, 7, 7, 7}, 4, 4, BPK_OK},
        {{all - 4095, all - 1, all - 1, all - 1}, 4, 4, BPK_OK},
        {{all}, 1, 1, BPK_E_CORRUPT},
        {{5, all}, 2, 2, BPK_E_CORRUPT},
        {{7, 7, 7, 7, 7}, 5, 5, BPK_E_CORRUPT},
        {{0, 1, 2, 3, 4094}, 5, 5, BPK_E_CORRUPT},
        {{0, 1, 2, 3, 4095}, 5, 5, BPK_OK}, /* the fifth is in the next one */
        {{3, 9}, 2, 3, BPK_E_CORRUPT},
        {{3, 9}, 2, 1, BPK_E_CORRUPT},
        {{3, 9}, 2, 89, BPK_E_CORRUPT},
        {{3, 9}, 2, UINT64_MAX, BPK_E_CORRUPT},
        {{0}, 0, 0, BPK_OK},
        {{0}, 0, 1, BPK_E_CORRUPT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t count = rows[i].count;
        unsigned b = count && count <= 88 ? rice(all, count) : 0;
        t_bytes bytes = list_of(&small, rows[i].number, rows[i].n, count, b);
        const char *field;
        bpk_status st = decoded(&bytes, &field);
        if (st != rows[i].st) fail_msg("row %zu: status %d, field %s", i, st, field ? field : "none");
        free(bytes.p);
    }
    free(small.p);
    t_cuckoo_free(c);
}

static void an_empty_list_has_no_stream(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(60, 12);
    t_bytes b = t_encode(bpk_cuckoo_base(c), BPK_FORM_SMALL);
    assert_int_equal(b.n, BODY + 8 + DAMAGE_CHECKSUM);
    t_bytes more = t_envelope(BPK_KIND_CUCKOO, BPK_FORM_SMALL, b.p + DAMAGE_HEADER, 32, b.p + BODY, 9);
    more.p[BODY + 8] = 0;
    t_reseal(more.p, more.n);
    t_assert_refused(more.p, more.n);
    free(b.p), free(more.p);
    t_cuckoo_free(c);
}

/* ---- damage ---- */

static void every_bit_and_cut_is_refused_and_every_resealed_bit_is_refused_or_canonical(void **state) {
    (void)state;
    for (uint8_t bits = 12; bits <= 16; bits += 4)
        for (int form = 0; form < 2; form++) {
            bpk_cuckoo *c = t_cuckoo(20, bits);
            t_add(bpk_cuckoo_base(c), 1, 0, 20);
            t_cuckoo_remove(c, t_hash(2, 0));
            t_bytes b = t_encode(bpk_cuckoo_base(c), (bpk_form)form);
            t_assert_damage_refused(b);
            size_t accepted = 0;
            for (size_t bit = 8 * DAMAGE_HEADER; bit < 8 * (b.n - DAMAGE_CHECKSUM); bit++) {
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
                t_reseal(b.p, b.n);
                accepted += t_refused_or_canonical(b.p, b.n);
                b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
            assert_true(accepted > 64); /* all of the suspects, and some fingerprints */
            free(b.p);
            t_cuckoo_free(c);
        }
}

static void every_allocation_of_decoding_may_fail(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(500, 16);
    t_add(bpk_cuckoo_base(c), 1, 0, 400);
    for (int form = 0; form < 2; form++) {
        t_bytes b = t_encode(bpk_cuckoo_base(c), (bpk_form)form);
        t_decode_without_memory(&b);
        free(b.p);
    }
    t_cuckoo_free(c);
}

static void few_bytes_that_stand_for_many_buckets_are_refused_for_their_size(void **state) {
    (void)state;
    static const struct {
        uint64_t base;
        uint8_t bits, level;
    } rows[] = {{UINT64_C(1) << 32, 16, 0}, {1, 16, 31}, {(UINT64_C(1) << 31) + 1, 12, 0}, {2, 12, 31}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t params[32] = {rows[i].bits, rows[i].level, 1}, body[8] = {0};
        t_env env;
        bpk_sketch *s = NULL;
        bpk_err err;
        t_store64(params + 8, rows[i].base);
        params[16] = 1;
        t_env_init(&env, 0);
        env.env.max_bytes = UINT64_C(1) << 30;
        t_bytes b = t_envelope(BPK_KIND_CUCKOO, BPK_FORM_SMALL, params, sizeof params, body, sizeof body);
        assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &env.env, &err), BPK_E_LIMIT);
        assert_int_equal(env.held, 0);
        assert_null(s);
        free(b.p);
    }
}

static void the_number_of_suspects_travels_and_stays_at_its_end(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        bpk_cuckoo *c = t_cuckoo(20, 16);
        bpk_sketch *s = NULL;
        t_bytes b = t_encode(bpk_cuckoo_base(c), (bpk_form)form);
        t_store64(b.p + AT_SUSPECTS, UINT64_MAX - 1);
        t_reseal(b.p, b.n);
        assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
        bpk_cuckoo *back = (bpk_cuckoo *)s;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(bpk_cuckoo_suspects(back), i ? UINT64_MAX : UINT64_MAX - 1);
            assert_false(t_cuckoo_remove(back, t_hash(1, 0)));
        }
        bpk_free(s);
        free(b.p);
        t_cuckoo_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form_small_is_what_the_format_says),
        cmocka_unit_test(a_list_takes_15_7_bits_an_item_at_95_percent_load_and_less_than_18_at_half),
        cmocka_unit_test(lists_ascend_stay_in_range_and_fill_no_bucket_over),
        cmocka_unit_test(an_empty_list_has_no_stream),
        cmocka_unit_test(every_bit_and_cut_is_refused_and_every_resealed_bit_is_refused_or_canonical),
        cmocka_unit_test(every_allocation_of_decoding_may_fail),
        cmocka_unit_test(few_bytes_that_stand_for_many_buckets_are_refused_for_their_size),
        cmocka_unit_test(the_number_of_suspects_travels_and_stays_at_its_end),
    };
    return cmocka_run_group_tests_name("cuckoo bytes", tests, NULL, NULL);
}
