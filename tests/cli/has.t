# has: like grep -Fxf, with a list or with a filter
$ printf 'a\nc\n' > set
$ printf 'a\nb\nc\nA\na\n' > f
$ ballpark has set f
a
c
a
$ ballpark has set < f
a
c
a
$ ballpark has set - < f
a
c
a
$ grep -Fxf set f | cmp - <(ballpark has set f)
$ ballpark has -v set f
b
A
$ ballpark has -i set f
a
c
A
a
$ ballpark has -c set f
3
$ ballpark has -c -v set f
2
$ ballpark has -q set f
$ ballpark has -q -v set f
$ printf 'x\n' | ballpark has set
[exit 1]
$ printf 'x\n' | ballpark has -q set
[exit 1]
$ printf 'x\n' | ballpark has -c set
0
[exit 1]
$ printf 'a\n' | ballpark has -v set
[exit 1]
$ : | ballpark has set
[exit 1]
$ ballpark has --json set f | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":3,"lower":3,"upper":3,"confidence":0.95,"exact":true,"flags":["exact"],"records":5,"bytes":10,"bad_records":0,"seconds":S,"selected":3,"in_set":3,"rate_now":0.0,"false_positives":0.0,"false_positives_upper":0}
$ ballpark has --ci set f
a
c
a
ballpark: has: exact
$ ballpark has --ci -c set f 2>/dev/null
3
$ ballpark has -o out set f && cat out
a
c
a
$ printf '1 a\n2 b\n' | ballpark has -f 2 set
1 a
$ printf '1,a\n2,b\n' | ballpark has -d, -f 2 set
1,a
$ printf 'a b\n' > pair; printf 'x a b\n' | ballpark has -f 2,3 pair
x a b
$ printf '07\n' > ints; printf '7\n8\n' | ballpark has --as int ints
7
$ printf 'a\0b\0' > zset; printf 'b\0c\0' | ballpark has -z zset | od -An -c
   b  \0

# with a filter: no record that is in the set is missed
$ ballpark build bloom --capacity 1200 --fpr 1% -o set.bpk set
$ ballpark has set.bpk f
a
c
a
$ ballpark has -v set.bpk f
b
A
$ ballpark has -q set.bpk f
$ printf 'x\n' | ballpark has set.bpk
[exit 1]
$ seq 1000 > k; seq 100000 > n; ballpark build bloom --capacity 1200 --fpr 1% -o k.bpk k
$ ballpark has k.bpk n | grep -Fxc -f k
1000
$ test $(ballpark has -c k.bpk n) -le 2500 && echo few false ones
few false ones
$ ballpark has --json k.bpk n
~ {"tool":"ballpark","version":"0.1.0","schema":1,"method":"bloom","estimate":*,"lower":*,"upper":*,"confidence":0.95,"exact":false,"flags":*,"records":100000,"bytes":588895,"bad_records":0,"seconds":*,"selected":*,"in_set":*,"rate_now":*,"false_positives":*,"false_positives_upper":*}
$ ballpark has --ci -c k.bpk k
1000
~ ballpark: has: rate now *: about * of 1000 records found are false positives (95 %: at most *, unless records repeat)
$ ballpark has -q --ci k.bpk k 2>/dev/null
$ for j in 1 2 4; do ballpark has -j $j k.bpk n | cksum; done | uniq | wc -l
1

# the domain of the set rules
$ ballpark build bloom --hash-seed 5 --capacity 1200 --fpr 1% -o seed.bpk k
$ ballpark has -c seed.bpk k
1000
$ ballpark has --hash-seed 6 seed.bpk k
ballpark: seed.bpk: does not fit: seed is 5 there and 6 by --hash-seed
[exit 4]
$ ballpark build bloom --as int --capacity 1200 --fpr 1% -o int.bpk k
$ printf '007\n5000000\n' | ballpark has int.bpk
007
$ ballpark has --as bytes int.bpk k
ballpark: int.bpk: does not fit: type is integer there and bytes by --as
[exit 4]
$ printf 'x\n7\n' | ballpark has int.bpk
7
ballpark: 1 of 2 records are no integer and were left out
[exit 3]

# trouble is 2 and more
$ ballpark has set missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark has set f missing -c
ballpark: missing: No such file or directory
3
[exit 3]
$ ballpark has --mem 4k n n
ballpark: n: the set needs more than --mem
[exit 5]
$ ballpark has -q set f missing
ballpark: missing: No such file or directory
$ seq 1000000 | ballpark has -q k
$ trap '' PIPE; seq 1000000 2>/dev/null | ballpark has k | head -1
1
$ ballpark has -v --json k.bpk n
~ {"tool":"ballpark","version":"0.1.0","schema":1,"method":"bloom","estimate":*,"lower":*,"upper":*,"confidence":0.95,"exact":false,"flags":*,"records":100000,"bytes":588895,"bad_records":0,"seconds":*,"selected":*,"in_set":*,"rate_now":*,"false_positives":*,"false_positives_upper":*}
$ ballpark has --json k n | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":1000,"lower":1000,"upper":1000,"confidence":0.95,"exact":true,"flags":["exact"],"records":100000,"bytes":588895,"bad_records":0,"seconds":S,"selected":1000,"in_set":1000,"rate_now":0.0,"false_positives":0.0,"false_positives_upper":0}
$ ballpark has --ci=99 -c k.bpk n > out
~ ballpark: has: rate now *: about * of * records found are false positives (99 %: at most *, unless records repeat)
