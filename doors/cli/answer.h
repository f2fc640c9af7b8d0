/* answer.h - answers and fields of sketches as people and programs read them: plain, JSON, CSV. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "output.h"

#include <jansson.h>

typedef struct answer {
    const char *method; /* "exact" or the kind of the sketch */
    bpk_estimate value;
    unsigned unit; /* of the value: BPK_UNIT_ITEMS or BPK_UNIT_SHARE */
    input_report report;
    double seconds;
} answer;

/* The answer as an object, to which a verb may add what it knows besides. */
json_t *answer_json(const answer *a);

/* One answer in the format that the options ask for, where they ask for it; a verb that says more in JSON gives that
 * object, which is freed, others NULL. Returns an exit code. */
int answer_print(const options *o, const answer *a, json_t *json);

/* What a terminal and --verbose get besides. */
void answer_note(const options *o, const answer *a);

/* Unless --quiet: why there is no point but an interval alone, with how many items of the sample it is known from. */
void say_no_point(const options *o, const bpk_estimate *e, double matches);

/* "949888", and with `ci` its limits: "949888 (95 %: 934640 to 965136)". Where only the interval means something it is
 * the interval: "0..21980". */
enum { ANSWER_TEXT_MAX = 160 };
void answer_text(char text[ANSWER_TEXT_MAX], const bpk_estimate *e, unsigned unit, bool ci);

/* Counts are whole: the point is rounded, the limits go outwards. */
bpk_estimate whole(const bpk_estimate *e);
/* Counts that decay have a fraction: the same in thousandths. Others are whole. */
bpk_estimate whole_or_decayed(const bpk_estimate *e, bool decays);
enum { COUNT_TEXT_MAX = 32 };
const char *weight_text(char text[COUNT_TEXT_MAX], double v); /* three places, or none where they are 0 */
bool sketch_decays(const bpk_sketch *s);

/* No more than what is known to be the most. */
void estimate_at_most(bpk_estimate *e, double most);

/* As an upper limit: none is known. It is 2^64. */
extern const double no_limit;

/* A new object with tool, version and schema. */
json_t *json_start(void);
/* Any bytes as a string: what is not UTF-8 shows as \xHH. */
json_t *json_bytes(const void *bytes, size_t n);
json_t *number_json(double v, unsigned unit); /* null for no_limit */
void number_text(char *text, size_t cap, double v, unsigned unit);
json_t *flags_json(uint32_t flags);
/* The same names, joined by blanks. */
void flags_text(char *text, size_t cap, uint32_t flags);
/* Members that answers share: estimate (null where only the limits mean something), lower, upper; with confidence,
 * exact, flags; what was read. */
void set_limits(json_t *j, const bpk_estimate *e, unsigned unit);
void set_estimate(json_t *j, const bpk_estimate *e, unsigned unit);
void set_report(json_t *j, const input_report *r, double seconds);
/* Sets "key", which is null for NULL, or "key_base64" where the bytes are no UTF-8. */
void set_key(json_t *object, const void *key, size_t n);
/* As a field of CSV (RFC 4180), in quotes where it needs them. */
void csv_key(output *out, const void *key, size_t n);
/* The object as one line; frees it. */
void json_put(output *out, json_t *object);

/* Every field of bpk_info() and bpk_health(), with file, label and health, as a table or as an object. */
bpk_state describe_table(output *out, const char *file, const bpk_sketch *s);
bpk_state describe_json(json_t *object, const char *file, const bpk_sketch *s);

/* The field of that name; false where the kind has none. */
bool sketch_number(const bpk_sketch *s, const char *name, double *out);
bool sketch_text(const bpk_sketch *s, const char *name, char *text, size_t cap);

/* Seconds of a clock that only goes forward. */
double now_seconds(void);

#endif
