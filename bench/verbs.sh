#!/bin/bash
# verbs.sh - processor time (user and system) of the verbs beside wc, sort, awk and grep over the same files in the same
# run, median of ROUNDS interleaved rounds (the slow peers run once); ratios against their bars. Files are made once, in
# build/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
rounds=${ROUNDS:-3}
folder=build/bench/files
mkdir -p "$folder"

make_file "$folder/long" 200000000 245 500000
make_file "$folder/short" 100000000 12 4000000

make_log "$folder/access" 1000000

# Appends what one run of each command costs to a file named after it.
measure() { # NAME COMMAND
    "$cost" "$folder/cost.$name.$1" sh -c "exec $2" || true
}
row() { # CASE FIGURE UNIT [BAR]
    awk -v c="$name $1" -v f="$2" -v u="$3" -v bar="${4:-}" 'BEGIN {
        printf "verbs\t%s\t%.4g\t%s\t%s\t%s\n", c, f, u, bar, bar == "" ? "" : (f <= bar ? "yes" : "NO") }'
}
ratio() { awk -v a="$(median "$1" 1)" -v b="$(median "$2" 1)" 'BEGIN { print a / b }'; }

for name in long short; do
    file=$folder/$name set=$folder/$name.set parts=$folder/$name.part
    [ -s "$set" ] || awk 'NR % 50 == 0 && !seen[$0]++ && ++n <= 10000' "$file" >"$set"
    ballpark build bloom --capacity 20k --fpr 0.1% -o "$set.bpk" "$set"
    for ((i = 0; i < 30; i++)); do
        sed -n "$((i * 5000 + 1)),$((i * 5000 + 100000))p; $((i * 5000 + 100000))q" "$file" |
            ballpark build hll -o "$parts.$i.bpk"
    done
    rm -f "$folder"/cost."$name".*
    cat "$file" >/dev/null
    for ((i = 0; i < rounds; i++)); do
        measure wc "wc -l $file"
        measure distinct "ballpark distinct -j 1 $file"
        measure dedup "ballpark dedup -j 1 --mem 1G $file"
        measure has "ballpark has -j 1 $set $file"
        measure has-filter "ballpark has -j 1 $set.bpk $file"
        measure sample "ballpark sample -n 1000 $file"
        measure sample-p "ballpark sample -p 0.1% $file"
        measure build-hll "ballpark build hll -j 1 $file"
        measure build-bloom "ballpark build bloom --capacity 5M -j 1 $file"
        measure merge "ballpark merge $parts.*.bpk"
        measure info "ballpark info $parts.0.bpk"
        [ "$i" -eq 0 ] || continue
        measure sort "sort -u $file"
        measure sort-wc "sort -u $file | wc -l"
        measure awk "mawk '!s[\$0]++' $file"
        measure grep "grep -Fxf $set $file"
        measure shuf "shuf -n 1000 $file"
    done
    for command in wc distinct dedup has has-filter sample sample-p build-hll build-bloom merge info sort sort-wc awk grep shuf; do
        row "$command time" "$(median $command 1)" s
        row "$command memory" "$(median $command 2)" KiB "$([ $name$command != longdistinct ] || echo 8192)"
    done
    case $name in
    long)
        row "distinct / wc" "$(ratio distinct wc)" ratio 1.8
        row "distinct / sort -u | wc -l" "$(ratio distinct sort-wc)" ratio
        ;;
    short)
        row "distinct / wc" "$(ratio distinct wc)" ratio 4
        row "distinct / sort -u | wc -l" "$(ratio distinct sort-wc)" ratio 0.025
        ;;
    esac
    row "sample -n 1000 / wc" "$(ratio sample wc)" ratio 1.6
    row "sample -p 0.1% / wc" "$(ratio sample-p wc)" ratio 1.6
    row "sample -n 1000 / shuf -n 1000" "$(ratio sample shuf)" ratio
    row "dedup / wc" "$(ratio dedup wc)" ratio
    row "dedup / sort" "$(ratio dedup sort)" ratio
    row "dedup / awk" "$(ratio dedup awk)" ratio
    row "has, a text as set / grep -Fxf" "$(ratio has grep)" ratio
    row "has, a filter as set / grep -Fxf" "$(ratio has-filter grep)" ratio
done

name=access file=$folder/access
rm -f "$folder"/cost."$name".*
cat "$file" >/dev/null
for ((i = 0; i < rounds; i++)); do
    measure wc "wc -l $file"
    measure top "ballpark top -n 10 -f 1 -j 1 $file"
    measure top-log "ballpark top -n 10 --format log -f path -j 1 $file"
    measure distinct-log "ballpark distinct --format log -f ip -j 1 $file"
    measure every-minute "ballpark distinct --every 1m --format log --time time -f ip -j 1 $file"
    measure mawk-minute "mawk '{ m = substr(\$4, 2, 17) } !s[m, \$1]++ { n[m]++ } END { for (m in n) print m, n[m] }' $file"
    measure mawk "mawk '{ n[\$1]++ } END { for (k in n) if (n[k] > 1000) print n[k], k }' $file"
done
for command in wc top top-log mawk distinct-log every-minute mawk-minute; do
    row "$command time" "$(median $command 1)" s
    row "$command memory" "$(median $command 2)" KiB "$([ $command != top ] || echo 16384)"
done
row "top -f 1 / mawk" "$(ratio top mawk)" ratio 0.333
row "top -f 1 / wc" "$(ratio top wc)" ratio
row "top --format log -f path / wc" "$(ratio top-log wc)" ratio
row "distinct --every 1m / distinct, -f ip of a log" "$(ratio every-minute distinct-log)" ratio
row "distinct --every 1m / mawk" "$(ratio every-minute mawk-minute)" ratio

# Two runs of 5 M lines each on one state, with half of the second's lines in the first: planned by the files, and growing
# from 1 M where they come through a pipe. The second has the load of the state besides, which is that of a run over
# nothing, as is its saving.
for part in 0 1; do
    file=$folder/state.$part
    [ -s "$file" ] || seq $((part * 2500000 + 1)) $((part * 2500000 + 5000000)) >"$file"
done
for from in files pipe; do
    name="state, $from" state=$folder/state.bpk
    rm -f "$folder"/cost."$name".*
    for ((i = 0; i < rounds; i++)); do
        rm -f "$state"
        for part in 0 1; do
            [ $part = 0 ] || cp "$state" "$state.loaded"
            read_part="ballpark dedup -j 1 --state $state $folder/state.$part"
            [ $from = files ] || read_part="cat $folder/state.$part | ballpark dedup -j 1 --state $state"
            measure $part "$read_part >$folder/state.out 2>$folder/state.said"
        done
        measure load "ballpark dedup -q -j 1 --state $state.loaded /dev/null"
    done
    row "dedup, first" "$(median 0 1)" s
    row "dedup, second" "$(median 1 1)" s
    row "dedup, load" "$(median load 1)" s
    awk -v a="$(median 1 1)" -v b="$(median 0 1)" -v l="$(median load 1)" 'BEGIN { print a / (b + l) }' |
        { read -r times; row "dedup, second / (first and load)" "$times" ratio "$([ $from = pipe ] || echo 1)"; }
    row "dedup, lines wrongly kept" "$(awk '$1 <= 5000000' "$folder/state.out" | wc -l)" lines 0
    row "dedup, lines lost" "$((2500000 - $(wc -l <"$folder/state.out")))" lines \
        "$(sed -n 's/.*at most \([0-9]*\).*/\1/p' "$folder/state.said")"
done
