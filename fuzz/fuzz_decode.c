/* fuzz_decode.c - any bytes: refused with an error, or a sketch that the library itself could have made.
 *
 * What is accepted must be canonical (encoding it gives the bytes that were read), answer within its bounds, copy,
 * merge, fold, start anew, take more items, and do all of it alike whether it was decoded, opened as a view or loaded
 * from a file. A mutator of its own makes the checksum right again after most mutations, to get behind it.
 */
#define _GNU_SOURCE
#include "chains.h"
#include "decay.h"
#include "envelope.h"
#include "filters.h"
#include "fuzz.h"
#include "limits.h"
#include "removal.h"
#include "samples.h"
#include "unions.h"
#include "sets.h"
#include "windows.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    MEMORY = 1 << 20, /* a few bytes may stand for many registers or cells, and everything below goes over all */
    ADDED = 100       /* items put into what was decoded */
};

/* ---- the mutator ---- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed) {
    uint64_t chance = fuzz_mix(seed);
    if (chance % 8 == 0 && n > AT_VALUES) /* header and parameters alone, where most decisions fall */
        data[8 + (chance >> 8) % (n < 48 ? n - 8 : 40)] = (uint8_t)(chance >> 32);
    else n = LLVMFuzzerMutate(data, n, cap);
    if (n < HEADER + CHECKSUM || (chance >> 40) % 4 == 0) return n;
    if ((chance >> 44) % 4 == 0) envelope_fix_length(data, n);
    bool nested = data[AT_KIND] == BPK_KIND_GROW || data[AT_KIND] == BPK_KIND_WINDOW; /* records lie alike */
    if (nested && (chance >> 48) % 4) chains_mend(data, n);
    envelope_seal(data, n);
    return n;
}

/* ---- what must hold ---- */

/* Items with their bytes, hashed as a sketch's domain has it; a secret one takes any hash. */
typedef struct added {
    bpk_items it;
    uint64_t hash[ADDED], weight[ADDED], bytes[ADDED], group[ADDED];
    const void *item[ADDED];
    size_t len[ADDED];
} added;

static void fill_added(added *a, const bpk_domain *d) {
    bpk_hasher h;
    const bpk_domain open = {.hash = BPK_HASH_XXH3, .type = d->type, .seed = d->secret ? 0 : d->seed};
    REQUIRE(bpk_hasher_init(&h, &open, NULL, NULL) == BPK_OK);
    a->it = (bpk_items){
        .n = ADDED, .hash = a->hash, .item = a->item, .len = a->len, .weight = a->weight, .group = a->group};
    for (size_t i = 0; i < ADDED; i++) {
        a->bytes[i] = i % 70; /* some come twice */
        a->item[i] = &a->bytes[i];
        a->len[i] = sizeof a->bytes[i];
        a->hash[i] = bpk_hash(&h, a->item[i], a->len[i]);
        a->group[i] = i % 5 * UINT64_C(0x3000000000000000); /* without names */
        a->weight[i] = i % 9 == 8 ? UINT64_C(1) << i % 64 : i % 4;
    }
}

/* ---- answers of one kind ---- */

static void check_cms_answers(const bpk_cms *c) {
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    REQUIRE(noise.total == bpk_cms_total(c) && noise.median >= 0 && noise.median <= noise.p99);
    for (uint64_t i = 0; i < ADDED; i++) {
        bpk_estimate half = bpk_cms_count(c, fuzz_mix(i), &noise, 0.5);
        bpk_estimate sure = bpk_cms_count(c, fuzz_mix(i), &noise, 0.999999);
        fuzz_require_estimate(&half);
        fuzz_require_estimate(&sure);
        REQUIRE(half.upper == sure.upper);
    }
    bpk_estimate e;
    bpk_status st = bpk_cms_inner(c, c, &e, NULL);
    if (st == BPK_OK) fuzz_require_estimate(&e);
    else REQUIRE(st == BPK_E_UNSUPPORTED && !bpk_splittable((const bpk_sketch *)(const void *)c));
}

/* A walk over rows: each is sound, none is above the one before it, what was certainly seen was added. */
typedef struct seen_rows {
    size_t n;
    double last, sum;
} seen_rows;

static bool see_row(void *ctx, const bpk_row *r) {
    seen_rows *seen = ctx;
    fuzz_require_estimate(&r->count);
    REQUIRE(seen->n++ == 0 || r->count.estimate <= seen->last);
    REQUIRE(r->len == 0 || (r->key && r->len <= BPK_TOPK_KEY_MAX));
    if (r->key && r->len) REQUIRE(((const uint8_t *)r->key)[0] + ((const uint8_t *)r->key)[r->len - 1] >= 0);
    seen->last = r->count.estimate;
    seen->sum += r->count.lower;
    return true;
}

static void check_topk_answers(const bpk_topk *t) {
    bpk_row rows[16];
    size_t n = 0;
    uint64_t ceiling;
    bool complete;
    const bpk_sketch *s = (const bpk_sketch *)(const void *)t;
    seen_rows all = {0}, few = {0};
    double total = (double)bpk_topk_total(t), most = total < 18446744073709551615.0 ? total * (1 + 1e-9) : INFINITY;
    REQUIRE(bpk_rows(s, SIZE_MAX, see_row, &all, NULL) == BPK_OK && all.n <= bpk_topk_k(t));
    REQUIRE(all.sum <= most);
    REQUIRE(bpk_topk_list(t, rows, 16, &n, &ceiling) == BPK_OK && n == (all.n < 16 ? all.n : 16));
    for (size_t i = 0; i < n; i++) REQUIRE(see_row(&few, &rows[i]));
    all = (seen_rows){0};
    REQUIRE(bpk_topk_above(t, 0, see_row, &all, &complete) == BPK_OK);
    REQUIRE(all.n >= n && complete == (ceiling == 0));
    REQUIRE(all.sum <= most);
    few = (seen_rows){0};
    REQUIRE(bpk_topk_above(t, UINT64_MAX - 1, see_row, &few, &complete) == BPK_OK && few.n <= all.n);
    for (uint64_t i = 0; i < ADDED; i++) {
        bpk_estimate e = bpk_topk_count(t, fuzz_mix(i));
        fuzz_require_estimate(&e);
    }
}

static void check_answers(const bpk_sketch *s) {
    bpk_estimate e[ADDED];
    uint8_t out[ADDED];
    size_t fields = 0;
    bpk_err err;
    added a;
    fill_added(&a, bpk_domain_of(s));
    bpk_info(s, fuzz_field, &fields);
    REQUIRE(fields > 5);
    REQUIRE(bpk_health(s, fuzz_field, &fields) <= BPK_HEALTH_OVER);
    for (int i = 0; i < 3; i++) {
        bpk_status st = bpk_count(s, NULL, 0, i == 0 ? 0 : i == 1 ? 0.5 : 0.999999, e, &err);
        if (st == BPK_OK) fuzz_require_estimate(e);
        if (st != BPK_OK) REQUIRE(st == BPK_E_UNSUPPORTED && err.code == st);
    }
    if (bpk_count(s, a.hash, ADDED, 0, e, NULL) == BPK_OK)
        for (int i = 0; i < ADDED; i++) fuzz_require_estimate(e + i);
    if (bpk_has(s, a.hash, ADDED, out, NULL) == BPK_OK)
        for (int i = 0; i < ADDED; i++) REQUIRE(out[i] <= 1);
    for (uint16_t tag = BPK_META_LABEL; tag <= BPK_META_TOLERATED; tag++) {
        size_t n = 0;
        const uint8_t *value = bpk_meta_get(s, tag, &n);
        if (value) REQUIRE(n > 0 && value[0] + value[n - 1] >= 0);
    }
    if (bpk_as_cms(s)) check_cms_answers(bpk_as_cms(s));
    if (bpk_as_topk(s)) check_topk_answers(bpk_as_topk(s));
    if (bpk_as_theta(s)) sets_check_shares(bpk_as_theta(s));
}

static void require_same_estimate(const bpk_estimate *x, const bpk_estimate *y) {
    REQUIRE(x->estimate == y->estimate && x->lower == y->lower && x->upper == y->upper);
    REQUIRE(((x->flags ^ y->flags) & ~(uint32_t)BPK_REDUCED) == 0); /* a note of the handle, which no bytes carry */
}

/* Rows as one number: order, limits, certificates, keys. */
static bool mix_row(void *ctx, const bpk_row *r) {
    uint64_t *sum = ctx;
    const double number[2] = {r->count.estimate, r->count.lower};
    *sum = fuzz_mix(*sum + (uint64_t)XXH3_64bits(number, sizeof number) + r->count.flags + r->certain);
    *sum = fuzz_mix(*sum + (r->len ? (uint64_t)XXH3_64bits(r->key, r->len) : (uint64_t)(r->key != NULL)));
    return true;
}

/* Without the noise of cms, which takes longer than all the rest. */
static bpk_status count_items(const bpk_sketch *s, const added *items, bpk_estimate *out) {
    const bpk_noise none = {0};
    if (windows_of(s, BPK_KIND_CMS)) return BPK_E_UNSUPPORTED; /* check_answers() has asked */
    if (!bpk_as_cms(s)) return bpk_count(s, items->hash, ADDED, 0, out, NULL);
    for (size_t i = 0; i < ADDED; i++) out[i] = bpk_cms_count(bpk_as_cms(s), items->hash[i], &none, 0.9);
    return BPK_OK;
}

/* Both answer alike, to the bit. */
static void check_same_answers(const bpk_sketch *a, const bpk_sketch *b) {
    bpk_estimate x, y, many[ADDED], others[ADDED];
    uint8_t p[ADDED], q[ADDED];
    uint64_t rows_a = 0, rows_b = 0;
    added items;
    fill_added(&items, bpk_domain_of(a));
    bpk_status st = bpk_count(a, NULL, 0, 0, &x, NULL);
    REQUIRE(bpk_count(b, NULL, 0, 0, &y, NULL) == st);
    if (st == BPK_OK) require_same_estimate(&x, &y);
    st = count_items(a, &items, many);
    REQUIRE(count_items(b, &items, others) == st);
    for (size_t i = 0; i < ADDED && st == BPK_OK; i++) require_same_estimate(&many[i], &others[i]);
    REQUIRE(bpk_health(a, NULL, NULL) == bpk_health(b, NULL, NULL) && bpk_splittable(a) == bpk_splittable(b));
    st = bpk_has(a, items.hash, ADDED, p, NULL);
    REQUIRE(bpk_has(b, items.hash, ADDED, q, NULL) == st);
    if (st == BPK_OK) REQUIRE(memcmp(p, q, ADDED) == 0);
    st = bpk_rows(a, SIZE_MAX, mix_row, &rows_a, NULL);
    REQUIRE(bpk_rows(b, SIZE_MAX, mix_row, &rows_b, NULL) == st && rows_a == rows_b);
}

static void check_round_trip(const bpk_sketch *s, const bpk_env *env) {
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        bpk_sketch *back = NULL;
        fuzz_bytes b = fuzz_encode(s, (bpk_form)f);
        REQUIRE(bpk_decode(&back, b.p, b.n, NULL, env, NULL) == BPK_OK);
        fuzz_require_encodes_to(back, (bpk_form)f, b.p, b.n);
        fuzz_require_same(back, s);
        check_same_answers(back, s);
        bpk_free(back);
        free(b.p);
    }
}

/* A view at any address answers, copies and merges as the decoded sketch. */
static void check_view(const bpk_sketch *s, const uint8_t *data, size_t n, size_t shift) {
    bpk_view v;
    bpk_sketch *copy = NULL;
    uint8_t *moved = malloc(n + shift);
    REQUIRE(moved);
    memcpy(moved + shift, data, n);
    const bpk_sketch *seen = bpk_view_open(&v, moved + shift, n, NULL);
    REQUIRE(seen);
    check_same_answers(seen, s);
    fuzz_require_same(seen, s);
    REQUIRE(bpk_copy(&copy, seen, NULL) == BPK_OK);
    fuzz_require_same(copy, s);
    (void)unions_made(copy, seen);
    bpk_free(copy);
    REQUIRE(memcmp(moved + shift, data, n) == 0);
    free(moved);
}

static void check_merge(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL, *twin = NULL;
    if (bpk_copy(&copy, s, env) != BPK_OK) return; /* over the limit */
    fuzz_require_same(copy, s);
    bool merged = unions_made(copy, s);
    if (!merged || unions_is_one(s)) fuzz_require_same(copy, s);
    if (bpk_twin(&twin, s, env) == BPK_OK) {
        if (bpk_merge(copy, twin, NULL) == BPK_OK && unions_is_one(s)) check_same_answers(copy, s);
        if (bpk_merge(twin, s, NULL) == BPK_OK && unions_is_one(s))
            fuzz_require_same(twin, copy); /* both without metadata */
        check_answers(twin);
    }
    bpk_free(twin);
    bpk_free(copy);
}

/* One call for all parts gives the same bytes in every order. */
static void check_merge_many(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *twin = NULL, *sum[2] = {NULL, NULL};
    added a;
    if (bpk_twin(&twin, s, env) != BPK_OK) return;
    fill_added(&a, bpk_domain_of(s));
    (void)bpk_add(twin, &a.it, NULL, NULL);
    const bpk_sketch *const parts[] = {s, twin, s}, *const turned[] = {twin, s, s};
    bpk_status st = bpk_merge_many(&sum[0], parts, 3, env, NULL);
    if (st == BPK_OK && bpk_merge_many(&sum[1], turned, 3, env, NULL) == BPK_OK) fuzz_require_same(sum[0], sum[1]);
    if (st == BPK_OK) check_answers(sum[0]);
    bpk_free(sum[0]), bpk_free(sum[1]), bpk_free(twin);
}

/* Taking away what was added gives the sketch from before, unless a counter was at its end; what fails changes
 * nothing. */
static void check_adjust(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *base = NULL;
    int64_t by[ADDED];
    uint64_t after[ADDED];
    added a;
    if (!bpk_as_cms(s) || decay_has(s) || bpk_copy(&base, s, env) != BPK_OK) return;
    bpk_cms *c = (bpk_cms *)(void *)base;
    fill_added(&a, bpk_domain_of(s));
    for (size_t i = 0; i < ADDED; i++) by[i] = (int64_t)(a.weight[i] >> 1);
    REQUIRE(bpk_cms_adjust(c, a.hash, by, after, ADDED, NULL) == BPK_OK);
    for (size_t i = 0; i < ADDED; i++) {
        bpk_estimate e;
        REQUIRE(bpk_count(base, &a.hash[i], 1, 0, &e, NULL) == BPK_OK);
        REQUIRE(e.upper >= (double)after[i]);
        by[i] = -by[i];
    }
    bool lossless = bpk_health(base, NULL, NULL) == BPK_HEALTH_OK && bpk_cms_total(c) != UINT64_MAX;
    bpk_status st = bpk_cms_adjust(c, a.hash, by, NULL, ADDED, NULL);
    REQUIRE(st == BPK_OK ? bpk_splittable(s) : !bpk_splittable(s));
    if (st == BPK_OK && lossless) fuzz_require_same(base, s);
    by[ADDED - 1] = INT64_MIN;
    fuzz_bytes was = fuzz_encode(base, BPK_FORM_SMALL);
    if (bpk_cms_adjust(c, a.hash, by, NULL, ADDED, NULL) != BPK_OK)
        fuzz_require_encodes_to(base, BPK_FORM_SMALL, was.p, was.n);
    free(was.p);
    check_answers(base);
    check_round_trip(base, env);
    bpk_free(base);
}

/* A part that is put in twice and taken away twice leaves what was there. */
static void check_combine(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *base = NULL;
    const bpk_cms *src = bpk_as_cms(s);
    if (!src || bpk_copy(&base, s, env) != BPK_OK) return;
    bpk_cms *c = (bpk_cms *)(void *)base;
    bpk_status st = bpk_cms_combine(c, src, 2, NULL);
    REQUIRE(st == (bpk_splittable(s) ? BPK_OK : BPK_E_UNSUPPORTED));
    if (st == BPK_OK) {
        bool lossless = bpk_health(base, NULL, NULL) == BPK_HEALTH_OK && bpk_cms_total(c) != UINT64_MAX;
        st = bpk_cms_combine(c, src, -2, NULL);
        if (lossless) REQUIRE(st == BPK_OK);
        if (lossless) fuzz_require_same(base, s);
        st = bpk_cms_combine(c, src, INT64_MIN, NULL);
        REQUIRE(st == BPK_OK || st == BPK_E_ARG);
        check_round_trip(base, env);
    }
    bpk_free(base);
}

/* What can be done to one kind alone, and what time does, leaves a sketch. */
static void check_changes(const bpk_sketch *s, const bpk_env *env) {
    added a;
    fill_added(&a, bpk_domain_of(s));
    filters_copies(s, &a.it, env);
    bpk_sketch *const left[] = {filters_remove(s, &a.it, env), filters_advance(s, &a.it, env),
                                chains_remove(s, &a.it, env),  limits_check(s, &a.it, env),
                                decay_pass(s, &a.it, env),     decay_halve(s, env),
                                windows_move(s, &a.it, env)};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (!left[i]) continue;
        check_answers(left[i]);
        check_round_trip(left[i], env);
        bpk_free(left[i]);
    }
}

static void see_left(void *ctx, size_t index, const void *key, size_t len) {
    size_t *last = ctx;
    REQUIRE(index >= *last && index < ADDED && (key || len == 0));
    *last = index;
}

/* Telling what leaves the rows changes no byte of what is added. */
static void check_left(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *plain = NULL, *told = NULL;
    added a;
    size_t last = 0;
    if (!bpk_as_topk(s) || bpk_copy(&plain, s, env) != BPK_OK) return;
    REQUIRE(bpk_copy(&told, s, env) == BPK_OK);
    fill_added(&a, bpk_domain_of(s));
    for (int i = 0; i < 2; i++) {
        bpk_status st = bpk_topk_add((bpk_topk *)(void *)told, &a.it, see_left, &last);
        REQUIRE(st == BPK_OK || st == BPK_E_LIMIT);
        if (st != BPK_OK) break;
        last = 0;
        REQUIRE(bpk_add(plain, &a.it, NULL, NULL) == BPK_OK);
        fuzz_require_same(plain, told);
    }
    bpk_free(plain);
    bpk_free(told);
}

/* Records that are passed are as if they had been added. */
static void check_pass(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL, *added_to = NULL;
    added a;
    if (!bpk_as_sample(s) || bpk_copy(&copy, s, env) != BPK_OK) return;
    REQUIRE(bpk_copy(&added_to, s, env) == BPK_OK);
    uint64_t ahead = bpk_sample_ahead(bpk_as_sample(s)), n = ahead < ADDED ? ahead : ADDED;
    fill_added(&a, bpk_domain_of(s));
    a.it.n = (size_t)n;
    REQUIRE(bpk_sample_pass((bpk_sample *)(void *)copy, n) == BPK_OK);
    REQUIRE(bpk_add(added_to, &a.it, NULL, NULL) == BPK_OK);
    fuzz_require_same(copy, added_to);
    if (ahead < UINT64_MAX) REQUIRE(bpk_sample_pass((bpk_sample *)(void *)copy, ahead - n + 1) == BPK_E_ARG);
    bpk_free(copy);
    bpk_free(added_to);
}

static void check_sets(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *twin = NULL;
    added a;
    if (!bpk_as_theta(s)) return;
    sets_check_self(bpk_as_theta(s), env);
    if (bpk_twin(&twin, s, env) != BPK_OK) return;
    fill_added(&a, bpk_domain_of(s));
    if (bpk_add(twin, &a.it, NULL, NULL) == BPK_OK) sets_check_pair(bpk_as_theta(s), bpk_as_theta(twin), env);
    bpk_free(twin);
}

static void check_removal(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    added a;
    if (!bpk_as_cuckoo(s) || bpk_copy(&copy, s, env) != BPK_OK) return;
    fill_added(&a, bpk_domain_of(s));
    removal_check((bpk_cuckoo *)(void *)copy, a.hash, ADDED);
    check_answers(copy);
    check_round_trip(copy, env);
    bpk_free(copy);
}

/* A sketch that starts anew is its twin. */
static void check_reset(const bpk_sketch *s, const bpk_env *env) {
    bpk_sketch *copy = NULL, *twin = NULL;
    added a;
    fill_added(&a, bpk_domain_of(s));
    if (bpk_copy(&copy, s, env) != BPK_OK) return; /* over the limit */
    bpk_reset(copy);
    bool draws = bpk_as_sample(s) || windows_of(s, BPK_KIND_SAMPLE); /* its twin otherwise */
    if (!draws && bpk_twin(&twin, copy, env) == BPK_OK) {
        check_same_answers(copy, twin);
        bpk_status st = bpk_add(copy, &a.it, NULL, NULL);
        REQUIRE(bpk_add(twin, &a.it, NULL, NULL) == st);
        check_same_answers(copy, twin);
    }
    bpk_free(twin);
    bpk_free(copy);
}

/* Folding gives what a merge into an empty sketch of the smaller shape gives, or refuses and changes nothing. */
static void check_fold_hll(bpk_sketch *copy, const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    const bpk_hll *h = bpk_as_hll(s);
    unsigned p = bpk_hll_precision(h), lower = 4 + (unsigned)(choice % (p - 3));
    bpk_hll_config shape = {*bpk_domain_of(s), (uint8_t)lower, choice >> 32 & 1 ? bpk_hll_window_bits(h) : 0};
    bpk_hll *small = NULL;
    REQUIRE(bpk_hll_fold((bpk_hll *)copy, 3, 0) == BPK_E_ARG && bpk_hll_fold((bpk_hll *)copy, 4, 1) == BPK_E_ARG);
    fuzz_require_same(copy, s);
    if (bpk_hll_new(&small, &shape, env) != BPK_OK) return;
    bpk_status st = bpk_hll_fold((bpk_hll *)copy, shape.precision, shape.window_bits);
    if (st == BPK_OK && bpk_merge(bpk_hll_base(small), s, NULL) == BPK_OK) {
        REQUIRE(bpk_hll_precision(small) == lower && bpk_hll_window_bits(small) == shape.window_bits);
        check_same_answers(copy, bpk_hll_base(small));
        check_round_trip(copy, env);
    }
    bpk_free(bpk_hll_base(small));
}

/* What was in is still in, and the union of a filter with its fold is the fold. */
static void check_fold_bloom(bpk_sketch *copy, const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    uint64_t divisor = choice % 8;
    added items;
    fill_added(&items, bpk_domain_of(s));
    uint8_t before[ADDED], after[ADDED];
    bpk_sketch *both = NULL;
    bpk_bloom_has(bpk_as_bloom(s), items.hash, ADDED, before);
    bpk_status st = bpk_bloom_fold((bpk_bloom *)copy, divisor);
    if (st != BPK_OK || divisor == 1) {
        REQUIRE(filters_rotates(s) ? st == BPK_E_UNSUPPORTED : st == BPK_OK || st == BPK_E_ARG || st == BPK_E_LIMIT);
        fuzz_require_same(copy, s);
        return;
    }
    bpk_bloom_has(bpk_as_bloom(copy), items.hash, ADDED, after);
    for (size_t i = 0; i < ADDED; i++) REQUIRE(before[i] <= after[i]);
    const bpk_sketch *pair[] = {s, copy};
    if (bpk_merge_many(&both, pair, 2, env, NULL) == BPK_OK) check_same_answers(both, copy);
    bpk_free(both);
    check_round_trip(copy, env);
}

static void check_fold(const bpk_sketch *s, uint64_t choice, const bpk_env *env) {
    bpk_sketch *copy = NULL;
    if (bpk_copy(&copy, s, env) != BPK_OK) return; /* over the limit */
    if (bpk_as_hll(s)) check_fold_hll(copy, s, choice, env);
    if (bpk_as_bloom(s)) check_fold_bloom(copy, s, choice, env);
    check_answers(copy);
    bpk_free(copy);
}

/* Adding: what went in is there, what did not has changed nothing, and the result is a sketch like others. */
static void check_add(bpk_sketch *s, const bpk_env *env) {
    added a;
    uint8_t changed[ADDED], there[ADDED];
    size_t done = 0;
    fill_added(&a, bpk_domain_of(s));
    const bpk_items items = a.it;
    const uint64_t late = bpk_as_window(s) ? bpk_window_late(bpk_as_window(s)) : 0;
    bpk_status st = bpk_add(s, &items, changed, &done);
    REQUIRE(st == BPK_OK || st == BPK_E_FULL || st == BPK_E_LIMIT);
    REQUIRE(st == BPK_OK ? done == ADDED : done < ADDED);
    bool forgets = filters_rotates(s) && bpk_bloom_window(bpk_as_bloom(s)) < ADDED;
    if (bpk_as_window(s)) forgets = late == UINT64_MAX || bpk_window_late(bpk_as_window(s)) > late;
    if (bpk_has(s, items.hash, ADDED, there, NULL) == BPK_OK)
        for (size_t i = 0; i < done; i++) REQUIRE((there[i] == 1 || forgets) && changed[i] <= 1);
    check_answers(s);
    check_round_trip(s, env);
}

/* A fixed sketch of the i-th kind, in form small; made once. */
enum { BASES = 15 };
static const fuzz_bytes *base_at(size_t i) {
    static const struct {
        const char *kind;
        bpk_param param[4];
    } of[BASES] = {{"hll", {{"precision", "6"}, {"window_bits", "2"}}},
                   {"bloom", {{"items", "50"}, {"rate", "1%"}}},
                   {"bloom", {{"items", "200"}, {"generations", "2"}}},
                   {"cbloom", {{"items", "50"}, {"rate", "1%"}}},
                   {"cuckoo", {{"items", "60"}, {"rate", "1%"}}},
                   {"cms", {{"width", "20"}, {"update", "plain"}}},
                   {"topk", {{"k", "3"}, {"entries", "18"}}},
                   {"sample", {{"k", "3"}, {"stream", "18446744073709551615"}}},
                   {"theta", {{"k", "16"}, {NULL, NULL}}},
                   {"grow", {{"items", "20"}, {"rate", "1%"}}},
                   {"cuckoo", {{"items", "9"}, {"on_full", "grow"}}},
                   {"limit", {{"limit", "10"}, {"period", "60"}, {"width", "20"}}},
                   {"limit", {{"limit", "10"}, {"period", "60"}, {"width", "20"}, {"method", "windows"}}},
                   {"window", {{"of", "hll"}, {"span", "60"}}},
                   {"window", {{"of", "topk"}, {"span", "9"}}}};
    static fuzz_bytes base[BASES];
    bpk_sketch *s = NULL;
    added a;
    if (base[i].p) return &base[i];
    size_t n = 1;
    while (n < 4 && of[i].param[n].name) n++;
    REQUIRE(bpk_new(&s, of[i].kind, NULL, of[i].param, n, NULL, NULL) == BPK_OK);
    fill_added(&a, bpk_domain_of(s));
    a.it.n = 30;
    REQUIRE(bpk_add(s, &a.it, NULL, NULL) == BPK_OK);
    base[i] = fuzz_encode(s, BPK_FORM_SMALL);
    bpk_free(s);
    return &base[i];
}

/* Merging the bytes into a fixed sketch works, or changes nothing; into none it decodes. */
static void check_merge_bytes(const fuzz_bytes *base, const uint8_t *data, size_t n, bool decodes, const bpk_env *env) {
    bpk_err err = {.code = BPK_OK};
    bpk_sketch *acc = NULL;
    REQUIRE(bpk_merge_bytes(&acc, base->p, base->n, env, NULL) == BPK_OK);
    bpk_status st = bpk_merge_bytes(&acc, data, n, NULL, &err);
    if (st == BPK_OK) {
        REQUIRE(decodes);
        check_answers(acc);
    } else {
        fuzz_require_error(st, &err);
        fuzz_require_encodes_to(acc, BPK_FORM_SMALL, base->p, base->n);
    }
    bpk_free(acc);
    acc = NULL;
    st = bpk_merge_bytes(&acc, data, n, env, NULL);
    REQUIRE((st == BPK_OK) == decodes && (acc != NULL) == decodes);
    bpk_free(acc);
}

/* ---- files ---- */

/* Whether all of the bytes are sketches, one behind the other; their number, or what is wrong. */
static bool decodes_to_its_end(const uint8_t *data, size_t n, const bpk_env *env, size_t *sketches, bpk_status *fault) {
    size_t at = 0, used;
    for (*sketches = 0; at < n || *sketches == 0; ++*sketches, at += used) {
        bpk_sketch *s = NULL;
        *fault = bpk_decode(&s, data + at, n - at, &used, env, NULL);
        bpk_free(s);
        if (*fault != BPK_OK) return false;
    }
    return true;
}

/* A file of the bytes loads when they decode, as the same sketches, and is refused for the same reason when not; what
 * follows a sketch and is none is trailing bytes. */
static void check_file(const uint8_t *data, size_t n, const bpk_env *env) {
    static int fd = -1;
    static char path[32];
    bpk_sketch **s = NULL;
    bpk_err err = {.code = BPK_OK};
    size_t loaded = 0, there, at = 0;
    bpk_status fault;
    if (fd < 0) fd = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    REQUIRE(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, n, 0) == (ssize_t)n);
    bpk_status st = bpk_file_load(path, &s, &loaded, env, &err);
    bool good = decodes_to_its_end(data, n, env, &there, &fault);
    if (st != BPK_OK) {
        fuzz_require_error(st, &err);
        REQUIRE(!s && loaded == 0 && err.offset <= n);
        REQUIRE(st == BPK_E_LIMIT || (!good && (st == fault || (there > 0 && st == BPK_E_CORRUPT))));
        return;
    }
    REQUIRE(good && loaded == there);
    for (size_t i = 0; i < loaded; i++) {
        size_t size = bpk_encoded_size(s[i], (bpk_form)data[at + AT_FORM]);
        fuzz_require_encodes_to(s[i], (bpk_form)data[at + AT_FORM], data + at, size);
        at += size;
    }
    REQUIRE(at == n);
    bpk_file_close(s, loaded);
}

/* ---- what no set of items can have produced, read from the bytes by docs/format.md alone ---- */

/* A register says u, the largest value seen, and with window bits whether u - 1 and u - 2 were; no value is 0. */
static bool register_possible(uint8_t r, unsigned p, unsigned d) {
    unsigned u = (unsigned)r >> d;
    bool low = d && u < 3;
    return u <= 65 - p && (!low || r == 0 || r == 4 || r == 8 || r == 10);
}

/* Empty ways come last; a score is no less than its base, which is at most the float of 2^62. */
static void check_bucket(const uint8_t *bucket) {
    bool empty = false;
    for (size_t j = 0; j < 9; j++) {
        uint64_t fp = envelope_load64(bucket + 4 * j) & UINT32_MAX, score = envelope_load64(bucket + 56 + 8 * j);
        uint64_t f = envelope_load64(bucket + 36 + 2 * j) & UINT16_MAX;
        double base = f < 2048 ? (double)f : ldexp((double)(1024 + f % 1024), (int)(f / 1024) - 1);
        REQUIRE(!(empty && fp) && (fp || (score == 0 && f == 0)));
        REQUIRE(base <= (double)score && score <= UINT64_C(1) << 62);
        empty |= fp == 0;
    }
}

static void check_body(const uint8_t *data) {
    const uint8_t *params = data + HEADER, *body = params + (size_t)data[AT_PARAMS] * 8;
    uint64_t body_n = envelope_load64(data + AT_BODY_N);
    if (data[AT_KIND] == BPK_KIND_HLL && params[2] == 1)
        for (uint64_t i = 0; i < body_n; i++) REQUIRE(register_possible(body[i], params[0], params[1]));
    if (data[AT_KIND] == BPK_KIND_BLOOM && params[0] == BPK_BLOOM_CLASSIC)
        for (uint64_t bit = envelope_load64(params + 8); bit < body_n * 8; bit++)
            REQUIRE(!(body[bit / 8] >> bit % 8 & 1));
    if (data[AT_KIND] == BPK_KIND_CBLOOM && params[2] == 0)
        for (uint64_t i = envelope_load64(params + 8); i < body_n * 2; i++) REQUIRE(!(body[i / 2] >> i % 2 * 4 & 15));
    if (data[AT_KIND] == BPK_KIND_TOPK)
        for (size_t at = 0; at < (size_t)1 << params[60]; at++) check_bucket(body + 128 * at);
}

static void check_sketch(bpk_sketch *s, const uint8_t *data, size_t used, const bpk_env *env) {
    bpk_view v;
    bpk_err err;
    bpk_form form = (bpk_form)data[AT_FORM];
    REQUIRE(bpk_sniff(data, used) == 2);
    fuzz_require_encodes_to(s, form, data, used); /* canonical */
    check_body(data);
    chains_check_layers(s);
    if (bpk_as_window(s)) windows_check_times(s);
    check_answers(s);
    check_round_trip(s, env);
    if (form == BPK_FORM_VIEW && !bpk_as_sample(s) && !bpk_as_grow(s) && !bpk_as_window(s)) {
        check_view(s, data, used, 0);
        check_view(s, data, used, 3);
    } else {
        REQUIRE(!bpk_view_open(&v, data, used, &err));
        REQUIRE(err.code == BPK_E_UNSUPPORTED);
    }
    check_merge(s, env);
    check_merge_many(s, env);
    check_adjust(s, env);
    check_combine(s, env);
    check_sets(s, env);
    check_changes(s, env);
    check_left(s, env);
    samples_check(s);
    check_pass(s, env);
    check_removal(s, env);
    check_reset(s, env);
    check_fold(s, fuzz_mix(envelope_load64(data + used - CHECKSUM)), env);
    check_add(s, env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_memory memory;
    bpk_sketch *s = NULL, *whole = NULL;
    bpk_err err = {.code = BPK_OK}, why = {.code = BPK_OK};
    bpk_view v;
    size_t used = n + 1;
    fuzz_memory_init(&memory, MEMORY);
    bpk_status st = bpk_decode(&s, data, n, &used, &memory.env, &err);
    bpk_status alone = bpk_decode(&whole, data, n, NULL, &memory.env, &why);
    REQUIRE((alone == BPK_OK) == (st == BPK_OK && used == n));
    if (alone != BPK_OK) fuzz_require_error(alone, &why);
    bpk_free(whole);
    for (size_t i = 0; i < BASES; i++) check_merge_bytes(base_at(i), data, n, alone == BPK_OK, &memory.env);
    check_file(data, n, &memory.env);
    if (st == BPK_OK) {
        REQUIRE(used <= n);
        check_sketch(s, data, used, &memory.env);
        bpk_free(s);
    } else {
        fuzz_require_error(st, &err);
        REQUIRE(!s && used == n + 1 && err.offset <= n);
        if (st != BPK_E_LIMIT && st != BPK_E_NOMEM) REQUIRE(!bpk_view_open(&v, data, n, &err) && err.code != BPK_OK);
    }
    REQUIRE(memory.held == 0);
    return 0;
}
