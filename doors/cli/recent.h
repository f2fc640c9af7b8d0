/* recent.h - windows of the library, any kind over the last so much time, as the command makes and shows them. Their
 * ticks are seconds since 1970.
 */
#ifndef CLI_RECENT_H
#define CLI_RECENT_H

#include "options.h"

#include <jansson.h>

enum { KIND_TEXT_MAX = 32 };

/* What a sketch is, or what the panes of a window are. */
void inner_kind(char text[KIND_TEXT_MAX], const bpk_sketch *s);

/* "topk", or "window of topk". */
void whole_kind(char text[KIND_TEXT_MAX], const bpk_sketch *s);

/* Whether --window asks for a ring of panes of this kind: a bloom rotates by itself. */
bool asks_for_panes(const options *o, const char *kind);

/* Refuses --window of a kind that no panes are made of, and one of a number of items. 0 or an exit code, with the
 * message printed. */
int panes_of(const options *o, const char *kind);

/* Refuses --window and --half-life where files of text are read and nothing says when records came. */
int check_times_of_files(const options *o);

/* A sketch of its own of all panes that a window holds. 0 or an exit code, with the message printed. */
int window_view(bpk_sketch **out, const bpk_sketch *window, const char *file);

/* Which time an answer covers: of a window, with how many records came too late for it. */
typedef struct coverage {
    uint64_t span, pane, from, to, late;
    uint32_t panes;
    bool timed; /* it has a time */
} coverage;
coverage coverage_of(const bpk_sketch *window, uint64_t late);
/* The same of a window like this one at another time. */
void coverage_at(coverage *c, uint64_t now);

/* Members of an answer: window, panes, window_from, window_to, late_records. */
void coverage_json(json_t *object, const options *o, const coverage *c);

/* For a terminal and --verbose what the answer covers; unless --quiet, how many records were late. */
void coverage_note(const options *o, const coverage *c);

/* "2026-12-01T06:00:00+00:00 to 2026-12-01T06:05:00+00:00", or "no time". */
enum { COVERS_TEXT_MAX = 96 };
void coverage_text(char text[COVERS_TEXT_MAX], const options *o, const coverage *c);

#endif
