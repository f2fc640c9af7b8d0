/* fields.h - from a record to its item: the chosen fields, joined. The selection's text is read by field_list_parse()
 * of input.h; a single field counted from the front goes the fast way of split.h where the delimiter allows it.
 */
#ifndef CLI_FIELDS_H
#define CLI_FIELDS_H

#include "arena.h"
#include "logline.h"

typedef struct span_list {
    field_span *at;
    size_t n, cap;
} span_list;

/* Begins as {o}, all else zeros. */
typedef struct field_picker {
    const input_options *o;
    span_list all; /* fields of the present record, as far as they can be chosen */
    span_list chosen;
    size_t enough; /* fields to split off at most; 0 before the first record */
} field_picker;

/* Whether split.h can do it: one field from the front, between blanks or single bytes; of an access log the first one.
 * *nth becomes its number. */
bool fields_are_simple(const input_options *o, const field_list *list, size_t *nth);

/* Finds the fields of a record; false without memory. */
bool fields_split(field_picker *f, const uint8_t *record, size_t n);

/* The chosen fields of the record that was split, in the record itself or in memory of the arena: 1 found, 0 the record
 * lacks one, -1 no memory. */
int fields_take(field_picker *f, const field_list *list, arena *a, field_span *item);
void fields_free(field_picker *f);

#endif
