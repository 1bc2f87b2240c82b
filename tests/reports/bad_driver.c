/* A driver with one platform and one device. BAD_DRIVER, or else HOW, selects how it misbehaves, mostly in clReleaseDevice. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *table[256];
static struct { void **dispatch; } platform = {table}, device = {table};

static int copy(const char *text, size_t room, void *value, size_t *size) {
    if (value && room > strlen(text)) strcpy(value, text);
    if (size) *size = strlen(text) + 1;
    return 0;
}

/* a text without a terminator, of another length in each process */
static int unterminated(size_t room, void *value, size_t *size) {
    size_t length = 5 + getpid() % 100;
    if (value && room < length) return -30;
    if (value) memset(value, 'x', length);
    if (size) *size = length;
    return 0;
}

static int platform_info(void *of, unsigned name, size_t room, void *value, size_t *size) {
    const char *how = getenv("BAD_DRIVER");
    (void)of;
    if (name == 0x0903 && how && !strcmp(how, "unterminated")) return unterminated(room, value, size);
    return copy(name == 0x0902 ? "Bad Driver" : "OpenCL 3.0 bad", room, value, size);
}

static int device_ids(void *of, unsigned long long type, unsigned room, void **devices, unsigned *count) {
    (void)of, (void)type;
    if (devices && room) devices[0] = &device;
    if (count) *count = 1;
    return 0;
}

static void *crash_late(void *unused) {
    usleep(300000);
    *(volatile int *)8 = 1;
    return unused;
}

static int release(void *of) {
    pthread_t thread;
    const char *how = getenv("BAD_DRIVER");
    (void)of;
#ifdef HOW
    if (!how) how = HOW;
#endif
    if (how && !strcmp(how, "refuse")) return -33;
    if (how && !strcmp(how, "crash")) *(volatile int *)8 = 1;
    if (how && !strcmp(how, "exit")) exit(0);
    if (how && !strcmp(how, "thread_crash")) pthread_create(&thread, NULL, crash_late, NULL);
    if (how && strstr(how, "abort_at_exit")) atexit(abort);
    if (how && strstr(how, "refuse_and")) return -33;
    if (how && !strcmp(how, "hang")) for (;;) pause();
    return 0;
}

int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count) {
    table[GET_PLATFORM_INFO] = (void *)platform_info;
    table[GET_DEVICE_IDS] = (void *)device_ids;
    table[RELEASE_DEVICE] = (void *)release;
    if (platforms && room) platforms[0] = &platform;
    if (count) *count = 1;
    return 0;
}

void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void *)clIcdGetPlatformIDsKHR;
}
