/* ml.c - the one estimator of the hll room: maximum likelihood, with an interval from the observed information.
 *
 * Model. With x = n / 2^p, each pair (register, value k) is an independent event of rate x 2^-k, k = 1..q+1 with q = 64
 * - p; the last two values have the same rate 2^-q. A register with largest value u says: u occurred, no larger one
 * did, and its window bits say of u-1 and u-2 whether they occurred. Nothing is known of smaller values. The
 * log-likelihood is
 *
 *     -x alpha + sum over f of beta_f ln(1 - exp(-x 2^-f))
 *
 * alpha = sum of 2^-k over what did not occur, beta_f = number of occurrences of rate 2^-f (Ertl 2017, section 5; Ertl
 * 2023, section 3.4). It is concave in ln x; Newton's method from below needs 3 to 7 rounds and, working on X = exp(x
 * 2^-fmax) - 1, no exponentials: stepping from f to f - 1 squares the exponential. First-order bias C / 2^p is divided
 * out.
 *
 * Interval. The variance of x is the inverse of the observed information; the Poisson model's own variance n is
 * subtracted since the true n is fixed. Limits lie z standard deviations away on the logarithmic scale. While fewer
 * than 3 items are expected to have left no trace of their own, the number of events that are certain is the lower
 * limit and a Poisson quantile the upper one. Measured coverage: docs/rooms/hll.md.
 */
#include "ml.h"

#include <math.h>

static const double two_64 = 18446744073709551616.0;

/* First-order bias and asymptotic standard error, times 2^p and sqrt(2^p): with w = 2^-d, C = ln 2 (1 + 2 w) zeta(3, 1
 * + w) / zeta(2, 1 + w)^2 and sqrt(ln 2 / zeta(2, 1 + w)), zeta of Hurwitz (Ertl 2023, section 3.4). */
static double bias_of(unsigned d) {
    return d ? 0.48147376527779101 : 1.0101590809603285;
}

double bpki_ml_standard_error(unsigned p, unsigned d) {
    return (d ? 0.76086 : 1.03670) / sqrt(ldexp(1, (int)p));
}

/* ---- sufficient statistics ---- */

typedef struct statistics {
    uint64_t alpha;    /* in units of 2^-q: exact */
    uint32_t beta[64]; /* by f, 1..63 */
    uint64_t present;  /* events that certainly occurred: so many items at least */
    int f_min, f_max;  /* range of beta > 0 */
} statistics;

/* Adds the registers with largest value u: c of them, w1 with u-1 and w0 with u-2 seen. */
static void add_value(statistics *st, unsigned u, unsigned q, unsigned d, uint64_t c, uint64_t w1, uint64_t w0) {
    st->beta[u <= q ? u : q] += (uint32_t)c;
    st->present += c + w1 + w0;
    if (u <= q) st->alpha += c << (q - u);
    if (d && u >= 2) {
        st->beta[u - 1] += (uint32_t)w1;
        st->alpha += (c - w1) << (q - u + 1);
    }
    if (d && u >= 3) {
        st->beta[u - 2] += (uint32_t)w0;
        st->alpha += (c - w0) << (q - u + 2);
    }
}

/* alpha would wrap to 0 when every register is empty; present says so. */
static void gather(statistics *st, const uint32_t histogram[256], unsigned p, unsigned d) {
    unsigned q = 64 - p;
    memset(st, 0, sizeof *st);
    st->alpha = (uint64_t)histogram[0] << q;
    for (unsigned u = 1; u <= q + 1; u++) {
        const uint32_t *h = histogram + ((size_t)u << d);
        uint64_t w1 = d ? (uint64_t)h[2] + h[3] : 0, w0 = d ? (uint64_t)h[1] + h[3] : 0;
        uint64_t c = d ? (uint64_t)h[0] + h[1] + w1 : h[0];
        if (c) add_value(st, u, q, d, c, w1, w0);
    }
    for (st->f_min = 1; st->f_min < 63 && !st->beta[st->f_min];) st->f_min++;
    for (st->f_max = 63; st->f_max > st->f_min && !st->beta[st->f_max];) st->f_max--;
}

/* ---- the maximum ---- */

/* One Newton step's factor for X, or 0 when X is at the maximum or beyond it. */
static double newton(const statistics *st, double a, double x) {
    double lambda = 1, eta = 0, psi = 0, phi = st->beta[st->f_max], y = x;
    for (int f = st->f_max - 1; f >= st->f_min; f--) {
        double z = 2 / (2 + y);
        lambda *= z;
        eta = eta * (2 - z) + (1 - z);
        phi += st->beta[f] * lambda;
        psi += st->beta[f] * lambda * eta;
        y *= y + 2;
    }
    return phi <= a * x ? 0 : (phi - a * x) / (psi + a * x);
}

/* X at the maximum. The start is below it: Jensen's inequality on the two sums of beta. */
static double maximise(const statistics *st, unsigned q) {
    double a = ldexp((double)st->alpha, st->f_max - (int)q), s0 = 0, s1 = 0;
    for (int f = st->f_min; f <= st->f_max; f++) {
        s0 += st->beta[f];
        s1 = 2 * s1 + st->beta[f];
    }
    double x = expm1(log1p(s1 / a) * s0 / s1), step = 1;
    for (int round = 0; round < 50 && step >= 1e-5 && st->f_min < st->f_max; round++) {
        step = newton(st, a, x);
        x += x * step;
    }
    return x;
}

/* Observed information of x: sum of beta_f 4^-f e^y / (e^y - 1)^2. */
static double information(const statistics *st, double x) {
    double sum = 0, y = x, w = ldexp(1, -st->f_max);
    for (int f = st->f_max; f >= st->f_min && y < 1e50; f--) {
        sum += st->beta[f] * w * w * (1 + y) / (y * y);
        y *= y + 2;
        w *= 2;
    }
    return sum;
}

/* ---- intervals ---- */

/* The smallest j with P(Poisson(mu) <= j) >= confidence, for mu up to 50. */
static double poisson_limit(double mu, double confidence) {
    double term = exp(-mu), sum = term;
    int j = 0;
    while (sum < confidence && j < 200) {
        term *= mu / ++j;
        sum += term;
    }
    return j;
}

static bpk_estimate saturated(double confidence) {
    return (bpk_estimate){two_64, two_64 / 2, two_64, confidence, BPK_SATURATED | BPK_ONE_SIDED};
}

static bpk_estimate nothing(double confidence) {
    return (bpk_estimate){0, 0, 0, confidence, BPK_EXACT};
}

/* Whole counts z relative standard deviations around n on the logarithmic scale, not below what is certain. */
static bpk_estimate log_interval(double n, double present, double relative, double confidence) {
    double z = bpki_z(confidence);
    double lower = fmax(present, ceil(n * exp(-z * relative) - 0.5));
    double upper = fmax(lower, floor(n * exp(z * relative) + 0.5));
    return (bpk_estimate){n, fmin(lower, n), fmin(two_64, fmax(upper, n)), confidence, 0};
}

bpk_estimate bpki_ml_registers(const uint32_t histogram[256], unsigned p, unsigned d, double confidence) {
    statistics st;
    gather(&st, histogram, p, d);
    if (st.present == 0) return nothing(confidence);
    if (st.alpha == 0) return saturated(confidence);
    double m = ldexp(1, (int)p), x = maximise(&st, 64 - p);
    double raw = m * ldexp(log1p(x), st.f_max), variance = m * m / information(&st, x) - raw;
    double present = (double)st.present, hidden = fmax(0, raw - present);
    double n = fmax(present, fmin(two_64, raw / (1 + bias_of(d) / m)));
    if (hidden < 3) {
        double upper = fmax(n, present + poisson_limit(hidden, confidence));
        return (bpk_estimate){n, present, upper, confidence, BPK_ONE_SIDED};
    }
    return log_interval(n, present, variance > 0 ? sqrt(variance) / raw : 0, confidence);
}

/* Two items share a token with probability 1 / (3 * 2^26), so that about Poisson(c^2 / (6 * 2^26)) are lost among c.
 * The series inverts E[c] = 2^26 sum over f of (1 - exp(-n 2^-f / 2^26)). */
bpk_estimate bpki_ml_tokens(uint32_t count, double confidence) {
    if (count == 0) return nothing(confidence);
    double c = count, e = ldexp(c, -26), lost = c * e / 6;
    double n = c * (1 + e * (1.0 / 6 + e * (2.0 / 63 + e * (23.0 / 3780))));
    if (lost < 50) {
        double upper = c + poisson_limit(lost, confidence);
        return (bpk_estimate){fmin(n, upper), c, upper, confidence, BPK_ONE_SIDED};
    }
    double z = bpki_z(confidence);
    return (bpk_estimate){n, floor(n - z * sqrt(lost)), ceil(n + z * sqrt(lost)), confidence, 0};
}
