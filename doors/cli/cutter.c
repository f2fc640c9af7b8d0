/* cutter.c - the steps of a batch, each a pass over arrays: cut, strip, pick, fold, hash. A pass that has nothing to do
 * is left out, so that plain lines are cut and hashed, and that is all.
 */
#include "cutter.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static bool store_records(store *s) {
    if (s->record) return true;
    s->record = malloc((BATCH_MAX + SPLIT_SLACK) * sizeof *s->record);
    s->record_len = malloc(BATCH_MAX * sizeof *s->record_len);
    s->hash = malloc(BATCH_MAX * sizeof *s->hash);
    return s->record && s->record_len && s->hash;
}

static bool store_items(store *s) {
    if (s->item) return true;
    s->item = malloc(BATCH_MAX * sizeof *s->item);
    s->len = malloc(BATCH_MAX * sizeof *s->len);
    return s->item && s->len;
}

void store_free(store *s) {
    free(s->record);
    free(s->record_len);
    free(s->item);
    free(s->len);
    free(s->hash);
    arena_free(&s->arena);
}

bool cutter_init(cutter *k, const input_options *o, const bpk_hasher *h) {
    *k = (cutter){.o = o, .hasher = h, .split = split_kernels_now(), .picker = {.o = o}};
    if (!fields_are_simple(o, &k->nth)) k->nth = 0;
    k->bad = malloc(BATCH_MAX);
    return k->bad != NULL;
}

void cutter_free(cutter *k) {
    free(k->bad);
    fields_free(&k->picker);
}

/* ---- records ---- */

/* A record that is too long ends the batch before it. Chunks that are no longer than a record may be need no look. */
static size_t check_lengths(const cutter *k, const chunk *c, cut_state *state, const store *s, size_t n) {
    if (c->n <= k->o->max_record) return n;
    for (size_t i = 0; i < n; i++) {
        if (s->record_len[i] <= k->o->max_record) continue;
        state->fault = FAULT_LONG;
        return i;
    }
    return n;
}

static bool ends_with_cr(const store *s, size_t i) {
    const uint8_t *p = s->record[i];
    return s->record_len[i] && p[s->record_len[i] - 1] == '\r';
}

/* `whole` records had their terminator: a CR at the end of a file is not before an LF. */
static void treat_cr(const cutter *k, const chunk *c, cut_state *state, store *s, size_t whole) {
    if (k->o->terminator != '\n' || k->o->crlf == CRLF_KEEP || whole == 0) return;
    if (k->o->crlf == CRLF_WARN) {
        if (c->first && state->records == 0) state->saw_cr = ends_with_cr(s, 0);
        return;
    }
    for (size_t i = 0; i < whole; i++) s->record_len[i] -= ends_with_cr(s, i);
}

static size_t cut_records(cutter *k, const chunk *c, cut_state *state, store *s) {
    size_t cut = k->split->cut(c->bytes + state->at, c->n - state->at, (uint8_t)k->o->terminator, BATCH_MAX, s->record,
                               s->record_len);
    if (cut == 0) return 0;
    const uint8_t *end = (const uint8_t *)s->record[cut - 1] + s->record_len[cut - 1] + 1;
    state->at = (size_t)(end - c->bytes);
    size_t n = check_lengths(k, c, state, s, cut);
    treat_cr(k, c, state, s, n == cut && state->at == c->n && c->unterminated ? n - 1 : n);
    return n;
}

/* ---- items ---- */

static bool pick_generally(cutter *k, store *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        field_span item = {NULL, 0};
        if (fields_pick(&k->picker, s->record[i], s->record_len[i], &s->arena, &item) < 0) return false;
        s->item[i] = item.p;
        s->len[i] = item.n;
    }
    return true;
}

/* Fills item and len; an item that is not there is NULL. */
static bool pick(cutter *k, store *s, size_t n) {
    const char *d = k->o->delimiter;
    if (k->nth && !d) {
        k->split->pick_blank(s->record, s->record_len, n, k->nth, s->item, s->len);
        return true;
    }
    if (k->nth) {
        k->split->pick_byte(s->record, s->record_len, n, k->nth, (uint8_t)d[0], s->item, s->len);
        return true;
    }
    return pick_generally(k, s, n);
}

/* Integers are hashed here, as they are read. Returns whether any record is bad. */
static bool judge(cutter *k, store *s, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        int64_t v;
        fault f = s->item[i] ? FAULT_NONE : FAULT_FIELD;
        if (!f && k->o->as_int) {
            if (bpk_parse_i64(s->item[i], s->len[i], &v)) s->hash[i] = bpk_hash_i64(k->hasher, v);
            else f = FAULT_INTEGER;
        }
        k->bad[i] = (uint8_t)f;
        any |= f != FAULT_NONE;
    }
    return any;
}

/* Closes the gaps of bad records, counting them; with `strict` the first one ends the batch and the run. */
static size_t drop_bad(const cutter *k, cut_state *state, store *s, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (k->bad[i]) {
            if (k->bad[i] == FAULT_FIELD) state->no_field++;
            else state->no_integer++;
            if (!k->o->strict) continue;
            state->records -= n - i - 1 + (state->fault == FAULT_LONG);
            state->fault = (fault)k->bad[i];
            return kept;
        }
        s->record[kept] = s->record[i];
        s->record_len[kept] = s->record_len[i];
        s->item[kept] = s->item[i];
        s->len[kept] = s->len[i];
        s->hash[kept++] = s->hash[i];
    }
    return kept;
}

/* 0x20 in each of eight bytes that is a capital letter of ASCII, in whatever order they stand; no sum leaves its
 * byte. */
static inline uint64_t capitals(uint64_t x) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t low7 = x & each * 0x7f;
    uint64_t from_a = low7 + each * (0x80 - 'A'), behind_z = low7 + each * (0x80 - 'Z' - 1);
    return (from_a & ~behind_z & ~x & each * 0x80) >> 2;
}

/* Up to eight bytes, with zeros behind them. */
static inline uint64_t load_some(const uint8_t *p, size_t n) {
    uint64_t x = 0;
    memcpy(&x, p, n);
    return x;
}

static bool has_capitals(const uint8_t *p, size_t n) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        if (capitals(load_some(p + i, 8))) return true;
    return capitals(load_some(p + i, n - i)) != 0;
}

static void lower(uint8_t *to, const uint8_t *p, size_t n) {
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x = load_some(p + i, 8);
        x |= capitals(x);
        memcpy(to + i, &x, 8);
    }
    uint64_t x = load_some(p + i, n - i);
    x |= capitals(x);
    memcpy(to + i, &x, n - i);
}

/* An item without capital letters stays where it is. */
static bool fold(store *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!has_capitals(s->item[i], s->len[i])) continue;
        uint8_t *to = arena_take(&s->arena, s->len[i]);
        if (!to) return false;
        lower(to, s->item[i], s->len[i]);
        s->item[i] = to;
    }
    return true;
}

/* Items that are not simply the records. */
static bool make_items(cutter *k, cut_state *state, store *s, size_t *n) {
    if (!store_items(s)) return false;
    if (k->o->fields.n) {
        if (!pick(k, s, *n)) return false;
    } else {
        memcpy(s->item, s->record, *n * sizeof *s->item);
        memcpy(s->len, s->record_len, *n * sizeof *s->len);
    }
    if (judge(k, s, *n)) *n = drop_bad(k, state, s, *n);
    return !k->o->fold_case || k->o->as_int || fold(s, *n);
}

bool cutter_next(cutter *k, const chunk *c, cut_state *state, store *s) {
    if (state->fault || state->at == c->n) return false;
    arena_reset(&s->arena);
    if (!store_records(s)) {
        state->fault = FAULT_MEMORY;
        return false;
    }
    size_t n = cut_records(k, c, state, s);
    state->records += n + (state->fault == FAULT_LONG);
    bool same = k->o->fields.n == 0 && !k->o->as_int && !k->o->fold_case;
    if (!same && !make_items(k, state, s, &n)) {
        state->fault = FAULT_MEMORY;
        return false;
    }
    const void *const *item = same ? s->record : s->item;
    const size_t *len = same ? s->record_len : s->len;
    if (!k->o->as_int) bpk_hash_many(k->hasher, item, len, s->hash, n);
    s->b = (batch){n, item, len, s->hash, s->record, s->record_len};
    return true;
}
