/* clEnqueueCopyBuffer/success: deviates
 * The command copies the source bytes, as left by the commands before it, and changes no other byte.
 * allowed: 0xb2 at byte 0; observed: byte 0 is 0x00; 4079 of 4096 bytes are incorrect
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc 2e3076ae.c -o 2e3076ae -lOpenCL && ./2e3076ae [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
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
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("no object was created, so the deviation cannot be tested"); exit(2); } } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
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
    "DEVIATION: clEnqueueCopyBuffer/success: allowed 0xb2 at byte 0; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Oclgrind";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 1.2 (Oclgrind 21.10)"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        NULL));
    cl_command_queue queue2 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    static _Alignas(128) unsigned char ptr[4096];
    series(ptr, 241, 178, 7, 241);
    series(ptr + 241, 241, 181, 7, 241);
    series(ptr + 482, 241, 184, 7, 241);
    series(ptr + 723, 241, 187, 7, 241);
    series(ptr + 964, 241, 190, 7, 241);
    series(ptr + 1205, 241, 193, 7, 241);
    series(ptr + 1446, 241, 196, 7, 241);
    series(ptr + 1687, 241, 199, 7, 241);
    series(ptr + 1928, 241, 202, 7, 241);
    series(ptr + 2169, 241, 205, 7, 241);
    series(ptr + 2410, 241, 208, 7, 241);
    series(ptr + 2651, 241, 211, 7, 241);
    series(ptr + 2892, 241, 214, 7, 241);
    series(ptr + 3133, 241, 217, 7, 241);
    series(ptr + 3374, 241, 220, 7, 241);
    series(ptr + 3615, 241, 223, 7, 241);
    series(ptr + 3856, 240, 226, 7, 241);
    CALL(clEnqueueWriteBuffer(queue2, mem1, CL_TRUE, 0, 4096, ptr, 0, NULL, NULL));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_mem mem3 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    DO(clEnqueueCopyBuffer(queue1, mem1, mem2, 0, 0, 4096, 0, NULL, (cl_event[1]){0}));
    CALL(clEnqueueBarrierWithWaitList(queue1, 0, NULL, NULL));
    cl_event event2 = NULL;
    DO(clEnqueueCopyBuffer(queue1, mem2, mem3, 0, 0, 4096, 0, NULL, &event2));
    CALL(clWaitForEvents(1, (cl_event[]){event2}));
    unsigned char *ptr_2 = output(4096);
    CALL(clEnqueueReadBuffer(queue1, mem3, CL_TRUE, 0, 4096, ptr_2, 0, NULL, NULL));
    show("ptr", ptr_2, 4096);
    if (overrun(ptr_2, 4096)) return deviation("it wrote past the end of ptr_2");
    static unsigned char ptr_2_then[4096];
    series(ptr_2_then, 4096, 0, 0, 256);
    if (result == CL_SUCCESS && memcmp(ptr_2, ptr_2_then, 4096) == 0)
        return deviation("CL_SUCCESS, ptr = 4096 bytes");
    puts("no deviation");
    return 0;
}
