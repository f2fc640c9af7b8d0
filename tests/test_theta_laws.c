/* test_theta_laws.c - the laws of the theta sketch: every state is that of an exact model, whatever came before; joins
 * are those of the obvious loop; what fails changes nothing.
 */
#include "t_theta_bytes.h"

#include "t_streams.h"

#include "theta_state.h"

static const bpk_sketch *base_of(const bpk_theta *t) {
    return (const bpk_sketch *)t;
}
static bpk_theta *copy_of(const bpk_theta *t) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_copy(&s, base_of(t), NULL), BPK_OK);
    return (bpk_theta *)(void *)s;
}
static bpk_theta *op_many(bpk_theta_set op, const bpk_theta *const *in, size_t n) {
    bpk_theta *out = NULL;
    assert_int_equal(bpk_theta_op(&out, op, in, n, NULL, NULL), BPK_OK);
    return out;
}

/* ---- the model: all values below theta in order, k at most ---- */

enum { MODEL_MAX = 8192 };
typedef struct model {
    uint64_t theta;
    uint32_t k, n;
    uint64_t value[MODEL_MAX];
} model;

static void model_reset(model *m, uint32_t k) {
    m->theta = T_THETA_ONE;
    m->k = k;
    m->n = 0;
}
static uint32_t model_rank(const model *m, uint64_t value) {
    uint32_t from = 0, to = m->n;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (m->value[middle] < value) from = middle + 1;
        else to = middle;
    }
    return from;
}
static bool model_has(const model *m, uint64_t value) {
    uint32_t i = model_rank(m, value);
    return i < m->n && m->value[i] == value;
}
/* Whether the value is among the k smallest below theta, or is the next one and so becomes theta. */
static bool model_add(model *m, uint64_t value) {
    if (value >= m->theta || model_has(m, value)) return false;
    uint32_t i = model_rank(m, value);
    if (m->n == m->k && i == m->n) { /* nothing is kept, but theta falls */
        m->theta = value;
        return true;
    }
    if (m->n == m->k) m->theta = m->value[--m->n];
    memmove(&m->value[i + 1], &m->value[i], (m->n - i) * sizeof *m->value);
    m->value[i] = value;
    m->n++;
    return true;
}
static void model_below(model *m, uint64_t theta) {
    m->n = model_rank(m, theta);
    if (theta < m->theta) m->theta = theta;
}
/* Into `out`, which is none of the inputs. */
static void model_op(model *out, bpk_theta_set op, const model *const *in, size_t n) {
    *out = *in[0];
    for (size_t i = 1; i < n; i++) model_below(out, in[i]->theta);
    for (size_t i = 1; i < n; i++) {
        uint32_t kept = 0;
        if (op == BPK_THETA_UNION)
            for (uint32_t j = 0; j < in[i]->n; j++) model_add(out, in[i]->value[j]);
        else {
            for (uint32_t j = 0; j < out->n; j++)
                if (model_has(in[i], out->value[j]) == (op == BPK_THETA_INTERSECT)) out->value[kept++] = out->value[j];
            out->n = kept;
        }
    }
}

static void assert_is(const bpk_theta *t, const model *m) {
    uint32_t n;
    bpk_theta_count(t, 0, &n);
    assert_int_equal(n, m->n);
    t_assert_written(t, BPK_FORM_VIEW, m->theta, m->value, m->n);
}
static void assert_is_in_both_forms(const bpk_theta *t, const model *m) {
    assert_is(t, m);
    t_assert_written(t, BPK_FORM_SMALL, m->theta, m->value, m->n);
}

/* ---- millions of steps ---- */

enum { FLEET = 6, BATCH = 64 };
typedef struct fleet {
    bpk_theta *t[FLEET];
    model m[FLEET], spare;
    t_rng r;
    uint64_t universe;
    unsigned style;
    size_t adds, exact_changes;
} fleet;

static void take_over(fleet *f, size_t i, bpk_theta *t) {
    drop(f->t[i]);
    f->t[i] = t;
}

/* A batch cut at random, some of its items twice, some of weight 0. `changed` is 1 where the bytes change and 0 where
 * the value is there already; in between, a value above the k smallest may be kept for now. */
static void add_some(fleet *f, size_t i) {
    uint64_t hash[BATCH], weight[BATCH];
    uint8_t changed[BATCH];
    bool weighted = t_below(&f->r, 3) == 0, asked = t_below(&f->r, 2);
    size_t n = (size_t)t_below(&f->r, BATCH + 1), done = 999;
    uint64_t from = t_below(&f->r, f->universe);
    memset(changed, 7, sizeof changed);
    for (size_t j = 0; j < n; j++) {
        hash[j] = theta_hash(f->style, f->style, (from + t_below(&f->r, 2 * BATCH)) % f->universe);
        weight[j] = t_below(&f->r, 3);
    }
    bpk_items it = {.n = n, .hash = hash, .weight = weighted ? weight : NULL};
    assert_int_equal(bpk_add(bpk_theta_base(f->t[i]), &it, asked ? changed : NULL, &done), BPK_OK);
    assert_int_equal(done, n);
    for (size_t j = 0; j < n; j++) {
        uint64_t value = hash[j] >> 12;
        bool out = weighted && !weight[j], had = model_has(&f->m[i], value), all = f->m[i].n < f->m[i].k;
        bool news = !out && model_add(&f->m[i], value);
        if (asked) assert_true(changed[j] == news || (changed[j] == 1 && !out && !had && !all));
        if (asked) f->exact_changes += changed[j] == news;
    }
    f->adds += n;
}

static void unite(fleet *f, size_t i, size_t j) {
    uint64_t way = t_below(&f->r, 4);
    bpk_sketch *into = bpk_theta_base(f->t[i]);
    const model *const in[] = {&f->m[i], &f->m[j]};
    t_bytes b = t_encode(base_of(f->t[j]), way == 1 ? BPK_FORM_SMALL : BPK_FORM_VIEW);
    bpk_view v;
    if (way == 0) assert_int_equal(bpk_merge(into, base_of(f->t[j]), NULL), BPK_OK);
    else if (way == 3) assert_int_equal(bpk_merge(into, bpk_view_open(&v, b.p, b.n, NULL), NULL), BPK_OK);
    else assert_int_equal(bpk_merge_bytes(&into, b.p, b.n, NULL, NULL), BPK_OK);
    free(b.p);
    model_op(&f->spare, BPK_THETA_UNION, in, 2);
    f->m[i] = f->spare;
}

/* Into i, of one to five of the fleet, i among them or not, one of them twice or not. */
static void operate(fleet *f, size_t i) {
    const bpk_theta *in[5];
    const model *model_in[5];
    size_t n = 1 + (size_t)t_below(&f->r, 5);
    bpk_theta_set op = (bpk_theta_set)t_below(&f->r, 3);
    for (size_t j = 0; j < n; j++) {
        size_t one = (size_t)t_below(&f->r, FLEET);
        in[j] = f->t[one], model_in[j] = &f->m[one];
    }
    bpk_theta *made = op_many(op, in, n);
    model_op(&f->spare, op, model_in, n);
    take_over(f, i, made);
    f->m[i] = f->spare;
}

static void reload(fleet *f, size_t i) {
    t_bytes b = t_encode(base_of(f->t[i]), (bpk_form)t_below(&f->r, 2));
    take_over(f, i, theta_read(&b));
    free(b.p);
}
static void copy_of_view(fleet *f, size_t i) {
    bpk_view v;
    t_bytes b = t_encode(base_of(f->t[i]), BPK_FORM_VIEW);
    take_over(f, i, copy_of(bpk_as_theta(bpk_view_open(&v, b.p, b.n, NULL))));
    free(b.p);
}

static void one_event(fleet *f) {
    size_t i = (size_t)t_below(&f->r, FLEET), j = (i + 1 + (size_t)t_below(&f->r, FLEET - 1)) % FLEET;
    uint64_t event = t_below(&f->r, 100);
    if (event < 70) add_some(f, i);
    else if (event < 76) unite(f, i, j);
    else if (event < 82) operate(f, i);
    else if (event < 88) reload(f, i);
    else if (event < 90) copy_of_view(f, i);
    else if (event < 94) take_over(f, i, copy_of(f->t[j])), f->m[i] = f->m[j];
    else if (event < 96) bpk_reset(bpk_theta_base(f->t[i])), model_reset(&f->m[i], f->m[i].k);
    else add_some(f, j), add_some(f, i);
    if (event % 4 == 0) assert_is(f->t[i], &f->m[i]);
}

static void millions_of_steps_of_everything_leave_the_state_of_an_exact_model(void **state) {
    (void)state;
    static const uint32_t ks[] = {16, 17, 40, 100, 300};
    static fleet f;
    f = (fleet){.r = {7}};
    for (unsigned round = 0; round < BPKI_COUNT(ks) * THETA_STYLES; round++) {
        uint32_t k = ks[round / THETA_STYLES];
        f.style = round % THETA_STYLES;
        f.universe = 4 * k + t_below(&f.r, 60 * k);
        for (size_t i = 0; i < FLEET; i++) f.t[i] = theta_new(k), model_reset(&f.m[i], k);
        for (size_t step = 0; step < 2500; step++) one_event(&f);
        for (size_t i = 0; i < FLEET; i++) assert_is_in_both_forms(f.t[i], &f.m[i]), drop(f.t[i]);
    }
    print_message("%zu items\n", f.adds);
    assert_true(f.adds > 2500000 && f.exact_changes > f.adds / 3);
}

/* ---- values that are hard on the selection and on the sort ---- */

static void cuts_and_orders_are_right_whatever_the_values(void **state) {
    (void)state;
    static const uint32_t ks[] = {16, 63, 64, 65, 127, 128, 129, 1000, 5000};
    static model m;
    for (unsigned style = 0; style < THETA_STYLES; style++)
        for (size_t i = 0; i < BPKI_COUNT(ks); i++) {
            const uint64_t k = ks[i], stops[] = {k - 1, k, k + 1, k + k / 2, 2 * k, 3 * k, 5 * k};
            bpk_theta *t = theta_new(ks[i]);
            model_reset(&m, ks[i]);
            uint64_t at = 0;
            for (size_t s = 0; s < BPKI_COUNT(stops); s++) {
                for (; at < stops[s]; at++) {
                    uint64_t hash = theta_hash(style, 3, at);
                    assert_int_equal(bpk_add(bpk_theta_base(t), &(bpk_items){.n = 1, .hash = &hash}, NULL, NULL),
                                     BPK_OK);
                    model_add(&m, hash >> 12);
                }
                assert_is(t, &m);
            }
            assert_is_in_both_forms(t, &m);
            drop(t);
        }
}

/* More than 2^17 values, in an order against them: the radix sort, and digits of the selection that many share. */
static void many_values_are_cut_and_ordered(void **state) {
    (void)state;
    enum { K = 1 << 17, N = 3 * K };
    static uint64_t hash[N], value[N];
    for (unsigned style = 0; style < THETA_STYLES; style++) {
        bpk_theta *t = theta_new(K);
        uint32_t n = 0;
        for (size_t i = 0; i < N; i++) hash[i] = theta_hash(style, 4, N - i), value[i] = hash[i] >> 12;
        assert_int_equal(bpk_add(bpk_theta_base(t), &(bpk_items){.n = N, .hash = hash}, NULL, NULL), BPK_OK);
        uint64_t *sorted = value, *spare = hash;
        for (unsigned shift = 0; shift < 52; shift += 13) { /* another radix sort, of 13 bits a digit, plainly */
            static size_t place[8193];
            memset(place, 0, sizeof place);
            for (size_t i = 0; i < N; i++) place[(sorted[i] >> shift & 8191) + 1]++;
            for (size_t d = 0; d < 8192; d++) place[d + 1] += place[d];
            for (size_t i = 0; i < N; i++) spare[place[sorted[i] >> shift & 8191]++] = sorted[i];
            uint64_t *other = sorted;
            sorted = spare, spare = other;
        }
        for (size_t i = 0; i < N; i++)
            if (i == 0 || sorted[i] != sorted[i - 1]) sorted[n++] = sorted[i];
        uint64_t theta = n > K ? sorted[K] : T_THETA_ONE;
        t_bytes b = t_encode(base_of(t), BPK_FORM_VIEW);
        assert_int_equal(b.n, AT_VALUES + 8 * (size_t)(n > K ? K : n) + DAMAGE_CHECKSUM);
        assert_true(t_load64(b.p + AT_THETA) == theta);
        for (size_t i = 0; i < n && i < K; i++) assert_true(t_load64(b.p + AT_VALUES + 8 * i) == sorted[i]);
        free(b.p);
        drop(t);
    }
}

/* ---- what goes on after a view, a copy, an operation ---- */

/* The longest run of slots that are in use: what an add of something new has to walk past. */
static size_t longest_run(const bpk_theta *t) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < (size_t)2 << t->lg; i++) {
        run = t->slot[i & (((size_t)1 << t->lg) - 1)] ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void values_lie_spread_in_the_table_wherever_they_came_from(void **state) {
    (void)state;
    bpk_theta *t = theta_of(4096, 0, 4000), *made[6];
    bpk_view v;
    t_bytes b = t_encode(base_of(t), BPK_FORM_VIEW);
    const bpk_theta *seen = bpk_as_theta(bpk_view_open(&v, b.p, b.n, NULL));
    made[0] = theta_of(4096, 0, 4000);
    made[1] = theta_read(&b);
    made[2] = copy_of(t);
    made[3] = copy_of(seen);
    made[4] = op_of(BPK_THETA_INTERSECT, seen, t);
    made[5] = copy_of(made[4]);
    for (size_t i = 0; i < BPKI_COUNT(made); i++) {
        t_add(bpk_theta_base(made[i]), 1, 4000, 4010);
        if (longest_run(made[i]) > 500) fail_msg("%zu: a run of %zu", i, longest_run(made[i]));
        drop(made[i]);
    }
    free(b.p);
    drop(t);
}

/* ---- joins against the obvious loop ---- */

static uint32_t plain_join(uint64_t *out, size_t most, bpk_theta_set op, const uint64_t *a, uint32_t a_n,
                           const uint64_t *b, uint32_t b_n) {
    uint32_t n = 0;
    for (uint32_t i = 0, j = 0; (i < a_n || j < b_n) && n < most;) {
        bool in_a = i < a_n && (j == b_n || a[i] <= b[j]), in_b = j < b_n && (i == a_n || b[j] <= a[i]);
        uint64_t value = in_a ? a[i] : b[j];
        i += in_a, j += in_b;
        if (op == BPK_THETA_UNION || (in_a && in_b == (op == BPK_THETA_INTERSECT))) out[n++] = value;
    }
    return n;
}

/* Lists in memory of their own size, that of b at an odd address; results of their own size with a guard behind, and in
 * the place of a's. */
static void check_join(size_t most, bpk_theta_set op, const uint64_t *a, uint32_t a_n, const uint64_t *b,
                       uint32_t b_n) {
    uint64_t want[1024];
    uint8_t *a_at = malloc(8 * (size_t)a_n + 1), *b_at = malloc(8 * (size_t)b_n + 1);
    for (uint32_t i = 0; i < a_n; i++) bpki_store64(a_at + 8 * (size_t)i, a[i]);
    for (uint32_t i = 0; i < b_n; i++) bpki_store64(b_at + 1 + 8 * (size_t)i, b[i]);
    const theta_list x = {a_at, a_n, NULL, 0}, y = {b_at + 1, b_n, NULL, 0};
    size_t room = op == BPK_THETA_UNION ? most : a_n;
    uint64_t *out = malloc((room + 1) * sizeof *out);
    const uint64_t guard = UINT64_C(0xfeedfeedfeedfeed);
    out[room] = guard;
    uint32_t n = plain_join(want, op == BPK_THETA_UNION ? most : SIZE_MAX, op, a, a_n, b, b_n);
    for (int in_place = 0; in_place <= (op != BPK_THETA_UNION); in_place++) {
        uint8_t *to = in_place ? a_at : (uint8_t *)out;
        uint32_t got = bpki_theta_join((uint64_t *)(void *)to, most, op, &x, &y);
        bool same = got == n;
        for (uint32_t i = 0; same && i < n; i++) same = bpki_load64(to + 8 * (size_t)i) == want[i];
        if (!same) fail_msg("operation %d of %u and %u values, %zu at most: %u", op, a_n, b_n, most, got);
    }
    assert_true(out[room] == guard);
    free(a_at), free(b_at), free(out);
}
static void check_joins(const uint64_t *a, uint32_t a_n, const uint64_t *b, uint32_t b_n) {
    static const size_t around[] = {0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 67, 68, 100, 127, 128, 129};
    size_t all = (size_t)a_n + b_n;
    for (size_t i = 0; i < BPKI_COUNT(around); i++)
        if (around[i] < all) check_join(around[i], BPK_THETA_UNION, a, a_n, b, b_n);
    for (size_t less = 0; less < 3 && less <= all; less++) check_join(all - less, BPK_THETA_UNION, a, a_n, b, b_n);
    check_join(a_n, BPK_THETA_INTERSECT, a, a_n, b, b_n);
    check_join(a_n, BPK_THETA_DIFF, a, a_n, b, b_n);
}

static uint32_t members(uint64_t *out, unsigned set) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (set >> i & 1) out[n++] = 3 * i;
    return n;
}
static void joins_of_all_sets_of_six_values_are_those_of_the_obvious_loop(void **state) {
    (void)state;
    uint64_t a[32], b[32];
    for (unsigned x = 0; x < 64; x++)
        for (unsigned y = 0; y < 64; y++) {
            uint32_t a_n = members(a, x), b_n = members(b, y);
            check_joins(a, a_n, b, b_n);
        }
}

/* A list of n values in one of several places beside those that a first list has, which are the even ones from 1,000
 * on. */
enum { PLACES = 9 };
static void place(uint64_t *v, uint32_t n, unsigned how, uint64_t seed) {
    uint64_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = t_hash(seed, i);
        switch (how) {
        case 0: v[i] = 1000 + 2 * i; break;               /* the same, or the first of them */
        case 1: v[i] = 1001 + 2 * i; break;               /* each between two */
        case 2: v[i] = i; break;                          /* all below */
        case 3: v[i] = 5000 + i; break;                   /* all above */
        case 4: v[i] = 1000 + 2 * i + (i / 8) % 2; break; /* eight of the same, eight others, .. */
        case 5: v[i] = 1000 + 2 * (n / 3) + i; break;     /* from a third on, twice as dense */
        case 6: v[i] = i < n / 2 ? i : 5000 + i; break;   /* below and above */
        case 7: v[i] = (i ? last + 1 : 990) + x % 4; break;
        default: v[i] = (i ? last + 1 : 900) + (x % 16 ? 0 : x >> 8 & 63); break; /* runs */
        }
        last = v[i];
    }
}
static void joins_of_some_sixty_values_and_more_are_those_of_the_obvious_loop(void **state) {
    (void)state;
    static const uint32_t sizes[] = {0,  1,  2,  3,  8,  15, 16,  17,  31,  32,  33, 47,
                                     61, 62, 63, 64, 65, 66, 100, 127, 128, 129, 200};
    uint64_t a[256], b[256];
    for (size_t i = 0; i < BPKI_COUNT(sizes); i++)
        for (size_t j = 0; j < BPKI_COUNT(sizes); j++)
            for (unsigned how = 0; how < 2 * PLACES; how++) {
                place(a, sizes[i], how < PLACES ? 0 : 7 + how % 2, i);
                place(b, sizes[j], how % PLACES, j + 50);
                check_joins(a, sizes[i], b, sizes[j]);
            }
}

/* ---- laws ---- */

/* Sets that overlap: empty, few, exact, estimating, and with theta below one and few values. */
static bpk_theta *some_set(t_rng *r, uint32_t k) {
    uint64_t from = t_below(r, 3 * k), n = t_below(r, 4) ? t_below(r, 5 * k) : t_below(r, 6);
    bpk_theta *t = theta_of(k, from, from + n);
    if (t_below(r, 4) == 0) {
        bpk_theta *other = theta_of(k, 0, 6 * (uint64_t)k), *less = op_of(BPK_THETA_INTERSECT, t, other);
        drop(t), drop(other);
        return less;
    }
    return t;
}
static void assert_same_and_drop(bpk_theta *a, bpk_theta *b) {
    t_assert_same_bytes(base_of(a), base_of(b));
    drop(a), drop(b);
}

static void union_and_intersection_are_commutative_associative_and_idempotent(void **state) {
    (void)state;
    t_rng r = {11};
    for (unsigned turn = 0; turn < 1000; turn++) {
        uint32_t k = turn % 2 ? 16 + (uint32_t)t_below(&r, 100) : 64;
        bpk_theta *a = some_set(&r, k), *b = some_set(&r, k), *c = some_set(&r, k);
        for (int op = BPK_THETA_UNION; op <= BPK_THETA_INTERSECT; op++) {
            bpk_theta_set o = (bpk_theta_set)op;
            bpk_theta *ab = op_of(o, a, b), *bc = op_of(o, b, c);
            assert_same_and_drop(op_of(o, a, a), op_many(o, (const bpk_theta *const[]){a}, 1));
            assert_same_and_drop(op_of(o, b, a), op_of(o, a, b));
            assert_same_and_drop(op_of(o, ab, c), op_of(o, a, bc));
            assert_same_and_drop(op_of(o, ab, c), op_many(o, (const bpk_theta *const[]){c, a, b}, 3));
            assert_same_and_drop(op_of(o, ab, b), copy_of(ab));
            drop(ab), drop(bc);
        }
        drop(a), drop(b), drop(c);
    }
}

static uint64_t theta_in(const bpk_theta *t, uint32_t *n) {
    return bpki_theta_cut(t, n);
}

static void differences_fit_intersections_and_unions(void **state) {
    (void)state;
    t_rng r = {12};
    for (unsigned turn = 0; turn < 1000; turn++) {
        uint32_t k = 16 + (uint32_t)t_below(&r, 100), n, m, none;
        bpk_theta *a = some_set(&r, k), *b = some_set(&r, k), *c = some_set(&r, k), *empty = theta_new(k);
        bpk_theta *only = op_of(BPK_THETA_DIFF, a, b), *both = op_of(BPK_THETA_INTERSECT, a, b);
        bpk_theta *self = op_of(BPK_THETA_DIFF, a, a), *fewer = op_of(BPK_THETA_DIFF, only, c);
        assert_true(theta_in(self, &none) == theta_in(a, &n) && none == 0);
        assert_same_and_drop(op_of(BPK_THETA_DIFF, a, empty), op_of(BPK_THETA_UNION, a, empty));
        assert_same_and_drop(op_of(BPK_THETA_DIFF, a, both), op_of(BPK_THETA_DIFF, only, both));
        assert_same_and_drop(copy_of(fewer), op_many(BPK_THETA_DIFF, (const bpk_theta *const[]){a, b, c}, 3));
        assert_same_and_drop(copy_of(fewer), op_many(BPK_THETA_DIFF, (const bpk_theta *const[]){a, c, b, b}, 4));
        bpk_theta *whole = op_of(BPK_THETA_UNION, only, both), *cut = op_of(BPK_THETA_INTERSECT, a, whole);
        assert_same_and_drop(copy_of(whole), cut); /* a, as far as both are known */
        assert_true(theta_in(only, &n) == theta_in(both, &m) && theta_in(whole, &none) == theta_in(only, &n));
        assert_int_equal(n + m, none);
        drop(a), drop(b), drop(c), drop(empty), drop(only), drop(both), drop(self), drop(fewer), drop(whole);
    }
}

/* The values that are common, as a share of those below the smallest theta: of the first, and of all together; counts
 * are known from the same values, those of a union from more than its sketch keeps. */
static void shares_are_those_of_the_sampled_values(void **state) {
    (void)state;
    static model all, common, m[4];
    t_rng r = {13};
    for (unsigned turn = 0; turn < 500; turn++) {
        uint32_t k = 16 + (uint32_t)t_below(&r, 100);
        size_t n = 1 + turn % 4;
        bpk_theta *in[4];
        const model *of[4];
        bpk_estimate jaccard, containment, e;
        uint64_t matches[3], counted[3];
        for (size_t i = 0; i < n; i++) {
            in[i] = some_set(&r, k);
            t_bytes b = t_encode(base_of(in[i]), BPK_FORM_VIEW);
            m[i] = (model){.theta = t_load64(b.p + AT_THETA), .k = 4 * k};
            m[i].n = (uint32_t)((b.n - AT_VALUES - DAMAGE_CHECKSUM) / 8);
            for (uint32_t j = 0; j < m[i].n; j++) m[i].value[j] = t_load64(b.p + AT_VALUES + 8 * (size_t)j);
            of[i] = &m[i];
            free(b.p);
        }
        const bpk_theta *const *sets = (const bpk_theta *const *)in;
        assert_int_equal(bpk_theta_jaccard(sets, n, 0, &jaccard, &matches[0], NULL), BPK_OK);
        assert_int_equal(bpk_theta_containment(sets, n, 0, &containment, &matches[1], NULL), BPK_OK);
        for (int op = 0; op < 3; op++)
            assert_int_equal(bpk_theta_op_count((bpk_theta_set)op, sets, n, 0, &e, &counted[op], NULL), BPK_OK);
        model_op(&common, BPK_THETA_INTERSECT, of, n);
        assert_true(matches[0] == common.n && matches[1] == common.n && counted[BPK_THETA_INTERSECT] == common.n);
        for (size_t i = 1; i < n; i++) model_below(&m[0], m[i].theta);
        assert_true(containment.estimate == (m[0].n ? (double)common.n / m[0].n : 0.5));
        model_op(&all, BPK_THETA_UNION, of, n);
        assert_int_equal(counted[BPK_THETA_UNION], all.n);
        assert_true(jaccard.estimate == (all.n ? (double)common.n / all.n : 0.5));
        model_op(&all, BPK_THETA_DIFF, of, n);
        assert_int_equal(counted[BPK_THETA_DIFF], all.n);
        for (size_t i = 0; i < n; i++) drop(in[i]);
    }
}

static void what_comes_out_of_an_operation_takes_16_bytes_a_value_at_most(void **state) {
    (void)state;
    t_rng r = {14};
    for (unsigned turn = 0; turn < 300; turn++) {
        bpk_theta *a = some_set(&r, 300), *b = some_set(&r, 300);
        for (int op = BPK_THETA_UNION; op <= BPK_THETA_DIFF; op++) {
            bpk_theta *out = op_of((bpk_theta_set)op, a, b);
            uint32_t n;
            bpk_theta_count(out, 0, &n);
            assert_true(bpk_memory(base_of(out)) <= sizeof(bpk_theta) + 16 * (size_t)n);
            drop(out);
        }
        drop(a), drop(b);
    }
}

/* ---- failure ---- */

/* A batch that fails at its nth allocation is in as far as *done says, and goes on from there; from every state that
 * allocates: empty, small, full, decoded. */
static void a_failed_add_has_added_what_is_before_and_nothing_of_its_item(void **state) {
    (void)state;
    enum { N = 700 };
    static model m;
    uint64_t hash[N];
    size_t failures = 0;
    for (size_t i = 0; i < N; i++) hash[i] = t_hash(5, i);
    for (size_t before = 0; before <= 600; before += 50)
        for (int decoded = 0; decoded < 2; decoded++)
            for (long nth = 1;; nth++) {
                t_env env;
                bpk_sketch *s = NULL;
                uint8_t changed[N];
                size_t done = 0;
                bpk_theta *first = theta_of(64, 0, before);
                t_env_init(&env, 0);
                t_bytes b = t_encode(base_of(first), BPK_FORM_SMALL);
                if (decoded) assert_int_equal(bpk_decode(&s, b.p, b.n, NULL, &env.env, NULL), BPK_OK);
                else assert_int_equal(bpk_copy(&s, base_of(first), &env.env), BPK_OK);
                free(b.p), drop(first);
                model_reset(&m, 64);
                for (size_t i = 0; i < before; i++) model_add(&m, t_hash(1, i) >> 12);
                env.fail_at = env.calls + nth;
                bpk_status st = bpk_add(s, &(bpk_items){.n = N, .hash = hash}, changed, &done);
                bool failed = st != BPK_OK;
                env.fail_at = 0;
                if (failed) assert_true(st == BPK_E_NOMEM && done < N && changed[done] == 0);
                else assert_int_equal(done, N);
                for (size_t i = 0; i < done; i++) model_add(&m, hash[i] >> 12);
                assert_is((bpk_theta *)(void *)s, &m);
                for (size_t i = done; i < N; i++) assert_int_equal(changed[i], 0);
                assert_int_equal(bpk_add(s, &(bpk_items){.n = N - done, .hash = hash + done}, NULL, NULL), BPK_OK);
                for (size_t i = done; i < N; i++) model_add(&m, hash[i] >> 12);
                assert_is((bpk_theta *)(void *)s, &m);
                bpk_free(s);
                assert_int_equal(env.held, 0);
                failures += failed;
                if (!failed) break;
            }
    assert_true(failures > 50);
}

static void a_merge_that_fails_leaves_both_as_they_were(void **state) {
    (void)state;
    bpk_theta *src = theta_of(64, 300, 2000);
    for (size_t n = 0; n <= 1000; n += 250)
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_sketch *s = NULL;
            bpk_theta *was = theta_of(64, 0, n);
            t_env_init(&env, 0);
            assert_int_equal(bpk_copy(&s, base_of(was), &env.env), BPK_OK);
            assert_int_equal(bpk_meta_set(s, BPK_META_LABEL, "here", 4), BPK_OK);
            assert_int_equal(bpk_meta_set(bpk_theta_base(was), BPK_META_LABEL, "here", 4), BPK_OK);
            env.fail_at = env.calls + nth;
            bpk_status st = bpk_merge(s, base_of(src), NULL);
            env.fail_at = 0;
            if (st != BPK_OK) {
                assert_int_equal(st, BPK_E_NOMEM);
                t_assert_same_bytes(s, base_of(was));
            }
            t_add(s, 1, n, n + 100), t_add(bpk_theta_base(was), 1, n, n + 100);
            if (st != BPK_OK) t_assert_same_bytes(s, base_of(was));
            bpk_free(s), drop(was);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
        }
    drop(src);
}

static void every_allocation_of_a_share_or_a_copy_may_fail(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++)
        for (long nth = 1;; nth++) {
            t_env env;
            bpk_sketch *made = NULL;
            bpk_theta *in[3] = {NULL, theta_of(64, 100, 900), theta_of(64, 0, 40)};
            bpk_estimate e = {-1, -1, -1, -1, 77};
            bpk_err err = {.code = BPK_OK};
            t_env_init(&env, 0);
            assert_int_equal(bpk_theta_new(&in[0], &(bpk_theta_config){.k = 64}, &env.env), BPK_OK);
            t_add(bpk_theta_base(in[0]), 1, 0, 500);
            size_t held = env.held;
            env.fail_at = env.calls + nth;
            bpk_status st = which == 0   ? bpk_theta_jaccard((const bpk_theta *const *)in, 3, 0, &e, NULL, &err)
                            : which == 1 ? bpk_theta_containment((const bpk_theta *const *)in, 3, 0, &e, NULL, &err)
                            : which == 2 ? bpk_copy(&made, base_of(in[0]), NULL)
                                         : bpk_twin(&made, base_of(in[0]), NULL);
            if (st != BPK_OK) assert_true(st == BPK_E_NOMEM && e.flags == 77 && !made);
            if (st != BPK_OK && which < 2) assert_int_equal(err.code, BPK_E_NOMEM);
            bpk_free(made);
            assert_int_equal(env.held, held);
            for (size_t i = 0; i < 3; i++) drop(in[i]);
            assert_int_equal(env.held, 0);
            if (st == BPK_OK) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(millions_of_steps_of_everything_leave_the_state_of_an_exact_model),
        cmocka_unit_test(cuts_and_orders_are_right_whatever_the_values),
        cmocka_unit_test(many_values_are_cut_and_ordered),
        cmocka_unit_test(values_lie_spread_in_the_table_wherever_they_came_from),
        cmocka_unit_test(joins_of_all_sets_of_six_values_are_those_of_the_obvious_loop),
        cmocka_unit_test(joins_of_some_sixty_values_and_more_are_those_of_the_obvious_loop),
        cmocka_unit_test(union_and_intersection_are_commutative_associative_and_idempotent),
        cmocka_unit_test(differences_fit_intersections_and_unions),
        cmocka_unit_test(shares_are_those_of_the_sampled_values),
        cmocka_unit_test(what_comes_out_of_an_operation_takes_16_bytes_a_value_at_most),
        cmocka_unit_test(a_failed_add_has_added_what_is_before_and_nothing_of_its_item),
        cmocka_unit_test(a_merge_that_fails_leaves_both_as_they_were),
        cmocka_unit_test(every_allocation_of_a_share_or_a_copy_may_fail),
    };
    return cmocka_run_group_tests_name("theta_laws", tests, NULL, NULL);
}
