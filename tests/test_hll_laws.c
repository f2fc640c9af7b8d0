/* test_hll_laws.c - laws of the hll room: by whatever way hashes get into it, the bytes are those of adding them. */
#include "t_hll.h"
#include "kern.h"

/* ---- registers ---- */

/* The values that a register says it has seen, as bits. */
static uint64_t values_of(uint8_t r) {
    unsigned u = r >> 2;
    uint64_t seen = u ? UINT64_C(1) << u : 0;
    if (r & 2) seen |= UINT64_C(1) << (u - 1);
    if (r & 1) seen |= UINT64_C(1) << (u - 2);
    return seen;
}
static uint8_t register_of(uint64_t seen) {
    if (!seen) return 0;
    unsigned u = 63 - (unsigned)__builtin_clzll(seen);
    unsigned below = u >= 2 && seen >> (u - 1) & 1, next = u >= 3 && seen >> (u - 2) & 1;
    return (uint8_t)(u << 2 | below << 1 | next);
}
static bool is_valid(uint8_t r) {
    return r >= 12 ? r >> 2 <= 61 : r == 0 || r == 4 || r == 8 || r == 10;
}

static void unions_of_registers_are_unions_of_what_they_saw(void **state) {
    (void)state;
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            uint8_t u = bpki_register_union((uint8_t)a, (uint8_t)b, 2);
            assert_int_equal(bpki_register_union((uint8_t)a, (uint8_t)b, 0), a > b ? a : b);
            assert_int_equal(u, bpki_register_union((uint8_t)b, (uint8_t)a, 2));
            if (is_valid((uint8_t)a) && is_valid((uint8_t)b))
                assert_int_equal(u, register_of(values_of((uint8_t)a) | values_of((uint8_t)b)));
        }
    }
}

/* All 65,536 pairs in one call, at an odd address and with a tail. */
static void check_kernel(const char *name) {
    enum { N = 65536 + 7 };
    uint8_t *a = malloc(N + 1), *b = malloc(N + 1), *c = malloc(N + 1);
    if (bpk_kernels_use(name) == BPK_OK) {
        for (size_t i = 0; i < N; i++) a[i + 1] = c[i + 1] = (uint8_t)i, b[i + 1] = (uint8_t)(i >> 8);
        bpki_kern()->ull_merge(a + 1, b + 1, N);
        bpki_kern()->hll_max(c + 1, b + 1, N);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(a[i + 1], bpki_register_union((uint8_t)i, (uint8_t)(i >> 8), 2));
            assert_int_equal(c[i + 1], bpki_register_union((uint8_t)i, (uint8_t)(i >> 8), 0));
        }
    }
    free(a);
    free(b);
    free(c);
}
static void every_kernel_unites_every_pair_alike(void **state) {
    (void)state;
    char used[16];
    snprintf(used, sizeof used, "%s", bpk_kernels());
    check_kernel("portable");
    check_kernel("avx2");
    assert_int_equal(bpk_kernels_use(used), BPK_OK);
}

/* ---- adding, against registers worked out from the definition ---- */

enum { MODEL_P = 8 };

/* Form view of dense sketches ends with the registers and the checksum. */
static void adding_equals_the_definition(void **state) {
    (void)state;
    for (unsigned style = 0; style < HLL_STYLES; style++) {
        uint64_t seen[1 << MODEL_P] = {0};
        bpk_hll *h0 = hll_new(MODEL_P, 0), *h2 = hll_new(MODEL_P, 2);
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t hash = hll_hash(style, 40, i);
            unsigned zeros = 0;
            while (zeros < 64 - MODEL_P && !(hash >> (63 - zeros) & 1)) zeros++;
            seen[hash & ((1 << MODEL_P) - 1)] |= UINT64_C(1) << (zeros + 1);
            hll_add(h0, &hash, 1);
            hll_add(h2, &hash, 1);
        }
        t_bytes b0 = t_encode(bpk_hll_base(h0), BPK_FORM_VIEW), b2 = t_encode(bpk_hll_base(h2), BPK_FORM_VIEW);
        bool dense = b2.p[34] == 1;
        assert_int_equal(dense, style != 4); /* 30 different ones are no more than tokens */
        for (size_t i = 0; dense && i < 1 << MODEL_P; i++) {
            assert_int_equal(b2.p[64 + i], register_of(seen[i]));
            assert_int_equal(b0.p[64 + i], register_of(seen[i]) >> 2);
        }
        free(b0.p);
        free(b2.p);
        hll_free(h0);
        hll_free(h2);
    }
}

/* In one batch, in batches of random sizes, one by one, with `changed` and questions in between: one state. */
static void batches_questions_and_reports_do_not_matter(void **state) {
    (void)state;
    enum { N = 30000 };
    uint64_t *hash = malloc(N * sizeof *hash);
    uint8_t *changed = malloc(N);
    for (unsigned round = 0; round < 48; round++) {
        unsigned p = 4 + round % 12, d = round & 16 ? 2 : 0, style = round % HLL_STYLES;
        size_t n = t_hash(60, round) % N + 1;
        bpk_hll *whole = hll_new(p, d), *parts = hll_new(p, d), *single = hll_new(p, d);
        for (size_t i = 0; i < n; i++) hash[i] = hll_hash(style, round, i);
        hll_add(whole, hash, n);
        for (size_t at = 0, take, k = 0; at < n; at += take, k++) {
            take = t_hash(61 + round, k) % 700;
            take = take < n - at ? take : n - at;
            bpk_items it = {.n = take, .hash = hash + at};
            size_t done = 0;
            assert_int_equal(bpk_add(bpk_hll_base(parts), &it, k % 3 ? changed : NULL, &done), BPK_OK);
            assert_int_equal(done, take);
            if (k % 4 == 0) hll_point(parts);
        }
        for (size_t i = 0; i < n; i++) {
            hll_add(single, hash + i, 1);
            if (i % 1000 == 0) hll_point(single); /* from here on a live histogram is kept */
        }
        t_assert_same_bytes(bpk_hll_base(whole), bpk_hll_base(parts));
        t_assert_same_bytes(bpk_hll_base(whole), bpk_hll_base(single));
        assert_true(hll_point(single) == hll_point(whole)); /* a histogram kept equals one counted now */
        hll_free(whole);
        hll_free(parts);
        hll_free(single);
    }
    free(hash);
    free(changed);
}

static void changed_tells_whether_the_bytes_changed(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        bpk_hll *h = hll_new(5, d);
        t_bytes before = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
        for (uint64_t i = 0; i < 3000; i++) {
            uint64_t hash = hll_hash(i % HLL_STYLES, 70, i);
            uint8_t changed = 2;
            assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 1, .hash = &hash}, &changed, NULL), BPK_OK);
            t_bytes after = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
            bool differ = after.n != before.n || memcmp(after.p, before.p, after.n) != 0;
            assert_int_equal(changed, differ);
            free(before.p);
            before = after;
        }
        free(before.p);
        hll_free(h);
    }
}

/* ---- the great law ---- */

typedef struct plan {
    uint64_t seed, n;
    unsigned p, d, style;
} plan;

static uint64_t draw(plan *c, uint64_t bound) {
    return t_hash(c->seed, c->n++) % bound;
}

static bpk_sketch *over_the_wire(plan *c, bpk_sketch *s) {
    bpk_form f = (bpk_form)draw(c, 2);
    t_bytes b = t_encode(s, f);
    bpk_sketch *back = NULL;
    assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    free(b.p);
    bpk_free(s);
    return back;
}

/* Folds towards (p, d) in one or two steps that stay above it. */
static void fold_some(plan *c, bpk_sketch *s) {
    bpk_hll *h = (bpk_hll *)s;
    unsigned p = bpk_hll_precision(h), d = bpk_hll_window_bits(h);
    assert_int_equal(bpk_hll_fold(h, (uint8_t)(c->p + draw(c, p - c->p + 1)), (uint8_t)(draw(c, 2) ? d : c->d)),
                     BPK_OK);
}

static void unite(plan *c, bpk_sketch *dst, bpk_sketch *src) {
    t_bytes b = {NULL, 0};
    bpk_view v;
    uint64_t way = draw(c, 3);
    if (way == 0) {
        assert_int_equal(bpk_merge(dst, src, NULL), BPK_OK);
        return;
    }
    b = t_encode(src, way == 1 ? BPK_FORM_VIEW : BPK_FORM_SMALL);
    if (way == 1 && draw(c, 2)) {
        const bpk_sketch *seen = bpk_view_open(&v, b.p, b.n, NULL);
        assert_non_null(seen);
        assert_int_equal(bpk_merge(dst, seen, NULL), BPK_OK);
    } else {
        assert_int_equal(bpk_merge_bytes(&dst, b.p, b.n, NULL, NULL), BPK_OK);
    }
    free(b.p);
}

enum { PARTS = 6, HASHES = 6000 };

/* A cover of the hashes by parts that overlap, each of a shape that is not below (p, d). */
static void make_parts(plan *c, bpk_sketch *part[PARTS], size_t parts, const uint64_t *hash, size_t n) {
    for (size_t k = 0; k < parts; k++) {
        unsigned room = c->p < 16 ? 4 : 1;
        part[k] = bpk_hll_base(hll_new(c->p + (unsigned)draw(c, room), draw(c, 2) ? 2 : c->d));
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = draw(c, parts);
        hll_add((bpk_hll *)part[at], hash + i, 1);
        if (draw(c, 4) == 0) hll_add((bpk_hll *)part[draw(c, parts)], hash + i, 1);
    }
}

static void one_case(plan *c, uint64_t *hash) {
    size_t parts = 1 + draw(c, PARTS), n = draw(c, 2) ? draw(c, 60) : draw(c, HASHES);
    if (c->p > 14) n = draw(c, 300);
    for (size_t i = 0; i < n; i++) hash[i] = hll_hash(c->style, c->seed + 1000, i);
    bpk_sketch *part[PARTS], *direct = bpk_hll_base(hll_new(c->p, c->d));
    hll_add((bpk_hll *)direct, hash, n);
    make_parts(c, part, parts, hash, n);
    while (parts > 1) { /* any tree */
        size_t a = draw(c, parts), b = draw(c, parts - 1);
        b += b >= a;
        if (draw(c, 3) == 0) part[a] = over_the_wire(c, part[a]);
        if (draw(c, 3) == 0) fold_some(c, part[b]);
        unite(c, part[a], part[b]);
        bpk_free(part[b]);
        part[b] = part[--parts];
    }
    if (draw(c, 2)) fold_some(c, part[0]);
    assert_int_equal(bpk_hll_fold((bpk_hll *)part[0], (uint8_t)c->p, (uint8_t)c->d), BPK_OK);
    t_assert_same_bytes(direct, part[0]);
    bpk_free(direct);
    bpk_free(part[0]);
}

static void any_cover_in_any_shapes_by_any_tree_gives_the_same_bytes(void **state) {
    (void)state;
    uint64_t *hash = malloc(HASHES * sizeof *hash);
    for (uint64_t seed = 0; seed < 6000; seed++) {
        unsigned p = seed % 16 ? 4 + (unsigned)(t_hash(80, seed) % 11) : 15 + (unsigned)(t_hash(80, seed) % 6);
        plan c = {.seed = 100000 + seed, .p = p, .d = seed & 1 ? 2 : 0, .style = (unsigned)(seed / 2 % HLL_STYLES)};
        one_case(&c, hash);
    }
    free(hash);
}

/* Dense at p = 23 and both forms at p = 26: the far end of the range. */
static void the_largest_precisions_obey_too(void **state) {
    (void)state;
    bpk_hll *high = hll_new(26, 2), *low = hll_new(23, 2), *tiny = hll_new(6, 0), *from = NULL;
    uint64_t hash[1000];
    for (uint64_t i = 0; i < 1700; i++) {
        for (uint64_t j = 0; j < 1000; j++) hash[j] = hll_hash(1, 90 + i % 5, 1000 * i + j);
        hll_add(high, hash, 1000);
        hll_add(low, hash, 1000);
        hll_add(tiny, hash, 1000);
    }
    t_bytes b = t_encode(bpk_hll_base(high), BPK_FORM_SMALL);
    assert_int_equal(b.p[34], 0); /* still tokens */
    assert_int_equal(bpk_decode((bpk_sketch **)&from, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_hll_fold(from, 23, 2), BPK_OK);
    t_assert_same_bytes(bpk_hll_base(from), bpk_hll_base(low));
    assert_int_equal(bpk_hll_fold(from, 6, 0), BPK_OK);
    t_assert_same_bytes(bpk_hll_base(from), bpk_hll_base(tiny));
    free(b.p);
    hll_free(high);
    hll_free(low);
    hll_free(tiny);
    hll_free(from);
}

static void merging_is_idempotent_commutative_and_associative(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        bpk_hll *in[3];
        bpk_sketch *ab = NULL, *ba = NULL, *left = NULL, *right = NULL, *bc = NULL;
        for (unsigned k = 0; k < 3; k++) {
            in[k] = hll_new(4 + (unsigned)(t_hash(95, 3 * seed + k) % 9), t_hash(96, 3 * seed + k) % 2 ? 2 : 0);
            size_t n = t_hash(97, 3 * seed + k) % (seed % 2 ? 40 : 3000);
            for (size_t i = 0; i < n; i++)
                hll_add(in[k], &(uint64_t){hll_hash(seed % HLL_STYLES, seed, i + 500 * k)}, 1);
        }
        const bpk_sketch *a = (bpk_sketch *)in[0], *b = (bpk_sketch *)in[1], *c = (bpk_sketch *)in[2];
        assert_int_equal(bpk_merge_many(&ab, (const bpk_sketch *[]){a, b}, 2, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_merge_many(&ba, (const bpk_sketch *[]){b, a}, 2, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_merge_many(&bc, (const bpk_sketch *[]){b, c}, 2, NULL, NULL), BPK_OK);
        t_assert_same_bytes(ab, ba);
        assert_int_equal(bpk_merge_many(&left, (const bpk_sketch *[]){ab, c}, 2, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_merge_many(&right, (const bpk_sketch *[]){a, bc}, 2, NULL, NULL), BPK_OK);
        t_assert_same_bytes(left, right);
        assert_int_equal(bpk_merge(ba, ab, NULL), BPK_OK);
        t_assert_same_bytes(ab, ba);
        assert_int_equal(bpk_merge(right, a, NULL), BPK_OK); /* what is in already changes nothing */
        t_assert_same_bytes(left, right);
        bpk_free(ab), bpk_free(ba), bpk_free(bc), bpk_free(left), bpk_free(right);
        for (unsigned k = 0; k < 3; k++) hll_free(in[k]);
    }
}

/* A sketch that has been asked keeps a histogram of its registers: merges and folds must not leave it behind. */
static void an_answer_is_that_of_the_state_as_it_is(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        bpk_hll *h = hll_new(13, seed % 2 ? 2 : 0), *other = hll_new(13 + (unsigned)(seed % 2), 2);
        t_add(bpk_hll_base(h), 400 + seed, 0, 5000);
        for (uint64_t step = 0; step < 8; step++) {
            bpk_sketch *anew = NULL;
            hll_point(h);
            if (step == 3) bpk_reset(bpk_hll_base(other));
            t_add(bpk_hll_base(other), 500 + seed, 3000 * step, 3000 * step + (step % 2 ? 200 : 3000));
            if (step != 6) assert_int_equal(bpk_merge(bpk_hll_base(h), bpk_hll_base(other), NULL), BPK_OK);
            if (step == 6) assert_int_equal(bpk_hll_fold(h, 12, 0), BPK_OK);
            t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_SMALL);
            assert_int_equal(bpk_decode(&anew, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            assert_true(hll_point(h) == hll_point(bpk_as_hll(anew)));
            free(b.p);
            bpk_free(anew);
        }
        hll_free(h);
        hll_free(other);
    }
}

static void folding_then_adding_equals_adding_then_folding(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        unsigned p = 5 + (unsigned)(t_hash(98, seed) % 10), q = 4 + (unsigned)(t_hash(99, seed) % (p - 3));
        unsigned e = seed % 3 ? 2 : 0;
        bpk_hll *first = hll_new(p, 2), *last = hll_new(p, 2);
        size_t n = t_hash(100, seed) % 4000;
        for (size_t i = 0; i < n; i++) {
            uint64_t hash = hll_hash(seed % HLL_STYLES, seed + 7, i);
            if (i == n / 3) assert_int_equal(bpk_hll_fold(first, (uint8_t)q, (uint8_t)e), BPK_OK);
            hll_add(first, &hash, 1);
            hll_add(last, &hash, 1);
        }
        assert_int_equal(bpk_hll_fold(first, (uint8_t)q, (uint8_t)e), BPK_OK);
        assert_int_equal(bpk_hll_fold(last, (uint8_t)q, (uint8_t)e), BPK_OK);
        t_assert_same_bytes(bpk_hll_base(first), bpk_hll_base(last));
        hll_free(first);
        hll_free(last);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_of_registers_are_unions_of_what_they_saw),
        cmocka_unit_test(every_kernel_unites_every_pair_alike),
        cmocka_unit_test(adding_equals_the_definition),
        cmocka_unit_test(batches_questions_and_reports_do_not_matter),
        cmocka_unit_test(changed_tells_whether_the_bytes_changed),
        cmocka_unit_test(any_cover_in_any_shapes_by_any_tree_gives_the_same_bytes),
        cmocka_unit_test(the_largest_precisions_obey_too),
        cmocka_unit_test(merging_is_idempotent_commutative_and_associative),
        cmocka_unit_test(an_answer_is_that_of_the_state_as_it_is),
        cmocka_unit_test(folding_then_adding_equals_adding_then_folding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
