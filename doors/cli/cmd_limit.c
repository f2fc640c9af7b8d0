/* cmd_limit.c - ballpark limit [FILE]...: the records whose key may go on, in order.
 *
 * One updater in input order: what passes depends on what came before. With --state what was taken is remembered across
 * runs.
 */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "limiter.h"
#include "lock.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KIND "limit"

typedef struct limits {
    const options *o;
    output out;
    bpk_hasher hasher;
    bpk_sketch *sketch;
    const char *method;
    limiter when;
    uint64_t allowed, total;
    input_report report;
    double start; /* of the clock */
    uint8_t passes[BATCH_MAX];
    bpk_limit_reply reply[BATCH_MAX];
} limits;

/* ---- preparing ---- */

static int new_limit(limits *d) {
    int code = d->o->rate ? 0 : say(EXIT_USAGE, NULL, "limit: a new limit needs --rate N/D, such as 100/60s");
    if (!code) code = hasher_make(&d->hasher, d->o, NULL, NULL);
    return code ? code : sketch_new(&d->sketch, KIND, &d->hasher.domain, d->o, NULL, 0, &d->o->env);
}

/* Makes it the limit to go on with. */
static int take_state(limits *d, const found_sketch *found) {
    const options *o = d->o;
    const bpk_sketch *s = found->sketch;
    if (!bpk_as_limit(s))
        return say(EXIT_SKETCH, o->state, "does not fit: kind is %s there and %s here", bpk_kind_name(s), KIND);
    int code = params_fit(o, s, o->state);
    if (!code) code = hasher_make(&d->hasher, o, s, o->state);
    return code ? code : unite(&d->sketch, found, 1, &o->env);
}

static int load_state(limits *d) {
    const options *o = d->o;
    parts loaded = {0};
    int code = parts_add(&loaded, o, &o->state, "a state is a limit");
    if (!code && loaded.n != 1) code = say(EXIT_SKETCH, o->state, "holds %zu sketches, expected one", loaded.n);
    if (!code) code = take_state(d, &loaded.at[0]);
    parts_free(&loaded);
    return code;
}

/* What is only looked at needs no lock: states are replaced as a whole. */
static int prepare(limits *d) {
    const options *o = d->o;
    struct stat there;
    int code = o->state && !o->dry_run ? lock_file(o, o->state) : 0;
    if (code) return code;
    int missing = o->state && stat(o->state, &there) != 0 ? errno : 0;
    if (missing && missing != ENOENT) return say(EXIT_USAGE, o->state, "%s", strerror(missing));
    const char *old = o->state && !missing ? o->state : NULL;
    code = old ? load_state(d) : new_limit(d);
    if (!code) code = limiter_start(&d->when, o, d->sketch, old);
    if (!code) d->method = bpk_limit_made_for(d->when.l).method == BPK_LIMIT_WINDOWS ? "windows" : "arrival";
    return code;
}

/* ---- running ---- */

/* Ticks as seconds; null: never. */
static json_t *seconds_json(const limits *d, uint64_t ticks) {
    if (ticks == UINT64_MAX) return json_null();
    return number_json(limiter_seconds(&d->when, ticks), BPK_UNIT_NONE);
}

/* All digits of a microsecond are printed. */
static int put_reply(limits *d, const void *key, size_t n, const bpk_limit_reply *r) {
    json_t *j = json_object();
    set_key(j, key, n);
    json_object_set_new(j, "allowed", json_boolean(r->allowed));
    json_object_set_new(j, "never", json_boolean(r->never));
    json_object_set_new(j, "limit", json_integer((json_int_t)r->limit));
    json_object_set_new(j, "remaining", json_integer((json_int_t)r->remaining));
    json_object_set_new(j, "retry_after", seconds_json(d, r->retry_after));
    json_object_set_new(j, "reset_after", seconds_json(d, r->reset_after));
    json_object_set_new(j, "method", json_string(d->method));
    json_object_set_new(j, "is_estimate", json_boolean(r->is_estimate));
    char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(j);
    if (!text) return say_status(NULL, BPK_E_NOMEM);
    output_put(&d->out, text, strlen(text));
    output_put(&d->out, "\n", 1);
    free(text);
    return 0;
}

static int emit(limits *d, const batch *b) {
    const options *o = d->o;
    int code = 0;
    for (size_t i = 0; i < b->n && !code; i++) {
        d->allowed += d->passes[i];
        if (o->only_count) continue;
        if (o->json) code = put_reply(d, b->item[i], b->len[i], &d->reply[i]);
        else if ((d->passes[i] != 0) != o->invert) output_record(&d->out, o, b->record[i], b->record_len[i]);
    }
    d->total += b->n;
    if (!d->out.file) output_flush(&d->out); /* whoever follows a growing log sees what has come */
    return d->out.failed ? EXIT_USAGE : code;
}

static int drain(void *ctx, const batch *b) {
    limits *d = ctx;
    if (d->o->dry_run) limiter_peek(&d->when, b, d->passes, d->reply);
    else if (d->o->json && !d->o->only_count) limiter_reply(&d->when, b, d->passes, d->reply);
    else limiter_take(&d->when, b, d->passes);
    return emit(d, b);
}

/* ---- ending ---- */

static void summary(limits *d) {
    const options *o = d->o;
    uint64_t limited = d->total - d->allowed;
    if (!o->json) {
        const char *name = o->invert ? "limited" : "allowed";
        output_text(&d->out, "%s\t%" PRIu64 "\ntotal\t%" PRIu64 "\n", name, o->invert ? limited : d->allowed, d->total);
        return;
    }
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(d->method));
    json_object_set_new(j, "is_estimate", json_boolean(strcmp(d->method, "windows") == 0));
    json_object_set_new(j, "allowed", json_integer((json_int_t)d->allowed));
    json_object_set_new(j, "limited", json_integer((json_int_t)limited));
    limiter_json(&d->when, j);
    set_report(j, &d->report, now_seconds() - d->start);
    json_put(&d->out, j);
}

/* What was printed is in the state, also when something stops the run. */
static int end(limits *d, int code) {
    const options *o = d->o;
    if (o->only_count && !code) summary(d);
    bool keep = code == 0 || !d->out.file;
    int closed = output_close(&d->out, code == 0);
    if (closed && closed != EXIT_BAD) return closed;
    if (!code) limiter_note(&d->when);
    int saved = keep && o->state && !o->dry_run ? sketch_save(o, d->sketch, o->state) : 0;
    return code ? code : saved ? saved : closed;
}

static int stream(limits *d) {
    input *in;
    input_options how = d->o->in;
    d->start = now_seconds();
    how.as_int = d->hasher.domain.type == BPK_I64;
    limiter_times(&how);
    int code = input_open(&in, &how, &d->o->env);
    if (code) return code;
    code = no_sketches(in, "limit");
    if (!code) code = output_open(&d->out, d->o->output);
    if (!code) {
        consumer one = {.ctx = d, .drain = drain};
        code = input_run(in, &d->hasher, &one, &d->report);
        code = end(d, code);
    }
    input_close(in);
    return code ? code : exit_after(&d->report);
}

static int check(const options *o) {
    if (o->invert && o->json)
        return say(EXIT_USAGE, NULL, "--invert and --json contradict each other: the JSON tells of every record");
    int code = check_state(o);
    if (code) return code;
    if (!o->dry_run) return 0;
    if (!o->state) return say(EXIT_USAGE, NULL, "--dry-run needs --state");
    if (o->wait > 0 || o->tolerated > 0)
        return say(EXIT_USAGE, NULL, "--dry-run and --%s contradict each other: nothing is changed",
                   o->wait > 0 ? "wait" : "tolerate");
    return 0;
}

static int run(const options *o) {
    int code = check(o);
    if (code) return code;
    limits *d = calloc(1, sizeof *d);
    if (!d) return say_status(NULL, BPK_E_NOMEM);
    d->o = o;
    if (o->state && !o->dry_run) code = sketch_target(o, o->state);
    if (!code) code = prepare(d);
    if (!code) code = stream(d);
    bpk_free(d->sketch);
    free(d);
    return code;
}

const verb verb_limit = {
    .name = "limit",
    .bit = V_LIMIT,
    .operands = "[FILE]...",
    .reads_records = true,
    .run = run,
    .about = "the records whose key is within its rate; the order stays.",
    .examples = "  alerts | ballpark limit --rate 5/10m -f 1             # of each host five in ten minutes\n"
                "  ballpark limit --rate 100/60s --burst 20 --format log --time time -f ip access.log\n"
                "  ballpark limit -v -c --rate 1/1s --time 1:iso -f 2 events.txt   # how many were limited\n"
                "  mails | ballpark limit --rate 10/1h -f 1 --state mails.bpk      # remembers across runs\n"
                "  ballpark limit --rate 1M/1d -w 3 -f 1 --time 2 --json usage.txt # each with what remains, in JSON\n",
    .notes =
        "N events of a key in D, of which --burst (N) may come at once; memory does not depend on the number of keys.\n"
        "A key may be limited too early, where others fill all of its cells, and never too late: what passes, an "
        "exact\n"
        "limiter (GCRA) of that key alone would pass too. The end says when more than 1 % of new keys were limited.\n"
        "--method windows estimates and may err to either side.\n"
        "Records come when --time says, to the microsecond, otherwise when they are read; time that goes back stands\n"
        "still. Where strangers choose the keys use --key-file.\n",
};
