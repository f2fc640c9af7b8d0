/* test_file.c - promises of file.h, on a disk in memory that fails at every operation, and on the real one. */
#define _POSIX_C_SOURCE 200809L
#include "faults.h"
#include "t_scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH "d/sketch.bpk"
enum { OLD_N = 2500, NEW_N = 3100, MIXES = 64 };
static uint8_t old_bytes[OLD_N], new_bytes[NEW_N];

/* ---- on the disk in memory ---- */

static void disk_start(void) {
    for (size_t i = 0; i < OLD_N; i++) old_bytes[i] = (uint8_t)t_hash(1, i);
    for (size_t i = 0; i < NEW_N; i++) new_bytes[i] = (uint8_t)t_hash(2, i);
    disk_reset();
    disk_put(PATH, old_bytes, OLD_N);
    bpki_io_now = &disk_io;
}

static bool is(const disk_bytes *b, const uint8_t *bytes, size_t n) {
    return b->n == n && memcmp(b->at, bytes, n) == 0;
}
static bool disk_holds(const uint8_t *bytes, size_t n) {
    const disk_name *e = disk_look(PATH);
    return e && is(&the_disk.file[e->file].now, bytes, n);
}

/* Replaces the file by the new bytes, in pieces. */
static bpk_status save_new(const char *path, bpk_durability d, const bpk_env *env, bpk_err *err) {
    bpk_writer *w = NULL;
    bpk_status st = bpk_writer_open(&w, path, env, err);
    if (st != BPK_OK) return st;
    for (size_t at = 0; at < NEW_N && st == BPK_OK; at += 620)
        st = bpk_writer_put(w, new_bytes + at, NEW_N - at < 620 ? NEW_N - at : 620);
    return bpk_writer_commit(w, d, err);
}

/* One save with operation `nth` failing; false when the save has fewer operations. */
static bool save_with_fault(long nth, fault kind) {
    bpk_err err = {.code = BPK_OK};
    disk_start();
    the_disk.fail_at = nth;
    the_disk.kind = kind;
    bpk_status st = save_new(PATH, BPK_SYNC, NULL, &err);
    if (the_disk.ops < nth) return false;
    assert_int_equal(disk_open_files(), 0);
    assert_int_equal(disk_names(), 1); /* no temporary file */
    if (st == BPK_OK || st == BPK_E_UNDURABLE) assert_true(disk_holds(new_bytes, NEW_N));
    if (st == BPK_OK) return true;
    assert_int_equal(err.code, st);
    assert_string_equal(err.field, the_disk.failed);
    assert_true(err.other[0]);
    if (st == BPK_E_UNDURABLE) return true;
    assert_int_equal(st, BPK_E_SINK);
    assert_true(disk_holds(old_bytes, OLD_N));
    return true;
}

static void every_operation_of_a_save_may_fail(void **state) {
    (void)state;
    int failed = 0, succeeded = 0;
    for (int kind = 0; kind < FAULTS; kind++)
        for (long nth = 1; save_with_fault(nth, (fault)kind); nth++)
            disk_holds(old_bytes, OLD_N) ? failed++ : succeeded++;
    assert_true(failed > 40);
    assert_true(succeeded > 20);
}

static bpk_status save_failing_at(const char *operation, fault kind, bpk_err *err) {
    for (long nth = 1;; nth++) {
        disk_start();
        the_disk.fail_at = nth;
        the_disk.kind = kind;
        bpk_status st = save_new(PATH, BPK_SYNC, NULL, err);
        assert_true(the_disk.ops >= nth);
        if (the_disk.failed && strcmp(the_disk.failed, operation) == 0) return st;
    }
}

static void interrupted_and_short_writes_go_on(void **state) {
    (void)state;
    for (int kind = FAULT_EINTR; kind <= FAULT_HALF; kind++)
        assert_int_equal(save_failing_at("write", (fault)kind, NULL), BPK_OK);
    assert_int_equal(save_failing_at("open", FAULT_ENOSPC, NULL), BPK_E_SINK);
    assert_int_equal(save_failing_at("close", FAULT_EINTR, NULL), BPK_OK);
}

static void a_failed_sync_is_not_repeated(void **state) {
    (void)state;
    bpk_err err;
    assert_int_equal(save_failing_at("sync", FAULT_EIO, &err), BPK_E_SINK);
    assert_int_equal(the_disk.syncs, 0);
    assert_string_equal(err.field, "sync");
    assert_string_equal(err.other, strerror(EIO));
}

static void a_directory_that_cannot_be_synced_is_undurable(void **state) {
    (void)state;
    bpk_err err;
    assert_int_equal(save_failing_at("sync directory", FAULT_EIO, &err), BPK_E_UNDURABLE);
    assert_string_equal(err.field, "sync directory");
    assert_true(disk_holds(new_bytes, NEW_N));
}

static void fast_syncs_nothing(void **state) {
    (void)state;
    disk_start();
    assert_int_equal(save_new(PATH, BPK_FAST, NULL, NULL), BPK_OK);
    assert_int_equal(the_disk.syncs, 0);
    assert_true(disk_holds(new_bytes, NEW_N));
}

/* States after a power failure at operation `nth` in which the file is neither old nor new, or old after success was
 * told. */
static int bad_states(long nth, bool lying, long *states, bool *over) {
    int bad = 0;
    static disk_bytes seen;
    disk_start();
    the_disk.crash_at = nth;
    the_disk.lying = lying;
    bool told = save_new(PATH, BPK_SYNC, NULL, NULL) == BPK_OK;
    *over = !the_disk.crashed;
    for (int kept = 0; kept < 2; kept++)
        for (unsigned mix = 0; mix < MIXES; mix++, ++*states) {
            bool there = disk_after_crash(&seen, PATH, kept, mix);
            bool fresh = there && is(&seen, new_bytes, NEW_N), stale = there && is(&seen, old_bytes, OLD_N);
            bad += !(fresh || (stale && !told));
        }
    return bad;
}

static void after_a_power_failure_the_file_is_old_or_new_and_new_once_told(void **state) {
    (void)state;
    long states = 0;
    bool over = false;
    for (long nth = 1; !over; nth++) assert_int_equal(bad_states(nth, false, &states, &over), 0);
    assert_true(states > 1000);
}

/* Proves that the test above can fail. */
static void a_disk_that_only_pretends_to_sync_is_caught(void **state) {
    (void)state;
    long states = 0;
    int bad = 0;
    bool over = false;
    for (long nth = 1; !over; nth++) bad += bad_states(nth, true, &states, &over);
    assert_true(bad > 100);
}

static void temporary_names_that_are_taken_are_passed_over(void **state) {
    (void)state;
    disk_start();
    disk_put("d/.sketch.bpk.tmp.4711.0", "x", 1);
    disk_put("d/.sketch.bpk.tmp.4711.1", "y", 1);
    assert_int_equal(save_new(PATH, BPK_SYNC, NULL, NULL), BPK_OK);
    assert_true(disk_holds(new_bytes, NEW_N));
    assert_int_equal(disk_names(), 3);
}

static void mode_and_owner_go_over(void **state) {
    (void)state;
    disk_start();
    disk_file *f = &the_disk.file[disk_look(PATH)->file];
    f->mode = 0604;
    f->owner = 12;
    f->group = 34;
    assert_int_equal(save_new(PATH, BPK_SYNC, NULL, NULL), BPK_OK);
    const disk_file *g = &the_disk.file[disk_look(PATH)->file];
    assert_ptr_not_equal(f, g);
    assert_int_equal(g->mode, 0604);
    assert_int_equal(g->owner, 12);
    assert_int_equal(g->group, 34);
}

static void links_are_followed_and_a_loop_is_refused(void **state) {
    (void)state;
    bpk_err err;
    disk_start();
    disk_put("d/a", "", 0);
    strcpy(disk_look("d/a")->link, "b");
    disk_put("d/b", "", 0);
    strcpy(disk_look("d/b")->link, "sketch.bpk");
    assert_int_equal(save_new("d/a", BPK_SYNC, NULL, NULL), BPK_OK);
    assert_true(disk_holds(new_bytes, NEW_N));
    strcpy(disk_look("d/b")->link, "a");
    assert_int_equal(save_new("d/a", BPK_SYNC, NULL, &err), BPK_E_SINK);
    assert_string_equal(err.field, "open");
    assert_string_equal(err.other, strerror(ELOOP));
}

static bpk_sketch *a_sketch(uint64_t stream, uint64_t items) {
    bpk_sketch *s = NULL;
    assert_int_equal(bpk_new(&s, "hll", NULL, (bpk_param[]){{"precision", "10"}}, 1, NULL, NULL), BPK_OK);
    t_add(s, stream, 0, items);
    return s;
}

static void every_operation_of_a_load_may_fail(void **state) {
    (void)state;
    bpk_sketch *s = a_sketch(3, 5000);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    for (int kind = 0; kind < FAULTS; kind++)
        for (long nth = 1;; nth++) {
            bpk_sketch **got = NULL;
            size_t n = 0;
            bpk_err err = {.code = BPK_OK};
            disk_start();
            disk_put("d/s", b.p, b.n);
            the_disk.fail_at = nth;
            the_disk.kind = (fault)kind;
            bpk_status st = bpk_file_load("d/s", &got, &n, NULL, &err);
            assert_int_equal(disk_open_files(), 0);
            if (st == BPK_OK) t_assert_same_bytes(got[0], s);
            if (st == BPK_OK) bpk_file_close(got, n);
            if (the_disk.ops < nth) break;
            if (st == BPK_OK) continue;
            assert_null(got);
            if (kind == FAULT_NOTHING || kind == FAULT_HALF) continue; /* the file seemed to end: a damaged sketch */
            assert_int_equal(st, BPK_E_SINK);
            assert_string_equal(err.field, the_disk.failed);
        }
    free(b.p);
    bpk_free(s);
}

static void every_operation_of_a_map_may_fail(void **state) {
    (void)state;
    for (long nth = 1;; nth++) {
        bpk_map m = {NULL, 99};
        bpk_err err;
        disk_start();
        the_disk.fail_at = nth;
        bpk_status st = bpk_file_map(&m, PATH, &err);
        assert_int_equal(disk_open_files(), 0);
        if (st == BPK_OK) assert_memory_equal(m.bytes, old_bytes, OLD_N);
        if (the_disk.ops < nth) break;
        if (st == BPK_OK) continue;
        assert_string_equal(err.field, the_disk.failed);
        assert_int_equal(m.n, 99);
    }
}

static void every_allocation_of_a_save_and_a_load_may_fail(void **state) {
    (void)state;
    bpk_sketch *s[2] = {a_sketch(3, 5000), a_sketch(4, 5)};
    bpk_status last = BPK_E_NOMEM;
    for (long nth = 1; last != BPK_OK; nth++) {
        t_env env;
        t_env_init(&env, nth);
        disk_start();
        last = save_new(PATH, BPK_SYNC, &env.env, NULL);
        assert_true(disk_holds(last == BPK_OK ? new_bytes : old_bytes, last == BPK_OK ? NEW_N : OLD_N));
        assert_int_equal(env.held, 0);
        assert_true(last == BPK_OK || last == BPK_E_NOMEM);
    }
    last = BPK_E_NOMEM;
    for (long nth = 1; last != BPK_OK; nth++) {
        bpk_sketch **got = NULL;
        size_t n = 0;
        t_env env;
        t_env_init(&env, nth);
        disk_start();
        assert_int_equal(bpk_file_save("d/s", (const bpk_sketch *const *)s, 2, BPK_FORM_VIEW, BPK_SYNC, NULL), BPK_OK);
        last = bpk_file_load("d/s", &got, &n, &env.env, NULL);
        assert_true(last == BPK_OK || last == BPK_E_NOMEM);
        if (last == BPK_OK) bpk_file_close(got, n);
        assert_int_equal(env.held, 0);
    }
    bpk_free(s[0]);
    bpk_free(s[1]);
}

/* ---- on the real one, in a directory of its own ---- */

static char home[T_SCRATCH];

static int enter(void **state) {
    (void)state;
    bpki_io_now = &bpki_io_system;
    return t_scratch_make(home) || chdir(home) ? -1 : 0;
}
static int leave(void **state) {
    (void)state;
    return chdir("/") || t_scratch_remove(home);
}

static void put_file(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}
static void assert_file(const char *path, const void *bytes, size_t n) {
    uint8_t *got = malloc(n + 1);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, n + 1, f), n);
    if (n) assert_memory_equal(got, bytes, n);
    fclose(f);
    free(got);
}
static bpk_status save_text(const char *path, const char *text, bpk_err *err) {
    bpk_writer *w = NULL;
    bpk_status st = bpk_writer_open(&w, path, NULL, err);
    if (st != BPK_OK) return st;
    (void)bpk_writer_put(w, text, strlen(text));
    return bpk_writer_commit(w, BPK_SYNC, err);
}
static mode_t mode_of(const char *path) {
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode;
}
static void assert_no_temporary(void) {
    assert_int_not_equal(system("ls -A | grep -q tmp"), 0);
}

static void a_symbolic_link_stays_and_its_target_is_replaced(void **state) {
    (void)state;
    char absolute[T_SCRATCH + 16];
    mkdir("sub", 0755);
    put_file("sub/target", "old", 3);
    snprintf(absolute, sizeof absolute, "%s/sub/hop", home);
    assert_int_equal(symlink("target", "sub/hop"), 0);
    assert_int_equal(symlink(absolute, "link"), 0);
    assert_int_equal(save_text("link", "new", NULL), BPK_OK);
    assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("sub/hop")));
    assert_file("sub/target", "new", 3);
    assert_int_equal(symlink("sub/later", "dangling"), 0);
    assert_int_equal(save_text("dangling", "new", NULL), BPK_OK);
    assert_file("sub/later", "new", 3);
}

static void the_mode_is_kept_and_a_new_file_obeys_the_umask(void **state) {
    (void)state;
    mode_t before = umask(027);
    assert_int_equal(save_text("fresh", "x", NULL), BPK_OK);
    assert_int_equal(mode_of("fresh") & 0777, 0640);
    chmod("fresh", 0606);
    assert_int_equal(save_text("fresh", "y", NULL), BPK_OK);
    assert_int_equal(mode_of("fresh") & 0777, 0606);
    umask(before);
}

static void what_is_no_regular_file_is_refused(void **state) {
    (void)state;
    bpk_err err;
    bpk_map m;
    mkdir("directory", 0755);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const char *const paths[] = {"directory", "pipe", "/dev/null", "/dev/full"};
    for (size_t i = 0; i < 4; i++) {
        const char *reason = i ? "not a regular file" : strerror(EISDIR);
        assert_int_equal(save_text(paths[i], "x", &err), BPK_E_SINK);
        assert_string_equal(err.field, "open");
        assert_string_equal(err.other, reason);
        assert_int_equal(bpk_file_map(&m, paths[i], &err), BPK_E_SINK);
        assert_string_equal(err.other, reason);
    }
    assert_no_temporary();
}

static void assert_refused(const char *path, int reason) {
    bpk_err err;
    assert_int_equal(save_text(path, "x", &err), BPK_E_SINK);
    assert_string_equal(err.field, "open");
    assert_string_equal(err.other, strerror(reason));
}

static void paths_that_cannot_be_are_refused(void **state) {
    (void)state;
    char path[5000];
    memset(path, 'x', sizeof path);
    path[4999] = 0;
    assert_refused(path, ENAMETOOLONG);
    path[300] = 0;
    assert_refused(path, ENAMETOOLONG);
    assert_refused("", ENOENT);
    assert_refused("missing/file", ENOENT);
    assert_refused("missing/", EISDIR);
    path[255] = 0; /* the longest name there is, whose temporary name is a shorter one */
    assert_int_equal(save_text(path, "new", NULL), BPK_OK);
    assert_file(path, "new", 3);
}

static void an_aborted_save_leaves_nothing(void **state) {
    (void)state;
    bpk_writer *w = NULL;
    put_file("kept", "old", 3);
    assert_int_equal(bpk_writer_open(&w, "kept", NULL, NULL), BPK_OK);
    assert_int_equal(bpk_writer_put(w, "new", 3), BPK_OK);
    bpk_writer_abort(w);
    bpk_writer_abort(NULL);
    assert_file("kept", "old", 3);
    assert_no_temporary();
}

static void pieces_of_any_size_arrive_in_order(void **state) {
    (void)state;
    enum { ALL = 1 << 20 };
    uint8_t *bytes = malloc(ALL);
    bpk_writer *w = NULL;
    for (size_t i = 0; i < ALL; i++) bytes[i] = (uint8_t)t_hash(5, i);
    assert_int_equal(bpk_writer_open(&w, "pieces", NULL, NULL), BPK_OK);
    for (size_t at = 0, i = 0, n; at < ALL; at += n, i++) {
        n = (size_t)(t_hash(6, i) % (i % 7 ? 5000 : 150000));
        if (n > ALL - at) n = ALL - at;
        assert_int_equal(bpk_writer_put(w, bytes + at, n), BPK_OK);
    }
    assert_int_equal(bpk_writer_commit(w, BPK_FAST, NULL), BPK_OK);
    assert_file("pieces", bytes, ALL);
    free(bytes);
}

/* What a child process does; it says 0 by its exit. */
static pid_t in_child(int (*fn)(int), int argument) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(fn(argument));
    return child;
}
static void assert_child_succeeds(pid_t child) {
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int save_often(int stream) {
    bpk_sketch *s = a_sketch((uint64_t)stream, 20000);
    const bpk_sketch *one = s;
    for (int i = 0; i < 150; i++)
        if (bpk_file_save("shared", &one, 1, BPK_FORM_VIEW, BPK_FAST, NULL) != BPK_OK) return 1;
    bpk_free(s);
    return 0;
}

static void two_saves_at_once_leave_one_whole_file(void **state) {
    (void)state;
    assert_int_equal(save_often(7), 0);
    pid_t a = in_child(save_often, 7), b = in_child(save_often, 8);
    for (int i = 0; i < 150; i++) {
        bpk_sketch **got = NULL;
        size_t n = 0;
        assert_int_equal(bpk_file_load("shared", &got, &n, NULL, NULL), BPK_OK);
        assert_int_equal(n, 1);
        bpk_file_close(got, n);
    }
    assert_child_succeeds(a);
    assert_child_succeeds(b);
    assert_no_temporary();
}

/* A megabyte onto a file; returns 0 when it was refused for `reason` and the old contents stayed. */
static int save_too_much(const char *path, int reason) {
    static uint8_t much[1 << 20];
    bpk_err err = {.code = BPK_OK};
    bpk_writer *w = NULL;
    put_file(path, "old", 3);
    if (bpk_writer_open(&w, path, NULL, &err) != BPK_OK) return 1;
    if (bpk_writer_put(w, much, sizeof much) != BPK_E_SINK) return 2;
    if (bpk_writer_put(w, much, 1) != BPK_E_SINK) return 3;
    if (bpk_writer_commit(w, BPK_SYNC, &err) != BPK_E_SINK) return 4;
    if (strcmp(err.field, "write") != 0 || strcmp(err.other, strerror(reason)) != 0) return 5;
    assert_file(path, "old", 3);
    return 0;
}

static int save_over_the_file_size_limit(int unused) {
    (void)unused;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000})) return 9;
    return save_too_much("limited", EFBIG);
}

static void a_file_size_limit_leaves_the_old_file(void **state) {
    (void)state;
    assert_child_succeeds(in_child(save_over_the_file_size_limit, 0));
    assert_no_temporary();
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    mkdir("full", 0755);
    if (mount("tmpfs", "full", "tmpfs", 0, "size=256k")) {
        print_message("skipped: mounting a small tmpfs needs root\n");
        skip();
    }
    int result = save_too_much("full/file", ENOSPC);
    bool clean = system("ls -A full | grep -q tmp") != 0;
    umount("full");
    assert_int_equal(result, 0);
    assert_true(clean);
}

static void sketches_come_back_in_order_from_both_forms(void **state) {
    (void)state;
    bpk_sketch *s[3] = {a_sketch(1, 10), a_sketch(2, 100000), a_sketch(3, 0)};
    for (int f = BPK_FORM_SMALL; f <= BPK_FORM_VIEW; f++) {
        bpk_sketch **got = NULL;
        size_t n = 0;
        assert_int_equal(bpk_file_save("three", (const bpk_sketch *const *)s, 3, (bpk_form)f, BPK_SYNC, NULL), BPK_OK);
        assert_int_equal(bpk_file_load("three", &got, &n, NULL, NULL), BPK_OK);
        assert_int_equal(n, 3);
        for (size_t i = 0; i < n; i++) t_assert_same_bytes(got[i], s[i]);
        bpk_file_close(got, n);
    }
    bpk_err err;
    assert_int_equal(bpk_file_save("three", NULL, 0, BPK_FORM_SMALL, BPK_SYNC, &err), BPK_E_ARG);
    for (size_t i = 0; i < 3; i++) bpk_free(s[i]);
}

static bpk_err load_error(const char *path, const bpk_env *env) {
    bpk_sketch **got = NULL;
    size_t n = 77;
    bpk_err err = {.code = BPK_OK};
    bpk_status st = bpk_file_load(path, &got, &n, env, &err);
    assert_int_not_equal(st, BPK_OK);
    assert_int_equal(err.code, st);
    assert_null(got);
    assert_int_equal(n, 77);
    return err;
}

static void what_is_no_sketch_file_is_refused_with_its_place(void **state) {
    (void)state;
    bpk_sketch *s = a_sketch(1, 1000);
    t_bytes b = t_encode(s, BPK_FORM_SMALL), two = {NULL, 0};
    t_sink(&two, b.p, b.n);
    t_sink(&two, "trailing", 8);
    put_file("trailing", two.p, two.n);
    bpk_err err = load_error("trailing", NULL);
    assert_int_equal(err.code, BPK_E_CORRUPT);
    assert_int_equal(err.offset, b.n);

    two.n = b.n;
    t_sink(&two, b.p, b.n);
    two.p[two.n - 1] ^= 1;
    put_file("damaged", two.p, two.n);
    err = load_error("damaged", NULL);
    assert_int_equal(err.code, BPK_E_CHECKSUM);
    assert_string_equal(err.field, "checksum");
    assert_int_equal(err.offset, two.n - 8);

    put_file("cut", b.p, b.n - 1);
    assert_int_equal(load_error("cut", NULL).code, BPK_E_TRUNCATED);
    put_file("empty", "", 0);
    assert_int_equal(load_error("empty", NULL).code, BPK_E_TRUNCATED);
    put_file("text", "just a line of text\n", 20);
    assert_int_equal(load_error("text", NULL).code, BPK_E_MAGIC);
    assert_int_equal(load_error("/dev/zero", NULL).code, BPK_E_MAGIC); /* at once, although it never ends */
    err = load_error("missing", NULL);
    assert_string_equal(err.field, "open");
    assert_string_equal(err.other, strerror(ENOENT));
    assert_string_equal(load_error(".", NULL).other, strerror(EISDIR));
    free(b.p);
    free(two.p);
    bpk_free(s);
}

static void a_file_over_the_limit_is_refused_while_it_is_read(void **state) {
    (void)state;
    enum { BIG = 1 << 20 };
    uint8_t *bytes = calloc(1, BIG);
    bpk_sketch *s = a_sketch(1, 1000);
    t_bytes b = t_encode(s, BPK_FORM_SMALL);
    memcpy(bytes, b.p, 9); /* it begins like a sketch */
    put_file("big", bytes, BIG);
    bpk_env env = bpk_env_default();
    env.max_bytes = 1 << 18;
    assert_int_equal(load_error("big", &env).code, BPK_E_LIMIT);
    /* Each sketch fits, all of them together do not. */
    t_bytes many = {NULL, 0};
    for (int i = 0; i < 100; i++) t_sink(&many, b.p, b.n);
    put_file("many", many.p, many.n);
    env.max_bytes = 2 * bpk_memory(s) + 2000;
    assert_int_equal(load_error("many", &env).code, BPK_E_LIMIT);
    free(bytes);
    free(b.p);
    free(many.p);
    bpk_free(s);
}

static int feed_pipe(int unused) {
    (void)unused;
    bpk_sketch *s = a_sketch(1, 100000);
    FILE *f = fopen("feed", "wb");
    for (int i = 0; f && i < 200; i++) {
        t_bytes b = t_encode(s, BPK_FORM_VIEW);
        if (fwrite(b.p, 1, b.n, f) != b.n) return 1;
        free(b.p);
    }
    bpk_free(s);
    return !f || fclose(f);
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    bpk_sketch **got = NULL;
    size_t n = 0;
    assert_int_equal(mkfifo("feed", 0600), 0);
    pid_t child = in_child(feed_pipe, 0);
    assert_int_equal(bpk_file_load("feed", &got, &n, NULL, NULL), BPK_OK);
    assert_int_equal(n, 200);
    bpk_file_close(got, n);
    bpk_file_close(NULL, 0);
    assert_child_succeeds(child);
}

static void a_map_keeps_the_old_bytes_when_the_file_is_replaced(void **state) {
    (void)state;
    bpk_sketch *s[2] = {a_sketch(1, 100000), a_sketch(2, 100000)};
    const bpk_sketch *const *p = (const bpk_sketch *const *)s;
    t_bytes b = t_encode(s[0], BPK_FORM_VIEW);
    bpk_map m = {NULL, 0};
    bpk_view v;
    assert_int_equal(bpk_file_save("mapped", p, 1, BPK_FORM_VIEW, BPK_SYNC, NULL), BPK_OK);
    assert_int_equal(bpk_file_map(&m, "mapped", NULL), BPK_OK);
    assert_int_equal(m.n, b.n);
    const bpk_sketch *seen = bpk_view_open(&v, m.bytes, m.n, NULL);
    assert_non_null(seen);
    assert_int_equal(bpk_file_save("mapped", p + 1, 1, BPK_FORM_VIEW, BPK_SYNC, NULL), BPK_OK);
    assert_memory_equal(m.bytes, b.p, b.n);
    t_assert_same_bytes(seen, s[0]);
    bpk_file_unmap(&m);
    assert_null(m.bytes);
    put_file("nothing", "", 0);
    assert_int_equal(bpk_file_map(&m, "nothing", NULL), BPK_OK);
    assert_int_equal(m.n, 0);
    bpk_file_unmap(&m);
    free(b.p);
    bpk_free(s[0]);
    bpk_free(s[1]);
}

#define REAL(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_of_a_save_may_fail),
        cmocka_unit_test(interrupted_and_short_writes_go_on),
        cmocka_unit_test(a_failed_sync_is_not_repeated),
        cmocka_unit_test(a_directory_that_cannot_be_synced_is_undurable),
        cmocka_unit_test(fast_syncs_nothing),
        cmocka_unit_test(after_a_power_failure_the_file_is_old_or_new_and_new_once_told),
        cmocka_unit_test(a_disk_that_only_pretends_to_sync_is_caught),
        cmocka_unit_test(temporary_names_that_are_taken_are_passed_over),
        cmocka_unit_test(mode_and_owner_go_over),
        cmocka_unit_test(links_are_followed_and_a_loop_is_refused),
        cmocka_unit_test(every_operation_of_a_load_may_fail),
        cmocka_unit_test(every_operation_of_a_map_may_fail),
        cmocka_unit_test(every_allocation_of_a_save_and_a_load_may_fail),
        REAL(a_symbolic_link_stays_and_its_target_is_replaced),
        REAL(the_mode_is_kept_and_a_new_file_obeys_the_umask),
        REAL(what_is_no_regular_file_is_refused),
        REAL(paths_that_cannot_be_are_refused),
        REAL(an_aborted_save_leaves_nothing),
        REAL(pieces_of_any_size_arrive_in_order),
        REAL(two_saves_at_once_leave_one_whole_file),
        REAL(a_file_size_limit_leaves_the_old_file),
        REAL(a_full_disk_leaves_the_old_file),
        REAL(sketches_come_back_in_order_from_both_forms),
        REAL(what_is_no_sketch_file_is_refused_with_its_place),
        REAL(a_file_over_the_limit_is_refused_while_it_is_read),
        REAL(a_pipe_is_read_to_its_end),
        REAL(a_map_keeps_the_old_bytes_when_the_file_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
