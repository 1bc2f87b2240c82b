/* clSetKernelArg/CL_INVALID_MEM_OBJECT/2: deviates
 * The argument is declared as a depth image or an array of these, and arg_value is not such an image.
 * where arg_value = &mem1
 * allowed: CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT; observed: CL_SUCCESS
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc afbe905a.c -o afbe905a -lOpenCL && ./afbe905a [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_MEM_OBJECT ? "CL_INVALID_MEM_OBJECT"
        : code == CL_INVALID_ARG_VALUE ? "CL_INVALID_ARG_VALUE" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clSetKernelArg/CL_INVALID_MEM_OBJECT/2: allowed CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT; observed", observed), 1)

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
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    const char *strings[] = {
        "__kernel void read_image2d_depth_f(__read_only image2d_depth_t image, __global float4 *colours)\n"
        "{\n"
        "    int rest = (int)get_global_id(0);\n"
        "    int x = rest \045 (get_image_width(image));\n"
        "    rest /= get_image_width(image);\n"
        "    int y = rest;\n"
        "    colours[get_global_id(0)] = (float4)(read_imagef(image, (int2)(x, y)), 0.0f, 0.0f, 1.0f);\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, NULL));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "read_image2d_depth_f", NULL));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1}};
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, NULL));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    if (result != CL_INVALID_MEM_OBJECT && result != CL_INVALID_ARG_VALUE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
