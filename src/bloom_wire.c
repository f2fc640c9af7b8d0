/* bloom_wire.c - a filter becomes bytes, and bytes a filter; docs/format.md, sections 5 and 5.2. */
#include "bloom_state.h"

/* ---- writing ---- */

uint64_t bpki_bloom_body_size(const bpk_sketch *s, bpk_form f) {
    (void)f;
    return ((const bpk_bloom *)s)->bytes;
}

/* Reserved bytes of a filter without generations are zeros, and so are the fields of its ring. */
void bpki_bloom_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_bloom *b = (const bpk_bloom *)s;
    const bpki_turn *t = &b->turn;
    (void)f;
    bpki_out_u8(o, b->plan.layout);
    bpki_out_u8(o, b->plan.k);
    bpki_out_u8(o, b->plan.on_full);
    bpki_out_u8(o, t->generations);
    bpki_out_u8(o, t->current);
    bpki_out_u8(o, t->seen);
    bpki_out_u8(o, t->lost);
    bpki_out_u8(o, t->united);
    bpki_out_u64(o, b->plan.units);
    bpki_out_u64(o, bpki_is_ring(b) ? b->ring.window : b->plan.items);
    bpki_out_f64(o, bpki_is_ring(b) ? b->ring.rate : b->plan.rate);
    bpki_out_u64(o, bpki_is_ring(b) ? b->ring.span : 0);
}

void bpki_bloom_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_bloom *b = (const bpk_bloom *)s;
    (void)f;
    bpki_out_bytes(o, b->bits, (size_t)b->bytes);
}

/* ---- reading parameters ---- */

/* A configuration as it stands in the parameters, with what has become of it. */
typedef struct header {
    bpk_bloom_config cfg;
    uint8_t k, current, lost, united;
    uint64_t units;
} header;

static void read_ring(bpki_in *r, header *h) {
    if (h->cfg.generations == 0) {
        bpki_in_zeros(r, 4, "reserved");
        return;
    }
    h->current = bpki_in_u8(r, "current");
    if (h->current > h->cfg.generations) bpki_in_fail(r, BPK_E_CORRUPT, "current");
    h->cfg.seen = bpki_in_u8(r, "seen");
    if (h->cfg.seen > BPK_SEEN_FIRST) bpki_in_fail(r, BPK_E_CORRUPT, "seen");
    h->lost = bpki_in_u8(r, "lost");
    if (h->lost > 1) bpki_in_fail(r, BPK_E_CORRUPT, "lost");
    h->united = bpki_in_u8(r, "united");
    if (h->united > 1) bpki_in_fail(r, BPK_E_CORRUPT, "united");
}

static void read_header(bpki_in *r, header *h) {
    *h = (header){.cfg = {.layout = bpki_in_u8(r, "layout")}};
    if (h->cfg.layout > BPK_BLOOM_CLASSIC) bpki_in_fail(r, BPK_E_CORRUPT, "layout");
    h->k = bpki_in_u8(r, "hashes");
    h->cfg.on_full = bpki_in_u8(r, "on_full");
    h->cfg.generations = bpki_in_u8(r, "generations");
    if (h->cfg.generations > BPK_BLOOM_GENERATIONS_MAX) bpki_in_fail(r, BPK_E_VERSION, "generations");
    read_ring(r, h);
    const char *units = h->cfg.layout == BPK_BLOOM_BLOCKED ? "blocks" : "bits";
    h->units = bpki_in_u64(r, units);
    if (h->units < 1 || h->units > (UINT64_C(1) << 54) / (h->cfg.generations + 1u))
        bpki_in_fail(r, BPK_E_CORRUPT, units);
    h->cfg.items = bpki_in_u64(r, "items");
    h->cfg.rate = bpki_in_f64(r, "rate");
}

/* What can be checked when all fields are there: ranges, and that k is the one that the plan implies. */
static void check_plan(bpki_in *r, const bpki_filter *p) {
    bool blocked = p->layout == BPKI_FILTER_BLOCKED;
    if (blocked ? p->k != bpki_filter_lines(p->rate) : p->k < 1 || p->k > BPKI_FILTER_HASHES_MAX)
        bpki_in_fail(r, BPK_E_CORRUPT, blocked ? "lines" : "hashes");
}

static void read_span(bpki_in *r, bpk_bloom *b, const header *h) {
    b->ring = (bpki_ring){h->cfg.items, bpki_in_u64(r, "span"), h->cfg.rate};
    if (b->ring.span && b->ring.span < h->cfg.generations) bpki_in_fail(r, BPK_E_CORRUPT, "span");
    if (bpki_in_ok(r)) b->plan.rate = bpki_bloom_close_at(&b->plan);
}

/* Plan, turn and ring. */
static bpk_status read_plan(bpk_bloom *b, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, BPKI_BLOOM_PARAMS, e->start);
    header h;
    read_header(&r, &h);
    const char *fault = bpki_in_ok(&r) ? bpki_bloom_fault(&h.cfg) : NULL; /* the span is still 0 */
    if (fault) bpki_in_fail(&r, BPK_E_CORRUPT, fault);
    b->plan = (bpki_filter){.layout = h.cfg.layout, .k = h.k, .on_full = h.cfg.on_full, .units = h.units};
    b->turn = (bpki_turn){h.cfg.generations, h.current, h.cfg.seen, h.lost, h.united};
    if (bpki_in_ok(&r)) {
        b->plan.items = bpki_bloom_generation_items(&h.cfg);
        b->plan.rate = bpki_bloom_generation_rate(&h.cfg);
        check_plan(&r, &b->plan);
    }
    if (bpki_is_ring(b)) read_span(&r, b, &h);
    else bpki_in_zeros(&r, 8, "reserved");
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    if (e->body_n != bpki_bloom_bytes(b)) return bpki_fail_at(err, BPK_E_CORRUPT, "body", (size_t)(e->body - e->start));
    return BPK_OK;
}

/* ---- reading the body ---- */

/* Bits behind the last one would be invisible to answers but not to merges. */
static const char *spare_fault(const bpk_bloom *b) {
    uint64_t spare_from = bpki_filter_bits(&b->plan) % 64;
    return spare_from == 0 || bpki_load64(b->bits + b->bytes - 8) >> spare_from == 0 ? NULL : "spare bits";
}

/* Adds that are counted have set bits, 8 a line at most each. They may be more than the bits: a union adds them up,
 * while items of both parts have set theirs once. */
static const char *adds_fault(const bpk_bloom *b) {
    for (unsigned g = 0; g < bpki_ring_lines(b); g++) {
        uint64_t adds = bpki_ring_adds(b, g), set = bpki_ring_set(b, g);
        if (adds > b->plan.items) return "adds";
        if ((adds == 0) != (set == 0) || set > adds * bpki_filter_bits_per_item(&b->plan)) return "adds";
    }
    return NULL;
}

/* By count alone a generation is closed when it holds something: those behind the current one have not had their turn
 * yet, or all have had it and one was thrown away. */
static const char *turns_fault(const bpk_bloom *b) {
    if (bpki_ring_now(b) != 0) return "now";
    for (unsigned g = 0; g < bpki_ring_lines(b); g++) {
        if (bpki_ring_since(b, g) != 0) return "since";
        bool used = bpki_ring_adds(b, g) > 0, had = g < b->turn.current || b->turn.lost;
        if (g != b->turn.current && used != had) return "lost";
    }
    return NULL;
}

/* With nothing in it, generations are one a slot. */
static const char *empty_fault(const bpk_bloom *b, uint64_t slot) {
    unsigned n = bpki_ring_lines(b), current = b->turn.current;
    uint64_t number = bpki_ring_now(b) / slot;
    if (current != number % n) return "current";
    for (unsigned i = 0; i < n; i++)
        if (bpki_ring_since(b, (current + n - i) % n) != (number >= i ? (number - i) * slot : 0)) return "since";
    return NULL;
}

/* By time, generations follow each other, and the current one has begun in the slot of the latest time. */
static const char *times_fault(const bpk_bloom *b) {
    unsigned n = bpki_ring_lines(b), oldest = bpki_ring_oldest(b);
    uint64_t before = 0, slot = bpki_bloom_slot(b->ring.span, b->turn.generations);
    for (unsigned i = 0; i < n; i++) {
        uint64_t since = bpki_ring_since(b, (oldest + i) % n);
        if (since < before) return "since";
        before = since;
    }
    if (before > bpki_ring_now(b) || before < bpki_ring_now(b) / slot * slot) return "since";
    return bpki_ring_is_empty(b) ? empty_fault(b, slot) : NULL;
}

static const char *body_fault(const bpk_bloom *b) {
    if (!bpki_is_ring(b)) return spare_fault(b);
    const char *fault = adds_fault(b);
    if (fault) return fault;
    if (b->turn.united && bpki_ring_is_empty(b)) return "united";
    return b->ring.span ? times_fault(b) : turns_fault(b);
}

bpk_status bpki_bloom_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    bpk_bloom *b = (bpk_bloom *)(void *)v;
    memset(b, 0, sizeof *b);
    BPK_TRY(read_plan(b, e, err));
    BPK_TRY(bpki_sketch_init(&b->base, &bpki_bloom_ops, &e->domain, NULL));
    b->bits = e->body;
    b->bytes = e->body_n;
    const char *fault = body_fault(b);
    if (!fault) return BPK_OK;
    size_t at = bpki_is_ring(b) ? (size_t)bpki_bloom_bit_bytes(b) : (size_t)b->bytes - 8;
    return bpki_fail_at(err, BPK_E_CORRUPT, fault, (size_t)(e->body - e->start) + at);
}

/* What is wrong shows in a view of the bytes, before any memory is asked for. */
bpk_status bpki_bloom_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    bpk_view v;
    bpk_bloom *b;
    BPK_TRY(bpki_bloom_view(&v, e, err));
    bpk_status st = bpki_bloom_make(&b, &e->domain, (const bpk_bloom *)(const void *)&v, env);
    if (st != BPK_OK) return bpki_fail(err, st, "body");
    memcpy(b->own, e->body, (size_t)b->bytes);
    *out = &b->base;
    return BPK_OK;
}
