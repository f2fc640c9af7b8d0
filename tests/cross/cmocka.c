/* cmocka.c - the functions of cmocka that the tests call, for targets that have no package of it.
 *
 * Only the host's header is used; a test that needs more than this does not link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum outcome { PASSED, FAILED, SKIPPED };

static jmp_buf leave; /* where the running test ends when an assertion fails */

void print_message(const char *const format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void print_error(const char *const format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void _fail(const char *const file, const int line) {
    print_error("%s:%d: error: failure\n", file, line);
    longjmp(leave, FAILED);
}

void _skip(const char *const file, const int line) {
    print_message("%s:%d: skipped\n", file, line);
    longjmp(leave, SKIPPED);
}

/* ---- assertions ---- */

void _assert_true(const LargestIntegralType result, const char *const expression, const char *const file,
                  const int line) {
    if (result) return;
    print_error("%s\n", expression);
    _fail(file, line);
}

void _assert_return_code(const LargestIntegralType result, size_t rlen, const LargestIntegralType error,
                         const char *const expression, const char *const file, const int line) {
    LargestIntegralType highest =
        rlen >= sizeof(LargestIntegralType) ? ~(LargestIntegralType)0 : ((LargestIntegralType)1 << (8 * rlen)) - 1;
    if (result <= highest / 2) return; /* not negative in the type that it had */
    print_error("%s failed with error %ju\n", expression, (uintmax_t)error);
    _fail(file, line);
}

void _assert_int_equal(const LargestIntegralType a, const LargestIntegralType b, const char *const file,
                       const int line) {
    if (a == b) return;
    print_error("%#jx != %#jx\n", (uintmax_t)a, (uintmax_t)b);
    _fail(file, line);
}

void _assert_int_not_equal(const LargestIntegralType a, const LargestIntegralType b, const char *const file,
                           const int line) {
    if (a != b) return;
    print_error("both are %#jx\n", (uintmax_t)a);
    _fail(file, line);
}

void _assert_float_equal(const float a, const float n, const float epsilon, const char *const file, const int line) {
    float distance = a > n ? a - n : n - a;
    if (distance <= epsilon) return;
    print_error("%f != %f\n", (double)a, (double)n);
    _fail(file, line);
}

void _assert_string_equal(const char *const a, const char *const b, const char *const file, const int line) {
    if (strcmp(a, b) == 0) return;
    print_error("\"%s\" != \"%s\"\n", a, b);
    _fail(file, line);
}

void _assert_string_not_equal(const char *const a, const char *const b, const char *file, const int line) {
    if (strcmp(a, b) != 0) return;
    print_error("both are \"%s\"\n", a);
    _fail(file, line);
}

void _assert_memory_equal(const void *const a, const void *const b, const size_t size, const char *const file,
                          const int line) {
    if (memcmp(a, b, size) == 0) return;
    print_error("%zu bytes differ\n", size);
    _fail(file, line);
}

void _assert_memory_not_equal(const void *const a, const void *const b, const size_t size, const char *const file,
                              const int line) {
    if (memcmp(a, b, size) != 0) return;
    print_error("%zu bytes are the same\n", size);
    _fail(file, line);
}

void _assert_in_range(const LargestIntegralType value, const LargestIntegralType minimum,
                      const LargestIntegralType maximum, const char *const file, const int line) {
    if (value >= minimum && value <= maximum) return;
    print_error("%ju is not within %ju-%ju\n", (uintmax_t)value, (uintmax_t)minimum, (uintmax_t)maximum);
    _fail(file, line);
}

void _assert_not_in_range(const LargestIntegralType value, const LargestIntegralType minimum,
                          const LargestIntegralType maximum, const char *const file, const int line) {
    if (value < minimum || value > maximum) return;
    print_error("%ju is within %ju-%ju\n", (uintmax_t)value, (uintmax_t)minimum, (uintmax_t)maximum);
    _fail(file, line);
}

/* ---- running ---- */

/* Calls a function that may leave by an assertion; returns its result or FAILED. */
static int guarded(CMFixtureFunction fixture, CMUnitTestFunction test, void **state) {
    int how = setjmp(leave);
    if (how) return how;
    if (test) {
        test(state);
        return PASSED;
    }
    return fixture && fixture(state) != 0 ? FAILED : PASSED;
}

static int run_one(const struct CMUnitTest *t, void **group_state) {
    void *state = t->initial_state ? t->initial_state : *group_state;
    int how = guarded(t->setup_func, NULL, &state);
    if (how == PASSED) how = guarded(NULL, t->test_func, &state);
    int end = guarded(t->teardown_func, NULL, &state);
    return how == PASSED ? end : how;
}

int _cmocka_run_group_tests(const char *group_name, const struct CMUnitTest *const tests, const size_t num_tests,
                            CMFixtureFunction group_setup, CMFixtureFunction group_teardown) {
    static const char *const words[] = {"OK", "FAILED", "SKIPPED"};
    int failed = 0;
    void *state = NULL;
    if (guarded(group_setup, NULL, &state) != PASSED) {
        print_error("%s: the group's setup failed\n", group_name);
        return (int)num_tests;
    }
    for (size_t i = 0; i < num_tests; i++) {
        int how = run_one(&tests[i], &state);
        print_message("[ %s ] %s\n", words[how], tests[i].name);
        failed += how == FAILED;
    }
    if (guarded(group_teardown, NULL, &state) != PASSED) failed++;
    print_message("%s: %zu tests, %d failed\n", group_name, num_tests, failed);
    return failed;
}
