/* every.c - reads records into the buckets of their panes and groups.
 *
 * Everything is added in input order on one thread, while others cut and hash, so that no answer depends on how many
 * there are. What depends on the moment, which records are late and when memory is counted, goes by the number of
 * records read and never by batches.
 */
#define _GNU_SOURCE
#include "every.h"

#include "answer.h"
#include "buckets.h"
#include "cmd.h"
#include "domain.h"
#include "every_rows.h"
#include "gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_EACH = 4096 /* records; memory is counted so often */, RECENT = 1024, RECENT_SECONDS = 900 };

typedef struct every {
    const options *o;
    input *in;
    bpk_hasher hasher;
    bpk_sketch *like;
    buckets buckets;
    every_rows rows;
    pane recent[RECENT]; /* by the quarter of an hour; begin = end for none */
    int64_t now;         /* the latest time */
    int64_t over;        /* panes that end here or before are closed; only with --lateness */
    uint64_t records;    /* good ones */
    uint64_t late;
    input_report report;
    double start; /* of the clock */
} every;

bool every_asked(const options *o) {
    return o->every || o->lateness_given;
}

static int say_memory(const every *e, bpk_status st) {
    if (st != BPK_E_LIMIT) return say_status(NULL, st);
    return say(EXIT_LIMIT, NULL, "distinct: %zu panes%s need more than --mem allows (%" PRIu64 " bytes)%s",
               e->buckets.n, e->o->in.group.n ? " and groups" : "", e->o->mem,
               e->o->lateness_given ? "" : "; --lateness lets panes go that are over");
}

/* ---- panes that are over ---- */

/* Rows for all that ends at `end` or before. */
static int put_all(every *e, int64_t end) {
    bucket *list;
    size_t n;
    bpk_status st = buckets_take(&e->buckets, end, e->o->confidence, &list, &n);
    if (st != BPK_OK) return say_status(NULL, st);
    int code = every_rows_put(&e->rows, list, n, e->like);
    for (size_t i = 0; i < n; i++) bucket_free(&list[i]);
    free(list);
    return code;
}

static int put_over(every *e) {
    if (!e->o->lateness_given || e->records == 0) return 0;
    for (size_t i = 0; i < e->buckets.n; i++)
        if (e->buckets.at[i].when.end <= e->over) return put_all(e, e->over);
    return 0;
}

static int flush(void *ctx) {
    every *e = ctx;
    int code = put_over(e);
    return code ? code : every_rows_flush(&e->rows);
}

/* ---- records ---- */

/* Records need not come in order, and a calendar takes its time: panes are remembered. */
static pane pane_at(every *e, int64_t time) {
    pane *p = &e->recent[time / RECENT_SECONDS % RECENT];
    bool is = p->begin <= time && time < p->end;
    if (!is) *p = pane_of(e->o->every, &e->o->in.time_form.zone, time);
    return *p;
}

static bool is_late(every *e, pane when, int64_t time) {
    if (!e->o->lateness_given) return false;
    if (time > e->now || e->records == 0) {
        e->now = time;
        e->over = time - (int64_t)e->o->lateness;
    }
    return when.end <= e->over;
}

/* Whether record i goes to a bucket: where to, or NULL without memory. */
static bool sort_in(every *e, const batch *b, size_t i) {
    int64_t time = (int64_t)b->time[i];
    pane when = pane_at(e, time);
    if (is_late(e, when, time)) {
        e->late++;
        return true;
    }
    bucket *to = buckets_find(&e->buckets, when, b, i);
    if (to) buckets_sort_in(&e->buckets, to, i);
    return to != NULL;
}

static int check(every *e, const batch *b) {
    bpk_status st = buckets_add(&e->buckets, b->hash);
    int code = st == BPK_OK ? put_over(e) : say_memory(e, st);
    if (code) return code;
    st = buckets_fit(&e->buckets);
    return st == BPK_OK ? 0 : say_memory(e, st);
}

static int drain(void *ctx, const batch *b) {
    every *e = ctx;
    for (size_t i = 0; i < b->n; i++) {
        if (!sort_in(e, b, i)) return say_status(NULL, BPK_E_NOMEM);
        int code = ++e->records % CHECK_EACH == 0 ? check(e, b) : 0;
        if (code) return code;
    }
    bpk_status st = buckets_add(&e->buckets, b->hash);
    return st == BPK_OK ? 0 : say_memory(e, st);
}

/* ---- the run ---- */

/* As distinct -g: many sketches, each a quarter of the usual one, with twice its error. */
static int new_like(every *e) {
    const bpk_param defaults[] = {{"precision", "12"}};
    size_t n = e->o->in.group.n && !param_value(e->o, "error") ? 1 : 0;
    return sketch_new(&e->like, "hll", &e->hasher.domain, e->o, defaults, n, &e->o->env);
}

static int prepare(every *e) {
    const options *o = e->o;
    int code = input_open(&e->in, &o->in, &o->env);
    if (!code) code = no_sketches(e->in, "distinct --every");
    if (!code) code = hasher_make(&e->hasher, o, NULL, NULL);
    if (!code) code = new_like(e);
    e->buckets.like = e->like;
    e->buckets.env = &o->env;
    e->buckets.exact_limit = o->exact_limit < o->mem / 32 ? o->exact_limit : o->mem / 32; /* as tally_run() */
    return code;
}

static void note(const every *e) {
    const input_report *r = &e->report;
    char text[ZONE_TEXT_MAX];
    zone_text(text, &e->o->in.time_form.zone, e->now);
    if (e->late)
        say(0, NULL,
            "%" PRIu64 " of %" PRIu64 " records came later than --lateness allows and were left out (time is at %s)",
            e->late, r->records, text);
    if (e->o->verbose)
        say(0, NULL, "%" PRIu64 " records, %" PRIu64 " bytes, %.3f s, %u thread%s, exact up to %" PRIu64 " items",
            r->records, r->bytes, now_seconds() - e->start, e->o->in.threads, e->o->in.threads == 1 ? "" : "s",
            e->buckets.exact_limit);
}

static int count_all(every *e) {
    const consumer one = {.ctx = e, .drain = drain, .pause = flush};
    int code = every_rows_open(&e->rows, e->o);
    if (code) return code;
    code = input_run(e->in, &e->hasher, &one, &e->report);
    bpk_status st = code ? BPK_OK : buckets_fit(&e->buckets);
    if (st != BPK_OK) code = say_memory(e, st);
    if (!code) code = put_all(e, INT64_MAX);
    int closed = every_rows_close(&e->rows, code == 0, &e->report, e->late, now_seconds() - e->start);
    if (code || closed) return code ? code : closed;
    note(e);
    return e->late ? EXIT_BAD : exit_after(&e->report);
}

/* ---- options that say nothing together ---- */

static int check_options(const options *o) {
    if (o->lateness_given && !o->every) return say(EXIT_USAGE, NULL, "--lateness needs --every");
    if (o->window) return say(EXIT_USAGE, NULL, "--every and --window contradict each other");
    if (o->live > 0)
        return say(EXIT_USAGE, NULL, "--every and --live contradict each other; --lateness prints as it goes");
    if (o->every && !o->in.time.n) return say(EXIT_USAGE, NULL, "--every needs --time FIELD: when a record came");
    if (o->save && o->in.group.n)
        return say(EXIT_USAGE, NULL, "--save and --group contradict each other: a file a pane, not one a group");
    if (o->top || o->groups)
        return say(EXIT_USAGE, NULL, "--%s and --every contradict each other: all groups of a pane have rows",
                   o->top ? "top" : "groups");
    return o->save ? every_name_check(o) : 0;
}

int every_run(const options *o) {
    int code = check_options(o);
    if (code) return code;
    every *e = calloc(1, sizeof *e);
    if (!e) return say_status(NULL, BPK_E_NOMEM);
    e->o = o;
    e->start = now_seconds();
    code = prepare(e);
    if (!code) code = count_all(e);
    buckets_free(&e->buckets);
    every_rows_free(&e->rows);
    bpk_free(e->like);
    input_close(e->in);
    free(e);
    return code;
}
