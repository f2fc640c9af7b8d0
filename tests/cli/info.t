# info: counts as distinct prints them, the limits outwards
$ for n in 900 1005 3100 4321 10000 54321; do seq $n > n; ballpark build hll -o h.bpk n; ballpark build bloom --capacity 60k --fpr 1% -o b.bpk n; for s in h b; do ballpark info $s.bpk | sed -n 's/^items *//p'; ballpark distinct --ci $s.bpk; done; done | uniq -c | grep -vc '^ *2 '
0
[exit 1]

# an estimate in JSON is an object, also when it is exact; a number that is known is a number
$ seq 10000 > n; ballpark build hll -o h.bpk n
$ ballpark info --json h.bpk | grep -o '"items":[^}]*}\|"tokens_up_to":[0-9]*' | head -2
"items":{"estimate":10007,"lower":9928,"upper":10086,"confidence":0.95,"exact":false,"flags":[]}
"tokens_up_to":3072
$ : | ballpark build hll -o h.bpk; ballpark info --json h.bpk | grep -o '"items":[^}]*}' | uniq
"items":{"estimate":0,"lower":0,"upper":0,"confidence":0.95,"exact":true,"flags":["exact"]}
$ : | ballpark build bloom --capacity 10 --fpr 1% -o b.bpk; ballpark info --json b.bpk | grep -o '"items":[^}]*}\|"planned_items":[0-9]*' | sort -u
"items":{"estimate":0,"lower":0,"upper":0,"confidence":0.95,"exact":true,"flags":["exact"]}
"planned_items":10
$ ballpark info b.bpk | grep '^items\|^planned_items'
planned_items        10
items                0 (exact)
$ seq 5 | ballpark build hll -o h.bpk; ballpark info --json h.bpk | grep -o '"items":[^}]*}' | uniq
"items":{"estimate":5,"lower":5,"upper":5,"confidence":0.95,"exact":false,"flags":["one-sided"]}

# health: one list of fields, one state
$ seq 100000 > n; ballpark build bloom --capacity 100k -o b.bpk n; ballpark info b.bpk | sed -n '/^health/,$p'
ballpark: build: health of bloom is warn: as many items as planned, or more
health               warn
load                 1.001 (95 %: 0.9992 to 1.003)
error_now            0.01008
reason               as many items as planned, or more
$ ballpark build hll -o h.bpk n; ballpark info h.bpk | sed -n '/^health/,$p'
health               ok
fill                 0.9973
saturated            0
chi_square           247.4
chi_square_freedom   255
chi_square_sigmas    -0.312
error_now            0.005944
reason               within its range
$ ballpark build cms -o c.bpk n; ballpark info c.bpk | sed -n '/^health/,$p'
health               ok
fill                 1
error_now            0.00016
reason               every counter has room
$ ballpark build topk -o t.bpk n; ballpark info t.bpk | sed -n '/^health/,$p'
health               ok
fill                 1
saturated            0
error_now            0.00033
reason               within its range
$ ballpark info --json h.bpk | grep -o '"health":{.*}' | grep -o '"chi_square_freedom":[^,]*\|"error_now":[^,]*\|"state":[^,}]*'
"chi_square_freedom":255
"error_now":0.00594421875
"state":"ok"

# a tolerated rate or error is stored with the sketch, and survives appending and merging
$ ballpark build bloom --capacity 100k --on-full degrade --tolerate 0.5% -o b.bpk n; ballpark info --check b.bpk | tail -5
ballpark: build: health of bloom is over: half as much error again as tolerated, or more
health               over
load                 1.001 (95 %: 0.9992 to 1.003)
error_now            0.01008
tolerated            0.005
reason               half as much error again as tolerated, or more
$ seq 100001 110000 | ballpark build bloom --append -q -o b.bpk; ballpark info b.bpk | grep '^tolerated'
tolerated            0.005
$ ballpark merge b.bpk b.bpk -q -o m.bpk; ballpark info m.bpk | grep '^tolerated'
tolerated            0.005
$ ballpark distinct --save d.bpk --tolerate 1% n; ballpark info --check d.bpk | tail -3
100000
error_now            0.005944
tolerated            0.01
reason               within its range
$ ballpark distinct --save d.bpk --precision 8 --tolerate 4% n
100000
ballpark: distinct: health of d.bpk is warn: more error than tolerated
$ ballpark info d.bpk | tail -3
error_now            0.04755
tolerated            0.04
reason               more error than tolerated
$ seq 10 | ballpark dedup -q -c --state s.bpk --tolerate 0.1%; ballpark info s.bpk | grep '^tolerated'
unique	10
total	10
tolerated            0.001

# exit codes for scripts: --check not ok, --fail-over over, --fail-over=SHARE a larger error
$ ballpark build bloom --capacity 90k --on-full degrade -q -o w.bpk n; ballpark build bloom --capacity 50k --on-full degrade -q -o o.bpk n
$ for f in h w o; do for x in --check --fail-over --fail-over=2% --fail-over=20%; do ballpark info -q $x $f.bpk; echo "$f $x $?"; done; done
h --check 0
h --fail-over 0
h --fail-over=2% 0
h --fail-over=20% 0
w --check 1
w --fail-over 0
w --fail-over=2% 0
w --fail-over=20% 0
o --check 1
o --fail-over 1
o --fail-over=2% 1
o --fail-over=20% 1
$ ballpark info -q --fail-over o.bpk h.bpk
[exit 1]
$ ballpark info -q --fail-over 2% w.bpk
$ ballpark info -q --fail-over w.bpk
$ ballpark info --fail-over=0 h.bpk
ballpark: --fail-over 0: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark info --fail-over=200% h.bpk
ballpark: --fail-over 200%: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark info --fail-over= h.bpk
ballpark: --fail-over '': out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark build hll --tolerate 0 -o x.bpk n
ballpark: --tolerate 0: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark build hll --tolerate 2 -o x.bpk n
ballpark: --tolerate 2: out of range: a share such as 1% or 0.001, above 0 and up to 1
[exit 2]
$ ballpark distinct --tolerate 1% n
ballpark: --tolerate needs --save
[exit 2]
$ ballpark dedup --tolerate 1% n
ballpark: --tolerate needs --state
[exit 2]
