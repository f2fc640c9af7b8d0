/* output.c - where bytes go: standard output, or a file that is replaced as a whole; sketches on their way out. */
#define _GNU_SOURCE
#include "output.h"

#include "cmd.h"
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdout(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

/* A terminal, a pipe, /dev/null: there is nothing to replace, bytes just go there. */
static bool is_device(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A name without links; of what is not there, its folder's and its own. */
static bool resolve(char out[PATH_MAX], const char *path) {
    char folder[PATH_MAX], real[PATH_MAX];
    if (realpath(path, out)) return true;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int n = snprintf(folder, sizeof folder, "%.*s.", (int)(name - path), path);
    if (n < 0 || n >= PATH_MAX || !realpath(folder, real)) return false;
    n = snprintf(out, PATH_MAX, "%s/%s", real, name);
    return n > 0 && n < PATH_MAX;
}

bool same_target(const char *a, const char *b) {
    char one[PATH_MAX], other[PATH_MAX];
    if (!a || !b) return false;
    if (strcmp(a, b) == 0) return true;
    if (is_stdout(a) || is_stdout(b)) return false;
    return resolve(one, a) && resolve(other, b) && strcmp(one, other) == 0;
}

/* What a writer says: the system's reason, else the operation. */
static int say_writer(const char *name, const bpk_err *err) {
    int code = exit_of(err->code);
    if (err->code == BPK_E_UNDURABLE) return say(code, name, "%s", bpk_status_text(err->code));
    return say(code, name, "cannot %s: %s", err->field ? err->field : "write",
               err->other[0] ? err->other : bpk_status_text(err->code));
}

int output_open(output *out, const char *path) {
    out->name = is_stdout(path) ? "standard output" : path;
    out->file = NULL;
    out->fd = STDOUT_FILENO;
    out->failed = 0;
    out->screen = false;
    out->n = 0;
    if (is_stdout(path)) return 0;
    if (is_device(path)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 ? 0 : say(EXIT_USAGE, path, "cannot open: %s", strerror(errno));
    }
    bpk_err err;
    return bpk_writer_open(&out->file, path, NULL, &err) == BPK_OK ? 0 : say_writer(path, &err);
}

int answer_open(output *out, const options *o) {
    int code = output_open(out, o->output);
    out->screen = screen_begun();
    bool taken = o->save && is_stdout(o->save);
    if (!code && taken && !out->file && out->fd == STDOUT_FILENO) out->fd = STDERR_FILENO;
    return code;
}

/* Also when the parent ignores SIGPIPE, a closed pipe ends the process as that signal does. */
static void end_silently(void) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

static void write_all(output *out, const char *bytes, size_t n) {
    while (n && !out->failed) {
        ssize_t wrote = write(out->fd, bytes, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EPIPE) end_silently();
        if (wrote < 0) out->failed = errno;
        if (wrote <= 0) return;
        bytes += wrote;
        n -= (size_t)wrote;
    }
}

void output_flush(output *out) {
    write_all(out, out->buffer, out->n);
    out->n = 0;
}

void output_put(output *out, const void *bytes, size_t n) {
    if (out->failed || !n) return;
    if (out->screen) {
        screen_put(bytes, n);
        return;
    }
    if (out->file) {
        if (bpk_writer_put(out->file, bytes, n) != BPK_OK) out->failed = errno ? errno : EIO;
        return;
    }
    if (n > sizeof out->buffer - out->n) output_flush(out);
    if (n > sizeof out->buffer) {
        write_all(out, bytes, n);
        return;
    }
    memcpy(out->buffer + out->n, bytes, n);
    out->n += n;
}

void output_record(output *out, const options *o, const void *bytes, size_t n) {
    output_put(out, bytes, n);
    output_put(out, &o->in.terminator, 1);
}

void output_text(output *out, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    output_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void output_printable(output *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) output_put(out, (unsigned char)text[i] < 32 || text[i] == 127 ? "?" : text + i, 1);
}

int output_close(output *out, bool keep) {
    bpk_err err;
    if (!out->file) output_flush(out);
    if (!out->file && out->fd > STDERR_FILENO && close(out->fd) != 0 && !out->failed) out->failed = errno;
    if (out->file && (!keep || out->failed)) {
        bpk_writer_abort(out->file);
    } else if (out->file && bpk_writer_commit(out->file, BPK_SYNC, &err) != BPK_OK) {
        return say_writer(out->name, &err);
    }
    return out->failed ? say(EXIT_USAGE, out->name, "cannot write: %s", strerror(out->failed)) : 0;
}

/* ---- sketches ---- */

/* Bytes on their way to an output as base64: up to two wait for their group of three. */
typedef struct base64 {
    output *out;
    uint8_t wait[3];
    size_t n;
} base64;

void base64_group(char text[4], const uint8_t *b, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t v = (uint32_t)b[0] << 16;
    if (n > 1) v |= (uint32_t)b[1] << 8;
    if (n > 2) v |= b[2];
    for (unsigned i = 0; i < 4; i++) text[i] = i <= n ? digit[v >> (18 - 6 * i) & 63] : '=';
}

static void put_group(base64 *b) {
    char text[4];
    base64_group(text, b->wait, b->n);
    output_put(b->out, text, sizeof text);
    b->n = 0;
}

static bpk_status base64_put(void *ctx, const void *bytes, size_t n) {
    base64 *b = ctx;
    for (const uint8_t *at = bytes; n; at++, n--) {
        b->wait[b->n++] = *at;
        if (b->n == 3) put_group(b);
    }
    return b->out->failed ? BPK_E_SINK : BPK_OK;
}

static void base64_end(base64 *b) {
    if (b->n) put_group(b);
    output_put(b->out, "\n", 1);
}

static bpk_status raw_put(void *ctx, const void *bytes, size_t n) {
    output *out = ctx;
    output_put(out, bytes, n);
    return out->failed ? BPK_E_SINK : BPK_OK;
}

int sketch_target(const options *o, const char *path) {
    if (is_stdout(path) && !o->base64 && isatty(STDOUT_FILENO))
        return say(EXIT_USAGE, NULL, "a sketch is not for a terminal: name a file, or ask for --base64");
    bpk_err err;
    bpk_writer *w = NULL;
    if (!is_stdout(path) && !is_device(path) && bpk_writer_open(&w, path, NULL, &err) != BPK_OK)
        return say_writer(path, &err);
    bpk_writer_abort(w);
    return 0;
}

int sketch_save(const options *o, bpk_sketch *s, const char *path) {
    bpk_form form = o->form == FORM_VIEW ? BPK_FORM_VIEW : BPK_FORM_SMALL;
    bpk_status st = o->label ? bpk_meta_set(s, BPK_META_LABEL, o->label, strlen(o->label)) : BPK_OK;
    if (st != BPK_OK) return say_status("--label", st);
    if (o->tolerated > 0 && (st = bpk_tolerate(s, o->tolerated)) != BPK_OK) return say_status("--tolerate", st);
    output *out = malloc(sizeof *out);
    if (!out) return say_status(path, BPK_E_NOMEM);
    int code = output_open(out, path);
    if (!code) {
        base64 b = {.out = out};
        st = o->base64 ? bpk_encode(s, form, base64_put, &b) : bpk_encode(s, form, raw_put, out);
        if (o->base64) base64_end(&b);
        code = output_close(out, st == BPK_OK);
        if (!code && st != BPK_OK) code = say_status(out->name, st);
    }
    free(out);
    return code;
}
