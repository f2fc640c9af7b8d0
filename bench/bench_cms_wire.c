/* bench_cms_wire.c - what cells take in form small, with and without runs, beside zstd on the same cells.
 *
 * Sketches of 5 x 2719 cells are filled with keys drawn by Zipf's law until a share of the cells is in use.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_pack.h"
#include "cells.h"

#include <ballpark/cms.h>
#include <math.h>

enum { WIDTH = 2719, DEPTH = 5, CELLS = WIDTH * DEPTH, HEAD = 80, KEYS = 1000000, MOST = 1000000 };

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_cms_wire: %s\n", bpk_status_text(st));
    exit(1);
}

/* The hash of a key whose rank is 1 to KEYS, rank r with probability about 1 / r. */
static uint64_t draw(uint64_t *state) {
    double u = (double)(bpki_next(state) >> 11) * 0x1p-53;
    uint64_t rank = (uint64_t)exp(u * log(KEYS));
    return bpki_next(&rank);
}

/* A bit for each cell in use: the positions are those of cells.h. */
static size_t mark(bpki_cells *used, uint64_t hash) {
    size_t fresh = 0;
    for (uint32_t r = 0; r < DEPTH; r++, hash = bpki_cells_next(hash)) {
        uint8_t *at = bpki_cell_at(used, r, bpki_cells_index(used, hash));
        fresh += !*at;
        *at = 1;
    }
    return fresh;
}

static bpk_sketch *filled(uint8_t cell_bytes, double share) {
    static uint8_t mask[CELLS];
    bpki_cells used = {mask, WIDTH, DEPTH, 1, 255};
    const bpk_cms_config cfg = {.width = WIDTH, .depth = DEPTH, .cell_bytes = cell_bytes};
    bpk_cms *c = NULL;
    uint64_t state = 1;
    size_t n = 0;
    memset(mask, 0, sizeof mask);
    must(bpk_cms_new(&c, &cfg, NULL));
    for (uint64_t i = 0; i < MOST && (share == 1 || (double)n < share * CELLS); i++) {
        uint64_t hash = draw(&state);
        must(bpk_add(bpk_cms_base(c), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
        n += mark(&used, hash);
    }
    return bpk_cms_base(c);
}

static unsigned varint_size(uint64_t v) {
    return (bpki_bit_length(v | 1) + 6) / 7;
}

/* What the cells would take as varints alone, zeros and all. */
static void row_without_runs(const bpk_sketch *s, const char *what, uint8_t cell_bytes) {
    bench_pack p = {s, malloc(bpk_encoded_size(s, BPK_FORM_VIEW)), 0};
    uint64_t size = 0;
    char name[96];
    if (!p.bytes) exit(1);
    const uint8_t *raw = bench_pack_raw(&p, (size_t)CELLS * cell_bytes);
    for (size_t i = 0; i < CELLS; i++) size += varint_size(bpki_cell_load(raw + i * cell_bytes, cell_bytes));
    snprintf(name, sizeof name, "%s, without runs", what);
    bench_row("cms 5 x 2719 packed", name, (double)size, "bytes");
    free(p.bytes);
}

int main(void) {
    static const double share[] = {0, 0.01, 0.1, 0.5, 0.75, 1};
    for (uint8_t cell_bytes = 4; cell_bytes <= 8; cell_bytes += 4)
        for (size_t i = 0; i < BPKI_COUNT(share); i++) {
            char what[64];
            bpk_sketch *s = filled(cell_bytes, share[i]);
            snprintf(what, sizeof what, "%u bytes a cell, %g %% used", cell_bytes, 100 * share[i]);
            bench_packing("cms 5 x 2719 packed", what, s, HEAD, (size_t)CELLS * cell_bytes);
            row_without_runs(s, what, cell_bytes);
            bpk_free(s);
        }
    return 0;
}
