/* clSetKernelArg/CL_INVALID_ARG_VALUE/1: crashes
 * arg_value is NULL for an argument by value, or a memory object of another kind or image type than declared. It may be refused if it is not NULL for an argument in local memory.
 * where arg_value = NULL
 * allowed: CL_INVALID_ARG_VALUE; observed: signal SIGSEGV
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc fabfe109.c -o fabfe109 -lOpenCL && ./fabfe109 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_ARG_VALUE ? "CL_INVALID_ARG_VALUE" : number;
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
        "typedef struct {\n"
        "    uint first;\n"
        "    uchar second;\n"
        "    uint third;\n"
        "} mixture;\n"
        "__kernel void tell_values(__global uint *data, uchar one, ushort two, uint four, ulong eight, float real, uchar2 pair, uint3 three, float4 reals, uint16 many, mixture mixed)\n"
        "{\n"
        "    data[0] = (uint)one;\n"
        "    data[1] = (uint)two;\n"
        "    data[2] = four;\n"
        "    data[3] = (uint)eight;\n"
        "    data[4] = (uint)(eight >> 32);\n"
        "    data[5] = as_uint(real);\n"
        "    data[6] = (uint)pair.x;\n"
        "    data[7] = (uint)pair.y;\n"
        "    data[8] = three.x;\n"
        "    data[9] = three.y;\n"
        "    data[10] = three.z;\n"
        "    data[11] = as_uint(reals.x);\n"
        "    data[12] = as_uint(reals.y);\n"
        "    data[13] = as_uint(reals.z);\n"
        "    data[14] = as_uint(reals.w);\n"
        "    data[15] = many.s0;\n"
        "    data[16] = many.s1;\n"
        "    data[17] = many.s2;\n"
        "    data[18] = many.s3;\n"
        "    data[19] = many.s4;\n"
        "    data[20] = many.s5;\n"
        "    data[21] = many.s6;\n"
        "    data[22] = many.s7;\n"
        "    data[23] = many.s8;\n"
        "    data[24] = many.s9;\n"
        "    data[25] = many.sa;\n"
        "    data[26] = many.sb;\n"
        "    data[27] = many.sc;\n"
        "    data[28] = many.sd;\n"
        "    data[29] = many.se;\n"
        "    data[30] = many.sf;\n"
        "    data[31] = mixed.first;\n"
        "    data[32] = (uint)mixed.second;\n"
        "    data[33] = mixed.third;\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "tell_values", &error));
    puts("the next call is expected to crash");
    CALL(clSetKernelArg(kernel1, 1, 1, NULL));
    puts("no deviation");
    return 0;
}
