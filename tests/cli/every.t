# distinct --every: one row a pane, when it began and how many different
$ printf '%s\n' '2026-03-29T05:30Z c y' '2026-03-29T00:30Z a x' '2026-03-29T01:30Z b x' '2026-03-29T01:40Z a y' '2026-03-29T01:50Z a y' > l
$ ballpark distinct --every 1h --time 1:iso -f 2 l
2026-03-29T00:00:00+00:00	1
2026-03-29T01:00:00+00:00	2
2026-03-29T02:00:00+00:00	0
2026-03-29T03:00:00+00:00	0
2026-03-29T04:00:00+00:00	0
2026-03-29T05:00:00+00:00	1
$ ballpark distinct --every 1h --time 1:iso -f 2 --tz Europe/Berlin l
2026-03-29T01:00:00+01:00	1
2026-03-29T03:00:00+02:00	2
2026-03-29T04:00:00+02:00	0
2026-03-29T05:00:00+02:00	0
2026-03-29T06:00:00+02:00	0
2026-03-29T07:00:00+02:00	1
$ ballpark distinct --every 1h --time 1:iso -f 2 --ci --tz -03:30 < l
2026-03-28T21:00:00-03:30	1	1	1
2026-03-28T22:00:00-03:30	2	2	2
2026-03-28T23:00:00-03:30	0	0	0
2026-03-29T00:00:00-03:30	0	0	0
2026-03-29T01:00:00-03:30	0	0	0
2026-03-29T02:00:00-03:30	1	1	1
$ ballpark distinct --every 2h --time 1:iso -f 2 --csv l
time,estimate,lower,upper,confidence,exact,records,flags
2026-03-29T00:00:00+00:00,2,2,2,0.95,true,4,exact
2026-03-29T02:00:00+00:00,0,0,0,0.95,true,0,exact
2026-03-29T04:00:00+00:00,1,1,1,0.95,true,1,exact
$ ballpark distinct --every 6h --time 1:iso -f 2 --json l | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"every_seconds":21600,"tz":"UTC","confidence":0.95,"rows":[{"time":"2026-03-29T00:00:00+00:00","estimate":3,"lower":3,"upper":3,"exact":true,"flags":["exact"],"records":5}],"late_records":0,"gaps":0,"records":5,"bytes":110,"bad_records":0,"seconds":S}
$ ballpark distinct --every 1d --time 1:iso -f 2,3 l
2026-03-29T00:00:00+00:00	4
$ ballpark distinct --every 1d --time 1:iso -f 2,3 -o out l && cat out
2026-03-29T00:00:00+00:00	4

# of each group of a pane, the largest first, equal ones by name
$ ballpark distinct --every 1h --time 1:iso -f 2 -g 3 l
2026-03-29T00:00:00+00:00	1	x
2026-03-29T01:00:00+00:00	1	x
2026-03-29T01:00:00+00:00	1	y
2026-03-29T05:00:00+00:00	1	y
$ ballpark distinct --every 3h --time 1:iso -f 2 -g 3 --csv l
time,key,estimate,lower,upper,confidence,exact,records,flags
2026-03-29T00:00:00+00:00,x,2,2,2,0.95,true,2,exact
2026-03-29T00:00:00+00:00,y,1,1,1,0.95,true,2,exact
2026-03-29T03:00:00+00:00,y,1,1,1,0.95,true,1,exact
$ ballpark distinct --every 3h --time 1:iso -f 2 -g 3 --json l | grep -o '"rows.*}]'
"rows":[{"time":"2026-03-29T00:00:00+00:00","key":"x","estimate":2,"lower":2,"upper":2,"exact":true,"flags":["exact"],"records":2},{"time":"2026-03-29T00:00:00+00:00","key":"y","estimate":1,"lower":1,"upper":1,"exact":true,"flags":["exact"],"records":2},{"time":"2026-03-29T03:00:00+00:00","key":"y","estimate":1,"lower":1,"upper":1,"exact":true,"flags":["exact"],"records":1}]
$ (cat l; echo 2026-03-29T01:30Z b y; echo 2026-03-29T01:30Z c y) | ballpark distinct --every 1d --time 1:iso -f 2 -g 3 --ci
2026-03-29T00:00:00+00:00	3	3	3	y
2026-03-29T00:00:00+00:00	2	2	2	x
$ printf '5;1;a,b\n5;2;c"d\n' | ballpark distinct -d ';' --every 1d --time 1 -f 2 -g 3 --csv
time,key,estimate,lower,upper,confidence,exact,records,flags
1970-01-01T00:00:00+00:00,"a,b",1,1,1,0.95,true,1,exact
1970-01-01T00:00:00+00:00,"c""d",1,1,1,0.95,true,1,exact
$ printf '5 1 \377\n5 1 b\0005 1 \377\n\0' | ballpark distinct -z -d ' ' --every 1d --time 1 -f 2 -g 3 | od -An -c
   1   9   7   0   -   0   1   -   0   1   T   0   0   :   0   0
   :   0   0   +   0   0   :   0   0  \t   1  \t 377  \n  \0   1
   9   7   0   -   0   1   -   0   1   T   0   0   :   0   0   :
   0   0   +   0   0   :   0   0  \t   1  \t 377  \n   5  \0
$ seq 20000 | sed 's/^/5 a /' | ballpark distinct --exact-limit 0 --every 1d --time 1 -f 3 -g 2 --ci
1970-01-01T00:00:00+00:00	19968	19589	20000	a
$ seq 20000 | sed 's/^/5 a /' | ballpark distinct --exact-limit 0 --every 1d --time 1 -f 3 --ci
1970-01-01T00:00:00+00:00	20000	19902	20000

# access logs; weeks from Monday on
$ printf '%s - - [%s] "GET / HTTP/1.1" 200 1\n' 10.0.0.1 '31/Dec/2025:23:59:59 +0000' 10.0.0.2 '01/Jan/2026:00:59:59 +0100' 10.0.0.1 '01/Jan/2026:00:00:00 +0000' > log
$ ballpark distinct -f ip --every 1d --format log --time time log
2025-12-31T00:00:00+00:00	2
2026-01-01T00:00:00+00:00	1
$ ballpark distinct -f ip --every 1w --tz Europe/Berlin --format log --time time log
2025-12-29T00:00:00+01:00	2

# days across daylight saving, a leap day, a leap second, the ends of time
$ for t in 2026-10-25T00:00+02:00 2026-10-25T23:59:59+01:00 2026-10-26T00:00+01:00 2026-03-29T23:59+02:00; do echo $t x; done > dst; ballpark distinct --every 24h --tz Europe/Berlin --time 1:iso -f 1 dst | grep -v '	0$'
2026-03-29T00:00:00+01:00	1
2026-10-25T00:00:00+02:00	2
2026-10-26T00:00:00+01:00	1
$ printf '%s x\n' 2024-02-28T12:00Z 2024-03-01T00:00Z 2024-02-29T23:59:60Z | ballpark distinct --every 1d --time 1:iso
2024-02-28T00:00:00+00:00	1
2024-02-29T00:00:00+00:00	0
2024-03-01T00:00:00+00:00	2
$ printf '0 a\n253402300799 b\n253402300800 c\n-1 d\n' | ballpark distinct --every 5300w --time 1 -f 2 2>&1 | sed 's/^\(....-..-..\).*\t/\1 /' | sed -n '1,4p;$p'
ballpark: 2 of 4 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
1868-06-08 1
1970-01-05 0
2071-08-03 0
9994-07-18 1

# what is missing or wrong
$ printf 'x\n\ny 3\n' > bad; ballpark distinct --every 1h --time 2 -f 1 bad
ballpark: 1 of 3 records lack a chosen field and were left out
ballpark: 1 of 3 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
1970-01-01T00:00:00+00:00	1
[exit 3]
$ ballpark distinct --every 1h --time 1 bad
ballpark: 3 of 3 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
[exit 3]
$ ballpark distinct --every 1h --time 1 --csv bad
time,estimate,lower,upper,confidence,exact,records,flags
ballpark: 3 of 3 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
[exit 3]
$ ballpark distinct --every 1h --time 1 --strict bad
ballpark: bad: record 1: no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more)
[exit 3]
$ ballpark distinct --every 1h --time 1 /dev/null
$ for s in 0 0h -1h 1.5h 1 h 5301w 1e30h 100ms '' 1y; do ballpark distinct --every "$s" --time 1 l; done
ballpark: --every 0: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 0h: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every -1h: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 1.5h: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 1: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every h: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 5301w: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 1e30h: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 100ms: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every '': out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
ballpark: --every 1y: out of range: whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w
[exit 2]
$ ballpark distinct --every 1h l
ballpark: --every needs --time FIELD: when a record came
[exit 2]
$ ballpark distinct --time 1 l
ballpark: distinct: --time needs a --window or --every, such as 24h
[exit 2]
$ for w in '' '--window 1h' --live; do ballpark distinct --lateness 1h $w l; done
ballpark: --lateness needs --every
ballpark: --lateness needs --every
ballpark: --lateness needs --every
[exit 2]
$ ballpark distinct --every 1h --time 1 --lateness 1 l
ballpark: --lateness 1: out of range: whole numbers of s, m, h, d or w: 0s, 90s, 10m, 1h
[exit 2]
$ ballpark distinct --every 1h --tz Nowhere --time 1 l
ballpark: --tz Nowhere: out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
[exit 2]
$ ballpark distinct --every 1h --time 1:%H l
ballpark: --time: the format %H cannot be read: it has no year
[exit 2]
$ ballpark distinct --every 1h --time time l
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark distinct --every 1h --time 1 -g 1,2 l
ballpark: --group 1,2: out of range: one field, as of -f
[exit 2]
$ ballpark top --every 1h --time 1 l
ballpark: top does not take --every
[exit 2]
$ ballpark distinct --save s.bpk -q l && ballpark distinct --every 1h --time 1 s.bpk
5
ballpark: s.bpk: is a sketch; distinct --every reads records
[exit 2]
$ ballpark distinct --time 1 -g 1 l
ballpark: distinct: --time needs a --window or --every, such as 24h
[exit 2]
$ ballpark distinct --every 1h --time 1 -g 1 --top 3 l
ballpark: --top and --every contradict each other: all groups of a pane have rows
[exit 2]
$ ballpark distinct --every 1h --time 1 -g 1 --groups 3 l
ballpark: --groups and --every contradict each other: all groups of a pane have rows
[exit 2]
$ ballpark distinct --every 1h --time 1:iso l missing
ballpark: missing: No such file or directory
2026-03-29T00:00:00+00:00	1
2026-03-29T01:00:00+00:00	3
2026-03-29T02:00:00+00:00	0
2026-03-29T03:00:00+00:00	0
2026-03-29T04:00:00+00:00	0
2026-03-29T05:00:00+00:00	1
[exit 3]

# one wrong time does not make millions of rows
$ (cat l; echo 2100-01-01 z w) | ballpark distinct --every 1h --time 1:iso -f 2 --tz +01:00
ballpark: distinct: more than 10000 panes without records have no rows: from 2026-03-29T07:00:00+01:00 to 2100-01-01T00:00:00+01:00
2026-03-29T01:00:00+01:00	1
2026-03-29T02:00:00+01:00	2
2026-03-29T03:00:00+01:00	0
2026-03-29T04:00:00+01:00	0
2026-03-29T05:00:00+01:00	0
2026-03-29T06:00:00+01:00	1
2100-01-01T00:00:00+01:00	1
$ (cat l; echo 2100-01-01 z w) | ballpark distinct --every 1h --time 1:iso -f 2 --json -q | grep -o '"gaps":1'
"gaps":1
$ printf '0 a\n10001 b\n' | ballpark distinct --every 1s --time 1 -f 2 | sort -k2n | sed -n '1p;$p' && printf '0 a\n10001 b\n' | ballpark distinct --every 1s --time 1 -f 2 | wc -l
1970-01-01T00:00:01+00:00	0
1970-01-01T02:46:41+00:00	1
10002
$ printf '0 a\n10002 b\n' | ballpark distinct --every 1s --time 1 -f 2
ballpark: distinct: more than 10000 panes without records have no rows: from 1970-01-01T00:00:01+00:00 to 1970-01-01T02:46:42+00:00
1970-01-01T00:00:00+00:00	1
1970-01-01T02:46:42+00:00	1

# a sketch a pane, and the week is the union of its days
$ for d in 1 2 3 4 5 6 7; do seq $((d * 1000)) $((d * 1000 + 2999)) | sed "s/^/2026-06-0$d /"; done > week
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'day-%F.bpk' week && ls
2026-06-01T00:00:00+00:00	3000
2026-06-02T00:00:00+00:00	3000
2026-06-03T00:00:00+00:00	3000
2026-06-04T00:00:00+00:00	3000
2026-06-05T00:00:00+00:00	3000
2026-06-06T00:00:00+00:00	3000
2026-06-07T00:00:00+00:00	3000
bad
day-2026-06-01.bpk
day-2026-06-02.bpk
day-2026-06-03.bpk
day-2026-06-04.bpk
day-2026-06-05.bpk
day-2026-06-06.bpk
day-2026-06-07.bpk
dst
l
log
out
s.bpk
week
$ ballpark merge day-*.bpk | ballpark distinct
9003
$ ballpark distinct day-2026-06-01.bpk day-2026-06-02.bpk && sed -n 1,6000p week | ballpark distinct -f 2
3978
4000
$ ballpark distinct --every 1d --time 1:iso -f 2 --save day-2026-06-03.bpk week
ballpark: --save day-2026-06-03.bpk: with --every there is a file a pane, named by its time, such as day-%F.bpk
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'day-%' week
ballpark: --save day-%: its % is followed by no part of a time
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'day-%q' week
ballpark: --save day-%q: its % is followed by no part of a time
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save '%%' week
ballpark: --save %%: with --every there is a file a pane, named by its time, such as day-%F.bpk
[exit 2]
$ ballpark distinct --every 1h --time 1:iso -f 2 --save 'hour-%F' week
ballpark: --save hour-%F: several panes would be in one file
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'hour-%m' week
ballpark: --save hour-%m: several panes would be in one file
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'hour-%a-%F' -g 1 week
ballpark: --save and --group contradict each other: a file a pane, not one a group
[exit 2]
$ ballpark distinct --every 1d --time 1:iso -f 2 --save 'no/%F' week
ballpark: no/2026-06-01: cannot open: No such file or directory
2026-06-01T00:00:00+00:00	3000
2026-06-02T00:00:00+00:00	3000
2026-06-03T00:00:00+00:00	3000
2026-06-04T00:00:00+00:00	3000
2026-06-05T00:00:00+00:00	3000
2026-06-06T00:00:00+00:00	3000
2026-06-07T00:00:00+00:00	3000
[exit 2]
$ ballpark distinct -q --every 1d --time 1:iso --label x week
ballpark: --label needs --save
[exit 2]
$ (echo 2026-06-05 z; cat week; echo 2026-06-12 z) | ballpark distinct -q --every 1d --time 1:iso -f 2 --save 'week-%a.bpk' | tail -1; ls week-*
ballpark: --save week-%a.bpk: several panes would be in week-Fri.bpk
ls: cannot access 'week-*': No such file or directory
[exit 2]

# -j has no say, and neither has the order: also where memory makes sketches of exact sets
$ seq 200000 | awk '{ print int($1 / 3), $1 * 7919 % 50021, $1 % 7 }' > n; sort -R --random-source=n n > r
$ for j in 1 2 3; do ballpark distinct -j $j --every 1h --time 1 -f 2 --csv n; ballpark distinct -j $j --every 1h --time 1 -f 2 --csv r; done | sort | uniq -c | awk '{ print $1 }' | uniq -c
     20 6
$ for j in 1 2 3; do ballpark distinct -j $j --mem 500k --every 1h --time 1 -f 2 --csv n; ballpark distinct -j $j --mem 500k --every 1h --time 1 -f 2 --csv r; done | sort | uniq -c | awk '{ print $1 }' | uniq -c
     20 6
$ ballpark distinct --mem 500k --every 1h --time 1 -f 2 --csv n | sed -n 2p; ballpark distinct --every 1h --time 1 -f 2 --csv n | sed -n 2p
1970-01-01T00:00:00+00:00,10712,10627,10797,0.95,false,10799,
1970-01-01T00:00:00+00:00,10799,10799,10799,0.95,true,10799,exact
$ for j in 1 2; do ballpark distinct -j $j --every 20m -g 3 --time 1 -f 2 --exact-limit 0 --csv r; done | sort | uniq -c | awk '{ print $1 }' | uniq -c
    393 2
$ ballpark distinct --mem 100k --every 1m --time 1 -f 2 n
ballpark: distinct: 92 panes need more than --mem allows (102400 bytes); --lateness lets panes go that are over
[exit 5]
$ ballpark distinct --mem 100k --every 1w --time 1 -g 2 -f 1 n
ballpark: distinct: 4096 panes and groups need more than --mem allows (102400 bytes); --lateness lets panes go that are over
[exit 5]
$ ballpark distinct --mem 100k --every 1m --time 1 -f 2 --lateness 0s n | wc -l
1112
$ ballpark distinct --every 1h --time 1 -f 2 n > a; sort -n r | ballpark distinct --lateness 10s --every 1h --time 1 -f 2 | cmp a -

# --lateness prints what is over at once, and tells what came too late
$ printf '0 a\n3599 b\n3600 c\n3599 d\n3609 e\n3599 f\n3610 g\n3599 h\n7300 i\n' > late
$ ballpark distinct --every 1h --lateness 10s --time 1 -f 2 late
1970-01-01T00:00:00+00:00	4
1970-01-01T01:00:00+00:00	3
1970-01-01T02:00:00+00:00	1
ballpark: 1 of 9 records came later than --lateness allows and were left out (time is at 1970-01-01T02:01:40+00:00)
[exit 3]
$ ballpark distinct --every 1h --lateness 1d --time 1 -f 2 late
1970-01-01T00:00:00+00:00	5
1970-01-01T01:00:00+00:00	3
1970-01-01T02:00:00+00:00	1
$ ballpark distinct --every 1h --lateness 0s --time 1 -f 2 --json late | grep -o '"late_records":[0-9]*'
ballpark: 3 of 9 records came later than --lateness allows and were left out (time is at 1970-01-01T02:01:40+00:00)
"late_records":3
$ for j in 1 2 4; do ballpark distinct -j $j --every 1m --lateness 90s --time 1 -f 2 --csv r 2>&1; done | sort | uniq -c | awk '{ print $1 }' | uniq -c
    337 3
$ (printf '0 a\n3700 b\n7300 c\n'; exec sleep 3) | timeout -s INT 1 ballpark distinct --every 1h --lateness 0s --time 1 -f 2; true
1970-01-01T00:00:00+00:00	1
1970-01-01T01:00:00+00:00	1
$ (printf '0 a\n3700 b\n'; exec sleep 3) | timeout -s INT 1 ballpark distinct --every 1h --lateness 0s --time 1 -f 2 --save 'p-%H.bpk' > /dev/null; ls p-*
p-00.bpk
