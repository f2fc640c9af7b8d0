/* sketch.c - layer 3: the verbs that every kind has, once.
 *
 * A verb checks what is the same for all kinds (arguments, kind, domain, envelope, metadata) and then calls the room's
 * row, which registry.c lists.
 */
#include "room.h"

static const bpki_ops *ops_of_kind(uint8_t kind) {
    for (size_t i = 0; bpki_registry(i); i++)
        if (bpki_registry(i)->kind == kind) return bpki_registry(i);
    return NULL;
}

const char *bpk_kind_at(size_t i, const char **question) {
    const bpki_ops *ops = bpki_registry(i);
    if (ops && question) *question = ops->question;
    return ops ? ops->name : NULL;
}

/* ---- life cycle ---- */

/* What a room says of a failure; the status alone where it had nothing to name. */
static bpk_status tell(bpk_status st, const bpk_err *why, bpk_err *err) {
    if (st == BPK_OK || !err) return st;
    *err = *why;
    if (err->code == BPK_OK) err->code = st;
    return st;
}

bpk_status bpk_new(bpk_sketch **out, const char *kind, const bpk_domain *d, const bpk_param *p, size_t n,
                   const bpk_env *env, bpk_err *err) {
    bpki_params ps = {.p = p, .n = n, .kind = kind};
    const bpki_ops *ops = bpki_registry_for(kind, &ps);
    const char *field;
    if (!ops) return bpki_fail_value(err, BPK_E_ARG, "kind", kind);
    if (n > BPKI_PARAMS_MAX) return bpki_fail(err, BPK_E_ARG, "parameters");
    bpk_domain domain = bpki_domain_or_default(d);
    if (!bpki_domain_valid(&domain, &field)) return bpki_fail(err, BPK_E_ARG, field);
    if (domain.secret && domain.seed == 0) return bpki_fail_value(err, BPK_E_KEY, "key", "is needed");
    bpk_err why = {.code = BPK_OK};
    bpk_status st = ops->create(out, &domain, &ps, bpki_env(env), &why);
    return tell(st, &why, err);
}

static void release_meta(bpk_sketch *s) {
    if (s->meta) bpki_release(&s->env, (void *)(uintptr_t)s->meta, bpki_meta_size(s->meta));
    s->meta = NULL;
}

void bpk_free(bpk_sketch *s) {
    if (!s) return;
    release_meta(s);
    s->ops->release(s);
}

void bpk_reset(bpk_sketch *s) {
    s->ops->reset(s);
}

/* Gives s, which has no metadata, a copy of a block. */
static bpk_status adopt_meta(bpk_sketch *s, const uint8_t *meta) {
    if (!meta) return BPK_OK;
    void *p;
    BPK_TRY(bpki_alloc(&s->env, bpki_meta_size(meta), &p));
    memcpy(p, meta, bpki_meta_size(meta));
    s->meta = p;
    return BPK_OK;
}

/* Hands a new object out, with metadata, or frees it. */
static bpk_status finish(bpk_sketch **out, bpk_sketch *made, const uint8_t *meta) {
    bpk_status st = adopt_meta(made, meta);
    if (st == BPK_OK) *out = made;
    else bpk_free(made);
    return st;
}

bpk_status bpk_copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *made;
    BPK_TRY(s->ops->copy(&made, s, env ? env : &s->env));
    return finish(out, made, s->meta);
}

bpk_status bpk_twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env) {
    return s->ops->twin(out, s, env ? env : &s->env);
}

bpk_kind bpk_kind_of(const bpk_sketch *s) {
    return s->ops->kind;
}

const char *bpk_kind_name(const bpk_sketch *s) {
    return s->ops->name;
}

const bpk_domain *bpk_domain_of(const bpk_sketch *s) {
    return &s->domain;
}

size_t bpk_memory(const bpk_sketch *s) {
    return s->ops->memory(s) + (s->meta ? bpki_meta_size(s->meta) : 0);
}

/* ---- adding and merging ---- */

bpk_status bpk_add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    size_t unused, *at = done ? done : &unused;
    *at = 0;
    if (it->n) return s->ops->add(s, it, changed, at);
    bpk_advance(s, it->now);
    return BPK_OK;
}

void bpk_advance(bpk_sketch *s, uint64_t now) {
    if (s->ops->advance) s->ops->advance(s, now);
}

static bpk_status merge_states(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    bpk_err why = {.code = BPK_OK};
    bpk_status st = dst->ops->merge(dst, src, &why);
    return tell(st, &why, err);
}

static bpk_status check_same(const bpk_sketch *a, const bpk_sketch *b, bpk_err *err) {
    if (a->ops != b->ops) return bpki_mismatch_text(err, "kind", a->ops->name, b->ops->name);
    return bpki_domain_match(&a->domain, &b->domain, err);
}

bpk_status bpk_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err) {
    if (dst == src) return BPK_OK;
    BPK_TRY(check_same(dst, src, err));
    uint8_t *common = NULL;
    bpk_status st = bpki_meta_common(&common, dst->meta, src->meta, &dst->env);
    if (st != BPK_OK) return bpki_fail(err, st, "metadata");
    st = merge_states(dst, src, err);
    if (st != BPK_OK) {
        if (common) bpki_release(&dst->env, common, bpki_meta_size(common));
        return st;
    }
    release_meta(dst);
    dst->meta = common;
    return BPK_OK;
}

bpk_status bpk_merge_bytes(bpk_sketch **acc, const void *b, size_t n, const bpk_env *env, bpk_err *err) {
    if (!*acc) return bpk_decode(acc, b, n, NULL, env, err);
    bpk_view v;
    bpk_err why;
    const bpk_sketch *seen = bpk_view_open(&v, b, n, &why);
    if (seen) return bpk_merge(*acc, seen, err);
    if (why.code != BPK_E_UNSUPPORTED) {
        if (err) *err = why;
        return why.code;
    }
    bpk_sketch *part;
    BPK_TRY(bpk_decode(&part, b, n, NULL, env ? env : &(*acc)->env, err));
    bpk_status st = bpk_merge(*acc, part, err);
    bpk_free(part);
    return st;
}

/* Where a merge of many starts: what decides the shape of the result comes first, so that the order has no say. */
static size_t coarsest(const bpk_sketch *const *src, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (src[i]->ops == src[best]->ops && src[i]->ops->grain &&
            src[i]->ops->grain(src[i]) < src[i]->ops->grain(src[best]))
            best = i;
    return best;
}

/* One after the other. */
static bpk_status merge_chain(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                              bpk_err *err) {
    bpk_sketch *sum;
    size_t first = coarsest(src, n);
    bpk_status st = bpk_copy(&sum, src[first], env);
    if (st != BPK_OK) return bpki_fail(err, st, NULL);
    for (size_t i = 0; i < n && st == BPK_OK; i++)
        if (i != first) st = bpk_merge(sum, src[i], err);
    if (st == BPK_OK) *out = sum;
    else bpk_free(sum);
    return st;
}

/* Leaves on `sum` the metadata that all sources have equally. */
static bpk_status common_meta(bpk_sketch *sum, const bpk_sketch *const *src, size_t n) {
    BPK_TRY(adopt_meta(sum, src[0]->meta));
    for (size_t i = 1; i < n && sum->meta; i++) {
        uint8_t *common;
        BPK_TRY(bpki_meta_common(&common, sum->meta, src[i]->meta, &sum->env));
        release_meta(sum);
        sum->meta = common;
    }
    return BPK_OK;
}

/* All in one call of the room. */
static bpk_status merge_at_once(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                bpk_err *err) {
    bpk_sketch *sum;
    bpk_err why = {.code = BPK_OK};
    for (size_t i = 1; i < n; i++) BPK_TRY(check_same(src[0], src[i], err));
    bpk_status st = src[0]->ops->merge_many(&sum, src, n, env ? env : &src[0]->env, &why);
    if (st != BPK_OK) return tell(st, &why, err);
    st = common_meta(sum, src, n);
    if (st == BPK_OK) *out = sum;
    else bpk_free(sum);
    return st == BPK_OK ? st : bpki_fail(err, st, "metadata");
}

bpk_status bpk_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env, bpk_err *err) {
    if (n == 0) return bpki_fail(err, BPK_E_ARG, "sketches");
    if (src[0]->ops->merge_many) return merge_at_once(out, src, n, env, err);
    return merge_chain(out, src, n, env, err);
}

bool bpk_splittable(const bpk_sketch *s) {
    return !s->ops->splittable || s->ops->splittable(s);
}

/* ---- questions ---- */

static bpk_status cannot(const bpk_sketch *s, const char *what, bpk_err *err) {
    return bpki_fail_value(err, BPK_E_UNSUPPORTED, what, s->ops->name);
}

bpk_status bpk_has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err) {
    return s->ops->has ? s->ops->has(s, hash, n, out, err) : cannot(s, "has", err);
}

bpk_status bpk_remove(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err) {
    return s->ops->remove ? s->ops->remove(s, hash, n, removed, err) : cannot(s, "remove", err);
}

bpk_status bpk_count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                     bpk_err *err) {
    if (confidence != 0 && confidence != bpki_confidence(confidence)) return bpki_fail(err, BPK_E_ARG, "confidence");
    return s->ops->count ? s->ops->count(s, hash, n, confidence, out, err) : cannot(s, "count", err);
}

bpk_status bpk_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err) {
    return s->ops->rows ? s->ops->rows(s, limit, fn, ctx, err) : cannot(s, "rows", err);
}

/* ---- bytes and back ---- */

static bpki_envelope envelope_of(const bpk_sketch *s, bpk_form f) {
    return (bpki_envelope){
        .kind = (uint8_t)s->ops->kind,
        .form = (uint8_t)f,
        .domain = s->domain,
        .params_n = bpki_params_padded(s->ops->params_n, f),
        .body_n = s->ops->body_size(s, f),
        .meta = s->meta,
    };
}

size_t bpk_encoded_size(const bpk_sketch *s, bpk_form f) {
    bpki_envelope e = envelope_of(s, f);
    if (e.body_n == BPKI_NO_MEMORY) return 0;
    return BPKI_HEADER + e.params_n + (size_t)e.body_n + (e.meta ? bpki_meta_size(e.meta) : 0) + BPKI_CHECKSUM;
}

typedef struct subject {
    const bpk_sketch *s;
    bpk_form form;
} subject;

static void write_contents(void *ctx, bpki_out *o) {
    const subject *it = ctx;
    const bpki_ops *ops = it->s->ops;
    ops->encode_params(it->s, it->form, o);
    bpki_out_zeros(o, bpki_params_padded(ops->params_n, it->form) - ops->params_n);
    ops->encode_body(it->s, it->form, o);
}

bpk_status bpk_encode(const bpk_sketch *s, bpk_form f, bpk_sink sink, void *ctx) {
    bpki_envelope e = envelope_of(s, f);
    subject it = {s, f};
    if (e.body_n == BPKI_NO_MEMORY) return BPK_E_NOMEM;
    return bpki_envelope_write(&e, write_contents, &it, sink, ctx);
}

/* Opens an envelope of a known kind whose parameters have the length of that kind. */
static bpk_status open_known(bpki_envelope *e, const bpki_ops **ops, const void *b, size_t n, bpk_err *err) {
    BPK_TRY(bpki_envelope_open(e, b, n, err));
    *ops = ops_of_kind(e->kind);
    if (!*ops) return bpki_fail_at(err, BPK_E_KIND, "kind", 9);
    size_t own = (*ops)->params_n;
    if (e->params_n != bpki_params_padded(own, (bpk_form)e->form))
        return bpki_fail_at(err, BPK_E_CORRUPT, "parameters", 15);
    bpki_in r = bpki_in_open(e->params + own, e->params_n - own, e->start);
    bpki_in_zeros(&r, e->params_n - own, "padding");
    return bpki_in_end(&r, "padding", err);
}

static bpk_status decode_room(bpk_sketch **out, const bpki_ops *ops, const bpki_envelope *e, const bpk_env *env,
                              bpk_err *err) {
    bpk_err why = {.code = BPK_OK};
    bpk_status st = ops->decode(out, e, env, &why);
    return tell(st, &why, err);
}

bpk_status bpk_decode(bpk_sketch **out, const void *b, size_t n, size_t *used, const bpk_env *env, bpk_err *err) {
    bpki_envelope e;
    const bpki_ops *ops;
    bpk_sketch *made;
    BPK_TRY(open_known(&e, &ops, b, n, err));
    if (!used && e.size != n) return bpki_fail_at(err, BPK_E_CORRUPT, "bytes behind the sketch", e.size);
    BPK_TRY(decode_room(&made, ops, &e, bpki_env(env), err));
    bpk_status st = finish(out, made, e.meta);
    if (st != BPK_OK) return bpki_fail(err, st, "metadata");
    if (used) *used = e.size;
    return BPK_OK;
}

const bpk_sketch *bpk_view_open(bpk_view *v, const void *b, size_t n, bpk_err *err) {
    bpki_envelope e;
    const bpki_ops *ops;
    if (open_known(&e, &ops, b, n, err) != BPK_OK) return NULL;
    if (e.form != BPK_FORM_VIEW || !ops->view) {
        bpki_fail_value(err, BPK_E_UNSUPPORTED, "view", "form");
        return NULL;
    }
    if (e.size != n) {
        bpki_fail_at(err, BPK_E_CORRUPT, "bytes behind the sketch", e.size);
        return NULL;
    }
    if (ops->view(v, &e, err) != BPK_OK) return NULL;
    bpk_sketch *s = (bpk_sketch *)(void *)v->opaque;
    s->meta = e.meta;
    return s;
}

bpk_status bpk_meta_set(bpk_sketch *s, uint16_t tag, const void *value, size_t n) {
    uint8_t *made;
    BPK_TRY(bpki_meta_with(&made, s->meta, tag, value, n, &s->env));
    release_meta(s);
    s->meta = made;
    return BPK_OK;
}

const void *bpk_meta_get(const bpk_sketch *s, uint16_t tag, size_t *n) {
    return bpki_meta_find(s->meta, tag, n);
}

/* ---- walks ---- */

static void walk_domain(bpki_walk *w, const bpk_domain *d) {
    char text[21];
    bpki_walk_text(w, "hash", bpki_hash_name(d->hash));
    if (d->secret) bpki_hexadecimal(text, d->seed);
    else bpki_decimal(text, d->seed);
    bpki_walk_text(w, d->secret ? "key_fingerprint" : "seed", text);
    bpki_walk_text(w, "type", bpki_type_name(d->type));
}

void bpk_info(const bpk_sketch *s, bpk_field_fn fn, void *ctx) {
    bpki_walk w = {fn, ctx, false};
    bpki_walk_text(&w, "kind", s->ops->name);
    bpki_walk_text(&w, "question", s->ops->question);
    walk_domain(&w, &s->domain);
    s->ops->info(s, &w);
    bpki_walk_number(&w, "memory_bytes", (double)bpk_memory(s), BPK_UNIT_BYTES);
    bpki_walk_number(&w, "encoded_bytes", (double)bpk_encoded_size(s, BPK_FORM_SMALL), BPK_UNIT_BYTES);
}
