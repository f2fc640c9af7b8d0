/* grow_copies.c - chains of cuckoo tables: copies that come in and are taken out again.
 *
 * All tables have one base, so that two items that a larger one cannot tell apart cannot be told apart by a smaller one
 * either. A copy may therefore be taken from the newest table that has it: if it was another item's, that item's own
 * copy lies in this table or, as the one that was to be removed, in an older one, where it is found as well
 * (docs/rooms/grow.md).
 */
#include "grow_state.h"

enum { BLOCK = 1024 };

static uint64_t room_of(const bpk_grow *g, unsigned i) {
    uint64_t most = bpki_grow_most(&g->plan, i), items = bpk_cuckoo_items(grow_table(g, i));
    return items < most ? most - items : 0;
}

/* ---- adding ---- */

/* An item for which table i has no place though it is not full goes to an older one that is not, or to a new one. */
static bpk_status add_elsewhere(bpk_grow *g, unsigned i, uint64_t hash, bpk_err *err) {
    while (i-- > 0) {
        bpk_err why = {.code = BPK_OK};
        if (room_of(g, i) == 0) continue;
        bpk_status st = bpk_cuckoo_add(grow_table(g, i), &hash, 1, NULL, &why);
        if (st == BPK_OK) return BPK_OK;
        if (strcmp(why.field, "copies") == 0) return bpki_fail(err, st, why.field);
    }
    if (g->plan.on_full != BPK_FULL_GROW) return bpki_fail(err, BPK_E_FULL, "slots");
    BPK_TRY(bpki_grow_open(g, err));
    return bpk_cuckoo_add(grow_table(g, g->n - 1), &hash, 1, NULL, err);
}

/* Into table i as many as it has room for; *in becomes their number. */
static bpk_status add_some(bpk_grow *g, unsigned i, const uint64_t *hash, size_t n, size_t *in, bpk_err *err) {
    bpk_err why = {.code = BPK_OK};
    uint64_t room = room_of(g, i);
    bpk_status st = bpk_cuckoo_add(grow_table(g, i), hash, n < room ? n : (size_t)room, in, &why);
    if (st == BPK_OK) return BPK_OK;
    if (strcmp(why.field, "copies") == 0) return bpki_fail(err, st, why.field);
    BPK_TRY(add_elsewhere(g, i, hash[*in], err));
    ++*in;
    return BPK_OK;
}

bpk_status bpki_grow_add_copies(bpk_grow *g, const uint64_t *hash, size_t n, size_t *done, bpk_err *err) {
    for (*done = 0; *done < n;) {
        unsigned i = g->n;
        size_t in = 0;
        while (i > 0 && room_of(g, i - 1) == 0) i--;
        if (i == 0) {
            BPK_TRY(bpki_grow_open(g, err));
            continue;
        }
        bpk_status st = add_some(g, i - 1, hash + *done, n - *done, &in, err);
        *done += in;
        if (st != BPK_OK) return st;
    }
    return BPK_OK;
}

/* ---- removing ---- */

/* Takes out of table i what it has; what it has not stays in the block. Asked in one batch, so that memory is fetched
 * ahead, and once more at the removal, since a block may have an item more often than the table. */
static size_t take_some(bpk_grow *g, unsigned i, uint64_t hash[BLOCK], uint16_t at[BLOCK], size_t n, uint8_t *removed) {
    uint8_t has[BLOCK];
    size_t left = 0;
    bpk_cuckoo_has(grow_table(g, i), hash, n, has);
    for (size_t k = 0; k < n; k++) {
        uint8_t taken = 0;
        if (has[k]) bpk_cuckoo_has(grow_table(g, i), &hash[k], 1, &taken);
        if (taken) bpk_remove(g->layer[i].s, &hash[k], 1, NULL, NULL);
        if (removed) removed[at[k]] = taken;
        hash[left] = hash[k];
        at[left] = at[k];
        left += !taken;
    }
    return left;
}

/* The oldest table is told of what no other has, and counts what it does not have itself. */
static void take_block(bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *removed) {
    uint64_t left[BLOCK];
    uint16_t at[BLOCK];
    uint8_t taken[BLOCK];
    memcpy(left, hash, n * sizeof *hash);
    for (size_t i = 0; i < n; i++) at[i] = (uint16_t)i;
    for (unsigned i = g->n - 1; i > 0 && n; i--) n = take_some(g, i, left, at, n, removed);
    bpk_remove(g->layer[0].s, left, n, taken, NULL);
    for (size_t i = 0; removed && i < n; i++) removed[at[i]] = taken[i];
}

bpk_status bpki_grow_remove(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err) {
    bpk_grow *g = (bpk_grow *)s;
    if (!grow_removes(&g->plan)) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "remove", "grow");
    for (size_t at = 0; at < n; at += BLOCK)
        take_block(g, hash + at, n - at < BLOCK ? n - at : BLOCK, removed ? removed + at : NULL);
    return BPK_OK;
}
