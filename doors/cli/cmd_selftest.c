/* cmd_selftest.c - ballpark selftest: known answers, the same bytes from every kernel, and the rates of this machine.
 * */
#include "answer.h"
#include "cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 100000, RATE_ITEMS = 500000 };

/* Sketches of the integers 0 to ITEMS - 1, and the XXH3-64 of their bytes in form view. */
typedef struct known {
    const char *text, *kind;
    bpk_param param[2];
    size_t n_params;
    uint64_t digest;
} known;
static const known sketches[] = {
    {"hll, UltraLogLog registers", "hll", {{"precision", "12"}, {"window_bits", "2"}}, 2, UINT64_C(0xf59a57996b350eef)},
    {"hll, HyperLogLog registers", "hll", {{"precision", "12"}, {"window_bits", "0"}}, 2, UINT64_C(0x8a3ae7bb364cac51)},
    {"bloom, one line an item", "bloom", {{"items", "100k"}, {"rate", "1%"}}, 2, UINT64_C(0x9d5404764a9c9b62)},
    {"bloom, two lines an item", "bloom", {{"items", "100k"}, {"rate", "1e-6"}}, 2, UINT64_C(0xc05d2869e6534112)},
    {"cms, conservative", "cms", {{"width", "2000"}, {"depth", "5"}}, 2, UINT64_C(0xe6866b3faa99e276)},
    {"cms, plain", "cms", {{"bytes", "64k"}, {"update", "plain"}}, 2, UINT64_C(0x6d3f4cbb20478d1c)},
    {"topk, 100 rows", "topk", {{"k", "100"}}, 1, UINT64_C(0x362006355555e36d)},
};
static const char *const kernel_names[] = {"portable", "avx2"};

static bool report(bool good, const char *what) {
    printf("%-6s %s\n", good ? "ok" : "FAILED", what);
    return good;
}

/* ---- known answers ---- */

static bool hash_answers(void) {
    bpk_hasher public, secret;
    bpk_err err;
    uint8_t key[16];
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
    const bpk_domain sip = {.hash = BPK_HASH_SIPHASH, .secret = 1};
    if (bpk_hasher_init(&public, NULL, NULL, &err) != BPK_OK || bpk_hasher_init(&secret, &sip, key, &err) != BPK_OK)
        return report(false, "hashers");
    bool xxh3 = bpk_hash(&public, "", 0) == UINT64_C(0x2d06800538d394c2) &&
                bpk_hash(&public, "abc", 3) == UINT64_C(0x78af5f94892f3950);
    bool siphash = bpk_hash(&secret, "abc", 3) == UINT64_C(0x6fce24e8af8146eb);
    xxh3 = report(xxh3, "hash XXH3-64");
    return report(siphash, "hash SipHash-1-3") && xxh3;
}

typedef struct bytes {
    uint8_t *at;
    size_t n, cap;
} bytes;

static bpk_status collect(void *ctx, const void *more, size_t n) {
    bytes *b = ctx;
    if (n > b->cap - b->n) return BPK_E_SINK;
    memcpy(b->at + b->n, more, n);
    b->n += n;
    return BPK_OK;
}

static uint64_t digest(const bpk_sketch *s, const bpk_hasher *h) {
    size_t size = bpk_encoded_size(s, BPK_FORM_VIEW);
    bytes b = {malloc(size), 0, size};
    uint64_t made = b.at && bpk_encode(s, BPK_FORM_VIEW, collect, &b) == BPK_OK ? bpk_hash(h, b.at, b.n) : 0;
    free(b.at);
    return made;
}

/* The bytes of a known sketch; half of the items come by way of a merge. */
static uint64_t build(const known *k, const bpk_hasher *h, const uint64_t *hash) {
    bpk_sketch *a = NULL, *b = NULL;
    const bpk_items low = {.n = ITEMS / 2, .hash = hash}, high = {.n = ITEMS - ITEMS / 2, .hash = hash + ITEMS / 2};
    uint64_t made = 0;
    if (bpk_new(&a, k->kind, NULL, k->param, k->n_params, NULL, NULL) == BPK_OK && bpk_twin(&b, a, NULL) == BPK_OK &&
        bpk_add(a, &low, NULL, NULL) == BPK_OK && bpk_add(b, &high, NULL, NULL) == BPK_OK &&
        bpk_merge(a, b, NULL) == BPK_OK)
        made = digest(a, h);
    bpk_free(a);
    bpk_free(b);
    return made;
}

static bool sketch_answers(const char *kernels, const bpk_hasher *h, const uint64_t *hash) {
    bool good = true;
    for (size_t i = 0; i < sizeof sketches / sizeof *sketches; i++) {
        char what[96];
        uint64_t made = build(&sketches[i], h, hash);
        snprintf(what, sizeof what, "%-8s %s: bytes %016" PRIx64, kernels, sketches[i].text, made);
        good = report(made == sketches[i].digest, what) && good;
    }
    return good;
}

static bool every_kernel(const bpk_hasher *h, const uint64_t *hash) {
    const char *chosen = bpk_kernels();
    bool good = true;
    for (size_t i = 0; i < sizeof kernel_names / sizeof *kernel_names; i++) {
        if (bpk_kernels_use(kernel_names[i]) != BPK_OK) printf("%-6s %s: not on this machine\n", "-", kernel_names[i]);
        else good = sketch_answers(kernel_names[i], h, hash) && good;
    }
    return bpk_kernels_use(chosen) == BPK_OK && good;
}

/* ---- rates ---- */

static void print_rate(const char *what, double seconds) {
    printf("%-6s %s: %.0f million items a second\n", "rate", what, seconds > 0 ? RATE_ITEMS / seconds / 1e6 : 0);
}

/* Hashing 16-byte items, then adding the hashes in batches. */
static bool rates(const bpk_hasher *h) {
    enum { BATCH = 4000 };
    uint64_t *hash = malloc(RATE_ITEMS * sizeof *hash);
    bool good = hash != NULL;
    double start = now_seconds();
    for (uint64_t i = 0; i < RATE_ITEMS && good; i++) {
        const uint64_t item[2] = {i, ~i};
        hash[i] = bpk_hash(h, item, sizeof item);
    }
    if (good) print_rate("hash of 16 bytes", now_seconds() - start);
    for (size_t i = 0; i < sizeof sketches / sizeof *sketches && good; i++) {
        bpk_sketch *s = NULL;
        good = bpk_new(&s, sketches[i].kind, NULL, sketches[i].param, sketches[i].n_params, NULL, NULL) == BPK_OK;
        start = now_seconds();
        for (size_t at = 0; at < RATE_ITEMS && good; at += BATCH) {
            const bpk_items it = {.n = BATCH, .hash = hash + at % ITEMS};
            good = bpk_add(s, &it, NULL, NULL) == BPK_OK;
        }
        if (good) print_rate(sketches[i].text, now_seconds() - start);
        bpk_free(s);
    }
    free(hash);
    return good;
}

static int run(const options *o) {
    bpk_hasher h;
    uint64_t *hash = malloc(ITEMS * sizeof *hash);
    if (!hash || bpk_hasher_init(&h, NULL, NULL, NULL) != BPK_OK) {
        free(hash);
        return say_status(NULL, BPK_E_NOMEM);
    }
    for (int64_t i = 0; i < ITEMS; i++) hash[i] = bpk_hash_i64(&h, i);
    bool good = hash_answers();
    good = every_kernel(&h, hash) && good;
    if (!o->quiet) good = rates(&h) && good;
    free(hash);
    return flushed(good ? EXIT_DONE : EXIT_NO);
}

const verb verb_selftest = {
    .name = "selftest",
    .bit = V_SELFTEST,
    .operands = "",
    .run = run,
    .about = "known answers, and what this machine does a second.",
    .examples = "  ballpark selftest\n"
                "  BPK_KERNELS=portable ballpark selftest\n",
    .notes = "With -q the rates are left out. Exit code 1: an answer is wrong; please report it.\n",
};
