/* cmd_plan.c - ballpark plan QUESTION: what a sketch will cost and promise, and what happens at twice the plan. */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- as a table ---- */

typedef struct table {
    output *out;
    const char *kind;
    char build[256]; /* the options that make what was planned */
    size_t n;
    double memory;
} table;

/* "1.2 MiB" for what has more than three digits. */
static void size_text(char *text, size_t cap, double bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t i = 0;
    text[0] = 0;
    if (bytes < 1000) return;
    for (bytes /= 1024; bytes >= 1000 && i + 1 < sizeof units / sizeof *units; bytes /= 1024) i++;
    snprintf(text, cap, " (%.3g %s)", bytes, units[i]);
}

/* A parameter as the option of build that sets it. */
static void note_option(table *t, const bpk_field *f) {
    static const char group[] = "parameters.";
    const char *range, *param = f->name + sizeof group - 1;
    if (strncmp(f->name, group, sizeof group - 1) != 0) return;
    const char *option = option_of_param(V_BUILD, param, &range);
    assert(option); /* build takes whatever a kind does */
    t->n += (size_t)snprintf(t->build + t->n, sizeof t->build - t->n, " --%s %.15g", option, f->num.estimate);
    assert(t->n < sizeof t->build);
}

static bool table_row(void *ctx, const bpk_field *f) {
    table *t = ctx;
    char value[64], size[32] = "";
    if (strcmp(f->name, "kind") == 0) t->kind = f->text;
    if (strcmp(f->name, "memory_bytes") == 0) t->memory = f->num.estimate;
    note_option(t, f);
    if (!f->text) number_text(value, sizeof value, f->num.estimate, f->unit);
    if (!f->text && f->unit == BPK_UNIT_BYTES) size_text(size, sizeof size, f->num.estimate);
    output_text(t->out, "%-26s %s%s\n", f->name, f->text ? f->text : value, size);
    return true;
}

/* The command that makes it; more than the default of --mem has to be allowed. */
static void command_row(const table *t, uint64_t mem) {
    output_text(t->out, "\nballpark build %s%s", t->kind, t->build);
    if (t->memory > (double)mem) output_text(t->out, " --mem %.0fM", ceil(t->memory / (1 << 20)) + 1);
    output_text(t->out, " -o FILE\n");
}

/* ---- as an object, a member a group ---- */

static bool json_member(void *ctx, const bpk_field *f) {
    json_t *at = ctx, *group;
    const char *name = f->name, *dot = strchr(name, '.');
    if (dot) {
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)(dot - name), name);
        group = json_object_get(at, text);
        if (!group) json_object_set_new(at, text, group = json_object());
        at = group;
        name = dot + 1;
    }
    json_object_set_new(at, name, f->text ? json_string(f->text) : number_json(f->num.estimate, f->unit));
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
    table t = {.out = &out};
    json_t *object = o->json ? json_start() : NULL;
    int code = output_open(&out, o->output);
    if (code) return code;
    bpk_status st = bpk_plan(question, o->param, o->n_params, o->json ? json_member : table_row,
                             o->json ? (void *)object : &t, &err);
    if (st != BPK_OK) code = say_param(o, question, &err);
    else if (o->json) json_put(&out, json_incref(object));
    else command_row(&t, o->mem);
    json_decref(object);
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
                "  ballpark plan count --epsilon 0.1% --delta 1% --total 1e9\n"
                "  ballpark plan distinct --error 1% --items 50k --sketches 8760   # one an hour of a year\n"
                "  ballpark plan top -n 100 --share 0.1%\n",
    .notes =
        "QUESTION is membership (--items, --fpr), count (--epsilon, --delta, --total), distinct (--error, --items)\n"
        "or top (-n, --share); each takes --sketches. Keys are counted with 16 bytes.\n",
};
