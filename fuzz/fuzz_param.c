/* fuzz_param.c - any text: numbers are refused or read rightly, parameters are refused or make a sketch that works.
 *
 * The input is lines: the first is the name of a kind, the others are name=value. Each value is also read as every type
 * of number, and the parameters are tried with every kind and every question of a plan that there is.
 */
#include "fuzz.h"

#include <errno.h>

enum { MEMORY = 16 << 20, LINES = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* ---- numbers ---- */

/* Digits alone mean what the C library reads, or are too large. */
static void check_digits(const char *text, bpk_status st, uint64_t value) {
    size_t n = strlen(text);
    if (n == 0 || strspn(text, "0123456789") != n) return;
    errno = 0;
    unsigned long long truth = strtoull(text, NULL, 10);
    REQUIRE((st == BPK_OK) == (errno == 0));
    if (st == BPK_OK) REQUIRE(value == truth);
}

static void check_counts(const char *text) {
    const uint64_t untouched = UINT64_C(0x5555555555555555);
    uint64_t count = untouched, bytes = untouched;
    bpk_status a = bpk_parse_count(text, &count), b = bpk_parse_bytes(text, &bytes);
    REQUIRE(a == BPK_OK || (a == BPK_E_ARG && count == untouched));
    REQUIRE(b == BPK_OK || (b == BPK_E_ARG && bytes == untouched));
    if (a == BPK_OK && b == BPK_OK) REQUIRE(bytes >= count); /* powers of 1024 and of 1000 */
    check_digits(text, a, count);
    check_digits(text, b, bytes);
}

static void check_share(const char *text) {
    double share = -1;
    char *end;
    bpk_status st = bpk_parse_share(text, &share);
    REQUIRE(st == BPK_OK || (st == BPK_E_ARG && share == -1));
    if (st != BPK_OK) return;
    REQUIRE(isfinite(share) && share >= 0);
    double truth = strtod(text, &end);
    if (*end == '%') truth /= 100;
    REQUIRE(fabs(share - truth) <= 4e-15 * truth + 1e-320);
}

static void check_i64(const char *text, size_t n) {
    int64_t v = 0x5555;
    char copy[64];
    bool ok = bpk_parse_i64(text, n, &v);
    size_t sign = n > 0 && (text[0] == '-' || text[0] == '+'), digits = 0;
    while (sign + digits < n && text[sign + digits] >= '0' && text[sign + digits] <= '9') digits++;
    if (digits == 0 || sign + digits != n) {
        REQUIRE(!ok && v == 0x5555);
        return;
    }
    if (n >= sizeof copy) return;
    memcpy(copy, text, n);
    copy[n] = 0;
    errno = 0;
    long long truth = strtoll(copy, NULL, 10);
    REQUIRE(ok == (errno == 0));
    REQUIRE(ok ? v == truth : v == 0x5555);
}

static void check_key(const char *text, size_t n) {
    uint8_t key[16];
    size_t hex = 0;
    memset(key, 0x55, sizeof key);
    bpk_status st = bpk_parse_key(text, n, key);
    for (size_t i = 0; i < n; i++) hex += text[i] && strchr("0123456789abcdefABCDEF", text[i]) != NULL;
    if (st == BPK_OK) REQUIRE(hex == 32);
    if (hex == 32 && n == 32) REQUIRE(st == BPK_OK);
    if (st != BPK_OK) REQUIRE(key[0] == 0x55 && key[15] == 0x55);
}

/* Of a double: of its eight little-endian bytes; -0 is 0, and whatever is not a number is one item. */
static void check_f64(const bpk_hasher *h, uint64_t bits) {
    double v;
    uint8_t bytes[8];
    memcpy(&v, &bits, sizeof v);
    uint64_t counted = isnan(v) ? UINT64_C(0x7FF8000000000000) : v == 0 ? 0 : bits;
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(counted >> (8 * i));
    REQUIRE(bpk_hash_f64(h, v) == bpk_hash(h, bytes, sizeof bytes));
}

static void check_doubles(const uint8_t *data, size_t n) {
    bpk_hasher h;
    REQUIRE(bpk_hasher_init(&h, NULL, NULL, NULL) == BPK_OK);
    for (size_t at = 0; at + 8 <= n && at < 512; at += 8) {
        uint64_t bits = 0;
        for (size_t i = 0; i < 8; i++) bits = bits << 8 | data[at + i];
        check_f64(&h, bits);
        check_f64(&h, bits | UINT64_C(0x7FF0000000000000)); /* no number, or infinite */
        check_f64(&h, bits & UINT64_C(1) << 63);            /* 0 or -0 */
    }
}

/* ---- sketches ---- */

static void check_made(bpk_sketch *s, fuzz_memory *memory) {
    uint64_t hash[50];
    bpk_estimate e;
    size_t fields = 0, done = 0;
    REQUIRE(bpk_memory(s) <= memory->held + 64 && memory->held <= MEMORY + 4096);
    for (size_t i = 0; i < 50; i++) hash[i] = fuzz_mix(i + 1);
    bpk_status st = bpk_add(s, &(bpk_items){.n = 50, .hash = hash, .group = hash}, NULL, &done);
    REQUIRE(st == BPK_OK || st == BPK_E_FULL || st == BPK_E_LIMIT);
    (void)bpk_splittable(s);
    bpk_info(s, fuzz_field, &fields);
    (void)bpk_health(s, fuzz_field, &fields);
    if (bpk_count(s, NULL, 0, 0, &e, NULL) == BPK_OK) fuzz_require_estimate(&e);
    if (bpk_encoded_size(s, BPK_FORM_VIEW) > 100000) return; /* large ones are for speed's sake left alone */
    bpk_sketch *back = NULL;
    fuzz_bytes b = fuzz_encode(s, BPK_FORM_SMALL);
    REQUIRE(bpk_decode(&back, b.p, b.n, NULL, &memory->env, NULL) == BPK_OK);
    fuzz_require_same(back, s);
    bpk_free(back);
    free(b.p);
}

static void check_new(const char *kind, const bpk_domain *d, const bpk_param *p, size_t n) {
    fuzz_memory memory;
    bpk_sketch *s = NULL;
    bpk_err err = {.code = BPK_OK};
    fuzz_memory_init(&memory, MEMORY);
    bpk_status st = bpk_new(&s, kind, d, p, n, &memory.env, &err);
    if (st == BPK_OK) {
        REQUIRE(s && (strcmp(bpk_kind_name(s), kind) == 0 || bpk_as_grow(s))); /* in its layers' name */
        check_made(s, &memory);
        bpk_free(s);
    } else {
        fuzz_require_error(st, &err);
        REQUIRE(!s);
        REQUIRE(st == BPK_E_ARG || st == BPK_E_LIMIT || st == BPK_E_KEY);
        if (st == BPK_E_ARG) REQUIRE(err.field); /* it names the parameter */
    }
    REQUIRE(memory.held == 0);
}

/* ---- plans ---- */

typedef struct planned {
    const char *kind;
    double memory;
    bpk_param param[8];
    char text[8][32];
    size_t n, fields;
} planned;

static bool keep_planned(void *ctx, const bpk_field *f) {
    static const char group[] = "parameters.";
    planned *p = ctx;
    p->fields++;
    if (strcmp(f->name, "kind") == 0) p->kind = f->text;
    if (f->text) return true;
    REQUIRE(f->num.estimate >= 0 && f->num.estimate < INFINITY);
    if (strcmp(f->name, "memory_bytes") == 0) p->memory = f->num.estimate;
    if (strncmp(f->name, group, sizeof group - 1) != 0) return true;
    REQUIRE(p->n < 8);
    snprintf(p->text[p->n], sizeof p->text[0], "%.17g", f->num.estimate);
    p->param[p->n] = (bpk_param){f->name + sizeof group - 1, p->text[p->n]};
    p->n++;
    return true;
}

/* What is planned can be made, and one that is not says why and walks over nothing. */
static void check_plan(const char *question, const bpk_param *p, size_t n) {
    planned plan = {.kind = NULL};
    bpk_err err = {.code = BPK_OK};
    fuzz_memory memory;
    bpk_sketch *s = NULL;
    bpk_status st = bpk_plan(question, p, n, keep_planned, &plan, &err);
    if (st != BPK_OK) {
        fuzz_require_error(st, &err);
        REQUIRE(st == BPK_E_ARG && err.field && plan.fields == 0);
        return;
    }
    REQUIRE(plan.kind && plan.memory > 0);
    if (plan.memory > MEMORY) return;
    fuzz_memory_init(&memory, MEMORY);
    st = bpk_new(&s, plan.kind, NULL, plan.param, plan.n, &memory.env, NULL);
    REQUIRE(st == BPK_OK && (double)bpk_memory(s) <= plan.memory); /* it is empty, the plan is full */
    bpk_free(s);
    REQUIRE(memory.held == 0);
}

/* Cuts text into lines in place; returns their number. */
static size_t cut(char *text, char **line) {
    size_t n = 0;
    for (char *at = text; at && n < LINES;) {
        line[n++] = at;
        at = strchr(at, '\n');
        if (at) *at++ = 0;
    }
    return n;
}

static void check_values(const bpk_param *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check_counts(p[i].value);
        check_share(p[i].value);
        check_i64(p[i].value, strlen(p[i].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1), *line[LINES];
    bpk_param p[LINES];
    REQUIRE(text);
    if (n) memcpy(text, data, n);
    text[n] = 0;
    check_i64(text, n);
    check_key(text, n);
    check_doubles(data, n);
    size_t lines = cut(text, line), params = lines - 1;
    for (size_t i = 0; i < params; i++) {
        char *equals = strchr(line[i + 1], '=');
        p[i] = (bpk_param){line[i + 1], equals ? equals + 1 : ""};
        if (equals) *equals = 0;
    }
    check_values(p, params);
    const bpk_domain odd = {.hash = (uint8_t)(n % 4), .secret = n % 5 == 0, .type = (uint8_t)(n % 7), .seed = n % 3};
    check_new(line[0], n % 2 ? NULL : &odd, p, params);
    const char *kind;
    for (size_t i = 0; (kind = bpk_kind_at(i, NULL)) != NULL; i++) check_new(kind, NULL, p, params);
    check_plan(line[0], p, params);
    for (size_t i = 0; (kind = bpk_question_at(i, NULL)) != NULL; i++) check_plan(kind, p, params);
    free(text);
    return 0;
}
