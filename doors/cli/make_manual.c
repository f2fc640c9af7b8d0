/* make_manual.c - writes the manual pages and the completions: make_manual MAN COMPLETIONS DATE, two folders that are
 * there and a day as YYYY-MM-DD. Run by the build, not installed. */
#include "completions.h"
#include "help.h"
#include "manual.h"

#include <string.h>

static const char *date;

/* ---- what a file holds ---- */

static void put_page(FILE *to, const void *of) {
    if (of) manual_put_verb(to, of, date);
    else manual_put(to, date);
}

static void put_script(FILE *to, const void *shell) {
    completions_put(to, shell);
}

/* ---- files ---- */

static bool write_file(const char *folder, const char *name, void (*put)(FILE *to, const void *of), const void *of) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
    if (to) put(to, of);
    bool good = to && !ferror(to);
    if (to && fclose(to) != 0) good = false;
    if (!good) say(EXIT_USAGE, path, "cannot write");
    return good;
}

static bool write_pages(const char *folder) {
    const verb *v;
    bool good = write_file(folder, "ballpark.1", put_page, NULL);
    for (size_t i = 0; good && (v = verb_at(i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "ballpark-%s.1", v->name);
        good = write_file(folder, name, put_page, v);
    }
    return good;
}

/* zsh looks for _NAME, the others for NAME with an ending. */
static bool write_scripts(const char *folder) {
    const char *shell;
    bool good = true;
    for (size_t i = 0; good && (shell = shell_at(i, NULL)); i++) {
        char name[64] = "_ballpark";
        if (strcmp(shell, "zsh") != 0) snprintf(name, sizeof name, "ballpark.%s", shell);
        good = write_file(folder, name, put_script, shell);
    }
    return good;
}

int main(int argc, char **argv) {
    if (argc != 4) return say(EXIT_USAGE, NULL, "usage: make_manual MAN COMPLETIONS DATE");
    date = argv[3];
    return write_pages(argv[1]) && write_scripts(argv[2]) ? EXIT_DONE : EXIT_USAGE;
}
