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

# what was added is taken out again: of a cuckoo, a cbloom, or a cuckoo that grows
$ seq 1000 > k; seq 901 1100 > out; seq 1 100 | shuf > first
$ ballpark build cuckoo --capacity 1500 -o c.bpk k; ballpark build cbloom --capacity 1500 --fpr 1e-6 -o cb.bpk k; ballpark build cuckoo --capacity 100 --on-full grow -o g.bpk k
$ for f in c cb g; do ballpark has --remove $f.bpk first | cmp - first; ballpark has -c $f.bpk k; done
900
900
900
$ ballpark has --remove -q c.bpk first
[exit 1]
$ ballpark info c.bpk | grep '^items\|^suspects\|^reason'
items                900
suspects             100
reason               items were removed that had not been added: others may be missing
$ ballpark has --remove -v c.bpk first | cmp - first
ballpark: has: 100 of 100 records are certainly not in c.bpk and suspect; of strangers like them about 0.00 were found, and others lost in their place (95 %: at most 0, unless records repeat)
ballpark: has: health of c.bpk is warn: items were removed that had not been added: others may be missing
$ ballpark has --remove -c c.bpk out
100
ballpark: has: 100 of 200 records are certainly not in c.bpk and suspect; of strangers like them about 0.01 were found, and others lost in their place (95 %: at most 0, unless records repeat)
ballpark: has: health of c.bpk is warn: items were removed that had not been added: others may be missing
$ ballpark has --remove --json cb.bpk out | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
ballpark: has: 100 of 200 records are certainly not in cb.bpk and suspect; of strangers like them about 0.00 were found, and others lost in their place (95 %: at most 0, unless records repeat)
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"cbloom","estimate":100,"lower":0,"upper":100,"confidence":0.95,"exact":false,"flags":["one-sided"],"records":200,"bytes":901,"bad_records":0,"seconds":S,"selected":100,"in_set":100,"rate_now":4.78890203e-10,"false_positives":4.78890203e-8,"false_positives_upper":0,"removed":100,"absent":100}
$ ballpark has --remove -c -v g.bpk out
100
ballpark: has: 100 of 200 records are certainly not in g.bpk and suspect; of strangers like them about 0.02 were found, and others lost in their place (95 %: at most 0, unless records repeat)
ballpark: has: health of g.bpk is warn: items were removed that had not been added: others may be missing
$ ballpark has --remove -c --ci cb.bpk <(seq 101 110)
10
ballpark: has: 0 of 10 records are certainly not in cb.bpk and suspect; of strangers like them about 0.00 were found, and others lost in their place (95 %: at most 0, unless records repeat)
$ printf '1 111\n2 112\n' | ballpark has --remove -f 2 cb.bpk
1 111
2 112
$ ballpark has --remove -o printed cb.bpk <(seq 113 114); cat printed
113
114
$ for f in c cb g; do ballpark has -c -q $f.bpk k; ballpark has -c $f.bpk <(seq 200 900); done 2> /dev/null
701
701
701

# copies are taken out one by one
$ printf 'a\na\nb\n' > twice; for kind in cuckoo cbloom; do ballpark build $kind --capacity 10 -o t.bpk twice; printf 'a\n' | ballpark has --remove -q t.bpk; printf 'a\nb\n' | ballpark has t.bpk; printf 'a\na\n' | ballpark has -q --remove -c t.bpk; printf 'a\nb\n' | ballpark has t.bpk; done 2> /dev/null
a
b
b
a
b
b

# nothing is written when nothing has changed; labels stay
$ ballpark build cbloom --capacity 1500 --label 'kept' -o cb.bpk k; ls -i cb.bpk > before; printf 'x\ny\n' | ballpark has --remove -q cb.bpk; ls -i cb.bpk | cmp - before; ballpark has --remove -q cb.bpk /dev/null; ls -i cb.bpk | cmp - before; seq 5 | ballpark has --remove -q cb.bpk; ls -i cb.bpk | cmp -s - before || ballpark info cb.bpk | grep label
label                kept

# what cannot be
$ ballpark build bloom --capacity 1500 -o b.bpk k; ballpark has --remove b.bpk first
ballpark: b.bpk: a sketch of kind bloom does not answer remove; it takes a cuckoo, growing or not, or a cbloom
[exit 4]
$ ballpark build bloom --capacity 100 --on-full grow -o gb.bpk k; ballpark has --remove gb.bpk first
ballpark: gb.bpk: a sketch of kind grow does not answer remove; it takes a cuckoo, growing or not, or a cbloom
[exit 4]
$ ballpark build hll -o h.bpk k; ballpark has --remove h.bpk first
ballpark: h.bpk: a sketch of kind hll does not answer remove; it takes a cuckoo, growing or not, or a cbloom
[exit 4]
$ ballpark has --remove k first
ballpark: k: not a sketch; --remove takes a cuckoo, growing or not, or a cbloom
[exit 2]
$ ballpark has --remove missing.bpk first
ballpark: missing.bpk: No such file or directory
[exit 2]
$ ballpark has --remove - first < c.bpk
ballpark: --remove needs the file that is to change
[exit 2]
$ cat c.bpk c.bpk > two.bpk; ballpark has --remove two.bpk first
ballpark: two.bpk: holds 2 sketches, expected one
[exit 4]
$ head -c 500 c.bpk > cut.bpk; ballpark has --remove cut.bpk first
ballpark: cut.bpk: damaged: truncated: body, at byte 500
[exit 4]
$ ballpark has --remove --hash-seed 7 c.bpk first
ballpark: c.bpk: does not fit: seed is 0 there and 7 by --hash-seed
[exit 4]
$ ballpark has --remove --as int c.bpk first
ballpark: c.bpk: does not fit: type is bytes there and integer by --as
[exit 4]
$ ballpark has --remove c.bpk c.bpk
ballpark: c.bpk: is a sketch; has reads records
[exit 2]
$ ballpark has --remove -o c.bpk c.bpk first
ballpark: two outputs go to c.bpk
[exit 2]
$ ballpark build cbloom --capacity 1500 -o keep.bpk k; cp keep.bpk before; echo absent | ballpark has --remove -o ./keep.bpk keep.bpk; cmp keep.bpk before
ballpark: two outputs go to keep.bpk
$ ballpark has --remove c.bpk missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark has -q --remove c.bpk <(seq 301 305) missing
ballpark: missing: No such file or directory
[exit 3]
$ mkfifo pipe; (exec sleep 4 > pipe) & cp c.bpk old.bpk; timeout -s INT 1 ballpark has --remove -o printed c.bpk pipe; cmp c.bpk old.bpk; cat printed
113
114
