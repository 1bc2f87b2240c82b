/* clLinkProgram/success: crashes
 * The call creates a new program for the devices in device_list, or in context if that is NULL. It is a library if options has -create-library, else an executable of all kernels in input_programs.
 * allowed: CL_SUCCESS, CL_INVALID_OPERATION, CL_LINK_PROGRAM_FAILURE; observed: signal SIGSEGV
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc 76cc9cd1.c -o 76cc9cd1 -lOpenCL && ./76cc9cd1 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))

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

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    puts("the next call is expected to crash");
    GET(clLinkProgram(context1, 1, (cl_device_id[]){device1}, "", 1, (cl_program[]){program1}, NULL, NULL, &error));
    puts("no deviation");
    return 0;
}
