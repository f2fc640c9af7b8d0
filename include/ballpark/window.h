/* window.h - what was it in the last so much time? A ring of sketches of one kind, each over a slice of time.
 *
 *   Answers   what its panes answer, over all of them: how many different, how often, which most often, seen before, a
 *             sample. And which time the answer covers.
 *   Time      `span` S ticks in panes of ceil(S / panes), which begin at multiples of that. Every item of the last S
 *             ticks is in; what is older than S and one pane is not.
 *   Error     that of the panes' kind with as many items as the window holds. cms: the panes' least counters are added
 *             up, which is tighter than the counters of one sketch. bloom: a "yes" of any pane counts, so give each the
 *             rate asked for divided by panes + 1.
 *   Memory    that of the panes that hold something, at most panes + 1 of them; 32 bytes for each that is not there.
 *   Merge     pane by pane, of windows with one span, number of panes and kind with one set of parameters. The time
 *             becomes the latest. In any order alike where that holds for the kind.
 *   Remove    no. What is old is dropped pane by pane: nothing is ever taken out of a sketch.
 *   Source    docs/rooms/window.md.
 *
 * Time is `now` of bpk_items, in the caller's unit, never a clock. The first batch sets it, a later `now` moves it on,
 * an empty batch too, and it moves even where the items are then refused. An item with an earlier `now` is late: it
 * goes into the pane of its time, or where that is gone it is not added (`changed` is 0) and counted by
 * bpk_window_late(). A `now` beyond the window empties all panes. One that is wrong and far ahead does so too, and all
 * that follows is late: bpk_reset is the way back.
 *
 * A window cannot be cut into parts (bpk_splittable): which items are late depends on the whole. Windows of samples
 * give each pane a stream of its own, which follows from seed and stream of the sample that they were made of: those
 * that are to be merged take a stream each, as samples do.
 *
 * Parameters of bpk_new: of (the kind of the panes: bloom, cbloom, cms, hll, sample, theta or topk), span (1 or more,
 * and not under panes), panes (1 to 1024; 60, or span where that is less), and those of the panes' kind.
 */
#ifndef BALLPARK_WINDOW_H
#define BALLPARK_WINDOW_H

#include <ballpark/sketch.h>

enum { BPK_WINDOW_PANES = 60, BPK_WINDOW_PANES_MAX = 1024 };

typedef struct bpk_window bpk_window;

/* Panes like `prototype`, of which kind, parameters, domain and (of a sample) seed and stream are taken, no contents
 * and no metadata. BPK_E_ARG: span or panes out of range. BPK_E_UNSUPPORTED: a kind that does not merge, forgets by
 * itself or grows: cuckoo, grow, limit, window, a rotating bloom, counts with a half-life. BPK_E_LIMIT, BPK_E_NOMEM. */
BPK_API bpk_status bpk_window_new(bpk_window **out, const bpk_sketch *prototype, uint64_t span, uint32_t panes,
                                  const bpk_env *env);

/* From the beginning of the oldest pane that is held to the time of the window: what its answers cover. false: there
 * was no time yet. */
BPK_API bool bpk_window_covers(const bpk_window *w, uint64_t *from, uint64_t *to);

/* A sketch of its own of the panes that overlap from..to, and what it covers, which is from the beginning of the first
 * of them to the end of the last (both may be NULL). At most `panes` merges. BPK_E_ARG names `from` or `to` where
 * from > to, there was no time yet, or nothing of it is held. */
BPK_API bpk_status bpk_window_merged(const bpk_window *w, uint64_t from, uint64_t to, bpk_sketch **out,
                                     uint64_t *covered_from, uint64_t *covered_to, bpk_err *err);

/* Of the generic verbs, bpk_count() of hashes adds up the panes' answers for cms and topk; all else is asked of the
 * panes' merge, and bpk_has() of each pane. */

BPK_API bpk_kind bpk_window_of(const bpk_window *w); /* the kind of the panes */
BPK_API uint64_t bpk_window_span(const bpk_window *w);
BPK_API uint32_t bpk_window_panes(const bpk_window *w);
BPK_API uint64_t bpk_window_pane(const bpk_window *w); /* ticks of one */
BPK_API uint64_t bpk_window_late(const bpk_window *w); /* items that came too late to be added; stays at 2^64 - 1 */

BPK_API const bpk_window *bpk_as_window(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_window_base(bpk_window *w) {
    return (bpk_sketch *)w;
}

#endif
