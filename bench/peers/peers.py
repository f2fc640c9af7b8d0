# peers.py - Python's set and Counter at the questions of bench/peers/run: distinct FILE, top FILE FIELD N,
# members KEYS STRANGERS, counts EPSILON STREAM TRUTH. The last two print what members.c and counts.c print.
import sys
import time
from collections import Counter


def lines(path):
    with open(path, "rb") as file:
        return file.read().split(b"\n")[:-1]


def distinct(path):
    with open(path, "rb") as file:
        print(len(set(file)))


def top(path, field, n):
    at = int(field) - 1
    with open(path, "rb") as file:
        count = Counter(line.split(None, at + 1)[at] for line in file)
    for key, times in count.most_common(int(n)):
        print(times, key.decode(), sep="\t")


def nanoseconds(start, n):
    return (time.process_time() - start) * 1e9 / n


def size(container):
    return sys.getsizeof(container) + sum(map(sys.getsizeof, container))


def members(keys_path, strangers_path):
    keys, strangers = lines(keys_path), lines(strangers_path)
    start = time.process_time()
    seen = set()
    for key in keys:
        seen.add(key)
    insert = nanoseconds(start, len(keys))
    start = time.process_time()
    false_yes = 0
    for key in strangers:
        false_yes += key in seen
    ask = nanoseconds(start, len(strangers))
    false_no = sum(key not in seen for key in keys)
    print(f"{insert:.2f}\t{ask:.2f}\t{false_yes}\t{false_no}\t{size(seen)}")


def counts(epsilon, stream_path, truth_path):
    stream = lines(stream_path)
    truth = [line.split(b" ", 1) for line in lines(truth_path)]
    start = time.process_time()
    count = Counter(stream)
    add = nanoseconds(start, len(stream))
    start = time.process_time()
    answer = [count[key] for _, key in truth]
    ask = nanoseconds(start, len(truth))
    off = [a - int(t[0]) for a, t in zip(answer, truth)]
    light = [o for o, t in zip(off, truth) if int(t[0]) <= 10]
    above = sum(o > float(epsilon) * len(stream) for o in off)
    under = sum(o < 0 for o in off)
    mean = sum(light) / max(1, len(light))
    print(f"{add:.2f}\t{ask:.2f}\t{mean:.3f}\t{above}\t{under}\t{len(truth)}\t{size(count)}")


{"distinct": distinct, "top": top, "members": members, "counts": counts}[sys.argv[1]](*sys.argv[2:])
