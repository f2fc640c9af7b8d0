/* test_topk_names.c - the store of names in two runs: it holds the names of the ways that say so, in every state. */
#include "t_streams.h"

#include "topk_state.h"

enum { KEYS = 60000, STEP = 20000 };

/* Ways that say they have a name have it, and no others; the runs, joined, are sorted. */
static void assert_consistent(const bpk_topk *t) {
    topk_names names;
    size_t named = 0;
    for (size_t way = 0; way < topk_buckets(&t->shape) * TOPK_WAYS; way++) {
        bool says = topk_named(topk_bucket_at(t, way / TOPK_WAYS), (unsigned)(way % TOPK_WAYS));
        assert_int_equal(bpki_topk_name_of(t, (uint32_t)way) != NULL, says);
        named += says;
    }
    assert_int_equal(t->names_n, named);
    assert_int_equal(t->names.old + t->names.fresh - t->names.gone, named);
    assert_int_equal(bpki_topk_borrow_names(&names, t), BPK_OK);
    assert_int_equal(names.n, named);
    for (uint32_t i = 0; i < names.n; i++) {
        assert_true(i == 0 || names.name[i - 1].way < names.name[i].way);
        assert_ptr_equal(names.name[i].bytes, bpki_topk_name_of(t, names.name[i].way)->bytes);
    }
    bpki_topk_return_names(&names, t);
}

static void assert_copies_are_the_same(bpk_topk **t) {
    bpk_sketch *copy = NULL;
    assert_int_equal(bpk_copy(&copy, bpk_topk_base(*t), NULL), BPK_OK);
    t_assert_same_bytes(copy, bpk_topk_base(*t));
    t_bytes b = t_encode(copy, BPK_FORM_SMALL);
    bpk_free(bpk_topk_base(*t));
    bpk_free(copy);
    assert_int_equal(bpk_decode(&copy, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    *t = (bpk_topk *)copy;
    t_bytes again = t_encode(copy, BPK_FORM_SMALL);
    assert_int_equal(again.n, b.n);
    assert_memory_equal(again.p, b.p, b.n);
    free(b.p), free(again.p);
}

/* Keys of a stream come and go; items without keys push names out and leave their places open. */
static void step_of(bpk_topk *t, const t_world *w, t_rng *r, uint32_t step, uint32_t *id) {
    for (size_t i = 0; i < STEP; i++) id[i] = (uint32_t)t_below(r, step % 3 ? KEYS : 4000);
    t_feed(bpk_topk_base(t), w, id, NULL, STEP);
    for (uint64_t i = 0; step % 4 == 3 && i < STEP; i++) {
        uint64_t hash = t_hash(step, i % 2000);
        assert_int_equal(bpk_add(bpk_topk_base(t), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL), BPK_OK);
    }
}

static void thousands_of_names_are_those_of_their_ways_at_every_moment(void **state) {
    (void)state;
    static const bpk_topk_config shapes[] = {{.k = 3000, .entries = 9216}, {.k = 600, .entries = 4608}, {.k = 10}};
    uint32_t *id = malloc(STEP * sizeof *id), gone = 0, fresh = 0, most = 0;
    t_world w = t_world_new(KEYS);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        bpk_topk *t = NULL;
        t_rng r = {9 + i};
        assert_int_equal(bpk_topk_new(&t, &shapes[i], NULL), BPK_OK);
        for (uint32_t step = 0; step < 12; step++) {
            step_of(t, &w, &r, step, id);
            gone += t->names.gone, fresh += t->names.fresh;
            most = t->names_n > most ? t->names_n : most;
            assert_consistent(t);
            if (step % 3 == 2) assert_copies_are_the_same(&t);
        }
        bpk_reset(bpk_topk_base(t));
        assert_consistent(t);
        bpk_free(bpk_topk_base(t));
    }
    assert_true(gone > 0 && fresh > 0 && most > 2 * TOPK_FRESH); /* every state of the store was there */
    free(id);
    t_world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_names_are_those_of_their_ways_at_every_moment),
    };
    return cmocka_run_group_tests_name("topk_names", tests, NULL, NULL);
}
