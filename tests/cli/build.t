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
ballpark: km.bpk: does not fit: planned_rate is 0.01 there and 2% by --fpr
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
ballpark: build: the bloom is over its plan after 1485 records; a larger --capacity holds more, --on-full degrade goes on
old
$ ballpark build bloom --capacity 1000 --fpr 1% --on-full error -o full.bpk n
ballpark: build: the bloom is over its plan after 1485 records; a larger --capacity holds more, --on-full degrade goes on
[exit 5]
$ ballpark build bloom --capacity 1000 --fpr 1% --on-full degrade -o full.bpk n; ballpark info --check full.bpk | grep health
ballpark: build: bloom is over its plan
health               over
$ ballpark build bloom --capacity 1500 --fpr 1% --layout classic -o c.bpk k && ballpark info c.bpk | grep layout
layout               classic
$ ballpark build bloom --capacity 1T --fpr 1% -o big.bpk k
ballpark: the bloom needs more than --mem allows
[exit 5]
$ ballpark build bloom --capacity 1000 --fpr 1e-30 -o x.bpk k
ballpark: --fpr 1e-30: out of range: a share such as 1% or 1e-6, from 1e-15 to 0.5
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
ballpark: merge: the result is over its plan

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
distinct             2000 (95 %: 2000 to 2000)
standard_error       0.005944
tokens_up_to         3072
reduced              no
memory_bytes         16496
encoded_bytes        4708
health               ok
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
planned_rate         0.01
rate_now             0.002993
items                1995 (95 %: 1974 to 2016)
fill                 0.4639
on_full              error
reduced              no
memory_bytes         3431
encoded_bytes        3280
health               ok
load                 0.7979 (95 %: 0.7899 to 0.806)
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
$ ballpark selftest | grep -c ^rate
5
$ BPK_KERNELS=portable ballpark selftest -q | grep -c FAILED
0
[exit 1]

# a question to the exit code alone
$ ballpark info --check -q full.bpk
[exit 1]
$ ballpark info --check -q a.bpk k.bpk

# at its plan
$ seq 1200 > p; ballpark build bloom --capacity 1000 --fpr 1% -o p.bpk p
ballpark: build: bloom has reached its plan
$ ballpark build bloom -q --capacity 1000 --fpr 1% -o p.bpk p
$ ballpark merge p.bpk p.bpk -o x
ballpark: merge: the result has reached its plan
