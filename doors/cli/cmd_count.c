/* cmd_count.c - ballpark count SET [KEYS]...: how often do these keys come in a set of records? From the records,
 * exactly while there are few different ones, or from a sketch that counts. */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "counts.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "recent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "cms"

typedef struct count {
    const options *o;
    output out;
    bpk_hasher hasher;
    counts set;
    bpk_sketch *found; /* of a sketch SET */
    json_t *rows;
    bool decays; /* counts have fractions */
    char kind[KIND_TEXT_MAX];
    uint64_t keys, below_noise, stuck, rounded;
    input_report report; /* of the keys */
    double start;        /* of the clock */
    bpk_estimate answer[BATCH_MAX];
} count;

/* ---- the set ---- */

static int load_text(count *c, input *in) {
    const options *o = c->o;
    int code = hasher_make(&c->hasher, o, NULL, NULL);
    if (!code) code = sketch_new(&c->set.sketch, KIND, &c->hasher.domain, o, NULL, 0, &o->env);
    return code ? code : counts_run(&c->set, in, &c->hasher, o->exact_limit, o, NULL);
}

static int load_sketches(count *c, const found_sketch *found, size_t n) {
    const options *o = c->o;
    bpk_err err;
    uint64_t nothing = 0;
    int code = no_record_options(o, found[0].file);
    if (!code) code = unite(&c->found, found, n, &o->env);
    if (code) return code;
    if (bpk_count(c->found, &nothing, 0, o->confidence, c->answer, &err) != BPK_OK) return say_err(found[0].file, &err);
    c->decays = sketch_decays(c->found);
    code = params_fit(o, c->found, found[0].file);
    return code ? code : hasher_make(&c->hasher, o, c->found, found[0].file);
}

static int load_set(count *c) {
    input *in;
    size_t n;
    input_options how = c->o->in;
    how.files = c->o->operands;
    how.n_files = 1;
    int code = input_open(&in, &how, &c->o->env);
    if (code) return code;
    const found_sketch *found = input_sketches(in, &n);
    code = n ? load_sketches(c, found, n) : load_text(c, in);
    input_close(in);
    return code;
}

static const bpk_sketch *sketch_of(const count *c) {
    return c->found ? c->found : c->set.sketch;
}

/* ---- the answers ---- */

static void put_json(count *c, const void *key, size_t len, const bpk_estimate *e) {
    json_t *j = json_object();
    set_key(j, key, len);
    set_limits(j, e, BPK_UNIT_ITEMS);
    json_object_set_new(j, "exact", json_boolean(e->flags & BPK_EXACT));
    json_object_set_new(j, "flags", flags_json(e->flags));
    json_array_append_new(c->rows, j);
}

static void put_csv(count *c, const void *key, size_t len, const bpk_estimate *e) {
    char flags[96];
    flags_text(flags, sizeof flags, e->flags);
    csv_key(&c->out, key, len);
    char point[COUNT_TEXT_MAX], low[COUNT_TEXT_MAX], high[COUNT_TEXT_MAX];
    output_text(&c->out, ",%s,%s,%s,%s,%s\n", weight_text(point, e->estimate), weight_text(low, e->lower),
                weight_text(high, e->upper), e->flags & BPK_EXACT ? "true" : "false", flags);
}

static void put_plain(count *c, const void *key, size_t len, const bpk_estimate *e) {
    char point[COUNT_TEXT_MAX], low[COUNT_TEXT_MAX], high[COUNT_TEXT_MAX];
    output_text(&c->out, "%s\t", weight_text(point, e->estimate));
    if (c->o->ci) output_text(&c->out, "%s\t%s\t", weight_text(low, e->lower), weight_text(high, e->upper));
    const char *note = e->flags & BPK_BELOW_NOISE ? "\tbelow noise" : "";
    output_put(&c->out, key, len);
    output_record(&c->out, c->o, note, strlen(note));
}

static void answer_one(count *c, const void *key, size_t len, const bpk_estimate *raw) {
    const bpk_estimate w = whole_or_decayed(raw, c->decays), *e = &w;
    c->keys++;
    c->below_noise += (e->flags & BPK_BELOW_NOISE) != 0;
    c->stuck += (e->flags & BPK_SATURATED) != 0;
    c->rounded += !(e->flags & BPK_EXACT);
    if (c->rows) put_json(c, key, len, e);
    else if (c->o->csv) put_csv(c, key, len, e);
    else put_plain(c, key, len, e);
}

/* Fills c->answer for a batch. */
static int ask(count *c, const batch *b) {
    bpk_err err;
    for (size_t i = 0; c->set.exact && i < b->n; i++)
        c->answer[i] = bpk_tally_count(c->set.exact, b->hash[i], b->item[i], b->len[i]);
    if (c->set.exact) return 0;
    bpk_status st = bpk_count(sketch_of(c), b->hash, b->n, c->o->confidence, c->answer, &err);
    return st == BPK_OK ? 0 : say_err(c->o->operands[0], &err);
}

static int drain(void *ctx, const batch *b) {
    count *c = ctx;
    int code = ask(c, b);
    for (size_t i = 0; i < b->n && !code; i++) answer_one(c, b->record[i], b->record_len[i], &c->answer[i]);
    if (!c->out.file) output_flush(&c->out);
    return c->out.failed ? EXIT_USAGE : code;
}

/* Whole records, whatever fields are taken from those of SET. */
static int answer_files(count *c) {
    input *in;
    size_t n;
    input_options how = c->o->in;
    how.fields.n = how.weight.n = 0;
    int code = input_open(&in, &how, &c->o->env);
    if (code) return code;
    const found_sketch *found = input_sketches(in, &n);
    const consumer one = {.ctx = c, .drain = drain};
    if (n) code = say(EXIT_USAGE, found[0].file, "is a sketch; keys are records");
    else code = input_run(in, &c->hasher, &one, &c->report);
    input_close(in);
    return code;
}

/* One key of --key: folded or spelled as items of records are. */
static int answer_key(count *c, const char *key) {
    char spelled[24];
    int64_t v;
    size_t len = strlen(key);
    bool as_int = c->hasher.domain.type == BPK_I64;
    if (as_int && !bpk_parse_i64(key, len, &v)) return say(EXIT_USAGE, NULL, "--key %s: no integer", key);
    char *item = as_int ? spelled : strdup(key);
    if (!item) return say_status(NULL, BPK_E_NOMEM);
    if (as_int) snprintf(spelled, sizeof spelled, "%" PRId64, v);
    for (char *p = item; *p && c->o->in.fold_case && !as_int; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p + 'a' - 'A');
    const void *item_p = item, *record = key;
    size_t item_n = strlen(item);
    uint64_t hash = as_int ? bpk_hash_i64(&c->hasher, v) : bpk_hash(&c->hasher, item, item_n);
    const batch one = {.n = 1, .item = &item_p, .len = &item_n, .hash = &hash, .record = &record, .record_len = &len};
    int code = drain(c, &one);
    if (!as_int) free(item);
    return code;
}

static int answer_all(count *c) {
    const options *o = c->o;
    int code = 0;
    if (!o->n_keys) return answer_files(c);
    for (size_t i = 0; i < o->n_keys && !code; i++) code = answer_key(c, o->key[i]);
    return code;
}

/* ---- saying it ---- */

static const char *method(count *c) {
    if (c->set.exact) return "exact";
    inner_kind(c->kind, sketch_of(c));
    return c->kind;
}

static int put_object(count *c) {
    bpk_err err;
    bpk_estimate total = {.estimate = c->set.exact ? (double)bpk_tally_total(c->set.exact) : 0};
    if (!c->set.exact && bpk_count(sketch_of(c), NULL, 0, 0, &total, &err) != BPK_OK)
        return say_err(c->o->operands[0], &err);
    input_report both = c->set.report;
    both.bad_records += c->report.bad_records;
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(method(c)));
    json_object_set_new(j, "exact", json_boolean(c->set.exact && !c->rounded));
    json_object_set_new(j, "rows", json_incref(c->rows));
    json_object_set_new(j, "total", number_json(total.estimate, BPK_UNIT_ITEMS));
    json_object_set_new(j, "confidence", json_real(c->o->confidence));
    set_report(j, &both, now_seconds() - c->start);
    json_put(&c->out, j);
    return 0;
}

static void note(count *c) {
    const options *o = c->o;
    if (c->below_noise && !o->quiet)
        say(0, NULL, "count: %" PRIu64 " of %" PRIu64 " keys are below the noise: they may never have come",
            c->below_noise, c->keys);
    if (c->stuck && !o->quiet)
        say(0, NULL, "count: %" PRIu64 " of %" PRIu64 " keys come at least so often: their counters are at their end",
            c->stuck, c->keys);
    if (o->verbose)
        say(0, NULL, "count: %" PRIu64 " records, %" PRIu64 " keys, %.3f s, method %s", c->set.report.records, c->keys,
            now_seconds() - c->start, method(c));
}

static int print(count *c) {
    const options *o = c->o;
    int code = output_open(&c->out, o->output);
    if (code) return code;
    c->rows = o->json ? json_array() : NULL;
    if (o->csv) output_text(&c->out, "key,estimate,lower,upper,exact,flags\n");
    code = answer_all(c);
    if (!code && o->json) code = put_object(c);
    int closed = output_close(&c->out, !code);
    if (!code) note(c);
    return closed ? closed : code;
}

/* Standard input is the set or the keys. */
static int check_operands(const options *o) {
    const char *const set_and_keys[] = {o->operands[0], "-"};
    if (o->n_keys && o->n_operands > 1) return say(EXIT_USAGE, NULL, "--key and a file of keys contradict each other");
    if (!o->n_keys && o->in.n_files == 0) return input_once(set_and_keys, 2);
    return input_once(o->operands, o->n_operands);
}

static int run(const options *o) {
    int code = check_operands(o);
    if (code) return code;
    count *c = calloc(1, sizeof *c);
    if (!c) return say_status(NULL, BPK_E_NOMEM);
    c->o = o;
    c->start = now_seconds();
    code = load_set(c);
    if (!code) code = print(c);
    if (!code) code = exit_after(&c->set.report);
    if (!code) code = exit_after(&c->report);
    json_decref(c->rows);
    bpk_free(c->found);
    counts_free(&c->set);
    free(c);
    return code;
}

const verb verb_count = {
    .name = "count",
    .bit = V_COUNT,
    .operands = "SET [KEYS]...",
    .operands_min = 1,
    .inputs_from = 1,
    .reads_records = true,
    .run = run,
    .about = "how often given keys come in SET: text, or a sketch that counts.",
    .examples = "  ballpark count -f 1 access.log addresses.txt       # a line of addresses.txt each, in its order\n"
                "  ballpark count -f ip --format log access.log -k 192.0.2.7 -k 192.0.2.8\n"
                "  ballpark build cms -f 1 -o day.bpk access.log && ballpark count day.bpk addresses.txt\n"
                "  ballpark count --ci day.bpk -k 192.0.2.7           # count, lower, upper, key\n",
    .notes =
        "Lines are count, tab, key. -f, -w and their like are of the records of SET; a key is a whole record of KEYS.\n"
        "A sketch's upper limit is never too low. An answer that is not told from that of a key that never came ends\n"
        "with a tab and \"below noise\".\n",
};
