/* input.c - looks at the inputs, then moves chunks from the reader through the cutters to the consumer.
 *
 *   reader --chunks--> cutter and consumer.work --batches, in order--> consumer.drain
 *   one thread         N threads                                       the calling thread
 *
 * Everything is said and counted on the calling thread, in input order, whatever the threads do.
 */
#define _POSIX_C_SOURCE 200809L
#include "input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cutter.h"
#include "exits.h"
#include "found.h"
#include "interrupt.h"
#include "pipeline.h"
#include "progress.h"
#include "reader.h"
#include "source.h"

enum { CHUNK_ALONE = 1024 * 1024, CHUNK_TOGETHER = 512 * 1024 }; /* bytes read at once */
/* Records: of a batch behind records that were passed over, the fewest that split.h cuts; and those that are not worth
 * a pass. */
enum { BATCH_MIN = 64, PASS_MIN = 16 };

struct input {
    input_options o;
    size_t chunk_bytes; /* 0: as suits the run */
    found_list found;
    text_file *text;
    size_t n_text;
    uint64_t bad_files;
};

/* ---- looking at the inputs ---- */

const char *input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int input_once(const char *const *files, size_t n) {
    size_t times = 0;
    for (size_t i = 0; i < n; i++) times += strcmp(files[i], "-") == 0;
    return times < 2 ? 0 : say(EXIT_USAGE, NULL, "standard input (-) can be read only once");
}

/* Takes the source: a text that can be opened again is closed, so that thousands of files need few descriptors. */
static void add_text(input *in, const char *path, source *s) {
    text_file *t = &in->text[in->n_text++];
    *t = (text_file){path, input_name(path), s, source_size(s)};
    if (!source_reopens(s)) return;
    source_close(s);
    t->open = NULL;
}

static int look_at(input *in, const char *path, const bpk_env *env) {
    const char *name = input_name(path), *why;
    source *s = source_open(path, &why);
    if (!s) {
        in->bad_files++;
        say(0, name, "%s", why);
        return 0;
    }
    found_kind kind = found_kind_of(s, name);
    if (kind == FOUND_TEXT) {
        add_text(in, path, s);
        return 0;
    }
    int code = kind == FOUND_DAMAGED ? say(EXIT_SKETCH, name, "not a sketch, or damaged")
                                     : found_read(&in->found, s, kind, name, env);
    source_close(s);
    return code;
}

static int look_at_all(input *in, const bpk_env *env) {
    int code = input_once(in->o.files, in->o.n_files);
    for (size_t i = 0; i < in->o.n_files && !code; i++) code = look_at(in, in->o.files[i], env);
    if (code) return code;
    return in->bad_files < in->o.n_files ? 0 : EXIT_USAGE;
}

int input_open(input **out, const input_options *o, const bpk_env *env) {
    static const char *const standard_input[] = {"-"};
    input *in = calloc(1, sizeof *in);
    if (!in) return say(EXIT_LIMIT, NULL, "out of memory");
    in->o = *o;
    if (o->n_files == 0) {
        in->o.files = standard_input;
        in->o.n_files = 1;
    }
    in->text = calloc(in->o.n_files, sizeof *in->text);
    int code = in->text ? look_at_all(in, env) : say(EXIT_LIMIT, NULL, "out of memory");
    if (code) {
        input_close(in);
        return code;
    }
    *out = in;
    return 0;
}

void input_close(input *in) {
    if (!in) return;
    for (size_t i = 0; in->text && i < in->n_text; i++) source_close(in->text[i].open);
    free(in->text);
    found_free(&in->found);
    free(in);
}

const found_sketch *input_sketches(const input *in, size_t *n) {
    *n = in->found.n;
    return in->found.at;
}

bool input_has_text(const input *in) {
    return in->n_text > 0;
}

uint64_t input_bad_files(const input *in) {
    return in->bad_files;
}

void input_set_chunk(input *in, size_t bytes) {
    in->chunk_bytes = bytes;
}

/* ---- a run ---- */

/* A chunk with what has become of it. */
typedef struct job {
    chunk c;
    cut_state state;
    int code;     /* of consumer.work */
    store *batch; /* those that wait for their turn to be drained */
    size_t n, cap;
} job;

typedef struct run {
    input *in;
    const consumer *consumer;
    input_report *report;
    reader reader;
    cutter *cutter; /* one a worker */
    store *store;   /* one a worker, for batches that need not wait */
    unsigned n_workers;
    int wake[2];
    progress progress;
    uint64_t file_records; /* of the present file, in the chunks before the present one */
    uint64_t no_field, no_integer, no_weight, no_time;
    bool cr_said;
    int idle_code; /* of consumer.idle */
} run;

static int call_drain(const consumer *c, const batch *b) {
    return c->drain && b->n ? c->drain(c->ctx, b) : 0;
}

static int call_header(const consumer *c, const char *name, const cut_state *state) {
    return c->header && state->header ? c->header(c->ctx, name, state->header, state->header_len) : 0;
}

static int call_work(const consumer *c, unsigned worker, const batch *b) {
    return c->work && b->n ? c->work(c->ctx, worker, b) : 0;
}

static int call_idle(const consumer *c) {
    return c->idle ? c->idle(c->ctx) : 0;
}

/* ---- what is said about a chunk, in order ---- */

static const char *weights(const run *r) {
    return r->in->o.real_weights ? "0, or a decimal number from 6.3e-61 to 1.6e60" : "a whole number from 0 to 2^63-1";
}

/* The fault that ends the run, with its place. */
static int say_fault(run *r, const job *j, const char *name) {
    unsigned long long record = r->file_records + j->state.records + (j->c.overlong && !j->state.fault);
    progress_clear(&r->progress);
    if (j->state.fault == FAULT_MEMORY) return say(EXIT_LIMIT, NULL, "out of memory");
    if (j->state.fault == FAULT_FIELD) return say(EXIT_BAD, name, "record %llu: no such field", record);
    if (j->state.fault == FAULT_INTEGER) return say(EXIT_BAD, name, "record %llu: no integer", record);
    if (j->state.fault == FAULT_WEIGHT) return say(EXIT_BAD, name, "record %llu: no weight (%s)", record, weights(r));
    if (j->state.fault == FAULT_TIME)
        return say(EXIT_BAD, name, "record %llu: no time (%s)", record, instant_about(&r->in->o.time_form));
    return say(EXIT_LIMIT, name, "record %llu: longer than %zu bytes", record, r->in->o.max_record);
}

static void say_cr(run *r, const char *name) {
    progress_clear(&r->progress);
    r->cr_said = true;
    say(0, name, "lines end with CR LF; the CR is kept as a part of the line (--crlf strip removes it)");
}

/* A file that could not be read to its end; what came before stays. */
static void say_bad_file(run *r, const job *j, const char *name) {
    progress_clear(&r->progress);
    r->report->bad_files++;
    say(0, name, "%s", j->c.fault);
}

/* After the chunk's batches: counts, messages, and the code that ends the run or 0. */
static int finish(run *r, const job *j) {
    const char *name = r->in->text[j->c.file].name;
    if (j->c.first) r->file_records = 0;
    r->report->records += j->state.records;
    r->report->bytes += j->c.read;
    r->no_field += j->state.no_field;
    r->no_integer += j->state.no_integer;
    r->no_weight += j->state.no_weight;
    r->no_time += j->state.no_time;
    r->report->bad_records = r->no_field + r->no_integer + r->no_weight + r->no_time;
    if (interrupted()) return interrupt_code(0);
    if (j->state.saw_cr && !r->cr_said) say_cr(r, name);
    int code = r->consumer->pause ? r->consumer->pause(r->consumer->ctx) : 0;
    if (j->code || code) return j->code ? j->code : code;
    if (j->state.fault || j->c.overlong) return say_fault(r, j, name);
    if (j->c.fault[0]) say_bad_file(r, j, name);
    r->file_records += j->state.records;
    progress_update(&r->progress, r->report->bytes, j->c.taken, r->report->records);
    return call_idle(r->consumer);
}

/* ---- one thread: every batch is worked on and drained while it is warm ---- */

/* Passes over what the consumer does not look at, where it can. Batches begin small behind a pass and double until the
 * next one. */
static int pass_over(run *r, job *j) {
    const consumer *c = r->consumer;
    cutter *k = &r->cutter[0];
    uint64_t n = c->ahead ? c->ahead(c->ctx) : 0;
    n = n < PASS_MIN ? 0 : cutter_pass(k, &j->c, &j->state, n);
    if (n) k->most = BATCH_MIN;
    else k->most = k->most < BATCH_MAX / 2 ? 2 * k->most : BATCH_MAX;
    return n ? c->passed(c->ctx, n) : 0;
}

/* Returns what ended the chunk early, or 0. */
static int cut_chunk(run *r, job *j) {
    const batch *b = &r->store[0].b;
    cutter_header(&r->cutter[0], &j->c, &j->state);
    int code = call_header(r->consumer, r->in->text[j->c.file].name, &j->state);
    while (!code) {
        code = pass_over(r, j);
        if (code || !cutter_next(&r->cutter[0], &j->c, &j->state, &r->store[0])) break;
        code = call_work(r->consumer, 0, b);
        if (!code) code = call_drain(r->consumer, b);
    }
    return code;
}

static bool idle_alone(void *ctx) {
    run *r = ctx;
    r->idle_code = call_idle(r->consumer);
    return !r->idle_code;
}

static int run_alone(run *r) {
    job j = {.code = 0};
    int code = 0;
    if (r->consumer->idle) r->reader.idle = (idler){idle_alone, r};
    while (!code && reader_next(&r->reader, &j.c) && !r->idle_code) {
        j.state = (cut_state){0};
        j.code = cut_chunk(r, &j);
        code = finish(r, &j);
    }
    chunk_free(&j.c);
    return code ? code : r->idle_code;
}

/* ---- several threads ---- */

static bool step_fill(void *ctx, void *slot) {
    run *r = ctx;
    job *j = slot;
    j->state = (cut_state){0};
    j->code = 0;
    j->n = 0;
    return reader_next(&r->reader, &j->c);
}

/* Where the next batch goes: where it can wait, or where it is soon overwritten when nobody drains. */
static store *next_store(run *r, unsigned worker, job *j) {
    if (!r->consumer->drain) return &r->store[worker];
    if (j->n < j->cap) return &j->batch[j->n];
    size_t cap = j->cap ? 2 * j->cap : 4;
    store *grown = realloc(j->batch, cap * sizeof *grown);
    if (!grown) return NULL;
    memset(grown + j->cap, 0, (cap - j->cap) * sizeof *grown);
    j->batch = grown;
    j->cap = cap;
    return &grown[j->n];
}

static bool step_work(void *ctx, unsigned worker, void *slot) {
    run *r = ctx;
    job *j = slot;
    cutter_header(&r->cutter[worker], &j->c, &j->state);
    for (;;) {
        store *s = next_store(r, worker, j);
        if (!s) {
            j->state.fault = FAULT_MEMORY;
            return false;
        }
        if (!cutter_next(&r->cutter[worker], &j->c, &j->state, s)) break;
        j->code = call_work(r->consumer, worker, &s->b);
        if (j->code) return false;
        if (r->consumer->drain) j->n++;
    }
    return !j->state.fault && !j->c.overlong;
}

static int step_drain(void *ctx, void *slot) {
    run *r = ctx;
    job *j = slot;
    int code = call_header(r->consumer, r->in->text[j->c.file].name, &j->state);
    for (size_t i = 0; i < j->n && !code; i++) code = call_drain(r->consumer, &j->batch[i].b);
    if (code) j->code = code;
    code = finish(r, j);
    if (j->c.cap > 2 * r->reader.chunk_bytes) chunk_free(&j->c); /* a giant record's; it is not needed again */
    return code;
}

static void step_wake(void *ctx) {
    run *r = ctx;
    ssize_t n;
    do n = write(r->wake[1], "", 1);
    while (n < 0 && errno == EINTR);
}

static int step_idle(void *ctx) {
    const run *r = ctx;
    return call_idle(r->consumer);
}

static void job_free(job *j) {
    for (size_t i = 0; i < j->cap; i++) store_free(&j->batch[i]);
    free(j->batch);
    chunk_free(&j->c);
}

/* -1 when threads or their memory cannot be had, before anything was read. */
static int run_together(run *r) {
    const pipeline_steps steps = {
        r, step_fill, step_work, step_drain, step_wake, r->consumer->idle ? step_idle : NULL, IDLE_MS};
    size_t n = 2 * (size_t)r->n_workers + 2;
    job *j = calloc(n, sizeof *j);
    void **slot = calloc(n, sizeof *slot);
    int code = -1;
    if (j && slot && pipe(r->wake) == 0) {
        r->reader.wake = r->wake[0];
        for (size_t i = 0; i < n; i++) slot[i] = &j[i];
        code = pipeline_run(&steps, slot, n, r->n_workers);
        close(r->wake[0]);
        close(r->wake[1]);
        r->reader.wake = -1;
    }
    for (size_t i = 0; j && i < n; i++) job_free(&j[i]);
    free(slot);
    free(j);
    return code;
}

/* ---- beginning and end of a run ---- */

static bool make_workers(run *r, const bpk_hasher *h, unsigned n) {
    r->cutter = calloc(n, sizeof *r->cutter);
    r->store = calloc(n, sizeof *r->store);
    if (!r->cutter || !r->store) return false;
    for (; r->n_workers < n; r->n_workers++)
        if (!cutter_init(&r->cutter[r->n_workers], &r->in->o, h)) return false;
    return true;
}

static void free_workers(run *r) {
    for (unsigned i = 0; i < r->n_workers; i++) {
        cutter_free(&r->cutter[i]);
        store_free(&r->store[i]);
    }
    free(r->cutter);
    free(r->store);
}

static uint64_t total_size(const input *in) {
    uint64_t total = 0;
    for (size_t i = 0; i < in->n_text; i++) {
        if (in->text[i].size == 0) return 0;
        total += in->text[i].size;
    }
    return total;
}

static void say_bad_records(const run *r) {
    uint64_t all = r->report->records;
    if (r->no_field)
        say(0, NULL, "%" PRIu64 " of %" PRIu64 " records lack a chosen field and were left out", r->no_field, all);
    if (r->no_integer)
        say(0, NULL, "%" PRIu64 " of %" PRIu64 " records are no integer and were left out", r->no_integer, all);
    if (r->no_weight)
        say(0, NULL, "%" PRIu64 " of %" PRIu64 " records have no weight (%s) and were left out", r->no_weight, all,
            weights(r));
    if (r->no_time)
        say(0, NULL, "%" PRIu64 " of %" PRIu64 " records have no time (%s) and were left out", r->no_time, all,
            instant_about(&r->in->o.time_form));
}

int input_run(input *in, const bpk_hasher *h, const consumer *c, input_report *report) {
    run r = {.in = in, .consumer = c, .report = report};
    unsigned threads = in->o.threads > 1 && !c->ahead ? in->o.threads : 1;
    size_t usual = threads > 1 ? CHUNK_TOGETHER : CHUNK_ALONE;
    if (h) in->o.as_int = h->domain.type == BPK_I64; /* a sketch among the inputs may have said so */
    *report = (input_report){.bad_files = in->bad_files};
    r.reader = (reader){.file = in->text,
                        .n_files = in->n_text,
                        .terminator = (uint8_t)in->o.terminator,
                        .chunk_bytes = in->chunk_bytes ? in->chunk_bytes : usual,
                        .max_record = in->o.max_record,
                        .wake = -1};
    progress_begin(&r.progress, in->o.progress, total_size(in));
    int code = -1;
    bool ready = make_workers(&r, h, threads);
    if (ready && threads > 1) code = run_together(&r);
    if (ready && code < 0) code = run_alone(&r);
    progress_clear(&r.progress);
    if (!ready || r.reader.no_memory) code = say(EXIT_LIMIT, NULL, "out of memory");
    if (!code) code = interrupt_code(0);
    if (!code || (c->idle && code == interrupt_code(0))) say_bad_records(&r);
    reader_close(&r.reader);
    free_workers(&r);
    return code;
}
