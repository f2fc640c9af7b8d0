/* core.h - layer 0 inside: memory, checked sizes, bit and byte helpers, error detail. */
#ifndef BPKI_CORE_H
#define BPKI_CORE_H

#include <assert.h>
#include <ballpark/base.h>
#include <string.h>

#define BPK_TRY(expression)                                                                                            \
    do {                                                                                                               \
        bpk_status st_ = (expression);                                                                                 \
        if (st_ != BPK_OK) return st_;                                                                                 \
    } while (0)

#define BPKI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- memory ---- */

/* `env`, or the default where it is NULL. */
const bpk_env *bpki_env(const bpk_env *env);

/* n bytes of zeros. BPK_E_LIMIT over env->max_bytes, before anything is asked for; BPK_E_NOMEM. n = 0 gives NULL. */
bpk_status bpki_alloc(const bpk_env *env, size_t n, void **out);
void bpki_release(const bpk_env *env, void *p, size_t n); /* NULL is fine */

/* Products and sums of sizes; false on overflow. */
static inline bool bpki_mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}
static inline bool bpki_add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/* ---- error detail; err may be NULL; all return the status, so that a check fits one line ---- */

/* These fill the detail; those below return the status as well, in the header so that a reader (and the analyser) sees
 * it. */
void bpki_note(bpk_err *err, bpk_status code, const char *field, size_t offset);
void bpki_note_values(bpk_err *err, bpk_status code, const char *field, const char *mine, const char *other);
void bpki_note_numbers(bpk_err *err, bpk_status code, const char *field, uint64_t mine, uint64_t other);

static inline bpk_status bpki_fail(bpk_err *err, bpk_status code, const char *field) {
    bpki_note(err, code, field, 0);
    return code;
}
static inline bpk_status bpki_fail_at(bpk_err *err, bpk_status code, const char *field, size_t offset) {
    bpki_note(err, code, field, offset);
    return code;
}
/* What the caller gave, as text in err->other. */
static inline bpk_status bpki_fail_value(bpk_err *err, bpk_status code, const char *field, const char *value) {
    bpki_note_values(err, code, field, "", value);
    return code;
}
static inline bpk_status bpki_mismatch(bpk_err *err, const char *field, uint64_t mine, uint64_t other) {
    bpki_note_numbers(err, BPK_E_MISMATCH, field, mine, other);
    return BPK_E_MISMATCH;
}
static inline bpk_status bpki_mismatch_text(bpk_err *err, const char *field, const char *mine, const char *other) {
    bpki_note_values(err, BPK_E_MISMATCH, field, mine, other);
    return BPK_E_MISMATCH;
}

/* Decimal or 16 hexadecimal digits with their terminating zero. */
void bpki_decimal(char text[21], uint64_t v);
void bpki_hexadecimal(char text[17], uint64_t v);

/* ---- bits ---- */

/* The upper half of a product; maps a hash onto 0..n-1 without a division (Lemire 2019). */
static inline uint64_t bpki_mulhi(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)a * b) >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (mid >> 32) + ((a0 * b1 + (uint32_t)mid) >> 32);
#endif
}

/* (high x 2^64 + low) / divisor, with high < divisor; one bit of the quotient a step. */
uint64_t bpki_divide_by_bits(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *rest);

static inline uint64_t bpki_divide(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *rest) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 u128;
    u128 all = (u128)high << 64 | low;
    *rest = (uint64_t)(all % divisor);
    return (uint64_t)(all / divisor);
#else
    return bpki_divide_by_bits(high, low, divisor, rest);
#endif
}

/* A count as a limit: the largest double that is not above it, the least that is not under it. Above 2^53 neighbours
 * are more than 1 apart. */
static inline double bpki_neighbour(double d, int step) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    bits += (uint64_t)step;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline double bpki_down(uint64_t v) {
    double d = (double)v;
    return d >= 0x1p64 || (uint64_t)d > v ? bpki_neighbour(d, -1) : d;
}
static inline double bpki_up(uint64_t v) {
    double d = (double)v;
    return d < 0x1p64 && (uint64_t)d < v ? bpki_neighbour(d, 1) : d;
}

/* What is sure of a count: exact where the limits meet; no upper one (2^64) where a counter is at its end. */
static inline bpk_estimate bpki_certain(uint64_t estimate, uint64_t lower, uint64_t upper, bool at_end) {
    double down = bpki_down(lower), up = at_end ? 0x1p64 : bpki_up(upper);
    uint32_t flags = at_end ? BPK_SATURATED : down == up ? BPK_EXACT : 0;
    return (bpk_estimate){(double)estimate, down, up, 1, flags};
}
static inline bpk_estimate bpki_certain_count(uint64_t v) {
    return bpki_certain(v, v, v, v == UINT64_MAX);
}
/* Copies of an item that were found by its fingerprint: they are its own but for the rate of false answers, and none
 * are others' where there are none; the upper limit is certain. */
static inline bpk_estimate bpki_copies(uint64_t found, double rate, double confidence) {
    double copies = (double)found;
    if (found == 0) return bpki_certain_count(0);
    return (bpk_estimate){copies, rate <= 1 - confidence ? copies : 0, copies, confidence, BPK_ONE_SIDED};
}

/* Number of bits up to the highest one that is set; 0 for 0. */
static inline unsigned bpki_bit_length(uint64_t x) {
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

/* ---- bytes: little-endian, at any address; a single move where the processor is little-endian ---- */

enum { BPKI_SWAP = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ };

static inline uint16_t bpki_load16(const void *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return BPKI_SWAP ? __builtin_bswap16(v) : v;
}
static inline uint32_t bpki_load32(const void *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return BPKI_SWAP ? __builtin_bswap32(v) : v;
}
static inline uint64_t bpki_load64(const void *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return BPKI_SWAP ? __builtin_bswap64(v) : v;
}
static inline void bpki_store16(void *p, uint16_t v) {
    v = BPKI_SWAP ? __builtin_bswap16(v) : v;
    memcpy(p, &v, sizeof v);
}
static inline void bpki_store32(void *p, uint32_t v) {
    v = BPKI_SWAP ? __builtin_bswap32(v) : v;
    memcpy(p, &v, sizeof v);
}
static inline void bpki_store64(void *p, uint64_t v) {
    v = BPKI_SWAP ? __builtin_bswap64(v) : v;
    memcpy(p, &v, sizeof v);
}

/* ---- numbers ---- */

/* Every bit of the result depends on every bit of x; 0 stays 0. The last step of SplitMix64 (Steele, Lea, Flood 2014).
 * */
static inline uint64_t bpki_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* The next number of a sequence that is the same on every platform: SplitMix64. */
uint64_t bpki_next(uint64_t *state);

/* An odd number for the tables of an object that nobody outside can know where addresses are random: who chooses the
 * items must not choose which of them share a slot. It has no say in any answer or byte. */
uint64_t bpki_salt(const void *object);

/* `confidence` moved into 0.5..0.999999, with 0 (and anything that is no number) for the default. */
double bpki_confidence(double confidence);
/* The two-sided quantile of the normal distribution: P(|Z| <= z) = confidence. */
double bpki_z(double confidence);

#endif
