/* wire.c - layer 1: byte cursors, the envelope, its metadata. docs/format.md draws what is written here.
 *
 * Writing goes through a small buffer: each full one is hashed for the checksum and handed to the sink. Reading an
 * envelope checks lengths before it follows them, the checksum before it believes anything, and reserved bytes for
 * zero, so that one state has one byte string.
 */
#include "wire.h"

#include "room.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const uint8_t magic[8] = {0x89, 'B', 'P', 'K', '\r', '\n', 0x1a, '\n'};

enum { MAJOR = 1, OFF_MAJOR = 8, OFF_HASH = 12 };

/* ---- writing ---- */

struct bpki_out {
    bpk_sink sink;
    void *ctx;
    bpk_status st;
    XXH3_state_t sum;
    uint64_t total; /* bytes handed on or buffered */
    uint64_t body_n;
    size_t n;
    uint8_t buffer[4096];
};

static void flush(bpki_out *o) {
    if (o->st == BPK_OK && o->n) {
        XXH3_64bits_update(&o->sum, o->buffer, o->n);
        o->st = o->sink(o->ctx, o->buffer, o->n);
    }
    o->n = 0;
}

void bpki_out_bytes(bpki_out *o, const void *bytes, size_t n) {
    o->total += n;
    if (n > sizeof o->buffer - o->n) flush(o);
    if (n > sizeof o->buffer) {
        if (o->st != BPK_OK) return;
        XXH3_64bits_update(&o->sum, bytes, n);
        o->st = o->sink(o->ctx, bytes, n);
        return;
    }
    if (n) memcpy(o->buffer + o->n, bytes, n);
    o->n += n;
}

void bpki_out_zeros(bpki_out *o, size_t n) {
    for (; n; n--) bpki_out_u8(o, 0);
}

void bpki_out_u8(bpki_out *o, uint8_t v) {
    bpki_out_bytes(o, &v, 1);
}

void bpki_out_u32(bpki_out *o, uint32_t v) {
    uint8_t b[4];
    bpki_store32(b, v);
    bpki_out_bytes(o, b, sizeof b);
}

void bpki_out_u64(bpki_out *o, uint64_t v) {
    uint8_t b[8];
    bpki_store64(b, v);
    bpki_out_bytes(o, b, sizeof b);
}

void bpki_out_f64(bpki_out *o, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bpki_out_u64(o, bits);
}

uint64_t bpki_out_body_n(const bpki_out *o) {
    return o->body_n;
}

void bpki_out_fail(bpki_out *o, bpk_status st) {
    if (o->st == BPK_OK) o->st = st;
}

/* ---- reading ---- */

bpki_in bpki_in_open(const uint8_t *bytes, size_t n, const uint8_t *base) {
    return (bpki_in){.at = bytes, .end = bytes + n, .base = base, .field_at = bytes};
}

size_t bpki_in_left(const bpki_in *r) {
    return (size_t)(r->end - r->at);
}

void bpki_in_fail(bpki_in *r, bpk_status code, const char *field) {
    if (bpki_in_ok(r)) bpki_fail_at(&r->fault, code, field, (size_t)(r->field_at - r->base));
}

const uint8_t *bpki_in_bytes(bpki_in *r, size_t n, const char *field) {
    if (bpki_in_ok(r)) r->field_at = r->at;
    if (bpki_in_ok(r) && n > bpki_in_left(r)) bpki_in_fail(r, BPK_E_CORRUPT, field);
    if (!bpki_in_ok(r)) return NULL;
    const uint8_t *p = r->at;
    r->at += n;
    return p;
}

uint8_t bpki_in_u8(bpki_in *r, const char *field) {
    const uint8_t *p = bpki_in_bytes(r, 1, field);
    return p ? *p : 0;
}

uint16_t bpki_in_u16(bpki_in *r, const char *field) {
    const uint8_t *p = bpki_in_bytes(r, 2, field);
    return p ? bpki_load16(p) : 0;
}

uint32_t bpki_in_u32(bpki_in *r, const char *field) {
    const uint8_t *p = bpki_in_bytes(r, 4, field);
    return p ? bpki_load32(p) : 0;
}

uint64_t bpki_in_u64(bpki_in *r, const char *field) {
    const uint8_t *p = bpki_in_bytes(r, 8, field);
    return p ? bpki_load64(p) : 0;
}

double bpki_in_f64(bpki_in *r, const char *field) {
    uint64_t bits = bpki_in_u64(r, field);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

void bpki_in_zeros(bpki_in *r, size_t n, const char *field) {
    const uint8_t *p = bpki_in_bytes(r, n, field);
    for (size_t i = 0; p && i < n; i++) {
        if (p[i] == 0) continue;
        r->field_at = p + i;
        bpki_in_fail(r, BPK_E_CORRUPT, field);
    }
}

bpk_status bpki_in_end(const bpki_in *r, const char *field, bpk_err *err) {
    if (bpki_in_ok(r) && r->at == r->end) return BPK_OK;
    if (bpki_in_ok(r)) return bpki_fail_at(err, BPK_E_CORRUPT, field, (size_t)(r->at - r->base));
    if (err) *err = r->fault;
    return r->fault.code;
}

/* ---- the envelope ---- */

size_t bpki_params_padded(size_t n, bpk_form f) {
    if (f == BPK_FORM_SMALL) return n;
    return (BPKI_HEADER + n + BPKI_VIEW_ALIGN - 1) / BPKI_VIEW_ALIGN * BPKI_VIEW_ALIGN - BPKI_HEADER;
}

static void write_header(bpki_out *o, const bpki_envelope *e) {
    bpki_out_bytes(o, magic, sizeof magic);
    bpki_out_u8(o, MAJOR);
    bpki_out_u8(o, e->kind);
    bpki_out_u8(o, e->form);
    bpki_out_u8(o, e->meta ? BPKI_FLAG_META : 0);
    bpki_out_u8(o, e->domain.hash);
    bpki_out_u8(o, e->domain.secret);
    bpki_out_u8(o, e->domain.type);
    bpki_out_u8(o, (uint8_t)(e->params_n / 8));
    bpki_out_u64(o, e->domain.seed);
    bpki_out_u64(o, e->body_n);
}

bpk_status bpki_envelope_write(const bpki_envelope *e, bpki_contents contents, void *subject, bpk_sink sink,
                               void *ctx) {
    bpki_out o;
    o.sink = sink;
    o.ctx = ctx;
    o.st = BPK_OK;
    o.total = 0;
    o.body_n = e->body_n;
    o.n = 0;
    XXH3_64bits_reset(&o.sum);
    write_header(&o, e);
    contents(subject, &o);
    assert(o.st != BPK_OK || o.total == BPKI_HEADER + e->params_n + e->body_n);
    if (e->meta) bpki_out_bytes(&o, e->meta, bpki_meta_size(e->meta));
    flush(&o);
    bpki_out_u64(&o, XXH3_64bits_digest(&o.sum));
    flush(&o);
    return o.st;
}

/* A transfer that mends line ends keeps the first four bytes and moves the rest. */
int bpk_sniff(const void *b, size_t n) {
    const uint8_t *p = b;
    int same = 0;
    for (size_t i = 0; i < sizeof magic && i < n; i++) same += p[i] == magic[i];
    if (same == (int)sizeof magic) return 2;
    return same >= 6 || (n >= 4 && memcmp(p, magic, 4) == 0);
}

/* A domain that this build does not know is a newer version's; the offset is that of the member at fault. */
static void check_domain(const bpk_domain *d, bpki_in *r) {
    const char *field;
    if (!bpki_in_ok(r) || bpki_domain_valid(d, &field)) return;
    r->field_at = r->base + OFF_HASH + (strcmp(field, "secret") == 0) + 2 * (strcmp(field, "type") == 0);
    bpki_in_fail(r, BPK_E_VERSION, field);
}

/* Reads the fixed header; what a newer version could have meant is refused by name. */
static void read_header(bpki_envelope *e, bpki_in *r) {
    const uint8_t *m = bpki_in_bytes(r, sizeof magic, "magic");
    if (m && memcmp(m, magic, sizeof magic) != 0) bpki_in_fail(r, BPK_E_MAGIC, "magic");
    if (bpki_in_u8(r, "version") != MAJOR) bpki_in_fail(r, BPK_E_VERSION, "version");
    e->kind = bpki_in_u8(r, "kind");
    e->form = bpki_in_u8(r, "form");
    if (e->form > BPK_FORM_VIEW) bpki_in_fail(r, BPK_E_VERSION, "form");
    e->flags = bpki_in_u8(r, "flags");
    if (e->flags & ~BPKI_FLAG_META) bpki_in_fail(r, BPK_E_VERSION, "flags");
    e->domain.hash = bpki_in_u8(r, "hash");
    e->domain.secret = bpki_in_u8(r, "secret");
    e->domain.type = bpki_in_u8(r, "type");
    check_domain(&e->domain, r);
    e->params_n = (size_t)bpki_in_u8(r, "parameters") * 8;
    e->domain.seed = bpki_in_u64(r, "seed");
    if (e->domain.secret && e->domain.seed == 0) bpki_in_fail(r, BPK_E_CORRUPT, "seed");
    e->body_n = bpki_in_u64(r, "body length");
}

/* The one entry with a meaning, a tolerated share, is a double above 0 and up to 1. */
static bool entry_valid(unsigned tag, const void *value, size_t n) {
    uint64_t bits;
    double share;
    if (tag != BPK_META_TOLERATED) return true;
    if (n != sizeof bits) return false;
    bits = bpki_load64(value);
    memcpy(&share, &bits, sizeof share);
    return share > 0 && share <= 1; /* false for NaN */
}

/* Entries with ascending tags that fill the block exactly, at least one. */
static void read_meta(bpki_envelope *e, bpki_in *r) {
    e->meta = r->at;
    uint32_t n = bpki_in_u32(r, "metadata");
    if (n == 0 || n > BPKI_META_MAX - 4) bpki_in_fail(r, BPK_E_CORRUPT, "metadata");
    const uint8_t *entries = bpki_in_bytes(r, n, "metadata");
    if (!entries) return;
    bpki_in in = bpki_in_open(entries, n, r->base);
    for (int last = -1; bpki_in_ok(&in) && bpki_in_left(&in);) {
        int tag = bpki_in_u16(&in, "metadata");
        uint16_t len = bpki_in_u16(&in, "metadata");
        if (tag <= last || len == 0) bpki_in_fail(&in, BPK_E_CORRUPT, "metadata");
        const uint8_t *value = bpki_in_bytes(&in, len, "metadata");
        if (value && !entry_valid((unsigned)tag, value, len)) bpki_in_fail(&in, BPK_E_CORRUPT, "tolerated");
        last = tag;
    }
    if (!bpki_in_ok(&in)) r->fault = in.fault;
}

/* The end of the envelope, from lengths that may be lies: 0 when it cannot lie within n bytes. */
static size_t measure(const bpki_envelope *e, const uint8_t *b, size_t n) {
    size_t fixed = BPKI_HEADER + e->params_n + BPKI_CHECKSUM;
    if (n < fixed || e->body_n > n - fixed) return 0;
    size_t size = fixed + (size_t)e->body_n;
    if (!(e->flags & BPKI_FLAG_META)) return size;
    if (n - size < 4) return 0;
    uint32_t meta = bpki_load32(b + size - BPKI_CHECKSUM);
    if (meta > n - size - 4) return 0;
    return size + 4 + meta;
}

bpk_status bpki_envelope_open(bpki_envelope *e, const void *b, size_t n, bpk_err *err) {
    const uint8_t *p = b;
    *e = (bpki_envelope){.start = p};
    if (n < sizeof magic && (n == 0 || memcmp(p, magic, n) == 0))
        return bpki_fail_at(err, BPK_E_TRUNCATED, "header", n);
    if (n < sizeof magic) return bpki_fail_at(err, BPK_E_MAGIC, "magic", 0);
    if (n < BPKI_HEADER && bpk_sniff(p, n) == 2 && (n <= OFF_MAJOR || p[OFF_MAJOR] == MAJOR))
        return bpki_fail_at(err, BPK_E_TRUNCATED, "header", n);
    bpki_in r = bpki_in_open(p, n < BPKI_HEADER ? n : BPKI_HEADER, p);
    read_header(e, &r);
    BPK_TRY(bpki_in_end(&r, "header", err));
    e->size = measure(e, p, n);
    if (!e->size) return bpki_fail_at(err, BPK_E_TRUNCATED, "body", n);
    size_t summed = e->size - BPKI_CHECKSUM;
    if (XXH3_64bits(p, summed) != bpki_load64(p + summed)) return bpki_fail_at(err, BPK_E_CHECKSUM, "checksum", summed);

    r = bpki_in_open(p + BPKI_HEADER, summed - BPKI_HEADER, p);
    e->params = bpki_in_bytes(&r, e->params_n, "parameters");
    e->body = bpki_in_bytes(&r, (size_t)e->body_n, "body");
    if (e->flags & BPKI_FLAG_META) read_meta(e, &r);
    return bpki_in_end(&r, "metadata", err);
}

/* ---- metadata ---- */

size_t bpki_meta_size(const uint8_t *meta) {
    return 4 + (size_t)bpki_load32(meta);
}

static size_t entry_size(const uint8_t *entry) {
    return 4 + (size_t)bpki_load16(entry + 2);
}

const uint8_t *bpki_meta_find(const uint8_t *meta, uint16_t tag, size_t *n) {
    if (!meta) return NULL;
    const uint8_t *end = meta + bpki_meta_size(meta);
    for (const uint8_t *at = meta + 4; at < end; at += entry_size(at)) {
        if (bpki_load16(at) != tag) continue;
        *n = bpki_load16(at + 2);
        return at + 4;
    }
    return NULL;
}

/* Bytes of the entries with a tag below `tag`, and of those above. */
static void around(const uint8_t *meta, uint16_t tag, size_t *below, size_t *above) {
    *below = *above = 0;
    const uint8_t *end = meta ? meta + bpki_meta_size(meta) : NULL;
    for (const uint8_t *at = meta ? meta + 4 : NULL; at < end; at += entry_size(at)) {
        if (bpki_load16(at) < tag) *below += entry_size(at);
        if (bpki_load16(at) > tag) *above += entry_size(at);
    }
}

bpk_status bpki_meta_with(uint8_t **out, const uint8_t *meta, uint16_t tag, const void *value, size_t n,
                          const bpk_env *env) {
    size_t below, above, entry = n ? 4 + n : 0;
    if (n > UINT16_MAX || (n && !entry_valid(tag, value, n))) return BPK_E_ARG;
    around(meta, tag, &below, &above);
    size_t total = below + entry + above;
    if (total > BPKI_META_MAX - 4) return BPK_E_ARG;
    if (total == 0) {
        *out = NULL;
        return BPK_OK;
    }
    void *p;
    BPK_TRY(bpki_alloc(env, 4 + total, &p));
    uint8_t *made = p, *at = made + 4;
    bpki_store32(made, (uint32_t)total);
    if (below) memcpy(at, meta + 4, below);
    at += below;
    if (n) {
        bpki_store16(at, tag);
        bpki_store16(at + 2, (uint16_t)n);
        memcpy(at + 4, value, n);
        at += entry;
    }
    if (above) memcpy(at, meta + bpki_meta_size(meta) - above, above);
    *out = made;
    return BPK_OK;
}

/* Copies the entries that both blocks have equally to `to`, or only counts where it is NULL. Tags ascend in both. */
static size_t common_entries(uint8_t *to, const uint8_t *a, const uint8_t *b) {
    const uint8_t *a_end = a + bpki_meta_size(a), *b_end = b + bpki_meta_size(b);
    size_t total = 0;
    a += 4;
    b += 4;
    while (a < a_end && b < b_end) {
        uint16_t mine = bpki_load16(a), other = bpki_load16(b);
        size_t n = entry_size(a);
        if (mine == other && n == entry_size(b) && memcmp(a, b, n) == 0) {
            if (to) memcpy(to + total, a, n);
            total += n;
        }
        if (mine <= other) a += n;
        if (other <= mine) b += entry_size(b);
    }
    return total;
}

bpk_status bpki_meta_common(uint8_t **out, const uint8_t *meta, const uint8_t *other, const bpk_env *env) {
    *out = NULL;
    size_t total = meta && other ? common_entries(NULL, meta, other) : 0;
    if (total == 0) return BPK_OK;
    void *p;
    BPK_TRY(bpki_alloc(env, 4 + total, &p));
    *out = p;
    bpki_store32(p, (uint32_t)total);
    common_entries(*out + 4, meta, other);
    return BPK_OK;
}
