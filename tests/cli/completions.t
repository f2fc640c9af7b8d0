# a script a shell, and nothing else
$ ballpark completions bash | tail -1
complete -F _ballpark ballpark
$ ballpark completions zsh | head -1 | cut -c 2-
compdef ballpark
$ ballpark completions fish | grep -c '^complete -c ballpark -f$'
1
$ ballpark completions
ballpark: usage: ballpark completions [OPTION]... SHELL
[exit 2]
$ ballpark completions tcsh
ballpark: unknown shell tcsh; known are bash, zsh, fish
[exit 2]
$ ballpark completions ''
ballpark: unknown shell ; known are bash, zsh, fish
[exit 2]
$ ballpark completions bash zsh
ballpark: completions takes one operand, and there is zsh
[exit 2]
$ ballpark completions -q bash
ballpark: completions does not take --quiet
[exit 2]
$ ballpark completions -o script bash
ballpark: completions does not take --output
[exit 2]
$ ballpark completions bash > /dev/full
ballpark: standard output: cannot write
[exit 2]
$ ballpark completions bash | head -1 | cut -c 3-
bash completion of ballpark, as `ballpark completions bash` prints it.
$ ballpark completions --help | grep -A2 '^Usage'
Usage
  ballpark completions [OPTION]... SHELL

$ ballpark selftest now
ballpark: selftest takes no operand, and there is now
[exit 2]

# words of options: the whole word, in its case
$ ballpark distinct --form SMALL
ballpark: --form SMALL: out of range: small or view
[exit 2]
$ ballpark distinct --form sma
ballpark: --form sma: out of range: small or view
[exit 2]
$ ballpark distinct --format or
ballpark: --format or: out of range: lines, ws or log
[exit 2]
$ ballpark distinct --format 'lines, ws'
ballpark: --format lines, ws: out of range: lines, ws or log
[exit 2]
$ ballpark distinct --format ''
ballpark: --format '': out of range: lines, ws or log
[exit 2]
$ ballpark build bloom --layout 'blocked or classic' -o x
ballpark: --layout blocked or classic: out of range: blocked or classic
[exit 2]

# the last one holds
$ printf 'a b\na c\n' > f; ballpark distinct --format log --format lines f
2
$ ballpark distinct --format ws --format log -f ip f
1
$ printf '1\n01\n' > i; ballpark distinct --as int --as bytes i
2
