/* counts.c - peer_counts plain|conservative EPSILON DELTA STREAM TRUTH: what an item costs our count-min sketch, and
 * how far it is off. TRUTH has a line "COUNT KEY" for each key of STREAM.
 *
 * Prints ns to add, ns to ask, the mean overcount of keys that came LIGHT times at most, how many keys are over the
 * truth by more than EPSILON of the stream, how many are under it, how many keys there are, and bytes of the cells.
 */
#define _POSIX_C_SOURCE 200809L
#include "lines.h"

#include <ballpark/cms.h>

enum { LIGHT = 10, CELL = 4 };

typedef struct truth {
    lines key; /* `item` and `len` without the count */
    uint64_t *count;
} truth;

static truth truth_of(const char *path) {
    truth t = {.key = lines_of(path)};
    t.count = memory(t.key.n, sizeof *t.count);
    for (size_t i = 0; i < t.key.n; i++) {
        const char *line = t.key.item[i];
        char *end;
        t.count[i] = strtoull(line, &end, 10);
        if (*end++ != ' ') give_up(path, "has a line that is not COUNT KEY");
        t.key.len[i] -= (size_t)(end - line);
        t.key.item[i] = end;
    }
    return t;
}

static void add_all(bpk_cms *c, const bpk_hasher *h, const lines *stream) {
    uint64_t hash[BATCH];
    for (size_t i = 0; i < stream->n; i += BATCH) {
        bpk_items it = {.n = hash_batch(h, stream, i, hash), .hash = hash};
        must(bpk_add(bpk_cms_base(c), &it, NULL, NULL));
    }
}

/* The upper limit, which is the least counter: what the textbook calls the answer. */
static void ask_all(const bpk_cms *c, const bpk_hasher *h, const lines *key, double *answer) {
    uint64_t hash[BATCH];
    bpk_noise noise;
    bpk_cms_noise(c, &noise);
    for (size_t i = 0; i < key->n; i += BATCH) {
        size_t n = hash_batch(h, key, i, hash);
        for (size_t j = 0; j < n; j++) answer[i + j] = bpk_cms_count(c, hash[j], &noise, 0.95).upper;
    }
}

static void print_errors(const truth *t, const double *answer, double bound) {
    double over = 0;
    size_t light = 0, above = 0, under = 0;
    for (size_t i = 0; i < t->key.n; i++) {
        double off = answer[i] - (double)t->count[i];
        under += off < 0;
        above += off > bound;
        if (t->count[i] > LIGHT) continue;
        light++;
        over += off;
    }
    printf("%.3f\t%zu\t%zu\t%zu\t", light ? over / (double)light : 0, above, under, t->key.n);
}

int main(int argc, char **argv) {
    const bool tight = argc == 6 && strcmp(argv[1], "conservative") == 0;
    if (argc != 6 || (!tight && strcmp(argv[1], "plain") != 0))
        give_up("peer_counts", "wants plain|conservative EPSILON DELTA STREAM TRUTH");
    const double epsilon = atof(argv[2]);
    bpk_cms_config cfg = {.cell_bytes = CELL, .conservative = tight};
    bpk_cms *c = NULL;
    bpk_hasher h;
    lines stream = lines_of(argv[4]);
    truth t = truth_of(argv[5]);
    double *answer = memory(t.key.n, sizeof *answer);
    must(bpk_hasher_init(&h, NULL, NULL, NULL));
    must(bpk_cms_size(&cfg, epsilon, atof(argv[3]), false));

    double start = bench_now();
    must(bpk_cms_new(&c, &cfg, NULL));
    add_all(c, &h, &stream);
    double between = bench_now();
    ask_all(c, &h, &t.key, answer);
    double end = bench_now();
    printf("%.2f\t%.2f\t", (between - start) / (double)stream.n, (end - between) / (double)t.key.n);
    print_errors(&t, answer, epsilon * (double)stream.n);
    printf("%llu\n", (unsigned long long)bpk_cms_width(c) * bpk_cms_depth(c) * CELL);
    bpk_free(bpk_cms_base(c));
    lines_free(&stream), lines_free(&t.key);
    free(t.count), free(answer);
    return 0;
}
