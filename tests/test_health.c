/* test_health.c - one list of fields and one state for every kind; what is tolerated, stored with the sketch. */
#include "damage.h"

/* In this order, whatever the kind; the last two are texts. */
static const char *const list[] = {
    "planned_items", "items",   "load",      "fill",       "rate_now",           "rate_asked",        "total",
    "noise_floor",   "ceiling", "saturated", "chi_square", "chi_square_freedom", "chi_square_sigmas", "error_now",
    "tolerated",     "reason",  "state"};
enum { LIST = sizeof list / sizeof *list };

typedef struct seen {
    size_t n, at; /* fields, and the place in the list behind the last */
    double value[LIST];
    char text[LIST][120];
} seen;

static bool keep(void *ctx, const bpk_field *f) {
    seen *s = ctx;
    while (s->at < LIST && strcmp(list[s->at], f->name) != 0) s->at++;
    if (s->at == LIST) fail_msg("%s is not in the list, or not in its order", f->name);
    if (f->text) snprintf(s->text[s->at], sizeof s->text[0], "%s", f->text);
    else s->value[s->at] = f->num.estimate;
    s->at++;
    s->n++;
    return true;
}

static size_t place(const char *name) {
    size_t i = 0;
    while (strcmp(list[i], name) != 0) i++;
    return i;
}
/* The field must be there. */
static double value(const bpk_sketch *s, const char *name) {
    seen all = {0};
    all.value[place(name)] = NAN;
    bpk_health(s, keep, &all);
    if (isnan(all.value[place(name)])) fail_msg("no %s", name);
    return all.value[place(name)];
}
static const char *reason(const bpk_sketch *s, seen *all) {
    *all = (seen){0};
    bpk_health(s, keep, all);
    return all->text[place("reason")];
}

static bpk_sketch *made(const char *kind, const char *name, const char *text) {
    const bpk_param p = {name, text};
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, kind, NULL, &p, 1, NULL, NULL), BPK_OK);
    return s;
}

static const char *const kinds[][3] = {
    {"bloom", "items", "1000"}, {"cms", "width", "500"},     {"hll", "precision", "10"},  {"topk", "k", "5"},
    {"theta", "k", "64"},       {"cuckoo", "items", "1000"}, {"cbloom", "items", "1000"}, {"grow", "items", "1000"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Items 0 to n-1 with their bytes, which a topk keeps as names. */
static void fill(bpk_sketch *s, uint64_t n) {
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, bpk_domain_of(s), NULL, NULL), BPK_OK);
    for (uint64_t i = 0; i < n; i++) {
        const void *item = &i;
        size_t len = sizeof i;
        uint64_t hash = bpk_hash(&h, &i, len);
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .item = &item, .len = &len}, NULL, NULL),
                         BPK_OK);
    }
}

static void every_kind_walks_the_one_list_in_its_order(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (uint64_t items = 0; items <= 900; items += 300) {
            bpk_sketch *s = made(kinds[i][0], kinds[i][1], kinds[i][2]);
            seen all = {0};
            fill(s, items);
            assert_int_equal(bpk_tolerate(s, 1), BPK_OK);
            assert_int_equal(bpk_health(s, keep, &all), BPK_HEALTH_OK);
            assert_in_range(all.n, 5, LIST);
            assert_string_equal(all.text[place("state")], "ok");
            assert_true(all.text[place("reason")][0] != 0);
            double fill = value(s, "fill");
            assert_true(items ? fill > 0 && fill <= 1 : fill == 0);
            assert_true(all.value[place("tolerated")] == 1);
            bpk_free(s);
        }
}

static bool join_name(void *ctx, const bpk_field *f) {
    char *names = ctx;
    snprintf(names + strlen(names), 300 - strlen(names), "%s ", f->name);
    return true;
}

static void each_kind_walks_what_applies_to_it(void **state) {
    (void)state;
    static const char *const fields[KINDS] = {
        "planned_items items load fill rate_now rate_asked error_now reason state ",
        "fill total noise_floor saturated error_now reason state ",
        "items fill saturated chi_square chi_square_freedom chi_square_sigmas error_now reason state ",
        "fill total ceiling saturated error_now reason state ",
        "items fill error_now reason state ",
        "planned_items items load fill rate_now rate_asked error_now reason state ",
        "planned_items items load fill rate_now rate_asked saturated error_now reason state ",
        "planned_items items load fill rate_now rate_asked error_now reason state "};
    for (size_t i = 0; i < KINDS; i++) {
        bpk_sketch *s = made(kinds[i][0], kinds[i][1], kinds[i][2]);
        char names[300] = "";
        fill(s, 900);
        bpk_health(s, join_name, names);
        assert_string_equal(names, fields[i]);
        bpk_free(s);
    }
}

/* Each kind's own measure, from what it answers elsewhere. */
static void error_now_is_what_the_kind_says_elsewhere(void **state) {
    (void)state;
    bpk_sketch *s = made("bloom", "items", "1000");
    t_add(s, 1, 0, 700);
    assert_true(value(s, "error_now") == bpk_bloom_rate(bpk_as_bloom(s)));
    bpk_free(s);
    s = made("hll", "precision", "10");
    assert_true(value(s, "error_now") == 0); /* tokens: all but exact */
    t_add(s, 1, 0, 700);
    assert_true(value(s, "error_now") == bpk_hll_standard_error(10, 2));
    bpk_free(s);
    s = made("cms", "width", "100");
    bpk_noise noise;
    assert_true(value(s, "error_now") == 0);
    t_add(s, 1, 0, 700);
    bpk_cms_noise(bpk_as_cms(s), &noise);
    assert_true(noise.p99 > 0 && value(s, "error_now") == noise.p99 / 700 && value(s, "noise_floor") == noise.p99);
    bpk_free(s);
    s = made("topk", "k", "5");
    uint64_t ceiling;
    size_t n;
    bpk_row rows[5];
    t_add(s, 1, 0, 5000);
    assert_int_equal(bpk_topk_list(bpk_as_topk(s), rows, 5, &n, &ceiling), BPK_OK);
    assert_true(ceiling > 0 && value(s, "error_now") == (double)ceiling / 5000);
    assert_true(value(s, "ceiling") == (double)ceiling && value(s, "total") == 5000);
    bpk_free(s);
    s = made("theta", "k", "64");
    uint32_t matches;
    t_add(s, 1, 0, 64);
    assert_true(value(s, "error_now") == 0); /* exact */
    t_add(s, 1, 0, 5000);
    bpk_estimate all = bpk_theta_count(bpk_as_theta(s), 0, &matches);
    assert_true(value(s, "error_now") == 1 / sqrt(matches) && matches == 64);
    assert_true(value(s, "items") == all.estimate && value(s, "fill") == 1);
    bpk_free(s);
}

static void a_view_and_a_copy_are_as_well_as_the_sketch(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (uint64_t items = 0; items <= 900; items += 450) {
            bpk_sketch *s = made(kinds[i][0], kinds[i][1], kinds[i][2]), *copy = NULL, *decoded = NULL;
            bpk_view v;
            bpk_err err;
            seen here = {0}, there = {0}, again = {0};
            fill(s, items);
            t_bytes b = t_encode(s, BPK_FORM_VIEW);
            const bpk_sketch *view = bpk_view_open(&v, b.p, b.n, &err);
            assert_true(view || bpk_as_grow(s)); /* which has none */
            if (!view) assert_int_equal(bpk_decode(&decoded, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            if (!view) view = decoded;
            assert_int_equal(bpk_copy(&copy, s, NULL), BPK_OK);
            bpk_health(s, keep, &here), bpk_health(view, keep, &there), bpk_health(copy, keep, &again);
            assert_memory_equal(&here, &there, sizeof here);
            assert_memory_equal(&here, &again, sizeof here);
            bpk_free(s), bpk_free(copy), bpk_free(decoded);
            free(b.p);
        }
}

static void more_error_than_tolerated_warns_and_half_as_much_again_is_over(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        bpk_sketch *s = made(kinds[i][0], kinds[i][1], kinds[i][2]);
        seen all;
        fill(s, i == 3 ? 5000 : 900);
        double now = value(s, "error_now");
        assert_true(now > 0 && now < 1);
        assert_int_equal(bpk_tolerate(s, now), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
        assert_int_equal(bpk_tolerate(s, now / 1.01), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_WARN);
        assert_string_equal(reason(s, &all), "more error than tolerated");
        assert_int_equal(bpk_tolerate(s, now / 1.51), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OVER);
        assert_string_equal(all.text[place("state")], "warn"); /* of before */
        assert_string_equal(reason(s, &all), "half as much error again as tolerated, or more");
        assert_string_equal(all.text[place("state")], "over");
        assert_int_equal(bpk_tolerate(s, 0), BPK_OK);
        assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
        bpk_free(s);
    }
}

static void what_is_tolerated_travels_with_the_sketch_and_stays_where_all_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        bpk_sketch *a = made(kinds[i][0], kinds[i][1], kinds[i][2]), *b = NULL, *sum = NULL;
        bool merges = strcmp(kinds[i][0], "cuckoo") != 0;
        double share = 0;
        assert_false(bpk_tolerated(a, &share));
        assert_int_equal(bpk_tolerate(a, 0.1), BPK_OK);
        t_bytes bytes = t_encode(a, BPK_FORM_SMALL);
        assert_int_equal(bpk_decode(&b, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
        assert_true(bpk_tolerated(b, &share) && share == 0.1);
        assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *[]){a, b}, merges ? 2 : 1, NULL, NULL), BPK_OK);
        assert_true(bpk_tolerated(sum, &share) && share == 0.1);
        assert_int_equal(bpk_tolerate(b, 0.2), BPK_OK);
        assert_int_equal(bpk_merge(sum, b, NULL), merges ? BPK_OK : BPK_E_UNSUPPORTED);
        assert_int_equal(bpk_tolerated(sum, &share), !merges);
        bpk_free(a), bpk_free(b), bpk_free(sum);
        free(bytes.p);
    }
}

static void a_share_that_cannot_be_tolerated_is_refused_and_changes_nothing(void **state) {
    (void)state;
    static const double bad[] = {-0.1, 1.0001, 1e300, -INFINITY, INFINITY, NAN};
    bpk_sketch *s = made("hll", "precision", "4");
    double share = 0;
    assert_int_equal(bpk_tolerate(s, 1), BPK_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bpk_tolerate(s, bad[i]), BPK_E_ARG);
        uint64_t bits;
        uint8_t bytes[8];
        memcpy(&bits, &bad[i], sizeof bits);
        t_store64(bytes, bits);
        assert_int_equal(bpk_meta_set(s, BPK_META_TOLERATED, bytes, sizeof bytes), BPK_E_ARG);
    }
    assert_int_equal(bpk_meta_set(s, BPK_META_TOLERATED, "1%", 2), BPK_E_ARG);
    assert_true(bpk_tolerated(s, &share) && share == 1);
    bpk_free(s);
}

/* The entry is 12 bytes in front of the checksum: tag, length, value. */
static void bytes_with_a_share_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const double bad[] = {0, -0.1, 1.0001, NAN};
    bpk_sketch *s = made("hll", "precision", "4"), *out = NULL;
    bpk_err err;
    bpk_view v;
    assert_int_equal(bpk_tolerate(s, 0.5), BPK_OK);
    for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++)
        for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
            t_bytes b = t_encode(s, (bpk_form)form);
            uint64_t bits = 0;
            if (i < sizeof bad / sizeof *bad) {
                memcpy(&bits, &bad[i], sizeof bits);
                t_store64(b.p + b.n - DAMAGE_CHECKSUM - 8, bits);
            } else { /* the same length in two entries: 4 bytes are no share */
                uint8_t two[] = {4, 0, 4, 0, 0, 0, 0, 0, 5, 0, 0, 0};
                memcpy(b.p + b.n - DAMAGE_CHECKSUM - 12, two, sizeof two);
            }
            t_reseal(b.p, b.n);
            assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
            assert_string_equal(err.field, "tolerated");
            if (form == BPK_FORM_VIEW) assert_null(bpk_view_open(&v, b.p, b.n, &err));
            free(b.p);
        }
    bpk_free(s);
}

static void the_worst_reason_is_told(void **state) {
    (void)state;
    bpk_sketch *s = made("bloom", "items", "100");
    seen all;
    t_add(s, 1, 0, 100);
    assert_int_equal(bpk_tolerate(s, value(s, "error_now") / 1.1), BPK_OK);
    assert_string_equal(reason(s, &all), "as many items as planned, or more"); /* the first among equals */
    assert_int_equal(bpk_tolerate(s, value(s, "error_now") / 2), BPK_OK);
    assert_string_equal(reason(s, &all), "half as much error again as tolerated, or more");
    bpk_free(s);
}

static void counters_at_their_end_are_counted(void **state) {
    (void)state;
    const bpk_param p[] = {{"width", "10"}, {"depth", "2"}, {"cell_bytes", "1"}};
    bpk_sketch *s = NULL;
    uint64_t hash = t_hash(1, 1), weight = 1000;
    assert_int_equal(bpk_new(&s, "cms", NULL, p, 3, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .weight = &weight}, NULL, NULL), BPK_OK);
    assert_true(value(s, "saturated") == 2 && value(s, "fill") == 0.1);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OVER);
    bpk_free(s);
    s = made("topk", "k", "1");
    weight = UINT64_C(1) << 62;
    assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .weight = &weight}, NULL, NULL), BPK_OK);
    assert_true(value(s, "saturated") == 1);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_WARN);
    bpk_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_walks_the_one_list_in_its_order),
        cmocka_unit_test(each_kind_walks_what_applies_to_it),
        cmocka_unit_test(error_now_is_what_the_kind_says_elsewhere),
        cmocka_unit_test(a_view_and_a_copy_are_as_well_as_the_sketch),
        cmocka_unit_test(more_error_than_tolerated_warns_and_half_as_much_again_is_over),
        cmocka_unit_test(what_is_tolerated_travels_with_the_sketch_and_stays_where_all_agree),
        cmocka_unit_test(a_share_that_cannot_be_tolerated_is_refused_and_changes_nothing),
        cmocka_unit_test(bytes_with_a_share_that_cannot_be_are_refused),
        cmocka_unit_test(the_worst_reason_is_told),
        cmocka_unit_test(counters_at_their_end_are_counted),
    };
    return cmocka_run_group_tests_name("health", tests, NULL, NULL);
}
