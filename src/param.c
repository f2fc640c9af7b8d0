/* param.c - layer 1: numbers as people write them, and the text parameters of bpk_new().
 *
 * A number is digits, a fraction, an exponent and a suffix. Its digits are kept as an integer with a power of ten, so
 * that no locale and no C library has a say; what does not fit 64 bits is refused in whole numbers and rounded in
 * shares.
 */
#include <float.h>

#include "room.h"

typedef struct decimal {
    uint64_t digits; /* the value is digits * 10^power */
    int power;
    bool full, lost;  /* no further digit fits; one that is not 0 was left out */
    const char *rest; /* behind the number */
} decimal;

static void take_digit(decimal *d, char c, bool behind_point) {
    uint64_t more = 0;
    d->full = d->full || __builtin_mul_overflow(d->digits, UINT64_C(10), &more) ||
              __builtin_add_overflow(more, (uint64_t)(c - '0'), &more);
    if (d->full) {
        d->lost = d->lost || c != '0';
        d->power += !behind_point;
        return;
    }
    d->digits = more;
    d->power -= behind_point;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads [0-9]+(.[0-9]*)?|.[0-9]+ and an exponent; false where there is no digit. */
static bool read_decimal(decimal *d, const char *t) {
    *d = (decimal){.rest = t};
    bool any = false;
    for (; is_digit(*t); t++, any = true) take_digit(d, *t, false);
    if (*t == '.')
        for (t++; is_digit(*t); t++, any = true) take_digit(d, *t, true);
    if (!any) return false;
    d->rest = t;
    if (*t != 'e' && *t != 'E') return true;
    bool negative = t[1] == '-';
    t += t[1] == '-' || t[1] == '+' ? 2 : 1;
    if (!is_digit(*t)) return true; /* the e is not an exponent: the caller refuses it as a suffix */
    int exponent = 0;
    for (; is_digit(*t); t++)
        if (exponent < 10000) exponent = exponent * 10 + (*t - '0');
    d->power += negative ? -exponent : exponent;
    d->rest = t;
    return true;
}

/* The power of `base` that a suffix letter stands for; -1 for an unknown one. */
static int suffix_power(char c) {
    switch (c) {
    case 'k':
    case 'K': return 1;
    case 'm':
    case 'M': return 2;
    case 'g':
    case 'G': return 3;
    case 't':
    case 'T': return 4;
    default: return -1;
    }
}

/* Multiplies out; false where the result is no whole number or does not fit. */
static bool whole(decimal d, uint64_t scale, uint64_t *out) {
    if (d.lost) return false;
    if (d.digits == 0) {
        *out = 0;
        return true;
    }
    for (; d.power < 0 && d.digits % 10 == 0; d.power++) d.digits /= 10;
    for (; d.power < 0 && scale % 10 == 0; d.power++) scale /= 10;
    for (; d.power < 0 && scale % 2 == 0 && d.digits % 5 == 0; d.power++) { /* 1.5k of 1024 is whole too */
        d.digits /= 5;
        scale /= 2;
    }
    if (d.power < 0 || __builtin_mul_overflow(d.digits, scale, &d.digits)) return false;
    for (; d.power > 0; d.power--)
        if (__builtin_mul_overflow(d.digits, UINT64_C(10), &d.digits)) return false;
    *out = d.digits;
    return true;
}

static bpk_status parse_whole(const char *text, uint64_t base, uint64_t *out) {
    decimal d;
    uint64_t scale = 1, v;
    if (!read_decimal(&d, text)) return BPK_E_ARG;
    if (*d.rest) {
        int power = suffix_power(*d.rest);
        if (power < 0 || d.rest[1]) return BPK_E_ARG;
        while (power--) scale *= base;
    }
    if (!whole(d, scale, &v)) return BPK_E_ARG;
    *out = v;
    return BPK_OK;
}

bpk_status bpk_parse_count(const char *text, uint64_t *out) {
    return parse_whole(text, 1000, out);
}

bpk_status bpk_parse_bytes(const char *text, uint64_t *out) {
    return parse_whole(text, 1024, out);
}

/* 10^22 is the largest power of ten that a double holds exactly. */
static double times_power(double v, int power) {
    for (; power > 0 && v <= DBL_MAX; power--) v *= 10;
    for (; power <= -22 && v > 0; power += 22) v /= 1e22;
    double ten = 1;
    for (; power < 0; power++) ten *= 10;
    return v / ten;
}

bpk_status bpk_parse_share(const char *text, double *out) {
    decimal d;
    if (!read_decimal(&d, text)) return BPK_E_ARG;
    if (d.rest[0] == '%' && !d.rest[1]) d.power -= 2;
    else if (d.rest[0]) return BPK_E_ARG;
    double v = d.digits ? times_power((double)d.digits, d.power) : 0;
    if (v > DBL_MAX || (d.digits && v == 0)) return BPK_E_ARG;
    *out = v;
    return BPK_OK;
}

bool bpk_parse_i64(const void *text, size_t len, int64_t *out) {
    const char *t = text;
    bool negative = len && t[0] == '-';
    size_t i = len && (t[0] == '-' || t[0] == '+');
    if (i == len) return false;
    uint64_t v = 0;
    for (; i < len; i++) {
        if (!is_digit(t[i]) || __builtin_mul_overflow(v, UINT64_C(10), &v)) return false;
        if (__builtin_add_overflow(v, (uint64_t)(t[i] - '0'), &v)) return false;
    }
    if (v > (uint64_t)INT64_MAX + negative) return false;
    *out = negative ? -(int64_t)(v - 1) - 1 : (int64_t)v;
    return true;
}

static int hex_value(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_space(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bpk_status bpk_parse_key(const void *text, size_t len, uint8_t key[16]) {
    const uint8_t *t = text;
    uint8_t made[16] = {0};
    for (; len && is_space(*t); t++) len--;
    while (len && is_space(t[len - 1])) len--;
    if (len != 32) return BPK_E_ARG;
    for (size_t i = 0; i < 32; i++) {
        int v = hex_value(t[i]);
        if (v < 0) return BPK_E_ARG;
        made[i / 2] = (uint8_t)(made[i / 2] << 4 | v);
    }
    memcpy(key, made, 16);
    return BPK_OK;
}

/* ---- parameters of a sketch ---- */

static const bpk_param *find(const bpki_params *ps, const char *name) {
    for (size_t i = 0; i < ps->n; i++)
        if (strcmp(ps->p[i].name, name) == 0) return &ps->p[i];
    return NULL;
}

bool bpki_param_given(const bpki_params *ps, const char *name) {
    return find(ps, name) != NULL;
}

const char *bpki_param_text(const bpki_params *ps, const char *name, const char *otherwise) {
    const bpk_param *p = find(ps, name);
    return p ? p->value : otherwise;
}

/* Finds a parameter and notes that the room knows it. */
static const bpk_param *ask(bpki_params *ps, const char *name) {
    const bpk_param *p = find(ps, name);
    if (p) ps->asked |= UINT64_C(1) << (p - ps->p);
    return p;
}

void bpki_param_fail(bpki_params *ps, const char *name) {
    const bpk_param *p = find(ps, name);
    if (ps->fault.code == BPK_OK) bpki_fail_value(&ps->fault, BPK_E_ARG, name, p ? p->value : "");
}

void bpki_param_missing(bpki_params *ps, const char *name) {
    if (!find(ps, name) && ps->fault.code == BPK_OK) bpki_fail_value(&ps->fault, BPK_E_ARG, name, "is missing");
}

uint64_t bpki_param_count(bpki_params *ps, const char *name, uint64_t otherwise) {
    const bpk_param *p = ask(ps, name);
    uint64_t v = otherwise;
    if (p && bpk_parse_count(p->value, &v) != BPK_OK) bpki_param_fail(ps, name);
    return v;
}

uint64_t bpki_param_bytes(bpki_params *ps, const char *name, uint64_t otherwise) {
    const bpk_param *p = ask(ps, name);
    uint64_t v = otherwise;
    if (p && bpk_parse_bytes(p->value, &v) != BPK_OK) bpki_param_fail(ps, name);
    return v;
}

double bpki_param_share(bpki_params *ps, const char *name, double otherwise) {
    const bpk_param *p = ask(ps, name);
    double v = otherwise;
    if (p && bpk_parse_share(p->value, &v) != BPK_OK) bpki_param_fail(ps, name);
    return v;
}

unsigned bpki_param_word(bpki_params *ps, const char *name, const char *const *words, unsigned otherwise) {
    const bpk_param *p = ask(ps, name);
    if (!p) return otherwise;
    for (unsigned i = 0; words[i]; i++)
        if (strcmp(words[i], p->value) == 0) return i;
    bpki_param_fail(ps, name);
    return otherwise;
}

bpk_status bpki_params_rest(const bpki_params *ps, bpk_param rest[BPKI_PARAMS_MAX], bpki_params *out, bpk_err *err) {
    size_t n = 0;
    if (ps->fault.code != BPK_OK) {
        if (err) *err = ps->fault;
        return ps->fault.code;
    }
    for (size_t i = 0; i < ps->n; i++)
        if (!(ps->asked >> i & 1)) rest[n++] = ps->p[i];
    *out = (bpki_params){.p = rest, .n = n};
    return BPK_OK;
}

bpk_status bpki_params_end(const bpki_params *ps, bpk_err *err) {
    if (ps->fault.code != BPK_OK) {
        if (err) *err = ps->fault;
        return ps->fault.code;
    }
    for (size_t i = 0; i < ps->n; i++)
        if (!(ps->asked >> i & 1)) return bpki_fail_value(err, BPK_E_ARG, ps->p[i].name, "is not a parameter of it");
    return BPK_OK;
}
