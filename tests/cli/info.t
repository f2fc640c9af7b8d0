# info: counts as distinct prints them, the limits outwards
$ for n in 900 1005 3100 4321 10000 54321; do seq $n > n; ballpark build hll -o h.bpk n; ballpark build bloom --capacity 60k --fpr 1% -o b.bpk n; for s in h b; do ballpark info $s.bpk | sed -n 's/^\(distinct\|items\) *//p'; ballpark distinct --ci $s.bpk; done; done | uniq -c | grep -vc '^ *2 '
0
[exit 1]

# an estimate in JSON is an object, also when it is exact; a number that is known is a number
$ seq 10000 > n; ballpark build hll -o h.bpk n
$ ballpark info --json h.bpk | grep -o '"distinct":[^}]*}\|"tokens_up_to":[0-9]*' | head -2
"distinct":{"estimate":10007,"lower":9928,"upper":10086,"confidence":0.95,"exact":false,"flags":[]}
"tokens_up_to":3072
$ : | ballpark build hll -o h.bpk; ballpark info --json h.bpk | grep -o '"distinct":[^}]*}' | uniq
"distinct":{"estimate":0,"lower":0,"upper":0,"confidence":0.95,"exact":true,"flags":["exact"]}
$ : | ballpark build bloom --capacity 10 --fpr 1% -o b.bpk; ballpark info --json b.bpk | grep -o '"items":[^}]*}\|"planned_items":[0-9]*' | sort -u
"items":{"estimate":0,"lower":0,"upper":0,"confidence":0.95,"exact":true,"flags":["exact"]}
"planned_items":10
$ ballpark info b.bpk | grep '^items\|^planned_items'
planned_items        10
items                0 (exact)
$ seq 5 | ballpark build hll -o h.bpk; ballpark info --json h.bpk | grep -o '"distinct":[^}]*}' | uniq
"distinct":{"estimate":5,"lower":5,"upper":5,"confidence":0.95,"exact":false,"flags":["one-sided"]}
