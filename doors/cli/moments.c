/* moments.c - a batch goes to a sketch in runs of records that come at one time.
 *
 * A record that is older than one before it belongs to the same run where a filter rotates: it takes late items as of
 * its own time. Where counts decay, a late record has its own time and weighs what is left of it. In a window of panes
 * the records of one pane are alike, whatever their order: they come at the latest of their times.
 */
#define _GNU_SOURCE
#include "moments.h"

#include "answer.h"
#include "cmd.h"

#include <inttypes.h>
#include <time.h>

uint64_t clock_seconds(void) {
    time_t t = time(NULL);
    return t > 0 ? (uint64_t)t : 0;
}

/* A field that is a whole number. */
static uint64_t field_of(const bpk_sketch *s, const char *name) {
    double v;
    return sketch_number(s, name, &v) && v > 0 ? (uint64_t)v : 0;
}

static uint64_t window_now(const moments *m) {
    return m->by_time ? bpk_bloom_span(m->ring) : bpk_bloom_window(m->ring);
}

static int no_time(const options *o, const char *file) {
    bool counts = o->verb->bit == V_TOP;
    if (file && counts)
        return say(EXIT_SKETCH, file, "does not fit: it has no window and no half-life, and --time asks for one");
    if (file) return say(EXIT_SKETCH, file, "does not fit: it has no window of time, and --time asks for one");
    return say(EXIT_USAGE, NULL, "%s: --time needs a %s, such as 24h", o->verb->name,
               counts                       ? "--window or a --half-life"
               : o->verb->bit == V_BUILD    ? "--window of time or a --half-life"
               : o->verb->bit == V_DISTINCT ? "--window or --every"
                                            : "--window of time");
}

int moments_start(moments *m, const options *o, const bpk_sketch *s, const char *file) {
    const bpk_bloom *b = bpk_as_bloom(s);
    const bpk_window *w = bpk_as_window(s);
    uint64_t span = b || w ? field_of(s, "span") : field_of(s, "half_life");
    *m = (moments){.o = o, .pane = 1, .by_time = span > 0, .now = field_of(s, "now")};
    if (w) m->pane = bpk_window_pane(w);
    if (w) m->late_before = bpk_window_late(w);
    if (b && field_of(s, "generations")) m->ring = b;
    m->asked = m->by_time ? span : field_of(s, "planned_items");
    m->least = m->ring ? window_now(m) : m->asked;
    if (o->in.time.n && !m->by_time) return no_time(o, file);
    uint64_t clock = clock_seconds();
    if (m->by_time && !o->in.time.n && clock < m->now && !o->quiet)
        say(0, file, "the clock is %" PRIu64 " s behind its time, which stands still until then", m->now - clock);
    return 0;
}

/* Of what has an own time for each record: those of one pane, or of one second. */
static size_t run_of_pane(const moments *m, const batch *b, size_t from, uint64_t *now) {
    size_t to = from;
    uint64_t pane = b->time[from] / m->pane;
    *now = b->time[from];
    for (; to < b->n && b->time[to] / m->pane == pane; to++)
        if (b->time[to] > *now) *now = b->time[to];
    return to;
}

size_t moments_run(moments *m, const batch *b, size_t from, uint64_t *now) {
    size_t to = from;
    *now = m->now;
    if (!m->by_time) return b->n;
    if (!b->time) {
        uint64_t clock = clock_seconds();
        *now = clock > m->now ? clock : m->now;
        return b->n;
    }
    if (!m->ring) return run_of_pane(m, b, from, now);
    if (b->time[from] > *now) *now = b->time[from];
    for (; to < b->n && b->time[to] <= *now; to++) m->late += *now - b->time[to] > m->asked;
    return to;
}

static void forward(moments *m, uint64_t now) {
    m->leaps += m->ring && m->begun && m->by_time && (now - m->now) / 2 >= m->asked;
    m->begun = true;
    m->now = now > m->now ? now : m->now;
}

bpk_status moments_add(moments *m, bpk_sketch *s, const batch *b, size_t from, uint8_t *changed, size_t *done) {
    bpk_status st = BPK_OK;
    size_t at = from;
    while (at < b->n && st == BPK_OK) {
        uint64_t now;
        size_t to = moments_run(m, b, at, &now), some = to - at;
        bpk_items it = {.n = some, .hash = b->hash + at, .item = b->item + at, .len = b->len + at, .now = now};
        if (b->weight) it.weight = b->weight + at;
        forward(m, now);
        st = bpk_add(s, &it, changed ? changed + (at - from) : NULL, &some);
        at += st == BPK_OK ? to - at : some;
        uint64_t window = m->ring ? window_now(m) : m->least;
        m->least = window < m->least ? window : m->least;
    }
    *done = at - from;
    return st;
}

void moments_catch_up(moments *m, bpk_sketch *s) {
    const bpk_window *w = bpk_as_window(s);
    if (m->by_time && !m->ring && !m->o->in.time.n) bpk_advance(s, clock_seconds());
    if (w) m->late = bpk_window_late(w) - m->late_before;
}

void moments_note(const moments *m) {
    const char *unit = m->by_time ? "s" : "items", *name = m->o->verb->name;
    if (m->o->quiet || !m->ring) return;
    if (m->least < m->asked)
        say(0, NULL, "%s: the window was shorter than asked for, %" PRIu64 " of %" PRIu64 " %s: %s", name, m->least,
            m->asked, unit,
            m->by_time ? "more items came than --capacity plans" : "items crowd, as if they were chosen");
    if (m->late)
        say(0, NULL, "%s: records older than the window, taken as if they had just come: %" PRIu64, name, m->late);
    if (m->leaps)
        say(0, NULL, "%s: times that time went forward by two windows or more, and all before was forgotten: %" PRIu64,
            name, m->leaps);
}

void moments_json(const moments *m, json_t *object) {
    if (!m->ring) return;
    json_object_set_new(object, "window", number_json((double)m->asked, BPK_UNIT_NONE));
    json_object_set_new(object, "window_effective", number_json((double)m->least, BPK_UNIT_NONE));
    json_object_set_new(object, "window_unit", json_string(m->by_time ? "seconds" : "items"));
}
