/* clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4: deviates
 * properties asks for device-side synchronization, and the devices of queues cannot all synchronize by it.
 * where properties = {CL_COMMAND_BUFFER_FLAGS_KHR, 4, 0}, queues = {queue1, queue2}
 * allowed: CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, CL_INVALID_PROPERTY; observed: CL_INVALID_VALUE
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG, device cpu
 *
 * cc 5cd7cd01.c -o 5cd7cd01 -lOpenCL && ./5cd7cd01 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libpocl.so.2.14.0; Debian's loader takes it alone by OCL_ICD_VENDORS=libpocl.so.2.14.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0; the context was given its first device back by hand.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_COMMAND_BUFFER_FLAGS_KHR /* common headers may lack it */
#define CL_COMMAND_BUFFER_FLAGS_KHR 4755
#endif
#ifndef CL_INCOMPATIBLE_COMMAND_QUEUE_KHR /* common headers may lack it */
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_VALUE ? "CL_INVALID_VALUE"
        : code == CL_INVALID_PROPERTY ? "CL_INVALID_PROPERTY" : code == CL_INCOMPATIBLE_COMMAND_QUEUE_KHR ? "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("no object was created, so the deviation cannot be tested"); exit(2); } } while (0)
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
    "DEVIATION: clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4: allowed CL_INCOMPATIBLE_COMMAND_QUEUE_KHR, CL_INVALID_PROPERTY; observed", observed), 1)
/* a function, as the loader returns it for the platform */
static void *find(cl_platform_id platform, const char *name) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    return found ? found : clGetExtensionFunctionAddress(name);
}
static void *found(cl_platform_id platform, const char *name) {
    void *function = find(platform, name);
    if (!function) { printf("the platform has no %s\n", name); exit(2); }
    return function;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform of that name; of two, that of the version */
        char text[2][1024] = {"", ""};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    void *(CL_API_CALL *clCreateCommandBufferKHR)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *) =
        found(platform1, "clCreateCommandBufferKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_device_id out_devices[2] = {NULL};
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 2,
        out_devices, NULL));
    cl_device_id device2 = out_devices[0];
    cl_context context1 = MAKE(clCreateContext(NULL, 2, (cl_device_id[]){device1, device2}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_command_queue queue2 = MAKE(clCreateCommandQueue(context1, device2, 0, NULL));
    cl_int errcode_ret = 1;
    GET(clCreateCommandBufferKHR(2, (cl_command_queue[]){queue1, queue2},
        (cl_ulong[]){CL_COMMAND_BUFFER_FLAGS_KHR, 4, 0}, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    if (errcode_ret != CL_INVALID_PROPERTY && errcode_ret != CL_INCOMPATIBLE_COMMAND_QUEUE_KHR) return deviation(name_of(errcode_ret));
    puts("no deviation");
    return 0;
}
