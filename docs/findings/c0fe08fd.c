/* clGetKernelSuggestedLocalWorkSize/success: deviates
 * the platform's version or extension string promises this function
 * allowed: a function that can be called; observed: empty-entry: the loader returns its own address for clGetKernelSuggestedLocalWorkSize, but entry 149 of the driver's dispatch table is empty; the driver's library does not know the function either
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc c0fe08fd.c -o c0fe08fd -lOpenCL && ./c0fe08fd [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libintelocl.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clGetKernelSuggestedLocalWorkSize/success: allowed a function that can be called; observed", observed), 1)

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

    puts("clGetKernelSuggestedLocalWorkSize: not called");
    if (!(*(void ***)platform1)[149]) return deviation("empty-entry: the loader returns its own address for clGetKernelSuggestedLocalWorkSize, but entry 149 of the driver's dispatch table is empty; the driver's library does not know the function either");
    puts("no deviation");
    return 0;
}
