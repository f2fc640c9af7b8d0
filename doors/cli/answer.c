/* answer.c - answers and fields of sketches as people and programs read them: plain, JSON, CSV. */
#define _GNU_SOURCE
#include "answer.h"

#include "cmd.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const double no_limit = 18446744073709551616.0;

bpk_estimate whole(const bpk_estimate *e) {
    bpk_estimate w = *e;
    w.estimate = e->estimate < 0x1p52 ? floor(e->estimate + 0.5) : e->estimate; /* there all are whole */
    w.lower = fmin(floor(e->lower + 1e-9), w.estimate);
    w.upper = fmax(ceil(e->upper - 1e-9) + 0.0, w.estimate); /* + 0.0: a limit of 0 is not -0 */
    return w;
}

void estimate_at_most(bpk_estimate *e, double most) {
    e->estimate = fmin(e->estimate, most);
    e->lower = fmin(e->lower, most);
    e->upper = fmin(e->upper, most);
}

bpk_estimate whole_or_decayed(const bpk_estimate *e, bool decays) {
    const double grain = 1000;
    bpk_estimate w = *e;
    if (!decays || e->upper >= 0x1p52) return whole(e);
    w.estimate = floor(e->estimate * grain + 0.5) / grain;
    w.lower = fmin(floor(e->lower * grain) / grain, w.estimate);
    w.upper = fmax(ceil(e->upper * grain) / grain, w.estimate);
    return w;
}

const char *weight_text(char text[COUNT_TEXT_MAX], double v) {
    snprintf(text, COUNT_TEXT_MAX, v == floor(v) ? "%.0f" : "%.3f", v);
    return text;
}

bool sketch_decays(const bpk_sketch *s) {
    double half_life;
    return s && sketch_number(s, "half_life", &half_life) && half_life > 0;
}

/* Whole where that is its unit. */
static bpk_estimate shown(const bpk_estimate *e, unsigned unit) {
    return unit == BPK_UNIT_ITEMS || unit == BPK_UNIT_BYTES ? whole(e) : *e;
}

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- an answer as text ---- */

enum { LIMITS_MAX = 64 };
typedef enum towards { DOWN = -1, NEAREST = 0, UP = 1 } towards;

/* A plain decimal: six places, and more where those would show fewer than three figures. */
static void share_text(char *text, size_t cap, double v, towards way) {
    int places = 6;
    while (v > 0 && v * pow(10, places) < 100 && places < 12) places++;
    double scaled = v * pow(10, places);
    scaled = way == DOWN ? floor(scaled) : way == UP ? ceil(scaled) : scaled;
    snprintf(text, cap, "%.*f", places, scaled / pow(10, places));
    size_t n = strlen(text);
    while (text[n - 1] == '0') n--;
    text[text[n - 1] == '.' ? n - 1 : n] = 0;
}

static void value_text(char *text, size_t cap, double v, unsigned unit, towards way) {
    if (unit == BPK_UNIT_SHARE) share_text(text, cap, v, way);
    else snprintf(text, cap, "%.0f", v);
}

/* "934640 to 965136", outwards. */
static void interval_text(char text[LIMITS_MAX], const bpk_estimate *e, unsigned unit, const char *between) {
    char low[24], high[24];
    bpk_estimate s = shown(e, unit);
    value_text(low, sizeof low, s.lower, unit, DOWN);
    value_text(high, sizeof high, s.upper, unit, UP);
    snprintf(text, LIMITS_MAX, "%s%s%s", low, between, high);
}

void answer_text(char text[ANSWER_TEXT_MAX], const bpk_estimate *e, unsigned unit, bool ci) {
    char point[LIMITS_MAX], limits[LIMITS_MAX];
    bool none = e->flags & BPK_NO_POINT, exact = e->flags & BPK_EXACT;
    if (none) interval_text(point, e, unit, "..");
    else value_text(point, sizeof point, shown(e, unit).estimate, unit, NEAREST);
    interval_text(limits, e, unit, " to ");
    if (!ci) snprintf(text, ANSWER_TEXT_MAX, "%s", point);
    else if (exact) snprintf(text, ANSWER_TEXT_MAX, "%s (exact)", point);
    else if (none) snprintf(text, ANSWER_TEXT_MAX, "%s (%.6g %%)", point, 100 * e->confidence);
    else snprintf(text, ANSWER_TEXT_MAX, "%s (%.6g %%: %s)", point, 100 * e->confidence, limits);
}

/* ---- an answer ---- */

static const char *flag_name(unsigned bit) {
    static const char *const names[] = {"exact", "one-sided", "below-noise", "saturated", "no-point", "reduced"};
    return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

json_t *flags_json(uint32_t flags) {
    json_t *list = json_array();
    for (unsigned bit = 0; flag_name(bit); bit++)
        if (flags >> bit & 1) json_array_append_new(list, json_string(flag_name(bit)));
    return list;
}

void flags_text(char *text, size_t cap, uint32_t flags) {
    size_t n = 0;
    text[0] = 0;
    for (unsigned bit = 0; flag_name(bit) && n < cap; bit++)
        if (flags >> bit & 1) n += (size_t)snprintf(text + n, cap - n, "%s%s", n ? " " : "", flag_name(bit));
}

json_t *number_json(double v, unsigned unit) {
    if (unit == BPK_UNIT_FLAG) return json_boolean(v != 0);
    if (v >= no_limit) return json_null();
    return v == floor(v) && fabs(v) < 0x1p63 ? json_integer((json_int_t)v) : json_real(v);
}

/* Nine digits are printed of what is no integer of 63 bits: limits stay limits. */
void set_limits(json_t *j, const bpk_estimate *e, unsigned unit) {
    const double grain = 1e11;
    bool far = e->lower >= 0x1p63, wide = e->upper >= 0x1p63;
    bool point = !(e->flags & BPK_NO_POINT);
    json_object_set_new(j, "estimate",
                        point ? number_json(fmin(e->estimate, 0x1.fffffffffffffp63), unit) : json_null());
    json_object_set_new(j, "lower", number_json(far ? floor(e->lower / grain) * grain : e->lower, unit));
    json_object_set_new(j, "upper", number_json(wide ? ceil(e->upper / grain) * grain : e->upper, unit));
}

void set_estimate(json_t *j, const bpk_estimate *e, unsigned unit) {
    set_limits(j, e, unit);
    json_object_set_new(j, "confidence", json_real(e->confidence));
    json_object_set_new(j, "exact", json_boolean(e->flags & BPK_EXACT));
    json_object_set_new(j, "flags", flags_json(e->flags));
}

void set_report(json_t *j, const input_report *r, double seconds) {
    json_object_set_new(j, "records", json_integer((json_int_t)r->records));
    json_object_set_new(j, "bytes", json_integer((json_int_t)r->bytes));
    json_object_set_new(j, "bad_records", json_integer((json_int_t)r->bad_records));
    json_object_set_new(j, "seconds", json_real(seconds));
}

json_t *answer_json(const answer *a) {
    bpk_estimate e = shown(&a->value, a->unit);
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(a->method));
    set_estimate(j, &e, a->unit);
    set_report(j, &a->report, a->seconds);
    return j;
}

static void plain(output *out, const options *o, const answer *a) {
    char text[ANSWER_TEXT_MAX];
    answer_text(text, &a->value, a->unit, o->ci);
    output_text(out, "%s\n", text);
}

static void csv(output *out, const answer *a) {
    bpk_estimate e = whole(&a->value);
    char flags[96], point[32] = "";
    flags_text(flags, sizeof flags, e.flags);
    if (!(e.flags & BPK_NO_POINT)) snprintf(point, sizeof point, "%.0f", e.estimate);
    output_text(out, "estimate,lower,upper,confidence,exact,records,flags\n%s,%.0f,%.0f,%.6g,%s,%llu,%s\n", point,
                e.lower, e.upper, e.confidence, e.flags & BPK_EXACT ? "true" : "false",
                (unsigned long long)a->report.records, flags);
}

int answer_print(const options *o, const answer *a, json_t *json) {
    output *out = malloc(sizeof *out);
    int code = out ? answer_open(out, o) : say_status(NULL, BPK_E_NOMEM);
    if (!code) {
        if (o->json) json_put(out, json ? json_incref(json) : answer_json(a));
        else if (o->csv) csv(out, a);
        else plain(out, o, a);
        code = output_close(out, true);
    }
    json_decref(json);
    free(out);
    return code;
}

void answer_note(const options *o, const answer *a) {
    char limits[LIMITS_MAX];
    interval_text(limits, &a->value, a->unit, " to ");
    bool exact = a->value.flags & BPK_EXACT, seen = !o->quiet && !o->ci && isatty(2);
    if (seen && !exact) fprintf(stderr, "%.6g %%: %s\n", 100 * a->value.confidence, limits);
    if (seen && exact) fprintf(stderr, "exact\n");
    if (!o->verbose) return;
    say(0, NULL, "%llu records, %llu bytes, %.3f s, %u thread%s, method %s", (unsigned long long)a->report.records,
        (unsigned long long)a->report.bytes, a->seconds, o->in.threads, o->in.threads == 1 ? "" : "s", a->method);
}

void say_no_point(const options *o, const bpk_estimate *e, double matches) {
    if (o->quiet || !(e->flags & BPK_NO_POINT)) return;
    if (matches == 0 && e->estimate > 0) say(0, NULL, "%s: there is nothing to take a share of", o->verb->name);
    else
        say(0, NULL, "%s: %.0f sampled items match, fewer than %d: only the interval means something", o->verb->name,
            matches, BPK_THETA_POINT_FROM);
}

/* ---- JSON ---- */

json_t *json_start(void) {
    json_t *j = json_object();
    json_object_set_new(j, "tool", json_string("ballpark"));
    json_object_set_new(j, "version", json_string(bpk_version()));
    json_object_set_new(j, "schema", json_integer(1));
    return j;
}

json_t *json_bytes(const void *bytes, size_t n) {
    const unsigned char *b = bytes;
    json_t *j = json_stringn(bytes, n);
    char *text = j ? NULL : malloc(4 * n + 1);
    if (j || !text) return j ? j : json_null();
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        if (b[i] < 0x80) text[len++] = (char)b[i];
        else len += (size_t)sprintf(text + len, "\\x%02X", b[i]);
    }
    j = json_stringn(text, len);
    free(text);
    return j;
}

/* ---- keys ---- */

static json_t *base64_json(const uint8_t *bytes, size_t n) {
    char *text = malloc(n / 3 * 4 + 4);
    if (!text) return NULL;
    size_t len = 0;
    for (size_t i = 0; i < n; i += 3, len += 4) base64_group(text + len, bytes + i, n - i < 3 ? n - i : 3);
    json_t *j = json_stringn(text, len);
    free(text);
    return j;
}

void set_key(json_t *object, const void *key, size_t n) {
    json_t *text = key ? json_stringn(key, n) : json_null();
    if (text) json_object_set_new(object, "key", text);
    else json_object_set_new(object, "key_base64", base64_json(key, n));
}

void csv_key(output *out, const void *key, size_t n) {
    const char *p = key, *end = p + n;
    bool plain = true;
    for (const char *c = p; c < end; c++) plain = plain && *c != ',' && *c != '"' && *c != '\n' && *c != '\r';
    if (!plain) output_put(out, "\"", 1);
    for (const char *quote; !plain && (quote = memchr(p, '"', (size_t)(end - p))); p = quote + 1) {
        output_put(out, p, (size_t)(quote - p) + 1);
        output_put(out, "\"", 1);
    }
    output_put(out, p, (size_t)(end - p));
    if (!plain) output_put(out, "\"", 1);
}

/* ---- writing ---- */

static int put_part(const char *bytes, size_t n, void *out) {
    output_put(out, bytes, n);
    return 0;
}

void json_put(output *out, json_t *object) {
    json_dump_callback(object, put_part, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    output_put(out, "\n", 1);
    json_decref(object);
}

/* ---- the fields of a sketch ---- */

void number_text(char *text, size_t cap, double v, unsigned unit) {
    if (unit == BPK_UNIT_FLAG) snprintf(text, cap, "%s", v != 0 ? "yes" : "no");
    else if (v == floor(v) && fabs(v) < 9e15) snprintf(text, cap, "%.0f", v);
    else snprintf(text, cap, "%.4g", v);
}

/* What is known without doubt has confidence 1; an estimate never has, even when its limits meet. */
static bool is_estimate(const bpk_field *f) {
    return f->num.confidence < 1;
}

/* A table; health repeats some of the fields of info, which are shown once. */
typedef struct table {
    output *out;
    const char *shown[48];
    size_t n;
} table;

static bool is_shown(table *t, const char *name) {
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->shown[i], name) == 0) return true;
    if (t->n < sizeof t->shown / sizeof *t->shown) t->shown[t->n++] = name;
    return false;
}

static bool table_field(void *ctx, const bpk_field *f) {
    table *t = ctx;
    char value[32], low[32], high[32];
    if (is_shown(t, f->name)) return true;
    if (f->text) {
        output_text(t->out, "%-20s %s\n", f->name, f->text);
        return true;
    }
    bpk_estimate e = shown(&f->num, f->unit);
    number_text(value, sizeof value, e.estimate, f->unit);
    number_text(low, sizeof low, e.lower, f->unit);
    number_text(high, sizeof high, e.upper, f->unit);
    if (e.flags & BPK_NO_POINT) {
        output_text(t->out, "%-20s %s..%s (%.6g %%)\n", f->name, low, high, 100 * e.confidence);
        return true;
    }
    output_text(t->out, "%-20s %s", f->name, value);
    if (is_estimate(f) && e.flags & BPK_EXACT) output_text(t->out, " (exact)");
    else if (is_estimate(f)) output_text(t->out, " (%.6g %%: %s to %s)", 100 * e.confidence, low, high);
    output_text(t->out, "\n");
    return true;
}

static bool json_field(void *ctx, const bpk_field *f) {
    if (f->text) {
        json_object_set_new(ctx, f->name, json_string(f->text));
        return true;
    }
    bpk_estimate e = shown(&f->num, f->unit);
    json_t *value = is_estimate(f) ? json_object() : number_json(e.estimate, f->unit);
    if (is_estimate(f)) set_estimate(value, &e, f->unit);
    json_object_set_new(ctx, f->name, value);
    return true;
}

static const char *state_name(bpk_state s) {
    return s == BPK_HEALTH_OK ? "ok" : s == BPK_HEALTH_WARN ? "warn" : "over";
}

/* A label is anybody's bytes. */
static void label_row(output *out, const char *label, size_t n) {
    output_text(out, "%-20s ", "label");
    output_printable(out, label, n);
    output_put(out, "\n", 1);
}

/* The fields of one walk, to be shown behind what it comes to: a walk over a large sketch takes its time. */
typedef struct kept {
    bpk_field field[24];
    size_t n;
} kept;

static bool keep_field(void *ctx, const bpk_field *f) {
    kept *k = ctx;
    assert(k->n < sizeof k->field / sizeof *k->field);
    k->field[k->n++] = *f;
    return true;
}

bpk_state describe_table(output *out, const char *file, const bpk_sketch *s) {
    size_t n;
    const char *label = bpk_meta_get(s, BPK_META_LABEL, &n);
    table t = {.out = out};
    output_text(out, "%-20s %s\n", "file", file);
    if (label) label_row(out, label, n);
    bpk_info(s, table_field, &t);
    kept health = {.n = 0};
    bpk_state state = bpk_health(s, keep_field, &health);
    is_shown(&t, "state"); /* of health: its row is called health */
    output_text(out, "%-20s %s\n", "health", state_name(state));
    for (size_t i = 0; i < health.n; i++) table_field(&t, &health.field[i]);
    return state;
}

bpk_state describe_json(json_t *object, const char *file, const bpk_sketch *s) {
    size_t n;
    const char *label = bpk_meta_get(s, BPK_META_LABEL, &n);
    json_object_set_new(object, "file", json_bytes(file, strlen(file)));
    if (label) json_object_set_new(object, "label", json_bytes(label, n));
    bpk_info(s, json_field, object);
    json_t *health = json_object();
    bpk_state state = bpk_health(s, json_field, health);
    json_object_set_new(object, "health", health);
    return state;
}

typedef struct wanted {
    const char *name;
    double value;
    bool found;
} wanted;

static bool look(void *ctx, const bpk_field *f) {
    wanted *w = ctx;
    if (f->text || strcmp(f->name, w->name) != 0) return true;
    w->value = f->num.estimate;
    w->found = true;
    return false;
}

bool sketch_number(const bpk_sketch *s, const char *name, double *out) {
    wanted w = {.name = name};
    bpk_info(s, look, &w);
    if (!w.found) bpk_health(s, look, &w);
    if (w.found) *out = w.value;
    return w.found;
}

typedef struct wanted_text {
    const char *name;
    char text[32];
} wanted_text;

static bool look_for_text(void *ctx, const bpk_field *f) {
    wanted_text *w = ctx;
    if (!f->text || strcmp(f->name, w->name) != 0) return true;
    snprintf(w->text, sizeof w->text, "%s", f->text);
    return false;
}

bool sketch_text(const bpk_sketch *s, const char *name, char *text, size_t cap) {
    wanted_text w = {.name = name};
    bpk_info(s, look_for_text, &w);
    snprintf(text, cap, "%s", w.text);
    return w.text[0] != 0;
}
