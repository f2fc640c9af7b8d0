/* test_hash.c - promises of hash.h: known answers, domains and hashers. */
#include <math.h>

#include "core.h"
#include "t.h"

/* ---- XXH3-64: the sanity values that its author publishes with the library ---- */

static void xxh3_gives_its_published_answers(void **state) {
    (void)state;
    static const struct {
        size_t len;
        uint64_t hash;
    } known[] = {
        {0, UINT64_C(0x2D06800538D394C2)},   {1, UINT64_C(0xC44BDFF4074EECDB)},   {6, UINT64_C(0x27B56A84CD2D7325)},
        {12, UINT64_C(0xA713DAF0DFBB77E7)},  {24, UINT64_C(0xA3FE70BF9D3510EB)},  {48, UINT64_C(0x397DA259ECBA1F11)},
        {80, UINT64_C(0xBCDEFBBB2C47C90A)},  {195, UINT64_C(0xCD94217EE362EC3A)}, {403, UINT64_C(0xCDEB804D65C6DEA4)},
        {512, UINT64_C(0x617E49599013CB6B)}, {2048, UINT64_C(0xDD59E2C3A5F038E0)}};
    uint8_t bytes[2048];
    uint64_t x = 2654435761u;
    bpk_hasher h;
    for (size_t i = 0; i < sizeof bytes; i++, x *= UINT64_C(11400714785074694797)) bytes[i] = (uint8_t)(x >> 56);
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < BPKI_COUNT(known); i++) assert_true(bpk_hash(&h, bytes, known[i].len) == known[i].hash);
    assert_true(bpk_hash(&h, NULL, 0) == known[0].hash); /* the empty item is one too */
}

/* ---- SipHash as the paper writes it, without haste: Aumasson and Bernstein 2012, section 2 ---- */

static uint64_t rotated(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}
static void rounds(uint64_t v[4], unsigned n) {
    while (n--) {
        v[0] += v[1], v[2] += v[3];
        v[1] = rotated(v[1], 13), v[3] = rotated(v[3], 16);
        v[1] ^= v[0], v[3] ^= v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1], v[0] += v[3];
        v[1] = rotated(v[1], 17), v[3] = rotated(v[3], 21);
        v[1] ^= v[2], v[3] ^= v[0];
        v[2] = rotated(v[2], 32);
    }
}
static uint64_t word_at(const uint8_t *p) {
    uint64_t w = 0;
    for (int i = 0; i < 8; i++) w += (uint64_t)p[i] << (8 * i);
    return w;
}
static uint64_t paper_siphash(const uint8_t key[16], const uint8_t *item, size_t len, unsigned c, unsigned d) {
    static const char text[] = "somepseudorandomlygeneratedbytes"; /* the constants, big-endian */
    uint8_t padded[256] = {0};
    uint64_t v[4] = {0};
    for (int i = 0; i < 32; i++) v[i / 8] = v[i / 8] << 8 | (uint8_t)text[i];
    v[0] ^= word_at(key), v[1] ^= word_at(key + 8), v[2] ^= word_at(key), v[3] ^= word_at(key + 8);
    if (len) memcpy(padded, item, len);
    size_t words = len / 8 + 1;
    padded[8 * words - 1] = (uint8_t)len;
    for (size_t i = 0; i < words; i++) {
        uint64_t m = word_at(padded + 8 * i);
        v[3] ^= m;
        rounds(v, c);
        v[0] ^= m;
    }
    v[2] ^= 0xff;
    rounds(v, d);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void counting_key(uint8_t key[16]) {
    for (uint8_t i = 0; i < 16; i++) key[i] = i;
}
static bpk_hasher keyed(const uint8_t key[16], bpk_type type) {
    bpk_hasher h;
    const bpk_domain d = {BPK_HASH_SIPHASH, 1, (uint8_t)type, 0};
    assert_int_equal(bpk_hasher_init(&h, &d, key, NULL), BPK_OK);
    return h;
}

static void siphash_1_3_and_the_fingerprint_follow_the_paper(void **state) {
    (void)state;
    uint8_t key[16], item[200];
    counting_key(key);
    for (uint8_t i = 0; i < 200; i++) item[i] = i;
    assert_true(paper_siphash(key, item, 15, 2, 4) == UINT64_C(0xa129ca6149be45e5)); /* appendix A of the paper */
    for (uint64_t round = 0; round < 50; round++) {
        bpk_hasher h = keyed(key, BPK_BYTES);
        for (size_t len = 0; len <= 130; len++)
            for (size_t at = 0; at < 8; at += 3)
                assert_true(bpk_hash(&h, item + at, len) == paper_siphash(key, item + at, len, 1, 3));
        assert_true(h.domain.seed == paper_siphash(key, (const uint8_t *)"ballpark key fingerprint", 24, 2, 4));
        for (size_t i = 0; i < 16; i++) key[i] = (uint8_t)t_hash(round, i);
    }
}

/* ---- values ---- */

static void an_integer_is_its_eight_little_endian_bytes(void **state) {
    (void)state;
    static const int64_t values[] = {0, 1, -1, 42, INT64_MAX, INT64_MIN, 0x0102030405060708};
    uint8_t key[16];
    bpk_hasher h[2];
    counting_key(key);
    h[1] = keyed(key, BPK_I64);
    assert_int_equal(bpk_hasher_init(&h[0], NULL, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < BPKI_COUNT(values); i++) {
        uint8_t bytes[8];
        for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)((uint64_t)values[i] >> (8 * k));
        for (size_t k = 0; k < 2; k++) assert_true(bpk_hash_i64(&h[k], values[i]) == bpk_hash(&h[k], bytes, 8));
    }
    assert_false(bpk_hash_i64(&h[0], 5) == bpk_hash(&h[0], "5", 1));
}

static void minus_zero_is_zero_and_all_nan_are_one(void **state) {
    (void)state;
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    assert_true(bpk_hash_f64(&h, -0.0) == bpk_hash_f64(&h, 0.0));
    assert_true(bpk_hash_f64(&h, 0.0) == bpk_hash_i64(&h, 0));
    assert_true(bpk_hash_f64(&h, 1.0) == bpk_hash_i64(&h, INT64_C(0x3ff0000000000000)));
    assert_false(bpk_hash_f64(&h, -1.0) == bpk_hash_f64(&h, 1.0));
    uint64_t one = bpk_hash_f64(&h, NAN);
    for (uint64_t i = 1; i < 1000; i++) {
        uint64_t bits = UINT64_C(0x7ff0000000000000) | (i & 1) << 63 | (t_hash(1, i) >> 12) | 1;
        double nan;
        memcpy(&nan, &bits, sizeof nan);
        assert_true(bpk_hash_f64(&h, nan) == one);
    }
    assert_false(bpk_hash_f64(&h, INFINITY) == one);
    assert_false(bpk_hash_f64(&h, INFINITY) == bpk_hash_f64(&h, -INFINITY));
    assert_false(bpk_hash_f64(&h, 5e-324) == bpk_hash_f64(&h, 0));
}

static void many_hashes_are_each_the_one(void **state) {
    (void)state;
    enum { N = 300 };
    static uint8_t text[N + 300];
    const void *item[N];
    size_t len[N];
    uint64_t hash[N];
    uint8_t key[16];
    counting_key(key);
    bpk_hasher h[3] = {keyed(key, BPK_BYTES)};
    const bpk_domain seeded = {BPK_HASH_XXH3, 0, 0, UINT64_C(0xdeadbeef12345678)};
    assert_int_equal(bpk_hasher_init(&h[1], NULL, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_hasher_init(&h[2], &seeded, NULL, NULL), BPK_OK);
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)t_hash(9, i);
    for (size_t i = 0; i < N; i++) item[i] = text + i, len[i] = i % 3 ? i % 40 : i;
    for (size_t k = 0; k < 3; k++) {
        bpk_hash_many(&h[k], item, len, hash, N);
        for (size_t i = 0; i < N; i++) assert_true(hash[i] == bpk_hash(&h[k], item[i], len[i]));
        bpk_hash_many(&h[k], item, len, hash, 0);
    }
    assert_false(bpk_hash(&h[1], "a", 1) == bpk_hash(&h[2], "a", 1)); /* the seed counts */
}

/* ---- hashers ---- */

static void no_domain_is_xxh3_with_seed_0_over_bytes(void **state) {
    (void)state;
    bpk_hasher h;
    uint8_t key[16] = {1};
    assert_int_equal(bpk_hasher_init(&h, NULL, key, NULL), BPK_OK); /* the key is not used */
    assert_true(h.domain.hash == BPK_HASH_XXH3 && !h.domain.secret && h.domain.type == BPK_BYTES && h.domain.seed == 0);
    assert_true(h.key[0] == 0 && h.key[1] == 0);
}

static void a_secret_domain_wants_its_own_key(void **state) {
    (void)state;
    uint8_t key[16], other[16] = {0};
    bpk_err err;
    counting_key(key);
    bpk_hasher h = keyed(key, BPK_I64), again, untouched;
    assert_true(h.domain.seed != 0 && h.domain.type == BPK_I64 && h.domain.secret == 1);
    assert_int_equal(bpk_hasher_init(&again, &h.domain, key, &err), BPK_OK); /* the fingerprint fits */
    assert_true(bpk_hash(&again, "x", 1) == bpk_hash(&h, "x", 1));
    memset(&again, 7, sizeof again);
    untouched = again;
    assert_int_equal(bpk_hasher_init(&again, &h.domain, other, &err), BPK_E_KEY);
    assert_string_equal(err.field, "key");
    assert_int_equal(bpk_hasher_init(&again, &h.domain, NULL, &err), BPK_E_KEY);
    assert_int_equal(bpk_hasher_init(&again, &h.domain, NULL, NULL), BPK_E_KEY);
    assert_memory_equal(&again, &untouched, sizeof again);
    bpk_hasher theirs = keyed(other, BPK_I64);
    assert_false(theirs.domain.seed == h.domain.seed);
    assert_false(bpk_hash(&theirs, "x", 1) == bpk_hash(&h, "x", 1));
}

static void unknown_hashes_and_types_are_named(void **state) {
    (void)state;
    static const struct {
        bpk_domain d;
        const char *field;
    } wrong[] = {{{0, 0, 0, 0}, "hash"},   {{3, 0, 0, 0}, "hash"},   {{255, 0, 0, 0}, "hash"},
                 {{1, 1, 0, 0}, "secret"}, {{2, 0, 0, 0}, "secret"}, {{2, 2, 0, 0}, "secret"},
                 {{1, 0, 3, 0}, "type"},   {{2, 1, 255, 0}, "type"}};
    uint8_t key[16] = {0};
    for (size_t i = 0; i < BPKI_COUNT(wrong); i++) {
        bpk_hasher h;
        bpk_err err;
        assert_int_equal(bpk_hasher_init(&h, &wrong[i].d, key, &err), BPK_E_ARG);
        assert_string_equal(err.field, wrong[i].field);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xxh3_gives_its_published_answers),
        cmocka_unit_test(siphash_1_3_and_the_fingerprint_follow_the_paper),
        cmocka_unit_test(an_integer_is_its_eight_little_endian_bytes),
        cmocka_unit_test(minus_zero_is_zero_and_all_nan_are_one),
        cmocka_unit_test(many_hashes_are_each_the_one),
        cmocka_unit_test(no_domain_is_xxh3_with_seed_0_over_bytes),
        cmocka_unit_test(a_secret_domain_wants_its_own_key),
        cmocka_unit_test(unknown_hashes_and_types_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
