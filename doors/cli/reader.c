/* reader.c - reads into the chunk itself, cuts at the last terminator, and carries the rest into the next chunk. */
#define _GNU_SOURCE
#include "reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "split.h"

void chunk_free(chunk *c) {
    free(c->bytes);
    c->bytes = NULL;
    c->cap = c->n = 0;
}

/* Room for n bytes, a terminator, and what the kernels read behind them. */
static bool reserve(reader *r, chunk *c, size_t n) {
    if (n <= c->cap) return true;
    uint8_t *p = realloc(c->bytes, n + 1 + SPLIT_SLACK);
    r->no_memory = !p;
    if (!p) return false;
    memset(p + n + 1, 0, SPLIT_SLACK);
    c->bytes = p;
    c->cap = n;
    return true;
}

static bool keep_tail(reader *r, const uint8_t *p, size_t n) {
    if (n > r->tail_cap) {
        uint8_t *tail = realloc(r->tail, n);
        r->no_memory = !tail;
        if (!tail) return false;
        r->tail = tail;
        r->tail_cap = n;
    }
    if (n) memcpy(r->tail, p, n);
    r->tail_n = n;
    return true;
}

/* An empty chunk that begins with the tail; a buffer that one giant record has grown is given back. */
static bool begin(reader *r, chunk *c, size_t *have) {
    if (c->cap > 2 * r->chunk_bytes) chunk_free(c);
    *have = r->tail_n;
    c->n = 0;
    c->first = !r->started;
    c->unterminated = c->overlong = false;
    c->fault[0] = '\0';
    c->read = 0;
    if (!reserve(r, c, r->tail_n > r->chunk_bytes ? r->tail_n : r->chunk_bytes)) return false;
    if (r->tail_n) memcpy(c->bytes, r->tail, r->tail_n);
    r->tail_n = 0;
    return true;
}

static void end_file(reader *r) {
    r->taken += source_taken(r->source);
    source_close(r->source);
    r->source = NULL;
}

/* The end of the file: what has no terminator gets one. After a failure it is dropped: nobody knows how it went on. */
static void finish(reader *r, chunk *c, size_t have, const char *fault) {
    if (fault) {
        snprintf(c->fault, sizeof c->fault, "%s", fault);
    } else if (have) {
        c->bytes[have] = r->terminator;
        c->unterminated = true;
        c->n = have + 1;
    }
    end_file(r);
}

/* Reads until the chunk ends with a record, the file ends, or a record is too long. */
static bool fill(reader *r, chunk *c) {
    size_t have;
    if (!begin(r, c, &have)) return false;
    assert(c->bytes);
    for (;;) {
        if (have == c->cap && !reserve(r, c, 2 * c->cap)) return false;
        size_t room = c->cap - have < r->chunk_bytes ? c->cap - have : r->chunk_bytes;
        ssize_t got = source_read(r->source, c->bytes + have, room);
        if (got <= 0) {
            if (interrupted()) have = 0; /* nobody knows how the record goes on */
            finish(r, c, have, got < 0 ? source_fault(r->source) : NULL);
            return true;
        }
        c->read += (uint64_t)got;
        const uint8_t *end = memrchr(c->bytes + have, r->terminator, (size_t)got);
        have += (size_t)got;
        if (end) {
            c->n = (size_t)(end - c->bytes) + 1;
            return keep_tail(r, end + 1, have - c->n);
        }
        if (have > r->max_record) {
            c->overlong = true;
            return true;
        }
    }
}

/* Opens the next file into r->source; a failure becomes the chunk's. */
static bool open_next(reader *r, chunk *c) {
    text_file *f = &r->file[r->next++];
    const char *why = NULL;
    r->source = f->open ? f->open : source_open(f->path, &why);
    f->open = NULL;
    r->started = false;
    r->tail_n = 0;
    if (r->source) {
        source_wake_by(r->source, r->wake);
        source_idle_by(r->source, r->idle);
        return true;
    }
    c->n = 0;
    c->read = 0;
    c->first = true;
    c->unterminated = c->overlong = false;
    snprintf(c->fault, sizeof c->fault, "%s", why);
    return false;
}

bool reader_next(reader *r, chunk *c) {
    for (;;) {
        bool opened = true;
        if (!r->source) {
            if (r->next == r->n_files) return false;
            opened = open_next(r, c);
        }
        if (opened && !fill(r, c)) return false;
        r->started = true;
        c->file = r->next - 1;
        c->taken = r->taken + (r->source ? source_taken(r->source) : 0);
        if (c->n || c->overlong || c->fault[0]) return true;
    }
}

void reader_close(reader *r) {
    if (r->source) source_close(r->source);
    r->source = NULL;
    for (size_t i = 0; i < r->n_files; i++) source_close(r->file[i].open);
    free(r->tail);
    r->tail = NULL;
}
