/* test_sketch.c - promises of sketch.h, proved for every kind of the registry: a new room adds one row to `rows`. */
#include "damage.h"

/* Parameters of a small sketch, a number of items that fits it, and the questions that it answers beside count. */
typedef struct row {
    const char *kind;
    bpk_param param[4];
    size_t params;
    uint64_t items;
    bool has, removes, lists;
} row;

static const row rows[] = {
    {"hll", {{"precision", "8"}}, 1, 30, false, false, false},
    {"hll", {{"precision", "8"}}, 1, 5000, false, false, false},
    {"hll", {{"precision", "12"}, {"window_bits", "0"}}, 2, 20000, false, false, false},
    {"bloom", {{"items", "300"}}, 1, 250, true, false, false},
    {"bloom", {{"items", "300"}, {"rate", "1e-5"}}, 2, 250, true, false, false},
    {"bloom", {{"items", "300"}, {"layout", "classic"}}, 2, 250, true, false, false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bpk_sketch *fresh_in(const row *r, const bpk_domain *d, const bpk_env *env) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, r->kind, d, r->param, r->params, env, NULL), BPK_OK);
    return s;
}
static bpk_sketch *filled(const row *r, uint64_t from, uint64_t to) {
    bpk_sketch *s = fresh_in(r, NULL, NULL);
    t_add(s, 1, from, to);
    return s;
}

typedef void (*row_test)(const row *r);
static void each(row_test test) {
    for (size_t i = 0; i < ROWS; i++) test(&rows[i]);
}

/* ---- registry and making ---- */

static void every_kind_has_a_row_here_and_asks_its_question(void **state) {
    (void)state;
    const char *name, *question;
    size_t i = 0;
    for (; (name = bpk_kind_at(i, &question)); i++) {
        bool known = false;
        for (size_t k = 0; k < ROWS; k++) known = known || strcmp(rows[k].kind, name) == 0;
        if (!known) fail_msg("%s has no row in test_sketch.c", name);
        assert_true(strlen(question) > 5 && question[strlen(question) - 1] == '?');
        assert_string_equal(bpk_kind_at(i, NULL), name);
    }
    assert_true(i >= 2);
    assert_null(bpk_kind_at(i + 1000, &question));
}

static void what_a_kind_does_not_know_is_named(void **state) {
    (void)state;
    bpk_sketch *s = NULL;
    bpk_err err;
    assert_int_equal(bpk_new(&s, "hull", NULL, NULL, 0, NULL, &err), BPK_E_ARG);
    assert_string_equal(err.field, "kind");
    assert_string_equal(err.other, "hull");
    assert_int_equal(bpk_new(&s, "", NULL, NULL, 0, NULL, NULL), BPK_E_ARG);
    for (size_t i = 0; i < ROWS; i++) {
        bpk_param p[5];
        for (size_t k = 0; k < rows[i].params; k++) p[k] = rows[i].param[k];
        p[rows[i].params] = (bpk_param){"colour", "blue"};
        assert_int_equal(bpk_new(&s, rows[i].kind, NULL, p, rows[i].params + 1, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, "colour");
        p[rows[i].params] = p[0]; /* twice the same */
        assert_int_equal(bpk_new(&s, rows[i].kind, NULL, p, rows[i].params + 1, NULL, &err), BPK_E_ARG);
        p[0].value = "many";
        assert_int_equal(bpk_new(&s, rows[i].kind, NULL, p, rows[i].params, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, rows[i].param[0].name);
        assert_string_equal(err.other, "many");
    }
    bpk_param many[65];
    for (size_t k = 0; k < 65; k++) many[k] = (bpk_param){"precision", "10"};
    assert_int_equal(bpk_new(&s, "hll", NULL, many, 65, NULL, &err), BPK_E_ARG);
    assert_null(s);
}

static void a_secret_domain_needs_its_fingerprint(void **state) {
    (void)state;
    bpk_sketch *s = NULL;
    bpk_err err;
    for (size_t i = 0; i < ROWS; i++) {
        const bpk_domain open = {BPK_HASH_SIPHASH, 1, 0, 0}, wrong = {7, 0, 0, 0}, integers = {0, 0, BPK_I64, 0};
        assert_int_equal(bpk_new(&s, rows[i].kind, &open, rows[i].param, rows[i].params, NULL, &err), BPK_E_KEY);
        assert_int_equal(bpk_new(&s, rows[i].kind, &wrong, rows[i].param, rows[i].params, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, "hash");
        assert_null(s);
        s = fresh_in(&rows[i], &integers, NULL); /* hash 0: the default, of that type */
        assert_true(bpk_domain_of(s)->hash == BPK_HASH_XXH3 && bpk_domain_of(s)->type == BPK_I64);
        bpk_free(s);
        s = NULL;
    }
}

static void copy_twin_reset(const row *r) {
    t_env env;
    t_env_init(&env, 0);
    bpk_sketch *s = filled(r, 0, r->items), *copy = NULL, *twin = NULL, *fresh = fresh_in(r, NULL, NULL);
    size_t n = 0;
    assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "here", 4), BPK_OK);
    assert_int_equal(bpk_copy(&copy, s, &env.env), BPK_OK);
    assert_int_equal(env.held, bpk_memory(copy));
    assert_int_equal(bpk_twin(&twin, s, NULL), BPK_OK);
    t_assert_same_bytes(s, copy);
    t_assert_same_bytes(twin, fresh);
    assert_null(bpk_meta_get(twin, BPK_META_LABEL, &n));
    assert_string_equal(bpk_kind_name(twin), r->kind);
    assert_int_equal(bpk_kind_of(twin), bpk_kind_of(s));
    t_add(copy, 2, 0, 10); /* the copy is another one */
    t_add(twin, 1, 0, r->items);
    assert_int_equal(bpk_meta_set(twin, BPK_META_LABEL, "here", 4), BPK_OK);
    t_assert_same_bytes(s, twin);
    bpk_reset(s);
    assert_memory_equal(bpk_meta_get(s, BPK_META_LABEL, &n), "here", 4);
    assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, NULL, 0), BPK_OK);
    t_assert_same_bytes(s, fresh);
    bpk_free(s), bpk_free(copy), bpk_free(twin), bpk_free(fresh), bpk_free(NULL);
    assert_int_equal(env.held, 0);
}
static void copy_twin_and_reset_are_what_they_say(void **state) {
    (void)state;
    each(copy_twin_reset);
}

/* ---- adding and merging ---- */

static void adding(const row *r) {
    uint64_t hash[700];
    uint8_t changed[700];
    bpk_sketch *whole = filled(r, 0, r->items), *parts = fresh_in(r, NULL, NULL);
    assert_int_equal(bpk_add(whole, &(bpk_items){.n = 0, .hash = hash}, NULL, NULL), BPK_OK);
    for (uint64_t at = 0, k = 0; at < r->items; k++) {
        size_t n = t_hash(3, k) % 700, done = 999;
        if (n > r->items - at) n = (size_t)(r->items - at);
        for (size_t i = 0; i < n; i++) hash[i] = t_hash(1, at + i);
        assert_int_equal(
            bpk_add(parts, &(bpk_items){.n = n, .hash = hash}, k & 1 ? changed : NULL, k & 2 ? &done : NULL), BPK_OK);
        if (k & 2) assert_int_equal(done, n);
        if (k & 1)
            for (size_t i = 0; i < n; i++) assert_true(changed[i] <= 1);
        at += n;
    }
    t_assert_same_bytes(whole, parts);
    for (uint64_t i = 0; i < r->items && i < 700; i++) hash[i] = t_hash(1, i);
    size_t n = r->items < 700 ? (size_t)r->items : 700;
    assert_int_equal(bpk_add(whole, &(bpk_items){.n = n, .hash = hash}, changed, NULL), BPK_OK);
    for (size_t i = 0; i < n; i++) assert_int_equal(changed[i], 0);
    t_assert_same_bytes(whole, parts);
    bpk_free(whole);
    bpk_free(parts);
}
static void batches_do_not_matter_and_what_is_in_changes_nothing(void **state) {
    (void)state;
    each(adding);
}

static void merging(const row *r) {
    uint64_t a = r->items / 3, b = 2 * a;
    bpk_sketch *part[3] = {filled(r, 0, b), filled(r, a, r->items), filled(r, 0, 0)}, *all = filled(r, 0, r->items),
               *sum = NULL;
    static const unsigned order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        const bpk_sketch *in[3] = {part[order[i][0]], part[order[i][1]], part[order[i][2]]};
        assert_int_equal(bpk_merge_many(&sum, in, 3, NULL, NULL), BPK_OK);
        t_assert_same_bytes(sum, all);
        bpk_free(sum);
        sum = NULL;
        for (size_t k = 0; k < 3; k++) {
            t_bytes bytes = t_encode(in[k], (bpk_form)((i + k) % 2));
            assert_int_equal(bpk_merge_bytes(&sum, bytes.p, bytes.n, NULL, NULL), BPK_OK);
            free(bytes.p);
        }
        t_assert_same_bytes(sum, all);
        assert_int_equal(bpk_merge(sum, sum, NULL), BPK_OK);
        assert_int_equal(bpk_merge(sum, all, NULL), BPK_OK);
        t_assert_same_bytes(sum, all);
        bpk_free(sum);
        sum = NULL;
    }
    assert_int_equal(bpk_merge_many(&sum, NULL, 0, NULL, NULL), BPK_E_ARG);
    assert_null(sum);
    for (size_t i = 0; i < 3; i++) bpk_free(part[i]);
    bpk_free(all);
}
static void merges_in_any_order_and_from_bytes_equal_adding_everything(void **state) {
    (void)state;
    each(merging);
}

static void refusing(const row *r) {
    const bpk_domain seeded = {BPK_HASH_XXH3, 0, 0, 5};
    bpk_sketch *a = filled(r, 0, r->items), *b = fresh_in(r, &seeded, NULL), *copy = NULL, *sum = NULL;
    bpk_err err;
    assert_int_equal(bpk_copy(&copy, a, NULL), BPK_OK);
    assert_int_equal(bpk_merge(a, b, &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "seed");
    for (int form = 0; form < 2; form++) {
        t_bytes bytes = t_encode(b, (bpk_form)form);
        assert_int_equal(bpk_merge_bytes(&a, bytes.p, bytes.n, NULL, &err), BPK_E_MISMATCH);
        bytes.p[40] ^= 1;
        assert_int_equal(bpk_merge_bytes(&a, bytes.p, bytes.n, NULL, &err), BPK_E_CHECKSUM);
        assert_int_equal(bpk_merge_bytes(&sum, bytes.p, bytes.n, NULL, &err), BPK_E_CHECKSUM);
        assert_null(sum);
        free(bytes.p);
    }
    assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *[]){a, b}, 2, NULL, &err), BPK_E_MISMATCH);
    assert_null(sum);
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].kind, r->kind) == 0) continue;
        bpk_sketch *other = fresh_in(&rows[i], NULL, NULL);
        assert_int_equal(bpk_merge(a, other, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "kind");
        assert_string_equal(err.mine, r->kind);
        assert_string_equal(err.other, rows[i].kind);
        bpk_free(other);
    }
    t_assert_same_bytes(a, copy);
    bpk_free(a), bpk_free(b), bpk_free(copy);
}
static void what_does_not_fit_is_refused_and_changes_nothing(void **state) {
    (void)state;
    each(refusing);
}

/* ---- questions ---- */

static bool never(void *ctx, const bpk_row *r) {
    (void)ctx, (void)r;
    return false;
}
static void asking(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items);
    uint64_t hash[100];
    uint8_t out[100];
    bpk_err err = {.field = NULL};
    bpk_estimate e;
    for (uint64_t i = 0; i < 100; i++) hash[i] = t_hash(1, i % 30);
    assert_int_equal(bpk_has(s, hash, 100, out, &err), r->has ? BPK_OK : BPK_E_UNSUPPORTED);
    for (size_t i = 0; r->has && i < 100; i++) assert_int_equal(out[i], 1);
    if (!r->has) assert_string_equal(err.other, r->kind);
    assert_int_equal(bpk_remove(s, hash, 1, out, &err), r->removes ? BPK_OK : BPK_E_UNSUPPORTED);
    if (!r->removes) assert_string_equal(err.other, r->kind);
    assert_int_equal(bpk_rows(s, 10, never, NULL, &err), r->lists ? BPK_OK : BPK_E_UNSUPPORTED);
    if (!r->lists) assert_string_equal(err.other, r->kind);
    assert_int_equal(bpk_count(s, NULL, 0, 0, &e, &err), BPK_OK);
    assert_true(e.confidence == BPK_CONFIDENCE);
    for (double c = 0.5; c <= 0.999999; c += 0.0499999) {
        assert_int_equal(bpk_count(s, NULL, 0, c, &e, NULL), BPK_OK);
        t_assert_sound(&e);
        assert_true(e.confidence == c);
    }
    static const double wrong[] = {-1, 0.49, 1, 2};
    for (size_t i = 0; i < 4; i++) assert_int_equal(bpk_count(s, NULL, 0, wrong[i], &e, &err), BPK_E_ARG);
    assert_int_equal(bpk_count(s, NULL, 0, NAN, &e, &err), BPK_E_ARG);
    assert_string_equal(err.field, "confidence");
    bpk_free(s);
}
static void a_kind_answers_what_it_can_and_names_itself_otherwise(void **state) {
    (void)state;
    each(asking);
}

static bool count_fields(void *ctx, const bpk_field *f) {
    int *left = ctx;
    assert_true(f->name && *f->name && f->unit <= BPK_UNIT_FLAG);
    if (!f->text) assert_true(f->num.lower <= f->num.estimate && f->num.estimate <= f->num.upper);
    return --*left != 0;
}
static void walking(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items);
    for (int most = 1; most < 6; most++) {
        int left = most;
        bpk_info(s, count_fields, &left);
        assert_int_equal(left, 0); /* stopped there */
    }
    int info = 1000, health = 1000;
    bpk_info(s, count_fields, &info);
    assert_in_range(1000 - info, 8, 40);
    assert_int_equal(bpk_health(s, count_fields, &health), BPK_HEALTH_OK);
    assert_in_range(1000 - health, 1, 20);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
    bpk_free(s);
}
static void info_and_health_walk_over_fields_until_told_to_stop(void **state) {
    (void)state;
    each(walking);
}

static void questions_change_nothing(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items), *copy = NULL;
    int many = 1000;
    assert_int_equal(bpk_copy(&copy, s, NULL), BPK_OK);
    asking(r);
    bpk_estimate e;
    bpk_info(s, count_fields, &many);
    bpk_health(s, NULL, NULL);
    assert_int_equal(bpk_count(s, NULL, 0, 0.9, &e, NULL), BPK_OK);
    t_assert_same_bytes(s, copy);
    t_add(s, 5, 0, 20);
    t_add(copy, 5, 0, 20);
    t_assert_same_bytes(s, copy);
    bpk_free(s);
    bpk_free(copy);
}
static void no_question_changes_the_state(void **state) {
    (void)state;
    each(questions_change_nothing);
}

/* ---- bytes ---- */

static void round_trip(const row *r) {
    for (uint64_t n = 0; n <= r->items; n += r->items / 5) {
        bpk_sketch *s = filled(r, 0, n);
        for (int form = 0; form < 2; form++) {
            bpk_sketch *back = NULL;
            bpk_sketch *on = NULL;
            t_bytes b = t_encode(s, (bpk_form)form);
            assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(s, back);
            assert_int_equal(bpk_copy(&on, s, NULL), BPK_OK);
            t_add(back, 6, 0, r->items / 4);
            t_add(on, 6, 0, r->items / 4);
            t_assert_same_bytes(on, back);
            bpk_free(back);
            bpk_free(on);
            free(b.p);
        }
        bpk_free(s);
    }
}
static void what_was_decoded_answers_and_goes_on_alike(void **state) {
    (void)state;
    each(round_trip);
}

static void viewing(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items), *more = filled(r, r->items, r->items + 40), *copy = NULL;
    assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "seen", 4), BPK_OK);
    t_bytes b = t_encode(s, BPK_FORM_VIEW), small = t_encode(s, BPK_FORM_SMALL);
    uint8_t *at = malloc(b.n + 64);
    for (size_t shift = 0; shift < 64; shift++) { /* at any address */
        bpk_view v;
        bpk_estimate x, y;
        size_t n = 0;
        memcpy(at + shift, b.p, b.n);
        const bpk_sketch *seen = bpk_view_open(&v, at + shift, b.n, NULL);
        assert_non_null(seen);
        t_assert_same_bytes(seen, s);
        assert_int_equal(bpk_count(seen, NULL, 0, 0, &x, NULL), BPK_OK);
        assert_int_equal(bpk_count(s, NULL, 0, 0, &y, NULL), BPK_OK);
        assert_true(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper);
        assert_memory_equal(bpk_meta_get(seen, BPK_META_LABEL, &n), "seen", 4);
        assert_int_equal(bpk_copy(&copy, seen, NULL), BPK_OK);
        t_assert_same_bytes(copy, s);
        assert_int_equal(bpk_merge(copy, more, NULL), BPK_OK); /* a copy of a view can be changed */
        bpk_free(copy);
        assert_int_equal(bpk_twin(&copy, seen, NULL), BPK_OK);
        t_add(copy, 1, 0, r->items);
        bpk_free(copy);
        assert_memory_equal(at + shift, b.p, b.n);
    }
    bpk_view v;
    bpk_err err;
    assert_null(bpk_view_open(&v, small.p, small.n, &err));
    assert_int_equal(err.code, BPK_E_UNSUPPORTED);
    free(at);
    free(b.p);
    free(small.p);
    bpk_free(s);
    bpk_free(more);
}
static void a_view_reads_in_place_at_any_address(void **state) {
    (void)state;
    each(viewing);
}

typedef struct limited {
    size_t left, calls;
} limited;
static bpk_status limited_sink(void *ctx, const void *bytes, size_t n) {
    limited *l = ctx;
    (void)bytes, (void)n;
    l->calls++;
    return l->left-- ? BPK_OK : BPK_E_SINK;
}
static void sinking(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items);
    for (int form = 0; form < 2; form++) {
        for (size_t calls = 0;; calls++) {
            limited l = {calls, 0};
            bpk_status st = bpk_encode(s, (bpk_form)form, limited_sink, &l);
            if (st == BPK_OK) break;
            assert_int_equal(st, BPK_E_SINK);
            assert_int_equal(l.calls, calls + 1); /* not called again after it refused */
        }
    }
    bpk_free(s);
}
static void a_sink_that_refuses_stops_the_writer(void **state) {
    (void)state;
    each(sinking);
}

/* ---- memory ---- */

/* All verbs that allocate, one after the other, up to the first that fails. */
static bpk_status all_verbs(const row *r, t_env *env) {
    bpk_sketch *s = NULL, *copy = NULL, *twin = NULL, *back = NULL, *other = filled(r, 100, 100 + r->items);
    t_bytes b = {NULL, 0}, theirs = t_encode(other, BPK_FORM_SMALL);
    uint64_t hash[64];
    for (uint64_t i = 0; i < 64; i++) hash[i] = t_hash(1, i);
    bpk_status st = bpk_new(&s, r->kind, NULL, r->param, r->params, &env->env, NULL);
    for (uint64_t i = 0; i < r->items && st == BPK_OK; i += 64) {
        for (uint64_t k = 0; k < 64; k++) hash[k] = t_hash(1, i + k);
        st = bpk_add(s, &(bpk_items){.n = r->items - i < 64 ? (size_t)(r->items - i) : 64, .hash = hash}, NULL, NULL);
    }
    if (st == BPK_OK) st = bpk_meta_set(s, BPK_META_LABEL, "label", 5);
    if (st == BPK_OK) st = bpk_copy(&copy, s, NULL);
    if (st == BPK_OK) st = bpk_twin(&twin, s, NULL);
    if (st == BPK_OK) st = bpk_encode(s, BPK_FORM_SMALL, t_sink, &b);
    if (st == BPK_OK) st = bpk_decode(&back, b.p, b.n, NULL, &env->env, NULL);
    if (st == BPK_OK) st = bpk_merge(twin, copy, NULL);
    if (st == BPK_OK) st = bpk_merge(back, other, NULL);
    if (st == BPK_OK) st = bpk_merge_bytes(&twin, theirs.p, theirs.n, NULL, NULL);
    bpk_free(s), bpk_free(copy), bpk_free(twin), bpk_free(back), bpk_free(other);
    free(b.p);
    free(theirs.p);
    return st;
}
static void failing(const row *r) {
    for (int sticky = 0; sticky < 2; sticky++) {
        for (long nth = 1;; nth++) {
            t_env env;
            t_env_init(&env, nth);
            env.fail_sticky = sticky;
            bpk_status st = all_verbs(r, &env);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_int_equal(st, BPK_E_NOMEM);
        }
    }
}
static void every_allocation_may_fail_without_a_leak(void **state) {
    (void)state;
    each(failing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_row_here_and_asks_its_question),
        cmocka_unit_test(what_a_kind_does_not_know_is_named),
        cmocka_unit_test(a_secret_domain_needs_its_fingerprint),
        cmocka_unit_test(copy_twin_and_reset_are_what_they_say),
        cmocka_unit_test(batches_do_not_matter_and_what_is_in_changes_nothing),
        cmocka_unit_test(merges_in_any_order_and_from_bytes_equal_adding_everything),
        cmocka_unit_test(what_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(a_kind_answers_what_it_can_and_names_itself_otherwise),
        cmocka_unit_test(info_and_health_walk_over_fields_until_told_to_stop),
        cmocka_unit_test(no_question_changes_the_state),
        cmocka_unit_test(what_was_decoded_answers_and_goes_on_alike),
        cmocka_unit_test(a_view_reads_in_place_at_any_address),
        cmocka_unit_test(a_sink_that_refuses_stops_the_writer),
        cmocka_unit_test(every_allocation_may_fail_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
