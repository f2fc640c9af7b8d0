/* sample_strata.c - inside the sample room: which groups have a stratum of their own, and the canonical order of all.
 *
 * Those with the smallest (hash, name) do. A group that is seen and not among them will never be, whatever comes: so
 * neither order nor the tree of merges has a say in the choice, and a stratum has had all records of its group. A group
 * that falls out gives its records to `rest`; the k smallest tags of both are all that it can need.
 */
#include <stdlib.h>

#include "sample_state.h"

static int compare_bytes(const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n) {
    size_t common = a_n < b_n ? a_n : b_n;
    int order = common ? memcmp(a, b, common) : 0;
    return order ? order : (a_n > b_n) - (a_n < b_n);
}

int bpki_sample_compare(const sample_key *a, const sample_key *b) {
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return compare_bytes(a->name, a->len, b->name, b->len);
}

sample_key bpki_sample_key_of(const sample_stratum *t) {
    return (sample_key){t->hash, t->name, t->len};
}

static bool below(const bpk_sample *s, uint32_t a, uint32_t b) {
    sample_key x = bpki_sample_key_of(&s->strata[a]), y = bpki_sample_key_of(&s->strata[b]);
    return bpki_sample_compare(&x, &y) < 0;
}

/* ---- the table of groups ---- */

enum { FIRST = 8 }; /* room */

static size_t block_of(uint32_t room) {
    return room * (sizeof(sample_stratum) + 3 * sizeof(uint32_t));
}

static uint32_t start_of(const bpk_sample *s, uint64_t hash) {
    unsigned bits = bpki_bit_length(s->room); /* 2 x room slots */
    return (uint32_t)((hash * s->salt) >> (64 - bits));
}
static uint32_t slot_after(const bpk_sample *s, uint32_t at) {
    return (at + 1) & (2 * s->room - 1);
}

/* The slot of a group, or the free one where it would be. */
static uint32_t slot_of(const bpk_sample *s, const sample_key *key) {
    uint32_t at = start_of(s, key->hash);
    for (; s->slot[at]; at = slot_after(s, at)) {
        sample_key there = bpki_sample_key_of(&s->strata[s->slot[at] - 1]);
        if (bpki_sample_compare(&there, key) == 0) break;
    }
    return at;
}

/* Takes a slot out; those behind it that started at or before it move up. */
static void clear_slot(bpk_sample *s, uint32_t at) {
    uint32_t mask = 2 * s->room - 1, next = at;
    for (;;) {
        s->slot[at] = 0;
        do {
            next = slot_after(s, next);
            if (!s->slot[next]) return;
        } while (((next - start_of(s, s->strata[s->slot[next] - 1].hash)) & mask) < ((next - at) & mask));
        s->slot[at] = s->slot[next];
        at = next;
    }
}

size_t bpki_sample_room_bytes(uint32_t groups) {
    uint32_t room = FIRST;
    while (room < groups) room *= 2;
    return groups ? block_of(room) : 0;
}

bpk_status bpki_sample_room(bpk_sample *s, uint32_t groups) {
    uint32_t room = s->room ? s->room : FIRST, old = s->room;
    void *p;
    if (groups <= old) return BPK_OK;
    while (room < groups) room *= 2;
    BPK_TRY(bpki_sample_alloc(s, block_of(room), &p));
    sample_stratum *strata = p;
    uint32_t *order = (uint32_t *)(void *)(strata + room);
    if (s->named) memcpy(strata, s->strata, s->named * sizeof *strata);
    if (s->named) memcpy(order, s->order, s->named * sizeof *order);
    bpki_sample_drop(s, s->strata, block_of(old));
    s->strata = strata;
    s->order = order;
    s->slot = order + room;
    s->room = room;
    for (uint32_t i = 0; i < s->named; i++) {
        sample_key key = bpki_sample_key_of(&strata[i]);
        s->slot[slot_of(s, &key)] = i + 1;
    }
    return BPK_OK;
}

/* ---- which groups have a stratum ---- */

sample_stratum *bpki_sample_find(bpk_sample *s, const sample_key *key) {
    if (s->named == s->groups && s->named) {
        sample_key largest = bpki_sample_key_of(&s->strata[s->order[0]]);
        if (bpki_sample_compare(&largest, key) < 0) return &s->rest;
    }
    uint32_t at = s->named ? slot_of(s, key) : 0;
    return s->named && s->slot[at] ? &s->strata[s->slot[at] - 1] : NULL;
}

static void rise(bpk_sample *s, uint32_t at, uint32_t place) {
    for (; at && below(s, s->order[(at - 1) / 2], place); at = (at - 1) / 2) s->order[at] = s->order[(at - 1) / 2];
    s->order[at] = place;
}

static void sink(const bpk_sample *s, uint32_t n, uint32_t place) {
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && below(s, s->order[child], s->order[child + 1])) child++;
        if (!below(s, place, s->order[child])) break;
        s->order[at] = s->order[child];
    }
    s->order[at] = place;
}

static size_t sum_bytes(const bpk_sample *s) {
    return s->weighted ? BPKI_SUM_WORDS * sizeof(uint64_t) : 0;
}
static void drop_block(bpk_sample *s, sample_stratum *t) {
    bpki_sample_drop(s, s->weighted ? (void *)t->sum : t->name, sum_bytes(s) + t->len);
}

/* All of a group goes to `rest`, which has the room; its memory is free. */
static void pour(bpk_sample *s, sample_stratum *from) {
    sample_stratum *to = &s->rest;
    for (uint32_t i = 0; i < from->kept; i++) bpki_sample_put(s, to, &from->entry[i]);
    to->n += from->n;
    if (s->weighted) bpki_sum_join(to->sum, from->sum);
    to->drawn = false;
    to->skip = 0;
    to->left = 0;
    from->kept = 0; /* its bytes have moved */
    bpki_sample_empty(s, from);
    drop_block(s, from);
}

/* An empty stratum with its name. */
static bpk_status make_stratum(bpk_sample *s, const sample_key *key, uint32_t room, sample_stratum *out) {
    sample_stratum t = {.hash = key->hash, .len = key->len};
    void *p;
    BPK_TRY(bpki_sample_alloc(s, sum_bytes(s) + key->len, &p));
    uint8_t *block = p;
    if (s->weighted) t.sum = p;
    if (key->len) t.name = block + sum_bytes(s);
    if (key->len) memcpy(t.name, key->name, key->len);
    bpk_status st = bpki_sample_reserve(s, &t, room);
    if (st == BPK_OK) *out = t;
    else drop_block(s, &t);
    return st;
}

bpk_status bpki_sample_group(bpk_sample *s, const sample_key *key, uint32_t room, sample_stratum **out) {
    bool over = s->named == s->groups;
    sample_stratum made, *victim = over ? &s->strata[s->order[0]] : NULL;
    BPK_TRY(over ? bpki_sample_reserve(s, &s->rest, s->rest.kept + victim->kept) : bpki_sample_room(s, s->named + 1));
    BPK_TRY(make_stratum(s, key, room, &made));
    uint32_t place = over ? s->order[0] : s->named;
    if (over) {
        sample_key old = bpki_sample_key_of(victim);
        clear_slot(s, slot_of(s, &old));
        pour(s, victim);
    }
    s->strata[place] = made;
    s->slot[slot_of(s, key)] = place + 1;
    if (over) sink(s, s->named, place);
    else rise(s, s->named++, place);
    *out = &s->strata[place];
    return BPK_OK;
}

void bpki_sample_drop_groups(bpk_sample *s) {
    for (uint32_t i = 0; i < s->named; i++) {
        bpki_sample_empty(s, &s->strata[i]);
        drop_block(s, &s->strata[i]);
    }
    bpki_sample_drop(s, s->strata, block_of(s->room));
    s->strata = NULL;
    s->order = s->slot = NULL;
    s->named = s->room = 0;
}

/* ---- canonical order ---- */

static int by_tag_down(const void *a, const void *b) {
    return bpki_sample_below(a, b) ? 1 : bpki_sample_below(b, a) ? -1 : 0;
}

static void sort_entries(const sample_stratum *t) {
    uint32_t i = 1;
    while (i < t->kept && bpki_sample_below(&t->entry[i], &t->entry[i - 1])) i++;
    if (i < t->kept) qsort(t->entry, t->kept, sizeof *t->entry, by_tag_down);
}

/* The largest goes to the end again and again; then the order is turned round. */
static void sort_order(const bpk_sample *s) {
    uint32_t i = 1, n = s->named;
    while (i < n && below(s, s->order[i], s->order[i - 1])) i++;
    if (i >= n) return;
    for (uint32_t end = n - 1; end > 0; end--) {
        uint32_t last = s->order[end];
        s->order[end] = s->order[0];
        sink(s, end, last);
    }
    for (i = 0; i < n / 2; i++) {
        uint32_t first = s->order[i];
        s->order[i] = s->order[n - 1 - i];
        s->order[n - 1 - i] = first;
    }
}

void bpki_sample_sort(const bpk_sample *s) {
    sort_order(s);
    for (uint32_t i = 0; i < s->named; i++) sort_entries(&s->strata[i]);
    sort_entries(&s->rest);
}

size_t bpki_sample_strata_n(const bpk_sample *s) {
    return s->named + (size_t)(!s->groups || s->rest.n);
}
const sample_stratum *bpki_sample_stratum_at(const bpk_sample *s, size_t i) {
    return i < s->named ? &s->strata[s->order[s->named - 1 - i]] : &s->rest;
}
const sample_entry *bpki_sample_entry_at(const sample_stratum *t, uint32_t i) {
    return &t->entry[t->kept - 1 - i];
}
