/* clEnqueueUnmapMemObject/success: deviates
 * What the host wrote to the mapped region is visible to devices when the command is complete.
 * allowed: 0x5b at byte 64; observed: byte 64 is 0x29; 128 of 192 bytes are wrong
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc 97ee5b2c.c -o 97ee5b2c -lOpenCL && ./97ee5b2c [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
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
static void *host_allocate(size_t size, size_t alignment) { /* between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES + alignment);
    if (!whole) exit(2);
    whole += GUARD_BYTES + (alignment - ((uintptr_t)whole + GUARD_BYTES) % alignment) % alignment;
    memset(whole - GUARD_BYTES, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole, FILL, size);
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueUnmapMemObject/success: allowed 0x5b at byte 64; observed", observed), 1)

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
    static _Alignas(128) unsigned char content[912];
    series(content, 241, 232, 7, 241);
    series(content + 241, 1, 235, 0, 256);
    series(content + 242, 240, 1, 7, 241);
    series(content + 482, 1, 238, 0, 256);
    series(content + 483, 240, 4, 7, 241);
    series(content + 723, 189, 0, 7, 241);
    RUN(memcpy(pointer1, content, 912));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 16, .image_array_size = 3, .image_row_pitch = 76,
        .image_slice_pitch = 152}
    };
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, image_format, image_desc,
        pointer1, &error));
    GET(clEnqueueMapImage(queue1, mem1, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, (size_t[]){0, 0, 0},
        (size_t[]){16, 3, 1}, (size_t[1]){0}, (size_t[1]){0}, 0, NULL, NULL, &error));
    RUN(memcpy((cl_ulong[8]){0}, pointer1, 64));
    RUN(memcpy((cl_ulong[8]){0}, (unsigned char *)pointer1 + 152, 64));
    static _Alignas(128) unsigned char content_2[] = {
        0xe3, 0xea, 0x00, 0x07, 0x0e, 0x15, 0x1c, 0x23, 0x2a, 0x31, 0x38, 0x3f, 0x46, 0x4d, 0x54, 0x5b, 0x62, 0x69,
        0x70, 0x77, 0x7e, 0x85, 0x8c, 0x93, 0x9a, 0xa1, 0xa8, 0xaf, 0xb6, 0xbd, 0xc4, 0xcb, 0xd2, 0xd9, 0xe0, 0xe7,
        0xee, 0x04, 0x0b, 0x12, 0x19, 0x20, 0x27, 0x2e, 0x35, 0x3c, 0x43, 0x4a, 0x51, 0x58, 0x5f, 0x66, 0x6d, 0x74,
        0x7b, 0x82, 0x89, 0x90, 0x97, 0x9e, 0xa5, 0xac, 0xb3, 0xba
    };
    RUN(memcpy((unsigned char *)pointer1 + 304, content_2, 64));
    CALL(clEnqueueUnmapMemObject(queue1, mem1, pointer1, 0, NULL, NULL));
    unsigned char *ptr = output(192);
    CALL(clEnqueueReadImage(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){16, 3, 1}, 0, 0, ptr, 0, NULL,
        NULL));
    show("ptr", ptr, 192);
    if (overrun(ptr, 192)) return deviation("it wrote past the end of ptr");
    static unsigned char ptr_then[192];
    series(ptr_then, 64, 232, 7, 241);
    series(ptr_then + 64, 64, 41, 7, 241);
    series(ptr_then + 128, 64, 91, 7, 241);
    if (result == CL_SUCCESS && memcmp(ptr, ptr_then, 192) == 0)
        return deviation("CL_SUCCESS, ptr = 192 bytes");
    puts("no deviation");
    return 0;
}
