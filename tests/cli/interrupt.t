# A signal undoes what was begun: neither the output nor a temporary file is left.
$ mkfifo pipe; (exec sleep 3 > pipe) & timeout -s INT 1 ballpark dedup -o out pipe; echo $?
124
$ (exec sleep 3 > pipe) & timeout -s TERM 1 ballpark dedup -j 2 -o out pipe; echo $?
124
$ ls -A
pipe
# The exit is that of the signal, for the shell that asks.
$ (exec sleep 3 > pipe) & ballpark distinct pipe & sleep 1; kill -TERM $!; wait $!; echo $?
143
