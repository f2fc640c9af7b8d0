/* fuzz_packed.c - packed bodies of hll and cms: bytes that nearly are one are refused, or are the only ones that there
 * are for their sketch.
 *
 * A mutator knows where lengths, streams, varints and runs are and changes them in ways that stay near the rules: a
 * code that is whole but not the right one, a run that is split, a varint with a byte too many. Length and checksum
 * are made right afterwards. fuzz_decode does everything else with what is accepted.
 */
#include "envelope.h"
#include "fuzz.h"

enum {
    MEMORY = 1 << 18, /* a few bytes may stand for many registers or cells */
    CMS_CODING = 42,
    HLL_CODING = 34
};

/* ---- the mutator ---- */

/* An envelope without metadata in form small, whose parts are where they should be. */
typedef struct packed {
    uint8_t *p;
    size_t n, cap, body;
    uint64_t chance;
} packed;

static uint64_t draw(packed *k, uint64_t below) {
    k->chance = fuzz_mix(k->chance + UINT64_C(0x9E3779B97F4A7C15));
    return below ? k->chance % below : 0;
}
static size_t body_n(const packed *k) {
    return k->n - CHECKSUM - k->body;
}
static uint8_t *body(const packed *k) {
    return k->p + k->body;
}
static void seal(packed *k) {
    envelope_store64(k->p + AT_BODY_N, body_n(k));
    envelope_seal(k->p, k->n);
}

static void insert(packed *k, size_t at, uint8_t byte) {
    if (k->n == k->cap) return;
    memmove(body(k) + at + 1, body(k) + at, k->n - k->body - at);
    body(k)[at] = byte;
    k->n++;
}
static void erase(packed *k, size_t at) {
    if (at >= body_n(k)) return;
    memmove(body(k) + at, body(k) + at + 1, k->n - k->body - at - 1);
    k->n--;
}

/* Where the lengths of a Huffman body end. */
static size_t lengths_end(const packed *k) {
    const uint8_t *b = body(k);
    size_t end = body_n(k) < 2 || b[1] < b[0] ? 2 : 2 + ((size_t)(b[1] - b[0]) + 2) / 2;
    return end < body_n(k) ? end : body_n(k);
}

static uint8_t nibble(const packed *k, size_t i) {
    return (uint8_t)(body(k)[2 + i / 2] >> 4 * (i % 2) & 15);
}
static void set_nibble(const packed *k, size_t i, uint8_t v) {
    uint8_t *at = body(k) + 2 + i / 2;
    *at = (uint8_t)(i % 2 ? (*at & 15) | v << 4 : (*at & 0xf0) | v);
}

/* Two lengths change places: the code stays whole. */
static void swap_lengths(packed *k) {
    size_t n = 2 * (lengths_end(k) - 2);
    if (!n) return;
    size_t i = draw(k, n), j = draw(k, n);
    uint8_t was = nibble(k, i);
    set_nibble(k, i, nibble(k, j));
    set_nibble(k, j, was);
}

/* One code is split in two, or two of a length are joined: whole too. */
static void split_length(packed *k) {
    size_t n = 2 * (lengths_end(k) - 2);
    if (!n) return;
    size_t i = draw(k, n), j = draw(k, n);
    uint8_t length = nibble(k, i);
    if (length && !nibble(k, j) && length < 15) set_nibble(k, i, length + 1), set_nibble(k, j, length + 1);
    else if (i != j && length > 1 && nibble(k, j) == length) set_nibble(k, i, length - 1), set_nibble(k, j, 0);
}

/* A byte from one stream to the next. */
static void move_stream(packed *k) {
    size_t at = lengths_end(k) + 4 * draw(k, 3);
    if (k->p[HEADER] < 10 || at + 8 > body_n(k)) return;
    body(k)[at]++;
    if (draw(k, 2)) body(k)[at + 4]--;
}

static void mutate_code(packed *k) {
    switch (draw(k, 7)) {
    case 0: swap_lengths(k); return;
    case 1: split_length(k); return;
    case 2: move_stream(k); return;
    case 3: set_nibble(k, 0, (uint8_t)draw(k, 16)); return;
    case 4: body(k)[0]++, body(k)[1]++; return; /* the same code for other values */
    case 5: body(k)[draw(k, 2)] += (uint8_t)(1 - 2 * (int)draw(k, 2)); return;
    default: body(k)[lengths_end(k) + draw(k, body_n(k) - lengths_end(k))] ^= (uint8_t)(1 << draw(k, 8));
    }
}

/* The start of the i-th varint, or of the last one. */
static size_t varint_at(const packed *k, size_t i) {
    size_t start = 0;
    for (size_t at = 0; at < body_n(k) && i; at++)
        if (body(k)[at] < 128) start = at + 1, i--;
    return start < body_n(k) ? start : 0;
}

static void mutate_varints(packed *k) {
    size_t at = varint_at(k, draw(k, body_n(k) + 1));
    uint8_t *b = body(k) + at;
    switch (draw(k, 8)) {
    case 0: insert(k, at, (uint8_t)draw(k, 128)); return;
    case 1: erase(k, at); return;
    case 2: b[0] = (uint8_t)draw(k, 256); return;
    case 3: /* a byte too many */
        b[0] |= 128;
        insert(k, at + 1, 0);
        return;
    case 4: /* a run is split */
        insert(k, at, 0);
        insert(k, at, 0);
        return;
    case 5: insert(k, at, 0); return; /* a value becomes the length of a run */
    case 6:                           /* from one run, or value, to the next */
        if (at + 2 < body_n(k)) b[1]++, b[2]--;
        return;
    default: insert(k, at, 0xff); /* longer, up to its limit */
    }
}

/* Another sketch of the same shape, as the writer makes it. */
static void add_items(packed *k) {
    bpk_sketch *s = NULL;
    uint64_t hash[32], weight[32];
    bpk_items it = {.n = 1 + draw(k, 32), .hash = hash, .weight = weight};
    if (bpk_decode(&s, k->p, k->n, NULL, NULL, NULL) != BPK_OK) return;
    for (size_t i = 0; i < it.n; i++) hash[i] = draw(k, UINT64_MAX), weight[i] = draw(k, 300) << draw(k, 20);
    if (bpk_as_hll(s)) it.weight = NULL;
    if (bpk_add(s, &it, NULL, NULL) == BPK_OK && bpk_encoded_size(s, BPK_FORM_SMALL) <= k->cap) {
        fuzz_bytes b = fuzz_encode(s, BPK_FORM_SMALL);
        memcpy(k->p, b.p, b.n);
        k->n = b.n;
        free(b.p);
    }
    bpk_free(s);
}

/* Whether there are parameters and a body to change. */
static bool open(packed *k, uint8_t *data, size_t n, size_t cap, unsigned seed) {
    *k = (packed){data, n, cap, HEADER + (n > AT_PARAMS ? (size_t)data[AT_PARAMS] * 8 : 0), fuzz_mix(seed)};
    bool hll = n > AT_KIND && data[AT_KIND] == BPK_KIND_HLL, cms = n > AT_KIND && data[AT_KIND] == BPK_KIND_CMS;
    if (n < k->body + CHECKSUM + 2 || k->body != (hll ? HEADER + 8 : HEADER + 40) || data[AT_FLAGS]) return false;
    return (hll || cms) && data[AT_FORM] == BPK_FORM_SMALL;
}

/* All of the body, by the engine: also from other inputs. */
static void mutate_bytes(packed *k) {
    size_t n = LLVMFuzzerMutate(body(k), body_n(k), k->cap - CHECKSUM - k->body);
    k->n = k->body + n + CHECKSUM;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed) {
    packed k;
    if (!open(&k, data, n, cap, seed)) return LLVMFuzzerMutate(data, n, cap);
    bool hll = data[AT_KIND] == BPK_KIND_HLL;
    uint64_t what = draw(&k, 16);
    if (what == 0) mutate_bytes(&k);
    else if (what == 1) data[HEADER + draw(&k, k.body - HEADER)] = (uint8_t)draw(&k, 64);
    else if (what == 2) data[hll ? HLL_CODING : CMS_CODING] = (uint8_t)draw(&k, 4);
    else if (what <= 4) add_items(&k);
    else
        for (uint64_t turns = 1 + draw(&k, 3); turns-- > 0 && body_n(&k) > 4;)
            hll ? mutate_code(&k) : mutate_varints(&k);
    seal(&k);
    return k.n;
}

/* ---- what must hold ---- */

/* Raw and packed say the same, and bytes merge as sketches do. */
static void check_sketch(bpk_sketch *s, const uint8_t *data, size_t n, const bpk_env *env) {
    bpk_sketch *raw = NULL, *sum = NULL;
    fuzz_bytes view = fuzz_encode(s, BPK_FORM_VIEW);
    bpk_view v;
    REQUIRE(bpk_decode(&raw, view.p, view.n, NULL, env, NULL) == BPK_OK);
    fuzz_require_same(raw, s);
    const bpk_sketch *seen = bpk_view_open(&v, view.p, view.n, NULL);
    REQUIRE(seen);
    fuzz_require_encodes_to(seen, (bpk_form)data[AT_FORM], data, n);
    REQUIRE(bpk_merge_bytes(&sum, view.p, view.n, env, NULL) == BPK_OK);
    REQUIRE(bpk_merge_bytes(&sum, data, n, env, NULL) == BPK_OK);
    REQUIRE(bpk_merge(raw, s, NULL) == BPK_OK);
    fuzz_require_same(raw, sum);
    REQUIRE(bpk_health(s, NULL, NULL) <= BPK_HEALTH_OVER);
    bpk_free(raw), bpk_free(sum);
    free(view.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_memory memory;
    bpk_sketch *s = NULL;
    bpk_err err = {.code = BPK_OK};
    fuzz_memory_init(&memory, MEMORY);
    bpk_status st = bpk_decode(&s, data, n, NULL, &memory.env, &err);
    if (st == BPK_OK) {
        fuzz_require_encodes_to(s, (bpk_form)data[AT_FORM], data, n);
        check_sketch(s, data, n, &memory.env);
        bpk_free(s);
    } else {
        fuzz_require_error(st, &err);
        REQUIRE(!s && err.offset <= n);
    }
    REQUIRE(memory.held == 0);
    return 0;
}
