/* room.c - layer 1: what every room needs of the common header and of walks. */
#include "room.h"

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
