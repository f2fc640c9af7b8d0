/* cmd_build.c - ballpark build KIND [FILE]... -o OUT: a sketch of any kind from items, or more items into one that
 * exists. */
#define _GNU_SOURCE
#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "lock.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct build {
    const options *o;
    const char *kind;
    input *in;
    parts old; /* of --append */
    bpk_hasher hasher;
    bpk_sketch *sketch;
    uint64_t added;
    input_report report;
} build;

/* The sketch that --append goes on with. */
static int load_old(build *b) {
    const options *o = b->o;
    int code = parts_add(&b->old, o, &o->output);
    if (code) return code;
    if (b->old.n != 1) return say(EXIT_SKETCH, o->output, "holds %zu sketches, expected one", b->old.n);
    const bpk_sketch *s = b->old.at[0].sketch;
    if (strcmp(bpk_kind_name(s), b->kind) != 0)
        return say(EXIT_SKETCH, o->output, "does not fit: kind is %s there and %s here", bpk_kind_name(s), b->kind);
    code = params_fit(o, s, o->output);
    if (!code) code = hasher_make(&b->hasher, o, s, o->output);
    if (code) return code;
    bpk_status st = bpk_copy(&b->sketch, s, &o->env); /* with its metadata */
    return st == BPK_OK ? 0 : say_status(o->output, st);
}

static int open_inputs(build *b, bool as_int) {
    input_options how = b->o->in;
    how.as_int = as_int;
    return input_open(&b->in, &how, &b->o->env);
}

/* The domain comes from the old sketch, else from the first one among the inputs, else from the options. */
static int prepare(build *b) {
    const options *o = b->o;
    size_t n;
    int code = o->append ? lock_file(o->output, o->quiet) : 0;
    if (!code && o->append) code = load_old(b);
    if (!code) code = open_inputs(b, o->append ? b->hasher.domain.type == BPK_I64 : o->in.as_int);
    if (code || o->append) return code;
    const found_sketch *found = input_sketches(b->in, &n);
    if (n && !input_has_text(b->in) && !o->seed_given && !o->as && !o->key_file)
        b->hasher.domain = *bpk_domain_of(found[0].sketch); /* nothing will be hashed: a secret domain needs no key */
    else code = hasher_make(&b->hasher, o, n ? found[0].sketch : NULL, n ? found[0].file : NULL);
    return code ? code : sketch_new(&b->sketch, b->kind, &b->hasher.domain, o, NULL, 0, &o->env);
}

/* One updater in input order, so that kinds that depend on the order do not depend on the number of threads. */
static int drain(void *ctx, const batch *records) {
    build *b = ctx;
    size_t done = records->n;
    bpk_items it = {
        .n = records->n, .hash = records->hash, .item = records->item, .len = records->len, .weight = records->weight};
    bpk_status st = bpk_add(b->sketch, &it, NULL, &done);
    b->added += st == BPK_OK ? records->n : done;
    if (st == BPK_E_FULL)
        return say(EXIT_LIMIT, NULL,
                   "build: the %s is over its plan after %" PRIu64
                   " records; a larger --capacity holds more, --on-full degrade "
                   "goes on",
                   b->kind, b->added);
    return st == BPK_OK ? 0 : say_status(b->kind, st);
}

static int join_found(build *b) {
    size_t n;
    const found_sketch *found = input_sketches(b->in, &n);
    for (size_t i = 0; i < n; i++) {
        const found_sketch two[] = {{"the new sketch", b->sketch}, found[i]};
        bpk_sketch *all;
        int code = unite(&all, two, 2, &b->o->env);
        if (code) return code;
        bpk_free(b->sketch);
        b->sketch = all;
    }
    return 0;
}

static int make(build *b) {
    consumer one = {.ctx = b, .drain = drain};
    int code = prepare(b);
    if (!code && b->o->in.weight.n && !adds_weights(b->sketch))
        code = say(EXIT_USAGE, NULL, "%s does not take --weight", b->kind);
    if (!code) code = input_run(b->in, &b->hasher, &one, &b->report);
    if (!code) code = join_found(b);
    if (code) return code;
    int saved = sketch_save(b->o, b->sketch, b->o->output);
    if (b->o->verbose)
        say(0, NULL, "build: %" PRIu64 " records, %" PRIu64 " bad, %zu bytes of memory", b->report.records,
            b->report.bad_records, bpk_memory(b->sketch));
    say_health(b->o, b->kind, b->sketch);
    return saved ? saved : exit_after(&b->report);
}

static int run(const options *o) {
    build b = {.o = o, .kind = o->operands[0]};
    int code = 0;
    if (o->append && (!o->output || strcmp(o->output, "-") == 0))
        code = say(EXIT_USAGE, NULL, "--append needs -o with the file to add to");
    if (!code) code = sketch_target(o, o->output);
    if (!code) code = make(&b);
    bpk_free(b.sketch);
    parts_free(&b.old);
    input_close(b.in);
    return code;
}

/* The kinds that take items. A sample keeps records, which is what the verb of that name is for. */
static const char *kind_at(size_t i, const char **question) {
    const char *name = bpk_kind_at(0, question);
    for (size_t at = 0; name && (i || strcmp(name, "sample") == 0); name = bpk_kind_at(++at, question))
        i -= strcmp(name, "sample") != 0;
    return name;
}

const verb verb_build = {
    .name = "build",
    .bit = V_BUILD,
    .operands = "KIND [FILE]...",
    .operands_min = 1,
    .operand_at = kind_at,
    .inputs_from = 1,
    .reads_records = true,
    .run = run,
    .about = "makes a sketch of a kind from records.",
    .examples = "  ballpark build bloom --capacity 1M --fpr 0.1% -o blocked.bpk blocked.txt\n"
                "  ballpark build bloom --append -o blocked.bpk more.txt\n"
                "  ballpark build hll -f 1 --precision 16 -o visitors.bpk access.log\n"
                "  ballpark build hll --base64 -f 1 access.log        # one line of text\n"
                "  ballpark build cms --epsilon 0.1% --delta 1% -f 1 -o hits.bpk access.log\n"
                "  ballpark build topk -n 100 -f 1 -o top.bpk access.log\n"
                "  ballpark build theta -f 1 -o monday.bpk monday.log   # for ballpark set\n",
    .notes =
        "--error, --precision and --window-bits are of kind hll; --capacity, --fpr, --layout and --on-full of "
        "kind bloom;\n"
        "--rows, --candidates and --entries of kind topk; --k of kind theta. ballpark plan tells what a sketch will\n"
        "cost.\n"
        "Samples are made by ballpark sample --save. Sketches among the inputs join when they fit. Exit code 5: a "
        "filter is full.\n",
};
