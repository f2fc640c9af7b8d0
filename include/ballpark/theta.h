/* theta.h - how many in A and B, in A but not in B, in either? The smallest hashes of a set are a sample of it, the
 * same for everyone.
 *
 *   Answers   the number of different items, with an interval; union, intersection and difference of any number of
 *             sketches are sketches again; Jaccard index and containment with an interval.
 *   Error     exact up to k items; then a relative standard error of 1 / sqrt(k): 1.6 % at k = 4,096. Of an operation:
 *             1 / sqrt(m), m being the sampled items that it left (`matches`): an overlap of a share s of the union
 *             leaves about s k. Below 16 of them the answer says NO_POINT and only the interval means something.
 *             52 bits of a hash are kept: n items are one too few, or two sets share one by chance, n^2 / 2^53 times;
 *             intervals allow for it (those of a sketch as for an operation on two sets), and from 2^51 items on the
 *             answer says SATURATED.
 *   Memory    16 to 32 bytes for each of k items in the table that adding needs (64 KiB at k = 4,096), 8 where nothing
 *             was added: decoded, viewed, or out of an operation. In a file 5.2 bytes an item at k = 4,096.
 *   Merge     exact: equals having added both streams. Sketches of one k only.
 *   Remove    no, but a difference of sketches is one.
 *   Source    Bar-Yossef et al. 2002 (bottom-k); Dasgupta, Lang, Rhodes, Thaler 2016 (theta); docs/rooms/theta.md.
 *
 * Parameters of bpk_new: k (16 to 2^24; 4096).
 */
#ifndef BALLPARK_THETA_H
#define BALLPARK_THETA_H

#include <ballpark/sketch.h>

enum { BPK_THETA_K = 4096, BPK_THETA_K_MIN = 16, BPK_THETA_K_MAX = 1 << 24, BPK_THETA_POINT_FROM = 16 };

typedef struct bpk_theta bpk_theta;

/* `changed` of bpk_add() is 1 for a new item among the k smallest, and may be for one that the next cut takes away. */

/* Written in full: a k of 0 is not a default but an error. domain.hash 0 is the default domain. */
typedef struct bpk_theta_config {
    bpk_domain domain;
    uint32_t k;
} bpk_theta_config;

/* BPK_E_ARG: k or domain out of range. BPK_E_NOMEM. */
BPK_API bpk_status bpk_theta_new(bpk_theta **out, const bpk_theta_config *cfg, const bpk_env *env);

/* The number of different items, with its interval at `confidence` (0.5 to 0.999999; 0 is 0.95; others are moved into
 * the range). *matches (may be NULL) becomes the number of sampled items. O(k). Cannot fail. */
BPK_API bpk_estimate bpk_theta_count(const bpk_theta *t, double confidence, uint32_t *matches);

/* A new sketch of n >= 1 others: of all items; of those in every one; of those in the first and in no other. It samples
 * at the lowest rate of all. O(n k). BPK_E_MISMATCH names a domain or k that differs; BPK_E_NOMEM, BPK_E_LIMIT. */
typedef enum bpk_theta_set { BPK_THETA_UNION, BPK_THETA_INTERSECT, BPK_THETA_DIFF } bpk_theta_set;
BPK_API bpk_status bpk_theta_op(bpk_theta **out, bpk_theta_set op, const bpk_theta *const *in, size_t n,
                                const bpk_env *env, bpk_err *err);

/* How many items such an operation leaves, without making its sketch: a union is not cut to k, so that it is exact
 * where all inputs are, and closer otherwise; no answer contradicts an input that is known exactly. *matches (may be
 * NULL) becomes the number of sampled items that it is known from. O(k n log n). Errors as bpk_theta_op. */
BPK_API bpk_status bpk_theta_op_count(bpk_theta_set op, const bpk_theta *const *in, size_t n, double confidence,
                                      bpk_estimate *out, uint64_t *matches, bpk_err *err);

/* Of n >= 1 sketches: the items that all have in common, as a share of those that any has (Jaccard index), and as a
 * share of those of the first (containment). From the sampled items; NO_POINT where fewer than BPK_THETA_POINT_FROM of
 * them are common and not all items are sampled, and where there is nothing to take a share of (then 0 to 1). *matches
 * as above. Errors as bpk_theta_op. */
BPK_API bpk_status bpk_theta_jaccard(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                                     uint64_t *matches, bpk_err *err);
BPK_API bpk_status bpk_theta_containment(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                                         uint64_t *matches, bpk_err *err);

/* The least k with which the overlap of two sets, a share of the smaller one above 0 and up to 1, is known with a
 * relative standard error of `error`, above 0 and up to 1, and has a point. Of k values sampled from the larger set
 * p k are common, p = overlap smaller / larger, and the error is sqrt((1 - k / larger) / (p k)). 0: an argument out of
 * its range, or more than BPK_THETA_K_MAX. */
BPK_API uint32_t bpk_theta_k_for(double smaller, double larger, double overlap, double error);
/* That error with a k. */
BPK_API double bpk_theta_overlap_error(double smaller, double larger, double overlap, uint32_t k);

BPK_API uint32_t bpk_theta_k(const bpk_theta *t);

BPK_API const bpk_theta *bpk_as_theta(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_theta_base(bpk_theta *t) {
    return (bpk_sketch *)t;
}

#endif
