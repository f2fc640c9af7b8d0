/* fields.h - from a record to its item: the chosen fields, joined. The selection's text is read by field_list_parse()
 * of input.h; a single field counted from the front goes the fast way of split.h where the delimiter allows it.
 */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "input.h"
#include "arena.h"

typedef struct field_span {
    const uint8_t *p;
    size_t n;
} field_span;

typedef struct field_picker {
    const input_options *o;
    field_span *span; /* the fields of the present record, as far as they can be chosen */
    size_t n, cap;
    size_t enough; /* fields to split off at most; 0 before the first record */
} field_picker;

/* Whether split.h can do it: one field from the front, between blanks or single bytes. *nth becomes its number. */
bool fields_are_simple(const input_options *o, size_t *nth);

/* The item of one record, in the record itself or in memory of the arena: 1 found, 0 the record lacks a field, -1 no
 * memory. */
int fields_pick(field_picker *f, const uint8_t *record, size_t n, arena *a, field_span *item);
void fields_free(field_picker *f);

#endif
