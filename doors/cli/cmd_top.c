/* cmd_top.c - ballpark top [FILE]...: which items come most often? Exact while there are few different ones, then with
 * certain limits.
 *
 * Sketches among the inputs and the text, as one sketch, are united at once, so that no order has a say.
 */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "counts.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "live.h"
#include "recent.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND "topk"

enum { ROWS_USUAL = 10, ROWS_OF_THRESHOLD = 1000 };

typedef struct top {
    const options *o;
    output out;
    input *in;
    const found_sketch *found;
    size_t n_found;
    bpk_hasher hasher;
    counts text;
    bpk_sketch *sum;  /* of everything; NULL without sketches among the inputs */
    bpk_sketch *view; /* of all panes, where that is a window; NULL otherwise */
    live live;
    coverage covers; /* with a view */
    double start;    /* of the clock */
    /* the answer */
    double total;
    uint64_t threshold; /* rows reach it; 0: none asked for */
    size_t most;        /* rows */
    bool decays;        /* counts have fractions */
    bool complete;      /* with a threshold: no item without a row reaches it */
    double ceiling;     /* no item without a row comes more often */
    json_t *rows;
    double *upper; /* of the rows shown */
    size_t shown, room, certain, unnamed, cut, stuck, rounded;
} top;

/* ---- counting ---- */

static bool no_row(void *ctx, const bpk_row *row) {
    (void)ctx, (void)row;
    return false;
}

static bool has_threshold(const options *o) {
    return o->min_share > 0 || o->min_count;
}

/* How many rows a new sketch is planned for: no more than 1 / share items can have a share. */
static uint64_t planned_rows(const options *o) {
    double rows = (double)o->rows;
    if (!o->rows && o->min_share > 0) rows = ceil(1 / o->min_share);
    else if (!o->rows && o->min_count) rows = ROWS_OF_THRESHOLD;
    return (uint64_t)fmin(fmax(rows, ROWS_USUAL), ROWS_MAX);
}

static int new_sketch(top *t) {
    char rows[24];
    snprintf(rows, sizeof rows, "%" PRIu64, planned_rows(t->o));
    const bpk_param defaults[] = {{"k", rows}};
    return sketch_new(&t->text.sketch, KIND, &t->hasher.domain, t->o, defaults, 1, &t->o->env);
}

static bool is_topk(const bpk_sketch *s) {
    return bpk_as_topk(s) || (bpk_as_window(s) && bpk_window_of(bpk_as_window(s)) == BPK_KIND_TOPK);
}

static int say_no_top(const bpk_sketch *s, const char *file) {
    char kind[KIND_TEXT_MAX];
    whole_kind(kind, s);
    return say(EXIT_SKETCH, file, "a sketch of kind %s does not answer top", kind);
}

/* The sketches among the inputs rule hash and shape. */
static int prepare_found(top *t) {
    const options *o = t->o;
    const char *file = t->found[0].file;
    bpk_err err = {.code = BPK_OK};
    int code = input_has_text(t->in) ? 0 : no_record_options(o, file);
    if (!code) code = unite(&t->sum, t->found, t->n_found, &o->env);
    bool window = !code && bpk_as_window(t->sum);
    if (!code && !window && bpk_rows(t->sum, 1, no_row, NULL, &err) != BPK_OK) code = say_err(file, &err);
    if (!code && !is_topk(t->sum)) /* it may have rows, but none for what comes most often */
        code = say_no_top(t->sum, file);
    if (!code) code = params_fit(o, t->sum, file);
    if (!code && (input_has_text(t->in) || o->seed_given || o->as || o->key_file))
        code = hasher_make(&t->hasher, o, t->sum, file);
    if (code) return code;
    bpk_status st = bpk_twin(&t->text.sketch, t->sum, &o->env);
    return st == BPK_OK ? 0 : say_status(file, st);
}

static int prepare(top *t) {
    int code = input_open(&t->in, &t->o->in, &t->o->env);
    if (code) return code;
    t->found = input_sketches(t->in, &t->n_found);
    code = input_has_text(t->in) ? check_times_of_files(t->o) : 0;
    if (code) return code;
    if (t->n_found) return prepare_found(t);
    code = hasher_make(&t->hasher, t->o, NULL, NULL);
    return code ? code : new_sketch(t);
}

static int join_found(top *t) {
    found_sketch *all = malloc((t->n_found + 1) * sizeof *all);
    if (!all) return say_status(NULL, BPK_E_NOMEM);
    memcpy(all, t->found, t->n_found * sizeof *all);
    all[t->n_found] = (found_sketch){"the text", t->text.sketch};
    bpk_free(t->sum);
    t->sum = NULL;
    int code = unite(&t->sum, all, t->n_found + 1, &t->o->env);
    free(all);
    return code;
}

static int count_text(top *t) {
    const consumer nobody = {0};
    if (t->sum && !input_has_text(t->in))
        return input_run(t->in, &t->hasher, &nobody, &t->text.report); /* counts what could not be read */
    int code =
        counts_run(&t->text, t->in, &t->hasher, t->sum ? 0 : t->o->exact_limit, t->o, t->sum ? t->found[0].file : NULL);
    return !code && t->sum ? join_found(t) : code;
}

/* ---- rows ---- */

/* What is saved. */
static bpk_sketch *whole_of(const top *t) {
    return t->sum ? t->sum : t->text.sketch;
}

/* What is asked. */
static const bpk_sketch *sketch_of(const top *t) {
    return t->view ? t->view : whole_of(t);
}

/* Not a number where the row's counter is at its end: the share may be anything above. */
static double share_of(const top *t, const bpk_row *row) {
    if (row->count.flags & BPK_SATURATED) return NAN;
    return t->total > 0 ? row->count.estimate / t->total : 0;
}

static void share_text(char text[24], const top *t, const bpk_row *row) {
    double share = share_of(t, row);
    if (isnan(share)) text[0] = 0;
    else snprintf(text, 24, "%.6g", share);
}

static void put_json(top *t, const bpk_row *row) {
    json_t *j = json_object();
    bpk_estimate e = whole_or_decayed(&row->count, t->decays);
    set_key(j, row->key, row->len);
    set_limits(j, &e, BPK_UNIT_ITEMS);
    double share = share_of(t, row);
    json_object_set_new(j, "share", isnan(share) ? json_null() : json_real(share));
    json_object_set_new(j, "certain", json_boolean(row->certain));
    json_array_append_new(t->rows, j);
}

static void put_csv(top *t, const bpk_row *row) {
    bpk_estimate e = whole_or_decayed(&row->count, t->decays);
    char share[24];
    share_text(share, t, row);
    csv_key(&t->out, row->key, row->len);
    char point[COUNT_TEXT_MAX], low[COUNT_TEXT_MAX], high[COUNT_TEXT_MAX];
    output_text(&t->out, ",%s,%s,%s,%s,%s\n", weight_text(point, e.estimate), weight_text(low, e.lower),
                weight_text(high, e.upper), share, row->certain ? "true" : "false");
}

/* The key comes last: it may hold anything but the terminator. */
static void put_plain(top *t, const bpk_row *row) {
    bpk_estimate e = whole_or_decayed(&row->count, t->decays);
    char share[24];
    share_text(share, t, row);
    char point[COUNT_TEXT_MAX], low[COUNT_TEXT_MAX], high[COUNT_TEXT_MAX];
    output_text(&t->out, "%s\t", weight_text(point, e.estimate));
    if (t->o->ci)
        output_text(&t->out, "%s\t%s\t%s\t%s\t", weight_text(low, e.lower), weight_text(high, e.upper), share,
                    row->certain ? "certain" : "possible");
    static const char nameless[] = "(no name)";
    if (row->key) output_record(&t->out, t->o, row->key, row->len);
    else output_record(&t->out, t->o, nameless, sizeof nameless - 1);
}

/* Room for one more upper limit. */
static bool room_for_row(top *t) {
    if (t->shown < t->room) return true;
    size_t room = t->room ? 2 * t->room : 64;
    double *upper = realloc(t->upper, room * sizeof *upper);
    if (!upper) return false;
    t->upper = upper;
    t->room = room;
    return true;
}

/* Shows a row, or ends the walk at the first one that is not to be shown. Rows come by count. Of weights with fractions
 * the sketch was asked which are above the whole number before the threshold. */
static bool put_row(void *ctx, const bpk_row *given) {
    top *t = ctx;
    bpk_row copy = *given, *row = &copy;
    if (t->decays && t->threshold) row->certain = row->count.lower >= (double)t->threshold;
    bool low = row->count.upper < (double)t->threshold, enough = t->shown == t->most || (low && t->text.exact);
    if (enough || low) t->ceiling = fmax(t->ceiling, row->count.upper);
    if (low && !enough) return true; /* the next one may have an upper limit that is higher */
    if (enough || !room_for_row(t)) return false;
    if (t->o->guaranteed && !row->certain) return true;
    t->upper[t->shown++] = row->count.upper;
    t->certain += row->certain;
    t->unnamed += !row->key;
    t->stuck += (row->count.flags & BPK_SATURATED) != 0;
    t->rounded += !(row->count.flags & BPK_EXACT);
    t->cut += row->len >= BPK_TOPK_KEY_MAX && !t->text.exact;
    if (t->rows) put_json(t, row);
    else if (t->o->csv) put_csv(t, row);
    else put_plain(t, row);
    return true;
}

static size_t one_more(size_t n) {
    return n < SIZE_MAX ? n + 1 : n;
}

/* Walks over the rows of a map or a sketch. Only a threshold looks behind the rows that a sketch is asked for: what may
 * reach it need not be among those with the largest estimates. */
static int walk(top *t) {
    bpk_err err = {.code = BPK_OK};
    bpk_status st;
    const bpk_topk *watched = t->text.exact ? NULL : bpk_as_topk(sketch_of(t));
    t->complete = true;
    if (t->text.exact) st = bpk_tally_rows(t->text.exact, one_more(t->most), put_row, t);
    else if (t->threshold && watched) st = bpk_topk_above(watched, t->threshold - 1, put_row, t, &t->complete);
    else st = bpk_rows(sketch_of(t), t->most, put_row, t, &err);
    double ceiling;
    if (t->decays && t->threshold && sketch_number(sketch_of(t), "ceiling", &ceiling))
        t->complete = ceiling < (double)t->threshold;
    if (st == BPK_OK) return 0;
    return err.code ? say_err(KIND, &err) : say_status(KIND, st);
}

/* ---- what no row shows ---- */

typedef struct numbers {
    double *at;
    size_t n, room;
} numbers;

static bool keep_upper(void *ctx, const bpk_row *row) {
    numbers *u = ctx;
    if (u->n == u->room) {
        size_t room = u->room ? 2 * u->room : 1024;
        double *at = realloc(u->at, room * sizeof *at);
        if (!at) return false;
        u->at = at;
        u->room = room;
    }
    u->at[u->n++] = row->count.upper;
    return true;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The largest of all that is not among the shown; both are lists with repeats. */
static double largest_rest(numbers *all, double *shown, size_t n_shown) {
    if (all->n) qsort(all->at, all->n, sizeof *all->at, descending);
    if (n_shown) qsort(shown, n_shown, sizeof *shown, descending);
    size_t i = 0;
    while (i < all->n && i < n_shown && all->at[i] == shown[i]) i++;
    return i < all->n ? all->at[i] : 0;
}

/* An item without a row is one that the sketch does not watch, or one that it watches and that is not shown. */
static int find_ceiling(top *t) {
    if (t->text.exact) return 0;
    numbers all = {NULL, 0, 0};
    bool complete;
    const bpk_topk *watched = bpk_as_topk(sketch_of(t));
    bpk_status st = watched ? bpk_topk_above(watched, 0, keep_upper, &all, &complete) : BPK_OK;
    if (!sketch_number(sketch_of(t), "ceiling", &t->ceiling)) t->ceiling = no_limit;
    t->ceiling = fmax(t->ceiling, largest_rest(&all, t->upper, t->shown));
    free(all.at);
    return st == BPK_OK ? 0 : say_status(KIND, st);
}

/* ---- saying it ---- */

static void put_object(top *t) {
    bool exact = t->text.exact && !t->rounded; /* a double does not hold every count */
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(t->text.exact ? "exact" : bpk_kind_name(sketch_of(t))));
    json_object_set_new(j, "exact", json_boolean(exact));
    json_object_set_new(j, "rows", t->rows);
    json_object_set_new(j, "total", number_json(t->total, BPK_UNIT_ITEMS));
    json_object_set_new(j, "ceiling", number_json(t->ceiling, BPK_UNIT_ITEMS));
    json_object_set_new(j, "confidence", json_real(1));
    if (t->view) coverage_json(j, t->o, &t->covers);
    live_json(&t->live, j);
    set_report(j, &t->text.report, now_seconds() - t->start);
    t->rows = NULL;
    json_put(&t->out, j);
}

/* A list that is shorter or less sure than was asked for is never given silently: only --quiet keeps this back. */
static void note_limits(const top *t) {
    double rows;
    const options *o = t->o;
    bool exact = t->text.exact;
    if (!t->complete)
        say(0, NULL, "top: the list may be incomplete: the sketch cannot exclude that other items reach %" PRIu64,
            t->threshold);
    if (!exact && !t->threshold && sketch_number(sketch_of(t), "k", &rows) && rows < (double)t->most &&
        (double)t->shown >= rows)
        say(0, NULL, "top: the sketch answers for %.0f rows, not for %zu", rows, t->most);
    if (!exact && t->shown && !t->certain && !o->ci && !o->json && !o->csv)
        say(0, NULL, "top: no row is certain: nothing stands out, and the counts are loose; --ci shows limits");
    if (t->stuck) say(0, NULL, "top: %zu rows come at least so often: their counters are at their end", t->stuck);
    if (t->unnamed) say(0, NULL, "top: the keys of %zu rows are not known", t->unnamed);
    if (t->cut) say(0, NULL, "top: keys are kept up to %d bytes, and %zu are as long", BPK_TOPK_KEY_MAX, t->cut);
}

static void note(const top *t) {
    const options *o = t->o;
    const input_report *r = &t->text.report;
    bool exact = t->text.exact;
    if (!o->quiet) note_limits(t);
    if (!o->quiet && !o->ci && isatty(2) && exact) fprintf(stderr, "exact\n");
    if (!o->quiet && !o->ci && isatty(2) && !exact)
        fprintf(stderr, "%zu of %zu rows are certain; --ci shows limits\n", t->certain, t->shown);
    if (t->view) coverage_note(o, &t->covers);
    if (!o->verbose) return;
    say(0, NULL, "%" PRIu64 " records, %" PRIu64 " bytes, %.3f s, %u thread%s, method %s", r->records, r->bytes,
        now_seconds() - t->start, o->in.threads, o->in.threads == 1 ? "" : "s",
        exact ? "exact" : bpk_kind_name(sketch_of(t)));
}

static int look_at_window(top *t) {
    bpk_free(t->view);
    t->view = NULL;
    t->covers = coverage_of(whole_of(t), t->text.when.late);
    return window_view(&t->view, whole_of(t), t->n_found ? t->found[0].file : NULL);
}

/* What the options ask for, now that the total is known. */
static int settle(top *t) {
    const options *o = t->o;
    bpk_err err;
    bpk_estimate all;
    int code = bpk_as_window(whole_of(t)) ? look_at_window(t) : 0;
    if (code) return code;
    t->decays = !t->text.exact && sketch_decays(sketch_of(t));
    t->total = t->text.exact ? (double)bpk_tally_total(t->text.exact) : 0;
    if (!t->text.exact && bpk_count(sketch_of(t), NULL, 0, 0, &all, &err) != BPK_OK) return say_err(KIND, &err);
    if (!t->text.exact) t->total = all.estimate;
    t->threshold = o->min_count;
    double asked = ceil(o->min_share * t->total * (1 - 1e-12));
    if (asked > (double)t->threshold) t->threshold = (uint64_t)fmin(asked, 9e18);
    t->most = o->rows ? (size_t)o->rows : has_threshold(o) ? SIZE_MAX : ROWS_USUAL;
    return 0;
}

static int print(top *t) {
    const options *o = t->o;
    t->shown = t->certain = t->unnamed = t->cut = t->stuck = t->rounded = 0;
    t->ceiling = 0;
    t->rows = o->json ? json_array() : NULL;
    int code = answer_open(&t->out, o);
    if (code) return code;
    live_head(&t->live, &t->text.report, t->view ? &t->covers : NULL);
    if (o->csv) output_text(&t->out, "key,estimate,lower,upper,share,certain\n");
    code = walk(t);
    if (!code && o->json) code = find_ceiling(t);
    if (!code && o->json) put_object(t);
    int closed = output_close(&t->out, !code);
    return code ? code : closed;
}

/* An exact answer is saved as a sketch too. */
static int save(top *t) {
    int code = counts_spill(&t->text);
    if (code) return code;
    bpk_sketch *s = whole_of(t);
    code = sketch_save(t->o, s, t->o->save);
    say_health(t->o, t->o->save, s);
    return code;
}

/* While records still come. */
static int answer_now(void *ctx) {
    top *t = ctx;
    if (!t->text.exact) moments_catch_up(&t->text.when, t->text.sketch);
    int code = t->sum ? join_found(t) : 0;
    if (!code) code = settle(t);
    return code ? code : print(t);
}

static int count_and_say(top *t) {
    t->start = now_seconds();
    live_begin(&t->live, t->o, answer_now, t);
    t->text.live = &t->live;
    int code = prepare(t);
    if (!code) code = count_text(t);
    if (!code) code = settle(t);
    if (code) return code;
    live_end(&t->live);
    code = print(t);
    if (!code) note(t);
    int saved = t->o->save ? save(t) : 0;
    if (code || saved) return code ? code : saved;
    return live_exit(&t->live, exit_after(&t->text.report));
}

static int run(const options *o) {
    const char *of_save = option_of_saving(o);
    if (of_save && !o->save) return say(EXIT_USAGE, NULL, "--%s needs --save", of_save);
    if (o->ci_given) return say(EXIT_USAGE, NULL, "--ci of top takes no percentage: its limits hold always");
    int code = o->save ? sketch_target(o, o->save) : 0;
    if (code) return code;
    top *t = calloc(1, sizeof *t);
    if (!t) return say_status(NULL, BPK_E_NOMEM);
    t->o = o;
    code = count_and_say(t);
    json_decref(t->rows);
    free(t->upper);
    bpk_free(t->sum);
    bpk_free(t->view);
    counts_free(&t->text);
    input_close(t->in);
    free(t);
    return code;
}

const verb verb_top = {
    .name = "top",
    .bit = V_TOP,
    .operands = "[FILE]...",
    .reads_records = true,
    .run = run,
    .about = "which records or fields come most often? Exact while few are different, then with limits.",
    .examples = "  ballpark top -f 1 access.log                       # in place of sort | uniq -c | sort -rn | head\n"
                "  ballpark top -n 20 -f path --format log access.log # by the names of an access log's fields\n"
                "  ballpark top -f ip -w bytes --format log --ci log  # who gets most bytes, with limits\n"
                "  ballpark top --min-share 1% -f 1 access.log        # whoever may have 1 % or more\n"
                "  ballpark top -f 1 --save mon.bpk mon.log           # the sketch too, a few kilobytes\n"
                "  ballpark top mon.bpk tue.bpk wed.log.gz            # of all three days together\n"
                "  ballpark top -f ip --format log --time time --half-life 10m access.log # as of the last record\n"
                "  ballpark top -f ip --format log --time time --window 1h access.log # of its last hour\n",
    .notes =
        "Lines are count, tab, key: the highest count first, equal ones by the bytes of the key. --ci puts lower,\n"
        "upper, share and \"certain\" or \"possible\" between them. Limits hold always, not just with a probability.\n"
        "A row is certain when it belongs to the rows asked for, or reaches the threshold, whatever was not kept.\n"
        "--window answers for what came in the last W of time, and up to a pane before it, as of the last record, or\n"
        "of now without --time; JSON says from when to when.\n"
        "--live goes well with a pipe: tail -F access.log | ballpark top -f 1 --window 5m --live\n"
        "With --half-life counts have fractions, are never exact, and are as of the last record, or of now without\n"
        "--time; those of a sketch are as of its own time. Files need --time for it and for --window.\n",
};
