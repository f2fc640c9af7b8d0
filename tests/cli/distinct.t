# distinct: the number, the interval, the formats
$ printf 'a\nb\na\nc\n' > f
$ ballpark distinct f
3
$ ballpark distinct --ci f
3 (exact)
$ ballpark distinct < f
3
$ ballpark distinct - < f
3
$ cat f | ballpark distinct
3
$ ballpark distinct f f
3
$ ballpark distinct --csv f
estimate,lower,upper,confidence,exact,records,flags
3,3,3,0.95,true,4,exact
$ ballpark distinct --json f | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","estimate":3,"lower":3,"upper":3,"confidence":0.95,"exact":true,"flags":["exact"],"records":4,"bytes":8,"bad_records":0,"seconds":S}
$ ballpark distinct -o out f && cat out
3
$ ballpark distinct -q f
3
$ ballpark distinct --verbose f 2>&1 | sed 's/[0-9.]* s,/S s,/; s/[0-9]* thread.*,/T,/'
3
ballpark: 4 records, 8 bytes, S s, T, method exact

# over the exact limit the interval is honest, and never over the number of records
$ seq 1000 > k
$ ballpark distinct --exact-limit 1000 --ci k
1000 (exact)
$ ballpark distinct --exact-limit 999 --ci k
1000 (95 %: 1000 to 1000)
$ ballpark distinct --exact-limit 0 --csv k
estimate,lower,upper,confidence,exact,records,flags
1000,1000,1000,0.95,false,1000,one-sided
$ seq 200000 > n
$ ballpark distinct n
200000
$ ballpark distinct --ci n
200000 (95 %: 198276 to 200000)
$ ballpark distinct --ci=99 n
200000 (99 %: 197604 to 200000)
$ ballpark distinct --ci 99 n
200000 (99 %: 197604 to 200000)
$ ballpark distinct --ci=99.9% n
200000 (99.9 %: 196827 to 200000)
$ ballpark distinct --ci --error 0.2% n
199870 (95 %: 199472 to 200000)
$ ballpark distinct --ci --precision 10 n
200000 (95 %: 200000 to 200000)
$ ballpark distinct --ci --precision 10 --window-bits 0 n
200000 (95 %: 198484 to 200000)
$ ballpark distinct --exact-limit 1M --ci n
200000 (exact)
$ ballpark distinct --exact-limit 1M --mem 1M --ci n
200000 (95 %: 198276 to 200000)

# the answer and the sketch do not depend on the threads
$ cat n k n > nk
$ for j in 1 2 4; do ballpark distinct -j $j --ci --save s$j.bpk nk; done
200430 (95 %: 198276 to 202608)
200430 (95 %: 198276 to 202608)
200430 (95 %: 198276 to 202608)
$ cmp s1.bpk s2.bpk && cmp s1.bpk s4.bpk
$ for j in 1 2 4; do ballpark distinct -j $j --exact-limit 200k --ci --save e$j.bpk nk n k; done
200000 (exact)
200000 (exact)
200000 (exact)
$ cmp e1.bpk e2.bpk && cmp e1.bpk e4.bpk && cmp e1.bpk s1.bpk
$ for j in 1 2 4; do ballpark distinct -j $j --exact-limit 199999 --ci nk n k; done
200430 (95 %: 198276 to 202608)
200430 (95 %: 198276 to 202608)
200430 (95 %: 198276 to 202608)

# saved sketches are inputs
$ ballpark distinct s1.bpk
200430
$ ballpark distinct --ci s1.bpk
200430 (95 %: 198276 to 202608)
$ seq 100001 300000 > m
$ ballpark distinct --save m.bpk m
198858
$ ballpark distinct --ci s1.bpk m.bpk
298609 (95 %: 295312 to 301943)
$ ballpark distinct --ci s1.bpk m
298609 (95 %: 295312 to 301943)
$ ballpark distinct --ci m s1.bpk
298609 (95 %: 295312 to 301943)
$ ballpark distinct --json s1.bpk m.bpk | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"hll","estimate":298609,"lower":295312,"upper":301943,"confidence":0.95,"exact":false,"flags":[],"records":0,"bytes":0,"bad_records":0,"seconds":S}
$ ballpark distinct --save - k > k.bpk
1000
$ ballpark distinct k.bpk
1000
$ ballpark distinct --save - k 2>/dev/null | ballpark distinct --ci
1000 (95 %: 1000 to 1000)
$ ballpark distinct --save - --base64 f 2>/dev/null | wc -l
1
$ ballpark distinct --save b64 --base64 f; base64 -d b64 | ballpark distinct
3
3
$ ballpark distinct b64
3
$ ballpark distinct --save v.bpk --form view k; ballpark distinct v.bpk; cmp -s v.bpk k.bpk || echo other bytes, same answer
1000
1000
other bytes, same answer
$ ballpark distinct --save l.bpk --label 'a week' f; ballpark info l.bpk | grep label
3
label                a week

# a precision that is asked for reduces the sketches
$ ballpark distinct --ci --precision 10 s1.bpk
211225 (95 %: 201631 to 221275)
$ ballpark distinct --json --precision 10 s1.bpk k | grep -o '"flags":[^]]*]'
"flags":["reduced"]

# domains
$ ballpark distinct --hash-seed 7 --save seven.bpk k
1000
$ ballpark distinct --hash-seed 0x7 --save seven2.bpk k && cmp seven.bpk seven2.bpk
1000
$ ballpark distinct seven.bpk k
1000
$ ballpark distinct --hash-seed 7 seven.bpk k
1000
$ ballpark distinct --hash-seed 8 seven.bpk k
ballpark: seven.bpk: does not fit: seed is 7 there and 8 by --hash-seed
[exit 4]
$ ballpark distinct --hash-seed 8 seven.bpk
ballpark: seven.bpk: does not fit: seed is 7 there and 8 by --hash-seed
[exit 4]
$ ballpark distinct seven.bpk s1.bpk
ballpark: s1.bpk: does not fit seven.bpk: seed is 7 there and 0 here
[exit 4]
$ printf '7\n+7\n007\n-7\n' > i
$ ballpark distinct i
4
$ ballpark distinct --as int --save int.bpk i
2
$ ballpark distinct --as bytes i
4
$ ballpark distinct int.bpk i
2
$ ballpark distinct --as bytes int.bpk i
ballpark: int.bpk: does not fit: type is integer there and bytes by --as
[exit 4]
$ ballpark distinct int.bpk k.bpk
ballpark: k.bpk: does not fit int.bpk: type is integer there and bytes here
[exit 4]
$ ballpark distinct --as int int.bpk i
2

# a filter knows how many items it holds
$ ballpark build bloom --capacity 10k --fpr 1% -o filter.bpk k && ballpark distinct --ci filter.bpk
1003 (95 %: 997 to 1008)
$ ballpark distinct filter.bpk k.bpk
ballpark: k.bpk: does not fit filter.bpk: kind is bloom there and hll here
[exit 4]

# a sketch may be saved over itself
$ seq 500 > s; ballpark distinct --save run.bpk s; seq 501 1000 > s; ballpark distinct --save run.bpk run.bpk s
500
1000

# a damaged file among good ones is never counted around; one that is missing is said
$ ballpark distinct k.bpk missing
ballpark: missing: No such file or directory
1000
[exit 3]
