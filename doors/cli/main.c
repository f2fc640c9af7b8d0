/* main.c - the command `ballpark`: picks the verb, or says what there is. */
#define _GNU_SOURCE
#include "cmd.h"
#include "help.h"
#include "interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    const verb *near = verb_at(0), *v;
    for (size_t i = 1; (v = verb_at(i)); i++)
        if (edits(word, v->name) < edits(word, near->name)) near = v;
    return say(EXIT_USAGE, NULL, "unknown verb %s; the nearest is %s", word, near->name);
}

static const verb *find_verb(const char *word) {
    const verb *v;
    for (size_t i = 0; (v = verb_at(i)); i++)
        if (strcmp(v->name, word) == 0) break;
    return v;
}

/* ---- running ---- */

static int run_verb(const verb *v, int argc, char **argv) {
    options o;
    int code = options_read(&o, v, argc, argv);
    if (code == 0 && o.help) {
        help_verb(v);
        code = flushed(EXIT_DONE);
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
    if (v) help_verb(v);
    else help(stdout);
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
