/* grow_state.h - layer 3, inside the house part grow: a chain and the plan of each of its layers.
 *
 *     layer      0          1          2      ...   i
 *     items      n          2 n        4 n          2^i n
 *     rate       q_0        q_1        q_2          q_i = p (1 - r) r^i, so that all of them together stay under p
 *
 * A layer is a sketch like any other and is made, asked and read as one.
 */
#ifndef BPKI_GROW_STATE_H
#define BPKI_GROW_STATE_H

#include <ballpark/grow.h>

#include "room.h"

enum { BPKI_GROW_PARAMS_N = 24 };

typedef struct grow_plan {
    uint8_t layers, shape, on_full; /* the kind; layout or fingerprint bits */
    uint64_t items;
    double rate;
} grow_plan;

/* A layer and the adds that changed it; of a cuckoo layer the items that are in are counted by itself. */
typedef struct grow_layer {
    bpk_sketch *s;
    uint64_t inserts;
} grow_layer;

struct bpk_grow {
    bpk_sketch base;
    grow_plan plan;
    grow_layer *layer; /* n of them, the oldest first; room for `room` */
    unsigned n, room;
};

extern const bpki_ops bpki_grow_ops;

/* The field of a configuration that is out of range, or NULL; without asking whether there can be a layer; and of what
 * the kind of the layers decides alone. */
const char *bpki_grow_fault(const bpk_grow_config *cfg);
const char *bpki_grow_range_fault(const bpk_grow_config *cfg);
const char *bpki_grow_shape_fault(const bpk_grow_config *cfg);
grow_plan bpki_grow_plan(const bpk_grow_config *cfg);
/* The configuration of a layer, without domain. false: there can be no layer i. `base` is that of the layers that are
 * there; 0 for none. */
bool bpki_grow_bloom(bpk_bloom_config *out, const grow_plan *p, unsigned i);
bool bpki_grow_cuckoo(bpk_cuckoo_config *out, const grow_plan *p, uint64_t base, unsigned i);
/* The bits of layer i; 0: there can be none. Sizes it, which takes a bisection for bloom. */
uint64_t bpki_grow_layer_bits(const grow_plan *p, uint64_t base, unsigned i);
/* Inserts, or copies, that layer i takes before it is full. */
uint64_t bpki_grow_most(const grow_plan *p, unsigned i);
/* What the first n layers are planned for. */
uint64_t bpki_grow_capacity(const grow_plan *p, unsigned n);
/* Parameters of bpk_new become a valid configuration. */
bpk_status bpki_grow_config_from(bpk_grow_config *out, bpki_params *ps, bpk_err *err);
bpk_status bpki_grow_cost(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err);
extern const char *const bpki_grow_layouts[], *const bpki_grow_policies[];

static inline bool grow_removes(const grow_plan *p) {
    return p->layers == BPK_KIND_CUCKOO;
}
static inline bpk_cuckoo *grow_table(const bpk_grow *g, unsigned i) {
    return (bpk_cuckoo *)(void *)g->layer[i].s;
}
static inline grow_layer *grow_newest(const bpk_grow *g) {
    return &g->layer[g->n - 1];
}

/* A chain without layers and room for `room` of them. */
bpk_status bpki_grow_make(bpk_grow **out, const bpk_domain *d, const grow_plan *p, unsigned room, const bpk_env *env);
/* Opens the next layer; on failure nothing has changed and err is set. */
bpk_status bpki_grow_open(bpk_grow *g, bpk_err *err);
/* The environment in which the next layer is made, copied or decoded: its limit is what the chain leaves. Then the
 * layer is admitted where all of it fits, and gets the chain's own environment in any case. */
bpk_env bpki_grow_rest(const bpk_grow *g);
bpk_status bpki_grow_admit(const bpk_grow *g, bpk_sketch *layer);
size_t bpki_grow_memory(const bpk_sketch *s);
void bpki_grow_release(bpk_sketch *s);

/* The base of the layers, 0 where there is none or they are of another kind. */
uint64_t bpki_grow_base(const bpk_grow *g);

bpk_status bpki_grow_add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done);
bpk_status bpki_grow_add_copies(bpk_grow *g, const uint64_t *hash, size_t n, size_t *done, bpk_err *err);
bpk_status bpki_grow_remove(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err);

/* Bytes of the body in form view, from those of the layers' envelopes. */
uint64_t bpki_grow_view_bytes(const uint64_t *envelope, unsigned n);
uint64_t bpki_grow_body_size(const bpk_sketch *s, bpk_form f);
void bpki_grow_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_grow_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_grow_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);

#endif
