# plan: membership, both layouts, twice the plan, the exact set beside it
$ ballpark plan membership --items 1M --fpr 1%
question                      membership
kind                          bloom
parameters.items              1000000
parameters.rate               0.01
memory_bytes                  1262695 (1.2 MiB)
file_bytes_at_most            1262600 (1.2 MiB)
sketches                      1
all_memory_bytes              1262695 (1.2 MiB)
all_file_bytes_at_most        1262600 (1.2 MiB)
bound                         no is certain; yes is false with this rate at most, up to the planned items
rate                          0.01
blocked.bits                  10099712
blocked.hashes                8
blocked.bits_per_item         10.1
blocked.memory_bytes          1262695 (1.2 MiB)
blocked.file_bytes_at_most    1262600 (1.2 MiB)
blocked.rate_at_plan          0.009998
blocked.rate_at_twice         0.1667
classic.bits                  9585059
classic.hashes                7
classic.bits_per_item         9.585
classic.memory_bytes          1198367 (1.14 MiB)
classic.file_bytes_at_most    1198272 (1.14 MiB)
classic.rate_at_plan          0.01004
classic.rate_at_twice         0.1575
twice.items                   2000000
twice.rate                    0.1667
twice.what                    refused from 150 % of the plan on; with on_full degrade this rate
exact.structure               set of 64-bit hashes
exact.memory_bytes            16777320 (16 MiB)
exact.all_memory_bytes        16777320 (16 MiB)
exact.no_larger_up_to         98304
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited

ballpark build bloom --capacity 1000000 --fpr 0.01 -o FILE
$ ballpark plan membership --items 1000000 --fpr 0.01 --json | grep -o '"classic":{[^}]*}'
"classic":{"bits":9585059,"hashes":7,"bits_per_item":9.585059,"memory_bytes":1198367,"file_bytes_at_most":1198272,"rate_at_plan":0.0100392236,"rate_at_twice":0.157452987}
$ ballpark plan membership --items 1M --sketches 24 | grep '^sketches\|^all_\|^exact.all'
sketches                      24
all_memory_bytes              30304680 (28.9 MiB)
all_file_bytes_at_most        30302400 (28.9 MiB)
exact.all_memory_bytes        402655680 (384 MiB)

# what the last line says makes what was planned
$ eval "$(ballpark plan membership --items 20k --fpr 0.1% | tail -1 | sed 's/FILE/m.bpk </') /dev/null"; ballpark plan membership --items 20k --fpr 0.1% | grep '^memory_bytes'; ballpark info m.bpk | grep '^memory_bytes\|^planned'
memory_bytes                  39591 (38.7 KiB)
planned_items        20000
memory_bytes         39591
$ eval "$(ballpark plan top -n 20 --share 0.2% | tail -1 | sed 's/FILE/t.bpk </') /dev/null"; ballpark info t.bpk | grep '^k \|^entries'
k                    20
entries              2304
$ eval "$(ballpark plan count --total 200 | tail -1 | sed 's/FILE/c.bpk </') /dev/null"; ballpark info c.bpk | grep '^width\|^cell_bytes'
width                2719
cell_bytes           1
$ eval "$(ballpark plan distinct --error 2% | tail -1 | sed 's/FILE/d.bpk </') /dev/null"; ballpark info d.bpk | grep '^precision'
precision            11
$ ballpark plan membership --items 1e9 --fpr 1e-6 | tail -1
ballpark build bloom --capacity 1000000000 --fpr 1e-06 --mem 3751M -o FILE

# count, distinct, top
$ ballpark plan count --epsilon 0.001 --delta 0.01
question                      count
kind                          cms
parameters.epsilon            0.001
parameters.delta              0.01
width                         2719
depth                         5
cells                         13595
bytes                         54380 (53.1 KiB)
memory_bytes                  54532 (53.3 KiB)
file_bytes_at_most            54516 (53.2 KiB)
sketches                      1
all_memory_bytes              54532 (53.3 KiB)
all_file_bytes_at_most        54516 (53.2 KiB)
bound                         never under the truth; over it by more than epsilon x total with probability delta at most
epsilon                       0.001
delta                         0.01
base_e.width                  2719
base_e.depth                  5
base_e.cells                  13595
base_e.bytes                  54380 (53.1 KiB)
base_2.width                  2000
base_2.depth                  7
base_2.cells                  14000
base_2.bytes                  56000 (54.7 KiB)
twice.what                    the share epsilon stays, so that the error grows with the total
exact.structure               map of keys
exact.key_bytes               16
exact.no_larger_up_to         768
advice                        exact while there are no more items than exact.no_larger_up_to, or when it is billed or audited

ballpark build cms --epsilon 0.001 --delta 0.01 -o FILE
$ ballpark plan count --epsilon 0.001 --delta 0.01 --total 1e9 | grep 'cell_bytes\|^bytes\|^error\|^twice\|^exact\|^advice'
bytes                         54380 (53.1 KiB)
error_items                   1000000
twice.total                   2000000000
twice.error_items             2000000
twice.may_saturate            no
twice.what                    the share epsilon stays, so that the error grows with the total
exact.structure               map of keys
exact.key_bytes               16
exact.memory_bytes_at_most    65165049201 (60.7 GiB)
exact.no_larger_up_to         768
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited
$ ballpark plan distinct --error 1% --items 50k
question                      distinct
kind                          hll
parameters.precision          13
registers                     8192
memory_bytes                  9332 (9.11 KiB)
file_bytes_at_most            8264 (8.07 KiB)
sketches                      1
all_memory_bytes              9332 (9.11 KiB)
all_file_bytes_at_most        8264 (8.07 KiB)
memory_bytes_at_most          9332 (9.11 KiB)
bound                         relative standard error; 95 of 100 answers are within 1.96 of them
error                         0.01
standard_error                0.008406
interval_95                   0.01648
redis.precision               14
redis.bytes                   12304 (12 KiB)
redis.standard_error          0.008099
redis.meets                   yes
six_bit.precision             14
six_bit.bytes                 12288 (12 KiB)
items                         50000
twice.items                   100000
twice.standard_error          0.008406
twice.memory_bytes            9332 (9.11 KiB)
twice.what                    the error stays, up to 2^53 items; beyond, equal hashes begin to show
exact.structure               set of 64-bit hashes
exact.memory_bytes            1048680 (1 MiB)
exact.all_memory_bytes        1048680 (1 MiB)
exact.no_larger_up_to         768
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited

ballpark build hll --precision 13 -o FILE
$ ballpark plan distinct --error 0.81% --json | grep -o '"redis":{[^}]*}'
"redis":{"precision":14,"bytes":12304,"standard_error":0.00809921875,"meets":true}
$ ballpark plan top -n 100 --share 0.1% --sketches 1000
question                      top
kind                          topk
parameters.k                  100
parameters.entries            4608
memory_bytes                  105024 (103 KiB)
file_bytes_at_most            103240 (101 KiB)
sketches                      1000
all_memory_bytes              105024000 (100 MiB)
all_file_bytes_at_most        103240000 (98.5 MiB)
key_bytes                     16
bound                         both limits of a row are certain; an item with found_share of the total has an entry, and so certain limits, with probability 99 %
share                         0.001
found_share                   0.0009994
width_share_95                0.002184
twice.found_share             0.0009994
twice.what                    shares stay, so that limits and ceiling grow with the total
exact.structure               map of keys
exact.key_bytes               16
exact.no_larger_up_to         1575
advice                        exact while there are no more items than exact.no_larger_up_to, or when it is billed or audited

ballpark build topk --rows 100 --entries 4608 -o FILE
$ ballpark plan top -n 100 -o plan.txt; tail -1 plan.txt
ballpark build topk --rows 100 -o FILE

# what cannot be planned
$ ballpark plan
ballpark: usage: ballpark plan [OPTION]... QUESTION
[exit 2]
$ ballpark plan frequency
ballpark: unknown question frequency; known are membership, count, distinct, top, overlap, sample, limit
[exit 2]
$ ballpark plan membership
ballpark: membership needs --items (1 to 2^48)
[exit 2]
$ ballpark plan membership --items 0
ballpark: --items 0: out of range: 1 to 2^48
[exit 2]
$ ballpark plan membership --items few
ballpark: --items few: out of range: 1 to 2^48
[exit 2]
$ ballpark plan membership --items 1e14 --fpr 1e-12
ballpark: --fpr 1e-12: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]
$ ballpark plan membership --items 1M --epsilon 1%
ballpark: membership does not take --epsilon
[exit 2]
$ ballpark plan membership count --items 5
ballpark: plan takes one operand, and there is count
[exit 2]
$ ballpark plan membership --items 5 --capacity 5
ballpark: plan does not take --capacity
[exit 2]
$ ballpark plan count --epsilon 100%
ballpark: --epsilon 100%: out of range: a share such as 0.1%, between 6.4e-10 and 1
[exit 2]
$ ballpark plan count --epsilon 0.1% --delta 0
ballpark: --delta 0: out of range: a share such as 1%, between 1.3e-14 (--sizing 2: 2.4e-10) and 1
[exit 2]
$ ballpark plan distinct --error 0
ballpark: --error 0: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark plan top -n 0
ballpark: --rows 0: out of range: 1 to 2^20, of sample to 2^24
[exit 2]
$ ballpark plan top --share 100%
ballpark: --share 100%: out of range: a share such as 0.1%, from 3.1e-8 to under 1
[exit 2]
$ ballpark plan top --sketches 0
ballpark: --sketches 0: out of range: 1 to 2^48
[exit 2]
$ ballpark plan top --csv
ballpark: plan does not take --csv
[exit 2]
$ ballpark plan top -o /dev/full
ballpark: /dev/full: cannot write: No space left on device
[exit 2]

# what two sets have in common: the k of a theta
$ ballpark plan overlap --smaller 1M --larger 10M --overlap 5% | grep "^kind\|^parameters\|^matches\|^standard_error\|^ballpark"
kind                          theta
parameters.k                  19961
matches                       99.8
standard_error                0.1
ballpark build theta --k 19961 -o FILE

$ ballpark plan overlap --smaller 1M --overlap 1% --error 5% --json | grep -o '"parameters":[^}]*}\|"command":.*'
"parameters":{"k":38462}
"command":"ballpark build theta --k 38462 -o FILE"}
$ seq 200000 > p; seq 190001 390000 > q; eval "$(ballpark plan overlap --smaller 200k --overlap 5% | tail -1 | sed 's/-o FILE/-o p.bpk p/')"
$ ballpark set intersect --ci p.bpk q
10059 (95 %: 8184 to 12236)
$ ballpark plan overlap
ballpark: overlap needs --smaller (1 to 2^48)
[exit 2]
$ ballpark plan overlap --smaller 1M
ballpark: overlap needs --overlap (a share such as 1%, above 0 and up to 1)
[exit 2]
$ ballpark plan overlap --smaller 1M --overlap 0
ballpark: --overlap 0: out of range: a share such as 1%, above 0 and up to 1
[exit 2]
$ ballpark plan overlap --smaller 1M --larger 1k --overlap 1%
ballpark: --larger 1k: out of range: what --smaller says, to 2^48
[exit 2]
$ ballpark plan overlap --smaller 100M --overlap 1% --error 0.01%
ballpark: --error 0.01%: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark plan overlap --items 5 --smaller 5 --overlap 1
ballpark: overlap does not take --items
[exit 2]
$ ballpark plan top --overlap 1%
ballpark: top does not take --overlap
[exit 2]

# how many records show what?
$ ballpark plan sample -n 1000 | grep -v '^all_'
question                      sample
kind                          sample
parameters.k                  1000
memory_bytes                  148272 (145 KiB)
file_bytes_at_most            132152 (129 KiB)
sketches                      1
record_bytes                  100
bound                         95 of 100 shares are off by share_error_95 at most
share_error_95                0.03149
seen_share_95                 0.002991
twice.share_error_95          0.03149
twice.what                    the same from twice as many records: the error depends on k alone

ballpark sample --number 1000 --save FILE
$ ballpark plan sample -n 400 --groups 3 --json | grep -o '"parameters":[^}]*}\|"command":.*'
"parameters":{"k":400,"groups":3}
"command":"ballpark sample --number 400 --groups 3 -g FIELD --save FILE"}
$ seq 5000 | awk '{ print $1 % 3, $1 }' > r; eval "$(ballpark plan sample -n 400 --groups 3 | tail -1 | sed 's/FIELD/1/; s/FILE/r.bpk --ws --ci r/')" | wc -l
ballpark: sample: 1200 of 5000 records; a share of all, as found in them, is off by 2.5 percentage points at most (95 %)
1200
$ ballpark plan sample -n 100 --record-bytes 1k | grep '^memory\|^record'
memory_bytes                  107472 (105 KiB)
record_bytes                  1024 (1 KiB)
$ ballpark plan sample -n 0
ballpark: --rows 0: out of range: 1 to 2^20, of sample to 2^24
[exit 2]
$ ballpark plan sample -n 20M
ballpark: --rows 20M: out of range: 1 to 2^20, of sample to 2^24
[exit 2]
$ ballpark plan sample --groups 0
ballpark: --groups 0: out of range: 1 to 2^20
[exit 2]
$ ballpark plan sample --record-bytes 0
ballpark: --record-bytes 0: out of range: 1 to 2^32-1
[exit 2]
$ ballpark plan sample -n 16M --groups 1M | tail -1
ballpark sample --number 16000000 --groups 1000000 -g FIELD --mem 2258303133M --save FILE
$ ballpark plan sample --items 5
ballpark: sample does not take --items
[exit 2]
$ ballpark plan top --groups 5
ballpark: top does not take --groups
[exit 2]

# a filter that grows, forgets, or from which items are removed
$ ballpark plan membership --items 1M --fpr 1% --growth 64
question                      membership
kind                          bloom
parameters.items              1000000
parameters.rate               0.01
parameters.on_full            grow
memory_bytes                  1730752 (1.65 MiB)
file_bytes_at_most            1730576 (1.65 MiB)
sketches                      1
all_memory_bytes              1730752 (1.65 MiB)
all_file_bytes_at_most        1730576 (1.65 MiB)
bound                         no is certain; yes is false with this rate at most, however far it grows
rate                          0.01
growth.times                  64
growth.items                  64000000
growth.layers                 7
growth.lookups                7
growth.capacity               127000000
growth.bits_per_item          33.79
growth.full_bits_per_item     17.03
growth.memory_bytes           270351904 (258 MiB)
growth.file_bytes_at_most     270350864 (258 MiB)
growth.rate                   0.007903
growth.at_once_bits_per_item  10.1
twice.items                   2000000
twice.rate                    0.0036
twice.memory_bytes            5338256 (5.09 MiB)
twice.what                    a second layer, twice as large as the first; the rate stays under the one asked for
exact.structure               set of 64-bit hashes
exact.memory_bytes            16777320 (16 MiB)
exact.all_memory_bytes        16777320 (16 MiB)
exact.no_larger_up_to         98304
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited

ballpark build bloom --capacity 1000000 --fpr 0.01 --on-full grow --mem 259M -o FILE
$ ballpark plan membership --items 1M --fpr 1% --growth 64 --delete | grep '^kind\|^growth\|^twice\|^ballpark'
kind                          cuckoo
growth.times                  64
growth.items                  64000000
growth.layers                 7
growth.lookups                7
growth.capacity               127000000
growth.bits_per_item          33.42
growth.full_bits_per_item     16.84
growth.memory_bytes           267370992 (255 MiB)
growth.file_bytes_at_most     267369488 (255 MiB)
growth.rate                   0.0008118
growth.at_once_bits_per_item  16.84
twice.items                   2000000
twice.rate                    0.0002319
twice.memory_bytes            6316576 (6.02 MiB)
twice.what                    a second layer, twice as large as the first; the rate stays under the one asked for
ballpark build cuckoo --capacity 1000000 --fpr 0.01 --on-full grow -o FILE
$ ballpark plan membership --items 1M --fpr 0.02% --growth 1 --delete | grep '^twice'
twice.items                   2000000
twice.what                    refused: another layer would not keep the rate
$ ballpark plan membership --items 1M --fpr 1% --delete
question                      membership
kind                          cuckoo
parameters.items              1000000
parameters.rate               0.01
memory_bytes                  1579084 (1.51 MiB)
file_bytes_at_most            1579020 (1.51 MiB)
sketches                      1
all_memory_bytes              1579084 (1.51 MiB)
all_file_bytes_at_most        1579020 (1.51 MiB)
bound                         no is certain while only what was added is removed; yes is false with this rate at most
rate                          0.01
cuckoo.fingerprint_bits       12
cuckoo.bits_per_item          12.63
cuckoo.memory_bytes           1579084 (1.51 MiB)
cuckoo.file_bytes_at_most     1579020 (1.51 MiB)
cuckoo.rate_at_plan           0.001856
cbloom.bits_per_item          38.34
cbloom.memory_bytes           4792696 (4.57 MiB)
cbloom.file_bytes_at_most     4792608 (4.57 MiB)
cbloom.rate_at_plan           0.01004
which                         cuckoo: it is smaller and faster; cbloom where filters are to be merged, or an item comes more than eight times
twice.items                   2000000
twice.what                    refused when no place is found, soon above the plan
exact.structure               set of 64-bit hashes
exact.memory_bytes            16777320 (16 MiB)
exact.all_memory_bytes        16777320 (16 MiB)
exact.no_larger_up_to         98304
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited

ballpark build cuckoo --capacity 1000000 --fpr 0.01 -o FILE
$ ballpark plan membership --items 1M --fpr 1e-5 --delete | grep '^kind\|^cbloom\|^which\|^ballpark'
kind                          cbloom
cbloom.bits_per_item          95.85
cbloom.memory_bytes           11981488 (11.4 MiB)
cbloom.file_bytes_at_most     11981400 (11.4 MiB)
cbloom.rate_at_plan           1.002e-05
which                         cbloom: fingerprints of 16 bits do not give this rate
ballpark build cbloom --capacity 1000000 --fpr 1e-05 -o FILE
$ ballpark plan membership --window 1e6 --fpr 1%
question                      membership
kind                          bloom
parameters.items              1000000
parameters.rate               0.01
parameters.generations        4
memory_bytes                  2175999 (2.08 MiB)
file_bytes_at_most            2175904 (2.08 MiB)
sketches                      1
all_memory_bytes              2175999 (2.08 MiB)
all_file_bytes_at_most        2175904 (2.08 MiB)
bound                         no is certain for what came in the window; yes is false with this rate at most, however much comes
rate                          0.01
window.items                  1000000
window.gone_after_items       1250000
window.bits                   17405440
window.bits_per_item          17.41
window.rate_when_fullest      0.009632
window.bits_per_item_1        23.28
window.bits_per_item_2        18.92
window.bits_per_item_4        17.41
window.bits_per_item_8        17.53
window.bits_per_item_16       18.68
twice.items                   2000000
twice.rate                    0.01
twice.what                    the rate stays, and so do the last items
exact.structure               set of 64-bit hashes
exact.memory_bytes            16777320 (16 MiB)
exact.all_memory_bytes        16777320 (16 MiB)
exact.no_larger_up_to         196608
exact.better                  no
advice                        the sketch; exact only where the answer is billed or audited

ballpark build bloom --window 1000000 --fpr 0.01 --generations 4 -o FILE
$ ballpark plan membership --window 24h --items 5M --fpr 0.1% --generations 8 | grep '^param\|^window\|^twice\|^ballpark'
parameters.span               86400
parameters.items              5000000
parameters.rate               0.001
parameters.generations        8
window.seconds                86400
window.gone_after_seconds     97200
window.bits                   112670208
window.bits_per_item          22.53
window.rate_when_fullest      0.0009756
window.bits_per_item_1        35.69
window.bits_per_item_2        26.7
window.bits_per_item_4        23.52
window.bits_per_item_8        22.53
window.bits_per_item_16       22.74
twice.items                   10000000
twice.rate                    0.001
twice.what                    the rate stays; half of the time is remembered, and that is said
ballpark build bloom --window 86400s --capacity 5000000 --fpr 0.001 --generations 8 -o FILE
$ ballpark plan membership --window 24h --items 5M --json | grep -o '"window":{[^}]*}\|"command":.*'
"window":{"seconds":86400,"gone_after_seconds":108000,"bits":86689280,"bits_per_item":17.337856,"rate_when_fullest":0.00983430173,"bits_per_item_1":23.2409088,"bits_per_item_2":18.868224,"bits_per_item_4":17.337856,"bits_per_item_8":17.422848,"bits_per_item_16":18.5064448}
"command":"ballpark build bloom --window 86400s --capacity 5000000 --fpr 0.01 --generations 4 -o FILE"}
$ seq 100 > n; for p in '--items 100 --growth 9' '--items 100 --delete' '--items 100 --delete --fpr 1e-6' '--items 100 --delete --growth 9' '--window 100' '--window 1h --items 100'; do eval "$(ballpark plan membership $p | tail -1 | sed 's/FILE/p.bpk n/')"; ballpark has -q p.bpk n || echo lost; ballpark info p.bpk | grep '^kind\|^layers_of\|^span' | tr '\n' ' '; echo; done
kind                 grow layers_of            bloom 
ballpark: build: health of cuckoo is warn: as many items as planned, or more
kind                 cuckoo 
ballpark: build: health of cbloom is warn: as many items as planned, or more
kind                 cbloom 
kind                 grow layers_of            cuckoo 
kind                 bloom span                 0 
kind                 bloom span                 3600 span_effective       3600 
$ ballpark plan membership --items 5 --growth 0
ballpark: --growth 0: out of range: 1 to 2^48; with --delete as far as --fpr lets it
[exit 2]
$ ballpark plan membership --items 5 --growth 1e15
ballpark: --growth 1e15: out of range: 1 to 2^48; with --delete as far as --fpr lets it
[exit 2]
$ ballpark plan membership --items 5 --growth
ballpark: --growth needs an argument (1 to 2^48; with --delete as far as --fpr lets it)
[exit 2]
$ ballpark plan membership --items 1M --fpr 0.02% --growth 64 --delete
ballpark: --growth 64: out of range: 1 to 2^48; with --delete as far as --fpr lets it
[exit 2]
$ ballpark plan membership --items 1M --fpr 1e-5 --growth 64 --delete
ballpark: --fpr 1e-5: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]
$ ballpark plan membership --items 1M --delete=1
ballpark: --delete takes no argument
[exit 2]
$ ballpark plan membership --window 24h
ballpark: membership needs --items (1 to 2^48)
[exit 2]
$ ballpark plan membership --window 24h --items 3
ballpark: --items 3: out of range: not under --generations, which is 4, with --window
[exit 2]
$ ballpark plan membership --window 1000 --items 3
ballpark: --window 1000 and --items contradict each other: both are numbers of items
[exit 2]
$ ballpark plan membership --window 0
ballpark: --window 0: out of range: items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations
[exit 2]
$ ballpark plan membership --window 1000 --growth 2
ballpark: --window and --growth contradict each other
[exit 2]
$ ballpark plan membership --window 1000 --delete
ballpark: --window and --delete contradict each other
[exit 2]
$ ballpark plan membership --generations 2 --items 9
ballpark: --generations needs --window
[exit 2]
$ ballpark plan count --window 5
ballpark: count does not take --window
[exit 2]
$ ballpark plan top --delete
ballpark: top does not take --delete
[exit 2]
$ ballpark plan distinct --growth 5
ballpark: distinct does not take --growth
[exit 2]

# options that another verb calls alike are those of the verb
$ ballpark plan top --rows 5 > a; ballpark plan top -n 5 | cmp - a

# limits: as wide as keys that use up their rate need
$ ballpark plan limit --rate 100/60s --keys 6000 | grep -v '^all\|^exact\|^advice\|^sketches\|^file'
question                      limit
kind                          limit
parameters.limit              100
parameters.period             60000000
parameters.width              18974
memory_bytes                  303784 (297 KiB)
bound                         never too late; at a steady load fresh_limited_at_most of the keys that did nothing are limited
fresh                         0.01
fresh_limited_at_most         0.009999
keys                          6000
events                        600000
load                          0.3162
twice.load                    0.6324
twice.fresh_limited_at_most   0.16
twice.what                    more new keys are limited too early; none passes too late

ballpark limit --rate 100/60s --width 18974 --state FILE
$ ballpark plan limit --rate 1/s --keys 5 --fresh 1e-6 --json | grep -o '"command.*'
"command":"ballpark limit --rate 1/s --width 159 --state FILE"}
$ sh -c "$(ballpark plan limit --rate 3/1h --keys 50 | tail -1 | sed 's/FILE/f.bpk/') -q < /dev/null"; ballpark info f.bpk | grep '^limit\|^period\|^width'
limit                3
period               3600000
width                159
$ ballpark plan limit; ballpark plan limit --rate 1%; ballpark plan limit --rate 3/1h; ballpark plan limit --rate 3/1h --keys 0; ballpark plan limit --rate 3/1h --keys 1e10; ballpark plan limit --rate 3/1h --keys 5 --fresh 0; ballpark plan limit --rate 2e9/1h --keys 5; ballpark plan limit --rate 3/1h --keys 5 --items 5; ballpark plan membership --items 5 --rate 1/s
ballpark: limit needs --rate (N/D: N 1 to 2^48 (windows 2^32-1, plan 2^30), D 1us to 2^53us, of us ms s m h d w: 5/2m)
ballpark: --rate 1%: out of range: N/D: N 1 to 2^48 (windows 2^32-1, plan 2^30), D 1us to 2^53us, of us ms s m h d w: 5/2m
ballpark: limit needs --keys (1 to 2^32-1 times the root of the root of --fresh)
ballpark: --keys 0: out of range: 1 to 2^32-1 times the root of the root of --fresh
ballpark: --keys 1e10: out of range: 1 to 2^32-1 times the root of the root of --fresh
ballpark: --fresh 0: out of range: a share such as 1%, above 0 and up to 1
ballpark: --rate 2e9/1h: out of range: N/D: N 1 to 2^48 (windows 2^32-1, plan 2^30), D 1us to 2^53us, of us ms s m h d w: 5/2m
ballpark: limit does not take --items
ballpark: membership does not take --rate
[exit 2]
