/* ballpark.h - probabilistic data structures whose answers carry their bounds: the one header that users and doors
 * include.
 *
 *   base.h    status, error detail, environment (allocator and limit), estimates
 *   param.h   numbers as people write them
 *   hash.h    items become 64-bit hashes; the domain that says how; the batch that every sketch takes
 *   sketch.h  what every kind of sketch can do: life cycle, add, merge, bytes and back, questions, info, health
 *   exact.h   the exact set that doors use while the input is small; tally.h the exact map from key to count
 *   groups.h  a sketch for each group; which groups have most?
 *   file.h    sketches in files: atomic save, map, read
 *   hll.h     how many different items?
 *   bloom.h   has this item been seen before?
 *   cuckoo.h  has this item been seen before, and not been removed since?
 *   cbloom.h  has it been seen before, and not been removed again?
 *   grow.h    the same, however many there will be
 *   cms.h     how often did this item come?
 *   topk.h    which items come most often?
 *   limit.h   may this key go on, or has it come too often?
 *   theta.h   how many items are in both of two sets, in one alone, in either?
 *   sample.h  what do some of them look like?
 *   window.h  any of these over the last so much time
 *
 * One handle belongs to one thread at a time, also for questions: an answer may refresh what the handle remembers.
 * Different handles are independent, and views of the same bytes are too.
 */
#ifndef BALLPARK_H
#define BALLPARK_H

#include <ballpark/base.h>
#include <ballpark/bloom.h>
#include <ballpark/cbloom.h>
#include <ballpark/cms.h>
#include <ballpark/cuckoo.h>
#include <ballpark/exact.h>
#include <ballpark/file.h>
#include <ballpark/groups.h>
#include <ballpark/grow.h>
#include <ballpark/hash.h>
#include <ballpark/health.h>
#include <ballpark/hll.h>
#include <ballpark/limit.h>
#include <ballpark/param.h>
#include <ballpark/plan.h>
#include <ballpark/sample.h>
#include <ballpark/sketch.h>
#include <ballpark/tally.h>
#include <ballpark/theta.h>
#include <ballpark/topk.h>
#include <ballpark/window.h>

#endif
