/* clSetKernelArg/CL_INVALID_CONTEXT/1: deviates
 * arg_value is an object of another context than kernel; before version 3.1 it may be refused so.
 * where arg_value = &sampler1, kernel = kernel4
 * allowed: CL_INVALID_CONTEXT; observed: CL_INVALID_SAMPLER
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * cc ae767bd6.c -o ae767bd6 -lOpenCL && ./ae767bd6 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libintelocl.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_CONTEXT ? "CL_INVALID_CONTEXT"
        : code == CL_INVALID_SAMPLER ? "CL_INVALID_SAMPLER" : number;
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
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clSetKernelArg/CL_INVALID_CONTEXT/1: allowed CL_INVALID_CONTEXT; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Intel(R) OpenCL";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.1 LINUX"))) platform1 = platforms[i];
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
    MAKE(clCreateKernel(program1, "tell_values", &error));
    const char *strings_2[] = {
        "__kernel void tell_memory(__global uint *data, __global const uint *other, __constant uint *fixed, __local uint *shared, uint offset)\n"
        "{\n"
        "    data[0] = other \077 other[0] : 1314212940u;\n"
        "    data[1] = fixed \077 fixed[0] : 1314212940u;\n"
        "    data[2] = shared[0] = offset;\n"
        "}\n",
    };
    cl_program program2 = MAKE(clCreateProgramWithSource(context1, 1, strings_2, NULL, &error));
    CALL(clBuildProgram(program2, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel2 = MAKE(clCreateKernel(program2, "tell_memory", &error));
    cl_context context2 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context2, CL_MEM_READ_WRITE, 4096, NULL, &error));
    CALL(clSetKernelArg(kernel2, 1, 8, &mem1)); /* CL_INVALID_MEM_OBJECT */
    const char *strings_3[] = {
        "__kernel void read_image2d_ui(__read_only image2d_t image, __global uint4 *colours)\n"
        "{\n"
        "    int rest = (int)get_global_id(0);\n"
        "    int x = rest \045 (get_image_width(image));\n"
        "    rest /= get_image_width(image);\n"
        "    int y = rest;\n"
        "    colours[get_global_id(0)] = read_imageui(image, (int2)(x, y));\n"
        "}\n",
    };
    cl_program program3 = MAKE(clCreateProgramWithSource(context1, 1, strings_3, NULL, &error));
    CALL(clBuildProgram(program3, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel3 = MAKE(clCreateKernel(program3, "read_image2d_ui", &error));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8}};
    cl_mem mem2 = MAKE(clCreateImage(context2, CL_MEM_READ_WRITE, image_format, image_desc, NULL, &error));
    CALL(clSetKernelArg(kernel3, 0, 8, &mem2)); /* CL_INVALID_MEM_OBJECT */
    const char *strings_4[] = {
        "__kernel void sample_image2d_ui(__read_only image2d_t image, sampler_t sampler, __global uint4 *colours)\n"
        "{\n"
        "    int rest = (int)get_global_id(0);\n"
        "    int x = rest \045 (get_image_width(image) + 4) - 2;\n"
        "    rest /= (get_image_width(image) + 4);\n"
        "    int y = rest - 2;\n"
        "    colours[get_global_id(0)] = read_imageui(image, sampler, (int2)(x, y));\n"
        "}\n",
    };
    cl_program program4 = MAKE(clCreateProgramWithSource(context1, 1, strings_4, NULL, &error));
    CALL(clBuildProgram(program4, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel4 = MAKE(clCreateKernel(program4, "sample_image2d_ui", &error));
    cl_sampler sampler1 = MAKE(clCreateSampler(context2, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error));
    CALL(clSetKernelArg(kernel4, 1, 8, &sampler1));
    if (result != CL_INVALID_CONTEXT) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
