/* t_cli.h - what the tests of the command's input share: files, a run whose every item is kept, and what was said.
 *
 * say() is defined here, so that messages can be looked at; a test includes this once.
 */
#ifndef T_CLI_H
#define T_CLI_H

#define _GNU_SOURCE
#include "t.h"
#include "t_scratch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "../doors/cli/exits.h"
#include "../doors/cli/input.h"
#include "../doors/cli/split.h"

/* ---- what was said ---- */

static char said[4096];

int say(int code, const char *subject, const char *format, ...) {
    size_t n = strlen(said);
    va_list args;
    va_start(args, format);
    n += (size_t)snprintf(said + n, sizeof said - n, "%s: ", subject ? subject : "");
    if (n < sizeof said) n += (size_t)vsnprintf(said + n, sizeof said - n, format, args);
    if (n < sizeof said) snprintf(said + n, sizeof said - n, "\n");
    va_end(args);
    return code;
}

/* ---- files ---- */

static char directory[T_SCRATCH];

static inline const char *path_of(const char *name) {
    static char path[8][T_SCRATCH + 64];
    static unsigned next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", directory, name);
    return p;
}

static inline const char *put_file(const char *name, const void *bytes, size_t n) {
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline const char *put_text(const char *name, const char *text) {
    return put_file(name, text, strlen(text));
}

static inline int make_directory(void **state) {
    (void)state;
    return t_scratch_make(directory);
}

static inline int remove_directory(void **state) {
    (void)state;
    return t_scratch_remove(directory);
}

static inline t_bytes gzip_of(const void *bytes, size_t n) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    t_bytes b = {malloc(deflateBound(&z, n) + 64), 0};
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = b.p;
    z.avail_out = (uInt)(deflateBound(&z, n) + 64);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    b.n = z.total_out;
    deflateEnd(&z);
    return b;
}

static inline t_bytes zstd_of(const void *bytes, size_t n) {
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    t_bytes b = {malloc(ZSTD_compressBound(n)), 0};
    b.n = ZSTD_compress2(z, b.p, ZSTD_compressBound(n), bytes, n);
    assert_false(ZSTD_isError(b.n));
    ZSTD_freeCCtx(z);
    return b;
}

/* ---- a run whose every item is kept: each item and each record with a bar behind it ---- */

typedef struct kept {
    uint8_t *p;
    size_t n, cap;
} kept;

static inline void keep(kept *k, const void *bytes, size_t n) {
    if (k->n + n + 1 > k->cap) {
        k->cap = 2 * (k->n + n + 1);
        k->p = realloc(k->p, k->cap);
    }
    if (n) memcpy(k->p + k->n, bytes, n);
    k->n += n;
    k->p[k->n] = '\0';
}

typedef struct outcome {
    int code;
    kept items, records;
    size_t batches, stop_at; /* drain returns 77 instead of taking this batch, counted from 1 */
    size_t worked, work_stop;
    uint64_t sum; /* of hashes */
    input_report report;
} outcome;

static inline int take(void *ctx, const batch *b) {
    outcome *o = ctx;
    assert_true(b->n > 0 && b->n <= 4096);
    if (++o->batches == o->stop_at) return 77;
    for (size_t i = 0; i < b->n; i++) {
        keep(&o->items, b->item[i], b->len[i]);
        keep(&o->items, "|", 1);
        keep(&o->records, b->record[i], b->record_len[i]);
        keep(&o->records, "|", 1);
        o->sum = o->sum * 31 + b->hash[i];
    }
    return 0;
}

static inline input_options plain_options(void) {
    return (input_options){.terminator = '\n', .max_record = 64 << 20, .threads = 1};
}

static inline int stop_at_work(void *ctx, unsigned worker, const batch *b) {
    outcome *o = ctx;
    (void)worker;
    return b->n && o->work_stop && __atomic_add_fetch(&o->worked, 1, __ATOMIC_RELAXED) >= o->work_stop ? 78 : 0;
}

/* Runs over the files of `o`; a chunk of 0 leaves the size as it is. */
static inline void run(outcome *out, const input_options *o, size_t chunk) {
    said[0] = '\0';
    input *in;
    out->code = input_open(&in, o, NULL);
    if (out->code) return;
    if (chunk) input_set_chunk(in, chunk);
    bpk_domain domain = {.hash = BPK_HASH_XXH3, .type = o->as_int ? BPK_I64 : BPK_BYTES};
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, &domain, NULL, NULL), BPK_OK);
    const consumer c = {.ctx = out, .work = stop_at_work, .drain = take};
    out->code = input_run(in, &h, &c, &out->report);
    input_close(in);
    keep(&out->items, "", 0);
    keep(&out->records, "", 0);
}

static inline void forget(outcome *out) {
    free(out->items.p);
    free(out->records.p);
    *out = (outcome){0};
}

static inline void run_file(outcome *out, input_options o, const char *path, size_t chunk) {
    o.files = &path;
    o.n_files = 1;
    run(out, &o, chunk);
}

#define ASSERT_SAID(text) assert_non_null(strstr(said, text))

#endif
