/* clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1: deviates
 * The arguments of the kernel kernel_name differ between the devices that program was built for.
 * where kernel_name = "differing", program = program1
 * allowed: CL_INVALID_KERNEL_DEFINITION; observed: CL_SUCCESS
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc 0a96d955.c -o 0a96d955 -lOpenCL && ./0a96d955 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_KERNEL_DEFINITION ? "CL_INVALID_KERNEL_DEFINITION" : number;
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
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1: allowed CL_INVALID_KERNEL_DEFINITION; observed", observed), 1)

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
        "#ifdef MORE\n"
        "__kernel void differing(__global uint *data, uint more)\n"
        "#else\n"
        "__kernel void differing(__global uint *data)\n"
        "#endif\n"
        "{\n"
        "    data[0] = 1u;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device2}, "", NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device3}, "-DMORE", NULL, NULL));
    cl_kernel result = GET(clCreateKernel(program1, "differing", NULL));
    if (result != NULL) return deviation("kernel1");
    puts("no deviation");
    return 0;
}
