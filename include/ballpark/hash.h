/* hash.h - items become 64-bit hashes, once, in the door.
 *
 * An item is bytes; the empty item is one too. A sketch carries its domain: which hash, with which seed or key, of
 * which type of value. Sketches of different domains never merge. A keyed sketch that was read from bytes still merges
 * and answers questions on hashes; to add to it the hasher must be given the key again.
 */
#ifndef BALLPARK_HASH_H
#define BALLPARK_HASH_H

#include <ballpark/base.h>

/* Hash ids, as in the envelope. */
enum {
    BPK_HASH_XXH3 = 1,   /* XXH3-64 with a public 64-bit seed; seed 0 unless there is a reason */
    BPK_HASH_SIPHASH = 2 /* SipHash-1-3 with a secret 128-bit key: for items that an adversary may choose */
};

/* Types of values. The bytes "5" are not the integer 5. */
typedef enum bpk_type { BPK_BYTES = 0, BPK_I64 = 1, BPK_F64 = 2 } bpk_type;

/* As in the envelope. With secret = 1 `seed` is the fingerprint of the key, never the key. */
typedef struct bpk_domain {
    uint8_t hash, secret, type;
    uint64_t seed;
} bpk_domain;

/* Held by the door, never encoded. */
typedef struct bpk_hasher {
    bpk_domain domain;
    uint64_t key[2];
} bpk_hasher;

/* Makes the hasher of a domain. `want` NULL is XXH3 with seed 0 over bytes. `key` is needed for SipHash and not used
 * otherwise. In a secret domain a fingerprint of 0 takes any key and is replaced by that key's; another one must be the
 * key's. BPK_E_KEY: key missing or another one. BPK_E_ARG: an unknown hash id or type, named in err. */
BPK_API bpk_status bpk_hasher_init(bpk_hasher *h, const bpk_domain *want, const uint8_t key[16], bpk_err *err);

/* The hash of one item. O(len). Bytes stay bytes whatever the domain's type says: these three are chosen by the
 * caller. */
BPK_API uint64_t bpk_hash(const bpk_hasher *h, const void *item, size_t len);
BPK_API uint64_t bpk_hash_i64(const bpk_hasher *h, int64_t v); /* of the 8 little-endian bytes */
BPK_API uint64_t bpk_hash_f64(const bpk_hasher *h, double v);  /* likewise; -0 counts as 0, and all NaN as one */

/* The hashes of n items. */
BPK_API void bpk_hash_many(const bpk_hasher *h, const void *const *item, const size_t *len, uint64_t *hash, size_t n);

/* One batch for every kind of sketch, which takes from it what it needs. */
typedef struct bpk_items {
    size_t n;
    const uint64_t *hash;
    const void *const *item; /* the bytes: for sketches that keep them, otherwise NULL */
    const size_t *len;
    const uint64_t *weight; /* NULL means 1 each */
    uint64_t now;           /* for sketches that know time, in the caller's unit */
    /* For sketches with strata or real weights; all NULL otherwise. */
    const double *real_weight;     /* in place of `weight` */
    const uint64_t *group;         /* the hash of each item's group, */
    const void *const *group_name; /* its bytes, NULL: none, */
    const size_t *group_len;       /* and how many they are */
} bpk_items;

#endif
