/* test_cli_log.c - fields of access logs, and weights: by number, by name, what is missing, what is bad.
 *
 * Links the input files of doors/cli and the library.
 */
#include "t_cli.h"

#include "../doors/cli/logline.h"

static const char common[] = "192.0.2.7 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif?x=1 HTTP/1.0\" 200 2326\n";
static const char combined[] = "192.0.2.7 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif?x=1 HTTP/1.0\" 200 2326 "
                               "\"http://www.example.com/start.html\" \"Mozilla/4.08 [en] (Win98; I ;Nav)\"\n";

static input_options log_options(const char *list) {
    input_options o = plain_options();
    o.log = true;
    assert_true(field_list_parse(&o.fields, list));
    return o;
}

/* The items of a text, at several chunk sizes and on one thread or two, are `want`; `bad` records are left out. */
static void assert_items(const input_options *o, const char *text, const char *want, uint64_t bad) {
    static const size_t chunks[] = {0, 1, 7, 64};
    const char *path = put_text("log", text);
    for (size_t i = 0; i < 8; i++) {
        input_options with = *o;
        with.threads = 1 + (unsigned)(i % 2);
        outcome out = {0};
        run_file(&out, with, path, chunks[i / 2]);
        assert_int_equal(out.code, 0);
        assert_string_equal((char *)out.items.p, want);
        assert_int_equal(out.report.bad_records, bad);
        forget(&out);
    }
}

/* ---- fields ---- */

static void fields_have_numbers_and_names(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"ip", "1", "192.0.2.7|"},
        {"user", "3", "frank|"},
        {"time", "4", "10/Oct/2000:13:55:36 -0700|"},
        {"request", "5", "GET /a.gif?x=1 HTTP/1.0|"},
        {"status", "6", "200|"},
        {"bytes", "7", "2326|"},
        {"referer", "8", "http://www.example.com/start.html|"},
        {"agent", "9", "Mozilla/4.08 [en] (Win98; I ;Nav)|"},
        {"method", "method", "GET|"},
        {"path", "path", "/a.gif?x=1|"},
        {"agent", "-1", "Mozilla/4.08 [en] (Win98; I ;Nav)|"},
        {"ip,status", "1,6", "192.0.2.7 200|"},
        {"status,path,ip", "6,path,1", "200 /a.gif?x=1 192.0.2.7|"},
        {"status,bytes", "6-7", "200 2326|"},
        {"method,path", "method,path", "GET /a.gif?x=1|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 2; k++) {
            input_options o = log_options(cases[i][k]);
            assert_int_equal(o.fields.named, strpbrk(cases[i][k], "abcdefghijklmnopqrstuvwxyz") != NULL);
            assert_items(&o, combined, cases[i][2], 0);
        }
    }
}

static void names_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"ips", "i", "IP", "ip,", ",ip", "ip-user", "ip ", "-ip", "agent,x", "path1"};
    field_list l;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(field_list_parse(&l, bad[i]));
}

static void a_common_log_has_no_referer_and_no_agent(void **state) {
    (void)state;
    char both[1024];
    snprintf(both, sizeof both, "%s%s", common, combined);
    input_options o = log_options("agent");
    assert_items(&o, both, "Mozilla/4.08 [en] (Win98; I ;Nav)|", 1);
    o = log_options("referer");
    assert_items(&o, both, "http://www.example.com/start.html|", 1);
    o = log_options("bytes");
    assert_items(&o, both, "2326|2326|", 0);
    o = log_options("ip,agent");
    o.strict = true;
    outcome out = {0};
    run_file(&out, o, put_text("strict", both), 0);
    assert_int_equal(out.code, EXIT_BAD);
    ASSERT_SAID("/strict: record 1: no such field");
    forget(&out);
}

static void quotes_and_brackets_keep_what_is_inside(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"2", "a \"b \\\" c\" d\n", "b \\\" c|"}, /* an escaped quote does not end it */
        {"2", "a \"b\\\\\" d\n", "b\\\\|"},       /* an escaped backslash before the end */
        {"3", "a \"b\\\\\" d\n", "d|"},
        {"2", "a \"\" b\n", "|"}, /* empty is a field */
        {"3", "a [] b\n", "b|"},
        {"2", "a x\"y z\" b\n", "x\"y|"}, /* inside a word it is a byte as any other */
        {"1", "\"a b\" c\n[::1] c\n  d e\n", "a b|::1|d|"},
        {"1", "\n \n\t\na\n", "a|"},
        {"2", "a\t\t [x \"y\" z]\n", "x \"y\" z|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        input_options o = log_options(cases[i][0]);
        assert_items(&o, cases[i][1], cases[i][2], i == 7 ? 3 : 0);
    }
}

/* Of such a line every field from there on would be a guess. */
static void a_field_that_is_not_closed_or_runs_on_makes_the_record_bad(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"2", "a \"b c\n"}, {"2", "a [b c\n"}, {"3", "a \"b c\n"}, {"2", "a \"b\"c\n"}, {"3", "a \"b\"c d\n"},
        {"2", "a [b]c\n"},  {"1", "\"a b\n"},  {"1", "[a]b c\n"},  {"1", "\"\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        input_options o = log_options(cases[i][0]);
        assert_items(&o, cases[i][1], "", 1);
    }
    input_options cut_off = log_options("agent"), referer = log_options("referer");
    assert_items(&cut_off, "1 2 3 [4] \"5\" 6 7 \"8\" \"M (X\n1 2 3 [4] \"5\" 6 7 \"8\" \"\n", "M (X||", 0);
    assert_items(&referer, "1 2 3 [4] \"5\" 6 7 \"8 \\\"x\n", "8 \\\"x|", 0);
    input_options before = log_options("1");
    assert_items(&before, "a \"b c\n", "a|", 0); /* what stands before it is known */
}

static void parts_of_odd_requests(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        /* request, method, path; NULL: missing */
        {"GET / HTTP/1.1", "GET", "/"},
        {"GET /old", "GET", "/old"}, /* HTTP/0.9 */
        {"GET /a b c HTTP/1.1", "GET", "/a b c"},
        {"OPTIONS *  HTTP/2", "OPTIONS", "*"},
        {"GET  /a", "GET", "/a"},
        {"-", NULL, NULL},
        {"", NULL, NULL},
        {"\\x16\\x03\\x01", NULL, NULL},
        {"GET", NULL, NULL},
        {"GET ", NULL, NULL},
        {"GET HTTP/1.1", NULL, NULL},
        {" /a HTTP/1.1", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned part = PART_METHOD; part <= PART_PATH; part++) {
            field_span f = {(const uint8_t *)cases[i][0], strlen(cases[i][0])};
            const char *want = cases[i][part];
            assert_int_equal(log_part((field_part)part, &f), want != NULL);
            if (!want) continue;
            assert_int_equal(f.n, strlen(want));
            assert_memory_equal(f.p, want, f.n);
        }
    }
}

/* The kernels that find the first field and the walk over all fields agree on random text. */
static void the_first_field_is_the_same_the_fast_way(void **state) {
    (void)state;
    static const char letters[] = "ab  \t\"\"[]\\\n";
    enum { BYTES = 20000 };
    char *text = malloc(BYTES + 1);
    uint64_t seed = 20250107;
    for (size_t i = 0; i < BYTES; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = letters[(seed >> 33) % (sizeof letters - 1)];
    }
    text[BYTES] = '\0';
    const char *path = put_text("random", text);
    outcome fast = {0}, general = {0};
    input_options o = log_options("1");
    run_file(&fast, o, path, 0);
    o = log_options("1,1");
    run_file(&general, o, path, 0);
    assert_int_equal(fast.report.records, general.report.records);
    assert_int_equal(fast.report.bad_records, general.report.bad_records);
    const char *a = (char *)fast.items.p, *b = (char *)general.items.p;
    while (*a) { /* each item twice, with a blank between */
        size_t n = strcspn(a, "|");
        assert_memory_equal(a, b, n);
        assert_int_equal(b[n], ' ');
        assert_memory_equal(a, b + n + 1, n + 1);
        a += n + 1;
        b += 2 * n + 2;
    }
    assert_int_equal(*b, '\0');
    forget(&fast);
    forget(&general);
    free(text);
}

/* ---- weights ---- */

typedef struct weighed {
    uint64_t sum, n;
    bool any_null;
} weighed;

static int weigh(void *ctx, const batch *b) {
    weighed *w = ctx;
    for (size_t i = 0; i < b->n; i++) {
        if (b->weight) w->sum += b->weight[i];
        else w->any_null = true;
        w->n++;
    }
    return 0;
}

static int run_weighed(weighed *w, input_options o, const char *text, input_report *report) {
    const char *path = put_text("weights", text);
    input *in;
    bpk_hasher h;
    said[0] = '\0';
    o.files = &path;
    o.n_files = 1;
    *w = (weighed){0};
    assert_int_equal(bpk_hasher_init(&h, NULL, NULL, NULL), BPK_OK);
    assert_int_equal(input_open(&in, &o, NULL), 0);
    const consumer c = {.ctx = w, .drain = weigh};
    int code = input_run(in, &h, &c, report);
    input_close(in);
    return code;
}

static void a_weight_is_a_whole_number_up_to_2_63_or_the_record_is_bad(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t weight;
        bool good;
    } cases[] = {
        {"a 1\n", 1, true},
        {"a 0\n", 0, true},
        {"a 007\n", 7, true},
        {"a +7\n", 7, true},
        {"a -0\n", 0, true},
        {"a 9223372036854775807\n", INT64_MAX, true},
        {"a 9223372036854775808\n", 0, false},
        {"a 99999999999999999999999\n", 0, false},
        {"a -1\n", 0, false},
        {"a 1.5\n", 0, false},
        {"a 1e3\n", 0, false},
        {"a x\n", 0, false},
        {"a -\n", 0, false},
        {"a 1x\n", 0, false},
        {"a\n", 0, false},
        {"\n", 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        input_options o = plain_options();
        input_report report;
        weighed w;
        assert_true(field_list_parse(&o.weight, "2"));
        assert_int_equal(run_weighed(&w, o, cases[i].text, &report), 0);
        assert_int_equal(w.n, cases[i].good);
        assert_int_equal(w.sum, cases[i].weight);
        assert_false(w.any_null);
        assert_int_equal(report.bad_records, !cases[i].good);
        if (!cases[i].good) ASSERT_SAID("1 of 1 records have no weight");
        o.strict = true;
        assert_int_equal(run_weighed(&w, o, cases[i].text, &report), cases[i].good ? 0 : EXIT_BAD);
        if (!cases[i].good) ASSERT_SAID("/weights: record 1: no weight (a whole number from 0 to 2^63-1)");
    }
}

static void weights_come_from_any_field_and_stay_with_their_items(void **state) {
    (void)state;
    static const char *const lists[][2] = {{"1", "3"}, {"1", "-1"}, {"2,1", "3"}, {"-3", "-1"}, {"1-2", "3"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            input_options o = plain_options();
            input_report report;
            weighed w;
            o.threads = threads;
            assert_true(field_list_parse(&o.fields, lists[i][0]) && field_list_parse(&o.weight, lists[i][1]));
            assert_int_equal(run_weighed(&w, o, "a b 1\nc d 20\ne\nf g x\nh i 300\n", &report), 0);
            assert_int_equal(w.sum, 321);
            assert_int_equal(w.n, 3);
            assert_int_equal(report.bad_records, 2);
        }
    }
    input_options o = plain_options();
    input_report report;
    weighed w;
    assert_int_equal(run_weighed(&w, o, "a b 1\n", &report), 0);
    assert_true(w.any_null);
}

static void bytes_of_a_log_may_be_a_dash(void **state) {
    (void)state;
    input_options o = log_options("ip");
    input_report report;
    weighed w;
    assert_true(field_list_parse(&o.weight, "bytes"));
    assert_int_equal(
        run_weighed(&w, o, "a - - [t] \"GET / HTTP/1.0\" 304 -\nb - - [t] \"GET / HTTP/1.0\" 200 5\n", &report), 0);
    assert_int_equal(w.sum, 5);
    assert_int_equal(w.n, 2);
    assert_int_equal(report.bad_records, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_numbers_and_names),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(a_common_log_has_no_referer_and_no_agent),
        cmocka_unit_test(quotes_and_brackets_keep_what_is_inside),
        cmocka_unit_test(a_field_that_is_not_closed_or_runs_on_makes_the_record_bad),
        cmocka_unit_test(parts_of_odd_requests),
        cmocka_unit_test(the_first_field_is_the_same_the_fast_way),
        cmocka_unit_test(a_weight_is_a_whole_number_up_to_2_63_or_the_record_is_bad),
        cmocka_unit_test(weights_come_from_any_field_and_stay_with_their_items),
        cmocka_unit_test(bytes_of_a_log_may_be_a_dash),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
