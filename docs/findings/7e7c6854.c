/* clEnqueueFillImage/success: deviates
 * The command fills the region with the colour and changes no other texel. (the document of this version does not say so: conversions-of-texels in the register)
 * allowed: 0x7f at byte 3; observed: 0x80 at byte 3; 1 of 1 numbers are wrong
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc 7e7c6854.c -o 7e7c6854 -lOpenCL && ./7e7c6854 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
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
    "DEVIATION: clEnqueueFillImage/success: allowed 0x7f at byte 3; observed", observed), 1)

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
    cl_image_format image_format[] = {{.image_channel_order = CL_R, .image_channel_data_type = CL_SNORM_INT8}};
    cl_image_desc image_desc[] = {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2}};
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    static _Alignas(128) unsigned char fill_color[] = {
        0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x80, 0xbe, 0xcd, 0xcc, 0xcc, 0x3e, 0x00, 0x00, 0x00, 0x00
    };
    CALL(clEnqueueFillImage(queue1, mem1, fill_color, (size_t[]){1, 1, 0}, (size_t[]){1, 1, 1}, 0, NULL, NULL));
    unsigned char *ptr = output(12);
    CALL(clEnqueueReadImage(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){2, 2, 1}, 0, 0, ptr, 0, NULL,
        NULL));
    show("ptr", ptr, 12);
    if (overrun(ptr, 12)) return deviation("it wrote past the end of ptr");
    if (result == CL_SUCCESS && *(cl_uint *)ptr == 0x80000000u && all(ptr + 4, FILL, 8))
        return deviation("CL_SUCCESS, ptr = {0x00, 0x00, 0x00, 0x80}");
    puts("no deviation");
    return 0;
}
