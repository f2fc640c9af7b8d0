/* bloom_plan.h - layer 2, inside the room: from a configuration to the filter that meets it. */
#ifndef BPKI_BLOOM_PLAN_H
#define BPKI_BLOOM_PLAN_H

#include <ballpark/bloom.h>

#include "filter.h"

/* The field of a configuration that is out of range, or NULL. */
const char *bpki_bloom_fault(const bpk_bloom_config *cfg);
/* The smallest plan that meets a valid configuration. */
bpki_filter bpki_bloom_size(const bpk_bloom_config *cfg);

#endif
