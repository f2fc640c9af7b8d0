/* base.h - what everything else stands on: status, error detail, environment, estimates.
 *
 * Every function that can fail returns a bpk_status, writes its outputs only on success and changes nothing when it
 * fails.
 */
#ifndef BALLPARK_BASE_H
#define BALLPARK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define BPK_EXTERN extern "C"
#else
#define BPK_EXTERN extern
#endif
#if defined(__GNUC__)
#define BPK_API BPK_EXTERN __attribute__((visibility("default")))
#else
#define BPK_API BPK_EXTERN
#endif

#define BPK_VERSION_MAJOR 0
#define BPK_VERSION_MINOR 1
#define BPK_VERSION_PATCH 0
#define BPK_VERSION "0.1.0"

/* The version of the library that is linked, which may differ from the header's. */
BPK_API const char *bpk_version(void);

/* The numbers are stable; gaps leave room in each group. */
typedef enum bpk_status {
    BPK_OK = 0,
    /* the caller's side */
    BPK_E_ARG = 1,   /* an argument is out of its range */
    BPK_E_NOMEM = 2, /* the allocator returned nothing */
    BPK_E_LIMIT = 3, /* more than env.max_bytes would be needed */
    /* the object's state */
    BPK_E_FULL = 10,        /* no room left, and the policy on full is to refuse */
    BPK_E_MISMATCH = 11,    /* two sketches that do not fit each other */
    BPK_E_UNSUPPORTED = 12, /* this kind cannot answer that */
    BPK_E_KEY = 13,         /* the secret key is missing or another one */
    /* bytes that do not decode */
    BPK_E_TRUNCATED = 20,
    BPK_E_MAGIC = 21,    /* not a sketch */
    BPK_E_VERSION = 22,  /* made by a newer version: it says which feature is missing */
    BPK_E_KIND = 23,     /* a kind of sketch that this build does not know */
    BPK_E_CORRUPT = 24,  /* the checksum is right and the contents are impossible */
    BPK_E_CHECKSUM = 25, /* damaged on the way */
    /* reading and writing */
    BPK_E_SINK = 30,     /* the sink or the operating system refused; err.other says why */
    BPK_E_UNDURABLE = 31 /* written and visible, but a power failure may still undo it */
} bpk_status;

/* A fixed text such as "does not fit", never NULL. */
BPK_API const char *bpk_status_text(bpk_status st);

/* Where and why a call failed. `field` is a constant text, NULL, or of a parameter that is not known the caller's own
 * name; `mine` and `other` are empty where they say nothing. */
typedef struct bpk_err {
    bpk_status code;
    size_t offset;     /* decoding: the byte, counted from the first one given */
    const char *field; /* "precision", "checksum", "seed" */
    char mine[40], other[40];
} bpk_err;

/* Writes one sentence for people, such as "does not fit: precision is 14 here and 12 there", and its terminating zero,
 * cut to `cap` bytes; returns the length that it would have. */
BPK_API size_t bpk_explain(const bpk_err *err, char *text, size_t cap);

/* Where memory comes from. NULL means malloc and 256 MiB. An object keeps a copy, so `ctx` must outlive it. `release`
 * and `resize` are told the size that was asked for; contents need not be zero. */
typedef struct bpk_env {
    void *(*alloc)(void *ctx, size_t n);
    void *(*resize)(void *ctx, void *p, size_t old_n, size_t n);
    void (*release)(void *ctx, void *p, size_t n);
    void *ctx;
    uint64_t max_bytes; /* of one block, checked before it is asked for; an object is little more than its largest */
} bpk_env;

/* The environment that NULL stands for; to start from when only max_bytes is to differ. */
BPK_API bpk_env bpk_env_default(void);

/* Flags of an estimate. */
enum {
    BPK_EXACT = 1,       /* the truth, not an estimate */
    BPK_ONE_SIDED = 2,   /* one of the limits is certain, not just likely */
    BPK_BELOW_NOISE = 4, /* not distinguishable from an item that was never added */
    BPK_SATURATED = 8,   /* a counter or the whole sketch is at its end: at least this much */
    BPK_NO_POINT = 16,   /* only the interval means something */
    BPK_REDUCED = 32     /* this handle, or one that was merged into it, was made with a higher accuracy */
};

/* An answer: the point, and limits that contain the truth with probability `confidence`. lower <= estimate <= upper. */
typedef struct bpk_estimate {
    double estimate, lower, upper, confidence;
    uint32_t flags;
} bpk_estimate;

#define BPK_CONFIDENCE 0.95 /* what a confidence of 0 stands for; otherwise 0.5 to 0.999999 */

/* Takes n bytes: a file, a reply, a growing buffer. Anything but BPK_OK stops the writer, which returns it. */
typedef bpk_status (*bpk_sink)(void *ctx, const void *bytes, size_t n);

/* The kernels in use: "portable" or "avx2". They differ in speed only, never in an answer or a byte. */
BPK_API const char *bpk_kernels(void);

/* Chooses kernels by name, or the best for this processor with NULL; BPK_E_UNSUPPORTED where there are none of that
 * name. To be called before other threads use the library. */
BPK_API bpk_status bpk_kernels_use(const char *name);

#endif
