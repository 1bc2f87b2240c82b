/* clEnqueueReadBuffer/CL_INVALID_VALUE/1: crashes
 * offset + size exceeds the size of buffer, or ptr is NULL. In this call: offset + size exceeds the size of buffer.
 * where offset + size = 0x10000000000000001, size of buffer = 4096
 * allowed: CL_INVALID_VALUE; observed: abort SIGABRT
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc aca32580.c -o aca32580 -lOpenCL && ./aca32580 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run; a crash ends the program.
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

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    static cl_ulong ptr[513];
    puts("the next call is expected to crash");
    CALL(clEnqueueReadBuffer(queue1, mem1, CL_TRUE, (size_t)0xffffffffffffffffULL, 2, ptr, 0, NULL,
        (cl_event[1]){0}));
    puts("no deviation");
    return 0;
}
