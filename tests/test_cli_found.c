/* test_cli_found.c - the command's inputs that are no text: sketches as bytes and as base64, files that cannot be read.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

/* ---- sketches to be found ---- */

static t_bytes sketch_of(uint64_t stream, uint64_t items) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, "hll", NULL, NULL, 0, NULL, NULL), BPK_OK);
    t_add(s, stream, 0, items);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    bpk_free(s);
    return b;
}

static t_bytes base64_of(t_bytes b) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    t_bytes text = {NULL, 0};
    for (size_t i = 0; i < b.n; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++) v = v << 8 | (i + k < b.n ? b.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++) t_sink(&text, k > b.n - i ? "=" : &digits[v >> (18 - 6 * k) & 63], 1);
    }
    t_sink(&text, "\n", 1);
    return text;
}

static void append(t_bytes *to, t_bytes what) {
    t_sink(to, what.p, what.n);
}

/* Opens one file; n sketches are found in it and encode to `want`, and no text. */
static void assert_found(const char *path, size_t n, t_bytes want) {
    said[0] = '\0';
    input_options o = plain_options();
    o.files = &path;
    o.n_files = 1;
    input *in;
    assert_int_equal(input_open(&in, &o, NULL), 0);
    assert_false(input_has_text(in));
    size_t found_n;
    const found_sketch *found = input_sketches(in, &found_n);
    assert_int_equal(found_n, n);
    t_bytes all = {NULL, 0};
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(found[i].file, path);
        t_bytes one = t_encode(found[i].sketch, BPK_FORM_SMALL);
        append(&all, one);
        free(one.p);
    }
    assert_int_equal(all.n, want.n);
    assert_memory_equal(all.p, want.p, want.n);
    free(all.p);
    input_report report;
    assert_int_equal(input_run(in, NULL, &(consumer){0}, &report), 0);
    assert_int_equal(report.records, 0);
    input_close(in);
}

static void assert_refused_in(const char *path, int code, const char *text, const bpk_env *env) {
    said[0] = '\0';
    input_options o = plain_options();
    o.files = &path;
    o.n_files = 1;
    input *in;
    int got = input_open(&in, &o, env);
    if (got != code) print_message("%s", said);
    assert_int_equal(got, code);
    assert_ptr_equal(strstr(said, path), said);
    ASSERT_SAID(text);
}

static void assert_refused(const char *name, t_bytes b, int code, const char *text) {
    assert_refused_in(put_file(name, b.p, b.n), code, text, NULL);
}

static void sketches_are_found_as_bytes_and_inside_compression(void **state) {
    (void)state;
    t_bytes all = {NULL, 0};
    for (size_t n = 1; n <= 3; n++) {
        t_bytes one = sketch_of(n, n * 40000 - 39999);
        append(&all, one);
        free(one.p);
        t_bytes gz = gzip_of(all.p, all.n), zs = zstd_of(all.p, all.n);
        assert_found(put_file("plain", all.p, all.n), n, all);
        assert_found(put_file("x.bpk", all.p, all.n), n, all);
        assert_found(put_file("gz", gz.p, gz.n), n, all);
        assert_found(put_file("zs", zs.p, zs.n), n, all);
        free(gz.p);
        free(zs.p);
    }
    free(all.p);
}

static void sketches_are_found_as_lines_of_base64(void **state) {
    (void)state;
    t_bytes all = {NULL, 0}, text = {NULL, 0};
    for (size_t n = 1; n <= 4; n++) {
        t_bytes one = sketch_of(n, n), line = base64_of(one);
        append(&all, one);
        append(&text, line);
        assert_found(put_file("base64", text.p, text.n), n, all);
        assert_found(put_file("no_newline", text.p, text.n - 1), n, all);
        free(one.p);
        free(line.p);
    }
    t_bytes gz = gzip_of(text.p, text.n);
    assert_found(put_file("base64.gz", gz.p, gz.n), 4, all);
    free(gz.p);
    text.p[text.n - 10] ^= 1;
    assert_refused("broken", text, EXIT_SKETCH, "line 4: damaged");
    text.p[text.n - 10] = '*';
    assert_refused("broken", text, EXIT_SKETCH, "line 4: damaged: no base64");
    t_sink(&text, "\n", 1);
    assert_refused("broken", (t_bytes){text.p, text.n - 3}, EXIT_SKETCH, "line 4: damaged: no base64");
    free(all.p);
    free(text.p);
}

static void damaged_sketches_end_everything_and_are_never_text(void **state) {
    (void)state;
    static uint8_t hello[] = "hello\n";
    t_bytes b = sketch_of(1, 1000);
    for (size_t i = 0; i < b.n; i += 1 + i / 8) {
        b.p[i] ^= 0x40;
        assert_refused("flipped", b, EXIT_SKETCH, i >= 8 && i < 16 ? "" : "damaged"); /* what may look newer */
        b.p[i] ^= 0x40;
        if (i >= 8) assert_refused("cut", (t_bytes){b.p, i}, EXIT_SKETCH, "damaged");
    }
    t_sink(&b, "\n", 1);
    assert_refused("tail", b, EXIT_SKETCH, "damaged: 1 bytes that are no sketch follow");
    b.n--;
    uint8_t head[20];
    memcpy(head, b.p, sizeof head);
    t_sink(&b, head, sizeof head);
    assert_refused("second", b, EXIT_SKETCH, "damaged");
    b.n -= sizeof head;
    assert_refused("text.bpk", (t_bytes){hello, 6}, EXIT_SKETCH, "not a sketch, or damaged");
    assert_refused("empty.bpk", (t_bytes){b.p, 0}, EXIT_SKETCH, "not a sketch, or damaged");
    free(b.p);
    b = sketch_of(1, 1000);
    t_bytes gz = gzip_of(b.p, b.n);
    assert_refused("cut.gz", (t_bytes){gz.p, gz.n - 9}, EXIT_SKETCH, "damaged: ");
    free(gz.p);
    free(b.p);
}

static void sketches_over_the_limit_are_refused(void **state) {
    (void)state;
    t_bytes b = sketch_of(1, 100000);
    bpk_env env = bpk_env_default();
    env.max_bytes = b.n - 1;
    assert_refused_in(put_file("large", b.p, b.n), EXIT_LIMIT, "", &env);
    free(b.p);
}

/* ---- files ---- */

static void files_that_cannot_be_read_are_said_and_the_others_go_on(void **state) {
    (void)state;
    const char *files[] = {path_of("missing"), put_text("good", "a\n"), directory};
    for (unsigned threads = 1; threads <= 2; threads++) {
        input_options o = plain_options();
        o.files = files;
        o.n_files = 3;
        o.threads = threads;
        outcome out = {0};
        run(&out, &o, 0);
        assert_int_equal(out.code, 0);
        assert_string_equal((char *)out.items.p, "a|");
        assert_int_equal(out.report.bad_files, 2);
        ASSERT_SAID("/missing: No such file or directory\n");
        ASSERT_SAID(": Is a directory\n");
        forget(&out);
    }
}

static void without_any_readable_file_it_is_usage_trouble(void **state) {
    (void)state;
    const char *files[] = {path_of("missing"), directory};
    input_options o = plain_options();
    o.files = files;
    o.n_files = 2;
    input *in;
    assert_int_equal(input_open(&in, &o, NULL), EXIT_USAGE);
    const char *twice[] = {"-", "-"};
    o.files = twice;
    said[0] = '\0';
    int fd = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);
    assert_int_equal(dup2(null, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(input_open(&in, &o, NULL), EXIT_USAGE);
    ASSERT_SAID("only once");
    if (fd >= 0) assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    close(null);
}

static void a_file_that_vanishes_before_it_is_read_is_bad(void **state) {
    (void)state;
    const char *files[] = {put_text("vanishes", "a\n"), put_text("stays", "b\n")};
    input_options o = plain_options();
    o.files = files;
    o.n_files = 2;
    input *in;
    assert_int_equal(input_open(&in, &o, NULL), 0);
    assert_int_equal(unlink(files[0]), 0);
    bpk_hasher h;
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    input_report report;
    assert_int_equal(input_run(in, &h, &(consumer){0}, &report), 0);
    assert_int_equal(report.bad_files, 1);
    assert_int_equal(report.records, 1);
    input_close(in);
}

/* Runs over a pipe that takes the place of standard input, filled with n bytes and closed. */
static void run_piped(outcome *out, input_options o, const void *bytes, size_t n) {
    int ends[2], old = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, n), (ssize_t)n);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    run(out, &o, 0);
    if (old >= 0) assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
    close(old);
}

static void standard_input_is_looked_at_without_loss(void **state) {
    (void)state;
    static const char *const texts[] = {"", "\n", "a", "iUJQ\nx\n", "\211BP\n\n\n\n\n\n", "\x1f\x8b\n", "one\ntwo\n"};
    static const char *const items[] = {"", "|", "a|", "iUJQ|x|", "\211BP||||||", "\x1f\x8b|", "one|two|"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            input_options o = plain_options();
            o.threads = threads;
            outcome out = {0};
            run_piped(&out, o, texts[i], strlen(texts[i]));
            assert_int_equal(out.code, 0);
            assert_string_equal((char *)out.items.p, items[i]);
            forget(&out);
        }
    }
    t_bytes gz = gzip_of("one\ntwo\n", 8);
    outcome out = {0};
    run_piped(&out, plain_options(), gz.p, gz.n);
    assert_string_equal((char *)out.items.p, "one|two|");
    forget(&out);
    free(gz.p);
}

static void three_thousand_files_need_few_descriptors(void **state) {
    (void)state;
    enum { N = 3000 };
    char(*path)[128] = malloc(N * sizeof *path);
    const char **files = malloc(N * sizeof *files);
    for (size_t i = 0; i < N; i++) {
        char text[32];
        snprintf(text, sizeof text, "%zu", i);
        snprintf(path[i], sizeof path[i], "%s", put_text(text, text));
        files[i] = path[i];
    }
    struct rlimit old, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (unsigned threads = 1; threads <= 2; threads++) {
        input_options o = plain_options();
        o.files = files;
        o.n_files = N;
        o.threads = threads;
        outcome out = {0};
        run(&out, &o, 0);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.report.records, N);
        assert_int_equal(out.report.bad_files, 0);
        forget(&out);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    free(files);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sketches_are_found_as_bytes_and_inside_compression),
        cmocka_unit_test(sketches_are_found_as_lines_of_base64),
        cmocka_unit_test(damaged_sketches_end_everything_and_are_never_text),
        cmocka_unit_test(sketches_over_the_limit_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_said_and_the_others_go_on),
        cmocka_unit_test(without_any_readable_file_it_is_usage_trouble),
        cmocka_unit_test(a_file_that_vanishes_before_it_is_read_is_bad),
        cmocka_unit_test(standard_input_is_looked_at_without_loss),
        cmocka_unit_test(three_thousand_files_need_few_descriptors),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
