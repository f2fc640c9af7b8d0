/* bloom_plan.h - layer 2, inside the room: from a configuration to the filter that meets it. */
#ifndef BPKI_BLOOM_PLAN_H
#define BPKI_BLOOM_PLAN_H

#include <ballpark/bloom.h>

#include "filter.h"

/* The field of a configuration that is out of range, or NULL. */
const char *bpki_bloom_fault(const bpk_bloom_config *cfg);
/* The smallest plan that meets a valid configuration; of one with generations, the plan of each. */
bpki_filter bpki_bloom_size(const bpk_bloom_config *cfg);

/* Items and rate of a generation: those of the whole where there are none. */
uint64_t bpki_bloom_generation_items(const bpk_bloom_config *cfg);
double bpki_bloom_generation_rate(const bpk_bloom_config *cfg);

/* The rate at which a generation is closed: the plan's, or where chance alone may come to more, what is beyond it. */
double bpki_bloom_close_at(const bpki_filter *generation);
/* The rate of n generations that have one each. */
double bpki_bloom_any_of(double rate, unsigned n);

/* The time that a generation of a span takes, rounded up. */
uint64_t bpki_bloom_slot(uint64_t span, uint8_t generations);

/* Bytes behind the lines: the time, and what was added to each generation since when. */
uint64_t bpki_bloom_state_bytes(uint8_t generations);

#endif
