/* interval.c - layer 1: limits of a share that is known from a sample. */
#include "interval.h"

#include <math.h>

void bpki_wilson(double share, double n, double z, double *lower, double *upper) {
    double z2 = z * z / n, middle = (share + z2 / 2) / (1 + z2);
    double half = z / (1 + z2) * sqrt(share * (1 - share) / n + z2 / (4 * n));
    *lower = middle - half;
    *upper = middle + half;
}

double bpki_share_error(double n, double z) {
    return fmin(1, z / (2 * sqrt(n)) + 1 / (2 * n));
}

bpk_estimate bpki_share(uint64_t in, uint64_t all, double sampled, double confidence) {
    double c = bpki_confidence(confidence), z = bpki_z(c);
    if (all == 0) return (bpk_estimate){0.5, 0, 1, c, BPK_NO_POINT};
    double p = (double)in / (double)all;
    if (sampled >= 1) return (bpk_estimate){p, p, p, c, BPK_EXACT};
    double lower, upper;
    bpki_wilson(p, (double)all / (1 - sampled), z, &lower, &upper);
    uint32_t flags = in == 0 || in == all ? BPK_ONE_SIDED : 0;
    lower = in == 0 ? 0 : fmax(0, fmin(p, lower));
    upper = in == all ? 1 : fmin(1, fmax(p, upper));
    return (bpk_estimate){p, lower, upper, c, flags};
}
