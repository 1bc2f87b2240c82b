/* clSetKernelExecInfo/CL_INVALID_OPERATION/2: deviates
 * param_name asks for fine-grain system SVM, which no device in the kernel's context supports.
 * where param_name = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
 * allowed: CL_INVALID_OPERATION; observed: CL_SUCCESS
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-AMD EPYC
 *
 * cc bf26f523.c -o bf26f523 -lOpenCL && ./bf26f523 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM /* common headers may lack it */
#define CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM 4535
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_OPERATION ? "CL_INVALID_OPERATION" : number;
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
    "DEVIATION: clSetKernelExecInfo/CL_INVALID_OPERATION/2: allowed CL_INVALID_OPERATION; observed", observed), 1)

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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    const char *strings[] = {
        "__kernel __attribute__((reqd_work_group_size(4, 1, 1))) __attribute__((vec_type_hint(uint)))\n"
        "void add_scaled(__global uint *restrict data, __global const volatile uint *other,\n"
        "                __constant uint *scale, __local uint *shared, uint offset)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    shared[get_local_id(0)] = other[i] * scale[0];\n"
        "    data[i] += shared[get_local_id(0)] + offset;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_scaled", NULL));
    static _Alignas(128) unsigned char param_value[] = {0x01, 0x00, 0x00, 0x00};
    CALL(clSetKernelExecInfo(kernel1, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, param_value));
    if (result != CL_INVALID_OPERATION) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
