/* golden.h - what the golden files hold: recipes for make_golden.c, which writes them, and test_golden.c, which proves
 * that they still mean the same. A line here is never changed once its file exists; a new state gets a new line.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "damage.h"

#define GOLDEN_DIR "tests/golden/"

typedef struct golden {
    const char *name, *kind;
    bpk_param param[4]; /* ends with an empty one */
    uint64_t items;     /* the numbers 0, 1, 2, .. as decimal text, or as integers where the domain says so */
    bool keyed;         /* SipHash under the key 00 01 .. 0f, integers */
    bool labelled;      /* with metadata */
} golden;

static const golden goldens[] = {
    {"hll_empty", "hll", {{NULL, NULL}}, 0, false, false},
    {"hll_1", "hll", {{NULL, NULL}}, 1, false, false},
    {"hll_10", "hll", {{NULL, NULL}}, 10, false, false},
    {"hll_1000", "hll", {{NULL, NULL}}, 1000, false, false},
    {"hll_p26", "hll", {{"precision", "26"}, {NULL, NULL}}, 20, false, false},
    {"hll_dense_d0", "hll", {{"precision", "10"}, {"window_bits", "0"}, {NULL, NULL}}, 100000, false, false},
    {"hll_dense_d2", "hll", {{"precision", "10"}, {"window_bits", "2"}, {NULL, NULL}}, 100000, false, false},
    {"hll_dense_p4", "hll", {{"precision", "4"}, {NULL, NULL}}, 50, false, false},
    {"hll_keyed", "hll", {{"window_bits", "0"}, {NULL, NULL}}, 10, true, false},
    {"hll_labelled", "hll", {{NULL, NULL}}, 10, false, true},
    {"bloom_empty", "bloom", {{"items", "10"}, {NULL, NULL}}, 0, false, false},
    {"bloom_blocked", "bloom", {{"items", "100"}, {NULL, NULL}}, 100, false, false},
    {"bloom_two_lines", "bloom", {{"items", "50"}, {"rate", "1e-4"}, {NULL, NULL}}, 50, false, false},
    {"bloom_classic", "bloom", {{"items", "100"}, {"layout", "classic"}, {NULL, NULL}}, 90, false, false},
    {"bloom_keyed", "bloom", {{"items", "20"}, {"on_full", "degrade"}, {NULL, NULL}}, 20, true, true},
};
enum { GOLDENS = sizeof goldens / sizeof goldens[0] };

static inline void golden_hasher(bpk_hasher *h, const golden *g) {
    uint8_t key[16];
    const bpk_domain keyed = {.hash = BPK_HASH_SIPHASH, .secret = 1, .type = BPK_I64};
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
    assert_int_equal(bpk_hasher_init(h, g->keyed ? &keyed : NULL, g->keyed ? key : NULL, NULL), BPK_OK);
}

static inline uint64_t golden_hash(const bpk_hasher *h, uint64_t i) {
    char text[24];
    if (h->domain.type == BPK_I64) return bpk_hash_i64(h, (int64_t)i);
    return bpk_hash(h, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)i));
}

static inline void golden_add(bpk_sketch *s, const bpk_hasher *h, uint64_t from, uint64_t to) {
    for (; from < to; from++) {
        uint64_t hash = golden_hash(h, from);
        assert_int_equal(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL), BPK_OK);
    }
}

static inline bpk_sketch *golden_make(const golden *g) {
    bpk_hasher h;
    bpk_sketch *s = NULL;
    size_t n = 0;
    while (g->param[n].name) n++;
    golden_hasher(&h, g);
    assert_int_equal(bpk_new(&s, g->kind, &h.domain, g->param, n, NULL, NULL), BPK_OK);
    golden_add(s, &h, 0, g->items);
    if (g->labelled) {
        assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "visitors of 2024-05-01", 22), BPK_OK);
        assert_int_equal(bpk_meta_set(s, BPK_META_USER, "\0\1\2", 3), BPK_OK);
    }
    return s;
}

static inline void golden_path(char path[128], const char *name, int form) {
    snprintf(path, 128, GOLDEN_DIR "%s_%s.bpk", name, form == BPK_FORM_VIEW ? "view" : "small");
}
static inline const golden *golden_find(const char *name) {
    for (size_t i = 0; i < GOLDENS; i++)
        if (strcmp(goldens[i].name, name) == 0) return &goldens[i];
    return NULL;
}

/* ---- golden errors: one file each with one thing wrong; errors.txt beside them says what a decoder answers ---- */

typedef struct golden_error {
    const char *name, *from;
    int form;
    size_t at, n; /* the n bytes at `at` become `value` */
    uint8_t value;
    long longer;   /* afterwards so many bytes are appended, or cut off */
    bool resealed; /* afterwards the checksum is made right */
} golden_error;

static const golden_error golden_errors[] = {
    {"empty", "hll_10", 0, 0, 0, 0, -1000, false},
    {"cut_in_magic", "hll_empty", 0, 0, 0, 0, -47, false},
    {"cut_in_header", "hll_empty", 0, 0, 0, 0, -32, false},
    {"cut_in_checksum", "hll_1000", 0, 0, 0, 0, -1, false},
    {"bit_of_body", "hll_10", 0, 50, 1, 0, 0, false},
    {"magic_bit", "hll_10", 0, 0, 1, 0x88, 0, false},
    {"magic_newline", "hll_10", 0, 4, 1, '\n', 0, false},
    {"newer_version", "hll_10", 0, OFF_VERSION, 1, 2, 0, true},
    {"unknown_kind", "hll_10", 0, OFF_KIND, 1, 99, 0, true},
    {"unknown_form", "hll_10", 0, OFF_FORM, 1, 2, 0, true},
    {"unknown_flag", "hll_10", 0, OFF_FLAGS, 1, 2, 0, true},
    {"unknown_hash", "hll_10", 0, OFF_HASH, 1, 9, 0, true},
    {"secret_of_public_hash", "hll_10", 0, OFF_SECRET, 1, 1, 0, true},
    {"unknown_type", "hll_10", 0, OFF_TYPE, 1, 3, 0, true},
    {"no_fingerprint", "hll_keyed", 0, OFF_SEED, 8, 0, 0, true},
    {"body_too_long", "hll_10", 0, OFF_BODY_N, 8, 0xff, 0, true},
    {"flag_without_metadata", "hll_10", 0, OFF_FLAGS, 1, 1, 0, true},
    {"params_of_another_length", "hll_1000", 0, OFF_PARAMS_N, 1, 2, 8, true},
    {"bytes_behind", "hll_10", 0, 0, 0, 0, 3, false},
    {"hll_precision_3", "hll_10", 0, 32, 1, 3, 0, true},
    {"hll_precision_27", "hll_10", 0, 32, 1, 27, 0, true},
    {"hll_window_1", "hll_10", 0, 33, 1, 1, 0, true},
    {"hll_coding_2", "hll_10", 0, 34, 1, 2, 0, true},
    {"hll_reserved", "hll_10", 0, 37, 1, 1, 0, true},
    {"hll_padding", "hll_10", 1, 41, 1, 1, 0, true},
    {"hll_count", "hll_10", 0, 40, 1, 11, 0, true},
    {"hll_count_huge", "hll_10", 0, 40, 4, 0xff, 0, true},
    {"hll_tokens_descend", "hll_10", 1, 67, 1, 0xff, 0, true},
    {"hll_token_0", "hll_1", 1, 64, 4, 0, 0, true},
    {"hll_register_1", "hll_dense_d2", 0, 40, 1, 1, 0, true},
    {"hll_register_too_high", "hll_dense_d0", 1, 64, 1, 56, 0, true},
    {"bloom_layout_2", "bloom_blocked", 0, 32, 1, 2, 0, true},
    {"bloom_lines_2", "bloom_blocked", 0, 33, 1, 2, 0, true},
    {"bloom_on_full_2", "bloom_blocked", 0, 34, 1, 2, 0, true},
    {"bloom_generations", "bloom_blocked", 0, 35, 1, 1, 0, true},
    {"bloom_no_blocks", "bloom_blocked", 0, 40, 8, 0, 0, true},
    {"bloom_blocks_huge", "bloom_blocked", 0, 40, 8, 0xff, 0, true},
    {"bloom_items_0", "bloom_blocked", 0, 48, 8, 0, 0, true},
    {"bloom_rate_nan", "bloom_blocked", 0, 56, 8, 0xff, 0, true},
    {"bloom_reserved", "bloom_blocked", 0, 70, 1, 1, 0, true},
    {"bloom_plan", "bloom_blocked", 0, 40, 1, 1, 0, true},
};
enum { GOLDEN_ERRORS = sizeof golden_errors / sizeof golden_errors[0] };

static inline t_bytes golden_error_make(const golden_error *g) {
    bpk_sketch *s = golden_make(golden_find(g->from));
    t_bytes whole = t_encode(s, (bpk_form)g->form);
    size_t n = whole.n;
    if (g->longer < 0) n = n > (size_t)-g->longer ? n - (size_t)-g->longer : 0;
    t_bytes b = {calloc(n + (g->longer > 0 ? (size_t)g->longer : 0) + 1, 1), n};
    memcpy(b.p, whole.p, n);
    if (g->longer > 0) b.n += (size_t)g->longer;
    if (g->n) memset(b.p + g->at, g->value, g->n);
    if (g->resealed) t_reseal(b.p, b.n);
    bpk_free(s);
    free(whole.p);
    return b;
}

#endif
