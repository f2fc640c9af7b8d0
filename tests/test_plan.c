/* test_plan.c - plans: the published figures, what is refused, bytes of exact structures. tests/stat_plan.c holds plans
 * against real objects. */
#include "interval.h"
#include "t_plan.h"

#include <ballpark/exact.h>
#include <ballpark/plan.h>
#include <ballpark/tally.h>

static void membership_shows_both_layouts_and_the_rate_at_twice_the_plan(void **state) {
    (void)state;
    t_plan p = T_PLAN("membership", "items", "1M", "rate", "1%");
    assert_true(t_plan_number(&p, "classic.bits") == 9585059);
    assert_true(t_plan_number(&p, "classic.hashes") == 7);
    assert_true(fabs(t_plan_number(&p, "classic.rate_at_twice") - 0.157) < 0.0006);
    assert_true(fabs(t_plan_number(&p, "blocked.rate_at_twice") - 0.167) < 0.0006);
    assert_true(t_plan_number(&p, "twice.rate") == t_plan_number(&p, "blocked.rate_at_twice"));
    assert_true(fabs(t_plan_number(&p, "blocked.bits_per_item") - 10.10) < 0.005);
    assert_true(t_plan_number(&p, "blocked.rate_at_plan") <= 0.01);
    assert_string_equal(t_plan_text(&p, "kind"), "bloom");
}

/* The published figures: docs/rooms/grow.md, bloom.md, cuckoo.md, cbloom.md. */
static void growth_shows_layers_and_bits_when_full(void **state) {
    (void)state;
    t_plan p = T_PLAN("membership", "items", "1M", "rate", "1%", "growth", "64");
    assert_string_equal(t_plan_text(&p, "parameters.on_full"), "grow");
    assert_true(t_plan_number(&p, "growth.layers") == 7 && t_plan_number(&p, "growth.lookups") == 7);
    assert_true(t_plan_number(&p, "growth.capacity") == 127e6 && t_plan_number(&p, "growth.items") == 64e6);
    assert_true(t_plan_number(&p, "growth.full_bits_per_item") <= 17.1);
    assert_true(t_plan_number(&p, "growth.rate") <= 0.01 && t_plan_number(&p, "twice.rate") <= 0.01);
    t_plan once = T_PLAN("membership", "items", "64M", "rate", "1%");
    assert_true(
        fabs(t_plan_number(&p, "growth.at_once_bits_per_item") - t_plan_number(&once, "blocked.bits_per_item")) < 1e-6);
    t_plan still = T_PLAN("membership", "items", "1M", "growth", "1");
    assert_true(t_plan_number(&still, "growth.memory_bytes") == t_plan_number(&still, "memory_bytes"));
}

static void a_window_shows_bits_for_each_number_of_generations(void **state) {
    (void)state;
    t_plan p = T_PLAN("membership", "items", "1M", "rate", "1%", "generations", "4");
    assert_true(t_plan_number(&p, "window.bits_per_item") <= 17.5);
    assert_true(t_plan_number(&p, "window.bits_per_item") == t_plan_number(&p, "window.bits_per_item_4"));
    assert_true(t_plan_number(&p, "window.gone_after_items") == 1.25e6 && !t_plan_find(&p, "window.seconds"));
    assert_true(t_plan_number(&p, "window.rate_when_fullest") <= 0.01);
    t_plan day = T_PLAN("membership", "items", "1M", "generations", "8", "span", "86400");
    assert_true(t_plan_number(&day, "parameters.span") == 86400 && t_plan_number(&day, "window.seconds") == 86400);
    assert_true(t_plan_number(&day, "window.gone_after_seconds") == 97200);
    t_plan seventeen = T_PLAN("membership", "items", "17", "generations", "16");
    assert_true(t_plan_number(&seventeen, "window.gone_after_items") == 34);
    t_plan five = T_PLAN("membership", "items", "100", "generations", "4", "span", "5");
    assert_true(t_plan_number(&five, "window.gone_after_seconds") == 10);
    t_plan few = T_PLAN("membership", "items", "5", "generations", "4");
    assert_non_null(t_plan_find(&few, "window.bits_per_item_4"));
    assert_null(t_plan_find(&few, "window.bits_per_item_8"));
}

static void deleting_takes_a_cuckoo_where_it_has_the_rate(void **state) {
    (void)state;
    t_plan p = T_PLAN("membership", "items", "1M", "rate", "1%", "delete", "1");
    assert_string_equal(t_plan_text(&p, "kind"), "cuckoo");
    assert_true(t_plan_number(&p, "cuckoo.fingerprint_bits") == 12 && t_plan_number(&p, "cuckoo.rate_at_plan") <= 0.01);
    assert_true(fabs(t_plan_number(&p, "cuckoo.bits_per_item") - 12.63) < 0.01);
    assert_true(fabs(t_plan_number(&p, "cbloom.bits_per_item") - 38.34) < 0.01);
    p = T_PLAN("membership", "items", "1M", "rate", "0.1%", "delete", "1");
    assert_true(t_plan_number(&p, "cuckoo.fingerprint_bits") == 16);
    p = T_PLAN("membership", "items", "1M", "rate", "1e-5", "delete", "1");
    assert_string_equal(t_plan_text(&p, "kind"), "cbloom");
    assert_null(t_plan_find(&p, "cuckoo.bits_per_item"));
    p = T_PLAN("membership", "items", "1M", "rate", "1%", "delete", "1", "growth", "64");
    assert_string_equal(t_plan_text(&p, "kind"), "cuckoo");
    assert_true(t_plan_number(&p, "growth.layers") == 7 && t_plan_number(&p, "growth.full_bits_per_item") < 17.3);
    p = T_PLAN("membership", "items", "1M", "rate", "0.02%", "delete", "1", "growth", "1");
    assert_null(t_plan_find(&p, "twice.rate")); /* a second layer would not keep it */
}

static void what_contradicts_itself_in_a_plan_of_membership_is_named(void **state) {
    (void)state;
    static const char *const bad[][3] = {{"growth", "0", "growth"},
                                         {"growth", "1e15", "growth"},
                                         {"growth", "x", "growth"},
                                         {"delete", "2", "delete"},
                                         {"delete", "yes", "delete"},
                                         {"generations", "17", "generations"},
                                         {"generations", "x", "generations"},
                                         {"span", "60", "span"}, /* without generations */
                                         {"width", "5", "width"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const bpk_param p[] = {{"items", "1000"}, {bad[i][0], bad[i][1]}};
        bpk_err err = {0};
        assert_int_equal(bpk_plan("membership", p, 2, NULL, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i][2]);
    }
    static const char *const both[][2] = {{"growth", "2"}, {"delete", "1"}, {"span", "3"}, {"items", "3"}};
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        const bpk_param p[] = {{both[i][0], both[i][1]}, {"generations", "4"}, {"items", "1000"}};
        bpk_err err = {0};
        assert_int_equal(bpk_plan("membership", p, i == 3 ? 2 : 3, NULL, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, both[i][0]);
    }
}

static void count_shows_both_sizings(void **state) {
    (void)state;
    t_plan p = T_PLAN("count", "epsilon", "0.001", "delta", "0.01");
    assert_true(t_plan_number(&p, "width") == 2719 && t_plan_number(&p, "depth") == 5);
    assert_true(t_plan_number(&p, "cells") == 13595 && t_plan_number(&p, "bytes") == 54380);
    p = T_PLAN("count", "epsilon", "0.001", "delta", "0.002");
    assert_true(t_plan_number(&p, "base_2.width") == 2000 && t_plan_number(&p, "base_2.depth") == 9);
    assert_true(t_plan_number(&p, "base_e.width") == 2719 && t_plan_number(&p, "base_e.depth") == 7);
    assert_null(t_plan_find(&p, "error_items")); /* no total was given */
}

static void a_known_total_chooses_counters_that_hold_it(void **state) {
    (void)state;
    static const struct {
        const char *total;
        double cell_bytes, saturates;
    } rows[] = {
        {"1", 1, 0},     {"127", 1, 0},   {"128", 1, 1},        {"254", 1, 1},        {"255", 2, 0},
        {"65534", 2, 1}, {"65535", 4, 0}, {"4294967294", 4, 1}, {"4294967295", 8, 0}, {"4611686018427387904", 8, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t_plan p = T_PLAN("count", "total", rows[i].total);
        const bpk_field *cell = t_plan_find(&p, "parameters.cell_bytes");
        assert_true((cell ? cell->num.estimate : 4) == rows[i].cell_bytes);
        assert_true(t_plan_number(&p, "bytes") == 13595 * rows[i].cell_bytes);
        assert_true(t_plan_number(&p, "twice.may_saturate") == rows[i].saturates);
        assert_true(fabs(t_plan_number(&p, "error_items") / t_plan_number(&p, "total") - 0.001) < 1e-9);
    }
}

static void distinct_shows_what_redis_takes(void **state) {
    (void)state;
    t_plan p = T_PLAN("distinct", "error", "0.81%");
    assert_true(t_plan_number(&p, "parameters.precision") == 14 && t_plan_number(&p, "redis.bytes") == 12304);
    assert_true(t_plan_number(&p, "redis.meets") == 1 && t_plan_number(&p, "six_bit.bytes") == 12288);
    p = T_PLAN("distinct", "error", "0.6%");
    assert_true(t_plan_number(&p, "parameters.precision") == 14 && t_plan_number(&p, "redis.meets") == 0);
    assert_true(t_plan_number(&p, "six_bit.precision") == 15 && t_plan_number(&p, "six_bit.bytes") == 24576);
    p = T_PLAN("distinct", "error", "3.3%");
    assert_true(t_plan_number(&p, "six_bit.precision") == 10 && t_plan_number(&p, "six_bit.bytes") == 768);
}

static void few_items_are_planned_as_tokens_and_twice_as_many_may_be_registers(void **state) {
    (void)state;
    t_plan few = T_PLAN("distinct", "error", "0.6%", "items", "2000"), full = T_PLAN("distinct", "error", "0.6%");
    assert_true(t_plan_number(&few, "memory_bytes") < t_plan_number(&full, "memory_bytes"));
    assert_true(t_plan_number(&few, "twice.memory_bytes") == t_plan_number(&full, "memory_bytes"));
    assert_true(t_plan_number(&few, "memory_bytes_at_most") == t_plan_number(&full, "memory_bytes"));
}

static void a_share_makes_room_for_the_entries_that_find_it(void **state) {
    (void)state;
    t_plan plain = T_PLAN("top", "k", "10"), more = T_PLAN("top", "k", "10", "share", "0.1%");
    assert_true(t_plan_number(&plain, "found_share") < 0.0081 && !t_plan_find(&plain, "parameters.entries"));
    assert_true(t_plan_number(&more, "found_share") <= 0.001 && t_plan_number(&more, "parameters.entries") == 4608);
    t_plan easy = T_PLAN("top", "k", "10", "share", "10%"); /* never under the plan of the rows */
    assert_true(t_plan_number(&easy, "found_share") == t_plan_number(&plain, "found_share"));
}

static void an_overlap_is_planned_by_the_sampled_items_that_it_leaves(void **state) {
    (void)state;
    t_plan p = T_PLAN("overlap", "smaller", "10M", "overlap", "1%");
    double k = t_plan_number(&p, "parameters.k");
    assert_true(k > 9900 && k <= 10000); /* 100 of 10,000 are common: 10 % */
    assert_true(fabs(t_plan_number(&p, "matches") - k / 100) < 1e-6 && t_plan_number(&p, "standard_error") <= 0.1);
    t_plan wide = T_PLAN("overlap", "smaller", "10M", "larger", "40M", "overlap", "1%");
    assert_true(fabs(t_plan_number(&wide, "parameters.k") / (4 * k) - 1) < 0.01);
    t_plan exact = T_PLAN("overlap", "smaller", "1000", "overlap", "0.1%", "error", "0.1%");
    assert_true(t_plan_number(&exact, "parameters.k") == 1000 && t_plan_number(&exact, "standard_error") == 0);
    t_plan coarse = T_PLAN("overlap", "smaller", "10M", "overlap", "1%", "error", "90%");
    assert_true(t_plan_number(&coarse, "matches") >= BPK_THETA_POINT_FROM);
}

static void a_sample_is_planned_by_its_records_and_groups(void **state) {
    (void)state;
    t_plan p = T_PLAN("sample", "k", "1000"), more = T_PLAN("sample", "k", "4000");
    assert_true(fabs(t_plan_number(&p, "share_error_95") - 0.0315) < 1e-4); /* 0.98 / sqrt(1000) + 1 / 2000 */
    assert_true(fabs(t_plan_number(&p, "seen_share_95") - 0.003) < 1e-4);   /* 3 / 1000 */
    assert_true(fabs(t_plan_number(&p, "share_error_95") / t_plan_number(&more, "share_error_95") - 2) < 0.02);
    t_plan groups = T_PLAN("sample", "k", "1000", "groups", "50"), lines = T_PLAN("sample", "record_bytes", "200");
    assert_true(t_plan_number(&groups, "memory_bytes") > 50 * t_plan_number(&p, "memory_bytes")); /* and the pool */
    assert_true(t_plan_number(&lines, "memory_bytes") == t_plan_number(&p, "memory_bytes") + 1000 * 100);
    assert_true(t_plan_number(&groups, "share_error_95") == t_plan_number(&p, "share_error_95"));
    t_plan heavy = T_PLAN("sample", "weighted", "yes");
    assert_true(t_plan_number(&heavy, "file_bytes_at_most") >= t_plan_number(&p, "file_bytes_at_most") + 8000);
    for (int i = 1; i <= 100; i++) { /* the least k */
        char error[16];
        snprintf(error, sizeof error, "%d%%", i);
        t_plan e = T_PLAN("sample", "error", error);
        double k = t_plan_number(&e, "parameters.k");
        assert_true(t_plan_number(&e, "share_error_95") <= i / 100.0);
        assert_true(k == 1 || bpk_sample_k_for(i / 100.0, 0.95) == k);
        assert_true(k == 1 || bpki_share_error(k - 1, bpki_z(0.95)) > i / 100.0);
    }
}

/* 16 MiB of keys are the limit: beyond about a million names a plan does not grow with them. */
static void keys_that_are_not_kept_are_not_planned(void **state) {
    (void)state;
    t_plan some = T_PLAN("top", "k", "600000"), more = T_PLAN("top", "k", "900000"); /* of one table */
    assert_true(t_plan_number(&some, "memory_bytes") == t_plan_number(&more, "memory_bytes"));
    assert_true(t_plan_number(&some, "file_bytes_at_most") == t_plan_number(&more, "file_bytes_at_most"));
}

static void a_limit_is_as_wide_as_keys_that_use_it_up_need(void **state) {
    (void)state;
    t_plan p = T_PLAN("limit", "limit", "100", "period", "60000", "keys", "6000");
    double width = t_plan_number(&p, "parameters.width"), load = t_plan_number(&p, "load");
    assert_true(width == ceil(6000 / pow(0.01, 0.25)) && load == 6000 / width);
    assert_true(t_plan_number(&p, "fresh_limited_at_most") <= 0.01 && pow(6000 / (width - 1), 4) > 0.01);
    assert_true(t_plan_number(&p, "events") == 600000);
    assert_true(fabs(t_plan_number(&p, "twice.fresh_limited_at_most") - pow(2 * load, 4)) < 1e-12);
    p = T_PLAN("limit", "limit", "1", "period", "1", "keys", "7", "fresh", "1");
    assert_true(t_plan_number(&p, "parameters.width") == 7 && t_plan_number(&p, "twice.fresh_limited_at_most") == 1);
    bpk_sketch *s = t_plan_make(&p, 1);
    assert_true(fabs((double)bpk_memory(s) - t_plan_number(&p, "memory_bytes")) <= 0.01 * (double)bpk_memory(s));
    bpk_free(s);
}

static void a_limit_that_cannot_be_is_refused_by_name(void **state) {
    (void)state;
    static const char *const bad[][5] = {
        {NULL, "9", "9", "1%", "limit"},
        {"9", NULL, "9", "1%", "period"},
        {"9", "9", NULL, "1%", "keys"},
        {"0", "9", "9", "1%", "limit"},
        {"2147483648", "9", "9", "1%", "limit"},
        {"9", "0", "9", "1%", "period"},
        {"9", "9007199254740993", "9", "1%", "period"},
        {"9", "9", "0", "1%", "keys"},
        {"9", "9", "2e9", "1%", "keys"},
        {"9", "9", "9", "0", "fresh"},
        {"9", "9", "9", "101%", "fresh"},
        {"9", "9", "9", "", "fresh"},
    };
    static const char *const names[] = {"limit", "period", "keys", "fresh"};
    for (size_t i = 0; i < BPKI_COUNT(bad); i++) {
        bpk_param p[4];
        size_t n = 0;
        bpk_err err = {.code = BPK_OK};
        for (size_t k = 0; k < 4; k++)
            if (bad[i][k]) p[n++] = (bpk_param){names[k], bad[i][k]};
        assert_int_equal(bpk_plan("limit", p, n, NULL, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i][4]);
    }
}

static void what_an_exact_map_cannot_hold_has_no_bytes(void **state) {
    (void)state;
    t_plan some = T_PLAN("count", "total", "1M"), many = T_PLAN("count", "total", "1e15");
    assert_non_null(t_plan_find(&some, "exact.memory_bytes_at_most"));
    assert_null(t_plan_find(&many, "exact.memory_bytes_at_most"));
    assert_true(t_plan_number(&many, "exact.better") == 0);
}

static void a_fleet_takes_as_many_times_the_bytes(void **state) {
    (void)state;
    static const char *const questions[][2] = {
        {"membership", "items"}, {"count", "total"}, {"distinct", "items"}, {"top", "k"}};
    for (size_t i = 0; i < 4; i++) {
        t_plan one = T_PLAN(questions[i][0], questions[i][1], "1000");
        t_plan all = T_PLAN(questions[i][0], questions[i][1], "1000", "sketches", "8760");
        assert_true(t_plan_number(&one, "sketches") == 1);
        assert_true(t_plan_number(&all, "memory_bytes") == t_plan_number(&one, "memory_bytes"));
        assert_true(t_plan_number(&all, "all_memory_bytes") == 8760 * t_plan_number(&one, "memory_bytes"));
        assert_true(t_plan_number(&all, "all_file_bytes_at_most") == 8760 * t_plan_number(&one, "file_bytes_at_most"));
        assert_true(t_plan_number(&one, "all_file_bytes_at_most") == t_plan_number(&one, "file_bytes_at_most"));
    }
}

/* The advice follows from bytes alone. */
static void few_items_are_better_exact(void **state) {
    (void)state;
    t_plan p = T_PLAN("membership", "items", "4");
    assert_true(t_plan_number(&p, "exact.better") == 1);
    p = T_PLAN("membership", "items", "10000");
    assert_true(t_plan_number(&p, "exact.better") == 1); /* 128 KiB */
    p = T_PLAN("membership", "items", "10000", "sketches", "1000");
    assert_true(t_plan_number(&p, "exact.better") == 0);
    double most = t_plan_number(&p, "exact.no_larger_up_to"), bytes = t_plan_number(&p, "memory_bytes");
    assert_true((double)bpk_exact_bytes((uint64_t)most) <= bytes &&
                (double)bpk_exact_bytes((uint64_t)most + 1) > bytes);
}

static void refused(const char *question, const char *name, const char *value, const char *field) {
    bpk_param p = {name, value};
    bpk_err err = {0};
    t_plan nothing = {0};
    assert_int_equal(bpk_plan(question, &p, name ? 1 : 0, t_plan_keep, &nothing, &err), BPK_E_ARG);
    assert_string_equal(err.field, field);
    assert_int_equal(nothing.n, 0);
}

static void what_cannot_be_planned_is_named_and_nothing_is_walked(void **state) {
    (void)state;
    refused("membership", NULL, NULL, "items"); /* is missing */
    refused("membership", "items", "0", "items");
    refused("membership", "items", "281474976710657", "items");
    refused("membership", "items", "many", "items");
    refused("membership", "epsilon", "1%", "items"); /* the first that is wrong */
    refused("count", "epsilon", "0", "epsilon");
    refused("count", "epsilon", "1e-12", "epsilon");
    refused("count", "epsilon", "100%", "epsilon");
    refused("count", "delta", "1", "delta");
    refused("count", "delta", "1e-20", "delta");
    refused("count", "total", "0", "total");
    refused("count", "total", "4611686018427387905", "total");
    refused("count", "items", "5", "items");
    refused("distinct", "error", "0", "error");
    refused("distinct", "error", "1e-9", "error");
    refused("distinct", "error", "1", "error");
    refused("distinct", "items", "0", "items");
    refused("top", "k", "0", "k");
    refused("top", "k", "99999999999", "k");
    refused("top", "share", "0", "share");
    refused("top", "share", "1", "share");
    refused("top", "share", "1e-9", "share");
    refused("top", "sketches", "0", "sketches");
    refused("top", "sketches", "300T", "sketches");
    refused("overlap", NULL, NULL, "smaller");
    refused("overlap", "overlap", "1%", "smaller");
    refused("overlap", "smaller", "1000", "overlap");
    refused("overlap", "smaller", "0", "smaller");
    refused("overlap", "items", "5", "smaller");
    refused("sample", "k", "0", "k");
    refused("sample", "k", "16777217", "k");
    refused("sample", "groups", "0", "groups");
    refused("sample", "groups", "1048577", "groups");
    refused("sample", "error", "0", "error");
    refused("sample", "error", "1e-5", "error");
    refused("sample", "weighted", "perhaps", "weighted");
    refused("sample", "record_bytes", "0", "record_bytes");
    refused("sample", "record_bytes", "8T", "record_bytes");
    refused("sample", "items", "5", "items");
    refused("how many", NULL, NULL, "question");
    refused("", NULL, NULL, "question");
}

static void an_overlap_that_cannot_be_is_refused_by_name(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"larger", "999"}, {"larger", "1e15"}, {"error", "0"},
                                         {"error", "1e-4"}, {"error", "x"},     {"k", "5"},
                                         {"sketches", "0"}, {"overlap", "2"},   {"overlap", "200%"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const bpk_param p[] = {
            {"smaller", "100M"}, {strcmp(bad[i][0], "overlap") ? "overlap" : "error", "10%"}, {bad[i][0], bad[i][1]}};
        bpk_err err = {0};
        assert_int_equal(bpk_plan("overlap", p, 3, NULL, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, bad[i][0]);
    }
}

static void a_rate_that_a_64_bit_hash_cannot_give_is_refused(void **state) {
    (void)state;
    const bpk_param p[] = {{"items", "1e14"}, {"rate", "1e-12"}};
    bpk_err err = {0};
    assert_int_equal(bpk_plan("membership", p, 2, NULL, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "rate");
}

static bool stop(void *ctx, const bpk_field *f) {
    (void)f;
    return ++*(int *)ctx < 3;
}

static void a_walk_ends_when_the_receiver_has_had_enough(void **state) {
    (void)state;
    int fields = 0;
    assert_int_equal(bpk_plan("top", NULL, 0, stop, &fields, NULL), BPK_OK);
    assert_int_equal(fields, 3);
}

static void every_question_is_listed_with_its_parameters(void **state) {
    (void)state;
    const char *params, *name;
    size_t n = 0;
    for (; (name = bpk_question_at(n, &params)); n++) {
        const bpk_param needed[] = {{"items", "5"}, {"smaller", "5"}, {"overlap", "1"},
                                    {"limit", "5"}, {"period", "5"},  {"keys", "5"}};
        bool limits = strcmp(name, "limit") == 0;
        size_t from = limits ? 3 : strcmp(name, "overlap") == 0;
        size_t to = from ? from == 1 ? 3 : 6 : strcmp(name, "membership") == 0;
        assert_non_null(strstr(params, "sketches"));
        assert_int_equal(bpk_plan(name, needed + from, to - from, NULL, NULL, NULL), BPK_OK);
    }
    assert_int_equal(n, 7);
}

/* Memory is a step function; these are its edges and some places between. */
static const uint64_t sizes[] = {0, 1, 5, 6, 7, 12, 13, 47, 48, 49, 50, 96, 97, 767, 768, 769, 1000, 3071, 100000};

static void the_bytes_of_an_exact_set_are_known_before(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bpk_exact *x;
        assert_int_equal(bpk_exact_new(&x, NULL, 0, NULL), BPK_OK);
        for (uint64_t j = 0; j < sizes[i]; j++) {
            uint64_t hash = t_hash(5, j);
            assert_int_equal(bpk_exact_add(x, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL), BPK_OK);
        }
        assert_int_equal(bpk_exact_bytes(sizes[i]), bpk_exact_memory(x));
        bpk_exact_free(x);
    }
    assert_true(bpk_exact_bytes(UINT64_MAX) == UINT64_MAX);
}

static void the_bytes_of_an_exact_map_are_known_before(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bpk_tally *t;
        assert_int_equal(bpk_tally_new(&t, NULL, 0, NULL), BPK_OK);
        for (uint64_t j = 0; j < sizes[i]; j++) {
            uint64_t hash = t_hash(5, j), key[2] = {hash, j};
            const void *item = key;
            size_t len = sizeof key;
            assert_int_equal(bpk_tally_add(t, &(bpk_items){.n = 1, .hash = &hash, .item = &item, .len = &len}, NULL),
                             BPK_OK);
        }
        assert_int_equal(bpk_tally_bytes(sizes[i], 16), bpk_tally_memory(t));
        bpk_tally_free(t);
    }
    assert_true(bpk_tally_bytes(UINT64_MAX, 16) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(membership_shows_both_layouts_and_the_rate_at_twice_the_plan),
        cmocka_unit_test(growth_shows_layers_and_bits_when_full),
        cmocka_unit_test(a_window_shows_bits_for_each_number_of_generations),
        cmocka_unit_test(deleting_takes_a_cuckoo_where_it_has_the_rate),
        cmocka_unit_test(what_contradicts_itself_in_a_plan_of_membership_is_named),
        cmocka_unit_test(count_shows_both_sizings),
        cmocka_unit_test(a_known_total_chooses_counters_that_hold_it),
        cmocka_unit_test(distinct_shows_what_redis_takes),
        cmocka_unit_test(few_items_are_planned_as_tokens_and_twice_as_many_may_be_registers),
        cmocka_unit_test(a_share_makes_room_for_the_entries_that_find_it),
        cmocka_unit_test(an_overlap_is_planned_by_the_sampled_items_that_it_leaves),
        cmocka_unit_test(a_sample_is_planned_by_its_records_and_groups),
        cmocka_unit_test(keys_that_are_not_kept_are_not_planned),
        cmocka_unit_test(a_limit_is_as_wide_as_keys_that_use_it_up_need),
        cmocka_unit_test(a_limit_that_cannot_be_is_refused_by_name),
        cmocka_unit_test(what_an_exact_map_cannot_hold_has_no_bytes),
        cmocka_unit_test(a_fleet_takes_as_many_times_the_bytes),
        cmocka_unit_test(few_items_are_better_exact),
        cmocka_unit_test(what_cannot_be_planned_is_named_and_nothing_is_walked),
        cmocka_unit_test(an_overlap_that_cannot_be_is_refused_by_name),
        cmocka_unit_test(a_rate_that_a_64_bit_hash_cannot_give_is_refused),
        cmocka_unit_test(a_walk_ends_when_the_receiver_has_had_enough),
        cmocka_unit_test(every_question_is_listed_with_its_parameters),
        cmocka_unit_test(the_bytes_of_an_exact_set_are_known_before),
        cmocka_unit_test(the_bytes_of_an_exact_map_are_known_before),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
