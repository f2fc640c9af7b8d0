/* reader.h - the texts among the inputs, one after the other, as chunks of whole records. */
#ifndef CLI_READER_H
#define CLI_READER_H

#include "input.h"
#include "source.h"

/* A piece of one file that ends where a record ends. */
typedef struct chunk {
    size_t file;       /* its index among the texts */
    bool first;        /* the first one of its file */
    bool unterminated; /* its last record had no terminator; one was put behind it */
    bool overlong;     /* the next record of the file is longer than allowed */
    char fault[160];   /* why the file ends here; empty unless it failed. A record that it cut off is not there. */
    uint8_t *bytes;
    size_t n, cap;
    uint64_t read;  /* bytes of the input, without the terminator that was put there */
    uint64_t taken; /* bytes of all files so far, before decompression */
} chunk;

void chunk_free(chunk *c);

/* A text to be read. */
typedef struct text_file {
    const char *path, *name; /* to open, and to say */
    source *open;            /* what cannot be opened twice is kept open */
    uint64_t size;           /* 0 where unknown */
} text_file;

typedef struct reader {
    text_file *file;
    size_t n_files, next; /* next: index of the file to open next */
    uint8_t terminator;
    size_t chunk_bytes, max_record;
    int wake;   /* descriptor that ends waiting, or -1 */
    idler idle; /* while waiting */
    source *source;
    bool started;  /* the present file has given a chunk */
    uint8_t *tail; /* the beginning of a record whose end is not read yet */
    size_t tail_n, tail_cap;
    uint64_t taken; /* of the files that are done */
    bool no_memory;
} reader;

/* Fills the next chunk, whose buffer is made or reused. false: there is no more; no_memory says whether that is why. */
bool reader_next(reader *r, chunk *c);
void reader_close(reader *r);

#endif
