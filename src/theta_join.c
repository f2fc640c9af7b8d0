/* theta_join.c - inside the theta room: a walk through two ascending lists, for union, intersection and difference.
 *
 * Which of two values is smaller is a coin that no processor guesses, so a step has no branch that depends on it. It
 * then waits for the loads of the step before; four walks side by side, each through a part of both lists, wait at the
 * same time (bench/bench_theta.c). Parts are cut where the merged list would be cut into four (Odeh, Green, Mwassi,
 * Shmueli, Birk 2012: merge path), equal values never apart.
 *
 *     a  |---part 0---|--part 1--|-----part 2-----|-3-|        out: each part at its own place, then moved together
 *     b  |--part 0--|------part 1------|-2-|---part 3---|
 */
#include "theta_state.h"

enum { PARTS = 4, WORTH_PARTS = 64 /* values of both: below, cutting costs more than it saves */ };

/* To be made anew for each operation, so that nothing in a step asks which one it is. */
#define INLINE inline __attribute__((always_inline))

/* What is left of a part of both lists, and where its next value goes. */
typedef struct part {
    const uint8_t *a, *a_end, *b, *b_end;
    uint8_t *out;
} part;

static inline size_t left_of(const part *p) {
    size_t a = (size_t)(p->a_end - p->a), b = (size_t)(p->b_end - p->b);
    return (a < b ? a : b) / 8;
}

/* Looks at one value of each list; both must have one. It is written in any case and counted where it belongs. */
static INLINE void step(part *p, bpk_theta_set op) {
    uint64_t x = bpki_load64(p->a), y = bpki_load64(p->b);
    size_t a = x <= y, b = y <= x; /* one, the other, or both move on */
    bpki_store64(p->out, op == BPK_THETA_UNION ? y ^ ((x ^ y) & (0 - a)) : x);
    p->out += op == BPK_THETA_UNION ? 8 : 8 * (op == BPK_THETA_INTERSECT ? a & b : 1 - b);
    p->a += 8 * a;
    p->b += 8 * b;
}

/* Walks to the end of one list, or till so many values are out; copies what the other has left where it belongs. */
static INLINE void finish(part *p, bpk_theta_set op, size_t most) {
    const uint8_t *end = p->out + 8 * most;
    for (size_t n; p->out < end && (n = left_of(p)) > 0;) {
        if (op == BPK_THETA_UNION && n > (size_t)(end - p->out) / 8) n = (size_t)(end - p->out) / 8;
        while (n--) step(p, op);
    }
    const uint8_t **rest = p->a < p->a_end ? &p->a : &p->b, *rest_end = p->a < p->a_end ? p->a_end : p->b_end;
    size_t n = (size_t)(rest_end - *rest);
    if (op == BPK_THETA_INTERSECT || (op == BPK_THETA_DIFF && rest == &p->b)) return;
    if (n > (size_t)(end - p->out)) n = (size_t)(end - p->out);
    if (n) memmove(p->out, *rest, n);
    p->out += n;
    *rest += n;
}

/* How many of the `merged` smallest of both lists are a's. */
static size_t share_of_a(const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n, size_t merged) {
    size_t from = merged > b_n ? merged - b_n : 0, to = merged < a_n ? merged : a_n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (theta_at(a, middle) < theta_at(b, merged - middle - 1)) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* Cuts both lists into parts after a quarter, a half and three quarters of the `merged` smallest. Of a pair of equal
 * values b's is the first to be merged: where a cut would part them, a's goes along. The first part says where the
 * result goes. */
static void cut(part p[PARTS], bpk_theta_set op, const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n,
                size_t merged) {
    uint8_t *out = p[0].out;
    size_t i = 0, j = 0;
    for (size_t c = 0; c < PARTS; c++) {
        size_t to = (c + 1) * merged / PARTS, next = share_of_a(a, a_n, b, b_n, to), next_b = to - next;
        if (next < a_n && next_b > 0 && theta_at(a, next) == theta_at(b, next_b - 1)) next++;
        p[c] = (part){a + 8 * i, a + 8 * next, b + 8 * j, b + 8 * next_b, NULL};
        p[c].out = out + 8 * (op == BPK_THETA_UNION ? i + j : i);
        i = next;
        j = next_b;
    }
}

/* The parts side by side while each has values of both lists, then one by one, moved together. Returns where the next
 * value goes. */
static INLINE uint8_t *walk(part p[PARTS], bpk_theta_set op) {
    part p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    for (;;) {
        size_t n = left_of(&p0), n1 = left_of(&p1), n2 = left_of(&p2), n3 = left_of(&p3);
        n = n < n1 ? n : n1;
        n = n < n2 ? n : n2;
        n = n < n3 ? n : n3;
        if (n == 0) break;
        while (n--) step(&p0, op), step(&p1, op), step(&p2, op), step(&p3, op);
    }
    part now[PARTS] = {p0, p1, p2, p3};
    uint8_t *end = NULL;
    for (size_t c = 0; c < PARTS; c++) {
        finish(&now[c], op, (size_t)(now[c].a_end - now[c].a + now[c].b_end - now[c].b) / 8);
        size_t bytes = (size_t)(now[c].out - p[c].out);
        if (end && bytes) memmove(end, p[c].out, bytes);
        end = (end ? end : p[c].out) + bytes;
    }
    return end;
}

static INLINE uint32_t join(uint8_t *out, size_t most, bpk_theta_set op, const uint8_t *a, size_t a_n, const uint8_t *b,
                            size_t b_n) {
    part p[PARTS], rest = {a, a + 8 * a_n, b, b + 8 * b_n, NULL};
    rest.out = p[0].out = out;
    size_t merged = op == BPK_THETA_UNION && most < a_n + b_n ? most : a_n + b_n;
    if (a_n > 0 && b_n > 0 && merged >= WORTH_PARTS) {
        cut(p, op, a, a_n, b, b_n, merged);
        rest.a = p[PARTS - 1].a_end;
        rest.b = p[PARTS - 1].b_end;
        rest.out = walk(p, op);
    }
    finish(&rest, op, most - (size_t)(rest.out - out) / 8); /* a union with values that both had has not enough yet */
    return (uint32_t)((size_t)(rest.out - out) / 8);
}

/* An empty list may be nowhere, from where no pointer can be counted. */
uint32_t bpki_theta_join(uint64_t *out, size_t most, bpk_theta_set op, const theta_list *a, const theta_list *b) {
    static const uint8_t nothing = 0;
    const uint8_t *x = a->n ? a->at : &nothing, *y = b->n ? b->at : &nothing;
    uint8_t *to = (uint8_t *)out;
    if ((op == BPK_THETA_UNION ? most : a->n) == 0) return 0;
    if (op == BPK_THETA_UNION) return join(to, most, BPK_THETA_UNION, x, a->n, y, b->n);
    if (op == BPK_THETA_INTERSECT) return join(to, a->n, BPK_THETA_INTERSECT, x, a->n, y, b->n);
    return join(to, a->n, BPK_THETA_DIFF, x, a->n, y, b->n);
}
