/* bench_hll_huffman.c - what registers take in form small and how long that takes, beside their entropy and zstd. */
#define _POSIX_C_SOURCE 200809L
#include "bench_pack.h"
#include "core.h"

#include <ballpark/hll.h>
#include <math.h>

enum { PRECISION = 14, REGISTERS = 1 << PRECISION, HEAD = 48 };

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_hll_huffman: %s\n", bpk_status_text(st));
    exit(1);
}

/* What no code of single registers can go below. */
static double entropy(const uint8_t *reg, size_t n) {
    size_t count[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < n; i++) count[reg[i]]++;
    for (size_t v = 0; v < 256; v++)
        if (count[v]) bits -= (double)count[v] * log2((double)count[v] / (double)n);
    return bits / 8;
}

static void row_of_entropy(const bpk_sketch *s, const char *what) {
    bench_pack p = {s, malloc(bpk_encoded_size(s, BPK_FORM_VIEW)), 0};
    char name[96];
    if (!p.bytes) must(BPK_E_NOMEM);
    snprintf(name, sizeof name, "%s, entropy", what);
    bench_row("hll p=14 packed", name, entropy(bench_pack_raw(&p, REGISTERS), REGISTERS), "bytes");
    free(p.bytes);
}

static void row_of(uint8_t window_bits, uint64_t items) {
    bpk_hll *h = NULL;
    const bpk_hll_config cfg = {.precision = PRECISION, .window_bits = window_bits};
    uint64_t state = items, hash;
    char what[64];
    must(bpk_hll_new(&h, &cfg, NULL));
    for (uint64_t i = 0; i < items; i++) {
        hash = bpki_next(&state);
        must(bpk_add(bpk_hll_base(h), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL));
    }
    snprintf(what, sizeof what, "d=%u %llu items", window_bits, (unsigned long long)items);
    bench_packing("hll p=14 packed", what, bpk_hll_base(h), HEAD, REGISTERS);
    row_of_entropy(bpk_hll_base(h), what);
    bpk_free(bpk_hll_base(h));
}

int main(void) {
    for (uint8_t d = 0; d <= 2; d += 2)
        for (uint64_t items = 4000; items <= 4000000; items *= 10) row_of(d, items);
    return 0;
}
