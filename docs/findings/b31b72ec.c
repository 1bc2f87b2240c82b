/* clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1: deviates
 * No device of context supports image_format: it is in no list of clGetSupportedImageFormats for context.
 * where context = context1, image_format = {0x10b5, 0x10d0}
 * allowed: CL_IMAGE_FORMAT_NOT_SUPPORTED; observed: CL_SUCCESS
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H200
 *
 * cc b31b72ec.c -o b31b72ec -lOpenCL && ./b31b72ec [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_MEM_KERNEL_READ_AND_WRITE /* common headers may lack it */
#define CL_MEM_KERNEL_READ_AND_WRITE 4096
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_IMAGE_FORMAT_NOT_SUPPORTED ? "CL_IMAGE_FORMAT_NOT_SUPPORTED" : number;
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
    "DEVIATION: clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1: allowed CL_IMAGE_FORMAT_NOT_SUPPORTED; observed", observed), 1)

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
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    static cl_image_format image_formats[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, image_formats,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_2[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, 256, image_formats_2,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_3[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D, 256, image_formats_3,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_4[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_ARRAY, 256, image_formats_4,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_5[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, 256, image_formats_5,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_6[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY, 256, image_formats_6,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_7[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, image_formats_7,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_8[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE3D, 256, image_formats_8,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_9[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE1D, 256, image_formats_9,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_10[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE1D_ARRAY, 256, image_formats_10,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_11[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, 256, image_formats_11,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_12[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY, 256, image_formats_12,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_13[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 256, image_formats_13,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_14[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, 256, image_formats_14,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_15[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D, 256, image_formats_15,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_16[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_ARRAY, 256, image_formats_16,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_17[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, 256, image_formats_17,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_18[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D_ARRAY, 256, image_formats_18,
        (cl_uint[1]){0}));
    static cl_image_format image_formats_19[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 256,
        image_formats_19, (cl_uint[1]){0}));
    static cl_image_format image_formats_20[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE3D, 256,
        image_formats_20, (cl_uint[1]){0}));
    static cl_image_format image_formats_21[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D, 256,
        image_formats_21, (cl_uint[1]){0}));
    static cl_image_format image_formats_22[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D_ARRAY, 256,
        image_formats_22, (cl_uint[1]){0}));
    static cl_image_format image_formats_23[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, 256,
        image_formats_23, (cl_uint[1]){0}));
    static cl_image_format image_formats_24[256];
    CALL(clGetSupportedImageFormats(context1, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D_ARRAY, 256,
        image_formats_24, (cl_uint[1]){0}));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_SNORM_INT8}};
    cl_image_desc image_desc[] = {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8}};
    cl_int errcode_ret = 1;
    GET(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    if (errcode_ret != CL_IMAGE_FORMAT_NOT_SUPPORTED) return deviation(name_of(errcode_ret));
    puts("no deviation");
    return 0;
}
