/* topk_decay.c - inside the topk room: what passing time does to a sketch with a half-life.
 *
 * At the end of a half-life a score is halved, rounded down, and its base rounded up: the order of the scores and of
 * their threshold stays, and with it the promise of topk_names.c. What a way has seen, score - base, loses less than 2
 * units that way; each light cell, halved and rounded up, gets 2 for it, so that upper = lower + light stays above the
 * truth. From the first half-life on the light part therefore has a say in every bucket, full or not.
 *
 * A score at its end stays there and loses its lower limit: what did not fit is not known, and so neither is what half
 * of it would be.
 */
#include "topk_state.h"

enum { LOST = 2 /* units: under one by the score, under one by the base */ };

static void age_way(uint8_t *bucket, unsigned j, uint64_t shift) {
    uint64_t score = topk_score(bucket, j), base = topk_base(bucket, j);
    bool stuck = score == TOPK_SCORE_MAX;
    base = stuck ? score : bpki_halve_up(base, shift); /* a float again: bits only go away at its end */
    score = stuck ? score : bpki_halve(score, shift);
    bpki_store16(bucket + 36 + (size_t)2 * j, topk_float_up(base < score ? base : score));
    bpki_store64(bucket + 56 + (size_t)8 * j, score);
}

void bpki_topk_age(bpk_topk *t, uint64_t shift) {
    if (t->total == 0 || shift == 0) return;
    for (size_t at = 0; at < topk_buckets(&t->shape); at++) {
        uint8_t *bucket = topk_bucket_at(t, at);
        for (unsigned j = 0; j < TOPK_WAYS && topk_fp(bucket, j); j++) age_way(bucket, j, shift);
        topk_find_smallest(bucket);
    }
    bpki_cells_age(&t->light, shift, LOST);
    t->threshold = bpki_halve(t->threshold, shift);
    if (t->total != UINT64_MAX) t->total = bpki_halve_up(t->total, shift);
    t->listed_fresh = false;
}

void bpki_topk_advance(bpk_topk *t, uint64_t now) {
    if (!topk_decays(t) || now <= t->time.now) return;
    bpki_moment then = bpki_moment_of(t->shape.half_life, now);
    bpki_topk_age(t, now / t->shape.half_life - t->time.now / t->shape.half_life);
    t->time = then;
}

/* Late items weigh what is left of them, rounded down; the rest of each, under one unit, goes to the light part alone,
 * so that the lower limit stays one. */
void bpki_topk_add_rest(bpk_topk *t, uint64_t hash) {
    t->total = bpki_add_sticky(t->total, 1, UINT64_MAX);
    bpki_topk_light_add(t, topk_fingerprint(hash), 1);
}
