/* sample_pick.c - inside the sample room: choosing keys and records without keeping them. */
#include <ballpark/sample.h>
#include <math.h>

#include "draw.h"

/* A bijection that leaves no trace of the hash's own order, behind a constant of our own: sketches take their places
 * from the bits of the hash as it is. */
static uint64_t scattered(uint64_t hash) {
    return bpki_mix(hash ^ UINT64_C(0x73616d706c65206b)); /* "sample k" */
}

bool bpk_sample_key(uint64_t hash, double share) {
    if (share >= 1) return true;
    return share > 0 && scattered(hash) < (uint64_t)(share * 0x1p64);
}

bpk_status bpk_skips_new(bpk_skips *k, uint64_t seed, uint64_t stream, double share) {
    if (!(share >= 0 && share <= 1)) return BPK_E_ARG;
    *k = (bpk_skips){seed, stream, 0, share < 1 ? -bpki_log1p(-share) : INFINITY};
    return BPK_OK;
}

/* The skip is at least n where an exponential variable is at least n x rate. */
uint64_t bpk_skips_next(bpk_skips *k) {
    if (!(k->rate > 0) || k->draws > BPKI_DRAWS_MAX) return UINT64_MAX;
    double skip = bpki_exponential(bpki_draw(k->seed, k->stream, BPKI_DRAW_SKIPS | k->draws++)) / k->rate;
    return skip < 0x1p62 ? (uint64_t)skip : UINT64_MAX;
}
