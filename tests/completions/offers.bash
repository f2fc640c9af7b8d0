# Prints what bash offers: bash offers.bash SCRIPT <LINES; for each line one line of words with a blank before each.
# Words are cut as readline cuts them, and where the function leaves names of files to readline, so does this.
source "$1" || exit 1
defaults=''
compopt() { defaults=$*; }

cut_words() { # fills COMP_WORDS: blanks separate, and = is a word of its own
    local word
    COMP_WORDS=()
    for word in ${1//=/ = }; do COMP_WORDS+=("$word"); done
    [[ $1 == *[\ ] || $1 == *= ]] && COMP_WORDS+=('')
    [[ $1 == *= ]] && unset 'COMP_WORDS[-1]' # the cursor stands on the =
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

while IFS= read -r line; do
    cut_words "$line"
    defaults='' COMPREPLY=()
    _ballpark
    if [[ $defaults == '-o default' ]]; then
        current=${COMP_WORDS[COMP_CWORD]}
        mapfile -t COMPREPLY < <(compgen -f -- "${current#=}")
    fi
    echo "${COMPREPLY[*]/#/ }"
done
