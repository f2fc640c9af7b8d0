/* test_hll_huffman.c - registers in their Huffman code: the bytes are those of docs/format.md, written here a second
 * time and bit by bit; what decodes is what was encoded; every rule of a reader refuses what breaks it.
 */
#include "t_hll.h"

/* An emulator tries every 7th case. */
#ifndef T_STRIDE
#define T_STRIDE 1
#endif

enum { AT_PARAMS = 32, AT_CODING = 34, AT_BODY = 40, AT_BODY_VIEW = 64, P_MOST = 16, DEEPEST = 12 };

static bool possible(unsigned r, unsigned p, unsigned d) {
    unsigned u = r >> d;
    return u <= 65 - p && (d == 0 || u >= 3 || r == 0 || r == 4 || r == 8 || r == 10);
}

/* ---- envelopes by hand ---- */

static t_bytes envelope(unsigned p, unsigned d, unsigned coding, int form, const uint8_t *body, size_t n) {
    const uint8_t params[8] = {(uint8_t)p, (uint8_t)d, (uint8_t)coding};
    return t_envelope(BPK_KIND_HLL, form, params, sizeof params, body, n);
}

static bpk_sketch *sketch_of(const uint8_t *reg, unsigned p, unsigned d) {
    t_bytes b = envelope(p, d, 1, BPK_FORM_VIEW, reg, (size_t)1 << p);
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, NULL), BPK_OK);
    free(b.p);
    return s;
}

/* ---- the code, from docs/format.md ---- */

typedef struct code {
    unsigned lo, hi;
    uint8_t length[256];
} code;

/* The lightest node that is not yet joined, of equal ones the first: leaves stand before inner nodes. */
static size_t lightest(const uint32_t *weight, bool *joined, size_t n) {
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!joined[i] && (best == n || weight[i] < weight[best])) best = i;
    joined[best] = true;
    return best;
}

/* Depths of the leaves of a tree over n ascending weights; returns the deepest. */
static unsigned depths(const uint32_t *leaf, size_t n, unsigned *depth) {
    static uint32_t weight[512];
    static size_t parent[512];
    bool joined[512] = {false};
    size_t nodes = n;
    memcpy(weight, leaf, n * sizeof *leaf);
    for (; nodes < 2 * n - 1; nodes++) {
        size_t a = lightest(weight, joined, nodes), b = lightest(weight, joined, nodes);
        weight[nodes] = weight[a] + weight[b];
        parent[a] = parent[b] = nodes;
    }
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) {
        depth[i] = 0;
        for (size_t at = i; at != nodes - 1; at = parent[at]) depth[i]++;
        if (depth[i] > most) most = depth[i];
    }
    return most;
}

static code code_within(unsigned limit, const uint8_t *reg, size_t m) {
    uint32_t count[256] = {0}, weight[256];
    unsigned value[256], depth[256];
    size_t n = 0;
    code c = {255, 0, {0}};
    for (size_t i = 0; i < m; i++) count[reg[i]]++;
    for (unsigned v = 0; v < 256; v++) {
        if (!count[v]) continue;
        if (v < c.lo) c.lo = v;
        if (v > c.hi) c.hi = v;
        size_t j = n++;
        for (; j && count[value[j - 1]] > count[v]; j--) value[j] = value[j - 1];
        value[j] = v;
    }
    if (n == 1) return c;
    for (size_t i = 0; i < n; i++) weight[i] = count[value[i]];
    while (depths(weight, n, depth) > limit)
        for (size_t i = 0; i < n; i++) weight[i] = (weight[i] + 1) / 2;
    for (size_t i = 0; i < n; i++) c.length[value[i]] = (uint8_t)depth[i];
    return c;
}

static code code_of(const uint8_t *reg, size_t m) {
    return code_within(DEEPEST, reg, m);
}
static unsigned longest(const code *c) {
    unsigned most = 0;
    for (unsigned v = 0; v < 256; v++) most = c->length[v] > most ? c->length[v] : most;
    return most;
}

typedef struct bits {
    uint8_t *p;
    size_t n;
} bits;
static void put_bit(bits *b, unsigned bit) {
    if (b->n % 8 == 0) b->p[b->n / 8] = 0;
    b->p[b->n / 8] |= (uint8_t)(bit << b->n % 8);
    b->n++;
}

/* As RFC 1951 has it: codes of one length are consecutive, in order of values, and follow the shorter ones. */
static unsigned number_of(const code *c, unsigned value) {
    unsigned next = 0;
    for (unsigned length = 1; length <= DEEPEST; length++, next <<= 1)
        for (unsigned v = c->lo; v <= c->hi; v++) {
            if (c->length[v] != length) continue;
            if (v == value) return next;
            next++;
        }
    return 0;
}
static size_t put_stream(uint8_t *to, const code *c, const uint8_t *reg, size_t n) {
    unsigned number[256];
    bits b = {to, 0};
    for (unsigned v = c->lo; v <= c->hi; v++) number[v] = number_of(c, v);
    for (size_t i = 0; i < n; i++)
        for (unsigned bit = c->length[reg[i]]; bit-- > 0;) put_bit(&b, number[reg[i]] >> bit & 1);
    return (b.n + 7) / 8;
}

/* The body of some registers in any code; `to` has room for 2^p * 2 + 200 bytes. */
static size_t put_body(uint8_t *to, const code *c, const uint8_t *reg, unsigned p) {
    size_t streams = p < 10 ? 1 : 4, part = ((size_t)1 << p) / streams, n = 0;
    to[n++] = (uint8_t)c->lo;
    to[n++] = (uint8_t)c->hi;
    for (unsigned v = c->lo; v <= c->hi; v += 2)
        to[n++] = (uint8_t)(c->length[v] | (v < c->hi ? c->length[v + 1] << 4 : 0));
    uint8_t *sizes = to + n;
    n += 4 * (streams - 1);
    for (size_t k = 0; k < streams; k++) {
        size_t size = put_stream(to + n, c, reg + k * part, part);
        for (size_t i = 0; i < 4 && k + 1 < streams; i++) sizes[4 * k + i] = (uint8_t)(size >> 8 * i);
        n += size;
    }
    return n;
}

/* ---- registers of many styles ---- */

enum { STYLES = 8 };
static void fill(uint8_t *reg, unsigned p, unsigned d, unsigned style, uint64_t seed) {
    uint8_t value[256];
    unsigned n = 0;
    for (unsigned r = 0; r < 256; r++)
        if (possible(r, p, d)) value[n++] = (uint8_t)r;
    for (size_t i = 0; i < (size_t)1 << p; i++) {
        uint64_t x = t_hash(seed, i);
        unsigned k = (unsigned)__builtin_ctzll(x | UINT64_C(1) << 40);
        switch (style) {
        case 0: reg[i] = value[seed % n]; break;                 /* one value */
        case 1: reg[i] = value[x & 1 ? seed % n : n - 1]; break; /* two, or one */
        case 2: reg[i] = value[x % n]; break;                    /* all alike */
        case 3: reg[i] = value[i == 0 ? n - 1 : 0]; break;       /* one register is not empty */
        case 4: reg[i] = value[(x >> 41) % 5000 ? k % n : n - 1]; break;
        case 5: reg[i] = value[x % 3 ? k % n : (x >> 41) % n]; break;
        default: reg[i] = value[(k + seed) % n]; /* as real ones: each value half as often as the one before */
        }
    }
}

static void the_body_is_the_documented_one_and_decodes_to_the_same_registers(void **state) {
    (void)state;
    static uint8_t reg[1 << P_MOST], body[(1 << P_MOST) * 2 + 200];
    size_t coded = 0, raw = 0;
    for (uint64_t i = 0; i < 13 * 2 * STYLES * 6; i += T_STRIDE) {
        unsigned p = 4 + (unsigned)(i % 13), d = i / 13 % 2 ? 2 : 0, style = (unsigned)(i / 26 % STYLES);
        if (p > 14 && i >= 13 * 2 * STYLES) continue;
        size_t m = (size_t)1 << p;
        fill(reg, p, d, style, i);
        code c = code_of(reg, m);
        size_t n = put_body(body, &c, reg, p);
        t_bytes want = n < m ? envelope(p, d, 2, BPK_FORM_SMALL, body, n) : envelope(p, d, 1, BPK_FORM_SMALL, reg, m);
        bpk_sketch *s = sketch_of(reg, p, d), *back = NULL;
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        assert_int_equal(b.n, want.n);
        assert_memory_equal(b.p, want.p, b.n);
        assert_int_equal(bpk_decode(&back, b.p, b.n, NULL, NULL, NULL), BPK_OK);
        t_assert_same_bytes(back, s);
        *(n < m ? &coded : &raw) += 1;
        free(b.p), free(want.p);
        bpk_free(s), bpk_free(back);
    }
    assert_true(coded > 200 / T_STRIDE && raw > 50 / T_STRIDE);
}

static void a_view_and_what_was_filled_item_by_item_are_packed_alike(void **state) {
    (void)state;
    for (unsigned d = 0; d <= 2; d += 2)
        for (unsigned p = 4; p <= 14; p += 5) {
            bpk_hll *h = hll_new(p, d);
            bpk_sketch *sum = NULL;
            bpk_view v;
            t_add(bpk_hll_base(h), p, 0, (uint64_t)20 << p);
            t_bytes small = t_encode(bpk_hll_base(h), BPK_FORM_SMALL), view = t_encode(bpk_hll_base(h), BPK_FORM_VIEW);
            const bpk_sketch *seen = bpk_view_open(&v, view.p, view.n, NULL);
            assert_non_null(seen);
            t_assert_same_bytes(seen, bpk_hll_base(h));
            assert_int_equal(bpk_merge_bytes(&sum, small.p, small.n, NULL, NULL), BPK_OK);
            assert_int_equal(bpk_merge_bytes(&sum, small.p, small.n, NULL, NULL), BPK_OK);
            t_assert_same_bytes(sum, bpk_hll_base(h));
            t_add(sum, p, 0, (uint64_t)40 << p);
            t_add(bpk_hll_base(h), p, 0, (uint64_t)40 << p);
            t_assert_same_bytes(sum, bpk_hll_base(h)); /* what was decoded goes on */
            free(small.p), free(view.p);
            bpk_free(sum);
            hll_free(h);
        }
}

static void small_is_half_of_the_registers_at_the_default_precision(void **state) {
    (void)state;
    static const struct {
        unsigned d;
        size_t least, most;
    } size[] = {{0, 5850, 6000}, {2, 8200, 8450}};
    for (size_t i = 0; i < 2; i++)
        for (uint64_t n = 100000; n <= 1000000; n *= 10) {
            bpk_hll *h = hll_new(14, size[i].d);
            t_add(bpk_hll_base(h), n, 0, n);
            size_t bytes = bpk_encoded_size(bpk_hll_base(h), BPK_FORM_SMALL);
            assert_true(bytes >= size[i].least && bytes <= size[i].most);
            hll_free(h);
        }
}

/* ---- lengths ---- */

/* Counts like Fibonacci's numbers make the deepest tree. */
static void codes_have_at_most_12_bits(void **state) {
    (void)state;
    static uint8_t reg[1 << P_MOST], body[(1 << P_MOST) * 2 + 200];
    for (unsigned p = 8; p <= P_MOST; p++) {
        size_t m = (size_t)1 << p, at = 0, now = 1, next = 1;
        uint8_t value = 3;
        memset(reg, 3, m);
        for (; at + now <= m; value++) {
            memset(reg + at, value, now);
            at += now;
            size_t sum = now + next;
            now = next, next = sum;
        }
        code c = code_of(reg, m), free_of_it = code_within(255, reg, m);
        assert_true(longest(&c) <= 12);
        if (p >= 12) assert_true(longest(&free_of_it) > 12);
        size_t n = put_body(body, &c, reg, p);
        bpk_sketch *s = sketch_of(reg, p, 0);
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        assert_int_equal(b.n, AT_BODY + n + DAMAGE_CHECKSUM);
        assert_memory_equal(b.p + AT_BODY, body, n);
        assert_true(t_refused_or_canonical(b.p, b.n));
        free(b.p);
        bpk_free(s);
    }
}

/* ---- one value: few bytes for many registers ---- */

static void p_26_with_one_value_is_15_bytes_and_the_memory_limit_comes_first(void **state) {
    (void)state;
    const uint8_t body[15] = {7, 7};
    t_bytes b = envelope(26, 0, 2, BPK_FORM_SMALL, body, sizeof body);
    t_limit_refused_then_granted(&b, (1 << 26) - 1, UINT64_C(1) << 27);
    free(b.p);
}

static void one_value_has_no_bits_and_two_have_one_each(void **state) {
    (void)state;
    uint8_t reg[1 << 11];
    memset(reg, 12, sizeof reg);
    bpk_sketch *s = sketch_of(reg, 11, 2);
    assert_int_equal(bpk_encoded_size(s, BPK_FORM_SMALL), AT_BODY + 2 + 1 + 12 + DAMAGE_CHECKSUM);
    bpk_free(s);
    reg[5] = 13;
    s = sketch_of(reg, 11, 2);
    assert_int_equal(bpk_encoded_size(s, BPK_FORM_SMALL), AT_BODY + 2 + 1 + 12 + sizeof reg / 8 + DAMAGE_CHECKSUM);
    bpk_free(s);
}

/* ---- the reader's rules ---- */

static void assert_refused(unsigned p, unsigned d, const uint8_t *body, size_t n, const char *field) {
    t_bytes b = envelope(p, d, 2, BPK_FORM_SMALL, body, n);
    bpk_sketch *s = NULL;
    bpk_err err;
    assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, field);
    assert_true(err.offset >= (strcmp(field, "coding") ? AT_BODY : AT_CODING) && err.offset <= b.n);
    t_assert_refused(b.p, b.n);
    free(b.p);
}

/* 2^p registers of the values 8 to 15 and their body; what a test changes is put back by the next call. */
typedef struct sample {
    unsigned p;
    size_t n, streams; /* streams: where the sizes are, or without them the stream */
    code c;
    uint8_t reg[1 << 10], body[(1 << 10) * 2 + 200];
} sample;
static void start(sample *s, unsigned p) {
    s->p = p;
    for (size_t i = 0; i < (size_t)1 << p; i++) s->reg[i] = (uint8_t)(8 + __builtin_ctzll(t_hash(p, i) | 128));
    s->c = code_of(s->reg, (size_t)1 << p);
    s->n = put_body(s->body, &s->c, s->reg, p);
    s->streams = 2 + (s->c.hi - s->c.lo + 2) / 2;
    t_bytes b = envelope(p, 0, 2, BPK_FORM_SMALL, s->body, s->n);
    assert_true(t_refused_or_canonical(b.p, b.n));
    free(b.p);
}
static void refuse(const sample *s, const char *field) {
    assert_refused(s->p, 0, s->body, s->n, field);
}
/* The same registers in another code, every bit of it as it should be. */
static void refuse_code(sample *s, const char *field) {
    s->n = put_body(s->body, &s->c, s->reg, s->p);
    refuse(s, field);
}

static void a_coding_that_is_not_the_smallest_or_not_of_the_form_is_refused(void **state) {
    (void)state;
    sample s;
    for (unsigned p = 8; p <= 10; p++) {
        start(&s, p);
        t_bytes b = envelope(p, 0, 1, BPK_FORM_SMALL, s.reg, (size_t)1 << p);
        bpk_err err;
        bpk_sketch *out = NULL;
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT); /* raw, but coded is smaller */
        assert_string_equal(err.field, "coding");
        assert_int_equal(err.offset, AT_CODING);
        free(b.p);
        b = envelope(p, 0, 2, BPK_FORM_VIEW, s.body, s.n);
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_CORRUPT);
        assert_string_equal(err.field, "coding");
        t_assert_refused(b.p, b.n);
        free(b.p);
        b = envelope(p, 0, 3, BPK_FORM_SMALL, s.body, s.n);
        assert_int_equal(bpk_decode(&out, b.p, b.n, NULL, NULL, &err), BPK_E_VERSION);
        assert_string_equal(err.field, "coding");
        free(b.p);
    }
    uint8_t reg[16], body[256];
    for (uint8_t i = 0; i < 16; i++) reg[i] = (uint8_t)(i + 3);
    code c = code_of(reg, 16);
    size_t n = put_body(body, &c, reg, 4); /* 2 + 8 + 8 bytes */
    assert_true(n >= 16);
    assert_refused(4, 0, body, n, "coding");
    assert_refused(4, 0, body, 16, "coding");
}

static void the_range_of_values_ascends_and_begins_and_ends_with_one_that_is_there(void **state) {
    (void)state;
    sample s;
    for (unsigned p = 9; p <= 10; p++) {
        start(&s, p);
        s.body[0] = (uint8_t)(s.body[1] + 1);
        refuse(&s, "code");
        start(&s, p);
        s.c.lo--;
        refuse_code(&s, "registers");
        start(&s, p);
        s.c.hi++;
        refuse_code(&s, "registers");
    }
}

static void a_code_is_whole_and_has_at_most_12_bits(void **state) {
    (void)state;
    sample s;
    for (unsigned p = 9; p <= 10; p++) {
        for (uint8_t length = 0; length < 16; length++) {
            start(&s, p);
            if ((s.body[2] & 15) == length) continue;
            s.body[2] = (uint8_t)((s.body[2] & 0xf0) | length);
            refuse(&s, "code");
        }
    }
}

static void the_spare_half_of_the_last_byte_of_lengths_is_0(void **state) {
    (void)state;
    sample s;
    start(&s, 9);
    if ((s.c.hi - s.c.lo) % 2) { /* an even number of values: leave the last one out of the registers */
        for (size_t i = 0; i < 512; i++)
            if (s.reg[i] == s.c.hi) s.reg[i] = (uint8_t)s.c.lo;
        s.c = code_of(s.reg, 512);
        s.n = put_body(s.body, &s.c, s.reg, 9);
        s.streams = 2 + (s.c.hi - s.c.lo + 2) / 2;
    }
    assert_int_equal((s.c.hi - s.c.lo) % 2, 0);
    for (unsigned spare = 1; spare < 16; spare++) {
        s.body[s.streams - 1] = (uint8_t)((s.body[s.streams - 1] & 15) | spare << 4);
        refuse(&s, "code");
    }
}

static void one_value_has_no_length_and_no_bits(void **state) {
    (void)state;
    for (uint8_t length = 1; length < 16; length++) assert_refused(10, 0, (uint8_t[15]){5, 5, length}, 15, "code");
    assert_refused(10, 0, (uint8_t[15]){5, 5, 16}, 15, "code");
    assert_refused(10, 0, (uint8_t[16]){5, 5}, 16, "registers");
    assert_refused(10, 0, (uint8_t[16]){5, 5, 0, 1}, 16, "registers");
    assert_refused(10, 0, (uint8_t[14]){5, 5}, 14, "streams");
    assert_refused(8, 0, (uint8_t[4]){5, 5}, 4, "registers");
    assert_refused(8, 0, (uint8_t[2]){5, 5}, 2, "code");
}

static void only_values_that_a_register_can_have_have_codes(void **state) {
    (void)state;
    assert_refused(10, 0, (uint8_t[15]){56, 56}, 15, "code");
    assert_refused(10, 2, (uint8_t[15]){224, 224}, 15, "code");
    for (unsigned r = 0; r < 256; r++) {
        t_bytes b = envelope(10, 2, 2, BPK_FORM_SMALL, (uint8_t[15]){(uint8_t)r, (uint8_t)r}, 15);
        assert_int_equal(t_refused_or_canonical(b.p, b.n), possible(r, 10, 2));
        free(b.p);
    }
    uint8_t reg[256], body[1024];
    for (size_t i = 0; i < 256; i++) reg[i] = i % 4 ? 8 : 9; /* u = 2 with bit 0: 0 was seen, which is no value */
    code c = code_of(reg, 256);
    assert_refused(8, 2, body, put_body(body, &c, reg, 8), "code");
}

static void streams_are_as_long_as_what_they_hold(void **state) {
    (void)state;
    sample s;
    start(&s, 10);
    s.body[s.streams + 1] = 0xff; /* beyond the body */
    refuse(&s, "streams");
    start(&s, 10);
    memset(s.body + s.streams, 0xff, 12); /* also when the sum wraps in 32 bits */
    refuse(&s, "streams");
    for (size_t k = 0; k < 3; k++) {
        start(&s, 10);
        s.body[s.streams + 4 * k] = 31, s.body[s.streams + 4 * k + 1] = 0; /* 248 bits of 256 registers */
        refuse(&s, "streams");
        start(&s, 10);
        s.body[s.streams + 4 * k]++; /* takes a byte of the next one */
        refuse(&s, "registers");
        start(&s, 10);
        s.body[s.streams + 4 * k]--;
        refuse(&s, "registers");
    }
    for (unsigned p = 9; p <= 10; p++) {
        start(&s, p);
        s.body[s.n++] = 0;
        refuse(&s, "registers");
        start(&s, p);
        s.n--;
        refuse(&s, "registers");
    }
    start(&s, 9);
    s.n = s.streams + 63; /* 504 bits of 512 registers */
    refuse(&s, "streams");
}

static void what_fills_the_last_byte_is_0(void **state) {
    (void)state;
    sample s;
    size_t tried = 0;
    for (unsigned p = 6; p <= 9; p++) {
        start(&s, p);
        size_t used = 0;
        for (size_t i = 0; i < (size_t)1 << p; i++) used += s.c.length[s.reg[i]];
        for (size_t bit = used % 8; bit && bit < 8; bit++, tried++) {
            s.body[s.n - 1] ^= (uint8_t)(1 << bit);
            refuse(&s, "registers");
            s.body[s.n - 1] ^= (uint8_t)(1 << bit);
        }
    }
    assert_true(tried > 0);
}

static void any_other_code_is_refused_although_it_says_the_same(void **state) {
    (void)state;
    sample s;
    for (unsigned p = 9; p <= 10; p++)
        for (unsigned a = 0; a < 256; a++)
            for (unsigned b = 0; b < a; b++) {
                start(&s, p);
                if (!s.c.length[a] || !s.c.length[b] || s.c.length[a] == s.c.length[b]) continue;
                uint8_t length = s.c.length[a];
                s.c.length[a] = s.c.length[b];
                s.c.length[b] = length;
                s.n = put_body(s.body, &s.c, s.reg, p);
                refuse(&s, s.n >= (size_t)1 << p ? "coding" : "registers");
            }
    start(&s, 10); /* a value that is not there: the longest code is split for it */
    unsigned v = s.c.lo;
    while (s.c.length[v] != longest(&s.c)) v++;
    s.c.length[v]++;
    s.c.hi++;
    s.c.length[s.c.hi] = s.c.length[v];
    refuse_code(&s, "registers");
}

/* ---- damage ---- */

static void every_cut_of_a_body_is_refused(void **state) {
    (void)state;
    sample s;
    for (unsigned p = 4; p <= 10; p++) {
        start(&s, p < 6 ? 6 : p);
        for (size_t n = 0; n < s.n; n++) {
            t_bytes b = envelope(s.p, 0, 2, BPK_FORM_SMALL, s.body, n);
            t_assert_refused(b.p, b.n);
            free(b.p);
        }
    }
}

static void every_flipped_bit_of_a_body_is_refused_or_canonical(void **state) {
    (void)state;
    sample s;
    size_t accepted = 0;
    for (unsigned p = 6; p <= 10; p++) {
        start(&s, p);
        t_bytes b = envelope(p, 0, 2, BPK_FORM_SMALL, s.body, s.n);
        for (size_t bit = 8 * AT_PARAMS; bit < 8 * (b.n - DAMAGE_CHECKSUM); bit += T_STRIDE) {
            b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            t_reseal(b.p, b.n);
            accepted += t_refused_or_canonical(b.p, b.n);
            b.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(b.p);
    }
    assert_true(accepted > 0); /* a range that moved, for one */
}

/* ---- memory ---- */

static void every_allocation_may_fail_and_encoding_makes_none(void **state) {
    (void)state;
    sample s;
    start(&s, 10);
    t_bytes b = envelope(10, 0, 2, BPK_FORM_SMALL, s.body, s.n);
    t_decode_without_memory(&b);
    free(b.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_body_is_the_documented_one_and_decodes_to_the_same_registers),
        cmocka_unit_test(a_view_and_what_was_filled_item_by_item_are_packed_alike),
        cmocka_unit_test(small_is_half_of_the_registers_at_the_default_precision),
        cmocka_unit_test(codes_have_at_most_12_bits),
        cmocka_unit_test(p_26_with_one_value_is_15_bytes_and_the_memory_limit_comes_first),
        cmocka_unit_test(one_value_has_no_bits_and_two_have_one_each),
        cmocka_unit_test(a_coding_that_is_not_the_smallest_or_not_of_the_form_is_refused),
        cmocka_unit_test(the_range_of_values_ascends_and_begins_and_ends_with_one_that_is_there),
        cmocka_unit_test(a_code_is_whole_and_has_at_most_12_bits),
        cmocka_unit_test(the_spare_half_of_the_last_byte_of_lengths_is_0),
        cmocka_unit_test(one_value_has_no_length_and_no_bits),
        cmocka_unit_test(only_values_that_a_register_can_have_have_codes),
        cmocka_unit_test(streams_are_as_long_as_what_they_hold),
        cmocka_unit_test(what_fills_the_last_byte_is_0),
        cmocka_unit_test(any_other_code_is_refused_although_it_says_the_same),
        cmocka_unit_test(every_cut_of_a_body_is_refused),
        cmocka_unit_test(every_flipped_bit_of_a_body_is_refused_or_canonical),
        cmocka_unit_test(every_allocation_may_fail_and_encoding_makes_none),
    };
    return cmocka_run_group_tests_name("test_hll_huffman", tests, NULL, NULL);
}
