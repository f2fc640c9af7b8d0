/* grow_add.c - batches through a chain: what a layer has goes no further.
 *
 * A batch is cut into blocks, and each layer takes a whole block, so that its memory is fetched ahead. Older layers do
 * not change while the newest takes items; where it closes, the rest has been asked of it and goes on to the next. So
 * the result is that of one item after the other.
 */
#include "grow_state.h"

enum { BLOCK = 1024, WORTH = 4 }; /* what is known is taken out where it is one in WORTH */

/* What is left of a block. `hash` is the caller's until something has been taken out; then `at` says where each was. */
typedef struct block {
    const uint64_t *hash;
    size_t n, marked; /* how many of them are known */
    bool own;
    uint64_t kept[BLOCK];
    uint16_t at[BLOCK];
    uint8_t known[BLOCK];
} block;

static void fill(block *b, const uint64_t *hash, size_t n) {
    b->hash = hash;
    b->n = n < BLOCK ? n : BLOCK;
    b->marked = 0;
    b->own = false;
    memset(b->known, 0, b->n);
}

static size_t place(const block *b, size_t i) {
    return b->own ? b->at[i] : i;
}

static void drop_known(block *b) {
    size_t kept = 0;
    if (b->marked == 0) return;
    for (size_t i = 0; i < b->n; i++) {
        b->kept[kept] = b->hash[i];
        b->at[kept] = (uint16_t)place(b, i);
        kept += !b->known[i];
    }
    b->hash = b->kept;
    b->n = kept;
    b->marked = 0;
    b->own = true;
    memset(b->known, 0, kept);
}

/* Marks what a layer has. Most strangers are known to none: to take the few out each time would cost as much as the
 * question. */
static void ask(block *b, const bpk_sketch *layer) {
    uint8_t has[BLOCK];
    unsigned sum = 0;
    bpk_status st = bpk_has(layer, b->hash, b->n, has, NULL);
    assert(st == BPK_OK);
    (void)st;
    for (size_t i = 0; i < b->n; i++) {
        b->known[i] |= has[i];
        sum += b->known[i];
    }
    b->marked = sum;
    if (sum >= (b->n + WORTH - 1) / WORTH) drop_known(b);
}

/* Of a block in which nothing is marked. */
static void drop_first(block *b, size_t n) {
    for (size_t i = n; i < b->n; i++) b->at[i - n] = (uint16_t)place(b, i);
    memmove(b->kept, b->hash + n, (b->n - n) * sizeof *b->kept);
    b->hash = b->kept;
    b->n -= n;
    b->own = true;
}

void bpk_grow_has(const bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *out) {
    block b;
    for (size_t all = 0; n; n -= all, hash += all, out += all) {
        fill(&b, hash, n);
        all = b.n;
        memset(out, 1, all);
        for (unsigned i = g->n; i-- > 0 && b.n;) ask(&b, g->layer[i].s);
        for (size_t i = 0; i < b.n; i++) out[place(&b, i)] = b.known[i];
    }
}

/* The first n of a block into the newest layer, which has room for them. */
static void put(bpk_grow *g, block *b, size_t n, uint8_t *changed) {
    uint8_t news[BLOCK];
    grow_layer *last = grow_newest(g);
    bpk_status st = bpk_add(last->s, &(bpk_items){.n = n, .hash = b->hash}, news, NULL);
    assert(st == BPK_OK); /* a layer does not judge its own plan */
    (void)st;
    for (size_t i = 0; i < n; i++) {
        last->inserts += news[i] && last->inserts < UINT64_MAX;
        if (changed) changed[place(b, i)] = news[i];
    }
    drop_first(b, n);
}

/* Adds that the newest layer still takes; where the policy is degrade there is no end, not even that of the counter. */
static uint64_t room_of(const bpk_grow *g) {
    if (g->plan.on_full == BPK_FULL_DEGRADE) return SIZE_MAX;
    return bpki_grow_most(&g->plan, g->n - 1) - grow_newest(g)->inserts;
}

/* On failure the first of what is left has changed nothing. */
static bpk_status add_block(bpk_grow *g, block *b, uint8_t *changed, bpk_err *err) {
    for (unsigned i = g->n - 1; i-- > 0 && b->n;) ask(b, g->layer[i].s);
    drop_known(b);
    while (b->n) {
        uint64_t room = room_of(g);
        if (room < b->n) ask(b, grow_newest(g)->s);
        if (room < b->n) drop_known(b);
        size_t some = room < b->n ? (size_t)room : b->n;
        if (some) put(g, b, some, changed);
        else if (b->n) BPK_TRY(bpki_grow_open(g, err));
    }
    return BPK_OK;
}

static bpk_status add_copies(bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done,
                             bpk_err *err) {
    size_t in;
    bpk_status st = bpki_grow_add_copies(g, hash, n, &in, err);
    if (changed && in) memset(changed, 1, in);
    if (done) *done = in;
    return st;
}

bpk_status bpk_grow_add(bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done, bpk_err *err) {
    block b;
    bpk_status st = BPK_OK;
    size_t at = 0, all = 0;
    if (grow_removes(&g->plan)) return add_copies(g, hash, n, changed, done, err);
    for (; at < n && st == BPK_OK; at += all) {
        fill(&b, hash + at, n - at);
        all = b.n;
        if (changed) memset(changed + at, 0, all);
        st = add_block(g, &b, changed ? changed + at : NULL, err);
        if (st != BPK_OK) all = place(&b, 0);
    }
    if (done) *done = at;
    return st;
}

bpk_status bpki_grow_add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done) {
    return bpk_grow_add((bpk_grow *)s, it->hash, it->n, changed, done, NULL);
}
