/* portion.c - a share of all records, printed while they are read.
 *
 * With a probability the distance to the next chosen record is drawn, so that the records between need not be cut. With
 * keys a record is chosen when the hash of its key is: the same keys in every file, on every host.
 */
#include "portion.h"

#include "answer.h"
#include "cmd.h"
#include "domain.h"
#include "gather.h"
#include "headers.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct portion {
    const options *o;
    output out;
    bpk_hasher hasher;
    headers headers;
    bpk_gaps gaps;
    uint64_t gap; /* records before the next one that is chosen */
    uint64_t kept;
    input_report report;
    double start; /* of the clock */
} portion;

static void put_record(portion *p, const void *record, size_t len) {
    p->kept++;
    if (p->o->json) return;
    output_put(&p->out, record, len);
    output_put(&p->out, &p->o->in.terminator, 1);
}

/* Whoever follows a growing log sees what has come. */
static int flush(void *ctx) {
    portion *p = ctx;
    if (!p->out.file) output_flush(&p->out);
    return p->out.failed ? EXIT_USAGE : 0;
}

static int take_header(void *ctx, const char *file, const void *record, size_t len) {
    portion *p = ctx;
    bool first = !p->headers.first;
    int code = headers_note(&p->headers, p->o, file, record, len);
    if (code || !first || p->o->json) return code;
    output_put(&p->out, record, len);
    output_put(&p->out, &p->o->in.terminator, 1);
    return 0;
}

/* ---- with a probability ---- */

static uint64_t ahead(void *ctx) {
    const portion *p = ctx;
    return p->gap;
}

static int passed(void *ctx, uint64_t records) {
    portion *p = ctx;
    p->gap -= records;
    return 0;
}

static int drain_gaps(void *ctx, const batch *b) {
    portion *p = ctx;
    size_t i = 0;
    for (; p->gap < b->n - i; i++) {
        i += (size_t)p->gap;
        put_record(p, b->record[i], b->record_len[i]);
        p->gap = bpk_gaps_next(&p->gaps);
    }
    p->gap -= b->n - i;
    return p->out.failed ? EXIT_USAGE : 0;
}

/* ---- by key ---- */

static int drain_keys(void *ctx, const batch *b) {
    portion *p = ctx;
    for (size_t i = 0; i < b->n; i++)
        if (bpk_sample_key(b->hash[i], p->o->probability)) put_record(p, b->record[i], b->record_len[i]);
    return p->out.failed ? EXIT_USAGE : 0;
}

/* ---- the run ---- */

static void put_object(portion *p) {
    json_t *j = json_start();
    json_object_set_new(j, "method", json_string(p->o->by_key ? "keys" : "probability"));
    json_object_set_new(j, "probability", json_real(p->o->probability));
    json_object_set_new(j, "kept", json_integer((json_int_t)p->kept));
    set_report(j, &p->report, now_seconds() - p->start);
    json_put(&p->out, j);
}

static int end(portion *p, int code) {
    if (p->o->json && !code) put_object(p);
    int closed = output_close(&p->out, code == 0);
    if (p->o->verbose && !code && !closed)
        say(0, NULL, "sample: %" PRIu64 " of %" PRIu64 " records, %.3f s", p->kept, p->report.records,
            now_seconds() - p->start);
    if (code || closed) return code ? code : closed;
    return exit_after(&p->report);
}

static int stream(portion *p) {
    const options *o = p->o;
    input *in;
    const consumer by_gaps = {
        .ctx = p, .drain = drain_gaps, .header = take_header, .pause = flush, .ahead = ahead, .passed = passed};
    const consumer by_keys = {.ctx = p, .drain = drain_keys, .header = take_header, .pause = flush};
    input_options how = o->in;
    if (o->by_key) how.fields = o->key_field;
    int code = input_open(&in, &how, &o->env);
    if (code) return code;
    code = no_sketches(in, "sample -p");
    if (!code) code = output_open(&p->out, o->output);
    if (!code) {
        code = o->by_key ? input_run(in, &p->hasher, &by_keys, &p->report) : input_run(in, NULL, &by_gaps, &p->report);
        code = end(p, code);
    }
    input_close(in);
    return code;
}

static int start_gaps(portion *p) {
    uint64_t seed, stream;
    int code = draw_source(p->o, &seed, &stream);
    if (code) return code;
    bpk_status st = bpk_gaps_new(&p->gaps, seed, stream, p->o->probability);
    if (st != BPK_OK) return say_status(NULL, st);
    p->gap = bpk_gaps_next(&p->gaps);
    return 0;
}

int portion_run(const options *o) {
    portion *p = calloc(1, sizeof *p);
    if (!p) return say_status(NULL, BPK_E_NOMEM);
    p->o = o;
    p->start = now_seconds();
    int code = o->by_key ? hasher_make(&p->hasher, o, NULL, NULL) : start_gaps(p);
    if (!code) code = stream(p);
    headers_free(&p->headers);
    free(p);
    return code;
}
