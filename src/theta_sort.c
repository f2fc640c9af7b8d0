/* theta_sort.c - inside the theta room: the values of a sketch in ascending order.
 *
 * The values of a table are thrown into buckets by their upper bits, where hashes lie one or two in each, and put in
 * order by insertion. Where a bucket is crowded (many values, or chosen ones) a least-significant-digit radix sort
 * takes over, whose time does not depend on the values: nobody can make sorting slow by choosing items. Sorted
 * sketches are used where they are.
 */
#include "theta_state.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 64, CROWD = 16 };

bpk_status bpki_theta_list_new(theta_list *out, size_t values, const bpk_env *env) {
    *out = (theta_list){.bytes = values * sizeof(uint64_t)};
    BPK_TRY(bpki_alloc(bpki_env(env), out->bytes, &out->own));
    out->at = out->own;
    out->n = (uint32_t)values;
    return BPK_OK;
}

void bpki_theta_drop(theta_list *l, const bpk_env *env) {
    if (l->own) bpki_release(env, l->own, l->bytes);
    *l = (theta_list){NULL, 0, NULL, 0};
}

/* ---- sorting ---- */

/* By insertion: fast for few values, and where each is near its place. */
static void insert(uint64_t *v, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t value = v[i];
        size_t j = i;
        for (; j && v[j - 1] > value; j--) v[j] = v[j - 1];
        v[j] = value;
    }
}

/* Distributes values by the digit at `shift`; where a digit has more than `most` of them nothing is done. */
static bool distribute(uint64_t *to, const uint64_t *from, size_t n, unsigned shift, uint32_t most) {
    uint32_t at[DIGITS] = {0}, sum = 0, largest = 0;
    for (size_t i = 0; i < n; i++) at[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        uint32_t count = at[d];
        largest = count > largest ? count : largest;
        at[d] = sum;
        sum += count;
    }
    if (largest > most) return false;
    for (size_t i = 0; i < n; i++) to[at[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

/* Sorts n values below theta that are in v; `spare` has room for as many. Returns the one of the two that has them. */
static uint64_t *sort_values(uint64_t *v, uint64_t *spare, size_t n, uint64_t theta) {
    unsigned bits = bpki_bit_length(theta - 1);
    if (n <= FEW) {
        insert(v, n);
        return v;
    }
    if (distribute(spare, v, n, bits > DIGIT_BITS ? bits - DIGIT_BITS : 0, CROWD)) {
        insert(spare, n);
        return spare;
    }
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        distribute(spare, v, n, shift, UINT32_MAX);
        uint64_t *sorted = spare;
        spare = v;
        v = sorted;
    }
    return v;
}

/* ---- lists ---- */

static uint32_t below_in_list(const bpk_theta *t, uint64_t theta) {
    uint32_t from = 0, to = t->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (theta_at(t->sorted, middle) < theta) from = middle + 1;
        else to = middle;
    }
    return from;
}

static uint32_t below_in_table(uint64_t *out, const bpk_theta *t, uint64_t theta) {
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)1 << t->lg; i++) {
        uint64_t value = t->slot[i] - 1;
        out[n] = value; /* there is room for one more than there are values */
        n += value < theta;
    }
    return n;
}

bpk_status bpki_theta_list(theta_list *out, const bpk_theta *t, uint64_t theta, const bpk_env *env) {
    if (!t->slot) {
        *out = (theta_list){t->sorted, below_in_list(t, theta), NULL, 0};
        return BPK_OK;
    }
    size_t room = (size_t)t->n + 1;
    BPK_TRY(bpki_theta_list_new(out, 2 * room, env));
    uint64_t *values = out->own, *spare = values + room;
    out->n = below_in_table(values, t, theta);
    values = sort_values(values, spare, out->n, theta);
    if (BPKI_SWAP)
        for (size_t i = 0; i < out->n; i++) bpki_store64(&values[i], values[i]);
    out->at = (const uint8_t *)values;
    return BPK_OK;
}
