/* stat_hll_check.c - registers and tokens against the model: sketches of good hashes are never called suspicious, those
 * of weak hashes and of chosen items are.
 *
 * The limit is 7 standard deviations. 20,000 sketches of good hashes are drawn; by the normal law their largest is
 * about 4, and above 6 with probability 2e-5. That it is below 6, and that one in 44 exceeds 2, as a normal
 * distribution does, shows that the measure is what it says.
 */
#include "simulate.h"

#include <ballpark/sketch.h>

static bool keep_sigmas(void *ctx, const bpk_field *f) {
    if (strcmp(f->name, "chi_square_sigmas") == 0) *(double *)ctx = f->num.estimate;
    return true;
}
/* NAN: too few to judge. */
static double sigmas(const bpk_sketch *s) {
    double z = NAN;
    bpk_health(s, keep_sigmas, &z);
    return z;
}

typedef struct spread {
    double n, beyond_2, most, untested;
} spread;

static void note(spread *x, const bpk_sketch *s) {
    double z = sigmas(s);
    x->n++;
    if (isnan(z)) x->untested++;
    else x->most = fmax(x->most, z);
    x->beyond_2 += z > 2;
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
}
static void check(const spread *x, const char *what) {
    double tested = x->n - x->untested, share = x->beyond_2 / tested;
    print_message("%s: %.0f tested, most %.2f, beyond two %.4f\n", what, tested, x->most, share);
    assert_true(x->most < 6);
    /* P(Z > 2) = 0.0228; six standard errors, and the approximation of the tail by a normal one. */
    assert_true(fabs(share - 0.0228) < 0.008 + 6 * sqrt(0.0228 / tested));
}

static void registers_of_good_hashes_fit(void **state) {
    (void)state;
    static const unsigned precisions[] = {8, 10, 12, 14};
    spread x = {0};
    for (size_t i = 0; i < 4; i++)
        for (unsigned d = 0; d <= 2; d += 2) {
            t_bytes frame = sim_frame(precisions[i], d);
            for (uint64_t seed = 0; seed < (precisions[i] < 14 ? 1500 : 300); seed++) {
                double n =
                    ldexp(pow(2, (double)(seed % 40)), (int)precisions[i] - 1); /* half an item a register, and up */
                bpk_sketch *s = sim_draw(&frame, 100 * seed + precisions[i] + d, n, precisions[i], d);
                note(&x, s);
                bpk_free(s);
            }
            free(frame.p);
        }
    assert_true(x.untested < x.n / 10);
    check(&x, "registers, any number of items");
}

static void sketches_that_grow_fit(void **state) {
    (void)state;
    spread tokens = {0}, registers = {0};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        unsigned p = seed % 2 ? 12 : 10;
        bpk_hll *h = hll_new(p, seed % 4 < 2 ? 2 : 0);
        for (uint64_t n = 50; n <= 10000; n *= 3) {
            t_add(bpk_hll_base(h), 90000 + seed, n == 50 ? 0 : n / 3, n);
            bool sparse = n <= UINT64_C(3) << (p - 4);
            note(sparse ? &tokens : &registers, bpk_hll_base(h));
        }
        hll_free(h);
    }
    check(&tokens, "tokens");
    check(&registers, "registers of few items");
}

static void fewer_than_forty_tokens_are_not_judged(void **state) {
    (void)state;
    bpk_hll *h = hll_new(14, 2);
    t_add(bpk_hll_base(h), 1, 0, 39);
    assert_false(sigmas(bpk_hll_base(h)) > -INFINITY);
    t_add(bpk_hll_base(h), 1, 39, 45);
    assert_true(sigmas(bpk_hll_base(h)) > -INFINITY);
    hll_free(h);
}

static void few_registers_are_not_judged(void **state) {
    (void)state;
    for (unsigned p = 4; p <= 8; p++)
        for (uint64_t n = 500; n <= 50000; n *= 10) {
            bpk_hll *h = hll_new(p, 2);
            t_add(bpk_hll_base(h), 1, 0, n);
            assert_int_equal(sigmas(bpk_hll_base(h)) > -INFINITY, p == 8);
            hll_free(h);
        }
}

/* Where tokens are many, some items share one: the largest set of tokens at the highest precisions. */
static void full_sets_of_tokens_fit(void **state) {
    (void)state;
    for (unsigned p = 24; p <= 26; p++) {
        bpk_hll *h = hll_new(p, 2);
        t_add(bpk_hll_base(h), 70 + p, 0, UINT64_C(3) << (p - 4));
        double z = sigmas(bpk_hll_base(h));
        print_message("p = %u: %.2f\n", p, z);
        assert_true(fabs(z) < 6);
        hll_free(h);
    }
}

/* ---- weak hashes ---- */

static uint64_t as_it_is(uint64_t i) {
    return i;
}
static uint64_t times_odd(uint64_t i) {
    return i * UINT64_C(0x9E3779B97F4A7C15);
}
static uint64_t fnv_1a_32(uint64_t i) {
    uint64_t h = 2166136261u;
    for (int b = 0; b < 8; b++) h = (h ^ (i >> (8 * b) & 255)) * 16777619u & UINT32_MAX;
    return h;
}
static uint64_t fnv_1a_64(uint64_t i) {
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (int b = 0; b < 8; b++) h = (h ^ (uint8_t)(i >> (8 * b))) * UINT64_C(0x100000001B3);
    return h;
}
static double sigmas_of_hash(uint64_t (*hash)(uint64_t), uint64_t n, double *estimate) {
    bpk_hll *h = hll_new(14, 2);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = hash(i);
        assert_int_equal(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 1, .hash = &x}, NULL, NULL), BPK_OK);
    }
    double z = sigmas(bpk_hll_base(h));
    *estimate = hll_point(h);
    hll_free(h);
    return z;
}

static void weak_hashes_of_consecutive_numbers_are_found(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t (*hash)(uint64_t);
    } rows[] = {{"as they are", as_it_is},
                {"times an odd number", times_odd},
                {"FNV-1a, 32 bits", fnv_1a_32},
                {"FNV-1a, 64 bits", fnv_1a_64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double estimate, z = sigmas_of_hash(rows[i].hash, 100000, &estimate);
        print_message("%s: estimate %.0f of 100000, %.0f standard deviations\n", rows[i].name, estimate, z);
        assert_true(z > 7);
    }
}

/* ---- chosen items, as docs/rooms/hll.md lists them ---- */

static bpk_sketch *chosen(bool (*fits)(uint64_t hash, uint64_t n), uint64_t items) {
    bpk_sketch *s = bpk_hll_base(hll_new(14, 2));
    uint64_t n = 0;
    for (uint64_t i = 0; n < items; i++) {
        uint64_t hash = t_hash(3, i);
        if (!fits(hash, n)) continue;
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL), BPK_OK);
        n++;
    }
    return s;
}
static bool begins_with_one(uint64_t hash, uint64_t n) {
    (void)n;
    return hash >> 63;
}
static bool in_few_registers(uint64_t hash, uint64_t n) {
    (void)n;
    return (hash & 0x3fff) < 16;
}
static bool next_register_with_seven_zeros(uint64_t hash, uint64_t n) {
    return (hash & 0x3f) == (n & 0x3f) && hash >> 57 == 0;
}
static bool any(uint64_t hash, uint64_t n) {
    (void)hash, (void)n;
    return true;
}

static void chosen_items_are_found(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool (*fits)(uint64_t hash, uint64_t n);
        uint64_t items;
        bpk_state state;
    } rows[] = {{"begin with a one", begins_with_one, 100000, BPK_HEALTH_OVER},
                {"begin with a one, few", begins_with_one, 500, BPK_HEALTH_OVER},
                {"sixteen registers", in_few_registers, 1000, BPK_HEALTH_OVER},
                {"sixteen registers, dense", in_few_registers, 10000, BPK_HEALTH_OVER},
                {"seven zeros", next_register_with_seven_zeros, 4000, BPK_HEALTH_OVER},
                {"any", any, 100000, BPK_HEALTH_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bpk_sketch *s = chosen(rows[i].fits, rows[i].items);
        print_message("%s: %.0f standard deviations\n", rows[i].name, sigmas(s));
        assert_int_equal(bpk_health(s, NULL, NULL), rows[i].state);
        bpk_free(s);
    }
}

/* Its registers are all but empty, which a chi-square of values does not see. */
static void all_items_in_one_register_are_found_by_their_number(void **state) {
    (void)state;
    bpk_sketch *s = bpk_hll_base(hll_new(10, 2));
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t hash = t_hash(4, i) << 10;
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL), BPK_OK);
    }
    assert_true(hll_point(bpk_as_hll(s)) < 10);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OVER);
    bpk_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_good_hashes_fit),
        cmocka_unit_test(sketches_that_grow_fit),
        cmocka_unit_test(fewer_than_forty_tokens_are_not_judged),
        cmocka_unit_test(few_registers_are_not_judged),
        cmocka_unit_test(full_sets_of_tokens_fit),
        cmocka_unit_test(weak_hashes_of_consecutive_numbers_are_found),
        cmocka_unit_test(chosen_items_are_found),
        cmocka_unit_test(all_items_in_one_register_are_found_by_their_number),
    };
    return cmocka_run_group_tests_name("stat_hll_check", tests, NULL, NULL);
}
