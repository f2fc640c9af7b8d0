/* hll_state.h - inside the hll room: the state that hll.c works on and hll_wire.c turns into bytes.
 *
 * A 64-bit hash h is cut in one way for every precision p:
 *
 *     63                      26                p              0
 *     |    upper 38 bits       | .............. | register index |
 *
 * index = h mod 2^p; value k = 1 + leading zeros of the rest = 1 + clz(h | (2^p - 1)), 1..65-p; P(k) = 2^-k but for the
 * last. A register is one byte u << d | window: u the largest k seen, 0 for none; for d = 2 bit 1 says that u-1 was
 * seen too, bit 0 that u-2 was.
 *
 * A small sketch is a set of tokens, low 26 bits << 6 | k at p = 26 (1..39), which fix index and value for every p <=
 * 26. More than 3 * 2^(p-4) different tokens become registers: then the table would need as much memory. State and form
 * are therefore a function of the set of hashes, never of their order.
 */
#ifndef BPKI_HLL_STATE_H
#define BPKI_HLL_STATE_H

#include <ballpark/hll.h>

#include "room.h"

enum {
    HLL_TOKEN_BITS = 26, /* bits of the hash in a token */
    HLL_TOKEN_K_MAX = 39,
    HLL_HISTOGRAM_FROM = 12, /* precision from which a histogram is kept: below, counting takes under 1 us */
};

/* Registers by byte value; filled by the first question and kept up to date by the adds after it. */
typedef struct hll_histogram {
    uint32_t count[256];
    bool live;
} hll_histogram;

typedef enum hll_form { HLL_TABLE, HLL_SORTED, HLL_REGISTERS } hll_form;

struct bpk_hll {
    bpk_sketch base;
    uint8_t p, d;
    uint8_t form; /* hll_form; HLL_SORTED in views only */
    uint8_t lg;   /* HLL_TABLE: 2^lg slots */
    uint8_t skip; /* HLL_REGISTERS: values up to it change nothing any more */
    bool young;   /* HLL_REGISTERS: some value is below 3, so many adds change something */
    bool reduced;
    uint32_t count;      /* tokens; HLL_REGISTERS: changes since skip was worked out */
    uint32_t cell_bytes; /* taken for the cells; 0 in a view */
    uint32_t salt;       /* of the table */
    union {
        uint32_t *slot;        /* HLL_TABLE: open addressing, 0 is free */
        const uint8_t *sorted; /* HLL_SORTED: ascending u32 little-endian */
        uint8_t *reg;          /* HLL_REGISTERS; in a view only read */
    } cell;
    hll_histogram *histogram; /* behind the registers, or NULL */
};

static inline size_t hll_registers(unsigned p) {
    return (size_t)1 << p;
}
/* The most tokens that a sketch holds before it turns to registers: 3/4 of 2^(p-2) slots. */
static inline uint32_t hll_tokens_max(unsigned p) {
    return UINT32_C(3) << (p - 4);
}

/* Whether some set of hashes can produce this register. */
static inline bool hll_register_valid(uint8_t r, unsigned p, unsigned d) {
    unsigned u = (unsigned)r >> d;
    if (u > 65 - p) return false;
    if (d == 0 || u >= 3) return true;
    return r == 0 || r == 4 || r == 8 || r == 10; /* there is no value below 1 */
}

/* The tokens of a sparse sketch in any order that is safe to add them in; *at starts at 0. 0 behind the last. */
uint32_t bpki_hll_next_token(const bpk_hll *h, uint32_t *at);

/* An empty object of a valid shape: sparse with room for `tokens` tokens, or with zeroed registers. */
bpk_status bpki_hll_make_sparse(bpk_hll **out, const bpk_domain *d, unsigned p, unsigned window, uint32_t tokens,
                                const bpk_env *env);
bpk_status bpki_hll_make_dense(bpk_hll **out, const bpk_domain *d, unsigned p, unsigned window, const bpk_env *env);
void bpki_hll_release(bpk_sketch *s);
/* Puts a token that is not yet there into a table that has room for it. */
void bpki_hll_put_token(bpk_hll *h, uint32_t token);

extern const bpki_ops bpki_hll_ops;

/* hll_wire.c */
uint64_t bpki_hll_body_size(const bpk_sketch *s, bpk_form f);
void bpki_hll_encode_params(const bpk_sketch *s, bpk_form f, bpki_out *o);
void bpki_hll_encode_body(const bpk_sketch *s, bpk_form f, bpki_out *o);
bpk_status bpki_hll_decode(bpk_sketch **out, const bpki_envelope *e, const bpk_env *env, bpk_err *err);
bpk_status bpki_hll_view(bpk_view *v, const bpki_envelope *e, bpk_err *err);

#endif
