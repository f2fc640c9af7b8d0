/* exits.h - the exit codes of the command, and how it speaks on standard error. */
#ifndef CLI_EXITS_H
#define CLI_EXITS_H

enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,     /* the answer is "no" */
    EXIT_USAGE = 2,  /* usage or I/O trouble */
    EXIT_BAD = 3,    /* done, but some input was bad or unreadable */
    EXIT_SKETCH = 4, /* a sketch is damaged, from a newer version, or does not fit */
    EXIT_LIMIT = 5   /* a limit was reached, and lossy answers were not allowed */
};

/* Prints "ballpark: SUBJECT: text" (without SUBJECT when it is NULL) and returns `code`. */
int say(int code, const char *subject, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
