/* rate.h - "100/60s": so many events in so much time. */
#ifndef CLI_RATE_H
#define CLI_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum { MICROS_A_SECOND = 1000000 };

/* N/D: N events, 1 to 2^48, in D, a whole number of microseconds up to 2^53: "5/2m", "100/s", "1/0.5s". False for
 * anything else. */
bool rate_parse(const char *text, uint64_t *events, uint64_t *micros);

/* In how many ticks a second a limiter of that rate counts: the most of 1000000, 1000 and 1 in which it rounds nothing
 * for bursts of up to eight times N, and of which a hundred or more are between two events; 1000000 where there are
 * none. */
uint64_t rate_ticks(uint64_t events, uint64_t micros);

/* What rate_parse() reads, for messages. */
extern const char rate_about[];

#endif
