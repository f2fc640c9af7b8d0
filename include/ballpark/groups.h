/* groups.h - a sketch for each group, and room for a certain number of groups: which groups have most?
 *
 *   Answers   a row for each group that is kept: how many different items came with it. Where some were left out, how
 *             many at most came with any group that has no row.
 *   Error     of the sketches. When the table is full the group with the smallest count makes room for a new one with
 *             probability 1 in (that count + 1) for each different item of the new one, which takes over the count, so
 *             that a large group misses about as many items as that. What is not in a group's own sketch is in two of
 *             the shared ones, and what they hold together with it is the upper limit: it holds with the confidence of
 *             the sketches, whatever was left out.
 *   Memory    a sketch a group, the name, 48 bytes; and up to 1,024 shared sketches once the table is full.
 *   Order     of the groups' first items decides who is kept when the table is full; before that it has no say.
 *   Groups    are known by the hashes of their names: two of n share one with probability n^2 / 2^65.
 *   Bytes     none: files hold sketches only.
 *
 * The admission is that of "Randomized Admission Policy for Efficient Top-k, Frequency, and Volume Estimation" (Ben
 * Basat, Chen, Einziger, Friedman, Kassner 2019), with different items in place of occurrences: the coin is a hash of
 * group and item, so that an item which comes again tosses the same.
 */
#ifndef BALLPARK_GROUPS_H
#define BALLPARK_GROUPS_H

#include <ballpark/sketch.h>

typedef struct bpk_groups bpk_groups;

/* What happens at the group that would be one more than there is room for: it is refused with BPK_E_FULL, or the
 * largest are kept. */
typedef enum bpk_groups_full { BPK_GROUPS_REFUSE, BPK_GROUPS_LARGEST } bpk_groups_full;

enum { BPK_GROUPS_MAX = 1 << 24 };

/* Each group gets a twin of `like`, an hll, a theta, a window of either: what bpk_count answers of the whole is the
 * count of a group, BPK_E_UNSUPPORTED where it answers nothing. BPK_E_ARG: max_groups is not 1 to BPK_GROUPS_MAX. The
 * environment's limit is that of all together. */
BPK_API bpk_status bpk_groups_new(bpk_groups **out, const bpk_sketch *like, uint64_t max_groups, bpk_groups_full full,
                                  const bpk_env *env, bpk_err *err);
BPK_API void bpk_groups_free(bpk_groups *g); /* NULL is fine */

/* Adds each item to its group: needs group, group_name and group_len. BPK_E_FULL leaves the items before *done in, and
 * BPK_E_LIMIT (memory) perhaps that one too. What is too late for a window brings no new group in. */
BPK_API bpk_status bpk_groups_add(bpk_groups *g, const bpk_items *it, size_t *done);

/* For sketches that know time: goes on to `now`, forgets groups that are empty by then, and learns anew which are the
 * smallest. To be called as often as a sketch forgets something. O(groups). */
BPK_API bpk_status bpk_groups_advance(bpk_groups *g, uint64_t now);

BPK_API uint64_t bpk_groups_kept(const bpk_groups *g);
BPK_API bool bpk_groups_complete(const bpk_groups *g); /* no group was ever left out */
BPK_API size_t bpk_groups_memory(const bpk_groups *g);

/* The first `limit` rows by count, equal ones by name. `certain`: no group without a row has more. *ceiling (may be
 * NULL) becomes the most that any group without a row has. `confidence` as in bpk_count. O(groups log groups). */
BPK_API bpk_status bpk_groups_rows(const bpk_groups *g, size_t limit, double confidence, bpk_row_fn fn, void *ctx,
                                   double *ceiling, bpk_err *err);

#endif
