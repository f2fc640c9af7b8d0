/* theta_state.h - inside the theta room: the state, and the small steps that its files share.
 *
 * The value of a hash is its upper 52 bits. A sketch holds the values below theta, which begins at 2^52: all of them.
 * They are in one of two places:
 *
 *     a table    open addressing; made by the first add. When it is full, theta becomes the (k+1)-th smallest value and
 *                what is not below it goes. Between two such cuts there are more than k values.
 *     sorted     ascending u64 little-endian, k at most: what was decoded, viewed or came out of an operation. The next
 *                add puts them into a table.
 *
 * Whatever is answered or written is cut first, so that it is a function of the set of values alone: the k smallest,
 * and as theta the next one.
 */
#ifndef BPKI_THETA_STATE_H
#define BPKI_THETA_STATE_H

#include <ballpark/theta.h>

#include "room.h"

enum { THETA_BITS = 52, THETA_ABOVE = 64 - THETA_BITS };
#define THETA_ONE (UINT64_C(1) << THETA_BITS)

struct bpk_theta {
    bpk_sketch base;
    uint32_t k, n;         /* n: values that are there */
    uint64_t theta;        /* 1 to THETA_ONE */
    uint64_t salt;         /* of the table */
    uint64_t *slot;        /* value + 1, 0 is free; NULL: sorted */
    const uint8_t *sorted; /* n values; NULL where there is a table, or nothing */
    size_t owned;          /* bytes behind `sorted` that are to be released; 0 in a view */
    uint8_t lg;            /* 2^lg slots */
};

/* Ascending values, 8 bytes each, little-endian, at any address. */
typedef struct theta_list {
    const uint8_t *at;
    uint32_t n;
    void *own; /* the memory behind them, or NULL */
    size_t bytes;
} theta_list;
static inline uint64_t theta_at(const uint8_t *list, size_t i) {
    return bpki_load64(list + 8 * i);
}

/* theta.c */
extern const bpki_ops bpki_theta_ops;
/* The theta of the cut sketch, and how many values are below it. */
uint64_t bpki_theta_cut(const bpk_theta *t, uint32_t *n);
/* A sketch without values, and one of the values of a list, which it takes over or copies; the list is gone either
 * way. */
bpk_status bpki_theta_make(bpk_theta **out, const bpk_domain *d, uint32_t k, const bpk_env *env);
bpk_status bpki_theta_from(bpk_theta **out, const bpk_domain *d, uint32_t k, uint64_t theta, theta_list *values,
                           const bpk_env *env);
/* What so many values below theta say of a set that came out of an operation on `sets` others (1: of its own). */
bpk_estimate bpki_theta_estimate(uint64_t matches, uint32_t k, size_t sets, uint64_t theta, double confidence);
/* The largest set that a theta stands for has k / theta of all values: so many of k sampled items at most share their
 * value with another item, of the same set (which then counts one too few) or of one other (a match by chance). */
double bpki_theta_by_chance(uint32_t k, size_t sets, uint64_t theta);
/* BPK_E_MISMATCH, naming what differs, where two sketches cannot be joined. */
bpk_status bpki_theta_fit(const bpk_theta *a, const bpk_theta *b, bpk_err *err);

/* theta_sort.c */
/* The values below `theta`: in place where they are sorted. To be dropped; dropping twice is fine. */
bpk_status bpki_theta_list(theta_list *out, const bpk_theta *t, uint64_t theta, const bpk_env *env);
bpk_status bpki_theta_list_new(theta_list *out, size_t values, const bpk_env *env);
void bpki_theta_drop(theta_list *l, const bpk_env *env);

/* theta_join.c */
/* Writes the values of a union (the `most` smallest), intersection or difference of two lists and returns how many they
 * are. `out` has room for `most`, for a's otherwise, and may then be where a's are. */
uint32_t bpki_theta_join(uint64_t *out, size_t most, bpk_theta_set op, const theta_list *a, const theta_list *b);

/* theta_set.c */
bpk_status bpki_theta_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err);
bpk_status bpki_theta_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                 bpk_err *err);

/* theta_wire.c */
uint64_t bpki_theta_body_size(const bpk_sketch *s, bpk_form f);
void bpki_theta_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_theta_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_theta_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_theta_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
