/* claims.h - rows of the table of claims: what is claimed, wanted and measured. The test asserts the verdict that the
 * row shows, so that the table cannot say "holds" where the test fails.
 *
 * A row is a line of Markdown on standard output that begins with "| "; tests/claims collects them into docs/claims.md.
 * What is written are the numbers that were compared, with as many digits as every platform agrees on. A row whose id
 * ends in " (full)" belongs to a test that begins with claim_needs_full().
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include <math.h>

#include "t.h"

typedef struct claim {
    const char *id, *text;
    int digits; /* behind the point */
    const char *unit;
} claim;

enum { CLAIM_TEXT = 160, CLAIM_NUMBER = 64 };

/* A claim whose text is "subject: text"; good until the next call. */
static inline claim claim_of(const char *id, const char *subject, const char *text, int digits, const char *unit) {
    static char whole[3 * CLAIM_TEXT];
    snprintf(whole, sizeof whole, "%s: %s", subject, text);
    return (claim){id, whole, digits, unit};
}

/* Long tests: `make claims FULL=1` sets the variable. */
static inline bool claim_is_full(void) {
    const char *full = getenv("CLAIMS_FULL");
    return full && *full;
}
static inline void claim_needs_full(void) {
    if (!claim_is_full()) skip();
}

static inline void claim_row(const claim *c, const char *wanted, const char *measured, bool holds) {
    bool full = strstr(c->id, "(full)") != NULL;
    print_message("| %s | %s | %s | %s | %s |\n", c->id, c->text, wanted, measured, holds ? "holds" : "FAILS");
    assert_true(claim_is_full() || !full);
    assert_true(holds);
}

/* The value with the digits of the claim; commas between groups of three before the point. */
static inline const char *claim_number(char out[CLAIM_NUMBER], const claim *c, double value) {
    char plain[CLAIM_NUMBER / 2];
    size_t at = 0;
    snprintf(plain, sizeof plain, "%.*f", c->digits, value);
    size_t whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i]; i++) {
        bool first = i == 0 || plain[i - 1] == '-';
        if (!first && i < whole && (whole - i) % 3 == 0) out[at++] = ',';
        out[at++] = plain[i];
    }
    out[at] = 0;
    return out;
}

/* What is wanted and what was measured, as numbers: wanted is "`before` a", or "a `between` b" where `between` is not
 * NULL. */
static inline void claim_compare(const claim *c, const char *before, double a, const char *between, double b,
                                 double measured, bool holds) {
    char first[CLAIM_NUMBER], second[CLAIM_NUMBER], got[CLAIM_NUMBER], wanted[4 * CLAIM_NUMBER],
        measurement[2 * CLAIM_NUMBER];
    const char *blank = *c->unit ? " " : "";
    snprintf(wanted, sizeof wanted, "%s%s%s%s%s%s", before, claim_number(first, c, a), between ? between : "",
             between ? claim_number(second, c, b) : "", blank, c->unit);
    snprintf(measurement, sizeof measurement, "%s%s%s", claim_number(got, c, measured), blank, c->unit);
    claim_row(c, wanted, measurement, holds);
}

static inline void claim_exactly(claim c, double wanted, double measured) {
    claim_compare(&c, "", wanted, NULL, 0, measured, measured == wanted);
}
static inline void claim_most(claim c, double limit, double measured) {
    claim_compare(&c, "at most ", limit, NULL, 0, measured, measured <= limit);
}
static inline void claim_least(claim c, double limit, double measured) {
    claim_compare(&c, "at least ", limit, NULL, 0, measured, measured >= limit);
}
static inline void claim_between(claim c, double low, double high, double measured) {
    claim_compare(&c, "", low, " to ", high, measured, measured >= low && measured <= high);
}
static inline void claim_near(claim c, double wanted, double within, double measured) {
    claim_compare(&c, "", wanted, " ± ", within, measured, fabs(measured - wanted) <= within);
}
/* A text that contains another. */
static inline void claim_says(claim c, const char *wanted, const char *measured) {
    claim_row(&c, wanted, measured, strstr(measured, wanted) != NULL);
}

/* How many bytes differ between the encodings of two sketches, in both forms. */
static inline double claim_unlike(const bpk_sketch *a, const bpk_sketch *b) {
    double unlike = 0;
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        t_bytes x = t_encode(a, (bpk_form)f), y = t_encode(b, (bpk_form)f);
        size_t both = x.n < y.n ? x.n : y.n;
        for (size_t i = 0; i < both; i++) unlike += x.p[i] != y.p[i];
        unlike += (double)(x.n + y.n - 2 * both);
        free(x.p);
        free(y.p);
    }
    return unlike;
}

#endif
