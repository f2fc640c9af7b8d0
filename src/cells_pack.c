/* cells_pack.c - layer 1: counters as varints and runs of zeros, the coding that rooms of counters share in form small.
 *
 * Most counters are far below their end, and in a sketch of few items most are zero. Without the runs an empty sketch
 * of 2,719 x 5 cells would take 13.6 KB instead of 3 bytes; with them one takes as much at half its cells in use, an
 * eighth more at three quarters, which is the most (docs/adr/0007-packed-small-forms.md).
 */
#include "cells_pack.h"

#define INLINE inline __attribute__((always_inline)) /* two loops go over every cell: a quarter of their time */

static unsigned varint_size(uint64_t v) {
    return (bpki_bit_length(v | 1) + 6) / 7;
}

static uint64_t cell_number(const bpki_cells *c) {
    return c->width * c->depth;
}

static uint64_t cell(const bpki_cells *c, uint64_t i) {
    return bpki_cell_load(c->bytes + (size_t)i * c->cell_bytes, c->cell_bytes);
}

/* ---- packing ---- */

void bpki_pack_start(bpki_pack *k, bpki_out *o) {
    k->o = o;
    k->zeros = k->size = k->n = 0;
}

static INLINE void put_varint(bpki_pack *k, uint64_t v) {
    if (!k->o) {
        k->size += varint_size(v);
        return;
    }
    for (; v > 127; v >>= 7) k->chunk[k->n++] = (uint8_t)(v | 128);
    k->chunk[k->n++] = (uint8_t)v;
    if (k->n < BPKI_PACK_CHUNK) return;
    bpki_out_bytes(k->o, k->chunk, k->n);
    k->size += k->n;
    k->n = 0;
}

static void close_run(bpki_pack *k) {
    if (!k->zeros) return;
    put_varint(k, 0);
    put_varint(k, k->zeros - 1);
    k->zeros = 0;
}

void bpki_pack_cells(bpki_pack *k, const bpki_cells *part) {
    uint64_t zeros, n = cell_number(part);
    for (uint64_t i = 0; i < n; i += zeros ? zeros : 1) {
        uint64_t v = cell(part, i);
        zeros = v ? 0 : bpki_cells_zeros(part, i);
        k->zeros += zeros;
        if (!v) continue;
        close_run(k);
        put_varint(k, v);
    }
}

uint64_t bpki_pack_end(bpki_pack *k) {
    close_run(k);
    if (k->o) bpki_out_bytes(k->o, k->chunk, k->n);
    return k->size + k->n;
}

/* ---- and back ---- */

typedef struct unpacker {
    const uint8_t *at, *end;
    bool after_run;
} unpacker;

/* False where it is cut off, longer than it need be, or above 64 bits. */
static INLINE bool get_varint(unpacker *u, uint64_t *out) {
    uint64_t v = 0;
    uint8_t byte = 128;
    unsigned shift = 0;
    for (; byte & 128; shift += 7) {
        if (u->at == u->end) return false;
        byte = *u->at++;
        if (shift == 63 && byte > 1) return false;
        v |= (uint64_t)(byte & 127) << shift;
    }
    *out = v;
    return byte != 0 || shift == 7;
}

/* The next cell, or with *v = 0 the next *n cells: at most `left`, at most `cap` each, no run behind a run. */
static INLINE bool get_cells(unpacker *u, uint64_t cap, uint64_t left, uint64_t *v, uint64_t *n) {
    *n = 1;
    if (!get_varint(u, v) || *v > cap) return false;
    if (*v) {
        u->after_run = false;
        return true;
    }
    if (u->after_run || !get_varint(u, n) || *n >= left) return false;
    ++*n;
    u->after_run = true;
    return true;
}

bpk_status bpki_packed_check(const uint8_t *packed, size_t n, const bpki_cells *shape, const uint8_t *start,
                             bpk_err *err) {
    unpacker u = {packed, packed + n, false};
    uint64_t v, some;
    for (uint64_t left = cell_number(shape); left; left -= some) {
        const uint8_t *from = u.at;
        if (!get_cells(&u, shape->cap, left, &v, &some))
            return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(from - start));
    }
    if (u.at != u.end) return bpki_fail_at(err, BPK_E_CORRUPT, "cells", (size_t)(u.at - start));
    return BPK_OK;
}

void bpki_packed_read(const bpki_cells *c, const uint8_t *packed, size_t n) {
    unpacker u = {packed, packed + n, false};
    uint64_t v, some, all = cell_number(c);
    for (uint64_t i = 0; i < all && get_cells(&u, c->cap, all - i, &v, &some); i += some)
        if (v) bpki_cell_store(c->bytes + (size_t)i * c->cell_bytes, c->cell_bytes, v);
}
