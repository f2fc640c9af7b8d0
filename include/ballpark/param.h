/* param.h - numbers as people write them, the same in every door.
 *
 * Counts take 1000, 1e6, 10k, 5M (k, M, G, T are powers of 1000); sizes in bytes take 65536, 64k, 256M (powers of
 * 1024); shares take 0.01, 1e-2 or 1%. No locale has a say. Nothing may stand before or behind the number.
 */
#ifndef BALLPARK_PARAM_H
#define BALLPARK_PARAM_H

#include <ballpark/base.h>

/* A parameter by name, both as text: {"items", "1e6"}. */
typedef struct bpk_param {
    const char *name, *value;
} bpk_param;

/* Whole numbers from 0 to 2^64-1; BPK_E_ARG for anything else, also for a fraction such as 1.5. 1.5k is 1500. */
BPK_API bpk_status bpk_parse_count(const char *text, uint64_t *out);
BPK_API bpk_status bpk_parse_bytes(const char *text, uint64_t *out);

/* A finite number from 0 up; with a % sign a hundredth of it. */
BPK_API bpk_status bpk_parse_share(const char *text, double *out);

/* An item that is to be a signed 64-bit integer: digits with an optional sign, nothing else, in range. */
BPK_API bool bpk_parse_i64(const void *text, size_t len, int64_t *out);

/* 32 hexadecimal digits, optionally with white space around them: a secret key. */
BPK_API bpk_status bpk_parse_key(const void *text, size_t len, uint8_t key[16]);

#endif
