/* CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: deviates
 * The answer is a value of type cl_device_device_enqueue_capabilities.
 * allowed: 8; observed: 4
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-AMD EPYC
 *
 * cc 3a5a59b9.c -o 3a5a59b9 -lOpenCL && ./3a5a59b9 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libpocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libpocl.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES /* common headers may lack it */
#define CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES 4208
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: allowed 8; observed", observed), 1)

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
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    size_t param_value_size_ret = 0;
    CALL(clGetDeviceInfo(device1, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0, NULL, &param_value_size_ret));
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (result == CL_SUCCESS && param_value_size_ret == 4)
        return deviation("CL_SUCCESS, param_value_size_ret = 4");
    puts("no deviation");
    return 0;
}
