/* clEnqueueNDRangeKernel/success: deviates
 * Each work-item executes the kernel exactly once.
 * allowed: CL_SUCCESS, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_GLOBAL_OFFSET, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_IMAGE_SIZE, CL_INVALID_KERNEL_ARGS, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES; observed: CL_INVALID_OPERATION
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc e6a579d8.c -o e6a579d8 -lOpenCL && ./e6a579d8 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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

#ifndef CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL /* common headers may lack it */
#define CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL 16899
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_OUT_OF_RESOURCES ? "CL_OUT_OF_RESOURCES"
        : code == CL_IMAGE_FORMAT_NOT_SUPPORTED ? "CL_IMAGE_FORMAT_NOT_SUPPORTED" : code == CL_MISALIGNED_SUB_BUFFER_OFFSET ? "CL_MISALIGNED_SUB_BUFFER_OFFSET"
        : code == CL_INVALID_IMAGE_SIZE ? "CL_INVALID_IMAGE_SIZE" : code == CL_INVALID_PROGRAM_EXECUTABLE ? "CL_INVALID_PROGRAM_EXECUTABLE"
        : code == CL_INVALID_KERNEL_ARGS ? "CL_INVALID_KERNEL_ARGS" : code == CL_INVALID_WORK_DIMENSION ? "CL_INVALID_WORK_DIMENSION"
        : code == CL_INVALID_WORK_GROUP_SIZE ? "CL_INVALID_WORK_GROUP_SIZE" : code == CL_INVALID_WORK_ITEM_SIZE ? "CL_INVALID_WORK_ITEM_SIZE"
        : code == CL_INVALID_GLOBAL_OFFSET ? "CL_INVALID_GLOBAL_OFFSET" : code == CL_INVALID_OPERATION ? "CL_INVALID_OPERATION"
        : code == CL_INVALID_GLOBAL_WORK_SIZE ? "CL_INVALID_GLOBAL_WORK_SIZE" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("that made nothing (code %d), so that the deviation cannot be tried\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueNDRangeKernel/success: allowed CL_SUCCESS, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_GLOBAL_OFFSET, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_IMAGE_SIZE, CL_INVALID_KERNEL_ARGS, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES; observed", observed), 1)
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
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    void *pointer1 = MAKE(clHostMemAllocINTEL(context1, NULL, 487, 0, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void *pointer2 = MAKE(clHostMemAllocINTEL(context1, NULL, 4096, 0, &error));
    const char *strings[] = {
        "__kernel void walk(__global ulong *first)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    for (__global ulong *node = first; node; node = (__global ulong *)(uintptr_t)node[0]) {\n"
        "        __global uint *data = (__global uint *)(node + 1);\n"
        "        data[i] = data[i] * 3u + (uint)i;\n"
        "    }\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 0, NULL, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "walk", &error));
    CALL(clSetKernelExecInfo(kernel1, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, (void *[]){pointer2}));
    CALL(clEnqueueMemcpyINTEL(queue1, CL_TRUE, pointer1, (void *[]){pointer2}, 8, 0, NULL, NULL));
    CALL(clEnqueueMemcpyINTEL(queue1, CL_TRUE, pointer2, (void *[]){NULL}, 8, 0, NULL, NULL));
    CALL(clSetKernelArgMemPointerINTEL(kernel1, 0, pointer1));
    CALL(clEnqueueNDRangeKernel(queue1, kernel1, 1, NULL, (size_t[]){64}, NULL, 0, NULL, NULL));
    if (result != CL_SUCCESS && result != CL_OUT_OF_RESOURCES && result != CL_IMAGE_FORMAT_NOT_SUPPORTED && result != CL_MISALIGNED_SUB_BUFFER_OFFSET && result != CL_INVALID_IMAGE_SIZE && result != CL_INVALID_PROGRAM_EXECUTABLE && result != CL_INVALID_KERNEL_ARGS && result != CL_INVALID_WORK_DIMENSION && result != CL_INVALID_WORK_GROUP_SIZE && result != CL_INVALID_WORK_ITEM_SIZE && result != CL_INVALID_GLOBAL_OFFSET && result != CL_INVALID_GLOBAL_WORK_SIZE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
