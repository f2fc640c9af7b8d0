# set: every file is a set; small ones exactly
$ seq 1 1000 > a; seq 501 1500 > b; seq 901 1100 > c; : > e
$ ballpark set union a b
1500
$ ballpark set intersect a b
500
$ ballpark set diff a b
500
$ ballpark set jaccard a b
0.333333
$ ballpark set contain a c
0.1
$ ballpark set contain c a
0.5
$ ballpark set matrix a b c
	a	b	c
a	1	0.333333	0.090909
b	0.333333	1	0.2
c	0.090909	0.2	1
$ sort a > sa; sort b > sb; test $(comm -12 sa sb | wc -l) = $(ballpark set intersect a b) && echo as comm
as comm
$ cat a a a | ballpark set union --ci -
1000 (exact)
$ ballpark set jaccard --ci a b
0.333333 (exact)

# the order matters to diff and contain alone
$ ballpark set union b a; ballpark set intersect b a; ballpark set jaccard b a
1500
500
0.333333
$ ballpark set diff b a c; ballpark set diff b c a; ballpark set diff c a b
400
400
0
$ ballpark set contain b c; ballpark set contain c b
0.2
1

# five of them, and one
$ for o in union intersect diff jaccard contain; do ballpark set $o a b c a b; done
1500
100
0
0.066667
0.1
$ for o in union intersect diff matrix; do ballpark set $o a; done
1000
1000
1000
	a
a	1
$ ballpark set jaccard a
ballpark: jaccard takes 2 files or more
[exit 2]
$ ballpark set contain a
ballpark: contain takes 2 files or more
[exit 2]
$ ballpark set jaccard a a; ballpark set diff a a; ballpark set intersect a a; ballpark set matrix a a
1
0
1000
	a	a
a	1	1
a	1	1

# empty ones: no share of nothing
$ for o in union intersect diff; do ballpark set $o e e; ballpark set $o a e; ballpark set $o e a; done | paste -sd' '
0 1000 1000 0 0 0 0 1000 0
$ ballpark set jaccard a e; ballpark set contain a e
0
0
$ ballpark set jaccard e e
0..1
ballpark: set: there is nothing to take a share of
$ ballpark set contain e a
0..1
ballpark: set: there is nothing to take a share of
$ ballpark set contain --json e a | grep -o '"estimate".*"flags":[^]]*]' | head -1 | cut -d, -f1-6
ballpark: set: there is nothing to take a share of
"estimate":null,"lower":0,"upper":1,"confidence":0.95,"exact":false,"flags":["no-point"]
$ ballpark set matrix e a
	e	a
e	0..1	0
a	0	1
$ ballpark set matrix e
	e
e	0..1

# JSON
$ ballpark set diff --json a c | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":900,"lower":900,"upper":900,"confidence":0.95,"exact":true,"flags":["exact"],"records":1200,"bytes":4794,"bad_records":0,"seconds":S,"matches":900,"operation":"diff","k":131072,"sets":[{"file":"a","estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"matches":1000},{"file":"c","estimate":200,"lower":200,"upper":200,"confidence":0.95,"exact":true,"flags":["exact"],"matches":200}]}
$ ballpark set jaccard --json a b | sed 's/"seconds":[0-9.e-]*/"seconds":S/;s/"sets".*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":0.333333333,"lower":0.333333333,"upper":0.333333333,"confidence":0.95,"exact":true,"flags":["exact"],"records":2000,"bytes":8394,"bad_records":0,"seconds":S,"matches":500,"operation":"jaccard","k":131072,
$ ballpark set matrix --json a b | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"operation":"matrix","k":131072,"sets":[{"file":"a","estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"matches":1000},{"file":"b","estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"matches":1000}],"pairs":[{"a":"a","b":"b","count_a":{"estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"matches":1000},"count_b":{"estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"matches":1000},"intersection":{"estimate":500,"lower":500,"upper":500,"confidence":0.95,"exact":true,"flags":["exact"],"matches":500},"jaccard":{"estimate":0.333333333,"lower":0.333333333,"upper":0.333333333,"confidence":0.95,"exact":true,"flags":["exact"],"matches":500}}],"confidence":0.95,"records":2000,"bytes":8394,"bad_records":0,"seconds":S}
$ ballpark set matrix --json a | grep -o '"pairs":[^]]*]'
"pairs":[]

# what a record and an item are
$ printf '1 x\n2 y\n' > f; printf '3,y\n4,z\n' > g; ballpark set intersect -f 2 f -
0
$ printf 'X\n' | ballpark set contain -f 2 -i - f
ballpark: 1 of 1 records lack a chosen field and were left out
0..1
ballpark: set: there is nothing to take a share of
[exit 3]
$ printf '7\n+8\n' > i; printf '007\n9\n' > k; ballpark set intersect i k; ballpark set intersect --as int i k
0
1
$ printf 'a\0b\0' > z; printf 'b\0' | ballpark set jaccard -z z -
0.5
$ gzip -k b; ballpark set intersect a b.gz
500
$ ballpark set intersect --as int i a
2
$ printf '7\nx\n' > bad; ballpark set intersect --as int i bad
ballpark: 1 of 2 records are no integer and were left out
1
[exit 3]
$ ballpark set intersect --as int --strict i bad
ballpark: bad: record 2: no integer
[exit 3]

# a union is exact where its parts are, though its sketch holds k items
$ seq 100001 200000 > p; seq 1 100000 > q; ballpark set union --ci --save pq.bpk p q a b c q; ballpark set union --ci pq.bpk
200000 (exact)
199944 (95 %: 199309 to 200581)
$ ballpark set union --k 1499 --ci a b c; ballpark set union --k 999 --ci a b c
1500 (exact)
1501 (95 %: 1499 to 1505)
$ ballpark set union --k 1000 --json a b c | grep -o '"matches":[0-9]*' | head -1
"matches":1500
$ ballpark set union --k 1000 --ci c e b a
1500 (exact)

# estimates, with their limits; the answer and the bytes do not depend on the threads
$ seq 300000 > A; seq 200001 500000 > B
$ for o in union intersect diff jaccard contain; do ballpark set $o --ci A B; done
501364 (95 %: 499785 to 502949)
99817 (95 %: 99113 to 100526)
200185 (95 %: 199188 to 201188)
0.199091 (95 %: 0.197834 to 0.200353)
0.332721 (95 %: 0.330802 to 0.334645)
$ ballpark set intersect --ci=99 A B
99817 (99 %: 98893 to 100750)
$ ballpark set matrix --ci A B
	A	B
A	1 (exact)	0.199091 (95 %: 0.197834 to 0.200353)
B	0.199091 (95 %: 0.197834 to 0.200353)	1 (exact)
$ for j in 1 2 4; do ballpark set union -j $j --save u$j.bpk A B; ballpark set jaccard -j $j A B; done | uniq -c | sed 's/^ *//'
1 501364
1 0.199091
1 501364
1 0.199091
1 501364
1 0.199091
$ cmp u1.bpk u2.bpk && cmp u1.bpk u4.bpk
$ ballpark set union --k 1M --ci A B
500000 (exact)
$ ballpark set jaccard --k 1000 --ci A B
0.189385 (95 %: 0.171279 to 0.208922)
$ ballpark set union --save r.bpk B A > u; cmp r.bpk u1.bpk

# sketches, texts and standard input together; the sketches rule
$ ballpark build theta -o a.bpk a; ballpark build theta -o b.bpk b; ballpark build theta -o A.bpk A
$ ballpark set intersect --ci a.bpk b.bpk
500 (exact)
$ ballpark set intersect --ci a b.bpk < a; ballpark set intersect --ci - b.bpk < a; ballpark set intersect --ci a - < b.bpk
500 (exact)
500 (exact)
500 (exact)
$ ballpark set contain --ci a.bpk A; ballpark set contain --ci A a.bpk
0.774312..1 (95 %)
ballpark: set: 13 sampled items match, fewer than 16: only the interval means something
0.001862..0.005404 (95 %)
ballpark: set: 13 sampled items match, fewer than 16: only the interval means something
$ ballpark set jaccard --ci A.bpk B
0.197301 (95 %: 0.188087 to 0.206851)
$ ballpark set jaccard --json A.bpk B | grep -o '"k":[0-9]*'
"k":4096
$ ballpark build theta --base64 a > a64; ballpark set jaccard a64 a.bpk
1
$ cat a.bpk b.bpk > two; ballpark set union two; ballpark set contain a.bpk two; ballpark set diff two a.bpk
1500
1
500

# the sketch that comes out is an input again
$ ballpark set diff --save d.bpk --label 'new ones' a.bpk b.bpk; ballpark set intersect d.bpk a; ballpark info d.bpk | grep '^label\|^items'
500
500
label                new ones
items                500 (exact)
$ ballpark set intersect --save - a b | ballpark set union -
500
500
$ ballpark set intersect --save x.bpk -o n a b && cat n && ballpark set union x.bpk
500
500
$ ballpark set union --save v.bpk --form view A B && ballpark set jaccard v.bpk A B
501364
0.198257
$ ballpark set jaccard --save x.bpk a b
ballpark: jaccard makes no sketch; --save is of union, intersect and diff
[exit 2]
$ ballpark set matrix --save x.bpk a b
ballpark: matrix makes no sketch; --save is of union, intersect and diff
[exit 2]
$ ballpark set union --label x a
ballpark: --label needs --save
[exit 2]
$ ballpark set union -o s.bpk --save s.bpk a
ballpark: two outputs go to s.bpk
[exit 2]

# too few of the sample: an interval and no number
$ seq 299951 700000 > C; ballpark build theta --k 64 -o small.bpk A
$ ballpark set intersect small.bpk C
0..21980
ballpark: set: 0 sampled items match, fewer than 16: only the interval means something
$ ballpark set intersect --ci small.bpk C
0..21980 (95 %)
ballpark: set: 0 sampled items match, fewer than 16: only the interval means something
$ ballpark set jaccard -q small.bpk C
0..0.030766
$ ballpark set contain --ci=99 -q small.bpk C
0..0.10425 (99 %)
$ ballpark set intersect -q --json small.bpk C | sed 's/"seconds.*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"theta","estimate":null,"lower":0,"upper":21980,"confidence":0.95,"exact":false,"flags":["one-sided","no-point"],"records":400050,"bytes":2800350,"bad_records":0,
$ ballpark set matrix small.bpk C B
	small.bpk	C	B
small.bpk	1	0..0.030766	0.225806
C	0..0.030766	1	0.325301
B	0.225806	0.325301	1
ballpark: set: 1 of 3 pairs have fewer than 16 sampled matches, or nothing in them, and intervals alone
$ ballpark set intersect -q --save few.bpk small.bpk C; ballpark distinct few.bpk; ballpark distinct -q --ci few.bpk
0..21980
0..21980
ballpark: distinct: 0 sampled items match, fewer than 16: only the interval means something
0..21980 (95 %)
$ ballpark distinct -q --csv few.bpk; ballpark distinct -q --json few.bpk | sed 's/"records.*//'
estimate,lower,upper,confidence,exact,records,flags
,0,21980,0.95,false,0,one-sided no-point
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"theta","estimate":null,"lower":0,"upper":21980,"confidence":0.95,"exact":false,"flags":["one-sided","no-point"],
$ ballpark info few.bpk | grep '^items\|^matches'
matches              0
items                0..21980 (95 %)
$ ballpark info --json few.bpk | grep -o '"items":[^}]*}' | head -1
"items":{"estimate":null,"lower":0,"upper":21980,"confidence":0.95,"exact":false,"flags":["one-sided","no-point"]}
$ ballpark set intersect small.bpk C B few.bpk -q
0..21980

# what does not fit is named before a text is read
$ ballpark distinct --save h.bpk --exact-limit 0 A > n; ballpark set union h.bpk a.bpk
ballpark: h.bpk: a sketch of kind hll does not answer set
[exit 4]
$ ballpark set union a.bpk h.bpk missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark set intersect a.bpk A h.bpk
ballpark: h.bpk: a sketch of kind hll does not answer set
[exit 4]
$ ballpark set intersect a.bpk small.bpk
ballpark: small.bpk: does not fit a.bpk: k is 4096 there and 64 here
[exit 4]
$ ballpark set intersect --k 64 a a.bpk
ballpark: a.bpk: does not fit: k is 4096 there and 64 by --k
[exit 4]
$ ballpark set intersect --k 4096 a a.bpk
1000
$ ballpark build theta --hash-seed 7 -o seven.bpk a; ballpark set intersect a.bpk b seven.bpk
ballpark: seven.bpk: does not fit a.bpk: seed is 0 there and 7 here
[exit 4]
$ ballpark set intersect seven.bpk a; ballpark set intersect --hash-seed 7 seven.bpk b
1000
500
$ ballpark set intersect --hash-seed 8 seven.bpk b
ballpark: seven.bpk: does not fit: seed is 7 there and 8 by --hash-seed
[exit 4]
$ ballpark build theta --as int -o int.bpk i; ballpark set jaccard int.bpk k
0.333333
$ ballpark set jaccard --as bytes int.bpk k
ballpark: int.bpk: does not fit: type is integer there and bytes by --as
[exit 4]
$ ballpark set jaccard int.bpk a.bpk
ballpark: a.bpk: does not fit int.bpk: type is integer there and bytes here
[exit 4]
$ printf '000102030405060708090a0b0c0d0e0f\n' > key; chmod 600 key
$ for x in a b; do ballpark build theta --key-file key -o key$x.bpk $x; done; ballpark set intersect keya.bpk keyb.bpk
500
$ ballpark set intersect keya.bpk b
ballpark: keya.bpk: was made with a secret key: items need --key-file with that key
[exit 4]
$ ballpark set intersect --key-file key keya.bpk b
500
$ ballpark set intersect keya.bpk a.bpk
ballpark: a.bpk: does not fit keya.bpk: hash is siphash-1-3 there and xxh3-64 here
[exit 4]
$ ballpark set intersect --key-file key a.bpk b
ballpark: a.bpk: does not fit: hash has a public seed there and a key by --key-file
[exit 4]
$ ballpark set intersect --key-file key a b
500
$ ballpark build cms -o cms.bpk a; ballpark set union cms.bpk
ballpark: cms.bpk: a sketch of kind cms does not answer set
[exit 4]
$ ballpark build bloom --capacity 1k -o f.bpk a; ballpark set union a f.bpk
ballpark: build: health of bloom is warn: as many items as planned, or more
ballpark: f.bpk: a sketch of kind bloom does not answer set
[exit 4]

# bad inputs
$ ballpark set
ballpark: usage: ballpark set [OPTION]... OPERATION FILE...
[exit 2]
$ ballpark set union
ballpark: usage: ballpark set [OPTION]... OPERATION FILE...
[exit 2]
$ ballpark set sum a b
ballpark: unknown operation sum; known are union, intersect, diff, jaccard, contain, matrix
[exit 2]
$ ballpark set Union a b
ballpark: unknown operation Union; known are union, intersect, diff, jaccard, contain, matrix
[exit 2]
$ ballpark set union a missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark set union a .
ballpark: .: Is a directory
[exit 2]
$ ballpark set union missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark set intersect - a - < b
ballpark: standard input (-) can be read only once
[exit 2]
$ ballpark set intersect < a
ballpark: usage: ballpark set [OPTION]... OPERATION FILE...
[exit 2]
$ head -c 1000 a.bpk > cut.bpk; ballpark set union a.bpk cut.bpk
ballpark: cut.bpk: damaged: truncated: body, at byte 1000
[exit 4]
$ { head -c 1000 a.bpk; printf X; tail -c +1002 a.bpk; } > hit.bpk; ballpark set union hit.bpk a
ballpark: hit.bpk: damaged: checksum, at byte 5503
[exit 4]
$ cat a.bpk a > more.bpk; ballpark set union more.bpk
ballpark: more.bpk: damaged: 3893 bytes that are no sketch follow the last one
[exit 4]
$ : > none.bpk; ballpark set union none.bpk a
ballpark: none.bpk: not a sketch, or damaged
[exit 4]
$ head -c 1500 b.gz > cut.gz; ballpark set diff a cut.gz
ballpark: cut.gz: damaged: the compressed data ends too early
ballpark: cut.gz: was not read whole: what the sets share would be wrong
[exit 2]
$ ballpark set union --k 15 a
ballpark: --k 15: out of range: 16 to 2^24
[exit 2]
$ ballpark set union --k 16777217 a
ballpark: --k 16777217: out of range: 16 to 2^24
[exit 2]
$ ballpark set union --k x a
ballpark: --k x: out of range: 16 to 2^24
[exit 2]
$ ballpark set union -j 1 --k 1M --mem 64k A
ballpark: theta: over the memory limit
[exit 5]
$ ballpark set union -w 1 a
ballpark: set does not take --weight
[exit 2]
$ ballpark set union --csv a
ballpark: set does not take --csv
[exit 2]
$ ballpark set union --rows 5 a
ballpark: set does not take --rows
[exit 2]
$ ballpark set union --form view a
ballpark: --form needs --save
[exit 2]
$ ballpark set matrix a b > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark set union a b > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark set matrix -o no/such a b
ballpark: no/such: cannot open: No such file or directory
[exit 2]
$ printf 'x\n' > "$(printf 'a\tb\033')"; ballpark set matrix a*b*
	a?b?	a.bpk
a?b?	1	0
a.bpk	0	1
$ ballpark set union -v a b 2>&1 | sed 's/[0-9.]* s, [0-9]* thread.*,/T,/'
1500
ballpark: 2000 records, 8394 bytes, T, method exact

# a signal leaves nothing behind
$ mkfifo pipe; (exec sleep 3 > pipe) & timeout -s INT 1 ballpark set union --save new.bpk -o new a pipe; echo $?; ls -A | grep -c '^\.*new'
124
0
[exit 1]

# build, merge, distinct and info of theta
$ ballpark build theta -o t1.bpk a; ballpark build theta -o t2.bpk b; ballpark merge t1.bpk t2.bpk -o t12.bpk; ballpark distinct --ci t12.bpk
1500 (exact)
$ ballpark set union --save u.bpk t1.bpk t2.bpk; cmp u.bpk t12.bpk
1500
$ ballpark distinct --ci t1.bpk t2.bpk; ballpark distinct --ci t1.bpk b; ballpark distinct --ci A.bpk b
1500 (exact)
1500 (exact)
300463 (95 %: 291393 to 309745)
$ ballpark build theta -j 1 -o j1.bpk A B; ballpark build theta -j 4 -o j4.bpk B A; cmp j1.bpk j4.bpk; ballpark distinct --ci j1.bpk
498414 (95 %: 483328 to 513853)
$ ballpark build theta --append -o t1.bpk b; cmp t1.bpk t12.bpk
$ ballpark build theta --append --k 64 -o t1.bpk b
ballpark: t1.bpk: does not fit: k is 4096 there and 64 by --k
[exit 4]
$ ballpark build topk --append --k 64 -o t1.bpk b
ballpark: t1.bpk: does not fit: kind is theta there and topk here
[exit 4]
$ ballpark build theta -o t3.bpk a.bpk b; cmp t3.bpk t12.bpk
$ ballpark info A.bpk
file                 A.bpk
kind                 theta
question             how many in both, or in one alone?
hash                 xxh3-64
seed                 0
type                 bytes
k                    4096
theta                0.01363
matches              4096
items                300463 (95 %: 291393 to 309745)
standard_error       0.01562
memory_bytes         32896
encoded_bytes        18132
health               ok
fill                 1
error_now            0.01562
reason               within its range
$ ballpark info --check -q A.bpk few.bpk a.bpk
$ ballpark distinct a.bpk h.bpk
ballpark: h.bpk: does not fit a.bpk: kind is theta there and hll here
[exit 4]
$ ballpark distinct h.bpk a.bpk
ballpark: a.bpk: does not fit h.bpk: kind is hll there and theta here
[exit 4]
$ ballpark merge a.bpk h.bpk -o x.bpk
ballpark: h.bpk: does not fit a.bpk: kind is theta there and hll here
[exit 4]
$ ballpark merge a.bpk small.bpk -o x.bpk
ballpark: small.bpk: does not fit a.bpk: k is 4096 there and 64 here
[exit 4]
$ ballpark distinct --precision 10 a.bpk
ballpark: theta does not take --precision
[exit 2]
$ ballpark build theta --rows 5 -o x.bpk a
ballpark: theta does not take --rows
[exit 2]
$ ballpark build topk --k 5 -o x.bpk a
ballpark: topk does not take --k
[exit 2]
$ ballpark build hll --k 5 -o x.bpk a
ballpark: hll does not take --k
[exit 2]
$ ballpark build theta --k 15 -o x.bpk a
ballpark: --k 15: out of range: 16 to 2^24
[exit 2]
$ ballpark build theta -w 1 -o x.bpk a
ballpark: theta does not take --weight
[exit 2]
$ ballpark has a.bpk a
ballpark: a.bpk: a sketch of kind theta does not answer has
[exit 4]
$ ballpark count a.bpk a
ballpark: a.bpk: a sketch of kind theta does not answer count of an item
[exit 4]
$ ballpark top a.bpk
ballpark: a.bpk: a sketch of kind theta does not answer rows
[exit 4]

# of several files: matches and share are of the same sampled items
$ for i in 1 2 3 4; do seq $((i * 100)) $((i * 100 + 2000)) > m$i; done
$ ballpark set jaccard --k 64 --json m1 m2 m3 m4 | grep -o '"flags":[^]]*]\|"matches":[0-9]*' | head -2
"flags":[]
"matches":54
$ ballpark set matrix --ci --k 64 m1 m2
	m1	m2
m1	1 (exact)	0.924242 (95 %: 0.836405 to 0.966791)
m2	0.924242 (95 %: 0.836405 to 0.966791)	1 (exact)
$ seq 1 70 > h1; seq 61 130 > h2; ballpark set union --k 100 --ci --save h.bpk h1 h2; ballpark distinct --ci h.bpk
130 (exact)
119 (95 %: 110 to 130)
