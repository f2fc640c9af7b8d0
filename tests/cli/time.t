# --time FIELD:FORMAT and --tz: the same moment, however it is written
$ printf 'a 971211336\na 971211340\na 971211400\n' > s; ballpark dedup -q -c --window 30s --generations 1 --time 2 -f 1 s
unique	2
total	3
$ printf 'a 971211336000\na 971211340999\na 971211400000\n' | ballpark dedup -q -c --window 30s --generations 1 --time 2:ms -f 1
unique	2
total	3
$ printf 'a 2000-10-10T20:55:36Z\na 2000-10-10T22:55:40.5+02:00\na 2000-10-10 20:56:40\n' | ballpark dedup -q -c -d ' ' --window 30s --generations 1 --time 2-:iso -f 1
unique	2
total	3
$ printf 'a 2000-10-10 20:55:36\na 2000-10-10 20:55:40\na 2000-10-10 20:56:40\n' | ballpark dedup -q -c --window 30s --generations 1 --time '2,3:%Y-%m-%d %H:%M:%S' -f 1
unique	2
total	3
$ printf '10 Oct 2000 13:55:36.25 -0700,a\n10 Oct 2000 22:55:40.9 +0200,a\n10 Oct 2000 20:56:40.0 Z,a\n' | ballpark dedup -q -c -d , --window 30s --generations 1 --time '1:%d %b %Y %T.%f %z' -f 2
unique	2
total	3

# what has no offset is of the zone: of 02:30 twice the first, of a skipped 02:30 an hour after 01:30
$ for t in 2026-10-25T02:30 2026-10-25T02:30+01:00 2026-10-25T03:30 2026-03-29T01:30 2026-03-29T02:30; do echo $t a | ballpark build bloom --capacity 9 --window 1h --tz Europe/Berlin --time 1:iso -f 2 -o b.bpk; ballpark info b.bpk | grep '^now'; done
now                  1792888200
now                  1792891800
now                  1792895400
now                  1774744200
now                  1774747800
$ printf '2026-10-25T00:30:00Z a\n2026-10-25T02:30 a\n' > two; for z in Europe/Berlin +02:00 UTC; do ballpark dedup -q -c --window 60s --generations 1 --tz $z --time 1:iso -f 2 two; done
unique	1
total	2
unique	1
total	2
unique	2
total	2
$ ballpark build bloom -q --capacity 9 --window 1h --tz -01:00 --time 1:iso -f 2 -o b.bpk two; ballpark info b.bpk | grep '^now'
now                  1792899000

# bad records, and what is refused
$ printf '2026-10-25 a\nyesterday a\n1969-12-31 a\n2026-02-29 a\n\n' | ballpark dedup -q -c --window 60s --time 1:iso -f 2
ballpark: 1 of 5 records lack a chosen field and were left out
ballpark: 3 of 5 records have no time (ISO 8601, such as 2000-10-10T13:55:36.5-07:00) and were left out
unique	1
total	1
[exit 3]
$ printf '2026-10-25 a\n25.10.2026 a\n' | ballpark dedup -q --strict --window 60s --time 1:%F -f 2
2026-10-25 a
ballpark: standard input: record 2: no time (%F)
[exit 3]
$ printf 'a\n' | ballpark distinct --every 1h --time '1:%F %T.%f %z'
ballpark: 1 of 1 records have no time (%F %T.%f %z) and were left out
[exit 3]
$ for t in 1:%T 1:%s '1:%F %Z' 1:%F% 1:%U%Y %F 1:seconds 1:, '' 1-2:; do ballpark dedup --window 60s --time "$t" two; done
ballpark: --time: the format %T cannot be read: it has no year
ballpark: --time: the format %s cannot be read: %s: seconds since 1970 are the format s
ballpark: --time: the format %F %Z cannot be read: %Z: names of zones mean several; %z reads offsets, and --tz names a zone
ballpark: --time: the format %F% cannot be read: a percent sign stands at the end
ballpark: --time: the format %U%Y cannot be read: it has a conversion that is not read here
ballpark: --time %F: out of range: fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z
ballpark: --time 1:seconds: out of range: fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z
ballpark: --time 1:,: out of range: fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z
ballpark: --time '': out of range: fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z
ballpark: --time 1-2:: out of range: fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z
[exit 2]
$ for z in Mars/Olympus '' +1:00 ../UTC right/UTC; do ballpark dedup --window 60s --time 1 --tz "$z" two; done
ballpark: --tz Mars/Olympus: out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
ballpark: --tz '': out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
ballpark: --tz +1:00: out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
ballpark: --tz ../UTC: out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
ballpark: --tz right/UTC: out of range: UTC, +hh:mm, -hh:mm, or a time zone of this system such as Europe/Berlin
[exit 2]
$ ballpark dedup --window 60s --tz UTC two
ballpark: --tz needs --time
[exit 2]
$ ballpark dedup -q --window 60s --time 1 --time 2 --tz +01:00 --tz UTC two | wc -l
ballpark: 2 of 2 records have no time (seconds since 1970, or 10/Oct/2000:13:55:36 -0700; others by FIELD:iso, FIELD:ms and more) and were left out
0
