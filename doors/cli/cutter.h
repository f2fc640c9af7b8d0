/* cutter.h - from a chunk to batches: records, their fields, their hashes. */
#ifndef CLI_CUTTER_H
#define CLI_CUTTER_H

#include "fields.h"
#include "input.h"
#include "reader.h"
#include "split.h"

/* Memory of one batch. Arrays of items are made when the first item differs from its record. */
typedef struct store {
    batch b;
    const void **record, **item;
    size_t *record_len, *len;
    uint64_t *hash, *weight, *time; /* weight, time: NULL without */
    double *real_weight;            /* likewise */
    const void **group;
    size_t *group_len;
    uint64_t *group_hash;
    arena arena;
} store;

void store_free(store *s);

/* Why a record cannot be an item, or why the run ends at one. */
typedef enum fault { FAULT_NONE, FAULT_FIELD, FAULT_INTEGER, FAULT_WEIGHT, FAULT_TIME, FAULT_LONG, FAULT_MEMORY } fault;

/* What has become of a chunk. */
typedef struct cut_state {
    size_t at;        /* bytes that are cut */
    uint64_t records; /* up to `at`, or with the one of the fault */
    uint64_t no_field, no_integer, no_weight, no_time;
    bool saw_cr;        /* the first record of the file had a CR before its LF, and that is to be said */
    const void *header; /* NULL: none */
    size_t header_len;
    fault fault; /* ends the run, at the last of `records` */
} cut_state;

/* What one thread needs besides. */
typedef struct cutter {
    const input_options *o;
    const bpk_hasher *hasher;
    const split_kernels *split;
    size_t nth, weight_nth, group_nth, time_nth; /* the one field, where split.h can do it; otherwise 0 */
    size_t most;                                 /* records of a batch; 64 or more */
    field_picker picker;
    instant_reader times;
    uint8_t *bad;                          /* a fault for each record of the batch */
    const void **weight_item, **time_item; /* their texts; NULL where there is none */
    size_t *weight_len, *time_len;
} cutter;

bool cutter_init(cutter *k, const input_options *o, const bpk_hasher *h);
void cutter_free(cutter *k);

/* Takes the header off the first chunk of a file, where there is to be one; before its first batch. */
void cutter_header(cutter *k, const chunk *c, cut_state *state);

/* Passes over up to n records that nobody looks at; returns how many. None where they have to be looked at: for bad
 * ones and too long ones, and the first one of a file for its CR. */
uint64_t cutter_pass(cutter *k, const chunk *c, cut_state *state, uint64_t n);

/* Makes the next batch of a chunk in s->b; false when there is no more, or none because of state->fault. A batch may be
 * empty, when all its records were bad. */
bool cutter_next(cutter *k, const chunk *c, cut_state *state, store *s);

#endif
