/* room.c - layer 1: what every room needs of the common header, of walks and of rates. */
#include "room.h"

#include <math.h>

bpk_status bpki_domain_settle(bpk_domain *out, const bpk_domain *d) {
    const char *field;
    bpk_domain domain = bpki_domain_or_default(d);
    if (!bpki_domain_valid(&domain, &field)) return BPK_E_ARG;
    if (domain.secret && domain.seed == 0) return BPK_E_ARG;
    *out = domain;
    return BPK_OK;
}

bpk_status bpki_sketch_init(bpk_sketch *s, const bpki_ops *ops, const bpk_domain *d, const bpk_env *env) {
    BPK_TRY(bpki_domain_settle(&s->domain, d));
    s->ops = ops;
    s->env = *bpki_env(env);
    s->meta = NULL;
    return BPK_OK;
}

/* ---- walks ---- */

static void walk(bpki_walk *w, const bpk_field *f) {
    if (!w->over && w->fn) w->over = !w->fn(w->ctx, f);
}

void bpki_walk_text(bpki_walk *w, const char *name, const char *text) {
    walk(w, &(bpk_field){.name = name, .text = text});
}

void bpki_walk_number(bpki_walk *w, const char *name, double value, bpk_unit unit) {
    bpki_walk_estimate(w, name, (bpk_estimate){value, value, value, 1, BPK_EXACT}, unit);
}

void bpki_walk_estimate(bpki_walk *w, const char *name, bpk_estimate num, bpk_unit unit) {
    walk(w, &(bpk_field){.name = name, .num = num, .unit = (uint8_t)unit});
}

/* ---- rates ---- */

/* "1 in 100", or with so many decimals "1 in 99.99". */
static void odds(char text[40], double rate, unsigned decimals) {
    static const char before[] = "1 in ";
    char digits[21];
    uint64_t unit = 1;
    for (unsigned i = 0; i < decimals; i++) unit *= 10;
    uint64_t n = (uint64_t)((double)unit / rate + 0.5);
    memcpy(text, before, sizeof before);
    bpki_decimal(text + strlen(text), n / unit);
    if (!decimals) return;
    bpki_decimal(digits, unit + n % unit); /* a one before the leading zeros */
    digits[0] = '.';
    memcpy(text + strlen(text), digits, decimals + 2);
}

/* Behind 17 digits it is rounding. */
bpk_status bpki_mismatch_rate(bpk_err *err, const char *field, double a, double b) {
    char mine[40], other[40];
    unsigned decimals = 0;
    for (double digits = fmin(a, b);; digits /= 10, decimals++) {
        odds(mine, a, decimals);
        odds(other, b, decimals);
        if (strcmp(mine, other) != 0 || digits < 1e-17) break;
    }
    return bpki_mismatch_text(err, field, mine, other);
}
