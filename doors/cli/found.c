/* found.c - an input that is sketches is read whole, decoded, and refused at the first byte that does not belong. */
#include "found.h"

#include <stdlib.h>
#include <string.h>

#include "exits.h"

static const char base64_magic[] = "iUJQSw0KGgo"; /* what the magic bytes of a sketch become */

static bool ends_with(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n >= k && strcmp(name + n - k, end) == 0;
}

found_kind found_kind_of(const source *s, const char *name) {
    const uint8_t *head;
    size_t n = source_peek(s, &head);
    int like = bpk_sniff(head, n);
    if (like == 2) return FOUND_BYTES;
    if (like == 1) return FOUND_DAMAGED;
    if (n >= sizeof base64_magic - 1 && memcmp(head, base64_magic, sizeof base64_magic - 1) == 0) return FOUND_BASE64;
    return ends_with(name, ".bpk") ? FOUND_DAMAGED : FOUND_TEXT;
}

/* ---- the bytes of an input ---- */

typedef struct bytes {
    uint8_t *p;
    size_t n, cap;
} bytes;

static bool bytes_grow(bytes *b) {
    size_t cap = b->cap ? 2 * b->cap : 64 * 1024;
    uint8_t *p = realloc(b->p, cap);
    if (!p) return false;
    b->p = p;
    b->cap = cap;
    return true;
}

static int read_whole(bytes *b, source *s, const char *name, uint64_t max) {
    for (;;) {
        if (b->n == b->cap && !bytes_grow(b)) return say(EXIT_LIMIT, name, "out of memory");
        ssize_t got = source_read(s, b->p + b->n, b->cap - b->n);
        if (got < 0) return say(EXIT_SKETCH, name, "damaged: %s", source_fault(s));
        if (got == 0) return 0;
        b->n += (size_t)got;
        if (b->n > max) return say(EXIT_LIMIT, name, "its sketches take more than %llu bytes", (unsigned long long)max);
    }
}

/* ---- decoding ---- */

static int say_refused(const char *name, size_t line, const bpk_err *err) {
    bool newer = err->code == BPK_E_VERSION || err->code == BPK_E_KIND;
    bool limit = err->code == BPK_E_LIMIT || err->code == BPK_E_NOMEM;
    bool says_so = newer || limit || err->code == BPK_E_CHECKSUM; /* the text begins with it */
    const char *what = says_so ? "" : "damaged: ";
    int code = limit ? EXIT_LIMIT : EXIT_SKETCH;
    char text[256];
    bpk_explain(err, text, sizeof text);
    if (line) return say(code, name, "line %zu: %s%s", line, what, text);
    return say(code, name, "%s%s", what, text);
}

static int say_together(const char *name) {
    return say(EXIT_LIMIT, name, "all sketches together need more than --mem allows");
}

/* Takes the sketch, also when it fails. All of an input's sketches together stay within --mem. */
static int keep(found_list *list, const char *name, bpk_sketch *sketch, const bpk_env *env) {
    list->held += bpk_memory(sketch) + sizeof(found_sketch);
    if (list->held > env->max_bytes) {
        bpk_free(sketch);
        return say_together(name);
    }
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        found_sketch *at = realloc(list->at, cap * sizeof *at);
        if (!at) {
            bpk_free(sketch);
            return say(EXIT_LIMIT, name, "out of memory");
        }
        list->at = at;
        list->cap = cap;
    }
    list->at[list->n++] = (found_sketch){name, sketch};
    return 0;
}

/* What is left of --mem for the next sketch: few bytes may stand for many. */
static bpk_status decode_next(bpk_sketch **out, const found_list *list, const uint8_t *p, size_t n, size_t *used,
                              const bpk_env *env, bpk_err *err) {
    bpk_env rest = *env;
    rest.max_bytes -= list->held < rest.max_bytes ? list->held : rest.max_bytes;
    return bpk_decode(out, p, n, used, &rest, err);
}

static int read_bytes(found_list *list, const bytes *b, const char *name, const bpk_env *env) {
    for (size_t at = 0, used = 0; at < b->n; at += used) {
        bpk_sketch *sketch = NULL;
        bpk_err err = {0};
        if (at > 0 && bpk_sniff(b->p + at, b->n - at) == 0)
            return say(EXIT_SKETCH, name, "damaged: %zu bytes that are no sketch follow the last one", b->n - at);
        if (decode_next(&sketch, list, b->p + at, b->n - at, &used, env, &err) != BPK_OK) {
            if (list->n && err.code == BPK_E_LIMIT) return say_together(name);
            err.offset += at;
            return say_refused(name, 0, &err);
        }
        int code = keep(list, name, sketch, env);
        if (code) return code;
    }
    return 0;
}

/* ---- base64 (RFC 4648 section 4, padded), a line a sketch ---- */

static int digit_of(uint8_t c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

/* In place; false where it is none: wrong letters, wrong length, or bits that the padding says are not there. */
static bool unbase64(uint8_t *text, size_t n, size_t *out_n) {
    if (n == 0 || n % 4) return false;
    size_t pad = (size_t)(text[n - 1] == '=') + (size_t)(text[n - 1] == '=' && text[n - 2] == '=');
    uint32_t bits = 0;
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        int d = i < n - pad ? digit_of(text[i]) : 0;
        if (d < 0) return false;
        bits = bits << 6 | (uint32_t)d;
        if (i % 4 != 3) continue;
        for (int k = 16; k >= 0; k -= 8) text[out++] = (uint8_t)(bits >> k);
        if (i == n - 1 && pad && (bits & ((1u << (8 * pad)) - 1))) return false;
        bits = 0;
    }
    *out_n = out - pad;
    return true;
}

static int read_base64(found_list *list, bytes *b, const char *name, const bpk_env *env) {
    size_t line = 1;
    for (size_t at = 0; at < b->n; line++) {
        uint8_t *text = b->p + at;
        const uint8_t *end = memchr(text, '\n', b->n - at);
        size_t n = end ? (size_t)(end - text) : b->n - at;
        at += n + 1;
        if (n && text[n - 1] == '\r') n--;
        if (!unbase64(text, n, &n)) return say(EXIT_SKETCH, name, "line %zu: damaged: no base64", line);
        bpk_sketch *sketch = NULL;
        bpk_err err = {0};
        if (decode_next(&sketch, list, text, n, NULL, env, &err) != BPK_OK)
            return list->n && err.code == BPK_E_LIMIT ? say_together(name) : say_refused(name, line, &err);
        int code = keep(list, name, sketch, env);
        if (code) return code;
    }
    return 0;
}

int found_read(found_list *list, source *s, found_kind kind, const char *name, const bpk_env *env) {
    bpk_env standard = bpk_env_default();
    if (!env) env = &standard;
    uint64_t max = env->max_bytes;
    bytes b = {NULL, 0, 0};
    int code = read_whole(&b, s, name, max);
    if (!code) code = kind == FOUND_BASE64 ? read_base64(list, &b, name, env) : read_bytes(list, &b, name, env);
    free(b.p);
    return code;
}

void found_free(found_list *list) {
    for (size_t i = 0; i < list->n; i++) bpk_free(list->at[i].sketch);
    free(list->at);
    *list = (found_list){0};
}
