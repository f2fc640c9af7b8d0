/* by_group.c - how many different items in each group? Of all groups, or of the largest in a table of bounded size.
 *
 * Items are added in input order, so that the number of threads has no say in who is kept.
 */
#define _GNU_SOURCE
#include "by_group.h"

#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "gather.h"

#include <inttypes.h>
#include <stdlib.h>

enum { GROUPS_USUAL = 10000 }; /* of --top */

typedef struct by_group {
    const options *o;
    output out;
    input *in;
    bpk_hasher hasher;
    bpk_groups *groups;
    json_t *rows;
    size_t shown, certain;
    double ceiling, start;
    input_report report;
} by_group;

/* ---- counting ---- */

/* Many sketches: each a quarter of the usual one, with twice its error. */
static int new_like(const by_group *g, bpk_sketch **out) {
    const bpk_param defaults[] = {{"precision", "12"}};
    size_t n = param_value(g->o, "error") ? 0 : 1;
    return sketch_new(out, "hll", &g->hasher.domain, g->o, defaults, n, &g->o->env);
}

static int new_groups(by_group *g) {
    const options *o = g->o;
    bpk_sketch *like;
    uint64_t most = o->groups ? o->groups : o->top ? GROUPS_USUAL : BPK_GROUPS_MAX;
    int code = new_like(g, &like);
    if (code) return code;
    if (o->top > most) most = o->top;
    bpk_err err = {.code = BPK_OK};
    bpk_status st =
        bpk_groups_new(&g->groups, like, most, o->top ? BPK_GROUPS_LARGEST : BPK_GROUPS_REFUSE, &o->env, &err);
    bpk_free(like);
    return st == BPK_OK ? 0 : say_status(NULL, st);
}

static int prepare(by_group *g) {
    int code = input_open(&g->in, &g->o->in, &g->o->env);
    if (!code) code = no_sketches(g->in, "distinct --group");
    if (!code) code = hasher_make(&g->hasher, g->o, NULL, NULL);
    return code ? code : new_groups(g);
}

static int drain(void *ctx, const batch *b) {
    by_group *g = ctx;
    bpk_items it = {
        .n = b->n, .hash = b->hash, .group = b->group, .group_name = b->group_name, .group_len = b->group_len};
    bpk_status st = bpk_groups_add(g->groups, &it, NULL);
    if (st == BPK_OK) return 0;
    if (st != BPK_E_FULL && st != BPK_E_LIMIT) return say_status(NULL, st);
    return say(EXIT_LIMIT, NULL,
               "distinct: more than %" PRIu64 " groups, which is all that %s allows; --top N keeps the largest",
               bpk_groups_kept(g->groups), st == BPK_E_FULL ? "--groups" : "--mem");
}

static int count_text(by_group *g) {
    consumer all = {.ctx = g, .drain = drain};
    return input_run(g->in, &g->hasher, &all, &g->report);
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
    set_report(j, &g->report, now_seconds() - g->start);
    g->rows = NULL;
    json_put(&g->out, j);
}

static int print(by_group *g) {
    const options *o = g->o;
    bpk_err err = {.code = BPK_OK};
    g->rows = o->json ? json_array() : NULL;
    int code = answer_open(&g->out, o);
    if (code) return code;
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
    if (!o->quiet && o->top && !o->json && g->ceiling > 0)
        say(0, NULL,
            "distinct: no group without a row has more than %.0f (%.6g %%); %zu of %zu rows belong there for certain",
            g->ceiling, 100 * o->confidence, g->certain, g->shown);
    if (o->verbose)
        say(0, NULL, "%" PRIu64 " records, %" PRIu64 " bytes, %.3f s, %" PRIu64 " groups, %zu bytes of memory",
            g->report.records, g->report.bytes, now_seconds() - g->start, bpk_groups_kept(g->groups),
            bpk_groups_memory(g->groups));
}

static int count_and_say(by_group *g) {
    g->start = now_seconds();
    int code = prepare(g);
    if (!code) code = count_text(g);
    if (!code) code = print(g);
    if (code) return code;
    note(g);
    return exit_after(&g->report);
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
