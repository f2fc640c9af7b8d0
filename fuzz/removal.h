/* removal.h - what must hold when items are removed from a cuckoo filter, whatever is in it. */
#ifndef FUZZ_REMOVAL_H
#define FUZZ_REMOVAL_H

#include "fuzz.h"

enum { REMOVAL_MOST = 256 };

/* Removing takes one copy of what is there and counts what is not; what is put in then comes out again. */
static inline void removal_check(bpk_cuckoo *c, const uint64_t *hash, size_t n) {
    uint8_t there[REMOVAL_MOST], removed[REMOVAL_MOST];
    const uint64_t before = bpk_cuckoo_items(c), suspects = bpk_cuckoo_suspects(c);
    uint64_t out = 0;
    size_t in = 0;
    REQUIRE(n <= REMOVAL_MOST);
    bpk_cuckoo_has(c, hash, n, there);
    REQUIRE(bpk_remove(bpk_cuckoo_base(c), hash, n, removed, NULL) == BPK_OK);
    for (size_t i = 0; i < n; i++) {
        REQUIRE(removed[i] <= there[i]);
        out += removed[i];
    }
    REQUIRE(bpk_cuckoo_items(c) == before - out);
    REQUIRE(bpk_cuckoo_suspects(c) == UINT64_MAX || bpk_cuckoo_suspects(c) - suspects == n - out);
    const bpk_status st = bpk_cuckoo_add(c, hash, n, &in, NULL);
    REQUIRE(st == BPK_OK ? in == n : st == BPK_E_FULL && in < n);
    REQUIRE(bpk_remove(bpk_cuckoo_base(c), hash, in, removed, NULL) == BPK_OK);
    for (size_t i = 0; i < in; i++) REQUIRE(removed[i]);
    REQUIRE(bpk_cuckoo_items(c) == before - out);
}

#endif
