/* hll_huffman.h - inside the hll room: registers in a canonical Huffman code; docs/format.md, section hll, has it.
 *
 * One state has one code: lengths come from how often each register byte is there, by a rule that leaves no choice.
 * A reader works them out again and refuses all others, so that what it accepts is what the writer makes.
 */
#ifndef BPKI_HLL_HUFFMAN_H
#define BPKI_HLL_HUFFMAN_H

#include "wire.h"

enum { HLL_STREAMS = 4 };

/* The code of some registers and what they take in it. */
typedef struct hll_code {
    uint8_t lo, hi;      /* the smallest and the largest byte */
    uint8_t length[256]; /* bits of each byte's code, 1 to 12; 0 where the byte is not there, or is the only one */
    uint32_t stream[HLL_STREAMS]; /* bytes of each stream */
    uint64_t size;                /* of the body; worth it where it is below 2^p */
} hll_code;

/* Works out the code of 2^p registers. Takes no memory. */
void bpki_hll_code_of(hll_code *c, const uint8_t *reg, unsigned p);

/* Writes a body of c->size bytes. */
void bpki_hll_code_write(const hll_code *c, const uint8_t *reg, unsigned p, bpki_out *o);

/* Reads the code in front of the streams and checks all that can be without the registers: afterwards memory for them
 * may be taken, if the caller's limit allows it. *streams is where the first one begins. */
bpk_status bpki_hll_code_read(hll_code *c, const uint8_t **streams, unsigned p, unsigned d, const bpki_envelope *e,
                              bpk_err *err);

/* Reads the registers; false where the streams are not what the writer makes of these registers, or the code is not. */
bool bpki_hll_code_decode(const hll_code *c, const uint8_t *streams, uint8_t *reg, unsigned p);

#endif
