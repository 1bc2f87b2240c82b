/* clCreateBuffer/CL_INVALID_CONTEXT/1: crashes
 * context is NULL or not a valid context.
 * allowed: CL_INVALID_BUFFER_SIZE, CL_INVALID_CONTEXT; observed: signal SIGSEGV
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 *
 * Build and run:  cc 18d14adb.c -o 18d14adb -lOpenCL && ./18d14adb [LIBRARY] [PART OF THE PLATFORM'S NAME]
 * (older systems: also -ldl). Found without a loader: the driver's library is opened and called by its dispatch table.
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run; a crash ends the program.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
static void *library;
/* the driver's own function: as it returns it to loaders, or from its dispatch table, or as its library exports it */
static void *find(cl_platform_id platform, const char *name, int position) {
    void *(CL_API_CALL *by_name)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    void *(CL_API_CALL *by_platform)(cl_platform_id, const char *) =
        dlsym(library, "clIcdGetFunctionAddressForPlatformKHR");
    if (!by_platform && by_name) by_platform = by_name("clIcdGetFunctionAddressForPlatformKHR");
    void *found = by_platform ? by_platform(platform, name) : NULL;
    if (!found && position >= 0) found = (*(void ***)platform)[position];
    if (!found) found = dlsym(library, name);
    return found || !by_name ? found : by_name(name);
}
static void *found(cl_platform_id platform, const char *name, int position) {
    void *function = find(platform, name, position);
    if (!function) { printf("the platform has no %s\n", name); exit(2); }
    return function;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 2 ? argv[2] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "NVIDIA CUDA";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    library = dlopen(argc > 1 ? argv[1] : "libnvidia-opencl.so.1", RTLD_NOW);
    if (!library) { printf("%s\n", dlerror()); return 2; }
    void *(CL_API_CALL *by_name)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    cl_int (CL_API_CALL *ids)(cl_uint, cl_platform_id *, cl_uint *) = by_name ? by_name("clIcdGetPlatformIDsKHR") : NULL;
    if (!ids) ids = dlsym(library, "clIcdGetPlatformIDsKHR");
    if (ids) ids(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform with that name; of several, the one with that version */
        char text[2][1024] = {"", ""};
        cl_int (CL_API_CALL *clGetPlatformInfo)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) =
            found(platforms[i], "clGetPlatformInfo", 1);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 CUDA 13.0.98"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    cl_int (CL_API_CALL *clGetDeviceIDs)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *) =
        found(platform1, "clGetDeviceIDs", 2);
    cl_mem (CL_API_CALL *clCreateBuffer)(cl_context, cl_mem_flags, size_t, void *, cl_int *) =
        found(platform1, "clCreateBuffer", 14);
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    puts("the next call is expected to crash");
    GET(clCreateBuffer(NULL, CL_MEM_READ_WRITE, 1, NULL, NULL));
    puts("no deviation");
    return 0;
}
