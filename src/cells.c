/* cells.c - layer 1: rows of saturating counters: the loops behind cells.h.
 *
 * Each loop is written once and compiled for each cell size, so that the size is a constant inside: the switch of
 * bpki_cell_load() folds away. Where the cells do not fit the nearer caches, those of a batch are fetched first, which
 * halves the time (bench/bench_cms.c).
 */
#include "cells.h"

#include "decay.h"

#define INLINE inline __attribute__((always_inline))

enum { BATCH = 32, FETCH_FROM = 256 << 10 /* bytes */ };

bool bpki_cells_size(uint64_t width, uint32_t depth, unsigned cell_bytes, size_t *out) {
    size_t row;
    return width <= SIZE_MAX && bpki_mul((size_t)width, cell_bytes, &row) && bpki_mul(row, depth, out);
}

static inline uint8_t *cell_of(const bpki_cells *c, uint32_t row, uint64_t position, unsigned size) {
    return c->bytes + ((size_t)row * (size_t)c->width + bpki_cells_index(c, position)) * size;
}

void bpki_cells_fetch(const bpki_cells *c, const uint64_t *hash, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t at = hash[i];
        for (uint32_t r = 0; r < c->depth; r++, at = bpki_cells_next(at))
            __builtin_prefetch(cell_of(c, r, at, c->cell_bytes), 1);
    }
}

static inline uint64_t least(const bpki_cells *c, uint64_t hash, unsigned size) {
    uint64_t at = hash, min = UINT64_MAX;
    for (uint32_t r = 0; r < c->depth; r++, at = bpki_cells_next(at)) {
        uint64_t v = bpki_cell_load(cell_of(c, r, at, size), size);
        min = v < min ? v : min;
    }
    return min;
}

/* The shape as a loop needs it: on the stack, since the compiler cannot know that a store into a cell does not change
 * it; and passed by value, so that a size and a depth that are constants make a loop of their own. */
typedef struct shape {
    uint8_t *bytes;
    uint64_t width, cap;
    uint32_t depth;
    unsigned size;
} shape;

/* A cell of less than 8 bytes and a weight that is at most the cap add up without overflow. */
static INLINE uint64_t plus(shape s, uint64_t cell, uint64_t weight) {
    if (s.size == 8) return bpki_add_sticky(cell, weight, s.cap);
    return cell + weight > s.cap ? s.cap : cell + weight;
}

/* This and raise_one() are written for what compilers make of them, worth a quarter of the time (bench/bench_cms.c):
 * positions stay odd after the first step, and an overflow of 4 bytes is a flag of the processor. */
static INLINE void add_to(uint8_t *cell, shape s, uint64_t weight) {
    uint32_t sum;
    if (s.size == 4)
        bpki_store32(cell, __builtin_add_overflow(bpki_load32(cell), (uint32_t)weight, &sum) ? UINT32_MAX : sum);
    else bpki_cell_store(cell, s.size, plus(s, bpki_cell_load(cell, s.size), weight));
}

static INLINE void add_one(shape s, uint64_t hash, uint64_t weight) {
    uint8_t *row = s.bytes;
    add_to(row + bpki_mulhi(hash, s.width) * s.size, s, weight);
    hash |= 1;
#pragma GCC unroll 8
    for (uint32_t r = 1; r < s.depth; r++) {
        row += s.width * s.size;
        hash *= BPKI_CELLS_STEP;
        add_to(row + bpki_mulhi(hash, s.width) * s.size, s, weight);
    }
}

static INLINE void raise_one(shape s, uint64_t hash, uint64_t weight) {
    uint8_t *cell[BPKI_CELLS_DEPTH_MAX], *row = s.bytes;
    uint64_t was[BPKI_CELLS_DEPTH_MAX], min;
    cell[0] = row + bpki_mulhi(hash, s.width) * s.size;
    was[0] = min = bpki_cell_load(cell[0], s.size);
    hash |= 1;
#pragma GCC unroll 8
    for (uint32_t r = 1; r < s.depth; r++) {
        row += s.width * s.size;
        hash *= BPKI_CELLS_STEP;
        cell[r] = row + bpki_mulhi(hash, s.width) * s.size;
        was[r] = bpki_cell_load(cell[r], s.size);
        min = was[r] < min ? was[r] : min;
    }
    uint64_t to = plus(s, min, weight);
#pragma GCC unroll 8
    for (uint32_t r = 0; r < s.depth; r++) bpki_cell_store(cell[r], s.size, was[r] < to ? to : was[r]);
}

typedef void (*one_fn)(shape s, uint64_t hash, uint64_t weight);

/* A batch of items. */
typedef struct stream {
    const uint64_t *hash, *weight;
    size_t n;
} stream;

static INLINE void each(const bpki_cells *c, stream in, unsigned size, uint32_t depth, one_fn one) {
    shape s = {c->bytes, c->width, c->cap, depth, size};
    bool far = c->width * depth > FETCH_FROM / size;
    for (size_t done = 0; done < in.n;) {
        size_t end = in.n - done < BATCH ? in.n : done + BATCH;
        if (far) bpki_cells_fetch(c, in.hash + done, end - done);
        if (in.weight)
            for (; done < end; done++) one(s, in.hash[done], in.weight[done] < s.cap ? in.weight[done] : s.cap);
        else
            for (; done < end; done++) one(s, in.hash[done], 1);
    }
}

/* The depths that sizing gives by default, and any other. */
static INLINE void by_depth(const bpki_cells *c, stream in, unsigned size, one_fn one) {
    assert(c->depth <= BPKI_CELLS_DEPTH_MAX);
    switch (c->depth) {
    case 3: each(c, in, size, 3, one); return;
    case 4: each(c, in, size, 4, one); return;
    case 5: each(c, in, size, 5, one); return;
    case 7: each(c, in, size, 7, one); return;
    default: each(c, in, size, c->depth, one);
    }
}

static INLINE void by_size(const bpki_cells *c, stream in, one_fn one) {
    switch (c->cell_bytes) {
    case 1: by_depth(c, in, 1, one); return;
    case 2: by_depth(c, in, 2, one); return;
    case 4: by_depth(c, in, 4, one); return;
    default: by_depth(c, in, 8, one);
    }
}

uint64_t bpki_cells_min(const bpki_cells *c, uint64_t hash) {
    return least(c, hash, c->cell_bytes);
}

void bpki_cells_add(const bpki_cells *c, const uint64_t *hash, const uint64_t *weight, size_t n) {
    assert(c->cap == bpki_cell_max(c->cell_bytes));
    by_size(c, (stream){hash, weight, n}, add_one);
}

void bpki_cells_raise(const bpki_cells *c, const uint64_t *hash, const uint64_t *weight, size_t n) {
    by_size(c, (stream){hash, weight, n}, raise_one);
}

void bpki_cells_sum(const bpki_cells *a, const bpki_cells *b) {
    size_t n = (size_t)a->width * a->depth, size = a->cell_bytes;
    for (size_t i = 0; i < n; i++) {
        uint8_t *to = a->bytes + i * size;
        uint64_t sum = bpki_add_sticky(bpki_cell_load(to, a->cell_bytes),
                                       bpki_cell_load(b->bytes + i * size, a->cell_bytes), a->cap);
        bpki_cell_store(to, a->cell_bytes, sum);
    }
}

typedef uint64_t (*aged_fn)(uint64_t v, uint64_t shift, uint64_t more);

static INLINE uint64_t halved_up(uint64_t v, uint64_t shift, uint64_t more) {
    return bpki_halve_up(v, shift) + more;
}
static INLINE uint64_t halved(uint64_t v, uint64_t shift, uint64_t more) {
    return (v >> shift) + more;
}

static INLINE void age_each(shape s, uint64_t shift, uint64_t more, aged_fn aged) {
    size_t n = (size_t)s.width * s.depth;
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = s.bytes + i * s.size;
        uint64_t v = bpki_cell_load(at, s.size), to = aged(v, shift, more);
        bpki_cell_store(at, s.size, v == s.cap ? v : to < s.cap ? to : s.cap);
    }
}

static INLINE void age_all(const bpki_cells *c, uint64_t shift, uint64_t more, aged_fn aged) {
    shape s = {c->bytes, c->width, c->cap, c->depth, c->cell_bytes};
    switch (c->cell_bytes) {
    case 1: s.size = 1, age_each(s, shift, more, aged); return;
    case 2: s.size = 2, age_each(s, shift, more, aged); return;
    case 4: s.size = 4, age_each(s, shift, more, aged); return;
    default: s.size = 8, age_each(s, shift, more, aged);
    }
}

void bpki_cells_age(const bpki_cells *c, uint64_t shift, uint64_t more) {
    age_all(c, shift, more, halved_up);
}

void bpki_cells_halve(const bpki_cells *c) {
    age_all(c, 1, 0, halved);
}

/* Cells of less than 8 bytes cannot add up to 2^64. */
static INLINE bpki_census census(const uint8_t *at, size_t width, uint64_t cap, unsigned size) {
    bpki_census n = {0, 0, 0};
    for (size_t i = 0; i < width; i++) {
        uint64_t v = bpki_cell_load(at + i * size, size);
        n.used += v != 0;
        n.full += v == cap;
        n.sum = size == 8 ? bpki_add_sticky(n.sum, v, UINT64_MAX) : n.sum + v;
    }
    return n;
}

bpki_census bpki_cells_census(const bpki_cells *c, uint32_t row) {
    const uint8_t *at = bpki_cell_at(c, row, 0);
    size_t width = (size_t)c->width;
    switch (c->cell_bytes) {
    case 1: return census(at, width, c->cap, 1);
    case 2: return census(at, width, c->cap, 2);
    case 4: return census(at, width, c->cap, 4);
    default: return census(at, width, c->cap, 8);
    }
}

uint64_t bpki_cells_zeros(const bpki_cells *c, uint64_t i) {
    const uint8_t *from = c->bytes + (size_t)i * c->cell_bytes, *at = from;
    const uint8_t *end = c->bytes + (size_t)c->width * c->depth * c->cell_bytes;
    while ((size_t)(end - at) >= 8 && bpki_load64(at) == 0) at += 8;
    while (at < end && bpki_cell_load(at, c->cell_bytes) == 0) at += c->cell_bytes;
    return (uint64_t)(at - from) / c->cell_bytes;
}

uint64_t bpki_cells_largest(const bpki_cells *c, uint32_t row) {
    uint64_t most = 0;
    for (size_t i = 0; i < c->width; i++) {
        uint64_t v = bpki_cells_get(c, row, i);
        most = v > most ? v : most;
    }
    return most;
}

void bpki_cells_widen(bpki_cells *c, uint64_t cap) {
    assert(c->cell_bytes < 8 && c->width % 2 == 0);
    unsigned size = c->cell_bytes;
    size_t n = (size_t)c->width * c->depth / 2;
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = c->bytes + 2 * i * size; /* where the joined cell stands too */
        uint64_t a = bpki_cell_load(at, size), b = bpki_cell_load(at + size, size);
        bpki_cell_store(at, 2 * size, a > b ? a : b);
    }
    c->cell_bytes = (uint8_t)(2 * size);
    c->width /= 2;
    c->cap = cap;
}

bool bpki_cells_valid(const bpki_cells *c) {
    size_t n = (size_t)c->width * c->depth;
    for (size_t i = 0; i < n; i++)
        if (bpki_cell_load(c->bytes + i * c->cell_bytes, c->cell_bytes) > c->cap) return false;
    return true;
}
