/* golden.h - what the golden files hold: recipes for make_golden.c, which writes them, and test_golden.c, which proves
 * that they still mean the same. A line here is never changed once its file exists; a new state gets a new line.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "damage.h"

#include <math.h>

#define GOLDEN_DIR "tests/golden/"

typedef struct golden {
    const char *name, *kind;
    bpk_param param[4]; /* ends with an empty one, unless there are four */
    uint64_t items;     /* the numbers 0, 1, 2, .. as decimal text, or as integers where the domain says so; the weight
                           of i, which only counters read, is 1 + ⌊40 / (1 + i mod 64)⌋, its group, which only
                           samples read, has the hash and the name i mod 7 */
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
    {"hll_dense_p8", "hll", {{"precision", "8"}, {NULL, NULL}}, 3000, false, false},
    {"hll_keyed", "hll", {{"window_bits", "0"}, {NULL, NULL}}, 10, true, false},
    {"hll_labelled", "hll", {{NULL, NULL}}, 10, false, true},
    {"bloom_empty", "bloom", {{"items", "10"}, {NULL, NULL}}, 0, false, false},
    {"bloom_blocked", "bloom", {{"items", "100"}, {NULL, NULL}}, 100, false, false},
    {"bloom_two_lines", "bloom", {{"items", "50"}, {"rate", "1e-4"}, {NULL, NULL}}, 50, false, false},
    {"bloom_classic", "bloom", {{"items", "100"}, {"layout", "classic"}, {NULL, NULL}}, 90, false, false},
    {"bloom_keyed", "bloom", {{"items", "20"}, {"on_full", "degrade"}, {NULL, NULL}}, 20, true, true},
    {"bloom_rotating", "bloom", {{"items", "40"}, {"generations", "4"}, {NULL, NULL}}, 83, false, false},
    {"bloom_rotating_by_time",
     "bloom",
     {{"items", "100"}, {"rate", "1e-3"}, {"generations", "4"}, {"span", "40"}},
     46,
     false,
     false},
    {"bloom_rotating_keyed",
     "bloom",
     {{"items", "30"}, {"generations", "2"}, {"seen", "first"}, {NULL, NULL}},
     20,
     true,
     true},
    {"cbloom_empty", "cbloom", {{"items", "30"}, {NULL, NULL}}, 0, false, false},
    {"cbloom", "cbloom", {{"items", "50"}, {NULL, NULL}}, 45, false, false},
    {"cbloom_raw", "cbloom", {{"items", "3"}, {"on_full", "degrade"}, {NULL, NULL}}, 40, false, false},
    {"cbloom_keyed", "cbloom", {{"items", "20"}, {"rate", "1e-4"}, {NULL, NULL}}, 15, true, true},
    {"grow_empty", "grow", {{"items", "10"}, {NULL, NULL}}, 0, false, false},
    {"grow_layers", "grow", {{"items", "20"}, {NULL, NULL}}, 100, false, false},
    {"grow_classic",
     "grow",
     {{"items", "10"}, {"rate", "0.1%"}, {"layout", "classic"}, {NULL, NULL}},
     50,
     false,
     false},
    {"grow_keyed", "bloom", {{"items", "20"}, {"on_full", "grow"}, {NULL, NULL}}, 30, true, true},
    {"grow_cuckoo", "cuckoo", {{"items", "20"}, {"on_full", "grow"}, {NULL, NULL}}, 100, false, false},
    {"grow_cuckoo_12_bits",
     "cuckoo",
     {{"items", "10"}, {"fingerprint_bits", "12"}, {"on_full", "grow"}, {NULL, NULL}},
     25,
     false,
     false},
    {"cms_empty", "cms", {{"width", "10"}, {NULL, NULL}}, 0, false, false},
    {"cms_plain", "cms", {{"width", "20"}, {"update", "plain"}, {NULL, NULL}}, 100, false, false},
    {"cms_conservative", "cms", {{"width", "20"}, {NULL, NULL}}, 100, false, false},
    {"cms_1_byte_plain",
     "cms",
     {{"width", "12"}, {"depth", "2"}, {"cell_bytes", "1"}, {"update", "plain"}},
     1000,
     false,
     false},
    {"cms_1_byte_conservative", "cms", {{"width", "5"}, {"cell_bytes", "1"}, {NULL, NULL}}, 500, false, false},
    {"cms_8_bytes",
     "cms",
     {{"bytes", "300"}, {"cell_bytes", "8"}, {"update", "plain"}, {NULL, NULL}},
     50,
     false,
     false},
    {"cms_sparse", "cms", {{"width", "60"}, {"depth", "2"}, {NULL, NULL}}, 9, false, false},
    {"cms_1_byte_packed",
     "cms",
     {{"width", "60"}, {"depth", "2"}, {"cell_bytes", "1"}, {"update", "plain"}},
     20,
     false,
     false},
    {"cms_keyed", "cms", {{"epsilon", "0.2"}, {"sizing", "2"}, {"cell_bytes", "2"}, {NULL, NULL}}, 30, true, true},
    {"cms_decayed", "cms", {{"width", "20"}, {"half_life", "30"}, {NULL, NULL}}, 100, false, false},
    {"cms_decayed_plain",
     "cms",
     {{"width", "20"}, {"update", "plain"}, {"cell_bytes", "4"}, {"half_life", "7"}},
     100,
     false,
     false},
    {"cms_halved", "cms", {{"width", "20"}, {NULL, NULL}}, 100, false, false}, /* see golden_make */
    {"cuckoo_empty", "cuckoo", {{"items", "10"}, {NULL, NULL}}, 0, false, false},
    {"cuckoo_raw", "cuckoo", {{"items", "8"}, {NULL, NULL}}, 5, false, false},
    {"cuckoo_16_bits", "cuckoo", {{"items", "100"}, {NULL, NULL}}, 100, false, false},
    {"cuckoo_12_bits", "cuckoo", {{"items", "50"}, {"rate", "1%"}, {NULL, NULL}}, 50, false, false},
    {"cuckoo_keyed", "cuckoo", {{"items", "40"}, {NULL, NULL}}, 15, true, true},
    {"limit_empty", "limit", {{"limit", "10"}, {"period", "60"}, {"width", "10"}, {NULL, NULL}}, 0, false, false},
    {"limit_arrival", "limit", {{"limit", "10"}, {"period", "60"}, {"burst", "60"}, {"width", "20"}}, 50, false, false},
    {"limit_rounded",
     "limit",
     {{"limit", "7000"}, {"period", "1000003"}, {"burst", "3000"}, {"width", "15"}},
     40,
     false,
     false},
    {"limit_raw",
     "limit",
     {{"limit", "1"}, {"period", "10000000"}, {"burst", "100"}, {"width", "2"}},
     30,
     false,
     false},
    {"limit_refunds",
     "limit",
     {{"limit", "10"}, {"period", "60"}, {"burst", "60"}, {"width", "30"}},
     40,
     false,
     false}, /* see golden_make */
    {"limit_windows",
     "limit",
     {{"limit", "100"}, {"period", "60"}, {"width", "12"}, {"method", "windows"}},
     100,
     false,
     false},
    {"limit_keyed", "limit", {{"limit", "3"}, {"period", "1"}, {"bytes", "400"}, {NULL, NULL}}, 20, true, true},
    {"topk_empty", "topk", {{"entries", "18"}, {NULL, NULL}}, 0, false, false},
    {"topk_below", "topk", {{"entries", "18"}, {NULL, NULL}}, 8, false, false},
    {"topk_full", "topk", {{"entries", "18"}, {NULL, NULL}}, 60, false, false},
    {"topk_wide", "topk", {{"entries", "18"}, {"k", "3"}, {NULL, NULL}}, 20000, false, false},
    {"topk_cut", "topk", {{"entries", "36"}, {"k", "2"}, {"candidates", "6"}, {NULL, NULL}}, 100, false, false},
    {"topk_keyed", "topk", {{"entries", "18"}, {"k", "2"}, {"candidates", "12"}, {NULL, NULL}}, 40, true, true},
    {"topk_decayed", "topk", {{"entries", "18"}, {"half_life", "16"}, {NULL, NULL}}, 60, false, false},
    {"topk_decayed_wide",
     "topk",
     {{"entries", "36"}, {"k", "2"}, {"candidates", "6"}, {"half_life", "1000"}},
     3000,
     false,
     false},
    {"topk_decayed_keyed", "topk", {{"entries", "18"}, {"k", "2"}, {"half_life", "5"}, {NULL, NULL}}, 40, true, true},
    {"sample_empty", "sample", {{"k", "5"}, {NULL, NULL}}, 0, false, false},
    {"sample_none", "sample", {{"k", "0"}, {NULL, NULL}}, 9, false, false},
    {"sample_below", "sample", {{"k", "6"}, {"stream", "1"}, {NULL, NULL}}, 4, false, false},
    {"sample_plain", "sample", {{"k", "4"}, {"seed", "7"}, {"stream", "2"}, {NULL, NULL}}, 1000, false, false},
    {"sample_weighted", "sample", {{"k", "4"}, {"weighted", "yes"}, {"seed", "7"}, {NULL, NULL}}, 1000, false, false},
    {"sample_strata", "sample", {{"k", "2"}, {"groups", "3"}, {NULL, NULL}}, 200, false, false},
    {"sample_weighted_strata",
     "sample",
     {{"k", "1"}, {"groups", "2"}, {"weighted", "yes"}, {"seed", "18446744073709551615"}},
     100,
     false,
     false},
    {"sample_keyed", "sample", {{"k", "3"}, {"groups", "9"}, {NULL, NULL}}, 50, true, true},
    {"theta_empty", "theta", {{NULL, NULL}}, 0, false, false},
    {"theta_10", "theta", {{NULL, NULL}}, 10, false, false},
    {"theta_full", "theta", {{"k", "16"}, {NULL, NULL}}, 16, false, false},
    {"theta_estimating", "theta", {{"k", "64"}, {NULL, NULL}}, 5000, false, false},
    {"theta_keyed", "theta", {{"k", "16"}, {NULL, NULL}}, 100, true, true},
    {"window_empty", "window", {{"of", "hll"}, {"span", "60"}, {"precision", "6"}, {NULL, NULL}}, 0, false, false},
    {"window_hll", "window", {{"of", "hll"}, {"span", "90"}, {"panes", "3"}, {"precision", "6"}}, 60, false, false},
    {"window_theta", "window", {{"of", "theta"}, {"span", "100"}, {"panes", "4"}, {"k", "16"}}, 50, false, false},
    {"window_cms", "window", {{"of", "cms"}, {"span", "40"}, {"panes", "4"}, {"width", "9"}}, 31, false, false},
    {"window_topk", "window", {{"of", "topk"}, {"span", "50"}, {"panes", "2"}, {"entries", "18"}}, 40, false, false},
    {"window_sample", "window", {{"of", "sample"}, {"span", "9"}, {"panes", "3"}, {"k", "2"}}, 9, false, false},
    {"window_bloom", "window", {{"of", "bloom"}, {"span", "30"}, {"panes", "3"}, {"items", "20"}}, 25, false, false},
    {"window_cbloom", "window", {{"of", "cbloom"}, {"span", "30"}, {"panes", "3"}, {"items", "20"}}, 25, true, false},
    {"window_keyed", "window", {{"of", "theta"}, {"span", "20"}, {"panes", "2"}, {"k", "16"}}, 21, true, true},
    {"theta_common", "theta", {{"k", "64"}, {NULL, NULL}}, 2000, false, false}, /* see golden_make */
};
enum { GOLDENS = sizeof goldens / sizeof goldens[0] };

static inline void golden_hasher(bpk_hasher *h, const golden *g) {
    uint8_t key[16];
    const bpk_domain keyed = {.hash = BPK_HASH_SIPHASH, .secret = 1, .type = BPK_I64};
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
    assert_int_equal(bpk_hasher_init(h, g->keyed ? &keyed : NULL, g->keyed ? key : NULL, NULL), BPK_OK);
}

static inline uint64_t golden_weight(uint64_t i) {
    return 1 + 40 / (1 + i % 64);
}

static inline uint64_t golden_number(const golden *g, const char *name) {
    uint64_t v = 0;
    for (size_t i = 0; i < 4 && g->param[i].name; i++)
        if (strcmp(g->param[i].name, name) == 0) assert_int_equal(bpk_parse_count(g->param[i].value, &v), BPK_OK);
    return v;
}

/* What a filter that rotates by number has forgotten: all that was full but for the last generations. */
static inline uint64_t golden_forgotten(const golden *g) {
    uint64_t generations = golden_number(g, "generations");
    if (!generations || golden_number(g, "span")) return 0;
    uint64_t each = golden_number(g, "items") / generations, full = g->items / each;
    return full > generations ? (full - generations) * each : 0;
}

/* What a file says of the whole: items, or where it counts, their weight. */
enum { GOLDEN_COMMON = 150 };
static inline bool golden_is_common(const golden *g) {
    return strcmp(g->name, "theta_common") == 0;
}
static inline bool golden_is_halved(const golden *g) {
    return strcmp(g->name, "cms_halved") == 0;
}
/* The weight of all that came, item i at time i, as of the last. */
static inline double golden_decayed(const golden *g, uint64_t half_life) {
    double sum = 0;
    for (uint64_t i = 0; i < g->items; i++)
        sum += (double)golden_weight(i) * exp2(-(double)(g->items - 1 - i) / (double)half_life);
    return sum;
}
static inline double golden_whole(const golden *g) {
    uint64_t sum = 0, half_life = golden_number(g, "half_life");
    if (half_life) return golden_decayed(g, half_life);
    if (golden_is_common(g)) return GOLDEN_COMMON;
    bool counts = strcmp(g->kind, "cms") == 0 || strcmp(g->kind, "topk") == 0;
    for (size_t i = 0; i < 4 && g->param[i].name; i++) {
        const char *value = strcmp(g->param[i].name, "of") == 0 ? g->param[i].value : "";
        counts |= strcmp(g->param[i].name, "weighted") == 0 || strcmp(value, "cms") == 0 || strcmp(value, "topk") == 0;
    }
    for (uint64_t i = 0; i < g->items; i++) sum += counts ? golden_weight(i) : 1;
    return (double)(sum - golden_forgotten(g)) / (golden_is_halved(g) ? 2 : 1);
}

static inline void golden_add(bpk_sketch *s, const bpk_hasher *h, uint64_t from, uint64_t to) {
    for (; from < to; from++) {
        char text[24];
        size_t len = 8;
        if (h->domain.type == BPK_I64) t_store64((uint8_t *)text, from);
        else len = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)from);
        const void *item = text;
        uint64_t hash = bpk_hash(h, text, len), weight = golden_weight(from);
        const uint64_t group = from % 7;
        const char digit = (char)('0' + group);
        const void *name = &digit;
        const size_t name_len = 1;
        bpk_items one = {.n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight, .now = from};
        one.group = &group, one.group_name = &name, one.group_len = &name_len;
        assert_int_equal(bpk_add(s, &one, NULL, NULL), BPK_OK);
    }
}

/* The items of both: few values below a theta that is smaller than one. */
static inline bpk_sketch *golden_intersect(bpk_sketch *a, bpk_sketch *b) {
    const bpk_theta *const in[] = {bpk_as_theta(a), bpk_as_theta(b)};
    bpk_theta *both = NULL;
    assert_int_equal(bpk_theta_op(&both, BPK_THETA_INTERSECT, in, 2, NULL, NULL), BPK_OK);
    bpk_free(a), bpk_free(b);
    return bpk_theta_base(both);
}

/* Every third key of a limiter gets two events back. */
static inline void golden_refund(bpk_sketch *s, const bpk_hasher *h, uint64_t n) {
    for (uint64_t i = 0; i < n; i += 3) {
        char text[24];
        size_t len = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)i);
        bpk_status st = bpk_limit_refund((bpk_limit *)s, bpk_hash(h, text, len), 2, n, NULL, NULL);
        assert_int_equal(st, BPK_OK);
    }
}

/* cms_halved is halved after its items. theta_common is the intersection with as many items again, of which the first
 * GOLDEN_COMMON are the last of these. */
static inline bpk_sketch *golden_make(const golden *g) {
    bpk_hasher h;
    bpk_sketch *s = NULL, *other = NULL;
    size_t n = 0;
    while (n < 4 && g->param[n].name) n++;
    golden_hasher(&h, g);
    assert_int_equal(bpk_new(&s, g->kind, &h.domain, g->param, n, NULL, NULL), BPK_OK);
    golden_add(s, &h, 0, g->items);
    if (strcmp(g->name, "limit_refunds") == 0) golden_refund(s, &h, g->items);
    if (golden_is_common(g)) {
        assert_int_equal(bpk_twin(&other, s, NULL), BPK_OK);
        golden_add(other, &h, g->items - GOLDEN_COMMON, 2 * g->items - GOLDEN_COMMON);
        s = golden_intersect(s, other);
    }
    if (golden_is_halved(g)) assert_int_equal(bpk_cms_halve((bpk_cms *)(void *)s, NULL), BPK_OK);
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

enum { GOLDEN_RAW = 2 }; /* instead of a form: form small with the body of form view */

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
    {"hll_coding_3", "hll_10", 0, 34, 1, 3, 0, true},
    {"hll_coding_2_view", "hll_dense_d0", 1, 34, 1, 2, 0, true},
    {"hll_coding_2_not_smaller", "hll_dense_p4", 0, 34, 1, 2, 0, true},
    {"hll_coding_1_not_smallest", "hll_dense_d0", GOLDEN_RAW, 0, 0, 0, 0, true},
    {"hll_code_lowest_above_highest", "hll_dense_p8", 0, 40, 1, 0x39, 0, true},
    {"hll_code_of_13_bits", "hll_dense_p8", 0, 42, 1, 13, 0, true},
    {"hll_code_too_many", "hll_dense_p8", 0, 42, 1, 4, 0, true},
    {"hll_code_too_few", "hll_dense_p8", 0, 42, 1, 6, 0, true},
    {"hll_code_padding", "hll_dense_p8", 0, 65, 1, 0x18, 0, true},
    {"hll_code_of_no_register", "hll_dense_p8", 0, 42, 1, 0x50, 0, true},
    {"hll_code_not_theirs", "hll_dense_d0", 0, 44, 2, 0x26, 0, true},
    {"hll_streams_too_long", "hll_dense_d0", 0, 48, 1, 0xff, 0, true},
    {"hll_stream_too_short", "hll_dense_d0", 0, 48, 1, 31, 0, true},
    {"hll_stream_not_used_up", "hll_dense_d0", 0, 48, 1, 0x5b, 0, true},
    {"hll_stream_padding", "hll_dense_p8", 0, 190, 1, 0x89, 0, true},
    {"hll_reserved", "hll_10", 0, 37, 1, 1, 0, true},
    {"hll_padding", "hll_10", 1, 41, 1, 1, 0, true},
    {"hll_count", "hll_10", 0, 40, 1, 11, 0, true},
    {"hll_count_huge", "hll_10", 0, 40, 4, 0xff, 0, true},
    {"hll_tokens_descend", "hll_10", 1, 67, 1, 0xff, 0, true},
    {"hll_token_0", "hll_1", 1, 64, 4, 0, 0, true},
    {"hll_register_1", "hll_dense_p4", 0, 40, 1, 1, 0, true},
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
    {"bloom_generations_17", "bloom_blocked", 0, 35, 1, 17, 0, true},
    {"bloom_rotating_classic", "bloom_rotating", 0, 32, 1, 1, 0, true},
    {"bloom_rotating_on_full_1", "bloom_rotating", 0, 34, 1, 1, 0, true},
    {"bloom_rotating_generations_5", "bloom_rotating", 0, 35, 1, 5, 0, true},
    {"bloom_rotating_current_5", "bloom_rotating", 0, 36, 1, 5, 0, true},
    {"bloom_rotating_current_0", "bloom_rotating_keyed", 0, 36, 1, 0, 0, true},
    {"bloom_rotating_seen_2", "bloom_rotating", 0, 37, 1, 2, 0, true},
    {"bloom_rotating_lost_2", "bloom_rotating", 0, 38, 1, 2, 0, true},
    {"bloom_rotating_nothing_lost", "bloom_rotating", 0, 38, 1, 0, 0, true},
    {"bloom_rotating_united_2", "bloom_rotating", 0, 39, 1, 2, 0, true},
    {"bloom_rotating_items_few", "bloom_rotating", 0, 48, 1, 3, 0, true},
    {"bloom_rotating_span_few", "bloom_rotating_by_time", 0, 64, 1, 3, 0, true},
    {"bloom_rotating_now", "bloom_rotating", 0, 392, 1, 1, 0, true},
    {"bloom_rotating_adds_many", "bloom_rotating", 0, 400, 1, 11, 0, true},
    {"bloom_rotating_adds_none", "bloom_rotating", 0, 400, 1, 0, 0, true},
    {"bloom_rotating_since", "bloom_rotating", 0, 408, 1, 1, 0, true},
    {"cbloom_hashes_0", "cbloom", 0, 32, 1, 0, 0, true},
    {"cbloom_hashes_65", "cbloom", 0, 32, 1, 65, 0, true},
    {"cbloom_on_full_2", "cbloom", 0, 33, 1, 2, 0, true},
    {"cbloom_coding_2", "cbloom", 0, 34, 1, 2, 0, true},
    {"cbloom_coding_1_view", "cbloom", 1, 34, 1, 1, 0, true},
    {"cbloom_coding_0_not_smallest", "cbloom", GOLDEN_RAW, 0, 0, 0, 0, true},
    {"cbloom_coding_1_not_smaller", "cbloom_raw", 0, 34, 1, 1, 0, true},
    {"cbloom_reserved", "cbloom", 0, 39, 1, 1, 0, true},
    {"cbloom_no_counters", "cbloom", 0, 40, 8, 0, 0, true},
    {"cbloom_counters_huge", "cbloom", 0, 40, 8, 0xff, 0, true},
    {"cbloom_items_0", "cbloom", 0, 48, 8, 0, 0, true},
    {"cbloom_rate_nan", "cbloom", 0, 56, 8, 0xff, 0, true},
    {"cbloom_counter_too_large", "cbloom", 0, 64, 3, 0, 0, true},
    {"cbloom_counters_too_few", "cbloom", 0, 40, 2, 2, 0, true},
    {"cbloom_spare_counter", "cbloom_raw", 1, 79, 1, 0x10, 0, true},
    {"grow_layers_of_7", "grow_layers", 0, 32, 1, 7, 0, true},
    {"grow_layout_2", "grow_layers", 0, 33, 1, 2, 0, true},
    {"grow_on_full_3", "grow_layers", 0, 34, 1, 3, 0, true},
    {"grow_error_of_3_layers", "grow_layers", 0, 34, 1, 0, 0, true},
    {"grow_reserved", "grow_layers", 0, 39, 1, 1, 0, true},
    {"grow_items_0", "grow_layers", 0, 40, 8, 0, 0, true},
    {"grow_items_21", "grow_layers", 0, 40, 1, 21, 0, true},
    {"grow_rate_nan", "grow_layers", 0, 48, 8, 0xff, 0, true},
    {"grow_no_layers", "grow_layers", 0, 56, 1, 0, 0, true},
    {"grow_2_layers", "grow_layers", 0, 56, 1, 2, 0, true},
    {"grow_4_layers", "grow_layers", 0, 56, 1, 4, 0, true},
    {"grow_65_layers", "grow_layers", 0, 56, 1, 65, 0, true},
    {"grow_reserved_of_layers", "grow_layers", 0, 60, 1, 1, 0, true},
    {"grow_closed_with_room", "grow_layers", 0, 64, 1, 19, 0, true},
    {"grow_length_huge", "grow_layers", 0, 72, 8, 0xff, 0, true},
    {"grow_length_0", "grow_layers", 0, 72, 8, 0, 0, true},
    {"grow_padding", "grow_layers", 1, 90, 1, 1, 0, true},
    {"grow_layer_is_none", "grow_layers", 0, 80, 1, 0, 0, true},
    {"grow_layer_of_hll", "grow_layers", 0, 89, 1, 32, 0, true},
    {"grow_layer_in_other_form", "grow_layers", 0, 90, 1, 1, 0, true},
    {"grow_layer_with_metadata", "grow_layers", 0, 91, 1, 1, 0, true},
    {"grow_cuckoo_13_bits", "grow_cuckoo", 0, 33, 1, 13, 0, true},
    {"grow_cuckoo_degrade", "grow_cuckoo", 0, 34, 1, 1, 0, true},
    {"grow_cuckoo_inserts", "grow_cuckoo", 0, 64, 1, 1, 0, true},
    {"grow_cuckoo_rate_too_low", "grow_cuckoo", 0, 54, 1, 0x10, 0, true},
    {"grow_layer_damaged", "grow_layers", 0, 130, 1, 1, 0, true},
    {"cms_width_0", "cms_plain", 0, 32, 4, 0, 0, true},
    {"cms_width_huge", "cms_plain", 0, 32, 4, 0xff, 0, true},
    {"cms_depth_0", "cms_plain", 0, 36, 4, 0, 0, true},
    {"cms_depth_33", "cms_plain", 0, 36, 1, 33, 0, true},
    {"cms_cell_bytes_3", "cms_plain", 0, 40, 1, 3, 0, true},
    {"cms_update_2", "cms_plain", 0, 41, 1, 2, 0, true},
    {"cms_reserved", "cms_plain", 0, 47, 1, 1, 0, true},
    {"cms_half_life_1_byte", "cms_1_byte_plain", 0, 56, 1, 1, 0, true},
    {"cms_rounding_of_plain", "cms_plain", 0, 44, 1, 1, 0, true},
    {"cms_rounding_of_nothing", "cms_decayed", 1, 48, 8, 0, 0, true},
    {"cms_decayed_total", "cms_decayed", 0, 49, 7, 0, 0, true},
    {"cms_decayed_plain_total_high", "cms_decayed_plain", 0, 50, 1, 0x7f, 0, true},
    {"cms_decayed_plain_total_low", "cms_decayed_plain", 0, 49, 1, 0, 0, true},
    {"cms_epoch", "cms_plain", 0, 64, 1, 1, 0, true},
    {"cms_padding", "cms_plain", 1, 72, 1, 1, 0, true},
    {"cms_depth_2", "cms_plain", 0, 36, 1, 2, 0, true},
    {"cms_plain_total", "cms_plain", 0, 48, 1, 0, 0, true},
    {"cms_plain_cell", "cms_plain", 1, 128, 1, 0, 0, true},
    {"cms_conservative_total", "cms_conservative", 0, 48, 2, 0, 0, true},
    {"cms_conservative_cell", "cms_conservative", 1, 131, 1, 1, 0, true},
    {"cms_coding_2", "cms_sparse", 0, 42, 1, 2, 0, true},
    {"cms_coding_1_view", "cms_sparse", 1, 42, 1, 1, 0, true},
    {"cms_coding_1_not_smaller", "cms_1_byte_plain", 0, 42, 1, 1, 0, true},
    {"cms_coding_0_not_smallest", "cms_sparse", GOLDEN_RAW, 0, 0, 0, 0, true},
    {"cms_varint_cut", "cms_sparse", 0, 119, 1, 0x80, 0, true},
    {"cms_varint_overlong", "cms_sparse", 0, 74, 1, 0x80, 0, true},
    {"cms_cell_above_its_end", "cms_1_byte_packed", 0, 72, 1, 0x85, 0, true},
    {"cms_run_behind_run", "cms_sparse", 0, 74, 1, 0, 0, true},
    {"cms_run_too_long", "cms_sparse", 0, 119, 1, 5, 0, true},
    {"cms_cells_too_few", "cms_sparse", 0, 79, 1, 15, 0, true},
    {"cms_cells_too_many", "cms_sparse", 0, 79, 1, 17, 0, true},
    {"cms_packed_total", "cms_sparse", 0, 48, 8, 0, 0, true},
    {"cuckoo_13_bits", "cuckoo_16_bits", 0, 32, 1, 13, 0, true},
    {"cuckoo_level_32", "cuckoo_16_bits", 0, 33, 1, 32, 0, true},
    {"cuckoo_level_31", "cuckoo_16_bits", 0, 33, 1, 31, 0, true},
    {"cuckoo_coding_2", "cuckoo_16_bits", 0, 34, 1, 2, 0, true},
    {"cuckoo_coding_1_view", "cuckoo_16_bits", 1, 34, 1, 1, 0, true},
    {"cuckoo_coding_1_not_smaller", "cuckoo_raw", 0, 34, 1, 1, 0, true},
    {"cuckoo_coding_0_not_smallest", "cuckoo_16_bits", GOLDEN_RAW, 0, 0, 0, 0, true},
    {"cuckoo_reserved", "cuckoo_16_bits", 0, 39, 1, 1, 0, true},
    {"cuckoo_base_0", "cuckoo_16_bits", 0, 40, 8, 0, 0, true},
    {"cuckoo_base_huge", "cuckoo_16_bits", 0, 40, 8, 0xff, 0, true},
    {"cuckoo_base_other", "cuckoo_16_bits", 1, 40, 1, 33, 0, true},
    {"cuckoo_items_0", "cuckoo_16_bits", 0, 48, 8, 0, 0, true},
    {"cuckoo_items_above_places", "cuckoo_16_bits", 0, 48, 1, 137, 0, true},
    {"cuckoo_bucket_descends", "cuckoo_16_bits", 1, 71, 1, 0, 0, true},
    {"cuckoo_bucket_of_12_bits_descends", "cuckoo_12_bits", 1, 69, 1, 0, 0, true},
    {"cuckoo_count_above_places", "cuckoo_16_bits", 0, 64, 1, 137, 0, true},
    {"cuckoo_count_huge", "cuckoo_16_bits", 0, 64, 8, 0xff, 0, true},
    {"cuckoo_count_one_less", "cuckoo_16_bits", 0, 64, 1, 99, 0, true},
    {"cuckoo_count_one_more", "cuckoo_16_bits", 0, 64, 1, 101, 0, true},
    {"cuckoo_gap_without_end", "cuckoo_16_bits", 0, 100, 60, 0, 0, true},
    {"limit_method_2", "limit_arrival", 0, 32, 1, 2, 0, true},
    {"limit_method_windows", "limit_arrival", 0, 32, 1, 1, 0, true},
    {"limit_depth_0", "limit_arrival", 0, 33, 1, 0, 0, true},
    {"limit_depth_33", "limit_arrival", 0, 33, 1, 33, 0, true},
    {"limit_coding_2", "limit_arrival", 0, 34, 1, 2, 0, true},
    {"limit_coding_1_view", "limit_arrival", 1, 34, 1, 1, 0, true},
    {"limit_coding_1_not_smaller", "limit_raw", 0, 34, 1, 1, 0, true},
    {"limit_coding_0_not_smallest", "limit_arrival", GOLDEN_RAW, 0, 0, 0, 0, true},
    {"limit_reserved", "limit_arrival", 0, 35, 1, 1, 0, true},
    {"limit_width_0", "limit_arrival", 0, 36, 4, 0, 0, true},
    {"limit_width_huge", "limit_arrival", 0, 36, 4, 0xff, 0, true},
    {"limit_width_one_more", "limit_arrival", 1, 36, 1, 21, 0, true},
    {"limit_limit_0", "limit_arrival", 0, 40, 8, 0, 0, true},
    {"limit_limit_huge", "limit_arrival", 0, 47, 1, 1, 0, true},
    {"limit_period_0", "limit_arrival", 0, 48, 8, 0, 0, true},
    {"limit_burst_0", "limit_arrival", 0, 56, 4, 0, 0, true},
    {"limit_burst_huge", "limit_arrival", 0, 59, 1, 0x41, 0, true},
    {"limit_burst_below_a_cell", "limit_arrival", 0, 56, 1, 3, 0, true},
    {"limit_refunds_huge", "limit_refunds", 0, 60, 4, 0xff, 0, true},
    {"limit_refunds_4097", "limit_refunds", 0, 61, 1, 0x10, 0, true},
    {"limit_refunds_one_more", "limit_refunds", 1, 60, 1, 10, 0, true},
    {"limit_refund_own_at_its_end", "limit_refunds", 1, 616, 1, 0xce, 0, true},
    {"limit_refund_until_above_the_cells", "limit_refunds", 1, 620, 1, 0xcf, 0, true},
    {"limit_refunds_descend", "limit_refunds", 1, 640, 16, 0, 0, true},
    {"limit_refunds_of_windows", "limit_windows", 0, 60, 1, 1, 0, true},
    {"limit_windows_burst", "limit_windows", 0, 56, 1, 1, 0, true},
    {"limit_windows_limit_huge", "limit_windows", 0, 44, 1, 1, 0, true},
    {"limit_windows_first_has_a_previous", "limit_windows", 0, 64, 1, 7, 0, true},
    {"limit_padding", "limit_arrival", 1, 80, 1, 1, 0, true},
    {"limit_cell_too_far", "limit_arrival", 1, 131, 1, 1, 0, true},
    {"limit_run_behind_run", "limit_empty", 0, 73, 1, 3, 0, true},
    {"limit_cells_behind", "limit_empty", 0, OFF_BODY_N, 1, 3, 1, true},
    {"topk_k_0", "topk_full", 0, 32, 4, 0, 0, true},
    {"topk_k_huge", "topk_full", 0, 32, 4, 0xff, 0, true},
    {"topk_candidates_few", "topk_cut", 0, 36, 1, 3, 0, true},
    {"topk_candidates_huge", "topk_cut", 0, 36, 4, 0xff, 0, true},
    {"topk_decayed_total", "topk_decayed", 0, 56, 8, 0, 0, true},
    {"topk_decayed_total_small", "topk_decayed", 0, 57, 7, 0, 0, true},
    {"topk_decayed_base_above_score", "topk_decayed", 0, 133, 1, 0x40, 0, true},
    {"topk_decayed_score_too_large", "topk_decayed", 0, 159, 1, 0x80, 0, true},
    {"topk_now_of_no_half_life", "topk_decayed", 0, 48, 8, 0, 0, true},
    {"topk_epoch", "topk_full", 0, 72, 1, 1, 0, true},
    {"topk_names_too_many", "topk_full", 0, 88, 4, 0xff, 0, true},
    {"topk_names_behind", "topk_full", 0, 88, 1, 1, 0, true},
    {"topk_buckets_0", "topk_full", 0, 92, 1, 0, 0, true},
    {"topk_buckets_24", "topk_full", 0, 92, 1, 24, 0, true},
    {"topk_buckets_25", "topk_full", 0, 92, 1, 25, 0, true},
    {"topk_light_5", "topk_full", 0, 93, 1, 5, 0, true},
    {"topk_light_28", "topk_full", 0, 93, 1, 28, 0, true},
    {"topk_light_29", "topk_full", 0, 93, 1, 29, 0, true},
    {"topk_level_4", "topk_full", 0, 94, 1, 4, 0, true},
    {"topk_names_short_2", "topk_full", 0, 95, 1, 2, 0, true},
    {"topk_fingerprint_twice", "topk_full", 0, 96, 8, 0x11, 0, true},
    {"topk_empty_way_first", "topk_full", 0, 96, 4, 0, 0, true},
    {"topk_base_above_score", "topk_full", 1, 164, 2, 0x40, 0, true},
    {"topk_base_too_large", "topk_full", 0, 132, 2, 0xff, 0, true},
    {"topk_reserved", "topk_full", 0, 150, 1, 1, 0, true},
    {"topk_score_too_large", "topk_full", 0, 159, 1, 0x80, 0, true},
    {"topk_score_of_empty_way", "topk_below", 0, 216, 1, 1, 0, true},
    {"topk_light_of_a_table_not_full", "topk_below", 0, 352, 1, 1, 0, true},
    {"topk_draws_of_a_table_not_full", "topk_below", 0, 64, 1, 1, 0, true},
    {"topk_total_0", "topk_below", 0, 56, 8, 0, 0, true},
    {"topk_total_too_small", "topk_full", 0, 56, 1, 1, 0, true},
    {"topk_total_without_a_way", "topk_empty", 0, 56, 1, 1, 0, true},
    {"topk_names_short_of_nothing", "topk_empty", 0, 95, 1, 1, 0, true},
    {"topk_name_bytes", "topk_full", 0, 40, 8, 0, 0, true},
    {"topk_name_of_no_way", "topk_full", 0, 480, 4, 0xff, 0, true},
    {"topk_names_descend", "topk_full", 0, 480, 1, 17, 0, true},
    {"topk_name_of_another", "topk_full", 0, 488, 1, '!', 0, true},
    {"topk_name_too_long", "topk_full", 0, 484, 4, 0xff, 0, true},
    {"topk_threshold", "topk_cut", 0, 80, 8, 0xff, 0, true},
    {"sample_k", "sample_plain", 0, 35, 1, 2, 0, true},
    {"sample_groups", "sample_plain", 0, 39, 1, 1, 0, true},
    {"sample_weighted_2", "sample_plain", 0, 40, 1, 2, 0, true},
    {"sample_reserved", "sample_plain", 0, 41, 1, 1, 0, true},
    {"sample_sources_0", "sample_plain", 0, 48, 1, 0, 0, true},
    {"sample_sources_many", "sample_plain", 0, 51, 1, 1, 0, true},
    {"sample_strata_0", "sample_plain", 0, 52, 1, 0, 0, true},
    {"sample_strata_2", "sample_plain", 0, 52, 1, 2, 0, true},
    {"sample_draws", "sample_plain", 0, 79, 1, 1, 0, true},
    {"sample_n_of_the_source", "sample_plain", 0, 80, 1, 1, 0, true},
    {"sample_n_too_large", "sample_plain", 0, 87, 1, 0x40, 0, true},
    {"sample_flags", "sample_plain", 0, 88, 1, 4, 0, true},
    {"sample_pooled_without_groups", "sample_plain", 0, 88, 1, 3, 0, true},
    {"sample_words_of_a_plain_one", "sample_plain", 0, 90, 1, 1, 0, true},
    {"sample_flags_reserved", "sample_plain", 0, 91, 1, 1, 0, true},
    {"sample_kept_5", "sample_plain", 0, 92, 1, 5, 0, true},
    {"sample_kept_3", "sample_plain", 0, 92, 1, 3, 0, true},
    {"sample_kept_of_k_6", "sample_below", 0, 92, 1, 3, 0, true},
    {"sample_n_0", "sample_plain", 0, 96, 8, 0, 0, true},
    {"sample_group_hash", "sample_plain", 0, 104, 1, 1, 0, true},
    {"sample_not_drawn", "sample_plain", 0, 88, 1, 0, 0, true},
    {"sample_drawn_below_k", "sample_below", 0, 88, 1, 2, 0, true},
    {"sample_skip", "sample_plain", 0, 119, 1, 0x80, 0, true},
    {"sample_name", "sample_plain", 0, 120, 1, 1, 0, true},
    {"sample_name_reserved", "sample_plain", 0, 124, 1, 1, 0, true},
    {"sample_tag_0", "sample_plain", 0, 128, 8, 0, 0, true},
    {"sample_tag_nan", "sample_plain", 0, 128, 8, 0xff, 0, true},
    {"sample_tag_large", "sample_plain", 0, 135, 1, 0x7f, 0, true},
    {"sample_tags_descend", "sample_plain", 0, 134, 1, 0xff, 0, true},
    {"sample_at", "sample_plain", 0, 143, 1, 1, 0, true},
    {"sample_source_1", "sample_plain", 0, 152, 1, 1, 0, true},
    {"sample_length", "sample_plain", 0, 159, 1, 1, 0, true},
    {"sample_weight_0", "sample_weighted", 0, 160, 8, 0, 0, true},
    {"sample_weight_negative", "sample_weighted", 0, 167, 1, 0xc0, 0, true},
    {"sample_weight_nan", "sample_weighted", 0, 160, 8, 0xff, 0, true},
    {"sample_words_19", "sample_weighted", 0, 90, 1, 19, 0, true},
    {"sample_words_0", "sample_weighted", 0, 90, 1, 0, 0, true},
    {"sample_first_word_0", "sample_weighted", 0, 128, 8, 0, 0, true},
    {"sample_sum_below_kept", "sample_weighted", 0, 89, 1, 3, 0, true},
    {"sample_sum_above_all_weights", "sample_weighted", 0, 89, 1, 8, 0, true},
    {"sample_left_negative", "sample_weighted", 0, 119, 1, 0xc0, 0, true},
    {"sample_left_nan", "sample_weighted", 0, 112, 8, 0xff, 0, true},
    {"sample_all_kept_of_more_weight", "sample_weighted_strata", 0, 96, 1, 1, 0, true},
    {"sample_groups_descend", "sample_strata", 0, 104, 1, 9, 0, true},
    {"sample_pooled_first", "sample_strata", 0, 88, 1, 3, 0, true},
    {"sample_n_of_the_strata", "sample_strata", 0, 96, 1, 0x1c, 0, true},
    {"sample_group_of_none", "sample_strata", 0, 96, 1, 0, 0, true},
    {"sample_one_stratum_more", "sample_strata", 0, 52, 1, 5, 0, true},
    {"sample_one_stratum_less", "sample_strata", 0, 52, 1, 3, 0, true},
    {"sample_fewer_groups", "sample_strata", 0, 36, 1, 2, 0, true},
    {"sample_more_groups", "sample_strata", 0, 36, 1, 4, 0, true},
    {"theta_k_15", "theta_full", 0, 32, 1, 15, 0, true},
    {"theta_k_huge", "theta_10", 0, 32, 4, 0xff, 0, true},
    {"theta_reserved", "theta_10", 0, 37, 1, 1, 0, true},
    {"theta_theta_0", "theta_10", 0, 46, 1, 0, 0, true},
    {"theta_theta_above_one", "theta_10", 0, 40, 1, 1, 0, true},
    {"theta_padding", "theta_10", 1, 50, 1, 1, 0, true},
    {"theta_count_cut", "theta_empty", 0, OFF_BODY_N, 1, 3, -1, true},
    {"theta_count_huge", "theta_10", 0, 48, 4, 0xff, 0, true},
    {"theta_count_above_k", "theta_full", 0, 48, 1, 17, 0, true},
    {"theta_count_above_the_bits", "theta_10", 0, 48, 2, 3, 0, true},
    {"theta_count_too_few", "theta_10", 0, 48, 1, 9, 0, true},
    {"theta_count_too_many", "theta_10", 0, 48, 1, 11, 0, true},
    {"theta_gap_above_theta", "theta_10", 0, 52, 8, 0, 0, true},
    {"theta_stream_cut", "theta_10", 0, OFF_BODY_N, 1, 66, -1, true},
    {"theta_stream_behind", "theta_10", 0, OFF_BODY_N, 1, 68, 1, true},
    {"theta_stream_padding", "theta_10", 0, 114, 1, 0x92, 0, true},
    {"theta_view_cut", "theta_10", 1, OFF_BODY_N, 1, 79, -1, true},
    {"theta_view_above_k", "theta_full", 1, OFF_BODY_N, 1, 136, 8, true},
    {"theta_values_descend", "theta_10", 1, 72, 8, 0, 0, true},
    {"theta_value_twice", "theta_10", 1, 64, 16, 0, 0, true},
    {"theta_value_above_theta", "theta_10", 1, 142, 1, 0x10, 0, true},
    {"window_of_cuckoo", "window_cms", 0, 32, 1, 5, 0, true},
    {"window_of_7", "window_cms", 0, 32, 1, 7, 0, true},
    {"window_timed_2", "window_cms", 0, 33, 1, 2, 0, true},
    {"window_not_timed", "window_cms", 0, 33, 1, 0, 0, true},
    {"window_reserved", "window_cms", 0, 35, 1, 1, 0, true},
    {"window_no_panes", "window_cms", 0, 36, 1, 0, 0, true},
    {"window_1028_panes", "window_cms", 0, 37, 1, 4, 0, true},
    {"window_span_0", "window_cms", 0, 40, 1, 0, 0, true},
    {"window_span_3", "window_cms", 0, 40, 1, 3, 0, true},
    {"window_now_too_late", "window_cms", 0, 49, 1, 1, 0, true},
    {"window_now_too_early", "window_cms", 0, 48, 1, 9, 0, true},
    {"window_5_panes_of_4", "window_cms", 0, 64, 1, 5, 0, true},
    {"window_6_panes", "window_cms", 0, 64, 1, 6, 0, true},
    {"window_reserved_of_panes", "window_cms", 0, 68, 1, 1, 0, true},
    {"window_prototype_number", "window_cms", 0, 72, 1, 1, 0, true},
    {"window_length_huge", "window_cms", 0, 80, 8, 0xff, 0, true},
    {"window_length_0", "window_cms", 0, 80, 8, 0, 0, true},
    {"window_prototype_is_none", "window_cms", 0, 88, 1, 0, 0, true},
    {"window_prototype_of_hll", "window_cms", 0, 97, 1, 32, 0, true},
    {"window_prototype_in_other_form", "window_cms", 0, 98, 1, 1, 0, true},
    {"window_pane_damaged", "window_cms", 0, 230, 1, 1, 0, true},
    {"window_padding", "window_cms", 1, 90, 1, 1, 0, true},
};
enum { GOLDEN_ERRORS = sizeof golden_errors / sizeof golden_errors[0] };

static inline t_bytes golden_error_make(const golden_error *g) {
    bpk_sketch *s = golden_make(golden_find(g->from));
    t_bytes whole = g->form == GOLDEN_RAW ? t_encode_raw(s) : t_encode(s, (bpk_form)g->form);
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
