/* test_grow.c - promises of grow.h: layers open where they should, nothing is missed, what fails changes nothing. */
#include <math.h>

#include "grow_state.h"
#include "t_grow.h"

enum { FEW = 50 }; /* a first plan */

/* ---- layers ---- */

static void a_layer_opens_for_the_first_item_beyond_the_plan_of_the_last(void **state) {
    (void)state;
    bpk_grow *g = grow_new(FEW, 0.01, BPK_FULL_GROW);
    uint64_t capacity = FEW, inserts = 0;
    for (uint64_t i = 0; i < 40 * FEW; i++) {
        uint64_t hash = t_hash(1, i);
        uint8_t changed = 2;
        size_t layers = grow_layers(g), done = 9;
        assert_int_equal(bpk_grow_add(g, &hash, 1, &changed, &done, NULL), BPK_OK);
        assert_true(changed <= 1 && done == 1);
        bool opens = changed && inserts == capacity;
        if (opens) capacity += (uint64_t)FEW << layers;
        inserts += changed;
        assert_int_equal(grow_layers(g), layers + opens);
        assert_int_equal(bpk_grow_inserts(g), inserts);
        assert_int_equal(bpk_grow_capacity(g), capacity);
    }
    assert_int_equal(grow_layers(g), 6);
    assert_null(bpk_grow_layer(g, 6));
    assert_true(inserts > 39 * FEW); /* the rest were false positives */
    grow_free(g);
}

static void layers_double_and_their_rates_add_up_to_less_than_the_one_asked_for(void **state) {
    (void)state;
    static const double rates[] = {0.5, 0.01, 1e-6};
    for (size_t r = 0; r < 3; r++) {
        bpk_grow *g = grow_new(FEW, rates[r], BPK_FULL_GROW);
        double sum = 0, q = rates[r] * 0.2;
        grow_add(g, 1, 0, 100 * FEW);
        for (size_t i = 0; i < 6; i++, q *= 0.8) {
            const bpk_sketch *layer = bpk_grow_layer(g, i);
            assert_true(grow_number(layer, "planned_items") == (double)((uint64_t)FEW << i));
            assert_true(grow_number(layer, "rate_asked") == q * (1 - q));
            sum += q;
        }
        assert_true(sum < rates[r]);
        grow_free(g);
    }
}

/* By the rate R of each layer at its plan, and R (1 + R) for the items behind its inserts. */
static void planned_rates_of_any_number_of_layers_add_up_to_less_than_the_one_asked_for(void **state) {
    (void)state;
    for (uint8_t layout = 0; layout < 2; layout++)
        for (double rate = 0.5; rate > 1e-9; rate /= layout ? 1.07 : 40) {
            const grow_plan p = {BPK_KIND_BLOOM, layout, BPK_FULL_GROW, layout ? 10 : 1000, rate};
            bpk_bloom_config c;
            double sum = 0;
            for (unsigned i = 0; i < 28 && bpki_grow_bloom(&c, &p, i); i++) {
                double planned = bpk_bloom_rate_at(&c, (double)c.items);
                if (planned == 0) break; /* 64-bit hashes end here */
                sum += planned * (1 + planned);
                assert_true(sum < rate);
            }
            assert_true(sum > 0.5 * rate);
        }
}

static void what_a_chain_takes_is_known_before(void **state) {
    (void)state;
    const bpk_grow_config c = grow_config(FEW, 0.01, BPK_FULL_GROW);
    bpk_grow_shape all;
    bpk_grow *g = grow_in(&c, NULL);
    for (uint64_t n = 0; n < 3000; n += 100) {
        grow_add(g, 1, n, n + 100);
        assert_int_equal(bpk_grow_size(&all, &c, bpk_grow_inserts(g)), BPK_OK);
        assert_int_equal(all.layers, grow_layers(g));
        assert_int_equal(all.capacity, bpk_grow_capacity(g));
        assert_true((double)all.bits == 8 * grow_number(bpk_grow_base(g), "body_bytes"));
        assert_true(all.rate < 0.01 && all.rate > 0.0019);
    }
    grow_free(g);
    const bpk_grow_config error = grow_config(100, 0.01, BPK_FULL_ERROR);
    const bpk_grow_config degrade = grow_config(100, 0.01, BPK_FULL_DEGRADE);
    assert_int_equal(bpk_grow_size(&all, &error, 150), BPK_OK);
    assert_true(all.layers == 1 && all.rate > 0.05 && all.rate < 0.07);
    assert_int_equal(bpk_grow_size(&all, &error, 151), BPK_E_FULL);
    assert_int_equal(bpk_grow_size(&all, &degrade, 1000), BPK_OK);
    assert_true(all.layers == 1 && all.capacity == 100 && all.rate > 0.9);
    const bpk_grow_config tight = grow_config(1000000, 1e-9, BPK_FULL_GROW);
    assert_int_equal(bpk_grow_size(&all, &tight, 100000000), BPK_OK);
    assert_int_equal(bpk_grow_size(&all, &tight, 1000000000), BPK_E_FULL); /* 64-bit hashes end here */
}

/* The plan's bytes: of the body exactly, of memory at most, and no more than what the layers take beside their bits. */
static void what_it_costs_is_that_of_the_real_one(void **state) {
    (void)state;
    static const char *const kinds[] = {"bloom", "cuckoo"};
    const bpki_ops *ops = bpki_registry_named("grow");
    for (size_t k = 0; k < 2; k++)
        for (uint64_t n = 100; n <= 100000; n *= 10) {
            const bpk_param p[] = {{"items", "1000"}, {"layers", kinds[k]}};
            bpki_params ps = {.p = p, .n = 2, .kind = "grow"}, again = ps, named = {.p = p, .n = 1, .kind = kinds[k]};
            bpk_sketch *s = NULL;
            bpki_cost c, first, short_way;
            assert_int_equal(bpk_new(&s, "grow", NULL, p, 2, NULL, NULL), BPK_OK);
            assert_int_equal(ops->cost(&first, &again, UINT64_MAX, NULL), BPK_OK);
            assert_int_equal(first.body, s->ops->body_size(s, BPK_FORM_VIEW));
            for (uint64_t i = 0; bpk_grow_inserts(bpk_as_grow(s)) < n; i++) t_add(s, n, i, i + 1);
            assert_int_equal(ops->cost(&c, &ps, n, NULL), BPK_OK);
            assert_int_equal(ops->cost(&short_way, &named, n, NULL), BPK_OK);
            assert_true(short_way.body == c.body && short_way.memory == c.memory);
            assert_int_equal(c.body, s->ops->body_size(s, BPK_FORM_VIEW));
            size_t layers = grow_layers(bpk_as_grow(s)), memory = bpk_memory(s);
            assert_true(memory <= c.memory && c.memory - memory <= layers * (sizeof(bpk_view) + 64));
            bpk_free(s);
        }
    bpki_params ps = {.p = (bpk_param[]){{"items", "10"}, {"on_full", "error"}}, .n = 2, .kind = "grow"};
    bpki_cost c;
    bpk_err err;
    assert_int_equal(ops->cost(&c, &ps, 16, &err), BPK_E_FULL);
    assert_string_equal(err.field, "items");
}

/* Bits an item when the last of 1, 2, 4, 7, 10 layers is full, and when it was just opened. */
static void sizes_are_those_of_the_page(void **state) {
    (void)state;
    static const struct {
        unsigned layers;
        double full, opened;
    } rows[] = {{1, 13.88, 0}, {2, 14.25, 42.75}, {4, 15.21, 32.60}, {7, 17.03, 34.33}, {10, 17.84, 35.72}};
    const bpk_grow_config c = grow_config(10000, 0.01, BPK_FULL_GROW);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bpk_grow_shape all;
        uint64_t before = 10000 * ((UINT64_C(1) << (rows[i].layers - 1)) - 1);
        assert_int_equal(bpk_grow_size(&all, &c, before + 1), BPK_OK);
        assert_int_equal(all.layers, rows[i].layers);
        assert_true(fabs((double)all.bits / (double)all.capacity - rows[i].full) < 0.006);
        if (before) assert_true(fabs((double)all.bits / (double)(before + 1) - rows[i].opened) < 0.006);
    }
}

/* A plan for one item at the least rate: its fifth layer would be under what a layer can have. */
static void where_there_can_be_no_further_layer_it_is_full_and_says_so(void **state) {
    (void)state;
    bpk_grow *g = grow_new(1, 1e-14, BPK_FULL_GROW);
    bpk_sketch *before = NULL;
    bpk_err err;
    uint64_t hash[20];
    uint8_t changed[20];
    size_t done = 0;
    for (uint64_t i = 0; i < 20; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 15, changed, &done, &err), BPK_OK);
    assert_int_equal(grow_layers(g), 4);
    assert_int_equal(bpk_health(bpk_grow_base(g), NULL, NULL), BPK_HEALTH_WARN);
    assert_int_equal(bpk_copy(&before, bpk_grow_base(g), NULL), BPK_OK);
    assert_int_equal(bpk_grow_add(g, hash + 5, 15, changed, &done, &err), BPK_E_FULL);
    assert_int_equal(done, 10); /* those that are in are not refused */
    assert_string_equal(err.field, "layers");
    assert_int_equal(bpk_add(bpk_grow_base(g), &(bpk_items){.n = 20, .hash = hash}, NULL, &done), BPK_E_FULL);
    assert_int_equal(done, 15);
    t_assert_same_bytes(bpk_grow_base(g), before);
    bpk_free(before);
    grow_free(g);
}

/* ---- adding ---- */

static void an_item_that_a_layer_has_changes_nothing(void **state) {
    (void)state;
    bpk_grow *g = grow_new(FEW, 0.01, BPK_FULL_GROW);
    bpk_sketch *before = NULL;
    uint64_t hash[3000];
    uint8_t changed[3000];
    for (uint64_t i = 0; i < 3000; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 3000, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_copy(&before, bpk_grow_base(g), NULL), BPK_OK);
    memset(changed, 7, sizeof changed);
    assert_int_equal(bpk_grow_add(g, hash, 3000, changed, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < 3000; i++) assert_int_equal(changed[i], 0);
    t_assert_same_bytes(bpk_grow_base(g), before);
    bpk_free(before);
    grow_free(g);
}

/* Some items come again at once, some much later; batches go over the ends of layers. */
static uint64_t with_repeats(uint64_t i) {
    return t_hash(1, i % 3 == 0 ? i / 2 : i);
}

static void batches_of_any_size_leave_the_same_bytes_and_answers(void **state) {
    (void)state;
    static const uint64_t plans[] = {1, FEW, 1000};
    static const uint8_t policies[] = {BPK_FULL_GROW, BPK_FULL_DEGRADE};
    static uint64_t hash[5000];
    static uint8_t one[5000], many[5000];
    for (uint64_t i = 0; i < 5000; i++) hash[i] = with_repeats(i);
    for (size_t p = 0; p < 6; p++) {
        bpk_grow *a = grow_new(plans[p / 2], 0.05, policies[p % 2]), *b = grow_new(plans[p / 2], 0.05, policies[p % 2]);
        for (size_t i = 0; i < 5000; i++) assert_int_equal(bpk_grow_add(a, &hash[i], 1, &one[i], NULL, NULL), BPK_OK);
        for (size_t at = 0, k = 0; at < 5000; k++) {
            size_t n = k == 0 ? 2500 : (size_t)(t_hash(2, k) % 400), done = 0;
            if (n > 5000 - at) n = 5000 - at;
            assert_int_equal(bpk_grow_add(b, hash + at, n, many + at, &done, NULL), BPK_OK);
            assert_int_equal(done, n);
            at += n;
        }
        assert_memory_equal(one, many, sizeof one);
        t_assert_same_bytes(bpk_grow_base(a), bpk_grow_base(b));
        grow_free(a), grow_free(b);
    }
}

/* A million steps: adds of new and of old items, questions, and now and then a passage through bytes. */
static void nothing_that_was_added_is_missed_in_a_million_steps(void **state) {
    (void)state;
    bpk_sketch *s = bpk_grow_base(grow_new(1000, 0.01, BPK_FULL_GROW));
    uint64_t hash[1000], added = 0, steps = 0;
    uint8_t out[1000];
    for (uint64_t k = 0; steps < 1000000; k++, steps += 1000) {
        bool asks = k % 3 == 2;
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t draw = t_hash(7, steps + i);
            hash[i] = t_hash(1, added && (asks || draw % 4 == 0) ? draw / 4 % added : added++);
        }
        if (!asks) assert_int_equal(bpk_add(s, &(bpk_items){.n = 1000, .hash = hash}, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_has(s, hash, 1000, out, NULL), BPK_OK);
        for (size_t i = 0; i < 1000; i++) assert_int_equal(out[i], 1);
        if (k % 50 != 49) continue;
        t_bytes b = t_encode(s, (bpk_form)(k / 50 % 2));
        bpk_free(s);
        assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
        free(b.p);
    }
    assert_true(added > 400000 && grow_layers(bpk_as_grow(s)) == 9);
    assert_int_equal(grow_seen(bpk_as_grow(s), 1, 0, added), added);
    bpk_free(s);
}

/* ---- the policy on full ---- */

static void error_refuses_from_150_percent_of_its_plan_by_the_insert_counter(void **state) {
    (void)state;
    static const uint64_t plans[] = {1, 2, 3, 100};
    for (size_t p = 0; p < 4; p++) {
        bpk_grow *g = grow_new(plans[p], 1e-6, BPK_FULL_ERROR);
        uint64_t most = (3 * plans[p] + 1) / 2;
        bpk_sketch *before = NULL;
        bpk_err err;
        size_t done = 0;
        uint64_t hash[400];
        uint8_t changed[400];
        for (uint64_t i = 0; i < 400; i++) hash[i] = t_hash(1, i);
        assert_int_equal(bpk_grow_add(g, hash, (size_t)most, changed, &done, &err), BPK_OK);
        assert_int_equal(bpk_grow_inserts(g), most);
        assert_int_equal(bpk_copy(&before, bpk_grow_base(g), NULL), BPK_OK);
        assert_int_equal(bpk_grow_add(g, hash, 400, changed, &done, &err), BPK_E_FULL);
        assert_string_equal(err.field, "plan");
        assert_int_equal(done, most);
        for (size_t i = 0; i < done; i++) assert_int_equal(changed[i], 0);
        t_assert_same_bytes(bpk_grow_base(g), before);
        assert_int_equal(grow_layers(g), 1);
        assert_int_equal(bpk_health(before, NULL, NULL), BPK_HEALTH_OVER);
        bpk_free(before);
        grow_free(g);
    }
}

static void degrade_goes_on_in_one_layer_and_its_health_says_over(void **state) {
    (void)state;
    bpk_grow *g = grow_new(1000, 0.01, BPK_FULL_DEGRADE);
    static const bpk_state states[] = {BPK_HEALTH_OK, BPK_HEALTH_WARN, BPK_HEALTH_WARN, BPK_HEALTH_OVER};
    static const uint64_t inserts[] = {999, 1000, 1499, 1500};
    for (uint64_t i = 0, k = 0; k < 4; i++) {
        grow_add(g, 1, i, i + 1);
        if (bpk_grow_inserts(g) < inserts[k]) continue;
        assert_int_equal(bpk_health(bpk_grow_base(g), NULL, NULL), states[k++]);
    }
    grow_add(g, 1, 0, 20000);
    assert_int_equal(grow_layers(g), 1);
    assert_true(bpk_grow_rate(g) > 0.9);
    assert_int_equal(grow_seen(g, 1, 0, 20000), 20000);
    grow_free(g);
}

static void a_chain_that_can_grow_is_well_while_it_does(void **state) {
    (void)state;
    bpk_grow *g = grow_new(FEW, 0.01, BPK_FULL_GROW);
    for (uint64_t i = 0; i < 2000; i++) {
        assert_int_equal(bpk_health(bpk_grow_base(g), NULL, NULL), BPK_HEALTH_OK);
        grow_add(g, 1, i, i + 1);
    }
    grow_free(g);
}

/* ---- memory ---- */

static void the_limit_holds_for_all_layers_together_and_stops_growth_within_a_batch(void **state) {
    (void)state;
    t_env env;
    t_env_init(&env, 0);
    env.env.max_bytes = 12000; /* the layers take 650, 1300, 2700, 5500, .. bytes */
    const bpk_grow_config c = grow_config(500, 0.01, BPK_FULL_GROW);
    bpk_grow *g = grow_in(&c, &env.env);
    bpk_sketch *copy = NULL;
    static uint64_t hash[9000];
    static uint8_t changed[9000];
    size_t done = 0;
    bpk_err err;
    for (uint64_t i = 0; i < 9000; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 9000, changed, &done, &err), BPK_E_LIMIT);
    assert_string_equal(err.field, "layers");
    assert_true(done >= bpk_grow_capacity(g) && done < bpk_grow_capacity(g) + 30);
    assert_int_equal(bpk_grow_inserts(g), bpk_grow_capacity(g));
    assert_true(env.held <= env.env.max_bytes && env.held == bpk_memory(bpk_grow_base(g)));
    assert_int_equal(grow_seen(g, 1, 0, done), done);
    uint64_t sum = 0;
    for (size_t i = 0; i < done; i++) sum += changed[i];
    assert_int_equal(sum, bpk_grow_inserts(g));
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    assert_int_equal(bpk_grow_add(g, hash + done, 1, changed, &done, &err), BPK_E_LIMIT);
    assert_int_equal(done, 0);
    t_bytes same = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    assert_true(b.n == same.n && memcmp(b.p, same.p, b.n) == 0);
    env.env.max_bytes = 6000; /* no layer alone takes as much */
    assert_int_equal(bpk_copy(&copy, bpk_grow_base(g), &env.env), BPK_E_LIMIT);
    assert_int_equal(bpk_decode(&copy, b.p, b.n, NULL, &env.env, &err), BPK_E_LIMIT);
    assert_string_equal(err.field, "layers");
    assert_null(copy);
    free(b.p), free(same.p);
    grow_free(g);
    assert_int_equal(env.held, 0);
}

/* Growth fails at every allocation once; then it goes on as if nothing had been. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    static uint64_t hash[2000];
    const bpk_grow_config c = grow_config(100, 0.01, BPK_FULL_GROW);
    bpk_grow *whole = grow_in(&c, NULL);
    for (uint64_t i = 0; i < 2000; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(whole, hash, 2000, NULL, NULL, NULL), BPK_OK);
    bpk_status st = BPK_E_NOMEM;
    for (long nth = 1; st != BPK_OK; nth++) {
        t_env env;
        bpk_grow *g = NULL;
        size_t done = 0;
        t_env_init(&env, nth);
        st = bpk_grow_new(&g, &c, &env.env);
        if (st != BPK_OK) {
            assert_true(st == BPK_E_NOMEM && !g && env.held == 0);
            continue;
        }
        st = bpk_grow_add(g, hash, 2000, NULL, &done, NULL);
        if (st != BPK_OK) {
            assert_true(st == BPK_E_NOMEM && done < 2000);
            assert_int_equal(grow_seen(g, 1, 0, done), done);
            assert_int_equal(bpk_grow_add(g, hash + done, 2000 - done, NULL, NULL, NULL), BPK_OK);
        }
        t_assert_same_bytes(bpk_grow_base(g), bpk_grow_base(whole));
        assert_int_equal(env.held, bpk_memory(bpk_grow_base(g)));
        grow_free(g);
        assert_int_equal(env.held, 0);
    }
    grow_free(whole);
}

/* Copies, twins and unions that take a chain over. */
static void so_may_those_of_a_copy_and_of_a_union(void **state) {
    (void)state;
    bpk_grow *g = grow_new(100, 0.01, BPK_FULL_GROW);
    grow_add(g, 1, 0, 1000);
    bpk_status st = BPK_E_NOMEM;
    for (long nth = 1; st != BPK_OK; nth++) {
        t_env env;
        bpk_sketch *copy = NULL, *twin = NULL;
        t_env_init(&env, nth);
        st = bpk_copy(&copy, bpk_grow_base(g), &env.env);
        if (st == BPK_OK) st = bpk_twin(&twin, bpk_grow_base(g), &env.env);
        if (st == BPK_OK) st = bpk_merge(twin, copy, NULL);
        if (st == BPK_OK) t_assert_same_bytes(twin, bpk_grow_base(g));
        else if (twin) assert_int_equal(bpk_grow_inserts(bpk_as_grow(twin)), 0);
        assert_true(st == BPK_OK || st == BPK_E_NOMEM);
        bpk_free(copy), bpk_free(twin);
        assert_int_equal(env.held, 0);
    }
    grow_free(g);
}

static void a_chain_that_starts_anew_is_its_twin(void **state) {
    (void)state;
    bpk_grow *g = grow_new(FEW, 0.01, BPK_FULL_GROW);
    bpk_sketch *twin = NULL;
    grow_add(g, 1, 0, 1000);
    assert_int_equal(bpk_twin(&twin, bpk_grow_base(g), NULL), BPK_OK);
    bpk_reset(bpk_grow_base(g));
    t_assert_same_bytes(bpk_grow_base(g), twin);
    grow_add(g, 2, 0, 1000);
    t_add(twin, 2, 0, 1000);
    t_assert_same_bytes(bpk_grow_base(g), twin);
    bpk_free(twin);
    grow_free(g);
}

/* ---- merging ---- */

static bpk_grow *filled(uint64_t stream, uint64_t from, uint64_t to, uint8_t on_full) {
    bpk_grow *g = grow_new(100, 1e-4, on_full);
    grow_add(g, stream, from, to);
    return g;
}

static void first_layers_unite_while_both_counters_are_within_the_plan(void **state) {
    (void)state;
    bpk_grow *a = filled(1, 0, 60, BPK_FULL_GROW), *b = filled(1, 50, 90, BPK_FULL_GROW);
    bpk_grow *back = filled(1, 50, 90, BPK_FULL_GROW), *whole = filled(1, 0, 90, BPK_FULL_GROW);
    bpk_err err;
    assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_OK);
    assert_int_equal(bpk_grow_inserts(a), 100);
    assert_true(bpk_grow_rate(a) == bpk_grow_rate(whole));
    assert_int_equal(grow_seen(a, 1, 0, 90), 90);
    grow_free(b);
    b = filled(1, 0, 60, BPK_FULL_GROW);
    assert_int_equal(bpk_merge(bpk_grow_base(back), bpk_grow_base(b), &err), BPK_OK);
    t_assert_same_bytes(bpk_grow_base(a), bpk_grow_base(back));
    grow_add(a, 1, 90, 91); /* the counter is at its plan: it grows */
    assert_int_equal(grow_layers(a), 2);
    grow_free(a), grow_free(b), grow_free(back), grow_free(whole);
}

static void a_union_that_would_not_keep_its_rate_is_refused_with_both_counters(void **state) {
    (void)state;
    static const uint64_t items[][2] = {{60, 41}, {1, 100}, {101, 1}, {1, 250}, {250, 250}};
    for (size_t i = 0; i < 5; i++) {
        bpk_grow *a = filled(1, 0, items[i][0], BPK_FULL_GROW), *b = filled(2, 0, items[i][1], BPK_FULL_GROW);
        bpk_sketch *before = NULL, *sum = NULL;
        bpk_err err;
        char text[24];
        assert_int_equal(bpk_copy(&before, bpk_grow_base(a), NULL), BPK_OK);
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "inserts");
        snprintf(text, sizeof text, "%llu", (unsigned long long)items[i][0]);
        assert_string_equal(err.mine, text);
        snprintf(text, sizeof text, "%llu", (unsigned long long)items[i][1]);
        assert_string_equal(err.other, text);
        t_assert_same_bytes(bpk_grow_base(a), before);
        const bpk_sketch *both[] = {bpk_grow_base(a), bpk_grow_base(b)};
        assert_int_equal(bpk_merge_many(&sum, both, 2, NULL, &err), BPK_E_MISMATCH);
        assert_null(sum);
        bpk_free(before);
        grow_free(a), grow_free(b);
    }
}

static void an_empty_chain_unites_with_any_that_fits(void **state) {
    (void)state;
    bpk_grow *a = filled(1, 0, 1000, BPK_FULL_GROW), *empty = filled(1, 0, 0, BPK_FULL_GROW);
    bpk_sketch *before = NULL, *sum = NULL;
    assert_int_equal(bpk_copy(&before, bpk_grow_base(a), NULL), BPK_OK);
    assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(empty), NULL), BPK_OK);
    t_assert_same_bytes(bpk_grow_base(a), before);
    assert_int_equal(bpk_merge(bpk_grow_base(empty), bpk_grow_base(a), NULL), BPK_OK);
    t_assert_same_bytes(bpk_grow_base(empty), before);
    bpk_reset(bpk_grow_base(empty));
    const bpk_sketch *all[] = {bpk_grow_base(empty), before, bpk_grow_base(empty)};
    assert_int_equal(bpk_merge_many(&sum, all, 3, NULL, NULL), BPK_OK);
    t_assert_same_bytes(sum, before);
    bpk_free(before), bpk_free(sum);
    grow_free(a), grow_free(empty);
}

static void with_any_policy_a_union_is_within_the_plan(void **state) {
    (void)state;
    static const uint8_t policies[] = {BPK_FULL_ERROR, BPK_FULL_DEGRADE, BPK_FULL_GROW};
    for (size_t i = 0; i < 3; i++) {
        bpk_grow *a = filled(1, 0, 75, policies[i]), *b = filled(2, 0, 25, policies[i]),
                 *c = filled(2, 0, 75, policies[i]);
        bpk_err err;
        assert_int_equal(bpk_merge(bpk_grow_base(c), bpk_grow_base(a), &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "inserts");
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), NULL), BPK_OK);
        assert_int_equal(bpk_grow_inserts(a), 100);
        assert_int_equal(grow_seen(a, 1, 0, 75) + grow_seen(a, 2, 0, 25), 100);
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_MISMATCH);
        grow_free(a), grow_free(b), grow_free(c);
    }
}

static void chains_of_another_plan_do_not_unite(void **state) {
    (void)state;
    static const struct {
        bpk_grow_config c;
        const char *field, *other;
    } rows[] = {
        {{.items = 101, .rate = 0.01, .on_full = BPK_FULL_GROW}, "items", "101"},
        {{.items = 100, .rate = 0.02, .on_full = BPK_FULL_GROW}, "rate", "1 in 50"},
        {{.items = 100, .rate = 0.01, .on_full = BPK_FULL_ERROR}, "on_full", "error"},
        {{.items = 100, .rate = 0.01, .on_full = BPK_FULL_GROW, .layout = BPK_BLOOM_CLASSIC}, "layout", "classic"},
    };
    bpk_grow *a = grow_new(100, 0.01, BPK_FULL_GROW);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bpk_grow_config c = rows[i].c;
        bpk_err err;
        c.layers = BPK_KIND_BLOOM;
        bpk_grow *b = grow_in(&c, NULL);
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, rows[i].field);
        assert_string_equal(err.other, rows[i].other);
        grow_free(b);
    }
    grow_free(a);
}

static void rates_that_differ_are_told_apart(void **state) {
    (void)state;
    static const struct {
        double mine, other;
        const char *here, *there;
    } rows[] = {{0.01, 0.02, "1 in 100", "1 in 50"},
                {0.01, 0.010001, "1 in 100.00", "1 in 99.99"},
                {0.5, 0.45, "1 in 2.0", "1 in 2.2"},
                {1e-6, 1.0000001e-6, "1 in 1000000.0", "1 in 999999.9"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bpk_grow *a = grow_new(100, rows[i].mine, BPK_FULL_GROW), *b = grow_new(100, rows[i].other, BPK_FULL_GROW);
        bpk_err err;
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_MISMATCH);
        assert_string_equal(err.field, "rate");
        assert_string_equal(err.mine, rows[i].here);
        assert_string_equal(err.other, rows[i].there);
        grow_free(a), grow_free(b);
    }
    for (double rate = 0.5; rate > 1e-13; rate /= 7) { /* neighbours but four */
        const double next = rate * (1 - 0x1p-51);
        bpk_grow *a = grow_new(1, rate, BPK_FULL_GROW), *b = grow_new(1, next, BPK_FULL_GROW);
        bpk_err err;
        assert_int_equal(bpk_merge(bpk_grow_base(a), bpk_grow_base(b), &err), BPK_E_MISMATCH);
        assert_string_not_equal(err.mine, err.other);
        grow_free(a), grow_free(b);
    }
}

/* ---- making ---- */

static void configurations_out_of_range_are_refused(void **state) {
    (void)state;
    static const bpk_grow_config wrong[] = {
        {.layers = BPK_KIND_BLOOM, .items = 0, .rate = 0.01},
        {.layers = BPK_KIND_BLOOM, .items = (UINT64_C(1) << 48) + 1, .rate = 0.01},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0.51},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 9e-15},
        {.layers = BPK_KIND_BLOOM, .items = UINT64_C(1) << 40, .rate = 1e-6, .on_full = BPK_FULL_GROW},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0.01, .layout = 2},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0.01, .on_full = 3},
        {.layers = BPK_KIND_HLL, .items = 10, .rate = 0.01},
        {.layers = 0, .items = 10, .rate = 0.01},
        {.layers = BPK_KIND_BLOOM, .items = 10, .rate = 0.01, .domain = {.hash = 9}},
    };
    bpk_grow *g = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(bpk_grow_new(&g, &wrong[i], NULL), BPK_E_ARG);
        assert_null(g);
    }
}

typedef struct named {
    const char *kind;
    bpk_param p[3];
    size_t n;
    const char *field; /* at fault, or NULL */
} named;

static void a_chain_is_made_by_its_own_name_or_by_that_of_its_layers(void **state) {
    (void)state;
    static const named rows[] = {
        {"grow", {{"items", "10"}}, 1, NULL},
        {"grow", {{"items", "10"}, {"layers", "bloom"}, {"on_full", "error"}}, 3, NULL},
        {"grow", {{"items", "10"}, {"rate", "1e-4"}, {"layout", "classic"}}, 3, NULL},
        {"bloom", {{"items", "10"}, {"on_full", "grow"}, {"layout", "classic"}}, 3, NULL},
        {"grow", {{"rate", "1%"}}, 1, "items"},
        {"grow", {{"items", "0"}}, 1, "items"},
        {"grow", {{"items", "10"}, {"rate", "60%"}}, 2, "rate"},
        {"grow", {{"items", "10"}, {"layers", "hll"}}, 2, "layers"},
        {"grow", {{"items", "10"}, {"layout", "round"}}, 2, "layout"},
        {"grow", {{"items", "10"}, {"on_full", "burst"}}, 2, "on_full"},
        {"grow", {{"items", "10"}, {"colour", "blue"}}, 2, "colour"},
        {"bloom", {{"on_full", "grow"}}, 1, "items"},
        {"bloom", {{"items", "10"}, {"on_full", "grow"}, {"layers", "bloom"}}, 3, "layers"},
        {"bloom", {{"items", "10"}, {"on_full", "grow"}, {"colour", "blue"}}, 3, "colour"},
        {"hll", {{"precision", "10"}, {"on_full", "grow"}}, 2, "on_full"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const named *r = &rows[i];
        bpk_sketch *s = NULL;
        bpk_err err = {.field = NULL};
        bpk_status st = bpk_new(&s, r->kind, NULL, r->p, r->n, NULL, &err);
        assert_int_equal(st, r->field ? BPK_E_ARG : BPK_OK);
        if (r->field) assert_string_equal(err.field, r->field);
        else assert_string_equal(bpk_kind_name(s), "grow");
        bpk_free(s);
    }
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, "bloom", NULL, (bpk_param[]){{"items", "9"}, {"on_full", "error"}}, 2, NULL, NULL), 0);
    assert_string_equal(bpk_kind_name(s), "bloom");
    assert_null(bpk_as_grow(s));
    bpk_free(s);
}

/* ---- what it says ---- */

static void info_says_what_the_chain_is(void **state) {
    (void)state;
    bpk_grow *g = grow_new(1000, 0.01, BPK_FULL_GROW);
    const bpk_sketch *s = bpk_grow_base(g);
    grow_add(g, 1, 0, 6900);
    assert_string_equal(grow_info(s, "layers_of").text, "bloom");
    assert_string_equal(grow_info(s, "layout").text, "blocked");
    assert_string_equal(grow_info(s, "on_full").text, "grow");
    assert_true(grow_number(s, "layers") == 3);
    assert_true(grow_number(s, "first_items") == 1000);
    assert_true(grow_number(s, "planned_items") == 7000);
    assert_true(grow_number(s, "inserts") == (double)bpk_grow_inserts(g));
    assert_true(grow_number(s, "rate_asked") == 0.01);
    assert_true(grow_number(s, "rate_now") == bpk_grow_rate(g));
    bpk_estimate items = bpk_grow_items(g, 0);
    assert_true(grow_number(s, "items") == items.estimate && items.lower <= 6900 && 6900 <= items.upper);
    double bits = 8 * grow_number(s, "body_bytes");
    assert_true(grow_number(s, "bits_per_item") == bits / items.estimate);
    assert_true(fabs(grow_number(s, "fill") - 0.4) < 0.1);
    bpk_reset(bpk_grow_base(g));
    assert_true(bpk_grow_items(g, 0).estimate == 0 && (bpk_grow_items(g, 0).flags & BPK_EXACT));
    assert_true(bpk_grow_rate(g) == 0);
    grow_free(g);
}

static void the_rate_of_the_chain_is_at_most_the_sum_of_its_layers(void **state) {
    (void)state;
    bpk_grow *g = grow_new(1000, 0.3, BPK_FULL_GROW);
    grow_add(g, 1, 0, 6000);
    double sum = 0;
    for (size_t i = 0; bpk_grow_layer(g, i); i++) sum += bpk_bloom_rate(bpk_as_bloom(bpk_grow_layer(g, i)));
    assert_true(bpk_grow_rate(g) == sum && sum > 0.05);
    double seen = (double)grow_seen(g, 2, 0, 200000), expected = 200000 * sum;
    assert_true(seen < expected + 6 * sqrt(expected) && seen > 0.95 * expected); /* 2e-9 */
    grow_free(g);
    g = grow_new(10, 0.3, BPK_FULL_DEGRADE);
    grow_add(g, 1, 0, 6000);
    assert_true(bpk_grow_rate(g) == 1);
    grow_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_opens_for_the_first_item_beyond_the_plan_of_the_last),
        cmocka_unit_test(layers_double_and_their_rates_add_up_to_less_than_the_one_asked_for),
        cmocka_unit_test(planned_rates_of_any_number_of_layers_add_up_to_less_than_the_one_asked_for),
        cmocka_unit_test(what_a_chain_takes_is_known_before),
        cmocka_unit_test(what_it_costs_is_that_of_the_real_one),
        cmocka_unit_test(sizes_are_those_of_the_page),
        cmocka_unit_test(where_there_can_be_no_further_layer_it_is_full_and_says_so),
        cmocka_unit_test(an_item_that_a_layer_has_changes_nothing),
        cmocka_unit_test(batches_of_any_size_leave_the_same_bytes_and_answers),
        cmocka_unit_test(nothing_that_was_added_is_missed_in_a_million_steps),
        cmocka_unit_test(error_refuses_from_150_percent_of_its_plan_by_the_insert_counter),
        cmocka_unit_test(degrade_goes_on_in_one_layer_and_its_health_says_over),
        cmocka_unit_test(a_chain_that_can_grow_is_well_while_it_does),
        cmocka_unit_test(the_limit_holds_for_all_layers_together_and_stops_growth_within_a_batch),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(so_may_those_of_a_copy_and_of_a_union),
        cmocka_unit_test(a_chain_that_starts_anew_is_its_twin),
        cmocka_unit_test(first_layers_unite_while_both_counters_are_within_the_plan),
        cmocka_unit_test(a_union_that_would_not_keep_its_rate_is_refused_with_both_counters),
        cmocka_unit_test(an_empty_chain_unites_with_any_that_fits),
        cmocka_unit_test(with_any_policy_a_union_is_within_the_plan),
        cmocka_unit_test(chains_of_another_plan_do_not_unite),
        cmocka_unit_test(rates_that_differ_are_told_apart),
        cmocka_unit_test(configurations_out_of_range_are_refused),
        cmocka_unit_test(a_chain_is_made_by_its_own_name_or_by_that_of_its_layers),
        cmocka_unit_test(info_says_what_the_chain_is),
        cmocka_unit_test(the_rate_of_the_chain_is_at_most_the_sum_of_its_layers),
    };
    return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
