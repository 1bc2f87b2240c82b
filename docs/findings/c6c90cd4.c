/* OpenCL:execution-model/17: deviates
 * A command does not begin to run before all that is in its list is complete.
 * allowed: CL_PROFILING_COMMAND_START not before 3 ns, the end of a command that it waits for; observed: 2 ns
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc c6c90cd4.c -o c6c90cd4 -lOpenCL && ./c6c90cd4 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
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
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
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
    "DEVIATION: OpenCL:execution-model/17: allowed CL_PROFILING_COMMAND_START not before 3 ns, the end of a command that it waits for; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, CL_QUEUE_PROFILING_ENABLE, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 1, NULL, NULL));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 1, NULL, NULL));
    cl_event event1 = NULL;
    DO(clEnqueueCopyBuffer(queue1, mem1, mem2, 0, 0, 1, 0, NULL, &event1));
    CALL(clFlush(queue1));
    cl_command_queue queue2 = MAKE(clCreateCommandQueue(context1, device1, CL_QUEUE_PROFILING_ENABLE, NULL));
    cl_mem mem3 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 1, NULL, NULL));
    cl_event event2 = NULL;
    DO(clEnqueueReadBuffer(queue2, mem3, CL_FALSE, 0, 1, (cl_ulong[1]){0}, 1, (cl_event[]){event1}, &event2));
    CALL(clGetEventProfilingInfo(event1, CL_PROFILING_COMMAND_END, 8, (cl_ulong[1]){0}, (size_t[1]){0}));
    unsigned char *param_value = output(8);
    size_t param_value_size_ret = 0;
    CALL(clGetEventProfilingInfo(event2, CL_PROFILING_COMMAND_START, 8, param_value, &param_value_size_ret));
    printf("    param_value = %#llx\n", (unsigned long long)*(cl_ulong *)param_value);
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (overrun(param_value, 8)) return deviation("it wrote past the end of param_value");
    if (result == CL_SUCCESS && *(cl_ulong *)param_value == 2u && param_value_size_ret == 8)
        return deviation("CL_SUCCESS, param_value = 2, param_value_size_ret = 8");
    puts("no deviation");
    return 0;
}
