/* ml.h - inside the hll room: from registers or tokens to an estimate with its interval. */
#ifndef BPKI_ML_H
#define BPKI_ML_H

#include "core.h"

/* histogram[r] = number of registers with byte value r, of 2^p registers with d window bits, every byte valid for (p,
 * d). */
bpk_estimate bpki_ml_registers(const uint32_t histogram[256], unsigned p, unsigned d, double confidence);

/* `count` different 26-bit tokens, whatever the precision. O(1). */
bpk_estimate bpki_ml_tokens(uint32_t count, double confidence);

/* Relative standard error of 2^p registers for n well above 2^p. */
double bpki_ml_standard_error(unsigned p, unsigned d);

#endif
