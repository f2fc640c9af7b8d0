/* sets.c - inputs that are kept apart.
 *
 * All inputs are looked at before the first text is read, so that what does not fit is said at once, and so that the
 * sketches rule how texts are hashed and sampled.
 */
#include "sets.h"

#include "cmd.h"
#include "domain.h"
#include "fit.h"
#include "gather.h"

#include <stdlib.h>

#define KIND "theta"

/* Exact up to so many different items of a text, in at most 2 MiB. */
static const bpk_param defaults[] = {{"k", "131072"}};

static int no_memory(void) {
    return say_status(NULL, BPK_E_NOMEM);
}

/* ---- looking at the inputs ---- */

static int open_all(sets *s, const options *o) {
    int code = input_once(o->in.files, o->in.n_files);
    if (code) return code;
    s->at = calloc(o->in.n_files, sizeof *s->at);
    s->theta = calloc(o->in.n_files, sizeof(const bpk_theta *));
    if (!s->at || !s->theta) return no_memory();
    for (; s->n < o->in.n_files && !code; s->n++) {
        one_set *one = &s->at[s->n];
        input_options how = o->in;
        how.files = &o->in.files[s->n];
        how.n_files = 1;
        one->name = input_name(*how.files);
        code = input_open(&one->in, &how, &o->env);
    }
    return code;
}

/* All sketches that were found, in one list to be freed. */
static int list_found(const sets *s, found_sketch **list, size_t *n) {
    size_t more;
    *n = 0;
    for (size_t i = 0; i < s->n; i++) {
        input_sketches(s->at[i].in, &more);
        *n += more;
    }
    *list = calloc(*n + 1, sizeof **list);
    if (!*list) return no_memory();
    for (size_t i = 0, to = 0; i < s->n; i++) {
        const found_sketch *found = input_sketches(s->at[i].in, &more);
        for (size_t j = 0; j < more; j++) (*list)[to++] = found[j];
    }
    return 0;
}

/* ---- what they have in common ---- */

/* The union of empty ones with the shapes of those that were found: it names what does not fit, and takes no time. */
static int unite_shapes(bpk_sketch **like, const found_sketch *found, size_t n, const bpk_env *env) {
    found_sketch *empty = calloc(n, sizeof *empty);
    bpk_status st = empty ? BPK_OK : BPK_E_NOMEM;
    for (size_t i = 0; i < n && st == BPK_OK; i++) {
        empty[i].file = found[i].file;
        st = bpk_twin(&empty[i].sketch, found[i].sketch, env);
    }
    int code = st == BPK_OK ? unite(like, empty, n, env) : say_status(found[0].file, st);
    for (size_t i = 0; empty && i < n; i++) bpk_free(empty[i].sketch);
    free(empty);
    return code;
}

static int agree(sets *s, const options *o, bpk_hasher *h, const found_sketch *found, size_t n) {
    bool text = false;
    for (size_t i = 0; i < n; i++)
        if (!bpk_as_theta(found[i].sketch))
            return say(EXIT_SKETCH, found[i].file, "a sketch of kind %s does not answer %s",
                       bpk_kind_name(found[i].sketch), o->verb->name);
    for (size_t i = 0; i < s->n; i++) text = text || input_has_text(s->at[i].in);
    int code = n ? unite_shapes(&s->like, found, n, &o->env) : 0;
    if (!code && n) code = params_fit(o, s->like, found[0].file);
    if (!code && (text || o->seed_given || o->as || o->key_file))
        code = hasher_make(h, o, s->like, n ? found[0].file : NULL);
    if (code || n) return code;
    return sketch_new(&s->like, KIND, &h->domain, o, defaults, sizeof defaults / sizeof *defaults, &o->env);
}

/* ---- each a sketch ---- */

static int read_text(sets *s, one_set *one, const bpk_hasher *h, const options *o) {
    tally t = {0};
    int code = tally_run(&t, one->in, h, s->like, 0, o);
    one->own = t.sketch;
    s->report.records += t.report.records;
    s->report.bytes += t.report.bytes;
    s->report.bad_records += t.report.bad_records;
    if (code || !t.report.bad_files) return code;
    return say(EXIT_USAGE, one->name, "was not read whole: what the sets share would be wrong");
}

static int fill(sets *s, size_t i, const bpk_hasher *h, const options *o) {
    size_t n;
    one_set *one = &s->at[i];
    const found_sketch *found = input_sketches(one->in, &n);
    int code = n > 1 ? unite(&one->own, found, n, &o->env) : n ? 0 : read_text(s, one, h, o);
    if (code) return code;
    one->sketch = one->own ? one->own : found[0].sketch;
    s->theta[i] = bpk_as_theta(one->sketch);
    return 0;
}

int sets_load(sets *s, const options *o) {
    bpk_hasher h;
    found_sketch *found = NULL;
    size_t n = 0;
    *s = (sets){0};
    int code = open_all(s, o);
    if (!code) code = list_found(s, &found, &n);
    if (!code) code = agree(s, o, &h, found, n);
    free(found);
    for (size_t i = 0; i < s->n && !code; i++) code = fill(s, i, &h, o);
    return code;
}

void sets_free(sets *s) {
    for (size_t i = 0; i < s->n; i++) {
        bpk_free(s->at[i].own);
        input_close(s->at[i].in);
    }
    free(s->at);
    free(s->theta);
    bpk_free(s->like);
}
