/* t_plan.h - the fields of a plan by name, and the sketch that it asks for. */
#ifndef T_PLAN_H
#define T_PLAN_H

#include <math.h>

#include "t.h"

enum { T_PLAN_FIELDS = 64 };

typedef struct t_plan {
    size_t n;
    bpk_field field[T_PLAN_FIELDS];
} t_plan;

static inline bool t_plan_keep(void *ctx, const bpk_field *f) {
    t_plan *p = ctx;
    assert_in_range(p->n, 0, T_PLAN_FIELDS - 1);
    p->field[p->n++] = *f;
    return true;
}

static inline const bpk_field *t_plan_find(const t_plan *p, const char *name) {
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->field[i].name, name) == 0) return &p->field[i];
    return NULL;
}
/* A number that must be there. */
static inline double t_plan_number(const t_plan *p, const char *name) {
    const bpk_field *f = t_plan_find(p, name);
    if (!f || f->text) fail_msg("no number %s in the plan", name);
    return f->num.estimate;
}
static inline const char *t_plan_text(const t_plan *p, const char *name) {
    const bpk_field *f = t_plan_find(p, name);
    if (!f || !f->text) fail_msg("no text %s in the plan", name);
    return f->text;
}

/* The plan of a question; parameters as name, value, name, value, ..., NULL. */
static inline t_plan t_plan_of(const char *question, const char *const *pairs) {
    t_plan p = {0};
    bpk_param params[8];
    size_t n = 0;
    bpk_err err = {0};
    for (; pairs[2 * n]; n++) params[n] = (bpk_param){pairs[2 * n], pairs[2 * n + 1]};
    if (bpk_plan(question, params, n, t_plan_keep, &p, &err) != BPK_OK)
        fail_msg("%s: %s %s", question, err.field, err.other);
    return p;
}
#define T_PLAN(question, ...) t_plan_of(question, (const char *const[]){__VA_ARGS__, NULL})

/* The sketch that the plan asks for, in a domain with this seed. */
static inline bpk_sketch *t_plan_make(const t_plan *p, uint64_t seed) {
    static const char group[] = "parameters.";
    bpk_domain d = {.hash = BPK_HASH_XXH3, .seed = seed};
    bpk_env env = bpk_env_default();
    bpk_param params[8];
    char text[8][32];
    size_t n = 0;
    bpk_sketch *s = NULL;
    for (size_t i = 0; i < p->n; i++) {
        if (strncmp(p->field[i].name, group, sizeof group - 1) != 0) continue;
        if (p->field[i].text) snprintf(text[n], sizeof text[n], "%s", p->field[i].text);
        else snprintf(text[n], sizeof text[n], "%.17g", p->field[i].num.estimate);
        params[n] = (bpk_param){p->field[i].name + sizeof group - 1, text[n]};
        n++;
    }
    env.max_bytes = UINT64_C(1) << 32;
    assert_int_equal(bpk_new(&s, t_plan_text(p, "kind"), &d, params, n, &env, NULL), BPK_OK);
    return s;
}

#endif
