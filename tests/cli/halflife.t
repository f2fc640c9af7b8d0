# Counts that halve every so often: as of the last record.
$ printf '100 a\n100 a\n160 b\n220 c\n220 b\n100 a\n' > x.txt
$ ballpark top -f 2 --time 1 --half-life 60s x.txt
1.500	b
1	c
0.750	a
$ ballpark top -f 2 --time 1 --half-life 1m --ci x.txt
1.500	1.499	1.501	0.461528	certain	b
1	0.999	1.001	0.307685	certain	c
0.750	0.749	0.751	0.23074	certain	a
$ ballpark top -f 2 --time 1 --half-life 1m --csv --min-count 1 x.txt
key,estimate,lower,upper,share,certain
b,1.500,1.499,1.501,0.461528,true
c,1,0.999,1.001,0.307685,false
$ ballpark top -f 2 --time 1 --half-life 1m --json x.txt | sed 's/"seconds.*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"topk","exact":false,"rows":[{"key":"b","estimate":1.5,"lower":1.499,"upper":1.501,"share":0.461527541,"certain":true},{"key":"c","estimate":1,"lower":0.999,"upper":1.001,"share":0.307685027,"certain":true},{"key":"a","estimate":0.75,"lower":0.749,"upper":0.751,"share":0.23074011,"certain":true}],"total":3.25007954,"ceiling":0.000615195825,"confidence":1.0,"records":6,"bytes":36,"bad_records":0,
# In whatever order they come: the last one is late, and the clock stays.
$ ballpark build topk -f 2 --time 1 --half-life 1m -o y.bpk x.txt; ballpark info y.bpk | grep '^half\|^now\|^total'
half_life            60
now                  220
total                3
$ ballpark build cms -f 2 --time 1 --half-life 1m -o x.bpk x.txt; ballpark info x.bpk | grep '^half\|^now\|^cell\|^health'
cell_bytes           8
half_life            60
now                  220
health               ok
$ ballpark count --ci x.bpk -k a -k b -k c -k d
0.750	0.749	0.751	a
1.500	1.498	1.501	b
1	0.999	1.001	c
0	0	0	d
$ ballpark count --csv x.bpk -k a -k d
key,estimate,lower,upper,exact,flags
a,0.750,0.749,0.751,false,one-sided
d,0,0,0,true,exact one-sided
$ ballpark top y.bpk; ballpark count y.bpk -k b
1.500	b
1	c
0.750	a
1.500	b
# What is added later, and a union of different times.
$ echo '280 a' | ballpark build topk -f 2 --time 1 --append -o y.bpk -; ballpark top y.bpk
1.375	a
0.750	b
0.500	c
$ echo '160 z' | ballpark build topk -f 2 --time 1 --half-life 1m -o z.bpk -
$ ballpark merge y.bpk z.bpk -o both.bpk; ballpark merge z.bpk y.bpk -o turned.bpk; cmp both.bpk turned.bpk; ballpark top both.bpk
1.375	a
0.750	b
0.500	c
0.250	z
$ echo '340 z' | ballpark top -f 2 --time 1 both.bpk -
1.125	z
0.687	a
0.375	b
0.250	c
# A thousand years are no time.
$ echo '32000000000 q' | ballpark top -f 2 --time 1 y.bpk -
1	q
# Records come now, without --time.
$ for i in 1 2 3; do echo a; done | ballpark top --half-life 52w
~ 3*	a
$ seq 3 | ballpark build cms --half-life 52w -o n.bpk; ballpark info n.bpk | grep -c '^now  *[1-9]'
1
# What does not go together.
$ ballpark build cms -f 2 -o u.bpk x.txt; ballpark merge x.bpk u.bpk -o w.bpk
ballpark: u.bpk: does not fit x.bpk: half_life is 60 there and 0 here
[exit 4]
$ ballpark build topk -f 2 --half-life 2m --time 1 -o w.bpk x.txt y.bpk
ballpark: y.bpk: does not fit the new sketch: half_life is 120 there and 60 here
[exit 4]
$ ballpark build topk --append -o y.bpk --half-life 61s x.txt
ballpark: y.bpk: does not fit: half_life is 60 there and 61s by --half-life
[exit 4]
$ ballpark top --half-life 61s y.bpk
ballpark: y.bpk: does not fit: half_life is 60 there and 61s by --half-life
[exit 4]
$ ballpark top --time 1 -f 2 x.txt
ballpark: top: --time needs a --window or a --half-life, such as 24h
[exit 2]
$ ballpark top --time 1 y.bpk
ballpark: y.bpk: is a sketch; options that say how records are read are of text
[exit 2]
$ ballpark build topk -o v.bpk -f 2 x.txt; ballpark top -f 2 --time 1 v.bpk x.txt
ballpark: v.bpk: does not fit: it has no window and no half-life, and --time asks for one
[exit 4]
$ ballpark build cms --time 1 -f 2 -o w.bpk x.txt
ballpark: build: --time needs a --window of time or a --half-life, such as 24h
[exit 2]
$ ballpark build hll --half-life 4s -o w.bpk x.txt
ballpark: hll does not take --half-life
[exit 2]
$ ballpark build bloom --half-life 4s --window 4s --capacity 10 -o w.bpk x.txt
ballpark: --half-life and --window contradict each other
[exit 2]
$ ballpark build cms --half-life 4s --cell-bytes 2 -o w.bpk x.txt
ballpark: --cell-bytes 2 and --half-life contradict each other: it takes 4 or 8
[exit 2]
$ ballpark top --half-life 4s --exact-limit 10 x.txt
ballpark: --half-life and --exact-limit contradict each other
[exit 2]
$ ballpark top --half-life 0s x.txt
ballpark: --half-life 0s: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
[exit 2]
$ ballpark top --half-life 4s -f 2 x.txt; ballpark top --half-life 4s -f 2 < x.txt; ballpark top --half-life 1m -f 2 x.txt y.bpk
ballpark: --half-life 4s on files needs --time FIELD, or --save: what they hold comes in one moment
ballpark: --half-life 4s on files needs --time FIELD, or --save: what they hold comes in one moment
ballpark: --half-life 1m on files needs --time FIELD, or --save: what they hold comes in one moment
[exit 2]
$ ballpark top --half-life 4s -f 2 --save now.bpk x.txt > out; ballpark info now.bpk | grep '^half_life'
half_life            4
$ ballpark top --half-life 600 x.txt
ballpark: --half-life 600: out of range: whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w
[exit 2]
$ ballpark count --half-life 1m x.txt -k a
ballpark: count does not take --half-life
[exit 2]
$ ballpark top --half-life 1m --time 1 -f 2 --strict y.bpk u.bpk
ballpark: y.bpk: is a sketch; options that say how records are read are of text
[exit 2]
# Plans.
$ ballpark plan count --half-life 10m --total 100k | grep 'half\|^error\|^twice\|^bytes\|^ballpark'
parameters.half_life          600
bytes                         54380 (53.1 KiB)
error_items                   200
twice.total                   200000
twice.error_items             400
twice.may_saturate            no
twice.what                    the share epsilon stays, so that the error grows with the total
ballpark build cms --epsilon 0.001 --delta 0.01 --half-life 600s --cell-bytes 4 -o FILE
$ ballpark plan count --half-life 10m --total 1M | grep '^bytes\|^ballpark'
bytes                         108760 (106 KiB)
ballpark build cms --epsilon 0.001 --delta 0.01 --half-life 600s -o FILE
$ ballpark plan top --half-life 1d | tail -1
ballpark build topk --rows 10 --half-life 86400s -o FILE
