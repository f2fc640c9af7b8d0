# top: which records or fields come most often?
$ printf 'b\na\nc\na\nb\na\n' > f
$ ballpark top f
3	a
2	b
1	c
$ ballpark top < f
3	a
2	b
1	c
$ ballpark top -n 1 f
3	a
$ ballpark top f f
6	a
4	b
2	c
$ ballpark top --ci f
3	3	3	0.5	certain	a
2	2	2	0.333333	certain	b
1	1	1	0.166667	certain	c
$ ballpark top --csv -n 2 f
key,estimate,lower,upper,share,certain
a,3,3,3,0.5,true
b,2,2,2,0.333333,true
$ ballpark top --json -n 2 f | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","exact":true,"rows":[{"key":"a","estimate":3,"lower":3,"upper":3,"share":0.5,"certain":true},{"key":"b","estimate":2,"lower":2,"upper":2,"share":0.333333333,"certain":true}],"total":6,"ceiling":1,"confidence":1.0,"records":6,"bytes":12,"bad_records":0,"seconds":S}
$ ballpark top -o out f && cat out
3	a
2	b
1	c
$ ballpark top --verbose f 2>&1 | sed 's/[0-9.]* s,/S s,/; s/[0-9]* thread.*,/T,/' | tail -1
ballpark: 6 records, 12 bytes, S s, T, method exact
$ : | ballpark top
$ : | ballpark top --json | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","exact":true,"rows":[],"total":0,"ceiling":0,"confidence":1.0,"records":0,"bytes":0,"bad_records":0,"seconds":S}
$ printf 'x 1\ny 2\nX 3\nx 4\n' > g; ballpark top -i -f 1 g
3	x
1	y
$ printf 'b\0a\nx\0b\0' | ballpark top -z | od -An -c
   2  \t   b  \0   1  \t   a  \n   x  \0

# ties go by bytes, shorter first; it is what sort and uniq say
$ seq 300 | awk '{ for (i = 0; i < $1 % 7; i++) print $1 % 40 }' > s
$ sort s | uniq -c | awk '{ print $1 "\t" $2 }' | sort -k1,1nr -k2,2 | head -10 | cmp - <(ballpark top s)
$ sort s | uniq -c | awk '{ print $1 "\t" $2 }' | sort -k1,1nr -k2,2 | cmp - <(ballpark top -n 1000 s)

# over the exact limit a sketch goes on, and holds what the map held
$ cut -d' ' -f1 s | sort -u | wc -l
40
$ ballpark top --exact-limit 40 -n 3 --json s | grep -o '"method":"[a-z]*"\|"exact":[a-z]*,"rows"'
"method":"exact"
"exact":true,"rows"
$ ballpark top --exact-limit 39 -n 3 --json s | grep -o '"method":"[a-z]*"\|"exact":[a-z]*,"rows"'
"method":"topk"
"exact":false,"rows"
$ ballpark top --exact-limit 39 -n 40 s | cmp - <(ballpark top -n 40 s)
$ ballpark top --exact-limit 0 -n 40 s | cmp - <(ballpark top -n 40 s)
$ ballpark top --exact-limit 1 s | cut -f1 | cmp - <(ballpark top s | cut -f1)
$ ballpark top --exact-limit 0 --ci -n 3 s
27	27	27	0.0299003	certain	13
27	27	27	0.0299003	certain	20
27	27	27	0.0299003	certain	6
$ ballpark top --exact-limit 0 --csv -n 3 s
key,estimate,lower,upper,share,certain
13,27,27,27,0.0299003,true
20,27,27,27,0.0299003,true
6,27,27,27,0.0299003,true

# limits hold, and the answer and the bytes do not depend on the threads
$ awk 'BEGIN { x = 7; for (i = 0; i < 200000; i++) { x = x * 16807 % 2147483647; print int(50000 * (x / 2147483647) ^ 4) } }' > n
$ for j in 1 2 4; do ballpark top -j $j --exact-limit 5000 --ci --save n$j.bpk n | cksum; done | uniq | wc -l
1
$ cmp n1.bpk n2.bpk && cmp n1.bpk n4.bpk
$ sort n | uniq -c | awk '{ print $2 "\t" $1 }' > true
$ ballpark top --exact-limit 0 -n 100 --ci n | awk 'NR == FNR { t[$1] = $2; next } { n++; if (t[$6] < $2 || t[$6] > $3) bad++ } END { print n, bad + 0 }' true -
100 0
$ ballpark top --exact-limit 0 --json n | grep -o '"ceiling":[0-9]*' | cut -d: -f2 > c; ballpark top --exact-limit 0 n | cut -f2 > shown
$ awk 'FILENAME == "c" { c = $1 } FILENAME == "shown" { shown[$1] } FILENAME == "true" && !($1 in shown) && $2 > c { bad++ } END { print c, bad + 0 }' c shown true
606 0

# thresholds: every item that may reach it, and which do for certain
$ ballpark top --min-count 27 s
27	13
27	20
27	6
$ ballpark top --min-count 1000 s
$ ballpark top --min-share 2.9% s
27	13
27	20
27	6
$ ballpark top --min-share 2.9% -n 1 s
27	13
$ ballpark top --min-share 100% s
$ printf 'a\na\n' | ballpark top --min-share 100%
2	a
$ ballpark top --exact-limit 0 --min-share 2.9% --ci s
27	27	27	0.0299003	certain	13
27	27	27	0.0299003	certain	20
27	27	27	0.0299003	certain	6
$ ballpark top --exact-limit 0 --entries 9 --min-count 3500 --ci n
13356	13352	16494	0.06678	certain	0
2584	2580	5724	0.01292	possible	1
1734	1722	4868	0.00867	possible	2
1287	1249	4391	0.006435	possible	3
1102	1071	4216	0.00551	possible	4
923	895	4039	0.004615	possible	5
781	765	3911	0.003905	possible	6
740	686	3831	0.0037	possible	7
606	516	3662	0.00303	possible	8
573	534	3679	0.002865	possible	10
523	459	3605	0.002615	possible	12
463	354	3500	0.002315	possible	14
$ ballpark top --exact-limit 0 --entries 9 --min-count 2 n | wc -l
ballpark: top: the list may be incomplete: the sketch cannot exclude that other items reach 2
18
$ ballpark top -q --exact-limit 0 --entries 9 --min-count 2 n | wc -l
18
$ awk '$2 >= 200 { print $1 }' true | sort > want; ballpark top --exact-limit 0 --min-count 200 n | cut -f2 | sort | comm -23 want - | wc -l
0
$ ballpark top --exact-limit 0 --guaranteed --min-count 200 n | cut -f2 | sort | comm -13 want - | wc -l
0
$ ballpark top --guaranteed -n 2 f
3	a
2	b
$ ballpark top --exact-limit 0 --entries 9 --guaranteed n | wc -l
1

# weights
$ printf 'a 3\nb 0\nc 4\na 2\n' > w
$ ballpark top -f 1 -w 2 w
5	a
4	c
$ ballpark top -f 1 -w -1 --ci w
5	5	5	0.555556	certain	a
4	4	4	0.444444	certain	c
$ ballpark top --exact-limit 0 -f 1 -w 2 w
5	a
4	c
$ ballpark top -w 2 w
4	c 4
3	a 3
2	a 2
$ printf 'a,3\nb,9\n' | ballpark top -d, -f 1 -w 2
9	b
3	a
$ printf 'a 1\nb -1\nc x\nd 9223372036854775808\ne\nf 1.5\n' > bad; ballpark top -f 1 -w 2 bad
ballpark: 5 of 6 records have no weight (a whole number from 0 to 2^63-1) and were left out
1	a
[exit 3]
$ ballpark top --strict -f 1 -w 2 bad
ballpark: bad: record 2: no weight (a whole number from 0 to 2^63-1)
[exit 3]
$ printf 'a 4611686018427387904\n' > big; ballpark top -f 1 -w 2 big; ballpark top --exact-limit 0 -f 1 -w 2 big
4611686018427387904	a
4611686018427387904	a
ballpark: top: 1 rows come at least so often: their counters are at their end
$ ballpark top --json --exact-limit 0 -f 1 -w 2 big 2>&1 | grep -o '"upper":[a-z]*\|"ceiling":[a-z0-9]*'
"upper":null
"ceiling":0

# integers are one whatever their digits, exactly and from a sketch
$ printf '7\n+7\n007\n-7\n' > i; ballpark top --as int i; ballpark top --as int --exact-limit 0 i; ballpark top i
3	7
1	-7
3	7
1	-7
1	+7
1	-7
1	007
1	7

# sketches are inputs; text joins them
$ ballpark top --save s1.bpk s > out; ballpark top s1.bpk | cut -f1 | cmp - <(cut -f1 out); ballpark top --save s2.bpk s1.bpk > out; cmp s1.bpk s2.bpk
$ ballpark top --exact-limit 0 --save s3.bpk s > out; ballpark info s3.bpk | grep '^k \|total'
k                    10
total                903
$ ballpark top s1.bpk s -n 3
54	13
54	20
54	6
$ ballpark top s s1.bpk -n 3 --ci
54	54	54	0.0299003	certain	13
54	54	54	0.0299003	certain	20
54	54	54	0.0299003	certain	6
$ ballpark top s1.bpk n1.bpk s --save a.bpk > out1; ballpark top n1.bpk s s1.bpk --save b.bpk > out2; cmp out1 out2 && cmp a.bpk b.bpk
$ ballpark merge s1.bpk n1.bpk -o m.bpk && ballpark top m.bpk | cmp - <(ballpark top n1.bpk s1.bpk)
$ ballpark top --save - f > f.bpk
3	a
2	b
1	c
$ ballpark top f.bpk
3	a
2	b
1	c
$ ballpark top --base64 --save - f 2>/dev/null | ballpark top -n 1
3	a
$ ballpark top -n 20 n1.bpk | wc -l
ballpark: top: the sketch answers for 10 rows, not for 20
10
$ ballpark top -n 20 --save n20.bpk n > out; ballpark top -n 20 n20.bpk | wc -l
20
$ ballpark top --label 'one day' --save l.bpk f > out; ballpark info l.bpk | grep label
label                one day
$ ballpark top --label x f
ballpark: --label needs --save
[exit 2]
$ ballpark build hll -o h.bpk f; ballpark top h.bpk
ballpark: h.bpk: a sketch of kind hll does not answer rows
[exit 4]
$ ballpark build cms -o c.bpk f; ballpark top c.bpk
ballpark: c.bpk: a sketch of kind cms does not answer rows
[exit 4]
$ ballpark top c.bpk f.bpk
ballpark: f.bpk: does not fit c.bpk: kind is cms there and topk here
[exit 4]
$ ballpark distinct f.bpk
ballpark: f.bpk: a sketch of kind topk does not answer distinct
[exit 4]
$ ballpark distinct c.bpk f
ballpark: c.bpk: a sketch of kind cms does not answer distinct
[exit 4]
$ ballpark top --entries 9000 f.bpk
ballpark: f.bpk: does not fit: entries is 576 there and 9000 by --entries
[exit 4]
$ ballpark top --candidates 100 f.bpk
3	a
2	b
1	c
$ ballpark top --hash-seed 5 f.bpk f
ballpark: f.bpk: does not fit: seed is 0 there and 5 by --hash-seed
[exit 4]
$ ballpark top missing f
ballpark: missing: No such file or directory
3	a
2	b
1	c
[exit 3]
$ head -c 300 f.bpk > cut.bpk; ballpark top cut.bpk f
ballpark: cut.bpk: damaged: truncated: body, at byte 300
[exit 4]

# keys of any bytes and any length
$ printf '\n\na\n' > e; ballpark top e | od -An -c; ballpark top --exact-limit 0 --csv e
   2  \t  \n   1  \t   a  \n
key,estimate,lower,upper,share,certain
,2,2,2,0.666667,true
a,1,1,1,0.333333,true
$ printf 'a,"b\n\377\376x\n\377\376x\n' > odd; ballpark top --csv odd | od -An -c
   k   e   y   ,   e   s   t   i   m   a   t   e   ,   l   o   w
   e   r   ,   u   p   p   e   r   ,   s   h   a   r   e   ,   c
   e   r   t   a   i   n  \n 377 376   x   ,   2   ,   2   ,   2
   ,   0   .   6   6   6   6   6   7   ,   t   r   u   e  \n   "
   a   ,   "   "   b   "   ,   1   ,   1   ,   1   ,   0   .   3
   3   3   3   3   3   ,   t   r   u   e  \n
$ ballpark top --json odd | grep -o '"key[^:]*":"[^,]*,"estimate"'
"key_base64":"//54","estimate"
$ for n in 65534 65535 65536 100000; do head -c $n /dev/zero | tr '\0' x; echo; done > long
$ ballpark top long | awk '{ print $1, length($2) }'
1 65534
1 65535
1 65536
1 100000
$ ballpark top --exact-limit 0 long | awk '{ print $1, length($2) }'
ballpark: top: keys are kept up to 65535 bytes, and 3 are as long
1 65534
1 65535
1 65535
1 65535
$ ballpark top -q --exact-limit 0 --save long.bpk long > out; ballpark top -q long.bpk | cmp - out
$ ballpark top -q long.bpk long | awk '{ print $1, length($2) }'
2 65534
2 65535
2 65535
2 65535

# options
$ ballpark top -n 0 f
ballpark: --rows 0: out of range: 1 to 2^20
[exit 2]
$ ballpark top -n 2M f
ballpark: --rows 2M: out of range: 1 to 2^20
[exit 2]
$ ballpark top --min-share 0 f
ballpark: --min-share 0: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark top --min-share 101% f
ballpark: --min-share 101%: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark top --min-count 0 f
ballpark: --min-count 0: out of range: 1 or more
[exit 2]
$ ballpark top -w 1-2 f
ballpark: --weight 1-2: out of range: one field, as of -f
[exit 2]
$ ballpark top -w 0 f
ballpark: --weight 0: out of range: one field, as of -f
[exit 2]
$ ballpark top --entries 1e9 f
ballpark: --entries 1e9: out of range: 0 (as planned) to 9 * 2^20
[exit 2]
$ ballpark top --candidates 1e9 f
ballpark: --candidates 1e9: out of range: 0 (as planned) to 2^20
[exit 2]
$ ballpark top --json --csv f
ballpark: --json and --csv contradict each other
[exit 2]
$ ballpark distinct -w 1 f
ballpark: distinct does not take --weight
[exit 2]
$ ballpark top f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark top --save nowhere/x f
ballpark: nowhere/x: cannot open: No such file or directory
[exit 2]
$ ballpark top --mem 4k --exact-limit 0 f
ballpark: the topk needs more than --mem allows
[exit 5]
$ ballpark top --mem 64k --json -n 1 n | grep -o '"method":"[a-z]*"\|"key":"[0-9]*"'
"method":"topk"
"key":"0"
$ ballpark top --mem 64k n | head -1
13363	0

# options that have no say, rows that are at their end, outputs that fail
$ printf 'a 9223372036854775807\n' > huge; ballpark top --csv -f 1 -w 2 --exact-limit 0 huge
key,estimate,lower,upper,share,certain
a,4611686018427387904,4611686018427387904,18446744073709551616,,true
ballpark: top: 1 rows come at least so often: their counters are at their end
$ ballpark top --csv -f 1 -w 2 huge
key,estimate,lower,upper,share,certain
a,9223372036854775808,9223372036854774784,9223372036854775808,1,true
$ cat huge huge huge > full; ballpark top --json -f 1 -w 2 full | grep -o '"method.*"certain'
ballpark: top: 1 rows come at least so often: their counters are at their end
"method":"exact","exact":false,"rows":[{"key":"a","estimate":1.84467441e19,"lower":1.8446744e19,"upper":null,"share":null,"certain
$ ballpark top --ci=50 huge
ballpark: --ci of top takes no percentage: its limits hold always
[exit 2]
$ ballpark top -f 1 --save huge.bpk huge > out; ballpark top -f 1 huge.bpk
ballpark: huge.bpk: is a sketch; options that say how records are read are of text
[exit 2]
$ mkdir d; ballpark top -o d --min-count 1 huge
ballpark: d: cannot open: Is a directory
[exit 2]
