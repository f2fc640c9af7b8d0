#needs script
# on a terminal: short help without input, the interval beside the number, no binary bytes; no progress where a
# slow machine would show it
$ script -qec 'ballpark distinct' /dev/null | tr -d '\r' | head -1
usage: ballpark distinct [OPTION]... [FILE]...
$ script -qec 'ballpark dedup' /dev/null > out; echo $?
2
$ printf 'a\n' > f; script -qec 'ballpark distinct f' /dev/null | tr -d '\r'
1
exact
$ script -qec 'ballpark distinct -q f' /dev/null | tr -d '\r'
1
$ seq 200000 > n
$ script -qec 'ballpark distinct --no-progress n n' /dev/null | tr -d '\r'
200430
95 %: 198276 to 202608
$ script -qec 'ballpark build hll f' /dev/null | tr -d '\r'
ballpark: a sketch is not for a terminal: name a file, or ask for --base64
$ script -qec 'ballpark distinct --save - f' /dev/null | tr -d '\r'
ballpark: a sketch is not for a terminal: name a file, or ask for --base64
$ script -qec 'ballpark merge f' /dev/null | tr -d '\r'
ballpark: a sketch is not for a terminal: name a file, or ask for --base64
$ ballpark build bloom --capacity 10 --fpr 1% -o b f; script -qec 'ballpark has b f' /dev/null | tr -d '\r'
a
ballpark: has: rate now 3.55e-15: about 0.00 of 1 records found are false positives (95 %: at most 0, unless records repeat)
$ seq 100001 400000 > m; script -qec 'ballpark set --no-progress intersect n m' /dev/null | tr -d '\r'
100044
95 %: 99340 to 100753
$ script -qec 'ballpark set --no-progress jaccard n n' /dev/null | tr -d '\r'
1
95 %: 0.999989 to 1
$ script -qec 'ballpark set --no-progress jaccard f f' /dev/null | tr -d '\r'
1
exact
$ script -qec 'ballpark set union --save - f' /dev/null | tr -d '\r'
ballpark: a sketch is not for a terminal: name a file, or ask for --base64
$ ballpark build theta --k 64 -o t n; script -qec 'ballpark set --no-progress intersect t f' /dev/null | tr -d '\r'
0..1
95 %: 0 to 1
ballpark: set: 0 sampled items match, fewer than 16: only the interval means something
$ script -qec 'ballpark set -q contain t f' /dev/null | tr -d '\r'
0..0.056609
# --live: redrawn in place and clipped, then the answer as ever; after a signal too, and a note does not get in the way
$ mkfifo hold; export TERM=xterm LINES=4 COLUMNS=16; mkfifo in; (printf '\303\251\001-long-long-long-long\nb\nb\nc\n\303\251\001-long-long-long-long\n\303\251\001-long-long-long-long\n'; exec cat hold) > in & script -qfc 'ballpark top --live=0.1 in' out > /dev/null < /dev/null & until grep -qsaF '[3A' out; do sleep 0.1; done; : > hold; wait $!; tr -d '\r' < out | sed '1d;$d;s/\x1b/^/g' > lines; head -n 4 lines; tail -n 4 lines
6 records^[K
3       é?-lon^[K
2       b^[K
^[J^[3A6 records^[K
2	b
1	c
exact

$ export TERM=xterm; (printf 'an-item\n'; exec cat hold) > in & script -qfc 'echo $$ > pid; exec ballpark distinct --live=0.1 in' out2 > /dev/null < /dev/null & until grep -qsaF '[2A' out2; do sleep 0.1; done; kill $(cat pid); wait $!; : > hold; tr -d '\r' < out2 | sed '1d;$d;s/\x1b/^/g' | sed '/^$/d' | tail -n 2
^[J^[2A^[J1
exact
$ echo a > f; TERM=dumb script -qec 'ballpark distinct --live f' /dev/null < /dev/null | grep -o '"final":true'; TERM=xterm script -qec 'ballpark distinct --live f' /dev/null < /dev/null | tr -d '\r'; TERM=xterm script -qec 'ballpark distinct --live --json f' /dev/null < /dev/null | grep -o '"final":true'
"final":true
1
exact
"final":true
$ export TERM=xterm; (printf 'an-item\r\n'; exec cat hold) > in & script -qfc 'ballpark distinct --live=0.1 in' out3 > /dev/null < /dev/null & until grep -qsaF '[2A' out3; do sleep 0.1; done; printf 'no-cr\n' > hold; wait $!; tr -d '\r' < out3 | sed '1d;$d;s/\x1b/^/g' | grep -a 'CR LF' -A 1 | head -n 3
ballpark: in: lines end with CR LF; the CR is kept as a part of the line (--crlf strip removes it)
1 records^[K
