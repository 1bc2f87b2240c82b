/* CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: deviates
 * The answer is the property list given at recording, in full and in the same order. It is empty if no list was given.
 * allowed: 0; observed: 24
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG, device cpu
 *
 * cc fe79f064.c -o fe79f064 -lOpenCL && ./fe79f064 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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

#ifndef CL_COMMAND_BUFFER_FLAGS_KHR /* common headers may lack it */
#define CL_COMMAND_BUFFER_FLAGS_KHR 4755
#endif
#ifndef CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR /* common headers may lack it */
#define CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR 4769
#endif
#ifndef CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR /* common headers may lack it */
#define CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR 4768
#endif
#ifndef CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR /* common headers may lack it */
#define CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR 4781
#endif
#ifndef CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR /* common headers may lack it */
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 4770
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
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: allowed 0; observed", observed), 1)
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
    cl_int (CL_API_CALL *clCommandNDRangeKernelKHR)(void *, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void * *) =
        found(platform1, "clCommandNDRangeKernelKHR");
    cl_int (CL_API_CALL *clGetMutableCommandInfoKHR)(void *, cl_uint, size_t, void *, size_t *) =
        found(platform1, "clGetMutableCommandInfoKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_index", &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void *command_buffer_khr1 = MAKE(clCreateCommandBufferKHR(1, (cl_command_queue[]){queue1},
        (cl_ulong[]){CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0}, &error));
    void *mutable_command_khr1 = NULL;
    DO(clCommandNDRangeKernelKHR(command_buffer_khr1, NULL, NULL, kernel1, 1, NULL, (size_t[]){16}, NULL, 0, NULL,
        NULL, &mutable_command_khr1));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, 0, NULL,
        (size_t[1]){0}));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, 64, (cl_ulong[8]){0},
        (size_t[1]){0}));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, 0, NULL,
        (size_t[1]){0}));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, 64, (cl_ulong[8]){0},
        (size_t[1]){0}));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, 0, NULL,
        (size_t[1]){0}));
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, 64, (cl_ulong[8]){0},
        (size_t[1]){0}));
    size_t param_value_size_ret = 0;
    CALL(clGetMutableCommandInfoKHR(mutable_command_khr1, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, 0, NULL,
        &param_value_size_ret));
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (result == CL_SUCCESS && param_value_size_ret == 24)
        return deviation("CL_SUCCESS, param_value_size_ret = 24");
    puts("no deviation");
    return 0;
}
