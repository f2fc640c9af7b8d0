/* hll_check.c - do its contents look as hashes of different items leave them? Finds weak hashes, and items that were
 * chosen by their hash.
 *
 * Registers are counted in a table of places x values: a place is two upper and two lower bits of the register's index,
 * values are joined until each cell is expected to count EXPECTED or more. A register has the value (u, window) with a
 * known probability given n (docs/rooms/hll.md), n being the estimate. Each place has a fixed number of registers, and
 * n is fitted: places x (values - 1) - 1 degrees of freedom. Tokens have the place of the register that they belong
 * to. They are a set: of the items of one 26-bit prefix those with one k are one token, so that a token (prefix, k) is
 * there with probability 1 - exp(-n 2^-26 2^-k). n comes from their number alone: places x values - 1.
 */
#include "hll_check.h"

#include <math.h>

enum {
    PLACE_BITS = 4,
    VALUES = 256,
    EXPECTED = 20,
    PRECISION_FROM = 8, /* with fewer registers one or two classes are left, which no test of tails suits */
};

/* Values joined to classes, each with its probability. */
typedef struct classes {
    uint8_t of[VALUES];
    double probability[VALUES];
    unsigned n;
} classes;

/* Joins values in ascending order until `registers` of them are expected to have one of a class often enough; the rest
 * joins the last. */
static void join(classes *c, const double probability[VALUES], double registers) {
    double sum = 0;
    *c = (classes){.n = 0};
    for (unsigned v = 0; v < VALUES; v++) {
        sum += probability[v];
        c->of[v] = (uint8_t)c->n;
        c->probability[c->n] = sum;
        if (registers * sum < EXPECTED) continue;
        c->n++;
        sum = 0;
    }
    if (c->n == 0) return; /* too few registers for one class */
    for (unsigned v = 0; v < VALUES; v++)
        if (c->of[v] == c->n) c->of[v]--;
    c->probability[c->n - 1] += sum;
}

/* Two upper and two lower bits of so many; only `lg` of the four. */
static unsigned place_of(uint32_t index, unsigned bits, unsigned lg) {
    unsigned four = (index >> (bits - 2) & 3) << 2 | (index & 3);
    return four & ((1u << lg) - 1);
}

static double chi_square(const classes *c, uint32_t count[][VALUES], unsigned places, double each) {
    double sum = 0;
    for (unsigned p = 0; p < places; p++)
        for (unsigned v = 0; v < c->n; v++) {
            double expected = each * c->probability[v], off = count[p][v] - expected;
            sum += off * off / expected;
        }
    return sum;
}

/* How many places leave each with EXPECTED / share items or more: log2. */
static unsigned places_for(double items, double share) {
    unsigned lg = 0;
    while (lg < PLACE_BITS && items * share >= ldexp(EXPECTED, (int)lg + 1)) lg++;
    return lg;
}

/* ---- registers ---- */

/* The probability that value k has occurred, with x items a register. The last two are alike. */
static double occurred(double x, unsigned k, unsigned p) {
    return -expm1(-ldexp(x, -(int)(k < 64 - p ? k : 64 - p)));
}

static double register_probability(unsigned r, double x, unsigned p, unsigned d) {
    unsigned u = r >> d;
    if (!hll_register_valid((uint8_t)r, p, d)) return 0;
    if (u == 0) return exp(-x);
    double most = u <= 64 - p ? exp(-ldexp(x, -(int)u)) : 1, all = most * occurred(x, u, p);
    for (unsigned below = 1; d && below <= 2 && u > below; below++) {
        double seen = occurred(x, u - below, p);
        all *= r & (4u >> below) ? seen : 1 - seen;
    }
    return all;
}

static void fit_registers(const bpk_hll *h, double *chi, double *freedom) {
    double probability[VALUES], m = (double)hll_registers(h->p), x = bpk_hll_count(h, 0).estimate / m;
    uint32_t count[1 << PLACE_BITS][VALUES] = {{0}};
    classes c;
    unsigned lg = places_for(m, 0.125); /* eight values or more in most sketches */
    for (unsigned r = 0; r < VALUES; r++) probability[r] = register_probability(r, x, h->p, h->d);
    join(&c, probability, ldexp(m, -(int)lg));
    if (c.n < 2) return;
    for (uint32_t i = 0; i < hll_registers(h->p); i++) count[place_of(i, h->p, lg)][c.of[h->cell.reg[i]]]++;
    double places = ldexp(1, (int)lg);
    *freedom = places * (c.n - 1) - 1;
    if (*freedom > 0) *chi = chi_square(&c, count, 1u << lg, m / places);
}

/* ---- tokens ---- */

static void fit_tokens(const bpk_hll *h, double *chi, double *freedom) {
    if (!h->count) return;
    double probability[VALUES] = {0}, sum = 0, load = ldexp(bpk_hll_count(h, 0).estimate, -HLL_TOKEN_BITS);
    uint32_t count[1 << PLACE_BITS][VALUES] = {{0}};
    classes c;
    unsigned lg = places_for(h->count, 0.5);
    for (unsigned k = 1; k <= HLL_TOKEN_K_MAX; k++) {
        unsigned rate = k < HLL_TOKEN_K_MAX ? k : HLL_TOKEN_K_MAX - 1; /* the last two are alike */
        sum += probability[k] = -expm1(-ldexp(load, -(int)rate));
    }
    for (unsigned k = 1; k <= HLL_TOKEN_K_MAX; k++) probability[k] /= sum;
    join(&c, probability, ldexp(h->count, -(int)lg));
    if (c.n < 2) return;
    uint32_t at = 0, token;
    while ((token = bpki_hll_next_token(h, &at))) {
        uint32_t index = token >> 6 & (uint32_t)(hll_registers(h->p) - 1);
        count[place_of(index, h->p, lg)][c.of[token & 63]]++;
    }
    double places = ldexp(1, (int)lg);
    *freedom = places * c.n - 1;
    *chi = chi_square(&c, count, 1u << lg, h->count / places);
}

/* ---- both ---- */

void bpki_hll_fit(const bpk_hll *h, double *chi_square, double *freedom) {
    *chi_square = *freedom = 0;
    if (h->p < PRECISION_FROM) return;
    if (h->form == HLL_REGISTERS) fit_registers(h, chi_square, freedom);
    else fit_tokens(h, chi_square, freedom);
}

bool bpki_hll_hollow(const bpk_hll *h) {
    bool ours = h->base.domain.hash == BPK_HASH_XXH3 || h->base.domain.hash == BPK_HASH_SIPHASH;
    if (!ours || h->form != HLL_REGISTERS) return false;
    return bpk_hll_count(h, 0.999999).upper < hll_tokens_max(h->p);
}
