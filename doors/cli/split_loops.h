/* split_loops.h - the loops of split.h over 64-byte masks, written once and compiled for each kind of processor.
 *
 * The including file has defined, all with the attribute SPLIT_TARGET:
 *   mask_eq(p, byte)      bit i is set where p[i] is `byte`, i = 0..63
 *   mask_blank(p)         bit i is set where p[i] is a blank or a tab
 *   put_ends(end, p, m)   stores p + i for each bit i of m, ascending; may scribble over 64 entries; returns how many
 */
#include <stdbool.h>

/* The lowest n bits. */
SPLIT_TARGET static inline uint64_t low_bits(size_t n) {
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* The ends of records are collected first, then turned into starts and lengths: two loops without a branch a record. */
SPLIT_TARGET static size_t cut(const uint8_t *text, size_t n, uint8_t terminator, size_t max, const void **record,
                               size_t *len) {
    size_t k = 0;
    for (size_t at = 0; at < n && k + 64 <= max; at += 64) {
        uint64_t m = mask_eq(text + at, terminator) & low_bits(n - at);
        k += put_ends(record + k, text + at, m);
    }
    const uint8_t *start = text;
    for (size_t i = 0; i < k; i++) {
        const uint8_t *end = record[i];
        record[i] = start;
        len[i] = (size_t)(end - start);
        start = end + 1;
    }
    return k;
}

/* The bit of the nth set bit, from 0, which is there. */
SPLIT_TARGET static inline unsigned nth_bit(uint64_t m, uint64_t nth) {
    for (; nth; nth--) m &= m - 1;
    return (unsigned)__builtin_ctzll(m);
}

/* Counting is all that happens until the block in which the last of them ends. */
SPLIT_TARGET static size_t pass(const uint8_t *text, size_t n, uint8_t terminator, uint64_t *records) {
    uint64_t left = *records;
    size_t passed = 0;
    for (size_t at = 0; at < n && left; at += 64) {
        uint64_t m = mask_eq(text + at, terminator) & low_bits(n - at);
        uint64_t count = (uint64_t)__builtin_popcountll(m);
        if (count >= left) {
            passed = at + nth_bit(m, left - 1) + 1;
            left = 0;
        } else if (count) {
            passed = at + 64 - (size_t)__builtin_clzll(m);
            left -= count;
        }
    }
    *records = left;
    return passed;
}

/* The offset of the first blank at or behind `from`, or n. */
SPLIT_TARGET static size_t find_blank(const uint8_t *p, size_t n, size_t from) {
    for (size_t at = from; at < n; at += 64) {
        uint64_t m = mask_blank(p + at) & low_bits(n - at);
        if (m) return at + (size_t)__builtin_ctzll(m);
    }
    return n;
}

/* A field starts where no blank follows a blank; what lies before and behind the record counts as blank. */
SPLIT_TARGET static inline const uint8_t *nth_blank(const uint8_t *p, size_t n, size_t nth, size_t *len) {
    uint64_t before = 1;
    for (size_t at = 0; at < n; at += 64) {
        uint64_t blank = mask_blank(p + at) | ~low_bits(n - at);
        uint64_t starts = ~blank & (blank << 1 | before);
        size_t count = (size_t)__builtin_popcountll(starts);
        before = blank >> 63;
        if (count < nth) {
            nth -= count;
            continue;
        }
        while (--nth) starts &= starts - 1;
        unsigned s = (unsigned)__builtin_ctzll(starts);
        uint64_t ends = blank >> s;
        *len = ends ? (size_t)__builtin_ctzll(ends) : find_blank(p, n, at + 64) - at - s;
        return p + at + s;
    }
    return NULL;
}

SPLIT_TARGET static void pick_blank(const void *const *record, const size_t *record_len, size_t n, size_t nth,
                                    const void **item, size_t *len) {
    for (size_t i = 0; i < n; i++) item[i] = nth_blank(record[i], record_len[i], nth, &len[i]);
}

/* The nth field lies between delimiter nth - 1 and delimiter nth, or the record's borders. */
SPLIT_TARGET static inline const uint8_t *nth_byte(const uint8_t *p, size_t n, size_t nth, uint8_t delimiter,
                                                   size_t *len) {
    size_t start = 0;
    for (size_t at = 0; at < n; at += 64) {
        uint64_t m = mask_eq(p + at, delimiter) & low_bits(n - at);
        size_t count = (size_t)__builtin_popcountll(m);
        if (count >= nth) {
            for (; nth > 1; nth--, m &= m - 1) start = at + (size_t)__builtin_ctzll(m) + 1;
            *len = at + (size_t)__builtin_ctzll(m) - start;
            return p + start;
        }
        nth -= count;
        if (nth == 1 && count) start = at + 64 - (size_t)__builtin_clzll(m);
    }
    *len = n - start;
    return nth == 1 ? p + start : NULL;
}

SPLIT_TARGET static void pick_byte(const void *const *record, const size_t *record_len, size_t n, size_t nth,
                                   uint8_t delimiter, const void **item, size_t *len) {
    for (size_t i = 0; i < n; i++) item[i] = nth_byte(record[i], record_len[i], nth, delimiter, &len[i]);
}
