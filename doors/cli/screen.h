/* screen.h - the terminal on standard output, on which an answer is redrawn in place: line by line, each cleared at its
 * end, in one write. What was there before stays above, and nothing needs to be put right when the process is killed.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether standard output is a terminal whose cursor moves. */
bool screen_usable(void);

/* A frame begins; what is put until screen_show() is it. A newline or a zero byte ends a line. What does not fit into
 * the terminal is left out, and what could steer it shows as a question mark. */
void screen_begin(void);
bool screen_begun(void);
void screen_put(const void *bytes, size_t n);

/* Shows the frame instead of the one before. */
void screen_show(void);

/* Takes away what is shown, so that something else can be printed. */
void screen_clear(void);

#endif
