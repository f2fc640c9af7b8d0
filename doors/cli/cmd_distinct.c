/* cmd_distinct.c - ballpark distinct [FILE]...: how many different items? Exact while they are few, then with an
 * interval.
 *
 * Sketches among the inputs are united, text joins them, and the answer is that of the union. Without sketches the
 * number of records is known, and no answer exceeds it.
 */
#define _GNU_SOURCE
#include "answer.h"
#include "by_group.h"
#include "cmd.h"
#include "domain.h"
#include "every.h"
#include "fit.h"
#include "gather.h"
#include "output.h"
#include "recent.h"

typedef struct distinct {
    const options *o;
    input *in;
    const found_sketch *found;
    size_t n_found;
    bpk_sketch *sum;  /* of the sketches found; NULL without */
    bpk_sketch *all;  /* of them and the text; NULL without either */
    bpk_sketch *like; /* an empty one for the text */
    const char *file; /* of the first sketch found; NULL without */
    bpk_hasher hasher;
    tally text;
    live live;
    double start; /* of the clock */
    char kind[KIND_TEXT_MAX];
} distinct;

/* The sketches among the inputs, the hasher, and the shape of the sketch for the rest. */
static int prepare(distinct *d) {
    const options *o = d->o;
    int code = input_open(&d->in, &o->in, &o->env);
    if (code) return code;
    d->found = input_sketches(d->in, &d->n_found);
    if (d->n_found) code = unite(&d->sum, d->found, d->n_found, &o->env);
    const char *file = d->file = d->n_found ? d->found[0].file : NULL;
    if (!code && input_has_text(d->in)) code = check_times_of_files(o);
    if (!code && d->sum) whole_kind(d->kind, d->sum);
    if (!code && d->sum && adds_weights(d->sum))
        code = say(EXIT_SKETCH, file, "a sketch of kind %s does not answer distinct", d->kind);
    if (code) return code;
    if (input_has_text(d->in) || !d->sum || o->seed_given || o->as || o->key_file)
        code = hasher_make(&d->hasher, o, d->sum, file);
    if (!code && !input_has_text(d->in) && o->in.time.n) code = no_record_options(o, file);
    bool windows = d->sum && (bpk_as_window(d->sum) || o->window);
    if (!code && windows) code = params_fit(o, d->sum, file); /* those of panes do not fold */
    if (code) return code;
    if (d->sum && (windows || !o->n_params)) {
        bpk_status st = bpk_twin(&d->like, d->sum, &o->env);
        return st == BPK_OK ? 0 : say_status(file, st);
    }
    const bpk_domain *domain = d->sum ? bpk_domain_of(d->sum) : &d->hasher.domain;
    return sketch_new(&d->like, d->sum ? bpk_kind_name(d->sum) : "hll", domain, o, NULL, 0, &o->env);
}

/* Text, and an accuracy that was asked for, join the sketches that were found. */
static int join_found(distinct *d) {
    const found_sketch both[] = {{d->file, d->sum}, {"the text", d->text.sketch ? d->text.sketch : d->like}};
    bpk_free(d->all);
    d->all = NULL;
    return unite(&d->all, both, 2, &d->o->env);
}

static int count_text(distinct *d) {
    uint64_t limit = d->sum ? 0 : d->o->exact_limit;
    const consumer nobody = {0};
    bool text = input_has_text(d->in) || !d->sum;
    int code = text ? moments_start(&d->text.when, d->o, d->like, d->file) : 0;
    if (code) return code;
    code = text ? tally_run(&d->text, d->in, &d->hasher, d->like, limit, d->o)
                : input_run(d->in, &d->hasher, &nobody, &d->text.report); /* counts what could not be read */
    return !code && d->sum && (d->text.sketch || d->o->n_params) ? join_found(d) : code;
}

/* What is asked where there is no exact set. */
static bpk_sketch *sketch_of(const distinct *d) {
    if (d->all) return d->all;
    return d->sum ? d->sum : d->text.sketch;
}

static int answer_of(distinct *d, answer *a) {
    double confidence = d->o->confidence;
    a->report = d->text.report;
    if (d->text.exact) {
        double n = (double)bpk_exact_items(d->text.exact);
        a->method = "exact";
        a->value = (bpk_estimate){n, n, n, confidence, BPK_EXACT};
        return 0;
    }
    bpk_err err;
    inner_kind(d->kind, sketch_of(d));
    a->method = d->kind;
    if (bpk_count(sketch_of(d), NULL, 0, confidence, &a->value, &err) != BPK_OK) return say_err(d->file, &err);
    /* There are no more different items than good records. */
    if (!d->sum) estimate_at_most(&a->value, (double)(a->report.records - a->report.bad_records));
    return 0;
}

/* An exact answer is saved as a sketch too. */
static int save(distinct *d) {
    bpk_sketch *s = sketch_of(d);
    if (!s) {
        bpk_err err = {.code = BPK_OK};
        if (bpk_exact_spill(d->text.exact, d->like, &err) != BPK_OK) return say_err(d->o->save, &err);
        s = d->like;
    }
    int code = sketch_save(d->o, s, d->o->save);
    say_health(d->o, d->o->save, s);
    return code;
}

static bool is_window(const distinct *d) {
    return !d->text.exact && bpk_as_window(sketch_of(d));
}

/* What there is to say besides, where the answer is that of a window. */
static json_t *json_of(const distinct *d, const answer *a) {
    json_t *j = d->o->json && is_window(d) ? answer_json(a) : NULL;
    coverage c;
    if (!j && d->o->json && live_on(&d->live)) j = answer_json(a);
    if (j) live_json(&d->live, j);
    if (!j || !is_window(d)) return j;
    c = coverage_of(sketch_of(d), d->text.when.late);
    coverage_json(j, d->o, &c);
    return j;
}

static void note_window(const distinct *d) {
    coverage c = coverage_of(sketch_of(d), d->text.when.late);
    coverage_note(d->o, &c);
}

/* On a terminal, the line above it too. */
static int print(distinct *d, answer *a) {
    coverage c;
    *a = (answer){.unit = BPK_UNIT_ITEMS};
    int code = answer_of(d, a);
    if (code) return code;
    a->seconds = now_seconds() - d->start;
    if (is_window(d)) c = coverage_of(sketch_of(d), d->text.when.late);
    live_head(&d->live, &a->report, is_window(d) ? &c : NULL);
    return answer_print(d->o, a, json_of(d, a));
}

/* While records still come. */
static int answer_now(void *ctx) {
    distinct *d = ctx;
    answer a;
    if (d->text.sketch) moments_catch_up(&d->text.when, d->text.sketch);
    int code = d->sum ? join_found(d) : 0;
    return code ? code : print(d, &a);
}

static int count_and_say(distinct *d) {
    answer a;
    d->start = now_seconds();
    live_begin(&d->live, d->o, answer_now, d);
    d->text.live = &d->live;
    int code = prepare(d);
    if (!code) code = count_text(d);
    if (code) return code;
    live_end(&d->live);
    code = print(d, &a);
    if (code) return code;
    answer_note(d->o, &a);
    if (is_window(d)) note_window(d);
    double matches;
    if (d->sum && sketch_number(d->sum, "matches", &matches)) say_no_point(d->o, &a.value, matches);
    int saved = d->o->save ? save(d) : 0;
    if (code || saved) return code ? code : saved;
    return live_exit(&d->live, exit_after(&a.report));
}

static int run(const options *o) {
    const char *of_save = option_of_saving(o);
    if (of_save && !o->save) return say(EXIT_USAGE, NULL, "--%s needs --save", of_save);
    if (every_asked(o)) return every_run(o);
    if (o->in.group.n) return distinct_by_group(o);
    if (o->top || o->groups) return say(EXIT_USAGE, NULL, "--%s needs --group", o->top ? "top" : "groups");
    int code = o->save ? sketch_target(o, o->save) : 0;
    if (code) return code;
    distinct d = {.o = o};
    code = count_and_say(&d);
    bpk_free(d.all);
    bpk_free(d.sum);
    bpk_free(d.like);
    tally_free(&d.text);
    input_close(d.in);
    return code;
}

const verb verb_distinct = {
    .name = "distinct",
    .bit = V_DISTINCT,
    .operands = "[FILE]...",
    .reads_records = true,
    .run = run,
    .about = "how many different records or fields? Exact while they are few, then with an interval.",
    .examples = "  ballpark distinct access.log                       # in place of sort -u access.log | wc -l\n"
                "  ballpark distinct -f 1 access.log*.gz              # different first fields, such as addresses\n"
                "  ballpark distinct --ci -f 7 access.log             # 949888 (95 %: 934640 to 965136)\n"
                "  ballpark distinct -f 1 --save mon.bpk mon.log      # the sketch too, a few kilobytes\n"
                "  ballpark distinct -f 1 -g 7 --top 10 access.log    # the ten paths with most different addresses\n"
                "  ballpark distinct mon.bpk tue.bpk wed.log.gz       # of all three days together\n"
                "  ballpark distinct --every 1h --format log --time time -f ip access.log\n"
                "  ballpark distinct --window 5m --format log --time time -f ip access.log # of its last five minutes\n"
                "  ssh web1 ballpark distinct -f 1 --save - access.log > web1.bpk\n",
    .notes =
        "The number stands alone on standard output; its interval goes to standard error when that is a terminal.\n"
        "FILE may be text, gzip, zstd or a sketch; - is standard input. Comparison is by bytes, whatever the locale.\n"
        "--window answers for what came in the last W of time, and up to a pane before it, as of the last record, or\n"
        "of now without --time; JSON says from when to when.\n"
        "--every prints a row a pane of time, which --tz places: when it began, and the number; with -g "
        "a row a\n"
        "group. Panes are kept to the end of the input, in whatever order it comes; --lateness prints what is over.\n"
        "--save 'day-%F.bpk' then writes a sketch a pane, and their union is that of the days together.\n",
};
