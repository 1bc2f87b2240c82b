/* clGetSupportedImageFormats/success: deviates
 * image_formats receives at most num_entries formats; num_image_formats receives the number of all formats. Repeated queries with equal arguments return the same number and the same formats.
 * allowed: no write past the end of an output buffer; observed: image_formats overrun
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc 3470a9d7.c -o 3470a9d7 -lOpenCL && ./3470a9d7 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader uses only this library with OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run.
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
    "DEVIATION: clGetSupportedImageFormats/success: allowed no write past the end of an output buffer; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform with that name; of several, the one with that version */
        char text[2][1024] = {"", ""};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; using it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_uint *image_formats = output(2 * sizeof(cl_uint));
    CALL(clGetSupportedImageFormats(context1, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 1,
        (cl_image_format *)image_formats, NULL));
    show("image_formats", image_formats, 2 * sizeof(cl_uint));
    if (overrun(image_formats, 2 * sizeof(cl_uint))) return deviation("it wrote past the end of image_formats");
    if (result == CL_SUCCESS && image_formats[0] == 4272 && image_formats[1] == 4306)
        return deviation("CL_SUCCESS, image_formats = {CL_R, CL_UNORM_INT8}, wrote past the end of image_formats");
    puts("no deviation");
    return 0;
}
