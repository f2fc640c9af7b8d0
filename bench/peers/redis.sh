# redis.sh - a Redis server for bench/peers/run, which sources this: on a socket below $folder, without a disk, with its
# processor time and memory.
redis_pid=

redis() { redis-cli -s "$folder/redis/redis.sock" "$@"; }

redis_start() { # fails where there is no redis-server, or none that answers within five seconds
    command -v redis-server >/dev/null && command -v redis-cli >/dev/null || return 1
    mkdir -p "$folder/redis"
    rm -f "$folder/redis/redis.sock"
    (cd "$folder/redis" && exec redis-server --port 0 --unixsocket redis.sock --save '' --appendonly no --daemonize no \
        >log 2>&1 9>&-) &
    redis_pid=$!
    for ((i = 0; i < 50; i++)); do
        [ "$(redis ping 2>&1)" != PONG ] || return 0
        sleep 0.1
    done
    redis_stop
    return 1
}
redis_stop() {
    [ -n "$redis_pid" ] || return 0
    kill "$redis_pid" 2>/dev/null || true
    wait "$redis_pid" 2>/dev/null || true
    redis_pid=
}

# Seconds that the server has used, and its largest resident KiB.
redis_seconds() { redis info cpu | tr -d '\r' | awk -F: '/^used_cpu_(sys|user):/ { s += $2 } END { print s }'; }
redis_peak() { awk '/^VmHWM/ { print $2 }' "/proc/$redis_pid/status"; }

# As `attempt`, from an empty server, and what the server used is added to what its clients did.
redis_attempt() { # KEY
    local before after costs=$folder/cost.$name.$1
    redis flushall >/dev/null
    before=$(redis_seconds)
    attempt "$1"
    after=$(redis_seconds)
    awk -v more="$(redis_peak)" -v before="$before" -v after="$after" '
        { line[NR] = $0 }
        END {
            for (i = 1; i < NR; i++) print line[i]
            split(line[NR], used, " ")
            print used[1] + after - before, (used[2] > more ? used[2] : more), used[3]
        }' "$costs" >"$costs.sum"
    mv "$costs.sum" "$costs"
}
