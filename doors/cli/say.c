/* say.c - how the command speaks on standard error: one line, "ballpark: SUBJECT: text". */
#include "cmd.h"
#include "screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The line is made first and written at once, so that lines of several threads do not mix. */
int say(int code, const char *subject, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    screen_clear();
    fprintf(stderr, "ballpark: %s%s%s\n", subject ? subject : "", subject ? ": " : "", text);
    return code;
}

int flushed(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return say(EXIT_USAGE, "standard output", "cannot write");
}

int exit_of(bpk_status st) {
    switch (st) {
    case BPK_OK: return EXIT_DONE;
    case BPK_E_UNDURABLE: return EXIT_BAD;
    case BPK_E_NOMEM:
    case BPK_E_LIMIT:
    case BPK_E_FULL: return EXIT_LIMIT;
    case BPK_E_ARG:
    case BPK_E_SINK: return EXIT_USAGE;
    default: return EXIT_SKETCH;
    }
}

int say_err(const char *subject, const bpk_err *err) {
    char text[256];
    if (err->code == BPK_E_UNSUPPORTED && err->field && err->other[0])
        return say(exit_of(err->code), subject, "a sketch of kind %s does not answer %s", err->other, err->field);
    bpk_explain(err, text, sizeof text);
    return say(exit_of(err->code), subject, "%s", text);
}

int say_status(const char *subject, bpk_status st) {
    return say(exit_of(st), subject, "%s", bpk_status_text(st));
}

int say_param(const options *o, const char *kind, const bpk_err *err) {
    const char *range = NULL, *option = err->field ? option_of_param(o->verb->bit, kind, err->field, &range) : NULL;
    option_given given;
    bool is = err->field && option_giving(&given, o, err->field);
    if (err->code != BPK_E_ARG || (!option && !is)) return say_err(kind, err);
    if (!is) return say(EXIT_USAGE, NULL, "%s needs --%s (%s)", kind, option, range);
    if (strcmp(err->other, param_value(o, err->field)) != 0)
        return say(EXIT_USAGE, NULL, "%s does not take --%s", kind, given.name);
    return say(EXIT_USAGE, NULL, "--%s %s: out of range: %s", given.name, given.text, given.range);
}

static const struct {
    const char *kind, *advice, *refused, *why;
} policies[] = {
    {"bloom", ", --on-full grow or degrade goes on", NULL, NULL},
    {"cbloom", ", --on-full degrade goes on", "grow", "only bloom and cuckoo do"},
    {"cuckoo", ", --on-full grow goes on", "degrade", "a full table has no place for another item; error or grow"},
};

const char *full_advice(const bpk_sketch *s) {
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (strcmp(policies[i].kind, bpk_kind_name(s)) == 0) return policies[i].advice;
    return "";
}

int check_policy(const options *o, const char *kind) {
    const char *policy = param_value(o, "on_full");
    size_t i = 0, n = sizeof policies / sizeof *policies;
    while (i < n && strcmp(policies[i].kind, kind) != 0) i++;
    if (!policy || (i < n && (!policies[i].refused || strcmp(policies[i].refused, policy) != 0))) return 0;
    if (i == n) return say(EXIT_USAGE, NULL, "%s does not take --on-full", kind);
    return say(EXIT_USAGE, NULL, "%s does not take --on-full %s: %s", kind, policy, policies[i].why);
}

enum { REASON_MAX = 100 };

static bool find_reason(void *ctx, const bpk_field *f) {
    if (!f->text || strcmp(f->name, "reason") != 0) return true;
    snprintf(ctx, REASON_MAX, "%s", f->text);
    return false;
}

void say_health(const options *o, const char *what, const bpk_sketch *s) {
    char reason[REASON_MAX] = "";
    bpk_state state = o->quiet ? BPK_HEALTH_OK : bpk_health(s, find_reason, reason);
    if (state == BPK_HEALTH_WARN) say(0, NULL, "%s: health of %s is warn: %s", o->verb->name, what, reason);
    if (state == BPK_HEALTH_OVER) say(0, NULL, "%s: health of %s is over: %s", o->verb->name, what, reason);
}

int exit_after(const input_report *r) {
    return r->bad_records || r->bad_files ? EXIT_BAD : EXIT_DONE;
}
