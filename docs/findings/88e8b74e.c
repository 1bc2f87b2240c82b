/* clEnqueueCopyImage/success: deviates
 * The command copies the texels of the region, as left by the commands before it, and changes no other texel.
 * allowed: 0x3c at byte 512; observed: byte 512 is 0x00; 4 of 1536 bytes are wrong
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H200
 *
 * cc 88e8b74e.c -o 88e8b74e -lOpenCL && ./88e8b74e [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
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
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
enum { FILL = 0xA5, GUARD = 0xC3, GUARD_BYTES = 64 };

static int all(const void *at, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) if (((const unsigned char *)at)[i] != byte) return 0;
    return 1;
}
static void *output(size_t size) { /* an output buffer between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES);
    if (!whole) exit(2);
    memset(whole, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole + GUARD_BYTES, FILL, size);
}
#define overrun(at, size) (!all((char *)(at) - GUARD_BYTES, GUARD, GUARD_BYTES) || \
    !all((char *)(at) + (size), GUARD, GUARD_BYTES))
static void show(const char *name, const void *at, size_t size) {
    printf("    %s (a5: not written):", name);
    for (size_t i = 0; i < size && i < 256; i++) printf(" %02x", ((const unsigned char *)at)[i]);
    puts(size > 256 ? " ..." : "");
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueCopyImage/success: allowed 0x3c at byte 512; observed", observed), 1)

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
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 16, .image_height = 8, .image_array_size = 3}
    };
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, NULL));
    static _Alignas(128) unsigned char ptr[1536];
    series(ptr, 241, 60, 7, 241);
    series(ptr + 241, 241, 63, 7, 241);
    series(ptr + 482, 241, 66, 7, 241);
    series(ptr + 723, 241, 69, 7, 241);
    series(ptr + 964, 241, 72, 7, 241);
    series(ptr + 1205, 241, 75, 7, 241);
    series(ptr + 1446, 90, 78, 7, 241);
    CALL(clEnqueueWriteImage(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){1, 1, 1}, 0, 0, ptr, 0, NULL,
        NULL));
    CALL(clEnqueueCopyImage(queue1, mem1, mem1, (size_t[]){0, 0, 0}, (size_t[]){0, 0, 1}, (size_t[]){1, 8, 1}, 0,
        NULL, NULL));
    unsigned char *ptr_2 = output(1536);
    CALL(clEnqueueReadImage(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){16, 8, 3}, 0, 0, ptr_2, 0, NULL,
        NULL));
    show("ptr", ptr_2, 1536);
    if (overrun(ptr_2, 1536)) return deviation("it wrote past the end of ptr_2");
    static unsigned char ptr_2_then[1536];
    series(ptr_2_then, 5, 60, 7, 88);
    series(ptr_2_then + 5, 1531, 0, 0, 256);
    if (result == CL_SUCCESS && memcmp(ptr_2, ptr_2_then, 1536) == 0)
        return deviation("CL_SUCCESS, ptr = 1536 bytes");
    puts("no deviation");
    return 0;
}
