/* lines.h - the lines of a file in memory, and their hashes in batches: what both programs here begin with. */
#ifndef BENCH_PEERS_LINES_H
#define BENCH_PEERS_LINES_H

#include "bench.h"

#include <ballpark/hash.h>
#include <string.h>

enum { BATCH = 256 };

typedef struct lines {
    char *text;
    const void **item;
    size_t *len, n;
} lines;

static inline void give_up(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}
static inline void *memory(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p) give_up("memory", "none left");
    return p;
}
static inline void must(bpk_status st) {
    if (st != BPK_OK) give_up("ballpark", bpk_status_text(st));
}

static inline char *text_of(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) give_up(path, "cannot be read");
    long end = ftell(f);
    if (end < 0) give_up(path, "cannot be read");
    char *text = memory((size_t)end + 1, 1);
    rewind(f);
    *size = fread(text, 1, (size_t)end, f);
    if (*size != (size_t)end || fclose(f) != 0) give_up(path, "cannot be read");
    return text;
}

static inline lines lines_of(const char *path) {
    size_t size, room = 0;
    lines l = {.text = text_of(path, &size)};
    for (size_t i = 0; i < size; i++) room += l.text[i] == '\n';
    if (room == 0) give_up(path, "has no lines");
    l.item = memory(room, sizeof *l.item);
    l.len = memory(room, sizeof *l.len);
    for (char *p = l.text; l.n < room; l.n++) {
        char *end = memchr(p, '\n', (size_t)(l.text + size - p));
        l.item[l.n] = p;
        l.len[l.n] = (size_t)(end - p);
        p = end + 1;
    }
    return l;
}
static inline void lines_free(lines *l) {
    free(l->text), free(l->item), free(l->len);
}

/* The hashes of up to BATCH lines from `at` on; how many they are. */
static inline size_t hash_batch(const bpk_hasher *h, const lines *l, size_t at, uint64_t hash[BATCH]) {
    size_t n = l->n - at < BATCH ? l->n - at : BATCH;
    bpk_hash_many(h, l->item + at, l->len + at, hash, n);
    return n;
}

#endif
