/* plan_state.h - layer 3: what questions of plan.c share; those that need a file of their own are named at the end. */
#ifndef BPKI_PLAN_STATE_H
#define BPKI_PLAN_STATE_H

#include "room.h"

enum { PLAN_PARAMS_MAX = 4 };

/* The parameters that a plan settles, by name and as text. */
typedef struct settled {
    bpk_param p[PLAN_PARAMS_MAX];
    char text[PLAN_PARAMS_MAX][21];
    size_t n;
} settled;

typedef struct plan {
    bpki_params in;
    bpki_walk *w;
    const char *question;
    uint64_t sketches, key_bytes;
    settled made;
} plan;

/* Bytes of one sketch. */
typedef struct plan_cost {
    double memory, file;
} plan_cost;

/* A parameter of the kind. */
void bpki_plan_settle(settled *s, const char *name, uint64_t value);
/* Once the input has been read: refuses what is wrong with it, before the first field. */
bpk_status bpki_plan_begin(plan *p, bpk_err *err);
/* Of the kind with the settled parameters and so many items; in a file as form view, which form small never exceeds. */
plan_cost bpki_plan_cost(const char *kind, const plan *p, uint64_t items);

/* Walks over the kind and its parameters; the bytes; an exact map beside them, of so many keys (0: not known). */
void bpki_plan_parameters(plan *p, const char *kind);
void bpki_plan_bytes(plan *p, plan_cost b);
void bpki_plan_map(plan *p, uint64_t keys, plan_cost b);

bpk_status bpki_plan_limit(plan *p, bpk_err *err);

#endif
