# Prints what zsh offers: zsh -f offers.zsh SCRIPT <LINES; for each line one line of words. A second zsh sits on a
# pseudo-terminal and completes; its compadd says what it is given, between marks.
zmodload zsh/zpty || exit 1
zpty inner zsh -f -i
said=

# Sends a line and waits until the mark has come.
ask() {
    local part
    said=
    zpty -w -n inner "$1"
    while zpty -r inner part; do
        said+=$part
        [[ $said == *$2* ]] && return 0
    done
    exit 1
}

ask "stty -echo; PROMPT= RPROMPT=
autoload -Uz compinit && compinit -D -u
source ${(q)1}
zle_bracketed_paste=()
compadd() {
    [[ \$* == *-[OAD]\ * ]] && { builtin compadd \"\$@\"; return }
    local -a hits
    builtin compadd -A hits \"\$@\"
    print -rn -- \"\${hits[@]/#/ HIT:}\"
    builtin compadd \"\$@\"
}
listing() {
    print -n BEGIN
    compstate[list]= compstate[insert]=
    _main_complete
    compstate[list]= compstate[insert]=
    print END
    zle_more=
}
zle -C listing .list-choices listing
bindkey '^I' listing
bindkey '^U' kill-whole-line
print READ''Y
" READY

while IFS= read -r line; do
    ask $'\C-u'"$line"$'\t' END
    said=${${said##*BEGIN}%%END*}
    words=(${(M)${(z)said}:#HIT:*})
    print -r -- ${words#HIT:}
done
zpty -d inner
