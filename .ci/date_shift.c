/* Shifts the wall clock of a process by DATE_SHIFT seconds, for tests on other days; monotonic clocks stay unchanged.
 *
 * libfaketime also shifts monotonic clocks, so that timed waits of the tests and of a browser never end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t shift(void) {
    const char *seconds = getenv("DATE_SHIFT");
    return seconds ? (time_t)atoll(seconds) : 0;
}

static int read_clock(clockid_t clock, struct timespec *found) {
    static int (*original)(clockid_t, struct timespec *);
    if (!original)
        original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = original(clock, found);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        found->tv_sec += shift();
    return code;
}

int clock_gettime(clockid_t clock, struct timespec *found) { return read_clock(clock, found); }

time_t time(time_t *out) {
    struct timespec found;
    read_clock(CLOCK_REALTIME, &found);
    if (out)
        *out = found.tv_sec;
    return found.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone) {
    struct timespec found;
    (void)zone;
    read_clock(CLOCK_REALTIME, &found);
    out->tv_sec = found.tv_sec;
    out->tv_usec = found.tv_nsec / 1000;
    return 0;
}
