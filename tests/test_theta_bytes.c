/* test_theta_bytes.c - theta sketches as bytes: both forms against a second writer and reader, views in every
 * operation, what cannot be is refused by name. */
#include "t_theta_bytes.h"

#include "core.h"
#include "t_streams.h"

static const bpk_sketch *base_of(const bpk_theta *t) {
    return (const bpk_sketch *)t;
}
static t_bytes bytes_of(bpk_theta *t, int form) {
    t_bytes b = t_encode(bpk_theta_base(t), (bpk_form)form);
    drop(t);
    return b;
}

/* Empty, few, exactly k, estimating; then out of operations: theta below one and few values, or none. */
enum { SAMPLES = 12 };
static bpk_theta *sample(size_t i) {
    static const uint64_t items[] = {0, 1, 10, 63, 64, 65, 97, 5000};
    if (i < BPKI_COUNT(items)) return theta_of(64, 0, items[i]);
    bpk_theta *a = theta_of(64, 0, 3000), *b = theta_of(64, i == 9 ? 3000 : 2700, 9000 - 500 * i);
    bpk_theta *made = op_of(i == 8 ? BPK_THETA_UNION : i == 11 ? BPK_THETA_DIFF : BPK_THETA_INTERSECT, a, b);
    drop(a), drop(b);
    return made;
}

/* ---- what decodes ---- */

static void a_decoded_sketch_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            bpk_theta *a = sample(i), *other = theta_of(64, 20, 600);
            t_bytes bytes = t_encode(bpk_theta_base(a), (bpk_form)form);
            bpk_theta *b = theta_read(&bytes), *c = theta_read(&bytes);
            t_assert_same_bytes(bpk_theta_base(a), bpk_theta_base(b));
            t_add(bpk_theta_base(a), 9, 0, 500);
            t_add(bpk_theta_base(b), 9, 0, 500);
            t_assert_same_bytes(bpk_theta_base(a), bpk_theta_base(b));
            assert_int_equal(bpk_merge(bpk_theta_base(c), bpk_theta_base(other), NULL), BPK_OK);
            t_add(bpk_theta_base(c), 9, 0, 500);
            assert_int_equal(bpk_merge(bpk_theta_base(b), bpk_theta_base(other), NULL), BPK_OK);
            t_assert_same_bytes(bpk_theta_base(b), bpk_theta_base(c));
            drop(a), drop(b), drop(c), drop(other);
            free(bytes.p);
        }
}

static void assert_same_answer(const bpk_estimate *a, const bpk_estimate *b) {
    assert_true(a->estimate == b->estimate && a->lower == b->lower && a->upper == b->upper);
    assert_true(a->confidence == b->confidence && a->flags == b->flags);
}

/* What was added to, what was decoded, and views at two addresses. */
enum { SHAPES = 4 };
typedef struct shapes {
    const bpk_theta *as[SHAPES];
    bpk_theta *added, *decoded;
    bpk_view view[2];
    t_bytes bytes;
    uint8_t *odd;
} shapes;
static void open_shapes(shapes *s, size_t i) {
    s->added = sample(i);
    s->bytes = t_encode(bpk_theta_base(s->added), BPK_FORM_VIEW);
    s->decoded = theta_read(&s->bytes);
    s->odd = malloc(s->bytes.n + 1 + i % 7);
    memcpy(s->odd + 1 + i % 7, s->bytes.p, s->bytes.n);
    s->as[0] = s->added, s->as[1] = s->decoded;
    s->as[2] = bpk_as_theta(bpk_view_open(&s->view[0], s->bytes.p, s->bytes.n, NULL));
    s->as[3] = bpk_as_theta(bpk_view_open(&s->view[1], s->odd + 1 + i % 7, s->bytes.n, NULL));
    assert_true(s->as[2] && s->as[3]);
}
static void close_shapes(shapes *s) {
    drop(s->added), drop(s->decoded);
    free(s->bytes.p), free(s->odd);
}

static void a_view_answers_as_its_sketch_at_any_address(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        shapes s;
        open_shapes(&s, i);
        for (size_t k = 1; k < SHAPES; k++) {
            const bpk_sketch *seen = base_of(s.as[k]), *first = base_of(s.added);
            bpk_sketch *copied = NULL, *sum = NULL;
            uint32_t x_n, y_n;
            bpk_estimate x = bpk_theta_count(s.added, 0.9, &x_n), y = bpk_theta_count(s.as[k], 0.9, &y_n);
            assert_same_answer(&x, &y);
            assert_true(x_n == y_n && bpk_theta_k(s.as[k]) == 64);
            assert_true(t_info(seen, "theta") == t_info(first, "theta"));
            assert_int_equal(bpk_health(seen, NULL, NULL), bpk_health(first, NULL, NULL));
            t_assert_same_bytes(seen, first);
            assert_int_equal(bpk_copy(&copied, seen, NULL), BPK_OK);
            assert_int_equal(bpk_twin(&sum, seen, NULL), BPK_OK);
            assert_int_equal(bpk_merge(sum, seen, NULL), BPK_OK);
            t_assert_same_bytes(copied, first);
            t_assert_same_bytes(sum, first);
            bpk_free(copied), bpk_free(sum);
        }
        close_shapes(&s);
    }
}

static void assert_same_results(const bpk_theta *const *in, const bpk_theta *const *other, size_t n) {
    bpk_estimate x, y;
    for (int op = BPK_THETA_UNION; op <= BPK_THETA_DIFF; op++) {
        bpk_theta *a = NULL, *b = NULL;
        assert_int_equal(bpk_theta_op(&a, (bpk_theta_set)op, in, n, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_theta_op(&b, (bpk_theta_set)op, other, n, NULL, NULL), BPK_OK);
        t_assert_same_bytes(base_of(a), base_of(b));
        drop(a), drop(b);
    }
    assert_int_equal(bpk_theta_jaccard(in, n, 0, &x, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_theta_jaccard(other, n, 0, &y, NULL, NULL), BPK_OK);
    assert_same_answer(&x, &y);
    assert_int_equal(bpk_theta_containment(in, n, 0, &x, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_theta_containment(other, n, 0, &y, NULL, NULL), BPK_OK);
    assert_same_answer(&x, &y);
}

static void operations_take_tables_decoded_ones_and_views_in_any_mixture(void **state) {
    (void)state;
    shapes s[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) open_shapes(&s[i], i);
    for (size_t i = 0; i < SAMPLES * SAMPLES * SHAPES * SHAPES; i++) {
        const shapes *a = &s[i % SAMPLES], *b = &s[i / SAMPLES % SAMPLES], *c = &s[t_hash(1, i) % SAMPLES];
        size_t x = i / SAMPLES / SAMPLES % SHAPES, y = i / SAMPLES / SAMPLES / SHAPES, z = t_hash(2, i) % SHAPES;
        assert_same_results((const bpk_theta *const[]){a->added, b->added, c->added},
                            (const bpk_theta *const[]){a->as[x], b->as[y], c->as[z]}, 2 + i % 2);
    }
    for (size_t i = 0; i < SAMPLES; i++) close_shapes(&s[i]);
}

/* ---- the layout ---- */

static void the_layout_is_the_documented_one(void **state) {
    (void)state;
    bpk_theta *t = theta_new(300);
    const uint64_t hash[] = {UINT64_C(0x0123456789abcdef), 0x6fff, UINT64_C(0x0123456789abcfff)}; /* the last: again */
    static const uint8_t params[16] = {300 % 256, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0};
    static const uint8_t values[16] = {6, 0, 0, 0, 0, 0, 0, 0, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0};
    assert_int_equal(bpk_add(bpk_theta_base(t), &(bpk_items){.n = 3, .hash = hash}, NULL, NULL), BPK_OK);
    t_bytes b = t_encode(bpk_theta_base(t), BPK_FORM_VIEW);
    assert_int_equal(b.p[OFF_KIND], BPK_KIND_THETA);
    assert_int_equal(b.p[OFF_PARAMS_N], 4);
    assert_memory_equal(b.p + AT_K, params, sizeof params);
    assert_int_equal(b.n, AT_VALUES + 16 + DAMAGE_CHECKSUM);
    assert_memory_equal(b.p + AT_VALUES, values, sizeof values);
    free(b.p);
    /* Two values below 2^52: b = 51. Bit 0 is a one, 6 << 1 follows; bit 52 is a one, and the gap 0x123456789abc - 7
     * goes from bit 53 on: its low 3 bits, 101, then 0x2468acf1356. */
    static const uint8_t small[17] = {2, 0, 0, 0, 0x0d, 0, 0, 0, 0, 0, 0xb0, 0x56, 0x13, 0xcf, 0x8a, 0x46, 2};
    b = t_encode(bpk_theta_base(t), BPK_FORM_SMALL);
    assert_int_equal(b.p[OFF_PARAMS_N], 2);
    assert_memory_equal(b.p + AT_K, params, sizeof params);
    assert_int_equal(b.n, AT_COUNT + 4 + 13 + DAMAGE_CHECKSUM);
    assert_memory_equal(b.p + AT_COUNT, small, sizeof small);
    free(b.p);
    drop(t);
}

/* A reader of its own: bit by bit. */
typedef struct reader {
    const uint8_t *p;
    size_t at, end; /* bits */
} reader;
static uint64_t take(reader *r, unsigned n) {
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++, r->at++) {
        assert_true(r->at < r->end);
        v |= (uint64_t)(r->p[r->at / 8] >> r->at % 8 & 1) << i;
    }
    return v;
}
static void assert_stream_holds(const t_bytes *b, uint64_t theta, const uint64_t *value, uint32_t n) {
    reader r = {b->p + AT_COUNT, 0, 8 * (b->n - AT_COUNT - DAMAGE_CHECKSUM)};
    uint64_t least = 0;
    assert_int_equal(take(&r, 32), n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t gap = 0;
        unsigned low = theta_rice(theta, n);
        while (take(&r, 1) == 0) gap += UINT64_C(1) << low;
        assert_true(least + gap + take(&r, low) == value[i]);
        least = value[i] + 1;
    }
    assert_true(r.end - r.at < 8 && take(&r, (unsigned)(r.end - r.at)) == 0);
}

/* n different values below theta in one of several styles, ascending: the first ones, the last ones, spread evenly, as
 * they come, in a cluster. */
enum { SETS = 5 };
static void some_values(uint64_t *value, uint32_t n, uint64_t theta, unsigned style, uint64_t seed) {
    uint64_t spare = theta - n, jump = spare;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t extra = style == 0 ? 0 : style == 1 ? spare : style == 2 ? spare / (n + 1) * (i + 1) : 0;
        if (style == 3) extra = t_hash(seed, i) % (spare + 1);
        if (style == 4) extra = i < n / 2 ? jump / 3 : jump / 3 + i % 5;
        value[i] = extra;
    }
    for (uint32_t i = 1; i < n; i++) { /* ascending, equal ones allowed: i is added below */
        uint64_t v = value[i];
        uint32_t j = i;
        for (; j && value[j - 1] > v; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    for (uint32_t i = 0; i < n; i++) value[i] = (value[i] < spare ? value[i] : spare) + i;
}

static void both_forms_are_those_of_a_second_writer_and_reader(void **state) {
    (void)state;
    static const uint64_t thetas[] = {1, 2, 3, 16, 17, 1000, 65536, UINT64_C(1) << 32, T_THETA_ONE - 1, T_THETA_ONE};
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 16, 63, 64, 100, 300};
    uint64_t value[300];
    for (size_t i = 0; i < BPKI_COUNT(thetas) * BPKI_COUNT(counts) * SETS; i++) {
        uint64_t theta = thetas[i % BPKI_COUNT(thetas)];
        uint32_t n = counts[i / BPKI_COUNT(thetas) % BPKI_COUNT(counts)];
        if (n > theta) continue;
        some_values(value, n, theta, (unsigned)(i / BPKI_COUNT(thetas) / BPKI_COUNT(counts)), i);
        t_bytes small = theta_written(BPK_FORM_SMALL, 300, theta, value, n);
        t_bytes view = theta_written(BPK_FORM_VIEW, 300, theta, value, n);
        assert_true(t_refused_or_canonical(small.p, small.n) && t_refused_or_canonical(view.p, view.n));
        assert_stream_holds(&small, theta, value, n);
        bpk_theta *t = theta_read(&small), *same = theta_read(&view);
        t_assert_written(t, BPK_FORM_VIEW, theta, value, n);
        t_assert_written(same, BPK_FORM_SMALL, theta, value, n);
        drop(t), drop(same);
        free(small.p), free(view.p);
    }
}

/* ---- what does not ---- */

static void expect(t_bytes bad, const char *field, size_t offset) {
    bpk_err err;
    bpk_sketch *out = NULL;
    t_reseal(bad.p, bad.n);
    assert_int_equal(bpk_decode(&out, bad.p, bad.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, field);
    assert_int_equal(err.offset, offset);
    t_assert_refused(bad.p, bad.n);
    free(bad.p);
}
static t_bytes with(const t_bytes *good, size_t at, uint64_t value, size_t n) {
    t_bytes bad = t_dup(good);
    for (size_t i = 0; i < n; i++) bad.p[at + i] = (uint8_t)(value >> (8 * i));
    return bad;
}

static void parameters_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
        t_bytes b = bytes_of(sample(2), form);
        for (uint64_t k = 0; k < BPK_THETA_K_MIN; k++) expect(with(&b, AT_K, k, 4), "k", AT_K);
        expect(with(&b, AT_K, BPK_THETA_K_MAX + 1, 4), "k", AT_K);
        expect(with(&b, AT_K, UINT32_MAX, 4), "k", AT_K);
        for (size_t at = AT_RESERVED; at < AT_THETA; at++) expect(with(&b, at, 1, 1), "reserved", at);
        expect(with(&b, AT_THETA, 0, 8), "theta", AT_THETA);
        expect(with(&b, AT_THETA, T_THETA_ONE + 1, 8), "theta", AT_THETA);
        expect(with(&b, AT_THETA, UINT64_MAX, 8), "theta", AT_THETA);
        if (form == BPK_FORM_VIEW)
            for (size_t at = AT_COUNT; at < AT_VALUES; at++) expect(with(&b, at, 1, 1), "padding", at);
        free(b.p);
    }
}

static void more_than_k_values_or_than_theta_has_room_for_are_refused(void **state) {
    (void)state;
    uint64_t value[17];
    uint8_t many[256] = {0};
    for (uint32_t i = 0; i < 17; i++) value[i] = i;
    for (uint64_t theta = 1; theta <= 17; theta++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            t_bytes b = theta_written(form, 16, theta, value, theta < 16 ? (uint32_t)theta : 16);
            assert_true(t_refused_or_canonical(b.p, b.n));
            free(b.p);
        }
    expect(theta_written(BPK_FORM_SMALL, 16, T_THETA_ONE, value, 17), "count", AT_COUNT);
    expect(theta_written(BPK_FORM_VIEW, 16, T_THETA_ONE, value, 17), "count", AT_VALUES);
    expect(theta_written(BPK_FORM_VIEW, 16, 5, value, 6), "values", AT_VALUES + 40);
    for (uint64_t count = 3; count <= 16; count++) { /* theta 2 */
        t_store64(many, count);
        expect(theta_envelope(BPK_FORM_SMALL, 16, 2, many, sizeof many), "count", AT_COUNT);
    }
    t_store64(many, 16 * 8 + 1); /* a value takes a bit at least */
    expect(theta_envelope(BPK_FORM_SMALL, 1000, 1000, many, 4 + 16), "count", AT_COUNT);
    t_store64(many, BPK_THETA_K_MAX);
    expect(theta_envelope(BPK_FORM_SMALL, BPK_THETA_K_MAX, T_THETA_ONE, many, sizeof many), "count", AT_COUNT);
}

static void a_body_is_as_long_as_its_values(void **state) {
    (void)state;
    static const uint8_t none[64] = {0};
    t_bytes b = theta_envelope(BPK_FORM_SMALL, 16, T_THETA_ONE, none, 4);
    assert_true(t_refused_or_canonical(b.p, b.n));
    free(b.p);
    for (size_t n = 0; n < 4; n++) expect(theta_envelope(BPK_FORM_SMALL, 16, T_THETA_ONE, none, n), "count", AT_COUNT);
    for (size_t n = 5; n < 9; n++) /* nothing, and bytes behind it */
        expect(theta_envelope(BPK_FORM_SMALL, 16, T_THETA_ONE, none, n), "values", AT_STREAM);
    for (size_t n = 1; n < 64; n++)
        if (n % 8) expect(theta_envelope(BPK_FORM_VIEW, 16, T_THETA_ONE, none, n), "count", AT_VALUES);
    for (uint32_t count = 1; count <= 10; count++) {
        uint64_t value[10];
        some_values(value, count, 1000, 3, count);
        b = theta_written(BPK_FORM_SMALL, 16, 1000, value, count);
        size_t body = b.n - AT_COUNT - DAMAGE_CHECKSUM;
        for (size_t cut = 4; cut < body; cut++) {
            t_bytes bad = theta_envelope(BPK_FORM_SMALL, 16, 1000, b.p + AT_COUNT, cut);
            t_assert_refused(bad.p, bad.n);
            free(bad.p);
        }
        uint8_t *longer = calloc(body + 1, 1);
        memcpy(longer, b.p + AT_COUNT, body);
        t_bytes bad = theta_envelope(BPK_FORM_SMALL, 16, 1000, longer, body + 1);
        t_assert_refused(bad.p, bad.n);
        free(longer), free(bad.p), free(b.p);
    }
}

static void values_of_form_view_ascend_and_are_below_theta(void **state) {
    (void)state;
    static const uint64_t good[4] = {0, 5, 6, 999};
    t_bytes b = theta_written(BPK_FORM_VIEW, 16, 1000, good, 4);
    assert_true(t_refused_or_canonical(b.p, b.n));
    expect(with(&b, AT_VALUES + 8, 0, 8), "values", AT_VALUES + 8);
    expect(with(&b, AT_VALUES + 8, 6, 8), "values", AT_VALUES + 16);
    expect(with(&b, AT_VALUES + 16, 5, 8), "values", AT_VALUES + 16);
    expect(with(&b, AT_VALUES + 16, 4, 8), "values", AT_VALUES + 16);
    expect(with(&b, AT_VALUES + 24, 1000, 8), "values", AT_VALUES + 24);
    expect(with(&b, AT_VALUES + 24, T_THETA_ONE, 8), "values", AT_VALUES + 24);
    expect(with(&b, AT_VALUES, UINT64_MAX, 8), "values", AT_VALUES); /* one above it would be 0 again */
    expect(with(&b, AT_VALUES + 24, UINT64_MAX, 8), "values", AT_VALUES + 24);
    expect(with(&b, AT_THETA, 999, 8), "values", AT_VALUES + 24);
    free(b.p);
}

/* Two gaps by hand, then bits. */
static t_bytes pair_of_gaps(uint64_t theta, uint64_t first, uint64_t second, uint64_t behind, unsigned bits) {
    theta_bits w = {{NULL, 0}, 0};
    theta_put(&w, 2, 32);
    theta_put_gap(&w, first, theta_rice(theta, 2));
    theta_put_gap(&w, second, theta_rice(theta, 2));
    theta_put(&w, behind, bits);
    t_bytes b = theta_envelope(BPK_FORM_SMALL, 16, theta, w.b.p, w.b.n);
    free(w.b.p);
    return b;
}
static void assert_gaps(uint64_t theta, uint64_t first, uint64_t second, bool good) {
    t_bytes b = pair_of_gaps(theta, first, second, 0, 0);
    bpk_err err;
    bpk_sketch *out = NULL;
    if (t_refused_or_canonical(b.p, b.n) != good)
        fail_msg("theta %g, gaps %g, %g", (double)theta, (double)first, (double)second);
    if (!good) {
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
        assert_string_equal(err.field, "values");
        assert_in_range(err.offset, AT_STREAM, b.n - DAMAGE_CHECKSUM);
    }
    free(b.p);
}

static void gaps_stay_below_theta(void **state) {
    (void)state;
    static const uint64_t thetas[] = {2, 3, 4, 5, 7, 8, 100, 1000, 4096, T_THETA_ONE - 1, T_THETA_ONE};
    for (size_t i = 0; i < BPKI_COUNT(thetas); i++) {
        uint64_t theta = thetas[i];
        assert_gaps(theta, 0, 0, true);
        assert_gaps(theta, 0, theta - 2, true);
        assert_gaps(theta, 0, theta - 1, false);
        assert_gaps(theta, 0, theta, false);
        assert_gaps(theta, 1, theta - 2, false);
        assert_gaps(theta, theta - 2, 0, true);
        assert_gaps(theta, theta - 2, 1, false);
        assert_gaps(theta, theta - 1, 0, false); /* no room for the second */
        assert_gaps(theta, theta, 0, false);
        assert_gaps(theta, theta + (UINT64_C(1) << theta_rice(theta, 2)), 0, false);
        assert_gaps(theta, theta / 2, theta - theta / 2 - 1, false);
    }
}

/* Of two values below 2^52 a gap has 51 low bits: 2^13 zeros before its one are 2^64, which 64 bits take for none. */
static void a_gap_of_2_to_the_64_is_not_0(void **state) {
    (void)state;
    for (uint64_t zeros = 0; zeros <= 3 << 13; zeros += 1 << 11) {
        theta_bits w = {{NULL, 0}, 0};
        theta_put(&w, 2, 32);
        theta_put(&w, 0, zeros), theta_put(&w, 1, 1), theta_put(&w, 5, 51);
        theta_put_gap(&w, 7, 51);
        t_bytes b = theta_envelope(BPK_FORM_SMALL, 16, T_THETA_ONE, w.b.p, w.b.n);
        if (zeros) expect(b, "values", AT_STREAM);
        else assert_true(t_refused_or_canonical(b.p, b.n)), free(b.p);
        free(w.b.p);
    }
}

static void the_bits_behind_the_last_value_are_zeros_and_under_a_byte(void **state) {
    (void)state;
    for (uint64_t gap = 0; gap < 200; gap++) {
        theta_bits w = {{NULL, 0}, 0};
        theta_put_gap(&w, 3, theta_rice(1000, 2)), theta_put_gap(&w, gap, theta_rice(1000, 2));
        unsigned left = (unsigned)(8 * w.b.n - w.at);
        for (unsigned bit = 0; bit < 16; bit++) { /* a one among those of the last byte, or behind it */
            t_bytes b = pair_of_gaps(1000, 3, gap, UINT64_C(1) << bit, bit + 1);
            assert_false(t_refused_or_canonical(b.p, b.n));
            free(b.p);
        }
        for (unsigned zeros = 0; zeros < 16; zeros++) {
            t_bytes b = pair_of_gaps(1000, 3, gap, 0, zeros);
            assert_int_equal(t_refused_or_canonical(b.p, b.n), zeros <= left);
            free(b.p);
        }
        free(w.b.p);
    }
}

/* ---- damage ---- */

static void every_bit_flip_and_every_truncation_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        t_bytes b = bytes_of(sample(i), i % 2 ? BPK_FORM_VIEW : BPK_FORM_SMALL);
        t_assert_damage_refused(b);
        free(b.p);
    }
}

/* Further life of damaged bytes that obey every rule. */
static void live_on(const t_bytes *b) {
    bpk_theta *t = theta_read(b), *other = NULL, *none = op_of(BPK_THETA_DIFF, t, t),
              *same = op_of(BPK_THETA_UNION, t, t);
    uint32_t left;
    bpk_theta_count(none, 0, &left);
    assert_int_equal(left, 0);
    t_assert_same_bytes(base_of(t), base_of(same));
    assert_int_equal(bpk_theta_new(&other, &(bpk_theta_config){*bpk_domain_of(base_of(t)), bpk_theta_k(t)}, NULL),
                     BPK_OK);
    t_add(bpk_theta_base(other), 1, 0, 100), t_add(bpk_theta_base(t), 1, 50, 200);
    assert_int_equal(bpk_merge(bpk_theta_base(t), base_of(other), NULL), BPK_OK);
    free(t_encode(base_of(t), BPK_FORM_SMALL).p);
    drop(t), drop(other), drop(none), drop(same);
}
static bool resealed(t_bytes *b) {
    t_reseal(b->p, b->n);
    bool accepted = t_refused_or_canonical(b->p, b->n);
    if (accepted) live_on(b);
    return accepted;
}

static void every_resealed_bit_and_byte_is_refused_or_is_another_sketch_in_its_one_form(void **state) {
    (void)state;
    size_t accepted[2] = {0, 0}, all[2] = {0, 0};
    for (size_t i = 0; i < SAMPLES; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            t_bytes b = bytes_of(sample(i), form);
            for (size_t at = 8; at < b.n - DAMAGE_CHECKSUM; at++) {
                uint8_t was = b.p[at];
                for (unsigned v = 0; v < 256; v += at < AT_STREAM && i % 4 == 2 ? 1 : 51)
                    b.p[at] = (uint8_t)v, accepted[form] += resealed(&b), all[form]++;
                for (unsigned bit = 0; bit < 8; bit++)
                    b.p[at] = was ^ (uint8_t)(1 << bit), accepted[form] += resealed(&b), all[form]++;
                b.p[at] = was;
            }
            free(b.p);
        }
    print_message("accepted: %zu of %zu small, %zu of %zu views\n", accepted[0], all[0], accepted[1], all[1]);
    assert_true(accepted[0] > 1000 && accepted[1] > 1000);
}

static void random_resealed_damage_is_refused_or_canonical(void **state) {
    (void)state;
    size_t accepted = 0;
    t_rng r = {1};
    for (size_t turn = 0; turn < 10000; turn++) {
        t_bytes b = bytes_of(sample(t_below(&r, SAMPLES)), (int)t_below(&r, 2));
        for (uint64_t n = t_below(&r, 4) + 1; n-- > 0;) {
            size_t at = (size_t)t_below(&r, t_below(&r, 2) ? b.n : AT_STREAM);
            b.p[at] = t_below(&r, 2) ? (uint8_t)t_next(&r) : (uint8_t)(b.p[at] + 1);
        }
        accepted += resealed(&b);
        free(b.p);
    }
    assert_true(accepted > 500);
}

/* ---- memory ---- */

static void k_at_its_limits_takes_the_memory_of_its_values(void **state) {
    (void)state;
    static const uint64_t value[3] = {1, 5, T_THETA_ONE - 1};
    static const uint32_t ks[] = {BPK_THETA_K_MIN, BPK_THETA_K_MAX};
    for (size_t i = 0; i < 2; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            t_env env;
            bpk_sketch *s = NULL;
            t_bytes b = theta_written(form, ks[i], T_THETA_ONE, value, 3);
            assert_true(b.n < 110);
            t_env_init(&env, 0);
            assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &env.env, NULL), BPK_OK);
            assert_true(env.held < 400 && env.held == bpk_memory(s) && bpk_theta_k(bpk_as_theta(s)) == ks[i]);
            t_add(s, 1, 0, 10);
            assert_true(env.held < 600 && env.held == bpk_memory(s));
            bpk_free(s);
            assert_int_equal(env.held, 0);
            free(b.p);
        }
}

/* A bit a value: 2^20 values below 2^20 are all there are, 128 KiB that stand for 8 MiB. */
static void the_memory_limit_comes_before_the_values(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    uint8_t *body = malloc(4 + N / 8);
    memset(body, 0xff, 4 + N / 8);
    memcpy(body, (const uint8_t[4]){0, 0, N >> 16, 0}, 4);
    t_bytes b = theta_envelope(BPK_FORM_SMALL, N, N, body, 4 + N / 8);
    t_limit_refused_then_granted(&b, 8 * (uint64_t)N - 1, 8 * (uint64_t)N);
    free(b.p), free(body);
    bpk_theta *t = theta_of(4096, 0, 100000);
    b = bytes_of(t, BPK_FORM_VIEW);
    t_limit_refused_then_granted(&b, 8 * 4096 - 1, 8 * 4096);
    free(b.p);
}

static void every_allocation_of_a_decoder_may_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            t_bytes b = bytes_of(sample(i), form);
            t_decode_without_memory(&b);
            free(b.p);
        }
}

/* What was added to has to be sorted; what was not is written as it lies. */
static void every_allocation_of_a_writer_may_fail_and_the_sketch_stays(void **state) {
    (void)state;
    for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
        t_env env;
        bpk_theta *t = NULL, *same = theta_of(64, 0, 5000);
        t_env_init(&env, 0);
        assert_int_equal(bpk_theta_new(&t, &(bpk_theta_config){.k = 64}, &env.env), BPK_OK);
        t_add(bpk_theta_base(t), 1, 0, 5000);
        size_t held = env.held;
        for (long nth = 1;; nth++) {
            t_bytes out = {NULL, 0};
            env.fail_at = env.calls + nth;
            bpk_status st = bpk_encode(bpk_theta_base(t), (bpk_form)form, t_sink, &out);
            free(out.p);
            assert_int_equal(env.held, held);
            if (st == BPK_OK) break;
            assert_true(st == BPK_E_NOMEM && nth < 4);
        }
        env.fail_at = env.calls + 1;
        assert_int_equal(bpk_encoded_size(bpk_theta_base(t), BPK_FORM_SMALL), 0);
        env.fail_at = 0;
        t_assert_same_bytes(bpk_theta_base(t), bpk_theta_base(same));
        drop(t), drop(same);
        assert_int_equal(env.held, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decoded_sketch_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(a_view_answers_as_its_sketch_at_any_address),
        cmocka_unit_test(operations_take_tables_decoded_ones_and_views_in_any_mixture),
        cmocka_unit_test(the_layout_is_the_documented_one),
        cmocka_unit_test(both_forms_are_those_of_a_second_writer_and_reader),
        cmocka_unit_test(parameters_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(more_than_k_values_or_than_theta_has_room_for_are_refused),
        cmocka_unit_test(a_body_is_as_long_as_its_values),
        cmocka_unit_test(values_of_form_view_ascend_and_are_below_theta),
        cmocka_unit_test(gaps_stay_below_theta),
        cmocka_unit_test(a_gap_of_2_to_the_64_is_not_0),
        cmocka_unit_test(the_bits_behind_the_last_value_are_zeros_and_under_a_byte),
        cmocka_unit_test(every_bit_flip_and_every_truncation_is_refused),
        cmocka_unit_test(every_resealed_bit_and_byte_is_refused_or_is_another_sketch_in_its_one_form),
        cmocka_unit_test(random_resealed_damage_is_refused_or_canonical),
        cmocka_unit_test(k_at_its_limits_takes_the_memory_of_its_values),
        cmocka_unit_test(the_memory_limit_comes_before_the_values),
        cmocka_unit_test(every_allocation_of_a_decoder_may_fail),
        cmocka_unit_test(every_allocation_of_a_writer_may_fail_and_the_sketch_stays),
    };
    return cmocka_run_group_tests_name("theta_bytes", tests, NULL, NULL);
}
