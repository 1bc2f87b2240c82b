/* clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1: crashes
 * image_desc is NULL, or a value in it is not valid. Its image_type is no type of images; a size that image_type uses is 0; a pitch breaks the rules for pitches; num_samples is not 0, or num_mip_levels is not 0 without cl_khr_mipmap_image; mem_object is no memory object that image_type allows, a buffe [... 19 more characters ...]  image, or an image of another size. The clause may hold where a size exceeds the limit of a device.
 * where image_desc = {0x10f1, 16, 8, 0, 0, 0, 0, 0, 1, NULL}, image_type = CL_MEM_OBJECT_IMAGE2D, num_samples = 1, num_mip_levels = 0, mem_object = NULL
 * allowed: CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR; observed: exit 2
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc 5d249428.c -o 5d249428 -lOpenCL && ./5d249428 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    "DEVIATION: clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1: allowed CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_DESCRIPTOR; observed", observed), 1)
static int finished;
static void driver_ended_it(void) {
    if (!finished) _exit(deviation("the driver ended the process"));
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8, .num_samples = 1}
    };
    puts("the next call is expected to crash");
    atexit(driver_ended_it);
    GET(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, &error));
    finished = 1;
    puts("no deviation");
    return 0;
}
