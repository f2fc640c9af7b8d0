/* by_group.c - how many different items in each group? Of all groups, or of the largest in a table of bounded size.
 *
 * Items are added in input order, so that the number of threads has no say in who is kept. With --window each group has
 * a window; the table forgets whenever a pane is over.
 */
#define _GNU_SOURCE
#include "by_group.h"

#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "gather.h"
#include "live.h"
#include "recent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS_USUAL = 10000 /* of --top */, PANES_USUAL = 12 };

typedef struct by_group {
    const options *o;
    output out;
    input *in;
    bpk_hasher hasher;
    bpk_groups *groups;
    json_t *rows;
    size_t shown, certain;
    moments when;
    coverage covers; /* with --window, span 0 without: that of all groups */
    live live;
    double ceiling, start;
    input_report report;
} by_group;

/* ---- counting ---- */

/* Many sketches: each a quarter of the usual one, with twice its error. */
static int new_like(const by_group *g, bpk_sketch **out) {
    char panes[24];
    const options *o = g->o;
    snprintf(panes, sizeof panes, "%" PRIu64, o->window_span < PANES_USUAL ? o->window_span : PANES_USUAL);
    bpk_param defaults[2];
    size_t n = 0;
    if (!param_value(o, "error")) defaults[n++] = (bpk_param){"precision", "12"};
    if (o->window) defaults[n++] = (bpk_param){"panes", panes};
    return sketch_new(out, "hll", &g->hasher.domain, o, defaults, n, &o->env);
}

/* What the run needs to know of the window that each group gets. */
static int start_moments(by_group *g, const bpk_sketch *like) {
    const bpk_window *w = bpk_as_window(like);
    if (w) g->covers = coverage_of(like, 0);
    return moments_start(&g->when, g->o, like, NULL);
}

static int new_groups(by_group *g) {
    const options *o = g->o;
    bpk_sketch *like;
    uint64_t most = o->groups ? o->groups : o->top ? GROUPS_USUAL : BPK_GROUPS_MAX;
    int code = new_like(g, &like);
    if (code) return code;
    if (o->top > most) most = o->top;
    bpk_groups_full full = o->top ? BPK_GROUPS_LARGEST : BPK_GROUPS_REFUSE;
    code = start_moments(g, like);
    bpk_status st = code ? BPK_OK : bpk_groups_new(&g->groups, like, most, full, &o->env, NULL);
    bpk_free(like);
    return st == BPK_OK ? code : say_status(NULL, st);
}

static int prepare(by_group *g) {
    int code = input_open(&g->in, &g->o->in, &g->o->env);
    if (!code) code = no_sketches(g->in, "distinct --group");
    if (!code) code = check_times_of_files(g->o);
    if (!code) code = hasher_make(&g->hasher, g->o, NULL, NULL);
    return code ? code : new_groups(g);
}

static int say_full(const by_group *g, bpk_status st) {
    if (st != BPK_E_FULL && st != BPK_E_LIMIT) return say_status(NULL, st);
    return say(EXIT_LIMIT, NULL,
               "distinct: more than %" PRIu64 " groups, which is all that %s allows; --top N keeps the largest",
               bpk_groups_kept(g->groups), st == BPK_E_FULL ? "--groups" : "--mem");
}

/* The table goes on to `now`, and forgets where that is in another pane. */
static bpk_status go_on(by_group *g, uint64_t now) {
    coverage *c = &g->covers;
    bool over = c->timed && now / c->pane > c->to / c->pane;
    if (!c->timed || now > c->to) coverage_at(c, now);
    return over ? bpk_groups_advance(g->groups, now) : BPK_OK;
}

/* Adds n records from `from` on, which come at one time. */
static bpk_status add_run(by_group *g, const batch *b, size_t from, size_t n, uint64_t now) {
    bpk_status st = g->covers.span ? go_on(g, now) : BPK_OK;
    if (st != BPK_OK) return st;
    if (g->covers.span && now < g->covers.from) {
        g->covers.late += n;
        return BPK_OK;
    }
    bpk_items it = {.n = n,
                    .hash = b->hash + from,
                    .group = b->group + from,
                    .group_name = b->group_name + from,
                    .group_len = b->group_len + from,
                    .now = now};
    return bpk_groups_add(g->groups, &it, NULL);
}

static int drain(void *ctx, const batch *b) {
    by_group *g = ctx;
    uint64_t now;
    for (size_t at = 0, to; at < b->n; at = to) {
        to = moments_run(&g->when, b, at, &now);
        bpk_status st = add_run(g, b, at, to - at, now);
        if (st != BPK_OK) return say_full(g, st);
    }
    return 0;
}

/* All groups to one time: the latest, or now. */
static int catch_up(by_group *g) {
    uint64_t clock = clock_seconds();
    coverage *c = &g->covers;
    if (!c->span) return 0;
    if (!g->o->in.time.n && (!c->timed || clock > c->to)) coverage_at(c, clock);
    bpk_status st = c->timed ? bpk_groups_advance(g->groups, c->to) : BPK_OK;
    return st == BPK_OK ? 0 : say_status(NULL, st);
}

static int idle(void *ctx) {
    by_group *g = ctx;
    return live_tick(&g->live);
}

static int count_text(by_group *g) {
    consumer all = {.ctx = g, .drain = drain, .idle = live_on(&g->live) ? idle : NULL};
    int code = live_read(&g->live, input_run(g->in, &g->hasher, &all, &g->report));
    return code ? code : catch_up(g);
}

/* ---- rows ---- */

static void put_json(by_group *g, const bpk_row *row, const bpk_estimate *e) {
    json_t *j = json_object();
    set_key(j, row->key, row->len);
    set_limits(j, e, BPK_UNIT_ITEMS);
    json_object_set_new(j, "certain", json_boolean(row->certain));
    json_array_append_new(g->rows, j);
}

static void put_csv(by_group *g, const bpk_row *row, const bpk_estimate *e) {
    csv_key(&g->out, row->key, row->len);
    output_text(&g->out, ",%.0f,%.0f,%.0f,%s\n", e->estimate, e->lower, e->upper, row->certain ? "true" : "false");
}

static void put_plain(by_group *g, const bpk_row *row, const bpk_estimate *e) {
    const char *certain = row->certain ? "certain" : "possible";
    output_text(&g->out, "%.0f\t", e->estimate);
    if (g->o->ci) output_text(&g->out, "%.0f\t%.0f\t%s\t", e->lower, e->upper, certain);
    output_record(&g->out, g->o, row->key, row->len);
}

static bool put_row(void *ctx, const bpk_row *row) {
    by_group *g = ctx;
    bpk_estimate e = whole(&row->count);
    g->shown++;
    g->certain += row->certain;
    if (g->rows) put_json(g, row, &e);
    else if (g->o->csv) put_csv(g, row, &e);
    else put_plain(g, row, &e);
    return true;
}

static void put_object(by_group *g) {
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string("hll"));
    json_object_set_new(j, "rows", g->rows);
    json_object_set_new(j, "ceiling", number_json(g->ceiling, BPK_UNIT_ITEMS));
    json_object_set_new(j, "confidence", json_real(g->o->confidence));
    json_object_set_new(j, "groups", json_integer((json_int_t)bpk_groups_kept(g->groups)));
    json_object_set_new(j, "complete", json_boolean(bpk_groups_complete(g->groups)));
    if (g->covers.span) coverage_json(j, g->o, &g->covers);
    live_json(&g->live, j);
    set_report(j, &g->report, now_seconds() - g->start);
    g->rows = NULL;
    json_put(&g->out, j);
}

static int print(by_group *g) {
    const options *o = g->o;
    bpk_err err = {.code = BPK_OK};
    g->shown = g->certain = 0;
    g->rows = o->json ? json_array() : NULL;
    int code = answer_open(&g->out, o);
    if (code) return code;
    live_head(&g->live, &g->report, g->covers.span ? &g->covers : NULL);
    if (o->csv) output_text(&g->out, "key,estimate,lower,upper,certain\n");
    size_t most = o->top ? (size_t)o->top : SIZE_MAX;
    bpk_status st = bpk_groups_rows(g->groups, most, o->confidence, put_row, g, &g->ceiling, &err);
    if (st == BPK_OK && o->json) put_object(g);
    int closed = output_close(&g->out, st == BPK_OK);
    return st == BPK_OK ? closed : say_status(NULL, st);
}

/* What the rows leave out is said. */
static void note(const by_group *g) {
    const options *o = g->o;
    if (g->covers.span) coverage_note(o, &g->covers);
    if (!o->quiet && o->top && !o->json && g->ceiling > 0)
        say(0, NULL,
            "distinct: no group without a row has more than %.0f (%.6g %%); %zu of %zu rows belong there for certain",
            g->ceiling, 100 * o->confidence, g->certain, g->shown);
    if (o->verbose)
        say(0, NULL, "%" PRIu64 " records, %" PRIu64 " bytes, %.3f s, %" PRIu64 " groups, %zu bytes of memory",
            g->report.records, g->report.bytes, now_seconds() - g->start, bpk_groups_kept(g->groups),
            bpk_groups_memory(g->groups));
}

/* While records still come. */
static int answer_now(void *ctx) {
    by_group *g = ctx;
    int code = catch_up(g);
    return code ? code : print(g);
}

static int count_and_say(by_group *g) {
    g->start = now_seconds();
    live_begin(&g->live, g->o, answer_now, g);
    int code = prepare(g);
    if (!code) code = count_text(g);
    live_end(&g->live);
    if (!code) code = print(g);
    if (code) return code;
    note(g);
    return live_exit(&g->live, exit_after(&g->report));
}

int distinct_by_group(const options *o) {
    if (o->save) return say(EXIT_USAGE, NULL, "--group has an answer for each group, and --save takes one sketch");
    if (o->exact_given)
        return say(EXIT_USAGE, NULL, "--group counts by sketches from the first record: --exact-limit has no say");
    by_group *g = calloc(1, sizeof *g);
    if (!g) return say_status(NULL, BPK_E_NOMEM);
    g->o = o;
    int code = count_and_say(g);
    json_decref(g->rows);
    bpk_groups_free(g->groups);
    input_close(g->in);
    free(g);
    return code;
}
