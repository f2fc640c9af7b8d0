/* manual.c - manual pages in man(7), in the words of --help.
 *
 * Text is escaped once, in put_text(): what roff would take for a request, an escape or a typographic sign stays the
 * character that it is, so that examples can be copied from a page.
 */
#include "manual.h"

#include "help.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* ---- roff ---- */

static void put_char(FILE *to, char c) {
    static const struct {
        char c;
        const char *roff;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (special[i].c == c) {
            fputs(special[i].roff, to);
            return;
        }
    putc(c, to);
}

/* Without the blanks in front of a line, which would end its paragraph. */
static void put_text(FILE *to, const char *text, size_t n) {
    bool starts = true;
    for (size_t i = 0; i < n; i++) {
        if (starts && text[i] == ' ') continue;
        if (starts && text[i] == '.') fputs("\\&", to);
        put_char(to, text[i]);
        starts = text[i] == '\n';
    }
}

static void put(FILE *to, const char *text) {
    put_text(to, text, strlen(text));
}

/* Lines in which words of capitals, such as FILE, are in italics. */
static void put_operands(FILE *to, const char *operands) {
    bool italic = false;
    for (; *operands; operands++) {
        bool capital = isupper((unsigned char)*operands);
        if (capital != italic) fputs(capital ? "\\fI" : "\\fR", to);
        italic = capital;
        put_char(to, *operands);
    }
    fputs(italic ? "\\fR\n" : "\n", to);
}

static void put_title(FILE *to, const char *name, const char *date) {
    fprintf(to, ".\\\" Made of the option table of the command; see doors/cli/manual.c.\n.TH ");
    for (; *name; name++) put_char(to, (char)toupper((unsigned char)*name));
    fprintf(to, " 1 %s \"ballpark %s\" \"User Commands\"\n", date, bpk_version());
}

/* "  COMMAND # what it does", a line each. */
static void put_examples(FILE *to, const char *lines) {
    fprintf(to, ".SH EXAMPLES\n");
    for (const char *end, *first = lines; *lines; lines = end + 1) {
        end = strchr(lines, '\n');
        const char *comment = strstr(lines, " # ");
        if (comment && comment > end) comment = NULL;
        size_t n = (size_t)((comment ? comment : end) - lines);
        while (n && lines[n - 1] == ' ') n--;
        if (comment) fprintf(to, ".TP\n");
        else if (lines > first) fprintf(to, ".PP\n");
        fprintf(to, "\\fB");
        put_text(to, lines, n);
        fputs("\\fR\n", to);
        if (!comment) continue;
        comment += strlen(" # ");
        put_text(to, comment, (size_t)(end - comment));
        putc('\n', to);
    }
}

/* ---- sections that pages share ---- */

static void put_exits(FILE *to) {
    const char *code, *meaning;
    fprintf(to, ".SH EXIT STATUS\n");
    for (size_t i = 0; (code = exit_code_at(i, &meaning)); i++) {
        fprintf(to, ".TP\n\\fB%s\\fR\n", code);
        put(to, meaning);
        putc('\n', to);
    }
}

static void put_environment(FILE *to) {
    fprintf(to, ".SH ENVIRONMENT\n.TP\n\\fBBPK_KERNELS\\fR\n");
    put(to, "The kernels to use, such as portable, instead of the best that this machine has. Answers do not depend on "
            "them.\n");
}

static void put_log(FILE *to) {
    char text[LOG_TEXT_MAX];
    text_log(text);
    fprintf(to, ".SH FIELDS OF AN ACCESS LOG\n");
    put(to, text);
}

/* ---- the page of a verb ---- */

static void put_option(FILE *to, const option_about *o) {
    fprintf(to, ".TP\n");
    if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
    fprintf(to, "\\fB\\-\\-");
    put(to, o->name);
    fprintf(to, "\\fR");
    if (o->arg && !o->optional) putc(' ', to);
    if (o->arg) put_operands(to, o->arg);
    else putc('\n', to);
    put(to, o->help);
    putc('\n', to);
    if (!o->range) return;
    fprintf(to, ".br\nRange: ");
    put(to, o->range);
    putc('\n', to);
}

static void put_options(FILE *to, const verb *v) {
    option_about o;
    fprintf(to, ".SH OPTIONS\n");
    for (size_t i = 0; option_at(i, &o); i++)
        if (o.verbs & v->bit) put_option(to, &o);
}

static void put_operand_words(FILE *to, const verb *v) {
    const char *word, *about = NULL;
    put_operands(to, v->operands);
    for (size_t i = 0; (word = v->operand_at(i, &about)); i++) {
        fprintf(to, ".TP\n\\fB");
        put(to, word);
        fprintf(to, "\\fR\n");
        if (about) {
            put(to, about);
            putc('\n', to);
        }
        about = NULL;
    }
}

static void put_operands_section(FILE *to, const verb *v) {
    if (!*v->operands) return;
    fprintf(to, ".SH OPERANDS\n");
    if (v->operand_at) put_operand_words(to, v);
    if (!verb_takes_files(v)) return;
    if (v->operand_at) fprintf(to, ".PP\n");
    put(to, text_inputs);
    if (v->reads_records) put(to, "Without files to read it is standard input that is read.\n");
}

void manual_put_verb(FILE *to, const verb *v, const char *date) {
    char name[64];
    snprintf(name, sizeof name, "ballpark-%s", v->name);
    put_title(to, name, date);
    fprintf(to, ".SH NAME\n");
    put(to, name);
    fprintf(to, " \\- ");
    put(to, v->about);
    fprintf(to, "\n.SH SYNOPSIS\n\\fBballpark %s\\fR [\\fIOPTION\\fR]...%s", v->name, *v->operands ? " " : "");
    put_operands(to, v->operands);
    fprintf(to, ".SH DESCRIPTION\n");
    put(to, v->notes ? v->notes : v->about);
    put_operands_section(to, v);
    put_options(to, v);
    if (v->bit & V_RECORDS) put_log(to);
    put_exits(to);
    put_environment(to);
    put_examples(to, v->examples);
    fprintf(to, ".SH SEE ALSO\n\\fBballpark\\fR(1)\n");
}

/* ---- the page of the command ---- */

static void put_section(FILE *to, const char *heading, const char *text) {
    fprintf(to, ".SH %s\n", heading);
    put(to, text);
}

static void put_verbs(FILE *to) {
    const verb *v;
    fprintf(to, ".SH VERBS\n");
    for (size_t i = 0; (v = verb_at(i)); i++) {
        fprintf(to, ".TP\n\\fBballpark\\-%s\\fR(1)\n", v->name);
        put(to, v->about);
        putc('\n', to);
    }
}

static void put_files(FILE *to) {
    fprintf(to, ".SH FILES\n.TP\n\\fI*.bpk\\fR\n");
    put(to, "Sketches. A file of that name that is none is refused, and never read as text.\n");
    fprintf(to, ".TP\n\\fI.NAME.lock\\fR\n");
    put(to, "Beside the file NAME of dedup --state, limit --state and build --append: empty; a second run waits for "
            "the first.\n");
}

void manual_put(FILE *to, const char *date) {
    const verb *v;
    put_title(to, "ballpark", date);
    fprintf(to, ".SH NAME\nballpark \\- questions about more data than one wants to keep, in fixed memory\n"
                ".SH SYNOPSIS\n\\fBballpark\\fR \\fIVERB\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.br\n"
                "\\fBballpark help\\fR [\\fIVERB\\fR]\n.br\n\\fBballpark \\-\\-version\\fR\n");
    put_section(to, "DESCRIPTION",
                "An answer is exact while that is cheap, and then an estimate that carries its "
                "bounds. Each verb has a page of its own, and help of its own by --help.\n");
    put_verbs(to);
    put_section(to, "INPUTS", text_inputs);
    put(to, "A record is a line, its bytes as they are; an item, which is what is counted, is the record or the fields "
            "that -f names. Sketches are known by their first bytes.\n");
    put_section(to, "OUTPUTS",
                "The answer goes to standard output, or to the file of -o, which is replaced as a whole "
                "at the end or not at all. Notes and messages go to standard error.\n");
    put_section(to, "NUMBERS", text_numbers);
    put_exits(to);
    put_environment(to);
    put_files(to);
    put_examples(to, text_examples);
    fprintf(to, ".SH SEE ALSO\n");
    for (size_t i = 0; (v = verb_at(i)); i++) fprintf(to, "%s\\fBballpark\\-%s\\fR(1)", i ? ",\n" : "", v->name);
    putc('\n', to);
}
