/* cmd_merge.c - ballpark merge FILE... -o OUT: the union of sketches of any kind; each file may hold several. */
#include "cmd.h"
#include "gather.h"
#include "output.h"

/* Metadata stays where all agree; an alarm that ends so is not to end in silence. */
static void say_lost(const options *o, const parts *all, const bpk_sketch *sum) {
    double share;
    if (o->quiet || bpk_tolerated(sum, &share)) return;
    for (size_t i = 0; i < all->n; i++) {
        if (!bpk_tolerated(all->at[i].sketch, &share)) continue;
        say(0, all->at[i].file, "what it tolerates is not that of all, and not kept; --tolerate sets it");
        return;
    }
}

static int merge_all(parts *all, const options *o) {
    for (size_t i = 0; i < o->n_operands; i++) {
        int code = parts_add(all, o, &o->operands[i], NULL);
        if (code) return code;
    }
    bpk_sketch *sum;
    int code = unite(&sum, all->at, all->n, &o->env);
    if (code) return code;
    code = sketch_save(o, sum, o->output);
    if (!code) say_lost(o, all, sum);
    say_health(o, "the result", sum);
    bpk_free(sum);
    return code;
}

static int run(const options *o) {
    parts all = {0};
    int code = sketch_target(o, o->output);
    if (!code) code = merge_all(&all, o);
    parts_free(&all);
    return code;
}

const verb verb_merge = {
    .name = "merge",
    .bit = V_MERGE,
    .operands = "FILE...",
    .operands_min = 1,
    .run = run,
    .about = "the union of sketches, as if one had seen everything.",
    .examples = "  ballpark merge mon.bpk tue.bpk wed.bpk -o week.bpk\n"
                "  cat day/*.bpk | ballpark merge - -o month.bpk\n",
    .notes = "Sketches that do not fit each other are refused with exit code 4; the message names both files and the "
             "field.\n",
};
