/* cells.h - layer 1: rows of saturating counters of 1, 2, 4 or 8 bytes. Count-min, the light part of top-k and the
 * limiter stand on it.
 *
 * Cells are little-endian bytes at any address, so that memory is the wire form and a view needs no copy. A cell at
 * `cap` stays there. A position is a 64-bit number whose upper bits choose the cell, so that halving the width joins
 * neighbours.
 */
#ifndef BPKI_CELLS_H
#define BPKI_CELLS_H

#include "core.h"

enum { BPKI_CELLS_DEPTH_MAX = 32 };

typedef struct bpki_cells {
    uint8_t *bytes; /* depth rows, one behind the other */
    uint64_t width; /* cells a row */
    uint32_t depth;
    uint8_t cell_bytes;
    uint64_t cap; /* the largest value */
} bpki_cells;

/* The largest value that fits into a cell. */
static inline uint64_t bpki_cell_max(unsigned cell_bytes) {
    return UINT64_MAX >> (64 - 8 * cell_bytes);
}

static inline uint64_t bpki_add_sticky(uint64_t a, uint64_t b, uint64_t cap) {
    return b >= cap - a ? cap : a + b;
}

/* The bytes of all rows; false on overflow. */
bool bpki_cells_size(uint64_t width, uint32_t depth, unsigned cell_bytes, size_t *out);

/* The position of row 0 is the hash, that of each further row comes from the one before it. Multiplicative, with a
 * multiplier of good spectral figures (Steele, Vigna 2021): under an arithmetic sequence (hash + row x step) two items
 * that meet in two rows tend to meet in all: at width 28 and depth 10 the bound fails ten times as often as delta. */
#define BPKI_CELLS_STEP UINT64_C(0xF1357AEA2E62A9C5)

static inline uint64_t bpki_cells_next(uint64_t position) {
    return (position | 1) * BPKI_CELLS_STEP;
}

static inline size_t bpki_cells_index(const bpki_cells *c, uint64_t position) {
    return (size_t)bpki_mulhi(position, c->width);
}

static inline uint8_t *bpki_cell_at(const bpki_cells *c, uint32_t row, size_t index) {
    return c->bytes + ((size_t)row * (size_t)c->width + index) * c->cell_bytes;
}

static inline uint64_t bpki_cell_load(const uint8_t *at, unsigned cell_bytes) {
    switch (cell_bytes) {
    case 1: return *at;
    case 2: return bpki_load16(at);
    case 4: return bpki_load32(at);
    default: return bpki_load64(at);
    }
}

static inline void bpki_cell_store(uint8_t *at, unsigned cell_bytes, uint64_t v) {
    switch (cell_bytes) {
    case 1: *at = (uint8_t)v; return;
    case 2: bpki_store16(at, (uint16_t)v); return;
    case 4: bpki_store32(at, (uint32_t)v); return;
    default: bpki_store64(at, v);
    }
}

static inline uint64_t bpki_cells_get(const bpki_cells *c, uint32_t row, size_t index) {
    return bpki_cell_load(bpki_cell_at(c, row, index), c->cell_bytes);
}

static inline void bpki_cells_set(const bpki_cells *c, uint32_t row, size_t index, uint64_t v) {
    bpki_cell_store(bpki_cell_at(c, row, index), c->cell_bytes, v);
}

/* The least cell of a hash. */
uint64_t bpki_cells_min(const bpki_cells *c, uint64_t hash);

/* Fetches the cells of hashes ahead. */
void bpki_cells_fetch(const bpki_cells *c, const uint64_t *hash, size_t n);

/* Adds weight[i] (1 each where NULL) to every cell of hash i (cap being all that a cell can hold), or, conservatively,
 * raises them to least + weight. The cells of a batch are fetched ahead. */
void bpki_cells_add(const bpki_cells *c, const uint64_t *hash, const uint64_t *weight, size_t n);
void bpki_cells_raise(const bpki_cells *c, const uint64_t *hash, const uint64_t *weight, size_t n);

/* a += b, cell by cell; both of one shape. */
void bpki_cells_sum(const bpki_cells *a, const bpki_cells *b);

/* What a row holds: cells that are not 0, cells at their end, and the sum of all, which stays at its own end. */
typedef struct bpki_census {
    uint64_t used, full, sum;
} bpki_census;
bpki_census bpki_cells_census(const bpki_cells *c, uint32_t row);

/* Every cell is divided by 2^shift, rounded up, and `more` is added; one at its end stays there. */
void bpki_cells_age(const bpki_cells *c, uint64_t shift, uint64_t more);
/* Every cell is halved, rounded down; one at its end stays there. */
void bpki_cells_halve(const bpki_cells *c);

/* The number of cells from the i-th of all on that are 0, up to the first that is not. */
uint64_t bpki_cells_zeros(const bpki_cells *c, uint64_t i);

/* The largest cell of a row. */
uint64_t bpki_cells_largest(const bpki_cells *c, uint32_t row);

/* Doubles the cell size in place by joining neighbours through max: sound for cells that are at least the weight of
 * each key that falls into them. The width must be even, the cells under 8 bytes. */
void bpki_cells_widen(bpki_cells *c, uint64_t cap);

/* Whether every cell is at most cap. */
bool bpki_cells_valid(const bpki_cells *c);

#endif
