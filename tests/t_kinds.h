/* t_kinds.h - what every kind of the registry promises: a new room adds one row to `rows`. */
#ifndef T_KINDS_H
#define T_KINDS_H

#include "t.h"

/* What a kind promises beside the questions that it answers. */
enum {
    HAS = 1,
    LISTS = 2,       /* rows */
    UNION = 4,       /* what is in changes nothing when it comes again */
    CERTAIN = 8,     /* the whole is known for sure: confidence 1 whatever was asked for */
    SPLITTABLE = 16, /* merged parts are the whole, byte for byte, in any order */
    STREAMS = 32,    /* what is to be merged draws from streams of its own, a twin too */
    NO_VIEW = 64,    /* form view is decoded like form small */
    REMOVES = 128,
    ALONE = 256, /* cannot be merged */
    NO_COUNT = 512
};

/* Parameters of a small sketch, a number of items that fits it, and its promises. */
typedef struct row {
    const char *kind;
    bpk_param param[4];
    size_t params;
    uint64_t items;
    unsigned promises;
} row;

static const row rows[] = {
    {"hll", {{"precision", "8"}}, 1, 30, UNION | SPLITTABLE},
    {"hll", {{"precision", "8"}}, 1, 5000, UNION | SPLITTABLE},
    {"hll", {{"precision", "12"}, {"window_bits", "0"}}, 2, 20000, UNION | SPLITTABLE},
    {"bloom", {{"items", "300"}}, 1, 250, HAS | UNION | SPLITTABLE},
    {"bloom", {{"items", "300"}, {"rate", "1e-5"}}, 2, 250, HAS | UNION | SPLITTABLE},
    {"bloom", {{"items", "300"}, {"layout", "classic"}}, 2, 250, HAS | UNION | SPLITTABLE},
    {"bloom", {{"items", "2000"}, {"generations", "1"}}, 2, 600, HAS | UNION},
    {"cbloom", {{"items", "300"}}, 1, 250, HAS | SPLITTABLE | REMOVES},
    {"cbloom", {{"items", "300"}, {"rate", "1e-5"}}, 2, 250, HAS | SPLITTABLE | REMOVES},
    {"cms", {{"width", "100"}, {"update", "plain"}}, 2, 3000, CERTAIN | SPLITTABLE},
    {"cms", {{"epsilon", "0.02"}, {"cell_bytes", "1"}}, 2, 3000, CERTAIN},
    {"cuckoo", {{"items", "600"}}, 1, 250, HAS | CERTAIN | REMOVES | ALONE},
    {"cuckoo", {{"items", "600"}, {"rate", "1%"}}, 2, 250, HAS | CERTAIN | REMOVES | ALONE},
    {"grow", {{"items", "300"}, {"rate", "1e-4"}}, 2, 90, HAS | UNION | NO_VIEW},
    {"grow", {{"items", "20"}, {"layers", "cuckoo"}}, 2, 250, HAS | CERTAIN | REMOVES | ALONE | NO_VIEW},
    {"limit", {{"limit", "1M"}, {"period", "60"}, {"width", "100"}}, 3, 3000, NO_COUNT},
    {"limit", {{"limit", "1M"}, {"period", "60"}, {"width", "100"}, {"method", "windows"}}, 4, 3000, NO_COUNT},
    {"theta", {{"k", "64"}}, 1, 50, UNION | SPLITTABLE},
    {"theta", {{"k", "64"}}, 1, 5000, UNION | SPLITTABLE},
    {"topk", {{"k", "3"}}, 1, 5000, LISTS | CERTAIN},
    {"topk", {{"k", "3"}, {"entries", "18"}, {"candidates", "8"}}, 3, 3000, LISTS | CERTAIN},
    {"sample", {{"k", "20"}}, 1, 3000, LISTS | CERTAIN | STREAMS | NO_VIEW},
    {"sample", {{"k", "50"}, {"weighted", "yes"}, {"seed", "9"}}, 3, 40, LISTS | CERTAIN | STREAMS | NO_VIEW},
    {"window", {{"of", "hll"}, {"span", "60"}, {"precision", "8"}}, 3, 5000, UNION | NO_VIEW},
    {"window", {{"of", "bloom"}, {"span", "9"}, {"panes", "1"}, {"items", "300"}}, 4, 250, HAS | UNION | NO_VIEW},
    {"window", {{"of", "sample"}, {"span", "5"}, {"k", "20"}}, 3, 3000, LISTS | CERTAIN | STREAMS | NO_VIEW},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static inline bool promises(const row *r, unsigned what) {
    return (r->promises & what) != 0;
}

#endif
