/* cells_pack.h - layer 1: counters as varints and runs of zeros, the coding that rooms of counters share in form small.
 *
 * Each cell is a varint (LEB128); of zeros as many as follow each other, over the ends of rows, are a 0 and a varint of
 * their number - 1. docs/format.md, section cms, is normative.
 */
#ifndef BPKI_CELLS_PACK_H
#define BPKI_CELLS_PACK_H

#include "cells.h"
#include "wire.h"

enum {
    BPKI_CODING_RAW = 0,
    BPKI_CODING_VARINT = 1,
    BPKI_PACK_CHUNK = 1024,
    BPKI_VARINT_MAX = 10, /* bytes of 64 bits */
};

/* Packs cells that come in parts; a run may go on in the next one. With o NULL only the bytes are counted. */
typedef struct bpki_pack {
    bpki_out *o;
    uint64_t zeros; /* of the run that is open */
    uint64_t size;
    size_t n;
    uint8_t chunk[BPKI_PACK_CHUNK + BPKI_VARINT_MAX];
} bpki_pack;

void bpki_pack_start(bpki_pack *k, bpki_out *o);
void bpki_pack_cells(bpki_pack *k, const bpki_cells *part);
uint64_t bpki_pack_end(bpki_pack *k); /* all bytes */

/* Whether n bytes, of an envelope that begins at `start`, are the packed form of cells of this shape, whose bytes are
 * not looked at: asked before there is memory for them, since a run lets few bytes stand for many. */
bpk_status bpki_packed_check(const uint8_t *packed, size_t n, const bpki_cells *shape, const uint8_t *start,
                             bpk_err *err);

/* Fills cells that are zero from bytes that were checked. */
void bpki_packed_read(const bpki_cells *c, const uint8_t *packed, size_t n);

#endif
