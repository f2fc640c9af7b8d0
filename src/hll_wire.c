/* hll_wire.c - inside the hll room: state to bytes and back. docs/format.md, section hll, is normative.
 *
 *   parameters   u8 p, u8 d, u8 coding, five zero bytes
 *   coding 0     tokens. form small: u32 count, then a bit stream of the tokens in ascending order; form view: u32 each
 *   coding 1     2^p registers, a byte each
 *   coding 2     the same in a Huffman code (hll_huffman.c); form small alone, and always where it is smaller
 *
 * The bit stream fills bytes from bit 0. Of each token: the gap to the previous prefix (the first from 0) as a Rice
 * code, gap >> b zeros, a one, b low bits, with b = floor(log2(floor(2^26 / count))); then k - 1 zeros and a one. 3.3
 * bytes a token at 10, 2.5 at 1,000: within 1.5 % of the entropy; varint would take 33 to 46 % more
 * (docs/rooms/hll.md).
 */
#include "bits.h"
#include "hll_huffman.h"
#include "hll_state.h"

enum {
    CODING_TOKENS = 0,
    CODING_REGISTERS = 1,
    CODING_HUFFMAN = 2,
    SORT_ON_STACK = 256,
    PREFIXES = 1 << HLL_TOKEN_BITS,
};

static_assert(sizeof(bpk_hll) <= sizeof(bpk_view), "a view holds the object");

/* ---- sorted tokens ---- */

static void insertion_sort(uint32_t *a, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint32_t x = a[i];
        size_t j = i;
        for (; j && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

/* Four passes over bytes, from the lowest, between two halves of one array. */
static void radix_sort(uint32_t *a, uint32_t *scratch, size_t n) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < n; i++) start[(a[i] >> shift & 255) + 1]++;
        for (size_t i = 0; i < 256; i++) start[i + 1] += start[i];
        for (size_t i = 0; i < n; i++) scratch[start[a[i] >> shift & 255]++] = a[i];
        uint32_t *t = a;
        a = scratch;
        scratch = t;
    }
}

/* The tokens in ascending order, on the stack where they are few. */
typedef struct sorted_tokens {
    uint32_t *token;
    size_t n;
    size_t bytes; /* taken from the environment */
    uint32_t few[SORT_ON_STACK];
} sorted_tokens;

static bpk_status sort_tokens(sorted_tokens *s, const bpk_hll *h) {
    s->n = h->count;
    s->token = s->few;
    s->bytes = 0;
    if (s->n > SORT_ON_STACK) {
        void *p;
        s->bytes = 2 * sizeof(uint32_t) * s->n;
        BPK_TRY(bpki_alloc(&h->base.env, s->bytes, &p));
        s->token = p;
    }
    uint32_t at = 0;
    for (size_t i = 0; i < s->n; i++) s->token[i] = bpki_hll_next_token(h, &at);
    if (s->bytes) radix_sort(s->token, s->token + s->n, s->n);
    else insertion_sort(s->token, s->n);
    return BPK_OK;
}

static void drop_tokens(sorted_tokens *s, const bpk_hll *h) {
    if (s->bytes) bpki_release(&h->base.env, s->token, s->bytes);
}

/* ---- the bit stream ---- */

static uint64_t stream_bits(const sorted_tokens *s) {
    if (s->n == 0) return 0;
    unsigned b = bpki_rice_bits(PREFIXES, s->n);
    uint64_t bits = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t gap = (s->token[i] >> 6) - (i ? s->token[i - 1] >> 6 : 0);
        bits += bpki_rice_size(gap, b) + (s->token[i] & 63);
    }
    return bits;
}

static void write_stream(const sorted_tokens *s, bpki_out *o) {
    if (s->n == 0) return;
    unsigned b = bpki_rice_bits(PREFIXES, s->n);
    bpki_bit_out w = {o, 0, 0};
    for (size_t i = 0; i < s->n; i++) {
        uint32_t gap = (s->token[i] >> 6) - (i ? s->token[i - 1] >> 6 : 0);
        bpki_put_rice(&w, gap, b);
        bpki_put_unary(&w, (s->token[i] & 63) - 1);
    }
    bpki_put_end(&w);
}

/* ---- encoding ---- */

/* The smaller one of raw and coded registers. */
static uint64_t small_size(const bpk_hll *h) {
    hll_code c;
    bpki_hll_code_of(&c, h->cell.reg, h->p);
    return c.size < hll_registers(h->p) ? c.size : hll_registers(h->p);
}

/* What the announced length says: working it out again would take another pass over the registers. */
static uint8_t coding_of(const bpk_hll *h, const bpki_out *o) {
    if (h->form != HLL_REGISTERS) return CODING_TOKENS;
    return bpki_out_body_n(o) < hll_registers(h->p) ? CODING_HUFFMAN : CODING_REGISTERS;
}

uint64_t bpki_hll_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_hll *h = (const bpk_hll *)s;
    if (h->form == HLL_REGISTERS) return f == BPK_FORM_SMALL ? small_size(h) : hll_registers(h->p);
    if (f == BPK_FORM_VIEW) return UINT64_C(4) * h->count;
    sorted_tokens t;
    if (sort_tokens(&t, h) != BPK_OK) return BPKI_NO_MEMORY;
    uint64_t bits = stream_bits(&t);
    drop_tokens(&t, h);
    return 4 + (bits + 7) / 8;
}

void bpki_hll_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_hll *h = (const bpk_hll *)s;
    (void)f;
    bpki_out_u8(o, h->p);
    bpki_out_u8(o, h->d);
    bpki_out_u8(o, coding_of(h, o));
    bpki_out_zeros(o, 5);
}

static void encode_registers(const bpk_hll *h, bpki_out *o) {
    hll_code c;
    if (coding_of(h, o) == CODING_REGISTERS) {
        bpki_out_bytes(o, h->cell.reg, hll_registers(h->p));
        return;
    }
    bpki_hll_code_of(&c, h->cell.reg, h->p);
    bpki_hll_code_write(&c, h->cell.reg, h->p, o);
}

static void encode_tokens(const bpk_hll *h, bpk_form f, bpki_out *o) {
    sorted_tokens t;
    bpk_status st = sort_tokens(&t, h);
    if (st != BPK_OK) {
        bpki_out_fail(o, st);
        return;
    }
    if (f == BPK_FORM_SMALL) {
        bpki_out_u32(o, h->count);
        write_stream(&t, o);
    } else {
        for (size_t i = 0; i < t.n; i++) bpki_out_u32(o, t.token[i]);
    }
    drop_tokens(&t, h);
}

void bpki_hll_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_hll *h = (const bpk_hll *)s;
    if (h->form == HLL_REGISTERS) encode_registers(h, o);
    else encode_tokens(h, f, o);
}

/* ---- decoding ---- */

enum { AT_CODING = BPKI_HEADER + 2 };

typedef struct shape {
    uint8_t p, d, coding;
} shape;

static bpk_status read_params(shape *sh, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, 8, e->start);
    sh->p = bpki_in_u8(&r, "precision");
    if (sh->p < BPK_HLL_PRECISION_MIN || sh->p > BPK_HLL_PRECISION_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "precision");
    sh->d = bpki_in_u8(&r, "window_bits");
    if (sh->d != 0 && sh->d != 2) bpki_in_fail(&r, BPK_E_CORRUPT, "window_bits");
    sh->coding = bpki_in_u8(&r, "coding");
    if (sh->coding > CODING_HUFFMAN) bpki_in_fail(&r, BPK_E_VERSION, "coding");
    if (sh->coding == CODING_HUFFMAN && e->form == BPK_FORM_VIEW) bpki_in_fail(&r, BPK_E_CORRUPT, "coding");
    bpki_in_zeros(&r, 5, "reserved");
    return bpki_in_end(&r, "parameters", err);
}

/* Where a token stands among those before it: k in range, ascending. `last` is 0 before the first. */
static bool token_follows(uint32_t token, uint32_t last) {
    unsigned k = token & 63;
    return token > last && k >= 1 && k <= HLL_TOKEN_K_MAX;
}

static bpk_status registers_valid(const uint8_t *reg, const shape *sh, const bpki_envelope *e, bpk_err *err) {
    bool valid[256];
    for (unsigned r = 0; r < 256; r++) valid[r] = hll_register_valid((uint8_t)r, sh->p, sh->d);
    for (size_t i = 0; i < hll_registers(sh->p); i++)
        if (!valid[reg[i]]) return bpki_fail_at(err, BPK_E_CORRUPT, "registers", (size_t)(reg + i - e->start));
    return BPK_OK;
}

/* The checked registers of coding 1, in place. In form small they are those that no code makes smaller. */
static bpk_status find_registers(const uint8_t **reg, const shape *sh, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    hll_code c;
    *reg = bpki_in_bytes(&r, hll_registers(sh->p), "registers");
    BPK_TRY(bpki_in_end(&r, "registers", err));
    BPK_TRY(registers_valid(*reg, sh, e, err));
    if (e->form == BPK_FORM_VIEW) return BPK_OK;
    bpki_hll_code_of(&c, *reg, sh->p);
    return c.size < e->body_n ? bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING) : BPK_OK;
}

/* The checked tokens of form view, in place. */
static bpk_status find_tokens(uint32_t *count, const shape *sh, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    if (e->body_n % 4 || e->body_n / 4 > hll_tokens_max(sh->p)) bpki_in_fail(&r, BPK_E_CORRUPT, "count");
    for (uint32_t last = 0; bpki_in_ok(&r) && bpki_in_left(&r);) {
        uint32_t token = bpki_in_u32(&r, "tokens");
        if (!token_follows(token, last)) bpki_in_fail(&r, BPK_E_CORRUPT, "tokens");
        last = token;
    }
    BPK_TRY(bpki_in_end(&r, "tokens", err));
    *count = (uint32_t)(e->body_n / 4);
    return BPK_OK;
}

/* Registers that came from elsewhere: the bound is worked out at the next change. */
static void take_registers(bpk_hll *h) {
    h->count = (uint32_t)hll_registers(h->p);
}

static bpk_status read_dense(bpk_hll **out, const shape *sh, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    const uint8_t *reg;
    BPK_TRY(find_registers(&reg, sh, e, err));
    BPK_TRY(bpki_hll_make_dense(out, &e->domain, sh->p, sh->d, env));
    memcpy((*out)->cell.reg, reg, hll_registers(sh->p));
    take_registers(*out);
    return BPK_OK;
}

static bpk_status read_coded(bpk_hll **out, const shape *sh, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    hll_code c;
    const uint8_t *streams;
    bpk_hll *h;
    if (e->body_n >= hll_registers(sh->p)) return bpki_fail_at(err, BPK_E_CORRUPT, "coding", AT_CODING);
    BPK_TRY(bpki_hll_code_read(&c, &streams, sh->p, sh->d, e, err));
    BPK_TRY(bpki_hll_make_dense(&h, &e->domain, sh->p, sh->d, env));
    if (!bpki_hll_code_decode(&c, streams, h->cell.reg, sh->p)) {
        bpki_hll_release(&h->base);
        return bpki_fail_at(err, BPK_E_CORRUPT, "registers", (size_t)(streams - e->start));
    }
    take_registers(h);
    *out = h;
    return BPK_OK;
}

static bpk_status read_sorted(bpk_hll **out, const shape *sh, const bpki_envelope *e, const bpk_env *env,
                              bpk_err *err) {
    uint32_t count;
    BPK_TRY(find_tokens(&count, sh, e, err));
    BPK_TRY(bpki_hll_make_sparse(out, &e->domain, sh->p, sh->d, count, env));
    for (size_t i = 0; i < count; i++) bpki_hll_put_token(*out, bpki_load32(e->body + 4 * i));
    return BPK_OK;
}

/* Reads `count` tokens; false where the stream is not what the writer makes. */
static bool read_stream(bpk_hll *h, bpki_bit_in *r, uint32_t count) {
    unsigned b = bpki_rice_bits(PREFIXES, count);
    uint32_t last = 0;
    for (uint32_t i = 0; i < count && r->ok; i++) {
        uint64_t gap = bpki_get_rice(r, b, PREFIXES);
        uint64_t prefix = (last >> 6) + gap, k = bpki_get_unary(r, HLL_TOKEN_K_MAX) + 1;
        if (!r->ok || prefix >> HLL_TOKEN_BITS || k > HLL_TOKEN_K_MAX) return false;
        uint32_t token = (uint32_t)(prefix << 6 | k);
        if (!token_follows(token, last)) return false;
        bpki_hll_put_token(h, token);
        last = token;
    }
    return bpki_bits_end(r);
}

static bpk_status read_packed(bpk_hll **out, const shape *sh, const bpki_envelope *e, const bpk_env *env,
                              bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    uint32_t count = bpki_in_u32(&r, "count");
    size_t n = bpki_in_left(&r);
    /* A token takes at least 4 bits: this bounds the table by the bytes that are there. */
    if (count > hll_tokens_max(sh->p) || count > 2 * (uint64_t)n) bpki_in_fail(&r, BPK_E_CORRUPT, "count");
    const uint8_t *stream = bpki_in_bytes(&r, n, "tokens");
    BPK_TRY(bpki_in_end(&r, "tokens", err));
    bpk_hll *h;
    BPK_TRY(bpki_hll_make_sparse(&h, &e->domain, sh->p, sh->d, count, env));
    bpki_bit_in bits = {stream, 0, (uint64_t)n * 8, true};
    if (!read_stream(h, &bits, count)) {
        bpki_hll_release(&h->base);
        return bpki_fail_at(err, BPK_E_CORRUPT, "tokens", (size_t)(stream - e->start) + (size_t)(bits.at / 8));
    }
    *out = h;
    return BPK_OK;
}

bpk_status bpki_hll_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    shape sh;
    bpk_hll *h;
    BPK_TRY(read_params(&sh, e, err));
    if (sh.coding == CODING_REGISTERS) BPK_TRY(read_dense(&h, &sh, e, env, err));
    else if (sh.coding == CODING_HUFFMAN) BPK_TRY(read_coded(&h, &sh, e, env, err));
    else if (e->form == BPK_FORM_VIEW) BPK_TRY(read_sorted(&h, &sh, e, env, err));
    else BPK_TRY(read_packed(&h, &sh, e, env, err));
    *out = &h->base;
    return BPK_OK;
}

bpk_status bpki_hll_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    shape sh;
    const uint8_t *reg = NULL;
    uint32_t count = 0;
    BPK_TRY(read_params(&sh, e, err));
    if (sh.coding == CODING_REGISTERS) BPK_TRY(find_registers(&reg, &sh, e, err));
    else BPK_TRY(find_tokens(&count, &sh, e, err));
    memset(v, 0, sizeof *v);
    bpk_hll *h = (bpk_hll *)(void *)v->opaque;
    BPK_TRY(bpki_sketch_init(&h->base, &bpki_hll_ops, &e->domain, NULL));
    h->p = sh.p;
    h->d = sh.d;
    h->count = count;
    h->form = reg ? HLL_REGISTERS : HLL_SORTED;
    if (reg) memcpy(&h->cell.reg, &reg, sizeof reg); /* read only from here on */
    else h->cell.sorted = e->body;
    return BPK_OK;
}
