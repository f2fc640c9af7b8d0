/* volume.h - how much there is to read: about how many records lie in files, before they are read. */
#ifndef CLI_VOLUME_H
#define CLI_VOLUME_H

#include "input.h"

/* Whether all that is read lies in regular files. */
bool volume_in_files(const input_options *o);

/* About how many records the inputs hold: of each file its bytes by the mean length of the records that end in four
 * blocks of 16 KiB, spread evenly; one of 64 KiB or less is counted. false: it cannot be told, since one of them is no
 * regular file, compressed or not to be read. A function of the files alone; nothing is taken from standard input. */
bool volume_records(const input_options *o, double *records);

#endif
