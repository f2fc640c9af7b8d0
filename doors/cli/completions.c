/* completions.c - scripts for bash, zsh and fish, made of the verbs and the option table.
 *
 * Each script is a fixed frame around one line a verb and one an option. Options of another verb are never offered;
 * an option with words offers those, one with a file names of files, any other argument nothing. A first operand that
 * is one of some words is offered until one of them stands on the line.
 */
#include "completions.h"

#include "help.h"

#include <string.h>

static void bash_put(FILE *to);
static void zsh_put(FILE *to);
static void fish_put(FILE *to);

static const struct {
    const char *name, *about;
    void (*put)(FILE *to);
} shells[] = {
    {"bash", "4.0 or newer", bash_put},
    {"zsh", "with compinit", zsh_put},
    {"fish", "3.0 or newer", fish_put},
};
enum { SHELLS = sizeof shells / sizeof *shells };

const char *shell_at(size_t i, const char **about) {
    if (i >= SHELLS) return NULL;
    if (about) *about = shells[i].about;
    return shells[i].name;
}

void completions_put(FILE *to, const char *shell) {
    for (size_t i = 0; i < SHELLS; i++)
        if (strcmp(shells[i].name, shell) == 0) shells[i].put(to);
}

/* ---- parts of lines ---- */

/* Text in which each of the characters `special` gets a backslash, and a quote that ends a word in single quotes is
 * written as `quote`. */
static void put_escaped(FILE *to, const char *text, const char *special, const char *quote) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, to);
            continue;
        }
        if (strchr(special, *text)) putc('\\', to);
        putc(*text, to);
    }
}

/* The words of a range between `open` and `close`. */
static void put_range(FILE *to, const char *open, const char *range, const char *between, const char *close) {
    const char *word;
    for (size_t n; (n = option_word(&range, &word)); open = between) fprintf(to, "%s%.*s", open, (int)n, word);
    fputs(close, to);
}

/* Those of a first operand. */
static void put_operand_words(FILE *to, const verb *v) {
    const char *word;
    for (size_t i = 0; (word = v->operand_at(i, NULL)); i++) fprintf(to, "%s%s", i ? " " : "", word);
}

static void put_verbs(FILE *to, const char *between) {
    const verb *v;
    for (size_t i = 0; (v = verb_at(i)); i++) fprintf(to, "%s%s", i ? between : "", v->name);
}

/* The verbs that take an option. */
static void put_verbs_of(FILE *to, unsigned bits, const char *between) {
    const verb *v;
    const char *before = "";
    for (size_t i = 0; (v = verb_at(i)); i++) {
        if (!(v->bit & bits)) continue;
        fprintf(to, "%s%s", before, v->name);
        before = between;
    }
}

static unsigned verbs_with_files(void) {
    const verb *v;
    unsigned bits = 0;
    for (size_t i = 0; (v = verb_at(i)); i++)
        if (verb_takes_files(v)) bits |= v->bit;
    return bits;
}

/* "N" of "[=N]". */
static void put_arg(FILE *to, const option_about *o) {
    size_t skip = o->optional ? 2 : 0;
    fprintf(to, "%.*s", (int)(strlen(o->arg) - skip - o->optional), o->arg + skip);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# bash completion of ballpark, as `ballpark completions bash` prints it.\n"
    "#\n"
    "# An option is written --name/-n: alone when it takes no argument, with = when it does, and behind that the "
    "words,\n"
    "# @ for a file, ? when the argument may only be joined to it, + when it may come again.\n"
    "_ballpark() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local option='' joined='' options='' first='' files='' seen='' ended='' argument='' found='' prefix='' "
    "given=''\n"
    "    local i token\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD < 2)) && [[ $current == -* ]]; then\n"
    "        _ballpark_words '--help --version'\n"
    "        return\n"
    "    elif ((COMP_CWORD < 2)); then\n";

static const char bash_tail[] =
    "    *) return ;;\n"
    "    esac\n"
    "\n"
    "    # --option=word is three words unless COMP_WORDBREAKS lacks the =.\n"
    "    if [[ $current == = ]]; then\n"
    "        option=$before joined=1 current=''\n"
    "    elif [[ $before == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]} joined=1\n"
    "    elif [[ $current == --*=* ]]; then\n"
    "        option=${current%%=*} joined=1 prefix=$option= current=${current#*=}\n"
    "    elif [[ $before == -[!-]* ]]; then\n"
    "        option=-${before: -1}\n"
    "    else\n"
    "        option=$before\n"
    "    fi\n"
    "\n"
    "    for ((i = 2; i < ${#COMP_WORDS[@]}; i++)); do\n"
    "        ((i != COMP_CWORD)) && given+=\" ${COMP_WORDS[i]%%=*} \"\n"
    "        ((i < COMP_CWORD)) || continue\n"
    "        [[ ${COMP_WORDS[i]} == -- ]] && ended=1\n"
    "        [[ \" $first \" == *\" ${COMP_WORDS[i]} \"* ]] && seen=1\n"
    "    done\n"
    "    for token in $options; do\n"
    "        [[ $token == *=* && \"/${token%%=*}/\" == *\"/$option/\"* ]] || continue\n"
    "        argument=${token#*=}\n"
    "        [[ $argument == '?' && ! $joined ]] || found=1\n"
    "    done\n"
    "    [[ $ended ]] && found='' joined=''\n"
    "\n"
    "    if [[ $found && $argument == @ ]]; then\n"
    "        _ballpark_files\n"
    "    elif [[ $found ]]; then\n"
    "        [[ $argument == [?+] ]] || _ballpark_words \"${argument//,/ }\"\n"
    "    elif [[ $joined ]]; then\n"
    "        return\n"
    "    elif [[ ! $ended && $current == -* ]]; then\n"
    "        _ballpark_options\n"
    "    elif [[ $first && ! $seen ]]; then\n"
    "        _ballpark_words \"$first\"\n"
    "    elif [[ $files ]]; then\n"
    "        _ballpark_files\n"
    "    fi\n"
    "}\n"
    "\n"
    "_ballpark_words() { mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$1\" -- \"$current\"); }\n"
    "\n"
    "# Readline completes names itself, with their quotes, blanks and tildes.\n"
    "_ballpark_files() {\n"
    "    if [[ $prefix ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -f -- \"$current\")\n"
    "    else\n"
    "        compopt -o default\n"
    "    fi\n"
    "}\n"
    "\n"
    "# Those that are not on the line yet.\n"
    "_ballpark_options() {\n"
    "    local names=''\n"
    "    for token in $options; do\n"
    "        option=${token%%=*}\n"
    "        [[ $token != *=+ && $given == *\" ${option%/*} \"* ]] && continue\n"
    "        [[ $token != *=+ && $given == *\" ${option#*/} \"* ]] && continue\n"
    "        names+=\" ${option//\\// }\"\n"
    "    done\n"
    "    _ballpark_words \"$names\"\n"
    "}\n"
    "\n"
    "complete -F _ballpark ballpark\n";

static void bash_option(FILE *to, const option_about *o) {
    fprintf(to, " --%s", o->name);
    if (o->letter) fprintf(to, "/-%c", o->letter);
    if (!o->arg) return;
    putc('=', to);
    if (o->words) put_range(to, "", o->range, ",", "");
    if (o->file) putc('@', to);
    if (o->optional) putc('?', to);
    if (o->repeatable) putc('+', to);
}

static void bash_verb(FILE *to, const verb *v) {
    option_about o;
    fprintf(to, "    %s)\n        options='", v->name);
    for (size_t i = 0; option_at(i, &o); i++)
        if (o.verbs & v->bit) bash_option(to, &o);
    fprintf(to, "'\n");
    if (v->operand_at) {
        fprintf(to, "        first='");
        put_operand_words(to, v);
        fprintf(to, "'\n");
    }
    if (verb_takes_files(v)) fprintf(to, "        files=1\n");
    fprintf(to, "        ;;\n");
}

static void bash_put(FILE *to) {
    const verb *v;
    fputs(bash_head, to);
    fprintf(to, "        _ballpark_words '");
    put_verbs(to, " ");
    fprintf(to, " help'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; (v = verb_at(i)); i++) bash_verb(to, v);
    fprintf(to, "    help) first='");
    put_verbs(to, " ");
    fprintf(to, "' ;;\n%s", bash_tail);
}

/* ---- zsh ---- */

static const char zsh_head[] = "#compdef ballpark\n"
                               "# zsh completion of ballpark, as `ballpark completions zsh` prints it.\n"
                               "_ballpark() {\n"
                               "    local verb=$words[2]\n"
                               "    local -a specs verbs general\n"
                               "    verbs=(\n";

static const char zsh_verbs_end[] = "    )\n"
                                    "    general=('--help:what there is' '--version:of the command')\n"
                                    "    if (( CURRENT == 2 )); then\n"
                                    "        verbs+=('help:of a verb')\n"
                                    "        _describe -t verbs verb verbs\n"
                                    "        [[ $PREFIX == -* ]] && _describe -o -t options option general\n"
                                    "        return\n"
                                    "    fi\n"
                                    "    if [[ $verb == help ]]; then\n"
                                    "        (( CURRENT == 3 )) && _describe -t verbs verb verbs\n"
                                    "        return\n"
                                    "    fi\n"
                                    "    shift words\n"
                                    "    (( CURRENT-- ))\n";

static const char zsh_tail[] = "    (( $#specs )) && _arguments -s -S : $specs\n"
                               "}\n"
                               "\n"
                               "if [[ $funcstack[1] == _ballpark ]]; then\n"
                               "    _ballpark \"$@\"\n"
                               "else\n"
                               "    compdef _ballpark ballpark\n"
                               "fi\n";

/* 'name:what it is about' of _describe. */
static void zsh_described(FILE *to, const char *name, const char *about) {
    fprintf(to, "        '%s:", name);
    put_escaped(to, about, "\\", "'\\''");
    fprintf(to, "'\n");
}

/* An option as _arguments reads it: (what it excludes)names[help]:argument:what that may be. */
static void zsh_option(FILE *to, const option_about *o) {
    const char *joint = o->optional ? "=-" : o->arg ? "=" : "";
    fprintf(to, "    [[ $verb == (");
    put_verbs_of(to, o->verbs, "|");
    fprintf(to, ") ]] && specs+=(");
    if (o->repeatable) fprintf(to, "'*'");
    else if (o->letter) fprintf(to, "'(-%c --%s)'", o->letter, o->name);
    if (o->letter) fprintf(to, "{-%c%s,--%s%s}'[", o->letter, o->arg ? "+" : "", o->name, joint);
    else fprintf(to, "'--%s%s[", o->name, joint);
    put_escaped(to, o->help, "\\[]", "'\\''");
    putc(']', to);
    if (o->arg) {
        fprintf(to, o->optional ? "::" : ":");
        put_arg(to, o);
        putc(':', to);
        if (o->file) fprintf(to, "_files");
        else if (o->words) put_range(to, "(", o->range, " ", ")");
        else putc(' ', to);
    }
    fprintf(to, "')\n");
}

static void zsh_operand(FILE *to, const verb *v) {
    const char *word, *about = NULL;
    fprintf(to, "    [[ $verb == %s ]] && specs+=('1:%.*s:((", v->name, (int)strcspn(v->operands, " "), v->operands);
    for (size_t i = 0; (word = v->operand_at(i, &about)); i++) {
        fprintf(to, "%s%s", i ? " " : "", word);
        if (!about) continue;
        fprintf(to, "\\:\"");
        put_escaped(to, about, "\\\"$`:", "'\\''");
        putc('"', to);
        about = NULL;
    }
    fprintf(to, "))')\n");
}

static void zsh_put(FILE *to) {
    const verb *v;
    option_about o;
    fputs(zsh_head, to);
    for (size_t i = 0; (v = verb_at(i)); i++) zsh_described(to, v->name, v->about);
    fputs(zsh_verbs_end, to);
    for (size_t i = 0; option_at(i, &o); i++) zsh_option(to, &o);
    for (size_t i = 0; (v = verb_at(i)); i++)
        if (v->operand_at) zsh_operand(to, v);
    fprintf(to, "    [[ $verb == (");
    put_verbs_of(to, verbs_with_files(), "|");
    fprintf(to, ") ]] && specs+=('*:file:_files')\n%s", zsh_tail);
}

/* ---- fish ---- */

static const char fish_head[] =
    "# fish completion of ballpark, as `ballpark completions fish` prints it.\n"
    "\n"
    "function __ballpark_of -d 'the line is of one of these verbs'\n"
    "    set -l words (commandline -opc)\n"
    "    set -q words[2]; and contains -- $words[2] $argv\n"
    "end\n"
    "\n"
    "function __ballpark_has -d 'one of these words follows the verb'\n"
    "    set -l words (commandline -opc)\n"
    "    for word in $words[3..-1]\n"
    "        contains -- $word $argv; and return 0\n"
    "    end\n"
    "    return 1\n"
    "end\n"
    "\n"
    "complete -c ballpark -f\n"
    "complete -c ballpark -n 'test (count (commandline -opc)) = 1' -a help -d 'of a verb'\n"
    "complete -c ballpark -n 'test (count (commandline -opc)) = 1' -l help -d 'what there is'\n"
    "complete -c ballpark -n 'test (count (commandline -opc)) = 1' -l version -d 'of the command'\n";

static void fish_word(FILE *to, const char *word, const char *about) {
    fprintf(to, "' -a %s", word);
    if (about) {
        fprintf(to, " -d '");
        put_escaped(to, about, "\\", "\\'");
        putc('\'', to);
    }
    putc('\n', to);
}

static void fish_verb(FILE *to, const verb *v) {
    fprintf(to, "complete -c ballpark -n 'test (count (commandline -opc)) = 1");
    fish_word(to, v->name, v->about);
    fprintf(to, "complete -c ballpark -n '__ballpark_of help; and test (count (commandline -opc)) = 2");
    fish_word(to, v->name, v->about);
}

static void fish_option(FILE *to, const option_about *o) {
    fprintf(to, "complete -c ballpark -n '__ballpark_of ");
    put_verbs_of(to, o->verbs, " ");
    fprintf(to, "'");
    if (o->letter) fprintf(to, " -s %c", o->letter);
    fprintf(to, " -l %s", o->name);
    if (o->file) fprintf(to, " -r -F");
    else if (o->arg) fprintf(to, o->optional ? " -f" : " -x");
    if (o->words) put_range(to, " -a '", o->range, " ", "'");
    fprintf(to, " -d '");
    put_escaped(to, o->help, "\\", "\\'");
    fprintf(to, "'\n");
}

static void fish_operands(FILE *to, const verb *v) {
    const char *word, *about = NULL;
    for (size_t i = 0; v->operand_at && (word = v->operand_at(i, &about)); i++) {
        fprintf(to, "complete -c ballpark -n '__ballpark_of %s; and not __ballpark_has ", v->name);
        put_operand_words(to, v);
        fish_word(to, word, about);
        about = NULL;
    }
    if (!verb_takes_files(v)) return;
    fprintf(to, "complete -c ballpark -n '__ballpark_of %s", v->name);
    if (v->operand_at) {
        fprintf(to, "; and __ballpark_has ");
        put_operand_words(to, v);
    }
    fprintf(to, "; and not string match -q -- \"-*\" (commandline -ct)' -F\n");
}

static void fish_put(FILE *to) {
    const verb *v;
    option_about o;
    fputs(fish_head, to);
    for (size_t i = 0; (v = verb_at(i)); i++) fish_verb(to, v);
    for (size_t i = 0; (v = verb_at(i)); i++) fish_operands(to, v);
    for (size_t i = 0; option_at(i, &o); i++) fish_option(to, &o);
}
