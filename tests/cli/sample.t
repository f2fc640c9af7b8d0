# sample: some of the records at random. Without a seed nobody knows which; how many is known.
$ seq 1000 > n
$ ballpark sample -n 10 n | wc -l
10
$ ballpark sample -n 10 n > a; ballpark sample -n 10 n > b; cmp -s a b || echo another
another
$ sort -n a | cmp - a && sort -u a | comm -13 <(sort n) - | wc -l
0
$ ballpark sample -n 3 --seed 1 n
15
60
870
$ ballpark sample -n 3 --seed 0x1 n
15
60
870
$ ballpark sample -n 3 --seed 1 --stream 1 n
501
604
760
$ ballpark sample -n 3 --seed 1 --shuffle n
60
15
870

# the same sample from a file, a pipe and a compressed one, on any number of threads, in one file or in parts
$ gzip -k n; head -400 n > n1; tail -n +401 n > n2
$ ballpark sample -n 20 --seed 7 n > want
$ for j in 1 2 4; do ballpark sample -j $j -n 20 --seed 7 n | cmp - want; done
$ cat n | ballpark sample -n 20 --seed 7 | cmp - want; ballpark sample -n 20 --seed 7 n.gz | cmp - want
$ ballpark sample -n 20 --seed 7 n1 n2 | cmp - want; ballpark sample -n 20 --seed 7 - < n | cmp - want
$ ballpark sample -n 20 --seed 7 --max-record 100 n | cmp - want; BPK_KERNELS=portable ballpark sample -n 20 --seed 7 n | cmp - want
$ ballpark sample -n 20 --seed 7 --shuffle n | sort -n | cmp - want
$ for j in 1 2; do ballpark sample -j $j -n 20 --seed 7 -f 1 --save x.bpk n | cmp - want; done

# all of them, none of them
$ ballpark sample -n 1000 n | cmp - n; ballpark sample -n 2000 n | cmp - n; ballpark sample -n 2000 < n | cmp - n
$ ballpark sample -n 2000 --shuffle --seed 3 n | cmp -s - n || echo shuffled
shuffled
$ ballpark sample -n 0 n
$ ballpark sample -n 0 -H n
1
$ : | ballpark sample -n 5
$ : > empty; ballpark sample -n 5 empty empty; ballpark sample -p 1 empty; ballpark sample -n 5 -H empty
$ echo one | ballpark sample -n 5
one
$ printf 'one\ntwo' | ballpark sample -n 5
one
two
$ printf '\n\n' | ballpark sample -n 5 | wc -l
2
$ printf 'a\0b\nc\0d' | ballpark sample -z -n 9 | od -An -c
   a  \0   b  \n   c  \0   d  \0
$ printf 'a\r\nb\r\n' | ballpark sample -n 9 | od -An -c
ballpark: standard input: lines end with CR LF; the CR is kept as a part of the line (--crlf strip removes it)
   a  \r  \n   b  \r  \n
$ printf 'a\r\nb\r\n' | ballpark sample -n 9 --crlf strip | od -An -c
   a  \n   b  \n
$ printf '\377\1\n' | ballpark sample -n 9 | od -An -c
 377 001  \n
$ ballpark sample -n 2 --seed 1 -o out n && wc -l < out
2

# each with a probability, while reading
$ ballpark sample -p 0 n; ballpark sample -p 1 n | cmp - n; ballpark sample -p 100% n | cmp - n
$ ballpark sample -p 10% --seed 5 n > want; wc -l < want
92
$ for j in 1 2; do ballpark sample -j $j -p 0.1 --seed 5 n | cmp - want; done; cat n | ballpark sample -p 0.1 --seed 5 | cmp - want
$ ballpark sample -p 0.1 --seed 5 n1 n2 | cmp - want; ballpark sample -p 0.1 --seed 5 n.gz | cmp - want
$ mkfifo pipe; (echo 1; exec sleep 5) > pipe & timeout -s INT 1 ballpark sample -p 1 pipe
1
[exit 124]
$ seq 200000 > many; for s in 1 2 3 4; do ballpark sample -p 1% --seed $s many | wc -l; done | awk '$1 < 1700 || $1 > 2300 { print "far off", $1 }'
$ ballpark sample -p 1% --seed 5 --json many | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"probability","probability":0.01,"kept":1932,"records":200000,"bytes":1288895,"bad_records":0,"seconds":S}

# all records of a share of the keys: the same ones in every file, and a smaller share within a larger one
$ awk '{ print "user" $1 % 97, $1 }' n > u; awk '{ print $1, "user" $1 % 97 }' n > v
$ ballpark sample -p 20% -k 1 u | cut -d' ' -f1 | sort -u > keys; wc -l < keys
25
$ ballpark sample -p 20% -k 2 v | cut -d' ' -f2 | sort -u | cmp - keys
$ ballpark sample -p 10% -k 1 u | cut -d' ' -f1 | sort -u | comm -23 - keys
$ ballpark sample -p 20% -k 1 u > want; grep -wFf keys u | cmp - want; for j in 1 2 4; do ballpark sample -j $j -p 20% -k 1 u | cmp - want; done
$ ballpark sample -p 20% -k 1 --hash-seed 1 u | cmp -s - want || echo others
others
$ ballpark sample -p 0 -k 1 u; ballpark sample -p 1 -k 1 u | cmp - u
$ printf 'A 1\na 2\n' > c; ballpark sample -p 50% -i -k 1 c | wc -l | tr 12 '??'
?
$ ballpark sample -p 20% -k 3 u
ballpark: 1000 of 1000 records lack a chosen field and were left out
[exit 3]

# so many of each group
$ awk '{ print $1 % 3, $1 }' n > g; ballpark sample -n 2 -g 1 --seed 1 g
2 101
0 306
0 366
1 676
2 770
1 943
$ ballpark sample -n 4 -g 1 g | cut -d' ' -f1 | sort | uniq -c
      4 0
      4 1
      4 2
$ for j in 1 2 4; do ballpark sample -j $j -n 2 -g 1 --seed 1 g | cksum; done | uniq | wc -l
1
$ ballpark sample -n 4 -g 1 --groups 3 g | wc -l
12
$ ballpark sample -n 4 -g 1 --groups 2 g | wc -l
ballpark: sample: 2 groups have a stratum of their own; the 333 records of all others share one; --groups allows more
12
$ ballpark sample -q -n 4 -g 1 --groups 2 g | wc -l
12
$ ballpark sample -q -n 1 -g 1 --groups 2 --seed 1 --json g | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"sample","n":1000,"kept":3,"share_error":0.731111107,"confidence":0.95,"pooled":true,"strata":[{"key":"0","n":333,"kept":1,"weight":333,"pooled":false},{"key":"1","n":334,"kept":1,"weight":334,"pooled":false},{"key":null,"n":333,"kept":1,"weight":333,"pooled":true}],"rows":[{"key":"2 11","stratum":2,"weight":1},{"key":"1 166","stratum":1,"weight":1},{"key":"0 459","stratum":0,"weight":1}],"records":1000,"bytes":5893,"bad_records":0,"seconds":S}
$ printf 'a\n\nb\n' | ballpark sample -n 1 -g 1
ballpark: 1 of 3 records lack a chosen field and were left out
a
b
[exit 3]

# by weight; 0 is never chosen
$ awk '{ print $1, $1 % 2 ? 0 : 0.5 }' n > w; ballpark sample -n 800 -w 2 w | awk '{ n++; odd += $1 % 2 } END { print n, odd + 0 }'
500 0
$ printf 'a 1e-3\nb 1e9\n' > w2; for i in 1 2 3 4 5 6 7 8; do ballpark sample -n 1 -w 2 w2; done | uniq
b 1e9
$ printf 'a 1\nb -1\nc nan\nd inf\ne x\nf\ng 1e999\nh 0x1\ni 0\n' > bad; ballpark sample -n 9 -w 2 bad
ballpark: 7 of 9 records have no weight (0, or a decimal number from 6.3e-61 to 1.6e60) and were left out
a 1
[exit 3]
$ ballpark sample -n 9 -w 2 --strict bad
ballpark: bad: record 2: no weight (0, or a decimal number from 6.3e-61 to 1.6e60)
[exit 3]
$ printf 'a 1e100\nb 1\nc 1e-100\nd 1.7e60\ne 6.2e-61\nf 1.6e60\ng 6.3e-61\n' > range; ballpark sample -n 9 -w 2 range
ballpark: 4 of 7 records have no weight (0, or a decimal number from 6.3e-61 to 1.6e60) and were left out
b 1
f 1.6e60
g 6.3e-61
[exit 3]
$ printf 'a 1e100\nb 1\n' | ballpark sample -n 1 -w 2
ballpark: 1 of 2 records have no weight (0, or a decimal number from 6.3e-61 to 1.6e60) and were left out
b 1
[exit 3]
$ printf '1.2.3.4 - - [t] "GET / HTTP/1.0" 200 -\n1.2.3.5 - - [t] "GET / HTTP/1.0" 200 9\n' | ballpark sample --format log -w bytes -n 2
1.2.3.5 - - [t] "GET / HTTP/1.0" 200 9
$ ballpark sample -n 2 -w 2 -g 1 --seed 2 w2
a 1e-3
b 1e9

# headers
$ (echo name; cat n1) > h1; (echo name; cat n2) > h2
$ ballpark sample -n 20 --seed 7 -H h1 h2 > got; head -1 got; ballpark sample -n 20 --seed 7 n | cmp - <(tail -n +2 got)
name
$ ballpark sample -p 10% --seed 5 -H h1 h2 | tail -n +2 | cmp - <(ballpark sample -p 10% --seed 5 n)
$ (echo other; cat n2) > h3; ballpark sample -n 0 -H h1 h3 h3
ballpark: h3: its header, which is left out, is not that of h1, which is kept
name
$ ballpark sample -q -p 0 -H h1 h3
name
$ echo name | ballpark sample -n 5 -H
name
$ ballpark sample -n 1 -H --shuffle --json h1 | grep -o '"header":"name"\|"records":[0-9]*'
"header":"name"
"records":400

# without a seed all 128 bits of seed and stream are of the system: samples of different runs merge
$ for i in 1 2 3; do ballpark sample -n 5 --save r$i.bpk n > /dev/null; ballpark info r$i.bpk | awk '$1 == "sample_seed" || $1 == "stream" { print $2 }'; done | sort -u | grep -vx 0 | wc -l
6
$ ballpark merge r1.bpk r2.bpk r3.bpk -o r.bpk; ballpark info r.bpk | grep -w '^n\|^sources'
n                    3000
sources              3
$ ballpark sample -n 5 --seed 3 --save r1.bpk n > /dev/null; ballpark info r1.bpk | grep '^sample_seed\|^stream'
sample_seed          3
stream               0
$ for i in 1 2; do ballpark sample -n 5 --seed 0x$(od -An -N8 -tx8 /dev/urandom | tr -d ' ') --shuffle n | cksum; done | uniq | wc -l
2
$ for i in 1 2; do ballpark sample -p 50% n | cksum; done | uniq | wc -l
2

# saved samples merge, in any order, into what one run could have chosen
$ ballpark sample -n 50 --seed 9 --stream 1 --save s1.bpk n1 > p1; ballpark sample -n 50 --seed 9 --stream 2 --save s2.bpk n2 > p2
$ ballpark merge s1.bpk s2.bpk -o s.bpk; ballpark merge s2.bpk s1.bpk -o t.bpk; cmp s.bpk t.bpk
$ ballpark sample s.bpk > got; wc -l < got; sort got | comm -23 - <(sort p1 p2)
50
$ ballpark sample s1.bpk s2.bpk | cmp - got; cat s1.bpk s2.bpk | ballpark sample | cmp - got
$ ballpark sample s1.bpk | cmp - p1
$ ballpark sample --seed 9 --stream 3 s1.bpk n2 | wc -l
50
$ ballpark sample -n 50 s.bpk | cmp - got
$ ballpark sample -n 49 s.bpk
ballpark: s.bpk: does not fit: k is 50 there and 49 by --number
[exit 4]
$ ballpark merge s1.bpk s1.bpk -o x.bpk
ballpark: s1.bpk: does not fit s1.bpk: stream is 1 in both
[exit 4]
$ ballpark sample s1.bpk s1.bpk
ballpark: s1.bpk: does not fit s1.bpk: stream is 1 in both
[exit 4]
$ ballpark sample --seed 9 --stream 1 s1.bpk n2
ballpark: the text: does not fit s1.bpk: stream is 1 in both
[exit 4]
$ ballpark sample --seed 9 s1.bpk
ballpark: s1.bpk: is a sketch; --seed is of records
[exit 2]
$ ballpark sample -H s1.bpk
ballpark: s1.bpk: is a sketch; --header is of records
[exit 2]
$ ballpark sample -n 5 --seed 1 --save g.bpk -g 1 g > /dev/null; ballpark sample g.bpk n
ballpark: the text: does not fit g.bpk: groups is 1000 there and 0 here
[exit 4]
$ ballpark sample -g 1 g.bpk g | wc -l
15
$ ballpark sample -n 5 --seed 1 --save w.bpk -w 2 w > /dev/null; ballpark merge w.bpk g.bpk -o x.bpk
ballpark: g.bpk: does not fit w.bpk: groups is 0 there and 1000 here
[exit 4]
$ seq 5 | ballpark build hll -o h.bpk; ballpark sample h.bpk
ballpark: h.bpk: a sketch of kind hll is no sample
[exit 4]
$ ballpark sample -p 1% s.bpk
ballpark: s.bpk: is a sketch; sample -p reads records
[exit 2]
$ ballpark sample --save - -n 2 --seed 1 n > s3.bpk; ballpark sample s3.bpk
359
842
359
842
$ ballpark sample -n 3 --seed 1 --base64 --save s.b64 n > p; ballpark sample s.b64 | cmp - p
$ printf 'x' | dd of=s3.bpk bs=1 seek=60 conv=notrunc 2> /dev/null; ballpark sample s3.bpk
ballpark: s3.bpk: damaged: checksum, at byte 198
[exit 4]
$ head -c 100 s.bpk > cut.bpk; ballpark sample cut.bpk
ballpark: cut.bpk: damaged: truncated: body, at byte 100
[exit 4]
$ ballpark info s.bpk | grep -w '^kind\|^k\|^n\|^kept\|^strata\|^sources'
kind                 sample
k                    50
n                    1000
kept                 50
strata               1
sources              2
$ ballpark info g.bpk | grep 'strata\|groups'
groups               1000
strata               3

# a share of all, from the sample: how many records have a key
$ ballpark sample -n 200 --seed 4 -f 1 --save c.bpk g > /dev/null; ballpark count --ci c.bpk -k 1 -k 7
345	288	406	1
0	0	16	7	below noise
ballpark: count: 1 of 2 keys are below the noise: they may never have come
$ ballpark sample -n 200 --seed 4 --ci n > /dev/null
ballpark: sample: 200 of 1000 records; a share of all, as found in them, is off by 6.4 percentage points at most (95 %)
$ ballpark sample -n 1000 --ci n > /dev/null
ballpark: sample: 1000 of 1000 records; a share of all, as found in them, is off by 0 percentage points at most (95 %)
$ ballpark sample -n 2 --seed 1 --json n | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"sample","n":1000,"kept":2,"share_error":0.941758613,"confidence":0.95,"pooled":false,"strata":[{"key":null,"n":1000,"kept":2,"weight":1000,"pooled":false}],"rows":[{"key":"359","stratum":0,"weight":1},{"key":"842","stratum":0,"weight":1}],"records":1000,"bytes":3893,"bad_records":0,"seconds":S}
$ printf '\377\n' | ballpark sample -n 2 --json | grep -o '"rows":.*"key_base64":"[^"]*"'
"rows":[{"key_base64":"/w=="
$ ballpark sample -n 2 -v n 2>&1 > /dev/null | sed 's/[0-9.]* s$/S/'
ballpark: sample: 1000 records read, 2 of 1000 kept, S

# memory
$ ballpark sample -n 1000 --mem 4k n
ballpark: sample: the chosen records need more than --mem; a larger --mem or a smaller -n
[exit 5]

# what says nothing together is refused by name
$ ballpark sample n
ballpark: sample needs -n or -p
[exit 2]
$ ballpark sample -n 1 -p 1% n
ballpark: --number and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% --save s n
ballpark: --save and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% -g 1 n
ballpark: --group and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% -w 1 n
ballpark: --weight and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% --shuffle n
ballpark: --shuffle and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% --ci n
ballpark: --ci and --probability contradict each other
[exit 2]
$ ballpark sample -p 1% -f 1 n
ballpark: --field and --probability contradict each other
[exit 2]
$ ballpark sample -n 1 -k 1 n
ballpark: --key-field needs --probability
[exit 2]
$ ballpark sample -p 1% -k 1 --seed 3 n
ballpark: --seed and --key-field contradict each other: nothing is drawn
[exit 2]
$ ballpark sample -p 1% --as int n
ballpark: --as needs --key-field
[exit 2]
$ ballpark sample -n 1 --stream 3 n
ballpark: --stream needs --seed
[exit 2]
$ ballpark sample -n 1 --groups 3 n
ballpark: --groups needs --group
[exit 2]
$ ballpark sample -n 1 -f 1 n
ballpark: --field needs --save
[exit 2]
$ ballpark sample -n 1 --form view n
ballpark: --form needs --save
[exit 2]
$ ballpark sample -n 1 -g 1,2 n
ballpark: --group 1,2: out of range: one field, as of -f
[exit 2]
$ ballpark sample -n 1 -g ip n
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark sample -n 16777217 n
ballpark: --number 16777217: out of range: 0 to 2^24
[exit 2]
$ ballpark sample -n -1 n
ballpark: --number -1: out of range: 0 to 2^24
[exit 2]
$ ballpark sample -n 1.5 n
ballpark: --number 1.5: out of range: 0 to 2^24
[exit 2]
$ ballpark sample -n 1 -g 1 --groups 0 n
ballpark: --groups 0: out of range: 1 to 2^20
[exit 2]
$ ballpark sample -p 2 n
ballpark: --probability 2: out of range: a share such as 1% or 0.001, from 0 to 1
[exit 2]
$ ballpark sample -p -1 n
ballpark: --probability -1: out of range: a share such as 1% or 0.001, from 0 to 1
[exit 2]
$ ballpark sample -p x n
ballpark: --probability x: out of range: a share such as 1% or 0.001, from 0 to 1
[exit 2]
$ ballpark sample -n 1 --seed x n
ballpark: --seed x: out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark sample -n 1 --seed '' n
ballpark: --seed '': out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark sample -n 1 --seed 18446744073709551616 n
ballpark: --seed 18446744073709551616: out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark sample -n 1 missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark sample -n 5000 n missing | cmp - n
ballpark: missing: No such file or directory
$ ballpark sample -n 1 - - < n
ballpark: standard input (-) can be read only once
[exit 2]
$ ballpark sample -n 5 n > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]

# a signal leaves nothing
$ (seq 9; exec sleep 5) > pipe & timeout -s TERM 1 ballpark sample -n 3 -o x --save y pipe; ls x y
ls: cannot access 'x': No such file or directory
ls: cannot access 'y': No such file or directory
[exit 2]

# what others make of a sample
$ ballpark top s.bpk
ballpark: s.bpk: a sketch of kind sample does not answer top
[exit 4]
$ ballpark distinct s.bpk
ballpark: s.bpk: a sketch of kind sample does not answer distinct
[exit 4]
$ ballpark build sample -o x n
ballpark: unknown kind sample; known are bloom, cbloom, cms, cuckoo, hll, limit, theta, topk
[exit 2]
