# A window of items: what came in the last N is found, what is older than N and a quarter is not.
$ seq 10000 > n; seq 9001 10000 > last; seq 8000 > gone
$ ballpark build bloom --window 1000 --fpr 1e-6 -o w.bpk n
$ ballpark has -c w.bpk last; ballpark has -c w.bpk gone
1000
0
[exit 1]
$ ballpark info w.bpk | grep '^layout\|^generations\|^planned\|^window\|^span\|^seen\|^health'
layout               rotating
generations          4
seen                 last
planned_items        1000
window_effective     1000
span                 0
health               ok
$ ballpark build bloom --window 1000 --fpr 1e-6 --generations 8 --seen first -o w8.bpk n; ballpark info w8.bpk | grep '^generations\|^seen'
generations          8
seen                 first
$ seq 10001 10500 | ballpark build bloom --append -o w.bpk; seq 9501 10500 | ballpark has -c w.bpk; ballpark has -c w.bpk gone
1000
0
[exit 1]
$ cat n n | ballpark dedup -c --window 1000
unique	20000
total	20000
ballpark: dedup: answered by a filter, rate now 3.72e-07: about 0.00 new records were taken for repeats (95 %: at most 0)
$ cat last last last | ballpark dedup -c --window 1000
unique	1000
total	3000
ballpark: dedup: answered by a filter, rate now 3.95e-07: about 0.00 new records were taken for repeats (95 %: at most 0)
$ cat last last last | ballpark dedup -c --window 1000 --json | grep -o '"window.*'
ballpark: dedup: answered by a filter, rate now 3.95e-07: about 0.00 new records were taken for repeats (95 %: at most 0)
"window":1000,"window_effective":1000,"window_unit":"items"}

# Across runs.
$ ballpark dedup -q --state s.bpk --window 1000 n | cmp - n; seq 9900 10100 | ballpark dedup -q -c --state s.bpk
unique	100
total	201
$ ballpark dedup -q --state s.bpk --window 1e3 last | wc -l
703
$ ballpark dedup -q --state s.bpk --window 2000 last
ballpark: s.bpk: does not fit: planned_items is 1000 there and 2000 by --window
[exit 4]
$ ballpark dedup -q --state s.bpk --window 24h last
ballpark: s.bpk: does not fit: span is 0 there and 24h by --window
[exit 4]
$ ballpark dedup -q --state s.bpk --window 1000 --generations 8 last
ballpark: s.bpk: does not fit: generations is 4 there and 8 by --generations
[exit 4]
$ ballpark dedup -q --state s.bpk --window 1000 --seen first last
ballpark: s.bpk: does not fit: seen is last there and first by --seen
[exit 4]
$ ballpark dedup -q --state s.bpk --window 1000 --fpr 1% last
ballpark: s.bpk: does not fit: rate_asked is 1e-06 there and 1% by --fpr
[exit 4]
$ ballpark dedup -q --state s.bpk --time 1 last
ballpark: s.bpk: does not fit: it has no window of time, and --time asks for one
[exit 4]
$ ballpark build bloom --capacity 10 -o plain.bpk /dev/null; ballpark dedup -q --state plain.bpk --window 1000 last
ballpark: plain.bpk: does not fit: it has no window, and --window 1000 asks for one
[exit 4]
$ ballpark build bloom --append --window 24h -o plain.bpk last
ballpark: plain.bpk: does not fit: it has no window, and --window 24h asks for one
[exit 4]

# A window of time: of records that say when they come.
$ printf '100 a\n110 b\n129 a\n171 a\n900 a\n' > t
$ ballpark dedup -q --window 40s --generations 1 --time 1 -f 2 t
100 a
110 b
900 a
$ ballpark dedup -q --window 40s --generations 1 --seen first --time 1 -f 2 t
100 a
110 b
171 a
900 a
$ ballpark dedup -q --window 10m --time 1 -f 2 t
100 a
110 b
900 a
$ ballpark dedup -q --window 40s --generations 4 --time 1 -f 2 --state ts.bpk t; echo '905.75 a' | ballpark dedup -q -c --time 1 -f 2 --state ts.bpk; ballpark info ts.bpk | grep '^span\|^now'
100 a
110 b
171 a
900 a
unique	0
total	1
span                 40
span_effective       40
now                  905
$ for j in 1 4; do seq 0 50000 | awk '{ print int($1 / 7), $1 % 3000 }' | ballpark dedup -q -j $j --capacity 2000 --window 200s --time 1 -f 2 | cksum; done | uniq | wc -l
1
$ printf '1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 5\n1.1.1.1 - - [10/Oct/2000:21:55:37 +0000] "GET / HTTP/1.0" 200 5\n' > log
$ ballpark dedup -q -c --format log --time time -f ip --window 1h --generations 1 log; ballpark build bloom --capacity 9 --format log --time time -f ip --window 1h -o l.bpk log; ballpark info l.bpk | grep '^now'
unique	1
total	2
now                  971214937

# Times that are none, late ones, and leaps.
$ printf '5 a\nx b\n-1 c\n1e3 d\n. e\n5. f\n99999999999999999999 g\n6.25 h\n' | ballpark dedup -q --window 1h --time 1 -f 2
5 a
6.25 h
ballpark: 6 of 8 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
[exit 3]
$ printf '5 a\nx b\n' | ballpark dedup -q --window 1h --strict --time 1 -f 2
5 a
ballpark: standard input: record 2: no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more)
[exit 3]
$ for t in 32/Jan/2000:00:00:00 29/Feb/2001:00:00:00 01/jan/2000:00:00:00 01/Jan/2000:24:00:00 01/Jan/1960:00:00:00; do printf 'h - - [%s +0000] "GET / HTTP/1.0" 200 5\n' $t; done | ballpark dedup -q --format log --time time -f ip --window 1h
ballpark: 5 of 5 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
[exit 3]
$ printf '1000 a\n100 b\n1001 a\n' | ballpark dedup --window 10s --time 1 -f 2
1000 a
100 b
ballpark: dedup: answered by a filter, rate now 6.34e-37: about 0.00 new records were taken for repeats (95 %: at most 0)
ballpark: dedup: records older than the window, taken as if they had just come: 1
$ printf '1000 a\n9000 b\n1001 a\n' | ballpark dedup --window 10s --time 1 -f 2
1000 a
9000 b
1001 a
ballpark: dedup: answered by a filter, rate now 6.34e-37: about 0.00 new records were taken for repeats (95 %: at most 0)
ballpark: dedup: records older than the window, taken as if they had just come: 1
ballpark: dedup: times that time went forward by two windows or more, and all before was forgotten: 1

# More than its plan: less time is remembered, and that is said.
$ seq 100 | awk '{ print int($1 / 10), $1 }' | ballpark dedup -c --window 10s --capacity 20 --time 1 -f 2
unique	100
total	100
ballpark: dedup: answered by a filter, rate now 1.57e-13: about 0.00 new records were taken for repeats (95 %: at most 0)
ballpark: dedup: the window was shorter than asked for, 2 of 10 s: more items came than --capacity plans
ballpark: dedup: health of the filter is over: it remembers two thirds of the window that was asked for, or less
$ seq 100 | awk '{ print int($1 / 10), $1 }' | ballpark dedup -q --json --window 10s --capacity 20 --time 1 -f 2 | grep -o '"window.*'
"window":10,"window_effective":2,"window_unit":"seconds"}

# The clock of the system.
$ printf 'a\na\nb\n' | ballpark dedup -q --window 24h
a
b
$ printf 'a\na\nb\n' > f; ballpark dedup --window 24h f
ballpark: --window 24h on files needs --time FIELD, or --state: what they hold comes in one moment
[exit 2]
$ ballpark dedup --window 24h < f
ballpark: --window 24h on files needs --time FIELD, or --state: what they hold comes in one moment
[exit 2]
$ ballpark dedup -q --window 24h --state c.bpk f; ballpark dedup -q -c --state c.bpk f
a
b
unique	0
total	3
$ printf '99999999999 a\n' | ballpark dedup -q --window 24h --time 1 -f 2 --state future.bpk; printf 'a\nb\n' | ballpark dedup --state future.bpk
99999999999 a
~ ballpark: future.bpk: the clock is * s behind its time, which stands still until then
b
ballpark: dedup: answered by a filter, rate now 6.34e-37: about 0.00 new records were taken for repeats (95 %: at most 0)
$ printf 'a\nb\n' | ballpark dedup -q --state future.bpk

# What makes no sense.
$ for w in 0 -5 many 0h 5x h 2 1.5 1e30 1e17h 100ms ''; do ballpark build bloom --window "$w" -o x.bpk f; done
ballpark: --window 0: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window -5: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window many: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 0h: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 5x: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window h: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 2: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 1.5: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 1e30: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 1e17h: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window 100ms: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
ballpark: --window '': out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
[exit 2]
$ ballpark build bloom --window 24h -o x.bpk f
ballpark: bloom needs --capacity (1 to 2^48)
[exit 2]
$ ballpark build bloom --window 24h --capacity 3 -o x.bpk f
ballpark: --capacity 3: out of range: not under --generations, which is 4, with --window
[exit 2]
$ ballpark build bloom --window 1000 --capacity 5 -o x.bpk f
ballpark: --window 1000 and --capacity contradict each other: both are numbers of items
[exit 2]
$ ballpark build bloom --window 1000 --on-full degrade -o x.bpk f
ballpark: --window and --on-full contradict each other
[exit 2]
$ ballpark build bloom --window 1000 --layout classic -o x.bpk f
ballpark: --window and --layout contradict each other
[exit 2]
$ ballpark build cuckoo --window 1000 -o x.bpk f
ballpark: cuckoo does not take --window
[exit 2]
$ ballpark build hll --window 1000 -o x.bpk f
ballpark: hll takes a --window of time, such as 24h, not of items
[exit 2]
$ ballpark build bloom --generations 4 --capacity 10 -o x.bpk f
ballpark: --generations needs --window
[exit 2]
$ ballpark build bloom --window 1000 --generations 0 -o x.bpk f
ballpark: --generations 0: out of range: 1 to 16
[exit 2]
$ ballpark build bloom --window 1000 --generations 17 -o x.bpk f
ballpark: --generations 17: out of range: 1 to 16
[exit 2]
$ ballpark build bloom --seen first --capacity 10 -o x.bpk f
ballpark: --seen needs --window
[exit 2]
$ ballpark build bloom --window 1000 --seen never -o x.bpk f
ballpark: --seen never: out of range: last or first
[exit 2]
$ ballpark build bloom --window 1000 --time 1 -o x.bpk f
ballpark: build: --time needs a --window of time or a --half-life, such as 24h
[exit 2]
$ ballpark build bloom --capacity 10 --time 1 -o x.bpk f
ballpark: build: --time needs a --window of time or a --half-life, such as 24h
[exit 2]
$ ballpark dedup --time 1 f
ballpark: dedup: --time needs a --window of time, such as 24h
[exit 2]
$ ballpark dedup -q -c --window 1h --time 1,2 f
ballpark: 3 of 3 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
unique	0
total	0
[exit 3]
$ ballpark dedup --window 1h --time ip f
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark has --window 1h f
ballpark: has does not take --window
[exit 2]
$ ls
c.bpk
f
future.bpk
gone
l.bpk
last
log
n
plain.bpk
s.bpk
t
ts.bpk
w.bpk
w8.bpk
