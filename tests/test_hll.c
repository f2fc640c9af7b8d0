/* test_hll.c - promises of hll.h one by one, and what happens when memory fails. */
#include "t_hll.h"

/* ---- making ---- */

static void precision_and_window_bits_out_of_range_are_refused(void **state) {
    (void)state;
    for (unsigned p = 0; p < 256; p++) {
        for (unsigned d = 0; d < 256; d++) {
            bpk_hll *h = NULL;
            bool fits = p >= 4 && p <= 26 && (d == 0 || d == 2);
            bpk_hll_config c = {.precision = (uint8_t)p, .window_bits = (uint8_t)d};
            assert_int_equal(bpk_hll_new(&h, &c, NULL), fits ? BPK_OK : BPK_E_ARG);
            assert_int_equal(h != NULL, fits);
            if (!h) continue;
            assert_int_equal(bpk_hll_precision(h), p);
            assert_int_equal(bpk_hll_window_bits(h), d);
            hll_free(h);
        }
    }
}

/* Asks bpk_new; the precision that came out, or 0 with the field in *field. */
static unsigned made(const char *name, const char *value, const char *name2, const char *value2, const char **field) {
    bpk_sketch *s = NULL;
    bpk_err err = {.code = BPK_OK};
    const bpk_param p[] = {{name, value}, {name2, value2}};
    bpk_status st = bpk_new(&s, "hll", NULL, p, name2 ? 2 : name ? 1 : 0, NULL, &err);
    if (field) *field = err.field;
    if (st != BPK_OK) {
        assert_int_equal(st, BPK_E_ARG);
        assert_null(s);
        return 0;
    }
    unsigned precision = bpk_hll_precision(bpk_as_hll(s));
    bpk_free(s);
    return precision;
}

static void text_parameters_are_those_of_the_header(void **state) {
    (void)state;
    const char *field;
    assert_int_equal(made(NULL, NULL, NULL, NULL, NULL), 14);
    assert_int_equal(made("precision", "4", NULL, NULL, NULL), 4);
    assert_int_equal(made("precision", "26", "window_bits", "0", NULL), 26);
    static const struct {
        const char *name, *value, *name2, *value2, *field;
    } wrong[] = {
        {"precision", "3", NULL, NULL, "precision"},
        {"precision", "27", NULL, NULL, "precision"},
        {"precision", "99", NULL, NULL, "precision"},
        {"precision", "-1", NULL, NULL, "precision"},
        {"precision", "", NULL, NULL, "precision"},
        {"window_bits", "1", NULL, NULL, "window_bits"},
        {"window_bits", "3", NULL, NULL, "window_bits"},
        {"error", "0", NULL, NULL, "error"},
        {"error", "2", NULL, NULL, "error"},
        {"error", "-1%", NULL, NULL, "error"},
        {"error", "1e-9", NULL, NULL, "error"},
        {"error", "1%", "precision", "14", "error"},
        {"accuracy", "1%", NULL, NULL, "accuracy"},
        {"precision", "14", "precision", "14", "precision"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(made(wrong[i].name, wrong[i].value, wrong[i].name2, wrong[i].value2, &field), 0);
        assert_string_equal(field, wrong[i].field);
    }
}

static void error_gives_the_smallest_precision_that_meets_it(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        for (unsigned i = 0; i < 400; i++) {
            double error = 0.25 * pow(0.97, i);
            char text[40];
            snprintf(text, sizeof text, "%.9f", error);
            sscanf(text, "%lf", &error);
            unsigned p = made("error", text, "window_bits", d ? "2" : "0", NULL), want = 4;
            while (want <= 26 && bpk_hll_standard_error((uint8_t)want, (uint8_t)d) > error) want++;
            assert_int_equal(p, want <= 26 ? want : 0);
        }
    }
    assert_int_equal(made("error", "1%", NULL, NULL, NULL), 13);
    assert_int_equal(made("error", "0.006", NULL, NULL, NULL), 14);
}

static void the_default_domain_is_taken_for_hash_0_and_impossible_ones_are_refused(void **state) {
    (void)state;
    bpk_hll *h = hll_new(4, 0);
    const bpk_domain *d = bpk_domain_of(bpk_hll_base(h));
    assert_true(d->hash == BPK_HASH_XXH3 && d->secret == 0 && d->type == BPK_BYTES && d->seed == 0);
    hll_free(h);
    static const bpk_domain wrong[] = {{9, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 0, 5}, {2, 1, 0, 0}, {1, 0, 3, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bpk_hll_config c = {.domain = wrong[i], .precision = 10};
        assert_int_equal(bpk_hll_new(&h, &c, NULL), BPK_E_ARG);
    }
}

/* ---- memory ---- */

static bool is_dense(const bpk_hll *h) {
    t_bytes b = t_encode((const bpk_sketch *)h, BPK_FORM_VIEW);
    bool dense = b.p[34] == 1;
    free(b.p);
    return dense;
}

/* Hashes with different lower halves have different tokens. */
static void add_different(bpk_hll *h, uint64_t from, uint64_t to) {
    for (; from < to; from++) hll_add(h, &(uint64_t){t_hash(20, from) << 26 | from * 101 % (1 << 26)}, 1);
}

static void registers_come_with_one_item_over_three_sixteenths(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 18; p++) {
        uint64_t most = UINT64_C(3) << (p - 4);
        bpk_hll *h = hll_new(p, 2);
        add_different(h, 0, most);
        assert_false(is_dense(h));
        add_different(h, 0, most); /* again: nothing new */
        assert_false(is_dense(h));
        add_different(h, most, most + 1);
        assert_true(is_dense(h));
        hll_free(h);
    }
}

static void memory_is_what_the_header_says(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 18; p += 2) {
        t_env env;
        bpk_hll *h = NULL;
        bpk_hll_config c = {.precision = (uint8_t)p, .window_bits = 2};
        t_env_init(&env, 0);
        assert_int_equal(bpk_hll_new(&h, &c, &env.env), BPK_OK);
        size_t object = bpk_memory(bpk_hll_base(h)) - (p == 4 ? 16 : 32);
        uint64_t most = UINT64_C(3) << (p - 4);
        for (uint64_t n = 1; n <= most + 1; n++) {
            t_add(bpk_hll_base(h), 21, n - 1, n);
            size_t held = bpk_memory(bpk_hll_base(h));
            assert_int_equal(held, env.held);
            if (n == 10 && p > 6) assert_in_range(held, 100, 180);
            if (n >= 6 && n <= most) assert_true((double)(held - object) / (double)n < 10.7);
            if (n > most) assert_in_range(held, (1u << p), (1u << p) + object + 1032);
        }
        hll_free(h);
        assert_int_equal(env.held, 0);
    }
}

static void serialized_sizes_keep_their_bars(void **state) {
    (void)state;
    bpk_hll *h = hll_new(14, 2);
    assert_in_range(bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL), 1, 56); /* the envelope's overhead */
    t_add(bpk_hll_base(h), 22, 0, 10);
    assert_in_range(bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL), 1, 100);
    t_add(bpk_hll_base(h), 22, 10, 1000);
    assert_in_range(bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL), 1, 2600);
    hll_free(h);
}

static void the_limit_of_the_environment_holds_and_leaves_the_sketch_as_it_was(void **state) {
    (void)state;
    t_env env;
    bpk_hll *h = NULL;
    bpk_hll_config c = {.precision = 14, .window_bits = 2};
    t_env_init(&env, 0);
    env.env.max_bytes = 12288; /* 1,536 tokens fit, also sorted for encoding; more do not, let alone registers */
    assert_int_equal(bpk_hll_new(&h, &c, &env.env), BPK_OK);
    t_add(bpk_hll_base(h), 23, 0, 1536);
    t_bytes before = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
    uint64_t more[3] = {t_hash(23, 0), t_hash(23, 5000), t_hash(23, 5001)};
    size_t done = 9;
    assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 3, .hash = more}, NULL, &done), BPK_E_LIMIT);
    assert_int_equal(done, 1);
    t_bytes after = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
    assert_int_equal(after.n, before.n);
    assert_memory_equal(after.p, before.p, after.n);
    free(before.p);
    free(after.p);
    hll_free(h);
    bpk_hll *dense = hll_new(14, 2);
    t_add(bpk_hll_base(dense), 23, 0, 5000);
    t_bytes b = t_encode(bpk_hll_base(dense), BPK_FORM_SMALL);
    bpk_sketch *out = NULL;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL), BPK_E_LIMIT);
    assert_int_equal(env.held, 0);
    free(b.p);
    hll_free(dense);
}

/* ---- answers ---- */

static void an_empty_sketch_is_exactly_empty(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        bpk_hll *h = hll_new(14, d);
        bpk_estimate e = bpk_hll_count(h, 0.99);
        assert_true(e.estimate == 0 && e.lower == 0 && e.upper == 0 && e.confidence == 0.99);
        assert_true(e.flags & BPK_EXACT);
        hll_free(h);
    }
}

static void confidence_defaults_and_moves_into_its_range(void **state) {
    (void)state;
    bpk_hll *h = hll_new(10, 2);
    t_add(bpk_hll_base(h), 24, 0, 50000);
    assert_true(bpk_hll_count(h, 0).confidence == 0.95);
    assert_true(bpk_hll_count(h, NAN).confidence == 0.95);
    assert_true(bpk_hll_count(h, 0.1).confidence == 0.5);
    assert_true(bpk_hll_count(h, -3).confidence == 0.5);
    assert_true(bpk_hll_count(h, 7).confidence == 0.999999);
    bpk_estimate last = bpk_hll_count(h, 0.5);
    for (double c = 0.55; c < 0.999999; c += 0.01) {
        bpk_estimate e = bpk_hll_count(h, c);
        t_assert_sound(&e);
        assert_true(e.estimate == last.estimate && e.lower <= last.lower && e.upper >= last.upper);
        last = e;
    }
    bpk_estimate any;
    assert_int_equal(bpk_count(bpk_hll_base(h), NULL, 0, 0.3, &any, NULL), BPK_E_ARG);
    uint64_t one = 1;
    assert_int_equal(bpk_count(bpk_hll_base(h), &one, 1, 0, &any, NULL), BPK_E_UNSUPPORTED);
    hll_free(h);
}

/* But for the add that turns tokens into registers, where an almost exact count gives way to an estimate. */
static void with_window_bits_0_an_add_never_lowers_the_estimate(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 14; p += 5) {
        bpk_hll *h = hll_new(p, 0);
        double last = 0;
        bool dense = false;
        for (uint64_t i = 0; i < (UINT64_C(12) << p); i++) {
            t_add(bpk_hll_base(h), 25, i, i + 1);
            bool turned = !dense && i >= UINT64_C(3) << (p - 4);
            double now = hll_point(h);
            assert_true(now >= last || turned);
            dense = dense || turned;
            last = now;
        }
        hll_free(h);
    }
}

/* What was seen, and so what the header says: falls, about one in 40 of the changes, each under 3e-4. */
static void with_window_bits_2_few_adds_lower_the_estimate_and_by_little(void **state) {
    (void)state;
    bpk_hll *h = hll_new(14, 2);
    double last, most = 0;
    long changes = 0, falls = 0;
    add_different(h, 0, 3073);
    last = hll_point(h);
    for (uint64_t i = 0; i < 1000000; i++) {
        uint64_t hash = t_hash(26, i);
        uint8_t changed;
        assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 1, .hash = &hash}, &changed, NULL), BPK_OK);
        if (!changed) continue;
        double now = hll_point(h);
        changes++;
        falls += now < last;
        most = fmax(most, 1 - now / last);
        last = now;
    }
    print_message("%ld of %ld changes lower the estimate, by %.2e at most\n", falls, changes, most);
    assert_true(most > 0 && most < 3e-4);
    assert_true(falls > changes / 60 && falls < changes / 25);
    hll_free(h);
}

static void merging_or_folding_to_less_says_reduced(void **state) {
    (void)state;
    bpk_hll *a = hll_new(12, 2), *b = hll_new(11, 2), *c = hll_new(12, 0);
    t_add(bpk_hll_base(a), 26, 0, 100);
    assert_false(bpk_hll_count(a, 0).flags & BPK_REDUCED);
    assert_int_equal(bpk_hll_fold(a, 13, 2), BPK_OK); /* higher values change nothing */
    assert_int_equal(bpk_hll_fold(a, 26, 2), BPK_OK);
    assert_int_equal(bpk_hll_precision(a), 12);
    assert_false(bpk_hll_count(a, 0).flags & BPK_REDUCED);
    assert_int_equal(bpk_hll_fold(a, 3, 2), BPK_E_ARG);
    assert_int_equal(bpk_hll_fold(a, 12, 1), BPK_E_ARG);
    assert_int_equal(bpk_merge(bpk_hll_base(a), bpk_hll_base(b), NULL), BPK_OK);
    assert_int_equal(bpk_hll_precision(a), 11);
    assert_true(bpk_hll_count(a, 0).flags & BPK_REDUCED);
    bpk_sketch *copy = NULL, *twin = NULL;
    assert_int_equal(bpk_copy(&copy, bpk_hll_base(a), NULL), BPK_OK);
    assert_true(bpk_hll_count(bpk_as_hll(copy), 0).flags & BPK_REDUCED);
    assert_int_equal(bpk_twin(&twin, bpk_hll_base(a), NULL), BPK_OK);
    assert_int_equal(bpk_hll_precision(bpk_as_hll(twin)), 11);
    assert_int_equal(bpk_hll_fold(c, 12, 0), BPK_OK);
    assert_false(bpk_hll_count(c, 0).flags & BPK_REDUCED);
    assert_int_equal(bpk_hll_fold(b, 11, 0), BPK_OK);
    assert_int_equal(bpk_hll_window_bits(b), 0);
    assert_true(bpk_hll_count(b, 0).flags & BPK_REDUCED);
    bpk_free(copy), bpk_free(twin), hll_free(a), hll_free(b), hll_free(c);
}

static void a_full_sketch_says_saturated(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2) {
        bpk_hll *h = hll_new(4, d);
        for (uint64_t i = 0; i < 16; i++)
            for (unsigned k = 0; k <= 60; k++) hll_add(h, &(uint64_t){i | (k < 60 ? UINT64_C(1) << (63 - k) : 0)}, 1);
        bpk_estimate e = bpk_hll_count(h, 0);
        assert_true(e.flags & BPK_SATURATED);
        assert_true(e.upper >= 1.8e19 && e.estimate >= 1.8e19 && e.lower >= 9e18);
        assert_int_equal(bpk_health(bpk_hll_base(h), NULL, NULL), BPK_HEALTH_OVER);
        t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_SMALL);
        assert_true(t_refused_or_canonical(b.p, b.n));
        free(b.p);
        hll_free(h);
    }
}

/* Whatever a decoder accepts has a finite answer with ordered limits: any valid bytes as registers, at p = 4 to 12. */
static void every_valid_state_has_a_sound_answer(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 10000; round++) {
        unsigned p = 4 + (unsigned)(round % 9), d = round & 16 ? 2 : 0, top = 65 - p;
        bpk_hll *h = hll_new(p, d);
        t_add(bpk_hll_base(h), 27, 0, (UINT64_C(1) << p) + 10);
        t_bytes b = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
        for (size_t i = 0; i < UINT64_C(1) << p; i++) {
            uint64_t x = t_hash(1000 + round, i);
            unsigned u = (unsigned)(x % (top + 1)), style = (unsigned)(round / 32 % 6);
            if (style == 1) u = i == 0 ? u : 0;
            if (style == 2) u = top;
            if (style == 3) u = i == 0 ? u : top;
            if (style == 4) u = i % 2 ? top : 1;
            if (style == 5) u = u > 3 ? 3 : u;
            unsigned window = d && u >= 3 ? (unsigned)(x >> 32 & 3) : d && u == 2 ? (unsigned)(x >> 32 & 2) : 0;
            b.p[64 + i] = (uint8_t)(u << d | window);
        }
        t_reseal(b.p, b.n);
        assert_true(t_refused_or_canonical(b.p, b.n));
        bpk_view v;
        const bpk_hll *seen = bpk_as_hll(bpk_view_open(&v, b.p, b.n, NULL));
        for (double c = 0.5; c < 1; c += 0.1666663) {
            bpk_estimate e = bpk_hll_count(seen, c);
            t_assert_sound(&e);
            assert_true(e.upper <= 18446744073709551616.0);
        }
        free(b.p);
        hll_free(h);
    }
}

static void reset_is_as_new(void **state) {
    (void)state;
    for (uint64_t n = 1; n < 100000; n = n * 3 + 1) {
        for (unsigned p = 4; p <= 14; p += 5) {
            bpk_hll *h = hll_new(p, 2), *fresh = hll_new(p, 2);
            t_add(bpk_hll_base(h), 28, 0, n);
            hll_point(h);
            bpk_reset(bpk_hll_base(h));
            t_assert_same_bytes(bpk_hll_base(h), bpk_hll_base(fresh));
            t_add(bpk_hll_base(h), 29, 0, n);
            t_add(bpk_hll_base(fresh), 29, 0, n);
            t_assert_same_bytes(bpk_hll_base(h), bpk_hll_base(fresh));
            assert_true(hll_point(h) == hll_point(fresh));
            hll_free(h);
            hll_free(fresh);
        }
    }
}

/* ---- every allocation fails once: nothing has changed, nothing is lost ---- */

typedef bpk_status (*act)(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env);

static bpk_status do_add(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)src, (void)env;
    uint64_t hash = t_hash(30, 1u << 20);
    return bpk_add(dst, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL);
}
static bpk_status do_merge(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)env;
    return bpk_merge(dst, src, NULL);
}
static bpk_status do_merge_bytes(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    t_bytes b = t_encode(src, BPK_FORM_SMALL);
    bpk_status st = bpk_merge_bytes(&dst, b.p, b.n, env, NULL);
    free(b.p);
    return st;
}
static bpk_status do_fold(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)src, (void)env;
    return bpk_hll_fold((bpk_hll *)dst, 8, 0);
}
static bpk_status do_copy(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)src;
    bpk_sketch *out = NULL;
    bpk_status st = bpk_copy(&out, dst, env);
    assert_int_equal(out != NULL, st == BPK_OK);
    bpk_free(out);
    return st;
}
static bpk_status do_decode(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)dst;
    bpk_sketch *out = NULL;
    t_bytes b = t_encode(src, BPK_FORM_SMALL);
    bpk_status st = bpk_decode(&out, b.p, b.n, NULL, env, NULL);
    assert_int_equal(out != NULL, st == BPK_OK);
    bpk_free(out);
    free(b.p);
    return st;
}
static bpk_status do_encode(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)src, (void)env;
    t_bytes b = {NULL, 0};
    size_t size = bpk_encoded_size(dst, BPK_FORM_SMALL);
    bpk_status st = bpk_encode(dst, BPK_FORM_SMALL, t_sink, &b);
    if (st == BPK_OK && size) assert_int_equal(size, b.n);
    free(b.p);
    return size ? st : BPK_E_NOMEM;
}
static bpk_status do_meta(bpk_sketch *dst, const bpk_sketch *src, const bpk_env *env) {
    (void)src, (void)env;
    return bpk_meta_set(dst, BPK_META_USER, "new", 3);
}

/* Runs `run` on a sketch of n items and another of k with the nth allocation failing, until none does. */
static long fail_each(act run, unsigned p, uint64_t n, uint64_t k, bool sticky) {
    for (long nth = 1;; nth++) {
        t_env env;
        bpk_hll *h = NULL, *other = hll_new(p - 1, 0);
        bpk_hll_config c = {.precision = (uint8_t)p, .window_bits = 2};
        t_env_init(&env, 0);
        assert_int_equal(bpk_hll_new(&h, &c, &env.env), BPK_OK);
        t_add(bpk_hll_base(h), 30, 0, n);
        t_add(bpk_hll_base(other), 31, 0, k);
        assert_int_equal(bpk_meta_set(bpk_hll_base(h), BPK_META_LABEL, "same", 4), BPK_OK);
        assert_int_equal(bpk_meta_set(bpk_hll_base(other), BPK_META_LABEL, "same", 4), BPK_OK);
        t_bytes before = t_encode(bpk_hll_base(h), BPK_FORM_SMALL);
        env.calls = 0, env.fail_at = nth, env.fail_sticky = sticky;
        bpk_status st = run(bpk_hll_base(h), bpk_hll_base(other), &env.env);
        bool hit = env.calls >= nth;
        env.fail_at = 0;
        assert_int_equal(st, hit ? BPK_E_NOMEM : BPK_OK);
        t_bytes after = t_encode(bpk_hll_base(h), BPK_FORM_SMALL);
        if (hit) {
            assert_int_equal(after.n, before.n);
            assert_memory_equal(after.p, before.p, after.n);
        }
        assert_true(t_refused_or_canonical(after.p, after.n));
        free(before.p);
        free(after.p);
        hll_free(h);
        hll_free(other);
        assert_int_equal(env.held, 0);
        if (!hit) return nth - 1;
    }
}

static void every_allocation_may_fail_and_nothing_has_changed(void **state) {
    (void)state;
    static const act acts[] = {do_add, do_merge, do_merge_bytes, do_fold, do_copy, do_decode, do_encode, do_meta};
    /* Before growth of the table, before registers, within and far beyond. */
    static const uint64_t sizes[] = {0, 5, 6, 12, 24, 191, 192, 193, 300, 767, 768, 5000};
    long points = 0;
    for (size_t a = 0; a < sizeof acts / sizeof acts[0]; a++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j += 2)
                for (int sticky = 0; sticky < 2; sticky++) points += fail_each(acts[a], 10, sizes[i], sizes[j], sticky);
    print_message("%ld allocations failed\n", points);
    assert_true(points > 1000);
}

static void making_one_may_fail_at_every_allocation(void **state) {
    (void)state;
    for (long nth = 1;; nth++) {
        t_env env;
        bpk_sketch *s = NULL;
        t_env_init(&env, nth);
        bpk_status st = bpk_new(&s, "hll", NULL, NULL, 0, &env.env, NULL);
        assert_int_equal(s != NULL, st == BPK_OK);
        bpk_free(s);
        assert_int_equal(env.held, 0);
        if (st == BPK_OK) return;
        assert_int_equal(st, BPK_E_NOMEM);
    }
}

static void a_precision_is_the_smallest_that_meets_an_error(void **state) {
    (void)state;
    static const double never[] = {0, -1, 1, 2, 1e-9, NAN, INFINITY};
    for (unsigned d = 0; d <= 2; d += 2) {
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            assert_int_equal(bpk_hll_precision_for(never[i], (uint8_t)d), 0);
        assert_int_equal(bpk_hll_precision_for(0.99, (uint8_t)d), BPK_HLL_PRECISION_MIN);
        for (uint8_t p = BPK_HLL_PRECISION_MIN; p <= BPK_HLL_PRECISION_MAX; p++) {
            double error = bpk_hll_standard_error(p, (uint8_t)d);
            assert_int_equal(bpk_hll_precision_for(error, (uint8_t)d), p);
            assert_int_equal(bpk_hll_precision_for(0.999 * error, (uint8_t)d), p < BPK_HLL_PRECISION_MAX ? p + 1 : 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precision_and_window_bits_out_of_range_are_refused),
        cmocka_unit_test(text_parameters_are_those_of_the_header),
        cmocka_unit_test(error_gives_the_smallest_precision_that_meets_it),
        cmocka_unit_test(the_default_domain_is_taken_for_hash_0_and_impossible_ones_are_refused),
        cmocka_unit_test(registers_come_with_one_item_over_three_sixteenths),
        cmocka_unit_test(memory_is_what_the_header_says),
        cmocka_unit_test(serialized_sizes_keep_their_bars),
        cmocka_unit_test(the_limit_of_the_environment_holds_and_leaves_the_sketch_as_it_was),
        cmocka_unit_test(an_empty_sketch_is_exactly_empty),
        cmocka_unit_test(confidence_defaults_and_moves_into_its_range),
        cmocka_unit_test(with_window_bits_0_an_add_never_lowers_the_estimate),
        cmocka_unit_test(with_window_bits_2_few_adds_lower_the_estimate_and_by_little),
        cmocka_unit_test(merging_or_folding_to_less_says_reduced),
        cmocka_unit_test(a_full_sketch_says_saturated),
        cmocka_unit_test(every_valid_state_has_a_sound_answer),
        cmocka_unit_test(reset_is_as_new),
        cmocka_unit_test(every_allocation_may_fail_and_nothing_has_changed),
        cmocka_unit_test(making_one_may_fail_at_every_allocation),
        cmocka_unit_test(a_precision_is_the_smallest_that_meets_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
