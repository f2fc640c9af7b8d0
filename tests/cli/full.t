#needs ROOT
# A disk that is really full, 100 KiB of memory that only the command sees: the old file stays, and nothing beside it.
$ seq 100000 > n; seq 5000 | ballpark build hll -o old; mkdir disk
$ printf '%s\n' 'mount -t tmpfs -o size=100k tmpfs disk && cp old disk' 'cat n > disk/filler 2>&1' '"$@"; echo "code $?"' 'cmp old disk/old && ls -A disk' > on-full-disk
$ unshare -m bash on-full-disk ballpark distinct --exact-limit 0 --save disk/old n
100000
ballpark: disk/old: cannot write: No space left on device
code 2
filler
old
$ unshare -m bash on-full-disk ballpark distinct -o disk/old n
ballpark: disk/old: cannot write: No space left on device
code 2
filler
old
$ unshare -m bash on-full-disk ballpark dedup -o disk/old n
ballpark: disk/old: cannot write: No space left on device
code 2
filler
old
$ unshare -m bash on-full-disk ballpark build hll --append -o disk/old n
ballpark: disk/old: cannot write: No space left on device
code 2
.old.lock
filler
old
$ unshare -m bash on-full-disk ballpark merge -o disk/old old old
ballpark: disk/old: cannot write: No space left on device
code 2
filler
old
$ unshare -m bash on-full-disk ballpark dedup -q -c --state disk/new n
unique	100000
total	100000
ballpark: disk/new: cannot write: No space left on device
code 2
.new.lock
filler
old
$ ls -A disk
