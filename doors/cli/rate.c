/* rate.c - rates: a number of events and a span, which may be a decimal fraction of its unit, as whole microseconds. */
#include "rate.h"

#include <ballpark.h>

#include <string.h>

static const uint64_t SPAN_MAX = UINT64_C(1) << 53; /* a double holds it */

const char rate_about[] = "N/D: N 1 to 2^48 (windows 2^32-1, plan 2^30), D 1us to 2^53us, of us ms s m h d w: 5/2m";

static const struct {
    const char *unit;
    uint64_t micros;
} units[] = {{"us", 1},
             {"ms", 1000},
             {"s", MICROS_A_SECOND},
             {"m", UINT64_C(60) * MICROS_A_SECOND},
             {"h", UINT64_C(3600) * MICROS_A_SECOND},
             {"d", UINT64_C(86400) * MICROS_A_SECOND},
             {"w", UINT64_C(604800) * MICROS_A_SECOND}};

static uint64_t unit_of(const char *text) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, text) == 0) return units[i].micros;
    return 0;
}

/* Digits before *text, which moves behind them; false above SPAN_MAX, and without any. */
static bool read_digits(const char **text, uint64_t *out) {
    const char *p = *text;
    for (*out = 0; *p >= '0' && *p <= '9'; p++) {
        *out = *out * 10 + (uint64_t)(*p - '0');
        if (*out > SPAN_MAX) return false;
    }
    bool any = p > *text;
    *text = p;
    return any;
}

/* The digits behind a point as a part of `each`; false unless it is whole. Six are enough for every unit's microsecond
 * that one would write. */
static bool read_fraction(const char **text, uint64_t each, uint64_t *out) {
    uint64_t v = 0, scale = 1;
    const char *p = *text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (scale == MICROS_A_SECOND && *p != '0') return false;
        if (scale == MICROS_A_SECOND) continue;
        v = v * 10 + (uint64_t)(*p - '0');
        scale *= 10;
    }
    bool any = p > *text, whole = v * each % scale == 0;
    *out = v * each / scale;
    *text = p;
    return any && whole;
}

/* "60s", "1.5h", or a unit alone. */
static bool read_span(const char *text, uint64_t *micros) {
    uint64_t n = 1, part = 0, each = unit_of(text);
    size_t digits = strspn(text, "0123456789.");
    if (!each) each = unit_of(text + digits);
    if (!each) return false;
    if (digits && !read_digits(&text, &n)) return false;
    if (*text == '.') {
        text++;
        if (!read_fraction(&text, each, &part)) return false;
    }
    if (unit_of(text) != each || n > SPAN_MAX / each || part > SPAN_MAX - n * each) return false;
    *micros = n * each + part;
    return *micros >= 1;
}

bool rate_parse(const char *text, uint64_t *events, uint64_t *micros) {
    char number[32];
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : 0;
    if (n == 0 || n >= sizeof number) return false;
    memcpy(number, text, n);
    number[n] = 0;
    if (bpk_parse_count(number, events) != BPK_OK || *events < 1 || *events > BPK_LIMIT_EVENTS_MAX) return false;
    return read_span(slash + 1, micros);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether a burst of eight times as many fits into the units of a cell, see docs/rooms/limit.md. */
static bool is_exact(uint64_t events, uint64_t period) {
    uint64_t whole = period / common_divisor(events, period);
    return whole <= BPK_LIMIT_BURST_MAX / 8 / events;
}

uint64_t rate_ticks(uint64_t events, uint64_t micros) {
    static const uint64_t coarser[] = {1000, 1};
    if (is_exact(events, micros)) return MICROS_A_SECOND;
    for (size_t i = 0; i < sizeof coarser / sizeof *coarser; i++) {
        uint64_t tick = MICROS_A_SECOND / coarser[i];
        if (micros % tick == 0 && micros / tick / 100 >= events && is_exact(events, micros / tick)) return coarser[i];
    }
    return MICROS_A_SECOND;
}
