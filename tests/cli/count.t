# count: how often do given keys come?
$ printf 'b\na\nc\na\nb\na\n' > f; printf 'a\nzz\nb\na\n' > keys
$ ballpark count f keys
3	a
0	zz
2	b
3	a
$ ballpark count f < keys
3	a
0	zz
2	b
3	a
$ ballpark count f - < keys
3	a
0	zz
2	b
3	a
$ ballpark count f -k b -k zz -k b
2	b
0	zz
2	b
$ ballpark count --key a -- f
3	a
$ ballpark count - keys < f
3	a
0	zz
2	b
3	a
$ ballpark count --ci f keys
3	3	3	a
0	0	0	zz
2	2	2	b
3	3	3	a
$ ballpark count --csv f keys
key,estimate,lower,upper,exact,flags
a,3,3,3,true,exact
zz,0,0,0,true,exact
b,2,2,2,true,exact
a,3,3,3,true,exact
$ ballpark count --json f -k a -k zz | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","exact":true,"rows":[{"key":"a","estimate":3,"lower":3,"upper":3,"exact":true,"flags":["exact"]},{"key":"zz","estimate":0,"lower":0,"upper":0,"exact":true,"flags":["exact"]}],"total":6,"confidence":0.95,"records":6,"bytes":12,"bad_records":0,"seconds":S}
$ ballpark count -o out f keys && cat out
3	a
0	zz
2	b
3	a
$ ballpark count --verbose f keys 2>&1 | sed 's/[0-9.]* s,/S s,/' | tail -1
ballpark: count: 6 records, 4 keys, S s, method exact
$ : | ballpark count f
$ ballpark count f keys keys | wc -l
8
$ ballpark count /dev/null keys
0	a
0	zz
0	b
0	a
$ printf 'a\0b' | ballpark count -z <(printf 'a\0b\0a\0') | od -An -c
   2  \t   a  \0   1  \t   b  \0

# fields and weights are those of the records; keys are whole records
$ printf '1 a 3\n2 b 4\n3 a 5\n' > r
$ ballpark count -f 2 r -k a -k b -k c
2	a
1	b
0	c
$ ballpark count -f 2 -w 3 r -k a -k b -k c
8	a
4	b
0	c
$ ballpark count -f 1,2 r -k '1 a' -k a
1	1 a
0	a
$ ballpark count -f 2 -w 1 --exact-limit 0 r -k a -k b -k c
4	a
2	b
0	c
$ ballpark count -i <(printf 'Ab\naB\n') -k AB
2	AB
$ printf 'AB\nab\n' | ballpark count -i <(printf 'Ab\naB\n')
2	AB
2	ab
$ printf '7\n+7\n007\n' | ballpark count --as int <(printf '07\n7\n8\n') -
2	7
2	+7
2	007
$ ballpark count --as int <(printf '07\n7\n8\n') -k 7 -k +7 -k 9
2	7
2	+7
0	9
$ ballpark count --as int <(printf '07\n7\n8\n') -k x
ballpark: --key x: no integer
[exit 2]
$ printf 'a 1\nb\n' > bad; ballpark count -f 1 -w 2 bad -k a -k b
ballpark: 1 of 2 records have no weight (a whole number from 0 to 2^63-1) and were left out
1	a
0	b
[exit 3]
$ ballpark count --strict -f 1 -w 2 bad -k a -k b
ballpark: bad: record 2: no weight (a whole number from 0 to 2^63-1)
[exit 3]
$ printf '7\nx\n' | ballpark count --as int <(printf '7\n')
1	7
ballpark: 1 of 2 records are no integer and were left out
[exit 3]

# over the exact limit a cms goes on: never too little, and what may be noise is marked
$ awk 'BEGIN { x = 7; for (i = 0; i < 300000; i++) { x = x * 16807 % 2147483647; print int(60000 * (x / 2147483647) ^ 3) } }' > n
$ sort n | uniq -c | awk '{ print $2 "\t" $1 }' > true; cut -f1 true > all
$ ballpark count n all | awk '{ print $2 "\t" $1 }' | cmp - true
$ ballpark count -q --exact-limit 1000 --ci n all | awk 'NR == FNR { t[$1] = $2; next } { n++; under += t[$4] > $3; wrong += t[$4] < $2 } END { print (n > 40000), under + 0, (wrong < n / 20) }' true -
1 0 1
$ for j in 1 2 4; do ballpark count -q -j $j --exact-limit 1000 n all | cksum; done | uniq | wc -l
1
$ ballpark count --exact-limit 0 --width 200 n -k 0 -k nobody -k 59999
7664	0
0	nobody	below noise
0	59999	below noise
ballpark: count: 2 of 3 keys are below the noise: they may never have come
$ ballpark count -q --exact-limit 0 --width 200 --ci n -k 0 -k nobody
7664	6934	7664	0
0	0	728	nobody	below noise
$ ballpark count -q --exact-limit 0 --width 200 --csv n -k 0 -k nobody
key,estimate,lower,upper,exact,flags
0,7664,6934,7664,false,one-sided
nobody,0,0,728,false,one-sided below-noise
$ ballpark count --exact-limit 0 --width 200 --json n -k nobody 2>/dev/null | grep -o '"flags":[^]]*]'
"flags":["one-sided","below-noise"]
$ ballpark count --exact-limit 0 --epsilon 1% --delta 1% --ci=99.9 n -k 0
7664	3273	7664	0

# a sketch that counts
$ ballpark build cms -o n.bpk n; ballpark count -q n.bpk all | cmp - <(ballpark count -q --exact-limit 0 n all)
$ ballpark count n.bpk -k 0
7664	0
$ ballpark build cms --width 200 -o w.bpk n; ballpark count --ci w.bpk -k 0 -k nobody
7664	6934	7664	0
0	0	728	nobody	below noise
ballpark: count: 1 of 2 keys are below the noise: they may never have come
$ ballpark top --exact-limit 0 --save t.bpk n > out; ballpark count --ci t.bpk -k 0 -k nobody
7664	7664	7737	0
0	0	41	nobody	below noise
ballpark: count: 1 of 2 keys are below the noise: they may never have come
$ ballpark count --json n.bpk -k 0 | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"cms","exact":false,"rows":[{"key":"0","estimate":7664,"lower":7626,"upper":7664,"exact":false,"flags":["one-sided"]}],"total":300000,"confidence":0.95,"records":0,"bytes":0,"bad_records":0,"seconds":S}
$ cat n.bpk n.bpk > two; ballpark count two -k 0
15328	0
$ ballpark build hll -o h.bpk n; ballpark count h.bpk -k 0
ballpark: h.bpk: a sketch of kind hll does not answer count of an item
[exit 4]
$ ballpark build bloom --capacity 100k --fpr 1% -o b.bpk n; ballpark count b.bpk -k 0
ballpark: b.bpk: a sketch of kind bloom does not answer count of an item
[exit 4]
$ ballpark count -f 1 n.bpk -k 0
ballpark: n.bpk: is a sketch; options that say how records are read are of text
[exit 2]
$ ballpark count --width 100 n.bpk -k 0
ballpark: n.bpk: does not fit: width is 2719 there and 100 by --width
[exit 4]
$ ballpark count --hash-seed 3 n.bpk -k 0
ballpark: n.bpk: does not fit: seed is 0 there and 3 by --hash-seed
[exit 4]
$ ballpark build cms --as int -o i.bpk n; ballpark count i.bpk -k 0 -k 00; ballpark count i.bpk -k x
7664	0
7664	00
ballpark: --key x: no integer
[exit 2]

# counters at their end
$ yes a 2>/dev/null | head -1000 | ballpark build cms --cell-bytes 1 -o s.bpk; ballpark count --ci s.bpk -k a -k b
ballpark: build: health of cms is warn: some counters are at their end
255	255	18446744073709551616	a
0	0	0	b
ballpark: count: 1 of 2 keys come at least so often: their counters are at their end
$ ballpark count --json s.bpk -k a 2>/dev/null | grep -o '"upper.*saturated"'
"upper":null,"exact":false,"flags":["one-sided","saturated"
$ ballpark info --check s.bpk | grep saturated
saturated            5

# usage
$ ballpark count
ballpark: usage: ballpark count [OPTION]... SET [KEYS]...
[exit 2]
$ ballpark count - < f
ballpark: standard input (-) can be read only once
[exit 2]
$ ballpark count - - < f
ballpark: standard input (-) can be read only once
[exit 2]
$ ballpark count f -k a keys
ballpark: --key and a file of keys contradict each other
[exit 2]
$ ballpark count missing -k a
ballpark: missing: No such file or directory
[exit 2]
$ ballpark count f missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark count f n.bpk
ballpark: n.bpk: is a sketch; keys are records
[exit 2]
$ ballpark count --width 0 f -k a
ballpark: --width 0: out of range: 1 to 2^32-1
[exit 2]
$ ballpark count --width 10 --epsilon 1% f -k a
ballpark: --epsilon and --width contradict each other
[exit 2]
$ ballpark count --bytes 1k --delta 1% f -k a
ballpark: --bytes and --delta contradict each other
[exit 2]
$ ballpark count --json --csv f -k a
ballpark: --json and --csv contradict each other
[exit 2]
$ ballpark count -n 5 f -k a
ballpark: count does not take --rows
[exit 2]
$ ballpark count f -k a > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]

# counts beyond what a double holds: limits stay limits
$ printf 'a 9223372036854775807\n' > huge; ballpark count --json -f 1 -w 2 huge -k a | grep -o '"rows.*"flags'
"rows":[{"key":"a","estimate":9.22337204e18,"lower":9223372036854774784,"upper":9.2233721e18,"exact":false,"flags
$ printf 'a 4503599627370497\nb 9007199254740991\n' > whole; ballpark count --csv -f 1 -w 2 whole -k a -k b
key,estimate,lower,upper,exact,flags
a,4503599627370497,4503599627370497,4503599627370497,true,exact
b,9007199254740991,9007199254740991,9007199254740991,true,exact
$ cat huge huge huge > full; ballpark count --json -f 1 -w 2 full -k a | grep -o '"exact.*"flags":[^]]*'
ballpark: count: 1 of 1 keys come at least so often: their counters are at their end
"exact","exact":false,"rows":[{"key":"a","estimate":1.84467441e19,"lower":1.8446744e19,"upper":null,"exact":false,"flags":["saturated"
$ ballpark build cms --epsilon 0.01 --delta 1e-20 -o x.bpk whole
ballpark: --delta 1e-20: out of range: a share such as 1%, between 1.3e-14 (--sizing 2: 2.4e-10) and 1
[exit 2]
