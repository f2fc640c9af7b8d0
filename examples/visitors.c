/* visitors.c - counts the different words of two visits, keeps them as bytes and unites them again. */
#include <ballpark.h>
#include <stdio.h>
#include <string.h>

static const char *const monday[] = {"ada", "grace", "edsger", "ada"};
static const char *const tuesday[] = {"barbara", "grace", "donald"};

/* Adds n words; a sketch sees their hashes only. */
static bpk_status add_words(bpk_sketch *s, const bpk_hasher *h, const char *const *word, size_t n) {
    uint64_t hash[16];
    bpk_items items = {.n = n, .hash = hash};
    for (size_t i = 0; i < n; i++) hash[i] = bpk_hash(h, word[i], strlen(word[i]));
    return bpk_add(s, &items, NULL, NULL);
}

int main(void) {
    bpk_hasher hasher;
    bpk_hll *a = NULL, *b = NULL;
    const bpk_hll_config config = {.precision = BPK_HLL_PRECISION, .window_bits = BPK_HLL_WINDOW_BITS};
    if (bpk_hasher_init(&hasher, NULL, NULL, NULL) || bpk_hll_new(&a, &config, NULL) || bpk_hll_new(&b, &config, NULL))
        return 1;

    bpk_err err = {0};
    if (add_words(bpk_hll_base(a), &hasher, monday, 4) || add_words(bpk_hll_base(b), &hasher, tuesday, 3) ||
        bpk_merge(bpk_hll_base(a), bpk_hll_base(b), &err) ||
        bpk_file_save("visitors.bpk", (const bpk_sketch *const[]){bpk_hll_base(a)}, 1, BPK_FORM_SMALL, BPK_FAST,
                      &err)) {
        char text[200];
        bpk_explain(&err, text, sizeof text);
        fprintf(stderr, "visitors: %s\n", text);
        return 1;
    }

    bpk_estimate n = bpk_hll_count(a, BPK_CONFIDENCE);
    printf("%.0f different visitors, between %.0f and %.0f\n", n.estimate, n.lower, n.upper);
    bpk_free(bpk_hll_base(a));
    bpk_free(bpk_hll_base(b));
    return 0;
}
