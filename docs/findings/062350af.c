/* clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1: deviates
 * device is not one of the kernel's devices, or is NULL although the kernel has more than one device.
 * where device = NULL
 * allowed: CL_INVALID_DEVICE; observed: CL_SUCCESS
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc 062350af.c -o 062350af -lOpenCL && ./062350af [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_DEVICE ? "CL_INVALID_DEVICE" : number;
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
    "DEVIATION: clGetKernelWorkGroupInfo/CL_INVALID_DEVICE/1: allowed CL_INVALID_DEVICE; observed", observed), 1)

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

    cl_device_id out_devices[2] = {NULL};
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 2,
        out_devices, NULL));
    cl_device_id device2 = out_devices[0];
    cl_device_id device3 = out_devices[1];
    cl_context context1 = MAKE(clCreateContext(NULL, 2, (cl_device_id[]){device2, device3}, NULL, NULL, NULL));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device2}, "", NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device3}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_index", &error));
    CALL(clGetKernelWorkGroupInfo(kernel1, NULL, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, (size_t[1]){0}));
    if (result != CL_INVALID_DEVICE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
