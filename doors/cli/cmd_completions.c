/* cmd_completions.c - ballpark completions SHELL: the script that makes a shell complete this command. */
#include "completions.h"
#include "cmd.h"

static int run(const options *o) {
    completions_put(stdout, o->operands[0]);
    return flushed(EXIT_DONE);
}

const verb verb_completions = {
    .name = "completions",
    .bit = V_COMPLETIONS,
    .operands = "SHELL",
    .operands_min = 1,
    .operand_at = shell_at,
    .run = run,
    .about = "a script that makes bash, zsh or fish complete this command.",
    .examples = "  eval \"$(ballpark completions bash)\"                # in ~/.bashrc\n"
                "  eval \"$(ballpark completions zsh)\"                 # in ~/.zshrc, behind compinit\n"
                "  ballpark completions fish | source                 # in ~/.config/fish/config.fish\n",
    .notes = "The shell then completes verbs, the options of a verb, the words that they take, and names of files. An\n"
             "installed ballpark has put the scripts where the shells look for them.\n",
};
