/* cmd_set.c - ballpark set OPERATION FILE...: each file is a set; how many are in any, in every one, in the first
 * alone, and how alike are they? */
#include "answer.h"
#include "cmd.h"
#include "interrupt.h"
#include "sets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef bpk_status (*share_fn)(const bpk_theta *const *in, size_t n, double confidence, bpk_estimate *out,
                               uint64_t *matches, bpk_err *err);

typedef struct operation {
    const char *name, *about;
    size_t least;        /* inputs */
    bpk_theta_set makes; /* a share: what is counted of the sample */
    share_fn share;      /* NULL: the answer is how many there are */
    bool pairs;          /* of every two inputs */
} operation;

static const operation operations[] = {
    {"union", "how many are in any of the files", 1, BPK_THETA_UNION, NULL, false},
    {"intersect", "how many are in every one", 1, BPK_THETA_INTERSECT, NULL, false},
    {"diff", "how many are in the first and in no other", 1, BPK_THETA_DIFF, NULL, false},
    {"jaccard", "the share of the union that is in every one", 2, BPK_THETA_INTERSECT, bpk_theta_jaccard, false},
    {"contain", "the share of the first that is in every one", 2, BPK_THETA_INTERSECT, bpk_theta_containment, false},
    {"matrix", "the Jaccard index of every two", 1, BPK_THETA_INTERSECT, bpk_theta_jaccard, true},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

typedef struct set_run {
    const options *o;
    const operation *op;
    sets in;
    double start; /* of the clock */
} set_run;

/* ---- one operation ---- */

typedef struct result {
    bpk_estimate value;
    uint64_t matches; /* items of the sample */
} result;

static int count_of(const set_run *r, result *x, bpk_theta_set how, const bpk_theta *const *in, size_t n) {
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_theta_op_count(how, in, n, r->o->confidence, &x->value, &x->matches, &err);
    return st == BPK_OK ? 0 : say_err(r->op->name, &err);
}

static int share_of(const set_run *r, result *x, const bpk_theta *const *in, size_t n) {
    bpk_err err = {.code = BPK_OK};
    bpk_status st = r->op->share(in, n, r->o->confidence, &x->value, &x->matches, &err);
    return st == BPK_OK ? 0 : say_err(r->op->name, &err);
}

/* The sketch of what was asked for, as a file. */
static int save(const set_run *r) {
    const options *o = r->o;
    bpk_theta *made;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_theta_op(&made, r->op->makes, r->in.theta, r->in.n, &o->env, &err);
    if (st != BPK_OK) return say_err(r->op->name, &err);
    int code = sketch_save(o, bpk_theta_base(made), o->save);
    say_health(o, o->save, bpk_theta_base(made));
    bpk_free(bpk_theta_base(made));
    return code;
}

/* ---- JSON ---- */

static void set_counted(json_t *j, const bpk_estimate *value, unsigned unit, uint64_t matches) {
    bpk_estimate e = unit == BPK_UNIT_ITEMS ? whole(value) : *value;
    set_estimate(j, &e, unit);
    json_object_set_new(j, "matches", json_integer((json_int_t)matches));
}

static void set_count(const set_run *r, json_t *j, const bpk_theta *t) {
    uint32_t matches;
    bpk_estimate e = bpk_theta_count(t, r->o->confidence, &matches);
    set_counted(j, &e, BPK_UNIT_ITEMS, matches);
}

static json_t *name_json(const set_run *r, size_t i) {
    const char *name = r->in.at[i].name;
    return json_bytes(name, strlen(name));
}

/* What every operation says of its inputs. */
static void set_inputs(const set_run *r, json_t *j) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->in.n; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "file", name_json(r, i));
        set_count(r, one, r->in.theta[i]);
        json_array_append_new(list, one);
    }
    json_object_set_new(j, "operation", json_string(r->op->name));
    json_object_set_new(j, "k", json_integer(bpk_theta_k(bpk_as_theta(r->in.like))));
    json_object_set_new(j, "sets", list);
}

/* ---- one answer ---- */

static json_t *result_json(const set_run *r, const answer *a, const result *x) {
    json_t *j = answer_json(a);
    json_object_set_new(j, "matches", json_integer((json_int_t)x->matches));
    set_inputs(r, j);
    return j;
}

static const char *method(const bpk_estimate *e) {
    return e->flags & BPK_EXACT ? "exact" : "theta";
}

static int say_answer(const set_run *r, const result *x) {
    const options *o = r->o;
    answer a = {.method = method(&x->value),
                .value = x->value,
                .unit = r->op->share ? BPK_UNIT_SHARE : BPK_UNIT_ITEMS,
                .report = r->in.report,
                .seconds = now_seconds() - r->start};
    int code = answer_print(o, &a, o->json ? result_json(r, &a, x) : NULL);
    answer_note(o, &a);
    say_no_point(o, &a.value, (double)x->matches);
    int saved = o->save ? save(r) : 0;
    return code ? code : saved;
}

static int answer_one(const set_run *r) {
    result x;
    int code =
        r->op->share ? share_of(r, &x, r->in.theta, r->in.n) : count_of(r, &x, r->op->makes, r->in.theta, r->in.n);
    return code ? code : say_answer(r, &x);
}

/* ---- every two ---- */

typedef struct matrix {
    const set_run *r;
    output out;
    json_t *pairs; /* NULL: a table */
    result *share; /* n x n of them, both halves */
    uint64_t no_point, n_pairs;
} matrix;

static int pair_json(matrix *m, size_t i, size_t j) {
    const set_run *r = m->r;
    const bpk_theta *two[] = {r->in.theta[i], r->in.theta[j]};
    const result *share = &m->share[i * r->in.n + j];
    result both;
    int code = count_of(r, &both, BPK_THETA_INTERSECT, two, 2);
    if (code) return code;
    json_t *pair = json_object(), *common = json_object(), *alike = json_object();
    json_t *count_a = json_object(), *count_b = json_object();
    set_count(r, count_a, two[0]);
    set_count(r, count_b, two[1]);
    set_counted(common, &both.value, BPK_UNIT_ITEMS, both.matches);
    set_counted(alike, &share->value, BPK_UNIT_SHARE, share->matches);
    json_object_set_new(pair, "a", name_json(r, i));
    json_object_set_new(pair, "b", name_json(r, j));
    json_object_set_new(pair, "count_a", count_a);
    json_object_set_new(pair, "count_b", count_b);
    json_object_set_new(pair, "intersection", common);
    json_object_set_new(pair, "jaccard", alike);
    json_array_append_new(m->pairs, pair);
    return 0;
}

static int compare_two(matrix *m, size_t i, size_t j) {
    const set_run *r = m->r;
    size_t n = r->in.n;
    const bpk_theta *two[] = {r->in.theta[i], r->in.theta[j]};
    if (interrupted()) return interrupt_code(0);
    result *x = &m->share[i * n + j];
    int code = share_of(r, x, two, 2);
    if (code) return code;
    m->share[j * n + i] = *x;
    m->n_pairs++;
    m->no_point += (x->value.flags & BPK_NO_POINT) != 0;
    return m->pairs ? pair_json(m, i, j) : 0;
}

/* A set is alike itself, for sure, unless there is nothing in it. */
static void compare_with_itself(matrix *m, size_t i) {
    const set_run *r = m->r;
    bool empty = bpk_theta_count(r->in.theta[i], 0, NULL).upper == 0;
    bpk_estimate same = {1, 1, 1, r->o->confidence, BPK_EXACT}, nothing = {0.5, 0, 1, r->o->confidence, BPK_NO_POINT};
    m->share[i * r->in.n + i].value = empty ? nothing : same;
}

static int compare_all(matrix *m) {
    for (size_t i = 0; i < m->r->in.n; i++) {
        compare_with_itself(m, i);
        for (size_t j = i + 1; j < m->r->in.n; j++) {
            int code = compare_two(m, i, j);
            if (code) return code;
        }
    }
    return 0;
}

/* Columns behind tabs: a line of names, then a line a file. */
static void put_table(matrix *m) {
    const set_run *r = m->r;
    char text[ANSWER_TEXT_MAX];
    for (size_t i = 0; i < r->in.n; i++) {
        output_text(&m->out, "\t");
        output_printable(&m->out, r->in.at[i].name, strlen(r->in.at[i].name));
    }
    output_text(&m->out, "\n");
    for (size_t i = 0; i < r->in.n; i++) {
        output_printable(&m->out, r->in.at[i].name, strlen(r->in.at[i].name));
        for (size_t j = 0; j < r->in.n; j++) {
            answer_text(text, &m->share[i * r->in.n + j].value, BPK_UNIT_SHARE, r->o->ci);
            output_text(&m->out, "\t%s", text);
        }
        output_text(&m->out, "\n");
    }
}

static void put_object(matrix *m) {
    json_t *j = json_start();
    set_inputs(m->r, j);
    json_object_set_new(j, "pairs", json_incref(m->pairs));
    json_object_set_new(j, "confidence", json_real(m->r->o->confidence));
    set_report(j, &m->r->in.report, now_seconds() - m->r->start);
    json_put(&m->out, j);
}

static int answer_pairs(const set_run *r) {
    const options *o = r->o;
    matrix *m = calloc(1, sizeof *m);
    if (!m) return say_status(NULL, BPK_E_NOMEM);
    m->r = r;
    m->pairs = o->json ? json_array() : NULL;
    m->share = calloc(r->in.n, r->in.n * sizeof *m->share);
    int code = m->share ? compare_all(m) : say_status(NULL, BPK_E_NOMEM);
    if (!code) code = output_open(&m->out, o->output);
    if (!code) {
        if (m->pairs) put_object(m);
        else put_table(m);
        code = output_close(&m->out, true);
    }
    if (!code && m->no_point && !o->quiet)
        say(0, NULL,
            "set: %" PRIu64 " of %" PRIu64 " pairs have fewer than %d sampled matches, or nothing in them, and "
            "intervals alone",
            m->no_point, m->n_pairs, BPK_THETA_POINT_FROM);
    json_decref(m->pairs);
    free(m->share);
    free(m);
    return code;
}

/* ---- the verb ---- */

static const char *operation_at(size_t i, const char **about) {
    if (i >= OPERATIONS) return NULL;
    if (about) *about = operations[i].about;
    return operations[i].name;
}

static const operation *operation_of(const char *name) {
    const operation *op = operations;
    while (strcmp(op->name, name) != 0) op++; /* the options have checked it */
    return op;
}

static int check(const set_run *r) {
    const options *o = r->o;
    const char *of_save = option_of_saving(o);
    if (o->in.n_files < r->op->least)
        return say(EXIT_USAGE, NULL, "%s takes %zu files or more", r->op->name, r->op->least);
    if (o->save && r->op->share)
        return say(EXIT_USAGE, NULL, "%s makes no sketch; --save is of union, intersect and diff", r->op->name);
    if (of_save && !o->save) return say(EXIT_USAGE, NULL, "--%s needs --save", of_save);
    return o->save ? sketch_target(o, o->save) : 0;
}

static int run(const options *o) {
    set_run r = {.o = o, .op = operation_of(o->operands[0]), .start = now_seconds()};
    int code = check(&r);
    if (code) return code;
    code = sets_load(&r.in, o);
    if (!code) code = r.op->pairs ? answer_pairs(&r) : answer_one(&r);
    if (!code) code = exit_after(&r.in.report);
    sets_free(&r.in);
    return code;
}

const verb verb_set = {
    .name = "set",
    .bit = V_SET,
    .operands = "OPERATION FILE...",
    .operands_min = 2,
    .operand_at = operation_at,
    .inputs_from = 1,
    .run = run,
    .about = "union, intersection, difference and likeness of sets: each FILE is one.",
    .examples =
        "  ballpark set intersect mon.log tue.log             # in place of comm -12 of sorted files, then wc -l\n"
        "  ballpark set diff -f 1 today.log known.txt old.txt # addresses of today that are in none of the others\n"
        "  ballpark set jaccard --ci a.bpk b.bpk              # 0.197301 (95 %: 0.188087 to 0.206851)\n"
        "  ballpark set matrix *.bpk                          # every two of them, behind tabs\n"
        "  ballpark set union --save week.bpk mon.bpk tue.log # the sketch too; diff and intersect likewise\n",
    .notes =
        "FILE is text or sketches of kind theta, which are united when one file holds several. A text is sampled\n"
        "like the sketches among the files, otherwise by --k, and exact up to so many different items. Where fewer\n"
        "than 16 sampled items match there is no number but an interval, LOWER..UPPER.\n",
};
