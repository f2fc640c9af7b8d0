/* test_cuckoo.c - promises of cuckoo.h: nothing that is in is missed, what is refused changes nothing, copies, removal,
 * places that nest. */
#include "t_cuckoo.h"

#include "cuckoo_state.h"

static cuckoo_plan plan_of(uint64_t base, unsigned level, unsigned bits) {
    return (cuckoo_plan){1, base, base << level, (uint8_t)bits, (uint8_t)level};
}

/* ---- places ---- */

static void the_other_bucket_of_the_other_bucket_is_the_first_and_levels_nest(void **state) {
    (void)state;
    static const uint64_t bases[] = {1, 2, 3, 4, 5, 6, 7, 10, 13};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (unsigned level = 0; level < 5; level++) {
            cuckoo_plan p = plan_of(bases[b], level, 12), below = plan_of(bases[b], level ? level - 1 : 0, 12);
            for (uint64_t fp = 1; fp < 4096; fp++)
                for (uint64_t i = 0; i < p.buckets; i++) {
                    uint64_t other = cuckoo_other(&p, fp, i);
                    assert_true(other < p.buckets && cuckoo_other(&p, fp, other) == i);
                    if (bases[b] % 2 == 0) assert_true(other != i);
                    if (level) assert_true(cuckoo_other(&below, fp, i / 2) == other / 2);
                }
        }
}

static void in_an_odd_base_one_bucket_of_a_fingerprint_is_its_own_other_one(void **state) {
    (void)state;
    for (uint64_t base = 1; base < 60; base += 2) {
        cuckoo_plan p = plan_of(base, 0, 12);
        for (uint64_t fp = 1; fp < 4096; fp++) {
            unsigned own = 0;
            for (uint64_t i = 0; i < base; i++) own += cuckoo_other(&p, fp, i) == i;
            assert_int_equal(own, 1);
        }
    }
}

/* What is equal for a larger table is equal for a smaller one: an item that the larger one has been given is found in
 * the smaller one if that was given an item which the larger one takes for it. */
static void items_that_a_larger_table_takes_for_one_are_one_in_the_smaller(void **state) {
    (void)state;
    uint64_t confused = 0;
    for (uint64_t i = 0; i < 300; i++) {
        bpk_cuckoo *large = t_cuckoo_buckets(3, 3, 12), *small = t_cuckoo_buckets(3, 1, 12);
        assert_int_equal(t_cuckoo_add(large, t_hash(1, i)), BPK_OK);
        assert_int_equal(t_cuckoo_add(small, t_hash(1, i)), BPK_OK);
        for (uint64_t j = 0; j < 3000; j++)
            if (t_cuckoo_has(large, t_hash(2, j))) {
                assert_true(t_cuckoo_has(small, t_hash(2, j)));
                confused++;
            }
        t_cuckoo_free(large);
        t_cuckoo_free(small);
    }
    assert_true(confused > 5);
}

/* ---- an exact model ---- */

enum { STEPS = 1000000, UNIVERSE = 8192 };

/* Copies of each item of a universe, and the copies in a row, to draw one from. */
typedef struct model {
    uint8_t copies[UNIVERSE];
    uint16_t in[UNIVERSE];
    size_t n;
} model;

static bpk_cuckoo *reloaded(bpk_cuckoo *c, bpk_form form) {
    t_bytes b = t_encode(bpk_cuckoo_base(c), form);
    bpk_sketch *back = NULL;
    assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    t_assert_same_bytes(back, bpk_cuckoo_base(c));
    free(b.p);
    t_cuckoo_free(c);
    return (bpk_cuckoo *)back;
}

static void check_model(const bpk_cuckoo *c, const model *m) {
    static uint64_t hash[UNIVERSE];
    static uint8_t out[UNIVERSE];
    for (size_t i = 0; i < UNIVERSE; i++) hash[i] = t_hash(3, i);
    bpk_cuckoo_has(c, hash, UNIVERSE, out);
    for (size_t i = 0; i < UNIVERSE; i++) {
        assert_true(bpk_cuckoo_copies(c, hash[i]) >= m->copies[i]);
        assert_true(out[i] == (bpk_cuckoo_copies(c, hash[i]) > 0));
    }
    assert_int_equal(bpk_cuckoo_items(c), m->n);
    assert_int_equal(bpk_cuckoo_suspects(c), 0);
}

/* Some items come much more often than others, so that all numbers of copies are met. */
static size_t drawn(uint64_t x) {
    return x % 16 ? (size_t)(x >> 8) % UNIVERSE : (size_t)(x >> 8) % 64;
}

static void model_add(bpk_cuckoo *c, model *m, uint64_t x, uint64_t *refused) {
    size_t item = drawn(x);
    uint64_t hash = t_hash(3, item);
    bpk_err err = {.field = NULL};
    t_bytes before = {NULL, 0};
    if (*refused < 300) before = t_encode(bpk_cuckoo_base(c), BPK_FORM_VIEW);
    bpk_status st = bpk_cuckoo_add(c, &hash, 1, NULL, &err);
    if (st == BPK_OK) {
        m->copies[item]++;
        m->in[m->n++] = (uint16_t)item;
    } else {
        assert_int_equal(st, BPK_E_FULL);
        bool copies = bpk_cuckoo_copies(c, hash) == BPK_CUCKOO_COPIES;
        assert_string_equal(err.field, copies ? "copies" : "slots");
        if (before.p) {
            t_bytes after = t_encode(bpk_cuckoo_base(c), BPK_FORM_VIEW);
            assert_memory_equal(after.p, before.p, before.n);
            free(after.p);
        }
        ++*refused;
    }
    assert_true(bpk_cuckoo_copies(c, hash) >= m->copies[item]);
    free(before.p);
}

static void model_remove(bpk_cuckoo *c, model *m, uint64_t x) {
    size_t at = (size_t)(x >> 8) % m->n, item = m->in[at];
    assert_true(t_cuckoo_has(c, t_hash(3, item)));
    assert_true(t_cuckoo_remove(c, t_hash(3, item)));
    m->copies[item]--;
    m->in[at] = m->in[--m->n];
    if (m->copies[item]) assert_true(t_cuckoo_has(c, t_hash(3, item)));
}

/* From half full to as full as it gets, up and down, with removals all the while. */
static void run_model(uint64_t base, uint8_t level, uint8_t bits, uint64_t steps) {
    bpk_cuckoo *c = t_cuckoo_buckets(base, level, bits);
    static model m;
    memset(&m, 0, sizeof m);
    uint64_t slots = 4 * (base << level), refused = 0, most = 0;
    bool up = true;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t x = t_hash(4, i);
        bool add = m.n == 0 || t_hash(5, i) % 100 < (up ? 60 : 40);
        if (add) model_add(c, &m, x, &refused);
        else model_remove(c, &m, x);
        if (m.n > most) most = m.n;
        if (up ? m.n * 100 >= slots * 98 : m.n * 2 <= slots) up = !up;
        if (i % 50000 == 49999) {
            check_model(c, &m);
            c = reloaded(c, i / 50000 % 2 ? BPK_FORM_VIEW : BPK_FORM_SMALL);
        }
    }
    print_message("%.0f x 2^%u buckets of %u bits: up to %.2f %% load, %.0f refused\n", (double)base, level, bits,
                  100 * (double)most / (double)slots, (double)refused);
    assert_true(most * 100 >= slots * 97);
    check_model(c, &m);
    while (m.n) model_remove(c, &m, t_hash(6, m.n));
    bpk_sketch *empty = NULL;
    assert_int_equal(bpk_twin(&empty, bpk_cuckoo_base(c), NULL), BPK_OK);
    t_assert_same_bytes(empty, bpk_cuckoo_base(c));
    bpk_free(empty);
    t_cuckoo_free(c);
}

static void a_million_adds_and_removes_miss_nothing_at_half_to_98_percent_load_through_reloads(void **state) {
    (void)state;
    run_model(500, 0, 16, STEPS);
    run_model(16, 5, 16, STEPS / 2);
    run_model(501, 0, 12, STEPS / 2);
    run_model(3, 2, 12, STEPS / 10);
}

/* ---- what is refused ---- */

/* Whether items of a tiny table have an arrangement: each into one of its two buckets of four, by augmenting paths. */
typedef struct tiny {
    uint64_t at[64][2];
    unsigned in[16][4], n[16]; /* items of each bucket */
    bool seen[16];
} tiny;

static bool tiny_put(tiny *t, unsigned item) {
    for (int k = 0; k < 2; k++) {
        uint64_t b = t->at[item][k];
        if (t->seen[b]) continue;
        t->seen[b] = true;
        if (t->n[b] < 4) {
            t->in[b][t->n[b]++] = item;
            return true;
        }
        for (unsigned j = 0; j < 4; j++) {
            if (!tiny_put(t, t->in[b][j])) continue;
            t->in[b][j] = item;
            return true;
        }
    }
    return false;
}

static void a_small_table_refuses_only_what_no_arrangement_holds(void **state) {
    (void)state;
    static const uint64_t buckets[] = {1, 2, 3, 4, 5, 8, 13};
    for (size_t b = 0; b < sizeof buckets / sizeof *buckets; b++) {
        cuckoo_plan p = plan_of(buckets[b], 0, 16);
        for (uint64_t stream = 0; stream < 300; stream++) {
            bpk_cuckoo *c = t_cuckoo_buckets(buckets[b], 0, 16);
            uint64_t n = t_cuckoo_fill(c, 100 + stream);
            tiny t = {.n = {0}};
            for (unsigned i = 0; i <= n; i++) {
                uint64_t hash = t_hash(100 + stream, i), fp = 1 + ((hash & UINT32_MAX) * 65535 >> 32);
                t.at[i][0] = bpki_mulhi(hash, buckets[b]);
                t.at[i][1] = cuckoo_other(&p, fp, t.at[i][0]);
                memset(t.seen, 0, sizeof t.seen);
                assert_int_equal(tiny_put(&t, i), i < n);
            }
            if (buckets[b] <= 2) assert_int_equal(n, 4 * buckets[b]);
            t_cuckoo_free(c);
        }
    }
}

static void a_full_table_refuses_changes_nothing_and_goes_on(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(1000, 16);
    uint64_t n = t_cuckoo_fill(c, 1), hash[3] = {t_hash(1, 0), t_hash(1, n), t_hash(1, 1)};
    bpk_sketch *copy = NULL;
    size_t done = 9;
    uint8_t changed[3] = {7, 7, 7};
    bpk_err err;
    assert_true(n > 1000);
    assert_int_equal(bpk_copy(&copy, bpk_cuckoo_base(c), NULL), BPK_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(bpk_cuckoo_add(c, hash + 1, 1, &done, &err), BPK_E_FULL);
    assert_string_equal(err.field, "slots");
    assert_int_equal(done, 0);
    assert_int_equal(bpk_cuckoo_add_new(c, hash + 1, 1, changed, &done, &err), BPK_E_FULL);
    assert_int_equal(bpk_add(bpk_cuckoo_base(c), &(bpk_items){.n = 2, .hash = hash + 1}, changed, &done), BPK_E_FULL);
    assert_int_equal(done, 0);
    assert_int_equal(changed[0], 7);
    t_assert_same_bytes(copy, bpk_cuckoo_base(c));
    assert_int_equal(t_cuckoo_seen(c, 1, 0, n), n);
    for (uint64_t i = 0; i < 40; i++) assert_true(t_cuckoo_remove(c, t_hash(1, i)));
    assert_int_equal(t_cuckoo_add(c, hash[1]), BPK_OK);
    assert_int_equal(t_cuckoo_seen(c, 1, 40, n + 1), n - 39);
    bpk_free(copy);
    t_cuckoo_free(c);
}

static void what_was_before_the_refused_item_of_a_batch_is_in(void **state) {
    (void)state;
    uint64_t hash[64];
    size_t done = 99;
    for (size_t ninth = 8; ninth < 64; ninth += 11) {
        bpk_cuckoo *batch = t_cuckoo(100, 12), *single = t_cuckoo(100, 12);
        for (size_t i = 0; i < 64; i++) hash[i] = t_hash(1, i + 8 >= ninth && i <= ninth ? 0 : i + 1);
        assert_int_equal(bpk_cuckoo_add(batch, hash, 64, &done, NULL), BPK_E_FULL);
        assert_int_equal(done, ninth);
        for (size_t i = 0; i < done; i++) assert_int_equal(t_cuckoo_add(single, hash[i]), BPK_OK);
        t_assert_same_bytes(bpk_cuckoo_base(batch), bpk_cuckoo_base(single));
        t_cuckoo_free(batch);
        t_cuckoo_free(single);
    }
}

static void the_ninth_copy_is_refused_by_its_name(void **state) {
    (void)state;
    for (uint8_t bits = 12; bits <= 16; bits += 4) {
        bpk_cuckoo *c = t_cuckoo(1000, bits);
        uint64_t hash = t_hash(1, 0);
        bpk_err err;
        for (unsigned i = 0; i < BPK_CUCKOO_COPIES; i++) {
            assert_int_equal(bpk_cuckoo_copies(c, hash), i);
            assert_int_equal(t_cuckoo_add(c, hash), BPK_OK);
        }
        bpk_sketch *copy = NULL;
        assert_int_equal(bpk_copy(&copy, bpk_cuckoo_base(c), NULL), BPK_OK);
        assert_int_equal(bpk_cuckoo_add(c, &hash, 1, NULL, &err), BPK_E_FULL);
        assert_string_equal(err.field, "copies");
        t_assert_same_bytes(copy, bpk_cuckoo_base(c));
        assert_true(t_cuckoo_remove(c, hash));
        assert_int_equal(bpk_cuckoo_copies(c, hash), 7);
        assert_int_equal(t_cuckoo_add(c, hash), BPK_OK);
        t_assert_same_bytes(copy, bpk_cuckoo_base(c));
        bpk_free(copy);
        t_cuckoo_free(c);
    }
    bpk_cuckoo *one = t_cuckoo_buckets(1, 0, 16); /* both buckets of everything are the one */
    uint64_t hash = 5;
    bpk_err err;
    for (unsigned i = 0; i < 4; i++) assert_int_equal(t_cuckoo_add(one, hash), BPK_OK);
    assert_int_equal(bpk_cuckoo_copies(one, hash), 4);
    assert_int_equal(bpk_cuckoo_add(one, &hash, 1, NULL, &err), BPK_E_FULL);
    assert_string_equal(err.field, "copies");
    hash = 5ull << 20;
    assert_int_equal(bpk_cuckoo_add(one, &hash, 1, NULL, &err), BPK_E_FULL);
    assert_string_equal(err.field, "slots");
    t_cuckoo_free(one);
}

/* ---- adding and removing ---- */

static void add_new_stores_what_is_absent_and_says_so(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(1000, 16);
    uint64_t hash[200];
    uint8_t stored[200];
    size_t done;
    for (size_t i = 0; i < 200; i++) hash[i] = t_hash(1, i / 2); /* each twice */
    assert_int_equal(bpk_cuckoo_add_new(c, hash, 200, stored, &done, NULL), BPK_OK);
    assert_int_equal(done, 200);
    for (size_t i = 0; i < 200; i++) assert_int_equal(stored[i], i % 2 == 0);
    assert_int_equal(bpk_cuckoo_items(c), 100);
    assert_int_equal(bpk_cuckoo_add_new(c, hash, 200, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_cuckoo_items(c), 100);
    assert_int_equal(bpk_cuckoo_add_new(c, NULL, 0, NULL, &done, NULL), BPK_OK);
    assert_int_equal(done, 0);
    for (size_t i = 0; i < 200; i++) assert_int_equal(t_cuckoo_remove(c, hash[i]), i % 2 == 0);
    assert_int_equal(bpk_cuckoo_items(c), 0);
    t_cuckoo_free(c);
}

static void a_batch_is_the_same_as_one_by_one(void **state) {
    (void)state;
    enum { N = 700 };
    static uint64_t hash[N];
    static uint8_t out[N], removed[N], changed[N];
    for (uint8_t bits = 12; bits <= 16; bits += 4)
        for (size_t n = 0; n < N; n += n < 70 ? 1 : 97) {
            bpk_cuckoo *batch = t_cuckoo(1000, bits), *single = t_cuckoo(1000, bits);
            for (size_t i = 0; i < n; i++) hash[i] = t_hash(5, t_hash(6, i) % 500);
            memset(changed, 7, sizeof changed);
            assert_int_equal(bpk_add(bpk_cuckoo_base(batch), &(bpk_items){.n = n, .hash = hash}, changed, NULL),
                             BPK_OK);
            for (size_t i = 0; i < n; i++) assert_int_equal(t_cuckoo_add(single, hash[i]), BPK_OK);
            for (size_t i = 0; i < N; i++) assert_int_equal(changed[i], i < n ? 1 : 7);
            for (size_t i = 0; i < n; i++) hash[i] = t_hash(5, i);
            bpk_cuckoo_has(batch, hash, n, out);
            for (size_t i = 0; i < n; i++) assert_int_equal(out[i], t_cuckoo_has(single, hash[i]));
            assert_int_equal(bpk_remove(bpk_cuckoo_base(batch), hash, n, removed, NULL), BPK_OK);
            for (size_t i = 0; i < n; i++) assert_int_equal(removed[i], t_cuckoo_remove(single, hash[i]));
            t_assert_same_bytes(bpk_cuckoo_base(batch), bpk_cuckoo_base(single));
            t_cuckoo_free(batch);
            t_cuckoo_free(single);
        }
}

static void what_is_certainly_absent_is_not_removed_and_counted(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(1000, 16);
    uint64_t hash[2] = {t_hash(1, 0), t_hash(2, 0)};
    t_add(bpk_cuckoo_base(c), 1, 0, 500);
    assert_true(t_cuckoo_remove(c, hash[0]));
    assert_int_equal(bpk_cuckoo_suspects(c), 0);
    assert_false(t_cuckoo_remove(c, hash[0])); /* twice */
    assert_int_equal(bpk_cuckoo_suspects(c), 1);
    assert_int_equal(bpk_remove(bpk_cuckoo_base(c), hash, 2, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_cuckoo_suspects(c), 3);
    assert_int_equal(bpk_cuckoo_items(c), 499);
    assert_int_equal(t_cuckoo_seen(c, 1, 1, 500), 499);
    bpk_sketch *copy = NULL, *twin = NULL;
    assert_int_equal(bpk_copy(&copy, bpk_cuckoo_base(c), NULL), BPK_OK);
    assert_int_equal(bpk_twin(&twin, copy, NULL), BPK_OK);
    assert_int_equal(bpk_cuckoo_suspects(bpk_as_cuckoo(copy)), 3);
    assert_int_equal(bpk_cuckoo_suspects(bpk_as_cuckoo(twin)), 0);
    bpk_reset(copy);
    assert_int_equal(bpk_cuckoo_suspects(bpk_as_cuckoo(copy)), 0);
    t_assert_same_bytes(copy, twin);
    bpk_free(copy);
    bpk_free(twin);
    t_cuckoo_free(c);
}

/* ---- answers ---- */

static void copies_are_an_upper_limit_and_a_lower_one_where_the_rate_allows(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(1000, 12);
    uint64_t hash[2] = {t_hash(1, 0), t_hash(2, 0)};
    bpk_estimate e[2];
    t_add(bpk_cuckoo_base(c), 1, 0, 800);
    for (int i = 0; i < 2; i++) assert_int_equal(t_cuckoo_add(c, hash[0]), BPK_OK);
    assert_int_equal(bpk_count(bpk_cuckoo_base(c), hash, 2, 0.95, e, NULL), BPK_OK);
    assert_true(e[0].estimate == 3 && e[0].lower == 3 && e[0].upper == 3 && e[0].flags == BPK_ONE_SIDED);
    assert_true(e[0].confidence == 0.95);
    assert_true(e[1].estimate == 0 && e[1].upper == 0 && e[1].flags == BPK_EXACT && e[1].confidence == 1);
    assert_true(bpk_cuckoo_rate(c) > 1e-3 && bpk_cuckoo_rate(c) < 2e-3);
    assert_int_equal(bpk_count(bpk_cuckoo_base(c), hash, 1, 0.999, e, NULL), BPK_OK);
    assert_true(e[0].estimate == 3 && e[0].lower == 0 && e[0].upper == 3);
    assert_int_equal(bpk_count(bpk_cuckoo_base(c), NULL, 0, 0.999, e, NULL), BPK_OK);
    assert_true(e[0].estimate == 802 && e[0].lower == 802 && e[0].upper == 802 && e[0].flags == BPK_EXACT);
    t_cuckoo_free(c);
}

static void the_rate_follows_from_the_items_in_and_the_size(void **state) {
    (void)state;
    const bpk_cuckoo_config cfg = {.items = 5000, .fingerprint_bits = 16};
    bpk_cuckoo_shape shape;
    bpk_cuckoo *c = t_cuckoo_of(cfg);
    assert_int_equal(bpk_cuckoo_size(&shape, &cfg), BPK_OK);
    assert_true(bpk_cuckoo_rate(c) == 0 && bpk_cuckoo_rate_at(&cfg, 0) == 0);
    t_add(bpk_cuckoo_base(c), 1, 0, 5000);
    assert_true(bpk_cuckoo_rate(c) == bpk_cuckoo_rate_at(&cfg, 5000));
    assert_true(bpk_cuckoo_rate(c) == 2.0 * 5000 / ((double)shape.buckets * 65535));
    assert_true(bpk_cuckoo_rate_at(&cfg, 1e30) == 8.0 / 65535);
    assert_int_equal(bpk_encoded_size(bpk_cuckoo_base(c), BPK_FORM_VIEW), 64 + shape.bits / 8 + 8);
    t_cuckoo_free(c);
}

static void health_warns_at_the_plan_and_after_a_suspect_removal(void **state) {
    (void)state;
    bpk_cuckoo *c = t_cuckoo(100, 16);
    t_add(bpk_cuckoo_base(c), 1, 0, 99);
    assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_OK);
    assert_false(t_cuckoo_remove(c, t_hash(2, 0)));
    assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_WARN);
    bpk_reset(bpk_cuckoo_base(c));
    t_add(bpk_cuckoo_base(c), 1, 0, 100);
    assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_WARN);
    t_cuckoo_free(c);
    c = t_cuckoo(2, 16); /* in 8 places */
    t_add(bpk_cuckoo_base(c), 1, 0, 2);
    assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_WARN);
    t_add(bpk_cuckoo_base(c), 1, 2, 3);
    assert_int_equal(bpk_health(bpk_cuckoo_base(c), NULL, NULL), BPK_HEALTH_OVER);
    t_cuckoo_free(c);
}

/* ---- plans ---- */

static void sizes_are_those_of_the_page(void **state) {
    (void)state;
    static const struct {
        uint64_t items, buckets;
    } rows[] = {{1, 2},    {8, 2},      {9, 8},        {10, 8},           {20, 12},
                {100, 34}, {1000, 270}, {10000, 2632}, {1000000, 263158}, {10000000, 2631580}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bpk_cuckoo_shape s;
        const bpk_cuckoo_config cfg = {.items = rows[i].items, .fingerprint_bits = 12};
        assert_int_equal(bpk_cuckoo_size(&s, &cfg), BPK_OK);
        print_message("%.0f items: %.0f buckets\n", (double)rows[i].items, (double)s.buckets);
        assert_int_equal(s.buckets, rows[i].buckets);
        assert_true(s.base == s.buckets && s.bits == 48 * s.buckets);
    }
}

static void a_rate_chooses_the_bits_or_is_refused(void **state) {
    (void)state;
    static const struct {
        uint64_t items;
        double rate;
        uint8_t bits;
    } rows[] = {{1000000, 0.01, 12},    {1000000, 0.00186, 12}, {1000000, 0.0018, 16}, {1000000, 0.000117, 16},
                {1000000, 0.000115, 0}, {1000000, 0, 0},        {0, 0.5, 0},           {UINT64_MAX, 0.5, 0},
                {8, 0.00196, 12},       {8, 0.0019, 16}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(bpk_cuckoo_bits_for(rows[i].items, rows[i].rate), rows[i].bits);
}

static void bad_parameters_are_named(void **state) {
    (void)state;
    static const struct {
        bpk_param param[3];
        size_t n;
        const char *field;
    } rows[] = {
        {{{"rate", "1%"}}, 1, "items"},
        {{{"items", "0"}}, 1, "items"},
        {{{"items", "-1"}}, 1, "items"},
        {{{"items", "1e18"}}, 1, "items"},
        {{{"items", "17179869184"}}, 1, "items"}, /* as many as there are places: over 95 % */
        {{{"items", "100"}, {"rate", "0"}}, 2, "rate"},
        {{{"items", "100"}, {"rate", "60%"}}, 2, "rate"},
        {{{"items", "100"}, {"rate", "1e-5"}}, 2, "rate"},
        {{{"items", "100"}, {"rate", "none"}}, 2, "rate"},
        {{{"items", "100"}, {"fingerprint_bits", "8"}}, 2, "fingerprint_bits"},
        {{{"items", "100"}, {"fingerprint_bits", "0"}}, 2, "fingerprint_bits"},
        {{{"items", "100"}, {"fingerprint_bits", "268"}}, 2, "fingerprint_bits"},
        {{{"items", "100"}, {"fingerprint_bits", "12"}, {"rate", "0.1%"}}, 3, "rate"},
        {{{"items", "100"}, {"base", "12"}}, 2, "base"},
        {{{"items", "100"}, {"on_full", "degrade"}}, 2, "on_full"},
        {{{"items", "100"}, {"on_full", ""}}, 2, "on_full"},
    };
    bpk_sketch *s = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bpk_err err = {.field = ""};
        assert_int_equal(bpk_new(&s, "cuckoo", NULL, rows[i].param, rows[i].n, NULL, &err), BPK_E_ARG);
        assert_string_equal(err.field, rows[i].field);
        assert_null(s);
    }
    const bpk_param both[] = {{"items", "100"}, {"fingerprint_bits", "16"}, {"rate", "1%"}};
    assert_int_equal(bpk_new(&s, "cuckoo", NULL, both, 3, NULL, NULL), BPK_OK); /* more than enough is fine */
    bpk_free(s);
    const bpk_param refuses[] = {{"items", "100"}, {"on_full", "error"}}; /* as it does anyway */
    assert_int_equal(bpk_new(&s, "cuckoo", NULL, refuses, 2, NULL, NULL), BPK_OK);
    assert_non_null(bpk_as_cuckoo(s));
    bpk_free(s);
}

static void shapes_out_of_range_are_refused_before_memory_is_asked_for(void **state) {
    (void)state;
    static const bpk_cuckoo_config bad[] = {
        {.items = 0, .fingerprint_bits = 16},
        {.items = UINT64_MAX, .fingerprint_bits = 16},
        {.items = 1, .fingerprint_bits = 0},
        {.items = 1, .fingerprint_bits = 13},
        {.items = 1, .fingerprint_bits = 16, .level = 32},
        {.items = 1, .fingerprint_bits = 16, .level = 255},
        {.items = 1, .fingerprint_bits = 16, .base = 3, .level = 31}, /* over 2^32 buckets */
        {.items = 1, .fingerprint_bits = 16, .base = UINT64_MAX, .level = 1},
        {.items = 1, .fingerprint_bits = 16, .base = (UINT64_C(1) << 32) + 1},
        {.items = 5, .fingerprint_bits = 16, .base = 1}, /* more than places */
        {.items = UINT64_C(1) << 34, .fingerprint_bits = 16, .level = 3},
        {.items = 1, .fingerprint_bits = 16, .domain = {.hash = 99}},
    };
    bpk_cuckoo *c = NULL;
    bpk_cuckoo_shape shape;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bpk_cuckoo_new(&c, &bad[i], NULL), BPK_E_ARG);
        if (bad[i].domain.hash) continue;
        assert_int_equal(bpk_cuckoo_size(&shape, &bad[i]), BPK_E_ARG);
        assert_true(bpk_cuckoo_rate_at(&bad[i], 1) == 0);
    }
    static const bpk_cuckoo_config large[] = {
        {.items = 1, .fingerprint_bits = 16, .base = UINT64_C(1) << 32},
        {.items = 1, .fingerprint_bits = 12, .base = 2, .level = 31},
        {.items = UINT64_C(15) << 30, .fingerprint_bits = 16},
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        t_env env;
        t_env_init(&env, 0);
        assert_int_equal(bpk_cuckoo_size(&shape, &large[i]), BPK_OK);
        assert_true(shape.buckets <= UINT64_C(1) << 32);
        assert_int_equal(bpk_cuckoo_new(&c, &large[i], &env.env), BPK_E_LIMIT);
        assert_int_equal(env.held, 0);
        assert_true(env.calls <= 1); /* the object, not its table */
    }
    assert_null(c);
}

static void levels_of_a_base_are_sized_for_their_items(void **state) {
    (void)state;
    for (uint8_t level = 0; level < 8; level++) {
        const bpk_cuckoo_config cfg = {.items = 1000, .fingerprint_bits = 16, .level = level};
        bpk_cuckoo_shape s;
        assert_int_equal(bpk_cuckoo_size(&s, &cfg), BPK_OK);
        assert_true(s.buckets == s.base << level && s.base % 2 == 0 && s.buckets >= 270);
        bpk_cuckoo *c = t_cuckoo_of(cfg);
        t_add(bpk_cuckoo_base(c), 1, 0, 1000);
        t_cuckoo_free(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_other_bucket_of_the_other_bucket_is_the_first_and_levels_nest),
        cmocka_unit_test(in_an_odd_base_one_bucket_of_a_fingerprint_is_its_own_other_one),
        cmocka_unit_test(items_that_a_larger_table_takes_for_one_are_one_in_the_smaller),
        cmocka_unit_test(a_million_adds_and_removes_miss_nothing_at_half_to_98_percent_load_through_reloads),
        cmocka_unit_test(a_small_table_refuses_only_what_no_arrangement_holds),
        cmocka_unit_test(a_full_table_refuses_changes_nothing_and_goes_on),
        cmocka_unit_test(what_was_before_the_refused_item_of_a_batch_is_in),
        cmocka_unit_test(the_ninth_copy_is_refused_by_its_name),
        cmocka_unit_test(add_new_stores_what_is_absent_and_says_so),
        cmocka_unit_test(a_batch_is_the_same_as_one_by_one),
        cmocka_unit_test(what_is_certainly_absent_is_not_removed_and_counted),
        cmocka_unit_test(copies_are_an_upper_limit_and_a_lower_one_where_the_rate_allows),
        cmocka_unit_test(the_rate_follows_from_the_items_in_and_the_size),
        cmocka_unit_test(health_warns_at_the_plan_and_after_a_suspect_removal),
        cmocka_unit_test(sizes_are_those_of_the_page),
        cmocka_unit_test(a_rate_chooses_the_bits_or_is_refused),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(shapes_out_of_range_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(levels_of_a_base_are_sized_for_their_items),
    };
    return cmocka_run_group_tests_name("cuckoo", tests, NULL, NULL);
}
