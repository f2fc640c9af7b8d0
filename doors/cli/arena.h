/* arena.h - memory for the items of a batch that are not a part of their record; given back all at once. */
#ifndef CLI_ARENA_H
#define CLI_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* All zeros is an empty one. */
typedef struct arena {
    struct arena_block *blocks; /* the newest first */
    size_t used;                /* of the newest */
    size_t usual;               /* bytes of the next block */
} arena;

/* n bytes that stay where they are; NULL without memory. */
uint8_t *arena_take(arena *a, size_t n);
/* Everything is free again. What one batch needed is kept for the next, up to 1 MiB, as one block. */
void arena_reset(arena *a);
void arena_free(arena *a);

#endif
