/* clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1: deviates
 * global_work_size is NULL, or 0 in a dimension.
 * where global_work_size = {0}
 * allowed: CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_IMAGE_SIZE, CL_INVALID_KERNEL_ARGS, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES; observed: CL_SUCCESS
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc b571250b.c -o b571250b -lOpenCL && ./b571250b [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_OUT_OF_RESOURCES ? "CL_OUT_OF_RESOURCES"
        : code == CL_IMAGE_FORMAT_NOT_SUPPORTED ? "CL_IMAGE_FORMAT_NOT_SUPPORTED" : code == CL_MISALIGNED_SUB_BUFFER_OFFSET ? "CL_MISALIGNED_SUB_BUFFER_OFFSET"
        : code == CL_INVALID_IMAGE_SIZE ? "CL_INVALID_IMAGE_SIZE" : code == CL_INVALID_PROGRAM_EXECUTABLE ? "CL_INVALID_PROGRAM_EXECUTABLE"
        : code == CL_INVALID_KERNEL_ARGS ? "CL_INVALID_KERNEL_ARGS" : code == CL_INVALID_WORK_GROUP_SIZE ? "CL_INVALID_WORK_GROUP_SIZE"
        : code == CL_INVALID_WORK_ITEM_SIZE ? "CL_INVALID_WORK_ITEM_SIZE" : code == CL_INVALID_GLOBAL_WORK_SIZE ? "CL_INVALID_GLOBAL_WORK_SIZE" : number;
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
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1: allowed CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_IMAGE_SIZE, CL_INVALID_KERNEL_ARGS, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Oclgrind";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 1.2 (Oclgrind 21.10)"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_index", &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    CALL(clEnqueueNDRangeKernel(queue1, kernel1, 1, NULL, (size_t[]){0}, NULL, 0, NULL, (cl_event[1]){0}));
    if (result != CL_OUT_OF_RESOURCES && result != CL_IMAGE_FORMAT_NOT_SUPPORTED && result != CL_MISALIGNED_SUB_BUFFER_OFFSET && result != CL_INVALID_IMAGE_SIZE && result != CL_INVALID_PROGRAM_EXECUTABLE && result != CL_INVALID_KERNEL_ARGS && result != CL_INVALID_WORK_GROUP_SIZE && result != CL_INVALID_WORK_ITEM_SIZE && result != CL_INVALID_GLOBAL_WORK_SIZE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
