/* fields.c - the text of a selection, and the general way of applying it: find every field of the record, then take. */
#define _GNU_SOURCE
#include "fields.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- LIST ---- */

/* One number that is not 0, with or without a minus sign; moves *text behind it. */
static bool parse_number(const char **text, long *out) {
    const char *p = *text;
    bool negative = *p == '-';
    long v = 0;
    if (negative) p++;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > (LONG_MAX - 9) / 10) return false;
        v = 10 * v + (*p - '0');
    }
    *text = p;
    *out = negative ? -v : v;
    return v != 0;
}

/* N, N-M or N-. */
static bool parse_range(const char **text, field_range *r) {
    if (!parse_number(text, &r->first)) return false;
    r->last = r->first;
    if (**text != '-') return true;
    ++*text;
    if (**text == ',' || **text == '\0') {
        r->last = 0;
        return true;
    }
    if (!parse_number(text, &r->last)) return false;
    return (r->first < 0) != (r->last < 0) || r->first <= r->last;
}

bool field_list_parse(field_list *out, const char *text) {
    field_list list = {0};
    for (;; text++) {
        if (list.n == sizeof list.range / sizeof list.range[0]) return false;
        if (!parse_range(&text, &list.range[list.n++])) return false;
        if (*text != ',') break;
    }
    if (*text) return false;
    *out = list;
    return true;
}

bool fields_are_simple(const input_options *o, size_t *nth) {
    const field_range *r = &o->fields.range[0];
    if (o->fields.n != 1 || r->first < 0 || r->last != r->first) return false;
    *nth = (size_t)r->first;
    return !o->delimiter || o->delimiter_n == 1;
}

/* ---- the fields of a record ---- */

/* Behind the highest number nothing is split off, so that a record of commas takes no memory. Numbers from the end and
 * open ranges need every field. */
static size_t enough_for(const field_list *list) {
    long most = 0;
    for (size_t i = 0; i < list->n; i++) {
        const field_range *r = &list->range[i];
        if (r->first <= 0 || r->last <= 0) return SIZE_MAX;
        most = r->last > most ? r->last : most;
    }
    return (size_t)most;
}

static bool add_span(field_picker *f, const uint8_t *p, size_t n) {
    if (f->n == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 64;
        field_span *span = realloc(f->span, cap * sizeof *span);
        if (!span) return false;
        f->span = span;
        f->cap = cap;
    }
    f->span[f->n++] = (field_span){p, n};
    return true;
}

static inline bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

static bool split_at_blanks(field_picker *f, const uint8_t *p, const uint8_t *end) {
    for (;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || f->n == f->enough) return true;
        const uint8_t *start = p;
        while (p < end && !is_blank(*p)) p++;
        if (!add_span(f, start, (size_t)(p - start))) return false;
    }
}

static bool split_at_delimiter(field_picker *f, const uint8_t *p, const uint8_t *end) {
    const uint8_t *d = (const uint8_t *)f->o->delimiter;
    size_t d_n = f->o->delimiter_n;
    for (;;) {
        size_t left = (size_t)(end - p);
        const uint8_t *at = d_n == 1 ? memchr(p, d[0], left) : memmem(p, left, d, d_n);
        if (!add_span(f, p, at ? (size_t)(at - p) : left)) return false;
        if (!at || f->n == f->enough) return true;
        p = at + d_n;
    }
}

/* ---- taking ---- */

/* The 0-based fields from *from to before *to that a range has of n fields; false where it has none. */
static bool resolve(const field_range *r, size_t n, size_t *from, size_t *to) {
    long long count = (long long)n;
    long long first = r->first > 0 ? r->first : count + 1 + r->first;
    long long last = r->last > 0 ? r->last : count + (r->last < 0 ? 1 + r->last : 0);
    if (r->first != r->last && first < 1) first = 1;
    if (r->first != r->last && last > count) last = count;
    if (first < 1 || first > last || last > count) return false;
    *from = (size_t)first - 1;
    *to = (size_t)last;
    return true;
}

/* The bytes of all chosen fields with what joins them; false where one is missing. */
static bool joined_size(const field_picker *f, size_t joiner_n, size_t *out) {
    size_t size = 0, from, to;
    for (size_t i = 0; i < f->o->fields.n; i++) {
        if (!resolve(&f->o->fields.range[i], f->n, &from, &to)) return false;
        for (; from < to; from++) size += f->span[from].n + joiner_n;
    }
    *out = size - joiner_n;
    return true;
}

static void join(const field_picker *f, const void *joiner, size_t joiner_n, uint8_t *to) {
    bool first = true;
    for (size_t i = 0; i < f->o->fields.n; i++) {
        size_t k, end;
        if (!resolve(&f->o->fields.range[i], f->n, &k, &end)) return;
        for (; k < end; k++, first = false) {
            if (!first) {
                memcpy(to, joiner, joiner_n);
                to += joiner_n;
            }
            memcpy(to, f->span[k].p, f->span[k].n);
            to += f->span[k].n;
        }
    }
}

/* One range needs no copy when it is one field, or when its fields stand in the record as they would be joined. */
static bool stands_in_record(const field_picker *f, field_span *item, bool *missing) {
    size_t from, to;
    *missing = false;
    if (f->o->fields.n != 1) return false;
    *missing = !resolve(&f->o->fields.range[0], f->n, &from, &to);
    if (*missing || (to - from > 1 && !f->o->delimiter)) return false;
    const field_span *last = &f->span[to - 1];
    *item = (field_span){f->span[from].p, (size_t)(last->p + last->n - f->span[from].p)};
    return true;
}

int fields_pick(field_picker *f, const uint8_t *record, size_t n, arena *a, field_span *item) {
    f->n = 0;
    if (f->enough == 0) f->enough = enough_for(&f->o->fields);
    bool split = f->o->delimiter ? split_at_delimiter(f, record, record + n) : split_at_blanks(f, record, record + n);
    if (!split) return -1;
    bool missing;
    if (stands_in_record(f, item, &missing)) return 1;
    const void *joiner = f->o->delimiter ? f->o->delimiter : " ";
    size_t joiner_n = f->o->delimiter ? f->o->delimiter_n : 1, size;
    if (missing || !joined_size(f, joiner_n, &size)) return 0;
    uint8_t *to = arena_take(a, size);
    if (!to) return -1;
    join(f, joiner, joiner_n, to);
    *item = (field_span){to, size};
    return 1;
}

void fields_free(field_picker *f) {
    free(f->span);
    *f = (field_picker){.o = f->o};
}
