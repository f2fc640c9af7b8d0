/* test_sample_rows.c - what a sample answers: rows in both orders, shares and counts with their limits, info and
 * health. */
#include <fenv.h>

#include "t_sample.h"

/* ---- rows ---- */

static bool stop_at_two(void *ctx, const bpk_sample_row *row) {
    (void)row;
    return ++*(int *)ctx < 2;
}
static void shuffled_rows_are_the_same_rows_in_an_order_that_repeats(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(100, 5, 0);
    t_feed_records(s, 0, 5000);
    t_kept input = *t_kept_of(s, BPK_SAMPLE_INPUT), shuffled = *t_kept_of(s, BPK_SAMPLE_SHUFFLED);
    const t_kept *again = t_kept_of(s, BPK_SAMPLE_SHUFFLED);
    uint64_t sum[2] = {0, 0};
    size_t descents = 0;
    assert_memory_equal(shuffled.number, again->number, 100 * sizeof(uint64_t));
    for (size_t i = 0; i < 100; i++) {
        sum[0] += t_mix(input.number[i]);
        sum[1] += t_mix(shuffled.number[i]);
        descents += i && shuffled.number[i] < shuffled.number[i - 1];
    }
    assert_true(sum[0] == sum[1]);
    assert_in_range(descents, 32, 67); /* 49.5 on average, 2.9 its standard deviation */
    int seen = 0;
    assert_int_equal(bpk_sample_rows(s, BPK_SAMPLE_INPUT, stop_at_two, &seen), BPK_OK);
    assert_int_equal(seen, 2);
    assert_int_equal(bpk_sample_rows(s, (bpk_sample_order)2, stop_at_two, &seen), BPK_E_ARG);
    t_sample_free(s);
}

/* ---- answers ---- */

static bool below_limit(void *ctx, const bpk_sample_row *row) {
    return t_load64(row->item) < *(const uint64_t *)ctx;
}
static bpk_estimate share_below(const bpk_sample *s, uint64_t limit) {
    bpk_estimate e = bpk_sample_share(s, below_limit, &limit, 0);
    t_assert_sound(&e);
    assert_true(e.upper <= 1);
    return e;
}

static void a_share_is_exact_while_all_are_kept_and_has_an_interval_from_then_on(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        bpk_sample *s =
            t_sample_of((bpk_sample_config){.k = 100, .groups = kind == 2 ? 8 : 0, .weighted = kind == 1, .seed = 2});
        bpk_estimate e = share_below(s, 50);
        assert_true(e.flags == BPK_NO_POINT && e.lower == 0 && e.upper == 1);
        t_feed_batches(s, 0, 100, kind == 2 ? 5 : 0, NULL, 100);
        e = share_below(s, 30);
        assert_true(e.flags == BPK_EXACT && fabs(e.estimate - 0.3) < 1e-12 && e.lower == e.upper &&
                    e.confidence == 0.95);
        t_feed_batches(s, 100, 10000, kind == 2 ? 5 : 0, NULL, 100);
        e = share_below(s, 3000);
        assert_true(e.lower < 0.3 && e.upper > 0.3 && e.upper - e.lower < 0.25 && !e.flags && e.confidence == 0.95);
        e = share_below(s, 0);
        assert_true(e.flags == BPK_ONE_SIDED && e.estimate == 0 && e.lower == 0 && e.upper > 0 && e.upper < 0.06);
        e = share_below(s, 10000);
        assert_true(e.flags == BPK_ONE_SIDED && e.estimate == 1 && e.upper == 1 && e.lower < 1 && e.lower > 0.94);
        static const double asked[] = {-1, 0.49, 1, NAN, INFINITY}, got[] = {0.5, 0.5, 0.999999, 0.95, 0.999999};
        for (size_t i = 0; i < BPKI_COUNT(got); i++) { /* moved into the range, alike by both questions */
            e = bpk_sample_share(s, below_limit, &(uint64_t){3000}, asked[i]);
            assert_true(e.confidence == got[i] && bpk_sample_error(s, asked[i]) == bpk_sample_error(s, got[i]));
            assert_int_equal(
                bpk_count(&s->base, (const uint64_t[]){1}, 1, asked[i] == asked[i] ? asked[i] : 2, &e, NULL),
                BPK_E_ARG);
        }
        t_sample_free(s);
    }
    bpk_sample *none = t_sample_new(0, 0, 0);
    t_feed_records(none, 0, 10);
    bpk_estimate e = share_below(none, 5);
    assert_true(e.flags == BPK_NO_POINT && e.lower == 0 && e.upper == 1);
    t_sample_free(none);
}

static bool count_calls(void *ctx, const bpk_sample_row *row) {
    ++*(int *)ctx;
    return row->at % 2;
}
static void a_share_asks_once_for_each_kept_record(void **state) {
    (void)state;
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = 7, .groups = 3, .weighted = true});
    int calls = 0;
    t_feed_batches(s, 0, 500, 6, t_some_weight, 100);
    bpk_sample_share(s, count_calls, &calls, 0);
    assert_int_equal(calls, bpk_sample_kept(s));
    t_sample_free(s);
}

static void only_zero_weights_are_a_share_of_nothing(void **state) {
    (void)state;
    bpk_sample *s = t_sample_of((bpk_sample_config){.k = 10, .weighted = true});
    const double zero[3] = {0, 0, 0};
    const uint64_t hash[3] = {1, 2, 3};
    bpk_estimate e;
    assert_int_equal(bpk_add(bpk_sample_base(s), &(bpk_items){.n = 3, .hash = hash, .real_weight = zero}, NULL, NULL),
                     BPK_OK);
    e = share_below(s, 1);
    assert_true(e.flags == BPK_NO_POINT);
    assert_int_equal(bpk_count(bpk_sample_base(s), hash, 1, 0, &e, NULL), BPK_OK);
    assert_true(e.estimate == 0 && e.upper == 0 && e.flags == BPK_EXACT);
    t_sample_free(s);
}

typedef struct row_sum {
    double count;
    size_t n;
    uint64_t last;
} row_sum;
static bool sum_row(void *ctx, const bpk_row *row) {
    row_sum *r = ctx;
    uint64_t number = t_load64(row->key);
    t_assert_sound(&row->count);
    assert_true(row->certain && row->len == 8 && (r->n == 0 || number > r->last));
    r->count += row->count.estimate;
    r->last = number;
    r->n++;
    return true;
}
static void generic_rows_are_in_input_order_and_stand_for_all_records_together(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t n = 0; n <= 3000; n += 750) {
            const bpk_sample_config cfg = {.k = 40, .groups = kind & 1 ? 6 : 0, .weighted = kind / 2};
            bpk_sample *s = t_sample_of(cfg);
            t_feed_batches(s, 0, n, kind & 1 ? 9 : 0, t_some_weight, 100);
            row_sum all = {0, 0, 0}, few = {0, 0, 0};
            bpk_estimate whole;
            assert_int_equal(bpk_count(bpk_sample_base(s), NULL, 0, 0, &whole, NULL), BPK_OK);
            assert_int_equal(bpk_rows(bpk_sample_base(s), SIZE_MAX, sum_row, &all, NULL), BPK_OK);
            assert_true(all.n == bpk_sample_kept(s) && whole.flags == BPK_EXACT);
            assert_true(fabs(all.count - whole.estimate) <= 1e-9 * whole.estimate);
            assert_int_equal(bpk_rows(bpk_sample_base(s), 3, sum_row, &few, NULL), BPK_OK);
            assert_int_equal(few.n, n ? 3 : 0);
            t_sample_free(s);
        }
}

typedef struct stood {
    const bpk_sample *s;
    const t_kept *kept;
    bool weighted;
    size_t at, open;
} stood;
/* Beside the sums of weights as the strata tell them, which are exact for these. */
static bool check_row(void *ctx, const bpk_row *row) {
    stood *x = ctx;
    const bpk_sample_row *mine = &x->kept->row[x->at++];
    const bpk_sample_stratum *t = &t_strata_of(x->s)->at[mine->stratum];
    double others = 0, most;
    for (size_t i = 0; i < x->kept->n; i++)
        if (x->kept->row[i].stratum == mine->stratum && &x->kept->row[i] != mine) others += x->kept->row[i].weight;
    most = t->weight - others;
    t_assert_sound(&row->count);
    assert_true(row->count.confidence == 1);
    if (row->count.flags & BPK_EXACT) assert_true(row->count.estimate == mine->weight && most == mine->weight);
    else x->open++;
    if (!x->weighted) assert_true(row->count.lower == 1 && row->count.upper == (double)(t->n - t->kept + 1));
    if (row->count.estimate >= mine->weight) assert_true(row->count.lower == mine->weight);
    assert_true(row->count.lower <= mine->weight && row->count.upper >= most);
    if (row->count.estimate <= most) assert_true(row->count.upper <= most + 1e-12 * t->weight);
    return true;
}
static void a_row_stands_for_itself_at_least_and_for_what_the_others_leave_at_most(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t n = 30; n <= 3000; n += 990) {
            const bpk_sample_config cfg = {.k = 40, .groups = kind & 1 ? 6 : 0, .weighted = kind / 2, .seed = n};
            bpk_sample *s = t_sample_of(cfg);
            t_feed_batches(s, 0, n, kind & 1 ? 9 : 0, t_some_weight, 100);
            stood x = {s, t_kept_of(s, BPK_SAMPLE_INPUT), cfg.weighted, 0, 0};
            assert_int_equal(bpk_rows(&s->base, SIZE_MAX, check_row, &x, NULL), BPK_OK);
            assert_true(x.at == x.kept->n && (x.open > 0) == (n > 30));
            t_sample_free(s);
        }
}

static void the_count_of_a_hash_is_exact_while_all_are_kept_and_has_bounds_from_then_on(void **state) {
    (void)state;
    bpk_sample *s = t_sample_new(1000, 3, 0);
    uint64_t hash[400], absent = 77;
    bpk_estimate e;
    for (uint64_t i = 0; i < 100000; i += 400) {
        for (uint64_t j = 0; j < 400; j++) hash[j] = t_hash(1, j % 4 == 0 ? 0 : i + j);
        assert_int_equal(bpk_add(bpk_sample_base(s), &(bpk_items){.n = 400, .hash = hash}, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_count(bpk_sample_base(s), hash, 1, 0.99999, &e, NULL), BPK_OK);
        double truth = (double)(i + 400) / 4;
        if (i + 400 <= 1000) assert_true(e.flags == BPK_EXACT && e.estimate == truth);
        else assert_true(e.lower <= truth && truth <= e.upper);
        assert_int_equal(bpk_count(bpk_sample_base(s), &absent, 1, 0, &e, NULL), BPK_OK);
        assert_true(e.estimate == 0 && e.lower == 0);
        assert_true(e.flags == (i + 400 <= 1000 ? BPK_EXACT : BPK_ONE_SIDED | BPK_BELOW_NOISE));
    }
    t_sample_free(s);
}

typedef struct told {
    double error, fill, total, n, kept, pooled, strata;
} told;
static bool tell(void *ctx, const bpk_field *f) {
    told *t = ctx;
    const struct {
        const char *name;
        double *to;
    } wanted[] = {{"error_now", &t->error}, {"fill", &t->fill},     {"total", &t->total},  {"n", &t->n},
                  {"kept", &t->kept},       {"pooled", &t->pooled}, {"strata", &t->strata}};
    for (size_t i = 0; i < BPKI_COUNT(wanted); i++)
        if (!f->text && strcmp(f->name, wanted[i].name) == 0) *wanted[i].to = f->num.estimate;
    return true;
}
static void info_and_health_tell_what_was_seen_and_kept_and_how_far_a_share_may_be_off(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        const bpk_sample_config cfg = {.k = 100, .groups = kind == 2 ? 3 : 0, .weighted = kind == 1};
        bpk_sample *s = t_sample_of(cfg);
        told t = {0};
        assert_int_equal(bpk_health(bpk_sample_base(s), tell, &t), BPK_HEALTH_OK);
        assert_true(t.error == 0 && t.total == 0);
        t_feed_batches(s, 0, 10000, kind == 2 ? 8 : 0, NULL, 100);
        bpk_info(bpk_sample_base(s), tell, &t);
        assert_int_equal(bpk_health(bpk_sample_base(s), tell, &t), kind == 2 ? BPK_HEALTH_WARN : BPK_HEALTH_OK);
        assert_true(t.n == 10000 && t.total == 10000 && t.fill == 1);
        assert_true(t.kept == (kind == 2 ? 400 : 100) && t.strata == (kind == 2 ? 4 : 1));
        assert_true(t.pooled == (kind == 2 ? 6250 : 0));           /* five of eight groups */
        if (kind < 2) assert_true(fabs(t.error - 0.055) < 0.0005); /* 1 / 2 sqrt(100), less 1 % that is known */
        else assert_true(t.error > 0.025 && t.error < 0.05);       /* strata of unequal weight: between 400 and 100 */
        t_sample_free(s);
    }
    bpk_sample *none = t_sample_new(0, 0, 0);
    told t = {0};
    t_feed_records(none, 0, 10);
    assert_int_equal(bpk_health(bpk_sample_base(none), tell, &t), BPK_HEALTH_OK);
    assert_true(t.error == 1 && t.total == 10);
    t_sample_free(none);
}

/* No question takes the way through a number that is none. */
static void nothing_kept_and_nothing_seen_are_answered_without_an_invalid_operation(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (uint32_t k = 0; k <= 5; k += 5)
            for (uint64_t n = 0; n <= 20; n += 20) {
                bpk_sample *s =
                    t_sample_of((bpk_sample_config){.k = k, .groups = kind & 1 ? 3 : 0, .weighted = kind / 2});
                bpk_estimate e;
                t_feed_batches(s, 0, n, kind & 1 ? 5 : 0, NULL, 10);
                feclearexcept(FE_ALL_EXCEPT);
                double error = bpk_sample_error(s, 0);
                e = share_below(s, 5);
                assert_int_equal(bpk_count(&s->base, (const uint64_t[]){1}, 1, 0, &e, NULL), BPK_OK);
                bpk_health(&s->base, NULL, NULL);
                assert_false(fetestexcept(FE_INVALID | FE_DIVBYZERO));
                assert_true(n == 0 ? error == 0 : k == 0 ? error == 1 : error > 0 && error <= 1);
                t_sample_free(s);
            }
}

/* Asked for one by one or all together, to the bit; also without memory for it. */
static void counts_of_many_hashes_are_those_of_each(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        t_env env;
        bpk_sample *s = NULL;
        uint64_t hash[64];
        bpk_estimate many[64], one;
        size_t found = 0;
        const bpk_sample_config cfg = {.k = 200, .groups = kind & 1 ? 4 : 0, .weighted = kind / 2};
        t_env_init(&env, 0);
        assert_int_equal(bpk_sample_new(&s, &cfg, &env.env), BPK_OK);
        for (uint64_t i = 0; i < 5000; i++) {
            const uint64_t group = i % 7, item = i % 40;
            const double weight = t_some_weight(i);
            const bpk_items it = {.n = 1, .hash = &item, .group = &group, .real_weight = &weight};
            assert_int_equal(bpk_add(bpk_sample_base(s), &it, NULL, NULL), BPK_OK);
        }
        for (uint64_t i = 0; i < 64; i++) hash[i] = i * 7 % 64; /* 40 of them came */
        assert_int_equal(bpk_count(bpk_sample_base(s), hash, 64, 0.9, many, NULL), BPK_OK);
        for (size_t i = 0; i < 64; i++) {
            assert_int_equal(bpk_count(bpk_sample_base(s), &hash[i], 1, 0.9, &one, NULL), BPK_OK);
            assert_true(one.estimate == many[i].estimate && one.lower == many[i].lower && one.upper == many[i].upper);
            assert_int_equal(one.flags, many[i].flags);
            if (hash[i] >= 40) assert_true(one.estimate == 0);
            found += one.estimate > 0;
        }
        assert_in_range(found, 35, 40);
        for (long nth = 1; nth <= 2; nth++) {
            bpk_err err;
            size_t held = env.held;
            env.calls = 0;
            env.fail_at = nth;
            assert_int_equal(bpk_count(bpk_sample_base(s), hash, 64, 0, many, &err), BPK_E_NOMEM);
            assert_string_equal(err.field, "count");
            assert_int_equal(env.held, held);
        }
        t_sample_free(s);
        assert_int_equal(env.held, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffled_rows_are_the_same_rows_in_an_order_that_repeats),
        cmocka_unit_test(a_share_is_exact_while_all_are_kept_and_has_an_interval_from_then_on),
        cmocka_unit_test(a_share_asks_once_for_each_kept_record),
        cmocka_unit_test(only_zero_weights_are_a_share_of_nothing),
        cmocka_unit_test(generic_rows_are_in_input_order_and_stand_for_all_records_together),
        cmocka_unit_test(a_row_stands_for_itself_at_least_and_for_what_the_others_leave_at_most),
        cmocka_unit_test(the_count_of_a_hash_is_exact_while_all_are_kept_and_has_bounds_from_then_on),
        cmocka_unit_test(info_and_health_tell_what_was_seen_and_kept_and_how_far_a_share_may_be_off),
        cmocka_unit_test(nothing_kept_and_nothing_seen_are_answered_without_an_invalid_operation),
        cmocka_unit_test(counts_of_many_hashes_are_those_of_each),
    };
    return cmocka_run_group_tests_name("test_sample_rows", tests, NULL, NULL);
}
