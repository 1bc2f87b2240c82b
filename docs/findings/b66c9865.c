/* clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1: deviates
 * A value in global_work_size and the one in global_work_offset add up to more than the device's largest size_t. Before 1.1, global_work_offset is not NULL.
 * where global_work_size = {16, 1, 1}, global_work_offset = {0xffffffffffffffff, 0, 0}
 * allowed: CL_INVALID_GLOBAL_OFFSET, CL_OUT_OF_RESOURCES; observed: CL_SUCCESS
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc b66c9865.c -o b66c9865 -lOpenCL && ./b66c9865 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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
        : code == CL_INVALID_GLOBAL_OFFSET ? "CL_INVALID_GLOBAL_OFFSET" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1: allowed CL_INVALID_GLOBAL_OFFSET, CL_OUT_OF_RESOURCES; observed", observed), 1)

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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, NULL));
    const char *strings[] = {
        "__kernel void tell_ids(__global uint *data)\n"
        "{\n"
        "    size_t i = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1)\n"
        "                + get_global_id(1) - get_global_offset(1)) * get_global_size(0)\n"
        "               + get_global_id(0) - get_global_offset(0);\n"
        "    __global uint *own = data + i * 30u;\n"
        "    own[0] += 1u;\n"
        "    own[1] = get_work_dim();\n"
        "    own[2] = (uint)get_global_id(0);\n"
        "    own[3] = (uint)get_global_id(1);\n"
        "    own[4] = (uint)get_global_id(2);\n"
        "    own[5] = (uint)get_global_offset(0);\n"
        "    own[6] = (uint)get_global_offset(1);\n"
        "    own[7] = (uint)get_global_offset(2);\n"
        "    own[8] = (uint)get_global_size(0);\n"
        "    own[9] = (uint)get_global_size(1);\n"
        "    own[10] = (uint)get_global_size(2);\n"
        "    own[11] = (uint)(get_global_id(0) >> 16 >> 16);\n"
        "    own[12] = (uint)(get_global_id(1) >> 16 >> 16);\n"
        "    own[13] = (uint)(get_global_id(2) >> 16 >> 16);\n"
        "    own[14] = (uint)(get_global_offset(0) >> 16 >> 16);\n"
        "    own[15] = (uint)(get_global_offset(1) >> 16 >> 16);\n"
        "    own[16] = (uint)(get_global_offset(2) >> 16 >> 16);\n"
        "    own[17] = (uint)(get_global_id(0) == get_global_offset(0) + get_group_id(0) * get_local_size(0) + get_local_id(0)) << 0 | (uint)(get_global_id(1) == get_global_offset(1) + get_group_id(1) * get_local_size(1) + get_local_id(1)) << 1 | (uint)(get_global_id(2) == get_global_offset(2) + get_group_id(2) * get_local_size(2) + get_local_id(2)) << 2 | (uint)(get_global_size(0) == get_num_groups(0) * get_local_size(0)) << 3 | (uint)(get_global_size(1) == get_num_groups(1) * get_local_size(1)) << 4 | (uint)(get_global_size(2) == get_num_groups(2) * get_local_size(2)) << 5 | (uint)(get_local_id(0) < get_local_size(0) && get_local_id(1) < get_local_size(1) && get_local_id(2) < get_local_size(2)) << 6;\n"
        "    own[18] = (uint)get_local_id(0);\n"
        "    own[19] = (uint)get_local_id(1);\n"
        "    own[20] = (uint)get_local_id(2);\n"
        "    own[21] = (uint)get_group_id(0);\n"
        "    own[22] = (uint)get_group_id(1);\n"
        "    own[23] = (uint)get_group_id(2);\n"
        "    own[24] = (uint)get_local_size(0);\n"
        "    own[25] = (uint)get_local_size(1);\n"
        "    own[26] = (uint)get_local_size(2);\n"
        "    own[27] = (uint)get_num_groups(0);\n"
        "    own[28] = (uint)get_num_groups(1);\n"
        "    own[29] = (uint)get_num_groups(2);\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "tell_ids", NULL));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    CALL(clEnqueueNDRangeKernel(queue1, kernel1, 1, (size_t[]){(size_t)0xffffffffffffffffULL, 0, 0},
        (size_t[]){16, 1, 1}, NULL, 0, NULL, (cl_event[1]){0}));
    if (result != CL_OUT_OF_RESOURCES && result != CL_INVALID_GLOBAL_OFFSET) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
