/* sketch.h - what every kind of sketch can do, said once.
 *
 * A bpk_sketch is any kind; bpk_hll_base() and its like turn a typed handle into one. A kind that cannot answer a
 * question returns BPK_E_UNSUPPORTED and names itself. `err` may be NULL everywhere.
 */
#ifndef BALLPARK_SKETCH_H
#define BALLPARK_SKETCH_H

#include <ballpark/hash.h>
#include <ballpark/param.h>

/* The numbers are part of the format. */
typedef enum bpk_kind {
    BPK_KIND_BLOOM = 1,
    BPK_KIND_GROW = 2,
    BPK_KIND_CBLOOM = 4,
    BPK_KIND_CUCKOO = 5,
    BPK_KIND_CMS = 16,
    BPK_KIND_TOPK = 17,
    BPK_KIND_LIMIT = 18,
    BPK_KIND_HLL = 32,
    BPK_KIND_THETA = 33,
    BPK_KIND_SAMPLE = 48,
    BPK_KIND_WINDOW = 64
} bpk_kind;

/* small is packed, for storage; view is raw, for maps and shared pages. Each is canonical: one state, one byte
 * string. */
typedef enum bpk_form { BPK_FORM_SMALL = 0, BPK_FORM_VIEW = 1 } bpk_form;

/* What kinds with a plan do when they are full, their `on_full`: refuse with BPK_E_FULL, or go on. */
enum { BPK_FULL_ERROR = 0, BPK_FULL_DEGRADE = 1 };

typedef struct bpk_sketch bpk_sketch;

/* ---- life cycle ---- */

/* Makes a sketch of the kind called `kind` ("hll", "bloom") from text parameters; each room's page lists them. `d` NULL
 * is the default domain. BPK_E_ARG names the parameter that is unknown or out of range, or is missing. */
BPK_API bpk_status bpk_new(bpk_sketch **out, const char *kind, const bpk_domain *d, const bpk_param *p, size_t n,
                           const bpk_env *env, bpk_err *err);
BPK_API void bpk_free(bpk_sketch *s);  /* NULL is fine */
BPK_API void bpk_reset(bpk_sketch *s); /* as new, with the same parameters; metadata stays */
/* A copy, and an empty one with the same parameters and no metadata. `env` NULL takes the environment of `s`. */
BPK_API bpk_status bpk_copy(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);
BPK_API bpk_status bpk_twin(bpk_sketch **out, const bpk_sketch *s, const bpk_env *env);

BPK_API bpk_kind bpk_kind_of(const bpk_sketch *s);
BPK_API const char *bpk_kind_name(const bpk_sketch *s); /* "hll" */
BPK_API const bpk_domain *bpk_domain_of(const bpk_sketch *s);
BPK_API size_t bpk_memory(const bpk_sketch *s); /* bytes of memory, all included */

/* The i-th kind that this build knows and the question that it answers; NULL behind the last. */
BPK_API const char *bpk_kind_at(size_t i, const char **question);

/* ---- adding and merging ---- */

/* Adds a batch. `changed` (n bytes or NULL) becomes 1 where the state changed, 0 where it did not. On failure the items
 * before *done (may be NULL) are in, and item *done has changed nothing. */
BPK_API bpk_status bpk_add(bpk_sketch *s, const bpk_items *it, uint8_t *changed, size_t *done);

/* Moves the time of a sketch that knows time forward to `now`, in the unit of bpk_items.now; never back. A batch
 * without items does the same. What has passed is forgotten or decays, so that answers are as of then. Other kinds stay
 * as they are. */
BPK_API void bpk_advance(bpk_sketch *s, uint64_t now);

/* dst becomes the union; src stays. Refused with BPK_E_MISMATCH when kind, domain or shape do not fit; err names the
 * field and both values. Of the metadata only entries that both have equally remain. */
BPK_API bpk_status bpk_merge(bpk_sketch *dst, const bpk_sketch *src, bpk_err *err);
/* The same with one encoded sketch; *acc NULL starts with it. Form view is merged without a copy. */
BPK_API bpk_status bpk_merge_bytes(bpk_sketch **acc, const void *b, size_t n, const bpk_env *env, bpk_err *err);
/* The union of n >= 1 sketches, whatever their order: for when all parts are at hand. */
BPK_API bpk_status bpk_merge_many(bpk_sketch **out, const bpk_sketch *const *src, size_t n, const bpk_env *env,
                                  bpk_err *err);

/* Whether a stream may be cut into parts, each given to a twin, so that the merge of the parts in any order is byte for
 * byte the sketch of the whole stream. Where not, one sketch takes the items in their order. */
BPK_API bool bpk_splittable(const bpk_sketch *s);

/* ---- questions ---- */

BPK_API bpk_status bpk_has(const bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *out, bpk_err *err);
/* Takes items away, one after the other, each once as often as it is given. `removed` (n bytes or NULL) becomes 1, or 0
 * where the item was certainly absent: that is refused, and changes nothing. */
BPK_API bpk_status bpk_remove(bpk_sketch *s, const uint64_t *hash, size_t n, uint8_t *removed, bpk_err *err);
/* One answer a hash; with hash NULL one answer, of the whole (n is not read). `confidence` 0 is BPK_CONFIDENCE;
 * BPK_E_ARG outside 0.5 to 0.999999. */
BPK_API bpk_status bpk_count(const bpk_sketch *s, const uint64_t *hash, size_t n, double confidence, bpk_estimate *out,
                             bpk_err *err);
typedef struct bpk_row {
    const void *key;
    size_t len;
    bpk_estimate count;
    bool certain; /* that it belongs at this rank */
} bpk_row;
typedef bool (*bpk_row_fn)(void *ctx, const bpk_row *row); /* false ends the walk */
BPK_API bpk_status bpk_rows(const bpk_sketch *s, size_t limit, bpk_row_fn fn, void *ctx, bpk_err *err);

/* ---- bytes and back; docs/format.md is the format ---- */

BPK_API size_t bpk_encoded_size(const bpk_sketch *s, bpk_form f); /* 0: no memory to work it out */
BPK_API bpk_status bpk_encode(const bpk_sketch *s, bpk_form f, bpk_sink sink, void *ctx);
/* Reads one sketch and validates everything. *used (NULL: no byte may follow) becomes the bytes taken. */
BPK_API bpk_status bpk_decode(bpk_sketch **out, const void *b, size_t n, size_t *used, const bpk_env *env,
                              bpk_err *err);

/* A read-only sketch on bytes in form view, without a copy; the bytes must outlive it. NULL: err says BPK_E_UNSUPPORTED
 * when they are a sketch in another form. Not to be freed. Costs one pass over the bytes for the checks. */
typedef struct bpk_view {
    uint64_t opaque[32];
} bpk_view;
BPK_API const bpk_sketch *bpk_view_open(bpk_view *v, const void *b, size_t n, bpk_err *err);

/* What the first n bytes are: 2 a sketch; 1 nearly one, damaged and never to be read as text (6 of the 8 magic bytes,
 * or the first 4, as a transfer that mends line ends leaves them); 0 no. */
BPK_API int bpk_sniff(const void *b, size_t n);

/* Metadata that travels with the sketch, 64 KiB at most; n = 0 removes an entry. The library gives it no meaning but
 * for BPK_META_TOLERATED, which is a double as 8 little-endian bytes, see bpk_tolerate: BPK_E_ARG for anything else. */
enum { BPK_META_LABEL = 1, BPK_META_SOURCE = 2, BPK_META_CREATED = 3, BPK_META_TOLERATED = 4, BPK_META_USER = 1024 };
BPK_API bpk_status bpk_meta_set(bpk_sketch *s, uint16_t tag, const void *value, size_t n);
BPK_API const void *bpk_meta_get(const bpk_sketch *s, uint16_t tag, size_t *n);

/* ---- what it is (and health.h whether it is well): one walk feeds table, JSON, Redis map, jsonb and metrics ---- */

typedef enum bpk_unit { BPK_UNIT_NONE, BPK_UNIT_BYTES, BPK_UNIT_ITEMS, BPK_UNIT_SHARE, BPK_UNIT_FLAG } bpk_unit;
typedef struct bpk_field {
    const char *name, *text; /* text, or NULL when the field is a number */
    bpk_estimate num;        /* confidence 1 and equal limits: a number, not an estimate */
    uint8_t unit;
} bpk_field;
typedef bool (*bpk_field_fn)(void *ctx, const bpk_field *f); /* false ends the walk */
BPK_API void bpk_info(const bpk_sketch *s, bpk_field_fn fn, void *ctx);

#endif
