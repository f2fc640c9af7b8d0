/* topk_names.c - inside the topk room: the keys of the heaviest ways.
 *
 * A key is taken late: when the score of a way without one rises above a threshold T. A full store is cut to its upper
 * half, candidates / 2 names, and T becomes the lowest score kept. Since a score never falls, not even by eviction (the
 * newcomer starts above the old minimum and, being above T, is taken itself), this holds at every moment:
 *
 *     T = 0, or at least candidates / 2 named ways have a score >= T.
 *
 * A row without a name has a score <= T or is outranked by named ones, so that the first candidates / 2 rows by (score,
 * named first) all have their keys. Merging shards can therefore name an item that was 30th on each. Exceptions say so
 * (names_short): no memory, more than 16 MiB of keys, items without bytes.
 */
#include <stdlib.h>

#include "topk_state.h"

static uint64_t score_of(const bpk_topk *t, uint32_t way) {
    return topk_score(topk_bucket_at(t, way / TOPK_WAYS), way % TOPK_WAYS);
}

static void set_named(bpk_topk *t, uint32_t way, bool named) {
    uint8_t *bucket = topk_bucket_at(t, way / TOPK_WAYS);
    unsigned bit = 1u << way % TOPK_WAYS;
    bpki_store16(bucket + 54, (uint16_t)(named ? topk_memo(bucket) | bit : topk_memo(bucket) & ~bit));
}

/* ---- the store ---- */

/* Where a way is, or belongs, among sorted names. */
static uint32_t slot_of(const topk_name *name, uint32_t n, uint32_t way) {
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (name[mid].way < way) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

const topk_name *bpki_topk_find_name(const topk_name *name, uint32_t n, uint32_t way) {
    uint32_t i = slot_of(name, n, way);
    return i < n && name[i].way == way ? &name[i] : NULL;
}

static const topk_name gone = {0, UINT32_MAX, NULL}; /* an empty key has the length 0 */

static bool is_gone(const topk_name *name) {
    return name->len == gone.len && !name->bytes;
}

static topk_name *entry_of(const topk_store *s, uint32_t way) {
    if (!s->name) return NULL;
    const topk_name *found = bpki_topk_find_name(s->name, s->old, way);
    if (!found) found = bpki_topk_find_name(s->name + s->old, s->fresh, way);
    return found ? s->name + (found - s->name) : NULL;
}

const topk_name *bpki_topk_name_of(const bpk_topk *t, uint32_t way) {
    const topk_name *name = entry_of(&t->names, way);
    return name && !is_gone(name) ? name : NULL;
}

const topk_name *bpki_topk_next_name(const bpk_topk *t, topk_walk *w) {
    const topk_store *s = &t->names;
    if (!s->name) return NULL;
    const topk_name *old = s->name + w->old, *fresh = s->name + s->old + w->fresh;
    for (; w->old < s->old && is_gone(old); old++) w->old++;
    bool left = w->old < s->old, more = w->fresh < s->fresh;
    if (!left && !more) return NULL;
    if (left && (!more || old->way < fresh->way)) {
        w->old++;
        return old;
    }
    w->fresh++;
    return fresh;
}

/* One run, nothing gone. */
static void settle(topk_store *s) {
    topk_name fresh[TOPK_FRESH];
    uint32_t old = 0, n = s->fresh;
    if (!n && !s->gone) return;
    memcpy(fresh, s->name + s->old, n * sizeof *fresh);
    for (uint32_t i = 0; i < s->old; i++)
        if (!is_gone(&s->name[i])) s->name[old++] = s->name[i];
    s->old = old + n;
    for (uint32_t to = s->old; n;) {
        bool take_old = old && s->name[old - 1].way > fresh[n - 1].way;
        s->name[--to] = take_old ? s->name[--old] : fresh[--n];
    }
    s->fresh = s->gone = 0;
}

/* ---- reading ---- */

/* The names of a view stand in the bytes, which the decoder's rules have been applied to. */
static void read_wire_names(topk_name *name, const bpk_topk *t) {
    const uint8_t *at = t->wire_names;
    for (uint32_t i = 0; i < t->names_n; i++) {
        uint32_t len = bpki_load32(at + 4);
        name[i] = (topk_name){bpki_load32(at), len, NULL};
        const uint8_t *bytes = at + 8;
        memcpy(&name[i].bytes, &bytes, sizeof bytes); /* only read */
        at += 8 + topk_kept(len);
    }
}

static void join_runs(topk_name *name, const bpk_topk *t) {
    topk_walk w = {0, 0};
    for (const topk_name *next; (next = bpki_topk_next_name(t, &w));) *name++ = *next;
}

bpk_status bpki_topk_borrow_names(topk_names *names, const bpk_topk *t) {
    void *p = NULL;
    *names = (topk_names){t->names.name, t->names_n, NULL, 0};
    if (!t->view && !t->names.fresh && !t->names.gone) return BPK_OK;
    size_t bytes = t->names_n * sizeof *t->names.name;
    BPK_TRY(bpki_alloc(&t->base.env, bytes, &p));
    if (t->view) read_wire_names(p, t);
    else join_runs(p, t);
    *names = (topk_names){p, t->names_n, p, bytes};
    return BPK_OK;
}

void bpki_topk_return_names(topk_names *names, const bpk_topk *t) {
    bpki_release(&t->base.env, names->own, names->own_n);
}

/* ---- forgetting ---- */

static void release_bytes(bpk_topk *t, const topk_name *name) {
    bpki_release(&t->base.env, name->bytes, topk_kept(name->len));
    t->name_bytes -= topk_kept(name->len);
}

void bpki_topk_forget(bpk_topk *t, uint32_t way) {
    topk_store *s = &t->names;
    topk_name *name = entry_of(s, way);
    assert(name && !is_gone(name));
    topk_name *end = s->name + s->old + s->fresh;
    release_bytes(t, name);
    if (name < s->name + s->old) {
        name->len = gone.len;
        name->bytes = gone.bytes;
        s->gone++;
    } else {
        memmove(name, name + 1, (size_t)(end - name - 1) * sizeof *name);
        s->fresh--;
    }
    t->names_n--;
    set_named(t, way, false);
}

void bpki_topk_drop_names(bpk_topk *t) {
    topk_walk w = {0, 0};
    for (const topk_name *name; (name = bpki_topk_next_name(t, &w));) release_bytes(t, name);
    bpki_release(&t->base.env, t->names.name, t->names.room * sizeof *t->names.name);
    t->names = (topk_store){.name = NULL};
    t->names_n = 0;
}

/* ---- cutting ---- */

static int by_score_down(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* The keep-th highest score among the names, and how many that have just that score may stay. */
static bool find_cut(const bpk_topk *t, uint32_t keep, uint64_t *cut, uint32_t *ties) {
    void *p;
    size_t bytes = t->names_n * sizeof(uint64_t);
    if (keep == 0 || bpki_alloc(&t->base.env, bytes, &p) != BPK_OK) return false;
    uint64_t *score = p;
    for (uint32_t i = 0; i < t->names_n; i++) score[i] = score_of(t, t->names.name[i].way);
    qsort(score, t->names_n, sizeof *score, by_score_down);
    *cut = score[keep - 1];
    for (*ties = 0; *ties < keep && score[keep - 1 - *ties] == *cut;) ++*ties;
    bpki_release(&t->base.env, p, bytes);
    return true;
}

/* Keeps the `keep` highest names, among equals the first by way. Without memory the store stays as it is. */
static bool cut_names(bpk_topk *t, uint32_t keep) {
    uint64_t cut;
    uint32_t ties, kept = 0;
    settle(&t->names);
    if (!find_cut(t, keep, &cut, &ties)) return false;
    for (uint32_t i = 0; i < t->names_n; i++) {
        topk_name name = t->names.name[i];
        uint64_t score = score_of(t, name.way);
        if (score > cut || (score == cut && ties && ties--)) {
            t->names.name[kept++] = name;
        } else {
            release_bytes(t, &name);
            set_named(t, name.way, false);
        }
    }
    t->names_n = t->names.old = kept;
    t->threshold = t->threshold > cut ? t->threshold : cut;
    return true;
}

/* ---- taking ---- */

/* Whether `bytes` more stay within the environment's limit: a shape that was read may allow far more. */
static bool within_limit(const bpk_topk *t, size_t bytes) {
    uint64_t held = t->memory_n + (uint64_t)t->names.room * sizeof *t->names.name + t->name_bytes;
    return held + bytes <= t->base.env.max_bytes;
}

static bool fits(const bpk_topk *t, size_t bytes) {
    return t->names_n < t->shape.candidates && t->name_bytes + bytes <= t->shape.name_bytes_max &&
           within_limit(t, bytes);
}

/* Twice the room. */
static bpk_status grow(bpk_topk *t) {
    topk_store *s = &t->names;
    void *p;
    uint64_t room = s->room ? 2 * (uint64_t)s->room : 16;
    if (room > t->shape.candidates) room = t->shape.candidates;
    BPK_TRY(bpki_alloc(&t->base.env, (size_t)room * sizeof *s->name, &p));
    if (s->old) memcpy(p, s->name, s->old * sizeof *s->name);
    bpki_release(&t->base.env, s->name, s->room * sizeof *s->name);
    s->name = p;
    s->room = (uint32_t)room;
    return BPK_OK;
}

/* Room for one more among the fresh names. */
static bpk_status make_room(bpk_topk *t) {
    topk_store *s = &t->names;
    if (s->old + s->fresh == s->room || s->fresh == TOPK_FRESH) settle(s);
    return s->old == s->room ? grow(t) : BPK_OK;
}

/* The place of a way that has no name. */
static topk_name *open_place(bpk_topk *t, uint32_t way) {
    topk_store *s = &t->names;
    assert(s->name); /* there is room */
    topk_name *place = entry_of(s, way), *fresh = s->name + s->old;
    if (place) {
        s->gone--;
        return place;
    }
    uint32_t i = slot_of(fresh, s->fresh, way);
    memmove(fresh + i + 1, fresh + i, (s->fresh - i) * sizeof *fresh);
    s->fresh++;
    return fresh + i;
}

static bpk_status insert(bpk_topk *t, uint32_t way, uint32_t len, const void *key) {
    void *bytes;
    size_t kept = topk_kept(len);
    if (!entry_of(&t->names, way)) BPK_TRY(make_room(t));
    if (!within_limit(t, kept)) return BPK_E_LIMIT;
    BPK_TRY(bpki_alloc(&t->base.env, kept, &bytes));
    if (kept) memcpy(bytes, key, kept);
    *open_place(t, way) = (topk_name){way, len, bytes};
    t->names_n++;
    t->name_bytes += kept;
    set_named(t, way, true);
    return BPK_OK;
}

bpk_status bpki_topk_append_name(bpk_topk *t, uint32_t way, uint32_t len, const uint8_t *bytes) {
    return insert(t, way, len, bytes);
}

void bpki_topk_capture(bpk_topk *t, uint32_t way, const void *key, size_t len) {
    uint32_t length = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
    size_t kept = topk_kept(length);
    if (!key) {
        t->names_short = true;
        return;
    }
    if (t->names_n == t->shape.candidates && !cut_names(t, t->shape.candidates / 2)) t->names_short = true;
    while (!fits(t, kept) && t->names_n > 1 && score_of(t, way) > t->threshold) {
        t->names_short = true;
        if (!cut_names(t, t->names_n / 2)) return;
    }
    if (score_of(t, way) <= t->threshold) return;
    if (!fits(t, kept) || insert(t, way, length, key) != BPK_OK) t->names_short = true;
}
