/* plan.h - what will it cost, and what happens at twice the plan? From what can be tolerated to a kind of sketch, its
 * parameters, bytes and bounds, before anything is made.
 *
 *   Questions   membership   items, rate (0.01)                   bloom, both layouts
 *                            and growth (times)                   a chain of them
 *                            and generations, span (0)            bloom that forgets, see bloom.h
 *                            and delete (1)                       cuckoo, and cbloom beside it
 *               count        epsilon (0.001), delta (0.01), total cms, sized by e and by 2
 *               distinct     error (0.01), items                  hll, and Redis's beside it
 *               top          k (10), share                        topk
 *               overlap      smaller, overlap, larger, error      theta; overlap is a share of the smaller set (larger:
 *                            (0.1)                                as large)
 *               sample       k (1000) or error, groups, weighted  sample; k of each group, whose names are not counted
 *                            (no), record_bytes (100)
 *               limit        limit, period, keys, fresh (0.01)    limit; keys that use it up, that is events in a
 *                                                                period by the limit; fresh: new keys limited, at most
 *               Each takes `sketches`, the number in a fleet (1): one a page, an hour, a tenant.
 *   Bytes       of the real object within 1 %: in memory when full (distinct: with `items`), in a file of form view;
 *               form small is never larger. Of a chain up to 256 a layer more than it takes. Keys are taken to have 16
 *               bytes, records 100.
 *   Exact       the exact structure beside it: a set of 64-bit hashes (exact.h), or a map of keys (tally.h).
 *
 * docs/cli.md lists the fields; docs/rooms derives the formulas.
 */
#ifndef BALLPARK_PLAN_H
#define BALLPARK_PLAN_H

#include <ballpark/sketch.h>

/* The i-th question and its parameters, as "items rate sketches"; NULL behind the last. */
BPK_API const char *bpk_question_at(size_t i, const char **params);

/* Walks over the fields of a plan: what was asked, `kind` and `parameters.*` as bpk_new takes them, bytes, bound,
 * `twice.*`, `exact.*`, `advice`. A dot in a name stands for a group. Parameters are text as in bpk_new, so that every
 * door reads them alike. Nothing is walked on failure: BPK_E_ARG names the question, or the parameter that is missing,
 * unknown or out of range. */
BPK_API bpk_status bpk_plan(const char *question, const bpk_param *p, size_t n, bpk_field_fn fn, void *ctx,
                            bpk_err *err);

#endif
