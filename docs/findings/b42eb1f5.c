/* CL_EVENT_COMMAND_EXECUTION_STATUS: deviates
 * The answer is a status from CL_QUEUED to CL_COMPLETE, or a negative error code. It is CL_COMPLETE once the command must be complete. A command that waits for a user event is not CL_RUNNING before that event is set; one that waits for a signal is not CL_COMPLETE before that is written. For a user event the answer is the status that was set, and CL_SUBMITTED before.
 * allowed: 0; observed: 2
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc b42eb1f5.c -o b42eb1f5 -lOpenCL && ./b42eb1f5 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libintelocl.so
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

#ifndef CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL /* common headers may lack it */
#define CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL 16896
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("that made nothing, so that the deviation cannot be tried"); exit(2); } } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("that made nothing (code %d), so that the deviation cannot be tried\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
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
    "DEVIATION: CL_EVENT_COMMAND_EXECUTION_STATUS: allowed 0; observed", observed), 1)
/* a function, as the loader hands it out for the platform */
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
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Intel(R) OpenCL";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.1 LINUX"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    void *(CL_API_CALL *clHostMemAllocINTEL)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *) =
        found(platform1, "clHostMemAllocINTEL");
    cl_int (CL_API_CALL *clEnqueueMemcpyINTEL)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *) =
        found(platform1, "clEnqueueMemcpyINTEL");
    cl_int (CL_API_CALL *clSetKernelArgMemPointerINTEL)(cl_kernel, cl_uint, const void *) =
        found(platform1, "clSetKernelArgMemPointerINTEL");
    cl_int (CL_API_CALL *clMemBlockingFreeINTEL)(cl_context, void *) = found(platform1, "clMemBlockingFreeINTEL");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    void *pointer1 = MAKE(clHostMemAllocINTEL(context1, NULL, 4096, 0, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char src_ptr[4096];
    series(src_ptr, 241, 1, 7, 241);
    series(src_ptr + 241, 241, 4, 7, 241);
    series(src_ptr + 482, 241, 7, 7, 241);
    series(src_ptr + 723, 241, 10, 7, 241);
    series(src_ptr + 964, 241, 13, 7, 241);
    series(src_ptr + 1205, 241, 16, 7, 241);
    series(src_ptr + 1446, 241, 19, 7, 241);
    series(src_ptr + 1687, 241, 22, 7, 241);
    series(src_ptr + 1928, 241, 25, 7, 241);
    series(src_ptr + 2169, 241, 28, 7, 241);
    series(src_ptr + 2410, 241, 31, 7, 241);
    series(src_ptr + 2651, 241, 34, 7, 241);
    series(src_ptr + 2892, 241, 37, 7, 241);
    series(src_ptr + 3133, 241, 40, 7, 241);
    series(src_ptr + 3374, 241, 43, 7, 241);
    series(src_ptr + 3615, 241, 46, 7, 241);
    series(src_ptr + 3856, 240, 49, 7, 241);
    CALL(clEnqueueMemcpyINTEL(queue1, CL_TRUE, pointer1, src_ptr, 4096, 0, NULL, NULL));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 0, NULL, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_index", &error));
    static _Alignas(128) unsigned char param_value[] = {0x01, 0x00, 0x00, 0x00};
    CALL(clSetKernelExecInfo(kernel1, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, 4, param_value));
    void *pointer2 = MAKE(clHostMemAllocINTEL(context1, NULL, 4096, 0, &error));
    static _Alignas(128) unsigned char src_ptr_2[4096];
    series(src_ptr_2, 241, 1, 7, 241);
    series(src_ptr_2 + 241, 241, 4, 7, 241);
    series(src_ptr_2 + 482, 241, 7, 7, 241);
    series(src_ptr_2 + 723, 241, 10, 7, 241);
    series(src_ptr_2 + 964, 241, 13, 7, 241);
    series(src_ptr_2 + 1205, 241, 16, 7, 241);
    series(src_ptr_2 + 1446, 241, 19, 7, 241);
    series(src_ptr_2 + 1687, 241, 22, 7, 241);
    series(src_ptr_2 + 1928, 241, 25, 7, 241);
    series(src_ptr_2 + 2169, 241, 28, 7, 241);
    series(src_ptr_2 + 2410, 241, 31, 7, 241);
    series(src_ptr_2 + 2651, 241, 34, 7, 241);
    series(src_ptr_2 + 2892, 241, 37, 7, 241);
    series(src_ptr_2 + 3133, 241, 40, 7, 241);
    series(src_ptr_2 + 3374, 241, 43, 7, 241);
    series(src_ptr_2 + 3615, 241, 46, 7, 241);
    series(src_ptr_2 + 3856, 240, 49, 7, 241);
    CALL(clEnqueueMemcpyINTEL(queue1, CL_TRUE, pointer2, src_ptr_2, 4096, 0, NULL, NULL));
    const char *strings_2[] = {
        "__kernel void linger(__global uint *data)\n"
        "{\n"
        "    uint number = data[get_global_id(0)];\n"
        "    for (uint round = 0; round < 4194304u; round++) {\n"
        "        number ^= number << 13;\n"
        "        number ^= number >> 17;\n"
        "        number ^= number << 5;\n"
        "    }\n"
        "    data[get_global_id(0)] = number;\n"
        "}\n",
    };
    cl_program program2 = MAKE(clCreateProgramWithSource(context1, 1, strings_2, NULL, &error));
    CALL(clBuildProgram(program2, 0, NULL, "", NULL, NULL));
    cl_kernel kernel2 = MAKE(clCreateKernel(program2, "linger", &error));
    void *pointer3 = MAKE(clHostMemAllocINTEL(context1, NULL, 4096, 0, &error));
    static _Alignas(128) unsigned char src_ptr_3[4096];
    series(src_ptr_3, 241, 1, 7, 241);
    series(src_ptr_3 + 241, 241, 4, 7, 241);
    series(src_ptr_3 + 482, 241, 7, 7, 241);
    series(src_ptr_3 + 723, 241, 10, 7, 241);
    series(src_ptr_3 + 964, 241, 13, 7, 241);
    series(src_ptr_3 + 1205, 241, 16, 7, 241);
    series(src_ptr_3 + 1446, 241, 19, 7, 241);
    series(src_ptr_3 + 1687, 241, 22, 7, 241);
    series(src_ptr_3 + 1928, 241, 25, 7, 241);
    series(src_ptr_3 + 2169, 241, 28, 7, 241);
    series(src_ptr_3 + 2410, 241, 31, 7, 241);
    series(src_ptr_3 + 2651, 241, 34, 7, 241);
    series(src_ptr_3 + 2892, 241, 37, 7, 241);
    series(src_ptr_3 + 3133, 241, 40, 7, 241);
    series(src_ptr_3 + 3374, 241, 43, 7, 241);
    series(src_ptr_3 + 3615, 241, 46, 7, 241);
    series(src_ptr_3 + 3856, 240, 49, 7, 241);
    CALL(clEnqueueMemcpyINTEL(queue1, CL_TRUE, pointer3, src_ptr_3, 4096, 0, NULL, NULL));
    CALL(clSetKernelArgMemPointerINTEL(kernel2, 0, pointer3));
    CALL(clEnqueueNDRangeKernel(queue1, kernel2, 1, NULL, (size_t[]){64}, NULL, 0, NULL, NULL));
    CALL(clSetKernelArgMemPointerINTEL(kernel1, 0, pointer2));
    cl_event event1 = NULL;
    DO(clEnqueueNDRangeKernel(queue1, kernel1, 1, NULL, (size_t[]){64}, NULL, 0, NULL, &event1));
    CALL(clMemBlockingFreeINTEL(context1, pointer1));
    CALL(clGetEventInfo(event1, CL_EVENT_COMMAND_EXECUTION_STATUS, 0, NULL, (size_t[1]){0}));
    unsigned char *param_value_2 = output(4);
    size_t param_value_size_ret = 0;
    CALL(clGetEventInfo(event1, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, param_value_2, &param_value_size_ret));
    printf("    param_value = %#llx\n", (unsigned long long)*(cl_uint *)param_value_2);
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (overrun(param_value_2, 4)) return deviation("it wrote beyond param_value_2");
    if (result == CL_SUCCESS && *(cl_uint *)param_value_2 == 2u && param_value_size_ret == 4)
        return deviation("CL_SUCCESS, param_value = 2, param_value_size_ret = 4");
    puts("no deviation");
    return 0;
}
