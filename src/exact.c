/* exact.c - the set of 64-bit hashes that answers exactly while the input is small.
 *
 * An open-addressing table of hashes, a power of two of slots, at most 3/4 full, searched one slot after the other. A
 * free slot holds 0; the hash 0 is a flag beside the table. The home of a hash is the top of its product with a salt,
 * so that items which collide cannot be made.
 *
 * Slots are nearly in the order of their homes. A table twice as large keeps that order, thus growing is one pass over
 * both. Any other receiver gets the lines of the table in a scattered order: filled in slot order, a small table would
 * grow one run of occupied slots at its start and search through all of it for every item, in quadratic time.
 */
#include <ballpark/exact.h>

#include "room.h"

enum {
    SLOTS_LG = 3,   /* of the first table: one cache line */
    LINE_SLOTS = 8, /* slots in one line of 64 bytes */
    CACHED_LG = 15, /* tables up to 2^15 slots (256 KiB) stay in the second-level cache and are not prefetched */
    AHEAD = 16,     /* items between prefetch and use */
    PART = 512      /* hashes handed on at once */
};
#define SCATTER UINT64_C(0x9E3779B97F4A7C15) /* odd, so that i * SCATTER mod 2^k visits each number once */

struct bpk_exact {
    bpk_env env;
    bpk_domain domain;
    uint64_t max_items;
    uint64_t in_table; /* hashes other than 0 */
    uint64_t *slot;    /* NULL before the first item */
    unsigned lg;       /* 2^lg slots */
    uint64_t salt;
    bool has_zero;
};

/* ---- the table ---- */

static size_t slots_of(const bpk_exact *x) {
    return x->slot ? (size_t)1 << x->lg : 0;
}

static size_t home_of(const bpk_exact *x, unsigned lg, uint64_t hash) {
    return (size_t)(hash * x->salt >> (64 - lg));
}

/* The slot of a table of x that holds the hash, or the free one where it belongs. */
static size_t find(const bpk_exact *x, const uint64_t *slot, unsigned lg, uint64_t hash) {
    size_t mask = ((size_t)1 << lg) - 1, i = home_of(x, lg, hash);
    while (slot[i] && slot[i] != hash) i = (i + 1) & mask;
    return i;
}

static bool holds(const bpk_exact *x, uint64_t hash) {
    if (!hash) return x->has_zero;
    return x->slot && x->slot[find(x, x->slot, x->lg, hash)];
}

/* The next table, as long as both fit under the limit: they exist at the same time. */
static bpk_status grow(bpk_exact *x) {
    size_t old = slots_of(x);
    unsigned lg = old ? x->lg + 1 : SLOTS_LG;
    size_t n, both;
    if (lg >= sizeof(size_t) * 8 || !bpki_mul((size_t)1 << lg, sizeof *x->slot, &n)) return BPK_E_LIMIT;
    if (!bpki_add(bpk_exact_memory(x), n, &both) || both > x->env.max_bytes) return BPK_E_LIMIT;
    void *fresh = NULL;
    BPK_TRY(bpki_alloc(&x->env, n, &fresh));
    uint64_t *to = fresh;
    for (size_t i = 0; i < old; i++)
        if (x->slot[i]) to[find(x, to, lg, x->slot[i])] = x->slot[i];
    bpki_release(&x->env, x->slot, old * sizeof *x->slot);
    x->slot = to;
    x->lg = lg;
    return BPK_OK;
}

static bpk_status add_zero(bpk_exact *x, bool *fresh) {
    *fresh = !x->has_zero;
    if (*fresh && bpk_exact_items(x) == x->max_items) return BPK_E_FULL;
    x->has_zero = true;
    return BPK_OK;
}

static bpk_status add_one(bpk_exact *x, uint64_t hash, bool *fresh) {
    if (!hash) return add_zero(x, fresh);
    size_t at = x->slot ? find(x, x->slot, x->lg, hash) : 0;
    *fresh = !x->slot || !x->slot[at];
    if (!*fresh) return BPK_OK;
    if (bpk_exact_items(x) == x->max_items) return BPK_E_FULL;
    if (!x->slot || 4 * (x->in_table + 1) > 3 * (uint64_t)slots_of(x)) {
        BPK_TRY(grow(x));
        assert(x->slot);
        at = find(x, x->slot, x->lg, hash);
    }
    x->slot[at] = hash;
    x->in_table++;
    return BPK_OK;
}

/* Brings the line of an item that comes later; a table that is in the cache anyway is left alone. */
static void prefetch(const bpk_exact *x, const uint64_t *hash, size_t i, size_t n) {
    if (x->lg > CACHED_LG && i + AHEAD < n) __builtin_prefetch(x->slot + home_of(x, x->lg, hash[i + AHEAD]));
}

/* ---- handing on ---- */

typedef bpk_status (*receiver)(void *ctx, const bpk_items *part);

/* Collects hashes and hands them on by the part. */
typedef struct outlet {
    receiver fn;
    void *ctx;
    size_t n;
    uint64_t hash[PART];
} outlet;

static bpk_status outlet_flush(outlet *o) {
    const bpk_items part = {.n = o->n, .hash = o->hash};
    o->n = 0;
    return part.n ? o->fn(o->ctx, &part) : BPK_OK;
}

static bpk_status outlet_put(outlet *o, uint64_t hash) {
    o->hash[o->n++] = hash;
    return o->n == PART ? outlet_flush(o) : BPK_OK;
}

/* Every hash once, line by line in the scattered order. */
static bpk_status hand_on(const bpk_exact *x, receiver fn, void *ctx) {
    outlet o = {.fn = fn, .ctx = ctx};
    if (x->has_zero) BPK_TRY(outlet_put(&o, 0));
    size_t lines = slots_of(x) / LINE_SLOTS;
    for (size_t i = 0; i < lines; i++) {
        const uint64_t *line = x->slot + ((size_t)(i * SCATTER) & (lines - 1)) * LINE_SLOTS;
        for (size_t j = 0; j < LINE_SLOTS; j++)
            if (line[j]) BPK_TRY(outlet_put(&o, line[j]));
    }
    return outlet_flush(&o);
}

static bpk_status into_exact(void *ctx, const bpk_items *part) {
    return bpk_exact_add(ctx, part, NULL, NULL);
}

static bpk_status into_sketch(void *ctx, const bpk_items *part) {
    return bpk_add(ctx, part, NULL, NULL);
}

/* ---- the interface ---- */

bpk_status bpk_exact_new(bpk_exact **out, const bpk_domain *domain, uint64_t max_items, const bpk_env *env) {
    bpk_domain settled;
    void *p;
    BPK_TRY(bpki_domain_settle(&settled, domain));
    BPK_TRY(bpki_alloc(bpki_env(env), sizeof(bpk_exact), &p));
    bpk_exact *x = p;
    x->env = *bpki_env(env);
    x->domain = settled;
    x->salt = bpki_salt(x);
    x->max_items = max_items ? max_items : UINT64_MAX;
    *out = x;
    return BPK_OK;
}

void bpk_exact_free(bpk_exact *x) {
    if (!x) return;
    const bpk_env env = x->env;
    bpki_release(&env, x->slot, slots_of(x) * sizeof *x->slot);
    bpki_release(&env, x, sizeof *x);
}

bpk_status bpk_exact_add(bpk_exact *x, const bpk_items *it, uint8_t *changed, size_t *done) {
    bpk_status st = BPK_OK;
    size_t i = 0;
    for (; i < it->n; i++) {
        bool fresh = false;
        prefetch(x, it->hash, i, it->n);
        st = add_one(x, it->hash[i], &fresh);
        if (st != BPK_OK) break;
        if (changed) changed[i] = fresh;
    }
    if (done) *done = i;
    return st;
}

bpk_status bpk_exact_merge(bpk_exact *dst, const bpk_exact *src, bpk_err *err) {
    if (dst == src) return BPK_OK;
    BPK_TRY(bpki_domain_match(&dst->domain, &src->domain, err));
    bpk_status st = hand_on(src, into_exact, dst);
    return st == BPK_OK ? st : bpki_fail(err, st, "items");
}

uint64_t bpk_exact_items(const bpk_exact *x) {
    return x->in_table + x->has_zero;
}

uint64_t bpk_exact_bytes(uint64_t items) {
    unsigned lg = SLOTS_LG;
    if (items == 0) return sizeof(bpk_exact);
    if (items > UINT64_C(1) << 58) return UINT64_MAX;
    while (4 * items > UINT64_C(3) << lg) lg++;
    return sizeof(bpk_exact) + ((uint64_t)sizeof(uint64_t) << lg);
}

size_t bpk_exact_memory(const bpk_exact *x) {
    return sizeof *x + slots_of(x) * sizeof *x->slot;
}

void bpk_exact_has(const bpk_exact *x, const uint64_t *hash, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++) {
        prefetch(x, hash, i, n);
        out[i] = holds(x, hash[i]);
    }
}

/* n (n - 1) / 2 pairs, each of which shares a hash with probability 2^-64; n^2 for n (n - 1), as the header says. */
double bpk_exact_doubt(const bpk_exact *x) {
    double n = (double)bpk_exact_items(x);
    return n * n * 0x1p-65;
}

bpk_status bpk_exact_spill(const bpk_exact *x, bpk_sketch *into, bpk_err *err) {
    BPK_TRY(bpki_domain_match(bpk_domain_of(into), &x->domain, err));
    bpk_status st = hand_on(x, into_sketch, into);
    return st == BPK_OK ? st : bpki_fail(err, st, "items");
}
