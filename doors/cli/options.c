/* options.c - the reader of options and its help: from the words of a command line, by the option table, to what a verb
 * is to do.
 */
#define _GNU_SOURCE
#include "options.h"

#include "cmd.h"
#include "memory.h"
#include "option_rows.h"
#include "output.h"
#include "screen.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CODE = 256 }; /* getopt's code of a long option is CODE + its row */

const char *option_of_saving(const options *o) {
    return o->form ? "form" : o->base64 ? "base64" : o->label ? "label" : o->tolerated > 0 ? "tolerate" : NULL;
}

const char *param_value(const options *o, const char *param) {
    for (size_t i = 0; i < o->n_params; i++)
        if (strcmp(o->param[i].name, param) == 0) return o->param[i].value;
    return NULL;
}

/* ---- reading ---- */

/* What getopt_long wants to know, from the table. */
static void describe(struct option *longs, char *letters) {
    *letters++ = ':'; /* a missing argument is reported as ':' */
    for (size_t i = 0; i < option_rows_n; i++) {
        int has = !option_rows[i].arg                ? no_argument
                  : option_optional(&option_rows[i]) ? optional_argument
                                                     : required_argument;
        longs[i] = (struct option){option_rows[i].name, has, NULL, CODE + (int)i};
        if (option_rows[i].letter) *letters++ = option_rows[i].letter;
        if (option_rows[i].letter && has == required_argument) *letters++ = ':';
    }
    longs[option_rows_n] = (struct option){NULL, 0, NULL, 0};
    *letters = 0;
}

/* What getopt_long could not read: `code` is '?' or ':'. */
static int say_unreadable(const verb *v, int code, char **argv) {
    const row *r = optopt >= CODE ? &option_rows[optopt - CODE] : option_of_letter(optopt, v->bit);
    if (code == ':' && r) return say(EXIT_USAGE, NULL, "--%s needs an argument (%s)", r->name, r->range);
    if (optopt >= CODE) return say(EXIT_USAGE, NULL, "--%s takes no argument", option_rows[optopt - CODE].name);
    if (optopt) return say(EXIT_USAGE, NULL, "unknown option -%c; see ballpark %s --help", optopt, v->name);
    return say(EXIT_USAGE, NULL, "unknown option %s; see ballpark %s --help", argv[optind - 1], v->name);
}

/* Verbs may call options alike: the one of this verb, or else the first. */
static const row *row_of(const row *first, unsigned bit) {
    for (size_t i = 0; i < option_rows_n; i++)
        if ((option_rows[i].verbs & bit) && strcmp(option_rows[i].name, first->name) == 0) return &option_rows[i];
    return first;
}

/* "--ci 99": an optional argument that stands apart is taken when it is a number and no file of that name exists. */
static const char *argument_apart(int argc, char **argv) {
    double share;
    struct stat st;
    if (optind >= argc || !option_percent(argv[optind], &share) || stat(argv[optind], &st) == 0) return NULL;
    return argv[optind++];
}

static int take(options *o, const verb *v, const row *r, const char *value) {
    if (!(r->verbs & v->bit)) return say(EXIT_USAGE, NULL, "%s does not take --%s", v->name, r->name);
    if (r->set(o, r, value)) return 0;
    return say(EXIT_USAGE, NULL, "--%s %s: out of range: %s", r->name, value && *value ? value : "''", r->range);
}

static int read_all(options *o, const verb *v, int argc, char **argv) {
    struct option longs[OPTION_ROWS_MAX + 1];
    char letters[2 * OPTION_ROWS_MAX + 2];
    describe(longs, letters);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        if (c == '?' || c == ':') return say_unreadable(v, c, argv);
        const row *r = c >= CODE ? row_of(&option_rows[c - CODE], v->bit) : option_of_letter(c, v->bit);
        const char *value = optarg;
        if (option_optional(r) && !value && (r->verbs & v->bit)) value = argument_apart(argc, argv);
        int code = take(o, v, r, value);
        if (code) return code;
    }
    return 0;
}

/* One thread a processor, but one alone when there is nothing but pipes to read. */
static unsigned default_threads(const options *o) {
    struct stat st;
    bool regular = o->in.n_files == 0 && fstat(0, &st) == 0 && S_ISREG(st.st_mode);
    for (size_t i = 0; i < o->in.n_files && !regular; i++) {
        const char *file = o->in.files[i];
        int failed = strcmp(file, "-") == 0 ? fstat(0, &st) : stat(file, &st);
        regular = !failed && S_ISREG(st.st_mode);
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return !regular || processors < 1 ? 1 : processors > 256 ? 256 : (unsigned)processors;
}

static int say_contradiction(const char *one, const char *other) {
    return say(EXIT_USAGE, NULL, "--%s and --%s contradict each other", one, other);
}

/* Each generation has an item at least. */
static int check_generations(const options *o) {
    option_given items, generations = {.text = "4"};
    uint64_t n, parts;
    option_giving(&generations, o, "generations");
    if (!o->window_span || !option_giving(&items, o, "items")) return 0;
    if (bpk_parse_count(items.text, &n) != BPK_OK || bpk_parse_count(generations.text, &parts) != BPK_OK) return 0;
    if (n >= parts) return 0;
    return say(EXIT_USAGE, NULL, "--%s %s: out of range: not under --generations, which is %s, with --window",
               items.name, items.text, generations.text);
}

/* Each pane has a second at least. */
static int check_panes(const options *o) {
    option_given panes;
    uint64_t n;
    if (!o->window_span || !option_giving(&panes, o, "panes")) return 0;
    if (bpk_parse_count(panes.text, &n) != BPK_OK || n <= o->window_span) return 0;
    return say(EXIT_USAGE, NULL, "--panes %s: out of range: %s, which are %" PRIu64, panes.text, panes.range,
               o->window_span);
}

/* A map keeps no times; counters of less than 4 bytes do not hold eight items that decay. */
static int check_half_life(const options *o) {
    option_given cell;
    uint64_t bytes;
    if (!o->half_life) return 0;
    if (o->window) return say_contradiction("half-life", "window");
    if (o->exact_given && o->exact_limit) return say_contradiction("half-life", "exact-limit");
    if (!option_giving(&cell, o, "cell_bytes") || bpk_parse_count(cell.text, &bytes) != BPK_OK || bytes >= 4) return 0;
    return say(EXIT_USAGE, NULL, "--cell-bytes %s and --half-life contradict each other: it takes 4 or 8", cell.text);
}

/* A window of items is a plan of items; what rotates is never full, and is blocked. */
static int check_window(const options *o) {
    static const char *const needs[] = {"generations", "seen", "panes"}, *const apart[] = {"layout", "on_full",
                                                                                           "growth", "delete"};
    option_given given;
    for (size_t i = 0; i < sizeof needs / sizeof *needs && !o->window; i++)
        if (option_giving(&given, o, needs[i])) return say(EXIT_USAGE, NULL, "--%s needs --window", given.name);
    if (!o->window) return 0;
    if (o->verb->bit & (V_DISTINCT | V_TOP) && o->exact_given && o->exact_limit)
        return say_contradiction("window", "exact-limit");
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (option_giving(&given, o, apart[i])) return say_contradiction("window", given.name);
    if (o->window_items && option_giving(&given, o, "items"))
        return say(EXIT_USAGE, NULL, "--window %s and --%s contradict each other: both are numbers of items", o->window,
                   given.name);
    int code = check_panes(o);
    return code ? code : check_generations(o);
}

/* It is for whoever watches: a terminal, or a program that reads line by line. */
static int check_live(const options *o) {
    if (o->live == 0) return 0;
    if (o->csv) return say(EXIT_USAGE, NULL, "--live redraws a terminal or prints lines of JSON, not --csv");
    if (o->output)
        return say(EXIT_USAGE, NULL, "--live prints while it reads, and --output is replaced as a whole at the end");
    if (o->save && strcmp(o->save, "-") == 0)
        return say(EXIT_USAGE, NULL, "--live needs standard output for its answers; --save needs a file");
    if (o->in.progress) return say_contradiction("live", "progress");
    return 0;
}

/* Two ways to say one thing. */
static int check_contradictions(const options *o) {
    static const char *const apart[][2] = {{"error", "precision"}, {"epsilon", "width"}, {"epsilon", "depth"},
                                           {"delta", "width"},     {"delta", "depth"},   {"sizing", "width"},
                                           {"sizing", "depth"},    {"bytes", "epsilon"}, {"bytes", "delta"},
                                           {"bytes", "sizing"},    {"bytes", "width"},   {"bytes", "depth"}};
    if (o->blanks && o->in.delimiter) return say_contradiction("ws", "delimiter");
    if (o->in.log && o->blanks) return say(EXIT_USAGE, NULL, "--format log and --ws contradict each other");
    if (o->in.log && o->in.delimiter)
        return say(EXIT_USAGE, NULL, "--format log and --delimiter contradict each other");
    if (o->in.progress && o->no_progress) return say_contradiction("progress", "no-progress");
    if (o->json && o->csv) return say_contradiction("json", "csv");
    if (o->seed_given && o->key_file) return say_contradiction("hash-seed", "key-file");
    const char *method = param_value(o, "method");
    if (method && strcmp(method, "windows") == 0 && param_value(o, "burst"))
        return say(EXIT_USAGE, NULL, "--method windows and --burst contradict each other: windows have no burst");
    int code = check_window(o);
    if (!code) code = check_half_life(o);
    if (!code) code = check_live(o);
    if (code) return code;
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (param_value(o, apart[i][0]) && param_value(o, apart[i][1]))
            return say_contradiction(apart[i][0], apart[i][1]);
    return 0;
}

/* Each would be replaced by the other. */
static int check_outputs(const options *o) {
    const char *const outputs[][2] = {{o->output, o->save}, {o->output, o->state}, {o->save, o->state}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (same_target(outputs[i][0], outputs[i][1]))
            return say(EXIT_USAGE, NULL, "two outputs go to %s", outputs[i][0]);
    return 0;
}

/* A first operand that is one of some words. */
static int check_word(const verb *v, const char *operand) {
    char known[256] = "", what[32] = "";
    const char *word;
    size_t n = 0;
    for (size_t i = 0; (word = v->operand_at(i, NULL)); i++) {
        if (strcmp(word, operand) == 0) return 0;
        int more = snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", word);
        n += more > 0 && (size_t)more < sizeof known - n ? (size_t)more : 0;
    }
    for (size_t i = 0; i + 1 < sizeof what && v->operands[i] > ' '; i++) what[i] = (char)(v->operands[i] | ' ');
    return say(EXIT_USAGE, NULL, "unknown %s %s; known are %s", what, operand, known);
}

static int check_operands(const options *o, const verb *v) {
    bool many = strstr(v->operands, "...") != NULL;
    if (o->n_operands < v->operands_min)
        return say(EXIT_USAGE, NULL, "usage: ballpark %s [OPTION]... %s", v->name, v->operands);
    if (!many && o->n_operands > v->operands_min)
        return say(EXIT_USAGE, NULL, "%s takes %s operand, and there is %s", v->name, v->operands_min ? "one" : "no",
                   o->operands[v->operands_min]);
    return v->operand_at ? check_word(v, o->operands[0]) : 0;
}

/* Times that do not say their zone are read in that of --tz. */
static int settle_times(options *o) {
    instant_form *f = &o->in.time_form;
    if (o->tz && !o->in.time.n) return say(EXIT_USAGE, NULL, "--tz needs --time");
    if (o->every || (o->window && o->verb->bit & (V_DISTINCT | V_TOP))) f->latest = INSTANT_9999;
    const char *why = o->time_format ? instant_form_read(f, o->time_format) : NULL;
    return why ? say(EXIT_USAGE, NULL, "--time: the format %s cannot be read: %s", o->time_format, why) : 0;
}

/* What only makes sense once everything is read. */
static int settle(options *o, const verb *v) {
    o->in.log = o->format == FORMAT_LOG;
    o->blanks = o->blanks || o->format == FORMAT_WS;
    o->in.crlf = (crlf_policy)o->crlf;
    o->in.as_int = o->as == AS_INT;
    int code = check_operands(o, v);
    if (!code) code = check_contradictions(o);
    if (!code) code = settle_times(o);
    if (code) return code;
    option_window(o);
    option_rate(o);
    bool named = o->in.fields.named || o->in.weight.named || o->in.group.named || o->in.time.named;
    named = named || o->key_field.named;
    if (named && !o->in.log)
        return say(EXIT_USAGE, NULL, "fields have names with --format log only; otherwise they are numbers from 1");
    if (o->in.log && o->in.crlf == CRLF_WARN) o->in.crlf = CRLF_STRIP;
    code = check_outputs(o);
    if (code) return code;
    o->env = memory_env(o->mem);
    o->in.files = o->operands + v->inputs_from;
    o->in.n_files = o->n_operands - v->inputs_from;
    o->in.threads = o->threads ? (unsigned)o->threads : v->bit & V_RECORDS ? default_threads(o) : 1;
    if (o->quiet && o->in.crlf == CRLF_WARN) o->in.crlf = CRLF_KEEP;
    if (!o->in.progress && !o->no_progress && !o->quiet && o->live == 0) o->in.progress = isatty(2);
    o->on_screen = o->live > 0 && !o->json && screen_usable();
    o->json = o->json || (o->live > 0 && !o->on_screen);
    return 0;
}

int options_read(options *o, const verb *v, int argc, char **argv) {
    *o = (options){.verb = v, .mem = UINT64_C(256) << 20, .exact_limit = 100000, .confidence = BPK_CONFIDENCE};
    o->in.terminator = '\n';
    o->in.max_record = (size_t)128 << 20;
    int code = read_all(o, v, argc, argv);
    if (code || o->help) return code;
    o->operands = (const char *const *)(argv + optind);
    o->n_operands = (size_t)(argc - optind);
    return settle(o, v);
}

void options_free(options *o) {
    free((char *)(uintptr_t)o->in.delimiter);
    free(o->key);
}

/* ---- help ---- */

static void help_row(const option_about *o) {
    char left[64], letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->arg && !o->optional ? " " : "", o->arg ? o->arg : "");
    printf("  %-26s %s\n", left, o->help);
    if (o->range) printf("  %-26s   %s\n", "", o->range);
}

void options_help(const verb *v) {
    option_about o;
    for (size_t i = 0; option_at(i, &o); i++)
        if (o.verbs & v->bit) help_row(&o);
}
