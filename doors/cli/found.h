/* found.h - sketches where an input may be: as bytes, one behind the other, or as lines of base64. */
#ifndef CLI_FOUND_H
#define CLI_FOUND_H

#include "input.h"
#include "source.h"

typedef struct found_list {
    found_sketch *at;
    size_t n, cap, held; /* bytes of memory */
} found_list;

typedef enum found_kind { FOUND_TEXT, FOUND_BYTES, FOUND_BASE64, FOUND_DAMAGED } found_kind;

/* What an input is, by its first bytes and its name. */
found_kind found_kind_of(const source *s, const char *name);

/* Reads all sketches of an input (FOUND_BYTES or FOUND_BASE64) behind those of the list. Returns 0, or an exit code
 * whose message has been printed; the list then keeps what was read before. */
int found_read(found_list *list, source *s, found_kind kind, const char *name, const bpk_env *env);
void found_free(found_list *list);

#endif
