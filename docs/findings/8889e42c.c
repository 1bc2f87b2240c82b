/* CL_SEMAPHORE_PAYLOAD_KHR: deviates
 * The answer for a binary semaphore is 1 if it is signaled, and otherwise 0. It is 0 until a signal is enqueued, and 1 once that is complete; before, both are right. So they are once a wait was enqueued, and where another API may change the payload (register: payload-after-a-wait, state-after-an-import).
 * allowed: 1; observed: 0
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 *
 * cc 8889e42c.c -o 8889e42c -lOpenCL && ./8889e42c [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_SEMAPHORE_PAYLOAD_KHR /* common headers may lack it */
#define CL_SEMAPHORE_PAYLOAD_KHR 8252
#endif
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
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: CL_SEMAPHORE_PAYLOAD_KHR: allowed 1; observed", observed), 1)
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
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "NVIDIA CUDA";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 CUDA 13.0.98"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    void *(CL_API_CALL *clCreateSemaphoreWithPropertiesKHR)(cl_context, const cl_ulong *, cl_int *) =
        found(platform1, "clCreateSemaphoreWithPropertiesKHR");
    cl_int (CL_API_CALL *clEnqueueSignalSemaphoresKHR)(cl_command_queue, cl_uint, void *const *, const cl_ulong *, cl_uint, const cl_event *, cl_event *) =
        found(platform1, "clEnqueueSignalSemaphoresKHR");
    cl_int (CL_API_CALL *clGetSemaphoreInfoKHR)(void *, cl_uint, size_t, void *, size_t *) =
        found(platform1, "clGetSemaphoreInfoKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    void *semaphore_khr1 = MAKE(clCreateSemaphoreWithPropertiesKHR(context1, (cl_ulong[]){8253, 1, 0}, &error));
    void *semaphore_khr2 = MAKE(clCreateSemaphoreWithPropertiesKHR(context1, (cl_ulong[]){8253, 1, 0}, &error));
    MAKE(clCreateSemaphoreWithPropertiesKHR(context1, (cl_ulong[]){8253, 1, 0}, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    cl_event event1 = NULL;
    DO(clEnqueueSignalSemaphoresKHR(queue1, 2, (void *[]){semaphore_khr1, semaphore_khr2}, NULL, 0, NULL, &event1));
    CALL(clFlush(queue1));
    CALL(clWaitForEvents(1, (cl_event[]){event1}));
    CALL(clGetSemaphoreInfoKHR(semaphore_khr1, CL_SEMAPHORE_PAYLOAD_KHR, 0, NULL, (size_t[1]){0}));
    unsigned char *param_value = output(8);
    size_t param_value_size_ret = 0;
    CALL(clGetSemaphoreInfoKHR(semaphore_khr1, CL_SEMAPHORE_PAYLOAD_KHR, 8, param_value, &param_value_size_ret));
    printf("    param_value = %#llx\n", (unsigned long long)*(cl_ulong *)param_value);
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (overrun(param_value, 8)) return deviation("it wrote past the end of param_value");
    if (result == CL_SUCCESS && *(cl_ulong *)param_value == 0u && param_value_size_ret == 8)
        return deviation("CL_SUCCESS, param_value = 0, param_value_size_ret = 8");
    puts("no deviation");
    return 0;
}
