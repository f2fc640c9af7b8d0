/* faults.h - a disk in memory behind the I/O table of file.c, which fails or loses its power at a chosen operation.
 *
 * A file has contents as processes see them and contents that would survive a power failure; fsync copies the first to
 * the second. The directory is treated alike. After a crash the disk may show the directory old or new, and of each
 * file any mix of old and new sectors. Names are compared as a whole: every file of a test lies in the directory "d/".
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <errno.h>
#include <fcntl.h>

#include "file_io.h"
#include "t.h"

enum {
    DISK_FILES = 12,
    DISK_NAMES = 6,
    DISK_FDS = 4,
    DISK_CAP = 8192, /* bytes of a file */
    DISK_SECTOR = 512,
    DISK_CHUNK = 700,           /* bytes that one read or write moves at most */
    DISK_DIRECTORY = DISK_FILES /* what a descriptor of the directory refers to */
};

/* What happens at the chosen operation. */
typedef enum fault {
    FAULT_EIO,
    FAULT_ENOSPC,
    FAULT_EDQUOT,
    FAULT_EINTR,
    FAULT_ONE_BYTE,
    FAULT_HALF,
    FAULT_NOTHING,
    FAULTS
} fault;

typedef struct disk_bytes {
    size_t n;
    uint8_t at[DISK_CAP];
} disk_bytes;
typedef struct disk_file {
    bool used, unsafe; /* unsafe: changed since the last fsync */
    unsigned mode, owner, group;
    disk_bytes now, durable;
} disk_file;
typedef struct disk_name {
    char text[64];
    int file; /* -1: a free entry */
    char link[64];
} disk_name;

typedef struct disk {
    disk_file file[DISK_FILES];
    disk_name name[DISK_NAMES], durable_name[DISK_NAMES];
    struct {
        int file; /* -1: closed */
        size_t at;
    } fd[DISK_FDS];
    long ops, fail_at, crash_at; /* operations are counted from 1; 0: never */
    fault kind;
    bool crashed, lying; /* lying: fsync does nothing and says it did */
    const char *failed;  /* the operation that failed on purpose */
    long syncs;
} disk;

static disk the_disk;

static inline void disk_reset(void) {
    memset(&the_disk, 0, sizeof the_disk);
    for (int i = 0; i < DISK_NAMES; i++) the_disk.name[i].file = the_disk.durable_name[i].file = -1;
    for (int i = 0; i < DISK_FDS; i++) the_disk.fd[i].file = -1;
}

static inline disk_name *disk_look(const char *path) {
    for (int i = 0; i < DISK_NAMES; i++)
        if (the_disk.name[i].file >= 0 && strcmp(the_disk.name[i].text, path) == 0) return &the_disk.name[i];
    return NULL;
}

/* A new empty file under a name. */
static inline int disk_create(const char *path, unsigned mode) {
    int f = 0, e = 0;
    while (f < DISK_FILES && the_disk.file[f].used) f++;
    while (e < DISK_NAMES && the_disk.name[e].file >= 0) e++;
    assert_true(f < DISK_FILES && e < DISK_NAMES && strlen(path) < 64);
    the_disk.file[f] = (disk_file){.used = true, .mode = mode, .unsafe = true};
    the_disk.name[e] = (disk_name){.file = f};
    strcpy(the_disk.name[e].text, path);
    return f;
}

/* A file that has been there for long. */
static inline void disk_put(const char *path, const void *bytes, size_t n) {
    disk_file *f = &the_disk.file[disk_create(path, 0640)];
    assert_true(n <= DISK_CAP);
    memcpy(f->now.at, bytes, n);
    f->now.n = n;
    f->durable = f->now;
    f->unsafe = false;
    memcpy(the_disk.durable_name, the_disk.name, sizeof the_disk.name);
}

/* ---- the plan: returns true when the operation must not happen; errno is set ---- */

static inline bool disk_step(const char *operation) {
    disk *d = &the_disk;
    static const int reasons[FAULTS] = {EIO, ENOSPC, EDQUOT, EINTR, EIO, EIO, EIO};
    d->ops++;
    if (d->crash_at && d->ops >= d->crash_at) d->crashed = true;
    if (d->crashed) errno = EIO;
    if (d->crashed || d->ops != d->fail_at) return d->crashed;
    d->failed = operation;
    errno = reasons[d->kind];
    return true;
}

/* For reads and writes, which may also do less than was asked: the bytes to move, or -1. */
static inline long disk_step_n(const char *operation, size_t n) {
    if (n > DISK_CHUNK) n = DISK_CHUNK;
    if (!disk_step(operation)) return (long)n;
    if (the_disk.crashed || the_disk.kind <= FAULT_EINTR) return -1;
    if (the_disk.kind == FAULT_ONE_BYTE) return n ? 1 : 0;
    return the_disk.kind == FAULT_HALF ? (long)(n / 2) : 0;
}

/* ---- the table ---- */

static inline int disk_open(const char *path, int flags, unsigned mode) {
    bool directory = flags & O_DIRECTORY;
    if (disk_step(directory ? "sync directory" : "open")) return -1;
    disk_name *e = directory ? NULL : disk_look(path);
    if (e && (flags & O_EXCL)) return errno = EEXIST, -1;
    if (!directory && !e && !(flags & O_CREAT)) return errno = ENOENT, -1;
    int fd = 0;
    while (fd < DISK_FDS && the_disk.fd[fd].file >= 0) fd++;
    assert_true(fd < DISK_FDS);
    the_disk.fd[fd].file = directory ? DISK_DIRECTORY : e ? e->file : disk_create(path, mode);
    the_disk.fd[fd].at = 0;
    return fd;
}

static inline long disk_read(int fd, void *bytes, size_t n) {
    const disk_bytes *from = &the_disk.file[the_disk.fd[fd].file].now;
    long k = disk_step_n("read", n);
    size_t left = from->n - the_disk.fd[fd].at;
    if (k < 0) return -1;
    if ((size_t)k > left) k = (long)left;
    memcpy(bytes, from->at + the_disk.fd[fd].at, (size_t)k);
    the_disk.fd[fd].at += (size_t)k;
    return k;
}

static inline long disk_write(int fd, const void *bytes, size_t n) {
    disk_file *f = &the_disk.file[the_disk.fd[fd].file];
    long k = disk_step_n("write", n);
    if (k < 0) return -1;
    assert_true(f->now.n + (size_t)k <= DISK_CAP);
    memcpy(f->now.at + f->now.n, bytes, (size_t)k);
    f->now.n += (size_t)k;
    f->unsafe = true;
    return k;
}

static inline int disk_fsync(int fd) {
    int file = the_disk.fd[fd].file;
    if (disk_step(file == DISK_DIRECTORY ? "sync directory" : "sync")) return -1;
    the_disk.syncs++;
    if (the_disk.lying) return 0;
    if (file == DISK_DIRECTORY) {
        memcpy(the_disk.durable_name, the_disk.name, sizeof the_disk.name);
        return 0;
    }
    the_disk.file[file].durable = the_disk.file[file].now;
    the_disk.file[file].unsafe = false;
    return 0;
}

static inline int disk_close(int fd) {
    bool directory = the_disk.fd[fd].file == DISK_DIRECTORY;
    bool fails = disk_step(directory ? "close directory" : "close");
    the_disk.fd[fd].file = -1;
    return fails ? -1 : 0;
}

static inline int disk_rename(const char *from, const char *to) {
    if (disk_step("rename")) return -1;
    disk_name *a = disk_look(from), *b = disk_look(to);
    assert_non_null(a);
    if (b) b->file = -1;
    strcpy(a->text, to);
    return 0;
}

static inline int disk_unlink(const char *path) {
    if (disk_step("unlink")) return -1;
    disk_name *e = disk_look(path);
    if (!e) return errno = ENOENT, -1;
    e->file = -1;
    return 0;
}

static inline long disk_readlink(const char *path, char *target, size_t cap) {
    if (disk_step("open")) return -1;
    const disk_name *e = disk_look(path);
    size_t n = e ? strlen(e->link) : 0;
    if (!n) return errno = e ? EINVAL : ENOENT, -1;
    memcpy(target, e->link, n < cap ? n : cap);
    return (long)n;
}

static inline void disk_describe(bpki_stat *st, int file) {
    const disk_file *f = &the_disk.file[file];
    *st = (bpki_stat){.regular = true, .mode = f->mode, .owner = f->owner, .group = f->group, .size = f->now.n};
}
static inline int disk_stat(const char *path, bpki_stat *st) {
    if (disk_step("open")) return -1;
    const disk_name *e = disk_look(path);
    if (!e) return errno = ENOENT, -1;
    disk_describe(st, e->file);
    return 0;
}
static inline int disk_fstat(int fd, bpki_stat *st) {
    if (disk_step("open")) return -1;
    disk_describe(st, the_disk.fd[fd].file);
    return 0;
}
static inline int disk_chown(int fd, unsigned owner, unsigned group) {
    if (disk_step("chown")) return -1;
    the_disk.file[the_disk.fd[fd].file].owner = owner;
    the_disk.file[the_disk.fd[fd].file].group = group;
    return 0;
}
static inline int disk_chmod(int fd, unsigned mode) {
    if (disk_step("open")) return -1;
    the_disk.file[the_disk.fd[fd].file].mode = mode;
    return 0;
}
static inline void *disk_map(int fd, size_t n) {
    (void)n;
    return disk_step("map") ? NULL : the_disk.file[the_disk.fd[fd].file].now.at;
}
static inline int disk_unmap(void *bytes, size_t n) {
    (void)bytes;
    (void)n;
    return disk_step("unmap") ? -1 : 0;
}
static inline long disk_process(void) {
    return 4711;
}

static const bpki_io disk_io = {
    .open = disk_open,
    .read = disk_read,
    .write = disk_write,
    .fsync = disk_fsync,
    .close = disk_close,
    .rename = disk_rename,
    .unlink = disk_unlink,
    .readlink = disk_readlink,
    .stat = disk_stat,
    .fstat = disk_fstat,
    .chown = disk_chown,
    .chmod = disk_chmod,
    .map = disk_map,
    .unmap = disk_unmap,
    .process = disk_process,
};

/* ---- afterwards ---- */

static inline int disk_open_files(void) {
    int n = 0;
    for (int i = 0; i < DISK_FDS; i++) n += the_disk.fd[i].file >= 0;
    return n;
}

/* Names that are there, the file itself included. */
static inline int disk_names(void) {
    int n = 0;
    for (int i = 0; i < DISK_NAMES; i++) n += the_disk.name[i].file >= 0;
    return n;
}

/* What a file may look like when the power is back: mix 0 lost every unsafe byte, mix 1 kept all, others mixed sectors.
 */
static inline void disk_survivor(disk_bytes *out, const disk_file *f, unsigned mix) {
    *out = mix == 0 || !f->unsafe ? f->durable : f->now;
    if (mix < 2 || !f->unsafe) return;
    for (size_t at = 0; at < out->n; at += DISK_SECTOR) {
        size_t n = out->n - at < DISK_SECTOR ? out->n - at : DISK_SECTOR;
        if (t_hash(mix, at) & 1) continue;
        memset(out->at + at, 0, n); /* allocated but never written */
        if (at < f->durable.n) memcpy(out->at + at, f->durable.at + at, f->durable.n - at < n ? f->durable.n - at : n);
    }
}

/* The contents of a path after the power failure; false when the name is lost. */
static inline bool disk_after_crash(disk_bytes *out, const char *path, bool directory_kept, unsigned mix) {
    const disk_name *names = directory_kept ? the_disk.name : the_disk.durable_name;
    for (int i = 0; i < DISK_NAMES; i++) {
        if (names[i].file < 0 || strcmp(names[i].text, path) != 0) continue;
        disk_survivor(out, &the_disk.file[names[i].file], mix);
        return true;
    }
    return false;
}

#endif
