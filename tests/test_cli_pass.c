/* test_cli_pass.c - what sampling asks of the command's input: records that are passed over, headers, groups, decimal
 * weights; and that none of it depends on how the text is cut.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

/* ---- kernels ---- */

static size_t count_lines(const uint8_t *p, size_t n) {
    size_t lines = 0;
    for (size_t i = 0; i < n; i++) lines += p[i] == '\n';
    return lines;
}

/* Text whose lines are short in one place and long in another. */
static t_bytes uneven_text(uint64_t seed, size_t n) {
    t_bytes b = {malloc(n + 2 * SPLIT_SLACK), n};
    for (size_t i = 0; i < n + 2 * SPLIT_SLACK; i++) {
        uint64_t dense = t_hash(seed, i / 700 + (UINT64_C(1) << 40)) % 300 + 1;
        b.p[i] = t_hash(seed, i) % dense == 0 ? '\n' : 'x';
    }
    return b;
}

static void every_kernel_passes_as_many_records_as_were_asked_for(void **state) {
    (void)state;
    const split_kernels *table[2] = {&split_portable, split_kernels_now()};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        t_bytes b = uneven_text(seed, 5000 + seed);
        size_t all = count_lines(b.p, b.n);
        for (uint64_t ask = 1; ask <= all + 3; ask += 1 + ask / 7) {
            uint64_t left[2] = {ask, ask};
            size_t at[2];
            for (int t = 0; t < 2; t++) at[t] = table[t]->pass(b.p, b.n, '\n', &left[t]);
            assert_int_equal(at[0], at[1]);
            assert_int_equal(left[0], left[1]);
            assert_int_equal(left[0], ask > all ? ask - all : 0);
            assert_int_equal(count_lines(b.p, at[0]), ask - left[0]);
            assert_true(at[0] == 0 || b.p[at[0] - 1] == '\n');
        }
        uint64_t none = 0;
        assert_int_equal(table[1]->pass(b.p, b.n, '\n', &none), 0);
        free(b.p);
    }
}

/* ---- a run that looks at some records only ---- */

typedef struct looker {
    uint64_t seed, scale, draws, gap, at;
    uint64_t passed;
    kept seen; /* "place:record|" of each record that was looked for */
} looker;

static uint64_t next_gap(looker *l) {
    return t_hash(l->seed, l->draws++) % l->scale;
}

static uint64_t ahead(void *ctx) {
    return ((looker *)ctx)->gap;
}

static int passed(void *ctx, uint64_t n) {
    looker *l = ctx;
    assert_true(n > 0 && n <= l->gap);
    l->gap -= n;
    l->at += n;
    l->passed += n;
    return 0;
}

static int look(void *ctx, const batch *b) {
    looker *l = ctx;
    for (size_t i = 0; i < b->n; i++, l->at++) {
        if (l->gap) {
            l->gap--;
            continue;
        }
        char place[32];
        snprintf(place, sizeof place, "%llu:", (unsigned long long)l->at);
        keep(&l->seen, place, strlen(place));
        keep(&l->seen, b->record[i], b->record_len[i]);
        keep(&l->seen, "|", 1);
        l->gap = next_gap(l);
    }
    return 0;
}

static input_report look_through(looker *l, input_options o, const char *const *files, size_t n, size_t chunk,
                                 bool passes) {
    const consumer c = {.ctx = l, .drain = look, .ahead = passes ? ahead : NULL, .passed = passed};
    input_report report;
    input *in;
    o.files = files;
    o.n_files = n;
    said[0] = '\0';
    assert_int_equal(input_open(&in, &o, NULL), 0);
    if (chunk) input_set_chunk(in, chunk);
    l->gap = next_gap(l);
    assert_int_equal(input_run(in, NULL, &c, &report), 0);
    input_close(in);
    keep(&l->seen, "", 0);
    return report;
}

static void what_is_passed_over_changes_no_record_and_no_number(void **state) {
    (void)state;
    static const size_t chunks[] = {0, 1, 7, 64, 1000};
    t_bytes a = uneven_text(3, 60000), b = uneven_text(4, 30000);
    const char *files[2] = {put_file("a", a.p, a.n), put_file("b", b.p, b.n)};
    for (uint64_t scale = 1; scale <= 5000; scale *= 7) {
        looker all = {.seed = scale, .scale = scale};
        input_report want = look_through(&all, plain_options(), files, 2, 0, false);
        assert_int_equal(all.passed, 0);
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
            input_options o = plain_options();
            o.threads = 1 + (unsigned)(i % 3);
            looker some = {.seed = scale, .scale = scale};
            input_report got = look_through(&some, o, files, 2, chunks[i], true);
            assert_string_equal((char *)some.seen.p, (char *)all.seen.p);
            assert_int_equal(got.records, want.records);
            assert_int_equal(got.bytes, want.bytes);
            assert_true(scale < 1000 || some.passed > 0 || chunks[i] == 1);
            free(some.seen.p);
        }
        free(all.seen.p);
    }
    free(a.p);
    free(b.p);
}

static void records_that_may_be_bad_are_never_passed_over(void **state) {
    (void)state;
    const char *path = put_text("bad", "a 1\nb\nc 3\nd\n");
    looker l = {.seed = 1, .scale = 1000000};
    input_options o = plain_options();
    o.fields = (field_list){.n = 1, .range = {{2, 2, 0}}};
    input_report report = look_through(&l, o, &path, 1, 0, true);
    assert_int_equal(l.passed, 0);
    assert_int_equal(report.bad_records, 2);
    free(l.seen.p);
}

static void a_cr_is_warned_of_and_a_long_record_ends_the_run_also_where_records_are_passed_over(void **state) {
    (void)state;
    const char *path = put_text("cr", "a\r\nb\r\n");
    looker l = {.seed = 1, .scale = 1000000};
    look_through(&l, plain_options(), &path, 1, 0, true);
    ASSERT_SAID("CR LF");
    free(l.seen.p);
    const consumer c = {.ctx = &l, .drain = look, .ahead = ahead, .passed = passed};
    input_options o = plain_options();
    input_report report;
    input *in;
    o.max_record = 10;
    o.files = &path;
    o.n_files = 1;
    path = put_text("long", "a\nb\nc\nlonger than ten bytes\nd\n");
    l = (looker){.gap = 1000};
    said[0] = '\0';
    assert_int_equal(input_open(&in, &o, NULL), 0);
    assert_int_equal(input_run(in, NULL, &c, &report), EXIT_LIMIT);
    ASSERT_SAID("record 4: longer than 10 bytes");
    input_close(in);
}

typedef struct batches {
    size_t calls;
    uint64_t records;
} batches;
static uint64_t far_ahead(void *ctx) {
    (void)ctx;
    return UINT64_C(1) << 40;
}
static int none_passed(void *ctx, uint64_t n) {
    (void)ctx;
    fail_msg("%g were passed", (double)n);
    return 0;
}
static int count_batch(void *ctx, const batch *b) {
    batches *all = ctx;
    all->calls++;
    all->records += b->n;
    return 0;
}

/* Lengths are to be looked at, so that every record is cut: in batches of the usual size. */
static void where_nothing_can_be_passed_over_batches_stay_large(void **state) {
    (void)state;
    enum { LINES = 50000 };
    static char text[2 * LINES];
    for (size_t i = 0; i < sizeof text; i += 2) memcpy(text + i, "x\n", 2);
    const char *path = put_file("short", text, sizeof text);
    batches all = {0, 0};
    const consumer c = {.ctx = &all, .drain = count_batch, .ahead = far_ahead, .passed = none_passed};
    input_options o = plain_options();
    input_report report;
    input *in;
    o.max_record = 10;
    o.files = &path;
    o.n_files = 1;
    assert_int_equal(input_open(&in, &o, NULL), 0);
    assert_int_equal(input_run(in, NULL, &c, &report), 0);
    assert_true(all.records == LINES);
    assert_in_range(all.calls, LINES / BATCH_MAX, LINES / BATCH_MAX + 8); /* split.h may fill a batch less a few */
    input_close(in);
}

/* ---- headers ---- */

typedef struct headed {
    kept headers, records;
} headed;

static int take_header(void *ctx, const char *file, const void *record, size_t len) {
    headed *h = ctx;
    assert_non_null(file);
    keep(&h->headers, record, len);
    keep(&h->headers, "|", 1);
    keep(&h->records, "#", 1); /* its place among the records */
    return 0;
}

static int take_records(void *ctx, const batch *b) {
    headed *h = ctx;
    for (size_t i = 0; i < b->n; i++) {
        keep(&h->records, b->record[i], b->record_len[i]);
        keep(&h->records, "|", 1);
    }
    return 0;
}

static void the_header_of_each_file_is_no_record(void **state) {
    (void)state;
    const char *files[] = {put_text("1", "h1\na\nb\n"), put_text("2", ""), put_text("3", "h3"), put_text("4", "h4\nc"),
                           put_text("5", "\nd\n")};
    for (unsigned threads = 1; threads <= 3; threads++) {
        for (size_t chunk = 0; chunk < 6; chunk++) {
            headed h = {{0}, {0}};
            const consumer c = {.ctx = &h, .drain = take_records, .header = take_header};
            input_options o = plain_options();
            input_report report;
            input *in;
            o.header = true;
            o.threads = threads;
            o.files = files;
            o.n_files = 5;
            assert_int_equal(input_open(&in, &o, NULL), 0);
            if (chunk) input_set_chunk(in, chunk);
            assert_int_equal(input_run(in, NULL, &c, &report), 0);
            input_close(in);
            assert_string_equal((char *)h.headers.p, "h1|h3|h4||");
            assert_string_equal((char *)h.records.p, "#a|b|##c|#d|");
            assert_int_equal(report.records, 4);
            assert_int_equal(report.bytes, 7 + 0 + 2 + 4 + 3);
            free(h.headers.p);
            free(h.records.p);
        }
    }
}

/* ---- groups and weights ---- */

typedef struct told {
    kept text;
    bpk_hasher hasher;
} told;

static int take_told(void *ctx, const batch *b) {
    told *t = ctx;
    for (size_t i = 0; i < b->n; i++) {
        char weight[64];
        snprintf(weight, sizeof weight, "=%.12g|", b->real_weight[i]);
        assert_int_equal(b->group[i], bpk_hash(&t->hasher, b->group_name[i], b->group_len[i]));
        keep(&t->text, b->group_name[i], b->group_len[i]);
        keep(&t->text, weight, strlen(weight));
    }
    return 0;
}

static void assert_told(input_options o, const char *text, const char *want, uint64_t bad) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        told t = {0};
        const consumer c = {.ctx = &t, .drain = take_told};
        const char *path = put_text("told", text);
        input_report report;
        input *in;
        o.threads = threads;
        o.real_weights = true;
        o.files = &path;
        o.n_files = 1;
        assert_int_equal(bpk_hasher_init(&t.hasher, NULL, NULL, NULL), BPK_OK);
        assert_int_equal(input_open(&in, &o, NULL), 0);
        assert_int_equal(input_run(in, &t.hasher, &c, &report), 0);
        input_close(in);
        keep(&t.text, "", 0);
        assert_string_equal((char *)t.text.p, want);
        assert_int_equal(report.bad_records, bad);
        free(t.text.p);
    }
}

static void groups_and_decimal_weights_are_read_in_every_mode(void **state) {
    (void)state;
    input_options o = plain_options();
    o.group = (field_list){.n = 1, .range = {{1, 1, 0}}};
    o.weight = (field_list){.n = 1, .range = {{2, 2, 0}}};
    const char *text = "a 1\nb 0.5\nc 1e-3 x\nd 0\ne +7\nf .25\n";
    const char *want = "a=1|b=0.5|c=0.001|d=0|e=7|f=0.25|";
    assert_told(o, text, want, 0);
    o.weight = (field_list){.n = 1, .range = {{-1, -1, 0}}}; /* the general way */
    assert_told(o, "a 1\nb 0.5\nx c 1e-3\nd 0\ne +7\nf .25\n", "a=1|b=0.5|x=0.001|d=0|e=7|f=0.25|", 0);
    o.group = (field_list){.n = 1, .range = {{-2, -2, 0}}};
    assert_told(o, "a 1\nb 0.5\nx c 1e-3\nd 0\ne +7\nf .25\n", "a=1|b=0.5|c=0.001|d=0|e=7|f=0.25|", 0);
}

static void what_is_no_weight_makes_a_record_bad(void **state) {
    (void)state;
    input_options o = plain_options();
    o.group = (field_list){.n = 1, .range = {{1, 1, 0}}};
    o.weight = (field_list){.n = 1, .range = {{2, 2, 0}}};
    assert_told(
        o,
        "a -1\na -0.5\na nan\na inf\na 1e999\na 1e-400\na 1.7e60\na 6.2e-61\na 0x10\na 1k\na 5%\na 1,5\na\na -\n"
        "a 1.2.3\na e5\na .\nb 1.6e60\nb 6.3e-61\n",
        "b=1.6e+60|b=6.3e-61|", 17);
    ASSERT_SAID("have no weight (0, or a decimal number from 6.3e-61 to 1.6e60)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_passes_as_many_records_as_were_asked_for),
        cmocka_unit_test(what_is_passed_over_changes_no_record_and_no_number),
        cmocka_unit_test(records_that_may_be_bad_are_never_passed_over),
        cmocka_unit_test(a_cr_is_warned_of_and_a_long_record_ends_the_run_also_where_records_are_passed_over),
        cmocka_unit_test(where_nothing_can_be_passed_over_batches_stay_large),
        cmocka_unit_test(the_header_of_each_file_is_no_record),
        cmocka_unit_test(groups_and_decimal_weights_are_read_in_every_mode),
        cmocka_unit_test(what_is_no_weight_makes_a_record_bad),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
