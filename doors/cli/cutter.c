/* cutter.c - the steps of a batch, each a pass over arrays: cut, strip, pick, judge, fold, hash. A pass that has
 * nothing to do is left out, so that plain lines are cut and hashed, and that is all.
 */
#include "cutter.h"

#include <inttypes.h>
#include <stdio.h>
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

static bool store_groups(store *s) {
    s->group = malloc(BATCH_MAX * sizeof *s->group);
    s->group_len = malloc(BATCH_MAX * sizeof *s->group_len);
    s->group_hash = malloc(BATCH_MAX * sizeof *s->group_hash);
    return s->group && s->group_len && s->group_hash;
}

static bool store_weights(store *s, bool real) {
    if (real) s->real_weight = malloc(BATCH_MAX * sizeof *s->real_weight);
    else s->weight = malloc(BATCH_MAX * sizeof *s->weight);
    return s->real_weight || s->weight;
}

static bool store_items(store *s, const input_options *o) {
    if (s->item) return true;
    if (o->weight.n && !store_weights(s, o->real_weights)) return false;
    if (o->group.n && !store_groups(s)) return false;
    if (o->time.n && !(s->time = malloc(BATCH_MAX * sizeof *s->time))) return false;
    s->len = malloc(BATCH_MAX * sizeof *s->len);
    s->item = malloc(BATCH_MAX * sizeof *s->item);
    return s->item && s->len;
}

void store_free(store *s) {
    free(s->record);
    free(s->record_len);
    free(s->item);
    free(s->len);
    free(s->hash);
    free(s->weight);
    free(s->real_weight);
    free(s->time);
    free(s->group);
    free(s->group_len);
    free(s->group_hash);
    arena_free(&s->arena);
}

static bool texts(const void ***item, size_t **len) {
    *item = malloc(BATCH_MAX * sizeof **item);
    *len = malloc(BATCH_MAX * sizeof **len);
    return *item && *len;
}

bool cutter_init(cutter *k, const input_options *o, const bpk_hasher *h) {
    *k = (cutter){.o = o,
                  .hasher = h,
                  .split = split_kernels_now(),
                  .most = BATCH_MAX,
                  .picker = {.o = o},
                  .times = {.form = &o->time_form}};
    if (!fields_are_simple(o, &o->fields, &k->nth)) k->nth = 0;
    if (!fields_are_simple(o, &o->weight, &k->weight_nth)) k->weight_nth = 0;
    if (!fields_are_simple(o, &o->group, &k->group_nth)) k->group_nth = 0;
    if (!fields_are_simple(o, &o->time, &k->time_nth)) k->time_nth = 0;
    k->bad = malloc(BATCH_MAX);
    if (!k->bad || (o->weight.n && !texts(&k->weight_item, &k->weight_len))) return false;
    return !o->time.n || texts(&k->time_item, &k->time_len);
}

void cutter_free(cutter *k) {
    free(k->bad);
    free(k->weight_item);
    free(k->weight_len);
    free(k->time_item);
    free(k->time_len);
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
        if (c->first && state->records == 0 && !state->header) state->saw_cr = ends_with_cr(s, 0);
        return;
    }
    for (size_t i = 0; i < whole; i++) s->record_len[i] -= ends_with_cr(s, i);
}

static size_t cut_records(cutter *k, const chunk *c, cut_state *state, store *s) {
    size_t cut = k->split->cut(c->bytes + state->at, c->n - state->at, (uint8_t)k->o->terminator, k->most, s->record,
                               s->record_len);
    if (cut == 0) return 0;
    const uint8_t *end = (const uint8_t *)s->record[cut - 1] + s->record_len[cut - 1] + 1;
    state->at = (size_t)(end - c->bytes);
    size_t n = check_lengths(k, c, state, s, cut);
    treat_cr(k, c, state, s, n == cut && state->at == c->n && c->unterminated ? n - 1 : n);
    return n;
}

void cutter_header(cutter *k, const chunk *c, cut_state *state) {
    if (!k->o->header || !c->first || c->n == 0) return;
    const void *first = c->bytes;
    const uint8_t *end = memchr(first, k->o->terminator, c->n);
    size_t n = (size_t)(end - c->bytes);
    state->at = n + 1;
    if (n > k->o->max_record) {
        state->fault = FAULT_LONG;
        state->records = 1;
        return;
    }
    store one = {.record = &first, .record_len = &n};
    treat_cr(k, c, state, &one, state->at == c->n && c->unterminated ? 0 : 1);
    state->header = first;
    state->header_len = n;
}

static bool plain_records(const input_options *o) {
    return !o->fields.n && !o->weight.n && !o->group.n && !o->time.n && !o->as_int;
}

uint64_t cutter_pass(cutter *k, const chunk *c, cut_state *state, uint64_t n) {
    bool warns = k->o->crlf == CRLF_WARN && c->first && state->records == 0;
    if (state->fault || warns || c->n > k->o->max_record || !plain_records(k->o)) return 0;
    uint64_t left = n;
    state->at += k->split->pass(c->bytes + state->at, c->n - state->at, (uint8_t)k->o->terminator, &left);
    state->records += n - left;
    return n - left;
}

/* ---- items ---- */

/* Of an access log a first field in quotes or brackets is found with them. */
static void pick_first_of_log(const store *s, size_t n, const void **item, size_t *len) {
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = item[i];
        if (!p || (*p != '"' && *p != '[')) continue;
        field_span field = {p, 0};
        bool is = log_next(1, &p, (const uint8_t *)s->record[i] + s->record_len[i], &field);
        item[i] = is ? field.p : NULL;
        len[i] = is ? field.n : 0;
    }
}

/* One field of every record, the fast way; an item that is not there is NULL. */
static void pick_simply(const cutter *k, const store *s, size_t n, size_t nth, const void **item, size_t *len) {
    const char *d = k->o->delimiter;
    if (d) k->split->pick_byte(s->record, s->record_len, n, nth, (uint8_t)d[0], item, len);
    else k->split->pick_blank(s->record, s->record_len, n, nth, item, len);
    if (k->o->log) pick_first_of_log(s, n, item, len);
}

static bool take(cutter *k, store *s, const field_list *list, const void **item, size_t *len) {
    field_span span = {NULL, 0};
    if (fields_take(&k->picker, list, &s->arena, &span) < 0) return false;
    *item = span.p;
    *len = span.n;
    return true;
}

/* What the fast way cannot do. */
static bool pick_generally(cutter *k, store *s, size_t n) {
    const input_options *o = k->o;
    bool items = o->fields.n && !k->nth, weights = o->weight.n && !k->weight_nth, groups = o->group.n && !k->group_nth;
    bool times = o->time.n && !k->time_nth;
    for (size_t i = 0; i < n && (items || weights || groups || times); i++) {
        if (!fields_split(&k->picker, s->record[i], s->record_len[i])) return false;
        if (items && !take(k, s, &o->fields, &s->item[i], &s->len[i])) return false;
        if (weights && !take(k, s, &o->weight, &k->weight_item[i], &k->weight_len[i])) return false;
        if (groups && !take(k, s, &o->group, &s->group[i], &s->group_len[i])) return false;
        if (times && !take(k, s, &o->time, &k->time_item[i], &k->time_len[i])) return false;
    }
    return true;
}

/* Fills items, groups and the texts of weights and times. */
static bool pick(cutter *k, store *s, size_t n) {
    if (!k->o->fields.n) {
        memcpy(s->item, s->record, n * sizeof *s->item);
        memcpy(s->len, s->record_len, n * sizeof *s->len);
    }
    if (k->nth) pick_simply(k, s, n, k->nth, s->item, s->len);
    if (k->weight_nth) pick_simply(k, s, n, k->weight_nth, k->weight_item, k->weight_len);
    if (k->group_nth) pick_simply(k, s, n, k->group_nth, s->group, s->group_len);
    if (k->time_nth) pick_simply(k, s, n, k->time_nth, k->time_item, k->time_len);
    return pick_generally(k, s, n);
}

/* 0, or a decimal number in the range of samples' weights; one that takes more than 127 bytes to write is refused. */
static bool read_decimal(const char *text, size_t n, double *out) {
    char copy[128];
    int64_t v;
    if (bpk_parse_i64(text, n, &v)) {
        *out = (double)v;
        return v >= 0;
    }
    if (n >= sizeof copy || memchr(text, '%', n) || memchr(text, '\0', n)) return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    if (bpk_parse_share(copy, out) != BPK_OK) return false;
    *out = strtod(copy, NULL); /* the nearest double; the locale stays that of C */
    return *out == 0 || (*out >= BPK_SAMPLE_WEIGHT_MIN && *out <= BPK_SAMPLE_WEIGHT_MAX);
}

/* Access logs write the number 0 of bytes as a dash. */
static bool read_weight(const cutter *k, store *s, size_t i) {
    const char *text = k->weight_item[i];
    size_t n = k->weight_len[i];
    int64_t v = 0;
    if (!text) return false;
    bool dash = k->o->log && n == 1 && *text == '-';
    if (s->real_weight && !dash) return read_decimal(text, n, &s->real_weight[i]);
    if (!dash && (!bpk_parse_i64(text, n, &v) || v < 0)) return false;
    if (s->real_weight) s->real_weight[i] = 0;
    else s->weight[i] = (uint64_t)v;
    return true;
}

static bool read_time(cutter *k, store *s, size_t i) {
    return k->time_item[i] && instant_read(&k->times, k->time_item[i], k->time_len[i], &s->time[i]);
}

/* Integers are hashed here, as they are read. */
static fault judge_one(cutter *k, store *s, size_t i) {
    int64_t v;
    if (!s->item[i] || (s->group && !s->group[i])) return FAULT_FIELD;
    if (k->o->as_int) {
        if (!bpk_parse_i64(s->item[i], s->len[i], &v)) return FAULT_INTEGER;
        s->hash[i] = bpk_hash_i64(k->hasher, v);
    }
    if (k->o->weight.n && !read_weight(k, s, i)) return FAULT_WEIGHT;
    return k->o->time.n && !read_time(k, s, i) ? FAULT_TIME : FAULT_NONE;
}

/* Returns whether any record is bad. */
static bool judge(cutter *k, store *s, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        k->bad[i] = (uint8_t)judge_one(k, s, i);
        any |= k->bad[i] != FAULT_NONE;
    }
    return any;
}

static void count_fault(cut_state *state, fault f) {
    if (f == FAULT_FIELD) state->no_field++;
    else if (f == FAULT_INTEGER) state->no_integer++;
    else if (f == FAULT_WEIGHT) state->no_weight++;
    else state->no_time++;
}

static void move_record(store *s, size_t to, size_t from) {
    s->record[to] = s->record[from];
    s->record_len[to] = s->record_len[from];
    s->item[to] = s->item[from];
    s->len[to] = s->len[from];
    s->hash[to] = s->hash[from];
    if (s->weight) s->weight[to] = s->weight[from];
    if (s->real_weight) s->real_weight[to] = s->real_weight[from];
    if (s->time) s->time[to] = s->time[from];
    if (!s->group) return;
    s->group[to] = s->group[from];
    s->group_len[to] = s->group_len[from];
}

/* Closes the gaps of bad records, counting them; with `strict` the first one ends the batch and the run. */
static size_t drop_bad(const cutter *k, cut_state *state, store *s, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (k->bad[i]) {
            count_fault(state, (fault)k->bad[i]);
            if (!k->o->strict) continue;
            state->records -= n - i - 1 + (state->fault == FAULT_LONG);
            state->fault = (fault)k->bad[i];
            return kept;
        }
        move_record(s, kept++, i);
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

/* Whether an integer is written in the shortest way. */
static bool is_shortest(const char *p, size_t n) {
    if (*p == '-') return p[1] != '0';
    return *p != '+' && (*p != '0' || n == 1);
}

/* One integer has one text. */
static bool spell(store *s, size_t n) {
    enum { LONGEST = 24 };
    for (size_t i = 0; i < n; i++) {
        int64_t v;
        if (is_shortest(s->item[i], s->len[i]) || !bpk_parse_i64(s->item[i], s->len[i], &v)) continue;
        char *to = (char *)arena_take(&s->arena, LONGEST);
        if (!to) return false;
        s->len[i] = (size_t)snprintf(to, LONGEST, "%" PRId64, v);
        s->item[i] = to;
    }
    return true;
}

/* Items that are not simply the records, or have weights or times. */
static bool make_items(cutter *k, cut_state *state, store *s, size_t *n) {
    if (!store_items(s, k->o) || !pick(k, s, *n)) return false;
    if (judge(k, s, *n)) *n = drop_bad(k, state, s, *n);
    if (s->group) bpk_hash_many(k->hasher, s->group, s->group_len, s->group_hash, *n);
    if (k->o->as_int) return spell(s, *n);
    return !k->o->fold_case || fold(s, *n);
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
    bool same = plain_records(k->o) && !k->o->fold_case;
    if (!same && !make_items(k, state, s, &n)) {
        state->fault = FAULT_MEMORY;
        return false;
    }
    const void *const *item = same ? s->record : s->item;
    const size_t *len = same ? s->record_len : s->len;
    if (k->hasher && !k->o->as_int) bpk_hash_many(k->hasher, item, len, s->hash, n);
    s->b = (batch){.n = n,
                   .item = item,
                   .len = len,
                   .hash = k->hasher ? s->hash : NULL,
                   .weight = s->weight,
                   .real_weight = s->real_weight,
                   .time = s->time,
                   .group = s->group_hash,
                   .group_name = s->group,
                   .group_len = s->group_len,
                   .record = s->record,
                   .record_len = s->record_len};
    return true;
}
