/* interval.c - layer 1: limits of a share that is known from a sample. */
#include "interval.h"

#include <math.h>

bpk_estimate bpki_share(uint64_t in, uint64_t all, double sampled, double confidence) {
    double c = bpki_confidence(confidence), z = bpki_z(c);
    if (all == 0) return (bpk_estimate){0, 0, sampled < 1, c, BPK_NO_POINT};
    double p = (double)in / (double)all;
    if (sampled >= 1) return (bpk_estimate){p, p, p, c, BPK_EXACT};
    double n = (double)all / (1 - sampled), middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    uint32_t flags = in == 0 || in == all ? BPK_ONE_SIDED : 0;
    double lower = in == 0 ? 0 : fmax(0, fmin(p, middle - half));
    double upper = in == all ? 1 : fmin(1, fmax(p, middle + half));
    return (bpk_estimate){p, lower, upper, c, flags};
}
