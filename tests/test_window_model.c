/* test_window_model.c - windows against a plain list of (time, item), over a million random steps: time that creeps,
 * jumps and stands, late items, merges, copies, reloads.
 *
 * A theta sketch that is below its k and the total of a cms are exact, so that what is held must be what the list says,
 * item for item; no filter may deny what is held.
 */
#include "t_window.h"

enum { STEPS = 210000, LISTED = 4096, ITEMS = 300, EACH = 4 };

typedef struct entry {
    uint64_t time, item;
} entry;

typedef struct model {
    uint64_t span, length, now, late;
    bool timed;
    entry list[LISTED];
    size_t n;
} model;

/* Held is what lies in a pane whose last tick is not older than the span. */
static bool held(const model *m, uint64_t time) {
    return time / m->length * m->length + (m->length - 1) >= (m->now > m->span ? m->now - m->span : 0);
}

static void prune(model *m) {
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (held(m, m->list[i].time)) m->list[kept++] = m->list[i];
    m->n = kept;
}

static void model_tick(model *m, uint64_t now) {
    if (m->timed && now <= m->now) return;
    m->timed = true;
    m->now = now;
    prune(m);
}

static bool model_add(model *m, uint64_t now, uint64_t item) {
    model_tick(m, now);
    if (!held(m, now)) {
        m->late++;
        return false;
    }
    assert_true(m->n < LISTED);
    m->list[m->n++] = (entry){now, item};
    return true;
}

static void model_merge(model *m, const model *other) {
    if (other->timed) model_tick(m, other->now);
    m->late += other->late;
    for (size_t i = 0; i < other->n; i++)
        if (held(m, other->list[i].time)) {
            assert_true(m->n < LISTED);
            m->list[m->n++] = other->list[i];
        }
}

/* ---- the windows of one model ---- */

enum { THETA, CMS, BLOOM, KINDS };
static const char *const kinds[KINDS] = {"of=theta k=512", "of=cms width=100 depth=1 update=plain",
                                         "of=bloom items=1000 rate=1e-3"};
typedef struct subject {
    bpk_sketch *w[KINDS];
    model m;
} subject;

static void begin(subject *s, uint64_t span, unsigned panes) {
    s->m.span = span;
    s->m.length = (span + panes - 1) / panes;
    s->m.now = s->m.late = 0;
    s->m.timed = false;
    s->m.n = 0;
    for (size_t i = 0; i < KINDS; i++) {
        char text[120];
        snprintf(text, sizeof text, "%s span=%llu panes=%u", kinds[i], (unsigned long long)span, panes);
        s->w[i] = w_make(text);
    }
}
static void end(subject *s) {
    for (size_t i = 0; i < KINDS; i++) bpk_free(s->w[i]);
}

static void add(subject *s, uint64_t now, uint64_t chance) {
    uint64_t hash[EACH];
    uint8_t changed[EACH];
    size_t n = chance % (EACH + 1), done = 99;
    bool in = false;
    if (n == 0) model_tick(&s->m, now);
    for (size_t i = 0; i < n; i++) {
        uint64_t item = t_mix(chance + i) % ITEMS;
        hash[i] = t_hash(1, item);
        in = model_add(&s->m, now, item);
    }
    for (size_t i = 0; i < KINDS; i++) {
        const bpk_items it = {.n = n, .hash = hash, .now = now};
        assert_int_equal(bpk_add(s->w[i], &it, changed, &done), BPK_OK);
        assert_int_equal(done, n);
        for (size_t k = 0; k < n && (i == CMS || !in); k++) assert_int_equal(changed[k], in);
    }
}

static void merge(subject *s, const subject *other) {
    for (size_t i = 0; i < KINDS; i++) assert_int_equal(bpk_merge(s->w[i], other->w[i], NULL), BPK_OK);
    model_merge(&s->m, &other->m);
}

static void reload(subject *s, uint64_t chance) {
    for (size_t i = 0; i < KINDS; i++) {
        bpk_sketch *again = chance % 3 == 2 ? w_copy(s->w[i]) : w_reload(s->w[i], (bpk_form)(chance % 3));
        bpk_free(s->w[i]);
        s->w[i] = again;
    }
}

/* ---- comparing ---- */

/* Different ones among the list's items of a time from..to; *all of them. */
static size_t different(const model *m, uint64_t from, uint64_t to, size_t *all) {
    bool seen[ITEMS] = {false};
    size_t n = 0;
    *all = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (m->list[i].time < from || m->list[i].time > to) continue;
        n += !seen[m->list[i].item];
        seen[m->list[i].item] = true;
        ++*all;
    }
    return n;
}

static void require_all(const bpk_sketch *filter, const model *m) {
    static uint64_t hash[LISTED];
    static uint8_t has[LISTED];
    for (size_t i = 0; i < m->n; i++) hash[i] = t_hash(1, m->list[i].item);
    assert_int_equal(bpk_has(filter, hash, m->n, has, NULL), BPK_OK);
    for (size_t i = 0; i < m->n; i++) assert_int_equal(has[i], 1);
}

static void compare(const subject *s, uint64_t chance) {
    uint64_t from = 1, to = 1, covered_from, covered_to;
    size_t all, n = different(&s->m, 0, UINT64_MAX, &all);
    assert_true(w_number(s->w[THETA]) == (double)n && w_number(s->w[CMS]) == (double)all);
    for (size_t i = 0; i < KINDS; i++) {
        assert_int_equal(w_late(s->w[i]), s->m.late);
        assert_int_equal(bpk_window_covers(w_of(s->w[i]), &from, &to), s->m.timed);
    }
    require_all(s->w[BLOOM], &s->m);
    if (!s->m.timed) return;
    assert_int_equal(to, s->m.now);
    assert_true(held(&s->m, from) && (from == 0 || !held(&s->m, from - 1)));
    uint64_t a = from + chance % (to - from + 1), b = a + (chance >> 32) % (to - a + 1);
    bpk_sketch *part = NULL;
    assert_int_equal(bpk_window_merged(w_of(s->w[THETA]), a, b, &part, &covered_from, &covered_to, NULL), BPK_OK);
    assert_true(covered_from <= a && covered_to >= b && a - covered_from < s->m.length);
    assert_true(w_number(part) == (double)different(&s->m, covered_from, covered_to, &all));
    bpk_free(part);
}

static void step(subject *s, subject *other, uint64_t seed, uint64_t i) {
    const uint64_t chance = t_hash(seed, i), what = chance >> 40 & 1023, some = chance >> 50;
    subject *to = chance >> 20 & 1 ? s : other;
    uint64_t now = to->m.now;
    if (what < 500) now += some % 2;
    else if (what < 900) now -= now < some % (to->m.span + 9) ? now : some % (to->m.span + 9); /* late, or too late */
    else if (what < 990) now += some % (to->m.span / 4 + 2);
    else if (what < 1000) now += some % (3 * to->m.span);
    if (what < 1000) add(to, now, chance);
    else if (what < 1012) reload(to, some);
    else merge(s, other);
    if (what >= 1012) end(other), begin(other, s->m.span, bpk_window_panes(w_of(s->w[0])));
    if (i % 32 == 0 || what >= 1000) compare(to, chance);
}

static void a_window_holds_what_a_list_of_times_and_items_says(void **state) {
    (void)state;
    static const struct {
        uint64_t span;
        unsigned panes;
    } rows[] = {{50, 5}, {10, 3}, {1, 1}, {7, 7}, {100, 16}};
    static subject s, other;
    for (uint64_t r = 0; r < 5; r++) {
        begin(&s, rows[r].span, rows[r].panes);
        begin(&other, rows[r].span, rows[r].panes);
        for (uint64_t i = 0; i < STEPS; i++) step(&s, &other, 100 + r, i);
        assert_true(s.m.late > 1000 && s.m.now > STEPS / 16);
        end(&s), end(&other);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_holds_what_a_list_of_times_and_items_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
