/* test_format.c - the examples of docs/format.md, section "Examples, byte by byte", are what the library writes. */
#include "t.h"

#include "core.h"

enum { EXAMPLE_MAX = 1024 };

/* A line of an example begins with its offset, in the first three columns; what is behind its bytes is a comment, and
 * bytes that are not shown are zeros. */
typedef struct line {
    size_t offset;
    uint8_t byte[64];
    size_t n;
} line;

static bool read_byte(const char **p, uint8_t *out) {
    static const char digits[] = "0123456789abcdef";
    const char *t = *p + strspn(*p, " "), *high, *low;
    if (!*t || !t[1] || !(high = strchr(digits, *t)) || !(low = strchr(digits, t[1]))) return false;
    if (t[2] && !strchr(" ,\n", t[2])) return false;
    *out = (uint8_t)(16 * (high - digits) + (low - digits));
    *p = t + 2;
    return true;
}

static bool read_line(line *l, const char *text) {
    size_t indent = strspn(text, " ");
    char *end;
    unsigned long zeros;
    if (indent > 2 || text[indent] < '0' || text[indent] > '9') return false;
    *l = (line){.offset = strtoul(text, &end, 10)};
    const char *p = end;
    if (sscanf(p, " %lu bytes 00", &zeros) == 1 && strstr(p, " bytes 00")) return true;
    while (l->n < sizeof l->byte && read_byte(&p, &l->byte[l->n])) l->n++;
    return true;
}

/* The bytes from *first on of the first block behind the heading that begins so; returns where they end. */
static size_t read_example(const char *heading, uint8_t out[EXAMPLE_MAX], size_t *first) {
    enum { CHECKSUM = 8 };
    char text[256];
    line l[64], next;
    size_t n = 0;
    FILE *page = fopen("docs/format.md", "r");
    assert_non_null(page);
    while (fgets(text, sizeof text, page) && strncmp(text, heading, strlen(heading)) != 0) continue;
    while (fgets(text, sizeof text, page) && strncmp(text, "```", 3) != 0) continue;
    while (fgets(text, sizeof text, page) && strncmp(text, "```", 3) != 0)
        if (read_line(&next, text)) assert_true(n < 64), l[n++] = next;
    fclose(page);
    assert_true(n > 2);
    memset(out, 0, EXAMPLE_MAX);
    *first = l[0].offset;
    for (size_t i = 0; i < n; i++) {
        size_t room = i + 1 < n ? l[i + 1].offset - l[i].offset : CHECKSUM;
        assert_true(l[i].offset + room <= EXAMPLE_MAX && room < EXAMPLE_MAX);
        memcpy(out + l[i].offset, l[i].byte, l[i].n < room ? l[i].n : room);
    }
    return l[n - 1].offset + CHECKSUM;
}

typedef struct example {
    const char *heading, *kind, *items; /* one byte each */
    size_t bytes;                       /* in form small, as the heading says */
    bpk_param param[5];
} example;

static const example examples[] = {
    {"### hll, p = 14, d = 2, empty", "hll", "", 52, {{"precision", "14"}}},
    {"### The same after \"a\", \"b\", \"c\": 62", "hll", "abc", 62, {{"precision", "14"}}},
    {"### hll, p = 4, d = 2", "hll", "abcd", 59, {{"precision", "4"}}},
    {"### bloom, one item planned", "bloom", "a", 144, {{"items", "1"}, {"rate", "0.01"}}},
    {"### bloom, classic", "bloom", "abc", 88, {{"items", "3"}, {"rate", "0.01"}, {"layout", "classic"}}},
    {"### cms, conservative",
     "cms",
     "aabc",
     85,
     {{"width", "2"}, {"depth", "2"}, {"cell_bytes", "2"}, {"update", "conservative"}}},
    {"### limit, 3 events", "limit", "aabc", 85, {{"limit", "3"}, {"period", "60"}, {"width", "2"}, {"depth", "2"}}},
    {"### topk, k = 1", "topk", "aabc", 497, {{"k", "1"}, {"candidates", "2"}, {"entries", "18"}}},
    {"### theta, k = 16", "theta", "abc", 80, {{"k", "16"}}},
    {"### cuckoo, 16 bits, 20 items", "cuckoo", "aabc", 90, {{"items", "20"}}},
    {"### grow, bloom layers, 1 item", "grow", "ab", 392, {{"items", "1"}}},
    {"### window, theta k = 16", "window", "ab", 246, {{"of", "theta"}, {"span", "2"}, {"panes", "1"}, {"k", "16"}}},
    {"### sample, k = 2", "sample", "abcd", 202, {{"k", "2"}, {"seed", "3"}, {"stream", "2"}}},
};

static bpk_sketch *made(const example *e) {
    bpk_sketch *s = NULL;
    bpk_hasher h;
    size_t params = 0, n = strlen(e->items);
    uint64_t hash[8];
    const void *item[8];
    size_t len[8];
    while (e->param[params].name) params++;
    assert_int_equal(bpk_new(&s, e->kind, NULL, e->param, params, NULL, NULL), BPK_OK);
    assert_int_equal(bpk_hasher_init(&h, bpk_domain_of(s), NULL, NULL), BPK_OK);
    for (size_t i = 0; i < n; i++) item[i] = &e->items[i], len[i] = 1;
    bpk_hash_many(&h, item, len, hash, n);
    assert_int_equal(bpk_add(s, &(bpk_items){.n = n, .hash = hash, .item = item, .len = len}, NULL, NULL), BPK_OK);
    return s;
}

static void the_examples_of_the_page_are_what_is_written(void **state) {
    (void)state;
    for (size_t i = 0; i < BPKI_COUNT(examples); i++) {
        uint8_t shown[EXAMPLE_MAX];
        size_t first, n = read_example(examples[i].heading, shown, &first);
        bpk_sketch *s = made(&examples[i]);
        t_bytes b = t_encode(s, BPK_FORM_SMALL);
        print_message("%s: %g bytes from byte %g\n", examples[i].heading, (double)n, (double)first);
        assert_true(b.n == n && b.n == examples[i].bytes);
        assert_memory_equal(b.p + first, shown + first, n - first);
        free(b.p);
        bpk_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_page_are_what_is_written),
    };
    return cmocka_run_group_tests_name("test_format", tests, NULL, NULL);
}
