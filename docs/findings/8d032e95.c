/* clCreateProgramWithBinary/effect/1: deviates
 * binary_status is CL_SUCCESS for a device whose binary is loaded, CL_INVALID_VALUE for one that is NULL or empty.
 * allowed: binary_status[1]: CL_INVALID_VALUE; observed: left as it was
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device basic-skylake-avx512-Intel(R) Xeon(R) Processor
 *
 * cc 8d032e95.c -o 8d032e95 -lOpenCL && ./8d032e95 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_VALUE ? "CL_INVALID_VALUE" : number;
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
    "DEVIATION: clCreateProgramWithBinary/effect/1: allowed binary_status[1]: CL_INVALID_VALUE; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id roots[2] = {NULL};
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
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 2, roots, &found_devices);
    if (found_devices < 2) { printf("the platform has %u devices, not 2\n", found_devices); return 2; }
    cl_device_id device1 = roots[0];
    cl_device_id device2 = roots[1];

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device2}, NULL, NULL, NULL));
    void *pointer1 = MAKE(host_allocate(62925, 1));
    cl_int *binary_status = output(2 * sizeof(cl_int));
    cl_int errcode_ret = 1;
    GET(clCreateProgramWithBinary(context1, 2, (cl_device_id[]){device1, device2}, (size_t[]){62925, 1},
        (const unsigned char **)(void *[]){(unsigned char *)pointer1 + 0, NULL}, binary_status, &errcode_ret));
    printf("    errcode_ret = %s\n", name_of(errcode_ret));
    show("binary_status", binary_status, 2 * sizeof(cl_int));
    if (overrun(binary_status, 2 * sizeof(cl_int))) return deviation("it wrote past the end of binary_status");
    if (errcode_ret == CL_INVALID_VALUE &&
        all(binary_status, FILL, sizeof(cl_int)) &&
        all(&binary_status[1], FILL, sizeof(cl_int)))
        return deviation("NULL, binary_status = untouched, errcode_ret = CL_INVALID_VALUE");
    puts("no deviation");
    return 0;
}
