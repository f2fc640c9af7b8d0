/* members.c - peer_members blocked|classic|libbloom RATE KEYS STRANGERS: what a key costs a filter, and how often it is
 * wrong about strangers. Prints ns to insert, ns to ask, false "yes", false "no" and bytes of the filter, in a line.
 *
 * Lines are in memory before the clock starts; hashing them is timed on both sides. Ours goes in batches, which is how
 * its interface is meant; libbloom has calls for one item.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include <ballpark/bloom.h>
#if __has_include(<bloom.h>)
#include <bloom.h>
#define HAS_LIBBLOOM 1
#else
#define HAS_LIBBLOOM 0
#endif

typedef struct result {
    double insert, ask; /* ns of a key, of a stranger */
    size_t false_yes, false_no;
    uint64_t bytes;
} result;

/* ---- ours ---- */

static void insert(bpk_bloom *b, const bpk_hasher *h, const lines *keys) {
    uint64_t hash[BATCH];
    for (size_t i = 0; i < keys->n; i += BATCH) {
        bpk_items it = {.n = hash_batch(h, keys, i, hash), .hash = hash};
        must(bpk_add(bpk_bloom_base(b), &it, NULL, NULL));
    }
}
static size_t found(const bpk_bloom *b, const bpk_hasher *h, const lines *asked) {
    uint64_t hash[BATCH];
    uint8_t yes[BATCH];
    size_t sum = 0;
    for (size_t i = 0; i < asked->n; i += BATCH) {
        size_t n = hash_batch(h, asked, i, hash);
        bpk_bloom_has(b, hash, n, yes);
        for (size_t j = 0; j < n; j++) sum += yes[j];
    }
    return sum;
}
static result ours(uint8_t layout, double rate, const lines *keys, const lines *strangers) {
    const bpk_bloom_config cfg = {.items = keys->n, .rate = rate, .layout = layout};
    result r = {.bytes = bpk_bloom_bits(&cfg) / 8};
    bpk_bloom *b = NULL;
    bpk_hasher h;
    must(bpk_hasher_init(&h, NULL, NULL, NULL));
    double start = bench_now();
    must(bpk_bloom_new(&b, &cfg, NULL));
    insert(b, &h, keys);
    double between = bench_now();
    r.false_yes = found(b, &h, strangers);
    r.ask = (bench_now() - between) / (double)strangers->n;
    r.insert = (between - start) / (double)keys->n;
    r.false_no = keys->n - found(b, &h, keys);
    bpk_free(bpk_bloom_base(b));
    return r;
}

/* ---- theirs ---- */

#if HAS_LIBBLOOM
static size_t their_found(struct bloom *b, const lines *asked) {
    size_t sum = 0;
    for (size_t i = 0; i < asked->n; i++) sum += bloom_check(b, asked->item[i], (int)asked->len[i]) == 1;
    return sum;
}
static result theirs(double rate, const lines *keys, const lines *strangers) {
    result r = {0};
    struct bloom b;
    double start = bench_now();
    if (bloom_init(&b, (int)keys->n, rate) != 0) give_up("libbloom", "refuses");
    for (size_t i = 0; i < keys->n; i++) bloom_add(&b, keys->item[i], (int)keys->len[i]);
    double between = bench_now();
    r.false_yes = their_found(&b, strangers);
    r.ask = (bench_now() - between) / (double)strangers->n;
    r.insert = (between - start) / (double)keys->n;
    r.false_no = keys->n - their_found(&b, keys);
    r.bytes = (uint64_t)b.bytes;
    bloom_free(&b);
    return r;
}
#else
static result theirs(double rate, const lines *keys, const lines *strangers) {
    (void)rate, (void)keys, (void)strangers;
    give_up("libbloom", "was not there at build time");
    return (result){0};
}
#endif

static result measured(const char *what, double rate, const lines *keys, const lines *strangers) {
    if (strcmp(what, "blocked") == 0) return ours(BPK_BLOOM_BLOCKED, rate, keys, strangers);
    if (strcmp(what, "classic") == 0) return ours(BPK_BLOOM_CLASSIC, rate, keys, strangers);
    if (strcmp(what, "libbloom") != 0) give_up(what, "is none of blocked, classic, libbloom");
    return theirs(rate, keys, strangers);
}

int main(int argc, char **argv) {
    if (argc != 5) give_up("peer_members", "wants blocked|classic|libbloom RATE KEYS STRANGERS");
    lines keys = lines_of(argv[3]), strangers = lines_of(argv[4]);
    result r = measured(argv[1], atof(argv[2]), &keys, &strangers);
    printf("%.2f\t%.2f\t%zu\t%zu\t%llu\n", r.insert, r.ask, r.false_yes, r.false_no, (unsigned long long)r.bytes);
    lines_free(&keys), lines_free(&strangers);
    return 0;
}
