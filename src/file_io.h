/* file_io.h - layer 3, for file.c and its tests only: the system calls of file.c, as a table that tests replace.
 *
 * Each call returns what its POSIX namesake does and sets errno. No type of the system appears, so that a test sees the
 * same table whatever the width of its off_t.
 */
#ifndef BPKI_FILE_IO_H
#define BPKI_FILE_IO_H

#include <ballpark/base.h>

typedef struct bpki_stat {
    bool regular, directory;
    unsigned mode; /* permission bits */
    unsigned owner, group;
    uint64_t size;
} bpki_stat;

typedef struct bpki_io {
    int (*open)(const char *path, int flags, unsigned mode);
    long (*read)(int fd, void *bytes, size_t n);
    long (*write)(int fd, const void *bytes, size_t n);
    int (*fsync)(int fd);
    int (*close)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    long (*readlink)(const char *path, char *target, size_t cap);
    int (*stat)(const char *path, bpki_stat *st);
    int (*fstat)(int fd, bpki_stat *st);
    int (*chown)(int fd, unsigned owner, unsigned group);
    int (*chmod)(int fd, unsigned mode);
    void *(*map)(int fd, size_t n); /* NULL on failure */
    int (*unmap)(void *bytes, size_t n);
    long (*process)(void); /* its number, for names that no other process picks */
} bpki_io;

extern const bpki_io bpki_io_system;
extern const bpki_io *bpki_io_now; /* &bpki_io_system, unless a test says otherwise */

#endif
