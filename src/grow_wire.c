/* grow_wire.c - chains as bytes: a counter and an envelope for each layer.
 *
 * Layers are read by the ordinary decoder and must then have the plan that the chain has for their place, so that
 * nothing comes in through a chain that could not come in alone. Their sizes are their writer's business: how a plan is
 * sized is no part of the format.
 */
#include "grow_state.h"

enum { OFF_KIND = 9, OFF_FORM = 10, OFF_FLAGS = 11, COUNT_BYTES = 8, RECORD_BYTES = 16 };

/* ---- lengths ---- */

/* Where the envelope of a record lies that begins at `at` of the body: in form view at a multiple of 64 of the outer
 * one, whose body begins at such. */
static uint64_t envelope_at(uint64_t at, bpk_form f) {
    at += RECORD_BYTES;
    return f == BPK_FORM_VIEW ? (at + BPKI_VIEW_ALIGN - 1) / BPKI_VIEW_ALIGN * BPKI_VIEW_ALIGN : at;
}

uint64_t bpki_grow_view_bytes(const uint64_t *envelope, unsigned n) {
    uint64_t at = COUNT_BYTES;
    for (unsigned i = 0; i < n; i++) at = envelope_at(at, BPK_FORM_VIEW) + envelope[i];
    return at;
}

uint64_t bpki_grow_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_grow *g = (const bpk_grow *)s;
    uint64_t at = COUNT_BYTES;
    for (unsigned i = 0; i < g->n; i++) {
        size_t n = bpk_encoded_size(g->layer[i].s, f);
        if (n == 0) return BPKI_NO_MEMORY;
        at = envelope_at(at, f) + n;
    }
    return at;
}

/* ---- writing ---- */

void bpki_grow_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const grow_plan *p = &((const bpk_grow *)s)->plan;
    (void)f;
    bpki_out_u8(o, p->layers);
    bpki_out_u8(o, p->shape);
    bpki_out_u8(o, p->on_full);
    bpki_out_zeros(o, 5);
    bpki_out_u64(o, p->items);
    bpki_out_f64(o, p->rate);
}

static bpk_status into_outer(void *ctx, const void *bytes, size_t n) {
    bpki_out_bytes(ctx, bytes, n);
    return BPK_OK;
}

void bpki_grow_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_grow *g = (const bpk_grow *)s;
    uint64_t at = COUNT_BYTES;
    bpki_out_u32(o, g->n);
    bpki_out_zeros(o, 4);
    for (unsigned i = 0; i < g->n; i++) {
        const bpk_sketch *layer = g->layer[i].s;
        size_t n = bpk_encoded_size(layer, f);
        bpki_out_u64(o, g->layer[i].inserts);
        bpki_out_u64(o, n);
        bpki_out_zeros(o, (size_t)(envelope_at(at, f) - at - RECORD_BYTES));
        bpk_status st = bpk_encode(layer, f, into_outer, o);
        if (st != BPK_OK) bpki_out_fail(o, st);
        at = envelope_at(at, f) + n;
    }
}

/* ---- reading ---- */

static bpk_status read_plan(grow_plan *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, BPKI_GROW_PARAMS_N, e->start);
    bpk_grow_config cfg = {.layers = bpki_in_u8(&r, "layers_of")};
    bool cuckoo = cfg.layers == BPK_KIND_CUCKOO;
    if (!cuckoo && cfg.layers != BPK_KIND_BLOOM) bpki_in_fail(&r, BPK_E_VERSION, "layers_of");
    *(cuckoo ? &cfg.fingerprint_bits : &cfg.layout) = bpki_in_u8(&r, cuckoo ? "fingerprint_bits" : "layout");
    const char *fault = bpki_grow_shape_fault(&cfg);
    if (fault) bpki_in_fail(&r, BPK_E_CORRUPT, fault);
    cfg.on_full = bpki_in_u8(&r, "on_full");
    if (bpki_grow_shape_fault(&cfg)) bpki_in_fail(&r, BPK_E_CORRUPT, "on_full");
    bpki_in_zeros(&r, 5, "reserved");
    cfg.items = bpki_in_u64(&r, "items");
    if (cfg.items < 1 || cfg.items > UINT64_C(1) << 48) bpki_in_fail(&r, BPK_E_CORRUPT, "items");
    cfg.rate = bpki_in_f64(&r, "rate");
    if (bpki_in_ok(&r) && bpki_grow_range_fault(&cfg)) bpki_in_fail(&r, BPK_E_CORRUPT, bpki_grow_range_fault(&cfg));
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    *p = bpki_grow_plan(&cfg);
    return BPK_OK;
}

/* ---- is a layer what its place asks for? ---- */

/* Every insert has set a bit, and no more than it has hashes. Layers behind the first are never united, so that there
 * each insert has a bit of its own. */
static const char *filter_fault(const bpk_bloom *b, uint64_t inserts, const bpk_bloom_config *plan, unsigned i) {
    bpk_bloom_config is;
    bpk_bloom_shape shape;
    bpk_bloom_made_for(b, &is, &shape);
    bool planned = is.items == plan->items && is.rate == plan->rate && is.layout == plan->layout;
    if (!planned || is.on_full != plan->on_full || is.generations > 0) return "layer's plan";
    uint64_t set = bpk_bloom_set_bits(b), most;
    if (__builtin_mul_overflow(inserts, shape.hashes, &most)) most = UINT64_MAX;
    if (i > 0 && inserts > set) return "inserts";
    return set > most || (set == 0) != (inserts == 0) ? "inserts" : NULL;
}

/* Suspects are those of the oldest table, which is asked last. */
static const char *table_fault(const bpk_sketch *layer, uint64_t most, const bpk_cuckoo_config *plan) {
    const bpk_cuckoo *c = bpk_as_cuckoo(layer);
    bpk_cuckoo_config made = bpk_cuckoo_made_for(c);
    if (made.fingerprint_bits != plan->fingerprint_bits || made.items != plan->items) return "layer's plan";
    if (made.base != plan->base || made.level != plan->level) return "layer's plan";
    if (bpk_cuckoo_items(c) > most) return "layer's items";
    return plan->level > 0 && bpk_cuckoo_suspects(c) > 0 ? "layer's suspects" : NULL;
}

/* The newest layer against its place; NULL where it belongs there. */
static const char *fault_of(const bpk_grow *g) {
    unsigned i = g->n - 1;
    const grow_layer *layer = &g->layer[i];
    bpk_bloom_config filter;
    bpk_cuckoo_config table;
    if (!grow_removes(&g->plan)) {
        bool possible = bpki_grow_bloom(&filter, &g->plan, i);
        return possible ? filter_fault(bpk_as_bloom(layer->s), layer->inserts, &filter, i) : "layers";
    }
    if (!bpki_grow_cuckoo(&table, &g->plan, bpki_grow_base(g), i)) return "layers";
    return table_fault(layer->s, bpki_grow_most(&g->plan, i), &table);
}

/* ---- one layer ---- */

/* Bloom layers before the last are closed, and the last one was opened for an item; cuckoo tables count themselves. */
static bool inserts_fit(const grow_plan *p, uint64_t inserts, unsigned i, unsigned n) {
    uint64_t most = bpki_grow_most(p, i);
    if (grow_removes(p)) return inserts == 0;
    return i + 1 < n ? inserts == most : inserts <= most && (inserts > 0 || n == 1);
}

/* What the chain can see before it decodes. */
static void check_header(bpki_in *r, const uint8_t *inner, uint64_t n, const grow_plan *p, uint8_t form) {
    if (!bpki_in_ok(r) || n < BPKI_HEADER) return; /* the decoder says what is cut off */
    static const struct {
        unsigned at;
        const char *field;
    } checks[] = {{OFF_KIND, "layer's kind"}, {OFF_FORM, "layer's form"}, {OFF_FLAGS, "layer's flags"}};
    const uint8_t want[] = {p->layers, form, 0};
    for (unsigned i = 0; i < BPKI_COUNT(checks); i++)
        if (bpki_in_ok(r) && inner[checks[i].at] != want[i]) {
            r->field_at = inner + checks[i].at;
            bpki_in_fail(r, BPK_E_CORRUPT, checks[i].field);
        }
}

/* Decodes the layer and shifts what it says to where the layer lies. */
static bpk_status decode_layer(bpk_sketch **out, const uint8_t *inner, uint64_t n, const bpki_envelope *e,
                               const bpk_env *env, bpk_err *err) {
    bpk_sketch *layer;
    size_t at = (size_t)(inner - e->start);
    bpk_status st = bpk_decode(&layer, inner, (size_t)n, NULL, env, err);
    if (st != BPK_OK && err) err->offset += at;
    if (st != BPK_OK) return st;
    *out = layer;
    return bpki_domain_match(&layer->domain, &e->domain, NULL) == BPK_OK
               ? BPK_OK
               : bpki_fail_at(err, BPK_E_CORRUPT, "layer's domain", at);
}

static bpk_status read_layer(bpk_grow *g, bpki_in *r, const bpki_envelope *e, unsigned n, bpk_err *err) {
    grow_layer *layer = &g->layer[g->n];
    uint64_t at = (uint64_t)(r->at - e->body), inserts = bpki_in_u64(r, "inserts");
    if (!inserts_fit(&g->plan, inserts, g->n, n)) bpki_in_fail(r, BPK_E_CORRUPT, "inserts");
    const uint8_t *inserts_at = r->field_at;
    uint64_t length = bpki_in_u64(r, "layer's length");
    if (length > e->body_n) bpki_in_fail(r, BPK_E_CORRUPT, "layer's length");
    bpki_in_zeros(r, (size_t)(envelope_at(at, (bpk_form)e->form) - at - RECORD_BYTES), "padding");
    const uint8_t *inner = bpki_in_bytes(r, (size_t)length, "layer");
    check_header(r, inner, length, &g->plan, e->form);
    if (!bpki_in_ok(r)) return bpki_in_end(r, "layers", err);
    bpk_env rest = bpki_grow_rest(g);
    bpk_status st = decode_layer(&layer->s, inner, length, e, &rest, err);
    if (layer->s) {
        g->n++;
        bpk_status admitted = bpki_grow_admit(g, layer->s);
        if (st == BPK_OK) st = admitted;
    }
    if (st == BPK_E_LIMIT) return bpki_fail(err, st, "layers");
    if (st != BPK_OK) return st;
    layer->inserts = inserts;
    const char *fault = fault_of(g);
    if (!fault) return BPK_OK;
    const uint8_t *where = strcmp(fault, "inserts") == 0 ? inserts_at : inner;
    return bpki_fail_at(err, BPK_E_CORRUPT, fault, (size_t)(where - e->start));
}

/* A chain whose bytes alone are over the limit is refused before anything is asked for. */
static bpk_status make_empty(bpk_grow **out, const bpki_envelope *e, const bpk_env *env, uint32_t *n, bpki_in *r,
                             bpk_err *err) {
    grow_plan p;
    BPK_TRY(read_plan(&p, e, err));
    *n = bpki_in_u32(r, "layers");
    if (*n < 1 || *n > BPK_GROW_LAYERS_MAX || (*n > 1 && p.on_full != BPK_FULL_GROW))
        bpki_in_fail(r, BPK_E_CORRUPT, "layers");
    bpki_in_zeros(r, 4, "reserved");
    if (!bpki_in_ok(r)) BPK_TRY(bpki_in_end(r, "layers", err));
    bool fits = e->body_n <= bpki_env(env)->max_bytes;
    bpk_status st = fits ? bpki_grow_make(out, &e->domain, &p, *n, env) : BPK_E_LIMIT;
    return st == BPK_OK ? BPK_OK : bpki_fail(err, st, "layers");
}

bpk_status bpki_grow_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    uint32_t n;
    bpk_grow *g;
    BPK_TRY(make_empty(&g, e, env, &n, &r, err));
    bpk_status st = BPK_OK;
    for (unsigned i = 0; i < n && st == BPK_OK; i++) st = read_layer(g, &r, e, n, err);
    if (st == BPK_OK) st = bpki_in_end(&r, "layers", err);
    if (st == BPK_OK) *out = &g->base;
    else bpki_grow_release(&g->base);
    return st;
}
