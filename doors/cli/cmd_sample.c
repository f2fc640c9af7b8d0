/* cmd_sample.c - ballpark sample [FILE]...: some of the records, chosen at random: so many of all or of each group,
 * with or without weights; or a share of them (bernoulli.c).
 *
 * Saved samples among the inputs and the text, as one more sample, are united, so that no order has a say. Without
 * groups and weights most records are only counted: the sample says how many it will not look at.
 */
#define _GNU_SOURCE
#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"
#include "headers.h"
#include "bernoulli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "sample"

enum { GROUPS_USUAL = 1000 };

typedef struct sample {
    const options *o;
    output out;
    input *in;
    const found_sketch *found;
    size_t n_found;
    bpk_hasher hasher;
    bpk_sample *text; /* of the records that are read */
    bpk_sketch *sum;  /* of everything; NULL without sketches among the inputs */
    headers headers;
    input_report report;
    double start; /* of the clock */
    json_t *rows;
} sample;

static bpk_sketch *result(const sample *s) {
    return s->sum ? s->sum : bpk_sample_base(s->text);
}

/* ---- which sample ---- */

/* A count among the parameters, else that of the samples among the inputs, else the usual one. */
static uint32_t number_for(const sample *s, const char *name, uint32_t usual) {
    const char *text = param_value(s->o, name);
    uint64_t asked;
    double found;
    if (text && bpk_parse_count(text, &asked) == BPK_OK) return (uint32_t)asked;
    return s->sum && sketch_number(s->sum, name, &found) ? (uint32_t)found : usual;
}

/* Of the text. */
static int new_sample(sample *s) {
    const options *o = s->o;
    bpk_sample_config c = {.domain = s->hasher.domain, .weighted = o->in.weight.n};
    c.k = number_for(s, "k", 0);
    c.groups = o->in.group.n ? number_for(s, "groups", GROUPS_USUAL) : 0;
    int code = draw_source(o, &c.seed, &c.stream);
    bpk_status st = code ? BPK_OK : bpk_sample_new(&s->text, &c, &o->env);
    return st == BPK_OK ? code : say_status(KIND, st);
}

/* Where there are no records to read. */
static int no_reading_options(const options *o, const char *file) {
    const char *option = o->draws_seeded ? "seed" : o->in.header ? "header" : NULL;
    return option ? say(EXIT_USAGE, file, "is a sketch; --%s is of records", option) : no_record_options(o, file);
}

/* The samples among the inputs rule hash and shape. */
static int unite_found(sample *s) {
    const options *o = s->o;
    const char *file = s->found[0].file;
    for (size_t i = 0; i < s->n_found; i++)
        if (!bpk_as_sample(s->found[i].sketch))
            return say(EXIT_SKETCH, s->found[i].file, "a sketch of kind %s is no sample",
                       bpk_kind_name(s->found[i].sketch));
    int code = input_has_text(s->in) ? 0 : no_reading_options(o, file);
    if (!code) code = unite(&s->sum, s->found, s->n_found, &o->env);
    return code ? code : params_fit(o, s->sum, file);
}

static int prepare(sample *s) {
    const options *o = s->o;
    int code = input_open(&s->in, &o->in, &o->env);
    if (code) return code;
    s->found = input_sketches(s->in, &s->n_found);
    if (s->n_found) code = unite_found(s);
    if (code || (s->n_found && !input_has_text(s->in))) return code;
    if (!s->n_found && !param_value(o, "k")) return say(EXIT_USAGE, NULL, "sample needs -n or -p");
    code = hasher_make(&s->hasher, o, s->sum, s->n_found ? s->found[0].file : NULL);
    return code ? code : new_sample(s);
}

/* ---- reading ---- */

static int say_add(bpk_status st) {
    if (st == BPK_E_LIMIT)
        return say(EXIT_LIMIT, NULL, "sample: the chosen records need more than --mem; a larger --mem or a smaller -n");
    return say_status(KIND, st);
}

static int drain(void *ctx, const batch *b) {
    sample *s = ctx;
    const bpk_items it = {.n = b->n,
                          .hash = b->hash,
                          .item = b->record,
                          .len = b->record_len,
                          .real_weight = b->real_weight,
                          .group = b->group,
                          .group_name = b->group_name,
                          .group_len = b->group_len};
    bpk_status st = bpk_add(bpk_sample_base(s->text), &it, NULL, NULL);
    return st == BPK_OK ? 0 : say_add(st);
}

static uint64_t ahead(void *ctx) {
    const sample *s = ctx;
    return bpk_sample_ahead(s->text);
}

static int passed(void *ctx, uint64_t records) {
    const sample *s = ctx;
    bpk_status st = bpk_sample_pass(s->text, records);
    return st == BPK_OK ? 0 : say_add(st);
}

static int take_header(void *ctx, const char *file, const void *record, size_t len) {
    sample *s = ctx;
    return headers_note(&s->headers, s->o, file, record, len);
}

static int join_found(sample *s) {
    const found_sketch both[] = {{s->found[0].file, s->sum}, {"the text", bpk_sample_base(s->text)}};
    bpk_sketch *all;
    int code = unite(&all, both, 2, &s->o->env);
    if (code) return code;
    bpk_free(s->sum);
    s->sum = all;
    return 0;
}

static int read_text(sample *s) {
    const input_options *how = &s->o->in;
    bool each = how->fields.n || how->group.n || how->weight.n || s->hasher.domain.type != BPK_BYTES; /* is looked at */
    const consumer one = {
        .ctx = s, .drain = drain, .header = take_header, .ahead = each ? NULL : ahead, .passed = passed};
    const consumer nobody = {0};
    int code = input_run(s->in, s->text ? &s->hasher : NULL, s->text ? &one : &nobody, &s->report);
    return !code && s->text && s->sum ? join_found(s) : code;
}

/* ---- the records ---- */

static bool put_row(void *ctx, const bpk_sample_row *row) {
    sample *s = ctx;
    output_record(&s->out, s->o, row->item, row->len);
    return !s->out.failed;
}

/* Weights have no limit at which they would mean another thing. */
static json_t *weight_json(double v) {
    return v == floor(v) && v < 0x1p53 ? json_integer((json_int_t)v) : json_real(v);
}

static bool row_json(void *ctx, const bpk_sample_row *row) {
    sample *s = ctx;
    json_t *j = json_object();
    set_key(j, row->item, row->len);
    json_object_set_new(j, "stratum", json_integer((json_int_t)row->stratum));
    json_object_set_new(j, "weight", weight_json(row->weight));
    json_array_append_new(s->rows, j);
    return true;
}

/* Without groups the one stratum has no name. */
static bool stratum_json(void *ctx, const bpk_sample_stratum *t) {
    json_t *list = ctx, *j = json_object();
    set_key(j, t->name, t->len);
    json_object_set_new(j, "n", json_integer((json_int_t)t->n));
    json_object_set_new(j, "kept", json_integer((json_int_t)t->kept));
    json_object_set_new(j, "weight", weight_json(t->weight));
    json_object_set_new(j, "pooled", json_boolean(t->pooled));
    json_array_append_new(list, j);
    return true;
}

/* ---- saying it ---- */

typedef struct pool {
    uint64_t groups, records;
    bool used;
} pool;

static bool note_stratum(void *ctx, const bpk_sample_stratum *t) {
    pool *p = ctx;
    p->groups += !t->pooled;
    p->used = p->used || t->pooled;
    p->records += t->pooled ? t->n : 0;
    return true;
}

static void put_object(sample *s) {
    const bpk_sample *all = bpk_as_sample(result(s));
    json_t *strata = json_array(), *j = json_start();
    pool p = {0};
    bpk_sample_strata(all, stratum_json, strata);
    bpk_sample_strata(all, note_stratum, &p);
    json_object_set_new(j, "method", json_string(KIND));
    json_object_set_new(j, "n", json_integer((json_int_t)bpk_sample_seen(all)));
    json_object_set_new(j, "kept", json_integer((json_int_t)bpk_sample_kept(all)));
    json_object_set_new(j, "share_error", json_real(bpk_sample_error(all, s->o->confidence)));
    json_object_set_new(j, "confidence", json_real(s->o->confidence));
    json_object_set_new(j, "pooled", json_boolean(p.used));
    json_object_set_new(j, "strata", strata);
    if (s->headers.first) json_object_set_new(j, "header", json_bytes(s->headers.first, s->headers.n));
    json_object_set_new(j, "rows", s->rows);
    set_report(j, &s->report, now_seconds() - s->start);
    s->rows = NULL;
    json_put(&s->out, j);
}

/* Groups that share a stratum are never so in silence: only --quiet keeps this back. */
static void note(const sample *s) {
    const options *o = s->o;
    const bpk_sample *all = bpk_as_sample(result(s));
    pool p = {0};
    bpk_sample_strata(all, note_stratum, &p);
    if (p.used && !o->quiet)
        say(0, NULL,
            "sample: %" PRIu64 " groups have a stratum of their own; the %" PRIu64
            " records of all others share one; --groups allows more",
            p.groups, p.records);
    if (o->ci)
        say(0, NULL,
            "sample: %" PRIu64 " of %" PRIu64 " records; a share of all%s, as found in them, is off by %.3g percentage "
            "points at most (%.6g %%)",
            bpk_sample_kept(all), bpk_sample_seen(all), o->in.weight.n ? " weight" : "",
            100 * bpk_sample_error(all, o->confidence), 100 * o->confidence);
    if (!o->verbose) return;
    say(0, NULL, "sample: %" PRIu64 " records read, %" PRIu64 " of %" PRIu64 " kept, %.3f s", s->report.records,
        bpk_sample_kept(all), bpk_sample_seen(all), now_seconds() - s->start);
}

static int print(sample *s) {
    const options *o = s->o;
    int code = answer_open(&s->out, o);
    if (code) return code;
    s->rows = o->json ? json_array() : NULL;
    if (s->headers.first && !o->json) output_record(&s->out, o, s->headers.first, s->headers.n);
    bpk_status st = bpk_sample_rows(bpk_as_sample(result(s)), o->shuffle ? BPK_SAMPLE_SHUFFLED : BPK_SAMPLE_INPUT,
                                    o->json ? row_json : put_row, s);
    if (st != BPK_OK) code = say_status(KIND, st);
    if (!code && o->json) put_object(s);
    int closed = output_close(&s->out, !code);
    return code ? code : closed;
}

static int save(sample *s) {
    int code = sketch_save(s->o, result(s), s->o->save);
    say_health(s->o, s->o->save, result(s));
    return code;
}

static int choose_and_say(sample *s) {
    s->start = now_seconds();
    int code = prepare(s);
    if (!code) code = read_text(s);
    if (code) return code;
    code = print(s);
    if (!code) note(s);
    int saved = s->o->save ? save(s) : 0;
    if (code || saved) return code ? code : saved;
    return exit_after(&s->report);
}

static int reservoir_run(const options *o) {
    int code = o->save ? sketch_target(o, o->save) : 0;
    if (code) return code;
    sample *s = calloc(1, sizeof *s);
    if (!s) return say_status(NULL, BPK_E_NOMEM);
    s->o = o;
    code = choose_and_say(s);
    json_decref(s->rows);
    headers_free(&s->headers);
    bpk_free(s->sum);
    bpk_free(bpk_sample_base(s->text));
    input_close(s->in);
    free(s);
    return code;
}

/* ---- options that say nothing together ---- */

typedef struct given {
    bool is;
    const char *option;
} given;

/* NULL: none of them. */
static const char *first_given(const given *all, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (all[i].is) return all[i].option;
    return NULL;
}

/* What a record is known by, which is of no use where nobody asks for it. */
static const char *option_of_items(const options *o) {
    const given all[] = {{o->in.fields.n, "field"},
                         {o->in.fold_case, "ignore-case"},
                         {o->as, "as"},
                         {o->seed_given, "hash-seed"},
                         {o->key_file != NULL, "key-file"}};
    return first_given(all, sizeof all / sizeof *all);
}

/* Beside -p, which draws while it reads, and keeps nothing. */
static int check_bernoulli(const options *o) {
    const given other[] = {{param_value(o, "k") != NULL, "number"},
                           {o->in.weight.n, "weight"},
                           {o->in.group.n, "group"},
                           {o->shuffle, "shuffle"},
                           {o->save != NULL, "save"},
                           {o->ci, "ci"},
                           {o->in.fields.n, "field"}};
    const given draws[] = {{o->draws_seeded, "seed"}, {o->stream_given, "stream"}};
    const char *option = first_given(other, sizeof other / sizeof *other);
    if (option) return say(EXIT_USAGE, NULL, "--%s and --probability contradict each other", option);
    option = o->by_key ? first_given(draws, sizeof draws / sizeof *draws) : NULL;
    if (option) return say(EXIT_USAGE, NULL, "--%s and --key-field contradict each other: nothing is drawn", option);
    option = o->by_key ? NULL : option_of_items(o);
    return option ? say(EXIT_USAGE, NULL, "--%s needs --key-field", option) : 0;
}

static int check_reservoir(const options *o) {
    if (o->by_key) return say(EXIT_USAGE, NULL, "--key-field needs --probability");
    if (param_value(o, "groups") && !o->in.group.n) return say(EXIT_USAGE, NULL, "--groups needs --group");
    const char *option = o->save ? NULL : option_of_items(o);
    return option ? say(EXIT_USAGE, NULL, "--%s needs --save", option) : 0;
}

static int run(const options *o) {
    const char *saving = option_of_saving(o);
    if (saving && !o->save) return say(EXIT_USAGE, NULL, "--%s needs --save", saving);
    int code = o->stream_given && !o->draws_seeded ? say(EXIT_USAGE, NULL, "--stream needs --seed") : 0;
    if (!code) code = o->probability_given ? check_bernoulli(o) : check_reservoir(o);
    if (code) return code;
    return o->probability_given ? bernoulli_run(o) : reservoir_run(o);
}

const verb verb_sample = {
    .name = "sample",
    .bit = V_SAMPLE,
    .operands = "[FILE]...",
    .reads_records = true,
    .run = run,
    .about = "some of the records at random: so many, of each group too, or a share of them.",
    .examples =
        "  ballpark sample -n 1000 access.log                 # in place of shuf -n 1000, in the order of the log\n"
        "  ballpark sample -n 1000 -H orders.csv              # behind the header\n"
        "  ballpark sample -p 1% access.log                   # each with probability 1 %\n"
        "  ballpark sample -p 1% -k ip --format log *.log     # everything of one in a hundred addresses\n"
        "  ballpark sample -n 10 -g status --format log log   # ten of each status\n"
        "  ballpark sample -n 100 -w 3 accounts.txt           # by weight\n"
        "  ballpark sample -n 1000 --save mon.bpk mon.log     # and later, of the days together:\n"
        "  ballpark sample mon.bpk tue.bpk\n",
    .notes =
        "With -n every set of K records is as likely as any other, and the order is that of the input. Without --seed\n"
        "every run chooses anew. Saved samples of parts merge; with one --seed each part takes a --stream of its own.\n"
        "With -H the header of the first file comes first; those of the other files are left out.\n"
        "With -w a record of weight 0 is never chosen. With -g more than --groups groups share a pool, which is "
        "said.\n",
};
