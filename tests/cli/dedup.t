# dedup: first occurrences, in order
$ printf 'b\na\nb\nc\na\n' > f
$ ballpark dedup f
b
a
c
$ ballpark dedup < f
b
a
c
$ ballpark dedup -D f
b
a
$ ballpark dedup --repeated f
b
a
$ ballpark dedup -c f
unique	3
total	5
$ ballpark dedup -c -D f
repeated	2
total	5
$ ballpark dedup --json f | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":3,"lower":3,"upper":3,"confidence":0.95,"exact":true,"flags":["exact"],"records":5,"bytes":10,"bad_records":0,"seconds":S,"unique":3,"repeated":2}
$ ballpark dedup f f -c
unique	3
total	10
$ printf 'A\na\n' | ballpark dedup -i
A
$ printf '7 x\n07 y\n' | ballpark dedup --as int -f 1
7 x
$ printf 'k 1\nk 2\nl 1\n' | ballpark dedup -f 1
k 1
l 1
$ printf 'a\r\na\r\n' | ballpark dedup --crlf strip | od -An -c
   a  \n
$ printf 'a\r\nb\r\n' | ballpark dedup --crlf keep | od -An -c
   a  \r  \n   b  \r  \n
$ ballpark dedup -o out f && cat out
b
a
c
$ ballpark dedup -v -o out f
ballpark: dedup: 5 records, 3 first ones, 2 repeats, method exact
$ ballpark dedup --hash-seed 3 f | cksum; ballpark dedup f | cksum
2765378754 6
2765378754 6

# -j changes nothing
$ seq 50000 > n; cat n n > nn
$ for j in 1 2 4; do ballpark dedup -j $j nn | cmp - n && ballpark dedup -D -j $j nn | cmp - n; done

# exact until --mem, then it stops and says how far it came; nothing before is lost
$ ballpark dedup --mem 64k nn > part
ballpark: dedup: --mem is used up after 3072 records, of which 3072 were first ones; nothing was lost up to there; a larger --mem holds more, with --fpr it goes on with a filter
[exit 5]
$ n=$(wc -l < part); head -n $n n | cmp - part
$ echo old > out; ballpark dedup --mem 64k -o out nn 2>/dev/null; echo $?; cat out
5
old

# or goes on with a filter, and says what that may have cost
$ ballpark dedup --mem 256k --fpr 1% nn > lossy
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)
$ test $(wc -l < lossy) -ge 49000 && echo nearly all
nearly all
$ ballpark dedup --mem 256k --fpr 1% -q nn | cmp - lossy
$ for j in 2 4; do ballpark dedup -j $j --mem 256k --fpr 1% -q nn | cmp - lossy; done
$ ballpark dedup -q --mem 256k --fpr 1% --json nn
~ {"tool":"ballpark","version":"0.1.0","schema":1,"method":"bloom","estimate":*,"lower":*,"upper":*,"confidence":0.95,"exact":false,"flags":*,"records":100000,"bytes":577788,"bad_records":0,"seconds":*,"unique":*,"repeated":*,"rate_now":*,"lost":*,"lost_upper":*}
$ ballpark dedup --mem 64k --fpr 1e-6 nn > part
ballpark: dedup: the filter is over its plan after 11107 records, of which 11107 were first ones; a larger --capacity or --mem holds more, --on-full grow or degrade goes on
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)
ballpark: dedup: health of the filter is over: half as much again as planned, or more
[exit 5]
$ ballpark dedup --mem 64k --fpr 1e-6 --on-full degrade nn > part
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)
ballpark: dedup: health of the filter is over: half as much again as planned, or more
$ ballpark dedup --mem 256k --fpr 1% --capacity 1M nn > part
ballpark: the bloom needs more than --mem allows; a smaller --capacity needs less
[exit 5]
$ ballpark dedup --mem 256k --fpr 1% --layout classic nn > part
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)

# the bound holds: what is missing is at most what it said
$ ballpark dedup --mem 256k --fpr 5% n > part 2> said; lost=$((50000 - $(wc -l < part))); most=$(sed 's/.*at most \([0-9]*\).*/\1/' said); test $lost -gt 0 && test $lost -le $most && echo held
held

# a state remembers across runs
$ ballpark dedup --state seen.bpk f
b
a
c
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)
$ printf 'c\nd\n' | ballpark dedup --state seen.bpk
d
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most *)
$ printf 'c\nd\ne\n' | ballpark dedup -q --state seen.bpk
e
$ printf 'c\nd\ne\n' | ballpark dedup -q -c --state seen.bpk
unique	0
total	3
$ ballpark info seen.bpk | grep 'planned\|asked'
planned_items        1000000
rate_asked           1e-06
$ printf 'z\n' | ballpark dedup -q --state seen.bpk --fpr 1e-6 --capacity 1M
z
$ printf 'z\n' | ballpark dedup -q --state seen.bpk --fpr 1%
ballpark: seen.bpk: does not fit: rate_asked is 1e-06 there and 1% by --fpr
[exit 4]
$ printf 'z\n' | ballpark dedup -q --state seen.bpk --capacity 5k
ballpark: seen.bpk: does not fit: first_items is 1000000 there and 5k by --capacity
[exit 4]
$ printf 'z\n' | ballpark dedup -q --state seen.bpk --hash-seed 9
ballpark: seen.bpk: does not fit: seed is 0 there and 9 by --hash-seed
[exit 4]
$ ballpark dedup -q --state small.bpk --capacity 1000 --fpr 1% --on-full error n > part
ballpark: dedup: the filter is over its plan after 1485 records, of which 1471 were first ones; a larger --capacity or --mem holds more, --on-full grow or degrade goes on
[exit 5]
$ n=$(wc -l < part); test $n -ge 1400 && test $n -le 1700 && echo stopped at the plan
stopped at the plan
$ ballpark has -c small.bpk part
1471
ballpark: has: health of small.bpk is over: half as much again as planned, or more
$ ballpark dedup -q --state small.bpk --capacity 1000 --fpr 1% part
$ ballpark info --check -o /dev/null small.bpk
[exit 1]
$ ballpark dedup -q --state ints.bpk --as int -c f
ballpark: 5 of 5 records are no integer and were left out
unique	0
total	0
[exit 3]
$ printf '1\n01\n2\n' | ballpark dedup -q --state ints.bpk
1
2

# very little memory
$ ballpark dedup --mem 4k --fpr 1e-6 f
b
a
c

# what dedup needs beside
$ ballpark dedup --layout classic f
ballpark: --layout needs --fpr or --state
[exit 2]

# in place: the file is replaced when everything has been read
$ printf 'b\na\nb\n' > f; ballpark dedup -o f f && cat f
b
a
