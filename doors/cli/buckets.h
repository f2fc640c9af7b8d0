/* buckets.h - many small counts of different items, one a pane of time and a group, under one limit of memory.
 *
 * A bucket is an exact set while that is small, then a sketch. When all together take more than the limit, fewer items
 * are counted exactly, in every bucket alike: which ones turn into sketches depends on what was added, and not on the
 * order or on the size of batches.
 */
#ifndef CLI_BUCKETS_H
#define CLI_BUCKETS_H

#include "input.h"
#include "panes.h"

typedef struct bucket {
    pane when;
    uint64_t group; /* the hash of its name; 0 where there are no groups */
    char *name;     /* NULL where there are no groups */
    size_t len;
    uint64_t records;
    bpk_estimate count; /* once it was taken out */
    bpk_exact *exact;   /* one of the two */
    bpk_sketch *sketch;
    size_t memory;      /* bytes of all this */
    uint32_t head, end; /* of its records in the batch that is being added, by number from 1; head 0: none */
} bucket;

typedef struct buckets {
    const bpk_sketch *like; /* empty, with the parameters to use */
    const bpk_env *env;     /* of each bucket; its max_bytes is the limit of all */
    uint64_t exact_limit;   /* items; 0: never exact */
    bucket *at;
    size_t n, room;
    uint32_t *slot; /* by pane and group: a bucket's number from 1, or 0 */
    unsigned lg;    /* 2^lg slots */
    size_t memory;
    /* Of the batch that is being added. */
    uint32_t follower[BATCH_MAX];
    uint64_t hash[BATCH_MAX];
    uint32_t touched[BATCH_MAX];
    size_t n_touched;
} buckets;

/* Begins with like, env and exact_limit set, all else zeros. `like` and `env` outlive it. */
void buckets_free(buckets *b);

/* The bucket of record i, made where it is not there; NULL without memory. A batch is first sorted in, record by
 * record, and then added. */
bucket *buckets_find(buckets *b, pane when, const batch *records, size_t i);
void buckets_sort_in(buckets *b, bucket *to, size_t i);
bpk_status buckets_add(buckets *b, const uint64_t *hash);

/* Makes room where all together take more than the limit; BPK_E_LIMIT where sketches alone do. */
bpk_status buckets_fit(buckets *b);

/* Takes out those that end at `end` or before and counts how many different items each has: in the order of panes, the
 * largest group of a pane first, equal ones by name. The array is the caller's, and so are its buckets. */
bpk_status buckets_take(buckets *b, int64_t end, double confidence, bucket **out, size_t *n);
void bucket_free(bucket *b);

#endif
