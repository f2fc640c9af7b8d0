/* unions.h - which merges are unions, and which are refused. */
#ifndef UNIONS_H
#define UNIONS_H

#include "chains.h"
#include "filters.h"
#include "windows.h"

/* For kinds whose merge is a union: with oneself and with nothing it changes nothing. */
static inline bool unions_is_one(const bpk_sketch *s) {
    if (bpk_kind_of(s) == BPK_KIND_BLOOM) return bpk_splittable(s);
    return bpk_kind_of(s) == BPK_KIND_HLL || bpk_kind_of(s) == BPK_KIND_THETA;
}

/* Whether a merge was made. A stream does not merge with itself, nor do windows of one, and a cuckoo with nothing; a
 * rotating filter refuses a union that has more in a generation than its plan, and a chain one that would not keep its
 * rate. */
static inline bool unions_made(bpk_sketch *dst, const bpk_sketch *src) {
    bpk_err err;
    bool own = bpk_as_sample(src) && bpk_sample_seen(bpk_as_sample(src));
    bpk_status st = bpk_merge(dst, src, &err);
    if (bpk_as_window(src) && st != BPK_OK) {
        bool stream = windows_of(src, BPK_KIND_SAMPLE) && st == BPK_E_MISMATCH;
        REQUIRE(st == BPK_E_LIMIT || (stream && strcmp(err.field, "stream") == 0));
        return false;
    }
    if (bpk_as_cuckoo(src) || chains_of_tables(src)) {
        REQUIRE(st == BPK_E_UNSUPPORTED);
        return false;
    }
    REQUIRE(own || filters_rotates(src) || bpk_as_grow(src) || st == BPK_OK);
    REQUIRE(!own || st != BPK_OK);
    if (st == BPK_OK) return true;
    REQUIRE(st == BPK_E_MISMATCH && (own || strcmp(err.field, bpk_as_grow(src) ? "inserts" : "adds") == 0));
    return false;
}

#endif
