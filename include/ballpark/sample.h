/* sample.h - show me some of the records at random: a reservoir, weighted or not, one for all or one a group.
 *
 *   Answers   k records, each set of k as likely as any other (weighted: drawn one after the other with chances
 *             proportional to the weights that are left, without replacement); how many there were; the share of all
 *             records, or of all weight, that has a property, with its interval.
 *   Memory    the kept records and 48 bytes each; it grows with what is kept, not with k.
 *   Weights   0 (counted, never kept) or 2^-200 to 2^200, taken by weighted samples alone. Of whole ones above 2^53 the
 *             nearest double counts.
 *   Merge     exact: the k smallest tags of all. Byte for byte the same in any order and any tree. Two samples that
 *             share a (seed, stream) with records behind it are not independent and do not merge.
 *   Replay    the same seed, stream and records give the same sample, on every platform, however batches are cut.
 *   Strata    groups > 0: k records of each group, the `groups` with the smallest (hash, name); all others share one
 *             pooled stratum, which says so.
 *   Remove    no.
 *   Source    skips: Li 1994; weights: Efraimidis, Spirakis 2006; docs/rooms/sample.md.
 *
 * Not for counting different items: a sample misses the rare ones (docs/rooms/sample.md has the figures).
 *
 * A twin has a stream of its own, which follows from its parent's (seed, stream): a twin, and its twin, and so on merge
 * with each other; two twins of one parent have the same stream and do not. Adding to a merged sample goes on in the
 * stream of the smallest (seed, stream) among its parts.
 *
 * Parameters of bpk_new: k (0 to 2^24; 1000), groups (0 to 2^20; 0: no strata), weighted (no or yes), seed, stream (0).
 */
#ifndef BALLPARK_SAMPLE_H
#define BALLPARK_SAMPLE_H

#include <ballpark/sketch.h>

enum { BPK_SAMPLE_K = 1000, BPK_SAMPLE_K_MAX = 1 << 24, BPK_SAMPLE_GROUPS_MAX = 1 << 20 };

/* Weights that are not 0; as decimals about 6.2e-61 and 1.6e60. */
#define BPK_SAMPLE_WEIGHT_MIN 0x1p-200
#define BPK_SAMPLE_WEIGHT_MAX 0x1p+200

typedef struct bpk_sample bpk_sample;

/* k 0 keeps nothing and counts. domain.hash 0 is the default domain. Shards take one seed and a stream each. Anyone who
 * knows seed and stream can foretell the sample: where somebody gains by that, take both at random, 128 bits together.
 * bpk_encode() stores them and bpk_info() walks them: whoever has the bytes can foretell what becomes of them when they
 * are added to, and of a twin. Publish a sample only when neither that goes on nor its seed is used again. */
typedef struct bpk_sample_config {
    bpk_domain domain;
    uint32_t k, groups;
    bool weighted;
    uint64_t seed, stream;
} bpk_sample_config;

/* BPK_E_ARG: k over 2^24, groups over 2^20, an impossible domain. */
BPK_API bpk_status bpk_sample_new(bpk_sample **out, const bpk_sample_config *cfg, const bpk_env *env);

/* bpk_add() copies the bytes of what it keeps (none where it->item is NULL) and their hash, which may be of a part of
 * the record: it is what bpk_count() is asked with. BPK_E_ARG at an item whose weight is not allowed, and at the first
 * of a batch without it->group where there are strata. BPK_E_LIMIT: all that is kept would exceed env.max_bytes.
 * BPK_E_FULL: 2^61 records. */

/* So many coming records are surely not kept, whatever they are: they need not be cut, only counted. 0 unless the
 * sample is unweighted and has no strata. */
BPK_API uint64_t bpk_sample_ahead(const bpk_sample *s);
/* They came. Counts as adding them. BPK_E_ARG: more than bpk_sample_ahead(), nothing is counted. */
BPK_API bpk_status bpk_sample_pass(bpk_sample *s, uint64_t n);

/* A kept record; the bytes are valid until the sample changes. `at` is its place, from 0, among the records of (seed,
 * stream), `stratum` the place of its stratum in bpk_sample_strata(). */
typedef struct bpk_sample_row {
    const void *item;
    size_t len, stratum;
    uint64_t hash;
    double weight; /* 1 in an unweighted sample */
    uint64_t seed, stream, at;
} bpk_sample_row;

/* In the order of input, part by part; or in a random order, always the same for the same sample. */
typedef enum bpk_sample_order { BPK_SAMPLE_INPUT, BPK_SAMPLE_SHUFFLED } bpk_sample_order;
typedef bool (*bpk_sample_fn)(void *ctx, const bpk_sample_row *row); /* false ends the walk */
BPK_API bpk_status bpk_sample_rows(const bpk_sample *s, bpk_sample_order order, bpk_sample_fn fn, void *ctx);

/* A stratum: all records when there are no groups, otherwise one group, or what is pooled (no name). */
typedef struct bpk_sample_stratum {
    const void *name;
    size_t len;
    uint64_t hash, n, kept;
    double weight; /* of all n; n in an unweighted sample */
    bool pooled;
} bpk_sample_stratum;
/* Groups by (hash, name), the pooled one last. Cannot fail. */
BPK_API void bpk_sample_strata(const bpk_sample *s, bool (*fn)(void *ctx, const bpk_sample_stratum *t), void *ctx);

/* The share of all records, of a weighted sample of all weight, for which `match` says true: EXACT where all are kept;
 * ONE_SIDED where none or all of the kept match; NO_POINT (between 0 and 1) where nothing is kept. Strata count with
 * their sizes. `confidence` 0.5 to 0.999999; 0 is 0.95; others are moved into the range. Cannot fail. */
BPK_API bpk_estimate bpk_sample_share(const bpk_sample *s, bpk_sample_fn match, void *ctx, double confidence);

/* How far any share may be off, with this confidence: 0 where all records are kept, 1 where none is. Without weights
 * it is what a share of one half is off by. With weights it is a bound for all shares, near where they are alike and
 * far off where a few are most of all (docs/rooms/sample.md). `confidence` as in bpk_sample_share(). O(kept). */
BPK_API double bpk_sample_error(const bpk_sample *s, double confidence);
/* The least k with which that is at most `error`, above 0 and up to 1, for a sample without weights of however many
 * records; 0 where it would be above BPK_SAMPLE_K_MAX. */
BPK_API uint32_t bpk_sample_k_for(double error, double confidence);

/* The generic verbs: bpk_count() of hashes estimates how many records have them (weighted: how much weight), with hash
 * NULL it is all of that, exactly. bpk_rows() gives the kept records in the order of input, and as count the number of
 * records (weighted: the weight) that each stands for; all rows together stand for all. Its limits are certain ones: 1
 * (weighted: its weight), and what the other kept records of its stratum leave of all. */

BPK_API uint32_t bpk_sample_k(const bpk_sample *s);
BPK_API uint64_t bpk_sample_seen(const bpk_sample *s); /* records, all strata */
BPK_API uint64_t bpk_sample_kept(const bpk_sample *s);
BPK_API const bpk_sample *bpk_as_sample(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_sample_base(bpk_sample *s) {
    return (bpk_sketch *)s;
}

/* ---- choosing without keeping ---- */

/* Whether the key with this hash belongs to a share of all keys: the same keys everywhere, those of a smaller share
 * among those of a larger one. The hashes of the chosen are as even as all. Never for 0 or less, always from 1 on. */
BPK_API bool bpk_sample_key(uint64_t hash, double share);

/* Each record with probability `share`, by skips: bpk_skips_next() is how many to pass before the next chosen one;
 * UINT64_MAX: none comes any more. */
typedef struct bpk_skips {
    uint64_t seed, stream, draws;
    double rate;
} bpk_skips;
/* BPK_E_ARG: share not from 0 to 1. */
BPK_API bpk_status bpk_skips_new(bpk_skips *k, uint64_t seed, uint64_t stream, double share);
BPK_API uint64_t bpk_skips_next(bpk_skips *k);

#endif
