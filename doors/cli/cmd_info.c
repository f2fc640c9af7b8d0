/* cmd_info.c - ballpark info FILE...: what a sketch is, and whether it is well. */
#include "answer.h"
#include "cmd.h"
#include "gather.h"
#include "output.h"

#include <stdlib.h>

typedef struct info {
    const options *o;
    output out;
    json_t *list;
    size_t shown;
    bpk_state worst;
    bool failed; /* --fail-over=SHARE */
} info;

/* Whether its error exceeds the one that was named; which of several files it was, is said. */
static bool too_much(const info *f, const found_sketch *s) {
    double error, most = f->o->fail_above;
    if (most <= 0 || !sketch_number(s->sketch, "error_now", &error) || error <= most) return false;
    if (!f->o->quiet) say(0, s->file, "error_now is %.4g, more than %.4g", error, most);
    return true;
}

static void describe(info *f, const found_sketch *s) {
    bpk_state state;
    if (f->o->quiet) {
        state = bpk_health(s->sketch, NULL, NULL);
    } else if (f->list) {
        json_t *one = json_start();
        state = describe_json(one, s->file, s->sketch);
        json_array_append_new(f->list, one);
    } else {
        if (f->shown) output_text(&f->out, "\n");
        state = describe_table(&f->out, s->file, s->sketch);
    }
    f->shown++;
    if (state > f->worst) f->worst = state;
    if (too_much(f, s)) f->failed = true;
}

/* One file at a time, so that a large one does not stay in memory for the next. */
static int describe_file(info *f, const char *const *file) {
    parts all = {0};
    int code = parts_add(&all, f->o, file, NULL);
    for (size_t i = 0; i < all.n && !code; i++) describe(f, &all.at[i]);
    parts_free(&all);
    return code;
}

/* Whether a script that asked is to be told that something is not as it should be. */
static bool fails(const info *f) {
    const options *o = f->o;
    if (o->check && f->worst != BPK_HEALTH_OK) return true;
    bool over = f->worst == BPK_HEALTH_OVER && (o->fail_over || o->fail_above > 0);
    return over || f->failed;
}

static int describe_all(info *f) {
    int worst = 0;
    for (size_t i = 0; i < f->o->n_operands; i++) {
        int code = describe_file(f, &f->o->operands[i]);
        if (code > worst) worst = code;
    }
    if (f->list && !f->o->quiet) json_put(&f->out, json_incref(f->list));
    int closed = output_close(&f->out, true);
    if (worst || closed) return worst ? worst : closed;
    return fails(f) ? EXIT_NO : EXIT_DONE;
}

static int run(const options *o) {
    info *f = calloc(1, sizeof *f);
    if (!f) return say_status(NULL, BPK_E_NOMEM);
    f->o = o;
    f->list = o->json ? json_array() : NULL;
    int code = output_open(&f->out, o->output);
    if (!code) code = describe_all(f);
    json_decref(f->list);
    free(f);
    return code;
}

const verb verb_info = {
    .name = "info",
    .bit = V_INFO,
    .operands = "FILE...",
    .operands_min = 1,
    .run = run,
    .about = "what a sketch is and holds, its rate and error as they are now, and whether it is well.",
    .examples = "  ballpark info seen.bpk\n"
                "  ballpark info --json *.bpk\n"
                "  ballpark info --check -q seen.bpk || echo \"time for a larger filter\"\n"
                "  ballpark info --fail-over=5% -q *.bpk      # 1 where the rate or error exceeds 5 %\n",
    .notes =
        "health is ok; warn from 100 % of the plan, or when a rate or error exceeds the one asked for or tolerated;\n"
        "over from 150 %, or when the contents cannot come from different items.\n"
        "Exit code 1 with --check: not ok, with --fail-over: over; 2: not a sketch; 4: damaged.\n",
};
