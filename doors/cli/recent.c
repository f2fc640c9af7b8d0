/* recent.c - windows over panes: which kinds, what they cover, and how that is said. */
#define _GNU_SOURCE
#include "recent.h"

#include "answer.h"
#include "cmd.h"
#include "volume.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void inner_kind(char text[KIND_TEXT_MAX], const bpk_sketch *s) {
    if (!bpk_as_window(s) || !sketch_text(s, "of", text, KIND_TEXT_MAX))
        snprintf(text, KIND_TEXT_MAX, "%s", bpk_kind_name(s));
}

void whole_kind(char text[KIND_TEXT_MAX], const bpk_sketch *s) {
    char inner[16] = "";
    bool window = bpk_as_window(s) && sketch_text(s, "of", inner, sizeof inner);
    snprintf(text, KIND_TEXT_MAX, "%s%s%s", bpk_kind_name(s), window ? " of " : "", inner);
}

bool asks_for_panes(const options *o, const char *kind) {
    return o->window_span && strcmp(kind, "bloom") != 0;
}

int panes_of(const options *o, const char *kind) {
    static const char *const kinds[] = {"hll", "theta", "cms", "topk"};
    if (!o->window || strcmp(kind, "bloom") == 0) return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind, kinds[i]) != 0) continue;
        if (o->window_span) return 0;
        return say(EXIT_USAGE, NULL, "%s takes a --window of time, such as 24h, not of items", kind);
    }
    return say(EXIT_USAGE, NULL, "%s does not take --window", kind);
}

int check_times_of_files(const options *o) {
    bool lately = o->window_span || o->half_life;
    if (!lately || o->in.time.n || o->save || !volume_in_files(&o->in)) return 0;
    return say(EXIT_USAGE, NULL, "--%s %s on files needs --time FIELD%s: what they hold comes in one moment",
               o->window_span ? "window" : "half-life", o->window_span ? o->window : o->half_life,
               o->in.group.n ? "" : ", or --save");
}

int window_view(bpk_sketch **out, const bpk_sketch *window, const char *file) {
    uint64_t from, to;
    bpk_sketch *timed = NULL;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = BPK_OK;
    if (!bpk_window_covers(bpk_as_window(window), &from, &to)) { /* empty, as it would be at any time */
        st = bpk_copy(&timed, window, NULL);
        if (st == BPK_OK) bpk_advance(timed, 0);
    }
    const bpk_window *w = bpk_as_window(timed ? timed : window);
    if (st == BPK_OK) st = bpk_window_merged(w, 0, UINT64_MAX, out, NULL, NULL, &err);
    bpk_free(timed);
    if (st == BPK_OK) return 0;
    return err.code ? say_err(file, &err) : say_status(file, st);
}

coverage coverage_of(const bpk_sketch *window, uint64_t late) {
    const bpk_window *w = bpk_as_window(window);
    coverage c = {.span = bpk_window_span(w), .pane = bpk_window_pane(w), .panes = bpk_window_panes(w), .late = late};
    c.timed = bpk_window_covers(w, &c.from, &c.to);
    return c;
}

void coverage_at(coverage *c, uint64_t now) {
    c->timed = true;
    c->from = now > c->span ? (now - c->span) / c->pane * c->pane : 0;
    c->to = now;
}

/* A window that another program made may have other ticks than seconds. */
static void time_text(char text[ZONE_TEXT_MAX], const options *o, uint64_t time) {
    if (time > INSTANT_9999) snprintf(text, ZONE_TEXT_MAX, "%" PRIu64, time);
    else zone_text(text, &o->in.time_form.zone, (int64_t)time);
}

static json_t *time_json(const options *o, const coverage *c, uint64_t time) {
    char text[ZONE_TEXT_MAX];
    if (!c->timed) return json_null();
    if (time > INSTANT_9999) return number_json((double)time, BPK_UNIT_NONE);
    time_text(text, o, time);
    return json_string(text);
}

void coverage_json(json_t *object, const options *o, const coverage *c) {
    json_object_set_new(object, "window", number_json((double)c->span, BPK_UNIT_NONE));
    json_object_set_new(object, "panes", json_integer((json_int_t)c->panes));
    json_object_set_new(object, "window_from", time_json(o, c, c->from));
    json_object_set_new(object, "window_to", time_json(o, c, c->to));
    json_object_set_new(object, "late_records", json_integer((json_int_t)c->late));
}

void coverage_text(char text[COVERS_TEXT_MAX], const options *o, const coverage *c) {
    char begin[ZONE_TEXT_MAX], end[ZONE_TEXT_MAX];
    time_text(begin, o, c->from);
    time_text(end, o, c->to);
    if (c->timed) snprintf(text, COVERS_TEXT_MAX, "%s to %s", begin, end);
    else snprintf(text, COVERS_TEXT_MAX, "no time");
}

void coverage_note(const options *o, const coverage *c) {
    char text[COVERS_TEXT_MAX];
    coverage_text(text, o, c);
    if ((!o->quiet && isatty(2)) || o->verbose)
        say(0, NULL, "%s: of %s, in %" PRIu32 " panes of %" PRIu64 " s", o->verb->name, text, c->panes, c->pane);
    if (c->late && !o->quiet)
        say(0, NULL, "%s: records older than the window, which were left out: %" PRIu64 " (it covers %s)",
            o->verb->name, c->late, text);
}
