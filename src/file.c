/* file.c - sketches in files: replaced as a whole or not at all, read back or mapped. POSIX, as nothing else here.
 *
 * Saving: follow symbolic links to the name that is to be replaced; create .NAME.tmp.PROCESS.N beside it, exclusively;
 * write; fsync; close; rename; fsync the directory. Before the rename every failure removes the temporary file and
 * leaves the old one; after it the new contents are in place. A failed fsync is never repeated: the system may have
 * dropped the dirty pages and would report success (PostgreSQL's finding of 2018). A process that is killed leaves its
 * temporary file behind, whose name says whose it was.
 *
 * Only regular files are replaced or mapped: a device or a pipe cannot be renamed over. Reading takes pipes too.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <ballpark/file.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* rename, which the standard keeps there */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "file_io.h"

enum {
    PATH_CAP = 4096,    /* bytes of a path with its terminating zero, as in Linux */
    NAME_PART = 200,    /* of a file's name that its temporary name repeats: names end at 255 bytes */
    LINKS_MAX = 40,     /* symbolic links followed before it is called a loop, as in Linux */
    NAMES_TRIED = 1000, /* temporary names, when others are taken */
    BUFFER = 64 * 1024, /* of a writer, and the first one of a reader */
    SLACK = 256 * 1024, /* header, padding, metadata, checksum: what bytes may have beyond the limit of a sketch */
    MAGIC = 8,          /* bytes after which bpk_sniff is certain */
};

/* ---- the system ---- */

static int system_open(const char *path, int flags, unsigned mode) {
    return open(path, flags, (mode_t)mode);
}
static long system_read(int fd, void *bytes, size_t n) {
    return (long)read(fd, bytes, n);
}
static long system_write(int fd, const void *bytes, size_t n) {
    return (long)write(fd, bytes, n);
}
static long system_readlink(const char *path, char *target, size_t cap) {
    return (long)readlink(path, target, cap);
}
static void to_stat(bpki_stat *to, const struct stat *from) {
    *to = (bpki_stat){.regular = S_ISREG(from->st_mode),
                      .directory = S_ISDIR(from->st_mode),
                      .mode = from->st_mode & 0777,
                      .owner = from->st_uid,
                      .group = from->st_gid,
                      .size = (uint64_t)from->st_size};
}
static int system_stat(const char *path, bpki_stat *st) {
    struct stat s;
    if (stat(path, &s)) return -1;
    to_stat(st, &s);
    return 0;
}
static int system_fstat(int fd, bpki_stat *st) {
    struct stat s;
    if (fstat(fd, &s)) return -1;
    to_stat(st, &s);
    return 0;
}
static int system_chown(int fd, unsigned owner, unsigned group) {
    return fchown(fd, owner, group);
}
static int system_chmod(int fd, unsigned mode) {
    return fchmod(fd, (mode_t)mode);
}
static void *system_map(int fd, size_t n) {
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}
static long system_process(void) {
    return (long)getpid();
}

const bpki_io bpki_io_system = {
    .open = system_open,
    .read = system_read,
    .write = system_write,
    .fsync = fsync,
    .close = close,
    .rename = rename,
    .unlink = unlink,
    .readlink = system_readlink,
    .stat = system_stat,
    .fstat = system_fstat,
    .chown = system_chown,
    .chmod = system_chmod,
    .map = system_map,
    .unmap = munmap,
    .process = system_process,
};
const bpki_io *bpki_io_now = &bpki_io_system;

/* ---- errors ---- */

/* `operation` failed, and `reason` is an error number of the system. */
static bpk_status refused(bpk_err *err, const char *operation, int reason) {
    return bpki_fail_value(err, BPK_E_SINK, operation, strerror(reason));
}

static bpk_status not_a_file(bpk_err *err, const char *operation, const bpki_stat *st) {
    if (st->directory) return refused(err, operation, EISDIR);
    return bpki_fail_value(err, BPK_E_SINK, operation, "not a regular file");
}

static int open_patiently(const char *path, int flags, unsigned mode) {
    int fd;
    do fd = bpki_io_now->open(path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Linux has closed the file when it says EINTR. */
static int close_once(int fd) {
    return bpki_io_now->close(fd) && errno != EINTR ? -1 : 0;
}

/* For files whose fate is decided already. */
static void close_quietly(int fd) {
    if (fd >= 0) (void)bpki_io_now->close(fd);
}

/* ---- writing ---- */

struct bpk_writer {
    bpk_env env;
    int fd;
    const char *operation; /* that failed, with its reason; NULL: none so far */
    int reason;
    size_t fill;
    char path[PATH_CAP]; /* with symbolic links followed */
    char temp[PATH_CAP + 64];
    uint8_t buffer[BUFFER];
};

/* The bytes of a path that name its directory, up to and with the last slash. */
static size_t directory_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Replaces path by the link's target as seen from there. Returns 0 or an error number; *link tells whether it was one.
 */
static int follow_one(char path[PATH_CAP], bool *link) {
    char target[PATH_CAP];
    long n = bpki_io_now->readlink(path, target, sizeof target);
    *link = n >= 0;
    if (n < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
    size_t len = (size_t)n, at = n > 0 && target[0] == '/' ? 0 : directory_length(path);
    if (at + len >= PATH_CAP) return ENAMETOOLONG;
    memcpy(path + at, target, len);
    path[at + len] = 0;
    return 0;
}

static int follow_links(char path[PATH_CAP]) {
    for (int i = 0; i <= LINKS_MAX; i++) {
        bool link = false;
        int reason = follow_one(path, &link);
        if (reason || !link) return reason;
    }
    return ELOOP;
}

static size_t append(char *text, size_t at, const char *more, size_t n) {
    memcpy(text + at, more, n);
    text[at + n] = 0;
    return at + n;
}

/* .NAME.tmp.PROCESS.N in the directory of w->path. */
static void name_temp(bpk_writer *w, unsigned n) {
    char number[21];
    size_t dir = directory_length(w->path), name = strlen(w->path + dir);
    size_t at = append(w->temp, 0, w->path, dir);
    at = append(w->temp, at, ".", 1);
    at = append(w->temp, at, w->path + dir, name < NAME_PART ? name : NAME_PART);
    at = append(w->temp, at, ".tmp.", 5);
    bpki_decimal(number, (uint64_t)bpki_io_now->process());
    at = append(w->temp, at, number, strlen(number));
    at = append(w->temp, at, ".", 1);
    bpki_decimal(number, n);
    (void)append(w->temp, at, number, strlen(number));
}

/* Opens the temporary file under the first name that is free; returns 0 or an error number. */
static int open_temp(bpk_writer *w, unsigned mode) {
    for (unsigned n = 0; n < NAMES_TRIED; n++) {
        name_temp(w, n);
        w->fd = open_patiently(w->temp, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (w->fd >= 0) return 0;
        if (errno != EEXIST) return errno;
    }
    return EEXIST;
}

/* The new file belongs to whom the old one belonged, where that is allowed, and keeps its mode in any case. */
static int keep_mode(const bpk_writer *w, const bpki_stat *old) {
    (void)bpki_io_now->chown(w->fd, old->owner, old->group);
    return bpki_io_now->chmod(w->fd, old->mode) ? errno : 0;
}

/* Fails with nothing left behind but the writer's memory. */
static bpk_status prepare(bpk_writer *w, bpk_err *err) {
    bpki_stat old;
    int reason = follow_links(w->path);
    if (reason) return refused(err, "open", reason);
    bool exists = bpki_io_now->stat(w->path, &old) == 0;
    if (!exists && errno != ENOENT) return refused(err, "open", errno);
    if (exists && !old.regular) return not_a_file(err, "open", &old);
    if (!exists && !w->path[directory_length(w->path)]) return refused(err, "open", w->path[0] ? EISDIR : ENOENT);
    reason = open_temp(w, exists ? old.mode : 0666);
    if (reason) return refused(err, "open", reason);
    reason = exists ? keep_mode(w, &old) : 0;
    if (!reason) return BPK_OK;
    close_quietly(w->fd);
    (void)bpki_io_now->unlink(w->temp);
    return refused(err, "open", reason);
}

static void writer_free(bpk_writer *w) {
    const bpk_env env = w->env;
    bpki_release(&env, w, sizeof *w);
}

bpk_status bpk_writer_open(bpk_writer **out, const char *path, const bpk_env *env, bpk_err *err) {
    size_t len = strlen(path);
    void *p = NULL;
    if (len >= PATH_CAP) return refused(err, "open", ENAMETOOLONG);
    bpk_status st = bpki_alloc(bpki_env(env), sizeof(bpk_writer), &p);
    if (st != BPK_OK) return bpki_fail(err, st, "open");
    bpk_writer *w = p;
    w->env = *bpki_env(env);
    memcpy(w->path, path, len + 1);
    st = prepare(w, err);
    if (st != BPK_OK) {
        writer_free(w);
        return st;
    }
    *out = w;
    return BPK_OK;
}

/* Remembers the first failure. */
static bpk_status broken(bpk_writer *w, const char *operation, int reason) {
    if (!w->operation) {
        w->operation = operation;
        w->reason = reason;
    }
    return BPK_E_SINK;
}

static bpk_status write_all(bpk_writer *w, const uint8_t *bytes, size_t n) {
    while (n) {
        long k = bpki_io_now->write(w->fd, bytes, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return broken(w, "write", errno);
        if (k == 0) return broken(w, "write", EIO);
        bytes += k;
        n -= (size_t)k;
    }
    return BPK_OK;
}

static bpk_status flush(bpk_writer *w) {
    size_t n = w->fill;
    w->fill = 0;
    return write_all(w, w->buffer, n);
}

bpk_status bpk_writer_put(void *writer, const void *bytes, size_t n) {
    bpk_writer *w = writer;
    if (w->operation) return BPK_E_SINK;
    if (n > BUFFER - w->fill) BPK_TRY(flush(w));
    if (n >= BUFFER) return write_all(w, bytes, n);
    if (n) memcpy(w->buffer + w->fill, bytes, n);
    w->fill += n;
    return BPK_OK;
}

/* Everything up to a complete file under its temporary name. Closes it in any case. */
static void finish(bpk_writer *w, bpk_durability d) {
    if (!w->operation) (void)flush(w);
    if (!w->operation && d == BPK_SYNC && bpki_io_now->fsync(w->fd)) (void)broken(w, "sync", errno);
    if (close_once(w->fd)) (void)broken(w, "close", errno);
}

static bpk_status sync_directory(bpk_writer *w, bpk_err *err) {
    size_t n = directory_length(w->path);
    w->path[n] = 0;
    int fd = open_patiently(n ? w->path : ".", O_RDONLY | O_DIRECTORY, 0);
    int reason = fd < 0 || bpki_io_now->fsync(fd) ? errno : 0;
    close_quietly(fd);
    return reason ? bpki_fail_value(err, BPK_E_UNDURABLE, "sync directory", strerror(reason)) : BPK_OK;
}

bpk_status bpk_writer_commit(bpk_writer *w, bpk_durability d, bpk_err *err) {
    bpk_status st = BPK_OK;
    finish(w, d);
    if (!w->operation && bpki_io_now->rename(w->temp, w->path)) (void)broken(w, "rename", errno);
    if (w->operation) {
        (void)bpki_io_now->unlink(w->temp);
        st = refused(err, w->operation, w->reason);
    } else if (d == BPK_SYNC) {
        st = sync_directory(w, err);
    }
    writer_free(w);
    return st;
}

void bpk_writer_abort(bpk_writer *w) {
    if (!w) return;
    close_quietly(w->fd);
    (void)bpki_io_now->unlink(w->temp);
    writer_free(w);
}

bpk_status bpk_file_save(const char *path, const bpk_sketch *const *s, size_t n, bpk_form f, bpk_durability d,
                         bpk_err *err) {
    bpk_writer *w = NULL;
    if (!n) return bpki_fail(err, BPK_E_ARG, "sketches");
    BPK_TRY(bpk_writer_open(&w, path, NULL, err));
    bpk_status st = BPK_OK;
    for (size_t i = 0; i < n && st == BPK_OK; i++) st = bpk_encode(s[i], f, bpk_writer_put, w);
    if (st == BPK_OK || w->operation) return bpk_writer_commit(w, d, err); /* which reports what has failed */
    bpk_writer_abort(w);
    return bpki_fail(err, st, "encode");
}

/* ---- reading ---- */

/* The bytes of a file in a buffer that grows as they arrive. */
typedef struct contents {
    bpk_env env; /* with the limit of a file */
    uint8_t *p;
    size_t cap, fill;
} contents;

static bpk_status contents_resize(contents *c, size_t cap) {
    void *p = NULL;
    BPK_TRY(bpki_alloc(&c->env, cap, &p));
    if (c->fill) memcpy(p, c->p, c->fill);
    bpki_release(&c->env, c->p, c->cap);
    c->p = p;
    c->cap = cap;
    return BPK_OK;
}

/* Room for one more byte at least: twice as much, or what the limit leaves. */
static bpk_status contents_grow(contents *c) {
    uint64_t most = c->env.max_bytes, cap = c->cap > most / 2 ? most : 2 * (uint64_t)c->cap;
    if (c->cap >= most) return BPK_E_LIMIT;
    return contents_resize(c, cap > SIZE_MAX ? SIZE_MAX : (size_t)cap);
}

/* Reads up to the end, or until it is clear that this is no sketch, which the decoder then says. */
static bpk_status read_all(contents *c, int fd, bpk_err *err) {
    for (;;) {
        bpk_status st = c->fill < c->cap ? BPK_OK : contents_grow(c);
        if (st != BPK_OK) return bpki_fail(err, st, "read");
        long k = bpki_io_now->read(fd, c->p + c->fill, c->cap - c->fill);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return refused(err, "read", errno);
        c->fill += (size_t)k;
        if (k == 0 || (c->fill >= MAGIC && !bpk_sniff(c->p, c->fill))) return BPK_OK;
    }
}

/* A first buffer that takes a regular file and one byte more, by which its end is seen. */
static bpk_status contents_open(contents *c, int fd, bpk_err *err) {
    bpki_stat info;
    if (bpki_io_now->fstat(fd, &info)) return refused(err, "open", errno);
    if (info.directory) return refused(err, "open", EISDIR);
    bool fits = info.regular && info.size < c->env.max_bytes && info.size < SIZE_MAX;
    if (info.regular && !fits) return bpki_fail(err, BPK_E_LIMIT, "read");
    bpk_status st = contents_resize(c, fits ? (size_t)info.size + 1 : BUFFER);
    return st == BPK_OK ? st : bpki_fail(err, st, "read");
}

static bpk_status contents_read(contents *c, const char *path, bpk_err *err) {
    int fd = open_patiently(path, O_RDONLY | O_NOCTTY, 0);
    if (fd < 0) return refused(err, "open", errno);
    bpk_status st = contents_open(c, fd, err);
    if (st == BPK_OK) st = read_all(c, fd, err);
    close_quietly(fd);
    return st;
}

/* What stands before the array that the caller sees. */
typedef struct sketches {
    bpk_env env;
    size_t n, cap; /* of `at` */
    bpk_sketch *at[];
} sketches;

static size_t sketches_size(size_t cap) {
    return sizeof(sketches) + cap * sizeof(bpk_sketch *);
}

/* Room for one more. */
static bpk_status sketches_grow(sketches **l, const bpk_env *env) {
    sketches *old = *l;
    if (old && old->n < old->cap) return BPK_OK;
    size_t cap = old ? 2 * old->cap : 1;
    void *p = NULL;
    BPK_TRY(bpki_alloc(env, sketches_size(cap), &p));
    sketches *fresh = p;
    if (old) memcpy(fresh, old, sketches_size(old->n));
    if (old) bpki_release(env, old, sketches_size(old->cap));
    fresh->env = *env;
    fresh->cap = cap;
    *l = fresh;
    return BPK_OK;
}

static void sketches_free(sketches *l) {
    if (!l) return;
    const bpk_env env = l->env;
    for (size_t i = 0; i < l->n; i++) bpk_free(l->at[i]);
    bpki_release(&env, l, sketches_size(l->cap));
}

/* Reads the sketch at *at and moves behind it. */
static bpk_status decode_next(sketches **l, const contents *c, size_t *at, const bpk_env *env, bpk_err *err) {
    size_t used = 0;
    bpk_err fault = {0};
    bool more = *at > 0;
    if (more && !bpk_sniff(c->p + *at, c->fill - *at)) return bpki_fail_at(err, BPK_E_CORRUPT, "trailing bytes", *at);
    bpk_status st = sketches_grow(l, env);
    if (st != BPK_OK) return bpki_fail(err, st, "read");
    st = bpk_decode(&(*l)->at[(*l)->n], c->p + *at, c->fill - *at, &used, env, &fault);
    if (st != BPK_OK) {
        fault.offset += *at;
        if (err) *err = fault;
        return st;
    }
    (*l)->n++;
    *at += used;
    return BPK_OK;
}

static bpk_status decode_all(sketches **l, const contents *c, const bpk_env *env, bpk_err *err) {
    uint64_t held = 0;
    size_t at = 0;
    do {
        BPK_TRY(decode_next(l, c, &at, env, err));
        held += bpk_memory((*l)->at[(*l)->n - 1]);
        if (held > env->max_bytes) return bpki_fail(err, BPK_E_LIMIT, "sketches");
    } while (at < c->fill);
    return BPK_OK;
}

bpk_status bpk_file_load(const char *path, bpk_sketch ***out, size_t *n, const bpk_env *env, bpk_err *err) {
    const bpk_env *e = bpki_env(env);
    contents c = {.env = *e};
    sketches *l = NULL;
    c.env.max_bytes = e->max_bytes > UINT64_MAX - SLACK ? UINT64_MAX : e->max_bytes + SLACK;
    bpk_status st = contents_read(&c, path, err);
    if (st == BPK_OK) st = decode_all(&l, &c, e, err);
    bpki_release(&c.env, c.p, c.cap);
    if (st != BPK_OK) {
        sketches_free(l);
        return st;
    }
    *out = l->at;
    *n = l->n;
    return BPK_OK;
}

void bpk_file_close(bpk_sketch **s, size_t n) {
    if (!s) return;
    void *start = (uint8_t *)s - offsetof(sketches, at);
    sketches *l = start;
    assert(l->n == n);
    (void)n;
    sketches_free(l);
}

/* ---- mapping ---- */

static bpk_status map_open(bpk_map *m, int fd, bpk_err *err) {
    bpki_stat info;
    if (bpki_io_now->fstat(fd, &info)) return refused(err, "open", errno);
    if (!info.regular) return not_a_file(err, "open", &info);
    if (info.size > SIZE_MAX) return refused(err, "map", EFBIG);
    size_t n = (size_t)info.size;
    void *p = n ? bpki_io_now->map(fd, n) : NULL;
    if (n && !p) return refused(err, "map", errno);
    *m = (bpk_map){p, n};
    return BPK_OK;
}

/* Without O_NONBLOCK the opening of a pipe would wait for somebody to write. */
bpk_status bpk_file_map(bpk_map *m, const char *path, bpk_err *err) {
    int fd = open_patiently(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0) return refused(err, "open", errno);
    bpk_status st = map_open(m, fd, err);
    close_quietly(fd);
    return st;
}

void bpk_file_unmap(bpk_map *m) {
    void *p;
    memcpy(&p, &m->bytes, sizeof p); /* bytes are const to users alone */
    if (m->n) (void)bpki_io_now->unmap(p, m->n);
    *m = (bpk_map){NULL, 0};
}
