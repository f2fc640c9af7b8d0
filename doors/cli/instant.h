/* instant.h - when a record came, as records say it. */
#ifndef CLI_INSTANT_H
#define CLI_INSTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What instant_parse() reads, for messages. */
extern const char instant_forms[];

/* Whole seconds since 1970 in UTC, up to 2^53: written as such, with or without a fraction, which is cut off, or as
 * access logs write it, 10/Oct/2000:13:55:36 -0700. False for anything else, and for what is before 1970. */
bool instant_parse(const void *text, size_t n, uint64_t *seconds);

#endif
