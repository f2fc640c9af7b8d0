/* cmd_build.c - ballpark build KIND [FILE]... -o OUT: a sketch of any kind from items, or more items into one that
 * exists. */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "limiter.h"
#include "lock.h"
#include "moments.h"
#include "output.h"
#include "recent.h"

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
    moments when;
    limiter limit; /* of a sketch of that kind */
    uint64_t added;
    input_report report;
} build;

static const bpk_param rotating[] = {{"generations", "4"}};

/* A chain is made by the name of its layers, a window by that of its panes. */
static bool is_of_kind(const bpk_sketch *s, const char *kind) {
    char layers[16], inner[KIND_TEXT_MAX];
    inner_kind(inner, s);
    return strcmp(inner, kind) == 0 ||
           (sketch_text(s, "layers_of", layers, sizeof layers) && strcmp(layers, kind) == 0);
}

/* The sketch that --append goes on with. */
static int load_old(build *b) {
    const options *o = b->o;
    int code = parts_add(&b->old, o, &o->output, NULL);
    if (code) return code;
    if (b->old.n != 1) return say(EXIT_SKETCH, o->output, "holds %zu sketches, expected one", b->old.n);
    const bpk_sketch *s = b->old.at[0].sketch;
    char kind[KIND_TEXT_MAX];
    whole_kind(kind, s);
    if (!is_of_kind(s, b->kind))
        return say(EXIT_SKETCH, o->output, "does not fit: kind is %s there and %s here", kind, b->kind);
    code = params_fit(o, s, o->output);
    if (!code) code = hasher_make(&b->hasher, o, s, o->output);
    if (code) return code;
    bpk_status st = bpk_copy(&b->sketch, s, &o->env); /* with its metadata */
    return st == BPK_OK ? 0 : say_status(o->output, st);
}

static int open_inputs(build *b, bool as_int) {
    input_options how = b->o->in;
    how.as_int = as_int;
    if (strcmp(b->kind, "limit") == 0) limiter_times(&how);
    return input_open(&b->in, &how, &b->o->env);
}

/* The domain comes from the old sketch, else from the first one among the inputs, else from the options. */
static int prepare(build *b) {
    const options *o = b->o;
    size_t n;
    int code = o->append ? lock_file(o, o->output) : 0;
    if (!code && o->append) code = load_old(b);
    if (!code) code = open_inputs(b, o->append ? b->hasher.domain.type == BPK_I64 : o->in.as_int);
    if (code || o->append) return code;
    const found_sketch *found = input_sketches(b->in, &n);
    if (n && !input_has_text(b->in) && !o->seed_given && !o->as && !o->key_file)
        b->hasher.domain = *bpk_domain_of(found[0].sketch); /* nothing will be hashed: a secret domain needs no key */
    else code = hasher_make(&b->hasher, o, n ? found[0].sketch : NULL, n ? found[0].file : NULL);
    bool rotates = o->window && !asks_for_panes(o, b->kind);
    return code ? code : sketch_new(&b->sketch, b->kind, &b->hasher.domain, o, rotating, rotates ? 1 : 0, &o->env);
}

/* The table that is added to; NULL: it is no cuckoo. */
static const bpk_cuckoo *table_of(const bpk_sketch *s) {
    const bpk_grow *chain = bpk_as_grow(s);
    for (size_t i = 0; chain && bpk_grow_layer(chain, i); i++) s = bpk_grow_layer(chain, i);
    return bpk_as_cuckoo(s);
}

/* What can be done about it depends on the kind. */
static int say_full(const build *b, uint64_t next) {
    const bpk_cuckoo *table = table_of(b->sketch);
    if (table && bpk_cuckoo_copies(table, next) == BPK_CUCKOO_COPIES)
        return say(EXIT_LIMIT, NULL,
                   "build: record %" PRIu64
                   " comes a ninth time, and a cuckoo has room for eight; ballpark dedup passes each once",
                   b->added + 1);
    return say(EXIT_LIMIT, NULL, "build: the %s is %s after %" PRIu64 " records; a larger --capacity holds more%s",
               b->kind, table ? "full" : "over its plan", b->added, full_advice(b->sketch));
}

/* One updater in input order, so that kinds that depend on the order do not depend on the number of threads. */
static int drain(void *ctx, const batch *records) {
    build *b = ctx;
    size_t done;
    if (b->limit.l) {
        limiter_take(&b->limit, records, NULL);
        return 0;
    }
    bpk_status st = moments_add(&b->when, b->sketch, records, 0, NULL, &done);
    b->added += done;
    if (st == BPK_E_FULL) return say_full(b, records->hash[done]);
    if (st == BPK_E_LIMIT) return say(EXIT_LIMIT, NULL, "build: the %s needs more than --mem allows", b->kind);
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

/* When records come, and what they weigh. */
static int start_times(build *b) {
    const options *o = b->o;
    const char *old = o->append ? o->output : NULL;
    int code = limiter_start(&b->limit, o, b->sketch, old);
    if (code || b->limit.l) return code;
    if (o->in.weight.n && !adds_weights(b->sketch)) return say(EXIT_USAGE, NULL, "%s does not take --weight", b->kind);
    return moments_start(&b->when, o, b->sketch, old);
}

static void note_window(const build *b) {
    coverage c = coverage_of(b->sketch, b->when.late);
    coverage_note(b->o, &c);
}

static int make(build *b) {
    consumer one = {.ctx = b, .drain = drain};
    int code = prepare(b);
    if (!code) code = start_times(b);
    if (!code) code = input_run(b->in, &b->hasher, &one, &b->report);
    if (!code) moments_catch_up(&b->when, b->sketch);
    if (!code) code = join_found(b);
    if (code) return code;
    int saved = sketch_save(b->o, b->sketch, b->o->output);
    if (b->o->verbose)
        say(0, NULL, "build: %" PRIu64 " records, %" PRIu64 " bad, %zu bytes of memory", b->report.records,
            b->report.bad_records, bpk_memory(b->sketch));
    if (b->limit.l) {
        limiter_note(&b->limit);
    } else {
        moments_note(&b->when);
        if (bpk_as_window(b->sketch)) note_window(b);
        say_health(b->o, b->kind, b->sketch);
    }
    return saved ? saved : exit_after(&b->report);
}

/* No lock is left beside what is not there. */
static int check_append(const options *o) {
    struct stat there;
    if (!o->append) return o->wait > 0 ? say(EXIT_USAGE, NULL, "--wait needs --append") : 0;
    if (!o->output || strcmp(o->output, "-") == 0)
        return say(EXIT_USAGE, NULL, "--append needs -o with the file to add to");
    return stat(o->output, &there) == 0 ? 0 : say(EXIT_USAGE, o->output, "%s", strerror(errno));
}

static int check_rate(const options *o, const char *kind) {
    if (strcmp(kind, "limit") != 0 || o->append || o->rate) return 0;
    return say(EXIT_USAGE, NULL, "limit needs --rate N/D, such as 100/60s");
}

static int run(const options *o) {
    build b = {.o = o, .kind = o->operands[0]};
    int code = check_append(o);
    if (!code) code = check_policy(o, b.kind);
    if (!code) code = check_rate(o, b.kind);
    if (!code) code = sketch_target(o, o->output);
    if (!code) code = make(&b);
    bpk_free(b.sketch);
    parts_free(&b.old);
    input_close(b.in);
    return code;
}

/* Kinds that are made otherwise: a sample keeps records, which is what the verb of that name is for; a chain is called
 * as its layers are; a window needs the time of each record. */
static bool is_made_elsewhere(const char *kind) {
    return strcmp(kind, "sample") == 0 || strcmp(kind, "grow") == 0 || strcmp(kind, "window") == 0;
}

static const char *kind_at(size_t i, const char **question) {
    const char *name = bpk_kind_at(0, question);
    for (size_t at = 0; name && (i || is_made_elsewhere(name)); name = bpk_kind_at(++at, question))
        i -= !is_made_elsewhere(name);
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
    .examples =
        "  ballpark build bloom --capacity 1M --fpr 0.1% -o blocked.bpk blocked.txt\n"
        "  ballpark build bloom --append -o blocked.bpk more.txt\n"
        "  ballpark build bloom --on-full grow --capacity 1M -o seen.bpk urls.txt\n"
        "  ballpark build bloom --window 24h --capacity 5M --format log --time time -f ip -o day.bpk access.log\n"
        "  ballpark build cuckoo --capacity 1M -o here.bpk here.txt   # for has --remove\n"
        "  ballpark build hll -f 1 --precision 16 -o visitors.bpk access.log\n"
        "  ballpark build hll --base64 -f 1 access.log        # one line of text\n"
        "  ballpark build cms --epsilon 0.1% --delta 1% -f 1 -o hits.bpk access.log\n"
        "  ballpark build topk -n 100 -f 1 -o top.bpk access.log\n"
        "  ballpark build topk --half-life 1h --format log --time time -f ip -o trend.bpk access.log\n"
        "  ballpark build hll --window 1h --format log --time time -f ip -o hour.bpk access.log\n"
        "  ballpark build theta -f 1 -o monday.bpk monday.log   # for ballpark set\n"
        "  ballpark build limit --rate 100/60s --format log --time time -f ip -o now.bpk access.log\n",
    .notes =
        "--error, --precision and --window-bits are of kind hll; --capacity, --fpr and --on-full of kinds bloom, "
        "cbloom\n"
        "and cuckoo; --layout, --window, --generations and --seen of kind bloom, --fingerprint-bits of kind cuckoo;\n"
        "--rows, --candidates and --entries of kind topk, --half-life of kinds topk and cms; --k of kind theta;\n"
        "--window of time and --panes also of hll, theta, cms and topk.\n"
        "--rate N/D, --burst and --method of kind limit.\n"
        "ballpark plan tells what a sketch will cost. Samples are made by ballpark sample --save. Sketches among the "
        "inputs\n"
        "join when they fit.\n"
        "Exit code 5: a filter is full.\n",
};
