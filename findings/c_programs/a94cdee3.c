/* clEnqueueWriteBufferRect/CL_INVALID_VALUE/2: deviates
 * The region at buffer_origin extends beyond the end of buffer.
 * allowed: CL_INVALID_VALUE; observed: CL_SUCCESS
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc a94cdee3.c -o a94cdee3 -lOpenCL && ./a94cdee3 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader uses only this library with OCL_ICD_VENDORS=libintelocl.so
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_VALUE ? "CL_INVALID_VALUE" : number;
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
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueWriteBufferRect/CL_INVALID_VALUE/2: allowed CL_INVALID_VALUE; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Intel(R) OpenCL";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.1 LINUX"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 2048, NULL, &error));
    static _Alignas(128) unsigned char ptr[16384];
    series(ptr, 16384, 0, 0, 256);
    CALL(clEnqueueWriteBufferRect(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 15}, (size_t[]){0, 0, 0},
        (size_t[]){16, 4, 2}, 32, 256, 32, 256, ptr, 0, NULL, (cl_event[1]){0}));
    if (result != CL_INVALID_VALUE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
