/* test_kern.c - every kernel equals the portable one, and these equal their definitions, at all sizes and addresses. */
#include "t.h"

#include "kern.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROOM = 4096, SLACK = 64 };

static const bpki_kernels *other; /* the best table of this processor */

static uint64_t seed = 1;

static void fill(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)bpki_next(&seed);
}

static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096};

typedef void (*unite_fn)(uint8_t *a, const uint8_t *b, size_t n);

/* Both kernels on the same bytes, which begin anywhere; the bytes around them stay. */
static void assert_same_union(unite_fn mine, unite_fn truth) {
    uint8_t a[ROOM + 2 * SLACK], b[ROOM + 2 * SLACK], c[ROOM + 2 * SLACK];
    for (size_t i = 0; i < BPKI_COUNT(sizes); i++)
        for (size_t shift = 0; shift < 40; shift += 1 + shift / 8) {
            fill(a, sizeof a);
            fill(b, sizeof b);
            memcpy(c, a, sizeof a);
            mine(a + SLACK + shift, b + SLACK - shift, sizes[i]);
            truth(c + SLACK + shift, b + SLACK - shift, sizes[i]);
            assert_memory_equal(a, c, sizeof a);
        }
}

static void unions_equal_the_portable_ones_at_every_size_and_address(void **state) {
    (void)state;
    assert_same_union(other->hll_max, bpki_kernels_portable.hll_max);
    assert_same_union(other->ull_merge, bpki_kernels_portable.ull_merge);
    assert_same_union(other->or_bytes, bpki_kernels_portable.or_bytes);
}

static void assert_ultraloglog_unions(const bpki_kernels *k) {
    uint8_t a[256], b[256];
    for (unsigned x = 0; x < 256; x++) {
        for (unsigned y = 0; y < 256; y++) a[y] = (uint8_t)x, b[y] = (uint8_t)y;
        k->ull_merge(a, b, 256);
        for (unsigned y = 0; y < 256; y++) assert_int_equal(a[y], bpki_register_union((uint8_t)x, (uint8_t)y, 2));
        for (unsigned y = 0; y < 256; y++) a[y] = (uint8_t)x;
        k->hll_max(a, b, 256);
        for (unsigned y = 0; y < 256; y++) assert_int_equal(a[y], bpki_register_union((uint8_t)x, (uint8_t)y, 0));
    }
}

static void register_unions_equal_their_definition_on_all_65536_pairs(void **state) {
    (void)state;
    assert_ultraloglog_unions(&bpki_kernels_portable);
    assert_ultraloglog_unions(other);
}

static void popcounts_equal_a_count_bit_by_bit(void **state) {
    (void)state;
    uint8_t a[ROOM + SLACK];
    for (size_t i = 0; i < BPKI_COUNT(sizes); i++)
        for (size_t shift = 0; shift < 33; shift++) {
            uint64_t bits = 0;
            fill(a, sizeof a);
            for (size_t j = 0; j < sizes[i]; j++)
                for (unsigned bit = 0; bit < 8; bit++) bits += a[shift + j] >> bit & 1;
            assert_int_equal(bpki_kernels_portable.popcount(a + shift, sizes[i]), bits);
            assert_int_equal(other->popcount(a + shift, sizes[i]), bits);
        }
    memset(a, 0xFF, sizeof a);
    assert_int_equal(other->popcount(a, ROOM), 8 * ROOM);
}

/* ---- blocked filters ---- */

/* The definition in kern.h, bit by bit. */
static bool line_by_hand(uint8_t *lines, uint64_t blocks, uint64_t hash, bool set) {
    uint8_t *line = lines + bpki_mulhi(hash, blocks) * BPKI_LINE;
    uint64_t g = hash * BPKI_BLOOM_LANES;
    bool all = true;
    for (unsigned i = 0; i < 8; i++) {
        unsigned bit = 64 * i + (unsigned)(g >> (16 + 6 * i) & 63);
        all = all && (line[bit / 8] >> bit % 8 & 1);
        if (set) line[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    return all;
}
static bool item_by_hand(uint8_t *lines, uint64_t blocks, uint64_t hash, unsigned k, bool set) {
    bool all = line_by_hand(lines, blocks, hash, set);
    if (k == 2) all = line_by_hand(lines, blocks, (hash | 1) * BPKI_BLOOM_SECOND, set) && all;
    return all;
}

static void some_hashes(uint64_t *hash, size_t n) {
    for (size_t i = 0; i < n; i++) hash[i] = bpki_next(&seed);
    for (size_t i = 1; i < n; i++)
        if (bpki_next(&seed) % 4 == 0) hash[i] = hash[bpki_next(&seed) % i]; /* twice in one batch */
    if (n > 2) hash[0] = 0, hash[1] = UINT64_MAX, hash[2] = 1;
}

static void check_filter(const bpki_kernels *kern, unsigned k, uint64_t blocks, size_t n, size_t shift) {
    static uint8_t a[200 * BPKI_LINE + SLACK], b[200 * BPKI_LINE + SLACK];
    uint64_t hash[300];
    uint8_t changed[300], found[300];
    fill(a, sizeof a);
    for (size_t i = 0; i < sizeof a; i++) a[i] &= (uint8_t)bpki_next(&seed);
    memcpy(b, a, sizeof a);
    some_hashes(hash, n);
    (k == 1 ? kern->bloom1_has : kern->bloom2_has)(a + shift, blocks, hash, n, found);
    assert_memory_equal(a, b, sizeof a);
    for (size_t i = 0; i < n; i++) assert_int_equal(found[i], item_by_hand(b + shift, blocks, hash[i], k, false));
    (k == 1 ? kern->bloom1_add : kern->bloom2_add)(a + shift, blocks, hash, n, changed);
    for (size_t i = 0; i < n; i++) assert_int_equal(changed[i], !item_by_hand(b + shift, blocks, hash[i], k, true));
    assert_memory_equal(a, b, sizeof a);
    some_hashes(hash, n);
    (k == 1 ? kern->bloom1_add : kern->bloom2_add)(a + shift, blocks, hash, n, NULL);
    for (size_t i = 0; i < n; i++) item_by_hand(b + shift, blocks, hash[i], k, true);
    assert_memory_equal(a, b, sizeof a);
    (k == 1 ? kern->bloom1_has : kern->bloom2_has)(a + shift, blocks, hash, n, found);
    for (size_t i = 0; i < n; i++) assert_int_equal(found[i], 1);
}

static void filters_set_and_find_the_bits_of_their_definition_item_by_item(void **state) {
    (void)state;
    static const uint64_t blocks[] = {1, 2, 3, 64, 199};
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 64, 65, 300};
    for (unsigned k = 1; k <= 2; k++)
        for (size_t i = 0; i < BPKI_COUNT(blocks); i++)
            for (size_t j = 0; j < BPKI_COUNT(counts); j++)
                for (size_t shift = 0; shift < 64; shift += 13) {
                    check_filter(&bpki_kernels_portable, k, blocks[i], counts[j], shift);
                    check_filter(other, k, blocks[i], counts[j], shift);
                }
}

static void shares_of_lines_equal_a_count_lane_by_lane(void **state) {
    (void)state;
    static uint8_t a[40 * BPKI_LINE + SLACK];
    for (uint64_t n = 0; n < 20; n++)
        for (size_t apart = BPKI_LINE; apart <= 2 * BPKI_LINE; apart += BPKI_LINE) {
            double sum = 0;
            fill(a, sizeof a);
            for (uint64_t line = 0; line < n; line++) {
                double share = 1;
                for (unsigned lane = 0; lane < 8; lane++) {
                    unsigned set = 0;
                    for (unsigned bit = 0; bit < 64; bit++)
                        set += a[7 + line * apart + 8 * lane + bit / 8] >> bit % 8 & 1;
                    share *= set / 64.0;
                }
                sum += share;
            }
            assert_true(bpki_kernels_portable.line_shares(a + 7, n, apart) == sum);
            assert_true(other->line_shares(a + 7, n, apart) == sum);
        }
}

/* Against item_by_hand of each generation, whose lines are gathered from their places between the others'. */
static void check_ring(const bpki_kernels *kern, const bpki_ring_shape *s, size_t n, size_t shift) {
    enum { MOST = 7 * 17 * BPKI_LINE };
    static uint8_t a[MOST + SLACK], b[17][7 * BPKI_LINE];
    uint64_t hash[300], written = 0;
    uint8_t changed[300], found[300];
    fill(a, sizeof a);
    for (size_t i = 0; i < sizeof a; i++) a[i] &= (uint8_t)bpki_next(&seed);
    for (uint64_t u = 0; u < s->blocks; u++)
        for (unsigned g = 0; g < s->lines; g++)
            memcpy(b[g] + u * BPKI_LINE, a + shift + (u * s->lines + g) * BPKI_LINE, BPKI_LINE);
    some_hashes(hash, n);
    kern->ring_has(a + shift, s, hash, n, found);
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (unsigned g = 0; g < s->lines; g++) any = item_by_hand(b[g], s->blocks, hash[i], s->k, false) || any;
        assert_int_equal(found[i], any);
    }
    uint64_t counted = kern->ring_add(a + shift, s, hash, n, n % 2 ? changed : NULL);
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (unsigned g = 0; g < s->lines; g++) any = item_by_hand(b[g], s->blocks, hash[i], s->k, false) || any;
        if (n % 2) assert_int_equal(changed[i], !any);
        if (!any || !s->once) written += !item_by_hand(b[s->current], s->blocks, hash[i], s->k, true);
    }
    assert_int_equal(counted, written);
    for (uint64_t u = 0; u < s->blocks; u++)
        for (unsigned g = 0; g < s->lines; g++)
            assert_memory_equal(b[g] + u * BPKI_LINE, a + shift + (u * s->lines + g) * BPKI_LINE, BPKI_LINE);
}

static void rings_set_and_find_the_bits_of_their_definition_item_by_item(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 64, 299};
    for (unsigned k = 1; k <= 2; k++)
        for (uint64_t blocks = 1; blocks <= 7; blocks += 3)
            for (unsigned lines = 2; lines <= 17; lines += 5)
                for (size_t j = 0; j < BPKI_COUNT(counts); j++) {
                    const bpki_ring_shape s = {blocks, lines, k, (unsigned)(bpki_next(&seed) % lines), j % 3 == 0};
                    check_ring(&bpki_kernels_portable, &s, counts[j], j * 7);
                    check_ring(other, &s, counts[j], j * 7);
                }
}

/* ---- hashing and choosing ---- */

static void hashes_equal_the_library_at_every_length(void **state) {
    (void)state;
    static uint8_t bytes[5000];
    fill(bytes, sizeof bytes);
    for (size_t len = 0; len < sizeof bytes; len += len < 600 ? 1 : 97) {
        const void *item[2] = {bytes, bytes + (sizeof bytes - len)};
        size_t lens[2] = {len, len};
        uint64_t s = len % 2 ? 0 : bpki_next(&seed), mine[2], truth[2];
        other->xxh3_many(s, item, lens, mine, 2);
        bpki_kernels_portable.xxh3_many(s, item, lens, truth, 2);
        for (int i = 0; i < 2; i++) {
            assert_true(mine[i] == truth[i]);
            assert_true(truth[i] == XXH3_64bits_withSeed(item[i], len, s));
        }
    }
}

static void kernels_are_chosen_by_name_and_an_unknown_name_changes_nothing(void **state) {
    (void)state;
    assert_int_equal(bpk_kernels_use("portable"), BPK_OK);
    assert_string_equal(bpk_kernels(), "portable");
    assert_ptr_equal(bpki_kern(), &bpki_kernels_portable);
    assert_int_equal(bpk_kernels_use("mmx"), BPK_E_UNSUPPORTED);
    assert_string_equal(bpk_kernels(), "portable");
    assert_int_equal(bpk_kernels_use(NULL), BPK_OK);
    assert_ptr_equal(bpki_kern(), other);
    assert_int_equal(bpk_kernels_use(bpk_kernels()), BPK_OK);
}

int main(void) {
    bpk_kernels_use(NULL);
    other = bpki_kern();
    printf("kernels compared with portable: %s\n", other->name);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_equal_the_portable_ones_at_every_size_and_address),
        cmocka_unit_test(register_unions_equal_their_definition_on_all_65536_pairs),
        cmocka_unit_test(popcounts_equal_a_count_bit_by_bit),
        cmocka_unit_test(filters_set_and_find_the_bits_of_their_definition_item_by_item),
        cmocka_unit_test(shares_of_lines_equal_a_count_lane_by_lane),
        cmocka_unit_test(rings_set_and_find_the_bits_of_their_definition_item_by_item),
        cmocka_unit_test(hashes_equal_the_library_at_every_length),
        cmocka_unit_test(kernels_are_chosen_by_name_and_an_unknown_name_changes_nothing),
    };
    return cmocka_run_group_tests_name("kern", tests, NULL, NULL);
}
