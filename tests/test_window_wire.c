/* test_window_wire.c - windows as bytes: a second writer, what decodes goes on alike, panes that do not belong there.
 *
 * Flips that leave a pane's own checksum wrong are refused by it; so the damage that matters is made of whole panes.
 */
#include "t_inner.h"
#include "t_window.h"

enum { PARAMS_N = 32, BODY_VIEW = 64, MANY = 8, ALONE = -1 };

/* ---- a second writer, from docs/format.md alone ---- */

typedef struct parts {
    uint8_t of, timed, reserved, body_reserved;
    uint32_t panes;
    uint64_t span, now, late;
    int form;
    uint32_t n, says;      /* panes that there are, and how many it says there are */
    uint64_t number[MANY]; /* the first is the prototype's */
    t_bytes inner[MANY];
    uint64_t longer; /* added to the prototype's length */
    uint8_t pad;     /* what pads */
} parts;

static t_bytes written(const parts *w) {
    uint8_t params[PARAMS_N] = {w->of, w->timed, 0, w->reserved};
    t_bytes body = {NULL, 0};
    t_store64(params + 4, w->panes); /* and four zeros, written over */
    t_store64(params + 8, w->span);
    t_store64(params + 16, w->now);
    t_store64(params + 24, w->late);
    t_put64(&body, w->says | (uint64_t)w->body_reserved << 32);
    for (uint32_t i = 0; i <= w->n; i++)
        t_put_inner(&body, w->form, w->number[i], &w->inner[i], i == 0 ? w->longer : 0, w->pad);
    t_bytes whole = t_envelope(BPK_KIND_WINDOW, w->form, params, PARAMS_N, body.p, body.n);
    free(body.p);
    return whole;
}

/* Panes 7, 9 and 10 of ten ticks; at 104 the window of 40 ticks begins with pane 6. */
static bpk_sketch *window(void) {
    bpk_sketch *s = w_make("of=cms span=40 panes=4 width=9 depth=2");
    w_add(s, 104, 1), w_add(s, 93, 2), w_add(s, 91, 3), w_add(s, 70, 4), w_add(s, 59, 5);
    return s;
}

static t_bytes cms_of(uint64_t from, uint64_t to, const char *width, int form) {
    bpk_sketch *s = NULL;
    const bpk_param p[] = {{"width", width}, {"depth", "2"}};
    assert_int_equal(bpk_new(&s, "cms", NULL, p, 2, NULL, NULL), BPK_OK);
    t_add(s, 1, from, to);
    t_bytes b = t_encode(s, (bpk_form)form);
    bpk_free(s);
    return b;
}

static parts parts_of(int form) {
    parts w = {.of = BPK_KIND_CMS, .timed = 1, .panes = 4, .span = 40, .now = 104, .late = 1, .form = form};
    w.n = w.says = 3;
    w.number[1] = 7, w.number[2] = 9, w.number[3] = 10;
    w.inner[0] = cms_of(0, 0, "9", form), w.inner[1] = cms_of(4, 5, "9", form);
    w.inner[2] = cms_of(2, 4, "9", form), w.inner[3] = cms_of(1, 2, "9", form);
    return w;
}
static void free_parts(parts *w) {
    for (uint32_t i = 0; i <= w->n; i++) free(w->inner[i].p);
}

static void the_bytes_are_those_of_the_format(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        bpk_sketch *s = window();
        parts w = parts_of(form);
        t_bytes b = written(&w);
        t_assert_encodes_to(s, (bpk_form)form, b.p, b.n);
        free(b.p), free_parts(&w), bpk_free(s);
    }
}

static void panes_of_form_view_lie_at_multiples_of_64_and_can_be_viewed_there(void **state) {
    (void)state;
    bpk_sketch *s = window();
    t_bytes b = t_encode(s, BPK_FORM_VIEW);
    parts w = parts_of(BPK_FORM_VIEW);
    bpk_view v;
    for (unsigned i = 0; i < 4; i++) {
        size_t at = t_inner_at(&b, i);
        assert_int_equal(at % 64, 0);
        assert_non_null(bpk_view_open(&v, b.p + at, w.inner[i].n, NULL));
    }
    free(b.p), free_parts(&w), bpk_free(s);
}

/* ---- what was decoded ---- */

static void what_was_decoded_goes_on_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *s = w_kind(i, 30, 6, 1), *saved = w_kind(i, 30, 6, 1);
        for (uint64_t k = 0; k < 400; k++) {
            uint64_t now = k / 4 + t_hash(i, k) % 40;
            if (now % 5 != 2) w_add_full(s, now, k % 50), w_add_full(saved, now, k % 50);
            if (k % 9) continue;
            bpk_sketch *back = w_reload(saved, (bpk_form)(k & 1));
            bpk_free(saved);
            saved = back;
            t_assert_same_bytes(s, saved);
        }
        bpk_free(s), bpk_free(saved);
    }
}

/* The state alone decides: not which panes there have been before. */
static void one_state_has_one_byte_string(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *busy = w_kind(i, 12, 4, 1), *fresh = w_kind(i, 12, 4, 1), *twin = NULL;
        for (uint64_t now = 0; now < 100; now++) w_add_full(busy, now, now);
        for (uint64_t now = 200; now < 213; now += 4) w_add_full(busy, now, now), w_add_full(fresh, now, now);
        t_assert_same_bytes(busy, fresh);
        bpk_reset(busy);
        bpk_free(fresh);
        fresh = w_kind(i, 12, 4, 1);
        t_assert_same_bytes(busy, fresh);
        w_add_full(busy, 7, 1), w_add_full(fresh, 7, 1);
        t_assert_same_bytes(busy, fresh);
        assert_int_equal(bpk_twin(&twin, busy, NULL), BPK_OK);
        assert_true(w_number(twin) == 0);
        bpk_free(busy), bpk_free(fresh), bpk_free(twin);
    }
}

/* ---- damage ---- */

static void every_flip_and_every_cut_is_refused(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        bpk_sketch *s = window();
        t_bytes b = t_encode(s, (bpk_form)form);
        t_assert_damage_refused(b);
        free(b.p), bpk_free(s);
    }
}

/* Bytes changed at random, in panes too, with the checksums made right again. */
static void mend(t_bytes *b, unsigned inner) {
    for (unsigned i = 0; i < inner; i++) {
        size_t at = t_inner_at(b, i), n = t_load64(b->p + at - 8);
        if (b->p[OFF_FORM] == BPK_FORM_VIEW || at + n > b->n) continue;
        t_reseal(b->p + at, n);
    }
    t_reseal(b->p, b->n);
}
static void any_change_is_refused_or_a_state_that_the_library_could_have_made(void **state) {
    (void)state;
    size_t accepted = 0, tried = 0;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *s = w_kind(i, 12, 4, 1);
        w_add_full(s, 25, 1), w_add_full(s, 22, 2), w_add_full(s, 22, 1);
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        for (uint64_t k = 0; k < 4000; k++, tried++) {
            t_bytes c = t_dup(&b);
            for (uint64_t n = 0; n <= t_hash(9, k) % 2; n++) {
                size_t at = 32 + t_hash(10 + n, k) % (c.n - 32);
                bool length = false;
                for (unsigned r = 0; r < 3; r++) length |= at >= t_inner_at(&b, r) - 8 && at < t_inner_at(&b, r);
                if (!length) c.p[at] ^= (uint8_t)(1 << t_hash(12 + n, k) % 8);
            }
            mend(&c, 3);
            accepted += t_refused_or_canonical(c.p, c.n);
            free(c.p);
        }
        free(b.p), bpk_free(s);
    }
    assert_in_range(accepted, tried / 100, tried / 2);
}

/* ---- panes that do not belong there ---- */

static void no_change(parts *w) {
    w->pad = 0;
}
static void untimed(parts *w) {
    w->timed = 0;
    w->now = w->late = 0;
}
static void untimed_now(parts *w) {
    w->timed = 0;
    w->late = 0;
}
static void untimed_late(parts *w) {
    w->timed = 0;
    w->now = 0;
}
static void timed_2(parts *w) {
    w->timed = 2;
}
static void of_hll(parts *w) {
    w->of = BPK_KIND_HLL;
}
static void of_cuckoo(parts *w) {
    w->of = BPK_KIND_CUCKOO;
}
static void of_window(parts *w) {
    w->of = BPK_KIND_WINDOW;
}
static void reserved_1(parts *w) {
    w->reserved = 1;
}
static void panes_0(parts *w) {
    w->panes = 0;
}
static void panes_1025(parts *w) {
    w->panes = 1025;
    w->span = 1025;
}
static void span_0(parts *w) {
    w->span = 0;
}
static void span_3(parts *w) {
    w->span = 3;
}
static void time_is_over(parts *w) {
    w->now = 120; /* pane 7 ended at 79 */
}
static void time_not_come(parts *w) {
    w->now = 99;
}
static void descending(parts *w) {
    w->number[1] = 9, w->number[2] = 8;
}
static void twice(parts *w) {
    w->number[2] = 10;
}
static void too_old(parts *w) {
    w->number[1] = 5;
}
static void prototype_with_number(parts *w) {
    w->number[0] = 7;
}
static void says_6(parts *w) {
    w->says = 6;
}
static void says_2(parts *w) {
    w->says = 2;
}
static void says_4(parts *w) {
    w->says = 4;
}
static void body_reserved_1(parts *w) {
    w->body_reserved = 1;
}
static void longer_than_all(parts *w) {
    w->longer = UINT64_C(1) << 60;
}
static void empty_pane(parts *w) {
    t_replace(&w->inner[2], cms_of(0, 0, "9", w->form));
}
static void wider_pane(parts *w) {
    t_replace(&w->inner[2], cms_of(2, 4, "10", w->form));
}
static void wider_prototype(parts *w) {
    t_replace(&w->inner[0], cms_of(0, 0, "10", w->form));
}
static void full_prototype(parts *w) {
    t_replace(&w->inner[0], cms_of(2, 3, "9", w->form));
}
static void other_form(parts *w) {
    t_replace(&w->inner[3], cms_of(1, 2, "9", !w->form));
}
static void other_kind(parts *w) {
    t_replace_by_hll(&w->inner[3], w->form);
}
static void other_domain(parts *w) {
    bpk_sketch *s = NULL;
    const bpk_domain seeded = {BPK_HASH_XXH3, 0, 0, 5};
    const bpk_param p[] = {{"width", "9"}, {"depth", "2"}};
    assert_int_equal(bpk_new(&s, "cms", &seeded, p, 2, NULL, NULL), BPK_OK);
    t_add(s, 1, 0, 3);
    t_replace(&w->inner[3], t_encode(s, (bpk_form)w->form));
    bpk_free(s);
}
static void with_metadata(parts *w) {
    t_replace_labelled(&w->inner[3], w->form);
}
static void damaged(parts *w) {
    w->inner[3].p[w->inner[3].n - 9] ^= 1;
}
static void cut_off(parts *w) {
    w->inner[3].n -= 3;
}
static void nothing(parts *w) {
    w->inner[3].n = 0;
}

/* The offset counts from the i-th record's envelope, or where that is ALONE from the beginning; -1 is not looked at. */
typedef struct wrong {
    void (*change)(parts *w);
    bpk_status st;
    const char *field;
    int inner, at;
} wrong;
static const wrong wrongs[] = {
    {untimed, BPK_E_CORRUPT, "panes", ALONE, -1},
    {untimed_now, BPK_E_CORRUPT, "now", ALONE, 48},
    {untimed_late, BPK_E_CORRUPT, "late", ALONE, 56},
    {timed_2, BPK_E_CORRUPT, "timed", ALONE, 33},
    {of_hll, BPK_E_CORRUPT, "pane's kind", 0, OFF_KIND},
    {of_cuckoo, BPK_E_VERSION, "of", ALONE, 32},
    {of_window, BPK_E_VERSION, "of", ALONE, 32},
    {reserved_1, BPK_E_CORRUPT, "reserved", ALONE, 35},
    {panes_0, BPK_E_CORRUPT, "panes", ALONE, 36},
    {panes_1025, BPK_E_CORRUPT, "panes", ALONE, 36},
    {span_0, BPK_E_CORRUPT, "span", ALONE, 40},
    {span_3, BPK_E_CORRUPT, "span", ALONE, 40},
    {time_is_over, BPK_E_CORRUPT, "pane", 1, -1},
    {time_not_come, BPK_E_CORRUPT, "pane", 3, -1},
    {descending, BPK_E_CORRUPT, "pane", 2, -1},
    {twice, BPK_E_CORRUPT, "pane", 3, -1},
    {too_old, BPK_E_CORRUPT, "pane", 1, -1},
    {prototype_with_number, BPK_E_CORRUPT, "pane", 0, -1},
    {says_6, BPK_E_CORRUPT, "panes", ALONE, -1},
    {says_2, BPK_E_CORRUPT, "panes", ALONE, -1},
    {says_4, BPK_E_CORRUPT, "pane", ALONE, -1},
    {body_reserved_1, BPK_E_CORRUPT, "reserved", ALONE, -1},
    {longer_than_all, BPK_E_CORRUPT, "pane's length", ALONE, -1},
    {empty_pane, BPK_E_CORRUPT, "empty pane", 2, 0},
    {wider_pane, BPK_E_CORRUPT, "pane's parameters", 2, 0},
    {wider_prototype, BPK_E_CORRUPT, "pane's parameters", 1, 0},
    {full_prototype, BPK_E_CORRUPT, "prototype", 0, 0},
    {other_form, BPK_E_CORRUPT, "pane's form", 3, OFF_FORM},
    {other_kind, BPK_E_CORRUPT, "pane's kind", 3, OFF_KIND},
    {other_domain, BPK_E_CORRUPT, "pane's domain", 3, 0},
    {with_metadata, BPK_E_CORRUPT, "pane's flags", 3, OFF_FLAGS},
    {damaged, BPK_E_CHECKSUM, "checksum", ALONE, -1},
    {cut_off, BPK_E_TRUNCATED, "body", ALONE, -1},
    {nothing, BPK_E_TRUNCATED, "header", 3, 0},
};

static void check_wrong(const wrong *c, int form) {
    parts w = parts_of(form);
    bpk_sketch *out = NULL;
    bpk_err err = {.code = BPK_OK};
    c->change(&w);
    t_bytes b = written(&w);
    bpk_status st = bpk_decode(&out, b.p, b.n, NULL, NULL, &err);
    if (st != c->st || strcmp(err.field, c->field) != 0)
        fail_msg("row %d: %d %s", (int)(c - wrongs), st, err.field ? err.field : "");
    size_t at = c->inner >= 0 ? t_inner_at(&b, (unsigned)c->inner) + (size_t)c->at : (size_t)c->at;
    if (c->at >= 0) assert_int_equal(err.offset, at);
    t_assert_refused(b.p, b.n);
    free(b.p), free_parts(&w);
}

static void whatever_no_window_can_be_is_named_with_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        for (int form = 0; form < 2; form++) check_wrong(&wrongs[i], form);
}

/* The cases above are wrong because of what they change. */
static void what_is_padded_with_anything_but_zeros_is_refused(void **state) {
    (void)state;
    parts w = parts_of(BPK_FORM_VIEW);
    bpk_sketch *out = NULL;
    bpk_err err;
    no_change(&w);
    t_bytes b = written(&w);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    bpk_free(out);
    free(b.p);
    w.pad = 1;
    b = written(&w);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "padding");
    assert_int_equal(err.offset, BODY_VIEW + 24);
    free(b.p), free_parts(&w);
}

/* A rotating bloom is of a kind that can be a pane, and cannot be one. */
static void what_forgets_by_itself_is_refused_as_a_pane(void **state) {
    (void)state;
    static const bpk_param p[] = {{"items", "90"}, {"generations", "2"}};
    bpk_sketch *s = NULL, *out = NULL;
    bpk_err err;
    assert_int_equal(bpk_new(&s, "bloom", NULL, p, 2, NULL, NULL), BPK_OK);
    parts w = {.of = BPK_KIND_BLOOM, .panes = 4, .span = 40};
    w.inner[0] = t_encode(s, BPK_FORM_SMALL);
    t_bytes b = written(&w);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "generations");
    assert_int_equal(err.offset, t_inner_at(&b, 0));
    free(b.p), free_parts(&w), bpk_free(s);
}

/* No writer makes two panes of one stream, and no question could be answered. */
static void panes_of_one_stream_are_refused(void **state) {
    (void)state;
    bpk_sketch *s = w_make("of=sample span=40 panes=4 k=3"), *out = NULL;
    bpk_err err;
    w_add(s, 20, 1), w_add(s, 30, 1);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    size_t first = t_inner_at(&b, 1), second = t_inner_at(&b, 2), n = t_load64(b.p + first - 8);
    assert_int_equal(t_load64(b.p + second - 8), n);
    memcpy(b.p + second, b.p + first, n);
    t_reseal(b.p, b.n);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "pane's stream");
    free(b.p), bpk_free(s);
}

/* ---- memory ---- */

static void limits_hold_before_anything_is_asked_for(void **state) {
    (void)state;
    t_env env;
    bpk_sketch *s = w_make("of=cms span=60 width=1e5 depth=4"), *out = NULL;
    bpk_err err;
    for (uint64_t now = 0; now < 60; now += 10) w_add(s, now, now);
    t_bytes b = t_encode(s, BPK_FORM_SMALL); /* few bytes for much memory */
    assert_true(b.n < 2000 && bpk_memory(s) > 6 * 1600000);
    t_env_init(&env, 0);
    env.env.max_bytes = bpk_memory(s);
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, &err), BPK_OK);
    assert_int_equal(env.held, bpk_memory(out));
    t_assert_same_bytes(s, out);
    bpk_free(out);
    out = NULL;
    for (uint64_t less = 1; less < 12000000; less *= 7) {
        env.env.max_bytes = bpk_memory(s) - (less < bpk_memory(s) ? less : bpk_memory(s));
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, &err), BPK_E_LIMIT);
        assert_true(!out && env.held == 0);
    }
    env.calls = 0;
    env.env.max_bytes = b.n - 150;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, &err), BPK_E_LIMIT);
    assert_int_equal(env.calls, 0);
    free(b.p), bpk_free(s);
}

static void a_decoder_that_finds_no_memory_leaves_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < W_KINDS; i++) {
        bpk_sketch *s = w_kind(i, 12, 4, 1);
        for (uint64_t now = 0; now < 20; now++) w_add_full(s, now, now);
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_sketch *out = NULL;
            t_env_init(&env, nth);
            bpk_status st = bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL);
            bpk_free(out);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_int_equal(st, BPK_E_NOMEM);
            assert_null(out);
        }
        free(b.p), bpk_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_the_format),
        cmocka_unit_test(panes_of_form_view_lie_at_multiples_of_64_and_can_be_viewed_there),
        cmocka_unit_test(what_was_decoded_goes_on_alike),
        cmocka_unit_test(one_state_has_one_byte_string),
        cmocka_unit_test(every_flip_and_every_cut_is_refused),
        cmocka_unit_test(any_change_is_refused_or_a_state_that_the_library_could_have_made),
        cmocka_unit_test(whatever_no_window_can_be_is_named_with_its_place),
        cmocka_unit_test(what_is_padded_with_anything_but_zeros_is_refused),
        cmocka_unit_test(what_forgets_by_itself_is_refused_as_a_pane),
        cmocka_unit_test(panes_of_one_stream_are_refused),
        cmocka_unit_test(limits_hold_before_anything_is_asked_for),
        cmocka_unit_test(a_decoder_that_finds_no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
