/* replay.c - runs a fuzzer's function over the files of the directories given, one by one: the corpus as a test. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t n = 0, got;
    if (!f) {
        perror(path);
        return 1;
    }
    do {
        bytes = realloc(bytes, n + 65536);
        if (!bytes) abort();
        got = fread(bytes + n, 1, 65536, f);
        n += got;
    } while (got > 0);
    fclose(f);

    /* An allocation of the exact size, so that a sanitizer sees the first byte read past the end. */
    uint8_t *exact = realloc(bytes, n ? n : 1);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 0;
}

static int replay_directory(const char *path, size_t *files) {
    DIR *d = opendir(path);
    char name[4096];
    int bad = 0;
    if (!d) {
        perror(path);
        return 1;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        bad |= replay_file(name);
        ++*files;
    }
    closedir(d);
    return bad;
}

int main(int argc, char **argv) {
    size_t files = 0;
    int bad = 0;
    for (int i = 1; i < argc; i++) bad |= replay_directory(argv[i], &files);
    printf("%zu files replayed\n", files);
    return bad || files == 0; /* a corpus that is not there proves nothing */
}
