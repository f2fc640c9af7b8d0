/* cmd_has.c - ballpark has SET [FILE]...: the records whose item is in the set, as grep -Fxf, with a filter or a list;
 * with --remove they are taken out of the filter. */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "gather.h"
#include "false_positives.h"
#include "lock.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REMOVERS "a cuckoo, growing or not, or a cbloom"

enum { ENOUGH = -1 }; /* ends the run: --quiet knows its answer */

typedef struct has {
    const options *o;
    output out;
    bpk_hasher hasher;
    bpk_exact *exact;   /* of a text SET */
    bpk_sketch *filter; /* of a sketch SET */
    double rate;        /* with --remove: before it */
    double suspects;    /* of the filter, likewise */
    uint64_t records, in_set, selected;
    input_report report;
    double start; /* of the clock */
    uint8_t yes[BATCH_MAX];
} has;

/* ---- the set ---- */

static int take_text(void *ctx, const batch *b) {
    has *h = ctx;
    bpk_items it = {.n = b->n, .hash = b->hash, .item = b->item, .len = b->len};
    bpk_status st = bpk_exact_add(h->exact, &it, NULL, NULL);
    return st == BPK_OK ? 0 : say(exit_of(st), h->o->operands[0], "the set needs more than --mem");
}

static int load_text(has *h, input *in) {
    input_report report;
    consumer one = {.ctx = h, .drain = take_text};
    int code = hasher_private(&h->hasher, h->o);
    if (code) return code;
    bpk_status st = bpk_exact_new(&h->exact, &h->hasher.domain, 0, &h->o->env);
    if (st != BPK_OK) return say_status(h->o->operands[0], st);
    code = input_run(in, &h->hasher, &one, &report);
    if (code || (!report.bad_files && !report.bad_records)) return code;
    return say(EXIT_USAGE, h->o->operands[0], "was not read whole: a \"no\" would not be certain");
}

static int load_sketches(has *h, const found_sketch *found, size_t n) {
    bpk_err err;
    int code = unite(&h->filter, found, n, &h->o->env);
    if (code) return code;
    if (bpk_has(h->filter, NULL, 0, NULL, &err) != BPK_OK) return say_err(found[0].file, &err);
    return hasher_make(&h->hasher, h->o, h->filter, found[0].file);
}

/* A filter that forgets what it is told to: its file is this run's until it ends. */
static int load_to_change(has *h) {
    const options *o = h->o;
    const char *file = o->operands[0];
    parts set = {0};
    bpk_err err;
    struct stat there;
    if (strcmp(file, "-") == 0) return say(EXIT_USAGE, NULL, "--remove needs the file that is to change");
    if (same_target(o->output, file)) return say(EXIT_USAGE, NULL, "two outputs go to %s", file);
    if (stat(file, &there) != 0)
        return say(EXIT_USAGE, file, "%s", strerror(errno)); /* no lock beside what is not there */
    int code = lock_file(o, file);
    if (!code) code = sketch_target(o, file);
    if (!code) code = parts_add(&set, o, &o->operands[0], "--remove takes " REMOVERS);
    if (!code && set.n != 1) code = say(EXIT_SKETCH, file, "holds %zu sketches, expected one", set.n);
    if (!code) {
        bpk_status st = bpk_copy(&h->filter, set.at[0].sketch, &o->env); /* with its metadata */
        code = st == BPK_OK ? 0 : say_status(file, st);
    }
    parts_free(&set);
    if (code) return code;
    if (bpk_remove(h->filter, NULL, 0, NULL, &err) != BPK_OK)
        return say(EXIT_SKETCH, file, "a sketch of kind %s does not answer %s; it takes " REMOVERS,
                   bpk_kind_name(h->filter), err.field);
    h->rate = rate_now(h->filter);
    sketch_number(h->filter, "suspects", &h->suspects);
    return hasher_make(&h->hasher, o, h->filter, file);
}

/* Whole records of SET, whatever fields are taken from the others. */
static int load_set(has *h) {
    input *in;
    size_t n;
    input_options how = h->o->in;
    how.files = h->o->operands;
    how.n_files = 1;
    how.fields.n = 0;
    int code = input_open(&in, &how, &h->o->env);
    if (code) return code;
    const found_sketch *found = input_sketches(in, &n);
    code = n ? load_sketches(h, found, n) : load_text(h, in);
    input_close(in);
    return code;
}

/* ---- the records ---- */

static int drain(void *ctx, const batch *b) {
    has *h = ctx;
    const options *o = h->o;
    bool print = !o->quiet && !o->only_count && !o->json;
    if (o->remove) bpk_remove(h->filter, b->hash, b->n, h->yes, NULL);
    else if (h->exact) bpk_exact_has(h->exact, b->hash, b->n, h->yes);
    else bpk_has(h->filter, b->hash, b->n, h->yes, NULL);
    for (size_t i = 0; i < b->n; i++) {
        h->in_set += h->yes[i];
        if ((h->yes[i] != 0) == o->invert) continue;
        h->selected++;
        if (print) output_record(&h->out, o, b->record[i], b->record_len[i]);
    }
    h->records += b->n;
    if (!h->out.file) output_flush(&h->out);
    if (h->out.failed) return EXIT_USAGE;
    return o->quiet && h->selected && !o->remove ? ENOUGH : 0;
}

/* How many records should have been selected: false positives are too many, or with --invert too few. The limits are
 * certain ones: a false record that comes a thousand times counts a thousand times, which no interval from the rate
 * alone covers. */
static bpk_estimate number_selected(const has *h, double wrong) {
    double n = (double)h->selected, confidence = h->o->confidence;
    if (!h->filter) return (bpk_estimate){n, n, n, confidence, BPK_EXACT};
    if (h->o->invert) return (bpk_estimate){n + wrong, n, (double)h->records, confidence, BPK_ONE_SIDED};
    return (bpk_estimate){n - wrong, 0, n, confidence, BPK_ONE_SIDED};
}

static void summary(has *h, double rate) {
    const options *o = h->o;
    if (o->quiet) return;
    double wrong = false_repeats(rate, h->records - h->in_set, h->in_set);
    if (o->only_count && !o->json) output_text(&h->out, "%" PRIu64 "\n", h->selected);
    if (!o->json) return;
    json_t *j = answer_json(&(answer){
        .method = h->filter ? bpk_kind_name(h->filter) : "exact",
        .value = number_selected(h, wrong),
        .unit = BPK_UNIT_ITEMS,
        .report = h->report,
        .seconds = now_seconds() - h->start,
    });
    json_object_set_new(j, "selected", json_integer((json_int_t)h->selected));
    json_object_set_new(j, "in_set", json_integer((json_int_t)h->in_set));
    json_object_set_new(j, "rate_now", json_real(rate));
    json_object_set_new(j, "false_positives", json_real(wrong));
    json_object_set_new(j, "false_positives_upper",
                        json_integer((json_int_t)likely_most(wrong, o->confidence, h->in_set)));
    if (o->remove) json_object_set_new(j, "removed", json_integer((json_int_t)h->in_set));
    if (o->remove) json_object_set_new(j, "absent", json_integer((json_int_t)(h->records - h->in_set)));
    json_put(&h->out, j);
}

/* A stranger that is found takes another item's place away. */
static void note_removed(const has *h) {
    uint64_t absent = h->records - h->in_set;
    double wrong = false_repeats(h->rate, absent, h->in_set), confidence = h->o->confidence;
    if (h->o->quiet || (!absent && !h->o->ci)) return;
    say(0, NULL,
        "has: %" PRIu64 " of %" PRIu64
        " records are certainly not in %s and suspect; of strangers like them about %.2f "
        "were found, and others lost in their place (%.6g %%: at most %" PRIu64 ", unless records repeat)",
        absent, h->records, h->o->operands[0], wrong, 100 * confidence, likely_most(wrong, confidence, h->in_set));
}

/* Suspects are kept too, where the kind counts them. */
static bool is_changed(const has *h) {
    double now;
    return h->in_set || (sketch_number(h->filter, "suspects", &now) && now > h->suspects);
}

static void note(const has *h, double rate) {
    if (!h->filter) {
        say(0, NULL, "has: exact");
        return;
    }
    double wrong = false_repeats(rate, h->records - h->in_set, h->in_set), confidence = h->o->confidence;
    if (rate >= 1) {
        say(0, NULL, "has: rate now 1: every record is found, whether it was added or not");
        return;
    }
    say(0, NULL,
        "has: rate now %.3g: about %.2f of %" PRIu64 " records found are false positives (%.6g %%: at most %" PRIu64
        ", unless records repeat)",
        rate, wrong, h->in_set, 100 * confidence, likely_most(wrong, confidence, h->in_set));
}

/* What was printed is out of the file, also when something stops the run. */
static int end_removal(has *h, int code) {
    const options *o = h->o;
    if (!code) summary(h, h->rate);
    bool keep = !code || !h->out.file;
    int closed = output_close(&h->out, !code);
    if (closed && closed != EXIT_BAD) return closed;
    if (!code) note_removed(h);
    int saved = keep && is_changed(h) ? sketch_save(o, h->filter, o->operands[0]) : 0;
    if (!code) say_health(o, o->operands[0], h->filter);
    return code ? code : saved ? saved : closed;
}

static int end(has *h, int code) {
    const options *o = h->o;
    if (o->remove) return end_removal(h, code);
    bool tell = o->ci || (h->filter && isatty(2) && !o->quiet);
    double rate = h->filter && (tell || o->json) ? rate_now(h->filter) : 0;
    if (!code) summary(h, rate);
    int closed = output_close(&h->out, !code);
    if (tell && !code) note(h, rate);
    if (h->filter && !code) say_health(o, o->operands[0], h->filter);
    return closed ? closed : code;
}

static int stream(has *h) {
    input *in;
    input_options how = h->o->in;
    h->start = now_seconds();
    how.as_int = h->hasher.domain.type == BPK_I64;
    int code = input_open(&in, &how, &h->o->env);
    if (code) return code;
    code = no_sketches(in, "has");
    if (!code) code = output_open(&h->out, h->o->output);
    if (!code) {
        consumer one = {.ctx = h, .drain = drain};
        code = input_run(in, &h->hasher, &one, &h->report);
        code = end(h, code == ENOUGH ? 0 : code);
    }
    input_close(in);
    if (!code && h->o->quiet && h->selected && !h->o->remove) return EXIT_DONE; /* as grep: found is found */
    if (!code) code = exit_after(&h->report);
    return code ? code : h->selected ? EXIT_DONE : EXIT_NO;
}

static int run(const options *o) {
    has *h = calloc(1, sizeof *h);
    if (!h) return say_status(NULL, BPK_E_NOMEM);
    h->o = o;
    int code = o->wait > 0 && !o->remove ? say(EXIT_USAGE, NULL, "--wait needs --remove") : 0;
    if (!code) code = o->remove ? load_to_change(h) : load_set(h);
    if (!code) code = stream(h);
    bpk_exact_free(h->exact);
    bpk_free(h->filter);
    free(h);
    return code;
}

const verb verb_has = {
    .name = "has",
    .bit = V_HAS,
    .operands = "SET [FILE]...",
    .operands_min = 1,
    .inputs_from = 1,
    .reads_records = true,
    .run = run,
    .about = "the records whose item is in SET: a filter, or a text file with an item a line.",
    .examples = "  ballpark has blocked.bpk -f 1 access.log           # records of blocked addresses\n"
                "  ballpark has blocked.txt -f 1 access.log           # the same with the list itself, exactly\n"
                "  ballpark has -v seen.bpk urls.txt                  # those not seen yet; certain\n"
                "  ballpark has --remove seen.bpk expired.txt         # takes them out of a cuckoo or cbloom\n"
                "  if echo \"$ip\" | ballpark has -q blocked.bpk; then ...; fi\n",
    .notes =
        "A filter's \"no\" is certain; its \"yes\" is false at its rate: --ci and --json show it and what to expect.\n"
        "The bound beside that, at the confidence of --ci, is for records that do not repeat.\n"
        "--remove prints what was removed, -v what was certainly not in. Remove only what was added: a stranger that "
        "the\n"
        "filter takes for another item takes that one out.\n"
        "Exit code 0: some record was selected, 1: none.\n",
};
