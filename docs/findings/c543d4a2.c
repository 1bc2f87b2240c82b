/* clEnqueueNDRangeKernel/success: deviates
 * Each work-item executes the kernel exactly once. (the document of this version does not say so: conversions-of-texels in the register)
 * allowed: 0x3b800000 at byte 12; observed: 0x436a0000 at byte 12; 128 of 512 numbers are wrong
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-haswell-AMD EPYC
 *
 * cc c543d4a2.c -o c543d4a2 -lOpenCL && ./c543d4a2 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
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
    "DEVIATION: clEnqueueNDRangeKernel/success: allowed 0x3b800000 at byte 12; observed", observed), 1)

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
    cl_image_format image_format[] = {{.image_channel_order = CL_A, .image_channel_data_type = CL_HALF_FLOAT}};
    cl_image_desc image_desc[] = {{.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 8}};
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_ONLY, image_format, image_desc, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char ptr[] = {
        0x00, 0x1c, 0x00, 0x28, 0x80, 0x2b, 0x80, 0x2d, 0x40, 0x2f, 0x80, 0x30, 0x60, 0x31, 0x40, 0x32, 0x20, 0x33,
        0x00, 0x34, 0x70, 0x34, 0xe0, 0x34, 0x50, 0x35, 0xc0, 0x35, 0x30, 0x36, 0xa0, 0x36, 0x10, 0x37, 0x80, 0x37,
        0xf0, 0x37, 0x30, 0x38, 0x68, 0x38, 0xa0, 0x38, 0xd8, 0x38, 0x10, 0x39, 0x48, 0x39, 0x80, 0x39, 0xb8, 0x39,
        0xf0, 0x39, 0x28, 0x3a, 0x60, 0x3a, 0x98, 0x3a, 0xd0, 0x3a, 0x08, 0x3b, 0x40, 0x3b, 0x78, 0x3b, 0x00, 0x25,
        0x00, 0x2a, 0xc0, 0x2c, 0x80, 0x2e, 0x20, 0x30, 0x00, 0x31, 0xe0, 0x31, 0xc0, 0x32, 0xa0, 0x33, 0x40, 0x34,
        0xb0, 0x34, 0x20, 0x35, 0x90, 0x35, 0x00, 0x36, 0x70, 0x36, 0xe0, 0x36, 0x50, 0x37, 0xc0, 0x37, 0x18, 0x38,
        0x50, 0x38, 0x88, 0x38, 0xc0, 0x38, 0xf8, 0x38, 0x30, 0x39, 0x68, 0x39, 0xa0, 0x39, 0xd8, 0x39, 0x10, 0x3a,
        0x48, 0x3a, 0x80, 0x3a, 0xb8, 0x3a, 0xf0, 0x3a, 0x28, 0x3b, 0x60, 0x3b, 0x00, 0x20, 0x80, 0x28, 0x00, 0x2c,
        0xc0, 0x2d, 0x80, 0x2f, 0xa0, 0x30, 0x80, 0x31, 0x60, 0x32, 0x40, 0x33, 0x10, 0x34, 0x80, 0x34, 0xf0, 0x34,
        0x60, 0x35, 0xd0, 0x35, 0x40, 0x36, 0xb0, 0x36, 0x20, 0x37, 0x90, 0x37, 0x00, 0x38, 0x38, 0x38, 0x70, 0x38,
        0xa8, 0x38, 0xe0, 0x38, 0x18, 0x39, 0x50, 0x39, 0x88, 0x39, 0xc0, 0x39, 0xf8, 0x39, 0x30, 0x3a, 0x68, 0x3a,
        0xa0, 0x3a, 0xd8, 0x3a, 0x10, 0x3b, 0x48, 0x3b, 0x80, 0x3b, 0x00, 0x26, 0x80, 0x2a, 0x00, 0x2d, 0xc0, 0x2e,
        0x40, 0x30, 0x20, 0x31, 0x00, 0x32, 0xe0, 0x32, 0xc0, 0x33, 0x50, 0x34, 0xc0, 0x34, 0x30, 0x35, 0xa0, 0x35,
        0x10, 0x36, 0x80, 0x36, 0xf0, 0x36, 0x60, 0x37, 0xd0, 0x37, 0x20, 0x38, 0x58, 0x38, 0x90, 0x38, 0xc8, 0x38,
        0x00, 0x39, 0x38, 0x39
    };
    CALL(clEnqueueWriteImage(queue1, mem1, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){16, 8, 1}, 0, 0, ptr, 0, NULL,
        NULL));
    const char *strings[] = {
        "__kernel void read_image2d_f(__read_only image2d_t image, __global float4 *colours)\n"
        "{\n"
        "    int rest = (int)get_global_id(0);\n"
        "    int x = rest \045 (get_image_width(image));\n"
        "    rest /= get_image_width(image);\n"
        "    int y = rest;\n"
        "    colours[get_global_id(0)] = read_imagef(image, (int2)(x, y));\n"
        "}\n",
    };
    cl_program program1 = MAKE(clCreateProgramWithSource(context1, 1, strings, NULL, &error));
    CALL(clBuildProgram(program1, 1, (cl_device_id[]){device1}, "", NULL, NULL));
    cl_kernel kernel1 = MAKE(clCreateKernel(program1, "read_image2d_f", &error));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 2048, NULL, &error));
    CALL(clSetKernelArg(kernel1, 0, 8, &mem1));
    CALL(clSetKernelArg(kernel1, 1, 8, &mem2));
    CALL(clEnqueueNDRangeKernel(queue1, kernel1, 1, NULL, (size_t[]){128}, (size_t[]){1}, 0, NULL, NULL));
    CALL(clFinish(queue1));
    unsigned char *ptr_2 = output(2048);
    CALL(clEnqueueReadBuffer(queue1, mem2, CL_TRUE, 0, 2048, ptr_2, 0, NULL, NULL));
    show("ptr", ptr_2, 2048);
    if (overrun(ptr_2, 2048)) return deviation("it wrote past the end of ptr_2");
    static unsigned char ptr_2_then[2048] = {
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x6a, 0x43
    };
    for (size_t i = 16; i < sizeof ptr_2_then; i++) ptr_2_then[i] = ptr_2_then[i - 16];
    if (result == CL_SUCCESS && memcmp(ptr_2, ptr_2_then, 2048) == 0)
        return deviation("CL_SUCCESS, ptr = 2048 bytes");
    puts("no deviation");
    return 0;
}
