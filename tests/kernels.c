/* kernels.c - linked into every test: BPK_KERNELS in the environment chooses the kernels before main.
 *
 * The command reads it too; the library itself never reads the environment. */
#include <ballpark/base.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void choose_kernels(void) {
    const char *name = getenv("BPK_KERNELS");
    if (!name || !*name || bpk_kernels_use(name) == BPK_OK) return;
    fprintf(stderr, "no kernels of the name %s here\n", name);
    exit(77); /* CTest: skipped */
}
