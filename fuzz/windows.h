/* windows.h - what must hold of windows, whatever their panes hold. */
#ifndef FUZZ_WINDOWS_H
#define FUZZ_WINDOWS_H

#include "fuzz.h"

static inline bool windows_of(const bpk_sketch *s, bpk_kind kind) {
    return bpk_as_window(s) && bpk_window_of(bpk_as_window(s)) == kind;
}

/* What is held can be asked for, and nothing that lies before or behind it. */
static inline void windows_check_times(const bpk_sketch *s) {
    const bpk_window *w = bpk_as_window(s);
    uint64_t from, to, first, last;
    bpk_sketch *part = NULL;
    bpk_err err;
    if (!bpk_window_covers(w, &from, &to)) {
        REQUIRE(bpk_window_merged(w, 0, UINT64_MAX, &part, NULL, NULL, &err) == BPK_E_ARG);
        return;
    }
    REQUIRE(from <= to && from % bpk_window_pane(w) == 0);
    REQUIRE(to - from < bpk_window_pane(w) || to - from - bpk_window_pane(w) < bpk_window_span(w));
    REQUIRE(from == 0 || to - from >= bpk_window_span(w));
    if (from) REQUIRE(bpk_window_merged(w, 0, from - 1, &part, NULL, NULL, &err) == BPK_E_ARG);
    if (to < UINT64_MAX) REQUIRE(bpk_window_merged(w, to + 1, UINT64_MAX, &part, NULL, NULL, &err) == BPK_E_ARG);
    for (uint64_t at = from, i = 0; i < 3; i++, at = i == 1 ? to : from + (to - from) / 2) {
        bpk_status st = bpk_window_merged(w, at, at, &part, &first, &last, &err);
        if (st != BPK_OK) fuzz_require_error(st, &err);
        if (st != BPK_OK) continue;
        REQUIRE(first <= at && at <= last && last <= to && first >= from);
        bpk_free(part);
        part = NULL;
    }
}

/* Items at times of all kinds: each is in or late, and time goes on only. What comes out, or NULL. */
static inline bpk_sketch *windows_move(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    if (!bpk_as_window(s) || bpk_copy(&copy, s, env) != BPK_OK) return NULL;
    bpk_window *w = (bpk_window *)(void *)copy;
    for (uint64_t i = 0; i < 12; i++) {
        uint64_t from = 0, to = 0, before = 0, late = bpk_window_late(w);
        (void)bpk_window_covers(w, &from, &before);
        uint64_t now = i % 3 == 0 ? before + i : i % 3 == 1 ? before - (before >> i % 13) : fuzz_mix(i) >> i * 5;
        bpk_items some = *it;
        size_t done = 0;
        some.n = (size_t)(i % 4) * it->n / 4;
        some.now = now;
        bpk_status st = bpk_add(copy, &some, NULL, &done);
        REQUIRE(st == BPK_OK ? done == some.n : st == BPK_E_FULL || st == BPK_E_LIMIT || st == BPK_E_ARG);
        REQUIRE(bpk_window_covers(w, &from, &to) && to == (now > before ? now : before));
        REQUIRE(bpk_window_late(w) - late == (now < from ? done : 0) || bpk_window_late(w) == UINT64_MAX);
        if (st != BPK_OK) break;
    }
    windows_check_times(copy);
    return copy;
}

#endif
