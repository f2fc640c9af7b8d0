/* help.c - what the command says of itself: its verbs, its exit codes, and how inputs and numbers are written. */
#include "help.h"

#include "logline.h"

#include <assert.h>
#include <string.h>

static const verb *const verbs[] = {
    &verb_distinct, &verb_top,   &verb_count, &verb_set,  &verb_dedup, &verb_has,      &verb_limit,
    &verb_sample,   &verb_build, &verb_merge, &verb_info, &verb_plan,  &verb_selftest, &verb_completions,
};

static const struct {
    const char *code, *meaning;
} exits[] = {
    {"0", "done"},
    {"1", "the answer is no"},
    {"2", "usage or I/O trouble"},
    {"3", "some input was bad"},
    {"4", "a sketch is damaged or does not fit"},
    {"5", "a limit was reached"},
    {"128 + n", "signal n ended it"},
};

const char text_examples[] = "  ballpark distinct access.log                # how many different lines?\n"
                             "  ballpark distinct --ci -f 1 access.log*.gz  # different addresses, with the interval\n"
                             "  ballpark top -f 1 access.log                # which addresses come most often?\n"
                             "  ballpark dedup words.txt                    # each line once, in order\n"
                             "  ballpark has blocked.bpk -f 1 access.log    # lines whose first field is in a set\n";
const char text_inputs[] = "A FILE is text, gzip, zstd or a sketch that an earlier run saved; - is standard input.\n";
const char text_numbers[] =
    "Counts are written 1000, 1e6, 10k or 5M; sizes 65536, 64k or 256M; shares 0.01, 1e-2 or 1%.\n";

const verb *verb_at(size_t i) {
    return i < sizeof verbs / sizeof *verbs ? verbs[i] : NULL;
}

bool verb_takes_files(const verb *v) {
    const char *files = v->operand_at ? strchr(v->operands, ' ') : v->operands;
    return files && *files;
}

const char *exit_code_at(size_t i, const char **meaning) {
    if (i >= sizeof exits / sizeof *exits) return NULL;
    *meaning = exits[i].meaning;
    return exits[i].code;
}

void text_log(char text[LOG_TEXT_MAX]) {
    const char *name;
    int n = snprintf(text, LOG_TEXT_MAX,
                     "In --format log blanks separate, \"...\" and [...] are one field, and fields "
                     "have names besides numbers:");
    for (size_t i = 0; (name = log_field_at(i)); i++) {
        assert(n > 0 && (size_t)n + strlen(name) + sizeof " .\n" <= LOG_TEXT_MAX);
        n += snprintf(text + n, LOG_TEXT_MAX - (size_t)n, "%c%s", i ? ' ' : '\n', name);
    }
    snprintf(text + n, LOG_TEXT_MAX - (size_t)n, ".\n");
}

void help(FILE *to) {
    const verb *v;
    fprintf(to, "Examples\n%s\nUsage\n  ballpark VERB [OPTION]... [FILE]...\n\nVerbs\n", text_examples);
    for (size_t i = 0; (v = verb_at(i)); i++) fprintf(to, "  %-11s %s\n", v->name, v->about);
    fprintf(to, "\nballpark VERB --help tells more about a verb; ballpark --version prints the version.\n%s%s",
            text_inputs, text_numbers);
}

/* One paragraph of at most 120 columns. */
static void help_exits(void) {
    enum { WIDTH = 120 };
    const char *code, *meaning, *before = "Exit codes: ";
    int column = 0;
    for (size_t i = 0; (code = exit_code_at(i, &meaning)); i++) {
        char text[80];
        int n = snprintf(text, sizeof text, "%s %s", code, meaning);
        if (column + n + 3 > WIDTH) {
            column = 0;
            before = ",\n";
        }
        column += printf("%s%s", before, text);
        before = ", ";
    }
    printf(".\n");
}

void help_verb(const verb *v) {
    printf("ballpark %s: %s\n\nExamples\n%s\nUsage\n  ballpark %s [OPTION]... %s\n\nOptions\n", v->name, v->about,
           v->examples, v->name, v->operands);
    options_help(v);
    if (v->bit & V_RECORDS) {
        char text[LOG_TEXT_MAX];
        text_log(text);
        printf("\n%s", text);
    }
    if (v->notes) printf("\n%s", v->notes);
    putchar('\n');
    help_exits();
}
