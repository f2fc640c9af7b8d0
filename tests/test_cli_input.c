/* test_cli_input.c - the command's input: how text is read, cut, chosen and hashed, on any number of threads.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

/* ---- LIST ---- */

static void a_list_is_read_or_refused(void **state) {
    (void)state;
    field_list l;
    assert_true(field_list_parse(&l, "1,3-5,-1,2-,-3--2,-2-"));
    assert_int_equal(l.n, 6);
    static const field_range want[] = {{1, 1, 0}, {3, 5, 0}, {-1, -1, 0}, {2, 0, 0}, {-3, -2, 0}, {-2, 0, 0}};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(l.range[i].first, want[i].first);
        assert_int_equal(l.range[i].last, want[i].last);
    }
    static const char *const bad[] = {"",    "0",   "1,",  ",1",  "a",     "1a", "5-3", "-1--3",
                                      "1-0", "-",   "--1", "1--", "1-2-3", " 1", "1 ",  "99999999999999999999",
                                      "+1",  "1,,2"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(field_list_parse(&l, bad[i]));
    char many[128] = "1";
    for (int i = 1; i < 32; i++) strcat(many, ",1");
    assert_true(field_list_parse(&l, many));
    strcat(many, ",1");
    assert_false(field_list_parse(&l, many));
}

/* ---- fields ---- */

/* The items of a text are `want`, at several chunk sizes and on one thread or two. */
static void assert_items_of(const input_options *o, const void *text, size_t n, const char *want, size_t want_n) {
    static const size_t chunks[] = {0, 1, 2, 3, 7, 64};
    const char *path = put_file("items", text, n);
    for (size_t i = 0; i < 12; i++) {
        input_options with = *o;
        with.threads = 1 + (unsigned)(i % 2);
        outcome out = {0};
        run_file(&out, with, path, chunks[i / 2]);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.items.n, want_n);
        assert_memory_equal(out.items.p, want, want_n);
        assert_int_equal(out.report.bytes, n);
        forget(&out);
    }
}

static void assert_items(const input_options *o, const char *text, const char *want) {
    assert_items_of(o, text, strlen(text), want, strlen(want));
}

typedef struct field_case {
    const char *list, *delimiter, *text, *items;
    int bad;
} field_case;

static const char long_fields[] = "0123456789012345678901234567890123456789 01234567890123456789012 "
                                  "b23456789012345678901234567890123456789012345678901234"
                                  "5678901234567890 d\n";

static const field_case field_cases[] = {
    {"1", NULL, "a b c\n  d\te\n\n \t \nf\n", "a|d|f|", 2},
    {"2", NULL, "a b c\n  d\t  e  \nf\n g h", "b|e|h|", 1},
    {"3", NULL, long_fields, "b234567890123456789012345678901234567890123456789012345678901234567890|", 0},
    {"4", NULL, long_fields, "d|", 0},
    {"-1", NULL, "a b c\nd \n\n", "c|d|", 1},
    {"-2", NULL, "a b c\nd\n", "b|", 1},
    {"2-", NULL, "a  b \tc\nd\nx y\n", "b c|y|", 1},
    {"1-2", NULL, "a b c\nd\n\n", "a b|d|", 1},
    {"-2-", NULL, "a b c\nd\n", "b c|d|", 0},
    {"-3--2", NULL, "a b c d\nx y\nz\n", "b c|x|", 1},
    {"3,1", NULL, "a b c\nd e\n", "c a|", 1},
    {"1,1,2-", NULL, "a b c\nd\n", "a a b c|", 1},
    {"1", ",", "a,b\n,c\n\nd\n", "a|||d|", 0},
    {"2", ",", "a,b\n,c\n\nd\n,\n", "b|c||", 2},
    {"3", ",", "a,b,c,d\na,b,\na,b\n", "c||", 1},
    {"-1", ",", "a,b\nc,\nd\n", "b||d|", 0},
    {"2-3", ",", "a,b,c,d\na,b\na\n", "b,c|b|", 1},
    {"2,1", ",", "a,b\n,\n", "b,a|,|", 0},
    {"1", " ", "  a\nb c\n", "|b|", 0},
    {"2", "::", "a::b::c\na:b\n::\n:::x\n", "b||:x|", 1},
    {"2-", "::", "a::b::c\na::b\n", "b::c|b|", 0},
    {"3,1", "::", "a::b::c\n", "c::a|", 0},
};

static void fields_are_chosen_in_every_mode(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof field_cases / sizeof field_cases[0]; i++) {
        const field_case *c = &field_cases[i];
        input_options o = plain_options();
        assert_true(field_list_parse(&o.fields, c->list));
        o.delimiter = c->delimiter;
        o.delimiter_n = c->delimiter ? strlen(c->delimiter) : 0;
        assert_items(&o, c->text, c->items);
        outcome out = {0};
        run_file(&out, o, put_text("fields", c->text), 0);
        assert_int_equal(out.report.bad_records, c->bad);
        if (c->bad) ASSERT_SAID("lack a chosen field and were left out");
        else assert_string_equal(said, "");
        forget(&out);
    }
}

static void capitals_of_ascii_are_folded_in_the_item_and_not_in_the_record(void **state) {
    (void)state;
    input_options o = plain_options();
    o.fold_case = true;
    assert_items(&o, "aBc[@`{Z\nabc\n\xc3\x84\n", "abc[@`{z|abc|\xc3\x84|");
    assert_items(&o, "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\xc1\xda\n1234567A\n12345678Z\n",
                 "@abcdefghijklmnopqrstuvwxyz[\xc1\xda|1234567a|12345678z|");
    assert_true(field_list_parse(&o.fields, "2,1"));
    assert_items(&o, "A B\nc d\n", "b a|d c|");
    outcome out = {0};
    run_file(&out, o, put_text("fold", "Ab cD\n"), 0);
    assert_string_equal((char *)out.items.p, "cd ab|");
    assert_string_equal((char *)out.records.p, "Ab cD|");
    forget(&out);
}

static void integers_are_hashed_as_integers_and_others_counted(void **state) {
    (void)state;
    input_options o = plain_options();
    o.as_int = true;
    assert_items(&o, "1\n+1\nx\n01\n\n-5\n1 \n9223372036854775808\n", "1|1|1|-5|");
    ASSERT_SAID("4 of 8 records are no integer and were left out");
    outcome out = {0};
    run_file(&out, o, put_text("ints", "-5\n"), 0);
    bpk_hasher h;
    bpk_domain domain = {.hash = BPK_HASH_XXH3, .type = BPK_I64};
    assert_int_equal(bpk_hasher_init(&h, &domain, NULL, NULL), BPK_OK);
    assert_int_equal(out.sum, bpk_hash_i64(&h, -5));
    forget(&out);
}

static void strict_ends_at_the_first_bad_record_and_names_it(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        for (size_t chunk = 0; chunk < 9; chunk++) {
            outcome out = {0};
            input_options o = plain_options();
            o.as_int = o.strict = true;
            o.threads = threads;
            const char *two[] = {put_text("good", "1\n2\n3\n"), put_text("bad", "4\n5\nx\n6\ny\n")};
            o.files = two;
            o.n_files = 2;
            run(&out, &o, chunk);
            assert_int_equal(out.code, EXIT_BAD);
            assert_string_equal((char *)out.items.p, "1|2|3|4|5|");
            assert_int_equal(out.report.bad_records, 1);
            ASSERT_SAID("/bad: record 3: no integer\n");
            forget(&out);
        }
    }
    input_options o = plain_options();
    o.strict = true;
    assert_true(field_list_parse(&o.fields, "2"));
    outcome out = {0};
    run_file(&out, o, put_text("short", "a b\n\n"), 0);
    assert_int_equal(out.code, EXIT_BAD);
    ASSERT_SAID("/short: record 2: no such field\n");
    forget(&out);
}

/* ---- records ---- */

static void every_byte_passes_and_every_line_counts(void **state) {
    (void)state;
    input_options o = plain_options();
    assert_items(&o, "", "");
    assert_items(&o, "a\nb", "a|b|");
    assert_items(&o, "a\nb\n", "a|b|");
    assert_items(&o, "\n\n\na\n", "|||a|");
    assert_items(&o, "\n", "|");
    assert_items(&o, "\xff\xfe\n\xff\xfd\n", "\xff\xfe|\xff\xfd|");
    assert_items_of(&o, "a\0b\n\0\na\0c\n", 10, "a\0b|\0|a\0c|", 10);
    o.crlf = CRLF_KEEP;
    assert_items(&o, "a\r\na\nb\r\nb", "a\r|a|b\r|b|");
    o.terminator = '\0';
    assert_items_of(&o, "a\nb\0\0c", 6, "a\nb||c|", 7);
}

static void a_line_of_64_mb_is_a_record(void **state) {
    (void)state;
    size_t n = 64 << 20;
    char *text = malloc(n + 3);
    memset(text, 'x', n);
    memcpy(text + n, "\nb\n", 3);
    const char *path = put_file("long", text, n + 3);
    for (unsigned threads = 1; threads <= 2; threads++) {
        outcome out = {0};
        input_options o = plain_options();
        o.threads = threads;
        run_file(&out, o, path, 0);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.report.records, 2);
        assert_int_equal(out.items.n, n + 3);
        assert_memory_equal(out.items.p, text, n);
        forget(&out);
    }
    free(text);
}

static void a_longer_record_than_allowed_ends_the_run_with_its_place(void **state) {
    (void)state;
    for (size_t chunk = 0; chunk < 24; chunk++) {
        input_options o = plain_options();
        o.max_record = 5;
        o.threads = 1 + (unsigned)(chunk % 3);
        outcome out = {0};
        run_file(&out, o, put_text("fits", "12345\n\n12345"), chunk);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.report.records, 3);
        forget(&out);
        run_file(&out, o, put_text("over", "12345\n\n123456\na\n"), chunk);
        assert_int_equal(out.code, EXIT_LIMIT);
        assert_string_equal((char *)out.items.p, "12345||");
        ASSERT_SAID("/over: record 3: longer than 5 bytes\n");
        forget(&out);
        run_file(&out, o, put_text("over", "1\n123456"), chunk);
        assert_int_equal(out.code, EXIT_LIMIT);
        ASSERT_SAID("/over: record 2: longer than 5 bytes\n");
        forget(&out);
    }
}

static void cr_before_lf_is_kept_with_a_warning_or_kept_or_stripped(void **state) {
    (void)state;
    input_options o = plain_options();
    const char *path = put_text("crlf", "a\r\nb\n\r\nc\r\r\nd\r");
    const char *other = put_text("other", "b\n");
    const char *const both[] = {other, path, path};
    for (size_t i = 0; i < 18; i++) {
        outcome out = {0};
        o.files = both;
        o.n_files = 3;
        o.threads = 1 + (unsigned)(i % 2);
        o.crlf = CRLF_WARN;
        run(&out, &o, i / 2);
        assert_string_equal((char *)out.items.p, "b|a\r|b|\r|c\r\r|d\r|a\r|b|\r|c\r\r|d\r|");
        ASSERT_SAID("/crlf: lines end with CR LF; the CR is kept");
        ASSERT_SAID("--crlf strip");
        assert_null(strstr(strstr(said, "CR LF") + 1, "CR LF"));
        forget(&out);
        o.crlf = CRLF_STRIP;
        run(&out, &o, i / 2);
        assert_string_equal((char *)out.items.p, "b|a|b||c\r|d\r|a|b||c\r|d\r|");
        assert_string_equal((char *)out.records.p, (char *)out.items.p);
        assert_string_equal(said, "");
        forget(&out);
    }
    o.crlf = CRLF_WARN;
    outcome out = {0};
    run_file(&out, o, put_text("later", "a\nb\r\n"), 0);
    assert_string_equal(said, ""); /* only the first record counts */
    forget(&out);
    run_file(&out, o, put_text("no_lf", "a\r"), 0);
    assert_string_equal(said, "");
    forget(&out);
}

/* ---- kernels, chunks, threads ---- */

/* Text whose lines are of every kind of length, with runs of blanks, commas and empty lines. */
static t_bytes random_text(uint64_t seed, size_t n) {
    t_bytes b = {malloc(n + 2 * SPLIT_SLACK), n};
    for (size_t i = 0; i < n + 2 * SPLIT_SLACK; i++) {
        uint64_t r = t_hash(seed, i), dense = t_hash(seed, i / 500 + (UINT64_C(1) << 40)) % 60 + 2;
        static const char other[] = " \t,ABcdefgh";
        b.p[i] = r % dense == 0 ? '\n' : (uint8_t)other[(r >> 32) % 11];
    }
    return b;
}

static void kernels_cut_and_pick_alike(void **state) {
    (void)state;
    const split_kernels *table[2] = {&split_portable, split_kernels_now()};
    enum { N = 20000 };
    static const void *record[2][N + SPLIT_SLACK], *item[2][N];
    static size_t record_len[2][N + SPLIT_SLACK], len[2][N];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        t_bytes b = random_text(seed, N);
        size_t n[2], k = 0, max = seed % 2 ? N : 64 + seed;
        while (b.p[b.n - 1] != '\n') b.n--;
        for (int t = 0; t < 2; t++) n[t] = table[t]->cut(b.p, b.n, '\n', max, record[t], record_len[t]);
        assert_int_equal(n[0], n[1]);
        for (const uint8_t *p = b.p; k < n[0]; k++) {
            size_t want = (size_t)((const uint8_t *)memchr(p, '\n', N) - p);
            for (int t = 0; t < 2; t++) assert_true(record[t][k] == p && record_len[t][k] == want);
            p += want + 1;
        }
        for (size_t nth = 1; nth <= 40; nth += 1 + nth / 4) {
            for (int blank = 0; blank < 2; blank++) {
                for (int t = 0; t < 2; t++) {
                    if (blank) table[t]->pick_blank(record[0], record_len[0], k, nth, item[t], len[t]);
                    else table[t]->pick_byte(record[0], record_len[0], k, nth, ',', item[t], len[t]);
                }
                for (size_t i = 0; i < k; i++) assert_true(item[0][i] == item[1][i]);
                for (size_t i = 0; i < k; i++) assert_true(!item[0][i] || len[0][i] == len[1][i]);
            }
        }
        free(b.p);
    }
}

static void the_fast_way_picks_what_the_general_way_picks(void **state) {
    (void)state;
    t_bytes b = random_text(77, 60000);
    const char *path = put_file("random", b.p, b.n);
    for (int nth = 1; nth <= 12; nth++) {
        for (int blank = 0; blank < 2; blank++) {
            outcome fast = {0}, general = {0};
            input_options o = plain_options();
            o.delimiter = blank ? NULL : ",";
            o.delimiter_n = 1;
            o.fields = (field_list){.n = 1, .range = {{nth, nth, 0}}};
            run_file(&fast, o, path, 0);
            o.fields =
                (field_list){.n = 2, .range = {{nth, nth, 0}, {nth, nth, 0}}}; /* the same field twice: never simple */
            run_file(&general, o, path, 0);
            assert_int_equal(fast.report.bad_records, general.report.bad_records);
            assert_string_equal((char *)fast.records.p, (char *)general.records.p);
            const char *g = (char *)general.items.p;
            for (const char *f = (char *)fast.items.p; *f;) {
                size_t n = (size_t)(strchr(f, '|') - f);
                assert_true(memcmp(f, g, n) == 0 && memcmp(f, g + n + 1, n + 1) == 0);
                f += n + 1;
                g += 2 * n + 2;
            }
            assert_true(*g == '\0');
            forget(&fast);
            forget(&general);
        }
    }
    free(b.p);
}

static void no_boundary_of_a_chunk_can_be_seen(void **state) {
    (void)state;
    t_bytes b = random_text(5, 3000);
    const char *path = put_file("random", b.p, b.n), *three[] = {path, put_text("empty", ""), path};
    input_options o = plain_options();
    assert_true(field_list_parse(&o.fields, "1-2"));
    o.files = three;
    o.n_files = 3;
    outcome want = {0};
    run(&want, &o, 0);
    assert_true(want.report.bad_records > 10 && want.report.records > 100);
    for (size_t chunk = 1; chunk < 400; chunk += 1 + chunk / 40) {
        o.threads = 1 + (unsigned)(chunk % 3);
        outcome out = {0};
        run(&out, &o, chunk);
        assert_int_equal(out.code, 0);
        assert_string_equal((char *)out.items.p, (char *)want.items.p);
        assert_string_equal((char *)out.records.p, (char *)want.records.p);
        assert_memory_equal(&out.report, &want.report, sizeof want.report);
        forget(&out);
    }
    forget(&want);
    free(b.p);
}

static void the_number_of_threads_cannot_be_seen(void **state) {
    (void)state;
    t_bytes b = random_text(6, 3000000);
    const char *path = put_file("random", b.p, b.n);
    outcome want = {0};
    run_file(&want, plain_options(), path, 0);
    for (unsigned threads = 2; threads <= 4; threads++) {
        input_options o = plain_options();
        o.threads = threads;
        outcome out = {0};
        run_file(&out, o, path, threads == 4 ? 5000 : 0);
        assert_int_equal(out.sum, want.sum);
        assert_int_equal(out.items.n, want.items.n);
        assert_memory_equal(out.items.p, want.items.p, want.items.n);
        forget(&out);
    }
    forget(&want);
    free(b.p);
}

static void a_consumer_that_stops_has_got_all_before_and_nothing_behind(void **state) {
    (void)state;
    t_bytes b = random_text(7, 100000);
    const char *path = put_file("random", b.p, b.n);
    outcome all = {0};
    run_file(&all, plain_options(), path, 1000);
    for (unsigned threads = 1; threads <= 4; threads++) {
        for (size_t stop = 1; stop <= all.batches; stop += 13) {
            input_options o = plain_options();
            o.threads = threads;
            outcome out = {.stop_at = stop};
            run_file(&out, o, path, 1000);
            assert_int_equal(out.code, 77);
            assert_int_equal(out.batches, stop);
            assert_memory_equal(out.items.p, all.items.p, out.items.n);
            forget(&out);
            out.work_stop = stop;
            run_file(&out, o, path, 1000);
            assert_int_equal(out.code, 78);
            assert_true(out.batches < stop);
            assert_memory_equal(out.items.p, all.items.p, out.items.n);
            forget(&out);
        }
    }
    forget(&all);
    free(b.p);
}

static void a_stop_does_not_wait_for_a_silent_pipe(void **state) {
    (void)state;
    const char *path = path_of("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR); /* holds the pipe open: the reader never sees its end */
    assert_true(fd >= 0);
    for (unsigned threads = 1; threads <= 2; threads++) {
        assert_int_equal(write(fd, "one\ntwo\nthree", 13), 13);
        input_options o = plain_options();
        o.threads = threads;
        outcome out = {.stop_at = 1};
        run_file(&out, o, path, 0);
        assert_int_equal(out.code, 77);
        forget(&out);
    }
    close(fd);
}

/* ---- compressed inputs ---- */

static void compressed_inputs_read_like_plain_ones(void **state) {
    (void)state;
    t_bytes b = random_text(8, 300000);
    outcome want = {0};
    run_file(&want, plain_options(), put_file("plain", b.p, b.n), 0);
    for (int z = 0; z < 2; z++) {
        t_bytes one = z ? zstd_of(b.p, 100000) : gzip_of(b.p, 100000);
        t_bytes two = z ? zstd_of(b.p + 100000, b.n - 100000) : gzip_of(b.p + 100000, b.n - 100000);
        t_bytes none = z ? zstd_of("", 0) : gzip_of("", 0), all = {NULL, 0};
        t_sink(&all, one.p, one.n);
        t_sink(&all, none.p, none.n);
        t_sink(&all, two.p, two.n);
        if (!z) t_sink(&all, "\0\0\0", 3);
        const char *path = put_file("packed", all.p, all.n);
        for (size_t i = 0; i < 6; i++) {
            input_options o = plain_options();
            o.threads = 1 + (unsigned)(i % 2);
            outcome out = {0};
            run_file(&out, o, path, i / 2 * 777);
            assert_int_equal(out.code, 0);
            assert_string_equal((char *)out.items.p, (char *)want.items.p);
            assert_memory_equal(&out.report, &want.report, sizeof want.report);
            forget(&out);
        }
        outcome out = {0};
        run_file(&out, plain_options(), put_file("packed", none.p, none.n), 0);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.report.records, 0);
        forget(&out);
        free(one.p);
        free(two.p);
        free(none.p);
        free(all.p);
    }
    forget(&want);
    free(b.p);
}

/* Damage at the end of compressed data: what came before stays, the file is said to be bad, other files go on. */
static void assert_damaged(t_bytes b, const char *text) {
    const char *two[] = {put_file("packed", b.p, b.n), put_text("good", "good\n")};
    for (unsigned threads = 1; threads <= 2; threads++) {
        input_options o = plain_options();
        o.threads = threads;
        o.files = two;
        o.n_files = 2;
        outcome out = {0};
        run(&out, &o, 0);
        assert_int_equal(out.code, 0);
        assert_int_equal(out.report.bad_files, 1);
        assert_non_null(strstr((char *)out.items.p, "good|"));
        ASSERT_SAID("/packed: damaged");
        ASSERT_SAID(text);
        forget(&out);
    }
}

static void damaged_compressed_inputs_are_said_and_counted(void **state) {
    (void)state;
    t_bytes b = random_text(9, 500000);
    for (int z = 0; z < 2; z++) {
        t_bytes packed = z ? zstd_of(b.p, b.n) : gzip_of(b.p, b.n);
        size_t whole = packed.n, cuts[] = {whole - 1, whole - 9, whole / 2, 30};
        for (size_t i = 0; i < 4; i++) assert_damaged((t_bytes){packed.p, cuts[i]}, "ends too early");
        packed.p[whole - (z ? 1 : 5)] ^= 1; /* the checksum */
        assert_damaged(packed, z ? "zstd" : "gzip");
        packed.p[whole - (z ? 1 : 5)] ^= 1;
        t_sink(&packed, "more", 4);
        assert_damaged(packed, z ? "zstd" : "gzip");
        free(packed.p);
    }
    free(b.p);
    t_bytes cut = gzip_of("one\ntwo\nthree\n", 14);
    outcome out = {0};
    run_file(&out, plain_options(), put_file("packed", cut.p, cut.n - 8), 0);
    assert_string_equal((char *)out.items.p, "one|two|three|");
    assert_int_equal(out.report.bad_files, 1);
    forget(&out);
    free(cut.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_or_refused),
        cmocka_unit_test(fields_are_chosen_in_every_mode),
        cmocka_unit_test(capitals_of_ascii_are_folded_in_the_item_and_not_in_the_record),
        cmocka_unit_test(integers_are_hashed_as_integers_and_others_counted),
        cmocka_unit_test(strict_ends_at_the_first_bad_record_and_names_it),
        cmocka_unit_test(every_byte_passes_and_every_line_counts),
        cmocka_unit_test(a_line_of_64_mb_is_a_record),
        cmocka_unit_test(a_longer_record_than_allowed_ends_the_run_with_its_place),
        cmocka_unit_test(cr_before_lf_is_kept_with_a_warning_or_kept_or_stripped),
        cmocka_unit_test(kernels_cut_and_pick_alike),
        cmocka_unit_test(the_fast_way_picks_what_the_general_way_picks),
        cmocka_unit_test(no_boundary_of_a_chunk_can_be_seen),
        cmocka_unit_test(the_number_of_threads_cannot_be_seen),
        cmocka_unit_test(a_consumer_that_stops_has_got_all_before_and_nothing_behind),
        cmocka_unit_test(a_stop_does_not_wait_for_a_silent_pipe),
        cmocka_unit_test(compressed_inputs_read_like_plain_ones),
        cmocka_unit_test(damaged_compressed_inputs_are_said_and_counted),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
