/* cms_decay.c - inside the cms room: what passing time does to a sketch with a half-life, and halving by hand.
 *
 * At the end of a half-life every cell is halved and rounded up, so that it stays above what its items weigh, by less
 * than a unit more; what comes late is rounded up too. `rounding` adds up by how much all that may have moved a cell,
 * and is halved with it: lower limits are less by so much. A cell at its end stays there.
 *
 * Halving by hand rounds down, so that small counts go away: that is for comparing counts, as a cache does. A cell may
 * then be under the truth by less than 1, which is the same `rounding` on the other side.
 */
#include "cms_state.h"

enum { BATCH = 256 };

static void add_rounding(bpk_cms *c, uint64_t more) {
    c->rounding = (uint32_t)bpki_add_sticky(c->rounding, more, UINT32_MAX);
}

void bpki_cms_age(bpk_cms *c, uint64_t shift) {
    if (c->total == 0 || shift == 0) return;
    bpki_cells_age(&c->cells, shift, 0);
    if (c->total != UINT64_MAX) c->total = bpki_halve_up(c->total, shift);
    if (c->rounding == UINT32_MAX) return;
    c->rounding = (uint32_t)bpki_halve_up(c->rounding, shift);
    add_rounding(c, 1);
}

void bpki_cms_advance(bpk_cms *c, uint64_t now) {
    if (!cms_decays(c) || now <= c->time.now) return;
    bpki_moment then = bpki_moment_of(c->half_life, now);
    bpki_cms_age(c, now / c->half_life - c->time.now / c->half_life);
    c->time = then;
}

/* Late items weigh what is left of them, rounded up. */
void bpki_cms_add_decayed(bpk_cms *c, const bpk_items *it) {
    bpki_cms_advance(c, it->now);
    bpki_arrival when = bpki_arrival_of(c->half_life, &c->time, it->now);
    uint64_t units[BATCH], rounded = 0;
    for (size_t done = 0; done < it->n;) {
        size_t n = it->n - done < BATCH ? it->n - done : BATCH;
        for (size_t i = 0; i < n; i++) {
            bool rest;
            units[i] = bpki_decay_units(&when, it->weight ? it->weight[done + i] : 1, &rest);
            units[i] += rest;
            rounded += rest;
            c->total = bpki_add_sticky(c->total, units[i], UINT64_MAX);
        }
        if (c->conservative) bpki_cells_raise(&c->cells, it->hash + done, units, n);
        else bpki_cells_add(&c->cells, it->hash + done, units, n);
        done += n;
    }
    add_rounding(c, rounded < UINT32_MAX ? rounded : UINT32_MAX);
}

bpk_status bpki_cms_merge_aged(bpk_cms *a, const bpk_cms *b) {
    bpk_sketch *aged = NULL;
    if (cms_decays(b) && b->time.now / b->half_life < a->time.now / a->half_life && b->total) {
        BPK_TRY(bpki_cms_ops.copy(&aged, &b->base, &a->base.env));
        bpki_cms_advance((bpk_cms *)aged, a->time.now);
        b = (const bpk_cms *)aged;
    }
    bpki_cms_advance(a, b->time.now);
    bpki_cells_sum(&a->cells, &b->cells);
    a->total = bpki_add_sticky(a->total, b->total, UINT64_MAX);
    add_rounding(a, b->rounding);
    if (aged) bpki_cms_release(aged);
    return BPK_OK;
}

bpk_status bpk_cms_halve(bpk_cms *c, bpk_err *err) {
    if (cms_decays(c)) return bpki_fail_value(err, BPK_E_UNSUPPORTED, "halve", "it decays by itself");
    if (!c->conservative)
        return bpki_fail_value(err, BPK_E_UNSUPPORTED, "halve", "plain rows would not add up any more");
    bpki_cells_halve(&c->cells);
    if (c->total != UINT64_MAX) c->total /= 2;
    if (c->rounding != UINT32_MAX) c->rounding = c->rounding / 2 + 1;
    return BPK_OK;
}
