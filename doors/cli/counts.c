/* counts.c - a map that turns into a sketch when it is full. One updater in input order: what the sketch keeps may
 * depend on the order, and so does which keys the map has when it is full. */
#include "counts.h"

#include "cmd.h"

int counts_spill(counts *c) {
    bpk_err err = {.code = BPK_OK};
    if (!c->exact) return 0;
    bpk_status st = bpk_tally_spill(c->exact, c->sketch, &err);
    if (st != BPK_OK) return err.code ? say_err(NULL, &err) : say_status(NULL, st);
    bpk_tally_free(c->exact);
    c->exact = NULL;
    return 0;
}

static int drain(void *ctx, const batch *b) {
    counts *c = ctx;
    size_t done = 0;
    if (c->exact) {
        bpk_items it = {.n = b->n, .hash = b->hash, .item = b->item, .len = b->len, .weight = b->weight};
        bpk_status st = bpk_tally_add(c->exact, &it, &done);
        if (st == BPK_OK) return 0;
        if (st != BPK_E_FULL && st != BPK_E_LIMIT) return say_status(NULL, st);
        int code = counts_spill(c);
        if (code) return code;
    }
    bpk_status st = moments_add(&c->when, c->sketch, b, done, NULL, &done);
    return st == BPK_OK ? 0 : say_status(bpk_kind_name(c->sketch), st);
}

static int idle(void *ctx) {
    const counts *c = ctx;
    return live_tick(c->live);
}

int counts_run(counts *c, input *in, const bpk_hasher *h, uint64_t limit, const options *o, const char *file) {
    bool watched = c->live && live_on(c->live);
    consumer one = {.ctx = c, .drain = drain, .idle = watched ? idle : NULL};
    int code = moments_start(&c->when, o, c->sketch, file);
    if (code) return code;
    if (c->when.by_time) limit = 0; /* a map keeps no times */
    bpk_status st = limit ? bpk_tally_new(&c->exact, &h->domain, limit, &o->env) : BPK_OK;
    code = st == BPK_OK ? input_run(in, h, &one, &c->report) : say_status(NULL, st);
    if (watched) code = live_read(c->live, code);
    if (!code) moments_catch_up(&c->when, c->sketch);
    return code;
}

void counts_free(counts *c) {
    bpk_tally_free(c->exact);
    bpk_free(c->sketch);
}
