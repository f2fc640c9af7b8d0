/* volume.c - the density of record ends in a few blocks, times the bytes.
 *
 * Blocks are spread, since the first records may be like no others: a long header, or numbers that rise and get longer.
 */
#define _POSIX_C_SOURCE 200809L
#include "volume.h"

#include "source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 4, BLOCK = 16 * 1024 }; /* of a file */

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

static bool lies_in_file(const char *path) {
    struct stat st;
    return (is_standard(path) ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 && S_ISREG(st.st_mode);
}

bool volume_in_files(const input_options *o) {
    if (!o->n_files) return lies_in_file("-");
    for (size_t i = 0; i < o->n_files; i++)
        if (!lies_in_file(o->files[i])) return false;
    return true;
}

/* Where the i-th block begins: in the middle of its part, or one behind the other where the file is all blocks. */
static off_t place_of(int i, off_t size) {
    off_t part = size / BLOCKS;
    return part > BLOCK ? i * part + (part - BLOCK) / 2 : (off_t)i * BLOCK;
}

/* A block without any end counts as one record: there are no more than that. */
static double ends_in(const uint8_t *block, size_t n, char terminator) {
    double ends = 0;
    for (size_t i = 0; i < n; i++) ends += block[i] == (uint8_t)terminator;
    return ends > 0 ? ends : 1;
}

/* The bytes from `start` on are `size`. */
static bool sample(int fd, off_t start, off_t size, char terminator, double *records) {
    uint8_t block[BLOCK];
    double read = 0, ends = 0;
    ssize_t got = pread(fd, block, SOURCE_HEAD, start);
    if (got < 0 || source_compressed(block, (size_t)got)) return false;
    for (int i = 0; i < BLOCKS && place_of(i, size) < size; i++) {
        got = pread(fd, block, BLOCK, start + place_of(i, size));
        if (got < 0) return false;
        if (got > 0) ends += ends_in(block, (size_t)got, terminator);
        read += (double)got;
    }
    *records = read > 0 ? ends * ((double)size / read) : 0;
    return true;
}

/* From where standard input stands. */
static bool records_of(const char *path, char terminator, double *records) {
    int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    off_t start = fd == STDIN_FILENO ? lseek(fd, 0, SEEK_CUR) : 0;
    bool told = fd >= 0 && start >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    told = told && sample(fd, start, st.st_size > start ? st.st_size - start : 0, terminator, records);
    if (fd >= 0 && fd != STDIN_FILENO) close(fd);
    return told;
}

bool volume_records(const input_options *o, double *records) {
    double all = 0, some;
    if (!volume_in_files(o)) return false;
    if (!o->n_files) return records_of("-", o->terminator, records);
    for (size_t i = 0; i < o->n_files; i++) {
        if (!records_of(o->files[i], o->terminator, &some)) return false;
        all += some;
    }
    *records = all;
    return true;
}
