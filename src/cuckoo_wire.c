/* cuckoo_wire.c - inside the cuckoo room: state to bytes and back. docs/format.md, section cuckoo, is normative.
 *
 *   parameters, 32 bytes   u8 width, u8 level, u8 coding, 5 zeros, u64 base, u64 items planned, u64 suspect removals
 *   coding 0               the buckets as they are in memory, 8 or 6 bytes each
 *   coding 1               form small alone, and always where it is smaller: u64 count; the fingerprints as ascending
 *                          numbers bucket x (2^width - 1) + fingerprint - 1, as gaps in a Rice code
 *
 * A bucket has no order of its own, which is worth 1.1 bits a fingerprint, and a free place costs nothing in a list:
 * 15.6 bits an item at 95 % load instead of 16.84, and 16.6 instead of 33.7 at half the load
 * (docs/adr/0011-cuckoo-filters.md).
 */
#include "bits.h"
#include "cuckoo_state.h"

enum { PARAMS = 32, CODING_RAW = 0, CODING_RICE = 1, AT_CODING = BPKI_HEADER + 2, COUNT_BYTES = 8 };

static_assert(sizeof(bpk_cuckoo) <= sizeof(bpk_view), "a view holds the object");

/* ---- the list ---- */

/* Numbers that a list may have. */
static uint64_t numbers(const cuckoo_plan *p) {
    return p->buckets * cuckoo_low(p->width);
}

/* The fingerprints of a table, bucket by bucket, as gaps between their numbers. */
typedef struct lister {
    const bpk_cuckoo *c;
    uint64_t i, bucket, last; /* the next bucket; what is left of the one before, lowest first; the number before */
} lister;

/* False at the end. */
static bool next_gap(lister *l, uint64_t *gap) {
    unsigned width = l->c->plan.width;
    while (l->bucket == 0) {
        if (l->i == l->c->plan.buckets) return false;
        l->bucket = cuckoo_load(l->c->table, l->i++, width);
        while (l->bucket && !cuckoo_bucket_full(l->bucket, width)) l->bucket >>= width;
    }
    uint64_t number = (l->i - 1) * cuckoo_low(width) + (l->bucket & cuckoo_low(width)) - 1;
    l->bucket >>= width;
    *gap = number - l->last;
    l->last = number;
    return true;
}

/* Bytes of coding 1; as many as those of coding 0 where it is not smaller. */
static uint64_t listed_bytes(const bpk_cuckoo *c) {
    lister l = {.c = c};
    uint64_t bits = 0, gap, raw = cuckoo_bytes(&c->plan);
    unsigned b = bpki_rice_bits(numbers(&c->plan), c->n);
    while (next_gap(&l, &gap)) bits += bpki_rice_size(gap, b);
    uint64_t bytes = COUNT_BYTES + (bits + 7) / 8;
    return bytes < raw ? bytes : raw;
}

static void write_list(const bpk_cuckoo *c, bpki_out *o) {
    lister l = {.c = c};
    bpki_bit_out w = {o, 0, 0};
    uint64_t gap;
    bpki_out_u64(o, c->n);
    unsigned b = bpki_rice_bits(numbers(&c->plan), c->n);
    while (next_gap(&l, &gap)) bpki_put_rice(&w, gap, b);
    bpki_put_end(&w);
}

/* ---- writing ---- */

static bool writes_list(const bpk_cuckoo *c, bpk_form f) {
    return f == BPK_FORM_SMALL && listed_bytes(c) < cuckoo_bytes(&c->plan);
}

uint64_t bpki_cuckoo_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_cuckoo *c = (const bpk_cuckoo *)s;
    return f == BPK_FORM_SMALL ? listed_bytes(c) : cuckoo_bytes(&c->plan);
}

void bpki_cuckoo_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cuckoo *c = (const bpk_cuckoo *)s;
    bpki_out_u8(o, c->plan.width);
    bpki_out_u8(o, c->plan.level);
    bpki_out_u8(o, writes_list(c, f) ? CODING_RICE : CODING_RAW);
    bpki_out_zeros(o, 5);
    bpki_out_u64(o, c->plan.base);
    bpki_out_u64(o, c->plan.items);
    bpki_out_u64(o, c->suspects);
}

void bpki_cuckoo_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_cuckoo *c = (const bpk_cuckoo *)s;
    if (f == BPK_FORM_SMALL && bpki_out_body_n(o) < cuckoo_bytes(&c->plan)) write_list(c, o);
    else bpki_out_bytes(o, c->table, cuckoo_bytes(&c->plan));
}

/* ---- reading ---- */

typedef struct params {
    cuckoo_plan plan;
    uint8_t coding;
    uint64_t suspects;
} params;

static void check_plan(bpki_in *r, params *p) {
    bpk_cuckoo_config cfg = {
        .items = p->plan.items, .base = p->plan.base, .fingerprint_bits = p->plan.width, .level = p->plan.level};
    const char *fault = bpki_cuckoo_fault(&cfg);
    if (fault) bpki_in_fail(r, BPK_E_CORRUPT, fault);
    else p->plan = bpki_cuckoo_plan(&cfg);
}

static bpk_status read_params(params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, PARAMS, e->start);
    *p = (params){.plan.width = bpki_in_u8(&r, "fingerprint_bits")};
    if (p->plan.width != BPK_CUCKOO_BITS && p->plan.width != BPK_CUCKOO_BITS_FEW)
        bpki_in_fail(&r, BPK_E_CORRUPT, "fingerprint_bits");
    p->plan.level = bpki_in_u8(&r, "level");
    if (p->plan.level > BPK_CUCKOO_LEVEL_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "level");
    p->coding = bpki_in_u8(&r, "coding");
    if (p->coding > CODING_RICE) bpki_in_fail(&r, BPK_E_VERSION, "coding");
    if (p->coding != CODING_RAW && e->form == BPK_FORM_VIEW) bpki_in_fail(&r, BPK_E_CORRUPT, "coding");
    bpki_in_zeros(&r, 5, "reserved");
    p->plan.base = bpki_in_u64(&r, "base");
    if (p->plan.base < 1 || (bpki_in_ok(&r) && p->plan.base > CUCKOO_BUCKETS_MAX >> p->plan.level))
        bpki_in_fail(&r, BPK_E_CORRUPT, "base");
    p->plan.items = bpki_in_u64(&r, "items");
    if (bpki_in_ok(&r)) check_plan(&r, p);
    p->suspects = bpki_in_u64(&r, "suspects");
    BPK_TRY(bpki_in_end(&r, "parameters", err));
    uint64_t raw = p->plan.buckets * cuckoo_bucket_bytes(p->plan.width);
    if (p->coding == CODING_RAW ? e->body_n != raw : e->body_n >= raw)
        return bpki_fail_at(err, BPK_E_CORRUPT, "body", (size_t)(e->body - e->start));
    return BPK_OK;
}

/* Counts the fingerprints of a bucket; false where they do not ascend. */
static bool bucket_counts(uint64_t bucket, unsigned width, uint64_t *n) {
    uint64_t last = 0;
    for (unsigned i = 0; i < CUCKOO_SLOTS; i++) {
        uint64_t fp = cuckoo_slot(bucket, i, width);
        if (fp < last) return false;
        *n += fp != 0;
        last = fp;
    }
    return true;
}

/* Every bucket may hold every fingerprint: their order is all that can be wrong. */
static bpk_status check_table(uint64_t *n, const params *p, const bpki_envelope *e, bpk_err *err) {
    *n = 0;
    for (uint64_t i = 0; i < p->plan.buckets; i++) {
        if (bucket_counts(cuckoo_load(e->body, i, p->plan.width), p->plan.width, n)) continue;
        size_t at = (size_t)(e->body - e->start) + (size_t)i * cuckoo_bucket_bytes(p->plan.width);
        return bpki_fail_at(err, BPK_E_CORRUPT, "buckets", at);
    }
    return BPK_OK;
}

/* Puts a number behind all before it; false where its bucket is full. */
static bool put_number(bpk_cuckoo *c, uint64_t number) {
    unsigned width = c->plan.width;
    uint64_t fps = cuckoo_low(width), i = number / fps, bucket = cuckoo_load(c->own, i, width);
    if (cuckoo_bucket_full(bucket, width)) return false;
    cuckoo_store(c->own, i, width, bucket >> width | (number % fps + 1) << 3 * width);
    return true;
}

/* Reads `count` numbers; false where the stream is not what the writer makes, with r->at where that begins. */
static bool read_stream(bpk_cuckoo *c, bpki_bit_in *r, uint64_t count) {
    uint64_t all = numbers(&c->plan), last = 0;
    unsigned b = bpki_rice_bits(all, count);
    for (; c->n < count; c->n++) {
        uint64_t begin = r->at, gap = bpki_get_rice(r, b, all);
        if (!r->ok || gap >= all - last || !put_number(c, last + gap)) {
            r->at = begin;
            return false;
        }
        last += gap;
    }
    return bpki_bits_end(r);
}

static bpk_status read_list(bpk_cuckoo *c, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    uint64_t count = bpki_in_u64(&r, "count");
    size_t n = bpki_in_left(&r);
    /* A fingerprint takes a bit or more. */
    if (count > CUCKOO_SLOTS * c->plan.buckets || count / 8 > n) bpki_in_fail(&r, BPK_E_CORRUPT, "count");
    const uint8_t *stream = bpki_in_bytes(&r, n, "fingerprints");
    BPK_TRY(bpki_in_end(&r, "fingerprints", err));
    bpki_bit_in bits = {stream, 0, (uint64_t)n * 8, true};
    if (read_stream(c, &bits, count)) return BPK_OK;
    return bpki_fail_at(err, BPK_E_CORRUPT, "fingerprints", (size_t)(stream - e->start) + (size_t)(bits.at / 8));
}

/* Raw buckets of form small are refused where the list would have been smaller. */
static bpk_status read_table(bpk_cuckoo *c, const bpki_envelope *e, bpk_err *err) {
    memcpy(c->own, e->body, (size_t)e->body_n);
    if (!writes_list(c, (bpk_form)e->form)) return BPK_OK;
    return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
}

bpk_status bpki_cuckoo_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    params p;
    uint64_t n = 0;
    bpk_cuckoo *c;
    BPK_TRY(read_params(&p, e, err));
    if (p.coding == CODING_RAW) BPK_TRY(check_table(&n, &p, e, err));
    bpk_status st = bpki_cuckoo_make(&c, &e->domain, &p.plan, env);
    if (st != BPK_OK) return bpki_fail(err, st, "body");
    c->suspects = p.suspects;
    if (p.coding == CODING_RAW) c->n = n;
    st = p.coding == CODING_RAW ? read_table(c, e, err) : read_list(c, e, err);
    if (st == BPK_OK) *out = &c->base;
    else bpki_cuckoo_ops.release(&c->base);
    return st;
}

bpk_status bpki_cuckoo_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    params p;
    uint64_t n;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(check_table(&n, &p, e, err));
    memset(v, 0, sizeof *v);
    bpk_cuckoo *c = (bpk_cuckoo *)(void *)v->opaque;
    BPK_TRY(bpki_sketch_init(&c->base, &bpki_cuckoo_ops, &e->domain, NULL));
    c->plan = p.plan;
    c->table = e->body;
    c->n = n;
    c->suspects = p.suspects;
    return BPK_OK;
}
