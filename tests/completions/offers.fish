# Prints what fish offers: fish offers.fish SCRIPT <LINES; for each line one line of words.
source $argv[1]; or exit 1
while read -l line
    echo (complete -C $line | string replace -r '\t.*' '')
end
