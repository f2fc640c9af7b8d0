/* memory.h - the command's memory: as the library's, with large blocks in large pages where the system has them. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <ballpark.h>

/* An environment that allows `max_bytes` an object. A filter of gigabytes is touched at random: with pages of 2 MiB a
 * touch costs one cache miss instead of two or three. */
bpk_env memory_env(uint64_t max_bytes);

#endif
