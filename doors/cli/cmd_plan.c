/* cmd_plan.c - ballpark plan QUESTION: what a sketch will cost and promise, and what happens at twice the plan. */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the fields go, and the command that makes what was planned. */
typedef struct shown {
    const options *o;
    output *out;
    json_t *object; /* NULL: a table */
    const char *kind;
    const verb *maker;
    char build[256];
    size_t n;
    double memory;
} shown;

/* ---- the command ---- */

static void append(shown *s, const char *text) {
    int n = snprintf(s->build + s->n, sizeof s->build - s->n, "%s", text);
    s->n += (size_t)n;
    assert(s->n < sizeof s->build); /* more than all parameters take */
}

/* The verb that makes a kind: records are kept, or passed, by the verb of the kind's name. */
static const verb *maker_of(const char *kind) {
    if (strcmp(kind, verb_limit.name) == 0) return &verb_limit;
    return strcmp(kind, verb_sample.name) == 0 ? &verb_sample : &verb_build;
}

/* A window is items or a span; the other is what it was planned with. */
static bool is_window(const shown *s, const char *param) {
    return strcmp(param, "span") == 0 || (s->o->window_items && strcmp(param, "items") == 0);
}

/* A parameter as the option of that verb that sets it. */
static void note_field(shown *s, const bpk_field *f) {
    static const char group[] = "parameters.";
    const char *range, *param = f->name + sizeof group - 1;
    char text[64];
    bool memory = strcmp(f->name, "memory_bytes") == 0 || strcmp(f->name, "growth.memory_bytes") == 0;
    if (memory && f->num.estimate > s->memory) s->memory = f->num.estimate;
    if (strcmp(f->name, "kind") == 0) {
        s->kind = f->text;
        s->maker = maker_of(f->text);
        append(s, "ballpark ");
        append(s, s->maker->name);
        if (s->maker == &verb_build) append(s, " "), append(s, f->text);
    }
    if (strncmp(f->name, group, sizeof group - 1) != 0) return;
    if (strcmp(param, "weighted") == 0) {
        append(s, " -w FIELD");
        return;
    }
    if (s->o->rate && strcmp(param, "period") == 0) return; /* said with the limit */
    bool window = is_window(s, param);
    const char *option = window ? "window" : option_of_param(s->maker->bit, s->kind, param, &range);
    assert(option); /* it takes whatever a kind does */
    if (s->o->rate && strcmp(param, "limit") == 0) snprintf(text, sizeof text, " --%s %s", option, s->o->rate);
    else if (f->text) snprintf(text, sizeof text, " --%s %s", option, f->text);
    else
        snprintf(text, sizeof text, " --%s %.15g%s", option, f->num.estimate,
                 strcmp(param, "span") == 0 || strcmp(param, "half_life") == 0 ? "s" : "");
    append(s, text);
    if (strcmp(param, "groups") == 0) append(s, " -g FIELD");
}

/* More than the default of --mem has to be allowed. */
static void end_command(shown *s, uint64_t mem) {
    char text[32];
    snprintf(text, sizeof text, " --mem %.0fM", ceil(s->memory / (1 << 20)) + 1);
    if (s->memory > (double)mem) append(s, text);
    append(s, s->maker == &verb_build ? " -o FILE" : s->maker == &verb_limit ? " --state FILE" : " --save FILE");
}

/* ---- a field ---- */

/* "1.2 MiB" for what has more than three digits. */
static void size_text(char *text, size_t cap, double bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;
    text[0] = 0;
    if (bytes < 1000) return;
    for (bytes /= 1024; bytes >= 1000 && i + 1 < sizeof units / sizeof *units; bytes /= 1024) i++;
    snprintf(text, cap, " (%.3g %s)", bytes, units[i]);
}

static void table_row(const shown *s, const bpk_field *f) {
    char value[64], size[32] = "";
    if (!f->text) number_text(value, sizeof value, f->num.estimate, f->unit);
    if (!f->text && f->unit == BPK_UNIT_BYTES) size_text(size, sizeof size, f->num.estimate);
    output_text(s->out, "%-29s %s%s\n", f->name, f->text ? f->text : value, size);
}

/* In an object, a group is a member. */
static void json_member(json_t *at, const bpk_field *f) {
    const char *name = f->name, *dot = strchr(name, '.');
    if (dot) {
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)(dot - name), name);
        json_t *group = json_object_get(at, text);
        if (!group) json_object_set_new(at, text, group = json_object());
        at = group;
        name = dot + 1;
    }
    json_object_set_new(at, name, f->text ? json_string(f->text) : number_json(f->num.estimate, f->unit));
}

static bool show(void *ctx, const bpk_field *f) {
    shown *s = ctx;
    note_field(s, f);
    if (s->object) json_member(s->object, f);
    else table_row(s, f);
    return true;
}

/* ---- the verb ---- */

static const char *question_at(size_t i, const char **about) {
    if (about) *about = NULL; /* the notes say it */
    return bpk_question_at(i, NULL);
}

static int run(const options *o) {
    const char *question = o->operands[0];
    output out;
    bpk_err err;
    int code = output_open(&out, o->output);
    if (code) return code;
    shown s = {.o = o, .out = &out, .object = o->json ? json_start() : NULL};
    bpk_status st = bpk_plan(question, o->param, o->n_params, show, &s, &err);
    if (st != BPK_OK) code = say_param(o, question, &err);
    else end_command(&s, o->mem);
    if (!code && s.object) {
        json_object_set_new(s.object, "command", json_string(s.build));
        json_put(&out, json_incref(s.object));
    } else if (!code) {
        output_text(&out, "\n%s\n", s.build);
    }
    json_decref(s.object);
    int closed = output_close(&out, code == 0);
    return code ? code : closed;
}

const verb verb_plan = {
    .name = "plan",
    .bit = V_PLAN,
    .operands = "QUESTION",
    .operands_min = 1,
    .operand_at = question_at,
    .run = run,
    .about = "what a sketch will cost and promise, what happens at twice the plan, and when to be exact.",
    .examples = "  ballpark plan membership --items 1M --fpr 1%\n"
                "  ballpark plan membership --items 1M --fpr 1% --growth 64   # when 64 M may come\n"
                "  ballpark plan membership --items 1M --fpr 1% --delete      # to be removed again\n"
                "  ballpark plan membership --window 24h --items 5M           # of the last 24 hours\n"
                "  ballpark plan count --epsilon 0.1% --delta 1% --total 1e9\n"
                "  ballpark plan distinct --error 1% --items 50k --sketches 8760   # one an hour of a year\n"
                "  ballpark plan top -n 100 --share 0.1%\n"
                "  ballpark plan overlap --smaller 1M --larger 10M --overlap 5%  # for ballpark set intersect\n"
                "  ballpark plan sample -n 1000 --groups 50\n"
                "  ballpark plan limit --rate 100/60s --keys 6000\n",
    .notes = "QUESTION is membership (--items, --fpr; --growth, --delete or --window), count (--epsilon, --delta, "
             "--total),\n"
             "distinct (--error, --items), top (-n, --share; both it and count: --half-life), overlap (--smaller,\n"
             "--overlap, --larger, --error), sample (-n or --error, --groups, --weighted, --record-bytes) or limit\n"
             "(--rate, --keys, --fresh); each takes --sketches. Keys are counted with 16 bytes, records with 100.\n",
};
