# two events a second, two at once: the third comes too early, and one that is refused takes nothing
$ printf 'a 0\na 0.1\na 0.2\na 0.49\na 0.5\nb 0.5\n' > s; ballpark limit --rate 2/1s --time 2 -f 1 s
a 0
a 0.1
a 0.5
b 0.5
$ ballpark limit -v --rate 2/1s --time 2 -f 1 s
a 0.2
a 0.49
$ ballpark limit -c --rate 2/1s --time 2 -f 1 s; ballpark limit -c -v --rate 2/1s --time 2 -f 1 s
allowed	4
total	6
limited	2
total	6
$ ballpark limit --json --rate 2/1s --time 2 -f 1 s
{"key":"a","allowed":true,"never":false,"limit":2,"remaining":1,"retry_after":0,"reset_after":0.5,"method":"arrival","is_estimate":false}
{"key":"a","allowed":true,"never":false,"limit":2,"remaining":0,"retry_after":0,"reset_after":0.9,"method":"arrival","is_estimate":false}
{"key":"a","allowed":false,"never":false,"limit":2,"remaining":0,"retry_after":0.3,"reset_after":0.8,"method":"arrival","is_estimate":false}
{"key":"a","allowed":false,"never":false,"limit":2,"remaining":0,"retry_after":0.01,"reset_after":0.51,"method":"arrival","is_estimate":false}
{"key":"a","allowed":true,"never":false,"limit":2,"remaining":0,"retry_after":0,"reset_after":1,"method":"arrival","is_estimate":false}
{"key":"b","allowed":true,"never":false,"limit":2,"remaining":1,"retry_after":0,"reset_after":0.5,"method":"arrival","is_estimate":false}
$ ballpark limit -c --json --rate 2/1s --time 2 -f 1 s
~ {"tool":"ballpark",*"method":"arrival","is_estimate":false,"allowed":4,"limited":2,"never":0,"late":0,"late_seconds_at_most":0,"fresh_limited_at_most":*,"records":6,"bytes":35,"bad_records":0,"seconds":*}
$ ballpark limit -c --burst 1 --rate 2/1s --time 2 -f 1 s; ballpark limit -c --method windows --rate 2/1s --time 2 -f 1 s
allowed	3
total	6
allowed	3
total	6
$ ballpark limit --json --method windows --rate 2/1s --time 2 -f 1 s | sed -n 3p
~ *"allowed":false,*"method":"windows","is_estimate":true}

# microseconds count, however they are written
$ printf 'a 10.000000\na 10.000001\na 10.000002\n' | ballpark limit --rate 1/2us --time 2 -f 1
a 10.000000
a 10.000002
$ printf '2000-10-10T20:55:36.5Z a\n2000-10-10T20:55:36,500999Z a\n2000-10-10T20:55:36.501Z a\n' | ballpark limit --rate 1/1ms --time 1:iso -f 2
2000-10-10T20:55:36.5Z a
2000-10-10T20:55:36.501Z a
$ printf '971211336500,a\n971211336500.9,a\n971211336501,a\n' | ballpark limit -d, --rate 1/1ms --time 1:ms -f 2
971211336500,a
971211336501,a
$ printf '971211336500000999,a\n971211336500001000,a\n971211336500001999,a\n' | ballpark limit -d, --rate 1/1us --time 1:ns -f 2
971211336500000999,a
971211336500001000,a
$ printf '13:55:36.25 2000-10-10,a\n13:55:36.2509 2000-10-10,a\n13:55:36.251 2000-10-10,a\n' | ballpark limit -d, --rate 1/1ms --time '1:%T.%f %F' -f 2
13:55:36.25 2000-10-10,a
13:55:36.251 2000-10-10,a

# a burst of any usual rate is whole at any instant, for long periods too
$ for r in 3/1h 100/1h 1000/1d 5/2m 10/10m 1/1w 7/1w 100/60s 1000/s 20/1.5s; do n=${r%/*}; yes "a 1000.123457" | head -1100 | ballpark limit -c --rate $r --time 2 -f 1 | head -1 | sed "s|^|$r |;s|$| of $n|"; done
3/1h allowed	3 of 3
100/1h allowed	100 of 100
1000/1d allowed	1000 of 1000
5/2m allowed	5 of 5
10/10m allowed	10 of 10
1/1w allowed	1 of 1
7/1w allowed	7 of 7
100/60s allowed	100 of 100
1000/s allowed	1000 of 1000
20/1.5s allowed	20 of 20

# where no tick is exact, one event of it is missing at some instants
$ yes "a 1000.123457" | head -8000 | ballpark limit -c --rate 7919/1d --time 2 -f 1 | head -1
allowed	7918

# GCRA in awk, a map of keys: where keys are few the same records pass; where they crowd it would pass all that passes
$ printf '%s\n' '{ u = int($2 * 1000 + 0.5); x = at[$1] > u ? at[$1] : u; if (x - u <= (burst - 1) * period / n) { at[$1] = x + period / n; print } }' > gcra.awk
$ printf '%s\n' 'function r() { x = (x * 16807) % 2147483647; return x / 2147483647 } BEGIN { x = 7; for (i = 0; i < 200000; i++) { t += r() < 0.7 ? 0 : 4; printf "k%d %d.%03d\n", int(exp(log(keys) * r())), 1000 + int(t / 1000), t % 1000 } }' > log.awk
$ awk -v keys=200 -f log.awk > few; awk -v keys=100000 -f log.awk > many
$ for j in 1 3; do ballpark limit -j $j --rate 20/10s --burst 7 --time 2 -f 1 few > f$j; ballpark limit -q -j $j --bytes 1k --rate 20/10s --burst 7 --time 2 -f 1 many > m$j; done; cmp f1 f3; cmp m1 m3
$ exact() { awk -v n=20 -v period=10000 -v burst=7 -f gcra.awk "$@"; }; exact few | cmp - f1; exact m1 | cmp - m1; wc -l f1 m1 | awk '{ print $1 }'; exact many | wc -l
72338
64339
136677
154574
$ ballpark limit -c --rate 20/10s --burst 7 --time 2 -f 1 many | head -1
allowed	154574
$ ballpark limit -c --bytes 1k --rate 20/10s --burst 7 --time 2 -f 1 many 2>&1 | tail -1
~ ballpark: limit: at times 9* % of keys that had done nothing were limited: a larger --bytes limits fewer

# costs: a record may be several events, none, or more than there ever are
$ printf 'a 1 6\na 1 0\na 1 5\na 1 4\na 1 11\na 1 0\na 1 x\na 1 -1\na 1\n' > c; ballpark limit --rate 10/1s -w 3 --time 2 -f 1 c
a 1 6
a 1 0
a 1 4
a 1 0
ballpark: 3 of 9 records have no weight (a whole number from 0 to 2^63-1) and were left out
ballpark: limit: records that cost more than can ever be allowed at once: 1
[exit 3]
$ head -6 c | ballpark limit -q --rate 10/1s -w 3 --time 2 -f 1 --json | cut -d, -f 2-7
"allowed":true,"never":false,"limit":10,"remaining":4,"retry_after":0,"reset_after":0.6
"allowed":true,"never":false,"limit":10,"remaining":4,"retry_after":0,"reset_after":0.6
"allowed":false,"never":false,"limit":10,"remaining":4,"retry_after":0.1,"reset_after":0.6
"allowed":true,"never":false,"limit":10,"remaining":0,"retry_after":0,"reset_after":1
"allowed":false,"never":true,"limit":10,"remaining":0,"retry_after":null,"reset_after":1
"allowed":true,"never":false,"limit":10,"remaining":0,"retry_after":0,"reset_after":1

# time that goes back stands still; times that are none are counted, or end the run
$ printf 'a 5\na 4\na 4.5\na 5.5\na 6\n' | ballpark limit --rate 1/1s --time 2 -f 1
a 5
a 6
ballpark: limit: records that came before one in front of them, taken as if with it: 2, by 1 s at most
$ printf 'a 5\na never\na\na -1\na 253402300800\na 253402300799\n' | ballpark limit --rate 1/1s --time 2 -f 1
a 5
a 253402300799
ballpark: 4 of 6 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
[exit 3]
$ printf 'a 5\na never\na 7\n' | ballpark limit --strict --rate 1/1s --time 2 -f 1 --state strict.bpk
a 5
ballpark: standard input: record 2: no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more)
[exit 3]
$ printf 'a 5.5\na 6\n' | ballpark limit --time 2 -f 1 --state strict.bpk
a 6

# keys: the whole record, none at all, empty ones, of any bytes
$ printf '\n\n\n' | ballpark limit --rate 2/1h -c; ballpark limit -c --rate 1/1s < /dev/null; printf '\377 1\n' | ballpark limit --rate 1/s --time 2 -f 1 --json
allowed	2
total	3
allowed	0
total	0
~ {"key_base64":"/w==","allowed":true,*

# a state goes on where it was, with the rate that it has
$ printf 'a 1\na 1\nb 1\n' | ballpark limit -c --rate 3/1h --time 2 -f 1 --state st.bpk; printf 'a 2\na 2\nb 2\n' | ballpark limit --time 2 -f 1 --state st.bpk
allowed	3
total	3
a 2
b 2
$ ballpark info st.bpk | grep '^kind\|^limit\|^period\|^burst\|^now\|^health'
kind                 limit
limit                3
period               3600000
burst                3
now                  2000
health               ok
$ cp st.bpk old.bpk; printf 'a 3\nb 3\nb 3\n' | ballpark limit --dry-run --time 2 -f 1 --state st.bpk; cmp st.bpk old.bpk; printf 'b 3\nb 3\n' | ballpark limit --dry-run --time 2 -f 1 --state st.bpk --json | cut -d, -f 2-6
b 3
b 3
"allowed":true,"never":false,"limit":3,"remaining":0,"retry_after":0
"allowed":true,"never":false,"limit":3,"remaining":0,"retry_after":0
$ echo x | ballpark limit --dry-run --rate 1/s --state none.bpk; ls -A | grep none
x
[exit 1]
$ for o in '--rate 4/1h' '--rate 3/2h' '--rate 3/3.6s' '--rate 3/1h --burst 2' '--width 9' '--method windows' '--hash-seed 1' '--as int'; do echo 'a 3' | ballpark limit --time 2 -f 1 --state st.bpk $o; done; cmp st.bpk old.bpk
ballpark: st.bpk: does not fit: limit is 3 there and 4/1h by --rate
ballpark: st.bpk: does not fit: period is 3600000 there and 3/2h by --rate
ballpark: st.bpk: does not fit: a second has 1000 ticks there and 1000000 by --rate 3/3.6s
ballpark: st.bpk: does not fit: burst is 3 there and 2 by --burst
ballpark: st.bpk: does not fit: width is 4096 there and 9 by --width
ballpark: st.bpk: does not fit: method is arrival there and windows by --method
ballpark: st.bpk: does not fit: seed is 0 there and 1 by --hash-seed
ballpark: st.bpk: does not fit: type is bytes there and integer by --as
$ seq 9 | ballpark build bloom --capacity 99 -o b.bpk; echo 1 | ballpark limit --rate 1/s --state b.bpk
ballpark: b.bpk: does not fit: kind is bloom there and limit here
[exit 4]
$ head -c 90 st.bpk > cut.bpk; echo text > text; cat st.bpk st.bpk > two.bpk; for f in cut.bpk text two.bpk .; do echo 1 | ballpark limit --rate 1/s --state $f; done
ballpark: cut.bpk: damaged: truncated: body, at byte 90
ballpark: text: not a sketch; a state is a limit
ballpark: two.bpk: holds 2 sketches, expected one
ballpark: .: cannot open: Is a directory
[exit 2]
$ ballpark limit --rate 1/s --time 1 st.bpk
ballpark: st.bpk: is a sketch; limit reads records
[exit 2]
$ echo a 99999999999 | ballpark limit --time 2 -f 1 --rate 1/s --state far.bpk; echo a | ballpark limit --state far.bpk; echo b | ballpark limit -q --state far.bpk
a 99999999999
~ ballpark: far.bpk: the clock is *e+10 s behind its time, which stands still until then
~ ballpark: limit: records that came before one in front of them, taken as if with it: 1, by *e+10 s at most
b

# build, merge: the later time and what is taken most; nodes with a limit each
$ ballpark build limit --rate 3/1h --time 2 -f 1 -o one.bpk <(printf 'a 1\na 1\na 1\na 1\n'); ballpark build limit --rate 3/1h --time 2 -f 1 -o other.bpk <(printf 'b 2\nb 2\n'); ballpark merge one.bpk other.bpk -o both.bpk; printf 'a 2\nb 2\nb 2\n' | ballpark limit --time 2 -f 1 --state both.bpk
b 2
$ printf 'c 2\n' | ballpark build limit --append --time 2 -f 1 -o both.bpk; printf 'c 2\nc 2\nc 2\n' | ballpark limit -c --time 2 -f 1 --state both.bpk
allowed	2
total	3
$ ballpark build limit --rate 3/3.6s -o fine.bpk /dev/null; ballpark merge fine.bpk one.bpk -o mixed.bpk; echo a 9 | ballpark limit --time 2 -f 1 --state mixed.bpk
ballpark: mixed.bpk: does not fit: it does not say how many of its ticks are a second
[exit 4]
$ ballpark build limit --rate 3/2h -o two.bpk /dev/null; ballpark merge one.bpk two.bpk -o mixed.bpk
ballpark: two.bpk: does not fit one.bpk: period is 3600000 there and 7200000 here
[exit 4]
$ ballpark build limit -o x.bpk /dev/null; ballpark build limit --rate 1% -o x.bpk /dev/null; ballpark build bloom --capacity 9 --rate 1/s -o x.bpk /dev/null; ballpark build limit --rate 1/s --capacity 9 -o x.bpk /dev/null
ballpark: limit needs --rate N/D, such as 100/60s
ballpark: limit needs --rate N/D, such as 100/60s
ballpark: bloom does not take --rate
ballpark: limit does not take --capacity
[exit 2]

# one run at a time has a state; who is killed leaves the old one
$ mkfifo pipe held; (ballpark limit --state st.bpk < pipe > held &) ; exec 3> pipe 4< held; echo delta >&3; read line <&4; echo $line; echo delta | ballpark limit --state st.bpk; echo delta | ballpark limit --wait=0.1 -q --state st.bpk; exec 3>&-; cat <&4; printf 'delta\ndelta\ndelta\n' | ballpark limit -q --wait -c --state st.bpk
delta
ballpark: st.bpk: another run uses it; --wait waits until it ends
ballpark: st.bpk: another run still uses it after 0.1 s
allowed	2
total	3
$ cp st.bpk old.bpk; mkfifo p2; ballpark limit --state st.bpk < p2 > out & exec 3> p2; echo epsilon >&3; while [ ! -s out ]; do sleep 0.01; done; { kill -9 $!; wait $!; } 2> /dev/null; cat out; cmp st.bpk old.bpk
epsilon
$ mkfifo p3; ballpark limit --state st.bpk < p3 > out3 & exec 3> p3; echo epsilon >&3; while [ ! -s out3 ]; do sleep 0.01; done; { kill -TERM $!; wait $!; } 2> /dev/null; printf 'epsilon\nepsilon\nepsilon\n' | ballpark limit -c --state st.bpk
allowed	2
total	3

# what is refused
$ for r in 0/1s 1/0s -1/1s 1/-1s 1.5/1s 1/0.5us 1/s5 /s 1/ 1 1/1 1/1x 9e15/1s 1/2e9s 1/9007199254740993us 5/.5s 5/1.s 1/1.0000001s ''; do echo a | ballpark limit --rate "$r" 2>&1 | cut -d: -f 1-3; done
ballpark: --rate 0/1s: out of range
ballpark: --rate 1/0s: out of range
ballpark: --rate -1/1s: out of range
ballpark: --rate 1/-1s: out of range
ballpark: --rate 1.5/1s: out of range
ballpark: --rate 1/0.5us: out of range
ballpark: --rate 1/s5: out of range
ballpark: --rate /s: out of range
ballpark: --rate 1/: out of range
ballpark: --rate 1: out of range
ballpark: --rate 1/1: out of range
ballpark: --rate 1/1x: out of range
ballpark: --rate 9e15/1s: out of range
ballpark: --rate 1/2e9s: out of range
ballpark: --rate 1/9007199254740993us: out of range
ballpark: --rate 5/.5s: out of range
ballpark: --rate 5/1.s: out of range
ballpark: --rate 1/1.0000001s: out of range
ballpark: --rate '': out of range
$ for r in 1/1.5ms 1/0.25s 1/1.0000000s 1e3/h 1/9007199254740992us 1000000000/1s 281474976710656/1w; do echo a | ballpark limit -c --rate $r --burst 1 | head -1; done
allowed	1
allowed	1
allowed	1
allowed	1
allowed	1
allowed	1
allowed	1
$ echo a | ballpark limit --rate 5e9/1s; echo a | ballpark limit --rate 5e9/1s --method windows; echo a | ballpark limit --rate 5/1s --burst 3 --method windows
ballpark: limit needs --burst (1 to 2^30 events)
ballpark: --rate 5e9/1s: out of range: N/D: N 1 to 2^48 (windows 2^32-1, plan 2^30), D 1us to 2^53us, of us ms s m h d w: 5/2m
ballpark: --method windows and --burst contradict each other: windows have no burst
[exit 2]
$ for o in '--burst 0' '--burst 2G' '--method exact' '--bytes 15' '--width 0' '--width 1 --bytes 1k' '--depth 33' '--json -v' '--wait' '--tolerate 1%' '--dry-run' '--state -' '--fpr 1%' '--bytes 1G --mem 1M'; do echo a | ballpark limit --rate 5/s $o; done
ballpark: --burst 0: out of range: 1 to 2^30 events
ballpark: --burst 2G: out of range: 1 to 2^30 events
ballpark: --method exact: out of range: arrival or windows
ballpark: --bytes 15: out of range: 16 bytes or more
ballpark: --width 0: out of range: 1 to 2^32-1
ballpark: --bytes and --width contradict each other
ballpark: --depth 33: out of range: 1 to 32
ballpark: --invert and --json contradict each other: the JSON tells of every record
ballpark: --wait needs --state
ballpark: --tolerate needs --state
ballpark: --dry-run needs --state
ballpark: --state needs a file: it is read and replaced
ballpark: limit does not take --fpr
ballpark: the limit needs more than --mem allows
[exit 5]
$ echo a | ballpark limit; ballpark limit --rate 5/s c; ballpark limit --rate 5/s none; ballpark limit --dry-run --wait --state st.bpk < c
ballpark: limit: a new limit needs --rate N/D, such as 100/60s
ballpark: limit: files need --time FIELD, or a limit that is there already: what they hold comes in one moment
ballpark: none: No such file or directory
ballpark: --dry-run and --wait contradict each other: nothing is changed
[exit 2]
$ ballpark build limit --rate 10/1h -w 3 --time 2 -f 1 -o w.bpk <(printf 'a 1 9\nb 1 11\n'); printf 'a 2\na 2\nb 2\n' | ballpark limit -c --time 2 -f 1 --state w.bpk
ballpark: build: records that cost more than can ever be allowed at once: 1
allowed	2
total	3
