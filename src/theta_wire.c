/* theta_wire.c - inside the theta room: state to bytes and back. docs/format.md, section theta, is normative.
 *
 *   parameters, 16 bytes   u32 k, 4 zeros, u64 theta (1 to 2^52)
 *   form view              the values below theta as ascending u64, k at most
 *   form small             u32 count; ascending values as gaps in a Rice code: gap >> b zeros, a one, b low bits,
 *                          with b = floor(log2(floor(theta / count)))
 *
 * The first gap counts from 0, the others from one above the value before, so that there is no gap that cannot be. Gaps
 * of a random set are geometric with mean theta / count: a Rice code takes 1.6 bits more than b, the entropy is 1.44
 * more than log2 of the mean.
 */
#include "bits.h"
#include "theta_state.h"

enum { PARAMS = 16, AT_THETA = BPKI_HEADER + 8 };

static_assert(sizeof(bpk_theta) <= sizeof(bpk_view), "a view holds the object");

/* ---- writing ---- */

static uint64_t gap_at(const theta_list *v, uint32_t i) {
    return i ? theta_at(v->at, i) - theta_at(v->at, i - 1) - 1 : theta_at(v->at, 0);
}

static uint64_t stream_bytes(const theta_list *v, uint64_t theta) {
    if (!v->n) return 0;
    unsigned b = bpki_rice_bits(theta, v->n);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < v->n; i++) bits += bpki_rice_size(gap_at(v, i), b);
    return (bits + 7) / 8;
}

static bpk_status sort_cut(theta_list *v, uint64_t *theta, const bpk_theta *t) {
    uint32_t n;
    *theta = bpki_theta_cut(t, &n);
    return bpki_theta_list(v, t, *theta, &t->base.env);
}

uint64_t bpki_theta_body_size(const bpk_sketch *s, bpk_form f) {
    const bpk_theta *t = (const bpk_theta *)s;
    theta_list v;
    uint64_t theta;
    uint32_t n;
    bpki_theta_cut(t, &n);
    if (f == BPK_FORM_VIEW) return UINT64_C(8) * n;
    if (sort_cut(&v, &theta, t) != BPK_OK) return BPKI_NO_MEMORY;
    uint64_t size = 4 + stream_bytes(&v, theta);
    bpki_theta_drop(&v, &t->base.env);
    return size;
}

void bpki_theta_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_theta *t = (const bpk_theta *)s;
    uint32_t n;
    (void)f;
    bpki_out_u32(o, t->k);
    bpki_out_zeros(o, 4);
    bpki_out_u64(o, bpki_theta_cut(t, &n));
}

static void write_stream(const theta_list *v, uint64_t theta, bpki_out *o) {
    if (!v->n) return;
    bpki_bit_out w = {o, 0, 0};
    unsigned b = bpki_rice_bits(theta, v->n);
    for (uint32_t i = 0; i < v->n; i++) bpki_put_rice(&w, gap_at(v, i), b);
    bpki_put_end(&w);
}

void bpki_theta_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o) {
    const bpk_theta *t = (const bpk_theta *)s;
    theta_list v;
    uint64_t theta;
    bpk_status st = sort_cut(&v, &theta, t);
    if (st != BPK_OK) {
        bpki_out_fail(o, st);
        return;
    }
    if (f == BPK_FORM_SMALL) {
        bpki_out_u32(o, v.n);
        write_stream(&v, theta, o);
    } else {
        bpki_out_bytes(o, v.at, 8 * (size_t)v.n);
    }
    bpki_theta_drop(&v, &t->base.env);
}

/* ---- reading ---- */

typedef struct params {
    uint32_t k;
    uint64_t theta;
} params;

static bpk_status read_params(params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->params, PARAMS, e->start);
    p->k = bpki_in_u32(&r, "k");
    if (p->k < BPK_THETA_K_MIN || p->k > BPK_THETA_K_MAX) bpki_in_fail(&r, BPK_E_CORRUPT, "k");
    bpki_in_zeros(&r, 4, "reserved");
    p->theta = bpki_in_u64(&r, "theta");
    if (p->theta < 1 || p->theta > THETA_ONE) bpki_in_fail(&r, BPK_E_CORRUPT, "theta");
    return bpki_in_end(&r, "parameters", err);
}

/* The checked values of form view, in place. */
static bpk_status find_values(uint32_t *n, const params *p, const bpki_envelope *e, bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    if (e->body_n % 8 || e->body_n / 8 > p->k) bpki_in_fail(&r, BPK_E_CORRUPT, "count");
    for (uint64_t least = 0; bpki_in_ok(&r) && bpki_in_left(&r);) {
        uint64_t value = bpki_in_u64(&r, "values");
        if (value < least || value >= p->theta) bpki_in_fail(&r, BPK_E_CORRUPT, "values");
        least = value + 1;
    }
    BPK_TRY(bpki_in_end(&r, "values", err));
    *n = (uint32_t)(e->body_n / 8);
    return BPK_OK;
}

/* Reads `count` values; false where the stream is not what the writer makes, with r->at where that begins. */
static bool read_stream(uint64_t *value, bpki_bit_in *r, const params *p, uint32_t count) {
    unsigned b = bpki_rice_bits(p->theta, count);
    uint64_t least = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = r->at, gap = bpki_get_rice(r, b, p->theta);
        if (!r->ok || gap >= p->theta - least) {
            r->at = begin;
            return false;
        }
        bpki_store64(&value[i], least + gap);
        least += gap + 1;
    }
    return bpki_bits_end(r);
}

static bpk_status read_packed(theta_list *out, const params *p, const bpki_envelope *e, const bpk_env *env,
                              bpk_err *err) {
    bpki_in r = bpki_in_open(e->body, (size_t)e->body_n, e->start);
    uint32_t count = bpki_in_u32(&r, "count");
    size_t n = bpki_in_left(&r);
    /* A value takes a bit or more, which bounds the list by the bytes that are there; there are theta values at most.
     * */
    if (count > p->k || count > 8 * (uint64_t)n || count > p->theta) bpki_in_fail(&r, BPK_E_CORRUPT, "count");
    const uint8_t *stream = bpki_in_bytes(&r, n, "values");
    BPK_TRY(bpki_in_end(&r, "values", err));
    BPK_TRY(bpki_theta_list_new(out, count, env));
    bpki_bit_in bits = {stream, 0, (uint64_t)n * 8, true};
    if (read_stream(out->own, &bits, p, count)) return BPK_OK;
    bpki_theta_drop(out, bpki_env(env));
    return bpki_fail_at(err, BPK_E_CORRUPT, "values", (size_t)(stream - e->start) + (size_t)(bits.at / 8));
}

bpk_status bpki_theta_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err) {
    params p;
    bpk_theta *t;
    theta_list values = {e->body, 0, NULL, 0};
    BPK_TRY(read_params(&p, e, err));
    if (e->form == BPK_FORM_VIEW) BPK_TRY(find_values(&values.n, &p, e, err));
    else BPK_TRY(read_packed(&values, &p, e, env, err));
    BPK_TRY(bpki_theta_from(&t, &e->domain, p.k, p.theta, &values, env));
    *out = &t->base;
    return BPK_OK;
}

bpk_status bpki_theta_view(bpk_view *v, const bpki_envelope *e, bpk_err *err) {
    params p;
    uint32_t n;
    BPK_TRY(read_params(&p, e, err));
    BPK_TRY(find_values(&n, &p, e, err));
    memset(v, 0, sizeof *v);
    bpk_theta *t = (bpk_theta *)(void *)v->opaque;
    BPK_TRY(bpki_sketch_init(&t->base, &bpki_theta_ops, &e->domain, NULL));
    t->k = p.k;
    t->n = n;
    t->theta = p.theta;
    t->sorted = e->body;
    return BPK_OK;
}
