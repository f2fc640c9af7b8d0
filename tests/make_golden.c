/* make_golden.c - writes the golden files that are not there yet: build/tests/make_golden, from the root of the tree.
 *
 * A file that exists is compared and never rewritten: where it differs, the format has changed, and either the change
 * or the file is wrong. Prints what it did; exit 1 when a file differs or cannot be written.
 */
#include "golden.h"

static int put_file(const char *path, const t_bytes *b) {
    t_bytes old = t_read_file(path);
    if (old.p) {
        bool same = old.n == b->n && memcmp(old.p, b->p, old.n) == 0;
        if (!same) printf("differs  %s\n", path);
        free(old.p);
        return same ? 0 : 1;
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f) != 0) {
        printf("cannot write %s\n", path);
        return 1;
    }
    printf("written  %s  %zu\n", path, b->n);
    return 0;
}

static int put_golden(const golden *g) {
    int bad = 0;
    char path[128];
    bpk_sketch *s = golden_make(g);
    for (int form = BPK_FORM_SMALL; form <= BPK_FORM_VIEW; form++) {
        t_bytes b = t_encode(s, (bpk_form)form);
        golden_path(path, g->name, form);
        bad |= put_file(path, &b);
        free(b.p);
    }
    bpk_free(s);
    return bad;
}

int main(void) {
    int bad = 0;
    for (size_t i = 0; i < GOLDENS; i++) bad |= put_golden(&goldens[i]);
    for (size_t i = 0; i < GOLDEN_ERRORS; i++) {
        char path[128];
        t_bytes b = golden_error_make(&golden_errors[i]);
        snprintf(path, sizeof path, GOLDEN_DIR "bad/%s.bpk", golden_errors[i].name);
        bad |= put_file(path, &b);
        free(b.p);
    }
    return bad;
}
