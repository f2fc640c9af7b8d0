# distinct -g: how many different items in each group, the largest first, equal ones by name
$ printf 's1 d1\ns1 d1\ns2 d1\ns3 d2\ns4 d2\ns5 d2\ns1 d3\nx\n' > f
$ ballpark distinct -f 1 -g 2 f
ballpark: 1 of 8 records lack a chosen field and were left out
3	d2
2	d1
1	d3
[exit 3]
$ ballpark distinct -q -f 1 -g 2 --top 1 f
ballpark: 1 of 8 records lack a chosen field and were left out
3	d2
[exit 3]
$ head -7 f > good; ballpark distinct -f 1 -g 2 --top 1 good
3	d2
ballpark: distinct: no group without a row has more than 2 (95 %); 1 of 1 rows belong there for certain
$ ballpark distinct -f 1 -g 2 --top 5 good
3	d2
2	d1
1	d3
$ ballpark distinct -f 1 -g 2 --ci good
3	3	3	certain	d2
2	2	2	certain	d1
1	1	1	certain	d3
$ ballpark distinct -f 1 -g 2 --csv good
key,estimate,lower,upper,certain
d2,3,3,3,true
d1,2,2,2,true
d3,1,1,1,true
$ ballpark distinct -f 1 -g 2 --json --top 2 good | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"hll","rows":[{"key":"d2","estimate":3,"lower":3,"upper":3,"certain":true},{"key":"d1","estimate":2,"lower":2,"upper":2,"certain":true}],"ceiling":1,"confidence":0.95,"groups":3,"complete":true,"records":7,"bytes":42,"bad_records":0,"seconds":S}
$ ballpark distinct -g 2 -j 3 good; ballpark distinct -g 1 < /dev/null
3	d2
2	d1
1	d3
$ ballpark distinct -f 1 -g 2 -o out good; cat out
3	d2
2	d1
1	d3

# a full table refuses, or keeps the largest and says what the others have at most
$ ballpark distinct -f 1 -g 2 --groups 2 good
ballpark: distinct: more than 2 groups, which is all that --groups allows; --top N keeps the largest
[exit 5]
$ seq 300000 | awk '{ g = $1 % 3 ? "g" $1 % 7 : "x" $1; print $1 % 50000, g }' > many
$ ballpark distinct -f 1 -g 2 --top 7 --groups 50 many > bounded; wc -l < bounded
ballpark: distinct: no group without a row has more than 6335 (95 %); 7 of 7 rows belong there for certain
7
$ ballpark distinct -f 1 -g 2 many | head -7 | cut -f 2 | sort > all; cut -f 2 bounded | sort | cmp - all
$ ballpark distinct -f 1 -g 2 --top 3 --groups 50 --error 1% -j 4 many > a; ballpark distinct -f 1 -g 2 --top 3 --groups 50 --error 1% -j 1 many > b; cmp a b
ballpark: distinct: no group without a row has more than 31375 (95 %); 0 of 3 rows belong there for certain
ballpark: distinct: no group without a row has more than 31375 (95 %); 0 of 3 rows belong there for certain
$ ballpark distinct -f 1 -g 2 --mem 100k many
ballpark: distinct: more than 364 groups, which is all that --mem allows; --top N keeps the largest
[exit 5]

# what does not go together
$ ballpark distinct -g 2 --top 0 good
ballpark: --top 0: out of range: 1 to 2^20
[exit 2]
$ ballpark distinct -g 2 --groups 0 good
ballpark: --groups 0: out of range: 1 to 2^24
[exit 2]
$ ballpark distinct --top 3 good
ballpark: --top needs --group
[exit 2]
$ ballpark distinct --groups 3 good
ballpark: --groups needs --group
[exit 2]
$ ballpark distinct -g 1,2 good
ballpark: --group 1,2: out of range: one field, as of -f
[exit 2]
$ ballpark distinct -g 2 --save s.bpk good
ballpark: --group has an answer for each group, and --save takes one sketch
[exit 2]
$ ballpark build hll -o s.bpk good; ballpark distinct -g 2 s.bpk
ballpark: s.bpk: is a sketch; distinct --group reads records
[exit 2]
$ ballpark distinct --strict -g 2 f
ballpark: f: record 8: no such field
[exit 3]
$ ballpark distinct -g 2 --exact-limit 7 good
ballpark: --group counts by sketches from the first record: --exact-limit has no say
[exit 2]
$ ballpark distinct -g 2 --form view good
ballpark: --form needs --save
[exit 2]

# --window: each group has one, and the table forgets with them
$ printf '10 d q\n100 a x\n130 b x\n160 a y\n220 c x\n395 b y\n400 a x\n401 d y\n' > w
$ ballpark distinct -f 2 -g 3 --time 1 --window 5m w
3	x
3	y
$ ballpark distinct -f 2 -g 3 --time 1 --window 1m --panes 6 --top 1 --ci w
2	2	2	certain	y
ballpark: distinct: no group without a row has more than 1 (95 %); 1 of 1 rows belong there for certain
$ printf '401 e x\n200 e z\n' >> w; ballpark distinct -f 2 -g 3 --time 1 --window 1m w
2	x
2	y
ballpark: distinct: records older than the window, which were left out: 1 (it covers 1970-01-01T00:05:40+00:00 to 1970-01-01T00:06:41+00:00)
$ ballpark distinct -f 2 -g 3 --time 1 --window 5s --json w 2>/dev/null | sed 's/"seconds.*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"hll","rows":[{"key":"x","estimate":2,"lower":2,"upper":2,"certain":true},{"key":"y","estimate":1,"lower":1,"upper":1,"certain":true}],"ceiling":0,"confidence":0.95,"groups":2,"complete":true,"window":5,"panes":5,"window_from":"1970-01-01T00:06:36+00:00","window_to":"1970-01-01T00:06:41+00:00","late_records":1,"records":10,"bytes":79,"bad_records":0,
$ seq 100000 | awk '{ print int($1 / 10), $1 % 5000, $1 < 50000 ? "old" $1 % 90 : "new" $1 % 7 }' > turn; ballpark distinct -f 2 -g 3 --time 1 --window 10m --top 3 --groups 20 --json turn | grep -o '"key":"new[0-6]"\|"groups":[0-9]*'
"key":"new1"
"key":"new0"
"key":"new4"
"groups":7
$ for j in 1 4; do ballpark distinct -j $j -f 2 -g 3 --time 1 --window 1000s --top 9 --groups 20 turn 2>&1 | cksum; done | uniq | wc -l
1
$ printf 'a x\nb x\n' | ballpark distinct -f 1 -g 2 --window 1h; ballpark distinct -q -g 1 --window 1m --time 1 --json < /dev/null | grep -o '"window".*late_records'
2	x
"window":60,"panes":12,"window_from":null,"window_to":null,"late_records
$ ballpark distinct -f 1 -g 2 --window 1h w
ballpark: --window 1h on files needs --time FIELD: what they hold comes in one moment
[exit 2]
$ ballpark distinct -f 2 -g 3 --time 1 w
ballpark: distinct: --time needs a --window or --every, such as 24h
[exit 2]
$ ballpark distinct -f 2 -g 3 --time 1 --window 5s --panes 6 w
ballpark: --panes 6: out of range: 1 to 1024, and no more than the seconds of --window, which are 5
[exit 2]
$ ballpark distinct -f 2 -g 3 --time 1 --window 5s --mem 5k w
ballpark: over the memory limit
[exit 5]
