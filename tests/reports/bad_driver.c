/* A driver with one platform and one device. BAD_DRIVER, or else HOW, selects how its clReleaseDevice misbehaves. */
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

static int platform_info(void *of, unsigned name, size_t room, void *value, size_t *size) {
    (void)of;
    return copy(name == 0x0902 ? "Bad Driver" : "OpenCL 3.0 bad", room, value, size);
}

static int device_ids(void *of, unsigned long long type, unsigned room, void **devices, unsigned *count) {
    (void)of, (void)type;
    if (devices && room) devices[0] = &device;
    if (count) *count = 1;
    return 0;
}

static int release(void *of) {
    const char *how = getenv("BAD_DRIVER");
    (void)of;
#ifdef HOW
    if (!how) how = HOW;
#endif
    if (how && !strcmp(how, "refuse")) return -33;
    if (how && !strcmp(how, "crash")) *(volatile int *)8 = 1;
    if (how && !strcmp(how, "exit")) exit(0);
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
