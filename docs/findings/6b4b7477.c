/* clRemapCommandBufferKHR/success: deviates
 * The call creates a command-buffer with the same commands for other queues, in the same state but not pending. The handles returned are those of the same commands in the new command-buffer, in the order of the given ones.
 * allowed: CL_SUCCESS, CL_INVALID_OPERATION; observed: CL_INVALID_VALUE
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG, device cpu
 *
 * cc 6b4b7477.c -o 6b4b7477 -lOpenCL && ./6b4b7477 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_VALUE ? "CL_INVALID_VALUE"
        : code == CL_INVALID_OPERATION ? "CL_INVALID_OPERATION" : number;
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
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
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
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clRemapCommandBufferKHR/success: allowed CL_SUCCESS, CL_INVALID_OPERATION; observed", observed), 1)
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
    cl_int (CL_API_CALL *clFinalizeCommandBufferKHR)(void *) = found(platform1, "clFinalizeCommandBufferKHR");
    void *(CL_API_CALL *clRemapCommandBufferKHR)(void *, cl_bool, cl_uint, const cl_command_queue *, cl_uint, void *const *, void * *, cl_int *) =
        found(platform1, "clRemapCommandBufferKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void *command_buffer_khr1 = MAKE(clCreateCommandBufferKHR(1, (cl_command_queue[]){queue1},
        (cl_ulong[]){CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0}, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_command_queue queue2 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char ptr[4096];
    series(ptr, 241, 202, 7, 241);
    series(ptr + 241, 241, 205, 7, 241);
    series(ptr + 482, 241, 208, 7, 241);
    series(ptr + 723, 241, 211, 7, 241);
    series(ptr + 964, 241, 214, 7, 241);
    series(ptr + 1205, 241, 217, 7, 241);
    series(ptr + 1446, 241, 220, 7, 241);
    series(ptr + 1687, 241, 223, 7, 241);
    series(ptr + 1928, 241, 226, 7, 241);
    series(ptr + 2169, 241, 229, 7, 241);
    series(ptr + 2410, 241, 232, 7, 241);
    series(ptr + 2651, 1, 235, 0, 256);
    series(ptr + 2652, 240, 1, 7, 241);
    series(ptr + 2892, 1, 238, 0, 256);
    series(ptr + 2893, 240, 4, 7, 241);
    series(ptr + 3133, 241, 0, 7, 241);
    series(ptr + 3374, 241, 3, 7, 241);
    series(ptr + 3615, 241, 6, 7, 241);
    series(ptr + 3856, 240, 9, 7, 241);
    CALL(clEnqueueWriteBuffer(queue2, mem1, CL_TRUE, 0, 4096, ptr, 0, NULL, NULL));
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
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    void *mutable_command_khr1 = NULL;
    DO(clCommandNDRangeKernelKHR(command_buffer_khr1, NULL, NULL, kernel1, 1, NULL, (size_t[]){64}, NULL, 0, NULL,
        (cl_uint[1]){0}, &mutable_command_khr1));
    void *mutable_command_khr2 = NULL;
    DO(clCommandNDRangeKernelKHR(command_buffer_khr1, NULL, NULL, kernel1, 1, NULL, (size_t[]){32}, NULL, 1,
        (cl_uint[]){1}, (cl_uint[1]){0}, &mutable_command_khr2));
    CALL(clFinalizeCommandBufferKHR(command_buffer_khr1));
    cl_command_queue queue3 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void **handles_ret = output(2 * sizeof(void *));
    cl_int errcode_ret = 1;
    GET(clRemapCommandBufferKHR(command_buffer_khr1, CL_FALSE, 1, (cl_command_queue[]){queue3}, 2,
        (void *[]){mutable_command_khr2, mutable_command_khr1}, handles_ret, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    if (overrun(handles_ret, 2 * sizeof(void *))) return deviation("it wrote past the end of handles_ret");
    if (errcode_ret != CL_SUCCESS && errcode_ret != CL_INVALID_OPERATION) return deviation(name_of(errcode_ret));
    puts("no deviation");
    return 0;
}
