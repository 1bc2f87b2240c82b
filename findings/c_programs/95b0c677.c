/* clEnqueueMapBuffer/CL_INVALID_OPERATION/2: deviates
 * map_flags requests write access, and part of the region is already mapped for writing. The error is optional if only one of the two overlapping mappings is for writing. Before version 1.2 the behaviour of a second mapping for writing is undefined.
 * where map_flags = CL_MAP_WRITE
 * allowed: CL_INVALID_OPERATION, CL_MAP_FAILURE; observed: CL_SUCCESS
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-skylake-avx512-AMD EPYC
 *
 * cc 95b0c677.c -o 95b0c677 -lOpenCL && ./95b0c677 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_MAP_FAILURE ? "CL_MAP_FAILURE"
        : code == CL_INVALID_OPERATION ? "CL_INVALID_OPERATION" : number;
}
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueMapBuffer/CL_INVALID_OPERATION/2: allowed CL_INVALID_OPERATION, CL_MAP_FAILURE; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 2048, NULL, NULL));
    MAKE(clEnqueueMapBuffer(queue1, mem1, CL_TRUE, CL_MAP_WRITE, 0, 1, 0, NULL, NULL, NULL));
    cl_int errcode_ret = 1;
    GET(clEnqueueMapBuffer(queue1, mem1, CL_TRUE, CL_MAP_WRITE, 0, 2048, 0, NULL, (cl_event[1]){0}, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    if (errcode_ret != CL_MAP_FAILURE && errcode_ret != CL_INVALID_OPERATION) return deviation(name_of(errcode_ret));
    puts("no deviation");
    return 0;
}
