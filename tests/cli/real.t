#needs DATA
# real files; the exact answers are those of sort -u
$ ballpark distinct "$DATA/debian_pkgnames.txt"
63697
$ ballpark distinct -f 1 "$DATA/apache_combined.log"
1753
$ ballpark distinct -f 7 "$DATA/apache_combined.log"
1498
$ ballpark distinct "$DATA/apache_combined.log"
9981
$ ballpark distinct -d '"' -f 6 "$DATA/apache_combined.log"
559
$ ballpark distinct "$DATA/nyc_cli_by_boro.csv"
10421
$ ballpark distinct "$DATA/amazon_cellphones.ndjson"
793
$ ballpark distinct -q -f 1 "$DATA/loghub_HDFS.log"
3
$ ballpark distinct --crlf keep "$DATA/loghub_Apache.log"
1461
$ ballpark distinct --exact-limit 1M "$DATA/english_words_alpha.txt" 2>/dev/null
370099
$ ballpark distinct --exact-limit 1M "$DATA/ipsum_l1.txt"
120430
$ for j in 1 2 4; do ballpark distinct -j $j --json "$DATA/ipsum_l1.txt" | sed 's/"seconds.*//'; done | uniq | wc -l
1

# the truth is inside the interval
$ ballpark distinct --csv --ci=99.99 "$DATA/ipsum_l1.txt" | awk -F, 'NR == 2 { print ($2 <= 120430 && 120430 <= $3) }'
1
$ ballpark distinct --csv --ci=99.99 "$DATA/english_words_alpha.txt" 2>/dev/null | awk -F, 'NR == 2 { print ($2 <= 370099 && 370099 <= $3) }'
1
$ ballpark distinct --csv --exact-limit 0 --ci=99.99 -f 1 "$DATA/apache_combined.log" | awk -F, 'NR == 2 { print ($2 <= 1753 && 1753 <= $3) }'
1

# a union, not a sum
$ for i in 1 2 3; do ballpark distinct --save $i.bpk "$DATA/ipsum_l$i.txt" > out; done; ballpark distinct 1.bpk > a; ballpark distinct 1.bpk 2.bpk 3.bpk | cmp - a

# dedup and has agree with awk and grep
$ ballpark dedup -f 1 "$DATA/apache_combined.log" | cksum; awk '!seen[$1]++' "$DATA/apache_combined.log" | cksum
3283260117 426718
3283260117 426718
$ ballpark dedup -c "$DATA/loghub_Apache.log" 2>/dev/null
unique	1461
total	2000
$ ballpark has -c "$DATA/ipsum_l3.txt" "$DATA/ipsum_l1.txt"; grep -Fxcf "$DATA/ipsum_l3.txt" "$DATA/ipsum_l1.txt"
14217
14217
$ ballpark has -c "$DATA/debian_pkgnames.txt" "$DATA/debian_pkgnames.txt"
63697

# what comes most often is what sort and uniq say, and the list of the data's makers
$ ballpark top -n 1 -f 1 "$DATA/apache_combined.log"
482	66.249.73.135
$ ballpark top -n 1 -f 7 "$DATA/apache_combined.log"
807	/favicon.ico
$ ballpark top -n 1 --format log -f ip "$DATA/apache_combined.log"
482	66.249.73.135
$ ballpark top -n 1 --format log -f path "$DATA/apache_combined.log"
807	/favicon.ico
$ ballpark top -n 1 --format log -f agent "$DATA/apache_combined.log"
1044	Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/32.0.1700.107 Safari/537.36
$ ballpark top -n 1 --exact-limit 0 --format log -f agent "$DATA/apache_combined.log" | cut -f1
1044
$ ballpark top -n 1 -f 1 "$DATA/loghub_HDFS.log" 2>/dev/null
965	081110
$ ballpark top -n 1 -f 1 "$DATA/loghub_OpenSSH.log" 2>/dev/null
2000	Dec
$ ballpark top -n 1 "$DATA/debian_pkgnames.txt"
1	0ad
$ ballpark distinct --format log -f agent "$DATA/apache_combined.log"
559
$ ballpark top -n 2000 -f 1 "$DATA/apache_combined.log" | cmp - <(awk '{ c[$1]++ } END { for (k in c) print c[k] "\t" k }' "$DATA/apache_combined.log" | sort -t "$(printf '\t')" -k1,1nr -k2,2)
$ ballpark top -n 3 --format log -f ip -w bytes "$DATA/apache_combined.log" | cmp - <(awk '{ c[$1] += $10 } END { for (k in c) printf "%d\t%s\n", c[k], k }' "$DATA/apache_combined.log" | sort -k1,1nr | head -3)

# a sketch holds its limits, over all keys
$ awk '{ c[$1]++ } END { for (k in c) print k "\t" c[k] }' "$DATA/apache_combined.log" | sort > true; cut -f1 true > keys
$ ballpark top --exact-limit 0 -f 1 --ci -n 1000 "$DATA/apache_combined.log" | awk 'NR == FNR { t[$1] = $2; next } { n++; bad += (t[$6] < $2) + (t[$6] > $3) } END { print n, bad + 0 }' true -
1000 0
$ ballpark count -q --exact-limit 0 -f 1 --ci "$DATA/apache_combined.log" keys | awk 'NR == FNR { t[$1] = $2; next } { n++; under += (t[$4] > $3) } END { print n, under + 0 }' true -
1753 0
$ ballpark count -f 1 "$DATA/apache_combined.log" keys | awk '{ print $2 "\t" $1 }' | cmp - true
