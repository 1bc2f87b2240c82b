/* clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1: crashes
 * arg_value is not a valid device queue for an argument of the type queue_t.
 * where arg_value = NULL
 * allowed: CL_INVALID_ARG_VALUE, CL_INVALID_DEVICE_QUEUE; observed: signal SIGSEGV
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc b4f34e4d.c -o b4f34e4d -lOpenCL && ./b4f34e4d [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libintelocl.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_INVALID_DEVICE_QUEUE /* common headers may lack it */
#define CL_INVALID_DEVICE_QUEUE -70
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_ARG_VALUE ? "CL_INVALID_ARG_VALUE"
        : code == CL_INVALID_DEVICE_QUEUE ? "CL_INVALID_DEVICE_QUEUE" : number;
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
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    const char *strings[] = {
        "__kernel void take_queue(__global uint *data, queue_t queue)\n"
        "{\n"
        "    data[0] = 1u;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "take_queue", &error));
    puts("the next call is expected to crash");
    CALL(clSetKernelArg(kernel1, 1, 8, NULL));
    puts("no deviation");
    return 0;
}
