#needs script
# on a terminal: short help without input, the interval beside the number, no binary bytes
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
