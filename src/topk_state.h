/* topk_state.h - inside the topk room: the state, and the small steps that its files share.
 *
 * The upper bits of a hash choose a bucket of nine ways, its low 32 bits are the fingerprint (0 counts as 1).
 *
 *     bucket, 128 bytes   0 fp u32[9] | 36 base u16[9] | 54 memo u16 | 56 score u64[9]
 *     light, two rows     cells of 1, 2, 4 or 8 bytes, one size for all
 *
 * Little-endian at any address: memory is the wire form but for memo, which is derived and zero on the wire. A base is
 * a 16-bit float, rounded up. score - base is what was seen of an item since it has its way; what was refused, and what
 * an evicted way had seen, is in the light part. Hence lower = score - base and upper = lower + light(fp). With a
 * half-life all of these, the threshold and the total are in the units of decay.h.
 */
#ifndef BPKI_TOPK_STATE_H
#define BPKI_TOPK_STATE_H

#include <ballpark/topk.h>

#include "cells.h"
#include "decay.h"
#include "room.h"

enum {
    TOPK_WAYS = 9,
    TOPK_BUCKET = 128,
    TOPK_ROWS = 2, /* of the light part: two beat three and four in mean width (docs/rooms/topk.md) */
    TOPK_K_MAX = 1 << 20,
    TOPK_CANDIDATES_MAX = 1 << 26,
    TOPK_BUCKETS_LG_MAX = 24,
    TOPK_LIGHT_LG_MIN = 6, /* bytes a row */
    TOPK_LIGHT_LG_MAX = 28,
    TOPK_BASE_MAX = 54272, /* the float of 2^62 */
};

#define TOPK_SCORE_MAX (UINT64_C(1) << 62) /* sticky; two of them add without overflow */
#define TOPK_UNKNOWN UINT64_MAX            /* an upper limit that a full counter took away */
#define TOPK_NAME_BYTES (UINT64_C(16) << 20)

typedef struct topk_name {
    uint32_t way;   /* bucket * 9 + j */
    uint32_t len;   /* true length; at most BPK_TOPK_KEY_MAX bytes are kept */
    uint8_t *bytes; /* NULL for none */
} topk_name;

/* The store: two runs sorted by way, one behind the other, so that a new name moves TOPK_FRESH of them at most; the
 * second is joined to the first when it is full. A name of the first run that is forgotten leaves its place, with
 * `gone`, to the next name of that way. */
enum { TOPK_FRESH = 1024 };
typedef struct topk_store {
    topk_name *name; /* room of them */
    uint32_t room, old, fresh, gone;
} topk_store;

typedef struct topk_shape {
    uint32_t k, candidates;
    uint64_t name_bytes_max, half_life; /* half_life 0: nothing decays */
    uint8_t b, l;                       /* 2^b buckets, 2^l bytes a row of the light part */
} topk_shape;

struct bpk_topk {
    bpk_sketch base;
    topk_shape shape;
    uint8_t *bucket;  /* at a multiple of 64 in `memory` */
    bpki_cells light; /* behind the buckets */
    union {
        struct {
            void *memory;
            size_t memory_n;
        };
        struct { /* a view has none: names as they stand in the bytes, wire_names_n of them */
            const uint8_t *wire_names;
            size_t wire_names_n;
        };
    };
    uint64_t total, draws, threshold;
    bpki_moment time;
    topk_store names;
    uint32_t names_n; /* that are there */
    uint64_t name_bytes;
    uint32_t *listed; /* the ways of the rows while bpk_topk_add() keeps them up to date, otherwise stale */
    uint32_t listed_n;
    bool listed_fresh;
    bool names_short; /* a name was refused or dropped for lack of bytes: some of the first rows may have none */
    bool reduced;
    bool view; /* the cells are not ours, and memo says nothing */
};

/* ---- a 16-bit float: 6 bits of exponent, 10 of fraction, exact below 2,048, then steps of 2^-10, rounded up ---- */

static inline uint16_t topk_float_up(uint64_t v) {
    if (v < 1024) return (uint16_t)v;
    unsigned shift = 53u - (unsigned)__builtin_clzll(v);
    uint64_t m = (v >> shift) + ((v & ((UINT64_C(1) << shift) - 1)) != 0); /* 1,024 to 2,048 */
    return (uint16_t)((shift << 10) + m);                                  /* 2,048 carries into the exponent */
}

static inline uint64_t topk_float_value(uint16_t f) {
    if (f < 2048) return f;
    return (uint64_t)(1024 + (f & 1023)) << ((f >> 10) - 1);
}

/* ---- a bucket ---- */

static inline uint8_t *topk_bucket_at(const bpk_topk *t, size_t at) {
    return t->bucket + at * TOPK_BUCKET;
}
static inline uint32_t topk_fp(const uint8_t *bucket, unsigned j) {
    return bpki_load32(bucket + (size_t)4 * j);
}
static inline uint64_t topk_base(const uint8_t *bucket, unsigned j) {
    return topk_float_value(bpki_load16(bucket + 36 + (size_t)2 * j));
}
static inline uint64_t topk_score(const uint8_t *bucket, unsigned j) {
    return bpki_load64(bucket + 56 + (size_t)8 * j);
}
static inline uint64_t topk_since(const uint8_t *bucket, unsigned j) {
    return topk_score(bucket, j) - topk_base(bucket, j);
}
static inline bool topk_full(const uint8_t *bucket) {
    return topk_fp(bucket, TOPK_WAYS - 1) != 0;
}
/* The way that holds a fingerprint, or TOPK_WAYS. Empty ways hold 0 and come last. */
static inline unsigned topk_find(const uint8_t *bucket, uint32_t fp) {
    unsigned at = TOPK_WAYS;
    for (unsigned j = TOPK_WAYS; j-- > 0;) at = topk_fp(bucket, j) == fp ? j : at;
    return at;
}
/* memo: bit j says that way j has a name, bits 12 to 15 which way has the smallest score. */
static inline uint16_t topk_memo(const uint8_t *bucket) {
    return bpki_load16(bucket + 54);
}
static inline bool topk_named(const uint8_t *bucket, unsigned j) {
    return topk_memo(bucket) >> j & 1;
}
static inline void topk_find_smallest(uint8_t *bucket) {
    unsigned at = 0;
    for (unsigned j = 1; j < TOPK_WAYS; j++) at = topk_score(bucket, j) < topk_score(bucket, at) ? j : at;
    bpki_store16(bucket + 54, (uint16_t)((topk_memo(bucket) & 0xfff) | at << 12));
}
static inline void topk_place(uint8_t *bucket, unsigned j, uint32_t fp, uint16_t base, uint64_t weight) {
    bpki_store32(bucket + (size_t)4 * j, fp);
    bpki_store16(bucket + 36 + (size_t)2 * j, base);
    bpki_store64(bucket + 56 + (size_t)8 * j, bpki_add_sticky(topk_float_value(base), weight, TOPK_SCORE_MAX));
    topk_find_smallest(bucket);
}

static inline uint32_t topk_fingerprint(uint64_t hash) {
    return (uint32_t)hash ? (uint32_t)hash : 1;
}
static inline size_t topk_bucket_of(const bpk_topk *t, uint64_t hash) {
    return (size_t)(hash >> 32 >> (32 - t->shape.b));
}
static inline uint32_t topk_kept(uint32_t len) {
    return len < BPK_TOPK_KEY_MAX ? len : BPK_TOPK_KEY_MAX;
}
static inline size_t topk_buckets(const topk_shape *s) {
    return (size_t)1 << s->b;
}
/* No more rows than this can be shown: k that was read may be far above what the table holds. */
static inline size_t topk_rows_most(const topk_shape *s) {
    size_t ways = topk_buckets(s) * TOPK_WAYS;
    return s->k < ways ? s->k : ways;
}

static inline bool topk_decays(const bpk_topk *t) {
    return t->shape.half_life != 0;
}
/* The light cells of a bucket that never was full have nothing to say, but for what time has cut off. */
static inline bool topk_asks_light(const bpk_topk *t, const uint8_t *bucket) {
    return topk_full(bucket) || topk_decays(t);
}
/* What was certainly seen of a way, in exact units. */
static inline uint64_t topk_least(const bpk_topk *t, const uint8_t *bucket, unsigned j) {
    uint64_t since = topk_since(bucket, j);
    return topk_decays(t) ? bpki_decay_least(since) : since;
}

/* topk.c: an empty object of a valid shape; the light part. */
bool bpki_topk_shape_valid(const topk_shape *s);
bpk_status bpki_topk_make(bpk_topk **out, const bpk_domain *d, const topk_shape *s, const bpk_env *env);
void bpki_topk_release(bpk_sketch *s);
void bpki_topk_light_start(bpki_cells *light, uint8_t *bytes, unsigned l, unsigned level);
uint64_t bpki_topk_light_cap(unsigned level);
uint64_t bpki_topk_light(const bpk_topk *t, uint32_t fp);
void bpki_topk_light_add(bpk_topk *t, uint32_t fp, uint64_t weight);
extern const bpki_ops bpki_topk_ops;

/* topk_decay.c */
void bpki_topk_age(bpk_topk *t, uint64_t shift);     /* by so many half-lives */
void bpki_topk_advance(bpk_topk *t, uint64_t now);   /* never back */
void bpki_topk_add_rest(bpk_topk *t, uint64_t hash); /* a unit that is no lower limit */

/* topk_names.c: the keys of the heaviest ways. */
void bpki_topk_capture(bpk_topk *t, uint32_t way, const void *key, size_t len);
void bpki_topk_forget(bpk_topk *t, uint32_t way);
const topk_name *bpki_topk_name_of(const bpk_topk *t, uint32_t way); /* NULL: none */
const topk_name *bpki_topk_find_name(const topk_name *name, uint32_t n, uint32_t way);
/* One name after the other in the order of ways; NULL behind the last. Not of a view. */
typedef struct topk_walk {
    uint32_t old, fresh;
} topk_walk;
const topk_name *bpki_topk_next_name(const bpk_topk *t, topk_walk *w);
/* The names of a sketch as a sorted array, also of a view; to be returned. */
typedef struct topk_names {
    const topk_name *name;
    uint32_t n;
    void *own;
    size_t own_n;
} topk_names;
bpk_status bpki_topk_borrow_names(topk_names *names, const bpk_topk *t);
void bpki_topk_return_names(topk_names *names, const bpk_topk *t);
bpk_status bpki_topk_append_name(bpk_topk *t, uint32_t way, uint32_t len, const uint8_t *bytes);
void bpki_topk_drop_names(bpk_topk *t);

/* topk_rows.c: answers. */
bpk_status bpki_topk_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err);
uint64_t bpki_topk_ceiling(const bpk_topk *t);
bpk_status bpki_topk_copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);

/* topk_merge.c */
bpk_status bpki_topk_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err);
bpk_status bpki_topk_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                bpk_err *err);

/* topk_wire.c */
uint64_t bpki_topk_body_size(const bpk_sketch *s, bpk_form f);
void bpki_topk_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_topk_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_topk_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_topk_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
