/* clSetKernelArg/CL_INVALID_SAMPLER/1: crashes
 * arg_value is not a valid sampler for an argument of the type sampler_t.
 * where arg_value = NULL
 * allowed: CL_INVALID_ARG_VALUE, CL_INVALID_SAMPLER; observed: signal SIGSEGV
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc cd1eabfc.c -o cd1eabfc -lOpenCL && ./cd1eabfc [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_SAMPLER ? "CL_INVALID_SAMPLER"
        : code == CL_INVALID_ARG_VALUE ? "CL_INVALID_ARG_VALUE" : number;
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
        "__kernel void sample_image2d_ui(__read_only image2d_t image, sampler_t sampler, __global uint4 *colours)\n"
        "{\n"
        "    int rest = (int)get_global_id(0);\n"
        "    int x = rest \045 (get_image_width(image) + 4) - 2;\n"
        "    rest /= (get_image_width(image) + 4);\n"
        "    int y = rest - 2;\n"
        "    colours[get_global_id(0)] = read_imageui(image, sampler, (int2)(x, y));\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "sample_image2d_ui", &error));
    puts("the next call is expected to crash");
    CALL(clSetKernelArg(kernel1, 1, 8, NULL));
    puts("no deviation");
    return 0;
}
