# A state that grows: no plan is too small, and the rate stays.
$ seq 20000 > n; ballpark dedup -q --state s.bpk --capacity 100 n | cmp - n
$ ballpark info s.bpk | grep '^kind\|^planned\|^layers \|^inserts\|^rate_asked\|^on_full\|^health'
kind                 grow
layers               8
planned_items        25500
inserts              20000
rate_asked           1e-06
on_full              grow
health               ok
$ ballpark dedup -q -c --state s.bpk n
unique	0
total	20000
$ seq 15001 25000 | ballpark dedup -c --state s.bpk
unique	5000
total	10000
ballpark: dedup: answered by a filter, rate now 4.93e-07: about 0.00 new records were taken for repeats (95 %: at most 0)
$ ballpark dedup -q --state s.bpk --on-full error n
ballpark: s.bpk: does not fit: on_full is grow there and error by --on-full
[exit 4]
$ ballpark dedup -q --state s.bpk --capacity 1k n
ballpark: s.bpk: does not fit: first_items is 100 there and 1k by --capacity
[exit 4]
$ ballpark dedup -q --state s.bpk --window 1e6 n
ballpark: s.bpk: does not fit: it has no window, and --window 1e6 asks for one
[exit 4]
$ ballpark dedup -q --state s.bpk --time 1 n
ballpark: s.bpk: does not fit: it has no window of time, and --time asks for one
[exit 4]
$ ballpark dedup -q --state s.bpk --layout classic n
ballpark: s.bpk: does not fit: layout is blocked there and classic by --layout
[exit 4]
$ ballpark dedup -q --state big.bpk --capacity 1000 --mem 64k n > part
ballpark: dedup: the filter needs more than --mem to grow after 7000 records, of which 7000 were first ones
[exit 5]
$ n=$(wc -l < part); ballpark has -c big.bpk part | cmp - <(echo $n)
$ ballpark info -q --check big.bpk
$ ballpark dedup -q --state e.bpk --capacity 1000 --on-full error n > part
ballpark: dedup: the filter is over its plan after 1490 records, of which 1490 were first ones; a larger --capacity or --mem holds more, --on-full grow or degrade goes on
[exit 5]
$ ballpark dedup -q --state d.bpk --capacity 1000 --on-full degrade n > part; test $(wc -l < part) -lt 20000 && ballpark info d.bpk | grep '^health'
health               over
$ ballpark build bloom --capacity 30k --fpr 1e-6 --on-full grow -o made.bpk n; seq 19999 20002 | ballpark dedup -q --state made.bpk
20001
20002

# The first plan is twice the records that plain files hold, as far as blocks of them tell, whatever -j is.
$ echo 'ballpark info $MEM f.bpk | sort | awk "/^(first|planned)_items / { print \$2; exit }"' > first
$ echo 'rm -f f.bpk; ballpark dedup -q -c --state f.bpk $MEM "$@" > counts; echo $? $(. ./first)' > new
$ yes | head -1000000 > ones; bash new ones; bash new ones ones; bash new - < ones; bash new < ones; bash new -D ones
0 2000000
0 4000000
0 2000000
0 2000000
0 2000000
$ for j in 1 3 4; do rm -f f.bpk; ballpark dedup -q -c -j $j --state f.bpk ones n > counts; cksum f.bpk; done | uniq | wc -l
1
$ seq 2000000 > rising; bash new rising > told; read code items < told; test $items -gt 3900000 -a $items -lt 4100000; echo $?
0
$ (read line; bash new -) < rising > told; read code items < told; test $items -gt 3900000 -a $items -lt 4100000; echo $?
0
$ tr '\n' '\0' < ones > zeros; bash new -z zeros; bash new zeros
0 2000000
0 1000000
$ bash new --on-full degrade ones; bash new --on-full error ones; bash new --layout classic ones
0 2000000
0 2000000
0 2000000

# And 1M where they do not tell it, or tell of less; what is asked for comes first.
$ : > empty; head -c 3000000 /dev/zero > record; bash new empty; bash new record; bash new n; bash new /dev/null
0 1000000
0 1000000
0 1000000
0 1000000
$ cat ones | bash new; gzip -k ones; bash new ones.gz; bash new ones.gz ones; bash new <(cat ones)
0 1000000
0 1000000
0 1000000
0 1000000
$ bash new ones missing
ballpark: missing: No such file or directory
3 1000000
$ bash new --capacity 100 empty; bash new --items 5 empty; bash new --window 50 ones; bash new --window 1h --capacity 70 ones; bash new --window 1h ones
0 100
0 5
0 50
0 70
0 1000000

# Two layers fit --mem, and a rate that is too small for more items is met for fewer.
$ MEM='--mem 20M' bash new ones > told; read code items < told; test $items -gt 1000000 -a $items -lt 2000000; echo $?; seq $((5 * items / 2)) | ballpark dedup -q -c --mem 20M --state f.bpk > counts; ballpark info --mem 20M f.bpk | grep '^layers '
0
layers               2
$ bash new --fpr 3e-12 ones; bash new --fpr 5e-12 ones
0 1000000
0 2000000
$ bash new --fpr 9e-13 ones
ballpark: --fpr 9e-13: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
ballpark: f.bpk: No such file or directory
2

# A file that has grown since is no other plan.
$ bash new ones; seq 3000000 >> ones; ballpark dedup -q -c --state f.bpk ones; bash first
0 2000000
unique	3000000
total	4000000
2000000

# What was there before growing states still is one; kinds that cannot tell new items are none.
$ ballpark build bloom --capacity 30k --fpr 1e-6 -o plain.bpk n; seq 19999 20002 | ballpark dedup -q --state plain.bpk; ballpark info plain.bpk | grep '^kind'
20001
20002
kind                 bloom
$ seq 9 | ballpark build cuckoo --capacity 10 -o c.bpk; seq 9 | ballpark dedup --state c.bpk
ballpark: c.bpk: does not fit: kind is cuckoo there, which counts what comes again as new; dedup keeps bloom
[exit 4]
$ seq 9 | ballpark build cbloom --capacity 10 -o cb.bpk; seq 9 | ballpark dedup --state cb.bpk
ballpark: build: health of cbloom is warn: as many items as planned, or more
ballpark: cb.bpk: does not fit: kind is cbloom there, which counts what comes again as new; dedup keeps bloom
[exit 4]
$ seq 9 | ballpark build hll -o h.bpk; seq 9 | ballpark dedup --state h.bpk
ballpark: h.bpk: a sketch of kind hll does not answer has
[exit 4]
$ ballpark dedup --state n n
ballpark: n: not a sketch; a state is a bloom, a growing or a rotating one
[exit 2]
$ ballpark dedup --state n/x n
ballpark: n/x: cannot open: Not a directory
[exit 2]
$ head -c 1000 s.bpk > cut.bpk; ballpark dedup --state cut.bpk n
ballpark: cut.bpk: damaged: truncated: body, at byte 1000
[exit 4]
$ cat s.bpk s.bpk > two.bpk; ballpark dedup --state two.bpk n
ballpark: two.bpk: holds 2 sketches, expected one
[exit 4]

# Two runs and one file: the second is refused, waits so long, or waits.
$ mkfifo pipe; ballpark dedup -q --state w.bpk pipe > one & exec 3> pipe; sleep 1; echo z | ballpark dedup --state w.bpk; echo $?; echo z | ballpark dedup --wait=0.1 --state w.bpk; echo $?; echo z | ballpark dedup -q --wait 0 --state w.bpk; echo $?; touch w.bpk; echo z | ballpark build bloom --append -o w.bpk; echo $?; echo z | ballpark has --remove w.bpk; echo $?; (printf 'y\nz\n' | ballpark dedup --wait --state w.bpk | sed 's/^/two: /') 3>&- & sleep 1; echo y >&3; exec 3>&-; wait; cat one
ballpark: w.bpk: another run uses it; --wait waits until it ends
2
ballpark: w.bpk: waiting for another run that uses it
ballpark: w.bpk: another run still uses it after 0.1 s
2
ballpark: w.bpk: another run uses it; --wait waits until it ends
2
ballpark: w.bpk: another run uses it; --wait waits until it ends
2
ballpark: w.bpk: another run uses it; --wait waits until it ends
2
ballpark: w.bpk: waiting for another run that uses it
ballpark: dedup: answered by a filter, rate now 4.01e-38: about 0.00 new records were taken for repeats (95 %: at most 0)
two: z
y
$ echo x | ballpark dedup --wait
ballpark: --wait needs --state
[exit 2]
$ echo x | ballpark dedup --wait=-1 --state w.bpk
ballpark: --wait -1: out of range: 0 to 1e9
[exit 2]
$ echo x | ballpark dedup --wait=soon --state w.bpk
ballpark: --wait soon: out of range: 0 to 1e9
[exit 2]
$ echo x | ballpark dedup --wait=5% --state w.bpk
ballpark: --wait 5%: out of range: 0 to 1e9
[exit 2]
$ echo x | ballpark build bloom --items 9 --wait -o x.bpk
ballpark: --wait needs --append
[exit 2]
$ echo x | ballpark has --wait w.bpk
ballpark: --wait needs --remove
[exit 2]

# What a killed run had written is removed by the next one that has the lock: no other name, no living process.
$ mkdir d; bash -c 'echo $$' > gone; read gone < gone; for f in .s.bpk.tmp.$gone.0 .s.bpk.tmp.$gone.17 .s.bpk.tmp.$$.0 .s.bpk.tmp.$gone .s.bpk.tmp.$gone. .s.bpk.tmp.x.0 .s.bpk.tmp.-5.0 .s.bpk.tmp.0.0 .s.bpk.tmp.99999999999999999999.0 .s.bpk.tmp.$gone.0.x .ss.bpk.tmp.$gone.0 s.bpk.tmp.$gone.0; do touch d/$f; done; ballpark dedup -q --state d/s.bpk n > part; ls -A d | sed "s/tmp[.]$gone\b/tmp.gone/; s/tmp[.]$$\b/tmp.here/" | sort
.s.bpk.lock
.s.bpk.tmp.-5.0
.s.bpk.tmp.0.0
.s.bpk.tmp.99999999999999999999.0
.s.bpk.tmp.gone
.s.bpk.tmp.gone.
.s.bpk.tmp.gone.0.x
.s.bpk.tmp.here.0
.s.bpk.tmp.x.0
.ss.bpk.tmp.gone.0
s.bpk
s.bpk.tmp.gone.0

# A link is the file that it names, and so is its lock.
$ ln -s d/s.bpk link.bpk; echo new | ballpark dedup -q --state link.bpk; test -L link.bpk; ls -A | grep -c link; echo new | ballpark dedup -q -c --state d/s.bpk
new
1
unique	0
total	1
$ mkfifo held; ballpark dedup -q --state link.bpk held > one & exec 3> held; sleep 1; echo z | ballpark dedup --state d/s.bpk; exec 3>&-; wait
ballpark: d/s.bpk: another run uses it; --wait waits until it ends

# One file for two outputs, however it is called; and a state is a file.
$ cp s.bpk before; for name in s.bpk ./s.bpk d/../s.bpk "$PWD/s.bpk" link2; do ln -sf s.bpk link2; ballpark dedup -q --state s.bpk -o $name n; done 2>&1 | cut -d' ' -f 1-5 | uniq -c | grep -o '[0-9].*'; cmp s.bpk before
5 ballpark: two outputs go to
$ ballpark dedup -q --state none.bpk -o d/../none.bpk n
ballpark: two outputs go to d/../none.bpk
[exit 2]
$ ballpark dedup --state - n
ballpark: --state needs a file: it is read and replaced
[exit 2]
$ ballpark build bloom --append -o none.bpk n
ballpark: none.bpk: No such file or directory
[exit 2]
$ ls -A | grep none; ls -A | grep '^\.-'
[exit 1]
$ ballpark dedup --state small.bpk --mem 64k n
ballpark: the bloom needs more than --mem allows; a smaller --capacity needs less
[exit 5]
$ ballpark dedup --state small.bpk --mem 64k --window 1e6 n
ballpark: the bloom needs more than --mem allows; a smaller --window needs less
[exit 5]

# Killed at any moment: the old state or the new one, never half of one; and the next run goes on.
$ seq 100000 > a; seq 100001 200000 > b; ballpark dedup -q --state old.bpk a > part; cp old.bpk new.bpk; ballpark dedup -q --state new.bpk b > part
$ for i in $(seq 40); do cp old.bpk k.bpk; ballpark dedup -q --state k.bpk b > part & sleep 0.0$((RANDOM % 10))$((RANDOM % 10)); kill -9 $!; wait $!; cmp -s k.bpk old.bpk || cmp -s k.bpk new.bpk || echo half; done 2> err
$ ballpark dedup -q --state k.bpk b > part; cmp k.bpk new.bpk
$ for i in 1 2 3 4 5; do cp old.bpk k.bpk; timeout -s TERM 0.0$i ballpark dedup -q --state k.bpk b > part; ballpark dedup -q --state k.bpk b >> part; cmp part b; done
