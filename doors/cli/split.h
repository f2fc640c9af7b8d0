/* split.h - the inner loops of reading text: where records end, and where one field of each record is.
 *
 * One table a processor, chosen once: portable is the truth, avx2 gives the same. All of them look at 64 bytes at a
 * time and turn them into a mask of the bytes that matter, so they may read (never write) up to SPLIT_SLACK bytes
 * behind the text.
 */
#ifndef CLI_SPLIT_H
#define CLI_SPLIT_H

#include <stddef.h>
#include <stdint.h>

enum { SPLIT_SLACK = 64 }; /* readable bytes behind a text, and spare entries behind the arrays of cut() */

typedef struct split_kernels {
    const char *name;
    /* Cuts the first records of n bytes, at most `max` (64 or more), each with its terminator. Returns how many. */
    size_t (*cut)(const uint8_t *text, size_t n, uint8_t terminator, size_t max, const void **record, size_t *len);
    /* Passes over the first *records of n bytes, or as many as there are; *records becomes how many are left to pass.
     * Returns the bytes that were passed. */
    size_t (*pass)(const uint8_t *text, size_t n, uint8_t terminator, uint64_t *records);
    /* The nth field (from 1) of each record between runs of blanks and tabs; item NULL where a record has fewer. */
    void (*pick_blank)(const void *const *record, const size_t *record_len, size_t n, size_t nth, const void **item,
                       size_t *len);
    /* The same with each `delimiter` between two fields, which may be empty. */
    void (*pick_byte)(const void *const *record, const size_t *record_len, size_t n, size_t nth, uint8_t delimiter,
                      const void **item, size_t *len);
} split_kernels;

/* The table that goes with the library's kernels (bpk_kernels()). */
const split_kernels *split_kernels_now(void);

extern const split_kernels split_portable;
#if defined(__x86_64__)
extern const split_kernels split_avx2;
#endif

#endif
