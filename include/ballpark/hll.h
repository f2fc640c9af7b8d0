/* hll.h - how many different items? HyperLogLog (window bits 0) and UltraLogLog (2), 2^p one-byte registers.
 *
 *   Answers   the number of different items added, with an interval.
 *   Error     relative standard error 1.04 / sqrt(2^p) for d = 0, 0.76 / sqrt(2^p) for d = 2: 0.81 and 0.59 % at p =
 *             14. Practically exact while sparse, that is up to 3 * 2^(p-4) items: 3,072 at p = 14.
 *   Memory    about 180 bytes for 10 items, at most 5.4 to 10.7 bytes an item while sparse, then 2^p bytes (and 1 KiB
 *             from p = 12 on); items are not kept.
 *   Bytes     form small, p = 14, d = 2 (d = 0): 85 for 10 items, 2.5 KB for 1,000, 4.8 (4.2) KB for 10,000, then at
 *             most 8.5 (6.0) KB; form view 4 bytes an item, then 2^p. In both, equal bytes mean equal sketches. Few
 *             bytes may stand for 2^p registers: env->max_bytes is what bounds a decoder.
 *   Merge     exact: equals having added both streams. Lower p and d win, and the merged handle's answers say REDUCED.
 *   Remove    no.
 *   Monotone  d = 0 and the sparse form: an add never lowers the estimate, but for the one that turns tokens to
 *             registers. d = 2: at p = 14 one change in 40 was seen to lower it, by 2.6e-4 of it at most. Estimate and
 *             interval stay right.
 *   Source    Ertl 2017 (estimator), Ertl 2023 (UltraLogLog); docs/rooms/hll.md derives both.
 *
 * Parameters of bpk_new: precision (4 to 26, 14) or error (a share: the smallest precision that meets it), window_bits
 * (0 or 2, 2).
 */
#ifndef BALLPARK_HLL_H
#define BALLPARK_HLL_H

#include <ballpark/sketch.h>

enum { BPK_HLL_PRECISION_MIN = 4, BPK_HLL_PRECISION_MAX = 26, BPK_HLL_PRECISION = 14, BPK_HLL_WINDOW_BITS = 2 };

typedef struct bpk_hll bpk_hll;

/* Written in full: a precision of 0 is not a default but an error. domain.hash 0 is the default domain. */
typedef struct bpk_hll_config {
    bpk_domain domain;
    uint8_t precision, window_bits;
} bpk_hll_config;

/* BPK_E_ARG: precision, window bits or domain out of range. BPK_E_NOMEM. O(1): registers come with the (3 * 2^(p-4) +
 * 1)-th item. */
BPK_API bpk_status bpk_hll_new(bpk_hll **out, const bpk_hll_config *cfg, const bpk_env *env);

/* The estimate and its interval at `confidence` (0.5 to 0.999999; 0 is 0.95; others are moved into the range). The
 * interval comes from the observed information of the registers. O(2^p), or O(64) while the histogram is fresh. Cannot
 * fail. */
BPK_API bpk_estimate bpk_hll_count(const bpk_hll *h, double confidence);

/* Lowers precision (4 to 26) and window bits (0 or 2), exactly as if the sketch had been made with them; values that
 * are not lower change nothing. O(2^p) for the old p. BPK_E_ARG: out of range; BPK_E_NOMEM, BPK_E_LIMIT. */
BPK_API bpk_status bpk_hll_fold(bpk_hll *h, uint8_t precision, uint8_t window_bits);

BPK_API uint8_t bpk_hll_precision(const bpk_hll *h);
BPK_API uint8_t bpk_hll_window_bits(const bpk_hll *h);

/* Relative standard error of a dense sketch of precision 4 to 26 and window bits 0 or 2: for planning. Ertl 2017
 * section 4, Ertl 2023 equation 16. */
BPK_API double bpk_hll_standard_error(uint8_t precision, uint8_t window_bits);
/* The smallest precision whose standard error is at most `error`; 0 where there is none, or it is not inside (0, 1). */
BPK_API uint8_t bpk_hll_precision_for(double error, uint8_t window_bits);

BPK_API const bpk_hll *bpk_as_hll(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_hll_base(bpk_hll *h) {
    return (bpk_sketch *)h;
}

#endif
