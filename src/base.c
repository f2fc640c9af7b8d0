/* base.c - layer 0: status texts, error detail, memory with a limit, a generator, normal quantiles. */
#include "core.h"

#include <math.h>
#include <stdlib.h>

const char *bpk_version(void) {
    return BPK_VERSION;
}

/* ---- status and error detail ---- */

const char *bpk_status_text(bpk_status st) {
    switch (st) {
    case BPK_OK: return "done";
    case BPK_E_ARG: return "out of range";
    case BPK_E_NOMEM: return "no memory";
    case BPK_E_LIMIT: return "over the memory limit";
    case BPK_E_FULL: return "full";
    case BPK_E_MISMATCH: return "does not fit";
    case BPK_E_UNSUPPORTED: return "not what this kind can do";
    case BPK_E_KEY: return "wrong key";
    case BPK_E_TRUNCATED: return "truncated";
    case BPK_E_MAGIC: return "not a sketch";
    case BPK_E_VERSION: return "made by a newer version";
    case BPK_E_KIND: return "unknown kind of sketch";
    case BPK_E_CORRUPT: return "impossible contents";
    case BPK_E_CHECKSUM: return "damaged";
    case BPK_E_SINK: return "cannot read or write";
    case BPK_E_UNDURABLE: return "written, but not safe from a power failure";
    }
    return "unknown status";
}

/* Copies text into a field of the error detail, cut to its size. */
static void put(char to[40], const char *text) {
    size_t n = strlen(text);
    if (n > 39) n = 39;
    memcpy(to, text, n);
    to[n] = 0;
}

void bpki_note(bpk_err *err, bpk_status code, const char *field, size_t offset) {
    if (err) *err = (bpk_err){.code = code, .offset = offset, .field = field};
}

void bpki_note_values(bpk_err *err, bpk_status code, const char *field, const char *mine, const char *other) {
    bpki_note(err, code, field, 0);
    if (!err) return;
    put(err->mine, mine);
    put(err->other, other);
}

void bpki_note_numbers(bpk_err *err, bpk_status code, const char *field, uint64_t mine, uint64_t other) {
    char a[21], b[21];
    bpki_decimal(a, mine);
    bpki_decimal(b, other);
    bpki_note_values(err, code, field, a, b);
}

void bpki_decimal(char text[21], uint64_t v) {
    char reversed[20];
    size_t n = 0;
    do reversed[n++] = (char)('0' + v % 10);
    while (v /= 10);
    for (size_t i = 0; i < n; i++) text[i] = reversed[n - 1 - i];
    text[n] = 0;
}

void bpki_hexadecimal(char text[17], uint64_t v) {
    for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
    text[16] = 0;
}

/* ---- a sentence from an error ---- */

typedef struct sentence {
    char *text;
    size_t cap, n;
} sentence;

static void append(sentence *s, const char *text) {
    for (; *text; text++, s->n++)
        if (s->n + 1 < s->cap) s->text[s->n] = *text;
}

static void append_detail(sentence *s, const bpk_err *err) {
    bool both = err->mine[0] && err->other[0];
    append(s, ": ");
    append(s, err->field);
    if (both) {
        append(s, " is ");
        append(s, err->mine);
        append(s, " here and ");
        append(s, err->other);
        append(s, " there");
    } else if (err->other[0]) {
        append(s, err->code == BPK_E_UNSUPPORTED ? ", " : " "); /* a reason, or the value that the field has */
        append(s, err->other);
    }
}

size_t bpk_explain(const bpk_err *err, char *text, size_t cap) {
    sentence s = {text, cap, 0};
    append(&s, bpk_status_text(err->code));
    if (err->field) append_detail(&s, err);
    if (err->code >= BPK_E_TRUNCATED && err->code <= BPK_E_CHECKSUM) {
        char at[21];
        bpki_decimal(at, err->offset);
        append(&s, ", at byte ");
        append(&s, at);
    }
    if (cap) text[s.n < cap ? s.n : cap - 1] = 0;
    return s.n;
}

/* ---- memory ---- */

static void *libc_alloc(void *ctx, size_t n) {
    (void)ctx;
    return malloc(n);
}

static void *libc_resize(void *ctx, void *p, size_t old_n, size_t n) {
    (void)ctx;
    (void)old_n;
    return realloc(p, n);
}

static void libc_release(void *ctx, void *p, size_t n) {
    (void)ctx;
    (void)n;
    free(p);
}

static const bpk_env libc_env = {libc_alloc, libc_resize, libc_release, NULL, UINT64_C(256) << 20};

bpk_env bpk_env_default(void) {
    return libc_env;
}

const bpk_env *bpki_env(const bpk_env *env) {
    return env ? env : &libc_env;
}

bpk_status bpki_alloc(const bpk_env *env, size_t n, void **out) {
    if (n > env->max_bytes) return BPK_E_LIMIT;
    void *p = n ? env->alloc(env->ctx, n) : NULL;
    if (n && !p) return BPK_E_NOMEM;
    if (n) memset(p, 0, n);
    *out = p;
    return BPK_OK;
}

void bpki_release(const bpk_env *env, void *p, size_t n) {
    if (p) env->release(env->ctx, p, n);
}

/* ---- numbers ---- */

/* A rest of 65 bits is seen by the bit that is shifted out. */
uint64_t bpki_divide_by_bits(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *rest) {
    uint64_t quotient = 0;
    assert(high < divisor);
    for (unsigned bit = 64; bit-- > 0;) {
        bool over = high >> 63;
        high = high << 1 | (low >> bit & 1);
        over = over || high >= divisor;
        if (over) high -= divisor;
        quotient = quotient << 1 | over;
    }
    *rest = high;
    return quotient;
}

uint64_t bpki_next(uint64_t *state) {
    return bpki_mix(*state += UINT64_C(0x9E3779B97F4A7C15));
}

uint64_t bpki_salt(const void *object) {
    uint64_t state = (uintptr_t)object;
    return bpki_next(&state) | 1;
}

double bpki_confidence(double confidence) {
    if (!(confidence != 0) || isnan(confidence)) return BPK_CONFIDENCE;
    if (confidence < 0.5) return 0.5;
    return confidence > 0.999999 ? 0.999999 : confidence;
}

/* Abramowitz and Stegun 26.2.23 is right to 4.5e-4; each Newton step on erfc doubles the digits. */
double bpki_z(double confidence) {
    double tail = 1 - confidence, t = sqrt(-2 * log(tail / 2));
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 3; i++) z += (erfc(z / sqrt(2)) - tail) / (sqrt(2 / acos(-1)) * exp(-z * z / 2));
    return z;
}
