/* clSetEventCallback/success: deviates
 * The callback is called once, with user_data, when the event reaches command_exec_callback_type or an error.
 * allowed: told called within 2000 ms (interpretation: callback-timeout); observed: not called
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-skylake-avx512-AMD EPYC
 *
 * cc d392712d.c -o d392712d -lOpenCL && ./d392712d [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
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
static long long counted(long long number) {
    printf(" -> %lld\n", number);
    return number;
}
#define COUNT(...) (fputs(#__VA_ARGS__, stdout), counted(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clSetEventCallback/success: allowed told called within 2000 ms (interpretation: callback-timeout); observed", observed), 1)
static atomic_uint told_times;
static cl_uint host_await(atomic_uint *counted, cl_uint times, cl_uint milliseconds) {
    const struct timespec pause = {0, 1000000};
    for (cl_uint waited = 0; *counted < times && waited < milliseconds; waited++) nanosleep(&pause, NULL);
    return *counted;
}
static void CL_CALLBACK told(cl_event event, cl_int event_command_status, void * user_data) {
    printf("    told was called back: event = %p, event_command_status = %lld, user_data = %lld\n", (void *)event, (long long)(intptr_t)event_command_status, (long long)(intptr_t)user_data);
    told_times++;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    CALL(clSetEventCallback(event1, 0, (void *)told, (void *)7));
    COUNT(host_await(&told_times, 1, 30));
    CALL(clSetUserEventStatus(event1, -5));
    cl_uint result = COUNT(host_await(&told_times, 1, 2000));
    if (result == 0) return deviation("0");
    puts("no deviation");
    return 0;
}
