/* buckets.c - an open-addressing table of counts, each a set or a sketch.
 *
 * A batch is sorted in by chaining the numbers of its records from bucket to bucket, so that each bucket that got any
 * takes its hashes at once.
 */
#include "buckets.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"

enum { SLOTS_LG = 6, ALWAYS_EXACT = 64 /* below so many the next step is 0 */, STEP = 8 };

/* ---- finding ---- */

static size_t home_of(const buckets *b, int64_t begin, uint64_t group) {
    uint64_t h = ((uint64_t)begin * UINT64_C(0x9E3779B97F4A7C15) ^ group) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)((h ^ h >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - b->lg));
}

static size_t find_slot(const buckets *b, int64_t begin, uint64_t group) {
    size_t mask = ((size_t)1 << b->lg) - 1, i = home_of(b, begin, group);
    for (; b->slot[i]; i = (i + 1) & mask) {
        const bucket *at = &b->at[b->slot[i] - 1];
        if (at->when.begin == begin && at->group == group) break;
    }
    return i;
}

/* Into slots that are free. */
static void number_all(buckets *b) {
    for (size_t i = 0; i < b->n; i++) b->slot[find_slot(b, b->at[i].when.begin, b->at[i].group)] = (uint32_t)i + 1;
}

/* A new table of slots for the buckets that are there; false without memory, and nothing has changed. */
static bool make_slots(buckets *b, unsigned lg) {
    uint32_t *slot = calloc((size_t)1 << lg, sizeof *slot);
    if (!slot) return false;
    free(b->slot);
    b->slot = slot;
    b->lg = lg;
    number_all(b);
    return true;
}

static bool make_room(buckets *b) {
    if (b->n < b->room) return true;
    size_t room = b->room ? 2 * b->room : 16;
    bucket *at = room < UINT32_MAX ? realloc(b->at, room * sizeof *at) : NULL;
    if (!at) return false;
    b->at = at;
    b->room = room;
    return true;
}

/* ---- one bucket ---- */

void bucket_free(bucket *b) {
    bpk_exact_free(b->exact);
    bpk_free(b->sketch);
    free(b->name);
    *b = (bucket){.name = NULL};
}

static void measure(buckets *b, bucket *one) {
    b->memory -= one->memory;
    one->memory = sizeof *one + 2 * sizeof *b->slot + one->len;
    one->memory += one->exact ? bpk_exact_memory(one->exact) : bpk_memory(one->sketch);
    b->memory += one->memory;
}

static bpk_status bucket_new(const buckets *b, bucket *out, pane when, const batch *records, size_t i) {
    bucket one = {.when = when};
    if (records->group) {
        one.group = records->group[i];
        one.len = records->group_len[i];
        one.name = malloc(one.len + 1);
        if (!one.name) return BPK_E_NOMEM;
        memcpy(one.name, records->group_name[i], one.len);
    }
    const bpk_domain *domain = bpk_domain_of(b->like);
    bpk_status st =
        b->exact_limit ? bpk_exact_new(&one.exact, domain, 0, b->env) : bpk_twin(&one.sketch, b->like, NULL);
    if (st == BPK_OK) *out = one;
    else bucket_free(&one);
    return st;
}

static bpk_status spill(buckets *b, bucket *one) {
    bpk_status st = bpk_twin(&one->sketch, b->like, NULL);
    if (st == BPK_OK) st = bpk_exact_spill(one->exact, one->sketch, NULL);
    if (st != BPK_OK) return st;
    bpk_exact_free(one->exact);
    one->exact = NULL;
    return BPK_OK;
}

static bpk_status add(buckets *b, bucket *one, size_t n) {
    const bpk_items it = {.n = n, .hash = b->hash};
    one->records += n;
    bpk_status st = BPK_OK;
    if (one->exact) {
        st = bpk_exact_add(one->exact, &it, NULL, NULL);
        bool full = st == BPK_E_LIMIT || (st == BPK_OK && bpk_exact_items(one->exact) > b->exact_limit);
        if (!full) return st;
        st = spill(b, one);
    }
    return st == BPK_OK ? bpk_add(one->sketch, &it, NULL, NULL) : st;
}

static bpk_status count(bucket *b, double confidence) {
    if (b->exact) {
        double n = (double)bpk_exact_items(b->exact);
        b->count = (bpk_estimate){n, n, n, confidence, BPK_EXACT};
        return BPK_OK;
    }
    bpk_status st = bpk_count(b->sketch, NULL, 0, confidence, &b->count, NULL);
    if (st == BPK_OK) estimate_at_most(&b->count, (double)b->records);
    b->count = whole(&b->count);
    return st;
}

/* ---- all of them ---- */

bucket *buckets_find(buckets *b, pane when, const batch *records, size_t i) {
    uint64_t group = records->group ? records->group[i] : 0;
    if (!b->slot && !make_slots(b, SLOTS_LG)) return NULL;
    size_t at = find_slot(b, when.begin, group);
    if (b->slot[at]) return &b->at[b->slot[at] - 1];
    if (!make_room(b) || bucket_new(b, &b->at[b->n], when, records, i) != BPK_OK) return NULL;
    measure(b, &b->at[b->n]);
    b->slot[at] = (uint32_t)++b->n;
    if (4 * b->n > (size_t)3 << b->lg && !make_slots(b, b->lg + 1)) return NULL;
    return &b->at[b->n - 1];
}

void buckets_sort_in(buckets *b, bucket *to, size_t i) {
    uint32_t number = (uint32_t)i + 1;
    b->follower[i] = 0;
    if (to->head) b->follower[to->end - 1] = number;
    else b->touched[b->n_touched++] = (uint32_t)(to - b->at);
    if (!to->head) to->head = number;
    to->end = number;
}

bpk_status buckets_add(buckets *b, const uint64_t *hash) {
    bpk_status st = BPK_OK;
    for (size_t k = 0; k < b->n_touched && st == BPK_OK; k++) {
        bucket *one = &b->at[b->touched[k]];
        size_t n = 0;
        for (uint32_t i = one->head; i; i = b->follower[i - 1]) b->hash[n++] = hash[i - 1];
        one->head = one->end = 0;
        st = add(b, one, n);
        measure(b, one);
    }
    b->n_touched = 0;
    return st;
}

bpk_status buckets_fit(buckets *b) {
    while (b->memory > b->env->max_bytes) {
        if (b->exact_limit == 0) return BPK_E_LIMIT;
        b->exact_limit = b->exact_limit / STEP < ALWAYS_EXACT ? 0 : b->exact_limit / STEP;
        for (size_t i = 0; i < b->n; i++) {
            bucket *one = &b->at[i];
            if (!one->exact || (b->exact_limit && bpk_exact_items(one->exact) <= b->exact_limit)) continue;
            bpk_status st = spill(b, one);
            if (st != BPK_OK) return st;
            measure(b, one);
        }
    }
    return BPK_OK;
}

static int in_order(const void *x, const void *y) {
    const bucket *a = x, *b = y;
    if (a->when.begin != b->when.begin) return a->when.begin < b->when.begin ? -1 : 1;
    if (a->count.estimate != b->count.estimate) return a->count.estimate > b->count.estimate ? -1 : 1;
    size_t n = a->len < b->len ? a->len : b->len;
    int order = n ? memcmp(a->name, b->name, n) : 0;
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

bpk_status buckets_take(buckets *b, int64_t end, double confidence, bucket **out, size_t *n) {
    size_t kept = 0, taken = 0;
    for (size_t i = 0; i < b->n; i++) {
        bool gone = b->at[i].when.end <= end;
        bpk_status st = gone ? count(&b->at[i], confidence) : BPK_OK;
        if (st != BPK_OK) return st;
        taken += gone;
    }
    bucket *list = malloc((taken + 1) * sizeof *list);
    if (!list) return BPK_E_NOMEM;
    *n = taken;
    taken = 0;
    for (size_t i = 0; i < b->n; i++) {
        bool gone = b->at[i].when.end <= end;
        if (gone) b->memory -= b->at[i].memory;
        if (gone) list[taken++] = b->at[i];
        else b->at[kept++] = b->at[i];
    }
    b->n = kept;
    if (taken) qsort(list, taken, sizeof *list, in_order);
    if (b->slot) {
        memset(b->slot, 0, sizeof *b->slot << b->lg);
        number_all(b);
    }
    *out = list;
    return BPK_OK;
}

void buckets_free(buckets *b) {
    for (size_t i = 0; i < b->n; i++) bucket_free(&b->at[i]);
    free(b->at);
    free(b->slot);
}
