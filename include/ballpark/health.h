/* health.h - is a sketch still inside its bounds? One list of fields and one state for every kind. */
#ifndef BALLPARK_HEALTH_H
#define BALLPARK_HEALTH_H

#include <ballpark/sketch.h>

/* ok; warn from 100 % of the plan, or when a rate or error exceeds the one asked for or
 * tolerated, or when a counter is at its end; over from 150 %, or when the contents cannot be trusted. One list of
 * fields for every kind, of which those that apply are walked, in this order:
 *
 *   planned_items, items, load    the plan, the different items now, items / plan; a rotating bloom's load may be
 *                                 (G + 1) ceil(items / G) / items, which is 1 + 1/G where G divides them: it warns
 *                                 where it remembers less than the window asked for, and is over where that is two
 *                                 thirds of it or less
 *   fill                          share of the bits, places, counters, entries, registers or tokens in use
 *   rate_now, rate_asked          of false positives
 *   total, noise_floor, ceiling   all weight; what 99 of 100 absent items count at most; no unlisted item is above it
 *   saturated                     counters or registers at their end
 *   chi_square, chi_square_freedom, chi_square_sigmas
 *                                 hll: registers against the model, from about 40 items and precision 8 on; over where
 *                                 it is 7 standard deviations off, to either side (3e-12): a weak hash or chosen items
 *   error_now                     bloom, cbloom, cuckoo, grow: rate_now; hll, theta: the standard error; cms:
 *                                 noise_floor / total; topk: ceiling / total, 1 where there is no ceiling; sample: one
 *                                 standard error of a share, at worst; limit: the share of new keys that would be
 *                                 limited, which warns from 1 % and is over from 10 % where nothing is tolerated;
 *                                 window: of its worst pane, of filters the rate of all panes together
 *   tolerated                     see bpk_tolerate
 *   reason, state                 texts, constant ones; state is ok, warn or over
 *
 * `fn` may be NULL. O(size). */
typedef enum bpk_state { BPK_HEALTH_OK, BPK_HEALTH_WARN, BPK_HEALTH_OVER } bpk_state;
BPK_API bpk_state bpk_health(const bpk_sketch *s, bpk_field_fn fn, void *ctx);

/* Stores with the sketch (metadata, tag BPK_META_TOLERATED) the share of error that its user can live with, above 0 and
 * up to 1, or takes it away again (0): health then warns when error_now exceeds it, and says over at 150 % of it.
 * BPK_E_ARG, BPK_E_NOMEM. */
BPK_API bpk_status bpk_tolerate(bpk_sketch *s, double share);
BPK_API bool bpk_tolerated(const bpk_sketch *s, double *share);

#endif
