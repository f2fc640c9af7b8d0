/* file.h - sketches in files: replaced as a whole or not at all, read back or mapped. POSIX.
 *
 * Saving writes a temporary file in the same directory, syncs it, renames it and syncs the directory: whatever happens,
 * the path holds the old contents or the new ones. A symbolic link is followed; the file's mode is kept, and its owner
 * where the system allows it. What is no regular file (a directory, a pipe, a device) is never replaced. A process that
 * is killed leaves its temporary file, .NAME.tmp.PROCESS.N, behind.
 */
#ifndef BALLPARK_FILE_H
#define BALLPARK_FILE_H

#include <ballpark/sketch.h>

/* SYNC waits for the disk; FAST leaves that to the system: after a power failure the file may be empty or old. */
typedef enum bpk_durability { BPK_SYNC = 0, BPK_FAST = 1 } bpk_durability;

/* A file that is about to replace `path`. `err` names the operation in field and the system's reason in other. */
typedef struct bpk_writer bpk_writer;
BPK_API bpk_status bpk_writer_open(bpk_writer **out, const char *path, const bpk_env *env, bpk_err *err);
BPK_API bpk_status bpk_writer_put(void *writer, const void *bytes, size_t n); /* a bpk_sink; buffered */
/* Puts the file in place and frees the writer, also on failure, when the old file stays as it was. BPK_E_UNDURABLE: the
 * new contents are in place but the directory could not be synced. */
BPK_API bpk_status bpk_writer_commit(bpk_writer *w, bpk_durability d, bpk_err *err);
BPK_API void bpk_writer_abort(bpk_writer *w); /* NULL is fine */

/* Replaces `path` by n sketches, 1 or more, one behind the other. */
BPK_API bpk_status bpk_file_save(const char *path, const bpk_sketch *const *s, size_t n, bpk_form f, bpk_durability d,
                                 bpk_err *err);

/* Reads the sketches of a file or a pipe: *out becomes an array of *n, 1 or more, that bpk_file_close() frees. Refused
 * when a byte follows the last. All of them together take at most env->max_bytes; while reading, the bytes come on top.
 */
BPK_API bpk_status bpk_file_load(const char *path, bpk_sketch ***out, size_t *n, const bpk_env *env, bpk_err *err);
BPK_API void bpk_file_close(bpk_sketch **s, size_t n);

/* The bytes of a regular file, mapped read-only, for bpk_view_open(). Truncating a mapped file kills its readers:
 * replace it as bpk_file_save() does. An empty file has n = 0. */
typedef struct bpk_map {
    const void *bytes;
    size_t n;
} bpk_map;
BPK_API bpk_status bpk_file_map(bpk_map *m, const char *path, bpk_err *err);
BPK_API void bpk_file_unmap(bpk_map *m);

#endif
