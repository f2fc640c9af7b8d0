/* grow.h - has this item been seen before, however many there will be? A chain of filters, each twice as large as the
 * one before.
 *
 *   Answers   "no" is certain; "yes" is false with a probability that the chain can tell at any time.
 *   Error     the rate asked for, however far it grows. Bloom: layer i has (1 - r) r^i of it, r = 0.8. Cuckoo: as many
 *             layers as together stay under it, which are 8 with 16 bits at 0.1 %, and all that there can be at 1 %.
 *   Memory    bloom: 17.0 bits an item at 1 % when the last of 7 layers is full, that is at 127 x the first plan, and
 *             twice that when it was just opened; cuckoo: 16.84 to 17.3 bits an item that there is a place for.
 *   Merge     bloom: exact, as long as it keeps the rate: both in their first layer and together within its plan,
 *             whatever on_full says, or one of them empty. Else refused, with both insert counters. Cuckoo: no.
 *   Remove    cuckoo: yes, what was added, in whichever layer it is; as cuckoo.h says. Bloom: no.
 *   Full      `on_full`: grow opens a layer at 100 % of the last one's plan; error has one layer and refuses, bloom
 *             from 150 % of its plan on, cuckoo where there is no place; degrade (bloom) has one and goes on (health
 *             says over).
 *   Source    Almeida, Baquero, Preguica, Hutchison 2007; docs/rooms/grow.md has the proofs.
 *
 * A bloom layer is full by its insert counter, the adds that changed it, a cuckoo layer by the items in it: so replicas
 * that get the same calls in the same order open the same layers at the same item, and have the same bytes.
 *
 * Parameters of bpk_new: layers (bloom or cuckoo), items (1 or more; of the first layer), rate (a share, of the whole
 * chain; 0.01), layout (of bloom layers: blocked or classic), fingerprint_bits (of cuckoo layers: 16 or 12), on_full
 * (grow, error or degrade). bpk_new of "bloom" or "cuckoo" with on_full=grow makes a chain too.
 */
#ifndef BALLPARK_GROW_H
#define BALLPARK_GROW_H

#include <ballpark/bloom.h>
#include <ballpark/cuckoo.h>

enum { BPK_FULL_GROW = 2 }; /* beside those of bloom.h */
enum { BPK_GROW_LAYERS_MAX = 64 };

typedef struct bpk_grow bpk_grow;

/* domain.hash 0 is the default domain. */
typedef struct bpk_grow_config {
    bpk_domain domain;
    uint64_t items;           /* planned for the first layer, 1 to 2^48 (cuckoo: 2^34) */
    double rate;              /* of false positives of the whole chain, 1e-14 to 0.5 */
    uint8_t layers;           /* BPK_KIND_BLOOM or BPK_KIND_CUCKOO */
    uint8_t layout;           /* bloom: of bloom.h; cuckoo: 0 */
    uint8_t fingerprint_bits; /* cuckoo: 12 or 16; bloom: 0 */
    uint8_t on_full;          /* BPK_FULL_GROW, BPK_FULL_ERROR; bloom: or BPK_FULL_DEGRADE */
} bpk_grow_config;

/* BPK_E_ARG: domain or a member of the configuration out of range. BPK_E_LIMIT, BPK_E_NOMEM. */
BPK_API bpk_status bpk_grow_new(bpk_grow **out, const bpk_grow_config *cfg, const bpk_env *env);

/* What a chain takes with so many different items in it, without making it. BPK_E_ARG: as bpk_grow_new. BPK_E_FULL:
 * there is no layer for them. */
typedef struct bpk_grow_shape {
    unsigned layers;
    uint64_t capacity, bits; /* of these layers together */
    double rate;             /* that they do not exceed */
} bpk_grow_shape;
BPK_API bpk_status bpk_grow_size(bpk_grow_shape *out, const bpk_grow_config *cfg, uint64_t items);

/* Adds a batch; bpk_add does the same. Of bloom layers, an item that any layer has changes nothing (changed[i] is 0;
 * `changed` and `done` may be NULL); of cuckoo layers, each add puts a copy into the newest layer that has a place.
 * BPK_E_FULL names "plan" or "slots" where on_full is error and they are used up, "layers" where no further one could
 * keep the rate, and "copies" where the layer that takes the item has eight of it: eight a layer. BPK_E_LIMIT and
 * BPK_E_NOMEM: no memory for a layer. Items before *done are in, and item *done has changed nothing. */
BPK_API bpk_status bpk_grow_add(bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *changed, size_t *done,
                                bpk_err *err);

/* out[i] becomes 1 when hash i may have been added, 0 when it certainly was not. Cannot fail. */
BPK_API void bpk_grow_has(const bpk_grow *g, const uint64_t *hash, size_t n, uint8_t *out);

/* The probability that an item which was never added is reported as seen, now, at most: the sum of the layers'.
 * Bloom: O(bits). */
BPK_API double bpk_grow_rate(const bpk_grow *g);
/* How many different items were added, from the bits of all layers, with an interval as bpk_bloom_items: O(bits). Of
 * cuckoo layers the copies of all items, exactly. */
BPK_API bpk_estimate bpk_grow_items(const bpk_grow *g, double confidence);

/* Adds that changed a bloom layer: up to false positives, the different items; of a union the sum of both. Of cuckoo
 * layers the copies that are in. */
BPK_API uint64_t bpk_grow_inserts(const bpk_grow *g);
/* How many items were to be removed that were certainly not in. */
BPK_API uint64_t bpk_grow_suspects(const bpk_grow *g);
/* What all layers that are there were planned for. */
BPK_API uint64_t bpk_grow_capacity(const bpk_grow *g);

/* The i-th layer, the first one being the oldest; NULL behind the last. It belongs to the chain, and the next call that
 * changes the chain may end it. */
BPK_API const bpk_sketch *bpk_grow_layer(const bpk_grow *g, size_t i);

BPK_API const bpk_grow *bpk_as_grow(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_grow_base(bpk_grow *g) {
    return (bpk_sketch *)g;
}

#endif
