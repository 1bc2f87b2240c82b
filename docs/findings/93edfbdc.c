/* clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1: deviates
 * image_desc is NULL, or a value in it is not valid. Its image_type is no type of images; a size that image_type uses is 0; a pitch breaks the rules for pitches; num_samples is not 0, or num_mip_levels is not 0 without cl_khr_mipmap_image; mem_object is no memory object that image_type allows, a buffe [... 19 more characters ...]  image, or an image of another size. The clause may hold where a size exceeds the limit of a device.
 * where image_desc = {0x10f1, 1, 1, 0, 0, 1, 0, 0, 0, NULL}, image_type = CL_MEM_OBJECT_IMAGE2D, num_samples = 0, num_mip_levels = 0, mem_object = NULL
 * allowed: CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR; observed: CL_INVALID_IMAGE_SIZE
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H200
 *
 * cc 93edfbdc.c -o 93edfbdc -lOpenCL && ./93edfbdc [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_IMAGE_FORMAT_NOT_SUPPORTED ? "CL_IMAGE_FORMAT_NOT_SUPPORTED"
        : code == CL_INVALID_IMAGE_SIZE ? "CL_INVALID_IMAGE_SIZE" : code == CL_INVALID_IMAGE_DESCRIPTOR ? "CL_INVALID_IMAGE_DESCRIPTOR" : number;
}
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1: allowed CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR; observed", observed), 1)

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

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1, .image_row_pitch = 1}
    };
    static _Alignas(128) unsigned char host_ptr[8192];
    series(host_ptr, 8192, 0, 0, 256);
    cl_int errcode_ret = 1;
    GET(clCreateImage(context1, CL_MEM_COPY_HOST_PTR, image_format, image_desc, host_ptr, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    if (errcode_ret != CL_IMAGE_FORMAT_NOT_SUPPORTED && errcode_ret != CL_INVALID_IMAGE_DESCRIPTOR) return deviation(name_of(errcode_ret));
    puts("no deviation");
    return 0;
}
