/* main.c - the command `ballpark`: picks the verb, or says what there is. */
#define _GNU_SOURCE
#include "cmd.h"
#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const verb *const verbs[] = {
    &verb_distinct, &verb_top,  &verb_count, &verb_dedup,    &verb_has, &verb_build,
    &verb_merge,    &verb_info, &verb_plan,  &verb_selftest, NULL,
};

/* ---- help ---- */

static void help(FILE *to) {
    fprintf(to, "Examples\n"
                "  ballpark distinct access.log                how many different lines?\n"
                "  ballpark distinct --ci -f 1 access.log*.gz  how many different addresses, with the interval\n"
                "  ballpark top -f 1 access.log                which addresses come most often?\n"
                "  ballpark dedup words.txt                    each line once, in order\n"
                "  ballpark has blocked.bpk -f 1 access.log    the lines whose first field is in a set\n"
                "\nUsage\n  ballpark VERB [OPTION]... [FILE]...\n\nVerbs\n");
    for (size_t i = 0; verbs[i]; i++) fprintf(to, "  %-10s %s\n", verbs[i]->name, verbs[i]->about);
    fprintf(to, "\nballpark VERB --help tells more about a verb; ballpark --version prints the version.\n"
                "A FILE is text, gzip, zstd or a sketch that an earlier run saved; - is standard input.\n");
}

static int help_verb(const verb *v) {
    printf("ballpark %s: %s\n\nExamples\n%s\nUsage\n  ballpark %s [OPTION]... %s\n\nOptions\n", v->name, v->about,
           v->examples, v->name, v->operands);
    options_help(v);
    if (v->notes) printf("\n%s", v->notes);
    printf("\nExit codes: 0 done, 1 the answer is no, 2 usage or I/O trouble, 3 some input was bad, 4 a sketch is "
           "damaged or\n"
           "does not fit, 5 a limit was reached, 128 + n signal n ended it.\n");
    return EXIT_DONE;
}

/* ---- which verb ---- */

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edits from one word to the other (Levenshtein 1966), two rows at a time. */
static size_t distance(const char *a, const char *b) {
    enum { LONGEST = 31 };
    size_t na = strlen(a), nb = strlen(b), row[LONGEST + 1];
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (size_t j = 0; j <= nb; j++) row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t above = row[j];
            row[j] = least(corner + (a[i - 1] != b[j - 1]), least(above, row[j - 1]) + 1);
            corner = above;
        }
    }
    return row[nb];
}

/* A beginning is nearest of all. */
static size_t edits(const char *word, const char *name) {
    return strncmp(word, name, strlen(word)) == 0 ? 0 : distance(word, name);
}

static int unknown_verb(const char *word) {
    const verb *near = verbs[0];
    for (size_t i = 1; verbs[i]; i++)
        if (edits(word, verbs[i]->name) < edits(word, near->name)) near = verbs[i];
    return say(EXIT_USAGE, NULL, "unknown verb %s; the nearest is %s", word, near->name);
}

static const verb *find_verb(const char *word) {
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, word) == 0) return verbs[i];
    return NULL;
}

/* ---- running ---- */

/* Help may go to a full disk as well. */
static int flushed(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return say(EXIT_USAGE, "standard output", "cannot write");
}

static int run_verb(const verb *v, int argc, char **argv) {
    options o;
    int code = options_read(&o, v, argc, argv);
    if (code == 0 && o.help) {
        code = flushed(help_verb(v));
    } else if (code == 0 && v->reads_records && o.in.n_files == 0 && !o.n_keys && isatty(STDIN_FILENO)) {
        fprintf(stderr, "usage: ballpark %s [OPTION]... %s\n%s", v->name, v->operands, v->examples);
        code = EXIT_USAGE;
    } else if (code == 0) {
        interrupt_watch();
        code = v->run(&o);
    }
    options_free(&o);
    interrupt_die();
    return code;
}

static int help_on(int argc, char **argv) {
    const verb *v = argc > 2 ? find_verb(argv[2]) : NULL;
    if (argc > 2 && !v) return unknown_verb(argv[2]);
    if (v) return flushed(help_verb(v));
    help(stdout);
    return flushed(EXIT_DONE);
}

int main(int argc, char **argv) {
    const char *kernels = getenv("BPK_KERNELS");
    if (kernels && *kernels && bpk_kernels_use(kernels) != BPK_OK)
        return say(EXIT_USAGE, NULL, "BPK_KERNELS=%s: no kernels of that name on this machine", kernels);
    if (argc < 2) {
        help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ballpark %s\n", bpk_version());
        return flushed(EXIT_DONE);
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help_on(argc, argv);
    const verb *v = find_verb(argv[1]);
    if (!v && argv[1][0] == '-') return say(EXIT_USAGE, NULL, "unknown option %s; see ballpark --help", argv[1]);
    return v ? run_verb(v, argc - 1, argv + 1) : unknown_verb(argv[1]);
}
