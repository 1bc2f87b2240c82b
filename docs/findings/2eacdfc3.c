/* clLinkProgram/success: crashes
 * The call creates a new program for the devices in device_list, or in context if that is NULL. It is a library if options has -create-library, else an executable of all kernels in input_programs.
 * allowed: CL_SUCCESS, CL_LINK_PROGRAM_FAILURE; observed: exit 1
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc 2eacdfc3.c -o 2eacdfc3 -lOpenCL && ./2eacdfc3 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_LINK_PROGRAM_FAILURE ? "CL_LINK_PROGRAM_FAILURE" : number;
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
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clLinkProgram/success: allowed CL_SUCCESS, CL_LINK_PROGRAM_FAILURE; observed", observed), 1)
static int finished;
static void driver_ended_it(void) {
    if (!finished) _exit(deviation("the driver ended the process"));
}

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
        "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    to[i] = from[i] + 1u;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clCompileProgram(program1, 1, (cl_device_id[]){device1}, "", 0, NULL, NULL, NULL, NULL));
    const char *strings_2[] = {
        "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    to[i] = from[i] + 1u;\n"
        "}\n",
    };
    cl_program program2 = MAKE(clCreateProgramWithSource(context1, 1, strings_2, NULL, &error));
    CALL(clCompileProgram(program2, 1, (cl_device_id[]){device1}, "", 0, NULL, NULL, NULL, NULL));
    puts("the next call is expected to crash");
    atexit(driver_ended_it);
    GET(clLinkProgram(context1, 1, (cl_device_id[]){device1}, "", 2, (cl_program[]){program1, program2}, NULL, NULL,
        &error));
    finished = 1;
    puts("no deviation");
    return 0;
}
