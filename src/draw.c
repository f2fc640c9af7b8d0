/* draw.c - layer 1: draws by counter; a logarithm and an exponential function that no platform changes.
 *
 * libm differs in the last digit from one system to the next, and a compiler may join a product and a sum into one
 * rounding where the processor can: either would change which records a sample keeps. Hence series of our own, and each
 * product whose sum follows goes through bpki_product().
 */
#include "draw.h"

#include "sip.h"

uint64_t bpki_draw(uint64_t seed, uint64_t stream, uint64_t number) {
    const uint64_t key[2] = {seed, stream};
    uint8_t bytes[8];
    bpki_store64(bytes, number);
    return bpki_siphash(key, bytes, sizeof bytes, 2, 4);
}

static double from_bits(uint64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* ln 2 in two parts; the first has 32 bits, so that a product with an exponent is exact. */
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;

/* 2 atanh(s) - 2 s for |s| <= 3 - sqrt(8): 2 s (s^2/3 + s^4/5 + ...), the first term left out below 1e-18. */
static double atanh_rest(double s) {
    static const double term[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                  1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    double q = s * s, sum = 1.0 / 23;
    for (size_t i = 0; i < BPKI_COUNT(term); i++) sum = bpki_product(sum, q) + term[i];
    return 2 * bpki_product(bpki_product(sum, q), s);
}

double bpki_ln(double x) {
    static const double root = 0x1.6a09e667f3bcdp+0; /* of 2 */
    uint64_t bits;
    int scaled = 0;
    if (x < 0x1p-1022) x *= 0x1p54, scaled = 54; /* subnormal */
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52); /* 1 to 2 */
    if (m > root) m *= 0.5, exponent++;
    double f = m - 1, s = f / (2 + f), e = exponent - scaled, half = bpki_product(0.5 * f, f);
    /* 2 s = f - s f, and s f = f^2/2 - s f^2/2: what is small is added first. */
    double small = bpki_product(s, half) + atanh_rest(s) + bpki_product(e, LN2_LOW);
    return bpki_product(e, LN2_HIGH) + (f - (half - small));
}

double bpki_log1p(double x) {
    if (x < -0.25 || x > 0.4) return bpki_ln(1 + x);
    double s = x / (2 + x), half = bpki_product(0.5 * x, x);
    return x - (half - (bpki_product(s, half) + atanh_rest(s)));
}

/* e^r - 1 for |r| <= ln(2) / 2, the first term left out below 1e-18 of r. */
static double expm1_near(double r) {
    double sum = 1.0 / 15;
    for (int n = 14; n >= 2; n--) sum = (1 + bpki_product(sum, r)) / n;
    return r + bpki_product(bpki_product(sum, r), r);
}

double bpki_expm1(double x) {
    if (!(x > -40)) return -1; /* e^-40 is below a quarter of the distance from -1 to its neighbour */
    int n = (int)(0.5 - bpki_product(x, 1 / (LN2_HIGH + LN2_LOW)));
    double r = x + bpki_product(n, LN2_HIGH);
    r = r + bpki_product(n, LN2_LOW);
    double scale = from_bits((uint64_t)(1023 - n) << 52);
    return bpki_product(scale, expm1_near(r)) + (scale - 1);
}
