/* screen.c - a frame is clipped while it is made, and replaces the one before from its first line on.
 *
 * The cursor stands below the last line between two frames, and goes up by as many lines as were shown. Nothing else is
 * changed: no other screen, no hidden cursor. Of what is not ASCII each character counts as two columns, which none
 * exceeds, so that no line wraps.
 */
#define _GNU_SOURCE
#include "screen.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TAB = 8, LINES_USUAL = 24, COLUMNS_USUAL = 80, SIZE_MOST = 10000, WIDE = 2 };

/* There is one terminal. */
static struct {
    char *bytes;
    size_t n, room;
    bool begun;
    unsigned lines, columns; /* that fit */
    unsigned line, column;
    unsigned shown;  /* lines of the frame on the terminal */
    uint8_t wait[4]; /* a character of which bytes are missing */
    size_t have, need;
} frame;

bool screen_usable(void) {
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static unsigned size_of(const char *name, unsigned usual) {
    const char *text = getenv(name);
    long v = text ? strtol(text, NULL, 10) : 0;
    return v > 1 && v < SIZE_MOST ? (unsigned)v : usual;
}

/* The last line is the cursor's, and the last column nobody's: a cursor that waits behind it would clear it. */
static void measure(void) {
    struct winsize w = {.ws_row = 0};
    bool told = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0;
    frame.lines = (told && w.ws_row > 1 ? w.ws_row : size_of("LINES", LINES_USUAL)) - 1;
    frame.columns = (told && w.ws_col > 1 ? w.ws_col : size_of("COLUMNS", COLUMNS_USUAL)) - 1;
}

/* ---- making a frame ---- */

static void append(const void *bytes, size_t n) {
    if (frame.room - frame.n < n) {
        size_t room = 2 * frame.room + n + BUFSIZ;
        char *more = realloc(frame.bytes, room);
        if (!more) return; /* the rest of this frame is missing */
        frame.bytes = more;
        frame.room = room;
    }
    memcpy(frame.bytes + frame.n, bytes, n);
    frame.n += n;
}

static void append_text(const char *text) {
    append(text, strlen(text));
}

static void up(unsigned lines) {
    char text[32];
    if (lines == 0) return;
    snprintf(text, sizeof text, "\033[%uA", lines);
    append_text(text);
}

void screen_begin(void) {
    measure();
    frame.n = 0;
    frame.line = frame.column = 0;
    frame.have = frame.need = 0;
    frame.begun = true;
    append_text("\r");
    up(frame.shown < frame.lines ? frame.shown : frame.lines);
}

bool screen_begun(void) {
    return frame.begun;
}

static void put_character(const void *bytes, size_t n, unsigned columns) {
    if (frame.line >= frame.lines || frame.column + columns > frame.columns) {
        frame.column = frame.columns; /* nothing narrower goes behind what was left out */
        return;
    }
    append(bytes, n);
    frame.column += columns;
}

static void end_line(void) {
    if (frame.line < frame.lines) append_text("\033[K\r\n");
    frame.line++;
    frame.column = 0;
}

static void put_tab(void) {
    do put_character(" ", 1, 1);
    while (frame.column % TAB && frame.column < frame.columns);
}

/* How many bytes a character has that begins so; 0: none does. */
static size_t length_of(uint8_t first) {
    return first >= 0xf5 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
}

static void put_ascii(uint8_t c) {
    if (c == '\n' || c == 0) end_line();
    else if (c == '\t') put_tab();
    else put_character(c < ' ' || c == 0x7f ? "?" : (const char *)&c, 1, 1);
}

/* A byte of a character that is not ASCII. The controls from U+0080 to U+009F steer terminals too. */
static void put_part(uint8_t c) {
    frame.wait[frame.have++] = c;
    if (frame.have < frame.need) return;
    bool control = frame.need == 2 && frame.wait[0] == 0xc2 && frame.wait[1] < 0xa0;
    put_character(control ? "?" : (const char *)frame.wait, control ? 1 : frame.need, WIDE);
    frame.need = frame.have = 0;
}

static void put_byte(uint8_t c) {
    bool more = c >= 0x80 && c < 0xc0;
    if (frame.need && more) {
        put_part(c);
        return;
    }
    if (frame.need) put_character("?", 1, 1); /* it was cut off */
    frame.have = 0;
    frame.need = length_of(c);
    if (frame.need) put_part(c);
    else if (c >= 0x80) put_character("?", 1, 1);
    else put_ascii(c);
}

void screen_put(const void *bytes, size_t n) {
    const uint8_t *b = bytes;
    for (size_t i = 0; i < n; i++) put_byte(b[i]);
}

/* ---- showing it ---- */

static void write_frame(void) {
    const char *at = frame.bytes;
    while (frame.n) {
        ssize_t wrote = write(STDOUT_FILENO, at, frame.n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return; /* a terminal that is gone is found by what is printed last */
        at += wrote;
        frame.n -= (size_t)wrote;
    }
}

void screen_show(void) {
    if (frame.column) end_line();
    append_text("\033[J");
    write_frame();
    frame.shown = frame.line < frame.lines ? frame.line : frame.lines;
    frame.begun = false;
}

void screen_clear(void) {
    if (frame.shown == 0) return;
    frame.n = 0;
    append_text("\r");
    up(frame.shown);
    append_text("\033[J");
    write_frame();
    frame.shown = 0;
}
