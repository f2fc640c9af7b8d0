/* tally.c - layer 3: an exact map from key to count.
 *
 *     slot     u32, open addressing with linear probing: 1 + index into entry, 0 is free
 *     entry    {hash, count, where its key begins, length}, in the order in which the keys came
 *     keys     their bytes, one behind the other
 *
 * Entry and keys grow in place where the environment can; the slots are filled anew from the entries. All room for a
 * new key is there before it is taken in.
 *
 * A public hash lets anyone make any number of keys with one and the same 64 bits, each of which would be compared with
 * all before it. Where more than ALIKE_MAX of them meet, the slots are placed by SipHash-1-3 of the keys instead, under
 * a key of this object.
 */
#include <ballpark/tally.h>
#include <stdlib.h>

#include "room.h"

typedef struct entry {
    uint64_t hash, count;
    size_t at, len;
} entry;

struct bpk_tally {
    bpk_env env;
    bpk_domain domain;
    uint64_t max_keys, total, salt;
    bool keyed; /* slots are placed by a secret hash of the keys */
    uint32_t *slot;
    unsigned lg;
    entry *entry;
    size_t n, room;
    uint8_t *keys;
    size_t keys_n, keys_room;
};

enum { LG_START = 6, KEYS_START = 1024, ENTRIES_MAX = INT32_MAX, ALIKE_MAX = 16 };

bpk_status bpk_tally_new(bpk_tally **out, const bpk_domain *domain, uint64_t max_keys, const bpk_env *env) {
    void *object, *slot;
    bpk_domain settled;
    env = bpki_env(env);
    BPK_TRY(bpki_domain_settle(&settled, domain));
    BPK_TRY(bpki_alloc(env, sizeof(bpk_tally), &object));
    bpk_status st = bpki_alloc(env, sizeof(uint32_t) << LG_START, &slot);
    if (st != BPK_OK) {
        bpki_release(env, object, sizeof(bpk_tally));
        return st;
    }
    bpk_tally *t = object;
    t->env = *env;
    t->domain = settled;
    t->salt = bpki_salt(t);
    t->max_keys = max_keys ? max_keys : ENTRIES_MAX;
    t->slot = slot;
    t->lg = LG_START;
    *out = t;
    return BPK_OK;
}

void bpk_tally_free(bpk_tally *t) {
    if (!t) return;
    bpk_env env = t->env;
    bpki_release(&env, t->slot, sizeof(uint32_t) << t->lg);
    bpki_release(&env, t->entry, t->room * sizeof(entry));
    bpki_release(&env, t->keys, t->keys_room);
    bpki_release(&env, t, sizeof *t);
}

size_t bpk_tally_memory(const bpk_tally *t) {
    return sizeof *t + (sizeof(uint32_t) << t->lg) + t->room * sizeof(entry) + t->keys_room;
}

uint64_t bpk_tally_keys(const bpk_tally *t) {
    return t->n;
}

uint64_t bpk_tally_total(const bpk_tally *t) {
    return t->total;
}

/* ---- finding ---- */

static uint32_t *home_of(const bpk_tally *t, uint32_t *slot, unsigned lg, uint64_t hash, const void *key, size_t len) {
    if (t->keyed) {
        const bpk_hasher secret = {{.hash = BPK_HASH_SIPHASH, .secret = 1}, {t->salt, bpki_salt(&t->slot)}};
        hash = bpk_hash(&secret, key, len);
    }
    return &slot[hash * t->salt >> (64 - lg)];
}

static bool is_key(const bpk_tally *t, const entry *e, uint64_t hash, const void *key, size_t len) {
    return e->hash == hash && e->len == len && (len == 0 || memcmp(t->keys + e->at, key, len) == 0);
}

/* The slot of a key, or the free one where it belongs; *alike: other keys of its hash on the way there. */
static uint32_t *find_slot(const bpk_tally *t, uint64_t hash, const void *key, size_t len, size_t *alike) {
    uint32_t *at = home_of(t, t->slot, t->lg, hash, key, len), *end = t->slot + ((size_t)1 << t->lg);
    for (*alike = 0; *at && !is_key(t, &t->entry[*at - 1], hash, key, len);) {
        *alike += t->entry[*at - 1].hash == hash;
        if (++at == end) at = t->slot;
    }
    return at;
}

static uint32_t *slot_of(const bpk_tally *t, uint64_t hash, const void *key, size_t len) {
    size_t alike;
    return find_slot(t, hash, key, len, &alike);
}

/* ---- growing ---- */

/* `extra` bytes beside everything that is held already. */
static bool within_limit(const bpk_tally *t, size_t extra) {
    size_t sum;
    return bpki_add(bpk_tally_memory(t), extra, &sum) && sum <= t->env.max_bytes;
}

/* Units in an array that grows by halves, after `room` of them. */
static uint64_t next_room(uint64_t room, size_t unit) {
    return room + room / 2 + KEYS_START / unit;
}

static uint64_t room_for(uint64_t n, size_t unit) {
    uint64_t room = 0;
    while (room < n) room = next_room(room, unit);
    return room;
}

uint64_t bpk_tally_bytes(uint64_t keys, uint32_t key_bytes) {
    unsigned lg = LG_START;
    if (keys > ENTRIES_MAX) return UINT64_MAX;
    while (4 * keys > UINT64_C(3) << lg) lg++;
    return sizeof(bpk_tally) + ((uint64_t)sizeof(uint32_t) << lg) + room_for(keys, sizeof(entry)) * sizeof(entry) +
           room_for(keys * key_bytes, 1);
}

/* Makes room for n bytes in an array. */
static bpk_status grow_array(bpk_tally *t, void **array, size_t *room, size_t n, size_t unit) {
    size_t want = (size_t)next_room(*room, unit);
    if (n <= *room) return BPK_OK;
    if (want < n) want = n;
    if (want > SIZE_MAX / unit || !within_limit(t, (want - *room) * unit)) return BPK_E_LIMIT;
    void *p =
        *room ? t->env.resize(t->env.ctx, *array, *room * unit, want * unit) : t->env.alloc(t->env.ctx, want * unit);
    if (!p) return BPK_E_NOMEM;
    *array = p;
    *room = want;
    return BPK_OK;
}

/* Enters all keys into slots that are free. */
static void place_all(const bpk_tally *t, uint32_t *slot, unsigned lg) {
    uint32_t *end = slot + ((size_t)1 << lg);
    for (size_t i = 0; i < t->n; i++) {
        const entry *e = &t->entry[i];
        uint32_t *at = home_of(t, slot, lg, e->hash, t->keys + e->at, e->len);
        while (*at)
            if (++at == end) at = slot;
        *at = (uint32_t)i + 1;
    }
}

static void become_keyed(bpk_tally *t) {
    t->keyed = true;
    memset(t->slot, 0, sizeof(uint32_t) << t->lg);
    place_all(t, t->slot, t->lg);
}

static bpk_status grow_slots(bpk_tally *t) {
    void *p;
    if (4 * (t->n + 1) <= (size_t)3 << t->lg) return BPK_OK;
    unsigned lg = t->lg + 1;
    if (!within_limit(t, sizeof(uint32_t) << lg)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(&t->env, sizeof(uint32_t) << lg, &p));
    uint32_t *slot = p;
    place_all(t, slot, lg);
    bpki_release(&t->env, t->slot, sizeof(uint32_t) << t->lg);
    t->slot = slot;
    t->lg = lg;
    return BPK_OK;
}

static bpk_status take_key(bpk_tally *t, uint64_t hash, uint64_t weight, const void *key, size_t len) {
    void *entries = t->entry, *keys = t->keys;
    size_t bytes;
    if (t->n == t->max_keys || t->n == ENTRIES_MAX) return BPK_E_FULL;
    if (!bpki_add(t->keys_n, len, &bytes)) return BPK_E_LIMIT;
    BPK_TRY(grow_slots(t));
    BPK_TRY(grow_array(t, &entries, &t->room, t->n + 1, sizeof(entry)));
    t->entry = entries;
    BPK_TRY(grow_array(t, &keys, &t->keys_room, bytes, 1));
    t->keys = keys;
    if (len) memcpy(t->keys + t->keys_n, key, len);
    *slot_of(t, hash, key, len) = (uint32_t)t->n + 1;
    t->entry[t->n++] = (entry){hash, weight, t->keys_n, len};
    t->keys_n = bytes;
    return BPK_OK;
}

static uint64_t plus(uint64_t a, uint64_t b) {
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

bpk_status bpk_tally_add(bpk_tally *t, const bpk_items *it, size_t *done) {
    size_t unused, *at = done ? done : &unused;
    for (*at = 0; *at < it->n; ++*at) {
        size_t i = *at;
        uint64_t weight = it->weight ? it->weight[i] : 1;
        if (weight == 0) continue;
        size_t alike;
        const uint32_t *slot = find_slot(t, it->hash[i], it->item[i], it->len[i], &alike);
        if (alike > ALIKE_MAX && !t->keyed) {
            become_keyed(t);
            slot = slot_of(t, it->hash[i], it->item[i], it->len[i]);
        }
        if (*slot) t->entry[*slot - 1].count = plus(t->entry[*slot - 1].count, weight);
        else BPK_TRY(take_key(t, it->hash[i], weight, it->item[i], it->len[i]));
        t->total = plus(t->total, weight);
    }
    return BPK_OK;
}

/* ---- answers ---- */

bpk_estimate bpk_tally_count(const bpk_tally *t, uint64_t hash, const void *key, size_t len) {
    const uint32_t *slot = slot_of(t, hash, key, len);
    return bpki_certain_count(*slot ? t->entry[*slot - 1].count : 0);
}

typedef struct row {
    uint64_t count;
    const uint8_t *key;
    size_t len;
} row;

static int by_count(const void *a, const void *b) {
    const row *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    size_t common = x->len < y->len ? x->len : y->len;
    int order = common ? memcmp(x->key, y->key, common) : 0;
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

bpk_status bpk_tally_rows(const bpk_tally *t, size_t limit, bpk_row_fn fn, void *ctx) {
    void *p;
    size_t bytes = t->n * sizeof(row);
    BPK_TRY(bpki_alloc(&t->env, bytes, &p));
    row *rows = p;
    for (size_t i = 0; i < t->n; i++) rows[i] = (row){t->entry[i].count, t->keys + t->entry[i].at, t->entry[i].len};
    if (t->n) qsort(rows, t->n, sizeof *rows, by_count);
    bool more = true;
    for (size_t i = 0; i < t->n && i < limit && more; i++) {
        bpk_row r = {rows[i].key, rows[i].len, bpki_certain_count(rows[i].count), true};
        more = fn(ctx, &r);
    }
    bpki_release(&t->env, p, bytes);
    return BPK_OK;
}

enum { BATCH = 256 };

bpk_status bpk_tally_spill(const bpk_tally *t, bpk_sketch *into, bpk_err *err) {
    BPK_TRY(bpki_domain_match(bpk_domain_of(into), &t->domain, err));
    for (size_t i = 0; i < t->n;) {
        uint64_t hash[BATCH], weight[BATCH];
        const void *item[BATCH];
        size_t len[BATCH];
        bpk_items it = {.n = 0, .hash = hash, .item = item, .len = len, .weight = weight};
        for (; it.n < BATCH && i < t->n; i++, it.n++) {
            hash[it.n] = t->entry[i].hash;
            weight[it.n] = t->entry[i].count;
            item[it.n] = t->keys + t->entry[i].at;
            len[it.n] = t->entry[i].len;
        }
        bpk_status st = bpk_add(into, &it, NULL, NULL);
        if (st != BPK_OK) return bpki_fail(err, st, "spill");
    }
    return BPK_OK;
}
