/* chains.h - what must hold of chains, whatever their layers hold. */
#ifndef FUZZ_CHAINS_H
#define FUZZ_CHAINS_H

#include "envelope.h"
#include "fuzz.h"

enum { CHAINS_MOST = 128 };

/* Of the layers of a chain, as far as their lengths lead: bodies that fill their envelopes, and checksums. */
static inline void chains_mend(uint8_t *p, size_t n) {
    size_t at = HEADER + (size_t)p[AT_PARAMS] * 8 + 8;
    while (at + 16 <= n) {
        uint64_t length = envelope_load64(p + at + 8);
        at += 16;
        if (p[AT_FORM] == BPK_FORM_VIEW) at = (at + 63) / 64 * 64;
        if (at > n || length > n - at || length < HEADER + CHECKSUM) return;
        envelope_fix_length(p + at, (size_t)length);
        envelope_seal(p + at, (size_t)length);
        at += (size_t)length;
    }
}

static inline bool chains_of_tables(const bpk_sketch *s) {
    return bpk_as_grow(s) && bpk_as_cuckoo(bpk_grow_layer(bpk_as_grow(s), 0));
}

/* Filters: n layers have taken what all but the last were planned for, and no more than all. Tables: none has more than
 * its plan where others follow. */
static inline void chains_check_layers(const bpk_sketch *s) {
    const bpk_grow *g = bpk_as_grow(s);
    unsigned n = 0;
    while (g && bpk_grow_layer(g, n)) {
        const bpk_kind kind = bpk_kind_of(bpk_grow_layer(g, n++));
        REQUIRE(kind == (chains_of_tables(s) ? BPK_KIND_CUCKOO : BPK_KIND_BLOOM));
    }
    if (n < 2) return;
    uint64_t capacity = bpk_grow_capacity(g), first = capacity / ((UINT64_C(1) << n) - 1);
    REQUIRE(bpk_grow_inserts(g) <= capacity);
    REQUIRE(chains_of_tables(s) || bpk_grow_inserts(g) > capacity - (first << (n - 1)));
}

/* Removing takes one copy of what is there and counts what is not; what is put in then comes out again. */
static inline bpk_sketch *chains_remove(const bpk_sketch *s, const bpk_items *it, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    uint8_t there[CHAINS_MOST], removed[CHAINS_MOST];
    uint64_t out = 0;
    size_t in = 0;
    REQUIRE(it->n <= CHAINS_MOST);
    if (!chains_of_tables(s) || bpk_copy(&copy, s, env) != BPK_OK) return NULL;
    const bpk_grow *g = bpk_as_grow(copy);
    const uint64_t before = bpk_grow_inserts(g), suspects = bpk_grow_suspects(g);
    bpk_grow_has(g, it->hash, it->n, there);
    REQUIRE(bpk_remove(copy, it->hash, it->n, removed, NULL) == BPK_OK);
    for (size_t i = 0; i < it->n; i++) {
        REQUIRE(removed[i] <= there[i]);
        out += removed[i];
    }
    REQUIRE(bpk_grow_inserts(g) == before - out);
    REQUIRE(bpk_grow_suspects(g) == UINT64_MAX || bpk_grow_suspects(g) - suspects == it->n - out);
    const bpk_status st = bpk_add(copy, it, NULL, &in);
    REQUIRE(st == BPK_OK ? in == it->n : in < it->n && (st == BPK_E_FULL || st == BPK_E_LIMIT));
    REQUIRE(bpk_remove(copy, it->hash, in, removed, NULL) == BPK_OK);
    for (size_t i = 0; i < in; i++) REQUIRE(removed[i]);
    REQUIRE(bpk_grow_inserts(g) == before - out);
    return copy;
}

#endif
