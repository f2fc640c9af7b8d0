/* envelope.h - where the parts of an envelope are, for mutators that keep it whole (docs/format.md). */
#ifndef FUZZ_ENVELOPE_H
#define FUZZ_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    HEADER = 32,
    CHECKSUM = 8,
    AT_KIND = 9,
    AT_FORM = 10,
    AT_FLAGS = 11,
    AT_PARAMS = 15,
    AT_BODY_N = 24,
    AT_VALUES = 32
};

/* Of libFuzzer; not there when a corpus is replayed, and not called then. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static inline void envelope_store64(uint8_t *p, uint64_t v) {
    for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t envelope_load64(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

/* Makes the checksum right. */
static inline void envelope_seal(uint8_t *p, size_t n) {
    envelope_store64(p + n - CHECKSUM, XXH3_64bits(p, n - CHECKSUM));
}

/* The body takes what header and parameters leave: true for sketches without metadata. */
static inline void envelope_fix_length(uint8_t *p, size_t n) {
    size_t other = HEADER + CHECKSUM + (size_t)p[AT_PARAMS] * 8;
    if (n >= other) envelope_store64(p + AT_BODY_N, n - other);
}

#endif
