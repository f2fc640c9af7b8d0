/* gather.c - many inputs become one.
 *
 * Each worker owns an exact set and, once that is full, a sketch. At the end the sets unite, or when there is a sketch,
 * or the union is over the limit, everything goes into one sketch: its state is a function of the set of hashes alone.
 */
#include "gather.h"

#include "answer.h"
#include "cmd.h"
#include "fit.h"
#include "recent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sketches ---- */

static bool grow(void **array, size_t n, size_t size) {
    void *more = realloc(*array, n * size);
    if (more) *array = more;
    return more != NULL;
}

int parts_add(parts *p, const options *o, const char *const *file, const char *wanted) {
    input_options one = {.files = file, .n_files = 1, .terminator = '\n', .max_record = o->in.max_record, .threads = 1};
    if (!grow((void **)&p->opened, p->n_opened + 1, sizeof(input *))) return say_status(*file, BPK_E_NOMEM);
    input *in = NULL;
    int code = input_open(&in, &one, &o->env);
    if (code) return code;
    p->opened[p->n_opened++] = in;
    size_t n;
    const found_sketch *found = input_sketches(in, &n);
    if (input_has_text(in) || n == 0)
        return say(EXIT_USAGE, *file, "not a sketch%s%s", wanted ? "; " : "", wanted ? wanted : "");
    if (!grow((void **)&p->at, p->n + n, sizeof *p->at)) return say_status(*file, BPK_E_NOMEM);
    for (size_t i = 0; i < n; i++) p->at[p->n++] = found[i];
    return 0;
}

void parts_free(parts *p) {
    for (size_t i = 0; i < p->n_opened; i++) input_close(p->opened[i]);
    free(p->opened);
    free(p->at);
}

int no_sketches(const input *in, const char *reader) {
    size_t n;
    const found_sketch *found = input_sketches(in, &n);
    return n ? say(EXIT_USAGE, found[0].file, "is a sketch; %s reads records", reader) : 0;
}

bool adds_weights(const bpk_sketch *s) {
    double total;
    const bpk_window *w = bpk_as_window(s);
    if (w) return bpk_window_of(w) == BPK_KIND_CMS || bpk_window_of(w) == BPK_KIND_TOPK;
    return sketch_number(s, "total", &total);
}

int unite(bpk_sketch **out, const found_sketch *at, size_t n, const bpk_env *env) {
    const bpk_sketch **all = malloc(n * sizeof(const bpk_sketch *));
    if (!all) return say_status(at[0].file, BPK_E_NOMEM);
    for (size_t i = 0; i < n; i++) all[i] = at[i].sketch;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_merge_many(out, all, n, env, &err);
    free(all);
    if (st == BPK_OK) return 0;
    if (err.code == BPK_OK) return say_status(at[0].file, st);
    return say_mismatch(at, n, &err);
}

bpk_status sketch_try(bpk_sketch **out, const char *kind, const bpk_domain *d, const options *o,
                      const bpk_param *defaults, size_t n, const bpk_env *env, bpk_err *err) {
    bpk_param all[2 * sizeof o->param / sizeof *o->param + 1];
    size_t n_all = o->n_params;
    memcpy(all, o->param, n_all * sizeof *all);
    for (size_t i = 0; i < n; i++)
        if (!param_value(o, defaults[i].name)) all[n_all++] = defaults[i];
    bool panes = asks_for_panes(o, kind);
    if (panes) all[n_all++] = (bpk_param){"of", kind};
    *err = (bpk_err){.code = BPK_OK};
    return bpk_new(out, panes ? "window" : kind, d, all, n_all, env, err);
}

/* With the option that plans it, also where it was not given. */
static int say_too_large(const char *kind, const options *o, const bpk_param *defaults, size_t n) {
    option_given given = {.name = NULL};
    for (size_t i = 0; i < n; i++)
        if (strcmp(defaults[i].name, "items") == 0) given.name = "capacity";
    option_giving(&given, o, "items");
    if (!given.name) return say(EXIT_LIMIT, NULL, "the %s needs more than --mem allows", kind);
    return say(EXIT_LIMIT, NULL, "the %s needs more than --mem allows; a smaller --%s needs less", kind, given.name);
}

int sketch_new(bpk_sketch **out, const char *kind, const bpk_domain *d, const options *o, const bpk_param *defaults,
               size_t n, const bpk_env *env) {
    const char *foreign = option_of_other_kind(o, kind);
    if (foreign) return say(EXIT_USAGE, NULL, "%s does not take --%s", kind, foreign);
    int code = panes_of(o, kind);
    if (code) return code;
    bpk_err err;
    bpk_status st = sketch_try(out, kind, d, o, defaults, n, env, &err);
    if (st == BPK_OK) return 0;
    if (st == BPK_E_LIMIT) return say_too_large(kind, o, defaults, n);
    return err.code == BPK_OK ? say_status(kind, st) : say_param(o, kind, &err);
}

/* ---- items ---- */

typedef struct worker {
    bpk_exact *exact; /* NULL once it has spilled */
    bpk_sketch *sketch;
} worker;

typedef struct crew {
    const bpk_sketch *like;
    tally *out;
    worker *at;
    unsigned n;
} crew;

/* The worker's set is full: from here on it has a sketch. */
static bpk_status spill(worker *w, const bpk_sketch *like) {
    bpk_status st = w->sketch ? BPK_OK : bpk_twin(&w->sketch, like, NULL);
    if (st == BPK_OK && w->exact) st = bpk_exact_spill(w->exact, w->sketch, NULL);
    if (st != BPK_OK) return st;
    bpk_exact_free(w->exact);
    w->exact = NULL;
    return BPK_OK;
}

static bool no_room(bpk_status st) {
    return st == BPK_E_FULL || st == BPK_E_LIMIT;
}

static bpk_status add(worker *w, const bpk_sketch *like, const batch *b) {
    size_t done = 0;
    bpk_items it = {.n = b->n, .hash = b->hash, .item = b->item, .len = b->len};
    if (w->exact) {
        bpk_status st = bpk_exact_add(w->exact, &it, NULL, &done);
        if (st == BPK_OK || !no_room(st)) return st;
        st = spill(w, like);
        if (st != BPK_OK) return st;
    }
    it = (bpk_items){.n = b->n - done, .hash = b->hash + done, .item = b->item + done, .len = b->len + done};
    return bpk_add(w->sketch, &it, NULL, NULL);
}

static int work(void *ctx, unsigned which, const batch *b) {
    crew *c = ctx;
    bpk_status st = add(&c->at[which], c->like, b);
    return st == BPK_OK ? 0 : say_status(bpk_kind_name(c->like), st);
}

static int drain(void *ctx, const batch *b) {
    crew *c = ctx;
    size_t done;
    if (!c->out->when.by_time) return work(ctx, 0, b);
    bpk_status st = moments_add(&c->out->when, c->at[0].sketch, b, 0, NULL, &done);
    return st == BPK_OK ? 0 : say_status(bpk_kind_name(c->like), st);
}

/* What there is so far, all with one worker. */
static int idle(void *ctx) {
    crew *c = ctx;
    tally *t = c->out;
    t->exact = c->at[0].exact;
    t->sketch = c->at[0].sketch;
    int code = live_tick(t->live);
    t->exact = NULL;
    t->sketch = NULL;
    return code;
}

static bpk_status crew_start(crew *c, const bpk_domain *d, uint64_t limit, const options *o) {
    c->at = calloc(c->n, sizeof *c->at);
    bpk_status st = c->at ? BPK_OK : BPK_E_NOMEM;
    for (unsigned i = 0; i < c->n && st == BPK_OK; i++)
        st = limit ? bpk_exact_new(&c->at[i].exact, d, limit, &o->env) : bpk_twin(&c->at[i].sketch, c->like, NULL);
    return st;
}

/* Everything into the first worker, as a set when it can be one. */
static bpk_status crew_unite(crew *c) {
    worker *first = &c->at[0];
    bool all_exact = true;
    for (unsigned i = 0; i < c->n; i++) all_exact = all_exact && c->at[i].exact;
    for (unsigned i = 1; i < c->n && all_exact; i++) {
        bpk_status st = bpk_exact_merge(first->exact, c->at[i].exact, NULL);
        if (st != BPK_OK && !no_room(st)) return st;
        all_exact = st == BPK_OK;
    }
    if (all_exact) return BPK_OK;
    for (unsigned i = 0; i < c->n; i++) {
        bpk_status st = spill(&c->at[i], c->like);
        if (st == BPK_OK && i) st = bpk_merge(first->sketch, c->at[i].sketch, NULL);
        if (st != BPK_OK) return st;
    }
    return BPK_OK;
}

static void crew_free(crew *c) {
    for (unsigned i = 0; c->at && i < c->n; i++) {
        bpk_exact_free(c->at[i].exact);
        bpk_free(c->at[i].sketch);
    }
    free(c->at);
}

int tally_run(tally *t, input *in, const bpk_hasher *h, const bpk_sketch *like, uint64_t limit, const options *o) {
    bool watched = t->live && live_on(t->live), splits = bpk_splittable(like), apart = splits && !watched;
    crew c = {.like = like, .out = t, .n = apart ? o->in.threads : 1};
    if (limit > o->mem / 32) limit = o->mem / 32; /* what a set that is growing needs for an item, at most */
    if (!splits) limit = 0;
    consumer all = {
        .ctx = &c, .work = apart ? work : NULL, .drain = apart ? NULL : drain, .idle = watched ? idle : NULL};
    bpk_status st = crew_start(&c, &h->domain, limit, o);
    int code = st == BPK_OK ? input_run(in, h, &all, &t->report) : say_status(NULL, st);
    if (watched) code = live_read(t->live, code);
    if (!code) {
        if (t->when.by_time) moments_catch_up(&t->when, c.at[0].sketch);
        st = crew_unite(&c);
        code = st == BPK_OK ? 0 : say_status(bpk_kind_name(like), st);
    }
    if (!code) {
        t->exact = c.at[0].exact;
        t->sketch = c.at[0].sketch;
        c.at[0] = (worker){NULL, NULL};
    }
    crew_free(&c);
    return code;
}

void tally_free(tally *t) {
    bpk_exact_free(t->exact);
    bpk_free(t->sketch);
}
