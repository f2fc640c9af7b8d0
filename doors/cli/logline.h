/* logline.h - the fields of a line of an access log, common or combined:
 *
 *     ip ident user [time] "request" status bytes "referer" "agent"
 *      1   2     3     4       5       6      7       8        9
 *
 * Blanks separate; what stands in quotes or brackets is one field, without them. Inside quotes a backslash keeps the
 * next quote from ending the field; all bytes stay as they are in the line.
 */
#ifndef CLI_LOGLINE_H
#define CLI_LOGLINE_H

#include "input.h"

typedef struct field_span {
    const uint8_t *p;
    size_t n;
} field_span;

/* Field `nth` (from 1), the next one at or behind *at, which moves behind it; false when there is none. A quote or
 * bracket must be closed, and a blank or the end must follow: otherwise there is none. Only a referer or an agent may
 * end with the line, as servers cut long ones off. */
bool log_next(size_t nth, const uint8_t **at, const uint8_t *end, field_span *field);

/* Narrows a request "METHOD PATH HTTP/1.1" to a part of it; false where it has none. The path is what stands between
 * the method and the protocol, which may be missing. */
bool log_part(field_part part, field_span *request);

/* The names of fields in the order of a line; NULL behind the last. */
const char *log_field_at(size_t i);

/* The field of that name. */
bool log_field_named(field_range *out, const char *name, size_t n);

#endif
