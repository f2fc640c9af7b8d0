/* test_bloom.c - the laws of the filters: no false negative, unions and folds to the byte, the policy on full, damage
 * refused. */
#include "t_bloom.h"

#include "bloom_plan.h"
#include "kern.h"

#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- helpers ---- */

static bool has_one(const bpk_bloom *b, uint64_t hash) {
    uint8_t out;
    bpk_bloom_has(b, &hash, 1, &out);
    return out;
}
static bpk_bloom *copy_of(const bpk_bloom *b) {
    bpk_sketch *s;
    assert_int_equal(bpk_copy(&s, (const bpk_sketch *)b, NULL), BPK_OK);
    return (bpk_bloom *)s;
}
static void merge_ok(bpk_bloom *a, bpk_bloom *b) {
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
}
static void assert_same(bpk_bloom *a, bpk_bloom *b) {
    t_assert_same_bytes(bpk_bloom_base(a), bpk_bloom_base(b));
}

/* Every layout: one line, two lines, classic with few and with many hashes. */
static const struct {
    double rate;
    uint8_t layout;
} kinds[] = {
    {0.01, BPK_BLOOM_BLOCKED}, {1e-6, BPK_BLOOM_BLOCKED}, {0.01, BPK_BLOOM_CLASSIC}, {1e-6, BPK_BLOOM_CLASSIC}};
enum { KINDS = 4 };

/* ---- adding and asking ---- */

static void an_added_item_is_always_found(void **state) {
    (void)state;
    uint64_t hash[1000];
    uint8_t out[1000];
    for (int k = 0; k < KINDS; k++)
        for (uint64_t n = 1; n <= 20000; n = n * 3 + 1) {
            bpk_bloom *b = bloom_new(n, kinds[k].rate, kinds[k].layout, BPK_FULL_DEGRADE);
            bloom_add(b, n, 0, 2 * n);
            for (uint64_t i = 0; i < 2 * n; i += 1000) {
                size_t some = 2 * n - i < 1000 ? (size_t)(2 * n - i) : 1000;
                for (size_t j = 0; j < some; j++) hash[j] = t_hash(n, i + j);
                bpk_bloom_has(b, hash, some, out);
                for (size_t j = 0; j < some; j++) assert_int_equal(out[j], 1);
            }
            bloom_free(b);
        }
}

static void a_batch_is_the_same_as_one_by_one_also_with_duplicates_inside(void **state) {
    (void)state;
    enum { N = 3000 };
    static uint64_t hash[N];
    static uint8_t changed[N];
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *batch = bloom_new(1000, kinds[k].rate, kinds[k].layout, BPK_FULL_DEGRADE), *single = copy_of(batch);
        for (size_t i = 0; i < N; i++) hash[i] = t_hash(5, t_hash(6, i) % 1500);
        bpk_items it = {.n = N, .hash = hash};
        size_t done = 0;
        assert_int_equal(bpk_add(bpk_bloom_base(batch), &it, changed, &done), BPK_OK);
        assert_int_equal(done, N);
        for (size_t i = 0; i < N; i++) {
            bool before = has_one(single, hash[i]);
            uint8_t one = 2;
            bpk_items item = {.n = 1, .hash = hash + i};
            assert_int_equal(bpk_add(bpk_bloom_base(single), &item, &one, NULL), BPK_OK);
            assert_int_equal(one, !before);
            assert_int_equal(changed[i], one);
        }
        assert_same(batch, single);
        bloom_free(batch);
        bloom_free(single);
    }
}

static void questions_change_nothing_and_views_answer_alike(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *b = bloom_new(500, kinds[k].rate, kinds[k].layout, BPK_FULL_ERROR);
        bloom_add(b, 1, 0, 400);
        t_bytes bytes = t_encode(bpk_bloom_base(b), BPK_FORM_VIEW);
        uint8_t *odd = malloc(bytes.n + 1);
        memcpy(odd + 1, bytes.p, bytes.n); /* a view takes any address */
        bpk_view v;
        const bpk_bloom *seen = bpk_as_bloom(bpk_view_open(&v, odd + 1, bytes.n, NULL));
        assert_non_null(seen);
        for (uint64_t i = 0; i < 5000; i++) assert_int_equal(has_one(seen, t_hash(1, i)), has_one(b, t_hash(1, i)));
        bpk_estimate x = bpk_bloom_items(b, 0.9), y = bpk_bloom_items(seen, 0.9);
        assert_true(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper && x.flags == y.flags);
        assert_true(bpk_bloom_rate(b) == bpk_bloom_rate(seen));
        assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), bpk_health((const bpk_sketch *)seen, NULL, NULL));
        t_assert_same_bytes(bpk_bloom_base(b), (const bpk_sketch *)seen);
        bpk_bloom *copied = copy_of(seen);
        assert_same(b, copied);
        bloom_free(copied);
        free(odd);
        free(bytes.p);
        bloom_free(b);
    }
}

static void a_filter_cannot_count_one_item_and_says_so(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(10, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_ERROR);
    uint64_t hash = 1;
    bpk_estimate e;
    bpk_err err;
    assert_int_equal(bpk_count(bpk_bloom_base(b), &hash, 1, 0, &e, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "bloom");
    assert_int_equal(bpk_remove(bpk_bloom_base(b), &hash, 1, NULL, &err), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_count(bpk_bloom_base(b), NULL, 0, 0, &e, &err), BPK_OK);
    assert_true(e.estimate == 0 && e.upper == 0 && (e.flags & BPK_EXACT));
    bloom_free(b);
}

static void a_filter_without_a_free_bit_says_that_it_is_saturated(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *b = bloom_new(5, kinds[k].rate, kinds[k].layout, BPK_FULL_DEGRADE);
        bloom_add(b, 3, 0, 20000);
        bpk_estimate e = bpk_bloom_items(b, 0.95);
        assert_true(e.flags & BPK_SATURATED);
        assert_true(e.lower > 5 && e.lower <= e.estimate && e.upper >= 1.8e19);
        assert_true(bpk_bloom_rate(b) == 1);
        assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OVER);
        bpk_reset(bpk_bloom_base(b));
        assert_true(bpk_bloom_items(b, 0.95).estimate == 0 && bpk_bloom_rate(b) == 0);
        bloom_free(b);
    }
}

/* ---- the policy on full ---- */

/* The promise of docs/rooms/bloom.md, bit by bit. */
typedef struct model {
    uint8_t bit[1 << 16];
    uint64_t set;
} model;
static unsigned positions(const bpki_filter *p, uint64_t h, uint64_t *at) {
    unsigned n = 0;
    for (unsigned j = 0; j < p->k; j++, h = (h | 1) * BPKI_BLOOM_SECOND) {
        uint64_t unit = bpki_mulhi(h, p->units), g = h * BPKI_BLOOM_LANES;
        for (unsigned i = 0; p->layout == BPK_BLOOM_BLOCKED && i < 8; i++)
            at[n++] = 512 * unit + 64 * i + (g >> (16 + 6 * i) & 63);
        if (p->layout == BPK_BLOOM_CLASSIC) at[n++] = unit;
    }
    return n;
}
static bpk_status model_add(model *m, const bpki_filter *p, uint64_t over_at, uint64_t hash, uint8_t *changed) {
    uint64_t at[64];
    unsigned n = positions(p, hash, at), missing = 0;
    for (unsigned i = 0; i < n; i++) missing += !m->bit[at[i]];
    *changed = missing > 0;
    if (missing && m->set >= over_at) return BPK_E_FULL;
    for (unsigned i = 0; i < n; i++) m->set += !m->bit[at[i]], m->bit[at[i]] = 1;
    return BPK_OK;
}

static void an_add_is_refused_exactly_when_the_bits_say_150_percent_whatever_the_batches(void **state) {
    (void)state;
    static model m;
    uint64_t hash[200];
    uint8_t changed[200], expected;
    for (int k = 0; k < KINDS; k++)
        for (uint64_t round = 0; round < 60; round++) {
            uint64_t planned = round < 20 ? round + 1 : round * 20, at = 0;
            bpk_bloom_config cfg = {.items = planned, .rate = kinds[k].rate, .layout = kinds[k].layout};
            bpki_filter p = bpki_bloom_size(&cfg);
            uint64_t over_at = bpki_filter_over_at(&p), refused = 0;
            bpk_bloom *b = bloom_new(planned, kinds[k].rate, kinds[k].layout, BPK_FULL_ERROR);
            memset(&m, 0, sizeof m);
            while (at < 4 * planned) {
                size_t n = (size_t)(t_hash(round, at) % 200) + 1, done = 0, i = 0;
                for (size_t j = 0; j < n; j++) hash[j] = t_hash(900 + round, t_hash(7, at + j) % (2 * planned));
                bpk_items it = {.n = n, .hash = hash};
                bpk_status st = bpk_add(bpk_bloom_base(b), &it, changed, &done);
                for (; i < done; i++) {
                    assert_int_equal(model_add(&m, &p, over_at, hash[i], &expected), BPK_OK);
                    assert_int_equal(changed[i], expected);
                }
                if (st != BPK_OK) {
                    assert_int_equal(st, BPK_E_FULL);
                    assert_int_equal(model_add(&m, &p, over_at, hash[done], &expected), BPK_E_FULL);
                    assert_false(has_one(b, hash[done]));
                    refused++, done++;
                }
                at += done;
            }
            bool just_planned = m.set == over_at && over_at == planned * bpki_filter_bits_per_item(&p);
            assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL) == BPK_HEALTH_OVER,
                             m.set >= over_at && !just_planned);
            assert_true(refused > 0 || planned <= 20);
            bloom_free(b);
        }
}

static void replicas_with_the_same_bits_decide_alike_also_after_decoding_and_merging(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *a = bloom_new(2000, kinds[k].rate, kinds[k].layout, BPK_FULL_ERROR), *b = copy_of(a),
                  *c = copy_of(a);
        for (uint64_t i = 0; i < 2900; i++) bloom_add(a, 1, i, i + 1);
        bloom_add(b, 1, 1000, 2900);
        bloom_add(c, 1, 0, 1500);
        merge_ok(b, c);
        assert_same(a, b);
        uint64_t hash[1000];
        for (size_t i = 0; i < 1000; i++) hash[i] = t_hash(2, i);
        bpk_items it = {.n = 1000, .hash = hash};
        size_t x = 0, y = 1;
        assert_int_equal(bpk_add(bpk_bloom_base(a), &it, NULL, &x), BPK_E_FULL);
        assert_int_equal(bpk_add(bpk_bloom_base(b), &it, NULL, &y), BPK_E_FULL);
        assert_int_equal(x, y);
        assert_same(a, b);
        bloom_free(a);
        bloom_free(b);
        bloom_free(c);
    }
}

static void the_planned_number_of_items_is_always_accepted(void **state) {
    (void)state;
    static const double rates[] = {0.5, 0.1, 0.01, 1e-4, 1e-9};
    for (uint8_t layout = 0; layout < 2; layout++)
        for (size_t r = 0; r < BPKI_COUNT(rates); r++)
            for (uint64_t n = 1; n <= 60; n += 1 + n / 8) {
                bpk_bloom *b = bloom_new(n, rates[r], layout, BPK_FULL_ERROR);
                uint64_t seeds = layout && r == 0 ? 6000 : 300; /* where bits are fewest, and chance has most to say */
                for (uint64_t seed = 0; seed < seeds; seed++) {
                    bpk_reset(bpk_bloom_base(b));
                    bloom_add(b, seed * 1000 + n, 0, n);
                }
                bloom_free(b);
            }
}

static void with_degrade_nothing_is_refused(void **state) {
    (void)state;
    bpk_bloom *b = bloom_new(100, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE);
    bloom_add(b, 1, 0, 5000);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OVER);
    assert_true(bpk_bloom_rate(b) > 0.9);
    bloom_free(b);
}

/* ---- merging and folding ---- */

static void a_union_equals_having_added_both_in_any_order_and_tree(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *all = bloom_new(3000, kinds[k].rate, kinds[k].layout, BPK_FULL_ERROR), *part[3], *left, *right;
        for (int i = 0; i < 3; i++) part[i] = copy_of(all);
        for (uint64_t i = 0; i < 3; i++) bloom_add(part[i], 1, i * 800, i * 800 + 1200);
        bloom_add(all, 1, 0, 2800);
        left = copy_of(part[0]), right = copy_of(part[2]);
        merge_ok(left, part[1]);
        merge_ok(left, part[2]);
        merge_ok(right, part[1]);
        merge_ok(right, part[0]);
        merge_ok(right, left);
        assert_same(left, all);
        assert_same(right, all);
        merge_ok(left, left);
        assert_same(left, all);
        for (int i = 0; i < 3; i++) bloom_free(part[i]);
        bloom_free(all);
        bloom_free(left);
        bloom_free(right);
    }
}

/* Filters of 12, 6, 2 and 1 times the same units come from folding one of 12 x. */
static bpk_bloom *of_units(int kind, uint64_t divisor, uint64_t planned) {
    bpk_bloom *b = NULL;
    for (uint64_t items = planned; !b; items++) {
        b = bloom_new(items, kinds[kind].rate, kinds[kind].layout, BPK_FULL_DEGRADE);
        double units = bloom_number(b, kinds[kind].layout ? "bits" : "blocks");
        if (fmod(units, 12) != 0) bloom_free(b), b = NULL;
    }
    assert_int_equal(bpk_bloom_fold(b, divisor), BPK_OK);
    return b;
}

static void fold_then_add_equals_add_then_fold(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (uint64_t d = 1; d <= 12; d++) {
            if (12 % d != 0) continue;
            bpk_bloom *before = of_units(k, d, 3000), *after = of_units(k, 1, 3000);
            bloom_add(before, 4, 0, 2000);
            bloom_add(after, 4, 0, 2000);
            assert_int_equal(bpk_bloom_fold(after, d), BPK_OK);
            assert_same(before, after);
            assert_int_equal(bpk_bloom_items(after, 0.95).flags & BPK_REDUCED, d > 1 ? BPK_REDUCED : 0);
            bpk_bloom *copied = copy_of(after);
            assert_true(bloom_number(copied, "reduced") == (d > 1));
            bloom_free(copied);
            assert_int_equal(bpk_bloom_fold(after, 0), BPK_E_ARG);
            assert_int_equal(bpk_bloom_fold(after, (uint64_t)1 << 60), BPK_E_ARG);
            bloom_free(before);
            bloom_free(after);
        }
}

static void sizes_of_which_one_divides_the_other_merge_to_the_same_bytes_in_any_order(void **state) {
    (void)state;
    static const uint64_t divisors[4] = {1, 2, 6, 12}, planned[4] = {9000, 9000, 9000, 9000};
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *part[4], *truth = of_units(k, 12, 9000);
        for (uint64_t i = 0; i < 4; i++) {
            part[i] = of_units(k, divisors[i], planned[i]);
            bloom_add(part[i], 8, i * 100, i * 100 + 150);
        }
        bloom_add(truth, 8, 0, 450);
        for (unsigned order = 0; order < 24; order++) {
            unsigned left[4] = {0, 1, 2, 3}, code = order;
            bpk_bloom *sum = NULL;
            for (unsigned n = 4; n > 0; code /= n, n--) {
                unsigned pick = code % n, which = left[pick];
                left[pick] = left[n - 1];
                if (sum) merge_ok(sum, part[which]);
                else sum = copy_of(part[which]);
            }
            assert_same(sum, truth);
            bloom_free(sum);
        }
        const bpk_sketch *src[4];
        bpk_sketch *many;
        for (int i = 0; i < 4; i++) src[i] = bpk_bloom_base(part[i]);
        assert_int_equal(bpk_merge_many(&many, src, 4, NULL, NULL), BPK_OK);
        t_assert_same_bytes(many, bpk_bloom_base(truth));
        bpk_free(many);
        for (int i = 0; i < 4; i++) bloom_free(part[i]);
        bloom_free(truth);
    }
}

static void the_plan_of_a_union_is_the_stricter_one_whatever_the_order(void **state) {
    (void)state;
    /* one block each, so that they fit */
    bpk_bloom *a = bloom_new(52, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE), *x = copy_of(a);
    bpk_bloom *b = bloom_new(40, 0.02, BPK_BLOOM_BLOCKED, BPK_FULL_ERROR), *y = copy_of(b);
    merge_ok(x, b);
    merge_ok(y, a);
    assert_same(x, y);
    assert_true(bloom_number(x, "planned_items") == 40);
    assert_true(bloom_number(x, "rate_asked") == 0.01);
    assert_string_equal(bloom_info(x, "on_full").text, "error");
    bloom_free(a);
    bloom_free(b);
    bloom_free(x);
    bloom_free(y);
    /* two blocks planned for 60 items are one block for 30 */
    a = bloom_new(52, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE), x = copy_of(a);
    b = bloom_new(60, 0.01, BPK_BLOOM_BLOCKED, BPK_FULL_DEGRADE), y = copy_of(b);
    merge_ok(x, b);
    merge_ok(y, a);
    assert_same(x, y);
    assert_true(bloom_number(x, "planned_items") == 30 && bloom_number(x, "blocks") == 1);
    assert_true(bloom_number(x, "reduced") == 1 && bloom_number(y, "reduced") == 1);
    bloom_free(a);
    bloom_free(b);
    bloom_free(x);
    bloom_free(y);
}

static void assert_refused(bpk_bloom *a, bpk_bloom *b, const char *field, const char *mine, const char *other) {
    bpk_bloom *a0 = copy_of(a), *b0 = copy_of(b);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, field);
    if (mine) assert_string_equal(err.mine, mine);
    if (other) assert_string_equal(err.other, other);
    assert_same(a, a0);
    assert_same(b, b0);
    bloom_free(a0);
    bloom_free(b0);
}

static void a_filter_that_does_not_fit_is_named_and_changes_nothing(void **state) {
    (void)state;
    bpk_bloom *one = bloom_new(1000, 0.01, 0, 0), *two = bloom_new(1000, 1e-5, 0, 0),
              *size = bloom_new(1400, 0.01, 0, 0);
    bpk_bloom *classic = bloom_new(1000, 0.01, 1, 0), *more = bloom_new(1000, 1e-4, 1, 0),
              *bits = bloom_new(1001, 0.01, 1, 0);
    bpk_bloom *seeded = NULL;
    bpk_bloom_config cfg = {.domain = {.hash = BPK_HASH_XXH3, .seed = 7}, .items = 1000, .rate = 0.01};
    assert_int_equal(bpk_bloom_new(&seeded, &cfg, NULL), BPK_OK);
    bloom_add(one, 1, 0, 900);
    bloom_add(classic, 1, 0, 900);
    assert_refused(one, classic, "layout", "blocked", "classic");
    assert_refused(one, two, "lines", "1", "2");
    assert_refused(one, size, "blocks", "20", "28");
    assert_refused(classic, more, "hashes", "7", "13");
    assert_refused(classic, bits, "bits", NULL, NULL);
    assert_refused(one, seeded, "seed", "0", "7");
    bloom_free(one), bloom_free(two), bloom_free(size), bloom_free(classic), bloom_free(more), bloom_free(bits),
        bloom_free(seeded);
}

/* ---- bytes ---- */

static void a_decoded_filter_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
            bpk_bloom *a = bloom_new(700, kinds[k].rate, kinds[k].layout, BPK_FULL_ERROR);
            bloom_add(a, 1, 0, 600);
            t_bytes bytes = t_encode(bpk_bloom_base(a), (bpk_form)f);
            bpk_sketch *s = NULL;
            assert_int_equal(bpk_decode(&s, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            bpk_bloom *b = (bpk_bloom *)s;
            assert_same(a, b);
            for (uint64_t i = 0; i < 1500; i++) {
                uint64_t hash = t_hash(1, 300 + i);
                bpk_items it = {.n = 1, .hash = &hash};
                uint8_t x = 3, y = 3;
                assert_int_equal(bpk_add(bpk_bloom_base(a), &it, &x, NULL), bpk_add(s, &it, &y, NULL));
                assert_int_equal(x, y);
            }
            assert_same(a, b);
            free(bytes.p);
            bloom_free(a);
            bloom_free(b);
        }
}

static void reseal(uint8_t *p, size_t n) {
    bpki_store64(p + n - 8, XXH3_64bits(p, n - 8));
}

static void put_f64(uint8_t *p, double v) {
    uint64_t u;
    memcpy(&u, &v, 8);
    bpki_store64(p, u);
}

/* Parameters begin at byte 32: layout, k, on_full, generations, 4 zeros, units, items, rate, 8 zeros. */
static void assert_damage(const t_bytes *good, size_t at, const void *bytes, size_t n, bpk_status st,
                          const char *field) {
    uint8_t *bad = malloc(good->n);
    bpk_sketch *s = NULL;
    bpk_err err;
    bpk_view v;
    memcpy(bad, good->p, good->n);
    memcpy(bad + at, bytes, n);
    reseal(bad, good->n);
    assert_int_equal(bpk_decode(&s, bad, good->n, NULL, NULL, &err), st);
    assert_string_equal(err.field, field);
    assert_null(s);
    assert_null(bpk_view_open(&v, bad, good->n, &err));
    free(bad);
}

static void parameters_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    bpk_bloom *blocked = bloom_new(1000, 0.01, 0, 0), *classic = bloom_new(1001, 0.01, 1, 0);
    t_bytes b = t_encode(bpk_bloom_base(blocked), BPK_FORM_SMALL),
            c = t_encode(bpk_bloom_base(classic), BPK_FORM_SMALL);
    uint8_t word[8], zeros[8] = {0};
    const uint8_t one = 1, two = 2, none = 0, many = 65, all = 255, generations = 17;
    assert_damage(&b, 32, &two, 1, BPK_E_CORRUPT, "layout");
    assert_damage(&b, 33, &two, 1, BPK_E_CORRUPT, "lines");
    assert_damage(&b, 33, &none, 1, BPK_E_CORRUPT, "lines");
    assert_damage(&c, 33, &none, 1, BPK_E_CORRUPT, "hashes");
    assert_damage(&c, 33, &many, 1, BPK_E_CORRUPT, "hashes");
    assert_damage(&b, 34, &two, 1, BPK_E_CORRUPT, "on_full");
    assert_damage(&b, 35, &generations, 1, BPK_E_VERSION, "generations");
    for (size_t i = 36; i < 40; i++) assert_damage(&b, i, &one, 1, BPK_E_CORRUPT, "reserved");
    for (size_t i = 64; i < 72; i++) assert_damage(&b, i, &one, 1, BPK_E_CORRUPT, "reserved");
    assert_damage(&b, 40, zeros, 8, BPK_E_CORRUPT, "blocks");
    assert_damage(&c, 40, zeros, 8, BPK_E_CORRUPT, "bits");
    for (int shift = 0; shift < 64; shift++) { /* a size that is not the body's */
        bpki_store64(word, (UINT64_C(1) << shift) ^ 20);
        assert_damage(&b, 40, word, 8, BPK_E_CORRUPT,
                      shift <= 54 && (UINT64_C(1) << shift ^ 20) <= UINT64_C(1) << 54 ? "body" : "blocks");
    }
    assert_damage(&b, 48, zeros, 8, BPK_E_CORRUPT, "items");
    bpki_store64(word, UINT64_MAX);
    assert_damage(&b, 48, word, 8, BPK_E_CORRUPT, "items");
    const double rates[] = {0, -0.01, 0.6, NAN, INFINITY, 1e-16};
    for (size_t i = 0; i < BPKI_COUNT(rates); i++) {
        put_f64(word, rates[i]);
        assert_damage(&b, 56, word, 8, BPK_E_CORRUPT, "rate");
    }
    put_f64(word, 1e-4);
    assert_damage(&b, 56, word, 8, BPK_E_CORRUPT, "lines");
    assert_damage(&c, c.n - 9, &all, 1, BPK_E_CORRUPT, "spare bits");
    free(b.p), free(c.p), bloom_free(blocked), bloom_free(classic);
}

static void every_bit_flip_and_every_truncation_is_refused(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bpk_bloom *b = bloom_new(3, kinds[k].rate, kinds[k].layout, 0);
        bloom_add(b, 1, 0, 3);
        t_bytes bytes = t_encode(bpk_bloom_base(b), BPK_FORM_VIEW);
        bpk_sketch *s = NULL;
        for (size_t bit = 0; bit < 8 * bytes.n; bit++) {
            bytes.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_not_equal(bpk_decode(&s, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            bytes.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t n = 0; n < bytes.n; n++) assert_int_not_equal(bpk_decode(&s, bytes.p, n, NULL, NULL, NULL), BPK_OK);
        free(bytes.p);
        bloom_free(b);
    }
}

/* ---- memory ---- */

/* One of everything that allocates; returns the first failure. */
static bpk_status everything(const bpk_env *env, bpk_bloom *large, bpk_bloom *small, const t_bytes *bytes) {
    bpk_bloom *b = NULL;
    bpk_sketch *copy = NULL, *empty = NULL, *read = NULL;
    bpk_bloom_config cfg = {.items = 1000, .rate = 0.01};
    bpk_status st = bpk_bloom_new(&b, &cfg, env);
    if (st == BPK_OK) st = bpk_copy(&copy, bpk_bloom_base(large), env);
    if (st == BPK_OK) st = bpk_twin(&empty, bpk_bloom_base(large), env);
    if (st == BPK_OK) st = bpk_decode(&read, bytes->p, bytes->n, NULL, env, NULL);
    if (st == BPK_OK) {
        st = bpk_merge(copy, bpk_bloom_base(small), NULL);
        if (st != BPK_OK) t_assert_same_bytes(copy, bpk_bloom_base(large));
    }
    if (st == BPK_OK) {
        st = bpk_bloom_fold((bpk_bloom *)read, 2);
        if (st != BPK_OK) t_assert_same_bytes(read, bpk_bloom_base(large));
    }
    bloom_free(b);
    bpk_free(copy);
    bpk_free(empty);
    bpk_free(read);
    return st;
}

static void every_allocation_may_fail_and_leaves_nothing_behind(void **state) {
    (void)state;
    bpk_bloom *large = of_units(0, 1, 5000), *small = of_units(0, 2, 5000);
    bloom_add(large, 1, 0, 1000);
    bloom_add(small, 2, 0, 1000);
    t_bytes bytes = t_encode(bpk_bloom_base(large), BPK_FORM_SMALL);
    for (long nth = 1;; nth++) {
        t_env t;
        t_env_init(&t, nth);
        bpk_status st = everything(&t.env, large, small, &bytes);
        assert_int_equal(t.held, 0);
        if (st == BPK_OK) break;
        assert_int_equal(st, BPK_E_NOMEM);
    }
    free(bytes.p);
    bloom_free(large);
    bloom_free(small);
}

static void lines_are_aligned_and_memory_is_told(void **state) {
    (void)state;
    t_env t;
    t_env_init(&t, 0);
    for (uint64_t n = 1; n < 3000; n = n * 2 + 1) {
        bpk_bloom *b = NULL;
        bpk_bloom_config cfg = {.items = n, .rate = 0.01};
        assert_int_equal(bpk_bloom_new(&b, &cfg, &t.env), BPK_OK);
        assert_int_equal(bpk_memory(bpk_bloom_base(b)), t.held);
        bloom_free(b);
        assert_int_equal(t.held, 0);
    }
}

/* ---- more than 2^32 bits ---- */

/* A view on 600 MB of zeros that the system never has to provide, in which a few items were set by hand. */
static void check_large(uint8_t layout) {
    bpki_filter p = {.layout = layout, .k = layout ? 7 : 1, .items = 500000000, .rate = 0.01};
    p.units = layout ? UINT64_C(4800000011) : UINT64_C(9400001);
    size_t body = (size_t)((bpki_filter_bits(&p) + 63) / 64 * 8), n = 128 + body + 8;
    uint8_t *bytes = calloc(1, n), head[128] = {0};
    uint64_t beyond = 0, at[64], hash[2000];
    uint8_t found[2000], changed[2000];
    assert_non_null(bytes);
    const uint8_t start[16] = {0x89,           'B',           'P', 'K',           13, 10, 26, 10, 1,
                               BPK_KIND_BLOOM, BPK_FORM_VIEW, 0,   BPK_HASH_XXH3, 0,  0,  12};
    memcpy(head, start, 16);
    bpki_store64(head + 24, body);
    head[32] = layout, head[33] = p.k;
    bpki_store64(head + 40, p.units);
    bpki_store64(head + 48, p.items);
    put_f64(head + 56, p.rate);
    memcpy(bytes, head, 128);
    for (size_t i = 0; i < 2000; i++) hash[i] = t_hash(1, i);
    for (size_t i = 0; i < 1000; i++)
        for (unsigned j = positions(&p, hash[i], at); j-- > 0; beyond += at[j] >> 32 > 0)
            bytes[128 + at[j] / 8] |= (uint8_t)(1u << at[j] % 8);
    reseal(bytes, n);
    bpk_view v;
    const bpk_bloom *b = bpk_as_bloom(bpk_view_open(&v, bytes, n, NULL));
    assert_non_null(b);
    assert_true(beyond > 200);
    bpk_bloom_has(b, hash, 2000, found);
    for (size_t i = 0; i < 2000; i++) assert_int_equal(found[i], i < 1000);
    assert_true(fabs(bpk_bloom_items(b, 0.95).estimate - 1000) < 0.01);
    if (!layout) {
        bpki_kern()->bloom1_add(bytes + 128, p.units, hash, 2000, changed);
        for (size_t i = 0; i < 2000; i++) assert_int_equal(changed[i], i >= 1000);
        bpk_bloom_has(b, hash, 2000, found);
        for (size_t i = 0; i < 2000; i++) assert_int_equal(found[i], 1);
    }
    free(bytes);
}

static void more_than_2_to_the_32_bits_are_addressed(void **state) {
    (void)state;
    if (sizeof(size_t) < 8) skip();
    check_large(BPK_BLOOM_BLOCKED);
    check_large(BPK_BLOOM_CLASSIC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_added_item_is_always_found),
        cmocka_unit_test(a_batch_is_the_same_as_one_by_one_also_with_duplicates_inside),
        cmocka_unit_test(questions_change_nothing_and_views_answer_alike),
        cmocka_unit_test(a_filter_cannot_count_one_item_and_says_so),
        cmocka_unit_test(a_filter_without_a_free_bit_says_that_it_is_saturated),
        cmocka_unit_test(an_add_is_refused_exactly_when_the_bits_say_150_percent_whatever_the_batches),
        cmocka_unit_test(replicas_with_the_same_bits_decide_alike_also_after_decoding_and_merging),
        cmocka_unit_test(the_planned_number_of_items_is_always_accepted),
        cmocka_unit_test(with_degrade_nothing_is_refused),
        cmocka_unit_test(a_union_equals_having_added_both_in_any_order_and_tree),
        cmocka_unit_test(fold_then_add_equals_add_then_fold),
        cmocka_unit_test(sizes_of_which_one_divides_the_other_merge_to_the_same_bytes_in_any_order),
        cmocka_unit_test(the_plan_of_a_union_is_the_stricter_one_whatever_the_order),
        cmocka_unit_test(a_filter_that_does_not_fit_is_named_and_changes_nothing),
        cmocka_unit_test(a_decoded_filter_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(parameters_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(every_bit_flip_and_every_truncation_is_refused),
        cmocka_unit_test(every_allocation_may_fail_and_leaves_nothing_behind),
        cmocka_unit_test(lines_are_aligned_and_memory_is_told),
        cmocka_unit_test(more_than_2_to_the_32_bits_are_addressed),
    };
    return cmocka_run_group_tests_name("bloom", tests, NULL, NULL);
}
