/* test_grow_copies.c - promises of chains of cuckoo tables: copies come in and go again, and nothing else is lost. */
#include "damage.h"
#include "t_grow.h"

static bpk_grow_config cuckoo_config(uint64_t items, double rate, uint8_t bits, uint8_t on_full) {
    return (bpk_grow_config){
        .layers = BPK_KIND_CUCKOO, .items = items, .rate = rate, .fingerprint_bits = bits, .on_full = on_full};
}
static bpk_grow *cuckoo_new(uint64_t items, double rate, uint8_t bits) {
    const bpk_grow_config c = cuckoo_config(items, rate, bits, BPK_FULL_GROW);
    return grow_in(&c, NULL);
}

static uint64_t removed_of(bpk_grow *g, uint64_t stream, uint64_t from, uint64_t to) {
    uint64_t sum = 0;
    for (; from < to; from++) {
        uint64_t hash = t_hash(stream, from);
        uint8_t removed = 9;
        assert_int_equal(bpk_remove(bpk_grow_base(g), &hash, 1, &removed, NULL), BPK_OK);
        assert_true(removed <= 1);
        sum += removed;
    }
    return sum;
}

/* ---- layers ---- */

static void tables_double_share_one_base_and_open_when_all_are_full(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(100, 0.01, 16);
    for (uint64_t i = 0; i < 1500; i++) {
        grow_add(g, 1, i, i + 1);
        size_t layers = i < 100 ? 1 : i < 300 ? 2 : i < 700 ? 3 : 4;
        assert_int_equal(grow_layers(g), layers);
        assert_int_equal(bpk_grow_capacity(g), 100 * ((1 << layers) - 1));
        assert_int_equal(bpk_grow_inserts(g), i + 1);
    }
    for (size_t i = 0; i < 4; i++) {
        const bpk_sketch *layer = bpk_grow_layer(g, i);
        assert_true(grow_number(layer, "level") == (double)i);
        assert_true(grow_number(layer, "base") == grow_number(bpk_grow_layer(g, 0), "base"));
        assert_true(grow_number(layer, "items") == 100 << i);
    }
    assert_int_equal(grow_seen(g, 1, 0, 1500), 1500);
    assert_true(bpk_grow_rate(g) < 4 * 0.000117);
    grow_free(g);
}

static void there_are_as_many_tables_as_keep_the_rate_and_no_more(void **state) {
    (void)state;
    const bpk_grow_config c = cuckoo_config(100, 2.5e-4, 16, BPK_FULL_GROW);
    bpk_grow *g = grow_in(&c, NULL);
    bpk_grow_shape all;
    bpk_err err;
    uint64_t hash[320];
    size_t done = 0;
    for (uint64_t i = 0; i < 320; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 320, NULL, &done, &err), BPK_E_FULL);
    assert_string_equal(err.field, "layers");
    assert_int_equal(done, 300);
    assert_int_equal(bpk_grow_inserts(g), 300);
    assert_true(bpk_grow_rate(g) <= 2.5e-4);
    assert_int_equal(bpk_health(bpk_grow_base(g), NULL, NULL), BPK_HEALTH_WARN);
    assert_int_equal(bpk_grow_size(&all, &c, 300), BPK_OK);
    assert_true(all.layers == 2 && all.capacity == 300 && all.rate <= 2.5e-4);
    assert_true((double)all.bits == 8 * grow_number(bpk_grow_base(g), "body_bytes"));
    assert_int_equal(bpk_grow_size(&all, &c, 301), BPK_E_FULL);
    assert_int_equal(removed_of(g, 1, 0, 1), 1); /* a place is free again */
    assert_int_equal(bpk_grow_add(g, hash + done, 2, NULL, &done, &err), BPK_E_FULL);
    assert_int_equal(done, 1);
    grow_free(g);
}

static void places_that_come_free_are_used_before_a_table_is_opened(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(100, 0.01, 16);
    grow_add(g, 1, 0, 700);
    assert_int_equal(removed_of(g, 1, 0, 250), 250);
    grow_add(g, 2, 0, 250);
    assert_int_equal(grow_layers(g), 3);
    assert_int_equal(grow_seen(g, 1, 250, 700) + grow_seen(g, 2, 0, 250), 700);
    grow_add(g, 2, 250, 251);
    assert_int_equal(grow_layers(g), 4);
    grow_free(g);
}

/* Six copies of each item crowd their two buckets long before a table is full. */
static void an_item_that_finds_no_place_opens_a_table_before_the_last_one_is_full(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(1000, 0.01, 16);
    uint64_t early = 0, total = 0;
    for (uint64_t i = 0; i < 1500; i++)
        for (int copy = 0; copy < 6; copy++, total++) {
            size_t layers = grow_layers(g);
            bool full = bpk_grow_inserts(g) == bpk_grow_capacity(g);
            grow_add(g, 1, i, i + 1);
            early += grow_layers(g) > layers && !full;
        }
    assert_true(early >= 2);
    assert_int_equal(bpk_grow_inserts(g), total);
    for (uint64_t i = 0; i < 1500; i++)
        for (int copy = 0; copy < 6; copy++) assert_int_equal(removed_of(g, 1, i, i + 1), 1);
    assert_int_equal(bpk_grow_inserts(g), 0);
    assert_int_equal(bpk_grow_suspects(g), 0);
    grow_free(g);
}

/* ---- against an exact model ---- */

enum { IDS = 30000, STEPS = 1000000, CHUNK = 500 };

static uint8_t copies[IDS];

static bool add_to_model(uint64_t id) {
    if (copies[id] >= 3) return false;
    copies[id]++;
    return true;
}

static void check_model(bpk_sketch *s, uint64_t total) {
    bpk_estimate e;
    uint64_t sum = 0;
    for (uint64_t id = 0; id < IDS; id++) {
        uint64_t hash = t_hash(1, id);
        uint8_t has;
        assert_int_equal(bpk_has(s, &hash, 1, &has, NULL), BPK_OK);
        assert_int_equal(bpk_count(s, &hash, 1, 0, &e, NULL), BPK_OK);
        assert_true(e.upper >= copies[id] && has == (e.upper > 0) && (e.confidence == 1 || e.lower <= e.upper));
        sum += copies[id];
    }
    assert_int_equal(bpk_count(s, NULL, 0, 0, &e, NULL), BPK_OK);
    assert_true(e.estimate == (double)total && e.flags == BPK_EXACT && sum == total);
}

/* 12 bits, so that items are often taken for each other; up to 3 copies; growing for a while and shrinking again. */
static void a_million_adds_and_removals_lose_nothing(void **state) {
    (void)state;
    bpk_sketch *s = bpk_grow_base(cuckoo_new(500, 0.5, 12));
    uint64_t hash[CHUNK], total = 0, draw = 1;
    uint8_t removed[CHUNK];
    size_t most = 0;
    memset(copies, 0, sizeof copies);
    for (uint64_t step = 0, k = 0; step < STEPS; step += CHUNK, k++) {
        bool grows = (k / 150) % 2 == 0, adds = t_hash(3, k) % 10 < (grows ? 7u : 3u);
        size_t n = 0;
        for (uint64_t tries = 0; n < CHUNK && tries < 20 * CHUNK; tries++) {
            uint64_t id = t_hash(2, draw++) % IDS;
            if (adds ? !add_to_model(id) : copies[id] == 0) continue;
            if (!adds) copies[id]--;
            hash[n++] = t_hash(1, id);
        }
        if (adds) assert_int_equal(bpk_add(s, &(bpk_items){.n = n, .hash = hash}, NULL, NULL), BPK_OK);
        else assert_int_equal(bpk_remove(s, hash, n, removed, NULL), BPK_OK);
        for (size_t i = 0; !adds && i < n; i++) assert_int_equal(removed[i], 1);
        total = adds ? total + n : total - n;
        if (grow_layers(bpk_as_grow(s)) > most) most = grow_layers(bpk_as_grow(s));
        if (k % 200 != 199) continue;
        check_model(s, total);
        t_bytes b = t_encode(s, (bpk_form)(k / 200 % 2));
        bpk_free(s);
        assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
        free(b.p);
    }
    assert_true(most >= 6);
    assert_int_equal(bpk_grow_suspects(bpk_as_grow(s)), 0);
    for (uint64_t id = 0; id < IDS; id++)
        for (; copies[id]; copies[id]--) assert_int_equal(removed_of((bpk_grow *)(void *)s, 1, id, id + 1), 1);
    check_model(s, 0);
    bpk_free(s);
}

/* ---- batches ---- */

static void batches_of_any_size_do_the_same(void **state) {
    (void)state;
    static uint64_t hash[4000];
    static uint8_t one[4000], many[4000];
    bpk_grow *a = cuckoo_new(60, 0.01, 16), *b = cuckoo_new(60, 0.01, 16);
    for (uint64_t i = 0; i < 4000; i++) hash[i] = t_hash(1, i % 3 ? i / 2 : i);
    for (size_t i = 0; i < 4000; i++) assert_int_equal(bpk_grow_add(a, hash + i, 1, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_grow_add(b, hash, 4000, many, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < 4000; i++) assert_int_equal(many[i], 1);
    t_assert_same_bytes(bpk_grow_base(a), bpk_grow_base(b));
    for (uint64_t i = 0; i < 4000; i++) hash[i] = t_hash(1, (i * 7) % 5000); /* some are not in, some come twice */
    for (size_t i = 0; i < 4000; i++) bpk_remove(bpk_grow_base(a), hash + i, 1, one + i, NULL);
    for (size_t at = 0, k = 0; at < 4000; k++) {
        size_t n = k == 0 ? 2500 : (size_t)(t_hash(9, k) % 300);
        if (n > 4000 - at) n = 4000 - at;
        bpk_remove(bpk_grow_base(b), hash + at, n, many + at, NULL);
        at += n;
    }
    assert_memory_equal(one, many, sizeof one);
    t_assert_same_bytes(bpk_grow_base(a), bpk_grow_base(b));
    assert_true(bpk_grow_suspects(a) > 0);
    assert_int_equal(bpk_remove(bpk_grow_base(a), hash, 4000, NULL, NULL), BPK_OK);
    grow_free(a), grow_free(b);
}

/* ---- what is refused ---- */

static void what_is_not_in_is_not_removed_and_counts_as_suspect_once(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(100, 0.01, 16);
    grow_add(g, 1, 0, 500);
    uint64_t taken = removed_of(g, 2, 0, 200);
    assert_int_equal(taken, 0); /* 0.07 expected */
    assert_int_equal(bpk_grow_suspects(g), 200);
    assert_true(grow_number(bpk_grow_base(g), "suspects") == 200);
    assert_int_equal(bpk_grow_inserts(g), 500);
    assert_int_equal(bpk_health(bpk_grow_base(g), NULL, NULL), BPK_HEALTH_WARN);
    assert_int_equal(grow_seen(g, 1, 0, 500), 500);
    bpk_reset(bpk_grow_base(g));
    assert_int_equal(bpk_grow_suspects(g), 0);
    grow_free(g);
}

static void a_ninth_copy_is_refused_and_opens_nothing(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(1000, 0.01, 16);
    bpk_sketch *before = NULL;
    uint64_t hash[20];
    uint8_t changed[20];
    size_t done = 0;
    bpk_err err;
    bpk_estimate e;
    for (size_t i = 0; i < 20; i++) hash[i] = t_hash(1, i < 3 ? i : 7);
    assert_int_equal(bpk_grow_add(g, hash, 20, changed, &done, &err), BPK_E_FULL);
    assert_string_equal(err.field, "copies");
    assert_int_equal(done, 11);
    assert_int_equal(grow_layers(g), 1);
    assert_int_equal(bpk_copy(&before, bpk_grow_base(g), NULL), BPK_OK);
    assert_int_equal(bpk_add(bpk_grow_base(g), &(bpk_items){.n = 1, .hash = hash + 19}, NULL, &done), BPK_E_FULL);
    assert_int_equal(done, 0);
    t_assert_same_bytes(bpk_grow_base(g), before);
    assert_int_equal(bpk_count(before, hash + 19, 1, 0, &e, NULL), BPK_OK);
    assert_true(e.estimate == 8 && e.upper == 8 && e.lower == 8);
    bpk_free(before);
    grow_free(g);
}

static void error_has_one_table_and_degrade_is_refused(void **state) {
    (void)state;
    const bpk_grow_config error = cuckoo_config(100, 0.01, 16, BPK_FULL_ERROR);
    const bpk_grow_config degrade = cuckoo_config(100, 0.01, 16, BPK_FULL_DEGRADE);
    bpk_grow *g = grow_in(&error, NULL), *none = NULL;
    uint64_t hash[300];
    size_t done = 0;
    bpk_err err;
    for (uint64_t i = 0; i < 300; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 300, NULL, &done, &err), BPK_E_FULL);
    assert_string_equal(err.field, "slots");
    assert_true(done >= 100 && done < 150 && grow_layers(g) == 1);
    assert_int_equal(grow_seen(g, 1, 0, done), done);
    assert_int_equal(bpk_grow_new(&none, &degrade, NULL), BPK_E_ARG);
    grow_free(g);
}

static void configurations_and_parameters_out_of_range_are_named(void **state) {
    (void)state;
    static const struct {
        const char *kind;
        bpk_param p[4];
        size_t n;
        const char *field;
    } rows[] = {
        {"cuckoo", {{"items", "10"}, {"on_full", "grow"}}, 2, NULL},
        {"cuckoo", {{"items", "10"}, {"on_full", "grow"}, {"fingerprint_bits", "12"}}, 3, NULL},
        {"grow", {{"items", "10"}, {"layers", "cuckoo"}, {"on_full", "error"}, {"rate", "0.1%"}}, 4, NULL},
        {"grow", {{"items", "10"}, {"layers", "cuckoo"}, {"fingerprint_bits", "13"}}, 3, "fingerprint_bits"},
        {"grow", {{"items", "10"}, {"layers", "cuckoo"}, {"layout", "classic"}}, 3, "layout"},
        {"grow", {{"items", "10"}, {"layers", "cuckoo"}, {"on_full", "degrade"}}, 3, "on_full"},
        {"grow", {{"items", "10k"}, {"layers", "cuckoo"}, {"rate", "1e-4"}}, 3, "rate"}, /* one table has 0.0116 % */
        {"grow", {{"items", "1e15"}, {"layers", "cuckoo"}}, 2, "items"},
        {"grow", {{"items", "20G"}, {"layers", "cuckoo"}}, 2, "items"},
        {"cuckoo", {{"items", "10"}, {"on_full", "grow"}, {"layers", "cuckoo"}}, 3, "layers"},
        {"grow", {{"items", "10"}, {"fingerprint_bits", "16"}}, 2, "fingerprint_bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bpk_sketch *s = NULL;
        bpk_err err = {.field = NULL};
        bpk_status st = bpk_new(&s, rows[i].kind, NULL, rows[i].p, rows[i].n, NULL, &err);
        assert_int_equal(st, rows[i].field ? BPK_E_ARG : BPK_OK);
        if (rows[i].field) assert_string_equal(err.field, rows[i].field);
        else assert_string_equal(bpk_kind_name(s), "grow");
        bpk_free(s);
    }
    static const bpk_grow_config wrong[] = {
        {.layers = BPK_KIND_CUCKOO, .items = 10, .rate = 0.01},
        {.layers = BPK_KIND_CUCKOO, .items = 10, .rate = 0.01, .fingerprint_bits = 16, .layout = 1},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0.01, .fingerprint_bits = 16},
    };
    bpk_grow *g = NULL;
    for (size_t i = 0; i < 3; i++) assert_int_equal(bpk_grow_new(&g, &wrong[i], NULL), BPK_E_ARG);
}

static void tables_do_not_merge_nor_with_filters(void **state) {
    (void)state;
    bpk_grow *a = cuckoo_new(100, 0.01, 16), *b = cuckoo_new(100, 0.01, 16), *c = grow_new(100, 0.01, BPK_FULL_GROW);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.field, "merge");
    assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(c), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "layers");
    assert_string_equal(err.mine, "cuckoo");
    assert_string_equal(err.other, "bloom");
    uint8_t removed;
    uint64_t hash = 1;
    assert_int_equal(bpk_remove(bpk_grow_base(c), &hash, 1, &removed, &err), BPK_E_UNSUPPORTED);
    assert_string_equal(err.other, "grow");
    assert_int_equal(bpk_grow_suspects(c), 0);
    grow_free(a), grow_free(b), grow_free(c);
}

/* ---- memory ---- */

static void every_allocation_may_fail_and_the_limit_holds_for_all(void **state) {
    (void)state;
    const bpk_grow_config c = cuckoo_config(100, 0.01, 16, BPK_FULL_GROW);
    static uint64_t hash[3000];
    bpk_grow *whole = grow_in(&c, NULL);
    for (uint64_t i = 0; i < 3000; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(whole, hash, 3000, NULL, NULL, NULL), BPK_OK);
    bpk_status st = BPK_E_NOMEM;
    for (long nth = 4; st != BPK_OK; nth++) { /* three make the chain */
        t_env env;
        size_t done = 0;
        t_env_init(&env, nth);
        bpk_grow *g = NULL;
        st = bpk_grow_new(&g, &c, &env.env);
        if (st != BPK_OK) continue;
        st = bpk_grow_add(g, hash, 3000, NULL, &done, NULL);
        assert_true(st == BPK_OK || (st == BPK_E_NOMEM && done == bpk_grow_inserts(g)));
        assert_int_equal(bpk_grow_add(g, hash + done, 3000 - done, NULL, NULL, NULL), BPK_OK);
        t_assert_same_bytes(bpk_grow_base(g), bpk_grow_base(whole));
        grow_free(g);
        assert_int_equal(env.held, 0);
    }
    t_env env;
    size_t done = 0;
    bpk_err err;
    t_env_init(&env, 0);
    env.env.max_bytes = 5000;
    bpk_grow *g = grow_in(&c, &env.env);
    assert_int_equal(bpk_grow_add(g, hash, 3000, NULL, &done, &err), BPK_E_LIMIT);
    assert_string_equal(err.field, "layers");
    assert_true(done == bpk_grow_capacity(g) && env.held <= 5000);
    grow_free(g), grow_free(whole);
}

/* ---- bytes ---- */

/* Where the envelope of the i-th layer begins, in form small. */
static size_t layer_at(const uint8_t *p, unsigned i) {
    size_t at = 32 + 24 + 8;
    for (; i; i--) at += 16 + (size_t)t_load64(p + at + 8);
    return at + 16;
}

static void reseal_layer(t_bytes *b, unsigned i) {
    size_t at = layer_at(b->p, i);
    t_reseal(b->p + at, (size_t)t_load64(b->p + at - 8));
    t_reseal(b->p, b->n);
}

static void tables_that_do_not_belong_to_their_place_are_refused(void **state) {
    (void)state;
    static const struct {
        int layer; /* whose byte `at` becomes `value`; -1: of the whole */
        size_t at;
        uint8_t value;
        const char *field;
        size_t fault_at; /* within the layer, or the whole */
    } rows[] = {
        {-1, 33, 13, "fingerprint_bits", 33}, {-1, 33, 12, "layer's plan", 0}, {-1, 34, 1, "on_full", 34},
        {-1, 64, 1, "inserts", 64},           {1, 48, 39, "layer's plan", 0},  {0, 48, 19, "layer's plan", 0},
        {2, 56, 1, "layer's suspects", 0},
    };
    bpk_grow *g = cuckoo_new(20, 0.01, 16);
    grow_add(g, 1, 0, 100);
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        t_bytes d = t_dup(&b);
        bpk_sketch *s = NULL;
        bpk_err err;
        unsigned layer = rows[i].layer < 0 ? 0 : (unsigned)rows[i].layer;
        size_t from = rows[i].layer < 0 ? 0 : layer_at(d.p, layer);
        d.p[from + rows[i].at] = rows[i].value;
        reseal_layer(&d, layer);
        assert_int_equal(bpk_decode(&s, d.p, d.n, NULL, NULL, &err), BPK_E_CORRUPT);
        assert_string_equal(err.field, rows[i].field);
        bool of_layer = strncmp(rows[i].field, "layer", 5) == 0;
        assert_int_equal(err.offset, of_layer ? layer_at(d.p, layer) : rows[i].fault_at);
        t_assert_refused(d.p, d.n);
        free(d.p);
    }
    free(b.p), grow_free(g);
}

/* A chain for 20 items whose second layer is this table. */
static t_bytes with_second(const bpk_cuckoo_config *c, uint64_t items) {
    bpk_grow *g = cuckoo_new(20, 0.01, 16);
    bpk_cuckoo *second = NULL;
    uint8_t params[24] = {BPK_KIND_CUCKOO, 16, BPK_FULL_GROW}, head[16] = {0};
    const double rate = 0.01;
    uint64_t bits;
    t_bytes body = {NULL, 0};
    memcpy(&bits, &rate, sizeof bits);
    t_store64(params + 8, 20);
    t_store64(params + 16, bits);
    grow_add(g, 1, 0, 20);
    assert_int_equal(bpk_cuckoo_new(&second, c, NULL), BPK_OK);
    t_add(bpk_cuckoo_base(second), 1, 20, 20 + items);
    const bpk_sketch *const layer[] = {bpk_grow_layer(g, 0), bpk_cuckoo_base(second)};
    t_sink(&body, (uint8_t[8]){2}, 8);
    for (size_t i = 0; i < 2; i++) {
        t_bytes inner = t_encode(layer[i], BPK_FORM_SMALL);
        t_store64(head + 8, inner.n);
        t_sink(&body, head, 16);
        t_sink(&body, inner.p, inner.n);
        free(inner.p);
    }
    t_bytes whole = t_envelope(BPK_KIND_GROW, BPK_FORM_SMALL, params, sizeof params, body.p, body.n);
    free(body.p), bpk_free(bpk_cuckoo_base(second)), grow_free(g);
    return whole;
}

static void the_second_table_has_the_base_of_the_first_and_the_next_level(void **state) {
    (void)state;
    bpk_cuckoo_config c = {.items = 20, .fingerprint_bits = 16};
    bpk_cuckoo_shape shape;
    assert_int_equal(bpk_cuckoo_size(&shape, &c), BPK_OK);
    const struct {
        uint64_t base;
        uint8_t level, items;
        const char *field;
    } rows[] = {{shape.base, 1, 30, NULL},
                {shape.base + 2, 1, 30, "layer's plan"},
                {shape.base * 2, 0, 30, "layer's plan"},
                {shape.base, 2, 30, "layer's plan"},
                {shape.base, 1, 41, "layer's items"}};
    for (size_t i = 0; i < 5; i++) {
        bpk_sketch *s = NULL;
        bpk_err err;
        c = (bpk_cuckoo_config){.items = 40, .base = rows[i].base, .fingerprint_bits = 16, .level = rows[i].level};
        t_bytes b = with_second(&c, rows[i].items);
        bpk_status st = bpk_decode(&s, b.p, b.n, NULL, NULL, &err);
        assert_int_equal(st, rows[i].field ? BPK_E_CORRUPT : BPK_OK);
        if (rows[i].field) assert_string_equal(err.field, rows[i].field);
        else t_assert_encodes_to(s, BPK_FORM_SMALL, b.p, b.n);
        bpk_free(s);
        free(b.p);
    }
}

/* More tables than keep the rate do not exist. */
static void a_rate_or_a_table_too_many_is_refused(void **state) {
    (void)state;
    bpk_grow *g = cuckoo_new(20, 0.01, 16);
    grow_add(g, 1, 0, 100);
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_VIEW);
    const double little = 1e-4; /* three tables have more */
    uint64_t bits;
    bpk_sketch *s = NULL;
    bpk_err err;
    memcpy(&bits, &little, sizeof bits);
    t_store64(b.p + 48, bits);
    t_reseal(b.p, b.n);
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "layers");
    free(b.p), grow_free(g);
}

static void every_flip_is_refused_and_resealed_ones_are_refused_or_canonical(void **state) {
    (void)state;
    size_t accepted = 0;
    for (int form = 0; form < 2; form++) {
        bpk_grow *g = cuckoo_new(10, 0.01, 12);
        grow_add(g, 1, 0, 25);
        t_bytes b = t_encode(bpk_grow_base(g), (bpk_form)form);
        t_assert_damage_refused(b);
        for (size_t bit = 8 * DAMAGE_HEADER; form == 0 && bit < 8 * (b.n - DAMAGE_CHECKSUM); bit++)
            for (unsigned layer = 0; layer < 2; layer++) {
                t_bytes d = t_dup(&b);
                d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
                if (t_load64(d.p + 72) == t_load64(b.p + 72)) reseal_layer(&d, 0); /* its length is as before */
                if (t_load64(d.p + 72) == t_load64(b.p + 72) && layer_at(d.p, 1) < d.n &&
                    t_load64(d.p + layer_at(d.p, 1) - 8) < d.n - layer_at(d.p, 1))
                    reseal_layer(&d, layer);
                t_reseal(d.p, d.n);
                accepted += t_refused_or_canonical(d.p, d.n);
                free(d.p);
            }
        free(b.p), grow_free(g);
    }
    assert_true(accepted > 100); /* fingerprints say nothing that others do */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_double_share_one_base_and_open_when_all_are_full),
        cmocka_unit_test(there_are_as_many_tables_as_keep_the_rate_and_no_more),
        cmocka_unit_test(places_that_come_free_are_used_before_a_table_is_opened),
        cmocka_unit_test(an_item_that_finds_no_place_opens_a_table_before_the_last_one_is_full),
        cmocka_unit_test(a_million_adds_and_removals_lose_nothing),
        cmocka_unit_test(batches_of_any_size_do_the_same),
        cmocka_unit_test(what_is_not_in_is_not_removed_and_counts_as_suspect_once),
        cmocka_unit_test(a_ninth_copy_is_refused_and_opens_nothing),
        cmocka_unit_test(error_has_one_table_and_degrade_is_refused),
        cmocka_unit_test(configurations_and_parameters_out_of_range_are_named),
        cmocka_unit_test(tables_do_not_merge_nor_with_filters),
        cmocka_unit_test(every_allocation_may_fail_and_the_limit_holds_for_all),
        cmocka_unit_test(tables_that_do_not_belong_to_their_place_are_refused),
        cmocka_unit_test(the_second_table_has_the_base_of_the_first_and_the_next_level),
        cmocka_unit_test(a_rate_or_a_table_too_many_is_refused),
        cmocka_unit_test(every_flip_is_refused_and_resealed_ones_are_refused_or_canonical),
    };
    return cmocka_run_group_tests_name("grow_copies", tests, NULL, NULL);
}
