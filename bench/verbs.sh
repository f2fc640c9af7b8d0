#!/bin/bash
# verbs.sh - processor time (user and system) of the command beside wc, sort and awk over the same files in the same
# run, median of
# ROUNDS interleaved rounds; ratios against their bars. Files are made once, in build/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH="$PWD/build:$PATH"
export LC_ALL=C
rounds=${ROUNDS:-3}
folder=build/bench/files
cost=build/bench/bench_cost
mkdir -p "$folder"

# Lines of a fixed width; each is one of `keys`, drawn evenly, and the same at every run.
make_file() { # PATH BYTES WIDTH KEYS
    [ ! -s "$1" ] || return 0
    awk -v bytes="$2" -v width="$3" -v keys="$4" 'BEGIN {
        state = 4242
        while (length(filler) < width) filler = filler "abcdefghijklmnopqrstuvwxyz/?=0123456789 "
        for (n = int(bytes / width); n > 0; n--) {
            state = (state * 16807) % 2147483647
            print substr(sprintf("%010.0f ", state % keys * 7919 % 10000000000) filler, 1, width - 1)
        }
    }' >"$1.part"
    mv "$1.part" "$1"
}
make_file "$folder/long" 200000000 245 500000
make_file "$folder/short" 100000000 12 4000000

# Appends what one run of each command costs to a file named after it.
measure() { # NAME COMMAND
    "$cost" "$folder/cost.$name.$1" sh -c "exec $2" || true
}
median() { # NAME COLUMN
    sort -n -k"$2,$2" "$folder/cost.$name.$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}
row() { # CASE FIGURE UNIT [BAR]
    awk -v c="$name $1" -v f="$2" -v u="$3" -v bar="${4:-}" 'BEGIN {
        printf "verbs\t%s\t%.4g\t%s\t%s\t%s\n", c, f, u, bar, bar == "" ? "" : (f <= bar ? "yes" : "NO") }'
}
ratio() { awk -v a="$(median "$1" 1)" -v b="$(median "$2" 1)" 'BEGIN { print a / b }'; }

for name in long short; do
    file=$folder/$name
    rm -f "$folder"/cost."$name".*
    cat "$file" >/dev/null
    for ((i = 0; i < rounds; i++)); do
        measure wc "wc -l $file"
        measure distinct "ballpark distinct -j 1 $file"
        measure dedup "ballpark dedup -j 1 --mem 1G $file"
        [ "$i" -gt 0 ] || measure sort "sort -u $file"
        [ "$i" -gt 0 ] || measure awk "mawk '!s[\$0]++' $file"
    done
    for command in wc distinct dedup sort awk; do
        row "$command time" "$(median $command 1)" s
        row "$command memory" "$(median $command 2)" KiB "$([ $name$command != longdistinct ] || echo 8192)"
    done
    case $name in
    long)
        row "distinct / wc" "$(ratio distinct wc)" ratio 1.8
        row "distinct / sort" "$(ratio distinct sort)" ratio
        ;;
    short)
        row "distinct / wc" "$(ratio distinct wc)" ratio 4
        row "distinct / sort" "$(ratio distinct sort)" ratio 0.025
        ;;
    esac
    row "dedup / wc" "$(ratio dedup wc)" ratio
    row "dedup / sort" "$(ratio dedup sort)" ratio
    row "dedup / awk" "$(ratio dedup awk)" ratio
done
