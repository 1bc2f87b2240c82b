/* clEnqueueReadBufferRect/success: deviates
 * The command copies the source bytes, as left by the commands before it, and changes no other byte.
 * allowed: 0xa5 at byte 128; observed: byte 128 is 0x00; 4 of 16384 bytes are incorrect
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 *
 * cc f78dce13.c -o f78dce13 -lOpenCL && ./f78dce13 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader uses only this library with OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
enum { FILL = 0xA5, GUARD = 0xC3, GUARD_BYTES = 64 };

static int all(const void *at, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) if (((const unsigned char *)at)[i] != byte) return 0;
    return 1;
}
static void *output(size_t size) { /* an output buffer between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES);
    if (!whole) exit(2);
    memset(whole, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole + GUARD_BYTES, FILL, size);
}
#define overrun(at, size) (!all((char *)(at) - GUARD_BYTES, GUARD, GUARD_BYTES) || \
    !all((char *)(at) + (size), GUARD, GUARD_BYTES))
static void show(const char *name, const void *at, size_t size) {
    printf("    %s, where a5 is as it was:", name);
    for (size_t i = 0; i < size && i < 256; i++) printf(" %02x", ((const unsigned char *)at)[i]);
    puts(size > 256 ? " ..." : "");
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueReadBufferRect/success: allowed 0xa5 at byte 128; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "NVIDIA CUDA";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform with that name; of several, the one with that version */
        char text[2][1024] = {"", ""};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 CUDA 13.0.98"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    unsigned char *ptr = output(16384);
    cl_event event = NULL;
    CALL(clEnqueueReadBufferRect(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){0, 0, 0},
        (size_t[]){16, 4, 2}, 32, 256, 32, 129, ptr, 0, NULL, &event));
    show("ptr", ptr, 16384);
    printf("    event = %p\n", (void *)event);
    if (overrun(ptr, 16384)) return deviation("it wrote past the end of ptr");
    static unsigned char ptr_then[] = {
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
        0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00
    };
    if (result == CL_SUCCESS && memcmp(ptr, ptr_then, 240) == 0 && all(ptr + 240, FILL, 16144) && event != NULL)
        return deviation("CL_SUCCESS, ptr = 240 bytes, event = event1");
    puts("no deviation");
    return 0;
}
