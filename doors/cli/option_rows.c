/* option_rows.c - the option table: what each option is called, which verbs take it and what it sets.
 *
 * A row says everything about an option: names, argument, the verbs that take it, what it sets, the parameter of a
 * sketch that it stands for, its range and its help. Two rows may share a letter when no verb takes both, and a
 * parameter when owners[] names the kinds of sketch. The range of an option that takes one of some words is those
 * words; reader, help, manual and completions read them there.
 */
#include "option_rows.h"

#include "cmd.h"
#include "panes.h"
#include "rate.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_USUAL = 2 /* seconds */ };

static const char a_file[] = "the name of a file";

/* ---- setters ---- */

static void *member(options *o, const row *r) {
    return (char *)o + r->where;
}

static bool set_flag(options *o, const row *r, const char *value) {
    (void)value;
    *(bool *)member(o, r) = true;
    return true;
}

static bool set_text(options *o, const row *r, const char *value) {
    *(const char **)member(o, r) = value;
    return *value != 0;
}

static bool set_count(options *o, const row *r, const char *value) {
    return bpk_parse_count(value, member(o, r)) == BPK_OK;
}

static bool set_exact_limit(options *o, const row *r, const char *value) {
    o->exact_given = true;
    return set_count(o, r, value);
}

static bool set_mem(options *o, const row *r, const char *value) {
    return bpk_parse_bytes(value, member(o, r)) == BPK_OK && o->mem >= 4096;
}

static bool set_threads(options *o, const row *r, const char *value) {
    return set_count(o, r, value) && o->threads >= 1 && o->threads <= 256;
}

static bool set_max_record(options *o, const row *r, const char *value) {
    uint64_t n;
    (void)r;
    if (bpk_parse_bytes(value, &n) != BPK_OK || n == 0 || n > SIZE_MAX / 4) return false;
    o->in.max_record = (size_t)n;
    return true;
}

static size_t row_number(const row *r);

/* The last value of a parameter holds. */
static void put_param(options *o, const char *param, const char *value, size_t by) {
    size_t i = 0;
    while (i < o->n_params && strcmp(o->param[i].name, param) != 0) i++;
    assert(i < PARAMS_MAX); /* more than the table has parameters */
    o->param[i] = (bpk_param){param, value};
    o->given_by[i] = by;
    if (i == o->n_params) o->n_params++;
}

static bool set_param(options *o, const row *r, const char *value) {
    put_param(o, r->param, value, row_number(r));
    return true;
}

/* For build and plan the rows are a parameter of the sketch; top makes its sketch as it needs it. */
static bool set_rows(options *o, const row *r, const char *value) {
    if (o->verb->bit != V_TOP) return set_param(o, r, value);
    return set_count(o, r, value) && o->rows >= 1 && o->rows <= ROWS_MAX;
}

static bool set_top(options *o, const row *r, const char *value) {
    return set_count(o, r, value) && o->top >= 1 && o->top <= ROWS_MAX;
}

static bool set_min_count(options *o, const row *r, const char *value) {
    return set_count(o, r, value) && o->min_count >= 1;
}

/* A share above 0 and up to 1. */
static bool read_portion(const char *text, double *share) {
    return bpk_parse_share(text, share) == BPK_OK && *share > 0 && *share <= 1;
}

static bool set_portion(options *o, const row *r, const char *value) {
    return read_portion(value, member(o, r));
}

static bool set_fail_over(options *o, const row *r, const char *value) {
    (void)r;
    if (value) return read_portion(value, &o->fail_above);
    o->fail_over = true;
    return true;
}

static bool set_key(options *o, const row *r, const char *value) {
    (void)r;
    const char **more = realloc(o->key, (o->n_keys + 1) * sizeof *more);
    if (!more) return false;
    o->key = more;
    o->key[o->n_keys++] = value;
    return true;
}

static bool set_field(options *o, const row *r, const char *value) {
    (void)r;
    return field_list_parse(&o->in.fields, value);
}

static bool set_param_count(options *o, const row *r, const char *value, uint64_t from, uint64_t to) {
    uint64_t n;
    return bpk_parse_count(value, &n) == BPK_OK && n >= from && n <= to && set_param(o, r, value);
}

static bool set_number(options *o, const row *r, const char *value) {
    return set_param_count(o, r, value, 0, BPK_SAMPLE_K_MAX);
}

static bool set_generations(options *o, const row *r, const char *value) {
    return set_param_count(o, r, value, 1, BPK_BLOOM_GENERATIONS_MAX);
}

static bool set_groups(options *o, const row *r, const char *value) {
    if (o->verb->bit == V_DISTINCT) return set_count(o, r, value) && o->groups >= 1 && o->groups <= BPK_GROUPS_MAX;
    return set_param_count(o, r, value, 1, BPK_SAMPLE_GROUPS_MAX);
}

static bool read_one_field(field_list *list, const char *value) {
    return field_list_parse(list, value) && list->n == 1 && list->range[0].first == list->range[0].last;
}

static bool set_weight(options *o, const row *r, const char *value) {
    (void)r;
    o->in.real_weights = o->verb->bit == V_SAMPLE;
    return read_one_field(&o->in.weight, value);
}

static bool set_group(options *o, const row *r, const char *value) {
    (void)r;
    return read_one_field(&o->in.group, value);
}

/* The key is the item. */
static bool set_key_field(options *o, const row *r, const char *value) {
    (void)r;
    o->by_key = true;
    return field_list_parse(&o->key_field, value);
}

/* The number of a word in a range such as "lines, ws or log", from 1; 0: it is not there. */
static unsigned number_of_word(const char *range, const char *value) {
    const char *word;
    for (unsigned number = 1;; number++) {
        size_t n = option_word(&range, &word);
        if (n == 0) return 0;
        if (strlen(value) == n && memcmp(word, value, n) == 0) return number;
    }
}

static bool set_word(options *o, const row *r, const char *value) {
    return (*(unsigned *)member(o, r) = number_of_word(r->range, value)) != 0;
}

static bool set_word_param(options *o, const row *r, const char *value) {
    return number_of_word(r->range, value) && set_param(o, r, value);
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* One character of a delimiter, which may be written \t \0 \\ or \xHH; returns how many bytes it took, 0 for nonsense.
 * */
static size_t unescape(const char *text, char *out) {
    *out = text[0];
    if (text[0] != '\\') return 1;
    static const char known[] = "t\t0\0\\\\";
    for (size_t i = 0; i + 1 < sizeof known; i += 2)
        if (text[1] == known[i] && text[1]) {
            *out = known[i + 1];
            return 2;
        }
    int high = text[1] == 'x' ? hex_digit(text[2]) : -1;
    int low = high < 0 ? -1 : hex_digit(text[3]);
    if (low < 0) return 0;
    *out = (char)(high * 16 + low);
    return 4;
}

static bool set_delimiter(options *o, const row *r, const char *value) {
    (void)r;
    char *bytes = malloc(strlen(value) + 1);
    size_t n = 0, took = 1;
    for (; bytes && *value && took; value += took) took = unescape(value, &bytes[n++]);
    free((char *)(uintptr_t)o->in.delimiter);
    o->in.delimiter = bytes;
    o->in.delimiter_n = n;
    return bytes && n && took;
}

static bool set_null(options *o, const row *r, const char *value) {
    (void)r;
    (void)value;
    o->in.terminator = 0;
    return true;
}

/* 64 bits, decimal or 0x. */
static bool read_bits(const char *text, uint64_t *out) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    errno = 0;
    *out = strtoull(digits, NULL, hex ? 16 : 10);
    return *digits && !errno && digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] == 0;
}

static bool set_hash_seed(options *o, const row *r, const char *value) {
    (void)r;
    o->seed_given = true;
    return read_bits(value, &o->hash_seed);
}

static bool set_draw_seed(options *o, const row *r, const char *value) {
    (void)r;
    o->draws_seeded = true;
    return read_bits(value, &o->seed);
}

static bool set_stream(options *o, const row *r, const char *value) {
    (void)r;
    o->stream_given = true;
    return read_bits(value, &o->stream);
}

static bool set_probability(options *o, const row *r, const char *value) {
    (void)r;
    o->probability_given = true;
    return bpk_parse_share(value, &o->probability) == BPK_OK && o->probability <= 1;
}

bool option_percent(const char *text, double *share) {
    double v;
    if (bpk_parse_share(text, &v) != BPK_OK) return false;
    *share = strchr(text, '%') ? v : v / 100;
    return true;
}

static bool set_ci(options *o, const row *r, const char *value) {
    (void)r;
    o->ci = true;
    if (!value) return true;
    o->ci_given = true;
    double share;
    if (!option_percent(value, &share) || share < 0.5 - 1e-12 || share > 0.999999 + 1e-12) return false;
    o->confidence = share < 0.5 ? 0.5 : share > 0.999999 ? 0.999999 : share; /* 99.9999 / 100 is rounded */
    return true;
}

static bool set_window(options *o, const row *r, const char *value) {
    o->window = value;
    o->window_row = row_number(r);
    o->window_items = o->window_span = 0;
    if (span_parse(value, &o->window_span)) return o->window_span > 0;
    return bpk_parse_count(value, &o->window_items) == BPK_OK && o->window_items > 0;
}

/* A span of 0 says that there is to be none. */
void option_window(options *o) {
    if (!o->window) return;
    snprintf(o->window_text, sizeof o->window_text, "%" PRIu64, o->window_span);
    put_param(o, "span", o->window_text, o->window_row);
    if (o->window_items) put_param(o, "items", o->window, o->window_row);
    if (o->verb->bit == V_PLAN && !param_value(o, "generations")) put_param(o, "generations", "4", o->window_row);
}

static bool set_half_life(options *o, const row *r, const char *value) {
    uint64_t seconds;
    if (!span_parse(value, &seconds) || seconds == 0) return false;
    o->half_life = value;
    snprintf(o->half_life_text, sizeof o->half_life_text, "%" PRIu64, seconds);
    return set_param(o, r, o->half_life_text);
}

/* N/D, which is two parameters; the rate of a filter is a share. */
static bool set_rate(options *o, const row *r, const char *value) {
    uint64_t events, micros;
    if (o->verb->bit == V_BUILD && !strchr(value, '/')) return set_param(o, r, value);
    if (!rate_parse(value, &events, &micros)) return false;
    o->rate = value;
    o->rate_row = row_number(r);
    return true;
}

void option_rate(options *o) {
    uint64_t events, micros;
    if (!o->rate || !rate_parse(o->rate, &events, &micros)) return;
    o->ticks = rate_ticks(events, micros);
    snprintf(o->limit_text, sizeof o->limit_text, "%" PRIu64, events);
    snprintf(o->period_text, sizeof o->period_text, "%" PRIu64, micros / (MICROS_A_SECOND / o->ticks));
    put_param(o, "limit", o->limit_text, o->rate_row);
    put_param(o, "period", o->period_text, o->rate_row);
}

static bool set_burst(options *o, const row *r, const char *value) {
    return set_param_count(o, r, value, 1, BPK_LIMIT_BURST_MAX);
}

/* Of what does not rotate by itself: a time. */
static bool set_span(options *o, const row *r, const char *value) {
    return set_window(o, r, value) && o->window_span;
}

static bool set_panes(options *o, const row *r, const char *value) {
    return set_param_count(o, r, value, 1, BPK_WINDOW_PANES_MAX);
}

/* FIELD[:FORMAT]; the format is read when everything is. */
static bool set_time(options *o, const row *r, const char *value) {
    (void)r;
    char field[256];
    o->time_format = instant_format_in(value);
    size_t n = o->time_format ? (size_t)(o->time_format - value) - 1 : strlen(value);
    if (n >= sizeof field) return false;
    memcpy(field, value, n);
    field[n] = 0;
    return field_list_parse(&o->in.time, field);
}

static bool set_zone(options *o, const row *r, const char *value) {
    (void)r;
    o->tz = value;
    return zone_open(&o->in.time_form.zone, value);
}

static bool set_every(options *o, const row *r, const char *value) {
    (void)r;
    return span_parse(value, &o->every) && o->every >= 1 && o->every <= PANE_LONGEST;
}

static bool set_lateness(options *o, const row *r, const char *value) {
    (void)r;
    o->lateness_given = true;
    return span_parse(value, &o->lateness);
}

static bool set_wait(options *o, const row *r, const char *value) {
    (void)r;
    o->wait = INFINITY;
    if (!value) return true;
    return bpk_parse_share(value, &o->wait) == BPK_OK && !strchr(value, '%') && o->wait <= 1e9;
}

static bool set_live(options *o, const row *r, const char *value) {
    (void)r;
    o->live = LIVE_USUAL;
    if (!value) return true;
    return bpk_parse_share(value, &o->live) == BPK_OK && !strchr(value, '%') && o->live >= 0.1 && o->live <= 3600;
}

/* A flag that is a parameter. */
static bool set_param_flag(options *o, const row *r, const char *value) {
    (void)value;
    return set_param(o, r, "1");
}

/* ---- the table ---- */

#define AT(name) offsetof(options, name)

const row option_rows[] = {
    /* what a record and an item are */
    {"field", 'f', "LIST", V_RECORDS, set_field, 0, NULL,
     "1, 2-4, -1 or 1,3-: from 1, negative from the end; with --format log names too",
     "the item is these fields of the record, in this order"},
    {"format", 0, "FORMAT", V_RECORDS, set_word, AT(format), NULL, "lines, ws or log",
     "log: fields of an access log, see below; ws: as --ws (lines)"},
    {"weight", 'w', "FIELD", V_WEIGHTS & ~V_LIMIT, set_weight, 0, NULL, "one field, as of -f",
     "how often the item counts, a whole number (once); sample: how likely it is chosen"},
    {"weight", 'w', "FIELD", V_LIMIT, set_weight, 0, NULL, "one field, as of -f",
     "how many events the record is, a whole number (one); 0 passes and takes nothing"},
    {"delimiter", 'd', "STRING", V_RECORDS, set_delimiter, 0, NULL, "one byte or more, also \\t \\0 \\\\ \\xHH",
     "what stands between fields"},
    {"ws", 0, NULL, V_RECORDS, set_flag, AT(blanks), NULL, NULL,
     "runs of blanks and tabs stand between fields, as in awk (the default)"},
    {"null", 'z', NULL, V_RECORDS, set_null, 0, NULL, NULL, "records end with a zero byte instead of a newline"},
    {"ignore-case", 'i', NULL, V_RECORDS, set_flag, AT(in.fold_case), NULL, NULL,
     "A to Z are a to z in items; ASCII only"},
    {"crlf", 0, "HOW", V_RECORDS, set_word, AT(crlf), NULL, "keep or strip",
     "keep or strip a CR before the newline (kept, with one warning)"},
    {"as", 0, "TYPE", V_RECORDS, set_word, AT(as), NULL, "int or bytes",
     "items are integers: 7, +7 and 007 are one (bytes)"},
    {"strict", 0, NULL, V_RECORDS, set_flag, AT(in.strict), NULL, NULL,
     "stop at the first bad record with exit code 3"},
    {"max-record", 0, "SIZE", V_RECORDS, set_max_record, 0, NULL, "1 byte or more", "longest record (128M)"},
    {"threads", 'j', "N", V_RECORDS, set_threads, AT(threads), NULL, "1 to 256",
     "threads (one a processor; 1 for pipes); the answer does not depend on it"},
    {"mem", 0, "SIZE", V_RECORDS | V_MERGE | V_INFO, set_mem, AT(mem), NULL, "4k or more",
     "the most memory that one set or sketch may take (256M)"},
    {"hash-seed", 0, "N", V_RECORDS, set_hash_seed, 0, NULL, "0 to 2^64-1, decimal or 0x",
     "public seed of the hash; sketches with different seeds do not merge (0)"},
    {"key-file", 0, "FILE", V_RECORDS, set_text, AT(key_file), NULL, a_file,
     "secret key of the hash: 32 hex digits in a file with mode 0600"},
    /* what the sketch is */
    {"error", 0, "SHARE", V_DISTINCT | V_BUILD | V_PLAN, set_param, 0, "error",
     "a share from 0.0093% (--window-bits 0: 0.0127%) to under 100% (overlap: above 0)",
     "relative standard error: the smallest precision that meets it, 4 from 19.1% (26%) on"},
    {"precision", 0, "N", V_DISTINCT | V_BUILD, set_param, 0, "precision", "4 to 26", "2^N registers (14: 0.59 %)"},
    {"window-bits", 0, "N", V_DISTINCT | V_BUILD, set_word_param, 0, "window_bits", "0 or 2",
     "2 for UltraLogLog, 0 for HyperLogLog (2)"},
    {"exact-limit", 0, "N", V_DISTINCT | V_TOP | V_COUNT, set_exact_limit, AT(exact_limit), NULL, "0 or more",
     "count exactly up to N different items; 0 is never (100k, less when --mem is small)"},
    {"epsilon", 0, "SHARE", V_COUNT | V_BUILD | V_PLAN, set_param, 0, "epsilon",
     "a share such as 0.1%, between 6.4e-10 and 1",
     "of a cms: too much by more than this share of the total is rare (0.1%)"},
    {"delta", 0, "SHARE", V_COUNT | V_BUILD | V_PLAN, set_param, 0, "delta",
     "a share such as 1%, between 1.3e-14 (--sizing 2: 2.4e-10) and 1", "of a cms: how rare (1%)"},
    {"sizing", 0, "RULE", V_COUNT | V_BUILD, set_word_param, 0, "sizing", "e or 2",
     "of a cms: width e / epsilon and depth ln 1/delta, or with 2 and log2 (e)"},
    {"width", 0, "N", V_COUNT | V_BUILD, set_param, 0, "width", "1 to 2^32-1", "of a cms, of a limit: counters a row"},
    {"depth", 0, "N", V_COUNT | V_BUILD, set_param, 0, "depth", "1 to 32",
     "of a cms: rows (3 with --width); of a limit (4)"},
    {"bytes", 0, "SIZE", V_COUNT | V_BUILD, set_param, 0, "bytes", "3 counters or more",
     "of a cms: 3 rows that take as much memory; of a limit 4 rows (64k)"},
    {"rate", 0, "N/D", V_LIMIT | V_PLAN, set_rate, 0, "limit", rate_about, "so many events of a key in this time"},
    {"burst", 0, "N", V_LIMIT | V_BUILD, set_burst, 0, "burst", "1 to 2^30 events",
     "of a limit: so many at once, which come back at the rate (N of the rate)"},
    {"method", 0, "HOW", V_LIMIT | V_BUILD, set_word_param, 0, "method", "arrival or windows",
     "of a limit: windows estimates from the counts of two, may let too much pass (arrival)"},
    {"bytes", 0, "SIZE", V_LIMIT, set_param, 0, "bytes", "16 bytes or more", "memory for all keys, however many (64k)"},
    {"width", 0, "N", V_LIMIT, set_param, 0, "width", "1 to 2^32-1", "cells a row, instead of --bytes"},
    {"depth", 0, "N", V_LIMIT, set_param, 0, "depth", "1 to 32", "rows (4)"},
    {"cell-bytes", 0, "N", V_COUNT | V_BUILD, set_word_param, 0, "cell_bytes", "1, 2, 4 or 8",
     "of a cms: bytes of a counter, which stays at its end (4; with --half-life 8, or 4)"},
    {"update", 0, "RULE", V_COUNT | V_BUILD, set_word_param, 0, "update", "conservative or plain",
     "of a cms: conservative is closer, plain can be merged without loss (conservative)"},
    {"rows", 'n', "N", V_TOP | V_BUILD, set_rows, AT(rows), "k", "1 to 2^20", "how many rows (10)"},
    {"rows", 'n', "N", V_PLAN, set_param, 0, "k", "1 to 2^20, of sample to 2^24",
     "how many rows (10), or records of a sample (1000)"},
    {"candidates", 0, "N", V_TOP | V_BUILD, set_param, 0, "candidates", "0 (as planned) to 2^20",
     "of a topk: how many keys it keeps by name (twice the rows, 200 or more)"},
    {"entries", 0, "N", V_TOP | V_BUILD, set_param, 0, "entries", "0 (as planned) to 9 * 2^20",
     "of a topk: how many items it watches (10 a row, 576 or more)"},
    {"capacity", 0, "N", V_DEDUP | V_BUILD, set_param, 0, "items", "1 to 2^48", "planned number of items of a filter"},
    {"items", 0, "N", V_DEDUP | V_BUILD | V_PLAN, set_param, 0, "items", "1 to 2^48",
     "planned number of different items; of a filter the same as --capacity"},
    {"fpr", 0, "SHARE", V_DEDUP | V_BUILD | V_PLAN, set_param, 0, "rate",
     "a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5",
     "rate of false positives at the planned number"},
    {"rate", 0, "SHARE", V_DEDUP, set_param, 0, "rate",
     "a share such as 1%, from 1e-15 (an item 4.4e-19, growing 2.2e-18; cuckoo 0.012%) to 0.5", "the same as --fpr"},
    {"rate", 0, "RATE", V_BUILD, set_rate, 0, "rate", "a share, as of --fpr; or N/D such as 100/60s",
     "of a filter the same as --fpr; of a limit: so many events of a key in this time"},
    {"layout", 0, "NAME", V_DEDUP | V_BUILD, set_word_param, 0, "layout", "blocked or classic",
     "of a filter: blocked is faster, classic the textbook's (blocked)"},
    {"on-full", 0, "WHAT", V_DEDUP | V_BUILD, set_word_param, 0, "on_full", "error, degrade or grow",
     "from 150 % of the plan: stop, go on; or grow from 100 % on (error; --state: grow)"},
    {"window", 0, "W", V_DEDUP | V_BUILD | V_PLAN, set_window, 0, NULL,
     "items such as 1e6, or whole s, m, h, d or w: 90s, 24h, 7d, 2w; not under --generations",
     "a bloom rotates and remembers the last W items; or what came in the last W of time"},
    {"window", 0, "W", V_DISTINCT | V_TOP, set_span, 0, NULL, "whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w",
     "of what came in the last W of time, and up to a pane before it"},
    {"panes", 0, "N", V_DISTINCT | V_TOP | V_BUILD, set_panes, 0, "panes",
     "1 to 1024, and no more than the seconds of --window",
     "with --window, but of a bloom: in how many parts it is forgotten (60; distinct -g 12)"},
    {"generations", 0, "G", V_DEDUP | V_BUILD | V_PLAN, set_generations, 0, "generations", "1 to 16",
     "with --window: in how many parts it is forgotten; nothing is remembered for W (1 + 1/G) (4)"},
    {"seen", 0, "WHICH", V_DEDUP | V_BUILD, set_word_param, 0, "seen", "last or first",
     "with --window: the time of an item is when it came last, or when it came first (last)"},
    {"half-life", 0, "T", V_TOP | V_BUILD | V_PLAN, set_half_life, 0, "half_life",
     "whole numbers of s, m, h, d or w: 90s, 30m, 24h, 7d, 2w",
     "of a topk or cms: what came T ago counts half, 2 T ago a quarter"},
    {"every", 0, "SPAN", V_DISTINCT, set_every, 0, NULL,
     "whole numbers of s, m, h, d or w: 30s, 15m, 1h, 1d, 1w, up to 5300w",
     "a number for each pane of time; days and weeks by the calendar, weeks from Monday on"},
    {"lateness", 0, "SPAN", V_DISTINCT, set_lateness, 0, NULL, "whole numbers of s, m, h, d or w: 0s, 90s, 10m, 1h",
     "of --every: panes are printed when they are over for so long; what comes later is left out"},
    {"time", 0, "FIELD[:FORMAT]", V_DISTINCT | V_TOP | V_DEDUP | V_LIMIT | V_BUILD, set_time, 0, NULL,
     "fields, as of -f; s, ms, us, ns, iso, auto, or as of strptime: %Y-%m-%dT%H:%M:%S%z",
     "of --every, limit, windows, half-lives: when it came (auto: seconds since 1970, or as logs)"},
    {"tz", 0, "ZONE", V_DISTINCT | V_TOP | V_DEDUP | V_LIMIT | V_BUILD, set_zone, 0, NULL, zone_names,
     "with --time: where clocks are read that do not say it, and where panes begin (UTC)"},
    {"fingerprint-bits", 0, "N", V_BUILD, set_word_param, 0, "fingerprint_bits", "12 or 16",
     "of a cuckoo: 16 bits are wrong about 0.0116 % of strangers, 12 bits about 0.186 % (16)"},
    {"growth", 0, "X", V_PLAN, set_param, 0, "growth", "1 to 2^48; with --delete as far as --fpr lets it",
     "what it costs to grow to X times the plan"},
    {"delete", 0, NULL, V_PLAN, set_param_flag, 0, "delete", NULL, "items are to be removed again: cuckoo or cbloom"},
    {"state", 0, "FILE", V_DEDUP, set_text, AT(state), NULL, a_file,
     "a filter that remembers across runs; made when missing (planned by the files, at 1e-6)"},
    {"state", 0, "FILE", V_LIMIT, set_text, AT(state), NULL, a_file,
     "what keys have taken, remembered across runs; made when missing"},
    {"dry-run", 0, NULL, V_LIMIT, set_flag, AT(dry_run), NULL, NULL,
     "with --state: decide about each record as it is now, and take nothing"},
    {"wait", 0, "[=SECONDS]", V_DEDUP | V_HAS | V_BUILD | V_LIMIT, set_wait, 0, NULL, "0 to 1e9",
     "while another run uses the file that is to change: until it ends, or so long"},
    {"k", 0, "N", V_BUILD | V_SET, set_param, 0, "k", "16 to 2^24",
     "of a theta: items to sample; up to so many different ones it is exact (4096; set: 131072)"},
    {"total", 0, "N", V_PLAN, set_param, 0, "total", "1 to 2^62",
     "how much will be counted in all; with --half-life in each of them"},
    {"share", 0, "SHARE", V_PLAN, set_param, 0, "share", "a share such as 0.1%, from 3.1e-8 to under 1",
     "items with this share of the total are to be found (as many as the rows' plan finds)"},
    {"smaller", 0, "N", V_PLAN, set_param, 0, "smaller", "1 to 2^48", "different items of the smaller of two sets"},
    {"larger", 0, "N", V_PLAN, set_param, 0, "larger", "what --smaller says, to 2^48",
     "different items of the larger one (as many)"},
    {"overlap", 0, "SHARE", V_PLAN, set_param, 0, "overlap", "a share such as 1%, above 0 and up to 1",
     "how much of the smaller set is in both"},
    {"keys", 0, "N", V_PLAN, set_param, 0, "keys", "1 to 2^32-1 times the root of the root of --fresh",
     "of a limit: keys that use up their rate at one time"},
    {"fresh", 0, "SHARE", V_PLAN, set_param, 0, "fresh", "a share such as 1%, above 0 and up to 1",
     "of a limit: of keys that did nothing so many may be limited (1%)"},
    {"sketches", 0, "N", V_PLAN, set_param, 0, "sketches", "1 to 2^48", "how many of them there will be (1)"},
    /* what comes out */
    /* which records are chosen */
    {"number", 'n', "K", V_SAMPLE, set_number, 0, "k", "0 to 2^24", "choose so many records; of each group with -g"},
    {"probability", 'p', "SHARE", V_SAMPLE, set_probability, 0, NULL, "a share such as 1% or 0.001, from 0 to 1",
     "choose each record with this probability, while reading; with -k, this share of the keys"},
    {"key-field", 'k', "LIST", V_SAMPLE, set_key_field, 0, NULL, "fields, as of -f",
     "with -p: all records of the chosen keys, which are the same ones in every file and on every host"},
    {"group", 'g', "FIELD", V_SAMPLE, set_group, 0, NULL, "one field, as of -f",
     "with -n: so many of each group that this field names"},
    {"group", 'g', "FIELD", V_DISTINCT, set_group, 0, NULL, "one field, as of -f",
     "how many different ones in each group that this field names"},
    {"top", 0, "N", V_DISTINCT, set_top, AT(top), NULL, "1 to 2^20",
     "with -g: the N largest groups, in a bounded table"},
    {"groups", 0, "N", V_DISTINCT, set_groups, AT(groups), NULL, "1 to 2^24",
     "with -g: the most groups that the table holds (all that --mem allows; with --top 10000)"},
    {"groups", 0, "N", V_SAMPLE | V_PLAN, set_groups, 0, "groups", "1 to 2^20",
     "the most groups of their own; others share a pool (1000; plan: none)"},
    {"weighted", 0, "WORD", V_PLAN, set_param, 0, "weighted", "no or yes", "whether records have weights (no)"},
    {"record-bytes", 0, "SIZE", V_PLAN, set_param, 0, "record_bytes", "1 to 2^32-1", "bytes of a record (100)"},
    {"header", 'H', NULL, V_SAMPLE, set_flag, AT(in.header), NULL, NULL,
     "the first record of each file is a header: that of the first file is printed first"},
    {"seed", 0, "N", V_SAMPLE, set_draw_seed, 0, NULL, "0 to 2^64-1, decimal or 0x",
     "of the draws, so that the same records are chosen again (from the system)"},
    {"stream", 0, "N", V_SAMPLE, set_stream, 0, NULL, "0 to 2^64-1, decimal or 0x",
     "with --seed: another one for each part of the data, so that saved samples can be merged (0)"},
    {"shuffle", 0, NULL, V_SAMPLE, set_flag, AT(shuffle), NULL, NULL,
     "print in random order instead of that of the input"},
    {"min-share", 0, "SHARE", V_TOP, set_portion, AT(min_share), NULL,
     "a share such as 1% or 0.001, above 0 and up to 1",
     "every item that may have this share of the total, instead of 10 rows"},
    {"min-count", 0, "N", V_TOP, set_min_count, AT(min_count), NULL, "1 or more",
     "every item that may come so often, instead of 10 rows"},
    {"guaranteed", 0, NULL, V_TOP, set_flag, AT(guaranteed), NULL, NULL, "only rows that belong there for certain"},
    {"key", 'k', "KEY", V_COUNT, set_key, 0, NULL, "any text",
     "a key to ask for, instead of those of a file; repeatable"},
    {"count", 'c', NULL, V_DEDUP | V_HAS | V_LIMIT, set_flag, AT(only_count), NULL, NULL,
     "print how many instead of the records"},
    {"repeated", 'D', NULL, V_DEDUP, set_flag, AT(repeats), NULL, NULL,
     "print the repeats instead of the first occurrences"},
    {"invert", 'v', NULL, V_HAS, set_flag, AT(invert), NULL, NULL, "print the records that are not in the set"},
    {"invert", 'v', NULL, V_LIMIT, set_flag, AT(invert), NULL, NULL, "print the records that are limited instead"},
    {"remove", 0, NULL, V_HAS, set_flag, AT(remove), NULL, NULL,
     "take the records out of SET, a cuckoo or cbloom, and print those that were in it"},
    {"save", 0, "FILE", V_DISTINCT | V_TOP | V_SET | V_SAMPLE, set_text, AT(save), NULL, a_file,
     "write the sketch too; with - it goes to standard output and the answer to standard error"},
    {"output", 'o', "FILE", V_ALL & ~V_SELFTEST, set_text, AT(output), NULL, a_file,
     "write here instead of standard output; replaced as a whole at the end, or not at all"},
    {"append", 0, NULL, V_BUILD, set_flag, AT(append), NULL, NULL, "add to the sketch that is in the file of -o"},
    {"form", 0, "FORM", V_SKETCHES, set_word, AT(form), NULL, "small or view",
     "packed for storage, or raw for maps (small)"},
    {"base64", 0, NULL, V_SKETCHES, set_flag, AT(base64), NULL, NULL,
     "write the sketch as one line of base64; base64 -d turns it back"},
    {"label", 0, "TEXT", V_SKETCHES, set_text, AT(label), NULL, "not empty", "a note that travels with the sketch"},
    {"tolerate", 0, "SHARE", V_SKETCHES | V_DEDUP | V_LIMIT, set_portion, AT(tolerated), NULL,
     "a share such as 1% or 0.001, above 0 and up to 1",
     "store with the sketch the rate or error that is tolerated; health warns above it"},
    {"ci", 0, "[=PERCENT]", V_DISTINCT | V_TOP | V_COUNT | V_HAS | V_SET | V_SAMPLE, set_ci, 0, NULL, "50 to 99.9999",
     "print the interval too, at this confidence (95; top: none)"},
    {"json", 0, NULL, V_DISTINCT | V_TOP | V_COUNT | V_DEDUP | V_HAS | V_INFO | V_PLAN | V_SET | V_SAMPLE, set_flag,
     AT(json), NULL, NULL, "print JSON instead"},
    {"json", 0, NULL, V_LIMIT, set_flag, AT(json), NULL, NULL,
     "a line of JSON a record: allowed, what remains, when to come again; with -c the numbers"},
    {"csv", 0, NULL, V_DISTINCT | V_TOP | V_COUNT, set_flag, AT(csv), NULL, NULL, "print CSV with a header"},
    {"live", 0, "[=SECONDS]", V_DISTINCT | V_TOP, set_live, 0, NULL, "0.1 to 3600",
     "an answer every so often while records come (2): redrawn on a terminal, else a line of JSON"},
    {"check", 0, NULL, V_INFO, set_flag, AT(check), NULL, NULL,
     "exit with 1 when a sketch is not well: its health is not ok"},
    {"fail-over", 0, "[=SHARE]", V_INFO, set_fail_over, 0, NULL, "a share such as 1% or 0.001, above 0 and up to 1",
     "exit with 1 when the health of one is over; with SHARE, also when an error_now exceeds it"},
    {"quiet", 'q', NULL, V_ALL, set_flag, AT(quiet), NULL, NULL,
     "no notes on standard error; has and info print nothing at all"},
    {"verbose", 'v', NULL, V_DISTINCT | V_TOP | V_COUNT | V_DEDUP | V_BUILD | V_SET | V_SAMPLE, set_flag, AT(verbose),
     NULL, NULL, "say on standard error what was read and how it was answered"},
    {"progress", 0, NULL, V_RECORDS, set_flag, AT(in.progress), NULL, NULL,
     "show progress on standard error (the default on a terminal)"},
    {"no-progress", 0, NULL, V_RECORDS, set_flag, AT(no_progress), NULL, NULL, "never show it"},
    {"help", 'h', NULL, V_ALL | V_COMPLETIONS, set_flag, AT(help), NULL, NULL, "print help"},
};
enum { ROWS = sizeof option_rows / sizeof *option_rows };
static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_ROWS_MAX, "the reader has no room for more");
const size_t option_rows_n = ROWS;

/* ---- what others see of it ---- */

static size_t row_number(const row *r) {
    return (size_t)(r - option_rows);
}

static bool takes_word(const row *r) {
    return r->set == set_word || r->set == set_word_param;
}

bool option_optional(const row *r) {
    return r->arg && r->arg[0] == '[';
}

const row *option_of_letter(int letter, unsigned bit) {
    const row *found = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        if (option_rows[i].letter != letter || !letter) continue;
        if (option_rows[i].verbs & bit) return &option_rows[i];
        if (!found) found = &option_rows[i];
    }
    return found;
}

size_t option_word(const char **range, const char **word) {
    static const char separators[] = ", ";
    for (;;) {
        *word = *range + strspn(*range, separators);
        size_t n = strcspn(*word, separators);
        *range = *word + n;
        if (n != 2 || memcmp(*word, "or", n) != 0) return n;
    }
}

bool option_at(size_t i, option_about *out) {
    if (i >= ROWS) return false;
    const row *r = &option_rows[i];
    *out = (option_about){.name = r->name, .letter = r->letter, .arg = r->arg, .verbs = r->verbs, .help = r->help};
    out->range = r->range == a_file ? NULL : r->range;
    out->file = r->range == a_file;
    out->words = takes_word(r);
    out->optional = option_optional(r);
    out->repeatable = r->set == set_key;
    return true;
}

/* The kinds of options whose parameters have one name. */
static const struct { const char *option, *kind; } owners[] = {{"rows", "topk"}, {"k", "theta"}};

static bool is_of(const row *r, const char *kind) {
    for (size_t i = 0; kind && i < sizeof owners / sizeof *owners; i++)
        if (strcmp(owners[i].option, r->name) == 0) return strcmp(owners[i].kind, kind) == 0;
    return true;
}

const char *option_of_param(unsigned bit, const char *kind, const char *param, const char **range) {
    const row *found = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &option_rows[i];
        if (!(r->verbs & bit) || !r->param || strcmp(r->param, param) != 0) continue;
        if (!found || (is_of(r, kind) && !is_of(found, kind))) found = r;
    }
    if (found) *range = found->range;
    return found ? found->name : NULL;
}

bool option_giving(option_given *out, const options *o, const char *param) {
    for (size_t i = 0; i < o->n_params; i++) {
        if (strcmp(o->param[i].name, param) != 0) continue;
        const row *r = &option_rows[o->given_by[i]];
        bool span = r->set == set_window || r->set == set_span;
        const char *value = o->param[i].value, *text = span ? o->window : value;
        bool events = value == o->limit_text || value == o->period_text;
        *out = (option_given){r->name, r->set == set_half_life ? o->half_life : events ? o->rate : text, r->range};
        return true;
    }
    return false;
}

const char *option_of_other_kind(const options *o, const char *kind) {
    for (size_t i = 0; i < o->n_params; i++)
        if (!is_of(&option_rows[o->given_by[i]], kind)) return option_rows[o->given_by[i]].name;
    return NULL;
}
