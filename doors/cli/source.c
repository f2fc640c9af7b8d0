/* source.c - opening, peeking and decompressing; POSIX, zlib, libzstd. */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include "interrupt.h"

#include <ballpark.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { PACKED_BYTES = 64 * 1024 }; /* compressed bytes read at once */

typedef enum coding { PLAIN, GZIP, ZSTD } coding;

struct source {
    int fd, wake;
    idler idle;
    bool regular, named, broken, between; /* between: no member or frame is open */
    coding coding;
    uint64_t size, taken;
    uint8_t head[SOURCE_HEAD]; /* decompressed bytes that were peeked at */
    size_t head_at, head_n;
    uint8_t *packed; /* compressed bytes that are not yet decompressed */
    size_t packed_at, packed_n;
    z_stream z;
    ZSTD_DStream *zstd;
    char fault[128];
};

static ssize_t fail(source *s, const char *text) {
    snprintf(s->fault, sizeof s->fault, "%s", text);
    s->broken = true;
    return -1;
}

enum { LOOK_UP_MS = 200 }; /* a signal may go to another thread than the one that waits */

/* Waits until the descriptor has something to read; false when the wake-up, a signal or the idler comes instead. */
static bool wait_readable(const source *s) {
    struct pollfd p[2] = {{s->fd, POLLIN, 0}, {s->wake, POLLIN, 0}};
    int ready = 0;
    while (ready <= 0 && !interrupted()) {
        ready = poll(p, s->wake >= 0 ? 2 : 1, s->idle.call ? IDLE_MS : LOOK_UP_MS);
        if (ready < 0 && errno != EINTR) return true; /* read() will say what is wrong */
        if (ready == 0 && s->idle.call && !s->idle.call(s->idle.ctx)) return false;
    }
    return ready > 0 && p[1].revents == 0;
}

static ssize_t read_raw(source *s, uint8_t *to, size_t n) {
    if (!s->regular && !wait_readable(s)) return 0;
    ssize_t got;
    do got = read(s->fd, to, n);
    while (got < 0 && errno == EINTR && !interrupted());
    if (got < 0 && errno == EINTR) return 0;
    if (got < 0) return fail(s, strerror(errno));
    s->taken += (uint64_t)got;
    return got;
}

/* ---- decompression: each step turns packed bytes into up to n bytes ---- */

static ssize_t gzip_step(source *s, uint8_t *to, size_t n) {
    z_stream *z = &s->z;
    if (s->between) { /* another member, or the zeros that some tapes and tools pad with */
        while (s->packed_at < s->packed_n && s->packed[s->packed_at] == 0) s->packed_at++;
        if (s->packed_at == s->packed_n) return 0;
        if (s->packed[s->packed_at] != 0x1f) return fail(s, "damaged gzip data: something else follows it");
        inflateReset(z);
        s->between = false;
    }
    z->next_in = s->packed + s->packed_at;
    z->avail_in = (uInt)(s->packed_n - s->packed_at);
    z->next_out = to;
    z->avail_out = (uInt)(n < PACKED_BYTES * 16 ? n : PACKED_BYTES * 16);
    int st = inflate(z, Z_NO_FLUSH);
    s->packed_at = s->packed_n - z->avail_in;
    if (st == Z_STREAM_END) s->between = true;
    if (st == Z_MEM_ERROR) return fail(s, "out of memory");
    if (st != Z_OK && st != Z_STREAM_END && st != Z_BUF_ERROR) return fail(s, "damaged gzip data");
    return z->next_out - to;
}

static ssize_t zstd_step(source *s, uint8_t *to, size_t n) {
    if (s->between && s->packed_at == s->packed_n) return 0; /* a call would begin another frame */
    ZSTD_inBuffer in = {s->packed, s->packed_n, s->packed_at};
    ZSTD_outBuffer out = {.size = n};
    out.dst = to;
    size_t st = ZSTD_decompressStream(s->zstd, &out, &in);
    s->packed_at = in.pos;
    if (ZSTD_isError(st)) {
        char text[sizeof s->fault];
        snprintf(text, sizeof text, "damaged zstd data: %s", ZSTD_getErrorName(st));
        return fail(s, text);
    }
    s->between = st == 0;
    return (ssize_t)out.pos;
}

/* What a decoder still holds comes out before more is read: a pipe's bytes are handed on as soon as they are there. */
static ssize_t unpack(source *s, uint8_t *to, size_t n) {
    for (;;) {
        ssize_t got = s->coding == GZIP ? gzip_step(s, to, n) : zstd_step(s, to, n);
        if (got != 0) return got;
        if (s->packed_at < s->packed_n) continue;
        ssize_t more = read_raw(s, s->packed, PACKED_BYTES);
        if (more < 0) return -1;
        if (more == 0) return s->between ? 0 : fail(s, "damaged: the compressed data ends too early");
        s->packed_at = 0;
        s->packed_n = (size_t)more;
    }
}

/* ---- the first bytes ---- */

static coding coding_of(const uint8_t *b, size_t n) {
    if (n >= 3 && memcmp(b, "\x1f\x8b\x08", 3) == 0) return GZIP;
    if (n >= 4 && memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0) return ZSTD;
    if (n >= 4 && (b[0] & 0xf0) == 0x50 && memcmp(b + 1, "\x2a\x4d\x18", 3) == 0) return ZSTD; /* a skippable frame */
    return PLAIN;
}

bool source_compressed(const uint8_t *bytes, size_t n) {
    return coding_of(bytes, n) != PLAIN;
}

/* What other programs compress with: to count such bytes as text would be silently wrong. */
static const struct {
    const char *name, *magic;
    size_t n;
} foreign[] = {
    {"xz",
     "\xfd"
     "7zXZ\0",
     6},
    {"bzip2", "BZh91AY&SY", 10},
    {"lz4", "\x04\x22\x4d\x18", 4},
    {"compress", "\x1f\x9d\x90", 3},
};

static const char *foreign_of(const uint8_t *b, size_t n) {
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (n >= foreign[i].n && memcmp(b, foreign[i].magic, foreign[i].n) == 0) return foreign[i].name;
    return NULL;
}

/* Whether more bytes could still turn these into a sketch, base64 of one, or compressed data. A sketch is known with up
 * to two wrong bytes among its first eight, so that a damaged one is not taken for text. */
static bool undecided(const uint8_t *b, size_t n) {
    static const uint8_t magic[8] = {0x89, 'B', 'P', 'K', 0x0d, 0x0a, 0x1a, 0x0a};
    static const char *const others[] = {"iUJQSw0KGgo", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd"};
    unsigned wrong = 0;
    for (size_t i = 0; i < n && i < 8; i++) wrong += b[i] != magic[i];
    if (n < 8 && wrong <= 2) return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (n < strlen(others[i]) && memcmp(b, others[i], n) == 0) return true;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (n < foreign[i].n && memcmp(b, foreign[i].magic, n) == 0) return true;
    return false;
}

/* Decompresses into the head until what is there decides. */
static bool fill_head(source *s) {
    s->head_n = 0;
    while (undecided(s->head, s->head_n)) {
        ssize_t got = unpack(s, s->head + s->head_n, SOURCE_HEAD - s->head_n);
        if (got < 0) return false;
        if (got == 0) return true;
        s->head_n += (size_t)got;
    }
    return true;
}

static bool begin_unpacking(source *s) {
    s->packed = malloc(PACKED_BYTES);
    if (!s->packed) return fail(s, "out of memory") == 0;
    memcpy(s->packed, s->head, s->head_n);
    s->packed_n = s->head_n;
    if (s->coding == ZSTD) s->zstd = ZSTD_createDStream();
    bool made = s->coding == ZSTD ? s->zstd != NULL : inflateInit2(&s->z, 15 + 16) == Z_OK;
    if (!made) return fail(s, "out of memory") == 0;
    /* A fault in the first block is the reader's to find, with whatever came before it. */
    return fill_head(s) || s->head_n > 0;
}

/* Reads the head of what may be compressed, and becomes a decoder where it is. */
static bool begin(source *s) {
    struct stat st;
    if (fstat(s->fd, &st) < 0) return fail(s, strerror(errno)) == 0;
    if (S_ISDIR(st.st_mode)) return fail(s, strerror(EISDIR)) == 0;
    s->regular = S_ISREG(st.st_mode);
    s->size = s->regular ? (uint64_t)st.st_size : 0;
    while (undecided(s->head, s->head_n)) {
        ssize_t got = read_raw(s, s->head + s->head_n, SOURCE_HEAD - s->head_n);
        if (got < 0) return false;
        if (got == 0) break;
        s->head_n += (size_t)got;
    }
    s->coding = coding_of(s->head, s->head_n);
    if (s->coding != PLAIN && !begin_unpacking(s)) return false;
    bool twice = s->coding != PLAIN && coding_of(s->head, s->head_n) != PLAIN;
    const char *other = foreign_of(s->head, s->head_n);
    char text[sizeof s->fault];
    if (!other && !twice) return true;
    snprintf(text, sizeof text, "%s data; decompress it first", twice ? "twice compressed" : other);
    return fail(s, text) == 0;
}

source *source_open(const char *path, const char **why) {
    static _Thread_local char text[128];
    *why = text;
    source *s = calloc(1, sizeof *s);
    if (!s) {
        *why = "out of memory";
        return NULL;
    }
    s->named = strcmp(path, "-") != 0;
    s->between = true;
    s->wake = -1;
    s->fd = s->named ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    if (s->fd < 0) fail(s, strerror(errno));
    if (s->fd >= 0 && begin(s)) return s;
    memcpy(text, s->fault, sizeof text);
    source_close(s);
    return NULL;
}

void source_close(source *s) {
    if (!s) return;
    if (s->coding == GZIP) inflateEnd(&s->z);
    ZSTD_freeDStream(s->zstd);
    if (s->named && s->fd >= 0) close(s->fd);
    free(s->packed);
    free(s);
}

size_t source_peek(const source *s, const uint8_t **bytes) {
    *bytes = s->head;
    return s->head_n;
}

ssize_t source_read(source *s, uint8_t *to, size_t n) {
    if (s->head_at < s->head_n) {
        size_t k = s->head_n - s->head_at < n ? s->head_n - s->head_at : n;
        memcpy(to, s->head + s->head_at, k);
        s->head_at += k;
        return (ssize_t)k;
    }
    if (s->broken) return -1;
    return s->coding == PLAIN ? read_raw(s, to, n) : unpack(s, to, n);
}

const char *source_fault(const source *s) {
    return s->fault;
}

bool source_reopens(const source *s) {
    return s->named && s->regular;
}

uint64_t source_size(const source *s) {
    return s->size;
}

uint64_t source_taken(const source *s) {
    return s->taken;
}

void source_wake_by(source *s, int fd) {
    s->wake = fd;
}

void source_idle_by(source *s, idler i) {
    s->idle = i;
}
