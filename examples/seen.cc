// seen.cc - the same library from C++: a filter that tells newcomers from those seen before.
#include <ballpark.h>

#include <cstdio>
#include <memory>
#include <string>

struct Release {
    void operator()(bpk_sketch *s) const {
        bpk_free(s);
    }
};

int main() {
    bpk_sketch *made = nullptr;
    bpk_err err{};
    const bpk_param plan[] = {{"items", "1000"}, {"rate", "0.1%"}};
    if (bpk_new(&made, "bloom", nullptr, plan, 2, nullptr, &err) != BPK_OK) {
        char text[200];
        bpk_explain(&err, text, sizeof text);
        std::fprintf(stderr, "seen: %s\n", text);
        return 1;
    }
    std::unique_ptr<bpk_sketch, Release> filter(made);

    bpk_hasher hasher;
    if (bpk_hasher_init(&hasher, nullptr, nullptr, &err) != BPK_OK) return 1;
    for (const std::string name : {"ada", "grace", "ada"}) {
        uint64_t hash = bpk_hash(&hasher, name.data(), name.size());
        uint8_t changed = 0;
        bpk_items items{};
        items.n = 1;
        items.hash = &hash;
        if (bpk_add(filter.get(), &items, &changed, nullptr) != BPK_OK) return 1;
        std::printf("%s: %s\n", name.c_str(), changed ? "new" : "seen before");
    }
    return 0;
}
