/* output.h - where bytes go: standard output, or a file that is replaced as a whole. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "options.h"

typedef struct output {
    const char *name;   /* for messages */
    bpk_writer *file;   /* NULL: a descriptor */
    int fd, failed;     /* errno of the first failure */
    bool screen;        /* a frame on a terminal */
    size_t n;           /* bytes that wait in `buffer` */
    char buffer[65536]; /* of a descriptor */
} output;

/* `path` NULL or "-" is standard output. Returns 0 or EXIT_USAGE, with the message printed. */
int output_open(output *out, const char *path);

/* Whether two names, either of which may be NULL, are those of one file, which need not be there yet. */
bool same_target(const char *a, const char *b);

/* Opens where the answer of --output goes: the frame that has begun on the screen, if any. With --save - standard
 * output is the sketch's, and it is standard error. */
int answer_open(output *out, const options *o);

/* Failures stick: the first one is kept for output_close(). A pipe that nobody reads ends the process silently. */
void output_put(output *out, const void *bytes, size_t n);
/* A record, or what ends a line of an answer, with the terminator of records behind it. */
void output_record(output *out, const options *o, const void *bytes, size_t n);
void output_text(output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What could steer a terminal shows as a question mark. */
void output_printable(output *out, const char *text, size_t n);
void output_flush(output *out);

/* Ends it and returns an exit code, with the message printed. Without `keep` a file stays as it was. */
int output_close(output *out, bool keep);

/* 1 to 3 bytes as four characters of base64 (RFC 4648 section 4, padded). */
void base64_group(char text[4], const uint8_t *b, size_t n);

/* Whether a sketch can go to `path`, before the work begins: raw bytes are not for a terminal. Returns 0 or EXIT_USAGE,
 * with the message printed. */
int sketch_target(const options *o, const char *path);

/* Writes a sketch as --form, --base64 and --label say; returns an exit code. */
int sketch_save(const options *o, bpk_sketch *s, const char *path);

#endif
