/* arena.c - a list of blocks that are filled one after the other; after the first batches there is only one. */
#include "arena.h"

#include <stdlib.h>

enum { USUAL_MIN = 32 * 1024, USUAL_MAX = 1024 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t size;
    uint8_t bytes[];
};

uint8_t *arena_take(arena *a, size_t n) {
    if (!a->blocks || a->blocks->size - a->used < n) {
        if (a->usual == 0) a->usual = USUAL_MIN;
        size_t size = n > a->usual ? n : a->usual;
        struct arena_block *b = malloc(sizeof *b + size);
        if (!b) return NULL;
        b->older = a->blocks;
        b->size = size;
        a->blocks = b;
        a->used = 0;
    }
    uint8_t *p = a->blocks->bytes + a->used;
    a->used += n;
    return p;
}

void arena_reset(arena *a) {
    a->used = 0;
    if (!a->blocks || (!a->blocks->older && a->blocks->size <= USUAL_MAX)) return;
    if (a->usual < USUAL_MAX) a->usual *= 2;
    arena_free(a);
}

void arena_free(arena *a) {
    while (a->blocks) {
        struct arena_block *older = a->blocks->older;
        free(a->blocks);
        a->blocks = older;
    }
    a->used = 0;
}
