# --format log: fields of access logs by number and by name
$ printf '%s\n' '192.0.2.7 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326 "http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"' > combined
$ printf '%s\n' '192.0.2.8 - - [10/Oct/2000:13:55:37 -0700] "POST /b HTTP/1.1" 304 -' > common
$ for f in ip user time request method path status bytes referer agent; do ballpark top --format log -f $f combined; done
1	192.0.2.7
1	frank
1	10/Oct/2000:13:55:36 -0700
1	GET /a.gif?x=1 HTTP/1.0
1	GET
1	/a.gif?x=1
1	200
1	2326
1	http://www.example.com/start.html
1	Mozilla/4.08 [en] (Win98; I ;Nav)
$ for f in 1 2 3 4 5 6 7 8 9; do ballpark top --format log -f $f combined; done
1	192.0.2.7
1	-
1	frank
1	10/Oct/2000:13:55:36 -0700
1	GET /a.gif?x=1 HTTP/1.0
1	200
1	2326
1	http://www.example.com/start.html
1	Mozilla/4.08 [en] (Win98; I ;Nav)
$ for f in ip user time request method path status bytes; do ballpark top --format log -f $f common; done
1	192.0.2.8
1	-
1	10/Oct/2000:13:55:37 -0700
1	POST /b HTTP/1.1
1	POST
1	/b
1	304
1	-
$ ballpark top --format log -f ip,status common combined
1	192.0.2.7 200
1	192.0.2.8 304
$ ballpark top --format log -f method,path,1 combined
1	GET /a.gif?x=1 192.0.2.7
$ ballpark top --format log -f agent common combined
ballpark: 1 of 2 records lack a chosen field and were left out
1	Mozilla/4.08 [en] (Win98; I ;Nav)
[exit 3]
$ ballpark top --format log -f 8- common combined
ballpark: 1 of 2 records lack a chosen field and were left out
1	http://www.example.com/start.html Mozilla/4.08 [en] (Win98; I ;Nav)
[exit 3]
$ ballpark top --format log -f referer --strict common
ballpark: common: record 1: no such field
[exit 3]
$ ballpark top --format log -f ip -w bytes common combined
2326	192.0.2.7
$ ballpark top --format log -f ip -w status common combined
304	192.0.2.8
200	192.0.2.7
$ ballpark top --format log combined | wc -l
1

# odd lines: escaped quotes, requests that are none, brackets around an address
$ printf '%s\n' '[::1] - - [t] "GET /q?s=\"x y\" HTTP/1.1" 200 1 "-" "a \"b\" c"' '::2 - - [t] "-" 408 -' '::3 - - [t] "GET /no-protocol" 200 1' '::4 - - [t] "\x16\x03\x01" 400 0' '' > odd
$ ballpark top --format log -f path odd
ballpark: 3 of 5 records lack a chosen field and were left out
1	/no-protocol
1	/q?s=\"x y\"
[exit 3]
$ ballpark top --format log -f agent odd
ballpark: 4 of 5 records lack a chosen field and were left out
1	a \"b\" c
[exit 3]
$ ballpark top --format log -f ip odd
ballpark: 1 of 5 records lack a chosen field and were left out
1	::1
1	::2
1	::3
1	::4
[exit 3]
$ ballpark top --format log -f ip,method odd
ballpark: 3 of 5 records lack a chosen field and were left out
1	::1 GET
1	::3 GET
[exit 3]
$ printf '1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1\r\n1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1\n' | ballpark top --format log -f bytes
2	1
$ printf '1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1\r\n' | ballpark top --format log --crlf keep -f 7 | od -An -c
   1  \t   1  \r  \n

# every verb that reads records takes it
$ ballpark distinct --format log -f path common combined
2
$ ballpark dedup --format log -f method common common combined | cut -c1-9
192.0.2.8
192.0.2.7
$ printf '/b\n' | ballpark has --format log -f path - common combined
192.0.2.8 - - [10/Oct/2000:13:55:37 -0700] "POST /b HTTP/1.1" 304 -
$ ballpark count --format log -f path -w bytes combined -k '/a.gif?x=1' -k /b
2326	/a.gif?x=1
0	/b
$ ballpark build hll --format log -f ip -o h.bpk common combined && ballpark distinct h.bpk
2
$ for j in 1 2 3; do ballpark distinct -j $j --format log -f agent,ip combined combined common 2>&1; done | uniq
ballpark: 1 of 3 records lack a chosen field and were left out
1
ballpark: 1 of 3 records lack a chosen field and were left out
1
ballpark: 1 of 3 records lack a chosen field and were left out
1

# the other formats, and what contradicts
$ printf ' a  b\n' | ballpark top --format ws -f 2
1	b
$ printf ' a  b\n' | ballpark top --format lines
1	 a  b
$ ballpark top --format csv common
ballpark: --format csv: out of range: lines, ws or log
[exit 2]
$ ballpark top -f ip common
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark top --format lines -f 1 -w bytes common
ballpark: fields have names with --format log only; otherwise they are numbers from 1
[exit 2]
$ ballpark top --format log -f host common
ballpark: --field host: out of range: 1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too
[exit 2]
$ ballpark top --format log -d , -f ip common
ballpark: --format log and --delimiter contradict each other
[exit 2]
$ ballpark top --format log --ws -f ip common
ballpark: --format log and --ws contradict each other
[exit 2]
$ ballpark top --format ws -d , -f 1 common
ballpark: --ws and --delimiter contradict each other
[exit 2]
$ ballpark top --format log -f ip-user common
ballpark: --field ip-user: out of range: 1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too
[exit 2]
