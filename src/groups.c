/* groups.c - layer 3: a bounded table from group to sketch, and shared sketches for what it has no room for.
 *
 *     slot     u32, open addressing with linear probing: 1 + index into group, 0 is free
 *     group    {hash, name, sketch, its count when that was last looked at, changes since}
 *     heap     once the table is full: indices of groups, the one with the smallest count first
 *     rest     two rows of sketches, from the first item on that found no room; a group shares one of each row with
 *              others
 *
 * Every item of a group is in the group's own sketch or in both of its shared ones, also after the group lost its place
 * (its sketch is merged into them). So the union of its own and a shared sketch holds them all, and the smaller of the
 * two unions is an upper limit, as a count-min sketch has it.
 *
 * In the heap a group has the count that it took over with its place, its own one, and an item more for each change
 * since that was looked at, which it is after 64 changes and a sixteenth. Counts only grow in between, but for sketches
 * that forget; there bpk_groups_advance() looks at all of them. A new sketch begins at the latest time, so that what is
 * late for the others is late for it as well.
 */
#include <ballpark/groups.h>
#include <math.h>
#include <stdlib.h>

#include "room.h"

/* A sketch and the bytes that it was last seen to take. */
typedef struct weighed {
    bpk_sketch *s;
    size_t bytes;
} weighed;

typedef struct group {
    uint64_t hash;
    uint8_t *name;
    size_t len;
    weighed sketch;
    double base, count;   /* taken over with the place; with it, in the heap */
    uint32_t changes, at; /* since `count` was looked at; its place in the heap */
} group;

enum {
    LG_START = 6,
    ROOM_START = 48,
    REST_ROWS = 2,
    REST_LG_MIN = 4,
    REST_LG_MAX = 9,
    CHANGES_SHARE = 16,
    CHANGES_FREE = 64
};

struct bpk_groups {
    bpk_env env;
    bpk_sketch *like;
    uint64_t max, salt, now;
    bool timed; /* there has been a time */
    bpk_groups_full full;
    uint32_t *slot;
    unsigned lg, rest_lg;
    group *group;
    size_t n, room;
    uint32_t *heap; /* NULL while there is room */
    weighed *rest;  /* NULL until it is needed; REST_ROWS << rest_lg, each empty until it is */
    size_t held;    /* bytes of sketches, also of `like`, and names */
};

/* ---- memory ---- */

static size_t rest_n(const bpk_groups *g) {
    return (size_t)REST_ROWS << g->rest_lg;
}

size_t bpk_groups_memory(const bpk_groups *g) {
    return sizeof *g + (sizeof *g->slot << g->lg) + g->room * sizeof *g->group +
           (g->heap ? g->max * sizeof *g->heap : 0) + (g->rest ? rest_n(g) * sizeof(weighed) : 0) + g->held;
}

static bpk_status alloc(const bpk_groups *g, size_t n, void **out) {
    size_t sum;
    if (!bpki_add(bpk_groups_memory(g), n, &sum) || sum > g->env.max_bytes) return BPK_E_LIMIT;
    return bpki_alloc(&g->env, n, out);
}

static void weigh(bpk_groups *g, weighed *w) {
    size_t bytes = bpk_memory(w->s);
    g->held += bytes - w->bytes;
    w->bytes = bytes;
}

/* A new empty sketch. */
static bpk_status new_sketch(bpk_groups *g, weighed *out) {
    if (bpk_groups_memory(g) + bpk_memory(g->like) > g->env.max_bytes) return BPK_E_LIMIT;
    *out = (weighed){NULL, 0};
    BPK_TRY(bpk_twin(&out->s, g->like, &g->env));
    if (g->timed) bpk_advance(out->s, g->now);
    weigh(g, out);
    return BPK_OK;
}

static void free_sketch(bpk_groups *g, weighed *w) {
    g->held -= w->bytes;
    bpk_free(w->s);
}

static bpk_status count_of(const bpk_sketch *s, double confidence, bpk_estimate *out, bpk_err *err) {
    return bpk_count(s, NULL, 0, confidence, out, err);
}

bpk_status bpk_groups_new(bpk_groups **out, const bpk_sketch *like, uint64_t max_groups, bpk_groups_full full,
                          const bpk_env *env, bpk_err *err) {
    bpk_estimate unused;
    void *object, *slot;
    env = bpki_env(env);
    if (max_groups < 1 || max_groups > BPK_GROUPS_MAX) return bpki_fail(err, BPK_E_ARG, "max_groups");
    if (full != BPK_GROUPS_REFUSE && full != BPK_GROUPS_LARGEST) return bpki_fail(err, BPK_E_ARG, "full");
    BPK_TRY(count_of(like, 0, &unused, err));
    bpk_status st = bpki_alloc(env, sizeof(bpk_groups), &object);
    if (st != BPK_OK) return bpki_fail(err, st, NULL);
    bpk_groups *g = object;
    st = bpki_alloc(env, sizeof *g->slot << LG_START, &slot);
    if (st == BPK_OK) {
        g->slot = slot;
        st = bpk_twin(&g->like, like, env);
    }
    g->env = *env;
    g->lg = LG_START;
    g->held = g->like ? bpk_memory(g->like) : 0;
    if (st == BPK_OK && bpk_groups_memory(g) > env->max_bytes) st = BPK_E_LIMIT;
    if (st != BPK_OK) {
        bpk_groups_free(g);
        return bpki_fail(err, st, NULL);
    }
    g->max = max_groups;
    g->full = full;
    g->salt = bpki_salt(g);
    g->rest_lg = REST_LG_MIN;
    while (g->rest_lg < REST_LG_MAX && UINT64_C(8) << g->rest_lg < max_groups) g->rest_lg++;
    *out = g;
    return BPK_OK;
}

void bpk_groups_free(bpk_groups *g) {
    if (!g) return;
    bpk_env env = g->env;
    for (size_t i = 0; i < g->n; i++) {
        bpki_release(&env, g->group[i].name, g->group[i].len);
        bpk_free(g->group[i].sketch.s);
    }
    for (size_t i = 0; g->rest && i < rest_n(g); i++) bpk_free(g->rest[i].s);
    if (g->rest) bpki_release(&env, g->rest, rest_n(g) * sizeof *g->rest);
    if (g->heap) bpki_release(&env, g->heap, g->max * sizeof *g->heap);
    bpki_release(&env, g->group, g->room * sizeof *g->group);
    bpki_release(&env, g->slot, sizeof *g->slot << g->lg);
    bpk_free(g->like);
    bpki_release(&env, g, sizeof *g);
}

uint64_t bpk_groups_kept(const bpk_groups *g) {
    return g->n;
}

bool bpk_groups_complete(const bpk_groups *g) {
    return !g->rest;
}

/* ---- finding and growing ---- */

static uint32_t *slot_of(const bpk_groups *g, uint32_t *slot, unsigned lg, uint64_t hash) {
    uint32_t *end = slot + ((size_t)1 << lg), *at = &slot[hash * g->salt >> (64 - lg)];
    while (*at && g->group[*at - 1].hash != hash)
        if (++at == end) at = slot;
    return at;
}

static void place_all(const bpk_groups *g, uint32_t *slot, unsigned lg) {
    memset(slot, 0, sizeof *slot << lg);
    for (size_t i = 0; i < g->n; i++) *slot_of(g, slot, lg, g->group[i].hash) = (uint32_t)i + 1;
}

/* Frees a slot, and moves up those behind it whose search would end there. */
static void free_slot(bpk_groups *g, const uint32_t *slot) {
    size_t mask = ((size_t)1 << g->lg) - 1, gap = (size_t)(slot - g->slot);
    for (size_t i = (gap + 1) & mask; g->slot[i]; i = (i + 1) & mask) {
        size_t home = (size_t)(g->group[g->slot[i] - 1].hash * g->salt >> (64 - g->lg));
        if (((i - home) & mask) < ((i - gap) & mask)) continue;
        g->slot[gap] = g->slot[i];
        gap = i;
    }
    g->slot[gap] = 0;
}

static bpk_status grow_slots(bpk_groups *g) {
    void *p;
    if (4 * (g->n + 1) <= (size_t)3 << g->lg) return BPK_OK;
    BPK_TRY(alloc(g, sizeof *g->slot << (g->lg + 1), &p));
    place_all(g, p, g->lg + 1);
    bpki_release(&g->env, g->slot, sizeof *g->slot << g->lg);
    g->slot = p;
    g->lg++;
    return BPK_OK;
}

static bpk_status grow_groups(bpk_groups *g) {
    if (g->n < g->room) return BPK_OK;
    size_t room = g->room ? g->room + g->room / 2 : ROOM_START;
    void *p;
    if (room > g->max) room = (size_t)g->max;
    BPK_TRY(alloc(g, room * sizeof *g->group, &p));
    if (g->n) memcpy(p, g->group, g->n * sizeof *g->group);
    bpki_release(&g->env, g->group, g->room * sizeof *g->group);
    g->group = p;
    g->room = room;
    return BPK_OK;
}

static bpk_status copy_name(bpk_groups *g, uint8_t **out, const void *name, size_t len) {
    void *p = NULL;
    if (len) BPK_TRY(alloc(g, len, &p));
    if (len) memcpy(p, name, len);
    g->held += len;
    *out = p;
    return BPK_OK;
}

static void free_name(bpk_groups *g, uint8_t *name, size_t len) {
    bpki_release(&g->env, name, len);
    g->held -= len;
}

/* A new group behind the others. */
static bpk_status append(bpk_groups *g, uint64_t hash, const void *name, size_t len) {
    group fresh = {.hash = hash, .len = len};
    BPK_TRY(grow_slots(g));
    BPK_TRY(grow_groups(g));
    BPK_TRY(new_sketch(g, &fresh.sketch));
    bpk_status st = copy_name(g, &fresh.name, name, len);
    if (st != BPK_OK) {
        free_sketch(g, &fresh.sketch);
        return st;
    }
    *slot_of(g, g->slot, g->lg, hash) = (uint32_t)g->n + 1;
    g->group[g->n++] = fresh;
    return BPK_OK;
}

/* ---- which group is the smallest ---- */

static void put(bpk_groups *g, size_t at, uint32_t index) {
    g->heap[at] = index;
    g->group[index].at = (uint32_t)at;
}

/* Moves a group away from the root to where its count belongs. */
static void sink(bpk_groups *g, size_t at) {
    uint32_t index = g->heap[at];
    for (size_t child; (child = 2 * at + 1) < g->n; at = child) {
        if (child + 1 < g->n && g->group[g->heap[child + 1]].count < g->group[g->heap[child]].count) child++;
        if (g->group[index].count <= g->group[g->heap[child]].count) break;
        put(g, at, g->heap[child]);
    }
    put(g, at, index);
}

static bpk_status look(group *one) {
    bpk_estimate e;
    BPK_TRY(count_of(one->sketch.s, 0, &e, NULL));
    one->count = one->base + e.estimate;
    one->changes = 0;
    return BPK_OK;
}

static bpk_status make_heap(bpk_groups *g) {
    void *p = g->heap;
    if (!p) BPK_TRY(alloc(g, g->max * sizeof *g->heap, &p));
    g->heap = p;
    for (size_t i = 0; i < g->n; i++) put(g, i, (uint32_t)i);
    for (size_t i = 0; i < g->n; i++) {
        g->group[i].base = 0;
        BPK_TRY(look(&g->group[i]));
    }
    for (size_t i = g->n; i-- > 0;) sink(g, i);
    return BPK_OK;
}

/* ---- what found no room ---- */

static weighed *shared(const bpk_groups *g, uint64_t hash, unsigned row) {
    uint64_t h = row ? bpki_mix(hash) : hash * UINT64_C(0x9E3779B97F4A7C15);
    return &g->rest[((size_t)row << g->rest_lg) + (size_t)(h >> (64 - g->rest_lg))];
}

static bpk_status need_shared(bpk_groups *g, uint64_t hash) {
    void *p = g->rest;
    if (!p) BPK_TRY(alloc(g, rest_n(g) * sizeof *g->rest, &p));
    g->rest = p;
    for (unsigned row = 0; row < REST_ROWS; row++) {
        weighed *cell = shared(g, hash, row);
        if (!cell->s) BPK_TRY(new_sketch(g, cell));
    }
    return BPK_OK;
}

static bpk_status add_one(bpk_groups *g, weighed *w, const bpk_items *one, uint8_t *changed) {
    BPK_TRY(bpk_add(w->s, one, changed, NULL));
    if (!*changed) return BPK_OK;
    weigh(g, w);
    return bpk_groups_memory(g) > g->env.max_bytes ? BPK_E_LIMIT : BPK_OK;
}

static bpk_status add_shared(bpk_groups *g, uint64_t hash, const bpk_items *one) {
    uint8_t changed;
    BPK_TRY(need_shared(g, hash));
    for (unsigned row = 0; row < REST_ROWS; row++) BPK_TRY(add_one(g, shared(g, hash, row), one, &changed));
    return BPK_OK;
}

/* Whether this pair of a group that has no place and an item gets it the one of the smallest group. */
static bool admitted(double smallest, uint64_t hash, uint64_t item) {
    uint64_t one_in = smallest < 0x1p53 ? (uint64_t)smallest + 1 : UINT64_C(1) << 53;
    return bpki_mulhi(bpki_mix(item ^ bpki_mix(hash)), one_in) == 0;
}

static bpk_status merge_shared(bpk_groups *g, const group *one) {
    BPK_TRY(need_shared(g, one->hash));
    for (unsigned row = 0; row < REST_ROWS; row++) {
        weighed *cell = shared(g, one->hash, row);
        BPK_TRY(bpk_merge(cell->s, one->sketch.s, NULL));
        weigh(g, cell);
    }
    return bpk_groups_memory(g) > g->env.max_bytes ? BPK_E_LIMIT : BPK_OK;
}

/* The smallest group gives its place to another. All that can fail comes first. */
static bpk_status replace(bpk_groups *g, uint64_t hash, const void *name, size_t len) {
    uint32_t index = g->heap[0];
    group *smallest = &g->group[index];
    uint8_t *copy;
    BPK_TRY(merge_shared(g, smallest));
    BPK_TRY(copy_name(g, &copy, name, len));
    free_name(g, smallest->name, smallest->len);
    free_slot(g, slot_of(g, g->slot, g->lg, smallest->hash));
    bpk_reset(smallest->sketch.s);
    bpk_advance(smallest->sketch.s, g->now);
    weigh(g, &smallest->sketch);
    double base = smallest->count; /* else newcomers would drive each other out */
    *smallest =
        (group){.hash = hash, .name = copy, .len = len, .sketch = smallest->sketch, .base = base, .count = base};
    *slot_of(g, g->slot, g->lg, hash) = index + 1;
    return BPK_OK;
}

/* ---- adding ---- */

static void note_time(bpk_groups *g, uint64_t now) {
    if (!g->timed || now > g->now) g->now = now;
    g->timed = true;
}

static bpk_status add_kept(bpk_groups *g, group *one, const bpk_items *item) {
    uint8_t changed = 0;
    BPK_TRY(add_one(g, &one->sketch, item, &changed));
    one->changes += changed;
    if (!g->heap || !changed) return BPK_OK;
    if (one->changes * (double)CHANGES_SHARE > one->count + CHANGES_FREE * CHANGES_SHARE) BPK_TRY(look(one));
    else one->count++;
    sink(g, one->at);
    return BPK_OK;
}

/* Whether a new sketch would leave the item out. */
static bpk_status is_late(bpk_groups *g, const bpk_items *item, bool *late) {
    weighed one;
    uint8_t changed = 1;
    *late = false;
    if (item->now >= g->now) return BPK_OK;
    BPK_TRY(new_sketch(g, &one));
    bpk_status st = bpk_add(one.s, item, &changed, NULL);
    free_sketch(g, &one);
    *late = !changed;
    return st;
}

/* An item of a group that has no place. */
static bpk_status add_stranger(bpk_groups *g, uint64_t hash, const void *name, size_t len, const bpk_items *item) {
    bool late;
    BPK_TRY(is_late(g, item, &late));
    if (late) return BPK_OK;
    if (g->n < g->max) BPK_TRY(append(g, hash, name, len));
    else if (g->full == BPK_GROUPS_REFUSE) return BPK_E_FULL;
    else {
        if (!g->heap) BPK_TRY(make_heap(g));
        if (!admitted(g->group[g->heap[0]].count, hash, *item->hash)) return add_shared(g, hash, item);
        BPK_TRY(replace(g, hash, name, len));
    }
    return add_kept(g, &g->group[*slot_of(g, g->slot, g->lg, hash) - 1], item);
}

bpk_status bpk_groups_add(bpk_groups *g, const bpk_items *it, size_t *done) {
    size_t unused, *at = done ? done : &unused;
    *at = 0;
    if (it->n && (!it->group || !it->group_name || !it->group_len)) return BPK_E_ARG;
    if (it->n) note_time(g, it->now);
    for (; *at < it->n; ++*at) {
        size_t i = *at;
        bpk_items one = {.n = 1, .hash = it->hash + i, .now = it->now};
        const uint32_t *slot = slot_of(g, g->slot, g->lg, it->group[i]);
        if (*slot) BPK_TRY(add_kept(g, &g->group[*slot - 1], &one));
        else BPK_TRY(add_stranger(g, it->group[i], it->group_name[i], it->group_len[i], &one));
    }
    return BPK_OK;
}

/* ---- time ---- */

static bool is_empty(const bpk_sketch *s) {
    bpk_estimate e;
    return count_of(s, 0, &e, NULL) == BPK_OK && e.upper == 0;
}

static void forward(bpk_groups *g, weighed *w, uint64_t now) {
    if (!w->s) return;
    bpk_advance(w->s, now);
    weigh(g, w);
}

bpk_status bpk_groups_advance(bpk_groups *g, uint64_t now) {
    note_time(g, now);
    for (size_t i = 0; g->rest && i < rest_n(g); i++) forward(g, &g->rest[i], now);
    for (size_t i = 0; i < g->n; i++) forward(g, &g->group[i].sketch, now);
    size_t kept = 0;
    for (size_t i = 0; i < g->n; i++) {
        group *one = &g->group[i];
        if (is_empty(one->sketch.s)) {
            free_name(g, one->name, one->len);
            free_sketch(g, &one->sketch);
        } else g->group[kept++] = *one;
    }
    g->n = kept;
    place_all(g, g->slot, g->lg);
    if (g->heap && kept == g->max) return make_heap(g);
    if (g->heap) bpki_release(&g->env, g->heap, g->max * sizeof *g->heap);
    g->heap = NULL;
    return BPK_OK;
}

/* ---- rows ---- */

typedef struct ranked {
    const group *of;
    bpk_estimate own; /* of its own sketch; `upper` with what it may have in the shared ones, at most */
} ranked;

static int by_estimate(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->own.estimate != y->own.estimate) return x->own.estimate < y->own.estimate ? 1 : -1;
    size_t common = x->of->len < y->of->len ? x->of->len : y->of->len;
    int order = common ? memcmp(x->of->name, y->of->name, common) : 0;
    return order ? order : (x->of->len > y->of->len) - (x->of->len < y->of->len);
}

static int by_upper(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->own.upper < y->own.upper) - (x->own.upper > y->own.upper);
}

/* The upper limits of the shared sketches, and the most that a group without a place has. */
static bpk_status count_shared(const bpk_groups *g, double confidence, double *upper, double *most, bpk_err *err) {
    *most = g->rest ? INFINITY : 0;
    for (unsigned row = 0; g->rest && row < REST_ROWS; row++) {
        double largest = 0;
        for (size_t i = (size_t)row << g->rest_lg; i < (size_t)(row + 1) << g->rest_lg; i++) {
            bpk_estimate e = {.upper = 0};
            if (g->rest[i].s) BPK_TRY(count_of(g->rest[i].s, confidence, &e, err));
            upper[i] = e.upper;
            largest = fmax(largest, e.upper);
        }
        *most = fmin(*most, largest);
    }
    return BPK_OK;
}

/* What a group has at most: the smaller of its own items united with either of the shared sketches. */
static bpk_status limit_of(const bpk_groups *g, const group *one, double confidence, double *upper, bpk_err *err) {
    *upper = INFINITY;
    for (unsigned row = 0; row < REST_ROWS; row++) {
        const bpk_sketch *cell = shared(g, one->hash, row)->s;
        bpk_sketch *both;
        bpk_estimate e;
        bpk_status st = bpk_copy(&both, one->sketch.s, &g->env);
        if (st != BPK_OK) return bpki_fail(err, st, "rows");
        st = cell ? bpk_merge(both, cell, err) : BPK_OK;
        if (st == BPK_OK) st = count_of(both, confidence, &e, err);
        bpk_free(both);
        if (st != BPK_OK) return st;
        *upper = fmin(*upper, e.upper);
    }
    return BPK_OK;
}

/* The most that any of the rows has that are not shown. They come by a limit that is cheap and too large: behind the
 * first one whose cheap limit is below what another one really has, none has more. */
static bpk_status most_of(const bpk_groups *g, ranked *rows, size_t n, double confidence, double *most, bpk_err *err) {
    if (n) qsort(rows, n, sizeof *rows, by_upper);
    for (size_t i = 0; i < n && rows[i].own.upper > *most; i++) {
        double upper = rows[i].own.upper;
        if (g->rest) BPK_TRY(limit_of(g, rows[i].of, confidence, &upper, err));
        *most = fmax(*most, upper);
    }
    return BPK_OK;
}

/* Own counts by size; `cheap` limits stand in `upper` behind the first `limit`. */
static bpk_status rank(const bpk_groups *g, size_t limit, double confidence, const double *shared_upper, ranked *rows,
                       bpk_err *err) {
    for (size_t i = 0; i < g->n; i++) {
        rows[i].of = &g->group[i];
        BPK_TRY(count_of(g->group[i].sketch.s, confidence, &rows[i].own, err));
    }
    if (g->n) qsort(rows, g->n, sizeof *rows, by_estimate);
    for (size_t i = 0; g->rest && i < g->n; i++) {
        const group *one = rows[i].of;
        double own = rows[i].own.upper, upper;
        if (i >= limit) {
            const weighed *first = shared(g, one->hash, 0), *second = shared(g, one->hash, 1);
            rows[i].own.upper += fmin(shared_upper[first - g->rest], shared_upper[second - g->rest]);
            continue;
        }
        BPK_TRY(limit_of(g, one, confidence, &upper, err));
        rows[i].own.upper = fmax(own, upper); /* a shared sketch of a later time makes the union forget */
    }
    return BPK_OK;
}

static bpk_status make_rows(const bpk_groups *g, size_t limit, double confidence, ranked *rows, double *upper,
                            double *most, bpk_err *err) {
    BPK_TRY(count_shared(g, confidence, upper, most, err));
    BPK_TRY(rank(g, limit, confidence, upper, rows, err));
    return g->n > limit ? most_of(g, rows + limit, g->n - limit, confidence, most, err) : BPK_OK;
}

bpk_status bpk_groups_rows(const bpk_groups *g, size_t limit, double confidence, bpk_row_fn fn, void *ctx,
                           double *ceiling, bpk_err *err) {
    void *rows, *upper;
    double most;
    size_t rows_bytes = g->n * sizeof(ranked), upper_bytes = rest_n(g) * sizeof(double);
    bpk_status st = bpki_alloc(&g->env, rows_bytes, &rows);
    if (st != BPK_OK) return bpki_fail(err, st, "rows");
    st = bpki_alloc(&g->env, upper_bytes, &upper);
    if (st == BPK_OK) {
        st = make_rows(g, limit, confidence, rows, upper, &most, err);
        bpki_release(&g->env, upper, upper_bytes);
    } else {
        bpki_note(err, st, "rows", 0);
    }
    const ranked *at = rows;
    bool more = st == BPK_OK;
    for (size_t i = 0; i < g->n && i < limit && more; i++) {
        bpk_row row = {at[i].of->name, at[i].of->len, at[i].own, at[i].own.lower >= most};
        if (row.count.upper > row.count.lower) row.count.flags &= ~(uint32_t)BPK_EXACT;
        more = fn(ctx, &row);
    }
    if (st == BPK_OK && ceiling) *ceiling = most;
    bpki_release(&g->env, rows, rows_bytes);
    return st;
}
