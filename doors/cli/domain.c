/* domain.c - which hash items get: hash, seed or secret key, and type of value. */
#define _GNU_SOURCE
#include "domain.h"

#include "cmd.h"
#include "fit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
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
    code = found ? domain_fits(o, &d, file) : 0;
    if (code) return code;
    bpk_err err;
    bpk_status st = bpk_hasher_init(out, &d, o->key_file ? key : NULL, &err);
    explicit_bzero(key, sizeof key);
    if (st == BPK_E_KEY) return say(EXIT_SKETCH, file, "was made with another key than the one in %s", o->key_file);
    return st == BPK_OK ? 0 : say_err(file, &err);
}

static int system_bits(void *out, size_t n) {
    if (getrandom(out, n, 0) == (ssize_t)n) return 0;
    return say(EXIT_USAGE, NULL, "no random seed: %s", strerror(errno));
}

int draw_source(const options *o, uint64_t *seed, uint64_t *stream) {
    uint64_t drawn[2] = {o->seed, o->stream};
    int code = o->draws_seeded ? 0 : system_bits(drawn, sizeof drawn);
    *seed = drawn[0];
    *stream = drawn[1];
    return code;
}

int hasher_private(bpk_hasher *out, const options *o) {
    options own = *o;
    int code = o->seed_given || o->key_file ? 0 : system_bits(&own.hash_seed, sizeof own.hash_seed);
    return code ? code : hasher_make(out, &own, NULL, NULL);
}
