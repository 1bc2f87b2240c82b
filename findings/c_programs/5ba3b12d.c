/* clCreateSubDevices/success: deviates
 * the platform's version or extension string promises this function
 * allowed: a function that can be called; observed: empty-entry: the loader returns its own address for clCreateSubDevices, but entry 93 of the driver's dispatch table is empty; the driver's library does not know the function either
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc 5ba3b12d.c -o 5ba3b12d -lOpenCL && ./5ba3b12d [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clCreateSubDevices/success: allowed a function that can be called; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform with that name; of several, the one with that version */
        char text[2][1024] = {"", ""};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    puts("clCreateSubDevices: not called");
    if (!(*(void ***)platform1)[93]) return deviation("empty-entry: the loader returns its own address for clCreateSubDevices, but entry 93 of the driver's dispatch table is empty; the driver's library does not know the function either");
    puts("no deviation");
    return 0;
}
