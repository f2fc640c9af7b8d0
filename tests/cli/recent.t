# --window of top and distinct: of what came in the last so much time, pane by pane
$ printf '100 a\n130 b\n160 a\n220 c\n395 b\n400 a\n401 d\n' > x
$ ballpark top --window 1m --time 1 -f 2 x
1	a
1	b
1	d
$ ballpark top --window 4m --panes 4 --time 1 -f 2 x
2	a
2	b
1	c
1	d
$ ballpark top -q --window 4m --time 1 -f 2 -v --ci x 2>&1 | sed 's/, 0.*//'
2	2	2	0.4	certain	a
1	1	1	0.2	certain	b
1	1	1	0.2	certain	c
1	1	1	0.2	certain	d
ballpark: top: of 1970-01-01T00:02:40+00:00 to 1970-01-01T00:06:41+00:00, in 60 panes of 4 s
ballpark: 7 records, 42 bytes
$ ballpark top --window 1m --time 1 -f 2 --json x | sed 's/"seconds.*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"topk","exact":false,"rows":[{"key":"a","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true},{"key":"b","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true},{"key":"d","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true}],"total":3,"ceiling":0,"confidence":1.0,"window":60,"panes":60,"window_from":"1970-01-01T00:05:41+00:00","window_to":"1970-01-01T00:06:41+00:00","late_records":0,"records":7,"bytes":42,"bad_records":0,
$ ballpark top --window 1m --time 1 -f 2 --csv -n 1 x
key,estimate,lower,upper,share,certain
d,1,1,1,0.333333,true
$ ballpark top --window 1m --time 1 -f 2 --min-share 40% x
$ printf '5 a 10\n6 b 1\n70 b 7\n' | ballpark top --window 1m --panes 6 --time 1 -f 2 -w 3
7	b
$ ballpark distinct --window 1m --time 1 -f 2 x
3
$ ballpark distinct --window 1m --time 1 -f 2 --ci --json x | sed 's/"seconds":[^,]*,//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"hll","estimate":3,"lower":3,"upper":3,"confidence":0.95,"exact":false,"flags":["one-sided"],"records":7,"bytes":42,"bad_records":0,"window":60,"panes":60,"window_from":"1970-01-01T00:05:41+00:00","window_to":"1970-01-01T00:06:41+00:00","late_records":0}
$ ballpark distinct --window 5m --panes 2 --time 1 -f 2 --tz +02:00 -v x 2>&1 | sed 's/, 0.*//'
4
ballpark: 7 records, 42 bytes
ballpark: distinct: of 1970-01-01T02:00:00+02:00 to 1970-01-01T02:06:41+02:00, in 2 panes of 150 s

# Nothing that is older than the window and a pane is in, and everything of the window is: as counted by hand.
$ seq 0 99999 | awk '{ print int($1 / 10), $1 % 7919 }' > n; seq 99000 99999 | awk '{ print int($1 / 10), $1 % 7919 }' > end
$ ballpark distinct --window 99s --panes 1 --time 1 -f 2 --json n | grep -o '"window_from.*late_records":.'
"window_from":"1970-01-01T02:45:00+00:00","window_to":"1970-01-01T02:46:39+00:00","late_records":0
$ for j in 1 3; do ballpark distinct --window 99s --panes 99 --time 1 -f 2 -j $j n; done; ballpark distinct -f 2 end
1000
1000
1000
$ for j in 1 3; do ballpark top --window 99s --panes 99 --time 1 -f 2 -j $j n; done | sort | uniq -c | awk '$1 != 2' | wc -l
ballpark: top: no row is certain: nothing stands out, and the counts are loose; --ci shows limits
ballpark: top: no row is certain: nothing stands out, and the counts are loose; --ci shows limits
0

# Times that go back, stand still, jump over the window, and are none.
$ printf '1000 a\n950 b\n1000 c\n' | ballpark top --window 1m --time 1 -f 2
1	a
1	b
1	c
$ printf '1000 a\n900 b\n100 c\n1001 a\n' | ballpark top --window 10s --time 1 -f 2
2	a
ballpark: top: records older than the window, which were left out: 2 (it covers 1970-01-01T00:16:31+00:00 to 1970-01-01T00:16:41+00:00)
$ printf '1000 a\n900 b\n100 c\n1001 a\n' | ballpark distinct -q --window 10s --time 1 -f 2 --json | grep -o '"records":4\|"late_records":2'
"records":4
"late_records":2
$ printf '1000 a\n1000 b\n9000 a\n' | ballpark top --window 1m --time 1 -f 2
1	a
$ printf '1000 a\nx b\n-5 c\n99999999999999 d\n' | ballpark top --window 1m --time 1 -f 2
ballpark: 3 of 4 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
1	a
[exit 3]
$ printf '1000 a\nx b\n' | ballpark distinct --strict --window 1m --time 1 -f 2
ballpark: standard input: record 2: no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more)
[exit 3]
$ ballpark top --window 1m --time 1 -f 2 /dev/null; ballpark distinct --window 1m --time 1 -f 2 /dev/null
0
$ : | ballpark top --json --window 1m --time 1 | grep -o '"window":.*"bytes"'
"window":60,"panes":60,"window_from":null,"window_to":null,"late_records":0,"records":0,"bytes"

# Records come now, without --time.
$ seq 3 | ballpark distinct --window 100w
3
$ (echo an-item; sleep 3.1; echo b) | ballpark top --window 1s
1	b
$ ballpark top --window 1h x
ballpark: --window 1h on files needs --time FIELD, or --save: what they hold comes in one moment
[exit 2]
$ ballpark distinct --window 1h < x
ballpark: --window 1h on files needs --time FIELD, or --save: what they hold comes in one moment
[exit 2]
$ ballpark distinct --window 1h --save s.bpk x; ballpark distinct s.bpk
7
7

# Saved, a window answers as of its own time, goes on, and is united.
$ ballpark top -q --window 1m --time 1 -f 2 --save t.bpk x > t; ballpark top t.bpk | cmp - t; ballpark info t.bpk | sed -n '/^kind/p;/^of/,/^late/p'
kind                 window
of                   topk
span                 60
panes                60
pane_length          1
panes_used           3
covers_from          341
now                  401
late                 0
$ echo '430 z' | ballpark top t.bpk --time 1 -f 2 -
1	a
1	b
1	d
1	z
$ ballpark distinct -q --window 1m --time 1 -f 2 --save d.bpk x; echo '430 z' | ballpark distinct --time 1 -f 2 -v --json d.bpk - 2>/dev/null | grep -o '"estimate":.\|"window_to.*late'
3
"estimate":4
"window_to":"1970-01-01T00:07:10+00:00","late
$ printf '380 q\n460 r\n' | ballpark top -q --window 1m --time 1 -f 2 --save u.bpk > /dev/null; ballpark merge t.bpk u.bpk -o m.bpk; ballpark merge u.bpk t.bpk | cmp - m.bpk; ballpark top m.bpk; ballpark top u.bpk t.bpk
1	a
1	d
1	r
1	a
1	d
1	r
$ ballpark build topk --window 1m --time 1 -f 2 -o b.bpk x; ballpark top b.bpk | cmp - t; echo '430 z' | ballpark build topk --append --time 1 -f 2 -o b.bpk; ballpark top b.bpk
1	a
1	b
1	d
1	z
$ echo '100 z' | ballpark build topk --append --time 1 -f 2 -o b.bpk
ballpark: build: records older than the window, which were left out: 1 (it covers 1970-01-01T00:06:10+00:00 to 1970-01-01T00:07:10+00:00)
$ ballpark build theta --window 1m --panes 6 --time 1 -f 2 -o th.bpk x; ballpark distinct --ci th.bpk; ballpark info --check th.bpk | grep '^of\|^panes \|^k \|^health'
3 (exact)
of                   theta
panes                6
k                    4096
health               ok
$ ballpark build hll --window 1m --precision 10 --time 1 -f 2 -o h.bpk x; ballpark distinct h.bpk; ballpark distinct --precision 10 --window 1m h.bpk
3
3
$ ballpark build cms --window 4m --time 1 -f 2 -o c.bpk x; ballpark count c.bpk -k a -k b -k c -k z; ballpark count --json -k a c.bpk | grep -o '"method":"[a-z]*"\|"total":.'
2	a
1	b
1	c
0	z
"method":"cms"
"total":5

# What does not fit.
$ ballpark top --window 2m t.bpk
ballpark: t.bpk: does not fit: span is 60 there and 2m by --window
[exit 4]
$ ballpark top --panes 7 --window 1m t.bpk
ballpark: t.bpk: does not fit: panes is 60 there and 7 by --panes
[exit 4]
$ ballpark distinct --precision 9 h.bpk
ballpark: h.bpk: does not fit: precision is 10 there and 9 by --precision
[exit 4]
$ ballpark build hll -o p.bpk x; ballpark distinct --window 1m p.bpk
ballpark: p.bpk: does not fit: it has no window, and --window 1m asks for one
[exit 4]
$ ballpark distinct p.bpk h.bpk
ballpark: h.bpk: does not fit p.bpk: kind is hll there and window here
[exit 4]
$ ballpark merge t.bpk m.bpk h.bpk -o q.bpk
ballpark: h.bpk: does not fit t.bpk: of is topk there and hll here
[exit 4]
$ ballpark distinct t.bpk
ballpark: t.bpk: a sketch of kind window of topk does not answer distinct
[exit 4]
$ ballpark top h.bpk
ballpark: h.bpk: a sketch of kind window of hll does not answer top
[exit 4]
$ ballpark top --time 1 t.bpk
ballpark: t.bpk: is a sketch; options that say how records are read are of text
[exit 2]
$ ballpark distinct --time 1 h.bpk
ballpark: h.bpk: is a sketch; options that say how records are read are of text
[exit 2]
$ ballpark build hll --append --window 2m --time 1 -o h.bpk x
ballpark: h.bpk: does not fit: span is 60 there and 2m by --window
[exit 4]
$ ballpark build cms --append --time 1 -o t.bpk x
ballpark: t.bpk: does not fit: kind is window of topk there and cms here
[exit 4]

# What makes no sense.
$ for w in 0s -5m 1.5h 5x 1000 100ms 1ks 1e17h m ''; do ballpark top --window "$w" x; ballpark distinct --window "$w" x; done 2>&1 | sort | uniq -c
      2 ballpark: --window '': out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window -5m: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 0s: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 1.5h: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 1000: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 100ms: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 1e17h: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 1ks: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window 5x: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
      2 ballpark: --window m: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
$ for p in 0 -1 1.5 1025 x ''; do ballpark top --window 1h --panes "$p" x; done
ballpark: --panes 0: out of range: 1 to 1024, and no more than the seconds of --window
ballpark: --panes -1: out of range: 1 to 1024, and no more than the seconds of --window
ballpark: --panes 1.5: out of range: 1 to 1024, and no more than the seconds of --window
ballpark: --panes 1025: out of range: 1 to 1024, and no more than the seconds of --window
ballpark: --panes x: out of range: 1 to 1024, and no more than the seconds of --window
ballpark: --panes '': out of range: 1 to 1024, and no more than the seconds of --window
[exit 2]
$ ballpark top --window 5s --panes 6 --time 1 x
ballpark: --panes 6: out of range: 1 to 1024, and no more than the seconds of --window, which are 5
[exit 2]
$ ballpark top --window 5s --panes 1 --time 1 -f 2 x; ballpark top --window 5300w --panes 1024 --time 1 -f 2 -n 2 x
1	a
1	b
1	d
3	a
2	b
$ ballpark top --panes 6 x
ballpark: --panes needs --window
[exit 2]
$ ballpark top --window 1h --half-life 1h --time 1 x
ballpark: --half-life and --window contradict each other
[exit 2]
$ ballpark top --window 1h --exact-limit 5 --time 1 x
ballpark: --window and --exact-limit contradict each other
[exit 2]
$ ballpark distinct --window 1h --every 1h --time 1 x
ballpark: --every and --window contradict each other
[exit 2]
$ ballpark build cms --window 1h --half-life 1h -o q.bpk x
ballpark: --half-life and --window contradict each other
[exit 2]
$ ballpark build cbloom --window 1h --capacity 10 -o q.bpk x
ballpark: cbloom does not take --window
[exit 2]
$ ballpark build bloom --window 1h --panes 5 --capacity 10 -o q.bpk x
ballpark: bloom does not take --panes
[exit 2]
$ ballpark build topk --window 1h --generations 5 -o q.bpk x
ballpark: topk does not take --generations
[exit 2]
$ ballpark top --window 1h --mem 4k --time 1 -f 2 x
ballpark: the topk needs more than --mem allows
[exit 5]
$ ls
b.bpk
c.bpk
d.bpk
end
h.bpk
m.bpk
n
p.bpk
s.bpk
t
t.bpk
th.bpk
u.bpk
x
