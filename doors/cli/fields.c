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

/* N, N-M, N- or a name. */
static bool parse_range(const char **text, field_range *r) {
    size_t name = strcspn(*text, ",");
    if (log_field_named(r, *text, name)) {
        *text += name;
        return true;
    }
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
        list.named |= *text >= 'a' && *text <= 'z';
        if (!parse_range(&text, &list.range[list.n++])) return false;
        if (*text != ',') break;
    }
    if (*text) return false;
    *out = list;
    return true;
}

bool fields_are_simple(const input_options *o, const field_list *list, size_t *nth) {
    const field_range *r = &list->range[0];
    if (list->n != 1 || r->first < 0 || r->last != r->first || r->part != PART_WHOLE) return false;
    *nth = (size_t)r->first;
    return o->log ? r->first == 1 : !o->delimiter || o->delimiter_n == 1;
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

static bool add_span(span_list *l, field_span span) {
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        field_span *at = realloc(l->at, cap * sizeof *at);
        if (!at) return false;
        l->at = at;
        l->cap = cap;
    }
    l->at[l->n++] = span;
    return true;
}

static inline bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

static bool split_at_blanks(field_picker *f, const uint8_t *p, const uint8_t *end) {
    for (;;) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || f->all.n == f->enough) return true;
        const uint8_t *start = p;
        while (p < end && !is_blank(*p)) p++;
        if (!add_span(&f->all, (field_span){start, (size_t)(p - start)})) return false;
    }
}

static bool split_at_delimiter(field_picker *f, const uint8_t *p, const uint8_t *end) {
    const uint8_t *d = (const uint8_t *)f->o->delimiter;
    size_t d_n = f->o->delimiter_n;
    for (;;) {
        size_t left = (size_t)(end - p);
        const uint8_t *at = d_n == 1 ? memchr(p, d[0], left) : memmem(p, left, d, d_n);
        if (!add_span(&f->all, (field_span){p, at ? (size_t)(at - p) : left})) return false;
        if (!at || f->all.n == f->enough) return true;
        p = at + d_n;
    }
}

static bool split_log(field_picker *f, const uint8_t *p, const uint8_t *end) {
    field_span span;
    while (f->all.n < f->enough && log_next(f->all.n + 1, &p, end, &span))
        if (!add_span(&f->all, span)) return false;
    return true;
}

bool fields_split(field_picker *f, const uint8_t *record, size_t n) {
    f->all.n = 0;
    if (f->enough == 0) {
        const field_list *const lists[] = {&f->o->fields, &f->o->weight, &f->o->group, &f->o->time};
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            size_t enough = enough_for(lists[i]);
            f->enough = enough > f->enough ? enough : f->enough;
        }
    }
    if (f->o->log) return split_log(f, record, record + n);
    return f->o->delimiter ? split_at_delimiter(f, record, record + n) : split_at_blanks(f, record, record + n);
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

/* 1, 0 where a field is missing, -1 without memory. */
static int choose(field_picker *f, const field_list *list) {
    f->chosen.n = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t from, to;
        if (!resolve(&list->range[i], f->all.n, &from, &to)) return 0;
        for (; from < to; from++) {
            field_span span = f->all.at[from];
            if (!log_part(list->range[i].part, &span)) return 0;
            if (!add_span(&f->chosen, span)) return -1;
        }
    }
    return 1;
}

/* The chosen fields with what joins them. */
static bool join(const span_list *l, const void *joiner, size_t joiner_n, arena *a, field_span *item) {
    size_t size = (l->n - 1) * joiner_n;
    for (size_t i = 0; i < l->n; i++) size += l->at[i].n;
    uint8_t *to = arena_take(a, size);
    if (!to) return false;
    *item = (field_span){to, size};
    for (size_t i = 0; i < l->n; i++) {
        if (i) {
            memcpy(to, joiner, joiner_n);
            to += joiner_n;
        }
        memcpy(to, l->at[i].p, l->at[i].n);
        to += l->at[i].n;
    }
    return true;
}

int fields_take(field_picker *f, const field_list *list, arena *a, field_span *item) {
    int chosen = choose(f, list);
    if (chosen <= 0) return chosen;
    const field_span *first = &f->chosen.at[0], *last = &f->chosen.at[f->chosen.n - 1];
    bool stands = f->chosen.n == 1 || (list->n == 1 && f->o->delimiter); /* in the record, as it would be joined */
    if (stands) {
        *item = (field_span){first->p, (size_t)(last->p + last->n - first->p)};
        return 1;
    }
    const void *joiner = f->o->delimiter ? f->o->delimiter : " ";
    return join(&f->chosen, joiner, f->o->delimiter ? f->o->delimiter_n : 1, a, item) ? 1 : -1;
}

void fields_free(field_picker *f) {
    free(f->all.at);
    free(f->chosen.at);
    *f = (field_picker){.o = f->o};
}
