/* clSetKernelArg/effect/1: deviates
 * A kernel does not retain the objects that are set as its arguments.
 * allowed: told called within 2000 ms; observed: not called
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc 434101e2.c -o 434101e2 -lOpenCL && ./434101e2 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
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
    if (!object) { printf("that made nothing (code %d), so that the deviation cannot be tried\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static long long counted(long long number) {
    printf(" -> %lld\n", number);
    return number;
}
#define COUNT(...) (fputs(#__VA_ARGS__, stdout), counted(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clSetKernelArg/effect/1: allowed told called within 2000 ms; observed", observed), 1)
static atomic_uint told_times;
static cl_uint host_await(atomic_uint *counted, cl_uint times, cl_uint milliseconds) {
    const struct timespec pause = {0, 1000000};
    for (cl_uint waited = 0; *counted < times && waited < milliseconds; waited++) nanosleep(&pause, NULL);
    return *counted;
}
static void CL_CALLBACK told(cl_mem memobj, void * user_data) {
    printf("    told was called back: memobj = %p, user_data = %lld\n", (void *)memobj, (long long)(intptr_t)user_data);
    told_times++;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    const char *strings[] = {
        "__kernel void add_index(__global uint *data)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    data[i] = data[i] * 3u + (uint)i;\n"
        "}\n",
        "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    to[i] = from[i] + 1u;\n"
        "}\n",
        "__kernel void chase(__global uint *to, __global const uint *links)\n"
        "{\n"
        "    uint at = (uint)get_global_id(0);\n"
        "    for (int step = 0; step < 5; step++)\n"
        "        at = links[at] \045 (uint)get_global_size(0);\n"
        "    to[get_global_id(0)] = at;\n"
        "}\n",
        "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\n"
        "void add_scaled(__global uint *restrict data, __global const volatile uint *other,\n"
        "                __constant uint *scale, __local uint *shared, uint offset)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    shared[get_local_id(0)] = other[i] * scale[0];\n"
        "    data[i] += shared[get_local_id(0)] + offset;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 4, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "-cl-kernel-arg-info", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "add_index", &error));
    CALL(clGetKernelInfo(kernel1, CL_KERNEL_CONTEXT, 0, NULL, (size_t[1]){0}));
    CALL(clGetKernelInfo(kernel1, CL_KERNEL_CONTEXT, 8, (cl_ulong[1]){0}, (size_t[1]){0}));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    CALL(clSetMemObjectDestructorCallback(mem1, (void *)told, (void *)1));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    CALL(clReleaseMemObject(mem1));
    cl_uint result = COUNT(host_await(&told_times, 1, 2000));
    if (result == 0) return deviation("0");
    puts("no deviation");
    return 0;
}
