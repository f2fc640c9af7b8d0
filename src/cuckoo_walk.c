/* cuckoo_walk.c - inside the cuckoo room: fingerprints go into buckets and out of them, and move where there is no
 * place for one more.
 *
 * Where both buckets of an item are full, a walk in order of breadth looks for the shortest chain of fingerprints that
 * can move, each to its other bucket, so that a place comes free:
 *
 *     buckets of the item --> other buckets of the 8 that are in them --> other buckets of the 32 in those --> ...
 *
 * Nothing moves before the chain is found, and no bucket is looked at twice, so that an add which is refused has
 * changed nothing, and in a table of up to 1,000 buckets is refused only where no arrangement has room for it. There
 * is no victim that waits outside, and no chance: one sequence of calls gives one table on every machine.
 *
 * Tables planned for 500,000 items were full at 94.5 % load with 250 buckets, at 96.0 % with 500, are at 96.6 % with
 * 1,000 (tests/stat_cuckoo.c): the plan of 95 % has to be certain (docs/adr/0011-cuckoo-filters.md).
 */
#include "cuckoo_state.h"

enum {
    STEPS = 1000,
    SEEN = 2048, /* twice as many, for the set of buckets that were looked at */
    FIRST = STEPS
};

/* ---- one bucket ---- */

/* The numbers up to `slot` move one down, and fp takes its place; the lowest is gone. */
static uint64_t with_slot(uint64_t bucket, unsigned slot, uint64_t fp, unsigned width) {
    uint64_t under = (UINT64_C(1) << slot * width) - 1;
    uint64_t above = bucket >> slot * width >> width << width << slot * width;
    return above | fp << slot * width | (bucket >> width & under);
}

/* The numbers under `slot` move one up onto it, and the lowest is free. */
static uint64_t without_slot(uint64_t bucket, unsigned slot, unsigned width) {
    uint64_t under = (UINT64_C(1) << slot * width) - 1;
    uint64_t above = bucket >> slot * width >> width << width << slot * width;
    return above | (bucket & under) << width;
}

void bpki_cuckoo_put(bpk_cuckoo *c, uint64_t at, uint64_t fp) {
    unsigned width = c->plan.width, slot = 0;
    uint64_t bucket = cuckoo_load(c->table, at, width);
    assert(!cuckoo_bucket_full(bucket, width));
    while (slot + 1 < CUCKOO_SLOTS && cuckoo_slot(bucket, slot + 1, width) < fp) slot++;
    cuckoo_store(c->own, at, width, with_slot(bucket, slot, fp, width));
}

bool bpki_cuckoo_take(bpk_cuckoo *c, uint64_t at, uint64_t fp) {
    unsigned width = c->plan.width;
    uint64_t bucket = cuckoo_load(c->table, at, width);
    for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++) {
        if (cuckoo_slot(bucket, slot, width) != fp) continue;
        cuckoo_store(c->own, at, width, without_slot(bucket, slot, width));
        return true;
    }
    return false;
}

/* ---- a place for one more ---- */

/* A bucket that the walk has come to, by moving `fp` out of the bucket of step `from`. */
typedef struct step {
    uint32_t bucket;
    uint16_t fp, from;
} step;

typedef struct walk {
    const bpk_cuckoo *c;
    step *step; /* STEPS of them */
    unsigned n;
    uint16_t seen[SEEN]; /* open addressing: 1 + the step that has come to a bucket, or 0 */
} walk;
static_assert(CUCKOO_BUCKETS_MAX - 1 <= UINT32_MAX, "a step holds any bucket");

static void come_to(walk *w, uint64_t bucket, uint64_t fp, unsigned from) {
    unsigned i = (unsigned)(bpki_mix(bucket + 1) % SEEN);
    for (; w->seen[i]; i = (i + 1) % SEEN)
        if (w->step[w->seen[i] - 1].bucket == bucket) return;
    if (w->n == STEPS) return;
    __builtin_prefetch(cuckoo_at(w->c->table, bucket, w->c->plan.width));
    w->step[w->n++] = (step){(uint32_t)bucket, (uint16_t)fp, (uint16_t)from};
    w->seen[i] = (uint16_t)w->n;
}

/* The step whose bucket has room; STEPS where none has. */
static unsigned look_around(walk *w) {
    const cuckoo_plan *p = &w->c->plan;
    for (unsigned i = 0; i < w->n; i++) {
        uint64_t bucket = cuckoo_load(w->c->table, w->step[i].bucket, p->width);
        if (!cuckoo_bucket_full(bucket, p->width)) return i;
        for (unsigned slot = 0; slot < CUCKOO_SLOTS; slot++) {
            uint64_t fp = cuckoo_slot(bucket, slot, p->width);
            come_to(w, cuckoo_other(p, fp, w->step[i].bucket), fp, i);
        }
    }
    return STEPS;
}

/* Moves the chain that ends in step i, the last fingerprint first, and puts the new one where it begins. No bucket is
 * in it twice, so that none overflows in between. */
static void move_chain(bpk_cuckoo *c, const step *steps, unsigned i) {
    for (; steps[i].from != FIRST; i = steps[i].from) {
        bool there = bpki_cuckoo_take(c, steps[steps[i].from].bucket, steps[i].fp);
        assert(there);
        (void)there;
        bpki_cuckoo_put(c, steps[i].bucket, steps[i].fp);
    }
    bpki_cuckoo_put(c, steps[i].bucket, steps[i].fp);
}

bool bpki_cuckoo_make_room(bpk_cuckoo *c, const uint64_t at[2], uint64_t fp) {
    step steps[STEPS];
    walk w = {.c = c, .step = steps};
    come_to(&w, at[0], fp, FIRST);
    come_to(&w, at[1], fp, FIRST);
    unsigned i = look_around(&w);
    if (i == STEPS) return false;
    move_chain(c, steps, i);
    return true;
}
