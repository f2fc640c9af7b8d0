/* cost.c - cost FILE COMMAND...: runs a command with its output thrown away and appends "SECONDS KILOBYTES
 * ELAPSED" to FILE.
 *
 * Seconds of the processor, user and system, and the largest resident size of a process, both of the command and all
 * it waited for; last the seconds of the clock. */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double start = now();
    pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) _exit(126);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) < 0) return 2;
    double elapsed = now() - start;
    FILE *f = fopen(argv[1], "a");
    if (!f) return 2;
    fprintf(f, "%.4f %ld %.4f\n", seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss, elapsed);
    if (fclose(f) != 0) return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
