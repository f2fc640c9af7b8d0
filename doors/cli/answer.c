/* answer.c - answers and fields of sketches as people and programs read them: plain, JSON, CSV. */
#define _GNU_SOURCE
#include "answer.h"

#include "output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Counts are whole: the point is rounded, the limits go outwards. */
static double point(const bpk_estimate *e) {
    return floor(e->estimate + 0.5);
}
static double lower(const bpk_estimate *e) {
    return fmin(floor(e->lower + 1e-9), point(e));
}
static double upper(const bpk_estimate *e) {
    return fmax(ceil(e->upper - 1e-9), point(e));
}

void interval_text(char *text, size_t cap, const bpk_estimate *e) {
    snprintf(text, cap, "%.0f to %.0f", lower(e), upper(e));
}

double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- an answer ---- */

static const char *flag_name(unsigned bit) {
    static const char *const names[] = {"exact", "one-sided", "below-noise", "saturated", "no-point", "reduced"};
    return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

static json_t *flags_json(uint32_t flags) {
    json_t *list = json_array();
    for (unsigned bit = 0; flag_name(bit); bit++)
        if (flags >> bit & 1) json_array_append_new(list, json_string(flag_name(bit)));
    return list;
}

static json_t *whole(double v) {
    return v < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

json_t *answer_json(const answer *a) {
    const bpk_estimate *e = &a->value;
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(a->method));
    json_object_set_new(j, "estimate", whole(point(e)));
    json_object_set_new(j, "lower", whole(lower(e)));
    json_object_set_new(j, "upper", whole(upper(e)));
    json_object_set_new(j, "confidence", json_real(e->confidence));
    json_object_set_new(j, "exact", json_boolean(e->flags & BPK_EXACT));
    json_object_set_new(j, "flags", flags_json(e->flags));
    json_object_set_new(j, "records", json_integer((json_int_t)a->report.records));
    json_object_set_new(j, "bytes", json_integer((json_int_t)a->report.bytes));
    json_object_set_new(j, "bad_records", json_integer((json_int_t)a->report.bad_records));
    json_object_set_new(j, "seconds", json_real(a->seconds));
    return j;
}

static void plain(output *out, const options *o, const bpk_estimate *e) {
    char limits[64];
    interval_text(limits, sizeof limits, e);
    output_text(out, "%.0f", point(e));
    if (o->ci && (e->flags & BPK_EXACT)) output_text(out, " (exact)");
    if (o->ci && !(e->flags & BPK_EXACT)) output_text(out, " (%.6g %%: %s)", 100 * e->confidence, limits);
    output_text(out, "\n");
}

void answer_put(output *out, const options *o, const answer *a) {
    const bpk_estimate *e = &a->value;
    if (o->json) {
        json_put(out, answer_json(a));
    } else if (o->csv) {
        output_text(out, "estimate,lower,upper,confidence,exact,records\n%.0f,%.0f,%.0f,%.6g,%s,%llu\n", point(e),
                    lower(e), upper(e), e->confidence, e->flags & BPK_EXACT ? "true" : "false",
                    (unsigned long long)a->report.records);
    } else {
        plain(out, o, e);
    }
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

static void number_text(char *text, size_t cap, double v, unsigned unit) {
    if (unit == BPK_UNIT_FLAG) snprintf(text, cap, "%s", v != 0 ? "yes" : "no");
    else if (unit == BPK_UNIT_ITEMS || unit == BPK_UNIT_BYTES) snprintf(text, cap, "%.0f", floor(v + 0.5));
    else if (v == floor(v) && fabs(v) < 9e15) snprintf(text, cap, "%.0f", v);
    else snprintf(text, cap, "%.4g", v);
}

static bool has_limits(const bpk_estimate *e) {
    return e->lower < e->estimate || e->upper > e->estimate;
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
    number_text(value, sizeof value, f->num.estimate, f->unit);
    number_text(low, sizeof low, f->num.lower, f->unit);
    number_text(high, sizeof high, f->num.upper, f->unit);
    output_text(t->out, "%-20s %s", f->name, value);
    if (has_limits(&f->num)) output_text(t->out, " (%.6g %%: %s to %s)", 100 * f->num.confidence, low, high);
    output_text(t->out, "\n");
    return true;
}

static json_t *number_json(double v, unsigned unit) {
    if (unit == BPK_UNIT_FLAG) return json_boolean(v != 0);
    if (unit == BPK_UNIT_ITEMS || unit == BPK_UNIT_BYTES) v = floor(v + 0.5);
    return v == floor(v) && fabs(v) < 9e15 ? json_integer((json_int_t)v) : json_real(v);
}

static bool json_field(void *ctx, const bpk_field *f) {
    if (f->text) {
        json_object_set_new(ctx, f->name, json_string(f->text));
        return true;
    }
    if (!has_limits(&f->num)) {
        json_object_set_new(ctx, f->name, number_json(f->num.estimate, f->unit));
        return true;
    }
    json_t *e = json_object();
    json_object_set_new(e, "estimate", number_json(f->num.estimate, f->unit));
    json_object_set_new(e, "lower", number_json(f->num.lower, f->unit));
    json_object_set_new(e, "upper", number_json(f->num.upper, f->unit));
    json_object_set_new(e, "confidence", json_real(f->num.confidence));
    json_object_set_new(ctx, f->name, e);
    return true;
}

static const char *state_name(bpk_state s) {
    return s == BPK_HEALTH_OK ? "ok" : s == BPK_HEALTH_WARN ? "warn" : "over";
}

/* A label is anybody's bytes: what could steer a terminal shows as a question mark. */
static void label_row(output *out, const char *label, size_t n) {
    output_text(out, "%-20s ", "label");
    for (size_t i = 0; i < n; i++)
        output_put(out, (unsigned char)label[i] < 32 || label[i] == 127 ? "?" : label + i, 1);
    output_put(out, "\n", 1);
}

bpk_state describe_table(output *out, const char *file, const bpk_sketch *s) {
    size_t n;
    const char *label = bpk_meta_get(s, BPK_META_LABEL, &n);
    table t = {.out = out};
    output_text(out, "%-20s %s\n", "file", file);
    if (label) label_row(out, label, n);
    bpk_info(s, table_field, &t);
    bpk_state state = bpk_health(s, NULL, NULL);
    is_shown(&t, "state"); /* of health: its row is called health */
    output_text(out, "%-20s %s\n", "health", state_name(state));
    bpk_health(s, table_field, &t);
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
    json_object_set_new(health, "state", json_string(state_name(state)));
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
