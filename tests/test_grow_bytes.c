/* test_grow_bytes.c - chains as bytes: a second writer, what decodes goes on alike, layers that do not belong there.
 *
 * Flips that leave a layer's own checksum wrong are refused by it; so the damage that matters is made of whole layers.
 */
#include "damage.h"
#include "room.h"
#include "t_grow.h"
#include "t_inner.h"

enum { PARAMS_N = 24, BODY_SMALL = 32 + PARAMS_N, BODY_VIEW = 64, LAYERS = 3, MANY = 65 };

/* ---- a second writer, from docs/format.md alone ---- */

typedef struct parts {
    uint8_t layers_of, layout, on_full, reserved;
    uint64_t items;
    double rate;
    int form;
    uint32_t n, says; /* layers that there are, and how many it says there are */
    uint64_t inserts[MANY];
    t_bytes layer[MANY];
    uint64_t longer; /* added to the first length */
    uint8_t pad;     /* what pads */
} parts;

static t_bytes written(const parts *w) {
    uint8_t params[PARAMS_N] = {w->layers_of, w->layout, w->on_full, 0, 0, 0, 0, w->reserved};
    uint64_t rate;
    t_bytes body = {NULL, 0};
    memcpy(&rate, &w->rate, sizeof rate);
    t_store64(params + 8, w->items);
    t_store64(params + 16, rate);
    t_put64(&body, w->says);
    for (uint32_t i = 0; i < w->n; i++)
        t_put_inner(&body, w->form, w->inserts[i], &w->layer[i], i == 0 ? w->longer : 0, w->pad);
    t_bytes whole = t_envelope(BPK_KIND_GROW, w->form, params, PARAMS_N, body.p, body.n);
    free(body.p);
    return whole;
}

static uint64_t inserts_of(const bpk_grow *g, size_t i, size_t n) {
    uint64_t closed = 0;
    for (size_t k = 0; k + 1 < n; k++) closed += UINT64_C(20) << k;
    return i + 1 < n ? UINT64_C(20) << i : bpk_grow_inserts(g) - closed;
}

/* Three layers for 20, 40 and 80 items. */
static bpk_grow *chain(uint8_t layout) {
    bpk_grow_config c = grow_config(20, 0.01, BPK_FULL_GROW);
    c.layout = layout;
    bpk_grow *g = grow_in(&c, NULL);
    grow_add(g, 1, 0, 100);
    assert_int_equal(grow_layers(g), LAYERS);
    return g;
}

static parts parts_of(const bpk_grow *g, int form) {
    parts w = {.layers_of = BPK_KIND_BLOOM, .on_full = BPK_FULL_GROW, .items = 20, .rate = 0.01, .form = form};
    w.n = w.says = (uint32_t)grow_layers(g);
    w.layout = grow_info((const bpk_sketch *)g, "layout").text[0] == 'c';
    for (size_t i = 0; i < w.n; i++) {
        w.inserts[i] = inserts_of(g, i, w.n);
        w.layer[i] = t_encode(bpk_grow_layer(g, i), (bpk_form)form);
    }
    return w;
}

static void free_parts(parts *w) {
    for (uint32_t i = 0; i < w->n; i++) free(w->layer[i].p);
}

static void the_bytes_are_those_of_the_format(void **state) {
    (void)state;
    for (uint8_t layout = 0; layout < 2; layout++)
        for (int form = 0; form < 2; form++) {
            bpk_grow *g = chain(layout);
            parts w = parts_of(g, form);
            t_bytes b = written(&w);
            t_assert_encodes_to(bpk_grow_base(g), (bpk_form)form, b.p, b.n);
            free(b.p), free_parts(&w), grow_free(g);
        }
}

static void layers_of_form_view_lie_at_multiples_of_64_and_can_be_viewed_there(void **state) {
    (void)state;
    bpk_grow *g = chain(BPK_BLOOM_BLOCKED);
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_VIEW);
    bpk_view v;
    for (unsigned i = 0; i < LAYERS; i++) {
        size_t at = t_inner_at(&b, i), n = bpk_encoded_size(bpk_grow_layer(g, i), BPK_FORM_VIEW);
        assert_int_equal(at % 64, 0);
        const bpk_sketch *seen = bpk_view_open(&v, b.p + at, n, NULL);
        assert_non_null(seen);
        t_assert_same_bytes(seen, bpk_grow_layer(g, i));
    }
    free(b.p), grow_free(g);
}

static void a_decoded_chain_goes_on_as_the_one_that_was_encoded(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        bpk_sketch *s = bpk_grow_base(grow_new(20, 0.01, BPK_FULL_GROW)), *back = NULL;
        for (uint64_t i = 0; i < 40; i++) {
            t_bytes b = t_encode(s, (bpk_form)form);
            assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
            t_add(s, 1, 35 * i, 35 * i + 35);
            t_add(back, 1, 35 * i, 35 * i + 35);
            t_assert_same_bytes(s, back);
            bpk_free(s);
            s = back;
            free(b.p);
        }
        assert_int_equal(grow_seen(bpk_as_grow(s), 1, 0, 1400), 1400);
        bpk_free(s);
    }
}

/* ---- damage ---- */

static void every_flip_and_every_cut_is_refused_and_resealed_ones_are_refused_or_canonical(void **state) {
    (void)state;
    size_t accepted = 0;
    for (int form = 0; form < 2; form++) {
        bpk_grow *g = chain(BPK_BLOOM_CLASSIC);
        t_bytes b = t_encode(bpk_grow_base(g), (bpk_form)form);
        t_assert_damage_refused(b);
        for (size_t bit = 8 * DAMAGE_HEADER; bit < 8 * (b.n - DAMAGE_CHECKSUM); bit++) {
            t_bytes d = t_dup(&b);
            d.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            t_reseal(d.p, d.n);
            accepted += t_refused_or_canonical(d.p, d.n);
            free(d.p);
        }
        free(b.p), grow_free(g);
    }
    assert_in_range(accepted, 1, 100); /* of the last counter only */
}

static void it_may_lack_memory_anywhere(void **state) {
    (void)state;
    bpk_grow *g = grow_new(20, 0.01, BPK_FULL_GROW); /* t_decode_without_memory allows for three allocations */
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    grow_free(g);
    for (long nth = 1, done = 0; !done; nth++) {
        t_env env;
        bpk_sketch *out = NULL;
        t_env_init(&env, nth);
        bpk_status st = bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL);
        done = st == BPK_OK;
        assert_true(done || (st == BPK_E_NOMEM && !out));
        bpk_free(out);
        assert_int_equal(env.held, 0);
        assert_true(nth < 10);
    }
    free(b.p);
}

/* ---- layers and counters that do not belong there ---- */

static t_bytes layer_of(const bpk_bloom_config *c, uint64_t items, int form) {
    bpk_bloom *b = NULL;
    assert_int_equal(bpk_bloom_new(&b, c, NULL), BPK_OK);
    t_add(bpk_bloom_base(b), 1, 0, items);
    t_bytes bytes = t_encode(bpk_bloom_base(b), (bpk_form)form);
    bpk_free(bpk_bloom_base(b));
    return bytes;
}

/* The configuration of layer 0 but for what a case changes. */
static bpk_bloom_config of_layer_0(void) {
    return (bpk_bloom_config){.items = 20, .rate = 0.002 * (1 - 0.002), .on_full = BPK_FULL_DEGRADE};
}

static void with_bloom(parts *w, const bpk_bloom_config *c) {
    t_replace(&w->layer[0], layer_of(c, 20, w->form));
}
static void no_change(parts *w) {
    const bpk_bloom_config c = of_layer_0();
    with_bloom(w, &c);
}
static void none(parts *w) {
    w->says = 0;
}
static void one_more(parts *w) {
    w->says = 4;
}
static void one_less(parts *w) {
    w->says = 2;
}
static void too_many(parts *w) {
    w->says = MANY;
}
static void swapped(parts *w) {
    t_bytes first = w->layer[0];
    w->layer[0] = w->layer[1];
    w->layer[1] = first;
}
static void closed_one_less(parts *w) {
    w->inserts[1]--;
}
static void closed_one_more(parts *w) {
    w->inserts[0]++;
}
static void last_none(parts *w) {
    w->inserts[2] = 0;
}
static void last_beyond(parts *w) {
    w->inserts[2] = 81;
}
static void last_less_than_its_bits(parts *w) {
    w->inserts[2] = 10;
}
static void last_empty(parts *w) {
    const bpk_bloom_config c = {.items = 80, .rate = 0.00128 * (1 - 0.00128), .on_full = BPK_FULL_DEGRADE};
    t_replace(&w->layer[2], layer_of(&c, 0, w->form));
}
static void last_opened_in_vain(parts *w) {
    last_empty(w);
    w->inserts[2] = 0;
}
/* One item, and as many inserts as there is room for. */
static void last_more_than_its_bits(parts *w) {
    const bpk_bloom_config c = {.items = 80, .rate = 0.00128 * (1 - 0.00128), .on_full = BPK_FULL_DEGRADE};
    t_replace(&w->layer[2], layer_of(&c, 1, w->form));
    w->inserts[2] = 80;
}
static void length_too_long(parts *w) {
    w->longer = 1;
}
static void length_huge(parts *w) {
    w->longer = UINT64_C(1) << 63;
}
static void length_too_short(parts *w) {
    w->longer = (uint64_t)-1;
}
static void other_items(parts *w) {
    bpk_bloom_config c = of_layer_0();
    c.items = 21;
    with_bloom(w, &c);
}
static void other_rate(parts *w) {
    bpk_bloom_config c = of_layer_0();
    c.rate = 0.002;
    with_bloom(w, &c);
}
static void other_layout(parts *w) {
    bpk_bloom_config c = of_layer_0();
    c.layout = BPK_BLOOM_CLASSIC;
    with_bloom(w, &c);
}
static void refusing_layer(parts *w) {
    bpk_bloom_config c = of_layer_0();
    c.on_full = BPK_FULL_ERROR;
    with_bloom(w, &c);
}
static void other_domain(parts *w) {
    bpk_bloom_config c = of_layer_0();
    c.domain = (bpk_domain){.hash = BPK_HASH_XXH3, .seed = 1};
    with_bloom(w, &c);
}
static void other_kind(parts *w) {
    t_replace_by_hll(&w->layer[0], w->form);
}
static void chain_as_layer(parts *w) {
    bpk_grow *g = chain(BPK_BLOOM_BLOCKED);
    t_replace(&w->layer[0], t_encode(bpk_grow_base(g), (bpk_form)w->form));
    grow_free(g);
}
static void other_form(parts *w) {
    const bpk_bloom_config c = of_layer_0();
    t_replace(&w->layer[0], layer_of(&c, 20, !w->form));
}
static void with_metadata(parts *w) {
    t_replace_labelled(&w->layer[0], w->form);
}
static void damaged(parts *w) {
    w->layer[0].p[w->layer[0].n - 20] ^= 1;
}
static void no_envelope(parts *w) {
    w->layer[0].n = 0;
}
static void head_alone(parts *w) {
    w->layer[0].n = 20;
}
static void unknown_layers(parts *w) {
    w->layers_of = 7;
}
static void layout_2(parts *w) {
    w->layout = 2;
}
static void on_full_3(parts *w) {
    w->on_full = 3;
}
static void reserved_1(parts *w) {
    w->reserved = 1;
}
static void items_0(parts *w) {
    w->items = 0;
}
static void items_huge(parts *w) {
    w->items = UINT64_MAX;
}
static void rate_0(parts *w) {
    w->rate = 0;
}
static void rate_nan(parts *w) {
    w->rate = NAN;
}
static void rate_beyond_hashes(parts *w) {
    w->items = UINT64_C(1) << 40;
    w->rate = 1e-9;
}
static void one_layer_only(parts *w) {
    w->on_full = BPK_FULL_DEGRADE;
}
/* Layer 0 says what the chain says, of which there cannot be a second one, or none at all. */
static void first_of(parts *w, uint64_t items, double rate) {
    const double q = rate * 0.2, own = q * (1 - q);
    uint64_t bits;
    memcpy(&bits, &own, sizeof bits);
    w->items = w->inserts[0] = items;
    w->rate = rate;
    t_store64(w->layer[0].p + 48, items);
    t_store64(w->layer[0].p + 56, bits);
    t_reseal(w->layer[0].p, w->layer[0].n);
}
static void no_such_layer(parts *w) {
    first_of(w, UINT64_C(1) << 48, 0.01);
    w->inserts[1] = UINT64_C(1) << 49;
}
static void layer_beyond_hashes(parts *w) {
    first_of(w, UINT64_C(1) << 40, 1e-9);
}

typedef struct wrong {
    void (*change)(parts *w);
    bpk_status st;
    const char *field;
    int layer, at; /* the byte `at` of that layer's envelope; of the whole where layer is -1 */
} wrong;

enum { BODY = 1000 }; /* offsets from here count from the body */

static const wrong wrongs[] = {
    {none, BPK_E_CORRUPT, "layers", -1, BODY},
    {one_more, BPK_E_CORRUPT, "inserts", -1, -1},
    {one_less, BPK_E_CORRUPT, "layers", -1, -1},
    {too_many, BPK_E_CORRUPT, "layers", -1, BODY},
    {swapped, BPK_E_CORRUPT, "layer's plan", 0, 0},
    {closed_one_less, BPK_E_CORRUPT, "inserts", -1, -1},
    {closed_one_more, BPK_E_CORRUPT, "inserts", -1, BODY + 8},
    {last_none, BPK_E_CORRUPT, "inserts", -1, -1},
    {last_beyond, BPK_E_CORRUPT, "inserts", -1, -1},
    {last_less_than_its_bits, BPK_E_CORRUPT, "inserts", -1, -1},
    {last_more_than_its_bits, BPK_E_CORRUPT, "inserts", -1, -1},
    {last_empty, BPK_E_CORRUPT, "inserts", -1, -1},
    {last_opened_in_vain, BPK_E_CORRUPT, "inserts", -1, -1},
    {length_too_long, BPK_E_CORRUPT, "bytes behind the sketch", -1, -1},
    {length_huge, BPK_E_CORRUPT, "layer's length", -1, BODY + 16},
    {length_too_short, BPK_E_TRUNCATED, "body", -1, -1},
    {other_items, BPK_E_CORRUPT, "layer's plan", 0, 0},
    {other_rate, BPK_E_CORRUPT, "layer's plan", 0, 0},
    {other_layout, BPK_E_CORRUPT, "layer's plan", 0, 0},
    {refusing_layer, BPK_E_CORRUPT, "layer's plan", 0, 0},
    {other_domain, BPK_E_CORRUPT, "layer's domain", 0, 0},
    {other_kind, BPK_E_CORRUPT, "layer's kind", 0, OFF_KIND},
    {chain_as_layer, BPK_E_CORRUPT, "layer's kind", 0, OFF_KIND},
    {other_form, BPK_E_CORRUPT, "layer's form", 0, OFF_FORM},
    {with_metadata, BPK_E_CORRUPT, "layer's flags", 0, OFF_FLAGS},
    {damaged, BPK_E_CHECKSUM, "checksum", -1, -1},
    {no_envelope, BPK_E_TRUNCATED, "header", 0, 0},
    {head_alone, BPK_E_TRUNCATED, "header", 0, 20},
    {unknown_layers, BPK_E_VERSION, "layers_of", -1, 32},
    {layout_2, BPK_E_CORRUPT, "layout", -1, 33},
    {on_full_3, BPK_E_CORRUPT, "on_full", -1, 34},
    {reserved_1, BPK_E_CORRUPT, "reserved", -1, 39},
    {items_0, BPK_E_CORRUPT, "items", -1, 40},
    {items_huge, BPK_E_CORRUPT, "items", -1, 40},
    {rate_0, BPK_E_CORRUPT, "rate", -1, 48},
    {rate_nan, BPK_E_CORRUPT, "rate", -1, 48},
    {rate_beyond_hashes, BPK_E_CORRUPT, "inserts", -1, BODY + 8},
    {one_layer_only, BPK_E_CORRUPT, "layers", -1, BODY},
    {no_such_layer, BPK_E_CORRUPT, "layers", -1, -1},
    {layer_beyond_hashes, BPK_E_CORRUPT, "rate", 0, 56},
};

static void check_wrong(const wrong *c, int form) {
    bpk_grow *g = chain(BPK_BLOOM_BLOCKED);
    parts w = parts_of(g, form);
    bpk_sketch *out = NULL;
    bpk_err err = {.code = BPK_OK};
    c->change(&w);
    t_bytes b = written(&w);
    size_t body = form == BPK_FORM_VIEW ? BODY_VIEW : BODY_SMALL;
    size_t at = c->layer >= 0   ? t_inner_at(&b, (unsigned)c->layer) + (size_t)c->at
                : c->at >= BODY ? body + (size_t)c->at - BODY
                                : (size_t)c->at;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), c->st);
    assert_string_equal(err.field, c->field);
    if (c->at >= 0) assert_int_equal(err.offset, at);
    t_assert_refused(b.p, b.n);
    free(b.p), free_parts(&w), grow_free(g);
}

static void whatever_no_chain_can_be_is_named_with_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        for (int form = 0; form < 2; form++) check_wrong(&wrongs[i], form);
}

/* The cases above are wrong because of what they change: a layer that is as planned is taken, whoever made it. */
static void a_layer_of_the_same_plan_is_taken(void **state) {
    (void)state;
    bpk_grow *g = chain(BPK_BLOOM_BLOCKED);
    parts w = parts_of(g, BPK_FORM_VIEW);
    no_change(&w);
    t_bytes b = written(&w);
    t_assert_encodes_to(bpk_grow_base(g), BPK_FORM_VIEW, b.p, b.n);
    free(b.p);
    w.pad = 1;
    b = written(&w);
    bpk_sketch *out = NULL;
    bpk_err err;
    assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "padding");
    assert_int_equal(err.offset, BODY_VIEW + 24);
    free(b.p), free_parts(&w), grow_free(g);
}

/* How many blocks a plan takes is no part of the format. Chains whose first layers differ in size do not unite. */
static void a_layer_of_another_size_is_taken(void **state) {
    (void)state;
    bpk_grow *g = grow_new(20, 0.01, BPK_FULL_GROW);
    bpk_sketch *larger = NULL, *before = NULL;
    bpk_err err;
    grow_add(g, 1, 0, 9);
    parts w = parts_of(g, BPK_FORM_SMALL);
    bpk_bloom_config c = of_layer_0();
    c.items = 200;
    t_bytes layer = layer_of(&c, 9, BPK_FORM_SMALL);
    t_store64(layer.p + 48, 20); /* its plan says 20 */
    t_reseal(layer.p, layer.n);
    t_replace(&w.layer[0], layer);
    t_bytes b = written(&w);
    assert_int_equal(bpk_decode(&larger, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    t_assert_encodes_to(larger, BPK_FORM_SMALL, b.p, b.n);
    assert_int_equal(bpk_copy(&before, larger, NULL), BPK_OK);
    assert_int_equal(bpk_merge(larger, bpk_grow_base(g), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "bits of a layer");
    t_assert_same_bytes(larger, before);
    t_add(larger, 1, 0, 100);
    assert_int_equal(grow_seen(bpk_as_grow(larger), 1, 0, 100), 100);
    bpk_sketch *twin = NULL;
    assert_int_equal(bpk_twin(&twin, larger, NULL), BPK_OK);
    bpk_reset(larger);
    t_assert_same_bytes(larger, twin); /* which keep that size */
    bpk_free(twin);
    free(b.p), free_parts(&w), bpk_free(larger), bpk_free(before), grow_free(g);
}

/* Sizes within one word: the bytes are as many, and the room would fold the larger one. */
static void layers_unite_only_where_their_bits_are_as_many(void **state) {
    (void)state;
    bpk_grow_config c = grow_config(2, 0.5, BPK_FULL_ERROR);
    c.layout = BPK_BLOOM_CLASSIC;
    bpk_grow *g = grow_in(&c, NULL);
    bpk_sketch *larger = NULL;
    bpk_err err;
    grow_add(g, 1, 0, 1);
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    uint8_t *layer = b.p + t_inner_at(&b, 0);
    size_t n = bpk_encoded_size(bpk_grow_layer(g, 0), BPK_FORM_SMALL);
    assert_true(2 * t_load64(layer + 40) <= 64);
    t_store64(layer + 40, 2 * t_load64(layer + 40));
    t_reseal(layer, n);
    t_reseal(b.p, b.n);
    assert_int_equal(bpk_decode(&larger, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_merge(larger, bpk_grow_base(g), &err), BPK_E_MISMATCH);
    assert_string_equal(err.field, "bits of a layer");
    assert_int_equal(bpk_merge(bpk_grow_base(g), larger, &err), BPK_E_MISMATCH);
    t_assert_encodes_to(larger, BPK_FORM_SMALL, b.p, b.n);
    free(b.p), bpk_free(larger), grow_free(g);
}

/* The counter of a state that degrades may come to its end, by bytes; adds go on. */
static void degrade_goes_on_when_its_counter_is_at_its_end(void **state) {
    (void)state;
    for (uint64_t left = 0; left < 3; left++) {
        bpk_grow *g = grow_new(1000, 0.01, BPK_FULL_DEGRADE);
        bpk_sketch *s = NULL;
        size_t done = 0;
        uint64_t hash[100];
        for (uint64_t i = 0; i < 100; i++) hash[i] = t_hash(1, i);
        grow_add(g, 1, 0, 1);
        t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
        t_store64(b.p + BODY_SMALL + 8, UINT64_MAX - left);
        t_reseal(b.p, b.n);
        assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
        assert_int_equal(bpk_grow_add((bpk_grow *)s, hash, 100, NULL, &done, NULL), BPK_OK);
        assert_int_equal(done, 100);
        assert_int_equal(grow_seen(bpk_as_grow(s), 1, 0, 100), 100);
        assert_true(bpk_grow_inserts(bpk_as_grow(s)) == UINT64_MAX);
        free(b.p), bpk_free(s), grow_free(g);
    }
}

static void bytes_behind_the_last_layer_are_refused(void **state) {
    (void)state;
    bpk_grow *g = chain(BPK_BLOOM_BLOCKED);
    parts w = parts_of(g, BPK_FORM_SMALL);
    w.layer[2].p = realloc(w.layer[2].p, w.layer[2].n + 1);
    w.layer[2].p[w.layer[2].n] = 0;
    t_bytes b = written(&w);
    t_bytes longer = t_dup(&b);
    longer.p = realloc(longer.p, b.n + 8);
    t_store64(longer.p + OFF_BODY_N, t_load64(b.p + OFF_BODY_N) + 8);
    t_reseal(longer.p, b.n + 8);
    bpk_sketch *out = NULL;
    bpk_err err;
    assert_int_equal(bpk_decode(&out, longer.p, b.n + 8, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, "layers");
    free(b.p), free(longer.p), free_parts(&w), grow_free(g);
}

/* ---- the limit ---- */

/* Three layers have opened under the highest limit. */
static void what_grows_under_a_limit_is_copied_and_read_back_under_it(void **state) {
    (void)state;
    uint64_t hash[400];
    bpk_env env = bpk_env_default();
    bpk_grow *first = grow_new(100, 0.01, BPK_FULL_GROW), *whole = grow_new(100, 0.01, BPK_FULL_GROW);
    for (uint64_t i = 0; i < 400; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(whole, hash, 400, NULL, NULL, NULL), BPK_OK);
    uint64_t least = bpk_memory(bpk_grow_base(first)), most = bpk_memory(bpk_grow_base(whole));
    for (env.max_bytes = least; env.max_bytes <= most; env.max_bytes++) {
        const bpk_grow_config c = grow_config(100, 0.01, BPK_FULL_GROW);
        bpk_grow *g = grow_in(&c, &env);
        bpk_sketch *back = NULL;
        bpk_status st = bpk_grow_add(g, hash, 400, NULL, NULL, NULL);
        assert_int_equal(st, env.max_bytes < most ? BPK_E_LIMIT : BPK_OK);
        assert_true(bpk_memory(bpk_grow_base(g)) <= env.max_bytes);
        assert_int_equal(bpk_copy(&back, bpk_grow_base(g), &env), BPK_OK);
        bpk_free(back);
        for (int form = 0; form < 2; form++) {
            t_bytes b = t_encode(bpk_grow_base(g), (bpk_form)form);
            assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, &env, NULL), BPK_OK);
            bpk_free(back), free(b.p);
        }
        grow_free(g);
    }
    grow_free(first), grow_free(whole);
}

static size_t peak;

static void *peaking(void *ctx, size_t n) {
    const t_env *t = ctx;
    void *p = t_env_alloc(ctx, n);
    if (t->held > peak) peak = t->held;
    return p;
}

/* Empty tables are a few bytes in form small, so that the limit is met layer by layer. */
static void reading_holds_no_more_than_the_limit_but_for_one_object(void **state) {
    (void)state;
    const bpk_grow_config c = {
        .layers = BPK_KIND_CUCKOO, .items = 1000, .rate = 0.01, .fingerprint_bits = 16, .on_full = BPK_FULL_GROW};
    bpk_grow *g = grow_in(&c, NULL);
    uint64_t hash[1001];
    for (uint64_t i = 0; i < 1001; i++) hash[i] = t_hash(1, i);
    assert_int_equal(bpk_grow_add(g, hash, 1001, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_remove(bpk_grow_base(g), hash, 1001, NULL, NULL), BPK_OK);
    t_bytes b = t_encode(bpk_grow_base(g), BPK_FORM_SMALL);
    size_t whole = bpk_memory(bpk_grow_base(g));
    for (uint64_t limit = 1000; limit <= whole; limit++) {
        t_env env;
        bpk_sketch *out = NULL;
        t_env_init(&env, 0);
        env.env.alloc = peaking;
        env.env.max_bytes = limit;
        peak = 0;
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, &env.env, NULL), limit < whole ? BPK_E_LIMIT : BPK_OK);
        assert_true(peak <= limit + sizeof(bpk_view)); /* each of a layer's two allocations may take the rest */
        if (out) assert_int_equal(bpk_grow_layer(bpk_as_grow(out), 1)->env.max_bytes, limit);
        bpk_free(out);
        assert_int_equal(env.held, 0);
    }
    free(b.p), grow_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_those_of_the_format),
        cmocka_unit_test(layers_of_form_view_lie_at_multiples_of_64_and_can_be_viewed_there),
        cmocka_unit_test(a_decoded_chain_goes_on_as_the_one_that_was_encoded),
        cmocka_unit_test(every_flip_and_every_cut_is_refused_and_resealed_ones_are_refused_or_canonical),
        cmocka_unit_test(it_may_lack_memory_anywhere),
        cmocka_unit_test(whatever_no_chain_can_be_is_named_with_its_place),
        cmocka_unit_test(a_layer_of_the_same_plan_is_taken),
        cmocka_unit_test(a_layer_of_another_size_is_taken),
        cmocka_unit_test(layers_unite_only_where_their_bits_are_as_many),
        cmocka_unit_test(degrade_goes_on_when_its_counter_is_at_its_end),
        cmocka_unit_test(bytes_behind_the_last_layer_are_refused),
        cmocka_unit_test(what_grows_under_a_limit_is_copied_and_read_back_under_it),
        cmocka_unit_test(reading_holds_no_more_than_the_limit_but_for_one_object),
    };
    return cmocka_run_group_tests_name("grow_bytes", tests, NULL, NULL);
}
