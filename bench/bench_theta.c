/* bench_theta.c - what an item and an operation cost theta sketches, beside the loop over bare hashes and beside hash
 * tables. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "core.h"

#include <ballpark/theta.h>

enum { ITEMS = 1000000, K = 4096, OPERATIONS = 100 };

typedef struct subject {
    uint64_t *hash; /* ITEMS of them */
    uint64_t theta; /* where a sketch of all of them ends */
    bpk_theta *table[2], *sorted[2];
    uint64_t *value[2]; /* of the sorted ones, as hashes */
    uint8_t *encoded;
    size_t encoded_n;
} subject;

static void must(bpk_status st) {
    if (st == BPK_OK) return;
    fprintf(stderr, "bench_theta: %s\n", bpk_status_text(st));
    exit(1);
}
static void *memory(size_t n) {
    void *p = calloc(n, 1);
    if (!p) must(BPK_E_NOMEM);
    return p;
}

static bpk_theta *new_theta(void) {
    bpk_theta *t = NULL;
    must(bpk_theta_new(&t, &(bpk_theta_config){.k = K}, NULL));
    return t;
}
static void add(bpk_theta *t, const uint64_t *hash, size_t n) {
    const bpk_items it = {.n = n, .hash = hash};
    must(bpk_add(bpk_theta_base(t), &it, NULL, NULL));
}
static uint64_t finish(bpk_theta *t) {
    uint64_t sum = bpk_memory(bpk_theta_base(t));
    bpk_free(bpk_theta_base(t));
    return sum;
}

/* ---- adding ---- */

/* Comparing is all that the items of a long stream need: nearly every one is above theta. */
static uint64_t bare_loop(void *ctx) {
    const subject *s = ctx;
    uint64_t below = 0;
    for (size_t i = 0; i < ITEMS; i++) below += s->hash[i] < s->theta;
    return below;
}
static uint64_t update(void *ctx) {
    const subject *s = ctx;
    enum { BATCH = 4096 };
    bpk_theta *t = new_theta();
    for (size_t at = 0; at < ITEMS; at += BATCH) add(t, s->hash + at, ITEMS - at < BATCH ? ITEMS - at : BATCH);
    return finish(t);
}

/* ---- operations on two sketches whose sets share a third of their union ---- */

static uint64_t operate(const bpk_theta *const in[2], bpk_theta_set op) {
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        bpk_theta *out = NULL;
        must(bpk_theta_op(&out, op, in, 2, NULL, NULL));
        sum += finish(out);
    }
    return sum;
}
static uint64_t unite(void *ctx) {
    return operate((const bpk_theta *const *)((subject *)ctx)->sorted, BPK_THETA_UNION);
}
static uint64_t intersect(void *ctx) {
    return operate((const bpk_theta *const *)((subject *)ctx)->sorted, BPK_THETA_INTERSECT);
}
static uint64_t subtract(void *ctx) {
    return operate((const bpk_theta *const *)((subject *)ctx)->sorted, BPK_THETA_DIFF);
}
static uint64_t subtract_tables(void *ctx) {
    return operate((const bpk_theta *const *)((subject *)ctx)->table, BPK_THETA_DIFF);
}
/* The same results, sorted as well, by adding the values to empty sketches: through hash tables. */
static bpk_theta *build(const uint64_t *value, size_t n, const uint64_t *more) {
    bpk_theta *t = new_theta();
    add(t, value, n);
    if (more) add(t, more, n);
    return t;
}
static uint64_t unite_anew(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        bpk_theta *t = build(s->value[0], K, s->value[1]), *out = NULL;
        must(bpk_theta_op(&out, BPK_THETA_UNION, (const bpk_theta *const[]){t}, 1, NULL, NULL));
        sum += finish(out) + finish(t);
    }
    return sum;
}
static uint64_t intersect_anew(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        bpk_theta *a = build(s->value[0], K, NULL), *b = build(s->value[1], K, NULL), *out = NULL;
        must(bpk_theta_op(&out, BPK_THETA_INTERSECT, (const bpk_theta *const[]){a, b}, 2, NULL, NULL));
        sum += finish(out) + finish(a) + finish(b);
    }
    return sum;
}
/* Of that, the adding alone. */
static uint64_t add_anew(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) sum += finish(build(s->value[0], K, s->value[1]));
    return sum;
}

/* ---- bytes ---- */

static bpk_status count_bytes(void *ctx, const void *bytes, size_t n) {
    *(uint64_t *)ctx += n + *(const uint8_t *)bytes;
    return BPK_OK;
}
static uint64_t encode(void *ctx) {
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++)
        must(bpk_encode(bpk_theta_base(((subject *)ctx)->sorted[0]), BPK_FORM_SMALL, count_bytes, &sum));
    return sum;
}
static uint64_t decode(void *ctx) {
    const subject *s = ctx;
    uint64_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        bpk_sketch *back = NULL;
        must(bpk_decode(&back, s->encoded, s->encoded_n, NULL, NULL, NULL));
        sum += bpk_memory(back);
        bpk_free(back);
    }
    return sum;
}

/* ---- subjects ---- */

typedef struct buffer {
    uint8_t *p;
    size_t n;
} buffer;
static bpk_status append(void *ctx, const void *bytes, size_t n) {
    buffer *b = ctx;
    b->p = realloc(b->p, b->n + n);
    if (!b->p) return BPK_E_NOMEM;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return BPK_OK;
}

/* The sorted sketch of a table, as a file gives it back, and its values from form view: the last 8 K bytes before the
 * checksum. */
static void sort(subject *s, int i) {
    buffer view = {NULL, 0};
    bpk_sketch *back = NULL;
    must(bpk_encode(bpk_theta_base(s->table[i]), BPK_FORM_VIEW, append, &view));
    must(bpk_decode(&back, view.p, view.n, NULL, NULL, NULL));
    s->sorted[i] = (bpk_theta *)back;
    s->value[i] = memory(8 * (size_t)K);
    for (size_t j = 0; j < K; j++) s->value[i][j] = bpki_load64(view.p + view.n - 8 - 8 * (K - j)) << 12;
    s->theta = s->value[i][K - 1];
    free(view.p);
}

static void set_up(subject *s) {
    uint64_t state = 1;
    s->hash = memory(8 * (size_t)ITEMS);
    for (size_t i = 0; i < ITEMS; i++) s->hash[i] = bpki_next(&state);
    for (int i = 0; i < 2; i++) {
        s->table[i] = new_theta();
        add(s->table[i], s->hash + (i ? ITEMS / 3 : 0), ITEMS / 3 * 2);
        sort(s, i);
    }
    buffer small = {NULL, 0};
    must(bpk_encode(bpk_theta_base(s->sorted[0]), BPK_FORM_SMALL, append, &small));
    s->encoded = small.p;
    s->encoded_n = small.n;
}

int main(void) {
    subject s = {0};
    set_up(&s);
    enum { BARE, UPDATE, UNITE, INTERSECT, SUBTRACT, TABLES, UNITE_ANEW, INTERSECT_ANEW, ADD_ANEW };
    bench_case c[] = {{.name = "bare loop", .run = bare_loop, .units = ITEMS},
                      {.name = "update", .run = update, .units = ITEMS},
                      {.name = "union, sorted", .run = unite, .units = OPERATIONS},
                      {.name = "intersection, sorted", .run = intersect, .units = OPERATIONS},
                      {.name = "A-not-B, sorted", .run = subtract, .units = OPERATIONS},
                      {.name = "A-not-B, tables", .run = subtract_tables, .units = OPERATIONS},
                      {.name = "union anew, through a table", .run = unite_anew, .units = OPERATIONS},
                      {.name = "intersection anew, through tables", .run = intersect_anew, .units = OPERATIONS},
                      {.name = "adding to a table alone", .run = add_anew, .units = OPERATIONS},
                      {.name = "encode small", .run = encode, .units = OPERATIONS},
                      {.name = "decode small", .run = decode, .units = OPERATIONS}};
    uint64_t used = bench_run(c, BPKI_COUNT(c), &s);
    for (size_t i = 0; i < BPKI_COUNT(c); i++)
        bench_row("theta", c[i].name, bench_median(&c[i]), used == 1 ? "" : i < UNITE ? "ns/item" : "ns");
    bench_bar("theta", "update / bare loop", bench_median(&c[UPDATE]) / bench_median(&c[BARE]), "ratio", 6);
    bench_bar("theta", "union / anew", bench_median(&c[UNITE]) / bench_median(&c[UNITE_ANEW]), "ratio", 0.1);
    bench_bar("theta", "intersection / anew", bench_median(&c[INTERSECT]) / bench_median(&c[INTERSECT_ANEW]), "ratio",
              0.1);
    bench_row("theta", "union / adding alone", bench_median(&c[UNITE]) / bench_median(&c[ADD_ANEW]), "ratio");
    bench_bar("theta", "A-not-B tables / sorted", bench_median(&c[TABLES]) / bench_median(&c[SUBTRACT]), "ratio", 20);
    bench_bar("theta", "bytes an entry, k = 4096", (double)s.encoded_n / K, "bytes", 5.3);
    return 0;
}
