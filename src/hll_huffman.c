/* hll_huffman.c - inside the hll room: registers in a canonical Huffman code, half of their raw size.
 *
 *     lo, hi | lengths of lo..hi, 4 bits each | p >= 10: u32 bytes of streams 0 to 2 | streams
 *
 * Registers are all but independent draws from one distribution of some twenty values that matter, so that coding each
 * by its frequency comes within 2 % of the entropy once most are in use (bench/bench_hll_huffman.c). General
 * compressors look for repetitions, of which there are none: docs/adr/0007-packed-small-forms.md has their figures.
 *
 * Codes have at most 12 bits, so that one table of 8 KiB decodes each in one step, and four of them fit into a word
 * that is loaded once. Decoding is a chain of loads that wait for each other: four streams, a quarter of the registers
 * each, are four chains that do not. Bit order is that of DEFLATE (RFC 1951).
 */
#include "hll_huffman.h"

#include "hll_state.h"

enum {
    CODE_BITS = 12, /* of the longest code */
    FOUR_STREAMS_FROM = 10,
    BATCH = 4, /* codes that fit a word: 7 + 4 * 12 bits */
    CHUNK = 1024,
};

#define INLINE inline __attribute__((always_inline))

static unsigned streams_of(unsigned p) {
    return p < FOUR_STREAMS_FROM ? 1 : HLL_STREAMS;
}

/* ---- code lengths ---- */

/* A Huffman tree: leaves first, in ascending order of weight, then inner nodes, which ascend by themselves. */
typedef struct tree {
    unsigned leaves;
    uint32_t weight[2 * 256];
    uint16_t parent[2 * 256];
    uint8_t value[256], depth[2 * 256];
} tree;

/* The bytes that are there as leaves, ordered by how often, equal ones by value. */
static void plant(tree *t, const uint32_t count[256]) {
    t->leaves = 0;
    for (unsigned v = 0; v < 256; v++) {
        if (!count[v]) continue;
        unsigned j = t->leaves++;
        for (; j && t->weight[j - 1] > count[v]; j--) {
            t->weight[j] = t->weight[j - 1];
            t->value[j] = t->value[j - 1];
        }
        t->weight[j] = count[v];
        t->value[j] = (uint8_t)v;
    }
}

/* Joins the two lightest until one is left; of equal ones leaves come first, then older nodes. */
static void join(tree *t) {
    unsigned leaf = 0, node = t->leaves, root = 2 * t->leaves - 2;
    for (unsigned next = t->leaves; next <= root; next++) {
        t->weight[next] = 0;
        for (unsigned i = 0; i < 2; i++) {
            bool take_leaf = leaf < t->leaves && (node == next || t->weight[leaf] <= t->weight[node]);
            unsigned child = take_leaf ? leaf++ : node++;
            t->weight[next] += t->weight[child];
            t->parent[child] = (uint16_t)next;
        }
    }
    t->depth[root] = 0;
    for (unsigned i = root; i-- > 0;) t->depth[i] = (uint8_t)(t->depth[t->parent[i]] + 1);
}

/* The rarest leaf is the deepest. Where it is too deep, halved weights make the tree flatter; when all are 1 it has
 * depth 8. */
static void find_lengths(hll_code *c, const uint32_t count[256]) {
    tree t;
    plant(&t, count);
    memset(c->length, 0, sizeof c->length);
    if (t.leaves < 2) return;
    for (join(&t); t.depth[0] > CODE_BITS; join(&t))
        for (unsigned i = 0; i < t.leaves; i++) t.weight[i] = (t.weight[i] + 1) / 2;
    for (unsigned i = 0; i < t.leaves; i++) c->length[t.value[i]] = t.depth[i];
}

/* Quarter by quarter, for the sizes of their streams; in turn, so that equal neighbours do not wait for each other. */
static void count_quarters(uint32_t part[HLL_STREAMS][256], const uint8_t *reg, unsigned p) {
    size_t quarter = hll_registers(p) / HLL_STREAMS;
    memset(part, 0, HLL_STREAMS * sizeof part[0]);
    for (size_t i = 0; i < quarter; i++)
        for (size_t j = 0; j < HLL_STREAMS; j++) part[j][reg[j * quarter + i]]++;
}

static size_t head_size(unsigned lo, unsigned hi, unsigned p) {
    return 2 + (hi - lo + 2) / 2 + (streams_of(p) - 1) * sizeof(uint32_t);
}

static void find_sizes(hll_code *c, uint32_t part[HLL_STREAMS][256], unsigned p) {
    uint64_t bits[HLL_STREAMS] = {0};
    unsigned n = streams_of(p);
    for (unsigned j = 0; j < HLL_STREAMS; j++)
        for (unsigned v = c->lo; v <= c->hi; v++) bits[j % n] += (uint64_t)part[j][v] * c->length[v];
    c->size = head_size(c->lo, c->hi, p);
    for (unsigned j = 0; j < HLL_STREAMS; j++) {
        c->stream[j] = (uint32_t)((bits[j] + 7) / 8);
        c->size += c->stream[j];
    }
}

void bpki_hll_code_of(hll_code *c, const uint8_t *reg, unsigned p) {
    uint32_t part[HLL_STREAMS][256], count[256];
    count_quarters(part, reg, p);
    for (unsigned v = 0; v < 256; v++) count[v] = part[0][v] + part[1][v] + part[2][v] + part[3][v];
    c->lo = 0, c->hi = 255;
    while (!count[c->lo]) c->lo++;
    while (!count[c->hi]) c->hi--;
    find_lengths(c, count);
    find_sizes(c, part, p);
}

/* ---- codes ---- */

/* Canonical codes, ascending by length, then value; first bit lowest, as the stream has it. */
static void make_codes(uint16_t code[256], const uint8_t length[256]) {
    unsigned next[CODE_BITS + 2] = {0}; /* next[n]: the next code of n bits */
    for (unsigned v = 0; v < 256; v++)
        if (length[v]) next[length[v] + 1]++;
    for (unsigned n = 1, first = 0; n <= CODE_BITS; n++) {
        first = (first + next[n]) << 1; /* next[n] still counts the codes of n - 1 bits */
        next[n] = first;
    }
    for (unsigned v = 0; v < 256; v++) {
        unsigned straight = length[v] ? next[length[v]]++ : 0, turned = 0;
        for (unsigned i = 0; i < length[v]; i++) turned |= (straight >> i & 1) << (length[v] - 1 - i);
        code[v] = (uint16_t)turned;
    }
}

/* ---- writing ---- */

/* Whole bytes are handed on in chunks; what is left of the last one is filled with zeros. */
static void write_stream(const uint32_t symbol[256], const uint8_t *reg, size_t n, bpki_out *o) {
    uint8_t chunk[CHUNK + sizeof(uint64_t)];
    uint64_t word = 0;
    unsigned bits = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i += BATCH) {
        for (size_t j = 0; j < BATCH; j++) {
            uint32_t s = symbol[reg[i + j]];
            word |= (uint64_t)(s & 0xffff) << bits;
            bits += s >> 16;
        }
        bpki_store64(chunk + at, word);
        at += bits / 8;
        word >>= bits & ~7u;
        bits &= 7;
        if (at < CHUNK) continue;
        bpki_out_bytes(o, chunk, at);
        at = 0;
    }
    bpki_store64(chunk + at, word);
    bpki_out_bytes(o, chunk, at + (bits + 7) / 8);
}

static void write_head(const hll_code *c, unsigned p, bpki_out *o) {
    bpki_out_u8(o, c->lo);
    bpki_out_u8(o, c->hi);
    for (unsigned v = c->lo; v <= c->hi; v += 2)
        bpki_out_u8(o, (uint8_t)(c->length[v] | (v < c->hi ? c->length[v + 1] << 4 : 0)));
    for (unsigned j = 0; j + 1 < streams_of(p); j++) bpki_out_u32(o, c->stream[j]);
}

void bpki_hll_code_write(const hll_code *c, const uint8_t *reg, unsigned p, bpki_out *o) {
    uint16_t code[256];
    uint32_t symbol[256]; /* length << 16 | code */
    size_t n = hll_registers(p) / streams_of(p);
    write_head(c, p, o);
    make_codes(code, c->length);
    for (unsigned v = 0; v < 256; v++) symbol[v] = (uint32_t)c->length[v] << 16 | code[v];
    for (unsigned j = 0; j < streams_of(p); j++) write_stream(symbol, reg + j * n, n, o);
}

/* ---- reading ---- */

/* Lengths of lo to hi and nothing else: a whole code (Kraft's sum is 1), or none where there is but one value. */
static bool read_lengths(hll_code *c, bpki_in *r) {
    unsigned sum = 0;
    for (unsigned v = c->lo; v <= c->hi; v += 2) {
        uint8_t pair = bpki_in_u8(r, "code");
        c->length[v] = pair & 15;
        if (v < c->hi) c->length[v + 1] = pair >> 4;
        else if (pair >> 4) return false;
    }
    for (unsigned v = c->lo; v <= c->hi; v++) {
        if (c->length[v] > CODE_BITS) return false;
        sum += c->length[v] ? 1u << (CODE_BITS - c->length[v]) : 0;
    }
    return sum == (c->lo == c->hi ? 0 : 1u << CODE_BITS);
}

static bool values_valid(const hll_code *c, unsigned p, unsigned d) {
    for (unsigned v = c->lo; v <= c->hi; v++)
        if ((c->length[v] || c->lo == c->hi) && !hll_register_valid((uint8_t)v, p, d)) return false;
    return true;
}

/* Every register has a bit at least, unless all are the same: this bounds them by the bytes that are there. */
static bool streams_hold(const hll_code *c, unsigned p) {
    unsigned n = streams_of(p);
    uint64_t least = c->lo == c->hi ? 0 : hll_registers(p) / n;
    for (unsigned j = 0; j < n; j++)
        if (UINT64_C(8) * c->stream[j] < least) return false;
    return true;
}

bpk_status bpki_hll_code_read(hll_code *c, const uint8_t **streams, unsigned p, unsigned d, const bpki_envelope *e,
                              bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    memset(c, 0, sizeof *c);
    c->size = e->body_n;
    c->lo = bpki_in_u8(&r, "code");
    c->hi = bpki_in_u8(&r, "code");
    if (c->lo > c->hi) bpki_in_fail(&r, BPK_E_CORRUPT, "code");
    if (bpki_in_ok(&r) && !(read_lengths(c, &r) && values_valid(c, p, d))) bpki_in_fail(&r, BPK_E_CORRUPT, "code");
    uint64_t left, used = 0;
    unsigned last = streams_of(p) - 1;
    for (unsigned j = 0; j < last; j++) used += c->stream[j] = bpki_in_u32(&r, "streams");
    left = bpki_in_left(&r);
    if (used > left) bpki_in_fail(&r, BPK_E_CORRUPT, "streams");
    if (bpki_in_ok(&r)) c->stream[last] = (uint32_t)(left - used);
    if (bpki_in_ok(&r) && !streams_hold(c, p)) bpki_in_fail(&r, BPK_E_CORRUPT, "streams");
    *streams = bpki_in_bytes(&r, (size_t)left, "streams");
    return bpki_in_end(&r, "streams", err);
}

typedef struct stream {
    const uint8_t *p;
    size_t n;
    size_t at; /* in bits */
} stream;

/* 57 bits or more from `at` on; zeros behind the end. */
static INLINE uint64_t peek(const stream *s) {
    size_t i = s->at / 8;
    uint64_t word = 0;
    if (i + sizeof word <= s->n) return bpki_load64(s->p + i) >> s->at % 8;
    for (size_t j = 0; i + j < s->n; j++) word |= (uint64_t)s->p[i + j] << 8 * j;
    return word >> s->at % 8;
}

/* Fills `streams` parts of n registers each, a batch of each in turn. */
static INLINE void decode(const uint16_t *table, stream *s, unsigned streams, uint8_t *reg, size_t n) {
    for (size_t i = 0; i < n; i += BATCH)
        for (unsigned k = 0; k < streams; k++) {
            uint64_t word = peek(&s[k]);
            for (size_t j = 0; j < BATCH; j++) {
                unsigned entry = table[word & ((1u << CODE_BITS) - 1)];
                reg[k * n + i + j] = (uint8_t)(entry >> 4);
                word >>= entry & 15;
                s[k].at += entry & 15;
            }
        }
}

/* For any 12 bits that come: the value whose code they begin with, and the length of that code. */
static void make_table(uint16_t table[1 << CODE_BITS], const hll_code *c) {
    uint16_t code[256];
    make_codes(code, c->length);
    for (unsigned v = c->lo; v <= c->hi; v++)
        for (unsigned i = code[v]; c->length[v] && i < 1u << CODE_BITS; i += 1u << c->length[v])
            table[i] = (uint16_t)(v << 4 | c->length[v]);
}

/* Used up but for less than a byte of zeros. */
static bool stream_ends(const stream *s) {
    size_t bits = 8 * s->n;
    if (s->at > bits || bits - s->at >= 8) return false;
    return s->at == bits || s->p[s->n - 1] >> s->at % 8 == 0;
}

static bool decode_streams(const hll_code *c, const uint8_t *bytes, uint8_t *reg, unsigned p) {
    uint16_t table[1 << CODE_BITS] = {0}; /* a whole code fills it */
    stream s[HLL_STREAMS];
    bool whole = true;
    make_table(table, c);
    for (unsigned k = 0; k < streams_of(p); k++) {
        s[k] = (stream){bytes, c->stream[k], 0};
        bytes += c->stream[k];
    }
    if (streams_of(p) == 1) decode(table, s, 1, reg, hll_registers(p));
    else decode(table, s, HLL_STREAMS, reg, hll_registers(p) / HLL_STREAMS);
    for (unsigned k = 0; k < streams_of(p); k++) whole &= stream_ends(&s[k]);
    return whole;
}

static bool same_code(const hll_code *a, const hll_code *b) {
    return a->lo == b->lo && a->hi == b->hi && memcmp(a->length, b->length, sizeof a->length) == 0;
}

bool bpki_hll_code_decode(const hll_code *c, const uint8_t *streams, uint8_t *reg, unsigned p) {
    hll_code again;
    if (c->lo != c->hi && !decode_streams(c, streams, reg, p)) return false;
    if (c->lo == c->hi) memset(reg, c->lo, hll_registers(p));
    bpki_hll_code_of(&again, reg, p);
    return same_code(&again, c) && again.size == c->size;
}
