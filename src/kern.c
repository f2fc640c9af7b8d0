/* kern.c - chooses the kernels: the best that this processor runs, or those that were asked for by name. */
#include "kern.h"

#include <stdatomic.h>

/* NULL until the first use. Threads that meet here at once find the same answer, so that a relaxed store is enough: the
 * tables are constant. */
static _Atomic(const bpki_kernels *) chosen;

#if defined(__x86_64__)
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}
#endif

static bool always(void) {
    return true;
}

/* From plain to best. */
static const struct {
    bool (*runs)(void);
    const bpki_kernels *table;
} rows[] = {
    {always, &bpki_kernels_portable},
#if defined(__x86_64__)
    {has_avx2, &bpki_kernels_avx2},
#endif
};

/* The best row that runs here and has that name; NULL stands for any name. */
static const bpki_kernels *find(const char *name) {
    for (size_t i = BPKI_COUNT(rows); i-- > 0;) {
        const bpki_kernels *table = rows[i].table;
        if ((!name || strcmp(name, table->name) == 0) && rows[i].runs()) return table;
    }
    return NULL;
}

const bpki_kernels *bpki_kern(void) {
    const bpki_kernels *table = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (table) return table;
    table = find(NULL);
    atomic_store_explicit(&chosen, table, memory_order_relaxed);
    return table;
}

const char *bpk_kernels(void) {
    return bpki_kern()->name;
}

bpk_status bpk_kernels_use(const char *name) {
    const bpki_kernels *table = find(name);
    if (!table) return BPK_E_UNSUPPORTED;
    atomic_store_explicit(&chosen, table, memory_order_relaxed);
    return BPK_OK;
}
