/* cmd_dedup.c - ballpark dedup [FILE]...: each record once, the first time that its item comes, in order.
 *
 * Exact until --mem; then it stops, or with --fpr goes on with a filter that takes over what the set holds. Both share
 * --mem then, half each. With --state or --window it is a filter from the start: one that remembers across runs, or one
 * that forgets.
 */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "false_positives.h"
#include "lock.h"
#include "moments.h"
#include "output.h"
#include "volume.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILTER "bloom"

enum { USUAL_ITEMS = 1000000, TRIAL_ITEMS = 100000 }; /* the plan where nothing is known; of a look at the bytes */
static const double FIRST_SHARE = 0.32; /* of --mem, at most: then a layer twice as large, and tighter, fits too */

typedef struct dedup {
    const options *o;
    output out;
    bpk_hasher hasher;
    bpk_exact *exact; /* NULL once there is a filter */
    bpk_sketch *filter;
    char capacity[24];
    loss lost;
    moments when;
    uint64_t first, total;
    input_report report;
    double start; /* of the clock */
    uint8_t changed[BATCH_MAX];
} dedup;

/* ---- preparing ---- */

static int new_filter(dedup *d, const char *items, const char *rate) {
    const bpk_param defaults[] = {{"items", items}, {"rate", rate}};
    return sketch_new(&d->filter, FILTER, &d->hasher.domain, d->o, defaults, 2, &d->o->env);
}

/* A filter that grows, without a word where it cannot be had. */
static bpk_status try_chain(const dedup *d, bpk_sketch **out, double items) {
    char plan[24];
    bpk_err err;
    snprintf(plan, sizeof plan, "%.0f", items);
    const bpk_param defaults[] = {{"items", plan}, {"rate", "1e-6"}, {"on_full", "grow"}};
    return sketch_try(out, FILTER, &d->hasher.domain, d->o, defaults, 3, &d->o->env, &err);
}

/* Twice the records that the files hold, so that another run like this one still finds one layer to look in. */
static double first_items(const dedup *d) {
    const options *o = d->o;
    bpk_sketch *trial;
    double records;
    if (o->window || param_value(o, "items") || !volume_records(&o->in, &records)) return USUAL_ITEMS;
    if (2 * records <= USUAL_ITEMS || try_chain(d, &trial, TRIAL_ITEMS) != BPK_OK) return USUAL_ITEMS;
    double each = (double)bpk_memory(trial) / TRIAL_ITEMS;
    bpk_free(trial);
    return fmin(2 * records, FIRST_SHARE * (double)o->mem / each);
}

/* One that remembers: it grows, or with a window forgets. A rate may be too small for a large plan. */
static int new_memory(dedup *d) {
    const bpk_param grows[] = {{"items", "1M"}, {"rate", "1e-6"}, {"on_full", "grow"}};
    const bpk_param turns[] = {{"items", "1M"}, {"rate", "1e-6"}, {"generations", "4"}};
    double items = first_items(d);
    while (items > USUAL_ITEMS && try_chain(d, &d->filter, items) != BPK_OK) items /= 2;
    if (d->filter) return 0;
    return sketch_new(&d->filter, FILTER, &d->hasher.domain, d->o, d->o->window ? turns : grows, 3, &d->o->env);
}

/* Samples of a filter that forgets stay close: its rate rises and falls. */
static void start_losses(dedup *d, uint64_t held) {
    double asked, items;
    loss_start(&d->lost, d->filter, held);
    if (!d->when.ring || !sketch_number(d->filter, "rate_asked", &asked)) return;
    if (sketch_number(d->filter, "planned_items", &items)) loss_turns(&d->lost, (uint64_t)items, asked);
}

/* Makes the filter once: what cannot be had is said before the first record is printed. */
static int try_capacity(dedup *d) {
    int code = new_filter(d, d->capacity, "");
    bpk_free(d->filter);
    d->filter = NULL;
    return code;
}

/* How many items a filter of the asked rate holds in a half of --mem: bytes an item hardly depend on the number. */
static int plan_capacity(dedup *d) {
    const bpk_param trial[] = {{"items", "1000"}};
    const char *asked = param_value(d->o, "items");
    bpk_sketch *s;
    int code = sketch_new(&s, FILTER, &d->hasher.domain, d->o, trial, 1, &d->o->env);
    if (code) return code;
    double each = (double)bpk_memory(s) / 1000, fits = 0.95 * (double)d->o->mem / 2 / each;
    bpk_free(s);
    if (!asked) snprintf(d->capacity, sizeof d->capacity, "%.0f", fits < 1 ? 1 : fits);
    return try_capacity(d);
}

/* Whether what it has already does not change it. */
static bool tells_new(const bpk_sketch *s) {
    const char *kind = bpk_kind_name(s);
    char layers[16];
    return strcmp(kind, FILTER) == 0 ||
           (sketch_text(s, "layers_of", layers, sizeof layers) && strcmp(layers, FILTER) == 0);
}

/* Makes it the filter, if it is one to go on with. */
static int take_state(dedup *d, const found_sketch *found) {
    const options *o = d->o;
    const bpk_sketch *s = found->sketch;
    bpk_err err;
    if (bpk_has(s, NULL, 0, NULL, &err) != BPK_OK) return say_err(o->state, &err);
    if (!tells_new(s))
        return say(EXIT_SKETCH, o->state,
                   "does not fit: kind is %s there, which counts what comes again as new; dedup "
                   "keeps %s",
                   bpk_kind_name(s), FILTER);
    int code = params_fit(o, s, o->state);
    if (!code) code = hasher_make(&d->hasher, o, s, o->state);
    return code ? code : unite(&d->filter, found, 1, &o->env);
}

/* What was read is freed before anything else takes memory. */
static int load_state(dedup *d) {
    const options *o = d->o;
    parts loaded = {0};
    int code = parts_add(&loaded, o, &o->state, "a state is a bloom, a growing or a rotating one");
    if (!code && loaded.n != 1) code = say(EXIT_SKETCH, o->state, "holds %zu sketches, expected one", loaded.n);
    if (!code) code = take_state(d, &loaded.at[0]);
    parts_free(&loaded);
    return code;
}

static uint64_t items_in(const bpk_sketch *s) {
    double items;
    return sketch_number(s, "items", &items) && items > 0 ? (uint64_t)items : 0;
}

static int open_state(dedup *d) {
    struct stat st;
    int locked = lock_file(d->o, d->o->state);
    if (locked) return locked;
    int missing = stat(d->o->state, &st) != 0 ? errno : 0;
    int code;
    if (missing && missing != ENOENT) return say(EXIT_USAGE, d->o->state, "%s", strerror(missing));
    if (missing) {
        code = hasher_make(&d->hasher, d->o, NULL, NULL);
        if (!code) code = new_memory(d);
    } else {
        code = load_state(d);
    }
    if (!code) code = moments_start(&d->when, d->o, d->filter, missing ? NULL : d->o->state);
    if (!code) start_losses(d, missing ? 0 : items_in(d->filter));
    return code;
}

static int open_window(dedup *d) {
    const options *o = d->o;
    if (o->window_span && !o->in.time.n && volume_in_files(&o->in))
        return say(EXIT_USAGE, NULL,
                   "--window %s on files needs --time FIELD, or --state: what they hold comes in one moment",
                   o->window);
    int code = hasher_make(&d->hasher, o, NULL, NULL);
    if (!code) code = new_memory(d);
    if (!code) code = moments_start(&d->when, o, d->filter, NULL);
    if (!code) start_losses(d, 0);
    return code;
}

static int prepare(dedup *d) {
    const options *o = d->o;
    if (o->state) return open_state(d);
    if (o->window) return open_window(d);
    if (o->in.time.n) return say(EXIT_USAGE, NULL, "dedup: --time needs a --window of time, such as 24h");
    const char *rate = param_value(o, "rate"), *range;
    if (o->n_params && !rate)
        return say(EXIT_USAGE, NULL, "--%s needs --fpr or --state",
                   option_of_param(V_DEDUP, NULL, o->param[0].name, &range));
    int code = rate ? hasher_make(&d->hasher, o, NULL, NULL) : hasher_private(&d->hasher, o);
    if (!code && rate) code = plan_capacity(d);
    if (code) return code;
    bpk_env env = o->env;
    if (rate) env.max_bytes /= 2;
    bpk_status st = bpk_exact_new(&d->exact, &d->hasher.domain, 0, &env);
    return st == BPK_OK ? 0 : say_status(NULL, st);
}

/* ---- running ---- */

/* The set has reached its memory. */
static int go_on_with_filter(dedup *d) {
    uint64_t held = bpk_exact_items(d->exact);
    if (!param_value(d->o, "rate"))
        return say(EXIT_LIMIT, NULL,
                   "dedup: --mem is used up after %" PRIu64 " records, of which %" PRIu64
                   " were first ones; nothing was lost up to there; a larger --mem holds more, with --fpr it goes on "
                   "with a filter",
                   d->total, d->first);
    int code = new_filter(d, d->capacity, "");
    if (code) return code;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_exact_spill(d->exact, d->filter, &err);
    if (st != BPK_OK) return err.code ? say_err(FILTER, &err) : say_status(FILTER, st);
    bpk_exact_free(d->exact);
    d->exact = NULL;
    int started = moments_start(&d->when, d->o, d->filter, NULL);
    if (!started) start_losses(d, held);
    return started;
}

/* Prints records from..to-1 of a batch as --repeated and --count say, and counts them. */
static void emit(dedup *d, const batch *b, size_t from, size_t to) {
    const options *o = d->o;
    uint64_t first = 0;
    for (size_t i = from; i < to; i++) {
        first += d->changed[i];
        if (o->only_count || o->json || (d->changed[i] != 0) == o->repeats) continue;
        output_record(&d->out, o, b->record[i], b->record_len[i]);
    }
    d->first += first;
    d->total += to - from;
    if (d->filter) loss_note(&d->lost, d->filter, first, to - from - first);
}

static int add_to_filter(dedup *d, const batch *b, size_t from) {
    size_t done;
    bpk_status st = moments_add(&d->when, d->filter, b, from, d->changed + from, &done);
    emit(d, b, from, from + done);
    if (st == BPK_E_FULL)
        return say(EXIT_LIMIT, NULL,
                   "dedup: the filter is over its plan after %" PRIu64 " records, of which %" PRIu64
                   " were first ones; a larger --capacity or --mem holds more%s",
                   d->total, d->first, full_advice(d->filter));
    if (st == BPK_E_LIMIT)
        return say(EXIT_LIMIT, NULL,
                   "dedup: the filter needs more than --mem to grow after %" PRIu64 " records, of which %" PRIu64
                   " were first ones",
                   d->total, d->first);
    return st == BPK_OK ? 0 : say_status(FILTER, st);
}

static int drain(void *ctx, const batch *b) {
    dedup *d = ctx;
    size_t done = 0;
    int code = 0;
    if (d->exact) {
        bpk_items it = {.n = b->n, .hash = b->hash, .item = b->item, .len = b->len};
        bpk_status st = bpk_exact_add(d->exact, &it, d->changed, &done);
        if (st == BPK_OK) done = b->n;
        emit(d, b, 0, done);
        if (st == BPK_E_LIMIT || st == BPK_E_FULL) code = go_on_with_filter(d);
        else if (st != BPK_OK) code = say_status(NULL, st);
    }
    if (!code && d->filter && done < b->n) code = add_to_filter(d, b, done);
    if (!d->out.file) output_flush(&d->out); /* whoever follows a growing log sees what has come */
    return d->out.failed ? EXIT_USAGE : code;
}

/* ---- ending ---- */

static uint64_t lost_upper(const dedup *d) {
    return loss_most(&d->lost, BPK_CONFIDENCE);
}

/* Those let through, and those that were lost. */
static bpk_estimate number_of_unique(const dedup *d) {
    double first = (double)d->first;
    if (!d->filter) return (bpk_estimate){first, first, first, BPK_CONFIDENCE, BPK_EXACT};
    double lost = fmin(loss_expected(&d->lost), (double)lost_upper(d));
    return (bpk_estimate){first + lost, first, first + (double)lost_upper(d), BPK_CONFIDENCE, BPK_ONE_SIDED};
}

static void summary(dedup *d) {
    const options *o = d->o;
    uint64_t repeated = d->total - d->first;
    if (!o->json) {
        const char *name = o->repeats ? "repeated" : "unique";
        output_text(&d->out, "%s\t%" PRIu64 "\ntotal\t%" PRIu64 "\n", name, o->repeats ? repeated : d->first, d->total);
        return;
    }
    json_t *j = answer_json(&(answer){
        .method = d->filter ? bpk_kind_name(d->filter) : "exact",
        .value = number_of_unique(d),
        .unit = BPK_UNIT_ITEMS,
        .report = d->report,
        .seconds = now_seconds() - d->start,
    });
    json_object_set_new(j, "unique", json_integer((json_int_t)d->first));
    json_object_set_new(j, "repeated", json_integer((json_int_t)repeated));
    if (d->filter) {
        json_object_set_new(j, "rate_now", json_real(d->lost.rate));
        json_object_set_new(j, "lost", json_real(loss_expected(&d->lost)));
        json_object_set_new(j, "lost_upper", json_integer((json_int_t)lost_upper(d)));
        moments_json(&d->when, j);
    }
    json_put(&d->out, j);
}

/* A filter is never lossy silently: only --quiet keeps this back. */
static void note(const dedup *d) {
    if (d->filter && !d->o->quiet)
        say(0, NULL,
            "dedup: answered by a filter, rate now %.3g: about %.2f new records were taken for repeats (95 %%: at most "
            "%" PRIu64 ")",
            d->lost.rate, loss_expected(&d->lost), lost_upper(d));
    if (d->filter) moments_note(&d->when);
    if (d->o->verbose)
        say(0, NULL, "dedup: %" PRIu64 " records, %" PRIu64 " first ones, %" PRIu64 " repeats, method %s", d->total,
            d->first, d->total - d->first, d->filter ? bpk_kind_name(d->filter) : "exact");
}

/* What was printed is in the state, also after a stop at a limit. */
static int end(dedup *d, int code) {
    if (d->filter) loss_end(&d->lost, d->filter);
    if ((d->o->only_count || d->o->json) && !code) summary(d);
    bool keep = code == 0 || !d->out.file;
    int closed = output_close(&d->out, code == 0);
    if (closed && closed != EXIT_BAD) return closed;
    if (!code || code == EXIT_LIMIT) note(d);
    int saved = keep && d->o->state ? sketch_save(d->o, d->filter, d->o->state) : 0;
    if (d->filter && (!code || code == EXIT_LIMIT))
        say_health(d->o, "the filter", d->filter); /* with what it tolerates */
    return code ? code : saved ? saved : closed;
}

static int stream(dedup *d) {
    input *in;
    input_options how = d->o->in;
    d->start = now_seconds();
    how.as_int = d->hasher.domain.type == BPK_I64;
    int code = input_open(&in, &how, &d->o->env);
    if (code) return code;
    code = no_sketches(in, "dedup");
    if (!code) code = output_open(&d->out, d->o->output);
    if (!code) {
        consumer one = {.ctx = d, .drain = drain};
        code = input_run(in, &d->hasher, &one, &d->report);
        code = end(d, code);
    }
    input_close(in);
    return code ? code : exit_after(&d->report);
}

static int run(const options *o) {
    if (o->repeats && o->json)
        return say(EXIT_USAGE, NULL, "--repeated and --json contradict each other: the JSON tells both numbers");
    int code = check_state(o);
    if (code) return code;
    dedup *d = calloc(1, sizeof *d);
    if (!d) return say_status(NULL, BPK_E_NOMEM);
    d->o = o;
    code = o->state ? sketch_target(o, o->state) : 0;
    if (!code) code = prepare(d);
    if (!code) code = stream(d);
    bpk_exact_free(d->exact);
    bpk_free(d->filter);
    free(d);
    return code;
}

const verb verb_dedup = {
    .name = "dedup",
    .bit = V_DEDUP,
    .operands = "[FILE]...",
    .reads_records = true,
    .run = run,
    .about = "each record once, the first time it comes; the order stays.",
    .examples = "  ballpark dedup words.txt                           # exact, in place of awk '!seen[$0]++'\n"
                "  ballpark dedup -f 1 access.log                     # the first record of each address\n"
                "  ballpark dedup -D -f 1 access.log                  # all the others\n"
                "  ballpark dedup --mem 64M --fpr 1e-6 huge.txt       # goes on with a filter when 64 MB are used up\n"
                "  crawl | ballpark dedup --state seen.bpk >> new.txt # remembers across runs\n"
                "  alerts | ballpark dedup --window 30m               # what did not come in the last 30 minutes\n"
                "  ballpark dedup --window 24h --format log --time time -f ip access.log\n",
    .notes =
        "Without --fpr and --state the answer is exact, or dedup stops at --mem with exit code 5. With --fpr the exact "
        "set\n"
        "and the filter take half of --mem each, and the end says how many records false positives may have cost: the\n"
        "sum over the records let through of r / (1 - r), r being the filter's rate at that moment.\n"
        "--state keeps a filter that grows, at 1e-6 in all; without --capacity it is first planned for twice the "
        "records\n"
        "of the files (1M or more; 1M where pipes or compressed files are read). With --window it forgets. A window of "
        "time\n"
        "is planned for --capacity items (1M); when more come, less time is remembered, and that is said.\n",
};
