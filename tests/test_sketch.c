/* test_sketch.c - promises of sketch.h, proved for every kind of the registry: the rows of t_kinds.h. */
#include "damage.h"
#include "t_kinds.h"

enum { BATCH = 1024 };

/* The part of a whole that has this number. */
static bpk_sketch *fresh_part(const row *r, const char *number) {
    bpk_param p[5];
    bpk_sketch *s = NULL;
    size_t n = r->params;
    memcpy(p, r->param, n * sizeof *p);
    if (promises(r, STREAMS)) p[n++] = (bpk_param){"stream", number};
    assert_int_equal(bpk_new(&s, r->kind, NULL, p, n, NULL, NULL), BPK_OK);
    return s;
}

static bpk_sketch *fresh_in(const row *r, const bpk_domain *d, const bpk_env *env) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, r->kind, d, r->param, r->params, env, NULL), BPK_OK);
    return s;
}

/* Items with their bytes, of the default domain: a stream's i-th item is the two numbers. */
typedef struct batch {
    bpk_items it;
    uint64_t hash[BATCH];
    const void *item[BATCH];
    size_t len[BATCH];
    uint8_t bytes[BATCH][16];
} batch;

static void fill_batch(batch *b, uint64_t stream, uint64_t from, size_t n) {
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    b->it = (bpk_items){.n = n, .hash = b->hash, .item = b->item, .len = b->len};
    for (size_t i = 0; i < n; i++) {
        t_store64(b->bytes[i], stream);
        t_store64(b->bytes[i] + 8, from + i);
        b->item[i] = b->bytes[i];
        b->len[i] = 16;
        b->hash[i] = bpk_hash(&h, b->item[i], 16);
    }
}

static size_t at_most(uint64_t n, size_t most) {
    return n < most ? (size_t)n : most;
}

static void add(bpk_sketch *s, uint64_t stream, uint64_t from, uint64_t to) {
    static batch b;
    for (; from < to; from += b.it.n) {
        fill_batch(&b, stream, from, at_most(to - from, BATCH));
        assert_int_equal(bpk_add(s, &b.it, NULL, NULL), BPK_OK);
    }
}
static bpk_sketch *filled(const row *r, uint64_t from, uint64_t to) {
    bpk_sketch *s = fresh_in(r, NULL, NULL);
    add(s, 1, from, to);
    return s;
}
static bpk_sketch *filled_part(const row *r, const char *number, uint64_t from, uint64_t to) {
    bpk_sketch *s = fresh_part(r, number);
    add(s, 1, from, to);
    return s;
}
static void label(bpk_sketch *s, uint16_t tag, const char *text) {
    assert_int_equal(bpk_meta_set(s, tag, text, strlen(text)), BPK_OK);
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
    if (!promises(r, STREAMS)) t_assert_same_bytes(twin, fresh);
    assert_null(bpk_meta_get(twin, BPK_META_LABEL, &n));
    assert_string_equal(bpk_kind_name(twin), r->kind);
    assert_int_equal(bpk_kind_of(twin), bpk_kind_of(s));
    add(copy, 2, 0, 10); /* the copy is another one */
    add(twin, 1, 0, r->items);
    assert_int_equal(bpk_meta_set(twin, BPK_META_LABEL, "here", 4), BPK_OK);
    if (!promises(r, STREAMS)) t_assert_same_bytes(s, twin);
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
    static batch b;
    uint8_t changed[BATCH];
    bpk_sketch *whole = filled(r, 0, r->items), *parts = fresh_in(r, NULL, NULL);
    assert_int_equal(bpk_add(whole, &(bpk_items){.n = 0, .hash = b.hash}, NULL, NULL), BPK_OK);
    for (uint64_t at = 0, k = 0; at < r->items; k++) {
        size_t n = at_most(r->items - at, t_hash(3, k) % 700), done = 999;
        fill_batch(&b, 1, at, n);
        assert_int_equal(bpk_add(parts, &b.it, k & 1 ? changed : NULL, k & 2 ? &done : NULL), BPK_OK);
        if (k & 2) assert_int_equal(done, n);
        if (k & 1)
            for (size_t i = 0; i < n; i++) assert_true(changed[i] <= 1);
        at += n;
    }
    t_assert_same_bytes(whole, parts);
    bpk_free(whole);
    bpk_free(parts);
}
static void batches_do_not_matter(void **state) {
    (void)state;
    each(adding);
}

static void repeating(const row *r) {
    static batch b;
    uint8_t changed[BATCH];
    bpk_sketch *once = filled(r, 0, r->items), *twice = filled(r, 0, r->items);
    fill_batch(&b, 1, 0, at_most(r->items, 700));
    assert_int_equal(bpk_add(twice, &b.it, changed, NULL), BPK_OK);
    for (size_t i = 0; i < b.it.n; i++) assert_int_equal(changed[i], !promises(r, UNION));
    if (promises(r, UNION)) t_assert_same_bytes(once, twice);
    bpk_free(once);
    bpk_free(twice);
}
static void what_comes_again_changes_counts_and_no_union(void **state) {
    (void)state;
    each(repeating);
}

/* Three parts of a stream, the last one empty; those of a union overlap. */
static void make_parts(bpk_sketch *part[3], const row *r) {
    uint64_t a = r->items / 3, b = 2 * a;
    part[0] = filled_part(r, "1", 0, b);
    part[1] = filled_part(r, "2", promises(r, UNION) ? a : b, r->items);
    part[2] = filled_part(r, "3", 0, 0);
}

static bpk_sketch *chain_of_bytes(const bpk_sketch *const in[3], size_t odd) {
    bpk_sketch *sum = NULL;
    for (size_t k = 0; k < 3; k++) {
        t_bytes bytes = t_encode(in[k], (bpk_form)((odd + k) % 2));
        assert_int_equal(bpk_merge_bytes(&sum, bytes.p, bytes.n, NULL, NULL), BPK_OK);
        free(bytes.p);
    }
    return sum;
}

static void assert_same_whole(const bpk_sketch *a, const bpk_sketch *b) {
    bpk_estimate x = {0}, y = {0}; /* of a kind that counts nothing, see asking() */
    assert_int_equal(bpk_count(a, NULL, 0, 0, &x, NULL), bpk_count(b, NULL, 0, 0, &y, NULL));
    assert_true(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper && x.flags == y.flags);
}

static void refusing_to_merge(const row *r) {
    bpk_sketch *part[3], *copy = NULL, *sum = NULL;
    bpk_err err;
    make_parts(part, r);
    assert_false(bpk_splittable(part[0]));
    assert_int_equal(bpk_copy(&copy, part[0], NULL), BPK_OK);
    assert_int_equal(bpk_merge(part[0], part[1], &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.field, "merge");
    assert_string_equal(err.other, r->kind);
    assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *const *)part, 3, NULL, &err), BPK_E_UNSUPPORTED);
    assert_null(sum);
    assert_int_equal(bpk_merge(part[0], part[0], NULL), BPK_OK);
    t_assert_same_bytes(part[0], copy);
    for (size_t i = 0; i < 3; i++) bpk_free(part[i]);
    bpk_free(copy);
}

/* All orders of three give the bytes of the whole, or where that is not promised, those of one call's first order. */
static void merging(const row *r) {
    static const unsigned order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    if (promises(r, ALONE)) {
        refusing_to_merge(r);
        return;
    }
    bpk_sketch *part[3], *all = filled(r, 0, r->items), *expected = NULL, *sum = NULL;
    make_parts(part, r);
    assert_int_equal(bpk_splittable(all), promises(r, SPLITTABLE));
    assert_int_equal(bpk_merge_many(&expected, (const bpk_sketch *const *)part, 3, NULL, NULL), BPK_OK);
    if (promises(r, SPLITTABLE)) t_assert_same_bytes(expected, all);
    assert_same_whole(expected, all);
    for (size_t i = 0; i < 6; i++) {
        const bpk_sketch *in[3] = {part[order[i][0]], part[order[i][1]], part[order[i][2]]};
        assert_int_equal(bpk_merge_many(&sum, in, 3, NULL, NULL), BPK_OK);
        t_assert_same_bytes(sum, expected);
        bpk_free(sum);
        sum = chain_of_bytes(in, i);
        if (promises(r, SPLITTABLE)) t_assert_same_bytes(sum, all);
        assert_same_whole(sum, all);
        assert_int_equal(bpk_merge(sum, sum, NULL), BPK_OK); /* a sketch and itself are one */
        if (promises(r, UNION)) assert_int_equal(bpk_merge(sum, all, NULL), BPK_OK);
        assert_same_whole(sum, all);
        bpk_free(sum);
        sum = NULL;
    }
    assert_int_equal(bpk_merge_many(&sum, NULL, 0, NULL, NULL), BPK_E_ARG);
    assert_null(sum);
    for (size_t i = 0; i < 3; i++) bpk_free(part[i]);
    bpk_free(all);
    bpk_free(expected);
}
static void merges_in_any_order_are_alike_and_where_promised_equal_adding_everything(void **state) {
    (void)state;
    each(merging);
}

static void merging_without_memory(const row *r) {
    bpk_sketch *part[3], *sum = NULL;
    if (promises(r, ALONE)) return;
    make_parts(part, r);
    for (long nth = 1; !sum; nth++) {
        t_env env;
        bpk_err err = {.code = BPK_OK};
        t_env_init(&env, nth);
        bpk_status st = bpk_merge_many(&sum, (const bpk_sketch *const *)part, 3, &env.env, &err);
        assert_true(st == BPK_OK ? sum != NULL : st == BPK_E_NOMEM && err.code == st && !sum);
        bpk_free(sum);
        assert_int_equal(env.held, 0);
    }
    for (size_t i = 0; i < 3; i++) bpk_free(part[i]);
}
static void a_merge_of_many_says_that_it_has_no_memory(void **state) {
    (void)state;
    each(merging_without_memory);
}

static void merging_meta(const row *r) {
    bpk_sketch *part[3], *sum = NULL;
    size_t n = 0;
    if (promises(r, ALONE)) return;
    make_parts(part, r);
    for (size_t i = 0; i < 3; i++) label(part[i], BPK_META_LABEL, "shared");
    for (size_t i = 0; i < 3; i++) label(part[i], BPK_META_SOURCE, i == 1 ? "b" : "a");
    label(part[0], BPK_META_USER, "one has it");
    assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *const *)part, 3, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(bpk_meta_get(sum, BPK_META_LABEL, &n), "shared", 6);
        assert_int_equal(n, 6);
        assert_null(bpk_meta_get(sum, BPK_META_SOURCE, &n));
        assert_null(bpk_meta_get(sum, BPK_META_USER, &n));
        bpk_free(sum);
        const bpk_sketch *in[3] = {part[0], part[1], part[2]};
        sum = chain_of_bytes(in, 0);
    }
    bpk_free(sum);
    for (size_t i = 0; i < 3; i++) bpk_free(part[i]);
}
static void a_merge_keeps_the_metadata_that_all_have(void **state) {
    (void)state;
    each(merging_meta);
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
static void assert_answers(const row *r, bpk_status st, unsigned promise, const bpk_err *err) {
    assert_int_equal(st, promises(r, promise) ? BPK_OK : BPK_E_UNSUPPORTED);
    if (!promises(r, promise)) assert_string_equal(err->other, r->kind);
}
static void asking(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items);
    static batch b;
    uint8_t out[BATCH];
    bpk_err err = {.field = NULL};
    bpk_estimate e;
    fill_batch(&b, 1, 0, 30);
    assert_answers(r, bpk_has(s, b.hash, 30, out, &err), HAS, &err);
    for (size_t i = 0; promises(r, HAS) && i < 30; i++) assert_int_equal(out[i], 1);
    bpk_sketch *fewer = NULL;
    assert_int_equal(bpk_copy(&fewer, s, NULL), BPK_OK);
    assert_answers(r, bpk_remove(fewer, b.hash, 30, out, &err), REMOVES, &err);
    for (size_t i = 0; promises(r, REMOVES) && i < 30; i++) assert_int_equal(out[i], 1);
    bpk_free(fewer);
    assert_answers(r, bpk_rows(s, 10, never, NULL, &err), LISTS, &err);
    bpk_status st = bpk_count(s, NULL, 0, 0, &e, &err);
    assert_int_equal(st, promises(r, NO_COUNT) ? BPK_E_UNSUPPORTED : BPK_OK);
    if (promises(r, NO_COUNT)) bpk_free(s);
    if (promises(r, NO_COUNT)) return;
    assert_true(e.confidence == (promises(r, CERTAIN) ? 1 : BPK_CONFIDENCE));
    for (double c = 0.5; c <= 0.999999; c += 0.0499999) {
        assert_int_equal(bpk_count(s, NULL, 0, c, &e, NULL), BPK_OK);
        t_assert_sound(&e);
        assert_true(e.confidence == (promises(r, CERTAIN) ? 1 : c));
    }
    if (promises(r, CERTAIN)) assert_true(e.lower == (double)r->items && e.upper == e.lower && e.flags == BPK_EXACT);
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
    int info = 1000, health = 1000, one = 1;
    bpk_info(s, count_fields, &info);
    assert_in_range(1000 - info, 8, 40);
    assert_int_equal(bpk_health(s, count_fields, &health), BPK_HEALTH_OK);
    assert_in_range(1000 - health, 2, 20);
    bpk_health(s, count_fields, &one);
    assert_int_equal(one, 0);
    assert_int_equal(bpk_health(s, NULL, NULL), BPK_HEALTH_OK);
    bpk_free(s);
}
static void info_and_health_walk_over_fields_until_told_to_stop(void **state) {
    (void)state;
    each(walking);
}

/* The fields of info and of health, in this order. */
typedef struct field_list {
    bpk_field field[64];
    char text[64][40];
    size_t n;
} field_list;

static bool keep_field(void *ctx, const bpk_field *f) {
    field_list *l = ctx;
    assert_true(l->n < 64);
    l->field[l->n] = *f;
    if (f->text) snprintf(l->text[l->n], sizeof l->text[0], "%s", f->text); /* it need not outlive the call */
    l->n++;
    return true;
}
static bool same_field(const field_list *l, size_t a, size_t b) {
    const bpk_field *x = &l->field[a], *y = &l->field[b];
    if (x->text || y->text) return x->text && y->text && strcmp(l->text[a], l->text[b]) == 0;
    return x->num.estimate == y->num.estimate && x->num.lower == y->num.lower && x->num.upper == y->num.upper;
}
static void naming(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items);
    field_list l = {.n = 0};
    bpk_info(s, keep_field, &l);
    size_t infos = l.n;
    bpk_health(s, keep_field, &l);
    for (size_t a = 0; a < l.n; a++)
        for (size_t b = a + 1; b < l.n; b++) {
            bool repeats = strcmp(l.field[a].name, l.field[b].name) == 0;
            if (repeats && !(a < infos && b >= infos && same_field(&l, a, b)))
                fail_msg("%s: %s says two things", r->kind, l.field[a].name);
        }
    assert_string_equal(l.field[l.n - 2].name, "reason");
    assert_string_equal(l.field[l.n - 1].name, "state");
    assert_string_equal(l.text[l.n - 1], "ok");
    bpk_free(s);
}
static void a_name_is_said_once_and_health_ends_with_reason_and_state(void **state) {
    (void)state;
    each(naming);
}

static void questions_change_nothing(const row *r) {
    bpk_sketch *s = filled(r, 0, r->items), *copy = NULL;
    int many = 1000;
    assert_int_equal(bpk_copy(&copy, s, NULL), BPK_OK);
    asking(r);
    bpk_estimate e;
    bpk_info(s, count_fields, &many);
    bpk_health(s, NULL, NULL);
    assert_int_equal(bpk_count(s, NULL, 0, 0.9, &e, NULL), promises(r, NO_COUNT) ? BPK_E_UNSUPPORTED : BPK_OK);
    t_assert_same_bytes(s, copy);
    add(s, 5, 0, 20);
    add(copy, 5, 0, 20);
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
            bpk_sketch *back = NULL, *on = NULL;
            t_bytes b = t_encode(s, (bpk_form)form);
            assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(s, back);
            assert_int_equal(bpk_copy(&on, s, NULL), BPK_OK);
            add(back, 6, 0, r->items / 4);
            add(on, 6, 0, r->items / 4);
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
    bool views = !promises(r, NO_VIEW);
    assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "seen", 4), BPK_OK);
    t_bytes b = t_encode(s, BPK_FORM_VIEW), small = t_encode(s, BPK_FORM_SMALL);
    uint8_t *at = malloc(b.n + 64);
    for (size_t shift = 0; views && shift < 64; shift++) { /* at any address */
        bpk_view v;
        size_t n = 0;
        memcpy(at + shift, b.p, b.n);
        const bpk_sketch *seen = bpk_view_open(&v, at + shift, b.n, NULL);
        assert_non_null(seen);
        t_assert_same_bytes(seen, s);
        assert_same_whole(seen, s);
        assert_memory_equal(bpk_meta_get(seen, BPK_META_LABEL, &n), "seen", 4);
        assert_int_equal(bpk_copy(&copy, seen, NULL), BPK_OK);
        t_assert_same_bytes(copy, s);
        if (promises(r, ALONE)) add(copy, 1, r->items, r->items + 40); /* a copy of a view can be changed */
        else assert_int_equal(bpk_merge(copy, more, NULL), BPK_OK);
        bpk_free(copy);
        assert_int_equal(bpk_twin(&copy, seen, NULL), BPK_OK);
        add(copy, 1, 0, r->items);
        bpk_free(copy);
        assert_memory_equal(at + shift, b.p, b.n);
    }
    bpk_view v;
    bpk_err err;
    assert_null(bpk_view_open(&v, small.p, small.n, &err));
    assert_int_equal(err.code, BPK_E_UNSUPPORTED);
    if (!views) {
        err.code = BPK_OK;
        assert_null(bpk_view_open(&v, b.p, b.n, &err));
        assert_int_equal(err.code, BPK_E_UNSUPPORTED);
    }
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
    bpk_sketch *s = NULL, *copy = NULL, *twin = NULL, *back = NULL, *other = filled_part(r, "1", 100, 100 + r->items);
    t_bytes b = {NULL, 0}, theirs = t_encode(other, BPK_FORM_SMALL);
    static batch part;
    bpk_status st = bpk_new(&s, r->kind, NULL, r->param, r->params, &env->env, NULL);
    for (uint64_t i = 0; i < r->items && st == BPK_OK; i += part.it.n) {
        fill_batch(&part, 1, i, at_most(r->items - i, 64));
        st = bpk_add(s, &part.it, NULL, NULL);
    }
    if (st == BPK_OK) st = bpk_meta_set(s, BPK_META_LABEL, "label", 5);
    if (st == BPK_OK) st = bpk_copy(&copy, s, NULL);
    if (st == BPK_OK) st = bpk_twin(&twin, s, NULL);
    if (st == BPK_OK) st = bpk_encode(s, BPK_FORM_SMALL, t_sink, &b);
    if (st == BPK_OK) st = bpk_decode(&back, b.p, b.n, NULL, &env->env, NULL);
    if (st == BPK_OK && !promises(r, ALONE)) st = bpk_merge(twin, copy, NULL);
    if (st == BPK_OK && !promises(r, ALONE)) st = bpk_merge(back, other, NULL);
    if (st == BPK_OK && !promises(r, ALONE)) st = bpk_merge_bytes(&twin, theirs.p, theirs.n, NULL, NULL);
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
        cmocka_unit_test(batches_do_not_matter),
        cmocka_unit_test(what_comes_again_changes_counts_and_no_union),
        cmocka_unit_test(merges_in_any_order_are_alike_and_where_promised_equal_adding_everything),
        cmocka_unit_test(a_merge_of_many_says_that_it_has_no_memory),
        cmocka_unit_test(a_merge_keeps_the_metadata_that_all_have),
        cmocka_unit_test(what_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(a_kind_answers_what_it_can_and_names_itself_otherwise),
        cmocka_unit_test(info_and_health_walk_over_fields_until_told_to_stop),
        cmocka_unit_test(a_name_is_said_once_and_health_ends_with_reason_and_state),
        cmocka_unit_test(no_question_changes_the_state),
        cmocka_unit_test(what_was_decoded_answers_and_goes_on_alike),
        cmocka_unit_test(a_view_reads_in_place_at_any_address),
        cmocka_unit_test(a_sink_that_refuses_stops_the_writer),
        cmocka_unit_test(every_allocation_may_fail_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
