/* wire.h - layer 1: the envelope around every encoded sketch, and the cursors that write and read bytes.
 *
 * docs/format.md is the normative description. The writer buffers, hashes and hands on to a sink; both cursors are
 * sticky: after the first failure they do nothing, and the caller asks once, at the end.
 */
#ifndef BPKI_WIRE_H
#define BPKI_WIRE_H

#include <ballpark/sketch.h>

#include "core.h"

enum {
    BPKI_HEADER = 32,      /* bytes before the parameters */
    BPKI_CHECKSUM = 8,     /* bytes behind everything */
    BPKI_VIEW_ALIGN = 64,  /* in form view the body starts at a multiple of it */
    BPKI_FLAG_META = 1,    /* critical flag: metadata behind the body */
    BPKI_META_MAX = 65536, /* bytes of metadata, its length field included */
};

/* ---- writing ---- */

typedef struct bpki_out bpki_out;
void bpki_out_bytes(bpki_out *o, const void *bytes, size_t n);
void bpki_out_zeros(bpki_out *o, size_t n);
void bpki_out_u8(bpki_out *o, uint8_t v);
void bpki_out_u32(bpki_out *o, uint32_t v);
void bpki_out_u64(bpki_out *o, uint64_t v);
void bpki_out_f64(bpki_out *o, double v);
uint64_t bpki_out_body_n(const bpki_out *o);    /* bytes of the body, as body_size() has announced them */
void bpki_out_fail(bpki_out *o, bpk_status st); /* stops the writer; the first status stays */

/* ---- reading ---- */

/* Bytes from `at` to `end`. `base` is what offsets in errors count from. */
typedef struct bpki_in {
    const uint8_t *at, *end, *base;
    const uint8_t *field_at; /* where the field that was read last begins */
    bpk_err fault;           /* fault.code is BPK_OK so far */
} bpki_in;
bpki_in bpki_in_open(const uint8_t *bytes, size_t n, const uint8_t *base);
uint8_t bpki_in_u8(bpki_in *r, const char *field); /* 0 after a failure; so below */
uint16_t bpki_in_u16(bpki_in *r, const char *field);
uint32_t bpki_in_u32(bpki_in *r, const char *field);
uint64_t bpki_in_u64(bpki_in *r, const char *field);
double bpki_in_f64(bpki_in *r, const char *field);
const uint8_t *bpki_in_bytes(bpki_in *r, size_t n, const char *field); /* NULL after a failure */
void bpki_in_zeros(bpki_in *r, size_t n, const char *field);           /* reserved bytes */
size_t bpki_in_left(const bpki_in *r);
/* Records a failure at the field that was just read; the first one stays. */
void bpki_in_fail(bpki_in *r, bpk_status code, const char *field);
static inline bool bpki_in_ok(const bpki_in *r) {
    return r->fault.code == BPK_OK;
}
/* The first failure, or BPK_E_CORRUPT when bytes are left over. */
bpk_status bpki_in_end(const bpki_in *r, const char *field, bpk_err *err);

/* ---- the envelope ---- */

typedef struct bpki_envelope {
    uint8_t kind, form, flags;
    bpk_domain domain;
    size_t params_n; /* with the zeros of form view */
    uint64_t body_n;
    const uint8_t *start, *params, *body; /* reading only */
    const uint8_t *meta;                  /* u32 length and entries, or NULL */
    size_t size;                          /* all bytes */
} bpki_envelope;

/* Bytes that parameters of n bytes take in a form. */
size_t bpki_params_padded(size_t n, bpk_form f);

/* Writes header, then what `contents` writes (parameters and body, in their exact sizes), then metadata and
 * checksum. */
typedef void (*bpki_contents)(void *subject, bpki_out *o);
bpk_status bpki_envelope_write(const bpki_envelope *e, bpki_contents contents, void *subject, bpk_sink sink, void *ctx);

/* Finds the parts of one envelope at the start of n bytes and checks everything that does not depend on the kind. */
bpk_status bpki_envelope_open(bpki_envelope *e, const void *b, size_t n, bpk_err *err);

/* ---- metadata: a u32 length L, then L bytes of entries {u16 tag, u16 n, n bytes}, tags ascending ---- */

/* Bytes of a block, its length field included. */
size_t bpki_meta_size(const uint8_t *meta);
/* The value of a tag, or NULL. `meta` may be NULL. */
const uint8_t *bpki_meta_find(const uint8_t *meta, uint16_t tag, size_t *n);
/* A new block with the entry set (n = 0: removed); *out becomes NULL when nothing is left. Frees nothing. */
bpk_status bpki_meta_with(uint8_t **out, const uint8_t *meta, uint16_t tag, const void *value, size_t n,
                          const bpk_env *env);
/* A new block with the entries that both have equally; *out becomes NULL when there are none. */
bpk_status bpki_meta_common(uint8_t **out, const uint8_t *meta, const uint8_t *other, const bpk_env *env);

#endif
