# Twice, from two sides at once, half-way.
$ for i in 1 2 3 4; do seq $((i * 1000)) $((i * 1000 + 499)) | ballpark dedup -q --wait --state s.bpk >> out & done; wait; sort -u out | wc -l
2000
$ seq 1000 5000 | ballpark dedup -q --state s.bpk | wc -l
2001
$ for i in 1 2 3 4 5 6 7 8; do echo $i | ballpark build hll -q --append --wait -o a.bpk & done 2> /dev/null; wait; ballpark build hll -o a.bpk /dev/null; for i in 1 2 3 4 5 6 7 8; do echo $i | ballpark build hll -q --append --wait -o a.bpk & done; wait; ballpark distinct a.bpk
8
# two outputs are two files
$ ballpark dedup -o o1 --state o1 out
ballpark: two outputs go to o1
[exit 2]
$ ballpark distinct -o o2 --save o2 out
ballpark: two outputs go to o2
[exit 2]
# a set that was not read whole has no certain "no"
$ seq 50000 | gzip > s.gz; head -c 60000 s.gz > cut.gz; echo 49999 | ballpark has -v cut.gz
ballpark: cut.gz: damaged: the compressed data ends too early
ballpark: cut.gz: was not read whole: a "no" would not be certain
[exit 2]
# what other programs compressed is no text
$ printf '\3757zXZ\000 and so on' > x.xz; printf 'BZh91AY&SY and so on' > x.bz2; ballpark distinct x.xz
ballpark: x.xz: xz data; decompress it first
[exit 2]
$ ballpark distinct x.bz2 out
ballpark: x.bz2: bzip2 data; decompress it first
2000
[exit 3]
$ seq 10 | gzip | gzip > twice.gz; ballpark distinct twice.gz
ballpark: twice.gz: twice compressed data; decompress it first
[exit 2]
# a filter far over its plan says so, unasked; what it may have cost is not less than it did
$ seq 1000 | ballpark build bloom --capacity 200 --fpr 1% --on-full degrade -q -o over.bpk; seq 2000 3000 | ballpark has -c over.bpk > n
ballpark: has: health of over.bpk is over: half as much again as planned, or more
$ seq 15000 | ballpark dedup -q --state full.bpk --capacity 1000 --fpr 1% --on-full degrade > /dev/null; seq 20000 20299 | ballpark dedup --json --state full.bpk | grep -o '"lost_upper":[0-9]*'
~ ballpark: dedup: answered by a filter, rate now *: about * new records were taken for repeats (95 %: at most 300)
ballpark: dedup: health of the filter is over: every bit is set: it says yes to everything
"lost_upper":300
# records that share a hash with the public seed are different all the same
$ for i in 1 2 3 4 5 6 7 8; do printf '\270\376\154\071\043\244\113\276%08d+0123456789abcde\n' $i; done > made; sort -u made | wc -l
8
$ ballpark dedup made | wc -l
8
$ ballpark has -c made made
8
# --quiet says nothing at all
$ ballpark has -q -c made made; ballpark has -q --json made made
