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
