/* domain.c - which hash items get: hash, seed or secret key, and type of value. */
#define _GNU_SOURCE
#include "domain.h"

#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a key file that nobody else can read. */
static int read_key(const char *file, uint8_t key[16]) {
    char text[128];
    struct stat st;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return say(EXIT_USAGE, file, "%s", strerror(errno));
    ssize_t n = fstat(fd, &st) == 0 ? read(fd, text, sizeof text) : -1;
    int why = errno;
    close(fd);
    if (n < 0) return say(EXIT_USAGE, file, "%s", strerror(why));
    if (st.st_mode & 077)
        return say(EXIT_USAGE, file, "the key is open to others: its mode is %04o, expected 0600",
                   (unsigned)st.st_mode & 07777);
    if (bpk_parse_key(text, (size_t)n, key) != BPK_OK)
        return say(EXIT_USAGE, file, "not a key: expected 32 hex digits");
    return 0;
}

static const char *type_text(uint8_t type) {
    static const char *const names[] = {"bytes", "int", "double"};
    return type < 3 ? names[type] : "unknown";
}

/* Refuses options that contradict the domain of a sketch. */
static int check_options(const options *o, const bpk_domain *d, const char *file) {
    uint8_t type = o->in.as_int ? BPK_I64 : BPK_BYTES;
    if (d->type == BPK_F64)
        return say(EXIT_SKETCH, file, "does not fit: type is %s there, and records are no doubles", "double");
    if (o->as_given && type != d->type)
        return say(EXIT_SKETCH, file, "does not fit: type is %s there and %s by --as", type_text(d->type),
                   type_text(type));
    if (o->key_file && !d->secret)
        return say(EXIT_SKETCH, file, "does not fit: hash has a public seed there and a key by --key-file");
    if (!d->secret && o->seed_given && o->hash_seed != d->seed)
        return say(EXIT_SKETCH, file, "does not fit: seed is %" PRIu64 " there and %" PRIu64 " by --hash-seed", d->seed,
                   o->hash_seed);
    if (d->secret && o->seed_given)
        return say(EXIT_SKETCH, file, "does not fit: hash has a key there and a seed by --hash-seed");
    if (d->secret && !o->key_file)
        return say(EXIT_SKETCH, file, "was made with a secret key: items need --key-file with that key");
    return 0;
}

static bpk_domain asked_domain(const options *o) {
    bpk_domain d = {.hash = BPK_HASH_XXH3, .type = o->in.as_int ? BPK_I64 : BPK_BYTES, .seed = o->hash_seed};
    if (o->key_file) d = (bpk_domain){.hash = BPK_HASH_SIPHASH, .secret = 1, .type = d.type};
    return d;
}

int hasher_make(bpk_hasher *out, const options *o, const bpk_sketch *found, const char *file) {
    uint8_t key[16] = {0};
    int code = o->key_file ? read_key(o->key_file, key) : 0;
    if (code) return code;
    bpk_domain d = found ? *bpk_domain_of(found) : asked_domain(o);
    code = found ? check_options(o, &d, file) : 0;
    if (code) return code;
    bpk_err err;
    bpk_status st = bpk_hasher_init(out, &d, o->key_file ? key : NULL, &err);
    memset(key, 0, sizeof key);
    if (st == BPK_E_KEY) return say(EXIT_SKETCH, file, "was made with another key than the one in %s", o->key_file);
    return st == BPK_OK ? 0 : say_err(file, &err);
}
