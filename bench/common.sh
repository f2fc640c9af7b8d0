# common.sh - what the scripts of benches share, sourced from the root of the tree: files that are the same at every
# run, the median of what a command cost, the machine. $folder is where files are, $name is what is being measured.
PATH="$PWD/build:$PATH"
export LC_ALL=C
cost=build/bench/bench_cost

# Lines of a fixed width; each is one of `keys`, drawn evenly, and the same at every run.
make_file() { # PATH BYTES WIDTH KEYS
    [ ! -s "$1" ] || return 0
    awk -v bytes="$2" -v width="$3" -v keys="$4" 'BEGIN {
        state = 4242
        while (length(filler) < width) filler = filler "abcdefghijklmnopqrstuvwxyz/?=0123456789 "
        for (n = int(bytes / width); n > 0; n--) {
            state = (state * 16807) % 2147483647
            print substr(sprintf("%010.0f ", state % keys * 7919 % 10000000000) filler, 1, width - 1)
        }
    }' >"$1.part"
    mv "$1.part" "$1"
}
# A combined log; the clients' counts fall as 1/rank.
make_log() { # PATH LINES
    [ ! -s "$1" ] || return 0
    awk -v lines="$2" 'BEGIN {
        state = 4242
        for (n = 0; n < lines; n++) {
            state = (state * 16807) % 2147483647
            rank = int(exp(log(300000) * state / 2147483647)) * 7919 % 16777213
            printf "10.%d.%d.%d - - [10/Oct/2026:13:%02d:%02d +0000] \"GET /page/%d?from=%d HTTP/1.1\" 200 %d " \
                "\"-\" \"Mozilla/5.0 (X11; Linux x86_64)\"\n", rank / 65536, rank / 256 % 256, rank % 256, n / 60 % 60,
                n % 60, state % 5000, n % 97, state % 100000
        }
    }' >"$1.part"
    mv "$1.part" "$1"
}

# Column 1 is seconds of the processor, 2 the largest KiB, 3 seconds of the clock.
median() { # NAME COLUMN
    sort -n -k"$2,$2" "$folder/cost.$name.$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

machine_of() {
    local model
    model=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
    echo "${model:-$(uname -m)}"
}
compiler_of() { "$(awk -F= '/^CMAKE_C_COMPILER:/ { print $2 }' build/CMakeCache.txt)" --version | head -n 1; }
commit_of() { git rev-parse --short HEAD 2>/dev/null || echo none; }
