/* make_corpus.c - writes the seeds of the fuzzers: make_corpus DIR fills DIR/decode, DIR/packed and DIR/param.
 *
 * The same names and bytes at every run, so that a change of the format shows as a change of these files.
 */
#include "fuzz.h"

static const char *directory;

static void put(const char *group, const char *name, const void *bytes, size_t n) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", directory, group, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

/* ---- sketches ---- */

static bpk_sketch *make(const char *kind, const bpk_domain *d, const bpk_param *p, size_t n, size_t items) {
    bpk_sketch *s = NULL;
    REQUIRE(bpk_new(&s, kind, d, p, n, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        const uint64_t hash = fuzz_mix(i * UINT64_C(0x9E3779B97F4A7C15));
        REQUIRE(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL) == BPK_OK);
    }
    return s;
}

/* With weights and keys, each of which has the hash of the domain. */
static bpk_sketch *make_counter(const char *kind, const bpk_param *p, size_t n, uint64_t items, uint64_t weight) {
    bpk_sketch *s = NULL;
    bpk_hasher h;
    REQUIRE(bpk_new(&s, kind, NULL, p, n, NULL, NULL) == BPK_OK);
    REQUIRE(bpk_hasher_init(&h, NULL, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        char key[24];
        const void *item = key;
        const size_t len = (size_t)snprintf(key, sizeof key, "%llu", (unsigned long long)i);
        const uint64_t hash = bpk_hash(&h, key, len), w = 1 + weight / (1 + i);
        const bpk_items one = {.n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &w};
        REQUIRE(bpk_add(s, &one, NULL, NULL) == BPK_OK);
    }
    return s;
}

/* Form small of a sketch, which is freed. */
static void put_packed(bpk_sketch *s, const char *name) {
    fuzz_bytes b = fuzz_encode(s, BPK_FORM_SMALL);
    put("packed", name, b.p, b.n);
    free(b.p);
    bpk_free(s);
}

/* Both forms of a sketch, which is freed. */
static void put_sketch(bpk_sketch *s, const char *name) {
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        char full[128];
        fuzz_bytes b = fuzz_encode(s, (bpk_form)f);
        snprintf(full, sizeof full, "%s-%s", name, f == BPK_FORM_SMALL ? "small" : "view");
        put("decode", full, b.p, b.n);
        free(b.p);
    }
    bpk_free(s);
}

static void put_hll(const char *precision, const char *window, size_t items) {
    char name[64];
    const bpk_param p[] = {{"precision", precision}, {"window_bits", window}};
    snprintf(name, sizeof name, "hll-p%s-d%s-n%zu", precision, window, items);
    put_sketch(make("hll", NULL, p, 2, items), name);
}

static void put_bloom(const char *planned, const char *rate, const char *layout, size_t items) {
    char name[64];
    const bpk_param p[] = {{"items", planned}, {"rate", rate}, {"layout", layout}};
    snprintf(name, sizeof name, "bloom-%s-%s-%s-n%zu", layout, planned, rate, items);
    put_sketch(make("bloom", NULL, p, 3, items), name);
}

static void put_cuckoo(const char *planned, const char *bits, size_t items) {
    char name[64];
    const bpk_param p[] = {{"items", planned}, {"fingerprint_bits", bits}};
    snprintf(name, sizeof name, "cuckoo-%s-%s-n%zu", bits, planned, items);
    put_sketch(make("cuckoo", NULL, p, 2, items), name);
}

/* A layer of a growing one: 3 x 2^2 buckets, with copies. */
static void put_leveled_cuckoo(void) {
    const bpk_cuckoo_config cfg = {.items = 40, .base = 3, .fingerprint_bits = BPK_CUCKOO_BITS, .level = 2};
    bpk_cuckoo *c = NULL;
    REQUIRE(bpk_cuckoo_new(&c, &cfg, NULL) == BPK_OK);
    for (uint64_t i = 0; i < 30; i++) {
        const uint64_t hash = fuzz_mix((i / 3 + 1) * UINT64_C(0x9E3779B97F4A7C15));
        REQUIRE(bpk_cuckoo_add(c, &hash, 1, NULL, NULL) == BPK_OK);
    }
    put_sketch(bpk_cuckoo_base(c), "cuckoo-level-2");
}

/* Items of a time of their own each, so that generations follow each other by number and by time. */
static void put_ring(const char *window, const char *generations, const char *span, const char *seen, size_t items) {
    char name[64];
    bpk_sketch *s = NULL;
    const bpk_param p[] = {{"items", window}, {"generations", generations}, {"span", span}, {"seen", seen}};
    REQUIRE(bpk_new(&s, "bloom", NULL, p, 4, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        const uint64_t hash = fuzz_mix(i * UINT64_C(0x9E3779B97F4A7C15));
        REQUIRE(bpk_add(s, &(bpk_items){.n = 1, .hash = &hash, .now = 1000 + i}, NULL, NULL) == BPK_OK);
    }
    snprintf(name, sizeof name, "bloom-rotating-%s-g%s-s%s-%s-n%zu", window, generations, span, seen, items);
    put_sketch(s, name);
}

static void put_cbloom(const char *planned, const char *rate, size_t items) {
    char name[64];
    const bpk_param p[] = {{"items", planned}, {"rate", rate}, {"on_full", "degrade"}};
    snprintf(name, sizeof name, "cbloom-%s-%s-n%zu", planned, rate, items);
    put_sketch(make("cbloom", NULL, p, 3, items), name);
}

static void put_grow(const char *planned, const char *rate, const char *layout, const char *on_full, size_t items) {
    char name[64];
    const bpk_param p[] = {{"items", planned}, {"rate", rate}, {"layout", layout}, {"on_full", on_full}};
    snprintf(name, sizeof name, "grow-%s-%s-%s-n%zu", layout, on_full, planned, items);
    put_sketch(make("grow", NULL, p, 4, items), name);
}

/* Of which every third is removed again. */
static void put_grow_cuckoo(const char *planned, const char *bits, const char *rate, size_t items) {
    char name[64];
    const bpk_param p[] = {{"items", planned}, {"fingerprint_bits", bits}, {"rate", rate}, {"on_full", "grow"}};
    bpk_sketch *s = make("cuckoo", NULL, p, 4, items);
    for (uint64_t i = 0; i < items; i += 3) {
        const uint64_t hash = fuzz_mix(i * UINT64_C(0x9E3779B97F4A7C15));
        REQUIRE(bpk_remove(s, &hash, 1, NULL, NULL) == BPK_OK);
    }
    snprintf(name, sizeof name, "grow-cuckoo-%s-%s-n%zu", bits, planned, items);
    put_sketch(s, name);
}

/* Items at 0, 7, 14, .. and some of them late; each has the hash of its key and a group. */
static void put_window(const char *of, const char *span, const char *name, const char *value, uint64_t items) {
    char full[64];
    bpk_sketch *s = NULL;
    bpk_hasher h;
    const bpk_param p[] = {{"of", of}, {"span", span}, {"panes", "3"}, {name, value}};
    REQUIRE(bpk_new(&s, "window", NULL, p, 4, NULL, NULL) == BPK_OK);
    REQUIRE(bpk_hasher_init(&h, NULL, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        const uint64_t key = i % 13, hash = bpk_hash(&h, &key, 1), weight = 1 + i % 3;
        const void *item = &key;
        const size_t len = 1;
        const bpk_items one = {
            .n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight, .now = i % 5 ? 7 * i : 3 * i};
        REQUIRE(bpk_add(s, &one, NULL, NULL) == BPK_OK);
    }
    snprintf(full, sizeof full, "window-%s-s%s-%s-%s-n%zu", of, span, name, value, (size_t)items);
    put_sketch(s, full);
}

static void put_cms(const char *width, const char *cell_bytes, const char *update, uint64_t items, uint64_t weight) {
    char name[64];
    const bpk_param p[] = {{"width", width}, {"depth", "3"}, {"cell_bytes", cell_bytes}, {"update", update}};
    snprintf(name, sizeof name, "cms-%s-w%s-c%s-n%zu", update, width, cell_bytes, (size_t)items);
    put_sketch(make_counter("cms", p, 4, items, weight), name);
}

/* Keys that come again as time goes on; every third gets something back where that can be. */
static void put_limit(const char *limit, const char *period, const char *burst, const char *method, uint64_t items) {
    char name[80];
    bpk_sketch *s = NULL;
    bpk_err err;
    const bpk_param p[] = {{"limit", limit}, {"period", period}, {"width", "12"},
                           {"depth", "3"},   {"method", method}, {"burst", burst}};
    REQUIRE(bpk_new(&s, "limit", NULL, p, *burst ? 6 : 5, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        bpk_limit *l = (bpk_limit *)(void *)s;
        bpk_limit_take(l, fuzz_mix(i % 7), 1 + i % 3, 1000 + i, NULL);
        if (i % 3 == 0 && *burst) REQUIRE(bpk_limit_refund(l, fuzz_mix(i % 7), 1, 1000 + i, NULL, &err) == BPK_OK);
    }
    snprintf(name, sizeof name, "limit-%s-%s-%s-b%s-n%zu", method, limit, period, burst, (size_t)items);
    put_sketch(s, name);
}

static void put_topk(const char *k, const char *entries, const char *candidates, uint64_t items, uint64_t weight) {
    char name[64];
    const bpk_param p[] = {{"k", k}, {"entries", entries}, {"candidates", candidates}};
    snprintf(name, sizeof name, "topk-k%s-e%s-c%s-n%zu", k, entries, candidates, (size_t)items);
    put_sketch(make_counter("topk", p, 3, items, weight), name);
}

/* With a half-life; in `cell_bytes` or, where NULL, a topk. Some come late, and the last long after. */
static void put_decayed(const char *half_life, const char *cell_bytes, const char *update, uint64_t items) {
    char name[64];
    const bpk_param cms[] = {
        {"width", "10"}, {"depth", "3"}, {"cell_bytes", cell_bytes}, {"update", update}, {"half_life", half_life}};
    const bpk_param topk[] = {{"k", "2"}, {"entries", "18"}, {"candidates", "6"}, {"half_life", half_life}};
    bpk_sketch *s = NULL;
    if (cell_bytes) REQUIRE(bpk_new(&s, "cms", NULL, cms, 5, NULL, NULL) == BPK_OK);
    else REQUIRE(bpk_new(&s, "topk", NULL, topk, 4, NULL, NULL) == BPK_OK);
    for (uint64_t i = 0; i < items; i++) {
        bpk_hasher h;
        uint64_t key = i % 40, weight = 1 + i % 9;
        const void *item = &key;
        const size_t len = sizeof key;
        REQUIRE(bpk_hasher_init(&h, NULL, NULL, NULL) == BPK_OK);
        const uint64_t hash = bpk_hash(&h, item, len);
        uint64_t now = 3 * i + (i + 1 == items ? 5000 : 0);
        bpk_items one = {.n = 1, .hash = &hash, .item = &item, .len = &len, .weight = &weight, .now = now};
        if (i % 7 == 0) one.now /= 2;
        REQUIRE(bpk_add(s, &one, NULL, NULL) == BPK_OK);
    }
    snprintf(name, sizeof name, "%s-decayed-%s-%s%s-n%zu", cell_bytes ? "cms" : "topk", half_life,
             cell_bytes ? cell_bytes : "k2", cell_bytes ? update : "", (size_t)items);
    put_sketch(s, name);
}

static void put_halved(void) {
    const bpk_param p[] = {{"width", "20"}, {"depth", "3"}, {"cell_bytes", "2"}};
    bpk_sketch *s = make_counter("cms", p, 3, 40, 100);
    REQUIRE(bpk_cms_halve((bpk_cms *)(void *)s, NULL) == BPK_OK);
    put_sketch(s, "cms-halved");
}

/* Numbered records of 11 groups, in two parts that are merged; the first goes on. */
static void put_sample(const char *k, const char *groups, const char *weighted, uint64_t items, bool two) {
    char name[64];
    bpk_sketch *part[2] = {NULL, NULL};
    for (size_t i = 0; i < (two ? 2u : 1u); i++) {
        const bpk_param p[] = {{"k", k}, {"groups", groups}, {"weighted", weighted}, {"stream", i ? "1" : "0"}};
        REQUIRE(bpk_new(&part[i], "sample", NULL, p, 4, NULL, NULL) == BPK_OK);
    }
    for (uint64_t i = 0; i < items; i++) {
        const uint64_t hash = fuzz_mix(i), group = i % 11;
        const double weight = (double)(i % 4);
        const char digit = (char)('a' + i % 11);
        const void *item = &digit;
        const size_t len = i % 2;
        const bpk_items one = {.n = 1,
                               .hash = &hash,
                               .item = &item,
                               .len = &len,
                               .real_weight = &weight,
                               .group = &group,
                               .group_name = &item,
                               .group_len = &len};
        if (two && i == items / 2) REQUIRE(bpk_merge(part[0], part[1], NULL) == BPK_OK);
        REQUIRE(bpk_add(part[two && i < items / 3], &one, NULL, NULL) == BPK_OK);
    }
    snprintf(name, sizeof name, "sample-k%s-g%s-%s-n%zu%s", k, groups, weighted, (size_t)items, two ? "-two" : "");
    put_sketch(part[0], name);
    bpk_free(part[1]);
}

static void put_theta(const char *k, size_t items) {
    char name[64];
    snprintf(name, sizeof name, "theta-k%s-n%zu", k, items);
    put_sketch(make("theta", NULL, (bpk_param[]){{"k", k}}, 1, items), name);
}

/* Values below a theta that is not theirs: few of many, none of many; and all that there are below one. */
static void put_theta_operations(void) {
    bpk_sketch *many = make("theta", NULL, (bpk_param[]){{"k", "32"}}, 1, 600);
    bpk_sketch *few = make("theta", NULL, (bpk_param[]){{"k", "32"}}, 1, 100), *all = NULL;
    const bpk_theta *const in[] = {bpk_as_theta(many), bpk_as_theta(few)};
    bpk_theta *out = NULL;
    REQUIRE(bpk_theta_op(&out, BPK_THETA_INTERSECT, in, 2, NULL, NULL) == BPK_OK);
    put_sketch(bpk_theta_base(out), "theta-few-of-many");
    REQUIRE(bpk_theta_op(&out, BPK_THETA_DIFF, (const bpk_theta *const[]){in[0], in[0]}, 2, NULL, NULL) == BPK_OK);
    put_sketch(bpk_theta_base(out), "theta-none-of-many");
    REQUIRE(bpk_new(&all, "theta", NULL, (bpk_param[]){{"k", "40"}}, 1, NULL, NULL) == BPK_OK);
    for (uint64_t value = 0; value <= 40; value++)
        REQUIRE(bpk_add(all, &(bpk_items){.n = 1, .hash = &(uint64_t){value << 12}}, NULL, NULL) == BPK_OK);
    put_sketch(all, "theta-all-below-40");
    bpk_free(many), bpk_free(few);
}

/* All registers alike, which no set of hashes makes: 15 bytes of body for 2^p of them, 3 below p = 10. */
static void put_one_value(uint8_t p, uint8_t value) {
    bpk_hasher h;
    uint8_t b[63] = {0x89, 'B', 'P', 'K', '\r', '\n', 0x1a, '\n', 1, BPK_KIND_HLL, 0, 0, BPK_HASH_XXH3, 0, 0, 1};
    const size_t body = p < 10 ? 3 : 15, n = 40 + body;
    char name[32];
    b[24] = (uint8_t)body;
    b[32] = p;
    b[34] = 2;
    b[40] = b[41] = value;
    REQUIRE(bpk_hasher_init(&h, NULL, NULL, NULL) == BPK_OK);
    const uint64_t sum = bpk_hash(&h, b, n);
    for (size_t i = 0; i < 8; i++) b[n + i] = (uint8_t)(sum >> 8 * i);
    snprintf(name, sizeof name, "hll-p%u-all-%u", p, value);
    put("packed", name, b, n + 8);
}

/* Every coding, one stream and four, runs of all lengths. */
static void put_packings(void) {
    static const struct {
        const char *precision, *window;
        size_t items;
    } hll[] = {{"4", "0", 60},  {"6", "2", 500},   {"8", "0", 3000},
               {"9", "2", 400}, {"10", "0", 9000}, {"10", "2", 1000}};
    static const struct {
        const char *width, *cell_bytes, *update;
        uint64_t items, weight;
    } cms[] = {{"40", "1", "plain", 5, 3},
               {"40", "2", "conservative", 30, 70000},
               {"300", "4", "plain", 9, 100},
               {"30", "4", "conservative", 200, 1000000},
               {"20", "8", "plain", 12, UINT64_MAX - 1},
               {"12", "1", "plain", 300, 200}};
    char name[64];
    put_one_value(8, 0);
    put_one_value(12, 20);
    put_one_value(26, 39);
    for (size_t i = 0; i < sizeof hll / sizeof hll[0]; i++) {
        const bpk_param p[] = {{"precision", hll[i].precision}, {"window_bits", hll[i].window}};
        snprintf(name, sizeof name, "hll-p%s-d%s-n%zu", hll[i].precision, hll[i].window, hll[i].items);
        put_packed(make("hll", NULL, p, 2, hll[i].items), name);
    }
    for (size_t i = 0; i < sizeof cms / sizeof cms[0]; i++) {
        const bpk_param p[] = {{"width", cms[i].width}, {"cell_bytes", cms[i].cell_bytes}, {"update", cms[i].update}};
        snprintf(name, sizeof name, "cms-%s-w%s-c%s-n%zu", cms[i].update, cms[i].width, cms[i].cell_bytes,
                 (size_t)cms[i].items);
        put_packed(make_counter("cms", p, 3, cms[i].items, cms[i].weight), name);
    }
}

static void put_domains(void) {
    const bpk_domain keyed = {.hash = BPK_HASH_SIPHASH, .secret = 1, .seed = UINT64_C(0x1122334455667788)},
                     seeded = {.hash = BPK_HASH_XXH3, .type = BPK_I64, .seed = 7};
    put_sketch(make("hll", &keyed, (bpk_param[]){{"precision", "5"}}, 1, 3), "hll-keyed");
    put_sketch(make("bloom", &seeded, (bpk_param[]){{"items", "20"}, {"rate", "1%"}}, 2, 3), "bloom-seeded");
    put_sketch(make("cms", &keyed, (bpk_param[]){{"width", "8"}}, 1, 3), "cms-keyed");
    put_sketch(make("theta", &keyed, (bpk_param[]){{"k", "16"}}, 1, 30), "theta-keyed");
    put_sketch(make("topk", &keyed, (bpk_param[]){{"entries", "18"}}, 1, 25), "topk-keyed"); /* without names */
}

static void put_metadata(void) {
    bpk_sketch *s = make("hll", NULL, (bpk_param[]){{"precision", "4"}}, 1, 2);
    REQUIRE(bpk_meta_set(s, BPK_META_LABEL, "visitors", 8) == BPK_OK);
    REQUIRE(bpk_meta_set(s, BPK_META_USER, "x", 1) == BPK_OK);
    put_sketch(s, "hll-metadata");
}

/* Bytes that are nearly a sketch. */
static void put_damaged(void) {
    bpk_sketch *s = make("hll", NULL, (bpk_param[]){{"precision", "4"}}, 1, 1);
    fuzz_bytes b = fuzz_encode(s, BPK_FORM_SMALL);
    uint8_t *two = malloc(2 * b.n);
    REQUIRE(two);
    memcpy(two, b.p, b.n);
    memcpy(two + b.n, b.p, b.n);
    put("decode", "two-sketches", two, 2 * b.n);
    put("decode", "truncated", b.p, b.n - 9);
    two[3] ^= 0x20;
    put("decode", "magic-damaged", two, b.n);
    put("decode", "empty", "", 0);
    put("decode", "text", "10.0.0.1 - - [01/Jan/2025:00:00:00 +0000]\n", 42);
    free(two);
    free(b.p);
    bpk_free(s);
}

static void put_texts(void) {
    static const char *const text[] = {
        "hll\nprecision=14\nwindow_bits=2",
        "hll\nerror=1%",
        "hll\nerror=0.0001",
        "bloom\nitems=1e4\nrate=1%\nlayout=blocked\non_full=error",
        "bloom\nitems=10k\nrate=0.001\nlayout=classic\non_full=degrade",
        "bloom\nitems=1\nrate=1e-9",
        "bloom\nitems=18446744073709551615\nrate=0.5",
        "hll\nprecision=99",
        "other\nname=value\nname=value",
        "\n=1.5k\n=0.3\n=64k\n=1e18\n=-5\n=1e-400\n=.5T\n=7.",
        "\n=18446744073709551615\n=18446744073709551616\n=1e-310\n=1e300\n=12345678901234567890123e-20\n=99.99%",
        "-9223372036854775808",
        "00112233445566778899aabbccddeeff",
        "cms\nepsilon=0.001\ndelta=1%\nsizing=2\ncell_bytes=2\nupdate=plain",
        "cms\nwidth=4294967295\ndepth=32\ncell_bytes=8",
        "cms\nbytes=64k\nupdate=conservative",
        "topk\nk=10\ncandidates=200\nentries=576",
        "topk\nk=1048576\nentries=150994944\ncandidates=67108864",
        "membership\nitems=1M\nrate=1%\nsketches=24",
        "count\nepsilon=0.1%\ndelta=1e-3\ntotal=1e9",
        "distinct\nerror=1%\nitems=50k",
        "top\nk=10\nshare=0.1%",
        "sample\nk=16777216\ngroups=1048576\nweighted=yes\nseed=18446744073709551615\nstream=7",
        "cuckoo\nitems=1M\nrate=0.1%",
        "cuckoo\nitems=16G\nfingerprint_bits=12",
        "cbloom\nitems=1e3\nrate=0.1%\non_full=degrade",
        "bloom\nitems=1e4\ngenerations=4\nspan=3600\nseen=first",
        "grow\nlayers=bloom\nitems=10\nrate=1%\nlayout=classic\non_full=grow",
        "bloom\nitems=18446744073709551615\non_full=grow\nrate=1e-14",
        "cuckoo\nitems=10k\non_full=grow\nrate=0.02%\nfingerprint_bits=16",
        "limit\nlimit=100\nperiod=60k\nburst=20\nbytes=64k\ndepth=4",
        "limit\nlimit=4294967295\nperiod=1\nwidth=4294967295\nmethod=windows",
        "cms\nhalf_life=600\ncell_bytes=4\nwidth=100",
        "topk\nhalf_life=18446744073709551615\nk=3",
        "count\nhalf_life=60\ntotal=1M",
        "top\nhalf_life=86400\nk=100",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "text-%02zu", i);
        put("param", name, text[i], strlen(text[i]));
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus DIRECTORY\n");
        return 2;
    }
    directory = argv[1];
    put_hll("4", "0", 0);
    put_hll("4", "2", 3);
    put_hll("4", "2", 4);
    put_hll("5", "0", 40);
    put_hll("8", "2", 30);
    put_hll("8", "2", 1000);
    put_hll("10", "2", 3000);
    put_hll("14", "2", 10);
    put_hll("26", "0", 5);
    put_bloom("1", "0.01", "blocked", 0);
    put_bloom("50", "0.01", "blocked", 50);
    put_bloom("50", "1e-5", "blocked", 20);
    put_bloom("200", "0.1", "blocked", 200);
    put_bloom("1", "0.5", "classic", 1);
    put_bloom("60", "0.001", "classic", 60);
    put_cuckoo("1", "16", 0);
    put_cuckoo("8", "16", 8);
    put_cuckoo("60", "16", 60);
    put_cuckoo("60", "12", 60);
    put_cuckoo("200", "12", 30);
    put_leveled_cuckoo();
    put_ring("1", "1", "0", "last", 0);
    put_ring("20", "2", "0", "first", 55);
    put_ring("60", "4", "40", "last", 90);
    put_ring("16", "16", "100", "last", 9);
    put_cbloom("1", "0.5", 0);
    put_cbloom("40", "0.01", 40);
    put_cbloom("3", "0.01", 60);
    put_cbloom("10", "1e-5", 8);
    put_grow("1", "0.5", "blocked", "grow", 0);
    put_grow("4", "0.01", "blocked", "grow", 25);
    put_grow("6", "0.001", "classic", "grow", 60);
    put_grow("20", "0.01", "blocked", "error", 30);
    put_grow("20", "0.1", "classic", "degrade", 40);
    put_grow_cuckoo("1", "16", "0.01", 0);
    put_grow_cuckoo("6", "16", "0.01", 40);
    put_grow_cuckoo("10", "12", "0.5", 60);
    put_window("hll", "60", "precision", "4", 0);
    put_window("hll", "60", "precision", "6", 40);
    put_window("theta", "30", "k", "16", 40);
    put_window("cms", "18446744073709551615", "width", "9", 20);
    put_window("cms", "20", "width", "9", 50);
    put_window("topk", "40", "entries", "18", 30);
    put_window("sample", "70", "k", "2", 40);
    put_window("bloom", "25", "items", "9", 20);
    put_window("cbloom", "25", "items", "9", 20);
    put_cms("1", "1", "plain", 0, 0);
    put_cms("10", "4", "plain", 50, 100);
    put_cms("10", "4", "conservative", 50, 100);
    put_cms("6", "1", "plain", 100, 1000);
    put_cms("6", "1", "conservative", 100, 1000);
    put_cms("5", "8", "plain", 10, UINT64_MAX - 1);
    put_cms("20", "2", "conservative", 300, 10);
    put_cms("60", "4", "plain", 10, 1000);
    put_limit("10", "60", "20", "arrival", 0);
    put_limit("10", "60", "20", "arrival", 60);
    put_limit("7", "1000003", "3000", "arrival", 60); /* ticks are no whole units */
    put_limit("1", "10000000", "100", "arrival", 90); /* raw cells */
    put_limit("281474976710656", "1", "1073741824", "arrival", 9);
    put_limit("10", "60", "", "windows", 80);
    put_limit("4294967295", "18446744073709551615", "", "windows", 3);
    put_topk("1", "18", "2", 0, 0);
    put_topk("3", "18", "6", 8, 100);
    put_topk("3", "18", "6", 100, 1000);
    put_topk("2", "36", "40", 500, 10000);
    put_topk("2", "18", "8", 60, UINT64_MAX - 1);
    put_decayed("20", "8", "conservative", 100);
    put_decayed("1000", "4", "plain", 60);
    put_decayed("7", "8", "plain", 0);
    put_decayed("20", NULL, NULL, 300);
    put_decayed("1000000", NULL, NULL, 60);
    put_decayed("1", NULL, NULL, 10);
    put_halved();
    put_sample("0", "0", "no", 5, false);
    put_sample("4", "0", "no", 3, false);
    put_sample("4", "0", "no", 300, true);
    put_sample("4", "0", "yes", 300, true);
    put_sample("2", "3", "no", 100, true);
    put_sample("1", "4", "yes", 100, false);
    put_theta("16", 0);
    put_theta("16", 1);
    put_theta("16", 16);
    put_theta("16", 17);
    put_theta("64", 40);
    put_theta("64", 5000);
    put_theta("16777216", 3);
    put_theta_operations();
    put_packings();
    put_domains();
    put_metadata();
    put_damaged();
    put_texts();
    return 0;
}
