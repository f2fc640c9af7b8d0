/* source.h - one input as a stream of bytes: a file, a pipe or standard input, decompressed when it is gzip or zstd.
 *
 * Compression is known by the first bytes, never by the name. Concatenated gzip members and zstd frames are one stream.
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SOURCE_HEAD = 64 }; /* the most that source_peek() shows */

typedef struct source source;

/* Opens `path` ("-" is standard input). NULL: *why is set to a text that stays valid until the thread's next call. */
source *source_open(const char *path, const char **why);
void source_close(source *s); /* NULL is fine; standard input stays open */

/* The first bytes after decompression, without taking them: all of a shorter stream, otherwise as many as are needed to
 * tell a sketch from a text. Only before the first source_read(). */
size_t source_peek(const source *s, const uint8_t **bytes);

/* Takes up to n (1 or more) bytes, what is there at once; 0 at the end, -1 on a failure, see source_fault(). */
ssize_t source_read(source *s, uint8_t *to, size_t n);
const char *source_fault(const source *s);

/* Whether these first bytes are those of a compression that is undone here. */
bool source_compressed(const uint8_t *bytes, size_t n);

bool source_reopens(const source *s);   /* a regular file with a name: may be closed and opened again from its start */
uint64_t source_size(const source *s);  /* bytes before decompression; 0 where that is unknown */
uint64_t source_taken(const source *s); /* those of them that have been read */

/* From now on waiting for a pipe ends, as if its end had come, when `fd` becomes readable. */
void source_wake_by(source *s, int fd);

/* From now on `call` is called again and again while a pipe has nothing to say, IDLE_MS apart at most; false ends the
 * waiting likewise. */
enum { IDLE_MS = 20 }; /* a tick is late by no more than that */
typedef struct idler {
    bool (*call)(void *ctx); /* NULL: nobody */
    void *ctx;
} idler;
void source_idle_by(source *s, idler i);

#endif
