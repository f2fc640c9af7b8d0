/* cms.h - how often did this item come? A count-min sketch: rows of counters, the least of an item's counters answers.
 *
 *   Answers   [lower, estimate], never under the truth: estimate = upper = the least counter, lower = that less the
 *             noise.
 *   Error     over the truth by more than epsilon x total with probability delta at most: epsilon = e / width, delta =
 *             e^-depth. What it is now is measured: random items that were never added ("phantoms") show the noise.
 *   Memory    width x depth x cell bytes.
 *   Bytes     form view as memory; form small at most as much: a cell takes 1 byte up to 127, 2 up to 16,383, 3 up to
 *             2^21 - 1, and so on, a run of empty ones 2 to 6; an empty sketch of 2,719 x 5 cells 83 in all. Few bytes
 *             may stand for many cells: env->max_bytes is what bounds a decoder.
 *   Merge     yes, cell by cell. Plain sketches are linear: the merge is byte for byte the sketch of both streams. The
 *             merge of conservative ones is never under the truth, but looser than one sketch of both streams.
 *   Half-life counts halve every so many ticks of bpk_items.now, rounded up, so that an estimate is never under the
 *             exact decayed weight as of the latest tick; noise and total decay too. Late items weigh what is left of
 *             them. Sketches of different times merge to the latest. Cells of 8 bytes, or 4. No removing.
 *   Remove    plain only, through negative weights or combine; conservative update cannot be undone.
 *   Full      a cell at its end stays there; answers that rest on one say SATURATED and have no upper limit.
 *   Source    Cormode, Muthukrishnan 2005; conservative update: Estan, Varghese 2002; docs/rooms/cms.md.
 *
 * Parameters of bpk_new: epsilon and delta (shares; 0.001 and 0.01), or width and depth, or bytes (3 rows); sizing (e
 * or 2, for epsilon and delta), cell_bytes (1, 2, 4 or 8; 4), update (conservative or plain), half_life (ticks; none;
 * with one cell_bytes is 8, or 4).
 */
#ifndef BALLPARK_CMS_H
#define BALLPARK_CMS_H

#include <ballpark/sketch.h>

enum { BPK_CMS_DEPTH_MAX = 32 };

typedef struct bpk_cms bpk_cms;

/* domain.hash 0 is the default domain. */
typedef struct bpk_cms_config {
    bpk_domain domain;
    uint32_t width, depth; /* 1 or more cells a row; 1 to 32 rows */
    uint8_t cell_bytes;    /* 1, 2, 4 or 8 */
    uint8_t conservative;  /* 0: plain; from text parameters the default is conservative */
    uint64_t half_life;    /* 0: counts do not decay; otherwise in ticks of bpk_items.now, with cells of 4 or 8 bytes */
} bpk_cms_config;

/* Sets width and depth of *cfg: ceil(e / epsilon) and ceil(ln 1/delta); with base2, as Redis does, ceil(2 / epsilon)
 * and ceil(log2 1/delta). BPK_E_ARG: epsilon or delta not inside (0, 1), or a size out of range. */
BPK_API bpk_status bpk_cms_size(bpk_cms_config *cfg, double epsilon, double delta, bool base2);

/* BPK_E_ARG: a member out of range. BPK_E_LIMIT: larger than the environment allows. */
BPK_API bpk_status bpk_cms_new(bpk_cms **out, const bpk_cms_config *cfg, const bpk_env *env);

/* Adds by[i], which may be negative in a plain sketch, to item i; after[i] (or `after` NULL) becomes its new estimate.
 * All or nothing: BPK_E_UNSUPPORTED with a half-life, and for a negative number if conservative, BPK_E_ARG where a cell
 * that is not at its end would fall below 0. */
BPK_API bpk_status bpk_cms_adjust(bpk_cms *c, const uint64_t *hash, const int64_t *by, uint64_t *after, size_t n,
                                  bpk_err *err);

/* dst += factor x src, cell by cell; factor -1 takes a part away again. Plain without
 * half-life only, all or nothing; otherwise as merge. */
BPK_API bpk_status bpk_cms_combine(bpk_cms *dst, const bpk_cms *src, int64_t factor, bpk_err *err);

/* Halves every cell and the total, rounded down: for caches that compare how often keys came lately and halve after so
 * many of them (examples/admission.c). From then on an answer counts what came before as half, and so on; it may be
 * under that by less than 1, which the upper limit says, and 0 is no longer certain. A cell at its end stays there, so
 * that cells should hold all that comes between two halvings. BPK_E_UNSUPPORTED: plain, or with a half-life. */
BPK_API bpk_status bpk_cms_halve(bpk_cms *c, bpk_err *err);

/* The sum over all items of (count in a) x (count in b): upper = estimate is never under it, lower = that less e /
 * width x total(a) x total(b), which is exceeded with probability e^-depth. Plain without half-life only. */
BPK_API bpk_status bpk_cms_inner(const bpk_cms *a, const bpk_cms *b, bpk_estimate *out, bpk_err *err);

/* What items that were never added would be told: from 4,096 of them. O(4096 x depth): once a batch of questions. */
typedef struct bpk_noise {
    uint64_t total;     /* all weight added, stays at 2^64-1 */
    double median, p99; /* of the phantoms' estimates */
} bpk_noise;
BPK_API void bpk_cms_noise(const bpk_cms *c, bpk_noise *out);

/* lower: the estimate less the noise that is exceeded with probability 1 - confidence at most: p99 of the phantoms,
 * above 0.99 total / width x (1 - confidence)^(-1 / depth) (Markov's inequality in each row). At or under p99 the
 * estimate is the least counter less the median, not below 0, and says BELOW_NOISE. Cannot fail. */
BPK_API bpk_estimate bpk_cms_count(const bpk_cms *c, uint64_t hash, const bpk_noise *noise, double confidence);

/* The same of n >= 1 sketches of one shape, without half-lives if n > 1, each of a part of the stream: the sum of
 * their least counters is never under the truth, and at most what their merge would tell. The noise is that of the
 * sum, not the sum of each one's. */
BPK_API void bpk_cms_sum_noise(const bpk_cms *const *part, size_t n, bpk_noise *out);
BPK_API bpk_estimate bpk_cms_sum_count(const bpk_cms *const *part, size_t n, uint64_t hash, const bpk_noise *noise,
                                       double confidence);

BPK_API uint32_t bpk_cms_width(const bpk_cms *c);
BPK_API uint32_t bpk_cms_depth(const bpk_cms *c);
BPK_API uint64_t bpk_cms_total(const bpk_cms *c);

BPK_API const bpk_cms *bpk_as_cms(const bpk_sketch *s); /* NULL: another kind */
static inline bpk_sketch *bpk_cms_base(bpk_cms *c) {
    return (bpk_sketch *)c;
}

#endif
