/* limiter.c - a batch goes to a rate limiter in runs of records that come at one time.
 *
 * The probability that a new key is limited takes a look at every cell: it is asked for once in as many records as
 * there are cells, and at the end.
 */
#define _GNU_SOURCE
#include "limiter.h"

#include "answer.h"
#include "cmd.h"
#include "rate.h"
#include "volume.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

static const double FRESH_MOST = 0.01; /* health warns from there on, too */

void limiter_times(input_options *in) {
    in->time_form.micros = true;
}

static uint64_t clock_micros(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec > 0 ? (uint64_t)t.tv_sec * MICROS_A_SECOND + (uint64_t)t.tv_nsec / 1000 : 0;
}

static uint64_t ticks_of(const limiter *m, uint64_t micros) {
    assert(m->ticks >= 1 && m->ticks <= MICROS_A_SECOND); /* a new limit has a rate, a state has told it */
    return micros / (MICROS_A_SECOND / m->ticks);
}

double limiter_seconds(const limiter *m, uint64_t ticks) {
    return (double)ticks / (double)m->ticks;
}

/* ---- what a tick is ---- */

static int tell_ticks(limiter *m, bpk_sketch *s) {
    uint8_t bytes[8];
    m->ticks = m->o->ticks;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(m->ticks >> 8 * i);
    bpk_status st = bpk_meta_set(s, META_TICKS, bytes, sizeof bytes);
    return st == BPK_OK ? 0 : say_status(NULL, st);
}

static uint64_t told_ticks(const bpk_sketch *s) {
    size_t n;
    uint64_t v = 0;
    const uint8_t *bytes = bpk_meta_get(s, META_TICKS, &n);
    for (size_t i = 0; bytes && n == 8 && i < n; i++) v |= (uint64_t)bytes[i] << 8 * i;
    return v == 1 || v == 1000 || v == MICROS_A_SECOND ? v : 0;
}

static int learn_ticks(limiter *m, const bpk_sketch *s, const char *file) {
    m->ticks = told_ticks(s);
    if (!m->ticks) return say(EXIT_SKETCH, file, "does not fit: it does not say how many of its ticks are a second");
    if (m->o->rate && m->ticks != m->o->ticks)
        return say(EXIT_SKETCH, file, "does not fit: a second has %" PRIu64 " ticks there and %" PRIu64 " by --rate %s",
                   m->ticks, m->o->ticks, m->o->rate);
    return 0;
}

/* ---- when records come ---- */

static int check_clock(const limiter *m, const char *file) {
    const options *o = m->o;
    if (o->in.time.n) return 0;
    if (!file && volume_in_files(&o->in))
        return say(EXIT_USAGE, NULL,
                   "%s: files need --time FIELD, or a limit that is there already: what they hold comes in one moment",
                   o->verb->name);
    uint64_t clock = ticks_of(m, clock_micros());
    if (clock < m->now && !o->quiet)
        say(0, file, "the clock is %.9g s behind its time, which stands still until then",
            limiter_seconds(m, m->now - clock));
    return 0;
}

int limiter_start(limiter *m, const options *o, bpk_sketch *s, const char *file) {
    *m = (limiter){.o = o};
    if (!bpk_as_limit(s)) return 0;
    m->l = (bpk_limit *)s;
    m->now = bpk_limit_now(m->l);
    int code = file ? learn_ticks(m, s, file) : tell_ticks(m, s);
    return code ? code : check_clock(m, file);
}

/* Time that goes back stands still. */
static uint64_t come(limiter *m, uint64_t time) {
    if (time >= m->now) return m->now = time;
    m->late++;
    if (m->now - time > m->late_most) m->late_most = m->now - time;
    return m->now;
}

/* What is read at once comes at one time. */
static uint64_t time_of(const limiter *m, const batch *b, size_t i, uint64_t clock) {
    return ticks_of(m, b->time ? b->time[i] : clock);
}

/* ---- deciding ---- */

static void watch(limiter *m, size_t records) {
    bpk_limit_config made = bpk_limit_made_for(m->l);
    m->unwatched += records;
    if (m->unwatched < (uint64_t)made.width * made.depth) return;
    m->fresh = fmax(m->fresh, bpk_limit_fresh(m->l, m->now));
    m->unwatched = 0;
}

/* The end of the run that begins at `from`, whose time is now. */
static size_t run_of(limiter *m, const batch *b, size_t from, uint64_t clock) {
    size_t to = from;
    do come(m, time_of(m, b, to++, clock));
    while (to < b->n && time_of(m, b, to, clock) <= m->now);
    return to;
}

/* Nothing is taken at no cost, and that is always allowed. */
static void weigh(limiter *m, const batch *b, uint8_t *allowed) {
    bpk_limit_config made = bpk_limit_made_for(m->l);
    uint64_t most = made.method == BPK_LIMIT_WINDOWS ? made.limit : made.burst;
    for (size_t i = 0; i < b->n; i++) {
        m->never += b->weight[i] > most;
        if (allowed && !b->weight[i]) allowed[i] = 1;
    }
}

void limiter_take(limiter *m, const batch *b, uint8_t *allowed) {
    uint64_t clock = b->time ? 0 : clock_micros();
    for (size_t from = 0, to; from < b->n; from = to) {
        to = run_of(m, b, from, clock);
        bpk_items it = {.n = to - from, .hash = b->hash + from, .now = m->now};
        if (b->weight) it.weight = b->weight + from;
        bpk_add(bpk_limit_base(m->l), &it, allowed ? allowed + from : NULL, NULL); /* it cannot fail */
    }
    if (b->weight) weigh(m, b, allowed);
    watch(m, b->n);
}

static void decide(limiter *m, const batch *b, uint8_t *allowed, bpk_limit_reply *reply, bool takes) {
    uint64_t clock = b->time ? 0 : clock_micros();
    for (size_t i = 0; i < b->n; i++) {
        uint64_t cost = b->weight ? b->weight[i] : 1, now = come(m, time_of(m, b, i, clock));
        if (takes) bpk_limit_take(m->l, b->hash[i], cost, now, &reply[i]);
        else bpk_limit_peek(m->l, b->hash[i], cost, now, &reply[i]);
        allowed[i] = reply[i].allowed;
        m->never += reply[i].never;
    }
    watch(m, b->n);
}

void limiter_reply(limiter *m, const batch *b, uint8_t *allowed, bpk_limit_reply *reply) {
    decide(m, b, allowed, reply, true);
}

void limiter_peek(limiter *m, const batch *b, uint8_t *allowed, bpk_limit_reply *reply) {
    decide(m, b, allowed, reply, false);
}

/* ---- what is told ---- */

static double fresh_most(limiter *m) {
    m->fresh = fmax(m->fresh, bpk_limit_fresh(m->l, m->now));
    return m->fresh;
}

void limiter_note(limiter *m) {
    const char *name = m->o->verb->name;
    double most = FRESH_MOST;
    if (m->o->quiet || !m->l) return;
    bpk_tolerated(bpk_limit_base(m->l), &most);
    if (fresh_most(m) >= most)
        say(0, NULL, "%s: at times %.3g %% of keys that had done nothing were limited: a larger --bytes limits fewer",
            name, 100 * m->fresh);
    if (m->late)
        say(0, NULL,
            "%s: records that came before one in front of them, taken as if with it: %" PRIu64 ", by %.9g s at most",
            name, m->late, limiter_seconds(m, m->late_most));
    if (m->never) say(0, NULL, "%s: records that cost more than can ever be allowed at once: %" PRIu64, name, m->never);
}

void limiter_json(limiter *m, json_t *object) {
    json_object_set_new(object, "never", json_integer((json_int_t)m->never));
    json_object_set_new(object, "late", json_integer((json_int_t)m->late));
    json_object_set_new(object, "late_seconds_at_most", number_json(limiter_seconds(m, m->late_most), BPK_UNIT_NONE));
    json_object_set_new(object, "fresh_limited_at_most", number_json(fresh_most(m), BPK_UNIT_SHARE));
}
