/* clFlush/success: hangs
 * The commands of the queue are submitted to the device, and after clFinish they are complete.
 * allowed: CL_SUCCESS; observed: no answer within 10 s
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc ea447fdd.c -o ea447fdd -lOpenCL && ./ea447fdd [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
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
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("that made nothing, so that the deviation cannot be tried"); exit(2); } } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("that made nothing (code %d), so that the deviation cannot be tried\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clFlush/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
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
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char ptr[4096];
    series(ptr, 241, 1, 7, 241);
    series(ptr + 241, 241, 4, 7, 241);
    series(ptr + 482, 241, 7, 7, 241);
    series(ptr + 723, 241, 10, 7, 241);
    series(ptr + 964, 241, 13, 7, 241);
    series(ptr + 1205, 241, 16, 7, 241);
    series(ptr + 1446, 241, 19, 7, 241);
    series(ptr + 1687, 241, 22, 7, 241);
    series(ptr + 1928, 241, 25, 7, 241);
    series(ptr + 2169, 241, 28, 7, 241);
    series(ptr + 2410, 241, 31, 7, 241);
    series(ptr + 2651, 241, 34, 7, 241);
    series(ptr + 2892, 241, 37, 7, 241);
    series(ptr + 3133, 241, 40, 7, 241);
    series(ptr + 3374, 241, 43, 7, 241);
    series(ptr + 3615, 241, 46, 7, 241);
    series(ptr + 3856, 240, 49, 7, 241);
    CALL(clEnqueueWriteBuffer(queue1, mem1, CL_TRUE, 0, 4096, ptr, 0, NULL, NULL));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    DO(clEnqueueCopyBuffer(queue1, mem1, mem2, 0, 0, 4096, 1, (cl_event[]){event1}, (cl_event[1]){0}));
    puts("the next call is expected to give no answer; waiting 10 s");
    signal(SIGALRM, too_late);
    alarm(10);
    CALL(clFlush(queue1));
    puts("no deviation");
    return 0;
}
