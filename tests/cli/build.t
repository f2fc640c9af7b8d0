# build: a sketch of any kind
$ seq 1000 > k; seq 1001 2000 > m; cat k m > km
$ ballpark build bloom --capacity 2500 --fpr 1% -o k.bpk k
$ ballpark build bloom --items 2500 --rate 0.01 -o k2.bpk k && cmp k.bpk k2.bpk
$ ballpark build bloom --capacity 2500 --fpr 1% k > k3.bpk && cmp k.bpk k3.bpk
$ ballpark build bloom --capacity 2500 --fpr 1% < k > k3.bpk && cmp k.bpk k3.bpk
$ ballpark build hll -o h.bpk k && ballpark distinct --ci h.bpk
1000 (95 %: 1000 to 1000)
$ ballpark build hll --precision 9 --window-bits 0 -o h9.bpk k && ballpark info h9.bpk | grep 'precision\|window'
precision            9
window_bits          0
$ ballpark build hll --error 1% -o e.bpk k && ballpark info e.bpk | grep 'precision'
precision            13
$ ballpark build hll -f 1 --label 'all of it' --form view -o v.bpk k && ballpark info v.bpk | grep label
label                all of it
$ ballpark build hll -v -o h.bpk k
ballpark: build: 1000 records, 0 bad, 8304 bytes of memory
$ ballpark build hll --base64 k | ballpark distinct
1000
$ for j in 1 2 4; do ballpark build hll -j $j -o j$j.bpk km; ballpark build bloom --capacity 2500 --fpr 1% -j $j -o b$j.bpk km; done
$ cmp j1.bpk j2.bpk && cmp j1.bpk j4.bpk && cmp b1.bpk b2.bpk && cmp b1.bpk b4.bpk

# adding to a file is explicit, and equals having added everything at once
$ ballpark build bloom --append -o k.bpk m && ballpark build bloom --capacity 2500 --fpr 1% -o km.bpk km && cmp k.bpk km.bpk
$ ballpark build hll --append -o h.bpk m && ballpark build hll km | cmp - h.bpk
$ ballpark build hll -o h.bpk m && ballpark build hll m | cmp - h.bpk
$ ballpark build bloom --append -o missing.bpk k
ballpark: missing.bpk: No such file or directory
[exit 2]
$ ballpark build hll --append -o km.bpk k
ballpark: km.bpk: does not fit: kind is bloom there and hll here
[exit 4]
$ ballpark build bloom --append --capacity 2500 --fpr 1% -o km.bpk k && cmp k.bpk km.bpk
$ ballpark build bloom --append --capacity 3000 -o km.bpk k
ballpark: km.bpk: does not fit: planned_items is 2500 there and 3000 by --capacity
[exit 4]
$ ballpark build bloom --append --fpr 2% -o km.bpk k
ballpark: km.bpk: does not fit: rate_asked is 0.01 there and 2% by --fpr
[exit 4]
$ ballpark build bloom --append --layout classic -o km.bpk k
ballpark: km.bpk: does not fit: layout is blocked there and classic by --layout
[exit 4]
$ ballpark build bloom --append --hash-seed 4 -o km.bpk k
ballpark: km.bpk: does not fit: seed is 0 there and 4 by --hash-seed
[exit 4]
$ ballpark build hll --append --precision 9 -o h.bpk k
ballpark: h.bpk: does not fit: precision is 14 there and 9 by --precision
[exit 4]
$ ballpark build hll --append --error 0.1% -o h.bpk k
ballpark: h.bpk: does not fit: standard_error is 0.00594421875 there and 0.1% by --error
[exit 4]
$ ballpark build hll --append --error 5% -o h.bpk k
$ ballpark build hll --append --label kept -o h.bpk k; ballpark build hll --append -o h.bpk m; ballpark info h.bpk | grep label
label                kept

# sketches among the inputs join
$ ballpark build bloom --capacity 2500 --fpr 1% -o m.bpk m
$ ballpark build bloom --capacity 2500 --fpr 1% -o x.bpk m.bpk k && cmp x.bpk k.bpk
$ ballpark build hll -o x.bpk m.bpk k
ballpark: m.bpk: does not fit the new sketch: kind is hll there and bloom here
[exit 4]
$ ballpark build bloom --capacity 9000 --fpr 1% -o x.bpk m.bpk
ballpark: m.bpk: does not fit the new sketch: blocks is 178 there and 50 here
[exit 4]

# over its plan
$ seq 100000 > n
$ echo old > full.bpk; ballpark build bloom --capacity 1000 --fpr 1% -o full.bpk n; cat full.bpk
ballpark: build: the bloom is over its plan after 1485 records; a larger --capacity holds more, --on-full grow or degrade goes on
old
$ ballpark build bloom --capacity 1000 --fpr 1% --on-full error -o full.bpk n
ballpark: build: the bloom is over its plan after 1485 records; a larger --capacity holds more, --on-full grow or degrade goes on
[exit 5]
$ ballpark build bloom --capacity 1000 --fpr 1% --on-full degrade -o full.bpk n; ballpark info --check full.bpk | grep health
ballpark: build: health of bloom is over: every bit is set: it says yes to everything
health               over
$ ballpark build bloom --capacity 1500 --fpr 1% --layout classic -o c.bpk k && ballpark info c.bpk | grep layout
layout               classic
$ ballpark build bloom --capacity 1T --fpr 1% -o big.bpk k
ballpark: the bloom needs more than --mem allows; a smaller --capacity needs less
[exit 5]
$ ballpark build bloom --capacity 1000 --fpr 1e-30 -o x.bpk k
ballpark: --fpr 1e-30: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]

# merge: any kind, any order
$ ballpark build hll -o a.bpk k; ballpark build hll -o b.bpk m; ballpark build hll -o ab.bpk km
$ ballpark merge a.bpk b.bpk -o x && cmp x ab.bpk
$ ballpark merge b.bpk a.bpk -o x && cmp x ab.bpk
$ ballpark merge a.bpk -o x && cmp x a.bpk
$ cat a.bpk b.bpk | ballpark merge - -o x && cmp x ab.bpk
$ ballpark merge a.bpk b.bpk | cmp - ab.bpk
$ ballpark merge --base64 a.bpk b.bpk | base64 -d | cmp - ab.bpk
$ ballpark merge --form view a.bpk b.bpk -o x; ballpark distinct x; ballpark merge x -o y && cmp y ab.bpk
2000
$ ballpark merge --label both a.bpk b.bpk -o x; ballpark info x | grep label
label                both
$ ballpark merge m.bpk k.bpk -o x && cmp x k.bpk
$ ballpark build hll --precision 10 -o p10.bpk k; ballpark merge a.bpk p10.bpk -o x; ballpark info x | grep precision
precision            10
$ ballpark merge a.bpk m.bpk -o y
ballpark: m.bpk: does not fit a.bpk: kind is hll there and bloom here
[exit 4]
$ ballpark build bloom --capacity 3333 --fpr 1% -o other.bpk k; ballpark merge m.bpk m.bpk other.bpk -o y
ballpark: other.bpk: does not fit m.bpk: blocks is 50 there and 66 here
[exit 4]
$ ballpark merge a.bpk k -o y
ballpark: k: not a sketch
[exit 2]
$ ballpark merge --mem 4k full.bpk -o y
ballpark: merge: health of the result is over: every bit is set: it says yes to everything

# info
$ ballpark info ab.bpk
file                 ab.bpk
kind                 hll
question             how many different?
hash                 xxh3-64
seed                 0
type                 bytes
precision            14
window_bits          2
contents             tokens
items                2000 (95 %: 2000 to 2000)
standard_error       0.005944
tokens_up_to         3072
reduced              no
memory_bytes         16496
encoded_bytes        4708
health               ok
fill                 0.651
saturated            0
chi_square           52.34
chi_square_freedom   47
chi_square_sigmas    0.5995
error_now            0
reason               within its range
$ ballpark info k.bpk
file                 k.bpk
kind                 bloom
question             seen before?
hash                 xxh3-64
seed                 0
type                 bytes
layout               blocked
lines                1
blocks               50
body_bytes           3200
planned_items        2500
rate_asked           0.01
rate_now             0.002993
items                1995 (95 %: 1974 to 2016)
fill                 0.4639
on_full              error
reduced              no
memory_bytes         3431
encoded_bytes        3280
health               ok
load                 0.7979 (95 %: 0.7899 to 0.806)
error_now            0.002993
reason               within its plan
$ ballpark info a.bpk b.bpk | grep -c '^kind'
2
$ ballpark info --json a.bpk k.bpk | grep -o '"kind":"[a-z]*"\|"state":"[a-z]*"\|"contents":"[a-z]*"\|"schema":1'
"schema":1
"kind":"hll"
"contents":"tokens"
"state":"ok"
"schema":1
"kind":"bloom"
"state":"ok"
$ cat a.bpk b.bpk > two; ballpark info two | grep -c '^kind'
2
$ ballpark info -o out a.bpk && grep kind out
kind                 hll
$ ballpark info --check a.bpk > out
$ ballpark info --check full.bpk > out
[exit 1]
$ ballpark info - < a.bpk | head -2
file                 standard input
kind                 hll
$ printf 'a' | ballpark build hll --label "$(printf 'x\033[2Jy')" -o l.bpk; ballpark info l.bpk | grep label
label                x?[2Jy
$ ballpark build hll --label "$(printf '\377')" -o l.bpk k; ballpark info --json l.bpk | grep -o '"label":"[^"]*"'
"label":"\\xFF"

# selftest: the answers that every build gives
$ ballpark selftest -q | grep -v avx2
ok     hash XXH3-64
ok     hash SipHash-1-3
ok     portable hll, UltraLogLog registers: bytes f59a57996b350eef
ok     portable hll, HyperLogLog registers: bytes 8a3ae7bb364cac51
ok     portable bloom, one line an item: bytes 9d5404764a9c9b62
ok     portable bloom, two lines an item: bytes c05d2869e6534112
ok     portable cms, conservative: bytes e6866b3faa99e276
ok     portable cms, plain: bytes 6d3f4cbb20478d1c
ok     portable topk, 100 rows: bytes 362006355555e36d
$ ballpark selftest | grep -c ^rate
8
$ BPK_KERNELS=portable ballpark selftest -q | grep -c FAILED
0
[exit 1]

# a question to the exit code alone
$ ballpark info --check -q full.bpk
[exit 1]
$ ballpark info --check -q a.bpk k.bpk

# at its plan
$ seq 1200 > p; ballpark build bloom --capacity 1000 --fpr 1% -o p.bpk p
ballpark: build: health of bloom is warn: as many items as planned, or more
$ ballpark build bloom -q --capacity 1000 --fpr 1% -o p.bpk p
$ ballpark merge p.bpk p.bpk -o x
ballpark: merge: health of the result is warn: as many items as planned, or more

# build cms: sizes by error, by hand, by memory
$ printf 'a 3\nb 0\na 4\nc 1\n' > w; seq 20000 | awk '{ print $1 % 997 }' > z
$ ballpark build cms -o c.bpk z; ballpark info c.bpk | grep 'width\|depth\|cell_bytes\|update\|total'
width                2719
depth                5
cell_bytes           4
update               conservative
total                20000
epsilon_total        20
$ ballpark build cms --epsilon 1% --delta 0.1% -o c.bpk z; ballpark info c.bpk | grep 'width\|depth'
width                272
depth                7
$ ballpark build cms --epsilon 1% --delta 0.1% --sizing 2 -o c.bpk z; ballpark info c.bpk | grep 'width\|depth'
width                200
depth                10
$ ballpark build cms --width 1000 -o c.bpk z; ballpark info c.bpk | grep 'width\|depth'
width                1000
depth                3
$ ballpark build cms --width 1000 --depth 5 --cell-bytes 8 --update plain -o p.bpk z; ballpark info p.bpk | grep 'width\|depth\|cell_bytes\|update'
width                1000
depth                5
cell_bytes           8
update               plain
$ ballpark build cms --bytes 64k -o c.bpk z; ballpark info c.bpk | grep 'width\|depth'
width                5461
depth                3
$ ballpark build cms -f 1 -w 2 -o c.bpk w; ballpark count c.bpk -k a -k b -k c; ballpark info c.bpk | grep '^total'
7	a
0	b
1	c
total                8
$ for j in 1 2 4; do ballpark build cms -j $j -o c$j.bpk z; ballpark build cms --update plain -j $j -o p$j.bpk z; ballpark build topk -j $j -o t$j.bpk z; done
$ cmp c1.bpk c2.bpk && cmp c1.bpk c4.bpk && cmp p1.bpk p2.bpk && cmp p1.bpk p4.bpk && cmp t1.bpk t2.bpk && cmp t1.bpk t4.bpk

# build topk
$ ballpark info t1.bpk | grep '^k \|entries\|candidates\|total'
k                    10
entries              576
candidates           200
total                20000
$ ballpark build topk -n 100 -o t.bpk z; ballpark info t.bpk | grep '^k \|entries\|candidates'
k                    100
entries              1152
candidates           200
$ ballpark build topk --rows 5 --candidates 50 --entries 5000 -o t.bpk z; ballpark info t.bpk | grep '^k \|entries\|candidates'
k                    5
entries              9216
candidates           50
$ ballpark build topk -f 1 -w 2 -o t.bpk w; ballpark top t.bpk
7	a
1	c
$ seq 100 | ballpark build topk --as int -o i.bpk; printf '0007\n' | ballpark build topk --append --as int -o i.bpk; ballpark top -n 1 i.bpk
2	7

# what is there is gone on with, or refused by name
$ head -10000 z > z1; tail -10000 z > z2; ballpark build cms -o a.bpk z1; ballpark build cms --append -o a.bpk z2; cmp a.bpk c1.bpk
$ ballpark build topk -o b.bpk z1; ballpark build topk --append -o b.bpk z2; cmp b.bpk t1.bpk
$ ballpark build cms --append --width 5 -o a.bpk z
ballpark: a.bpk: does not fit: width is 2719 there and 5 by --width
[exit 4]
$ ballpark build cms --append --update plain -o a.bpk z
ballpark: a.bpk: does not fit: update is conservative there and plain by --update
[exit 4]
$ ballpark build cms --append --cell-bytes 8 -o a.bpk z
ballpark: a.bpk: does not fit: cell_bytes is 4 there and 8 by --cell-bytes
[exit 4]
$ ballpark build cms --append --epsilon 0.01% -o a.bpk z
ballpark: a.bpk: does not fit: epsilon is 0.000999735869 there and 0.01% by --epsilon
[exit 4]
$ ballpark build cms --append --epsilon 5% -o a.bpk z1
$ ballpark build cms --append --bytes 1M -o a.bpk z
ballpark: a.bpk: is there already, and does not show what --bytes asks for
[exit 2]
$ ballpark build topk --append -n 11 -o b.bpk z
ballpark: b.bpk: does not fit: k is 10 there and 11 by --rows
[exit 4]
$ ballpark build topk --append --entries 5k -o b.bpk z
ballpark: b.bpk: does not fit: entries is 576 there and 5k by --entries
[exit 4]
$ ballpark build topk --append --entries 500 -o b.bpk z
$ ballpark build topk --append -o a.bpk z
ballpark: a.bpk: does not fit: kind is cms there and topk here
[exit 4]

# merge: plain sketches give the bytes of both streams; what does not fit is named
$ ballpark build cms --update plain -o x1.bpk z1; ballpark build cms --update plain -o x2.bpk z2; ballpark merge x1.bpk x2.bpk -o x; cmp x p1.bpk
$ ballpark build cms -o x1.bpk z1; ballpark build cms -o x2.bpk z2; ballpark merge x1.bpk x2.bpk -o x; ballpark merge x2.bpk x1.bpk -o y; cmp x y; ballpark count x -k 5 -k 996
21	5
20	996
$ ballpark build cms x1.bpk z2 | cmp - x
$ ballpark build topk -o x1.bpk z1; ballpark build topk -n 20 -o x2.bpk z2; ballpark merge x1.bpk x2.bpk -o x; ballpark merge x2.bpk x1.bpk -o y; cmp x y; ballpark info x | grep '^k \|total'
k                    10
total                20000
$ for o in '--width 9' '--width 10 --depth 4' '--width 10 --update plain' '--width 10 --cell-bytes 2'; do ballpark build cms $o -o o.bpk w; ballpark build cms --width 10 -o ten.bpk w; ballpark merge ten.bpk o.bpk -o x; done
ballpark: o.bpk: does not fit ten.bpk: width is 10 there and 9 here
ballpark: o.bpk: does not fit ten.bpk: depth is 3 there and 4 here
ballpark: o.bpk: does not fit ten.bpk: update is conservative there and plain here
ballpark: o.bpk: does not fit ten.bpk: cell_bytes is 4 there and 2 here
[exit 4]
$ ballpark merge ten.bpk t.bpk -o x
ballpark: t.bpk: does not fit ten.bpk: kind is cms there and topk here
[exit 4]

# options of other kinds, values out of range
$ ballpark build hll -w 1 -o x w
ballpark: hll does not take --weight
[exit 2]
$ ballpark build bloom --capacity 10 --fpr 1% -w 1 -o x w
ballpark: bloom does not take --weight
[exit 2]
$ ballpark build topk --width 5 -o x w
ballpark: topk does not take --width
[exit 2]
$ ballpark build cms -n 5 -o x w
ballpark: cms does not take --rows
[exit 2]
$ ballpark build topk -n 0 -o x w
ballpark: --rows 0: out of range: 1 to 2^20
[exit 2]
$ ballpark build topk -n 2000000 -o x w
ballpark: --rows 2000000: out of range: 1 to 2^20
[exit 2]
$ ballpark build cms --epsilon 0 -o x w
ballpark: --epsilon 0: out of range: a share such as 0.1%, between 6.4e-10 and 1
[exit 2]
$ ballpark build cms --delta 1 -o x w
ballpark: --delta 1: out of range: a share such as 1%, between 1.3e-14 (--sizing 2: 2.4e-10) and 1
[exit 2]
$ ballpark build cms --depth 3 -o x w
ballpark: cms needs --width (1 to 2^32-1)
[exit 2]
$ ballpark build cms --width 5 --depth 33 -o x w
ballpark: --depth 33: out of range: 1 to 32
[exit 2]
$ ballpark build cms --cell-bytes 3 -o x w
ballpark: --cell-bytes 3: out of range: 1, 2, 4 or 8
[exit 2]
$ ballpark build cms --update maybe -o x w
ballpark: --update maybe: out of range: conservative or plain
[exit 2]
$ ballpark build cms --sizing 3 -o x w
ballpark: --sizing 3: out of range: e or 2
[exit 2]
$ ballpark build cms --bytes 11 -o x w
ballpark: --bytes 11: out of range: 3 counters or more
[exit 2]
$ ballpark build cms --bytes 1G -o x w
ballpark: the cms needs more than --mem allows
[exit 5]

# cuckoo, cbloom and filters that grow
$ ballpark build cuckoo --capacity 1500 -o q.bpk k; ballpark info q.bpk | grep '^finger\|^items\|^planned'
fingerprint_bits     16
planned_items        1500
items                1000
$ ballpark build cuckoo --capacity 1500 --fpr 1% -o q12.bpk k; ballpark build cuckoo --capacity 1500 --fingerprint-bits 12 -o x k; cmp x q12.bpk
$ ballpark build cuckoo --append --fpr 0.1% -o q.bpk /dev/null; ballpark build cuckoo --append --fpr 1e-6 -o q.bpk /dev/null
ballpark: q.bpk: does not fit: rate_asked is 0.000115017753 there and 1e-6 by --fpr
[exit 4]
$ ballpark build cbloom --capacity 2500 --fpr 1% -o cb1.bpk k; ballpark build cbloom --capacity 2500 --fpr 1% -o cb2.bpk m; ballpark build cbloom --capacity 2500 --fpr 1% -o cb.bpk km; ballpark merge cb1.bpk cb2.bpk | cmp - cb.bpk
$ ballpark merge q.bpk q.bpk -o x
ballpark: q.bpk: a sketch of kind cuckoo does not answer merge
[exit 4]
$ ballpark build bloom --capacity 100 --on-full grow -o g.bpk k; ballpark build bloom --append --capacity 100 --on-full grow -o g.bpk m; ballpark build bloom --capacity 100 --on-full grow -o x km; cmp x g.bpk; ballpark has -c g.bpk km
2000
$ ballpark build cuckoo --append -o g.bpk k
ballpark: g.bpk: does not fit: kind is grow there and cuckoo here
[exit 4]
$ ballpark build bloom --append --capacity 101 -o g.bpk k
ballpark: g.bpk: does not fit: first_items is 100 there and 101 by --capacity
[exit 4]
$ ballpark build bloom --append --on-full degrade -o g.bpk k
ballpark: g.bpk: does not fit: on_full is grow there and degrade by --on-full
[exit 4]
$ ballpark build cuckoo --capacity 100 --on-full grow -o gq.bpk k; ballpark build cuckoo --append -o gq.bpk m; ballpark info gq.bpk | grep '^layers\|^items'
layers_of            cuckoo
layers               5
items                2000
$ for j in 1 4; do ballpark build cuckoo -j $j --capacity 100 --on-full grow km | cksum; done | uniq | wc -l
1

# full ones, each with what helps
$ ballpark build cuckoo --capacity 100 -o x k
ballpark: build: the cuckoo is full after 135 records; a larger --capacity holds more, --on-full grow goes on
[exit 5]
$ for i in 1 2 3 4 5 6 7 8 9; do echo a; done > nine; ballpark build cuckoo --capacity 100 -o x nine
ballpark: build: record 9 comes a ninth time, and a cuckoo has room for eight; ballpark dedup passes each once
[exit 5]
$ ballpark build cuckoo --capacity 100 --on-full grow -o x nine
ballpark: build: record 9 comes a ninth time, and a cuckoo has room for eight; ballpark dedup passes each once
[exit 5]
$ ballpark build cuckoo --capacity 100 --on-full grow --fpr 0.02% -o x k
ballpark: build: the cuckoo is full after 300 records; a larger --capacity holds more
[exit 5]
$ ballpark build cbloom --capacity 100 -o x k
ballpark: build: the cbloom is over its plan after 151 records; a larger --capacity holds more, --on-full degrade goes on
[exit 5]
$ ballpark build cbloom --capacity 100 --on-full degrade -o x k
ballpark: build: health of cbloom is over: every counter is in use: it says yes to everything
$ ballpark build bloom --capacity 100 --on-full grow --mem 4k -o x <(seq 9000)
ballpark: build: the bloom needs more than --mem allows
[exit 5]
$ ballpark build cuckoo --capacity 100 --on-full degrade -o x k
ballpark: cuckoo does not take --on-full degrade: a full table has no place for another item; error or grow
[exit 2]
$ ballpark build cbloom --capacity 100 --on-full grow -o x k
ballpark: cbloom does not take --on-full grow: only bloom and cuckoo do
[exit 2]
$ for p in error degrade grow; do ballpark build hll --on-full $p -o x k; done
ballpark: hll does not take --on-full
ballpark: hll does not take --on-full
ballpark: hll does not take --on-full
[exit 2]
$ ballpark build cuckoo --capacity 100 --on-full error -o x k
ballpark: build: the cuckoo is full after 135 records; a larger --capacity holds more, --on-full grow goes on
[exit 5]
$ ballpark build cuckoo --capacity 2000 --on-full error -o e.bpk k; ballpark build cuckoo --capacity 2000 -o e2.bpk k; cmp e.bpk e2.bpk; ballpark build cuckoo --append --on-full error -o e.bpk /dev/null; ballpark info e.bpk | grep '^on_full'
on_full              error
$ ballpark build cuckoo --append --on-full grow -o e.bpk k
ballpark: e.bpk: does not fit: on_full is error there and grow by --on-full
[exit 4]
$ ballpark build cuckoo --append --on-full degrade -o e.bpk k
ballpark: cuckoo does not take --on-full degrade: a full table has no place for another item; error or grow
[exit 2]
$ ballpark build cbloom --capacity 100 --layout classic -o x k
ballpark: cbloom does not take --layout
[exit 2]
$ ballpark build cuckoo --capacity 100 --fpr 1e-6 -o x k
ballpark: --fpr 1e-6: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]
$ ballpark build cuckoo --capacity 100 --fingerprint-bits 8 -o x k
ballpark: --fingerprint-bits 8: out of range: 12 or 16
[exit 2]
$ ballpark build bloom --capacity 100 --fingerprint-bits 12 -o x k
ballpark: bloom does not take --fingerprint-bits
[exit 2]
$ ballpark build cuckoo -o x k
ballpark: cuckoo needs --capacity (1 to 2^48)
[exit 2]
$ ballpark build grow --capacity 5 -o x k
ballpark: unknown kind grow; known are bloom, cbloom, cms, cuckoo, hll, limit, theta, topk
[exit 2]
