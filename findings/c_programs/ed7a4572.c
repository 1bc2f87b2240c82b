/* clFinish/success: crashes
 * The commands in command_queue are submitted to the device; when clFinish returns, they are complete.
 * allowed: CL_SUCCESS; observed: signal SIGSEGV
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-skylake-avx512-AMD EPYC
 *
 * cc ed7a4572.c -o ed7a4572 -lOpenCL && ./ed7a4572 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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

    CALL(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 0, NULL,
        (cl_uint[1]){0}));
    cl_device_id out_devices[8] = {NULL};
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 8,
        out_devices, (cl_uint[1]){0}));
    cl_device_id device2 = out_devices[0];
    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device2}, NULL, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device2, 0, &error));
    CALL(clGetCommandQueueInfo(queue1, CL_QUEUE_DEVICE, 0, NULL, (size_t[1]){0}));
    CALL(clGetCommandQueueInfo(queue1, CL_QUEUE_DEVICE, 8, (cl_ulong[1]){0}, (size_t[1]){0}));
    CALL(clGetCommandQueueInfo(queue1, CL_QUEUE_CONTEXT, 0, NULL, (size_t[1]){0}));
    CALL(clGetCommandQueueInfo(queue1, CL_QUEUE_CONTEXT, 8, (cl_ulong[1]){0}, (size_t[1]){0}));
    CALL(clReleaseDevice(device2));
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}, 1,
        (cl_device_id[1]){0}, (cl_uint[1]){0}));
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}, 1,
        (cl_device_id[1]){0}, (cl_uint[1]){0}));
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 8,
        (cl_device_id[8]){0}, (cl_uint[1]){0}));
    CALL(clGetContextInfo(context1, CL_CONTEXT_NUM_DEVICES, 0, NULL, (size_t[1]){0}));
    CALL(clGetContextInfo(context1, CL_CONTEXT_NUM_DEVICES, 4, (cl_ulong[1]){0}, (size_t[1]){0}));
    puts("the next call is expected to crash");
    CALL(clFinish(queue1));
    puts("no deviation");
    return 0;
}
