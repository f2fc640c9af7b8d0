/* fit.c - what does not fit, and how the command says so. */
#include "fit.h"

#include "cmd.h"
#include "recent.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- two sketches ---- */

/* Finds the first sketch that does not fit the first one, for the message. */
int say_mismatch(const found_sketch *at, size_t n, const bpk_err *all) {
    bpk_sketch *sum = NULL;
    bpk_err err = {.code = BPK_OK};
    size_t i = 0;
    bpk_status st = all->code == BPK_E_MISMATCH ? bpk_copy(&sum, at[0].sketch, NULL) : BPK_E_NOMEM;
    while (st == BPK_OK && ++i < n) st = bpk_merge(sum, at[i].sketch, &err);
    bpk_free(sum);
    if (st != BPK_E_MISMATCH) return say_err(at[0].file, all);
    if (strcmp(err.mine, err.other) == 0) /* what no two may share */
        return say(EXIT_SKETCH, at[i].file, "does not fit %s: %s is %s in both", at[0].file, err.field, err.mine);
    return say(EXIT_SKETCH, at[i].file, "does not fit %s: %s is %s there and %s here", at[0].file, err.field, err.mine,
               err.other);
}

/* ---- parameters in the options beside those of a sketch ---- */

/* The field of bpk_info() that shows a parameter where it is called otherwise, or where a parameter is a request for at
 * most or at least that; everything else is to be equal. */
typedef enum asks { EQUAL, AT_MOST, AT_LEAST } asks;
typedef struct shown {
    const char *param, *field;
    asks asks;
    const char *kind; /* NULL: any */
} shown;
static const shown special[] = {
    {"items", "first_items", EQUAL, "grow"},                                                 /* of its first layer */
    {"items", "planned_items", EQUAL, NULL},      {"rate", "rate_asked", AT_MOST, "cuckoo"}, /* it has one of two */
    {"rate", "rate_asked", EQUAL, NULL},          {"error", "standard_error", AT_MOST, NULL},
    {"epsilon", "epsilon", AT_MOST, NULL},        {"delta", "delta", AT_MOST, NULL},
    {"candidates", "candidates", AT_LEAST, NULL}, {"entries", "entries", AT_LEAST, NULL},
};

static shown shown_as(const char *param, const char *kind) {
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        const shown *s = &special[i];
        if (strcmp(s->param, param) == 0 && (!s->kind || strcmp(s->kind, kind) == 0)) return *s;
    }
    return (shown){param, param, EQUAL, NULL};
}

typedef struct comparison {
    option_given given;
    shown s;
    const char *value, *file;
    bool found;
    int code;
} comparison;

static bool fits(const comparison *c, double v) {
    double asked;
    uint64_t count;
    if (bpk_parse_count(c->value, &count) == BPK_OK) asked = (double)count;
    else if (bpk_parse_share(c->value, &asked) != BPK_OK) return false;
    if (c->s.asks == AT_MOST) return v <= asked;
    if (c->s.asks == AT_LEAST) return v >= asked;
    return fabs(asked - v) <= 1e-9 * v;
}

static bool compare(void *ctx, const bpk_field *f) {
    comparison *c = ctx;
    if (strcmp(f->name, c->s.field) != 0) return true;
    c->found = true;
    if (f->text ? strcmp(f->text, c->value) == 0 : fits(c, f->num.estimate)) return false;
    if (f->text)
        c->code = say(EXIT_SKETCH, c->file, "does not fit: %s is %s there and %s by --%s", f->name, f->text,
                      c->given.text, c->given.name);
    else
        c->code = say(EXIT_SKETCH, c->file, "does not fit: %s is %.9g there and %s by --%s", f->name, f->num.estimate,
                      c->given.text, c->given.name);
    return false;
}

int params_fit(const options *o, const bpk_sketch *s, const char *file) {
    char kind[KIND_TEXT_MAX];
    inner_kind(kind, s);
    const char *foreign = option_of_other_kind(o, kind);
    if (foreign) return say(EXIT_USAGE, NULL, "%s does not take --%s", kind, foreign);
    for (size_t i = 0; i < o->n_params; i++) {
        comparison c = {.s = shown_as(o->param[i].name, kind), .value = o->param[i].value, .file = file};
        option_giving(&c.given, o, o->param[i].name);
        bpk_info(s, compare, &c);
        if (c.code) return c.code;
        if (!c.found && strcmp(o->param[i].name, "span") == 0)
            return say(EXIT_SKETCH, file, "does not fit: it has no window, and --window %s asks for one", o->window);
        if (!c.found)
            return say(EXIT_USAGE, file, "is there already, and does not show what --%s asks for", c.given.name);
    }
    return 0;
}

int no_record_options(const options *o, const char *file) {
    if (o->in.group.n) return say(EXIT_USAGE, file, "is a sketch; --group is of records");
    if (!o->in.weight.n && !o->in.fields.n && !o->in.time.n) return 0;
    return say(EXIT_USAGE, file, "is a sketch; options that say how records are read are of text");
}

/* ---- how items are hashed ---- */

static const char *type_text(uint8_t type) {
    static const char *const names[] = {"bytes", "integer", "double"};
    return type < 3 ? names[type] : "unknown";
}

/* Refuses options that contradict the domain of a sketch. */
int domain_fits(const options *o, const bpk_domain *d, const char *file) {
    uint8_t type = o->in.as_int ? BPK_I64 : BPK_BYTES;
    if (d->type == BPK_F64)
        return say(EXIT_SKETCH, file, "does not fit: type is double there, and records are no doubles");
    if (o->as && type != d->type)
        return say(EXIT_SKETCH, file, "does not fit: type is %s there and %s by --as", type_text(d->type),
                   type_text(type));
    if (o->key_file && !d->secret)
        return say(EXIT_SKETCH, file, "does not fit: hash has a public seed there and a key by --key-file");
    if (!d->secret && o->seed_given && o->hash_seed != d->seed)
        return say(EXIT_SKETCH, file, "does not fit: seed is %" PRIu64 " there and %" PRIu64 " by --hash-seed", d->seed,
                   o->hash_seed);
    if (d->secret && o->seed_given)
        return say(EXIT_SKETCH, file, "does not fit: hash has a key there and a seed by --hash-seed");
    if (d->secret && !o->key_file)
        return say(EXIT_SKETCH, file, "was made with a secret key: items need --key-file with that key");
    return 0;
}
