/* clEnqueueMapImage/effect/4: deviates
 * The slice pitch that the call returns is at least the bytes from the first to the last of a slice or layer of the region, where it has more than one (slices-of-a-map).
 * allowed: 76; observed: 4
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc e54bf5a7.c -o e54bf5a7 -lOpenCL && ./e54bf5a7 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
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
enum { FILL = 0xA5, GUARD = 0xC3, GUARD_BYTES = 64 };

static void *host_allocate(size_t size, size_t alignment) { /* between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES + alignment);
    if (!whole) exit(2);
    whole += GUARD_BYTES + (alignment - ((uintptr_t)whole + GUARD_BYTES) % alignment) % alignment;
    memset(whole - GUARD_BYTES, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole, FILL, size);
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueMapImage/effect/4: allowed 76; observed", observed), 1)

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

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    void *pointer1 = MAKE(host_allocate(224, 1));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1, .image_array_size = 2, .image_row_pitch = 76,
        .image_slice_pitch = 76}
    };
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_USE_HOST_PTR, image_format, image_desc, pointer1, NULL));
    size_t image_row_pitch = 0;
    size_t image_slice_pitch = 0;
    cl_int errcode_ret = 1;
    GET(clEnqueueMapImage(queue1, mem1, CL_TRUE, CL_MAP_READ, (size_t[]){0, 0, 0}, (size_t[]){1, 2, 1},
        &image_row_pitch, &image_slice_pitch, 0, NULL, NULL, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    printf("    image_row_pitch = %lld\n", (long long)image_row_pitch);
    printf("    image_slice_pitch = %lld\n", (long long)image_slice_pitch);
    if (errcode_ret == CL_SUCCESS && image_row_pitch == 4 && image_slice_pitch == 4)
        return deviation("pointer1, image_row_pitch = 4, image_slice_pitch = 4, errcode_ret = CL_SUCCESS");
    puts("no deviation");
    return 0;
}
