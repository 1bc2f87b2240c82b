/* clReleaseContext/success: hangs
 * The reference count of the context decreases by one; the context is deleted once it is unused.
 * allowed: CL_SUCCESS; observed: no answer within 10 s
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 * calls made from several host threads at once follow one another here, so it may not show
 *
 * cc 6efa1e88.c -o 6efa1e88 -lOpenCL && ./6efa1e88 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (!object) { printf("that made nothing (code %d), so that the deviation cannot be tried\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clReleaseContext/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "NVIDIA CUDA";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 CUDA 13.0.98"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    /* The next 8 calls were made from several host threads at once. */
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event2 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event3 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event4 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event5 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event6 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event7 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event8 = MAKE(clCreateUserEvent(context1, &error));
    /* The next 8 calls were made from several host threads at once. */
    CALL(clReleaseEvent(event1));
    CALL(clReleaseEvent(event2));
    CALL(clReleaseEvent(event3));
    CALL(clReleaseEvent(event4));
    CALL(clReleaseEvent(event5));
    CALL(clReleaseEvent(event6));
    CALL(clReleaseEvent(event7));
    CALL(clReleaseEvent(event8));
    /* The next 8 calls were made from several host threads at once. */
    cl_event event9 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event10 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event11 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event12 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event13 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event14 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event15 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event16 = MAKE(clCreateUserEvent(context1, &error));
    /* The next 8 calls were made from several host threads at once. */
    CALL(clReleaseEvent(event9));
    CALL(clReleaseEvent(event10));
    CALL(clReleaseEvent(event11));
    CALL(clReleaseEvent(event12));
    CALL(clReleaseEvent(event13));
    CALL(clReleaseEvent(event14));
    CALL(clReleaseEvent(event15));
    CALL(clReleaseEvent(event16));
    /* The next 8 calls were made from several host threads at once. */
    cl_event event17 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event18 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event19 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event20 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event21 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event22 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event23 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event24 = MAKE(clCreateUserEvent(context1, &error));
    /* The next 8 calls were made from several host threads at once. */
    CALL(clReleaseEvent(event17));
    CALL(clReleaseEvent(event18));
    CALL(clReleaseEvent(event19));
    CALL(clReleaseEvent(event20));
    CALL(clReleaseEvent(event21));
    CALL(clReleaseEvent(event22));
    CALL(clReleaseEvent(event23));
    CALL(clReleaseEvent(event24));
    /* The next 8 calls were made from several host threads at once. */
    cl_event event25 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event26 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event27 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event28 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event29 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event30 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event31 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event32 = MAKE(clCreateUserEvent(context1, &error));
    /* The next 8 calls were made from several host threads at once. */
    CALL(clReleaseEvent(event25));
    CALL(clReleaseEvent(event26));
    CALL(clReleaseEvent(event27));
    CALL(clReleaseEvent(event28));
    CALL(clReleaseEvent(event29));
    CALL(clReleaseEvent(event30));
    CALL(clReleaseEvent(event31));
    CALL(clReleaseEvent(event32));
    /* The next 8 calls were made from several host threads at once. */
    cl_event event33 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event34 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event35 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event36 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event37 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event38 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event39 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event40 = MAKE(clCreateUserEvent(context1, &error));
    /* The next 8 calls were made from several host threads at once. */
    CALL(clReleaseEvent(event33));
    CALL(clReleaseEvent(event34));
    CALL(clReleaseEvent(event35));
    CALL(clReleaseEvent(event36));
    CALL(clReleaseEvent(event37));
    CALL(clReleaseEvent(event38));
    CALL(clReleaseEvent(event39));
    CALL(clReleaseEvent(event40));
    puts("the next call is expected to give no answer; waiting 10 s");
    signal(SIGALRM, too_late);
    alarm(10);
    CALL(clReleaseContext(context1));
    puts("no deviation");
    return 0;
}
