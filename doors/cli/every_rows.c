/* every_rows.c - rows in the order of time. Panes in which nothing came have rows too, so that a series has no gaps,
 * unless there are so many that a single wrong time must be the reason.
 */
#define _GNU_SOURCE
#include "every_rows.h"

#include "cmd.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY_MAX = 10000 /* panes in a row */, NAME_MAX_BYTES = 4096 };

int every_rows_open(every_rows *r, const options *o) {
    int code = output_open(&r->out, o->output);
    if (code) return code;
    r->o = o;
    r->rows = o->json ? json_array() : NULL;
    if (o->csv)
        output_text(&r->out, "time,%sestimate,lower,upper,confidence,exact,records,flags\n",
                    o->in.group.n ? "key," : "");
    return 0;
}

/* ---- rows ---- */

typedef struct row_of {
    char time[ZONE_TEXT_MAX];
    const bucket *b; /* NULL: an empty pane */
    bpk_estimate count;
} row_of;

static void put_plain(every_rows *r, const row_of *row) {
    output_text(&r->out, "%s\t%.0f", row->time, row->count.estimate);
    if (r->o->ci) output_text(&r->out, "\t%.0f\t%.0f", row->count.lower, row->count.upper);
    if (!row->b || !row->b->name) {
        output_put(&r->out, "\n", 1);
        return;
    }
    output_put(&r->out, "\t", 1);
    output_record(&r->out, r->o, row->b->name, row->b->len);
}

static void put_csv(every_rows *r, const row_of *row) {
    char flags[96];
    const bpk_estimate *e = &row->count;
    flags_text(flags, sizeof flags, e->flags);
    output_text(&r->out, "%s,", row->time);
    if (row->b && row->b->name) {
        csv_key(&r->out, row->b->name, row->b->len);
        output_put(&r->out, ",", 1);
    }
    output_text(&r->out, "%.0f,%.0f,%.0f,%.6g,%s,%" PRIu64 ",%s\n", e->estimate, e->lower, e->upper, e->confidence,
                e->flags & BPK_EXACT ? "true" : "false", row->b ? row->b->records : 0, flags);
}

static void put_json(every_rows *r, const row_of *row) {
    json_t *j = json_object();
    json_object_set_new(j, "time", json_string(row->time));
    if (row->b && row->b->name) set_key(j, row->b->name, row->b->len);
    set_limits(j, &row->count, BPK_UNIT_ITEMS);
    json_object_set_new(j, "exact", json_boolean(row->count.flags & BPK_EXACT));
    json_object_set_new(j, "flags", flags_json(row->count.flags));
    json_object_set_new(j, "records", json_integer(row->b ? (json_int_t)row->b->records : 0));
    json_array_append_new(r->rows, j);
}

static void put_row(every_rows *r, const bucket *b, int64_t begin, const bpk_estimate *e) {
    row_of row = {.b = b, .count = *e};
    zone_text(row.time, &r->o->in.time_form.zone, begin);
    if (r->rows) put_json(r, &row);
    else if (r->o->csv) put_csv(r, &row);
    else put_plain(r, &row);
}

/* ---- empty panes ---- */

static pane next_pane(const every_rows *r, int64_t from) {
    return pane_of(r->o->every, &r->o->in.time_form.zone, from);
}

static void say_skipped(every_rows *r, int64_t to) {
    char from[ZONE_TEXT_MAX], end[ZONE_TEXT_MAX];
    zone_text(from, &r->o->in.time_form.zone, r->end);
    zone_text(end, &r->o->in.time_form.zone, to);
    r->skipped++;
    if (!r->o->quiet)
        say(0, NULL, "distinct: more than %d panes without records have no rows: from %s to %s", EMPTY_MAX, from, end);
}

/* From the end of the last pane to the beginning of this one. */
static void put_empty(every_rows *r, int64_t to) {
    const bpk_estimate none = {0, 0, 0, r->o->confidence, BPK_EXACT};
    size_t n = 0;
    for (pane p = next_pane(r, r->end); p.begin < to && n <= EMPTY_MAX; p = next_pane(r, p.end)) n++;
    if (n > EMPTY_MAX) {
        say_skipped(r, to);
        return;
    }
    for (pane p = next_pane(r, r->end); p.begin < to; p = next_pane(r, p.end)) put_row(r, NULL, p.begin, &none);
}

/* ---- files ---- */

/* Parts of a date or time of day; %s and %Z would be those of the process. */
static const char conversions[] = "YyCmdejBbhaAHIklMSpTRFDGgVuUWwz";

static char *file_name(const options *o, int64_t begin) {
    char text[NAME_MAX_BYTES];
    struct tm tm = zone_fields(&o->in.time_form.zone, begin);
    size_t n = strftime(text, sizeof text, o->save, &tm);
    return n ? strdup(text) : NULL;
}

/* Whether two panes, one behind the other, would be in one file: a name without the hour for panes of an hour. */
static bool same_names(const options *o) {
    const int64_t some_day = 978307200; /* 2001-01-01; any other shows it too */
    pane one = pane_of(o->every, &o->in.time_form.zone, some_day);
    char *a = file_name(o, one.begin), *b = file_name(o, one.end);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

int every_name_check(const options *o) {
    bool timed = false;
    for (const char *at = strchr(o->save, '%'); at; at = strchr(at + 2, '%')) {
        bool known = at[1] && strchr(conversions, at[1]);
        if (!known && at[1] != '%')
            return say(EXIT_USAGE, NULL, "--save %s: its %% is followed by no part of a time", o->save);
        timed |= known;
    }
    if (!timed)
        return say(EXIT_USAGE, NULL,
                   "--save %s: with --every there is a file a pane, named by its time, such as day-%%F.bpk", o->save);
    if (same_names(o)) return say(EXIT_USAGE, NULL, "--save %s: several panes would be in one file", o->save);
    return 0;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Two panes in one file would be one pane less. */
static int name_once(every_rows *r, const bucket *b) {
    char *name = file_name(r->o, b->when.begin);
    char **kept = name ? tsearch(name, &r->names, by_bytes) : NULL;
    if (kept && *kept == name) return 0;
    int code = !name  ? say(EXIT_USAGE, NULL, "--save %s: the name of a file would be empty or too long", r->o->save)
               : kept ? say(EXIT_USAGE, NULL, "--save %s: several panes would be in %s", r->o->save, name)
                      : say_status(NULL, BPK_E_NOMEM);
    free(name);
    return code;
}

/* An exact count is saved as a sketch too. */
static int save(const every_rows *r, bucket *b, const bpk_sketch *like) {
    bpk_err err = {.code = BPK_OK};
    char *name = file_name(r->o, b->when.begin);
    bpk_status st = name ? BPK_OK : BPK_E_NOMEM;
    if (st == BPK_OK && !b->sketch) st = bpk_twin(&b->sketch, like, NULL);
    if (st == BPK_OK && b->exact) st = bpk_exact_spill(b->exact, b->sketch, &err);
    int code = st == BPK_OK ? sketch_save(r->o, b->sketch, name) : say_status(name, st);
    if (!code) say_health(r->o, name, b->sketch);
    free(name);
    return code;
}

/* ---- in order ---- */

static void put_bucket(every_rows *r, const bucket *b) {
    if (!r->o->in.group.n && r->any && b->when.begin > r->end) put_empty(r, b->when.begin);
    put_row(r, b, b->when.begin, &b->count);
    r->any = true;
    r->end = b->when.end;
}

/* No file is written when two would have one name. */
int every_rows_put(every_rows *r, bucket *list, size_t n, const bpk_sketch *like) {
    int code = 0;
    for (size_t i = 0; i < n && r->o->save && !code; i++) code = name_once(r, &list[i]);
    for (size_t i = 0; i < n && !code; i++) put_bucket(r, &list[i]);
    for (size_t i = 0; i < n && r->o->save && !code; i++) code = save(r, &list[i], like);
    return code;
}

int every_rows_flush(every_rows *r) {
    if (!r->out.file) output_flush(&r->out);
    return r->out.failed ? EXIT_USAGE : 0;
}

static void put_object(every_rows *r, const input_report *report, uint64_t late, double seconds) {
    json_t *j = json_start();
    const options *o = r->o;
    json_object_set_new(j, "every_seconds", json_integer((json_int_t)o->every));
    json_object_set_new(j, "tz", json_string(o->tz ? o->tz : "UTC"));
    json_object_set_new(j, "confidence", json_real(o->confidence));
    json_object_set_new(j, "rows", r->rows);
    json_object_set_new(j, "late_records", json_integer((json_int_t)late));
    json_object_set_new(j, "gaps", json_integer((json_int_t)r->skipped));
    set_report(j, report, seconds);
    r->rows = NULL;
    json_put(&r->out, j);
}

int every_rows_close(every_rows *r, bool keep, const input_report *report, uint64_t late, double seconds) {
    if (keep && r->rows) put_object(r, report, late, seconds);
    return output_close(&r->out, keep);
}

void every_rows_free(every_rows *r) {
    json_decref(r->rows);
    tdestroy(r->names, free);
}
