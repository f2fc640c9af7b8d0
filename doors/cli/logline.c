/* logline.c - the fields of a line of an access log, one after the other, up to the last one that is wanted. */
#include "logline.h"

#include <string.h>

enum { FIELD_REFERER = 8 };

static const struct {
    const char *name;
    long number;
    field_part part;
} names[] = {
    {"ip", 1, PART_WHOLE},      {"user", 3, PART_WHOLE},    {"time", 4, PART_WHOLE},
    {"request", 5, PART_WHOLE}, {"method", 5, PART_METHOD}, {"path", 5, PART_PATH},
    {"status", 6, PART_WHOLE},  {"bytes", 7, PART_WHOLE},   {"referer", FIELD_REFERER, PART_WHOLE},
    {"agent", 9, PART_WHOLE},
};

const char *log_field_at(size_t i) {
    return i < sizeof names / sizeof *names ? names[i].name : NULL;
}

bool log_field_named(field_range *out, const char *name, size_t n) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != n || memcmp(names[i].name, name, n) != 0) continue;
        *out = (field_range){names[i].number, names[i].number, names[i].part};
        return true;
    }
    return false;
}

static inline bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

/* The first quote that no backslash escapes; a backslash may itself be escaped. */
static const uint8_t *closing_quote(const uint8_t *p, const uint8_t *end) {
    for (const uint8_t *from = p;;) {
        const uint8_t *at = memchr(from, '"', (size_t)(end - from));
        if (!at) return NULL;
        const uint8_t *back = at;
        while (back > p && back[-1] == '\\') back--;
        if ((at - back) % 2 == 0) return at;
        from = at + 1;
    }
}

static const uint8_t *closing(const uint8_t *open, const uint8_t *end) {
    return *open == '"' ? closing_quote(open + 1, end) : memchr(open + 1, ']', (size_t)(end - open - 1));
}

bool log_next(size_t nth, const uint8_t **at, const uint8_t *end, field_span *field) {
    const uint8_t *p = *at;
    while (p < end && is_blank(*p)) p++;
    if (p == end) return false;
    const uint8_t *stop = p;
    if (*p == '"' || *p == '[') {
        stop = closing(p++, end);
        bool cut_off = !stop && nth >= FIELD_REFERER;
        if (!cut_off && (!stop || (stop + 1 < end && !is_blank(stop[1])))) return false;
        *at = cut_off ? end : stop + 1;
        if (cut_off) stop = end;
    } else {
        while (stop < end && !is_blank(*stop)) stop++;
        *at = stop;
    }
    *field = (field_span){p, (size_t)(stop - p)};
    return true;
}

/* Where the protocol at the end of a request begins, with the blanks before it; the end where there is none. */
static const uint8_t *before_protocol(const uint8_t *p, const uint8_t *end) {
    static const char protocol[] = "HTTP/";
    const uint8_t *word = end;
    while (word > p && !is_blank(word[-1])) word--;
    bool is = (size_t)(end - word) >= sizeof protocol - 1 && memcmp(word, protocol, sizeof protocol - 1) == 0;
    if (!is) word = end;
    while (word > p && is_blank(word[-1])) word--;
    return word;
}

bool log_part(field_part part, field_span *request) {
    const uint8_t *p = request->p, *end = p + request->n;
    if (part == PART_WHOLE) return true;
    while (p < end && !is_blank(*p)) p++;
    const uint8_t *method_end = p;
    while (p < end && is_blank(*p)) p++;
    const uint8_t *path_end = before_protocol(p, end);
    if (method_end == request->p || path_end == p) return false;
    if (part == PART_METHOD) request->n = (size_t)(method_end - request->p);
    else *request = (field_span){p, (size_t)(path_end - p)};
    return true;
}
