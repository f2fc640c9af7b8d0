# tables.sh - the rows of each table of bench/peers/run, which sources this, and what their outputs tell. The row `ours`
# is what the others are divided by. A row whose key begins with `ours` must be inside the bound that it states.

# ---- 1: how many different lines ----

declare -A truth=() states=()

distinct_rows() { # FILE LINES DIFFERENT
    local file=$folder/$1 n=$2
    entry ours ballpark "$n" "ballpark, one thread" "ballpark distinct -j 1 --ci=99 $file"
    entry ours_cores ballpark "$n" "ballpark, all cores" "ballpark distinct --ci=99 $file"
    entry ours_exact ballpark "$n" "ballpark, exact" "ballpark distinct -j 1 --ci=99 --exact-limit $n --mem 1G $file"
    entry redis redis "$n" "Redis PFADD, PFCOUNT" "mawk -f bench/peers/pfadd.awk $file |
        redis-cli -s $folder/redis/redis.sock --pipe >>$folder/messages &&
        redis-cli -s $folder/redis/redis.sock pfcount lines"
    entry duckdb node "$n" "DuckDB approx_count_distinct" \
        "node bench/peers/peers.cjs sql 1 \"select approx_count_distinct(line) from lines('$file')\""
    entry duckdb_exact node "$n" "DuckDB count(distinct)" \
        "node bench/peers/peers.cjs sql 1 \"select count(distinct line) from lines('$file')\""
    entry sort sort "$n" "sort -u, wc" "sort -u $file | wc -l"
    entry mawk mawk "$n" "mawk" "mawk '!seen[\$0]++ { n++ } END { print n }' $file"
    entry gawk gawk "$n" "gawk" "gawk '!seen[\$0]++ { n++ } END { print n }' $file"
    entry datamash datamash "$n" "datamash countunique" "datamash countunique 1 <$file"
    entry python "$python" "$n" "Python set" "$python bench/peers/peers.py distinct $file"
    for key in "${order[@]}"; do truth[$key]=$3 states[$key]=exact; done
    states[redis]="0.81 % standard error" states[duckdb]="none stated"
}
distinct_tables() {
    distinct_rows large "$lines" "$keys"
    entry npm node "$slow" "npm bloom-filters HyperLogLog, $slow lines" \
        "node bench/peers/peers.cjs distinct 4096 $folder/slow"
    truth[npm]=$slow states[npm]="1.63 % standard error"
    compare "distinct-large" distinct_figures
    [ -z "$with_redis" ] || printf 'redis_bytes=%q\n' "$(redis memory usage lines)" >>"$folder/facts"
    distinct_rows small $((lines / 10)) "$few"
    compare "distinct-small" distinct_figures
}
# Ours says "N (99 %: A to B)" or "N (exact)".
distinct_figures() { # KEY
    tr -d ':)' <"$folder/out.$name.$1" | awk -v truth="${truth[$1]}" -v states="${states[$1]}" '{
        if (NF == 6) states = sprintf("99 %%: %d to %d, %s", $4, $6, $4 <= truth && truth <= $6 ? "inside" : "OUTSIDE")
        if ($2 == "(exact") states = "exact, " ($1 == truth ? "inside" : "OUTSIDE")
        printf "%d\t%.2f %%\t%s\n", $1, ($1 / truth - 1) * 100, states
    }'
}

# ---- 2: the ten most frequent clients of an access log ----

top_table() {
    local file=$folder/access n=$requests
    entry ours ballpark "$n" "ballpark, one thread" "ballpark top -f 1 -n 10 --ci -j 1 $file"
    entry ours_sketch ballpark "$n" "ballpark, never exact" "ballpark top -f 1 -n 10 --ci -j 1 --exact-limit 0 $file"
    entry ours_exact ballpark "$n" "ballpark, exact" \
        "ballpark top -f 1 -n 10 --ci -j 1 --exact-limit 10M --mem 1G $file"
    entry duckdb node "$n" "DuckDB approx_top_k" \
        "node bench/peers/peers.cjs sql 1 \"select unnest(approx_top_k(ip, 10)) from requests('$file')\""
    entry duckdb_exact node "$n" "DuckDB group by" \
        "node bench/peers/peers.cjs sql 1 \"select count(*) n, ip from requests('$file') group by ip
            order by n desc limit 10\""
    entry sort sort "$n" "cut, sort, uniq -c, sort -rn" \
        "cut -d' ' -f1 $file | sort | uniq -c | sort -rn | head"
    entry mawk mawk "$n" "mawk, sort -rn" \
        "mawk '{ n[\$1]++ } END { for (key in n) print n[key], key }' $file | sort -rn | head"
    entry gawk gawk "$n" "gawk, sort -rn" \
        "gawk '{ n[\$1]++ } END { for (key in n) print n[key], key }' $file | sort -rn | head"
    entry python "$python" "$n" "Python Counter" "$python bench/peers/peers.py top $file 1 10"
    entry npm node "$part" "npm bloom-filters TopK, $part lines" \
        "node bench/peers/peers.cjs top $folder/access.first 1 10"
    states=([duckdb]="none stated" [npm]="none stated")
    compare top top_figures
}
# Rows are "COUNT KEY", of DuckDB's sketch the key alone; ours has limits and a certificate between.
top_figures() { # KEY
    local file=access
    [ "$1" != npm ] || file=access.first
    awk -v ours="${1/#ours*/ours}" -v states="${states[$1]:-exact}" '
        NR == FNR { count[$2] = $1; if (NR <= 10) top[$2]; next }
        {
            rows += ($NF in top)
            if (NF == 1) next
            counts += $1 == count[$NF]
            off = count[$NF] ? ($1 / count[$NF] - 1) * 100 : 1e9
            if (off < 0) off = -off
            if (off > most) most = off
            if (NF == 6) inside += $2 <= count[$6] && count[$6] <= $3
            if ($5 == "certain") certain++
        }
        END {
            printf "%d\t%s\t", rows, NF == 1 ? "no counts" : sprintf("%d, worst off by %.2f %%", counts, most)
            if (ours != "ours") print states
            else {
                kept = inside == 10 && rows >= certain
                printf "limits %s, %d rows certain\n", kept ? "inside" : "OUTSIDE", certain
            }
        }' "$folder/$file.truth" "$folder/out.$name.$1"
}

# ---- 3: membership, and each line once ----

member_tables() {
    local keys=$folder/keys strangers=$folder/strangers members=build/bench/peer_members
    entry ours ballpark "$set" "ballpark, C" "$members blocked $rate $keys $strangers"
    entry ours_classic ballpark "$set" "ballpark, C, classic layout" "$members classic $rate $keys $strangers"
    entry libbloom libbloom "$set" "libbloom, C" "$members libbloom $rate $keys $strangers"
    entry python "$python" "$set" "Python set" "$python bench/peers/peers.py members $keys $strangers"
    entry npm node $((set / 10)) "npm bloom-filters BloomFilter, $((set / 10)) keys" \
        "node bench/peers/peers.cjs members $rate $folder/keys.first $folder/strangers.first"
    compare "members-library" member_figures

    entry ours ballpark "$set" "ballpark build bloom, has" "ballpark build bloom --capacity $set --fpr $rate -j 1 \
        -o $folder/keys.bpk $keys && ballpark has -c -j 1 $folder/keys.bpk $strangers"
    entry ours_exact ballpark "$set" "ballpark has, a text as set" "ballpark has -c -j 1 $keys $strangers"
    entry grep grep "$set" "grep -Fxf" "grep -cFxf $keys $strangers"
    entry sort sort "$set" "sort, comm" "sort $keys >$folder/tmp/a && sort $strangers >$folder/tmp/b &&
        comm -12 $folder/tmp/a $folder/tmp/b | wc -l"
    entry mawk mawk "$set" mawk \
        "mawk 'NR == FNR { set[\$0]; next } \$0 in set { n++ } END { print n + 0 }' $keys $strangers"
    entry gawk gawk "$set" gawk \
        "gawk 'NR == FNR { set[\$0]; next } \$0 in set { n++ } END { print n + 0 }' $keys $strangers"
    compare "members-command" found_figures

    local file=$folder/repeats n=$((repeats * 5))
    entry ours ballpark "$n" "ballpark dedup" "ballpark dedup -j 1 $file | wc -l"
    entry sort sort "$n" "sort -u" "sort -u $file | wc -l"
    entry mawk mawk "$n" "mawk" "mawk '!seen[\$0]++' $file | wc -l"
    entry gawk gawk "$n" "gawk" "gawk '!seen[\$0]++' $file | wc -l"
    compare dedup dedup_figures
}
# Prints whether a measured share keeps to one that is promised, by five standard errors of the measure.
kept() { # YES ASKED PROMISED
    awk -v yes="$1" -v n="$2" -v p="$3" 'BEGIN { print yes <= n * p + 5 * sqrt(n * p) ? "inside" : "OUTSIDE" }'
}
# The median of a column over all runs of a row.
column() { # KEY COLUMN
    sort -n -k"$2,$2" "$folder/all.$name.$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}
member_figures() { # KEY
    local insert ask false_yes false_no bytes bound="none stated"
    read -r insert ask false_yes false_no bytes <"$folder/out.$name.$1"
    insert=$(column "$1" 1) ask=$(column "$1" 2)
    case $1 in
    ours*) bound="1 %, $([ "$false_no" -eq 0 ] && kept "$false_yes" "$set" "$rate" || echo OUTSIDE)" ;;
    python) bound=exact ;;
    *) bound="1 % asked for" ;;
    esac
    awk -v i="$insert" -v a="$ask" -v yes="$false_yes" -v no="$false_no" -v bytes="$bytes" -v keys="${units[$1]}" \
        -v bound="$bound" 'BEGIN {
            printf "%.1f\t%.1f\t%.3f %%\t%d\t%.2f\t%s\n", i, a, yes / keys * 100, no, bytes * 8 / keys, bound }'
}
found_figures() { # KEY
    local yes bound=exact
    read -r yes <"$folder/out.$name.$1"
    [ "$1" != ours ] || bound="1 %, $(kept "$yes" "$set" "$rate")"
    [ "$1" != ours_exact ] || bound="exact, $(kept "$yes" "$set" 0)"
    awk -v yes="$yes" -v n="$set" -v bound="$bound" 'BEGIN { printf "%d\t%.3f %%\t%s\n", yes, yes / n * 100, bound }'
}
dedup_figures() { # KEY
    local printed bound=exact
    read -r printed <"$folder/out.$name.$1"
    [ "$1" != ours ] || bound="exact, $([ "$printed" -eq "$repeats" ] && echo inside || echo OUTSIDE)"
    printf '%s\t%s\t%s\n' "$printed" $((printed - repeats)) "$bound"
}

# ---- 4: count-min ----

count_table() {
    local counts=build/bench/peer_counts files="$folder/stream $folder/stream.truth"
    entry ours ballpark "$stream" "ballpark, conservative" "$counts conservative $epsilon $delta $files"
    entry ours_plain ballpark "$stream" "ballpark, plain" "$counts plain $epsilon $delta $files"
    entry npm node "$stream" "npm bloom-filters CountMinSketch" \
        "node bench/peers/peers.cjs counts $epsilon $delta $files"
    entry python "$python" "$stream" "Python Counter" "$python bench/peers/peers.py counts $epsilon $files"
    compare counts count_figures
}
count_figures() { # KEY
    local add ask light above under all bytes
    read -r add ask light above under all bytes <"$folder/out.$name.$1"
    awk -v add="$(column "$1" 1)" -v ask="$(column "$1" 2)" -v light="$light" -v above="$above" -v under="$under" \
        -v all="$all" -v bytes="$bytes" -v delta="$delta" -v key="$1" 'BEGIN {
            states = key == "python" ? "exact" : "1 % above at most"
            if (key ~ /^ours/) states = states (under == 0 && above <= delta * all ? ", inside" : ", OUTSIDE")
            printf "%.1f\t%.1f\t%.2f\t%.3f %%\t%d\t", add, ask, light, above / all * 100, under
            printf "%.1f\t%s\n", bytes / 1024, states
        }'
}
