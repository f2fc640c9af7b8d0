/* input.h - from files to batches of hashed items: opening, decompressing, recognising sketches, cutting records,
 * picking fields, hashing, on one thread or on several.
 *
 * Two steps: input_open() looks at the first bytes of every input and reads the sketches among them, so that a verb
 * knows their domain before the first item is hashed; input_run() then streams the rest.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <ballpark.h>

#include "instant.h"

/* A selection such as 1,3-5,-1: 1-based, negative from the end, order kept. 4- is the fourth and all behind it; -3 is
 * the third from the end, so the first three are 1-3. n = 0: the record. */
typedef enum field_part { PART_WHOLE, PART_METHOD, PART_PATH } field_part; /* method and path: of a request */
typedef struct field_range {
    long first, last; /* 0 in `last` means to the end; first = last for one field */
    field_part part;
} field_range;
typedef struct field_list {
    size_t n;
    bool named; /* some field by the name that it has in an access log (logline.h) */
    field_range range[32];
} field_list;

/* Reads a LIST; false where it is none (0, unknown names, empty, more than 32 parts, a descending range of one
 * sign). */
bool field_list_parse(field_list *out, const char *text);

/* A CR before the LF (not at the end of a file, and not with another terminator): warn keeps it and says so once a run,
 * when the first record of a file has one. */
typedef enum crlf_policy { CRLF_WARN, CRLF_KEEP, CRLF_STRIP } crlf_policy;

typedef struct input_options {
    const char *const *files; /* "-" is standard input; none means it too */
    size_t n_files;
    field_list fields;
    field_list weight; /* one field, or n = 0: the weight of the item, a whole number from 0 to 2^63-1 */
    bool real_weights; /* it is 0 or a decimal number from 2^-200 to 2^200 instead, in `real_weight` of the batch */
    field_list group;  /* one field, or n = 0: the group that the item belongs to */
    field_list time;   /* or n = 0: when the record came */
    instant_form time_form;
    bool log;              /* fields are those of an access log, see logline.h */
    const char *delimiter; /* between fields; NULL: runs of blanks and tabs, leading ones skipped */
    size_t delimiter_n;    /* 1 or more */
    char terminator;       /* of records: '\n', or 0 with -z */
    crlf_policy crlf;
    bool header;       /* the first record of each file is no item; consumer.header gets it */
    bool fold_case;    /* ASCII letters only */
    bool as_int;       /* items are decimal integers: hashed as the type BPK_I64 */
    bool strict;       /* the first bad record ends the run */
    size_t max_record; /* bytes; a longer one ends the run with the limit's exit code */
    unsigned threads;  /* 1: everything on the calling thread; N: workers, besides the reader and the calling thread */
    bool progress;     /* on standard error, from the first second, 5 times a second */
} input_options;

/* A sketch that was found where an input may be. */
typedef struct found_sketch {
    const char *file;   /* its name, or "standard input" */
    bpk_sketch *sketch; /* freed by input_close() */
} found_sketch;

typedef struct input input;

/* "standard input" for "-". */
const char *input_name(const char *path);
/* 0, or EXIT_USAGE with the message printed: "-" is among the files more than once. */
int input_once(const char *const *files, size_t n);

/* Opens and looks at every input. What is sketches, as bytes or as lines of base64, also compressed, is read here;
 * `env` is theirs, and its max_bytes also bounds the bytes of one such input. The strings and files of `o` must outlive
 * the input. Messages have been printed when it returns something other than 0, an exit code of exits.h: a damaged
 * sketch ends everything (4); an unreadable file is said and skipped, and only when nothing at all is left it is 2. */
int input_open(input **out, const input_options *o, const bpk_env *env);
void input_close(input *in);
const found_sketch *input_sketches(const input *in, size_t *n);
bool input_has_text(const input *in);      /* anything left to stream */
uint64_t input_bad_files(const input *in); /* those that could not be opened; input_run() counts them too */
/* The bytes read at once, 1 or more: for tests that want every boundary. */
void input_set_chunk(input *in, size_t bytes);

enum { BATCH_MAX = 4096 }; /* records */

/* At most BATCH_MAX records in input order. `item` is what was hashed: the record or its chosen fields, joined by the
 * delimiter (a blank with white space), case folded; of an integer its digits, 7 for +7 and 007. Bad records (field
 * missing, no integer, no weight, no time) are not in it. Never empty; everything that it points at is valid until the
 * call returns. */
typedef struct batch {
    size_t n;
    const void *const *item;
    const size_t *len;
    const uint64_t *hash;      /* NULL in a run without a hasher */
    const uint64_t *weight;    /* NULL: 1 each */
    const double *real_weight; /* NULL: they are whole */
    const uint64_t *time;      /* since 1970, as time_form counts; NULL: records do not say */
    const uint64_t *group;     /* the hashes of the groups' names; NULL: no groups */
    const void *const *group_name;
    const size_t *group_len;
    const void *const *record; /* without terminator; the CR of a stripped CRLF is not in it */
    const size_t *record_len;
} batch;

/* Both return 0, or an exit code that ends the run. `work` runs on several threads at once, each batch once, in any
 * order, with `worker` from 0 to threads-1; `drain` gets every batch on one thread, in input order, after its work.
 * Either may be NULL. When one of them ends the run, `drain` has got every batch before that one and none behind it. */
typedef struct consumer {
    void *ctx;
    int (*work)(void *ctx, unsigned worker, const batch *b);
    int (*drain)(void *ctx, const batch *b);
    /* With input_options.header, before the other records of the file; where its `drain` is called. NULL: it is left
     * out. */
    int (*header)(void *ctx, const char *file, const void *record, size_t len);
    /* What has been read is handed over, and the next bytes may take their time. Called where `drain` is; may be
     * NULL. */
    int (*pause)(void *ctx);
    /* Called where `drain` is, again and again, every few hundredths of a second while there is nothing to read; may be
     * NULL. With it a run that a signal ends tells what was bad, as one that ends by itself. */
    int (*idle)(void *ctx);
    /* May be NULL. How many of the coming records nobody is going to look at: while none of them can be bad they may be
     * passed over, at the speed of counting lines, and `passed` tells how many were. Then one thread does everything:
     * there is nothing to share. */
    uint64_t (*ahead)(void *ctx);
    int (*passed)(void *ctx, uint64_t records);
} consumer;

typedef struct input_report {
    uint64_t records; /* all, bad ones included; no headers */
    uint64_t bytes;   /* after decompression */
    uint64_t bad_records;
    uint64_t bad_files;
} input_report;

/* Streams every text input, once. Returns 0, a consumer's code, or an exit code whose message has been printed. A file
 * that fails midway is said and counted; its records before that stay, the one that was cut off does not. What was bad
 * is said once, at the end, on standard error; the verb turns bad_records and bad_files into its exit code. Without a
 * hasher (NULL) there are no hashes; it is needed where there are integers or groups. */
int input_run(input *in, const bpk_hasher *h, const consumer *c, input_report *report);

#endif
