/* limit_refunds.c - inside the limit room: what keys have got back, beside cells that only rise.
 *
 * To lower the cells of a key would take work away from other keys that share them, and those would pass too late. So
 * the arrival time that a refund leaves a key stands beside the cells, exactly, with the time of its least cell then:
 *
 *     own     what the key has ahead of it, until its next take or refund
 *     until   when the entry is over: from then on its cells are empty, unless others have filled them
 *
 * The promise of limit_arrival.c holds with own for s while there is an entry: a refund takes as much from the exact
 * time as from own, neither below the present, and a take adds as much to both. Where own then comes to the least cell,
 * the cells are raised to it, as ever, and the entry goes. When `until` has come own has passed, too, since it is the
 * earlier one: nothing that passed before is left, and the cells, whatever they hold, are not too early. An entry that
 * goes makes its key wait longer, never shorter: so there may be a limit to their number.
 */
#include "limit_state.h"

enum { AT_OWN = 8, AT_UNTIL = 12, ROOM_FIRST = 16 };

static uint8_t *entry(const bpk_limit *l, size_t i) {
    return l->refunds.bytes + i * LIMIT_REFUND;
}

/* The place of the first entry whose hash is not below this one. */
static size_t place_of(const bpk_limit *l, uint64_t hash) {
    size_t from = 0, to = l->refunds.n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (bpki_load64(entry(l, middle)) < hash) from = middle + 1;
        else to = middle;
    }
    return from;
}

static bool stands_at(const bpk_limit *l, size_t place, uint64_t hash) {
    return place < l->refunds.n && bpki_load64(entry(l, place)) == hash;
}

bool bpki_limit_has_refund(const bpk_limit *l, uint64_t hash) {
    return stands_at(l, place_of(l, hash), hash);
}

static bool is_live(const uint8_t *e, limit_present p) {
    return !p.gone && limit_ahead(bpki_load32(e + AT_UNTIL), p) > 0;
}

static uint32_t own_of(const uint8_t *e, limit_present p) {
    int32_t ahead = limit_ahead(bpki_load32(e + AT_OWN), p);
    return ahead > 0 ? (uint32_t)ahead : 0;
}

uint32_t bpki_limit_backlog(const bpk_limit *l, uint64_t hash, limit_present p) {
    size_t place = l->refunds.n ? place_of(l, hash) : 0;
    if (stands_at(l, place, hash) && is_live(entry(l, place), p)) return own_of(entry(l, place), p);
    return bpki_limit_least(l, hash, p);
}

static void put(uint8_t *e, uint64_t hash, uint32_t own, uint32_t until) {
    bpki_store64(e, hash);
    bpki_store32(e + AT_OWN, own);
    bpki_store32(e + AT_UNTIL, until);
}

static void drop(bpk_limit *l, size_t place) {
    memmove(entry(l, place), entry(l, place + 1), (l->refunds.n - place - 1) * (size_t)LIMIT_REFUND);
    l->refunds.n--;
}

void bpki_limit_refunds_sweep(bpk_limit *l, limit_present p) {
    uint32_t kept = 0;
    for (size_t i = 0; i < l->refunds.n; i++) {
        const uint8_t *e = entry(l, i);
        if (!is_live(e, p)) continue;
        put(entry(l, kept++), bpki_load64(e), p.cell + own_of(e, p), bpki_load32(e + AT_UNTIL));
    }
    l->refunds.n = kept;
    l->refunds.swept = p.at.floor;
}

/* ---- giving back ---- */

static bpk_status grow(bpk_limit *l) {
    limit_refunds *old = &l->refunds;
    uint32_t room = old->room ? 2 * old->room : ROOM_FIRST;
    void *bytes;
    BPK_TRY(bpki_alloc(&l->base.env, room * (size_t)LIMIT_REFUND, &bytes));
    if (old->n) memcpy(bytes, old->bytes, old->n * (size_t)LIMIT_REFUND);
    bpki_release(&l->base.env, old->bytes, old->room * (size_t)LIMIT_REFUND);
    old->bytes = bytes;
    old->room = room;
    return BPK_OK;
}

static uint32_t live(const bpk_limit *l, limit_present p) {
    uint32_t n = 0;
    for (size_t i = 0; i < l->refunds.n; i++) n += is_live(entry(l, i), p);
    return n;
}

bpk_status bpki_limit_refunds_reserve(bpk_limit *l, uint64_t hash, limit_present p) {
    if (stands_at(l, place_of(l, hash), hash)) return BPK_OK;
    if (l->refunds.n == BPK_LIMIT_REFUNDS_MAX) {
        if (live(l, p) == BPK_LIMIT_REFUNDS_MAX) return BPK_E_FULL;
        bpki_limit_refunds_sweep(l, p);
    }
    if (l->refunds.n == 0) l->refunds.swept = p.at.floor;
    return l->refunds.n < l->refunds.room ? BPK_OK : grow(l);
}

void bpki_limit_refund_becomes(bpk_limit *l, uint64_t hash, uint32_t units, limit_present p) {
    size_t place = place_of(l, hash);
    uint32_t least = bpki_limit_least(l, hash, p);
    bool there = stands_at(l, place, hash);
    if (units >= least) {
        if (there) drop(l, place);
        return;
    }
    if (!there) {
        assert(l->refunds.n < l->refunds.room);
        memmove(entry(l, place + 1), entry(l, place), (l->refunds.n - place) * (size_t)LIMIT_REFUND);
        l->refunds.n++;
    }
    put(entry(l, place), hash, p.cell + units, p.cell + least);
}

/* ---- merging ---- */

/* What both have, in place: own may not be earlier than either, and no entry may outlast one of the two. */
void bpki_limit_refunds_join(bpk_limit *dst, const bpk_limit *src, limit_present at_dst, limit_present at_src,
                             limit_join own, limit_join until) {
    uint32_t kept = 0;
    for (size_t i = 0; i < dst->refunds.n; i++) {
        const uint8_t *a = entry(dst, i);
        uint64_t hash = bpki_load64(a);
        size_t place = place_of(src, hash);
        if (!stands_at(src, place, hash) || !is_live(a, at_dst) || !is_live(entry(src, place), at_src)) continue;
        const uint8_t *b = entry(src, place);
        uint32_t most = dst->burst * dst->scale + at_dst.up;
        uint32_t first = own(own_of(a, at_dst), own_of(b, at_src), most);
        uint32_t last = until((uint32_t)limit_ahead(bpki_load32(a + AT_UNTIL), at_dst),
                              (uint32_t)limit_ahead(bpki_load32(b + AT_UNTIL), at_src), most);
        if (first < last) put(entry(dst, kept++), hash, at_dst.cell + first, at_dst.cell + last);
    }
    dst->refunds.n = kept;
}

/* ---- bytes ---- */

uint32_t bpki_limit_refunds_left(const bpk_limit *l, bpki_out *out) {
    uint32_t left = 0;
    if (l->refunds.n == 0) return 0;
    limit_present p = bpki_limit_present(l, l->now);
    for (size_t i = 0; i < l->refunds.n; i++) {
        const uint8_t *e = entry(l, i);
        uint8_t bytes[LIMIT_REFUND];
        if (!is_live(e, p)) continue;
        put(bytes, bpki_load64(e), own_of(e, p), (uint32_t)limit_ahead(bpki_load32(e + AT_UNTIL), p));
        if (out) bpki_out_bytes(out, bytes, sizeof bytes);
        left++;
    }
    return left;
}
