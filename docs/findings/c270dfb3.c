/* clEnqueueWriteImage/success: deviates
 * The command copies the texels of the region, as left by the commands before it, and changes no other texel.
 * allowed: 0x05 at byte 20; observed: byte 20 is 0xa5; 28 of 64 bytes are wrong
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc c270dfb3.c -o c270dfb3 -lOpenCL && ./c270dfb3 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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
#define RUN(...) do { fputs(#__VA_ARGS__, stdout); __VA_ARGS__; puts(""); } while (0)
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
static void *host_allocate(size_t size, size_t alignment) { /* between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES + alignment);
    if (!whole) exit(2);
    whole += GUARD_BYTES + (alignment - ((uintptr_t)whole + GUARD_BYTES) % alignment) % alignment;
    memset(whole - GUARD_BYTES, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole, FILL, size);
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueWriteImage/success: allowed 0x05 at byte 20; observed", observed), 1)

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
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    void *pointer1 = MAKE(host_allocate(912, 4096));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 16, .image_array_size = 3, .image_row_pitch = 76,
        .image_slice_pitch = 152}
    };
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, image_format, image_desc,
        pointer1, &error));
    static _Alignas(128) unsigned char ptr[] = {
        0x32, 0x39, 0x40, 0x47, 0x4e, 0x55, 0x5c, 0x63, 0x6a, 0x71, 0x78, 0x7f, 0x86, 0x8d, 0x94, 0x9b, 0xa2, 0xa9,
        0xb0, 0xb7, 0xbe, 0xc5, 0xcc, 0xd3, 0xda, 0xe1, 0xe8, 0xef, 0x05, 0x0c, 0x13, 0x1a, 0x21, 0x28, 0x2f, 0x36,
        0x3d, 0x44, 0x4b, 0x52, 0x59, 0x60, 0x67, 0x6e, 0x75, 0x7c, 0x83, 0x8a, 0x91, 0x98, 0x9f, 0xa6, 0xad, 0xb4,
        0xbb, 0xc2
    };
    CALL(clEnqueueWriteImage(queue1, mem1, CL_TRUE, (size_t[]){5, 0, 0}, (size_t[]){7, 2, 1}, 0, 0, ptr, 0, NULL,
        NULL));
    GET(clEnqueueMapImage(queue1, mem1, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, (size_t[]){0, 0, 0},
        (size_t[]){16, 3, 1}, (size_t[1]){0}, (size_t[1]){0}, 0, NULL, NULL, &error));
    unsigned char *content = output(64);
    RUN(memcpy(content, (unsigned char *)pointer1 + 152, 64));
    show("content", content, 64);
    if (overrun(content, 64)) return deviation("it wrote past the end of content");
    if (overrun(pointer1, 912)) return deviation("it wrote past the end of the host area");
    if (all(content, FILL, 64)) return deviation("content = untouched");
    puts("no deviation");
    return 0;
}
