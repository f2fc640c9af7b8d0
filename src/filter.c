/* filter.c - layer 1: the arithmetic of Bloom filters: sizes from plans, items from set bits, where a plan ends.
 *
 * Blocked sizes come from the distribution of loads: a block gets Binomial(items x lines, 1 / blocks) lines, i of them
 * leave a lane of 64 bits with 1 - (63/64)^i of its bits set on average, and eight lanes are independent given i. The
 * classic size is the textbook's, and slightly more where so few items were planned that the textbook's average hides
 * the spread.
 */
#include "filter.h"

#include <math.h>

static const double RATE_MIN = 1e-15, RATE_MAX = 0.5;
static const double TWO_LINES_BELOW = 5e-4; /* the second cache miss saves 4 % of the bits here, 14 % at 1e-4 */
static const double CLASSIC_EXCESS = 1.05;  /* rounding k costs the textbook's size up to 4.5 % of the rate */

enum { LANES = 8, LANE_BITS = 64, LINE_BITS = LANES * LANE_BITS };

const char *const bpki_filter_policies[] = {"error", "degrade", NULL};

/* ---- plans ---- */

const char *bpki_filter_fault(uint64_t items, double rate, uint8_t on_full) {
    if (items < 1 || items > UINT64_C(1) << 48) return "items";
    if (!(rate >= RATE_MIN && rate <= RATE_MAX)) return "rate";
    if (rate < (double)items * 0x1p-61) return "rate";
    if (on_full > BPK_FULL_DEGRADE) return "on_full";
    return NULL;
}

uint8_t bpki_filter_lines(double rate) {
    return rate < TWO_LINES_BELOW ? 2 : 1;
}

uint64_t bpki_filter_bits(const bpki_filter *p) {
    return p->layout == BPKI_FILTER_BLOCKED ? p->units * LINE_BITS : p->units;
}

unsigned bpki_filter_bits_per_item(const bpki_filter *p) {
    return p->layout == BPKI_FILTER_BLOCKED ? (unsigned)p->k * LANES : p->k;
}

/* ---- powers without libm ---- */

static double power(double x, uint64_t n) {
    double y = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) y *= x;
    return y;
}

static double eighth(double x) {
    return power(x, LANES);
}

/* ---- what a line of a stranger meets ---- */

/* Expectation over the states of a filter of f and f^2, where f is the share of a block's masks that are all set, and
 * of f times the block's load. */
typedef struct moments {
    double first, second, load;
} moments;

/* The same for a block that got i lines. With a = (63/64)^i and b = (62/64)^i a lane has a share 1 - a of its bits set;
 * two given bits of it are both set with probability 1 - 2 a + b, which gives the square of the share. */
static moments of_load(double i, double a, double b) {
    double square = ((1 - a) + (LANE_BITS - 1) * (1 - 2 * a + b)) / LANE_BITS;
    return (moments){eighth(1 - a), eighth(square), i * eighth(1 - a)};
}

/* Adds the terms from load i on in one direction until they no longer count. The weights are relative to the most
 * likely load, which spares factorials: weight(i + 1) / weight(i) = (lines - i) / (i + 1) / (blocks - 1). */
static double add_loads(moments *sum, double i, double lines, double blocks, double a, double b, bool upwards) {
    double weight = 1, total = 0;
    while (weight > 1e-40 && i >= 0 && i <= lines) {
        moments m = of_load(i, a, b);
        sum->first += weight * m.first;
        sum->second += weight * m.second;
        sum->load += weight * m.load;
        total += weight;
        if (upwards) {
            weight *= (lines - i) / (i + 1) / (blocks - 1);
            i++, a *= 63.0 / 64, b *= 62.0 / 64;
        } else {
            weight *= i / (lines - i + 1) * (blocks - 1);
            i--, a *= 64.0 / 63, b *= 64.0 / 62;
        }
    }
    return total;
}

/* (63/64)^4096 is 1e-28: a block with more lines than that is full, to the last digit of a double. */
enum { LOAD_FULL = 4096 };

static moments of_filter(double lines, double blocks) {
    if (lines / blocks > LOAD_FULL) return (moments){1, 1, lines / blocks};
    uint64_t mode = (uint64_t)(lines / blocks);
    double a = power(63.0 / 64, mode), b = power(62.0 / 64, mode);
    if (blocks <= 1) return of_load(lines, a, b);
    moments up = {0, 0, 0}, down = {0, 0, 0}, most = of_load((double)mode, a, b);
    double total = add_loads(&up, (double)mode, lines, blocks, a, b, true);
    total += add_loads(&down, (double)mode, lines, blocks, a, b, false) - 1; /* both counted the mode */
    return (moments){(up.first + down.first - most.first) / total, (up.second + down.second - most.second) / total,
                     (up.load + down.load - most.load) / total};
}

/* The mean of f over the blocks varies from filter to filter; loads of blocks are negatively correlated, so that this
 * is a slight exaggeration. */
static double variance_of_mean(moments m, double blocks) {
    double v = (m.second - m.first * m.first) / blocks;
    return v > 0 ? v : 0;
}

/* Without the exaggeration: the sum of all loads is known, which takes away what f owes to its own load linearly. */
static double variance_given_lines(moments m, double lines, double blocks) {
    double mean = lines / blocks, spread = mean * (1 - 1 / blocks), shared = m.load - mean * m.first;
    double v = m.second - m.first * m.first - (spread > 0 ? shared * shared / spread : 0);
    return v > 0 ? v / blocks : 0;
}

static double blocked_rate(double items, unsigned lines, uint64_t blocks) {
    moments m = of_filter(items * lines, (double)blocks);
    return lines == 1 ? m.first : m.first * m.first + variance_of_mean(m, (double)blocks);
}

/* ---- set bits ---- */

static double balls(const bpki_filter *p) {
    return p->k;
}

static double lanes(const bpki_filter *p) {
    return p->layout == BPKI_FILTER_BLOCKED ? LANES : 1;
}

static double cells(const bpki_filter *p) {
    return p->layout == BPKI_FILTER_BLOCKED ? (double)p->units * LANE_BITS : (double)p->units;
}

double bpki_filter_expected(const bpki_filter *p, double items) {
    if (items <= 0) return 0;
    return -lanes(p) * cells(p) * expm1(items * balls(p) * log1p(-1 / cells(p)));
}

/* e^-t (1 - (1 + t) e^-t), the variance of a cell's state in the occupancy problem, also where t is tiny. */
static double occupancy(double t) {
    double e = exp(-t);
    return t < 1e-3 ? e * t * t / 2 * (1 - t * 2 / 3) : e * (1 - (1 + t) * e);
}

/* Lanes of one block share its load: the covariance of two lanes is 64^2 e^-2t (e^s - 1 - s) a block, with s = t /
 * 64. */
static double shared_load(double t) {
    double s = t / LANE_BITS;
    return LANE_BITS * LANE_BITS * exp(-2 * t) * s * s / 2 * (1 + s / 3 * (1 + s / 4));
}

double bpki_filter_deviation(const bpki_filter *p, double items) {
    double t = items * balls(p) / cells(p);
    double variance = lanes(p) * cells(p) * occupancy(t);
    if (p->layout == BPKI_FILTER_BLOCKED) variance += LANES * (LANES - 1) * ((double)p->units - 1) * shared_load(t);
    return sqrt(variance > 0 ? variance : 0);
}

/* ---- sizes ---- */

/* (X/m)^k over filters: the mean share of set bits, and its spread to second order as a log-normal's. For plans of 1 to
 * 30 items that is at most 0.1 % below the exact value, and above it by less than the bit or two that it then costs. */
static double classic_rate(const bpki_filter *p, double items) {
    double mean = bpki_filter_expected(p, items), k = p->k;
    if (mean <= 0) return 0;
    double spread = bpki_filter_deviation(p, items) / mean;
    double rate = power(mean / (double)p->units, p->k) * exp(k * (k - 1) / 2 * spread * spread);
    return rate < 1 ? rate : 1;
}

double bpki_filter_rate_at(const bpki_filter *p, double items) {
    return p->layout == BPKI_FILTER_BLOCKED ? blocked_rate(items, p->k, p->units) : classic_rate(p, items);
}

/* The rate that a filter exceeds with a chance beyond z standard deviations only. The mean of f is skewed where blocks
 * are few or rates low, as the fullest blocks decide it: its logarithm is not, so that the mean is taken e^(z sigma)
 * times. */
static double blocked_rate_at_most(double items, unsigned lines, uint64_t blocks, double z) {
    moments m = of_filter(items * lines, (double)blocks);
    double sigma = m.first > 0 ? sqrt(variance_given_lines(m, items * lines, (double)blocks)) / m.first : 0;
    return power(m.first * power(1 + z * sigma / 1024, 1024), lines);
}

/* Where few items or a low rate leave much to chance, safety would cost many times the bits: it is bought up to a
 * quarter of the rate. */
static const double SAFETY = 1.25;

static bool too_few(const bpki_filter *p, uint64_t blocks, double z) {
    double n = (double)p->items, rate = blocked_rate(n, p->k, blocks);
    if (z == 0) return rate > p->rate;
    double most = blocked_rate_at_most(n, p->k, blocks, z);
    return (most < SAFETY * rate ? most : SAFETY * rate) > p->rate;
}

/* Blocks are found by bisection. With 1,024 lines a block, where it starts, a filter says yes to everything. */
static void size_blocked(bpki_filter *p, double z) {
    p->k = bpki_filter_lines(p->rate);
    uint64_t few = p->items * p->k / 1024, enough = few + 1;
    while (too_few(p, enough, z)) {
        few = enough;
        enough *= 2;
    }
    while (enough - few > 1) {
        uint64_t middle = few + (enough - few) / 2;
        if (too_few(p, middle, z)) few = middle;
        else enough = middle;
    }
    p->units = enough;
}

/* m = -n ln p / ln^2 2 and k = m/n ln 2, rounded; then the few bits more that a tiny plan needs. */
static void size_classic(bpki_filter *p) {
    const double ln2 = 0.693147180559945309417;
    double n = (double)p->items, m = ceil(-n * log(p->rate) / (ln2 * ln2)), k = floor(m / n * ln2 + 0.5);
    p->k = (uint8_t)(k < 1 ? 1 : k);
    p->units = (uint64_t)m;
    while (classic_rate(p, n) > CLASSIC_EXCESS * p->rate) p->units++;
}

void bpki_filter_size(bpki_filter *p) {
    if (p->layout == BPKI_FILTER_BLOCKED) size_blocked(p, 0);
    else size_classic(p);
}

void bpki_filter_size_surely(bpki_filter *p, double z) {
    size_blocked(p, z);
}

double bpki_filter_rate_at_most(const bpki_filter *p, double z) {
    return blocked_rate_at_most((double)p->items, p->k, p->units, z);
}

/* ---- items from set bits ---- */

static double items_from(const bpki_filter *p, double set) {
    return log1p(-set / (lanes(p) * cells(p))) / (balls(p) * log1p(-1 / cells(p)));
}

/* The number of items whose expected bits, moved by z standard deviations, are `set`: the end of the interval that
 * consists of all numbers which do not make the observation surprising. */
static double items_at(const bpki_filter *p, double set, double z, double near) {
    double low = 0, high = near;
    while (high < 0x1p64 && bpki_filter_expected(p, high) + z * bpki_filter_deviation(p, high) < set) high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (bpki_filter_expected(p, middle) + z * bpki_filter_deviation(p, middle) < set) low = middle;
        else high = middle;
    }
    return high;
}

bpk_estimate bpki_filter_items_of(const bpki_filter *p, uint64_t set, double confidence) {
    uint64_t all = bpki_filter_bits(p);
    double c = bpki_confidence(confidence), z = bpki_z(c);
    if (set == 0) return (bpk_estimate){.confidence = c, .flags = BPK_EXACT};
    bool full = set >= all;
    double seen =
        full ? (double)all - 0.5 : (double)set; /* half a bit is the continuity correction of a discrete count */
    double n = items_from(p, seen);
    bpk_estimate e = {.estimate = n, .confidence = c, .flags = full ? BPK_SATURATED : 0};
    double certain = ceil((double)set / bpki_filter_bits_per_item(p)); /* so many items are needed to set the bits */
    e.lower = items_at(p, seen - 0.5, z, n);
    if (e.lower < certain) e.lower = certain;
    if (e.estimate < e.lower) e.estimate = e.lower;
    e.upper = full ? 0x1p64 : items_at(p, seen + 0.5 < (double)all ? seen + 0.5 : seen + 0.25, -z, n);
    if (e.upper < e.estimate) e.upper = e.estimate;
    return e;
}

/* ---- where a plan ends ---- */

/* Bits that the planned items leave at most, but for chances beyond z standard deviations. The last of them must find
 * less. */
static double plan_with(const bpki_filter *p, double z) {
    double n = (double)p->items;
    double likely = bpki_filter_expected(p, n) + z * bpki_filter_deviation(p, n);
    double certain = n * bpki_filter_bits_per_item(p);
    return likely < certain ? likely : certain;
}

/* A tiny plan's spread may reach over its 150 %; the planned number of items must fit all the same. */
uint64_t bpki_filter_over_at(const bpki_filter *p) {
    double over = bpki_filter_expected(p, 1.5 * (double)p->items), plan = plan_with(p, 6);
    uint64_t bits = (uint64_t)ceil(over > plan ? over : plan), all = bpki_filter_bits(p);
    return bits < all ? bits : all;
}

uint64_t bpki_filter_warn_at(const bpki_filter *p) {
    double plan = ceil(plan_with(p, -3));
    uint64_t bits = plan < 1 ? 1 : (uint64_t)plan, over = bpki_filter_over_at(p);
    return bits < over ? bits : over;
}

double bpki_filter_rate_limit(const bpki_filter *p) {
    double share, least = 1.02 * p->rate;
    if (p->layout == BPKI_FILTER_CLASSIC) {
        share = plan_with(p, 3) / (double)p->units;
    } else {
        moments m = of_filter((double)p->items * p->k, (double)p->units);
        share = m.first + 3 * sqrt(variance_of_mean(m, (double)p->units));
    }
    double limit = power(share, p->k);
    return limit > least ? limit : least;
}

bpk_state bpki_filter_state(const bpki_filter *p, uint64_t set, double rate, const char **reason) {
    uint64_t over = bpki_filter_over_at(p), planned = p->items * bpki_filter_bits_per_item(p);
    bool just_planned = set == over && over == planned; /* a tiny plan without a single collision: full, and not over */
    bool more = set<bpki_filter_warn_at(p), bad = rate> bpki_filter_rate_limit(p);
    bpk_state state = set >= over && !just_planned ? BPK_HEALTH_OVER : !more || bad ? BPK_HEALTH_WARN : BPK_HEALTH_OK;
    *reason = set == bpki_filter_bits(p) ? "every bit is set: it says yes to everything"
              : state == BPK_HEALTH_OVER ? "half as much again as planned, or more"
              : state == BPK_HEALTH_OK   ? "within its plan"
              : more                     ? "more false answers than asked for"
                                         : "as many items as planned, or more";
    return state;
}

/* ---- the plan of a union ---- */

uint64_t bpki_filter_folded(uint64_t items, uint64_t divisor) {
    return items / divisor > 0 ? items / divisor : 1;
}

void bpki_filter_unite(bpki_filter *a, const bpki_filter *b) {
    uint64_t items = bpki_filter_folded(b->items, b->units / a->units);
    if (items < a->items) a->items = items;
    if (b->rate < a->rate) a->rate = b->rate;
    if (b->on_full == BPK_FULL_ERROR) a->on_full = BPK_FULL_ERROR;
}
