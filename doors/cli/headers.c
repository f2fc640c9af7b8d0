/* headers.c - the first records of files that are headers. */
#include "headers.h"

#include "cmd.h"

#include <stdlib.h>
#include <string.h>

int headers_note(headers *h, const options *o, const char *file, const void *record, size_t len) {
    if (h->first) {
        bool same = h->n == len && memcmp(h->first, record, len) == 0;
        if (!same && !h->differs && !o->quiet)
            say(0, file, "its header, which is left out, is not that of %s, which is kept", h->file);
        h->differs = h->differs || !same;
        return 0;
    }
    h->first = malloc(len + 1);
    if (!h->first) return say_status(file, BPK_E_NOMEM);
    memcpy(h->first, record, len);
    h->n = len;
    h->file = file;
    return 0;
}

void headers_free(headers *h) {
    free(h->first);
    *h = (headers){0};
}
