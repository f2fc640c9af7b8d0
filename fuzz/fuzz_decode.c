/* fuzz_decode.c - any bytes: refused with an error, or a sketch that the library itself could have made.
 *
 * What is accepted must be canonical (encoding it gives the bytes that were read), answer within its bounds, copy,
 * merge, fold, start anew, take more items, and do all of it alike whether it was decoded, opened as a view or loaded
 * from a file. A mutator of its own makes the checksum right again after most mutations: without it the fuzzer would
 * hardly ever get behind the checksum.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    MEMORY = 64 << 20,
    ADDED = 100, /* items put into what was decoded */
    HEADER = 32,
    CHECKSUM = 8,
    AT_KIND = 9,
    AT_FORM = 10,
    AT_PARAMS = 15,
    AT_BODY_N = 24,
    AT_VALUES = 32
};

/* ---- the mutator ---- */

/* Of libFuzzer; not there when a corpus is replayed, and not called then. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void store64(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

/* The body takes what header and parameters leave: true for sketches without metadata. */
static void fix_body_length(uint8_t *p, size_t n) {
    size_t other = HEADER + CHECKSUM + (size_t)p[AT_PARAMS] * 8;
    if (n >= other) store64(p + AT_BODY_N, n - other);
}

static void seal(uint8_t *p, size_t n) {
    store64(p + n - CHECKSUM, XXH3_64bits(p, n - CHECKSUM));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed) {
    uint64_t chance = fuzz_mix(seed);
    if (chance % 8 == 0 && n > AT_VALUES) /* header and parameters alone, where most decisions fall */
        data[8 + (chance >> 8) % (n < 48 ? n - 8 : 40)] = (uint8_t)(chance >> 32);
    else n = LLVMFuzzerMutate(data, n, cap);
    if (n < HEADER + CHECKSUM || (chance >> 40) % 4 == 0) return n;
    if ((chance >> 44) % 4 == 0) fix_body_length(data, n);
    seal(data, n);
    return n;
}

/* ---- what must hold ---- */

static const uint64_t *hashes(void) {
    static uint64_t hash[ADDED];
    for (size_t i = 0; !hash[1] && i < ADDED; i++) hash[i] = fuzz_mix(i * UINT64_C(0x9E3779B97F4A7C15));
    return hash;
}

static void check_answers(const bpk_sketch *s) {
    bpk_estimate e[ADDED];
    uint8_t out[ADDED];
    size_t fields = 0;
    bpk_err err;
    bpk_info(s, fuzz_field, &fields);
    REQUIRE(fields > 5);
    REQUIRE(bpk_health(s, fuzz_field, &fields) <= BPK_HEALTH_OVER);
    for (int i = 0; i < 3; i++) {
        bpk_status st = bpk_count(s, NULL, 0, i == 0 ? 0 : i == 1 ? 0.5 : 0.999999, e, &err);
        if (st == BPK_OK) fuzz_require_estimate(e);
        if (st != BPK_OK) REQUIRE(st == BPK_E_UNSUPPORTED && err.code == st);
    }
    if (bpk_count(s, hashes(), ADDED, 0, e, NULL) == BPK_OK)
        for (int i = 0; i < ADDED; i++) fuzz_require_estimate(e + i);
    if (bpk_has(s, hashes(), ADDED, out, NULL) == BPK_OK)
        for (int i = 0; i < ADDED; i++) REQUIRE(out[i] <= 1);
    for (uint16_t tag = BPK_META_LABEL; tag <= BPK_META_TOLERATED; tag++) {
        size_t n = 0;
        const uint8_t *value = bpk_meta_get(s, tag, &n);
        if (value) REQUIRE(n > 0 && value[0] + value[n - 1] >= 0);
    }
}

/* Both answer the whole alike, to the bit; REDUCED is a note of the handle, which no bytes carry. */
static void check_same_answers(const bpk_sketch *a, const bpk_sketch *b) {
    bpk_estimate x, y;
    uint8_t p[ADDED], q[ADDED];
    bpk_status st = bpk_count(a, NULL, 0, 0, &x, NULL);
    REQUIRE(bpk_count(b, NULL, 0, 0, &y, NULL) == st);
    if (st == BPK_OK) {
        REQUIRE(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper);
        REQUIRE(((x.flags ^ y.flags) & ~(uint32_t)BPK_REDUCED) == 0);
    }
    REQUIRE(bpk_health(a, NULL, NULL) == bpk_health(b, NULL, NULL));
    st = bpk_has(a, hashes(), ADDED, p, NULL);
    REQUIRE(bpk_has(b, hashes(), ADDED, q, NULL) == st);
    if (st == BPK_OK) REQUIRE(memcmp(p, q, ADDED) == 0);
}

static void check_round_trip(const bpk_sketch *s, const bpk_env *env) {
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        bpk_sketch *back = NULL;
        fuzz_bytes b = fuzz_encode(s, (bpk_form)f);
        REQUIRE(bpk_decode(&back, b.p, b.n, NULL, env, NULL) == BPK_OK);
        fuzz_require_encodes_to(back, (bpk_form)f, b.p, b.n);
        fuzz_require_same(back, s);
        check_same_answers(back, s);
        bpk_free(back);
        free(b.p);
    }
}

/* A view at any address answers, copies and merges as the decoded sketch. */
static void check_view(const bpk_sketch *s, const uint8_t *data, size_t n, size_t shift) {
    bpk_view v;
    bpk_sketch *copy = NULL;
    uint8_t *moved = malloc(n + shift);
    REQUIRE(moved);
    memcpy(moved + shift, data, n);
    const bpk_sketch *seen = bpk_view_open(&v, moved + shift, n, NULL);
    REQUIRE(seen);
    check_same_answers(seen, s);
    fuzz_require_same(seen, s);
    REQUIRE(bpk_copy(&copy, seen, NULL) == BPK_OK);
    fuzz_require_same(copy, s);
    REQUIRE(bpk_merge(copy, seen, NULL) == BPK_OK);
    bpk_free(copy);
    REQUIRE(memcmp(moved + shift, data, n) == 0);
    free(moved);
}

/* For kinds whose merge is a union: with oneself and with nothing it changes nothing. */
static bool is_union(const bpk_sketch *s) {
    return bpk_kind_of(s) == BPK_KIND_HLL || bpk_kind_of(s) == BPK_KIND_BLOOM;
}

static void check_merge(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL, *twin = NULL;
    if (bpk_copy(&copy, s, env) != BPK_OK) return; /* over the limit */
    fuzz_require_same(copy, s);
    REQUIRE(bpk_merge(copy, s, NULL) == BPK_OK);
    if (is_union(s)) fuzz_require_same(copy, s);
    if (bpk_twin(&twin, s, env) == BPK_OK) {
        if (bpk_merge(copy, twin, NULL) == BPK_OK && is_union(s)) check_same_answers(copy, s);
        if (bpk_merge(twin, s, NULL) == BPK_OK && is_union(s))
            fuzz_require_same(twin, copy); /* both without metadata */
        check_answers(twin);
    }
    bpk_free(twin);
    bpk_free(copy);
}

/* Many at once are what one after the other is; a sketch that starts anew is its twin, with the metadata kept. */
static void check_many_and_reset(const bpk_sketch *s, const bpk_env *env) {
    const bpk_sketch *all[] = {s, s, s};
    const bpk_items items = {.n = ADDED, .hash = hashes()};
    bpk_sketch *sum = NULL, *twin = NULL;
    if (bpk_merge_many(&sum, all, 3, env, NULL) != BPK_OK) return; /* over the limit */
    if (is_union(s)) fuzz_require_same(sum, s);
    bpk_reset(sum);
    if (bpk_twin(&twin, sum, env) == BPK_OK) {
        check_same_answers(sum, twin);
        bpk_status st = bpk_add(sum, &items, NULL, NULL);
        REQUIRE(bpk_add(twin, &items, NULL, NULL) == st);
        check_same_answers(sum, twin);
        REQUIRE(bpk_merge(twin, sum, NULL) == BPK_OK && bpk_merge(sum, twin, NULL) == BPK_OK);
        fuzz_require_same(sum, twin); /* neither has metadata now */
    }
    bpk_free(twin);
    bpk_free(sum);
}

/* Folding gives what a merge into an empty sketch of the smaller shape gives, or refuses and changes nothing. */
static void check_fold_hll(bpk_sketch *copy, const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    const bpk_hll *h = bpk_as_hll(s);
    unsigned p = bpk_hll_precision(h), lower = 4 + (unsigned)(choice % (p - 3));
    bpk_hll_config shape = {*bpk_domain_of(s), (uint8_t)lower, choice >> 32 & 1 ? bpk_hll_window_bits(h) : 0};
    bpk_hll *small = NULL;
    REQUIRE(bpk_hll_fold((bpk_hll *)copy, 3, 0) == BPK_E_ARG && bpk_hll_fold((bpk_hll *)copy, 4, 1) == BPK_E_ARG);
    fuzz_require_same(copy, s);
    if (bpk_hll_new(&small, &shape, env) != BPK_OK) return;
    bpk_status st = bpk_hll_fold((bpk_hll *)copy, shape.precision, shape.window_bits);
    if (st == BPK_OK && bpk_merge(bpk_hll_base(small), s, NULL) == BPK_OK) {
        REQUIRE(bpk_hll_precision(small) == lower && bpk_hll_window_bits(small) == shape.window_bits);
        check_same_answers(copy, bpk_hll_base(small));
        check_round_trip(copy, env);
    }
    bpk_free(bpk_hll_base(small));
}

/* What was in is still in, and the union of a filter with its fold is the fold. */
static void check_fold_bloom(bpk_sketch *copy, const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    uint64_t divisor = choice % 8;
    uint8_t before[ADDED], after[ADDED];
    bpk_sketch *both = NULL;
    bpk_bloom_has(bpk_as_bloom(s), hashes(), ADDED, before);
    bpk_status st = bpk_bloom_fold((bpk_bloom *)copy, divisor);
    if (st != BPK_OK || divisor == 1) {
        REQUIRE(st == BPK_OK || st == BPK_E_ARG || st == BPK_E_LIMIT);
        fuzz_require_same(copy, s);
        return;
    }
    bpk_bloom_has(bpk_as_bloom(copy), hashes(), ADDED, after);
    for (size_t i = 0; i < ADDED; i++) REQUIRE(before[i] <= after[i]);
    const bpk_sketch *pair[] = {s, copy};
    if (bpk_merge_many(&both, pair, 2, env, NULL) == BPK_OK) check_same_answers(both, copy);
    bpk_free(both);
    check_round_trip(copy, env);
}

static void check_fold(const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    if (bpk_copy(&copy, s, env) != BPK_OK) return; /* over the limit */
    if (bpk_as_hll(s)) check_fold_hll(copy, s, choice, env);
    if (bpk_as_bloom(s)) check_fold_bloom(copy, s, choice, env);
    check_answers(copy);
    bpk_free(copy);
}

/* Adding: what went in is there, what did not has changed nothing, and the result is a sketch like others. */
static void check_add(bpk_sketch *s, const bpk_env *env) {
    const bpk_items items = {.n = ADDED, .hash = hashes()};
    uint8_t changed[ADDED], there[ADDED];
    size_t done = 0;
    bpk_status st = bpk_add(s, &items, changed, &done);
    REQUIRE(st == BPK_OK || st == BPK_E_FULL || st == BPK_E_LIMIT);
    REQUIRE(st == BPK_OK ? done == ADDED : done < ADDED);
    if (bpk_has(s, items.hash, ADDED, there, NULL) == BPK_OK)
        for (size_t i = 0; i < done; i++) REQUIRE(there[i] == 1 && changed[i] <= 1);
    check_answers(s);
    check_round_trip(s, env);
}

/* A fixed sketch of a kind, in form small; made once. */
static const fuzz_bytes *base_of(bpk_kind kind) {
    static const bpk_param hll[] = {{"precision", "6"}}, bloom[] = {{"items", "50"}, {"rate", "1%"}};
    static fuzz_bytes base[2];
    fuzz_bytes *b = &base[kind == BPK_KIND_BLOOM];
    bpk_sketch *s = NULL;
    if (b->p) return b;
    bpk_status st = kind == BPK_KIND_BLOOM ? bpk_new(&s, "bloom", NULL, bloom, 2, NULL, NULL)
                                           : bpk_new(&s, "hll", NULL, hll, 1, NULL, NULL);
    REQUIRE(st == BPK_OK);
    REQUIRE(bpk_add(s, &(bpk_items){.n = 30, .hash = hashes()}, NULL, NULL) == BPK_OK);
    *b = fuzz_encode(s, BPK_FORM_SMALL);
    bpk_free(s);
    return b;
}

/* Merging the bytes into a fixed sketch works, or changes nothing; into none it decodes. */
static void check_merge_bytes(bpk_kind kind, const uint8_t *data, size_t n, bool decodes, const bpk_env *env) {
    const fuzz_bytes *base = base_of(kind);
    bpk_err err = {.code = BPK_OK};
    bpk_sketch *acc = NULL;
    REQUIRE(bpk_merge_bytes(&acc, base->p, base->n, env, NULL) == BPK_OK);
    bpk_status st = bpk_merge_bytes(&acc, data, n, NULL, &err);
    if (st == BPK_OK) {
        REQUIRE(decodes);
        check_answers(acc);
    } else {
        fuzz_require_error(st, &err);
        fuzz_require_encodes_to(acc, BPK_FORM_SMALL, base->p, base->n);
    }
    bpk_free(acc);
    acc = NULL;
    st = bpk_merge_bytes(&acc, data, n, env, NULL);
    REQUIRE((st == BPK_OK) == decodes && (acc != NULL) == decodes);
    bpk_free(acc);
}

/* ---- files ---- */

/* Whether all of the bytes are sketches, one behind the other; their number, or what is wrong. */
static bool decodes_to_its_end(const uint8_t *data, size_t n, const bpk_env *env, size_t *sketches, bpk_status *fault) {
    size_t at = 0, used;
    for (*sketches = 0; at < n || *sketches == 0; ++*sketches, at += used) {
        bpk_sketch *s = NULL;
        *fault = bpk_decode(&s, data + at, n - at, &used, env, NULL);
        bpk_free(s);
        if (*fault != BPK_OK) return false;
    }
    return true;
}

/* A file of the bytes loads when they decode, as the same sketches, and is refused for the same reason when not; what
 * follows a sketch and is none is trailing bytes. */
static void check_file(const uint8_t *data, size_t n, const bpk_env *env) {
    static int fd = -1;
    static char path[32];
    bpk_sketch **s = NULL;
    bpk_err err = {.code = BPK_OK};
    size_t loaded = 0, there, at = 0;
    bpk_status fault;
    if (fd < 0) fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    REQUIRE(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, n, 0) == (ssize_t)n);
    bpk_status st = bpk_file_load(path, &s, &loaded, env, &err);
    bool good = decodes_to_its_end(data, n, env, &there, &fault);
    if (st != BPK_OK) {
        fuzz_require_error(st, &err);
        REQUIRE(!s && loaded == 0 && err.offset <= n);
        REQUIRE(st == BPK_E_LIMIT || (!good && (st == fault || (there > 0 && st == BPK_E_CORRUPT))));
        return;
    }
    REQUIRE(good && loaded == there);
    for (size_t i = 0; i < loaded; i++) {
        size_t size = bpk_encoded_size(s[i], (bpk_form)data[at + AT_FORM]);
        fuzz_require_encodes_to(s[i], (bpk_form)data[at + AT_FORM], data + at, size);
        at += size;
    }
    REQUIRE(at == n);
    bpk_file_close(s, loaded);
}

/* ---- what no set of items can have produced, read from the bytes by docs/format.md alone ---- */

static uint64_t load64(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

/* A register says u, the largest value seen, and with window bits whether u - 1 and u - 2 were; no value is 0. */
static bool register_possible(uint8_t r, unsigned p, unsigned d) {
    unsigned u = (unsigned)r >> d;
    bool low = d && u < 3;
    return u <= 65 - p && (!low || r == 0 || r == 4 || r == 8 || r == 10);
}

static void check_body(const uint8_t *data) {
    const uint8_t *params = data + HEADER, *body = params + (size_t)data[AT_PARAMS] * 8;
    uint64_t body_n = load64(data + AT_BODY_N);
    if (data[AT_KIND] == BPK_KIND_HLL && params[2] == 1)
        for (uint64_t i = 0; i < body_n; i++) REQUIRE(register_possible(body[i], params[0], params[1]));
    if (data[AT_KIND] == BPK_KIND_BLOOM && params[0] == BPK_BLOOM_CLASSIC)
        for (uint64_t bit = load64(params + 8); bit < body_n * 8; bit++) REQUIRE(!(body[bit / 8] >> bit % 8 & 1));
}

static void check_sketch(bpk_sketch *s, const uint8_t *data, size_t used, const bpk_env *env) {
    bpk_view v;
    bpk_err err;
    bpk_form form = (bpk_form)data[AT_FORM];
    REQUIRE(bpk_sniff(data, used) == 2);
    fuzz_require_encodes_to(s, form, data, used); /* canonical */
    check_body(data);
    check_answers(s);
    check_round_trip(s, env);
    if (form == BPK_FORM_VIEW) {
        check_view(s, data, used, 0);
        check_view(s, data, used, 3);
    } else {
        REQUIRE(!bpk_view_open(&v, data, used, &err));
        REQUIRE(err.code == BPK_E_UNSUPPORTED);
    }
    check_merge(s, env);
    check_many_and_reset(s, env);
    check_fold(s, fuzz_mix(load64(data + used - CHECKSUM)), env);
    check_add(s, env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_memory memory;
    bpk_sketch *s = NULL, *whole = NULL;
    bpk_err err = {.code = BPK_OK}, why = {.code = BPK_OK};
    bpk_view v;
    size_t used = n + 1;
    fuzz_memory_init(&memory, MEMORY);
    bpk_status st = bpk_decode(&s, data, n, &used, &memory.env, &err);
    bpk_status alone = bpk_decode(&whole, data, n, NULL, &memory.env, &why);
    REQUIRE((alone == BPK_OK) == (st == BPK_OK && used == n));
    if (alone != BPK_OK) fuzz_require_error(alone, &why);
    bpk_free(whole);
    check_merge_bytes(BPK_KIND_HLL, data, n, alone == BPK_OK, &memory.env);
    check_merge_bytes(BPK_KIND_BLOOM, data, n, alone == BPK_OK, &memory.env);
    check_file(data, n, &memory.env);
    if (st == BPK_OK) {
        REQUIRE(used <= n);
        check_sketch(s, data, used, &memory.env);
        bpk_free(s);
    } else {
        fuzz_require_error(st, &err);
        REQUIRE(!s && used == n + 1 && err.offset <= n);
        if (st != BPK_E_LIMIT && st != BPK_E_NOMEM) REQUIRE(!bpk_view_open(&v, data, n, &err) && err.code != BPK_OK);
    }
    REQUIRE(memory.held == 0);
    return 0;
}
