# what trips other tools: records are bytes
$ printf '\377\376\n\377\375\n' | ballpark distinct
2
$ printf 'a\r\na\nb\r\nb' | ballpark distinct
ballpark: standard input: lines end with CR LF; the CR is kept as a part of the line (--crlf strip removes it)
4
$ printf 'a\r\na\nb\r\nb' | ballpark distinct --crlf keep
4
$ printf 'a\r\na\nb\r\nb' | ballpark distinct --crlf strip
2
$ printf 'a\0x\na\0y\na\n' | ballpark distinct
3
$ { head -c 64000000 /dev/zero | tr '\0' a; printf '\nb\n'; } | ballpark distinct
2
$ { head -c 64000000 /dev/zero | tr '\0' a; printf '\nb\n'; } | ballpark dedup | wc -c
64000003
$ head -c 5000 /dev/zero | tr '\0' a | ballpark distinct --max-record 4k
ballpark: standard input: record 1: longer than 4096 bytes
[exit 5]
$ printf 'a\nb' | ballpark distinct
2
$ printf '\n\n\na\n' | ballpark distinct
2
$ printf 'a\nb' | ballpark dedup
a
b
$ printf '\n\na\n\n' | ballpark dedup | od -An -c
  \n   a  \n
$ : | ballpark distinct
0
$ : > empty; ballpark distinct empty
0
$ ballpark dedup empty
$ ballpark distinct --json empty | grep -o '"records":0'
"records":0
$ printf 'a\0b\0a\0' | ballpark distinct -z
2
$ printf 'a\nx\0b\0a\nx\0' | ballpark dedup -z | od -An -c
   a  \n   x  \0   b  \0
$ printf 'A\na\n\303\204\n\303\244\n' | ballpark distinct -i
3

# 200,000 random lines of three bytes that are no UTF-8: the locale has no say
$ awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) printf "%c%c\n", 128 + int(rand() * 100), 128 + int(rand() * 100) }' > bytes
$ test $(ballpark distinct bytes) = $(sort -u bytes | wc -l) && echo same
same
$ test $(LC_ALL=C.UTF-8 ballpark distinct bytes) = $(sort -u bytes | wc -l) && echo same
same

# grouping never needs sorting
$ printf 'a 1\nb 2\na 3\n' | ballpark distinct -f 1
2

# fields
$ printf 'a,b,c\nx,b,z\n' > csv
$ ballpark distinct -d , -f 2 csv
1
$ ballpark dedup -d , -f 2 csv
a,b,c
$ ballpark distinct -d , -f 1,3 csv
2
$ ballpark distinct -d , -f -1 csv
2
$ ballpark distinct -d , -f 2-2 csv
1
$ ballpark distinct --field 1- --delimiter=, csv
2
$ printf 'a\tb\na\tc\n' | ballpark distinct -d '\t' -f 1
1
$ printf 'a\\b\na\\c\n' | ballpark distinct -d '\\' -f 1
1
$ printf 'a|b\na|c\n' | ballpark distinct -d '\x7c' -f 1
1
$ printf 'a\0b\na\0c\n' | ballpark distinct -d '\0' -f 1
1
$ printf 'a::b\na::c\n' | ballpark distinct -d :: -f 1
1
$ printf '  a   b\na\tb\n' | ballpark distinct --ws -f 1,2
1
$ printf 'a b\nc\n' | ballpark distinct -f 2
ballpark: 1 of 2 records lack a chosen field and were left out
1
[exit 3]
$ printf 'a b\nc\n' | ballpark distinct -f 2 --strict
ballpark: standard input: record 2: no such field
[exit 3]
$ printf '1\nx\n2\n' | ballpark distinct --as int
ballpark: 1 of 3 records are no integer and were left out
2
[exit 3]
$ printf '1\nx\n2\n' | ballpark distinct --as int --strict
ballpark: standard input: record 2: no integer
[exit 3]
$ printf '1\nx\n2\n' | ballpark distinct --as int --json 2>/dev/null | grep -o '"records":3\|"bad_records":1'
"records":3
"bad_records":1

# compressed input, by its first bytes
$ printf 'a\nb\na\n' | gzip > g; ballpark distinct g
2
$ printf 'c\n' | gzip >> g; ballpark distinct g
3
$ printf 'a\n' > t; ballpark distinct t g
3
$ ballpark dedup g t
a
b
c
