/* test_bloom_ring.c - the laws of rotating filters: what is remembered and what is not, by number, by rate and by time,
 * against a model bit by bit; bytes and views.
 */
#include "damage.h"
#include "t_ring.h"

#include "bloom_state.h"

#include <math.h>

static const uint8_t generations[] = {1, 4, 8};

/* ---- a model: generations as they are promised, one bit and one item at a time ---- */

enum { MOST_BLOCKS = 400, MOST_LINES = 17 };

typedef struct model {
    uint8_t line[MOST_LINES][MOST_BLOCKS * BPKI_LINE];
    uint64_t adds[MOST_LINES], since[MOST_LINES], now, span;
    unsigned n, current; /* generations, with the one that is written */
    bool first;
    bpki_filter plan;
} model;

static bool bits_of(model *m, unsigned g, uint64_t hash, bool set) {
    bool all = true;
    for (unsigned j = 0; j < m->plan.k; j++, hash = (hash | 1) * BPKI_BLOOM_SECOND) {
        uint64_t block = bpki_mulhi(hash, m->plan.units), lanes = hash * BPKI_BLOOM_LANES;
        for (unsigned i = 0; i < 8; i++) {
            uint64_t at = 512 * block + 64 * i + (lanes >> (16 + 6 * i) & 63);
            all = all && (m->line[g][at / 8] >> at % 8 & 1);
            if (set) m->line[g][at / 8] |= (uint8_t)(1u << at % 8);
        }
    }
    return all;
}

static double model_rate(const model *m, unsigned g) {
    double sum = 0;
    for (uint64_t u = 0; u < m->plan.units; u++) {
        double share = 1;
        for (unsigned lane = 0; lane < 8; lane++)
            share *= __builtin_popcountll(bpki_load64(m->line[g] + u * BPKI_LINE + 8 * lane)) / 64.0;
        sum += share;
    }
    return pow(sum / (double)m->plan.units, m->plan.k);
}

static void model_rotate(model *m, uint64_t since) {
    m->current = (m->current + 1) % m->n;
    if (m->adds[m->current]) memset(m->line[m->current], 0, sizeof m->line[0]);
    m->adds[m->current] = 0;
    m->since[m->current] = since;
}

/* Slot by slot, however many there are. */
static void model_time(model *m, uint64_t now) {
    if (!m->span || now <= m->now) return;
    uint64_t slot = (m->span + m->n - 2) / (m->n - 1);
    for (uint64_t at = m->now / slot; at < now / slot; at++) {
        unsigned last = (m->current + m->n - 1) % m->n, used = 0;
        bool early = m->adds[last] > 0 && m->since[last] >= at * slot;
        if (m->adds[m->current] == 0 && early) m->since[m->current] = (at + 1) * slot;
        else model_rotate(m, (at + 1) * slot);
        for (unsigned g = 0; g < m->n; g++) used += m->adds[g] > 0;
        if (used) continue;
        m->current = (unsigned)((at + 1) % m->n); /* as the clock has it */
        for (uint64_t i = 0; i < m->n; i++)
            m->since[(m->current + m->n - i) % m->n] = at + 1 < i ? 0 : (at + 1 - i) * slot;
    }
    m->now = now;
}

static bool model_has(model *m, uint64_t hash) {
    bool any = false;
    for (unsigned g = 0; g < m->n; g++) any = bits_of(m, g, hash, false) || any;
    return any;
}

/* Whether the item is new to the window. */
static bool model_add(model *m, uint64_t hash, uint64_t now) {
    model_time(m, now);
    if (m->adds[m->current] == m->plan.items) model_rotate(m, m->now);
    bool found = model_has(m, hash);
    if ((found && m->first) || bits_of(m, m->current, hash, true)) return !found;
    uint64_t adds = ++m->adds[m->current], stage = (m->plan.items + 15) / 16;
    bool looked = adds % stage == 0 && adds < m->plan.items;
    if (looked && model_rate(m, m->current) >= bpki_bloom_close_at(&m->plan)) model_rotate(m, m->now);
    return !found;
}

static void model_of(model *m, const bpk_bloom_config *cfg) {
    memset(m, 0, sizeof *m);
    m->plan = bpki_bloom_size(cfg);
    m->n = cfg->generations + 1u;
    m->span = cfg->span;
    m->first = cfg->seen == BPK_SEEN_FIRST;
    assert_true(m->plan.units <= MOST_BLOCKS);
}

static void assert_as_model(const bpk_bloom *b, const model *m) {
    assert_int_equal(b->turn.current, m->current);
    assert_int_equal(bpki_ring_now(b), m->now);
    for (unsigned g = 0; g < m->n; g++) {
        assert_int_equal(bpki_ring_adds(b, g), m->adds[g]);
        assert_int_equal(bpki_ring_since(b, g), m->since[g]);
        for (uint64_t u = 0; u < m->plan.units; u++)
            assert_memory_equal(b->bits + (u * m->n + g) * BPKI_LINE, m->line[g] + u * BPKI_LINE, BPKI_LINE);
    }
}

/* Batches of all sizes, items that come again, time that stands, goes on, goes back and jumps. Some streams crowd into
 * few blocks, so that the rate closes generations. */
static void every_step_is_that_of_the_model_whatever_the_batches(void **state) {
    (void)state;
    static model m;
    uint64_t hash[300];
    uint8_t changed[300];
    for (uint64_t round = 0; round < 48; round++) {
        const bpk_bloom_config cfg = {.items = 40 + round * 37,
                                      .rate = round % 3 == 2 ? 1e-5 : 0.01,
                                      .generations = generations[round % 3],
                                      .seen = round % 2,
                                      .span = round % 4 < 2 ? 0 : 1000 + round};
        bpk_bloom *b = NULL;
        assert_int_equal(bpk_bloom_new(&b, &cfg, NULL), BPK_OK);
        model_of(&m, &cfg);
        uint64_t time = cfg.span ? 1000000 : 0;
        bool crowded = round % 5 == 4;
        for (uint64_t at = 0; at < 6 * cfg.items;) {
            size_t n = 1 + (size_t)(t_hash(round, at) % 300);
            uint64_t x = t_hash(round + 100, at);
            for (size_t j = 0; j < n; j++)
                hash[j] = t_hash(round, t_hash(7, at + j) % (cfg.items * 2) + at / 8) >> (crowded ? 3 : 0);
            if (cfg.span) time = x % 16 == 0 ? time + 5000 : x % 16 == 1 ? time - 600 : time + x % 90;
            const bpk_items it = {.n = n, .hash = hash, .now = time};
            assert_int_equal(bpk_add(bpk_bloom_base(b), &it, changed, NULL), BPK_OK);
            for (size_t j = 0; j < n; j++) assert_int_equal(model_add(&m, hash[j], time), changed[j]);
            for (size_t j = 0; j < n; j++)
                assert_int_equal(model_has(&m, hash[j] ^ (x & 1)), ring_has(b, hash[j] ^ (x & 1)));
            at += n;
        }
        assert_as_model(b, &m);
        double rate = 0;
        for (unsigned g = 0; g < m.n; g++) rate += (1 - rate) * model_rate(&m, g);
        assert_true(fabs(bpk_bloom_rate(b) - rate) <= 1e-12 * rate);
        bloom_free(b);
    }
}

/* ---- what is remembered ---- */

/* MEM-11. The rate is so low that a stranger found is a fault and no chance. */
static void the_last_window_is_always_visible_and_nothing_survives_one_generation_more(void **state) {
    (void)state;
    enum { W = 2000, STEPS = 1000000 };
    for (size_t i = 0; i < BPKI_COUNT(generations); i++)
        for (uint8_t seen = 0; seen < 2; seen++) {
            uint64_t gone = W + (uint64_t)W / generations[i];
            bpk_bloom *b = ring_new(W, 1e-9, generations[i], 0, seen);
            for (uint64_t step = 0; step < STEPS; step++) { /* all different */
                assert_true(ring_add(b, t_hash(1, step), 0));
                if (step >= W) {
                    assert_true(ring_has(b, t_hash(1, step - W + 1)));
                    assert_true(ring_has(b, t_hash(1, step - t_hash(2, step) % W)));
                }
                if (step >= gone) assert_false(ring_has(b, t_hash(1, step - gone)));
            }
            assert_int_equal(bpk_bloom_window(b), W);
            bloom_free(b);
        }
}

/* An exact record of what came when. With last, what was among the last W adds is there, however often it came; with
 * first, what was new is there for the next W that are new. */
static void items_that_come_again_are_remembered_from_their_last_or_from_their_first_time(void **state) {
    (void)state;
    enum { W = 1000, UNIVERSE = 3000, STEPS = 1000000 };
    static uint64_t last[UNIVERSE], first[UNIVERSE];
    for (size_t i = 0; i < BPKI_COUNT(generations); i++)
        for (uint8_t seen = 0; seen < 2; seen++) {
            bpk_bloom *b = ring_new(W, 1e-9, generations[i], 0, seen);
            uint64_t news = 0, refreshed = 0;
            memset(last, 0, sizeof last), memset(first, 0, sizeof first);
            for (uint64_t step = 1; step <= STEPS; step++) {
                uint64_t x = t_hash(3, step), item = x % (x >> 60 ? UNIVERSE : 20);
                bool there = ring_has(b, t_hash(4, item));
                if (seen == BPK_SEEN_LAST && last[item] && step - last[item] <= W) assert_true(there);
                if (seen == BPK_SEEN_FIRST && first[item] && news - first[item] < W) assert_true(there);
                if (seen == BPK_SEEN_FIRST && first[item] && news - first[item] >= W + (uint64_t)W / generations[i])
                    assert_false(there);
                uint64_t age = seen == BPK_SEEN_LAST ? step - last[item] : news - first[item] + 1;
                bool is_new = ring_add(b, t_hash(4, item), 0);
                assert_true(is_new != there || (there && age > W)); /* it may close the last generation that has it */
                assert_true(ring_has(b, t_hash(4, item)));
                if (is_new) first[item] = ++news;
                refreshed += there && step - last[item] > W / 2;
                last[item] = step;
            }
            assert_true(refreshed > 100 && news > 10 * W);
            bloom_free(b);
        }
}

/* ---- time ---- */

static void by_time_the_last_span_is_visible_and_nothing_survives_one_generation_more(void **state) {
    (void)state;
    enum { T = 1000, STEPS = 300000 };
    static uint64_t when[STEPS];
    for (size_t i = 0; i < BPKI_COUNT(generations); i++) {
        uint64_t slot = (T + generations[i] - 1u) / generations[i], now = 12345678, oldest = 0, tail = 0;
        bpk_bloom *b = ring_new(20000, 1e-9, generations[i], T, BPK_SEEN_LAST);
        for (uint64_t step = 0; step < STEPS; step++) {
            now += t_hash(5, step) % 4 == 0;
            when[step] = now;
            assert_true(ring_add(b, t_hash(6, step), now));
            while (now - when[oldest] >= T) oldest++;
            while (now - when[tail] >= slot * (generations[i] + 1u)) tail++;
            if (oldest) assert_true(ring_has(b, t_hash(6, oldest)));
            if (tail) assert_false(ring_has(b, t_hash(6, tail - 1)));
        }
        assert_true(oldest > 0 && tail > 0);
        assert_int_equal(bpk_bloom_span(b), T);
        bloom_free(b);
    }
}

static void time_that_stands_goes_back_or_jumps_does_what_is_said(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(100, 1e-6, 4, 400, BPK_SEEN_LAST), *before;
    for (uint64_t i = 0; i < 20; i++) ring_add(b, t_hash(1, i), 1000); /* stands */
    for (uint64_t i = 0; i < 20; i++) assert_true(ring_has(b, t_hash(1, i)));
    ring_add(b, t_hash(2, 0), 300); /* late: into the current generation */
    assert_int_equal(bpki_ring_now(b), 1000);
    assert_int_equal(bpk_bloom_advance(b, 1399), BPK_OK);
    assert_true(ring_has(b, t_hash(2, 0)) && ring_has(b, t_hash(1, 19)));
    before = ring_copy(b);
    assert_int_equal(bpk_bloom_advance(b, 1399), BPK_OK);
    assert_int_equal(bpk_bloom_advance(b, 0), BPK_OK);
    t_assert_same_bytes(bpk_bloom_base(b), bpk_bloom_base(before));
    assert_int_equal(bpk_bloom_advance(b, 1499), BPK_OK);
    assert_true(ring_has(b, t_hash(2, 0)));
    assert_int_equal(bpk_bloom_advance(b, 1500), BPK_OK); /* one generation more than the span */
    assert_false(ring_has(b, t_hash(2, 0)) || ring_has(b, t_hash(1, 19)));
    ring_add(b, t_hash(3, 0), 1600);
    ring_add(b, t_hash(3, 1), 1000000); /* over everything */
    assert_true(ring_has(b, t_hash(3, 1)) && !ring_has(b, t_hash(3, 0)));
    ring_add(b, t_hash(3, 2), UINT64_MAX);
    assert_true(ring_has(b, t_hash(3, 2)) && !ring_has(b, t_hash(3, 1)));
    assert_int_equal(bpk_bloom_span(b), 400);
    assert_true(bpk_bloom_items(b, 0).estimate < 1.1);
    t_bytes bytes = t_encode(bpk_bloom_base(b), BPK_FORM_SMALL);
    bpk_sketch *back = NULL;
    assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
    t_assert_same_bytes(back, bpk_bloom_base(b));
    bpk_bloom *plain = bloom_new(10, 0.01, 0, 0), *counted = ring_new(10, 0.01, 2, 0, 0);
    assert_int_equal(bpk_bloom_advance(plain, 5), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_bloom_advance(counted, 5), BPK_E_UNSUPPORTED);
    free(bytes.p), bpk_free(back), bloom_free(b), bloom_free(before), bloom_free(plain), bloom_free(counted);
}

/* G does not divide the window: 17 items in 16 generations of 2, a span of 5 in 4 of 2. */
static void what_is_gone_follows_from_whole_generations(void **state) {
    (void)state;
    bpk_bloom *items = ring_new(17, 1e-9, 16, 0, 0), *time = ring_new(1000, 1e-9, 4, 5, 0);
    ring_add(items, t_hash(1, 0), 0), ring_add(time, t_hash(1, 0), 1000);
    for (uint64_t i = 1; i <= 34; i++) {
        assert_true(ring_has(items, t_hash(1, 0)));
        ring_add(items, t_hash(1, i), 0);
    }
    assert_false(ring_has(items, t_hash(1, 0)));
    for (uint64_t t = 1; t <= 12; t++) {
        assert_int_equal(bpk_bloom_advance(time, 1000 + t), BPK_OK);
        assert_int_equal(ring_has(time, t_hash(1, 0)), t < 10);
    }
    bloom_free(items), bloom_free(time);
}

static void one_time_far_ahead_empties_and_stops_the_clock_until_reset(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(1000, 1e-9, 4, 400, 0);
    ring_add(b, t_hash(1, 0), 1000), ring_add(b, t_hash(1, 1), 1700000000000);
    assert_false(ring_has(b, t_hash(1, 0)));
    ring_add(b, t_hash(1, 2), 1010);
    for (uint64_t now = 1010; now < 100000; now += 10) assert_int_equal(bpk_bloom_advance(b, now), BPK_OK);
    assert_true(ring_has(b, t_hash(1, 2))); /* nothing ages */
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
    assert_true(bloom_number(b, "now") == 1700000000000);
    bpk_reset(bpk_bloom_base(b));
    ring_add(b, t_hash(1, 3), 100000);
    assert_true(ring_has(b, t_hash(1, 3)) && !ring_has(b, t_hash(1, 2)));
    assert_int_equal(bpk_bloom_advance(b, 100500), BPK_OK);
    assert_false(ring_has(b, t_hash(1, 3)));
    bloom_free(b);
}

/* The slots of a clock are counted from 0, whatever a filter has seen of it. */
static void filters_of_one_clock_rotate_alike_whenever_they_began(void **state) {
    (void)state;
    enum { T = 400, SLOT = 100 };
    for (uint64_t begun = 0; begun < 12; begun++)
        for (uint64_t later = 0; later < 30; later++) {
            bpk_bloom *a = ring_new(4000, 0.01, 4, T, 0), *b = ring_new(4000, 0.01, 4, T, 0);
            for (uint64_t slot = begun; slot <= begun + later; slot++) ring_add(a, t_hash(1, slot), slot * SLOT + 7);
            ring_add(b, t_hash(2, 0), (begun + later) * SLOT + 9);
            assert_int_equal(a->turn.current, (begun + later) % 5);
            assert_int_equal(bpk_merge(bpk_bloom_base(a), bpk_bloom_base(b), NULL), BPK_OK);
            assert_true(ring_has(a, t_hash(1, begun + later)) && ring_has(a, t_hash(2, 0)));
            bloom_free(a), bloom_free(b);
        }
}

/* Also where a generation was closed early, and from the beginning of time. */
static void a_quiet_time_leaves_the_same_bytes_in_however_many_steps_it_is_crossed(void **state) {
    (void)state;
    for (size_t i = 0; i < BPKI_COUNT(generations); i++)
        for (uint64_t items = 0; items < 70; items += 3)
            for (uint64_t steps = 1; steps < 14; steps++) {
                bpk_bloom *one = ring_new(80, 0.01, generations[i], 800, 0), *many;
                uint64_t slot = 800 / generations[i], from = items % 4 * 5 * slot;
                for (uint64_t j = 0; j < items; j++) ring_add(one, t_hash(1, j), from + j % 2);
                many = ring_copy(one);
                for (uint64_t j = 1; j <= steps; j++)
                    assert_int_equal(bpk_bloom_advance(many, from + j * slot), BPK_OK);
                assert_int_equal(bpk_bloom_advance(one, from + steps * slot), BPK_OK);
                t_assert_same_bytes(bpk_bloom_base(one), bpk_bloom_base(many));
                if (steps > generations[i])
                    assert_true(bpki_ring_is_empty(one) &&
                                one->turn.current == (from / slot + steps) % bpki_ring_lines(one));
                bloom_free(one), bloom_free(many);
            }
}

/* A slot's items fill its generation exactly; with T = 4 a slot is one value of the time, with the others its first. */
static void a_coarse_clock_that_fills_each_slot_keeps_the_whole_span(void **state) {
    (void)state;
    enum { EACH_SLOT = 100, SLOTS = 40 };
    for (uint64_t span = 4; span <= 4000; span *= 1000)
        for (uint64_t full = EACH_SLOT - 1; full <= EACH_SLOT; full++) {
            bpk_bloom *b = ring_new(400, 1e-9, 4, span, 0);
            for (uint64_t slot = 0; slot < SLOTS; slot++) {
                for (uint64_t i = 0; i < full; i++) {
                    ring_add(b, t_hash(slot, i), slot * span / 4);
                    for (uint64_t back = 1; back < 4 && back <= slot; back++)
                        assert_true(ring_has(b, t_hash(slot - back, i)));
                }
                if (slot >= 5) assert_false(ring_has(b, t_hash(slot - 5, 0)));
            }
            for (uint64_t quiet = 0; quiet < 5; quiet++) {
                assert_true(ring_has(b, t_hash(SLOTS - 1, 0)));
                assert_int_equal(bpk_bloom_advance(b, (SLOTS + quiet) * span / 4), BPK_OK);
            }
            assert_true(bpki_ring_is_empty(b));
            bloom_free(b);
        }
}

/* At any moment of a slot, at its end as well, and without a warning. One item more, and the span is shorter. */
static void slots_whose_items_fill_a_generation_exactly_keep_the_whole_span(void **state) {
    (void)state;
    enum { EACH_SLOT = 100, SLOTS = 40, T = 4000, SLOT = T / 4 };
    for (uint64_t last_at = 0; last_at < SLOT; last_at += SLOT - 1) { /* when the last of a slot's items comes */
        bpk_bloom *b = ring_new(400, 1e-9, 4, T, 0);
        for (uint64_t slot = 0; slot < SLOTS; slot++) {
            for (uint64_t i = 0; i < EACH_SLOT; i++) {
                ring_add(b, t_hash(slot, i), slot * SLOT + last_at * i / (EACH_SLOT - 1));
                for (uint64_t back = 1; back < 4 && back <= slot; back++)
                    assert_true(ring_has(b, t_hash(slot - back, i)));
                if (slot >= 4 && last_at > 0 && i < EACH_SLOT - 1) assert_true(ring_has(b, t_hash(slot - 4, i + 1)));
            }
            assert_int_equal(bpk_bloom_span(b), T);
            assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
        }
        ring_add(b, t_hash(SLOTS, 0), (SLOTS - 1) * SLOT + last_at);
        assert_int_equal(bpk_bloom_span(b), 3 * SLOT + last_at < T ? 3 * SLOT + last_at : T);
        assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_WARN);
        bloom_free(b);
    }
}

/* What the time has taken away is no longer among the last items. */
static void after_a_quiet_time_the_window_of_a_span_is_empty(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(400, 1e-9, 4, 400, 0);
    for (uint64_t i = 0; i < 300; i++) ring_add(b, t_hash(1, i), 1000 + i);
    assert_int_equal(bpk_bloom_window(b), 400); /* nothing has been forgotten yet */
    assert_int_equal(bpk_bloom_advance(b, 1500), BPK_OK);
    assert_int_equal(bpk_bloom_window(b), 200);
    assert_int_equal(bpk_bloom_advance(b, 1900), BPK_OK);
    assert_int_equal(bpk_bloom_window(b), 0);
    assert_int_equal(bpk_bloom_span(b), 400);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
    bloom_free(b);
}

/* ---- closed before its time ---- */

static void more_items_than_the_window_in_a_span_shorten_it_and_health_says_so(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(1000, 0.01, 4, 400, BPK_SEEN_LAST);
    for (uint64_t i = 0; i < 800; i++) ring_add(b, t_hash(1, i), 10000 + i / 2); /* 200 a generation: it fits */
    assert_int_equal(bpk_bloom_span(b), 400);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
    for (uint64_t i = 0; i < 4000; i++) ring_add(b, t_hash(2, i), 10400 + i / 5); /* 500 in a generation's time */
    uint64_t span = bpk_bloom_span(b);
    assert_true(span >= 190 && span < 260);
    assert_true(bloom_number(b, "span_effective") == (double)span && bloom_number(b, "span") == 400);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OVER);
    for (uint64_t i = 0; i < 4000; i++) { /* it is true */
        bool young = 10400 + 3999 / 5 - (10400 + i / 5) <= span - 1;
        if (young) assert_true(ring_has(b, t_hash(2, i)));
    }
    for (uint64_t i = 0; i < 1500; i++) ring_add(b, t_hash(3, i), 12000 + i / 2);
    assert_int_equal(bpk_bloom_span(b), 400);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL), BPK_HEALTH_OK);
    bloom_free(b);
}

static void items_that_crowd_close_generations_by_their_rate_and_the_window_says_so(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(20000, 0.01, 4, 0, BPK_SEEN_LAST);
    for (uint64_t i = 0; i < 50000; i++) ring_add(b, t_hash(1, i), 0);
    assert_int_equal(bpk_bloom_window(b), 20000);
    for (uint64_t i = 0; i < 50000; i++) ring_add(b, t_hash(2, i) >> 2, 0); /* into a quarter of the blocks */
    uint64_t window = bpk_bloom_window(b);
    assert_true(window < 15000 && window > 2000);
    assert_true(bpk_bloom_rate(b) < 0.02);
    assert_true(bloom_number(b, "window_effective") == (double)window);
    assert_int_equal(bpk_health(bpk_bloom_base(b), NULL, NULL),
                     window <= 20000 * 2 / 3 ? BPK_HEALTH_OVER : BPK_HEALTH_WARN);
    for (uint64_t i = 50000 - window; i < 50000; i++) assert_true(ring_has(b, t_hash(2, i) >> 2));
    bloom_free(b);
}

/* ---- the rest of what a sketch does ---- */

static void bytes_copies_twins_and_views_are_as_of_every_kind(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        uint64_t span = round % 2 ? 700 : 0;
        bpk_bloom *b = ring_new(300, round % 3 ? 0.01 : 1e-4, generations[round % 3], span, round % 4 == 3);
        bpk_sketch *twin = NULL, *back = NULL, *fresh = NULL;
        bpk_view v;
        for (uint64_t i = 0; i < 150 * round; i++) ring_add(b, t_hash(round, i), i);
        assert_int_equal(bpk_twin(&fresh, bpk_bloom_base(b), NULL), BPK_OK);
        for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
            t_bytes bytes = t_encode(bpk_bloom_base(b), (bpk_form)form);
            assert_int_equal(bpk_decode(&back, bytes.p, bytes.n, NULL, NULL, NULL), BPK_OK);
            t_assert_same_bytes(back, bpk_bloom_base(b));
            bpk_bloom *on = ring_copy(b);
            for (uint64_t i = 0; i < 400; i++) {
                bool news = ring_add((bpk_bloom *)back, t_hash(round, 100 * round + i), 150 * round + i);
                assert_int_equal(ring_add(on, t_hash(round, 100 * round + i), 150 * round + i), news);
            }
            t_assert_same_bytes(back, bpk_bloom_base(on));
            bpk_free(back), bloom_free(on);
            if (form == BPK_FORM_VIEW) {
                uint8_t *odd = malloc(bytes.n + 3);
                memcpy(odd + 3, bytes.p, bytes.n);
                const bpk_sketch *s = bpk_view_open(&v, odd + 3, bytes.n, NULL);
                const bpk_bloom *seen = bpk_as_bloom(s);
                assert_non_null(seen);
                t_assert_same_bytes(s, bpk_bloom_base(b));
                for (uint64_t i = 0; i < 3000; i++)
                    assert_int_equal(ring_has(seen, t_hash(round, i)), ring_has(b, t_hash(round, i)));
                bpk_estimate x = bpk_bloom_items(b, 0.9), y = bpk_bloom_items(seen, 0.9);
                assert_true(x.estimate == y.estimate && x.lower == y.lower && x.upper == y.upper);
                assert_true(bpk_bloom_rate(b) == bpk_bloom_rate(seen));
                assert_int_equal(bpk_bloom_window(b), bpk_bloom_window(seen));
                assert_int_equal(bpk_bloom_span(b), bpk_bloom_span(seen));
                free(odd);
            }
            free(bytes.p);
        }
        assert_int_equal(bpk_twin(&twin, bpk_bloom_base(b), NULL), BPK_OK);
        bpk_reset(bpk_bloom_base(b));
        t_assert_same_bytes(twin, bpk_bloom_base(b));
        t_assert_same_bytes(fresh, twin);
        assert_false(bpk_splittable(twin));
        bpk_free(twin), bpk_free(fresh), bloom_free(b);
    }
}

static void folding_is_refused_and_so_is_counting_one_item(void **state) {
    (void)state;
    bpk_bloom *b = ring_new(1000, 0.01, 4, 0, 0);
    uint64_t hash = 1;
    bpk_estimate e;
    bpk_err err;
    assert_int_equal(bpk_bloom_fold(b, 1), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_bloom_fold(b, 2), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_count(bpk_bloom_base(b), &hash, 1, 0, &e, &err), BPK_E_UNSUPPORTED);
    assert_int_equal(bpk_remove(bpk_bloom_base(b), &hash, 1, NULL, &err), BPK_E_UNSUPPORTED);
    bpk_bloom *plain = bloom_new(10, 0.01, 0, 0);
    assert_true(bpk_bloom_window(plain) == 0 && bpk_bloom_span(plain) == 0 && bpk_bloom_span(b) == 0);
    bloom_free(plain), bloom_free(b);
}

/* ---- sizes ---- */

static void a_window_item_takes_17_4_bits_at_1_percent_with_four_generations(void **state) {
    (void)state;
    static const struct {
        uint8_t generations;
        double rate, bits;
    } rows[] = {{1, 0.01, 23.28},  {2, 0.01, 18.92}, {4, 0.01, 17.41}, {8, 0.01, 17.53},
                {16, 0.01, 18.68}, {1, 1e-3, 35.78}, {4, 1e-3, 23.58}, {8, 1e-3, 22.61}};
    for (size_t i = 0; i < BPKI_COUNT(rows); i++) {
        const bpk_bloom_config cfg = {.items = 1000000, .rate = rows[i].rate, .generations = rows[i].generations};
        bpk_bloom_shape shape;
        double bits = (double)bpk_bloom_bits(&cfg) / 1e6, full = 1e6 * (1 + 1.0 / rows[i].generations);
        print_message("G = %u at %g: %.2f bits an item of the window\n", rows[i].generations, rows[i].rate, bits);
        assert_true(fabs(bits - rows[i].bits) < 0.02);
        assert_int_equal(bpk_bloom_size(&shape, &cfg), BPK_OK);
        assert_true(shape.bits <= bpk_bloom_bits(&cfg));
        assert_true(bpk_bloom_rate_at(&cfg, full) <= rows[i].rate);
        assert_true(bpk_bloom_rate_at(&cfg, full) > 0.8 * rows[i].rate && bpk_bloom_rate_at(&cfg, 1e6) > 0);
        assert_true(bpk_bloom_rate_at(&cfg, 10 * full) == bpk_bloom_rate_at(&cfg, full));
    }
}

static void memory_is_told_and_every_allocation_may_fail(void **state) {
    (void)state;
    const bpk_bloom_config cfg = {.items = 500, .rate = 0.01, .generations = 4, .span = 100};
    bpk_bloom *b = ring_new(500, 0.01, 4, 100, 0);
    for (uint64_t i = 0; i < 900; i++) ring_add(b, t_hash(1, i), i / 9);
    t_bytes bytes = t_encode(bpk_bloom_base(b), BPK_FORM_SMALL);
    t_decode_without_memory(&bytes);
    for (long nth = 1;; nth++) {
        t_env t;
        bpk_bloom *made = NULL;
        t_env_init(&t, nth);
        bpk_status st = bpk_bloom_new(&made, &cfg, &t.env);
        if (st == BPK_OK) assert_int_equal(bpk_memory(bpk_bloom_base(made)), t.held);
        bloom_free(made);
        assert_int_equal(t.held, 0);
        if (st == BPK_OK) break;
        assert_int_equal(st, BPK_E_NOMEM);
    }
    t_env t;
    bpk_bloom *made = NULL;
    t_env_init(&t, 0);
    t.env.max_bytes = 4096;
    for (uint64_t items = 100000; items <= UINT64_C(1) << 48; items <<= 5) {
        const bpk_bloom_config large = {.items = items, .rate = 0.01, .generations = 16};
        assert_int_equal(bpk_bloom_new(&made, &large, &t.env), BPK_E_LIMIT);
    }
    assert_int_equal(t.held, 0);
    free(bytes.p), bloom_free(b);
}

/* ---- damage ---- */

/* Parameters begin at byte 32: layout, k, on_full, generations, current, seen, lost, 0, blocks, items, rate, span; the
 * state is the last 8 + 16 (G + 1) bytes of the body. */
static void assert_damage(const t_bytes *good, size_t at, const void *bytes, size_t n, const char *field) {
    t_bytes bad = t_dup(good);
    bpk_sketch *s = NULL;
    bpk_err err;
    memcpy(bad.p + at, bytes, n);
    t_reseal(bad.p, bad.n);
    assert_int_equal(bpk_decode(&s, bad.p, bad.n, NULL, NULL, &err), BPK_E_CORRUPT);
    assert_string_equal(err.field, field);
    assert_null(s);
    free(bad.p);
}

static void assert_damage_u64(const t_bytes *good, size_t at, uint64_t v, const char *field) {
    uint8_t word[8];
    t_store64(word, v);
    assert_damage(good, at, word, 8, field);
}

static void states_that_cannot_be_are_refused_by_name(void **state) {
    (void)state;
    const uint8_t one = 1, two = 2, five = 5, none = 0;
    for (uint64_t span = 0; span <= 400; span += 400) {
        bpk_bloom *b = ring_new(400, 0.01, 4, span, 0);
        for (uint64_t i = 0; i < 730; i++) ring_add(b, t_hash(1, i), 1000 + i / 2);
        t_bytes g = t_encode(bpk_bloom_base(b), BPK_FORM_SMALL);
        size_t body_end = g.n - 8, at = body_end - 8 - 16 * 5, adds = at + 8 + 16 * b->turn.current;
        assert_damage(&g, 36, &five, 1, "current");
        assert_damage(&g, 37, &two, 1, "seen");
        assert_damage(&g, 38, &two, 1, "lost");
        assert_damage(&g, 39, &two, 1, "united");
        assert_damage(&g, 35, &five, 1, "body");
        assert_damage(&g, 34, &one, 1, "on_full");
        assert_damage(&g, 32, &one, 1, "layout");
        assert_damage(&g, 33, &two, 1, "lines");
        assert_damage_u64(&g, 40, UINT64_C(1) << 52, "blocks");
        assert_damage_u64(&g, 48, 3, "items");
        assert_damage_u64(&g, 64, 3, "span");
        assert_damage_u64(&g, adds, 101, "adds");
        assert_damage_u64(&g, adds, 0, "adds");
        assert_damage_u64(&g, adds, 1, "adds");
        assert_damage_u64(&g, adds + 8, span ? 1299 : 1, "since");
        if (span) {
            assert_damage_u64(&g, adds + 8, 1365, "since");
            assert_damage_u64(&g, at, 1400, "since");
            assert_damage_u64(&g, at, 1200, "since");
        } else {
            assert_damage_u64(&g, at, 1, "now");
            assert_damage(&g, 38, &none, 1, "lost");
        }
        free(g.p), bloom_free(b);
    }
}

static void a_ring_with_nothing_in_it_that_is_not_as_the_clock_has_it_is_refused(void **state) {
    (void)state;
    const uint8_t one = 1, four = 4;
    for (uint64_t now = 250; now <= 1250; now += 1000) { /* slot 2 and 12: generation 2 */
        bpk_bloom *b = ring_new(400, 0.01, 4, 400, 0);
        assert_int_equal(bpk_bloom_advance(b, now), BPK_OK);
        t_bytes g = t_encode(bpk_bloom_base(b), BPK_FORM_SMALL);
        size_t at = g.n - 8 - 8 - 16 * 5, since = at + 16;
        assert_damage(&g, 36, &four, 1, "since");
        assert_damage(&g, 39, &one, 1, "united");
        assert_damage_u64(&g, at, now + 100, "since");
        assert_damage_u64(&g, since + 32, now, "since");
        assert_damage_u64(&g, since + 16, now - 149, "since");
        assert_damage_u64(&g, since + 48, 1, "since");                                     /* the oldest */
        for (unsigned i = 0; i < 5; i++) t_store64(g.p + since + 16 * i, now / 100 * 100); /* all begun at once */
        assert_damage(&g, 36, &four, 1, "current");
        free(g.p), bloom_free(b);
    }
}

static void damaged_bytes_are_refused_or_are_a_filter(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 4; round++) {
        bpk_bloom *b = ring_new(8, 0.01, 1 + (uint8_t)round % 3, round % 2 ? 40 : 0, 0);
        for (uint64_t i = 0; i < 5 + 4 * round; i++) ring_add(b, t_hash(1, i), 2 * i);
        t_bytes g = t_encode(bpk_bloom_base(b), BPK_FORM_VIEW);
        t_assert_damage_refused(g);
        for (size_t bit = 8 * 32; bit < 8 * (g.n - 8); bit++) {
            g.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            t_reseal(g.p, g.n);
            t_refused_or_canonical(g.p, g.n);
            g.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(g.p), bloom_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_that_of_the_model_whatever_the_batches),
        cmocka_unit_test(the_last_window_is_always_visible_and_nothing_survives_one_generation_more),
        cmocka_unit_test(items_that_come_again_are_remembered_from_their_last_or_from_their_first_time),
        cmocka_unit_test(by_time_the_last_span_is_visible_and_nothing_survives_one_generation_more),
        cmocka_unit_test(time_that_stands_goes_back_or_jumps_does_what_is_said),
        cmocka_unit_test(what_is_gone_follows_from_whole_generations),
        cmocka_unit_test(one_time_far_ahead_empties_and_stops_the_clock_until_reset),
        cmocka_unit_test(filters_of_one_clock_rotate_alike_whenever_they_began),
        cmocka_unit_test(a_quiet_time_leaves_the_same_bytes_in_however_many_steps_it_is_crossed),
        cmocka_unit_test(a_coarse_clock_that_fills_each_slot_keeps_the_whole_span),
        cmocka_unit_test(slots_whose_items_fill_a_generation_exactly_keep_the_whole_span),
        cmocka_unit_test(after_a_quiet_time_the_window_of_a_span_is_empty),
        cmocka_unit_test(more_items_than_the_window_in_a_span_shorten_it_and_health_says_so),
        cmocka_unit_test(items_that_crowd_close_generations_by_their_rate_and_the_window_says_so),
        cmocka_unit_test(bytes_copies_twins_and_views_are_as_of_every_kind),
        cmocka_unit_test(folding_is_refused_and_so_is_counting_one_item),
        cmocka_unit_test(a_window_item_takes_17_4_bits_at_1_percent_with_four_generations),
        cmocka_unit_test(memory_is_told_and_every_allocation_may_fail),
        cmocka_unit_test(states_that_cannot_be_are_refused_by_name),
        cmocka_unit_test(a_ring_with_nothing_in_it_that_is_not_as_the_clock_has_it_is_refused),
        cmocka_unit_test(damaged_bytes_are_refused_or_are_a_filter),
    };
    return cmocka_run_group_tests_name("bloom_ring", tests, NULL, NULL);
}
