/* CL_EVENT_COMMAND_QUEUE: deviates
 * The answer is the queue of the event's command, and NULL for a user event or a command of several queues.
 * allowed: NULL; observed: queue1
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG, device cpu
 *
 * cc 59e2af5f.c -o 59e2af5f -lOpenCL && ./59e2af5f [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libpocl.so.2.14.0; Debian's loader takes it alone by OCL_ICD_VENDORS=libpocl.so.2.14.0
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
    "DEVIATION: CL_EVENT_COMMAND_QUEUE: allowed NULL; observed", observed), 1)
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
    cl_int (CL_API_CALL *clFinalizeCommandBufferKHR)(void *) = found(platform1, "clFinalizeCommandBufferKHR");
    cl_int (CL_API_CALL *clEnqueueCommandBufferKHR)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *) =
        found(platform1, "clEnqueueCommandBufferKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    cl_command_queue queue2 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void *command_buffer_khr1 = MAKE(clCreateCommandBufferKHR(2, (cl_command_queue[]){queue1, queue2}, NULL, &error));
    CALL(clFinalizeCommandBufferKHR(command_buffer_khr1));
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event2 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event3 = MAKE(clCreateUserEvent(context1, &error));
    CALL(clSetUserEventStatus(event3, 0));
    cl_event event4 = NULL;
    DO(clEnqueueCommandBufferKHR(0, NULL, command_buffer_khr1, 3, (cl_event[]){event2, event1, event3}, &event4));
    CALL(clGetEventInfo(event4, CL_EVENT_COMMAND_QUEUE, 0, NULL, (size_t[1]){0}));
    unsigned char *param_value = output(8);
    size_t param_value_size_ret = 0;
    CALL(clGetEventInfo(event4, CL_EVENT_COMMAND_QUEUE, 8, param_value, &param_value_size_ret));
    printf("    param_value = %#llx\n", (unsigned long long)*(cl_ulong *)param_value);
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (overrun(param_value, 8)) return deviation("it wrote past the end of param_value");
    if (result == CL_SUCCESS && (void *)((void **)param_value)[0] == (void *)queue1 && param_value_size_ret == 8)
        return deviation("CL_SUCCESS, param_value = queue1, param_value_size_ret = 8");
    puts("no deviation");
    return 0;
}
