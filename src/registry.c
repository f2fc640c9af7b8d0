/* registry.c - layer 3: the kinds of sketches that there are. To add one: its row here, its header in ballpark.h. */
#include "room.h"

extern const bpki_ops bpki_bloom_ops;
extern const bpki_ops bpki_cbloom_ops;
extern const bpki_ops bpki_cms_ops;
extern const bpki_ops bpki_cuckoo_ops;
extern const bpki_ops bpki_grow_ops;
extern const bpki_ops bpki_hll_ops;
extern const bpki_ops bpki_limit_ops;
extern const bpki_ops bpki_sample_ops;
extern const bpki_ops bpki_theta_ops;
extern const bpki_ops bpki_topk_ops;
extern const bpki_ops bpki_window_ops;

static const bpki_ops *const rows[] = {
    &bpki_bloom_ops, &bpki_cbloom_ops, &bpki_cms_ops,   &bpki_cuckoo_ops, &bpki_grow_ops,   &bpki_hll_ops,
    &bpki_limit_ops, &bpki_sample_ops, &bpki_theta_ops, &bpki_topk_ops,   &bpki_window_ops,
};

const bpki_ops *bpki_registry(size_t i) {
    return i < BPKI_COUNT(rows) ? rows[i] : NULL;
}

const bpki_ops *bpki_registry_named(const char *name) {
    for (size_t i = 0; i < BPKI_COUNT(rows); i++)
        if (strcmp(rows[i]->name, name) == 0) return rows[i];
    return NULL;
}

const bpki_ops *bpki_registry_for(const char *name, const bpki_params *ps) {
    const bpki_ops *ops = bpki_registry_named(name);
    bool chain = ops && ops->grows && strcmp(bpki_param_text(ps, "on_full", ""), "grow") == 0;
    return chain ? &bpki_grow_ops : ops;
}
