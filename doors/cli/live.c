/* live.c - when an answer is due, and where it goes. */
#define _GNU_SOURCE
#include "live.h"

#include "answer.h"
#include "interrupt.h"
#include "screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void live_begin(live *l, const options *o, int (*print)(void *ctx), void *ctx) {
    *l = (live){.o = o, .print = print, .ctx = ctx, .next = now_seconds() + o->live};
}

bool live_on(const live *l) {
    return l->o && l->o->live > 0;
}

/* Ticks that were missed are left out, and half of the time at least is left for reading. */
static double next_after(const live *l, double began) {
    double now = now_seconds(), every = l->o->live;
    double next = l->next + every * ceil(fmax(now - l->next, 0) / every + 1e-9);
    return fmax(next, now + (now - began));
}

int live_tick(live *l) {
    double now = live_on(l) ? now_seconds() : 0;
    if (!live_on(l) || now < l->next || interrupted()) return 0;
    if (l->o->on_screen) screen_begin();
    int code = l->print(l->ctx);
    if (l->o->on_screen) screen_show();
    l->next = next_after(l, now);
    return code;
}

int live_read(const live *l, int code) {
    return live_on(l) && interrupted() && code == interrupt_code(0) ? 0 : code;
}

void live_end(live *l) {
    l->last = true;
    if (live_on(l)) screen_clear();
}

int live_exit(const live *l, int code) {
    return live_on(l) ? interrupt_code(code) : code;
}

void live_head(const live *l, const input_report *r, const coverage *c) {
    char text[COVERS_TEXT_MAX + 64], covers[COVERS_TEXT_MAX] = "";
    if (!screen_begun() || !live_on(l)) return;
    if (c) coverage_text(covers, l->o, c);
    snprintf(text, sizeof text, "%" PRIu64 " records%s%s\n", r->records, c ? ", " : "", covers);
    screen_put(text, strlen(text));
}

void live_json(const live *l, json_t *object) {
    if (live_on(l)) json_object_set_new(object, "final", json_boolean(l->last));
}
