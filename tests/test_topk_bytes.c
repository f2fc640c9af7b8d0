/* test_topk_bytes.c - top-k sketches as bytes: the decoder's rules one by one, damage, views. */
#include "t_streams.h"

#include "topk_state.h"

enum {
    AT_K = 32,
    AT_CANDIDATES = 36,
    AT_NAME_BYTES = 40,
    AT_HALF_LIFE = 48,
    AT_TOTAL = 56,
    AT_DRAWS = 64,
    AT_NOW = 72,
    AT_THRESHOLD = 80,
    AT_NAMES = 88,
    AT_B = 92,
    AT_L = 93,
    AT_LEVEL = 94,
    AT_SHORT = 95,
    AT_BUCKETS = 96,
    AT_LIGHT = AT_BUCKETS + 2 * TOPK_BUCKET, /* of the small samples: two buckets, 64 bytes a row */
    AT_NAME = AT_LIGHT + 128,
    FP = 0,
    BASE = 36,
    MEMO = 54,
    SCORE = 56,
};

/* `keys` keys of one to six bytes; with 18 entries and 60 keys everything is in use: bases, light, threshold. */
static bpk_topk *sample(uint32_t keys, uint32_t k, uint32_t entries, uint64_t seed) {
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = k, .candidates = 2 * k, .entries = entries};
    bpk_hasher h;
    assert_int_equal(bpk_topk_new(&t, &cfg, NULL), BPK_OK);
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    t_rng r = {seed};
    for (uint32_t i = 0; i < 20 * keys; i++) {
        char text[12];
        uint64_t weight = t_below(&r, 9);
        size_t len = (size_t)snprintf(text, sizeof text, "%.0f", (double)t_below(&r, t_below(&r, keys) + 1));
        const void *item = text;
        uint64_t hash = bpk_hash(&h, text, len);
        bpk_items it = {.n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight};
        assert_int_equal(bpk_add(bpk_topk_base(t), &it, NULL, NULL), BPK_OK);
    }
    return t;
}
static void drop(bpk_topk *t) {
    bpk_free(bpk_topk_base(t));
}
static t_bytes bytes_of(bpk_topk *t) {
    t_bytes b = t_encode(bpk_topk_base(t), BPK_FORM_SMALL);
    drop(t);
    return b;
}

/* ---- what decodes ---- */

static void a_decoded_sketch_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    t_world w = t_world_new(5000);
    uint32_t *id = t_stream_make(T_ZIPF_10, w.n, 40000, 2);
    for (uint32_t entries = 18; entries <= 1152; entries *= 4)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_topk *a = sample(entries / 9, 5, entries, 3);
            bpk_sketch *b = NULL;
            t_bytes bytes = t_encode(bpk_topk_base(a), (bpk_form)form);
            assert_int_equal(bpk_decode(&b, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(bpk_topk_base(a), b);
            t_feed(bpk_topk_base(a), &w, id, NULL, 40000);
            t_feed(b, &w, id, NULL, 40000);
            t_assert_same_bytes(bpk_topk_base(a), b);
            free(bytes.p);
            drop(a);
            bpk_free(b);
        }
    free(id);
    t_world_free(&w);
}

static void assert_same_answer(const bpk_estimate *a, const bpk_estimate *b) {
    assert_true(a->estimate == b->estimate && a->lower == b->lower && a->upper == b->upper);
    assert_true(a->confidence == b->confidence && a->flags == b->flags);
}
static bool same_row(void *ctx, const bpk_row *row) {
    const bpk_row **next = ctx, *x = (*next)++;
    assert_true(row->len == x->len && !row->key == !x->key && row->certain == x->certain);
    if (x->key) assert_memory_equal(row->key, x->key, x->len);
    assert_same_answer(&row->count, &x->count);
    return true;
}

static void a_view_answers_as_its_sketch_at_any_address(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        bpk_topk *t = sample(10 + 10 * (uint32_t)seed, 5 + (uint32_t)seed % 4, 18u << seed % 3, seed);
        t_bytes bytes = t_encode(bpk_topk_base(t), BPK_FORM_VIEW);
        uint8_t *odd = malloc(bytes.n + 1);
        memcpy(odd + 1, bytes.p, bytes.n);
        bpk_view v;
        const bpk_topk *seen = bpk_as_topk(bpk_view_open(&v, odd + 1, bytes.n, NULL));
        assert_non_null(seen);
        bpk_row x[8];
        const bpk_row *next = x;
        size_t n, m;
        uint64_t ceiling, again;
        assert_int_equal(bpk_topk_list(t, x, 8, &n, &ceiling), BPK_OK);
        assert_int_equal(bpk_rows((const bpk_sketch *)seen, 8, same_row, &next, NULL), BPK_OK);
        assert_true(next == x + n && n <= bpk_topk_k(seen));
        assert_int_equal(bpk_topk_list(seen, x, 0, &m, &again), BPK_OK);
        assert_true(m == 0 && again == ceiling && bpk_topk_total(seen) == bpk_topk_total(t));
        for (uint64_t i = 0; i < 2000; i++) {
            bpk_estimate a = bpk_topk_count(t, t_hash(1, i)), b = bpk_topk_count(seen, t_hash(1, i));
            assert_same_answer(&a, &b);
        }
        assert_int_equal(bpk_health(bpk_topk_base(t), NULL, NULL), bpk_health((const bpk_sketch *)seen, NULL, NULL));
        assert_true(t_info((const bpk_sketch *)seen, "named") == t_info(bpk_topk_base(t), "named"));
        t_assert_same_bytes(bpk_topk_base(t), (const bpk_sketch *)seen);
        bpk_sketch *copied = NULL;
        assert_int_equal(bpk_copy(&copied, (const bpk_sketch *)seen, NULL), BPK_OK);
        t_assert_same_bytes(bpk_topk_base(t), copied);
        bpk_free(copied);
        free(odd), free(bytes.p);
        drop(t);
    }
}

static void a_key_that_was_hashed_with_a_secret_is_not_checked(void **state) {
    (void)state;
    bpk_topk *t = NULL;
    const bpk_topk_config cfg = {.k = 3, .domain = {.hash = BPK_HASH_SIPHASH, .secret = 1, .seed = 5}};
    const void *item = "any";
    size_t len = 3;
    uint64_t hash = 12345;
    bpk_items it = {.n = 1, .hash = &hash, .item = &item, .len = &len};
    assert_int_equal(bpk_topk_new(&t, &cfg, NULL), BPK_OK);
    assert_int_equal(bpk_add(bpk_topk_base(t), &it, NULL, NULL), BPK_OK);
    t = (bpk_topk *)t_reload(bpk_topk_base(t));
    assert_int_equal(t->names_n, 1);
    drop(t);
}

/* ---- what does not ---- */

static void expect(const t_bytes *bad, bpk_status st, const char *field) {
    bpk_err err;
    bpk_sketch *out = NULL;
    t_reseal(bad->p, bad->n);
    assert_int_equal(bpk_decode(&out, bad->p, bad->n, NULL, NULL, &err), st);
    assert_string_equal(err.field, field);
    t_assert_refused(bad->p, bad->n);
}
static void put(t_bytes *b, size_t at, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++) b->p[at + i] = (uint8_t)(value >> (8 * i));
}
static void assert_damage(const t_bytes *good, size_t at, uint64_t value, size_t n, bpk_status st, const char *field) {
    t_bytes bad = t_dup(good);
    put(&bad, at, value, n);
    expect(&bad, st, field);
    free(bad.p);
}

static void parameters_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1));
    assert_damage(&b, AT_K, 0, 4, BPK_E_CORRUPT, "k");
    assert_damage(&b, AT_K, (1 << 20) + 1, 4, BPK_E_CORRUPT, "k");
    assert_damage(&b, AT_K, 5, 4, BPK_E_CORRUPT, "candidates");
    assert_damage(&b, AT_CANDIDATES, (1 << 26) + 1, 4, BPK_E_CORRUPT, "candidates");
    assert_damage(&b, AT_CANDIDATES, 7, 4, BPK_E_CORRUPT, "candidates");
    assert_damage(&b, AT_NAME_BYTES, 2, 8, BPK_E_CORRUPT, "names");
    for (size_t i = 0; i < 8; i++) assert_damage(&b, AT_NOW + i, 1, 1, BPK_E_CORRUPT, "now"); /* without half-life */
    assert_damage(&b, AT_NAMES, 9, 4, BPK_E_CORRUPT, "names");
    assert_damage(&b, AT_NAMES, UINT32_MAX, 4, BPK_E_CORRUPT, "names");
    assert_damage(&b, AT_B, 0, 1, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, AT_B, 25, 1, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, AT_L, 5, 1, BPK_E_CORRUPT, "light");
    assert_damage(&b, AT_L, 29, 1, BPK_E_CORRUPT, "light");
    assert_damage(&b, AT_LEVEL, 4, 1, BPK_E_CORRUPT, "level");
    assert_damage(&b, AT_SHORT, 2, 1, BPK_E_CORRUPT, "names_short");
    free(b.p);
}

static void buckets_that_cannot_be_are_refused(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1)), few = bytes_of(sample(6, 3, 18, 2));
    size_t first = AT_BUCKETS, last = AT_BUCKETS + 4 * 8;
    assert_damage(&b, first + FP, 0, 4, BPK_E_CORRUPT, "buckets"); /* an empty way before others */
    assert_damage(&b, first + FP, bpki_load32(b.p + last), 4, BPK_E_CORRUPT, "buckets"); /* twice the same item */
    assert_damage(&b, first + MEMO, 1, 2, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, first + MEMO + 1, 1, 1, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, first + SCORE, (UINT64_C(1) << 62) + 1, 8, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, first + BASE, TOPK_BASE_MAX + 1, 2, BPK_E_CORRUPT, "buckets");
    assert_damage(&b, first + BASE, TOPK_BASE_MAX, 2, BPK_E_CORRUPT, "buckets"); /* above the score */
    assert_damage(&b, first + SCORE, 0, 8, BPK_E_CORRUPT, "buckets");            /* of a way that is occupied */
    assert_damage(&few, first + BASE + 16, 1, 2, BPK_E_CORRUPT, "buckets");      /* of an empty way */
    assert_damage(&few, first + SCORE + 64, 1, 8, BPK_E_CORRUPT, "buckets");
    free(b.p), free(few.p);
}

static void sums_that_cannot_be_are_refused(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1)), few = bytes_of(sample(6, 3, 18, 2)),
            none = bytes_of(sample(0, 3, 18, 3));
    assert_damage(&b, AT_TOTAL, 10, 8, BPK_E_CORRUPT, "total"); /* less than what is kept */
    assert_damage(&b, AT_TOTAL, 0, 8, BPK_E_CORRUPT, "total");
    assert_damage(&few, AT_DRAWS, 1, 8, BPK_E_CORRUPT, "total"); /* nothing was refused yet */
    assert_damage(&few, AT_LIGHT, 1, 1, BPK_E_CORRUPT, "total");
    assert_damage(&few, AT_LIGHT + 127, 1, 1, BPK_E_CORRUPT, "total");
    assert_damage(&few, AT_LEVEL, 1, 1, BPK_E_CORRUPT, "total");
    assert_damage(&none, AT_TOTAL, 1, 8, BPK_E_CORRUPT, "total");
    assert_damage(&none, AT_THRESHOLD, 1, 8, BPK_E_CORRUPT, "total");
    assert_damage(&none, AT_SHORT, 1, 1, BPK_E_CORRUPT, "total");
    t_bytes wide = t_dup(&b); /* cells of 8 bytes hold 2^62 at most */
    put(&wide, AT_LEVEL, 3, 1);
    memset(wide.p + AT_LIGHT, 0, 128);
    put(&wide, AT_LIGHT, (UINT64_C(1) << 62) + 1, 8);
    expect(&wide, BPK_E_CORRUPT, "total");
    put(&wide, AT_LIGHT, UINT64_C(1) << 62, 8);
    t_reseal(wide.p, wide.n);
    assert_true(t_refused_or_canonical(wide.p, wide.n));
    free(wide.p), free(b.p), free(few.p), free(none.p);
}

static void names_that_cannot_be_are_refused(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1));
    size_t first = AT_NAME, second = first + 8 + bpki_load32(b.p + first + 4);
    uint32_t way = bpki_load32(b.p + first), other = bpki_load32(b.p + second);
    assert_true(bpki_load32(b.p + AT_NAMES) >= 4 && way < other);
    assert_damage(&b, first, other, 4, BPK_E_CORRUPT, "names"); /* not that way's key */
    assert_damage(&b, second, way, 4, BPK_E_CORRUPT, "names");  /* not ascending */
    assert_damage(&b, first, 18, 4, BPK_E_CORRUPT, "names");    /* outside the table */
    assert_damage(&b, first, UINT32_MAX, 4, BPK_E_CORRUPT, "names");
    assert_damage(&b, first + 8, b.p[first + 8] ^ 1, 1, BPK_E_CORRUPT, "names"); /* another key's hash */
    assert_damage(&b, first + 4, bpki_load32(b.p + first + 4) + 1, 4, BPK_E_CORRUPT, "names");
    assert_damage(&b, first + 4, UINT32_MAX, 4, BPK_E_CORRUPT, "names"); /* longer than the body */
    assert_damage(&b, AT_NAMES, bpki_load32(b.p + AT_NAMES) - 1, 4, BPK_E_CORRUPT, "threshold"); /* one too few */
    free(b.p);
    t_bytes few = bytes_of(sample(6, 3, 18, 2)); /* a name for an empty way; found only if no rule before it fails */
    uint32_t names = bpki_load32(few.p + AT_NAMES);
    size_t last = AT_NAME;
    for (uint32_t i = 1; i < names; i++) last += 8 + bpki_load32(few.p + last + 4);
    assert_damage(&few, last, 17, 4, BPK_E_CORRUPT, "names");
    free(few.p);
}

static void a_threshold_needs_half_of_the_candidates_named_above_it_or_says_names_short(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1)), bad = t_dup(&b);
    uint64_t high = TOPK_SCORE_MAX;
    assert_true(bpki_load64(b.p + AT_THRESHOLD) > 0);
    assert_damage(&b, AT_THRESHOLD, high, 8, BPK_E_CORRUPT, "threshold");
    put(&bad, AT_THRESHOLD, high, 8);
    put(&bad, AT_SHORT, 1, 1);
    t_reseal(bad.p, bad.n);
    assert_true(t_refused_or_canonical(bad.p, bad.n));
    free(b.p), free(bad.p);
}

static void every_bit_flip_and_every_truncation_is_refused(void **state) {
    (void)state;
    for (uint32_t keys = 0; keys <= 60; keys += 6) {
        bpk_topk *t = sample(keys, 4, 18, keys);
        t_bytes b = t_encode(bpk_topk_base(t), keys % 4 ? BPK_FORM_VIEW : BPK_FORM_SMALL);
        t_assert_damage_refused(b);
        free(b.p);
        drop(t);
    }
}

/* Answers and further life of damaged bytes that obey every rule. */
static void live_on(const t_bytes *b) {
    bpk_sketch *s = NULL, *sum = NULL;
    bpk_row rows[16];
    size_t n;
    bool complete;
    if (bpk_decode(&s, b->p, b->n, NULL, NULL, NULL) != BPK_OK) return;
    const bpk_topk *t = bpk_as_topk(s);
    assert_int_equal(bpk_topk_list(t, rows, 16, &n, NULL), BPK_OK);
    for (size_t i = 0; i < n; i++) t_assert_sound(&rows[i].count);
    const bpk_row *none = rows;
    if (n == 0) assert_int_equal(bpk_topk_above(t, 0, same_row, &none, &complete), BPK_OK);
    assert_int_equal(bpk_copy(&sum, s, NULL), BPK_OK);
    for (uint64_t i = 0; i < 200; i++) {
        char text[8];
        const void *item = text;
        size_t len = (size_t)snprintf(text, sizeof text, "%.0f", (double)(i % 70));
        uint64_t hash = t_hash(3, i % 70);
        bpk_items it = {.n = 1, .hash = &hash, .item = &item, .len = &len};
        assert_int_equal(bpk_add(s, &it, NULL, NULL), BPK_OK);
    }
    assert_int_equal(bpk_merge(sum, s, NULL), BPK_OK);
    t_bytes again = t_encode(sum, BPK_FORM_VIEW);
    free(again.p);
    bpk_free(s), bpk_free(sum);
}

static void resealed_damage_is_refused_or_is_another_sketch_in_its_one_form(void **state) {
    (void)state;
    size_t accepted = 0, all = 0;
    t_rng r = {1};
    for (uint32_t keys = 0; keys <= 60; keys += 5)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_topk *t = sample(keys, 4, 18, keys);
            t_bytes b = t_encode(bpk_topk_base(t), (bpk_form)form);
            for (int turn = 0; turn < 1500; turn++) {
                t_bytes bad = t_dup(&b);
                for (uint64_t n = t_below(&r, 3) + 1; n-- > 0;) {
                    size_t at = (size_t)t_below(&r, t_below(&r, 2) ? bad.n : AT_BUCKETS);
                    bad.p[at] = t_below(&r, 2) ? (uint8_t)t_next(&r) : (uint8_t)(bad.p[at] + 1);
                }
                t_reseal(bad.p, bad.n);
                bool taken = t_refused_or_canonical(bad.p, bad.n);
                accepted += taken, all++;
                if (taken) live_on(&bad);
                free(bad.p);
            }
            free(b.p);
            drop(t);
        }
    print_message("%zu of %zu accepted\n", accepted, all);
    assert_true(accepted > 1000);
}

static void every_byte_of_the_parameters_may_have_every_value(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1));
    for (size_t at = 8; at < AT_BUCKETS; at++)
        for (unsigned v = 0; v < 256; v++) {
            t_bytes bad = t_dup(&b);
            bad.p[at] = (uint8_t)v;
            t_reseal(bad.p, bad.n);
            if (t_refused_or_canonical(bad.p, bad.n)) live_on(&bad);
            free(bad.p);
        }
    free(b.p);
}

static void every_allocation_may_fail_and_a_limit_is_kept(void **state) {
    (void)state;
    t_bytes b = bytes_of(sample(60, 4, 18, 1));
    bpk_sketch *out = NULL;
    long nth = 1;
    for (;; nth++) {
        t_env env;
        t_env_init(&env, nth);
        bpk_status st = bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL);
        if (st == BPK_OK) bpk_free(out);
        assert_int_equal(env.held, 0);
        if (st == BPK_OK) break;
        assert_int_equal(st, BPK_E_NOMEM);
    }
    assert_true(nth > 6); /* each name is one */
    out = NULL;
    t_env env;
    t_env_init(&env, 0);
    env.env.max_bytes = 400;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL), BPK_E_LIMIT);
    assert_int_equal(env.held, 0);
    free(b.p);
}

/* ---- shapes that promise far more than the bytes hold ---- */

static void no_row(void *ctx, size_t index, const void *key, size_t len) {
    (void)ctx, (void)index, (void)key, (void)len;
}
static bool any_row(void *ctx, const bpk_row *row) {
    (void)row;
    ++*(size_t *)ctx;
    return true;
}

static void a_k_beyond_the_table_takes_no_memory_for_it(void **state) {
    (void)state;
    t_env env;
    bpk_sketch *s = NULL;
    size_t rows = 0;
    uint64_t hash = 5;
    t_bytes b = bytes_of(sample(60, 3, 18, 1));
    put(&b, AT_K, TOPK_K_MAX, 4);
    put(&b, AT_CANDIDATES, TOPK_CANDIDATES_MAX, 4);
    put(&b, AT_SHORT, 1, 1);
    t_reseal(b.p, b.n);
    t_env_init(&env, 0);
    env.env.max_bytes = 1 << 16;
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &env.env, NULL), BPK_OK);
    assert_int_equal(bpk_rows(s, SIZE_MAX, any_row, &rows, NULL), BPK_OK);
    assert_int_equal(rows, 18);
    assert_int_equal(bpk_topk_add((bpk_topk *)(void *)s, &(bpk_items){.n = 1, .hash = &hash}, no_row, NULL), BPK_OK);
    assert_true(env.held < 1 << 12 && env.held == bpk_memory(s));
    bpk_free(s);
    assert_int_equal(env.held, 0);
    free(b.p);
}

static void names_stay_within_the_limit_of_memory_whatever_the_bytes_allow(void **state) {
    (void)state;
    static uint8_t key[BPK_TOPK_KEY_MAX];
    t_env env;
    bpk_sketch *s = NULL;
    t_bytes b = bytes_of(sample(8, 3, 18, 1));
    put(&b, AT_CANDIDATES, TOPK_CANDIDATES_MAX, 4);
    put(&b, AT_NAME_BYTES, UINT64_MAX, 8);
    put(&b, AT_SHORT, 1, 1);
    t_reseal(b.p, b.n);
    t_env_init(&env, 0);
    env.env.max_bytes = 3 * sizeof key;
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &env.env, NULL), BPK_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        const void *item = key;
        uint64_t hash = t_hash(1, i), weight = 1000 + i;
        size_t len = sizeof key;
        bpk_items it = {.n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight};
        assert_int_equal(bpk_add(s, &it, NULL, NULL), BPK_OK);
        assert_true(env.held <= env.env.max_bytes + 4096);
    }
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_WARN);
    bpk_free(s);
    free(b.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoded_sketch_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(a_view_answers_as_its_sketch_at_any_address),
        cmocka_unit_test(a_key_that_was_hashed_with_a_secret_is_not_checked),
        cmocka_unit_test(parameters_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(buckets_that_cannot_be_are_refused),
        cmocka_unit_test(sums_that_cannot_be_are_refused),
        cmocka_unit_test(names_that_cannot_be_are_refused),
        cmocka_unit_test(a_threshold_needs_half_of_the_candidates_named_above_it_or_says_names_short),
        cmocka_unit_test(every_bit_flip_and_every_truncation_is_refused),
        cmocka_unit_test(resealed_damage_is_refused_or_is_another_sketch_in_its_one_form),
        cmocka_unit_test(every_byte_of_the_parameters_may_have_every_value),
        cmocka_unit_test(every_allocation_may_fail_and_a_limit_is_kept),
        cmocka_unit_test(a_k_beyond_the_table_takes_no_memory_for_it),
        cmocka_unit_test(names_stay_within_the_limit_of_memory_whatever_the_bytes_allow),
    };
    return cmocka_run_group_tests_name("test_topk_bytes", tests, NULL, NULL);
}
