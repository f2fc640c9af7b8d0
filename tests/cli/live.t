# --live where nobody sees a terminal: a line of JSON a tick, the last one final
$ printf '100 a\n130 b\n160 a\n' > x
$ ballpark top --live x | sed 's/"seconds.*//'
{"tool":"ballpark","version":"0.1.0","schema":1,"method":"exact","exact":true,"rows":[{"key":"100 a","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true},{"key":"130 b","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true},{"key":"160 a","estimate":1,"lower":1,"upper":1,"share":0.333333333,"certain":true}],"total":3,"ceiling":0,"confidence":1.0,"final":true,"records":3,"bytes":18,"bad_records":0,
$ ballpark distinct --live=3600 -f 2 x | grep -o '"estimate":.\|"final":[a-z]*'
"estimate":2
"final":true
$ ballpark distinct --live 1.5 -f 2 -g 1 --json x | grep -o '"key":"[0-9]*"\|"final":[a-z]*'
"key":"100"
"key":"130"
"key":"160"
"final":true
$ : | ballpark top --live | grep -o '"rows".*"final":true'
"rows":[],"total":0,"ceiling":0,"confidence":1.0,"final":true

# Ticks come although nothing does, on one thread and on several: each of these waits until it has seen some.
$ mkfifo hold; for j in 1 3; do (echo an-item; exec cat hold) | ballpark top -j $j --live=0.1 | (grep -m 3 -c '"key":"an-item","estimate":1,.*"final":false,"records":1,'; : > hold); done
3
3
$ for j in 1 3; do (echo an-item; exec cat hold) | ballpark distinct -j $j --live=0.1 | (grep -m 3 -c '"method":"exact","estimate":1,.*"final":false'; : > hold); done
3
3
$ for j in 1 3; do (echo an-item; exec cat hold) | ballpark distinct -j $j -g 1 --live=0.1 | (grep -m 3 -c '"key":"an-item","estimate":1,.*"final":false,'; : > hold); done
3
3
$ (echo an-item; exec cat hold) | ballpark distinct --live=0.1 | (head -n 1 > /dev/null; echo another-item > hold; tail -n 1) | grep -o '"estimate":.\|"final":true'
"estimate":2
"final":true
$ seq 200000 > n; (cat n; exec cat hold) | ballpark distinct -j 3 --live=0.1 | (grep -m 1 -o '"method":"hll".*"records":200000'; : > hold) | sed 's/"estimate.*"flags"/"flags"/'
"method":"hll","flags":[],"records":200000

# A window by the clock goes on, and forgets.
$ for j in 1 3; do (echo an-item; exec cat hold) | ballpark top -j $j --window 1s --live=0.1 | (grep -m 1 -o '"rows":\[\],"total":0'; : > hold); done
"rows":[],"total":0
"rows":[],"total":0
$ for j in 1 3; do (echo an-item; exec cat hold) | ballpark distinct -j $j --window 1s --live=0.1 | (grep -m 1 -o '"estimate":0,'; : > hold); done
"estimate":0,
"estimate":0,
$ (echo an-item group; exec cat hold) | ballpark distinct -g 2 --top 5 --window 1s --live=0.1 | (grep -m 1 -o '"rows":\[\],"ceiling":0'; : > hold)
"rows":[],"ceiling":0
$ (echo an-item; exec cat hold) | ballpark top --half-life 1s --live=0.1 | (grep -m 1 -o '"key":"an-item","estimate":0\.[01]'; : > hold) | cut -c 1-29
"key":"an-item","estimate":0.
# One by the times of records stands still between them.
$ (echo 100 an-item; exec cat hold) | ballpark top --window 1m --time 1 -f 2 --live=0.1 | (grep -m 3 -c '"window_to":"1970-01-01T00:01:40+00:00"'; : > hold)
3

# Sketches among the inputs are in every answer, once.
$ ballpark top -q --window 1m --time 1 -f 2 --save t.bpk x > /dev/null; (echo 170 a; exec cat hold) | ballpark top --live=0.1 --time 1 -f 2 t.bpk - | (grep -m 3 -o '"key":"a","estimate":.'; : > hold)
"key":"a","estimate":2
"key":"a","estimate":2
"key":"a","estimate":2
$ ballpark distinct -q --window 1m --time 1 -f 2 --save d.bpk x; (printf '170 c\n10 late\n'; exec cat hold) | ballpark distinct -q --live=0.1 --time 1 -f 2 d.bpk - | (grep -m 3 -o '"estimate":.\|"late_records":.'; : > hold)
2
"estimate":3
"late_records":1
"estimate":3
"late_records":1
"estimate":3
"late_records":1
$ ballpark distinct d.bpk --live | grep -o '"estimate":.'
"estimate":2

# A signal: the last answer comes, what is to be saved is, and a record that was cut off is not in it.
$ mkfifo in; for how in 'INT -j 1' 'TERM -j 1' 'INT -j 3'; do set -- $how; rm -f out; (printf 'an-item\nanother\npart'; exec cat hold) > in & env --default-signal=INT ballpark top $2 $3 --live=0.1 --save s.bpk in > out & until grep -qs '"total":2' out; do sleep 0.1; done; kill -$1 $!; wait $!; echo $?; : > hold; tail -n 1 out | grep -o '"total":2\|"final":true'; ballpark top s.bpk; done
130
"total":2
"final":true
1	an-item
1	another
143
"total":2
"final":true
1	an-item
1	another
130
"total":2
"final":true
1	an-item
1	another
$ rm out; (printf 'an-item 1\nanother\n'; exec cat hold) > in & env --default-signal=INT ballpark distinct -f 2 --live=0.1 in > out & until grep -qs '"records":2' out; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; : > hold; tail -n 1 out | grep -o '"estimate":1\|"bad.*,"final":true' | sed 's/"sec[^,]*,//'
ballpark: 1 of 2 records lack a chosen field and were left out
130
"estimate":1
"bad_records":1,"final":true

# What makes no sense.
$ for s in 0 0.09 3601 -1 1% x '' 1e9; do ballpark top --live="$s" x; done
ballpark: --live 0: out of range: 0.1 to 3600
ballpark: --live 0.09: out of range: 0.1 to 3600
ballpark: --live 3601: out of range: 0.1 to 3600
ballpark: --live -1: out of range: 0.1 to 3600
ballpark: --live 1%: out of range: 0.1 to 3600
ballpark: --live x: out of range: 0.1 to 3600
ballpark: --live '': out of range: 0.1 to 3600
ballpark: --live 1e9: out of range: 0.1 to 3600
[exit 2]
$ ballpark top --live --csv x
ballpark: --live redraws a terminal or prints lines of JSON, not --csv
[exit 2]
$ ballpark distinct --live -o out x
ballpark: --live prints while it reads, and --output is replaced as a whole at the end
[exit 2]
$ ballpark distinct --live --save - x
ballpark: --live needs standard output for its answers; --save needs a file
[exit 2]
$ ballpark top --live --progress x
ballpark: --live and --progress contradict each other
[exit 2]
$ ballpark distinct --live --every 1h --time 1 x
ballpark: --every and --live contradict each other; --lateness prints as it goes
[exit 2]
$ ballpark count --live x -k a
ballpark: count does not take --live
[exit 2]
$ ballpark top --live --strict -w 2 x > out; echo $?; wc -l < out
ballpark: x: record 1: no weight (a whole number from 0 to 2^63-1)
3
0
