# usage
$ ballpark
Examples
  ballpark distinct access.log                # how many different lines?
  ballpark distinct --ci -f 1 access.log*.gz  # different addresses, with the interval
  ballpark top -f 1 access.log                # which addresses come most often?
  ballpark dedup words.txt                    # each line once, in order
  ballpark has blocked.bpk -f 1 access.log    # lines whose first field is in a set

Usage
  ballpark VERB [OPTION]... [FILE]...

Verbs
  distinct    how many different records or fields? Exact while they are few, then with an interval.
  top         which records or fields come most often? Exact while few are different, then with limits.
  count       how often given keys come in SET: text, or a sketch that counts.
  set         union, intersection, difference and likeness of sets: each FILE is one.
  dedup       each record once, the first time it comes; the order stays.
  has         the records whose item is in SET: a filter, or a text file with an item a line.
  limit       the records whose key is within its rate; the order stays.
  sample      some of the records at random: so many, of each group too, or a share of them.
  build       makes a sketch of a kind from records.
  merge       the union of sketches, as if one had seen everything.
  info        what a sketch is and holds, its rate and error as they are now, and whether it is well.
  plan        what a sketch will cost and promise, what happens at twice the plan, and when to be exact.
  selftest    known answers, and what this machine does a second.
  completions a script that makes bash, zsh or fish complete this command.

ballpark VERB --help tells more about a verb; ballpark --version prints the version.
A FILE is text, gzip, zstd or a sketch that an earlier run saved; - is standard input.
Counts are written 1000, 1e6, 10k or 5M; sizes 65536, 64k or 256M; shares 0.01, 1e-2 or 1%.
[exit 2]
$ ballpark --version
ballpark 0.1.0
$ ballpark --help | head -3
Examples
  ballpark distinct access.log                # how many different lines?
  ballpark distinct --ci -f 1 access.log*.gz  # different addresses, with the interval
$ ballpark help | grep -c '^  [a-z]* '
20
$ ballpark help distinct | sed -n '1,4p'
ballpark distinct: how many different records or fields? Exact while they are few, then with an interval.

Examples
  ballpark distinct access.log                       # in place of sort -u access.log | wc -l
$ ballpark distinct --help | grep -A2 '^Usage'
Usage
  ballpark distinct [OPTION]... [FILE]...

$ for v in distinct top count dedup has limit build merge info plan selftest completions; do ballpark $v --help > h || echo $v; awk 'length > 120' h; done
$ ballpark distinkt
ballpark: unknown verb distinkt; the nearest is distinct
[exit 2]
$ ballpark dist
ballpark: unknown verb dist; the nearest is distinct
[exit 2]
$ ballpark help foo
ballpark: unknown verb foo; the nearest is top
[exit 2]
$ ballpark --frob
ballpark: unknown option --frob; see ballpark --help
[exit 2]
$ ballpark distinct --frob
ballpark: unknown option --frob; see ballpark distinct --help
[exit 2]
$ ballpark distinct -y
ballpark: unknown option -y; see ballpark distinct --help
[exit 2]
$ ballpark distinct -f
ballpark: --field needs an argument (1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too)
[exit 2]
$ ballpark distinct --json=1 f
ballpark: --json takes no argument
[exit 2]
$ ballpark dedup --precision 9 f
ballpark: dedup does not take --precision
[exit 2]
$ ballpark has --save x f
ballpark: has does not take --save
[exit 2]
$ ballpark info -z f
ballpark: info does not take --null
[exit 2]
$ ballpark selftest -f 1
ballpark: selftest does not take --field
[exit 2]
$ ballpark selftest foo
ballpark: selftest takes no operand, and there is foo
[exit 2]
$ ballpark has
ballpark: usage: ballpark has [OPTION]... SET [FILE]...
[exit 2]
$ ballpark build
ballpark: usage: ballpark build [OPTION]... KIND [FILE]...
[exit 2]
$ ballpark merge
ballpark: usage: ballpark merge [OPTION]... FILE...
[exit 2]
$ ballpark info
ballpark: usage: ballpark info [OPTION]... FILE...
[exit 2]

# values out of range
$ printf 'a\n' > f
$ ballpark distinct --error 0 f
ballpark: --error 0: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark distinct --error x f
ballpark: --error x: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark distinct --error 0.0092% f
ballpark: --error 0.0092%: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark build hll --error 0.0126% --window-bits 0 -o e f
ballpark: --error 0.0126%: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark distinct --error 1 f
ballpark: --error 1: out of range: a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)
[exit 2]
$ ballpark build hll --error 0.0093% -o e f; ballpark info e | grep precision
precision            26
$ ballpark build hll --error 0.0127% --window-bits 0 -o e f; ballpark info e | grep precision
precision            26
$ ballpark build hll --error 19% -o e f; ballpark info e | grep precision
precision            5
$ ballpark build hll --error 19.1% -o e f; ballpark info e | grep precision
precision            4
$ ballpark build hll --error 26% --window-bits 0 -o e f; ballpark info e | grep precision
precision            4
$ ballpark build hll --error 99% -o e f; ballpark info e | grep precision
precision            4
$ ballpark distinct --precision 99 f
ballpark: --precision 99: out of range: 4 to 26
[exit 2]
$ ballpark distinct --precision 3 f
ballpark: --precision 3: out of range: 4 to 26
[exit 2]
$ ballpark distinct --window-bits 1 f
ballpark: --window-bits 1: out of range: 0 or 2
[exit 2]
$ ballpark distinct --ci 10 f
ballpark: --ci 10: out of range: 50 to 99.9999
[exit 2]
$ ballpark distinct --ci=10 f
ballpark: --ci 10: out of range: 50 to 99.9999
[exit 2]
$ ballpark distinct --ci=100 f
ballpark: --ci 100: out of range: 50 to 99.9999
[exit 2]
$ ballpark distinct --ci=x f
ballpark: --ci x: out of range: 50 to 99.9999
[exit 2]
$ ballpark dedup --fpr 2 f
ballpark: --fpr 2: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]
$ ballpark dedup --fpr 0 f
ballpark: --fpr 0: out of range: a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5
[exit 2]
$ ballpark dedup --capacity 0 --fpr 1% f
ballpark: --capacity 0: out of range: 1 to 2^48
[exit 2]
$ ballpark dedup --capacity 5 f
ballpark: --capacity needs --fpr or --state
[exit 2]
$ ballpark dedup --layout round --fpr 1% f
ballpark: --layout round: out of range: blocked or classic
[exit 2]
$ ballpark dedup --on-full explode --fpr 1% f
ballpark: --on-full explode: out of range: error, degrade or grow
[exit 2]
$ ballpark distinct -f 0 f
ballpark: --field 0: out of range: 1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too
[exit 2]
$ ballpark distinct -f a f
ballpark: --field a: out of range: 1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too
[exit 2]
$ ballpark distinct -d '' f
ballpark: --delimiter '': out of range: one byte or more, also \t \0 \\ \xHH
[exit 2]
$ ballpark distinct -d '\q' f
ballpark: --delimiter \q: out of range: one byte or more, also \t \0 \\ \xHH
[exit 2]
$ ballpark distinct --as float f
ballpark: --as float: out of range: int or bytes
[exit 2]
$ ballpark distinct --crlf maybe f
ballpark: --crlf maybe: out of range: keep or strip
[exit 2]
$ ballpark distinct -j 0 f
ballpark: --threads 0: out of range: 1 to 256
[exit 2]
$ ballpark distinct -j 1000 f
ballpark: --threads 1000: out of range: 1 to 256
[exit 2]
$ ballpark distinct --mem 1 f
ballpark: --mem 1: out of range: 4k or more
[exit 2]
$ ballpark distinct --mem lots f
ballpark: --mem lots: out of range: 4k or more
[exit 2]
$ ballpark distinct --max-record 0 f
ballpark: --max-record 0: out of range: 1 byte or more
[exit 2]
$ ballpark distinct --exact-limit 1.5 f
ballpark: --exact-limit 1.5: out of range: 0 or more
[exit 2]
$ ballpark distinct --hash-seed x f
ballpark: --hash-seed x: out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark distinct --hash-seed 0x f
ballpark: --hash-seed 0x: out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark distinct --hash-seed 18446744073709551616 f
ballpark: --hash-seed 18446744073709551616: out of range: 0 to 2^64-1, decimal or 0x
[exit 2]
$ ballpark distinct --form big --save x f
ballpark: --form big: out of range: small or view
[exit 2]

# options that contradict each other or lack another
$ ballpark distinct --json --csv f
ballpark: --json and --csv contradict each other
[exit 2]
$ ballpark distinct --ws -d , f
ballpark: --ws and --delimiter contradict each other
[exit 2]
$ ballpark distinct --error 1% --precision 9 f
ballpark: --error and --precision contradict each other
[exit 2]
$ ballpark distinct --progress --no-progress f
ballpark: --progress and --no-progress contradict each other
[exit 2]
$ ballpark distinct --base64 f
ballpark: --base64 needs --save
[exit 2]
$ ballpark distinct --form small f
ballpark: --form needs --save
[exit 2]
$ ballpark distinct --form view f
ballpark: --form needs --save
[exit 2]
$ ballpark distinct --label text f
ballpark: --label needs --save
[exit 2]
$ ballpark dedup -D --json f
ballpark: --repeated and --json contradict each other: the JSON tells both numbers
[exit 2]
$ ballpark build bloom -o x --fpr 1% f
ballpark: bloom needs --capacity (1 to 2^48)
[exit 2]
$ ballpark build hll --capacity 5 -o x f
ballpark: hll does not take --capacity
[exit 2]
$ ballpark build tree -o x f
ballpark: unknown kind tree; known are bloom, cbloom, cms, cuckoo, hll, limit, theta, topk
[exit 2]
$ ballpark build hll --append f
ballpark: --append needs -o with the file to add to
[exit 2]
$ ls x
ls: cannot access 'x': No such file or directory
[exit 2]
$ BPK_KERNELS=quantum ballpark distinct f
ballpark: BPK_KERNELS=quantum: no kernels of that name on this machine
[exit 2]
$ BPK_KERNELS=portable ballpark distinct f
1

$ ballpark distinct --format log --ws -f 1 f
ballpark: --format log and --ws contradict each other
[exit 2]
$ ballpark distinct -f ip f
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark distinct --format
ballpark: --format needs an argument (lines, ws or log)
[exit 2]
$ ballpark dedup -w 1 f
ballpark: dedup does not take --weight
[exit 2]
$ ballpark count -k
ballpark: --key needs an argument (any text)
[exit 2]
$ ballpark count f -k ''
0	

# files that cannot be read
$ ballpark distinct missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark distinct missing f
ballpark: missing: No such file or directory
1
[exit 3]
$ mkdir dir
$ ballpark distinct dir
ballpark: dir: Is a directory
[exit 2]
$ ballpark distinct dir f
ballpark: dir: Is a directory
1
[exit 3]
$ ballpark has missing f
ballpark: missing: No such file or directory
[exit 2]
$ ballpark has f missing
ballpark: missing: No such file or directory
[exit 2]
$ ballpark merge missing -o x
ballpark: missing: No such file or directory
[exit 2]
$ ballpark info missing
ballpark: missing: No such file or directory
[exit 2]

# output that cannot be written
$ ballpark distinct f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark distinct --json f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark dedup f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark has f f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark build hll f > /dev/full
ballpark: standard output: cannot write: No space left on device
[exit 2]
$ ballpark --help > /dev/full
ballpark: standard output: cannot write
[exit 2]
$ ballpark selftest -q > /dev/full
ballpark: standard output: cannot write
[exit 2]
$ ballpark distinct --save nowhere/x f
ballpark: nowhere/x: cannot open: No such file or directory
[exit 2]
$ ballpark distinct --save dir f
ballpark: dir: cannot open: Is a directory
[exit 2]
$ ballpark dedup -o nowhere/x f
ballpark: nowhere/x: cannot open: No such file or directory
[exit 2]
$ ballpark dedup --state nowhere/x f
ballpark: nowhere/x: cannot open: No such file or directory
[exit 2]
$ ballpark build hll -o nowhere/x f
ballpark: nowhere/x: cannot open: No such file or directory
[exit 2]

# a pipe that nobody reads ends silently
$ seq 1000000 | ballpark dedup | head -1
1
$ trap '' PIPE; seq 1000000 2>/dev/null | ballpark dedup | head -1
1

# damaged, truncated and nearly sketches
$ seq 5000 > n
$ ballpark build hll -o h.bpk n
$ head -c 100 h.bpk > cut.bpk; ballpark distinct cut.bpk
ballpark: cut.bpk: damaged: truncated: body, at byte 100
[exit 4]
$ { head -c 2000 h.bpk; printf X; tail -c +2002 h.bpk; } > hit.bpk; ballpark distinct hit.bpk f
ballpark: hit.bpk: damaged: checksum, at byte 3478
[exit 4]
$ { printf '\211BPX\r\n\032\n'; tail -c +9 h.bpk; } > near; ballpark distinct near
ballpark: near: not a sketch, or damaged
[exit 4]
$ { head -c 8 h.bpk; printf '\002'; tail -c +10 h.bpk; } > newer.bpk; ballpark info newer.bpk
ballpark: newer.bpk: made by a newer version: version, at byte 8
[exit 4]
$ printf 'text\n' > text.bpk; ballpark distinct text.bpk
ballpark: text.bpk: not a sketch, or damaged
[exit 4]
$ { cat h.bpk; printf x; } > more.bpk; ballpark distinct more.bpk
ballpark: more.bpk: damaged: 1 bytes that are no sketch follow the last one
[exit 4]
$ ballpark info cut.bpk h.bpk > both; echo $?; grep -c '^kind' both
ballpark: cut.bpk: damaged: truncated: body, at byte 100
4
1
$ ballpark merge h.bpk cut.bpk -o x
ballpark: cut.bpk: damaged: truncated: body, at byte 100
[exit 4]
$ ballpark has cut.bpk f
ballpark: cut.bpk: damaged: truncated: body, at byte 100
[exit 4]
$ ballpark merge h.bpk n -o x
ballpark: n: not a sketch
[exit 2]
$ ballpark info n
ballpark: n: not a sketch
[exit 2]
$ ballpark has h.bpk n
ballpark: h.bpk: a sketch of kind hll does not answer has
[exit 4]
$ ballpark dedup h.bpk
ballpark: h.bpk: is a sketch; dedup reads records
[exit 2]
$ ballpark has n h.bpk
ballpark: h.bpk: is a sketch; has reads records
[exit 2]
$ ballpark dedup --state h.bpk f
ballpark: h.bpk: a sketch of kind hll does not answer has
[exit 4]

# a key
$ printf '000102030405060708090a0b0c0d0e0f\n' > key; chmod 600 key
$ printf '000102030405060708090a0b0c0d0e00\n' > other; chmod 600 other
$ ballpark distinct --key-file key --save s.bpk n
5000
$ ballpark distinct s.bpk
4997
$ ballpark distinct --key-file key s.bpk n
4997
$ ballpark distinct s.bpk n
ballpark: s.bpk: was made with a secret key: items need --key-file with that key
[exit 4]
$ ballpark distinct --key-file other s.bpk n
ballpark: s.bpk: was made with another key than the one in other
[exit 4]
$ ballpark distinct --hash-seed 1 s.bpk n
ballpark: s.bpk: does not fit: hash has a key there and a seed by --hash-seed
[exit 4]
$ ballpark distinct --key-file key h.bpk n
ballpark: h.bpk: does not fit: hash has a public seed there and a key by --key-file
[exit 4]
$ ballpark distinct --key-file key --hash-seed 1 n
ballpark: --hash-seed and --key-file contradict each other
[exit 2]
$ ballpark merge h.bpk s.bpk -o x
ballpark: s.bpk: does not fit h.bpk: hash is xxh3-64 there and siphash-1-3 here
[exit 4]
$ ballpark merge s.bpk s.bpk -o x && cmp x s.bpk
$ ballpark info s.bpk | grep 'hash\|key'
hash                 siphash-1-3
key_fingerprint      03b6c06bb9b57cd7
$ chmod 644 key; ballpark distinct --key-file key n
ballpark: key: the key is open to others: its mode is 0644, expected 0600
[exit 2]
$ chmod 640 key; ballpark distinct --key-file key n
ballpark: key: the key is open to others: its mode is 0640, expected 0600
[exit 2]
$ ballpark distinct --key-file nokey n
ballpark: nokey: No such file or directory
[exit 2]
$ printf 0001 > short; chmod 600 short; ballpark distinct --key-file short n
ballpark: short: not a key: expected 32 hex digits
[exit 2]
$ printf 'zz0102030405060708090a0b0c0d0e0f' > trash; chmod 600 trash; ballpark distinct --key-file trash n
ballpark: trash: not a key: expected 32 hex digits
[exit 2]
$ : > void; chmod 600 void; ballpark distinct --key-file void n
ballpark: void: not a key: expected 32 hex digits
[exit 2]
$ chmod 600 dir; ballpark distinct --key-file dir n
ballpark: dir: Is a directory
[exit 2]

# devices are written, not replaced
$ ballpark distinct -o /dev/null f
$ ballpark distinct -o /dev/stdout f
1
$ ballpark dedup -o /dev/full f
ballpark: /dev/full: cannot write: No space left on device
[exit 2]
$ ballpark distinct --save /dev/full f
1
ballpark: /dev/full: cannot write: No space left on device
[exit 2]
$ ballpark distinct --save /dev/null f
1
$ ballpark distinct --progress --no-progress f
ballpark: --progress and --no-progress contradict each other
[exit 2]
$ ballpark distinct --no-progress f
1
$ ballpark distinct --progress f
1
