/* headers.h - the first records of files that are headers: one is kept, the others are compared with it. */
#ifndef CLI_HEADERS_H
#define CLI_HEADERS_H

#include "options.h"

/* All zeros is none yet. */
typedef struct headers {
    char *first; /* NULL: none */
    size_t n;
    const char *file; /* that it came from */
    bool differs;     /* another file had another one, which was said */
} headers;

/* One more header; the first that differs from the one that is kept is said, unless --quiet. Returns 0 or an exit code,
 * with the message printed. */
int headers_note(headers *h, const options *o, const char *file, const void *record, size_t len);
void headers_free(headers *h);

#endif
