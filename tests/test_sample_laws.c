/* test_sample_laws.c - merging samples: exact, in any order and any tree, byte for byte; what does not fit is
 * refused. */
#include <math.h>

#include "t_sample.h"

enum { PARTS = 9, EACH = 700, GROUPS = 40 };

static double weight_of(uint64_t i) {
    return i % 11 == 0 ? 0 : ldexp((double)(t_hash(3, i) >> 40), (int)(i % 30) - 15);
}

/* Kinds: plain, weighted, stratified with a cap that is passed, both, and k 0. */
enum { KINDS = 5 };
static bpk_sample_config config_of(int kind, uint64_t stream) {
    return (bpk_sample_config){.k = kind == 4 ? 0 : 12,
                               .groups = kind == 2 || kind == 3 ? 7 : 0,
                               .weighted = kind & 1,
                               .seed = 5 + stream % 2,
                               .stream = stream};
}
static void feed(bpk_sample *s, int kind, uint64_t from, uint64_t n) {
    t_feed_batches(s, from, from + n, kind == 2 || kind == 3 ? GROUPS : 0, weight_of, 100);
}
static bpk_sample *part_of(int kind, uint64_t i) {
    bpk_sample *s = t_sample_of(config_of(kind, i));
    feed(s, kind, i * EACH, i % 4 == 3 ? i : EACH); /* some are short */
    if (i == 5) bpk_reset(bpk_sample_base(s));      /* and one is empty */
    return s;
}
static bpk_sketch *copy_of(const bpk_sample *s) {
    bpk_sketch *copy = NULL;
    assert_int_equal(bpk_copy(&copy, &s->base, NULL), BPK_OK);
    return copy;
}

/* The k smallest (tag, source, at) of each stratum, straight from the parts. */
typedef struct tagged {
    double tag;
    uint64_t seed, stream, at, group;
} tagged;
static int by_tag(const void *a, const void *b) {
    const tagged *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}
static size_t tags_of(tagged *out, const bpk_sample *s, uint64_t last_group) {
    size_t n = 0;
    for (size_t i = 0; i < bpki_sample_strata_n(s); i++) {
        const sample_stratum *t = bpki_sample_stratum_at(s, i);
        for (uint32_t j = 0; j < t->kept; j++) {
            const sample_entry *e = bpki_sample_entry_at(t, j);
            bool pooled = t == &s->rest || t->hash > last_group;
            out[n++] = (tagged){e->tag, s->source[e->source].seed, s->source[e->source].stream, e->at,
                                pooled ? UINT64_MAX : t->hash};
        }
    }
    return n;
}

static void a_merge_keeps_the_k_smallest_tags_of_each_stratum(void **state) {
    (void)state;
    static tagged all[PARTS * 200], kept[2000];
    for (int kind = 0; kind < KINDS; kind++) {
        const bpk_sketch *in[PARTS];
        bpk_sketch *sum = NULL;
        uint64_t n = 0, last = UINT64_MAX;
        size_t all_n = 0, want = 0;
        for (uint64_t i = 0; i < PARTS; i++) in[i] = &part_of(kind, i)->base;
        assert_int_equal(bpk_merge_many(&sum, in, PARTS, NULL, NULL), BPK_OK);
        const bpk_sample *s = bpk_as_sample(sum);
        bpki_sample_sort(s);
        if (s->groups) last = bpki_sample_stratum_at(s, s->groups - 1)->hash;
        for (uint64_t i = 0; i < PARTS; i++) {
            bpki_sample_sort(bpk_as_sample(in[i]));
            n += bpk_as_sample(in[i])->n;
            all_n += tags_of(all + all_n, bpk_as_sample(in[i]), last);
        }
        qsort(all, all_n, sizeof *all, by_tag);
        size_t kept_n = tags_of(kept, s, last), run = 0;
        for (size_t i = 0; i < all_n; i++) {
            run = i && all[i].group == all[i - 1].group ? run + 1 : 0;
            if (run < s->k) all[want++] = all[i];
        }
        qsort(kept, kept_n, sizeof *kept, by_tag);
        assert_int_equal(kept_n, want);
        for (size_t i = 0; i < want; i++)
            assert_true(kept[i].tag == all[i].tag && kept[i].seed == all[i].seed && kept[i].at == all[i].at &&
                        kept[i].stream == all[i].stream && kept[i].group == all[i].group);
        assert_true(s->n == n && s->sources == PARTS - 1);
        for (uint64_t i = 0; i < PARTS; i++) bpk_free((bpk_sketch *)(uintptr_t)in[i]);
        bpk_free(sum);
    }
}

/* Joins two of what is left, chosen by chance, until one is left; now and then through bytes. */
static bpk_sketch *random_tree(int kind, uint64_t *seed) {
    bpk_sketch *left[PARTS];
    size_t n = PARTS;
    for (uint64_t i = 0; i < PARTS; i++) left[i] = &part_of(kind, i)->base;
    while (n > 1) {
        size_t a = bpki_next(seed) % n, b = bpki_next(seed) % (n - 1);
        b += b >= a;
        if (bpki_next(seed) % 3) {
            assert_int_equal(bpk_merge(left[a], left[b], NULL), BPK_OK);
        } else {
            t_bytes bytes = t_encode(left[b], (bpk_form)(bpki_next(seed) % 2));
            assert_int_equal(bpk_merge_bytes(&left[a], bytes.p, bytes.n, NULL, NULL), BPK_OK);
            free(bytes.p);
        }
        bpk_free(left[b]);
        left[b] = left[--n];
    }
    return left[0];
}
static void every_tree_of_merges_gives_the_same_bytes(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int kind = 0; kind < KINDS; kind++) {
        bpk_sketch *first = random_tree(kind, &seed);
        for (int tree = 0; tree < 60; tree++) {
            bpk_sketch *again = random_tree(kind, &seed);
            t_assert_same_bytes(first, again);
            bpk_free(again);
        }
        bpk_free(first);
    }
}

static void a_part_without_records_adds_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        bpk_sample *a = part_of(kind, 0), *empty = t_sample_of(config_of(kind, 8));
        bpk_sketch *sum = copy_of(a), *other = copy_of(empty);
        assert_int_equal(bpk_merge(sum, &empty->base, NULL), BPK_OK);
        t_assert_same_bytes(sum, &a->base);
        assert_int_equal(bpk_merge(other, &a->base, NULL), BPK_OK);
        t_assert_same_bytes(other, &a->base);
        feed((bpk_sample *)other, kind, 90000, 50); /* and goes on as it would have */
        feed(a, kind, 90000, 50);
        t_assert_same_bytes(other, &a->base);
        bpk_free(sum), bpk_free(other);
        sum = &t_sample_of(config_of(kind, 4))->base; /* of two empty ones the smaller source stays */
        other = copy_of(empty);
        assert_int_equal(bpk_merge(other, sum, NULL), BPK_OK);
        t_assert_same_bytes(other, sum);
        assert_int_equal(bpk_merge(sum, &empty->base, NULL), BPK_OK);
        t_assert_same_bytes(other, sum);
        bpk_free(sum), bpk_free(other), t_sample_free(a), t_sample_free(empty);
    }
}

static void one_stream_on_both_sides_is_refused_and_named(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        bpk_sample *a = part_of(kind, 0), *b = part_of(kind, 1), *c = t_sample_of(config_of(kind, 1));
        bpk_sketch *ab = copy_of(a), *keep;
        bpk_err err;
        assert_int_equal(bpk_merge(ab, &b->base, NULL), BPK_OK);
        keep = copy_of((bpk_sample *)ab);
        assert_int_equal(bpk_merge(ab, &c->base, &err), BPK_OK); /* nothing was drawn from it yet */
        feed(c, kind, 500, 1);
        assert_int_equal(bpk_merge(ab, &c->base, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "stream");
        assert_true(strcmp(err.mine, "1") == 0 && strcmp(err.other, "1") == 0);
        assert_int_equal(bpk_merge(&a->base, ab, &err), BPK_E_MISMATCH);
        assert_string_equal(err.mine, "0");
        t_assert_same_bytes(ab, keep);
        bpk_sketch *none = NULL;
        const bpk_sketch *three[] = {&b->base, &a->base, &c->base};
        assert_int_equal(bpk_merge_many(&none, three, 3, NULL, &err), BPK_E_MISMATCH);
        assert_null(none);
        bpk_free(ab), bpk_free(keep), t_sample_free(a), t_sample_free(b), t_sample_free(c);
    }
}

static void shapes_that_differ_are_refused_and_named(void **state) {
    (void)state;
    const bpk_sample_config base = {.k = 5, .groups = 3, .weighted = true};
    static const struct {
        bpk_sample_config cfg;
        const char *field, *mine, *other;
    } wrong[] = {{{.k = 6, .groups = 3, .weighted = true, .stream = 1}, "k", "5", "6"},
                 {{.k = 5, .groups = 4, .weighted = true, .stream = 1}, "groups", "3", "4"},
                 {{.k = 5, .groups = 3, .stream = 1}, "weighted", "yes", "no"},
                 {{.domain = {BPK_HASH_XXH3, 0, 0, 9}, .k = 5, .groups = 3, .weighted = true}, "seed", "0", "9"}};
    bpk_sample *a = t_sample_of(base);
    for (size_t i = 0; i < BPKI_COUNT(wrong); i++) {
        bpk_sample *b = t_sample_of(wrong[i].cfg);
        bpk_err err;
        assert_int_equal(bpk_merge(&a->base, &b->base, &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, wrong[i].field);
        assert_string_equal(err.mine, wrong[i].mine);
        assert_string_equal(err.other, wrong[i].other);
        t_sample_free(b);
    }
    t_sample_free(a);
}

static void twins_of_twins_have_streams_of_their_own_and_merge(void **state) {
    (void)state;
    bpk_sketch *pane[6] = {&t_sample_new(10, 1, 1)->base}, *again = NULL, *sum = NULL;
    for (size_t i = 1; i < 6; i++) assert_int_equal(bpk_twin(&pane[i], pane[i - 1], NULL), BPK_OK);
    for (size_t i = 0; i < 6; i++) {
        feed((bpk_sample *)pane[i], 0, 1000 * i, 1000);
        for (size_t j = 0; j < i; j++)
            assert_true(bpk_as_sample(pane[i])->source[0].stream != bpk_as_sample(pane[j])->source[0].stream);
    }
    assert_int_equal(bpk_merge_many(&sum, (const bpk_sketch *const *)pane, 6, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_sample_seen(bpk_as_sample(sum)), 6000);
    assert_int_equal(bpk_twin(&again, pane[0], NULL), BPK_OK); /* the same stream as pane 1 */
    feed((bpk_sample *)again, 0, 0, 1);
    assert_int_equal(bpk_merge(again, pane[1], NULL), BPK_E_MISMATCH);
    for (size_t i = 0; i < 6; i++) bpk_free(pane[i]);
    bpk_free(again), bpk_free(sum);
}

static void a_twin_has_the_same_stream_for_ever(void **state) {
    (void)state;
    static const uint64_t stream[] = {UINT64_C(0xfe81c51f3c395051), UINT64_C(0xd1e98650dbe79b9f)};
    bpk_sketch *s[3] = {&t_sample_new(10, 1, 2)->base};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(bpk_twin(&s[i + 1], s[i], NULL), BPK_OK);
        const sample_source *from = bpk_as_sample(s[i + 1])->source;
        assert_true(from->seed == 1 && from->stream == stream[i]);
    }
    for (size_t i = 0; i < 3; i++) bpk_free(s[i]);
}

/* A merged sample goes on in the stream of its first source, whether it was stored in between or not. */
static void a_merged_sample_takes_more_records_and_merges_again(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        bpk_sample *a = part_of(kind, 1), *b = part_of(kind, 2), *c = part_of(kind, 4);
        bpk_sketch *back = NULL;
        assert_int_equal(bpk_merge(&a->base, &b->base, NULL), BPK_OK);
        t_bytes bytes = t_encode(&a->base, BPK_FORM_SMALL);
        assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
        uint64_t before[2] = {a->source[0].n, a->source[1].n};
        feed(a, kind, 50000, 3000);
        feed((bpk_sample *)back, kind, 50000, 3000);
        t_assert_same_bytes(&a->base, back);
        assert_true(a->source[0].n == before[0] + 3000 && a->source[1].n == before[1]);
        assert_int_equal(bpk_merge(&a->base, &c->base, NULL), BPK_OK);
        assert_int_equal(bpk_merge(&c->base, back, NULL), BPK_OK);
        t_assert_same_bytes(&a->base, &c->base);
        free(bytes.p);
        bpk_free(back), t_sample_free(a), t_sample_free(b), t_sample_free(c);
    }
}

static void a_merge_without_memory_or_over_the_limit_changes_nothing(void **state) {
    (void)state;
    int limited = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        bpk_sample *b = part_of(kind, 2), *plain = part_of(kind, 1);
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_sketch *a = NULL;
            t_env_init(&env, 0);
            assert_int_equal(bpk_copy(&a, &plain->base, &env.env), BPK_OK);
            env.calls = 0;
            env.fail_at = nth;
            bpk_status st = bpk_merge(a, &b->base, NULL);
            if (st != BPK_OK) t_assert_same_bytes(a, &plain->base);
            bpk_free(a);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
            assert_int_equal(st, BPK_E_NOMEM);
        }
        bpk_env tight = bpk_env_default();
        bpk_sketch *a = NULL;
        bpk_err err;
        tight.max_bytes = plain->held > 1024 ? plain->held : 1024;
        assert_int_equal(bpk_copy(&a, &plain->base, &tight), BPK_OK);
        if (bpk_merge(a, &b->base, &err) != BPK_OK) {
            assert_int_equal(err.code, BPK_E_LIMIT);
            t_assert_same_bytes(a, &plain->base);
            limited++;
        }
        bpk_free(a), t_sample_free(b), t_sample_free(plain);
    }
    assert_int_equal(limited, 2); /* those with groups: more of them are pooled, and hold more */
}

static void more_records_than_can_be_counted_do_not_merge(void **state) {
    (void)state;
    bpk_sample *a = t_sample_new(0, 0, 0), *b = t_sample_new(0, 0, 1);
    bpk_err err;
    assert_int_equal(bpk_sample_pass(a, SAMPLE_N_MAX - 5), BPK_OK);
    assert_int_equal(bpk_sample_pass(b, 6), BPK_OK);
    assert_int_equal(bpk_merge(&a->base, &b->base, &err), BPK_E_FULL);
    assert_string_equal(err.field, "n");
    t_sample_free(a), t_sample_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merge_keeps_the_k_smallest_tags_of_each_stratum),
        cmocka_unit_test(every_tree_of_merges_gives_the_same_bytes),
        cmocka_unit_test(a_part_without_records_adds_nothing),
        cmocka_unit_test(one_stream_on_both_sides_is_refused_and_named),
        cmocka_unit_test(shapes_that_differ_are_refused_and_named),
        cmocka_unit_test(twins_of_twins_have_streams_of_their_own_and_merge),
        cmocka_unit_test(a_twin_has_the_same_stream_for_ever),
        cmocka_unit_test(a_merged_sample_takes_more_records_and_merges_again),
        cmocka_unit_test(a_merge_without_memory_or_over_the_limit_changes_nothing),
        cmocka_unit_test(more_records_than_can_be_counted_do_not_merge),
    };
    return cmocka_run_group_tests_name("test_sample_laws", tests, NULL, NULL);
}
