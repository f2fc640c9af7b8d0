/* room.h - layer 1: what a room gets from below and hands to the house. A room is one kind of sketch.
 *
 * Each room's struct begins with bpk_sketch; its operations are one constant row. The house (sketch.c) has done what is
 * the same for every kind before it calls one: kinds and domains of a merge are equal, an envelope is whole, arguments
 * are there.
 */
#ifndef BPKI_ROOM_H
#define BPKI_ROOM_H

#include <ballpark/health.h>

#include "wire.h"

typedef struct bpki_ops bpki_ops;

struct bpk_sketch {
    const bpki_ops *ops;
    bpk_env env;
    bpk_domain domain;
    const uint8_t *meta; /* as in wire.h; the house's, rooms leave it alone */
};

enum { BPKI_PARAMS_MAX = 64 }; /* one bit each in bpki_params.asked */

/* Text parameters, read one by one; sticky like the byte cursors. */
typedef struct bpki_params {
    const bpk_param *p;
    size_t n;
    uint64_t asked;   /* which of them the room has read */
    const char *kind; /* that was asked for, or NULL: a chain is made in its layers' name too */
    bpk_err fault;
} bpki_params;
bool bpki_param_given(const bpki_params *ps, const char *name);
const char *bpki_param_text(const bpki_params *ps, const char *name, const char *otherwise); /* as it was given */
uint64_t bpki_param_count(bpki_params *ps, const char *name, uint64_t otherwise);
uint64_t bpki_param_bytes(bpki_params *ps, const char *name, uint64_t otherwise);
double bpki_param_share(bpki_params *ps, const char *name, double otherwise);
/* The index of the value among `words`, which ends with NULL. */
unsigned bpki_param_word(bpki_params *ps, const char *name, const char *const *words, unsigned otherwise);
void bpki_param_fail(bpki_params *ps, const char *name);    /* out of range */
void bpki_param_missing(bpki_params *ps, const char *name); /* unless it was given */
/* The first failure; or BPK_E_ARG naming a parameter that nobody asked for. */
bpk_status bpki_params_end(const bpki_params *ps, bpk_err *err);
/* The first failure; or in *out those that nobody asked for, for another room to read: they lie in `rest`. */
bpk_status bpki_params_rest(const bpki_params *ps, bpk_param rest[BPKI_PARAMS_MAX], bpki_params *out, bpk_err *err);

/* A walk over fields; stops when the receiver has had enough. */
typedef struct bpki_walk {
    bpk_field_fn fn;
    void *ctx;
    bool over;
} bpki_walk;
void bpki_walk_text(bpki_walk *w, const char *name, const char *text);
void bpki_walk_number(bpki_walk *w, const char *name, double value, bpk_unit unit);
void bpki_walk_estimate(bpki_walk *w, const char *name, bpk_estimate num, bpk_unit unit);

/* What health asks of every kind, one list. It begins as bpki_health_unknown; a room fills in what it knows. */
typedef struct bpki_health {
    double planned;              /* items; NAN where it does not apply: so below */
    bpk_estimate items, ceiling; /* confidence 0 where it does not apply */
    double fill;                 /* share of the bits, places, counters, entries, registers or tokens in use */
    double rate_now, rate_asked, total, noise_floor;
    double saturated;           /* counters or registers at their end */
    double chi_square, freedom; /* of the contents against what hashes of different items leave; freedom 0: no test */
    double error_now;           /* what the tolerated share is compared with; health.h says what it is for each kind */
    bool yields; /* the room judges error_now alone, by limits of its own: what is tolerated takes their place */
    const char *reason;
} bpki_health;
extern const bpki_health bpki_health_unknown;
/* What the room says, and whether its contents fit the model: all but what is tolerated. */
bpk_state bpki_health_of(const bpk_sketch *s, bpki_health *h);

#define BPKI_NO_MEMORY UINT64_MAX

/* What a sketch takes with so many different items in it. */
typedef struct bpki_cost {
    uint64_t memory, body; /* bytes of memory; of the body in form view */
    uint64_t keys;         /* so many are kept by name at most, and no more than key_bytes of them in all */
    uint64_t key_bytes;
    uint64_t key_memory, key_body; /* what each takes in memory and in the body, beside its bytes */
} bpki_cost;

struct bpki_ops {
    bpk_kind kind;
    const char *name, *question;
    size_t params_n; /* bytes of parameters, a multiple of 8 */
    bool grows;      /* with on_full=grow it becomes a chain whose layers are of this kind */
    bool panes;      /* it merges, so that a window can be made of sketches of this kind */

    /* Required. */
    bpk_status (*create)(bpk_sketch **out, const bpk_domain *d, bpki_params *ps, const bpk_env *env, bpk_err *err);
    bpk_status (*add)(bpk_sketch *s, const bpk_items *it, uint8_t *changed,
                      size_t *done);                                           /* changed may be NULL, done not */
    bpk_status (*merge)(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err); /* dst != src */
    bpk_status (*copy)(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);
    bpk_status (*twin)(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);
    /* Of what create would make; items UINT64_MAX: full. */
    bpk_status (*cost)(bpki_cost *out, bpki_params *ps, uint64_t items, bpk_err *err);
    void (*reset)(bpk_sketch *s);
    void (*release)(bpk_sketch *s); /* frees the object */
    size_t (*memory)(const bpk_sketch *s);
    uint64_t (*body_size)(const bpk_sketch *s, bpk_form f); /* BPKI_NO_MEMORY where sorting it out took too much */
    void (*encode_params)(const bpk_sketch *s, bpk_form f, bpki_out *o); /* params_n bytes */
    void (*encode_body)(const bpk_sketch *s, bpk_form f, bpki_out *o);   /* body_size bytes */
    bpk_status (*decode)(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
    void (*info)(const bpk_sketch *s, bpki_walk *w);
    bpk_state (*health)(const bpk_sketch *s, bpki_health *h);

    /* Optional: NULL where the kind cannot. */
    /* Where twins must differ, so that they can be merged: the one with this number, 1 to 2^62 - 1. NULL: all twins are
     * alike. */
    bpk_status (*twin_at)(bpk_sketch **out, const bpk_sketch *s, uint64_t number, const bpk_env *env);
    bpk_status (*view)(bpk_view *v, const bpki_envelope *e, bpk_err *err); /* makes the object inside *v */
    uint64_t (*grain)(
        const bpk_sketch *s); /* merge_many starts from the smallest; needed where that decides what fits */
    void (*advance)(bpk_sketch *s, uint64_t now); /* NULL: it knows no time */
    bool (*splittable)(const bpk_sketch *s);      /* NULL: always */
    /* Where one call for all parts gives more than a chain: the result must not depend on their order. */
    bpk_status (*merge_many)(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                             bpk_err *err);
    bpk_status (*has)(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err);
    bpk_status (*remove)(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err);
    bpk_status (*count)(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                        bpk_err *err);
    bpk_status (*rows)(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err);
};

/* The i-th kind of the registry; NULL behind the last. */
const bpki_ops *bpki_registry(size_t i);
const bpki_ops *bpki_registry_named(const char *name); /* NULL: none */
/* The row that makes what is asked for by this name: that of chains where it is to grow. NULL: none. */
const bpki_ops *bpki_registry_for(const char *name, const bpki_params *ps);

/* Fills the common header of a new object. A domain with hash 0 becomes the default one; BPK_E_ARG for one that cannot
 * be. */
bpk_status bpki_sketch_init(bpk_sketch *s, const bpki_ops *ops, const bpk_domain *d, const bpk_env *env);
/* A domain with hash 0 (or none) stands for XXH3 with seed 0, of its type. */
bpk_domain bpki_domain_or_default(const bpk_domain *d);
/* That, checked: BPK_E_ARG for one that cannot be, also for a secret one without a fingerprint. */
bpk_status bpki_domain_settle(bpk_domain *out, const bpk_domain *d);
/* Whether a domain is one that this build knows; `field` becomes the name of what is wrong. */
bool bpki_domain_valid(const bpk_domain *d, const char **field);
/* BPK_E_MISMATCH, naming the first difference, where two domains are not the same. */
bpk_status bpki_domain_match(const bpk_domain *a, const bpk_domain *b, bpk_err *err);
/* For rates that differ: "1 in 100", with as many decimals as tell the two apart. */
bpk_status bpki_mismatch_rate(bpk_err *err, const char *field, double a, double b);
const char *bpki_hash_name(uint8_t id); /* of a valid domain */
const char *bpki_type_name(uint8_t type);

#endif
