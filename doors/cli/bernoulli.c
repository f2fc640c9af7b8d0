/* bernoulli.c - a share of all records, printed while they are read.
 *
 * With a probability each record is chosen by a coin of its own (Bernoulli sampling): how many to skip before the next
 * chosen one is drawn, so that those need not be cut. With keys the coin is the hash of the key: the same keys in every
 * file, on every host.
 */
#include "bernoulli.h"

#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "gather.h"
#include "headers.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct bernoulli {
    const options *o;
    output out;
    bpk_hasher hasher;
    headers headers;
    bpk_skips skips;
    uint64_t left; /* records to skip before the next one that is chosen */
    uint64_t kept;
    input_report report;
    double start; /* of the clock */
} bernoulli;

static void put_record(bernoulli *p, const void *record, size_t len) {
    p->kept++;
    if (!p->o->json) output_record(&p->out, p->o, record, len);
}

/* Whoever follows a growing log sees what has come. */
static int flush(void *ctx) {
    bernoulli *p = ctx;
    if (!p->out.file) output_flush(&p->out);
    return p->out.failed ? EXIT_USAGE : 0;
}

static int take_header(void *ctx, const char *file, const void *record, size_t len) {
    bernoulli *p = ctx;
    bool first = !p->headers.first;
    int code = headers_note(&p->headers, p->o, file, record, len);
    if (code || !first || p->o->json) return code;
    output_record(&p->out, p->o, record, len);
    return 0;
}

/* ---- with a probability ---- */

static uint64_t ahead(void *ctx) {
    const bernoulli *p = ctx;
    return p->left;
}

static int passed(void *ctx, uint64_t records) {
    bernoulli *p = ctx;
    p->left -= records;
    return 0;
}

static int drain_skips(void *ctx, const batch *b) {
    bernoulli *p = ctx;
    size_t i = 0;
    for (; p->left < b->n - i; i++) {
        i += (size_t)p->left;
        put_record(p, b->record[i], b->record_len[i]);
        p->left = bpk_skips_next(&p->skips);
    }
    p->left -= b->n - i;
    return p->out.failed ? EXIT_USAGE : 0;
}

/* ---- by key ---- */

static int drain_keys(void *ctx, const batch *b) {
    bernoulli *p = ctx;
    for (size_t i = 0; i < b->n; i++)
        if (bpk_sample_key(b->hash[i], p->o->probability)) put_record(p, b->record[i], b->record_len[i]);
    return p->out.failed ? EXIT_USAGE : 0;
}

/* ---- the run ---- */

static void put_object(bernoulli *p) {
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(p->o->by_key ? "keys" : "probability"));
    json_object_set_new(j, "probability", json_real(p->o->probability));
    json_object_set_new(j, "kept", json_integer((json_int_t)p->kept));
    set_report(j, &p->report, now_seconds() - p->start);
    json_put(&p->out, j);
}

static int end(bernoulli *p, int code) {
    if (p->o->json && !code) put_object(p);
    int closed = output_close(&p->out, code == 0);
    if (p->o->verbose && !code && !closed)
        say(0, NULL, "sample: %" PRIu64 " of %" PRIu64 " records, %.3f s", p->kept, p->report.records,
            now_seconds() - p->start);
    if (code || closed) return code ? code : closed;
    return exit_after(&p->report);
}

static int stream(bernoulli *p) {
    const options *o = p->o;
    input *in;
    const consumer by_skips = {
        .ctx = p, .drain = drain_skips, .header = take_header, .pause = flush, .ahead = ahead, .passed = passed};
    const consumer by_keys = {.ctx = p, .drain = drain_keys, .header = take_header, .pause = flush};
    input_options how = o->in;
    if (o->by_key) how.fields = o->key_field;
    int code = input_open(&in, &how, &o->env);
    if (code) return code;
    code = no_sketches(in, "sample -p");
    if (!code) code = output_open(&p->out, o->output);
    if (!code) {
        code = o->by_key ? input_run(in, &p->hasher, &by_keys, &p->report) : input_run(in, NULL, &by_skips, &p->report);
        code = end(p, code);
    }
    input_close(in);
    return code;
}

static int start_skips(bernoulli *p) {
    uint64_t seed, stream;
    int code = draw_source(p->o, &seed, &stream);
    if (code) return code;
    bpk_status st = bpk_skips_new(&p->skips, seed, stream, p->o->probability);
    if (st != BPK_OK) return say_status(NULL, st);
    p->left = bpk_skips_next(&p->skips);
    return 0;
}

int bernoulli_run(const options *o) {
    bernoulli *p = calloc(1, sizeof *p);
    if (!p) return say_status(NULL, BPK_E_NOMEM);
    p->o = o;
    p->start = now_seconds();
    int code = o->by_key ? hasher_make(&p->hasher, o, NULL, NULL) : start_skips(p);
    if (!code) code = stream(p);
    headers_free(&p->headers);
    free(p);
    return code;
}
